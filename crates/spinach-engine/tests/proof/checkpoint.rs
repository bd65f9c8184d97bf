//! Saving and restoring: in another process, and what is refused.

use std::process::Command;

use sha2::{Digest, Sha256};
use spinach_engine::{CheckpointError, Simulation, Time, model_differences};

use super::{megahertz, simulate};
use crate::support::plan::{Layout, Plan};
use crate::support::random::Random;

const SAVED_FILE: &str = "SPINACH_SAVED_FILE";
const RESULT_FILE: &str = "SPINACH_RESULT_FILE";

fn model(seed: u64) -> Simulation {
    let plan = Plan::random(&mut Random::new(seed), 25);
    let mut simulation = simulate(&plan.design(&Layout::plain(&plan)));
    simulation.set_check_dependencies(false);
    simulation
}

fn microseconds(number: u64) -> Time {
    Time::from_nanoseconds(number * 1000).expect("it is soon")
}

#[test]
fn a_run_continued_in_a_new_process_ends_like_one_run() {
    let directory = std::env::temp_dir().join(format!("spinach-checkpoint-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let (saved, result) = (directory.join("saved"), directory.join("result"));
    let mut first = model(1);
    first.run_until(microseconds(3));
    std::fs::write(&saved, first.checkpoint().unwrap()).unwrap();
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "checkpoint::continue_in_this_process"])
        .envs([(SAVED_FILE, &saved), (RESULT_FILE, &result)])
        .output()
        .unwrap();
    assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stdout));
    let continued = std::fs::read(&result).unwrap();
    std::fs::remove_dir_all(&directory).unwrap();
    let mut straight = model(1);
    straight.run_until(microseconds(10));
    assert!(continued == straight.checkpoint().unwrap(), "the two runs end differently");
}

#[test]
#[ignore = "the other half of a_run_continued_in_a_new_process_ends_like_one_run, which runs it"]
fn continue_in_this_process() {
    let [saved, result] =
        [SAVED_FILE, RESULT_FILE].map(|name| std::env::var(name).expect("the first half sets it"));
    let mut simulation = model(1);
    simulation.restore(&std::fs::read(saved).unwrap()).unwrap();
    simulation.run_until(microseconds(10));
    std::fs::write(result, simulation.checkpoint().unwrap()).unwrap();
}

fn refusal(simulation: &mut Simulation, checkpoint: &[u8]) -> CheckpointError {
    let before = simulation.checkpoint().expect("it can be saved");
    let error = simulation.restore(checkpoint).expect_err("it is refused");
    let after = simulation.checkpoint().expect("it can be saved");
    assert!(after == before, "a refused checkpoint changed the simulation");
    error
}

#[test]
fn what_is_not_a_checkpoint_is_refused() {
    for bytes in [&b""[..], b"\n", b"\x7fELF\n", b"spinach-checkpoin", &[0xff; 300]] {
        assert_eq!(
            refusal(&mut model(1), bytes).to_string(),
            "this is not a checkpoint of Spinach\n  help: give a file that a simulation's checkpoint was saved to"
        );
    }
}

#[test]
fn a_checkpoint_of_another_version_is_refused() {
    let mut simulation = model(1);
    let mut checkpoint = simulation.checkpoint().unwrap();
    let version = checkpoint.iter().position(|byte| *byte == b' ').unwrap() + 1;
    checkpoint[version] = b'9';
    assert_eq!(
        refusal(&mut simulation, &checkpoint).to_string(),
        "this checkpoint has format version 9; this version of Spinach reads version 4\n  \
         help: restore it with the version of Spinach that saved it, or run the simulation again"
    );
}

#[test]
fn a_checkpoint_of_another_model_is_refused() {
    let other = model(2).checkpoint().unwrap();
    let message = refusal(&mut model(1), &other).to_string();
    let (differences, help) = message.split_once("\n  help: ").expect("it has two lines");
    let (begin, differences) = differences.split_once("another model: ").expect("it names differences");
    assert_eq!(begin, "this checkpoint was taken of ");
    assert!(differences.split("; ").count() > 1, "{message}");
    for difference in differences.split("; ").filter(|difference| !difference.starts_with("and ")) {
        assert!(
            difference.contains(" was ") && difference.contains(" and is ")
                || difference.ends_with(" was missing")
                || difference.ends_with(" is missing"),
            "{message}"
        );
    }
    assert_eq!(
        help,
        "restore it into a model with the same modules, connections, clocks and parameters but for the variable ones"
    );
}

#[test]
fn one_parameter_or_one_frequency_makes_another_model() {
    let design = |seed: u64, frequency, name: &str| {
        let mut design = spinach_engine::Design::new();
        let clock = design.domain("clock", megahertz(frequency));
        let source = design.module(name, "source", clock, [("seed", seed)]);
        let sink = design.module("sink", "sink", clock, [("seed", 0u64)]);
        design.connect((source, "output"), (sink, "input"));
        simulate(&design)
    };
    let checkpoint = design(1, 100, "source").checkpoint().unwrap();
    assert_eq!(design(1, 100, "source").restore(&checkpoint), Ok(()));
    for (mut other, expected) in [
        (design(2, 100, "source"), "source.seed was 1 and is 2"),
        (
            design(1, 101, "source"),
            "clock 0 of sink was clock, 100000000 Hz and is clock, 101000000 Hz; \
             clock 0 of source was clock, 100000000 Hz and is clock, 101000000 Hz",
        ),
        (design(1, 100, "origin"), "source is missing; origin was missing"),
    ] {
        match other.restore(&checkpoint) {
            Err(CheckpointError::OtherModel { differences }) => assert_eq!(differences, expected),
            others => panic!("{others:?}"),
        }
    }
}

#[test]
fn a_checkpoint_of_version_3_has_no_model_and_is_restored() {
    let mut saved = model(3);
    saved.run_until(microseconds(1));
    let checkpoint = saved.checkpoint().unwrap();
    let end = checkpoint.iter().position(|byte| *byte == b'\n').unwrap();
    let header: Vec<_> = std::str::from_utf8(&checkpoint[..end]).unwrap().split(' ').collect();
    let contents = &checkpoint[end + 1..];
    let (_, body) = postcard::take_from_bytes::<Vec<(String, String)>>(contents).unwrap();
    let digest: String = Sha256::digest(body).iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    let old = [format!("{} 3 {} {digest}\n", header[0], header[2]).as_bytes(), body].concat();
    let mut restored = model(3);
    restored.restore(&old).unwrap();
    assert!(restored.checkpoint().unwrap() == checkpoint);
    assert_eq!(
        model(4).restore(&old),
        Err(CheckpointError::OtherModel { differences: "it does not name its parameters".to_owned() })
    );
}

#[test]
fn many_differences_are_counted() {
    let model = |seed: &str| -> Vec<(String, String)> {
        (0..6).map(|number| (format!("source.{number}"), seed.to_owned())).collect()
    };
    assert!(model_differences(&model("1"), &model("1")).is_empty());
    assert_eq!(model_differences(&model("1"), &model("2")).len(), 6);
    let digests = ["4 bytes, digest ab", "4 bytes, digest cd"].map(&model);
    assert_eq!(model_differences(&digests[0], &digests[1])[0], "source.0 had other content");
}

#[test]
fn damage_anywhere_is_noticed_and_nothing_is_changed() {
    let mut saved = model(3);
    saved.run_until(microseconds(1));
    let checkpoint = saved.checkpoint().unwrap();
    let mut simulation = model(3);
    let start = simulation.checkpoint().unwrap();
    for place in (0..checkpoint.len()).step_by(17) {
        let mut damaged = checkpoint.clone();
        damaged[place] ^= 1 << (place % 8);
        assert!(simulation.restore(&damaged).is_err(), "byte {place}");
        assert!(simulation.restore(&checkpoint[..place]).is_err(), "cut at byte {place}");
    }
    assert!(simulation.checkpoint().unwrap() == start);
    let mut longer = checkpoint.clone();
    longer.push(0);
    assert_eq!(
        refusal(&mut simulation, &longer).to_string(),
        "this checkpoint is damaged: its contents do not match its digest\n  help: copy it again, or run the simulation again"
    );
    simulation.restore(&checkpoint).unwrap();
    assert!(simulation.checkpoint().unwrap() == checkpoint);
}
