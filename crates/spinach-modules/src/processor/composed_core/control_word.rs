//! The control signals of one instruction, packed into a word that travels with it from stage to stage.

use spinach_isa::instruction_set::{Class, ControlFlow, DecodedInstruction, Direction, Part};
use spinach_isa::registered::classic::operation::{AluFunction, Condition, OperandA, OperandB};
use spinach_isa::registered::classic::{Instruction, Operation};

use super::super::decoded::{Decoded, Kind, Work};
use crate::parts::numbers::Numbers;
use spinach_isa::registered::Classic;

/// A run of bits in a control word: the lowest and how many.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field(u32, u32);

impl Field {
    pub(super) const fn of(self, word: u64) -> u32 {
        (word >> self.0 & ((1 << self.1) - 1)) as u32
    }

    pub(super) const fn is_set(self, word: u64) -> bool {
        self.of(word) != 0
    }

    const fn mask(self) -> u64 {
        ((1 << self.1) - 1) << self.0
    }

    const fn with(self, value: u32) -> u64 {
        (value as u64 & ((1 << self.1) - 1)) << self.0
    }
}

/// Fields of a control word, and a list of all of them by name, as masks.
macro_rules! fields {
    ($($(#[$meaning:meta])* $visibility:vis $name:ident = $lowest:literal, $count:literal;)*) => {
        $($(#[$meaning])* $visibility const $name: Field = Field($lowest, $count);)*
        /// The bits of each field.
        pub(crate) const CONTROL_FIELDS: Numbers = &[$((stringify!($name), $name.mask())),*];
    };
}

fields! {
    /// The general register written; 0 for none.
    pub(super) DESTINATION = 0, 5;
    /// The general registers read; 0 where there is none.
    SOURCE_S = 5, 5;
    SOURCE_T = 10, 5;
    /// Operation of the ALU; see [`opcode`].
    OPCODE = 15, 5;
    A_IS_SHIFT_AMOUNT = 20, 1;
    B_IS_IMMEDIATE = 21, 1;
    SHIFT_AMOUNT = 22, 5;
    /// A [`Kind`], by number.
    pub(super) KIND = 27, 4;
    IS_LIKELY = 31, 1;
    LINKS = 32, 1;
    /// A [`Condition`], by number.
    CONDITION = 33, 3;
    IS_CONDITIONAL = 36, 1;
    IS_JUMP_OFFSET = 37, 1;
    /// An [`crate::values::Access`], by number.
    pub(super) ACCESS = 38, 3;
    /// The size of a reference: 1, 2 or 4 bytes as 0, 1 or 2.
    pub(super) SIZE = 41, 2;
    pub(super) SIGN_EXTENDS = 43, 1;
    /// Whole, left or right part of an unaligned word as 0, 1 or 2.
    pub(super) PART = 44, 2;
    USES_MULTIPLIER = 46, 1;
    MULTIPLIES = 47, 1;
    DIVIDES = 48, 1;
    /// Register that the multiplier moves: none, from HI, from LO, to HI, to LO.
    MULTIPLIER_MOVE = 49, 3;
    /// See [`system`].
    pub(super) SYSTEM = 52, 4;
    /// Field `rd`: the register of coprocessor 0.
    pub(super) COPROCESSOR_REGISTER = 56, 5;
    TRAPS_ON_OVERFLOW = 61, 1;
    /// True if the instruction is in a delay slot; decode leaves it to the stages, as the next.
    pub(super) IN_DELAY_SLOT = 62, 1;
    /// True if there is an instruction.
    pub(super) IS_VALID = 63, 1;
}

/// Numbers of the operations that concern coprocessor 0 or raise exceptions.
pub(crate) mod system {
    crate::parts::numbers::numbers! {
        /// All of them.
        SYSTEM_OPERATIONS: u32 {
            pub(crate) MOVE_FROM = 1;
            pub(crate) MOVE_TO = 2;
            pub(crate) EXCEPTION_RETURN = 3;
            pub(crate) SYSTEM_CALL = 4;
            pub(crate) BREAK = 5;
            pub(crate) TRAP = 6;
            pub(crate) CACHE = 7;
            pub(crate) RESERVED = 8;
            pub(crate) COPROCESSOR_UNUSABLE = 9;
        }
    }
}

/// Numbers of the kinds of instructions.
pub(crate) const CONTROL_KINDS: Numbers = &[
    ("PLAIN", Kind::Plain as u64),
    ("AWAITED", Kind::Awaited as u64),
    ("POSTED", Kind::Posted as u64),
    ("REGISTER_TRANSFER", Kind::RegisterTransfer as u64),
    ("DIRECT_JUMP", Kind::DirectJump as u64),
    ("BARRIER", Kind::Barrier as u64),
    ("EXCEPTION_RETURN", Kind::ExceptionReturn as u64),
];

/// Numbers of the operations of the ALU.
pub(super) mod opcode {
    /// Conditions begin here, in the order of [`super::Condition`].
    pub(crate) const CONDITIONS: u32 = 16;
    pub(crate) const MULTIPLY: u32 = 24;
    pub(crate) const MULTIPLY_UNSIGNED: u32 = 25;
    pub(crate) const DIVIDE: u32 = 26;
    pub(crate) const DIVIDE_UNSIGNED: u32 = 27;
}

/// The control word of an instruction.
pub(super) fn control_word(decoded: &Decoded<Classic>) -> u64 {
    let instruction = &decoded.instruction();
    let description = instruction.operation.description();
    let flow = description.control_flow;
    let is_transfer = decoded.transfers_control();
    let flag = |field: Field, value: bool| field.with(u32::from(value));
    let links = match flow {
        ControlFlow::Branch { links, .. }
        | ControlFlow::Jump { links }
        | ControlFlow::IndirectJump { links } => links,
        _ => false,
    };
    let condition = description.condition.filter(|_| is_transfer);
    DESTINATION.with(u32::from(instruction.destination))
        | SOURCE_S.with(u32::from(decoded.sources[0]))
        | SOURCE_T.with(u32::from(decoded.sources[1]))
        | OPCODE.with(opcode_of(instruction))
        | flag(A_IS_SHIFT_AMOUNT, description.operand_a == OperandA::ShiftAmount)
        | flag(B_IS_IMMEDIATE, description.operand_b == OperandB::Immediate)
        | SHIFT_AMOUNT.with(u32::from(instruction.shift_amount))
        | KIND.with(decoded.kind() as u32)
        | flag(IS_LIKELY, matches!(flow, ControlFlow::Branch { likely: true, .. }))
        | flag(LINKS, links)
        | CONDITION.with(condition.map_or(0, number_of_condition))
        | flag(IS_CONDITIONAL, condition.is_some())
        | flag(IS_JUMP_OFFSET, instruction.operation == Operation::JumpOffset)
        | memory_fields(decoded)
        | flag(USES_MULTIPLIER, decoded.work == Work::Multiplier)
        | flag(MULTIPLIES, decoded.class() == Class::Multiply)
        | flag(DIVIDES, decoded.class() == Class::Divide)
        | MULTIPLIER_MOVE.with(multiplier_move(instruction.operation))
        | SYSTEM.with(system_operation(instruction))
        | COPROCESSOR_REGISTER.with(u32::from(instruction.rd))
        | flag(TRAPS_ON_OVERFLOW, traps_on_overflow(description.alu) && decoded.kind() == Kind::Plain)
}

fn traps_on_overflow(function: AluFunction) -> bool {
    matches!(function, AluFunction::AddTrapping | AluFunction::SubtractTrapping)
}

fn memory_fields(decoded: &Decoded<Classic>) -> u64 {
    let instruction = &decoded.instruction();
    let Some(behaviour) = instruction.operation.description().memory else { return 0 };
    let part = match behaviour.part {
        Part::Whole => 0,
        Part::Left => 1,
        Part::Right => 2,
    };
    let access = match (instruction.operation, behaviour.direction) {
        (Operation::Ll, _) => 2,
        (Operation::Sc, _) => 3,
        (Operation::SetBit, _) => 4,
        (Operation::UpdateBits, _) => 5,
        (_, Direction::Load) => 0,
        _ => 1,
    };
    ACCESS.with(access)
        | SIZE.with(u32::from(behaviour.size_bytes).ilog2())
        | SIGN_EXTENDS.with(u32::from(behaviour.sign_extends))
        | PART.with(part)
}

fn opcode_of(instruction: &Instruction) -> u32 {
    let description = instruction.operation.description();
    match (instruction.operation, description.condition) {
        (Operation::Mult, _) => opcode::MULTIPLY,
        (Operation::Multu, _) => opcode::MULTIPLY_UNSIGNED,
        (Operation::Div, _) => opcode::DIVIDE,
        (Operation::Divu, _) => opcode::DIVIDE_UNSIGNED,
        (_, Some(condition)) => opcode::CONDITIONS + number_of_condition(condition),
        _ => description.alu as u32,
    }
}

const fn number_of_condition(condition: Condition) -> u32 {
    condition as u32
}

const fn multiplier_move(operation: Operation) -> u32 {
    match operation {
        Operation::Mfhi => 1,
        Operation::Mflo => 2,
        Operation::Mthi => 3,
        Operation::Mtlo => 4,
        _ => 0,
    }
}

fn system_operation(instruction: &Instruction) -> u32 {
    match instruction.operation {
        Operation::Mfc0 => system::MOVE_FROM,
        Operation::Mtc0 => system::MOVE_TO,
        Operation::Eret => system::EXCEPTION_RETURN,
        Operation::Syscall => system::SYSTEM_CALL,
        Operation::Break => system::BREAK,
        Operation::Cache => system::CACHE,
        Operation::Reserved => system::RESERVED,
        Operation::CoprocessorUnusable => system::COPROCESSOR_UNUSABLE,
        operation
            if operation.description().condition.is_some() && !instruction.control_flow().redirects() =>
        {
            system::TRAP
        }
        _ => 0,
    }
}
