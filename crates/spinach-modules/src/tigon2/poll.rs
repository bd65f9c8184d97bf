//! `Poll`: reads of a pointer in memory, one after the other.

use serde::{Deserialize, Serialize};
use spinach_engine::Edge;

/// Bytes of a pointer.
pub(super) const POINTER_BYTES: usize = 4;

/// Progress of an assist that reads a pointer again and again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) enum Poll {
    /// The next read begins when the assist has nothing else to do.
    #[default]
    Ready,
    /// The answer is awaited.
    Reading,
    /// The next read begins in this cycle at the earliest.
    Resting(u64),
}

impl Poll {
    /// Ends a rest that is over at `edge`; to be called at every edge at which something may happen.
    pub(super) fn advance(&mut self, edge: &Edge<'_>) {
        if self.is_due(edge) {
            *self = Self::Ready;
        }
    }

    /// Returns true if a read begins now.
    pub(super) fn begins(&mut self) -> bool {
        let begins = *self == Self::Ready;
        if begins {
            *self = Self::Reading;
        }
        begins
    }

    /// The answer has come at `edge`; the next read begins `interval` cycles later at the earliest.
    pub(super) fn answer(&mut self, edge: &Edge<'_>, interval: u32) {
        *self = Self::Resting(edge.cycle() + u64::from(interval));
    }

    /// The cycle that may be slept through to.
    pub(super) fn look_at(self) -> Option<u64> {
        match self {
            Self::Resting(until) => Some(until),
            Self::Ready | Self::Reading => None,
        }
    }

    /// True if a rest is over at `edge`.
    pub(super) fn is_due(self, edge: &Edge<'_>) -> bool {
        self.look_at().is_some_and(|cycle| edge.cycle() >= cycle)
    }
}
