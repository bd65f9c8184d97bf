//! The packet mover: when a core sees packets, when they leave, and the flags of bad firmware.

use spinach_engine::{ModuleId, ParameterValue, Payload, Simulation, Size};
use spinach_modules::values::{Reference, Response, SlotPacket};

use super::support::{Bench, Initiator, Random, Stalls, counter, run_to, script, state};

const NONE: [(&str, u64); 0] = [];
const DATA: u64 = 0x80_0000;
const PACKETS: u64 = 0x100_0000;
const FLAGS: u64 = 0x9c;
const STATUS: u64 = 0x8c;

/// A packet mover whose core plays `requests`, packets without bytes for slots of these numbers, and sinks.
fn mover(requests: &[Reference], slots: &[u8]) -> (Bench, Initiator) {
    let (bench, _, core) = named_mover(requests, slots);
    (bench, core)
}

fn named_mover(requests: &[Reference], slots: &[u8]) -> (Bench, ModuleId, Initiator) {
    let mut bench = Bench::new();
    let mover = bench.design.module("mover", "packet_mover", bench.domain, NONE);
    let core = bench.initiator((mover, "core", 0), requests, Stalls::all()[0]);
    let packets: Vec<SlotPacket> = slots
        .iter()
        .map(|slot| SlotPacket { bytes: Payload::from_bits(0), slot: *slot, port: 1, core: None })
        .collect();
    let parameters: [(&str, ParameterValue); 1] = [("script", script(&packets).into())];
    let source = bench.design.module("packets", "test_source", bench.domain, parameters);
    bench.design.connect((source, "output"), (mover, "input"));
    sink(&mut bench, mover, "output");
    sink(&mut bench, mover, "message");
    (bench, mover, core)
}

fn sink(bench: &mut Bench, mover: ModuleId, port: &'static str) {
    let sink = bench.design.module(port, "test_sink", bench.domain, NONE);
    bench.design.connect((mover, port), (sink, "input"));
}

fn write(offset: u64, word: u32) -> Reference {
    Reference::write(offset, 4, word.into())
}

fn read(offset: u64) -> Reference {
    Reference::read(offset, 4)
}

fn answers(core: &Initiator, simulation: &mut Simulation) -> Vec<(u64, Response)> {
    core.responses::<Response>(simulation)
}

/// The last word that the core reads.
fn last(core: &Initiator, simulation: &mut Simulation) -> u32 {
    answers(core, simulation).last().map(|(_, response)| response.data as u32).expect("it reads")
}

#[test]
fn loads_from_the_packet_memory_take_two_cycles_more() {
    for (place, latency) in [(DATA, 1), (STATUS, 1), (PACKETS, 3)] {
        let (bench, core) = mover(&[read(place)], &[]);
        let mut simulation = bench.run(20);
        let requested = core.requested(&mut simulation)[0];
        assert_eq!(answers(&core, &mut simulation)[0].0, requested + latency, "{place:#x}");
    }
}

#[test]
fn memories_hold_what_is_stored_and_swap_its_bytes_on_demand() {
    for base in [DATA, PACKETS] {
        let swapped = base | 1 << 26;
        let requests = [write(base + 8, 0x1234_5678), read(base + 8), read(swapped + 8)];
        let (bench, core) = mover(&requests, &[]);
        let mut simulation = bench.run(40);
        let words: Vec<u128> =
            answers(&core, &mut simulation).iter().map(|(_, response)| response.data).collect();
        assert_eq!(words[1..], [0x1234_5678, 0x7856_3412]);
    }
}

#[test]
fn a_packet_is_visible_six_cycles_after_its_only_word() {
    let (bench, core) = mover(&[read(STATUS); 12], &[3]);
    let mut simulation = bench.run(40);
    let arrived: u64 =
        state::<serde_json::Value>(&mut simulation, "packets")["moved"][0].as_u64().expect("it came");
    let requested = core.requested(&mut simulation);
    let seen = answers(&core, &mut simulation).iter().position(|(_, response)| response.data & 1 != 0);
    assert_eq!(requested[seen.expect("it is seen")], arrived + 6);
}

#[test]
fn each_mistake_of_the_firmware_has_a_flag_that_stays_until_it_is_acknowledged() {
    let rest = [read(FLAGS); 12];
    let cases: [(&[Reference], &[u8], u32); 6] = [
        (&[write(0x28, 9)], &[], 1 << 12),
        (&[write(0x08, 3 << 16), write(0x28, 0)], &[], 1 << 11),
        (&[], &[3, 3], 1 << 10),
        (&[read(DATA + 0x10_0000)], &[], 1 << 17),
        (&[read(PACKETS + 0x80_0000)], &[], 1 << 18),
        (&[read(0x100)], &[], 1 << 19),
    ];
    for (mistake, slots, flag) in cases {
        let requests = [mistake, &rest].concat();
        let (bench, core) = mover(&requests, slots);
        let mut simulation = bench.run(60);
        assert_eq!(last(&core, &mut simulation) & !3, flag, "{flag:#x}");
        let (bench, core) = mover(&[&requests[..], &[write(0x3c, flag)], &rest].concat(), slots);
        let mut simulation = bench.run(60);
        assert_eq!(last(&core, &mut simulation) & !3, 0, "{flag:#x}");
    }
}

#[test]
fn a_duplicate_is_dropped_and_a_discarded_slot_is_announced() {
    let discard = [write(0x08, 3 << 16), write(0x2c, 1), write(0x28, 0)];
    let requests = [&[read(STATUS); 20][..], &discard].concat();
    let (bench, _) = mover(&requests, &[3, 3]);
    let mut simulation = bench.run(80);
    assert_eq!(counter(&mut simulation, "mover", "dropped_slot_in_use"), 1);
    assert_eq!(counter(&mut simulation, "mover", "discarded"), 1);
    let messages = &state::<serde_json::Value>(&mut simulation, "message")["received"];
    assert_eq!(messages.as_array().map(Vec::len), Some(1), "{messages}");
}

/// A mover with an interrupt line, whose host writes words to registers from cycle 20 on and whose core plays `requests`.
fn commanded(requests: &[Reference], commands: &[(u64, u32)]) -> (Bench, Initiator) {
    let (mut bench, mover, core) = named_mover(requests, &[]);
    let lines: Vec<Reference> = commands
        .iter()
        .map(|(register, word)| {
            let (line, byte) = (register / 4 * 16, register % 4 * 4);
            let write = Reference::write(line, 16, u128::from(*word) << (8 * byte));
            Reference { enables: 0xf << byte, ..write }
        })
        .collect();
    let parameters: [(&str, ParameterValue); 2] =
        [("script", script(&lines).into()), ("start", 20_u64.into())];
    let source = bench.design.module("host", "test_source", bench.domain, parameters);
    bench.design.connect((source, "output"), (mover, "control_request"));
    sink(&mut bench, mover, "control_response");
    sink(&mut bench, mover, "interrupt");
    (bench, core)
}

/// Cycles in which the interrupt line was up.
fn raised(simulation: &mut Simulation) -> usize {
    state::<serde_json::Value>(simulation, "interrupt")["received"].as_array().map_or(0, Vec::len)
}

#[test]
fn pokes_and_evictions_interrupt_if_they_are_enabled_and_until_they_are_acknowledged() {
    for (command, flag) in [(12_u64, 1 << 4), (13, 1 << 5)] {
        let command = (command, 1);
        // The core acknowledges after a number of accesses.
        let until_acknowledged = |accesses: usize| {
            let wait = vec![read(STATUS); accesses];
            let requests = [&[write(0x38, flag)], &wait[..], &[write(0x3c, flag)]].concat();
            let (bench, _) = commanded(&requests, &[command]);
            raised(&mut bench.run(400))
        };
        let (first, later) = (until_acknowledged(30), until_acknowledged(90));
        assert!(0 < first && first + 30 < later && later < 200, "{first} {later}");
        let wait = [read(STATUS); 30];
        let (bench, core) =
            commanded(&[&[write(0x38, !flag)], &wait[..], &[read(FLAGS)]].concat(), &[command]);
        let mut simulation = bench.run(400);
        assert_eq!(raised(&mut simulation), 0);
        assert_eq!(last(&core, &mut simulation) & !3, flag); // besides timer and packet
    }
}

#[test]
fn words_of_the_host_can_be_read() {
    let commands = [(8, 0xdead), (9, 0xbeef)];
    for (offset, word) in [(0xc0, 0xdead), (0xc4, 0xbeef)] {
        let (bench, core) = commanded(&[&[read(STATUS); 30][..], &[read(offset)]].concat(), &commands);
        let mut simulation = bench.run(200);
        assert_eq!(last(&core, &mut simulation), word);
    }
}

/// Registers 8 and 9 of the core, read by its host for some cycles: all bits that were set in any read, and the bits of the last read.
fn status_of(bench: &mut Bench, mover: ModuleId, cycles: u64) -> ([u32; 2], [u32; 2]) {
    let host = bench.initiator((mover, "control", 0), &vec![Reference::read(32, 16); 200], Stalls::all()[0]);
    let mut simulation = bench.run(cycles);
    let halves = |response: &Response| [response.data as u32, (response.data >> 32) as u32];
    let words: Vec<[u32; 2]> =
        host.responses::<Response>(&mut simulation).iter().map(|(_, response)| halves(response)).collect();
    let ever = words.iter().fold([0, 0], |all, word| [all[0] | word[0], all[1] | word[1]]);
    (ever, *words.last().expect("it is answered"))
}

/// Bit 17 of register 8: the core is in reset, as it is until its host starts it.
const IN_RESET: u32 = 1 << 17;

#[test]
fn the_host_reads_errors_of_access_until_they_are_acknowledged() {
    let cases = [
        (write(DATA + 0x10_0000, 1), 1 << 1),
        (read(PACKETS + 0x80_0000), 1 << 2),
        (read(0x100), 1 << 3),
        (read(0x40_0000), 1 << 4),
    ];
    for (mistake, bit) in cases {
        let flag = if bit == 1 << 4 { 1 << 9 } else { bit << 16 };
        for acknowledges in [false, true] {
            let requests = [&[mistake], &[read(STATUS); 12][..], &[write(0x3c, flag)]].concat();
            let requests = if acknowledges { &requests[..] } else { &requests[..13] };
            let (mut bench, mover, _) = named_mover(requests, &[]);
            if bit == 1 << 4 {
                let parameters: [(&str, ParameterValue); 2] =
                    [("script", script(&[Response::FAULT]).into()), ("start", 20_u64.into())];
                let source = bench.design.module("accelerator", "test_source", bench.domain, parameters);
                bench.design.connect((source, "output"), (mover, "accelerator_response"));
                sink(&mut bench, mover, "accelerator_request");
            }
            let (ever, last) = status_of(&mut bench, mover, 120);
            assert_eq!(ever, [IN_RESET | bit, 0], "{bit:#x}");
            assert_eq!(last[0] & bit != 0, !acknowledges, "{bit:#x}");
        }
    }
}

#[test]
fn the_host_reads_which_queues_are_full() {
    let (own, send) = (write(0x0c, PACKETS as u32), write(0x28, 0));
    let long = [write(0x08, 9000), own];
    let store = [write(PACKETS, 7); 60];
    // A descriptor that is written while the one before leaves its register is lost.
    let sends = |count| [send, read(STATUS)].repeat(count);
    let cases: [(Vec<Reference>, [u32; 2]); 5] = [
        (vec![], [0, 0]),
        // 16 packets wait behind the one that leaves.
        ([&long[..], &sends(17)].concat(), [0, 1 << 5]),
        ([&long[..], &sends(16)].concat(), [0, 0]),
        // The stores to the broadcast region stay in their queue.
        (vec![write(DATA + 0x7f00, 7); 17], [0, 1]),
        // The core uses the bank that departing words wait for.
        ([&[write(0x08, 96), own, send], &store[..]].concat(), [1 << 10, 0]),
    ];
    for (requests, [of_core, of_queues]) in cases {
        let (mut bench, mover, _) = named_mover(&requests, &[]);
        let stuck = bench.design.module("stuck", "test_sink", bench.domain, [("stall_percent", 100_u64)]);
        bench.design.connect((mover, "broadcast"), (stuck, "input"));
        let (ever, _) = status_of(&mut bench, mover, 300);
        assert_eq!(ever, [IN_RESET | of_core, of_queues]);
    }
}

#[test]
fn the_host_reads_that_arriving_words_wait_for_a_bank_of_the_core() {
    // The packet of 160 bytes comes back to slot 3, while the core stores to one bank, or to both in turn.
    let go = [write(0x08, 3 << 16 | 160), write(0x0c, PACKETS as u32), write(0x28, 0)];
    let (one, both) = ([write(PACKETS, 7); 80], [write(PACKETS, 7), write(PACKETS + 16, 7)].repeat(2));
    for (stores, bit) in [(&one[..], 1 << 9), (&both[..], 0)] {
        let requests = [&go, &[read(STATUS); 40][..], stores].concat();
        let mut bench = Bench::new();
        let mover = bench.design.module("mover", "packet_mover", bench.domain, NONE);
        bench.initiator((mover, "core", 0), &requests, Stalls::all()[0]);
        let pipe = bench.design.module("pipe", "pipe", bench.domain, [("depth", 30_u64)]);
        bench.design.connect((mover, "output"), (pipe, "input"));
        bench.design.connect((pipe, "output"), (mover, "input"));
        sink(&mut bench, mover, "message");
        let (ever, _) = status_of(&mut bench, mover, 300);
        assert_eq!(ever[0] & 1 << 9, bit);
    }
}

#[test]
fn the_host_reads_that_descriptors_for_its_memory_wait() {
    let order = |kind| [write(0x08, 16), write(0x0c, PACKETS as u32), write(0x28, kind)];
    for (orders, bits) in [(9, 3 << 2), (7, 0)] {
        for kind in [4, 5] {
            let (mut bench, mover, _) = named_mover(&order(kind).repeat(orders), &[]);
            let stuck = bench.design.module("stuck", "test_sink", bench.domain, [("stall_percent", 100_u64)]);
            bench.design.connect((mover, "host_request"), (stuck, "input"));
            let parameters: [(&str, ParameterValue); 1] = [("script", Vec::<u64>::new().into())];
            let none = bench.design.module("none", "test_source", bench.domain, parameters);
            bench.design.connect((none, "output"), (mover, "host_response"));
            let (ever, _) = status_of(&mut bench, mover, 300);
            assert_eq!(ever[1], bits, "{orders} of type {kind}");
        }
    }
}

/// Firmware without a plan: it sends packets of any length from anywhere, takes what it receives, and uses memories and registers.
fn aimless(random: &mut Random) -> Vec<Reference> {
    let slots = (1..=8).flat_map(|slot: u32| {
        [
            write(0x18, slot << 24 | slot << 7),
            write(0x34, 1),
            write(0x18, 1 << 31 | slot << 24 | slot << 8),
            write(0x34, 1),
        ]
    });
    let steps = (0..150).flat_map(|_| {
        let [place, number] = [random.below(0xf00) & !3, random.below(1 << 16)];
        let (slot, length) = (random.below(9) as u32, random.below(200) as u32);
        match random.below(9) {
            0..3 => vec![
                write(0x08, slot << 16 | length | (random.below(2) as u32) << 24),
                write(
                    0x0c,
                    [PACKETS, DATA][random.below(4) as usize / 3] as u32 + random.below(0x300) as u32,
                ),
                write(0x28, [0, 0, 0, 0, 1, 3, 9][random.below(7) as usize]),
            ],
            3 => vec![write(0x2c, 1), write(0x3c, number as u32 | 3 << 16)],
            4 => vec![write(0x38, number as u32 & 0xffff), write(0x1c, 5 + random.below(60) as u32)],
            5 => vec![read(FLAGS), read(STATUS), read(0x80), read(0xd4), read(0xd8)],
            6 => vec![read(PACKETS + place), write(PACKETS + place, number as u32)],
            // Beyond the memory, one time in four.
            7 if number & 3 == 0 => vec![read(DATA + 0x1000 + place), read(0x94), read(FLAGS)],
            7 => vec![write(DATA + place, number as u32); 3],
            _ => vec![read(0x94); random.below(30) as usize],
        }
    });
    slots.chain(steps).collect()
}

/// A mover with such firmware, whose packets and broadcast stores come back to it, and sinks that refuse now and then.
fn looped(seed: u64) -> Bench {
    let random = &mut Random::new(seed);
    let mut bench = Bench::new();
    let parameters: [(&str, ParameterValue); 5] = [
        ("packet_memory", Size(4096).into()),
        ("data_memory", Size(4096).into()),
        ("broadcast_region", Size(256).into()),
        ("identity", (random.below(2) as u32).into()),
        ("sender_cycles", [11_u32, 0, 5][random.below(3) as usize].into()),
    ];
    let mover = bench.design.module("mover", "packet_mover", bench.domain, parameters);
    bench.initiator((mover, "core", 0), &aimless(random), Stalls::all()[random.below(4) as usize]);
    let depth = [("depth", 1 + random.below(9))];
    for (output, input) in [("output", "input"), ("broadcast", "heard")] {
        let pipe = bench.design.module(output, "pipe", bench.domain, depth);
        bench.design.connect((mover, output), (pipe, "input"));
        bench.design.connect((pipe, "output"), (mover, input));
    }
    for port in ["message", "interrupt", "timer_interrupt"] {
        let parameters = [("stall_percent", 40 * random.below(2)), ("seed", random.below(99))];
        let sink = bench.design.module(port, "test_sink", bench.domain, parameters);
        bench.design.connect((mover, port), (sink, "input"));
    }
    bench
}

// One that was restored examines everything in its next cycle, which it does not where only words of packets move and the core makes
// simple references.
#[test]
fn a_mover_misses_nothing_while_only_words_move() {
    let (mut sent, mut received) = (0, 0);
    for seed in 0..5 {
        let bench = looped(seed);
        let [mut direct, mut examined] = [bench.start(), bench.start()];
        direct.set_sleeping(false);
        examined.set_sleeping(false);
        for cycle in 1..900 {
            run_to(&mut direct, cycle);
            run_to(&mut examined, cycle);
            let saved = examined.checkpoint().expect("every state can be saved");
            examined.restore(&saved).expect("it is its own");
            if cycle % 13 == 0 {
                assert!(
                    direct.checkpoint().expect("every state can be saved") == saved,
                    "seed {seed}, cycle {cycle}"
                );
            }
        }
        sent += counter(&mut direct, "mover", "sent");
        received += counter(&mut direct, "mover", "received");
    }
    assert!(sent > 40 && received > 8, "{sent} {received}");
}
