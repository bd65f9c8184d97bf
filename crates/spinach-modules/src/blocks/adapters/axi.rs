//! Ports with the five channels of AXI4, and the memory protocol of the library.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_plugin::{AxiSignals, Block};

use super::bursts::{Burst, INCREMENTING};
use super::{HELD_VALUES, OUTSTANDING, is_supported, set_if};
use crate::values::{Access, REFERENCE_BYTES, Reference, Response, all_enabled};

const OKAY: u64 = 0;
const DECODE_ERROR: u64 = 3;

const fn result_of(is_fault: bool) -> u64 {
    if is_fault { DECODE_ERROR } else { OKAY }
}

fn data_bytes(block: &Block, memory: &AxiSignals) -> u8 {
    (block.description().signals[memory.read_data[0]].width / 8) as u8
}

fn present(block: &mut Block, [value, valid, _]: [usize; 3], presented: Option<u64>) {
    block.set(valid, u64::from(presented.is_some()));
    block.set(value, presented.unwrap_or(0));
}

// Value that the block presents on a channel and that is accepted in this cycle.
fn accepted(block: &Block, [value, valid, _]: [usize; 3], is_ready: bool) -> Option<u64> {
    (is_ready && block.get(valid) != 0).then(|| block.get(value))
}

/// A reference that waits for its response.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Outstanding {
    is_write: bool,
    is_last: bool,
    id: u64,
    // Bytes by which the data of a read are above the lowest lane.
    shift: u8,
}

/// A result for the block, of a write or of one beat of a read.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Answer {
    data: u64,
    result: u64,
    id: u64,
    is_last: bool,
}

/// Requests of a block, and the responses to them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(in crate::blocks) struct AxiInitiator {
    write: Option<Burst>,
    // The data, the enabled bytes, and whether it is the last beat.
    write_data: Option<(u64, u16, bool)>,
    read: Option<Burst>,
    requests: VecDeque<(Reference, Outstanding)>,
    outstanding: VecDeque<Outstanding>,
    written: VecDeque<Answer>,
    answered: VecDeque<Answer>,
    // Failure of a beat of the write whose last beat has no response yet.
    has_failed: bool,
    wrote_last: bool,
}

impl AxiInitiator {
    pub(in crate::blocks) fn request(&self) -> Option<Reference> {
        self.requests.front().map(|(reference, _)| *reference)
    }

    pub(in crate::blocks) fn sent(&mut self) {
        self.outstanding.extend(self.requests.pop_front().map(|(_, outstanding)| outstanding));
    }

    pub(in crate::blocks) fn received(&mut self, response: Response) {
        let Some(Outstanding { is_write, is_last, id, shift }) = self.outstanding.pop_front() else { return };
        if !is_write {
            let data = (response.data as u64) << (8 * shift);
            self.answered.push_back(Answer { data, result: result_of(response.is_fault), id, is_last });
            return;
        }
        self.has_failed |= response.is_fault;
        if is_last {
            let result = result_of(std::mem::take(&mut self.has_failed));
            self.written.push_back(Answer { data: 0, result, id, is_last });
        }
    }

    pub(in crate::blocks) fn is_empty(&self) -> bool {
        self.write.is_none()
            && self.write_data.is_none()
            && self.read.is_none()
            && self.requests.is_empty()
            && self.outstanding.is_empty()
            && self.written.is_empty()
            && self.answered.is_empty()
    }

    pub(in crate::blocks) fn drive(&self, block: &mut Block, memory: &AxiSignals) {
        block.set(memory.write_address[2], u64::from(self.write.is_none()));
        block.set(memory.write_data[2], u64::from(self.write_data.is_none()));
        block.set(memory.read_address[2], u64::from(self.read.is_none()));
        let (written, answered) = (self.written.front(), self.answered.front());
        present(block, memory.write_response, written.map(|answer| answer.result));
        present(block, memory.read_data, answered.map(|answer| answer.data));
        let answered = answered.copied().unwrap_or_default();
        set_if(block, memory.read_response, answered.result);
        if let Some(bursts) = &memory.bursts {
            set_if(block, bursts.write_response_id, written.map_or(0, |answer| answer.id));
            set_if(block, bursts.read_data_id, answered.id);
            block.set(bursts.read_last, u64::from(answered.is_last));
        }
    }

    /// Takes what the block presents.
    ///
    /// # Errors
    /// If it is not supported, or breaks the protocol.
    pub(in crate::blocks) fn advance(&mut self, block: &Block, memory: &AxiSignals) -> Result<(), String> {
        if block.get(memory.write_response[2]) != 0 {
            self.written.pop_front();
        }
        if block.get(memory.read_data[2]) != 0 {
            self.answered.pop_front();
        }
        let (bytes, bursts) = (data_bytes(block, memory), memory.bursts.as_ref());
        if let Some(address) = accepted(block, memory.write_address, self.write.is_none()) {
            let signals = bursts.map(|bursts| &bursts.write);
            self.write = Some(Burst::presented(block, address, signals, bytes)?);
        }
        if let Some(data) = accepted(block, memory.write_data, self.write_data.is_none()) {
            let strobe = memory.write_strobe.map_or(all_enabled(bytes), |strobe| block.get(strobe) as u16);
            let is_last = bursts.is_none_or(|bursts| block.get(bursts.write_last) != 0);
            self.write_data = Some((data, strobe, is_last));
        }
        if let Some(address) = accepted(block, memory.read_address, self.read.is_none()) {
            let signals = bursts.map(|bursts| &bursts.read);
            self.read = Some(Burst::presented(block, address, signals, bytes)?);
        }
        let underway = self.requests.len() + self.outstanding.len() + self.answered.len();
        if self.requests.len() < HELD_VALUES && underway < OUTSTANDING { self.issue(bytes) } else { Ok(()) }
    }

    // Begins a request; reads and writes take turns.
    fn issue(&mut self, bytes: u8) -> Result<(), String> {
        let is_write_next = !self.wrote_last || self.read.is_none();
        if let (Some(burst), Some((data, enables, is_last)), true) =
            (self.write, self.write_data, is_write_next)
        {
            if is_last != burst.is_last() {
                return Err("has a burst whose `wlast` is not at its last beat".to_owned());
            }
            let write = Reference::write(burst.address & !u64::from(bytes - 1), bytes, data.into());
            let outstanding = Outstanding { is_write: true, is_last, id: burst.id, shift: 0 };
            self.requests.push_back((Reference { enables, ..write }, outstanding));
            (self.write, self.write_data, self.wrote_last) = (burst.rest(), None, true);
        } else if let Some(burst) = self.read {
            let address = burst.address & !u64::from(burst.bytes - 1);
            let shift = (address % u64::from(bytes)) as u8;
            let outstanding = Outstanding { is_write: false, is_last: burst.is_last(), id: burst.id, shift };
            self.requests.push_back((Reference::read(address, burst.bytes), outstanding));
            (self.read, self.wrote_last) = (burst.rest(), false);
        }
        Ok(())
    }
}

/// Requests to a block, one at a time, and its responses.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(in crate::blocks) struct AxiTarget {
    request: Option<Reference>,
    is_address_taken: bool,
    // Beats of data that the block has accepted, or given.
    beats: u8,
    // Data of the beats that it has given, and whether one has failed.
    response: Response,
    is_answered: bool,
}

impl AxiTarget {
    pub(in crate::blocks) fn is_empty(&self) -> bool {
        self.request.is_none() && !self.is_answered
    }

    pub(in crate::blocks) fn response(&self) -> Option<Response> {
        self.is_answered.then_some(self.response)
    }

    pub(in crate::blocks) fn pop(&mut self) {
        *self = Self::default();
    }

    /// Takes a reference; one that the bus cannot express is answered with a fault.
    pub(in crate::blocks) fn take(&mut self, reference: Reference, block: &Block, memory: &AxiSignals) {
        let largest = if memory.bursts.is_some() { REFERENCE_BYTES as u8 } else { data_bytes(block, memory) };
        if is_supported(&reference, largest) {
            *self = Self { request: Some(reference), ..Self::default() };
        } else {
            *self = Self { response: Response::FAULT, is_answered: true, ..Self::default() };
        }
    }

    pub(in crate::blocks) fn drive(&self, block: &mut Block, memory: &AxiSignals) {
        let bytes = data_bytes(block, memory);
        let (write, read) = match self.request {
            Some(request) if request.access == Access::Write => (Some(request), None),
            request => (None, request),
        };
        let address = |request: Reference| request.address & !u64::from(bytes - 1);
        let is_pending = !self.is_address_taken;
        present(block, memory.write_address, write.filter(|_| is_pending).map(address));
        present(block, memory.read_address, read.filter(|_| is_pending).map(address));
        let beats = self.request.map_or(1, |request| beats_of(&request, bytes));
        let write = write.filter(|_| self.beats < beats);
        let lane = write.map_or(0, |write| write.address % u64::from(bytes)) as u32;
        let before = u32::from(self.beats) * u32::from(bytes);
        let data = write.map(|write| (write.data >> (8 * before)) as u64 & mask(bytes));
        present(block, memory.write_data, data.map(|data| data << (8 * lane)));
        let enables =
            write.map_or(0, |write| u64::from(write.enables >> before & all_enabled(bytes)) << lane);
        set_if(block, memory.write_strobe, enables);
        block.set(memory.write_response[2], u64::from(self.request.is_some()));
        block.set(memory.read_data[2], u64::from(self.request.is_some()));
        if let Some(bursts) = &memory.bursts {
            for burst in [&bursts.write, &bursts.read] {
                block.set(burst.length, u64::from(beats - 1));
                set_if(block, burst.size, u64::from(bytes.trailing_zeros()));
                set_if(block, burst.kind, INCREMENTING);
            }
            block.set(bursts.write_last, u64::from(write.is_some() && self.beats + 1 == beats));
        }
    }

    pub(in crate::blocks) fn advance(&mut self, block: &Block, memory: &AxiSignals) {
        let Some(request) = self.request else { return };
        let bytes = data_bytes(block, memory);
        let beats = beats_of(&request, bytes);
        if request.access == Access::Write {
            self.is_address_taken |= block.get(memory.write_address[2]) != 0;
            let is_taken = self.beats < beats && block.get(memory.write_data[2]) != 0;
            self.beats += u8::from(is_taken);
            if let Some(result) = accepted(block, memory.write_response, true) {
                self.response.is_fault = result & 2 != 0;
                (self.request, self.is_answered) = (None, true);
            }
            return;
        }
        self.is_address_taken |= block.get(memory.read_address[2]) != 0;
        if let Some(data) = accepted(block, memory.read_data, true) {
            let lane = request.address % u64::from(bytes);
            let place = 8 * u32::from(self.beats) * u32::from(bytes);
            self.response.data |= u128::from(data >> (8 * lane) & mask(request.size.min(bytes))) << place;
            self.response.is_fault |= memory.read_response.is_some_and(|result| block.get(result) & 2 != 0);
            self.beats += 1;
            if self.beats == beats {
                (self.request, self.is_answered) = (None, true);
            }
        }
    }
}

// Beats of a reference on a bus of this width.
fn beats_of(reference: &Reference, bytes: u8) -> u8 {
    reference.size.div_ceil(bytes)
}

// The lowest `bytes` bytes, at most 8.
const fn mask(bytes: u8) -> u64 {
    u64::MAX >> (64 - 8 * bytes as u32)
}
