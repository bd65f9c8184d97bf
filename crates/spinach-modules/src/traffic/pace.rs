//! Pacing of a source: due times of its frames, and the frame after which it ends.

use serde::{Deserialize, Serialize};
use spinach_engine::{FEMTOSECONDS_PER_SECOND, Time};

use crate::mac::link::wire_bytes;

/// Frames that a paced source may be behind its pace. Older frames are lost, as from a full socket.
const BACKLOG_FRAMES: u64 = 32;

/// Pace of a source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    bits_per_second: u64,
    frames_per_second: u64,
}

/// Progress of a source.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Paced {
    frames: u64,
    wire_bits: u64,
    // Number of frames after which the source was ended from outside.
    ends_after: u64,
    // Beginning of the count, after the source began, plus the time in which frames were lost; and the pace since then.
    since: Time,
    bits_per_second: u64,
    frames_per_second: u64,
    // Number of frames to send.
    planned: u64,
}

impl Pace {
    /// Pace of at most `bits_per_second` on the wire, with everything around a frame, and at most `frames_per_second`; 0 is no
    /// limit.
    pub(crate) const fn new(bits_per_second: u64, frames_per_second: u64) -> Self {
        Self { bits_per_second, frames_per_second }
    }

    /// Nothing has been sent of `planned` frames.
    pub(crate) const fn start(self, planned: u64) -> Paced {
        let Self { bits_per_second, frames_per_second } = self;
        Paced {
            frames: 0,
            wire_bits: 0,
            ends_after: u64::MAX,
            since: Time::ZERO,
            bits_per_second,
            frames_per_second,
            planned,
        }
    }

    /// True if a source that has sent `paced` had another pace or another number of frames to send: it was restored from a
    /// checkpoint.
    pub(crate) const fn differs(&self, paced: &Paced, planned: u64) -> bool {
        paced.planned != planned
            || paced.bits_per_second != self.bits_per_second
            || paced.frames_per_second != self.frames_per_second
    }

    /// Lets a source that has sent `paced` at another pace continue at this one from `now` on.
    pub(crate) fn adopt(&self, paced: &mut Paced, now: Time) {
        if paced.bits_per_second != self.bits_per_second || paced.frames_per_second != self.frames_per_second
        {
            *paced = Paced { since: now, ends_after: paced.ends_after, ..self.start(paced.planned) };
        }
    }

    /// Returns the due time of the next frame, counted from the due time of the first.
    pub(crate) fn due(&self, paced: &Paced) -> Time {
        paced.since.saturating_add(self.span(paced.wire_bits, paced.frames))
    }

    /// Counts a frame that is sent at `now`. The source loses the frames that it is behind by more than `BACKLOG_FRAMES`.
    pub(crate) fn add(&self, paced: &mut Paced, frame_bytes: usize, now: Time) {
        let wire_bits = 8 * wire_bytes(frame_bytes as u64);
        if self.bits_per_second != 0 || self.frames_per_second != 0 {
            let late = now.saturating_sub(self.due(paced));
            let backlog = self.span(BACKLOG_FRAMES * wire_bits, BACKLOG_FRAMES);
            paced.since = paced.since.saturating_add(late.saturating_sub(backlog));
        }
        paced.frames += 1;
        paced.wire_bits += wire_bits;
    }

    // Time of `wire_bits` bits on the wire and of `frames` frames at this pace.
    fn span(&self, wire_bits: u64, frames: u64) -> Time {
        let after = |amount: u64, rate: u64| {
            if rate == 0 {
                0
            } else {
                u128::from(amount) * u128::from(FEMTOSECONDS_PER_SECOND) / u128::from(rate)
            }
        };
        let span = after(wire_bits, self.bits_per_second).max(after(frames, self.frames_per_second));
        Time::from_femtoseconds(u64::try_from(span).unwrap_or(u64::MAX))
    }
}

impl Paced {
    /// Number of frames to send: those planned, unless the source was ended from outside.
    pub(crate) const fn count(&self, planned: u64) -> u64 {
        if self.ends_after < planned { self.ends_after } else { planned }
    }

    /// Ends the source after a number of frames, a little-endian word; returns whether there are more frames to send than before.
    ///
    /// # Errors
    /// If the message is not a word.
    pub(crate) fn end_after(&mut self, message: &[u8]) -> Result<bool, String> {
        let bytes = message.try_into().map_err(|_| "the number of frames takes 8 bytes".to_owned())?;
        let count = u64::from_le_bytes(bytes);
        let is_more = count > self.ends_after;
        self.ends_after = count;
        Ok(is_more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MICROSECOND: u64 = 1_000_000_000;

    fn microseconds(count: u64) -> Time {
        Time::from_femtoseconds(count * MICROSECOND)
    }

    #[test]
    fn a_source_catches_up_with_its_backlog_and_loses_the_rest() {
        let pace = Pace::new(0, 1_000_000); // one frame a microsecond
        let mut paced = pace.start(u64::MAX);
        pace.add(&mut paced, 60, microseconds(BACKLOG_FRAMES));
        assert_eq!(pace.due(&paced), microseconds(1), "as far behind as it may be: nothing is lost");
        pace.add(&mut paced, 60, microseconds(1 + BACKLOG_FRAMES + 1000));
        assert_eq!(pace.due(&paced), microseconds(1002), "1000 frames are lost");
        for _ in 0..BACKLOG_FRAMES {
            pace.add(&mut paced, 60, microseconds(1 + BACKLOG_FRAMES + 1000));
        }
        assert_eq!(pace.due(&paced), microseconds(1002 + BACKLOG_FRAMES), "the backlog was sent at once");
    }

    #[test]
    fn a_rate_in_bits_loses_by_the_time_of_the_frame() {
        let pace = Pace::new(8 * 84 * 1_000_000, 0); // a shortest frame takes a microsecond
        let mut paced = pace.start(u64::MAX);
        pace.add(&mut paced, 60, microseconds(BACKLOG_FRAMES + 7));
        assert_eq!(pace.due(&paced), microseconds(8));
    }

    #[test]
    fn a_source_is_ended_and_continued_from_outside() {
        let mut paced = Pace::new(0, 0).start(10);
        assert_eq!(paced.count(10), 10);
        assert_eq!(paced.end_after(&7u64.to_le_bytes()), Ok(false));
        assert_eq!(paced.count(10), 7);
        assert_eq!(paced.end_after(&u64::MAX.to_le_bytes()), Ok(true));
        assert_eq!(paced.count(10), 10);
        assert!(paced.end_after(&[1, 2]).is_err());
    }
}
