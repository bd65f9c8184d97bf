//! `link`: one direction of an Ethernet link, byte by byte in time.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Idle, Input, Module, OrUnconnected, Output, Process, Signals, ack, data, parameters,
    ports,
};
use spinach_net::ethernet::{CHECK_SEQUENCE_BYTES, GAP_BYTES, PAUSE_QUANTUM_BYTES, PREAMBLE_BYTES};

use crate::values::Frame;

/// Bytes of time that a frame takes on the link, with everything around it.
pub(crate) const fn wire_bytes(frame_bytes: u64) -> u64 {
    PREAMBLE_BYTES + frame_bytes + CHECK_SEQUENCE_BYTES + GAP_BYTES
}

parameters! {
    /// The parameters of a link.
    pub struct LinkParameters {
        /// Number of bytes that pass in a cycle: 8 at 156.25 MHz for 10 Gb/s, 1 at 125 MHz for 1 Gb/s.
        pub bytes_per_cycle: u32 = 8 => in 1..=64,
        /// Frames start at multiples of this many bytes: 4 lanes at 10 Gb/s, 1 at 1 Gb/s. Gaps shrink and grow for that, 12 bytes on
        /// average.
        pub lanes: u32 = 4 => in 1..=8,
        /// Preamble and start-of-frame delimiter, in bytes.
        pub preamble: u32 = PREAMBLE_BYTES as u32 => in 0..=64,
        /// Gap between two frames, in bytes.
        pub gap: u32 = GAP_BYTES as u32 => in 0..=65536,
        /// `whole` presents a frame after its last byte, `first_byte` with its first byte, for a receiver that takes bytes at the rate of
        /// the wire or a sender that has given them at that rate.
        pub presents: String = "whole".to_owned() => of ["whole", "first_byte"],
    }
}

ports! {
    /// Ports of a link.
    pub struct LinkPorts {
        /// Frames to carry.
        pub input: Input<Frame>,
        /// Frames at the other end.
        pub output: Output<Frame>,
        /// Pause request: no frame starts for this number of quanta of 512 bits; replaces earlier requests.
        pub pause: OrUnconnected<Input<u64>>,
    }
}

/// State of a link. Positions count bytes of time since the start.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct LinkState {
    // Frames under way or not taken yet.
    frames: VecDeque<Passing>,
    // End of the gap after the last frame.
    next_start: u64,
    // End of the requested pause.
    pause_end: u64,
    // Deficit of earlier gaps in bytes, less than `lanes`.
    deficit: u64,
    // In the coming cycle a frame may start; the oldest frame is presented.
    is_free: bool,
    is_presenting: bool,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Passing {
    frame: Frame,
    // With frame check sequence.
    length: u64,
    // The cycle from which on it can be presented.
    ready: u64,
}

/// One direction of an Ethernet link. See its declaration.
pub struct Link {
    bytes_per_cycle: u64,
    lanes: u64,
    preamble: u64,
    gap: u64,
    presents_first: bool,
    ports: LinkPorts,
    state: LinkState,
}

// One is held, one is under way, one starts.
const MOST_FRAMES: usize = 3;

const FRAMES: usize = 0;
const BYTES: usize = 1;
const HELD: usize = 2;

impl Module for Link {
    type Parameters = LinkParameters;
    type Ports = LinkPorts;
    type State = LinkState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "link",
            family: "mac",
            documentation: "One direction of an Ethernet link: carries frames at exactly the rate of the wire.\n\nEach frame \
                            takes the time of its preamble, its bytes, its frame check sequence and the gap. The rate is the \
                            clock times `bytes_per_cycle`. Back-to-back frames of 1518 bytes with frame check sequence pass at \
                            812,744 frames per second at 10 Gb/s. A wire cannot wait, so the receiver should always accept; if \
                            it does not, the frame is held and counted, not lost.\n\nDuring a pause the frame that has started passes, and no frame after it.",
            timing: "All outputs are registered. A frame is taken in the cycle in which its first byte of preamble passes, and presented \
                     in the cycle after the one in which the last byte of its frame check sequence passed, or its first byte if \
                     `presents` is `first_byte`.",
            source: "IEEE 802.3, 4.4.2 (gap), 31B (pause), 46.3.1.4 (deficit idle count); HPCA 2005, section 2.1 (frame rate)",
            parameters: LinkParameters::declare(),
            ports: LinkPorts::declare(),
            counters: &[
                ("frames", "frames that were delivered"),
                ("bytes", "bytes of the frames delivered, with frame check sequence"),
                ("held", "cycles in which a frame was not taken"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: LinkParameters, ports: LinkPorts) -> Result<Self, String> {
        let state = LinkState { is_free: true, ..LinkState::default() };
        Ok(Self {
            bytes_per_cycle: u64::from(parameters.bytes_per_cycle),
            lanes: u64::from(parameters.lanes),
            preamble: u64::from(parameters.preamble),
            gap: u64::from(parameters.gap),
            presents_first: parameters.presents == "first_byte",
            ports,
            state,
        })
    }

    fn processes(&self) -> Vec<Process> {
        type P = LinkPorts;
        vec![Process::new(0).drives([data(P::OUTPUT), ack(P::INPUT)]).accepts([P::PAUSE])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        let oldest = self.state.frames.front().filter(|_| self.state.is_presenting);
        signals.write(self.ports.output, oldest.map(|passing| passing.frame));
        signals.acknowledge(self.ports.input, self.state.is_free);
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        if !edge.signals.is_sent(self.ports.output) {
            edge.count(HELD, u64::from(self.state.is_presenting));
        } else if let Some(passed) = self.state.frames.pop_front() {
            edge.count(FRAMES, 1);
            edge.count(BYTES, passed.length);
        }
        if let Some(frame) = edge.signals.received(self.ports.input) {
            let length = edge.payloads().get(frame.bytes).len() as u64 + CHECK_SEQUENCE_BYTES;
            self.start(frame, length, edge.cycle());
        }
        let next_cycle = edge.cycle() + 1;
        let state = &mut self.state;
        if let Some(quanta) = edge.signals.received(self.ports.pause.port) {
            state.pause_end = next_cycle * self.bytes_per_cycle + quanta * PAUSE_QUANTUM_BYTES;
        }
        let start = state.earliest_start();
        state.is_free = start < (next_cycle + 1) * self.bytes_per_cycle && state.frames.len() < MOST_FRAMES;
        state.is_presenting = state.frames.front().is_some_and(|oldest| oldest.ready <= next_cycle);
    }

    // The commits before those in which `is_free` or `is_presenting` become true change nothing, whatever is presented. While a
    // frame is held, every one counts; `ready_at` is in the past then.
    fn idle(&self) -> Idle {
        let state = &self.state;
        let free_at =
            (!state.is_free).then_some((state.earliest_start() / self.bytes_per_cycle).saturating_sub(1));
        let ready_at = state.frames.front().map(|oldest| oldest.ready.saturating_sub(1));
        let next = free_at.into_iter().chain(ready_at).min();
        next.map_or(Idle::UntilTransfer, Idle::UntilTransferOrCycle)
    }

    fn state(&self) -> &LinkState {
        &self.state
    }

    fn restore(&mut self, state: LinkState) -> Result<(), String> {
        self.state = state;
        Ok(())
    }
}

impl LinkState {
    // Earliest start of the next frame, if one is there.
    fn earliest_start(&self) -> u64 {
        self.next_start.max(self.pause_end)
    }
}

impl Link {
    fn start(&mut self, frame: Frame, length: u64, cycle: u64) {
        let state = &mut self.state;
        let now = cycle * self.bytes_per_cycle;
        let is_back_to_back = state.next_start >= now;
        let earliest = state.earliest_start().max(now);
        let early = earliest % self.lanes;
        let late = (self.lanes - early) % self.lanes;
        let start = if is_back_to_back && state.deficit + early < self.lanes {
            state.deficit += early;
            earliest - early
        } else {
            state.deficit = state.deficit.saturating_sub(late);
            earliest + late
        };
        let end = start + self.preamble + length;
        state.next_start = end + self.gap;
        let presented = if self.presents_first { start + self.preamble } else { end - 1 };
        let ready = presented / self.bytes_per_cycle + 1;
        state.frames.push_back(Passing { frame, length, ready });
    }
}
