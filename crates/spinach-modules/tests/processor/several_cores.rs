//! Several cores on one memory: locks hold, and the atomic bit array loses nothing.

use crate::machine::{AHEAD, Machine, Run};
use crate::support::Random;

const KINDS: [&str; 3] = ["pipelined_core", "functional_core", AHEAD];

/// Every core takes the lock at 0x1000 forty times to increment the word at 0x1040.
const LOCKED_INCREMENTS: &str = "
        addiu  s0,zero,0x1000
        addiu  s1,zero,40
again:  ll     t0,0(s0)
        bne    t0,zero,again
        addiu  t0,zero,1
        sc     t0,0(s0)
        beq    t0,zero,again
        nop
        lw     t1,0x40(s0)
        addiu  t1,t1,1
        sw     t1,0x40(s0)
        sync
        sw     zero,0(s0)
        addiu  s1,s1,-1
        bgtz   s1,again
        nop
        break";

/// Core 0 commits the bits of the array at 0x2000 in order, 512 in all; the others set them, each every n-th.
const IN_ORDER_COMMIT: &str = "
        addiu  s0,zero,0x2000
        addiu  s2,zero,512
        mfc0   s1,$22
        lw     s3,0x1000(zero)
        beq    s1,zero,commit
        addiu  t0,s1,-1
setter: set    t0,s0
        addu   t0,t0,s3
        sltu   t1,t0,s2
        bne    t1,zero,setter
        nop
        break
commit: addu   t0,zero,zero
        addu   t3,zero,zero
next:   update t1,t0,s0
        addiu  t1,t1,1
        subu   t2,t1,t0
        addu   t3,t3,t2
        bne    t1,s2,next
        addu   t0,t1,zero
        break";

fn machine(kind: &'static str, cores: u32, random: &mut Random) -> Machine {
    let mut machine = Machine::new(kind)
        .with("history", 16_u32)
        .latencies(random.below(2), random.below(4))
        .with_memory("seed", random.next() >> 32)
        .with_memory("refuse_percent", random.below(60))
        .with_memory("delay_percent", random.below(60));
    machine.cores = cores;
    if kind == "pipelined_core" {
        machine = machine.with("store_buffer", random.below(3)).with("memory_stages", 1 + random.below(2));
    }
    if kind == AHEAD {
        machine = machine.with("quantum", [1_u32, 2, 7, 33, 256, 5000][random.below(6) as usize]);
    }
    machine
}

fn check_accounts(run: &mut Run, cores: u32) {
    for core in 0..cores {
        run.causes(core);
        assert_eq!(run.state(core)["program"]["stop"]["message"], "finished");
    }
}

#[test]
fn a_lock_admits_one_core_at_a_time() {
    let mut random = Random::new(1);
    for kind in KINDS {
        for cores in [2, 3, 6] {
            let machine = machine(kind, cores, &mut random);
            let mut run = machine.run(LOCKED_INCREMENTS);
            assert_eq!(run.word(0x1040), 40 * cores, "{machine:?}");
            assert_eq!(run.word(0x1000), 0);
            check_accounts(&mut run, cores);
        }
    }
}

#[test]
fn bits_that_many_cores_set_are_committed_once_and_in_order() {
    let mut random = Random::new(2);
    for kind in KINDS {
        for cores in [2, 5, 8] {
            let machine = machine(kind, cores, &mut random);
            let mut words = spinach_isa::mips::assemble::assemble(IN_ORDER_COMMIT, 0).unwrap();
            words.resize(0x1000 / 4, 0);
            words.push(cores - 1);
            let mut run = machine.run_words(&words);
            assert_eq!(run.register(11), 512, "{machine:?}");
            for word in 0..16 {
                assert_eq!(run.word(0x2000 + 4 * word), 0);
            }
            check_accounts(&mut run, cores);
        }
    }
}
