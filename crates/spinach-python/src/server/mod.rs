//! Servers that boot an operating system.

mod debugging;
mod recorded;
pub(crate) mod timeline;

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::available_parallelism;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use spinach_cards::CARDS;
use spinach_observe::capture_writer;
use spinach_observe::debugger::{ServerDebugger, ServerOutcome};
use spinach_python_macros::guarded;
use spinach_server::boot::Start;
use spinach_server::calls::Call;
use spinach_server::checkpoint;
use spinach_server::machine::{Configuration, End, Machine, Outcome};
use spinach_server::network::{Link, Network};
use spinach_server::pci::function::Function;
use spinach_server::profile::Profile;
use spinach_server::timed::{Pace, TimedParameters};
use spinach_server::virtio::disk::Image;
use spinach_server::virtio::share::Folder;

use self::recorded::Recorded;
use crate::capture::CaptureWriter;
use crate::errors::{server_checkpoint_error, spinach_error};

/// The first card on the bus is the one that the link joins.
const LINKED: usize = 0;
/// Turn length of servers with several harts and a link, whose turns must be shorter than the latency of a frame.
const TURN_CYCLES_OF_LINKED: u64 = 1000;
const PICOSECONDS_OF_NANOSECOND: u64 = 1000;

/// A server, or two that a link joins.
#[pyclass(frozen, module = "spinach_nic._native")]
pub(crate) struct Server(Mutex<Running>);

struct Running {
    network: Network,
    capture: Option<capture_writer::CaptureWriter>,
    debugger: Option<ServerDebugger>,
    /// Data kept for a timeline.
    recorded: Option<Recorded>,
}

impl Running {
    fn run(&mut self, cycles: u64) -> ServerOutcome {
        let outcome = match &mut self.debugger {
            Some(debugger) => debugger.run(&mut self.network, cycles),
            None => ServerOutcome::Ran(self.network.run(cycles)),
        };
        for passed in self.network.take_passed() {
            if let Some(capture) = &self.capture {
                capture.record(passed.from, &passed.frame, passed.at / PICOSECONDS_OF_NANOSECOND);
            }
            if let Some(recorded) = &mut self.recorded {
                recorded.take_frame(&passed);
            }
        }
        outcome
    }
}

/// Link: latency in picoseconds, bits per second, and for each server the name of its card with the changed parameters.
type Wire = (u64, u64, Vec<(String, Vec<(String, u64)>)>);

/// Cycles of waiting; of each block whether it is of user mode, its address, cycles and instructions.
pub(crate) type HartProfile = (u64, Vec<(bool, u64, u64, u64)>);

/// Pace of harts: cycles of an instruction, and of a miss of the second level.
pub(crate) fn pace_of(pace: Option<(f64, f64)>) -> Option<Pace> {
    pace.map(|(cycles, miss_cycles)| Pace::new(cycles, miss_cycles))
}

/// Profile of each hart of a server.
pub(crate) fn hart_profiles(machine: &mut Machine) -> Vec<HartProfile> {
    let of_hart = |profile: &Profile| {
        let places = profile.places().into_iter();
        let blocks =
            places.map(|(place, spent)| (place.is_user, place.address, spent.cycles, spent.instructions));
        (profile.waiting_cycles(), blocks.collect())
    };
    machine.profiles().iter().map(of_hart).collect()
}

impl Server {
    fn running(&self) -> MutexGuard<'_, Running> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn new(mut network: Network) -> Self {
        for number in 0..network.machines().len() {
            network.machine_mut(number).into_iter().for_each(Machine::listen_to_calls);
        }
        Self(Mutex::new(Running { network, capture: None, debugger: None, recorded: None }))
    }
}

/// Configurations of the servers; their clocks are in Hz, the default if absent.
fn configured(
    (harts, memory_bytes): (usize, u64),
    clocks: Option<&[u64]>,
    number: usize,
    is_linked: bool,
) -> Configuration {
    let mut configuration = Configuration { harts, memory_bytes, ..Configuration::default() };
    if let Some(clock_hz) = clocks.and_then(|clocks| clocks.get(number)) {
        configuration.cycles_per_tick = (clock_hz / configuration.ticks_per_s).max(1);
    }
    if is_linked && harts > 1 {
        configuration.turn_cycles = TURN_CYCLES_OF_LINKED;
    }
    configuration
}

/// The cards of a server.
fn cards(py: Python<'_>, number: usize, wire: Option<&Wire>) -> PyResult<Vec<Box<dyn Function>>> {
    let address = [2, 0, 0, 0, 0, number as u8 + 1];
    let Some((_, bits_per_s, cards)) = wire else { return Ok(Vec::new()) };
    let Some((name, changes)) = cards.get(number) else { return Ok(Vec::new()) };
    match spinach_cards::card(name, address, *bits_per_s, changes) {
        Ok(card) => Ok(vec![card]),
        Err(message) => Err(spinach_error(py, message, format!("set it as node[{number}].card.NAME=VALUE"))),
    }
}

/// Gives a server the image of its disk and the folder that it shares.
fn attach_files(
    py: Python<'_>,
    machine: &mut Machine,
    disk: Option<&Path>,
    share: Option<&Path>,
    name: &str,
) -> PyResult<()> {
    let refused = |path: &Path, help: &'static str| {
        let path = path.display().to_string();
        move |error: std::io::Error| spinach_error(py, format!("cannot open {path}: {error}"), help)
    };
    let image = disk
        .map(|path| Image::open(path).map_err(refused(path, "name an existing image of a disk")))
        .transpose()?;
    let folder =
        share.map(|path| Folder::open(path).map_err(refused(path, "name an existing folder"))).transpose()?;
    machine.attach_files(image, folder).map_err(|error| server_checkpoint_error(py, name, &error))
}

/// Names and descriptions of the cards of servers.
#[guarded]
#[pyfunction]
pub(crate) fn server_cards() -> Vec<(&'static str, &'static str)> {
    CARDS.to_vec()
}

#[guarded]
#[pymethods]
impl Server {
    /// Servers that are about to start a kernel, the content of a file called `name`, with an archive of its first files and each
    /// with its arguments; their size is harts and bytes of memory. `wire` joins two: its latency in picoseconds, its bits per second,
    /// and the name of each card with its changed parameters. `clocks` are those of the harts of each, in Hz. `disk` is the file of an image
    /// and `share` a folder, for each of them.
    #[staticmethod]
    #[pyo3(signature = (name, kernel, files, arguments, size, wire=None, clocks=None, disk=None, share=None))]
    #[expect(clippy::too_many_arguments, reason = "each is one of a server's parts")]
    fn boot(
        py: Python<'_>,
        name: &str,
        kernel: Vec<u8>,
        files: Vec<u8>,
        arguments: Vec<String>,
        size: (usize, u64),
        wire: Option<Wire>,
        clocks: Option<Vec<u64>>,
        disk: Option<PathBuf>,
        share: Option<PathBuf>,
    ) -> PyResult<Self> {
        let mut machines = Vec::new();
        for (number, arguments) in arguments.iter().enumerate() {
            let configuration = configured(size, clocks.as_deref(), number, wire.is_some());
            let start = Start { name, kernel: kernel.clone(), files: &files, arguments };
            let mut machine = Machine::booting(&configuration, &start)
                .map_err(|error| spinach_error(py, error.to_string(), error.help()))?;
            let cards = cards(py, number, wire.as_ref())?;
            cards.into_iter().for_each(|card| machine.board.bus.attach(card));
            attach_files(py, &mut machine, disk.as_deref(), share.as_deref(), name)?;
            machines.push(machine);
        }
        let network = match (wire, machines.pop()) {
            (None, Some(machine)) if machines.is_empty() => Network::alone(machine),
            (wire, last) => {
                machines.extend(last);
                let latency = wire.map_or(0, |(latency, ..)| latency);
                Network::joined(machines, Link { latency }).map_err(|error| {
                    spinach_error(
                        py,
                        error.to_string(),
                        "give the link a longer latency, or servers one hart",
                    )
                })?
            }
        };
        Ok(Self::new(network))
    }

    /// Servers restored from a checkpoint, the content of a file called `name`, which must be of this size.
    #[staticmethod]
    #[pyo3(signature = (name, content, size, wire=None, clocks=None, disk=None, share=None))]
    #[expect(clippy::too_many_arguments, reason = "each is one of a server's parts")]
    fn restore(
        py: Python<'_>,
        name: &str,
        content: Vec<u8>,
        size: (usize, u64),
        wire: Option<Wire>,
        clocks: Option<Vec<u64>>,
        disk: Option<PathBuf>,
        share: Option<PathBuf>,
    ) -> PyResult<Self> {
        let count = if wire.is_some() { 2 } else { 1 };
        let configuration = |number| configured(size, clocks.as_deref(), number, wire.is_some());
        let link = wire.as_ref().map(|(latency, ..)| Link { latency: *latency });
        let mut expected = Vec::new();
        for number in 0..count {
            expected.push((configuration(number), cards(py, number, wire.as_ref())?));
        }
        let network = py.detach(|| Network::restore(&content, expected, link));
        let mut network = network.map_err(|error| server_checkpoint_error(py, name, &error))?;
        for number in 0..count {
            if let Some(machine) = network.machine_mut(number) {
                attach_files(py, machine, disk.as_deref(), share.as_deref(), name)?;
            }
        }
        Ok(Self::new(network))
    }

    /// Checkpoint format version; bumped on incompatible changes.
    #[staticmethod]
    fn checkpoint_version() -> &'static str {
        checkpoint::VERSION
    }

    /// A checkpoint.
    fn save<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let content = py.detach(|| self.running().network.save());
        PyBytes::new(py, &content)
    }

    /// Number of servers.
    fn nodes(&self) -> usize {
        self.running().network.machines().len()
    }

    /// Runs for `cycles` cycles; "time" at their end, "idle" if nothing was executed in them, "off" if all are off, "failed",
    /// "restarts" if a kernel asks for another start, or "called" if guest software made calls (`take_calls`).
    /// "held" if a debugger holds them without a message for a moment, and "killed" if it has ended the run.
    fn run(&self, py: Python<'_>, cycles: u64) -> &'static str {
        match py.detach(|| self.running().run(cycles)) {
            ServerOutcome::Held | ServerOutcome::Ran(Outcome::Stopped) => "held",
            ServerOutcome::Killed => "killed",
            ServerOutcome::Ran(Outcome::Time) => "time",
            ServerOutcome::Ran(Outcome::Idle) => "idle",
            ServerOutcome::Ran(Outcome::Ended(End::PoweredOff)) => "off",
            ServerOutcome::Ran(Outcome::Ended(End::Failed)) => "failed",
            ServerOutcome::Ran(Outcome::Ended(End::Restarts)) => "restarts",
            ServerOutcome::Ran(Outcome::Called) => "called",
        }
    }

    /// Switches a server to timed cores, or back to one instruction per cycle. `parameters` are those of cores, caches and buses
    /// that differ from `timed_parameters`, as JSON.
    #[pyo3(signature = (is_timed, node=0, parameters=None))]
    fn set_timed(
        &self,
        py: Python<'_>,
        is_timed: bool,
        node: usize,
        parameters: Option<&str>,
    ) -> PyResult<()> {
        let wrong = |message: String| {
            spinach_error(
                py,
                format!("invalid timing of a server: {message}"),
                "correct this parameter; the Python function `servers.timed_parameters()` returns all",
            )
        };
        let parameters: TimedParameters =
            serde_json::from_str(parameters.unwrap_or("{}")).map_err(|error| wrong(error.to_string()))?;
        parameters.check().map_err(wrong)?;
        let mut running = self.running();
        if let Some(machine) = running.network.machine_mut(node) {
            machine.set_timed(is_timed.then_some(&parameters));
        }
        Ok(())
    }

    /// Sets a fixed `pace` for instructions of a timed server, while caches, translations and predictors follow them: cycles of an
    /// instruction, and of a miss of the second level. With `None` cores are timed again.
    #[pyo3(signature = (pace, node=0))]
    fn set_pace(&self, pace: Option<(f64, f64)>, node: usize) {
        if let Some(machine) = self.running().network.machine_mut(node) {
            machine.set_pace(pace_of(pace));
        }
    }

    /// Default parameters of timed cores, caches and buses, as JSON.
    #[staticmethod]
    fn timed_parameters() -> String {
        // Numbers and names only, which JSON can always express.
        serde_json::to_string(&TimedParameters::default()).unwrap_or_default()
    }

    /// Counts of a server's timed cores since they were set; `None` without them.
    #[pyo3(signature = (node=0))]
    fn timing<'py>(&self, py: Python<'py>, node: usize) -> PyResult<Option<Bound<'py, PyDict>>> {
        let running = self.running();
        let machine = running.network.machines().get(node);
        let Some(counts) = machine.and_then(Machine::counts_of_time) else { return Ok(None) };
        let counted = PyDict::new(py);
        for (name, count) in counts {
            counted.set_item(name, count)?;
        }
        Ok(Some(counted))
    }

    /// Starts or stops the profile of a server's harts.
    #[pyo3(signature = (is_profiled, node=0))]
    fn set_profiled(&self, is_profiled: bool, node: usize) {
        if let Some(machine) = self.running().network.machine_mut(node) {
            machine.set_profiled(is_profiled);
        }
    }

    /// Profile of each hart of a server: the cycles in which it waited for an interrupt, and per block the mode (true for user
    /// mode), its address, cycles and instructions. Empty if profiles are disabled.
    #[pyo3(signature = (node=0))]
    fn profiles(&self, node: usize) -> Vec<HartProfile> {
        self.running().network.machine_mut(node).map(hart_profiles).unwrap_or_default()
    }

    /// Frames and bytes that a server has put on the link since it was started or restored, until the present time of server `at`, by
    /// default itself.
    #[pyo3(signature = (node=0, at=None))]
    fn carried(&self, node: usize, at: Option<usize>) -> (u64, u64) {
        let running = self.running();
        let carried = running.network.carried(node, at.unwrap_or(node));
        (carried.frames, carried.bytes)
    }

    /// Lets joined servers run at the same time, on at most this number of threads: by default one for each processor of this process. This
    /// does not affect results.
    #[pyo3(signature = (maximum=None))]
    fn set_threads(&self, maximum: Option<usize>) {
        let maximum = maximum.unwrap_or_else(|| available_parallelism().map_or(1, NonZero::get));
        self.running().network.set_threads(maximum);
    }

    /// Number of steps in which joined servers have run at the same time.
    fn concurrent_steps(&self) -> u64 {
        self.running().network.concurrent_steps()
    }

    /// Lets servers exchange frames at least every `cycles` cycles, which does not affect results; for tests.
    fn shorten_step(&self, cycles: u64) {
        self.running().network.shorten_step(cycles);
    }

    /// Begins a capture of the link in a file: what each server sends is an interface.
    fn capture(&self, py: Python<'_>, path: PathBuf) -> PyResult<CaptureWriter> {
        let mut running = self.running();
        let names: Vec<String> =
            (1..=running.network.machines().len()).map(|number| format!("from server {number}")).collect();
        let capture = CaptureWriter::create_for_records(py, path, &names)?;
        running.network.watch();
        running.capture = Some(capture.native.clone());
        Ok(capture)
    }

    /// Takes the output of a server's console.
    #[pyo3(signature = (node=0))]
    fn take_output<'py>(&self, py: Python<'py>, node: usize) -> Bound<'py, PyBytes> {
        let mut running = self.running();
        let machine = running.network.machine_mut(node);
        let output = machine.map(|machine| std::mem::take(&mut machine.board.console.output));
        PyBytes::new(py, &output.unwrap_or_default())
    }

    /// Types characters on a server's console.
    #[pyo3(signature = (characters, node=0))]
    fn type_in(&self, characters: Vec<u8>, node: usize) {
        if let Some(machine) = self.running().network.machine_mut(node) {
            machine.board.console.input.extend(characters);
        }
    }

    /// Number of typed characters not read yet, on all consoles.
    fn unread(&self) -> usize {
        let unread = |machine: &Machine| machine.board.console.input.len();
        self.running().network.machines().iter().map(unread).sum()
    }

    /// Instructions that all harts have executed, or those of a server.
    #[pyo3(signature = (node=None))]
    fn instructions(&self, node: Option<usize>) -> u64 {
        let running = self.running();
        let machines = running.network.machines().iter().enumerate();
        let asked = machines.filter(|(number, _)| node.is_none_or(|node| node == *number));
        asked.map(|(_, machine)| machine.instructions()).sum()
    }

    /// Cycles of a server since the start; after "called", those until the call, and of a server that has ended, those until
    /// its end.
    #[pyo3(signature = (node=0))]
    fn cycles(&self, node: usize) -> u64 {
        self.running().network.machines().get(node).map_or(0, Machine::cycles)
    }

    /// True if a server has ended.
    #[pyo3(signature = (node=0))]
    fn has_ended(&self, node: usize) -> bool {
        self.running().network.machines().get(node).is_some_and(|machine| machine.ended().is_some())
    }

    /// Clock of a server's harts, in Hz.
    #[pyo3(signature = (node=0))]
    fn hertz(&self, node: usize) -> u64 {
        self.running()
            .network
            .machines()
            .get(node)
            .map_or(1, |machine| machine.configuration().clock().hertz())
    }

    /// Takes the calls of a server's guest software, oldest first: "begin" with the name of a region of interest, "end",
    /// "checkpoint", or "exit" with a status.
    #[pyo3(signature = (node=0))]
    fn take_calls(&self, node: usize) -> Vec<(&'static str, String)> {
        let mut running = self.running();
        let calls = running.network.machine_mut(node).map(Machine::take_calls).unwrap_or_default();
        calls.iter().map(Call::words).collect()
    }

    /// Counters of a server's card.
    #[pyo3(signature = (node=0))]
    fn card_counters(&self, node: usize) -> Vec<(&'static str, u64)> {
        let running = self.running();
        let machine = running.network.machines().get(node);
        let card = machine.and_then(|machine| machine.board.bus.function(LINKED));
        card.map(Function::counters).unwrap_or_default()
    }

    /// Cycles since the start, and how many of these are a second.
    fn time(&self) -> (u64, u64) {
        let running = self.running();
        let machine = &running.network.machines()[0];
        let configuration = machine.configuration();
        (running.network.time(), configuration.ticks_per_s * configuration.cycles_per_tick)
    }
}
