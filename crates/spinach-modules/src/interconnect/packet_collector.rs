//! `packet_collector`: brings the packets of several packet movers to ports.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    AlreadySet, Declaration, Edge, Idle, Input, Many, Module, OrUnconnected, Output, Process, Signals, Size,
    ack, data, parameters, ports,
};

use crate::parts::line_port::{LinePort, line_of};
use crate::parts::queue::pop_front_if;
use crate::values::{Frame, Reference, Response, SlotPacket};

parameters! {
    /// The parameters of a collector of packets.
    pub struct PacketCollectorParameters {
        /// Number of clusters that the cores form, each with as many.
        pub clusters: u32 = 4 => in 1..=64,
        /// Size of the memory of a cluster for whole packets, in bytes.
        pub cluster_memory: Size = Size(64 << 10) => in 64..=1 << 30,
        /// Bytes that pass in a cycle to a port.
        pub bytes_per_cycle: u32 = 64 => in 1..=4096,
        /// Cycles from the last word of a packet until it can pass to its port.
        pub latency: u32 = 8 => in 1..=1024,
    }
}

ports! {
    /// Ports of a collector of packets.
    pub struct PacketCollectorPorts {
        /// Packets, one lane for each core.
        pub packet: Many<Input<SlotPacket>>,
        /// Frames, one lane for each port.
        pub frame: Many<Output<Frame>>,
        /// Packets for cores.
        pub loopback: OrUnconnected<Output<SlotPacket>>,
        /// Counters for the host, in lines of 16 bytes: of each port, whose number is bits 8 to 15 of the address, the bytes and frames that have
        /// left, and the cycles in which a frame waited for the port.
        pub control: { request: OrUnconnected<Input<Reference>>, response: OrUnconnected<Output<Response>> },
    }
}

/// State of a collector of packets.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PacketCollectorState {
    clusters: Vec<Cluster>,
    // The ports of frames, then that of packets for cores.
    ports: Vec<Port>,
    host: LinePort,
    next_cycle: u64,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Cluster {
    packets: VecDeque<Waiting>,
    bytes: u64,
}

/// Packet that waits for its port.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Waiting {
    // First cycle in which it can pass.
    due: u64,
    length: u64,
    port: usize,
    packet: SlotPacket,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Port {
    frame: Option<(u64, SlotPacket)>,
    free_at: u64,
    next_cluster: usize,
    // For the host; they wrap around.
    bytes: u32,
    frames: u32,
    stalls: u32,
}

/// Brings the packets of several packet movers to ports. See its declaration.
pub struct PacketCollector {
    parameters: PacketCollectorParameters,
    ports: PacketCollectorPorts,
    state: PacketCollectorState,
    // Outputs, which follow from the state.
    presented: AlreadySet,
    // First cycle in which a packet passes, or before a frame is presented, if none comes or leaves; 0 if not known.
    attends_at: u64,
}

const FRAMES: usize = 0;
const FULL: usize = 1;
const LOOPED: usize = 2;

impl Module for PacketCollector {
    type Parameters = PacketCollectorParameters;
    type Ports = PacketCollectorPorts;
    type State = PacketCollectorState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "packet_collector",
            family: "interconnect",
            documentation: "Brings the packets of several packet movers to ports.\n\nThe cores of a cluster share a memory, from which whole packets pass \
                            to their ports in the order in which they came; the clusters take turns at a port. A packet for a port that \
                            is not there stops the simulation.",
            timing: "All outputs are registered. A packet is taken if its cluster has room for the longest. A frame is presented in the cycle in which \
                     its last word passes to the port.",
            source: "Rosebud (ASPLOS 2023, arXiv 2201.08978) and its published RTL, commit c593d596: switch from cores to ports",
            parameters: PacketCollectorParameters::declare(),
            ports: PacketCollectorPorts::declare(),
            counters: &[
                ("frames", "frames that have left"),
                ("full", "cycles of packets that waited because the memory of their cluster was full"),
                ("looped", "packets for cores that have left"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: PacketCollectorParameters, ports: PacketCollectorPorts) -> Result<Self, String> {
        let (cores, clusters) = (ports.packet.len(), parameters.clusters as usize);
        if !cores.is_multiple_of(clusters) {
            return Err(format!("clusters: {cores} cores do not form {clusters} equal clusters"));
        }
        let state = PacketCollectorState {
            clusters: vec![Cluster::default(); clusters],
            ports: vec![Port::default(); ports.frame.len() + 1],
            host: LinePort::default(),
            next_cycle: 0,
        };
        Ok(Self { parameters, ports, state, presented: AlreadySet::default(), attends_at: 0 })
    }

    fn processes(&self) -> Vec<Process> {
        type P = PacketCollectorPorts;
        let loopback = self.ports.loopback.is_connected.then_some(data(P::LOOPBACK));
        let control = self.ports.control_request.is_connected && self.ports.control_response.is_connected;
        let control =
            control.then_some([ack(P::CONTROL_REQUEST), data(P::CONTROL_RESPONSE)]).into_iter().flatten();
        vec![Process::new(0).drives([data(P::FRAME), ack(P::PACKET)]).drives(loopback).drives(control)]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        if signals.are_set_already(&self.presented) {
            return;
        }
        let (ports, state) = (&self.ports, &self.state);
        let packet = |port: &Port| {
            port.frame.filter(|(cycle, _)| *cycle <= state.next_cycle).map(|(_, packet)| packet)
        };
        for (output, port) in ports.frame.iter().zip(&state.ports) {
            let frame = packet(port).map(|packet| Frame::intact(packet.bytes));
            signals.write(*output, frame);
        }
        if let Some(port) = state.ports.last()
            && ports.loopback.is_connected
        {
            signals.write(ports.loopback.port, packet(port));
        }
        state.host.evaluate(&ports.control_request, &ports.control_response, signals);
        let cores = self.cores_of_cluster();
        for (lane, packet) in ports.packet.iter().enumerate() {
            let accepts = self.has_room(&state.clusters[lane / cores]);
            signals.acknowledge(*packet, accepts);
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let cycle = edge.cycle();
        let is_offered = edge.signals.is_any_present(&self.ports.packet);
        if !is_offered && cycle < self.attends_at && !self.has_sent(edge.signals) {
            self.state.next_cycle = cycle + 1;
            return;
        }
        if is_offered {
            self.take(edge);
        }
        let mut is_changed = is_offered || self.ports.control_request.is_connected;
        for lane in 0..self.state.ports.len() {
            let is_sent = self.is_sent(lane, edge.signals);
            if self.ports.control_request.is_connected {
                self.count_for_host(lane, is_sent, edge);
            }
            if is_sent {
                self.state.ports[lane].frame = None;
                edge.count(if lane < self.ports.frame.len() { FRAMES } else { LOOPED }, 1);
            }
            is_changed |= is_sent | self.pass(lane, cycle);
            is_changed |= self.state.ports[lane].frame.is_some_and(|(due, _)| due == cycle + 1);
        }
        let ports = &self.ports;
        if let Some(line) = self.state.host.take(&ports.control_request, &ports.control_response, edge) {
            let port = self.state.ports.get((line.address >> 8 & 0xff) as usize);
            let found = port
                .map(|port| line_of(0, |at| [port.bytes, port.frames, 0, port.stalls][(at / 4) as usize]));
            self.state.host.answer(found);
        }
        self.state.next_cycle = cycle + 1;
        if is_changed {
            self.presented.forget();
        }
        self.attends_at = self.next_due();
    }

    fn idle(&self) -> Idle {
        let state = &self.state;
        let is_empty = state.clusters.iter().all(|cluster| cluster.packets.is_empty());
        if is_empty && state.host.is_empty() && state.ports.iter().all(|port| port.frame.is_none()) {
            Idle::UntilTransfer
        } else {
            Idle::No
        }
    }

    fn state(&self) -> &PacketCollectorState {
        &self.state
    }

    fn restore(&mut self, state: PacketCollectorState) -> Result<(), String> {
        let (own, saved) = (&self.state, &state);
        if own.clusters.len() != saved.clusters.len() || own.ports.len() != saved.ports.len() {
            return Err("the saved collector has other ports".to_owned());
        }
        self.state = state;
        self.presented.forget();
        self.attends_at = 0;
        Ok(())
    }
}

impl PacketCollector {
    /// Takes the packets that come.
    fn take(&mut self, edge: &mut Edge<'_>) {
        let cycle = edge.cycle();
        let cores = self.cores_of_cluster();
        for lane in 0..self.ports.packet.len() {
            let Some(packet) = edge.signals.received(self.ports.packet[lane]) else {
                edge.count(FULL, u64::from(edge.signals.is_present(self.ports.packet[lane])));
                continue;
            };
            let Some(port) = self.port_of(&packet) else {
                edge.stop(format!("core {lane} sends to port {}, which is not there", packet.port));
                continue;
            };
            let length = edge.payloads().get(packet.bytes).len() as u64;
            let cluster = &mut self.state.clusters[lane / cores];
            cluster.bytes += length;
            let due = cycle + u64::from(self.parameters.latency);
            cluster.packets.push_back(Waiting { due, length, port, packet });
        }
    }

    /// True if the frame of a port, or the packet of the loopback port behind the others, leaves in this cycle.
    fn is_sent(&self, lane: usize, signals: &Signals) -> bool {
        match self.ports.frame.get(lane) {
            Some(output) => signals.is_sent(*output),
            None => self.ports.loopback.is_connected && signals.is_sent(self.ports.loopback.port),
        }
    }

    fn has_sent(&self, signals: &Signals) -> bool {
        (0..self.state.ports.len()).any(|lane| self.is_sent(lane, signals))
    }

    /// First cycle, from the next one on, whose commit does more than wait, if no packet comes or leaves.
    fn next_due(&self) -> u64 {
        let state = &self.state;
        if self.ports.control_request.is_connected {
            return state.next_cycle;
        }
        let frames = state.ports.iter().filter_map(|port| Some(port.frame?.0));
        let frames = frames.filter(|due| *due > state.next_cycle).map(|due| due - 1);
        let fronts = state.clusters.iter().filter_map(|cluster| cluster.packets.front());
        let able = fronts.filter(|waiting| state.ports[waiting.port].frame.is_none());
        let passing = able.map(|waiting| waiting.due.max(state.ports[waiting.port].free_at));
        frames.chain(passing).min().unwrap_or(u64::MAX)
    }

    fn count_for_host(&mut self, lane: usize, is_sent: bool, edge: &mut Edge<'_>) {
        let port = &mut self.state.ports[lane];
        let Some((due, packet)) = port.frame else { return };
        if is_sent {
            port.frames = port.frames.wrapping_add(1);
            port.bytes = port.bytes.wrapping_add(edge.payloads().get(packet.bytes).len() as u32);
        } else if due <= edge.cycle() {
            port.stalls = port.stalls.wrapping_add(1);
        }
    }

    fn cores_of_cluster(&self) -> usize {
        self.ports.packet.len() / self.state.clusters.len()
    }

    /// Index of the port that a packet goes to, if it is there.
    fn port_of(&self, packet: &SlotPacket) -> Option<usize> {
        let (port, frames) = (usize::from(packet.port), self.ports.frame.len());
        if packet.core.is_some() {
            self.ports.loopback.is_connected.then_some(frames)
        } else {
            (port < frames).then_some(port)
        }
    }

    /// True if the memory of a cluster is not full. The last packet may reach beyond its end.
    fn has_room(&self, cluster: &Cluster) -> bool {
        cluster.bytes < self.parameters.cluster_memory.0
    }

    /// Lets the next packet for a port pass, if the port is free; true if one passes.
    fn pass(&mut self, lane: usize, cycle: u64) -> bool {
        let state = &mut self.state;
        let port = &mut state.ports[lane];
        if port.frame.is_some() || port.free_at > cycle {
            return false;
        }
        let count = state.clusters.len();
        let is_for_port = |waiting: &Waiting| waiting.due <= cycle && waiting.port == lane;
        for cluster in (0..count).map(|turn| (port.next_cluster + turn) % count) {
            let chosen = &mut state.clusters[cluster];
            let Some(Waiting { length, packet, .. }) = pop_front_if(&mut chosen.packets, is_for_port) else {
                continue;
            };
            chosen.bytes -= length;
            let words = length.div_ceil(self.parameters.bytes_per_cycle.into()).max(1);
            port.frame = Some((cycle + words, packet));
            port.free_at = cycle + words;
            port.next_cluster = (cluster + 1) % count;
            return true;
        }
        false
    }
}
