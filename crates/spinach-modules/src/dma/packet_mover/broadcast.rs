//! Stores to the broadcast region, which all cores receive.

use spinach_engine::Edge;

use super::PacketMover;
use super::register_map::{flag, region};
use crate::parts::queue::pop_front_if;
use crate::values::Reference;

/// Stores that the queue of a core holds, and addresses that its filter queues.
const QUEUED: usize = 16;
/// Cycles from a store until it leaves: a queue and a register.
const LEAVES_AFTER: u64 = 2;
/// Cycles from a word of another core until it is written: three registers.
const WRITE_LATENCY: u64 = 3;

impl PacketMover {
    /// True if a store to `place` is broadcast. One to the first byte of the region is not, as in the hardware.
    pub(super) fn is_broadcast(&self, place: u64) -> bool {
        let data = u64::from(region::DATA);
        let end = data + self.state.data.len() as u64;
        self.ports.broadcast.is_connected
            && (end - self.parameters.broadcast_region.0.min(end - data) + 1..end).contains(&place)
    }

    /// True if the queue of stores has room.
    pub(super) fn has_room_to_broadcast(&self) -> bool {
        self.state.broadcasts.sent.len() < QUEUED
    }

    /// Queues a store for all cores.
    pub(super) fn broadcast(&mut self, reference: &Reference, place: u64, cycle: u64) {
        let shift = place & 3;
        let data = (reference.data as u32) << (8 * shift);
        let enables = (reference.enables << shift) & 0xf;
        let word = place % self.parameters.broadcast_region.0 / 4;
        let word = u64::from(data) | u64::from(enables) << 32 | word << 36;
        let word = word | u64::from(self.parameters.identity) << 56;
        self.state.broadcasts.sent.push_back((cycle + LEAVES_AFTER, word));
    }

    /// Writes the stores of other cores, and queues the addresses of those that pass the filter.
    pub(super) fn hear(&mut self, edge: &mut Edge<'_>) {
        let cycle = edge.cycle();
        if self.ports.heard.is_connected
            && let Some(word) = edge.signals.received(self.ports.heard.port)
            && word >> 56 != u64::from(self.parameters.identity)
        {
            self.state.broadcasts.heard.push_back((cycle + WRITE_LATENCY, word));
        }
        let region = self.parameters.broadcast_region.0;
        let state = &mut self.state;
        while let Some((_, word)) = pop_front_if(&mut state.broadcasts.heard, |(due, _)| *due <= cycle) {
            let address = state.data.len() as u64 - region + (word >> 36 & 0xf_ffff) % (region / 4) * 4;
            let (data, enables) = (word as u32, (word >> 32 & 0xf) as u16);
            // The region lies within the memory.
            let _ = state.data.store(address, 4, enables, data.into());
            let registers = &mut state.registers;
            let [mask, value] = registers.broadcast_filter;
            let passes = registers.queues_broadcasts && address as u32 & mask == value;
            if passes && state.broadcasts.queued.len() < QUEUED {
                state.broadcasts.queued.push_back(address as u32);
            } else if passes {
                registers.flags |= flag::BROADCAST_FULL;
            }
        }
    }
}
