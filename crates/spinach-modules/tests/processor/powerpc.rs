//! The PowerPC 405: its costs to the cycle, its timers, its two levels of interrupts, and its device control registers.

use crate::machine::{Machine, Run};

const KINDS: [&str; 2] = ["pipelined_core", "functional_core"];

const TRAP: u32 = 0x7fe0_0008;
const RFI: u32 = 0x4c00_0064;
const RFCI: u32 = 0x4c00_0066;
const NOP: u32 = 0x6000_0000;

fn d(opcode: u32, rt: u32, ra: u32, immediate: i32) -> u32 {
    opcode << 26 | rt << 21 | ra << 16 | immediate as u32 & 0xffff
}

fn li(rt: u32, value: i32) -> u32 {
    d(14, rt, 0, value)
}

fn addi(rt: u32, ra: u32, value: i32) -> u32 {
    d(14, rt, ra, value)
}

fn lis(rt: u32, value: u32) -> u32 {
    d(15, rt, 0, value as i32)
}

fn x(extended: u32, rt: u32, ra: u32, rb: u32) -> u32 {
    31 << 26 | rt << 21 | ra << 16 | rb << 11 | extended << 1
}

fn mtspr(number: u32, rs: u32) -> u32 {
    x(467, rs, number & 31, number >> 5)
}

fn cmpwi(ra: u32, value: i32) -> u32 {
    d(11, 0, ra, value)
}

/// `beq` and `bne`, by so many bytes.
fn beq(distance: i32) -> u32 {
    d(16, 12, 2, distance)
}

fn bne(distance: i32) -> u32 {
    d(16, 4, 2, distance)
}

fn machine(kind: &'static str) -> Machine {
    Machine::new(kind).with("instruction_set", "ppc405")
}

fn pipelined() -> Machine {
    machine("pipelined_core")
        .with("branch_prediction", "static")
        .with("multiply_latency", 5_u32)
        .with("multiply_by_operand", true)
        .with("divide_latency", 35_u32)
}

fn run(machine: &Machine, words: &[u32]) -> Run {
    machine.run_words(&[words, &[TRAP]].concat())
}

#[track_caller]
fn check(words: &[u32], gaps: &[u64]) {
    assert_eq!(run(&pipelined(), words).gaps(), gaps);
}

#[test]
fn multiplications_take_as_long_as_their_operand_is_long() {
    let product = x(235, 4, 3, 5); // mullw r4,r3,r5
    let user = addi(6, 4, 1);
    for (operand, latency) in
        [(li(5, 100), 2), (li(5, -128), 2), (li(5, 200), 3), (li(5, -0x8000), 3), (lis(5, 1), 5)]
    {
        check(&[operand, product, user], &[1, latency]);
        check(&[operand, product, NOP, user], &[1, 1, latency - 1]);
        // Another one may begin a cycle earlier.
        check(&[operand, product, x(235, 7, 3, 5)], &[1, (latency - 1).max(1)]);
    }
    check(&[d(7, 4, 3, 100), user], &[2]); // mulli
    check(&[d(7, 4, 3, 1000), user], &[3]);
    check(&[li(5, 3), x(491, 4, 3, 5), user], &[1, 35]); // divw
}

#[test]
fn a_branch_is_predicted_while_its_conditions_are_in_doubt() {
    // Not taken as predicted, at any distance.
    check(&[cmpwi(3, 1), beq(8), NOP, NOP], &[1, 1, 1]);
    check(&[cmpwi(3, 1), NOP, beq(8), NOP], &[1, 1, 1]);
    // Taken though predicted not to be: 3 cycles, 2 with an instruction between, and 2 when it is known.
    check(&[cmpwi(3, 0), beq(8), NOP, NOP], &[1, 3]);
    check(&[cmpwi(3, 0), NOP, beq(8), NOP, NOP], &[1, 1, 2]);
    check(&[cmpwi(3, 0), NOP, NOP, beq(8), NOP, NOP], &[1, 1, 1, 2]);
    // The option turns the prediction round: not taken though predicted to be.
    let likely = beq(8) | 1 << 21;
    check(&[cmpwi(3, 1), likely, NOP, NOP], &[1, 3, 1]);
    check(&[cmpwi(3, 1), NOP, likely, NOP, NOP], &[1, 1, 2, 1]);
    check(&[cmpwi(3, 1), NOP, NOP, likely, NOP, NOP], &[1, 1, 1, 1, 1]);
    check(&[cmpwi(3, 0), likely, NOP, NOP], &[1, 2]);
    // A loop: taken backward as predicted, and in the end not.
    let of_loop = [li(3, 2), addi(3, 3, -1), cmpwi(3, 0), bne(-8), NOP];
    check(&of_loop, &[1, 1, 1, 2, 1, 1, 3]);
    // Without prediction it waits for the conditions.
    let waits = pipelined().with("branch_prediction", "none");
    assert_eq!(run(&waits, &[cmpwi(3, 1), beq(8), NOP, NOP]).gaps(), [2, 1, 1]);
}

#[test]
fn several_references_of_an_instruction_take_a_cycle_each() {
    check(&[NOP, d(46, 28, 0, 0x100), NOP], &[4, 1]); // lmw r28: the last of four words completes it
    check(&[li(4, 0x102), d(32, 5, 4, 1), NOP], &[2, 1]); // lwz across two words
    let mut stored = run(&pipelined(), &[lis(5, 0x1234), addi(5, 5, 0x5678), li(4, 0x102), d(36, 5, 4, 1)]);
    assert_eq!((stored.word(0x100), stored.word(0x104)), (0x0000_0012, 0x3456_7800));
}

/// Code at vectors, each given with its place.
fn image(program: &[u32], handlers: &[(usize, &[u32])]) -> Vec<u32> {
    let mut words = program.to_vec();
    for (place, handler) in handlers {
        words.resize(words.len().max(place / 4 + handler.len()), 0);
        words[place / 4..place / 4 + handler.len()].copy_from_slice(handler);
    }
    words
}

#[test]
fn the_programmable_timer_interrupts_in_even_periods() {
    const PERIOD: i32 = 500;
    // r20 counts; at five interrupts the program ends.
    let program = [
        li(3, 0),
        mtspr(0x3d6, 3), // the prefix of vectors
        li(4, PERIOD),
        mtspr(0x3db, 4),
        lis(5, 0x0440), // interrupt, reload
        mtspr(0x3da, 5),
        31 << 26 | 1 << 15 | 163 << 1, // wrteei 1
        cmpwi(20, 5),
        bne(-4),
        TRAP,
    ];
    let handler = [lis(6, 0x0800), mtspr(0x3d8, 6), addi(20, 20, 1), RFI];
    for kind in KINDS {
        let mut run = machine(kind).run_words(&image(&program, &[(0x1000, &handler)]));
        // Stopped by the instruction, not by a fault; the comparison that an interrupt parts from its branch may end one later.
        assert_eq!(run.state(0)["program"]["stop"]["cause"], "Finished");
        assert!((5..=6).contains(&run.register(20)));
        let entries: Vec<u64> =
            run.completions(0).iter().filter(|(pc, _)| *pc == 0x1000).map(|(_, cycle)| *cycle).collect();
        assert!(entries.len() >= 5);
        for pair in entries.windows(2) {
            let period = pair[1] - pair[0];
            assert!(period.abs_diff(PERIOD as u64) <= 4, "{kind}: {entries:?}");
        }
    }
}

#[test]
fn external_and_critical_interrupts_are_each_taken_once_for_a_word() {
    // r20 counts external, r21 critical ones.
    let program = [
        li(3, 0),
        mtspr(0x3d6, 3),
        lis(5, 2),
        d(24, 5, 5, 0x8000), // ori: critical and external enabled
        x(146, 5, 0, 0),
        x(266, 7, 20, 21), // add r7,r20,r21
        cmpwi(7, 40),
        bne(-8),
        TRAP,
    ];
    let external = [x(19, 9, 0, 0), addi(20, 20, 1), x(144, 9, 0, 0) | 0xff << 12, RFI];
    let critical = [x(19, 10, 0, 0), addi(21, 21, 1), x(144, 10, 0, 0) | 0xff << 12, RFCI];
    for kind in KINDS {
        for seed in 0..5 {
            let mut machine = machine(kind).latencies(seed % 2, seed % 3);
            (machine.lines, machine.words_per_line, machine.line_pause_percent) = (2, 20, 0);
            let mut run = machine.run_words(&image(&program, &[(0x500, &external), (0x100, &critical)]));
            assert_eq!((run.register(20), run.register(21)), (20, 20), "{kind}, {seed}");
        }
    }
}

#[test]
fn device_control_registers_are_references_of_the_data_port() {
    for kind in KINDS {
        // mfdcr r3,0x123, of which the halves are exchanged; there is no memory.
        let mut run = run(&machine(kind), &[x(323, 3, 0x03, 0x09)]);
        let stop = run.state(0)["program"]["stop"].clone();
        let address = 0xffff_e000_u32 + 4 * 0x123;
        assert!(stop["message"].as_str().unwrap().contains(&format!("{address:#010x}")), "{stop}");
    }
}
