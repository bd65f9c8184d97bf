//! Saved states of modules of another shape, which are refused.

use spinach_engine::{CheckpointError, ParameterValue, Simulation, Size};
use spinach_modules::values::Reference;

use super::support::{Bench, Stalls, run_to};

type Settings<'a> = &'a [(&'a str, ParameterValue)];

/// A module `device` with this many of two initiators, and a memory with the others.
fn simulation(kind: &str, settings: Settings<'_>, lanes: usize) -> Simulation {
    let mut bench = Bench::new();
    let device = bench.design.module("device", kind, bench.domain, settings.to_vec());
    let memory = bench.design.module("memory", "multiported_memory", bench.domain, [("size", Size(4096))]);
    let (bundle, target) = match kind {
        "arbiter" => ("initiator", Some("target")),
        "shared_memory" => ("initiator", None),
        "multiported_memory" => ("port", None),
        _ => ("port", Some("memory")),
    };
    let requests = [Reference::read(0, 4); 3];
    if let Some(target) = target {
        bench.design.connect((device, &format!("{target}_request")), (memory, "port_request"));
        bench.design.connect((memory, "port_response"), (device, &format!("{target}_response")));
    } else {
        bench.initiator((memory, "port", 0), &requests, Stalls::NONE);
    }
    for lane in 0..lanes {
        bench.initiator((device, bundle, lane), &requests, Stalls::NONE);
    }
    for lane in 1..=2 - lanes {
        bench.initiator((memory, "port", lane), &requests, Stalls::NONE);
    }
    let mut simulation = bench.start();
    run_to(&mut simulation, 20);
    simulation
}

/// A checkpoint, passed off as one of another design.
fn of_other_design(from: &mut Simulation, to: &mut Simulation) -> Vec<u8> {
    let [from, to] = [from, to].map(|simulation| simulation.checkpoint().expect("every state can be saved"));
    let [of_from, of_to] = [&from, &to].map(|checkpoint| {
        let end = checkpoint.iter().position(|byte| *byte == b'\n').expect("there is a header");
        let header = std::str::from_utf8(&checkpoint[..end]).expect("it is text");
        header.split(' ').nth(2).expect("it has a fingerprint").as_bytes().to_vec()
    });
    let place = from.windows(of_from.len()).position(|words| words == of_from).expect("it is in the header");
    [&from[..place], &of_to, &from[place + of_from.len()..]].concat()
}

#[test]
fn a_state_of_another_shape_is_refused() {
    let size = |bytes| ("size", ParameterValue::from(Size(bytes)));
    let ways = |ways: u64| ("associativity", ParameterValue::from(ways));
    let banks = |banks: u64| ("banks", ParameterValue::from(banks));
    let policy = |name: &str| ("policy", ParameterValue::from(name.to_owned()));
    let cases: [(&str, Settings<'_>, usize, Settings<'_>, usize); 12] = [
        ("multiported_memory", &[size(64)], 1, &[size(128)], 1),
        ("multiported_memory", &[size(64)], 1, &[size(64)], 2),
        ("shared_memory", &[size(64)], 1, &[size(128)], 1),
        ("shared_memory", &[size(64)], 1, &[size(64)], 2),
        ("arbiter", &[], 1, &[], 2),
        ("cache_controller", &[size(256), ways(2)], 1, &[size(512), ways(4)], 1),
        ("data_cache", &[size(256), ways(2)], 1, &[size(512), ways(2)], 1),
        ("memory_controller", &[banks(2), policy("in_order")], 1, &[banks(4), policy("in_order")], 1),
        ("memory_controller", &[banks(2), policy("first_ready")], 1, &[banks(4), policy("first_ready")], 1),
        ("memory_controller", &[policy("in_order")], 1, &[policy("in_order")], 2),
        ("memory_controller", &[policy("first_ready")], 1, &[policy("first_ready")], 2),
        ("multiported_memory", &[size(64)], 2, &[size(64)], 1),
    ];
    for (kind, one, lanes_of_one, other, lanes_of_other) in cases {
        let ends = [(one, lanes_of_one), (other, lanes_of_other)];
        for [from, to] in [ends, [ends[1], ends[0]]] {
            let [mut from, mut to] = [from, to].map(|(settings, lanes)| simulation(kind, settings, lanes));
            let unchanged = to.checkpoint().expect("every state can be saved");
            let saved = of_other_design(&mut from, &mut to);
            match to.restore(&saved) {
                Err(CheckpointError::Damaged(reason)) => {
                    assert!(reason.starts_with("device: the saved "), "{kind}: {reason}");
                }
                restored => panic!("{kind}: {restored:?}"),
            }
            assert!(to.checkpoint().expect("every state can be saved") == unchanged, "{kind} was changed");
        }
    }
}
