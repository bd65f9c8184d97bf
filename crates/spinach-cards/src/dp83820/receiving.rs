//! The receiving half: from the wire to descriptors.

use spinach_server::pci::function::Transfer;

use super::chip::Dp83820;
use super::descriptor::Descriptor;
use super::receiver::{Step, Waiting};
use super::registers::{cause, extended, filter, mib, receive_config, register, status, vlan_receive};
use spinach_net::ethernet::{Destination, check_sequence, destination};
use spinach_net::internet_checksum::{Verdict, verdict};

const TYPE: usize = 12;
const VLAN_TYPE: [u8; 2] = [0x81, 0];
const ARP_TYPE: [u8; 2] = [8, 6];
const TAG_BYTES: usize = 4;

impl Dp83820 {
    /// A frame has come from the wire.
    pub(crate) fn take_frame(&mut self, mut frame: Vec<u8>, time: u64) {
        if !self.state.receiver.is_enabled || !self.state.is_linked {
            self.state.counters.disabled += 1;
            return;
        }
        if !self.is_meant(&frame) {
            self.state.counters.filtered += 1;
            return;
        }
        let Some(extended) = self.examined(&mut frame) else {
            self.state.counters.rejected += 1;
            return;
        };
        if self.held(register::RXCFG) & receive_config::STRIPCRC == 0 {
            let sequence = check_sequence(&frame);
            frame.extend(sequence);
        }
        let receiver = &mut self.state.receiver;
        if receiver.queued_bytes + frame.len() > self.parameters.receive_fifo_bytes {
            self.state.counters.overruns += 1;
            self.count(mib::MISSED, time);
            self.post(cause::RXORN, time);
            return;
        }
        let destination = match destination(&frame) {
            Destination::One => status::DEST_SELF,
            Destination::Group => status::DEST_MULTI,
            Destination::All => status::DEST_BROADCAST,
        };
        receiver.queued_bytes += frame.len();
        receiver.queue.push_back(Waiting { bytes: frame, destination, extended });
        if receiver.step == Step::AwaitsFrame {
            receiver.step = Step::WritesData;
        }
    }

    fn is_meant(&self, frame: &[u8]) -> bool {
        let control = self.held(register::RFCR);
        let accepts = |bits: u32| control & bits != 0;
        if !accepts(filter::RFEN) || frame.len() < TYPE + 2 {
            return false;
        }
        let own: Vec<u8> = self.state.filter_memory[..3].iter().flat_map(|word| word.to_le_bytes()).collect();
        let is_arp = frame[TYPE..TYPE + 2] == ARP_TYPE;
        match destination(frame) {
            Destination::All => accepts(filter::AAB) || is_arp && accepts(filter::AARP),
            Destination::Group => accepts(filter::AAM),
            Destination::One => accepts(filter::AAU) || accepts(filter::APM) && frame[..6] == own,
        }
    }

    /// The extended status of a frame, whose tag is removed if that is enabled; `None` if the frame is rejected.
    fn examined(&self, frame: &mut Vec<u8>) -> Option<u32> {
        let control = self.held(register::VRCR);
        let enables = |bits: u32| control & bits != 0;
        let mut found = 0;
        let is_tagged = frame.len() >= TYPE + TAG_BYTES + 2 && frame[TYPE..TYPE + 2] == VLAN_TYPE;
        if enables(if is_tagged { vlan_receive::DVTF } else { vlan_receive::DUTF }) {
            return None;
        }
        let mut inner = None;
        if is_tagged {
            let tag = u32::from(u16::from_le_bytes([frame[TYPE + 2], frame[TYPE + 3]]));
            let mut bare = frame.clone();
            bare.drain(TYPE..TYPE + TAG_BYTES);
            if enables(vlan_receive::VTDEN | vlan_receive::VTREN) {
                found |= extended::VPKT | tag;
            }
            if enables(vlan_receive::VTREN) {
                *frame = bare;
            } else {
                inner = Some(bare);
            }
        }
        if enables(vlan_receive::IPEN) {
            let Verdict { is_ip, is_ip_wrong, is_tcp, is_udp, is_segment_wrong } =
                verdict(inner.as_deref().unwrap_or(frame));
            let bit = |condition: bool, bit: u32| if condition { bit } else { 0 };
            found |= bit(is_ip, extended::IPPKT) | bit(is_ip_wrong, extended::IPERR);
            found |= bit(is_tcp, extended::TCPPKT) | bit(is_tcp && is_segment_wrong, extended::TCPERR);
            found |= bit(is_udp, extended::UDPPKT) | bit(is_udp && is_segment_wrong, extended::UDPERR);
        }
        let rejects = |reject: u32, error: u32| enables(reject) && found & error != 0;
        let is_rejected = rejects(vlan_receive::RIPE, extended::IPERR)
            || rejects(vlan_receive::RTCPE, extended::TCPERR)
            || rejects(vlan_receive::RUDPE, extended::UDPERR);
        (!is_rejected).then_some(found)
    }

    pub(crate) fn receive_transfer(&self) -> Option<Transfer> {
        let receiver = &self.state.receiver;
        let descriptor = &receiver.descriptor;
        match receiver.step {
            Step::Idle | Step::AwaitsFrame => None,
            Step::ReadsDescriptor => {
                let bytes = Descriptor::bytes(self.is_long());
                Some(Transfer::Read { address: receiver.pointer, bytes })
            }
            Step::WritesData => {
                let frame = receiver.queue.front()?;
                let data = frame.bytes[receiver.written..][..receiver.part()].to_vec();
                Some(Transfer::Write { address: descriptor.buffer, data })
            }
            Step::WritesStatus => {
                let words = [descriptor.status, descriptor.extended];
                let data = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                Some(Transfer::Write { address: descriptor.status_address(), data })
            }
        }
    }

    pub(crate) fn receive_transferred(&mut self, data: Option<&[u8]>, time: u64) {
        let step = self.state.receiver.step;
        let Some(data) = data else {
            if step != Step::Idle {
                self.state.receiver.step = Step::Idle;
                self.state.counters.aborts += 1;
                self.post(cause::RMABT, time);
            }
            return;
        };
        match step {
            // Nothing was to be transferred.
            Step::Idle | Step::AwaitsFrame => {}
            Step::ReadsDescriptor => self.take_receive_descriptor(data, time),
            Step::WritesData => self.end_part(),
            Step::WritesStatus => {
                let is_last = self.state.receiver.descriptor.status & status::MORE == 0;
                let interrupts = self.state.receiver.descriptor.status & status::INTR != 0;
                if is_last {
                    self.state.counters.received += 1;
                    self.post(cause::RXOK | if interrupts { cause::RXDESC } else { 0 }, time);
                }
                self.follow_receive_link(time);
            }
        }
    }

    fn take_receive_descriptor(&mut self, data: &[u8], time: u64) {
        let receiver = &mut self.state.receiver;
        receiver.descriptor = Descriptor::decode(receiver.pointer, data);
        if receiver.is_at_end {
            receiver.is_at_end = false;
            self.follow_receive_link(time);
        } else if receiver.descriptor.status & status::OWN != 0 {
            receiver.step = Step::Idle;
            self.post(cause::RXIDLE, time);
        } else {
            self.await_frame();
        }
    }

    fn await_frame(&mut self) {
        let receiver = &mut self.state.receiver;
        receiver.step = match (receiver.queue.is_empty(), receiver.is_enabled) {
            (false, _) => Step::WritesData,
            (true, true) => Step::AwaitsFrame,
            (true, false) => Step::Idle,
        };
    }

    /// The part of the frame that has room in the buffer was written.
    fn end_part(&mut self) {
        let receiver = &mut self.state.receiver;
        let part = receiver.part();
        let Some(frame) = receiver.queue.front() else { return };
        receiver.written += part;
        let is_last = receiver.written == frame.bytes.len() || part == 0;
        let kept = receiver.descriptor.status & status::INTR;
        let flags = if is_last { status::OK | frame.destination } else { status::MORE };
        receiver.descriptor.status = status::OWN | kept | flags | part as u32;
        receiver.descriptor.extended = if is_last { frame.extended } else { 0 };
        if is_last {
            receiver.written = 0;
            receiver.queued_bytes -= frame.bytes.len();
            receiver.queue.pop_front();
        }
        receiver.step = Step::WritesStatus;
    }

    fn follow_receive_link(&mut self, time: u64) {
        let receiver = &mut self.state.receiver;
        if receiver.descriptor.link == 0 {
            (receiver.step, receiver.is_at_end) = (Step::Idle, true);
            self.post(cause::RXIDLE, time);
        } else {
            receiver.pointer = receiver.descriptor.link;
            receiver.step = Step::ReadsDescriptor;
        }
    }
}
