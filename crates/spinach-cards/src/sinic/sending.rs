//! The sending half: pieces of a packet are gathered, and complete packets go to the wire.

use spinach_server::pci::function::Transfer;

use super::chip::{Half, LOW, SIZE, Sinic};
use super::registers::{BUSY, COMPLETE, PACKETS_SHIFT, config, copy, interrupt, tx_done};
use crate::transmitter::Left;
use spinach_net::internet_checksum;

impl Sinic {
    /// TxData of a VNIC was written.
    pub(crate) fn post_piece(&mut self, vnic: usize, word: u64, time: u64) {
        if self.state.tx[vnic].is_busy {
            self.state.counters.refused += 1;
            return;
        }
        self.state.tx[vnic] = Half { word, is_busy: true, done: 0 };
        let sending = &mut self.state.sending;
        // The card with an incomplete packet is the first already.
        if sending.waiting.front() != Some(&vnic) {
            sending.waiting.push_back(vnic);
        }
        self.start_piece(time);
    }

    /// Starts the copy of the first VNIC's piece if it has one and there is room.
    pub(crate) fn start_piece(&mut self, time: u64) {
        while !self.state.sending.copy && self.state.config & config::TX_EN != 0 {
            let Some(vnic) = self.state.sending.waiting.front().copied() else { return };
            if !self.state.tx[vnic].is_busy {
                return;
            }
            let bytes = self.state.sending.packet.len() + copy::length(self.state.tx[vnic].word);
            let is_too_long = bytes > self.parameters.tx_max_copy as usize;
            if !is_too_long && !self.state.transmitter.has_room(bytes) {
                return;
            }
            self.state.sending.copy = true;
            if is_too_long {
                self.state.counters.too_long_to_send += 1;
                self.end_piece(None, time);
            } else if copy::length(self.state.tx[vnic].word) == 0 {
                self.end_piece(Some(&[]), time);
            }
        }
    }

    pub(crate) fn send_transfer(&self) -> Option<Transfer> {
        let vnic = self.state.sending.waiting.front().filter(|_| self.state.sending.copy)?;
        let word = self.state.tx[*vnic].word;
        Some(Transfer::Read { address: copy::address(word), bytes: copy::length(word) })
    }

    pub(crate) fn send_transferred(&mut self, data: Option<&[u8]>, time: u64) {
        self.state.counters.aborts += u64::from(data.is_none());
        self.end_piece(data, time);
        self.start_piece(time);
    }

    /// The copy that was under way is done. Without data its packet is lost, with the pieces that are still to come.
    fn end_piece(&mut self, data: Option<&[u8]>, time: u64) {
        let sending = &mut self.state.sending;
        sending.copy = false;
        let Some(vnic) = sending.waiting.front().copied() else { return };
        let half = &mut self.state.tx[vnic];
        (half.is_busy, half.done) = (false, COMPLETE | data.map_or(0, |data| data.len() as u64));
        sending.packet.extend_from_slice(data.unwrap_or_default());
        if data.is_none() {
            sending.is_lost = true;
            sending.packet.clear();
        }
        if half.word & copy::MORE == 0 {
            sending.waiting.pop_front();
            let mut packet = std::mem::take(&mut sending.packet);
            if !std::mem::take(&mut sending.is_lost) && !packet.is_empty() {
                if half.word & copy::CHECKSUM != 0 {
                    internet_checksum::complete(&mut packet, true, true);
                }
                self.state.transmitter.push(packet);
                self.put_on_wire(time);
            }
        }
        let is_full = self.is_full();
        self.state.sending.was_full |= is_full;
        self.post(interrupt::TX_DMA | if is_full { interrupt::TX_FULL } else { 0 }, time);
    }

    fn is_full(&self) -> bool {
        !self.state.transmitter.has_room(self.parameters.tx_max_copy as usize)
    }

    fn is_low(&self) -> bool {
        self.state.transmitter.bytes() < self.parameters.tx_fifo[LOW] as usize
    }

    /// Puts the next packet on the wire if that is free.
    pub(crate) fn put_on_wire(&mut self, time: u64) {
        self.sent.extend(self.state.transmitter.start(time));
    }

    /// A frame has left completely. Pause frames take room, but software did not send them.
    pub(crate) fn follow_wire(&mut self, left: Left, time: u64) {
        self.put_on_wire(time);
        let is_low = self.is_low() && std::mem::take(&mut self.state.sending.was_full);
        let packet = if left == Left::Queued { interrupt::TX_PACKET } else { 0 };
        self.post(packet | if is_low { interrupt::TX_LOW } else { 0 }, time);
        self.start_piece(time);
    }

    /// Value of a VNIC's TxDone.
    pub(crate) fn tx_done(&self, vnic: usize) -> u64 {
        let half = &self.state.tx[vnic];
        let bit = |condition: bool, bit: u64| if condition { bit } else { 0 };
        half.done
            | bit(half.is_busy, BUSY)
            | bit(self.is_low(), tx_done::LOW)
            | bit(self.is_full(), tx_done::FULL)
            | (self.state.transmitter.frames() as u64).min(0xffff) << PACKETS_SHIFT
    }

    /// True if TxWait of a VNIC holds the load: its copy is requested and unfinished, and the engine has work, if only to wait
    /// for room.
    pub(crate) fn holds_tx(&self, vnic: usize) -> bool {
        let first = self.state.sending.waiting.front();
        let is_engaged = first.is_some_and(|first| self.state.tx[*first].is_busy);
        self.state.tx[vnic].is_busy && self.state.config & config::TX_EN != 0 && is_engaged
    }

    /// Size of the queue, for users.
    pub(crate) fn tx_fifo_bytes(&self) -> u32 {
        self.parameters.tx_fifo[SIZE]
    }
}
