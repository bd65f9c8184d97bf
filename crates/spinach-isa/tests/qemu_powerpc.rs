//! Random programs of the PowerPC 405 compute in the interpreter what they compute in QEMU's model of the board ref405ep, of
//! users and of supervisors: after every round all registers and all of data memory are the same, and so is what handlers saw of
//! every exception.
//!
//! `SPINACH_SEED=n` runs one program of another seed, `SPINACH_LONG=1` runs more than a million instructions.

#![allow(clippy::unwrap_used, reason = "a failed expectation fails the test")]
#![allow(dead_code, reason = "each test uses a part of the shared helpers")]

#[path = "support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use spinach_isa::architecture::{Architecture, RegisterFile};
use spinach_isa::instruction_set::DecodedInstruction;
use spinach_isa::interpreter::{Bytes, step};
use spinach_isa::powerpc::{PowerPc405, Registers, Trap, register};
use support::Random;

/// Exceptions go to the prefix, code begins behind their handlers.
const PREFIX: u32 = 0x1_0000;
const CODE: u32 = 0x1_2000;
const DATA: u32 = 0x10_0000;
const DATA_BYTES: u32 = 0x400;
/// Register dump of a round, right after the data: general registers, cr, xer, ctr, lr and the values that handlers saw.
const DUMP: u32 = DATA + DATA_BYTES;
const DUMP_BYTES: u32 = 4 * 48;
const SEEN: u32 = DUMP + 4 * 40;
const COUNTER: u32 = DUMP + DUMP_BYTES;
const END: u32 = 0x11_0000;
const ITEMS: usize = 3000;
/// The transmitter of the board's first serial port.
const SERIAL: u32 = 0xef60_0300;

/// Registers that hold addresses, which random instructions leave alone: r1 points to the middle of the data, r2 is for handlers.
const MIDDLE: u32 = 1;
const HANDLER: u32 = 2;
/// Free for addresses in between.
const SCRATCH: u32 = 31;

fn d(opcode: u32, rt: u32, ra: u32, immediate: u32) -> u32 {
    opcode << 26 | rt << 21 | ra << 16 | immediate & 0xffff
}

fn x(extended: u32, rt: u32, ra: u32, rb: u32) -> u32 {
    31 << 26 | rt << 21 | ra << 16 | rb << 11 | extended << 1
}

fn of_special(extended: u32, rt: u32, number: u32) -> u32 {
    x(extended, rt, number & 31, number >> 5)
}

fn mfspr(rt: u32, number: u32) -> u32 {
    of_special(339, rt, number)
}

fn mtspr(number: u32, rs: u32) -> u32 {
    of_special(467, rs, number)
}

fn destination(random: &mut Random) -> u32 {
    loop {
        let number = random.below(32);
        if ![MIDDLE, HANDLER].contains(&number) {
            return number;
        }
    }
}

#[derive(Default)]
struct Code(Vec<u32>);

impl Code {
    fn put(&mut self, word: u32) {
        self.0.push(word);
    }

    fn load(&mut self, register: u32, value: u32) {
        self.put(d(15, register, 0, value >> 16));
        self.put(d(24, register, register, value));
    }

    fn bytes(&self) -> u32 {
        4 * self.0.len() as u32
    }
}

/// An offset from the middle of the data, now and then a misaligned one.
fn offset(random: &mut Random, size: u32) -> u32 {
    let places = (DATA_BYTES - 8) / size;
    let aligned = random.below(places) * size;
    let place = if random.below(4) == 0 { random.below(DATA_BYTES - 8) } else { aligned };
    place.wrapping_sub(DATA_BYTES / 2)
}

fn calculate(random: &mut Random, code: &mut Code) {
    const OVERFLOWING: [u32; 13] = [8, 10, 40, 104, 136, 138, 200, 202, 232, 234, 235, 266, 266];
    const RECORDING: [u32; 17] =
        [11, 75, 24, 536, 792, 824, 26, 922, 954, 28, 60, 124, 284, 316, 412, 444, 476];
    let (rt, ra, rb) = (destination(random), random.below(32), random.below(32));
    let records = random.below(2);
    match random.below(10) {
        0..3 => {
            let extended = OVERFLOWING[random.below(13) as usize] | random.below(2) << 9;
            let rb = if matches!(extended & 0x1ff, 104 | 200 | 202 | 232 | 234) { 0 } else { rb };
            code.put(x(extended, rt, ra, rb) | records);
        }
        3..6 => {
            let extended = RECORDING[random.below(17) as usize];
            // The destination of logic is in the second place.
            let is_product = matches!(extended, 11 | 75);
            let rb = if matches!(extended, 26 | 922 | 954) { 0 } else { rb };
            let word = if is_product { x(extended, rt, ra, rb) } else { x(extended, ra, rt, rb) };
            code.put(word | records);
        }
        6 => {
            let opcode = [7, 8, 12, 13, 14, 15][random.below(6) as usize];
            code.put(d(opcode, rt, ra, random.word()));
        }
        7 => code.put(d(24 + random.below(6), ra, rt, random.word())),
        8 => {
            let opcode = [20, 21, 23][random.below(3) as usize];
            code.put(opcode << 26 | ra << 21 | rt << 16 | random.below(1 << 15) << 1 | records);
        }
        _ => {
            // A quotient that is defined.
            code.put(d(24, ra, SCRATCH, 3));
            code.put(d(21, SCRATCH, SCRATCH, 0x07fe) & !1 | 0x003e);
            code.put(d(24, SCRATCH, SCRATCH, 1));
            code.put(
                x([459, 491][random.below(2) as usize] | random.below(2) << 9, rt, ra, SCRATCH) | records,
            );
        }
    }
}

fn work_on_conditions(random: &mut Random, code: &mut Code) {
    let (rt, ra, rb) = (destination(random), random.below(32), random.below(32));
    let field = random.below(8) << 2;
    match random.below(8) {
        0 => code.put(x([0, 32][random.below(2) as usize], field, ra, rb)),
        1 => code.put(d([10, 11][random.below(2) as usize], field, ra, random.word())),
        2 | 3 => {
            let extended = [33, 129, 193, 225, 257, 289, 417, 449][random.below(8) as usize];
            let bits = random.word();
            code.put(
                19 << 26
                    | (bits & 31) << 21
                    | (bits >> 5 & 31) << 16
                    | (bits >> 10 & 31) << 11
                    | extended << 1,
            );
        }
        4 => code.put(19 << 26 | field << 21 | random.below(8) << 18),
        5 => code.put(x(144, ra, 0, 0) | random.below(256) << 12),
        6 => code.put(x(19, rt, 0, 0)),
        _ => match random.below(6) {
            0 => code.put(x(512, field, 0, 0)),
            1 => {
                // QEMU keeps bits of xer that there are not.
                code.put(21 << 26 | ra << 21 | SCRATCH << 16 | 2 << 1);
                code.put(mtspr(1, SCRATCH));
            }
            2 => code.put(mfspr(rt, 1)),
            3 => code.put(mtspr([8, 9][random.below(2) as usize], ra)),
            4 => code.put(mfspr(rt, [8, 9][random.below(2) as usize])),
            _ => {}
        },
    }
}

fn refer(random: &mut Random, code: &mut Code) {
    let rt = destination(random);
    let size = [1, 2, 4][random.below(3) as usize];
    match random.below(12) {
        0..3 => {
            let (opcode, size) = [(32, 4), (34, 1), (40, 2), (42, 2)][random.below(4) as usize];
            code.put(d(opcode, rt, MIDDLE, offset(random, size)));
        }
        3..5 => {
            let (opcode, size) = [(36, 4), (38, 1), (44, 2)][random.below(3) as usize];
            code.put(d(opcode, random.below(32), MIDDLE, offset(random, size)));
        }
        5..7 => {
            // The base becomes the address; what is loaded must go elsewhere.
            let opcode = [33, 35, 37, 39, 41, 43, 45][random.below(7) as usize];
            code.put(d(14, SCRATCH, MIDDLE, offset(random, size)));
            let rt = if rt == SCRATCH { 30 } else { rt };
            let near = random.below(64).wrapping_sub(32);
            code.put(d(14, SCRATCH, MIDDLE, offset(random, size).wrapping_sub(near) & !3));
            code.put(d(opcode, rt, SCRATCH, near));
        }
        7..9 => {
            const INDEXED: [u32; 18] =
                [23, 87, 279, 343, 151, 215, 407, 534, 790, 662, 918, 55, 119, 311, 375, 183, 247, 439];
            code.put(d(14, SCRATCH, 0, offset(random, size)));
            let extended = INDEXED[random.below(18) as usize];
            let updates = matches!(extended, 55 | 119 | 311 | 375 | 183 | 247 | 439);
            if updates {
                code.put(d(14, 30, MIDDLE, 0));
                let rt = if [30, SCRATCH].contains(&rt) { 29 } else { rt };
                code.put(x(extended, rt, 30, SCRATCH));
            } else {
                code.put(x(extended, rt, MIDDLE, SCRATCH));
            }
        }
        9 => {
            let first = 20 + random.below(12);
            let opcode = [46, 47][random.below(2) as usize];
            let place = random.below((DATA_BYTES - 64) / 4) * 4;
            code.put(d(opcode, first, MIDDLE, place.wrapping_sub(DATA_BYTES / 2)));
        }
        10 => {
            code.put(d(14, SCRATCH, 0, offset(random, 4)));
            // dcbz, dcbf, dcbst, dcbt, icbi, sync, eieio, isync
            let maintenance =
                [x(1014, 0, MIDDLE, SCRATCH), x(86, 0, MIDDLE, SCRATCH), x(54, 0, MIDDLE, SCRATCH)];
            let others =
                [x(278, 0, MIDDLE, SCRATCH), x(982, 0, MIDDLE, SCRATCH), x(598, 0, 0, 0), x(854, 0, 0, 0)];
            let all: Vec<u32> = maintenance.into_iter().chain(others).chain([0x4c00_012c]).collect();
            code.put(all[random.below(8) as usize]);
        }
        _ => reserve(random, code, rt),
    }
}

fn reserve(random: &mut Random, code: &mut Code, rt: u32) {
    let mut aim = |code: &mut Code| {
        let place = random.below(DATA_BYTES / 4) * 4;
        code.put(d(14, SCRATCH, 0, place.wrapping_sub(DATA_BYTES / 2)));
        random.below(4)
    };
    let rt = if rt == SCRATCH { 30 } else { rt };
    let choice = aim(code);
    code.put(x(20, rt, MIDDLE, SCRATCH));
    if choice != 0 {
        code.put(x(150, 28, MIDDLE, SCRATCH) | 1);
    }
    // The rest of the reservation must not matter: QEMU looks at values where the architecture looks at
    // stores.
    aim(code);
    code.put(x(150, 29, MIDDLE, SCRATCH) | 1);
}

/// A branch or jump over a few other instructions.
fn skip(random: &mut Random, code: &mut Code) {
    let mut skipped = Code::default();
    for _ in 0..=random.below(3) {
        calculate(random, &mut skipped);
    }
    let distance = 4 + skipped.bytes();
    let links = random.below(2);
    let (options, bit) = (random.below(32), random.below(32));
    match random.below(6) {
        0 => code.put(18 << 26 | distance | links),
        1 => {
            let here = CODE + code.bytes() + 4 * 4 + 4;
            code.load(SCRATCH, here + skipped.bytes() - 4);
            // By way of the link or the count register.
            let (number, extended) = [(8, 16), (9, 528)][random.below(2) as usize];
            code.put(mtspr(number, SCRATCH));
            // Branches to the count do not count; a count that reaches the last is rare.
            let options = if extended == 528 { options | 4 } else { options };
            code.put(19 << 26 | options << 21 | bit << 16 | extended << 1 | links);
        }
        _ => {
            if random.below(3) == 0 {
                code.put(d(14, SCRATCH, 0, random.below(3)));
                code.put(mtspr(9, SCRATCH));
            }
            code.put(16 << 26 | options << 21 | bit << 16 | distance | links);
        }
    }
    code.0.extend(skipped.0);
}

/// Something that only supervisors may do, or that raises an exception.
fn supervise(random: &mut Random, code: &mut Code) {
    const PLAIN: [u32; 12] =
        [0x110, 0x111, 0x112, 0x113, 0x114, 0x115, 0x116, 0x117, 0x110, 0x3d5, 0x3b1, 0x3b0];
    let (rt, ra) = (destination(random), random.below(32));
    match random.below(9) {
        0 => code.put(mtspr(PLAIN[random.below(12) as usize], ra)),
        1 => code.put(mfspr(rt, PLAIN[random.below(12) as usize])),
        2 => code.put(mfspr(rt, [0x1a, 0x1b, 0x3de, 0x3df, 0x3d6, 0x3d4][random.below(6) as usize])),
        3 => code.put(0x4400_0002),
        4 => code.put(d(3, random.below(32), ra, random.word())),
        5 => code.put(x(4, random.below(31), ra, random.below(32))),
        6 => code.put([0, 0x0000_0001, 0x1800_0000, 0x7c00_03fe][random.below(4) as usize]),
        7 => {
            // A reservation at no word.
            code.put(d(14, SCRATCH, 0, random.below(64) * 4 + 1 + random.below(3)));
            code.put(x(20, rt, MIDDLE, SCRATCH));
        }
        _ => leave_and_return(random, code),
    }
}

/// To a user's program and back by a privileged instruction, which the handler of programs makes a supervisor again.
fn leave_and_return(random: &mut Random, code: &mut Code) {
    let state = [0x1000, 0x1200][random.below(2) as usize];
    let is_user = random.below(2) * 0x4000;
    let (save, restore, back) = [(0x1a, 0x1b, 50), (0x3de, 0x3df, 51)][random.below(2) as usize];
    // Seven words, of which the last is the return.
    let after = CODE + code.bytes() + 7 * 4;
    code.load(SCRATCH, after);
    code.put(mtspr(save, SCRATCH));
    code.load(SCRATCH, state | is_user);
    code.put(mtspr(restore, SCRATCH));
    code.put(19 << 26 | back << 1);
    for _ in 0..=random.below(2) {
        calculate(random, code);
    }
    code.put(x(83, destination(random), 0, 0));
    code.load(SCRATCH, 0x1000);
    code.put(x(146, SCRATCH, 0, 0));
}

/// Adds the exception registers to the dump, and continues behind the instruction in supervisor mode.
fn handler(offset: u32) -> Vec<u32> {
    let mut code = Code::default();
    let place = |number: u32| d(14, 0, 0, 4 * number) & 0xffff;
    code.put(mtspr(0x110, 30));
    code.put(mtspr(0x111, 29));
    code.put(mfspr(28, 0x110).wrapping_add(0)); // r28 is what r30 was: handlers change it alike everywhere.
    code.load(HANDLER, SEEN);
    let specials = [0x1a, 0x1b, 0x3d4];
    for (number, special) in specials.into_iter().enumerate() {
        code.put(d(32, 30, HANDLER, place(number as u32)));
        code.put(d(7, 30, 30, 31));
        code.put(mfspr(29, special));
        if special == 0x3d4 && offset == 0xc00 {
            code.put(d(14, 29, 0, 0));
        }
        code.put(x(266, 30, 30, 29));
        code.put(d(36, 30, HANDLER, place(number as u32)));
    }
    // A system call returns behind itself already.
    if offset != 0xc00 {
        code.put(mfspr(29, 0x1a));
        code.put(d(14, 29, 29, 4));
        code.put(mtspr(0x1a, 29));
    }
    code.load(29, 0x1000);
    code.put(mtspr(0x1b, 29));
    code.put(mfspr(30, 0x110));
    code.put(mfspr(29, 0x111));
    code.put(19 << 26 | 50 << 1);
    code.0
}

fn program(random: &mut Random, rounds: u32) -> Vec<u32> {
    let mut code = Code::default();
    code.load(3, PREFIX);
    code.put(mtspr(0x3d6, 3));
    // QEMU changes the enable of machine checks by a return only.
    code.load(3, 0x1000);
    code.put(mtspr(0x1b, 3));
    code.load(3, CODE + code.bytes() + 4 * 4);
    code.put(mtspr(0x1a, 3));
    code.put(19 << 26 | 50 << 1);
    code.load(SCRATCH, COUNTER);
    code.load(5, rounds);
    code.put(d(36, 5, SCRATCH, 0));
    // Handlers and random code write special registers, which begin as something on each side.
    for special in [0x1a, 0x1b, 0x3de, 0x3df, 0x3d4, 0x3d5, 0x3b1, 0x3b0, 8, 9, 1] {
        code.load(3, 0);
        code.put(mtspr(special, 3));
    }
    for special in 0x110..0x118 {
        code.put(mtspr(special, 3));
    }
    code.put(x(144, 3, 0, 0) | 0xff << 12);
    code.load(MIDDLE, DATA + DATA_BYTES / 2);
    for number in [0].into_iter().chain(3..32) {
        code.load(number, random.word());
    }
    let start = code.bytes();
    for _ in 0..ITEMS {
        match random.below(20) {
            0..8 => calculate(random, &mut code),
            8..11 => work_on_conditions(random, &mut code),
            11..16 => refer(random, &mut code),
            16..19 => skip(random, &mut code),
            _ => supervise(random, &mut code),
        }
    }
    leave_round(&mut code, start);
    code.0
}

/// Writes what there is to the serial port and begins the next round, or ends with a reset.
fn leave_round(code: &mut Code, start: u32) {
    code.load(HANDLER, DUMP);
    for number in 0..32 {
        code.put(d(36, number, HANDLER, 4 * number));
    }
    // The loop changes these registers; they are restored afterwards.
    code.put(x(19, 3, 0, 0));
    code.put(d(36, 3, HANDLER, 4 * 32));
    for (place, special) in [(33, 1), (34, 9), (35, 8)] {
        code.put(mfspr(3, special));
        code.put(d(36, 3, HANDLER, 4 * place));
    }
    code.load(3, DATA - 1);
    code.load(4, SERIAL);
    code.load(5, DATA_BYTES + DUMP_BYTES);
    code.put(mtspr(9, 5));
    code.put(d(35, 6, 3, 1));
    code.put(d(38, 6, 4, 0));
    code.put(16 << 26 | 16 << 21 | 0xfff8); // bdnz
    code.load(3, COUNTER);
    code.put(d(32, 5, 3, 0));
    code.put(d(13, 5, 5, 0xffff));
    code.put(d(36, 5, 3, 0));
    let restore = [(32, 0), (33, 1), (34, 9), (35, 8)];
    // To the end if that was the last round.
    let words_of_restore = 2 * 4 + 30 + 1;
    code.put(16 << 26 | 12 << 21 | 2 << 16 | (4 * (words_of_restore + 1)));
    for (place, special) in restore {
        code.put(d(32, 3, HANDLER, 4 * place));
        code.put(if place == 32 { x(144, 3, 0, 0) | 0xff << 12 } else { mtspr(special, 3) });
    }
    for number in [0].into_iter().chain(3..32) {
        code.put(d(32, number, HANDLER, 4 * number));
    }
    code.put(18 << 26 | start.wrapping_sub(code.bytes()) & 0x03ff_fffc);
    // A system reset, which ends the run.
    code.load(3, 0x3000_0000);
    code.put(mtspr(0x3f2, 3));
    code.put(18 << 26);
}

fn image(code: &[u32], random: &mut Random) -> Vec<u8> {
    let mut image = vec![0; (END - PREFIX) as usize];
    let mut put = |address: u32, words: &[u32]| {
        for (index, word) in words.iter().enumerate() {
            let at = (address - PREFIX) as usize + 4 * index;
            image[at..at + 4].copy_from_slice(&word.to_be_bytes());
        }
    };
    for offset in [0x600, 0x700, 0xc00] {
        put(PREFIX + offset, &handler(offset));
    }
    put(CODE, code);
    assert!(CODE + 4 * (code.len() as u32) < DATA);
    let data: Vec<u32> = (0..DATA_BYTES / 4).map(|_| random.word()).collect();
    put(DATA, &data);
    image
}

fn executable(image: &[u8]) -> Vec<u8> {
    let mut file = vec![0x7f, b'E', b'L', b'F', 1, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    for half in [2u16, 20] {
        file.extend(half.to_be_bytes());
    }
    for word in [1, CODE, 52, 0, 0] {
        file.extend(u32::to_be_bytes(word));
    }
    for half in [52u16, 32, 1, 0, 0, 0] {
        file.extend(half.to_be_bytes());
    }
    for word in [1, 0x1000, PREFIX, PREFIX, image.len() as u32, image.len() as u32, 7, 0x1000] {
        file.extend(u32::to_be_bytes(word));
    }
    file.resize(0x1000, 0);
    file.extend(image);
    file
}

/// Output of the program on the serial port in QEMU; `None` if QEMU is not installed, which is reported past the test harness.
fn emulate(name: &str, image: &[u8]) -> Option<Vec<u8>> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (program, output) = (folder.join(format!("{name}.elf")), folder.join(format!("{name}.out")));
    std::fs::write(&program, executable(image)).unwrap();
    let mut command = Command::new("qemu-system-ppc");
    command.args(["-M", "ref405ep", "-display", "none", "-monitor", "none", "-no-reboot", "-net", "none"]);
    command.arg("-serial").arg(format!("file:{}", output.display())).arg("-kernel").arg(&program);
    match command.stdin(Stdio::null()).output() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let reason = "skipped: qemu-system-ppc is not installed (Debian package qemu-system-ppc)";
            io::stderr().write_all(format!("{reason}\n").as_bytes()).unwrap();
            None
        }
        result => {
            let result = result.unwrap();
            assert!(result.status.success(), "{}", String::from_utf8_lossy(&result.stderr));
            Some(std::fs::read(&output).unwrap())
        }
    }
}

/// The same in the interpreter, and how often each operation was executed.
fn interpret(image: &[u8]) -> (Vec<u8>, BTreeMap<&'static str, u64>) {
    let mut memory = Bytes::new(PREFIX.into(), image.len());
    memory.bytes_mut().copy_from_slice(image);
    let mut registers: Registers = RegisterFile::reset(CODE, 0);
    let (mut output, mut counts) = (Vec::new(), BTreeMap::new());
    let set = PowerPc405::default();
    loop {
        let pc = registers.pc();
        match step(set, &mut registers, &mut memory) {
            Ok(executed) => {
                *counts.entry(set.decode(executed.word).mnemonic()).or_insert(0) += 1;
                *counts.entry("all").or_insert(0) += 1;
                // The reset at the end.
                if registers.pc() == pc {
                    return (output, counts);
                }
            }
            Err(Trap::DataBusError { address: SERIAL }) => {
                output.push(registers.general(6) as u8);
                registers.advance(4);
            }
            Err(trap) => {
                let handler = registers.handler(trap, None);
                registers.enter_exception(trap, pc, false);
                registers.jump_to(handler.unwrap_or_else(|| panic!("{trap} at {pc:#x}")));
                *counts.entry("exceptions").or_insert(0) += 1;
            }
        }
    }
}

fn place(at: usize) -> String {
    let word = at / 4;
    let data_words = DATA_BYTES as usize / 4;
    match word.checked_sub(data_words) {
        None => format!("data byte {at:#x}"),
        Some(number @ 0..32) => format!("r{number}"),
        Some(number) => {
            format!("word {number} of the dump (32 cr, xer, ctr, lr; from 40 on what handlers saw)")
        }
    }
}

#[test]
fn random_programs_give_the_same_state_as_qemu() {
    let rounds = if std::env::var_os("SPINACH_LONG").is_some() { 100 } else { 10 };
    let seeds = match std::env::var("SPINACH_SEED") {
        Ok(seed) => vec![seed.parse().expect("SPINACH_SEED is a number")],
        Err(_) => vec![1, 2, 3],
    };
    let mut counts = BTreeMap::new();
    for seed in &seeds {
        let mut random = Random(*seed);
        let code = program(&mut random, rounds);
        let image = image(&code, &mut random);
        let Some(theirs) = emulate(&format!("random-powerpc-{seed}"), &image) else { return };
        let (ours, executed) = interpret(&image);
        let length = (DATA_BYTES + DUMP_BYTES) as usize;
        for (round, (ours, theirs)) in ours.chunks(length).zip(theirs.chunks(length)).enumerate() {
            if let Some(at) = ours.iter().zip(theirs).position(|(ours, theirs)| ours != theirs) {
                let word = |bytes: &[u8]| u32::from_be_bytes(bytes[at & !3..][..4].try_into().unwrap());
                let (ours, theirs, place) = (word(ours), word(theirs), place(at));
                panic!("seed {seed}, round {round}, {place}: {ours:#x} here, {theirs:#x} there");
            }
        }
        assert_eq!(ours.len(), theirs.len());
        for (name, count) in executed {
            *counts.entry(name).or_insert(0) += count;
        }
    }
    println!("{counts:?}");
    assert!(seeds.len() == 1 || counts["all"] > 100_000, "only {} instructions", counts["all"]);
    for name in
        ["mulhwu.", "divwo.", "subfzeo.", "stwcx.", "bcctr", "bclr", "lhbrx", "stwux", "lmw", "exceptions"]
    {
        assert!(counts.get(name).is_some_and(|count| *count > 10), "{name} was hardly executed");
    }
}

#[test]
fn registers_beyond_the_general_ones_have_names() {
    let names: Vec<&str> = (register::R0..=register::CONTROL).map(PowerPc405::register_name).collect();
    assert_eq!(names, ["r0", "cr", "lr", "ctr", "xer", "reservation", "spr"]);
}
