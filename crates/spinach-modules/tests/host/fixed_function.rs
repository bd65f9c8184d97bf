//! Cards without firmware as modules: their registers, what they move, and when.

use spinach_engine::{ModuleId, ParameterValue, Payload, Simulation};
use spinach_modules::values::{Frame, Reference, Response};

use super::support::{
    Bench, Initiator, SinkState, SourceState, Stalls, counter, record, run_to, script, state,
};

const WINDOW: u64 = 0x4000_0000;
const CONFIG: u64 = 0x00;
const RX_DATA: u64 = 0x40;
const TX_DATA: u64 = 0x58;
const TX_WAIT: u64 = 0x68;
const HW_ADDR: u64 = 0x70;
const RX_EN: u32 = 1;
const TX_EN: u32 = 2;
const LENGTH: u64 = 1000;
const BUFFER: u64 = 0x400;
/// Cycle from which on drivers use the card, which is configured then.
const CONFIGURED: u64 = 50;

fn read(offset: u64) -> Reference {
    Reference::read(WINDOW + offset, 4)
}

fn write(offset: u64, value: u32) -> Reference {
    Reference::write(WINDOW + offset, 4, value.into())
}

/// A store to a register of 8 bytes.
fn wide(offset: u64, value: u64) -> [Reference; 2] {
    [write(offset, value as u32), write(offset + 4, (value >> 32) as u32)]
}

struct Card {
    module: ModuleId,
    configuration: Initiator,
    registers: Initiator,
    /// Reads its memory at the end.
    memory: Initiator,
}

/// A card with memory, whose window is placed at [`WINDOW`] before `accesses` are made.
fn card(
    bench: &mut Bench,
    name: &str,
    chip: &str,
    accesses: &[Reference],
    content: &[u8],
    stalls: Stalls,
) -> Card {
    let parameters: [(&str, ParameterValue); 2] =
        [("chip", chip.to_owned().into()), ("mac_address", vec![2_u8, 0, 0, 0, 0, 9].into())];
    let module = bench.design.module(name, "fixed_function_card", bench.domain, parameters);
    let base_address = if chip == "sinic" { 0x10 } else { 0x14 };
    let configuration = [
        Reference::write(base_address, 4, WINDOW.into()),
        Reference::write(4, 2, 6),
        Reference::read(0, 4),
        Reference::read(base_address, 4),
    ];
    let configuration = bench.initiator((module, "configuration", 0), &configuration, Stalls::NONE);
    let registers = bench.initiator((module, "target", 0), accesses, stalls);
    bench.set(&registers, "start", CONFIGURED);
    let memory = format!("{name}_memory");
    let settings: [(&str, ParameterValue); 2] =
        [("size", spinach_engine::Size(4096).into()), ("contents", content.to_vec().into())];
    let memory = bench.design.module(memory, "multiported_memory", bench.domain, settings);
    bench.design.connect((module, "memory_request"), (memory, "block_request"));
    bench.design.connect((memory, "block_response"), (module, "memory_response"));
    let words: Vec<_> = (0..LENGTH / 4).map(|word| Reference::read(BUFFER + 4 * word, 4)).collect();
    let memory = bench.initiator((memory, "port", 0), &words, Stalls::NONE);
    bench.set(&memory, "start", 3000_u64);
    Card { module, configuration, registers, memory }
}

fn words(initiator: &Initiator, simulation: &mut Simulation) -> Vec<u32> {
    let responses = initiator.responses::<Response>(simulation);
    responses.iter().map(|(_, response)| response.data as u32).collect()
}

fn content() -> Vec<u8> {
    (0..LENGTH).map(|byte| ((byte * 31) >> 2) as u8).collect()
}

/// A card that sends a frame of [`LENGTH`] bytes to another.
fn two_cards(stalls: Stalls) -> (Bench, [Card; 2]) {
    let mut bench = Bench::new();
    let sends = [&[write(CONFIG, TX_EN), read(HW_ADDR), read(HW_ADDR + 4)][..], &wide(TX_DATA, LENGTH << 40)];
    let sends = [sends.concat(), vec![read(TX_WAIT), read(TX_WAIT + 4)]].concat();
    let sender = card(&mut bench, "sender", "sinic", &sends, &content(), stalls);
    let receives = [&[write(CONFIG, RX_EN)][..], &wide(RX_DATA, BUFFER | 1514 << 40)].concat();
    let receiver = card(&mut bench, "receiver", "sinic", &receives, &[], stalls);
    for (from, to) in [(&sender, &receiver), (&receiver, &sender)] {
        bench.design.connect((from.module, "sent"), (to.module, "received"));
    }
    (bench, [sender, receiver])
}

#[test]
fn a_frame_goes_from_the_memory_of_one_card_to_that_of_another() {
    for stalls in Stalls::all() {
        let (bench, [sender, receiver]) = two_cards(stalls);
        let mut simulation = bench.run(6000);
        assert_eq!(words(&sender.configuration, &mut simulation)[2..], [0x1293_1291, WINDOW as u32]);
        let answers = words(&sender.registers, &mut simulation);
        assert_eq!(answers[1..3], [9, 0x0200], "the address, in halves");
        assert_eq!(answers[5] & 0xf_ffff, LENGTH as u32, "the load waits for the end of the copy");
        let received: Vec<u8> =
            words(&receiver.memory, &mut simulation).iter().flat_map(|word| word.to_le_bytes()).collect();
        assert!(received == content(), "{stalls:?}");
        let counts = ["sent", "blocks", "claimed", "unclaimed", "aborts"];
        let counts = counts.map(|name| counter(&mut simulation, "sender", name));
        assert_eq!(counts, [1, 1, 7, 0, 0]);
        assert_eq!(counter(&mut simulation, "receiver", "received"), 1);
    }
}

#[test]
fn the_last_bit_of_a_frame_arrives_when_the_wire_has_carried_it() {
    let (bench, _) = two_cards(Stalls::NONE);
    let mut simulation = bench.start();
    let [copied, sent] = ["memory_response", "sent"].map(|port| record(&mut simulation, "sender", port));
    run_to(&mut simulation, 3000);
    let first = |watched: &super::support::Watched| {
        watched.lock().unwrap().iter().position(|(words, _)| words.is_some()).unwrap()
    };
    // A cycle is 1 ns. Preamble, frame and check sequence take 809.6 ns, and are presented in the cycle after the edge at 810 ns.
    assert_eq!(first(&sent) - first(&copied), 811);
}

#[test]
fn frames_that_wait_at_the_wire_are_taken_at_its_rate() {
    let mut bench = Bench::new();
    let card = card(&mut bench, "card", "dp83820", &[], &[], Stalls::NONE);
    // Damaged frames without bytes: 24 bytes of time, 19.2 ns.
    let frames = [Frame { is_intact: false, ..Frame::intact(Payload::from_bits(0)) }; 12];
    let parameters: [(&str, ParameterValue); 2] =
        [("script", script(&frames).into()), ("start", 100_u64.into())];
    let source = bench.design.module("network", "test_source", bench.domain, parameters);
    bench.design.connect((source, "output"), (card.module, "received"));
    let sink = bench.design.module("wire", "test_sink", bench.domain, [("seed", 0_u64)]);
    bench.design.connect((card.module, "sent"), (sink, "input"));
    let mut simulation = bench.start();
    run_to(&mut simulation, 1000);
    let taken = state::<SourceState>(&mut simulation, "network").moved;
    assert_eq!(taken, [100, 121, 140, 159, 178, 197, 217, 236, 255, 274, 293, 313]);
    assert_eq!(counter(&mut simulation, "card", "damaged"), 12);
}

#[test]
fn sleep_and_checkpoints_change_nothing() {
    let whole = |sleeps: bool, saved_at: u64| {
        let (bench, _) = two_cards(Stalls { request_percent: 40, response_percent: 70, seed: 3 });
        let mut simulation = bench.start();
        simulation.set_check_dependencies(false);
        simulation.set_sleeping(sleeps);
        run_to(&mut simulation, saved_at);
        let saved = simulation.checkpoint().unwrap();
        let mut other = bench.start();
        other.set_check_dependencies(false);
        other.set_sleeping(sleeps);
        other.restore(&saved).unwrap();
        run_to(&mut other, 6000);
        (other.checkpoint().unwrap(), other.statistics().iter().collect::<Vec<_>>())
    };
    let expected = whole(true, 1);
    for (sleeps, saved_at) in [(false, 1), (true, 70), (true, 200), (true, 400), (false, 700), (true, 1300)] {
        assert!(whole(sleeps, saved_at) == expected, "{sleeps} {saved_at}");
    }
}

#[test]
fn references_beside_the_windows_fault_and_a_reset_takes_the_window_away() {
    const SRR: u64 = 0x58;
    let mut bench = Bench::new();
    let outside = Reference::read(WINDOW + 0x1000, 4);
    let dp83820 = card(&mut bench, "card", "dp83820", &[read(SRR), outside], &[], Stalls::NONE);
    let late = bench.design.module(
        "reset",
        "test_source",
        bench.domain,
        [("script", ParameterValue::from(vec![1_u64])), ("start", 100_u64.into())],
    );
    bench.design.connect((late, "output"), (dp83820.module, "reset"));
    let sink = bench.design.module("wire", "test_sink", bench.domain, [("seed", 0_u64)]);
    bench.design.connect((dp83820.module, "sent"), (sink, "input"));
    let wire = bench.design.module(
        "source",
        "test_source",
        bench.domain,
        [("script", ParameterValue::from(Vec::<u64>::new()))],
    );
    bench.design.connect((wire, "output"), (dp83820.module, "received"));
    let mut simulation = bench.run(90);
    let answers = dp83820.registers.responses::<Response>(&mut simulation);
    assert_eq!((answers[0].1.data, answers[1].1), (0x103, Response::FAULT));
    assert_eq!(words(&dp83820.configuration, &mut simulation)[2..], [0x0022_100b, WINDOW as u32]);
    let space = |simulation: &mut Simulation| {
        state::<serde_json::Value>(simulation, "card")["chip"]["space"]["words"][5].as_u64().unwrap()
    };
    assert_eq!(space(&mut simulation), WINDOW);
    run_to(&mut simulation, 110);
    assert_eq!(space(&mut simulation), 0);
    assert!(state::<SinkState>(&mut simulation, "wire").received.is_empty());
}
