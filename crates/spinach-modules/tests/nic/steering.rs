//! Flow steering: frames that its filters drop.

use spinach_engine::{ParameterValue, Time};
use spinach_modules::values::Reference;

use super::support::{Bench, Stalls, counter};

const FILTER: u64 = 0x54;
const ADDRESS_HIGH: u64 = 0x5c;
const ADDRESS_LOW: u64 = 0x60;
const VLAN_WORD: u64 = 0x64;
const VLANS: u64 = 0x68;
const BY_ADDRESS: u32 = 1;
const BY_VLAN: u32 = 8;

fn write(offset: u64, word: u32) -> Reference {
    Reference::write(offset, 4, u128::from(word.swap_bytes()))
}

/// Frames to a valid address and to another one, each with the tag of a VLAN in the table and of another one, as a feeder reads them.
fn frames() -> Vec<u8> {
    let of = |(address, vlan): (u8, u8)| {
        let addresses = [2, 0, 0, 0, 0, address, 2, 0, 0, 0, 0, 9];
        let frame = [&addresses[..], &[0x81, 0, 0, vlan, 8, 0], &[0; 46]].concat();
        [&(frame.len() as u32).to_be_bytes()[..], &frame].concat()
    };
    [(1, 37), (1, 36), (2, 37), (2, 36)].into_iter().flat_map(of).collect()
}

#[test]
fn a_frame_that_a_filter_refuses_is_dropped() {
    for (filter, passed) in [(0, 4), (BY_ADDRESS, 2), (BY_VLAN, 2), (BY_ADDRESS | BY_VLAN, 1)] {
        let mut bench = Bench::new();
        let parameters = [("entries", 8_u64), ("addresses", 1)];
        let steering = bench.design.module("steering", "flow_steering", bench.domain, parameters);
        let start = Time::from_femtoseconds(100_000_000);
        let traffic: [(&str, ParameterValue); 3] =
            [("frames", frames().into()), ("count", 4_u64.into()), ("start", start.into())];
        let feeder = bench.design.module("feeder", "traffic_source", bench.domain, traffic);
        bench.design.connect((feeder, "wire"), (steering, "input"));
        let sink = bench.design.module("sink", "packet_sink", bench.domain, [("", 0_u64); 0]);
        bench.design.connect_lanes((steering, "output", 0), (sink, "wire", 0));
        let written = [
            write(ADDRESS_HIGH, 0x0200_0000),
            write(ADDRESS_LOW, 1 << 31 | 1),
            write(VLAN_WORD, 1),
            write(VLANS, 1 << 5),
            write(FILTER, filter),
        ];
        bench.initiator((steering, "registers", 0), &written, Stalls::NONE);
        let mut simulation = bench.run(400);
        let counts = ["frames", "filtered"].map(|name| counter(&mut simulation, "steering", name));
        assert_eq!(counts, [passed, 4 - passed], "{filter:#x}");
    }
}
