//! Devices with queues of descriptors: DMA between two memories, and a MAC in loopback.

use etherparse::PacketBuilder;
use spinach_engine::{ModuleId, Outcome, ParameterValue, Simulation, Size, Time};
use spinach_modules::values::{Reference, Response};

use super::support::{Bench, Initiator, Random, Stalls, counter, record, run_to};

const LOCAL: u64 = 0x1000;
const HOST: u64 = 0x1_0000_0000;
const BYTES: u64 = 0x1_0000;
/// Buffers of received frames.
const BUFFERS: u64 = 0x8000;
const BUFFER: u64 = 0x800;

fn data(word: u32) -> u128 {
    u128::from(word.swap_bytes())
}

fn write(offset: u64, word: u64) -> Reference {
    Reference::write(offset, 4, data(word as u32))
}

fn words(initiator: &Initiator, simulation: &mut Simulation) -> Vec<u32> {
    let responses = initiator.responses::<Response>(simulation);
    responses.iter().map(|(_, response)| (response.data as u32).swap_bytes()).collect()
}

fn memory(bench: &mut Bench, path: &str, base: u64, contents: Vec<u8>) -> ModuleId {
    let parameters: [(&str, ParameterValue); 3] =
        [("size", Size(BYTES).into()), ("base", base.into()), ("contents", contents.into())];
    bench.design.module(path, "multiported_memory", bench.domain, parameters)
}

fn connect(bench: &mut Bench, (device, bundle): (ModuleId, &str), memory: ModuleId, lane: usize) {
    let name = |role: &str| format!("{bundle}_{role}");
    bench.design.connect_lanes((device, &name("request"), 0), (memory, "block_request", lane));
    bench.design.connect_lanes((memory, "block_response", lane), (device, &name("response"), 0));
}

fn contents(simulation: &mut Simulation, path: &str, from: u64, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    let memory = simulation.netlist().find_module(path).expect("it is in the design");
    assert!(simulation.contents(memory).expect("it is a memory").read(from, &mut bytes));
    bytes
}

fn reason(simulation: &mut Simulation) -> String {
    match simulation.run_until(Time::from_femtoseconds(10_000 * 1_000_000)) {
        Outcome::Stopped(reason) => reason,
        outcome => panic!("{outcome:?}"),
    }
}

/// A DMA unit between two memories of random bytes, and the reads of `DONE` at the end.
fn dma(direction: &str, transfers: &[(u64, u64, u64)], stalls: Stalls) -> (Bench, Initiator) {
    let mut bench = Bench::new();
    let unit = bench.design.module("dma", "queue_dma", bench.domain, [("direction", direction)]);
    let mut random = Random::new(5);
    let mut bytes = || (0..BYTES).map(|_| random.next() as u8).collect::<Vec<u8>>();
    let (local, host) = (bytes(), bytes());
    let memories = [memory(&mut bench, "local", LOCAL, local), memory(&mut bench, "host", HOST, host)];
    for (bundle, memory) in ["local", "host"].into_iter().zip(memories) {
        connect(&mut bench, (unit, bundle), memory, 0);
    }
    let mut script = vec![write(0x18, 1), write(0x00, HOST >> 32)];
    for (host, local, length) in transfers {
        script.extend([write(0x04, *host), write(0x08, *local), write(0x0c, *length)]);
    }
    script.extend([Reference::read(0x14, 4); 40]);
    let registers = bench.initiator((unit, "registers", 0), &script, stalls);
    (bench, registers)
}

#[test]
fn transfers_of_any_length_and_place_arrive_whole_and_in_order() {
    for (direction, stalls) in ["read", "write"].into_iter().flat_map(|it| Stalls::all().map(|all| (it, all)))
    {
        let mut random = Random::new(3);
        // They overlap, so that their order matters.
        let transfers: Vec<(u64, u64, u64)> = (0..30)
            .map(|_| (HOST + random.below(100), LOCAL + random.below(100), 1 + random.below(300)))
            .collect();
        let (bench, registers) = dma(direction, &transfers, stalls);
        let mut simulation = bench.start();
        let (mut in_local, mut in_host) =
            (contents(&mut simulation, "local", 0, 500), contents(&mut simulation, "host", 0, 500));
        for (host, local, length) in &transfers {
            let (host, local, length) = ((host - HOST) as usize, (local - LOCAL) as usize, *length as usize);
            if direction == "read" {
                in_local[local..local + length].copy_from_slice(&in_host[host..host + length]);
            } else {
                in_host[host..host + length].copy_from_slice(&in_local[local..local + length]);
            }
        }
        simulation.run_until(Time::from_femtoseconds(5_000 * 1_000_000));
        assert_eq!(contents(&mut simulation, "local", 0, 500), in_local, "{direction} {stalls:?}");
        assert_eq!(contents(&mut simulation, "host", 0, 500), in_host, "{direction} {stalls:?}");
        assert_eq!(words(&registers, &mut simulation).last(), Some(&30));
        assert_eq!(counter(&mut simulation, "dma", "transfers"), 30);
    }
}

#[test]
fn what_cannot_be_transferred_stops_the_simulation_with_the_reason() {
    let stopped = |transfers: &[(u64, u64, u64)]| reason(&mut dma("read", transfers, Stalls::NONE).0.start());
    assert!(stopped(&[(0, LOCAL, 0)]).contains("has 0 bytes"));
    assert!(stopped(&[(HOST, LOCAL + BYTES - 4, 5)]).contains("the NIC's memory does not take a transfer"));
    assert!(stopped(&[(BYTES - 4, LOCAL, 5)]).contains("host memory does not answer a transfer of 5 bytes"));
}

#[test]
fn failed_transfers_are_counted_and_hold_up_no_others() {
    for direction in ["read", "write"] {
        let transfers = [(HOST, LOCAL, 200), (4, LOCAL, 8), (HOST + 300, LOCAL + 300, 8)];
        let (mut bench, registers) = dma(direction, &transfers, Stalls::NONE);
        let unit =
            bench.design.modules.values_mut().find(|module| module.path == "dma").expect("it was made");
        unit.parameters.push(("stops_on_fault".to_owned(), false.into()));
        let source = bench.design.modules.values_mut().find(|module| module.path.starts_with("source"));
        let source = source.expect("it was made");
        let mut asked = vec![write(0x18, 1)];
        for (host, local, length) in transfers {
            asked.extend([
                write(0x00, host >> 32),
                write(0x04, host),
                write(0x08, local),
                write(0x0c, length),
            ]);
        }
        asked.extend([Reference::read(0x14, 4); 40]);
        asked.extend([0x1c, 0x20, 0x20].map(|register| Reference::read(register, 4)));
        source.parameters.retain(|(name, _)| name != "script");
        source.parameters.push(("script".to_owned(), super::support::script(&asked).into()));
        let mut simulation = bench.start();
        simulation.run_until(Time::from_femtoseconds(1_000 * 1_000_000));
        assert_eq!(counter(&mut simulation, "dma", "transfers"), 2, "{direction}");
        assert_eq!(words(&registers, &mut simulation)[51..], [3, 3, 1, 1, 0], "{direction}");
        let memories = ["host", "local"].map(|path| contents(&mut simulation, path, 300, 8));
        assert_eq!(memories[0], memories[1], "{direction}");
    }
}

#[test]
fn a_queue_takes_exactly_as_many_descriptors_as_it_holds() {
    const DESCRIPTORS: u64 = 3;
    let filled = |free: u64, push: &[Reference], count: u64| -> Vec<Reference> {
        (0..count).flat_map(|_| push.iter().copied().chain([Reference::read(free, 4)])).collect()
    };
    // The kind, its register of free descriptors, and the writes that give it one.
    let devices: [(&str, u64, Vec<Reference>); 3] = [
        ("queue_dma", 0x10, vec![write(0x00, HOST >> 32), write(0x08, LOCAL), write(0x0c, 8)]),
        ("queue_transmit", 0x08, vec![write(0x00, 0), write(0x04, 1 << 31 | 60)]),
        ("queue_receive", 0x08, vec![write(0x00, BUFFERS), write(0x04, BUFFER - 1)]),
    ];
    for (kind, free, push) in devices {
        let set_up = |count: u64| {
            let mut bench = Bench::new();
            let mut parameters: Vec<(&str, ParameterValue)> = vec![("descriptors", DESCRIPTORS.into())];
            parameters.extend((kind == "queue_dma").then(|| ("direction", "read".into())));
            let device = bench.design.module("device", kind, bench.domain, parameters);
            if kind == "queue_dma" {
                for (bundle, base) in [("local", LOCAL), ("host", HOST)] {
                    let memory = memory(&mut bench, bundle, base, Vec::new());
                    connect(&mut bench, (device, bundle), memory, 0);
                }
            } else {
                let memory = memory(&mut bench, "memory", 0, Vec::new());
                connect(&mut bench, (device, "frame"), memory, 0);
                let none: [(&str, u64); 0] = [];
                if kind == "queue_transmit" {
                    let sink = bench.design.module("wire", "packet_sink", bench.domain, none);
                    bench.design.connect((device, "wire"), (sink, "wire"));
                } else {
                    let feeder = bench.design.module("wire", "traffic_source", bench.domain, none);
                    bench.design.connect((feeder, "wire"), (device, "wire"));
                }
            }
            let script = filled(free, &push, count);
            let registers = bench.initiator((device, "registers", 0), &script, Stalls::NONE);
            (bench, registers)
        };
        let (bench, registers) = set_up(DESCRIPTORS);
        let mut simulation = bench.run(200);
        let read = push.len() + 1;
        let free: Vec<u32> =
            words(&registers, &mut simulation).chunks(read).map(|answers| answers[read - 1]).collect();
        assert_eq!(free, [2, 1, 0], "{kind}");
        let (bench, _) = set_up(DESCRIPTORS + 1);
        let reason = reason(&mut bench.start());
        assert!(reason.contains("does not fit into the queue"), "{kind}: {reason}");
    }
}

#[test]
fn a_descriptor_of_a_sent_frame_is_in_use_until_it_has_left() {
    let mut bench = Bench::new();
    let none: [(&str, u64); 0] = [];
    let transmit = bench.design.module("transmit", "queue_transmit", bench.domain, none);
    let sink = bench.design.module("wire", "packet_sink", bench.domain, none);
    bench.design.connect((transmit, "wire"), (sink, "wire"));
    let memory = memory(&mut bench, "memory", 0, vec![7; 200]);
    connect(&mut bench, (transmit, "frame"), memory, 0);
    let (free, done) = (Reference::read(0x08, 4), Reference::read(0x0c, 4));
    // Of the first frame, one piece of two is there at first.
    let mut script = vec![write(0x10, 1), write(0, 0), write(4, 70)];
    script.extend([free; 40]);
    script.push(done);
    script.extend([write(4, 1 << 31 | 50), write(4, 1 << 31 | 60)]);
    script.extend([free; 40]);
    script.push(done);
    let registers = bench.initiator((transmit, "registers", 0), &script, Stalls::NONE);
    let mut simulation = bench.run(400);
    let words = words(&registers, &mut simulation);
    let (first, second) = (&words[3..44], &words[46..]);
    assert_eq!(first[..40], [63; 40]);
    assert_eq!(first[40], 0, "frames done");
    // Both pieces of the first frame return at once, and then that of the second.
    let mut returned = second[..40].to_vec();
    returned.dedup();
    assert_eq!(returned, [61, 63, 64]);
    assert_eq!(second[40], 2, "frames done");
}

/// The cycles in which a DMA unit of such a FIFO asks the host for two transfers of 64 bytes.
fn asked_with_fifo(fifo: u64) -> Vec<u64> {
    let (mut bench, _) = dma("read", &[(HOST, LOCAL, 64), (HOST + 64, LOCAL + 64, 64)], Stalls::NONE);
    let unit = bench.design.modules.values_mut().find(|module| module.path == "dma").expect("it was made");
    unit.parameters.push(("fifo".to_owned(), Size(fifo).into()));
    // Both descriptors are in the queue before the unit is enabled.
    let source = bench.design.modules.values_mut().find(|module| module.path.starts_with("source"));
    let source = source.expect("it was made");
    let mut script = vec![write(0x00, HOST >> 32)];
    for number in 0..2 {
        script.extend([write(0x04, 64 * number), write(0x08, LOCAL + 64 * number), write(0x0c, 64)]);
    }
    script.push(write(0x18, 1));
    source.parameters.retain(|(name, _)| name != "script");
    source.parameters.push(("script".to_owned(), super::support::script(&script).into()));
    let mut simulation = bench.start();
    let recording = record(&mut simulation, "dma", "host_request");
    run_to(&mut simulation, 60);
    let recording = recording.lock().expect("no thread panicked");
    (0..).zip(recording.iter()).filter(|(_, (words, _))| words.is_some()).map(|(cycle, _)| cycle).collect()
}

#[test]
fn transfers_are_pending_from_their_end_until_a_read_reports_them() {
    let transfers = [0, 1, 2].map(|number| (HOST + 64 * number, LOCAL + 64 * number, 64));
    let (mut bench, registers) = dma("read", &transfers, Stalls::NONE);
    // After the tenth access, when two transfers have been asked for, no access comes for a long time.
    bench.set(&registers, "pause", 200_u64);
    let unit = bench.design.modules.iter().find(|(_, module)| module.path == "dma").unwrap().0;
    let sink = bench.design.module("sink", "test_sink", bench.domain, [("stall_percent", 100_u64)]);
    bench.design.connect((unit, "pending"), (sink, "input"));
    let mut simulation = bench.start();
    let recorded = record(&mut simulation, "dma", "pending");
    run_to(&mut simulation, 600);
    let requested = registers.requested(&mut simulation);
    let pending: Vec<bool> = recorded.lock().unwrap().iter().map(|(words, _)| words.is_some()).collect();
    let begins = pending.iter().position(|it| *it).unwrap();
    let ends = begins + pending[begins..].iter().position(|it| !it).unwrap();
    assert!((requested[4] as usize..requested[10] as usize - 100).contains(&begins), "{begins}");
    assert_eq!(ends, requested[11] as usize + 1, "the cycle after the first read");
}

#[test]
fn transfers_that_fill_the_fifo_exactly_overlap() {
    let (exact, short) = (asked_with_fifo(128), asked_with_fifo(127));
    assert_eq!(exact[1] - exact[0], 1);
    // The first transfer leaves the FIFO once it is stored: two requests and two answers after the first cycle.
    assert_eq!(short[1] - short[0], 4);
}

/// A frame with the sum of its pseudo header in place of its checksum, and as it is on the wire.
fn frame(is_udp: bool, payload: &[u8]) -> (Vec<u8>, Vec<u8>, usize) {
    let mut sent = Vec::new();
    let ip = PacketBuilder::ethernet2([2; 6], [4; 6]).ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64);
    let (protocol, field) = if is_udp {
        ip.udp(7, 9).write(&mut sent, payload).expect("it fits");
        (17, 40)
    } else {
        ip.tcp(7, 9, 1, 100).write(&mut sent, payload).expect("it fits");
        (6, 50)
    };
    let halves = sent[26..34].chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(pair[1]));
    let sum = halves.sum::<u32>() + protocol + (sent.len() - 34) as u32;
    let mut given = sent.clone();
    given[field..field + 2].copy_from_slice(&((sum & 0xffff) as u16 + (sum >> 16) as u16).to_be_bytes());
    (given, sent, field)
}

/// A MAC whose wire leads back to itself: `transmits` and `receives` are written to its registers, then words on frames are read.
fn mac(contents: Vec<u8>, transmits: &[Reference], receives: &[Reference]) -> (Bench, Initiator) {
    let mut bench = Bench::new();
    let none: [(&str, u64); 0] = [];
    let transmit = bench.design.module("transmit", "queue_transmit", bench.domain, none);
    let receive = bench.design.module("receive", "queue_receive", bench.domain, none);
    bench.design.connect((transmit, "wire"), (receive, "wire"));
    let memory = memory(&mut bench, "memory", 0, contents);
    connect(&mut bench, (transmit, "frame"), memory, 0);
    connect(&mut bench, (receive, "frame"), memory, 1);
    bench.initiator((transmit, "registers", 0), transmits, Stalls::NONE);
    let mut script = receives.to_vec();
    script.extend([Reference::read(0x0c, 4); 300]);
    let words = bench.initiator((receive, "registers", 0), &script, Stalls::NONE);
    (bench, words)
}

fn buffers(count: u64) -> Vec<Reference> {
    let give = |number: u64| [write(0, BUFFERS + number * BUFFER), write(4, BUFFER - 1)];
    (0..count).flat_map(give).chain([write(0x10, 1)]).collect()
}

#[test]
fn pieces_become_a_frame_with_its_checksum_wherever_they_are_cut() {
    for (is_udp, length) in [(true, 1), (true, 333), (false, 10), (false, 1000)] {
        let payload: Vec<u8> = (0..length).map(|byte| (byte * 29) as u8).collect();
        let (given, mut expected, field) = frame(is_udp, &payload);
        expected.resize(expected.len().max(60), 0);
        for cuts in [vec![], vec![42], vec![1, field + 1, field + 2]] {
            let places: Vec<usize> = [0].into_iter().chain(cuts).chain([given.len()]).collect();
            let mut memory = Vec::new();
            let mut script = vec![write(0x10, 1)];
            for (number, piece) in places.windows(2).enumerate() {
                let flags = u64::from(piece[1] == given.len()) << 31
                    | u64::from(number == 0) << 30
                    | (field as u64) << 22
                    | 34 << 14
                    | (piece[1] - piece[0]) as u64;
                script.extend([write(0, memory.len() as u64), write(4, flags)]);
                memory.extend(&given[piece[0]..piece[1]]);
                memory.extend([0xee; 3]);
            }
            let (bench, completions) = mac(memory, &script, &buffers(2));
            let mut simulation = bench.start();
            simulation.run_until(Time::from_femtoseconds(1_000 * 1_000_000));
            assert_eq!(contents(&mut simulation, "memory", BUFFERS, expected.len()), expected);
            let seen: Vec<u32> = words(&completions, &mut simulation)[5..].to_vec();
            let right = 1 << 31 | 1 << 29 | expected.len() as u32;
            assert_eq!(seen.iter().filter(|word| **word != 0).collect::<Vec<_>>(), [&right]);
            assert_eq!(counter(&mut simulation, "transmit", "pieces"), places.len() as u64 - 1);
        }
    }
}

/// A segment of a large send with 300 bytes of payload in each frame, as another library makes it.
fn part_of_send(number: u16, is_last: bool, payload: &[u8]) -> Vec<u8> {
    let mut ip = etherparse::Ipv4Header { time_to_live: 64, ..Default::default() };
    (ip.identification, ip.source, ip.destination) = (7 + number, [10, 0, 0, 1], [10, 0, 0, 2]);
    let ip = etherparse::IpHeaders::Ipv4(ip, Default::default());
    let segment = PacketBuilder::ethernet2([2; 6], [4; 6]).ip(ip).tcp(7, 9, 1 + 300 * u32::from(number), 100);
    let mut made = Vec::new();
    let segment = if is_last { segment.psh() } else { segment };
    segment.write(&mut made, payload).expect("it fits");
    made
}

#[test]
fn a_large_send_becomes_the_frames_that_another_library_makes_wherever_it_is_cut() {
    let payload: Vec<u8> = (0..1000).map(|byte| (byte * 29) as u8).collect();
    let mut given = part_of_send(0, true, &payload);
    let sum =
        given[26..34].chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(pair[1])).sum::<u32>() + 6;
    given[50..52].copy_from_slice(&((sum & 0xffff) as u16 + (sum >> 16) as u16).to_be_bytes());
    // A frame before and one behind it, which are not cut.
    let (alone, _, field) = frame(false, &[9; 100]);
    for cuts in [vec![], vec![20, 54, 354], vec![600, 654, 900]] {
        let places: Vec<usize> = [0].into_iter().chain(cuts).chain([given.len()]).collect();
        let mut memory = alone.clone();
        let single = write(4, 3 << 30 | (field as u64) << 22 | 34 << 14 | alone.len() as u64);
        // The receiver has its buffers before.
        let mut script = vec![Reference::read(0x08, 4); 40];
        script.extend([write(0x10, 1), write(0, 0), single, write(0x14, 14 << 22 | 54 << 14 | 300)]);
        for (number, piece) in places.windows(2).enumerate() {
            let flags = u64::from(piece[1] == given.len()) << 31
                | u64::from(number == 0) << 30
                | 50 << 22
                | 34 << 14
                | (piece[1] - piece[0]) as u64;
            script.extend([write(0, memory.len() as u64), write(4, flags)]);
            memory.extend(&given[piece[0]..piece[1]]);
        }
        script.extend([write(0, 0), single]);
        let (mut bench, completions) = mac(memory, &script, &buffers(7));
        // Less than the send.
        let transmit = bench.design.modules.values_mut().find(|module| module.path == "transmit").unwrap();
        transmit.parameters.push(("fifo".to_owned(), Size(700).into()));
        let mut simulation = bench.start();
        simulation.run_until(Time::from_femtoseconds(1_000 * 1_000_000));
        for (number, part) in payload.chunks(300).enumerate() {
            let expected = part_of_send(number as u16, number == 3, part);
            let place = BUFFERS + (1 + number as u64) * BUFFER;
            assert_eq!(
                contents(&mut simulation, "memory", place, expected.len()),
                expected,
                "{number} of {places:?}"
            );
        }
        let seen: Vec<u32> = words(&completions, &mut simulation)[15..].to_vec();
        let lengths: Vec<u32> = seen.iter().filter(|word| **word != 0).map(|word| word & 0x3fff).collect();
        assert_eq!(lengths, [154, 354, 354, 354, 154, 154]);
        assert!(seen.iter().all(|word| word & 1 << 30 == 0), "a checksum is wrong");
        assert_eq!(counter(&mut simulation, "transmit", "large_sends"), 1);
        assert_eq!(counter(&mut simulation, "transmit", "frames"), 6);
    }
}

#[test]
fn a_wrong_checksum_is_told_and_frames_without_a_buffer_are_dropped() {
    let (given, _, _) = frame(true, &[1; 100]);
    let whole = write(4, 1 << 31 | given.len() as u64);
    let script = [write(0x10, 1), write(0, 0), whole, whole, whole];
    let (bench, completions) = mac(given.clone(), &script, &buffers(2));
    let mut simulation = bench.start();
    simulation.run_until(Time::from_femtoseconds(1_000 * 1_000_000));
    let wrong = 1 << 31 | 1 << 30 | given.len() as u32;
    let seen: Vec<u32> = words(&completions, &mut simulation)[5..].to_vec();
    assert_eq!(seen.iter().filter(|word| **word != 0).collect::<Vec<_>>(), [&wrong, &wrong]);
    assert_eq!(counter(&mut simulation, "receive", "dropped_no_buffer"), 1);
    assert_eq!(counter(&mut simulation, "transmit", "frames"), 3);
}

#[test]
fn firmware_can_verify_by_the_sum() {
    for length in [1_usize, 99, 100] {
        let (given, _, _) = frame(true, &vec![0xa7; length]);
        let script = [write(0x10, 1), write(0, 0), write(4, 1 << 31 | given.len() as u64)];
        let (mut bench, completions) = mac(given.clone(), &script, &buffers(1));
        let receive = bench.design.modules.values_mut().find(|module| module.path == "receive").unwrap();
        receive.parameters.push(("verifies".to_owned(), false.into()));
        let sums = [Reference::read(0x0c, 4); 300].into_iter().chain([Reference::read(0x18, 4)]);
        let script: Vec<Reference> = buffers(1).into_iter().chain(sums).collect();
        bench.set(&completions, "script", super::support::script(&script));
        let mut simulation = bench.start();
        simulation.run_until(Time::from_femtoseconds(1_000 * 1_000_000));
        let seen = words(&completions, &mut simulation);
        let word = seen[3..].iter().find(|word| **word != 0);
        assert_eq!(word, Some(&(1 << 31 | given.len().max(60) as u32)), "no verdict");
        let halves = given[14..]
            .chunks(2)
            .map(|pair| u32::from(pair[0]) << 8 | pair.get(1).copied().map_or(0, u32::from));
        // One's complement: whatever goes beyond 16 bits comes in below.
        let sum = halves.fold(0, |sum, half| (sum + half) % 0xffff);
        assert_eq!(seen.last().map(|sum| sum % 0xffff), Some(sum));
    }
}

#[test]
fn descriptors_that_cannot_be_stop_the_simulation_with_the_reason() {
    let stopped = |script: &[Reference]| reason(&mut mac(vec![0; 100], script, &buffers(1)).0.start());
    let last = 1 << 31;
    assert!(stopped(&[write(4, last)]).contains("has 0 bytes"));
    assert!(stopped(&[write(0x10, 1), write(0, BYTES), write(4, last | 60)]).contains("does not answer"));
    let outside = [write(0x10, 1), write(4, last | 1 << 30 | 59 << 22 | 34 << 14 | 60)];
    assert!(stopped(&outside).contains("is not within a frame of 60 bytes"));
    let cut = |word: u64, length: u64| {
        [write(0x10, 1), write(0x14, word), write(4, 3 << 30 | 50 << 22 | 34 << 14 | length)]
    };
    assert!(stopped(&cut(14 << 22 | 53 << 14 | 100, 80)).contains("no room for IP and TCP"));
    assert!(stopped(&cut(14 << 22 | 54 << 14, 80)).contains("no room for IP and TCP"));
    assert!(stopped(&cut(14 << 22 | 54 << 14 | 100, 53)).contains("ends within its headers"));
    let many: Vec<Reference> = (0..65).map(|_| write(4, last | 60)).collect();
    assert!(stopped(&many).contains("does not fit into the queue"));
}

/// A DMA unit with a script, and its answers.
fn dma_script(script: &[Reference]) -> (Simulation, Vec<u32>) {
    let mut bench = Bench::new();
    let unit = bench.design.module("dma", "queue_dma", bench.domain, [("direction", "read")]);
    let contents = (0..BYTES).map(|byte| byte as u8).collect();
    let memories =
        [memory(&mut bench, "local", LOCAL, Vec::new()), memory(&mut bench, "host", HOST, contents)];
    for (bundle, memory) in ["local", "host"].into_iter().zip(memories) {
        connect(&mut bench, (unit, bundle), memory, 0);
    }
    let registers = bench.initiator((unit, "registers", 0), script, Stalls::NONE);
    let mut simulation = bench.start();
    simulation.run_until(Time::from_femtoseconds(1_000 * 1_000_000));
    let words = words(&registers, &mut simulation);
    (simulation, words)
}

#[test]
fn a_reset_dma_unit_discards_what_waits_and_completes_what_is_under_way() {
    let push = |place: u64| {
        [write(0x00, HOST >> 32), write(0x04, place), write(0x08, LOCAL + place), write(0x0c, 16)]
    };
    let first = [push(0x10), push(0x20)].concat();
    let progress = [Reference::read(0x18, 4), Reference::read(0x14, 4), Reference::read(0x10, 4)];
    for is_enabled in [false, true] {
        let mut script = if is_enabled { vec![write(0x18, 1)] } else { Vec::new() };
        script.extend_from_slice(&first);
        script.push(write(0x18, 2));
        script.extend([Reference::read(0x18, 4); 20]);
        let asked = script.len();
        script.extend(progress);
        script.extend(push(0x30));
        script.push(write(0x18, 1));
        script.extend([Reference::read(0x14, 4); 20]);
        let (mut simulation, words) = dma_script(&script);
        assert_eq!(words[asked..asked + 3], [0, 0, 64], "{is_enabled}");
        assert_eq!(words.last(), Some(&1));
        let transfers = counter(&mut simulation, "dma", "transfers");
        assert_eq!(contents(&mut simulation, "local", 0x30, 4), [0x30, 0x31, 0x32, 0x33]);
        if is_enabled {
            // The first one was under way, for at least the cycle of the next read.
            assert_eq!(words[asked - 20], 2);
            assert!((2..=3).contains(&transfers));
            assert_eq!(contents(&mut simulation, "local", 0x10, 2), [0x10, 0x11]);
        } else {
            assert_eq!(transfers, 1);
            assert_eq!(contents(&mut simulation, "local", 0x10, 0x20), [0; 0x20]);
        }
    }
}

#[test]
fn a_reset_mac_begins_with_another_frame_and_other_buffers() {
    let frame: Vec<u8> = (0..70).collect();
    let other: Vec<u8> = (100..170).collect();
    // The first frame is not complete when the MAC is reset.
    let mut transmits =
        vec![write(0x10, 1), write(0, 0), write(4, 70), write(0, 0), write(4, 70), write(0x10, 2)];
    transmits.extend([Reference::read(0x10, 4); 40]);
    transmits.extend([write(0x10, 1), write(0, 70), write(4, 1 << 31 | 70)]);
    transmits.extend([Reference::read(0x0c, 4); 20]);
    let mut receives = buffers(2);
    receives.push(write(0x10, 2));
    receives.extend([Reference::read(0x10, 4), Reference::read(0x08, 4)]);
    receives.extend([write(0, BUFFERS + 4 * BUFFER), write(4, BUFFER - 1), write(0x10, 1)]);
    let (bench, completions) = mac([frame, other.clone()].concat(), &transmits, &receives);
    let mut simulation = bench.start();
    simulation.run_until(Time::from_femtoseconds(1_000 * 1_000_000));
    assert_eq!(counter(&mut simulation, "transmit", "frames"), 1);
    assert_eq!(contents(&mut simulation, "memory", BUFFERS + 4 * BUFFER, 70), other);
    assert_eq!(contents(&mut simulation, "memory", BUFFERS, 70), [0; 70]);
    let words = words(&completions, &mut simulation);
    assert_eq!(words[6..8], [0, 64], "the reset is complete, and all descriptors are free");
    let received: Vec<u32> = words[receives.len()..].iter().copied().filter(|word| *word != 0).collect();
    assert_eq!(received, [1 << 31 | 70], "one frame");
}

/// Counters of a receiving queue behind a memory that answers 200 cycles later, to which eight frames come at once: one is damaged,
/// and one is cut.
fn received(
    payload: u64,
    limits: [u64; 2],
    buffers: u64,
    buffer_bytes: u64,
    control: u64,
) -> Vec<(String, u64)> {
    let traffic = format!(r#"{{"kind": "udp", "sizes": [{payload}]}}"#);
    let frames = [("traffic", ParameterValue::from(traffic)), ("count", 8_u64.into())];
    received_of(frames, limits, 0, [buffers, buffer_bytes], control)
}

/// The same of other frames, if those with a tag may be longer by `tag_bytes`.
fn received_of(
    frames: [(&str, ParameterValue); 2],
    limits: [u64; 2],
    tag_bytes: u64,
    [buffers, buffer_bytes]: [u64; 2],
    control: u64,
) -> Vec<(String, u64)> {
    let mut bench = Bench::new();
    let feeder = bench.design.module("feeder", "traffic_source", bench.domain, frames);
    let faults = [("damaged", vec![3_u64]), ("shortened", vec![5])];
    let faults = bench.design.module("faults", "wire_faults", bench.domain, faults);
    let [largest_frame, fifo] = limits;
    let parameters = [
        ("largest_frame", ParameterValue::from(largest_frame)),
        ("tag_bytes", tag_bytes.into()),
        ("fifo", Size(fifo).into()),
    ];
    let receive = bench.design.module("receive", "queue_receive", bench.domain, parameters);
    let memory = memory(&mut bench, "memory", 0, Vec::new());
    // The buffers are there before the frames.
    let [way, delay] =
        ["way", "delay"].map(|path| bench.design.module(path, "pipe", bench.domain, [("depth", 200_u64)]));
    for (from, to) in [
        ((feeder, "wire"), (faults, "input")),
        ((faults, "output"), (way, "input")),
        ((way, "output"), (receive, "wire")),
        ((receive, "frame_request"), (memory, "block_request")),
        ((memory, "block_response"), (delay, "input")),
        ((delay, "output"), (receive, "frame_response")),
    ] {
        bench.design.connect(from, to);
    }
    let give = |number: u64| [write(0, BUFFERS + number * BUFFER), write(4, buffer_bytes)];
    let script: Vec<Reference> =
        [write(0x10, control)].into_iter().chain((0..buffers).flat_map(give)).collect();
    let _ = bench.initiator((receive, "registers", 0), &script, Stalls::NONE);
    let mut simulation = bench.start();
    run_to(&mut simulation, 800);
    let reasons =
        ["disabled", "runt", "oversize", "bad_check_sequence", "fifo_full", "no_buffer", "buffer_too_small"];
    let names = reasons.map(|reason| format!("dropped_{reason}")).into_iter().chain(["frames".to_owned()]);
    let counts: Vec<(String, u64)> =
        names.map(|name| (name.clone(), counter(&mut simulation, "receive", &name))).collect();
    let dropped: u64 = counts[..reasons.len()].iter().map(|(_, count)| count).sum();
    let module = simulation.netlist().find_module("receive").expect("it is in the design");
    assert_eq!(simulation.state(module).expect("it is plain")["dropped"], dropped);
    counts.into_iter().filter(|(_, count)| *count > 0).collect()
}

#[test]
fn each_frame_of_a_queue_is_dropped_for_its_reason() {
    let counted = |expected: &[(&str, u64)]| -> Vec<(String, u64)> {
        expected.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    };
    let faulty = [("dropped_runt", 1), ("dropped_bad_check_sequence", 1)];
    let [runt, damaged] = faulty;
    // Six frames of 60 bytes fit exactly.
    assert_eq!(received(18, [60, 360], 8, 60, 1), counted(&[runt, damaged, ("frames", 6)]));
    assert_eq!(
        received(18, [60, 359], 8, 60, 1),
        counted(&[runt, damaged, ("dropped_fifo_full", 1), ("frames", 5)])
    );
    assert_eq!(received(19, [60, 4096], 8, 64, 1), counted(&[runt, ("dropped_oversize", 7)]));
    assert_eq!(received(18, [60, 360], 8, 59, 1), counted(&[runt, damaged, ("dropped_buffer_too_small", 6)]));
    assert_eq!(
        received(18, [60, 360], 5, 60, 1),
        counted(&[runt, damaged, ("dropped_no_buffer", 1), ("frames", 5)])
    );
    assert_eq!(received(18, [60, 360], 8, 60, 0), counted(&[("dropped_disabled", 8)]));
}

#[test]
fn only_a_frame_with_a_tag_may_be_longer() {
    // An untagged frame and a tagged one of each length.
    let frame = |kind: u16, length: usize| {
        let mut frame = [&[0; 12][..], &kind.to_be_bytes()].concat();
        frame.resize(length, 0);
        [&(length as u32).to_be_bytes()[..], &frame].concat()
    };
    let frames: Vec<u8> = [60, 64, 64, 65]
        .into_iter()
        .flat_map(|length| [frame(0x800, length), frame(0x8100, length)].concat())
        .collect();
    let counts = |tag_bytes| {
        let given = [("frames", ParameterValue::from(frames.clone())), ("count", 8_u64.into())];
        // The fourth frame is damaged, which counts only if its length is right; the sixth is cut.
        received_of(given, [60, 4096], tag_bytes, [8, 100], 1)
    };
    let counted = |expected: &[(&str, u64)]| -> Vec<(String, u64)> {
        expected.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    };
    let [runt, frames] = [("dropped_runt", 1), ("frames", 2)];
    let damaged = ("dropped_bad_check_sequence", 1);
    assert_eq!(counts(4), counted(&[runt, ("dropped_oversize", 4), damaged, frames]));
    assert_eq!(counts(0), counted(&[runt, ("dropped_oversize", 5), frames]));
}
