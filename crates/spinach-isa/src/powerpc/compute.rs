//! Executes instructions that neither transfer control, refer to memory, nor are plain calculations.

use super::Trap;
use super::control::{ControlRegisters, machine_state};
use super::instruction::{Instruction, STOP_CODE};
use super::operation::{CarryIn, Effect, Format, Second};
use super::registers::{Registers, exceptions, register};
use super::semantics::{AluFunction, Rotation, calculate, comparison, overflows};
use super::special;
use crate::architecture::RegisterFile;

/// Executes an instruction and advances to the next.
///
/// # Errors
/// The exception that it raises; the registers are as before.
pub(super) fn compute(registers: &mut Registers, instruction: &Instruction) -> Result<(), Trap> {
    use Effect::*;
    if instruction.is_of_supervisor() && registers.control.is_user() {
        return Err(Trap::PrivilegedInstruction { word: instruction.word });
    }
    let [a, b, _] = instruction.sources().map(|number| registers.general(number));
    match instruction.effect() {
        Calculate(function) | CalculateAndRecord(function) | Multiply(function) | Divide(function) => {
            let b = second_operand(instruction, b);
            if instruction.notes_overflow() {
                note_overflow(registers, overflows(function, a, b));
            }
            conclude(registers, instruction, calculate(function, a, b));
        }
        AddCarrying { complements, second, carry_in } => {
            add_carrying(registers, instruction, if complements { !a } else { a }, second, carry_in);
        }
        RotateInsert => {
            let rotation = Rotation(instruction.word);
            let mask = rotation.mask();
            conclude(registers, instruction, a.rotate_left(rotation.amount()) & mask | b & !mask);
        }
        RotateByRegister => {
            let result = a.rotate_left(b & 31) & Rotation(instruction.word).mask();
            conclude(registers, instruction, result);
        }
        ShiftAlgebraic => shift_algebraic(registers, instruction, a, b),
        Compare { is_signed } => compare(registers, instruction, is_signed, a, b),
        Logic(_) | MoveConditionField | MoveOverflowToField | ToConditions | FromConditions => {
            work_on_conditions(registers, instruction, a);
        }
        TrapIf => trap(registers, instruction, a, b)?,
        Return | ReturnCritical => {
            let is_critical = instruction.effect() == ReturnCritical;
            let resume = registers.control.return_from_exception(is_critical);
            *registers.link() = None;
            registers.jump_to(resume);
            return Ok(());
        }
        FromMachineState => registers.set_general(instruction.destination(), registers.control.machine_state),
        ToMachineState => registers.control.machine_state = a & machine_state::ALL,
        ToExternalEnable => {
            let value = if instruction.format() == Format::Bit { instruction.word } else { a };
            let others = registers.control.machine_state & !machine_state::EXTERNAL;
            registers.control.machine_state = others | value & machine_state::EXTERNAL;
        }
        FromSpecial | FromTimeBase => from_special(registers, instruction)?,
        ToSpecial => to_special(registers, instruction, a)?,
        Call => return Err(Trap::SystemCall),
        Reserved => return Err(Trap::IllegalInstruction { word: instruction.word }),
        _ => {}
    }
    registers.advance(4);
    Ok(())
}

/// Second operand of a calculation whose second register, if it has one, holds `b`.
fn second_operand(instruction: &Instruction, b: u32) -> u32 {
    match instruction.format() {
        Format::Signed | Format::SignedOrZero | Format::Unsigned => immediate(instruction),
        Format::Rotate => instruction.word,
        _ => b,
    }
}

/// The immediate of a calculation, shifted for some operations.
pub(super) fn immediate(instruction: &Instruction) -> u32 {
    use super::Operation::*;
    let signed = instruction.signed();
    match instruction.operation {
        Addis | Oris | Xoris | Andis => signed << 16,
        Ori | Xori | Andi => signed & 0xffff,
        _ => signed,
    }
}

/// Writes the result, and its comparison with 0 if requested.
fn conclude(registers: &mut Registers, instruction: &Instruction, result: u32) {
    registers.set_general(instruction.destination(), result);
    if instruction.records() {
        registers.record(0, comparison(result as i32, 0));
    }
}

fn note_overflow(registers: &mut Registers, overflows: bool) {
    let others = registers.exceptions() & !exceptions::OVERFLOW;
    let noted = if overflows { exceptions::OVERFLOW | exceptions::SUMMARY } else { 0 };
    registers.set_exceptions(others | noted);
}

fn set_carry(registers: &mut Registers, carry: bool) {
    let others = registers.exceptions() & !exceptions::CARRY;
    registers.set_exceptions(others | if carry { exceptions::CARRY } else { 0 });
}

fn add_carrying(
    registers: &mut Registers,
    instruction: &Instruction,
    a: u32,
    second: Second,
    carry_in: CarryIn,
) {
    let b = match second {
        Second::Register => registers.general(register::general(instruction.third())),
        Second::Immediate => instruction.signed(),
        Second::Zero => 0,
        Second::MinusOne => u32::MAX,
    };
    let carry = match carry_in {
        CarryIn::Zero => false,
        CarryIn::One => true,
        CarryIn::Carry => registers.exceptions() & exceptions::CARRY != 0,
    };
    let sum = u64::from(a) + u64::from(b) + u64::from(carry);
    let result = sum as u32;
    set_carry(registers, sum >> 32 != 0);
    if instruction.notes_overflow() {
        note_overflow(registers, ((a ^ result) & (b ^ result)) >> 31 != 0);
    }
    conclude(registers, instruction, result);
}

fn shift_algebraic(registers: &mut Registers, instruction: &Instruction, a: u32, b: u32) {
    let is_constant = instruction.format() == Format::ShiftAmount;
    let amount = if is_constant { instruction.third().into() } else { b & 63 };
    let result = i64::from(a as i32) >> amount;
    let lost = amount >= 32 || a & ((1u32 << amount) - 1) != 0;
    let loses_ones = (a as i32) < 0 && if amount >= 32 { a != 0 } else { lost };
    set_carry(registers, loses_ones);
    conclude(registers, instruction, result as u32);
}

fn compare(registers: &mut Registers, instruction: &Instruction, is_signed: bool, a: u32, b: u32) {
    let b = match instruction.format() {
        Format::CompareSigned => instruction.signed(),
        Format::CompareUnsigned => instruction.signed() & 0xffff,
        _ => b,
    };
    let bits = if is_signed { comparison(a as i32, b as i32) } else { comparison(a, b) };
    registers.record(instruction.first() >> 2, bits);
}

fn work_on_conditions(registers: &mut Registers, instruction: &Instruction, a: u32) {
    let conditions = registers.conditions();
    let bit = |number: u8| conditions >> (31 - number) & 1 != 0;
    let field = instruction.first() >> 2;
    match instruction.effect() {
        Effect::Logic(logic) => {
            let place = 31 - instruction.first();
            let new = logic.of(bit(instruction.second()), bit(instruction.third()));
            registers.set_conditions(conditions & !(1 << place) | u32::from(new) << place);
        }
        Effect::MoveConditionField => {
            let source = instruction.second() >> 2;
            registers.set_condition_field(field, conditions >> (28 - 4 * source) & 15);
        }
        Effect::MoveOverflowToField => {
            let old = registers.exceptions();
            registers.set_condition_field(field, old >> 28);
            registers.set_exceptions(old & 0x0fff_ffff);
        }
        Effect::ToConditions => {
            let fields = (0..8).filter(|field| instruction.word >> (12 + field) & 1 != 0);
            let mask = fields.fold(0, |all, field| all | 0xf << (4 * field));
            registers.set_conditions(a & mask | conditions & !mask);
        }
        _ => registers.set_general(instruction.destination(), conditions),
    }
}

fn trap(registers: &Registers, instruction: &Instruction, a: u32, b: u32) -> Result<(), Trap> {
    if instruction.stops() {
        return Err(Trap::Breakpoint { code: registers.general(STOP_CODE) });
    }
    let b = if instruction.format() == Format::TrapSigned { instruction.signed() } else { b };
    let relations = [(a as i32) < (b as i32), (a as i32) > (b as i32), a == b, a < b, a > b];
    let asked = |place: usize| instruction.first() >> (4 - place) & 1 != 0;
    let traps = relations.iter().enumerate().any(|(place, holds)| *holds && asked(place));
    if traps { Err(Trap::TrapInstruction) } else { Ok(()) }
}

fn check_privilege(registers: &Registers, instruction: &Instruction) -> Result<(), Trap> {
    if registers.control.is_user() && !ControlRegisters::is_for_users(instruction.special()) {
        return Err(Trap::PrivilegedInstruction { word: instruction.word });
    }
    Ok(())
}

fn from_special(registers: &mut Registers, instruction: &Instruction) -> Result<(), Trap> {
    check_privilege(registers, instruction)?;
    let number = instruction.special();
    let value = match number {
        special::EXCEPTIONS => registers.exceptions(),
        special::LINK => registers.general(register::LINK),
        special::COUNT => registers.general(register::COUNT),
        _ => registers.control.read(number).ok_or(Trap::IllegalInstruction { word: instruction.word })?,
    };
    registers.set_general(instruction.destination(), value);
    Ok(())
}

fn to_special(registers: &mut Registers, instruction: &Instruction, value: u32) -> Result<(), Trap> {
    check_privilege(registers, instruction)?;
    match instruction.special() {
        special::EXCEPTIONS => registers.set_exceptions(value),
        special::LINK => registers.set_general(register::LINK, value),
        special::COUNT => registers.set_general(register::COUNT, value),
        number => {
            let written = registers.control.write(number, value);
            written.ok_or(Trap::IllegalInstruction { word: instruction.word })?;
        }
    }
    Ok(())
}

/// Result of an ALU function on the operands of a micro-operation.
#[inline(always)]
pub(super) const fn alu(function: AluFunction, a: u32, b: u32) -> u32 {
    calculate(function, a, b)
}
