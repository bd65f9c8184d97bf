//! The contract of memory targets, for everything that is one.

mod support;

use spinach_engine::{ModuleId, ParameterValue, Policy, Size};
use support::Bench;
use support::contract::{self, Abilities, BASE, SIZE};

const EVERYTHING: Abilities = Abilities { width: 16, atomics: true };

fn memory(bench: &mut Bench, latency: u32) -> ModuleId {
    let parameters: [(&str, ParameterValue); 3] =
        [("size", Size(SIZE).into()), ("base", BASE.into()), ("latency", latency.into())];
    bench.design.module("memory", "multiported_memory", bench.domain, parameters)
}

fn connect(bench: &mut Bench, (from, initiator): (ModuleId, &str), (to, target): (ModuleId, &str)) {
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
fn memory_controller_and_memory() {
    for (banks, column_latency) in [(1_u64, 1_u64), (4, 9)] {
        let build = |bench: &mut Bench| {
            let memory = memory(bench, 1);
            let parameters: [(&str, ParameterValue); 4] = [
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
