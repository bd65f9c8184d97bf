//! Pacing of simulated time by wall time.

use std::time::{Duration, Instant};

use spinach_engine::Time;

const FEMTOSECONDS_PER_NANOSECOND: u64 = 1_000_000;

/// Keeps simulated time from running ahead of wall time, and knows by how much it is behind.
///
/// A simulation that was behind may catch up as fast as it can, as when it has idle time to skip.
#[derive(Debug)]
pub struct Pace {
    began: (Instant, Time),
    most_behind: Duration,
}

impl Pace {
    /// Both times begin now, simulated time with `now`.
    pub fn begin(now: Time) -> Self {
        Self { began: (Instant::now(), now), most_behind: Duration::ZERO }
    }

    /// Simulated time that the simulation may reach now.
    pub fn horizon(&self) -> Time {
        let nanoseconds = u64::try_from(self.began.0.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let femtoseconds = nanoseconds.saturating_mul(FEMTOSECONDS_PER_NANOSECOND);
        self.began.1.saturating_add(Time::from_femtoseconds(femtoseconds))
    }

    /// Lag of simulated time, which is `now`, behind wall time.
    pub fn look(&mut self, now: Time) -> Duration {
        let behind = self.horizon().saturating_sub(now);
        let behind = Duration::from_nanos(behind.femtoseconds() / FEMTOSECONDS_PER_NANOSECOND);
        self.most_behind = self.most_behind.max(behind);
        behind
    }

    /// The most that it was ever found behind.
    pub fn most_behind(&self) -> Duration {
        self.most_behind
    }
}
