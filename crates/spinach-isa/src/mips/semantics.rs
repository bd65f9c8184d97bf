//! Results of instructions, as pure functions that every kind of core shares.
//!
//! Where the architecture leaves a result unpredictable, the choice is stated at the function.

use serde::{Deserialize, Serialize};

use super::decode::Instruction;
use super::operation::{AluFunction, Condition, OperandA, OperandB, Operation};
use super::tigon2::{self, PriorityOrder};
use super::trap::Trap;
use crate::architecture::Transfer;
use crate::atomic;
use crate::instruction_set::{Class, ControlFlow, DecodedInstruction};

#[inline]
const fn signed(value: u32) -> i32 {
    value as i32
}

/// The ALU and the shifter.
///
/// # Errors
/// [`Trap::Overflow`] for the trapping functions.
#[inline(always)] // A call costs cores as much as what it computes.
pub fn alu(function: AluFunction, a: u32, b: u32) -> Result<u32, Trap> {
    Ok(match function {
        AluFunction::Add => a.wrapping_add(b),
        AluFunction::AddTrapping => signed(a).checked_add(signed(b)).ok_or(Trap::Overflow)? as u32,
        AluFunction::Subtract => a.wrapping_sub(b),
        AluFunction::SubtractTrapping => signed(a).checked_sub(signed(b)).ok_or(Trap::Overflow)? as u32,
        AluFunction::And => a & b,
        AluFunction::Or => a | b,
        AluFunction::Xor => a ^ b,
        AluFunction::Nor => !(a | b),
        AluFunction::SetLessThanSigned => u32::from(signed(a) < signed(b)),
        AluFunction::SetLessThanUnsigned => u32::from(a < b),
        AluFunction::ShiftLeft => b << (a & 31),
        AluFunction::ShiftRightLogical => b >> (a & 31),
        AluFunction::ShiftRightArithmetic => (signed(b) >> (a & 31)) as u32,
        AluFunction::PriorityHighest => tigon2::priority_decode(a & b, PriorityOrder::HighestFirst),
        AluFunction::PriorityLowest => tigon2::priority_decode(a & b, PriorityOrder::LowestFirst),
    })
}

/// The operands that the ALU, a condition or an address takes, from the values of registers `rs` and `rt`.
#[inline]
pub fn operands(instruction: &Instruction, rs: u32, rt: u32) -> (u32, u32) {
    let description = instruction.operation.description();
    let a = match description.operand_a {
        OperandA::Rs => rs,
        OperandA::ShiftAmount => u32::from(instruction.shift_amount),
    };
    let b = match description.operand_b {
        OperandB::Rt => rt,
        OperandB::Immediate => instruction.immediate,
    };
    (a, b)
}

/// The relations between two operands in which a condition holds, one bit each: a relation is a number of which bit 0 says
/// that they are equal, bit 1 that the first is less as a signed number, bit 2 that it is less as an unsigned one.
const fn relations(condition: Condition) -> u8 {
    const EQUAL: u8 = 0b1010_1010;
    const LESS_SIGNED: u8 = 0b1100_1100;
    const LESS_UNSIGNED: u8 = 0b1111_0000;
    match condition {
        Condition::Equal => EQUAL,
        Condition::NotEqual => !EQUAL,
        Condition::LessSigned => LESS_SIGNED,
        Condition::LessOrEqualSigned => LESS_SIGNED | EQUAL,
        Condition::GreaterSigned => !(LESS_SIGNED | EQUAL),
        Condition::GreaterOrEqualSigned => !LESS_SIGNED,
        Condition::LessUnsigned => LESS_UNSIGNED,
        Condition::GreaterOrEqualUnsigned => !LESS_UNSIGNED,
    }
}

/// The same for all conditions in their order: which condition it is, a processor that simulates cannot predict.
const RELATIONS: [u8; 8] = [
    relations(Condition::Equal),
    relations(Condition::NotEqual),
    relations(Condition::LessSigned),
    relations(Condition::LessOrEqualSigned),
    relations(Condition::GreaterSigned),
    relations(Condition::GreaterOrEqualSigned),
    relations(Condition::LessUnsigned),
    relations(Condition::GreaterOrEqualUnsigned),
];

/// True if a condition holds between two operands.
#[inline]
pub fn condition_holds(condition: Condition, a: u32, b: u32) -> bool {
    let relation = u8::from(a == b) | u8::from(signed(a) < signed(b)) << 1 | u8::from(a < b) << 2;
    RELATIONS[condition as usize] >> relation & 1 != 0
}

/// The registers HI and LO.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HiLo {
    /// Upper half of a product, or remainder.
    pub hi: u32,
    /// Lower half of a product, or quotient.
    pub lo: u32,
}

impl HiLo {
    const fn product(product: u64) -> Self {
        Self { hi: (product >> 32) as u32, lo: product as u32 }
    }
}

/// Products, quotients and remainders of `a` and `b`, for classes [`Class::Multiply`] and [`Class::Divide`].
/// Other operations are taken for `divu`.
///
/// The architecture leaves division by zero unpredictable; here it divides by one: the quotient is `a` and the
/// remainder 0, as QEMU has it. The smallest integer divided by -1 overflows to itself, with remainder 0.
#[inline]
pub fn multiply_divide(operation: Operation, a: u32, b: u32) -> HiLo {
    let (signed_a, signed_b) = (signed(a), signed(b));
    match operation {
        Operation::Mult => HiLo::product((i64::from(signed_a) * i64::from(signed_b)) as u64),
        Operation::Multu => HiLo::product(u64::from(a) * u64::from(b)),
        _ if b == 0 => HiLo { hi: 0, lo: a },
        Operation::Div => {
            HiLo { hi: signed_a.wrapping_rem(signed_b) as u32, lo: signed_a.wrapping_div(signed_b) as u32 }
        }
        _ => HiLo { hi: a % b, lo: a / b },
    }
}

/// Resolves a branch or jump at `address` from the values of its registers; `None` for other instructions.
#[inline]
pub fn redirection(instruction: &Instruction, address: u32, rs: u32, rt: u32) -> Option<Transfer<u32>> {
    let always = |target| Some(Transfer { taken: true, target, annuls_delay_slot: false });
    match instruction.control_flow() {
        ControlFlow::Branch { likely, .. } => {
            let condition = instruction.operation.description().condition?;
            let taken = condition_holds(condition, rs, rt);
            let target = address.wrapping_add(4).wrapping_add(instruction.immediate);
            Some(Transfer { taken, target, annuls_delay_slot: likely && !taken })
        }
        ControlFlow::Jump { .. } => instruction.direct_target(address).and_then(always),
        ControlFlow::IndirectJump { .. } if instruction.operation == Operation::JumpOffset => {
            always(tigon2::jump_offset_target(rs, rt))
        }
        ControlFlow::IndirectJump { .. } => always(rs),
        ControlFlow::Sequential | ControlFlow::ExceptionReturn | ControlFlow::Exception => None,
    }
}

/// The return address that a linking branch or jump at `address` writes: past its delay slot.
#[inline]
pub const fn return_address(address: u32) -> u32 {
    address.wrapping_add(8)
}

/// The circumstances that decide whether an instruction may execute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Context {
    /// Coprocessor 0 is usable.
    pub privileged: bool,
    /// The instruction follows a branch or jump, taken or not.
    pub in_delay_slot: bool,
}

/// The exception that an instruction raises whatever its result and its address: system calls, breakpoints,
/// conditional traps that hold, reserved words, control transfers in delay slots, coprocessors that are absent
/// or lack privilege. `rs` and `rt` are the values of its registers.
///
/// # Errors
/// The exception, if there is one.
#[inline]
pub fn check_exception(instruction: &Instruction, rs: u32, rt: u32, context: Context) -> Result<(), Trap> {
    let description = instruction.operation.description();
    let code = instruction.immediate;
    let reserved = Err(Trap::ReservedInstruction { word: instruction.word });
    match (instruction.operation, description.condition) {
        (Operation::Syscall, _) => Err(Trap::Syscall { code }),
        (Operation::Break, _) => Err(Trap::Breakpoint { code }),
        (Operation::Reserved, _) => reserved,
        (Operation::CoprocessorUnusable, _) => Err(Trap::CoprocessorUnusable { coprocessor: code as u8 }),
        (Operation::Mfc0 | Operation::Mtc0 | Operation::Eret | Operation::Cache, _)
            if !context.privileged =>
        {
            Err(Trap::CoprocessorUnusable { coprocessor: 0 })
        }
        _ if context.in_delay_slot && description.control_flow.redirects() => reserved,
        (_, Some(condition)) if description.class == Class::System => {
            let (a, b) = operands(instruction, rs, rt);
            let code = if description.operand_b == OperandB::Immediate { 0 } else { code };
            if condition_holds(condition, a, b) { Err(Trap::Condition { code }) } else { Ok(()) }
        }
        _ => Ok(()),
    }
}

/// The address that a load, store, atomic or cache instruction names, not yet checked for alignment. For the
/// atomic bit array it is the word that holds the bit.
#[inline]
pub fn effective_address(instruction: &Instruction, rs: u32, rt: u32) -> u32 {
    match instruction.class() {
        Class::Atomic => atomic::word_address(rt, rs),
        _ => rs.wrapping_add(instruction.immediate),
    }
}
