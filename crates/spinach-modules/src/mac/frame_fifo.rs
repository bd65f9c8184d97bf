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
        /// Number of bytes of frames that fit in.
        pub size: Size = Size(256 << 10) => in 64..=1 << 30,
        /// Number of bytes from which on the memory is almost full.
        pub almost_full_from: Size = Size(224 << 10) => in 0..=1 << 30,
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
        /// A word while the memory is almost full.
        pub almost_full: OrUnconnected<Output<u64>>,
    }
}

/// State of a FIFO of frames.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FrameFifoState {
    frames: VecDeque<(Frame, u64)>,
    bytes: u64,
    link: LinkSignal,
}

/// A memory for whole frames behind a link. See its declaration.
pub struct FrameFifo {
    size: u64,
    almost_full_from: u64,
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
            timing: "All outputs are registered: a frame is presented in the cycle after it came at the earliest.",
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
        let FrameFifoParameters { size, almost_full_from, shortest, longest } = parameters;
        let lengths = u64::from(shortest)..=u64::from(longest);
        Ok(Self { size: size.0, almost_full_from: almost_full_from.0, lengths, ports, state })
    }

    fn processes(&self) -> Vec<Process> {
        type P = FrameFifoPorts;
        let link_up = self.ports.link_up.is_connected.then_some(data(P::LINK_UP));
        let almost_full = self.ports.almost_full.is_connected.then_some(data(P::ALMOST_FULL));
        vec![
            Process::new(0).drives([data(P::OUTPUT)]).drives(link_up).drives(almost_full).accepts([P::INPUT]),
        ]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        signals.write(self.ports.output, self.state.frames.front().map(|(frame, _)| *frame));
        self.state.link.evaluate(&self.ports.link_up, signals);
        if self.ports.almost_full.is_connected {
            let is_almost_full = self.state.bytes >= self.almost_full_from;
            signals.write(self.ports.almost_full.port, is_almost_full.then_some(1));
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let state = &mut self.state;
        state.link.see(&self.ports.link_up, edge.signals);
        if edge.signals.is_sent(self.ports.output)
            && let Some((_, length)) = state.frames.pop_front()
        {
            state.bytes -= length;
            edge.count(FRAMES, 1);
        }
        let Some(frame) = edge.signals.received(self.ports.input) else { return };
        let length = edge.payloads().get(frame.bytes).len() as u64;
        let refusal = if length < *self.lengths.start() {
            Some(DROPPED_RUNT)
        } else if length > *self.lengths.end() {
            Some(DROPPED_OVERSIZE)
        } else if !frame.is_intact {
            Some(DROPPED_BAD_CHECK_SEQUENCE)
        } else if state.bytes + length > self.size {
            Some(DROPPED_FULL)
        } else {
            None
        };
        if let Some(counter) = refusal {
            edge.payloads().remove(frame.bytes);
            edge.count(counter, 1);
        } else {
            state.bytes += length;
            state.frames.push_back((frame, length));
        }
    }

    fn idle(&self) -> Idle {
        Idle::UntilTransfer
    }

    fn state(&self) -> &FrameFifoState {
        &self.state
    }

    fn restore(&mut self, state: FrameFifoState) -> Result<(), String> {
        self.state = state;
        Ok(())
    }
}
