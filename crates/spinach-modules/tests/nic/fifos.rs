//! Memories for whole frames.

use spinach_engine::{ParameterValue, Size};

use super::nic::udp;
use super::support::{Bench, counter, record, run_to};

#[test]
fn a_full_fifo_of_frames_shows_its_lines_and_its_drops() {
    let mut bench = Bench::new();
    let traffic = [("traffic", ParameterValue::from(udp(&[18], &[])))];
    let feeder = bench.design.module("feeder", "packet_feeder", bench.domain, traffic);
    let fifo = bench.design.module("fifo", "frame_fifo", bench.domain, [("size", Size(128))]);
    bench.design.connect((feeder, "wire"), (fifo, "input"));
    bench.design.connect((fifo, "link_up"), (feeder, "link_up"));
    for (port, stalls) in [("output", 100_u64), ("fill", 0)] {
        let sink = bench.design.module(port, "test_sink", bench.domain, [("stall_percent", stalls)]);
        bench.design.connect((fifo, port), (sink, "input"));
    }
    let mut simulation = bench.start();
    let fill = record(&mut simulation, "fifo", "fill");
    run_to(&mut simulation, 200);
    let dropped = counter(&mut simulation, "fifo", "dropped_full");
    assert!(dropped > 3, "{dropped}");
    let fill = fill.lock().expect("no thread panicked");
    assert_eq!(fill[0].0, None, "nothing yet");
    // A frame comes in each cycle, and is seen in the next one.
    assert_eq!(fill.last().and_then(|(words, _)| words.clone()), Some(vec![(dropped - 1) << 32 | 2]));
}
