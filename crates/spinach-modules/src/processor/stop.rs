//! Why a core's program ended.

use std::fmt;

use serde::{Deserialize, Serialize};
use spinach_isa::mips::{Trap, disassemble::disassemble};

use super::decoded::Decoded;

/// The code of the `break` with which firmware says that its work is done.
pub const BREAK_DONE: u32 = 0;

/// What ended the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum StopCause {
    /// The program executed `break 0`: it has finished.
    Finished,
    /// The program executed `break` with another code: it gave up.
    Break {
        /// The operand of `break` in assembly language: bits 25 to 16 of the instruction.
        code: u32,
    },
    /// An exception, and there is no handler, or the exception cannot be handled.
    Exception(Trap),
    /// A load or store touched the guarded range, into which nothing but a stack that overflows can grow.
    GuardedAddress {
        /// The address.
        address: u32,
    },
}

impl StopCause {
    /// What an exception does to a core without a handler.
    pub const fn of(trap: Trap) -> Self {
        match trap {
            Trap::Breakpoint { code } if code >> 10 == BREAK_DONE => Self::Finished,
            Trap::Breakpoint { code } => Self::Break { code: code >> 10 },
            trap => Self::Exception(trap),
        }
    }
}

impl fmt::Display for StopCause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Finished => formatter.write_str("finished"),
            Self::Break { code } => write!(formatter, "the firmware gave up with break {code}"),
            Self::Exception(trap) => trap.fmt(formatter),
            Self::GuardedAddress { address } => {
                write!(formatter, "access to the guarded address {address:#010x}: the stack has overflowed")
            }
        }
    }
}

/// How a program ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Stop {
    /// What ended it.
    pub cause: StopCause,
    /// The same in words.
    pub message: String,
    /// Whether it is the firmware's fault: anything but [`StopCause::Finished`].
    pub is_fault: bool,
    /// The address of the instruction.
    pub pc: u32,
    /// The instruction as assembly text; empty if none could be fetched.
    pub instruction: String,
    /// Whether the instruction is in a delay slot; the branch is at `pc - 4` then.
    pub in_delay_slot: bool,
    /// The cycle of the core's clock.
    pub cycle: u64,
}

impl Stop {
    /// The instruction at `pc` ended the program in cycle `cycle`. `instruction` is `None` if it could not be fetched or is
    /// no longer known.
    pub(super) fn new(
        cause: StopCause,
        pc: u32,
        instruction: Option<&Decoded>,
        in_delay_slot: bool,
        cycle: u64,
    ) -> Self {
        let instruction = instruction.map(|decoded| disassemble(decoded.instruction(), pc).to_string());
        Self {
            cause,
            message: cause.to_string(),
            is_fault: cause != StopCause::Finished,
            pc,
            instruction: instruction.unwrap_or_default(),
            in_delay_slot,
            cycle,
        }
    }

    /// One line for a person.
    pub fn describe(&self, core: u32) -> String {
        let at = if self.instruction.is_empty() {
            format!("{:#010x}", self.pc)
        } else {
            format!("{:#010x} ({})", self.pc, self.instruction)
        };
        format!("core {core} stopped at {at}: {}", self.message)
    }
}
