//! The wire's side of a card: how long frames take, and which of them are meant (IEEE 802.3, clauses 3 and 4).

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_host::pci::function::Sent;

/// The shortest frame without its check sequence; shorter ones are padded.
pub const FRAME_MINIMUM_BYTES: usize = 60;
const PREAMBLE_BYTES: u64 = 8;
const CHECK_SEQUENCE_BYTES: u64 = 4;
const GAP_BYTES: u64 = 12;
const PICOSECONDS: u128 = 1_000_000_000_000;

/// Duration of bytes on a wire, in picoseconds, rounded up.
pub fn duration(bytes: u64, bits_per_s: u64) -> u64 {
    (u128::from(bytes) * 8 * PICOSECONDS).div_ceil(u128::from(bits_per_s)) as u64
}

/// Duration on the wire of a frame of `length` bytes, without preamble and check sequence, in picoseconds.
pub fn frame_duration(length: usize, bits_per_s: u64) -> u64 {
    duration(PREAMBLE_BYTES + length as u64 + CHECK_SEQUENCE_BYTES, bits_per_s)
}

/// Minimum time from the start of sending to the last bit of the frame.
pub fn shortest_duration(bits_per_s: u64) -> u64 {
    frame_duration(FRAME_MINIMUM_BYTES, bits_per_s)
}

/// Frames that wait for the wire, in a queue of limited length.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Transmitter {
    bits_per_s: u64,
    fifo_bytes: usize,
    frames: VecDeque<Vec<u8>>,
    bytes: usize,
    /// For the frame on the wire: start of the next, and its bytes, which leave the queue then.
    free_at: u64,
    leaving: usize,
}

impl Transmitter {
    /// Queue of `fifo_bytes` bytes before a wire.
    pub fn new(bits_per_s: u64, fifo_bytes: usize) -> Self {
        Self { bits_per_s, fifo_bytes, frames: VecDeque::new(), bytes: 0, free_at: 0, leaving: 0 }
    }

    /// True if the queue agrees with its counters.
    pub fn is_consistent(&self) -> bool {
        let waiting: usize = self.frames.iter().map(Vec::len).sum();
        self.bits_per_s != 0 && waiting.checked_add(self.leaving) == Some(self.bytes)
    }

    /// True if there is room for `bytes` more bytes.
    pub fn has_room(&self, bytes: usize) -> bool {
        self.bytes + bytes <= self.fifo_bytes
    }

    /// Bytes in the queue, with those of the frame that is on the wire.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Frames in the queue, without the one that is on the wire.
    pub fn frames(&self) -> usize {
        self.frames.len()
    }

    /// Appends a frame for which there is room.
    pub fn push(&mut self, frame: Vec<u8>) {
        self.bytes += frame.len();
        self.frames.push_back(frame);
    }

    /// When the wire is free again, as long as a frame is on it.
    pub fn wakes_at(&self) -> Option<u64> {
        (self.leaving != 0).then_some(self.free_at)
    }

    /// True if a frame has left completely by a time; then its room is free.
    pub fn leave(&mut self, time: u64) -> bool {
        let has_left = self.leaving != 0 && self.free_at <= time;
        if has_left {
            self.bytes -= std::mem::take(&mut self.leaving);
        }
        has_left
    }

    /// Puts the next frame on the wire if that is free.
    pub fn start(&mut self, time: u64) -> Option<Sent> {
        if self.leaving != 0 {
            return None;
        }
        let mut frame = self.frames.pop_front()?;
        self.leaving = frame.len();
        if frame.len() < FRAME_MINIMUM_BYTES {
            frame.resize(FRAME_MINIMUM_BYTES, 0);
        }
        let bytes = PREAMBLE_BYTES + frame.len() as u64 + CHECK_SEQUENCE_BYTES;
        let begins = time.max(self.free_at);
        self.free_at = begins + duration(bytes + GAP_BYTES, self.bits_per_s);
        Some(Sent { ends: begins + duration(bytes, self.bits_per_s), frame })
    }

    /// Forgets all frames but the one on the wire.
    pub fn clear(&mut self) {
        self.frames.clear();
        self.bytes = self.leaving;
    }
}

/// The bytes that follow a frame as its check sequence.
pub fn check_sequence(frame: &[u8]) -> [u8; CHECK_SEQUENCE_BYTES as usize] {
    crc32fast::hash(frame).to_le_bytes()
}

/// Whom a frame is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Destination {
    /// One station.
    One,
    /// A group.
    Group,
    /// All.
    All,
}

/// Whom a frame is for, by its first six bytes.
pub fn destination(frame: &[u8]) -> Destination {
    match frame.get(..6) {
        Some([0xff, 0xff, 0xff, 0xff, 0xff, 0xff]) => Destination::All,
        Some([first, ..]) if first & 1 != 0 => Destination::Group,
        _ => Destination::One,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_follow_each_other_at_the_rate_of_the_wire() {
        let mut transmitter = Transmitter::new(10_000_000_000, 4000);
        transmitter.push(vec![1; 1514]);
        transmitter.push(vec![2; 20]);
        let first = transmitter.start(1000).unwrap();
        assert_eq!((first.ends, first.frame.len()), (1000 + 1526 * 800, 1514));
        assert!(transmitter.start(first.ends).is_none());
        let free = transmitter.wakes_at().unwrap();
        assert_eq!(free, 1000 + 1538 * 800);
        assert!(!transmitter.leave(free - 1));
        assert!(transmitter.leave(free));
        assert_eq!(transmitter.bytes(), 20);
        let second = transmitter.start(free).unwrap();
        assert_eq!((second.ends, second.frame.len()), (free + 72 * 800, 60));
        assert_eq!(shortest_duration(10_000_000_000), 72 * 800);
    }

    #[test]
    fn a_queue_has_room_until_it_is_full() {
        let mut transmitter = Transmitter::new(1_000_000_000, 100);
        assert!(transmitter.has_room(100) && !transmitter.has_room(101));
        transmitter.push(vec![0; 60]);
        assert!(transmitter.has_room(40) && !transmitter.has_room(41));
        transmitter.start(0);
        transmitter.clear();
        assert_eq!(transmitter.bytes(), 60);
    }
}
