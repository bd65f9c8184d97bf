//! Choice of a core and a slot for each frame.

use spinach_engine::{Edge, Input, Payload, Signals};
use spinach_net::flow_hash;

use super::messages::message;
use super::state::{HashedFrame, Policy};
use super::{FRAMES, REFUSED, SlotBalancer};
use crate::values::{Frame, SlotPacket};

/// Bytes of the hash in front of a frame.
const TAG_BYTES: u64 = 4;

impl SlotBalancer {
    fn receives(&self, core: usize) -> bool {
        self.parameters.receivers >> core & 1 != 0
    }

    /// The port whose frame gets a slot in this cycle, by turns.
    pub(super) fn choose_port(&self, signals: &Signals) -> Option<usize> {
        let (ports, state) = (&self.ports, &self.state);
        let destination = self.next_destination();
        let has_slot = |core: usize| {
            let free = state.free[core];
            let left = if destination == Some(core) { free & free.wrapping_sub(1) } else { free };
            left != 0 && self.receives(core)
        };
        let gives_slot = |(core, message): (usize, &Input<u64>)| {
            let word = signals.word(*message, 0);
            let slots = match word >> 32 {
                message::SLOT_FREE => 1..=32,
                message::SLOTS_READY => 1..=255,
                _ => return false,
            };
            signals.is_present(*message) && slots.contains(&(word >> 16 & 0xff)) && self.receives(core)
        };
        if !(0..state.free.len()).any(has_slot) && !ports.message.iter().enumerate().any(gives_slot) {
            return None;
        }
        let count = ports.frame.len();
        (0..count)
            .map(|turn| (state.next_port + turn) % count)
            .find(|lane| state.ports[*lane] <= state.next_cycle && signals.is_present(ports.frame[*lane]))
    }

    /// Gives the frame that was taken a slot. True if frames wait for one.
    pub(super) fn take(&mut self, edge: &mut Edge<'_>) -> bool {
        let mut is_waiting = false;
        for lane in 0..self.ports.frame.len() {
            if let Some(Frame { bytes, .. }) = edge.signals.received(self.ports.frame[lane]) {
                let length = edge.payloads().get(bytes).len() as u64;
                if let Some(core) = self.choose_core() {
                    self.give_slot(lane, core, bytes, length, edge);
                }
            } else {
                is_waiting |= edge.signals.is_present(self.ports.frame[lane]);
            }
        }
        let has_slot =
            (0..self.state.free.len()).any(|core| self.state.free[core] != 0 && self.receives(core));
        is_waiting && !has_slot
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

    /// Hashes frames that come, and gives the first of a port a slot of its core, ports in turn. True if frames wait and none was given one.
    pub(super) fn take_hashed(&mut self, edge: &mut Edge<'_>) -> bool {
        let cycle = edge.cycle();
        let count = self.ports.frame.len();
        let ready = (0..count)
            .map(|turn| (self.state.next_port + turn) % count)
            .filter(|lane| self.state.ports[*lane] <= cycle && !self.state.hashed[*lane].frames.is_empty());
        let chosen = ready.clone().find_map(|lane| {
            let frame = *self.state.hashed[lane].frames.front()?;
            let core = (frame.hash >> self.parameters.hash_bit) as usize % self.state.free.len();
            let has_slot = self.state.free[core] != 0 && self.receives(core);
            let drops = !has_slot
                && self.policy == Policy::HashDropping
                && edge.signals.is_present(self.ports.almost_full[lane]);
            (has_slot || drops).then_some((lane, frame, has_slot.then_some(core)))
        });
        let is_waiting = chosen.is_none() && ready.count() > 0;
        if let Some((lane, frame, core)) = chosen {
            self.state.hashed[lane].frames.pop_front();
            self.state.hashed[lane].bytes -= frame.length;
            match core {
                Some(core) => self.give_tagged_slot(lane, core, frame, edge),
                None => self.refuse(lane, frame, edge),
            }
        }
        for lane in 0..count {
            if let Some(Frame { bytes, .. }) = edge.signals.received(self.ports.frame[lane]) {
                let frame = edge.payloads().get(bytes);
                let hashed =
                    HashedFrame { bytes, length: frame.len() as u64, hash: flow_hash::of_frame(frame) };
                self.state.hashed[lane].bytes += hashed.length;
                self.state.hashed[lane].frames.push_back(hashed);
            }
        }
        is_waiting
    }

    fn give_tagged_slot(&mut self, lane: usize, core: usize, frame: HashedFrame, edge: &mut Edge<'_>) {
        let bytes = edge.payloads().remove(frame.bytes).unwrap_or_default();
        let tagged = [&frame.hash.to_le_bytes()[..], &bytes].concat();
        let tagged = edge.payloads().insert(tagged);
        self.give_slot(lane, core, tagged, frame.length + TAG_BYTES, edge);
    }

    fn refuse(&mut self, lane: usize, frame: HashedFrame, edge: &mut Edge<'_>) {
        edge.payloads().remove(frame.bytes);
        edge.count(REFUSED + lane, 1);
        let words = self.words(frame.length);
        self.state.ports[lane] = edge.cycle() + words.max(self.parameters.port_cycles.into());
        self.state.next_port = (lane + 1) % self.state.ports.len();
    }

    /// Gives a frame of a port the lowest free slot of a core, which has one.
    fn give_slot(&mut self, port: usize, core: usize, bytes: Payload, length: u64, edge: &mut Edge<'_>) {
        let cycle = edge.cycle();
        let words = self.words(length);
        let state = &mut self.state;
        let slot = state.free[core].trailing_zeros();
        state.free[core] &= state.free[core] - 1;
        state.ports[port] = cycle + words.max(self.parameters.port_cycles.into());
        state.next_port = (port + 1) % state.ports.len();
        let packet = SlotPacket { bytes, slot: slot as u8 + 1, port: port as u8, core: None };
        self.queue(core, packet, words, cycle);
        edge.count(FRAMES, 1);
    }

    /// Cycles in which so many bytes pass.
    pub(super) fn words(&self, bytes: u64) -> u64 {
        bytes.div_ceil(self.parameters.bytes_per_cycle.into())
    }

    /// Sends a packet to a core, once its cluster has taken those before it.
    pub(super) fn queue(&mut self, core: usize, packet: SlotPacket, words: u64, cycle: u64) {
        let state = &mut self.state;
        let cluster = core / (state.free.len() / state.clusters.len());
        let begins = state.clusters[cluster].max(cycle + u64::from(self.parameters.latency));
        state.clusters[cluster] = begins + words;
        state.queues[core].push_back((begins, packet));
    }
}
