//! State of a balancer over slots.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::Payload;

use crate::parts::line_port::LinePort;
use crate::values::SlotPacket;

/// Choice of a core for a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Policy {
    RoundRobin,
    Hash,
    HashDropping,
}

impl Policy {
    pub(super) fn named(name: &str) -> Self {
        match name {
            "hash" => Self::Hash,
            "hash_dropping" => Self::HashDropping,
            _ => Self::RoundRobin,
        }
    }
}

/// State of a balancer over slots. Cycles are numbers of its clock.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SlotBalancerState {
    /// Free slots of each core, slot 1 in bit 0.
    pub(super) free: Vec<u32>,
    /// Cores that are enabled, and those that receive frames of ports.
    pub(super) enabled: u64,
    pub(super) receivers: u64,
    pub(super) port: LinePort,
    /// Packets for each core, with the cycle in which each is presented.
    pub(super) queues: Vec<VecDeque<(u64, SlotPacket)>>,
    /// Commands to each core, with the cycle in which each is presented.
    pub(super) commands: Vec<VecDeque<(u64, u64)>>,
    /// Counters of each port for the host.
    pub(super) counts: Vec<Counts>,
    /// Memory for each port (by hash).
    pub(super) hashed: Vec<Hashed>,
    /// Messages of cores, each with the cycle at whose end it counts, and the core.
    pub(super) messages: VecDeque<(u64, usize, u64)>,
    /// Packets that wait for their departure to be commanded: the core, and the low half of the descriptor.
    pub(super) done: VecDeque<(usize, u32)>,
    /// Packets that wait for a slot of each core, likewise.
    pub(super) asked: Vec<VecDeque<(usize, u32)>>,
    /// First cycles in which the ports can be looked at again or, by hash, pass another frame.
    pub(super) ports: Vec<u64>,
    /// First cycles in which another frame can pass to its cluster: of each port, then of packets between cores.
    pub(super) passing: Vec<u64>,
    pub(super) clusters: Vec<Cluster>,
    /// Lines of the memory of a port from which on it is almost full.
    pub(super) drop_limit: u32,
    pub(super) loopback_free_at: u64,
    pub(super) next_port: usize,
    /// Port that was tried last by a balancer by hash, and the cycle.
    pub(super) last_try: Option<(usize, u64)>,
    /// For each core, the port that has found no slot of it and gets the next (`hash`).
    pub(super) first_waiting: Vec<Option<usize>>,
    pub(super) next_cluster: usize,
    pub(super) next_asked: usize,
    /// True if the last command was one for a packet to another core.
    pub(super) has_looped: bool,
    pub(super) next_cycle: u64,
}

/// Memory of a cluster for frames on their way to its cores.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Cluster {
    /// First cycle in which another frame can enter its registers.
    pub enters: u64,
    /// First cycle in which it can take the destination of another frame, and then its words.
    pub stores: u64,
    /// Port that is first in turn if frames of several ports ask for it in the same cycle.
    pub next_port: usize,
}

/// A port, as the host sees it. Counters wrap around.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Counts {
    /// True if its frames are taken.
    pub takes: bool,
    pub bytes: u32,
    pub frames: u32,
    pub stalls: u32,
    pub refused: u32,
}

/// Memory of a balancer by hash for the frames of a port.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Hashed {
    /// Frames without a decision, oldest first.
    pub frames: VecDeque<HashedFrame>,
    /// Frames with one, oldest first.
    pub decided: VecDeque<Decided>,
    /// Words of both.
    pub words: u64,
    /// First cycle in which another frame can enter.
    pub enters: u64,
    /// First cycle in which the memory holds no word of the frame that passes.
    pub leaves: u64,
    /// Lines that the port held in the last cycles, oldest first (`hash_dropping`).
    pub fills: VecDeque<u32>,
}

/// A frame, its length and the hash of its flow.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct HashedFrame {
    pub bytes: Payload,
    pub length: u64,
    pub hash: u32,
    /// First cycle in which its slot can be chosen.
    pub known_at: u64,
}

/// A frame with the core and slot that it gets, or none if it is dropped.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Decided {
    pub frame: HashedFrame,
    pub place: Option<(usize, u8)>,
}

impl SlotBalancerState {
    pub(super) fn new(ports: usize, cores: usize, clusters: usize) -> Self {
        Self {
            free: vec![0; cores],
            enabled: 0,
            receivers: 0,
            port: LinePort::default(),
            counts: vec![Counts { takes: true, ..Counts::default() }; ports],
            queues: vec![VecDeque::new(); cores],
            commands: vec![VecDeque::new(); cores],
            hashed: vec![Hashed::default(); ports],
            done: VecDeque::new(),
            asked: vec![VecDeque::new(); cores],
            messages: VecDeque::new(),
            ports: vec![0; ports],
            passing: vec![0; ports + 1],
            drop_limit: 0,
            clusters: vec![Cluster::default(); clusters],
            loopback_free_at: 0,
            next_port: 0,
            last_try: None,
            first_waiting: vec![None; cores],
            next_cluster: 0,
            next_asked: 0,
            has_looped: false,
            next_cycle: 0,
        }
    }

    /// True if another state is one of a balancer with as many ports, cores and clusters.
    pub(super) fn fits(&self, other: &Self) -> bool {
        let lengths = |state: &Self| {
            let of_cores = [state.free.len(), state.queues.len(), state.commands.len(), state.asked.len()];
            let of_ports = [state.ports.len(), state.passing.len(), state.hashed.len(), state.counts.len()];
            (of_cores, state.first_waiting.len(), of_ports, state.clusters.len())
        };
        lengths(self) == lengths(other)
    }
}
