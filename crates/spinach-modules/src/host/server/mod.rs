//! `server`: a server that boots an operating system.

mod called;
mod exchange;
mod kept;

use std::any::Any;
use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Exported, Frequency, Idle, Input, Module, ModuleId, OrUnconnected, Output, Outside,
    Process, Signals, Simulation, Size, Time, ack, data, parameters, ports,
};
use spinach_server::boot::Start;
use spinach_server::clock::Clock;
use spinach_server::machine::{Configuration, End, Machine, Outcome, TIMED_TURN_CYCLES};
use spinach_server::map;
use spinach_server::pci::function::Transfer;
use spinach_server::pci::port::{Port, Reached, Said};
use spinach_server::timed::{Attachment, TimedParameters};
use spinach_server::virtio::disk::Image;
use spinach_server::virtio::share::Folder;

use self::called::Called;
use self::exchange::{Continuation, Exchange};
use self::kept::{Counts, Kept};
use super::FEMTOSECONDS_OF_PICOSECOND;
use crate::parts::alarm::Alarm;
use crate::values::{Block, BlockResponse, Reference, Response};

parameters! {
    /// The parameters of a server.
    pub struct ServerParameters {
        /// Boot program: the `Image` of a kernel, or a bare-metal program as an ELF file linked to 0x80000000.
        pub kernel: Vec<u8>,
        /// An archive of the kernel's first files; empty for none.
        pub files: Vec<u8> = Vec::new(),
        /// The kernel's command line.
        pub arguments: String = "console=hvc0 earlycon=sbi".to_owned(),
        /// Console input that waits from the start on, as if typed.
        pub typed: Vec<u8> = Vec::new(),
        /// Number of harts.
        pub harts: u32 = 1 => in 1..=4,
        /// The clock of the harts, a multiple of 10 MHz.
        pub hart_clock: Frequency = frequency(1_000_000_000),
        /// Its memory, in whole pages of 4 KiB.
        pub memory_size: Size = Size(128 << 20) => in 1 << 20..=1 << 32,
        /// Timing of instructions: one cycle each (`functional`), or an out-of-order core with caches (`timed`).
        pub core: String = "functional".to_owned() => of ["functional", "timed"]; variable,
        /// Attachment point of the bus, for timed cores: behind an I/O bridge, at the memory, or at the last-level cache.
        pub attachment: String = "io".to_owned() => of ["io", "memory", "cache"]; variable,
        /// Parameters of timed cores, caches and buses that differ from their defaults, as a JSON object; empty for none.
        pub timing: String = String::new(); variable,
        /// Path of the disk image, which is never written; empty for no disk.
        pub disk: String = String::new(); variable,
        /// Path of a folder that the server shares with the machine that simulates it; empty for none.
        pub share: String = String::new(); variable,
        /// Latency of the device's messages to harts and memory.
        pub latency: Time = Time::from_femtoseconds(200_000_000) => in 2_000..=1_000_000_000_000,
        /// Time that harts run ahead of the device at once: at most `latency`, the meaning of 0. No result depends on it.
        pub step: Time = Time::ZERO; variable,
        /// Number of stores that may be on their way to the device.
        pub posted: u32 = 32 => in 1..=1024,
        /// Number of blocks of memory that the device may request before the first is answered.
        pub outstanding: u32 = 4 => in 1..=64,
    }
}

ports! {
    /// Ports of a server.
    pub struct ServerPorts {
        /// Memory of the host, for the device.
        pub memory: { request: Input<Block>, response: Output<BlockResponse> },
        /// Configuration space of the device.
        pub configuration: { request: Output<Reference>, response: Input<Response> },
        /// Memory space of the device.
        pub access: { request: Output<Reference>, response: Input<Response> },
        /// The interrupt line: a word for each change, 1 for asserted and 0 for released; always taken.
        pub interrupt: OrUnconnected<Input<u64>>,
    }
}

/// Message to the device. Times are picoseconds.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Leaving<T> {
    at: u64,
    what: T,
}

/// A reference of a hart on its way to the device.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Asked {
    space: Reached,
    reference: Reference,
}

/// State of a server.
#[derive(Serialize, Deserialize)]
pub struct ServerState {
    machine: Kept,
    /// The first is with the device if `is_with_device`, and may be presented to it if `is_presented`.
    accesses: VecDeque<Leaving<Asked>>,
    is_presented: bool,
    is_with_device: bool,
    /// Blocks that the device asked for and that memory has not answered.
    unanswered: u32,
    answers: VecDeque<Leaving<Option<Vec<u8>>>>,
    response: Option<BlockResponse>,
    /// Typed, and when it is to be there.
    typed: VecDeque<(u64, Vec<u8>)>,
    /// Calls of guest software that were not exported yet.
    calls: VecDeque<Leaving<Called>>,
    /// End of the server, once it was reported to the run.
    ended: Option<End>,
    alarm: Option<Alarm>,
}

/// A server. See its declaration.
pub struct Server {
    parameters: ServerParameters,
    configuration: Configuration,
    clock: Clock,
    latency: u64,
    step: u64,
    ports: ServerPorts,
    state: ServerState,
    inbox: Vec<u8>,
    printed: VecDeque<Exported>,
    called: VecDeque<Exported>,
    /// The cycle up to which the machine would have run, if a stop condition holds it.
    stopped_before: Option<u64>,
    /// The time of the last edge, in picoseconds, if a stop condition held the machine there.
    stopped_at: Option<u64>,
}

const ACCESSES: usize = 0;
const FAULTS: usize = 1;
const INTERRUPTS: usize = 2;
const READ_BYTES: usize = 3;
const WRITTEN_BYTES: usize = 4;
const MEMORY_FAULTS: usize = 5;
const PRINTED: usize = 6;
const MESSAGES: usize = 7;
const CALLS: usize = 8;

const CONSOLE_LANE: u32 = 0;
const CALL_LANE: u32 = 1;

/// The function on the machine's bus that is the port to the device.
const PORT: usize = 0;
const TICKS_PER_S: u64 = 10_000_000;
const PICOSECONDS_OF_SECOND: u64 = 1_000_000_000_000;

const DOCUMENTATION: &str = "A server that boots an operating system: one to four harts of RV64, memory, interrupt controllers, console and a bus.

The ports connect a device on the bus. Harts access its configuration space and, at addresses without other devices, its memory \
space. It interrupts by its line, or by messages: writes of 4 bytes to the message controller from 0x28000000 on. Its accesses to memory take no time with functional cores, and use buses and caches with timed cores. Loads wait for their answers. Stores are posted, and the next waits when too \
many are unanswered.

The server executes many instructions at one edge, ahead of the device, and yet both interact at exact times. Messages from the \
device take `latency` to arrive, so harts may run ahead by that time without missing any. Messages from harts to the device are \
presented at the first edge after their time. So no result depends on how far harts run ahead. The server sleeps while its harts \
wait for an interrupt.

Console input is imported on lane 0; console output is exported there. Lane 1 exports the calls of guest software (regions of interest, \
checkpoints, the exit status of a program), a JSON object each: kind, detail, and the counts of the harts at the call. A run pauses at \
such calls and when the server switches itself off, and stops when the server fails.";

impl Module for Server {
    type Parameters = ServerParameters;
    type Ports = ServerPorts;
    type State = ServerState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "server",
            family: "host",
            documentation: DOCUMENTATION,
            timing: "All outputs are registered. What harts and memory say at a time is presented in the cycle after the first edge at that time or \
                     later, one access after the other.",
            source: "RISC-V unprivileged and privileged specifications; PCI Express Base Specification 1.0a, section 2.4 (ordering); SINIC \
                     paper, table 1 (timed cores)",
            parameters: ServerParameters::declare(),
            ports: ServerPorts::declare(),
            counters: &[
                ("accesses", "accesses to the device that are done"),
                ("faults", "accesses among them that nothing answered"),
                ("interrupts", "times that the interrupt line was asserted"),
                ("read_bytes", "bytes of memory that the device read"),
                ("written_bytes", "bytes of memory that the device wrote"),
                ("memory_faults", "blocks that are not in memory"),
                ("printed", "bytes that were printed on the console"),
                ("messages", "message interrupts that the device wrote"),
                ("calls", "calls of guest software to the simulator"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: ServerParameters, ports: ServerPorts) -> Result<Self, String> {
        let configuration = configured(&parameters)?;
        let clock = configuration.clock();
        let latency = parameters.latency.femtoseconds() / FEMTOSECONDS_OF_PICOSECOND;
        let step = match parameters.step.femtoseconds() / FEMTOSECONDS_OF_PICOSECOND {
            0 => latency,
            step => step.min(latency),
        };
        let start = Start {
            name: "kernel",
            kernel: parameters.kernel.clone(),
            files: &parameters.files,
            arguments: &parameters.arguments,
        };
        let mut machine = Machine::booting(&configuration, &start).map_err(|error| error.to_string())?;
        machine.board.bus.attach(port(&parameters));
        complete(&mut machine, &parameters)?;
        machine.board.console.input.extend(&parameters.typed);
        let state = ServerState {
            machine: Kept::running(machine),
            accesses: VecDeque::new(),
            is_presented: false,
            is_with_device: false,
            unanswered: 0,
            answers: VecDeque::new(),
            response: None,
            typed: VecDeque::new(),
            calls: VecDeque::new(),
            ended: None,
            alarm: None,
        };
        Ok(Self {
            parameters,
            configuration,
            clock,
            latency,
            step,
            ports,
            state,
            inbox: Vec::new(),
            printed: VecDeque::new(),
            called: VecDeque::new(),
            stopped_before: None,
            stopped_at: None,
        })
    }

    fn processes(&self) -> Vec<Process> {
        type P = ServerPorts;
        let drives = [
            data(P::MEMORY_RESPONSE),
            ack(P::MEMORY_REQUEST),
            data(P::CONFIGURATION_REQUEST),
            data(P::ACCESS_REQUEST),
        ];
        vec![Process::new(0).drives(drives).accepts([
            P::ACCESS_RESPONSE,
            P::CONFIGURATION_RESPONSE,
            P::INTERRUPT,
        ])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        let (ports, state) = (&self.ports, &self.state);
        signals.write(ports.memory_response, state.response);
        signals
            .acknowledge(ports.memory_request, state.waiting_blocks() < self.parameters.outstanding as usize);
        let asked = state.accesses.front().filter(|_| state.is_presented).map(|leaving| leaving.what);
        let of = |space| asked.filter(|asked| asked.space == space).map(|asked| asked.reference);
        signals.write(ports.configuration_request, of(Reached::Configuration));
        signals.write(ports.access_request, of(Reached::Memory));
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        self.take_in(edge);
        self.note_taken(edge);
        self.run_ahead(edge.time());
        self.take_said(edge);
        self.show_output(edge);
        self.show_calls(edge);
        self.present(edge);
        self.look_at_end(edge);
        self.set_alarm(edge);
        self.stopped_at = None;
        if self.stopped_before.is_some() {
            self.stopped_at = Some(edge.time().femtoseconds() / FEMTOSECONDS_OF_PICOSECOND);
            edge.pause();
        }
    }

    fn idle(&self) -> Idle {
        match self.state.alarm {
            _ if !self.inbox.is_empty() || self.stopped_before.is_some() => Idle::No,
            Some(alarm) => Idle::UntilTransferOrCycle(alarm.look_at()),
            None => Idle::UntilTransfer,
        }
    }

    fn outside(&mut self) -> Option<&mut dyn Outside> {
        Some(self)
    }

    fn ask(&mut self, request: &mut dyn Any) {
        if let Some(request) = request.downcast_mut::<Exchange>() {
            self.catch_up(request.now);
            request.exchange(&mut self.state.machine);
        } else if let Some(continuation) = request.downcast_mut::<Continuation>() {
            if continuation.continues
                && let Some(until) = self.stopped_before.take()
            {
                self.advance(until);
            }
            continuation.is_stopped = self.stopped_before.is_some();
        }
    }

    fn state(&self) -> &ServerState {
        &self.state
    }

    fn restore(&mut self, state: ServerState) -> Result<(), String> {
        let file = match &state.machine {
            Kept::File(file) => file,
            Kept::Running(_) | Kept::Taken => return Err("the server is not of a checkpoint".to_owned()),
        };
        let machine = Machine::restore(file, Some(&self.configuration), vec![port(&self.parameters)]);
        let mut machine = machine.map_err(|error| error.to_string())?;
        complete(&mut machine, &self.parameters)?;
        self.state = ServerState { machine: Kept::running(machine), ..state };
        (self.stopped_before, self.stopped_at) = (None, None);
        Ok(())
    }
}

fn port(parameters: &ServerParameters) -> Box<Port> {
    Box::new(Port::new(parameters.posted as usize))
}

/// Gives a machine what no checkpoint of it contains: timing, files of this machine, and a listener for calls of its software.
fn complete(machine: &mut Machine, parameters: &ServerParameters) -> Result<(), String> {
    machine.set_timed(timed(parameters)?.as_ref());
    let given = |path: &str| (!path.is_empty()).then(|| PathBuf::from(path));
    let refused = |path: &Path, error: io::Error| format!("cannot open {}: {error}", path.display());
    let disk = given(&parameters.disk).map(|path| Image::open(&path).map_err(|error| refused(&path, error)));
    let share =
        given(&parameters.share).map(|path| Folder::open(&path).map_err(|error| refused(&path, error)));
    machine.attach_files(disk.transpose()?, share.transpose()?).map_err(|error| error.to_string())?;
    machine.listen_to_calls();
    Ok(())
}

fn timed(parameters: &ServerParameters) -> Result<Option<TimedParameters>, String> {
    if parameters.core != "timed" {
        return Ok(None);
    }
    let attachment = match parameters.attachment.as_str() {
        "memory" => Attachment::Memory,
        "cache" => Attachment::Cache,
        _ => Attachment::Io,
    };
    let changes = if parameters.timing.is_empty() { "{}" } else { &parameters.timing };
    let timed: TimedParameters = serde_json::from_str(changes).map_err(|error| format!("timing: {error}"))?;
    let timed = TimedParameters { attachment, ..timed };
    timed.check().map_err(|error| format!("timing: {error}"))?;
    Ok(Some(timed))
}

/// Configuration of the machine.
fn configured(parameters: &ServerParameters) -> Result<Configuration, String> {
    let (numerator, denominator) = parameters.hart_clock.fraction();
    if denominator != 1 || !numerator.is_multiple_of(TICKS_PER_S) || numerator > 100_000_000_000 {
        return Err(format!(
            "hart_clock = {} is not a multiple of 10 MHz up to 100 GHz, which the time base divides",
            parameters.hart_clock
        ));
    }
    let mut configuration = Configuration {
        harts: parameters.harts as usize,
        memory_bytes: parameters.memory_size.0,
        ticks_per_s: TICKS_PER_S,
        cycles_per_tick: numerator / TICKS_PER_S,
        ..Configuration::default()
    };
    // Several harts, which all stop at multiples of a turn, run to the first multiple that is beyond the device's view.
    let latency = parameters.latency.femtoseconds() / FEMTOSECONDS_OF_PICOSECOND;
    let cycles = u128::from(latency) * u128::from(numerator) / u128::from(PICOSECONDS_OF_SECOND);
    let turn = u64::try_from(cycles / 2).unwrap_or(u64::MAX);
    if turn == 0 {
        let least = 2 * PICOSECONDS_OF_SECOND.div_ceil(numerator);
        return Err(format!(
            "latency = {} is less than {least} ps, two cycles of the harts",
            parameters.latency
        ));
    }
    configuration.turn_cycles = turn.min(configuration.turn_cycles);
    Ok(configuration)
}

impl Server {
    /// Calls a function with the machine of a server in a simulation that does not run; `None` if the module is no server. The machine
    /// is at the time of the simulation, or ahead of it by up to `latency`, unless a stop condition holds it.
    pub fn with_machine<R>(
        simulation: &mut Simulation,
        server: ModuleId,
        act: impl FnOnce(&mut Machine) -> R,
    ) -> Option<R> {
        let mut request = Exchange { now: simulation.now(), machine: None };
        simulation.ask(server, &mut request);
        let machine = request.machine.as_mut()?;
        let result = act(machine.get_mut().unwrap_or_else(PoisonError::into_inner));
        simulation.ask(server, &mut request);
        Some(result)
    }

    /// True if a stop condition of its machine holds a server. The simulation has paused, and must not run before
    /// [`Self::continue_stopped`] returns false.
    pub fn is_stopped(simulation: &mut Simulation, server: ModuleId) -> bool {
        let mut request = Continuation::default();
        simulation.ask(server, &mut request);
        request.is_stopped
    }

    /// Continues a server that is stopped, as far as it would have run; returns true if it has stopped again.
    pub fn continue_stopped(simulation: &mut Simulation, server: ModuleId) -> bool {
        let mut request = Continuation { continues: true, is_stopped: false };
        simulation.ask(server, &mut request);
        request.is_stopped
    }
}

impl ServerState {
    /// Blocks that the device waits for.
    fn waiting_blocks(&self) -> usize {
        self.unanswered as usize + self.answers.len() + usize::from(self.response.is_some())
    }

    fn port(&mut self) -> &mut Port {
        let port = self.machine.machine().board.bus.function_mut(PORT);
        port.expect("a server is made with a port")
    }
}

impl Server {
    /// Time at which input of an edge reaches harts and memory.
    fn arrival(&self, now: Time) -> u64 {
        now.femtoseconds().div_ceil(FEMTOSECONDS_OF_PICOSECOND) + self.latency
    }

    /// Takes in a message of the device, which leaves now.
    fn take_in(&mut self, edge: &mut Edge<'_>) {
        let arrival = self.arrival(edge.time());
        if !self.inbox.is_empty() {
            self.state.typed.push_back((arrival, std::mem::take(&mut self.inbox)));
        }
        if let Some(level) = edge.signals.received(self.ports.interrupt.port) {
            edge.count(INTERRUPTS, u64::from(level != 0));
            self.state.port().set_line(arrival, level != 0);
        }
        if let Some(block) = edge.signals.received(self.ports.memory_request) {
            // Outside of memory nothing moves.
            let is_memory = self
                .state
                .machine
                .machine()
                .board
                .memory
                .place(block.address, block.length as usize)
                .is_some();
            let moved = if is_memory { u64::from(block.length) } else { 0 };
            let transfer = match block.write {
                Some(payload) => {
                    let is_message = map::is_message(block.address, block.length as usize);
                    match is_message {
                        true => edge.count(MESSAGES, 1),
                        false => edge.count(WRITTEN_BYTES, moved),
                    }
                    let data = edge.payloads().remove(payload).unwrap_or_default().to_vec();
                    Transfer::Write { address: block.address, data }
                }
                None => {
                    edge.count(READ_BYTES, moved);
                    Transfer::Read { address: block.address, bytes: block.length as usize }
                }
            };
            self.state.unanswered += 1;
            self.state.port().ask(arrival, transfer);
        }
        let responses = [self.ports.configuration_response, self.ports.access_response];
        for response in responses.into_iter().filter_map(|port| edge.signals.received(port)) {
            edge.count(ACCESSES, 1);
            edge.count(FAULTS, u64::from(response.is_fault));
            let value = if response.is_fault { u32::MAX } else { response.data as u32 };
            self.state.accesses.pop_front();
            self.state.is_with_device = false;
            self.state.port().answer(arrival, value);
        }
    }

    /// Records values that the device has taken.
    fn note_taken(&mut self, edge: &Edge<'_>) {
        let state = &mut self.state;
        if edge.signals.is_sent(self.ports.memory_response) {
            state.response = None;
        }
        let requests = [self.ports.configuration_request, self.ports.access_request];
        if state.is_presented && requests.into_iter().any(|port| edge.signals.is_sent(port)) {
            (state.is_presented, state.is_with_device) = (false, true);
        }
    }

    /// Runs harts until all messages up to now are known, and as far ahead as allowed.
    fn run_ahead(&mut self, now: Time) {
        let now = now.femtoseconds() / FEMTOSECONDS_OF_PICOSECOND;
        let turn = self.turn();
        // Beyond the cycle that begins after now, before which the bus has its moment.
        let needed = (self.clock.cycle_from(now + 1) + 1).next_multiple_of(turn);
        // Nothing comes in before.
        let safe = self.clock.cycle_from(now + self.latency) / turn * turn;
        let until = (self.clock.cycle_from(now + self.step) / turn * turn).clamp(needed, safe);
        if self.state.machine.machine().time() >= needed {
            return;
        }
        self.advance(until);
    }

    /// Advances the machine of a server that sleeps to now; its harts wait until later.
    fn catch_up(&mut self, now: Time) {
        let now = self.clock.cycle_from(now.femtoseconds() / FEMTOSECONDS_OF_PICOSECOND);
        let until = now / self.turn() * self.turn();
        let is_here = !matches!(self.state.machine, Kept::Taken);
        if is_here && self.stopped_before.is_none() && self.state.machine.machine().time() < until {
            self.advance(until);
        }
    }

    /// Runs the machine until a cycle, and types what is due before, unless a stop condition holds the machine.
    fn advance(&mut self, until: u64) {
        let turn = self.turn();
        while let Some((at, _)) = self.state.typed.front() {
            let there = self.clock.cycle_from(*at).next_multiple_of(turn);
            if there > until {
                break;
            }
            if self.run_until(there) == Outcome::Stopped {
                self.stopped_before = Some(until);
                return;
            }
            let typed = self.state.typed.pop_front();
            let input = &mut self.state.machine.machine().board.console.input;
            input.extend(typed.into_iter().flat_map(|(_, typed)| typed));
        }
        if self.run_until(until) == Outcome::Stopped {
            self.stopped_before = Some(until);
        }
    }

    /// Runs the machine, and keeps the calls of its software with the counts at each; returns what ended it.
    fn run_until(&mut self, cycle: u64) -> Outcome {
        let machine = self.state.machine.machine();
        loop {
            let outcome = machine.run_until(cycle);
            for call in machine.take_calls() {
                let counts = Counts::of(machine);
                let at = self.clock.picoseconds(counts.cycles);
                self.state.calls.push_back(Leaving { at, what: Called::new(&call, counts) });
            }
            if outcome != Outcome::Called {
                return outcome;
            }
        }
    }

    /// Turn length, in cycles: several harts stop at multiples of it only.
    fn turn(&self) -> u64 {
        let longest = if self.parameters.core == "timed" { TIMED_TURN_CYCLES } else { u64::MAX };
        if self.configuration.harts > 1 { self.configuration.turn_cycles.min(longest) } else { 1 }
    }

    /// Sorts messages of the machine.
    fn take_said(&mut self, edge: &mut Edge<'_>) {
        while let Some((at, said)) = self.state.port().take_said() {
            if self.stopped_at.is_some_and(|stopped_at| at <= stopped_at) {
                edge.stop("a debugger has delayed a message to the card: raise the parameter `latency` of the server");
            }
            let state = &mut self.state;
            let mut access =
                |space, reference| state.accesses.push_back(Leaving { at, what: Asked { space, reference } });
            match said {
                Said::Read { space, address, size } => access(space, Reference::read(address, size)),
                Said::Write { space, address, size, value } => {
                    access(space, Reference::write(address, size, value.into()));
                }
                Said::Done(data) => {
                    state.unanswered = state.unanswered.saturating_sub(1);
                    state.answers.push_back(Leaving { at, what: data });
                }
            }
        }
    }

    fn show_output(&mut self, edge: &mut Edge<'_>) {
        let message = std::mem::take(&mut self.state.machine.machine().board.console.output);
        if !message.is_empty() {
            edge.count(PRINTED, message.len() as u64);
            self.printed.push_back(Exported { time: edge.time(), message });
        }
    }

    /// Exports the calls made up to now; the run pauses, so that its user serves them.
    fn show_calls(&mut self, edge: &mut Edge<'_>) {
        let now = edge.time().femtoseconds() / FEMTOSECONDS_OF_PICOSECOND;
        while self.state.calls.front().is_some_and(|call| call.at <= now)
            && let Some(call) = self.state.calls.pop_front()
        {
            edge.count(CALLS, 1);
            self.called.push_back(Exported { time: edge.time(), message: call.what.message() });
            edge.pause();
        }
    }

    /// Presents messages up to now.
    fn present(&mut self, edge: &mut Edge<'_>) {
        let (now, state) = (edge.time().femtoseconds() / FEMTOSECONDS_OF_PICOSECOND, &mut self.state);
        let is_due = state.accesses.front().is_some_and(|leaving| leaving.at <= now);
        state.is_presented = is_due && !state.is_with_device;
        if state.response.is_none()
            && state.answers.front().is_some_and(|answer| answer.at <= now)
            && let Some(answer) = state.answers.pop_front()
        {
            let is_fault = answer.what.is_none();
            edge.count(MEMORY_FAULTS, u64::from(is_fault));
            let read = answer.what.filter(|bytes| !bytes.is_empty());
            let read = read.map(|bytes| edge.payloads().insert(bytes));
            self.state.response = Some(BlockResponse { read, is_fault });
        }
    }

    /// A server that has ended ends the run, at its own time.
    fn look_at_end(&mut self, edge: &mut Edge<'_>) {
        let Some((end, at)) = self.state.machine.machine().ended() else { return };
        let now = edge.time().femtoseconds() / FEMTOSECONDS_OF_PICOSECOND;
        if self.state.ended.is_none() && self.clock.picoseconds(at) <= now {
            self.state.ended = Some(end);
            match end {
                End::PoweredOff => edge.pause(),
                End::Failed => edge.stop("the server failed"),
                End::Restarts => edge.stop("the server asked for another start"),
            }
        }
    }

    /// Time of the next work that the device does not wake it for.
    fn set_alarm(&mut self, edge: &Edge<'_>) {
        let state = &mut self.state;
        let machine = state.machine.machine();
        let harts = match machine.ended() {
            Some(_) if state.ended.is_some() => None,
            Some((_, at)) => Some(self.clock.picoseconds(at)),
            // Two cycles before, see `run_ahead`; `u64::MAX` if nothing is awaited.
            None => Some(machine.quiet_until())
                .filter(|until| *until != u64::MAX)
                .map(|until| self.clock.picoseconds(until.saturating_sub(2))),
        };
        let waits = !state.is_presented && !state.is_with_device;
        let access = state.accesses.front().filter(|_| waits).map(|leaving| leaving.at);
        let answer = state.answers.front().filter(|_| state.response.is_none()).map(|answer| answer.at);
        let typed = state.typed.front().map(|(at, _)| *at);
        let call = state.calls.front().map(|call| call.at);
        let due = [harts, access, answer, typed, call].into_iter().flatten().min();
        let time = |due: u64| Time::from_femtoseconds(due.saturating_mul(FEMTOSECONDS_OF_PICOSECOND));
        state.alarm = due.map(|due| Alarm::set(time(due), edge));
    }
}

fn frequency(hertz: u64) -> Frequency {
    Frequency::from_hertz(hertz).expect("it is one")
}

impl Outside for Server {
    fn inject(&mut self, lane: u32, message: &[u8]) -> Result<(), String> {
        if lane != CONSOLE_LANE {
            return Err(format!("server: there is no lane {lane}"));
        }
        self.inbox.extend(message);
        Ok(())
    }

    fn waiting(&self, _: u32) -> usize {
        self.inbox.len() + self.state.typed.iter().map(|(_, typed)| typed.len()).sum::<usize>()
    }

    fn export(&mut self, lane: u32) -> Option<Exported> {
        match lane {
            CONSOLE_LANE => self.printed.pop_front(),
            CALL_LANE => self.called.pop_front(),
            _ => None,
        }
    }
}
