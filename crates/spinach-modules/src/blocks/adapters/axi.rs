//! Ports with the five channels of AXI4-Lite, and the memory protocol of the library.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_plugin::{AxiSignals, Block};

use super::{OUTSTANDING, is_supported};

use crate::values::{Access, Reference, Response, all_enabled};

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

// What the block presents on a channel that is accepted in this cycle.
fn accepted(block: &Block, [value, valid, _]: [usize; 3], is_ready: bool) -> Option<u64> {
    (is_ready && block.get(valid) != 0).then(|| block.get(value))
}

/// Requests of a block, and the responses to them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(in crate::blocks) struct AxiInitiator {
    write_address: Option<u64>,
    // The data and the enabled bytes.
    write_data: Option<(u64, u16)>,
    read_address: Option<u64>,
    request: Option<Reference>,
    // For each request without a response, true if it is a write.
    outstanding: VecDeque<bool>,
    // Results for the block: those of writes, and those of reads with their data.
    written: VecDeque<u64>,
    read: VecDeque<(u64, u64)>,
}

impl AxiInitiator {
    pub(in crate::blocks) fn request(&self) -> Option<Reference> {
        self.request
    }

    pub(in crate::blocks) fn sent(&mut self) {
        if let Some(request) = self.request.take() {
            self.outstanding.push_back(request.access == Access::Write);
        }
    }

    pub(in crate::blocks) fn received(&mut self, response: Response) {
        let result = result_of(response.is_fault);
        match self.outstanding.pop_front() {
            Some(true) => self.written.push_back(result),
            Some(false) => self.read.push_back((response.data as u64, result)),
            None => {}
        }
    }

    pub(in crate::blocks) fn is_empty(&self) -> bool {
        let waits = self.write_address.is_some() || self.write_data.is_some() || self.read_address.is_some();
        !waits
            && self.request.is_none()
            && self.outstanding.is_empty()
            && self.written.is_empty()
            && self.read.is_empty()
    }

    pub(in crate::blocks) fn drive(&self, block: &mut Block, memory: &AxiSignals) {
        block.set(memory.write_address[2], u64::from(self.write_address.is_none()));
        block.set(memory.write_data[2], u64::from(self.write_data.is_none()));
        block.set(memory.read_address[2], u64::from(self.read_address.is_none()));
        present(block, memory.write_response, self.written.front().copied());
        present(block, memory.read_data, self.read.front().map(|(data, _)| *data));
        if let Some(result) = memory.read_response {
            block.set(result, self.read.front().map_or(OKAY, |(_, result)| *result));
        }
    }

    pub(in crate::blocks) fn advance(&mut self, block: &Block, memory: &AxiSignals) {
        if block.get(memory.write_response[2]) != 0 {
            self.written.pop_front();
        }
        if block.get(memory.read_data[2]) != 0 {
            self.read.pop_front();
        }
        let bytes = data_bytes(block, memory);
        let address = accepted(block, memory.write_address, self.write_address.is_none());
        self.write_address = self.write_address.or(address);
        let strobe = memory.write_strobe.map_or(all_enabled(bytes), |strobe| block.get(strobe) as u16);
        let data = accepted(block, memory.write_data, self.write_data.is_none());
        self.write_data = self.write_data.or(data.map(|data| (data, strobe)));
        let address = accepted(block, memory.read_address, self.read_address.is_none());
        self.read_address = self.read_address.or(address);
        if self.request.is_none() && self.outstanding.len() < OUTSTANDING {
            self.issue(bytes);
        }
    }

    // Begins a request; reads and writes take turns.
    fn issue(&mut self, bytes: u8) {
        let aligned = |address: u64| address & !u64::from(bytes - 1);
        let is_write_next = self.outstanding.back() != Some(&true) || self.read_address.is_none();
        if let (Some(address), Some((data, enables)), true) =
            (self.write_address, self.write_data, is_write_next)
        {
            let write = Reference::write(aligned(address), bytes, data.into());
            self.request = Some(Reference { enables, ..write });
            (self.write_address, self.write_data) = (None, None);
        } else if let Some(address) = self.read_address.take() {
            self.request = Some(Reference::read(aligned(address), bytes));
        }
    }
}

/// Requests to a block, one at a time, and its responses.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(in crate::blocks) struct AxiTarget {
    request: Option<Reference>,
    // The channels that have accepted their part of the request: address, then data of a write.
    is_address_taken: bool,
    is_data_taken: bool,
    response: Option<Response>,
}

impl AxiTarget {
    pub(in crate::blocks) fn has_room(&self) -> bool {
        self.request.is_none() && self.response.is_none()
    }

    pub(in crate::blocks) fn is_empty(&self) -> bool {
        self.has_room()
    }

    pub(in crate::blocks) fn response(&self) -> Option<Response> {
        self.response
    }

    pub(in crate::blocks) fn pop(&mut self) {
        self.response = None;
    }

    /// Takes a reference; one that AXI4-Lite cannot express is answered with a fault.
    pub(in crate::blocks) fn take(&mut self, reference: Reference, block: &Block, memory: &AxiSignals) {
        if is_supported(&reference, data_bytes(block, memory)) {
            self.request = Some(reference);
            (self.is_address_taken, self.is_data_taken) = (false, false);
        } else {
            self.response = Some(Response::FAULT);
        }
    }

    pub(in crate::blocks) fn drive(&self, block: &mut Block, memory: &AxiSignals) {
        let bytes = u64::from(data_bytes(block, memory));
        let (write, read) = match self.request {
            Some(request) if request.access == Access::Write => (Some(request), None),
            request => (None, request),
        };
        let address = |request: Reference| request.address & !(bytes - 1);
        let is_pending = !self.is_address_taken;
        present(block, memory.write_address, write.filter(|_| is_pending).map(address));
        present(block, memory.read_address, read.filter(|_| is_pending).map(address));
        let write = write.filter(|_| !self.is_data_taken);
        let shift = write.map_or(0, |write| write.address % bytes);
        present(block, memory.write_data, write.map(|write| (write.data as u64) << (8 * shift)));
        if let Some(strobe) = memory.write_strobe {
            block.set(strobe, write.map_or(0, |write| u64::from(write.enables) << shift));
        }
        block.set(memory.write_response[2], u64::from(self.request.is_some()));
        block.set(memory.read_data[2], u64::from(self.request.is_some()));
    }

    pub(in crate::blocks) fn advance(&mut self, block: &Block, memory: &AxiSignals) {
        let Some(request) = self.request else { return };
        let bytes = u64::from(data_bytes(block, memory));
        if request.access == Access::Write {
            self.is_address_taken |= block.get(memory.write_address[2]) != 0;
            self.is_data_taken |= block.get(memory.write_data[2]) != 0;
            if let Some(result) = accepted(block, memory.write_response, true) {
                self.answer(Response { data: 0, is_fault: result & 2 != 0 });
            }
            return;
        }
        self.is_address_taken |= block.get(memory.read_address[2]) != 0;
        if let Some(data) = accepted(block, memory.read_data, true) {
            let is_fault = memory.read_response.is_some_and(|result| block.get(result) & 2 != 0);
            let data = u128::from(data) >> (8 * (request.address % bytes));
            let mask = (1_u128 << (8 * u32::from(request.size))) - 1;
            self.answer(Response { data: data & mask, is_fault });
        }
    }

    fn answer(&mut self, response: Response) {
        (self.request, self.response) = (None, Some(response));
    }
}
