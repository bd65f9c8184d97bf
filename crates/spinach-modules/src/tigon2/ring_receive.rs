//! `ring_receive`: the receiving side of a MAC with a descriptor ring and a circular buffer.

mod filter;
mod kept;

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Idle, Input, Module, OrUnconnected, Output, Process, Rate, Signals, Size, Time, data,
    parameters, ports,
};
use spinach_net::ethernet::{FRAME_MINIMUM_BYTES, pause_quanta};

use self::filter::{Destination, Filter};
use self::kept::Kept;
use super::circular::{CircularBuffers, next_entry};
use crate::parts::alarm::Alarm;
use crate::parts::bytes::word_at;
use crate::parts::mover::{Finished, Mover};
use crate::parts::register_message::RegisterMessage;
use crate::parts::steady::{Steady, burst_piece};
use crate::values::{Frame, Reference, Response};

parameters! {
    /// The parameters of the receiving side. Registers are named by their offsets.
    pub struct RingReceiveParameters {
        /// The state word. Bit 0: frames that are not in memory with their descriptor are dropped; the bit is cleared then. Bit 1:
        /// enabled. Bit 2: frames are dropped. Bit 3: frames to all addresses are received.
        pub control: u32 => in 0..=65532,
        /// Address of the next frame.
        pub buffer_producer: u32 => in 0..=65532,
        /// Up to where firmware is done with the buffer.
        pub buffer_consumer: u32 => in 0..=65532,
        /// Register with the end of the last transfer out of the buffer, which tells frames that software has read from frames that it
        /// has discarded; 0 if frames are not told apart.
        pub read_end: u32 = 0 => in 0..=65532,
        /// Address of the next descriptor.
        pub producer: u32 => in 0..=65532,
        /// Up to where firmware is done with descriptors.
        pub consumer: u32 => in 0..=65532,
        /// Upper 16 bits of the MAC address; the lower 32 are in the next register.
        pub mac_address: u32 => in 0..=65528,
        /// The first of four registers with the hash of group addresses.
        pub hash: u32 => in 0..=65520,
        /// The bits of a pointer that tell the descriptor within its ring.
        pub ring_mask: u32 = 0xff8,
        /// The registers with the beginnings of two circular buffers: each ends where the other begins or at `buffer_top`.
        pub buffer_bases: Vec<u64> = vec![0, 0],
        /// See `buffer_bases`.
        pub buffer_top: u64 = 0x20_0000 => in 1..=0xffff_ffff,
        /// The bits of an address that count.
        pub local_mask: u32 = 0x1f_ffff,
        /// Bits set in the state word when a frame is dropped because the ring or the buffer is full.
        pub overflow_attention: u32 = 0x4000_0000,
        /// Time for which it must be enabled without a break until the network considers the link up.
        pub negotiation: Time = Time::ZERO,
        /// The bit of the state word that asks to obey pause frames; 0 for none.
        pub obey_pause: u32 = 0,
        /// Addresses in memory of the counts of frames, 32 bits each: dropped for their own address, for their group, for lack of
        /// space, kept broadcast, group, own, wrong check sequences, pauses obeyed. Empty to count nothing in memory.
        pub statistics: Vec<u64> = Vec::new(),
        /// Frames with more bytes, without check sequence, are counted as `long`: software has no buffer for them.
        pub largest_frame: u32 = 65_535 => in 60..=65_535,
        /// Number of bytes of frames that fit in on their way to memory. A single frame may exceed it.
        pub fifo: Size = Size(8192) => in 60..=1_048_576,
        /// Rate at which the wire fills the FIFO, if frames come with their first byte (`Link.presents`); 0 for frames that come whole.
        pub rate: Rate = Rate(0),
        /// Bytes of a burst of memory; with a rate, frames are stored in pieces that end where bursts end.
        pub burst: u32 = 32 => in 4..=32,
        /// Number of bytes of one reference to memory: 1, 2, 4, 8 or 16.
        pub width: u32 = 16 => in 1..=16,
        /// Number of references to memory that may be unanswered.
        pub outstanding: u32 = 4 => in 1..=64,
        /// Source number of its references.
        pub source: u32 = 0 => in 0..=65535,
    }
}

ports! {
    /// Ports of the receiving side.
    pub struct RingReceivePorts {
        /// Content of the registers.
        pub written: Input<u64>,
        /// Changes of registers.
        pub update: Output<u64>,
        /// Memory.
        pub memory: { request: Output<Reference>, response: Input<Response> },
        /// Memory of descriptors, if it is another one.
        pub descriptors: { request: OrUnconnected<Output<Reference>>, response: OrUnconnected<Input<Response>> },
        /// Frames from the link; always taken.
        pub wire: Input<Frame>,
        /// Link state, when it changes: 1 when `negotiation` has passed, 0 when it is disabled.
        pub link_up: OrUnconnected<Output<u64>>,
        /// Number of quanta for which the other side asks to send nothing.
        pub pause: OrUnconnected<Output<u64>>,
    }
}

/// A frame on its way into memory, with its check sequence.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Arrival {
    bytes: Vec<u8>,
    status: u32,
    // The row of `statistics` that counts it once there is room for it.
    counted_in: usize,
    // Arrival of its first byte, if its bytes come at a rate.
    at: Time,
}

/// The frame that is being stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Storing {
    address: u32,
    length: u32,
    status: u32,
    // Bytes that are still to pass into memory, and where the next of them goes.
    bytes: VecDeque<u8>,
    next: u32,
    // Runs of bytes that are not in memory yet; when there are none, the descriptor follows.
    unfinished: u32,
    is_described: bool,
    // Another counter has counted it as dropped.
    is_counted: bool,
}

/// Network's view of the link.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct NetworkLink {
    is_up: bool,
    // State of the link that was announced last.
    announced: bool,
    alarm: Option<Alarm>,
}

/// State of the receiving side.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RingReceiveState {
    control: u32,
    producer: u32,
    consumer: u32,
    buffer_producer: u32,
    buffer_consumer: u32,
    filter: Filter,
    buffers: CircularBuffers,
    arrivals: VecDeque<Arrival>,
    storing: Option<Storing>,
    // Runs under way of a frame that a reset dropped; no other is stored before they are over.
    voided: u32,
    kept: Kept,
    wire: Steady,
    // Addresses of counts to be advanced, and whether one is.
    counts: VecDeque<u64>,
    is_counting: bool,
    mover: Mover,
    descriptor_mover: Mover,
    outbox: VecDeque<u64>,
    link: NetworkLink,
    // Duration in the last pause frame, until it is passed on.
    pause: Option<u64>,
    has_acted: bool,
}

/// The receiving side of a MAC with a descriptor ring. See its declaration.
pub struct RingReceive {
    parameters: RingReceiveParameters,
    ports: RingReceivePorts,
    state: RingReceiveState,
}

const RESET: u32 = 1;
const ENABLE: u32 = 2;
const STOP: u32 = 4;
const PROMISCUOUS: u32 = 8;
const DESCRIPTOR_BYTES: u32 = 8;
const BUFFER_ALIGNMENT: u32 = 8;
const CHECK_SEQUENCE_BYTES: u32 = 4;

const STATUS_CHECK_SEQUENCE: u32 = 0x1;
const STATUS_SHORT: u32 = 0x40;

const DATA: u64 = 0;
const DESCRIPTOR: u64 = 1;
const COUNT: u64 = 2;
const COUNTED: u64 = 3;

// Rows of `statistics`.
const DROPPED_OWN: usize = 0;
const DROPPED_GROUP: usize = 1;
const DROPPED_SPACE: usize = 2;
const KEPT_BROADCAST: usize = 3;
const KEPT_GROUP: usize = 4;
const KEPT_OWN: usize = 5;
const WRONG_CHECK_SEQUENCE: usize = 6;
const PAUSED: usize = 7;

const FRAMES: usize = 0;
const BYTES: usize = 1;
const MARKED: usize = 2;
const DROPPED_DISABLED: usize = 3;
const DROPPED_ADDRESS: usize = 4;
const DROPPED_FIFO: usize = 5;
const DROPPED_RING: usize = 6;
const DROPPED_BUFFER: usize = 7;
const DROPPED_PAUSE: usize = 8;
const LONG: usize = 9;
const DROPPED_STOPPED: usize = 10;
const DISCARDED: usize = 11;
const DROPPED_RESET: usize = 12;

const DOCUMENTATION: &str = "The receiving side of a MAC with a descriptor ring and a circular buffer.

While it is enabled, it stores frames to its own address, to the broadcast address, to groups in the hash, or to any address, one behind the other from a multiple \
of 8 on, with their check sequence. When a frame is in memory, its descriptor follows, then `buffer_producer` and `producer` move on. \
Damaged frames are stored and marked. While it is stopped, it stores the frames that have arrived and drops those that arrive. A \
frame without room is dropped completely and counted, and requests attention. A reset drops \
the frames that are not in memory with their descriptor. Pause frames that are obeyed are not stored. A network connected to `link_up` sends only while the link is up.

Descriptor (8 bytes, big-endian words): address; status (16 bits) and length with check sequence (16 bits). Status: 0x1 wrong check \
sequence, 0x40 less than 64 bytes.";

impl Module for RingReceive {
    type Parameters = RingReceiveParameters;
    type Ports = RingReceivePorts;
    type State = RingReceiveState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "ring_receive",
            family: "tigon2",
            documentation: DOCUMENTATION,
            timing: "All outputs are registered. What arrives is acted upon in the next cycle; memory is asked for one reference a cycle.",
            source: "Spinach thesis, section 2.1.2; Tigon-2 reference, sections 2.4, 2.5 and 4.1; IEEE 802.3, 3.2.9 (check sequence) \
                     and 31B (pause)",
            parameters: RingReceiveParameters::declare(),
            ports: RingReceivePorts::declare(),
            counters: &[
                ("frames", "frames received"),
                ("bytes", "bytes of the frames received, with frame check sequence"),
                (
                    "marked",
                    "frames stored that were damaged and not longer than `largest_frame`; software finds them marked",
                ),
                ("dropped_disabled", "frames dropped because it was not enabled"),
                ("dropped_address", "frames dropped for their destination address"),
                ("dropped_fifo_full", "frames dropped because memory was too slow"),
                ("dropped_ring_full", "frames dropped because the descriptor ring was full"),
                ("dropped_buffer_full", "frames dropped because the buffer was full"),
                ("dropped_pause", "pause frames that were obeyed"),
                ("long", "frames stored that were longer than `largest_frame`"),
                ("dropped_stopped", "frames dropped because it was stopped"),
                (
                    "discarded",
                    "frames stored, and counted by no other counter, that software released before any of their bytes was read out",
                ),
                ("dropped_reset", "frames dropped by a reset before their descriptor was in memory"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: RingReceiveParameters, ports: RingReceivePorts) -> Result<Self, String> {
        let [first, second] = parameters.buffer_bases[..] else {
            return Err("buffer_bases must name two registers".to_owned());
        };
        if !matches!(parameters.statistics.len(), 0 | 8) {
            return Err("statistics must name eight addresses, or none".to_owned());
        }
        let mover = Mover::new(parameters.width, parameters.outstanding, parameters.source as u16)?;
        let state = RingReceiveState {
            control: 0,
            producer: 0,
            consumer: 0,
            buffer_producer: 0,
            buffer_consumer: 0,
            filter: Filter::default(),
            buffers: CircularBuffers::new([first as u32, second as u32], parameters.buffer_top),
            arrivals: VecDeque::new(),
            storing: None,
            voided: 0,
            kept: Kept::default(),
            wire: Steady::new(parameters.rate, u64::MAX),
            counts: VecDeque::new(),
            is_counting: false,
            descriptor_mover: mover.clone(),
            mover,
            outbox: VecDeque::new(),
            link: NetworkLink::default(),
            pause: None,
            has_acted: false,
        };
        Ok(Self { parameters, ports, state })
    }

    fn processes(&self) -> Vec<Process> {
        type P = RingReceivePorts;
        let mut drives = vec![data(P::UPDATE), data(P::MEMORY_REQUEST)];
        if self.ports.descriptors_request.is_connected {
            drives.extend([data(P::DESCRIPTORS_REQUEST)]);
        }
        drives.extend(self.ports.link_up.is_connected.then_some(data(P::LINK_UP)));
        drives.extend(self.ports.pause.is_connected.then_some(data(P::PAUSE)));
        vec![Process::new(0).drives(drives).accepts([
            P::WRITTEN,
            P::MEMORY_RESPONSE,
            P::DESCRIPTORS_RESPONSE,
            P::WIRE,
        ])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        let (ports, state) = (&self.ports, &self.state);
        signals.write(ports.update, state.outbox.front().copied());
        state.mover.evaluate(ports.memory_request, signals);
        if ports.descriptors_request.is_connected {
            state.descriptor_mover.evaluate(ports.descriptors_request.port, signals);
        }
        let link = &state.link;
        signals.write(ports.link_up.port, (link.is_up != link.announced).then_some(u64::from(link.is_up)));
        signals.write(ports.pause.port, state.pause);
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let mut has_acted = false;
        if edge.signals.is_sent(self.ports.update) {
            self.state.outbox.pop_front();
        }
        if edge.signals.is_sent(self.ports.link_up.port) {
            self.state.link.announced = !self.state.link.announced;
        }
        if edge.signals.is_sent(self.ports.pause.port) {
            self.state.pause = None;
        }
        let (request, response) = (self.ports.memory_request, self.ports.memory_response);
        if let Some(finished) = self.state.mover.commit(request, response, edge) {
            has_acted = true;
            self.finish_run(&finished, edge);
        }
        if self.ports.descriptors_request.is_connected {
            let (request, response) =
                (self.ports.descriptors_request.port, self.ports.descriptors_response.port);
            if let Some(finished) = self.state.descriptor_mover.commit(request, response, edge) {
                has_acted = true;
                self.finish_run(&finished, edge);
            }
        }
        if let Some(word) = edge.signals.received(self.ports.written) {
            has_acted = true;
            self.see_register(RegisterMessage::from_word(word), edge);
        }
        let has_negotiated = self.negotiate(edge);
        if let Some(frame) = edge.signals.received(self.ports.wire) {
            has_acted = true;
            self.receive(frame, edge);
        }
        let has_stored = self.store(edge) | self.pass(edge);
        let has_counted = self.count();
        self.state.has_acted = has_acted || has_negotiated || has_stored || has_counted;
    }

    fn idle(&self) -> Idle {
        let negotiated = self.state.link.alarm.map(|alarm| alarm.look_at());
        match negotiated.into_iter().chain(self.state.wire.look_at()).min() {
            _ if self.state.has_acted => Idle::No,
            Some(cycle) => Idle::UntilTransferOrCycle(cycle),
            None => Idle::UntilTransfer,
        }
    }

    fn state(&self) -> &RingReceiveState {
        &self.state
    }

    fn restore(&mut self, state: RingReceiveState) -> Result<(), String> {
        self.state = state;
        Ok(())
    }
}

impl RingReceive {
    fn see_register(&mut self, message: RegisterMessage, edge: &mut Edge<'_>) {
        let (parameters, state) = (&self.parameters, &mut self.state);
        let (offset, word) = (u32::from(message.offset), message.word);
        state.buffers.see(message.offset, word);
        match offset {
            _ if offset == parameters.control => {
                state.control = word;
                if word & RESET != 0 {
                    self.reset(edge);
                }
            }
            _ if offset == parameters.producer => state.producer = word,
            _ if offset == parameters.consumer => state.consumer = word,
            _ if offset == parameters.buffer_producer => state.buffer_producer = word,
            _ if offset == parameters.buffer_consumer => {
                state.buffer_consumer = word;
                if parameters.read_end != 0 {
                    edge.count(DISCARDED, state.kept.release(word, &state.buffers));
                }
            }
            _ if offset == parameters.read_end && offset != 0 => state.kept.read_to(word, &state.buffers),
            _ if offset == parameters.mac_address => state.filter.set_mac_address_high(word),
            _ if offset == parameters.mac_address + 4 => state.filter.set_mac_address_low(word),
            _ if offset.wrapping_sub(parameters.hash) < 16 => {
                state.filter.set_hash((offset - parameters.hash) / 4, word);
            }
            _ => {}
        }
    }

    // Drops the frames that no descriptor names yet. The pointers do not count them.
    fn reset(&mut self, edge: &mut Edge<'_>) {
        let state = &mut self.state;
        let mut dropped = state.arrivals.len() as u64;
        state.arrivals.clear();
        if let Some(storing) = state.storing.take() {
            state.voided += storing.unfinished;
            dropped += u64::from(!storing.is_counted);
        }
        edge.count(DROPPED_RESET, dropped);
        self.tell(RegisterMessage::clear(self.parameters.control as u16, RESET));
    }

    // Tests if the network considers the link up; returns true if it has just become so.
    fn negotiate(&mut self, edge: &Edge<'_>) -> bool {
        let (parameters, link) = (&self.parameters, &mut self.state.link);
        if self.state.control & ENABLE == 0 || !self.ports.link_up.is_connected {
            (link.is_up, link.alarm) = (false, None);
            return false;
        }
        if link.is_up {
            return false;
        }
        let due = || edge.time().saturating_add(parameters.negotiation);
        link.is_up = link.alarm.get_or_insert_with(|| Alarm::set(due(), edge)).rings(edge);
        if link.is_up {
            link.alarm = None;
        }
        link.is_up
    }

    fn tell(&mut self, message: RegisterMessage) {
        self.state.outbox.push_back(message.to_word());
    }

    fn statistic(&mut self, row: usize) {
        self.state.counts.extend(self.parameters.statistics.get(row));
    }

    // Takes a frame into the FIFO, or drops it.
    fn receive(&mut self, frame: Frame, edge: &mut Edge<'_>) {
        let bytes = edge.payloads().remove(frame.bytes).unwrap_or_default().into_vec();
        if self.state.control & ENABLE == 0 {
            edge.count(DROPPED_DISABLED, frame.loss());
            return;
        }
        if self.state.control & STOP != 0 {
            edge.count(DROPPED_STOPPED, frame.loss());
            return;
        }
        let is_whole = frame.is_intact && bytes.len() >= FRAME_MINIMUM_BYTES;
        let obeys_pause = self.state.control & self.parameters.obey_pause != 0 && is_whole;
        let quanta = pause_quanta(&bytes, self.state.filter.mac_address());
        if let Some(quanta) = quanta.filter(|_| obeys_pause) {
            self.state.pause = Some(quanta).filter(|_| self.ports.pause.is_connected);
            self.statistic(PAUSED);
            edge.count(DROPPED_PAUSE, frame.loss());
            return;
        }
        let destination = self.state.filter.destination(&bytes);
        let takes_all = self.state.control & PROMISCUOUS != 0;
        let (kept, dropped) = match destination {
            Destination::Broadcast => (KEPT_BROADCAST, None),
            Destination::Group { is_wanted } => (KEPT_GROUP, (!is_wanted).then_some(DROPPED_GROUP)),
            Destination::Unicast { is_own } => (KEPT_OWN, (!is_own).then_some(DROPPED_OWN)),
        };
        if let Some(row) = dropped.filter(|_| !takes_all) {
            self.statistic(row);
            edge.count(DROPPED_ADDRESS, frame.loss());
            return;
        }
        let held: usize = self.state.arrivals.iter().map(|arrival| arrival.bytes.len()).sum();
        if held > 0 && (held + bytes.len()) as u64 > self.parameters.fifo.0 {
            self.overflow(DROPPED_FIFO, frame.loss(), edge);
            return;
        }
        let (mut status, mut counted_in) = (0, kept);
        if !frame.is_intact {
            (status, counted_in) = (STATUS_CHECK_SEQUENCE, WRONG_CHECK_SEQUENCE);
        }
        if bytes.len() < FRAME_MINIMUM_BYTES {
            status |= STATUS_SHORT;
        }
        let bytes = filter::with_check_sequence(bytes, frame.is_intact);
        self.state.arrivals.push_back(Arrival { bytes, status, counted_in, at: edge.time() });
    }

    fn overflow(&mut self, counter: usize, lost: u64, edge: &mut Edge<'_>) {
        edge.count(counter, lost);
        self.statistic(DROPPED_SPACE);
        self.tell(RegisterMessage::set(self.parameters.control as u16, self.parameters.overflow_attention));
    }

    // Begins to store the oldest frame, if none is being stored.
    fn store(&mut self, edge: &mut Edge<'_>) -> bool {
        if self.state.storing.is_some() || self.state.voided > 0 {
            return false;
        }
        let Some(arrival) = self.state.arrivals.pop_front() else { return false };
        let (parameters, state) = (&self.parameters, &mut self.state);
        let length = arrival.bytes.len() as u32;
        let next = next_entry(state.producer, DESCRIPTOR_BYTES, parameters.ring_mask);
        if (next ^ state.consumer) & parameters.ring_mask == 0 {
            self.overflow(DROPPED_RING, 1, edge);
            return true;
        }
        let address = state.buffer_producer;
        let has_room = state.buffers.around(address).is_some_and(|(base, end)| {
            let size = end.saturating_sub(base);
            // One unit stays free, so that a full buffer does not look like an empty one.
            let behind = if state.buffer_consumer > address { 0 } else { size };
            let free = (state.buffer_consumer + behind).saturating_sub(address + BUFFER_ALIGNMENT);
            length.next_multiple_of(BUFFER_ALIGNMENT) <= free
        });
        if !has_room {
            self.overflow(DROPPED_BUFFER, 1, edge);
            return true;
        }
        let is_long = length > parameters.largest_frame + CHECK_SEQUENCE_BYTES;
        let is_marked = !is_long && arrival.status & STATUS_CHECK_SEQUENCE != 0;
        edge.count(LONG, u64::from(is_long));
        edge.count(MARKED, u64::from(is_marked));
        state.counts.extend(parameters.statistics.get(arrival.counted_in));
        state.wire.begin(arrival.at);
        state.storing = Some(Storing {
            address,
            length,
            status: arrival.status,
            bytes: arrival.bytes.into(),
            next: address,
            unfinished: 0,
            is_described: false,
            is_counted: is_long || is_marked,
        });
        true
    }

    // Moves the next bytes of the frame that is being stored into memory, if they have come.
    fn pass(&mut self, edge: &Edge<'_>) -> bool {
        let (parameters, state) = (&self.parameters, &mut self.state);
        let Some(storing) = state.storing.as_mut().filter(|storing| !storing.bytes.is_empty()) else {
            return false;
        };
        let wanted = burst_piece(&state.wire, parameters.burst, storing.next, storing.bytes.len() as u32);
        let (length, next) = state.buffers.piece(storing.next, wanted);
        if !state.wire.passes(length, edge) {
            return false;
        }
        let bytes = storing.bytes.drain(..length as usize).collect();
        state.mover.write(DATA, u64::from(storing.next & parameters.local_mask), bytes);
        storing.next = next;
        storing.unfinished += 1;
        true
    }

    fn finish_run(&mut self, finished: &Finished, edge: &mut Edge<'_>) {
        if finished.is_fault {
            edge.stop(format!("memory does not answer at {:#x}", finished.address));
        }
        let state = &mut self.state;
        match finished.tag {
            COUNT => {
                let count = word_at(&finished.bytes, 0).wrapping_add(1);
                state.mover.write(COUNTED, finished.address, count.to_be_bytes().to_vec());
                return;
            }
            COUNTED => {
                state.is_counting = false;
                return;
            }
            _ => {}
        }
        if state.voided > 0 {
            state.voided -= 1;
            return;
        }
        let Some(storing) = &mut state.storing else { return };
        storing.unfinished = storing.unfinished.saturating_sub(1);
        if storing.unfinished > 0 || !storing.bytes.is_empty() {
            return;
        }
        if storing.is_described {
            self.complete(edge);
            return;
        }
        (storing.is_described, storing.unfinished) = (true, 1);
        let words = [storing.address, storing.status << 16 | storing.length];
        let bytes = words.iter().flat_map(|word| word.to_be_bytes()).collect();
        let address = u64::from(state.producer & self.parameters.local_mask);
        let has_own = self.ports.descriptors_request.is_connected;
        let mover = if has_own { &mut state.descriptor_mover } else { &mut state.mover };
        mover.write(DESCRIPTOR, address, bytes);
    }

    fn complete(&mut self, edge: &mut Edge<'_>) {
        let Some(Storing { address, length, is_counted, .. }) = self.state.storing.take() else { return };
        edge.count(FRAMES, 1);
        edge.count(BYTES, u64::from(length));
        let (parameters, state) = (&self.parameters, &mut self.state);
        state.buffer_producer = state.buffers.advance(address, length.next_multiple_of(BUFFER_ALIGNMENT));
        state.producer = next_entry(state.producer, DESCRIPTOR_BYTES, parameters.ring_mask);
        if parameters.read_end != 0 {
            state.kept.add(address, length, is_counted);
        }
        let messages = [
            RegisterMessage::store(parameters.buffer_producer as u16, state.buffer_producer),
            RegisterMessage::store(parameters.producer as u16, state.producer),
        ];
        state.outbox.extend(messages.map(RegisterMessage::to_word));
    }

    // Advances the next count in memory.
    fn count(&mut self) -> bool {
        let state = &mut self.state;
        if state.is_counting {
            return false;
        }
        let Some(address) = state.counts.pop_front() else { return false };
        state.mover.read(COUNT, address, 4);
        state.is_counting = true;
        true
    }
}
