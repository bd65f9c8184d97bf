//! Transmit queue of a card, and the wire behind it.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_net::ethernet::{CHECK_SEQUENCE_BYTES, FRAME_MINIMUM_BYTES, GAP_BYTES, PREAMBLE_BYTES, duration};
use spinach_server::pci::function::Sent;

/// Frames that wait for the wire, in a queue of limited length.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Transmitter {
    bits_per_s: u64,
    fifo_bytes: usize,
    frames: VecDeque<Vec<u8>>,
    /// A pause frame, which goes before all others.
    urgent: Option<Vec<u8>>,
    /// End of the pause that the other end requested.
    paused_until: u64,
    bytes: usize,
    /// Frame on the wire: time at which the next may start, and bytes that leave the queue then.
    free_at: u64,
    leaving: usize,
    /// It is a pause frame.
    is_urgent: bool,
    /// Frames put on the wire, without pause frames.
    sent: u64,
}

/// A frame that has left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Left {
    /// One from the queue.
    Queued,
    /// A pause frame.
    Pause,
}

impl Transmitter {
    /// Queue of `fifo_bytes` bytes before a wire.
    pub(crate) fn new(bits_per_s: u64, fifo_bytes: usize) -> Self {
        Self {
            bits_per_s,
            fifo_bytes,
            frames: VecDeque::new(),
            urgent: None,
            paused_until: 0,
            bytes: 0,
            free_at: 0,
            leaving: 0,
            is_urgent: false,
            sent: 0,
        }
    }

    /// True if the queue agrees with its counters.
    pub(crate) fn is_consistent(&self) -> bool {
        let waiting: usize = self.frames.iter().map(Vec::len).sum();
        self.bits_per_s != 0 && waiting.checked_add(self.leaving) == Some(self.bytes)
    }

    /// True if there is room for `bytes` more bytes.
    pub(crate) fn has_room(&self, bytes: usize) -> bool {
        self.bytes + bytes <= self.fifo_bytes
    }

    /// Bytes in the queue, with those of the frame that is on the wire.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Frames in the queue, without the one that is on the wire.
    pub(crate) fn frames(&self) -> usize {
        self.frames.len()
    }

    /// Frames put on the wire, without pause frames.
    pub(crate) fn sent(&self) -> u64 {
        self.sent
    }

    /// Appends a frame for which there is room.
    pub(crate) fn push(&mut self, frame: Vec<u8>) {
        self.bytes += frame.len();
        self.frames.push_back(frame);
    }

    /// Sends a pause frame as soon as the wire is free.
    pub(crate) fn push_urgent(&mut self, frame: Vec<u8>) {
        self.urgent = Some(frame);
    }

    /// The other end has paused frames until a time.
    pub(crate) fn pause(&mut self, until: u64) {
        self.paused_until = until;
    }

    /// Time at which the wire is free again while a frame is on it, or at which the pause ends that delays waiting frames.
    pub(crate) fn wakes_at(&self) -> Option<u64> {
        let is_held_back = self.paused_until != 0 && !self.frames.is_empty();
        match self.leaving {
            0 => is_held_back.then_some(self.paused_until),
            _ => Some(self.free_at),
        }
    }

    /// The frame that has left completely by a time, if any; then its room is free.
    pub(crate) fn leave(&mut self, time: u64) -> Option<Left> {
        if self.leaving == 0 || self.free_at > time {
            return None;
        }
        self.bytes -= std::mem::take(&mut self.leaving);
        Some(if self.is_urgent { Left::Pause } else { Left::Queued })
    }

    /// Puts the next frame on the wire if that is free.
    pub(crate) fn start(&mut self, time: u64) -> Option<Sent> {
        if self.leaving != 0 {
            return None;
        }
        self.is_urgent = self.urgent.is_some();
        let mut frame = match self.urgent.take() {
            Some(frame) => {
                self.bytes += frame.len();
                frame
            }
            None if time < self.paused_until => return None,
            None => {
                self.paused_until = 0;
                let frame = self.frames.pop_front()?;
                self.sent += 1;
                frame
            }
        };
        self.leaving = frame.len();
        if frame.len() < FRAME_MINIMUM_BYTES {
            frame.resize(FRAME_MINIMUM_BYTES, 0);
        }
        let bytes = PREAMBLE_BYTES + frame.len() as u64 + CHECK_SEQUENCE_BYTES;
        let begins = time.max(self.free_at);
        self.free_at = begins + duration(bytes + GAP_BYTES, self.bits_per_s);
        Some(Sent { begins, ends: begins + duration(bytes, self.bits_per_s), frame })
    }

    /// Forgets all frames but the one on the wire.
    pub(crate) fn clear(&mut self) {
        self.frames.clear();
        self.urgent = None;
        self.bytes = self.leaving;
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
        assert_eq!(transmitter.leave(free - 1), None);
        assert_eq!(transmitter.leave(free), Some(Left::Queued));
        assert_eq!((transmitter.bytes(), transmitter.sent()), (20, 1));
        let second = transmitter.start(free).unwrap();
        assert_eq!((second.ends, second.frame.len()), (free + 72 * 800, 60));
        assert_eq!(transmitter.sent(), 2);
    }

    #[test]
    fn a_pause_holds_back_all_frames_but_those_of_flow_control() {
        let mut transmitter = Transmitter::new(10_000_000_000, 4000);
        transmitter.pause(5_000_000);
        transmitter.push(vec![1; 100]);
        assert!(transmitter.start(0).is_none());
        assert_eq!(transmitter.wakes_at(), Some(5_000_000));
        transmitter.push_urgent(vec![2; 60]);
        assert_eq!(transmitter.start(0).unwrap().frame, [2; 60]);
        let free = transmitter.wakes_at().unwrap();
        assert_eq!(transmitter.leave(free), Some(Left::Pause));
        assert!(transmitter.is_consistent());
        assert!(transmitter.start(free).is_none());
        assert_eq!(transmitter.sent(), 0);
        assert_eq!(transmitter.start(5_000_000).unwrap().frame, [1; 100]);
        assert_eq!(transmitter.sent(), 1);
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
