//! Decoded instructions.

use serde::{Deserialize, Serialize};

use super::PowerPc405;
use super::operation::{Effect, Format, Operation};
use super::registers::register;
use super::semantics::Condition;
use super::special;
use crate::atomic::AtomicOperation;
use crate::instruction_set::{
    Class, ControlFlow, DecodedInstruction, Direction, MemoryBehaviour, Part, RegisterSet,
};
use crate::work::Maintenance;

/// `trap`, which stops the core.
const STOP: u32 = 0x7fe0_0008;
/// Register with the stop code of firmware.
pub(super) const STOP_CODE: u8 = 3;

/// A decoded instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Instruction {
    /// Operation to perform.
    pub operation: Operation,
    /// The encoded instruction.
    pub word: u32,
}

impl Instruction {
    /// Decodes a word.
    pub(super) fn decode(set: PowerPc405, word: u32) -> Self {
        let operation = Operation::of(word);
        let is_missing =
            operation.is_of_bit_array() && !set.atomic_bit_array || has_invalid_form(operation, word);
        let operation = match operation {
            _ if is_missing => Operation::Reserved,
            Operation::Dcbz if set.caches => Operation::DcbzInCache,
            other => other,
        };
        Self { operation, word }
    }

    pub(super) fn effect(&self) -> Effect {
        self.operation.description().effect
    }

    pub(super) fn format(&self) -> Format {
        self.operation.description().format
    }

    /// Bits 6 to 10: rD, rS, a condition field, options.
    pub(super) const fn first(&self) -> u8 {
        (self.word >> 21 & 31) as u8
    }

    /// Bits 11 to 15: rA or the number of a condition.
    pub(super) const fn second(&self) -> u8 {
        (self.word >> 16 & 31) as u8
    }

    /// Bits 16 to 20: rB or an amount.
    pub(super) const fn third(&self) -> u8 {
        (self.word >> 11 & 31) as u8
    }

    /// Bits 16 to 31, extended by their sign.
    pub(super) const fn signed(&self) -> u32 {
        self.word as i16 as u32
    }

    /// The number of a special or device control register, whose halves are exchanged in the word.
    pub(super) const fn special(&self) -> u32 {
        self.word >> 16 & 31 | (self.word >> 11 & 31) << 5
    }

    pub(super) const fn condition(&self) -> Condition {
        Condition::of(self.word)
    }

    /// True if it sets condition field 0 by its result.
    pub(super) fn records(&self) -> bool {
        let description = self.operation.description();
        matches!(description.effect, Effect::CalculateAndRecord(_))
            || self.operation == Operation::AddicRecording
            || description.may_record && self.word & 1 != 0
    }

    /// True if it notes overflow.
    pub(super) fn notes_overflow(&self) -> bool {
        self.operation.description().may_overflow && self.word & 0x400 != 0
    }

    /// True if the return address is written.
    pub(super) fn links(&self) -> bool {
        matches!(self.effect(), Effect::Jump | Effect::Branch | Effect::BranchToLink | Effect::BranchToCount)
            && self.word & 1 != 0
    }

    /// Cache maintenance that it requests, if any.
    pub(super) fn maintenance(&self) -> Option<Maintenance> {
        Some(match self.effect() {
            Effect::Maintain(maintenance) => maintenance,
            Effect::Barrier => Maintenance::Drain,
            Effect::ToSpecial => match self.special() {
                special::CACHE_CONTROL => Maintenance::SetAllocation,
                special::DATA_WRITE_THROUGH => Maintenance::SetWriteThrough,
                special::DATA_CACHEABLE => Maintenance::SetCacheable,
                special::INSTRUCTIONS_CACHEABLE => Maintenance::SetInstructionsCacheable,
                _ => return None,
            },
            _ => return None,
        })
    }

    /// True for the instruction with which firmware stops its core.
    pub(super) fn stops(&self) -> bool {
        self.word == STOP
    }

    /// The displacement of a branch or jump, or its target where bit 1 is set.
    pub(super) fn displacement(&self) -> u32 {
        let absolute = self.word & 2;
        match self.effect() {
            Effect::Jump => ((self.word << 6) as i32 >> 6) as u32 & !3 | absolute,
            _ => self.signed() & !3 | absolute,
        }
    }

    /// Offset added to the base address in addition to registers.
    pub(super) fn offset(&self) -> u32 {
        match self.format() {
            Format::Offset | Format::OffsetUpdate => self.signed(),
            _ => 0,
        }
    }

    /// True if the base register becomes the address.
    pub(super) fn updates(&self) -> bool {
        matches!(self.format(), Format::OffsetUpdate | Format::IndexedUpdate)
    }

    /// The general registers that it reads: 0 where there is none. Of a reference the first two are added and the third is stored.
    pub(super) fn sources(&self) -> [u8; 3] {
        let general = register::general;
        let or_zero = self.second();
        let (first, base, index) = (general(self.first()), general(or_zero), general(self.third()));
        let stored = if self.stores() { first } else { 0 };
        match self.format() {
            Format::SignedOrZero => [or_zero, 0, 0],
            Format::Signed | Format::ArithmeticUnary | Format::CompareSigned | Format::CompareUnsigned => {
                [base, 0, 0]
            }
            Format::TrapSigned => [base, 0, 0],
            Format::Trap if self.stops() => [STOP_CODE, 0, 0],
            Format::Arithmetic | Format::Compare | Format::Trap => [base, index, 0],
            Format::Unsigned | Format::LogicUnary | Format::ShiftAmount => [first, 0, 0],
            Format::Rotate if self.effect() == Effect::RotateInsert => [first, base, 0],
            Format::Rotate | Format::ToConditions | Format::Source | Format::ToSpecial => [first, 0, 0],
            Format::Logic | Format::RotateByRegister => [first, index, 0],
            Format::Offset => [or_zero, 0, stored],
            Format::OffsetUpdate => [base, 0, stored],
            Format::Indexed if self.operation == Operation::UpdateBits => [base, index, 0],
            Format::Indexed => [or_zero, index, stored],
            Format::IndexedUpdate => [base, index, stored],
            Format::Address if self.operation == Operation::SetBit => [base, index, 0],
            Format::Address => [or_zero, index, 0],
            Format::FromSpecial => [self.register_read(), 0, 0],
            Format::Branch | Format::BranchToRegister => self.branch_sources(),
            _ => [0; 3],
        }
    }

    fn branch_sources(&self) -> [u8; 3] {
        let condition = self.condition();
        let conditions = if condition.looks_at_conditions() { register::CONDITIONS } else { 0 };
        let count = if condition.counts() { register::COUNT } else { 0 };
        match self.effect() {
            Effect::BranchToLink => [register::LINK, conditions, count],
            Effect::BranchToCount => [register::COUNT, conditions, count],
            _ => [conditions, count, 0],
        }
    }

    /// Register read by a move from a special register, if it is one of the usual instructions.
    fn register_read(&self) -> u8 {
        if self.effect() == Effect::FromSpecial { special_register(self.special()) } else { 0 }
    }

    fn stores(&self) -> bool {
        use Effect::*;
        matches!(self.effect(), Store(_) | StoreReversed(_) | StoreConditional | StoreMultiple)
    }

    /// The register that it writes; 0 for none.
    pub(super) fn destination(&self) -> u8 {
        use Effect::*;
        let first = register::general(self.first());
        let second = register::general(self.second());
        match self.effect() {
            Calculate(_) | CalculateAndRecord(_) | Multiply(_) | Divide(_) => {
                if self.has_second_as_destination() { second } else { first }
            }
            AddCarrying { .. } => first,
            RotateInsert | RotateByRegister | ShiftAlgebraic => second,
            Compare { .. } | Logic(_) | MoveConditionField | MoveOverflowToField | ToConditions => {
                register::CONDITIONS
            }
            FromConditions | FromMachineState | FromSpecial | FromTimeBase | FromDevice => first,
            Load(..) | LoadReversed(_) | LoadReserved => first,
            LoadMultiple => 31,
            Atomic(AtomicOperation::Update) => first,
            StoreConditional => register::CONDITIONS,
            ToSpecial => special_register(self.special()),
            Jump | Branch | BranchToLink | BranchToCount if self.links() => register::LINK,
            _ => 0,
        }
    }

    fn has_second_as_destination(&self) -> bool {
        use Format::*;
        matches!(self.format(), Unsigned | Logic | LogicUnary | ShiftAmount | Rotate | RotateByRegister)
    }

    /// Another register that it writes: the base, the count, or the conditions; 0 for none.
    pub(super) fn second_destination(&self) -> u8 {
        let is_transfer = matches!(self.format(), Format::Branch | Format::BranchToRegister);
        if self.updates() {
            register::general(self.second())
        } else if is_transfer && self.condition().counts() {
            register::COUNT
        } else if self.records() {
            register::CONDITIONS
        } else {
            0
        }
    }
}

/// The register of every instruction that a special register is; 0 for others.
fn special_register(number: u32) -> u8 {
    match number {
        special::EXCEPTIONS => register::EXCEPTIONS,
        special::LINK => register::LINK,
        special::COUNT => register::COUNT,
        _ => 0,
    }
}

/// True if the word is an invalid form of a valid opcode: branches that count down the register that they jump to.
fn has_invalid_form(operation: Operation, word: u32) -> bool {
    operation == Operation::Bcctr && Condition::of(word).counts()
}

impl DecodedInstruction for Instruction {
    fn mnemonic(&self) -> &'static str {
        let description = self.operation.description();
        let records = usize::from(description.may_record && self.word & 1 != 0);
        description.mnemonics[records + 2 * usize::from(self.notes_overflow())]
    }

    fn class(&self) -> Class {
        use super::semantics::AluFunction as A;
        use Effect::*;
        match self.effect() {
            Calculate(A::ShiftLeft | A::ShiftRight | A::RotateAndMask) => Class::Shift,
            RotateInsert | RotateByRegister | ShiftAlgebraic => Class::Shift,
            Calculate(_) | CalculateAndRecord(_) | AddCarrying { .. } | Compare { .. } | Logic(_) => {
                Class::Alu
            }
            MoveConditionField | MoveOverflowToField | ToConditions | FromConditions => Class::Alu,
            Multiply(_) => Class::Multiply,
            Divide(_) => Class::Divide,
            Load(..) | LoadReversed(_) | LoadReserved | LoadMultiple => Class::Load,
            Store(_) | StoreReversed(_) | StoreConditional | StoreMultiple | ZeroLine => Class::Store,
            Atomic(_) => Class::Atomic,
            Branch | BranchToLink | BranchToCount if !self.condition().always() => Class::Branch,
            Branch | BranchToLink | BranchToCount | Jump => Class::Jump,
            FromSpecial | ToSpecial if special_register(self.special()) != 0 => Class::Alu,
            FromMachineState | ToMachineState | ToExternalEnable => Class::Coprocessor,
            FromSpecial | ToSpecial | FromTimeBase | FromDevice | ToDevice => Class::Coprocessor,
            Reserved => Class::Reserved,
            Call | TrapIf | Return | ReturnCritical | Barrier | Synchronize | Maintain(_) => Class::System,
        }
    }

    // Without a vector: cores with loads under way ask this of every instruction.
    fn reads(&self) -> RegisterSet {
        use Effect::*;
        let exceptions = set_of(&[register::EXCEPTIONS]);
        let conditions = set_of(&[register::CONDITIONS, register::EXCEPTIONS]);
        let mut all = set_of(&self.sources());
        let mut add = |more| all = all.union(more);
        match self.effect() {
            StoreMultiple => (self.first()..32).for_each(|number| add(set_of(&[register::general(number)]))),
            AddCarrying { .. } | ShiftAlgebraic => add(exceptions),
            Logic(_) | MoveConditionField | FromConditions | ToConditions | Compare { .. } => add(conditions),
            MoveOverflowToField => add(conditions),
            StoreConditional => add(conditions.union(set_of(&[register::RESERVATION]))),
            _ => {}
        }
        if self.records() {
            add(conditions);
        }
        if self.notes_overflow() {
            add(exceptions);
        }
        if self.is_of_supervisor() || matches!(self.class(), Class::Coprocessor) {
            add(set_of(&[register::CONTROL]));
        }
        all
    }

    fn writes(&self) -> RegisterSet {
        use Effect::*;
        let mut numbers = vec![self.destination(), self.second_destination()];
        match self.effect() {
            LoadMultiple => numbers.extend((self.first()..32).map(register::general)),
            AddCarrying { .. } | ShiftAlgebraic | MoveOverflowToField => numbers.push(register::EXCEPTIONS),
            LoadReserved | StoreConditional => numbers.push(register::RESERVATION),
            Call | TrapIf | Return | ReturnCritical | Reserved => numbers.push(register::CONTROL),
            ToMachineState | ToExternalEnable => numbers.push(register::CONTROL),
            ToSpecial if self.destination() == 0 => numbers.push(register::CONTROL),
            _ => {}
        }
        if matches!(self.effect(), Return | ReturnCritical) {
            numbers.push(register::RESERVATION);
        }
        if self.notes_overflow() {
            numbers.push(register::EXCEPTIONS);
        }
        set_of(&numbers)
    }

    fn memory(&self) -> Option<MemoryBehaviour> {
        use Effect::*;
        let behaviour = |direction, size_bytes, sign_extends, linked| {
            Some(MemoryBehaviour { direction, size_bytes, sign_extends, part: Part::Whole, linked })
        };
        match self.effect() {
            Load(size, is_signed) => behaviour(Direction::Load, size, is_signed, false),
            LoadReversed(size) => behaviour(Direction::Load, size, false, false),
            Store(size) | StoreReversed(size) => behaviour(Direction::Store, size, false, false),
            LoadReserved => behaviour(Direction::Load, 4, false, true),
            StoreConditional => behaviour(Direction::Store, 4, false, true),
            LoadMultiple => behaviour(Direction::Load, 4, false, false),
            StoreMultiple | ZeroLine => behaviour(Direction::Store, 4, false, false),
            FromDevice => behaviour(Direction::Load, 4, false, false),
            ToDevice => behaviour(Direction::Store, 4, false, false),
            Atomic(_) => behaviour(Direction::ReadModifyWrite, 4, false, false),
            _ => None,
        }
    }

    fn control_flow(&self) -> ControlFlow {
        use Effect::*;
        let links = self.links();
        let is_branch = self.class() == Class::Branch;
        match self.effect() {
            Branch | BranchToLink | BranchToCount if is_branch => {
                ControlFlow::Branch { likely: false, links }
            }
            Jump | Branch => ControlFlow::Jump { links },
            BranchToLink | BranchToCount => ControlFlow::IndirectJump { links },
            Return | ReturnCritical => ControlFlow::ExceptionReturn,
            Call | Reserved => ControlFlow::Exception,
            TrapIf if self.stops() => ControlFlow::Exception,
            _ => ControlFlow::Sequential,
        }
    }

    fn delay_slots(&self) -> u8 {
        0
    }

    fn direct_target(&self, address: u32) -> Option<u32> {
        matches!(self.effect(), Effect::Branch | Effect::Jump).then(|| target(address, self.displacement()))
    }
}

impl Instruction {
    /// True if the operation is privileged, for all operands.
    pub(super) fn is_of_supervisor(&self) -> bool {
        use Effect::*;
        matches!(
            self.effect(),
            Return
                | ReturnCritical
                | FromMachineState
                | ToMachineState
                | ToExternalEnable
                | FromDevice
                | ToDevice
                | Maintain(
                    Maintenance::InvalidateLine
                        | Maintenance::InvalidateSet
                        | Maintenance::InvalidateInstructions,
                )
        )
    }
}

/// The target of a direct branch or jump at `pc`.
#[inline(always)]
pub(super) const fn target(pc: u32, displacement: u32) -> u32 {
    if displacement & 2 == 0 { pc.wrapping_add(displacement) } else { displacement & !3 }
}

#[inline]
fn set_of(numbers: &[u8]) -> RegisterSet {
    let present = numbers.iter().filter(|number| **number != 0);
    present.fold(RegisterSet::EMPTY, |all, number| all.union(RegisterSet::single(*number)))
}
