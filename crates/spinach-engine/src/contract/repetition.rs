//! Idle skip: state and actions of modules that let the engine skip stretches of time in which everything awake repeats itself.

use postcard::ser_flavors::Flavor;
use serde::Serialize;

/// Everything that determines the future behaviour of some modules. Equal outlooks mean equal behaviour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outlook {
    cycle: u64,
    bytes: Vec<u8>,
    advancing: Vec<u64>,
    /// End index of each module's advancing values.
    ends: Vec<usize>,
    clock_cycles: u64,
}

impl Outlook {
    /// The outlook at the beginning of `cycle`.
    pub(crate) const fn at(cycle: u64) -> Self {
        Self { cycle, bytes: Vec::new(), advancing: Vec::new(), ends: Vec::new(), clock_cycles: 1 }
    }

    /// The cycle that begins.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Adds a part of a state; one that cannot be saved is added as being unlike any other.
    pub fn add(&mut self, part: &(impl Serialize + ?Sized)) {
        let bytes = Bytes(std::mem::take(&mut self.bytes));
        self.bytes = postcard::serialize_with_flavor(part, bytes)
            .unwrap_or_else(|_: postcard::Error| self.cycle.to_le_bytes().to_vec());
    }

    /// Adds a cycle that matters until it begins.
    pub fn add_cycle(&mut self, cycle: u64) {
        self.add(&cycle.saturating_sub(self.cycle));
    }

    /// Adds a value that may advance by as much in every period: [`crate::Module::repeatable`] tells for how long that changes nothing.
    pub fn add_advancing(&mut self, value: u64) {
        self.advancing.push(value);
    }

    /// Declares that values advance equally only in periods of a multiple of `cycles`.
    pub fn set_clock_cycles(&mut self, cycles: u64) {
        self.clock_cycles = self.clock_cycles.max(cycles);
    }

    /// All of a module has been added.
    pub(crate) fn end_module(&mut self) {
        self.ends.push(self.advancing.len());
    }

    /// True if the modules will act as they would have with `other`, provided that no value has advanced.
    pub(crate) fn repeats(&self, other: &Self) -> bool {
        self.bytes == other.bytes && self.ends == other.ends
    }

    /// Smallest multiple of a period after which clocks have advanced equally.
    pub(crate) const fn period_in_step(&self, period: u64) -> u64 {
        if period.is_multiple_of(self.clock_cycles) { period } else { period * self.clock_cycles }
    }

    /// Advance of each module's values since `other`, which this repeats.
    pub(crate) fn advances_since(&self, other: &Self) -> Vec<Vec<u64>> {
        let mut advances =
            self.advancing.iter().zip(&other.advancing).map(|(now, then)| now.wrapping_sub(*then));
        let begins = std::iter::once(&0).chain(&self.ends);
        self.ends
            .iter()
            .zip(begins)
            .map(|(end, begin)| advances.by_ref().take(end - begin).collect())
            .collect()
    }
}

/// Bytes that grow by slices, not one by one.
struct Bytes(Vec<u8>);

impl Flavor for Bytes {
    type Output = Vec<u8>;

    #[inline(always)]
    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.0.push(byte);
        Ok(())
    }

    #[inline(always)]
    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<Vec<u8>> {
        Ok(self.0)
    }
}

/// Periods of a repetition that are skipped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leap {
    /// Length of a period, in cycles.
    pub period: u64,
    /// Number of skipped periods.
    pub periods: u64,
}

impl Leap {
    /// Nothing is skipped.
    pub(crate) const NONE: Self = Self { period: 0, periods: 0 };

    /// Number of skipped cycles.
    pub fn cycles(self) -> u64 {
        self.period * self.periods
    }
}
