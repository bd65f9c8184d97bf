//! `mac_receive_assist`: takes frames from the link and puts them into frame memory.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Idle, Input, Module, OrUnconnected, Output, Payload, Process, Signals, Size, Time,
    ack, data, parameters, ports,
};
use spinach_net::ethernet::{self, FRAME_MINIMUM_BYTES};

use crate::dma::descriptors::{MacDescriptor, status};
use crate::mac::link_signal::LinkSignal;
use crate::parts::histogram::Histogram;
use crate::parts::layout::{SHARED_WORD, WORD, layout};
use crate::parts::mover::{Mover, ProgressWord};
use crate::parts::registers::{Firmware, RING_REGISTERS, RegisterPort, Ring, ring_offset};
use crate::parts::ring_master::ControlMemory;
use crate::values::{Block, BlockResponse, Frame, Reference, Response};

parameters! {
    /// The parameters of a receiving MAC assist.
    pub struct MacReceiveAssistParameters {
        /// The longest frame that is accepted, in bytes without frame check sequence.
        pub largest_frame: u32 = 1514 => in 60..=65535,
        /// Bytes by which a frame with the tag of a VLAN may be longer: 4 for one tag (IEEE 802.3, 3.2.7).
        pub tag_bytes: u32 = 0 => in 0..=8,
        /// If true, frames with a wrong frame check sequence are received and marked instead of dropped.
        pub keeps_bad_frames: bool = false,
        /// Frames begin at a multiple of this many bytes, a power of two, plus `offset`.
        pub alignment: u32 = 16 => power_of_two 1..=4096,
        /// See `alignment`.
        pub offset: u32 = 0 => in 0..=4095,
        /// Number of bytes of frames that fit in on their way to frame memory: two frames of the largest size.
        pub fifo: Size = Size(3036) => in 60..=1_048_576,
        /// Control memory.
        pub control: ControlMemory,
    }
}

ports! {
    /// Ports of a receiving MAC assist.
    pub struct MacReceiveAssistPorts {
        /// Registers.
        pub registers: { request: Input<Reference>, response: Output<Response> },
        /// Control memory.
        pub control: { request: Output<Reference>, response: Input<Response> },
        /// Frame memory.
        pub frame: { request: Output<Block>, response: Input<BlockResponse> },
        /// Frames from the link; always taken.
        pub wire: Input<Frame>,
        /// One word when the firmware first enables the assist: the link is up.
        pub link_up: OrUnconnected<Output<u64>>,
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
enum Stage {
    Arrived,
    Storing,
    Stored,
    Describing,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Arrival {
    descriptor: MacDescriptor,
    bytes: Option<Payload>,
    stage: Stage,
    began: Time,
}

/// A circular region of frame memory in which frames lie one behind the other.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Buffer {
    base: u32,
    size: u32,
    // Address of the next frame, and of the oldest that is in use. Equal means empty.
    producer: u32,
    consumer: u32,
}

/// State of a receiving MAC assist.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MacReceiveAssistState {
    port: RegisterPort,
    ring: Ring,
    buffer: Buffer,
    progress: ProgressWord,
    mover: Mover,
    arrivals: VecDeque<Arrival>,
    frame_request: Option<Block>,
    dropped: u32,
    link: LinkSignal,
    /// Latency from the arrival of a frame to the completion of its descriptor.
    latency: Histogram,
    last_arrival: Time,
    // True if the last commit changed anything; if not, the next will not either unless something comes in.
    has_acted: bool,
}

/// The receiving side of a MAC. See its declaration.
pub struct MacReceiveAssist {
    largest_frame: usize,
    tag_bytes: usize,
    keeps_bad_frames: bool,
    alignment: u32,
    offset: u32,
    fifo: u64,
    source: u16,
    ports: MacReceiveAssistPorts,
    state: MacReceiveAssistState,
}

layout! {
    /// The registers of the receiving side of a MAC.
    pub(super) MAC_RECEIVE_REGISTERS, offset: "mac_receive_registers" {
        /// Registers of the ring of descriptors.
        RING: RING_REGISTERS;
        /// Not used.
        RESERVED: WORD;
        /// First address of the region for received frames in frame memory.
        BUFFER_BASE: SHARED_WORD;
        /// Size of the region, in bytes.
        BUFFER_SIZE: SHARED_WORD;
        /// Address of the next frame.
        BUFFER_PRODUCER: SHARED_WORD;
        /// Address of the oldest byte in use.
        BUFFER_CONSUMER: SHARED_WORD;
        /// Number of dropped frames.
        DROPPED: SHARED_WORD;
    }
}

const FRAMES: usize = 0;
const BYTES: usize = 1;
const DROPPED_DISABLED: usize = 2;
const DROPPED_RUNT: usize = 3;
const DROPPED_OVERSIZE: usize = 4;
const DROPPED_BAD_CHECK_SEQUENCE: usize = 5;
const DROPPED_FIFO_FULL: usize = 6;
const DROPPED_RING_FULL: usize = 7;
const DROPPED_BUFFER_FULL: usize = 8;

// The tag of operations that write descriptors.
const DESCRIPTOR: u64 = 0;

const DOCUMENTATION: &str = "Receive side of a MAC: stores frames from the link in frame memory.

An accepted frame goes to the next place in a circular region of frame memory. When it is stored, the assist writes its \
descriptor into the ring in control memory, then advances `PRODUCER`, then writes `PRODUCER` to the progress word. The firmware \
advances `CONSUMER` to free descriptors and `BUFFER_CONSUMER` to free frame memory. A frame without room is dropped; the link \
never waits.

Frames are stored contiguously, one after the other: each begins at a multiple of `alignment` plus `offset`, at the start of the region \
if it does not fit before the end. A frame at address `a` of `n` bytes is freed, with everything before it, by setting `BUFFER_CONSUMER` to \
`a + n` rounded up to a multiple of `alignment`. Setting `BUFFER_BASE` empties the region; set `BUFFER_BASE` and `BUFFER_SIZE` (both \
multiples of `alignment`) while disabled.

Registers (aligned 32-bit words; the low 8 bits of the address count):

| offset | name | access | content |
|---|---|---|---|
| 0x00 | `BASE` | read, write | address of the ring in control memory |
| 0x04 | `ENTRIES` | read, write | entries of the ring, a power of two; 1 after reset |
| 0x08 | `PRODUCER` | read | number of received frames, modulo 2^32 |
| 0x0c | `CONSUMER` | read, write | number of descriptors freed by the firmware, modulo 2^32 |
| 0x10 | `PROGRESS` | read, write | address of the word in control memory that follows `PRODUCER`; 0 for none |
| 0x14 | `CONTROL` | read, write | bit 0: enabled; 0 after reset |
| 0x18 | `STATUS` | read | bit 0: frames are in flight |
| 0x20 | `BUFFER_BASE` | read, write | address of the region in frame memory |
| 0x24 | `BUFFER_SIZE` | read, write | size of the region in bytes |
| 0x28 | `BUFFER_PRODUCER` | read | address of the next frame, before `offset` |
| 0x2c | `BUFFER_CONSUMER` | read, write | address of the oldest byte in use |
| 0x30 | `DROPPED` | read | number of dropped frames, modulo 2^32 |

Descriptor (8 bytes, big-endian words): address of the frame in frame memory; status (16 bits; bit 0: wrong frame check sequence) and \
length in bytes without frame check sequence (16 bits).";

impl Module for MacReceiveAssist {
    type Parameters = MacReceiveAssistParameters;
    type Ports = MacReceiveAssistPorts;
    type State = MacReceiveAssistState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "mac_receive_assist",
            family: "mac",
            documentation: DOCUMENTATION,
            timing: "All outputs are registered. A register write takes effect in the next cycle. An accepted frame is offered to frame \
                     memory in the next cycle.",
            source: "Spinach thesis, sections 2.1.2 and 3.2.3, table 3.3 (MAC Assist); HPCA 2005, section 4; IEEE 802.3, 4.2.9",
            parameters: MacReceiveAssistParameters::declare(),
            ports: MacReceiveAssistPorts::declare(),
            counters: &[
                ("frames", "frames received"),
                ("bytes", "bytes of the frames received, without frame check sequence"),
                ("dropped_disabled", "frames dropped because the assist was not enabled"),
                (
                    "dropped_runt",
                    "frames dropped because they had less than 64 bytes with frame check sequence",
                ),
                ("dropped_oversize", "frames dropped because they were longer than `largest_frame`"),
                ("dropped_bad_check_sequence", "frames dropped because their frame check sequence was wrong"),
                ("dropped_fifo_full", "frames dropped because frame memory was too slow"),
                ("dropped_ring_full", "frames dropped because the descriptor ring was full"),
                ("dropped_buffer_full", "frames dropped because the region in frame memory was full"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: MacReceiveAssistParameters, ports: MacReceiveAssistPorts) -> Result<Self, String> {
        let source = parameters.control.source as u16;
        Ok(Self {
            largest_frame: parameters.largest_frame as usize,
            tag_bytes: parameters.tag_bytes as usize,
            keeps_bad_frames: parameters.keeps_bad_frames,
            alignment: parameters.alignment,
            offset: parameters.offset,
            fifo: parameters.fifo.0,
            source,
            ports,
            state: MacReceiveAssistState {
                port: RegisterPort::default(),
                ring: Ring::new(parameters.control.first_index),
                buffer: Buffer::default(),
                progress: ProgressWord::new(parameters.control.first_index),
                mover: parameters.control.mover()?,
                arrivals: VecDeque::new(),
                frame_request: None,
                dropped: 0,
                link: LinkSignal::Down,
                latency: Histogram::default(),
                last_arrival: Time::ZERO,
                has_acted: false,
            },
        })
    }

    fn processes(&self) -> Vec<Process> {
        type P = MacReceiveAssistPorts;
        let mut drives = vec![
            data(P::REGISTERS_RESPONSE),
            ack(P::REGISTERS_REQUEST),
            data(P::CONTROL_REQUEST),
            data(P::FRAME_REQUEST),
        ];
        drives.extend(self.ports.link_up.is_connected.then_some(data(P::LINK_UP)));
        vec![Process::new(0).drives(drives).accepts([P::CONTROL_RESPONSE, P::FRAME_RESPONSE, P::WIRE])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        let (ports, state) = (&self.ports, &self.state);
        state.port.evaluate(ports.registers_request, ports.registers_response, signals);
        state.mover.evaluate(ports.control_request, signals);
        signals.write(ports.frame_request, state.frame_request);
        state.link.evaluate(&ports.link_up, signals);
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        self.see_frame_memory(edge);
        let has_completed = self.see_control(edge);
        if let Some(frame) = edge.signals.received(self.ports.wire) {
            self.receive(frame, edge);
        }
        let has_stored = self.store();
        let has_described = self.describe();
        let state = &mut self.state;
        let follows =
            state.progress.follow(state.ring.producer, state.ring.progress_address, &mut state.mover);
        state.has_acted = has_completed || has_stored || has_described || follows;
        self.see_registers(edge);
    }

    fn idle(&self) -> Idle {
        if self.state.has_acted { Idle::No } else { Idle::UntilTransfer }
    }

    fn state(&self) -> &MacReceiveAssistState {
        &self.state
    }

    fn restore(&mut self, state: MacReceiveAssistState) -> Result<(), String> {
        self.state = state;
        Ok(())
    }
}

impl MacReceiveAssist {
    // Takes or drops a frame. Room for it is set aside at once, so that nothing later can fail.
    fn receive(&mut self, frame: Frame, edge: &mut Edge<'_>) {
        let bytes = edge.payloads().get(frame.bytes);
        let length = bytes.len();
        let is_oversize = ethernet::is_oversize(bytes, self.largest_frame, self.tag_bytes);
        let state = &mut self.state;
        state.last_arrival = edge.time();
        let in_fifo = |arrival: &&Arrival| matches!(arrival.stage, Stage::Arrived | Stage::Storing);
        let used: u64 =
            state.arrivals.iter().filter(in_fifo).map(|arrival| u64::from(arrival.descriptor.length)).sum();
        let in_ring = state.ring.filled() as usize + state.arrivals.len();
        let place = if !state.ring.is_enabled {
            Err(DROPPED_DISABLED)
        } else if length < FRAME_MINIMUM_BYTES {
            Err(DROPPED_RUNT)
        } else if is_oversize {
            Err(DROPPED_OVERSIZE)
        } else if !frame.is_intact && !self.keeps_bad_frames {
            Err(DROPPED_BAD_CHECK_SEQUENCE)
        } else if used + length as u64 > self.fifo {
            Err(DROPPED_FIFO_FULL)
        } else if in_ring >= state.ring.entries() as usize {
            Err(DROPPED_RING_FULL)
        } else {
            state.buffer.place(length as u32, self.alignment, self.offset).ok_or(DROPPED_BUFFER_FULL)
        };
        match place {
            Ok(address) => {
                let status = if frame.is_intact { 0 } else { status::BAD_CHECK_SEQUENCE };
                let descriptor = MacDescriptor { address, status, length: length as u16 };
                let (bytes, stage, began) = (Some(frame.bytes), Stage::Arrived, edge.time());
                state.arrivals.push_back(Arrival { descriptor, bytes, stage, began });
            }
            Err(reason) => {
                edge.payloads().remove(frame.bytes);
                edge.count(reason, frame.loss());
                state.dropped = state.dropped.wrapping_add(1);
            }
        }
    }

    fn first_at(&mut self, stage: Stage) -> Option<&mut Arrival> {
        self.state.arrivals.iter_mut().find(|arrival| arrival.stage == stage)
    }

    fn see_frame_memory(&mut self, edge: &mut Edge<'_>) {
        if edge.signals.is_sent(self.ports.frame_request) {
            self.state.frame_request = None;
        }
        let Some(response) = edge.signals.received(self.ports.frame_response) else { return };
        let Some(arrival) = self.first_at(Stage::Storing) else { return };
        arrival.stage = Stage::Stored;
        if response.is_fault {
            let address = arrival.descriptor.address;
            edge.stop(format!("frame memory does not answer at {address:#x}"));
        }
    }

    fn see_control(&mut self, edge: &mut Edge<'_>) -> bool {
        let state = &mut self.state;
        let finished = state.mover.commit(self.ports.control_request, self.ports.control_response, edge);
        let Some(finished) = finished else { return false };
        if finished.is_fault {
            edge.stop(format!("control memory does not answer at {:#x}", finished.address));
        }
        if finished.tag == ProgressWord::TAG {
            state.progress.finish();
        } else if let Some(arrival) = state.arrivals.pop_front() {
            edge.count(FRAMES, 1);
            edge.count(BYTES, u64::from(arrival.descriptor.length));
            state.latency.record(edge.time().saturating_sub(arrival.began));
            state.ring.producer = state.ring.producer.wrapping_add(1);
        }
        true
    }

    // Begins to store the next frame.
    fn store(&mut self) -> bool {
        if self.state.frame_request.is_some() {
            return false;
        }
        let source = self.source;
        let Some(arrival) = self.first_at(Stage::Arrived) else { return false };
        arrival.stage = Stage::Storing;
        let MacDescriptor { address, length, .. } = arrival.descriptor;
        let write = arrival.bytes.take();
        self.state.frame_request =
            Some(Block { address: u64::from(address), length: u32::from(length), source, write });
        true
    }

    // Begins to write the descriptor of the next frame, once the frame is stored.
    fn describe(&mut self) -> bool {
        let state = &mut self.state;
        let Some(at) = state.arrivals.iter().position(|arrival| arrival.stage != Stage::Describing) else {
            return false;
        };
        if state.arrivals[at].stage != Stage::Stored {
            return false;
        }
        state.arrivals[at].stage = Stage::Describing;
        let slot = state.ring.slot(state.ring.producer.wrapping_add(at as u32), MacDescriptor::BYTES);
        state.mover.write(DESCRIPTOR, slot, state.arrivals[at].descriptor.to_bytes().to_vec());
        true
    }

    fn see_registers(&mut self, edge: &mut Edge<'_>) {
        let state = &mut self.state;
        state.link.see(&self.ports.link_up, edge.signals);
        let is_busy = !state.arrivals.is_empty();
        let alignment = self.alignment;
        let (request, response) = (self.ports.registers_request, self.ports.registers_response);
        state.port.commit(request, response, edge, |register, written| match register {
            offset::DROPPED if written.is_none() => Some(state.dropped),
            offset::BUFFER_BASE.. => state.buffer.access(register, written, alignment),
            ring_offset::BASE..offset::BUFFER_BASE => {
                state.ring.access(register, written, Firmware::Consumes, is_busy)
            }
        });
        state.link.enable(state.ring.is_enabled, &self.ports.link_up);
        if let Some(overrun) = state.ring.overrun() {
            edge.stop(overrun.to_string());
        }
    }
}

impl Buffer {
    // Reserves room for `length` bytes and returns its address; `None` if they do not fit.
    fn place(&mut self, length: u32, alignment: u32, offset: u32) -> Option<u32> {
        let span = (offset + length).next_multiple_of(alignment);
        let end = self.base.checked_add(self.size)?;
        // Behind the oldest frame in use there are the frames up to the producer, then free room; producer may never catch up with
        // consumer, because that means empty.
        let is_wrapped = self.producer < self.consumer;
        let limit = if is_wrapped { self.consumer - 1 } else { end };
        let start = if self.producer.checked_add(span)? <= limit {
            self.producer
        } else if !is_wrapped && self.base + span < self.consumer || self.is_empty() && span <= self.size {
            self.base
        } else {
            return None;
        };
        if self.is_empty() {
            self.consumer = start;
        }
        self.producer = start + span;
        Some(start + offset)
    }

    fn is_empty(&self) -> bool {
        self.producer == self.consumer
    }

    fn access(&mut self, register: u32, written: Option<u32>, alignment: u32) -> Option<u32> {
        let Some(word) = written else {
            return match register {
                offset::BUFFER_BASE => Some(self.base),
                offset::BUFFER_SIZE => Some(self.size),
                offset::BUFFER_PRODUCER => Some(self.producer),
                offset::BUFFER_CONSUMER => Some(self.consumer),
                _ => None,
            };
        };
        match register {
            offset::BUFFER_BASE if word % alignment == 0 => {
                (self.base, self.producer, self.consumer) = (word, word, word);
            }
            offset::BUFFER_SIZE if word % alignment == 0 => self.size = word,
            offset::BUFFER_CONSUMER => self.consumer = word,
            _ => return None,
        }
        Some(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_in_the_buffer_never_overlap_and_all_room_comes_back() {
        let mut random = 12_345u32;
        let mut next = move || {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            random >> 16
        };
        let (base, size) = (0x1000u32, 8192u32);
        let mut buffer = Buffer { base, size, producer: base, consumer: base };
        let mut held: VecDeque<(u32, u32)> = VecDeque::new();
        let (mut placed, mut refused) = (0, 0);
        for _ in 0..100_000 {
            if next() % 2 == 0 {
                let length = 60 + next() % 1455;
                if let Some(address) = buffer.place(length, 16, 2) {
                    assert!(address % 16 == 2 && address >= base && address + length <= base + size);
                    assert!(held.iter().all(|(at, bytes)| address + length <= *at || at + bytes <= address));
                    held.push_back((address, length));
                    placed += 1;
                } else {
                    let used: u32 = held.iter().map(|(_, length)| length + 17).sum();
                    assert!(used + 2 * 1514 > size / 2, "refused although at most {used} bytes are in use");
                    refused += 1;
                }
            } else if let Some((address, length)) = held.pop_front() {
                buffer.consumer = (address + length).next_multiple_of(16);
                assert_eq!(buffer.is_empty(), held.is_empty());
            }
        }
        assert!(placed > 10_000 && refused > 1_000, "{placed} placed, {refused} refused");
    }
}
