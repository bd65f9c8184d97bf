//! A debugger's client holds a run.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use spinach_engine::{ModuleId, Outcome};
use spinach_observe::debugger::{self, ModuleOutcome};
use spinach_python_macros::guarded;

use crate::errors::spinach_error;
use crate::simulation::{Simulation, limit_of, module_id};

/// Name, first address, modules, interleaving, whether words are reversed, the core that alone sees it, offset of the first byte in the
/// contents of the modules, and size in bytes, or nothing for the rest.
type Memory = (String, Option<u64>, Vec<usize>, u64, bool, Option<usize>, u64, Option<u64>);

/// A debugger of a simulation.
#[pyclass(frozen, module = "spinach_nic._native")]
pub(crate) struct Debugger(Mutex<debugger::Debugger>);

#[guarded]
#[pymethods]
impl Debugger {
    /// Waits at `address`, as `127.0.0.1:1234`, for a client that debugs the modules `cores`; `caches` are their caches of data, in the
    /// same order, or nothing.
    #[staticmethod]
    fn listen(
        py: Python<'_>,
        simulation: &Simulation,
        cores: Vec<usize>,
        memories: Vec<Memory>,
        caches: Vec<usize>,
        address: &str,
        can_go_back: bool,
    ) -> PyResult<Self> {
        let mut engine = simulation.engine()?;
        let modules = |indices: Vec<usize>| {
            indices.into_iter().map(|index| module_id(py, &engine, index)).collect::<PyResult<Vec<_>>>()
        };
        let cores = modules(cores)?;
        let caches = modules(caches)?;
        let memories = memories.into_iter().map(|memory| {
            let (name, base, banks, interleave, reverses_words, core, start, size) = memory;
            let banks = modules(banks)?;
            Ok(debugger::MappedMemory { name, base, banks, interleave, reverses_words, core, start, size })
        });
        let memories = memories.collect::<PyResult<Vec<_>>>()?;
        let listening =
            debugger::Debugger::listen(&mut engine, cores, memories, caches, address, can_go_back);
        let listening = listening.map_err(|reason| {
            let help = "debug functional or pipelined cores, at an address of this machine that is free";
            spinach_error(py, format!("cannot wait for a debugger: {reason}"), help)
        })?;
        Ok(Self(Mutex::new(listening)))
    }

    /// Listening address.
    fn address(&self) -> String {
        self.debugger().address().to_string()
    }

    /// Runs as `Simulation.run` does, except that the client may hold the run.
    fn run(
        &self,
        py: Python<'_>,
        simulation: &Simulation,
        until: u64,
        counters: Vec<(String, String, u64)>,
    ) -> PyResult<(&'static str, String)> {
        let limit = limit_of(until, counters);
        simulation
            .run_by(py, &limit, None, |engine, limit, progress| self.debugger().run(engine, limit, progress))
    }

    /// Reports the end of the run to the client; returns the reason if the connection broke.
    fn finish(&self, py: Python<'_>, simulation: &Simulation, code: u8) -> PyResult<Option<String>> {
        let mut engine = simulation.engine()?;
        let engine = &mut *engine;
        Ok(py.detach(|| self.debugger().finish(engine, code)))
    }
}

impl Debugger {
    fn debugger(&self) -> MutexGuard<'_, debugger::Debugger> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A debugger of a server in a simulation.
#[pyclass(frozen, module = "spinach_nic._native")]
pub(crate) struct ServerDebugger {
    native: Mutex<debugger::ServerDebugger>,
    server: ModuleId,
}

#[guarded]
#[pymethods]
impl ServerDebugger {
    /// Waits at `address`, as `127.0.0.1:1234`, for a client that debugs the harts of the module `server`.
    #[staticmethod]
    fn listen(py: Python<'_>, simulation: &Simulation, server: usize, address: &str) -> PyResult<Self> {
        let mut engine = simulation.engine()?;
        let server = module_id(py, &engine, server)?;
        let native = debugger::ServerDebugger::listen_for(&mut engine, server, address);
        let native = native.map_err(|reason| {
            let help = "debug a server, at an address of this machine that is free";
            spinach_error(py, format!("cannot wait for a debugger: {reason}"), help)
        })?;
        Ok(Self { native: Mutex::new(native), server })
    }

    /// Listening address.
    fn address(&self) -> String {
        self.native().address().to_string()
    }

    /// Runs as `Simulation.run` does; "held" without any time if the client holds the server or is awaited, "killed" if it has ended
    /// the run.
    fn run(&self, py: Python<'_>, simulation: &Simulation, until: u64) -> PyResult<(&'static str, String)> {
        let limit = limit_of(until, Vec::new());
        let mut instead = None;
        let outcome = simulation.run_by(py, &limit, None, |engine, limit, progress| {
            let outcome = self.native().run_module(engine, self.server, limit, progress)?;
            instead = match &outcome {
                ModuleOutcome::Ran(_) => None,
                ModuleOutcome::Held => Some("held"),
                ModuleOutcome::Killed => Some("killed"),
            };
            Ok(match outcome {
                ModuleOutcome::Ran(outcome) => outcome,
                ModuleOutcome::Held | ModuleOutcome::Killed => Outcome::Paused,
            })
        })?;
        Ok(instead.map_or(outcome, |instead| (instead, String::new())))
    }

    /// Reports the end of the run to the client; returns the reason if the connection broke.
    fn finish(&self, py: Python<'_>, simulation: &Simulation, code: u8) -> PyResult<Option<String>> {
        let mut engine = simulation.engine()?;
        let engine = &mut *engine;
        Ok(py.detach(|| self.native().finish_module(engine, self.server, code)))
    }
}

impl ServerDebugger {
    fn native(&self) -> MutexGuard<'_, debugger::ServerDebugger> {
        self.native.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
