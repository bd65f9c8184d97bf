//! `traffic_source`: the network that sends frames to the NIC.

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Exported, Idle, Input, Module, OrUnconnected, Output, Outside, Payload, Process, Rate,
    Signals, Time, data, parameters, ports,
};

use crate::parts::alarm::Alarm;
use crate::traffic::checker::Departure;
use crate::traffic::live_frames::{END, SEND};
use crate::traffic::pace::{Pace, Paced};
use crate::traffic::plan::TrafficPlan;
use crate::values::Frame;

parameters! {
    /// The parameters of a traffic source.
    pub struct TrafficSourceParameters {
        /// Frames to send, in JSON, as {"kind": "udp", "sizes": [1472]}; empty for `frames`, or for no traffic. See
        /// `spinach_nic.traffic`.
        pub traffic: String = String::new(); variable,
        /// The frames of a capture: each preceded by its length in 32 bits, big-endian, and without frame check sequence.
        pub frames: Vec<u8> = Vec::new(); variable,
        /// Number of frames to send.
        pub count: u64 = u64::MAX; variable,
        /// Decides sizes and contents.
        pub seed: u64 = 1; variable,
        /// Bits a second on the wire, with preamble and gap; 0 for as many as the link carries.
        pub rate: Rate = Rate(0); variable,
        /// Frames a second; 0 for no limit.
        pub frame_rate: u64 = 0 => in 0..=1_000_000_000_000; variable,
        /// Time of the first frame.
        pub start: Time = Time::ZERO,
    }
}

ports! {
    /// Ports of a traffic source.
    pub struct TrafficSourcePorts {
        /// Frames to the link.
        pub wire: Output<Frame>,
        /// If connected, nothing is sent before a word has come that is not 0, and nothing after one that is, until the next.
        pub link_up: OrUnconnected<Input<u64>>,
        /// Departure times of frames, to measure latency.
        pub departures: OrUnconnected<Output<Departure>>,
    }
}

/// State of a traffic source.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TrafficSourceState {
    // The number of the next frame to make.
    next: u64,
    offered: Option<Payload>,
    offered_bytes: u64,
    paced: Paced,
    begins_at: Option<Time>,
    is_down: bool,
    alarm: Option<Alarm>,
    departure: Option<(u64, Time)>,
}

/// The sending side of the network. See its declaration.
pub struct TrafficSource {
    plan: TrafficPlan,
    pace: Pace,
    start: Time,
    ports: TrafficSourcePorts,
    state: TrafficSourceState,
}

const OFFERED: usize = 0;
const BYTES: usize = 1;

impl Module for TrafficSource {
    type Parameters = TrafficSourceParameters;
    type Ports = TrafficSourcePorts;
    type State = TrafficSourceState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "traffic_source",
            family: "traffic",
            documentation: "The network that sends frames to the NIC.\n\nSends the frames of a plan, as fast as the link takes them or at a \
                            rate. What is sent follows from the parameters alone, so that a receiver with the same plan can \
                            check every byte. Traffic of the kind `live` is injected, on lane 0; a number of frames \
                            after which the source ends, on lane 2. A paced source that cannot send falls behind by 32 frames at \
                            most, and loses the others.",
            timing: "All outputs are registered. A frame that is due is presented in the next cycle; after one is taken, the next is \
                     presented in the next cycle.",
            source: "Spinach thesis, section 3.2.3, table 3.3 (Packet Feeder)",
            parameters: TrafficSourceParameters::declare(),
            ports: TrafficSourcePorts::declare(),
            counters: &[
                ("offered", "frames that were sent"),
                ("bytes", "bytes of the frames sent, without frame check sequence"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: TrafficSourceParameters, ports: TrafficSourcePorts) -> Result<Self, String> {
        let p = &parameters;
        let plan = TrafficPlan::new(&p.traffic, &p.frames, p.seed, p.count)?;
        let pace = Pace::new(p.rate.0, p.frame_rate);
        let state = TrafficSourceState {
            next: 0,
            offered: None,
            offered_bytes: 0,
            paced: pace.start(plan.count()),
            begins_at: None,
            is_down: false,
            alarm: None,
            departure: None,
        };
        Ok(Self { plan, pace, start: parameters.start, ports, state })
    }

    fn processes(&self) -> Vec<Process> {
        type P = TrafficSourcePorts;
        let mut drives = vec![data(P::WIRE)];
        drives.extend(self.ports.departures.is_connected.then_some(data(P::DEPARTURES)));
        vec![Process::new(0).drives(drives).accepts([P::LINK_UP])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        let state = &self.state;
        signals.write(self.ports.wire, state.offered.map(Frame::intact));
        let departure = state.departure.map(|(index, time)| Departure { index, time });
        signals.write(self.ports.departures.port, departure);
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let state = &mut self.state;
        if edge.signals.is_sent(self.ports.departures.port) {
            state.departure = None;
        }
        if edge.signals.is_sent(self.ports.wire) {
            state.offered = None;
            edge.count(OFFERED, 1);
            edge.count(BYTES, state.offered_bytes);
            // Latency is measured of the frames whose note can leave at once: all, unless the notes are not taken.
            state.departure.get_or_insert((state.next - 1, edge.time()));
        }
        let told = edge.signals.received(self.ports.link_up.port);
        if let Some(word) = told {
            state.is_down = word == 0;
            state.alarm = state.alarm.filter(|_| !state.is_down);
        }
        if state.begins_at.is_none() {
            let is_up = !self.ports.link_up.is_connected || told.is_some_and(|word| word != 0);
            state.begins_at = is_up.then(|| self.start.max(edge.time()));
        }
        self.offer(edge);
    }

    fn idle(&self) -> Idle {
        let state = &self.state;
        match state.alarm {
            Some(alarm) => Idle::UntilTransferOrCycle(alarm.look_at()),
            None if state.begins_at.is_none() && !self.ports.link_up.is_connected => Idle::No,
            None => Idle::UntilTransfer,
        }
    }

    fn outside(&mut self) -> Option<&mut dyn Outside> {
        Some(self)
    }

    fn state(&self) -> &TrafficSourceState {
        &self.state
    }

    fn restore(&mut self, state: TrafficSourceState) -> Result<(), String> {
        self.state = state;
        Ok(())
    }
}

impl Outside for TrafficSource {
    fn inject(&mut self, lane: u32, message: &[u8]) -> Result<(), String> {
        match lane {
            SEND => self.plan.add(message),
            END => {
                self.state.alarm = None;
                self.state.paced.end_after(message).map(|_| ())
            }
            _ => Err("traffic_source: it sends frames and expects none".to_owned()),
        }
    }

    fn waiting(&self, _: u32) -> usize {
        (self.plan.count() - self.state.next) as usize
    }

    fn export(&mut self, _: u32) -> Option<Exported> {
        None
    }
}

impl TrafficSource {
    // Makes the next frame, if it is due and the one before has left.
    fn offer(&mut self, edge: &mut Edge<'_>) {
        let state = &mut self.state;
        let Some(begins_at) = state.begins_at else { return };
        if state.offered.is_some() || state.is_down || state.next >= state.paced.count(self.plan.count()) {
            return;
        }
        let now = edge.time().saturating_sub(begins_at);
        self.pace.adopt(&mut state.paced, now);
        let due = begins_at.saturating_add(self.pace.due(&state.paced));
        let alarm = state.alarm.get_or_insert_with(|| Alarm::set(due, edge));
        if !alarm.rings(edge) {
            return;
        }
        state.alarm = None;
        let index = state.next;
        let mut frame = Vec::new();
        self.plan.build(index, &mut frame);
        self.plan.forget_before(index);
        self.pace.add(&mut state.paced, frame.len(), now);
        state.next += 1;
        state.offered_bytes = frame.len() as u64;
        state.offered = Some(edge.payloads().insert(frame));
    }
}
