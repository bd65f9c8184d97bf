//! Big-endian 32-bit MIPS: all integer instructions of MIPS I and II, as an R4000 executes them in 32-bit mode,
//! with named extensions that are switched on per core.
//!
//! # Choices where the architecture leaves one
//! - Division by zero divides by one ([`semantics::multiply_divide`]).
//! - A branch or jump in a delay slot raises the reserved-instruction exception.
//! - Bits that must be zero are checked: a word with one of them set is reserved.
//! - `sc` succeeds only at the word that the last `ll` named, and only if nothing broke the link since.
//! - Reads of absent coprocessor-0 registers give zero, writes have no effect.
//! - Multiplier results are ready for any later instruction; how long that takes is the pipeline's business.
//!
//! # Left out
//! Addresses are physical: there is no address translation, no address space is forbidden in user mode, and the
//! instructions that manage translation are reserved. No coprocessor but 0 is fitted. 64-bit operations are
//! reserved.

pub mod access;
pub mod assemble;
pub mod atomic;
pub mod coprocessor0;
pub mod decode;
pub mod disassemble;
pub mod encode;
pub mod interpreter;
pub mod memory;
pub mod operation;
pub mod semantics;
mod syntax;
pub mod tigon2;
pub mod trap;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::instruction_set::InstructionSet;

pub use decode::{Instruction, decode};
pub use operation::{Description, Operation};
pub use syntax::GENERAL_NAMES;
pub use trap::Trap;

use tigon2::PriorityOrder;

/// The extensions that a core has beyond the base instruction set. None by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Extensions {
    /// Priority decode and jump offset of the Tigon-2, see [`tigon2`].
    pub tigon2: Option<PriorityOrder>,
    /// `set` and `update`, see [`atomic`].
    pub atomic_bit_array: bool,
}

/// MIPS as an [`InstructionSet`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Mips {
    /// The extensions that are switched on.
    pub extensions: Extensions,
}

impl InstructionSet for Mips {
    type Instruction = Instruction;

    fn decode(&self, word: u32) -> Instruction {
        decode(word, self.extensions)
    }

    fn disassemble(&self, instruction: Instruction, address: u32) -> impl fmt::Display {
        disassemble::disassemble(instruction, address)
    }

    fn register_name(&self, number: u8) -> &'static str {
        syntax::register_name(number)
    }
}
