//! Event sources of firmware: the event unit, the serial line and the interrupt controller.

use spinach_engine::{ModuleId, ParameterValue, Rate, Simulation};
use spinach_modules::values::{Reference, Response};

use super::support::{Bench, Initiator, Random, Stalls, counter, record, run_to, script, state};

const NONE: [(&str, u64); 0] = [];

fn write(offset: u64, word: u32) -> Reference {
    Reference::write(offset, 4, u128::from(word.swap_bytes()))
}

fn read(offset: u64) -> Reference {
    Reference::read(offset, 4)
}

fn words(initiator: &Initiator, simulation: &mut Simulation) -> Vec<u32> {
    let responses = initiator.responses::<Response>(simulation);
    responses.iter().map(|(_, response)| (response.data as u32).swap_bytes()).collect()
}

fn source(bench: &mut Bench, path: &str, words: &[u64], stall_percent: u64, start: u64) -> ModuleId {
    let parameters: [(&str, ParameterValue); 4] = [
        ("script", script(words).into()),
        ("stall_percent", stall_percent.into()),
        ("seed", 3_u64.into()),
        ("start", start.into()),
    ];
    bench.design.module(path, "test_source", bench.domain, parameters)
}

/// The cycles in which the values of a source were taken.
fn taken(simulation: &mut Simulation, path: &str) -> Vec<u64> {
    let module = simulation.netlist().find_module(path).expect("it is there");
    serde_json::from_value(simulation.state(module).expect("it is there")["moved"].clone())
        .expect("it is there")
}

#[test]
fn each_write_to_a_mailbox_is_an_event_until_firmware_looks() {
    const CONTEXTS: u32 = 40;
    for stalls in Stalls::all() {
        let mut random = Random::new(9);
        // Some words of a page are not mailboxes.
        let writes: Vec<u64> =
            (0..400).map(|_| random.below(u64::from(CONTEXTS)) * 4096 + 4 * random.below(30)).collect();
        let asked: Vec<Reference> = (0..400)
            .map(|_| match random.below(4) {
                0 => write(0x10, random.below(u64::from(CONTEXTS)) as u32),
                1 => read(4 * random.below(4)),
                _ => read(0x14),
            })
            .collect();
        let mut bench = Bench::new();
        let unit = bench.design.module("unit", "event_unit", bench.domain, [("contexts", CONTEXTS)]);
        let written = source(&mut bench, "written", &writes, 50, 0);
        bench.design.connect((written, "output"), (unit, "written"));
        let registers = bench.initiator((unit, "registers", 0), &asked, stalls);
        let mut simulation = bench.start();
        run_to(&mut simulation, 4_000);
        let (when_written, when_asked) =
            (taken(&mut simulation, "written"), registers.requested(&mut simulation));
        let (mut events, mut selected) = (vec![0_u32; CONTEXTS as usize], 0);
        let mut next = 0;
        let mut expected = Vec::new();
        for (reference, cycle) in asked.iter().zip(when_asked) {
            // A write is seen in the next cycle, not in its own.
            while next < writes.len() && when_written[next] < cycle {
                let (context, mailbox) = (writes[next] / 4096, writes[next] % 4096 / 4);
                events[context as usize] |= if mailbox < 24 { 1 << mailbox } else { 0 };
                next += 1;
            }
            expected.push(match (reference.address, reference.access.writes()) {
                (0x10, true) => {
                    selected = (reference.data as u32).swap_bytes() as usize;
                    0
                }
                (0x14, _) => std::mem::take(&mut events[selected]),
                (offset, _) => {
                    let group = events.iter().skip(8 * offset as usize).take(32).enumerate();
                    group.fold(0, |all, (bit, events)| all | u32::from(*events != 0) << bit)
                }
            });
        }
        assert_eq!(words(&registers, &mut simulation), expected, "{stalls:?}");
        let counted = counter(&mut simulation, "unit", "events") + counter(&mut simulation, "unit", "merged");
        assert_eq!(counted, writes.iter().filter(|at| *at % 4096 < 96).count() as u64);
    }
}

#[test]
fn a_context_that_is_not_there_cannot_be_selected() {
    let mut bench = Bench::new();
    let unit = bench.design.module("unit", "event_unit", bench.domain, [("contexts", 2_u64)]);
    let written = source(&mut bench, "written", &[], 0, 0);
    bench.design.connect((written, "output"), (unit, "written"));
    let registers = bench.initiator((unit, "registers", 0), &[write(0x10, 2), read(0x18)], Stalls::NONE);
    let mut simulation = bench.run(20);
    let responses = registers.responses::<Response>(&mut simulation);
    assert!(responses.iter().all(|(_, response)| response.is_fault) && responses.len() == 2);
}

fn line(bench: &mut Bench, rate: u64, fifo: u32, typed: &[u8]) -> ModuleId {
    let parameters: [(&str, ParameterValue); 3] =
        [("rate", Rate(rate).into()), ("fifo", fifo.into()), ("input", typed.to_vec().into())];
    bench.design.module("line", "uart", bench.domain, parameters)
}

/// Output of a serial line, with its cycles.
fn sent(simulation: &mut Simulation) -> Vec<(u64, u8)> {
    let module = simulation.netlist().find_module("line").expect("it is there");
    let mut sent = Vec::new();
    let uart = simulation.outside(module).expect("it is there");
    while let Some(out) = uart.export(0) {
        sent.push((out.time.femtoseconds() / 1_000_000, out.message[0]));
    }
    sent
}

#[test]
fn bytes_leave_a_serial_line_in_order_and_as_fast_as_the_line() {
    // A byte has ten bits: at 100 Mb/s it takes 100 cycles.
    for (rate, between) in [(0, 1), (100_000_000, 100)] {
        let mut bench = Bench::new();
        let uart = line(&mut bench, rate, 64, &[]);
        let said: Vec<Reference> = b"hello".iter().map(|byte| write(0, u32::from(*byte))).collect();
        let registers = bench.initiator((uart, "registers", 0), &said, Stalls::NONE);
        let mut simulation = bench.run(1_000);
        let written = registers.requested(&mut simulation);
        let sent = sent(&mut simulation);
        assert_eq!(sent.iter().map(|(_, byte)| *byte).collect::<Vec<_>>(), b"hello");
        assert_eq!(sent[0].0, written[0] + 1, "from the cycle after it was written");
        assert!(sent.windows(2).all(|pair| pair[1].0 - pair[0].0 == between), "{sent:?}");
    }
}

#[test]
fn bytes_without_room_are_lost_and_counted() {
    let mut bench = Bench::new();
    let uart = line(&mut bench, 1_000_000, 4, &[]);
    let mut said: Vec<Reference> = (0..7).map(|byte| write(0, byte)).collect();
    said.push(read(8));
    let registers = bench.initiator((uart, "registers", 0), &said, Stalls::NONE);
    let mut simulation = bench.run(500);
    // One is on the line already.
    assert_eq!(counter(&mut simulation, "line", "lost"), 2);
    assert_eq!(words(&registers, &mut simulation).last(), Some(&0));
}

#[test]
fn what_is_typed_waits_and_is_told_of() {
    for stalls in Stalls::all() {
        let mut bench = Bench::new();
        let uart = line(&mut bench, 500_000_000, 2, b"abcdefgh");
        let sink = bench.design.module("told", "test_sink", bench.domain, [("stall_percent", 100_u64)]);
        bench.design.connect((uart, "pending"), (sink, "input"));
        let registers = bench.initiator((uart, "registers", 0), &[read(4); 300], stalls);
        let mut simulation = bench.start();
        let told = record(&mut simulation, "line", "pending");
        run_to(&mut simulation, 1_500);
        let seen = words(&registers, &mut simulation);
        let bytes: Vec<u8> = seen.iter().filter(|word| **word != 0).map(|word| *word as u8).collect();
        assert_eq!(bytes, b"abcdefgh", "{stalls:?}");
        assert_eq!(counter(&mut simulation, "line", "taken"), 8);
        // While the line announces a byte, a read finds one. A read may find one that comes in the same cycle, too.
        let told = told.lock().unwrap();
        let reads: Vec<_> = registers.requested(&mut simulation).into_iter().zip(seen).collect();
        let told_of = reads.iter().filter(|(cycle, _)| told[*cycle as usize].0.is_some());
        assert!(told_of.clone().all(|(_, word)| *word != 0), "{stalls:?}");
        assert!(stalls.request_percent == 0 || told_of.count() > 0);
    }
}

/// A controller whose sources ask from some cycles on, with one line of a core that takes words at once.
fn controller(from: &[u64], asked: &[(u64, Reference)]) -> (Bench, Vec<Initiator>) {
    let mut bench = Bench::new();
    let unit = bench.design.module("unit", "interrupt_controller", bench.domain, NONE);
    for (lane, start) in from.iter().enumerate() {
        let asks = source(&mut bench, &format!("asks{lane}"), &[1], 0, *start);
        bench.design.connect_lanes((asks, "output", 0), (unit, "source", lane));
    }
    for lane in 0..2 {
        let core = bench.design.module(format!("core{lane}"), "test_sink", bench.domain, NONE);
        bench.design.connect_lanes((unit, "output", lane), (core, "input", 0));
    }
    let references: Vec<Reference> = asked.iter().map(|(_, reference)| *reference).collect();
    let registers = bench.initiator((unit, "registers", 0), &references, Stalls::NONE);
    let start = asked.first().map_or(0, |(start, _)| *start);
    bench.set(&registers, "start", start);
    (bench, vec![registers])
}

/// The cycles in which a core took words.
fn interrupted(simulation: &mut Simulation, core: usize) -> Vec<u64> {
    let module = simulation.netlist().find_module(&format!("core{core}")).expect("it is there");
    let received = simulation.state(module).expect("it is there")["received"].clone();
    received
        .as_array()
        .expect("it is there")
        .iter()
        .map(|one| one[0].as_u64().expect("it is there"))
        .collect()
}

#[test]
fn a_line_is_interrupted_once_until_firmware_is_done() {
    const ENABLED: u64 = 0x00;
    const PENDING: u64 = 0x10;
    const DONE: u64 = 0x20;
    const SOURCES: u64 = 0x30;
    // Enabled first: the source asks later, and its word is presented in the next cycle.
    let (bench, registers) = controller(&[50, 70], &[(0, write(ENABLED, 1)), (0, read(PENDING))]);
    let mut simulation = bench.run(200);
    assert_eq!(interrupted(&mut simulation, 0), [51]);
    assert!(interrupted(&mut simulation, 1).is_empty());
    assert_eq!(words(&registers[0], &mut simulation), [0, 0]);
    // The source asks first: interrupted once it is enabled, and again after `DONE`, as it still asks.
    let asked = [
        (100, write(ENABLED + 4, 2)),
        (0, read(PENDING + 4)),
        (0, read(PENDING)),
        (0, read(SOURCES)),
        (0, write(DONE + 4, 1)),
        (0, write(DONE + 4, 1)),
    ];
    let (bench, registers) = controller(&[50, 70], &asked);
    let mut simulation = bench.run(200);
    let at = registers[0].requested(&mut simulation);
    assert_eq!(words(&registers[0], &mut simulation), [0, 2, 0, 3, 0, 0]);
    assert!(interrupted(&mut simulation, 0).is_empty());
    assert_eq!(interrupted(&mut simulation, 1), [at[0] + 1, at[4] + 1]);
    assert_eq!(counter(&mut simulation, "unit", "interrupts"), 2);
}

/// Also in the cycle in which the controller would fall asleep after firmware's last access.
#[test]
fn a_source_may_ask_in_any_cycle_after_an_access() {
    const ENABLED: u64 = 0x00;
    for start in 0..16 {
        let (bench, _) = controller(&[50 + start], &[(40, write(ENABLED, 1)), (0, read(ENABLED))]);
        let mut simulation = bench.run(200);
        assert_eq!(interrupted(&mut simulation, 0), [51 + start]);
    }
    for start in 0..16 {
        let (bench, _) = controller(&[10, 50 + start], &[(49, write(ENABLED, 2))]);
        let mut simulation = bench.run(200);
        assert_eq!(interrupted(&mut simulation, 0), [51 + start]);
    }
}

#[test]
fn a_word_that_was_presented_stays_until_it_is_taken() {
    // A core that takes nothing: firmware disables the source and writes `DONE` while the line asks.
    let mut bench = Bench::new();
    let unit = bench.design.module("unit", "interrupt_controller", bench.domain, [("enabled", 1_u64)]);
    let asks = source(&mut bench, "asks", &[1], 0, 10);
    bench.design.connect_lanes((asks, "output", 0), (unit, "source", 0));
    let core = bench.design.module("core0", "test_sink", bench.domain, [("stall_percent", 100_u64)]);
    bench.design.connect_lanes((unit, "output", 0), (core, "input", 0));
    let registers = bench.initiator((unit, "registers", 0), &[write(0x00, 0), write(0x20, 1)], Stalls::NONE);
    bench.set(&registers, "start", 50_u64);
    let mut simulation = bench.start();
    let presented = record(&mut simulation, "unit", "output");
    run_to(&mut simulation, 100);
    let presented: Vec<bool> = presented.lock().unwrap().iter().map(|(words, _)| words.is_some()).collect();
    let expected: Vec<bool> = (0..100).map(|cycle| cycle >= 11).collect();
    assert_eq!(presented[1..], expected[1..]);
}

#[test]
fn there_are_at_most_as_many_lines_as_registers() {
    let mut bench = Bench::new();
    let unit = bench.design.module("unit", "interrupt_controller", bench.domain, NONE);
    for lane in 0..5 {
        let core = bench.design.module(format!("core{lane}"), "test_sink", bench.domain, NONE);
        bench.design.connect_lanes((unit, "output", lane), (core, "input", 0));
    }
    bench.initiator((unit, "registers", 0), &[read(0)], Stalls::NONE);
    assert!(bench.problem().contains("5 outputs"));
}

#[test]
fn an_interrupt_is_asserted_until_the_host_has_seen_it_and_none_is_lost() {
    const STATUS: u64 = 0x00;
    const ENABLED: u64 = 0x04;
    const LEVEL: u64 = 1;
    for stalls in Stalls::all() {
        let mut random = Random::new(31);
        let asked: Vec<Reference> = (0..300)
            .map(|_| match random.below(5) {
                0 => read(STATUS),
                1 => read(ENABLED),
                2 => write(STATUS, random.below(2) as u32),
                _ => write(ENABLED, random.below(2) as u32),
            })
            .collect();
        let mut bench = Bench::new();
        let latch = bench.design.module("latch", "interrupt_latch", bench.domain, NONE);
        let raised = source(&mut bench, "raised", &[1; 60], 90, 0);
        bench.design.connect((raised, "output"), (latch, "raised"));
        let line = bench.design.module("line", "test_sink", bench.domain, [("stall_percent", 0_u64)]);
        bench.design.connect((latch, "level"), (line, "input"));
        let registers = bench.initiator((latch, "registers", 0), &asked, stalls);
        // A checkpoint in between, in whatever state, changes nothing.
        let saved = bench.run(150).checkpoint().expect("everything can be saved");
        let mut simulation = bench.start();
        simulation.restore(&saved).expect("it is of the same design");
        run_to(&mut simulation, 2_000);
        let interrupts = taken(&mut simulation, "raised");
        let requested = registers.requested(&mut simulation);
        let (mut is_pending, mut is_enabled, mut is_asserted) = (false, false, false);
        let (mut answers, mut changes, mut next) = (Vec::new(), Vec::new(), 0);
        for cycle in 0..2_000 {
            if requested.get(next) == Some(&cycle) {
                let reference = &asked[next];
                next += 1;
                let word = (reference.data as u32).swap_bytes() & 1 != 0;
                answers.push(match (reference.address, reference.access.writes()) {
                    (STATUS, false) => u32::from(is_pending),
                    (ENABLED, false) => u32::from(is_enabled),
                    (STATUS, true) => {
                        is_pending &= !word;
                        0
                    }
                    _ => {
                        is_enabled = word;
                        0
                    }
                });
            }
            is_pending |= interrupts.contains(&cycle);
            if (is_pending && is_enabled) != is_asserted {
                is_asserted = !is_asserted;
                changes.push((cycle + 1, vec![u64::from(is_asserted) * LEVEL]));
            }
        }
        assert_eq!(next, asked.len());
        assert_eq!(words(&registers, &mut simulation), answers, "{stalls:?}");
        let told: Vec<(u64, Vec<u64>)> = state::<Received>(&mut simulation, "line").received;
        assert_eq!(told, changes, "{stalls:?}");
        assert_eq!(counter(&mut simulation, "latch", "raised"), 60);
        let asserted = changes.iter().filter(|(_, level)| level[0] == LEVEL).count() as u64;
        assert_eq!(counter(&mut simulation, "latch", "asserted"), asserted);
        assert!(asserted > 10);
    }
}

#[derive(serde::Deserialize)]
struct Received {
    received: Vec<(u64, Vec<u64>)>,
}
