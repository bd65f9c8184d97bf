//! The PowerPC 405: its integer instructions, user and supervisor, after the "PowerPC 405 Embedded Processor Core User's Manual"
//! and the "PowerPC Processor Reference Guide" of the Virtex-II Pro (UG011).
//!
//! # What is left out
//! Address translation and what belongs to it (`tlb…`), string instructions, multiply-accumulate, `dlmzb`, `dcread`, `icread`, and
//! debug events: none of them comes out of a compiler. They are illegal instructions.
//!
//! # Choices where the architecture leaves one
//! - Register 0 is an ordinary register except as the base of an address or of `addi`, where it means the number 0. A micro-operation
//!   calls it [`register::R0`], because 0 there means none.
//! - Loads and stores may be misaligned, and are made word by word then, as are `lmw`, `stmw` and `dcbz`. `lwarx` and `stwcx.` raise the
//!   alignment exception. The reservation names one word; `stwcx.` succeeds only there, unless another write reached it.
//! - A quotient that is undefined is the dividend.
//! - Until firmware writes EVPR, every exception jumps to the one address that the core was configured with, or stops it. Machine
//!   checks stop the core if `msr[ME]` is off. Bus errors are machine checks.
//! - `trap` (`tw 31,0,0`) stops the core with the number in register 3: the stop reason of the firmware. Other traps raise the
//!   program exception.
//! - External line 0 is the external interrupt, line 1 the critical one. A pending interrupt is taken in the order critical,
//!   watchdog, external, fixed-interval timer, programmable timer.
//! - In the wait state (`msr[WE]`) cores execute nothing until an interrupt is taken, which ends it; the return from the interrupt begins
//!   it again, unless the handler has cleared the bit in SRR1 or SRR3. A watchdog that expires for the third time with a reset chosen stops the core.
//! - Device control registers are words at [`DEVICE_CONTROL_BASE`]: `mfdcr` and `mtdcr` are references of the data port.
//! - Without caches their maintenance does nothing but `dcbz`, which stores zeros, and the registers that choose the attributes of
//!   regions keep their written values. With caches (the extension `caches`) both are references of the data port
//!   ([`crate::work::Maintenance`]), and so are `sync` and `eieio`, which are answered once everything before was performed.
//!   `dcbz` raises the alignment exception where data is not cacheable or is written through to the memory. `icbt` does nothing. Of CCR0
//!   only SWOA has an effect: stores that miss bring no line.
//! - Special register 286 (PIR, which Book E has and the 405 has not) is the number of the core.
//!
//! # The atomic bit array
//! `set` and `update` ([`crate::atomic`]) are encoded in the primary opcode 4, with the extended opcodes 1022 and 1023, which no
//! instruction of the 405 has: `setbit rA,rB` has the array in rA and the index in rB, `updatebits rD,rA,rB` the first bit in rB.

mod architecture;
mod compute;
mod control;
mod disassemble;
mod instruction;
mod memory;
mod operation;
mod registers;
mod semantics;
mod special;
mod timers;
mod trap;

use serde::{Deserialize, Serialize};

pub use instruction::Instruction;
pub use memory::DEVICE_CONTROL_BASE;
pub use operation::Operation;
pub use registers::{Registers, register};
pub use semantics::{AluFunction, Condition};
pub use trap::Trap;

/// The PowerPC 405, as an [`Architecture`](crate::architecture::Architecture).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PowerPc405 {
    /// `set` and `update`, see [`crate::atomic`].
    pub atomic_bit_array: bool,
    /// True if there are caches, which receive maintenance requests.
    pub caches: bool,
}
