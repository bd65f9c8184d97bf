//! Functions that firmware emulates: their accesses and doorbells, the events of a core, and capabilities.

use spinach_engine::{ModuleId, ParameterValue, Simulation, Size, Time};
use spinach_modules::values::{Reference, Response};

use super::support::{Bench, Initiator, SinkState, Stalls, counter, run_to, script, state, value};

const NONE: [(&str, u64); 0] = [];
const NOTHING: [Reference; 0] = [];

fn write(offset: u64, word: u32) -> Reference {
    Reference::write(offset, 4, u128::from(word.swap_bytes()))
}

fn read(offset: u64) -> Reference {
    Reference::read(offset, 4)
}

fn words(initiator: &Initiator, simulation: &mut Simulation) -> Vec<u32> {
    let responses = initiator.responses::<Response>(simulation);
    responses.iter().map(|(_, response)| (response.data as u32).swap_bytes()).collect()
}

fn source(bench: &mut Bench, path: &str, words: &[u64], start: u64) -> ModuleId {
    let parameters: [(&str, ParameterValue); 2] = [("script", script(words).into()), ("start", start.into())];
    bench.design.module(path, "test_source", bench.domain, parameters)
}

/// Connects a PCI device to host memory, an idle emulated function, and an idle DMA unit with local memory.
fn surround(bench: &mut Bench, pci: ModuleId) {
    let function = bench.design.module("function", "emulated_function", bench.domain, NONE);
    let _ = bench.initiator((function, "registers", 0), &NOTHING, Stalls::NONE);
    surround_with(bench, pci, (function, "access"));
}

/// The same with another device.
fn surround_with(bench: &mut Bench, pci: ModuleId, (device, bundle): (ModuleId, &str)) {
    bench.design.connect((pci, "local_request"), (device, &format!("{bundle}_request")));
    bench.design.connect((device, &format!("{bundle}_response")), (pci, "local_response"));
    let memory = |bench: &mut Bench, path: &str| {
        bench.design.module(path, "multiported_memory", bench.domain, [("size", Size(64))])
    };
    let [local, host] = ["local", "host"].map(|path| memory(bench, path));
    let dma = bench.design.module("dma", "queue_dma", bench.domain, [("direction", "read")]);
    let _ = bench.initiator((dma, "registers", 0), &NOTHING, Stalls::NONE);
    for ((initiator, bundle), (target, lane)) in [
        ((dma, "host"), (pci, "dma")),
        ((dma, "local"), (local, "block")),
        ((pci, "memory"), (host, "block")),
    ] {
        let name = |bundle: &str, role: &str| format!("{bundle}_{role}");
        bench.design.connect((initiator, &name(bundle, "request")), (target, &name(lane, "request")));
        bench.design.connect((target, &name(lane, "response")), (initiator, &name(bundle, "response")));
    }
}

#[test]
fn a_load_of_wait_is_answered_in_the_cycle_after_an_event() {
    const WAIT: u64 = 0;
    for (port, flags) in [("level", 1), ("raised", 0x2_0000)] {
        let mut bench = Bench::new();
        let events = bench.design.module("events", "event_flags", bench.domain, NONE);
        let event = source(&mut bench, "event", &[2], 40);
        bench.design.connect((event, "output"), (events, port));
        let registers = bench.initiator((events, "registers", 0), &[read(WAIT)], Stalls::NONE);
        let mut simulation = bench.start();
        run_to(&mut simulation, 41);
        assert_eq!(registers.responses::<Response>(&mut simulation).len(), 0, "{port}");
        run_to(&mut simulation, 42);
        assert_eq!(words(&registers, &mut simulation), [flags], "{port}");
    }
}

#[test]
fn latched_events_are_reported_once_and_levels_as_long_as_they_last() {
    const TAKE: u64 = 4;
    for stalls in Stalls::all() {
        let mut bench = Bench::new();
        let events =
            bench.design.module("events", "event_flags", bench.domain, [("enabled", 0xfffd_0001_u64)]);
        let level = source(&mut bench, "level", &[1], 0);
        bench.design.connect((level, "output"), (events, "level"));
        // Another core raises flags 17, which is not enabled, and 18.
        let asked = [read(TAKE), write(0x0c, 0x6_ffff), read(TAKE), read(TAKE), write(0x08, !0), read(TAKE)];
        let registers = bench.initiator((events, "registers", 0), &asked, stalls);
        let mut simulation = bench.start();
        run_to(&mut simulation, 400);
        let found = words(&registers, &mut simulation);
        assert_eq!(&found[1..], [0, 0x4_0001, 1, 0, 0x2_0001], "{stalls:?}");
    }
}

#[test]
fn stores_are_posted_and_loads_wait_for_firmware() {
    let host = [
        Reference::write(0x14, 1, 0x80),
        Reference::write(0x3004, 2, 1),
        Reference::read(0x10, 2),
        Reference::write(0x20, 4, 0x1234_5678),
    ];
    let mut firmware = vec![read(0); 20];
    firmware.extend([read(4), write(8, 0), read(0), write(8, 0xbeef)]);
    firmware.extend([read(0); 20]);
    firmware.extend([read(4), write(8, 0), read(0)]);
    for stalls in Stalls::all() {
        let mut bench = Bench::new();
        let function = bench.design.module("function", "emulated_function", bench.domain, NONE);
        let doorbells = bench.design.module("doorbells", "event_flags", bench.domain, NONE);
        bench.design.connect((function, "doorbell"), (doorbells, "raised"));
        let core = bench.initiator((doorbells, "registers", 0), &[read(0)], Stalls::NONE);
        let accesses = bench.initiator((function, "access", 0), &host, stalls);
        let registers = bench.initiator((function, "registers", 0), &firmware, Stalls::NONE);
        let mut simulation = bench.start();
        run_to(&mut simulation, 2_000);
        let answers: Vec<u128> =
            accesses.responses::<Response>(&mut simulation).iter().map(|(_, it)| it.data).collect();
        assert_eq!(answers, [0, 0, 0xbeef, 0], "{stalls:?}");
        let seen = words(&registers, &mut simulation);
        assert_eq!(seen[19..23], [0xc100_0014, 0x80, 0, 0x8200_0010], "{stalls:?}");
        assert_eq!(seen[43..47], [0xc400_0020, 0x1234_5678, 0, 0], "{stalls:?}");
        assert_eq!(words(&core, &mut simulation), [0x2_0000], "{stalls:?}");
        assert_eq!(counter(&mut simulation, "function", "doorbells"), 1);
    }
}

#[test]
fn further_doorbells_go_to_lane_0_and_firmware_rings_any_lane() {
    let mut bench = Bench::new();
    let function = bench.design.module("function", "emulated_function", bench.domain, NONE);
    let cores = [0, 1].map(|number| {
        let events = bench.design.module(format!("events_{number}"), "event_flags", bench.domain, NONE);
        bench.design.connect_lanes((function, "doorbell", number), (events, "raised", 0));
        bench.initiator((events, "registers", 0), &[read(0), read(0)], Stalls::NONE)
    });
    // Of two lanes with two doorbells each, doorbell 4 is the first behind them; there is no lane 2.
    let rung = [Reference::write(0x3010, 2, 4), Reference::write(0x300c, 2, 3)];
    let _ = bench.initiator((function, "access", 0), &rung, Stalls::NONE);
    let messages: Vec<Reference> =
        [read(0); 20].into_iter().chain([write(0x10, 0x1_0008), write(0x10, 0x2_0001)]).collect();
    let _ = bench.initiator((function, "registers", 0), &messages, Stalls::NONE);
    let mut simulation = bench.start();
    run_to(&mut simulation, 200);
    let found = cores.map(|core| words(&core, &mut simulation));
    assert_eq!(found, [vec![0x4_0000], vec![0x2_0000, 0x8_0000]]);
}

#[test]
fn capabilities_are_listed_and_a_window_has_an_address_of_64_bits() {
    let list: Vec<u8> = vec![0x09, 0x00, 0x10, 0x01, 0xaa, 0xbb];
    let mut bench = Bench::new();
    let parameters: [(&str, ParameterValue); 6] = [
        ("vendor", 0x1af4_u64.into()),
        ("device", 0x1041_u64.into()),
        ("class_code", 0x2_0000_u64.into()),
        ("capabilities", list.into()),
        ("window", Size(0x1000).into()),
        ("is_64_bit", true.into()),
    ];
    let pci = bench.design.module("pci", "pci_device", bench.domain, parameters);
    let asked = [
        Reference::read(0x06, 2),
        Reference::read(0x34, 1),
        Reference::write(0x40, 4, 0),
        Reference::read(0x40, 4),
        Reference::read(0x44, 2),
        Reference::read(0x48, 4),
        Reference::read(0x10, 4),
        Reference::write(0x10, 4, 0xffff_ffff),
        Reference::read(0x10, 4),
        Reference::write(0x14, 4, 0xffff_ffff),
        Reference::read(0x14, 4),
        Reference::write(0x18, 4, 0xffff_ffff),
        Reference::read(0x18, 4),
        Reference::write(0x10, 4, 0xabcd_e000),
        Reference::write(0x14, 4, 0x12),
        Reference::write(0x04, 2, 2),
    ];
    let configuration = bench.initiator((pci, "configuration", 0), &asked, Stalls::NONE);
    // Below the window until its address is written, then in it, and where it would be with 32 bits.
    let referred = [vec![0x12_abcd_dffc; 80], vec![0x12_abcd_e000, 0xabcd_e000]].concat();
    let referred: Vec<Reference> = referred.into_iter().map(read).collect();
    let _ = bench.initiator((pci, "target", 0), &referred, Stalls::NONE);
    surround(&mut bench, pci);
    let mut simulation = bench.start();
    run_to(&mut simulation, 400);
    let found: Vec<u128> =
        configuration.responses::<Response>(&mut simulation).iter().map(|(_, it)| it.data).collect();
    assert_eq!(found[..6], [0x30, 0x40, 0, 0x0110_0009, 0xbbaa, 0]);
    // An address of 64 bits: the type, then what can be written of both halves; register 2 is not there.
    assert_eq!(found[6..13], [0x4, 0, 0xffff_f004, 0, 0xffff_ffff, 0, 0]);
    let mut count = |name| counter(&mut simulation, "pci", name);
    assert_eq!((count("claimed"), count("unclaimed")), (1, 81));
}

#[test]
fn an_endpoint_of_pci_express_has_its_link_and_sizes_that_the_host_sets() {
    const EXPRESS: u64 = 0x4c;
    let mut bench = Bench::new();
    let parameters: [(&str, ParameterValue); 8] = [
        ("vendor", 0x1af4_u64.into()),
        ("device", 0x1041_u64.into()),
        ("class_code", 0x2_0000_u64.into()),
        ("vectors", 3_u64.into()),
        ("express_generation", 4_u64.into()),
        ("express_lanes", 8_u64.into()),
        ("express_payload", 512_u64.into()),
        ("express_read_request", 1024_u64.into()),
    ];
    let pci = bench.design.module("pci", "pci_device", bench.domain, parameters);
    let reset = source(&mut bench, "reset", &[1], 200);
    bench.design.connect((reset, "output"), (pci, "reset"));
    let sizes = bench.design.module("sizes", "test_sink", bench.domain, NONE);
    bench.design.connect((pci, "sizes"), (sizes, "input"));
    let _ = bench.initiator((pci, "target", 0), &NOTHING, Stalls::NONE);
    surround(&mut bench, pci);
    let control = |value: u128| Reference::write(EXPRESS + 8, 2, value);
    let mut asked = vec![
        Reference::read(0x34, 1),
        Reference::read(EXPRESS, 4),
        Reference::read(EXPRESS + 4, 4),
        Reference::read(EXPRESS + 8, 4),
        Reference::read(EXPRESS + 12, 4),
        Reference::read(EXPRESS + 16, 4),
        Reference::read(EXPRESS + 44, 4),
        Reference::read(EXPRESS + 48, 4),
        Reference::read(0x40, 4),
        // Payload of 256 and requests of 4096 bytes; a payload that is not supported, and a reserved size.
        control(1 << 5 | 5 << 12),
        Reference::read(EXPRESS + 8, 4),
        control(3 << 5 | 7 << 12),
        Reference::write(EXPRESS + 4, 4, 0xffff_ffff),
        Reference::read(EXPRESS + 4, 4),
    ];
    asked.extend([Reference::read(0, 4); 200]);
    asked.push(Reference::read(EXPRESS + 8, 4));
    let configuration = bench.initiator((pci, "configuration", 0), &asked, Stalls::NONE);
    let mut simulation = bench.start();
    run_to(&mut simulation, 600);
    let found: Vec<u128> =
        configuration.responses::<Response>(&mut simulation).iter().map(|(_, it)| it.data).collect();
    let after_power_on = 1 << 4 | 2 << 5 | 1 << 11 | 3 << 12;
    assert_eq!(found[..6], [u128::from(EXPRESS), 0x2_4010, 0x8002, after_power_on, 0x84, 0x1084_0000]);
    assert_eq!(found[6..9], [0b1_1110, 4, 0x2_0011]);
    assert_eq!((found[10], found[13]), (1 << 5 | 5 << 12, 0x8002));
    assert_eq!(found.last(), Some(&after_power_on));
    let said: Vec<u64> =
        state::<SinkState>(&mut simulation, "sizes").received.iter().map(|(_, it)| value(it)).collect();
    let word = |payload: u64, request: u64| payload | request << 32;
    assert_eq!(said, [word(256, 4096), word(512, 4096), word(512, 1024)]);
}

#[test]
fn the_window_is_reached_through_configuration_space() {
    const ACCESS: u64 = 0x40;
    const NUMBER: u32 = 0x1234_5678;
    let mut list = vec![0_u8; 20];
    list[..4].copy_from_slice(&[0x09, 0, 20, 5]);
    let access = |offset: u64, length: u64| {
        [Reference::write(ACCESS + 8, 4, offset.into()), Reference::write(ACCESS + 12, 4, length.into())]
    };
    let data = Reference::read(ACCESS + 16, 4);
    let asked = [
        &access(0x100, 4)[..],
        &[Reference::write(ACCESS + 16, 4, NUMBER.into()), data, Reference::read(ACCESS + 8, 4)],
        &access(0x102, 2),
        &[data, Reference::read(ACCESS + 16, 1), Reference::write(ACCESS + 16, 4, 0xffff_beef)],
        &access(0x100, 4),
        // Another base address register, an odd place and one outside read as 0.
        &[data, Reference::write(ACCESS + 4, 1, 1), data, Reference::write(ACCESS + 4, 1, 0)],
        &access(0x101, 2),
        &[data],
        &access(0x4000, 4),
        &[data, Reference::read(ACCESS, 4)],
    ]
    .concat();
    for stalls in Stalls::all() {
        let mut bench = Bench::new();
        let parameters: [(&str, ParameterValue); 5] = [
            ("vendor", 0x1af4_u64.into()),
            ("device", 0x1041_u64.into()),
            ("class_code", 0x2_0000_u64.into()),
            ("capabilities", list.clone().into()),
            ("indirect_capability", ACCESS.into()),
        ];
        let pci = bench.design.module("pci", "pci_device", bench.domain, parameters);
        // References to memory space meanwhile get their own answers.
        let direct = [vec![Reference::write(0x200, 4, 7)], vec![read(0x200); 50]].concat();
        let direct = bench.initiator((pci, "target", 0), &direct, stalls);
        let configured = [vec![Reference::write(0x04, 2, 2)], asked.clone()].concat();
        let configuration = bench.initiator((pci, "configuration", 0), &configured, stalls);
        let window =
            bench.design.module("window", "multiported_memory", bench.domain, [("size", Size(0x4000))]);
        surround_with(&mut bench, pci, (window, "port"));
        let mut simulation = bench.start();
        run_to(&mut simulation, 1_000);
        let answers = |initiator: &Initiator, simulation: &mut Simulation| -> Vec<u128> {
            initiator.responses::<Response>(simulation).iter().map(|(_, it)| it.data).collect()
        };
        let found = answers(&configuration, &mut simulation);
        let written = [0, 0, 0, 0, NUMBER.into(), 0x100];
        let halves = [0, 0, 0x1234, 0x34, 0, 0, 0, 0xbeef_5678];
        let expected = [&written[..], &halves, &[0; 9], &[0x0514_0009]].concat();
        assert_eq!(found, expected, "{stalls:?}");
        let found = answers(&direct, &mut simulation);
        assert_eq!(found.len(), 51, "{stalls:?}");
        assert_eq!(found.last(), Some(&7), "{stalls:?}");
    }
}

#[test]
fn what_only_a_conventional_bus_has_is_0_on_pci_express() {
    let found = [0_u64, 4].map(|generation| {
        let mut bench = Bench::new();
        let parameters: [(&str, ParameterValue); 4] = [
            ("vendor", 0x1af4_u64.into()),
            ("device", 0x1041_u64.into()),
            ("class_code", 0x2_0000_u64.into()),
            ("express_generation", generation.into()),
        ];
        let pci = bench.design.module("pci", "pci_device", bench.domain, parameters);
        let _ = bench.initiator((pci, "target", 0), &NOTHING, Stalls::NONE);
        surround(&mut bench, pci);
        let asked = [
            Reference::write(0x04, 2, 0xffff),
            Reference::write(0x0c, 2, 0xffff),
            Reference::read(0x04, 2),
            Reference::read(0x0c, 2),
            Reference::read(0x06, 2),
            Reference::read(0x3e, 2),
        ];
        let configuration = bench.initiator((pci, "configuration", 0), &asked, Stalls::NONE);
        let mut simulation = bench.start();
        run_to(&mut simulation, 100);
        let answers = configuration.responses::<Response>(&mut simulation);
        answers[2..].iter().map(|(_, it)| it.data).collect::<Vec<_>>()
    });
    assert_eq!(found, [vec![0x756, 0xffff, 0x20, 64], vec![0x546, 0xff, 0x10, 0]]);
}

#[test]
fn a_host_resets_an_endpoint_alone_and_keeps_what_belongs_to_the_link() {
    const EXPRESS: u64 = 0x40;
    const INITIATE_RESET: u128 = 1 << 15;
    let found_with = |reset_bytes: u64| {
        let mut bench = Bench::new();
        let parameters: [(&str, ParameterValue); 8] = [
            ("vendor", 0x1af4_u64.into()),
            ("device", 0x1041_u64.into()),
            ("class_code", 0x2_0000_u64.into()),
            ("express_generation", 4_u64.into()),
            ("express_payload", 512_u64.into()),
            ("express_read_request", 1024_u64.into()),
            ("reset_offset", 0x14_u64.into()),
            ("reset_bytes", reset_bytes.into()),
        ];
        let pci = bench.design.module("pci", "pci_device", bench.domain, parameters);
        let sizes = bench.design.module("sizes", "test_sink", bench.domain, NONE);
        bench.design.connect((pci, "sizes"), (sizes, "input"));
        let _ = bench.initiator((pci, "target", 0), &NOTHING, Stalls::NONE);
        surround(&mut bench, pci);
        let asked = [
            Reference::write(4, 2, 6),
            Reference::write(0x10, 4, 0xabcd_0000),
            Reference::write(0x3c, 1, 9),
            Reference::write(EXPRESS + 16, 2, 1 << 3 | 1 << 6),
            Reference::write(EXPRESS + 48, 2, 2),
            Reference::write(EXPRESS + 8, 2, 1 << 5 | 2 << 12 | INITIATE_RESET),
            Reference::read(4, 2),
            Reference::read(0x10, 4),
            Reference::read(0x3c, 1),
            Reference::read(EXPRESS + 4, 4),
            Reference::read(EXPRESS + 8, 4),
            Reference::read(EXPRESS + 16, 2),
            Reference::read(EXPRESS + 48, 2),
        ];
        let configuration = bench.initiator((pci, "configuration", 0), &asked, Stalls::NONE);
        let mut simulation = bench.start();
        run_to(&mut simulation, 100);
        let found: Vec<u128> =
            configuration.responses::<Response>(&mut simulation).iter().map(|(_, it)| it.data).collect();
        let said: Vec<u64> =
            state::<SinkState>(&mut simulation, "sizes").received.iter().map(|(_, it)| value(it)).collect();
        (found[6..].to_vec(), said)
    };
    let word = |payload: u64, request: u64| payload | request << 32;
    let (link_control, target_speed) = (1 << 3 | 1 << 6, 2);
    let (found, said) = found_with(1);
    let control = 1 << 4 | 1 << 5 | 1 << 11 | 3 << 12;
    assert_eq!(found, [0, 0, 0, 0x1000_8002, control, link_control, target_speed]);
    assert_eq!(said, [word(256, 512), word(256, 1024)]);
    // A device that cannot be reset says so, and the bit has no effect.
    let (found, said) = found_with(0);
    assert_eq!(found, [6, 0xabcd_0000, 9, 0x8002, 1 << 5 | 2 << 12, link_control, target_speed]);
    assert_eq!(said, [word(256, 512)]);
}

#[test]
fn messages_are_sent_when_the_host_lets_them_and_no_sooner_than_their_interval() {
    const CAPABILITY: u64 = 0x40;
    const TABLE: u64 = 0x4000;
    const PENDING: u64 = 0x6000;
    let mut bench = Bench::new();
    let parameters: [(&str, ParameterValue); 7] = [
        ("vendor", 0x1af4_u64.into()),
        ("device", 0x1041_u64.into()),
        ("class_code", 0x2_0000_u64.into()),
        ("window", Size(0x8000).into()),
        ("vectors", 3_u64.into()),
        ("vector_table", TABLE.into()),
        ("vector_pending", PENDING.into()),
    ];
    let pci = bench.design.module("pci", "pci_device", bench.domain, parameters);
    let parameters: [(&str, ParameterValue); 4] = [
        ("vectors", 3_u64.into()),
        ("table", TABLE.into()),
        ("pending", PENDING.into()),
        ("interval", Time::from_femtoseconds(100_000_000).into()),
    ];
    let table = bench.design.module("table", "message_interrupts", bench.domain, parameters);
    let parameters: [(&str, ParameterValue); 2] = [("size", Size(4096).into()), ("base", 0x1000_u64.into())];
    let memory = bench.design.module("memory", "multiported_memory", bench.domain, parameters);
    let raised = source(&mut bench, "raised", &[2, 2, 0, 7, 2], 300);
    let level = source(&mut bench, "level", &[1], 200);
    bench.design.connect((raised, "output"), (table, "raised"));
    bench.design.connect((level, "output"), (pci, "written"));
    for (from, to) in [("message_control", "control"), ("local_request", "access_request")] {
        bench.design.connect((pci, from), (table, to));
    }
    bench.design.connect((table, "access_response"), (pci, "local_response"));
    bench.design.connect((table, "message_request"), (pci, "dma_request"));
    bench.design.connect((pci, "dma_response"), (table, "message_response"));
    bench.design.connect((pci, "memory_request"), (memory, "block_request"));
    bench.design.connect((memory, "block_response"), (pci, "memory_response"));
    let configuration = bench.initiator(
        (pci, "configuration", 0),
        &[
            Reference::read(0x34, 1),
            Reference::read(CAPABILITY, 4),
            Reference::read(CAPABILITY + 4, 4),
            Reference::read(CAPABILITY + 8, 4),
            Reference::write(4, 2, 6),
            Reference::write(CAPABILITY + 2, 2, 0x8000),
            Reference::read(CAPABILITY + 2, 2),
        ],
        Stalls::NONE,
    );
    let entry = |vector: u64, word: u64| TABLE + 16 * vector + 4 * word;
    let mut asked = vec![Reference::read(0x7ff0, 4); 20];
    asked.extend([
        Reference::write(entry(2, 0), 4, 0x1010),
        Reference::write(entry(2, 2), 4, 0xdead_beef),
        Reference::write(entry(2, 3), 4, 0),
        Reference::write(entry(0, 0), 4, 0x1020),
        Reference::read(entry(0, 3), 4),
        Reference::read(entry(2, 2), 4),
    ]);
    asked.extend([Reference::read(PENDING, 4); 200]);
    let target = bench.initiator((pci, "target", 0), &asked, Stalls::NONE);
    let mut simulation = bench.start();
    run_to(&mut simulation, 3_000);
    let answers = |initiator: &Initiator, simulation: &mut Simulation| -> Vec<u128> {
        initiator.responses::<Response>(simulation).iter().map(|(_, it)| it.data).collect()
    };
    let found = answers(&configuration, &mut simulation);
    assert_eq!(found, [0x40, 0x2_0011, 0x4000, 0x6000, 0, 0, 0x8002]);
    let found = answers(&target, &mut simulation);
    assert_eq!(found[24..26], [1, 0xdead_beef]);
    // Vector 0 stays masked, and vector 2 waits for its interval.
    assert!(found[26..].contains(&5) && found.last() == Some(&1));
    for (name, value) in [("raised", 5), ("messages", 2), ("merged", 1), ("lost", 1)] {
        assert_eq!(counter(&mut simulation, "table", name), value, "{name}");
    }
    assert_eq!(counter(&mut simulation, "pci", "interrupts"), 0);
}
