//! Execution of a block.

use spinach_isa::architecture::{Answer, Architecture, RegisterFile, Transfer};
use spinach_isa::word::Word;
use spinach_isa::work::FurtherRegisters;

use super::sight::Sight;
use crate::processor::data_port::{reference, response_value};
use crate::processor::decoded::{Decoded, Unit, Work};
use crate::values::Access;

/// How many instructions there is to be room for from a load that sets a link on, so that nobody comes between it and the store that
/// depends on that: more than lie between the two in any lock.
pub(super) const LINKED_INSTRUCTIONS: u64 = 32;

/// What instructions executed one after the other have to heed, or change besides registers and memory.
pub(super) struct Conditions<'a, W> {
    /// The first address that no load or store touches, and how many there are.
    pub(super) guard: (W, W),
    /// What references carry as their source.
    pub(super) source: u16,
    /// The cycle that the first of them stands for.
    pub(super) cycle: u64,
    /// How many instructions can be executed at this edge from the first of them on.
    pub(super) room: u64,
    /// Up to which cycle clocks and timers have been brought.
    pub(super) counted_until: &'a mut u64,
}

/// How far a block was executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ran {
    /// How many of its instructions; what follows is at the program counter.
    pub(super) count: usize,
    /// Whether a conditional branch was taken.
    pub(super) took_branch: bool,
    /// Whether a delay slot was annulled.
    pub(super) annulled: bool,
}

/// Executes instructions that lie one after the other from `pc` on, up to the first that does not just happen: one that raises an
/// exception or refers to what is out of reach, or the one after a store to what was decoded. The program counter is left where it
/// belongs, delay slots included.
#[inline(never)]
pub(super) fn run<A: Architecture>(
    registers: &mut A::Registers,
    sight: &mut Sight,
    ops: &[Decoded<A>],
    mut pc: A::Word,
    conditions: &mut Conditions<'_, A::Word>,
) -> Ran {
    let guard = conditions.guard;
    // The branch whose delay slot comes next.
    let mut pending: Option<(A::Word, u32, Transfer<A::Word>)> = None;
    let mut ran = Ran { count: 0, took_branch: false, annulled: false };
    for op in ops {
        let bytes = op.bytes();
        let has_happened = match op.work {
            Work::Calculate(function) => {
                let (a, b) = op.operands(registers);
                match A::alu(function, a, b) {
                    Ok(result) => {
                        registers.set_general(op.destination, result);
                        true
                    }
                    Err(_) => false,
                }
            }
            Work::Load(unit) => load::<A>(registers, sight, op, unit, guard),
            Work::Store(unit) => store::<A>(registers, sight, op, unit, guard),
            Work::Branch(_)
            | Work::LikelyBranch(_)
            | Work::IndirectBranch(_)
            | Work::DirectJump
            | Work::IndirectJump => {
                let transfer = resolve::<A>(registers, op, pc);
                link::<A>(registers, op, pc);
                ran.took_branch = transfer.taken & op.is_branch();
                if !A::HAS_DELAY_SLOTS {
                    registers.jump_to(if transfer.taken { transfer.target } else { pc.plus(bytes) });
                    ran.count += 1;
                    return ran;
                }
                if transfer.annuls_delay_slot {
                    registers.jump_to(pc);
                    registers.advance_after(&transfer, bytes);
                    ran.annulled = true;
                    ran.count += 1;
                    return ran;
                }
                pending = Some((pc, bytes, transfer));
                true
            }
            Work::Awaited | Work::Posted => {
                refer_otherwise::<A>(registers, sight, op, ran.count as u64, conditions)
            }
            _ => compute::<A>(registers, op, (pc, pending.is_some()), ran.count as u64, conditions),
        };
        if !has_happened {
            leave::<A>(registers, pc, pending);
            return ran;
        }
        pc = pc.plus(bytes);
        ran.count += 1;
        if sight.has_rewritten {
            break;
        }
    }
    match pending {
        Some((_, _, transfer)) if transfer.taken => registers.jump_to(transfer.target),
        _ => registers.jump_to(pc),
    }
    ran
}

/// Executes what is neither calculation nor transfer nor reference, `count` instructions after the first; says whether it has happened.
#[inline(never)]
fn compute<A: Architecture>(
    registers: &mut A::Registers,
    op: &Decoded<A>,
    (pc, in_delay_slot): (A::Word, bool),
    count: u64,
    conditions: &mut Conditions<'_, A::Word>,
) -> bool {
    let instruction = op.instruction();
    if A::reads_time(&instruction) {
        let cycle = conditions.cycle + count;
        registers.pass_time(std::mem::replace(conditions.counted_until, cycle), cycle);
    }
    registers.place_at(pc, in_delay_slot);
    A::compute(registers, &instruction).is_ok()
}

/// Makes a reference that is atomic, conditional, or to a part of what it addresses, `count` instructions after the first; says whether
/// it has happened.
#[inline(never)]
fn refer_otherwise<A: Architecture>(
    registers: &mut A::Registers,
    sight: &mut Sight,
    op: &Decoded<A>,
    count: u64,
    conditions: &Conditions<'_, A::Word>,
) -> bool {
    let Ok((reference, address)) = reference::<A>(op, registers, conditions.source) else { return false };
    let guard = conditions.guard;
    let lacks_room = reference.access == Access::LoadLinked && conditions.room - count < LINKED_INSTRUCTIONS;
    if lacks_room || address.wrapping_sub(guard.0) < guard.1 {
        return false;
    }
    let fails = reference.access == Access::StoreConditional && *registers.link() != Some(address);
    let response = if fails { None } else { sight.perform(&reference) };
    if !fails && response.is_none() {
        return false;
    }
    match reference.access {
        Access::LoadLinked => *registers.link() = Some(address),
        Access::StoreConditional => *registers.link() = None,
        _ => {}
    }
    let previous = A::previous(registers, op.destination);
    A::note_request(registers, &op.instruction());
    let value = response.map_or(A::store_failed(previous), |response| {
        let data = A::Word::from_u64(response.data as u64);
        response_value(op, &Answer { address, part: 0, previous, data })
    });
    registers.set_general(op.destination, value);
    update_base::<A>(registers, op, address);
    true
}

/// The instruction at `pc` did not happen, after a branch if one is `pending`.
#[cold]
fn leave<A: Architecture>(
    registers: &mut A::Registers,
    pc: A::Word,
    pending: Option<(A::Word, u32, Transfer<A::Word>)>,
) {
    match pending {
        Some((branch, bytes, transfer)) => {
            registers.jump_to(branch);
            registers.advance_after(&transfer, bytes);
        }
        None => registers.jump_to(pc),
    }
}

/// Where control goes after a branch or jump.
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

/// Writes the return address of a branch or jump, and what it counts down.
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

/// The address of a load or store, and the value of its second register; `None` if it must not be.
#[inline(always)]
fn refer<A: Architecture>(
    registers: &mut A::Registers,
    op: &Decoded<A>,
    unit: Unit,
    guard: (A::Word, A::Word),
) -> Option<(A::Word, A::Word)> {
    let [base, value] = op.values(registers);
    let address = base.wrapping_add(A::Word::from_signed(op.immediate));
    if !unit.is_aligned(address) || address.wrapping_sub(guard.0) < guard.1 {
        return None;
    }
    Some((address, value))
}

#[inline(always)]
fn load<A: Architecture>(
    registers: &mut A::Registers,
    sight: &mut Sight,
    op: &Decoded<A>,
    unit: Unit,
    guard: (A::Word, A::Word),
) -> bool {
    let Some((address, _)) = refer::<A>(registers, op, unit, guard) else { return false };
    let at = address.to_u64();
    let data = match unit {
        Unit::Word | Unit::SignedWord => sight.load::<4>(at),
        Unit::Byte | Unit::SignedByte => sight.load::<1>(at),
        Unit::Half | Unit::SignedHalf => sight.load::<2>(at),
        Unit::Double => sight.load::<8>(at),
    };
    let Some(data) = data else { return false };
    registers.set_general(op.destination, unit.loaded::<A>(A::Word::from_u64(data)));
    update_base::<A>(registers, op, address);
    true
}

#[inline(always)]
fn store<A: Architecture>(
    registers: &mut A::Registers,
    sight: &mut Sight,
    op: &Decoded<A>,
    unit: Unit,
    guard: (A::Word, A::Word),
) -> bool {
    let Some((address, value)) = refer::<A>(registers, op, unit, guard) else { return false };
    let (at, data) = (address.to_u64(), unit.stored::<A>(value).to_u64());
    let stored = match unit {
        Unit::Word | Unit::SignedWord => sight.store::<4>(at, data),
        Unit::Byte | Unit::SignedByte => sight.store::<1>(at, data),
        Unit::Half | Unit::SignedHalf => sight.store::<2>(at, data),
        Unit::Double => sight.store::<8>(at, data),
    };
    if stored.is_none() {
        return false;
    }
    update_base::<A>(registers, op, address);
    true
}

/// Gives the base register of a load or store its address, if the instruction updates it.
#[inline(always)]
fn update_base<A: Architecture>(registers: &mut A::Registers, op: &Decoded<A>, address: A::Word) {
    let base = op.further.second_destination();
    if base != 0 {
        registers.set_general(base, address);
    }
}
