//! Surroundings of a NIC, alone: links, sources, the host's bus.

use spinach_engine::{ModuleId, ParameterValue, Rate, Simulation, Size, Time};
use spinach_modules::traffic::plan::TrafficPlan;

use super::nic::udp;
use super::support::blocks::{Asked, BlockInitiator};
use super::support::{Bench, Stalls, counter, record, run_to, script};

/// A plan of UDP datagrams.
fn plan_of(sizes: &[u64], weights: &[u64], seed: u64) -> Result<TrafficPlan, String> {
    TrafficPlan::new(&udp(sizes, weights), &[], seed, u64::MAX)
}

/// A feeder, a link and a sink with the same plan; the link carries eight bytes a cycle.
fn link(sizes: &[u64], weights: &[u64], settings: &[(&str, ParameterValue)]) -> Bench {
    let mut bench = Bench::new();
    let plan = || vec![("traffic", ParameterValue::from(udp(sizes, weights)))];
    let mut add = |path: &str, kind: &str, mut own: Vec<(&'static str, ParameterValue)>| -> ModuleId {
        own.extend(plan().into_iter().filter(|_| path != "link"));
        bench.design.module(path, kind, bench.domain, own)
    };
    let (feeder, sink) = (add("feeder", "traffic_source", vec![]), add("sink", "packet_sink", vec![]));
    let link = bench.design.module("link", "link", bench.domain, settings.iter().cloned());
    bench.design.connect((feeder, "wire"), (link, "input"));
    bench.design.connect((link, "output"), (sink, "wire"));
    bench.design.connect((feeder, "departures"), (sink, "departures"));
    bench
}

/// The cycle in which frame `number` of 1514 bytes is delivered, the first having started in cycle 1: gaps are 12 bytes on average,
/// and every second frame starts two bytes early to begin at a multiple of four.
fn delivered_in(number: u64) -> u64 {
    let early = if number % 2 == 1 { 2 } else { 0 };
    let last_byte = 8 + 1538 * number - early + 8 + 1514 + 4 - 1;
    last_byte / 8 + 1
}

#[test]
fn a_frame_is_presented_with_its_first_byte_if_that_is_wanted() {
    let bench = link(&[1472], &[], &[("presents", "first_byte".into()), ("lanes", 1_u32.into())]);
    let mut simulation = bench.start();
    let output = record(&mut simulation, "link", "output");
    run_to(&mut simulation, 600);
    let recorded = output.lock().expect("no thread panicked");
    let cycles =
        recorded.iter().enumerate().filter(|(_, (words, _))| words.is_some()).map(|(cycle, _)| cycle as u64);
    // The first starts in cycle 1; its preamble takes one, and its first byte is presented in the cycle after it passed.
    let expected: Vec<u64> =
        (0..4).map(|number| (8 + 1538 * number + 8) / 8 + 1).take_while(|cycle| *cycle < 600).collect();
    assert_eq!(cycles.collect::<Vec<_>>(), expected);
}

#[test]
fn frames_pass_at_exactly_the_rate_of_the_wire() {
    let bench = link(&[1472], &[], &[]);
    let mut simulation = bench.start();
    let output = record(&mut simulation, "link", "output");
    run_to(&mut simulation, delivered_in(40) + 1);
    let recorded = output.lock().expect("no thread panicked");
    let cycles =
        recorded.iter().enumerate().filter(|(_, (words, _))| words.is_some()).map(|(cycle, _)| cycle as u64);
    assert_eq!(cycles.collect::<Vec<_>>(), (0..=40).map(delivered_in).collect::<Vec<_>>());

    // 10,000 frames: at 156.25 MHz this is 812,744 frames a second.
    let mut simulation = bench.start();
    simulation.set_check_dependencies(false);
    run_to(&mut simulation, delivered_in(9_999));
    assert_eq!(counter(&mut simulation, "link", "frames"), 9_999);
    run_to(&mut simulation, delivered_in(9_999) + 1);
    assert_eq!(counter(&mut simulation, "link", "frames"), 10_000);
    assert_eq!(counter(&mut simulation, "sink", "delivered"), 10_000);
    assert_eq!(counter(&mut simulation, "link", "held"), 0);
    let frames_per_second = 156_250_000.0 * 9_999.0 / (delivered_in(9_999) - delivered_in(0)) as f64;
    assert!((frames_per_second - 812_744.0).abs() < 1.0, "{frames_per_second}");
    assert_eq!(simulation.stored_payloads(), 2, "one frame is on the wire, one waits");
}

#[test]
fn gaps_average_out_whatever_the_sizes() {
    for lanes in [1u64, 4, 8] {
        let bench = link(&[18, 19, 20, 21, 401], &[7, 5, 3, 2, 1], &[("lanes", lanes.into())]);
        let mut simulation = bench.start();
        run_to(&mut simulation, 20_000);
        let frames = counter(&mut simulation, "feeder", "offered");
        let wire_bytes = counter(&mut simulation, "feeder", "bytes") + 24 * frames;
        let next_start =
            simulation.state(module(&simulation, "link")).expect("it is plain")["next_start"].as_u64();
        let off = next_start.expect("it is a number").abs_diff(8 + wire_bytes);
        assert!(frames > 1_000 && off < lanes, "{lanes} lanes: {off} bytes off after {frames} frames");
    }
}

fn module(simulation: &Simulation, path: &str) -> ModuleId {
    simulation.netlist().find_module(path).expect("it is in the design")
}

#[test]
fn latency_is_what_a_frame_takes_on_the_wire() {
    let bench = link(&[1472], &[], &[]);
    let mut simulation = bench.start();
    run_to(&mut simulation, 5_000);
    let state = simulation.state(module(&simulation, "sink")).expect("it is plain");
    let latency = &state["checker"]["latency"];
    // 1526 bytes at 8 a cycle of 1 ns, presented in the cycle after the last; those that start within a cycle take part of one more.
    assert_eq!((latency["count"].as_u64(), latency["max_ns"].as_u64()), (Some(26), Some(192)));
}

/// A bus of one byte a nanosecond in each direction, packets of 128 bytes with 24 of overhead, reads after 100 ns.
fn bus(script: &[Asked], is_duplex: bool) -> (Simulation, Vec<u64>, Vec<u64>) {
    let (simulation, mut moments) = bus_of_lanes(&[script], is_duplex);
    let (moved, answered) = moments.remove(0);
    (simulation, moved, answered)
}

/// Cycles of the requests and of the answers of a lane.
type Moments = (Vec<u64>, Vec<u64>);

// A bus that moves a byte in a cycle, with host memory; `further` are parameters of it.
fn bus_and_memory(bench: &mut Bench, further: Vec<(&str, ParameterValue)>) -> ModuleId {
    let custom: [(&str, ParameterValue); 4] = [
        ("preset", "custom".into()),
        ("bandwidth", Rate(8_000_000_000).into()),
        ("packet", 128u64.into()),
        ("packet_overhead", 24u64.into()),
    ];
    memory_behind(bench, custom.into_iter().chain(further).collect())
}

// A bus with these parameters, with host memory.
fn memory_behind(bench: &mut Bench, parameters: Vec<(&str, ParameterValue)>) -> ModuleId {
    let bus = bench.design.module("bus", "host_interconnect", bench.domain, parameters);
    let memory =
        bench.design.module("memory", "multiported_memory", bench.domain, [("size", Size(0x1_0000))]);
    bench.design.connect((bus, "memory_request"), (memory, "block_request"));
    bench.design.connect((memory, "block_response"), (bus, "memory_response"));
    bus
}

/// The same with a lane for each script.
fn bus_of_lanes(scripts: &[&[Asked]], is_duplex: bool) -> (Simulation, Vec<Moments>) {
    lanes_of_bus(scripts, vec![("is_duplex", is_duplex.into())])
}

fn lanes_of_bus(
    scripts: &[&[Asked]],
    mut further: Vec<(&str, ParameterValue)>,
) -> (Simulation, Vec<Moments>) {
    let mut bench = Bench::new();
    further.push(("read_latency", Time::from_femtoseconds(100_000_000).into()));
    let bus = bus_and_memory(&mut bench, further);
    let lanes = scripts.iter().enumerate();
    let initiators: Vec<_> =
        lanes.map(|(lane, script)| bench.blocks((bus, "device", lane), script, Stalls::NONE)).collect();
    let mut simulation = bench.run(10_000);
    let mut moments = |initiator: &BlockInitiator| {
        let state = initiator.state(&mut simulation);
        (state.moved, state.answered.iter().map(|(cycle, ..)| *cycle).collect())
    };
    let moments = initiators.iter().map(&mut moments).collect();
    (simulation, moments)
}

#[test]
fn writes_do_not_wait_for_the_data_of_reads_of_other_lanes() {
    let reads = [Asked { address: 0, length: 1024, writes: false }; 3];
    let write = [Asked { address: 0x2000, length: 64, writes: true }];
    // Requests take turns: two reads, the write, a read. A cycle to ask, one to answer, one to present.
    let (_, lanes) = bus_of_lanes(&[&reads, &write], true);
    assert!(lanes[1].1[0] <= 3 * 24 + 64 + 24 + 4, "{lanes:?}");
    assert!(lanes[0].1[0] > 1024);
    // Without duplex the write itself waits for the bus.
    let (_, lanes) = bus_of_lanes(&[&reads, &write], false);
    assert!(lanes[1].1[0] > 64 + 24);
}

#[test]
fn a_bus_takes_exactly_its_time() {
    let read = Asked { address: 0, length: 256, writes: false };
    let write = Asked { writes: true, ..read };
    // One packet without data there, a cycle to ask and one to answer, the latency, two packets back, a cycle to present.
    let (_, moved, answered) = bus(&[read], true);
    assert_eq!(answered[0] - moved[0], 24 + 2 + 100 + 304 + 1);
    // Two packets there, a cycle to ask and one to answer, a cycle to present.
    let (_, moved, answered) = bus(&[write], true);
    assert_eq!(answered[0] - moved[0], 304 + 2 + 1);
}

#[test]
fn packets_with_data_of_a_read_have_an_overhead_of_their_own() {
    // Bytes on the way, one in a nanosecond, of a read and of a write of 256 bytes, with cycles as above. On PCI Express a
    // request has 24 bytes besides data, a completion 20.
    let express = [("preset", "pcie_x4".into())];
    let custom = [
        ("preset", "custom".into()),
        ("bandwidth", Rate(8_000_000_000).into()),
        ("packet_overhead", 24u64.into()),
    ];
    let with_completions =
        |overhead: u64| [&custom[..], &[("completion_overhead", overhead.into())]].concat();
    for (parameters, latency, [request, completions, writes]) in [
        (express.to_vec(), 300, [24, 2 * (128 + 20), 2 * (128 + 24)]),
        (with_completions(20), 0, [24, 2 * (128 + 20), 2 * (128 + 24)]),
        (with_completions(40), 0, [24, 2 * (128 + 40), 2 * (128 + 24)]),
        (custom.to_vec(), 0, [24, 2 * (128 + 24), 2 * (128 + 24)]),
    ] {
        let took = |writes| {
            let mut bench = Bench::new();
            let bus = memory_behind(&mut bench, parameters.clone());
            let script = [Asked { address: 0, length: 256, writes }];
            let initiator = bench.blocks((bus, "device", 0), &script, Stalls::NONE);
            let state = initiator.state(&mut bench.run(2_000));
            state.answered[0].0 - state.moved[0]
        };
        assert_eq!(took(false), request + 2 + latency + completions + 1, "{parameters:?}");
        assert_eq!(took(true), writes + 2 + 1, "{parameters:?}");
    }
}

#[test]
fn sizes_that_the_host_sets_make_more_packets_and_requests() {
    // The last number: cycles for which the answer waits for that of the read before, of 25 bytes.
    for (word, there, back, waits) in
        [(None, 24, 512 + 4 * 24, 1), (Some(256 | 200 << 32), 3 * 24, 512 + 2 * 24, 0)]
    {
        let mut bench = Bench::new();
        let bus = bus_and_memory(&mut bench, Vec::new());
        if let Some(word) = word {
            let parameters: [(&str, ParameterValue); 1] = [("script", script(&[word]).into())];
            let sizes = bench.design.module("sizes", "test_source", bench.domain, parameters);
            bench.design.connect((sizes, "output"), (bus, "sizes"));
        }
        // A read of one byte before, so that the sizes are there.
        let read = |length| Asked { address: 0, length, writes: false };
        let initiator = bench.blocks((bus, "device", 0), &[read(1), read(512)], Stalls::NONE);
        let mut simulation = bench.run(2_000);
        let state = initiator.state(&mut simulation);
        // Both requests leave one after the other; the longer answer comes last.
        let took = state.answered[1].0 - state.moved[1];
        assert_eq!(took, 24 + there + 2 + back + waits, "{word:?}");
    }
}

/// Moments of lanes of a link with credits that come back after 200 ns.
fn with_credits(scripts: &[&[Asked]], limits: &[(&'static str, u64)]) -> Vec<Moments> {
    let latency = ("credit_latency", Time::from_femtoseconds(200_000_000).into());
    let limits = limits.iter().map(|(name, limit)| (*name, (*limit).into()));
    lanes_of_bus(scripts, limits.chain([latency]).collect()).1
}

#[test]
fn packets_to_write_wait_for_credits() {
    // Four packets of 152 bytes. To arrive, a cycle to ask, one to answer and one to present.
    let write = [Asked { address: 0, length: 512, writes: true }];
    let took = |limits: &[(&'static str, u64)]| {
        let (moved, answered) = with_credits(&[&write], limits).remove(0);
        answered[0] - moved[0] - 3
    };
    // Each waits for the credit of the one before.
    assert_eq!(took(&[("posted_headers", 1)]), 3 * (152 + 200) + 152);
    // Two at a time: the fourth waits for the second, which arrived in 304.
    assert_eq!(took(&[("posted_headers", 2)]), 304 + 200 + 152);
    assert_eq!(took(&[("posted_data", 16)]), 304 + 200 + 152);
    // A credit is good for 16 bytes: for two packets one is missing.
    assert_eq!(took(&[("posted_data", 15)]), 3 * (152 + 200) + 152);
    assert_eq!(took(&[("posted_data", 8)]), 3 * (152 + 200) + 152);
    assert_eq!(took(&[("posted_headers", 3), ("posted_data", 32)]), 4 * 152);
    assert_eq!(took(&[("read_headers", 1), ("tags", 1)]), 4 * 152);
}

#[test]
fn reads_wait_for_credits_and_tags() {
    // Two reads of 64 bytes: 24 bytes there, a cycle to ask, one to answer, the latency, 88 bytes back, a cycle to present.
    let read = |length| Asked { address: 0, length, writes: false };
    let took = |lengths: [u32; 2], limits: &[(&'static str, u64)]| {
        let (moved, answered) = with_credits(&[&lengths.map(read)], limits).remove(0);
        answered.iter().map(|at| at - moved[0] - 2 - 100 - 1).collect::<Vec<_>>()
    };
    assert_eq!(took([64, 64], &[("read_headers", 2)]), [24 + 88, 24 + 88 + 88]);
    assert_eq!(took([64, 64], &[("read_headers", 1)]), [24 + 88, 24 + 200 + 24 + 88]);
    // The tag of the first is free when its data has come: then the second does all that the first did.
    let all = 24 + 2 + 100 + 88;
    assert_eq!(took([64, 64], &[("tags", 1)]), [24 + 88, 24 + 88 + all]);
    assert_eq!(took([64, 64], &[("tags", 2)]), [24 + 88, 24 + 88 + 88]);
}

#[test]
fn a_read_needs_a_tag_for_each_of_its_requests() {
    let read = |length| Asked { address: 0, length, writes: false };
    let took = |tags| {
        let limits = [("tags", tags), ("read_request", 128)];
        let (moved, answered) = with_credits(&[&[read(256)], &[read(256)]], &limits).remove(0);
        answered[0] - moved[0]
    };
    // The other lane goes first. With four tags both reads are under way: the other has its data when three requests are there. With fewer
    // the second begins when the first has ended.
    let first = 2 * 24 + 2 + 100 + 2 * 152;
    assert_eq!(took(4), first + 24 + 2 * 152 + 1);
    assert_eq!([3, 2].map(took), [2 * first + 1; 2]);
    // With a single tag the requests of both take turns, each with the tag until its data could be there. The last but one is that of the
    // other lane, whose data comes first.
    assert_eq!(took(1), 2 * (24 + 100 + 152) + 24 + 2 + 100 + 4 * 152 + 1);
    // Data for which one request asks may come in several packets.
    let limits = [("tags", 1), ("read_request", 256)];
    let (moved, answered) = with_credits(&[&[read(512)]], &limits).remove(0);
    assert_eq!(answered[0] - moved[0], (24 + 100 + 2 * 152) + 24 + 2 + 100 + 4 * 152 + 1);
}

#[test]
fn reads_and_writes_wait_for_their_own_credits_only() {
    let read = [Asked { address: 0, length: 64, writes: false }; 3];
    let write = [Asked { address: 0x2000, length: 128, writes: true }; 3];
    let answered = |limits: &[_]| -> Vec<u64> {
        with_credits(&[&read, &write], limits).into_iter().map(|(_, answered)| answered[2]).collect()
    };
    let free = answered(&[]);
    let slow_reads = answered(&[("read_headers", 1)]);
    let slow_writes = answered(&[("posted_headers", 1)]);
    assert!(slow_reads[0] >= free[0] + 200 && slow_reads[1] <= free[1], "{slow_reads:?} for {free:?}");
    assert!(slow_writes[1] >= free[1] + 200 && slow_writes[0] <= free[0], "{slow_writes:?} for {free:?}");
    // Limits that are never reached change no moment of a lane.
    let lavish = [("posted_headers", 100), ("posted_data", 100), ("read_headers", 100), ("tags", 100)];
    assert_eq!(with_credits(&[&read], &lavish), with_credits(&[&read], &[]));
    assert_eq!(with_credits(&[&write], &lavish), with_credits(&[&write], &[]));
}

#[test]
fn reads_that_share_a_tag_take_turns_while_another_lane_writes() {
    let write = [Asked { address: 0x2000, length: 128, writes: true }; 60];
    let read = [Asked { address: 0, length: 64, writes: false }; 10];
    let lanes = with_credits(&[&write, &read, &read], &[("tags", 1)]);
    let (_, first) = &lanes[1];
    let (_, second) = &lanes[2];
    // Each read of a lane has its data between two of the other lane.
    assert!(first.is_sorted() && second.is_sorted());
    for (number, at) in second.iter().enumerate().skip(1) {
        assert!(
            (first[number - 1] < *at) && first.get(number + 1).is_none_or(|next| *at < *next),
            "{lanes:?}"
        );
    }
}

#[test]
fn a_bus_is_as_fast_as_its_narrowest_part() {
    let read = Asked { address: 0, length: 128, writes: false };
    let script: Vec<Asked> = (0..40).map(|number| Asked { writes: number % 2 == 1, ..read }).collect();
    for (is_duplex, bytes) in [(true, 24 + 152), (false, 24 + 152 + 152)] {
        let (mut simulation, _, answered) = bus(&script, is_duplex);
        assert_eq!(answered.len(), 40);
        // Per pair of a read and a write: with duplex what goes to the host, without everything.
        let pair = (answered[37] - answered[17]) / 10;
        assert!((bytes..=bytes + 12).contains(&pair), "{pair} for {bytes}");
        assert_eq!(counter(&mut simulation, "bus", "read_bytes"), 20 * 128);
        assert_eq!(counter(&mut simulation, "bus", "written_bytes"), 20 * 128);
    }
}

#[test]
fn plans_are_pure_and_their_datagrams_are_right() {
    use etherparse::{SlicedPacket, TransportSlice};
    let sizes: Vec<u64> = (0..=1472).collect();
    let plan = plan_of(&sizes, &[], 7).expect("the sizes are good");
    let again = plan_of(&sizes, &[], 7).expect("the sizes are good");
    let other = plan_of(&sizes, &[], 8).expect("the sizes are good");
    let (mut one, mut two, mut three) = (Vec::new(), Vec::new(), Vec::new());
    let mut differ = 0;
    for index in (0..3000).rev().chain([65_535, 65_536, 1 << 31, u64::from(u32::MAX) + 5]) {
        plan.build(index, &mut one);
        again.build(index, &mut two);
        other.build(index, &mut three);
        assert_eq!(one, two);
        differ += usize::from(one != three);
        assert_eq!(one.len(), plan.frame_bytes(index));
        assert!(plan.claims(&one, index.saturating_sub(9)).eq([index]));
        let packet = SlicedPacket::from_ethernet(&one).expect("it is a datagram");
        let Some(TransportSlice::Udp(udp)) = packet.transport else { panic!("it is not UDP") };
        assert_eq!(udp.payload().len() as u64, plan.payload_bytes(index));
        let Some(etherparse::NetSlice::Ipv4(ip)) = packet.net else { panic!("it is not IPv4") };
        let header = ip.header().to_header();
        assert_eq!(header.calc_header_checksum(), header.header_checksum);
        let sum = udp.to_header().calc_checksum_ipv4(&header, udp.payload()).expect("it is short");
        assert_eq!(sum, udp.checksum());
    }
    assert!(differ > 2900);
    let mixed = plan_of(&[18, 500, 1472], &[7, 4, 1], 1).expect("the sizes are good");
    let small = (0..12_000).filter(|index| mixed.payload_bytes(*index) == 18).count();
    assert!((6_700..7_300).contains(&small), "{small}");
}

#[test]
fn impossible_plans_are_refused() {
    let refused = |plan: Result<TrafficPlan, String>| plan.expect_err("it is impossible");
    assert!(refused(plan_of(&[65_508], &[], 1)).contains("65507"));
    assert!(refused(plan_of(&[18, 20], &[1], 1)).contains("2 sizes but 1 weights"));
    assert!(refused(plan_of(&[18], &[0], 1)).contains("weights are 0"));
    assert!(
        refused(TrafficPlan::new("", &[0, 0, 0, 9, 1], 1, 1)).contains("9 bytes are announced, 1 follow")
    );
    assert!(refused(TrafficPlan::new("", &[0, 0, 0, 1, 1, 7], 1, 1)).contains("1 bytes follow"));
    for (description, said) in [
        (r#"{"kind": "udp", "sizes": []}"#, "no sizes"),
        (r#"{"kind": "udp", "sizes": [18], "flows": 0}"#, "0 flows"),
        (r#"{"kind": "udp", "sizes": [18], "size": 1}"#, "unknown field `size`"),
        (r#"{"kind": "sctp", "sizes": [18]}"#, "unknown variant `sctp`"),
        (r#"{"kind": "tcp", "sizes": [65496]}"#, "at most 65495"),
        (r#"{"kind": "raw", "sizes": [7]}"#, "8 to 65521"),
        (r#"{"kind": "raw", "sizes": [46], "source_mac": "2:0:0:0:0:1"}"#, "not an Ethernet address"),
        (r#"{"kind": "capture"}"#, "there are 0 frames"),
        (r#"{"kind": "mix", "parts": []}"#, "without parts"),
        (
            r#"{"kind": "mix", "parts": [{"weight": 1, "source": {"kind": "mix", "parts": []}}]}"#,
            "a mix itself",
        ),
    ] {
        let message = refused(TrafficPlan::new(description, &[], 1, 1));
        assert!(message.contains(said), "{description}: {message}");
    }
}
