//! Instruction sets: decode, semantics, disassembly, and the registers an operation reads and writes.
//!
//! The crate knows instructions and architectural state. It knows no pipeline, no memory system and no clock, so
//! that a functional core, a pipelined core, a core composed of stages, an issue-limit study and a scheduler all
//! work from the same description.
//!
//! - [`architecture`] is the seam: the interface of an instruction set for cores, studies, the firmware builder and debuggers.
//!   Code written once for all sets takes an [`architecture::Architecture`] as its type parameter.
//! - [`instruction_set`] and [`work`] are the words of the seam: [`instruction_set::Class`], registers read and written, use of
//!   memory, control flow; [`work::Work`], the work of a core for an instruction.
//! - [`debugging`] holds the stop conditions of debuggers.
//! - [`blocks`] keeps decoded instructions for executors that run many at once.
//! - [`registered`] is the list of instruction sets, by name.
//! - Each set is a module, as [`riscv`]: its table of operations gives decoding and disassembly; its semantics are pure
//!   functions; an interpreter puts these together, one instruction per step, as the oracle of any pipeline, and is itself held to
//!   QEMU.
//!
//! # Adding an instruction set
//! It becomes a module next to [`riscv`]: a decoded form that implements
//! [`DecodedInstruction`](instruction_set::DecodedInstruction), a type that implements
//! [`Architecture`](architecture::Architecture), semantics as pure functions, and a line in [`registered`].

#![forbid(unsafe_code)]

pub mod architecture;
pub mod atomic;
pub mod blocks;
pub mod debugging;
pub mod instruction_set;
pub mod interpreter;
pub mod mips;
pub mod powerpc;
pub mod registered;
pub mod riscv;
pub mod word;
pub mod work;
