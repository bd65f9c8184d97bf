//! Crossbars and address maps between initiators and memories.

use spinach_engine::{ModuleId, ParameterValue, Simulation, Size, Time};
use spinach_modules::values::{Access, Reference, Response};

use crate::bench::{CYCLE, run_every_way};
use crate::support::{Bench, Initiator, Random, Stalls, counter, record, run_to, value};

const BANKS: usize = 4;
const SCRATCH: u64 = 0x1_0000;
const SCRATCH_BYTES: u64 = 0x400;
const EXTERNAL: u64 = 0x8000_0000;
const EXTERNAL_BYTES: u64 = 0x1000;

/// A crossbar before four banks of one cycle, word by word, and an external memory of several.
fn crossbar(bench: &mut Bench, external_latency: u32, extra: &[(&str, ParameterValue)]) -> ModuleId {
    let mut parameters: Vec<(&str, ParameterValue)> = vec![
        ("bases", vec![SCRATCH, EXTERNAL].into()),
        ("sizes", vec![SCRATCH_BYTES, EXTERNAL_BYTES].into()),
        ("interleave", vec![BANKS as u64, 1].into()),
        ("addressing", "compact".into()),
    ];
    parameters.extend(extra.iter().cloned());
    let crossbar = bench.design.module("crossbar", "crossbar", bench.domain, parameters);
    for target in 0..=BANKS {
        let (bytes, latency) = match target {
            BANKS => (EXTERNAL_BYTES, external_latency),
            _ => (SCRATCH_BYTES / BANKS as u64, 1),
        };
        let parameters: [(&str, ParameterValue); 2] =
            [("size", Size(bytes).into()), ("latency", latency.into())];
        let path = format!("memory{target}");
        let memory = bench.design.module(path, "multiported_memory", bench.domain, parameters);
        bench.design.connect_lanes((crossbar, "target_request", target), (memory, "port_request", 0));
        bench.design.connect_lanes((memory, "port_response", 0), (crossbar, "target_response", target));
    }
    crossbar
}

fn word(index: u64) -> u64 {
    SCRATCH + 4 * index
}

/// The cycles in which responses came.
fn response_cycles(initiator: &Initiator, simulation: &mut Simulation) -> Vec<u64> {
    initiator.responses::<Response>(simulation).iter().map(|(cycle, _)| *cycle).collect()
}

fn check_every_way(bench: &Bench, cycles: u64) -> Simulation {
    run_every_way(|| bench.start(), Time::from_femtoseconds(cycles * CYCLE))
}

#[test]
fn a_lone_initiator_moves_a_reference_in_every_cycle_from_bank_to_bank() {
    let mut bench = Bench::new();
    let crossbar = crossbar(&mut bench, 5, &[]);
    let reads: Vec<Reference> = (0..20).map(|index| Reference::read(word(index * 7 % 64), 4)).collect();
    let initiator = bench.initiator((crossbar, "initiator", 0), &reads, Stalls::NONE);
    let mut simulation = check_every_way(&bench, 30);
    assert_eq!(initiator.requested(&mut simulation), (0..20).collect::<Vec<u64>>());
    assert_eq!(response_cycles(&initiator, &mut simulation), (1..21).collect::<Vec<u64>>());
    assert_eq!(counter(&mut simulation, "crossbar", "conflict_cycles"), 0);
    assert_eq!(counter(&mut simulation, "crossbar", "references"), 20);
}

#[test]
fn initiators_take_turns_at_one_bank_and_do_not_meet_at_different_ones() {
    for (stride, interval) in [(0, 3), (1, 1)] {
        let mut bench = Bench::new();
        let crossbar = crossbar(&mut bench, 5, &[]);
        let initiators = [0, 1, 2].map(|lane| {
            let reads = [Reference::read(word(lane * stride), 4); 10];
            bench.initiator((crossbar, "initiator", lane as usize), &reads, Stalls::NONE)
        });
        let mut simulation = check_every_way(&bench, 40);
        for (lane, initiator) in (0..).zip(&initiators) {
            let first = if stride == 0 { lane } else { 0 };
            let expected: Vec<u64> = (0..10).map(|index| first + interval * index).collect();
            assert_eq!(initiator.requested(&mut simulation), expected);
            let answered: Vec<u64> = expected.iter().map(|cycle| cycle + 1).collect();
            assert_eq!(response_cycles(initiator, &mut simulation), answered);
        }
        // Sharing a bank: lane 0 waits two cycles between references, and the others one and two at first.
        let conflicts = if stride == 0 { 9 * 2 + (1 + 9 * 2) + (2 + 9 * 2) } else { 0 };
        assert_eq!(counter(&mut simulation, "crossbar", "conflict_cycles"), conflicts);
    }
}

#[test]
fn a_reference_to_another_target_passes_in_the_cycle_of_the_last_response_and_not_before() {
    for latency in [1_u32, 2, 6] {
        let mut bench = Bench::new();
        let crossbar = crossbar(&mut bench, latency, &[]);
        let script = [
            Reference::read(EXTERNAL, 4),
            Reference::read(EXTERNAL + 4, 4),
            Reference::read(word(0), 4),
            Reference::read(EXTERNAL, 4),
        ];
        let initiator = bench.initiator((crossbar, "initiator", 0), &script, Stalls::NONE);
        let mut simulation = check_every_way(&bench, 40);
        let latency = u64::from(latency);
        assert_eq!(initiator.requested(&mut simulation), [0, 1, 1 + latency, 2 + latency]);
        assert_eq!(
            response_cycles(&initiator, &mut simulation),
            [latency, 1 + latency, 2 + latency, 2 + 2 * latency]
        );
    }
}

#[test]
fn references_to_nowhere_are_answered_with_a_fault_in_the_next_cycle_and_in_order() {
    let mut bench = Bench::new();
    let crossbar = crossbar(&mut bench, 4, &[]);
    let script = [
        Reference::read(0, 4),
        Reference::read(SCRATCH - 4, 4),
        Reference::write(word(2), 4, 5),
        Reference::write(SCRATCH + SCRATCH_BYTES, 4, 6),
        Reference::read(EXTERNAL + 8, 4),
        // Eight bytes lie in two banks; sixteen bytes from the last eight on lie in no memory.
        Reference::read(word(0), 8),
        Reference::read(EXTERNAL + EXTERNAL_BYTES - 8, 16),
        Reference::read(word(2), 4),
    ];
    let initiator = bench.initiator((crossbar, "initiator", 0), &script, Stalls::NONE);
    let mut simulation = check_every_way(&bench, 40);
    let responses = initiator.responses::<Response>(&mut simulation);
    let is_fault: Vec<bool> = responses.iter().map(|(_, response)| response.is_fault).collect();
    assert_eq!(is_fault, [true, true, false, true, false, true, true, false]);
    assert_eq!(responses[7].1.data, 5);
    assert_eq!(response_cycles(&initiator, &mut simulation), [1, 2, 3, 4, 8, 9, 10, 11]);
    assert_eq!(counter(&mut simulation, "crossbar", "faults"), 5);
    assert_eq!(counter(&mut simulation, "crossbar", "reads"), 2);
    assert_eq!(counter(&mut simulation, "crossbar", "writes"), 1);
}

#[test]
fn targets_get_the_addresses_they_are_meant_to_know() {
    let (in_bank, in_external) = (word(2 + 4 * 5), EXTERNAL + 0x24);
    let cases = [("full", in_bank, in_external), ("compact", 4 * 5, 0x24), ("banked", 4 * 5, in_external)];
    for (addressing, bank_address, external_address) in cases {
        let mut bench = Bench::new();
        // The later setting of a parameter counts.
        let crossbar = crossbar(&mut bench, 1, &[("addressing", addressing.into())]);
        let script = [Reference::read(in_bank, 4), Reference::write(in_external, 4, 9)];
        bench.initiator((crossbar, "initiator", 0), &script, Stalls::NONE);
        let mut simulation = bench.start();
        let recordings = ["memory2", "memory4"].map(|path| record(&mut simulation, path, "port_request"));
        run_to(&mut simulation, 5);
        let seen = recordings.map(|recording| {
            let recording = recording.lock().unwrap();
            let words = recording.iter().find_map(|(words, _)| words.clone());
            value::<Reference>(&words.expect("a reference came")).address
        });
        assert_eq!(seen, [bank_address, external_address], "{addressing}");
    }
}

#[test]
fn a_target_takes_no_more_references_than_may_be_outstanding() {
    let mut bench = Bench::new();
    let crossbar = crossbar(&mut bench, 10, &[("outstanding", 3_u32.into())]);
    let reads: Vec<Reference> = (0..7).map(|index| Reference::read(EXTERNAL + 4 * index, 4)).collect();
    let initiator = bench.initiator((crossbar, "initiator", 0), &reads, Stalls::NONE);
    let mut simulation = check_every_way(&bench, 60);
    // Room that a response leaves in cycle 10 can be used from cycle 11 on.
    assert_eq!(initiator.requested(&mut simulation), [0, 1, 2, 11, 12, 13, 22]);
}

/// A script of random references of all kinds to words that no other initiator uses, and what must be answered.
fn random_script(
    lane: u64,
    lanes: u64,
    length: usize,
    random: &mut Random,
) -> (Vec<Reference>, Vec<Response>) {
    let mut memory = std::collections::BTreeMap::new();
    let mut script = Vec::new();
    let mut answers = Vec::new();
    while script.len() < length {
        let own = lane + lanes * random.below(256 / lanes);
        let address = match random.below(10) {
            0 => 0x2000 + 4 * own,
            1..=3 => EXTERNAL + 4 * own,
            _ => word(own),
        };
        let data = random.next() as u32;
        let exists = address >= SCRATCH;
        let (reference, answer) = match random.below(2) {
            0 => (Reference::read(address, 4), memory.get(&address).copied().unwrap_or(0)),
            _ => (Reference::write(address, 4, data.into()), 0),
        };
        if exists && reference.access == Access::Write {
            memory.insert(address, data);
        }
        script.push(Reference { source: lane as u16, ..reference });
        answers.push(Response { data: if exists { answer.into() } else { 0 }, is_fault: !exists });
    }
    (script, answers)
}

#[test]
fn every_initiator_gets_its_own_answers_in_its_own_order() {
    for (round, stalls) in Stalls::all().into_iter().enumerate() {
        for lanes in [1, 3, 11] {
            let mut random = Random::new(round as u64 * 100 + lanes);
            let mut bench = Bench::new();
            let crossbar = crossbar(&mut bench, 3, &[("outstanding", 2_u32.into())]);
            let mut expected = Vec::new();
            for lane in 0..lanes {
                let (script, answers) = random_script(lane, lanes, 60, &mut random);
                let place = (crossbar, "initiator", lane as usize);
                expected.push((bench.initiator(place, &script, stalls), answers));
            }
            let mut simulation = check_every_way(&bench, 2500);
            for (initiator, answers) in expected {
                let responses = initiator.responses::<Response>(&mut simulation);
                let responses: Vec<Response> = responses.into_iter().map(|(_, response)| response).collect();
                assert_eq!(responses, answers, "{lanes} initiators, {stalls:?}");
            }
            assert_eq!(counter(&mut simulation, "crossbar", "references"), 60 * lanes);
            let parts = ["reads", "writes", "atomics", "faults"];
            let sum: u64 = parts.iter().map(|name| counter(&mut simulation, "crossbar", name)).sum();
            assert_eq!(sum, 60 * lanes);
        }
    }
}

/// A design whose crossbar or address map is wrong, with one initiator and `targets` memories.
fn problem(kind: &str, targets: usize, parameters: &[(&str, ParameterValue)]) -> String {
    let mut bench = Bench::new();
    let module = bench.design.module("module", kind, bench.domain, parameters.iter().cloned());
    for target in 0..targets {
        let size: [(&str, ParameterValue); 1] = [("size", Size(64).into())];
        let memory = bench.design.module(format!("memory{target}"), "multiported_memory", bench.domain, size);
        bench.design.connect_lanes((module, "target_request", target), (memory, "port_request", 0));
        bench.design.connect_lanes((memory, "port_response", 0), (module, "target_response", target));
    }
    bench.initiator::<Reference>((module, "initiator", 0), &[], Stalls::NONE);
    bench.problem().lines().next().unwrap().to_owned()
}

#[test]
fn contradicting_ranges_are_refused() {
    let lists = |bases: &[u64], sizes: &[u64]| -> Vec<(&str, ParameterValue)> {
        vec![("bases", bases.to_vec().into()), ("sizes", sizes.to_vec().into())]
    };
    let with = |mut lists: Vec<(&'static str, ParameterValue)>, name, list: &[u64]| {
        lists.push((name, list.to_vec().into()));
        lists
    };
    for kind in ["crossbar", "address_map"] {
        let say = |targets, lists: &[(&str, ParameterValue)]| problem(kind, targets, lists);
        assert_eq!(say(2, &lists(&[0, 64], &[64])), "module: bases has 2 entries, but sizes has 1");
        assert_eq!(say(2, &lists(&[0, 32], &[64, 64])), "module: ranges 0 and 1 overlap at 0x20");
        assert_eq!(say(1, &lists(&[64], &[0])), "module: range 0 at 0x40 has no bytes");
        assert_eq!(
            say(1, &lists(&[u64::MAX], &[2])),
            "module: range 0 at 0xffffffffffffffff with 0x2 bytes does not end before 2^64"
        );
        assert_eq!(say(2, &lists(&[0], &[64])), "module: no range of addresses leads to target 1");
        assert_eq!(
            say(1, &with(lists(&[0], &[64]), "targets", &[3])),
            "module: target 3 is not connected, but range 0 at 0x0 leads to it"
        );
    }
    assert_eq!(
        problem("crossbar", 2, &with(lists(&[0], &[64]), "interleave", &[3])),
        "module: target 2 is not connected, but range 0 at 0x0 leads to it"
    );
    let mut odd = lists(&[0], &[64]);
    odd.push(("interleave_bytes", Size(12).into()));
    assert_eq!(problem("crossbar", 1, &odd), "module.interleave_bytes: 12 B is not a power of two");
}

#[test]
fn an_address_map_subtracts_the_base_and_keeps_the_order() {
    for stalls in Stalls::all() {
        let mut bench = Bench::new();
        let parameters: [(&str, ParameterValue); 3] = [
            ("bases", vec![0x100_u64, 0x200, 0x300].into()),
            ("sizes", vec![64_u64, 64, 64].into()),
            ("targets", vec![0_u64, 1, 0].into()),
        ];
        let map = bench.design.module("map", "address_map", bench.domain, parameters);
        for (target, latency) in [1_u32, 4].into_iter().enumerate() {
            let parameters: [(&str, ParameterValue); 2] =
                [("size", Size(64).into()), ("latency", latency.into())];
            let path = format!("memory{target}");
            let memory = bench.design.module(path, "multiported_memory", bench.domain, parameters);
            bench.design.connect_lanes((map, "target_request", target), (memory, "port_request", 0));
            bench.design.connect_lanes((memory, "port_response", 0), (map, "target_response", target));
        }
        let script = [
            Reference::write(0x104, 4, 1),
            Reference::write(0x204, 4, 2),
            Reference::read(0x304, 4),
            Reference::read(0x2fc, 4),
            Reference::read(0x204, 4),
            Reference::read(0x340, 4),
        ];
        let initiator = bench.initiator((map, "initiator", 0), &script, stalls);
        let mut simulation = check_every_way(&bench, 200);
        let responses = initiator.responses::<Response>(&mut simulation);
        let answers: Vec<(u128, bool)> =
            responses.iter().map(|(_, response)| (response.data, response.is_fault)).collect();
        assert_eq!(
            answers,
            [(0, false), (0, false), (1, false), (0, true), (2, false), (0, true)],
            "{stalls:?}"
        );
        if stalls.request_percent + stalls.response_percent == 0 {
            assert_eq!(initiator.requested(&mut simulation), [0, 1, 5, 6, 7, 11]);
            assert_eq!(response_cycles(&initiator, &mut simulation), [1, 5, 6, 7, 11, 12]);
        }
        assert_eq!(counter(&mut simulation, "map", "faults"), 2);
    }
}
