//! A small assembler: one instruction, label or `.word` per line, no macros but `nop`.
//!
//! It accepts the output of the disassembler, register names with or without `$`, labels, decimal and hexadecimal numbers, and
//! comments from `#` to the end of the line. Real firmware is compiled; this is for short programs in tests and for looking at
//! single instructions.

use std::collections::HashMap;

use thiserror::Error;

use super::encode::{EncodeError, Operands, encode};
use super::operation::{Operation, register};
use super::syntax::{COPROCESSOR0_NAMES, GENERAL_NAMES, Operand};

/// A line that cannot be assembled.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {problem}")]
pub struct AssembleError {
    /// The line's number, from 1.
    pub line: usize,
    /// Problem in the line.
    pub problem: Problem,
}

/// Problems of an assembly line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Problem {
    /// No operation has this name.
    #[error(
        "no instruction is called `{0}`\nwrite MIPS I or II, `pri`, `joff`, `set`, `update`, `nop` or `.word`"
    )]
    Mnemonic(String),
    /// The operation takes other operands.
    #[error("`{mnemonic}` does not take {given} operands\nwrite `{mnemonic} {expected}`")]
    OperandCount {
        /// The operation's name.
        mnemonic: &'static str,
        /// Number of operands in the line.
        given: usize,
        /// Expected operands.
        expected: String,
    },
    /// An operand does not suit its place.
    #[error("`{text}` is not {expected}\nwrite {expected}")]
    Operand {
        /// The operand.
        text: String,
        /// Expected operand.
        expected: &'static str,
    },
    /// A label is defined twice.
    #[error("label `{0}` is defined before\nchoose another name")]
    DuplicateLabel(String),
    /// A jump leaves the 256 MiB of its delay slot.
    #[error("jump to {0:#x} leaves the 256 MiB of its delay slot\njump through a register")]
    JumpTooFar(u32),
    /// The operands do not fit the encoding.
    #[error(transparent)]
    Encode(#[from] EncodeError),
}

/// Assembles a program that begins at `address`.
///
/// # Errors
/// [`AssembleError`] for the first line that is wrong.
pub fn assemble(source: &str, address: u32) -> Result<Vec<u32>, AssembleError> {
    let mut labels = HashMap::new();
    let mut statements = Vec::new();
    for (index, line) in source.lines().enumerate() {
        let line_number = index + 1;
        let mut text = line.split('#').next().unwrap_or_default().trim();
        while let Some((label, rest)) = text.split_once(':') {
            let here = address.wrapping_add(4 * statements.len() as u32);
            if labels.insert(label.trim(), here).is_some() {
                let problem = Problem::DuplicateLabel(label.trim().to_owned());
                return Err(AssembleError { line: line_number, problem });
            }
            text = rest.trim();
        }
        if !text.is_empty() {
            statements.push((line_number, text));
        }
    }
    let lines = statements.iter().enumerate().map(|(index, &(line, text))| {
        let here = address.wrapping_add(4 * index as u32);
        Line { address: here, labels: &labels }
            .assemble(text)
            .map_err(|problem| AssembleError { line, problem })
    });
    lines.collect()
}

/// One line in its surroundings.
struct Line<'a> {
    address: u32,
    labels: &'a HashMap<&'a str, u32>,
}

impl Line<'_> {
    fn assemble(&self, text: &str) -> Result<u32, Problem> {
        let (mnemonic, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let texts: Vec<&str> =
            if rest.trim().is_empty() { Vec::new() } else { rest.split(',').map(str::trim).collect() };
        match mnemonic {
            "nop" if texts.is_empty() => return Ok(0),
            ".word" if texts.len() == 1 => return self.value(texts[0]),
            _ => {}
        }
        let operation = Operation::ALL
            .iter()
            .copied()
            .filter(|operation| !matches!(operation, Operation::Reserved | Operation::CoprocessorUnusable))
            .find(|operation| operation.description().mnemonic == mnemonic)
            .ok_or_else(|| Problem::Mnemonic(mnemonic.to_owned()))?;
        let syntax = operation.description().format.syntax();
        let mut operands = Operands::default();
        let mut expected = syntax;
        if syntax.first() == Some(&Operand::LinkRd) && texts.len() == 1 {
            operands.rd = register::RETURN_ADDRESS;
            expected = &syntax[1..];
        }
        let may_be_missing =
            |operand: &Operand| matches!(operand, Operand::Code | Operand::FirstCode | Operand::SecondCode);
        let required = expected.iter().filter(|operand| !may_be_missing(operand)).count();
        if texts.len() < required || texts.len() > expected.len() {
            let mnemonic = operation.description().mnemonic;
            let names: Vec<_> = syntax.iter().map(|operand| placeholder(*operand)).collect();
            return Err(Problem::OperandCount { mnemonic, given: texts.len(), expected: names.join(",") });
        }
        for (text, operand) in texts.iter().zip(expected) {
            self.read_operand(text, *operand, &mut operands)?;
        }
        Ok(encode(operation, operands)?)
    }

    fn read_operand(&self, text: &str, operand: Operand, operands: &mut Operands) -> Result<(), Problem> {
        match operand {
            Operand::Rd | Operand::LinkRd => operands.rd = general(text)?,
            Operand::Rs => operands.rs = general(text)?,
            Operand::Rt => operands.rt = general(text)?,
            Operand::Zero if general(text)? == 0 => {}
            Operand::Zero => return Err(wrong(text, "the register zero")),
            Operand::ShiftAmount => operands.shift_amount = self.small(text)?,
            Operand::CacheFunction => operands.rt = self.small(text)?,
            Operand::Signed | Operand::Unsigned | Operand::Code => operands.immediate = self.value(text)?,
            Operand::Upper => match self.value(text)? {
                upper @ 0..0x1_0000 => operands.immediate = upper << 16,
                _ => return Err(wrong(text, "a number from 0 to 0xffff")),
            },
            Operand::BranchTarget => {
                operands.immediate = self.value(text)?.wrapping_sub(self.address.wrapping_add(4));
            }
            Operand::JumpTarget => {
                let target = self.value(text)?;
                if (target ^ self.address.wrapping_add(4)) >> 28 != 0 {
                    return Err(Problem::JumpTooFar(target));
                }
                operands.immediate = target & 0x0fff_ffff;
            }
            Operand::OffsetBase => {
                let expected = "an offset and a base register, as `4(sp)`";
                let (offset, base) = text.split_once('(').ok_or_else(|| wrong(text, expected))?;
                operands.rs = general(base.strip_suffix(')').ok_or_else(|| wrong(text, expected))?)?;
                operands.immediate = if offset.trim().is_empty() { 0 } else { self.value(offset.trim())? };
            }
            Operand::FirstCode | Operand::SecondCode => match self.value(text)? {
                code @ 0..0x400 if operand == Operand::FirstCode => operands.immediate |= code << 10,
                code @ 0..0x400 => operands.immediate |= code,
                _ => return Err(wrong(text, "a number from 0 to 0x3ff")),
            },
            Operand::Coprocessor0 => operands.rd = coprocessor0(text)?,
        }
        Ok(())
    }

    /// A number or a label.
    fn value(&self, text: &str) -> Result<u32, Problem> {
        if let Some(&address) = self.labels.get(text) {
            return Ok(address);
        }
        let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
        let magnitude = match digits.strip_prefix("0x") {
            Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16),
            None => digits.parse(),
        };
        let magnitude = magnitude.map_err(|_| wrong(text, "a 32-bit number or a label of this program"))?;
        Ok(if negative { magnitude.wrapping_neg() } else { magnitude })
    }

    fn small(&self, text: &str) -> Result<u8, Problem> {
        u8::try_from(self.value(text)?).map_err(|_| wrong(text, "a number from 0 to 31"))
    }
}

fn wrong(text: &str, expected: &'static str) -> Problem {
    Problem::Operand { text: text.to_owned(), expected }
}

fn general(text: &str) -> Result<u8, Problem> {
    let name = text.strip_prefix('$').unwrap_or(text);
    let by_name = GENERAL_NAMES.iter().position(|known| *known == if name == "fp" { "s8" } else { name });
    let number =
        by_name.or_else(|| text.strip_prefix('$')?.parse().ok().filter(|&number: &usize| number < 32));
    number.map(|number| number as u8).ok_or_else(|| wrong(text, "a general register, as `v0` or `$2`"))
}

fn coprocessor0(text: &str) -> Result<u8, Problem> {
    let by_name = COPROCESSOR0_NAMES.iter().find(|(_, name)| *name == text).map(|(number, _)| *number);
    by_name
        .or_else(|| text.strip_prefix('$')?.parse().ok().filter(|number| *number < 32))
        .ok_or_else(|| wrong(text, "a register of coprocessor 0, as `c0_status` or `$12`"))
}

const fn placeholder(operand: Operand) -> &'static str {
    match operand {
        Operand::Rd => "rd",
        Operand::LinkRd => "[rd]",
        Operand::Rs => "rs",
        Operand::Rt => "rt",
        Operand::Zero => "zero",
        Operand::ShiftAmount => "shift",
        Operand::Signed | Operand::Unsigned | Operand::Upper => "number",
        Operand::BranchTarget | Operand::JumpTarget => "target",
        Operand::OffsetBase => "offset(base)",
        Operand::Code | Operand::FirstCode | Operand::SecondCode => "[code]",
        Operand::Coprocessor0 => "c0_register",
        Operand::CacheFunction => "function",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_forward_and_backward() {
        let program =
            "top:  addiu v0,v0,-1   # count down\n bne $v0,$0,top\n nop\n j end\n nop\nend: jr ra\nnop\n";
        let words = assemble(program, 0x4000).unwrap();
        assert_eq!(words, [0x2442_ffff, 0x1440_fffe, 0, 0x0800_1005, 0, 0x03e0_0008, 0]);
    }

    #[test]
    fn tigon_and_atomic_words() {
        // The words of the Tigon-2's dispatch loop, from its released firmware.
        assert_eq!(assemble("pri v0,v1,s4\njoff s2,v0", 0).unwrap(), [0x0074_100b, 0x0242_000a]);
        assert_eq!(assemble("set a0,a1\nupdate v0,a0,a1", 0).unwrap(), [0x7085_0010, 0x7085_1011]);
    }

    #[test]
    fn mistakes_say_where_and_what_to_do() {
        let message = |source| assemble(source, 0).unwrap_err().to_string();
        assert!(message("nop\nmovz v0,v1,a0").starts_with("line 2: no instruction is called `movz`\n"));
        assert!(message("addu v0,v1").ends_with("write `addu rd,rs,rt`"));
        assert!(message("addiu v0,v1,0x8000").contains("does not fit addiu"));
        assert!(message("lw v0,4[sp]").contains("as `4(sp)`"));
        assert!(message("sll v0,v0,32").contains("32"));
        assert!(message("b1: nop\nb1: nop").contains("`b1` is defined before"));
        assert!(message("j 0x10000000").contains("256 MiB"));
        assert!(message("beq v0,v1,nowhere").contains("label"));
    }
}
