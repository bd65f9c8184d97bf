//! The pipeline to the cycle, by hand-computed cases.
//!
//! Without stalls instruction number `n` is fetched in cycle `n`, decoded in `n + 1`, executed in `n + 2`, and in memory in `n + 3`,
//! where it completes. A gap is the number of cycles between the completions of two neighbours: 1 without a stall.

use crate::machine::{Machine, Run};

const KINDS: &[&str] = &["pipelined_core"];

fn machines() -> impl Iterator<Item = Machine> {
    KINDS.iter().map(|kind| Machine::new(kind))
}

fn run(machine: &Machine, program: &str) -> Run {
    machine.run(&format!("{program}\nbreak"))
}

fn check(machine: &Machine, program: &str, gaps: &[u64]) {
    assert_eq!(run(machine, program).gaps(), gaps, "{program}\n{machine:?}");
}

#[test]
fn a_straight_line_takes_one_cycle_per_instruction() {
    for machine in machines() {
        let mut run = run(&machine, "addiu t0,zero,5\naddiu t1,t0,6\naddu t2,t0,t1");
        assert_eq!((run.register(8), run.register(9), run.register(10)), (5, 11, 16));
        assert_eq!(run.completions(0), [(0, 3), (4, 4), (8, 5)]);
        assert_eq!(run.state(0)["program"]["stop"]["cause"], "Finished");
        // No instruction had arrived in cycle 0. The break is issued in cycle 4, found out in cycle 5, takes effect in 6.
        assert_eq!(run.causes(0), [4, 1, 0, 0, 1]);
    }
}

#[test]
fn a_loaded_value_waits_for_the_load_use_delay() {
    for machine in machines() {
        let uses = [
            "addu t1,t0,t0",
            "addu t1,zero,t0",
            "sw t0,0x104(zero)",
            "lw t1,0x100(t0)",
            "lwr t0,0x102(zero)",
        ];
        for user in uses {
            for delay in 0..=3_u32 {
                let machine = machine.clone().with("load_use_delay", delay);
                for distance in 1..=4_u64 {
                    let between = "nop\n".repeat(distance as usize - 1);
                    let mut gaps = vec![1; distance as usize];
                    gaps[distance as usize - 1] += u64::from(delay + 1).saturating_sub(distance);
                    check(&machine, &format!("lw t0,0x100(zero)\n{between}{user}"), &gaps);
                }
            }
        }
        // A value that is overwritten before it is used, or only written, waits for nothing.
        check(&machine, "lw t0,0x100(zero)\naddiu t0,zero,1\naddu t1,t0,t0", &[1, 1]);
        check(&machine, "lw t0,0x100(zero)\nlw zero,0x100(zero)\naddu t1,zero,zero", &[1, 1]);
    }
}

#[test]
fn a_branch_in_decode_waits_for_its_operands() {
    for machine in machines() {
        for branch in ["beq t0,t1,end", "beq t1,t0,end", "bgtz t0,end", "jr t0"] {
            for (producer, tight) in [("addiu t0,zero,end", 1), ("lw t0,address(zero)", 2)] {
                for distance in 1..=3_u64 {
                    let between = "nop\n".repeat(distance as usize - 1);
                    let program =
                        format!("{producer}\n{between}{branch}\nnop\nbreak\naddress: .word end\nend: nop");
                    let first = run(&machine, &program).gaps()[distance as usize - 1];
                    assert_eq!(first, 1 + (tight + 1_u64).saturating_sub(distance), "{program}");
                }
            }
        }
    }
}

#[test]
fn where_branches_resolve() {
    let taken = "beq zero,zero,end\nnop\nnop\nend: nop";
    let not_taken = "bne zero,zero,end\nnop\nnop\nend: nop";
    let jump = "j end\nnop\nnop\nend: nop";
    let call = "addiu ra,zero,end\nnop\njr ra\nnop\nnop\nend: nop";
    let after_result = "addiu t0,zero,1\nbeq t0,zero,end\nnop\nend: nop";
    let after_load = "lw t0,0x100(zero)\nbeq t0,zero,end\nnop\nend: nop";
    for machine in machines() {
        check(&machine, taken, &[1, 1]);
        check(&machine, not_taken, &[1, 1, 1]);
        check(&machine, jump, &[1, 1]);
        check(&machine, call, &[1, 1, 1, 1]);
        check(&machine, after_result, &[2, 1, 1]);
        check(&machine, after_load, &[3, 1, 1]);
        let machine = machine.with("branch_stage", "execute");
        check(&machine, taken, &[1, 2]);
        check(&machine, not_taken, &[1, 1, 1]);
        check(&machine, jump, &[1, 1]);
        check(&machine, call, &[1, 1, 1, 2]);
        check(&machine, after_result, &[1, 1, 1]);
        check(&machine, after_load, &[2, 1, 2]);
        // The delay slot waits for a load while the target is fetched.
        check(&machine, "lw t0,0x100(zero)\nbeq zero,zero,end\naddu t1,t0,t0\nnop\nend: nop", &[1, 1, 2]);
    }
}

#[test]
fn an_annulled_slot_is_lost() {
    let not_taken = "nop\nbnel zero,zero,end\naddiu t0,zero,1\nnop\nend: nop";
    let taken = "nop\nbeql zero,zero,end\naddiu t0,zero,1\nnop\nend: nop";
    for machine in machines() {
        for stage in ["decode", "execute"] {
            for slots in 1..=3_u32 {
                let machine = machine.clone().with("branch_stage", stage).with("annulled_slots", slots);
                check(&machine, not_taken, &[1, 1 + u64::from(slots), 1]);
                let mut run = run(&machine, not_taken);
                assert_eq!((run.register(8), run.counter(0, "annulled")), (0, 1));
                assert_eq!(run.causes(0)[4], 1 + u64::from(slots), "one more after the break");
                let lost = u64::from(stage == "execute");
                check(&machine, taken, &[1, 1, 1 + lost]);
            }
        }
    }
}

#[test]
fn multiplier_results_come_after_their_latency() {
    for machine in machines() {
        for latency in [1_u32, 2, 5] {
            let machine =
                machine.clone().with("multiply_latency", latency).with("divide_latency", latency + 3);
            for (producer, latency) in [("mult t0,t1", latency), ("div zero,t0,t1", latency + 3)] {
                for user in ["mflo t2", "mfhi t2", "mtlo t2", "multu t2,t3", "divu zero,t2,t3"] {
                    for distance in 1..=u64::from(latency) + 1 {
                        let between = "nop\n".repeat(distance as usize - 1);
                        let mut gaps = vec![1; distance as usize];
                        gaps[distance as usize - 1] += u64::from(latency).saturating_sub(distance);
                        check(&machine, &format!("{producer}\n{between}{user}"), &gaps);
                    }
                }
            }
        }
    }
}

#[test]
fn a_scratch_pad_load_stalls_one_cycle_and_a_store_none() {
    for machine in machines() {
        let machine = machine.latencies(0, 1);
        check(&machine, "nop\nlw t0,0x100(zero)\nnop", &[2, 1]);
        check(&machine, "nop\nlw t0,0x100(zero)\naddu t1,t0,t0", &[2, 2]);
        check(&machine, "nop\nsw t0,0x100(zero)\nnop", &[1, 1]);
        check(&machine, "nop\nsw t0,0x100(zero)\nsw t0,0x100(zero)\nlw t0,0x100(zero)\nnop", &[1, 1, 2, 1]);
        check(&machine, "nop\nset t0,t1\nnop\nupdate t2,t0,t1\nnop", &[1, 1, 2, 1]);
        check(&machine, "nop\nsw t0,0x100(zero)\nsync\nnop", &[1, 1, 1]);
        let mut run = run(&machine, "nop\nlw t0,0x100(zero)\naddu t1,t0,t0");
        assert_eq!(run.causes(0), [4, 1, 1, 0, 2]);
    }
}

#[test]
fn longer_latencies_stall_in_proportion() {
    for machine in machines() {
        for latency in 2..=4 {
            let machine = machine.clone().latencies(0, latency);
            check(&machine, "nop\nlw t0,0x100(zero)\nnop", &[1 + latency, 1]);
            check(&machine, "nop\nsw t0,0x100(zero)\nnop", &[1, 1]);
            // The response to the store comes `latency` cycles after the cycle in which the store was in memory.
            check(&machine, "nop\nsw t0,0x100(zero)\nsync\nnop", &[1, latency, 1]);
            check(&machine, "nop\nsw t0,0x100(zero)\nnop\nsync\nnop", &[1, 1, latency - 1, 1]);
        }
    }
}

#[test]
fn a_second_memory_stage_hides_one_cycle() {
    for machine in machines() {
        let machine = machine.with("memory_stages", 2_u32);
        for (latency, stall) in [(0, 0), (1, 0), (2, 1), (3, 2)] {
            let machine = machine.clone().latencies(0, latency);
            check(&machine, "nop\nlw t0,0x100(zero)\nnop", &[1 + stall, 1]);
            check(&machine, "nop\nlw t0,0x100(zero)\naddu t1,t0,t0", &[1 + stall, 3]);
            check(&machine, "nop\nlw t0,0x100(zero)\nnop\nnop\naddu t1,t0,t0", &[1 + stall, 1, 1, 1]);
            check(&machine, "nop\nlw t0,0x100(zero)\nlw t1,0x100(zero)\nnop", &[1 + stall, 1, 1]);
        }
    }
}

/// The store is in memory in cycle 4; it is refused there for `refused` cycles.
fn refusing(machine: &Machine, refused: u64) -> Machine {
    machine.clone().with_memory("refused_cycles", (4..4 + refused).collect::<Vec<u64>>())
}

#[test]
fn a_refused_reference_waits_and_a_buffered_store_does_not() {
    let store = "nop\nsw t0,0x100(zero)\nnop\nnop\nnop";
    let two_stores = "nop\nsw t0,0x100(zero)\nsw t0,0x104(zero)\nnop\nnop";
    let load_after = "nop\nsw t0,0x100(zero)\nlw t1,0x104(zero)\nnop\nnop";
    for machine in machines() {
        for refused in 0..=3 {
            let none = refusing(&machine, refused);
            check(&none, store, &[1 + refused, 1, 1, 1]);
            check(&none, two_stores, &[1 + refused, 1, 1, 1]);
            check(&none, load_after, &[1 + refused, 1, 1, 1]);
            assert_eq!(run(&none, store).causes(0)[3], refused, "conflict");
            let one = none.clone().with("store_buffer", 1_u32);
            check(&one, store, &[1, 1, 1, 1]);
            assert_eq!(run(&one, store).causes(0)[3], 0);
            // The second takes the place of the first in the cycle in which that is taken: one refusal costs nothing.
            check(&one, two_stores, &[1, refused.max(1), 1, 1]);
            // The load is presented in the cycle after the buffered store was taken.
            check(&one, load_after, &[1, 1 + refused, 1, 1]);
            let two = none.with("store_buffer", 2_u32);
            check(&two, two_stores, &[1, 1, 1, 1]);
        }
    }
}

#[test]
fn instructions_that_come_late_are_misses() {
    for machine in machines() {
        for latency in 1..=3 {
            let machine = machine.clone().latencies(latency, 0);
            let gap = 1 + latency;
            check(&machine, "nop\nnop\nnop", &[gap, gap]);
            let mut run = run(&machine, "nop\nnop\nnop");
            // Four instructions, each fetched in `gap` cycles, the last one issued one cycle later. Then the break
            // keeps issue waiting for one cycle, in which nothing had arrived either.
            assert_eq!(run.causes(0), [4, 4 * gap - 3 + 1, 0, 0, 0]);
        }
    }
}
