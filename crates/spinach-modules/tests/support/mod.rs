//! Test tools: sources that play a script, sinks that remember, both with stall generators.

#![allow(dead_code, reason = "each test file uses its own part of the tools")]

pub(crate) mod blocks;
pub(crate) mod contract;
pub(crate) mod fusions;
pub(crate) mod joints;

use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Any, ChannelId, Declaration, Design, Edge, Frequency, Idle, Input, Module, ModuleId, Observed, Observer,
    Output, Process, Registry, Signals, Simulation, Time, Value, ack, data, elaborate, parameters, ports,
};

/// A sequence of random numbers that only depends on its seed (xorshift64*).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        random.next();
        random
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Below `bound`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        (self.next() >> 16) % bound
    }
}

parameters! {
    pub struct SourceParameters {
        /// The words of all values, one after the other.
        pub script: Vec<u64>,
        /// Percentage of cycles in which nothing is presented.
        pub stall_percent: u64 = 0 => in 0..=100,
        /// Decides in which.
        pub seed: u64 = 0,
        /// Cycle in which the first value is presented.
        pub start: u64 = 0,
        /// Number of cycles in which nothing is presented after every tenth value.
        pub pause: u64 = 0,
    }
}

ports! {
    pub struct SourcePorts {
        /// The values of the script.
        pub output: Output<Any>,
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SourceState {
    next: usize,
    presents: bool,
    resumes: u64,
    random: Random,
    /// The cycle in which each value moved.
    pub moved: Vec<u64>,
}

/// Presents the values of a script, in order.
pub(crate) struct Source {
    parameters: SourceParameters,
    ports: SourcePorts,
    state: SourceState,
}

impl Module for Source {
    type Parameters = SourceParameters;
    type Ports = SourcePorts;
    type State = SourceState;

    fn declaration() -> Declaration {
        Declaration {
            kind: "test_source",
            family: "test",
            documentation: "Presents the values of a script.",
            timing: "Registered.",
            source: "None.",
            parameters: SourceParameters::declare(),
            ports: SourcePorts::declare(),
            counters: &[],
            clocks: &["clock"],
        }
    }

    fn new(parameters: SourceParameters, ports: SourcePorts) -> Result<Self, String> {
        let random = Random::new(parameters.seed);
        let presents = parameters.start == 0;
        Ok(Self {
            parameters,
            ports,
            state: SourceState { next: 0, presents, resumes: 0, random, moved: Vec::new() },
        })
    }

    fn processes(&self) -> Vec<Process> {
        vec![Process::new(0).drives([data(SourcePorts::OUTPUT)])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        let words = self.ports.output.words() as usize;
        let value = self.parameters.script.chunks_exact(words).nth(self.state.next);
        signals.write_words(self.ports.output, value.filter(|_| self.state.presents));
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let state = &mut self.state;
        if edge.signals.is_sent(self.ports.output) {
            state.next += 1;
            state.moved.push(edge.cycle());
            if state.next.is_multiple_of(10) {
                state.resumes = edge.cycle() + 1 + self.parameters.pause;
            }
        }
        state.presents = state.random.below(100) >= self.parameters.stall_percent
            && edge.cycle() + 1 >= state.resumes
            && edge.cycle() + 1 >= self.parameters.start;
    }

    fn idle(&self) -> Idle {
        Idle::No
    }

    fn state(&self) -> &SourceState {
        &self.state
    }

    fn restore(&mut self, state: SourceState) -> Result<(), String> {
        self.state = state;
        Ok(())
    }
}

parameters! {
    pub struct SinkParameters {
        /// Percentage of cycles in which the presented value is refused.
        pub stall_percent: u64 = 0 => in 0..=100,
        /// Decides in which.
        pub seed: u64 = 0,
    }
}

ports! {
    pub struct SinkPorts {
        /// Recorded values.
        pub input: Input<Any>,
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SinkState {
    accepts: bool,
    random: Random,
    /// Each value and the cycle in which it came.
    pub received: Vec<(u64, Vec<u64>)>,
    /// The cycle in which each of them was first presented.
    pub presented: Vec<u64>,
}

/// Remembers what comes.
pub(crate) struct Sink {
    parameters: SinkParameters,
    ports: SinkPorts,
    state: SinkState,
}

impl Module for Sink {
    type Parameters = SinkParameters;
    type Ports = SinkPorts;
    type State = SinkState;

    fn declaration() -> Declaration {
        Declaration {
            kind: "test_sink",
            family: "test",
            documentation: "Remembers what comes.",
            timing: "The acknowledgement is registered.",
            source: "None.",
            parameters: SinkParameters::declare(),
            ports: SinkPorts::declare(),
            counters: &[],
            clocks: &["clock"],
        }
    }

    fn new(parameters: SinkParameters, ports: SinkPorts) -> Result<Self, String> {
        let random = Random::new(parameters.seed);
        let state = SinkState { accepts: true, random, received: Vec::new(), presented: Vec::new() };
        Ok(Self { parameters, ports, state })
    }

    fn processes(&self) -> Vec<Process> {
        vec![Process::new(0).drives([ack(SinkPorts::INPUT)])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        signals.acknowledge(self.ports.input, self.state.accepts);
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let state = &mut self.state;
        if edge.signals.is_present(self.ports.input) && state.presented.len() == state.received.len() {
            state.presented.push(edge.cycle());
        }
        if edge.signals.is_received(self.ports.input) {
            let mut words = Vec::new();
            edge.signals.read_words(self.ports.input, &mut words);
            state.received.push((edge.cycle(), words));
        }
        state.accepts = state.random.below(100) >= self.parameters.stall_percent;
    }

    fn state(&self) -> &SinkState {
        &self.state
    }

    fn restore(&mut self, state: SinkState) -> Result<(), String> {
        self.state = state;
        Ok(())
    }
}

ports! {
    pub struct WordsPorts {
        /// Words.
        pub input: Input<u64>,
        /// The same.
        pub output: Output<u64>,
    }
}

/// Passes words; gives the type `word` to what is connected.
pub(crate) struct Words(WordsPorts);

impl Module for Words {
    type Parameters = ();
    type Ports = WordsPorts;
    type State = ();

    const COMMITS: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "test_words",
            family: "test",
            documentation: "Passes words.",
            timing: "Combinational.",
            source: "None.",
            parameters: Vec::new(),
            ports: WordsPorts::declare(),
            counters: &[],
            clocks: &["clock"],
        }
    }

    fn new((): (), ports: WordsPorts) -> Result<Self, String> {
        Ok(Self(ports))
    }

    fn processes(&self) -> Vec<Process> {
        vec![
            Process::new(0).drives([data(WordsPorts::OUTPUT)]).reads([data(WordsPorts::INPUT)]),
            Process::new(1).drives([ack(WordsPorts::INPUT)]).reads([ack(WordsPorts::OUTPUT)]),
        ]
    }

    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        if code == 0 {
            signals.forward(self.0.input, self.0.output);
        } else {
            signals.acknowledge(self.0.input, signals.is_acknowledged(self.0.output));
        }
    }

    fn state(&self) -> &() {
        &()
    }

    fn restore(&mut self, (): ()) -> Result<(), String> {
        Ok(())
    }
}

/// The library and the test tools.
pub(crate) fn registry() -> Registry {
    let mut registry = spinach_modules::registry();
    registry.register::<Source>();
    registry.register::<Sink>();
    registry.register::<blocks::Blocks>();
    registry.register::<Words>();
    registry.register::<joints::Departures>();
    registry.register::<joints::Arrivals>();
    registry
}

/// The words of `values`, one after the other.
pub(crate) fn script<T: Value>(values: &[T]) -> Vec<u64> {
    let mut words = Vec::new();
    for value in values {
        let mut own = vec![0; T::TYPE.words as usize];
        value.store(|word, bits| own[word as usize] = bits);
        words.extend(own);
    }
    words
}

/// The value of these words.
pub(crate) fn value<T: Value>(words: &[u64]) -> T {
    T::load(|word| words[word as usize])
}

/// Stalls at the two ends of an initiator.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stalls {
    pub request_percent: u64,
    pub response_percent: u64,
    pub seed: u64,
}

impl Stalls {
    pub(crate) const NONE: Self = Self { request_percent: 0, response_percent: 0, seed: 0 };

    /// None, each end alone, and both.
    pub(crate) fn all() -> [Self; 4] {
        [(0, 0), (60, 0), (0, 60), (40, 70)].map(|(request_percent, response_percent)| Self {
            request_percent,
            response_percent,
            seed: 77,
        })
    }
}

/// A source and a sink that play a script of requests, by the number in their paths.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Initiator(usize);

/// A design with one clock of 1 GHz, so that a cycle is a nanosecond.
pub(crate) struct Bench {
    pub design: Design,
    pub domain: spinach_engine::DomainId,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let mut design = Design::new();
        let domain =
            design.domain("clock", Frequency::from_hertz(1_000_000_000).expect("1 GHz is a frequency"));
        Self { design, domain }
    }

    /// Adds an initiator that plays `requests` into lane `lane` of `bundle` of `target`.
    pub(crate) fn initiator<T: Value>(
        &mut self,
        (target, bundle, lane): (ModuleId, &str, usize),
        requests: &[T],
        stalls: Stalls,
    ) -> Initiator {
        let number = self.request_source((target, bundle, lane), requests, stalls);
        let parameters =
            [("stall_percent", stalls.response_percent), ("seed", stalls.seed + 100 + lane as u64)];
        let sink = self.design.module(format!("sink{number}"), "test_sink", self.domain, parameters);
        self.design.connect_lanes((target, &format!("{bundle}_response"), lane), (sink, "input", 0));
        Initiator(number)
    }

    /// Adds a source that plays `requests` into lane `lane` of `bundle` of `target`; returns the number in its path.
    pub(crate) fn request_source<T: Value>(
        &mut self,
        (target, bundle, lane): (ModuleId, &str, usize),
        requests: &[T],
        stalls: Stalls,
    ) -> usize {
        let number = self.design.modules.len();
        let parameters: [(&str, spinach_engine::ParameterValue); 3] = [
            ("script", script(requests).into()),
            ("stall_percent", stalls.request_percent.into()),
            ("seed", (stalls.seed + lane as u64).into()),
        ];
        let source = self.design.module(format!("source{number}"), "test_source", self.domain, parameters);
        self.design.connect_lanes((source, "output", 0), (target, &format!("{bundle}_request"), lane));
        number
    }

    /// Sets a further parameter of the source of `initiator`.
    pub(crate) fn set(
        &mut self,
        initiator: &Initiator,
        name: &str,
        value: impl Into<spinach_engine::ParameterValue>,
    ) {
        let path = format!("source{}", initiator.0);
        let module = self.design.modules.values_mut().find(|module| module.path == path);
        module.expect("it was added").parameters.push((name.to_owned(), value.into()));
    }

    /// Problem of the design.
    pub(crate) fn problem(&self) -> String {
        elaborate(&self.design, &registry()).err().expect("something is wrong").to_string()
    }

    pub(crate) fn start(&self) -> Simulation {
        match elaborate(&self.design, &registry()) {
            Ok(elaborated) => Simulation::new(elaborated),
            Err(error) => panic!("{error}"),
        }
    }

    /// The simulation after `cycles` cycles.
    pub(crate) fn run(&self, cycles: u64) -> Simulation {
        let mut simulation = self.start();
        run_to(&mut simulation, cycles);
        self.check_saving(&mut simulation);
        simulation
    }

    /// Checks that a checkpoint holds the whole state of every module: another simulation that is restored from it saves the same.
    fn check_saving(&self, simulation: &mut Simulation) {
        let saved = simulation.checkpoint().expect("every state can be saved");
        let mut other = self.start();
        other.restore(&saved).expect("it is of the same design");
        assert!(
            other.checkpoint().expect("every state can be saved") == saved,
            "a module was not restored whole"
        );
    }
}

/// Runs all cycles before cycle `cycle` of a [`Bench`].
pub(crate) fn run_to(simulation: &mut Simulation, cycle: u64) {
    let outcome = simulation.run_until(Time::from_femtoseconds(cycle * 1_000_000));
    assert_eq!(outcome, spinach_engine::Outcome::Reached);
}

/// Content of a channel, cycle by cycle: the words, if any were presented, and the acknowledgement.
pub(crate) type Watched = Arc<Mutex<Vec<(Option<Vec<u64>>, bool)>>>;

struct Watcher {
    channel: ChannelId,
    recording: Watched,
}

impl Observer for Watcher {
    fn observe(&mut self, observed: &Observed<'_>) {
        self.recording.lock().expect("no thread panicked").push(observed.channel(self.channel));
    }
}

/// Records lane 0 of a port from now on.
pub(crate) fn record(simulation: &mut Simulation, path: &str, port: &str) -> Watched {
    let channel = simulation.netlist().find_channel(path, port, 0).expect("the channel is in the design");
    let recording = Watched::default();
    simulation.add_observer(Box::new(Watcher { channel, recording: Arc::clone(&recording) }));
    recording
}

impl Initiator {
    /// The cycles in which its requests were taken.
    pub(crate) fn requested(&self, simulation: &mut Simulation) -> Vec<u64> {
        state::<SourceState>(simulation, &format!("source{}", self.0)).moved
    }

    /// The responses and the cycles in which they came.
    pub(crate) fn responses<T: Value>(&self, simulation: &mut Simulation) -> Vec<(u64, T)> {
        let received = state::<SinkState>(simulation, &format!("sink{}", self.0)).received;
        received.into_iter().map(|(cycle, words)| (cycle, value(&words))).collect()
    }
}

/// The state of a test tool.
pub(crate) fn state<T: serde::de::DeserializeOwned>(simulation: &mut Simulation, path: &str) -> T {
    let module = simulation.netlist().find_module(path).expect("the test tool is in the design");
    let state = simulation.state(module).expect("the state of a test tool is plain");
    serde_json::from_value(state).expect("it has this shape")
}

/// A counter of a module.
pub(crate) fn counter(simulation: &mut Simulation, path: &str, counter: &str) -> u64 {
    let name = format!("{path}.{counter}");
    let found = simulation.statistics().iter().find(|(known, _)| *known == name);
    found.unwrap_or_else(|| panic!("there is no counter {name}")).1
}
