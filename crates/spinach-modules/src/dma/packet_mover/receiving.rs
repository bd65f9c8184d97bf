//! The side that packets come in by.

use spinach_engine::Edge;

use super::register_map::{flag, region};
use super::state::{Received, Write};
use super::{
    DROPPED_SLOT_IN_USE, FLAG_LATENCY, PacketMover, RECEIVED, RECEIVED_BYTES, WORD, WRITE_CONFLICTS, bank_of,
};
use crate::memory::storage::Storage;
use crate::parts::queue::pop_front_if;

/// Cycles from the first word of a packet until it can be written: four registers and queues.
const WRITE_LATENCY: u64 = 4;
/// Cycles from the last write until the core can see the descriptor: two queues, the check of its slot, and a register.
const DESCRIPTOR_LATENCY: u64 = 2;
/// Words that the queues before the packet memory hold.
pub(super) const QUEUED_WORDS: u32 = 4;
/// Words that may wait for their bank before the input waits too: the queue, and a register for two.
const WAITING_WORDS: u64 = QUEUED_WORDS as u64 + 2;

impl PacketMover {
    /// Takes the words of packets; returns the bank of the packet memory that one was written to.
    pub(super) fn receive(&mut self, edge: &mut Edge<'_>) -> Option<u64> {
        self.begin(edge);
        if self.state.receiver.writes.is_empty() {
            return None;
        }
        let cycle = edge.cycle();
        let bank = self.write_word(cycle, edge.counters);
        while let Some(index) = self
            .state
            .receiver
            .writes
            .iter()
            .position(|write| !write.has_come && cycle + 1 >= write.begins + u64::from(write.words))
        {
            self.state.receiver.writes[index].has_come = true;
            let write = self.state.receiver.writes[index];
            self.complete(write, edge);
        }
        self.end_write();
        bank
    }

    /// Forgets the oldest packet once it has come and is written.
    #[inline]
    pub(super) fn end_write(&mut self) {
        pop_front_if(&mut self.state.receiver.writes, |write| write.has_come && write.written == write.words);
    }

    /// Takes the first word of a packet, if one comes.
    fn begin(&mut self, edge: &mut Edge<'_>) {
        let Some(packet) = edge.signals.received(self.ports.input) else { return };
        let cycle = edge.cycle();
        let length = edge.payloads().get(packet.bytes).len() as u32;
        let slot = self.state.slots.get(usize::from(packet.slot)).copied().unwrap_or_default();
        let words = (slot.packet % WORD + length).div_ceil(WORD).max(1);
        self.state.receiver.free_at = cycle + u64::from(words);
        self.state.receiver.writes.push_back(Write {
            bytes: packet.bytes,
            length,
            slot: packet.slot,
            port: packet.port,
            address: slot.packet,
            begins: cycle + WRITE_LATENCY,
            words,
            written: 0,
            has_come: false,
        });
    }

    /// Writes the oldest word that waits, unless the core uses its bank.
    pub(super) fn write_word(&mut self, cycle: u64, counters: &mut [u64]) -> Option<u64> {
        let receiver = &mut self.state.receiver;
        let write = receiver.writes.iter_mut().find(|write| write.written < write.words)?;
        let due = write.begins + u64::from(write.written);
        if due > cycle {
            return None;
        }
        let bank = bank_of(write.address, write.written);
        if self.state.core_bank != Some(bank) {
            write.written += 1;
            return Some(bank);
        }
        counters[WRITE_CONFLICTS] += 1;
        if cycle - due >= WAITING_WORDS {
            receiver.writes.iter_mut().filter(|write| !write.has_come).for_each(|write| write.begins += 1);
            receiver.free_at += 1;
        }
        None
    }

    /// True if the queue of words to be written is full.
    pub(super) fn is_write_queue_full(&self, cycle: u64) -> bool {
        let waiting = |write: &Write| come(write.begins, write.words, cycle) - write.written;
        self.state.receiver.writes.iter().map(waiting).sum::<u32>() >= QUEUED_WORDS
    }

    /// Writes all bytes of a packet that has come, and queues its descriptor.
    fn complete(&mut self, write: Write, edge: &mut Edge<'_>) {
        let cycle = edge.cycle();
        let bytes = edge.payloads().remove(write.bytes).unwrap_or_default();
        store_around(&mut self.state.packets, write.address.into(), &bytes);
        let header_bytes = self.parameters.header_bytes;
        let state = &mut self.state;
        let Some(slot) = state.slots.get_mut(usize::from(write.slot)).filter(|_| write.slot > 0) else {
            return;
        };
        let offset = write.address % header_bytes;
        let copied = bytes.len().min((header_bytes - offset) as usize);
        let header = slot.header / header_bytes * header_bytes + offset;
        store_around(&mut state.data, header.into(), &bytes[..copied]);
        let counts = &mut state.host.counts;
        counts.received = counts.received.wrapping_add(1);
        counts.received_bytes = counts.received_bytes.wrapping_add(bytes.len() as u32);
        if slot.is_held || slot.is_leaving {
            state.host.mistakes.overridden |= 1 << (write.slot - 1);
            edge.count(DROPPED_SLOT_IN_USE, 1);
            state.rising.push_back((cycle + FLAG_LATENCY, flag::DUPLICATE_SLOT));
            return;
        }
        slot.is_held = true;
        let tag_bytes = state.registers.tag_bytes;
        let length = write.length.wrapping_sub(tag_bytes) & 0xffff;
        state.receiver.received.push_back(Received {
            low: length | u32::from(write.slot) << 16 | u32::from(write.port) << 24,
            high: (region::PACKETS | write.address).wrapping_add(tag_bytes),
            visible_at: cycle + DESCRIPTOR_LATENCY,
        });
        edge.count(RECEIVED, 1);
        edge.count(RECEIVED_BYTES, bytes.len() as u64);
    }
}

/// Words of a packet that have come by the end of a cycle, if the first comes in `begins` and each cycle another.
pub(super) fn come(begins: u64, words: u32, cycle: u64) -> u32 {
    (cycle + 1).saturating_sub(begins).min(words.into()) as u32
}

/// Stores bytes from `address` on, of which as many bits count as the memory has; bytes beyond its end go to its beginning.
pub(super) fn store_around(storage: &mut Storage, address: u64, bytes: &[u8]) {
    let size = storage.len();
    let start = (address % size as u64) as usize;
    let (first, rest) = bytes.split_at(bytes.len().min(size - start));
    storage.copy_in(start as u64, first);
    storage.copy_in(0, &rest[..rest.len().min(size)]);
}
