//! When the frames of a source are due.

use serde::{Deserialize, Serialize};
use spinach_engine::{FEMTOSECONDS_PER_SECOND, Time};

use crate::mac::link::wire_bytes;

/// When the frames of a source are due.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    bits_per_second: u64,
    frames_per_second: u64,
}

/// How much a paced source has sent.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Paced {
    frames: u64,
    wire_bits: u64,
    // From when on that was, after the source began, and at which pace.
    since: Time,
    bits_per_second: u64,
    frames_per_second: u64,
    // How many frames there were to send.
    planned: u64,
}

impl Pace {
    /// At most so many bits a second on the wire, with everything around a frame, and at most so many frames a second; 0 is no
    /// limit.
    pub(crate) const fn new(bits_per_second: u64, frames_per_second: u64) -> Self {
        Self { bits_per_second, frames_per_second }
    }

    /// Nothing has been sent of `planned` frames.
    pub(crate) const fn start(self, planned: u64) -> Paced {
        let Self { bits_per_second, frames_per_second } = self;
        Paced { frames: 0, wire_bits: 0, since: Time::ZERO, bits_per_second, frames_per_second, planned }
    }

    /// Whether a source that has sent `paced` had another pace or another number of frames to send: it was restored from a
    /// checkpoint.
    pub(crate) const fn differs(&self, paced: &Paced, planned: u64) -> bool {
        paced.planned != planned
            || paced.bits_per_second != self.bits_per_second
            || paced.frames_per_second != self.frames_per_second
    }

    /// Lets a source that has sent `paced` at another pace go on at this one from `now` on.
    pub(crate) fn adopt(&self, paced: &mut Paced, now: Time) {
        if paced.bits_per_second != self.bits_per_second || paced.frames_per_second != self.frames_per_second
        {
            *paced = Paced { since: now, ..self.start(paced.planned) };
        }
    }

    /// When the next frame is due, from the instant on at which the first was due.
    pub(crate) fn due(&self, paced: &Paced) -> Time {
        let after = |amount: u64, rate: u64| {
            if rate == 0 {
                0
            } else {
                u128::from(amount) * u128::from(FEMTOSECONDS_PER_SECOND) / u128::from(rate)
            }
        };
        let due =
            after(paced.wire_bits, self.bits_per_second).max(after(paced.frames, self.frames_per_second));
        paced.since.saturating_add(Time::from_femtoseconds(u64::try_from(due).unwrap_or(u64::MAX)))
    }
}

impl Paced {
    /// Counts a frame.
    pub(crate) fn add(&mut self, frame_bytes: usize) {
        self.frames += 1;
        self.wire_bits += 8 * wire_bytes(frame_bytes as u64);
    }
}
