//! Functional cores that run ahead: code that changes itself, several cores, checkpoints, memories out of reach.

use spinach_engine::{ParameterValue, Time};
use spinach_isa::mips::assemble::assemble;

use crate::machine::{AHEAD, Machine, Run};

fn ahead(quantum: u32) -> Machine {
    Machine::new(AHEAD).with("quantum", quantum).with("history", 16_u32)
}

/// Writes an instruction over one of the same block, right before it, then over one that was executed many times.
const CHANGES_ITSELF: &str = "
        lw     t0,new(zero)
        addiu  s0,zero,20
again:  addiu  v0,v0,1
        addiu  s0,s0,-1
        bgtz   s0,again
        nop
        sw     t0,here(zero)
here:   addiu  v0,v0,1
        sw     t0,again(zero)
        addiu  s1,s1,1
        slti   t1,s1,3
        bgtz   t1,again
        nop
        break
new:    addiu  v1,v1,0x100";

#[test]
fn an_instruction_that_was_written_is_executed_at_once() {
    for quantum in [0, 1, 2, 5, 1000] {
        let mut run = ahead(quantum).run(CHANGES_ITSELF);
        assert_eq!((run.register(2), run.register(3)), (20, 0x500), "quantum {quantum}");
        run.causes(0);
    }
}

/// Core 1 waits for a word, then executes a function that core 0 has written after core 1 had executed another there.
const CHANGES_ANOTHER: &str = "
        mfc0   t0,$22
        addiu  t2,zero,1
        bne    t0,zero,other
        lw     t1,new(zero)
wait:   lw     t3,0x400(zero)
        beq    t3,zero,wait
        nop
        sw     t1,subject(zero)
        sw     t2,0x404(zero)
        break
other:  jal    subject
        nop
        sw     t2,0x400(zero)
loop:   lw     t3,0x404(zero)
        beq    t3,zero,loop
        nop
        jal    subject
        nop
        break
subject: addiu v0,v0,1
        jr     ra
        nop
new:    addiu  v0,v0,0x100";

#[test]
fn what_another_core_writes_is_executed() {
    for quantum in [0, 1, 3, 100, 5000] {
        let mut machine = ahead(quantum);
        machine.cores = 2;
        let mut run = machine.run(CHANGES_ANOTHER);
        assert_eq!(run.registers(1)[2], 0x101, "quantum {quantum}");
        run.causes(0);
        run.causes(1);
    }
}

/// Code written from outside, by a debugger or a host, is executed too.
#[test]
fn what_is_written_from_outside_is_executed() {
    let words = assemble("again: addiu v0,v0,1\nbeq zero,zero,again\nnop\nbreak", 0).unwrap();
    let mut simulation = ahead(64).load(&words);
    simulation.run_until(Time::from_femtoseconds(1_000_000_000));
    let memory = simulation.netlist().find_module("memory").unwrap();
    let end = assemble("break", 0).unwrap()[0].to_be_bytes();
    assert!(simulation.contents(memory).unwrap().write(8, &end));
    let mut run = Run::of(simulation, 1);
    run.until_stopped(1000);
    assert!(run.register(2) > 300);
}

#[test]
fn an_instruction_takes_a_cycle_and_one_that_leaves_the_memory_what_its_answer_takes() {
    let mut run = ahead(100)
        .with("history", 256_u32)
        .run("nop\nlw t0,0x100(zero)\nsw t0,0x104(zero)\nmult t0,t0\nnop\nbreak");
    assert_eq!(run.gaps(), [1, 1, 1, 1]);
    assert_eq!(run.counter(0, "execution"), 6);
    let misses = ahead(100).latencies(0, 3).run("nop\nlui t0,0x10\nlw t0,0(t0)\nbreak").counter(0, "load");
    assert!(misses > 0, "a fault comes through the port");
}

/// Reads the clock, also in a delay slot, takes a link and stores, and sets bits.
const READS_CLOCKS: &str = "
        addiu  s0,zero,50
        addiu  s4,zero,0x400
again:  mfc0   t0,c0_count
        addu   s1,s1,t0
        ll     t1,0x200(zero)
        addiu  t1,t1,1
        sc     t1,0x200(zero)
        addu   s2,s2,t1
        set    s0,s4
        swl    s0,0x301(zero)
        addiu  s0,s0,-1
        bgtz   s0,again
        mfc0   t3,c0_count
        addu   s3,t3,t0
        break";

#[test]
fn clocks_and_links_show_ahead_what_they_will_in_their_cycle() {
    let outcome = |quantum| {
        let mut run = ahead(quantum).run(READS_CLOCKS);
        run.causes(0);
        let memory = [0x200, 0x300, 0x304, 0x400, 0x404].map(|address| run.word(address));
        (run.registers(0), memory, run.state(0)["program"]["stop"].clone())
    };
    let in_step = outcome(1);
    assert_eq!(in_step.1[0], 50);
    assert!(in_step.0[17] > 50 * 50, "the clock advances");
    for quantum in [2, 3, 31, 32, 33, 40, 1000] {
        assert_eq!(outcome(quantum), in_step, "quantum {quantum}");
    }
}

#[test]
fn a_checkpoint_in_the_middle_of_a_quantum_goes_on_as_if_there_were_none() {
    let program = "addiu s0,zero,2000\nagain: lw t0,0x100(zero)\naddu t0,t0,s0\nsw t0,0x100(zero)\naddiu s0,s0,-1\nbgtz s0,again\nsll t0,t0,1\nbreak";
    let machine = ahead(300).with("profile_bytes", spinach_engine::Size(0x100));
    let words = assemble(program, 0).unwrap();
    let mut whole = machine.run_words(&words);
    for at in [1, 150, 299, 300, 301, 4000] {
        let mut simulation = machine.load(&words);
        simulation.run_until(Time::from_femtoseconds(at * 1_000_000));
        let checkpoint = simulation.checkpoint().unwrap();
        let mut other = machine.load(&[]);
        other.restore(&checkpoint).unwrap();
        let mut run = Run::of(other, 1);
        run.until_stopped(200_000);
        assert_eq!(run.state(0), whole.state(0), "at {at}");
        assert_eq!(run.word(0x100), whole.word(0x100));
    }
}

#[test]
fn the_timer_interrupts_in_its_cycle() {
    for compare in 20..30_u32 {
        let program = format!(
            "addiu t0,zero,{compare}\nmtc0 t0,c0_compare\nori t0,zero,0x8001\nmtc0 t0,c0_status\n{}break",
            "addiu t1,t1,1\n".repeat(100)
        );
        let mut words = assemble(&program, 0).unwrap();
        words.resize(0x1000, 0);
        words.extend(assemble("addu v0,t1,zero\nmfc0 v1,c0_epc\nmfc0 a0,c0_cause\nbreak", 0x4000).unwrap());
        let vector: ParameterValue = 0x4000_u32.into();
        let mut run = ahead(1000).with("exception_vector", vector).run_words(&words);
        // Instruction `n` executes in cycle `n`.
        let interrupted = 2 * compare;
        assert_eq!(run.register(3), 4 * interrupted, "EPC");
        assert_eq!(run.register(2), interrupted - 4, "what came before has completed, and nothing else");
        assert_eq!(run.register(4), 1 << 15, "Cause names the timer");
    }
}

/// In the middle of a quantum, too, a core has completed one instruction for each cycle in which it executed.
#[test]
fn instructions_are_counted_in_their_cycles() {
    let words = assemble("again: addiu v0,v0,1\nbeq zero,zero,again\nnop", 0).unwrap();
    for at in [1, 99, 100, 101, 250] {
        let mut simulation = ahead(100).load(&words);
        simulation.run_until(Time::from_femtoseconds(at * 1_000_000));
        let mut run = Run::of(simulation, 1);
        let counted = (run.counter(0, "instructions"), run.counter(0, "execution"));
        assert_eq!(counted, (at, at));
    }
}
