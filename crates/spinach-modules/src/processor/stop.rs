//! Why a core's program ended.

use std::fmt;

use serde::{Deserialize, Serialize};
use spinach_isa::architecture::{Architecture, ArchitectureTrap};
use spinach_isa::word::Word;

use super::decoded::Decoded;

/// Stop code of firmware whose work is done.
pub const STOP_DONE: u32 = 0;

/// Reason for the end of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub enum StopCause<A: Architecture> {
    /// The program executed `break 0`: it has finished.
    Finished,
    /// The program executed `break` with another code: it gave up.
    Break {
        /// The code, as [`ArchitectureTrap::stop_code`] says it.
        code: u32,
    },
    /// An exception, and there is no handler, or the exception cannot be handled.
    Exception(A::Trap),
    /// A load or store touched the guarded range, into which nothing but a stack that overflows can grow.
    GuardedAddress {
        /// The address.
        address: A::Word,
    },
}

impl<A: Architecture> StopCause<A> {
    /// Effect of an exception on a core without a handler.
    pub fn of(trap: A::Trap) -> Self {
        match trap.stop_code() {
            Some(STOP_DONE) => Self::Finished,
            Some(code) => Self::Break { code },
            None => Self::Exception(trap),
        }
    }
}

impl<A: Architecture> fmt::Display for StopCause<A> {
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

/// End of a program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Stop<A: Architecture> {
    /// Reason for the end.
    pub cause: StopCause<A>,
    /// The same in words.
    pub message: String,
    /// True for a fault of the firmware: anything except [`StopCause::Finished`].
    pub is_fault: bool,
    /// The address of the instruction.
    pub pc: A::Word,
    /// The instruction as assembly text; empty if none could be fetched.
    pub instruction: String,
    /// True if the instruction is in a delay slot; the branch is at `pc - 4` then.
    pub in_delay_slot: bool,
    /// The cycle of the core's clock.
    pub cycle: u64,
}

impl<A: Architecture> Stop<A> {
    /// The instruction at `pc` ended the program in cycle `cycle`. `instruction` is `None` if it could not be fetched or is
    /// no longer known.
    pub(super) fn new(
        cause: StopCause<A>,
        pc: A::Word,
        instruction: Option<&Decoded<A>>,
        in_delay_slot: bool,
        cycle: u64,
    ) -> Self {
        let instruction = instruction.map(|decoded| A::disassemble(decoded.instruction(), pc.to_u64()));
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

    /// One line for users.
    pub fn describe(&self, core: u32) -> String {
        let at = if self.instruction.is_empty() {
            format!("{:#010x}", self.pc)
        } else {
            format!("{:#010x} ({})", self.pc, self.instruction)
        };
        format!("core {core} stopped at {at}: {}", self.message)
    }
}
