//! Cores that are delayed before chosen instructions.

use crate::machine::{AHEAD, Machine};

const KINDS: [&str; 3] = ["pipelined_core", "functional_core", AHEAD];
const PROGRAM: &str =
    "addiu t0,zero,3\nagain: lw t1,0x100(zero)\naddiu t0,t0,-1\nbgtz t0,again\nnop\nsw t0,0x104(zero)\nbreak";

fn delayed(machine: &Machine, rows: &[[u64; 3]]) -> Machine {
    machine.clone().with("delays", rows.concat())
}

#[test]
fn a_core_stands_still_for_as_many_cycles_before_the_instruction_and_nowhere_else() {
    for machine in KINDS.map(Machine::new) {
        let mut all = machine.run(PROGRAM);
        let running = all.now() - all.counter(0, "halted");
        for address in (0..24).step_by(4) {
            for cycles in [1, 2, 57] {
                let mut run = delayed(&machine, &[[address, cycles, 1]]).run(PROGRAM);
                let completions = all.completions(0);
                let gaps: Vec<u64> = run.gaps();
                let expected: Vec<u64> = completions
                    .windows(2)
                    .map(|pair| {
                        pair[1].1 - pair[0].1 + if u64::from(pair[1].0) == address { cycles } else { 0 }
                    })
                    .collect();
                assert_eq!(gaps, expected, "{address:#x} {machine:?}");
                let spent = run.now() - run.counter(0, "halted");
                assert_eq!(spent, running, "the others are booked as halted: {machine:?}");
            }
        }
    }
}

#[test]
fn intervals_are_counted_from_the_first_time() {
    for machine in KINDS.map(Machine::new) {
        let mut plain = machine.run(PROGRAM);
        let mut run = delayed(&machine, &[[4, 30, 2], [20, 7, 9]]).run(PROGRAM);
        let (mut visits, mut expected) = (0, Vec::new());
        for pair in plain.completions(0).windows(2) {
            let mut gap = pair[1].1 - pair[0].1;
            if pair[1].0 == 4 {
                gap += if visits % 2 == 0 { 30 } else { 0 };
                visits += 1;
            }
            expected.push(gap + if pair[1].0 == 20 { 7 } else { 0 });
        }
        assert_eq!((run.gaps(), visits), (expected, 3), "{machine:?}");
    }
}

#[test]
fn places_that_make_no_sense_are_refused() {
    for (rows, message) in [
        (vec![4_u64, 10], "a row has 3 numbers"),
        (vec![6, 10, 1], "0x6 is not the address of an instruction"),
        (vec![1 << 32, 10, 1], "0x100000000 is not the address of an instruction"),
        (vec![4, 10, 0], "each 0th time is never"),
        (vec![4, 10, 1, 8, 1, 1, 4, 2, 1], "0x4 is there twice"),
    ] {
        let machine = Machine::new("pipelined_core").with("delays", rows);
        let panic =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| machine.load(&[0]))).err().unwrap();
        assert!(panic.downcast_ref::<String>().unwrap().contains(message), "{message}");
    }
}
