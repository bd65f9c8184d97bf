//! A core acts as one with its instruction cache, or with a memory that answers at once, and nobody can tell.

use spinach_engine::{ModuleId, ParameterValue, Policy, Size};
use spinach_modules::processor::control::Command;

use crate::machine::MEMORY_BYTES;
use crate::random_programs::{image, machine};
use crate::support::fusions::assert_equal_to_single;
use crate::support::{Bench, Random};

const CYCLES: u64 = 330;

fn connect(bench: &mut Bench, from: (ModuleId, &str), to: (ModuleId, &str, usize)) {
    let (request, response) = (format!("{}_request", from.1), format!("{}_response", from.1));
    let (to_request, to_response) = (format!("{}_request", to.1), format!("{}_response", to.1));
    bench.design.connect_lanes((from.0, &request, 0), (to.0, &to_request, to.2));
    bench.design.connect_lanes((to.0, &to_response, to.2), (from.0, &response, 0));
}

// A core with any timing that runs a random program, commanded and interrupted now and then, and a memory with the program.
fn core_and_memory(random: &mut Random, latency: u32) -> (Bench, ModuleId, ModuleId) {
    let mut bench = Bench::new();
    let stages = 1 + random.below(2);
    let mut parameters = machine("pipelined_core", random, stages).core;
    parameters.push(("identity", 3_u32.into()));
    parameters.push(("on_fault", "halt".into()));
    parameters.push(("profile_bytes", Size(0x400).into()));
    let core = bench.design.module("core", "pipelined_core", bench.domain, parameters);
    let bytes: Vec<u8> = image(random, stages == 1).iter().flat_map(|word| word.to_be_bytes()).collect();
    let watch = if latency > 0 && random.below(3) == 0 { vec![0x8000_u64, 64] } else { Vec::new() };
    let parameters: [(&str, ParameterValue); 4] = [
        ("size", Size(MEMORY_BYTES).into()),
        ("contents", bytes.into()),
        ("latency", latency.into()),
        ("watch", watch.into()),
    ];
    let memory = bench.design.module("memory", "multiported_memory", bench.domain, parameters);
    if random.below(3) == 0 {
        let commands = [Command::Halt, Command::Resume, Command::Step, Command::Resume];
        let script: Vec<u64> = commands.iter().cycle().take(40).map(|command| command.to_word()).collect();
        source(&mut bench, "control", script, random, (core, "control"));
    }
    if random.below(3) == 0 {
        source(&mut bench, "line", vec![1; 6], random, (core, "interrupt"));
    }
    (bench, core, memory)
}

fn source(bench: &mut Bench, name: &str, script: Vec<u64>, random: &mut Random, to: (ModuleId, &str)) {
    let parameters: [(&str, ParameterValue); 3] =
        [("script", script.into()), ("stall_percent", 93_u64.into()), ("seed", random.below(99).into())];
    let source = bench.design.module(name, "test_source", bench.domain, parameters);
    bench.design.connect_lanes((source, "output", 0), (to.0, to.1, 0));
}

fn cached(random: &mut Random) -> (Bench, bool) {
    let latency = 1 + random.below(3) as u32;
    let (mut bench, core, memory) = core_and_memory(random, latency);
    let is_fused = random.below(5) != 0;
    let lines = 1_u64 << random.below(4);
    let parameters: [(&str, ParameterValue); 6] = [
        ("size", Size(16 * lines * 2).into()),
        ("associativity", (1 + random.below(2)).into()),
        ("line_size", Size(16).into()),
        ("fill_bytes", (1_u64 << random.below(5)).into()),
        ("hit_latency", u32::from(!is_fused).into()),
        ("replacement", Policy::named(["lru", "fifo", "random"][random.below(3) as usize]).into()),
    ];
    let cache = bench.design.module("cache", "cache_controller", bench.domain, parameters);
    connect(&mut bench, (core, "fetch"), (cache, "port", 0));
    connect(&mut bench, (cache, "memory"), (memory, "port", 0));
    connect(&mut bench, (core, "data"), (memory, "port", 1));
    (bench, is_fused)
}

fn flat(random: &mut Random) -> (Bench, bool) {
    let is_fused = random.below(5) != 0;
    let (mut bench, core, memory) = core_and_memory(random, u32::from(!is_fused));
    let fetch = random.below(2) as usize;
    connect(&mut bench, (core, "fetch"), (memory, "port", fetch));
    connect(&mut bench, (core, "data"), (memory, "port", 1 - fetch));
    (bench, is_fused)
}

fn hold_to_single(build: fn(&mut Random) -> (Bench, bool), seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let (bench, is_fused) = build(&mut Random::new(seed));
        let fused = assert_equal_to_single(&bench, CYCLES);
        assert_eq!(fused.len(), usize::from(is_fused), "with seed {seed}: {fused:?}");
    }
}

#[test]
fn a_core_and_its_cache_act_as_one() {
    hold_to_single(cached, 0..25);
}

#[test]
fn a_core_and_a_memory_that_answers_at_once_act_as_one() {
    hold_to_single(flat, 0..25);
}

#[test]
#[ignore = "the long form"]
fn cores_and_memories_act_as_one_however_often() {
    hold_to_single(cached, 1000..3000);
    hold_to_single(flat, 1000..3000);
}

#[test]
fn their_declared_dependencies_hold() {
    for build in [cached, flat] {
        for seed in 0..3 {
            let (bench, _) = build(&mut Random::new(seed));
            let mut simulation = bench.start();
            simulation.set_check_dependencies(true);
            crate::support::run_to(&mut simulation, 100);
        }
    }
}
