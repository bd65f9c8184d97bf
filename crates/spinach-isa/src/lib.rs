//! Instruction sets: decode, semantics, disassembly, and the registers an operation reads and writes.
//!
//! The crate knows instructions and architectural state. It knows no pipeline, no memory system and no clock, so
//! that a functional core, a pipelined core, a core composed of stages, an issue-limit study and a scheduler all
//! work from the same description.
//!
//! - [`architecture`] is the seam: what a core, a study, the firmware builder or a debugger asks of an instruction set.
//!   Whatever is written once for all sets takes an [`architecture::Architecture`] as its type parameter.
//! - [`instruction_set`] and [`work`] are the words of the seam: [`instruction_set::Class`], registers read and written, use of
//!   memory, control flow; [`work::Work`], which is what a core has to do for an instruction.
//! - [`registered`] is the list of instruction sets, by name.
//! - Each set is a module of its own, as [`mips`]: its table of operations gives decoding, encoding, disassembly and assembly; its
//!   semantics are pure functions; its interpreter puts these together, one instruction per step, as the oracle of any
//!   pipeline, and is itself held to QEMU.
//!
//! # What MIPS gives
//! Each word is decoded once and the 16-byte [`mips::Instruction`] kept beside it. The interpreter calls the pure functions in
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
//! The write-back stage writes [`mips::Instruction::destination`], where register 0 stands for none. Linking
//! branches and jumps write [`mips::semantics::return_address`].
//!
//! # How another instruction set joins
//! It becomes a module beside [`mips`]: a decoded form that implements
//! [`DecodedInstruction`](instruction_set::DecodedInstruction), a type that implements
//! [`Architecture`](architecture::Architecture), semantics as pure functions, and a line in [`registered`].

#![forbid(unsafe_code)]

pub mod architecture;
pub mod atomic;
pub mod instruction_set;
pub mod interpreter;
pub mod mips;
pub mod registered;
pub mod riscv;
pub mod word;
pub mod work;
