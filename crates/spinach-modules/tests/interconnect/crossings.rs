//! Crossings between clock domains, held to an oracle that computes every transfer from the edges of the two clocks.

use proptest::prelude::*;
use spinach_engine::{Design, DomainId, Frequency, ParameterValue, Policy, Simulation, Time, elaborate};
use spinach_modules::registry;

use crate::bench::{counter, received, received_words, run_every_way};

/// Frames of a feeder.
const DATAGRAMS: &str = r#"{"kind": "udp", "sizes": [1472]}"#;

/// One crossing between a sender and a receiver, each of which is ready in the cycles of its pattern.
#[derive(Clone, Debug)]
struct Case {
    kind: &'static str,
    from: Frequency,
    to: Frequency,
    parameters: Vec<(&'static str, u32)>,
    sender_pattern: Vec<u64>,
    receiver_pattern: Vec<u64>,
    // The values sent; counts up if none are given.
    values: Vec<u64>,
}

impl Case {
    fn domains(&self, design: &mut Design) -> (DomainId, DomainId) {
        (design.domain("from", self.from), design.domain("to", self.to))
    }

    /// The kind of module and the ports of the lane.
    fn crossing(&self) -> (&'static str, &'static str, &'static str) {
        match self.kind {
            "bridge, there" => ("bridge", "initiator_request", "target_request"),
            "bridge, back" => ("bridge", "target_response", "initiator_response"),
            kind => (kind, "input", "output"),
        }
    }

    fn simulation(&self) -> Simulation {
        let mut design = Design::new();
        let (from, to) = self.domains(&mut design);
        let policy = Policy::named(if self.values.is_empty() { "index" } else { "values" });
        let sender: [(&str, ParameterValue); 4] = [
            ("policy", policy.into()),
            ("values", self.values.clone().into()),
            ("pattern", self.sender_pattern.clone().into()),
            ("hold", false.into()),
        ];
        let sender = design.module("sender", "sender", from, sender);
        let (kind, input, output) = self.crossing();
        let crossing = design.module("crossing", kind, from, self.parameters.clone());
        let receiver: [(&str, ParameterValue); 2] =
            [("pattern", self.receiver_pattern.clone().into()), ("keep", 1_000_000_u32.into())];
        let receiver = design.module("receiver", "receiver", to, receiver);
        design.connect((sender, "output"), (crossing, input));
        design.connect((crossing, output), (receiver, "input"));
        match elaborate(&design, &registry()) {
            Ok(elaborated) => Simulation::new(elaborated),
            Err(error) => panic!("{error}"),
        }
    }

    fn run(&self, until: Time) -> Simulation {
        run_every_way(|| self.simulation(), until)
    }

    fn parameter(&self, name: &str) -> u64 {
        self.parameters.iter().find(|(known, _)| *known == name).map_or(2, |(_, value)| u64::from(*value))
    }

    /// The number of the edge at which value `i` leaves an asynchronous FIFO, for all that leave before `until`.
    fn expected(&self, until: Time) -> Vec<u64> {
        let (depth, delay) = (self.parameter("depth") as usize, self.parameter("stages") + 1);
        // The edge of `clock` that is number `delay` after the edge `other_edge` of `other`.
        let after = |clock: Frequency, other: Frequency, other_edge: u64| {
            let just_after = Time::from_femtoseconds(other.edge_time(other_edge).unwrap().femtoseconds() + 1);
            clock.first_edge_from(just_after) + delay - 1
        };
        let open = |pattern: &[u64], from: u64| {
            let length = pattern.len().max(1) as u64;
            (from..from + length).find(|edge| pattern.is_empty() || pattern[(edge % length) as usize] != 0)
        };
        let (mut came, mut left): (Vec<u64>, Vec<u64>) = (Vec::new(), Vec::new());
        loop {
            let number = came.len();
            let next = came.last().map_or(0, |edge| edge + 1);
            let room = if number < depth { 0 } else { after(self.from, self.to, left[number - depth]) };
            let Some(edge) = open(&self.sender_pattern, next.max(room)) else { return left };
            came.push(edge);
            let next = left.last().map_or(0, |edge| edge + 1);
            let seen = after(self.to, self.from, edge);
            let Some(edge) = open(&self.receiver_pattern, next.max(seen)) else { return left };
            if self.to.edge_time(edge).unwrap() >= until {
                return left;
            }
            left.push(edge);
        }
    }
}

fn frequency(numerator: u64, denominator: u64) -> Frequency {
    Frequency::from_fraction(numerator, denominator).unwrap()
}

fn cycles_of_slower(count: u64, case: &Case) -> Time {
    case.from.edge_time(count).max(case.to.edge_time(count)).unwrap()
}

fn check_fifo(case: &Case) {
    let until = cycles_of_slower(150, case);
    let moved = received(&mut case.run(until), "receiver");
    let expected: Vec<(u64, u64)> = case.expected(until).into_iter().zip(0..).collect();
    assert_eq!(moved, expected, "{case:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]
    #[test]
    fn an_asynchronous_fifo_moves_every_value_at_the_edge_it_must(
        kind in prop_oneof![Just("asynchronous_fifo"), Just("bridge, there"), Just("bridge, back")],
        from in (1_u64..2_000_000_000, 1_u64..4),
        ratio in prop_oneof![Just((1, 1)), Just((1, 2)), Just((3, 1)), (1_u64..60, 1_u64..60)],
        depth in 1_u32..12,
        stages in 0_u32..5,
        sender_pattern in prop::collection::vec(0_u64..2, 0..9),
        receiver_pattern in prop::collection::vec(0_u64..2, 0..9),
    ) {
        let case = Case {
            kind,
            from: frequency(from.0, from.1),
            to: frequency(from.0 * ratio.0, from.1 * ratio.1),
            // Only bridges do without flip-flops.
            parameters: vec![("depth", depth), ("stages", stages.max(u32::from(kind == "asynchronous_fifo")))],
            sender_pattern,
            receiver_pattern,
            values: Vec::new(),
        };
        check_fifo(&case);
    }
}

#[test]
fn clocks_of_real_cards_cross_exactly() {
    let clocks =
        [166_000_000, 200_000_000, 156_250_000, 33_333_333, 500_000_000].map(|hertz| frequency(hertz, 1));
    for from in clocks {
        for to in clocks {
            let parameters = vec![("depth", 6), ("stages", 2)];
            let (sender_pattern, receiver_pattern) = (Vec::new(), Vec::new());
            let kind = "asynchronous_fifo";
            let case =
                Case { kind, from, to, parameters, sender_pattern, receiver_pattern, values: Vec::new() };
            check_fifo(&case);
            // Six values are the way there and back, so a value moves in every cycle of the slower clock.
            let until = cycles_of_slower(300, &case);
            assert!(received(&mut case.run(until), "receiver").len() >= 290, "{from} to {to}");
        }
    }
}

#[test]
fn both_domains_rest_while_an_asynchronous_fifo_is_empty_and_wake_in_time() {
    for (from, to) in [(7, 5), (5, 7), (4, 1), (1, 4), (3, 3)] {
        let mut pattern = vec![0; 2000];
        for cycle in [0, 700, 701, 1999] {
            pattern[cycle] = 1;
        }
        let case = Case {
            kind: "asynchronous_fifo",
            from: frequency(from * 1_000_000, 1),
            to: frequency(to * 1_000_000, 1),
            parameters: vec![("depth", 4)],
            sender_pattern: pattern,
            receiver_pattern: Vec::new(),
            values: (0..7).collect(),
        };
        let until = Time::from_femtoseconds(8_000_000_000_000);
        let moved = received(&mut case.run(until), "receiver");
        let mut expected = case.expected(until);
        expected.truncate(7);
        assert_eq!(moved, expected.into_iter().zip(0..).collect::<Vec<_>>(), "{from} to {to}");
    }
}

#[test]
fn a_synchronizer_shows_a_level_after_its_flip_flops_and_not_before() {
    for (from, to, stages) in [(1, 1, 1), (1, 1, 2), (7, 5, 2), (5, 7, 3), (9, 1, 2), (1, 9, 2), (2, 1, 8)] {
        let (from, to) = (frequency(from * 1_000_000, 1), frequency(to * 1_000_000, 1));
        let case = Case {
            kind: "synchronizer",
            from,
            to,
            parameters: vec![("stages", stages), ("initial", 77)],
            sender_pattern: vec![1, 0, 0, 1, 0],
            receiver_pattern: Vec::new(),
            values: (1000..2000).collect(),
        };
        let until = Time::from_femtoseconds(100_000_000_000);
        let seen = received_words(&mut case.run(until), "receiver");
        for (edge, level) in (0..).zip(seen) {
            // The level that was there before the edge which the last flip-flop's content was sampled at.
            let sampled =
                (edge as u64).checked_sub(u64::from(stages)).map(|edge| to.edge_time(edge).unwrap());
            let cycles = sampled.map_or(0, |sampled| from.first_edge_from(sampled));
            let sent = (0..cycles).filter(|cycle| [0, 3].contains(&(cycle % 5))).count() as u64;
            assert_eq!(level, if sent == 0 { 77 } else { 999 + sent }, "{from} to {to}, edge {edge}");
        }
    }
}

#[test]
fn refusals_count_although_everybody_around_a_full_buffer_rests() {
    let ports = |kind| match kind {
        "bridge" => ("initiator_request", "target_request"),
        _ => ("input", "output"),
    };
    for (kind, from, to) in [
        ("asynchronous_fifo", frequency(500_000_000, 1), frequency(156_250_000, 1)),
        ("asynchronous_fifo", frequency(100_000_000, 3), frequency(156_250_000, 1)),
        ("bridge", frequency(200_000_000, 1), frequency(156_250_000, 1)),
        ("bridge", frequency(156_250_000, 1), frequency(156_250_000, 1)),
    ] {
        let start = || {
            let mut design = Design::new();
            let (from, to) = (design.domain("from", from), design.domain("to", to));
            let feeder = design.module("feeder", "traffic_source", from, [("traffic", DATAGRAMS.to_owned())]);
            let crossing = design.module("crossing", kind, from, [("depth", 2_u32)]);
            let link = design.module("link", "link", to, [("bytes_per_cycle", 1_u32)]);
            let sink = design.module("sink", "packet_sink", to, [("traffic", DATAGRAMS.to_owned())]);
            let (input, output) = ports(kind);
            design.connect((feeder, "wire"), (crossing, input));
            design.connect((crossing, output), (link, "input"));
            design.connect((link, "output"), (sink, "wire"));
            match elaborate(&design, &registry()) {
                Ok(elaborated) => Simulation::new(elaborated),
                Err(error) => panic!("{error}"),
            }
        };
        // A frame takes 1538 cycles; odd times, so that the run is cut in the midst of refusals.
        let until = Time::from_femtoseconds(100_000_000_777);
        let mut simulation = run_every_way(start, until);
        let edges = from.first_edge_from(until);
        let (sent, refused) = (
            counter(&mut simulation, "feeder", "offered"),
            counter(&mut simulation, "crossing", "full_cycles"),
        );
        assert!(sent >= 10, "{kind}: {sent} frames");
        assert!(refused > edges * 9 / 10 && refused < edges - sent, "{kind}: {refused} of {edges}");
    }
}
