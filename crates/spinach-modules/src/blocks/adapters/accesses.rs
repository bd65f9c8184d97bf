//! Ports to memories and registers, for all protocols of their signals.

use serde::{Deserialize, Serialize};
use spinach_plugin::{Block, Memory, MemorySignals};

use super::axi::{AxiInitiator, AxiTarget};
use super::requests::{RequestInitiator, RequestTarget};
use crate::values::{Reference, Response};

/// Requests of a block, and the responses to them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::blocks) enum BlockInitiator {
    Axi(AxiInitiator),
    Requests(RequestInitiator),
}

impl BlockInitiator {
    pub(in crate::blocks) fn new(memory: &Memory) -> Self {
        match &memory.signals {
            MemorySignals::Axi(_) => Self::Axi(AxiInitiator::default()),
            MemorySignals::Requests(_) => Self::Requests(RequestInitiator::default()),
        }
    }

    pub(in crate::blocks) fn request(&self) -> Option<Reference> {
        match self {
            Self::Axi(port) => port.request(),
            Self::Requests(port) => port.request(),
        }
    }

    pub(in crate::blocks) fn sent(&mut self) {
        match self {
            Self::Axi(port) => port.sent(),
            Self::Requests(port) => port.sent(),
        }
    }

    pub(in crate::blocks) fn received(&mut self, response: Response) {
        match self {
            Self::Axi(port) => port.received(response),
            Self::Requests(port) => port.received(response),
        }
    }

    pub(in crate::blocks) fn is_empty(&self) -> bool {
        match self {
            Self::Axi(port) => port.is_empty(),
            Self::Requests(port) => port.is_empty(),
        }
    }

    pub(in crate::blocks) fn drive(&self, block: &mut Block, memory: &Memory) {
        match (self, &memory.signals) {
            (Self::Axi(port), MemorySignals::Axi(signals)) => port.drive(block, signals),
            (Self::Requests(port), MemorySignals::Requests(signals)) => port.drive(block, signals),
            _ => {}
        }
    }

    /// Takes what the block presents.
    ///
    /// # Errors
    /// If the block breaks the protocol.
    pub(in crate::blocks) fn advance(&mut self, block: &Block, memory: &Memory) -> Result<(), String> {
        let outcome = match (self, &memory.signals) {
            (Self::Axi(port), MemorySignals::Axi(signals)) => port.advance(block, signals),
            (Self::Requests(port), MemorySignals::Requests(signals)) => port.advance(block, signals),
            _ => Ok(()),
        };
        outcome.map_err(|reason| format!("{} {reason}", memory.name))
    }
}

/// Requests to a block, one at a time, and its responses.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::blocks) enum BlockTarget {
    Axi(AxiTarget),
    Requests(RequestTarget),
}

impl BlockTarget {
    pub(in crate::blocks) fn new(memory: &Memory) -> Self {
        match &memory.signals {
            MemorySignals::Axi(_) => Self::Axi(AxiTarget::default()),
            MemorySignals::Requests(_) => Self::Requests(RequestTarget::default()),
        }
    }

    pub(in crate::blocks) fn is_empty(&self) -> bool {
        match self {
            Self::Axi(port) => port.is_empty(),
            Self::Requests(port) => port.is_empty(),
        }
    }

    pub(in crate::blocks) fn has_room(&self) -> bool {
        self.is_empty()
    }

    pub(in crate::blocks) fn response(&self) -> Option<Response> {
        match self {
            Self::Axi(port) => port.response(),
            Self::Requests(port) => port.response(),
        }
    }

    pub(in crate::blocks) fn pop(&mut self) {
        match self {
            Self::Axi(port) => port.pop(),
            Self::Requests(port) => port.pop(),
        }
    }

    /// Takes a reference; one that the protocol cannot express is answered with a fault.
    pub(in crate::blocks) fn take(&mut self, reference: Reference, block: &Block, memory: &Memory) {
        match (self, &memory.signals) {
            (Self::Axi(port), MemorySignals::Axi(signals)) => port.take(reference, block, signals),
            (Self::Requests(port), MemorySignals::Requests(signals)) => port.take(reference, block, signals),
            _ => {}
        }
    }

    pub(in crate::blocks) fn drive(&self, block: &mut Block, memory: &Memory) {
        match (self, &memory.signals) {
            (Self::Axi(port), MemorySignals::Axi(signals)) => port.drive(block, signals),
            (Self::Requests(port), MemorySignals::Requests(signals)) => port.drive(block, signals),
            _ => {}
        }
    }

    pub(in crate::blocks) fn advance(&mut self, block: &Block, memory: &Memory) {
        match (self, &memory.signals) {
            (Self::Axi(port), MemorySignals::Axi(signals)) => port.advance(block, signals),
            (Self::Requests(port), MemorySignals::Requests(signals)) => port.advance(block, signals),
            _ => {}
        }
    }
}
