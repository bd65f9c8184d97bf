//! `live_wire`: the far end of a link, outside of the simulation.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Exported, Idle, Input, Module, OrUnconnected, Output, Outside, Payload, Process,
    Signals, Time, data, parameters, ports,
};
use spinach_net::ethernet::FRAME_MINIMUM_BYTES;

use crate::traffic::live_frames::{EXPECT, SEND};
use crate::values::Frame;

parameters! {
    /// The parameters of the far end of a link.
    pub struct LiveWireParameters {}
}

ports! {
    /// Ports of the far end of a link.
    pub struct LiveWirePorts {
        /// Frames to the link.
        pub sent: Output<Frame>,
        /// Frames from the link; always taken.
        pub received: Input<Frame>,
        /// If connected, nothing is sent before a word has come that is not 0, and nothing after one that is, until the next.
        pub link_up: OrUnconnected<Input<u64>>,
    }
}

/// State of the far end of a link.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct LiveWireState {
    waiting: VecDeque<Vec<u8>>,
    offered: Option<Payload>,
    is_up: bool,
    outbox: VecDeque<(Time, Vec<u8>)>,
}

/// The far end of a link. See its declaration.
pub struct LiveWire {
    ports: LiveWirePorts,
    state: LiveWireState,
}

const OFFERED: usize = 0;
const DELIVERED: usize = 1;
const DAMAGED: usize = 2;

impl Module for LiveWire {
    type Parameters = LiveWireParameters;
    type Ports = LiveWirePorts;
    type State = LiveWireState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "live_wire",
            family: "traffic",
            documentation: "The far end of a link, outside of the simulation.\n\nFrames imported on lane 0 go to the link, \
                            padded with zeros to 60 bytes; frames from the link are exported. Their contents are not compared; a \
                            traffic source and a packet sink compare them with a plan. A frame with a wrong check sequence is \
                            dropped.",
            timing: "All outputs are registered. A frame is presented in the cycle after it was injected or the one before it was taken.",
            source: "no source: a way to the machine that simulates",
            parameters: LiveWireParameters::declare(),
            ports: LiveWirePorts::declare(),
            counters: &[
                ("offered", "frames that were sent"),
                ("delivered", "frames that were received"),
                ("damaged", "frames that were received with a wrong check sequence"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(_: LiveWireParameters, ports: LiveWirePorts) -> Result<Self, String> {
        let is_up = !ports.link_up.is_connected;
        Ok(Self { ports, state: LiveWireState { is_up, ..LiveWireState::default() } })
    }

    fn processes(&self) -> Vec<Process> {
        type P = LiveWirePorts;
        vec![Process::new(0).drives([data(P::SENT)]).accepts([P::RECEIVED, P::LINK_UP])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        signals.write(self.ports.sent, self.state.offered.map(Frame::intact));
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let state = &mut self.state;
        if edge.signals.is_sent(self.ports.sent) {
            state.offered = None;
            edge.count(OFFERED, 1);
        }
        if let Some(word) = edge.signals.received(self.ports.link_up.port) {
            state.is_up = word != 0;
        }
        if let Some(frame) = edge.signals.received(self.ports.received) {
            let bytes = edge.payloads().remove(frame.bytes).unwrap_or_default();
            if frame.is_intact {
                edge.count(DELIVERED, 1);
                state.outbox.push_back((edge.time(), bytes.to_vec()));
            } else {
                edge.count(DAMAGED, 1);
            }
        }
        if state.is_up && state.offered.is_none() {
            state.offered = state.waiting.pop_front().map(|frame| edge.payloads().insert(frame));
        }
    }

    fn idle(&self) -> Idle {
        Idle::UntilTransfer
    }

    fn outside(&mut self) -> Option<&mut dyn Outside> {
        Some(self)
    }

    fn state(&self) -> &LiveWireState {
        &self.state
    }

    fn restore(&mut self, state: LiveWireState) -> Result<(), String> {
        self.state = state;
        Ok(())
    }
}

impl Outside for LiveWire {
    fn inject(&mut self, lane: u32, message: &[u8]) -> Result<(), String> {
        match lane {
            SEND => {
                let mut frame = message.to_vec();
                frame.resize(message.len().max(FRAME_MINIMUM_BYTES), 0);
                self.state.waiting.push_back(frame);
                Ok(())
            }
            // It compares nothing.
            EXPECT => Ok(()),
            _ => Err(format!("live_wire: there is no lane {lane}")),
        }
    }

    fn waiting(&self, lane: u32) -> usize {
        if lane == SEND { self.state.waiting.len() } else { 0 }
    }

    fn export(&mut self, _: u32) -> Option<Exported> {
        let (time, message) = self.state.outbox.pop_front()?;
        Some(Exported { time, message })
    }
}
