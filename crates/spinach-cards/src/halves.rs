//! The two halves of a card, which share one way to memory.

use serde::{Deserialize, Serialize};
use spinach_server::pci::function::Transfer;

/// A half of a card.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Direction {
    Sends,
    Receives,
}

/// Arbiter of transfers: one at a time, alternating if both halves request.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Turns {
    transferring: Option<Direction>,
    last: Direction,
    /// Nothing follows from the transfer that is under way: a reset came in between.
    is_void: bool,
}

impl Default for Turns {
    fn default() -> Self {
        Self { transferring: None, last: Direction::Sends, is_void: false }
    }
}

impl Turns {
    /// Order of service; `None` while a transfer is under way.
    pub(crate) fn order(&self) -> Option<[Direction; 2]> {
        let order = match self.last {
            Direction::Sends => [Direction::Receives, Direction::Sends],
            Direction::Receives => [Direction::Sends, Direction::Receives],
        };
        self.transferring.is_none().then_some(order)
    }

    /// Begins the transfer of a half, if it has one, and waits for its end.
    pub(crate) fn begin(&mut self, direction: Direction, transfer: Option<Transfer>) -> Option<Transfer> {
        if transfer.is_some() {
            (self.transferring, self.last) = (Some(direction), direction);
        }
        transfer
    }

    /// Ends the transfer; returns its direction, if an action follows.
    pub(crate) fn end(&mut self) -> Option<Direction> {
        let is_void = std::mem::take(&mut self.is_void);
        self.transferring.take().filter(|_| !is_void)
    }

    /// Nothing is to follow from a transfer that is under way.
    pub(crate) fn forget(&mut self) {
        self.is_void = self.transferring.is_some();
    }

    /// The same, if it is of this half.
    pub(crate) fn forget_of(&mut self, direction: Direction) {
        self.is_void |= self.transferring == Some(direction);
    }
}
