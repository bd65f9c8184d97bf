//! The capability of message-signaled interrupts (MSI-X) in configuration space.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// The host has enabled messages; in words to `message_interrupts`.
pub(crate) const ENABLE: u64 = 1 << 15;
/// The host masks all vectors.
pub(crate) const MASK_ALL: u64 = 1 << 14;
/// The function was reset.
pub(crate) const RESET: u64 = 1 << 16;

const CAPABILITY: u32 = 0x11;
const WRITABLE: u32 = ((ENABLE | MASK_ALL) as u32) << 16;
const WORDS: usize = 3;

/// The capability, and the words for the table of vectors.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct MessageControl {
    // Empty without vectors.
    words: Vec<u32>,
    pub(super) outbox: VecDeque<u64>,
}

impl MessageControl {
    /// A capability with `vectors` vectors, whose table and pending bits are at these offsets in the window of base address register 0.
    /// `next` is the offset of the capability behind it in the list.
    pub(super) fn new(vectors: u32, table: u64, pending: u64, next: u32) -> Self {
        let words = if vectors == 0 {
            Vec::new()
        } else {
            vec![CAPABILITY | next << 8 | (vectors - 1) << 16, table as u32, pending as u32]
        };
        Self { words, outbox: VecDeque::new() }
    }

    /// Number of bytes in configuration space.
    pub(super) fn bytes(vectors: u32) -> usize {
        if vectors == 0 { 0 } else { 4 * WORDS }
    }

    /// True if the host has enabled messages, so that the function may not use its interrupt line.
    pub(super) fn is_enabled(&self) -> bool {
        self.words.first().is_some_and(|word| word & (ENABLE as u32) << 16 != 0)
    }

    /// A word of the capability.
    pub(super) fn word(&self, index: usize) -> Option<u32> {
        self.words.get(index).copied()
    }

    /// Writes the bits of `mask` of a word.
    pub(super) fn write(&mut self, index: usize, word: u32, mask: u32) {
        if index == 0 {
            self.set(WRITABLE & mask, word, 0);
        }
    }

    /// Restores the state after power-on.
    pub(super) fn reset(&mut self) {
        self.set(WRITABLE, 0, RESET);
    }

    fn set(&mut self, mask: u32, word: u32, reset: u64) {
        let Some(control) = self.words.first_mut() else { return };
        *control = *control & !mask | word & mask;
        self.outbox.push_back(u64::from(*control >> 16) & (ENABLE | MASK_ALL) | reset);
    }
}
