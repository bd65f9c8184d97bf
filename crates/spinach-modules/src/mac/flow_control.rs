//! `flow_control`: sends pause frames for receivers without room, and obeys those of the other end of the link.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    AnyNumber, Declaration, Edge, Idle, Input, Module, Output, Process, Signals, ack, data, parameters, ports,
};
use spinach_net::ethernet::{PAUSE_QUANTUM_BYTES, pause_frame, pause_quanta};

use crate::values::Frame;

parameters! {
    /// The parameters of flow control.
    pub struct FlowControlParameters {
        /// Number of bytes that pass on the link in a cycle, as of `link`.
        pub bytes_per_cycle: u32 = 8 => in 1..=64,
        /// Quanta of 512 bits that a pause is asked for; it is asked for again after half of them.
        pub quanta: u32 = 65535 => in 2..=65535,
        /// MAC address of this end, the source of its pause frames, and the destination of those for it alone.
        pub address: u64 = 0 => in 0..=0xffff_ffff_ffff,
    }
}

ports! {
    /// Ports of flow control.
    pub struct FlowControlPorts {
        /// Frames to send.
        pub send: Input<Frame>,
        /// These and pause frames, to the link.
        pub sent: Output<Frame>,
        /// Frames from the link.
        pub arriving: Input<Frame>,
        /// These without pause frames.
        pub received: Output<Frame>,
        /// Receivers: 1 when one runs out of room, 0 when it has room again. Always taken.
        pub congested: AnyNumber<Input<u64>>,
    }
}

/// State of flow control.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FlowControlState {
    leaving: VecDeque<Frame>,
    arrived: VecDeque<Frame>,
    // Pause frame that goes before all others.
    pause: Option<Frame>,
    congested: Vec<bool>,
    // The other end was asked to pause; the cycle in which it is asked again.
    is_asking: bool,
    again: u64,
    // The first cycle in which frames may be sent; whether the coming one is before.
    paused_until: u64,
    is_paused: bool,
}

/// Flow control of one end of a link. See its declaration.
pub struct FlowControl {
    bytes_per_cycle: u64,
    quanta: u16,
    address: [u8; 6],
    ports: FlowControlPorts,
    state: FlowControlState,
}

/// Two frames keep a direction at one a cycle with both sides registered.
const FRAMES_HELD: usize = 2;

const FRAMES: usize = 0;
const PAUSES_SENT: usize = 1;
const PAUSES_RECEIVED: usize = 2;
const DROPPED_PAUSE: usize = 3;

impl Module for FlowControl {
    type Parameters = FlowControlParameters;
    type Ports = FlowControlPorts;
    type State = FlowControlState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "flow_control",
            family: "mac",
            documentation: "Flow control of one end of a link, between its MACs and the link.\n\nWhile a receiver is congested, the other \
                            end is asked to pause: by a pause frame before all other frames, and again after half of the time asked for. \
                            When no receiver is congested, a pause frame with 0 quanta ends the pause. A pause frame that arrives holds up \
                            the frames to send for its quanta, from its end on; those that the link has taken pass, and so do pause frames. \
                            It goes no further, and is a drop if a source of traffic sent it. Damaged pause frames are passed on.",
            timing: "All outputs are registered: a frame is presented in the cycle after it came at the earliest.",
            source: "IEEE 802.3, annex 31B",
            parameters: FlowControlParameters::declare(),
            ports: FlowControlPorts::declare(),
            counters: &[
                ("frames", "frames sent, without pause frames"),
                ("pauses_sent", "pause frames sent"),
                ("pauses_received", "pause frames received"),
                ("dropped_pause", "pause frames received that a source of traffic sent"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: FlowControlParameters, ports: FlowControlPorts) -> Result<Self, String> {
        let state =
            FlowControlState { congested: vec![false; ports.congested.len()], ..FlowControlState::default() };
        let [_, _, address @ ..] = parameters.address.to_be_bytes();
        Ok(Self {
            bytes_per_cycle: u64::from(parameters.bytes_per_cycle),
            quanta: parameters.quanta as u16,
            address,
            ports,
            state,
        })
    }

    fn processes(&self) -> Vec<Process> {
        type P = FlowControlPorts;
        let drives = [data(P::SENT), ack(P::SEND), data(P::RECEIVED), ack(P::ARRIVING)];
        vec![Process::new(0).drives(drives).accepts([P::CONGESTED])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        let (ports, state) = (&self.ports, &self.state);
        let next = state.leaving.front().copied().filter(|_| !state.is_paused);
        signals.write(ports.sent, state.pause.or(next));
        signals.acknowledge(ports.send, state.leaving.len() < FRAMES_HELD);
        signals.write(ports.received, state.arrived.front().copied());
        signals.acknowledge(ports.arriving, state.arrived.len() < FRAMES_HELD);
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        self.see_sent(edge);
        self.see_arriving(edge);
        for (lane, input) in self.ports.congested.iter().enumerate() {
            if let Some(word) = edge.signals.received(*input) {
                self.state.congested[lane] = word != 0;
            }
        }
        self.ask(edge);
        self.state.is_paused = self.state.paused_until > edge.cycle() + 1;
    }

    // The commit before a cycle decides the values of the cycle.
    fn idle(&self) -> Idle {
        let state = &self.state;
        let again = state.is_asking.then_some(state.again);
        let end = state.is_paused.then_some(state.paused_until);
        let next = again.into_iter().chain(end).min();
        next.map_or(Idle::UntilTransfer, |cycle| Idle::UntilTransferOrCycle(cycle.saturating_sub(1)))
    }

    fn state(&self) -> &FlowControlState {
        &self.state
    }

    fn restore(&mut self, state: FlowControlState) -> Result<(), String> {
        if state.congested.len() != self.state.congested.len() {
            return Err("the saved flow control has another number of receivers".to_owned());
        }
        self.state = state;
        Ok(())
    }
}

impl FlowControl {
    fn see_sent(&mut self, edge: &mut Edge<'_>) {
        let state = &mut self.state;
        if edge.signals.is_sent(self.ports.sent) {
            if state.pause.take().is_some() {
                edge.count(PAUSES_SENT, 1);
            } else {
                state.leaving.pop_front();
                edge.count(FRAMES, 1);
            }
        }
        state.leaving.extend(edge.signals.received(self.ports.send));
    }

    fn see_arriving(&mut self, edge: &mut Edge<'_>) {
        let state = &mut self.state;
        if edge.signals.is_sent(self.ports.received) {
            state.arrived.pop_front();
        }
        let Some(frame) = edge.signals.received(self.ports.arriving) else { return };
        let bytes = edge.payloads().get(frame.bytes);
        let quanta = pause_quanta(bytes, self.address).filter(|_| frame.is_intact);
        let Some(quanta) = quanta else {
            state.arrived.push_back(frame);
            return;
        };
        drop(edge.payloads().remove(frame.bytes));
        edge.count(PAUSES_RECEIVED, 1);
        edge.count(DROPPED_PAUSE, frame.loss());
        self.state.paused_until = edge.cycle() + 1 + self.cycles(quanta);
    }

    fn cycles(&self, quanta: u64) -> u64 {
        (quanta * PAUSE_QUANTUM_BYTES).div_ceil(self.bytes_per_cycle)
    }

    // Asks the other end to pause or to continue. A request that has not left yet is replaced.
    fn ask(&mut self, edge: &mut Edge<'_>) {
        let is_congested = self.state.congested.contains(&true);
        let next_cycle = edge.cycle() + 1;
        let quanta = match (is_congested, self.state.is_asking) {
            (true, false) => self.quanta,
            (true, true) if next_cycle >= self.state.again => self.quanta,
            (false, true) => 0,
            _ => return,
        };
        if let Some(earlier) = self.state.pause.take() {
            drop(edge.payloads().remove(earlier.bytes));
        }
        let bytes = edge.payloads().insert(pause_frame(self.address, quanta));
        self.state.pause = Some(Frame { is_control: true, ..Frame::intact(bytes) });
        self.state.is_asking = is_congested;
        self.state.again = next_cycle + self.cycles(u64::from(self.quanta)) / 2;
    }
}
