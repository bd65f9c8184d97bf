//! `ring_transmit`: the sending side of a MAC with a descriptor ring and a circular buffer.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    AlreadySet, Declaration, Edge, Idle, Input, Module, OrUnconnected, Output, Payload, Process, Rate,
    Signals, Size, data, parameters, ports,
};
use spinach_net::ethernet::FRAME_MINIMUM_BYTES;

use super::circular::{CircularBuffers, next_entry};
use super::poll::{POINTER_BYTES, Poll};
use crate::parts::bytes::word_at;
use crate::parts::mover::{Finished, Mover, moves};
use crate::parts::register_message::RegisterMessage;
use crate::parts::steady::{Steady, burst_piece};
use crate::values::{Frame, Reference, Response};

parameters! {
    /// The parameters of the sending side. Registers are named by their offsets.
    pub struct RingTransmitParameters {
        /// The state word. Bit 0: frames that were begun are dropped; the bit is cleared then. Bit 1: enabled. Bit 2: no frame
        /// begins.
        pub control: u32 => in 0..=65532,
        /// Address of the next descriptor from firmware.
        pub producer: u32 => in 0..=65532,
        /// The next descriptor to fetch.
        pub fetched: u32 => in 0..=65532,
        /// The next descriptor whose frame is to leave.
        pub sent: u32 => in 0..=65532,
        /// End in the buffer of the last frame that left, at a multiple of 8.
        pub consumer: u32 => in 0..=65532,
        /// Up to where the buffer holds data. A frame in the buffer that `consumer` is in is not begun before the data covers it.
        pub buffer_producer: u32 => in 0..=65532,
        /// The word whose upper half is the type of VLAN tags.
        pub tag_type: u32 => in 0..=65532,
        /// The bits of a pointer that tell the descriptor within its ring.
        pub ring_mask: u32 = 0x7f8,
        /// Cycles from the answer to a read of the producer in memory, at the beginning of the ring, to the next read; the sending side
        /// reads while it has room for a frame and no descriptor (thesis 3.2.3). 0: a register tells it.
        pub poll_interval: u32 = 0 => in 0..=1_000_000,
        /// The registers with the beginnings of two circular buffers: each ends where the other begins or at `buffer_top`.
        pub buffer_bases: Vec<u64> = vec![0, 0],
        /// See `buffer_bases`.
        pub buffer_top: u64 = 0x20_0000 => in 1..=0xffff_ffff,
        /// The bits of an address that count.
        pub local_mask: u32 = 0x1f_ffff,
        /// The bit of a descriptor's first word that asks for a VLAN tag.
        pub insert_tag: u32 = 0x4000_0000,
        /// Bits set in the state word for a descriptor of an empty frame.
        pub attention: u32 = 0x0100_0000,
        /// Number of frames held, including the one on the wire.
        pub frames: u32 = 2 => in 1..=64,
        /// Rate at which the wire empties the FIFO, so that frames pass memory at the speed of the MAC (thesis 3.2.3); 0 for frames that
        /// are read at once.
        pub rate: Rate = Rate(0),
        /// Size of the FIFO between memory and wire.
        pub fifo: Size = Size(128) => in 32..=65536,
        /// Bytes of a burst of memory; with a rate, frames are read in pieces that end where bursts end.
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
    /// Ports of the sending side.
    pub struct RingTransmitPorts {
        /// Content of the registers.
        pub written: Input<u64>,
        /// Changes of registers.
        pub update: Output<u64>,
        /// Memory.
        pub memory: { request: Output<Reference>, response: Input<Response> },
        /// Memory of descriptors, if it is another one.
        pub descriptors: { request: OrUnconnected<Output<Reference>>, response: OrUnconnected<Input<Response>> },
        /// Frames to the link.
        pub wire: Output<Frame>,
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Departure {
    // Address of the next byte to request, and number of bytes to request.
    address: u32,
    left: u32,
    // The number of runs that were asked for and have not arrived.
    unfinished: u32,
    bytes: Vec<u8>,
    tag: Option<u32>,
    payload: Option<Payload>,
}

impl Departure {
    // Bytes of it were asked for.
    fn is_begun(&self) -> bool {
        self.unfinished > 0 || !self.bytes.is_empty() || self.payload.is_some()
    }
}

/// State of the sending side.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RingTransmitState {
    control: u32,
    producer: u32,
    // The producer as the sending side knows it.
    known: u32,
    fetched: u32,
    sent: u32,
    // Beginning and end of the data in the buffer.
    consumer: u32,
    buffer_producer: u32,
    tag_type: u32,
    buffers: CircularBuffers,
    is_fetching: bool,
    poll: Poll,
    departures: VecDeque<Departure>,
    // Runs under way of descriptors and frames that a reset dropped; nothing is fetched before they are over.
    voided: u32,
    mover: Mover,
    descriptor_mover: Mover,
    fifo: Steady,
    outbox: VecDeque<u64>,
    has_acted: bool,
}

/// The sending side of a MAC with a descriptor ring. See its declaration.
pub struct RingTransmit {
    parameters: RingTransmitParameters,
    ports: RingTransmitPorts,
    state: RingTransmitState,
    settled: AlreadySet,
    // True if anything came in or left in the last cycle.
    has_moved: bool,
}

const RESET: u32 = 1;
const ENABLE: u32 = 2;
const STOP: u32 = 4;
const DESCRIPTOR_BYTES: usize = 8;
const ADDRESS_BYTES: usize = 12;

const DATA: u64 = 0;
const DESCRIPTOR: u64 = 1;
const PRODUCER: u64 = 2;

const FRAMES: usize = 0;
const BYTES: usize = 1;
const TAGGED: usize = 2;
const EMPTY: usize = 3;
const DROPPED_RESET: usize = 4;

const DOCUMENTATION: &str = "The sending side of a MAC with a descriptor ring and a circular buffer.

While it is enabled and not stopped, and `producer` is ahead of `fetched`, it fetches a descriptor. Firmware may provide it before its frame is there: the \
frame follows when `buffer_producer`, rounded up to a multiple of 8, covers it, counted from `consumer` on around the buffer. It inserts \
a VLAN tag behind the addresses if the descriptor asks for one, pads frames of less than 60 bytes with zeros, and hands frames to the link in order. A reset \
drops the frames that were begun and moves the pointers behind them. When one has left, `sent` moves \
on and `consumer` follows the end of the frame in the buffer, rounded up to a multiple of 8.

Descriptor (8 bytes, big-endian words): address, with the bit that asks for a tag; tag (16 bits) and length without check sequence (16 bits).";

impl Module for RingTransmit {
    type Parameters = RingTransmitParameters;
    type Ports = RingTransmitPorts;
    type State = RingTransmitState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "ring_transmit",
            family: "tigon2",
            documentation: DOCUMENTATION,
            timing: "All outputs are registered. What arrives is acted upon in the next cycle; memory is asked for one reference a cycle.",
            source: "Spinach thesis, section 2.1.2; Tigon-2 reference, sections 2.4, 2.5 and 4.1; IEEE 802.3, 4.2.3.3 (padding); IEEE \
                     802.1Q (tags)",
            parameters: RingTransmitParameters::declare(),
            ports: RingTransmitPorts::declare(),
            counters: &[
                ("frames", "frames sent"),
                ("bytes", "bytes of the frames sent, without frame check sequence"),
                ("tagged", "frames that got a VLAN tag"),
                ("empty", "descriptors of frames of no bytes"),
                ("dropped_reset", "frames that were begun and that a reset dropped"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: RingTransmitParameters, ports: RingTransmitPorts) -> Result<Self, String> {
        let [first, second] = parameters.buffer_bases[..] else {
            return Err("buffer_bases must name two registers".to_owned());
        };
        let mover = Mover::new(parameters.width, parameters.outstanding, parameters.source as u16)?;
        let state = RingTransmitState {
            control: 0,
            producer: 0,
            known: 0,
            fetched: 0,
            sent: 0,
            consumer: 0,
            buffer_producer: 0,
            tag_type: 0,
            buffers: CircularBuffers::new([first as u32, second as u32], parameters.buffer_top),
            is_fetching: false,
            poll: Poll::default(),
            departures: VecDeque::new(),
            voided: 0,
            descriptor_mover: mover.clone(),
            mover,
            fifo: Steady::new(parameters.rate, parameters.fifo.0),
            outbox: VecDeque::new(),
            has_acted: false,
        };
        Ok(Self { parameters, ports, state, settled: AlreadySet::default(), has_moved: false })
    }

    fn processes(&self) -> Vec<Process> {
        type P = RingTransmitPorts;
        let mut drives = vec![data(P::UPDATE), data(P::MEMORY_REQUEST), data(P::WIRE)];
        if self.ports.descriptors_request.is_connected {
            drives.extend([data(P::DESCRIPTORS_REQUEST)]);
        }
        vec![Process::new(0).drives(drives).accepts([
            P::WRITTEN,
            P::MEMORY_RESPONSE,
            P::DESCRIPTORS_RESPONSE,
        ])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        if signals.are_set_already(&self.settled) {
            return;
        }
        let (ports, state) = (&self.ports, &self.state);
        signals.write(ports.update, state.outbox.front().copied());
        state.mover.evaluate(ports.memory_request, signals);
        if ports.descriptors_request.is_connected {
            state.descriptor_mover.evaluate(ports.descriptors_request.port, signals);
        }
        let oldest = state.departures.front().and_then(|departure| departure.payload);
        signals.write(ports.wire, oldest.map(Frame::intact));
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        self.has_moved = self.moves(edge.signals);
        if !self.has_moved
            && !self.state.has_acted
            && !self.state.fifo.is_due(edge)
            && !self.state.poll.is_due(edge)
        {
            return;
        }
        self.settled.forget();
        self.state.poll.advance(edge);
        let mut has_acted = false;
        if edge.signals.is_sent(self.ports.update) {
            self.state.outbox.pop_front();
        }
        if edge.signals.is_sent(self.ports.wire) {
            has_acted = true;
            self.leave(edge);
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
        let has_asked = self.ask(edge);
        let has_fetched = self.fetch_descriptor();
        self.state.has_acted = has_acted || has_asked || has_fetched;
    }

    fn idle(&self) -> Idle {
        let looks = [self.state.fifo.look_at(), self.state.poll.look_at()];
        match looks.into_iter().flatten().min() {
            _ if self.has_moved | self.state.has_acted => Idle::No,
            Some(cycle) => Idle::UntilTransferOrCycle(cycle),
            None => Idle::UntilTransfer,
        }
    }

    fn state(&self) -> &RingTransmitState {
        &self.state
    }

    fn restore(&mut self, state: RingTransmitState) -> Result<(), String> {
        self.settled.forget();
        self.state = state;
        Ok(())
    }
}

impl RingTransmit {
    // True if anything comes in or leaves.
    #[inline]
    fn moves(&self, signals: &Signals) -> bool {
        let ports = &self.ports;
        moves(ports.memory_request, ports.memory_response, signals)
            | moves(ports.descriptors_request.port, ports.descriptors_response.port, signals)
            | signals.is_sent(ports.wire)
            | signals.is_sent(ports.update)
            | signals.is_received(ports.written)
    }

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
            _ if offset == parameters.producer => {
                state.producer = word;
                if parameters.poll_interval == 0 {
                    state.known = word;
                }
            }
            _ if offset == parameters.fetched => {
                state.fetched = word;
                // A ring that firmware moves is empty until the producer was read.
                if parameters.poll_interval > 0 {
                    state.known = word;
                }
            }
            _ if offset == parameters.sent => state.sent = word,
            _ if offset == parameters.consumer => state.consumer = word,
            _ if offset == parameters.buffer_producer => state.buffer_producer = word,
            _ if offset == parameters.tag_type => state.tag_type = word >> 16,
            _ => {}
        }
    }

    // Drops the frames that were begun, and moves the pointers behind them. Descriptors of other frames will be fetched again.
    fn reset(&mut self, edge: &mut Edge<'_>) {
        let control = self.parameters.control as u16;
        let begun = self.state.departures.iter().rposition(Departure::is_begun).map_or(0, |last| last + 1);
        let mut departures = std::mem::take(&mut self.state.departures);
        self.state.voided += departures.iter().map(|departure| departure.unfinished).sum::<u32>()
            + u32::from(std::mem::take(&mut self.state.is_fetching));
        departures.truncate(begun);
        for departure in &departures {
            departure.payload.and_then(|payload| edge.payloads().remove(payload));
            edge.count(DROPPED_RESET, u64::from(departure.is_begun()));
            self.pass_descriptor();
        }
        if let Some(Departure { address, left, .. }) = departures.back() {
            self.pass_data(self.state.buffers.advance(*address, *left));
        }
        let next = self.in_ring(self.state.sent);
        if next != self.state.fetched {
            self.state.fetched = next;
            self.tell(RegisterMessage::store(self.parameters.fetched as u16, next));
        }
        self.tell(RegisterMessage::clear(control, RESET));
    }

    // A frame that ends before `end` is no longer in the buffer.
    fn pass_data(&mut self, end: u32) {
        self.state.consumer = self.state.buffers.advance(end, end.wrapping_neg() % 8);
        self.tell(RegisterMessage::store(self.parameters.consumer as u16, self.state.consumer));
    }

    // The frame of the next descriptor has left or never will.
    fn pass_descriptor(&mut self) {
        let sent = self.in_ring(self.state.sent);
        self.state.sent = next_entry(sent, DESCRIPTOR_BYTES as u32, self.parameters.ring_mask);
        self.tell(RegisterMessage::store(self.parameters.sent as u16, self.state.sent));
    }

    fn tell(&mut self, message: RegisterMessage) {
        self.state.outbox.push_back(message.to_word());
    }

    // The pointer with the index of `pointer` of the ring that `fetched` is in.
    fn in_ring(&self, pointer: u32) -> u32 {
        let mask = self.parameters.ring_mask;
        self.state.fetched & !mask | pointer & mask
    }

    fn fetch_descriptor(&mut self) -> bool {
        let (parameters, has_own) = (&self.parameters, self.ports.descriptors_request.is_connected);
        let has_room = self.state.departures.len() < parameters.frames as usize;
        let is_waiting = self.state.is_fetching || self.state.voided > 0;
        if self.state.control & (ENABLE | STOP) != ENABLE || is_waiting || !has_room {
            return false;
        }
        let next = u64::from(self.in_ring(self.state.fetched) & parameters.local_mask);
        let state = &mut self.state;
        let mover = if has_own { &mut state.descriptor_mover } else { &mut state.mover };
        if (state.fetched ^ state.known) & parameters.ring_mask != 0 {
            mover.read(DESCRIPTOR, next, DESCRIPTOR_BYTES);
            state.is_fetching = true;
            return true;
        }
        let is_due = parameters.poll_interval > 0 && state.poll.begins();
        if is_due {
            let beginning = state.fetched & !parameters.ring_mask & parameters.local_mask;
            mover.read(PRODUCER, u64::from(beginning), POINTER_BYTES);
        }
        is_due
    }

    fn finish_run(&mut self, finished: &Finished, edge: &mut Edge<'_>) {
        if finished.is_fault && finished.tag != PRODUCER {
            edge.stop(format!("memory does not answer at {:#x}", finished.address));
        }
        match finished.tag {
            DESCRIPTOR | DATA if self.state.voided > 0 => self.state.voided -= 1,
            DESCRIPTOR => self.begin(word_at(&finished.bytes, 0), word_at(&finished.bytes, 4), edge),
            PRODUCER => {
                self.state.poll.answer(edge, self.parameters.poll_interval);
                self.state.known = self.state.producer;
            }
            _ => self.take_data(finished, edge),
        }
    }

    fn take_data(&mut self, finished: &Finished, edge: &mut Edge<'_>) {
        let state = &mut self.state;
        let Some(departure) = state.departures.iter_mut().find(|departure| departure.unfinished > 0) else {
            return;
        };
        departure.unfinished -= 1;
        departure.bytes.extend_from_slice(&finished.bytes);
        if departure.unfinished == 0 && departure.left == 0 {
            let mut bytes = std::mem::take(&mut departure.bytes);
            if let Some(tag) = departure.tag.filter(|_| bytes.len() >= ADDRESS_BYTES) {
                let tag = (state.tag_type << 16 | tag).to_be_bytes();
                bytes.splice(ADDRESS_BYTES..ADDRESS_BYTES, tag);
                edge.count(TAGGED, 1);
            }
            if bytes.len() < FRAME_MINIMUM_BYTES {
                bytes.resize(FRAME_MINIMUM_BYTES, 0);
            }
            departure.payload = Some(edge.payloads().insert(bytes));
        }
    }

    fn begin(&mut self, first: u32, second: u32, edge: &mut Edge<'_>) {
        let parameters = &self.parameters;
        let pointer = self.in_ring(self.state.fetched);
        self.state.fetched = next_entry(pointer, DESCRIPTOR_BYTES as u32, parameters.ring_mask);
        self.state.is_fetching = false;
        self.tell(RegisterMessage::store(parameters.fetched as u16, self.state.fetched));
        let left = second & 0xffff;
        if left == 0 {
            edge.count(EMPTY, 1);
            self.tell(RegisterMessage::set(self.parameters.control as u16, self.parameters.attention));
        }
        let tag = (first & self.parameters.insert_tag != 0).then_some(second >> 16);
        let address = first & self.parameters.local_mask;
        self.state.departures.push_back(Departure { address, left, tag, ..Departure::default() });
    }

    // Requests the remaining bytes of the next frame.
    fn ask(&mut self, edge: &Edge<'_>) -> bool {
        let (parameters, state) = (&self.parameters, &mut self.state);
        // A frame of no bytes leaves in its turn, without being seen.
        if state.departures.front().is_some_and(|departure| departure.left == 0 && !departure.is_begun()) {
            state.departures.pop_front();
            self.pass_descriptor();
            return true;
        }
        let Some(departure) = state.departures.iter_mut().find(|departure| departure.left > 0) else {
            return false;
        };
        // The whole frame was covered when it was begun.
        let (consumer, producer) = (state.consumer, state.buffer_producer);
        if !departure.is_begun()
            && !state.buffers.covers(consumer, producer, departure.address, departure.left)
        {
            return false;
        }
        let wanted = burst_piece(&state.fifo, parameters.burst, departure.address, departure.left);
        let (length, next) = state.buffers.piece(departure.address, wanted);
        if !state.fifo.passes(length, edge) {
            return false;
        }
        state.mover.read(DATA, u64::from(departure.address & parameters.local_mask), length as usize);
        departure.address = next;
        departure.left -= length;
        departure.unfinished += 1;
        true
    }

    // The oldest frame was taken by the link.
    fn leave(&mut self, edge: &mut Edge<'_>) {
        let Some(departure) = self.state.departures.pop_front() else { return };
        let length = departure.payload.map_or(0, |payload| edge.payloads().get(payload).len());
        edge.count(FRAMES, 1);
        edge.count(BYTES, length as u64);
        self.pass_data(departure.address);
        self.pass_descriptor();
    }
}
