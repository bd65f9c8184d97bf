//! The side that packets leave by.

use spinach_engine::Edge;

use super::receiving::{QUEUED_WORDS, come};
use super::register_map::{flag, kind, region};
use super::state::{Departure, Sending};
use super::{
    DISCARDED, DISCARDED_PORT_0, DISCARDED_PORT_1, PacketMover, READ_CONFLICTS, SENT, SENT_BYTES, WORD,
    bank_of,
};
use crate::memory::storage::Storage;
use crate::parts::queue::pop_front_if;
use crate::values::SlotPacket;

/// Cycles from a descriptor's leaving the core until it can be begun: a register and a queue.
const QUEUE_LATENCY: u64 = 2;
/// Cycles from there until its first word can be read: two states of the sender, a register and a queue.
const READ_LATENCY: u64 = 4;
/// Cycles from the read of the last word until that leaves the sender: packet memory, queue, register and the two words that are shifted.
const PACKET_LATENCY: u64 = 7;
/// Cycles of a packet from the packet memory besides one for each word.
const ALL_SENDER_CYCLES: u64 = READ_LATENCY + PACKET_LATENCY;
/// Cycles from the read of the last word until that leaves the sender, from the data memory.
const DATA_LATENCY: u64 = 5;
/// Cycles from a command until its packet can be begun: a register and a queue.
const COMMAND_LATENCY: u64 = 2;
/// Bytes in front of a packet to a core, with its destination.
const HEADER_BYTES: u32 = 8;
/// Cycles from the departure of a packet until the message on its slot is presented: a queue and a register.
const MESSAGE_LATENCY: u64 = 2;
/// Cycles from a wrong descriptor's leaving the core until its flag can be read.
const FLAG_LATENCY: u64 = 6;
/// Descriptors that the register between core and queue holds.
const REGISTERED: usize = 2;

impl PacketMover {
    /// True if there is room for another descriptor to send.
    pub(super) fn has_room(&self) -> bool {
        self.state.sender.queue.len() < self.parameters.slots as usize + REGISTERED
            && !self.awaits_host_room()
    }

    /// True if the queue of packets to send is full; a register before it may have room.
    pub(super) fn is_send_queue_full(&self) -> bool {
        self.state.sender.queue.len() >= self.parameters.slots as usize
    }

    /// True if the queue of words to be read is full.
    pub(super) fn is_read_queue_full(&self, cycle: u64) -> bool {
        let sending = self.state.sender.current.filter(|sending| is_in_packets(sending.departure));
        sending.is_some_and(|sending| {
            come(sending.reads_from, sending.words, cycle) - sending.read >= QUEUED_WORDS
        })
    }

    /// Moves the descriptor that the core has given out of its register; true if there was one.
    pub(super) fn queue_descriptor(&mut self, edge: &mut Edge<'_>) -> bool {
        if self.state.registers.pending.is_none() || !self.has_room() {
            return false;
        }
        let cycle = edge.cycle();
        let state = &mut self.state;
        let Some(kind) = state.registers.pending.take() else { return false };
        let [low, high] = state.registers.send;
        if kind <= kind::CORE {
            self.note_done(low, cycle);
        }
        let state = &mut self.state;
        match kind {
            kind::PACKET => {
                state.sender.queue.push_back(Departure {
                    low,
                    high,
                    begins: cycle + QUEUE_LATENCY,
                    to_core: None,
                });
            }
            kind::DONE | kind::CORE | kind::SLOTS => {
                if let Some(slot) = state.slots.get_mut((low >> 16 & 0xff) as usize) {
                    slot.asked = (high, low & 0xffff);
                }
                state.core_messages.push_back((cycle + 3, u64::from(kind) << 32 | u64::from(low)));
            }
            kind::HOST_WRITE | kind::HOST_READ => self.order(kind, [low, high], edge),
            _ => {
                state.host.mistakes.has_unknown_type = true;
                state.rising.push_back((cycle + FLAG_LATENCY, flag::INVALID_DESCRIPTOR));
            }
        }
        true
    }

    /// The core gives away the packet of a descriptor.
    fn note_done(&mut self, low: u32, cycle: u64) {
        let number = (low >> 16 & 0xff) as usize;
        let state = &mut self.state;
        let Some(slot) = state.slots.get_mut(number).filter(|_| number > 0) else { return };
        let (bit, mistakes) = (1 << (number - 1), &mut state.host.mistakes);
        if slot.is_leaving {
            mistakes.resent |= bit;
        }
        if !slot.is_held {
            mistakes.invalid |= bit;
            state.rising.push_back((cycle + FLAG_LATENCY, flag::INVALID_SLOT));
        }
        (slot.is_held, slot.is_active, slot.is_leaving) = (false, false, true);
    }

    /// Begins, reads and ends packets. Arriving words have used `write_bank` in this cycle.
    pub(super) fn send(&mut self, write_bank: Option<u64>, edge: &mut Edge<'_>) {
        if self.state.sender.current.is_none() {
            self.begin_packet(edge);
        }
        self.read_word(write_bank, edge);
        self.end_packet(edge);
    }

    /// True if a packet may be begun before the one before has left.
    fn overlaps(&self) -> bool {
        u64::from(self.parameters.sender_cycles) < ALL_SENDER_CYCLES
    }

    fn begin_packet(&mut self, edge: &mut Edge<'_>) {
        let cycle = edge.cycle();
        let sender = &mut self.state.sender;
        if sender.free_at > cycle {
            return;
        }
        let is_due = |departure: &Departure| departure.begins <= cycle;
        let commanded = pop_front_if(&mut sender.commanded, is_due);
        let Some(departure) = commanded.or_else(|| pop_front_if(&mut sender.queue, is_due)) else { return };
        let length = departure.low & 0xffff;
        if length == 0 {
            sender.free_at = cycle + 2;
            edge.count(DISCARDED, 1);
            edge.count(DISCARDED_PORT_0, u64::from(departure.low >> 24 == 0));
            edge.count(DISCARDED_PORT_1, u64::from(departure.low >> 24 == 1));
            self.free_slot(departure, cycle + 1);
            return;
        }
        let offset = departure.high % WORD;
        // As the hardware computes it: one word too many where offset and remainder fill a word exactly.
        let words = length / WORD
            + match offset + length % WORD {
                0 => 0,
                1..16 => 1,
                _ => 2,
            };
        let ends_early = offset > 0 && (length.is_multiple_of(WORD) || offset + length % WORD >= WORD);
        // The header moves the bytes behind it; the last of them may take a word more.
        let lengthens = departure.to_core.is_some() && (length - 1) % WORD >= WORD - HEADER_BYTES;
        let latency = if is_in_packets(departure) { PACKET_LATENCY } else { DATA_LATENCY };
        let reads_from = if self.overlaps() {
            cycle.max(departure.begins + READ_LATENCY).max(self.state.sender.next_read)
        } else {
            cycle + READ_LATENCY
        };
        self.state.sender.current = Some(Sending {
            departure,
            reads_from,
            words,
            read: 0,
            latency: latency - u64::from(ends_early) + u64::from(lengthens),
            bytes: None,
            ends: None,
        });
    }

    /// Queues the packet of a slot, as the load balancer commands. One for a core has the length of its descriptor.
    pub(super) fn command_departure(&mut self, low: u32, to_core: Option<(u8, u8)>, cycle: u64) {
        let state = &mut self.state;
        let slot = state.slots.get((low >> 16 & 0xff) as usize).copied().unwrap_or_default();
        let (high, length) = slot.asked;
        let low = if to_core.is_some() { low | length } else { low };
        let begins = cycle + COMMAND_LATENCY;
        state.sender.commanded.push_back(Departure { low, high, begins, to_core });
    }

    /// True if a word of the packet that leaves is read in this cycle: its bank is not in use.
    #[inline]
    fn reads(&self, cycle: u64, write_bank: Option<u64>, counters: &mut [u64]) -> bool {
        let state = &self.state;
        let Some(sending) = &state.sender.current else { return false };
        if cycle < sending.reads_from || sending.read == sending.words {
            return false;
        }
        let bank = bank_of(sending.departure.high, sending.read);
        let is_used = state.core_bank == Some(bank) || write_bank == Some(bank);
        let conflicts = is_used && is_in_packets(sending.departure);
        counters[READ_CONFLICTS] += u64::from(conflicts);
        !conflicts
    }

    /// First cycle in which the first or the last word of a packet can be read, if one is being read.
    pub(super) fn next_outer_word(&self) -> Option<u64> {
        let sending = self.state.sender.current.filter(|sending| sending.read < sending.words)?;
        let inner = if sending.read == 0 { 0 } else { sending.words - sending.read - 1 };
        Some(sending.reads_from.max(self.state.next_cycle) + u64::from(inner))
    }

    /// Reads a word of the packet that leaves, unless its bank is in use; true if it is the last.
    pub(super) fn read_word(&mut self, write_bank: Option<u64>, edge: &mut Edge<'_>) -> bool {
        let cycle = edge.cycle();
        if !self.reads(cycle, write_bank, edge.counters) {
            return false;
        }
        let state = &mut self.state;
        let Some(sending) = state.sender.current.as_mut() else { return false };
        if sending.read == 0 {
            let storage = if is_in_packets(sending.departure) { &state.packets } else { &state.data };
            let Departure { low, high, .. } = sending.departure;
            let bytes = load_around(storage, (high & ADDRESS).into(), (low & 0xffff) as usize);
            sending.bytes = Some(edge.payloads().insert(bytes));
        }
        sending.read += 1;
        if sending.read == sending.words {
            sending.ends = Some(cycle + sending.latency);
            let fixed = READ_LATENCY + sending.latency;
            let saved = ALL_SENDER_CYCLES - u64::from(self.parameters.sender_cycles);
            if saved > 0 {
                state.sender.next_read = cycle + 1 + fixed.saturating_sub(saved);
                state.sender.leaving.extend(state.sender.current.take());
            }
            return true;
        }
        false
    }

    fn end_packet(&mut self, edge: &mut Edge<'_>) {
        let cycle = edge.cycle();
        let sender = &mut self.state.sender;
        let oldest = sender.leaving.front().copied().or(sender.current);
        let Some(sending) = oldest.filter(|sending| sending.ends.is_some_and(|ends| ends <= cycle)) else {
            return;
        };
        let (Some(bytes), None) = (sending.bytes, sender.output) else { return };
        let Departure { low, to_core, .. } = sending.departure;
        let (core, slot) = to_core.map_or((None, (low >> 16) as u8), |(core, slot)| (Some(core), slot));
        let packet = SlotPacket { bytes, slot, port: (low >> 24) as u8, core };
        sender.output = Some((cycle + 1, packet));
        if sender.leaving.pop_front().is_none() {
            (sender.current, sender.free_at) = (None, cycle + 1);
        }
        let counts = &mut self.state.host.counts;
        counts.sent = counts.sent.wrapping_add(1);
        counts.sent_bytes = counts.sent_bytes.wrapping_add(low & 0xffff);
        edge.count(SENT, 1);
        edge.count(SENT_BYTES, u64::from(low & 0xffff));
        self.free_slot(sending.departure, cycle);
    }

    /// Tells the load balancer that the slot of a packet that left in `cycle` is free.
    fn free_slot(&mut self, departure: Departure, cycle: u64) {
        if departure.low >> 16 & 0xff != 0 {
            self.state.slot_messages.push_back((cycle + MESSAGE_LATENCY, departure.low.into()));
        }
    }
}

/// Address bits that count within a memory.
const ADDRESS: u32 = region::PACKETS - 1;

pub(super) fn is_in_packets(departure: Departure) -> bool {
    departure.high & region::PACKETS != 0
}

/// The bytes from `address` on, of which as many bits count as the memory has; after its end comes its beginning.
pub(super) fn load_around(storage: &Storage, address: u64, length: usize) -> Vec<u8> {
    let size = storage.len();
    let start = (address % size as u64) as usize;
    let mut bytes = vec![0; length];
    let (first, rest) = bytes.split_at_mut(length.min(size - start));
    storage.copy_out(start as u64, first);
    let there = rest.len().min(size);
    storage.copy_out(0, &mut rest[..there]);
    bytes
}
