//! The DP83820 by its registers and descriptors, as a driver sees it behind the bridge.

#![allow(clippy::unwrap_used, reason = "a failed expectation fails the test")]

use etherparse::PacketBuilder;
use spinach_cards::dp83820::{Dp83820, Parameters};
use spinach_net::ethernet::check_sequence;
use spinach_server::map;
use spinach_server::memory::Memory;
use spinach_server::pci::bridge::{Answer, HostBridge};
use spinach_server::pci::function::{Function, Transfer};

const WINDOW: u64 = map::WINDOW.start + 0x10_0000;
const SEND_RING: u64 = map::MEMORY + 0x1000;
const RECEIVE_RING: u64 = map::MEMORY + 0x2000;
const SEND_DATA: u64 = map::MEMORY + 0x1_0000;
const RECEIVE_DATA: u64 = map::MEMORY + 0x2_0003;
const DESCRIPTOR_BYTES: u64 = 32;
const BUFFER_BYTES: u64 = 2048;
const DELAY: u64 = 10_000_000;
const PEER: [u8; 6] = [2, 0, 0, 0, 0, 2];

const CR: u64 = 0x00;
const CFG: u64 = 0x04;
const PTSCR: u64 = 0x0c;
const ISR: u64 = 0x10;
const IMR: u64 = 0x14;
const IER: u64 = 0x18;
const TXDP: u64 = 0x20;
const RXDP: u64 = 0x30;
const RXCFG: u64 = 0x38;
const RFCR: u64 = 0x48;
const RFDR: u64 = 0x4c;
const VRCR: u64 = 0xbc;
const VTCR: u64 = 0xc0;
const OWN: u32 = 1 << 31;
const MORE: u32 = 1 << 30;
const INTR: u32 = 1 << 29;
const OK: u32 = 1 << 27;
const RXOK: u32 = 1;
const RXDESC: u32 = 2;
const RXIDLE: u32 = 0x10;
const RXORN: u32 = 0x20;
const TXOK: u32 = 0x40;
const TXDESC: u32 = 0x80;
const TXIDLE: u32 = 0x200;
const SWI: u32 = 0x1000;
const RMABT: u32 = 0x4_0000;

/// A card behind the bridge, switched on as the kernel does.
struct Bench {
    bus: HostBridge,
    memory: Memory,
    time: u64,
}

impl Bench {
    fn new(parameters: &Parameters) -> Self {
        let mut bus = HostBridge::default();
        bus.attach(Box::new(Dp83820::new(parameters)));
        bus.set_link(0, true);
        let mut bench = Self { bus, memory: Memory::new(map::MEMORY, 1 << 20), time: 0 };
        bench.configure(0x14, 4, WINDOW as u32);
        bench.configure(4, 2, 7);
        bench.read(ISR);
        // As the driver: addresses of 64 bits, extended status, checksums, no check sequence.
        bench.write(CFG, 1 << 11 | 1 << 8 | 1 << 24);
        bench.write(RXCFG, 1 << 29);
        bench.write(VRCR, 0x11);
        bench.write(VTCR, 8);
        bench.write(RFCR, 0xc800_0000);
        bench.write(IMR, 0x7fff_ffff);
        bench.write(IER, 1);
        bench
    }

    fn configure(&mut self, offset: u64, size: usize, value: u32) {
        let address = map::CONFIGURATION.start + (1 << 15) + offset;
        self.bus.write(address, &value.to_le_bytes()[..size], &mut self.memory, self.time).unwrap();
    }

    fn configuration(&mut self, offset: u64, size: usize) -> u64 {
        let address = map::CONFIGURATION.start + (1 << 15) + offset;
        let Some(Answer::Value(value)) = self.bus.read(address, size, &mut self.memory, self.time) else {
            panic!("no answer")
        };
        value
    }

    fn read(&mut self, register: u64) -> u32 {
        let answer = self.bus.read(WINDOW + register, 4, &mut self.memory, self.time);
        let Some(Answer::Value(value)) = answer else { panic!("no answer") };
        value as u32
    }

    fn write(&mut self, register: u64, value: u32) {
        self.bus.write(WINDOW + register, &value.to_le_bytes(), &mut self.memory, self.time).unwrap();
    }

    fn advance(&mut self, time: u64) {
        self.time = time;
        self.bus.advance(&mut self.memory, time);
    }

    fn interrupts(&mut self) -> bool {
        self.bus.lines()[1]
    }

    fn word(&self, address: u64) -> u32 {
        self.memory.read::<4>(self.memory.place(address, 4).unwrap()).unwrap() as u32
    }

    fn bytes(&self, address: u64, count: usize) -> &[u8] {
        &self.memory.bytes()[self.memory.place(address, count).unwrap()..][..count]
    }

    /// A descriptor at a place in a ring; `link` is the number of the next.
    fn descriptor(&mut self, ring: u64, number: u64, link: Option<u64>, buffer: u64, words: [u32; 2]) {
        let link = link.map_or(0, |link| ring + link * DESCRIPTOR_BYTES);
        let words = [link as u32, 0, buffer as u32, (buffer >> 32) as u32, words[0], words[1]];
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.memory.store(ring + number * DESCRIPTOR_BYTES, &bytes).unwrap();
    }

    fn status(&self, ring: u64, number: u64) -> u32 {
        self.word(ring + number * DESCRIPTOR_BYTES + 16)
    }

    fn extended(&self, ring: u64, number: u64) -> u32 {
        self.word(ring + number * DESCRIPTOR_BYTES + 20)
    }

    /// Creates a chain of `count` receive descriptors, all of which interrupt, and starts the receiver on it.
    fn receive_into(&mut self, count: u64, bytes: u32) {
        for number in 0..count {
            let link = (number + 1 < count).then_some(number + 1);
            let buffer = RECEIVE_DATA + number * BUFFER_BYTES;
            self.descriptor(RECEIVE_RING, number, link, buffer, [bytes | INTR, 0]);
        }
        self.write(RXDP, RECEIVE_RING as u32);
        self.write(CR, 4);
    }

    fn arrives(&mut self, frame: &[u8]) {
        self.bus.deliver(0, frame.to_vec(), self.time);
        self.advance(self.time);
    }
}

fn frame(to: [u8; 6], length: usize) -> Vec<u8> {
    let ip = PacketBuilder::ethernet2(PEER, to).ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64);
    let payload: Vec<u8> = (0..length).map(|byte| (byte * 7) as u8).collect();
    let mut frame = Vec::new();
    ip.tcp(7, 9, 1, 100).write(&mut frame, &payload).unwrap();
    frame.resize(frame.len().max(60), 0);
    frame
}

fn own() -> [u8; 6] {
    Parameters::default().address
}

#[test]
fn software_finds_the_card_and_places_its_windows() {
    let mut bench = Bench::new(&Parameters::default());
    assert_eq!(bench.configuration(0, 4), 0x0022_100b);
    bench.configure(0x10, 4, u32::MAX);
    bench.configure(0x14, 4, u32::MAX);
    assert_eq!([bench.configuration(0x10, 4), bench.configuration(0x14, 4)], [0xffff_ff01, 0xffff_f000]);
    assert_eq!(bench.configuration(0x3d, 1), 1);
    let empty = map::CONFIGURATION.start + (2 << 15);
    assert_eq!(bench.bus.read(empty, 4, &mut bench.memory, 0), Some(Answer::Value(0xffff_ffff)));
}

#[test]
fn the_window_is_shown_by_ports_too_and_mirrors_configuration_space() {
    let mut bench = Bench::new(&Parameters::default());
    bench.configure(0x10, 4, 0x1000);
    let srr = map::PORTS.start + 0x1000 + 0x58;
    assert_eq!(bench.bus.read(srr, 4, &mut bench.memory, 0), Some(Answer::Value(0x103)));
    assert_eq!(bench.read(0x22c), 0x0022_100b);
}

#[test]
fn a_reset_and_the_self_tests_are_done_at_once_and_the_address_is_loaded() {
    let mut bench = Bench::new(&Parameters::default());
    bench.write(CR, 0x100);
    assert_eq!(bench.read(CR), 0);
    assert_eq!(bench.read(CFG), 0x8140_0000);
    bench.write(PTSCR, 0x2000);
    bench.write(PTSCR, 0x400);
    assert_eq!(bench.read(PTSCR), 0x200);
    bench.write(PTSCR, 4);
    assert_eq!(bench.read(PTSCR) & 4, 0);
    let mut address = Vec::new();
    for word in 0..3 {
        bench.write(RFCR, 2 * word);
        address.extend((bench.read(RFDR) as u16).to_le_bytes());
    }
    assert_eq!(address, own());
}

#[test]
fn a_frame_of_two_fragments_leaves_with_its_checksums_and_frees_its_descriptors() {
    let mut bench = Bench::new(&Parameters::default());
    let right = frame(own(), 700);
    let mut given = right.clone();
    given[24..26].fill(0);
    given[50..52].fill(0);
    bench.memory.store(SEND_DATA + 1, &given[..100]).unwrap();
    bench.memory.store(SEND_DATA + 0x1001, &given[100..]).unwrap();
    let wanted = 1 << 17 | 1 << 19;
    bench.descriptor(SEND_RING, 0, Some(1), SEND_DATA + 1, [OWN | MORE | 100, wanted]);
    let rest = (given.len() - 100) as u32;
    bench.descriptor(SEND_RING, 1, Some(2), SEND_DATA + 0x1001, [OWN | INTR | rest, wanted]);
    bench.descriptor(SEND_RING, 2, Some(0), 0, [0, 0]);
    bench.write(TXDP, SEND_RING as u32);
    bench.advance(5_000_000);
    bench.write(CR, 1);
    let sent = bench.bus.take_sent(0);
    assert_eq!(sent.len(), 1);
    assert_eq!(sent[0].frame, right);
    assert_eq!(sent[0].ends, 5_000_000 + (right.len() as u64 + 12) * 800);
    assert_eq!(bench.status(SEND_RING, 0), MORE | 100);
    assert_eq!(bench.status(SEND_RING, 1), OK | INTR | rest);
    assert_eq!(bench.read(TXDP), (SEND_RING + 2 * DESCRIPTOR_BYTES) as u32);
    bench.advance(5_000_000 + DELAY - 1);
    assert!(!bench.interrupts());
    bench.advance(5_000_000 + DELAY);
    assert!(bench.interrupts());
    assert_eq!(bench.read(ISR), TXOK | TXDESC | TXIDLE);
    assert!(!bench.interrupts());
    assert_eq!(bench.read(ISR), 0);
}

#[test]
fn descriptors_with_addresses_of_32_bits_work_too() {
    let mut bench = Bench::new(&Parameters::default());
    bench.write(CFG, 1 << 8);
    bench.memory.store(SEND_DATA, &frame(own(), 100)).unwrap();
    let words = [0, SEND_DATA as u32, OWN | 154, 0];
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bench.memory.store(SEND_RING, &bytes).unwrap();
    bench.write(TXDP, SEND_RING as u32);
    bench.write(CR, 1);
    assert_eq!(bench.bus.take_sent(0)[0].frame, frame(own(), 100));
    assert_eq!(bench.word(SEND_RING + 8), OK | 154);
    // Started again at the end of a chain, it looks at the link only.
    bench.memory.store(SEND_RING + 64, &bytes).unwrap();
    bench.memory.store(SEND_RING, &((SEND_RING + 64) as u32).to_le_bytes()).unwrap();
    bench.write(CR, 1);
    bench.advance(DELAY);
    assert_eq!(bench.bus.take_sent(0).len(), 1);
}

#[test]
fn frames_leave_at_the_rate_of_the_wire_and_wait_for_room() {
    let parameters = Parameters { transmit_fifo_bytes: 4000, ..Parameters::default() };
    let mut bench = Bench::new(&parameters);
    bench.memory.store(SEND_DATA, &frame(own(), 1460)).unwrap();
    for number in 0..8 {
        bench.descriptor(SEND_RING, number, Some(number + 1), SEND_DATA, [OWN | 1514, 0]);
    }
    bench.write(TXDP, SEND_RING as u32);
    bench.write(CR, 1);
    let done = |bench: &Bench| (0..8).filter(|number| bench.status(SEND_RING, *number) & OWN == 0).count();
    assert_eq!(done(&bench), 2, "4000 bytes have room for two frames");
    let sent = |bench: &Bench| bench.bus.function(0).unwrap().counters()[0];
    assert_eq!(sent(&bench), ("sent", 1), "one of them is on the wire");
    bench.advance(8 * 1538 * 800);
    assert_eq!(sent(&bench), ("sent", 8));
    assert_eq!(done(&bench), 8);
    let ends: Vec<u64> = bench.bus.take_sent(0).iter().map(|sent| sent.ends).collect();
    assert_eq!(ends, (0..8).map(|number| (number * 1538 + 1526) * 800).collect::<Vec<u64>>());
}

#[test]
fn a_frame_is_received_with_its_verdict() {
    let mut bench = Bench::new(&Parameters::default());
    bench.receive_into(4, 1514);
    let good = frame(own(), 800);
    let mut bad = good.clone();
    *bad.last_mut().unwrap() ^= 1;
    bench.advance(3_000_000);
    bench.arrives(&good);
    bench.arrives(&bad);
    assert_eq!(bench.bytes(RECEIVE_DATA, good.len()), good);
    assert_eq!(bench.status(RECEIVE_RING, 0), OWN | INTR | OK | 1 << 23 | good.len() as u32);
    assert_eq!(bench.extended(RECEIVE_RING, 0), 1 << 17 | 1 << 19);
    assert_eq!(bench.extended(RECEIVE_RING, 1), 1 << 17 | 1 << 19 | 1 << 20);
    bench.advance(3_000_000 + DELAY - 1);
    assert!(!bench.interrupts());
    bench.advance(3_000_000 + DELAY);
    assert!(bench.interrupts());
    assert_eq!(bench.read(ISR), RXOK | RXDESC);
}

#[test]
fn at_the_end_of_a_chain_frames_wait_until_it_goes_on() {
    let parameters = Parameters { receive_fifo_bytes: 2000, ..Parameters::default() };
    let mut bench = Bench::new(&parameters);
    bench.receive_into(1, 1514);
    let frames: Vec<Vec<u8>> = (0..4).map(|number| frame(own(), 800 + number)).collect();
    frames.iter().for_each(|frame| bench.arrives(frame));
    assert_eq!(bench.read(ISR), RXOK | RXDESC | RXIDLE | RXORN);
    assert_eq!(bench.read(0x68), 1, "one was missed");
    assert_eq!(bench.read(0x68), 0);
    bench.receive_into(2, 1514);
    assert_eq!(bench.bytes(RECEIVE_DATA, frames[1].len()), frames[1]);
    assert_eq!(bench.bytes(RECEIVE_DATA + BUFFER_BYTES, frames[2].len()), frames[2]);
}

#[test]
fn a_frame_longer_than_a_buffer_goes_on_in_the_next() {
    let mut bench = Bench::new(&Parameters::default());
    bench.receive_into(3, 400);
    let frame = frame(own(), 900);
    bench.arrives(&frame);
    assert_eq!([0, 1].map(|number| bench.status(RECEIVE_RING, number)), [OWN | INTR | MORE | 400; 2]);
    let rest = frame.len() as u32 - 800;
    assert_eq!(bench.status(RECEIVE_RING, 2), OWN | INTR | OK | 1 << 23 | rest);
    let parts: Vec<u8> = [(0, 400), (1, 400), (2, rest as usize)]
        .iter()
        .flat_map(|(number, count)| bench.bytes(RECEIVE_DATA + number * BUFFER_BYTES, *count).to_vec())
        .collect();
    assert_eq!(parts, frame);
}

#[test]
fn the_filter_takes_what_is_meant() {
    let all = [0xff; 6];
    let group = [1, 0, 0x5e, 0, 0, 1];
    let (broadcast, multicast, unicast, perfect) = (1 << 30, 1 << 29, 1 << 28, 1 << 27);
    let cases = [
        (0, [false; 4]),
        (broadcast, [true, false, false, false]),
        (multicast, [false, true, false, false]),
        (unicast, [false, false, true, true]),
        (perfect, [false, false, true, false]),
    ];
    for (bits, expected) in cases {
        for (to, is_taken) in [all, group, own(), PEER].into_iter().zip(expected) {
            for enabled in [1 << 31, 0] {
                let mut bench = Bench::new(&Parameters::default());
                bench.write(RFCR, bits | enabled);
                bench.receive_into(2, 1514);
                bench.arrives(&frame(to, 20));
                let is_there = bench.status(RECEIVE_RING, 0) & OWN != 0;
                assert_eq!(is_there, is_taken && enabled != 0, "{bits:#x} {to:?}");
            }
        }
    }
}

#[test]
fn tags_are_put_in_and_taken_out() {
    let mut bench = Bench::new(&Parameters::default());
    let plain = frame(own(), 300);
    bench.write(VTCR, 2);
    bench.memory.store(SEND_DATA, &plain).unwrap();
    let tag = u32::from(0x1234_u16.to_be());
    bench.descriptor(SEND_RING, 0, None, SEND_DATA, [OWN | plain.len() as u32, 1 << 16 | tag]);
    bench.write(TXDP, SEND_RING as u32);
    bench.write(CR, 1);
    let tagged = bench.bus.take_sent(0).remove(0).frame;
    assert_eq!([&plain[..12], &[0x81, 0, 0x12, 0x34], &plain[12..]].concat(), tagged);
    bench.write(VRCR, 0x13);
    bench.receive_into(2, 1514);
    bench.arrives(&tagged);
    assert_eq!(bench.bytes(RECEIVE_DATA, plain.len()), plain);
    assert_eq!(bench.extended(RECEIVE_RING, 0), 1 << 16 | tag | 1 << 17 | 1 << 19);
}

#[test]
fn the_check_sequence_follows_unless_it_is_stripped() {
    let mut bench = Bench::new(&Parameters::default());
    bench.write(RXCFG, 0);
    bench.receive_into(2, 1514);
    let frame = frame(own(), 20);
    bench.arrives(&frame);
    let whole = [frame.as_slice(), &check_sequence(&frame)].concat();
    assert_eq!(bench.bytes(RECEIVE_DATA, whole.len()), whole);
}

#[test]
fn masks_hold_back_and_some_causes_do_not_wait() {
    let mut bench = Bench::new(&Parameters::default());
    bench.write(IMR, 0);
    bench.write(CR, 0x80);
    assert!(!bench.interrupts());
    bench.write(IMR, SWI);
    assert!(bench.interrupts(), "it does not wait");
    bench.write(IER, 0);
    assert!(!bench.interrupts());
    bench.write(IER, 1);
    assert_eq!(bench.read(ISR), SWI);
    bench.receive_into(2, 1514);
    bench.arrives(&frame(own(), 20));
    bench.write(IMR, RXOK);
    assert!(!bench.interrupts());
    bench.advance(bench.time + DELAY);
    assert!(bench.interrupts());
}

#[test]
fn a_transfer_to_where_nothing_is_ends_in_a_cause_and_nothing_else() {
    let mut bench = Bench::new(&Parameters::default());
    bench.write(TXDP, 0x1000);
    bench.write(CR, 1);
    assert_eq!(bench.read(ISR), RMABT);
    assert_eq!(bench.read(CR), 0);
}

#[test]
fn without_a_link_nothing_is_received_and_the_driver_is_told() {
    let mut bench = Bench::new(&Parameters::default());
    bench.receive_into(2, 1514);
    bench.bus.set_link(0, false);
    assert_eq!(bench.read(CFG) >> 31, 0);
    assert_eq!(bench.read(ISR), 1 << 14);
    bench.arrives(&frame(own(), 20));
    assert_eq!(bench.status(RECEIVE_RING, 0) & OWN, 0);
}

/// A card by itself, whose transfers take a time that changes.
struct Slow {
    card: Dp83820,
    memory: Memory,
    under_way: Option<(u64, Transfer)>,
    delays: u64,
}

impl Slow {
    /// Everything up to when nothing more happens; when that is.
    fn settle(&mut self, mut time: u64) -> u64 {
        loop {
            if self.under_way.is_none()
                && let Some(transfer) = self.card.transfer()
            {
                self.delays = self.delays.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                self.under_way = Some((time + (self.delays >> 44), transfer));
            }
            let next = self.under_way.as_ref().map(|(at, _)| *at);
            let Some(at) = [next, self.card.wakes_at()].into_iter().flatten().min() else { return time };
            time = time.max(at);
            self.card.advance(time);
            if let Some((_, transfer)) = self.under_way.take_if(|(at, _)| *at <= time) {
                match transfer {
                    Transfer::Read { address, bytes } => {
                        let place = self.memory.place(address, bytes).unwrap();
                        let data = self.memory.bytes()[place..place + bytes].to_vec();
                        self.card.transferred(Some(&data), time);
                    }
                    Transfer::Write { address, data } => {
                        self.memory.store(address, &data).unwrap();
                        self.card.transferred(Some(&[]), time);
                    }
                }
            }
        }
    }
}

#[test]
fn behind_a_slow_bus_the_same_frames_pass_and_memory_is_the_same() {
    let mut bench = Bench::new(&Parameters::default());
    let frames: Vec<Vec<u8>> = (0..12).map(|number| frame(own(), 100 * number)).collect();
    for (number, frame) in (0..).zip(&frames) {
        bench.memory.store(SEND_DATA + number * BUFFER_BYTES, frame).unwrap();
        let length = frame.len() as u32;
        let buffer = SEND_DATA + number * BUFFER_BYTES;
        bench.descriptor(SEND_RING, number, Some(number + 1), buffer, [OWN | length, 0]);
    }
    let mut before = Memory::new(map::MEMORY, 1 << 20);
    bench.write(TXDP, SEND_RING as u32);
    bench.receive_into(16, 1514);
    before.bytes_mut().copy_from_slice(bench.memory.bytes());
    let state = bench.bus.function(0).unwrap().save();
    bench.write(CR, 1);
    frames.iter().for_each(|frame| bench.arrives(frame));
    bench.advance(1_000_000_000);
    let sent: Vec<Vec<u8>> = bench.bus.take_sent(0).into_iter().map(|sent| sent.frame).collect();
    assert_eq!(sent, frames);
    for delays in 0..20 {
        let mut card = Dp83820::new(&Parameters::default());
        card.restore(state.clone()).unwrap();
        let mut memory = Memory::new(map::MEMORY, 1 << 20);
        memory.bytes_mut().copy_from_slice(before.bytes());
        let mut slow = Slow { card, memory, under_way: None, delays };
        slow.card.write(1, CR, 4, 1, 0);
        let mut time = 0;
        for frame in &frames {
            slow.card.receive(frame.clone(), time);
            time = slow.settle(time);
        }
        let passed: Vec<Vec<u8>> =
            std::iter::from_fn(|| slow.card.take_sent()).map(|sent| sent.frame).collect();
        assert_eq!(passed, sent);
        assert!(slow.memory.bytes() == bench.memory.bytes());
    }
}

#[test]
fn what_comes_late_of_a_transfer_before_a_reset_is_ignored() {
    let mut card = Dp83820::new(&Parameters::default());
    card.configuration_mut().write(4, 2, 7);
    card.write(1, TXDP, 4, 0x8000_0000, 0);
    card.write(1, CR, 4, 1, 0);
    let bytes = 16;
    assert_eq!(card.transfer(), Some(Transfer::Read { address: 0x8000_0000, bytes }));
    card.write(1, CR, 4, 0x100, 1);
    card.write(1, TXDP, 4, 0x8000_0040, 1);
    card.write(1, CR, 4, 1, 1);
    assert_eq!(card.transfer(), None, "one at a time");
    card.transferred(Some(&[0xff; 16]), 2);
    assert_eq!(card.transfer(), Some(Transfer::Read { address: 0x8000_0040, bytes }));
}
