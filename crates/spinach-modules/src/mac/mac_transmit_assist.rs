//! `mac_transmit_assist`: takes frames from frame memory and passes them to the link.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Idle, Input, Module, Output, Payload, Process, Signals, Size, Time, ack, data,
    parameters, ports,
};
use spinach_net::ethernet::FRAME_MINIMUM_BYTES;

use crate::dma::descriptors::MacDescriptor;
use crate::parts::histogram::Histogram;
use crate::parts::mover::{Finished, Mover, ProgressWord};
use crate::parts::registers::{Firmware, RegisterPort, Ring};
use crate::parts::ring_master::{ControlMemory, fetch_descriptor};
use crate::values::{Block, BlockResponse, Frame, Reference, Response};

parameters! {
    /// The parameters of a transmitting MAC assist.
    pub struct MacTransmitAssistParameters {
        /// Number of descriptors held at once, from fetch to departure.
        pub descriptors: u32 = 8 => in 1..=64,
        /// Number of bytes of frames that fit in: two frames of the largest size. A single frame may exceed it.
        pub fifo: Size = Size(3036) => in 1..=1_048_576,
        /// Control memory.
        pub control: ControlMemory,
    }
}

ports! {
    /// Ports of a transmitting MAC assist.
    pub struct MacTransmitAssistPorts {
        /// Registers.
        pub registers: { request: Input<Reference>, response: Output<Response> },
        /// Control memory.
        pub control: { request: Output<Reference>, response: Input<Response> },
        /// Frame memory.
        pub frame: { request: Output<Block>, response: Input<BlockResponse> },
        /// Frames to the link.
        pub wire: Output<Frame>,
    }
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Departure {
    descriptor: MacDescriptor,
    is_asked: bool,
    bytes: Option<Payload>,
    began: Time,
}

/// State of a transmitting MAC assist.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MacTransmitAssistState {
    port: RegisterPort,
    ring: Ring,
    progress: ProgressWord,
    mover: Mover,
    // Number of descriptors that were asked for.
    asked: u32,
    departures: VecDeque<Departure>,
    frame_request: Option<Block>,
    /// Latency from the arrival of a descriptor to the departure of its frame.
    latency: Histogram,
    last_departure: Time,
    // True if the last commit changed anything; if not, the next will not either unless something comes in.
    has_acted: bool,
}

/// The sending side of a MAC. See its declaration.
pub struct MacTransmitAssist {
    descriptors: usize,
    fifo: u64,
    source: u16,
    ports: MacTransmitAssistPorts,
    state: MacTransmitAssistState,
}

const FRAMES: usize = 0;
const BYTES: usize = 1;

// The tag of operations that fetch descriptors.
const DESCRIPTOR: u64 = 0;

const DOCUMENTATION: &str = "Transmit side of a MAC: sends frames from frame memory to the link.

The firmware writes descriptors into a ring in control memory and advances `PRODUCER`. The assist prefetches descriptors and up \
to two frames, sends the frames to the link in order, and pads those shorter than 60 bytes with zeros. When the link has \
accepted a frame, the assist advances `CONSUMER` and then writes it to the progress word.

Registers (aligned 32-bit words; the low 8 bits of the address count):

| offset | name | access | content |
|---|---|---|---|
| 0x00 | `BASE` | read, write | address of the ring in control memory |
| 0x04 | `ENTRIES` | read, write | entries of the ring, a power of two; 1 after reset |
| 0x08 | `PRODUCER` | read, write | number of descriptors written by the firmware, modulo 2^32 |
| 0x0c | `CONSUMER` | read | number of sent frames, modulo 2^32 |
| 0x10 | `PROGRESS` | read, write | address of the word in control memory that follows `CONSUMER`; 0 for none |
| 0x14 | `CONTROL` | read, write | bit 0: enabled; 0 after reset |
| 0x18 | `STATUS` | read | bit 0: frames are in flight |

Descriptor (8 bytes, big-endian words): address of the frame in frame memory; status (16 bits, ignored) and length in bytes without \
frame check sequence (16 bits).

The simulation stops, with the reason, if an address of a descriptor does not respond, if a frame has 0 bytes, or if the \
firmware overfills the ring.";

impl Module for MacTransmitAssist {
    type Parameters = MacTransmitAssistParameters;
    type Ports = MacTransmitAssistPorts;
    type State = MacTransmitAssistState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "mac_transmit_assist",
            family: "mac",
            documentation: DOCUMENTATION,
            timing: "All outputs are registered. A register write takes effect in the next cycle. A frame that has arrived from frame \
                     memory is offered to the link in the next cycle.",
            source: "Spinach thesis, sections 2.1.2 and 3.2.3, table 3.3 (MAC Assist); HPCA 2005, section 4; IEEE 802.3, 4.2.3.3 \
                     (padding)",
            parameters: MacTransmitAssistParameters::declare(),
            ports: MacTransmitAssistPorts::declare(),
            counters: &[
                ("frames", "frames sent"),
                ("bytes", "bytes of the frames sent, without frame check sequence"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: MacTransmitAssistParameters, ports: MacTransmitAssistPorts) -> Result<Self, String> {
        let source = parameters.control.source as u16;
        Ok(Self {
            descriptors: parameters.descriptors as usize,
            fifo: parameters.fifo.0,
            source,
            ports,
            state: MacTransmitAssistState {
                port: RegisterPort::default(),
                ring: Ring::new(parameters.control.first_index),
                progress: ProgressWord::new(parameters.control.first_index),
                mover: parameters.control.mover()?,
                asked: parameters.control.first_index,
                departures: VecDeque::new(),
                frame_request: None,
                latency: Histogram::default(),
                last_departure: Time::ZERO,
                has_acted: false,
            },
        })
    }

    fn processes(&self) -> Vec<Process> {
        type P = MacTransmitAssistPorts;
        let drives = [
            data(P::REGISTERS_RESPONSE),
            ack(P::REGISTERS_REQUEST),
            data(P::CONTROL_REQUEST),
            data(P::FRAME_REQUEST),
            data(P::WIRE),
        ];
        vec![Process::new(0).drives(drives).accepts([P::CONTROL_RESPONSE, P::FRAME_RESPONSE])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        let (ports, state) = (&self.ports, &self.state);
        state.port.evaluate(ports.registers_request, ports.registers_response, signals);
        state.mover.evaluate(ports.control_request, signals);
        signals.write(ports.frame_request, state.frame_request);
        let oldest = state.departures.front().and_then(|departure| departure.bytes);
        signals.write(ports.wire, oldest.map(Frame::intact));
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        self.see_control(edge);
        self.see_frame_memory(edge);
        let has_sent = self.complete(edge);
        let has_fetched = self.fetch();
        let has_asked = self.fetch_descriptor(edge);
        self.state.has_acted = has_sent || has_fetched || has_asked;
        let state = &mut self.state;
        let is_busy = state.ring.filled() > 0;
        let (request, response) = (self.ports.registers_request, self.ports.registers_response);
        state.port.commit(request, response, edge, |offset, written| {
            state.ring.access(offset, written, Firmware::Produces, is_busy)
        });
    }

    fn idle(&self) -> Idle {
        if self.state.has_acted { Idle::No } else { Idle::UntilTransfer }
    }

    fn state(&self) -> &MacTransmitAssistState {
        &self.state
    }

    fn restore(&mut self, state: MacTransmitAssistState) -> Result<(), String> {
        self.state = state;
        Ok(())
    }
}

impl MacTransmitAssist {
    fn see_control(&mut self, edge: &mut Edge<'_>) {
        let state = &mut self.state;
        let finished = state.mover.commit(self.ports.control_request, self.ports.control_response, edge);
        let Some(Finished { tag, address, bytes, is_fault }) = finished else { return };
        if is_fault {
            edge.stop(format!("control memory does not answer at {address:#x}"));
        }
        if tag == ProgressWord::TAG {
            state.progress.finish();
            return;
        }
        let descriptor = MacDescriptor::from_bytes(&bytes);
        if descriptor.length == 0 {
            edge.stop(format!("the descriptor at {address:#x} is of a frame of 0 bytes"));
        }
        state.departures.push_back(Departure {
            descriptor,
            is_asked: false,
            bytes: None,
            began: edge.time(),
        });
    }

    fn see_frame_memory(&mut self, edge: &mut Edge<'_>) {
        let state = &mut self.state;
        if edge.signals.is_sent(self.ports.frame_request) {
            state.frame_request = None;
        }
        let Some(response) = edge.signals.received(self.ports.frame_response) else { return };
        let waiting =
            state.departures.iter_mut().find(|departure| departure.is_asked && departure.bytes.is_none());
        let (Some(departure), Some(mut bytes)) = (waiting, response.read) else {
            edge.stop("frame memory does not answer at the address of a descriptor");
            return;
        };
        if edge.payloads().get(bytes).len() < FRAME_MINIMUM_BYTES {
            let mut padded = edge.payloads().remove(bytes).unwrap_or_default().into_vec();
            padded.resize(FRAME_MINIMUM_BYTES, 0);
            bytes = edge.payloads().insert(padded);
        }
        departure.bytes = Some(bytes);
    }

    // Sees whether the link took a frame, and lets the progress word follow.
    fn complete(&mut self, edge: &mut Edge<'_>) -> bool {
        let state = &mut self.state;
        let has_sent = edge.signals.is_sent(self.ports.wire);
        if has_sent && let Some(departure) = state.departures.pop_front() {
            edge.count(FRAMES, 1);
            edge.count(BYTES, u64::from(departure.descriptor.length).max(FRAME_MINIMUM_BYTES as u64));
            state.latency.record(edge.time().saturating_sub(departure.began));
            state.last_departure = edge.time();
            state.ring.consumer = state.ring.consumer.wrapping_add(1);
        }
        let follows =
            state.progress.follow(state.ring.consumer, state.ring.progress_address, &mut state.mover);
        has_sent || follows
    }

    // Asks for the next frame, if there is room for it.
    fn fetch(&mut self) -> bool {
        let state = &mut self.state;
        if state.frame_request.is_some() {
            return false;
        }
        let held = state.departures.iter().filter(|departure| departure.is_asked);
        let used: u64 = held.map(|departure| u64::from(departure.descriptor.length)).sum();
        let Some(departure) = state.departures.iter_mut().find(|departure| !departure.is_asked) else {
            return false;
        };
        let MacDescriptor { address, length, .. } = departure.descriptor;
        if used > 0 && used + u64::from(length) > self.fifo {
            return false;
        }
        departure.is_asked = true;
        let (address, length) = (u64::from(address), u32::from(length));
        state.frame_request = Some(Block { address, length, source: self.source, write: None });
        true
    }

    fn fetch_descriptor(&mut self, edge: &mut Edge<'_>) -> bool {
        let MacTransmitAssistState { ring, asked, mover, .. } = &mut self.state;
        let what = (DESCRIPTOR, MacDescriptor::BYTES);
        fetch_descriptor(ring, asked, self.descriptors, what, mover).unwrap_or_else(|overrun| {
            edge.stop(overrun.to_string());
            false
        })
    }
}
