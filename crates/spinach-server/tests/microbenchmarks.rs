//! The core of table 1 of the SINIC paper as a program for the bare machine finds it: times of single operations.

#![allow(clippy::unwrap_used, reason = "a failed expectation fails the test")]

mod support;

use std::collections::BTreeMap;

use spinach_server::machine::{Configuration, Machine};
use spinach_server::timed::TimedParameters;
use support::{compile, machine, run_to_end};

const CYCLES: u64 = 400_000_000;
const CLOCK_GHZ: u64 = 4;

/// Cycles of each operation.
fn measured(parameters: Option<&TimedParameters>) -> Option<BTreeMap<String, f64>> {
    let name = if parameters.is_some() { "timed" } else { "functional" };
    let program = compile(&format!("microbenchmarks-{name}.elf"), &["microbenchmarks.c"], &[])?;
    let configuration = Configuration { cycles_per_tick: 100 * CLOCK_GHZ, ..Configuration::default() };
    let mut machine: Machine = machine(&configuration, &program);
    machine.set_timed(parameters);
    let printed = run_to_end(&mut machine, CYCLES);
    let line = |line: &str| {
        let (name, hundredths) = line.split_once(' ').unwrap();
        (name.to_owned(), hundredths.parse::<f64>().unwrap() / 100.0)
    };
    Some(printed.lines().map(line).collect())
}

#[test]
fn operations_take_the_cycles_of_the_table_in_the_book() {
    let Some(measured) = measured(Some(&TimedParameters::default())) else { return };
    let book = include_str!("../../../docs/servers.md");
    let rows = measured.iter().map(|(name, cycles)| format!("| `{name}` | {cycles:.2} |"));
    let missing: Vec<String> = rows.filter(|row| !book.contains(row.as_str())).collect();
    assert!(missing.is_empty(), "docs/servers.md lacks\n{}", missing.join("\n"));
}

#[test]
fn functional_harts_take_a_cycle_for_each_instruction() {
    let Some(measured) = measured(None) else { return };
    for name in ["dependent-additions", "divisions", "independent-loads"] {
        assert!((1.0..1.1).contains(&measured[name]), "{name}: {}", measured[name]);
    }
}
