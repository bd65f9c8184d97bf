//! Memories and registers, as the core sees them.

use spinach_engine::Signals;

use super::PacketMover;
use super::register_map::{flag, read, region, write};
use crate::parts::queue::pop_front_if;
use crate::values::{Access, Reference, Response};

/// Address bits that count.
pub(super) const ADDRESS: u64 = (1 << 25) - 1;
/// Bit of an address by which a load reverses the bytes of a word.
const SWAP: u64 = 1 << 26;
/// Addresses of the accelerator.
pub(super) const ACCELERATOR: std::ops::Range<u64> = region::ACCELERATOR as u64..region::DATA as u64;
/// Bytes that the registers take.
pub(super) const REGISTER_BYTES: u64 = 0x100;
/// Cycles until a load from the packet memory is answered; other loads take one.
const PACKET_LOAD: u64 = 3;

impl PacketMover {
    /// True if a reference has to wait: any while a load is under way, and a word of a descriptor while the one before is pending and there is no room for it.
    pub(super) fn refuses(&self, signals: &Signals) -> bool {
        let (address, control) =
            (signals.word(self.ports.core_request, 0), signals.word(self.ports.core_request, 1));
        self.awaits_answer(signals) || self.lacks_room(address, control & 0xf == Access::Write as u64)
    }

    /// True if a reference of the core is taken in this cycle, given that there is no accelerator.
    #[inline]
    pub(crate) fn takes(&self, address: u64, writes: bool) -> bool {
        !self.is_answer_late() && !self.lacks_room(address, writes)
    }

    /// True if there is no room for the data of a store.
    #[inline]
    fn lacks_room(&self, address: u64, writes: bool) -> bool {
        if writes && self.is_broadcast(address & ADDRESS) {
            return !self.has_room_to_broadcast();
        }
        if !writes || address & ADDRESS >= REGISTER_BYTES || self.has_room() {
            return false;
        }
        match (address & ADDRESS) as u32 & !3 {
            write::SEND => true,
            write::SEND_LOW | write::SEND_HIGH | write::HOST_LOW | write::HOST_HIGH => {
                self.state.registers.pending.is_some()
            }
            _ => false,
        }
    }

    /// True if an earlier reference is answered later than in this cycle.
    pub(super) fn awaits_answer(&self, signals: &Signals) -> bool {
        self.is_answer_late()
            || self.state.awaits_accelerator && !signals.is_present(self.ports.accelerator_response.port)
    }

    /// True if there is an answer that is due later than in this cycle.
    #[inline]
    fn is_answer_late(&self) -> bool {
        let (answers, now) = (&self.state.answers, self.state.next_cycle);
        answers.len() > 1 || answers.front().is_some_and(|(cycle, _)| *cycle > now)
    }

    /// Performs the reference of the core, if one was taken. A descriptor has left the core in this cycle if `has_queued`.
    pub(super) fn serve_core(&mut self, reference: Option<Reference>, has_queued: bool, cycle: u64) {
        let Some(reference) = reference else { return };
        let place = reference.address & ADDRESS;
        if self.has_accelerator() && ACCELERATOR.contains(&place) {
            self.state.awaits_accelerator = true;
            return;
        }
        if reference.access == Access::Write && self.is_broadcast(place) {
            self.broadcast(&reference, place, cycle);
        }
        let latency = if place >= u64::from(region::PACKETS) && reference.access == Access::Read {
            PACKET_LOAD
        } else {
            1
        };
        let response = self.perform(&reference, place, cycle, has_queued);
        self.state.answers.push_back((cycle + latency, response));
    }

    fn perform(&mut self, reference: &Reference, place: u64, cycle: u64, has_queued: bool) -> Response {
        let (storage, offset, flag) = if place >= region::PACKETS.into() {
            let offset = place - u64::from(region::PACKETS);
            self.state.core_bank = Some(place >> 4 & 1);
            (&mut self.state.packets, offset, flag::PACKET_ACCESS)
        } else if place >= region::DATA.into() {
            (&mut self.state.data, place - u64::from(region::DATA), flag::DATA_ACCESS)
        } else {
            return self.access_register(reference, place, cycle, has_queued);
        };
        let done = match reference.access {
            Access::Read => storage.load(offset, reference.size),
            Access::Write => {
                let Reference { size, enables, data, .. } = *reference;
                storage.store(offset, size, enables, data).map(|()| 0)
            }
            _ => None,
        };
        done.map_or_else(|| self.fail(flag), |data| response(reference, data))
    }

    fn fail(&mut self, flag: u32) -> Response {
        self.state.registers.flags |= flag;
        Response::FAULT
    }

    fn access_register(
        &mut self,
        reference: &Reference,
        place: u64,
        cycle: u64,
        has_queued: bool,
    ) -> Response {
        let is_simple = matches!(reference.access, Access::Read | Access::Write);
        if place >= REGISTER_BYTES || reference.size > 4 || !is_simple {
            return self.fail(flag::REGISTER_ACCESS);
        }
        let (register, shift) = (place as u32 & !3, 8 * (place as u32 & 3));
        if reference.access == Access::Write {
            let word = (reference.data as u32) << shift;
            let bytes = u32::from(reference.enables) << (shift / 8);
            self.write_register(register, word, bytes, cycle, has_queued);
            return Response::default();
        }
        let word = self.read_register(register, cycle);
        self.state.registers.last_read = word;
        Response { data: u128::from(word >> shift), is_fault: false }
    }

    /// Writes the enabled `bytes` of a register. Registers of one bit or byte take the low bits of the bus, without enables.
    fn write_register(&mut self, register: u32, word: u32, bytes: u32, cycle: u64, has_queued: bool) {
        let is_one = word & 1 != 0;
        let state = &mut self.state;
        let registers = &mut state.registers;
        match register {
            write::SEND_LOW | write::RESEND_LOW => merge(&mut registers.send[0], word, bytes),
            write::SEND_HIGH | write::RESEND_HIGH => merge(&mut registers.send[1], word, bytes),
            write::HOST_LOW => merge(&mut registers.host[0], word, bytes),
            write::HOST_HIGH => merge(&mut registers.host[1], word, bytes),
            write::SLOT => merge(&mut registers.slot, word, bytes),
            write::TIMER_INTERVAL => {
                merge(&mut registers.interval, word, bytes);
                registers.timer_began = cycle + 1;
                registers.flags &= !flag::TIMER;
            }
            write::HOST_FLAGS => merge(&mut registers.host_flags, word, bytes),
            write::HOST_FLAG_CLEAR => registers.host_flags &= !(1 << (word & 31)),
            write::READY_TO_EVICT => registers.is_ready_to_evict = is_one,
            // A write in the cycle in which the descriptor before leaves is lost, as in the hardware.
            write::SEND if !has_queued => registers.pending = Some(word & 0xf),
            write::RELEASE if is_one => self.release(cycle),
            write::SLOT_UPDATE if is_one => self.update_slot(),
            write::INTERRUPT_MASK => registers.mask = word & 0xffff,
            write::ACKNOWLEDGE => {
                registers.note_time(cycle);
                registers.flags &= !word;
                state.lines.is_acknowledged = true;
            }
            write::DEBUG_OUT_LOW => merge(&mut registers.debug_out[0], word, bytes),
            write::DEBUG_OUT_HIGH => merge(&mut registers.debug_out[1], word, bytes),
            write::BROADCAST_MASK => registers.broadcast_filter[0] = word,
            write::BROADCAST_VALUE => registers.broadcast_filter[1] = word,
            write::BROADCAST_ENABLE => {
                registers.queues_broadcasts = is_one;
                if !is_one {
                    state.broadcasts.queued.clear();
                }
            }
            write::BROADCAST_RELEASE if is_one => {
                state.broadcasts.queued.pop_front();
            }
            write::TAG_BYTES => registers.tag_bytes = word & 0xffff,
            _ => {}
        }
    }

    fn release(&mut self, cycle: u64) {
        let state = &mut self.state;
        if let Some(received) =
            pop_front_if(&mut state.receiver.received, |received| received.visible_at <= cycle)
        {
            let number = (received.low >> 16 & 0xff) as usize;
            state.slots[number].is_active = state.slots[number].is_held;
        }
    }

    fn update_slot(&mut self) {
        let word = self.state.registers.slot;
        let (number, address) = ((word >> 24 & 0x7f) as usize, word & 0x00ff_ffff);
        if let Some(slot) = self.state.slots.get_mut(number) {
            if word >> 31 == 0 { slot.packet = address } else { slot.header = address }
        }
    }

    /// Register of what the core can receive and send.
    pub(super) fn room_status(&self, cycle: u64) -> u32 {
        let has_received =
            self.state.receiver.received.front().is_some_and(|received| received.visible_at <= cycle);
        let can_broadcast = self.has_room_to_broadcast();
        u32::from(has_received) | u32::from(self.has_room()) << 8 | 1 << 16 | u32::from(can_broadcast) << 24
    }

    fn read_register(&mut self, register: u32, cycle: u64) -> u32 {
        let status = self.room_status(cycle);
        let state = &mut self.state;
        let received = state.receiver.received.front().filter(|received| received.visible_at <= cycle);
        let parameters = &self.parameters;
        let registers = &mut state.registers;
        match register {
            read::RECEIVED_LOW => received.map_or(registers.last_read, |received| received.low),
            read::RECEIVED_HIGH => received.map_or(registers.last_read, |received| received.high),
            read::HOST_FLAGS => registers.host_flags,
            read::STATUS => status,
            read::CORE => parameters.identity,
            read::TIMER_LOW => cycle as u32,
            read::TIMER_HIGH => (cycle >> 32) as u32,
            read::FLAGS => {
                registers.note_time(cycle);
                self.flags(cycle)
            }
            read::INTERRUPT_MASK => registers.mask,
            read::INSTRUCTION_BYTES => parameters.instruction_memory.0 as u32,
            read::DATA_BYTES => parameters.data_memory.0 as u32,
            read::PACKET_BYTES => parameters.packet_memory.0 as u32,
            read::SEGMENT_BYTES => parameters.packet_memory.0 as u32 / SEGMENTS,
            read::SEGMENTS => SEGMENTS,
            read::BROADCAST_BYTES => parameters.broadcast_region.0 as u32,
            read::SLOTS => parameters.slots,
            read::DEBUG_IN_LOW => registers.debug_in[0],
            read::DEBUG_IN_HIGH => registers.debug_in[1],
            read::BROADCAST_MASK => registers.broadcast_filter[0],
            read::BROADCAST_VALUE => registers.broadcast_filter[1],
            read::BROADCAST_ADDRESS => {
                state.broadcasts.queued.front().copied().unwrap_or(registers.last_read)
            }
            read::OCCUPANCY => {
                (state.sender.queue.len() | state.broadcasts.sent.len() << 24) as u32 | self.host_occupancy()
            }
            read::ACTIVE_SLOTS => {
                let active = state.slots.iter().skip(1).enumerate().filter(|(_, slot)| slot.is_active);
                active.fold(0, |bits, (index, _)| bits | 1 << index)
            }
            // Unused addresses read as the last word that was read.
            _ => registers.last_read,
        }
    }
}

/// Segments of the packet memory.
const SEGMENTS: u32 = 8;

/// Replaces the enabled bytes of a word.
fn merge(register: &mut u32, word: u32, bytes: u32) {
    let mask = (0..4).filter(|byte| bytes >> byte & 1 != 0).fold(0, |mask, byte| mask | 0xff << (8 * byte));
    *register = *register & !mask | word & mask;
}

/// Answer to a reference to a memory that holds `data` there.
pub(super) fn response(reference: &Reference, data: u128) -> Response {
    let data = if reference.address & SWAP != 0 { swapped(reference, data) } else { data };
    Response { data, is_fault: false }
}

/// The bytes of a load from a word whose bytes are reversed.
fn swapped(reference: &Reference, data: u128) -> u128 {
    match reference.size {
        4 => u128::from((data as u32).swap_bytes()),
        2 => u128::from((data as u16).swap_bytes()),
        _ => data,
    }
}
