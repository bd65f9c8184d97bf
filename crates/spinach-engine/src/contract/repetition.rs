//! What modules say and do so that stretches of time can be skipped in which all that is awake repeats itself.

use serde::Serialize;

/// Everything that what some modules will do follows from. Two that are equal mean that they will do the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outlook {
    bytes: Vec<u8>,
    cycle: u64,
}

impl Outlook {
    /// The outlook at the beginning of `cycle`.
    pub(crate) fn at(cycle: u64) -> Self {
        Self { bytes: Vec::new(), cycle }
    }

    /// The cycle that begins.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Adds a part of a state; one that cannot be saved is added as being unlike any other.
    pub fn add(&mut self, part: &(impl Serialize + ?Sized)) {
        let bytes = std::mem::take(&mut self.bytes);
        self.bytes = postcard::to_extend(part, bytes).unwrap_or_else(|_| self.cycle.to_le_bytes().to_vec());
    }

    /// Adds a cycle that matters until it begins.
    pub fn add_cycle(&mut self, cycle: u64) {
        self.add(&cycle.saturating_sub(self.cycle));
    }

    /// Whether the modules will do the same as they would have with `other`.
    pub(crate) fn repeats(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

/// Periods of a repetition that are skipped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leap {
    /// How many cycles a period has.
    pub period: u64,
    /// How many periods are skipped.
    pub periods: u64,
}

impl Leap {
    /// How many cycles are skipped.
    pub fn cycles(self) -> u64 {
        self.period * self.periods
    }
}
