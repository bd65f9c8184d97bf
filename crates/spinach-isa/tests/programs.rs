//! The reference interpreter runs the compiled programs of `firmware/tests`, on one to six cores in random turns, and
//! leaves the same results as QEMU. Each program also checks itself. Those of `firmware/faults` end in the exception vector.

#![allow(clippy::unwrap_used, reason = "a failed expectation fails the test")]

#[path = "support/mod.rs"]
#[allow(dead_code, reason = "this test needs only the generator")]
mod support;

use std::io::{self, Write};
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use serde::Deserialize;
use spinach_isa::atomic::AtomicOperation;
use spinach_isa::mips::access::ByteEnables;
use spinach_isa::mips::interpreter::{Registers, step};
use spinach_isa::mips::memory::{BusError, FlatMemory, Memory};
use spinach_isa::mips::{Extensions, Trap};
use support::Random;

/// Program format written by `python/spinach_nic/firmware/export.py`.
#[derive(Deserialize)]
struct Program {
    name: String,
    cores: u32,
    base: u32,
    memory_bytes: u32,
    entry: u32,
    exception_record_address: u32,
    result_address: Option<u32>,
    words: Option<Vec<u32>>,
}

const STEPS_MAXIMUM: u64 = 50_000_000;
const LONGEST_TURN: u32 = 20;

// As in firmware/include/spinach/stop.h.
const STOP_DONE: u32 = 0;
const STOP_EXCEPTION: u32 = 2;

/// A memory that remembers where the current core wrote, so that the others' links can break.
struct SharedMemory {
    memory: FlatMemory,
    written: Option<u32>,
}

impl Memory for SharedMemory {
    fn fetch(&mut self, word_address: u32) -> Result<u32, BusError> {
        self.memory.fetch(word_address)
    }

    fn read(&mut self, word_address: u32, enables: ByteEnables) -> Result<u32, BusError> {
        self.memory.read(word_address, enables)
    }

    fn write(&mut self, word_address: u32, data: u32, enables: ByteEnables) -> Result<(), BusError> {
        self.written = Some(word_address);
        self.memory.write(word_address, data, enables)
    }

    fn atomic(
        &mut self,
        word_address: u32,
        operation: AtomicOperation,
        operand: u32,
    ) -> Result<u32, BusError> {
        self.written = Some(word_address);
        self.memory.atomic(word_address, operation, operand)
    }
}

/// Runs the cores in turns of random length until all have stopped; gives the code each stopped with and the
/// memory they leave.
fn run(program: &Program, image: &[u8], random: &mut Random) -> (Vec<u32>, FlatMemory) {
    let mut memory = FlatMemory::new(program.base, program.memory_bytes);
    for (word, bytes) in memory.words_mut().iter_mut().zip(image.chunks(4)) {
        let mut whole = [0; 4];
        whole[..bytes.len()].copy_from_slice(bytes);
        *word = u32::from_be_bytes(whole);
    }
    let mut shared = SharedMemory { memory, written: None };
    // One core more than the program expects: it has to stop without a command.
    let mut cores: Vec<Registers> =
        (0..=program.cores).map(|core| Registers::reset(program.entry, core)).collect();
    cores.iter_mut().for_each(|core| core.coprocessor0.exception_base = program.entry);
    let mut codes: Vec<Option<u32>> = vec![None; cores.len()];
    let extensions = Extensions { atomic_bit_array: true, ..Extensions::default() };
    let mut steps = 0;
    while codes.iter().any(Option::is_none) {
        let turn = random.below(cores.len() as u32) as usize;
        for _ in 0..=random.below(LONGEST_TURN) {
            if codes[turn].is_some() {
                break;
            }
            steps += 1;
            assert!(steps < STEPS_MAXIMUM, "{} does not end", program.name);
            match step(&mut cores[turn], &mut shared, extensions) {
                Ok(()) => {}
                Err(Trap::Breakpoint { code }) => codes[turn] = Some(code >> 10),
                Err(trap) if program.result_address.is_none() => cores[turn].enter_exception(trap),
                Err(trap) => panic!("{}: core {turn} at {:#x}: {trap}", program.name, cores[turn].pc),
            }
            if let Some(word_address) = shared.written.take() {
                let others = cores.iter_mut().enumerate().filter(|(core, _)| *core != turn);
                others.for_each(|(_, core)| core.observe_write(word_address));
            }
        }
    }
    (codes.into_iter().flatten().collect(), shared.memory)
}

type Programs = Vec<(Program, Vec<u8>)>;

/// The exported programs with their images, or `None` where the Python package is not set up, which is said past
/// the harness. Exported once.
fn programs() -> Option<&'static [(Program, Vec<u8>)]> {
    static PROGRAMS: OnceLock<Option<Programs>> = OnceLock::new();
    PROGRAMS.get_or_init(|| export().unwrap()).as_deref()
}

fn export() -> io::Result<Option<Programs>> {
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv/bin/python");
    if !python.exists() {
        writeln!(io::stderr(), "skipped: no .venv to compile the programs with (run `make setup`)")?;
        return Ok(None);
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("programs");
    let output = Command::new(python).args(["-m", "spinach_nic.firmware.export"]).arg(&folder).output()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let programs: Vec<Program> = serde_json::from_slice(&std::fs::read(folder.join("programs.json"))?)?;
    let with_image = |program: Program| {
        let image = std::fs::read(folder.join(format!("{}.bin", program.name)))?;
        Ok((program, image))
    };
    programs.into_iter().map(with_image).collect::<io::Result<_>>().map(Some)
}

fn words_at(program: &Program, memory: &FlatMemory, address: u32, count: usize) -> Vec<u32> {
    memory.words()[(address - program.base) as usize / 4..][..count].to_vec()
}

#[test]
fn programs_leave_what_they_leave_under_qemu() {
    let Some(programs) = programs() else { return };
    let mut random = Random(1);
    let mut count = 0;
    for (program, image) in programs {
        let Some(result_address) = program.result_address else { continue };
        count += 1;
        let (codes, memory) = run(program, image, &mut random);
        let block = words_at(program, &memory, result_address, 64);
        let (status, failed_line, word_count) = (block[1], block[2], block[3] as usize);
        assert_eq!((status, failed_line), (1, 0), "{}: status and failed line", program.name);
        assert!(codes.iter().all(|code| *code == STOP_DONE), "{}: {codes:?}", program.name);
        if let Some(words) = &program.words {
            assert_eq!(&block[4..4 + word_count], words, "{}", program.name);
        }
    }
    assert!(count >= 30);
}

#[test]
fn faults_stop_in_the_exception_vector_with_their_cause() {
    // Exception codes as in the R4000 user's manual, table 5-6.
    let expected = [
        ("faults/misaligned_load", 4),
        ("faults/misaligned_store", 5),
        ("faults/runaway", 6),
        ("faults/wild_call", 6),
        ("faults/no_memory", 7),
        ("faults/reserved_instruction", 10),
        ("faults/overflow", 12),
        ("faults/divide_by_zero", 13),
        ("faults/delay_slot", 4),
        ("faults/misaligned_call", 4),
    ];
    let Some(programs) = programs() else { return };
    // Without a guard, which is a core's and not the interpreter's, a stack that overflows writes over the program.
    let is_expected = |program: &Program| program.name != "faults/stack_overflow";
    let faults = || programs.iter().filter(|(it, _)| it.result_address.is_none() && is_expected(it));
    assert_eq!(faults().count(), expected.len());
    for (program, image) in faults() {
        let (codes, memory) = run(program, image, &mut Random(1));
        assert_eq!(codes, [STOP_EXCEPTION, STOP_DONE], "{}", program.name);
        let record = words_at(program, &memory, program.exception_record_address, 3);
        let (_, code) = expected.iter().find(|(name, _)| *name == program.name).unwrap();
        assert_eq!(record[0] >> 2 & 0x1f, *code, "{}: Cause", program.name);
        // Compilers put loads and stores into delay slots too; this one is there by hand.
        assert!(program.name != "faults/delay_slot" || record[0] >> 31 == 1, "branch delay");
        match code {
            4 | 5 => assert_eq!(record[2] % 4, 1, "{}: BadVAddr", program.name),
            // The zeros that are called are instructions without effect up to the end of memory.
            6 if program.name == "faults/wild_call" => assert_eq!(record[1], 0x10_0000, "EPC"),
            6 => assert_eq!(record[1], 0x4000_0000, "{}: EPC", program.name),
            _ => {}
        }
    }
}
