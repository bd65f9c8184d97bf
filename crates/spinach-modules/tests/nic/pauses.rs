//! Flow control: pause frames of a receiver without room, and the sender that obeys them.

use spinach_engine::{ModuleId, ParameterValue, Simulation, Size};
use spinach_modules::values::Reference;

use super::nic::udp;
use super::support::{Bench, Stalls, counter, record, run_to};

const NONE: [(&str, u64); 0] = [];
const BUFFERS: u64 = 16;

fn write(offset: u64, word: u64) -> Reference {
    Reference::write(offset, 4, u128::from((word as u32).swap_bytes()))
}

fn add(bench: &mut Bench, path: &str, kind: &str) -> ModuleId {
    bench.design.module(path, kind, bench.domain, NONE)
}

fn with_memory(bench: &mut Bench, device: ModuleId, contents: Vec<u8>) {
    let parameters: [(&str, ParameterValue); 2] =
        [("size", Size(0x1_0000).into()), ("contents", contents.into())];
    let memory = bench.design.module("memory", "multiported_memory", bench.domain, parameters);
    bench.design.connect((device, "frame_request"), (memory, "block_request"));
    bench.design.connect((memory, "block_response"), (device, "frame_response"));
}

fn feeder(bench: &mut Bench) -> ModuleId {
    let traffic = [("traffic", ParameterValue::from(udp(&[18], &[])))];
    bench.design.module("feeder", "traffic_source", bench.domain, traffic)
}

/// A MAC whose firmware gives a buffer each 40 cycles, at the end of a link that brings frames of 60 bytes each 10 or 11 cycles.
fn slow_receiver(asks: bool) -> Simulation {
    let mut bench = Bench::new();
    let feeder = feeder(&mut bench);
    let [near, far] = ["near", "far"].map(|path| add(&mut bench, path, "flow_control"));
    let [there, back] = ["there", "back"].map(|path| add(&mut bench, path, "link"));
    let sink = add(&mut bench, "sink", "packet_sink");
    let silent = bench.design.module("silent", "traffic_source", bench.domain, [("count", 0_u64)]);
    let parameters = [("congested_below", 12_u32), ("relieved_at", 14)];
    let receive = bench.design.module("receive", "queue_receive", bench.domain, parameters);
    for (from, to) in [
        ((feeder, "wire"), (far, "send")),
        ((far, "sent"), (there, "input")),
        ((there, "output"), (near, "arriving")),
        ((near, "received"), (receive, "wire")),
        ((silent, "wire"), (near, "send")),
        ((near, "sent"), (back, "input")),
        ((back, "output"), (far, "arriving")),
        ((far, "received"), (sink, "wire")),
    ] {
        bench.design.connect(from, to);
    }
    if asks {
        bench.design.connect((receive, "congested"), (near, "congested"));
    }
    with_memory(&mut bench, receive, Vec::new());
    let give = |number: u64| [write(0, number % BUFFERS * 0x800), write(4, 0x7ff)];
    let mut script: Vec<Reference> = (0..BUFFERS).flat_map(give).chain([write(0x10, 1)]).collect();
    for number in BUFFERS..200 {
        script.extend([Reference::read(0x08, 4); 10]);
        script.push(Reference::read(0x0c, 4));
        script.extend(give(number));
    }
    let _ = bench.initiator((receive, "registers", 0), &script, Stalls::NONE);
    let mut simulation = bench.start();
    run_to(&mut simulation, 4_000);
    simulation
}

#[test]
fn a_receiver_that_asks_for_pauses_drops_nothing() {
    let mut simulation = slow_receiver(true);
    let mut count = |path: &str, name: &str| counter(&mut simulation, path, name);
    assert_eq!(count("receive", "dropped_no_buffer"), 0);
    // Not a frame is lost on the way, and what does not pass waits at its source.
    let received = count("receive", "frames");
    assert!(received > 50, "{received}");
    assert!(count("far", "frames") - received <= 5, "more frames than the link holds");
    // A pause and its end, time and again; the other end sees all but one under way.
    let pauses = count("near", "pauses_sent");
    assert!(pauses >= 6 && pauses - count("far", "pauses_received") <= 1, "{pauses}");
    assert_eq!(count("far", "dropped_pause"), 0, "no source sent them");
    assert_eq!(count("sink", "corrupted"), 0, "pause frames go no further");
    let mut simulation = slow_receiver(false);
    assert!(counter(&mut simulation, "receive", "dropped_no_buffer") > 100);
}

/// Frames held up by a pause frame of 5 quanta, on a link of 8 bytes a cycle.
#[test]
fn a_pause_lasts_exactly_its_quanta() {
    const QUANTA: u64 = 5;
    let mut pause = vec![0x01, 0x80, 0xc2, 0, 0, 1, 2, 0, 0, 0, 0, 1, 0x88, 0x08, 0, 1, 0, QUANTA as u8];
    pause.resize(60, 0);
    let mut bench = Bench::new();
    let feeder = feeder(&mut bench);
    let control = add(&mut bench, "control", "flow_control");
    let [out, inward] = ["out", "inward"].map(|path| add(&mut bench, path, "packet_sink"));
    let transmit = add(&mut bench, "transmit", "queue_transmit");
    for (from, to) in [
        ((feeder, "wire"), (control, "send")),
        ((control, "sent"), (out, "wire")),
        ((transmit, "wire"), (control, "arriving")),
        ((control, "received"), (inward, "wire")),
    ] {
        bench.design.connect(from, to);
    }
    with_memory(&mut bench, transmit, pause);
    let script = [write(0x10, 1), write(0, 0), write(4, 1 << 31 | 60)];
    let _ = bench.initiator((transmit, "registers", 0), &script, Stalls::NONE);
    let mut simulation = bench.start();
    let [arriving, sent] =
        [("transmit", "wire"), ("control", "sent")].map(|(path, port)| record(&mut simulation, path, port));
    run_to(&mut simulation, 200);
    let [arriving, sent] = [arriving, sent].map(|recorded| -> Vec<usize> {
        let recorded = recorded.lock().expect("no thread panicked");
        (0..recorded.len()).filter(|cycle| recorded[*cycle].0.is_some()).collect()
    });
    let came = arriving[0];
    let after = sent.iter().copied().find(|cycle| *cycle > came).expect("the pause ends");
    assert!(sent.contains(&came), "frames pass until then");
    assert_eq!(after, came + 1 + (QUANTA * 64 / 8) as usize);
    for name in ["pauses_received", "dropped_pause"] {
        assert_eq!(counter(&mut simulation, "control", name), 1, "{name}");
    }
}

/// A receiver that never has a buffer; pauses of 8 quanta on a link of 8 bytes a cycle.
#[test]
fn a_congested_receiver_asks_again_after_half_of_each_pause() {
    const QUANTA: u64 = 8;
    let mut bench = Bench::new();
    let [feeder, silent] = ["feeder", "silent"]
        .map(|path| bench.design.module(path, "traffic_source", bench.domain, [("count", 0_u64)]));
    let control = bench.design.module("control", "flow_control", bench.domain, [("quanta", QUANTA)]);
    let out = add(&mut bench, "out", "packet_sink");
    let parameters = [("congested_below", 12_u32), ("relieved_at", 14)];
    let receive = bench.design.module("receive", "queue_receive", bench.domain, parameters);
    for (from, to) in [
        ((silent, "wire"), (control, "arriving")),
        ((control, "received"), (receive, "wire")),
        ((feeder, "wire"), (control, "send")),
        ((control, "sent"), (out, "wire")),
        ((receive, "congested"), (control, "congested")),
    ] {
        bench.design.connect(from, to);
    }
    with_memory(&mut bench, receive, Vec::new());
    let _ = bench.initiator((receive, "registers", 0), &[write(0x10, 1)], Stalls::NONE);
    let mut simulation = bench.start();
    let sent = record(&mut simulation, "control", "sent");
    run_to(&mut simulation, 300);
    let sent = sent.lock().expect("no thread panicked");
    let pauses: Vec<usize> = (0..sent.len()).filter(|cycle| sent[*cycle].0.is_some()).collect();
    assert!(pauses.len() > 5, "{pauses:?}");
    let half = (QUANTA * 64 / 8 / 2) as usize;
    assert!(pauses.windows(2).all(|pair| pair[1] - pair[0] == half), "{pauses:?}");
}

/// Eight frames of 60 bytes at once, for a FIFO of 512 bytes whose memory answers 200 cycles later.
#[test]
fn a_receiver_is_congested_above_half_of_its_fifo_until_a_quarter_is_left() {
    let mut bench = Bench::new();
    let frames = [("traffic", ParameterValue::from(udp(&[18], &[]))), ("count", 8_u64.into())];
    let feeder = bench.design.module("feeder", "traffic_source", bench.domain, frames);
    let parameters: [(&str, ParameterValue); 3] =
        [("congested_below", 1_u32.into()), ("relieved_at", 1_u32.into()), ("fifo", Size(512).into())];
    let receive = bench.design.module("receive", "queue_receive", bench.domain, parameters);
    // The buffers are there before the frames.
    let [way, delay] =
        ["way", "delay"].map(|path| bench.design.module(path, "pipe", bench.domain, [("depth", 200_u64)]));
    bench.design.connect((feeder, "wire"), (way, "input"));
    bench.design.connect((way, "output"), (receive, "wire"));
    let memory =
        bench.design.module("memory", "multiported_memory", bench.domain, [("size", Size(0x1_0000))]);
    bench.design.connect((receive, "frame_request"), (memory, "block_request"));
    bench.design.connect((memory, "block_response"), (delay, "input"));
    bench.design.connect((delay, "output"), (receive, "frame_response"));
    let sink = bench.design.module("sink", "test_sink", bench.domain, [("stall_percent", 0_u64)]);
    bench.design.connect((receive, "congested"), (sink, "input"));
    let give = |number: u64| [write(0, number * 0x800), write(4, 0x7ff)];
    let script: Vec<Reference> = (0..BUFFERS).flat_map(give).chain([write(0x10, 1)]).collect();
    let _ = bench.initiator((receive, "registers", 0), &script, Stalls::NONE);
    let mut simulation = bench.start();
    let ports = [("receive", "congested"), ("receive", "wire"), ("receive", "frame_response")];
    let recorded = ports.map(|(path, port)| record(&mut simulation, path, port));
    run_to(&mut simulation, 800);
    let [congested, arrived, stored] = recorded.map(|recorded| -> Vec<usize> {
        let recorded = recorded.lock().expect("no thread panicked");
        (0..recorded.len()).filter(|cycle| recorded[*cycle].0.is_some() && recorded[*cycle].1).collect()
    });
    assert_eq!((congested.len(), arrived.len(), stored.len()), (2, 8, 8));
    // More than 256 bytes are there with the fifth frame, at most 128 when the sixth is stored; a word is presented a cycle later.
    assert_eq!(congested, [arrived[4] + 1, stored[5] + 1]);
}

/// Frames of 60 bytes on a link of 8 bytes a cycle, which is asked for pauses in cycle 100 and, if there are two, in cycle 101.
#[test]
fn a_link_starts_no_frame_during_a_pause() {
    for (requests, start) in
        [(vec![5_u64], 101 + 5 * 8), (vec![5, 2], 102 + 2 * 8), (vec![2, 5], 102 + 5 * 8)]
    {
        let mut bench = Bench::new();
        let feeder = feeder(&mut bench);
        let [link, sink] =
            [("link", "link"), ("sink", "packet_sink")].map(|(path, kind)| add(&mut bench, path, kind));
        let parameters: [(&str, ParameterValue); 2] =
            [("script", requests.into()), ("start", 100_u64.into())];
        let source = bench.design.module("source", "test_source", bench.domain, parameters);
        bench.design.connect((source, "output"), (link, "pause"));
        bench.design.connect((feeder, "wire"), (link, "input"));
        bench.design.connect((link, "output"), (sink, "wire"));
        let mut simulation = bench.start();
        let started = record(&mut simulation, "feeder", "wire");
        run_to(&mut simulation, 200);
        let started = started.lock().expect("no thread panicked");
        let starts: Vec<usize> = (0..started.len()).filter(|cycle| started[*cycle].1).collect();
        assert!(
            starts.iter().filter(|cycle| **cycle <= 100).count() >= 9,
            "frames pass until then: {starts:?}"
        );
        assert_eq!(starts.into_iter().find(|cycle| *cycle > 100), Some(start));
    }
}

#[test]
fn flow_control_holds_two_frames_in_each_direction() {
    let mut bench = Bench::new();
    let control = add(&mut bench, "control", "flow_control");
    for (path, (from, to)) in [("out", ("send", "sent")), ("in", ("arriving", "received"))] {
        let traffic = [("traffic", ParameterValue::from(udp(&[18], &[])))];
        let source = bench.design.module(path, "traffic_source", bench.domain, traffic);
        let stalls = [("stall_percent", 100_u64)];
        let sink = bench.design.module(format!("sink_{path}"), "test_sink", bench.domain, stalls);
        bench.design.connect((source, "wire"), (control, from));
        bench.design.connect((control, to), (sink, "input"));
    }
    let mut simulation = bench.start();
    run_to(&mut simulation, 100);
    assert_eq!(["out", "in"].map(|path| counter(&mut simulation, path, "offered")), [2, 2]);
}
