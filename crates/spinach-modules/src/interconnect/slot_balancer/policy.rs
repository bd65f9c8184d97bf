//! Choice of a core and a slot for each frame.

use std::collections::VecDeque;

use spinach_engine::{Edge, Input, Payload, Signals};
use spinach_net::flow_hash;

use super::messages::message;
use super::state::{Decided, HashedFrame, Policy};
use super::{FRAMES, REFUSED, SlotBalancer};
use crate::values::{Frame, SlotPacket};

/// Bytes of the hash in front of a frame.
const TAG_BYTES: u64 = 4;
/// Cycles of a cluster for the destination of a frame, before its words.
const DESTINATION_CYCLES: u64 = 1;
/// Registers between the memory of a port and the balancer, which delay the number of its lines.
const FILL_LATENCY: usize = 5;
/// Words that the registers of a cluster hold.
const CLUSTER_WORDS: u64 = 2;
/// Words that wait in the registers between a port and the clusters before the port waits.
const HELD_WORDS: u64 = 3;

impl SlotBalancer {
    fn receives(&self, core: usize) -> bool {
        self.state.receivers >> core & 1 != 0
    }

    /// Ports that are looked at in this cycle, by turns, and those of them whose frames get a slot.
    pub(super) fn choose_ports(&self, cycle: u64, signals: &Signals) -> (u64, u64) {
        let (ports, state) = (&self.ports, &self.state);
        if !signals.is_any_present(&ports.frame) {
            return (0, 0);
        }
        let count = ports.frame.len();
        let ready = |lane: &usize| {
            state.ports[*lane] <= cycle && state.counts[*lane].takes && signals.is_present(ports.frame[*lane])
        };
        let turns = (0..count).map(|turn| (state.next_port + turn) % count);
        let (mut looked, mut chosen) = (0, 0);
        for (turn, lane) in turns.filter(ready).take(self.parameters.choices as usize).enumerate() {
            looked |= 1 << lane;
            if self.has_free_slots(turn + 1, signals) {
                chosen |= 1 << lane;
            }
        }
        (looked, chosen)
    }

    /// True if as many frames of ports can get slots in this cycle.
    fn has_free_slots(&self, wanted: usize, signals: &Signals) -> bool {
        let state = &self.state;
        let destination = self.next_destination();
        let mut slots = if self.parameters.message_latency == 0 { self.returned_slots(signals) } else { 0 };
        (0..state.free.len()).filter(|core| self.receives(*core)).any(|core| {
            let free = state.free[core];
            let left = if destination == Some(core) { free & free.wrapping_sub(1) } else { free };
            slots += left.count_ones() as usize;
            slots >= wanted
        })
    }

    /// Slots that are given back in this cycle.
    fn returned_slots(&self, signals: &Signals) -> usize {
        let returned = |(core, message): (usize, &Input<u64>)| {
            let word = signals.word(*message, 0);
            let slot = (word >> 16 & 0xff) as usize;
            match word >> 32 {
                _ if !self.receives(core) || !signals.is_present(*message) => 0,
                message::SLOT_FREE => usize::from((1..=32).contains(&slot)),
                message::SLOTS_READY => slot,
                _ => 0,
            }
        };
        self.ports.message.iter().enumerate().map(returned).sum()
    }

    /// Gives the frames that were taken slots. True if frames wait, and there is no slot.
    pub(super) fn take(&mut self, edge: &mut Edge<'_>) -> bool {
        let cycle = edge.cycle();
        let mut is_waiting = false;
        let (looked, _) = self.choose_ports(cycle, edge.signals);
        let (first, count) = (self.state.next_port, self.ports.frame.len());
        for lane in (0..count).map(|turn| (first + turn) % count) {
            if looked >> lane & 1 != 0 {
                self.state.next_port = (lane + 1) % count;
                self.state.ports[lane] = cycle + u64::from(self.parameters.port_cycles);
            }
            if let Some(Frame { bytes, .. }) = edge.signals.received(self.ports.frame[lane]) {
                let length = edge.payloads().get(bytes).len() as u64;
                if let Some(core) = self.choose_core() {
                    self.give_slot(lane, core, bytes, length, edge);
                }
            } else {
                is_waiting |= edge.signals.is_present(self.ports.frame[lane]);
            }
        }
        is_waiting && !self.has_free_slots(1, edge.signals)
    }

    /// The core with most free slots of the next cluster with any.
    fn choose_core(&mut self) -> Option<usize> {
        let state = &self.state;
        let clusters = state.clusters.len();
        let cores = state.free.len() / clusters;
        let found = (0..clusters).map(|turn| (state.next_cluster + turn) % clusters).find_map(|cluster| {
            let first = cluster * cores;
            let able = (first..first + cores).rev().filter(|core| self.receives(*core));
            let core = able.max_by_key(|core| state.free[*core].count_ones())?;
            (state.free[core] != 0).then_some((cluster, core))
        });
        let (cluster, core) = found?;
        self.state.next_cluster = (cluster + 1) % clusters;
        Some(core)
    }

    /// Decides on a frame of a port, lets frames with a decision pass, and hashes those that arrive. True if the decision failed.
    pub(super) fn take_hashed(&mut self, edge: &mut Edge<'_>) -> bool {
        let cycle = edge.cycle();
        let is_waiting = self.decide(edge);
        let mut ready: Vec<usize> =
            (0..self.ports.frame.len()).filter(|lane| self.may_pass(*lane, cycle)).collect();
        ready.sort_by_key(|lane| self.turn_of(*lane));
        for lane in ready {
            if let Some(decided) = self.state.hashed[lane].decided.pop_front() {
                self.pass_decided(lane, decided, edge);
            }
        }
        for lane in 0..self.ports.frame.len() {
            if let Some(Frame { bytes, .. }) = edge.signals.received(self.ports.frame[lane]) {
                let frame = edge.payloads().get(bytes);
                let (length, hash) = (frame.len() as u64, flow_hash::of_frame(frame));
                let words = self.words(length);
                let known_at = cycle + u64::from(self.parameters.hash_latency);
                let hashed = &mut self.state.hashed[lane];
                hashed.frames.push_back(HashedFrame { bytes, length, hash, known_at });
                hashed.words += words;
                hashed.enters = cycle + words;
            }
            if self.policy == Policy::HashDropping {
                let [lines, _] = self.fill(lane, edge.signals);
                let fills = &mut self.state.hashed[lane].fills;
                fills.push_back(lines);
                if fills.len() > FILL_LATENCY {
                    fills.pop_front();
                }
            }
        }
        is_waiting
    }

    /// True if a frame of a port, with a decision, passes in this cycle.
    fn may_pass(&self, lane: usize, cycle: u64) -> bool {
        self.state.ports[lane] <= cycle && !self.state.hashed[lane].decided.is_empty()
    }

    /// Number of ports that go before a port with a frame for the same cluster.
    fn turn_of(&self, lane: usize) -> usize {
        let state = &self.state;
        let place = state.hashed[lane].decided.front().and_then(|decided| decided.place);
        let next = place.map_or(0, |(core, _)| state.clusters[self.cluster_of(core)].next_port);
        (lane + state.passing.len() - next) % state.passing.len()
    }

    fn cluster_of(&self, core: usize) -> usize {
        core * self.state.clusters.len() / self.state.free.len()
    }

    /// Tries to decide on the first frame of a port. One port has a try in a cycle, by turns, and none in two consecutive cycles. True if the
    /// try failed.
    fn decide(&mut self, edge: &mut Edge<'_>) -> bool {
        let (cycle, count) = (edge.cycle(), self.ports.frame.len());
        let state = &self.state;
        let tried = (0..count).map(|turn| (state.next_port + turn) % count).find(|lane| {
            let rests = state.last_try == Some((*lane, cycle.wrapping_sub(1)));
            !rests && state.hashed[*lane].frames.front().is_some_and(|frame| frame.known_at <= cycle)
        });
        let Some(lane) = tried else { return false };
        self.state.next_port = (lane + 1) % count;
        self.state.last_try = Some((lane, cycle));
        !self.try_hashed(lane, edge)
    }

    /// Gives the first frame of a port a slot of its core, or drops it; false if it has to wait.
    fn try_hashed(&mut self, lane: usize, edge: &mut Edge<'_>) -> bool {
        let Some(frame) = self.state.hashed[lane].frames.front().copied() else { return false };
        let core = (frame.hash >> self.parameters.hash_bit) as usize % self.state.free.len();
        let has_slot = self.state.free[core] != 0 && self.receives(core);
        if self.policy == Policy::Hash {
            // The first port that found no slot gets the next.
            let first = *self.state.first_waiting[core].get_or_insert(lane);
            if !has_slot || first != lane {
                return false;
            }
            self.state.first_waiting[core] = None;
        } else if !has_slot && !self.is_almost_full(lane) {
            return false;
        }
        let place = has_slot.then(|| (core, self.reserve_slot(core, edge)));
        if place.is_none() {
            edge.count(REFUSED + lane, 1);
            self.state.counts[lane].refused += 1;
        }
        let hashed = &mut self.state.hashed[lane];
        hashed.frames.pop_front();
        hashed.decided.push_back(Decided { frame, place });
        true
    }

    /// True if a port is almost full, by the number of lines that has reached the balancer.
    fn is_almost_full(&self, lane: usize) -> bool {
        let fills = &self.state.hashed[lane].fills;
        fills.len() == FILL_LATENCY && fills.front().is_some_and(|lines| *lines >= self.state.drop_limit)
    }

    /// True if the delayed numbers of lines stay the same while the memories of all ports are empty.
    pub(super) fn knows_empty_ports(&self) -> bool {
        let is_empty =
            |fills: &VecDeque<u32>| fills.len() == FILL_LATENCY && fills.iter().all(|lines| *lines == 0);
        self.policy != Policy::HashDropping || self.state.hashed.iter().all(|hashed| is_empty(&hashed.fills))
    }

    /// True if another frame can enter the balancer's memory for a port.
    pub(super) fn has_room(&self, lane: usize, cycle: u64) -> bool {
        let hashed = &self.state.hashed[lane];
        let held = hashed.words + hashed.leaves.saturating_sub(cycle);
        hashed.enters <= cycle && held < self.words(self.parameters.hashed_memory.0)
    }

    /// Lets a frame pass to its core with its hash in front, or drops it.
    fn pass_decided(&mut self, lane: usize, decided: Decided, edge: &mut Edge<'_>) {
        let Decided { frame, place } = decided;
        let words = self.words(frame.length);
        let bytes = edge.payloads().remove(frame.bytes).unwrap_or_default();
        if let Some((core, slot)) = place {
            let tagged = [&frame.hash.to_le_bytes()[..], &bytes].concat();
            let tagged = edge.payloads().insert(tagged);
            self.pass_port(lane, (core, slot), tagged, frame.length + TAG_BYTES, edge);
        } else {
            self.state.ports[lane] = edge.cycle() + words;
        }
        let hashed = &mut self.state.hashed[lane];
        hashed.words -= words;
        hashed.leaves = self.state.ports[lane];
    }

    /// Gives a frame of a port the lowest free slot of a core, which has one.
    fn give_slot(&mut self, port: usize, core: usize, bytes: Payload, length: u64, edge: &mut Edge<'_>) {
        let slot = self.reserve_slot(core, edge);
        self.pass_port(port, (core, slot), bytes, length, edge);
    }

    /// Takes the lowest free slot of a core, which has one.
    fn reserve_slot(&mut self, core: usize, edge: &mut Edge<'_>) -> u8 {
        let free = &mut self.state.free[core];
        let slot = free.trailing_zeros();
        *free &= *free - 1;
        edge.count(FRAMES, 1);
        slot as u8 + 1
    }

    /// Lets a frame of a port pass to a slot of a core.
    fn pass_port(
        &mut self,
        port: usize,
        (core, slot): (usize, u8),
        bytes: Payload,
        length: u64,
        edge: &Edge<'_>,
    ) {
        let (cycle, words) = (edge.cycle(), self.words(length));
        let packet = SlotPacket { bytes, slot, port: port as u8, core: None };
        let passed = self.queue(core, port, packet, words, cycle);
        let fewest = cycle + words.max(self.parameters.port_cycles.into());
        self.state.ports[port] = fewest.max(passed.saturating_sub(HELD_WORDS));
    }

    /// Cycles in which so many bytes pass.
    pub(super) fn words(&self, bytes: u64) -> u64 {
        bytes.div_ceil(self.parameters.bytes_per_cycle.into())
    }

    /// Sends a packet of a port to a core, once those before it have passed and its cluster has taken those of other ports; returns the first
    /// cycle in which another can pass.
    pub(super) fn queue(
        &mut self,
        core: usize,
        port: usize,
        packet: SlotPacket,
        words: u64,
        cycle: u64,
    ) -> u64 {
        let cluster = self.cluster_of(core);
        self.first_due = None;
        let state = &mut self.state;
        let cluster = &mut state.clusters[cluster];
        cluster.next_port = (port + 1) % state.passing.len();
        let enters = cycle.max(cluster.enters).max(state.passing[port]);
        let stores = enters.max(cluster.stores);
        cluster.stores = stores + DESTINATION_CYCLES + words;
        // The cycle for the destination holds up the third word.
        let passed = stores + words + u64::from(words > CLUSTER_WORDS);
        (cluster.enters, state.passing[port]) = (passed, passed);
        state.queues[core].push_back((stores + words + u64::from(self.parameters.latency), packet));
        passed
    }
}
