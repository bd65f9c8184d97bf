//! Exceptions: why an instruction did not complete.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::architecture::ArchitectureTrap;
use crate::word::Word;

/// An exception. The instruction that raised it has changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Error)]
#[serde(bound = "")]
#[expect(missing_docs, reason = "the names and messages say it")]
pub enum Trap<W: Word> {
    #[error("interrupt")]
    Interrupt,
    #[error("fetch from misaligned address {address:#010x}")]
    MisalignedFetch { address: W },
    #[error("no memory to fetch from at {address:#010x}")]
    FetchBusError { address: W },
    #[error("illegal instruction {word:#010x}")]
    IllegalInstruction { word: u32 },
    #[error("breakpoint, code {code}")]
    Breakpoint { code: u32 },
    #[error("load from misaligned address {address:#010x}")]
    MisalignedLoad { address: W },
    #[error("no memory to load from at {address:#010x}")]
    LoadBusError { address: W },
    #[error("store to misaligned address {address:#010x}")]
    MisalignedStore { address: W },
    #[error("no memory to store to at {address:#010x}")]
    StoreBusError { address: W },
    #[error("environment call")]
    EnvironmentCall,
}

impl<W: Word> Trap<W> {
    /// The values of `mcause` and `mtval`.
    pub(super) fn cause(self) -> (u64, W) {
        let none = W::default();
        match self {
            Self::Interrupt => (0, none),
            Self::MisalignedFetch { address } => (0, address),
            Self::FetchBusError { address } => (1, address),
            Self::IllegalInstruction { word } => (2, W::from_u64(word.into())),
            Self::Breakpoint { .. } => (3, none),
            Self::MisalignedLoad { address } => (4, address),
            Self::LoadBusError { address } => (5, address),
            Self::MisalignedStore { address } => (6, address),
            Self::StoreBusError { address } => (7, address),
            Self::EnvironmentCall => (11, none),
        }
    }
}

impl<W: Word> ArchitectureTrap<W> for Trap<W> {
    const INTERRUPT: Self = Self::Interrupt;

    fn misaligned_fetch(address: W) -> Self {
        Self::MisalignedFetch { address }
    }

    fn fetch_bus_error(address: W) -> Self {
        Self::FetchBusError { address }
    }

    fn data_bus_error(address: W, stores: bool) -> Self {
        if stores { Self::StoreBusError { address } } else { Self::LoadBusError { address } }
    }

    fn reserved(word: u32) -> Self {
        Self::IllegalInstruction { word }
    }

    fn is_data_bus_error(self) -> bool {
        matches!(self, Self::LoadBusError { .. } | Self::StoreBusError { .. })
    }

    fn stop_code(self) -> Option<u32> {
        match self {
            Self::Breakpoint { code } => Some(code),
            _ => None,
        }
    }
}
