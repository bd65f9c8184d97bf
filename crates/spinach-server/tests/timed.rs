//! Timing changes when instructions are executed and never what they do.

#![allow(clippy::unwrap_used, reason = "a failed expectation fails the test")]

mod support;

use std::path::PathBuf;
use std::sync::OnceLock;

use spinach_server::machine::{Configuration, End, Machine, Outcome};
use spinach_server::timed::{Pace, TimedParameters};
use support::{compile, machine};

/// Random instructions in user and supervisor mode, under page tables.
fn program() -> Option<Machine> {
    // Compiled once: tests run at the same time.
    static FILE: OnceLock<Option<PathBuf>> = OnceLock::new();
    let definitions = ["-DSEED=7".to_owned(), "-DROUNDS=128".to_owned()];
    let file = FILE.get_or_init(|| compile("timed.elf", &["random.S", "random.c"], &definitions)).as_ref()?;
    Some(machine(&Configuration::default(), file))
}

/// Interval at which a machine is examined.
const SLICE: u64 = 10_000;

/// Output, memory, instruction count and time of a machine at its end, the time to a slice.
fn ended(mut machine: Machine) -> (Vec<u8>, Vec<u8>, u64, u64) {
    let outcome = loop {
        match machine.run(SLICE) {
            Outcome::Ended(end) => break end,
            _ => assert!(machine.time() < 1 << 32, "it does not end"),
        }
    };
    assert_eq!(outcome, End::PoweredOff);
    let (instructions, time) = (machine.instructions(), machine.time());
    (machine.board.console.output.clone(), machine.board.memory.bytes().to_vec(), instructions, time)
}

#[test]
fn a_timed_machine_and_one_that_changes_its_mind_do_the_same() {
    let Some(functional) = program() else { return };
    let functional = ended(functional);
    let parameters = TimedParameters::default();
    let mut timed = program().unwrap();
    timed.set_timed(Some(&parameters));
    let timed = ended(timed);
    assert!(functional.0 == timed.0 && functional.1 == timed.1 && functional.2 == timed.2);
    assert!(functional.3 != timed.3, "both ended after {} cycles", timed.3);
    let mut changing = program().unwrap();
    for turn in 0..40 {
        changing.set_timed((turn % 2 == 0).then_some(&parameters));
        changing.run(1000 + 777 * turn);
    }
    let changed = ended(changing);
    assert!(functional.0 == changed.0 && functional.1 == changed.1 && functional.2 == changed.2);
}

#[test]
fn a_timed_run_is_the_same_however_often_somebody_looks() {
    let parameters = TimedParameters::default();
    let Some(mut whole) = program() else { return };
    let mut sliced = program().unwrap();
    for machine in [&mut whole, &mut sliced] {
        machine.set_timed(Some(&parameters));
    }
    whole.run(300_000);
    (0..300).for_each(|_| assert_eq!(sliced.run(1000), Outcome::Time));
    assert_eq!(whole.instructions(), sliced.instructions());
    assert_eq!(whole.harts()[0].time(), sliced.harts()[0].time());
    assert!(whole.board.memory.bytes() == sliced.board.memory.bytes());
    assert!(whole.instructions() > 10_000, "{}", whole.instructions());
}

#[test]
fn a_timed_machine_goes_on_from_its_checkpoint_as_it_would_have_itself() {
    let parameters = TimedParameters::default();
    let Some(mut first) = program() else { return };
    first.set_timed(Some(&parameters));
    first.run(50_000);
    let mut second = Machine::restore(&first.save(), None, Vec::new()).unwrap();
    second.set_timed(Some(&parameters));
    assert!(ended(first) == ended(second));
}

#[test]
fn saving_empties_caches_and_keeps_the_pace() {
    let parameters = TimedParameters::default();
    let pace = Some(Pace::new(2.5, 0.0));
    let Some(mut first) = program() else { return };
    first.set_timed(Some(&parameters));
    first.set_pace(pace);
    first.run(50_000);
    let mut second = Machine::restore(&first.save(), None, Vec::new()).unwrap();
    second.set_timed(Some(&parameters));
    second.set_pace(pace);
    // First at the pace, which must last, then timed from caches that are equally cold.
    for _ in 0..2 {
        let after = [&mut first, &mut second].map(|machine| {
            let before = machine.counts_of_time().unwrap();
            machine.run(50_000);
            let counted = machine.counts_of_time().unwrap().into_iter().zip(before);
            let counted: Vec<_> = counted.map(|((_, now), (_, then))| now - then).collect();
            machine.set_pace(None);
            (machine.harts()[0].time(), machine.instructions(), counted)
        });
        assert_eq!(after[0], after[1]);
    }
}

#[test]
fn saving_keeps_the_counts_and_a_restored_machine_begins_at_zero() {
    let Some(mut machine) = program() else { return };
    machine.set_timed(Some(&TimedParameters::default()));
    machine.run(400_000);
    let before = machine.counts_of_time().unwrap();
    let mut restored = Machine::restore(&machine.save(), None, Vec::new()).unwrap();
    assert_eq!(machine.counts_of_time().unwrap(), before);
    // Without a card nothing counts the transfers and waits of devices.
    assert!(before.iter().all(|(name, count)| name.starts_with("device") != (*count > 0)), "{before:?}");
    restored.set_timed(Some(&TimedParameters::default()));
    assert!(restored.counts_of_time().unwrap().iter().all(|(_, count)| *count == 0));
}

#[test]
fn a_machine_at_a_pace_does_the_same_and_takes_that_time() {
    let parameters = TimedParameters::default();
    let Some(functional) = program() else { return };
    let functional = ended(functional);
    let mut paced = program().unwrap();
    paced.set_timed(Some(&parameters));
    paced.set_pace(Some(Pace::new(2.5, 0.0)));
    paced.run(400_000);
    let (instructions, cycles) = (paced.instructions(), paced.timed().unwrap().counts().cycles);
    let pace = cycles as f64 / instructions as f64;
    // Exceptions take a cycle more.
    assert!((2.5..2.6).contains(&pace), "{pace}");
    // Back and forth, caches stay and nothing else changes.
    for turn in 0..20 {
        paced.set_pace((turn % 2 == 0).then_some(Pace::new(1.0, 0.5)));
        paced.run(5000);
    }
    let ended = ended(paced);
    assert!(functional.0 == ended.0 && functional.1 == ended.1 && functional.2 == ended.2);
}

#[test]
fn caches_are_as_warm_after_a_pace_as_after_timing() {
    let parameters = TimedParameters::default();
    let Some(mut timed) = program() else { return };
    let mut paced = program().unwrap();
    for machine in [&mut timed, &mut paced] {
        machine.set_timed(Some(&parameters));
    }
    timed.run(300_000);
    let counts = timed.timed().unwrap().counts();
    paced.set_pace(Some(Pace::new(counts.cycles as f64 / counts.instructions as f64, 0.0)));
    while paced.instructions() < timed.instructions() {
        paced.run(100);
    }
    let (timed_uses, paced_uses) = (timed.memories().unwrap().uses(), paced.memories().unwrap().uses());
    for (timed, paced) in [
        (timed_uses.code.misses, paced_uses.code.misses),
        (timed_uses.data.misses, paced_uses.data.misses),
        (timed_uses.second_level.misses, paced_uses.second_level.misses),
        (counts.mispredictions, paced.timed().unwrap().counts().mispredictions),
    ] {
        assert!(timed >= 10 && timed.abs_diff(paced) <= timed / 20 + 1, "{timed} and {paced}");
    }
}
