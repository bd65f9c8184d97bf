//! Messages of cores, commands to them, and packets between them.

use spinach_engine::Edge;

use super::{LOOPED, SlotBalancer};
use crate::values::SlotPacket;

/// Types of messages.
pub(super) mod message {
    pub(in super::super) const SLOT_FREE: u64 = 0;
    pub(super) const DONE: u64 = 1;
    pub(super) const TO_CORE: u64 = 2;
    pub(in super::super) const SLOTS_READY: u64 = 3;
}

/// Type of the command to send a packet as it is; 1 above it, to send it to another core.
const SEND: u64 = 0;
const LOOP: u64 = 1;

impl SlotBalancer {
    /// Queues a message of a core, of which one arrives in a cycle; without latency it counts at once.
    pub(super) fn take_message(&mut self, core: usize, message: u64, edge: &mut Edge<'_>) {
        let Some(latency) = self.parameters.message_latency.checked_sub(1) else {
            return self.note(core, message, edge);
        };
        let state = &mut self.state;
        let due = edge.cycle() + u64::from(latency);
        let due = state.messages.back().map_or(due, |(last, ..)| due.max(last + 1));
        state.messages.push_back((due, core, message));
    }

    /// Records a message of a core.
    pub(super) fn note(&mut self, core: usize, message: u64, edge: &mut Edge<'_>) {
        let slot = (message >> 16 & 0xff) as u32;
        let low = message as u32;
        let state = &mut self.state;
        let has_commands = !self.ports.command.is_empty();
        match message >> 32 {
            message::SLOT_FREE => state.free[core] |= 1_u32.checked_shl(slot.wrapping_sub(1)).unwrap_or(0),
            message::SLOTS_READY => {
                state.free[core] = 1_u32.checked_shl(slot).map_or(u32::MAX, |bit| bit - 1);
            }
            message::DONE if has_commands => state.done.push_back((core, low)),
            message::TO_CORE if has_commands && self.ports.loopback.is_connected => {
                // As many bits of the number count as the cores need.
                let destination = (low >> 24) as usize % state.free.len().next_power_of_two();
                match state.asked.get_mut(destination) {
                    Some(asked) => {
                        asked.push_back((core, low));
                        self.asked += 1;
                    }
                    None => edge.stop(format!(
                        "core {core} sends a packet to core {destination}, which is not there"
                    )),
                }
            }
            other => edge.stop(format!(
                "core {core} sends a descriptor of type {other}, which nothing is connected for"
            )),
        }
    }

    /// Core whose slot a packet of another core gets in the coming cycle.
    pub(super) fn next_destination(&self) -> Option<usize> {
        if self.asked == 0 {
            return None;
        }
        let state = &self.state;
        let mut cores = (state.next_asked..state.asked.len()).chain(0..state.next_asked);
        cores
            .find(|core| !state.asked[*core].is_empty() && state.free[*core] != 0)
            .filter(|_| state.done.is_empty() || !state.has_looped)
    }

    /// Sends a command to a core, if one is due.
    pub(super) fn command(&mut self, cycle: u64) {
        let destination = self.next_destination();
        let state = &mut self.state;
        let presented_at = cycle + u64::from(self.parameters.command_latency);
        if let Some(destination) = destination
            && let Some((source, low)) = state.asked[destination].pop_front()
        {
            self.asked -= 1;
            let slot = state.free[destination].trailing_zeros() + 1;
            state.free[destination] &= state.free[destination] - 1;
            let low =
                self.parameters.loopback_port << 24 | low & 0x00ff_0000 | (destination as u32) << 8 | slot;
            state.commands[source].push_back((presented_at, LOOP << 32 | u64::from(low)));
            state.next_asked = (destination + 1) % state.asked.len();
            (state.has_looped, self.first_due) = (true, None);
        } else if let Some((source, low)) = state.done.pop_front() {
            state.commands[source].push_back((presented_at, SEND << 32 | u64::from(low)));
            (state.has_looped, self.first_due) = (false, None);
        }
    }

    /// Passes a packet on to the core that it is for.
    pub(super) fn pass_loopback(&mut self, edge: &mut Edge<'_>) {
        if !self.ports.loopback.is_connected {
            return;
        }
        let Some(packet) = edge.signals.received(self.ports.loopback.port) else { return };
        let core = packet.core.map_or(usize::MAX, usize::from);
        if core >= self.state.queues.len() {
            return edge.stop("a packet that is for no core comes by the loopback port".to_owned());
        }
        let words = self.words(edge.payloads().get(packet.bytes).len() as u64);
        self.state.loopback_free_at = edge.cycle() + words;
        let packet = SlotPacket { port: self.parameters.loopback_port as u8, core: None, ..packet };
        self.queue(core, self.ports.frame.len(), packet, words, edge.cycle());
        edge.count(LOOPED, 1);
    }
}
