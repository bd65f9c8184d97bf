//! Interrupts: before which instruction they come, and that none is lost or comes twice.

use spinach_isa::mips::assemble::assemble;
use spinach_isa::mips::interpreter::{Registers, step};
use spinach_isa::mips::memory::FlatMemory;
use spinach_isa::mips::{Extensions, Trap};

use crate::machine::{AHEAD, MEMORY_BYTES, Machine};
use crate::support::Random;

const KINDS: [&str; 3] = ["pipelined_core", "functional_core", AHEAD];
const VECTOR: u32 = 0x800;

/// Sums up with branches, a loop, loads and stores; `s0` counts the rounds.
const PROGRAM: &str = "
        ori    k0,zero,0x7f01
        mtc0   k0,c0_status
        addiu  s0,zero,40
again:  sw     s0,0x1000(zero)
        lw     t0,0x1000(zero)
        addu   t1,t1,t0
        andi   t2,s0,0x1
        bnel   t2,zero,odd
        addiu  t3,t3,1
        mult   t1,t0
        mflo   t4
odd:    addiu  s0,s0,-1
        bgtz   s0,again
        xor    t5,t5,t4
        mtc0   zero,c0_status
        nop
        break";

/// Counts interrupts in `s7` and adds Cause to `s6`. Bits of branch delay are left in, so that the place is noticed too.
const HANDLER: &str = "
        mfc0   k1,c0_cause
        addu   s6,s6,k1
        addiu  s7,s7,1
        eret
        nop";

fn image() -> Vec<u32> {
    let mut words = assemble(PROGRAM, 0).unwrap();
    words.resize(VECTOR as usize / 4, 0);
    words.extend(assemble(HANDLER, VECTOR).unwrap());
    words
}

/// Machines that differ in timing; `lines` sources present twenty words each, now and then.
fn machine(kind: &'static str, seed: u64) -> Machine {
    let mut random = Random::new(seed);
    let mut machine = Machine::new(kind)
        .with("exception_vector", VECTOR)
        .latencies(random.below(3), random.below(4))
        .with_memory("seed", seed)
        .with_memory("refuse_percent", random.below(50))
        .with_memory("delay_percent", random.below(50));
    (machine.lines, machine.words_per_line, machine.seed) = (1 + random.below(5) as u32, 20, seed);
    if kind == AHEAD {
        // Short enough that the program is interrupted all the way through.
        machine = machine.with("quantum", 1 + random.below(8));
    }
    if kind == "pipelined_core" {
        machine = machine
            .with("branch_stage", ["decode", "execute"][random.below(2) as usize])
            .with("load_use_delay", random.below(4))
            .with("memory_stages", 1 + random.below(2))
            .with("store_buffer", random.below(3));
    }
    machine
}

/// Interrupts come from outside at the core's own time; what each does is compared with the reference interpreter, which takes one
/// whenever the core did.
#[test]
fn interrupts_come_between_instructions_as_in_the_interpreter() {
    for kind in KINDS {
        for seed in 0..30 {
            let machine = machine(kind, seed);
            let mut run = machine.run_words(&image());
            let history = run.completions(0);
            let mut memory = FlatMemory::new(0, MEMORY_BYTES as u32);
            memory.words_mut()[..image().len()].copy_from_slice(&image());
            let mut registers = Registers::reset(0, 0);
            let mut interrupts = 0;
            for (pc, _) in &history {
                if *pc == VECTOR && registers.pc != VECTOR {
                    // Only Cause identifies the line; the sum of Causes is not compared, but the presence of
                    // a cause is.
                    registers.coprocessor0.set_interrupt_lines(0x1f);
                    assert_eq!(
                        step(&mut registers, &mut memory, Extensions::default()),
                        Err(Trap::Interrupt)
                    );
                    registers.enter_exception(Trap::Interrupt);
                    registers.jump_to(VECTOR);
                    registers.coprocessor0.set_interrupt_lines(0);
                    interrupts += 1;
                }
                assert_eq!(
                    registers.pc, *pc,
                    "after {interrupts} interrupts with seed {seed} on {machine:?}"
                );
                assert_eq!(step(&mut registers, &mut memory, Extensions::default()), Ok(()));
            }
            // The faster the core, the fewer come before its program ends.
            let fewest = if kind == AHEAD { 1 } else { 6 };
            assert!(interrupts >= fewest, "{interrupts} with seed {seed} on {kind}");
            let found = run.registers(0);
            for number in (0..32).filter(|number| ![22, 26, 27].contains(number)) {
                assert_eq!(
                    found[usize::from(number)],
                    registers.general(number),
                    "register {number}, seed {seed}"
                );
            }
            assert_eq!(u64::from(found[23]), interrupts);
            run.causes(0);
        }
    }
}

#[test]
fn a_word_on_a_line_interrupts_once() {
    for kind in KINDS {
        for seed in 100..110 {
            let mut machine = machine(kind, seed);
            // With one line no two words share an interrupt, and a source without pauses withdraws none.
            (machine.lines, machine.words_per_line, machine.line_pause_percent) = (1, 7, 0);
            let mut run = machine.run_words(&image());
            assert_eq!(run.register(23), 7, "seed {seed} on {kind}");
            assert_eq!(run.counter(0, "exceptions"), 7);
        }
    }
}

#[test]
fn sleeping_changes_no_interrupt() {
    for kind in KINDS {
        for seed in 200..210 {
            let mut machine = machine(kind, seed).latencies(5, 20);
            let mut asleep = machine.run_words(&image());
            machine.sleeping = false;
            let mut awake = machine.run_words(&image());
            assert_eq!(asleep.counters(), awake.counters(), "seed {seed} on {kind}");
            assert_eq!(asleep.state(0), awake.state(0), "seed {seed} on {kind}");
        }
    }
}

/// Count advances in every second cycle. The instruction in execute in the cycle in which it reaches Compare is interrupted, the
/// one before is not.
#[test]
fn the_timer_interrupts_the_instruction_that_executes_when_count_reaches_compare() {
    for compare in 20..30_u32 {
        let program = format!(
            "addiu t0,zero,{compare}\nmtc0 t0,c0_compare\nori t0,zero,0x8001\nmtc0 t0,c0_status\n{}break",
            "addiu t1,t1,1\n".repeat(100)
        );
        let mut words = assemble(&program, 0).unwrap();
        words.resize(VECTOR as usize / 4, 0);
        words.extend(assemble("addu v0,t1,zero\nmfc0 v1,c0_epc\nmfc0 a0,c0_cause\nbreak", VECTOR).unwrap());
        let mut run = Machine::new("pipelined_core").with("exception_vector", VECTOR).run_words(&words);
        // Instruction `n` executes in cycle `n + 2`.
        let interrupted = 2 * compare - 2;
        assert_eq!(run.register(3), 4 * interrupted, "EPC");
        assert_eq!(run.register(2), interrupted - 4, "what came before has completed, and nothing else");
        assert_eq!(run.register(4), 1 << 15, "Cause names the timer");
    }
}

#[test]
fn without_a_handler_an_interrupt_stops_the_core() {
    for kind in KINDS {
        let program = "ori t0,zero,0x101\nmtc0 t0,c0_status\nori t0,zero,0x100\nmtc0 t0,c0_cause\nnop\nbreak";
        let mut run = Machine::new(kind).run(program);
        let stop = run.state(0)["program"]["stop"].clone();
        assert_eq!((&stop["message"], &stop["pc"]), (&"interrupt".into(), &16.into()), "{kind}");
    }
}
