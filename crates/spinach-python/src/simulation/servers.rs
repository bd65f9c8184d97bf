//! Harts of servers that are modules of a simulation.

use pyo3::prelude::*;
use spinach_modules::host::Server;
use spinach_observe::timeline::RecordedServer;
use spinach_python_macros::guarded;
use spinach_server::machine::Machine;

use super::timeline::TimelineFile;
use super::{Simulation, module_id};
use crate::errors::spinach_error;
use crate::server::timeline::{CategoryNames, NamedFunction, begins_of, categories_of, names_of};
use crate::server::{HartProfile, hart_profiles, pace_of};

#[guarded]
#[pymethods]
impl Simulation {
    /// Starts or stops the profile of the harts of the module `server`.
    fn set_profiled(&self, py: Python<'_>, server: usize, is_profiled: bool) -> PyResult<()> {
        self.with_machine(py, server, |machine| machine.set_profiled(is_profiled))
    }

    /// Profile of each hart of the module `server`, as [`crate::server::Server::profiles`].
    fn profiles(&self, py: Python<'_>, server: usize) -> PyResult<Vec<HartProfile>> {
        self.with_machine(py, server, hart_profiles)
    }

    /// Sets the pace of the harts of the module `server`, as [`crate::server::Server::set_pace`].
    fn set_pace(&self, py: Python<'_>, server: usize, pace: Option<(f64, f64)>) -> PyResult<()> {
        self.with_machine(py, server, |machine| machine.set_pace(pace_of(pace)))
    }

    /// Records the activity of the harts of the module `server` from now on for a number of picoseconds. Functions have an address, a
    /// name and a category.
    fn record_harts(
        &self,
        py: Python<'_>,
        server: usize,
        length_ps: u64,
        functions: Vec<NamedFunction>,
    ) -> PyResult<()> {
        let begins = begins_of(&functions);
        self.with_machine(py, server, |machine| {
            let clock = machine.clock();
            let end = clock.picoseconds(machine.time()).saturating_add(length_ps);
            machine.keep_history(&(machine.time()..clock.cycle_from(end)), &begins);
        })
    }

    /// Adds rows for the recorded harts of the module `server`, which is the `number`-th, to a timeline that is not finished.
    fn add_harts(
        &self,
        py: Python<'_>,
        timeline: &TimelineFile,
        server: usize,
        number: usize,
        functions: Vec<NamedFunction>,
        categories: CategoryNames,
    ) -> PyResult<()> {
        let (names, categories) = (names_of(functions), categories_of(categories));
        self.with_machine(py, server, |machine| {
            let until = machine.ended().map_or(machine.time(), |(_, time)| time);
            let recorded = RecordedServer { clock: machine.clock(), histories: machine.histories(), until };
            timeline.0.add_server(&recorded, number, &names, &categories);
        })
    }
}

impl Simulation {
    fn with_machine<R>(
        &self,
        py: Python<'_>,
        server: usize,
        act: impl FnOnce(&mut Machine) -> R,
    ) -> PyResult<R> {
        let mut engine = self.engine()?;
        let server = module_id(py, &engine, server)?;
        Server::with_machine(&mut engine, server, act).ok_or_else(|| {
            spinach_error(py, "this module is not a server".to_owned(), "name a module of the kind `server`")
        })
    }
}
