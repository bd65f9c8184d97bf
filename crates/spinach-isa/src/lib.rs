//! Instruction sets: decode, semantics, and the registers an operation reads and writes.
//!
//! A core decodes each word once and keeps the [`mips::Instruction`]; its stages then share the pure functions
//! of [`mips::semantics`] and [`mips::access`]. What a pipeline or an analysis must know beforehand comes from
//! [`instruction_set::DecodedInstruction`] and from [`mips::Operation::description`].
//!
//! ```
//! use spinach_isa::instruction_set::DecodedInstruction;
//! use spinach_isa::mips::{self, semantics, Extensions};
//!
//! // decode: addiu v0,a0,-1
//! let instruction = mips::decode(0x2482_ffff, Extensions::default());
//! assert!(instruction.reads().contains(4) && instruction.writes().contains(2));
//!
//! // execute, with the values of registers rs and rt
//! let (a, b) = semantics::operands(&instruction, 10, 0);
//! let result = semantics::alu(instruction.operation.description().alu, a, b);
//! assert_eq!(result, Ok(9));
//! ```
//!
//! [`mips::interpreter`] is the same semantics without a pipeline, and the oracle for any that has one.

pub mod instruction_set;
pub mod mips;
