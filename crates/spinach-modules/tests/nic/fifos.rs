//! Memories for whole frames.

use spinach_engine::{ParameterValue, Simulation, Size};

use super::nic::udp;
use super::support::{Bench, counter, record, run_to};

/// A FIFO of frames with a datagram of `payload` bytes in each cycle, and sinks of which that of frames stalls so often.
fn fifo_of(payload: u64, settings: &[(&'static str, ParameterValue)], stall_percent: u64) -> Simulation {
    let mut bench = Bench::new();
    let traffic = [("traffic", ParameterValue::from(udp(&[payload], &[])))];
    let feeder = bench.design.module("feeder", "traffic_source", bench.domain, traffic);
    let fifo = bench.design.module("fifo", "frame_fifo", bench.domain, settings.to_vec());
    bench.design.connect((feeder, "wire"), (fifo, "input"));
    bench.design.connect((fifo, "link_up"), (feeder, "link_up"));
    for (port, stalls) in [("output", stall_percent), ("fill", 0)] {
        let sink = bench.design.module(port, "test_sink", bench.domain, [("stall_percent", stalls)]);
        bench.design.connect((fifo, port), (sink, "input"));
    }
    bench.start()
}

#[test]
fn a_full_fifo_of_frames_shows_its_lines_and_its_drops() {
    // Two frames of a line each, or one of two lines.
    for (payload, fitting) in [(18, 2), (60, 1)] {
        let mut simulation = fifo_of(payload, &[("size", Size(128).into())], 100);
        let fill = record(&mut simulation, "fifo", "fill");
        run_to(&mut simulation, 200);
        let dropped = counter(&mut simulation, "fifo", "dropped_full");
        assert!(dropped > 3, "{dropped}");
        let fed = counter(&mut simulation, "feeder", "offered");
        assert_eq!(dropped, fed - fitting);
        let fill = fill.lock().expect("no thread panicked");
        assert_eq!(fill[0].0, None, "nothing yet");
        // A frame comes in each cycle, and is seen in the next one.
        assert_eq!(fill.last().and_then(|(words, _)| words.clone()), Some(vec![(dropped - 1) << 32 | 2]));
    }
}

#[test]
fn frames_of_the_shortest_and_the_longest_length_are_kept() {
    const COUNTERS: [&str; 5] =
        ["frames", "dropped_full", "dropped_bad_check_sequence", "dropped_runt", "dropped_oversize"];
    for (shortest, longest, counted) in
        [(60_u64, 60_u64, "frames"), (61, 100, "dropped_runt"), (0, 59, "dropped_oversize")]
    {
        let mut simulation = fifo_of(18, &[("shortest", shortest.into()), ("longest", longest.into())], 0);
        run_to(&mut simulation, 200);
        let counts = COUNTERS.map(|name| (name, counter(&mut simulation, "fifo", name)));
        for (name, count) in counts {
            assert_eq!(count > 0, name == counted, "{name}: {count}");
        }
    }
}

#[test]
fn a_frame_is_presented_after_the_latency_of_its_fifo() {
    for latency in [1_u64, 2, 5] {
        let mut simulation = fifo_of(18, &[("latency", latency.into())], 0);
        let [input, output] = ["input", "output"].map(|port| record(&mut simulation, "fifo", port));
        run_to(&mut simulation, 50);
        let [came, presented] = [input, output].map(|recorded| {
            recorded.lock().expect("no thread panicked").iter().position(|(words, _)| words.is_some())
        });
        assert_eq!(presented, came.map(|cycle| cycle + latency as usize));
    }
}
