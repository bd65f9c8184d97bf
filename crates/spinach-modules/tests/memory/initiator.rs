//! The initiator, in front of a memory.

use spinach_engine::{ModuleId, ParameterValue, Size};

use super::support::{self, Bench, Stalls, counter, state};

struct Words {
    data: Option<&'static [u64]>,
    addresses: Vec<u64>,
    stalls: Stalls,
}

// Adds an initiator fed by sources and drained by a sink, in front of a separate lane of `memory`.
fn attach(
    bench: &mut Bench,
    memory: ModuleId,
    path: &str,
    words: &Words,
    parameters: &[(&str, ParameterValue)],
) {
    let lane =
        bench.design.connections.iter().filter(|connection| connection.to.port == "port_request").count();
    let initiator = bench.design.module(path, "initiator", bench.domain, parameters.iter().cloned());
    bench.design.connect_lanes((initiator, "memory_request", 0), (memory, "port_request", lane));
    bench.design.connect_lanes((memory, "port_response", lane), (initiator, "memory_response", 0));
    let mut source = |name: &str, script: Vec<u64>| {
        let parameters: [(&str, ParameterValue); 3] = [
            ("script", script.into()),
            ("stall_percent", words.stalls.request_percent.into()),
            ("seed", (words.stalls.seed + name.len() as u64).into()),
        ];
        let source = bench.design.module(format!("{path}_{name}"), "test_source", bench.domain, parameters);
        bench.design.connect((source, "output"), (initiator, name));
    };
    source("address", words.addresses.clone());
    if let Some(data) = words.data {
        source("data", data.to_vec());
    }
    let parameters = [("stall_percent", words.stalls.response_percent), ("seed", words.stalls.seed)];
    let sink = bench.design.module(format!("{path}_sink"), "test_sink", bench.domain, parameters);
    bench.design.connect((initiator, "output"), (sink, "input"));
}

fn memory(bench: &mut Bench) -> ModuleId {
    bench.design.module("memory", "multiported_memory", bench.domain, [("size", Size(64))])
}

fn received(simulation: &mut spinach_engine::Simulation, sink: &str) -> Vec<(u64, u64)> {
    let state: support::SinkState = state(simulation, sink);
    state.received.into_iter().map(|(cycle, words)| (cycle, words[0])).collect()
}

#[test]
fn words_lie_in_memory_in_the_byte_order_that_was_asked_for() {
    let cases: [(u64, &str, &[u8]); 4] = [
        (4, "big", &[1, 2, 3, 4]),
        (4, "little", &[4, 3, 2, 1]),
        (1, "big", &[4]),
        (8, "big", &[0xaa, 0xbb, 0xcc, 0xdd, 1, 2, 3, 4]),
    ];
    for (size, byte_order, bytes) in cases {
        let mut bench = Bench::new();
        let memory = memory(&mut bench);
        let words = Words { data: Some(&[0xaabb_ccdd_0102_0304]), addresses: vec![8], stalls: Stalls::NONE };
        let parameters = [("size", size.into()), ("byte_order", byte_order.into())];
        attach(&mut bench, memory, "writer", &words, &parameters);
        let mut simulation = bench.run(8);
        let mut found = vec![0; bytes.len()];
        assert!(simulation.contents(memory_id(&simulation)).expect("a memory").read(8, &mut found));
        assert_eq!(found, bytes, "{size} bytes, {byte_order}-endian");
    }
}

fn memory_id(simulation: &spinach_engine::Simulation) -> ModuleId {
    simulation.netlist().find_module("memory").expect("it is in the design")
}

#[test]
fn what_was_written_is_read_back_at_every_combination_of_stalls() {
    for stalls in Stalls::all() {
        for byte_order in ["big", "little"] {
            let mut bench = Bench::new();
            let memory = memory(&mut bench);
            let order = [("byte_order", byte_order.into())];
            let addresses = vec![0, 4, 8, 12];
            let write = Words { data: Some(&[10, 20, 30, 40]), addresses: addresses.clone(), stalls };
            attach(&mut bench, memory, "writer", &write, &order);
            let mut simulation = bench.run(200);
            assert_eq!(counter(&mut simulation, "writer", "writes"), 4);
            let written: Vec<u64> =
                received(&mut simulation, "writer_sink").iter().map(|(_, word)| *word).collect();
            assert_eq!(written, [0; 4], "each completion is a 0");

            let mut contents = [0; 16];
            simulation.contents(memory_id(&simulation)).expect("a memory").read(0, &mut contents);
            let mut bench = Bench::new();
            let parameters =
                [("size", ParameterValue::from(Size(64))), ("contents", contents.to_vec().into())];
            let memory = bench.design.module("memory", "multiported_memory", bench.domain, parameters);
            attach(&mut bench, memory, "reader", &Words { data: None, addresses, stalls }, &order);
            let mut simulation = bench.run(200);
            let read: Vec<u64> =
                received(&mut simulation, "reader_sink").iter().map(|(_, word)| *word).collect();
            assert_eq!(read, [10, 20, 30, 40], "{stalls:?}, {byte_order}-endian");
        }
    }
}

#[test]
fn it_adds_no_cycle_in_either_direction() {
    let mut bench = Bench::new();
    let memory = memory(&mut bench);
    let words = Words { data: None, addresses: vec![0, 4, 8], stalls: Stalls::NONE };
    attach(&mut bench, memory, "reader", &words, &[]);
    let mut simulation = bench.run(10);
    let cycles: Vec<u64> = received(&mut simulation, "reader_sink").iter().map(|(cycle, _)| *cycle).collect();
    assert_eq!(cycles, [1, 2, 3], "the latency of the memory is one cycle");
}

#[test]
fn faults_are_counted_and_a_size_that_is_no_power_of_two_is_refused() {
    let mut bench = Bench::new();
    let memory = memory(&mut bench);
    let words = Words { data: None, addresses: vec![60, 64], stalls: Stalls::NONE };
    attach(&mut bench, memory, "reader", &words, &[("size", 3_u64.into())]);
    assert!(bench.problem().contains("reader.size: 3 is not a power of two"), "{}", bench.problem());

    let mut bench = Bench::new();
    let memory = self::memory(&mut bench);
    attach(&mut bench, memory, "reader", &words, &[]);
    let mut simulation = bench.run(10);
    assert_eq!(counter(&mut simulation, "reader", "faults"), 1);
    assert_eq!(counter(&mut simulation, "reader", "reads"), 2);
}
