//! Execution of a block.

use spinach_isa::architecture::{Architecture, RegisterFile, Transfer};
use spinach_isa::word::Word;
use spinach_isa::work::FurtherRegisters;

use super::direct_memories::DirectMemories;
use super::step::{Conditions, Course, Machine, Step};
use crate::processor::decoded::{Decoded, Work};

/// Executed part of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ran {
    /// Number of executed instructions; the next is at the program counter.
    pub(super) count: usize,
    /// True if a conditional branch was taken.
    pub(super) took_branch: bool,
    /// True if a delay slot was annulled.
    pub(super) annulled: bool,
}

/// Executes instructions that lie one after the other from `pc` on, up to the first exceptional one: one that raises an exception
/// or refers to memory out of reach, or the one after a store to decoded memory. The program counter is left where it belongs,
/// delay slots included. A transfer of control comes last, or last before its delay slot.
#[inline(never)]
pub(super) fn run<A: Architecture>(
    registers: &mut A::Registers,
    memories: &mut DirectMemories,
    steps: &[Step<A>],
    pc: A::Word,
    conditions: &mut Conditions<'_, A::Word>,
) -> Ran {
    let last_of_tail = usize::from(A::HAS_DELAY_SLOTS);
    let tail = steps.len().checked_sub(1 + last_of_tail).filter(|tail| steps[*tail].op.transfers_control());
    let straight = &steps[..tail.unwrap_or(steps.len())];
    let mut machine = Machine { registers, memories, start: pc, in_delay_slot: false, conditions };
    for (count, step) in straight.iter().enumerate() {
        match (step.execute)(&mut machine, step, count) {
            Course::Goes => {}
            Course::Stays => {
                machine.registers.jump_to(step.pc(pc));
                return Ran { count, took_branch: false, annulled: false };
            }
            Course::Ends => {
                machine.registers.jump_to(step.pc_after(pc));
                return Ran { count: count + 1, took_branch: false, annulled: false };
            }
        }
    }
    match tail {
        Some(tail) => transfer(&mut machine, &steps[tail..], tail),
        None => {
            machine.registers.jump_to(steps.last().map_or(pc, |last| last.pc_after(pc)));
            Ran { count: steps.len(), took_branch: false, annulled: false }
        }
    }
}

/// Executes a transfer of control, after `before` instructions, and its delay slot.
#[inline(always)]
fn transfer<A: Architecture>(machine: &mut Machine<'_, '_, A>, steps: &[Step<A>], before: usize) -> Ran {
    let (step, op) = (&steps[0], &steps[0].op);
    let pc = step.pc(machine.start);
    let transfer = resolve::<A>(machine.registers, op, pc);
    link::<A>(machine.registers, op, pc);
    let took_branch = transfer.taken & op.is_branch();
    let mut ran = Ran { count: before + 1, took_branch, annulled: false };
    if !A::HAS_DELAY_SLOTS {
        machine.registers.jump_to(if transfer.taken {
            transfer.target
        } else {
            step.pc_after(machine.start)
        });
        return ran;
    }
    let slot = &steps[1];
    if !transfer.annuls_delay_slot {
        machine.in_delay_slot = true;
        if (slot.execute)(machine, slot, before + 1) != Course::Stays {
            let next = slot.pc_after(machine.start);
            machine.registers.jump_to(if transfer.taken { transfer.target } else { next });
            ran.count += 1;
            return ran;
        }
    }
    // The delay slot does not happen, or not yet.
    machine.registers.jump_to(pc);
    machine.registers.advance_after(&transfer, op.bytes());
    ran.annulled = transfer.annuls_delay_slot;
    ran
}

/// Continuation after a branch or jump.
#[inline(always)]
fn resolve<A: Architecture>(registers: &A::Registers, op: &Decoded<A>, pc: A::Word) -> Transfer<A::Word> {
    let values @ [first, second] = op.values(registers);
    let (taken, target) = match op.work {
        Work::Branch(condition) | Work::LikelyBranch(condition) => {
            (A::holds(condition, first, second), A::branch_target(pc, op.immediate))
        }
        Work::IndirectBranch(condition) => {
            let third = registers.general(op.further.third_source());
            (A::holds(condition, second, third), A::indirect_target(values, op.immediate))
        }
        Work::DirectJump => (true, A::jump_target(pc, op.immediate)),
        _ => (true, A::indirect_target(values, op.immediate)),
    };
    Transfer { taken, target, annuls_delay_slot: !taken & op.is_likely_branch() }
}

/// Writes the return address of a branch or jump, and its counter.
#[inline(always)]
fn link<A: Architecture>(registers: &mut A::Registers, op: &Decoded<A>, pc: A::Word) {
    if op.destination != 0 {
        registers.set_general(op.destination, A::return_address(pc, op.bytes()));
    }
    let counted = op.further.second_destination();
    if counted != 0 {
        let count = registers.general(counted);
        registers.set_general(counted, count.wrapping_sub(A::Word::ONE));
    }
}
