//! `Steady`: one side of a FIFO whose other side moves bytes at a steady rate.

use serde::{Deserialize, Serialize};
use spinach_engine::{Edge, FEMTOSECONDS_PER_SECOND, Rate, Time};

use super::alarm::Alarm;

/// Bytes that may pass one side of a FIFO: data if the other side fills it, room if the other side empties it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Steady {
    // Time of a byte on the other side; 0 without a limit.
    byte_time: u64,
    // Time of all bytes that the FIFO holds.
    most: u64,
    // Time of the bytes that may pass at `at`.
    credit: u64,
    at: Time,
    alarm: Option<Alarm>,
}

impl Steady {
    /// A FIFO of `capacity` bytes, all of which may pass. A rate of 0 sets no limit.
    pub(crate) fn new(rate: Rate, capacity: u64) -> Self {
        let byte_time = (8 * FEMTOSECONDS_PER_SECOND).checked_div(rate.0).unwrap_or(0);
        let most = capacity.saturating_mul(byte_time);
        Self { byte_time, most, credit: most, at: Time::ZERO, alarm: None }
    }

    pub(crate) fn is_limited(&self) -> bool {
        self.byte_time != 0
    }

    /// Nothing may pass at `at`; the other side moves from then on.
    pub(crate) fn begin(&mut self, at: Time) {
        (self.credit, self.at) = (0, at);
    }

    /// Passes `bytes` at `edge` if all of them may pass. If not, the module must look again at [`Self::look_at`].
    pub(crate) fn passes(&mut self, bytes: u32, edge: &Edge<'_>) -> bool {
        if !self.is_limited() {
            return true;
        }
        let Some(due) = self.take(bytes, edge.time()) else {
            self.alarm = None;
            return true;
        };
        match &mut self.alarm {
            Some(alarm) if alarm.due() == due => _ = alarm.rings(edge),
            alarm => *alarm = Some(Alarm::set(due, edge)),
        }
        false
    }

    /// Takes `bytes` away if all of them may pass at `now`; the time from which on they may, if not.
    fn take(&mut self, bytes: u32, now: Time) -> Option<Time> {
        let elapsed = now.femtoseconds().saturating_sub(self.at.femtoseconds());
        self.credit = self.credit.saturating_add(elapsed).min(self.most);
        self.at = self.at.max(now);
        let needed = u64::from(bytes) * self.byte_time;
        if self.credit >= needed {
            self.credit -= needed;
            return None;
        }
        Some(self.at.saturating_add(Time::from_femtoseconds(needed - self.credit)))
    }

    /// The cycle that may be slept through to while bytes were refused.
    pub(crate) fn look_at(&self) -> Option<u64> {
        self.alarm.map(|alarm| alarm.look_at())
    }

    /// True if refused bytes may pass at `edge`.
    pub(crate) fn is_due(&self, edge: &Edge<'_>) -> bool {
        self.look_at().is_some_and(|cycle| edge.cycle() >= cycle)
    }
}

/// Bytes from `address` to the end of its burst of memory, `length` at most; all of them if nothing is limited.
pub(crate) fn burst_piece(steady: &Steady, burst: u32, address: u32, length: u32) -> u32 {
    if steady.is_limited() { length.min(burst - address % burst) } else { length }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_pass_at_the_rate_once_the_capacity_is_used() {
        let time = Time::from_femtoseconds;
        // A byte in a nanosecond.
        let mut steady = Steady::new(Rate(8_000_000_000), 10);
        assert_eq!(
            steady.take(11, time(0)),
            Some(time(1_000_000)),
            "more than the capacity never passes at once"
        );
        assert_eq!(steady.take(10, time(0)), None);
        assert_eq!(steady.take(3, time(500_000)), Some(time(3_000_000)));
        assert_eq!(steady.take(3, time(2_999_999)), Some(time(3_000_000)));
        assert_eq!(steady.take(3, time(3_000_000)), None);
        // Unused capacity is kept up to the limit.
        assert_eq!(steady.take(10, time(100_000_000)), None);
        assert_eq!(steady.take(1, time(100_000_000)), Some(time(101_000_000)));
        steady.begin(time(200_000_000));
        assert_eq!(steady.take(1, time(200_000_000)), Some(time(201_000_000)));
    }

    #[test]
    fn a_piece_ends_with_its_burst_only_at_a_limited_rate() {
        let limited = Steady::new(Rate(8_000_000_000), 10);
        assert_eq!(burst_piece(&limited, 64, 0x1030, 100), 16);
        assert_eq!(burst_piece(&limited, 64, 0x1040, 100), 64);
        assert_eq!(burst_piece(&limited, 64, 0x1030, 7), 7);
        assert_eq!(burst_piece(&Steady::new(Rate(0), 10), 64, 0x1030, 100), 100);
    }
}
