//! Faults of the firmware: the core stops and says why; and commands from outside.

use spinach_engine::{Outcome, Size, Time};
use spinach_isa::mips::assemble::assemble;
use spinach_modules::processor::control::Command;

use crate::machine::{AHEAD, Machine, Run};

const KINDS: [&str; 3] = ["pipelined_core", "functional_core", AHEAD];

#[test]
fn a_fault_stops_the_core_and_says_why() {
    let cases = [
        (".word 0xfc000000", 4, "reserved instruction 0xfc000000", ".word 0xfc000000"),
        ("lw t0,2(zero)", 4, "load or fetch from misaligned address 0x00000002", "lw t0,2(zero)"),
        ("sh t0,1(zero)", 4, "store to misaligned address 0x00000001", "sh t0,1(zero)"),
        ("lw t0,-4(zero)", 4, "no memory to load from or store to at 0xfffffffc", "lw t0,-4(zero)"),
        ("syscall", 4, "system call, code 0", "syscall"),
        ("teq zero,zero", 4, "trap, code 0", "teq zero,zero"),
        ("break 1", 4, "the firmware gave up with break 1", "break 0x1"),
        (
            "lw t0,0x3ffc(zero)",
            4,
            "access to the guarded address 0x00003ffc: the stack has overflowed",
            "lw t0,16380(zero)",
        ),
        ("lui t0,0x10\njr t0\nnop", 0x10_0000, "no memory to fetch from at 0x00100000", ""),
        ("addiu t0,zero,0x402\njr t0\nnop", 0x402, "load or fetch from misaligned address 0x00000402", ""),
    ];
    for kind in KINDS {
        for (program, pc, message, instruction) in cases {
            let machine =
                Machine::new(kind).with("guard_start", 0x3000_u32).with("guard_bytes", Size(0x1000));
            let mut run = machine.run(&format!("addiu v0,zero,7\n{program}\naddiu v0,zero,8\nbreak"));
            let stop = run.state(0)["program"]["stop"].clone();
            assert_eq!((&stop["message"], &stop["pc"]), (&message.into(), &pc.into()), "{kind} {program}");
            assert_eq!((&stop["instruction"], &stop["is_fault"]), (&instruction.into(), &true.into()));
            assert_eq!(run.register(2), 7, "nothing younger was executed");
            assert_eq!(run.completions(0)[0].0, 0, "the history leads up to the fault");
        }
    }
}

#[test]
fn a_store_that_faults_stops_the_core_though_later() {
    for kind in KINDS {
        let mut run = Machine::new(kind).latencies(0, 5).run("nop\nsw t0,-4(zero)\nnop\nbreak");
        let stop = run.state(0)["program"]["stop"].clone();
        assert_eq!(stop["message"], "no memory to load from or store to at 0xfffffffc", "{kind}");
        assert_eq!(stop["pc"], 4);
    }
}

#[test]
fn a_fault_can_stop_the_simulation_and_an_orderly_end_does_not() {
    for kind in KINDS {
        let machine = Machine::new(kind).with("on_fault", "stop").with("identity", 3_u32);
        let mut simulation = machine.load(&assemble("nop\nbreak 1", 0).unwrap());
        let outcome = simulation.run_until(Time::from_femtoseconds(100_000_000));
        let reason = "core0: core 3 stopped at 0x00000004 (break 0x1): the firmware gave up with break 1";
        assert_eq!(outcome, Outcome::Stopped(reason.to_owned()));
        let mut simulation = machine.load(&assemble("nop\nbreak", 0).unwrap());
        assert_eq!(simulation.run_until(Time::from_femtoseconds(100_000_000)), Outcome::Reached);
    }
}

#[test]
fn a_core_waits_for_the_command_to_begin_and_can_be_sent_elsewhere() {
    let program = "addiu v0,v0,1\nbreak\nnop\nnop\naddiu v0,v0,16\nbreak";
    for kind in KINDS {
        let mut machine = Machine::new(kind).with("starts_halted", true);
        (machine.commands, machine.start) = (vec![Command::Resume], 50);
        let mut run = machine.run(program);
        assert_eq!(run.register(2), 1);
        assert!(run.completions(0)[0].1 > 50);
        // Halted at its entry, sent elsewhere, resumed; ended there, sent back, resumed.
        machine.commands = vec![Command::Jump(16), Command::Resume];
        assert_eq!(machine.run(program).register(2), 16);
        let mut machine = Machine::new(kind);
        (machine.commands, machine.start) = (vec![Command::Jump(16), Command::Resume], 50);
        let mut run = machine.run(program);
        assert_eq!(run.register(2), 17);
    }
}

#[test]
fn a_core_goes_step_by_step() {
    // The delay slot of a branch counts as a step, and so does the instruction that ends the program.
    let program = "addiu v0,v0,1\nbeq zero,zero,on\naddiu v0,v0,2\naddiu v0,v0,4\non: lw t0,0x100(zero)\naddiu v0,v0,8\nbreak";
    for kind in KINDS {
        for (steps, sum, completed) in [(1, 1, 1), (2, 1, 2), (3, 3, 3), (4, 3, 4), (5, 11, 5), (9, 11, 5)] {
            for branch_stage in ["decode", "execute"] {
                let mut machine = Machine::new(kind).with("starts_halted", true).latencies(1, 3);
                if kind == "pipelined_core" {
                    machine = machine.with("branch_stage", branch_stage);
                }
                machine.commands = vec![Command::Step; steps];
                let mut simulation = machine.load(&assemble(program, 0).unwrap());
                simulation.run_until(Time::from_femtoseconds(200_000_000));
                let mut run = Run::of(simulation, 1);
                assert_eq!(
                    (run.register(2), run.counter(0, "instructions")),
                    (sum, completed),
                    "{kind} {steps}"
                );
                assert_eq!(run.state(0)["program"]["stop"].is_null(), steps < 6);
            }
        }
    }
}

#[test]
fn a_core_stopped_with_a_load_under_way_can_begin_anew() {
    // The posted store faults while a later load still waits; the answer to that load must not become that of another.
    let program = "sw zero,-4(zero)\nlw t0,0x100(zero)\nnop\nnop\naddiu t1,zero,5\nlw v0,data(zero)\nbreak\ndata: .word 77";
    let mut machine = Machine::new("pipelined_core").with("store_buffer", 1_u32).latencies(0, 6);
    for start in 8..24 {
        (machine.commands, machine.start) = (vec![Command::Jump(16), Command::Resume], start);
        let mut run = machine.run(program);
        let stop = run.state(0)["program"]["stop"].clone();
        if stop["message"] == "finished" {
            assert_eq!(run.register(2), 77);
        }
    }
}
