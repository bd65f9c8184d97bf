//! Actions of the driver: it answers for host memory, posts frames and buffers, and takes back those that the NIC has finished.

use spinach_engine::{Edge, Time};

use super::content_cache::Source;
use super::memory::{Layout, MOST_HEADER_BYTES};
use super::{
    BYTES, CHECKSUMS_LEFT, CHECKSUMS_VOUCHED, COMPLETED, CORRUPTED, DELIVERED, DEPARTURES, DOORBELLS,
    DUPLICATED, KEPT, LAST_DELIVERY_FS, OFFERED, PAUSES, PAYLOAD_BYTES, Phase, READ_BYTES, REORDERED,
    RingHost, SENT_FROM_CONTENT, SERVICES, SKIPPED, WRITTEN_BYTES,
};
use crate::dma::descriptors::{
    BufferDescriptor, HOST_RINGS_READY, STATUS_BLOCK_BYTES, buffer_flags, host_rings,
};
use crate::parts::alarm::Alarm;
use crate::parts::bytes::word_at;
use crate::traffic::checker::Verdict;
use crate::values::BlockResponse;
use spinach_net::internet_checksum::{Segment, headers_bytes};

// True if the checksum flags of a return descriptor match the frame.
fn has_valid_checksum_flags(flags: u16, frame: &[u8]) -> bool {
    let is_right = Segment::of(frame).map(|segment| segment.is_right(frame));
    match flags & (buffer_flags::CHECKSUM_RIGHT | buffer_flags::CHECKSUM_WRONG) {
        0 => true,
        buffer_flags::CHECKSUM_RIGHT => is_right == Some(true),
        buffer_flags::CHECKSUM_WRONG => is_right == Some(false),
        _ => false,
    }
}

impl RingHost {
    // Host memory: answers the NIC. Returns whether the driver is notified by that.
    pub(super) fn serve_memory(&mut self, edge: &mut Edge<'_>) -> bool {
        if edge.signals.is_sent(self.ports.memory_response) {
            self.state.responses.pop_front();
        }
        let Some(block) = edge.signals.received(self.ports.memory_request) else { return false };
        let memory = &mut self.state.memory;
        let Some(payload) = block.write else {
            let read = memory.get(block.address, block.length as usize);
            let read = read.map(|bytes| edge.payloads().insert(bytes));
            edge.count(READ_BYTES, u64::from(block.length));
            self.state.responses.push_back(BlockResponse { read, is_fault: read.is_none() });
            return false;
        };
        let bytes = edge.payloads().remove(payload).unwrap_or_default();
        let is_fault = block.address < self.layout.writable || !memory.set(block.address, &bytes);
        if let Some(place) = self.misplaced(block.address, bytes.len() as u64).filter(|_| !is_fault) {
            edge.stop(format!(
                "the NIC wrote {} bytes at {:#x} in host memory, {place}",
                bytes.len(),
                block.address
            ));
        }
        edge.count(WRITTEN_BYTES, u64::from(block.length));
        self.state.responses.push_back(BlockResponse { read: None, is_fault });
        let status = self.layout.status..self.layout.status + STATUS_BLOCK_BYTES as u64;
        self.watches_memory && block.address < status.end && block.address + bytes.len() as u64 > status.start
    }

    // The place of bytes that the NIC may not write, among those behind the beginning of writable memory.
    fn misplaced(&self, address: u64, length: u64) -> Option<String> {
        let Layout { return_ring, status, receive_buffers, .. } = &self.layout;
        let end = address.saturating_add(length);
        let status_end = *status + STATUS_BLOCK_BYTES as u64;
        if end <= return_ring.end() || (*status <= address && end <= status_end) {
            return None;
        }
        let Some(number) = receive_buffers.number(address) else {
            return Some("beyond the return ring and the status block".to_owned());
        };
        let begin = self.receive_address(number);
        let bytes = self.receive_buffer;
        match self.state.is_held.get(number as usize) {
            Some(true) if begin <= address && end <= begin + bytes => None,
            Some(false) => Some(format!("into receive buffer {number}, which it does not hold")),
            _ => Some(format!("beyond receive buffer {number}, which has {bytes} bytes at {begin:#x}")),
        }
    }

    // Lets the driver act at `due`, or when its pause is over.
    pub(super) fn schedule(&mut self, due: Time, edge: &Edge<'_>) {
        let mut due = due;
        for (start, end) in &self.pauses {
            if (*start..*end).contains(&due) {
                due = *end;
            }
        }
        if self.state.alarm.is_none_or(|alarm| alarm.due() > due) {
            self.state.alarm = Some(Alarm::set(due, edge));
        }
    }

    pub(super) fn is_service_due(&mut self, edge: &Edge<'_>) -> bool {
        let is_due = self.state.alarm.as_mut().is_some_and(|alarm| alarm.rings(edge));
        if is_due {
            self.state.alarm = None;
        }
        is_due
    }

    pub(super) fn service(&mut self, edge: &mut Edge<'_>) {
        edge.count(SERVICES, 1);
        let status = self.state.memory.get(self.layout.status, STATUS_BLOCK_BYTES).unwrap_or_default();
        let (send_consumer, return_producer) = (word_at(status, 0), word_at(status, 4));
        self.take_back_sent(send_consumer, edge);
        self.take_received(return_producer, edge);
        self.post_frames(edge);
    }

    fn take_back_sent(&mut self, consumer: u32, edge: &mut Edge<'_>) {
        let state = &mut self.state;
        let outstanding = (state.frames_posted - state.frames_completed) as u32;
        let oldest = state.send.producer.wrapping_sub(outstanding * self.descriptors_per_frame);
        let completed = consumer.wrapping_sub(oldest) / self.descriptors_per_frame;
        let announced = state.send.announced.wrapping_sub(oldest);
        if consumer.wrapping_sub(oldest) > announced {
            edge.stop(format!(
                "the NIC says that it is done with send descriptor {consumer}, but knows only those before {}",
                state.send.announced
            ));
            return;
        }
        state.frames_completed += u64::from(completed);
        edge.count(COMPLETED, u64::from(completed));
    }

    fn take_received(&mut self, producer: u32, edge: &mut Edge<'_>) {
        while self.state.returned != producer {
            let slot = self.layout.return_ring.slot(self.state.returned);
            let bytes = self.state.memory.get(slot, BufferDescriptor::BYTES).unwrap_or_default();
            let descriptor = BufferDescriptor::from_bytes(bytes);
            let number = descriptor.opaque as usize;
            let length = usize::from(descriptor.length);
            if self.state.is_held.get(number) != Some(&true) || length as u64 > self.receive_buffer {
                edge.stop(format!(
                    "return descriptor {} names buffer {number} with {length} bytes, which the NIC does not hold",
                    self.state.returned
                ));
                return;
            }
            let address = self.receive_address(descriptor.opaque);
            let frame = self.state.memory.get(address, length).unwrap_or_default();
            if self.checksums && !has_valid_checksum_flags(descriptor.flags, frame) {
                edge.stop(format!(
                    "return descriptor {} is wrong about the checksum of its frame",
                    self.state.returned
                ));
            }
            let vouched = buffer_flags::CHECKSUM_RIGHT | buffer_flags::CHECKSUM_WRONG;
            edge.count(CHECKSUMS_VOUCHED, u64::from(descriptor.flags & vouched != 0));
            match self.state.checker.check(&self.receive_plan, frame, edge.time(), &mut self.scratch) {
                Verdict::Delivered { payload_bytes, skipped, is_reordered } => {
                    edge.count(DELIVERED, 1);
                    edge.count(LAST_DELIVERY_FS, self.state.checker.deliver(edge.time()));
                    edge.count(REORDERED, u64::from(is_reordered));
                    edge.count(SKIPPED, skipped);
                    edge.count(BYTES, length as u64);
                    edge.count(PAYLOAD_BYTES, payload_bytes);
                    self.outbox.put(edge.time(), frame);
                    self.receive_plan.forget_before(self.state.checker.oldest());
                }
                Verdict::Pause => edge.count(PAUSES, 1),
                Verdict::Corrupted => edge.count(CORRUPTED, 1),
                Verdict::Duplicated => edge.count(DUPLICATED, 1),
            }
            if self.ports.received.is_connected {
                self.state.copies.push_back(edge.payloads().insert(frame));
            }
            self.state.is_held[number] = false;
            self.state.returned = self.state.returned.wrapping_add(1);
            self.post_buffer(descriptor.opaque);
        }
    }

    fn receive_address(&self, number: u32) -> u64 {
        self.layout.receive_buffers.buffer(number) + self.receive_offset
    }

    fn post_buffer(&mut self, number: u32) {
        let descriptor = BufferDescriptor {
            address: self.receive_address(number),
            flags: 0,
            length: self.receive_buffer as u16,
            opaque: number,
        };
        let state = &mut self.state;
        state.memory.set(self.layout.receive_ring.slot(state.receive.producer), &descriptor.to_bytes());
        state.is_held[number as usize] = true;
        state.receive.producer = state.receive.producer.wrapping_add(1);
    }

    // Posts frames as long as there is room and they are due.
    fn post_frames(&mut self, edge: &mut Edge<'_>) {
        self.pace.adopt(&mut self.state.paced, edge.time());
        loop {
            let state = &self.state;
            let posted = state.frames_posted;
            if posted >= state.paced.count(self.send_plan.count())
                || posted - state.frames_completed >= u64::from(self.send_slots)
            {
                return;
            }
            let due = self.pace.due(&state.paced);
            if due > edge.time() {
                self.schedule(due, edge);
                return;
            }
            self.post_frame(posted, edge);
        }
    }

    fn post_frame(&mut self, index: u64, edge: &mut Edge<'_>) {
        let mut frame = std::mem::take(&mut self.scratch);
        self.send_plan.build(index, &mut frame);
        self.send_plan.forget_before(index);
        let slot = (index % u64::from(self.send_slots)) as u32;
        let (flags, opaque) = self.leave_checksum(&mut frame, edge).unwrap_or((0, index as u32));
        let (header_bytes, source) = self.payload_source(&frame, index);
        let (header, payload) = frame.split_at(header_bytes);
        let header_address = self.layout.headers.buffer(slot) + self.header_offset;
        let payload_address = self.layout.payloads.buffer(slot) + self.payload_offset;
        if header.is_empty() {
            self.post_part(payload_address, payload, flags | buffer_flags::END, opaque);
        } else {
            self.post_part(header_address, header, flags, opaque);
            self.post_payload(payload_address, payload, opaque, source, edge);
        }
        let state = &mut self.state;
        state.frames_posted += 1;
        self.pace.add(&mut state.paced, frame.len(), edge.time());
        if self.ports.departures.is_connected && state.departures.len() < DEPARTURES {
            state.departures.push_back((index, edge.time()));
        }
        edge.count(OFFERED, 1);
        self.scratch = frame;
    }

    // Removes the checksum from a frame to send, if the NIC is to insert it and it is right: that of a captured frame may be wrong.
    // Returns the flags of the first descriptor.
    fn leave_checksum(&self, frame: &mut [u8], edge: &mut Edge<'_>) -> Option<(u16, u32)> {
        // The NIC sums up the rest of the frame, so the padding must be zero.
        let is_zero = |segment: &Segment| frame[segment.end..].iter().all(|byte| *byte == 0);
        let is_left = |segment: &Segment| self.checksums && segment.is_right(frame) && is_zero(segment);
        let Segment { start, field, pseudo_header, .. } = Segment::of(frame).filter(is_left)?;
        frame[field..field + 2].copy_from_slice(&pseudo_header.to_be_bytes());
        edge.count(CHECKSUMS_LEFT, 1);
        Some((buffer_flags::INSERT_CHECKSUM, (start << 8 | field) as u32))
    }

    // Length of the first buffer of a frame, and the source of the rest. Content lies behind the headers of TCP or UDP.
    fn payload_source(&mut self, frame: &[u8], index: u64) -> (usize, Source) {
        let headers = self.keeps_content.then(|| headers_bytes(frame)).flatten();
        match headers.filter(|bytes| (1..=MOST_HEADER_BYTES).contains(bytes) && *bytes < frame.len()) {
            Some(bytes) => {
                let completed = self.state.frames_completed;
                (bytes, self.state.content.place(&frame[bytes..], index, completed))
            }
            None => (self.header_bytes.min(frame.len()), Source::Host),
        }
    }

    fn post_payload(&mut self, address: u64, bytes: &[u8], opaque: u32, source: Source, edge: &mut Edge<'_>) {
        match source {
            Source::Host => self.post_part(address, bytes, buffer_flags::END, opaque),
            Source::Keep(offset) => {
                self.post_part(address, bytes, buffer_flags::END | buffer_flags::KEEP_CONTENT, offset);
                edge.count(KEPT, 1);
            }
            Source::Kept(offset) => {
                let flags = buffer_flags::END | buffer_flags::SEND_CONTENT;
                self.post_descriptor(BufferDescriptor {
                    address: 0,
                    flags,
                    length: bytes.len() as u16,
                    opaque: offset,
                });
                edge.count(SENT_FROM_CONTENT, 1);
            }
        }
    }

    fn post_part(&mut self, address: u64, bytes: &[u8], flags: u16, opaque: u32) {
        self.state.memory.set(address, bytes);
        self.post_descriptor(BufferDescriptor { address, flags, length: bytes.len() as u16, opaque });
    }

    fn post_descriptor(&mut self, descriptor: BufferDescriptor) {
        let state = &mut self.state;
        state.memory.set(self.layout.send_ring.slot(state.send.producer), &descriptor.to_bytes());
        state.send.producer = state.send.producer.wrapping_add(1);
    }

    pub(super) fn see_doorbell(&mut self, edge: &mut Edge<'_>) {
        let finished =
            self.state.doorbell.commit(self.ports.doorbell_request, self.ports.doorbell_response, edge);
        if let Some(finished) = finished {
            self.state.is_ringing = false;
            if finished.is_fault {
                edge.stop(format!("the NIC does not answer at {:#x}", finished.address));
            }
        }
    }

    // Starts the next write into the NIC, if the last is over: the configuration block, then an outdated mailbox.
    pub(super) fn ring(&mut self, edge: &mut Edge<'_>) {
        let state = &mut self.state;
        if state.is_ringing {
            return;
        }
        let (address, bytes) = match state.phase {
            Phase::Off => {
                state.phase = Phase::Indexing;
                let address = self.configuration_address + u64::from(host_rings::FIRST_INDEX);
                (address, self.first_index.to_be_bytes().to_vec())
            }
            // Mailboxes begin at 0. The NIC must not take another first index for news.
            Phase::Indexing if self.first_index != 0 => {
                state.phase = Phase::SettingSendMailbox;
                (self.send_mailbox, self.first_index.to_be_bytes().to_vec())
            }
            Phase::SettingSendMailbox => {
                state.phase = Phase::SettingReceiveMailbox;
                (self.receive_mailbox, self.first_index.to_be_bytes().to_vec())
            }
            Phase::Indexing | Phase::SettingReceiveMailbox => {
                state.phase = Phase::Configuring;
                (self.configuration_address, self.layout.configuration())
            }
            Phase::Configuring => {
                state.phase = Phase::Announcing;
                let address = self.configuration_address + u64::from(host_rings::READY);
                (address, HOST_RINGS_READY.to_be_bytes().to_vec())
            }
            Phase::Announcing => {
                state.phase = Phase::Running;
                let [sent, returned] = [self.first_index.to_be_bytes(); 2];
                state.memory.set(self.layout.status, &[sent, returned].concat());
                for number in 0..self.layout.receive_ring.entries {
                    self.post_buffer(number);
                }
                self.schedule(edge.time(), edge);
                return;
            }
            Phase::Running if state.again.2 > 0 => {
                state.again.2 -= 1;
                edge.count(DOORBELLS, 1);
                (state.again.0, state.again.1.to_be_bytes().to_vec())
            }
            Phase::Running => {
                // The receive mailbox first: the NIC can lose frames for lack of buffers, but never for lack of frames to send.
                let (mailbox, address, step) = if state.receive.is_behind() {
                    (&mut state.receive, self.receive_mailbox, self.receive_step)
                } else if state.send.is_behind() {
                    (&mut state.send, self.send_mailbox, self.send_step)
                } else {
                    return;
                };
                edge.count(DOORBELLS, 1);
                let word = mailbox.announce(step);
                state.again = (address, word, self.mailbox_storm);
                (address, word.to_be_bytes().to_vec())
            }
        };
        self.state.doorbell.write(0, address, bytes);
        self.state.is_ringing = true;
    }
}
