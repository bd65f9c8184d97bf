//! Ports with one channel for requests and one for responses, Wishbone and OBI, and the memory protocol of the library.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_plugin::{Block, RequestSignals};

use super::{OUTSTANDING, is_supported, set_if};
use crate::values::{Access, Reference, Response, all_enabled};

fn data_bytes(block: &Block, signals: &RequestSignals) -> u8 {
    (block.description().signals[signals.read_data].width / 8) as u8
}

// A request without a signal that accepts it is held until its response.
fn is_held(signals: &RequestSignals) -> bool {
    signals.grant.is_none() && signals.stall.is_none()
}

fn is_set(block: &Block, signal: Option<usize>) -> bool {
    signal.is_some_and(|signal| block.get(signal) != 0)
}

// Request of the block in this cycle.
fn presented(block: &Block, signals: &RequestSignals) -> Option<Reference> {
    let is_cycle = signals.cycle.is_none_or(|cycle| block.get(cycle) != 0);
    if block.get(signals.valid) == 0 || !is_cycle {
        return None;
    }
    let bytes = data_bytes(block, signals);
    let address = block.get(signals.address).wrapping_mul(signals.address_unit) & !u64::from(bytes - 1);
    if !is_set(block, signals.write) {
        return Some(Reference::read(address, bytes));
    }
    let data = signals.write_data.map_or(0, |data| block.get(data));
    let enables = signals.select.map_or(all_enabled(bytes), |select| block.get(select) as u16);
    Some(Reference { enables, ..Reference::write(address, bytes, data.into()) })
}

/// Requests of a block, and the responses to them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(in crate::blocks) struct RequestInitiator {
    request: Option<Reference>,
    outstanding: usize,
    // For the block, in the order of its requests.
    responses: VecDeque<Response>,
    // Request that the block has to present until its response.
    held: Option<Reference>,
}

impl RequestInitiator {
    pub(in crate::blocks) fn request(&self) -> Option<Reference> {
        self.request
    }

    pub(in crate::blocks) fn sent(&mut self) {
        self.request = None;
        self.outstanding += 1;
    }

    pub(in crate::blocks) fn received(&mut self, response: Response) {
        self.outstanding -= 1;
        self.responses.push_back(response);
    }

    pub(in crate::blocks) fn is_empty(&self) -> bool {
        self.request.is_none() && self.outstanding == 0 && self.responses.is_empty()
    }

    fn has_room(&self, signals: &RequestSignals) -> bool {
        let limit = if is_held(signals) { 1 } else { OUTSTANDING };
        self.request.is_none() && self.outstanding + self.responses.len() < limit
    }

    pub(in crate::blocks) fn drive(&self, block: &mut Block, signals: &RequestSignals) {
        let has_room = self.has_room(signals);
        set_if(block, signals.grant, u64::from(has_room));
        set_if(block, signals.stall, u64::from(!has_room));
        let response = self.responses.front();
        let is_fault = response.is_some_and(|response| response.is_fault);
        let is_answered = response.is_some() && !(is_fault && signals.error_replaces_response);
        block.set(signals.response, u64::from(is_answered));
        set_if(block, signals.error, u64::from(is_fault));
        block.set(signals.read_data, response.map_or(0, |response| response.data as u64));
    }

    /// Takes the outputs of the block, and its response.
    ///
    /// # Errors
    /// If the block does not wait for its response.
    pub(in crate::blocks) fn advance(
        &mut self,
        block: &Block,
        signals: &RequestSignals,
    ) -> Result<(), String> {
        let has_room = self.has_room(signals);
        let presented = presented(block, signals);
        if !self.is_empty() && signals.cycle.is_some_and(|cycle| block.get(cycle) == 0) {
            return Err("ends its cycle before the response".to_owned());
        }
        if is_held(signals) && self.held.is_some() && presented != self.held {
            return Err("withdraws or changes a request before the response".to_owned());
        }
        if self.responses.pop_front().is_some() {
            self.held = None;
        }
        if has_room && presented.is_some() {
            self.request = presented;
            self.held = presented.filter(|_| is_held(signals));
        }
        Ok(())
    }
}

/// Requests to a block, one at a time, and its responses.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(in crate::blocks) struct RequestTarget {
    request: Option<Reference>,
    is_taken: bool,
    response: Option<Response>,
}

impl RequestTarget {
    pub(in crate::blocks) fn is_empty(&self) -> bool {
        self.request.is_none() && self.response.is_none()
    }

    pub(in crate::blocks) fn response(&self) -> Option<Response> {
        self.response
    }

    pub(in crate::blocks) fn pop(&mut self) {
        self.response = None;
    }

    pub(in crate::blocks) fn take(&mut self, reference: Reference, block: &Block, signals: &RequestSignals) {
        let is_possible = reference.access == Access::Read || signals.write.is_some();
        if is_possible && is_supported(&reference, data_bytes(block, signals)) {
            (self.request, self.is_taken) = (Some(reference), false);
        } else {
            self.response = Some(Response::FAULT);
        }
    }

    pub(in crate::blocks) fn drive(&self, block: &mut Block, signals: &RequestSignals) {
        set_if(block, signals.cycle, u64::from(self.request.is_some()));
        let request = self.request.filter(|_| !self.is_taken);
        block.set(signals.valid, u64::from(request.is_some()));
        let request = request.unwrap_or_default();
        let bytes = u64::from(data_bytes(block, signals));
        let (aligned, shift) = (request.address & !(bytes - 1), request.address % bytes);
        block.set(signals.address, aligned / signals.address_unit);
        set_if(block, signals.write, u64::from(request.access == Access::Write));
        set_if(block, signals.write_data, (request.data as u64) << (8 * shift));
        set_if(block, signals.select, u64::from(request.enables) << shift);
    }

    pub(in crate::blocks) fn advance(&mut self, block: &Block, signals: &RequestSignals) {
        let Some(request) = self.request else { return };
        self.is_taken |=
            is_set(block, signals.grant) || signals.stall.is_some() && !is_set(block, signals.stall);
        let is_failed = is_set(block, signals.error);
        let is_answered = block.get(signals.response) != 0 || is_failed && signals.error_replaces_response;
        if !is_answered || !(self.is_taken || is_held(signals)) {
            return;
        }
        let mut data = 0;
        if request.access == Access::Read {
            let shift = 8 * (request.address % u64::from(data_bytes(block, signals)));
            let mask = (1_u128 << (8 * u32::from(request.size))) - 1;
            data = u128::from(block.get(signals.read_data)) >> shift & mask;
        }
        (self.request, self.response) = (None, Some(Response { data, is_fault: is_failed }));
    }
}
