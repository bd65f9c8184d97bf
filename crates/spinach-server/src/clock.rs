//! The clock of harts, and times in picoseconds.

/// The clock of the harts, whose cycles are counted from the start of the machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    hertz: u64,
}

const PICOSECONDS: u128 = 1_000_000_000_000;

impl Clock {
    /// Cycles in a second.
    pub const fn hertz(self) -> u64 {
        self.hertz
    }

    /// Clock of `hertz` cycles in a second.
    pub const fn new(hertz: u64) -> Self {
        Self { hertz }
    }

    /// Beginning of a cycle, in picoseconds.
    pub fn picoseconds(self, cycle: u64) -> u64 {
        (u128::from(cycle) * PICOSECONDS / u128::from(self.hertz)).min(u64::MAX.into()) as u64
    }

    /// The first cycle that begins at a time or later.
    pub fn cycle_from(self, picoseconds: u64) -> u64 {
        (u128::from(picoseconds) * u128::from(self.hertz)).div_ceil(PICOSECONDS) as u64
    }
}
