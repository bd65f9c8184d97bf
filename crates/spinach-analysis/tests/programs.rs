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
use spinach_analysis::trace::{Filter, Profile, TaskTracker, TraceReader, TraceRequest, record};
use spinach_analysis::vliw::{
    Block, Evaluation, Machine, MemoryOrder, Paths, Program, Schedule, Source, blocks, evaluate,
    execute_block, schedule, verify,
};
use spinach_isa::interpreter::Bytes;
use spinach_isa::mips::interpreter::{Registers, step};
use spinach_isa::mips::{Extensions, Mips, Trap};
use support::temporary;

/// Program format written by `python/spinach_nic/firmware/export.py`.
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

fn recording(program: &Exported, instructions_maximum: u64) -> TraceRequest {
    TraceRequest {
        extensions: vec!["atomic_bit_array".to_owned()],
        memory_base: program.base.into(),
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

fn entry(image: &Image) -> u32 {
    image.entry().try_into().unwrap()
}

/// Runs one instruction at a time to the `break` at the end.
fn run_in_order(program: &Exported, image: &Image) -> (Registers, Bytes, Trap) {
    let mut memory = recording(program, 0).memory(image).unwrap();
    let mut registers = Registers::reset(entry(image), 0);
    for _ in 0..INSTRUCTIONS_MAXIMUM {
        if let Err(trap) = step(&mut registers, &mut memory, MIPS.extensions) {
            return (registers, memory, trap);
        }
    }
    panic!("{} does not end", program.name);
}

fn machines() -> [Machine; 5] {
    [
        Machine::new(1, 1, 1),
        Machine { register_renaming: true, load_latency: 2, multiply_latency: 5, ..Machine::new(3, 3, 1) },
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
    (evaluation, expected): (&Evaluation, &(Registers, Bytes, Trap)),
) {
    let scheduled = Program::new(blocks, machine, MIPS.extensions).unwrap();
    let mut memory = recording(program, 0).memory(image).unwrap();
    let mut registers = Registers::reset(entry(image), 0);
    let run = scheduled.run(&mut registers, &mut memory, INSTRUCTIONS_MAXIMUM).unwrap();
    assert_eq!((run.stop, run.unscheduled_instructions), (expected.2, 0), "{}", program.name);
    assert!(memory == expected.1, "{}: memory differs, {machine:?}", program.name);
    assert_eq!(registers, expected.0, "{}, {machine:?}", program.name);
    // The last block is left by its `break`, which the trace does not count.
    assert!(run.cycles - evaluation.cycles <= 16, "{}: {run:?} {evaluation:?}", program.name);
}

/// Runs the paths that control takes, bundle by bundle. What comes next is known from a run in order.
#[test]
fn paths_of_programs_leave_the_same_results() {
    let Some(programs) = programs() else { return };
    let longest = NonZeroU32::new(5).unwrap();
    let schedulable = programs.iter().filter(|(program, _)| !WRITE_CODE.contains(&&*program.name));
    let (mut compared, mut faster) = (0, 0);
    for (number, (program, image)) in schedulable.enumerate().filter(|(number, _)| number % 3 == 0) {
        let opened = || trace_of("paths", program, image, INSTRUCTIONS_MAXIMUM);
        let profile = Profile::read(&mut opened(), &Filter::default(), &MIPS).unwrap();
        let blocks = blocks(image, &MIPS, profile.entries());
        let machine = Machine { register_renaming: number % 2 == 0, ..Machine::new(3, 3, 1) };
        let read = |longest| Paths::read(&mut opened(), &Filter::default(), &MIPS, &blocks, longest).unwrap();
        let paths = read(longest);
        let alone = evaluate(&blocks, &profile, &machine).unwrap().0;
        let single = read(NonZeroU32::MIN).evaluate(&blocks, &machine).unwrap();
        assert_eq!((single.cycles, single.operations), (alone.cycles, alone.operations), "{}", program.name);
        let together = paths.evaluate(&blocks, &machine).unwrap();
        assert_eq!(together.operations, alone.operations, "{}", program.name);
        faster += u32::from(together.cycles < alone.cycles);

        let mut by_start: BTreeMap<u32, Vec<(Block, Schedule)>> = BTreeMap::new();
        for (path, _) in paths.merged(&blocks) {
            let bundles = schedule(&path, &machine).unwrap();
            assert_eq!(verify(&path, &bundles, &machine), Ok(()), "{}", program.name);
            by_start.entry(path.address()).or_default().push((path, bundles));
        }
        let mut memory = recording(program, 0).memory(image).unwrap();
        let mut registers = Registers::reset(entry(image), 0);
        let addresses = addresses(program, image);
        let (mut at, mut single_steps) = (0, 0);
        let stop = loop {
            let candidates = by_start.get(&registers.pc).into_iter().flatten();
            let fitting = candidates.filter_map(|path| Some((taken(&path.0, &addresses[at..])?, path)));
            let outcome = match fitting.max_by_key(|(length, _)| *length) {
                Some((length, (path, bundles))) => {
                    at += length;
                    execute_block(path, bundles, &machine, &mut registers, &mut memory)
                }
                None => {
                    (at, single_steps) = (at + 1, single_steps + 1);
                    step(&mut registers, &mut memory, MIPS.extensions)
                }
            };
            if let Err(stop) = outcome {
                break stop;
            }
        };
        assert!(single_steps <= 16, "{}", program.name);
        let expected = run_in_order(program, image);
        assert_eq!(stop, expected.2, "{}", program.name);
        assert!(memory == expected.1, "{}: memory differs", program.name);
        assert_eq!(registers, expected.0, "{}", program.name);
        compared += 1;
    }
    assert!(compared >= 10 && faster >= 10, "{compared} programs, {faster} faster");
}

/// The addresses of all instructions up to the `break` at the end.
fn addresses(program: &Exported, image: &Image) -> Vec<u32> {
    let mut memory = recording(program, 0).memory(image).unwrap();
    let mut registers = Registers::reset(entry(image), 0);
    let mut addresses = vec![registers.pc];
    while step(&mut registers, &mut memory, MIPS.extensions).is_ok() {
        addresses.push(registers.pc);
    }
    addresses
}

/// Number of instructions to the end of a path, if control takes it.
fn taken(path: &Block, addresses: &[u32]) -> Option<usize> {
    let differs = |(source, address): (&Source, &u32)| source.address != *address;
    let whole = path.instructions.len();
    let length =
        path.instructions.iter().zip(addresses).position(differs).unwrap_or(whole.min(addresses.len()));
    let annulled = path.annuls() && path.exit == length.checked_sub(1);
    (length == whole || annulled).then_some(length)
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
