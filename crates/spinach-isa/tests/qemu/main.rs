//! The reference interpreter agrees with QEMU's user mode on random programs: after every block of random
//! instructions all registers are the same, after every round all of memory and the log of traps.
//!
//! `SPINACH_SEED=n` runs one program of another seed.

#![allow(clippy::unwrap_used, reason = "a failed expectation fails the test")]

#[path = "../support/mod.rs"]
mod support;

mod elf;
mod machine;
mod program;

use spinach_isa::mips::disassemble::disassemble;
use spinach_isa::mips::operation::Extension;
use spinach_isa::mips::{Extensions, Operation, decode};

use program::{CODE, DATA, DUMP_WORDS, END, Program, dump_names};

const BLOCKS: usize = 300;
const ROUNDS: u32 = 40;

/// Runs the program under QEMU and gives what it wrote; `None` if QEMU is not installed.
fn run_in_qemu(program: &Program, seed: u64) -> Option<Vec<u8>> {
    let mut image: Vec<u8> = program.words.iter().flat_map(|word| word.to_be_bytes()).collect();
    assert!(image.len() <= (DATA - CODE) as usize);
    image.resize((DATA - CODE) as usize, 0);
    image.extend(program.data.iter().flat_map(|word| word.to_be_bytes()));
    let file = elf::executable(&image, CODE, END - CODE);
    let name = format!("random-{seed}.elf");
    // The 4Kc has neither a floating-point unit nor 64-bit operations, like the core described here.
    let output =
        support::run_optional_tool(("qemu-mips", "qemu-user"), &["-cpu", "4Kc"], (&name, &file)).unwrap()?;
    assert!(output.status.success(), "{}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    Some(output.stdout)
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|chunk| u32::from_be_bytes(chunk.try_into().unwrap())).collect()
}

/// Explains the first difference: which block of which round, which register, and what the block does.
fn explain(program: &Program, seed: u64, ours: &[u8], theirs: &[u8]) -> String {
    let (ours, theirs) = (words(ours), words(theirs));
    let Some(at) = ours.iter().zip(&theirs).position(|(ours, theirs)| ours != theirs) else {
        return format!("seed {seed}: {} words written here, {} in QEMU", ours.len(), theirs.len());
    };
    // Rounds before the first difference have the same length on both sides, but it varies with their traps.
    let dumps = program.blocks.len() * DUMP_WORDS;
    let (mut start, mut round) = (0, 0);
    loop {
        let log = start + dumps + program::DATA_BYTES as usize / 4;
        let end = log + 1 + ours.get(log).map_or(0, |bytes| *bytes as usize / 4);
        if at < end {
            break;
        }
        (start, round) = (end, round + 1);
    }
    let values = format!("{:#010x} here, {:#010x} in QEMU", ours[at], theirs[at]);
    let Some(&(first, dump)) = program.blocks.get((at - start) / DUMP_WORDS) else {
        return format!(
            "seed {seed}, round {round}: {values}, {} words into data and traps",
            at - start - dumps
        );
    };
    let name = dump_names().nth((at - start) % DUMP_WORDS).unwrap_or_default();
    let mut text = format!("seed {seed}, round {round}: {name} is {values} after\n");
    for index in first..dump {
        let address = CODE + 4 * index as u32;
        let instruction = decode(program.words[index], Extensions::default());
        text += &format!("{address:#x}: {}\n", disassemble(instruction, address));
    }
    for (name, index) in dump_names().zip(at - (at - start) % DUMP_WORDS..) {
        text += &format!("{name}={:#x}/{:#x} ", ours[index], theirs[index]);
    }
    text
}

#[test]
fn random_programs_give_the_same_state_as_qemu() {
    let seeds = match std::env::var("SPINACH_SEED") {
        Ok(seed) => vec![seed.parse().expect("SPINACH_SEED is a number")],
        Err(_) => vec![1, 2, 3],
    };
    let mut counts = vec![0; Operation::ALL.len()];
    for &seed in &seeds {
        let program = Program::random(seed, BLOCKS, ROUNDS);
        let Some(theirs) = run_in_qemu(&program, seed) else { return };
        let ours = machine::run(&program);
        assert!(ours.output == theirs, "{}", explain(&program, seed, &ours.output, &theirs));
        for (total, count) in counts.iter_mut().zip(ours.counts) {
            *total += count;
        }
    }
    let total: u64 = counts.iter().sum();
    println!("{total} random instructions");
    for (&operation, count) in Operation::ALL.iter().zip(counts) {
        println!("{count:8} {operation:?}");
        let description = operation.description();
        // System calls are made between the blocks; coprocessor 0 is out of reach in user mode and only traps.
        let in_reach = description.extension == Extension::Base && operation != Operation::Syscall;
        assert!(!in_reach || count >= 10, "{operation:?} executed only {count} times");
    }
    assert!(seeds.len() == 1 || total >= 1_000_000, "only {total} random instructions");
}
