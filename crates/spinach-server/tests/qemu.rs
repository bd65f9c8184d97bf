//! Random instructions in user and supervisor mode, under page tables, do in the machine what they do in QEMU's: registers, memory,
//! exceptions with cause and value, and bits that page walks set are the same.
//!
//! `SPINACH_SEED=n` runs the program of another seed, `SPINACH_LONG=1` ten million instructions. A difference is found
//! by `-DDIGESTS_FROM=round` and `-DALL_FROM=round`, with which the program prints more.

#![allow(clippy::unwrap_used, reason = "a failed expectation fails the test")]

mod support;

use std::process::Command;

use spinach_server::machine::Configuration;
use support::{compile, machine, run_optional, run_to_end};

/// Rounds of 64 instructions each, of which the program compares every 64th.
const ROUNDS: u32 = 320;

#[test]
fn random_instructions_do_what_they_do_in_qemu() {
    let rounds = if std::env::var_os("SPINACH_LONG").is_some() { 500 * ROUNDS } else { ROUNDS };
    let seed = std::env::var("SPINACH_SEED").unwrap_or_else(|_| "1".to_owned());
    let definitions = [format!("-DSEED={seed}"), format!("-DROUNDS={rounds}")];
    let Some(program) = compile("random.elf", &["random.S", "random.c"], &definitions) else { return };
    // With one hart it would report atomic operations as loads. The extensions that it has and we do not are switched off.
    let mut command = Command::new("qemu-system-riscv64");
    command.args(["-M", "virt", "-smp", "2", "-accel", "tcg,thread=multi", "-m", "128", "-nographic"]);
    command.args(["-cpu", "rv64,zba=off,zbb=off,zbc=off,zbs=off,h=off", "-kernel"]).arg(&program);
    let Some(theirs) = run_optional(&mut command, "qemu-system-misc and opensbi") else { return };
    assert!(theirs.status.success(), "{}", String::from_utf8_lossy(&theirs.stderr));
    let theirs = String::from_utf8_lossy(&theirs.stdout);
    // Before its first line comes what the firmware prints.
    let is_digest = |line: &&str| line.len() == 16 && line.bytes().all(|digit| digit.is_ascii_hexdigit());
    let digests: Vec<&str> = theirs.lines().map(str::trim).filter(is_digest).collect();
    assert_eq!(digests.len() as u32, rounds / 64, "{theirs}");
    let ours = run_to_end(&mut machine(&Configuration::default(), &program), u64::MAX);
    for (number, (ours, theirs)) in ours.lines().zip(digests).enumerate() {
        assert_eq!(ours, theirs, "seed {seed}: in or before round {}", 64 * (number + 1));
    }
    assert!(ours.ends_with("end\n"));
}
