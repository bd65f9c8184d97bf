//! Running until an instant, a cycle, a condition, an interruption, a stop, a deadlock.

use spinach_engine::{
    Condition, Control, Design, FEMTOSECONDS_PER_SECOND, Limit, Outcome, ParameterValue, Simulation, Time,
};

use super::{counter, megahertz, simulate};

const SECOND: Time = Time::from_femtoseconds(FEMTOSECONDS_PER_SECOND);
const MICROSECOND: Time = Time::from_femtoseconds(FEMTOSECONDS_PER_SECOND / 1_000_000);

// Source, FIFO and a sink that accepts in `percent` of 100 cycles.
fn stream(percent: u64) -> Design {
    let mut design = Design::new();
    let clock = design.domain("clock", megahertz(1000));
    let source = design.module("source", "source", clock, [("percent", 100u64)]);
    let fifo = design.module("fifo", "fifo", clock, [("", 0u64); 0]);
    let sink = design.module("sink", "sink", clock, [("percent", percent)]);
    design.connect((source, "output"), (fifo, "input"));
    design.connect((fifo, "outputs"), (sink, "input"));
    design
}

fn run(simulation: &mut Simulation, limit: &Limit) -> Outcome {
    simulation.run(limit, &mut |_| Control::Continue).unwrap_or_else(|reason| panic!("{reason}"))
}

fn received(at_least: u64) -> Condition {
    Condition::Counter { path: "sink".to_owned(), counter: "received".to_owned(), at_least }
}

#[test]
fn a_run_ends_at_the_cycle_that_was_asked_for() {
    let mut simulation = simulate(&stream(100));
    let clock = simulation.netlist().find_domain("clock").expect("it exists");
    for cycles in [0, 1, 2, 10, 11, 5000] {
        let limit = Limit::cycles(&simulation, clock, cycles).expect("it is soon");
        assert_eq!(run(&mut simulation, &limit), Outcome::Reached);
        assert_eq!(simulation.cycles(clock), cycles);
        // The FIFO is one cycle long.
        assert_eq!(counter(&mut simulation, "sink.received"), cycles.saturating_sub(1));
    }
    let late = Limit::cycles(&simulation, clock, u64::MAX).expect_err("it is beyond the end of time");
    assert_eq!(
        late,
        "cycle 18446744073709551615 of clock lies beyond 18446.744073709553 s, the end of simulated time"
    );
}

#[test]
fn a_condition_on_a_counter_ends_the_run_in_the_cycle_in_which_it_comes_true() {
    let mut simulation = simulate(&stream(75));
    let outcome = run(&mut simulation, &Limit::time(SECOND).or(received(100)));
    assert_eq!(outcome, Outcome::ConditionHolds);
    assert_eq!(counter(&mut simulation, "sink.received"), 100);
    let now = simulation.now();
    assert_eq!(run(&mut simulation, &Limit::time(SECOND).or(received(100))), Outcome::ConditionHolds);
    assert_eq!(simulation.now(), now, "it held already");
}

#[test]
fn a_condition_on_transfers_counts_from_the_beginning_of_the_run() {
    let mut simulation = simulate(&stream(75));
    let channel = simulation.netlist().find_channel("fifo", "outputs", 0).expect("it is connected");
    for runs in 1..=3 {
        let limit = Limit::time(SECOND).or(Condition::Transfers { channel, count: 40 });
        assert_eq!(run(&mut simulation, &limit), Outcome::ConditionHolds);
        assert_eq!(counter(&mut simulation, "sink.received"), runs * 40);
    }
}

#[test]
fn a_condition_on_something_that_does_not_exist_is_refused() {
    let mut simulation = simulate(&stream(75));
    let mut refusal = |path: &str, counter: &str| {
        let (path, counter) = (path.to_owned(), counter.to_owned());
        let limit = Limit::time(SECOND).or(Condition::Counter { path, counter, at_least: 1 });
        simulation.run(&limit, &mut |_| Control::Continue).expect_err("it does not exist")
    };
    assert_eq!(refusal("sinc", "received"), "there is no module \"sinc\"\n  help: did you mean sink?");
    assert_eq!(
        refusal("sink", "recieved"),
        "sink has no counter \"recieved\"\n  help: did you mean received?"
    );
}

#[test]
fn an_interrupted_run_can_be_continued() {
    let end = MICROSECOND.saturating_add(Time::from_femtoseconds(99 * MICROSECOND.femtoseconds()));
    let mut straight = simulate(&stream(75));
    straight.run_until(end);
    let mut interrupted = simulate(&stream(75));
    let mut calls = Vec::new();
    let outcome = interrupted.run(&Limit::time(end), &mut |progress| {
        calls.push(progress.now);
        assert_eq!(progress.limit, end);
        if calls.len() == 3 { Control::Stop } else { Control::Continue }
    });
    assert_eq!(outcome, Ok(Outcome::Interrupted));
    assert_eq!(calls.len(), 3);
    assert!(calls.is_sorted() && calls[2] == interrupted.now() && interrupted.now() < end);
    assert_eq!(interrupted.run_until(end), Outcome::Reached);
    assert_eq!(interrupted.checkpoint(), straight.checkpoint());
}

#[test]
fn a_deadlock_says_who_waits_for_whom() {
    let mut simulation = simulate(&stream(0));
    let limit = Limit { deadlock_after: Some(MICROSECOND), ..Limit::time(SECOND) };
    let Outcome::Deadlocked(deadlock) = run(&mut simulation, &limit) else { panic!("nothing can move") };
    assert_eq!(
        deadlock.to_string(),
        "nothing moves, although values are offered\n  \
         - fifo.outputs[0] offers a word, which sink.input refuses\n    \
         sink waits for no other module\n  \
         - source.output offers a word, which fifo.input refuses\n    \
         fifo is waiting too, see above"
    );
    // The FIFO is full after 4 cycles. The engine looks again after 4096, and then the span passes.
    let span = Time::from_nanoseconds(4096 + 4 + 1000).expect("it is soon");
    assert!(simulation.now() <= span, "{}", simulation.now());
}

#[test]
fn modules_that_wait_for_each_other_are_a_circle() {
    // The tee's second branch returns, through a FIFO, to the adder that feeds the tee: it waits for itself.
    let mut design = Design::new();
    let clock = design.domain("clock", megahertz(1000));
    let none = [("", 0u64); 0];
    let source = design.module("source", "source", clock, [("percent", 100u64)]);
    let adder = design.module("adder", "function", clock, none);
    let tee = design.module("tee", "tee", clock, none);
    let fifo = design.module("fifo", "fifo", clock, none);
    let sink = design.module("sink", "sink", clock, none);
    design.connect((source, "output"), (adder, "a"));
    design.connect((fifo, "outputs"), (adder, "b"));
    design.connect((adder, "output"), (tee, "input"));
    design.connect_lanes((tee, "outputs", 0), (sink, "input", 0));
    design.connect_lanes((tee, "outputs", 1), (fifo, "input", 0));
    let limit = Limit { deadlock_after: Some(MICROSECOND), ..Limit::time(SECOND) };
    let Outcome::Deadlocked(deadlock) = run(&mut simulate(&design), &limit) else {
        panic!("nothing can move")
    };
    assert_eq!(
        deadlock.to_string(),
        "nothing moves, although values are offered\n  \
         - source.output offers a word, which adder.a refuses\n    \
         adder.b is offered nothing by fifo.outputs[0]\n    \
         fifo.input is offered nothing by tee.outputs[1]\n    \
         tee.input is offered nothing by adder.output\n    \
         adder comes up again: a circle"
    );
}

#[test]
fn what_merely_rests_or_waits_for_less_than_the_span_is_no_deadlock() {
    let mut design = stream(100);
    let source = design.modules.ids().next().expect("there is one");
    design.modules[source].parameters = vec![("limit".to_owned(), ParameterValue::Integer(10))];
    let soon = Time::from_femtoseconds(20 * MICROSECOND.femtoseconds());
    let limit = |span| Limit { deadlock_after: Some(span), ..Limit::time(soon) };
    assert_eq!(run(&mut simulate(&design), &limit(MICROSECOND)), Outcome::Reached);
    // A limit before the span has passed is reached.
    assert_eq!(run(&mut simulate(&stream(0)), &limit(SECOND)), Outcome::Reached);
}

#[test]
fn waiting_for_a_deadlock_can_be_interrupted() {
    let mut simulation = simulate(&stream(0));
    let limit = Limit { deadlock_after: Some(SECOND), ..Limit::time(SECOND) };
    let mut calls = 0;
    let outcome = simulation.run(&limit, &mut |_| {
        calls += 1;
        if calls == 2 { Control::Stop } else { Control::Continue }
    });
    assert_eq!(outcome, Ok(Outcome::Interrupted));
    assert!(simulation.now() < SECOND);
}
