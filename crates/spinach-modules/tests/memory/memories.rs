//! Memories and the modules before them, through their protocols.

use spinach_engine::{ModuleId, ParameterValue, Size};
use spinach_modules::values::{Access, Reference, Response};

use super::support::{self, Bench, Stalls, counter};

fn memory(bench: &mut Bench, path: &str, extra: &[(&str, ParameterValue)]) -> ModuleId {
    let mut parameters = vec![("size", ParameterValue::from(Size(4096)))];
    parameters.extend(extra.iter().cloned());
    bench.design.module(path, "multiported_memory", bench.domain, parameters)
}

fn with_source(source: u16, access: Access, address: u64, data: u128) -> Reference {
    Reference { address, access, size: 4, enables: 0b1111, source, data }
}

#[test]
fn a_response_is_presented_after_the_latency_and_not_before() {
    for latency in [1_u32, 2, 5] {
        let mut bench = Bench::new();
        let memory = memory(&mut bench, "memory", &[("latency", latency.into())]);
        let reads = [Reference::read(0, 4), Reference::read(4, 4), Reference::read(8, 16)];
        let bytes: Vec<_> = (0..3).map(|_| reads).collect();
        let initiator = bench.initiator((memory, "port", 0), &bytes.concat(), Stalls::NONE);
        let mut simulation = bench.run(40);
        let requested = initiator.requested(&mut simulation);
        assert_eq!(requested, (0..9).collect::<Vec<u64>>(), "one reference per cycle");
        let responses = initiator.responses::<Response>(&mut simulation);
        let cycles: Vec<u64> = responses.iter().map(|(cycle, _)| *cycle).collect();
        assert_eq!(cycles, requested.iter().map(|cycle| cycle + u64::from(latency)).collect::<Vec<_>>());
    }
}

#[test]
fn reads_of_a_cycle_come_before_its_writes_and_writes_in_lane_order() {
    let mut bench = Bench::new();
    let memory = memory(&mut bench, "memory", &[("contents", vec![7_u8, 0, 0, 0].into())]);
    let write = |data| [Reference::write(0, 4, data), Reference::read(0, 4)];
    let first = bench.initiator((memory, "port", 0), &write(11), Stalls::NONE);
    let reader = bench.initiator((memory, "port", 1), &[Reference::read(0, 4); 2], Stalls::NONE);
    bench.initiator((memory, "port", 2), &write(22), Stalls::NONE);
    let mut simulation = bench.run(10);
    let data = |initiator: support::Initiator, simulation: &mut _| {
        initiator
            .responses::<Response>(simulation)
            .iter()
            .map(|(_, response)| response.data)
            .collect::<Vec<_>>()
    };
    assert_eq!(data(reader, &mut simulation), [7, 22]);
    assert_eq!(data(first, &mut simulation), [0, 22]);
}

#[test]
fn faults_answer_what_lies_outside_or_is_no_reference() {
    let mut bench = Bench::new();
    let memory = memory(&mut bench, "memory", &[("base", 0x1000_u64.into())]);
    let odd = Reference { size: 3, ..Reference::read(0x1000, 4) };
    let requests = [
        (Reference::read(0x1ffc, 4), false),
        (Reference::read(0x0ffc, 4), true),
        (Reference::read(0x2000, 1), true),
        (Reference::write(0x1ffa, 8, 1), true),
        (Reference::write(u64::MAX, 1, 1), true),
        (odd, true),
        (with_source(0, Access::Set, 0x1000, 3), false),
        (Reference { size: 8, ..with_source(0, Access::Set, 0x1000, 3) }, true),
        (with_source(0, Access::StoreConditional, 0x3000, 3), true),
    ];
    let initiator = bench.initiator((memory, "port", 0), &requests.map(|(request, _)| request), Stalls::NONE);
    let mut simulation = bench.run(30);
    let faults: Vec<bool> = initiator
        .responses::<Response>(&mut simulation)
        .iter()
        .map(|(_, response)| response.is_fault)
        .collect();
    assert_eq!(faults, requests.map(|(_, faults)| faults));
    assert_eq!(counter(&mut simulation, "memory", "faults"), 7);
}

#[test]
fn a_reservation_ends_with_any_write_to_its_word() {
    use Access::{LoadLinked, Set, StoreConditional, Write};
    let script = [
        (with_source(1, StoreConditional, 0, 9), 0),
        (with_source(1, LoadLinked, 0, 0), 0),
        (with_source(2, LoadLinked, 0, 0), 0),
        (with_source(1, StoreConditional, 0, 9), 1),
        (with_source(2, StoreConditional, 0, 8), 0),
        (with_source(1, LoadLinked, 0, 0), 9),
        (with_source(1, StoreConditional, 4, 1), 0),
        (with_source(1, LoadLinked, 8, 0), 0),
        (with_source(3, Write, 12, 5), 0),
        (with_source(1, StoreConditional, 8, 7), 1),
        (with_source(1, LoadLinked, 8, 0), 7),
        (with_source(3, Set, 8, 0), 0x0700_0000),
        (with_source(1, StoreConditional, 8, 7), 0),
        (with_source(1, LoadLinked, 12, 0), 5),
        (Reference::write(0, 16, 0), 0),
        (with_source(1, StoreConditional, 12, 7), 0),
    ];
    let mut bench = Bench::new();
    let memory = memory(&mut bench, "memory", &[]);
    let initiator = bench.initiator((memory, "port", 0), &script.map(|(request, _)| request), Stalls::NONE);
    let mut simulation = bench.run(30);
    let results: Vec<u128> =
        initiator.responses::<Response>(&mut simulation).iter().map(|(_, response)| response.data).collect();
    assert_eq!(results, script.map(|(_, result)| result));
}

#[test]
fn update_clears_the_run_that_set_made_whatever_the_byte_order() {
    for (order, first_byte) in [("big", [0, 0, 0, 0x07]), ("little", [0x07, 0, 0, 0])] {
        let mut bench = Bench::new();
        let memory = memory(&mut bench, "memory", &[("byte_order", order.into())]);
        let script = [
            (with_source(0, Access::Set, 4, 32), 0),
            (with_source(0, Access::Set, 4, 34), 1),
            (with_source(0, Access::Set, 4, 33), 0b101),
            (Reference::read(4, 4), u128::from(u32::from_le_bytes(first_byte))),
            (with_source(0, Access::Update, 4, 33), 34),
            (with_source(0, Access::Update, 4, 32), 32),
            (with_source(0, Access::Update, 4, 32), 31),
        ];
        let requests = script.map(|(request, _)| request);
        let initiator = bench.initiator((memory, "port", 0), &requests, Stalls::NONE);
        let mut simulation = bench.run(30);
        let results: Vec<u128> = initiator
            .responses::<Response>(&mut simulation)
            .iter()
            .map(|(_, response)| response.data)
            .collect();
        assert_eq!(results, script.map(|(_, result)| result));
    }
}

#[test]
fn without_latency_reads_and_writes_are_answered_in_their_own_cycle() {
    for stalls in Stalls::all() {
        let mut bench = Bench::new();
        let memory = memory(&mut bench, "memory", &[("latency", 0_u32.into())]);
        let script = [
            (Reference::write(8, 4, 0x1234), 0),
            (Reference::read(8, 2), 0x1234),
            (with_source(0, Access::LoadLinked, 8, 0), 0x1234),
            (with_source(0, Access::StoreConditional, 8, 5), 1),
            (Reference::read(8, 4), 5),
            (Reference::write(8, 1, 6), 0),
            (Reference::read(8, 4), 6),
        ];
        let initiator = bench.initiator((memory, "port", 0), &script.map(|(request, _)| request), stalls);
        let mut simulation = bench.run(400);
        let responses = initiator.responses::<Response>(&mut simulation);
        let data: Vec<u128> = responses.iter().map(|(_, response)| response.data).collect();
        assert_eq!(data, script.map(|(_, result)| result));
        let requested = initiator.requested(&mut simulation);
        for (((asked, (answered, _)), (request, _)), stalled) in
            requested.iter().zip(&responses).zip(script).zip([stalls.response_percent > 0; 7])
        {
            let is_atomic = !matches!(request.access, Access::Read | Access::Write);
            if !is_atomic {
                assert_eq!(asked, answered, "neither before nor after");
            } else if !stalled {
                assert_eq!(asked + 1, *answered);
            }
        }
        if stalls.request_percent + stalls.response_percent == 0 {
            assert_eq!(
                requested,
                [0, 1, 2, 4, 6, 7, 8],
                "a lane refuses while an atomic operation is under way"
            );
        }
        assert_eq!(counter(&mut simulation, "memory", "reads"), 3);
    }
}

#[test]
fn without_latency_reads_of_a_cycle_come_before_its_writes() {
    let mut bench = Bench::new();
    let memory = memory(&mut bench, "memory", &[("latency", 0_u32.into())]);
    bench.initiator((memory, "port", 0), &[Reference::write(0, 4, 11)], Stalls::NONE);
    let reader = bench.initiator((memory, "port", 1), &[Reference::read(0, 4); 2], Stalls::NONE);
    let outside = bench.initiator((memory, "port", 2), &[Reference::read(4096, 4)], Stalls::NONE);
    let mut simulation = bench.run(10);
    let responses = reader.responses::<Response>(&mut simulation);
    assert_eq!(
        responses.iter().map(|(cycle, response)| (*cycle, response.data)).collect::<Vec<_>>(),
        [(0, 0), (1, 11)]
    );
    assert!(outside.responses::<Response>(&mut simulation)[0].1.is_fault);
}
