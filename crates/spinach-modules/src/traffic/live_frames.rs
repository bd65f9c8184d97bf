//! Frames from and for the world outside of the simulation.

use std::collections::VecDeque;

use spinach_engine::{Exported, Time};
use spinach_net::ethernet::FRAME_MINIMUM_BYTES;

/// The lane on which a source takes in frames: each is sent after those before it.
pub const SEND: u32 = 0;
/// The lane on which a sink takes in the frames that it is to expect.
pub const EXPECT: u32 = 1;
/// The lane on which a source takes in the number of frames after which it ends, as a little-endian word of 64 bits.
pub const END: u32 = 2;

/// Frames that came from outside, numbered from 0 as they came.
#[derive(Clone, Debug)]
pub(crate) struct LiveSource {
    longest: usize,
    // The number of the first frame that is still here.
    first: u64,
    frames: VecDeque<Vec<u8>>,
}

impl LiveSource {
    /// None yet, and each of `longest` bytes at most.
    pub(crate) fn new(longest: u32) -> Self {
        Self { longest: longest as usize, first: 0, frames: VecDeque::new() }
    }

    pub(crate) fn longest_frame(&self) -> usize {
        self.longest
    }

    /// Number of frames that have come.
    pub(crate) fn count(&self) -> u64 {
        self.first + self.frames.len() as u64
    }

    /// Adds a frame; one shorter than 60 bytes is padded with zeros.
    pub(crate) fn add(&mut self, frame: &[u8]) -> Result<(), String> {
        if frame.len() > self.longest {
            return Err(format!("a frame of {} bytes is longer than {} bytes", frame.len(), self.longest));
        }
        let mut padded = frame.to_vec();
        padded.resize(frame.len().max(FRAME_MINIMUM_BYTES), 0);
        self.frames.push_back(padded);
        Ok(())
    }

    /// Frame `index`; no bytes if it has not come or was forgotten.
    pub(crate) fn get(&self, index: u64) -> &[u8] {
        let place = index.checked_sub(self.first).and_then(|place| usize::try_from(place).ok());
        place.and_then(|place| self.frames.get(place)).map_or(&[], Vec::as_slice)
    }

    /// Frames before `index` are no longer needed.
    pub(crate) fn forget_before(&mut self, index: u64) {
        while self.first < index && self.frames.pop_front().is_some() {
            self.first += 1;
        }
    }
}

/// Frames that arrived and wait for export.
#[derive(Clone, Debug)]
pub(crate) struct Outbox {
    is_open: bool,
    frames: VecDeque<Exported>,
}

impl Outbox {
    /// An outbox that keeps its frames if it `is_open`.
    pub(crate) fn new(is_open: bool) -> Self {
        Self { is_open, frames: VecDeque::new() }
    }

    pub(crate) fn put(&mut self, time: Time, frame: &[u8]) {
        if self.is_open {
            self.frames.push_back(Exported { time, message: frame.to_vec() });
        }
    }

    pub(crate) fn take(&mut self) -> Option<Exported> {
        self.frames.pop_front()
    }
}
