//! Little-endian RISC-V: the base integer set with multiplication (M), atomic operations (A) and instructions of 16 bits (C), in
//! machine mode, after "The RISC-V Instruction Set Manual", volumes I and II.
//!
//! Everything is written over the width of a register; [`Rv32`] is the set of 32 bits, [`Rv64`] that of 64.
//!
//! [`RiscV::server`] is what operating systems are written for: supervisor and user mode in place of machine mode
//! ([`supervisor`], [`translation`]) and floating-point numbers ([`float`]). Its choices are said there.
//!
//! # Choices where the architecture leaves one
//! - Misaligned loads and stores raise an exception.
//! - There is machine mode only. `wfi` does nothing. Unknown control registers raise the illegal-instruction exception.
//! - `ebreak` stops the core with the number in register a0: firmware says with it why it stops.
//! - The five external interrupt lines are the interrupts 16 to 20, which the architecture leaves to the platform. There is no
//!   timer.
//! - The reservation of `lr` names one word; `sc` succeeds only there, if nothing else wrote it.
//! - A core's references are performed in program order where the memory answers in order, so that `.aq` and `.rl` add nothing;
//!   `fence` waits until all references were answered, `fence.i` also throws away what was fetched before.
//!
//! # The atomic bit array
//! `set` and `update` ([`crate::atomic`]) are encoded in custom-0 (opcode 0x0b), which the architecture leaves to the implementer:
//!
//! | instruction | 31..25 | 24..20 | 19..15 | 14..12 | 11..7 | 6..0 |
//! |---|---|---|---|---|---|---|
//! | `set index,base` | 0 | base | index | 0 | 0 | 0x0b |
//! | `update last,first,base` | 0 | base | first | 1 | last | 0x0b |
//!
//! As `.insn` of assemblers: `.insn r 0x0b, 0, 0, x0, index, base`.

mod architecture;
mod compressed;
mod control;
pub mod float;
mod instruction;
mod operation;
mod registers;
mod semantics;
pub mod supervisor;
pub mod translation;
mod trap;

use std::marker::PhantomData;

use serde::{Deserialize, Serialize};

pub use compressed::expand;
pub use instruction::Instruction;
pub use operation::Operation;
pub use registers::Registers;
pub use semantics::{AluFunction, Condition, calculate, holds};
pub use trap::Trap;

use crate::architecture::{ElfIdentity, Toolchain};
use crate::word::Word;

/// RISC-V with registers of one width, as an [`Architecture`](crate::architecture::Architecture).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RiscV<W> {
    /// `set` and `update`, see [`crate::atomic`].
    pub atomic_bit_array: bool,
    /// Supervisor and user mode in place of machine mode, and floating-point numbers: what an operating system is written for. The
    /// cores of [`Architecture`](crate::architecture::Architecture) have neither; a server executes them.
    server: bool,
    width: PhantomData<W>,
}

/// RV32IMAC.
pub type Rv32 = RiscV<u32>;

/// RV64IMAC.
pub type Rv64 = RiscV<u64>;

impl<W> RiscV<W> {
    /// The set of a server: with F and D, supervisor and user mode.
    pub const fn server() -> Self {
        Self { atomic_bit_array: false, server: true, width: PhantomData }
    }
}

/// A width of registers that RISC-V has.
pub trait Width: Word {
    /// Name of the set in parameters.
    const NAME: &'static str;
    /// ELF identification.
    const ELF: ElfIdentity;
    /// Compilers for the set.
    const TOOLCHAIN: Toolchain;
}
