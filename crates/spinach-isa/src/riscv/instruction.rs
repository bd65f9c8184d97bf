//! Decoded instructions.

use serde::{Deserialize, Serialize};

use super::operation::{ControlAction, Effect, Format, Needs, Operation};
use super::registers::GENERAL_NAMES;
use super::{RiscV, Width, compressed};
use crate::instruction_set::{Class, ControlFlow, DecodedInstruction, MemoryBehaviour, RegisterSet};

/// Register numbers beyond the general ones.
pub(super) mod register {
    /// The reservation.
    pub(crate) const LINK: u8 = 32;
    /// All control registers together.
    pub(crate) const CONTROL: u8 = 33;
    /// Register with the stop code of firmware.
    pub(crate) const STOP_CODE: u8 = 10;
}

/// A decoded instruction. Fields that its format does not have are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Instruction {
    /// Operation to perform.
    pub operation: Operation,
    /// The register written.
    pub rd: u8,
    /// The first register read.
    pub rs1: u8,
    /// The second register read.
    pub rs2: u8,
    /// The immediate, extended by its sign; the number of the control register.
    pub immediate: u32,
    /// The encoded instruction, of 16 or 32 bits.
    pub word: u32,
}

/// Number of bytes of the instruction that a word begins with.
#[inline(always)]
pub(super) const fn bytes(word: u32) -> u32 {
    if word & 3 == 3 { 4 } else { 2 }
}

fn long_form<W: Width>(word: u32) -> Option<u32> {
    if bytes(word) == 4 { Some(word) } else { compressed::expand(word, W::BITS) }
}

impl Instruction {
    /// Decodes a word.
    pub(super) fn decode<W: Width>(set: RiscV<W>, word: u32) -> Self {
        let long = long_form::<W>(word).unwrap_or(0);
        let operation = Operation::of(long);
        let description = operation.description();
        let is_wide = W::BITS == 64;
        let exists = match description.needs {
            Needs::Base => true,
            Needs::Machine => !set.server,
            Needs::Supervisor | Needs::Float => set.server,
            Needs::BitArray => set.atomic_bit_array,
            Needs::Wide => is_wide,
            Needs::WideFloat => is_wide && set.server,
        };
        let is_too_far = description.format == Format::Shift && W::BITS == 32 && long >> 25 & 1 != 0;
        Self::of::<W>(if exists && !is_too_far { operation } else { Operation::Reserved }, word)
    }

    /// The instruction that `word` is if its operation is known already.
    pub(super) fn of<W: Width>(operation: Operation, word: u32) -> Self {
        let short = if bytes(word) == 2 { word & 0xffff } else { word };
        let word = long_form::<W>(word).unwrap_or(0);
        let field = |low: u32| (word >> low & 0x1f) as u8;
        let (rd, rs1, rs2) = (field(7), field(15), field(20));
        let signed = word as i32;
        let load = (signed >> 20) as u32;
        let (rd, rs1, rs2, immediate) = match operation.description().format {
            Format::Register | Format::Atomic => (rd, rs1, rs2, 0),
            Format::LoadReserved => (rd, rs1, 0, 0),
            Format::SetBit => (0, rs1, rs2, 0),
            Format::Immediate | Format::Load | Format::FloatLoad => (rd, rs1, 0, load),
            Format::Shift => (rd, rs1, 0, word >> 20 & 0x3f),
            // The rounding mode, and a third source above it.
            Format::Float => (rd, rs1, rs2, word >> 12 & 7 | word >> 27 << 3),
            Format::Store | Format::FloatStore => {
                let offset = (signed >> 25 << 5) as u32 | word >> 7 & 0x1f;
                (0, rs1, rs2, offset)
            }
            Format::Branch => {
                let offset = (signed >> 31 << 12) as u32
                    | (word >> 7 & 1) << 11
                    | (word >> 25 & 0x3f) << 5
                    | (word >> 8 & 0xf) << 1;
                (0, rs1, rs2, offset)
            }
            Format::Upper => (rd, 0, 0, word & 0xffff_f000),
            Format::Jump => {
                let offset = (signed >> 31 << 20) as u32
                    | word & 0xf_f000
                    | (word >> 20 & 1) << 11
                    | (word >> 21 & 0x3ff) << 1;
                (rd, 0, 0, offset)
            }
            // Of the immediate form, rs1 is a number.
            Format::Control | Format::ControlImmediate => (rd, rs1, 0, word >> 20),
            Format::Plain if operation == Operation::Ebreak => (0, register::STOP_CODE, 0, 0),
            Format::Plain => (0, 0, 0, 0),
        };
        Self { operation, rd, rs1, rs2, immediate, word: short }
    }

    pub(super) fn effect(&self) -> Effect {
        self.operation.description().effect
    }

    /// The general registers that it reads; 0 where there is none.
    pub(super) fn sources(&self) -> [u8; 2] {
        match self.operation.description().format {
            Format::ControlImmediate => [0, 0],
            _ => [self.rs1, self.rs2],
        }
    }

    /// True if it is a read of a control register without side effects.
    pub(super) fn only_reads_control(&self) -> bool {
        matches!(self.effect(), Effect::Control(ControlAction::Set | ControlAction::Clear)) && self.rs1 == 0
    }

    /// Assembly text at an address, in the syntax of the GNU tools without aliases.
    pub(super) fn text(&self, address: u64) -> String {
        if self.operation == Operation::Reserved {
            let digits = if bytes(self.word) == 2 { 4 } else { 8 };
            return format!(".insn 0x{:0digits$x}", self.word);
        }
        let description = self.operation.description();
        let name = |number: u8| GENERAL_NAMES[usize::from(number & 31)];
        let (rd, rs1, rs2) = (name(self.rd), name(self.rs1), name(self.rs2));
        let offset = self.immediate as i32;
        let target = (address as u32).wrapping_add(self.immediate);
        let mnemonic = description.mnemonic;
        match description.format {
            Format::Register => format!("{mnemonic} {rd},{rs1},{rs2}"),
            Format::Immediate => format!("{mnemonic} {rd},{rs1},{offset}"),
            Format::Shift => format!("{mnemonic} {rd},{rs1},{offset:#x}"),
            Format::Load => format!("{mnemonic} {rd},{offset}({rs1})"),
            Format::Store => format!("{mnemonic} {rs2},{offset}({rs1})"),
            Format::Branch => format!("{mnemonic} {rs1},{rs2},{target:#x}"),
            Format::Upper => format!("{mnemonic} {rd},{:#x}", self.immediate >> 12),
            Format::Jump => format!("{mnemonic} {rd},{target:#x}"),
            Format::Control => format!("{mnemonic} {rd},{:#x},{rs1}", self.immediate),
            Format::ControlImmediate => format!("{mnemonic} {rd},{:#x},{}", self.immediate, self.rs1),
            Format::Atomic => format!("{mnemonic} {rd},{rs2},({rs1})"),
            Format::LoadReserved => format!("{mnemonic} {rd},({rs1})"),
            Format::SetBit => format!("{mnemonic} {rs1},{rs2}"),
            Format::FloatLoad => format!("{mnemonic} f{},{offset}({rs1})", self.rd),
            Format::FloatStore => format!("{mnemonic} f{},{offset}({rs1})", self.rs2),
            Format::Float => format!("{mnemonic} {},{},{}", self.rd, self.rs1, self.rs2),
            Format::Plain => mnemonic.to_owned(),
        }
    }
}

fn general(number: u8) -> RegisterSet {
    if number == 0 { RegisterSet::EMPTY } else { RegisterSet::single(number) }
}

impl DecodedInstruction for Instruction {
    fn mnemonic(&self) -> &'static str {
        self.operation.description().mnemonic
    }

    fn class(&self) -> Class {
        use super::semantics::AluFunction as A;
        match self.effect() {
            Effect::Calculate(
                A::ShiftLeft
                | A::ShiftRight
                | A::ShiftRightSigned
                | A::ShiftLeftWord
                | A::ShiftRightWord
                | A::ShiftRightSignedWord,
            ) => Class::Shift,
            Effect::Calculate(_) | Effect::LoadUpper | Effect::AddUpper => Class::Alu,
            Effect::Multiply(_) => Class::Multiply,
            Effect::Divide(_) => Class::Divide,
            Effect::Load(..) | Effect::LoadReserved(_) => Class::Load,
            Effect::Store(_) | Effect::StoreConditional(_) => Class::Store,
            Effect::Atomic(..) => Class::Atomic,
            Effect::Branch(_) => Class::Branch,
            Effect::Jump | Effect::IndirectJump => Class::Jump,
            Effect::Control(_) => Class::Coprocessor,
            Effect::Reserved => Class::Reserved,
            _ => Class::System,
        }
    }

    fn reads(&self) -> RegisterSet {
        let [first, second] = self.sources();
        let further = match self.effect() {
            Effect::StoreConditional(_) => RegisterSet::single(register::LINK),
            Effect::Control(_) | Effect::Return => RegisterSet::single(register::CONTROL),
            _ => RegisterSet::EMPTY,
        };
        general(first).union(general(second)).union(further)
    }

    fn writes(&self) -> RegisterSet {
        let further = match self.effect() {
            Effect::StoreConditional(_) | Effect::LoadReserved(_) => RegisterSet::single(register::LINK),
            Effect::Control(_) if !self.only_reads_control() => RegisterSet::single(register::CONTROL),
            Effect::Call | Effect::Break | Effect::Return | Effect::Reserved => {
                RegisterSet::single(register::CONTROL)
            }
            _ => RegisterSet::EMPTY,
        };
        general(self.rd).union(further)
    }

    fn memory(&self) -> Option<MemoryBehaviour> {
        self.operation.memory()
    }

    fn control_flow(&self) -> ControlFlow {
        let links = self.rd != 0;
        match self.effect() {
            Effect::Branch(_) => ControlFlow::Branch { likely: false, links: false },
            Effect::Jump => ControlFlow::Jump { links },
            Effect::IndirectJump => ControlFlow::IndirectJump { links },
            Effect::Return | Effect::SupervisorReturn => ControlFlow::ExceptionReturn,
            Effect::Call | Effect::Break | Effect::Reserved => ControlFlow::Exception,
            _ => ControlFlow::Sequential,
        }
    }

    fn delay_slots(&self) -> u8 {
        0
    }

    fn direct_target(&self, address: u32) -> Option<u32> {
        matches!(self.effect(), Effect::Branch(_) | Effect::Jump)
            .then(|| address.wrapping_add(self.immediate))
    }
}
