//! `slot_balancer`: spreads frames over the slots of several packet movers.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Idle, Input, Many, Module, Output, Process, Signals, ack, data, parameters, ports,
};

use crate::values::{Frame, SlotPacket};

parameters! {
    /// The parameters of a balancer over slots.
    pub struct SlotBalancerParameters {
        /// Number of clusters that the cores form, each with as many.
        pub clusters: u32 = 4 => in 1..=64,
        /// Bytes that pass in a cycle from a port and into a cluster.
        pub bytes_per_cycle: u32 = 64 => in 1..=4096,
        /// Fewest cycles between two frames of a port.
        pub port_cycles: u32 = 2 => in 1..=64,
        /// Cycles from the choice of a slot until the first word of the frame is presented.
        pub latency: u32 = 8 => in 1..=1024,
    }
}

ports! {
    /// Ports of a balancer over slots.
    pub struct SlotBalancerPorts {
        /// Frames, one lane for each port.
        pub frame: Many<Input<Frame>>,
        /// Packets, one lane for each core.
        pub packet: Many<Output<SlotPacket>>,
        /// Messages of the cores, as a packet mover sends them.
        pub message: Many<Input<u64>>,
    }
}

/// State of a balancer over slots.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SlotBalancerState {
    // Free slots of each core, slot 1 in bit 0.
    free: Vec<u32>,
    // Packets for each core, with the cycle in which each is presented.
    queues: Vec<VecDeque<(u64, SlotPacket)>>,
    // First cycles in which another frame can pass.
    ports: Vec<u64>,
    clusters: Vec<u64>,
    next_port: usize,
    next_cluster: usize,
    next_cycle: u64,
}

/// Spreads frames over the slots of several packet movers. See its declaration.
pub struct SlotBalancer {
    parameters: SlotBalancerParameters,
    ports: SlotBalancerPorts,
    state: SlotBalancerState,
}

const FRAMES: usize = 0;
const WAITING: usize = 1;

const PRESENT: u16 = 0;
const ACCEPT: u16 = 1;

// Types of messages.
const SLOT_FREE: u64 = 0;
const SLOTS_READY: u64 = 3;

impl Module for SlotBalancer {
    type Parameters = SlotBalancerParameters;
    type Ports = SlotBalancerPorts;
    type State = SlotBalancerState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "slot_balancer",
            family: "interconnect",
            documentation: "Spreads frames over the slots of several packet movers.\n\nClusters take turns, of those with a free slot; within \
                            a cluster the core with most free slots is chosen, and its lowest free slot. One slot is chosen in a cycle, for \
                            the ports in turn. A port without a slot waits. The slots of a core are free once it has told \
                            how many are ready; a slot that is given back can be chosen at once.",
            timing: "The acknowledgement of a frame depends on the frames and messages presented; all other outputs are registered.",
            source: "Rosebud (ASPLOS 2023, arXiv 2201.08978) and its published RTL, commit c593d596: round robin by free slots",
            parameters: SlotBalancerParameters::declare(),
            ports: SlotBalancerPorts::declare(),
            counters: &[
                ("frames", "frames that were given a slot"),
                ("waiting", "cycles in which frames were there and no slot was free"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: SlotBalancerParameters, ports: SlotBalancerPorts) -> Result<Self, String> {
        let (cores, clusters) = (ports.packet.len(), parameters.clusters as usize);
        if !cores.is_multiple_of(clusters) {
            return Err(format!("clusters: {cores} cores do not form {clusters} equal clusters"));
        }
        if ports.message.len() != cores {
            return Err(format!("{cores} cores need {cores} lanes of message"));
        }
        let state = SlotBalancerState {
            free: vec![0; cores],
            queues: vec![VecDeque::new(); cores],
            ports: vec![0; ports.frame.len()],
            clusters: vec![0; clusters],
            next_port: 0,
            next_cluster: 0,
            next_cycle: 0,
        };
        Ok(Self { parameters, ports, state })
    }

    fn processes(&self) -> Vec<Process> {
        type P = SlotBalancerPorts;
        vec![
            Process::new(PRESENT).drives([data(P::PACKET)]).accepts([P::MESSAGE]),
            Process::new(ACCEPT).drives([ack(P::FRAME)]).reads([data(P::FRAME), data(P::MESSAGE)]),
        ]
    }

    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        let (ports, state) = (&self.ports, &self.state);
        if code == ACCEPT {
            let chosen = self.choose_port(signals);
            for (lane, frame) in ports.frame.iter().enumerate() {
                signals.acknowledge(*frame, chosen == Some(lane));
            }
            return;
        }
        for (packet, queue) in ports.packet.iter().zip(&state.queues) {
            let first = queue.front().filter(|(cycle, _)| *cycle <= state.next_cycle);
            signals.write(*packet, first.map(|(_, packet)| *packet));
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let cycle = edge.cycle();
        for lane in 0..self.ports.packet.len() {
            if edge.signals.is_sent(self.ports.packet[lane]) {
                self.state.queues[lane].pop_front();
            }
            if let Some(message) = edge.signals.received(self.ports.message[lane]) {
                self.note(lane, message, edge);
            }
        }
        let mut is_waiting = false;
        for lane in 0..self.ports.frame.len() {
            if let Some(frame) = edge.signals.received(self.ports.frame[lane]) {
                self.give_slot(lane, frame, edge);
            } else {
                is_waiting |= edge.signals.is_present(self.ports.frame[lane]);
            }
        }
        let has_slot = self.state.free.iter().any(|free| *free != 0);
        edge.count(WAITING, u64::from(is_waiting && !has_slot));
        self.state.next_cycle = cycle + 1;
    }

    fn idle(&self) -> Idle {
        let state = &self.state;
        let is_settled = state.ports.iter().all(|free_at| *free_at <= state.next_cycle);
        if is_settled && state.queues.iter().all(VecDeque::is_empty) { Idle::UntilInput } else { Idle::No }
    }

    fn state(&self) -> &SlotBalancerState {
        &self.state
    }

    fn restore(&mut self, state: SlotBalancerState) -> Result<(), String> {
        let (own, saved) = (&self.state, &state);
        let fits = own.free.len() == saved.free.len()
            && own.queues.len() == saved.queues.len()
            && own.ports.len() == saved.ports.len()
            && own.clusters.len() == saved.clusters.len();
        if !fits {
            return Err("the saved balancer has other ports".to_owned());
        }
        self.state = state;
        Ok(())
    }
}

impl SlotBalancer {
    /// The port whose frame gets a slot in this cycle.
    fn choose_port(&self, signals: &Signals) -> Option<usize> {
        let (ports, state) = (&self.ports, &self.state);
        let gives_slot = |message: &Input<u64>| {
            let is_slot = signals.word(*message, 0) >> 16 & 0xff != 0;
            signals.is_present(*message) && is_slot
        };
        if state.free.iter().all(|free| *free == 0) && !ports.message.iter().any(gives_slot) {
            return None;
        }
        let count = ports.frame.len();
        (0..count)
            .map(|turn| (state.next_port + turn) % count)
            .find(|lane| state.ports[*lane] <= state.next_cycle && signals.is_present(ports.frame[*lane]))
    }

    /// Takes note of a message of a core.
    fn note(&mut self, core: usize, message: u64, edge: &mut Edge<'_>) {
        let slot = (message >> 16 & 0xff) as u32;
        match message >> 32 {
            SLOT_FREE => self.state.free[core] |= 1_u32.checked_shl(slot.wrapping_sub(1)).unwrap_or(0),
            SLOTS_READY => self.state.free[core] = 1_u32.checked_shl(slot).map_or(u32::MAX, |bit| bit - 1),
            other => edge.stop(format!(
                "slot_balancer: core {core} sends a descriptor of type {other}, which is not modelled"
            )),
        }
    }

    /// Gives a frame of a port a slot. There is a free one, or the frame had not been taken.
    fn give_slot(&mut self, port: usize, frame: Frame, edge: &mut Edge<'_>) {
        let cycle = edge.cycle();
        let parameters = &self.parameters;
        let length = edge.payloads().get(frame.bytes).len() as u64;
        let words = length.div_ceil(parameters.bytes_per_cycle.into());
        let state = &mut self.state;
        let clusters = state.clusters.len();
        let cores = state.free.len() / clusters;
        let found = (0..clusters).map(|turn| (state.next_cluster + turn) % clusters).find_map(|cluster| {
            let first = cluster * cores;
            let core = (first..first + cores).rev().max_by_key(|core| state.free[*core].count_ones())?;
            (state.free[core] != 0).then_some((cluster, core))
        });
        let Some((cluster, core)) = found else { return };
        let slot = state.free[core].trailing_zeros();
        state.free[core] &= state.free[core] - 1;
        state.ports[port] = cycle + words.max(parameters.port_cycles.into());
        let begins = state.clusters[cluster].max(cycle + u64::from(parameters.latency));
        state.clusters[cluster] = begins + words;
        let packet = SlotPacket { bytes: frame.bytes, slot: slot as u8 + 1, port: port as u8 };
        state.queues[core].push_back((begins, packet));
        state.next_port = (port + 1) % state.ports.len();
        state.next_cluster = (cluster + 1) % clusters;
        edge.count(FRAMES, 1);
    }
}
