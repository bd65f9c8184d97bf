//! The host's view of a core: counters, commands and memories, and the descriptors by which the core moves bytes of host memory.

use spinach_engine::{Edge, Signals};

use super::register_map::{command, flag, kind, region, status};
use super::state::{Mistakes, Order, Registers};
use super::{FLAG_LATENCY, PacketMover, WORD};
use crate::memory::storage::Storage;
use crate::parts::core_command::Command;
use crate::parts::line_port::{Line, line_of};
use crate::parts::queue::pop_front_if;
use crate::values::{Block, BlockResponse};

/// Descriptors for host memory that the core can queue, of either kind.
const QUEUED: usize = 8;
/// Bytes of the window that registers take; memories follow at the addresses of the core.
const REGISTER_BYTES: u64 = 0x40;
/// Address bits that count.
const ADDRESS: u64 = (1 << 25) - 1;

impl PacketMover {
    fn has_host(&self) -> bool {
        self.ports.host_request.is_connected && self.ports.host_response.is_connected
    }

    /// True if the descriptor that is pending has to wait for room among those for host memory.
    pub(super) fn awaits_host_room(&self) -> bool {
        let is_for_host =
            self.state.registers.pending.is_some_and(|it| it == kind::HOST_WRITE || it == kind::HOST_READ);
        is_for_host && self.state.host.orders.len() >= QUEUED
    }

    /// Entries of the queues for host writes and host reads, as the occupancy register has them.
    pub(super) fn host_occupancy(&self) -> u32 {
        let reads = self.state.host.orders.iter().filter(|order| order.is_read).count() as u32;
        let writes = self.state.host.orders.len() as u32 - reads;
        writes << 8 | reads << 16
    }

    /// Queues a descriptor for host memory.
    pub(super) fn order(&mut self, kind: u32, [low, high]: [u32; 2], edge: &mut Edge<'_>) {
        if !self.has_host() {
            let identity = self.parameters.identity;
            return edge.stop(format!(
                "core {identity} has a descriptor for host memory, but no host port is connected"
            ));
        }
        let [host_low, host_high] = self.state.registers.host;
        let words = u64::from((low & 0xffff).div_ceil(WORD));
        self.state.host.orders.push_back(Order {
            low,
            high,
            host: u64::from(host_low) | u64::from(host_high) << 32,
            is_read: kind == kind::HOST_READ,
            due: edge.cycle() + if kind == kind::HOST_READ { 1 } else { words + 1 },
            bytes: None,
            is_asked: false,
        });
    }

    /// Presents the oldest request for host memory, answers to the host, and commands to the core.
    pub(super) fn present_host(&self, signals: &mut Signals) {
        let (ports, host) = (&self.ports, &self.state.host);
        host.port.evaluate(&ports.control_request, &ports.control_response, signals);
        if ports.reset.is_connected {
            signals.write(ports.reset.port, host.resets.front().copied());
        }
        if self.has_host() {
            let asked = host.orders.front().filter(|order| !order.is_asked && self.is_ready(order));
            let block = asked.map(|order| Block {
                address: order.host,
                length: order.low & 0xffff,
                source: self.parameters.identity as u16,
                write: order.bytes,
            });
            signals.write(ports.host_request.port, block);
            signals.acknowledge(ports.host_response.port, true);
        }
    }

    fn is_ready(&self, order: &Order) -> bool {
        order.due <= self.state.next_cycle && (order.is_read || order.bytes.is_some())
    }

    /// Serves the host, and moves bytes of host memory.
    pub(super) fn serve_host(&mut self, edge: &mut Edge<'_>) {
        self.move_host_bytes(edge);
        if !self.ports.control_request.is_connected {
            return;
        }
        let cycle = edge.cycle();
        if self.ports.reset.is_connected && edge.signals.is_sent(self.ports.reset.port) {
            self.state.host.resets.pop_front();
        }
        let input = self.ports.input;
        let waits_in = edge.signals.is_present(input) && !edge.signals.is_received(input);
        let waits_out = self.state.sender.output.is_some_and(|(due, _)| due <= cycle);
        let counts = &mut self.state.host.counts;
        counts.received_stalls = counts.received_stalls.wrapping_add(waits_in.into());
        counts.sent_stalls = counts.sent_stalls.wrapping_add(waits_out.into());
        let ports = &self.ports;
        if let Some(line) = self.state.host.port.take(&ports.control_request, &ports.control_response, edge) {
            let answer = self.serve_line(&line, cycle);
            self.state.host.port.answer(answer);
        }
    }

    fn serve_line(&mut self, line: &Line, cycle: u64) -> Option<u128> {
        let place = line.address & ((1 << 26) - 1);
        if place < REGISTER_BYTES {
            for (address, word) in line.words() {
                self.obey_host((address % REGISTER_BYTES / 4) as u32, word, cycle);
            }
            return Some(line_of(place, |address| self.status((address / 4) as u32, cycle)));
        }
        let (storage, offset) = self.memory_at(place)?;
        match line.write {
            None => storage.load(offset, 16),
            Some((data, enables)) => storage.store(offset, 16, enables, data).map(|()| 0),
        }
    }

    /// Memory that holds an address of the core, and the offset in it.
    fn memory_at(&mut self, place: u64) -> Option<(&mut Storage, u64)> {
        let (data, packets) = (u64::from(region::DATA), u64::from(region::PACKETS));
        if place >= packets {
            Some((&mut self.state.packets, place - packets))
        } else {
            Some((&mut self.state.data, place.checked_sub(data)?))
        }
    }

    /// A register that the host reads.
    fn status(&self, register: u32, cycle: u64) -> u32 {
        let (state, counts) = (&self.state, &self.state.host.counts);
        let mistakes = state.host.mistakes;
        let bits = |is_set: fn(&super::state::Slot) -> bool| {
            let slots = state.slots.iter().skip(1).enumerate();
            slots.filter(|(_, slot)| is_set(slot)).fold(0, |bits, (index, _)| bits | 1_u32 << index)
        };
        match register {
            status::RECEIVED_BYTES => counts.received_bytes,
            status::RECEIVED => counts.received,
            status::RECEIVED_STALLS => counts.received_stalls,
            status::SENT_BYTES => counts.sent_bytes,
            status::SENT => counts.sent,
            status::SENT_STALLS => counts.sent_stalls,
            status::DEBUG_LOW => state.registers.debug_out[0],
            status::DEBUG_HIGH => state.registers.debug_out[1],
            status::CORE => self.core_status(cycle),
            status::QUEUES => {
                let is_host_full = state.host.orders.len() >= QUEUED;
                word_of(&[
                    (0, !self.has_room_to_broadcast()),
                    (2, is_host_full),
                    (3, is_host_full),
                    (5, self.is_send_queue_full()),
                    (16, mistakes.has_unknown_type),
                    (17, mistakes.invalid | mistakes.resent != 0),
                ])
            }
            status::HELD_SLOTS => bits(|slot| slot.is_held),
            status::LEAVING_SLOTS => bits(|slot| slot.is_leaving),
            status::OVERRIDDEN_SLOTS => mistakes.overridden,
            status::RESENT_SLOTS => mistakes.resent,
            status::INVALID_SLOTS => mistakes.invalid,
            _ => 0,
        }
    }

    /// Errors, full queues and state of the core.
    fn core_status(&self, cycle: u64) -> u32 {
        let (state, flags) = (&self.state, self.state.registers.flags);
        let accesses = (flags / flag::INSTRUCTION_ACCESS) & 0xf;
        accesses
            | word_of(&[
                (4, flags & flag::ACCELERATOR != 0),
                (9, self.is_write_queue_full(cycle)),
                (10, self.is_read_queue_full(cycle)),
                (16, state.registers.is_ready_to_evict),
                (17, state.host.is_in_reset),
            ])
    }

    /// Obeys a command of the host.
    fn obey_host(&mut self, register: u32, word: u32, cycle: u64) {
        let state = &mut self.state;
        match register {
            command::DEBUG_LOW => state.registers.debug_in[0] = word,
            command::DEBUG_HIGH => state.registers.debug_in[1] = word,
            command::POKE if word & 1 != 0 => state.rising.push_back((cycle + FLAG_LATENCY, flag::POKE)),
            command::EVICT if word & 1 != 0 => state.rising.push_back((cycle + FLAG_LATENCY, flag::EVICT)),
            command::RESET if word & 1 != 0 => self.hold(),
            command::RESET if state.host.is_in_reset => {
                state.host.is_in_reset = false;
                let start = Command::Jump(self.parameters.entry);
                state.host.resets.extend([start.to_word(), Command::Resume.to_word()]);
            }
            _ => {}
        }
    }

    /// Holds the core in reset: its registers are as at the start, and it gives up its packets.
    fn hold(&mut self) {
        let state = &mut self.state;
        state.host.is_in_reset = true;
        state.host.mistakes = Mistakes::default();
        state.host.resets.clear();
        state.host.resets.push_back(Command::Halt.to_word());
        let old = &state.registers;
        let registers = Registers { debug_in: old.debug_in, debug_out: old.debug_out, ..Registers::new() };
        state.registers = registers;
        state.receiver.received.clear();
        state.host.orders.retain(|order| order.is_asked);
        for slot in &mut state.slots {
            (slot.is_held, slot.is_active, slot.is_leaving) = (false, false, false);
        }
    }

    fn move_host_bytes(&mut self, edge: &mut Edge<'_>) {
        if !self.has_host() || self.state.host.orders.is_empty() {
            return;
        }
        let cycle = edge.cycle();
        if edge.signals.is_sent(self.ports.host_request.port)
            && let Some(order) = self.state.host.orders.front_mut()
        {
            order.is_asked = true;
        }
        if let Some(response) = edge.signals.received(self.ports.host_response.port) {
            self.end_order(response, edge);
        }
        let state = &mut self.state;
        if let Some(order) = state.host.orders.front().copied()
            && !order.is_read
            && order.bytes.is_none()
            && order.due <= cycle + 1
        {
            let storage = if order.high & region::PACKETS != 0 { &state.packets } else { &state.data };
            let length = (order.low & 0xffff) as usize;
            let bytes = super::sending::load_around(storage, u64::from(order.high) & ADDRESS, length);
            let bytes = edge.payloads().insert(bytes);
            if let Some(front) = state.host.orders.front_mut() {
                front.bytes = Some(bytes);
            }
        }
    }

    /// Ends the oldest descriptor for host memory: data read is stored, and its flag rises. Nothing happens after a fault of the
    /// bus.
    fn end_order(&mut self, response: BlockResponse, edge: &mut Edge<'_>) {
        let cycle = edge.cycle();
        let Some(order) = pop_front_if(&mut self.state.host.orders, |order| order.is_asked) else { return };
        let Some(bytes) = response.read.and_then(|read| edge.payloads().remove(read)) else { return };
        let state = &mut self.state;
        let storage = if order.high & region::PACKETS != 0 { &mut state.packets } else { &mut state.data };
        super::receiving::store_around(storage, u64::from(order.high) & ADDRESS, &bytes);
        let words = (bytes.len() as u64).div_ceil(WORD.into());
        state.host_data.push_back((cycle + words + FLAG_LATENCY, order.low >> 16 & 0x1f));
    }

    /// Raises the flags of host reads whose bytes are stored.
    pub(super) fn note_host_data(&mut self, cycle: u64) {
        let state = &mut self.state;
        while let Some((_, number)) = pop_front_if(&mut state.host_data, |(due, _)| *due <= cycle + 1) {
            state.registers.host_flags |= 1 << number;
        }
    }

    /// True if the host asks for nothing and waits for nothing.
    pub(super) fn is_host_quiet(&self) -> bool {
        let host = &self.state.host;
        host.orders.iter().all(|order| order.is_asked)
            && host.resets.is_empty()
            && host.port.is_empty()
            && self.state.host_data.is_empty()
    }
}

/// Word with the given bits, each set if the condition next to it is true.
fn word_of(bits: &[(u32, bool)]) -> u32 {
    bits.iter().fold(0, |word, (bit, is_set)| word | u32::from(*is_set) << bit)
}
