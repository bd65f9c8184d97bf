//! The host of a guest in a simulation: its counters, against a card that reads memory.

use spinach_engine::{Design, Frequency, ModuleId, ParameterValue, Simulation, Time, elaborate};
use spinach_modules::bus::guest_messages::{ACCESS, Access, MEMORY, Said};

const NONE: [(&str, u64); 0] = [];
const WINDOW: u32 = 0xe000_0000;
const DESCRIPTOR: u32 = 0x1000;

/// A DP83820 at a guest, and its host.
fn card() -> (Simulation, ModuleId) {
    let mut design = Design::new();
    let clock = design.domain("clock", Frequency::from_hertz(100_000_000).expect("a frequency"));
    let host = design.module("host", "guest_host", clock, NONE);
    let parameters = [
        ("chip", ParameterValue::from("dp83820")),
        ("mac_address", ParameterValue::from(vec![2u8, 0, 0, 0, 0, 1])),
    ];
    let chip = design.module("chip", "fixed_function_card", clock, parameters);
    let wire = design.module("wire", "live_wire", clock, NONE);
    for (from, to, port, other) in [
        (host, chip, "configuration", "configuration"),
        (host, chip, "access", "target"),
        (chip, host, "memory", "memory"),
    ] {
        design.connect((from, &format!("{port}_request")), (to, &format!("{other}_request")));
        design.connect((to, &format!("{other}_response")), (from, &format!("{port}_response")));
    }
    design.connect((chip, "sent"), (wire, "received"));
    design.connect((wire, "sent"), (chip, "received"));
    let elaborated = elaborate(&design, &spinach_modules::registry());
    let simulation = Simulation::new(elaborated.unwrap_or_else(|error| panic!("{error}")));
    let host = simulation.netlist().find_module("host").expect("it is there");
    (simulation, host)
}

/// Messages of the card after a message to it on this lane.
fn answers(simulation: &mut Simulation, host: ModuleId, lane: u32, message: &[u8]) -> Vec<Said> {
    let outside = simulation.outside(host).expect("it is a host");
    outside.inject(lane, message).expect("it is a message");
    simulation.run_until(Time::from_femtoseconds(simulation.now().femtoseconds() + 10_000_000_000));
    let outside = simulation.outside(host).expect("it is a host");
    std::iter::from_fn(|| outside.export(0)).filter_map(|said| Said::from_bytes(&said.message)).collect()
}

#[test]
fn only_bytes_of_memory_that_is_there_count() {
    let (mut simulation, host) = card();
    let configure = |address, value| Access::WriteConfiguration { address, size: 4, value };
    let write = |register, value| Access::Write { address: u64::from(WINDOW) + register, size: 4, value };
    for access in [configure(0x14, WINDOW), configure(0x04, 6), write(0x20, DESCRIPTOR)] {
        assert_eq!(answers(&mut simulation, host, ACCESS, &access.to_bytes()), [Said::Done(0)]);
    }
    // The answer says that nothing is there, then that there is a descriptor without a frame.
    let mut counts = Vec::new();
    for answer in [vec![0], [&[1][..], &[0; 16]].concat()] {
        let said = answers(&mut simulation, host, ACCESS, &write(0, 1).to_bytes());
        assert!(said.contains(&Said::Read { address: DESCRIPTOR.into(), length: 16 }), "{said:?}");
        answers(&mut simulation, host, MEMORY, &answer);
        let names = simulation.netlist().modules[host].declaration.counters;
        let statistics = simulation.statistics();
        let values = statistics.of(host);
        let count = |name| names.iter().position(|(other, _)| *other == name).map(|index| values[index]);
        counts.push([count("memory_faults"), count("read_bytes")]);
    }
    assert_eq!(counts, [[Some(1), Some(0)], [Some(1), Some(16)]]);
}
