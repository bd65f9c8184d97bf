//! Disassembly of instructions into text, in the syntax of the GNU tools without aliases other than `nop`.

use std::fmt::{self, Display, Formatter};

use super::decode::Instruction;
use super::operation::{Operation, register};
use super::syntax::{COPROCESSOR0_NAMES, GENERAL_NAMES, Operand};
use crate::instruction_set::DecodedInstruction;

/// An instruction that displays as assembly text.
#[derive(Clone, Copy, Debug)]
pub struct Disassembly {
    instruction: Instruction,
    address: u32,
}

/// The instruction at `address` as assembly text. Words without meaning display as `.word`.
pub const fn disassemble(instruction: Instruction, address: u32) -> Disassembly {
    Disassembly { instruction, address }
}

impl Display for Disassembly {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let Instruction { operation, word, immediate, .. } = self.instruction;
        match operation {
            Operation::Reserved | Operation::CoprocessorUnusable => {
                return write!(formatter, ".word {word:#x}");
            }
            Operation::Sll if word == 0 => return formatter.write_str("nop"),
            _ => {}
        }
        let description = operation.description();
        formatter.write_str(description.mnemonic)?;
        let mut separator = " ";
        for &operand in description.format.syntax() {
            let left_out = match operand {
                Operand::LinkRd => self.instruction.rd == register::RETURN_ADDRESS,
                Operand::Code | Operand::FirstCode => immediate == 0,
                Operand::SecondCode => immediate & 0x3ff == 0,
                _ => false,
            };
            if !left_out {
                formatter.write_str(separator)?;
                self.write_operand(formatter, operand)?;
                separator = ",";
            }
        }
        Ok(())
    }
}

impl Disassembly {
    fn write_operand(&self, formatter: &mut Formatter<'_>, operand: Operand) -> fmt::Result {
        let Instruction { rs, rt, rd, shift_amount, immediate, .. } = self.instruction;
        let name = |number: u8| GENERAL_NAMES[usize::from(number & 31)];
        match operand {
            Operand::Rd | Operand::LinkRd => formatter.write_str(name(rd)),
            Operand::Rs => formatter.write_str(name(rs)),
            Operand::Rt => formatter.write_str(name(rt)),
            Operand::Zero => formatter.write_str(name(0)),
            Operand::ShiftAmount => write!(formatter, "{shift_amount:#x}"),
            Operand::Signed => write!(formatter, "{}", immediate as i32),
            Operand::Unsigned | Operand::Code => write!(formatter, "{immediate:#x}"),
            Operand::Upper => write!(formatter, "{:#x}", immediate >> 16),
            Operand::BranchTarget | Operand::JumpTarget => {
                write!(formatter, "{:#x}", self.instruction.direct_target(self.address).unwrap_or_default())
            }
            Operand::OffsetBase => write!(formatter, "{}({})", immediate as i32, name(rs)),
            Operand::FirstCode => write!(formatter, "{:#x}", immediate >> 10),
            Operand::SecondCode => write!(formatter, "{:#x}", immediate & 0x3ff),
            Operand::CacheFunction => write!(formatter, "{rt:#x}"),
            Operand::Coprocessor0 => match COPROCESSOR0_NAMES.iter().find(|(number, _)| *number == rd) {
                Some((_, name)) => formatter.write_str(name),
                None => write!(formatter, "${rd}"),
            },
        }
    }
}
