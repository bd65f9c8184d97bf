//! Streams of frames, beat by beat as AXI4-Stream has them: the first byte of a frame is in the lowest bits of the first beat.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::Payloads;
use spinach_plugin::{Block, Stream};

use super::{HELD_VALUES, check_stable, driven, is_accepted};
use crate::values::Frame;

/// Largest frame that a block may make: the longest that other modules can describe.
const LONGEST_FRAME: usize = 65_535;
const WORD_BYTES: usize = 8;

/// Frames on their way into a block.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(in crate::blocks) struct FrameSource {
    frames: VecDeque<Frame>,
    // First byte of the beat that is presented, in the oldest frame.
    offset: usize,
}

impl FrameSource {
    pub(in crate::blocks) fn has_room(&self) -> bool {
        self.frames.len() < HELD_VALUES
    }

    pub(in crate::blocks) fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    pub(in crate::blocks) fn take(&mut self, frame: Frame) {
        self.frames.push_back(frame);
    }

    /// Presents the next beat of the oldest frame.
    pub(in crate::blocks) fn drive(&self, block: &mut Block, stream: &Stream, payloads: &Payloads) {
        block.set(stream.valid, u64::from(!self.frames.is_empty()));
        let Some(frame) = self.frames.front() else { return };
        let left = &payloads.get(frame.bytes)[self.offset..];
        let beat_bytes = bytes_per_beat(block, stream);
        let is_last = left.len() <= beat_bytes;
        let beat = &left[..left.len().min(beat_bytes)];
        write_bytes(block.input(stream.data), beat);
        if let Some(keep) = stream.keep {
            write_ones(block.input(keep), beat.len());
        }
        if let Some(last) = stream.last {
            block.set(last, u64::from(is_last));
        }
        if let Some(user) = stream.user {
            block.input(user)[0] = u64::from(is_last && !frame.is_intact);
        }
    }

    pub(in crate::blocks) fn advance(&mut self, block: &Block, stream: &Stream, payloads: &mut Payloads) {
        let Some(frame) = self.frames.front().filter(|_| is_accepted(block, stream)) else { return };
        self.offset += bytes_per_beat(block, stream);
        if self.offset >= payloads.get(frame.bytes).len() {
            payloads.remove(frame.bytes);
            self.frames.pop_front();
            self.offset = 0;
        }
    }
}

/// Frames that have left a block, and the beginning of one that leaves it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(in crate::blocks) struct FrameSink {
    frames: VecDeque<Frame>,
    #[serde(with = "serde_bytes")]
    bytes: Vec<u8>,
    waiting: Option<Vec<u64>>,
}

impl FrameSink {
    pub(in crate::blocks) fn front(&self) -> Option<Frame> {
        self.frames.front().copied()
    }

    pub(in crate::blocks) fn pop(&mut self) {
        self.frames.pop_front();
    }

    /// True if it holds neither frames nor a part of one.
    pub(in crate::blocks) fn is_empty(&self) -> bool {
        self.frames.is_empty() && self.bytes.is_empty()
    }

    fn has_room(&self) -> bool {
        self.frames.len() < HELD_VALUES
    }

    pub(in crate::blocks) fn drive(&self, block: &mut Block, stream: &Stream) {
        if let Some(ready) = stream.ready {
            block.set(ready, u64::from(self.has_room()));
        }
    }

    /// Takes the beat that the block presents.
    ///
    /// # Errors
    /// If the block breaks the protocol, or does not wait although the receiver refuses.
    pub(in crate::blocks) fn advance(
        &mut self,
        block: &Block,
        stream: &Stream,
        payloads: &mut Payloads,
    ) -> Result<(), String> {
        check_stable(block, stream, self.waiting.take().as_deref())?;
        if block.get(stream.valid) == 0 {
            return Ok(());
        }
        if !self.has_room() {
            if stream.ready.is_none() {
                return Err(format!(
                    "{} has no `ready`, and its receiver does not accept a frame",
                    stream.name
                ));
            }
            self.waiting = Some(driven(block, stream));
            return Ok(());
        }
        let is_last = stream.last.is_some_and(|last| block.get(last) != 0);
        let length = kept_bytes(block, stream, is_last)?;
        read_bytes(block.output(stream.data), length, &mut self.bytes);
        if self.bytes.len() > LONGEST_FRAME {
            return Err(format!("{} sends more than {LONGEST_FRAME} bytes without a last beat", stream.name));
        }
        if is_last {
            let is_intact = stream.user.is_none_or(|user| block.get(user) & 1 == 0);
            let frame = Frame::intact(payloads.insert(std::mem::take(&mut self.bytes)));
            self.frames.push_back(Frame { is_intact, ..frame });
        }
        Ok(())
    }
}

fn bytes_per_beat(block: &Block, stream: &Stream) -> usize {
    block.description().signals[stream.data].width / 8
}

// Number of bytes of the presented beat. Only the last beat may be short, and it has no holes.
fn kept_bytes(block: &Block, stream: &Stream, is_last: bool) -> Result<usize, String> {
    let most = bytes_per_beat(block, stream);
    let Some(keep) = stream.keep else { return Ok(most) };
    let words = block.output(keep);
    let count = words.iter().map(|word| word.count_ones() as usize).sum();
    let is_valid = if is_last {
        let mut expected = vec![0; words.len()];
        write_ones(&mut expected, count);
        count > 0 && expected == words
    } else {
        count == most
    };
    if is_valid { Ok(count) } else { Err(format!("{} has holes in `keep`: {words:x?}", stream.name)) }
}

fn write_bytes(words: &mut [u64], bytes: &[u8]) {
    words.fill(0);
    for (word, chunk) in words.iter_mut().zip(bytes.chunks(WORD_BYTES)) {
        let mut whole = [0; WORD_BYTES];
        whole[..chunk.len()].copy_from_slice(chunk);
        *word = u64::from_le_bytes(whole);
    }
}

fn read_bytes(words: &[u64], length: usize, bytes: &mut Vec<u8>) {
    let all = words.iter().flat_map(|word| word.to_le_bytes());
    bytes.extend(all.take(length));
}

fn write_ones(words: &mut [u64], count: usize) {
    for (index, word) in words.iter_mut().enumerate() {
        let ones = count.saturating_sub(64 * index).min(64);
        *word = if ones == 64 { u64::MAX } else { (1 << ones) - 1 };
    }
}
