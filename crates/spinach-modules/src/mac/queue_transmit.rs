//! `queue_transmit`: sends frames whose pieces firmware names in a queue of descriptors.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Idle, Input, Module, OrUnconnected, Output, Payload, Process, Signals, Size, Time,
    ack, data, parameters, ports,
};

use crate::parts::histogram::Histogram;
use crate::parts::queue_control as control;
use crate::parts::registers::RegisterPort;
use crate::values::{Block, BlockResponse, Frame, Reference, Response};
use spinach_net::ethernet::FRAME_MINIMUM_BYTES;
use spinach_net::internet_checksum;
use spinach_net::segmentation::Layout;

parameters! {
    /// The parameters of a transmitting MAC with a descriptor queue.
    pub struct QueueTransmitParameters {
        /// Number of descriptors that the queue holds.
        pub descriptors: u32 = 64 => in 1..=4096,
        /// Number of bytes of frames that fit in between memory and wire. A single frame may exceed it.
        pub fifo: Size = Size(4096) => in 1..=1_048_576,
        /// Source number of its blocks.
        pub source: u32 = 0 => in 0..=65535,
    }
}

ports! {
    /// Ports of a transmitting MAC with a descriptor queue.
    pub struct QueueTransmitPorts {
        /// Registers.
        pub registers: { request: Input<Reference>, response: Output<Response> },
        /// Memory of frames.
        pub frame: { request: Output<Block>, response: Input<BlockResponse> },
        /// Frames to the link.
        pub wire: Output<Frame>,
        /// A word as long as the link has taken frames that no read of `DONE` has reported.
        pub pending: OrUnconnected<Output<u64>>,
    }
}

/// A piece of a frame, from its descriptor.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Piece {
    address: u32,
    flags: u32,
    // Cut of the large send that begins with it; 0 for a single frame.
    segment: u32,
    began: Time,
}

mod flag {
    pub(super) const LAST: u32 = 1 << 31;
    pub(super) const CHECKSUM: u32 = 1 << 30;
    pub(super) const INSERT_SHIFT: u32 = 22;
    pub(super) const START_SHIFT: u32 = 14;
    pub(super) const OFFSET_MASK: u32 = 0xff;
    pub(super) const LENGTH_MASK: u32 = 0x3fff;
    pub(super) const NETWORK_SHIFT: u32 = 22;
    pub(super) const HEADERS_SHIFT: u32 = 14;
}

impl Piece {
    fn length(&self) -> u32 {
        self.flags & flag::LENGTH_MASK
    }

    fn is_last(&self) -> bool {
        self.flags & flag::LAST != 0
    }

    /// Offsets of the first byte that its checksum covers, and of the checksum.
    fn checksum(&self) -> Option<(usize, usize)> {
        let offset = |shift: u32| (self.flags >> shift & flag::OFFSET_MASK) as usize;
        (self.flags & flag::CHECKSUM != 0).then(|| (offset(flag::START_SHIFT), offset(flag::INSERT_SHIFT)))
    }

    /// Headers and payload of each frame, if the send is cut into several.
    fn cut(&self) -> Option<(Layout, usize)> {
        let offset = |shift: u32| (self.segment >> shift & flag::OFFSET_MASK) as usize;
        let (transport, _) = self.checksum().unwrap_or_default();
        let layout =
            Layout { network: offset(flag::NETWORK_SHIFT), transport, headers: offset(flag::HEADERS_SHIFT) };
        (self.segment != 0).then_some((layout, (self.segment & flag::LENGTH_MASK) as usize))
    }
}

/// A frame that waits for the link.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Departure {
    bytes: Payload,
    length: u32,
    // Pieces that end with this frame; 0 for all frames of a large send but the last.
    pieces: u32,
    began: Time,
}

/// State of a transmitting MAC with a descriptor queue.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct QueueTransmitState {
    port: RegisterPort,
    address: u32,
    segment: u32,
    is_enabled: bool,
    // True until requested data of memory has come, and complete frames have left.
    is_resetting: bool,
    // Descriptors that memory was not asked for yet, and those that it was asked for.
    queue: VecDeque<Piece>,
    asked: VecDeque<Piece>,
    // The pieces of the next frame that have come.
    pieces: Vec<Piece>,
    assembly: Vec<u8>,
    // Of a large send: its headers, once they have come, and the frames that were cut from it.
    headers: Vec<u8>,
    cut: u32,
    departures: VecDeque<Departure>,
    request: Option<Block>,
    sent: u32,
    // The value of `sent` that firmware read last.
    reported: u32,
    /// Latency from the first descriptor of a frame to its departure.
    latency: Histogram,
    has_acted: bool,
}

/// A transmitting MAC with a descriptor queue. See its declaration.
pub struct QueueTransmit {
    descriptors: usize,
    fifo: u64,
    source: u16,
    ports: QueueTransmitPorts,
    state: QueueTransmitState,
}

/// Offsets of its registers.
pub(super) mod offset {
    pub(crate) const ADDRESS: u32 = 0x00;
    pub(crate) const DESCRIPTOR: u32 = 0x04;
    pub(crate) const FREE: u32 = 0x08;
    pub(crate) const DONE: u32 = 0x0c;
    pub(crate) const CONTROL: u32 = 0x10;
    pub(crate) const SEGMENT: u32 = 0x14;
}

const FRAMES: usize = 0;
const BYTES: usize = 1;
const PIECES: usize = 2;
const CHECKSUMS: usize = 3;
const LARGE_SENDS: usize = 4;

const DOCUMENTATION: &str = "Transmit side of a MAC, controlled by descriptors of the firmware.

A descriptor has 64 bits and names one piece of a frame, anywhere in memory. Descriptors wait in a queue and are consumed in order; the \
pieces of a frame, up to that marked as the last, leave as one frame, padded with zeros to 60 bytes.

On its way from memory to the wire the Internet checksum of all bytes from `start` on is put into the two bytes at `insert`, both counted \
in bytes from the start of the frame, if the first piece says so. The two bytes hold the sum of the pseudo header before. A checksum of \
zero is sent as ones where `insert` lies 6 bytes behind `start`, as in UDP.

A large send of TCP is cut into frames if `SEGMENT` is written before its first descriptor, which has `start` at the TCP header and \
`insert` at its checksum. Each frame leaves as soon as its payload is there, with a copy of the headers in which the MAC sets the length \
of IP, the sequence number, and in IPv4 the identification, which counts up, and the checksum. Only the last frame keeps FIN and PSH, only \
the first CWR. The checksum of TCP is inserted into each; its place holds the sum of the pseudo header without the length. The send is one \
frame for `DONE`.

Registers (aligned 32-bit words; the low 8 bits of the address count):

| offset | name | access | content |
|---|---|---|---|
| 0x00 | `ADDRESS` | read, write | upper half of the next descriptor: address of the piece |
| 0x04 | `DESCRIPTOR` | write | lower half; puts the descriptor into the queue. Bit 31: last piece; bit 30: insert a checksum; bits 29 to 22: \
`insert`; bits 21 to 14: `start`; bits 13 to 0: length in bytes |
| 0x08 | `FREE` | read | room in the queue, in descriptors |
| 0x0c | `DONE` | read | number of frames that the link accepted, modulo 2^32 |
| 0x10 | `CONTROL` | read, write | bit 0: enabled; 0 after reset. Bit 1: reset, see below |
| 0x14 | `SEGMENT` | write | how the next frame is cut; 0 after its first descriptor. Bits 29 to 22: offset of the IP header; bits 21 to 14: \
bytes of all headers; bits 13 to 0: bytes of payload in each frame |

A reset discards the descriptors that wait and incomplete frames, and disables the queue. Bit 1 is set until complete frames have left; then \
`DONE` is 0.

A descriptor has its place in the queue until the link has taken its frame. The simulation stops, with the reason, if a descriptor does not \
fit into the queue, if nothing answers at its address, if it has 0 bytes, if a checksum would lie outside of its frame, or if the headers of a large send have no room for IP \
and TCP.";

impl Module for QueueTransmit {
    type Parameters = QueueTransmitParameters;
    type Ports = QueueTransmitPorts;
    type State = QueueTransmitState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "queue_transmit",
            family: "mac",
            documentation: DOCUMENTATION,
            timing: "All outputs are registered. A register write takes effect in the next cycle. One piece after the other is asked of \
                     memory. A frame is offered to the link in the cycle after its last piece came.",
            source: "RiceNIC (ExpCS 2007), section 2.1 (Media Access Control); layouts of Spinach",
            parameters: QueueTransmitParameters::declare(),
            ports: QueueTransmitPorts::declare(),
            counters: &[
                ("frames", "frames sent"),
                ("bytes", "bytes of the frames sent, without frame check sequence"),
                ("pieces", "descriptors consumed"),
                ("checksums", "checksums put into frames"),
                ("large_sends", "large sends cut into frames"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: QueueTransmitParameters, ports: QueueTransmitPorts) -> Result<Self, String> {
        Ok(Self {
            descriptors: parameters.descriptors as usize,
            fifo: parameters.fifo.0,
            source: parameters.source as u16,
            ports,
            state: QueueTransmitState::default(),
        })
    }

    fn processes(&self) -> Vec<Process> {
        type P = QueueTransmitPorts;
        let drives =
            [data(P::REGISTERS_RESPONSE), ack(P::REGISTERS_REQUEST), data(P::FRAME_REQUEST), data(P::WIRE)];
        let pending = self.ports.pending.is_connected.then_some(data(P::PENDING));
        vec![Process::new(0).drives(drives).drives(pending).accepts([P::FRAME_RESPONSE])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        let (ports, state) = (&self.ports, &self.state);
        state.port.evaluate(ports.registers_request, ports.registers_response, signals);
        signals.write(ports.frame_request, state.request);
        let oldest = state.departures.front();
        signals.write(ports.wire, oldest.map(|departure| Frame::intact(departure.bytes)));
        signals.write(ports.pending.port, (state.sent != state.reported).then_some(1));
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let has_come = self.see_memory(edge);
        let has_sent = self.see_wire(edge);
        let has_asked = self.fetch();
        let has_written = self.see_registers(edge);
        self.end_reset();
        self.state.has_acted = has_come || has_sent || has_asked || has_written;
    }

    fn idle(&self) -> Idle {
        if self.state.has_acted { Idle::No } else { Idle::UntilTransfer }
    }

    fn state(&self) -> &QueueTransmitState {
        &self.state
    }

    fn restore(&mut self, state: QueueTransmitState) -> Result<(), String> {
        self.state = state;
        Ok(())
    }
}

impl QueueTransmit {
    fn see_memory(&mut self, edge: &mut Edge<'_>) -> bool {
        let state = &mut self.state;
        let is_asked = edge.signals.is_sent(self.ports.frame_request);
        if is_asked {
            state.request = None;
        }
        let Some(response) = edge.signals.received(self.ports.frame_response) else { return is_asked };
        let (Some(piece), Some(read)) = (state.asked.pop_front(), response.read) else {
            edge.stop("memory does not answer at the address of a descriptor");
            return true;
        };
        state.assembly.extend(edge.payloads().remove(read).unwrap_or_default());
        state.pieces.push(piece);
        edge.count(PIECES, 1);
        match state.pieces[0].cut() {
            Some((layout, size)) => self.cut(layout, size, piece.is_last(), edge),
            None if piece.is_last() => self.finish_frame(edge),
            None => {}
        }
        true
    }

    // All pieces of a frame are here.
    fn finish_frame(&mut self, edge: &mut Edge<'_>) {
        let state = &mut self.state;
        let pieces = std::mem::take(&mut state.pieces);
        let mut frame = std::mem::take(&mut state.assembly);
        if let Some((start, field)) = pieces[0].checksum() {
            if !internet_checksum::insert(&mut frame, start, field) {
                let length = frame.len();
                edge.stop(format!(
                    "a checksum at byte {field} of what begins at byte {start} is not within a frame of {length} bytes"
                ));
            }
            edge.count(CHECKSUMS, 1);
        }
        self.depart(frame, pieces.len(), pieces[0].began, edge);
    }

    // Cuts frames off a large send, as far as its payload has come.
    fn cut(&mut self, layout: Layout, size: usize, is_ended: bool, edge: &mut Edge<'_>) {
        let state = &mut self.state;
        if state.cut == 0 && state.headers.is_empty() && state.assembly.len() >= layout.headers {
            let payload = state.assembly.split_off(layout.headers);
            state.headers = std::mem::replace(&mut state.assembly, payload);
        }
        if state.headers.is_empty() && is_ended {
            edge.stop("a large send ends within its headers");
            return;
        }
        // A possible last frame waits until the send has ended.
        while !self.state.headers.is_empty() && (is_ended || self.state.assembly.len() > size) {
            let state = &mut self.state;
            let rest = state.assembly.split_off(size.min(state.assembly.len()));
            let payload = std::mem::replace(&mut state.assembly, rest);
            let is_last = is_ended && state.assembly.is_empty();
            let mut frame = [state.headers.as_slice(), &payload].concat();
            layout.complete(&mut frame, state.cut, state.cut * size as u32, is_last);
            state.cut += 1;
            let (mut pieces, began) = (0, state.pieces[0].began);
            if is_last {
                pieces = std::mem::take(&mut state.pieces).len();
                (state.headers, state.cut) = (Vec::new(), 0);
                edge.count(LARGE_SENDS, 1);
            }
            edge.count(CHECKSUMS, 1);
            self.depart(frame, pieces, began, edge);
        }
    }

    fn depart(&mut self, mut frame: Vec<u8>, pieces: usize, began: Time, edge: &mut Edge<'_>) {
        let (length, pieces) = (frame.len() as u32, pieces as u32);
        frame.resize(frame.len().max(FRAME_MINIMUM_BYTES), 0);
        let bytes = edge.payloads().insert(frame);
        self.state.departures.push_back(Departure { bytes, length, pieces, began });
    }

    fn see_wire(&mut self, edge: &mut Edge<'_>) -> bool {
        let state = &mut self.state;
        if !edge.signals.is_sent(self.ports.wire) {
            return false;
        }
        if let Some(departure) = state.departures.pop_front() {
            edge.count(FRAMES, 1);
            edge.count(BYTES, u64::from(departure.length).max(FRAME_MINIMUM_BYTES as u64));
            state.latency.record(edge.time().saturating_sub(departure.began));
            state.sent = state.sent.wrapping_add(u32::from(departure.pieces > 0));
        }
        true
    }

    fn end_reset(&mut self) {
        let state = &mut self.state;
        if state.is_resetting && state.asked.is_empty() && state.departures.is_empty() {
            state.is_resetting = false;
            state.pieces.clear();
            state.assembly.clear();
            state.headers.clear();
            (state.cut, state.segment, state.sent, state.reported) = (0, 0, 0, 0);
        }
    }

    // Asks for the next piece, if there is room for it.
    fn fetch(&mut self) -> bool {
        let state = &mut self.state;
        let Some(piece) = state.queue.front().copied() else { return false };
        if state.request.is_some() || !state.is_enabled {
            return false;
        }
        let held: u64 = state.asked.iter().map(|piece| u64::from(piece.length())).sum::<u64>()
            + state.departures.iter().map(|departure| u64::from(departure.length)).sum::<u64>();
        // A frame that has begun must be able to end. A large send ends nevertheless as its frames leave.
        let first = state.pieces.first().or(state.asked.front());
        let can_wait = first.is_some_and(|piece| piece.segment != 0)
            && !(state.asked.is_empty() && state.departures.is_empty());
        let is_begun = !state.pieces.is_empty() || state.asked.back().is_some_and(|piece| !piece.is_last());
        let used = held + state.assembly.len() as u64;
        if used > 0 && (!is_begun || can_wait) && used + u64::from(piece.length()) > self.fifo {
            return false;
        }
        state.queue.pop_front();
        state.asked.push_back(piece);
        let (address, length) = (u64::from(piece.address), piece.length());
        state.request = Some(Block { address, length, source: self.source, write: None });
        true
    }

    fn see_registers(&mut self, edge: &mut Edge<'_>) -> bool {
        let state = &mut self.state;
        let waiting = state.departures.iter().map(|departure| departure.pieces as usize).sum::<usize>();
        let free = self.descriptors - state.queue.len() - state.asked.len() - state.pieces.len() - waiting;
        let began = edge.time();
        let mut pushed = None;
        let (request, response) = (self.ports.registers_request, self.ports.registers_response);
        let has_moved = state.port.commit(request, response, edge, |at, written| {
            match (at, written) {
                (offset::ADDRESS, None) => return Some(state.address),
                (offset::FREE, None) => return Some(free as u32),
                (offset::DONE, None) => {
                    state.reported = state.sent;
                    return Some(state.sent);
                }
                (offset::CONTROL, None) => return Some(control::word(state.is_enabled, state.is_resetting)),
                (offset::ADDRESS, Some(word)) => state.address = word,
                (offset::CONTROL, Some(control::RESET)) => {
                    (state.is_enabled, state.is_resetting) = (false, true);
                    state.queue.clear();
                }
                (offset::CONTROL, Some(word)) => state.is_enabled = word & control::ENABLED != 0,
                (offset::SEGMENT, Some(word)) => state.segment = word,
                (offset::DESCRIPTOR, Some(flags)) => {
                    let segment = std::mem::take(&mut state.segment);
                    pushed = Some(Piece { address: state.address, flags, segment, began });
                }
                _ => return None,
            }
            Some(0)
        });
        if let Some(piece) = pushed {
            if piece.cut().is_some_and(|(layout, size)| size == 0 || !layout.is_possible()) {
                edge.stop("the headers of a large send have no room for IP and TCP");
            } else if free == 0 || piece.length() == 0 {
                let reason = if free == 0 { "does not fit into the queue" } else { "has 0 bytes" };
                edge.stop(format!("a descriptor of address {:#x} {reason}", piece.address));
            } else {
                state.queue.push_back(piece);
            }
        }
        has_moved
    }
}
