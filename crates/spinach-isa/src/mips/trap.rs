//! Exceptions: why an instruction did not complete.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// An exception. The instruction that raised it has changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Error)]
pub enum Trap {
    /// An enabled interrupt is pending; the instruction has not begun.
    #[error("interrupt")]
    Interrupt,
    /// Fetch or load from an address that is not a multiple of the size.
    #[error("load or fetch from misaligned address {address:#010x}")]
    MisalignedLoad {
        /// The offending address.
        address: u32,
    },
    /// Store or atomic operation at an address that is not a multiple of the size.
    #[error("store to misaligned address {address:#010x}")]
    MisalignedStore {
        /// The offending address.
        address: u32,
    },
    /// Nothing answers at the address of an instruction.
    #[error("no memory to fetch from at {address:#010x}")]
    FetchBusError {
        /// The offending address.
        address: u32,
    },
    /// Nothing answers at the address of a load, store or atomic operation.
    #[error("no memory to load from or store to at {address:#010x}")]
    DataBusError {
        /// The offending address.
        address: u32,
    },
    /// `syscall`.
    #[error("system call, code {code}")]
    Syscall {
        /// The 20-bit code in the instruction.
        code: u32,
    },
    /// `break`.
    #[error("breakpoint, code {code}")]
    Breakpoint {
        /// The 20-bit code in the instruction.
        code: u32,
    },
    /// A word without meaning, or a control transfer in a delay slot.
    #[error("reserved instruction {word:#010x}")]
    ReservedInstruction {
        /// The offending word.
        word: u32,
    },
    /// An operation of a coprocessor that is absent, or of coprocessor 0 without privilege.
    #[error("coprocessor {coprocessor} unusable")]
    CoprocessorUnusable {
        /// The coprocessor's number, 0 to 3.
        coprocessor: u8,
    },
    /// Signed overflow of `add`, `addi` or `sub`.
    #[error("signed overflow")]
    Overflow,
    /// The condition of a trap instruction holds.
    #[error("trap, code {code}")]
    Condition {
        /// The 10-bit code in the instruction, 0 for the immediate forms.
        code: u32,
    },
}

impl Trap {
    /// The exception code that coprocessor 0 reports in Cause.
    pub const fn exception_code(self) -> u32 {
        match self {
            Self::Interrupt => 0,
            Self::MisalignedLoad { .. } => 4,
            Self::MisalignedStore { .. } => 5,
            Self::FetchBusError { .. } => 6,
            Self::DataBusError { .. } => 7,
            Self::Syscall { .. } => 8,
            Self::Breakpoint { .. } => 9,
            Self::ReservedInstruction { .. } => 10,
            Self::CoprocessorUnusable { .. } => 11,
            Self::Overflow => 12,
            Self::Condition { .. } => 13,
        }
    }

    /// The address that coprocessor 0 reports in BadVAddr. Bus errors do not set that register.
    pub const fn bad_address(self) -> Option<u32> {
        match self {
            Self::MisalignedLoad { address } | Self::MisalignedStore { address } => Some(address),
            _ => None,
        }
    }
}
