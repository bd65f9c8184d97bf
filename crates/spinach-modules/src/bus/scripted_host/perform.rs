//! Actions of the host in a cycle: it answers for its memory, and continues the script.

use spinach_engine::{Edge, Time};

use super::script::{DAMAGED, FRAME_DUE, INTERRUPT, OVERSIZE, Operation, RUNT, Space};
use super::{
    Access, BYTES, CORRUPTED, DELIVERED, DEPARTURES, DROPPED_DAMAGED, DROPPED_OVERSIZE, DROPPED_RUNT,
    DUPLICATED, INTERRUPTS, LAST_DELIVERY_FS, MEMORY_FAULTS, OFFERED, PAUSES, PAYLOAD_BYTES, READ_BYTES,
    REGISTER_FAULTS, REGISTER_READS, REGISTER_WRITES, REORDERED, SCRIPTS, SKIPPED, ScriptedHost,
    WRITTEN_BYTES,
};
use crate::parts::alarm::Alarm;
use crate::traffic::checker::Verdict;
use crate::values::{BlockResponse, Reference};

impl ScriptedHost {
    pub(super) fn serve_memory(&mut self, edge: &mut Edge<'_>) {
        if edge.signals.is_sent(self.ports.memory_response) {
            self.state.responses.pop_front();
        }
        let Some(block) = edge.signals.received(self.ports.memory_request) else { return };
        let memory = &mut self.state.memory;
        let response = if let Some(payload) = block.write {
            let bytes = edge.payloads().remove(payload).unwrap_or_default();
            let is_fault = !memory.set(block.address, &bytes);
            if let Some(place) =
                self.writable.misplaced(block.address, bytes.len() as u64).filter(|_| !is_fault)
            {
                let (length, address) = (bytes.len(), block.address);
                edge.stop(format!("the NIC wrote {length} bytes at {address:#x} in host memory, {place}"));
            }
            if block.address.wrapping_sub(self.base) < self.message_area {
                self.state.has_message = true;
                edge.count(INTERRUPTS, 1);
            }
            BlockResponse { read: None, is_fault }
        } else {
            let read = memory.get(block.address, block.length as usize);
            let read = read.map(|bytes| edge.payloads().insert(bytes));
            BlockResponse { read, is_fault: read.is_none() }
        };
        if response.is_fault {
            edge.count(MEMORY_FAULTS, 1);
        } else {
            let counter = if block.write.is_some() { WRITTEN_BYTES } else { READ_BYTES };
            edge.count(counter, u64::from(block.length));
        }
        self.state.responses.push_back(response);
    }

    // Processes the outcome of the access under way.
    pub(super) fn see_access(&mut self, edge: &mut Edge<'_>) {
        let Some(access) = &mut self.state.access else { return };
        let (request, response) = if access.is_configuration {
            (self.ports.configuration_request.port, self.ports.configuration_response.port)
        } else {
            (self.ports.access_request, self.ports.access_response)
        };
        if edge.signals.is_sent(request) {
            access.request = None;
        }
        if let Some(response) = edge.signals.received(response) {
            edge.count(REGISTER_FAULTS, u64::from(response.is_fault));
            access.answer = Some(if response.is_fault { u64::MAX } else { response.data as u64 });
        }
    }

    // Continues the script as far as possible in this cycle.
    pub(super) fn perform(&mut self, edge: &mut Edge<'_>) {
        if self.state.alarm.as_mut().is_some_and(|alarm| alarm.rings(edge)) {
            self.state.alarm = None;
        }
        loop {
            let operation = match self.state.script.current() {
                Ok(Some(operation)) => operation,
                Ok(None) => return,
                Err(reason) => {
                    edge.stop(reason);
                    return;
                }
            };
            let result = match operation {
                Operation::Read { space, address, size } => self.access(space, address, size, None, edge),
                Operation::Write { space, address, value, size } => {
                    self.access(space, address, size, Some(value), edge)
                }
                Operation::Wait { until, for_interrupt, for_frame } => {
                    self.wait(until, for_interrupt, for_frame, edge)
                }
                Operation::Send { header, payload, header_bytes } => {
                    self.send(header, payload, header_bytes, edge)
                }
                Operation::Take { address, length } => self.take(address, length, edge),
                Operation::Drop { reason } => drop_frame(reason, edge),
            };
            let Some(result) = result else { return };
            if self.state.script.finish(result) {
                edge.count(SCRIPTS, 1);
                return;
            }
        }
    }

    // Begins an access to the NIC, or ends it; returns its result once it is over.
    fn access(
        &mut self,
        space: Space,
        address: u64,
        size: u64,
        written: Option<u64>,
        edge: &mut Edge<'_>,
    ) -> Option<u64> {
        let least = if written.is_some() { self.write_time } else { self.read_time };
        let Some(access) = self.state.access else {
            if ![1, 2, 4].contains(&size) || !address.is_multiple_of(size) {
                edge.stop(format!("an access of {size} bytes at {address:#x} is impossible"));
                return None;
            }
            edge.count(if written.is_some() { REGISTER_WRITES } else { REGISTER_READS }, 1);
            let request = match written {
                Some(value) => Reference::write(address, size as u8, u128::from(value)),
                None => Reference::read(address, size as u8),
            };
            let is_configuration = space == Space::Configuration;
            self.state.access =
                Some(Access { is_configuration, request: Some(request), began: edge.time(), answer: None });
            return None;
        };
        let answer = access.answer?;
        let over = access.began.saturating_add(least);
        if over > edge.time() {
            self.state.alarm = Some(Alarm::set(over, edge));
            return None;
        }
        self.state.access = None;
        let mask = u64::MAX >> (64 - 8 * size);
        Some(if written.is_some() { 0 } else { answer & mask })
    }

    fn wait(
        &mut self,
        until: Time,
        for_interrupt: bool,
        for_frame: bool,
        edge: &mut Edge<'_>,
    ) -> Option<u64> {
        let has_frame = for_frame && self.state.frames_sent < self.state.paced.count(self.send_plan.count());
        self.pace.adopt(&mut self.state.paced, edge.time());
        let due = self.pace.due(&self.state.paced);
        let is_interrupting = self.state.is_interrupting || self.state.has_message;
        let reasons = if for_interrupt && is_interrupting { INTERRUPT } else { 0 }
            | if has_frame && due <= edge.time() { FRAME_DUE } else { 0 };
        if reasons != 0 || until <= edge.time() {
            self.state.alarm = None;
            if reasons & INTERRUPT != 0 {
                self.state.has_message = false;
                self.state.is_interrupting &= !self.takes_messages;
            }
            return Some(reasons);
        }
        let next = if has_frame { until.min(due) } else { until };
        if next < Time::MAX && self.state.alarm.is_none_or(|alarm| alarm.due() != next) {
            self.state.alarm = Some(Alarm::set(next, edge));
        }
        None
    }

    fn send(&mut self, header: u64, payload: u64, header_bytes: u64, edge: &mut Edge<'_>) -> Option<u64> {
        let index = self.state.frames_sent;
        self.pace.adopt(&mut self.state.paced, edge.time());
        if index >= self.state.paced.count(self.send_plan.count())
            || self.pace.due(&self.state.paced) > edge.time()
        {
            return Some(0);
        }
        let mut frame = std::mem::take(&mut self.scratch);
        self.send_plan.build(index, &mut frame);
        self.send_plan.forget_before(index);
        let length = frame.len();
        let (beginning, rest) = frame.split_at((header_bytes as usize).min(length));
        let state = &mut self.state;
        let is_inside = state.memory.set(header, beginning) && state.memory.set(payload, rest);
        self.scratch = frame;
        if !is_inside {
            edge.stop(format!("no memory for a frame at {header:#x} and {payload:#x}"));
            return None;
        }
        let state = &mut self.state;
        state.frames_sent += 1;
        self.pace.add(&mut state.paced, length, edge.time());
        if self.ports.departures.is_connected && state.departures.len() < DEPARTURES {
            state.departures.push_back((index, edge.time()));
        }
        edge.count(OFFERED, 1);
        Some(length as u64)
    }

    fn take(&mut self, address: u64, length: u64, edge: &mut Edge<'_>) -> Option<u64> {
        let Some(frame) = self.state.memory.get(address, length as usize) else {
            edge.stop(format!("{length} bytes at {address:#x} are not in its memory"));
            return None;
        };
        let verdict = self.state.checker.check(&self.receive_plan, frame, edge.time(), &mut self.scratch);
        if self.ports.received.is_connected {
            self.state.copies.push_back(edge.payloads().insert(frame));
        }
        Some(match verdict {
            Verdict::Delivered { payload_bytes, skipped, is_reordered } => {
                edge.count(DELIVERED, 1);
                edge.count(LAST_DELIVERY_FS, self.state.checker.deliver(edge.time()));
                edge.count(REORDERED, u64::from(is_reordered));
                edge.count(SKIPPED, skipped);
                edge.count(BYTES, length);
                edge.count(PAYLOAD_BYTES, payload_bytes);
                self.outbox.put(edge.time(), frame);
                self.receive_plan.forget_before(self.state.checker.oldest());
                if is_reordered { 2 } else { 0 }
            }
            Verdict::Pause => {
                edge.count(PAUSES, 1);
                4
            }
            Verdict::Corrupted => {
                edge.count(CORRUPTED, 1);
                1
            }
            Verdict::Duplicated => {
                edge.count(DUPLICATED, 1);
                3
            }
        })
    }
}

fn drop_frame(reason: u64, edge: &mut Edge<'_>) -> Option<u64> {
    let counter = match reason {
        DAMAGED => DROPPED_DAMAGED,
        RUNT => DROPPED_RUNT,
        OVERSIZE => DROPPED_OVERSIZE,
        _ => {
            edge.stop(format!("there is no reason {reason} to drop a frame"));
            return None;
        }
    };
    edge.count(counter, 1);
    Some(0)
}
