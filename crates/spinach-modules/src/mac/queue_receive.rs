//! `queue_receive`: puts received frames into the buffers that firmware names in a queue of descriptors.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Idle, Input, Module, OrUnconnected, Output, Payload, Process, Signals, Size, Time,
    ack, data, parameters, ports,
};

use crate::mac::link_signal::LinkSignal;
use crate::parts::histogram::Histogram;
use crate::parts::queue_control as control;
use crate::parts::registers::RegisterPort;
use crate::values::{Block, BlockResponse, Frame, Reference, Response};
use spinach_net::ethernet::{self, FRAME_MINIMUM_BYTES};
use spinach_net::internet_checksum::{Segment, sum};

parameters! {
    /// The parameters of a receiving MAC with a descriptor queue.
    pub struct QueueReceiveParameters {
        /// Number of descriptors that the queue holds, from the buffer to the completion word.
        pub descriptors: u32 = 64 => in 1..=4096,
        /// The longest frame that is accepted, in bytes without frame check sequence.
        pub largest_frame: u32 = 1514 => in 60..=16383,
        /// Bytes by which a frame with the tag of a VLAN may be longer: 4 for one tag (IEEE 802.3, 3.2.7).
        pub tag_bytes: u32 = 0 => in 0..=8,
        /// Number of bytes of frames that fit in on their way to memory: two frames of the largest size.
        pub fifo: Size = Size(4096) => in 60..=1_048_576,
        /// Number of buffers below which it is congested, or if its FIFO is half full; 0 for never.
        pub congested_below: u32 = 0 => in 0..=4096,
        /// Number of buffers from which on it is no longer congested, if its FIFO is not a quarter full.
        pub relieved_at: u32 = 0 => in 0..=4096,
        /// If true, the word on a frame says if its checksum is correct; otherwise firmware can tell by the sum.
        pub verifies: bool = true,
        /// If true, it also verifies TCP and UDP over IPv6 without extension headers.
        pub verifies_ipv6: bool = false,
        /// Source number of its blocks.
        pub source: u32 = 0 => in 0..=65535,
    }
}

ports! {
    /// Ports of a receiving MAC with a descriptor queue.
    pub struct QueueReceivePorts {
        /// Registers.
        pub registers: { request: Input<Reference>, response: Output<Response> },
        /// Memory of frames.
        pub frame: { request: Output<Block>, response: Input<BlockResponse> },
        /// Frames from the link; always taken.
        pub wire: Input<Frame>,
        /// One word when the firmware first enables the MAC: the link is up.
        pub link_up: OrUnconnected<Output<u64>>,
        /// A word as long as a word on a frame waits.
        pub pending: OrUnconnected<Output<u64>>,
        /// 1 when it is congested, 0 when it is no longer, for `flow_control`; presented until taken. A MAC that is not enabled is not
        /// congested.
        pub congested: OrUnconnected<Output<u64>>,
    }
}

/// Room for one frame.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Buffer {
    address: u32,
    bytes: u32,
}

/// Firmware's view of a frame: the word on it, and the sum of its bytes.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Completion {
    word: u32,
    sum: u16,
}

/// A frame on its way to its buffer.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Arrival {
    address: u32,
    length: u32,
    // `None` once memory was asked to take them.
    bytes: Option<Payload>,
    completion: Completion,
    began: Time,
}

/// State of a receiving MAC with a descriptor queue.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct QueueReceiveState {
    port: RegisterPort,
    address: u32,
    is_enabled: bool,
    // Until the frames that were accepted are in memory.
    is_resetting: bool,
    buffers: VecDeque<Buffer>,
    arrivals: VecDeque<Arrival>,
    completions: VecDeque<Completion>,
    // Of the frame whose word was taken last.
    sum: u16,
    request: Option<Block>,
    dropped: u32,
    link: LinkSignal,
    is_congested: bool,
    // Value for `congested`, until it is taken.
    congestion: Option<u64>,
    /// Latency from the arrival of a frame until it is in memory.
    latency: Histogram,
    has_acted: bool,
}

/// A receiving MAC with a descriptor queue. See its declaration.
pub struct QueueReceive {
    descriptors: usize,
    largest_frame: usize,
    tag_bytes: usize,
    fifo: u64,
    congested_below: usize,
    relieved_at: usize,
    verifies: bool,
    verifies_ipv6: bool,
    source: u16,
    ports: QueueReceivePorts,
    state: QueueReceiveState,
}

/// Offsets of its registers.
pub(super) mod offset {
    pub(crate) const ADDRESS: u32 = 0x00;
    pub(crate) const DESCRIPTOR: u32 = 0x04;
    pub(crate) const FREE: u32 = 0x08;
    pub(crate) const COMPLETION: u32 = 0x0c;
    pub(crate) const CONTROL: u32 = 0x10;
    pub(crate) const DROPPED: u32 = 0x14;
    pub(crate) const SUM: u32 = 0x18;
}

mod completion {
    pub(super) const VALID: u32 = 1 << 31;
    pub(super) const CHECKSUM_WRONG: u32 = 1 << 30;
    pub(super) const CHECKSUM_RIGHT: u32 = 1 << 29;
}

const LENGTH_MASK: u32 = 0x3fff;

const FRAMES: usize = 0;
const BYTES: usize = 1;
const CHECKSUMS_RIGHT: usize = 2;
const CHECKSUMS_WRONG: usize = 3;
const DROPPED_DISABLED: usize = 4;
const DROPPED_RUNT: usize = 5;
const DROPPED_OVERSIZE: usize = 6;
const DROPPED_BAD_CHECK_SEQUENCE: usize = 7;
const DROPPED_FIFO_FULL: usize = 8;
const DROPPED_NO_BUFFER: usize = 9;
const DROPPED_BUFFER_TOO_SMALL: usize = 10;

const DOCUMENTATION: &str = "Receive side of a MAC, with buffers of the firmware at any address.

A descriptor has 64 bits and names one buffer, for one frame. Descriptors wait in a queue and are consumed in the order in which they were \
given; there is no ring and no region. When a frame is in memory, a status word about it can be read. A frame without room is \
dropped; the link never waits.

As the frame passes, the one's complement sum of all its bytes behind the Ethernet header is computed, as of big-endian half words. If \
`verifies`, so is whether the checksum of TCP and UDP over IPv4 is right, or with `verifies_ipv6` over IPv6; fragments and datagrams without a checksum are not looked at.

Registers (aligned 32-bit words; the low 8 bits of the address count):

| offset | name | access | content |
|---|---|---|---|
| 0x00 | `ADDRESS` | read, write | upper half of the next descriptor: address of the buffer |
| 0x04 | `DESCRIPTOR` | write | lower half; puts the descriptor into the queue. Bits 13 to 0: bytes of the buffer |
| 0x08 | `FREE` | read | room in the queue, in descriptors |
| 0x0c | `COMPLETION` | read | takes the word on the oldest frame received; 0 if there is none. Bit 31: set; bit 30: its checksum is wrong; \
bit 29: its checksum is right, both 0 unless `verifies`; bits 13 to 0: length without frame check sequence |
| 0x10 | `CONTROL` | read, write | bit 0: enabled; 0 after reset. Bit 1: reset, see below |
| 0x14 | `DROPPED` | read | number of dropped frames, modulo 2^32 |
| 0x18 | `SUM` | read | bits 15 to 0: the sum of the frame whose word was taken last |

A reset discards buffers and words, and disables the MAC. Bit 1 is set until accepted frames are in memory, which are discarded, too; then \
`DROPPED` is 0.

A descriptor has its place in the queue until its word is read. The simulation stops, with the reason, if a descriptor does not fit into \
the queue, or if nothing answers at its address.";

impl Module for QueueReceive {
    type Parameters = QueueReceiveParameters;
    type Ports = QueueReceivePorts;
    type State = QueueReceiveState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "queue_receive",
            family: "mac",
            documentation: DOCUMENTATION,
            timing: "All outputs are registered. A register write takes effect in the next cycle. An accepted frame is offered to memory \
                     in the next cycle.",
            source: "RiceNIC (ExpCS 2007), section 2.1 (Media Access Control); layouts of Spinach; IEEE 802.3, 4.2.9",
            parameters: QueueReceiveParameters::declare(),
            ports: QueueReceivePorts::declare(),
            counters: &[
                ("frames", "frames received"),
                ("bytes", "bytes of the frames received, without frame check sequence"),
                ("checksums_right", "frames received whose checksum of TCP or UDP is right"),
                ("checksums_wrong", "frames received whose checksum of TCP or UDP is wrong"),
                ("dropped_disabled", "frames dropped because the MAC was not enabled"),
                (
                    "dropped_runt",
                    "frames dropped because they had less than 64 bytes with frame check sequence",
                ),
                ("dropped_oversize", "frames dropped because they were longer than `largest_frame` allows"),
                ("dropped_bad_check_sequence", "frames dropped because their frame check sequence was wrong"),
                ("dropped_fifo_full", "frames dropped because memory was too slow"),
                ("dropped_no_buffer", "frames dropped because the firmware had given no buffer"),
                ("dropped_buffer_too_small", "frames dropped because the next buffer was too small"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: QueueReceiveParameters, ports: QueueReceivePorts) -> Result<Self, String> {
        Ok(Self {
            descriptors: parameters.descriptors as usize,
            largest_frame: parameters.largest_frame as usize,
            tag_bytes: parameters.tag_bytes as usize,
            fifo: parameters.fifo.0,
            congested_below: parameters.congested_below as usize,
            relieved_at: parameters.relieved_at as usize,
            verifies: parameters.verifies,
            verifies_ipv6: parameters.verifies_ipv6,
            source: parameters.source as u16,
            ports,
            state: QueueReceiveState::default(),
        })
    }

    fn processes(&self) -> Vec<Process> {
        type P = QueueReceivePorts;
        let mut drives = vec![data(P::REGISTERS_RESPONSE), ack(P::REGISTERS_REQUEST), data(P::FRAME_REQUEST)];
        drives.extend(self.ports.link_up.is_connected.then_some(data(P::LINK_UP)));
        drives.extend(self.ports.congested.is_connected.then_some(data(P::CONGESTED)));
        drives.extend(self.ports.pending.is_connected.then_some(data(P::PENDING)));
        vec![Process::new(0).drives(drives).accepts([P::FRAME_RESPONSE, P::WIRE])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        let (ports, state) = (&self.ports, &self.state);
        state.port.evaluate(ports.registers_request, ports.registers_response, signals);
        signals.write(ports.frame_request, state.request);
        state.link.evaluate(&ports.link_up, signals);
        signals.write(ports.congested.port, state.congestion);
        signals.write(ports.pending.port, (!state.completions.is_empty()).then_some(1));
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let has_stored = self.see_memory(edge);
        if let Some(frame) = edge.signals.received(self.ports.wire) {
            self.receive(frame, edge);
        }
        let has_asked = self.store();
        self.state.link.see(&self.ports.link_up, edge.signals);
        let has_written = self.see_registers(edge);
        self.end_reset();
        if self.ports.congested.is_connected {
            self.see_congestion(edge);
        }
        self.state.has_acted = has_stored || has_asked || has_written;
    }

    fn idle(&self) -> Idle {
        if self.state.has_acted { Idle::No } else { Idle::UntilTransfer }
    }

    fn state(&self) -> &QueueReceiveState {
        &self.state
    }

    fn restore(&mut self, state: QueueReceiveState) -> Result<(), String> {
        self.state = state;
        Ok(())
    }
}

impl QueueReceiveState {
    // Bytes of frames on their way to memory.
    fn bytes_held(&self) -> u64 {
        self.arrivals.iter().map(|arrival| u64::from(arrival.length)).sum()
    }
}

impl QueueReceive {
    // Takes or drops a frame. Its buffer is set aside at once, so that nothing later can fail.
    fn receive(&mut self, frame: Frame, edge: &mut Edge<'_>) {
        let bytes = edge.payloads().get(frame.bytes);
        let ipv6 = || Segment::of_ipv6(bytes).filter(|_| self.verifies_ipv6);
        let (length, segment) = (bytes.len(), Segment::of(bytes).or_else(ipv6));
        let is_oversize = ethernet::is_oversize(bytes, self.largest_frame, self.tag_bytes);
        let is_right = segment.map(|segment| segment.is_right(bytes));
        let sum = bytes.get(ethernet::HEADER_BYTES..).map_or(0, sum);
        let state = &mut self.state;
        let used = state.bytes_held();
        let refusal = if !state.is_enabled {
            Some(DROPPED_DISABLED)
        } else if length < FRAME_MINIMUM_BYTES {
            Some(DROPPED_RUNT)
        } else if is_oversize {
            Some(DROPPED_OVERSIZE)
        } else if !frame.is_intact {
            Some(DROPPED_BAD_CHECK_SEQUENCE)
        } else if used + length as u64 > self.fifo {
            Some(DROPPED_FIFO_FULL)
        } else {
            match state.buffers.front() {
                None => Some(DROPPED_NO_BUFFER),
                Some(buffer) if length > buffer.bytes as usize => Some(DROPPED_BUFFER_TOO_SMALL),
                Some(_) => None,
            }
        };
        let buffer = if refusal.is_none() { state.buffers.pop_front() } else { None };
        let Some(buffer) = buffer else {
            edge.payloads().remove(frame.bytes);
            edge.count(refusal.unwrap_or(DROPPED_NO_BUFFER), frame.loss());
            state.dropped = state.dropped.wrapping_add(1);
            return;
        };
        let verdict = match is_right.filter(|_| self.verifies) {
            None => 0,
            Some(true) => completion::CHECKSUM_RIGHT,
            Some(false) => completion::CHECKSUM_WRONG,
        };
        edge.count(CHECKSUMS_RIGHT, u64::from(is_right == Some(true)));
        edge.count(CHECKSUMS_WRONG, u64::from(is_right == Some(false)));
        state.arrivals.push_back(Arrival {
            address: buffer.address,
            length: length as u32,
            bytes: Some(frame.bytes),
            completion: Completion { word: completion::VALID | verdict | length as u32, sum },
            began: edge.time(),
        });
    }

    fn see_congestion(&mut self, edge: &Edge<'_>) {
        let state = &mut self.state;
        if edge.signals.is_sent(self.ports.congested.port) {
            state.congestion = None;
        }
        let used = state.bytes_held();
        let is_congested = if state.is_congested {
            state.buffers.len() < self.relieved_at || used > self.fifo / 4
        } else {
            state.buffers.len() < self.congested_below || used > self.fifo / 2
        } && state.is_enabled
            && self.congested_below > 0;
        if is_congested != state.is_congested {
            state.is_congested = is_congested;
            state.congestion = Some(u64::from(is_congested));
        }
    }

    fn see_memory(&mut self, edge: &mut Edge<'_>) -> bool {
        let state = &mut self.state;
        let is_asked = edge.signals.is_sent(self.ports.frame_request);
        if is_asked {
            state.request = None;
        }
        let Some(response) = edge.signals.received(self.ports.frame_response) else { return is_asked };
        let Some(arrival) = state.arrivals.pop_front().filter(|_| !response.is_fault) else {
            edge.stop("memory does not answer at the address of a descriptor");
            return true;
        };
        state.completions.push_back(arrival.completion);
        state.latency.record(edge.time().saturating_sub(arrival.began));
        edge.count(FRAMES, 1);
        edge.count(BYTES, u64::from(arrival.length));
        true
    }

    fn end_reset(&mut self) {
        let state = &mut self.state;
        if state.is_resetting && state.arrivals.is_empty() {
            state.is_resetting = false;
            state.completions.clear();
            (state.sum, state.dropped) = (0, 0);
        }
    }

    // Asks memory to take the next frame.
    fn store(&mut self) -> bool {
        let state = &mut self.state;
        if state.request.is_some() {
            return false;
        }
        let Some(arrival) = state.arrivals.iter_mut().find(|arrival| arrival.bytes.is_some()) else {
            return false;
        };
        let (address, length, write) = (u64::from(arrival.address), arrival.length, arrival.bytes.take());
        state.request = Some(Block { address, length, source: self.source, write });
        true
    }

    fn see_registers(&mut self, edge: &mut Edge<'_>) -> bool {
        let state = &mut self.state;
        let free = self.descriptors - state.buffers.len() - state.arrivals.len() - state.completions.len();
        let mut pushed = None;
        let (request, response) = (self.ports.registers_request, self.ports.registers_response);
        let has_moved = state.port.commit(request, response, edge, |at, written| {
            match (at, written) {
                (offset::ADDRESS, None) => return Some(state.address),
                (offset::FREE, None) => return Some(free as u32),
                (offset::COMPLETION, None) => {
                    let Some(completion) = state.completions.pop_front() else { return Some(0) };
                    state.sum = completion.sum;
                    return Some(completion.word);
                }
                (offset::SUM, None) => return Some(state.sum.into()),
                (offset::CONTROL, None) => return Some(control::word(state.is_enabled, state.is_resetting)),
                (offset::DROPPED, None) => return Some(state.dropped),
                (offset::ADDRESS, Some(word)) => state.address = word,
                (offset::CONTROL, Some(control::RESET)) => {
                    (state.is_enabled, state.is_resetting) = (false, true);
                    state.buffers.clear();
                }
                (offset::CONTROL, Some(word)) => state.is_enabled = word & control::ENABLED != 0,
                (offset::DESCRIPTOR, Some(word)) => {
                    pushed = Some(Buffer { address: state.address, bytes: word & LENGTH_MASK });
                }
                _ => return None,
            }
            Some(0)
        });
        state.link.enable(state.is_enabled, &self.ports.link_up);
        if let Some(buffer) = pushed {
            if free == 0 {
                edge.stop(format!("the buffer at {:#x} does not fit into the queue", buffer.address));
            } else {
                state.buffers.push_back(buffer);
            }
        }
        has_moved
    }
}
