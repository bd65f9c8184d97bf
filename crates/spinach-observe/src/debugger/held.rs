//! A system of modules that is stopped by a client.

use spinach_engine::Simulation;
use spinach_modules::processor::debugging::View;

use super::debugged::{Debugged, Points, Register};
use super::machine::Machine;
use super::monitor;

/// A machine with the simulation that it is part of.
pub(super) struct Held<'a>(pub &'a mut Machine, pub &'a mut Simulation);

impl Debugged for Held<'_> {
    fn view(&mut self, core: usize) -> Result<Option<View>, String> {
        Ok(self.0.views(self.1)?.get(core).cloned())
    }

    fn set(&mut self, core: usize, changes: &[(Register, u64)]) -> Result<bool, String> {
        self.0.set(self.1, core, changes)
    }

    fn read(&mut self, core: usize, address: u64, bytes: &mut [u8]) -> Result<Option<()>, String> {
        self.0.read(self.1, core, address, bytes)
    }

    fn write(&mut self, core: usize, address: u64, bytes: &[u8]) -> Result<Option<()>, String> {
        self.0.write(self.1, core, address, bytes)
    }

    fn begin(&mut self) -> Result<(), String> {
        self.0.begin(self.1)
    }

    fn points(&mut self) -> &mut Points {
        &mut self.0.points
    }

    fn answer(&mut self, command: &str) -> String {
        monitor::answer(command, self.0, self.1)
    }
}
