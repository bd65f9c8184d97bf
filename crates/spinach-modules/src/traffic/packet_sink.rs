//! `packet_sink`: the network that receives frames from the NIC.

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Exported, Idle, Input, Module, OrUnconnected, Outside, Process, parameters, ports,
};

use crate::traffic::checker::{Checker, Departure, Overtaking, Verdict};
use crate::traffic::live_frames::{EXPECT, Outbox};
use crate::traffic::plan::TrafficPlan;
use crate::values::Frame;

parameters! {
    /// The parameters of a packet sink: the plan of the frames that it expects.
    pub struct PacketSinkParameters {
        /// Expected frames, as `traffic` of the source.
        pub traffic: String = String::new(); variable,
        /// The frames of a capture, as `frames` of the source.
        pub frames: Vec<u8> = Vec::new(); variable,
        /// Number of expected frames.
        pub count: u64 = u64::MAX; variable,
        /// Decides sizes and contents.
        pub seed: u64 = 1; variable,
        /// If true, delivered frames are kept for export.
        pub exports: bool = false,
        /// If true, frames may overtake each other: a late one does not count as reordered.
        pub any_order: bool = false,
        /// If true, frames of different flows may overtake each other: a late one that is in order within its flow does not count as reordered.
        pub by_flow: bool = false,
    }
}

ports! {
    /// Ports of a packet sink.
    pub struct PacketSinkPorts {
        /// Frames from the link; always taken.
        pub wire: Input<Frame>,
        /// Departure times of frames at their source.
        pub departures: OrUnconnected<Input<Departure>>,
    }
}

/// The receiving side of the network. See its declaration.
pub struct PacketSink {
    plan: TrafficPlan,
    outbox: Outbox,
    ports: PacketSinkPorts,
    scratch: Vec<u8>,
    state: PacketSinkState,
}

/// State of a packet sink.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PacketSinkState {
    checker: Checker,
}

const DELIVERED: usize = 0;
const BYTES: usize = 1;
const PAYLOAD_BYTES: usize = 2;
const CORRUPTED: usize = 3;
const REORDERED: usize = 4;
const DUPLICATED: usize = 5;
const SKIPPED: usize = 6;
const LAST_DELIVERY_FS: usize = 7;
const PAUSES: usize = 8;

impl Module for PacketSink {
    type Parameters = PacketSinkParameters;
    type Ports = PacketSinkPorts;
    type State = PacketSinkState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "packet_sink",
            family: "traffic",
            documentation: "The network that receives frames from the NIC.\n\nCompares every frame byte for byte with the plan of what the \
                            host sends, and measures how long it took if it is told when frames left. \
                            Traffic of the kind `live` is injected, on lane 1; with `exports`, the frames delivered \
                            are exported.",
            timing: "Every frame is taken in the cycle in which it is presented.",
            source: "Spinach thesis, section 3.2.3",
            parameters: PacketSinkParameters::declare(),
            ports: PacketSinkPorts::declare(),
            counters: &[
                ("delivered", "frames that were right and had not come before"),
                ("bytes", "bytes of the frames delivered, without frame check sequence"),
                ("payload_bytes", "bytes of UDP payload of the frames delivered"),
                ("corrupted", "frames that are not in the plan or had a wrong frame check sequence"),
                ("reordered", "frames delivered after one that was sent later"),
                ("duplicated", "right frames that had come before"),
                ("skipped", "frames that had not come when one that was sent later did"),
                ("last_delivery_fs", "time of the last delivery, in femtoseconds"),
                ("pauses", "pause frames received that no source of traffic sent, and ignored"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: PacketSinkParameters, ports: PacketSinkPorts) -> Result<Self, String> {
        let p = &parameters;
        let plan = TrafficPlan::new(&p.traffic, &p.frames, p.seed, p.count)?;
        let outbox = Outbox::new(p.exports);
        Ok(Self {
            plan,
            outbox,
            ports,
            scratch: Vec::new(),
            state: PacketSinkState { checker: Checker::new(Overtaking::of(p.by_flow, p.any_order)) },
        })
    }

    fn processes(&self) -> Vec<Process> {
        type P = PacketSinkPorts;
        vec![Process::new(0).accepts([P::WIRE, P::DEPARTURES])]
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        if let Some(departure) = edge.signals.received(self.ports.departures.port) {
            self.state.checker.depart(departure);
        }
        let Some(frame) = edge.signals.received(self.ports.wire) else { return };
        let bytes = edge.payloads().remove(frame.bytes).unwrap_or_default();
        let verdict = if frame.is_intact {
            self.state.checker.check(&self.plan, &bytes, edge.time(), &mut self.scratch)
        } else {
            Verdict::Corrupted
        };
        match verdict {
            Verdict::Delivered { payload_bytes, skipped, is_reordered } => {
                edge.count(DELIVERED, 1);
                edge.count(LAST_DELIVERY_FS, self.state.checker.deliver(edge.time()));
                edge.count(REORDERED, u64::from(is_reordered));
                edge.count(SKIPPED, skipped);
                edge.count(BYTES, bytes.len() as u64);
                edge.count(PAYLOAD_BYTES, payload_bytes);
                self.outbox.put(edge.time(), &bytes);
                self.plan.forget_before(self.state.checker.oldest());
            }
            Verdict::Pause => edge.count(PAUSES, 1),
            Verdict::Corrupted => edge.count(CORRUPTED, 1),
            Verdict::Duplicated => edge.count(DUPLICATED, 1),
        }
    }

    fn idle(&self) -> Idle {
        Idle::UntilInput
    }

    fn outside(&mut self) -> Option<&mut dyn Outside> {
        Some(self)
    }

    fn state(&self) -> &PacketSinkState {
        &self.state
    }

    fn restore(&mut self, state: PacketSinkState) -> Result<(), String> {
        self.state = state;
        Ok(())
    }
}

impl Outside for PacketSink {
    fn inject(&mut self, lane: u32, message: &[u8]) -> Result<(), String> {
        if lane != EXPECT {
            return Err("packet_sink: it expects frames and sends none".to_owned());
        }
        self.plan.add(message)
    }

    fn waiting(&self, _: u32) -> usize {
        0
    }

    fn export(&mut self, _: u32) -> Option<Exported> {
        self.outbox.take()
    }
}
