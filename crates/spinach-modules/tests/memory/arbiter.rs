//! Order of service, and return of answers to their requesters.

use std::sync::Arc;

use spinach_engine::{Expression, ModuleId, Operation, ParameterValue, Policy, Size};
use spinach_modules::values::{Reference, Response};

use super::support::{self, Bench, Initiator, Stalls, counter};

fn arbiter_and_memory(bench: &mut Bench, parameters: &[(&str, ParameterValue)], latency: u32) -> ModuleId {
    let arbiter = bench.design.module("arbiter", "arbiter", bench.domain, parameters.iter().cloned());
    let contents: Vec<u8> = (0..=255).collect();
    let settings: [(&str, ParameterValue); 3] =
        [("size", Size(4096).into()), ("latency", latency.into()), ("contents", contents.into())];
    let memory = bench.design.module("memory", "multiported_memory", bench.domain, settings);
    bench.design.connect((arbiter, "target_request"), (memory, "port_request"));
    bench.design.connect((memory, "port_response"), (arbiter, "target_response"));
    arbiter
}

fn reads(addresses: impl IntoIterator<Item = u64>) -> Vec<Reference> {
    addresses.into_iter().map(|address| Reference::read(address, 1)).collect()
}

// The cycles in which the requests of each lane pass, when all request from the start without stalls.
fn grants(parameters: &[(&str, ParameterValue)], scripts: &[Vec<Reference>]) -> Vec<Vec<u64>> {
    let mut bench = Bench::new();
    let arbiter = arbiter_and_memory(&mut bench, parameters, 1);
    let lanes: Vec<Initiator> = scripts
        .iter()
        .enumerate()
        .map(|(lane, script)| bench.initiator((arbiter, "initiator", lane), script, Stalls::NONE))
        .collect();
    let mut simulation = bench.run(100);
    lanes.iter().map(|lane| lane.requested(&mut simulation)).collect()
}

#[test]
fn round_robin_takes_turns() {
    let scripts = [reads([0; 3]), reads([0; 3]), reads([0; 3])];
    assert_eq!(grants(&[], &scripts), [[0, 3, 6], [1, 4, 7], [2, 5, 8]]);
}

#[test]
fn fixed_priority_serves_lane_0_first() {
    let policy = [("policy", Policy::named("fixed_priority").into())];
    let scripts = [reads([0; 3]), reads([0; 2])];
    assert_eq!(grants(&policy, &scripts), [vec![0, 1, 2], vec![3, 4]]);
}

#[test]
fn prioritized_keeps_bursts_together_until_a_lane_starves() {
    let policy = [("policy", Policy::named("prioritized").into()), ("starvation_timeout", 4_u64.into())];
    // Lane 1 proceeds from address to address; lane 0 has the higher priority but has to wait for the timeout.
    let scripts = [reads([50, 60]), reads(100..110)];
    let mut bench = Bench::new();
    let arbiter = arbiter_and_memory(&mut bench, &policy, 1);
    let burst = bench.initiator((arbiter, "initiator", 1), &scripts[1], Stalls::NONE);
    let late = bench.initiator((arbiter, "initiator", 0), &scripts[0], Stalls::NONE);
    bench.set(&late, "start", 2_u64);
    let mut simulation = bench.run(100);
    // It is refused in cycles 2 to 5 and passes in cycle 6; its next does not follow on, but has priority again.
    assert_eq!(late.requested(&mut simulation), [6, 7]);
    assert_eq!(burst.requested(&mut simulation), [0, 1, 2, 3, 4, 5, 8, 9, 10, 11]);
    assert_eq!(counter(&mut simulation, "arbiter", "starved"), 1);
    assert_eq!(counter(&mut simulation, "arbiter", "bursts"), 8);
    assert_eq!(counter(&mut simulation, "arbiter", "grants"), 12);
}

#[test]
fn a_function_decides_from_what_it_is_given() {
    // Grants the highest requesting of lanes 0 and 1: the number of requesters less one, or lane 1 if only that requests.
    let operations = vec![Operation::Input(0), Operation::Constant(1), Operation::Less(1, 0)];
    let expression = Expression::new(operations, 2, vec![], vec![]).expect("the operations are in order");
    let policy = [("policy", Policy::Lifted(Arc::new(expression)).into())];
    let scripts = [reads([0; 2]), reads([0; 3])];
    assert_eq!(grants(&policy, &scripts), [vec![3, 4], vec![0, 1, 2]]);
}

#[test]
fn one_outstanding_request_keeps_the_target_until_it_answers() {
    let mut bench = Bench::new();
    let arbiter = arbiter_and_memory(&mut bench, &[("outstanding", 1_u32.into())], 3);
    let lanes =
        [0, 1].map(|lane| bench.initiator((arbiter, "initiator", lane), &reads([0; 2]), Stalls::NONE));
    let mut simulation = bench.run(40);
    assert_eq!(lanes[0].requested(&mut simulation), [0, 8]);
    assert_eq!(lanes[1].requested(&mut simulation), [4, 12]);
}

#[test]
fn without_hold_the_arbiter_changes_its_mind_and_with_hold_it_does_not() {
    // The responses are refused half of the time, so that the memory refuses requests.
    for hold in [false, true] {
        let mut bench = Bench::new();
        let policy = [("policy", Policy::named("fixed_priority").into()), ("hold", hold.into())];
        let arbiter = arbiter_and_memory(&mut bench, &policy, 1);
        let stalls = |seed| Stalls { response_percent: 50, seed, ..Stalls::NONE };
        bench.initiator(
            (arbiter, "initiator", 0),
            &reads([0; 200]),
            Stalls { request_percent: 50, ..stalls(1) },
        );
        bench.initiator((arbiter, "initiator", 1), &reads([4; 200]), stalls(2));
        let mut simulation = bench.start();
        let recording = support::record(&mut simulation, "memory", "port_request");
        support::run_to(&mut simulation, 1500);
        let recording = recording.lock().expect("no thread panicked");
        let changes = recording.windows(2).filter(|pair| match (&pair[0], &pair[1]) {
            // Lane 0 reads address 0 and at times withdraws; lane 1 reads address 4 and does not.
            ((Some(refused), false), (Some(next), _)) => refused[0] == 4 && next[0] == 0,
            _ => false,
        });
        assert_eq!(changes.count() == 0, hold);
        assert_eq!(counter(&mut simulation, "arbiter", "grants"), 400);
        assert!(counter(&mut simulation, "arbiter", "refused") > 50);
    }
}

#[test]
fn every_requester_gets_its_own_answers_in_order() {
    for stalls in Stalls::all() {
        for policy in ["round_robin", "fixed_priority", "prioritized"] {
            let mut bench = Bench::new();
            let arbiter = arbiter_and_memory(&mut bench, &[("policy", Policy::named(policy).into())], 2);
            let lanes: Vec<Initiator> = (0..4)
                .map(|lane: u64| {
                    let script = reads((0..50).map(|step| lane * 64 + (step * 7) % 64));
                    bench.initiator((arbiter, "initiator", lane as usize), &script, stalls)
                })
                .collect();
            let mut simulation = bench.run(4000);
            for (lane, initiator) in lanes.iter().enumerate() {
                let data: Vec<u128> =
                    initiator.responses::<Response>(&mut simulation).iter().map(|(_, it)| it.data).collect();
                let expected: Vec<u128> = (0..50).map(|step| (lane as u128) * 64 + (step * 7) % 64).collect();
                assert_eq!(data, expected, "{policy} lane {lane} {stalls:?}");
            }
        }
    }
}

#[test]
fn without_responses_it_merges_channels_of_any_type() {
    let mut bench = Bench::new();
    let arbiter = bench.design.module("arbiter", "arbiter", bench.domain, [] as [(&str, u64); 0]);
    let sink = bench.design.module("sink", "test_sink", bench.domain, [("stall_percent", 30_u64)]);
    bench.request_source((arbiter, "initiator", 0), &[1_u64, 2, 3], Stalls::NONE);
    bench.request_source((arbiter, "initiator", 1), &[10_u64, 20, 30], Stalls::NONE);
    let words = bench.design.module("words", "test_words", bench.domain, [] as [(&str, u64); 0]);
    bench.design.connect((arbiter, "target_request"), (words, "input"));
    bench.design.connect((words, "output"), (sink, "input"));
    let mut simulation = bench.run(50);
    let received = support::state::<support::SinkState>(&mut simulation, "sink").received;
    let values: Vec<u64> = received.iter().map(|(_, words)| words[0]).collect();
    assert_eq!(values, [1, 10, 2, 20, 3, 30]);
}

#[test]
fn half_connected_responses_are_refused() {
    let mut bench = Bench::new();
    let arbiter = arbiter_and_memory(&mut bench, &[], 1);
    bench.request_source((arbiter, "initiator", 0), &reads([0]), Stalls::NONE);
    let message = bench.problem();
    assert!(message.contains("each requester needs a response exactly if the target answers"), "{message}");
}
