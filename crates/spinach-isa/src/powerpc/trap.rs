//! Exceptions: why an instruction did not complete.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::architecture::ArchitectureTrap;

/// An exception. The instruction that raised it has changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Error)]
#[expect(missing_docs, reason = "the names and messages say it")]
pub enum Trap {
    #[error("interrupt")]
    Interrupt,
    #[error("fetch from misaligned address {address:#010x}")]
    MisalignedFetch { address: u32 },
    #[error("no memory to fetch from at {address:#010x}")]
    FetchBusError { address: u32 },
    #[error("illegal instruction {word:#010x}")]
    IllegalInstruction { word: u32 },
    #[error("privileged instruction {word:#010x} of a user's program")]
    PrivilegedInstruction { word: u32 },
    #[error("trap")]
    TrapInstruction,
    #[error("breakpoint, code {code}")]
    Breakpoint { code: u32 },
    #[error("access to misaligned address {address:#010x}")]
    Misaligned { address: u32 },
    #[error("no memory to load from or to store to at {address:#010x}")]
    DataBusError { address: u32 },
    #[error("system call")]
    SystemCall,
}

impl ArchitectureTrap<u32> for Trap {
    const INTERRUPT: Self = Self::Interrupt;

    fn misaligned_fetch(address: u32) -> Self {
        Self::MisalignedFetch { address }
    }

    fn fetch_bus_error(address: u32) -> Self {
        Self::FetchBusError { address }
    }

    fn data_bus_error(address: u32, _: bool) -> Self {
        Self::DataBusError { address }
    }

    fn reserved(word: u32) -> Self {
        Self::IllegalInstruction { word }
    }

    fn is_data_bus_error(self) -> bool {
        matches!(self, Self::DataBusError { .. })
    }

    fn stop_code(self) -> Option<u32> {
        match self {
            Self::Breakpoint { code } => Some(code),
            _ => None,
        }
    }
}
