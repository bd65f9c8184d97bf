//! Designs of one clock made of senders, receivers and modules between them.

use spinach_engine::{Design, DomainId, Frequency, ModuleId, ParameterValue, Simulation, Time, elaborate};
use spinach_modules::registry;

/// One nanosecond is one cycle.
pub(crate) const CYCLE: u64 = 1_000_000;

/// A design under construction.
pub(crate) struct Bench {
    pub design: Design,
    pub domain: DomainId,
}

/// Stalls at the two ends of a stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stalls {
    pub sender_percent: u32,
    pub receiver_percent: u32,
    pub seed: u64,
}

/// No stalls, stalls at either end, at both, and hardly any movement.
pub(crate) fn all_stalls() -> impl Iterator<Item = Stalls> {
    let percents = [(100, 100), (100, 40), (40, 100), (60, 50), (9, 90), (95, 7)];
    percents.into_iter().zip(11..).map(|((sender_percent, receiver_percent), seed)| Stalls {
        sender_percent,
        receiver_percent,
        seed,
    })
}

pub(crate) const NO_STALLS: Stalls = Stalls { sender_percent: 100, receiver_percent: 100, seed: 0 };

impl Bench {
    pub(crate) fn new() -> Self {
        let mut design = Design::new();
        let domain = design.domain("clock", Frequency::from_hertz(1_000_000_000).unwrap());
        Self { design, domain }
    }

    pub(crate) fn module(
        &mut self,
        path: &str,
        kind: &str,
        parameters: &[(&str, ParameterValue)],
    ) -> ModuleId {
        self.design.module(path, kind, self.domain, parameters.iter().cloned())
    }

    /// A sender of 0, 1, 2, ... with stalls.
    pub(crate) fn counting_sender(&mut self, path: &str, stalls: Stalls) -> ModuleId {
        let policy = spinach_engine::Policy::named("index");
        self.module(
            path,
            "sender",
            &[
                ("policy", policy.into()),
                ("percent", stalls.sender_percent.into()),
                ("seed", (2 * stalls.seed).into()),
            ],
        )
    }

    /// A sender of `values` without stalls.
    pub(crate) fn sender(&mut self, path: &str, values: &[u64]) -> ModuleId {
        self.module(path, "sender", &[("values", values.to_vec().into())])
    }

    /// A receiver with stalls that keeps all it takes.
    pub(crate) fn receiver(&mut self, path: &str, stalls: Stalls) -> ModuleId {
        let parameters = [
            ("percent", stalls.receiver_percent.into()),
            ("seed", (2 * stalls.seed + 1).into()),
            ("keep", 1_000_000_u32.into()),
        ];
        self.module(path, "receiver", &parameters)
    }

    pub(crate) fn simulation(&self) -> Simulation {
        match elaborate(&self.design, &registry()) {
            Ok(elaborated) => Simulation::new(elaborated),
            Err(error) => panic!("{error}"),
        }
    }

    /// The first line of what elaboration complains about.
    pub(crate) fn complaint(&self) -> String {
        let error = elaborate(&self.design, &registry()).err().expect("the design is wrong");
        error.problems[0].message.clone()
    }

    pub(crate) fn run(&self, cycles: u64) -> Simulation {
        let mut simulation = self.simulation();
        simulation.run_until(Time::from_femtoseconds(cycles * CYCLE));
        simulation
    }

    /// Runs in every way that must not matter: see [`run_every_way`].
    pub(crate) fn run_every_way(&self, cycles: u64) -> Simulation {
        run_every_way(|| self.simulation(), Time::from_femtoseconds(cycles * CYCLE))
    }
}

/// Runs a simulation up to `until` as it is, without sleeping, and with a checkpoint that another simulation continues from
/// halfway; holds all states and counters of the three to each other.
pub(crate) fn run_every_way(start: impl Fn() -> Simulation, until: Time) -> Simulation {
    let mut plain = start();
    plain.run_until(until);
    let result = plain.checkpoint().unwrap();
    let mut waking = start();
    waking.set_sleeping(false);
    waking.run_until(until);
    assert!(waking.checkpoint().unwrap() == result, "sleeping changes the result");
    let mut first_half = start();
    first_half.run_until(Time::from_femtoseconds(until.femtoseconds() / 2));
    let mut second_half = start();
    second_half.restore(&first_half.checkpoint().unwrap()).unwrap();
    second_half.run_until(until);
    assert!(second_half.checkpoint().unwrap() == result, "a checkpoint changes the result");
    plain
}

/// The words that the receiver `path` took, each with its cycle.
pub(crate) fn received(simulation: &mut Simulation, path: &str) -> Vec<(u64, u64)> {
    let module = simulation.netlist().find_module(path).expect("there is a receiver of this name");
    let state = simulation.state(module).unwrap();
    let numbers = |name: &str| -> Vec<u64> {
        let list = state[name].as_array().expect("a receiver keeps lists");
        list.iter().map(|number| number.as_u64().expect("of numbers")).collect()
    };
    numbers("cycles").into_iter().zip(numbers("words")).collect()
}

/// The words that the receiver `path` took.
pub(crate) fn received_words(simulation: &mut Simulation, path: &str) -> Vec<u64> {
    received(simulation, path).into_iter().map(|(_, word)| word).collect()
}

/// Counter `name` of the module `path`.
pub(crate) fn counter(simulation: &mut Simulation, path: &str, name: &str) -> u64 {
    let wanted = format!("{path}.{name}");
    simulation.statistics().iter().find(|(known, _)| *known == wanted).expect("there is such a counter").1
}
