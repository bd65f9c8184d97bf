//! `Alarm`: waking a module at an instant, although modules count cycles and do not know their frequency.

use serde::{Deserialize, Serialize};
use spinach_engine::{Edge, Time};

/// Rings at the first edge at or after an instant.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Alarm {
    due: Time,
    look_at: u64,
}

impl Alarm {
    /// An alarm at `due`, set at `edge`; it rings at the next edge at the earliest.
    pub(crate) fn set(due: Time, edge: &Edge<'_>) -> Self {
        Self { due, look_at: earliest_cycle(due, edge.cycle(), edge.time()) }
    }

    pub(crate) fn due(&self) -> Time {
        self.due
    }

    /// The cycle that may be slept through to.
    pub(crate) fn look_at(&self) -> u64 {
        self.look_at
    }

    /// Returns true if the alarm rings at `edge`. Must be called at every edge at which the module is awake.
    pub(crate) fn rings(&mut self, edge: &Edge<'_>) -> bool {
        if edge.time() >= self.due {
            return true;
        }
        if edge.cycle() >= self.look_at {
            self.look_at = earliest_cycle(self.due, edge.cycle(), edge.time());
        }
        false
    }
}

// A cycle after `cycle` that is not later than the first at or after `due`. Edge k falls at floor(k * period), so that the period
// is less than (time + 1) / cycle.
fn earliest_cycle(due: Time, cycle: u64, time: Time) -> u64 {
    let product = u128::from(due.femtoseconds()) * u128::from(cycle);
    let earliest = product / (u128::from(time.femtoseconds()) + 1);
    u64::try_from(earliest).unwrap_or(u64::MAX).max(cycle + 1)
}

#[cfg(test)]
mod tests {
    use spinach_engine::Frequency;

    use super::*;

    #[test]
    fn the_estimate_is_never_late_and_soon_exact() {
        let frequency = Frequency::from_fraction(156_250_000, 3).expect("a frequency");
        for due in (1..2_000).map(|step| Time::from_femtoseconds(step * 7_777_777)) {
            let right = frequency.first_edge_from(due);
            let mut cycle = 0;
            let mut looks = 0;
            while cycle < right {
                cycle = earliest_cycle(due, cycle, frequency.edge_time(cycle).expect("an early edge"));
                assert!(cycle <= right.max(1));
                looks += 1;
            }
            assert!(looks <= 4, "{looks} looks for cycle {right}");
        }
    }
}
