//! Access times through a memory controller.

use spinach_engine::{ModuleId, ParameterValue, Size};
use spinach_modules::values::{Reference, Response};

use super::support::blocks::{Asked, pattern};
use super::support::{Bench, Stalls, counter};

// A controller with rows of 64 bytes in two banks, and its memory.
fn controller(
    bench: &mut Bench,
    extra: &[(&str, ParameterValue)],
    blocks: bool,
    references: bool,
) -> ModuleId {
    let memory = bench.design.module("memory", "multiported_memory", bench.domain, [("size", Size(1 << 16))]);
    let mut parameters = vec![
        ("row_size", ParameterValue::from(Size(64))),
        ("banks", 2_u32.into()),
        ("activation_latency", 10_u64.into()),
        ("precharge_latency", 7_u64.into()),
        ("column_latency", 5_u64.into()),
    ];
    for (name, value) in extra {
        parameters.retain(|(known, _)| known != name);
        parameters.push((*name, value.clone()));
    }
    let controller = bench.design.module("controller", "memory_controller", bench.domain, parameters);
    if references {
        bench.design.connect((controller, "memory_request"), (memory, "port_request"));
        bench.design.connect((memory, "port_response"), (controller, "memory_response"));
    }
    if blocks {
        bench.design.connect((controller, "memory_block_request"), (memory, "block_request"));
        bench.design.connect((memory, "block_response"), (controller, "memory_block_response"));
    }
    controller
}

// The cycles in which requests pass and responses are presented, one after the other.
fn timeline(extra: &[(&str, ParameterValue)], requests: &[Reference]) -> Vec<(u64, u64)> {
    let mut bench = Bench::new();
    let controller = controller(&mut bench, extra, false, true);
    let initiator = bench.initiator((controller, "port", 0), requests, Stalls::NONE);
    let mut simulation = bench.run(500);
    let requested = initiator.requested(&mut simulation);
    let responses = initiator.responses::<Response>(&mut simulation);
    requested.into_iter().zip(responses.iter().map(|(cycle, _)| *cycle)).collect()
}

#[test]
fn a_closed_row_an_open_row_and_a_conflict() {
    let reads = [0, 16, 64, 128].map(|address| Reference::read(address, 16));
    // Activation 10, data 1, column 5; then at once; then the other bank; then precharge 7 and activation 10.
    let expected = [(0, 16), (11, 17), (12, 28), (23, 46)];
    assert_eq!(timeline(&[], &reads), expected);
}

#[test]
fn open_rows_stream_one_reference_per_cycle() {
    let reads = [0, 16, 32, 48].map(|address| Reference::read(address, 16));
    assert_eq!(timeline(&[], &reads), [(0, 16), (11, 17), (12, 18), (13, 19)]);
}

#[test]
fn an_sram_pays_the_same_latency_for_every_burst() {
    let sram: [(&str, ParameterValue); 5] = [
        ("banks", 1_u32.into()),
        ("row_size", Size(32).into()),
        ("activation_latency", 3_u64.into()),
        ("precharge_latency", 0_u64.into()),
        ("column_latency", 1_u64.into()),
    ];
    let requests = [
        Reference::read(0, 16),
        Reference::write(16, 16, 1),
        Reference::read(32, 16),
        Reference::write(0, 8, 2),
    ];
    assert_eq!(timeline(&sram, &requests), [(0, 5), (4, 6), (5, 10), (9, 14)]);
}

#[test]
fn turning_the_bus_around_costs_its_latency() {
    let extra = [("read_to_write_latency", 2_u64.into()), ("write_to_read_latency", 4_u64.into())];
    let requests = [Reference::read(0, 16), Reference::write(16, 16, 1), Reference::read(32, 16)];
    assert_eq!(timeline(&extra, &requests), [(0, 16), (11, 19), (14, 24)]);
}

#[test]
fn the_default_bank_conflict_has_the_27_cycles_of_the_paper() {
    let mut bench = Bench::new();
    let memory = bench.design.module("memory", "multiported_memory", bench.domain, [("size", Size(1 << 16))]);
    let none: [(&str, u64); 0] = [];
    let controller = bench.design.module("controller", "memory_controller", bench.domain, none);
    bench.design.connect((controller, "memory_request"), (memory, "port_request"));
    bench.design.connect((memory, "port_response"), (controller, "memory_response"));
    let reads = [Reference::read(0, 16), Reference::read(4 * 4096, 16)];
    let initiator = bench.initiator((controller, "port", 0), &reads, Stalls::NONE);
    let mut simulation = bench.run(500);
    let (asked, answered) =
        (initiator.requested(&mut simulation)[1], initiator.responses::<Response>(&mut simulation)[1].0);
    // 27 cycles until the data begin to move, and one for them to move.
    assert_eq!(answered - asked, 27 + 1);
}

#[test]
fn misaligned_blocks_cost_the_words_they_touch() {
    let mut bench = Bench::new();
    let controller = controller(&mut bench, &[("row_size", Size(1 << 14).into())], true, false);
    let script = [
        Asked { address: 0, length: 1518, writes: true },
        Asked { address: 4, length: 1518, writes: true },
        Asked { address: 4, length: 1518, writes: false },
    ];
    let initiator = bench.blocks((controller, "block", 0), &script, Stalls::NONE);
    let mut simulation = bench.run(1000);
    let state = initiator.state(&mut simulation);
    // 1518 bytes touch 190 words of 8 bytes, or 191 from the middle of a word on; two words move in a cycle.
    assert_eq!(state.moved, [1, 1 + 10 + 95, 1 + 10 + 95 + 96]);
    let answered: Vec<u64> = state.answered.iter().map(|(cycle, _, _)| *cycle).collect();
    assert_eq!(answered, [111, 207, 303]);
    assert_eq!(state.answered[2].1.as_deref(), Some(pattern(1, 1518).as_slice()));
    let mut count = |name| counter(&mut simulation, "controller", name);
    assert_eq!((count("useful_bytes"), count("consumed_bytes")), (3 * 1518, 1520 + 2 * 1528));
    assert_eq!((count("data_cycles"), count("busy_cycles")), (95 + 96 + 96, 10 + 95 + 96 + 96));
    assert_eq!((count("row_activations"), count("bank_conflicts"), count("turnarounds")), (1, 0, 1));
    assert_eq!(simulation.stored_payloads(), 0, "the receiver of a payload has taken it out");
}

#[test]
fn a_block_over_several_rows_exposes_every_activation() {
    let mut bench = Bench::new();
    let controller = controller(&mut bench, &[], true, false);
    let script = [Asked { address: 32, length: 128, writes: false }];
    let initiator = bench.blocks((controller, "block", 0), &script, Stalls::NONE);
    let mut simulation = bench.run(200);
    // Three rows; the third closes the first.
    assert_eq!(initiator.state(&mut simulation).answered[0].0, 1 + 10 + 10 + 17 + 8 + 5);
}

#[test]
fn blocks_and_references_share_the_bus_and_the_bytes() {
    for (stalls, policy) in Stalls::all().into_iter().zip(["in_order", "first_ready"].repeat(2)) {
        let mut bench = Bench::new();
        let controller = controller(&mut bench, &[("policy", policy.into())], true, true);
        let write = |step: u64| Asked { address: 1024 + 100 * step, length: 100, writes: true };
        let read = |step: u64| Asked { writes: false, ..write(step) };
        let script: Vec<Asked> = (0..20).flat_map(|step| [write(step), read(step)]).collect();
        let blocks = bench.blocks((controller, "block", 0), &script, stalls);
        let outside = bench.blocks(
            (controller, "block", 1),
            &[
                Asked { address: 1 << 20, length: 64, writes: true },
                Asked { address: 65500, length: 64, writes: false },
            ],
            stalls,
        );
        let references: Vec<Reference> = (0..50)
            .flat_map(|step| [Reference::write(step * 8, 8, step.into()), Reference::read(step * 8, 8)])
            .collect();
        let initiator = bench.initiator((controller, "port", 0), &references, stalls);
        let mut simulation = bench.run(20_000);
        for (number, (_, bytes, is_fault)) in blocks.state(&mut simulation).answered.iter().enumerate() {
            assert!(!is_fault);
            let expected = (number % 2 == 1).then(|| pattern(number - 1, 100));
            assert_eq!(*bytes, expected, "block {number} with {stalls:?}");
        }
        assert_eq!(blocks.state(&mut simulation).answered.len(), 40);
        let faults: Vec<bool> =
            outside.state(&mut simulation).answered.iter().map(|(_, _, fault)| *fault).collect();
        assert_eq!(faults, [true, true]);
        let responses = initiator.responses::<Response>(&mut simulation);
        let read: Vec<u128> =
            responses.iter().skip(1).step_by(2).map(|(_, response)| response.data).collect();
        assert_eq!(read, (0..50).collect::<Vec<u128>>());
        assert_eq!(simulation.stored_payloads(), 0);
    }
}

// Cycles in which the responses of two lanes are presented.
fn two_lanes(policy: &str, first: &[Reference], second: &[Reference]) -> [Vec<u64>; 2] {
    let mut bench = Bench::new();
    let controller = controller(&mut bench, &[("policy", policy.into())], false, true);
    let lanes = [(0, first), (1, second)]
        .map(|(lane, requests)| bench.initiator((controller, "port", lane), requests, Stalls::NONE));
    let mut simulation = bench.run(5000);
    lanes.map(|lane| lane.responses::<Response>(&mut simulation).iter().map(|(cycle, _)| *cycle).collect())
}

#[test]
fn first_ready_lets_open_rows_go_first_and_opens_others_meanwhile() {
    // Lane 0 reads two rows of bank 0, lane 1 stays in one row of bank 1.
    let conflicts = [0, 128].map(|address| Reference::read(address, 16));
    let hits = [64, 80, 96].map(|address| Reference::read(address, 16));
    // In order every activation is exposed: 10, 10, then 17 for the conflict, which the hits do not need.
    assert_eq!(two_lanes("in_order", &conflicts, &hits), [vec![16, 45], vec![27, 46, 47]]);
    // Taken in cycles 0 to 4 by turns. Row commands in 1 and 2, data of both from 11 and 12 on; when the first has moved, the
    // conflict closes its row in 12, waits 17 cycles and moves in 29, while the hits stream.
    let expected = [vec![11 + 6, 29 + 6], vec![12 + 6, 13 + 6, 14 + 6]];
    assert_eq!(two_lanes("first_ready", &conflicts, &hits), expected);
}

#[test]
fn first_ready_does_not_overtake_accesses_of_the_same_bytes() {
    // The write waits for its row; the read of the same bytes by the other lane must see it or come before it was taken.
    let mut bench = Bench::new();
    let controller = controller(&mut bench, &[("policy", "first_ready".into())], false, true);
    let writes: Vec<Reference> =
        (0..40_u64).map(|step| Reference::write(step % 2 * 128, 8, step.into())).collect();
    let reads: Vec<Reference> = (0..40_u64).map(|step| Reference::read(step % 2 * 128, 8)).collect();
    bench.initiator((controller, "port", 0), &writes, Stalls::NONE);
    let reader = bench.initiator((controller, "port", 1), &reads, Stalls::NONE);
    let mut simulation = bench.run(5000);
    let seen: Vec<u128> =
        reader.responses::<Response>(&mut simulation).iter().map(|(_, it)| it.data).collect();
    // The lanes take turns, write first: read number n is taken right after write number n, of the same address.
    assert_eq!(seen, (0..40).collect::<Vec<u128>>());
}

#[test]
fn first_ready_starves_no_requester() {
    let conflict = [Reference::read(0, 16), Reference::read(128, 16)];
    let hits: Vec<Reference> = (0..2000).map(|step| Reference::read(step % 4 * 16, 16)).collect();
    let mut bench = Bench::new();
    let extra = [("policy", "first_ready".into()), ("starvation_timeout", 100_u64.into())];
    let controller = controller(&mut bench, &extra, false, true);
    let starving = bench.initiator((controller, "port", 0), &conflict, Stalls::NONE);
    bench.initiator((controller, "port", 1), &hits, Stalls::NONE);
    let mut simulation = bench.run(3000);
    let asked = starving.requested(&mut simulation)[1];
    let answered = starving.responses::<Response>(&mut simulation)[1].0;
    // The timeout, then precharge, activation, data and column latency, and what was on the bus before.
    assert!((100 + 17 + 6..100 + 17 + 12).contains(&(answered - asked)), "{}", answered - asked);
}

#[test]
fn bad_connections_and_parameters_are_named() {
    let mut bench = Bench::new();
    let first = controller(&mut bench, &[], true, false);
    bench.initiator((first, "port", 0), &[Reference::read(0, 4)], Stalls::NONE);
    assert!(bench.problem().contains("`port` is connected, so `memory` must be, too"), "{}", bench.problem());
    let mut bench = Bench::new();
    let second = controller(&mut bench, &[("row_size", Size(60).into())], false, true);
    bench.initiator((second, "port", 0), &[Reference::read(0, 4)], Stalls::NONE);
    assert!(
        bench.problem().contains("row_size = 60 B is not a multiple of word_bytes = 8"),
        "{}",
        bench.problem()
    );
}
