//! Times of a cache's answers, its contents, and its snooping of other writers.

use spinach_engine::{ModuleId, ParameterValue, Size};
use spinach_modules::values::{Access, Reference, Response};

use super::support::{self, Bench, Initiator, Stalls, counter};

// A cache of 256 bytes, two ways of lines of 32 bytes, and a memory of which byte i holds i modulo 251.
fn cache(bench: &mut Bench, extra: &[(&str, ParameterValue)]) -> ModuleId {
    let contents: Vec<u8> = (0..4096_u32).map(|byte| (byte % 251) as u8).collect();
    let settings: [(&str, ParameterValue); 2] = [("size", Size(4096).into()), ("contents", contents.into())];
    let memory = bench.design.module("memory", "multiported_memory", bench.domain, settings);
    let mut parameters = vec![("size", ParameterValue::from(Size(256)))];
    parameters.extend(extra.iter().cloned());
    let cache = bench.design.module("cache", "cache_controller", bench.domain, parameters);
    bench.design.connect((cache, "memory_request"), (memory, "port_request"));
    bench.design.connect((memory, "port_response"), (cache, "memory_response"));
    cache
}

fn word(address: u64) -> u128 {
    (0..4).fold(0, |word, byte| word | u128::from((address + byte) % 251) << (8 * byte))
}

// Cycles in which each request passes and its response is presented.
fn timeline(extra: &[(&str, ParameterValue)], requests: &[Reference], stalls: Stalls) -> Vec<(u64, u64)> {
    let mut bench = Bench::new();
    let cache = cache(&mut bench, extra);
    let initiator = bench.initiator((cache, "port", 0), requests, stalls);
    let mut simulation = bench.run(200);
    let responses = initiator.responses::<Response>(&mut simulation);
    initiator.requested(&mut simulation).into_iter().zip(responses.iter().map(|(cycle, _)| *cycle)).collect()
}

#[test]
fn a_hit_is_answered_in_its_cycle_and_a_miss_after_its_line() {
    let reads = [0, 4, 28, 32, 0].map(|address| Reference::read(address, 4));
    // Taken in cycle 0, asked in 1 and 2, answered by the memory in 2 and 3, presented in 4; taken again from 5 on.
    assert_eq!(timeline(&[], &reads, Stalls::NONE), [(0, 4), (5, 5), (6, 6), (7, 11), (12, 12)]);
}

#[test]
fn a_hit_can_take_a_cycle_and_still_stream() {
    let reads = [0, 4, 28, 8].map(|address| Reference::read(address, 4));
    let registered = [("hit_latency", 1_u32.into())];
    assert_eq!(timeline(&registered, &reads, Stalls::NONE), [(0, 4), (4, 5), (5, 6), (6, 7)]);
}

#[test]
fn narrow_fills_take_one_cycle_per_part() {
    let narrow = [("fill_bytes", 4_u64.into())];
    assert_eq!(timeline(&narrow, &[Reference::read(0, 4)], Stalls::NONE), [(0, 1 + 8 + 1)]);
}

#[test]
fn counters_tell_hits_from_misses() {
    let mut bench = Bench::new();
    let cache = cache(&mut bench, &[]);
    let requests = [
        Reference::read(0, 4),
        Reference::read(16, 16),
        Reference::write(8, 4, 5),
        Reference::write(1024, 4, 5),
        Reference::read(1024, 4),
        Reference { access: Access::Set, ..Reference::write(0, 4, 5) },
        Reference::read(0, 4),
        Reference::read(8192, 4),
        Reference { size: 4, ..Reference::read(2, 4) },
    ];
    let initiator = bench.initiator((cache, "port", 0), &requests, Stalls::NONE);
    let mut simulation = bench.run(200);
    let mut count = |name| counter(&mut simulation, "cache", name);
    assert_eq!((count("read_hits"), count("read_misses")), (1, 5));
    assert_eq!((count("write_hits"), count("write_misses")), (1, 1));
    assert_eq!((count("atomics"), count("invalidations"), count("fills")), (1, 1, 4));
    let requested = initiator.requested(&mut simulation);
    let responses = initiator.responses::<Response>(&mut simulation);
    let waits: u64 = responses.iter().zip(&requested).map(|((presented, _), asked)| presented - asked).sum();
    assert_eq!(counter(&mut simulation, "cache", "stall_cycles"), waits);
    let faults: Vec<bool> = responses.iter().map(|(_, response)| response.is_fault).collect();
    assert_eq!(faults, [false, false, false, false, false, false, false, true, true]);
}

// Reads address 64 before and after another initiator writes there, past the cache, and is snooped.
fn read_around_a_write(policy: &str) -> (Initiator, spinach_engine::Simulation) {
    let mut bench = Bench::new();
    let cache = cache(&mut bench, &[("snoop_policy", policy.into())]);
    let memory = bench.design.modules.ids().next().expect("the memory comes first");
    let initiator = bench.initiator((cache, "port", 0), &[Reference::read(64, 4); 12], Stalls::NONE);
    bench.set(&initiator, "pause", 20_u64);
    let write = [Reference::write(64, 4, 0xdead_beef)];
    let other = bench.initiator((memory, "port", 1), &write, Stalls::NONE);
    bench.set(&other, "start", 20_u64);
    let snooped = bench.design.modules.len();
    let parameters: [(&str, ParameterValue); 2] =
        [("script", support::script(&write).into()), ("start", 20_u64.into())];
    let source = bench.design.module(format!("source{snooped}"), "test_source", bench.domain, parameters);
    bench.design.connect((source, "output"), (cache, "snoop"));
    let simulation = bench.run(100);
    (initiator, simulation)
}

#[test]
fn snooped_writes_invalidate_or_update() {
    for (policy, fills) in [("invalidate", 2), ("update", 1)] {
        let (initiator, mut simulation) = read_around_a_write(policy);
        let responses = initiator.responses::<Response>(&mut simulation);
        let data: Vec<u128> = responses.iter().map(|(_, response)| response.data).collect();
        assert_eq!(data[..10], [word(64); 10], "{policy}");
        assert_eq!(data[10..], [0xdead_beef; 2], "{policy}");
        assert_eq!(counter(&mut simulation, "cache", "fills"), fills, "{policy}");
    }
}

#[test]
fn a_line_written_to_while_it_is_filled_does_not_stay() {
    for cycle in 1..=3 {
        let mut bench = Bench::new();
        let cache = cache(&mut bench, &[]);
        bench.initiator((cache, "port", 0), &[Reference::read(64, 4); 2], Stalls::NONE);
        let parameters: [(&str, ParameterValue); 2] = [
            ("script", support::script(&[Reference::write(80, 4, 1)]).into()),
            ("start", ParameterValue::Integer(cycle)),
        ];
        let source = bench.design.module("snooped", "test_source", bench.domain, parameters);
        bench.design.connect((source, "output"), (cache, "snoop"));
        let mut simulation = bench.run(100);
        assert_eq!(counter(&mut simulation, "cache", "fills"), 2, "snooped in cycle {cycle}");
    }
}

#[test]
fn a_refused_hit_is_held() {
    let reads: Vec<Reference> = (0..40).map(|step| Reference::read(step % 8 * 4, 4)).collect();
    let stalls = Stalls { response_percent: 60, ..Stalls::NONE };
    let mut bench = Bench::new();
    let cache = cache(&mut bench, &[]);
    let initiator = bench.initiator((cache, "port", 0), &reads, stalls);
    let mut simulation = bench.run(400);
    let responses = initiator.responses::<Response>(&mut simulation);
    let data: Vec<u128> = responses.iter().map(|(_, response)| response.data).collect();
    assert_eq!(data, (0..40).map(|step| word(step % 8 * 4)).collect::<Vec<_>>());
}

#[test]
fn shapes_that_cannot_be_are_named() {
    let mut bench = Bench::new();
    let cache = cache(&mut bench, &[("associativity", 3_u64.into())]);
    bench.initiator((cache, "port", 0), &[Reference::read(0, 4)], Stalls::NONE);
    assert!(bench.problem().contains("are not a power of two of sets of 3 lines"), "{}", bench.problem());
}
