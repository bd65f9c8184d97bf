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
        let now = edge.time();
        let elapsed = now.femtoseconds().saturating_sub(self.at.femtoseconds());
        self.credit = self.credit.saturating_add(elapsed).min(self.most);
        self.at = self.at.max(now);
        let needed = u64::from(bytes) * self.byte_time;
        if self.credit >= needed {
            self.credit -= needed;
            self.alarm = None;
            return true;
        }
        let due = self.at.saturating_add(Time::from_femtoseconds(needed - self.credit));
        match &mut self.alarm {
            Some(alarm) if alarm.due() == due => _ = alarm.rings(edge),
            alarm => *alarm = Some(Alarm::set(due, edge)),
        }
        false
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
