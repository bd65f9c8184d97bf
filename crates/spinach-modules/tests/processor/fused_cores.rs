//! A core behaves equally, fused and unfused, with its instruction cache, with a memory that answers at once, with an
//! instruction memory that does, also with a packet mover or an address map, and with its private memory.

use spinach_engine::{ModuleId, ParameterValue, Payload, Policy, Size};
use spinach_isa::mips::assemble::assemble;
use spinach_modules::processor::control::Command;
use spinach_modules::values::{Block, SlotPacket};

use crate::machine::MEMORY_BYTES;
use crate::random_powerpc::{WRITE_BACK, image as image_for_powerpc};
use crate::random_programs::{Loads, VECTOR, image, machine};
use crate::random_riscv::{RANDOM_BYTES, image as image_for_riscv};
use crate::support::fusions::{
    assert_equal_after_change, assert_equal_in_pieces, assert_equal_to_single, assert_equal_when_prepared,
    assert_polls_as_single,
};
use crate::support::{Bench, Random, script};

const CYCLES: u64 = 330;
/// Data of the random programs.
const DATA: u64 = 0x8000;

fn connect(bench: &mut Bench, from: (ModuleId, &str), to: (ModuleId, &str, usize)) {
    let (request, response) = (format!("{}_request", from.1), format!("{}_response", from.1));
    let (to_request, to_response) = (format!("{}_request", to.1), format!("{}_response", to.1));
    bench.design.connect_lanes((from.0, &request, 0), (to.0, &to_request, to.2));
    bench.design.connect_lanes((to.0, &to_response, to.2), (from.0, &response, 0));
}

// A core with any timing that runs a random program, commanded and interrupted now and then, and a memory with the program.
fn core_and_memory(random: &mut Random, latency: u32) -> (Bench, ModuleId, ModuleId) {
    let mut bench = Bench::new();
    let loads = Loads::of(random.below(3));
    let mut parameters = machine("pipelined_core", random, loads).core;
    parameters.push(("identity", 3_u32.into()));
    parameters.push(("on_fault", "halt".into()));
    parameters.push(("profile_bytes", Size(0x400).into()));
    let core = bench.design.module("core", "pipelined_core", bench.domain, parameters);
    let bytes: Vec<u8> =
        image(random, loads.have_precise_bus_errors()).iter().flat_map(|word| word.to_be_bytes()).collect();
    let watch = if latency > 0 && random.below(3) == 0 { vec![0x8000_u64, 64] } else { Vec::new() };
    let parameters: [(&str, ParameterValue); 4] = [
        ("size", Size(MEMORY_BYTES).into()),
        ("contents", bytes.into()),
        ("latency", latency.into()),
        ("watch", watch.into()),
    ];
    let memory = bench.design.module("memory", "multiported_memory", bench.domain, parameters);
    if random.below(3) == 0 {
        let commands = [Command::Halt, Command::Resume, Command::Step, Command::Resume];
        let script: Vec<u64> = commands.iter().cycle().take(40).map(|command| command.to_word()).collect();
        source(&mut bench, "control", script, random, (core, "control"));
    }
    if random.below(3) == 0 {
        source(&mut bench, "line", vec![1; 6], random, (core, "interrupt"));
    }
    (bench, core, memory)
}

fn source(bench: &mut Bench, name: &str, script: Vec<u64>, random: &mut Random, to: (ModuleId, &str)) {
    let parameters: [(&str, ParameterValue); 3] =
        [("script", script.into()), ("stall_percent", 93_u64.into()), ("seed", random.below(99).into())];
    let source = bench.design.module(name, "test_source", bench.domain, parameters);
    bench.design.connect_lanes((source, "output", 0), (to.0, to.1, 0));
}

fn cached(random: &mut Random) -> (Bench, bool) {
    let latency = 1 + random.below(3) as u32;
    let (mut bench, core, memory) = core_and_memory(random, latency);
    let is_fused = random.below(5) != 0;
    let lines = 1_u64 << random.below(4);
    let parameters: [(&str, ParameterValue); 6] = [
        ("size", Size(16 * lines * 2).into()),
        ("associativity", (1 + random.below(2)).into()),
        ("line_size", Size(16).into()),
        ("fill_bytes", (1_u64 << random.below(5)).into()),
        ("hit_latency", u32::from(!is_fused).into()),
        ("replacement", Policy::named(["lru", "fifo", "random"][random.below(3) as usize]).into()),
    ];
    let cache = bench.design.module("cache", "cache_controller", bench.domain, parameters);
    connect(&mut bench, (core, "fetch"), (cache, "port", 0));
    connect(&mut bench, (cache, "memory"), (memory, "port", 0));
    connect(&mut bench, (core, "data"), (memory, "port", 1));
    (bench, is_fused)
}

// The same with a cache of data, whose writes the cache of instructions receives, and with loads under way.
fn snooping(random: &mut Random) -> (Bench, bool) {
    let mut bench = Bench::new();
    let parameters: [(&str, ParameterValue); 12] = [
        ("instruction_set", "ppc405".into()),
        ("caches", true.into()),
        ("identity", 3_u32.into()),
        ("on_fault", "halt".into()),
        ("profile_bytes", Size(0x400).into()),
        ("branch_prediction", "static".into()),
        ("multiply_latency", 5_u32.into()),
        ("multiply_by_operand", true.into()),
        ("system_latency", 2_u32.into()),
        ("loads_under_way", (random.below(4) as u32).into()),
        ("store_buffer", (random.below(3) as u32).into()),
        ("load_use_delay", (random.below(3) as u32).into()),
    ];
    let core = bench.design.module("core", "pipelined_core", bench.domain, parameters);
    let parameters: [(&str, ParameterValue); 3] = [
        ("size", Size(MEMORY_BYTES).into()),
        ("contents", image_for_powerpc(random, WRITE_BACK).into()),
        ("latency", (1 + random.below(6) as u32).into()),
    ];
    let memory = bench.design.module("memory", "multiported_memory", bench.domain, parameters);
    let is_fused = random.below(5) != 0;
    let parameters: [(&str, ParameterValue); 4] = [
        ("size", Size(64 << random.below(5)).into()),
        ("line_size", Size(32).into()),
        ("fill_bytes", 8_u64.into()),
        ("hit_latency", u32::from(!is_fused).into()),
    ];
    let instructions = bench.design.module("instructions", "cache_controller", bench.domain, parameters);
    let parameters: [(&str, ParameterValue); 2] =
        [("size", Size(128).into()), ("fills", (1 + random.below(2) as u32).into())];
    let data = bench.design.module("data", "data_cache", bench.domain, parameters);
    bench.design.connect_lanes((data, "instructions", 0), (instructions, "snoop", 0));
    connect(&mut bench, (core, "fetch"), (instructions, "port", 0));
    connect(&mut bench, (instructions, "memory"), (memory, "port", 0));
    connect(&mut bench, (core, "data"), (data, "port", 0));
    connect(&mut bench, (data, "memory"), (memory, "port", 1));
    if random.below(2) == 0 {
        source(&mut bench, "line", vec![1; 6], random, (core, "interrupt"));
    }
    (bench, is_fused)
}

fn flat(random: &mut Random) -> (Bench, bool) {
    let is_fused = random.below(5) != 0;
    let (mut bench, core, memory) = core_and_memory(random, u32::from(!is_fused));
    let fetch = random.below(2) as usize;
    connect(&mut bench, (core, "fetch"), (memory, "port", fetch));
    connect(&mut bench, (core, "data"), (memory, "port", 1 - fetch));
    (bench, is_fused)
}

// A core with an instruction memory, which holds all of the image or its beginning, and data elsewhere.
fn fetching(random: &mut Random) -> (Bench, bool) {
    let latency = random.below(3) as u32;
    let (mut bench, core, memory) = core_and_memory(random, latency);
    let is_fused = random.below(5) != 0;
    let bytes: Vec<u8> = image(random, true).iter().flat_map(|word| word.to_be_bytes()).collect();
    let size = [bytes.len() as u64, 0x80][random.below(2) as usize];
    let parameters: [(&str, ParameterValue); 3] = [
        ("size", Size(size).into()),
        ("contents", bytes[..(size as usize).min(bytes.len())].to_vec().into()),
        ("latency", u32::from(!is_fused).into()),
    ];
    let instructions = bench.design.module("instructions", "multiported_memory", bench.domain, parameters);
    connect(&mut bench, (core, "fetch"), (instructions, "port", 0));
    connect(&mut bench, (core, "data"), (memory, "port", 0));
    (bench, is_fused)
}

// Another initiator reads bursts of a memory's data at a lane.
fn read_blocks(bench: &mut Bench, lane: usize, random: &mut Random, memory: ModuleId) {
    let read = |place| Block { address: DATA + 8 * place, length: 8, source: 9, write: None };
    let blocks: Vec<Block> = (0..40).map(|_| read(random.below(8))).collect();
    let parameters: [(&str, ParameterValue); 3] = [
        ("script", script(&blocks).into()),
        ("stall_percent", random.below(90).into()),
        ("seed", random.below(99).into()),
    ];
    let source = bench.design.module(format!("reader{lane}"), "test_source", bench.domain, parameters);
    let parameters: [(&str, ParameterValue); 2] =
        [("stall_percent", random.below(60).into()), ("seed", random.below(99).into())];
    let sink = bench.design.module(format!("read{lane}"), "test_sink", bench.domain, parameters);
    bench.design.connect_lanes((source, "output", 0), (memory, "block_request", lane));
    bench.design.connect_lanes((memory, "block_response", lane), (sink, "input", 0));
}

// A core with an instruction memory, and a map that leads its data to two memories, or now and then nowhere.
fn mapped(random: &mut Random) -> (Bench, bool) {
    let latency = 1 + random.below(3) as u32;
    let (mut bench, core, memory) = core_and_memory(random, latency);
    let is_fused = random.below(5) != 0;
    let parameters: [(&str, ParameterValue); 3] = [
        ("size", Size(MEMORY_BYTES).into()),
        (
            "contents",
            image(random, true).iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<_>>().into(),
        ),
        ("latency", u32::from(!is_fused).into()),
    ];
    let instructions = bench.design.module("instructions", "multiported_memory", bench.domain, parameters);
    let subtracts = random.below(2) == 0;
    // Addresses between them are at the first memory, or nowhere.
    let (first, second) = (DATA + 0x20 * random.below(2), DATA + 0x40);
    let end = if random.below(4) == 0 { second } else { MEMORY_BYTES };
    let bases = [vec![0, first], if end > second { vec![second] } else { Vec::new() }].concat();
    let sizes =
        [vec![first, second - first], if end > second { vec![end - second] } else { Vec::new() }].concat();
    let targets = if end > second { vec![0_u64, 1, 0] } else { vec![0, 1] };
    let parameters: [(&str, ParameterValue); 4] = [
        ("bases", bases.into()),
        ("sizes", sizes.into()),
        ("targets", targets.into()),
        ("subtract_base", subtracts.into()),
    ];
    let map = bench.design.module("map", "address_map", bench.domain, parameters);
    let parameters: [(&str, ParameterValue); 3] = [
        ("size", Size(0x40).into()),
        ("base", if subtracts { 0_u64 } else { first }.into()),
        ("latency", (1 + random.below(3) as u32).into()),
    ];
    let other = bench.design.module("other", "multiported_memory", bench.domain, parameters);
    connect(&mut bench, (core, "fetch"), (instructions, "port", 0));
    connect(&mut bench, (core, "data"), (map, "initiator", 0));
    for (target, memory) in [memory, other].into_iter().enumerate() {
        bench.design.connect_lanes((map, "target_request", target), (memory, "port_request", 0));
        bench.design.connect_lanes((memory, "port_response", 0), (map, "target_response", target));
    }
    for lane in 0..random.below(3) as usize {
        read_blocks(&mut bench, lane, random, memory);
    }
    (bench, is_fused)
}

// Another initiator reads and writes bursts of a memory's data.
fn exchange_blocks(bench: &mut Bench, bytes: u64, random: &mut Random, memory: ModuleId) {
    let payload = |random: &mut Random| (random.below(3) == 0).then(|| Payload::from_bits(0));
    let mut block = || {
        let length = 1 << random.below(5);
        let address = DATA + random.below(bytes - length);
        Block { address, length: length as u32, source: 9, write: payload(random) }
    };
    let blocks: Vec<Block> = (0..60).map(|_| block()).collect();
    let parameters: [(&str, ParameterValue); 3] = [
        ("script", script(&blocks).into()),
        ("stall_percent", (60 + random.below(40)).into()),
        ("seed", random.below(99).into()),
    ];
    let source = bench.design.module("mover", "test_source", bench.domain, parameters);
    let parameters: [(&str, ParameterValue); 1] = [("stall_percent", random.below(60).into())];
    let sink = bench.design.module("moved", "test_sink", bench.domain, parameters);
    bench.design.connect_lanes((source, "output", 0), (memory, "block_request", 0));
    bench.design.connect_lanes((memory, "block_response", 0), (sink, "input", 0));
}

/// Address at which a program begins that is interrupted by its timer.
const TIMED_ENTRY: u32 = 0x6000;

// A core with the default timing, a private memory of data behind a map, in which others move blocks, and a memory that others
// could share.
fn stretching(random: &mut Random) -> Bench {
    let is_riscv = random.below(2) == 0;
    let (image, bytes) = if is_riscv {
        (image_for_riscv(random, true), u64::from(RANDOM_BYTES))
    } else {
        let mut words = image(random, true);
        let timer = format!(
            "addiu t0,zero,{}\nmtc0 t0,c0_compare\nori t0,zero,0x8001\nmtc0 t0,c0_status\nj 0\nnop",
            20 + random.below(400)
        );
        let begins = TIMED_ENTRY as usize / 4;
        words[begins..][..6].copy_from_slice(&assemble(&timer, TIMED_ENTRY).expect("a program"));
        (words.iter().flat_map(|word| word.to_be_bytes()).collect(), 0x100)
    };
    let is_timed = !is_riscv && random.below(3) == 0;
    stretching_with(&image, bytes, is_riscv, if is_timed { TIMED_ENTRY } else { 0 }, random)
}

// RV32's jump.
fn jump(offset: i32) -> u32 {
    let offset = offset as u32;
    let low = (offset >> 1 & 0x3ff) << 21 | (offset >> 11 & 1) << 20 | (offset & 0xff000);
    (offset >> 20 & 1) << 31 | low | 0x6f
}

// The same with a loop whose instructions are known soon. It refers to both memories behind the map.
fn looping(random: &mut Random) -> Bench {
    let mut program: Vec<u8> = (0x0000_00b7 | DATA as u32).to_le_bytes().into();
    if random.below(2) == 0 {
        program.extend(1_u16.to_le_bytes());
    }
    let first = program.len();
    for _ in 0..4 + random.below(24) {
        let [destination, source, other] = [(); 3].map(|()| 5 + random.below(8) as u32);
        let offset = 4 * random.below(16) as u32;
        // Register 1 is the base of the data; the other memory lies from 0 on.
        let base = u32::from(random.below(4) > 0) << 15;
        let unit = [2, 2, 0, 5][random.below(4) as usize] << 12;
        let word = match random.below(16) {
            0..4 => offset << 20 | base | unit | destination << 7 | 0x03,
            4..7 => offset >> 5 << 25 | source << 20 | base | 2 << 12 | (offset & 31) << 7 | 0x23,
            7..10 => source << 20 | other << 15 | destination << 7 | 0x33,
            10 => 0x0200_0033 | source << 20 | other << 15 | destination << 7,
            // Over the next instruction if two registers are equal, or not.
            11 | 12 => {
                let branch = source << 20 | other << 15 | (random.below(2) as u32) << 12 | 0x463;
                program.extend(branch.to_le_bytes());
                1 << 20 | source << 15 | destination << 7 | 0x13
            }
            _ => {
                let add_one = destination << 7 | 5;
                program.extend((add_one as u16).to_le_bytes());
                continue;
            }
        };
        program.extend(word.to_le_bytes());
    }
    if random.below(2) == 0 {
        // A load from the other memory, so that stretches begin behind the jump.
        program.extend((5 << 7 | 2 << 12 | 0x03_u32).to_le_bytes());
    }
    program.extend(jump(first as i32 - program.len() as i32).to_le_bytes());
    program.resize(MEMORY_BYTES as usize, 0);
    stretching_with(&program, 0x100, true, 0, random)
}

fn stretching_with(image: &[u8], bytes: u64, is_riscv: bool, entry: u32, random: &mut Random) -> Bench {
    let mut bench = Bench::new();
    let parameters: [(&str, ParameterValue); 9] = [
        ("guard_start", (DATA + 4 * random.below(bytes / 4)).into()),
        ("entry", u64::from(entry).into()),
        ("instruction_set", if is_riscv { "rv32" } else { "mips" }.into()),
        ("identity", 3_u32.into()),
        ("on_fault", "halt".into()),
        ("exception_vector", u64::from(VECTOR).into()),
        ("profile_bytes", Size(0x1000).into()),
        ("history", (1_u32 << random.below(8)).into()),
        ("guard_bytes", Size(64 * (random.below(4) / 3)).into()),
    ];
    let core = bench.design.module("core", "pipelined_core", bench.domain, parameters);
    let parameters: [(&str, ParameterValue); 3] =
        [("size", Size(MEMORY_BYTES).into()), ("contents", image.to_vec().into()), ("latency", 0_u32.into())];
    let instructions = bench.design.module("instructions", "multiported_memory", bench.domain, parameters);
    // The program refers to all of its data, and to a counter behind them.
    let private = random.below(bytes / 8) * 4 + bytes / 2;
    let parameters: [(&str, ParameterValue); 3] = [
        ("bases", vec![DATA, 0, DATA + private].into()),
        ("sizes", vec![private, DATA, MEMORY_BYTES - DATA - private].into()),
        ("subtract_base", false.into()),
    ];
    let targets: [(&str, ParameterValue); 1] = [("targets", vec![0_u64, 1, 1].into())];
    let map = bench.design.module("map", "address_map", bench.domain, parameters.into_iter().chain(targets));
    connect(&mut bench, (core, "fetch"), (instructions, "port", 0));
    connect(&mut bench, (core, "data"), (map, "initiator", 0));
    if random.below(4) == 0 {
        source(&mut bench, "line", vec![1; 6], random, (core, "interrupt"));
    }
    for (target, name) in ["memory", "other"].into_iter().enumerate() {
        let base = if target == 0 { DATA } else { 0 };
        let latency = if target == 0 { 1 } else { 1 + random.below(3) as u32 };
        let parameters: [(&str, ParameterValue); 4] = [
            ("size", Size(MEMORY_BYTES - base).into()),
            ("base", base.into()),
            ("contents", image[base as usize..].to_vec().into()),
            ("latency", latency.into()),
        ];
        let memory = bench.design.module(name, "multiported_memory", bench.domain, parameters);
        bench.design.connect_lanes((map, "target_request", target), (memory, "port_request", 0));
        bench.design.connect_lanes((memory, "port_response", 0), (map, "target_response", target));
        if target == 0 && random.below(3) > 0 {
            exchange_blocks(&mut bench, bytes, random, memory);
        }
    }
    bench
}

// A loop of loads and stores of a packet mover's registers and memories, with what it stores and where at random.
fn mover_program(random: &mut Random) -> Vec<u8> {
    let (upper, load, store, add) = (0x3c00_0000_u32, 0x8c00_0000_u32, 0xac00_0000_u32, 0x2400_0000_u32);
    // Registers 1 and 2 are the bases of data and packets.
    let mut words = vec![upper | 1 << 16 | 0x80, upper | 2 << 16 | 0x100];
    let (status, received, sends) = ([0x8c, 0x9c, 0x90], [0x80, 0x84], [0x08, 0x0c, 0x28, 0x2c, 0x1c, 0x3c]);
    let first = words.len() as u32;
    for _ in 0..24 {
        let register = (3 + random.below(4)) as u32;
        let offset = 4 * random.below(32) as u32;
        words.push(match random.below(8) {
            0 | 1 => load | register << 16 | status[random.below(3) as usize],
            2 => load | register << 16 | received[random.below(2) as usize],
            3 => store | register << 16 | sends[random.below(6) as usize],
            4 => [load, store][random.below(2) as usize] | 1 << 21 | register << 16 | offset,
            5 => [load, store][random.below(2) as usize] | 2 << 21 | register << 16 | offset,
            6 => add | register << 21 | register << 16 | offset,
            // Over the next instruction, if the register is 0.
            _ => 0x1000_0000 | register << 21 | 1,
        });
        words.push(0);
    }
    words.extend([0x0800_0000 | first, 0]);
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

// A loop that reads registers until the status changes, then forwards or drops the packet.
fn polling_program(random: &mut Random) -> Vec<u8> {
    let (load, store, add) = (0x8c00_0000_u32, 0xac00_0000_u32, 0x2400_0000_u32);
    let (status, received, send, release) = (0x8c, [0x80, 0x84], [0x08, 0x0c, 0x28], 0x2c);
    // Registers have the other byte order: register 9 is what they take for 1.
    // Register 1 is the base of the data memory.
    let upper = 0x3c00_0000_u32;
    let mut words = vec![load | 8 << 16 | status, upper | 9 << 16 | 0x100, upper | 1 << 16 | 0x80];
    let first = words.len() as i32;
    let idle = |random: &mut Random, words: &mut Vec<u32>| {
        for _ in 0..random.below(4) {
            let register = 10 + random.below(3) as u32;
            let offset = 4 * random.below(8) as u32;
            words.push(match random.below(4) {
                0 => load | register << 16 | [0x9c, 0x90, received[0]][random.below(3) as usize],
                // Of the data memory.
                1 => load | 1 << 21 | register << 16 | offset,
                2 => add | register << 16 | random.below(99) as u32,
                _ => 0,
            });
        }
    };
    idle(random, &mut words);
    words.push(load | 7 << 16 | status);
    idle(random, &mut words);
    // Back as long as the status is what it was at the beginning.
    let back = (first - words.len() as i32 - 1) as u32 & 0xffff;
    words.extend([0x1000_0000 | 7 << 21 | 8 << 16 | back, 0]);
    if random.below(4) > 0 {
        for (from, to) in received.into_iter().zip(send) {
            words.extend([load | 7 << 16 | from, 0, store | 7 << 16 | to]);
        }
        words.push(store | send[2]);
    }
    words.extend([store | 9 << 16 | release, 0, 0x0800_0000 | first as u32, 0]);
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

// The same for a core that sends the first packets itself.
fn circulating_program(random: &mut Random) -> Vec<u8> {
    let (upper, or, store) = (0x3c00_0000_u32, 0x3400_0000_u32, 0xac00_0000_u32);
    let mut words = Vec::new();
    for slot in 1..=1 + random.below(3) as u32 {
        let low = (1 + random.below(600) as u32) | (slot << 16);
        let high = 0x0100_0000 | random.below(0x1000) as u32;
        for (value, register) in [(low, 0x08), (high, 0x0c), (0, 0x28)] {
            let value = value.swap_bytes();
            words.extend([upper | 2 << 16 | value >> 16, or | 2 << 21 | 2 << 16 | value & 0xffff]);
            words.push(store | 2 << 16 | register);
        }
    }
    let mut program: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
    program.extend(polling_program(random));
    with_jump_moved(words.len() as u32, program)
}

const INSTRUCTION_BYTES: u64 = 0x400;

// A program whose loop continues in another copy of the memory.
fn in_copy(copy: u32, program: Vec<u8>) -> Vec<u8> {
    with_jump_moved(copy * INSTRUCTION_BYTES as u32 / 4, program)
}

// A program whose last jump goes some words further.
fn with_jump_moved(words: u32, mut program: Vec<u8>) -> Vec<u8> {
    let jump = program.len() - 8;
    let word = u32::from_be_bytes(program[jump..jump + 4].try_into().expect("four bytes"));
    program[jump..jump + 4].copy_from_slice(&(word + words).to_be_bytes());
    program
}

// A core with an instruction memory and a packet mover, to which packets come.
fn moving(random: &mut Random) -> (Bench, bool) {
    moving_with(mover_program, false, random)
}

// The same with a core that polls.
fn polling(random: &mut Random) -> (Bench, bool) {
    moving_with(polling_program, false, random)
}

// The same with packets that it sends to itself.
fn circulating(random: &mut Random) -> (Bench, bool) {
    moving_with(circulating_program, true, random)
}

fn moving_with(program: fn(&mut Random) -> Vec<u8>, circulates: bool, random: &mut Random) -> (Bench, bool) {
    let mut bench = Bench::new();
    let loads = Loads::of(random.below(3));
    let mut parameters = machine("pipelined_core", random, loads).core;
    parameters.push(("on_fault", "halt".into()));
    parameters.push(("profile_bytes", Size(0x400).into()));
    let core = bench.design.module("core", "pipelined_core", bench.domain, parameters);
    let is_fused = random.below(5) != 0;
    let reports = random.below(2) == 0;
    let copy = if reports { random.below(4) as u32 } else { 0 };
    let parameters: [(&str, ParameterValue); 5] = [
        ("size", Size(INSTRUCTION_BYTES).into()),
        ("contents", in_copy(copy, program(random)).into()),
        ("latency", u32::from(!is_fused).into()),
        ("repeats", reports.into()),
        ("reported", Size(2 * INSTRUCTION_BYTES).into()),
    ];
    let instructions = bench.design.module("instructions", "multiported_memory", bench.domain, parameters);
    let parameters: [(&str, ParameterValue); 1] = [("sender_cycles", (random.below(12) as u32).into())];
    let mover = bench.design.module("mover", "packet_mover", bench.domain, parameters);
    connect(&mut bench, (core, "fetch"), (instructions, "port", 0));
    connect(&mut bench, (core, "data"), (mover, "core", 0));
    if reports {
        bench.design.connect((instructions, "beyond"), (mover, "fetch_beyond"));
    }
    let packet = |slot| SlotPacket { bytes: Payload::from_bits(0), slot, port: slot & 1, core: None };
    let packets: Vec<SlotPacket> = (0..12).map(|_| packet(random.below(5) as u8)).collect();
    if circulates {
        bench.design.connect_lanes((mover, "output", 0), (mover, "input", 0));
    } else {
        source(&mut bench, "packets", script(&packets), random, (mover, "input"));
    }
    for port in if circulates { &["message"][..] } else { &["output", "message"] } {
        let parameters: [(&str, ParameterValue); 2] =
            [("stall_percent", random.below(60).into()), ("seed", random.below(99).into())];
        let sink = bench.design.module(*port, "test_sink", bench.domain, parameters);
        bench.design.connect_lanes((mover, *port, 0), (sink, "input", 0));
    }
    if random.below(2) == 0 {
        bench.design.connect_lanes((mover, "interrupt", 0), (core, "interrupt", 0));
    } else if random.below(2) == 0 {
        source(&mut bench, "line", vec![1; 6], random, (core, "interrupt"));
    }
    (bench, is_fused)
}

// A core with a private memory, which holds what the image has at its addresses: all, the first instructions, or the first data.
fn private(random: &mut Random) -> (Bench, std::ops::Range<u64>) {
    let latency = random.below(3) as u32;
    let (mut bench, core, memory) = core_and_memory(random, latency);
    let places = [0..MEMORY_BYTES, 0..0x60, DATA..DATA + 0x40];
    let own = places[random.below(3) as usize].clone();
    let parameters: [(&str, ParameterValue); 8] = [
        ("size", Size(own.end - own.start).into()),
        ("base", own.start.into()),
        ("registers_base", (DATA + 0x40).into()),
        ("registers_size", Size(0x40).into()),
        ("beyond_size", Size(MEMORY_BYTES).into()),
        ("window_base", (DATA + 0x80).into()),
        ("window_size", Size(0x40).into()),
        ("window_mask", 0xfffc_u64.into()),
    ];
    let private = bench.design.module("private", "private_memory", bench.domain, parameters);
    let parameters: [(&str, ParameterValue); 3] = [
        ("size", Size(0x40).into()),
        ("base", (DATA + 0x40).into()),
        ("latency", (random.below(2) as u32).into()),
    ];
    let registers = bench.design.module("registers", "multiported_memory", bench.domain, parameters);
    connect(&mut bench, (core, "fetch"), (private, "instructions", 0));
    connect(&mut bench, (core, "data"), (private, "data", 0));
    connect(&mut bench, (private, "instructions_beyond"), (memory, "port", 0));
    connect(&mut bench, (private, "data_beyond"), (memory, "port", 1));
    connect(&mut bench, (private, "registers"), (registers, "port", 0));
    if random.below(2) == 0 {
        source(&mut bench, "relocation", vec![0x40, 0, 0x20, 0x80], random, (private, "relocation"));
    }
    (bench, own)
}

fn hold_to_private(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let (bench, own) = private(&mut Random::new(seed));
        let fused = assert_equal_when_prepared(&bench, CYCLES, |simulation| {
            let [memory, private] = ["memory", "private"]
                .map(|name| simulation.netlist().find_module(name).expect("it is there"));
            let mut bytes = vec![0; (own.end - own.start) as usize];
            assert!(simulation.contents(memory).expect("it holds bytes").read(own.start, &mut bytes));
            assert!(simulation.contents(private).expect("it holds bytes").write(0, &bytes));
        });
        assert_eq!(fused, [["core", "private"]], "with seed {seed}");
    }
}

fn hold_to_single(build: fn(&mut Random) -> (Bench, bool), seeds: std::ops::Range<u64>, cycles: u64) {
    for seed in seeds {
        let (bench, is_fused) = build(&mut Random::new(seed));
        let fused = assert_equal_to_single(&bench, cycles);
        assert_eq!(fused.len(), usize::from(is_fused), "with seed {seed}: {fused:?}");
    }
}

#[test]
fn a_core_and_its_cache_act_as_one() {
    hold_to_single(cached, 0..25, CYCLES);
}

#[test]
fn a_core_and_a_cache_that_snoops_act_as_one() {
    hold_to_single(snooping, 0..8, 5 * CYCLES);
}

#[test]
fn a_core_and_its_private_memory_act_as_one() {
    hold_to_private(0..25);
}

#[test]
fn a_core_and_a_memory_that_answers_at_once_act_as_one() {
    hold_to_single(flat, 0..25, CYCLES);
}

#[test]
fn a_core_and_its_instruction_memory_act_as_one() {
    hold_to_single(fetching, 0..25, CYCLES);
}

#[test]
fn a_core_its_memories_and_the_map_of_its_data_act_as_one() {
    hold_to_single(mapped, 0..25, CYCLES);
    // The host halts the core before the answer to a reference that leads nowhere.
    hold_to_single(mapped, 1089..1090, CYCLES);
    let mut benches = (0..).map(|seed| mapped(&mut Random::new(seed)));
    let (bench, _) = benches.find(|(_, is_fused)| *is_fused).expect("most are");
    let fused = assert_equal_to_single(&bench, 10);
    assert_eq!(fused, [["core", "instructions", "map", "memory"]]);
}

fn hold_stretches_to_single(seeds: std::ops::Range<u64>, cycles: u64) {
    for seed in seeds {
        for (build, instructions_change) in [(stretching as fn(&mut Random) -> Bench, true), (looping, false)]
        {
            let random = &mut Random::new(seed);
            let bench = build(random);
            let fused = assert_equal_in_pieces(&bench, cycles, instructions_change, random);
            assert_eq!(fused, [["core", "instructions", "map", "memory"]], "with seed {seed}");
        }
    }
}

#[test]
fn a_core_that_simulates_many_cycles_at_once_acts_as_one_that_steps() {
    hold_stretches_to_single(0..40, 3000);
    // The memory is changed when half of an instruction has arrived; a load is answered in the first cycle of a stretch.
    hold_stretches_to_single(1561..1562, 600);
    hold_stretches_to_single(2027..2028, 3000);
}

#[test]
fn a_core_executes_what_it_has_fetched_although_it_is_replaced() {
    let bench = looping(&mut Random::new(1));
    let add = |register: u32, number: u32| number << 20 | register << 15 | register << 7 | 0x13;
    let add_one_twice = |register: u32| (register << 7 | 5) << 16 | register << 7 | 5;
    // Two blocks, each with a jump to the other, and instructions behind it.
    let mut words: Vec<u32> = (5..16).map(|register| add(register, 1)).collect();
    (words[2], words[8]) = (jump(16), jump(-32));
    let program: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    for (place, register) in [0, 1, 3, 4, 6, 7, 9, 10].into_iter().map(|word| (4 * word, word as u32 + 5)) {
        for word in [add(register, 5), add_one_twice(register)] {
            for cycle in 60..71 {
                for is_watched in [false, true] {
                    assert_equal_after_change(&bench, &program, is_watched, (cycle, place, word));
                }
            }
        }
    }
}

#[test]
fn a_core_its_instruction_memory_and_a_packet_mover_act_as_one() {
    hold_to_single(moving, 0..25, CYCLES);
    let fused = assert_equal_to_single(&moving(&mut Random::new(0)).0, 10);
    assert_eq!(fused, [["core", "instructions", "mover"]]);
}

fn hold_polls_to_single(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let random = &mut Random::new(seed);
        for build in [polling, circulating] {
            let (bench, _) = build(random);
            assert_polls_as_single(&bench, 6 * CYCLES, random);
        }
    }
}

#[test]
fn a_core_that_polls_a_packet_mover_acts_as_if_never_suspended() {
    hold_polls_to_single(0..40);
    // A run ended between two cycles in which the fusion was idle.
    hold_polls_to_single(1437..1438);
}

#[test]
#[ignore = "the long form"]
fn cores_and_memories_act_as_one_however_often() {
    hold_to_single(cached, 1000..3000, CYCLES);
    hold_to_single(snooping, 1000..1500, 9 * CYCLES);
    hold_to_single(flat, 1000..3000, CYCLES);
    hold_to_single(fetching, 1000..3000, CYCLES);
    hold_to_single(moving, 1000..3000, CYCLES);
    hold_polls_to_single(1000..3000);
    hold_stretches_to_single(1000..3000, 6000);
    hold_to_single(mapped, 1000..3000, CYCLES);
    hold_to_private(1000..3000);
}

#[test]
fn their_declared_dependencies_hold() {
    let private = |random: &mut Random| (private(random).0, true);
    let stretching = |random: &mut Random| (stretching(random), true);
    for build in [cached, snooping, flat, fetching, moving, polling, circulating, mapped, private, stretching]
    {
        for seed in 0..3 {
            let (bench, _) = build(&mut Random::new(seed));
            let mut simulation = bench.start();
            simulation.set_check_dependencies(true);
            crate::support::run_to(&mut simulation, 100);
        }
    }
}
