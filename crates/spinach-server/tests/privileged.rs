//! Every rule of the privileged architecture that an operating system relies on, tried by a program for the bare machine: what happens is what
//! the manual says, and what happens in QEMU.

#![allow(clippy::unwrap_used, reason = "a failed expectation fails the test")]

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use spinach_server::machine::{Configuration, Machine};
use spinach_server::timed::TimedParameters;
use support::{compile_linked, machine, run_optional, run_to_end};

const CYCLES: u64 = 20_000_000;

fn program() -> Option<&'static Path> {
    static FILE: OnceLock<Option<PathBuf>> = OnceLock::new();
    let compiled =
        || compile_linked("privileged.elf", "privileged.ld", &["privileged.S", "privileged.c"], &[]);
    FILE.get_or_init(compiled).as_deref()
}

/// Lines that deviate from the manual.
fn wrong(output: &str) -> Vec<&str> {
    output.lines().filter(|line| line.contains("WRONG")).collect()
}

fn printed(configuration: &Configuration, change: impl Fn(&mut Machine)) -> Option<String> {
    let mut machine = machine(configuration, program()?);
    change(&mut machine);
    let output = run_to_end(&mut machine, CYCLES);
    assert!(output.ends_with("end\n"), "{output}");
    Some(output)
}

#[test]
fn rules_of_the_privileged_architecture_hold_as_in_qemu() {
    let Some(ours) = printed(&Configuration::default(), |_| ()) else { return };
    assert_eq!(wrong(&ours), [""; 0]);
    let mut command = Command::new("qemu-system-riscv64");
    // As for random instructions, and for the same reasons.
    command.args(["-M", "virt", "-smp", "2", "-accel", "tcg,thread=multi", "-m", "128", "-nographic"]);
    command.args(["-cpu", "rv64,zba=off,zbb=off,zbc=off,zbs=off,h=off,sscofpmf=on", "-kernel"]);
    let Some(theirs) = run_optional(command.arg(program().unwrap()), "qemu-system-misc and opensbi") else {
        return;
    };
    let theirs = String::from_utf8_lossy(&theirs.stdout).replace('\r', "");
    let compared = |line: &&str| !line.starts_with("here ");
    let ours: Vec<&str> = ours.lines().filter(compared).collect();
    // Before its first line comes what the firmware prints.
    let theirs: Vec<&str> = theirs.lines().skip_while(|line| *line != ours[0]).filter(compared).collect();
    assert_eq!(ours, theirs);
    assert!(ours.len() > 200, "{} rules", ours.len());
}

#[test]
fn they_hold_with_several_harts_and_with_timed_cores() {
    let harts = Configuration { harts: 4, ..Configuration::default() };
    let Some(several) = printed(&harts, |_| ()) else { return };
    assert_eq!(wrong(&several), [""; 0]);
    let timed = |machine: &mut Machine| machine.set_timed(Some(&TimedParameters::default()));
    assert_eq!(wrong(&printed(&Configuration::default(), timed).unwrap()), [""; 0]);
}
