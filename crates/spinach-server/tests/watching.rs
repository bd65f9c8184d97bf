//! A machine with stop conditions behaves as one without, and stops where it should.
//!
//! The program counts in a loop that stores and loads, interrupted by its timer every 700 cycles.

#![allow(clippy::unwrap_used, reason = "a failed expectation fails the test")]

use spinach_isa::debugging::{Hit, Resume, Watched};
use spinach_server::hart::Hart;
use spinach_server::history::{Doing, Functions};
use spinach_server::machine::{Configuration, Machine, Outcome};
use spinach_server::map;
use spinach_server::timed::{Pace, Timed, TimedParameters};

const LOOP: u64 = map::MEMORY + 0x40;
const STORE: u64 = LOOP + 4;
const LOAD: u64 = LOOP + 8;
const HANDLER: u64 = map::MEMORY + 0x60;
const COUNT: u64 = map::MEMORY + 0x1044;
/// The instruction that adds to the address of the counter.
const BASE_OF_COUNT: u64 = map::MEMORY + 14 * 4;
const COUNTED: usize = 9;
const INTERRUPTS: usize = 18;

fn immediate(opcode: u32, function: u32, rd: u32, rs1: u32, value: i32) -> u32 {
    (value as u32) << 20 | rs1 << 15 | function << 12 | rd << 7 | opcode
}

fn addi(rd: u32, rs1: u32, value: i32) -> u32 {
    immediate(0x13, 0, rd, rs1, value)
}

fn auipc(rd: u32, pages: u32) -> u32 {
    pages << 12 | rd << 7 | 0x17
}

// Function 1 writes the register, 2 sets bits, 6 those of a number.
fn control(function: u32, rd: u32, register: i32, rs1: u32) -> u32 {
    immediate(0x73, function, rd, rs1, register)
}

const STIMECMP: i32 = 0x14d;

fn program() -> Vec<(u64, u32)> {
    let begin = [
        0x485 << 12 | 17 << 7 | 0x37, // lui a7, 0x485
        addi(17, 17, 0x34d),          // a7: state of harts
        addi(10, 0, 1),               // a0: hart 1
        auipc(11, 0),
        addi(11, 11, 0x0c), // a1: where it starts, after the call
        0x73,               // ecall
        auipc(5, 0),
        addi(6, 5, 0x60 - 0x18),
        control(1, 0, 0x105, 6), // stvec
        addi(7, 0, 32),
        control(2, 0, 0x104, 7), // sie: the timer
        control(1, 0, STIMECMP, 0),
        control(6, 0, 0x100, 2), // sstatus: interrupts
        auipc(8, 1),             // s0: base + 0x1034
        addi(8, 8, 0x10),
        addi(0, 0, 0),
    ];
    let count = [
        addi(9, 9, 1),
        0x0094_3023, // sd s1, 0(s0)
        immediate(0x03, 3, 12, 8, 0),
        0xff5f_f06f, // jal x0, -12
    ];
    let handler = [
        control(2, 28, 0xc01, 0), // time
        addi(28, 28, 7),
        control(1, 0, STIMECMP, 28),
        addi(18, 18, 1),
        0x1020_0073, // sret
    ];
    let at = |address: u64, words: &[u32]| {
        words.iter().zip((address..).step_by(4)).map(|(word, at)| (at, *word)).collect::<Vec<_>>()
    };
    [at(map::MEMORY, &begin), at(LOOP, &count), at(HANDLER, &handler)].concat()
}

fn machine(harts: usize) -> Machine {
    let configuration =
        Configuration { harts, memory_bytes: 1 << 20, turn_cycles: 300, ..Configuration::default() };
    let mut machine = Machine::new(&configuration);
    for (address, word) in program() {
        machine.board.memory.store(address, &word.to_le_bytes()).unwrap();
    }
    machine
}

fn watch(machine: &mut Machine, actions: &[Resume], instructions: &[u64], data: &[Watched]) {
    machine.watch(actions, instructions.to_vec(), data.to_vec());
}

fn hit(machine: &mut Machine) -> (usize, Hit) {
    assert_eq!(machine.run_until(1_000_000), Outcome::Stopped);
    machine.hit().unwrap()
}

#[test]
fn standing_changes_nothing() {
    for (harts, seed) in [(1, 1), (1, 2), (2, 3), (2, 4), (4, 5)] {
        stand_at_random(&|| machine(harts), harts, seed);
    }
}

#[test]
fn standing_changes_nothing_of_timed_harts() {
    let parameters = TimedParameters::default();
    for (harts, seed) in [(1, 6), (1, 7), (2, 8), (4, 9)] {
        let timed = || {
            let mut machine = machine(harts);
            machine.set_timed(Some(&parameters));
            machine
        };
        stand_at_random(&timed, harts, seed);
        let paced = || {
            let mut machine = timed();
            machine.set_pace(Some(Pace::new(4.0 / 3.0, 0.3)));
            machine
        };
        stand_at_random(&paced, harts, seed);
    }
}

#[test]
fn a_timed_hart_within_a_block_continues_alike_from_a_checkpoint() {
    let parameters = TimedParameters::default();
    let mut saved = machine(1);
    saved.set_timed(Some(&parameters));
    for end in (1..60).map(|stop| 1201 * stop) {
        watch(&mut saved, &[Resume::Continue], &[[STORE, LOAD][end as usize % 2]], &[]);
        assert_eq!(saved.run_until(end), Outcome::Stopped);
        let mut restored = Machine::restore(&saved.save(), None, vec![]).unwrap();
        restored.set_timed(Some(&parameters));
        saved.clear_stop_conditions();
        restored.run_until(end);
        assert_eq!(saved.save(), restored.save(), "at {end}");
    }
}

#[test]
fn a_timed_hart_that_stood_within_a_block_ends_its_turn() {
    const END: u64 = 30_000;
    let parameters = TimedParameters::default();
    let timed = || {
        let mut machine = machine(2);
        // Aligned references end no block.
        machine.board.memory.store(BASE_OF_COUNT, &addi(8, 8, 0x14).to_le_bytes()).unwrap();
        machine.set_timed(Some(&parameters));
        machine
    };
    let mut alone = timed();
    alone.run_until(END);
    for begin in (1..20).map(|stop| 1201 * stop) {
        let mut held = timed();
        held.run_until(begin);
        watch(&mut held, &[Resume::Continue; 2], &[[STORE, LOAD][begin as usize % 2]], &[]);
        assert_eq!(held.run_until(END), Outcome::Stopped);
        watch(&mut held, &[Resume::Continue; 2], &[], &[]);
        held.run_until(END);
        assert_eq!(alone.save(), held.save(), "stopped after {begin}");
    }
}

fn stand_at_random(machine: &dyn Fn() -> Machine, harts: usize, seed: u64) {
    const END: u64 = 60_000;
    let mut alone = machine();
    alone.run_until(END);
    let mut held = machine();
    let mut random: u64 = seed;
    let mut next = |limit: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % limit
    };
    let (mut stands, mut end) = (0, 0);
    while end < END {
        let mut actions: Vec<_> = (0..harts).map(|_| Resume::Continue).collect();
        if next(3) > 0 {
            actions[next(harts as u64) as usize] = Resume::Step(LOOP, LOOP + 4 * next(3));
        }
        let instructions: Vec<_> =
            (0..next(3)).map(|_| [STORE, LOAD, HANDLER, HANDLER + 16][next(4) as usize]).collect();
        let data = [Watched { address: COUNT, bytes: 1, reads: next(2) > 0, writes: next(2) > 0 }];
        watch(&mut held, &actions, &instructions, &data[..next(2) as usize]);
        // At a stop it continues next time, up to the same end.
        if held.run_until(end) == Outcome::Stopped {
            stands += 1;
        } else {
            end = (end + 1 + next(900)).min(END);
            if end == END && held.run_until(END) != Outcome::Stopped {
                break;
            }
        }
    }
    held.clear_stop_conditions();
    held.run_until(END);
    assert!(stands > 100, "{stands}");
    assert_eq!(alone.time(), held.time());
    let times = |machine: &Machine| machine.harts().iter().map(Hart::time).collect::<Vec<_>>();
    assert_eq!(times(&alone), times(&held));
    let counts = |machine: &Machine| machine.timed().map(Timed::counts);
    assert_eq!(counts(&alone), counts(&held));
    assert_eq!(alone.save(), held.save(), "{harts} harts, seed {seed}");
}

#[test]
fn a_hart_stands_before_what_is_watched() {
    let mut machine = machine(1);
    watch(&mut machine, &[Resume::Continue], &[LOAD, STORE], &[]);
    assert_eq!(hit(&mut machine), (0, Hit::Instruction(STORE)));
    assert_eq!((machine.harts()[0].pc(), machine.harts()[0].general(COUNTED)), (STORE, 1));
    watch(&mut machine, &[Resume::Continue], &[LOAD, STORE], &[]);
    assert_eq!(hit(&mut machine), (0, Hit::Instruction(LOAD)));
    let store = Watched { address: COUNT + 7, bytes: 1, reads: false, writes: true };
    watch(&mut machine, &[Resume::Continue], &[], &[store]);
    assert_eq!(hit(&mut machine), (0, Hit::Data { index: 0, address: COUNT }));
    let mut bytes = [0; 8];
    machine.look(0, COUNT, &mut bytes).unwrap();
    assert_eq!((machine.harts()[0].pc(), u64::from_le_bytes(bytes)), (STORE, 1));
    let load = Watched { reads: true, writes: false, ..store };
    watch(&mut machine, &[Resume::Continue], &[STORE], &[load]);
    assert_eq!(hit(&mut machine), (0, Hit::Data { index: 0, address: COUNT }));
    assert_eq!(machine.harts()[0].pc(), LOAD);
}

#[test]
fn steps_stay_in_the_program_while_interrupts_are_served() {
    let mut machine = machine(1);
    watch(&mut machine, &[Resume::Continue], &[LOOP], &[]);
    hit(&mut machine);
    let before = machine.harts()[0].general(INTERRUPTS);
    for number in 1..4000 {
        watch(&mut machine, &[Resume::Step(0, 0)], &[], &[]);
        assert_eq!(hit(&mut machine), (0, Hit::Step));
        assert_eq!(machine.harts()[0].pc(), LOOP + 4 * (number % 4));
    }
    assert!(machine.harts()[0].general(INTERRUPTS) > before + 3);
    // An interrupt handler's stop is reported during a step, too.
    watch(&mut machine, &[Resume::Step(LOOP, LOOP + 16)], &[HANDLER], &[]);
    assert_eq!(hit(&mut machine), (0, Hit::Instruction(HANDLER)));
}

#[test]
fn registers_and_memory_can_be_written() {
    let mut machine = machine(1);
    watch(&mut machine, &[Resume::Continue], &[STORE], &[]);
    hit(&mut machine);
    machine.hart_mut(0).set_general(COUNTED, 77);
    // The program counts by two from here on.
    machine.overwrite(0, LOOP, &addi(9, 9, 2).to_le_bytes()).unwrap();
    watch(&mut machine, &[Resume::Continue], &[LOAD], &[]);
    hit(&mut machine);
    let mut bytes = [0; 8];
    machine.look(0, COUNT, &mut bytes).unwrap();
    assert_eq!(u64::from_le_bytes(bytes), 77);
    watch(&mut machine, &[Resume::Continue], &[STORE], &[]);
    hit(&mut machine);
    assert_eq!(machine.harts()[0].general(COUNTED), 79);
    assert_eq!(machine.look(0, map::MEMORY + (1 << 20) - 4, &mut bytes), None);
    assert_eq!(machine.overwrite(0, map::MEMORY - 4, &bytes), None);
}

/// The same on one hart whose page tables show memory where a kernel is, too; it begins there.
fn machine_of_kernel() -> Machine {
    const TABLE: u64 = map::MEMORY + 0x2000;
    const PAGE_OF_GIBIBYTE: u64 = map::MEMORY >> 12 << 10 | 0xcf;
    let mut machine = machine(1);
    machine.board.memory.store(TABLE + 8 * (KERNEL >> 30 & 511), &PAGE_OF_GIBIBYTE.to_le_bytes()).unwrap();
    let hart = machine.hart_mut(0);
    hart.control_mut().write(0x180, 8 << 60 | TABLE >> 12);
    hart.set_pc(KERNEL);
    machine
}

const KERNEL: u64 = 0xffff_ffff_8000_0000;

#[test]
fn a_history_has_every_cycle_of_its_window_and_changes_nothing() {
    let (mut alone, mut kept) = (machine_of_kernel(), machine_of_kernel());
    let addresses = [HANDLER, map::MEMORY, LOOP].map(|address| address - map::MEMORY + KERNEL);
    let functions = Functions::new([&addresses[..], &[map::MEMORY]].concat());
    kept.keep_history(&(10_000..20_000), &functions);
    for running in [&mut alone, &mut kept] {
        running.run_until(30_000);
    }
    assert_eq!(alone.save(), kept.save());
    let history = &kept.histories()[0];
    let changes = history.changes();
    assert_eq!(changes[0].time, 10_000);
    assert!(changes.windows(2).all(|pair| pair[0].time < pair[1].time && pair[1].time < 20_000));
    let executed: Vec<_> = changes
        .iter()
        .filter_map(|change| match change.doing {
            Doing::Executes { function, is_user: false } => function,
            _ => None,
        })
        .collect();
    // The loop is function 2, the handler 3, in turn.
    assert_eq!(executed.len(), changes.len());
    assert!(executed.windows(2).all(|pair| pair[0] + pair[1] == 5), "{executed:?}");
    // Every 7 ticks of 100 cycles.
    assert!((13..=15).contains(&history.served().len()), "{:?}", history.served());
    assert!(history.served().iter().all(|served| served.number == 5 && served.ends - served.begins <= 6));
}

#[test]
fn memory_is_seen_through_page_tables_without_a_trace() {
    let mut machine = machine_of_kernel();
    machine.run_until(1000);
    let before = machine.save();
    let mut bytes = [0; 4];
    machine.look(0, KERNEL + 0x40, &mut bytes).unwrap();
    assert_eq!(u32::from_le_bytes(bytes), addi(9, 9, 1));
    assert_eq!(machine.look(0, map::MEMORY, &mut bytes), None);
    assert_eq!(machine.save(), before);
}

#[test]
fn a_loop_whose_code_is_rewritten_is_left_with_and_without_stop_conditions() {
    let words = [
        auipc(5, 0),
        addi(6, 0, 100),
        0x0080_006f,   // jal x0, 8
        addi(9, 9, 2), // the new instruction
        addi(9, 9, 1), // the loop
        addi(6, 6, -1),
        0xfe03_1ce3, // bne t1, x0, -8
        immediate(0x03, 2, 7, 5, 12),
        0x0072_a823, // sw t2, 16(t0)
        addi(6, 0, 100),
        0xfe9f_f06f, // jal x0, -24
    ];
    for is_watched in [false, true] {
        let mut machine = Machine::new(&Configuration { memory_bytes: 1 << 20, ..Configuration::default() });
        for (address, word) in (map::MEMORY..).step_by(4).zip(words) {
            machine.board.memory.store(address, &word.to_le_bytes()).unwrap();
        }
        if is_watched {
            watch(&mut machine, &[Resume::Continue], &[HANDLER], &[]);
        }
        machine.run(3 + 300);
        assert_eq!(machine.harts()[0].general(9), 100);
        machine.run(4 + 300);
        assert_eq!(machine.harts()[0].general(9), 300);
    }
}

#[test]
fn a_known_block_is_decoded_again_when_the_arena_was_emptied() {
    const COLD: u64 = map::MEMORY + 4096;
    const ROUNDS: u64 = 66_000; // More than 2^22 instructions of cold blocks.
    let [nop, jump_to_t1, jump_to_t0] = [0x0001_u16, 0x8302, 0x8282];
    let mut machine = Machine::new(&Configuration { memory_bytes: 16 << 20, ..Configuration::default() });
    let mut cold = [nop; 64];
    cold[63] = jump_to_t1;
    let cold: Vec<u8> = cold.iter().flat_map(|parcel| parcel.to_le_bytes()).collect();
    for round in 0..=ROUNDS {
        machine.board.memory.store(COLD + 128 * round, &cold).unwrap();
    }
    let begin = [auipc(6, 0), addi(6, 6, 16), auipc(5, 1), addi(5, 5, -136)];
    let words = begin.into_iter().chain([addi(5, 5, 128)]).flat_map(u32::to_le_bytes); // The last begins the loop.
    let code: Vec<u8> = words.chain(jump_to_t0.to_le_bytes()).collect();
    machine.board.memory.store(map::MEMORY, &code).unwrap();
    machine.run(4 + 66 * ROUNDS);
    let hart = &machine.harts()[0];
    assert_eq!((hart.pc(), hart.general(5)), (map::MEMORY + 16, COLD + 128 * (ROUNDS - 1)));
}

#[test]
fn a_pair_of_instructions_may_be_divided() {
    let words = [
        auipc(8, 1),
        addi(6, 0, 100),
        addi(9, 9, 1), // the loop
        addi(10, 9, 2),
        0x0094_3023, // sd s1, 0(s0)
        0x00a4_3423, // sd a0, 8(s0)
        immediate(0x03, 3, 9, 8, 8),
        immediate(0x03, 3, 12, 8, 0),
        addi(6, 6, -1),
        0xfe03_12e3, // bne t1, x0, -28
    ];
    let ran = |parts: &[u64]| {
        let mut machine = Machine::new(&Configuration { memory_bytes: 1 << 20, ..Configuration::default() });
        for (address, word) in (map::MEMORY..).step_by(4).zip(words) {
            machine.board.memory.store(address, &word.to_le_bytes()).unwrap();
        }
        parts.iter().for_each(|cycles| assert_eq!(machine.run(*cycles), Outcome::Time));
        machine.harts()[0].registers()
    };
    for first in 1..24 {
        let stepped = ran(&[1; 48][..first]);
        assert_eq!(ran(&[first as u64]), stepped);
        assert_eq!(ran(&[first as u64, 48 - first as u64]), ran(&[1; 48]));
    }
}
