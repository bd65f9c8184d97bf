//! Programs without an operating system drive SINIC from harts, where loads that the card holds back make them wait.

#![allow(clippy::unwrap_used, reason = "a failed expectation fails the test")]

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use spinach_cards::sinic::{Parameters, Sinic};
use spinach_isa::debugging::{Hit, Resume};
use spinach_server::boot::Start;
use spinach_server::machine::{Configuration, End, Machine, Outcome};
use spinach_server::network::{Carried, Link, Network, Passed};
use spinach_server::pci::function::Function;
use spinach_server::timed::{Attachment, TimedParameters};

const COMPILER: &str = "riscv64-linux-gnu-gcc";

/// Compiles the program; `None` without the compiler, which is said on the terminal past the test harness.
fn compiled() -> Option<Vec<u8>> {
    compiled_of("sinic")
}

fn compiled_of(name: &str) -> Option<Vec<u8>> {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.elf"));
    let mut command = Command::new(COMPILER);
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs"));
    command.args(["-O2", "-ffreestanding", "-nostdlib", "-static", "-no-pie", "-fno-pic", "-mcmodel=medany"]);
    command.args(["-Wno-main", "-Wl,--build-id=none", "-Wl,--no-warn-rwx-segments", "-Wl,-T,program.ld"]);
    command.arg("-o").arg(&file).args(["start.S", &format!("{name}.c")]);
    match command.output() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let _ = writeln!(
                io::stderr(),
                "skipped: {COMPILER} is not installed (Debian package gcc-riscv64-linux-gnu)"
            );
            None
        }
        output => {
            let output = output.unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            Some(std::fs::read(file).unwrap())
        }
    }
}

const LINK: Link = Link { latency: 1_000_000 };

fn configuration(clock_ghz: u64) -> Configuration {
    Configuration { memory_bytes: 8 << 20, cycles_per_tick: 100 * clock_ghz, ..Configuration::default() }
}

fn card(number: u8) -> Box<Sinic> {
    let address = [2, 0, 0, 0, 0, number];
    Box::new(Sinic::new(&Parameters { address, tx_fifo: [20_000, 5_000, 10_000], ..Parameters::default() }))
}

/// Two machines ready to execute the program, with clocks of `clocks_ghz`.
fn pair(program: &[u8], clocks_ghz: [u64; 2]) -> Network {
    let machine = |(number, clock_ghz): (u8, u64)| {
        let start = Start { name: "sinic.elf", kernel: program.to_vec(), files: &[], arguments: "" };
        let mut machine = Machine::booting(&configuration(clock_ghz), &start).unwrap();
        machine.board.bus.attach(card(number));
        machine
    };
    Network::joined((1..).zip(clocks_ghz).map(machine).collect(), LINK).unwrap()
}

/// Times the first, with its card in such a place.
fn time_first(network: &mut Network, attachment: Attachment) {
    let parameters = TimedParameters { attachment, ..TimedParameters::default() };
    network.machine_mut(0).unwrap().set_timed(Some(&parameters));
}

/// Output of both machines, run time in ns, and instruction counts, for a step length in cycles, clocks in GHz, and an attachment
/// point of the first machine's card, which is timed.
fn run(
    program: &[u8],
    step: u64,
    clocks_ghz: [u64; 2],
    attachment: Option<Attachment>,
) -> (Vec<Vec<u8>>, Vec<u64>, Vec<u64>) {
    let mut network = pair(program, clocks_ghz);
    if let Some(attachment) = attachment {
        time_first(&mut network, attachment);
    }
    network.shorten_step(step);
    let outcome = network.run(1_000_000_000);
    let machines = network.machines();
    let printed: Vec<Vec<u8>> = machines.iter().map(|machine| machine.board.console.output.clone()).collect();
    let text: Vec<_> = printed.iter().map(|bytes| String::from_utf8_lossy(bytes)).collect();
    assert_eq!(outcome, Outcome::Ended(End::PoweredOff), "{text:?}");
    let of =
        |machine: &Machine| machine.configuration().clock().picoseconds(machine.harts()[0].time()) / 1000;
    let times = machines.iter().map(of).collect();
    (printed, times, machines.iter().map(Machine::instructions).collect())
}

#[test]
fn two_programs_exchange_packets_and_loads_wait_for_the_engine() {
    let Some(program) = compiled() else { return };
    let (printed, times, instructions) = run(&program, 1000, [1, 1], None);
    assert_eq!(printed, [b"all received\n".to_vec(), b"all received\n".to_vec()]);
    for (time, instructions) in times.iter().zip(&instructions) {
        // 26 of the packets of the burst have to wait for the wire: 1538 bytes at 10 Gb/s each.
        assert!(time - instructions > 20 * 1230, "{time} {instructions}");
    }
    assert_eq!(run(&program, 77, [1, 1], None), (printed, times, instructions), "the step changes nothing");
}

#[test]
fn timed_programs_exchange_packets_wherever_the_card_is() {
    let Some(program) = compiled() else { return };
    let mut times_ns = Vec::new();
    for attachment in [Attachment::Cache, Attachment::Memory, Attachment::Io] {
        let (printed, times, instructions) = run(&program, 4000, [4, 16], Some(attachment));
        assert_eq!(printed, [b"all received\n".to_vec(), b"all received\n".to_vec()]);
        let again = run(&program, 300, [4, 16], Some(attachment));
        assert_eq!(again, (printed, times.clone(), instructions), "the step changes nothing");
        times_ns.push(times[0]);
    }
    // The nearer, the faster, though both wait for each other, and for the wire.
    assert!(times_ns[0] < times_ns[1] && times_ns[1] + 50_000 < times_ns[2], "{times_ns:?}");
}

#[test]
fn a_timed_pair_goes_on_from_a_checkpoint_in_the_midst_of_transfers() {
    const CLOCKS_GHZ: [u64; 2] = [4, 16];
    let Some(program) = compiled() else { return };
    let underway = [r#""posted":[{"#, r#""asked":[{"#, r#""moving":{"#, r#""landing":[{"#];
    let mut met = [false; 4];
    for (attachment, turns) in [(Attachment::Io, 60), (Attachment::Cache, 12)] {
        let mut network = pair(&program, CLOCKS_GHZ);
        time_first(&mut network, attachment);
        network.run(40_000);
        for turn in 0..turns {
            let saved = network.save();
            let head: String = saved.iter().take(100_000).map(|byte| char::from(*byte)).collect();
            met.iter_mut().zip(underway).for_each(|(met, what)| *met |= head.contains(what));
            let expected = (1..).zip(CLOCKS_GHZ);
            let expected = expected.map(|(number, clock_ghz)| {
                let functions: Vec<Box<dyn Function>> = vec![card(number)];
                (configuration(clock_ghz), functions)
            });
            let mut restored = Network::restore(&saved, expected.collect(), Some(LINK)).unwrap();
            time_first(&mut restored, attachment);
            for network in [&mut network, &mut restored] {
                network.run(1777 + 13 * turn);
            }
            assert!(network.save() == restored.save(), "{attachment:?} {turn}");
        }
    }
    assert_eq!(met, [true; 4], "each kind of what is under way was in a checkpoint");
}

/// Observations of a user at the end of each run.
#[derive(PartialEq, Debug)]
struct Observed {
    outcome: Outcome,
    hit: Option<(usize, Hit)>,
    calls: [usize; 2],
    times: [u64; 2],
    instructions: [u64; 2],
    carried: [[Carried; 2]; 2],
    passed: Vec<Passed>,
}

/// Runs both programs in slices on a number of threads, with stops at calls and at some instructions of the first. Returns all
/// observations, checkpoints, and both at their end.
fn observed(
    program: &[u8],
    attachment: Option<Attachment>,
    threads: usize,
) -> (Vec<Observed>, Vec<Vec<u8>>, Network) {
    let mut network = pair(program, if attachment.is_some() { [4, 16] } else { [1, 1] });
    if let Some(attachment) = attachment {
        time_first(&mut network, attachment);
    }
    network.watch();
    network.set_threads(threads);
    (0..2).for_each(|node| network.machine_mut(node).unwrap().listen_to_calls());
    let (mut observations, mut checkpoints, mut stops) = (Vec::new(), Vec::new(), 0);
    loop {
        let outcome = network.run(77_777);
        if observations.len() % 8 == 4 {
            checkpoints.push(network.save());
        }
        let calls = [0, 1].map(|node| network.machine_mut(node).unwrap().take_calls().len());
        let machines = network.machines();
        let of = |what: fn(&Machine) -> u64| [what(&machines[0]), what(&machines[1])];
        observations.push(Observed {
            outcome,
            hit: machines[0].hit(),
            calls,
            times: of(Machine::time),
            instructions: of(Machine::instructions),
            carried: [0, 1].map(|node| [network.carried(node, 0), network.carried(node, 1)]),
            passed: network.take_passed(),
        });
        let first = network.machine_mut(0).unwrap();
        let here = first.harts()[0].pc();
        match outcome {
            Outcome::Ended(_) => break,
            Outcome::Stopped if stops == 12 => first.clear_stop_conditions(),
            Outcome::Stopped | Outcome::Called => {
                stops += 1;
                first.watch(&[Resume::Continue], vec![here], Vec::new());
            }
            _ => {}
        }
        assert!(observations.len() < 1000, "the programs do not end");
    }
    checkpoints.push(network.save());
    (observations, checkpoints, network)
}

#[test]
fn machines_on_two_threads_behave_as_on_one_wherever_they_stop() {
    let Some(program) = compiled() else { return };
    for attachment in [None, Some(Attachment::Cache)] {
        let (expected, checkpoints, network) = observed(&program, attachment, 1);
        assert_eq!(network.machines()[0].board.console.output, b"all received\n");
        assert_eq!(network.concurrent_steps(), 0);
        for outcome in [Outcome::Time, Outcome::Stopped, Outcome::Called] {
            assert!(expected.iter().any(|observed| observed.outcome == outcome), "{outcome:?}");
        }
        assert!(expected.iter().any(|observed| !observed.passed.is_empty()) && checkpoints.len() > 3);
        let (found, same_checkpoints, network) = observed(&program, attachment, 2);
        assert!(network.concurrent_steps() > 0, "machines have run at the same time");
        assert_eq!(found, expected);
        assert!(same_checkpoints == checkpoints, "checkpoints contain consoles, cards and memory");
    }
}

/// Machine with a card of 256 VNICs on a link of `bits_per_s`.
fn with_registers(program: &[u8], bits_per_s: u64) -> Machine {
    let start = Start { name: "registers.elf", kernel: program.to_vec(), files: &[], arguments: "" };
    let mut machine = Machine::booting(&configuration(1), &start).unwrap();
    let parameters = Parameters { virtual_count: 256, bits_per_s, ..Parameters::default() };
    machine.board.bus.attach(Box::new(Sinic::new(&parameters)));
    machine.board.bus.set_link(0, true);
    machine
}

/// Runs in slices of `slice` cycles until the machine ends; returns its sent frames, its output, and its end time.
fn run_registers(program: &[u8], slice: u64) -> (Vec<Vec<u8>>, String, u64) {
    // 8192 bytes take 65.5 us on the wire.
    let mut machine = with_registers(program, 1_000_000_000);
    let (mut sent, mut is_receiving) = (Vec::new(), false);
    while machine.run(slice) != Outcome::Ended(End::PoweredOff) {
        sent.extend(machine.board.bus.take_sent(0).into_iter().map(|sent| sent.frame));
        let printed = String::from_utf8_lossy(&machine.board.console.output).into_owned();
        assert!(machine.time() < 100_000_000, "{printed}");
        if !is_receiving && printed.contains("receiving") {
            is_receiving = true;
            let at = 8_000_000_000;
            assert!(machine.time() * 1000 < at, "{printed}");
            for vnic in 0..256_u64 {
                let bytes = (0..60_u64).map(|byte| if byte < 12 { 0xff } else { (3 * vnic + byte) as u8 });
                machine.board.bus.deliver(0, bytes.collect(), at + vnic * 1_000_000);
            }
        }
    }
    sent.extend(machine.board.bus.take_sent(0).into_iter().map(|sent| sent.frame));
    let printed = String::from_utf8_lossy(&machine.board.console.output).into_owned();
    (sent, printed, machine.harts()[0].time())
}

#[test]
fn every_bit_of_the_map_is_as_it_says_in_all_windows_and_a_timer_interrupts_a_load_that_waits() {
    let Some(program) = compiled_of("registers") else { return };
    let whole = run_registers(&program, 1_000_000);
    let (sent, printed, _) = &whole;
    assert!(!printed.contains("WRONG"), "{printed}");
    assert!(printed.contains("checked"), "{printed}");
    for (vnic, frame) in sent[..256].iter().enumerate() {
        let expected: Vec<u8> =
            (0..60).map(|byte| if byte < 12 { 0xff } else { (vnic + byte) as u8 }).collect();
        assert_eq!(*frame, expected, "{vnic}");
    }
    assert!(run_registers(&program, 7777) == whole, "how long a run is at once changes nothing");
}
