//! A server as gdb sees it: its harts are threads, and memory is what they see through their page tables.
//!
//! Cores are functional: a hart stops between two instructions, and the server behaves as without a debugger as long as nothing
//! is written. The server is in a network, or a module of a simulation.

use std::fmt::Write;
use std::net::SocketAddr;

use spinach_engine::{Control, Limit, ModuleId, Outcome as SimulationOutcome, Progress, Simulation};
use spinach_modules::host::Server;
use spinach_modules::processor::debugging::View;
use spinach_server::hart::Hart;
use spinach_server::looking::CONTROL_REGISTERS;
use spinach_server::machine::{Machine, Outcome};
use spinach_server::network::Network;

use super::connection::{ClientMessage, Connection};
use super::debugged::{Debugged, Order, Points, Register, StopReason};
use super::layout::{FLOAT_REGISTERS, Layout, PRIVILEGE};
use super::monitor::{LONGEST, dump, number};

/// Length of a piece of the run, in cycles, after which a stop request is checked.
const PIECE_CYCLES: u64 = 1_000_000;
const PICOSECONDS_OF_MICROSECOND: f64 = 1e6;
const HELP: &str = "monitor time: simulated time\n\
    monitor harts: where each hart is, in which mode, and whether it waits\n\
    monitor read ADDRESS BYTES: bytes of memory by its physical address";

/// Outcome of a run of debugged servers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ServerOutcome {
    /// They have run as without a debugger.
    Ran(Outcome),
    /// The client holds them, or is awaited.
    Held,
    /// The client has ended the run.
    Killed,
}

/// Outcome of a run of a simulation with a debugged server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ModuleOutcome {
    /// It has run as without a debugger.
    Ran(SimulationOutcome),
    /// The client holds it, or is awaited.
    Held,
    /// The client has ended the run.
    Killed,
}

/// Debugger of one server, alone or joined to another, which stops with it.
pub struct ServerDebugger {
    connection: Connection,
    points: Points,
    /// Number of the server in a network.
    node: usize,
    /// True if a client holds the servers, or one is awaited.
    is_held: bool,
    is_killed: bool,
    /// The order that they are carrying out.
    order: Option<Order>,
    /// End cycle of the run interrupted by the stop, reached first on resume: inspection does not affect the simulated time.
    until: Option<u64>,
}

impl ServerDebugger {
    /// Waits at `address` for one client that debugs the harts of server `node`, which is stopped until the client resumes it.
    ///
    /// # Errors
    /// If the server does not exist, or the address cannot be used; one sentence.
    pub fn listen(network: &mut Network, node: usize, address: &str) -> Result<Self, String> {
        let machine = network.machine_mut(node).ok_or_else(|| format!("there is no server {}", node + 1))?;
        Self::waiting(machine, node, address)
    }

    /// The same for a server that is a module of a simulation.
    ///
    /// # Errors
    /// If the module is no server, or the address cannot be used; one sentence.
    pub fn listen_for(simulation: &mut Simulation, server: ModuleId, address: &str) -> Result<Self, String> {
        let waiting = Server::with_machine(simulation, server, |machine| Self::waiting(machine, 0, address));
        waiting.unwrap_or_else(|| Err("this module is not a server".to_owned()))
    }

    fn waiting(machine: &Machine, node: usize, address: &str) -> Result<Self, String> {
        let layout = Layout::of_server(&CONTROL_REGISTERS.map(|(name, _)| name));
        let connection = Connection::listen(layout, machine.harts().len(), false, address)?;
        Ok(Self {
            connection,
            points: Points::default(),
            node,
            is_held: true,
            is_killed: false,
            order: None,
            until: None,
        })
    }

    /// Listening address.
    pub fn address(&self) -> SocketAddr {
        self.connection.address()
    }

    /// Runs as [`Network::run`] does, unless the client holds the servers; then it waits for a moment.
    pub fn run(&mut self, network: &mut Network, cycles: u64) -> ServerOutcome {
        if self.is_killed {
            return ServerOutcome::Killed;
        }
        let machine = network.machine_mut(self.node);
        if machine.is_none_or(|machine| !self.may_run(machine)) {
            return ServerOutcome::Held;
        }
        let now = network.time();
        let until = self.until.unwrap_or(now.saturating_add(cycles)).max(now);
        self.until = None;
        if !self.is_held {
            return ServerOutcome::Ran(network.run(until - now));
        }
        self.run_held(network, until)
    }

    // Runs until the servers stop, or until a cycle.
    fn run_held(&mut self, network: &mut Network, until: u64) -> ServerOutcome {
        let mut is_idle = true;
        loop {
            let outcome = network.run(PIECE_CYCLES.min(until.saturating_sub(network.time())));
            is_idle &= outcome != Outcome::Time;
            let hit = network.machines()[self.node].hit();
            match (outcome, hit) {
                (Outcome::Ended(_), _) => {
                    if network.machines().len() == 1 {
                        // Time advances to where it would be without a debugger.
                        network.run(until.saturating_sub(network.time()));
                    }
                    return ServerOutcome::Ran(outcome);
                }
                (Outcome::Stopped, Some((core, hit))) => {
                    return self.stop(until, StopReason::Hit { core, hit });
                }
                (Outcome::Called, _) => {
                    self.until = Some(until);
                    return ServerOutcome::Ran(outcome);
                }
                _ if self.connection.is_interrupted() => return self.stop(until, StopReason::Requested),
                _ if network.time() < until => {}
                _ => return ServerOutcome::Ran(if is_idle { Outcome::Idle } else { Outcome::Time }),
            }
        }
    }

    /// Runs as [`Simulation::run`] does, unless the client holds the server; then it waits for a moment.
    ///
    /// # Errors
    /// Those of [`Simulation::run`].
    pub fn run_module(
        &mut self,
        simulation: &mut Simulation,
        server: ModuleId,
        limit: &Limit,
        progress: &mut dyn FnMut(Progress) -> Control,
    ) -> Result<ModuleOutcome, String> {
        if self.is_killed {
            return Ok(ModuleOutcome::Killed);
        }
        let may_run = Server::with_machine(simulation, server, |machine| self.may_run(machine));
        if may_run != Some(true) {
            return Ok(ModuleOutcome::Held);
        }
        if Server::continue_stopped(simulation, server) {
            return Ok(self.hit(simulation, server));
        }
        // A short run looks at nothing while it runs.
        let mut is_requested = self.is_held && self.connection.is_interrupted();
        if is_requested {
            self.report(StopReason::Requested);
            return Ok(ModuleOutcome::Held);
        }
        let outcome = simulation.run(limit, &mut |at| {
            is_requested = self.is_held && self.connection.is_interrupted();
            if is_requested { Control::Stop } else { progress(at) }
        })?;
        match outcome {
            SimulationOutcome::Paused if Server::is_stopped(simulation, server) => {
                Ok(self.hit(simulation, server))
            }
            SimulationOutcome::Interrupted if is_requested => {
                self.report(StopReason::Requested);
                Ok(ModuleOutcome::Held)
            }
            outcome => Ok(ModuleOutcome::Ran(outcome)),
        }
    }

    fn hit(&mut self, simulation: &mut Simulation, server: ModuleId) -> ModuleOutcome {
        if let Some((core, hit)) = Server::with_machine(simulation, server, |machine| machine.hit()).flatten()
        {
            self.report(StopReason::Hit { core, hit });
        }
        ModuleOutcome::Held
    }

    /// True if the server may run: no client holds it, or the client has ordered so. Waits for a moment otherwise.
    fn may_run(&mut self, machine: &mut Machine) -> bool {
        if !self.is_held || self.order.is_some() {
            return true;
        }
        match self.connection.receive(&mut Held { machine: &mut *machine, points: &mut self.points }) {
            ClientMessage::Order(order) => {
                self.begin(machine, order);
                true
            }
            ClientMessage::Nothing => false,
            ClientMessage::Gone { is_killed } => {
                self.detach(machine);
                self.is_killed = is_killed;
                false
            }
        }
    }

    fn stop(&mut self, until: u64, reason: StopReason) -> ServerOutcome {
        self.until = Some(until);
        self.report(reason);
        ServerOutcome::Held
    }

    fn report(&mut self, reason: StopReason) {
        self.order = None;
        self.connection.report(reason, self.points.data.clone());
    }

    fn begin(&mut self, machine: &mut Machine, order: Order) {
        // A server does not go back, and the client knows that.
        let (Order::Forward(actions) | Order::Back(actions)) = &order;
        machine.watch(actions, self.points.instructions.clone(), self.points.data.clone());
        self.order = Some(order);
    }

    // Detaches the client: from now on the servers run as without a debugger.
    fn detach(&mut self, machine: &mut Machine) {
        self.is_held = false;
        machine.clear_stop_conditions();
    }

    /// Tells the client that the run has ended, with an exit code. Says why the connection broke, if it did.
    pub fn finish(&mut self, network: &mut Network, code: u8) -> Option<String> {
        network.machine_mut(self.node).and_then(|machine| self.end(machine, code))
    }

    /// The same for a server that is a module of a simulation, which can then be saved.
    pub fn finish_module(
        &mut self,
        simulation: &mut Simulation,
        server: ModuleId,
        code: u8,
    ) -> Option<String> {
        let broken = Server::with_machine(simulation, server, |machine| self.end(machine, code)).flatten();
        Server::continue_stopped(simulation, server);
        broken
    }

    fn end(&mut self, machine: &mut Machine, code: u8) -> Option<String> {
        self.detach(machine);
        self.connection.finish(&mut Held { machine, points: &mut self.points }, code)
    }
}

/// A stopped server.
struct Held<'a> {
    machine: &'a mut Machine,
    points: &'a mut Points,
}

impl Held<'_> {
    fn harts(&self) -> String {
        let mut text = String::new();
        for (number, hart) in self.machine.harts().iter().enumerate() {
            let mode = if hart.is_in_user_mode() { "user" } else { "supervisor" };
            let waits = if hart.is_waiting() { ", waits for an interrupt" } else { "" };
            let time = hart.time();
            let _ =
                writeln!(text, "{} {:#018x} in {mode} mode at cycle {time}{waits}", number + 1, hart.pc());
        }
        text
    }

    fn physical(&self, address: &str, bytes: &str) -> String {
        let bytes = number(bytes).filter(|bytes| *bytes <= LONGEST);
        let (Some(address), Some(bytes)) = (number(address), bytes) else {
            return format!("address and bytes are numbers, the latter at most {LONGEST}");
        };
        let memory = &self.machine.board.memory;
        match memory.place(address, bytes as usize) {
            Some(place) => dump(address, &memory.bytes()[place..place + bytes as usize]),
            None => "not all of these bytes are memory".to_owned(),
        }
    }
}

impl Debugged for Held<'_> {
    fn view(&mut self, core: usize) -> Result<Option<View>, String> {
        let Some(hart) = self.machine.harts().get(core) else { return Ok(None) };
        let float = FLOAT_REGISTERS.into_iter().zip(hart.float().iter().copied());
        let control = CONTROL_REGISTERS.iter();
        let control = control.filter_map(|(name, number)| Some((*name, hart.control_register(*number)?)));
        let privilege = (PRIVILEGE, u64::from(!hart.is_in_user_mode()));
        Ok(Some(View {
            instruction_set: "rv64",
            pc: hart.pc(),
            is_issued: false,
            is_settled: true,
            general: (0..32).map(|number| hart.general(number)).collect(),
            further: float.chain(control).chain([privilege]).collect(),
            end: None,
        }))
    }

    fn set(&mut self, core: usize, changes: &[(Register, u64)]) -> Result<bool, String> {
        let machine = &mut *self.machine;
        if core >= machine.harts().len() {
            return Ok(false);
        }
        let hart = machine.hart_mut(core);
        for (register, value) in changes {
            match register {
                Register::General(0) => return Ok(false),
                Register::General(number) => hart.set_general((*number).into(), *value),
                Register::ProgramCounter => hart.set_pc(*value),
            }
        }
        Ok(true)
    }

    fn read(&mut self, core: usize, address: u64, bytes: &mut [u8]) -> Result<Option<()>, String> {
        Ok(self.machine.look(core, address, bytes))
    }

    fn write(&mut self, core: usize, address: u64, bytes: &[u8]) -> Result<Option<()>, String> {
        Ok(self.machine.overwrite(core, address, bytes))
    }

    fn begin(&mut self) -> Result<(), String> {
        Ok(())
    }

    fn points(&mut self) -> &mut Points {
        self.points
    }

    fn answer(&mut self, command: &str) -> String {
        let words: Vec<&str> = command.split_whitespace().collect();
        match words[..] {
            ["time"] => {
                let clock = self.machine.configuration().clock();
                let last = self.machine.harts().iter().map(Hart::time).max().unwrap_or(0);
                format!("{:.6} us", clock.picoseconds(last) as f64 / PICOSECONDS_OF_MICROSECOND)
            }
            ["harts"] => self.harts(),
            ["read", address, bytes] => self.physical(address, bytes),
            _ => HELP.to_owned(),
        }
    }
}
