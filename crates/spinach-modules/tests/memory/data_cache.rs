//! Times of a data cache's answers, its requests to the memory, and its write-backs.

use spinach_engine::{ModuleId, ParameterValue, Simulation, Size};
use spinach_modules::memory::{CacheAnswer, CacheQuestion, CacheRequest};
use spinach_modules::values::{Access, Maintenance, Reference, Response};

use super::support::{Bench, Initiator, Stalls, counter, run_to};

// A cache of 128 bytes, two ways of lines of 32 bytes, and a memory of which byte i holds i modulo 251.
fn cache(bench: &mut Bench, extra: &[(&str, ParameterValue)]) -> ModuleId {
    let contents: Vec<u8> = (0..4096_u32).map(|byte| (byte % 251) as u8).collect();
    let settings: [(&str, ParameterValue); 2] = [("size", Size(4096).into()), ("contents", contents.into())];
    let memory = bench.design.module("memory", "multiported_memory", bench.domain, settings);
    let mut parameters = vec![("size", ParameterValue::from(Size(128)))];
    parameters.extend(extra.iter().cloned());
    let cache = bench.design.module("cache", "data_cache", bench.domain, parameters);
    bench.design.connect((cache, "memory_request"), (memory, "port_request"));
    bench.design.connect((memory, "port_response"), (cache, "memory_response"));
    cache
}

fn word(address: u64) -> u128 {
    (0..4).fold(0, |word, byte| word | u128::from((address + byte) % 251) << (8 * byte))
}

fn run(extra: &[(&str, ParameterValue)], requests: &[Reference]) -> (Initiator, Simulation) {
    let mut bench = Bench::new();
    let cache = cache(&mut bench, extra);
    let initiator = bench.initiator((cache, "port", 0), requests, Stalls::NONE);
    (initiator, bench.run(300))
}

// Cycles in which each request passes and its response is presented.
fn timeline(extra: &[(&str, ParameterValue)], requests: &[Reference]) -> Vec<(u64, u64)> {
    let (initiator, mut simulation) = run(extra, requests);
    let responses = initiator.responses::<Response>(&mut simulation);
    initiator.requested(&mut simulation).into_iter().zip(responses.iter().map(|(cycle, _)| *cycle)).collect()
}

fn read(address: u64) -> Reference {
    Reference::read(address, 4)
}

fn write(address: u64, data: u128) -> Reference {
    Reference::write(address, 4, data)
}

fn maintain(maintenance: Maintenance, address: u64) -> Reference {
    Reference::maintain(maintenance, address, 0, 0)
}

fn memory_word(simulation: &mut Simulation, address: u64) -> u128 {
    let memory = simulation.netlist().find_module("memory").expect("it was made");
    let mut bytes = [0; 4];
    assert!(simulation.contents(memory).expect("it is a memory").read(address, &mut bytes));
    u32::from_le_bytes(bytes).into()
}

#[test]
fn the_wanted_bytes_are_asked_first_and_answered_when_they_come() {
    // Taken in 0; the part from 16 on is asked in 1, answered in 2, presented in 3. The others come in 3 to 5: the word at 4 in 4.
    assert_eq!(timeline(&[], &[read(20)]), [(0, 3)]);
    assert_eq!(timeline(&[], &[read(20), read(4)]), [(0, 3), (1, 5)]);
    assert_eq!(timeline(&[], &[read(20), read(28), read(12)]), [(0, 3), (1, 4), (2, 6)]);
    assert_eq!(timeline(&[("miss_latency", 2_u32.into())], &[read(20)]), [(0, 5)]);
    // The last part comes in 5; nothing is taken in 6 to 8.
    let hits: Vec<Reference> = (0..8).map(|_| read(0)).collect();
    let taken: Vec<u64> = timeline(&[], &hits).into_iter().map(|(taken, _)| taken).collect();
    assert_eq!(taken, [0, 1, 2, 3, 4, 5, 9, 10]);
    let at_once: Vec<u64> =
        timeline(&[("fill_cycles", 0_u32.into())], &hits).into_iter().map(|(taken, _)| taken).collect();
    assert_eq!(at_once, [0, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn two_lines_may_be_on_their_way_and_a_third_waits() {
    let misses = [read(0), read(32), read(64), read(96)];
    // Parts are asked in 1 to 4 and 5 to 8. The first line is here in 5, so that the third is taken in 9, when the cache is free.
    assert_eq!(timeline(&[], &misses)[..3], [(0, 3), (1, 7), (9, 12)]);
    assert_eq!(timeline(&[("fills", 1_u32.into())], &misses)[..2], [(0, 3), (9, 12)]);
}

#[test]
fn a_line_is_zeroed_after_those_of_its_set_are_here() {
    // Line 64 shares the set of line 0, which is here in 5, so that it is zeroed in 9, when the cache is free.
    for (address, taken) in [(64, 9), (32, 1)] {
        let requests = [read(0), maintain(Maintenance::ZeroLine, address), read(address), read(0)];
        let (initiator, mut simulation) = run(&[], &requests);
        assert_eq!(initiator.requested(&mut simulation)[1], taken);
        let responses = initiator.responses::<Response>(&mut simulation);
        assert_eq!((responses[2].1.data, responses[3].1.data), (0, word(0)));
    }
}

#[test]
fn stores_are_answered_at_once_and_three_wait() {
    let uncached = [("cacheable", 0_u64.into())];
    let stores: Vec<Reference> = (0..6).map(|number| write(4 * number, 1)).collect();
    // Each is asked in the cycle after it was taken and performed in the next.
    assert_eq!(timeline(&uncached, &stores), [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5)]);
    // Merged into a line on its way they wait for all of it.
    let taken: Vec<u64> = timeline(&[], &stores).into_iter().map(|(taken, _)| taken).collect();
    assert_eq!(taken, [0, 1, 2, 9, 10, 11]);
}

#[test]
fn a_changed_line_is_written_back_when_another_needs_its_place() {
    // Lines 0, 64 and 128 share a set of two.
    let drain = maintain(Maintenance::Drain, 0);
    let requests = [write(4, 77), read(64), read(128), drain, read(4), read(8)];
    let (initiator, mut simulation) = run(&[], &requests);
    let data: Vec<u128> =
        initiator.responses::<Response>(&mut simulation).iter().map(|(_, response)| response.data).collect();
    assert_eq!(data, [0, word(64), word(128), 0, 77, word(8)]);
    assert_eq!(memory_word(&mut simulation, 4), 77);
    assert_eq!(memory_word(&mut simulation, 8), word(8));
    let mut count = |name| counter(&mut simulation, "cache", name);
    assert_eq!((count("fills"), count("flushes")), (4, 1));
    assert_eq!((count("read_misses"), count("write_misses")), (4, 1));
    assert_eq!(count("read_hits") + count("merges"), 1);
}

#[test]
fn every_reference_has_one_counter() {
    const COUNTERS: [&str; 8] = [
        "read_hits",
        "read_misses",
        "write_hits",
        "write_misses",
        "uncached",
        "through",
        "atomics",
        "maintenance",
    ];
    let counts = |extra: &[(&str, ParameterValue)], requests: &[Reference]| {
        let (_, mut simulation) = run(extra, requests);
        COUNTERS.map(|name| counter(&mut simulation, "cache", name))
    };
    let bypass: [(&str, ParameterValue); 2] =
        [("bypass_start", 0x100_u64.into()), ("bypass_bytes", Size(0x20).into())];
    let swap = |address| Reference { access: Access::Swap, ..write(address, 1) };
    let drain = maintain(Maintenance::Drain, 0);
    let requests = [read(0), drain, read(4), write(8, 1), drain, write(64, 1), drain, swap(128)];
    assert_eq!(counts(&bypass, &requests), [1, 1, 1, 1, 0, 0, 1, 3]);
    // The region begins at its first address and ends before that behind it.
    let edges = [0xfc, 0x100, 0x11c, 0x120];
    assert_eq!(counts(&bypass, &edges.map(read)), [0, 2, 0, 0, 2, 0, 0, 0]);
    assert_eq!(counts(&bypass, &edges.map(|address| write(address, 1))), [0, 0, 0, 2, 2, 0, 0, 0]);
    assert_eq!(counts(&bypass, &edges.map(swap)), [0, 0, 0, 0, 0, 0, 4, 0]);
    let through = [("write_through", 0xffff_ffff_u64.into())];
    assert_eq!(counts(&through, &[write(0, 1), read(0), drain, write(0, 2)]), [0, 1, 1, 1, 0, 2, 0, 1]);
}

#[test]
fn a_store_that_hits_makes_its_line_the_last_to_go() {
    // Lines 0, 64 and 128 share a set of two: the store to line 0 leaves line 64 to make room.
    let drain = maintain(Maintenance::Drain, 0);
    let requests = [read(0), read(64), drain, write(0, 1), drain, read(128), drain, read(4)];
    for write_through in [0_u64, 0xffff_ffff] {
        let (_, mut simulation) = run(&[("write_through", write_through.into())], &requests);
        let mut count = |name| counter(&mut simulation, "cache", name);
        assert_eq!((count("write_hits"), count("read_hits")), (1, 1), "write_through {write_through:#x}");
        assert_eq!((count("read_misses"), count("fills"), count("flushes")), (3, 3, 0));
    }
}

// Words in the cache and in the memory after a store, an operation on its line, and a read.
fn after(maintenance: Option<Maintenance>, extra: &[(&str, ParameterValue)]) -> (u128, u128) {
    let mut requests = vec![read(4), write(4, 77)];
    requests.extend(maintenance.map(|maintenance| maintain(maintenance, 4)));
    requests.extend([maintain(Maintenance::Drain, 0), read(4)]);
    let (initiator, mut simulation) = run(extra, &requests);
    let responses = initiator.responses::<Response>(&mut simulation);
    assert_eq!(responses.len(), requests.len());
    (responses.last().expect("the last is a read").1.data, memory_word(&mut simulation, 4))
}

#[test]
fn operations_on_lines_do_what_they_say() {
    assert_eq!(after(None, &[]), (77, word(4)), "the cache keeps what is stored");
    assert_eq!(after(Some(Maintenance::StoreLine), &[]), (77, 77));
    assert_eq!(after(Some(Maintenance::FlushLine), &[]), (77, 77));
    assert_eq!(after(Some(Maintenance::InvalidateLine), &[]), (word(4), word(4)), "the store is lost");
    assert_eq!(after(Some(Maintenance::InvalidateSet), &[]), (word(4), word(4)));
    assert_eq!(after(Some(Maintenance::ZeroLine), &[]), (0, word(4)));
    assert_eq!(after(None, &[("write_through", 0xffff_ffff_u64.into())]), (77, 77));
    assert_eq!(after(None, &[("cacheable", 0_u64.into())]), (77, 77));
    let bypass = [("bypass_bytes", Size(64).into())];
    assert_eq!(after(None, &bypass), (77, 77));
}

#[test]
fn firmware_chooses_the_attributes_of_regions() {
    let set = |maintenance, value| Reference::maintain(maintenance, 0, value, 0);
    let first = 0x8000_0000_u32;
    for (changes, in_memory) in [
        (set(Maintenance::SetCacheable, first), word(4)),
        (set(Maintenance::SetCacheable, !first), 77),
        (set(Maintenance::SetWriteThrough, first), 77),
        (set(Maintenance::SetWriteThrough, !first), word(4)),
    ] {
        let (_, mut simulation) = run(&[], &[changes, write(4, 77), read(4)]);
        assert_eq!(memory_word(&mut simulation, 4), in_memory, "{changes:?}");
    }
    // Without allocation a store that misses goes to the memory, and one that hits stays.
    let stores = [set(Maintenance::SetAllocation, 1), write(4, 77), read(36), write(36, 78)];
    let (_, mut simulation) = run(&[], &stores);
    assert_eq!((memory_word(&mut simulation, 4), memory_word(&mut simulation, 36)), (77, word(36)));
}

#[test]
fn a_drain_is_answered_when_all_is_performed() {
    let drain = maintain(Maintenance::Drain, 0);
    assert_eq!(timeline(&[], &[drain, read(0)])[0], (0, 1));
    // The line is here from 5 on. Then its write back is asked in 11 to 14, performed in 15.
    let flush = maintain(Maintenance::FlushLine, 0);
    assert_eq!(timeline(&[], &[write(0, 1), flush, drain]), [(0, 0), (9, 9), (10, 15)]);
}

#[test]
fn a_store_into_nothing_stops_the_simulation_with_its_address() {
    let mut bench = Bench::new();
    let cache = cache(&mut bench, &[("cacheable", 0_u64.into())]);
    bench.initiator((cache, "port", 0), &[write(0x2000, 1)], Stalls::NONE);
    let mut simulation = bench.start();
    let outcome = simulation.run_until(spinach_engine::Time::from_femtoseconds(100_000_000));
    assert!(format!("{outcome:?}").contains("0x2000"), "{outcome:?}");
}

fn ask(simulation: &mut Simulation, question: CacheQuestion) -> CacheAnswer {
    let cache = simulation.netlist().find_module("cache").expect("it was made");
    let mut request = CacheRequest { question, answer: None };
    simulation.ask(cache, &mut request);
    request.answer.expect("a cache answers")
}

#[test]
fn a_debugger_reads_what_the_initiator_would() {
    let (_, mut simulation) = run(&[], &[write(4, 77), read(64)]);
    assert_eq!(ask(&mut simulation, CacheQuestion::IsAtRest), CacheAnswer::AtRest(true));
    assert_eq!(ask(&mut simulation, CacheQuestion::Load(4)), CacheAnswer::Held(77));
    assert_eq!(memory_word(&mut simulation, 4), word(4));
    assert_eq!(ask(&mut simulation, CacheQuestion::Load(65)), CacheAnswer::Held(65));
    assert_eq!(ask(&mut simulation, CacheQuestion::Load(32)), CacheAnswer::NotHeld);
}

#[test]
fn what_a_debugger_writes_in_any_cycle_is_read_from_then_on() {
    // Lines 0, 64 and 128 share a set of two: the line comes, is changed, leaves, and comes again.
    let requests = [
        read(8),
        write(4, 77),
        read(64),
        read(128),
        read(192),
        read(8),
        write(0, 1),
        read(64),
        read(128),
        read(8),
    ];
    let mut leaving = 0;
    for cycle in 0..100 {
        let mut bench = Bench::new();
        let cache = cache(&mut bench, &[]);
        let initiator = bench.initiator((cache, "port", 0), &requests, Stalls::NONE);
        let mut simulation = bench.run(cycle);
        let before = initiator.responses::<Response>(&mut simulation).len();
        if ask(&mut simulation, CacheQuestion::Store(8, 200)) == CacheAnswer::Leaving {
            leaving += 1;
            continue;
        }
        let memory = simulation.netlist().find_module("memory").expect("it was made");
        assert!(simulation.contents(memory).expect("it is a memory").write(8, &[200]));
        run_to(&mut simulation, 300);
        let responses = initiator.responses::<Response>(&mut simulation);
        let taken = initiator.requested(&mut simulation);
        let bytes: Vec<u128> = responses.iter().map(|(_, response)| response.data & 0xff).collect();
        for (place, request) in requests.iter().enumerate().skip(before) {
            if *request == read(8) && taken[place] >= cycle {
                assert_eq!(bytes[place], 200, "read {place}, written in cycle {cycle}");
            }
        }
        assert_eq!(bytes.len(), requests.len());
    }
    assert!((1..50).contains(&leaving));
}
