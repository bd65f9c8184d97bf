//! Muxes, demuxes and functions.

use std::sync::Arc;

use spinach_engine::{Expression, Operation, ParameterValue, Policy};

use crate::bench::{Bench, NO_STALLS, all_stalls, counter, received, received_words};

#[test]
fn a_mux_passes_the_selected_group_and_nacks_the_others() {
    let mut bench = Bench::new();
    let mux = bench.module("mux", "mux", &[("width", 2_u32.into())]);
    for (lane, values) in [[10, 11], [20, 21], [30, 31], [40, 41]].iter().enumerate() {
        let sender = bench.sender(&format!("sender{lane}"), values);
        bench.design.connect_lanes((sender, "output", 0), (mux, "input", lane));
    }
    let select = bench.sender("select", &[1, 0, 7, 1]);
    bench.design.connect((select, "output"), (mux, "select"));
    for lane in 0..2 {
        let receiver = bench.receiver(&format!("receiver{lane}"), NO_STALLS);
        bench.design.connect_lanes((mux, "output", lane), (receiver, "input", 0));
    }
    let mut simulation = bench.run_every_way(10);
    // The selection 7 names no group: nothing moves any more, not even the selection.
    assert_eq!(received(&mut simulation, "receiver0"), [(0, 30), (1, 10)]);
    assert_eq!(received(&mut simulation, "receiver1"), [(0, 40), (1, 20)]);
    assert_eq!(counter(&mut simulation, "select", "transfers"), 2);
    assert_eq!(counter(&mut simulation, "sender0", "refused_cycles"), 9);
}

#[test]
fn a_selection_waits_for_the_values_it_selects() {
    for stalls in all_stalls() {
        let mut bench = Bench::new();
        let sender = bench.counting_sender("sender", stalls);
        let parameters = [("values", vec![0_u64, 0, 1].into()), ("repeat", ParameterValue::from(true))];
        let select = bench.module("select", "sender", &parameters);
        let tee = bench.module("tee", "tee", &[]);
        let (demux, mux) = (bench.module("demux", "demux", &[]), bench.module("mux", "mux", &[]));
        let receiver = bench.receiver("receiver", stalls);
        bench.design.connect((select, "output"), (tee, "input"));
        bench.design.connect((sender, "output"), (demux, "input"));
        for way in 0..2 {
            let select = bench.module(&format!("select{way}"), "fifo", &[("depth", 16_u32.into())]);
            let fifo = bench.module(&format!("fifo{way}"), "fifo", &[("depth", 3_u32.into())]);
            bench.design.connect_lanes((tee, "output", way), (select, "input", 0));
            bench.design.connect((select, "output"), ([demux, mux][way], "select"));
            bench.design.connect_lanes((demux, "output", way), (fifo, "input", 0));
            bench.design.connect_lanes((fifo, "output", 0), (mux, "input", way));
        }
        bench.design.connect((mux, "output"), (receiver, "input"));
        let mut simulation = bench.run_every_way(3000);
        let words = received_words(&mut simulation, "receiver");
        assert!(words.len() > 100 && words.iter().copied().eq(0..words.len() as u64), "{stalls:?}");
    }
}

#[test]
fn lanes_that_do_not_make_whole_groups_are_refused() {
    let mut bench = Bench::new();
    let mux = bench.module("mux", "mux", &[("width", 2_u32.into())]);
    for lane in 0..3 {
        let sender = bench.sender(&format!("sender{lane}"), &[]);
        bench.design.connect_lanes((sender, "output", 0), (mux, "input", lane));
    }
    let select = bench.sender("select", &[]);
    bench.design.connect((select, "output"), (mux, "select"));
    for lane in 0..2 {
        let receiver = bench.receiver(&format!("receiver{lane}"), NO_STALLS);
        bench.design.connect_lanes((mux, "output", lane), (receiver, "input", 0));
    }
    assert_eq!(bench.complaint(), "mux: 3 lanes of input are not whole groups of width = 2");
}

fn function(policy: Policy, inputs: &[&[u64]], extra: &[(&str, ParameterValue)]) -> Bench {
    let mut bench = Bench::new();
    let mut parameters = vec![("policy", policy.into())];
    parameters.extend(extra.iter().cloned());
    let function = bench.module("function", "function", &parameters);
    for (lane, values) in inputs.iter().enumerate() {
        let sender = bench.sender(&format!("sender{lane}"), values);
        bench.design.connect_lanes((sender, "output", 0), (function, "input", lane));
    }
    let receiver = bench.receiver("receiver", NO_STALLS);
    bench.design.connect((function, "output"), (receiver, "input"));
    bench
}

#[test]
fn named_policies_combine_all_lanes() {
    let cases = [
        ("add", 12),
        ("subtract", 2),
        ("multiply", 42),
        ("and", 2),
        ("or", 7),
        ("exclusive_or", 6),
        ("equal", 0),
        ("less", 0),
        ("minimum", 2),
        ("maximum", 7),
        ("first", 7),
        ("last", 3),
    ];
    for (name, expected) in cases {
        let bench = function(Policy::named(name), &[&[7], &[2], &[3]], &[]);
        let first = received_words(&mut bench.run_every_way(5), "receiver");
        assert_eq!(first, [expected], "{name}");
    }
}

#[test]
fn a_function_joins_its_lanes() {
    for stalls in all_stalls() {
        let mut bench = Bench::new();
        let function = bench.module("function", "function", &[("policy", Policy::named("subtract").into())]);
        for lane in 0..2 {
            let own = crate::bench::Stalls { seed: stalls.seed + 50 * lane, ..stalls };
            let sender = bench.counting_sender(&format!("sender{lane}"), own);
            bench.design.connect_lanes((sender, "output", 0), (function, "input", lane as usize));
        }
        let receiver = bench.receiver("receiver", stalls);
        bench.design.connect((function, "output"), (receiver, "input"));
        let mut simulation = bench.run_every_way(3000);
        let words = received_words(&mut simulation, "receiver");
        assert!(words.len() > 20 && words.iter().all(|word| *word == 0), "{stalls:?}");
        for lane in 0..2 {
            let sent = counter(&mut simulation, &format!("sender{lane}"), "transfers");
            assert_eq!(sent, words.len() as u64);
        }
    }
}

// 1 in every third cycle or transfer.
fn every_third() -> Policy {
    use Operation::{Add, Constant, Equal, Remainder, State};
    let operations =
        vec![State(0), Constant(1), Add(0, 1), Constant(3), Remainder(2, 3), Constant(0), Equal(0, 5)];
    Policy::Lifted(Arc::new(Expression::new(operations, 6, vec![0], vec![4]).unwrap()))
}

#[test]
fn state_advances_with_transfers_or_with_cycles() {
    for (advance, expected) in [("transfer", [1, 0, 0, 1]), ("cycle", [1, 1, 1, 1])] {
        let mut bench = function(every_third(), &[], &[("advance", advance.into())]);
        let receiver = bench.design.modules.ids().last().expect("there are modules");
        bench.design.modules[receiver].parameters.push(("every".to_owned(), 3_u32.into()));
        let mut simulation = bench.run_every_way(12);
        assert_eq!(received_words(&mut simulation, "receiver"), expected, "{advance}");
    }
}

#[test]
fn absent_words_count_as_zero_and_their_presence_can_be_read() {
    let operations = vec![
        Operation::Input(0),
        Operation::Input(1),
        Operation::Constant(100),
        Operation::Multiply(1, 2),
        Operation::Add(0, 3),
    ];
    let policy = Policy::Lifted(Arc::new(Expression::new(operations, 4, vec![], vec![]).unwrap()));
    let bench = function(policy, &[&[5, 6]], &[("absent", "zero".into())]);
    assert_eq!(received_words(&mut bench.run_every_way(5), "receiver"), [105, 106, 0, 0, 0]);
}

#[test]
fn a_policy_that_reads_more_than_there_is_is_refused() {
    let policy =
        Policy::Lifted(Arc::new(Expression::new(vec![Operation::Input(2)], 0, vec![], vec![]).unwrap()));
    let bench = function(policy, &[&[5], &[6]], &[]);
    assert_eq!(bench.complaint(), "function: the policy reads 3 inputs, but there are 2");
    let bench = function(Policy::named("add"), &[], &[]);
    assert_eq!(bench.complaint(), "function: the policy \"add\" needs at least one lane of input");
}

#[test]
fn detectors_pass_channels_through_and_tell_what_they_see() {
    for (kind, expected) in [("data_detector", [0, 1, 1, 0, 1, 1]), ("ack_detector", [1, 0, 1, 1, 0, 1])] {
        let mut bench = Bench::new();
        let detector = bench.module("detector", kind, &[]);
        for lane in 0..2 {
            let pattern = [vec![0, 1, 1], vec![1_u64]][lane].clone();
            let parameters = [
                ("values", vec![7_u64, 8, 9, 10].into()),
                ("pattern", pattern.into()),
                ("hold", false.into()),
            ];
            let sender = bench.module(&format!("sender{lane}"), "sender", &parameters);
            let receiver = bench.module(
                &format!("receiver{lane}"),
                "receiver",
                &[("pattern", vec![1_u64, 0, 1].into())],
            );
            let detected = bench.receiver(&format!("detected{lane}"), NO_STALLS);
            bench.design.connect_lanes((sender, "output", 0), (detector, "input", lane));
            bench.design.connect_lanes((detector, "output", lane), (receiver, "input", 0));
            bench.design.connect_lanes((detector, "detected", lane), (detected, "input", 0));
        }
        let mut simulation = bench.run_every_way(6);
        assert_eq!(received_words(&mut simulation, "detected0"), expected, "{kind}");
        assert_eq!(received(&mut simulation, "receiver0"), [(2, 7), (5, 8)]);
        assert_eq!(received(&mut simulation, "receiver1"), [(0, 7), (2, 8), (3, 9), (5, 10)]);
    }
}

#[test]
fn a_control_loop_through_a_detector_is_no_combinational_loop() {
    // The function opens the way of the mux as long as the data detector in front of it sees data.
    let mut bench = Bench::new();
    let sender = bench.counting_sender("sender", all_stalls().nth(2).unwrap());
    let detector = bench.module("detector", "data_detector", &[]);
    let policy = Policy::named("equal");
    let function =
        bench.module("function", "function", &[("policy", policy.into()), ("absent", "zero".into())]);
    let one = bench.module("one", "function", &[("policy", constant(1).into())]);
    let mux = bench.module("mux", "mux", &[]);
    let nothing = bench.sender("nothing", &[]);
    let receiver = bench.receiver("receiver", NO_STALLS);
    bench.design.connect((sender, "output"), (detector, "input"));
    bench.design.connect((detector, "detected"), (function, "input"));
    bench.design.connect_lanes((one, "output", 0), (function, "input", 1));
    bench.design.connect((function, "output"), (mux, "select"));
    bench.design.connect((nothing, "output"), (mux, "input"));
    bench.design.connect_lanes((detector, "output", 0), (mux, "input", 1));
    bench.design.connect((mux, "output"), (receiver, "input"));
    let mut simulation = bench.run_every_way(500);
    let words = received_words(&mut simulation, "receiver");
    assert!(words.len() > 100 && words.iter().copied().eq(0..words.len() as u64));
    assert_eq!(counter(&mut simulation, "sender", "refused_cycles"), 0);
}

fn constant(value: u64) -> Policy {
    Policy::Lifted(Arc::new(Expression::new(vec![Operation::Constant(value)], 0, vec![], vec![]).unwrap()))
}
