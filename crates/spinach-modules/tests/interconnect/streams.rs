//! Contract of every module that passes one stream: nothing lost, doubled or reordered, and exact timing.

use spinach_engine::ParameterValue;

use crate::bench::{Bench, NO_STALLS, Stalls, all_stalls, counter, received, received_words};

/// A sender, the module under test, a receiver.
fn stream(kind: &str, parameters: &[(&str, ParameterValue)], stalls: Stalls) -> Bench {
    let mut bench = Bench::new();
    let sender = bench.counting_sender("sender", stalls);
    let module = bench.module("module", kind, parameters);
    let receiver = bench.receiver("receiver", stalls);
    bench.design.connect((sender, "output"), (module, "input"));
    bench.design.connect((module, "output"), (receiver, "input"));
    bench
}

/// Holds a module that keeps up to `capacity` values to its contract.
fn check_stream(kind: &str, parameters: &[(&str, ParameterValue)], capacity: u64) {
    for stalls in all_stalls() {
        let mut simulation = stream(kind, parameters, stalls).run_every_way(3000);
        let words = received_words(&mut simulation, "receiver");
        assert!(words.iter().copied().eq(0..words.len() as u64), "{kind} {stalls:?}: out of order");
        let sent = counter(&mut simulation, "sender", "transfers");
        let inside = sent - words.len() as u64;
        assert!(words.len() > 100, "{kind} {stalls:?}: only {} values moved", words.len());
        assert!(inside <= capacity, "{kind} {stalls:?}: {inside} values inside");
        if stalls.receiver_percent < 50 && stalls.sender_percent > 90 {
            assert_eq!(inside, capacity, "{kind} {stalls:?}: all room is used");
        }
    }
}

/// Holds a module without stalls to leaving value `i` in cycle `latency + i * interval`.
fn check_timing(kind: &str, parameters: &[(&str, ParameterValue)], latency: u64, interval: u64) {
    let mut simulation = stream(kind, parameters, NO_STALLS).run(200);
    let cycles = received(&mut simulation, "receiver");
    assert!(cycles.len() as u64 >= (200 - latency) / interval - 1);
    for (cycle, index) in cycles {
        assert_eq!(cycle, latency + index * interval, "{kind} {parameters:?}: value {index}");
    }
}

#[test]
fn a_pipe_delays_by_its_depth_and_moves_a_value_in_every_cycle() {
    for depth in [1_u32, 2, 3, 17] {
        let parameters = [("depth", depth.into())];
        check_stream("pipe", &parameters, depth.into());
        check_timing("pipe", &parameters, depth.into(), 1);
    }
}

#[test]
fn a_fifo_delays_by_one_and_moves_a_value_in_every_cycle_from_depth_2_on() {
    for (depth, interval) in [(1_u32, 2), (2, 1), (3, 1), (17, 1)] {
        let parameters = [("depth", depth.into())];
        check_stream("fifo", &parameters, depth.into());
        check_timing("fifo", &parameters, 1, interval);
    }
}

#[test]
fn a_full_fifo_counts_the_cycles_in_which_it_refuses() {
    let mut bench = Bench::new();
    let sender = bench.sender("sender", &[1, 2, 3]);
    let fifo = bench.module("fifo", "fifo", &[("depth", 2_u32.into())]);
    let receiver = bench.module("receiver", "receiver", &[("pattern", vec![0_u64, 0, 0, 0, 0, 1].into())]);
    bench.design.connect((sender, "output"), (fifo, "input"));
    bench.design.connect((fifo, "output"), (receiver, "input"));
    let mut simulation = bench.run_every_way(100);
    // Values come in cycles 0 and 1; the third waits from cycle 2 until the first has left in cycle 5.
    assert_eq!(counter(&mut simulation, "fifo", "full_cycles"), 4);
    assert_eq!(received(&mut simulation, "receiver"), [(5, 1), (11, 2), (17, 3)]);
}

#[test]
fn every_branch_of_a_tee_gets_every_value_once() {
    for mode in ["each", "all"] {
        for stalls in all_stalls() {
            let mut bench = Bench::new();
            let sender = bench.counting_sender("sender", stalls);
            let tee = bench.module("tee", "tee", &[("mode", mode.into())]);
            bench.design.connect((sender, "output"), (tee, "input"));
            for branch in 0..3 {
                let stalls = Stalls { seed: stalls.seed + 100 * branch, ..stalls };
                let receiver = bench.receiver(&format!("receiver{branch}"), stalls);
                bench.design.connect_lanes((tee, "output", branch as usize), (receiver, "input", 0));
            }
            let mut simulation = bench.run_every_way(3000);
            let sent = counter(&mut simulation, "sender", "transfers");
            for branch in 0..3 {
                let words = received_words(&mut simulation, &format!("receiver{branch}"));
                assert!(words.iter().copied().eq(0..words.len() as u64), "{mode} {stalls:?}: out of order");
                let ahead = words.len() as u64 - sent;
                assert!(ahead <= u64::from(mode == "each"), "{mode} {stalls:?}: {ahead} ahead of {sent}");
                assert!(!words.is_empty());
            }
        }
    }
}

#[test]
fn a_tee_that_serves_each_takes_as_long_as_the_slowest_and_one_that_serves_all_waits_for_a_common_cycle() {
    // The branches accept in cycles 0, 2, 4, ... and 1, 4, 7, ...
    let cycles = |mode: &str| {
        let mut bench = Bench::new();
        let sender = bench.counting_sender("sender", NO_STALLS);
        let tee = bench.module("tee", "tee", &[("mode", mode.into())]);
        bench.design.connect((sender, "output"), (tee, "input"));
        for (branch, pattern) in [vec![1_u64, 0], vec![0, 1, 0]].into_iter().enumerate() {
            let receiver =
                bench.module(&format!("receiver{branch}"), "receiver", &[("pattern", pattern.into())]);
            bench.design.connect_lanes((tee, "output", branch), (receiver, "input", 0));
        }
        let mut simulation = bench.run_every_way(13);
        ["receiver0", "receiver1"].map(|path| {
            received(&mut simulation, path).into_iter().map(|(cycle, _)| cycle).collect::<Vec<u64>>()
        })
    };
    assert_eq!(cycles("each"), [vec![0, 2, 6, 8, 12], vec![1, 4, 7, 10]]);
    assert_eq!(cycles("all"), [vec![4, 10], vec![4, 10]]);
}

#[test]
fn a_level_is_seen_by_every_branch_in_every_cycle() {
    let mut bench = Bench::new();
    let sender = bench.counting_sender("sender", NO_STALLS);
    let tee = bench.module("tee", "tee", &[("mode", "level".into())]);
    let often = bench.receiver("often", NO_STALLS);
    let seldom = bench.module("seldom", "receiver", &[("every", 3_u32.into())]);
    bench.design.connect((sender, "output"), (tee, "input"));
    bench.design.connect_lanes((tee, "output", 0), (often, "input", 0));
    bench.design.connect_lanes((tee, "output", 1), (seldom, "input", 0));
    let mut simulation = bench.run_every_way(10);
    assert_eq!(received_words(&mut simulation, "often"), (0..10).collect::<Vec<u64>>());
    assert_eq!(received_words(&mut simulation, "seldom"), [0, 3, 6, 9]);
}

#[test]
fn a_sender_without_hold_withdraws_what_was_refused() {
    for (hold, expected) in [(true, [(1, 5), (3, 6), (7, 7)]), (false, [(3, 5), (9, 6), (15, 7)])] {
        let mut bench = Bench::new();
        let parameters = [
            ("values", vec![5_u64, 6, 7].into()),
            ("pattern", vec![1_u64, 0, 0].into()),
            ("hold", ParameterValue::from(hold)),
        ];
        let sender = bench.module("sender", "sender", &parameters);
        let receiver = bench.module("receiver", "receiver", &[("pattern", vec![0_u64, 1, 0, 1].into())]);
        bench.design.connect((sender, "output"), (receiver, "input"));
        let mut simulation = bench.run_every_way(20);
        assert_eq!(received(&mut simulation, "receiver"), expected, "hold = {hold}");
    }
}
