//! A shared memory is an arbiter, a controller and a memory in one, cycle by cycle.

use std::collections::BTreeMap;

use spinach_engine::{ModuleId, ParameterValue, Policy, Size};
use spinach_modules::values::{Access, Reference, Response, all_enabled};

use super::support::contract::{self, Abilities, BASE, SIZE};
use super::support::{Bench, Initiator, Random, Stalls, run_to};

const LANES: u64 = 6;
const CYCLES: u64 = 6000;

// The parameters of both.
#[derive(Clone, Copy, Debug)]
struct Settings {
    policy: &'static str,
    starvation_timeout: u64,
    outstanding: u32,
    burst_latency: u64,
    column_latency: u64,
    words_per_cycle: u64,
    // Of the shared memory alone.
    registered: bool,
}

const PLAIN: Settings = Settings {
    policy: "prioritized",
    starvation_timeout: 64,
    outstanding: 16,
    burst_latency: 1,
    column_latency: 1,
    words_per_cycle: 1,
    registered: true,
};

// As on the Tigon-2: data in the second cycle of an access.
const SECOND_CYCLE: Settings = Settings { column_latency: 0, registered: false, ..PLAIN };

fn variants() -> [Settings; 5] {
    [
        PLAIN,
        Settings { starvation_timeout: 5, column_latency: 7, ..PLAIN },
        Settings { policy: "round_robin", outstanding: 1, ..PLAIN },
        Settings { policy: "fixed_priority", outstanding: 3, column_latency: 9, ..PLAIN },
        Settings { starvation_timeout: 1, burst_latency: 0, words_per_cycle: 4, ..PLAIN },
    ]
}

fn shared(bench: &mut Bench, settings: Settings) -> ModuleId {
    let parameters: [(&str, ParameterValue); 10] = [
        ("size", Size(SIZE).into()),
        ("registered", settings.registered.into()),
        ("base", BASE.into()),
        ("policy", settings.policy.into()),
        ("starvation_timeout", settings.starvation_timeout.into()),
        ("outstanding", settings.outstanding.into()),
        ("burst_size", Size(32).into()),
        ("burst_latency", settings.burst_latency.into()),
        ("column_latency", settings.column_latency.into()),
        ("words_per_cycle", settings.words_per_cycle.into()),
    ];
    bench.design.module("shared", "shared_memory", bench.domain, parameters)
}

// The same of three modules.
fn composed(bench: &mut Bench, settings: Settings) -> ModuleId {
    let parameters: [(&str, ParameterValue); 3] = [
        ("policy", Policy::named(settings.policy).into()),
        ("starvation_timeout", settings.starvation_timeout.into()),
        ("outstanding", settings.outstanding.into()),
    ];
    let arbiter = bench.design.module("arbiter", "arbiter", bench.domain, parameters);
    let parameters: [(&str, ParameterValue); 6] = [
        ("row_size", Size(32).into()),
        ("banks", 1_u32.into()),
        ("activation_latency", settings.burst_latency.into()),
        ("precharge_latency", 0_u64.into()),
        ("column_latency", settings.column_latency.into()),
        ("words_per_cycle", settings.words_per_cycle.into()),
    ];
    let controller = bench.design.module("controller", "memory_controller", bench.domain, parameters);
    let parameters: [(&str, ParameterValue); 2] = [("size", Size(SIZE).into()), ("base", BASE.into())];
    let memory = bench.design.module("memory", "multiported_memory", bench.domain, parameters);
    for (from, initiator, to) in [(arbiter, "target", controller), (controller, "memory", memory)] {
        let name = |role: &str| format!("{initiator}_{role}");
        bench.design.connect((from, &name("request")), (to, "port_request"));
        bench.design.connect((to, "port_response"), (from, &name("response")));
    }
    arbiter
}

// Runs of bytes one after the other, as assists ask for them, and now and then something else.
fn references(seed: u64) -> Vec<Reference> {
    let mut random = Random::new(seed);
    let mut address = 0;
    let mut reference = || {
        let size = 1_u8 << random.below(5);
        if random.below(4) == 0 {
            address = random.below(SIZE + 64);
        }
        address &= !u64::from(size - 1);
        let access = [Access::Read, Access::Write, Access::LoadLinked, Access::StoreConditional];
        let kind = random.below(20);
        let (access, size) =
            if kind < 2 { (access[2 + kind as usize], 4) } else { (access[kind as usize % 2], size) };
        let enables = if random.below(4) == 0 { random.next() as u16 } else { u16::MAX } & all_enabled(size);
        let reference = Reference {
            address: BASE + (address & !u64::from(size - 1)),
            access,
            size,
            enables,
            source: random.below(3) as u16,
            data: random.next().into(),
        };
        address += u64::from(size);
        reference
    };
    (0..300).map(|_| reference()).collect()
}

// Observations of an initiator: the cycles in which its requests were taken, and the responses with their
// cycles.
type Seen = (Vec<u64>, Vec<(u64, Response)>);

// All that initiators see, the counters and the final state.
fn observed(
    build: fn(&mut Bench, Settings) -> ModuleId,
    settings: Settings,
    stalls: Stalls,
    sleeping: bool,
) -> (Vec<Seen>, BTreeMap<String, u64>, Vec<u8>) {
    let mut bench = Bench::new();
    let target = build(&mut bench, settings);
    let lanes: Vec<Initiator> = (0..LANES)
        .map(|lane| {
            let initiator = bench.initiator(
                (target, "initiator", lane as usize),
                &references(stalls.seed + lane),
                stalls,
            );
            bench.set(&initiator, "pause", 17 * lane);
            initiator
        })
        .collect();
    let mut simulation = bench.start();
    simulation.set_check_dependencies(false);
    simulation.set_sleeping(sleeping);
    run_to(&mut simulation, CYCLES);
    let seen = lanes.iter().map(|lane| (lane.requested(&mut simulation), lane.responses(&mut simulation)));
    let seen = seen.collect();
    let counters = simulation.statistics().iter().collect();
    (seen, counters, simulation.checkpoint().expect("every state can be saved"))
}

#[test]
fn fulfils_the_contract_of_memories() {
    let abilities = Abilities { width: 16, atomics: true, posts_writes: false };
    for settings in variants().into_iter().chain([SECOND_CYCLE]) {
        contract::check(&|bench| (shared(bench, settings), "initiator"), abilities);
    }
    contract::one_order_for_all(&|bench| (shared(bench, PLAIN), "initiator"), 4);
}

#[test]
fn behaves_as_an_arbiter_a_controller_and_a_memory_do() {
    const COUNTERS: [(&str, &str); 15] = [
        ("accesses", "arbiter.grants"),
        ("accesses", "controller.accesses"),
        ("useful_bytes", "controller.useful_bytes"),
        ("consumed_bytes", "controller.consumed_bytes"),
        ("busy_cycles", "controller.busy_cycles"),
        ("data_cycles", "controller.data_cycles"),
        ("bursts", "controller.row_activations"),
        ("conflicts", "arbiter.conflicts"),
        ("waited", "arbiter.waited"),
        ("continued", "arbiter.bursts"),
        ("starved", "arbiter.starved"),
        ("reads", "memory.reads"),
        ("writes", "memory.writes"),
        ("atomics", "memory.atomics"),
        ("faults", "memory.faults"),
    ];
    for settings in variants() {
        for stalls in Stalls::all() {
            let (seen, counted, _) = observed(shared, settings, stalls, true);
            let (expected, counters, _) = observed(composed, settings, stalls, true);
            assert!(seen == expected, "{settings:?} {stalls:?}");
            for (own, other) in COUNTERS {
                let own_value = counted[&format!("shared.{own}")];
                assert_eq!(own_value, counters[other], "{own}: {settings:?} {stalls:?}");
            }
        }
    }
}

#[test]
fn data_comes_in_the_second_cycle_and_a_burst_takes_five() {
    // A burst of four words, then a word of another burst.
    let addresses = [0, 8, 16, 24, 64];
    let references = addresses.map(|offset| Reference {
        address: BASE + offset,
        access: Access::Read,
        size: 8,
        enables: all_enabled(8),
        source: 0,
        data: 0,
    });
    for (settings, latencies) in [(SECOND_CYCLE, [1, 1, 1, 1, 1]), (PLAIN, [3, 2, 2, 2, 3])] {
        let mut bench = Bench::new();
        let target = shared(&mut bench, settings);
        let initiator = bench.initiator((target, "initiator", 0), &references, Stalls::all()[0]);
        let mut simulation = bench.start();
        run_to(&mut simulation, 100);
        let requested = initiator.requested(&mut simulation);
        let since_first: Vec<u64> = requested.iter().map(|cycle| cycle - requested[0]).collect();
        assert_eq!(since_first, [0, 2, 3, 4, 5], "{settings:?}");
        let responses: Vec<(u64, Response)> = initiator.responses(&mut simulation);
        let seen: Vec<u64> =
            responses.iter().zip(&requested).map(|((cycle, _), from)| cycle - from).collect();
        assert_eq!(seen, latencies, "{settings:?}");
    }
}

#[test]
fn sleeping_changes_nothing_for_many_initiators() {
    for settings in variants().into_iter().chain([SECOND_CYCLE]) {
        for stalls in Stalls::all() {
            let asleep = observed(shared, settings, stalls, true);
            assert!(asleep == observed(shared, settings, stalls, false), "{settings:?} {stalls:?}");
        }
    }
}
