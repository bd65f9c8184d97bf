//! Copies of bytes between memories, however they are aligned.

use spinach_engine::{Limit, ParameterValue, Simulation, Size};
use spinach_modules::values::{Response, Transfer};

use super::support::{Bench, Initiator, Random, Stalls, counter};

const SIZE: u64 = 4096;

fn contents(seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    (0..SIZE).map(|_| random.next() as u8).collect()
}

struct Copied {
    simulation: Simulation,
    initiator: Initiator,
}

impl Copied {
    fn memory(&mut self, path: &str) -> Vec<u8> {
        let memory = self.simulation.netlist().find_module(path).expect("the memory is in the design");
        let mut bytes = vec![0; SIZE as usize];
        assert!(self.simulation.contents(memory).expect("it is a memory").read(0, &mut bytes));
        bytes
    }

    fn ends(&mut self) -> Vec<(u64, bool)> {
        let responses = self.initiator.responses::<Response>(&mut self.simulation);
        responses.into_iter().map(|(cycle, response)| (cycle, response.is_fault)).collect()
    }
}

// Between two memories, with arbiters in between that a rival keeps busy.
fn copy(transfers: &[Transfer], width: u64, depth: u64, stalls: Stalls, latency: u32) -> Copied {
    let mut bench = Bench::new();
    let parameters: [(&str, ParameterValue); 2] = [("width", width.into()), ("depth", depth.into())];
    let unit = bench.design.module("unit", "block_memory_transfer", bench.domain, parameters);
    for (seed, bundle) in [(1, "first"), (2, "second")] {
        let parameters: [(&str, ParameterValue); 3] =
            [("size", Size(SIZE).into()), ("contents", contents(seed).into()), ("latency", latency.into())];
        let memory = bench.design.module(bundle, "multiported_memory", bench.domain, parameters);
        let none: [(&str, u64); 0] = [];
        let arbiter = bench.design.module(format!("{bundle}_arbiter"), "arbiter", bench.domain, none);
        bench.design.connect((unit, &format!("{bundle}_request")), (arbiter, "initiator_request"));
        bench.design.connect((arbiter, "initiator_response"), (unit, &format!("{bundle}_response")));
        bench.design.connect((arbiter, "target_request"), (memory, "port_request"));
        bench.design.connect((memory, "port_response"), (arbiter, "target_response"));
        if stalls.request_percent > 0 {
            let rivals = vec![spinach_modules::values::Reference::read(0, 4); 2000];
            bench.initiator((arbiter, "initiator", 1), &rivals, stalls);
        }
    }
    let initiator = bench.initiator((unit, "command", 0), transfers, stalls);
    let mut simulation = bench.start();
    // Verifying declared dependencies costs most of the time.
    simulation.set_check_dependencies(width == 4 && depth == 2);
    let domain = simulation.netlist().find_domain("clock").expect("there is one clock");
    let limit = Limit::cycles(&simulation, domain, 8_000).expect("it is not that far");
    simulation.run_until(limit.time);
    Copied { simulation, initiator }
}

#[test]
fn any_alignment_both_ways_with_and_without_stalls() {
    for stalls in Stalls::all() {
        for (width, depth) in [(1, 2), (4, 2), (4, 8), (16, 4)] {
            let mut random = Random::new(width + depth);
            let transfers: Vec<Transfer> = (0..20)
                .map(|_| Transfer {
                    first: random.below(SIZE - 200),
                    second: random.below(SIZE - 200),
                    length: [0, 1, 3, 16, 17, 200][random.below(6) as usize],
                    to_second: random.below(2) == 0,
                })
                .collect();
            let (mut first, mut second) = (contents(1), contents(2));
            for transfer in &transfers {
                let length = transfer.length as usize;
                let (in_first, in_second) = (transfer.first as usize, transfer.second as usize);
                let (in_first, in_second) = (in_first..in_first + length, in_second..in_second + length);
                if transfer.to_second {
                    second[in_second].copy_from_slice(&first[in_first]);
                } else {
                    first[in_first].copy_from_slice(&second[in_second]);
                }
            }
            let mut copied = copy(&transfers, width, depth, stalls, 2);
            let ends = copied.ends();
            assert_eq!(ends.len(), transfers.len(), "width {width} depth {depth} {stalls:?}");
            assert!(ends.iter().all(|(_, is_fault)| !is_fault));
            assert!(copied.memory("first") == first && copied.memory("second") == second);
            let bytes: u64 = transfers.iter().map(|transfer| u64::from(transfer.length)).sum();
            assert_eq!(counter(&mut copied.simulation, "unit", "bytes"), bytes);
        }
    }
}

#[test]
fn it_streams_one_word_per_cycle() {
    let transfer = Transfer { first: 0, second: 64, length: 64, to_second: true };
    let mut copied = copy(&[transfer], 4, 4, Stalls::NONE, 1);
    // Taken in 0, first read in 1, answered in 2, written in 3; the 16th is written in 18, answered in 19.
    assert_eq!(copied.ends(), [(20, false)]);
    assert_eq!(counter(&mut copied.simulation, "unit", "busy_cycles"), 20);
    assert_eq!(counter(&mut copied.simulation, "unit", "writes"), 16);
}

#[test]
fn an_empty_copy_is_done_at_once() {
    let transfer = Transfer { first: 1, second: 2, length: 0, to_second: true };
    assert_eq!(copy(&[transfer], 4, 4, Stalls::NONE, 1).ends(), [(2, false)]);
}

#[test]
fn what_does_not_answer_ends_the_copy_with_a_fault_and_the_next_goes_on() {
    let good = Transfer { first: 0, second: 0, length: 32, to_second: true };
    let transfers = [
        Transfer { first: SIZE - 16, ..good },
        Transfer { second: SIZE - 16, ..good },
        Transfer { first: u64::MAX - 8, ..good },
        good,
    ];
    let mut copied = copy(&transfers, 4, 4, Stalls::NONE, 1);
    let faults: Vec<bool> = copied.ends().iter().map(|(_, is_fault)| *is_fault).collect();
    assert_eq!(faults, [true, true, true, false]);
    assert_eq!(copied.memory("second")[..32], contents(1)[..32]);
}
