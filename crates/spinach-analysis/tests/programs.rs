//! The compiled programs of `firmware/tests`: scheduled, they leave the results that they leave one instruction at a time;
//! their traces have limits that are ordered.

#![allow(clippy::unwrap_used, reason = "a failed expectation fails the test")]

mod support;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde::Deserialize;
use spinach_analysis::image::Image;
use spinach_analysis::issue_limits::{Configuration, issue_limits};
use spinach_analysis::trace::{Filter, Profile, Recording, TaskTracker, TraceReader, record};
use spinach_analysis::vliw::{Block, Evaluation, Machine, MemoryOrder, Program, blocks, evaluate, verify};
use spinach_isa::mips::interpreter::{Registers, step};
use spinach_isa::mips::memory::FlatMemory;
use spinach_isa::mips::{Extensions, Mips, Trap};
use support::temporary;

/// As `python/spinach_nic/firmware/export.py` writes it.
#[derive(Deserialize)]
struct Exported {
    name: String,
    cores: u32,
    base: u32,
    memory_bytes: u32,
    result_address: Option<u32>,
}

const MIPS: Mips = Mips { extensions: Extensions { tigon2: None, atomic_bit_array: true } };

const INSTRUCTIONS_MAXIMUM: u64 = 50_000_000;

/// These write code while they run, which a schedule made beforehand cannot know.
const WRITE_CODE: [&str; 2] = ["tests/self_modifying", "tests/copied_code"];

/// The single-core programs that check themselves, or `None` where the Python package is not set up.
fn programs() -> Option<&'static [(Exported, Image)]> {
    static PROGRAMS: OnceLock<Option<Vec<(Exported, Image)>>> = OnceLock::new();
    PROGRAMS.get_or_init(|| export().unwrap()).as_deref()
}

fn export() -> io::Result<Option<Vec<(Exported, Image)>>> {
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv/bin/python");
    if !python.exists() {
        writeln!(io::stderr(), "skipped: no .venv to compile the programs with (run `make setup`)")?;
        return Ok(None);
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("programs");
    let output = Command::new(python).args(["-m", "spinach_nic.firmware.export"]).arg(&folder).output()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let exported: Vec<Exported> = serde_json::from_slice(&std::fs::read(folder.join("programs.json"))?)?;
    let wanted =
        exported.into_iter().filter(|program| program.cores == 1 && program.result_address.is_some());
    let programs = wanted.map(|program| {
        let image = Image::load(&folder.join(format!("{}.elf", program.name))).unwrap();
        (program, image)
    });
    Ok(Some(programs.collect()))
}

fn recording(program: &Exported, instructions_maximum: u64) -> Recording {
    Recording {
        extensions: MIPS.extensions,
        memory_base: program.base,
        memory_bytes: program.memory_bytes,
        instructions_maximum,
    }
}

/// Tests run side by side, so each names its own files.
fn trace_of(test: &str, program: &Exported, image: &Image, instructions: u64) -> TraceReader {
    let path = temporary(&format!("{test}_{}.parquet", program.name.replace('/', "_")));
    let tasks = TaskTracker::new(image, &BTreeMap::new()).unwrap();
    record(image, &recording(program, instructions), tasks, &path).unwrap();
    TraceReader::open(&path).unwrap()
}

/// Runs one instruction at a time to the `break` at the end.
fn run_in_order(program: &Exported, image: &Image) -> (Registers, FlatMemory, Trap) {
    let mut memory = recording(program, 0).memory(image).unwrap();
    let mut registers = Registers::reset(image.entry(), 0);
    for _ in 0..INSTRUCTIONS_MAXIMUM {
        if let Err(trap) = step(&mut registers, &mut memory, MIPS.extensions) {
            return (registers, memory, trap);
        }
    }
    panic!("{} does not end", program.name);
}

fn machines() -> [Machine; 4] {
    [
        Machine::new(1, 1, 1),
        Machine { original_delay_slot: true, ..Machine::new(3, 3, 1) },
        Machine { memory_order: MemoryOrder::DisjointOffsets, ..Machine::new(6, 6, 1) },
        Machine { load_latency: 2, multiply_latency: 5, ..Machine::new(4, 4, 1) },
    ]
}

#[test]
fn scheduled_programs_leave_the_same_results() {
    let Some(programs) = programs() else { return };
    let schedulable = programs.iter().filter(|(program, _)| !WRITE_CODE.contains(&&*program.name));
    let mut compared = 0;
    for (program, image) in schedulable {
        let mut reader = trace_of("scheduled", program, image, INSTRUCTIONS_MAXIMUM);
        let profile = Profile::read(&mut reader, &Filter::default(), &MIPS).unwrap();
        let blocks = blocks(image, &MIPS, profile.entries());
        let expected = run_in_order(program, image);
        for (index, machine) in machines().iter().enumerate() {
            let (evaluation, weighted) = evaluate(&blocks, &profile, machine).unwrap();
            assert_eq!(evaluation.unscheduled_instructions, 0, "{}", program.name);
            for block in &weighted {
                assert_eq!(verify(&block.block, &block.schedule, machine), Ok(()), "{}", program.name);
            }
            // Running takes long, so each program runs on half of the machines.
            if index % 2 == compared % 2 {
                run_scheduled(program, image, &blocks, machine, (&evaluation, &expected));
            }
        }
        compared += 1;
    }
    assert!(compared >= 30, "{compared} programs");
}

fn run_scheduled(
    program: &Exported,
    image: &Image,
    blocks: &[Block],
    machine: &Machine,
    (evaluation, expected): (&Evaluation, &(Registers, FlatMemory, Trap)),
) {
    let scheduled = Program::new(blocks, machine, MIPS.extensions).unwrap();
    let mut memory = recording(program, 0).memory(image).unwrap();
    let mut registers = Registers::reset(image.entry(), 0);
    let run = scheduled.run(&mut registers, &mut memory, INSTRUCTIONS_MAXIMUM).unwrap();
    assert_eq!((run.stop, run.unscheduled_instructions), (expected.2, 0), "{}", program.name);
    assert!(memory == expected.1, "{}: memory differs, {machine:?}", program.name);
    assert_eq!(registers, expected.0, "{}, {machine:?}", program.name);
    // The last block is left by its `break`, which the trace does not count.
    assert!(run.cycles - evaluation.cycles <= 16, "{}: {run:?} {evaluation:?}", program.name);
}

#[test]
fn limits_of_programs_rise_with_the_core() {
    let Some(programs) = programs() else { return };
    let widths = [1, 2, 4].map(|width| NonZeroU32::new(width).unwrap());
    for (program, image) in programs {
        let mut reader = trace_of("limits", program, image, 200_000);
        let limits =
            issue_limits(&mut reader, &Filter::default(), &MIPS, &Configuration::table_2(&widths)).unwrap();
        let cell = |row: usize, column: usize| limits[5 * row + column].instructions_per_cycle();
        for row in 0..6 {
            let width = f64::from(widths[row % 3].get());
            assert!(cell(row, 0) <= width && cell(row, 4) > 0.0, "{}", program.name);
            for column in 0..5 {
                assert!(
                    row % 3 == 0 || cell(row, column) >= cell(row - 1, column),
                    "{}: width",
                    program.name
                );
                assert!(row < 3 || cell(row, column) >= cell(row - 3, column), "{}: order", program.name);
            }
            // Perfect against no prediction, perfect against stalling pipeline, and the three predictions.
            for (better, worse) in [(0, 1), (2, 3), (3, 4), (0, 2), (1, 4)] {
                assert!(cell(row, better) >= cell(row, worse), "{}: {better} {worse}", program.name);
            }
        }
        // One at a time and nothing to wait for: an instruction per cycle, whatever the branches do.
        assert!((cell(0, 1) - 1.0).abs() < 1e-12);
    }
}
