//! The registers that the table declares for an operation are those it reads and writes, for random words.

#![allow(dead_code, reason = "each test uses a part of the shared helpers")]

mod support;

use proptest::prelude::*;
use spinach_isa::instruction_set::{Class, ControlFlow, DecodedInstruction, RegisterSet};
use spinach_isa::mips::interpreter::{Registers, execute};
use spinach_isa::mips::memory::FlatMemory;
use spinach_isa::mips::operation::register;
use spinach_isa::mips::semantics::{effective_address, redirection};
use spinach_isa::mips::tigon2::PriorityOrder;
use spinach_isa::mips::{Extensions, Instruction, Operation, Trap, decode};
use support::Random;

const PC: u32 = 0x0040_0000;
const MEMORY_BYTES: u32 = 0x100;

/// The values of all registers of a set that a test can change: general, HI, LO.
fn get(registers: &Registers, number: u8) -> u32 {
    match number {
        register::HI => registers.hi_lo.hi,
        register::LO => registers.hi_lo.lo,
        number => registers.general(number),
    }
}

fn set(registers: &mut Registers, number: u8, value: u32) {
    match number {
        register::HI => registers.hi_lo.hi = value,
        register::LO => registers.hi_lo.lo = value,
        number => registers.set_general(number, value),
    }
}

/// A value that is often a valid address.
fn value(random: &mut Random) -> u32 {
    match random.below(3) {
        0 => random.word(),
        1 => random.below(MEMORY_BYTES),
        _ => random.below(MEMORY_BYTES) & !3,
    }
}

prop_compose! {
    /// An instruction of any operation; if it has an offset, often a small multiple of 4.
    fn instruction()(index in 0..Operation::ALL.len(), bits: u32, small: bool) -> Instruction {
        let operation = Operation::ALL[index];
        let description = operation.description();
        let tigon2 = if operation == Operation::PriorityLowest { PriorityOrder::LowestFirst } else { PriorityOrder::HighestFirst };
        let bits = if small && description.memory.is_some() { bits & 0xffff_003c } else { bits };
        let word = description.fixed_bits | bits & description.format.variable_bits();
        decode(word, Extensions { tigon2: Some(tigon2), atomic_bit_array: true })
    }
}

prop_compose! {
    /// A machine in any state.
    fn machine()(seed: u64, user: bool, in_delay_slot in prop::bool::weighted(0.1)) -> (Registers, FlatMemory) {
        let mut random = Random(seed);
        let mut registers = Registers::reset(PC, 0);
        for number in 0..34 {
            set(&mut registers, number, value(&mut random));
        }
        registers.link = (random.below(2) == 0).then(|| random.below(MEMORY_BYTES) & !3);
        registers.in_delay_slot = in_delay_slot;
        registers.coprocessor0.status = if user { 2 << 3 } else { 0 };
        let mut memory = FlatMemory::new(0, MEMORY_BYTES);
        memory.words_mut().fill_with(|| random.word());
        (registers, memory)
    }
}

/// Makes a link that holds hold for the instruction's own address, if it has one.
fn aim_link(registers: &mut Registers, instruction: &Instruction) {
    let (rs, rt) = (registers.general(instruction.rs), registers.general(instruction.rt));
    registers.link = registers.link.map(|_| effective_address(instruction, rs, rt) & !3);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn nothing_outside_the_written_set_changes(instruction in instruction(), machine in machine()) {
        let (mut before, mut memory) = machine;
        aim_link(&mut before, &instruction);
        let memory_before = memory.clone();
        let mut after = before.clone();
        if execute(&mut after, &mut memory, &instruction).is_err() {
            prop_assert_eq!((&after, &memory), (&before, &memory_before), "an exception changes nothing");
            return Ok(());
        }
        let writes = instruction.writes();
        for number in (0..34).filter(|&number| !writes.contains(number)) {
            prop_assert_eq!(get(&after, number), get(&before, number), "register {}", number);
        }
        prop_assert!(writes.contains(register::LINK) || after.link == before.link);
        prop_assert!(writes.contains(register::COPROCESSOR0) || after.coprocessor0 == before.coprocessor0);
        prop_assert!(matches!(instruction.class(), Class::Store | Class::Atomic) || memory == memory_before);
        if instruction.control_flow() == ControlFlow::Sequential {
            prop_assert_eq!((after.pc, after.in_delay_slot), (before.next_pc, false));
        }
    }

    #[test]
    fn nothing_outside_the_read_set_matters(instruction in instruction(), machine in machine(), noise: u64) {
        let (mut ours, mut our_memory) = machine;
        aim_link(&mut ours, &instruction);
        let (mut theirs, mut their_memory) = (ours.clone(), our_memory.clone());
        let reads = instruction.reads();
        let mut noise = Random(noise);
        for number in (0..34).filter(|&number| !reads.contains(number)) {
            set(&mut theirs, number, noise.word());
        }
        if !reads.contains(register::LINK) {
            theirs.link = None;
        }
        let outcome = execute(&mut ours, &mut our_memory, &instruction);
        prop_assert_eq!(outcome, execute(&mut theirs, &mut their_memory, &instruction));
        prop_assert_eq!(our_memory, their_memory);
        prop_assert_eq!((ours.pc, ours.next_pc), (theirs.pc, theirs.next_pc));
        if outcome.is_ok() {
            for number in instruction.writes().iter().filter(|&number| number < 34) {
                prop_assert_eq!(get(&ours, number), get(&theirs, number), "register {}", number);
            }
        }
    }

    #[test]
    fn any_word_executes_or_traps(word: u32, machine in machine()) {
        let (mut registers, mut memory) = machine;
        let instruction = decode(word, Extensions::default());
        let outcome = execute(&mut registers, &mut memory, &instruction);
        prop_assert_eq!(registers.general(0), 0);
        if instruction.operation == Operation::Reserved {
            prop_assert_eq!(outcome, Err(Trap::ReservedInstruction { word }));
        }
    }

    #[test]
    fn a_stage_that_resolves_control_flow_agrees_with_the_interpreter(instruction in instruction(), machine in machine()) {
        let (before, mut memory) = machine;
        let mut after = before.clone();
        let (rs, rt) = (before.general(instruction.rs), before.general(instruction.rt));
        let resolved = redirection(&instruction, before.pc, rs, rt);
        if execute(&mut after, &mut memory, &instruction).is_err() {
            return Ok(());
        }
        let is_transfer = matches!(instruction.class(), Class::Branch | Class::Jump);
        prop_assert_eq!(resolved.is_some(), is_transfer);
        prop_assert_eq!(instruction.delay_slots() == 1, is_transfer);
        if let Some(outcome) = resolved {
            prop_assert_eq!(after.in_delay_slot, !outcome.annuls_delay_slot);
            let fall_through = if outcome.annuls_delay_slot { PC + 12 } else { PC + 8 };
            prop_assert_eq!(after.next_pc, if outcome.taken { outcome.target } else { fall_through });
        }
    }
}

#[test]
fn register_zero_is_never_a_dependence() {
    for word in [0x0000_0021, 0x2400_0001, 0x8c00_0000] {
        let instruction = decode(word, Extensions::default());
        assert_eq!((instruction.reads(), instruction.writes()), (RegisterSet::EMPTY, RegisterSet::EMPTY));
    }
}
