//! Random programs of the PowerPC 405: with and without caches, whatever the memory does, cores compute what the interpreter
//! computes, and once the caches are flushed the memory holds what it should. `SPINACH_LONG=1` runs thousands of programs.

use spinach_engine::{ParameterValue, Size};
use spinach_isa::architecture::RegisterFile;
use spinach_isa::interpreter::{Bytes, step};
use spinach_isa::powerpc::{PowerPc405, Registers, Trap, register};

use crate::machine::{AHEAD, MEMORY_BYTES, Machine};
use crate::random_programs::{COUNTED, Loads, with_timing};
use crate::support::Random;

const DATA: u32 = 0x8000;
const DATA_BYTES: u32 = 0x400;
/// Registers that random instructions leave alone: the middle of the data, and addresses and counts.
const MIDDLE: u32 = 30;
const SCRATCH: u32 = 31;
const ITEMS: u32 = 200;
const ROUNDS: u32 = 3;
const SYNC: u32 = 0x7c00_04ac;
const TRAP: u32 = 0x7fe0_0008;

fn d(opcode: u32, rt: u32, ra: u32, immediate: u32) -> u32 {
    opcode << 26 | rt << 21 | ra << 16 | immediate & 0xffff
}

fn x(extended: u32, rt: u32, ra: u32, rb: u32) -> u32 {
    31 << 26 | rt << 21 | ra << 16 | rb << 11 | extended << 1
}

fn load(code: &mut Vec<u32>, number: u32, value: u32) {
    code.extend([d(15, number, 0, value >> 16), d(24, number, number, value)]);
}

fn pick<T: Copy>(random: &mut Random, from: &[T]) -> T {
    from[random.below(from.len() as u64) as usize]
}

/// An instruction, or a few.
fn item(random: &mut Random, code: &mut Vec<u32>, may_clear: bool) {
    let [rt, ra, rb] = [(); 3].map(|()| random.below(30) as u32);
    let base = rt.max(1);
    let offset = (random.below(u64::from(DATA_BYTES) - 0x80) as u32).wrapping_sub(DATA_BYTES / 2 - 0x40);
    // Half of them within two lines, so that they meet.
    let offset = if random.below(2) == 0 { offset & 0x3c } else { offset };
    match random.below(14) {
        0..=2 => code.push(d(pick(random, &[32, 34, 40, 42]), rt, MIDDLE, offset)),
        3..=5 => code.push(d(pick(random, &[36, 38, 44]), rt, MIDDLE, offset)),
        6 => {
            // Indexed and with an update: the base becomes the address.
            load(code, base, offset);
            code.push(x(266, base, base, MIDDLE));
            code.push(d(pick(random, &[33, 37, 35, 45]), (base + 1) % 30, base, 4));
        }
        7 => {
            code.push(d(pick(random, &[46, 47]), 26 + random.below(2) as u32, MIDDLE, offset & 0xfffc));
            load(code, MIDDLE, DATA + DATA_BYTES / 2);
        }
        8 => {
            load(code, SCRATCH, offset);
            let operations = [20, 534, 662, 790, 918];
            code.push(x(pick(random, &operations), rt, 0, MIDDLE));
            let clear = if may_clear { 1014 } else { 86 };
            code.push(x(pick(random, &[54, 86, 246, 278, clear, 982]), 0, SCRATCH, MIDDLE));
        }
        9 => {
            // A line that was written back may be dropped.
            load(code, SCRATCH, offset);
            code.extend([x(54, 0, SCRATCH, MIDDLE), x(470, 0, SCRATCH, MIDDLE)]);
        }
        10 => code.push(pick(random, &[SYNC, 0x4c00_012c, x(854, 0, 0, 0)])),
        11 => code.push(x(235, rt, ra, rb)),
        12 => {
            code.push(d(11, 0, ra, random.below(64) as u32));
            code.push(d(16, pick(random, &[4, 12]), 2, 8));
            code.push(x(266, rt, ra, rb));
        }
        _ => code.push(x(pick(random, &[266, 40, 28, 444, 316]), ra, rt, rb)),
    }
}

fn program(random: &mut Random, attributes: Attributes) -> Vec<u32> {
    let mut code = Vec::new();
    for (special, value) in [(0x3fa_u32, attributes.cacheable), (0x3ba, attributes.write_through)] {
        load(&mut code, SCRATCH, value);
        code.push(x(467, SCRATCH, special & 31, special >> 5));
    }
    load(&mut code, MIDDLE, DATA + DATA_BYTES / 2);
    (0..30).for_each(|number| load(&mut code, number, random.next() as u32));
    // The count of rounds is in the link register.
    load(&mut code, SCRATCH, ROUNDS);
    code.push(x(467, SCRATCH, 8, 0));
    let start = code.len();
    // `dcbz` raises an exception elsewhere.
    let may_clear = attributes.cacheable & !attributes.write_through != 0;
    (0..ITEMS).for_each(|_| item(random, &mut code, may_clear));
    code.extend([x(339, SCRATCH, 8, 0), d(14, SCRATCH, SCRATCH, u32::MAX), x(467, SCRATCH, 8, 0)]);
    code.push(d(11, 0, SCRATCH, 0));
    code.push(d(16, 12, 2, 8));
    let distance = (4 * start as u32).wrapping_sub(4 * code.len() as u32);
    code.push(18 << 26 | distance & 0x03ff_fffc);
    for line in (0..DATA_BYTES + 64).step_by(32) {
        load(&mut code, SCRATCH, DATA + line);
        code.push(x(86, 0, 0, SCRATCH));
    }
    code.extend([SYNC, TRAP]);
    assert!(4 * code.len() < DATA as usize);
    code
}

/// A random program and its data, from address 0 on.
pub(crate) fn image(random: &mut Random, attributes: Attributes) -> Vec<u8> {
    let mut bytes: Vec<u8> = program(random, attributes).iter().flat_map(|word| word.to_be_bytes()).collect();
    bytes.resize(DATA as usize, 0);
    bytes.extend((0..DATA_BYTES).map(|_| random.next() as u8));
    bytes
}

/// Content of the registers that choose the attributes of regions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Attributes {
    cacheable: u32,
    write_through: u32,
}

pub(crate) const WRITE_BACK: Attributes = Attributes { cacheable: 0xffff_ffff, write_through: 0 };

fn machines(random: &mut Random) -> Vec<(Machine, Attributes)> {
    let pipelined = || {
        Machine::new("pipelined_core")
            .with("branch_prediction", "static")
            .with("multiply_latency", 5_u32)
            .with("multiply_by_operand", true)
            .with("system_latency", 2_u32)
    };
    let late = || pipelined().with("loads_under_way", 3_u32);
    let cached = |mut machine: Machine, parameters: &[(&'static str, ParameterValue)]| {
        machine.data_cache = Some(parameters.to_vec());
        machine
    };
    let small = [("size", Size(128).into()), ("fills", 1_u32.into()), ("transfer_bytes", 4_u64.into())];
    let through = Attributes { write_through: 0xffff_ffff, ..WRITE_BACK };
    let uncached = Attributes { cacheable: 0, write_through: 0 };
    let mut any = |loads| with_timing(Machine::new("pipelined_core"), random, loads, true);
    vec![
        (any(Loads::FirstStage), WRITE_BACK),
        (any(Loads::Late), WRITE_BACK),
        (cached(any(Loads::FirstStage), &small), WRITE_BACK),
        (cached(any(Loads::Late), &small), WRITE_BACK),
        (late(), WRITE_BACK),
        (cached(pipelined(), &[]), WRITE_BACK),
        (cached(late(), &[]), WRITE_BACK),
        (cached(late().with("store_buffer", 2_u32), &small), WRITE_BACK),
        (cached(late().with("load_use_delay", 2_u32), &small), through),
        (late().with("load_use_delay", 2_u32), through),
        (late().with("load_use_delay", 0_u32), WRITE_BACK),
        (cached(late().with("load_use_delay", 0_u32), &small), WRITE_BACK),
        (cached(late(), &[]), uncached),
        (cached(Machine::new("functional_core"), &small), WRITE_BACK),
        (Machine::new(AHEAD), WRITE_BACK),
        (Machine::new(AHEAD).with("history", 16_u32).with("quantum", 40_u32), WRITE_BACK),
    ]
}

/// Number of random programs.
fn seeds() -> u64 {
    if std::env::var_os("SPINACH_LONG").is_some() { 5000 } else { 6 }
}

#[test]
fn caches_and_late_loads_change_no_result() {
    for seed in 0..seeds() {
        // Of cores with and without operations on caches.
        let mut counted = [None; 2];
        for (variant, (mut machine, attributes)) in machines(&mut Random::new(seed)).into_iter().enumerate() {
            let mut random = Random::new(seed);
            let bytes = image(&mut random, attributes);
            let place = format!("seed {seed}, machine {variant}: {machine:?}");

            let mut memory = Bytes::new(0, MEMORY_BYTES as usize);
            memory.bytes_mut()[..bytes.len()].copy_from_slice(&bytes);
            let mut registers = Registers::reset(0, 0);
            let set = PowerPc405 { atomic_bit_array: true, caches: true };
            let trap = loop {
                if let Err(trap) = step(set, &mut registers, &mut memory) {
                    break trap;
                }
            };
            assert!(matches!(trap, Trap::Breakpoint { .. }), "{place}: {trap:?}");

            let has_caches = machine.data_cache.is_some();
            machine = machine.with("instruction_set", "ppc405").with("caches", has_caches);
            (machine.fetch_latency, machine.data_latency) = (seed % 2, seed % 4);
            machine = machine.with_memory("refuse_percent", 15 * (seed % 3));
            machine = machine.with_memory("delay_percent", 20 * (seed % 2)).with_memory("seed", seed);
            let mut run = machine.run_bytes(&bytes);
            let numbers = (0..32).map(register::general);
            let expected: Vec<u32> = numbers.map(|number| registers.general(number)).collect();
            assert_eq!(run.registers(0), expected, "{place}");
            for address in (DATA..DATA + DATA_BYTES + 64).step_by(4) {
                let word = memory.bytes()[address as usize..][..4].try_into().unwrap();
                assert_eq!(run.word(address), u32::from_be_bytes(word), "{place}: {address:#x}");
            }
            if attributes == WRITE_BACK {
                let counts = COUNTED.map(|name| (name, run.counter(0, name)));
                assert_eq!(*counted[usize::from(has_caches)].get_or_insert(counts), counts, "{place}");
            }
        }
    }
}
