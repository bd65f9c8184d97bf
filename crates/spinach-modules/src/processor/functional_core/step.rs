//! The steps of a block: instructions, each with the function that executes it.
//!
//! The function of an instruction is chosen when it is decoded, not whenever it is executed: there is a function for each operation
//! of an ALU and for each unit that is loaded or stored.

use spinach_isa::architecture::{Answer, Architecture, RegisterFile};
use spinach_isa::word::Word;
use spinach_isa::work::FurtherRegisters;

use super::direct_memories::DirectMemories;
use crate::processor::data_port::{reference, response_value};
use crate::processor::decoded::{Decoded, Unit, Work};
use crate::values::Access;

/// Minimum number of instructions that must fit from a load that sets a link on, so that no other core intervenes before the
/// store that depends on it: more than any lock has between the two.
pub(super) const LINKED_INSTRUCTIONS: u64 = 32;

/// Conditions of consecutive instructions, and their effects besides registers and memory.
pub(super) struct Conditions<'a, W> {
    /// The first address that no load or store touches, and how many there are.
    pub(super) guard: (W, W),
    /// Source number in references.
    pub(super) source: u16,
    /// Cycle of the first of them.
    pub(super) cycle: u64,
    /// Number of instructions that can be executed at this edge from the first of them on.
    pub(super) room: u64,
    /// Up to which cycle clocks and timers have been brought.
    pub(super) counted_until: &'a mut u64,
}

/// An instruction of a block.
pub(super) struct Step<A: Architecture> {
    /// Executor, given the number of instructions before it in the block. Not for transfers of control.
    pub(super) execute: Execute<A>,
    pub(super) op: Decoded<A>,
    /// Offset in bytes from the beginning of the block.
    offset: u32,
}

type Execute<A> = fn(&mut Machine<'_, '_, A>, &Step<A>, usize) -> Course;

/// State that the steps of a block work on.
pub(super) struct Machine<'a, 'c, A: Architecture> {
    pub(super) registers: &'a mut A::Registers,
    pub(super) memories: &'a mut DirectMemories,
    /// First address of the block.
    pub(super) start: A::Word,
    pub(super) in_delay_slot: bool,
    pub(super) conditions: &'a mut Conditions<'c, A::Word>,
}

/// Continuation of a block after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Course {
    /// Continue with the next instruction.
    Goes,
    /// Continue with this instruction, which has not happened.
    Stays,
    /// Not at all: decoded instructions may have changed.
    Ends,
}

impl<A: Architecture> Step<A> {
    pub(super) fn new(op: Decoded<A>, offset: u32) -> Self {
        let execute: Execute<A> = match op.work {
            Work::Calculate(function) => calculator::<A>(function),
            Work::Load(unit) => match unit {
                Unit::Byte => load::<A, { Unit::Byte as u8 }>,
                Unit::Half => load::<A, { Unit::Half as u8 }>,
                Unit::Word => load::<A, { Unit::Word as u8 }>,
                Unit::Double => load::<A, { Unit::Double as u8 }>,
                Unit::SignedByte => load::<A, { Unit::SignedByte as u8 }>,
                Unit::SignedHalf => load::<A, { Unit::SignedHalf as u8 }>,
                Unit::SignedWord => load::<A, { Unit::SignedWord as u8 }>,
            },
            Work::Store(unit) => match unit.size_bytes() {
                1 => store::<A, { Unit::Byte as u8 }>,
                2 => store::<A, { Unit::Half as u8 }>,
                4 => store::<A, { Unit::Word as u8 }>,
                _ => store::<A, { Unit::Double as u8 }>,
            },
            Work::Awaited | Work::Posted => refer_otherwise::<A>,
            _ => compute::<A>,
        };
        Self { execute, op, offset }
    }

    /// Its address in a block that is executed at `start`.
    #[inline(always)]
    pub(super) fn pc(&self, start: A::Word) -> A::Word {
        start.plus(self.offset)
    }

    /// The address after it.
    #[inline(always)]
    pub(super) fn pc_after(&self, start: A::Word) -> A::Word {
        start.plus(self.offset + self.op.bytes())
    }
}

/// Executor of a calculation.
fn calculator<A: Architecture>(function: A::AluFunction) -> Execute<A> {
    macro_rules! table {
        ($($number:literal)*) => { [$(calculate::<A, $number> as Execute<A>),*] };
    }
    let table = table!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);
    let number = A::ALU_FUNCTIONS.iter().position(|known| *known == function);
    number.and_then(|number| table.get(number)).copied().unwrap_or(calculate_any::<A>)
}

fn calculate<A: Architecture, const NUMBER: usize>(
    machine: &mut Machine<'_, '_, A>,
    step: &Step<A>,
    _: usize,
) -> Course {
    let function = const { A::ALU_FUNCTIONS[if NUMBER < A::ALU_FUNCTIONS.len() { NUMBER } else { 0 }] };
    calculate_function::<A>(machine, step, function)
}

fn calculate_any<A: Architecture>(machine: &mut Machine<'_, '_, A>, step: &Step<A>, _: usize) -> Course {
    let Work::Calculate(function) = step.op.work else { return Course::Stays };
    calculate_function::<A>(machine, step, function)
}

#[inline(always)]
fn calculate_function<A: Architecture>(
    machine: &mut Machine<'_, '_, A>,
    step: &Step<A>,
    function: A::AluFunction,
) -> Course {
    let (a, b) = step.op.operands(machine.registers);
    let Ok(result) = A::alu(function, a, b) else { return Course::Stays };
    machine.registers.set_general(step.op.destination, result);
    Course::Goes
}

/// Executes instructions other than calculations, transfers and references.
fn compute<A: Architecture>(machine: &mut Machine<'_, '_, A>, step: &Step<A>, count: usize) -> Course {
    let Machine { registers, conditions, start, in_delay_slot, .. } = machine;
    let instruction = step.op.instruction();
    if A::reads_time(&instruction) {
        let cycle = conditions.cycle + count as u64;
        registers.pass_time(std::mem::replace(conditions.counted_until, cycle), cycle);
    }
    registers.place_at(step.pc(*start), *in_delay_slot);
    if A::compute(registers, &instruction).is_ok() { Course::Goes } else { Course::Stays }
}

/// Makes a reference that is atomic, conditional, or to a part of what it addresses.
fn refer_otherwise<A: Architecture>(
    machine: &mut Machine<'_, '_, A>,
    step: &Step<A>,
    count: usize,
) -> Course {
    let Machine { registers, memories, conditions, .. } = machine;
    let op = &step.op;
    let Ok((reference, address)) = reference::<A>(op, registers, conditions.source) else {
        return Course::Stays;
    };
    let guard = conditions.guard;
    let room = conditions.room - count as u64;
    let lacks_room = reference.access == Access::LoadLinked && room < LINKED_INSTRUCTIONS;
    if lacks_room || address.wrapping_sub(guard.0) < guard.1 {
        return Course::Stays;
    }
    let fails = reference.access == Access::StoreConditional && *registers.link() != Some(address);
    let response = if fails { None } else { memories.perform(&reference) };
    if !fails && response.is_none() {
        return Course::Stays;
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
    after_store(memories)
}

fn load<A: Architecture, const UNIT: u8>(
    machine: &mut Machine<'_, '_, A>,
    step: &Step<A>,
    _: usize,
) -> Course {
    let (unit, op) = (const { unit_of(UNIT) }, &step.op);
    let Some((address, _)) = address::<A>(machine, op, unit) else { return Course::Stays };
    let at = address.to_u64();
    let data = match unit.size_bytes() {
        1 => machine.memories.load::<1>(at),
        2 => machine.memories.load::<2>(at),
        4 => machine.memories.load::<4>(at),
        _ => machine.memories.load::<8>(at),
    };
    let Some(data) = data else { return Course::Stays };
    machine.registers.set_general(op.destination, unit.loaded::<A>(A::Word::from_u64(data)));
    update_base::<A>(machine.registers, op, address);
    Course::Goes
}

fn store<A: Architecture, const UNIT: u8>(
    machine: &mut Machine<'_, '_, A>,
    step: &Step<A>,
    _: usize,
) -> Course {
    let (unit, op) = (const { unit_of(UNIT) }, &step.op);
    let Some((address, value)) = address::<A>(machine, op, unit) else { return Course::Stays };
    let (at, data) = (address.to_u64(), unit.stored::<A>(value).to_u64());
    let stored = match unit.size_bytes() {
        1 => machine.memories.store::<1>(at, data),
        2 => machine.memories.store::<2>(at, data),
        4 => machine.memories.store::<4>(at, data),
        _ => machine.memories.store::<8>(at, data),
    };
    if stored.is_none() {
        return Course::Stays;
    }
    update_base::<A>(machine.registers, op, address);
    after_store(machine.memories)
}

/// The unit that is a number in a table of functions.
const fn unit_of(unit: u8) -> Unit {
    match Unit::of(unit & 15, unit & 16 != 0) {
        Some(unit) => unit,
        None => Unit::Word,
    }
}

#[inline(always)]
fn after_store(memories: &DirectMemories) -> Course {
    if memories.has_rewritten { Course::Ends } else { Course::Goes }
}

/// The address of a load or store, and the value of its second register; `None` if it must not be.
#[inline(always)]
fn address<A: Architecture>(
    machine: &Machine<'_, '_, A>,
    op: &Decoded<A>,
    unit: Unit,
) -> Option<(A::Word, A::Word)> {
    let [base, value] = op.values(machine.registers);
    let address = base.wrapping_add(A::Word::from_signed(op.immediate));
    let guard = machine.conditions.guard;
    if !unit.is_aligned(address) || address.wrapping_sub(guard.0) < guard.1 {
        return None;
    }
    Some((address, value))
}

/// Gives the base register of a load or store its address, if the instruction updates it.
#[inline(always)]
fn update_base<A: Architecture>(registers: &mut A::Registers, op: &Decoded<A>, address: A::Word) {
    let base = op.further.second_destination();
    if base != 0 {
        registers.set_general(base, address);
    }
}
