//! Local buses between initiators and memories: paths, turns, bursts.

use spinach_engine::{ModuleId, ParameterValue, Simulation, Size, Time};
use spinach_modules::values::{Reference, Response};

use crate::bench::{CYCLE, run_every_way};
use crate::support::blocks::{Asked, pattern};
use crate::support::{Bench, Initiator, Random, Stalls, counter};

const NEAR: u64 = 0x1000;
const FAR: u64 = 0x8000_0000;
const BYTES: u64 = 0x4000;

/// A bus of 8 bytes before two memories that take references and bursts.
fn bus(bench: &mut Bench, latency: u32, extra: &[(&str, ParameterValue)]) -> ModuleId {
    let mut parameters: Vec<(&str, ParameterValue)> =
        vec![("bases", vec![NEAR, FAR].into()), ("sizes", vec![BYTES, BYTES].into())];
    parameters.extend(extra.iter().cloned());
    let bus = bench.design.module("bus", "local_bus", bench.domain, parameters);
    for (target, base) in [NEAR, FAR].into_iter().enumerate() {
        let parameters: [(&str, ParameterValue); 3] =
            [("size", Size(BYTES).into()), ("base", base.into()), ("latency", latency.into())];
        let path = format!("memory{target}");
        let memory = bench.design.module(path, "multiported_memory", bench.domain, parameters);
        for (ours, theirs) in [("target", "port"), ("target_block", "block")] {
            let (request, response) = (format!("{ours}_request"), format!("{ours}_response"));
            bench.design.connect_lanes((bus, &request, target), (memory, &format!("{theirs}_request"), 0));
            bench.design.connect_lanes((memory, &format!("{theirs}_response"), 0), (bus, &response, target));
        }
    }
    bus
}

fn check_every_way(bench: &Bench, cycles: u64) -> Simulation {
    run_every_way(|| bench.start(), Time::from_femtoseconds(cycles * CYCLE))
}

fn response_cycles(initiator: &Initiator, simulation: &mut Simulation) -> Vec<u64> {
    initiator.responses::<Response>(simulation).iter().map(|(cycle, _)| *cycle).collect()
}

#[test]
fn a_memory_of_one_cycle_answers_three_cycles_after_the_request() {
    for latency in [1_u32, 5] {
        let mut bench = Bench::new();
        let bus = bus(&mut bench, latency, &[]);
        let initiator = bench.initiator((bus, "initiator", 0), &[Reference::read(NEAR, 8)], Stalls::NONE);
        let mut simulation = check_every_way(&bench, 20);
        assert_eq!(initiator.requested(&mut simulation), [0]);
        assert_eq!(response_cycles(&initiator, &mut simulation), [2 + u64::from(latency)]);
    }
}

#[test]
fn a_read_occupies_its_path_for_as_long_as_its_bytes_take_and_not_that_of_writes() {
    let mut bench = Bench::new();
    let bus = bus(&mut bench, 1, &[("width", Size(4).into())]);
    // 16 bytes take four cycles; the others request a path from the same cycle on.
    let first = bench.initiator((bus, "initiator", 0), &[Reference::write(FAR, 16, 1)], Stalls::NONE);
    let second = bench.initiator((bus, "initiator", 1), &[Reference::read(NEAR, 16)], Stalls::NONE);
    let third = bench.initiator((bus, "initiator", 2), &[Reference::read(NEAR, 4)], Stalls::NONE);
    let mut simulation = check_every_way(&bench, 20);
    assert_eq!(response_cycles(&first, &mut simulation), [3], "nothing else writes");
    assert_eq!(response_cycles(&second, &mut simulation), [3]);
    assert_eq!(response_cycles(&third, &mut simulation), [7], "after the four cycles of the second");
    assert_eq!(counter(&mut simulation, "bus", "read_cycles"), 5);
    assert_eq!(counter(&mut simulation, "bus", "write_cycles"), 4);
}

#[test]
fn blocks_move_in_bursts_and_let_others_pass_between_two() {
    let mut bench = Bench::new();
    let bus = bus(&mut bench, 1, &[("burst", Size(64).into())]);
    let asked = [Asked { address: FAR, length: 1000, writes: false }];
    let block = bench.blocks((bus, "block", 0), &asked, Stalls::NONE);
    let other = bench.initiator((bus, "initiator", 0), &[Reference::read(NEAR, 8); 8], Stalls::NONE);
    let mut simulation = check_every_way(&bench, 400);
    let (cycle, bytes, is_fault) = block.state(&mut simulation).answered.remove(0);
    assert_eq!((bytes.map(|bytes| bytes.len()), is_fault), (Some(1000), false));
    // It came in cycle 1; then 125 cycles of its data and 8 of the others.
    assert_eq!(cycle, 1 + 125 + 8);
    let cycles = response_cycles(&other, &mut simulation);
    assert!(cycles.iter().zip(1..).all(|(cycle, number)| *cycle <= number * 9 + 4), "{cycles:?}");
    assert_eq!(counter(&mut simulation, "bus", "reads"), 16 + 8);
}

#[test]
fn blocks_of_any_place_and_length_are_those_of_a_flat_memory() {
    for stalls in Stalls::all() {
        let mut random = Random::new(9);
        let mut bench = Bench::new();
        let bus = bus(&mut bench, 2, &[("burst", Size(32).into())]);
        let asked: Vec<Asked> = (0..60)
            .map(|_| Asked {
                address: FAR + random.below(200),
                length: 1 + random.below(150) as u32,
                writes: random.below(2) == 0,
            })
            .collect();
        let initiator = bench.blocks((bus, "block", 0), &asked, stalls);
        bench.initiator((bus, "initiator", 0), &[Reference::read(NEAR, 8)], Stalls::NONE);
        let mut simulation = check_every_way(&bench, 5_000);
        let answered = initiator.state(&mut simulation).answered;
        assert_eq!(answered.len(), asked.len());
        let mut flat = vec![0; 400];
        for (number, (asked, (_, bytes, is_fault))) in asked.iter().zip(answered).enumerate() {
            let begin = (asked.address - FAR) as usize;
            let place = begin..begin + asked.length as usize;
            assert!(!is_fault);
            if asked.writes {
                flat[place].copy_from_slice(&pattern(number, asked.length));
            } else {
                assert_eq!(bytes.as_deref(), Some(&flat[place]));
            }
        }
    }
}

#[test]
fn what_lies_in_no_range_is_a_fault_behind_the_answers_that_are_due() {
    let mut bench = Bench::new();
    let bus = bus(&mut bench, 5, &[]);
    let script = [Reference::read(NEAR, 8), Reference::read(0, 8), Reference::read(NEAR + BYTES - 8, 16)];
    let initiator = bench.initiator((bus, "initiator", 0), &script, Stalls::NONE);
    let asked = [Asked { address: FAR + BYTES - 8, length: 9, writes: false }];
    let block = bench.blocks((bus, "block", 0), &asked, Stalls::NONE);
    let mut simulation = check_every_way(&bench, 60);
    let responses = initiator.responses::<Response>(&mut simulation);
    let is_fault: Vec<bool> = responses.iter().map(|(_, response)| response.is_fault).collect();
    assert_eq!(is_fault, [false, true, true]);
    assert!(block.state(&mut simulation).answered[0].2);
    assert_eq!(counter(&mut simulation, "bus", "faults"), 3);
}

#[test]
fn ranges_that_overlap_or_lead_nowhere_are_refused() {
    let with = |extra: &[(&str, ParameterValue)]| {
        let mut bench = Bench::new();
        let bus = bus(&mut bench, 1, extra);
        bench.initiator((bus, "initiator", 0), &[Reference::read(NEAR, 8)], Stalls::NONE);
        bench.problem()
    };
    assert!(with(&[("targets", vec![0_u64, 2].into())]).contains("of target 2, of 2"));
    assert!(with(&[("targets", vec![0_u64].into())]).contains("as many numbers"));
    assert!(with(&[("burst", Size(48).into())]).contains("not a power of two"));
}
