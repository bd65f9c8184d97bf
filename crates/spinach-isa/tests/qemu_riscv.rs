//! Random programs of RV32IMAC compute in the interpreter what they compute in QEMU's user mode: after every round all registers
//! and all of data memory are the same.
//!
//! `SPINACH_SEED=n` runs one program of another seed, `SPINACH_LONG=1` ten times as many instructions.

#![allow(clippy::unwrap_used, reason = "a failed expectation fails the test")]

#[path = "support/riscv_code.rs"]
mod riscv_code;
#[path = "support/mod.rs"]
mod support;

use std::collections::BTreeMap;

use riscv_code::{Code, DATA_BYTES, GP, Numbers, SCRATCH, SP, TP, b, i, j, random_item, s};
use spinach_isa::architecture::{Architecture, RegisterFile};
use spinach_isa::instruction_set::DecodedInstruction;
use spinach_isa::interpreter::{Bytes, step};
use spinach_isa::riscv::{Registers, Rv32, Trap};
use support::Random;

const CODE: u32 = 0x1_0000;
const DATA: u32 = 0x8_0000;
/// Register dump of a round, right after the data.
const DUMP: u32 = DATA + DATA_BYTES;
const COUNTER: u32 = DUMP + 0x80;
const END: u32 = 0x9_0000;
const ITEMS: usize = 3000;
const ROUNDS: u32 = 40;

impl Numbers for Random {
    fn word(&mut self) -> u32 {
        Self::word(self)
    }

    fn below(&mut self, limit: u32) -> u32 {
        Self::below(self, limit)
    }
}

fn program(random: &mut Random, rounds: u32) -> Vec<u16> {
    let mut code = Code::default();
    code.load(SCRATCH, COUNTER);
    code.load(5, rounds);
    code.long(s(2, SCRATCH, 5, 0));
    code.load(SP, DATA + DATA_BYTES / 2);
    code.load(GP, DATA + DATA_BYTES / 2);
    code.load(TP, DUMP);
    for number in 5..32 {
        code.load(number, random.word());
    }
    let start = code.bytes();
    for _ in 0..ITEMS {
        random_item(random, &mut code);
    }
    for number in 0..32 {
        code.long(s(2, TP, number, 4 * number));
    }
    for (register, value) in [(10, 1), (11, DATA), (12, DATA_BYTES + 0x80), (17, 64)] {
        code.load(register, value);
    }
    code.long(0x73);
    code.load(SCRATCH, COUNTER);
    code.long(i(0x03, 2, 5, SCRATCH, 0));
    code.long(i(0x13, 0, 5, 5, 0xfff));
    code.long(s(2, SCRATCH, 5, 0));
    code.long(b(0, 5, 0, 8));
    code.long(j(0, start.wrapping_sub(code.bytes())));
    code.load(10, 0);
    code.load(17, 94);
    code.long(0x73);
    code.0
}

fn executable(image: &[u8]) -> Vec<u8> {
    let mut file = vec![0x7f, b'E', b'L', b'F', 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    for half in [2u16, 243] {
        file.extend(half.to_le_bytes());
    }
    for word in [1, CODE, 52, 0, 1] {
        file.extend(u32::to_le_bytes(word));
    }
    for half in [52u16, 32, 1, 0, 0, 0] {
        file.extend(half.to_le_bytes());
    }
    for word in [1, 0x1000, CODE, CODE, image.len() as u32, END - CODE, 7, 0x1000] {
        file.extend(u32::to_le_bytes(word));
    }
    file.resize(0x1000, 0);
    file.extend(image);
    file
}

/// Output of the program, and the number of executions of each operation.
fn interpret(image: &[u8]) -> (Vec<u8>, BTreeMap<&'static str, u64>) {
    let mut memory = Bytes::new(CODE.into(), (END - CODE) as usize);
    memory.bytes_mut()[..image.len()].copy_from_slice(image);
    let mut registers: Registers<u32> = RegisterFile::reset(CODE, 0);
    let (mut output, mut counts) = (Vec::new(), BTreeMap::new());
    let set = Rv32::default();
    loop {
        match step(set, &mut registers, &mut memory) {
            Ok(executed) => {
                let is_short = if Rv32::instruction_bytes(executed.word) == 2 { "short" } else { "long" };
                *counts.entry(set.decode(executed.word).mnemonic()).or_insert(0) += 1;
                *counts.entry(is_short).or_insert(0) += 1;
            }
            Err(Trap::EnvironmentCall) if registers.general(17) == 94 => return (output, counts),
            Err(Trap::EnvironmentCall) => {
                let [start, length] = [11, 12].map(|number| registers.general(number));
                let start = (start - CODE) as usize;
                output.extend(&memory.bytes()[start..start + length as usize]);
                registers.set_general(10, length);
                registers.advance(4);
            }
            Err(trap) => panic!("{trap} at {:#x}", registers.pc()),
        }
    }
}

#[test]
fn random_programs_give_the_same_state_as_qemu() {
    let factor = if std::env::var_os("SPINACH_LONG").is_some() { 10 } else { 1 };
    let seeds = match std::env::var("SPINACH_SEED") {
        Ok(seed) => vec![seed.parse().expect("SPINACH_SEED is a number")],
        Err(_) => vec![1, 2, 3],
    };
    let mut counts = BTreeMap::new();
    for seed in &seeds {
        let mut random = Random(*seed);
        let code = program(&mut random, ROUNDS * factor);
        let mut image: Vec<u8> = code.iter().flat_map(|parcel| parcel.to_le_bytes()).collect();
        assert!(image.len() <= (DATA - CODE) as usize);
        image.resize((DATA - CODE) as usize, 0);
        image.extend((0..DATA_BYTES).map(|_| random.word() as u8));
        let name = format!("random-riscv-{seed}.elf");
        let file = executable(&image);
        let theirs = support::run_optional_tool(("qemu-riscv32", "qemu-user"), &[], (&name, &file)).unwrap();
        let Some(theirs) = theirs else { return };
        assert!(theirs.status.success(), "{}", String::from_utf8_lossy(&theirs.stderr));
        let (ours, executed) = interpret(&image);
        let length = (DATA_BYTES + 0x80) as usize;
        for (round, (ours, theirs)) in ours.chunks(length).zip(theirs.stdout.chunks(length)).enumerate() {
            let differs = |at: &usize| ours[*at] != theirs[*at];
            if let Some(at) = (0..length).find(differs) {
                let word = |bytes: &[u8]| u32::from_le_bytes(bytes[at & !3..][..4].try_into().unwrap());
                let place = if at < DATA_BYTES as usize { "data byte" } else { "register times 4" };
                let place = format!("{place} {:#x}", at % DATA_BYTES as usize);
                panic!(
                    "seed {seed}, round {round}, {place}: {:#x} here, {:#x} there",
                    word(ours),
                    word(theirs)
                );
            }
        }
        assert_eq!(ours.len(), theirs.stdout.len());
        for (name, count) in executed {
            *counts.entry(name).or_insert(0) += count;
        }
    }
    println!("{counts:?}");
    let total = counts["short"] + counts["long"];
    assert!(seeds.len() == 1 || total > 400_000, "only {total} instructions");
    for name in ["mulhsu", "remu", "amomaxu.w", "sc.w", "jalr", "bgeu", "lhu", "fence.i", "sra"] {
        assert!(counts.get(name).is_some_and(|count| *count > 10), "{name} was hardly executed");
    }
}
