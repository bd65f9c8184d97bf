//! State of the receiving half.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::descriptor::Descriptor;
use super::registers::status;

/// Next step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) enum Step {
    #[default]
    Idle,
    ReadsDescriptor,
    AwaitsFrame,
    WritesData,
    WritesStatus,
}

/// A frame in the queue.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Waiting {
    pub(crate) bytes: Vec<u8>,
    pub(crate) destination: u32,
    pub(crate) extended: u32,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Receiver {
    pub(crate) step: Step,
    /// Frames are taken from the wire.
    pub(crate) is_enabled: bool,
    pub(crate) pointer: u64,
    pub(crate) descriptor: Descriptor,
    pub(crate) queue: VecDeque<Waiting>,
    pub(crate) queued_bytes: usize,
    /// Bytes of the first frame already written.
    pub(crate) written: usize,
    pub(crate) is_at_end: bool,
}

impl Receiver {
    pub(crate) fn at(pointer: u64) -> Self {
        Self { pointer, ..Self::default() }
    }

    /// True if the queue agrees with its counters.
    pub(crate) fn is_consistent(&self) -> bool {
        let first = self.queue.front().map_or(0, |frame| frame.bytes.len());
        let bytes: usize = self.queue.iter().map(|frame| frame.bytes.len()).sum();
        bytes == self.queued_bytes && self.written <= first
    }

    pub(crate) fn set_pointer(&mut self, pointer: u64) {
        (self.pointer, self.is_at_end) = (pointer, false);
    }

    pub(crate) fn start(&mut self) {
        self.is_enabled = true;
        if self.step == Step::Idle {
            self.step = Step::ReadsDescriptor;
        }
    }

    pub(crate) fn stop(&mut self) {
        self.is_enabled = false;
        if self.step == Step::AwaitsFrame {
            self.step = Step::Idle;
        }
    }

    /// Number of bytes of the first frame that fill the descriptor.
    pub(crate) fn part(&self) -> usize {
        let room = (self.descriptor.status & status::SIZE) as usize;
        self.queue.front().map_or(0, |frame| (frame.bytes.len() - self.written).min(room))
    }
}
