//! Saved states of modules of another shape, which are refused.

use sha2::{Digest, Sha256};
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

/// Words of the header of a checkpoint, and what follows it.
fn parts(checkpoint: &[u8]) -> (Vec<&str>, &[u8]) {
    let end = checkpoint.iter().position(|byte| *byte == b'\n').expect("there is a header");
    let header = std::str::from_utf8(&checkpoint[..end]).expect("it is text");
    (header.split(' ').collect(), &checkpoint[end + 1..])
}

/// A checkpoint, passed off as one of another design: with the fingerprint and the model of that.
fn of_other_design(from: &mut Simulation, to: &mut Simulation) -> Vec<u8> {
    let [from, of_to] = [&mut *from, &mut *to].map(|it| it.checkpoint().expect("every state can be saved"));
    let (header, _) = parts(&of_to);
    let (_, states) =
        postcard::take_from_bytes::<Vec<(String, String)>>(parts(&from).1).expect("it has a model");
    let contents = [&postcard::to_stdvec(&to.model()).expect("models are text"), states].concat();
    let digest: String =
        Sha256::digest(&contents).iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    [format!("{} {} {} {digest}\n", header[0], header[1], header[2]).as_bytes(), &contents].concat()
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
                Err(CheckpointError::State { path, reason }) => {
                    assert_eq!(path, "device", "{kind}");
                    assert!(reason.starts_with("the saved "), "{kind}: {reason}");
                }
                restored => panic!("{kind}: {restored:?}"),
            }
            assert!(to.checkpoint().expect("every state can be saved") == unchanged, "{kind} was changed");
        }
    }
}
