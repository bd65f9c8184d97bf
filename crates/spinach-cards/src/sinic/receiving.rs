//! The receiving half: packets are bound to VNICs in the order of both, and copied as software asks.

use spinach_server::pci::function::Transfer;

use super::chip::{HIGH, Half, LOW, Packet, SIZE, Sinic};
use super::registers::{BUSY, COMPLETE, PACKETS_SHIFT, config, copy, interrupt, rx_done};
use spinach_net::ethernet::{pause_duration, pause_frame};
use spinach_net::internet_checksum::{tcp_headers_bytes, verdict};

/// The longest pause.
const PAUSE_QUANTA: u16 = u16::MAX;
/// Bytes that are copied of a packet whose headers are not known when the rest is deferred.
const UNKNOWN_HEADERS_BYTES: usize = 64;

impl Sinic {
    /// A packet has come from the wire.
    pub(crate) fn take_packet(&mut self, bytes: Vec<u8>, time: u64) {
        let [size, _, high] = self.parameters.rx_fifo.map(|bytes| bytes as usize);
        if self.state.config & config::RX_EN == 0 || !self.state.is_linked {
            self.state.counters.disabled += 1;
            return;
        }
        if let Some(pause) = self.pause(&bytes) {
            self.state.counters.obeyed += 1;
            self.state.transmitter.pause(time + pause);
            self.put_on_wire(time);
            return;
        }
        if bytes.len() > self.parameters.rx_max_copy as usize {
            self.state.counters.too_long += 1;
            return;
        }
        let receiving = &mut self.state.receiving;
        if receiving.bytes + bytes.len() > size {
            self.state.counters.overruns += 1;
            return;
        }
        receiving.bytes += bytes.len();
        receiving.queue.push_back(Packet { bytes, copied: 0, verdict: 0, owner: None, slack: 0 });
        let is_high = receiving.bytes >= high && std::mem::take(&mut receiving.was_empty);
        self.follow_marks();
        self.control_flow(time);
        self.post(interrupt::RX_PACKET | if is_high { interrupt::RX_HIGH } else { 0 }, time);
        self.start_copies(time);
    }

    /// Between the marks it stays unchanged.
    fn follow_marks(&mut self) {
        let receiving = &mut self.state.receiving;
        if receiving.bytes < self.parameters.rx_fifo[LOW] as usize {
            receiving.is_low = true;
        } else if receiving.bytes > self.parameters.rx_fifo[HIGH] as usize {
            receiving.is_low = false;
        }
    }

    /// Duration of the pause of a pause frame, in picoseconds.
    fn pause(&self, frame: &[u8]) -> Option<u64> {
        pause_duration(frame, self.parameters.address, self.parameters.bits_per_s)
    }

    /// Requests the other end to pause, or to continue, when due.
    fn control_flow(&mut self, time: u64) {
        let [size, _, high] = self.parameters.rx_fifo.map(|bytes| bytes as usize);
        let receiving = &self.state.receiving;
        let quanta = if receiving.bytes >= usize::midpoint(high, size) && time >= receiving.paused_until {
            PAUSE_QUANTA
        } else if receiving.bytes < high && receiving.paused_until > time {
            0
        } else {
            return;
        };
        if !self.parameters.flow_control {
            return;
        }
        let frame = pause_frame(self.parameters.address, quanta);
        self.state.receiving.paused_until = time + self.pause(&frame).unwrap_or_default();
        self.state.counters.pauses += u64::from(quanta != 0);
        self.state.transmitter.push_urgent(frame);
        self.put_on_wire(time);
    }

    /// RxData of a VNIC was written.
    pub(crate) fn post_buffer(&mut self, vnic: usize, word: u64, time: u64) {
        if self.state.rx[vnic].is_busy {
            self.state.counters.refused += 1;
            return;
        }
        self.state.rx[vnic] = Half { word, is_busy: true, done: 0 };
        let receiving = &mut self.state.receiving;
        let owns = receiving.queue.iter().any(|packet| packet.owner == Some(vnic));
        if owns { &mut receiving.continuing } else { &mut receiving.waiting }.push_back(vnic);
        self.start_copies(time);
    }

    /// Starts copies as far as possible; a copy to nowhere is done at once.
    pub(crate) fn start_copies(&mut self, time: u64) {
        while self.state.receiving.copy.is_none() {
            let Some((vnic, place)) = self.next_copy() else { return };
            let word = self.state.rx[vnic].word;
            let packet = &self.state.receiving.queue[place];
            let wanted = copy::length(word).min(packet.bytes.len() - packet.copied);
            let defers = self.state.config & (config::ZERO_COPY | config::DELAY_COPY) != 0
                && word & copy::NO_DELAY == 0
                && self.state.receiving.is_low
                && wanted > self.parameters.zero_copy_mark as usize;
            let headers = match self.parameters.zero_copy_size as usize {
                0 => tcp_headers_bytes(&packet.bytes).unwrap_or(UNKNOWN_HEADERS_BYTES),
                bytes => bytes,
            };
            let length = if defers { headers.min(wanted) } else { wanted };
            self.state.counters.deferred += u64::from(defers);
            self.state.receiving.copy = Some((vnic, length));
            if length == 0 || copy::address(word) == copy::NOWHERE {
                self.end_copy(true, time);
            }
        }
    }

    /// The VNIC that is served next, and the place of its packet.
    fn next_copy(&mut self) -> Option<(usize, usize)> {
        let receiving = &mut self.state.receiving;
        if let Some(vnic) = receiving.continuing.pop_front() {
            let place = receiving.queue.iter().position(|packet| packet.owner == Some(vnic))?;
            return Some((vnic, place));
        }
        let place = receiving.queue.iter().position(|packet| packet.owner.is_none())?;
        let vnic = receiving.waiting.pop_front()?;
        let packet = &mut receiving.queue[place];
        packet.owner = Some(vnic);
        let found = verdict(&packet.bytes);
        let bit = |condition: bool, bit: u64| if condition { bit } else { 0 };
        packet.verdict = bit(found.is_ip, rx_done::IP_PACKET)
            | bit(found.is_tcp, rx_done::TCP_PACKET)
            | bit(found.is_udp, rx_done::UDP_PACKET)
            | bit(found.is_ip_wrong, rx_done::IP_ERROR)
            | bit(found.is_tcp && found.is_segment_wrong, rx_done::TCP_ERROR)
            | bit(found.is_udp && found.is_segment_wrong, rx_done::UDP_ERROR);
        Some((vnic, place))
    }

    pub(crate) fn receive_transfer(&self) -> Option<Transfer> {
        let (vnic, length) = self.state.receiving.copy?;
        let packet = self.state.receiving.queue.iter().find(|packet| packet.owner == Some(vnic))?;
        let data = packet.bytes[packet.copied..][..length].to_vec();
        Some(Transfer::Write { address: copy::address(self.state.rx[vnic].word), data })
    }

    pub(crate) fn receive_transferred(&mut self, is_done: bool, time: u64) {
        self.state.counters.aborts += u64::from(!is_done);
        self.end_copy(is_done, time);
        self.start_copies(time);
    }

    /// The copy that was under way is done, or nothing was at its address.
    fn end_copy(&mut self, is_done: bool, time: u64) {
        let receiving = &mut self.state.receiving;
        let Some((vnic, length)) = receiving.copy.take() else { return };
        let Some(place) = receiving.queue.iter().position(|packet| packet.owner == Some(vnic)) else {
            return;
        };
        let length = if is_done { length } else { 0 };
        let packet = &mut receiving.queue[place];
        packet.copied += length;
        let is_whole = packet.copied == packet.bytes.len();
        let more = if is_whole { 0 } else { rx_done::MORE };
        let half = &mut self.state.rx[vnic];
        (half.is_busy, half.done) = (false, packet.verdict | COMPLETE | more | length as u64);
        if is_whole && let Some(gone) = receiving.queue.remove(place) {
            // Room is freed in the order of the queue.
            let room = gone.bytes.len() + gone.slack;
            match place.checked_sub(1).and_then(|before| receiving.queue.get_mut(before)) {
                Some(before) => before.slack += room,
                None => receiving.bytes -= room,
            }
            self.state.counters.received += 1;
        }
        let is_empty = self.state.receiving.queue.is_empty();
        self.state.receiving.was_empty |= is_empty;
        self.follow_marks();
        self.control_flow(time);
        self.post(interrupt::RX_DMA | if is_empty { interrupt::RX_EMPTY } else { 0 }, time);
    }

    /// Value of a VNIC's RxDone.
    pub(crate) fn rx_done(&self, vnic: usize) -> u64 {
        let (half, receiving) = (&self.state.rx[vnic], &self.state.receiving);
        let bit = |condition: bool, bit: u64| if condition { bit } else { 0 };
        let free = receiving.queue.iter().filter(|packet| packet.owner.is_none()).count() as u64;
        half.done
            | bit(half.is_busy, BUSY)
            | bit(receiving.is_low, rx_done::NOT_HIGH)
            | bit(receiving.bytes >= self.parameters.rx_fifo[HIGH] as usize, rx_done::HIGH)
            | bit(receiving.queue.is_empty(), rx_done::EMPTY)
            | free.min(0xffff) << PACKETS_SHIFT
    }

    /// True if RxWait of a VNIC holds the load: its copy is requested, and the engine is busy.
    pub(crate) fn holds_rx(&self, vnic: usize) -> bool {
        self.state.rx[vnic].is_busy && self.state.receiving.copy.is_some()
    }

    /// Value of RxStatus: the owner of the head of the queue if that was partly copied, and the numbers of VNICs that are busy,
    /// own a packet, and own a partly copied one.
    pub(crate) fn rx_status(&self) -> u64 {
        const NOBODY: u64 = 0xffff;
        let queue = &self.state.receiving.queue;
        let head = queue.front().filter(|packet| packet.copied != 0).and_then(|packet| packet.owner);
        let busy = self.state.rx.iter().filter(|half| half.is_busy).count() as u64;
        let owned = || queue.iter().filter(|packet| packet.owner.is_some());
        let mapped = owned().count() as u64;
        let dirty = owned().filter(|packet| packet.copied != 0).count() as u64;
        head.map_or(NOBODY, |vnic| vnic as u64) | busy << 16 | mapped << 32 | dirty << 48
    }

    /// Size of the queue, for users.
    pub(crate) fn rx_fifo_bytes(&self) -> u32 {
        self.parameters.rx_fifo[SIZE]
    }
}
