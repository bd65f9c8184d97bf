//! The PowerPC 405: its costs to the cycle, its timers, its two levels of interrupts, and its device control registers.

use crate::machine::{AHEAD, Machine, Run};

const KINDS: [&str; 3] = ["pipelined_core", "functional_core", AHEAD];

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

fn mfspr(rt: u32, number: u32) -> u32 {
    x(339, rt, number & 31, number >> 5)
}

fn cmpwi(ra: u32, value: i32) -> u32 {
    d(11, 0, ra, value)
}

/// `beq` and `bne`, by a distance in bytes.
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

/// Handlers count in r20 and end the wait; what follows it counts in r21.
#[test]
fn a_core_that_waits_executes_nothing_until_an_interrupt_is_taken() {
    const PERIOD: i32 = 700;
    let program = [
        li(3, 0),
        mtspr(0x3d6, 3),
        li(4, PERIOD),
        mtspr(0x3db, 4),
        lis(5, 0x0440), // the programmable timer interrupts and reloads
        mtspr(0x3da, 5),
        lis(8, 4),
        d(24, 8, 8, 0x8000), // ori: wait, external enabled
        x(146, 8, 0, 0),     // mtmsr
        addi(21, 21, 1),
        cmpwi(21, 12),
        bne(-12),
        TRAP,
    ];
    let end_wait = [mfspr(9, 0x01b), d(21, 9, 9, 0) | 14 << 6 | 12 << 1, mtspr(0x01b, 9)]; // rlwinm: all bits but that
    let handler = |first: &[u32]| [first, &[addi(20, 20, 1)], &end_wait, &[RFI]].concat();
    let of_timer = handler(&[lis(6, 0x0800), mtspr(0x3d8, 6)]);
    // One that does not end the wait.
    let of_line = [addi(22, 22, 1), RFI];
    let words = image(&program, &[(0x1000, &of_timer), (0x500, &of_line)]);
    for kind in KINDS {
        for seed in 0..4 {
            let mut machine = machine(kind).latencies(seed % 2, seed % 3);
            (machine.lines, machine.words_per_line, machine.line_pause_percent, machine.seed) =
                (1, 9, 0, seed);
            let mut asleep = machine.run_words(&words);
            assert_eq!([20, 21, 22].map(|register| asleep.register(register)), [12, 12, 9], "{kind}, {seed}");
            let halted = asleep.counter(0, "halted");
            assert!(halted > 11 * (PERIOD as u64 - 100), "{kind}, {seed}: {halted} cycles of waiting");
            machine.sleeping = false;
            let mut awake = machine.run_words(&words);
            assert_eq!(asleep.counters(), awake.counters(), "{kind}, {seed}");
            assert_eq!(asleep.state(0), awake.state(0), "{kind}, {seed}");
        }
    }
}

#[test]
fn device_control_registers_are_references_of_the_data_port() {
    for kind in KINDS {
        // mfdcr r3,0x123, of which the halves are exchanged; there is no memory.
        let mut run = run(&machine(kind), &[x(323, 3, 0x03, 0x09)]);
        let stop = run.state(0)["program"]["stop"].clone();
        let address = spinach_isa::powerpc::DEVICE_CONTROL_BASE + 4 * 0x123;
        assert!(stop["message"].as_str().unwrap().contains(&format!("{address:#010x}")), "{stop}");
    }
}

/// Loads leave the memory stage before their answers, which come `latency` cycles after the references were taken.
fn with_late_loads(latency: u64) -> Machine {
    pipelined().with("loads_under_way", 2_u32).latencies(0, latency)
}

fn lwz(rt: u32, ra: u32, offset: i32) -> u32 {
    d(32, rt, ra, offset)
}

#[test]
fn each_independent_instruction_takes_a_cycle_off_a_late_load() {
    let user = addi(6, 4, 1);
    let load = lwz(4, 0, 0x100);
    let gaps = |words: &[u32]| run(&with_late_loads(3), words).gaps();
    assert_eq!(gaps(&[load, user, NOP]), [5, 1]);
    assert_eq!(gaps(&[load, NOP, user, NOP]), [1, 4, 1]);
    assert_eq!(gaps(&[load, NOP, NOP, NOP, user, NOP]), [1, 1, 1, 2, 1]);
    assert_eq!(gaps(&[load, NOP, NOP, NOP, NOP, user, NOP]), [1, 1, 1, 1, 1, 1]);
    // A third load waits in the memory stage, and stalls everything behind it.
    let loads = [load, lwz(5, 0, 0x104), lwz(7, 0, 0x108), NOP, NOP];
    assert_eq!(gaps(&loads)[..2], [1, 2]);
    // The wait is booked on the load.
    let mut run = run(&with_late_loads(30), &[load, user]);
    let [execution, _, load, conflict, _] = run.causes(0);
    assert_eq!((execution, load, conflict), (3, 30, 0));
}

#[test]
fn a_consumer_behind_a_late_load_waits_for_its_answer() {
    // addi r6,r4,1 right behind `lwz r4`, which `lwz r5` may keep in the memory stage.
    let program = [li(4, 9), lwz(5, 0, 0x100), lwz(4, 0, 0x104), addi(6, 4, 1), NOP];
    let with_value = |machine: &Machine| {
        let mut words = program.to_vec();
        words.resize(0x41, 0);
        words.push(41);
        run(machine, &words)
    };
    for latency in 0..=4 {
        for delay in 0..=2_u32 {
            let [all, some, waited] = [7_u32, 1, 0].map(|loads| {
                let machine = pipelined().latencies(0, latency).with("load_use_delay", delay);
                let mut run = with_value(&machine.with("loads_under_way", loads));
                assert_eq!(run.register(6), 42, "latency {latency}, delay {delay}, {loads} loads");
                run.gaps().iter().sum::<u64>()
            });
            assert!(all <= some && some <= waited, "latency {latency}, delay {delay}");
        }
    }
}

#[test]
fn a_late_load_writes_its_register_unless_a_younger_instruction_has() {
    for latency in [0, 1, 2, 3, 7, 20] {
        let program = [
            li(3, 0x55),
            d(36, 3, 0, 0x100), // stw
            lwz(4, 0, 0x100),
            li(4, 7),
            lwz(5, 0, 0x100),
            addi(6, 4, 0),
            lwz(5, 0, 0x104),
            lwz(7, 0, 0x100),
            lwz(7, 0, 0x104),
            addi(8, 5, 1),
        ];
        let mut run = run(&with_late_loads(latency), &program);
        assert_eq!([4, 5, 6, 7, 8].map(|number| run.register(number)), [7, 0, 7, 0, 1], "{latency}");
    }
}

#[test]
fn cycles_of_a_late_load_belong_to_its_caller() {
    const FUNCTION: u32 = 0x40;
    let call = |from: u32| 18 << 26 | (FUNCTION - from) & 0x03ff_fffc | 1;
    let mut program = vec![call(0), addi(6, 4, 1), call(8)];
    program.resize(FUNCTION as usize / 4 - 1, NOP);
    program.extend([TRAP, lwz(4, 0, 0x100), 0x4e80_0020]); // blr
    let mut run = run(&with_late_loads(30).with("calls", true), &program);
    let calls = run.state(0)["program"]["calls"].clone();
    let cycles = |context: u64| {
        let accounts = calls["accounts"].as_array().unwrap().iter();
        let of_load = accounts.filter(|account| account[0] == context && account[1] == FUNCTION);
        of_load.map(|account| account[2][3].as_u64().unwrap()).sum::<u64>()
    };
    let [_, _, load, _, _] = run.causes(0);
    assert_eq!([cycles(0), cycles(1), cycles(2)], [0, load, 0], "{calls}");
}

#[test]
fn a_bus_error_of_a_late_load_stops_the_core_with_its_address() {
    let mut run =
        run(&with_late_loads(5), &[lis(3, 0x00f0), lwz(4, 3, 0), NOP, NOP, NOP, NOP, NOP, NOP, NOP]);
    let stop = run.state(0)["program"]["stop"].clone();
    assert!(stop["message"].as_str().unwrap().contains("0x00f00000"), "{stop}");
    assert_eq!(stop["pc"], 4);
}

const DCBST: u32 = 54;
const DCBF: u32 = 86;
const ICBI: u32 = 982;
const SYNC: u32 = 0x7c00_04ac;
const ISYNC: u32 = 0x4c00_012c;

fn cached(kind: &'static str) -> Machine {
    let mut machine = machine(kind).with("caches", true);
    machine.data_cache = Some(Vec::new());
    machine
}

#[test]
fn operations_on_caches_take_two_cycles() {
    let slow = pipelined().with("system_latency", 2_u32);
    let of_line = x(DCBF, 0, 0, 3);
    assert_eq!(run(&slow, &[NOP, of_line, NOP, NOP]).gaps(), [1, 2, 1]);
    assert_eq!(run(&slow, &[NOP, x(19, 5, 0, 0), NOP, NOP]).gaps(), [1, 2, 1]); // mfcr
    assert_eq!(run(&pipelined(), &[NOP, of_line, NOP, NOP]).gaps(), [1, 1, 1]);
}

#[test]
fn firmware_has_to_write_back_code_and_drop_the_old() {
    // Calls a function that returns 1, stores in its place one that returns 2, and calls it again.
    let program = |operations: &[u32]| {
        let function = 0x100_u32;
        let new = li(4, 2);
        let mut words = vec![
            18 << 26 | function | 1, // bl
            lis(5, new >> 16),
            d(24, 5, 5, new as i32),
            li(6, function as i32),
            d(36, 5, 6, 0),
        ];
        words.extend(operations);
        words.push(18 << 26 | function.wrapping_sub(4 * words.len() as u32) & 0x03ff_fffc | 1);
        words.push(TRAP);
        image(&words, &[(function as usize, &[li(4, 1), 0x4e80_0020])])
    };
    let (store, drop) = (x(DCBST, 0, 0, 6), x(ICBI, 0, 0, 6));
    // A core that runs ahead fetches from the memory itself, so that no line is stale for it.
    for kind in KINDS.into_iter().filter(|kind| *kind != AHEAD) {
        let result = |operations: &[u32]| cached(kind).run_words(&program(operations)).register(4);
        assert_eq!(result(&[store, SYNC, drop, SYNC, ISYNC]), 2, "{kind}");
        assert_eq!(result(&[store, SYNC]), 1, "the line of instructions is stale");
        assert_eq!(result(&[drop, SYNC, ISYNC]), 1, "the new one did not reach the memory");
    }
}

#[test]
fn a_line_is_cleared_only_where_stores_stay_in_the_cache() {
    let dcbz = x(1014, 0, 0, 6);
    let program = |cacheable: u32, write_through: u32| {
        let (low, high) = (cacheable & 0xffff, cacheable >> 16);
        [
            lis(3, high),
            d(24, 3, 3, low as i32),
            mtspr(0x3fa, 3),
            lis(3, write_through >> 16),
            mtspr(0x3ba, 3),
            li(6, 0x204),
            li(5, -1),
            d(36, 5, 6, 0),
            dcbz,
            lwz(7, 6, 0),
        ]
    };
    for kind in KINDS {
        let mut cleared = run(&cached(kind), &program(0x8000_0000, 0));
        assert_eq!((cleared.register(7), cleared.register(5)), (0, u32::MAX), "{kind}");
        for (cacheable, write_through) in [(0x7fff_ffff, 0), (0x8000_0000, 0x8000_0000)] {
            let mut refused = run(&cached(kind), &program(cacheable, write_through));
            let stop = refused.state(0)["program"]["stop"].clone();
            assert!(stop["message"].as_str().unwrap().contains("0x00000204"), "{stop}");
        }
    }
}
