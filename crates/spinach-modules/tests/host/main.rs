//! Servers that run ahead of their devices and meet them at exact times.

#![allow(clippy::unwrap_used, reason = "these are tests, and a panic is how a test fails")]

mod device;
mod fixed_function;
#[path = "../support/mod.rs"]
mod support;

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::iter;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use spinach_engine::{
    Control, Design, Frequency, Limit, Outcome, ParameterValue, Registry, Simulation, Time, elaborate,
};

use support::{counter, state};

const COMPILER: &str = "riscv64-linux-gnu-gcc";
const TURNS: u32 = 300;

/// Program of `harts` harts; `None` without the compiler, which is reported past the test harness.
fn program(harts: usize) -> Option<&'static [u8]> {
    static PROGRAMS: [OnceLock<Option<Vec<u8>>>; 5] = [const { OnceLock::new() }; 5];
    PROGRAMS[harts].get_or_init(|| compiled(harts)).as_deref()
}

fn compiled(harts: usize) -> Option<Vec<u8>> {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("device{harts}.elf"));
    let mut command = Command::new(COMPILER);
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/host/programs"));
    command.args(["-O2", "-ffreestanding", "-nostdlib", "-static", "-no-pie", "-fno-pic", "-mcmodel=medany"]);
    command.args(["-Wno-main", "-Wl,--build-id=none", "-Wl,--no-warn-rwx-segments", "-Wl,-T,program.ld"]);
    command.args([format!("-DHARTS={harts}"), format!("-DTURNS_OF_EACH={TURNS}")]);
    command.arg("-o").arg(&file).args(["start.S", "device.c"]);
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

fn registry() -> Registry {
    let mut registry = support::registry();
    registry.register::<device::Device>();
    registry
}

fn nanoseconds(count: u64) -> Time {
    Time::from_nanoseconds(count).unwrap()
}

/// A server with the device, on a bus of a clock that no cycle of a hart divides.
fn system(kernel: &[u8], settings: &[(&'static str, ParameterValue)]) -> Simulation {
    let mut design = Design::new();
    let domain = design.domain("bus", Frequency::from_fraction(200_000_000, 3).unwrap());
    let mut values = vec![
        ("kernel", ParameterValue::Bytes(kernel.to_vec())),
        ("memory_size", spinach_engine::Size(8 << 20).into()),
    ];
    values.extend(settings.iter().cloned());
    let server = design.module("server", "server", domain, values);
    let device = design.module("device", "test_device", domain, Vec::<(&str, ParameterValue)>::new());
    for bundle in ["configuration", "access"] {
        design.connect((server, &format!("{bundle}_request")), (device, &format!("{bundle}_request")));
        design.connect((device, &format!("{bundle}_response")), (server, &format!("{bundle}_response")));
    }
    design.connect((device, "memory_request"), (server, "memory_request"));
    design.connect((server, "memory_response"), (device, "memory_response"));
    design.connect((device, "interrupt"), (server, "interrupt"));
    match elaborate(&design, &registry()) {
        Ok(elaborated) => Simulation::new(elaborated),
        Err(error) => panic!("{error}"),
    }
}

/// Messages that the server exported on a lane: console output, or calls with the counts of its harts.
fn exported(simulation: &mut Simulation, lane: u32) -> String {
    let server = simulation.netlist().find_module("server").unwrap();
    let outside = simulation.outside(server).unwrap();
    let messages = iter::from_fn(|| outside.export(lane)).flat_map(|exported| exported.message);
    String::from_utf8(messages.collect()).unwrap()
}

/// Runs until a time, or until the server switches itself off, beyond the calls of its software.
fn run_beyond_calls(simulation: &mut Simulation, until: Time) {
    while simulation.now() < until && state::<serde_json::Value>(simulation, "server")["ended"].is_null() {
        let calls = counter(simulation, "server", "calls");
        let outcome = simulation.run(&Limit::time(until), &mut |_| Control::Continue).unwrap();
        let is_called = counter(simulation, "server", "calls") > calls;
        assert_eq!(is_called || simulation.now() < until, outcome == Outcome::Paused, "{outcome:?}");
    }
}

/// Comparable outcome: output, calls, end of the run, the device's view, and counts.
fn outcome(simulation: &mut Simulation) -> (String, String, Time, u64, Vec<u64>) {
    run_beyond_calls(simulation, nanoseconds(20_000_000));
    let (printed, calls) = (exported(simulation, 0), exported(simulation, 1));
    assert!(simulation.now() < nanoseconds(20_000_000), "{printed}");
    let device = state::<serde_json::Value>(simulation, "device");
    let digest = device["digest"].as_u64().unwrap();
    let moved = ["read_bytes", "written_bytes"].map(|name| counter(simulation, "server", name));
    assert_eq!(device["moved"], serde_json::json!(moved), "bytes beyond the memory do not count");
    let names = ["accesses", "interrupts", "read_bytes", "written_bytes", "memory_faults", "printed"];
    let counts = names.map(|name| counter(simulation, "server", name)).to_vec();
    (printed, calls, simulation.now(), digest, counts)
}

fn settings(harts: u64, core: &str, latency_ns: u64, step: Time) -> [(&'static str, ParameterValue); 4] {
    [
        ("harts", harts.into()),
        ("core", core.to_owned().into()),
        ("latency", nanoseconds(latency_ns).into()),
        ("step", step.into()),
    ]
}

#[test]
fn results_do_not_depend_on_how_far_a_server_runs_ahead() {
    for (harts, core) in [(1, "functional"), (3, "functional"), (1, "timed"), (2, "timed")] {
        let Some(kernel) = program(harts) else { return };
        let run = |latency_ns: u64, step: u64, sleeps: bool| {
            let step = Time::from_femtoseconds(step * 1_000_000 / 8);
            let mut simulation = system(kernel, &settings(harts as u64, core, latency_ns, step));
            simulation.set_check_dependencies(false);
            simulation.set_sleeping(sleeps);
            outcome(&mut simulation)
        };
        let whole = run(500, 0, true);
        assert!(whole.4.iter().all(|count| *count > 20), "{harts} {core}: {whole:?}");
        // Regions end in the program, and each call has the counts of its time.
        assert!(whole.1.lines().count() > 3, "{harts} {core}: {}", whole.1);
        assert_eq!(whole.1.lines().collect::<BTreeSet<_>>().len(), whole.1.lines().count());
        // From an eighth of a nanosecond on, up to the latency.
        for (step, sleeps) in [(1, true), (0, false), (100, true), (1000, false), (3300, true)] {
            assert_eq!(run(500, step, sleeps), whole, "{harts} {core}: {step} {sleeps}");
        }
        assert_ne!(run(520, 0, true), whole, "{harts} {core}: what is compared depends on time");
    }
}

#[test]
fn a_server_goes_on_from_a_checkpoint_in_the_midst_of_references_and_transfers() {
    for (harts, core) in [(1, "functional"), (3, "functional"), (1, "timed")] {
        let Some(kernel) = program(harts) else { return };
        let settings = settings(harts as u64, core, 500, Time::ZERO);
        let mut whole = system(kernel, &settings);
        for turn in 1..20 {
            run_beyond_calls(&mut whole, nanoseconds(3001 * turn));
            let checkpoint = whole.checkpoint().unwrap();
            let mut restored = system(kernel, &settings);
            restored.restore(&checkpoint).unwrap();
            assert!(restored.checkpoint().unwrap() == checkpoint, "{harts} {core} {turn}");
            // Both continued from there, and printed nothing before.
            for simulation in [&mut whole, &mut restored] {
                run_beyond_calls(simulation, nanoseconds(3001 * turn + 1500));
            }
            assert!(whole.checkpoint().unwrap() == restored.checkpoint().unwrap(), "{harts} {core} {turn}");
            whole = restored;
        }
        outcome(&mut whole);
    }
}

#[test]
fn timing_can_change_when_a_server_is_restored() {
    let Some(kernel) = program(2) else { return };
    let mut functional = system(kernel, &settings(2, "functional", 500, Time::ZERO));
    run_beyond_calls(&mut functional, nanoseconds(7003));
    let checkpoint = functional.checkpoint().unwrap();
    let mut timed = system(kernel, &settings(2, "timed", 500, Time::ZERO));
    timed.restore(&checkpoint).unwrap();
    let (ends, end) = (outcome(&mut functional), outcome(&mut timed));
    assert!(ends.2 < end.2, "a timed core takes longer");
    assert_eq!(ends.0.lines().count(), end.0.lines().count());
}
