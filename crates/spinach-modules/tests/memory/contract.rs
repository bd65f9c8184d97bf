//! The contract of memory targets, for everything that is one.

use spinach_engine::{ModuleId, ParameterValue, Policy, Size};
use spinach_modules::values::{Reference, Response};

use super::support::contract::{self, Abilities, BASE, SIZE};
use super::support::{Bench, Stalls};

const EVERYTHING: Abilities = Abilities { width: 16, atomics: true, posts_writes: false };

pub(super) fn memory(bench: &mut Bench, latency: u32) -> ModuleId {
    let parameters: [(&str, ParameterValue); 3] =
        [("size", Size(SIZE).into()), ("base", BASE.into()), ("latency", latency.into())];
    bench.design.module("memory", "multiported_memory", bench.domain, parameters)
}

pub(super) fn connect(
    bench: &mut Bench,
    (from, initiator): (ModuleId, &str),
    (to, target): (ModuleId, &str),
) {
    let name = |bundle: &str, role: &str| format!("{bundle}_{role}");
    bench.design.connect((from, &name(initiator, "request")), (to, &name(target, "request")));
    bench.design.connect((to, &name(target, "response")), (from, &name(initiator, "response")));
}

#[test]
fn memory_alone() {
    for latency in [1, 3] {
        contract::check(&|bench| (memory(bench, latency), "port"), EVERYTHING);
    }
}

#[test]
fn arbiter_and_memory() {
    for outstanding in [1_u32, 2, 16] {
        let build = |bench: &mut Bench| {
            let memory = memory(bench, 2);
            let parameters = [("outstanding", outstanding)];
            let arbiter = bench.design.module("arbiter", "arbiter", bench.domain, parameters);
            connect(bench, (arbiter, "target"), (memory, "port"));
            (arbiter, "initiator")
        };
        contract::check(&build, EVERYTHING);
    }
}

#[test]
fn all_initiators_of_a_memory_or_an_arbiter_see_one_order() {
    contract::one_order_for_all(&|bench| (memory(bench, 1), "port"), 4);
    let arbitrated = |bench: &mut Bench| {
        let memory = memory(bench, 1);
        let none: [(&str, u64); 0] = [];
        let arbiter = bench.design.module("arbiter", "arbiter", bench.domain, none);
        connect(bench, (arbiter, "target"), (memory, "port"));
        (arbiter, "initiator")
    };
    contract::one_order_for_all(&arbitrated, 8);
}

#[test]
fn memory_controller_and_memory() {
    let variants =
        [(1_u64, 1_u64, "in_order"), (4, 9, "in_order"), (1, 1, "first_ready"), (4, 9, "first_ready")];
    for (banks, column_latency, policy) in variants {
        let build = |bench: &mut Bench| {
            let memory = memory(bench, 1);
            let parameters: [(&str, ParameterValue); 5] = [
                ("policy", policy.into()),
                ("banks", ParameterValue::from(banks)),
                ("row_size", Size(256).into()),
                ("column_latency", column_latency.into()),
                ("read_to_write_latency", 2_u64.into()),
            ];
            let controller = bench.design.module("controller", "memory_controller", bench.domain, parameters);
            connect(bench, (controller, "memory"), (memory, "port"));
            (controller, "port")
        };
        contract::check(&build, EVERYTHING);
    }
}

#[test]
fn cache_and_memory() {
    let variants: [(&str, u64, u32, u64, bool, bool); 5] = [
        ("lru", 2, 0, 16, true, false),
        ("fifo", 1, 1, 4, true, true),
        ("random", 4, 1, 16, true, false),
        ("random", 8, 0, 8, false, true),
        ("lru", 1, 0, 16, false, false),
    ];
    for (replacement, associativity, hit_latency, fill_bytes, read_allocate, write_allocate) in variants {
        let build = |bench: &mut Bench| {
            let memory = memory(bench, 1);
            let parameters: [(&str, ParameterValue); 7] = [
                ("size", Size(256).into()),
                ("associativity", associativity.into()),
                ("replacement", Policy::named(replacement).into()),
                ("hit_latency", hit_latency.into()),
                ("fill_bytes", fill_bytes.into()),
                ("read_allocate", read_allocate.into()),
                ("write_allocate", write_allocate.into()),
            ];
            let cache = bench.design.module("cache", "cache_controller", bench.domain, parameters);
            connect(bench, (cache, "memory"), (memory, "port"));
            (cache, "port")
        };
        contract::check(&build, EVERYTHING);
    }
}

#[test]
fn data_cache_and_memory() {
    // Size, ways, line, transfer, fills, flushes, stores, write through, allocate.
    const SHAPES: [[u32; 9]; 6] = [
        [256, 2, 32, 8, 2, 2, 3, 0, 1],
        [64, 1, 16, 16, 1, 1, 1, 0, 1],
        [512, 4, 128, 4, 8, 8, 64, 0, 1],
        [256, 2, 32, 16, 2, 1, 2, 0, 0],
        [256, 2, 32, 8, 2, 2, 3, u32::MAX, 1],
        [128, 8, 16, 1, 3, 2, 4, 0, 1],
    ];
    for [size, ways, line, transfer, fills, flushes, stores, write_through, allocate] in SHAPES {
        let build = |bench: &mut Bench| {
            let memory = memory(bench, 2);
            let parameters: [(&str, ParameterValue); 11] = [
                ("size", Size(size.into()).into()),
                ("associativity", u64::from(ways).into()),
                ("line_size", Size(line.into()).into()),
                ("transfer_bytes", u64::from(transfer).into()),
                ("fills", fills.into()),
                ("flushes", flushes.into()),
                ("stores", stores.into()),
                ("write_through", u64::from(write_through).into()),
                ("write_allocate", (allocate != 0).into()),
                ("miss_latency", u32::from(ways == 2).into()),
                ("fill_cycles", (ways - 1).into()),
            ];
            let cache = bench.design.module("cache", "data_cache", bench.domain, parameters);
            connect(bench, (cache, "memory"), (memory, "port"));
            (cache, "port")
        };
        contract::check(&build, Abilities { width: 16, atomics: false, posts_writes: true });
    }
    // A write back of a line takes reservations in it away, so that atomic operations are those of a memory only past the cache.
    let uncached = |bench: &mut Bench| {
        let memory = memory(bench, 2);
        let parameters = [("cacheable", ParameterValue::from(0_u64))];
        let cache = bench.design.module("cache", "data_cache", bench.domain, parameters);
        connect(bench, (cache, "memory"), (memory, "port"));
        (cache, "port")
    };
    contract::check(&uncached, Abilities { posts_writes: true, ..EVERYTHING });
}

#[test]
fn scratch_pad_filter_and_three_memories() {
    // A reservation is the memory's that gave it, and here are three: atomic operations are not those of one memory.
    let abilities = Abilities { width: 16, atomics: false, posts_writes: false };
    for outstanding in [1_u32, 8] {
        let build = |bench: &mut Bench| {
            let parameters: [(&str, ParameterValue); 5] = [
                ("scratch_pad_base", BASE.into()),
                ("scratch_pad_size", Size(32).into()),
                ("registers_base", (BASE + 32).into()),
                ("registers_size", Size(32).into()),
                ("outstanding", outstanding.into()),
            ];
            let filter = bench.design.module("filter", "scratch_pad_filter", bench.domain, parameters);
            let targets =
                [("scratch_pad", 0, 32, 1_u32), ("registers", 32, 32, 3), ("global", 64, SIZE - 64, 2)];
            for (bundle, offset, size, latency) in targets {
                let parameters: [(&str, ParameterValue); 3] = [
                    ("size", Size(size).into()),
                    ("base", (BASE + offset).into()),
                    ("latency", latency.into()),
                ];
                let memory = bench.design.module(bundle, "multiported_memory", bench.domain, parameters);
                connect(bench, (filter, bundle), (memory, "port"));
            }
            (filter, "port")
        };
        contract::check(&build, abilities);
    }
}

#[test]
fn what_the_filter_cannot_reach_is_a_fault() {
    let mut bench = Bench::new();
    let parameters: [(&str, ParameterValue); 2] =
        [("registers_base", 64_u64.into()), ("registers_size", Size(32).into())];
    let filter = bench.design.module("filter", "scratch_pad_filter", bench.domain, parameters);
    let memory = bench.design.module("memory", "multiported_memory", bench.domain, [("size", Size(SIZE))]);
    connect(&mut bench, (filter, "global"), (memory, "port"));
    let requests = [60, 64, 92, 96].map(|address| Reference::read(address, 4));
    let initiator = bench.initiator((filter, "port", 0), &requests, Stalls::NONE);
    let mut simulation = bench.run(20);
    let faults: Vec<bool> = initiator
        .responses::<Response>(&mut simulation)
        .iter()
        .map(|(_, response)| response.is_fault)
        .collect();
    assert_eq!(faults, [false, true, true, false]);
}

#[test]
fn bridge_and_memory() {
    for (depth, stages) in [(1_u32, 1_u32), (8, 2)] {
        let build = |bench: &mut Bench| {
            let memory = memory(bench, 1);
            let bridge =
                bench.design.module("bridge", "bridge", bench.domain, [("depth", depth), ("stages", stages)]);
            connect(bench, (bridge, "target"), (memory, "port"));
            (bridge, "initiator")
        };
        contract::check(&build, EVERYTHING);
    }
}

// Half of the bytes are in the scratch pad, half in the memory beyond; instructions are fetched from both meanwhile.
#[test]
fn private_memory_and_memory_beyond() {
    let build = |bench: &mut Bench| {
        let wide: [(&str, ParameterValue); 3] =
            [("size", Size(SIZE).into()), ("base", BASE.into()), ("latency", ParameterValue::from(2_u32))];
        let beyond = bench.design.module("beyond", "multiported_memory", bench.domain, wide.clone());
        let code = bench.design.module("code", "multiported_memory", bench.domain, wide);
        let registers = bench.design.module("registers", "register_file", bench.domain, [("size", Size(64))]);
        let parameters: [(&str, ParameterValue); 5] = [
            ("size", Size(SIZE / 2).into()),
            ("base", BASE.into()),
            ("registers_base", 0x10_0000_u64.into()),
            ("registers_size", Size(64).into()),
            ("beyond_size", Size(0x1_0000).into()),
        ];
        let private = bench.design.module("private", "private_memory", bench.domain, parameters);
        connect(bench, (private, "data_beyond"), (beyond, "port"));
        connect(bench, (private, "instructions_beyond"), (code, "port"));
        connect(bench, (private, "registers"), (registers, "port"));
        let fetches: Vec<Reference> =
            (0..400).map(|number| Reference::read(BASE + number * 12 % SIZE, 4)).collect();
        let stalls =
            Stalls::all().into_iter().next().unwrap_or_else(|| unreachable!("there is a way to stall"));
        bench.initiator((private, "instructions", 0), &fetches, stalls);
        (private, "data")
    };
    contract::check(&build, Abilities { width: 16, atomics: false, posts_writes: false });
}

#[test]
fn memory_window_and_memory() {
    let build = |bench: &mut Bench| {
        let memory = memory(bench, 1);
        let registers = bench.design.module("registers", "register_file", bench.domain, [("size", Size(64))]);
        let parameters: [(&str, ParameterValue); 2] =
            [("registers_size", Size(64).into()), ("fixed", vec![BASE, SIZE, BASE].into())];
        let window = bench.design.module("window", "memory_window", bench.domain, parameters);
        connect(bench, (window, "memory"), (memory, "port"));
        connect(bench, (window, "registers"), (registers, "port"));
        (window, "host")
    };
    contract::check(&build, Abilities { width: 4, atomics: false, posts_writes: false });
}

#[test]
fn local_bus_and_memory() {
    for (width, outstanding, latency) in [(8_u64, 8_u32, 1_u32), (4, 1, 3), (16, 2, 1)] {
        let build = |bench: &mut Bench| {
            let memory = memory(bench, latency);
            let parameters: [(&str, ParameterValue); 4] = [
                ("bases", vec![BASE].into()),
                ("sizes", vec![SIZE].into()),
                ("width", Size(width).into()),
                ("outstanding", outstanding.into()),
            ];
            let bus = bench.design.module("bus", "local_bus", bench.domain, parameters);
            connect(bench, (bus, "target"), (memory, "port"));
            (bus, "initiator")
        };
        contract::check(&build, EVERYTHING);
    }
}

#[test]
fn write_watch_and_memory() {
    for depth in [1_u32, 16] {
        let build = |bench: &mut Bench| {
            let memory = memory(bench, 2);
            let parameters: [(&str, ParameterValue); 3] =
                [("base", BASE.into()), ("size", Size(64).into()), ("depth", depth.into())];
            let watch = bench.design.module("watch", "write_watch", bench.domain, parameters);
            connect(bench, (watch, "memory"), (memory, "port"));
            let stalls: [(&str, u64); 1] = [("stall_percent", 50)];
            let hearer = bench.design.module("hearer", "test_sink", bench.domain, stalls);
            bench.design.connect((watch, "written"), (hearer, "input"));
            (watch, "port")
        };
        contract::check(&build, EVERYTHING);
    }
}
