//! Assists alone: registers, alignment, order, timing, what stops the simulation.

use spinach_engine::{ModuleId, Outcome, ParameterValue, Simulation, Size, Time};
use spinach_modules::dma::descriptors::{DmaDescriptor, MacDescriptor};
use spinach_modules::parts::registers::ring_offset;
use spinach_modules::values::{Access, Reference, Response};

use super::support::{Bench, Initiator, Random, Stalls, record, value};

const RING: u64 = 0x100;
const PROGRESS: u64 = 0x40;
const FRAMES: u64 = 0x8000_0000;
const HOST: u64 = 0x1_0000_0000;

/// Data of a word in a reference.
fn data(word: u32) -> u128 {
    u128::from(word.swap_bytes())
}

fn write(offset: u32, word: u32) -> Reference {
    Reference::write(u64::from(offset), 4, data(word))
}

/// Sets the ring up, enables the assist, then makes `producer` descriptors available.
fn set_up(entries: u32, producer: u32) -> Vec<Reference> {
    vec![
        write(ring_offset::BASE, RING as u32),
        write(ring_offset::ENTRIES, entries),
        write(ring_offset::PROGRESS, PROGRESS as u32),
        write(ring_offset::CONTROL, 1),
        write(ring_offset::PRODUCER, producer),
    ]
}

struct Dma {
    bench: Bench,
    control: ModuleId,
    frames: ModuleId,
    host: ModuleId,
    registers: Initiator,
}

/// A DMA assist between three memories that answer in the next cycle.
fn dma(
    direction: &str,
    width: u64,
    descriptors: &[DmaDescriptor],
    script: &[Reference],
    stalls: Stalls,
) -> Dma {
    let mut bench = Bench::new();
    let assist = bench.design.module(
        "assist",
        "dma_assist",
        bench.domain,
        [("direction", ParameterValue::from(direction)), ("control_width", width.into())],
    );
    let ring: Vec<u8> = descriptors.iter().flat_map(|descriptor| descriptor.to_bytes()).collect();
    let mut memory = |path: &str, base: u64, contents: Vec<u8>| {
        let parameters: [(&str, ParameterValue); 4] = [
            ("size", Size(0x1_0000).into()),
            ("base", base.into()),
            ("contents", contents.into()),
            ("contents_offset", RING.into()),
        ];
        bench.design.module(path, "multiported_memory", bench.domain, parameters)
    };
    let (control, frames, host) =
        (memory("control", 0, ring), memory("frames", FRAMES, vec![]), memory("host", HOST, vec![]));
    for (bundle, memory, port) in
        [("control", control, "port"), ("frame", frames, "block"), ("host", host, "block")]
    {
        bench.design.connect((assist, &format!("{bundle}_request")), (memory, &format!("{port}_request")));
        bench.design.connect((memory, &format!("{port}_response")), (assist, &format!("{bundle}_response")));
    }
    let registers = bench.initiator((assist, "registers", 0), script, stalls);
    Dma { bench, control, frames, host, registers }
}

fn read_bytes(simulation: &mut Simulation, memory: ModuleId, address: u64, bytes: &mut [u8]) {
    assert!(simulation.contents(memory).expect("it is a memory").read(address, bytes));
}

#[test]
fn transfers_of_any_length_and_alignment_arrive_whole_and_alone() {
    for (direction, width) in
        [("read", 1), ("read", 4), ("read", 16), ("write", 2), ("write", 4), ("write", 8)]
    {
        let mut random = Random::new(width);
        let mut locals = [0x2000, FRAMES + 3];
        let mut host = HOST + 5;
        let mut place = |random: &mut Random| {
            let length = random.below(4).min(1) * random.below(200);
            let local = &mut locals[random.below(2) as usize];
            let descriptor = DmaDescriptor { host, local: *local as u32, length: length as u16 };
            *local += length + random.below(3);
            host += length + random.below(3);
            descriptor
        };
        let descriptors: Vec<DmaDescriptor> = (0..100).map(|_| place(&mut random)).collect();
        let dma = dma(direction, width, &descriptors, &set_up(128, 100), Stalls::NONE);
        let mut simulation = dma.bench.start();
        let mut expected = [vec![0u8; 0x1_0000], vec![0; 0x1_0000], vec![0; 0x1_0000]];
        let memories = [(dma.control, 0), (dma.frames, FRAMES), (dma.host, HOST)];
        for (bytes, (memory, base)) in expected.iter_mut().zip(memories) {
            bytes[0x1000..].fill_with(|| random.next() as u8);
            bytes[..0x1000].fill(0);
            if base == 0 {
                read_bytes(&mut simulation, memory, 0, &mut bytes[..0x1000]);
            }
            assert!(simulation.contents(memory).expect("it is a memory").write(0, bytes));
        }
        for DmaDescriptor { host, local, length } in &descriptors {
            let (local_memory, base) = if u64::from(*local) < FRAMES { (0, 0) } else { (1, FRAMES) };
            let (local, host) = ((u64::from(*local) - base) as usize, (host - HOST) as usize);
            let (from, to) = if direction == "read" {
                ((2, host), (local_memory, local))
            } else {
                ((local_memory, local), (2, host))
            };
            let bytes = expected[from.0][from.1..from.1 + usize::from(*length)].to_vec();
            expected[to.0][to.1..to.1 + bytes.len()].copy_from_slice(&bytes);
        }
        expected[0][PROGRESS as usize..PROGRESS as usize + 4].copy_from_slice(&100u32.to_be_bytes());
        simulation.run_until(Time::from_femtoseconds(40_000_000_000));
        for (expected, (memory, base)) in expected.iter().zip(memories) {
            let mut bytes = vec![0; 0x1_0000];
            read_bytes(&mut simulation, memory, 0, &mut bytes);
            let differs = bytes.iter().zip(expected).position(|(byte, expected)| byte != expected);
            assert_eq!(differs, None, "{direction} {width}: memory at {base:#x}");
        }
        assert_eq!(simulation.stored_payloads(), 0);
    }
}

#[test]
fn a_transfer_takes_exactly_its_cycles() {
    let descriptor = DmaDescriptor { host: HOST, local: FRAMES as u32, length: 64 };
    let dma = dma("read", 4, &[descriptor], &set_up(1, 1), Stalls::NONE);
    let mut simulation = dma.bench.start();
    let channels = [("control_request", 4), ("host_request", 1), ("frame_request", 1)];
    let recordings = channels.map(|(port, _)| record(&mut simulation, "assist", port));
    super::support::run_to(&mut simulation, 60);
    let began = *dma.registers.requested(&mut simulation).last().expect("the producer was written");
    let presented = recordings.map(|recording| {
        let recording = recording.lock().expect("no thread panicked");
        let cycles = recording.iter().enumerate().filter(|(_, (words, _))| words.is_some());
        cycles.map(|(cycle, _)| cycle as u64 - began).collect::<Vec<_>>()
    });
    // The write takes effect in the next cycle; four words of descriptor; each memory answers in the cycle after it is asked, and the
    // next is asked in the cycle after its answer; last comes the progress word.
    assert_eq!(presented, [vec![2, 3, 4, 5, 11], vec![7], vec![9]]);
}

#[test]
fn transfers_that_fill_the_fifo_exactly_overlap() {
    let descriptor = |number: u64| DmaDescriptor {
        host: HOST + 64 * number,
        local: (FRAMES + 64 * number) as u32,
        length: 64,
    };
    let asked = |fifo: u64| {
        let mut dma = dma("read", 16, &[descriptor(0), descriptor(1)], &set_up(2, 2), Stalls::NONE);
        let assist = dma.bench.design.modules.values_mut().find(|module| module.path == "assist");
        assist.expect("it was made").parameters.push(("fifo".to_owned(), Size(fifo).into()));
        let mut simulation = dma.bench.start();
        let recording = record(&mut simulation, "assist", "host_request");
        super::support::run_to(&mut simulation, 60);
        let recording = recording.lock().expect("no thread panicked");
        let asked = (0_u64..).zip(recording.iter()).filter(|(_, (words, _))| words.is_some());
        asked.map(|(cycle, _)| cycle).collect::<Vec<_>>()
    };
    let (exact, short) = (asked(128), asked(127));
    assert_eq!((exact.len(), short.len()), (2, 2));
    // The first transfer leaves the FIFO once it is stored: two requests and two answers after the first cycle.
    assert_eq!(exact[1] - exact[0], 1);
    assert_eq!(short[1] - short[0], 4);
}

#[test]
fn registers_read_as_written_and_refuse_what_they_cannot_hold() {
    let byte = Reference { size: 1, enables: 1, ..Reference::read(0, 4) };
    let atomic = Reference { access: Access::LoadLinked, ..Reference::read(0, 4) };
    let script = [
        (write(ring_offset::BASE, 0x1234), Some(0)),
        (write(ring_offset::ENTRIES, 64), Some(0)),
        (write(ring_offset::ENTRIES, 63), None),
        (write(ring_offset::PROGRESS, 0x44), Some(0)),
        (write(ring_offset::CONSUMER, 1), None),
        (write(ring_offset::STATUS, 1), None),
        (write(0x1c, 1), None),
        (byte, None),
        (atomic, None),
        (Reference::read(0xabcd_0000, 4), Some(0x1234)),
        (Reference::read(0x04, 4), Some(64)),
        (Reference::read(0x08, 4), Some(0)),
        (Reference::read(0x0c, 4), Some(0)),
        (Reference::read(0x10, 4), Some(0x44)),
        (Reference::read(0x14, 4), Some(0)),
        (Reference::read(0x18, 4), Some(0)),
        (Reference::read(0x1c, 4), None),
    ];
    let references: Vec<Reference> = script.iter().map(|(reference, _)| *reference).collect();
    for stalls in Stalls::all() {
        let dma = dma("read", 4, &[], &references, stalls);
        let mut simulation = dma.bench.run(400);
        let answers = dma.registers.responses::<Response>(&mut simulation);
        assert_eq!(answers.len(), script.len());
        for ((reference, expected), (_, answer)) in script.iter().zip(answers) {
            assert_eq!(answer.is_fault, expected.is_none(), "{reference:x?}");
            assert_eq!(answer.data, data(expected.unwrap_or(0)), "{reference:x?}");
        }
    }
}

#[test]
fn a_transfer_goes_on_from_a_checkpoint_as_if_nothing_had_happened() {
    let descriptor = |number: u64| DmaDescriptor {
        host: HOST + 100 * number,
        local: [0x2000, FRAMES][number as usize % 2] as u32 + 90 * number as u32,
        length: 90,
    };
    let descriptors: Vec<DmaDescriptor> = (0..8).map(descriptor).collect();
    let dma = dma("write", 4, &descriptors, &set_up(8, 8), Stalls::NONE);
    let states = |simulation: &mut Simulation| {
        let modules: Vec<ModuleId> = simulation.netlist().modules.iter().map(|(id, _)| id).collect();
        modules
            .into_iter()
            .map(|module| simulation.state(module).expect("states are plain"))
            .collect::<Vec<_>>()
    };
    let expected = states(&mut dma.bench.run(400));
    for cycle in (5..200).step_by(7) {
        let checkpoint = dma.bench.run(cycle).checkpoint().expect("everything can be saved");
        let mut simulation = dma.bench.start();
        simulation.restore(&checkpoint).expect("it is of the same design");
        super::support::run_to(&mut simulation, 400);
        assert_eq!(states(&mut simulation), expected, "from cycle {cycle}");
    }
}

/// Why the simulation stops.
fn reason(bench: &Bench) -> String {
    match bench.start().run_until(Time::from_femtoseconds(1_000_000_000)) {
        Outcome::Stopped(reason) => reason,
        outcome => panic!("{outcome:?}"),
    }
}

#[test]
fn what_cannot_be_done_stops_the_simulation_and_says_why() {
    let good = DmaDescriptor { host: HOST, local: FRAMES as u32, length: 64 };
    let of =
        |descriptor: DmaDescriptor| reason(&dma("read", 4, &[descriptor], &set_up(4, 1), Stalls::NONE).bench);
    let no_host = of(DmaDescriptor { host: 0x99, ..good });
    assert!(no_host.contains("host memory does not answer") && no_host.contains("0x99"), "{no_host}");
    let no_frame = of(DmaDescriptor { local: 0x9000_0000, ..good });
    assert!(
        no_frame.contains("frame memory does not answer") && no_frame.contains("0x90000000"),
        "{no_frame}"
    );
    let no_control = of(DmaDescriptor { local: 0x2_0000, ..good });
    assert!(no_control.contains("control memory does not answer at 0x20000"), "{no_control}");
    let overrun = reason(&dma("write", 4, &[good; 4], &set_up(4, 5), Stalls::NONE).bench);
    assert!(overrun.contains("further apart than its 4 entries"), "{overrun}");
}

#[test]
fn a_mac_descriptor_of_nothing_stops_the_simulation() {
    let mut bench = Bench::new();
    let ring = MacDescriptor { address: 0, status: 0, length: 0 }.to_bytes().to_vec();
    let assist =
        bench.design.module::<[(&str, u64); 0], _, _>("assist", "mac_transmit_assist", bench.domain, []);
    let parameters: [(&str, ParameterValue); 3] =
        [("size", Size(0x1000).into()), ("contents", ring.into()), ("contents_offset", RING.into())];
    let memory = bench.design.module("memory", "multiported_memory", bench.domain, parameters);
    let sink = bench.design.module::<[(&str, u64); 0], _, _>("sink", "packet_sink", bench.domain, []);
    for (bundle, port) in [("control", "port"), ("frame", "block")] {
        bench.design.connect((assist, &format!("{bundle}_request")), (memory, &format!("{port}_request")));
        bench.design.connect((memory, &format!("{port}_response")), (assist, &format!("{bundle}_response")));
    }
    bench.design.connect((assist, "wire"), (sink, "wire"));
    bench.initiator((assist, "registers", 0), &set_up(1, 1), Stalls::NONE);
    assert!(reason(&bench).contains("a frame of 0 bytes"));
}

/// The cycles in which a timer announces that its instant has come, by what is written to it in which cycle.
fn expirations(writes: &[(u64, u32, u32)]) -> (Vec<u64>, u64) {
    let mut bench = Bench::new();
    let none: [(&str, u64); 0] = [];
    let timer = bench.design.module("timer", "timer", bench.domain, none);
    let sink = bench.design.module("expired", "test_sink", bench.domain, none);
    bench.design.connect((timer, "expired"), (sink, "input"));
    // A write in each cycle: those between read the time.
    let script: Vec<Reference> = (0..10_000)
        .map(|cycle| {
            let written = writes.iter().find(|(when, ..)| *when == cycle);
            written.map_or(Reference::read(0, 4), |(_, offset, word)| write(*offset, *word))
        })
        .collect();
    bench.initiator((timer, "registers", 0), &script, Stalls::NONE);
    let mut simulation = bench.run(10_000);
    let state: super::support::SinkState = super::support::state(&mut simulation, "expired");
    let counted = super::support::counter(&mut simulation, "timer", "expirations");
    (state.received.into_iter().map(|(cycle, _)| cycle).collect(), counted)
}

#[test]
fn a_timer_that_is_set_again_waits_for_the_new_instant_alone() {
    const COMPARE: u32 = 0x04;
    const CONTROL: u32 = 0x08;
    let armed = [(0, COMPARE, 3), (1, CONTROL, 1)];
    let after = |more: &[(u64, u32, u32)]| expirations(&[&armed, more].concat());
    assert_eq!(after(&[]), (vec![3001], 1));
    // Later, earlier, switched off, in the last cycle before the instant and in its own.
    assert_eq!(after(&[(1000, COMPARE, 5)]), (vec![5001], 1));
    assert_eq!(after(&[(1000, COMPARE, 2)]), (vec![2001], 1));
    assert_eq!(after(&[(1000, CONTROL, 0)]), (vec![], 0));
    assert_eq!(after(&[(2999, COMPARE, 5)]), (vec![5001], 1));
    assert_eq!(after(&[(3000, COMPARE, 5)]), (vec![3001, 5001], 2));
    // An instant that has passed rings at once.
    assert_eq!(after(&[(5000, COMPARE, 4)]), (vec![3001, 5002], 2));
}

#[test]
fn timers_expire_in_their_cycle_and_interrupts_keep_their_distance() {
    let mut bench = Bench::new();
    let none: [(&str, u64); 0] = [];
    let timer = bench.design.module("timer", "timer", bench.domain, none);
    let sink = bench.design.module("expired", "test_sink", bench.domain, none);
    bench.design.connect((timer, "expired"), (sink, "input"));
    let mut script = vec![write(4, 3), write(8, 1)];
    script.extend([Reference::read(0xc, 4); 3100]);
    let registers = bench.initiator((timer, "registers", 0), &script, Stalls::NONE);
    let interrupt = bench.design.module("interrupt", "interrupt", bench.domain, none);
    let raised = bench.design.module("raised", "test_sink", bench.domain, none);
    bench.design.connect((interrupt, "raised"), (raised, "input"));
    let mut script = vec![write(8, 2)];
    script.extend([write(0, 1); 5]);
    bench.initiator((interrupt, "registers", 0), &script, Stalls::NONE);
    let mut simulation = bench.run(6000);
    assert_eq!(super::support::counter(&mut simulation, "interrupt", "raised"), 5);
    let asked = registers.requested(&mut simulation);
    let answers = registers.responses::<Response>(&mut simulation);
    for (cycle, (_, answer)) in asked.iter().zip(&answers).skip(2) {
        assert_eq!(answer.data, data(u32::from(*cycle >= 3000)), "cycle {cycle}");
    }
    assert!(asked.last() > Some(&3000));
    let words = |simulation: &mut Simulation, path: &str| {
        let state: super::support::SinkState = super::support::state(simulation, path);
        state.received.into_iter().map(|(cycle, words)| (cycle, value::<u64>(&words))).collect::<Vec<_>>()
    };
    assert_eq!(words(&mut simulation, "expired"), [(3001, 1)]);
    // The first at once; then, 2 us after it was taken, all others in one.
    assert_eq!(words(&mut simulation, "raised"), [(2, 1), (2003, 4)]);
}

/// Number of pieces of 100 bytes, of three, that a device with a FIFO of `fifo` bytes asks for before a slow memory answers, and the
/// number of answers at the end.
fn asked_at_once(kind: &str, fifo: u64) -> (usize, usize) {
    let mut bench = Bench::new();
    let mut parameters: Vec<(&str, ParameterValue)> = vec![("fifo", Size(fifo).into())];
    if kind.contains("dma") {
        parameters.push(("direction", "read".into()));
    }
    let device = bench.design.module("device", kind, bench.domain, parameters);
    let place = |number: u64| 0x200 + 0x100 * number;
    let descriptors = (0..3).flat_map(|number| match kind {
        "dma_assist" => {
            DmaDescriptor { host: place(number), local: 0x4000 + 100 * number as u32, length: 100 }
                .to_bytes()
                .to_vec()
        }
        _ => MacDescriptor { address: place(number) as u32, status: 0, length: 100 }.to_bytes().to_vec(),
    });
    let parameters: [(&str, ParameterValue); 3] = [
        ("size", Size(0x1_0000).into()),
        ("contents", descriptors.collect::<Vec<u8>>().into()),
        ("contents_offset", RING.into()),
    ];
    let memory = bench.design.module("memory", "multiported_memory", bench.domain, parameters);
    let delay = bench.design.module("delay", "pipe", bench.domain, [("depth", 200_u64)]);
    let (script, fast, slow): (Vec<Reference>, &[&str], &str) = match kind {
        "dma_assist" => (set_up(4, 3), &["frame"], "host"),
        "mac_transmit_assist" => (set_up(4, 3), &[], "frame"),
        "queue_dma" => {
            let transfer =
                |number| [write(0x04, place(number) as u32), write(0x08, 0x4000), write(0x0c, 100)];
            ([write(0x18, 1)].into_iter().chain((0..3).flat_map(transfer)).collect(), &["local"], "host")
        }
        _ => {
            let frame = |number| [write(0, place(number) as u32), write(4, 1 << 31 | 100)];
            ([write(0x10, 1)].into_iter().chain((0..3).flat_map(frame)).collect(), &[], "frame")
        }
    };
    if kind.contains("assist") {
        bench.design.connect((device, "control_request"), (memory, "port_request"));
        bench.design.connect((memory, "port_response"), (device, "control_response"));
    }
    for (bundle, lane) in fast.iter().zip(1..) {
        bench
            .design
            .connect_lanes((device, &format!("{bundle}_request"), 0), (memory, "block_request", lane));
        bench
            .design
            .connect_lanes((memory, "block_response", lane), (device, &format!("{bundle}_response"), 0));
    }
    bench.design.connect_lanes((device, &format!("{slow}_request"), 0), (memory, "block_request", 0));
    bench.design.connect_lanes((memory, "block_response", 0), (delay, "input", 0));
    bench.design.connect((delay, "output"), (device, &format!("{slow}_response")));
    if kind.contains("transmit") {
        let sink = bench.design.module("sink", "packet_sink", bench.domain, [("count", 0_u64)]);
        bench.design.connect((device, "wire"), (sink, "wire"));
    }
    bench.initiator((device, "registers", 0), &script, Stalls::NONE);
    let mut simulation = bench.start();
    let [asked, answered] =
        ["request", "response"].map(|role| record(&mut simulation, "device", &format!("{slow}_{role}")));
    simulation.run_until(Time::from_femtoseconds(2_000 * 1_000_000));
    let [asked, answered] = [asked, answered].map(|recorded| -> Vec<usize> {
        let recorded = recorded.lock().expect("no thread panicked");
        (0..recorded.len()).filter(|cycle| recorded[*cycle].0.is_some() && recorded[*cycle].1).collect()
    });
    (asked.iter().filter(|cycle| **cycle < answered[0]).count(), answered.len())
}

#[test]
fn a_fifo_takes_what_fits_and_anything_alone() {
    for kind in ["dma_assist", "mac_transmit_assist", "queue_dma", "queue_transmit"] {
        for (fifo, expected) in [(1, 1), (100, 1), (199, 1), (200, 2), (299, 2), (300, 3)] {
            assert_eq!(asked_at_once(kind, fifo), (expected, 3), "{kind} with a FIFO of {fifo} bytes");
        }
    }
}
