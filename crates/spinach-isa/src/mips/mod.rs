//! Big-endian 32-bit MIPS: all integer instructions of MIPS I and II, as an R4000 executes them in 32-bit mode,
//! with named extensions that are switched on per core.
//!
//! # Choices where the architecture leaves one
//! - Division by zero divides by one ([`semantics::multiply_divide`]).
//! - A branch or jump in a delay slot raises the reserved-instruction exception.
//! - Bits that must be zero are checked: a word with one of them set is reserved.
//! - `sc` succeeds only at the word that the last `ll` named, and only if no other core or device wrote that word
//!   and neither `sc` nor `eret` executed since. The core's own plain stores leave the link alone.
//! - Reads of absent coprocessor-0 registers give zero, writes have no effect.
//! - Multiplier results are ready for any later instruction; how long that takes is the pipeline's business.
//!
//! # The atomic bit array
//! Both are encoded in SPECIAL2 (opcode 0x1c), which the R4000 leaves unused, with functions from the range that
//! MIPS32 leaves to the implementer. Fields not shown are zero.
//!
//! | instruction | 31..26 | 25..21 | 20..16 | 15..11 | 5..0 | as a word |
//! |---|---|---|---|---|---|---|
//! | `set index,base` | 0x1c | index | base | 0 | 0x10 | `0x70000010 \| index << 21 \| base << 16` |
//! | `update last,first,base` | 0x1c | first | base | last | 0x11 | `0x70000011 \| first << 21 \| base << 16 \| last << 11` |
//!
//! # From a word to a result
//! Each word is decoded once and the 16-byte [`Instruction`] kept next to it. The interpreter calls the pure functions in
//! this order.
//!
//! ```
//! use spinach_isa::instruction_set::DecodedInstruction;
//! use spinach_isa::mips::access::{loaded_value, memory_reference};
//! use spinach_isa::mips::semantics::{alu, check_exception, operands, redirection, Context};
//! use spinach_isa::mips::{self, Extensions, Trap};
//!
//! # fn main() -> Result<(), Trap> {
//! let load = mips::decode(0x8c82_0006, Extensions::default()); // lw v0,6(a0)
//! let add = mips::decode(0x2443_ffff, Extensions::default()); // addiu v1,v0,-1
//! let branch = mips::decode(0x5460_fffd, Extensions::default()); // bnel v1,zero,-12
//!
//! // Hazards: the add needs what the load writes.
//! assert!(load.writes().intersects(add.reads()));
//!
//! // The decode stage: exceptions that need no result, and control flow.
//! let (v0, v1, a0) = (0, 9, 0x1002);
//! let context = Context { privileged: true, in_delay_slot: false };
//! check_exception(&branch, v1, 0, context)?;
//! let outcome = redirection(&branch, 0x4010, v1, 0).ok_or(Trap::Overflow)?;
//! assert_eq!((outcome.taken, outcome.target, outcome.annuls_delay_slot), (true, 0x4008, false));
//!
//! // The execute stage: the ALU's result, or the memory access with its byte enables.
//! let (a, b) = operands(&add, 10, 0);
//! assert_eq!(alu(add.operation.description().alu, a, b)?, 9);
//! if let Some(behaviour) = load.memory() {
//!     let reference = memory_reference(&load, behaviour, a0, v0)?;
//!     assert_eq!((reference.word_address, reference.enables.0), (0x1008, 0b1111));
//!
//!     // The memory stage: from the word that memory returns to the register's value.
//!     assert_eq!(loaded_value(behaviour, 0x1008, 0xcafe_f00d, v0), 0xcafe_f00d);
//! }
//! # Ok(())
//! # }
//! ```
//! The write-back stage writes [`Instruction::destination`], where register 0 means none. Linking
//! branches and jumps write [`semantics::return_address`].
//!
//! # Left out
//! Addresses are physical: there is no address translation, no address space is forbidden in user mode, and the
//! instructions that manage translation are reserved. No coprocessor but 0 is fitted. 64-bit operations are
//! reserved.

pub mod access;
mod architecture;
pub mod assemble;
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

use serde::{Deserialize, Serialize};
use thiserror::Error;

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
    /// `set` and `update`, see [`crate::atomic`].
    pub atomic_bit_array: bool,
}

/// Unknown extension name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("no extension of MIPS is called `{0}`\nchoose from: {names}", names = Extensions::NAMES.join(", "))]
pub struct UnknownExtension(pub String);

impl Extensions {
    /// The names that [`Extensions::with`] takes. The two of the Tigon-2 differ in the order of the priority
    /// decode, highest or lowest bit first; the one given last counts.
    pub const NAMES: [&str; 3] = ["tigon2", "tigon2_lowest_first", "atomic_bit_array"];

    /// These extensions and the named one.
    ///
    /// # Errors
    /// [`UnknownExtension`] if there is none of that name.
    pub fn with(self, name: &str) -> Result<Self, UnknownExtension> {
        match name {
            "tigon2" => Ok(Self { tigon2: Some(PriorityOrder::HighestFirst), ..self }),
            "tigon2_lowest_first" => Ok(Self { tigon2: Some(PriorityOrder::LowestFirst), ..self }),
            "atomic_bit_array" => Ok(Self { atomic_bit_array: true, ..self }),
            _ => Err(UnknownExtension(name.to_owned())),
        }
    }
}

/// MIPS as an [`Architecture`](crate::architecture::Architecture).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Mips {
    /// The extensions that are switched on.
    pub extensions: Extensions,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::architecture::Architecture;
    use crate::instruction_set::{DecodedInstruction, RegisterSet};

    #[test]
    fn extensions_go_by_name() {
        let known = Extensions::NAMES.iter().try_fold(Extensions::default(), |all, name| all.with(name));
        let expected = Extensions { tigon2: Some(PriorityOrder::LowestFirst), atomic_bit_array: true };
        assert_eq!(known, Ok(expected));
        let message = Extensions::default().with("mips16").unwrap_err().to_string();
        assert!(message.ends_with("choose from: tigon2, tigon2_lowest_first, atomic_bit_array"), "{message}");
    }

    #[test]
    fn mips_is_an_instruction_set() {
        let mips = Mips::default();
        let instruction = mips.decode(0x0085_001a);
        assert_eq!(Mips::disassemble(instruction, 0), "div zero,a0,a1");
        let names = |set: RegisterSet| set.iter().map(Mips::register_name).collect::<Vec<_>>();
        assert_eq!(
            (names(instruction.reads()), names(instruction.writes())),
            (vec!["a0", "a1"], vec!["hi", "lo"])
        );
    }

    #[test]
    fn an_instruction_stays_small() {
        assert_eq!(size_of::<Instruction>(), 16);
    }
}
