//! Cables between parts of a system: equal for any number of threads, and to a crossing with a delay line.

use std::sync::{Arc, Mutex};

use spinach_engine::{
    ChannelId, Condition, Control, Design, DomainId, Frequency, Limit, ModuleId, Observed, Observer, Outcome,
    ParameterValue, Simulation, Time, elaborate,
};
use spinach_modules::registry;

use crate::support::{Random, counter};

const DATAGRAMS: &str = r#"{"kind": "udp", "sizes": [18, 700]}"#;
const END: Time = Time::from_femtoseconds(150_000_000_000);

/// Frames that cross several parts, each with a clock, and return.
#[derive(Clone, Debug)]
struct Case {
    /// Hertz of each part; parts may share a clock.
    hertz: Vec<u64>,
    delay: u64,
    frame_rate: u64,
    sleeps: bool,
}

impl Case {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let parts = 2 + random.below(2);
        let hertz =
            (0..parts).map(|_| [100_000_000, 66_700_000, 156_250_000][random.below(3) as usize]).collect();
        Self {
            hertz,
            delay: 3 + random.below(60),
            frame_rate: 2_000_000 + random.below(20_000_000),
            sleeps: seed.is_multiple_of(2),
        }
    }

    /// The system with cables, or with a crossing and a delay line in place of each.
    fn start(&self, has_cables: bool) -> Simulation {
        let mut design = Design::new();
        let mut clocks: Vec<(u64, DomainId)> = Vec::new();
        for hertz in &self.hertz {
            let known = clocks.iter().find(|(known, _)| known == hertz).map(|(_, domain)| *domain);
            let clock = known.unwrap_or_else(|| {
                design.domain(format!("clock{hertz}"), Frequency::from_hertz(*hertz).unwrap())
            });
            clocks.push((*hertz, clock));
        }
        let clocks: Vec<DomainId> = clocks.into_iter().map(|(_, clock)| clock).collect();
        let traffic = || {
            [("traffic", ParameterValue::from(DATAGRAMS.to_owned())), ("count", 400_u64.into())].into_iter()
        };
        let rate = [("frame_rate", ParameterValue::from(self.frame_rate))];
        let feeder = design.module("feeder", "traffic_source", clocks[0], traffic().chain(rate));
        let sink = design.module("sink", "packet_sink", clocks[0], traffic());
        design.connect((feeder, "departures"), (sink, "departures"));
        let mut output = (feeder, "wire");
        for (hop, ends) in clocks.windows(2).enumerate() {
            output = self.hop(&mut design, &format!("there{hop}"), output, [ends[0], ends[1]], has_cables);
        }
        for (hop, ends) in clocks.windows(2).enumerate().rev() {
            output = self.hop(&mut design, &format!("back{hop}"), output, [ends[1], ends[0]], has_cables);
        }
        design.connect(output, (sink, "wire"));
        match elaborate(&design, &registry()) {
            Ok(elaborated) => {
                let mut simulation = Simulation::new(elaborated);
                simulation.set_sleeping(self.sleeps);
                simulation
            }
            Err(error) => panic!("{error}"),
        }
    }

    fn hop(
        &self,
        design: &mut Design,
        path: &str,
        output: (ModuleId, &str),
        [from, to]: [DomainId; 2],
        has_cables: bool,
    ) -> (ModuleId, &'static str) {
        let none: [(&str, u64); 0] = [];
        let (begin, end) = (format!("{path}.begin"), format!("{path}.end"));
        if has_cables {
            let begin = design.module(begin, "cable_input", from, none);
            let end = design.module(end, "cable_output", to, [("delay", self.delay)]);
            design.connect(output, (begin, "input"));
            design.connect((begin, "far"), (end, "near"));
            return (end, "output");
        }
        let begin = design.module(begin, "asynchronous_fifo", from, none);
        design.modules.values_mut().last().unwrap().clocks.insert("to".to_owned(), to);
        let end = design.module(end, "pipe", to, [("depth", self.delay - 2)]);
        design.connect(output, (begin, "input"));
        design.connect((begin, "output"), (end, "input"));
        (end, "output")
    }
}

type Seen = Arc<Mutex<Vec<(Time, usize, usize)>>>;

/// Records frames that move, with their lengths.
struct Moves {
    channels: Vec<ChannelId>,
    sees_all: bool,
    seen: Seen,
}

impl Observer for Moves {
    fn channels(&self) -> Option<&[ChannelId]> {
        (!self.sees_all).then_some(&self.channels)
    }

    fn observe(&mut self, observed: &Observed<'_>) {
        for (number, channel) in self.channels.iter().enumerate() {
            if observed.moves(*channel) {
                let (words, _) = observed.channel(*channel);
                let handle = spinach_engine::Payload::from_bits(words.unwrap()[0] as u32);
                let length = observed.payload(*channel, handle).len();
                self.seen.lock().unwrap().push((observed.time, number, length));
            }
        }
    }
}

fn record(simulation: &mut Simulation, sees_all: bool) -> Seen {
    let netlist = simulation.netlist();
    let begins = ["feeder", "there0.end", "back0.end"].map(|path| {
        let port = if path == "feeder" { "wire" } else { "output" };
        netlist.find_channel(path, port, 0).unwrap()
    });
    let seen = Seen::default();
    simulation.add_observer(Box::new(Moves { channels: begins.into(), sees_all, seen: Arc::clone(&seen) }));
    seen
}

/// Counters that both systems have.
fn counts(simulation: &mut Simulation) -> Vec<(String, u64)> {
    let counted = simulation.statistics();
    let common = |(name, _): &(String, u64)| !name.contains(".begin") && !name.contains(".end");
    counted.iter().filter(common).collect()
}

/// Runs to the end in pieces of random lengths.
fn run_in_pieces(simulation: &mut Simulation, threads: usize, seed: u64) {
    let mut random = Random::new(seed);
    while simulation.now() < END {
        simulation.set_threads(threads);
        let end = simulation.now().saturating_add(Time::from_femtoseconds(random.below(15_000_000_000)));
        assert_eq!(simulation.run_until(end.min(END)), Outcome::Reached);
    }
}

#[test]
fn frames_take_as_long_as_through_a_crossing_and_a_delay_line() {
    for seed in 0..8 {
        let case = Case::new(seed);
        let mut reference = case.start(false);
        let expected = record(&mut reference, false);
        assert_eq!(reference.run_until(END), Outcome::Reached);
        assert!(expected.lock().unwrap().len() > 50, "{case:?}");
        for sees_all in [false, true] {
            let mut simulation = case.start(true);
            assert_eq!(simulation.islands(), 2 * (case.hertz.len() - 1));
            let seen = record(&mut simulation, sees_all);
            run_in_pieces(&mut simulation, 2, seed);
            assert!(*seen.lock().unwrap() == *expected.lock().unwrap(), "{case:?}");
            assert_eq!(counts(&mut simulation), counts(&mut reference), "{case:?}");
            assert_eq!(simulation.windows_on_threads(), 0, "something looks at several parts");
        }
    }
}

#[test]
fn results_do_not_depend_on_threads() {
    let mut on_threads = 0;
    for seed in 0..8 {
        let case = Case::new(seed);
        let mut reference = case.start(true);
        assert_eq!(reference.run_until(END), Outcome::Reached);
        let expected = reference.checkpoint().unwrap();
        for threads in [1, 2, 3] {
            let mut simulation = case.start(true);
            run_in_pieces(&mut simulation, threads, seed + 100 * threads as u64);
            assert!(simulation.checkpoint().unwrap() == expected, "{case:?} with {threads} threads");
            on_threads += simulation.windows_on_threads();
        }
    }
    assert!(on_threads > 200, "{on_threads}");
}

#[test]
fn a_checkpoint_continues_with_another_number_of_threads() {
    for seed in 0..6 {
        let case = Case::new(seed);
        let mut reference = case.start(true);
        let mut random = Random::new(seed);
        let cut = Time::from_femtoseconds(random.below(END.femtoseconds()));
        assert_eq!(reference.run_until(cut), Outcome::Reached);
        let saved = reference.checkpoint().unwrap();
        assert_eq!(reference.run_until(END), Outcome::Reached);
        let mut simulation = case.start(true);
        simulation.restore(&saved).unwrap();
        assert!(simulation.checkpoint().unwrap() == saved, "a part was not restored whole");
        simulation.set_threads(2);
        assert_eq!(simulation.run_until(END), Outcome::Reached);
        assert!(simulation.checkpoint().unwrap() == reference.checkpoint().unwrap(), "{case:?}");
    }
}

/// A condition ends the run of its part at once. All parts meet at the end of the window.
#[test]
fn an_early_end_does_not_depend_on_threads() {
    for seed in 0..6 {
        let case = Case::new(seed);
        let (mut checkpoints, mut early) = (Vec::new(), Vec::new());
        for (threads, sees_all) in [(1, None), (2, None), (1, Some(false)), (1, Some(true))] {
            let mut simulation = case.start(true);
            simulation.set_threads(threads);
            let seen = sees_all.map(|sees_all| record(&mut simulation, sees_all));
            let received = |at_least| Condition::Counter {
                path: "sink".to_owned(),
                counter: "delivered".to_owned(),
                at_least,
            };
            for frames in [1, 7] {
                let limit = Limit::time(END).or(received(frames));
                let outcome = simulation.run(&limit, &mut |_| Control::Continue).unwrap();
                assert_eq!(outcome, Outcome::ConditionHolds);
                if sees_all.is_none() {
                    early.push(simulation.checkpoint().unwrap());
                }
                let end = simulation.window_end();
                assert!(end > simulation.now());
                assert_eq!(simulation.run_until(end), Outcome::Reached);
                assert_eq!((simulation.now(), simulation.window_end()), (end, end));
                checkpoints.push((frames, simulation.checkpoint().unwrap()));
            }
            assert_eq!(simulation.run_until(END), Outcome::Reached);
            checkpoints.push((0, simulation.checkpoint().unwrap()));
            assert!(seen.is_none_or(|seen| seen.lock().unwrap().is_sorted_by_key(|(time, ..)| *time)));
        }
        assert!(early[..2] == early[2..], "{case:?}");
        for (index, checkpoint) in checkpoints.iter().enumerate() {
            assert!(*checkpoint == checkpoints[index % 3], "{case:?}, {index}");
        }
    }
}

fn problem(connect: impl FnOnce(&mut Design, [ModuleId; 4])) -> String {
    let none = || -> [(&str, u64); 0] { [] };
    let mut design = Design::new();
    let clock = design.domain("clock", Frequency::from_hertz(100_000_000).unwrap());
    let traffic = [("traffic", DATAGRAMS.to_owned())];
    let feeder = design.module("feeder", "traffic_source", clock, traffic.clone());
    let sink = design.module("sink", "packet_sink", clock, traffic);
    let begin = design.module("begin", "cable_input", clock, none());
    let end = design.module("end", "cable_output", clock, none());
    design.connect((feeder, "wire"), (begin, "input"));
    design.connect((end, "output"), (sink, "wire"));
    connect(&mut design, [feeder, sink, begin, end]);
    elaborate(&design, &registry()).err().map_or_else(String::new, |error| error.to_string())
}

#[test]
fn each_end_of_a_cable_has_one_other_end() {
    let connected = |design: &mut Design, [_, _, begin, end]: [ModuleId; 4]| {
        design.connect((begin, "far"), (end, "near"));
    };
    assert_eq!(problem(connected), "");
    assert_eq!(problem(|_, _| ()), "", "frames are lost");
    let twice = problem(|design, modules| {
        connected(design, modules);
        connected(design, modules);
    });
    assert!(twice.contains("begin.far is connected twice"), "{twice}");
    let other = problem(|design, [_, sink, begin, _]| design.connect((begin, "far"), (sink, "departures")));
    assert!(other.contains("joint"), "{other}");
}

#[test]
fn no_frame_is_left_in_a_store() {
    let case = Case { hertz: vec![100_000_000; 2], delay: 5, frame_rate: 5_000_000, sleeps: true };
    let mut simulation = case.start(true);
    assert_eq!(simulation.islands(), 2);
    assert_eq!(simulation.run_until(END), Outcome::Reached);
    assert_eq!(counter(&mut simulation, "sink", "delivered"), 400);
    assert_eq!(simulation.stored_payloads(), 0);
}
