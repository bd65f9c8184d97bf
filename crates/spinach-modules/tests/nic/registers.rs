//! Registers of modules that firmware sets up: every one holds what was written, and refuses what is out of range.

use spinach_engine::Size;
use spinach_modules::values::{Reference, Response};

use super::support::{Bench, Initiator, Stalls};

const NONE: [(&str, u64); 0] = [];
const OK: Option<u32> = Some(0);

fn write(offset: u64, word: u32) -> Reference {
    Reference::write(offset, 4, u128::from(word.swap_bytes()))
}

fn read(offset: u64) -> Reference {
    Reference::read(offset, 4)
}

/// The references of an initiator, and the words of their responses: `None` for a fault.
fn compare(
    mut bench: Bench,
    place: (spinach_engine::ModuleId, &str, usize),
    asked: &[(Reference, Option<u32>)],
) {
    let references: Vec<Reference> = asked.iter().map(|(reference, _)| *reference).collect();
    let registers: Initiator = bench.initiator(place, &references, Stalls::NONE);
    let mut simulation = bench.run(20 * asked.len() as u64);
    let responses = registers.responses::<Response>(&mut simulation);
    assert_eq!(responses.len(), asked.len());
    for ((reference, expected), (_, response)) in asked.iter().zip(responses) {
        let word = (!response.is_fault).then_some((response.data as u32).swap_bytes());
        assert_eq!(word, *expected, "{reference:?}");
    }
}

#[test]
fn flow_steering_holds_its_registers() {
    const LANES: u64 = 0x40;
    const ENTRY: u64 = 0x44;
    const LANE: u64 = 0x48;
    const TYPES: u64 = 0x4c;
    const UNCLASSIFIED: u64 = 0x50;
    const FILTER: u64 = 0x54;
    const ADDRESS: u64 = 0x58;
    const HIGH: u64 = 0x5c;
    const LOW: u64 = 0x60;
    const VLAN_WORD: u64 = 0x64;
    const VLANS: u64 = 0x68;
    let mut bench = Bench::new();
    let parameters = [("entries", 8_u64), ("addresses", 2)];
    let steering = bench.design.module("steering", "flow_steering", bench.domain, parameters);
    let source = bench.design.module("frames", "traffic_source", bench.domain, [("count", 0_u64)]);
    bench.design.connect((source, "wire"), (steering, "input"));
    for lane in 0..3 {
        let sink = bench.design.module(format!("sink{lane}"), "packet_sink", bench.domain, NONE);
        bench.design.connect_lanes((steering, "output", lane), (sink, "wire", 0));
    }
    // The key of the documented examples, whose last word is the tenth.
    let mut asked = vec![
        (read(0x00), Some(0x6d5a_56da)),
        (read(0x24), Some(0xbeac_01fa)),
        (write(0x24, 0x0102_0304), OK),
        (read(0x24), Some(0x0102_0304)),
        (read(0x20), Some(0x6a42_b73b)),
        (read(0x28), None),
        (write(0x28, 1), None),
        (read(LANES), Some(1)),
        (write(LANES, 0), None),
        (write(LANES, 4), None),
        (write(LANES, 3), OK),
        (read(LANES), Some(3)),
    ];
    // Entry n names lane n modulo 3; there are three lanes and eight entries.
    for entry in [0, 1, 5, 7] {
        asked.extend([(write(ENTRY, entry), OK), (read(ENTRY), Some(entry)), (read(LANE), Some(entry % 3))]);
    }
    asked.extend([
        (write(LANE, 2), OK),
        (read(LANE), Some(2)),
        (write(LANE, 3), None),
        (read(LANE), Some(2)),
    ]);
    asked.extend([(write(ENTRY, 8), OK), (read(LANE), None), (write(LANE, 0), None)]);
    for (offset, before, word) in [(TYPES, 0x3f, 5), (UNCLASSIFIED, 0, 2), (FILTER, 0, 9)] {
        asked.extend([(read(offset), Some(before)), (write(offset, word), OK), (read(offset), Some(word))]);
    }
    asked.extend([(write(UNCLASSIFIED, 3), None), (read(UNCLASSIFIED), Some(2))]);
    for (select, words, selected, behind) in
        [(ADDRESS, &[HIGH, LOW][..], 1, 2), (VLAN_WORD, &[VLANS], 127, 128)]
    {
        asked.extend([(write(select, selected), OK), (read(select), Some(selected))]);
        for (word, value) in words.iter().zip(7..) {
            asked.extend([(read(*word), OK), (write(*word, value), OK), (read(*word), Some(value))]);
        }
        asked.push((write(select, behind), OK));
        for word in words {
            asked.extend([(read(*word), None), (write(*word, 1), None)]);
        }
        asked.extend([(write(select, 0), OK), (read(words[0]), OK)]);
    }
    asked.extend([(read(0x6c), None), (write(0x6c, 0), None)]);
    compare(bench, (steering, "registers", 0), &asked);
}

#[test]
fn interrupts_count_while_they_are_masked() {
    const RAISE: u64 = 0x00;
    const MASK: u64 = 0x04;
    const HOLD_OFF: u64 = 0x08;
    let mut bench = Bench::new();
    let interrupt = bench.design.module("interrupt", "interrupt", bench.domain, NONE);
    let raised = bench.design.module("raised", "test_sink", bench.domain, NONE);
    bench.design.connect((interrupt, "raised"), (raised, "input"));
    let asked = [
        (read(MASK), OK),
        (write(MASK, 1), OK),
        (read(MASK), Some(1)),
        (write(RAISE, 7), OK),
        (write(RAISE, 0), OK),
        (read(RAISE), Some(2)),
        (write(HOLD_OFF, 3), OK),
        (read(HOLD_OFF), Some(3)),
        (write(MASK, 2), OK),
        (read(MASK), OK),
        (read(RAISE), OK),
        (read(0x0c), None),
        (write(0x0c, 1), None),
    ];
    compare(bench, (interrupt, "registers", 0), &asked);
}

#[test]
fn an_interrupt_controller_enables_sources_for_each_line() {
    const ENABLED: u64 = 0x00;
    let mut bench = Bench::new();
    let controller = bench.design.module("unit", "interrupt_controller", bench.domain, [("enabled", 5_u64)]);
    for lane in 0..2 {
        let line = bench.design.module(format!("line{lane}"), "test_sink", bench.domain, NONE);
        bench.design.connect_lanes((controller, "output", lane), (line, "input", 0));
    }
    let asked = [
        (read(ENABLED), Some(5)),
        (read(ENABLED + 4), Some(5)),
        (write(ENABLED + 4, 0x8000_0002), OK),
        (read(ENABLED), Some(5)),
        (read(ENABLED + 4), Some(0x8000_0002)),
        (read(ENABLED + 8), None),
        (write(ENABLED + 8, 1), None),
    ];
    compare(bench, (controller, "registers", 0), &asked);
}

#[test]
fn a_timer_says_what_it_was_given() {
    const COMPARE: u64 = 0x04;
    const CONTROL: u64 = 0x08;
    let mut bench = Bench::new();
    let timer = bench.design.module("timer", "timer", bench.domain, NONE);
    let asked = [
        (read(CONTROL), OK),
        (write(COMPARE, 9), OK),
        (read(COMPARE), Some(9)),
        (write(CONTROL, 3), OK),
        (read(CONTROL), Some(1)),
        (write(CONTROL, 2), OK),
        (read(CONTROL), OK),
        (write(0x00, 1), None),
        (read(0x10), None),
    ];
    compare(bench, (timer, "registers", 0), &asked);
}

/// Registers of the ring of an assist whose firmware advances the index at `advanced`; the hardware advances the other.
fn of_ring(advanced: u64, other: u64) -> Vec<(Reference, Option<u32>)> {
    const CONTROL: u64 = 0x14;
    const STATUS: u64 = 0x18;
    let mut asked = Vec::new();
    // Address, number of entries, own index and address of the progress word.
    for (offset, before, word) in [(0x00, 0, 0x100), (0x04, 1, 8), (advanced, 0, 0), (0x10, 0, 0x40)] {
        asked.extend([(read(offset), Some(before)), (write(offset, word), OK), (read(offset), Some(word))]);
    }
    for entries in [0, 3, 12] {
        asked.push((write(0x04, entries), None));
    }
    asked.extend([(read(0x04), Some(8)), (read(other), OK), (write(other, 1), None)]);
    for (word, held) in [(3, 1), (2, 0), (1, 1)] {
        asked.extend([(write(CONTROL, word), OK), (read(CONTROL), Some(held))]);
    }
    asked.extend([(read(STATUS), OK), (write(STATUS, 1), None)]);
    asked
}

#[test]
fn assists_of_a_mac_hold_their_registers() {
    const PRODUCER: u64 = 0x08;
    const CONSUMER: u64 = 0x0c;
    const BUFFER: [u64; 4] = [0x20, 0x24, 0x28, 0x2c];
    const DROPPED: u64 = 0x30;
    let reserved = [(read(0x1c), None), (write(0x1c, 0), None)];
    let mut receive = of_ring(CONSUMER, PRODUCER);
    receive.extend(reserved);
    // Address and size are multiples of the alignment; both indices begin at the address.
    receive.extend([(read(BUFFER[0]), OK), (write(BUFFER[0], 0x208), None), (write(BUFFER[0], 0x200), OK)]);
    receive.extend([(read(BUFFER[1]), OK), (write(BUFFER[1], 0x108), None), (write(BUFFER[1], 0x400), OK)]);
    for (offset, word) in BUFFER.into_iter().zip([0x200, 0x400, 0x200, 0x200]) {
        receive.push((read(offset), Some(word)));
    }
    receive.extend([(write(BUFFER[2], 0x210), None), (write(BUFFER[3], 0x210), OK)]);
    receive.extend([(read(BUFFER[2]), Some(0x200)), (read(BUFFER[3]), Some(0x210))]);
    receive.extend([
        (read(DROPPED), OK),
        (write(DROPPED, 1), None),
        (read(0x34), None),
        (write(0x34, 0), None),
    ]);
    let mut transmit = of_ring(PRODUCER, CONSUMER);
    transmit.extend(reserved);
    for (kind, asked) in [("mac_receive_assist", receive), ("mac_transmit_assist", transmit)] {
        let mut bench = Bench::new();
        let assist = bench.design.module("assist", kind, bench.domain, NONE);
        let memory =
            bench.design.module("memory", "multiported_memory", bench.domain, [("size", Size(0x1000))]);
        for (bundle, port) in [("control", "port"), ("frame", "block")] {
            bench
                .design
                .connect((assist, &format!("{bundle}_request")), (memory, &format!("{port}_request")));
            bench
                .design
                .connect((memory, &format!("{port}_response")), (assist, &format!("{bundle}_response")));
        }
        if kind == "mac_receive_assist" {
            let source = bench.design.module("frames", "traffic_source", bench.domain, [("count", 0_u64)]);
            bench.design.connect((source, "wire"), (assist, "wire"));
        } else {
            let sink = bench.design.module("frames", "packet_sink", bench.domain, NONE);
            bench.design.connect((assist, "wire"), (sink, "wire"));
        }
        compare(bench, (assist, "registers", 0), &asked);
    }
}

/// The rows of one register: its content before, a written word, and its content after; without a word it can only be read.
fn of_register(offset: u64, before: u32, written: Option<(u32, u32)>) -> [(Reference, Option<u32>); 3] {
    let (word, after) = written.unwrap_or((1, before));
    [(read(offset), Some(before)), (write(offset, word), written.and(OK)), (read(offset), Some(after))]
}

#[test]
fn queues_hold_their_registers() {
    // One descriptor waits, and a reset drops it.
    let of_queue = |descriptor: u64, free: u64, control: u64| {
        vec![
            (read(descriptor), None),
            (read(free), Some(64)),
            (write(descriptor, 60), OK),
            (read(free), Some(63)),
            (write(free, 64), None),
            (read(control), OK),
            (write(control, 2), OK),
            (read(free), Some(64)),
            (read(control), OK),
            (write(control, 4), OK),
            (read(control), OK),
            (write(control, 5), OK),
            (read(control), Some(1)),
            (write(control, 0), OK),
            (read(control), OK),
        ]
    };
    let receive: Vec<_> = of_register(0x00, 0, Some((0x700, 0x700)))
        .into_iter()
        .chain(of_queue(0x04, 0x08, 0x10))
        .chain([0x0c, 0x14, 0x18].into_iter().flat_map(|offset| of_register(offset, 0, None)))
        .chain([(read(0x1c), None), (write(0x1c, 0), None)])
        .collect();
    let transmit: Vec<_> = of_register(0x00, 0, Some((0x700, 0x700)))
        .into_iter()
        .chain(of_queue(0x04, 0x08, 0x10))
        .chain(of_register(0x0c, 0, None))
        .chain([(read(0x14), None), (write(0x14, 0), OK), (read(0x18), None), (write(0x18, 0), None)])
        .collect();
    let dma: Vec<_> = [0x00, 0x04, 0x08]
        .into_iter()
        .flat_map(|offset| of_register(offset, 0, Some((0x700 + offset as u32, 0x700 + offset as u32))))
        .chain(of_queue(0x0c, 0x10, 0x18))
        .chain([0x14, 0x1c, 0x20].into_iter().flat_map(|offset| of_register(offset, 0, None)))
        .chain([(read(0x24), None), (write(0x24, 0), None)])
        .collect();
    for (kind, bundles, asked) in [
        ("queue_receive", &["frame"][..], receive),
        ("queue_transmit", &["frame"], transmit),
        ("queue_dma", &["local", "host"], dma),
    ] {
        let mut bench = Bench::new();
        let direction = [("direction", "read")];
        let direction = if kind == "queue_dma" { &direction[..] } else { &[] };
        let queue = bench.design.module("queue", kind, bench.domain, direction.to_vec());
        let memory =
            bench.design.module("memory", "multiported_memory", bench.domain, [("size", Size(0x1000))]);
        for (lane, bundle) in bundles.iter().enumerate() {
            let [request, response] = ["request", "response"].map(|role| format!("{bundle}_{role}"));
            bench.design.connect_lanes((queue, &request, 0), (memory, "block_request", lane));
            bench.design.connect_lanes((memory, "block_response", lane), (queue, &response, 0));
        }
        if kind == "queue_receive" {
            let source = bench.design.module("frames", "traffic_source", bench.domain, [("count", 0_u64)]);
            bench.design.connect((source, "wire"), (queue, "wire"));
        } else if kind == "queue_transmit" {
            let sink = bench.design.module("frames", "packet_sink", bench.domain, NONE);
            bench.design.connect((queue, "wire"), (sink, "wire"));
        }
        compare(bench, (queue, "registers", 0), &asked);
    }
}
