//! `frame_fifo`: a memory for whole frames behind a link.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Idle, Input, Module, OrUnconnected, Output, Process, Signals, Size, data, parameters,
    ports,
};

use crate::mac::link_signal::LinkSignal;
use crate::values::Frame;

parameters! {
    /// The parameters of a FIFO of frames.
    pub struct FrameFifoParameters {
        /// Size of the memory, in bytes.
        pub size: Size = Size(256 << 10) => in 64..=1 << 30,
        /// Number of bytes of a line. Frames begin with a line, so that the last of each may hold fewer.
        pub line_bytes: u32 = 64 => in 1..=4096,
        /// Cycles from a frame's coming until it is presented.
        pub latency: u32 = 1 => in 1..=1024,
        /// Number of bytes of the shortest frame, without frame check sequence.
        pub shortest: u32 = 60 => in 0..=65535,
        /// Number of bytes of the longest frame, without frame check sequence.
        pub longest: u32 = 65535 => in 1..=1 << 24,
    }
}

ports! {
    /// Ports of a FIFO of frames.
    pub struct FrameFifoPorts {
        /// Frames from the link; always taken.
        pub input: Input<Frame>,
        /// Frames without damage, in the order in which they came.
        pub output: Output<Frame>,
        /// One word at the beginning: the link is up.
        pub link_up: OrUnconnected<Output<u64>>,
        /// Lines that hold frames, and from bit 32 on the number of frames that were dropped because they did not fit in or were damaged;
        /// nothing while both are 0.
        pub fill: OrUnconnected<Output<u64>>,
    }
}

/// State of a FIFO of frames.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FrameFifoState {
    // Frames, each with its lines and the first cycle in which it is presented.
    frames: VecDeque<(Frame, u64, u64)>,
    lines: u64,
    dropped: u32,
    next_cycle: u64,
    link: LinkSignal,
}

/// A memory for whole frames behind a link. See its declaration.
pub struct FrameFifo {
    lines: u64,
    line_bytes: u64,
    latency: u64,
    lengths: std::ops::RangeInclusive<u64>,
    ports: FrameFifoPorts,
    state: FrameFifoState,
}

const FRAMES: usize = 0;
const DROPPED_FULL: usize = 1;
const DROPPED_BAD_CHECK_SEQUENCE: usize = 2;
const DROPPED_RUNT: usize = 3;
const DROPPED_OVERSIZE: usize = 4;

impl Module for FrameFifo {
    type Parameters = FrameFifoParameters;
    type Ports = FrameFifoPorts;
    type State = FrameFifoState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "frame_fifo",
            family: "mac",
            documentation: "A memory for whole frames behind a link.\n\nA frame that does not fit in is dropped, and so is one that is damaged, too short or \
                            too long.",
            timing: "All outputs are registered.",
            source: "Rosebud (ASPLOS 2023): receive FIFO of a port",
            parameters: FrameFifoParameters::declare(),
            ports: FrameFifoPorts::declare(),
            counters: &[
                ("frames", "frames that have left"),
                ("dropped_full", "frames dropped because they did not fit in"),
                ("dropped_bad_check_sequence", "frames dropped because their frame check sequence was wrong"),
                ("dropped_runt", "frames dropped because they were too short"),
                ("dropped_oversize", "frames dropped because they were too long"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: FrameFifoParameters, ports: FrameFifoPorts) -> Result<Self, String> {
        let mut link = LinkSignal::default();
        link.enable(true, &ports.link_up);
        let state = FrameFifoState { link, ..FrameFifoState::default() };
        let lengths = u64::from(parameters.shortest)..=u64::from(parameters.longest);
        let (line_bytes, latency) = (u64::from(parameters.line_bytes), u64::from(parameters.latency));
        Ok(Self { lines: parameters.size.0 / line_bytes, line_bytes, latency, lengths, ports, state })
    }

    fn processes(&self) -> Vec<Process> {
        type P = FrameFifoPorts;
        let link_up = self.ports.link_up.is_connected.then_some(data(P::LINK_UP));
        let fill = self.ports.fill.is_connected.then_some(data(P::FILL));
        vec![Process::new(0).drives([data(P::OUTPUT)]).drives(link_up).drives(fill).accepts([P::INPUT])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        let state = &self.state;
        let first = state.frames.front().filter(|(.., due)| *due <= state.next_cycle);
        signals.write(self.ports.output, first.map(|(frame, ..)| *frame));
        state.link.evaluate(&self.ports.link_up, signals);
        if self.ports.fill.is_connected {
            let fill = u64::from(state.dropped) << 32 | state.lines;
            signals.write(self.ports.fill.port, (fill != 0).then_some(fill));
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let cycle = edge.cycle();
        let state = &mut self.state;
        state.next_cycle = cycle + 1;
        state.link.see(&self.ports.link_up, edge.signals);
        if edge.signals.is_sent(self.ports.output)
            && let Some((_, lines, _)) = state.frames.pop_front()
        {
            state.lines -= lines;
            edge.count(FRAMES, 1);
        }
        let Some(frame) = edge.signals.received(self.ports.input) else { return };
        let length = edge.payloads().get(frame.bytes).len() as u64;
        let lines = length.div_ceil(self.line_bytes);
        let refusal = if length < *self.lengths.start() {
            Some(DROPPED_RUNT)
        } else if length > *self.lengths.end() {
            Some(DROPPED_OVERSIZE)
        } else if !frame.is_intact {
            Some(DROPPED_BAD_CHECK_SEQUENCE)
        } else if state.lines + lines > self.lines {
            Some(DROPPED_FULL)
        } else {
            None
        };
        if let Some(counter) = refusal {
            edge.payloads().remove(frame.bytes);
            edge.count(counter, frame.loss());
            let is_counted = counter == DROPPED_FULL || counter == DROPPED_BAD_CHECK_SEQUENCE;
            state.dropped = state.dropped.wrapping_add(is_counted.into());
        } else {
            state.lines += lines;
            state.frames.push_back((frame, lines, cycle + self.latency));
        }
    }

    fn idle(&self) -> Idle {
        let first = self.state.frames.front();
        if first.is_none_or(|(.., due)| *due <= self.state.next_cycle) {
            Idle::UntilTransfer
        } else {
            Idle::No
        }
    }

    fn state(&self) -> &FrameFifoState {
        &self.state
    }

    fn restore(&mut self, state: FrameFifoState) -> Result<(), String> {
        self.state = state;
        Ok(())
    }
}
