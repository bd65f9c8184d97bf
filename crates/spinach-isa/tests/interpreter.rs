//! Architectural behaviour that user-mode programs cannot show: exceptions, interrupts, privilege, links,
//! and the extensions.

#![allow(clippy::unwrap_used, reason = "a failed expectation fails the test")]

use spinach_isa::mips::assemble::assemble;
use spinach_isa::mips::coprocessor0::{cause, status};
use spinach_isa::mips::interpreter::{Registers, step};
use spinach_isa::mips::memory::FlatMemory;
use spinach_isa::mips::tigon2::PriorityOrder;
use spinach_isa::mips::{Extensions, Trap};

const EXTENSIONS: Extensions =
    Extensions { tigon2: Some(PriorityOrder::HighestFirst), atomic_bit_array: true };

/// A machine with a program at address 0 and its exception handler at 0x180.
fn machine(program: &str, handler: &str) -> (Registers, FlatMemory) {
    let mut memory = FlatMemory::new(0, 0x1000);
    for (source, address) in [(program, 0), (handler, 0x180)] {
        let words = assemble(source, address).unwrap();
        memory.words_mut()[address as usize / 4..][..words.len()].copy_from_slice(&words);
    }
    let mut registers = Registers::reset(0, 3);
    registers.coprocessor0.status = 0;
    registers.coprocessor0.exception_base = 0;
    (registers, memory)
}

/// Runs until `break`, entering handlers; gives the traps before it.
fn run(registers: &mut Registers, memory: &mut FlatMemory) -> Vec<Trap> {
    let mut traps = Vec::new();
    for _ in 0..1000 {
        match step(registers, memory, EXTENSIONS) {
            Ok(()) => {}
            Err(Trap::Breakpoint { .. }) => return traps,
            Err(trap) => {
                traps.push(trap);
                registers.enter_exception(trap);
            }
        }
    }
    panic!("the program does not end; traps: {traps:?}");
}

const V0: u8 = 2;
const V1: u8 = 3;
const A0: u8 = 4;

#[test]
fn a_trap_in_a_delay_slot_resumes_at_the_branch() {
    let program = "
            addiu a0,zero,1
            beq   zero,zero,done
            lw    v0,0(a0)
            addiu v1,zero,99
    done:   break";
    let handler = "
            mfc0  t0,c0_badvaddr
            mfc0  t1,c0_cause
            addiu a0,a0,3          # align the pointer and try again
            eret";
    let (mut registers, mut memory) = machine(program, handler);
    assert_eq!(run(&mut registers, &mut memory), [Trap::MisalignedLoad { address: 1 }]);
    assert_eq!(registers.coprocessor0.exception_pc, 4, "the branch, not its slot");
    assert_eq!(
        (registers.general(8), registers.general(9)),
        (1, cause::BRANCH_DELAY | 4 << cause::CODE_SHIFT)
    );
    assert_eq!((registers.general(V0), registers.general(V1)), (memory.words()[1], 0));
}

#[test]
fn the_timer_interrupts_between_instructions() {
    let program = "
            addiu t0,zero,5
            mtc0  t0,c0_compare
            ori   t0,zero,0x8001
            mtc0  t0,c0_status
    wait:   beq   v0,zero,wait
            nop
            break";
    let (mut registers, mut memory) = machine(program, "mtc0 zero,c0_compare\naddiu v0,zero,1\neret");
    let mut interrupts = 0;
    for count in 0..100 {
        match step(&mut registers, &mut memory, EXTENSIONS) {
            Ok(()) => {}
            Err(Trap::Breakpoint { .. }) => break,
            Err(trap) => {
                assert_eq!((trap, count), (Trap::Interrupt, 5), "Count reaches Compare in the fifth step");
                assert!(registers.in_delay_slot);
                registers.enter_exception(trap);
                interrupts += 1;
            }
        }
        registers.coprocessor0.advance_count(1);
    }
    assert_eq!((interrupts, registers.general(V0)), (1, 1));
    assert_eq!(registers.coprocessor0.exception_pc, 16, "resumed at the branch");
}

#[test]
fn coprocessor_0_needs_privilege_and_others_are_absent() {
    let skip = "mfc0 k0,c0_epc\naddiu k0,k0,4\nmtc0 k0,c0_epc\neret";
    let program = ["mfc0 v0,$22", "eret", "cache 0x0,0(a0)", ".word 0x44010000", ".word 0xc8000000", "break"];
    let (mut registers, mut memory) = machine(&program.join("\n"), skip);
    registers.coprocessor0.status = 2 << 3;
    let coprocessors: Vec<_> = run(&mut registers, &mut memory)
        .iter()
        .map(|trap| match trap {
            Trap::CoprocessorUnusable { coprocessor } => *coprocessor,
            other => panic!("{other}"),
        })
        .collect();
    assert_eq!(coprocessors, [0, 0, 0, 1, 2]);
    assert_eq!(registers.coprocessor0.cause & cause::COPROCESSOR, 2 << cause::COPROCESSOR_SHIFT);

    let (mut registers, mut memory) = machine("mfc0 v0,$22\nmfc0 v1,c0_prid\nbreak", "");
    run(&mut registers, &mut memory);
    assert_eq!((registers.general(V0), registers.general(V1)), (3, 0x0400));
}

#[test]
fn a_link_breaks_by_a_foreign_write_by_sc_and_by_eret() {
    let program = "ll v0,0x400(zero)\naddiu v1,zero,7\nsc v1,0x400(zero)\nsc a0,0x400(zero)\nbreak";
    let program = program.replace("0x400", "1024");
    let (mut registers, mut memory) = machine(&program, "");
    registers.set_general(A0, 9);
    run(&mut registers, &mut memory);
    assert_eq!((registers.general(V1), registers.general(A0), memory.words()[256]), (1, 0, 7));

    let (mut registers, mut memory) = machine(&program, "");
    step(&mut registers, &mut memory, EXTENSIONS).unwrap();
    registers.observe_write(1028);
    assert_eq!(registers.link, Some(1024), "another word");
    registers.observe_write(1024);
    run(&mut registers, &mut memory);
    assert_eq!((registers.general(V1), memory.words()[256]), (0, 0));

    let (mut registers, mut memory) = machine("ll v0,1024(zero)\nsyscall\nbreak", "eret");
    step(&mut registers, &mut memory, EXTENSIONS).unwrap();
    registers.enter_exception(Trap::Syscall { code: 0 });
    step(&mut registers, &mut memory, EXTENSIONS).unwrap();
    assert_eq!((registers.link, registers.pc), (None, 4));
}

#[test]
fn tigon_dispatch_jumps_through_the_table_with_a_delay_slot() {
    let program = "
            pri   v0,a0,a1
            joff  s2,v0
            addiu ra,zero,64
            break 0x1
            nop
            nop
    table:  break 0x2
            nop
            break 0x3
            nop
            addiu v1,zero,5
            break 0x4";
    for (events, handler) in [(0, 0), (1, 1), (2, 2), (3, 2), (0xff00, 0)] {
        let (mut registers, mut memory) = machine(program, "");
        for (number, value) in [(A0, events), (A0 + 1, 0xff), (18, 24)] {
            registers.set_general(number, value);
        }
        run(&mut registers, &mut memory);
        let entry = 24 + 8 * handler;
        assert_eq!(registers.pc, if handler == 2 { entry + 4 } else { entry }, "events {events:#x}");
        assert_eq!(registers.general(31), 64, "the delay slot executed");
    }
}

#[test]
fn atomic_bit_array_commits_in_order() {
    // Bits 33, 32 and 34 of the array at 0x400 are set; then the run from 32 is taken, twice.
    let program = "
            addiu a1,zero,1024
            addiu a0,zero,33
            set   a0,a1
            addiu a0,zero,32
            set   a0,a1
            addiu t0,zero,34
            set   t0,a1
            update v0,a0,a1
            addiu t0,v0,1
            update v1,t0,a1
            break";
    let (mut registers, mut memory) = machine(program, "");
    assert_eq!(run(&mut registers, &mut memory), []);
    assert_eq!((registers.general(V0), registers.general(V1)), (34, 34));
    assert_eq!(memory.words()[256..258], [0, 0]);

    let (mut registers, mut memory) = machine("addiu a1,zero,1025\nset zero,a1\nbreak", "");
    step(&mut registers, &mut memory, EXTENSIONS).unwrap();
    let misaligned = Err(Trap::MisalignedStore { address: 1025 });
    assert_eq!(step(&mut registers, &mut memory, EXTENSIONS), misaligned);
}

#[test]
fn fetch_errors_name_the_address() {
    let (mut registers, mut memory) = machine("jr a0\nnop", "");
    for (target, trap) in
        [(0x5000, Trap::FetchBusError { address: 0x5000 }), (0x102, Trap::MisalignedLoad { address: 0x102 })]
    {
        registers.jump_to(0);
        registers.set_general(A0, target);
        step(&mut registers, &mut memory, EXTENSIONS).unwrap();
        step(&mut registers, &mut memory, EXTENSIONS).unwrap();
        assert_eq!(step(&mut registers, &mut memory, EXTENSIONS), Err(trap));
    }
}

#[test]
fn after_reset_exceptions_go_to_the_boot_vector() {
    let mut registers = Registers::reset(0xbfc0_0000, 0);
    assert_eq!(registers.coprocessor0.status, status::ERROR_LEVEL | status::BOOT_VECTORS);
    registers.enter_exception(Trap::Overflow);
    assert_eq!(registers.pc, 0xbfc0_0380);
}

#[test]
fn the_state_survives_a_checkpoint() {
    let (mut registers, mut memory) = machine("ll v0,1024(zero)\nbreak", "");
    run(&mut registers, &mut memory);
    let saved = serde_json::to_string(&(&registers, &memory)).unwrap();
    let restored: (Registers, FlatMemory) = serde_json::from_str(&saved).unwrap();
    assert_eq!(restored, (registers, memory));
}
