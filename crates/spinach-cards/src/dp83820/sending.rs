//! The sending half: from descriptors to the wire.

use spinach_server::pci::function::Transfer;

use super::chip::Dp83820;
use super::descriptor::Descriptor;
use super::registers::{cause, extended, register, status, vlan_transmit};
use super::sender::{Sender, Step};
use spinach_net::ethernet::FRAME_MINIMUM_BYTES;
use spinach_net::internet_checksum;

const ETHERNET_ADDRESSES_BYTES: usize = 12;
const VLAN_TYPE: [u8; 2] = [0x81, 0];

impl Dp83820 {
    pub(crate) fn send_transfer(&self) -> Option<Transfer> {
        let Sender { step, pointer, descriptor, .. } = &self.state.sender;
        match step {
            Step::Idle | Step::AwaitsRoom => None,
            Step::ReadsDescriptor => {
                let bytes = Descriptor::bytes(self.is_long());
                Some(Transfer::Read { address: *pointer, bytes })
            }
            Step::ReadsData => {
                let bytes = (descriptor.status & status::SIZE) as usize;
                Some(Transfer::Read { address: descriptor.buffer, bytes })
            }
            Step::WritesStatus => {
                let data = descriptor.status.to_le_bytes().to_vec();
                Some(Transfer::Write { address: descriptor.status_address(), data })
            }
        }
    }

    pub(crate) fn send_transferred(&mut self, data: Option<&[u8]>, time: u64) {
        let step = self.state.sender.step;
        let Some(data) = data else {
            if step != Step::Idle {
                self.abort_sending(time);
            }
            return;
        };
        let sender = &mut self.state.sender;
        match step {
            Step::Idle | Step::AwaitsRoom => {}
            Step::ReadsDescriptor => self.take_send_descriptor(data, time),
            Step::ReadsData => {
                sender.frame.extend_from_slice(data);
                if sender.descriptor.status & status::MORE != 0 {
                    sender.descriptor.status &= !status::OWN;
                    sender.step = Step::WritesStatus;
                } else {
                    self.finish_frame();
                    self.state.sender.step = Step::AwaitsRoom;
                    self.queue_frame(time);
                }
            }
            Step::WritesStatus => self.follow_send_link(time),
        }
    }

    fn take_send_descriptor(&mut self, data: &[u8], time: u64) {
        let sender = &mut self.state.sender;
        let descriptor = Descriptor::decode(sender.pointer, data);
        sender.descriptor = descriptor;
        if sender.is_at_end {
            // It was done before; only its link counts.
            sender.is_at_end = false;
            self.follow_send_link(time);
        } else if descriptor.status & status::OWN == 0 || sender.is_stopping && sender.frame.is_empty() {
            sender.step = Step::Idle;
            self.post(cause::TXIDLE, time);
        } else {
            sender.step = Step::ReadsData;
        }
    }

    fn follow_send_link(&mut self, time: u64) {
        let sender = &mut self.state.sender;
        if sender.descriptor.link == 0 {
            (sender.step, sender.is_at_end) = (Step::Idle, true);
            self.post(cause::TXIDLE, time);
        } else {
            sender.pointer = sender.descriptor.link;
            sender.step = Step::ReadsDescriptor;
        }
    }

    /// Completes the frame: its tag, its checksums, its shortest length.
    fn finish_frame(&mut self) {
        let control = self.held(register::VTCR);
        let sender = &mut self.state.sender;
        let flags = sender.descriptor.extended;
        if control & vlan_transmit::PPCHK != 0 {
            let kinds = extended::IPPKT | extended::TCPPKT | extended::UDPPKT;
            if flags & kinds != 0 {
                let segment = flags & (extended::TCPPKT | extended::UDPPKT) != 0;
                internet_checksum::complete(&mut sender.frame, flags & extended::IPPKT != 0, segment);
            }
        } else if control & vlan_transmit::GCHK != 0 {
            internet_checksum::complete(&mut sender.frame, true, true);
        }
        let is_tagged = control & vlan_transmit::VGTI != 0
            || control & vlan_transmit::VPPTI != 0 && flags & extended::VPKT != 0;
        if is_tagged && sender.frame.len() >= ETHERNET_ADDRESSES_BYTES {
            let [low, high] = ((flags & extended::TAG) as u16).to_le_bytes();
            let tag = [VLAN_TYPE[0], VLAN_TYPE[1], low, high];
            sender.frame.splice(ETHERNET_ADDRESSES_BYTES..ETHERNET_ADDRESSES_BYTES, tag);
        }
        if sender.frame.len() < FRAME_MINIMUM_BYTES {
            sender.frame.resize(FRAME_MINIMUM_BYTES, 0);
        }
    }

    /// Puts the frame into the queue as soon as there is room.
    pub(crate) fn queue_frame(&mut self, time: u64) {
        let state = &mut self.state;
        if state.sender.step != Step::AwaitsRoom || !state.transmitter.has_room(state.sender.frame.len()) {
            return;
        }
        let interrupts = state.sender.descriptor.status & status::INTR != 0;
        state.transmitter.push(std::mem::take(&mut state.sender.frame));
        let status = &mut state.sender.descriptor.status;
        *status = *status & !status::OWN | status::OK;
        state.sender.step = Step::WritesStatus;
        self.put_on_wire(time);
        self.post(cause::TXOK | if interrupts { cause::TXDESC } else { 0 }, time);
    }

    /// Puts the next frame on the wire if that is free.
    pub(crate) fn put_on_wire(&mut self, time: u64) {
        self.sent.extend(self.state.transmitter.start(time));
    }

    fn abort_sending(&mut self, time: u64) {
        let sender = &mut self.state.sender;
        sender.step = Step::Idle;
        sender.frame.clear();
        self.state.counters.aborts += 1;
        self.post(cause::RMABT, time);
    }
}
