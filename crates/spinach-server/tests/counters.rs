//! Counters of software, used by a program for the bare machine as the kernel's driver uses them.

#![allow(clippy::unwrap_used, reason = "a failed expectation fails the test")]

mod support;

use std::collections::BTreeMap;

use spinach_server::machine::{Configuration, Machine};
use spinach_server::timed::TimedParameters;
use support::{compile, machine, run_to_end};

const CYCLES: u64 = 20_000_000;
const NOT_SUPPORTED: i64 = -2;
const INVALID: i64 = -3;
const ALREADY_STARTED: i64 = -7;
const ALREADY_STOPPED: i64 = -8;

fn booted(name: &str, parameters: Option<&TimedParameters>) -> Option<Machine> {
    let program = compile(&format!("counters-{name}.elf"), &["counters.c"], &[])?;
    let configuration = Configuration { memory_bytes: 8 << 20, ..Configuration::default() };
    let mut machine = machine(&configuration, &program);
    machine.set_timed(parameters);
    Some(machine)
}

/// Numbers by name.
fn printed(mut machine: Machine) -> BTreeMap<String, i64> {
    let output = run_to_end(&mut machine, CYCLES);
    let line = |line: &str| {
        let (name, number) = line.split_once(' ').unwrap();
        (name.to_owned(), number.parse().unwrap())
    };
    output.lines().map(line).collect()
}

fn check_calls(printed: &BTreeMap<String, i64>) {
    for (name, number) in [
        ("number", 19),
        ("third", 0xc03 | 63 << 12),
        ("cycle-is-not-one", INVALID),
        ("behind-the-last", INVALID),
        // Two instructions in each round, and the breakpoint has no effect.
        ("in-user", 2000),
        ("in-all-modes", 0),
        ("stopped-twice", ALREADY_STOPPED),
        ("stands", 0),
        ("first-free", 3),
        ("started-twice", ALREADY_STARTED),
        ("stopped", INVALID),
        ("unknown", NOT_SUPPORTED),
        ("time", INVALID),
        ("none-free", NOT_SUPPORTED),
        ("overflows", 1 << 3),
        ("interrupts", 1),
        ("beyond", 1),
        ("overflows-after-reset", 0),
    ] {
        assert_eq!(printed[name], number, "{name}");
    }
}

#[test]
fn functional_harts_count_cycles_and_instructions() {
    let Some(machine) = booted("functional", None) else { return };
    let printed = printed(machine);
    check_calls(&printed);
    assert_eq!(printed["cycles-beyond-cycle"], 0);
    // The handler looks three instructions later.
    assert!((4995..=5003).contains(&printed["period"]), "{}", printed["period"]);
    assert_eq!(["loads", "branches", "misses"].map(|name| printed[name]), [0; 3]);
}

#[test]
fn timed_harts_count_the_events_of_their_model() {
    let parameters = TimedParameters::default();
    let Some(machine) = booted("timed", Some(&parameters)) else { return };
    let printed = printed(machine);
    check_calls(&printed);
    assert!(printed["cycles-beyond-cycle"].abs() < 20, "{}", printed["cycles-beyond-cycle"]);
    // The interrupt comes at the end of a block.
    assert!((4990..=5070).contains(&printed["period"]), "{}", printed["period"]);
    for (name, least, most) in [
        ("loads", 4096, 4110),
        ("load-misses", 4096, 4100),
        ("stores", 0, 20),
        ("branches", 4096, 4100),
        ("mispredictions", 0, 20),
        ("references", 4096, 4110),
        ("misses", 4096, 4110),
    ] {
        assert!((least..=most).contains(&printed[name]), "{name}: {}", printed[name]);
    }
}

#[test]
fn counters_go_on_after_a_checkpoint() {
    let parameters = TimedParameters::default();
    for (name, parameters) in [("saved", None), ("saved-timed", Some(&parameters))] {
        let Some(mut machine) = booted(name, parameters) else { return };
        for _ in 0..40 {
            machine.run(997);
            machine = Machine::restore(&machine.save(), None, Vec::new()).unwrap();
            machine.set_timed(parameters);
        }
        check_calls(&printed(machine));
    }
}
