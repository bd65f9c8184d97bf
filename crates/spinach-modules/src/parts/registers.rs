//! Parts shared by blocks with memory-mapped registers: the port, and the registers of a ring.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::{Edge, Input, Output, Signals};

use crate::parts::bytes::{word_from_data, word_response};
use crate::parts::layout::{SHARED_WORD, layout};
use crate::parts::numbers::numbers;
use crate::values::{Access, Reference, Response};

/// Only the low 8 bits of an address select a register: every block of registers fills 256 bytes and may be placed anywhere.
const OFFSET_MASK: u64 = 0xff;
/// Maximum number of waiting answers; two keep the port at one reference a cycle with both sides registered.
const ANSWERS: usize = 2;

/// A target of the memory protocol for aligned 32-bit reads and writes: takes one reference a cycle and presents the answer
/// in the next. Anything else is answered by a fault.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct RegisterPort {
    // `None` is a fault.
    answers: VecDeque<Option<u32>>,
}

impl RegisterPort {
    pub(crate) fn evaluate(
        &self,
        request: Input<Reference>,
        response: Output<Response>,
        signals: &mut Signals,
    ) {
        signals.write(response, self.answers.front().copied().map(word_response));
        signals.acknowledge(request, self.answers.len() < ANSWERS);
    }

    /// Takes a reference, if one comes. `perform` is given the offset, and the word if it is a write; it returns the word that
    /// is read (any word after a write), or `None` if there is no such register. Returns whether a reference came or
    /// an answer left.
    #[inline]
    pub(crate) fn commit(
        &mut self,
        request: Input<Reference>,
        response: Output<Response>,
        edge: &Edge<'_>,
        perform: impl FnOnce(u32, Option<u32>) -> Option<u32>,
    ) -> bool {
        let leaves = edge.signals.is_sent(response);
        if leaves {
            self.answers.pop_front();
        }
        let comes = edge.signals.is_received(request);
        if comes {
            self.take(edge.signals.read(request).unwrap_or_default(), perform);
        }
        comes | leaves
    }

    #[inline(never)]
    fn take(&mut self, reference: Reference, perform: impl FnOnce(u32, Option<u32>) -> Option<u32>) {
        let answer = register_access(&reference).and_then(|(offset, written)| perform(offset, written));
        self.answers.push_back(answer);
    }
}

/// Offset of the register that a reference is of, and the word if it is a write; `None` unless it loads or stores an aligned word.
#[inline]
pub(crate) fn register_access(reference: &Reference) -> Option<(u32, Option<u32>)> {
    let is_word = reference.size == 4 && reference.enables == 0xf && reference.address.is_multiple_of(4);
    let written = match reference.access {
        Access::Read => None,
        Access::Write => Some(word_from_data(reference.data)),
        _ => return None,
    };
    is_word.then_some(((reference.address & OFFSET_MASK) as u32, written))
}

layout! {
    /// The registers of an assist that works on a ring of descriptors.
    pub RING_REGISTERS, ring_offset: "ring_registers" {
        /// Address of the ring in control memory.
        BASE: SHARED_WORD;
        /// Entries of the ring, a power of two.
        ENTRIES: SHARED_WORD;
        /// Number of descriptors put into the ring.
        PRODUCER: SHARED_WORD;
        /// Number of completed descriptors.
        CONSUMER: SHARED_WORD;
        /// Address in control memory of the word that follows the index that the hardware advances; 0 for none.
        PROGRESS: SHARED_WORD;
        /// RING_ENABLE or 0.
        CONTROL: SHARED_WORD;
        /// Bit 0: busy.
        STATUS: SHARED_WORD;
    }
}

numbers! {
    /// Bits of the control register of an assist.
    RING_CONTROL: u32 {
        /// It works on its ring.
        pub ENABLE = 1;
    }
}

/// Index of a ring that the firmware advances; the hardware advances the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Firmware {
    Produces,
    Consumes,
}

/// The registers of a descriptor ring in control memory.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Ring {
    base: u32,
    entries: u32,
    pub(crate) producer: u32,
    pub(crate) consumer: u32,
    pub(crate) progress_address: u32,
    pub(crate) is_enabled: bool,
}

impl Ring {
    /// Disabled and empty, with both indices at `first_index`.
    pub(crate) fn new(first_index: u32) -> Self {
        let [producer, consumer] = [first_index; 2];
        Self { base: 0, entries: 1, producer, consumer, progress_address: 0, is_enabled: false }
    }

    /// Reads or writes a register; `None` if there is no such register or the word is not allowed in it.
    pub(crate) fn access(
        &mut self,
        offset: u32,
        written: Option<u32>,
        firmware: Firmware,
        is_busy: bool,
    ) -> Option<u32> {
        let Some(word) = written else {
            return Some(match offset {
                ring_offset::BASE => self.base,
                ring_offset::ENTRIES => self.entries,
                ring_offset::PRODUCER => self.producer,
                ring_offset::CONSUMER => self.consumer,
                ring_offset::PROGRESS => self.progress_address,
                ring_offset::CONTROL => u32::from(self.is_enabled),
                ring_offset::STATUS => u32::from(is_busy),
                _ => return None,
            });
        };
        match offset {
            ring_offset::BASE => self.base = word,
            ring_offset::ENTRIES if word.is_power_of_two() => self.entries = word,
            ring_offset::PRODUCER if firmware == Firmware::Produces => self.producer = word,
            ring_offset::CONSUMER if firmware == Firmware::Consumes => self.consumer = word,
            ring_offset::PROGRESS => self.progress_address = word,
            ring_offset::CONTROL => self.is_enabled = word & 1 != 0,
            _ => return None,
        }
        Some(0)
    }

    /// Address of descriptor number `index` of `size` bytes.
    pub(crate) fn slot(&self, index: u32, size: usize) -> u64 {
        u64::from(self.base) + u64::from(index & (self.entries - 1)) * size as u64
    }

    /// Number of descriptors between consumer and producer.
    pub(crate) fn filled(&self) -> u32 {
        self.producer.wrapping_sub(self.consumer)
    }

    pub(crate) fn entries(&self) -> u32 {
        self.entries
    }

    /// Returns an error if the indices are further apart than the number of entries.
    pub(crate) fn overrun(&self) -> Option<String> {
        let (producer, consumer, entries) = (self.producer, self.consumer, self.entries);
        (self.filled() > entries).then(|| {
            format!("producer {producer} and consumer {consumer} of the ring are further apart than its {entries} entries")
        })
    }
}
