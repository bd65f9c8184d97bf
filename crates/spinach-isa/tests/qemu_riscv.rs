//! Random programs of RV32IMAC compute in the interpreter what they compute in QEMU's user mode: after every round all registers
//! and all of data memory are the same.
//!
//! `SPINACH_SEED=n` runs one program of another seed, `SPINACH_LONG=1` ten times as many instructions.

#![allow(clippy::unwrap_used, reason = "a failed expectation fails the test")]

#[path = "support/mod.rs"]
mod support;

use std::collections::BTreeMap;

use spinach_isa::architecture::{Architecture, RegisterFile};
use spinach_isa::instruction_set::DecodedInstruction;
use spinach_isa::interpreter::{Bytes, step};
use spinach_isa::riscv::{Registers, Rv32, Trap};
use support::Random;

const CODE: u32 = 0x1_0000;
const DATA: u32 = 0x8_0000;
const DATA_BYTES: u32 = 0x400;
/// Where a round leaves its registers, right after the data.
const DUMP: u32 = DATA + DATA_BYTES;
const COUNTER: u32 = DUMP + 0x80;
const END: u32 = 0x9_0000;
const ITEMS: usize = 3000;
const ROUNDS: u32 = 40;

/// Registers that hold addresses, which random instructions leave alone: the stack pointer and the global pointer point to the
/// middle of the data, the thread pointer to the dump. x31 is free for addresses in between.
const SP: u32 = 2;
const GP: u32 = 3;
const TP: u32 = 4;
const SCRATCH: u32 = 31;

fn below(random: &mut Random, limit: u32) -> u32 {
    random.below(limit)
}

fn destination(random: &mut Random) -> u32 {
    loop {
        let number = below(random, 32);
        if ![SP, GP, TP].contains(&number) {
            return number;
        }
    }
}

fn i(opcode: u32, function: u32, rd: u32, rs1: u32, immediate: u32) -> u32 {
    immediate << 20 | rs1 << 15 | function << 12 | rd << 7 | opcode
}

fn r(upper: u32, function: u32, opcode: u32, rd: u32, rs1: u32, rs2: u32) -> u32 {
    upper << 25 | rs2 << 20 | rs1 << 15 | function << 12 | rd << 7 | opcode
}

fn s(function: u32, rs1: u32, rs2: u32, offset: u32) -> u32 {
    (offset >> 5 & 0x7f) << 25 | rs2 << 20 | rs1 << 15 | function << 12 | (offset & 31) << 7 | 0x23
}

fn b(function: u32, rs1: u32, rs2: u32, offset: u32) -> u32 {
    (offset >> 12 & 1) << 31
        | (offset >> 5 & 0x3f) << 25
        | rs2 << 20
        | rs1 << 15
        | function << 12
        | (offset >> 1 & 15) << 8
        | (offset >> 11 & 1) << 7
        | 0x63
}

fn j(rd: u32, offset: u32) -> u32 {
    (offset >> 20 & 1) << 31
        | (offset >> 1 & 0x3ff) << 21
        | (offset >> 11 & 1) << 20
        | (offset >> 12 & 0xff) << 12
        | rd << 7
        | 0x6f
}

fn upper(rd: u32, value: u32) -> u32 {
    value & 0xffff_f000 | rd << 7 | 0x37
}

/// Code in parcels of 16 bits.
#[derive(Default)]
struct Code(Vec<u16>);

impl Code {
    fn long(&mut self, word: u32) {
        self.0.extend([word as u16, (word >> 16) as u16]);
    }

    fn load(&mut self, register: u32, value: u32) {
        self.long(upper(register, value.wrapping_add(0x800)));
        self.long(i(0x13, 0, register, register, value & 0xfff));
    }

    fn bytes(&self) -> u32 {
        2 * self.0.len() as u32
    }
}

/// An aligned offset from the middle of the data.
fn offset(random: &mut Random, size: u32) -> u32 {
    below(random, DATA_BYTES / size).wrapping_mul(size).wrapping_sub(DATA_BYTES / 2) & 0xfff
}

fn random_item(random: &mut Random, code: &mut Code) {
    let (rd, rs1, rs2) = (destination(random), below(random, 32), below(random, 32));
    match below(random, 20) {
        0..4 => {
            let function = below(random, 8);
            let upper = [0, 0x20][usize::from(matches!(function, 0 | 5)) & below(random, 2) as usize];
            code.long(r(upper, function, 0x33, rd, rs1, rs2));
        }
        4..6 => code.long(r(1, below(random, 8), 0x33, rd, rs1, rs2)),
        6..9 => {
            let function = below(random, 8);
            let immediate = match function {
                1 => below(random, 32),
                5 => below(random, 32) | below(random, 2) << 10,
                _ => below(random, 0x1000),
            };
            code.long(i(0x13, function, rd, rs1, immediate));
        }
        9 => code.long(upper(rd, random.word()) & !0x20 | below(random, 2) << 5),
        10..12 => {
            let (function, size) = [(0, 1), (1, 2), (2, 4), (4, 1), (5, 2)][below(random, 5) as usize];
            code.long(i(0x03, function, rd, [SP, GP][below(random, 2) as usize], offset(random, size)));
        }
        12..14 => {
            let function = below(random, 3);
            code.long(s(function, GP, rs2, offset(random, 1 << function)));
        }
        14 => atomic(random, code, rd, rs2),
        15 => skip(random, code),
        16 if below(random, 4) == 0 => code.long([0x0ff0_000f, 0x0000_100f][below(random, 2) as usize]),
        _ => short(random, code),
    }
}

fn atomic(random: &mut Random, code: &mut Code, rd: u32, rs2: u32) {
    const FUNCTIONS: [u32; 9] = [0, 1, 4, 8, 12, 16, 20, 24, 28];
    code.long(i(0x13, 0, SCRATCH, GP, offset(random, 4)));
    let order = below(random, 4);
    let of = |function: u32, rd: u32, rs2: u32| r(function << 2 | order, 2, 0x2f, rd, SCRATCH, rs2);
    if below(random, 3) == 0 {
        // A reservation, taken up there, elsewhere, or not at all.
        let rd_of_load = if rd == SCRATCH { 5 } else { rd };
        code.long(of(2, rd_of_load, 0));
        if below(random, 3) == 0 {
            code.long(i(0x13, 0, SCRATCH, GP, offset(random, 4)));
        }
        if below(random, 4) != 0 {
            code.long(of(3, destination(random), rs2));
        }
        // What is left of it must not matter: QEMU looks at values where the architecture looks at stores.
        code.long(i(0x13, 0, SCRATCH, GP, offset(random, 4)));
        code.long(of(3, 0, rs2));
    } else {
        code.long(of(FUNCTIONS[below(random, 9) as usize], rd, rs2));
    }
}

/// A branch or jump over a few other instructions.
fn skip(random: &mut Random, code: &mut Code) {
    let mut skipped = Code::default();
    for _ in 0..=below(random, 3) {
        match below(random, 2) {
            0 => short(random, &mut skipped),
            _ => skipped.long(i(0x13, 0, destination(random), below(random, 32), below(random, 0x1000))),
        }
    }
    let (rs1, rs2, rd) = (below(random, 32), below(random, 32), destination(random));
    let rd = if rd == SCRATCH { 1 } else { rd };
    match below(random, 8) {
        0 => code.long(j(rd, 4 + skipped.bytes())),
        1 => {
            code.long(SCRATCH << 7 | 0x17);
            // The lowest bit of the target does not count.
            code.long(i(0x67, 0, rd, SCRATCH, 8 + skipped.bytes() + below(random, 2)));
        }
        2 => {
            code.long(SCRATCH << 7 | 0x17);
            let distance = 4 + 4 + 2 + skipped.bytes();
            code.long(i(0x13, 0, SCRATCH, SCRATCH, distance));
            // c.jr, c.jalr
            code.0.push([0x8002, 0x9002][below(random, 2) as usize] | (SCRATCH << 7) as u16);
        }
        3 => {
            let distance = 2 + skipped.bytes();
            let function = [1, 5][below(random, 2) as usize];
            let field = (distance >> 1 & 7) << 3 | (distance >> 4 & 1) << 11;
            code.0.push((function << 13 | field | 1) as u16);
        }
        4 => {
            let distance = 2 + skipped.bytes();
            let field = (distance >> 1 & 3) << 3 | (distance >> 3 & 3) << 10;
            code.0.push(((6 + below(random, 2)) << 13 | field | below(random, 8) << 7 | 1) as u16);
        }
        _ => {
            let function = [0, 1, 4, 5, 6, 7][below(random, 6) as usize];
            code.long(b(function, rs1, rs2, 4 + skipped.bytes()));
        }
    }
    code.0.extend(skipped.0);
}

/// An instruction of 16 bits that falls through and means something.
fn short(random: &mut Random, code: &mut Code) {
    loop {
        let word = random.word() as u16;
        let (quadrant, function) = (word & 3, word >> 13);
        let field = u32::from(word >> 7 & 31);
        let is_kept = |number: u32| [SP, GP, TP].contains(&number);
        let low = u32::from(word >> 2 & 7);
        let fits = match (quadrant, function) {
            // c.addi4spn with some offset; loads and stores through x8 to x15 would need addresses there.
            (0, 0) => word >> 5 & 0xff != 0 && low < 8,
            (1, 0 | 2) => !is_kept(field),
            (1, 3) => !is_kept(field) && word & 0x107c != 0,
            (1, 4) => word & 0x1000 == 0 || word >> 10 & 3 == 2,
            (2, 0) => !is_kept(field) && word & 0x1000 == 0,
            // Within the half of the data after the stack pointer.
            (2, 2) => !is_kept(field) && field != 0,
            (2, 4) => !is_kept(field) && word >> 2 & 31 != 0,
            (2, 6) => true,
            _ => false,
        };
        if fits {
            code.0.push(word);
            return;
        }
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

/// What the program writes, and how often each operation was executed.
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
