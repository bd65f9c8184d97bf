//! SINIC and V-SINIC by their registers, as a driver sees them behind the bridge.

#![allow(clippy::unwrap_used, reason = "a failed expectation fails the test")]

use std::collections::VecDeque;

use etherparse::PacketBuilder;
use spinach_cards::sinic::{Parameters, Sinic};
use spinach_server::map;
use spinach_server::memory::Memory;
use spinach_server::pci::bridge::{Answer, HostBridge};
use spinach_server::pci::function::{Function, Transfer};

const WINDOW: u64 = map::WINDOW.start + 0x10_0000;
const BUFFERS: u64 = map::MEMORY + 0x1_0001;
const BUFFER_BYTES: u64 = 2048;
const DELAY: u64 = 10_000_000;

const CONFIG: u64 = 0x00;
const COMMAND: u64 = 0x04;
const INTR_STATUS: u64 = 0x08;
const INTR_MASK: u64 = 0x0c;
const RX_DATA: u64 = 0x40;
const RX_DONE: u64 = 0x48;
const RX_WAIT: u64 = 0x50;
const TX_DATA: u64 = 0x58;
const TX_DONE: u64 = 0x60;
const TX_WAIT: u64 = 0x68;
const HW_ADDR: u64 = 0x70;
const RX_STATUS: u64 = 0x78;
const RX_EN: u32 = 1;
const TX_EN: u32 = 2;
const INT_EN: u32 = 4;
const DELAY_COPY: u32 = 1 << 11;
const ZERO_COPY: u32 = 1 << 12;
const MORE: u64 = 1 << 29;
const COMPLETE: u64 = 1 << 30;
const BUSY: u64 = 1 << 31;
const EMPTY: u64 = 1 << 28;
const HIGH: u64 = 1 << 27;
const NOT_HIGH: u64 = 1 << 26;
const RX_PACKET: u32 = 1;
const RX_DMA: u32 = 2;
const RX_EMPTY: u32 = 4;
const RX_HIGH: u32 = 8;
const TX_PACKET: u32 = 0x10;
const TX_DMA: u32 = 0x20;
const TX_FULL: u32 = 0x40;
const TX_LOW: u32 = 0x80;
const SOFT: u32 = 0x100;

struct Bench {
    bus: HostBridge,
    memory: Memory,
    time: u64,
}

impl Bench {
    fn new(parameters: &Parameters, config: u32) -> Self {
        let mut bus = HostBridge::default();
        bus.attach(Box::new(Sinic::new(parameters)));
        bus.set_link(0, true);
        let mut bench = Self { bus, memory: Memory::new(map::MEMORY, 1 << 20), time: 0 };
        let space = map::CONFIGURATION.start + (1 << 15);
        bench.bus.write(space + 0x10, &(WINDOW as u32).to_le_bytes(), &mut bench.memory, 0).unwrap();
        bench.bus.write(space + 4, &6_u16.to_le_bytes(), &mut bench.memory, 0).unwrap();
        bench.write(CONFIG, config);
        bench
    }

    fn answer(&mut self, register: u64, size: usize) -> Answer {
        self.bus.read(WINDOW + register, size, &mut self.memory, self.time).unwrap()
    }

    fn read(&mut self, register: u64) -> u32 {
        let Answer::Value(value) = self.answer(register, 4) else { panic!("held") };
        value as u32
    }

    fn wide(&mut self, vnic: u64, register: u64) -> u64 {
        let Answer::Value(value) = self.answer(vnic << 8 | register, 8) else { panic!("held") };
        value
    }

    fn write(&mut self, register: u64, value: u32) {
        self.bus.write(WINDOW + register, &value.to_le_bytes(), &mut self.memory, self.time).unwrap();
    }

    fn write_wide(&mut self, vnic: u64, register: u64, value: u64) {
        let address = WINDOW + (vnic << 8 | register);
        self.bus.write(address, &value.to_le_bytes(), &mut self.memory, self.time).unwrap();
    }

    fn advance(&mut self, time: u64) {
        self.time = time;
        self.bus.advance(&mut self.memory, time);
    }

    fn arrives(&mut self, frame: &[u8]) {
        self.bus.deliver(0, frame.to_vec(), self.time);
        self.advance(self.time);
    }

    fn interrupts(&mut self) -> bool {
        self.bus.lines()[1]
    }

    fn bytes(&self, address: u64, count: usize) -> &[u8] {
        &self.memory.bytes()[self.memory.place(address, count).unwrap()..][..count]
    }

    fn counter(&self, name: &str) -> u64 {
        let counters = self.bus.function(0).unwrap().counters();
        counters.iter().find(|(known, _)| *known == name).unwrap().1
    }
}

fn word(address: u64, length: u64) -> u64 {
    address | length << 40
}

fn buffer(number: u64) -> u64 {
    BUFFERS + number * BUFFER_BYTES
}

/// A frame whose bytes say which it is.
fn frame(number: u8, length: usize) -> Vec<u8> {
    (0..length).map(|byte| (byte as u8).wrapping_mul(31).wrapping_add(number)).collect()
}

fn pause(to: [u8; 6], quanta: u8) -> Vec<u8> {
    let mut frame = [&to[..], &[4; 6], &[0x88, 8, 0, 1, 0, quanta]].concat();
    frame.resize(60, 0);
    frame
}

fn segment(is_udp: bool) -> Vec<u8> {
    let ip = PacketBuilder::ethernet2([2; 6], [4; 6]).ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64);
    let mut frame = Vec::new();
    if is_udp {
        ip.udp(7, 9).write(&mut frame, &[1; 100]).unwrap();
    } else {
        ip.tcp(7, 9, 1, 100).write(&mut frame, &[1; 100]).unwrap();
    }
    frame
}

#[test]
fn every_register_reads_as_the_map_says() {
    let parameters = Parameters { virtual_count: 7, ..Parameters::default() };
    let mut bench = Bench::new(&parameters, 0);
    let small =
        [1514, 16384, 64, 256, 7, 10, 512 << 10, 512 << 10, 128 << 10, 128 << 10, 384 << 10, 384 << 10];
    for (number, expected) in (0..).zip(small) {
        // Every VNIC's window shows them.
        for vnic in [0, 6] {
            assert_eq!(bench.read(vnic << 8 | (0x10 + 4 * number)), expected);
        }
    }
    assert_eq!(bench.read(INTR_MASK), 0x189);
    assert_eq!(bench.wide(0, HW_ADDR), 0x0200_0000_0001);
    assert_eq!(bench.wide(3, RX_DONE), NOT_HIGH | EMPTY);
    assert_eq!(bench.wide(3, TX_DONE), 1 << 28);
    assert_eq!(bench.wide(0, RX_STATUS), 0xffff);
    bench.write(CONFIG, u32::MAX);
    assert_eq!(
        bench.read(CONFIG),
        0x171f,
        "of the two deferrals one holds; addresses, VLANs and filter are not there"
    );
    bench.write(INTR_MASK, u32::MAX);
    assert_eq!(bench.read(INTR_MASK), 0x1ff);
    bench.write(COMMAND, 1);
    assert_eq!([bench.read(CONFIG), bench.read(INTR_MASK)], [0, 0x189]);
}

#[test]
fn other_widths_places_and_vnics_are_refused() {
    let mut bench = Bench::new(&Parameters { virtual_count: 2, ..Parameters::default() }, RX_EN);
    for (register, size) in [(CONFIG, 8), (CONFIG, 2), (RX_DATA, 4), (0x80, 8), (0x200 | RX_DONE, 8)] {
        assert_eq!(bench.answer(register, size), Answer::Value(0));
    }
    assert_eq!(bench.counter("refused accesses"), 5);
    bench.write_wide(1, RX_DATA, word(buffer(0), 100));
    bench.write_wide(1, RX_DATA, word(buffer(1), 100));
    assert_eq!(bench.counter("refused accesses"), 6);
    assert_eq!(bench.wide(1, RX_DATA), word(buffer(0), 100));
}

#[test]
fn a_packet_goes_where_it_is_wanted_and_says_what_it_is() {
    for (is_udp, bits) in [(true, 0x30_0000), (false, 0x50_0000)] {
        let mut bench = Bench::new(&Parameters::default(), RX_EN);
        let good = segment(is_udp);
        let mut bad = good.clone();
        bad[20] ^= 1;
        *bad.last_mut().unwrap() ^= 1;
        bench.arrives(&good);
        bench.arrives(&bad);
        assert_eq!(bench.wide(0, RX_DONE) >> 32, 2);
        bench.write_wide(0, RX_DATA, word(buffer(0), 1514));
        assert_eq!(bench.wide(0, RX_WAIT), 1 << 32 | COMPLETE | NOT_HIGH | bits | good.len() as u64);
        assert_eq!(bench.bytes(buffer(0), good.len()), good);
        bench.write_wide(0, RX_DATA, word(buffer(1), 1514));
        // A fragment's checksum cannot be verified: only the header's is wrong.
        let done = bench.wide(0, RX_DONE);
        assert_eq!(done & (1 << 20 | 1 << 23), 1 << 20 | 1 << 23);
        assert_eq!(done & EMPTY, EMPTY);
        let mut wrong = good.clone();
        *wrong.last_mut().unwrap() ^= 1;
        bench.arrives(&wrong);
        bench.write_wide(0, RX_DATA, word(buffer(2), 1514));
        assert_eq!(bench.wide(0, RX_DONE) & 0x3f0_0000, bits | if is_udp { 1 << 24 } else { 1 << 25 });
    }
}

#[test]
fn a_packet_is_copied_in_pieces_and_one_can_be_dropped() {
    let mut bench = Bench::new(&Parameters::default(), RX_EN);
    let (first, second) = (frame(1, 1000), frame(2, 500));
    bench.arrives(&first);
    bench.arrives(&second);
    bench.write_wide(0, RX_DATA, word(buffer(0), 300));
    assert_eq!(bench.wide(0, RX_DONE), 1 << 32 | COMPLETE | MORE | NOT_HIGH | 300);
    assert_eq!(bench.wide(0, RX_STATUS), 1 << 48 | 1 << 32, "VNIC 0 owns the head, partly copied");
    bench.write_wide(0, RX_DATA, word(buffer(0) + 300, 1514));
    assert_eq!(bench.wide(0, RX_DONE), 1 << 32 | COMPLETE | NOT_HIGH | 700);
    assert_eq!(bench.bytes(buffer(0), 1000), first);
    let before = bench.memory.bytes().to_vec();
    bench.write_wide(0, RX_DATA, word(1, 1514));
    assert_eq!(bench.wide(0, RX_DONE), COMPLETE | NOT_HIGH | EMPTY | 500);
    assert!(bench.memory.bytes() == before, "address 1 is nowhere");
}

#[test]
fn buffers_posted_ahead_are_filled_in_their_order() {
    let mut bench = Bench::new(&Parameters { virtual_count: 4, ..Parameters::default() }, RX_EN);
    for vnic in [2, 0, 3] {
        bench.write_wide(vnic, RX_DATA, word(buffer(vnic), 1514));
    }
    assert_eq!(
        bench.wide(2, RX_WAIT),
        BUSY | NOT_HIGH | EMPTY,
        "the engine is free, so the load is not held"
    );
    assert_eq!(bench.wide(0, RX_STATUS), 0xffff | 3 << 16);
    for number in 0..4 {
        bench.arrives(&frame(number, 100 + usize::from(number)));
    }
    for (number, vnic) in (0..).zip([2, 0, 3]) {
        let length = 100 + usize::from(number);
        assert_eq!(bench.wide(vnic, RX_DONE) & 0xfff_ffff & !NOT_HIGH, length as u64);
        assert_eq!(bench.bytes(buffer(vnic), length), frame(number, length));
    }
    assert_eq!(bench.wide(1, RX_DONE) >> 32, 1);
}

#[test]
fn long_copies_are_deferred_while_the_queue_is_low() {
    for bit in [ZERO_COPY, DELAY_COPY] {
        let parameters =
            Parameters { virtual_count: 8, rx_fifo: [6000, 2000, 3000], ..Parameters::default() };
        let mut bench = Bench::new(&parameters, RX_EN | bit);
        bench.arrives(&frame(1, 256));
        bench.write_wide(0, RX_DATA, word(buffer(0), 1514));
        assert_eq!(bench.wide(0, RX_DONE) & 0xf_ffff, 256, "not longer than the mark");
        bench.arrives(&frame(2, 1514));
        bench.write_wide(1, RX_DATA, word(buffer(1), 1514));
        assert_eq!(bench.wide(1, RX_DONE) & (MORE | 0xf_ffff), MORE | 64);
        bench.write_wide(1, RX_DATA, word(buffer(1) + 64, 1514) | 1 << 61);
        assert_eq!(bench.wide(1, RX_DONE) & (MORE | 0xf_ffff), 1450, "not to be delayed");
        assert_eq!(bench.bytes(buffer(1), 1514), frame(2, 1514));
        for number in 0..2 {
            bench.arrives(&frame(number, 1514));
        }
        assert_eq!(bench.wide(0, RX_DONE) & (HIGH | NOT_HIGH), HIGH);
        bench.write_wide(2, RX_DATA, word(buffer(2), 1514));
        assert_eq!(bench.wide(2, RX_DONE) & (MORE | 0xf_ffff), 1514, "the queue was high");
        bench.write_wide(3, RX_DATA, word(buffer(3), 1514));
        assert_eq!(bench.wide(3, RX_DONE) & (MORE | 0xf_ffff), MORE | 64, "low again");
        assert_eq!(bench.counter("deferred copies"), 2);
    }
}

#[test]
fn room_is_freed_in_the_order_of_the_queue() {
    let parameters = Parameters { virtual_count: 2, rx_fifo: [3100, 500, 3000], ..Parameters::default() };
    let mut bench = Bench::new(&parameters, RX_EN);
    bench.arrives(&frame(0, 1000));
    bench.arrives(&frame(1, 1000));
    bench.write_wide(0, RX_DATA, word(buffer(0), 100));
    bench.write_wide(1, RX_DATA, word(buffer(1), 1514));
    bench.arrives(&frame(2, 1000));
    bench.arrives(&frame(3, 1000));
    assert_eq!(bench.counter("dropped: no room"), 1, "the first packet holds the room of the second");
    bench.write_wide(0, RX_DATA, word(buffer(0) + 100, 1514));
    bench.arrives(&frame(4, 1000));
    bench.arrives(&frame(5, 1000));
    assert_eq!(bench.counter("dropped: no room"), 1);
    assert_eq!(bench.counter("received"), 2);
}

#[test]
fn packets_that_cannot_be_taken_are_counted_with_their_reason() {
    let mut bench = Bench::new(&Parameters::default(), 0);
    bench.arrives(&frame(0, 100));
    bench.write(CONFIG, RX_EN);
    bench.arrives(&frame(0, 1515));
    let reasons = ["dropped: not enabled", "dropped: too long", "dropped: no room"];
    assert_eq!(reasons.map(|name| bench.counter(name)), [1, 1, 0]);
}

#[test]
fn a_packet_of_pieces_leaves_whole_with_its_checksums() {
    let mut bench = Bench::new(&Parameters { virtual_count: 2, ..Parameters::default() }, TX_EN);
    let right = segment(false);
    let mut given = right.clone();
    given[24..26].fill(0);
    given[50..52].fill(0);
    bench.memory.store(buffer(0), &given).unwrap();
    bench.write_wide(0, TX_DATA, word(buffer(0), 30) | 1 << 63);
    assert_eq!(bench.wide(0, TX_WAIT), COMPLETE | 1 << 28 | 30);
    // Another VNIC waits until the packet is whole.
    bench.write_wide(1, TX_DATA, word(buffer(0), 60));
    assert_eq!(bench.wide(1, TX_WAIT), BUSY | 1 << 28);
    let rest = given.len() as u64 - 30;
    bench.write_wide(0, TX_DATA, word(buffer(0) + 30, rest) | 1 << 62);
    assert_eq!(bench.wide(0, TX_WAIT) & 0xf_ffff, rest);
    assert_eq!(bench.wide(1, TX_WAIT) & (BUSY | COMPLETE), COMPLETE);
    bench.advance(1_000_000);
    let sent: Vec<Vec<u8>> = bench.bus.take_sent(0).into_iter().map(|sent| sent.frame).collect();
    assert_eq!(sent, [right, given[..60].to_vec()]);
}

#[test]
fn a_load_waits_until_there_is_room() {
    let parameters = Parameters { tx_fifo: [3000, 500, 2000], tx_max_copy: 1514, ..Parameters::default() };
    let mut bench = Bench::new(&parameters, TX_EN);
    for _ in 0..2 {
        bench.write_wide(0, TX_DATA, word(buffer(0), 1400));
        assert_eq!(bench.wide(0, TX_DONE) & COMPLETE, COMPLETE);
    }
    bench.write_wide(0, TX_DATA, word(buffer(0), 1400));
    assert_eq!(bench.answer(TX_WAIT, 8), Answer::Held);
    assert_eq!(bench.wide(0, TX_DONE), BUSY | 1 << 29 | 1 << 32);
    assert_eq!(bench.counter("sent"), 1, "the packet in the queue is not sent yet");
    let leaves = (8 + 1400 + 4 + 12) * 800;
    bench.advance(leaves - 1);
    assert_eq!(bench.answer(TX_WAIT, 8), Answer::Held);
    bench.advance(leaves);
    assert_eq!(bench.wide(0, TX_WAIT) & (BUSY | COMPLETE | 0xf_ffff), COMPLETE | 1400);
    assert_eq!(bench.counter("sent"), 2);
}

#[test]
fn a_packet_that_is_too_long_or_not_in_memory_is_lost_with_all_its_pieces() {
    let cases = [(word(buffer(0), 1500), "not sent: too long"), (word(0x1000, 100), "aborted transfers")];
    for (bad, reason) in cases {
        let mut bench = Bench::new(&Parameters { tx_max_copy: 1514, ..Parameters::default() }, TX_EN);
        for piece in [word(buffer(0), 100), bad, word(buffer(0), 100)] {
            bench.write_wide(0, TX_DATA, piece | 1 << 63);
        }
        bench.write_wide(0, TX_DATA, word(buffer(0), 100));
        assert_eq!(bench.wide(0, TX_DONE) & BUSY, 0);
        assert!(bench.bus.take_sent(0).is_empty());
        bench.write_wide(0, TX_DATA, word(buffer(0), 100));
        assert_eq!(bench.bus.take_sent(0).len(), 1);
        let reasons = cases.map(|(_, reason)| bench.counter(reason));
        assert_eq!(reasons, cases.map(|(_, other)| u64::from(other == reason)));
        assert_eq!(bench.counter("dropped: too long"), 0, "it was not received");
    }
}

#[test]
fn interrupts_come_after_the_delay_at_once_or_not() {
    let mut bench = Bench::new(&Parameters::default(), RX_EN | INT_EN);
    bench.advance(1_000);
    bench.arrives(&frame(0, 100));
    bench.advance(500_000);
    bench.arrives(&frame(1, 100));
    bench.advance(1_000 + DELAY - 1);
    assert!(!bench.interrupts());
    bench.advance(1_000 + DELAY);
    assert!(bench.interrupts());
    assert_eq!(bench.read(INTR_STATUS), RX_PACKET, "reading takes all");
    assert!(!bench.interrupts());
    bench.write(COMMAND, 2);
    assert!(bench.interrupts(), "it does not wait");
    bench.write(INTR_STATUS, SOFT);
    assert!(!bench.interrupts());
    bench.write_wide(0, RX_DATA, word(buffer(0), 1514));
    bench.advance(bench.time + 2 * DELAY);
    assert!(!bench.interrupts(), "not enabled by the mask");
    bench.write(INTR_MASK, RX_DMA);
    bench.advance(bench.time + DELAY);
    assert!(bench.interrupts());
    bench.write(CONFIG, RX_EN);
    assert!(!bench.interrupts());
    assert_eq!(bench.read(INTR_STATUS), RX_DMA);
}

#[test]
fn a_cause_that_does_not_wait_interrupts_at_once_though_another_waits() {
    let mut bench = Bench::new(&Parameters::default(), RX_EN | INT_EN);
    bench.write(INTR_MASK, RX_PACKET);
    bench.write(COMMAND, 2);
    bench.arrives(&frame(0, 100));
    assert!(!bench.interrupts());
    bench.write(INTR_MASK, RX_PACKET | SOFT);
    assert!(bench.interrupts());
    assert_eq!(bench.read(INTR_STATUS), RX_PACKET | SOFT);
}

#[test]
fn pause_frames_to_all_and_to_the_card_alone_hold_back_packets() {
    for (to, is_obeyed) in
        [([1, 0x80, 0xc2, 0, 0, 1], true), (Parameters::default().address, true), ([2; 6], false)]
    {
        let mut bench = Bench::new(&Parameters::default(), RX_EN | TX_EN);
        bench.arrives(&pause(to, 2));
        bench.write_wide(0, TX_DATA, word(buffer(0), 100));
        assert_eq!(bench.bus.take_sent(0).is_empty(), is_obeyed, "{to:x?}");
        assert_eq!(bench.wide(0, RX_DONE) & EMPTY != 0, is_obeyed, "{to:x?}");
        bench.advance(2 * 512 * 100);
        assert_eq!(bench.bus.take_sent(0).len(), usize::from(is_obeyed), "{to:x?}");
    }
}

#[test]
fn marks_interrupt_once_for_each_crossing() {
    let parameters = Parameters {
        rx_fifo: [4000, 1000, 2000],
        tx_fifo: [4000, 1000, 3000],
        tx_max_copy: 1514,
        ..Parameters::default()
    };
    let mut bench = Bench::new(&parameters, RX_EN | TX_EN);
    let causes = |bench: &mut Bench| bench.read(INTR_STATUS);
    bench.arrives(&frame(0, 1500));
    assert_eq!(causes(&mut bench), RX_PACKET);
    bench.arrives(&frame(1, 1000));
    assert_eq!(causes(&mut bench), RX_PACKET | RX_HIGH);
    bench.arrives(&frame(2, 1000));
    assert_eq!(causes(&mut bench), RX_PACKET, "high already");
    for expected in [RX_DMA, RX_DMA, RX_DMA | RX_EMPTY] {
        bench.write_wide(0, RX_DATA, word(buffer(0), 1514));
        assert_eq!(causes(&mut bench), expected);
    }
    bench.arrives(&frame(3, 1500));
    bench.arrives(&frame(4, 1000));
    assert_eq!(causes(&mut bench), RX_PACKET | RX_HIGH);
    for expected in [TX_DMA, TX_DMA | TX_FULL] {
        bench.write_wide(0, TX_DATA, word(buffer(0), 1400));
        assert_eq!(causes(&mut bench), expected);
    }
    bench.advance(1424 * 800);
    assert_eq!(causes(&mut bench), TX_PACKET);
    bench.advance(2 * 1424 * 800);
    assert_eq!(causes(&mut bench), TX_PACKET | TX_LOW);
}

#[test]
fn pause_frames_that_leave_are_no_packets_of_the_queue() {
    let parameters = Parameters { rx_fifo: [2000, 500, 1000], flow_control: true, ..Parameters::default() };
    let mut bench = Bench::new(&parameters, RX_EN | TX_EN);
    bench.arrives(&frame(0, 1500));
    assert_eq!(bench.counter("pauses"), 1);
    assert_eq!(bench.read(INTR_STATUS), RX_PACKET | RX_HIGH);
    bench.advance(1_000_000);
    assert_eq!(bench.bus.take_sent(0).len(), 1);
    assert_eq!(bench.read(INTR_STATUS), 0);
    bench.write_wide(0, TX_DATA, word(buffer(0), 100));
    bench.advance(2_000_000);
    assert_eq!(bench.read(INTR_STATUS), TX_DMA | TX_PACKET);
}

/// A card whose transfers take a time that changes, or none, and what a plain account of it says.
struct Soak {
    card: Sinic,
    memory: Memory,
    under_way: Option<(u64, Transfer)>,
    time: u64,
    random: u64,
    is_slow: bool,
    /// Packets in the order in which they came, bound to VNICs in the order of their buffers.
    free: VecDeque<Vec<u8>>,
    posted: VecDeque<u64>,
    owned: Vec<Option<(Vec<u8>, usize)>>,
    done: Vec<(u64, Vec<u8>)>,
}

const VNICS: u64 = 5;

impl Soak {
    fn random(&mut self, below: u64) -> u64 {
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) % below
    }

    /// Serves transfers until a time.
    fn run(&mut self, until: u64) {
        loop {
            if self.under_way.is_none()
                && let Some(transfer) = self.card.transfer()
            {
                let takes = if self.is_slow { self.random(5000) } else { 0 };
                self.under_way = Some((self.time + takes, transfer));
            }
            let Some((at, transfer)) = self.under_way.take_if(|(at, _)| *at <= until) else { break };
            self.time = self.time.max(at);
            match transfer {
                Transfer::Read { .. } => unreachable!("nothing is sent"),
                Transfer::Write { address, data } => {
                    self.memory.store(address, &data).unwrap();
                    self.card.transferred(Some(&[]), self.time);
                }
            }
        }
        self.time = self.time.max(until);
    }

    fn bind(&mut self) {
        while !self.free.is_empty()
            && let Some(vnic) = self.posted.pop_front()
        {
            self.owned[vnic as usize] = self.free.pop_front().map(|packet| (packet, 0));
        }
    }

    fn is_busy(&mut self, vnic: u64) -> bool {
        self.card.read(0, vnic << 8 | RX_DONE, 8, self.time).unwrap() & BUSY != 0
    }

    /// Looks how the last copy of a VNIC went, if it is done.
    fn look(&mut self, vnic: u64) {
        let done = self.card.read(0, vnic << 8 | RX_DONE, 8, self.time).unwrap();
        let Some((packet, copied)) = self.owned[vnic as usize].take_if(|_| done & COMPLETE != 0) else {
            return;
        };
        let length = (done & 0xf_ffff) as usize;
        let (start, end) = (copied, copied + length);
        let place = self.memory.place(buffer(vnic) + start as u64, length).unwrap();
        assert_eq!(self.memory.bytes()[place..place + length], packet[start..end]);
        assert_eq!(done & MORE != 0, end < packet.len());
        if end < packet.len() {
            self.owned[vnic as usize] = Some((packet, end));
        } else {
            self.done.push((vnic, packet));
        }
    }
}

#[test]
fn random_interleavings_of_vnics_deliver_every_packet_as_a_plain_account_says() {
    for seed in 0..40 {
        let parameters = Parameters { virtual_count: VNICS as usize, ..Parameters::default() };
        let mut card = Sinic::new(&parameters);
        card.configuration_mut().write(4, 2, 6);
        card.set_link(true, 0);
        card.write(0, CONFIG, 4, u64::from(RX_EN | if seed % 3 == 0 { ZERO_COPY } else { 0 }), 0);
        let mut soak = Soak {
            card,
            memory: Memory::new(map::MEMORY, 1 << 20),
            under_way: None,
            time: 0,
            random: seed,
            is_slow: seed % 2 == 0,
            free: VecDeque::new(),
            posted: VecDeque::new(),
            owned: vec![None; VNICS as usize],
            done: Vec::new(),
        };
        let mut came = 0;
        for _ in 0..3000 {
            let vnic = soak.random(VNICS);
            match soak.random(4) {
                0 => {
                    let frame = frame(came as u8, 60 + soak.random(1400) as usize);
                    came += 1;
                    soak.card.receive(frame.clone(), soak.time);
                    soak.free.push_back(frame);
                    soak.bind();
                }
                1 if !soak.is_busy(vnic) => {
                    soak.look(vnic);
                    let copied = soak.owned[vnic as usize].as_ref().map(|(_, copied)| *copied);
                    let length = soak.random(800);
                    let word = word(buffer(vnic) + copied.unwrap_or(0) as u64, length);
                    soak.card.write(0, vnic << 8 | RX_DATA, 8, word, soak.time);
                    if copied.is_none() {
                        soak.posted.push_back(vnic);
                        soak.bind();
                    }
                }
                _ => {
                    let until = soak.time + soak.random(3000);
                    soak.run(until);
                }
            }
        }
        soak.run(soak.time + 1_000_000);
        (0..VNICS).for_each(|vnic| soak.look(vnic));
        let counters = soak.card.counters();
        let count = |name: &str| counters.iter().find(|(known, _)| *known == name).unwrap().1;
        assert_eq!(count("received"), soak.done.len() as u64);
        let inside = soak.owned.iter().flatten().count() + soak.free.len();
        assert_eq!(came, soak.done.len() + inside, "every packet is somewhere");
        let free = soak.card.read(0, RX_DONE, 8, soak.time).unwrap() >> 32;
        assert_eq!(free, soak.free.len() as u64);
        assert_eq!(count("dropped: no room"), 0);
        assert!(soak.done.len() > 50, "{}", soak.done.len());
        assert_eq!(count("refused accesses"), 0);
    }
}

#[test]
fn a_saved_card_goes_on() {
    let parameters = Parameters { virtual_count: 3, ..Parameters::default() };
    let mut bench = Bench::new(&parameters, RX_EN);
    bench.arrives(&frame(1, 900));
    bench.write_wide(1, RX_DATA, word(buffer(1), 100));
    let state = bench.bus.function(0).unwrap().save();
    let mut other = Sinic::new(&parameters);
    other.restore(state.clone()).unwrap();
    assert_eq!(other.save(), state);
    let mut fewer = Sinic::new(&Parameters::default());
    assert!(fewer.restore(state).is_err());
}
