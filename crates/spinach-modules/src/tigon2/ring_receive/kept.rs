//! `Kept`: frames in the receive buffer that software has not released.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::super::circular::CircularBuffers;

/// A frame in the buffer.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct KeptFrame {
    address: u32,
    length: u32,
    // Bytes of it have left the buffer, or another counter has counted it.
    is_accounted: bool,
}

/// Frames in the buffer, oldest first. A frame that is released before any of it was read out has been discarded by software.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Kept {
    frames: VecDeque<KeptFrame>,
}

impl Kept {
    pub(super) fn add(&mut self, address: u32, length: u32, is_accounted: bool) {
        self.frames.push_back(KeptFrame { address, length, is_accounted });
    }

    /// A transfer out of the buffer ended at `end`.
    pub(super) fn read_to(&mut self, end: u32, buffers: &CircularBuffers) {
        for frame in &mut self.frames {
            let distance = buffers.distance(frame.address, end);
            frame.is_accounted |= distance.is_some_and(|bytes| (1..=frame.length).contains(&bytes));
        }
    }

    /// Software is done with the buffer up to `consumer`; returns the number of frames that it has discarded.
    pub(super) fn release(&mut self, consumer: u32, buffers: &CircularBuffers) -> u64 {
        let mut discarded = 0;
        while let Some(frame) = self.frames.front() {
            // Frames are in order, so the first that begins at or behind the consumer ends the search.
            let is_released = match buffers.distance(frame.address, consumer) {
                Some(0) => false,
                Some(bytes) => self.frames.back().is_some_and(|last| {
                    let span = buffers.distance(frame.address, last.address).unwrap_or(0);
                    bytes <= span + last.length.next_multiple_of(8)
                }),
                None => true,
            };
            if !is_released {
                break;
            }
            discarded += u64::from(!frame.is_accounted);
            self.frames.pop_front();
        }
        discarded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: u32 = 0x17_6000;
    const TOP: u32 = 0x20_0000;

    fn buffers() -> CircularBuffers {
        let mut buffers = CircularBuffers::new([0xc0, 0xd0], u64::from(TOP));
        buffers.see(0xc0, BASE);
        buffers.see(0xd0, 0x13_3000);
        buffers
    }

    fn three_frames_around_the_end() -> Kept {
        let mut kept = Kept::default();
        for address in [TOP - 0x80, TOP - 0x40, BASE] {
            kept.add(address, 0x40, false);
        }
        kept
    }

    #[test]
    fn frames_that_were_read_are_not_discarded() {
        let (mut kept, buffers) = (three_frames_around_the_end(), buffers());
        // The check sequence of the first is not read; the second ends where the buffer begins again.
        kept.read_to(TOP - 0x44, &buffers);
        kept.read_to(BASE, &buffers);
        assert_eq!(kept.release(TOP - 0x44, &buffers), 0);
        assert_eq!(kept.release(TOP - 0x44, &buffers), 0);
        assert_eq!(kept.release(BASE, &buffers), 0);
        assert_eq!(kept.release(BASE + 0x40, &buffers), 1, "the third");
    }

    #[test]
    fn a_consumer_at_the_first_byte_of_a_frame_keeps_it() {
        let (mut kept, buffers) = (three_frames_around_the_end(), buffers());
        assert_eq!(kept.release(TOP - 0x80, &buffers), 0);
        assert_eq!(kept.release(BASE, &buffers), 2);
        assert_eq!(kept.release(0, &buffers), 1, "outside of the buffer, as after a reset");
    }

    #[test]
    fn a_frame_that_was_counted_elsewhere_is_not_counted_again() {
        let (mut kept, buffers) = (Kept::default(), buffers());
        kept.add(BASE, 60, true);
        kept.add(BASE + 0x40, 60, false);
        assert_eq!(kept.release(BASE + 0x80, &buffers), 1);
    }
}
