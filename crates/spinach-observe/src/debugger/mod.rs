//! The remote protocol of gdb for the cores of a simulated system.
//!
//! The run is stopped while gdb holds it, and inspection does not affect the simulation: the view of a core lies between two
//! instructions, and for that a copy of the run completes everything under way and is discarded. Going back restores a checkpoint
//! and runs from there to the last moment at which a core hit a stop condition.

mod connection;
mod debugged;
mod held;
mod layout;
mod machine;
mod memory;
mod monitor;
mod past;
mod server;
mod target;

use std::net::SocketAddr;

use spinach_engine::{Control, Limit, ModuleId, Outcome, Progress, Simulation, Time};

use self::connection::{ClientMessage, Connection};
use self::debugged::{Order, StopReason};
use self::held::Held;
use self::layout::Layout;
use self::machine::{Machine, views_of};
pub use self::memory::MappedMemory;
pub use self::server::{ModuleOutcome, ServerDebugger, ServerOutcome};

/// Debugger of one simulation. The run is stopped from the start until a client resumes it.
pub struct Debugger {
    machine: Machine,
    connection: Connection,
    /// True if a client holds the run, or one is awaited.
    is_held: bool,
    can_go_back: bool,
    /// A fault that was reported to the client, and its moment: the run ends there if the client continues.
    fault: Option<(Time, Outcome)>,
}

impl Debugger {
    /// Waits at `address` for one client that debugs `cores`. What happens between two calls of [`Self::run`] can be repeated if it
    /// `can_go_back`.
    ///
    /// # Errors
    /// If a core does not support debugging, or the address cannot be used; one sentence.
    pub fn listen(
        simulation: &mut Simulation,
        cores: Vec<ModuleId>,
        memories: Vec<MappedMemory>,
        caches: Vec<ModuleId>,
        address: &str,
        can_go_back: bool,
    ) -> Result<Self, String> {
        let views = views_of(simulation, &cores).filter(|views| !views.is_empty());
        let Some(views) = views else {
            return Err("cores of this kind answer no debugger".to_owned());
        };
        let name = views[0].instruction_set;
        let layout = Layout::of(name).ok_or_else(|| format!("nothing is known of {name}"))?;
        let connection = Connection::listen(layout, cores.len(), true, address)?;
        let machine = Machine::new(cores, memories, caches);
        Ok(Self { machine, connection, is_held: true, can_go_back, fault: None })
    }

    /// Listening address.
    pub fn address(&self) -> SocketAddr {
        self.connection.address()
    }

    /// Runs as [`Simulation::run`] does, except that the client may stop the run, go back and continue.
    ///
    /// # Errors
    /// If a condition names something that does not exist, or a checkpoint fails.
    pub fn run(
        &mut self,
        simulation: &mut Simulation,
        limit: &Limit,
        progress: &mut dyn FnMut(Progress) -> Control,
    ) -> Result<Outcome, String> {
        if !self.can_go_back {
            self.machine.forget_past();
        }
        loop {
            if !self.is_held {
                return simulation.run(limit, progress);
            }
            match self.await_order(simulation, limit, progress)? {
                Some(Outcome::Paused) => {}
                Some(outcome) => return Ok(outcome),
                None => return self.end_early(simulation),
            }
        }
    }

    // Executes one order of the client: `Paused` if the run is stopped, `None` if it is to end.
    fn await_order(
        &mut self,
        simulation: &mut Simulation,
        limit: &Limit,
        progress: &mut dyn FnMut(Progress) -> Control,
    ) -> Result<Option<Outcome>, String> {
        let order = loop {
            match self.connection.receive(&mut Held(&mut self.machine, simulation)) {
                ClientMessage::Order(order) => break order,
                ClientMessage::Nothing => {
                    if progress(Progress { now: simulation.now(), limit: limit.time }) == Control::Stop {
                        return Ok(None);
                    }
                }
                ClientMessage::Gone { is_killed } => {
                    self.is_held = false;
                    self.machine.detach(simulation)?;
                    return Ok((!is_killed).then_some(Outcome::Paused));
                }
            }
        };
        let machine = &mut self.machine;
        let now = machine.now(simulation);
        let fault = self.fault.take().filter(|(time, _)| *time == now);
        let reason = match (&order, fault) {
            (Order::Back(actions), _) => machine.reverse(simulation, actions)?,
            (Order::Forward(_), Some((_, outcome))) => {
                self.connection.orders.order = Some(order);
                return Ok(Some(outcome));
            }
            (Order::Forward(actions), None) => {
                let connection = &self.connection;
                let mut asked = false;
                let mut look = |at: Progress| {
                    asked = connection.is_interrupted();
                    if asked { Control::Stop } else { progress(at) }
                };
                match machine.resume(simulation, actions, limit, &mut look)? {
                    Ok(reason) => reason,
                    Err(Outcome::Interrupted) if asked => StopReason::Requested,
                    Err(outcome) => {
                        let Some(core) = machine.core_at_fault(simulation, &outcome) else {
                            // The client still waits: the next run continues with its order.
                            self.connection.orders.order = Some(order);
                            return Ok(Some(outcome));
                        };
                        self.fault = Some((simulation.now(), outcome));
                        StopReason::Fault { core }
                    }
                }
            }
        };
        self.connection.report(reason, self.machine.points.data.clone());
        Ok(Some(Outcome::Paused))
    }

    fn end_early(&mut self, simulation: &mut Simulation) -> Result<Outcome, String> {
        self.machine.detach(simulation)?;
        Ok(Outcome::Interrupted)
    }

    /// Tells the client that the run has ended, with an exit code. Says why the connection broke, if it did.
    pub fn finish(&mut self, simulation: &mut Simulation, code: u8) -> Option<String> {
        self.connection.finish(&mut Held(&mut self.machine, simulation), code)
    }
}
