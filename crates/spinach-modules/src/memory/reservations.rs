//! Reservations of load-linked and store-conditional.

use serde::{Deserialize, Serialize};

/// Reserved word per source; at most one each.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Reservations {
    held: Vec<Reservation>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Reservation {
    source: u16,
    first: u64,
    size: u8,
}

impl Reservations {
    /// True if there is no reservation.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// `source` reserves the `size` bytes from `first` on and releases its earlier reservation.
    pub(crate) fn reserve(&mut self, source: u16, first: u64, size: u8) {
        self.held.retain(|held| held.source != source);
        self.held.push(Reservation { source, first, size });
    }

    /// Gives up the reservation of `source`; whether it was on just these bytes.
    pub(crate) fn redeem(&mut self, source: u16, first: u64, size: u8) -> bool {
        let stands = self.held.contains(&Reservation { source, first, size });
        self.held.retain(|held| held.source != source);
        stands
    }

    /// The `length` bytes from `first` on are written: reservations on any of them end.
    #[inline]
    pub(crate) fn clear(&mut self, first: u64, length: u64) {
        if !self.is_empty() {
            self.end(first, length);
        }
    }

    #[inline(never)]
    fn end(&mut self, first: u64, length: u64) {
        let last = first.saturating_add(length);
        self.held.retain(|held| held.first >= last || held.first + u64::from(held.size) <= first);
    }
}
