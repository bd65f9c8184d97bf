//! The capability of PCI Express in configuration space: an endpoint without a slot.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

const CAPABILITY: u32 = 0x10;
const VERSION: u32 = 2;
const WORDS: usize = 15;

const DEVICE_CAPABILITIES: usize = 1;
const DEVICE_CONTROL: usize = 2;
const LINK_CAPABILITIES: usize = 3;
const LINK_CONTROL: usize = 4;
const LINK_CAPABILITIES_2: usize = 11;
const LINK_CONTROL_2: usize = 12;

const ROLE_BASED_ERRORS: u32 = 1 << 15;
const FUNCTION_RESETS: u32 = 1 << 28;
const RELAXED_ORDERING: u32 = 1 << 4;
const NO_SNOOP: u32 = 1 << 11;
const PAYLOAD: u32 = 5;
const READ_REQUEST: u32 = 12;
const INITIATE_RESET: u32 = 1 << 15;
// Error reports, relaxed ordering, payload, no snoop, read request.
const CONTROL_WRITABLE: u32 = 0xf | RELAXED_ORDERING | 7 << PAYLOAD | NO_SNOOP | 7 << READ_REQUEST;
// Read completion boundary, common clock, extended synch.
const LINK_CONTROL_WRITABLE: u32 = 1 << 3 | 1 << 6 | 1 << 7;
const COMMON_CLOCK: u32 = 1 << 12 << 16;
const SMALLEST: u32 = 128;
const LARGEST_CODE: u32 = 5;

/// An endpoint: its link, and the sizes of its packets after power-on, powers of two from 128 to 4096 bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Endpoint {
    /// Generation of the link; 0 without PCI Express.
    pub(super) generation: u32,
    pub(super) lanes: u32,
    pub(super) payload: u32,
    pub(super) read_request: u32,
    /// True if the host can reset the function alone.
    pub(super) resets: bool,
    /// Offset of the next capability of the list; 0 for none.
    pub(super) next: u32,
}

/// The capability, and the words for the interconnect.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Express {
    // Empty without PCI Express.
    words: Vec<u32>,
    pub(super) outbox: VecDeque<u64>,
}

impl Express {
    /// The capability after power-on. Host firmware is not part of the model: the largest payload is enabled already.
    pub(super) fn new(endpoint: Endpoint) -> Self {
        Self { words: power_on(endpoint), outbox: VecDeque::new() }
    }

    /// Number of bytes in configuration space.
    pub(super) fn bytes(generation: u32) -> usize {
        if generation == 0 { 0 } else { 4 * WORDS }
    }

    /// A word of the capability.
    pub(super) fn word(&self, index: usize) -> Option<u32> {
        self.words.get(index).copied()
    }

    /// Writes the bits of `mask` of a word; true if they reset the function. A payload beyond the supported one, and a reserved
    /// size, act as the largest.
    pub(super) fn write(&mut self, index: usize, word: u32, mask: u32) -> bool {
        let writable = match index {
            DEVICE_CONTROL => CONTROL_WRITABLE,
            LINK_CONTROL => LINK_CONTROL_WRITABLE,
            LINK_CONTROL_2 => 0xf,
            _ => 0,
        } & mask;
        let Some(content) = self.words.get_mut(index) else { return false };
        *content = *content & !writable | word & writable;
        if index != DEVICE_CONTROL {
            return false;
        }
        self.send();
        word & mask & INITIATE_RESET != 0 && self.words[DEVICE_CAPABILITIES] & FUNCTION_RESETS != 0
    }

    /// Restores the state after power-on.
    pub(super) fn reset(&mut self, endpoint: Endpoint) {
        self.words = power_on(endpoint);
        self.send();
    }

    /// Resets the function alone: the state of the link, and the payload, stays (PCI Express 6.0, section 6.6.2).
    pub(super) fn reset_function(&mut self, endpoint: Endpoint) {
        let payload = 7 << PAYLOAD;
        let after = power_on(endpoint);
        if let (Some(control), Some(reset)) = (self.words.get_mut(DEVICE_CONTROL), after.get(DEVICE_CONTROL))
        {
            *control = *control & payload | reset & !payload;
        }
        self.send();
    }

    fn send(&mut self) {
        let (Some(supported), Some(control)) =
            (self.words.get(DEVICE_CAPABILITIES), self.words.get(DEVICE_CONTROL))
        else {
            return;
        };
        let payload = (control >> PAYLOAD & 7).min(supported & 7);
        let read_request = (control >> READ_REQUEST & 7).min(LARGEST_CODE);
        self.outbox.push_back(u64::from(SMALLEST << payload) | u64::from(SMALLEST << read_request) << 32);
    }
}

fn power_on(endpoint: Endpoint) -> Vec<u32> {
    let Endpoint { generation, lanes, payload, read_request, resets, next } = endpoint;
    if generation == 0 {
        return Vec::new();
    }
    let (payload, link) = (code_of(payload), generation | lanes << 4);
    let mut words = vec![0; WORDS];
    words[0] = CAPABILITY | next << 8 | VERSION << 16;
    words[DEVICE_CAPABILITIES] = payload | ROLE_BASED_ERRORS | if resets { FUNCTION_RESETS } else { 0 };
    words[DEVICE_CONTROL] =
        RELAXED_ORDERING | payload << PAYLOAD | NO_SNOOP | code_of(read_request) << READ_REQUEST;
    words[LINK_CAPABILITIES] = link;
    words[LINK_CONTROL] = link << 16 | COMMON_CLOCK;
    // A bit for each speed up to that of the link.
    words[LINK_CAPABILITIES_2] = ((1 << generation) - 1) << 1;
    words[LINK_CONTROL_2] = generation;
    words
}

// The field for a size of 128 to 4096 bytes.
fn code_of(size: u32) -> u32 {
    size.ilog2() - SMALLEST.ilog2()
}
