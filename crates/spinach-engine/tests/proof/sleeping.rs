//! Jumping over time when everything sleeps.

use std::sync::{Arc, Mutex};

use spinach_engine::{
    Condition, Control, Design, FEMTOSECONDS_PER_SECOND, Frequency, Id, Limit, Observed, Observer, Outcome,
    Time,
};

use super::{counter, megahertz, simulate};

const HOUR: Time = Time::from_femtoseconds(3600 * FEMTOSECONDS_PER_SECOND);

// A block that ticks now and then, through a crossing into the other domain.
fn two_clocks(period: u64) -> Design {
    let mut design = Design::new();
    let slow = design.domain("slow", megahertz(166));
    let fast = design.domain("fast", Frequency::from_hertz(10_312_500_000).expect("it is a sane frequency"));
    let ticker = design.module("ticker", "sleeping_block", slow, [("period", period)]);
    let source = design.module("source", "source", slow, [("limit", 0u64)]);
    let unused = design.module("unused", "sink", slow, [("patient", true)]);
    let crossing = design.module("crossing", "crossing", slow, [("", 0u64); 0]);
    let counter = design.module("counter", "wire", fast, [("", 0u64); 0]);
    let sink = design.module("sink", "sink", fast, [("patient", true)]);
    design.connect((source, "output"), (ticker, "request"));
    design.connect((ticker, "response"), (unused, "input"));
    design.connect((ticker, "tick"), (crossing, "input"));
    design.connect((crossing, "output"), (counter, "input"));
    design.connect((counter, "output"), (sink, "input"));
    design
}

// Cycle by cycle this would take days: it only ends because the engine jumps, and every count is exact nevertheless.
#[test]
fn an_hour_at_166_mhz_and_10_3125_ghz_is_counted_exactly() {
    let period = 597_600_000_000 / 1000;
    let mut simulation = simulate(&two_clocks(period));
    assert_eq!(simulation.run_until(HOUR), Outcome::Reached);
    assert_eq!(simulation.now(), HOUR);
    let [slow, fast] =
        ["slow", "fast"].map(|name| simulation.netlist().find_domain(name).expect("it exists"));
    assert_eq!((simulation.cycles(slow), simulation.cycles(fast)), (597_600_000_000, 37_125_000_000_000));
    assert_eq!(counter(&mut simulation, "ticker.idle"), 597_600_000_000);
    assert_eq!(counter(&mut simulation, "ticker.ticks"), 999);
    let (moved, idle) = (counter(&mut simulation, "counter.moved"), counter(&mut simulation, "counter.idle"));
    assert_eq!(moved, 999);
    assert_eq!(counter(&mut simulation, "sink.received"), 999);
    // Every cycle of the fast domain is either idle or has a value waiting.
    assert!(moved + idle <= 37_125_000_000_000 && idle > 37_124_999_000_000, "{moved} moved, {idle} idle");
}

fn arrivals(sleeping: bool) -> Vec<Time> {
    let mut simulation = simulate(&two_clocks(1000));
    simulation.set_sleeping(sleeping);
    let channel = simulation.netlist().find_channel("sink", "input", 0).expect("it is connected");
    let limit = Limit::time(HOUR).or(Condition::Transfers { channel, count: 1 });
    let mut arrivals = Vec::new();
    for _ in 0..20 {
        let outcome = simulation.run(&limit, &mut |_| Control::Continue);
        assert_eq!(outcome, Ok(Outcome::ConditionHolds));
        arrivals.push(simulation.now());
    }
    arrivals
}

#[test]
fn a_sleeping_domain_wakes_at_the_very_edge_at_which_something_arrives() {
    let arrivals = arrivals(true);
    assert_eq!(arrivals, self::arrivals(false));
    // The tick is presented after cycle 1000 of the slow clock and written into the crossing at edge 1001. The fast side samples
    // the pointer at its next two edges, presents the value at the edge after, and its sink is patient: it accepts at once or
    // has made up its mind to refuse once or more.
    let fast = Frequency::from_hertz(10_312_500_000).expect("it is a sane frequency");
    let written = megahertz(166).edge_time(1001).expect("it is soon");
    let first = fast.first_edge_from(written.saturating_add(Time::from_femtoseconds(1)));
    let edge = (0..).find(|edge| fast.edge_time(first + edge) >= Some(arrivals[0])).expect("it arrives");
    assert_eq!(edge, 3, "sampled at edges 0 and 1, presented at edge 2, which ends before edge 3");
}

#[test]
fn a_condition_on_a_counter_holds_at_the_same_cycle_whether_the_module_sleeps_or_not() {
    for counter in ["idle", "ticks"] {
        let ends = [true, false].map(|sleeping| {
            let mut simulation = simulate(&two_clocks(1000));
            simulation.set_sleeping(sleeping);
            let path = "ticker".to_owned();
            let condition = Condition::Counter { path, counter: counter.to_owned(), at_least: 3 };
            let outcome = simulation.run(&Limit::time(HOUR).or(condition), &mut |_| Control::Continue);
            assert_eq!(outcome, Ok(Outcome::ConditionHolds));
            simulation.now()
        });
        assert_eq!(ends[0], ends[1], "{counter}");
    }
}

/// Number of observed edges of each domain.
#[derive(Clone, Default)]
struct Edges(Arc<Mutex<[u64; 2]>>);

impl Observer for Edges {
    fn observe(&mut self, observed: &Observed<'_>) {
        let mut counts = self.0.lock().expect("no thread panicked");
        observed.edges.iter().for_each(|(domain, _)| counts[domain.index()] += 1);
    }
}

#[test]
fn an_observer_sees_every_edge_of_domains_that_would_sleep() {
    const PART: u64 = 4_000_000_000;
    let mut simulation = simulate(&two_clocks(1000));
    let domains = ["slow", "fast"].map(|name| simulation.netlist().find_domain(name).expect("it exists"));
    let edges = Edges::default();
    let mut cycles = Vec::new();
    // Asleep when the observer comes, and when it leaves.
    for part in 1..=3 {
        match part {
            2 => simulation.add_observer(Box::new(edges.clone())),
            _ => drop(simulation.take_observers()),
        }
        assert_eq!(simulation.run_until(Time::from_femtoseconds(part * PART)), Outcome::Reached);
        cycles.push(domains.map(|domain| simulation.cycles(domain)));
    }
    let expected = [0, 1].map(|domain| cycles[1][domain] - cycles[0][domain]);
    assert_eq!(*edges.0.lock().expect("no thread panicked"), expected);
}
