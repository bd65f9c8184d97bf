//! The machine of a server for observers and debuggers, by [`spinach_engine::Simulation::ask`].

use std::sync::Mutex;

use spinach_engine::Time;
use spinach_server::machine::Machine;

use super::kept::Kept;

/// Request for the machine, or its return.
pub(super) struct Exchange {
    /// The time of the simulation.
    pub(super) now: Time,
    pub(super) machine: Option<Box<Mutex<Machine>>>,
}

impl Exchange {
    /// Takes the machine of a server, or returns it.
    pub(super) fn exchange(&mut self, kept: &mut Kept) {
        let own = std::mem::replace(kept, Kept::Taken);
        match (self.machine.take(), own) {
            (Some(machine), _) => *kept = Kept::Running(machine),
            (None, Kept::Running(machine)) => self.machine = Some(machine),
            (None, own) => *kept = own,
        }
    }
}

/// Question whether the machine of a server is stopped by a debugger; one that continues it first.
#[derive(Default)]
pub(super) struct Continuation {
    pub(super) continues: bool,
    pub(super) is_stopped: bool,
}
