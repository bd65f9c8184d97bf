//! Programs without an operating system drive SINIC from harts, where loads that the card holds back make them wait.

#![allow(clippy::unwrap_used, reason = "a failed expectation fails the test")]

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use spinach_cards::sinic::{Parameters, Sinic};
use spinach_host::boot::Start;
use spinach_host::machine::{Configuration, End, Machine, Outcome};
use spinach_host::network::{Link, Network};
use spinach_host::timed::{Attachment, TimedParameters};

const COMPILER: &str = "riscv64-linux-gnu-gcc";

/// Compiles the program; `None` without the compiler, which is said on the terminal past the test harness.
fn compiled() -> Option<Vec<u8>> {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("sinic.elf");
    let mut command = Command::new(COMPILER);
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs"));
    command.args(["-O2", "-ffreestanding", "-nostdlib", "-static", "-no-pie", "-fno-pic", "-mcmodel=medany"]);
    command.args(["-Wno-main", "-Wl,--build-id=none", "-Wl,--no-warn-rwx-segments", "-Wl,-T,program.ld"]);
    command.arg("-o").arg(&file).args(["start.S", "sinic.c"]);
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

/// What both print, how long they ran in ns, and how many instructions they executed, with steps of so many cycles, clocks of so many
/// GHz, and the first timed with its card in such a place.
fn run(
    program: &[u8],
    step: u64,
    clocks_ghz: [u64; 2],
    attachment: Option<Attachment>,
) -> (Vec<Vec<u8>>, Vec<u64>, Vec<u64>) {
    let machine = |number: u8| {
        let start = Start { name: "sinic.elf", kernel: program.to_vec(), files: &[], arguments: "" };
        let cycles_per_tick = 100 * clocks_ghz[usize::from(number) - 1];
        let configuration =
            Configuration { memory_bytes: 8 << 20, cycles_per_tick, ..Configuration::default() };
        let mut machine = Machine::booting(&configuration, &start).unwrap();
        let parameters = Parameters {
            address: [2, 0, 0, 0, 0, number],
            tx_fifo: [20_000, 5_000, 10_000],
            ..Parameters::default()
        };
        machine.board.bus.attach(Box::new(Sinic::new(&parameters)));
        machine
    };
    let link = Link { latency: 1_000_000 };
    let mut network = Network::joined(vec![machine(1), machine(2)], link).unwrap();
    if let Some(attachment) = attachment {
        let parameters = TimedParameters { attachment, ..TimedParameters::default() };
        network.machine_mut(0).unwrap().set_timed(Some(&parameters));
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
