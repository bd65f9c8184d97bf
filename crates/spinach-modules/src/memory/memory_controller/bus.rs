//! The memory bus and the rows behind it: how long an access takes.

use crate::parts::divisor::Divisor;
use serde::{Deserialize, Serialize};

/// The shape and the latencies of a memory. Latencies are in cycles of the controller's clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timing {
    pub(super) word_bytes: Divisor,
    pub(super) bytes_per_cycle: Divisor,
    pub(super) row_bytes: Divisor,
    pub(super) banks: Divisor,
    pub(super) activation_latency: u64,
    pub(super) precharge_latency: u64,
    pub(super) column_latency: u64,
    pub(super) read_to_write: u64,
    pub(super) write_to_read: u64,
}

/// The bytes of one access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Span {
    pub(super) address: u64,
    pub(super) length: u64,
    pub(super) writes: bool,
}

/// Location of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) bank: usize,
    pub(super) row: u64,
}

/// Open rows, and the last direction of the data.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Rows {
    open: Vec<Option<u64>>,
    last_wrote: Option<bool>,
}

/// Cost of serving one access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cost {
    /// Cycles in which rows are opened and closed and the bus turns around.
    pub(super) waiting: u64,
    /// Cycles in which data move; at least one.
    pub(super) moving: u64,
    /// Rows that were opened.
    pub(super) activations: u64,
    /// Rows that had to be closed first.
    pub(super) conflicts: u64,
    /// True if the bus turned around.
    pub(super) turns: bool,
}

impl Timing {
    /// Consecutive rows lie in consecutive banks.
    #[inline]
    pub(super) fn place(&self, address: u64) -> Place {
        self.place_of_row(self.row_bytes.quotient(address))
    }

    #[inline]
    fn place_of_row(&self, row: u64) -> Place {
        Place { bank: self.banks.remainder(row) as usize, row: self.banks.quotient(row) }
    }

    /// Number of bytes that move on the bus, including those masked off.
    #[inline]
    pub(super) fn consumed_bytes(&self, span: Span) -> u64 {
        let beyond = self.word_bytes.quotient_up(span.address.saturating_add(span.length));
        let words = beyond - self.word_bytes.quotient(span.address);
        if span.length == 0 { 0 } else { words * self.word_bytes.number() }
    }

    /// The part of an access that lies in the row that begins at `row`.
    pub(super) fn part_in_row(&self, span: Span, row: u64) -> Span {
        let address = span.address.max(row);
        let end = span.address.saturating_add(span.length).min(row.saturating_add(self.row_bytes.number()));
        Span { address, length: end.saturating_sub(address), ..span }
    }

    /// Number of cycles that the data of an access take.
    #[inline]
    pub(super) fn moving(&self, span: Span) -> u64 {
        self.bytes_per_cycle.quotient_up(self.consumed_bytes(span)).max(1)
    }

    /// The first address of each row that an access touches.
    pub(super) fn rows(&self, span: Span) -> impl Iterator<Item = u64> + use<> {
        let row_bytes = self.row_bytes.number();
        self.numbers_of_rows(span).map(move |row| row * row_bytes)
    }

    #[inline]
    fn numbers_of_rows(&self, span: Span) -> std::ops::RangeInclusive<u64> {
        let last = span.address.saturating_add(span.length.max(1) - 1);
        self.row_bytes.quotient(span.address)..=self.row_bytes.quotient(last)
    }
}

impl Rows {
    pub(super) fn new(timing: &Timing) -> Self {
        Self { open: vec![None; timing.banks.number() as usize], last_wrote: None }
    }

    pub(super) fn banks(&self) -> usize {
        self.open.len()
    }

    #[inline]
    pub(super) fn is_open(&self, place: Place) -> bool {
        self.open[place.bank] == Some(place.row)
    }

    /// Opens a row; returns how long that takes and whether another had to be closed.
    pub(super) fn open(&mut self, timing: &Timing, place: Place) -> (u64, bool) {
        match self.open[place.bank].replace(place.row) {
            Some(row) if row == place.row => (0, false),
            Some(_) => (timing.precharge_latency + timing.activation_latency, true),
            None => (timing.activation_latency, false),
        }
    }

    /// Lets the data go the way this access needs; returns how long that takes, and whether it is another than before.
    pub(super) fn turn(&mut self, timing: &Timing, writes: bool) -> (u64, bool) {
        match (self.last_wrote.replace(writes), writes) {
            (Some(false), true) => (timing.read_to_write, true),
            (Some(true), false) => (timing.write_to_read, true),
            _ => (0, false),
        }
    }

    /// Serves one access alone: every latency is exposed, one after the other.
    pub(super) fn serve(&mut self, timing: &Timing, span: Span) -> Cost {
        let (waiting, turns) = self.turn(timing, span.writes);
        let mut cost = Cost { waiting, moving: timing.moving(span), turns, ..Cost::default() };
        for row in timing.numbers_of_rows(span) {
            let place = timing.place_of_row(row);
            if !self.is_open(place) {
                let (latency, conflicts) = self.open(timing, place);
                cost.waiting += latency;
                cost.activations += 1;
                cost.conflicts += u64::from(conflicts);
            }
        }
        cost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMING: Timing = Timing {
        word_bytes: Divisor::new(8),
        bytes_per_cycle: Divisor::new(16),
        row_bytes: Divisor::new(64),
        banks: Divisor::new(2),
        activation_latency: 10,
        precharge_latency: 7,
        column_latency: 5,
        read_to_write: 2,
        write_to_read: 3,
    };

    fn read(address: u64, length: u64) -> Span {
        Span { address, length, writes: false }
    }

    #[test]
    fn misaligned_runs_take_every_word_they_touch() {
        assert_eq!(TIMING.consumed_bytes(read(0, 64)), 64);
        assert_eq!(TIMING.consumed_bytes(read(4, 64)), 72);
        assert_eq!((TIMING.moving(read(0, 64)), TIMING.moving(read(4, 64))), (4, 5));
        // An odd first word costs no more than an even one.
        assert_eq!(TIMING.moving(read(8, 64)), 4);
        assert_eq!((TIMING.consumed_bytes(read(7, 2)), TIMING.moving(read(7, 2))), (16, 1));
        assert_eq!((TIMING.consumed_bytes(read(7, 0)), TIMING.moving(read(7, 0))), (0, 1));
        assert_eq!(TIMING.consumed_bytes(read(u64::MAX, 9)) % 8, 0);
    }

    #[test]
    fn rows_stay_open_per_bank_until_another_is_needed() {
        let mut rows = Rows::new(&TIMING);
        let mut waiting = |address, length| rows.serve(&TIMING, read(address, length)).waiting;
        assert_eq!(waiting(0, 8), 10);
        assert_eq!(waiting(56, 8), 0);
        assert_eq!(waiting(64, 8), 10, "the next row lies in the other bank");
        assert_eq!(waiting(8, 8), 0, "and leaves this one open");
        assert_eq!(waiting(128, 8), 17, "another row of the same bank");
        assert_eq!(waiting(0, 128), 17, "the second row is still open");
    }

    #[test]
    fn turning_the_bus_around_takes_time_each_way() {
        let mut rows = Rows::new(&TIMING);
        let mut waiting = |writes| rows.serve(&TIMING, Span { writes, ..read(0, 8) }).waiting;
        assert_eq!([true, false, false, true].map(&mut waiting), [10, 3, 0, 2]);
    }
}
