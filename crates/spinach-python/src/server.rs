//! Servers that boot an operating system.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use spinach_host::boot::Start;
use spinach_host::machine::{Configuration, End, Machine, Outcome};
use spinach_python_macros::guarded;

use crate::errors::spinach_error;

/// A server.
#[pyclass(frozen, module = "spinach_nic._native")]
pub(crate) struct Server(Mutex<Machine>);

impl Server {
    fn machine(&self) -> MutexGuard<'_, Machine> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn configured(harts: usize, memory_bytes: u64) -> Configuration {
    Configuration { harts, memory_bytes, ..Configuration::default() }
}

#[guarded]
#[pymethods]
impl Server {
    /// One that is about to start a kernel, the content of a file called `name`, with an archive of its first files.
    #[staticmethod]
    fn boot(
        py: Python<'_>,
        name: &str,
        kernel: Vec<u8>,
        files: Vec<u8>,
        arguments: &str,
        harts: usize,
        memory_bytes: u64,
    ) -> PyResult<Self> {
        let start = Start { name, kernel, files: &files, arguments };
        let machine = Machine::booting(&configured(harts, memory_bytes), &start)
            .map_err(|error| spinach_error(py, error.to_string(), error.help()))?;
        Ok(Self(Mutex::new(machine)))
    }

    /// One that goes on from a checkpoint, the content of a file called `name`, which must be of this size.
    #[staticmethod]
    fn restore(
        py: Python<'_>,
        name: &str,
        content: Vec<u8>,
        harts: usize,
        memory_bytes: u64,
    ) -> PyResult<Self> {
        let expected = configured(harts, memory_bytes);
        let machine = py.detach(|| Machine::restore(&content, Some(&expected))).map_err(|error| {
            let message = format!("cannot go on from {name}: {error}");
            spinach_error(py, message, "boot again, and save a checkpoint there")
        })?;
        Ok(Self(Mutex::new(machine)))
    }

    /// A checkpoint.
    fn save<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let content = py.detach(|| self.machine().save());
        PyBytes::new(py, &content)
    }

    /// Runs for so many cycles; "time" when these are over, "idle" if nothing was executed in them, "off" or "failed" if it ended.
    fn run(&self, py: Python<'_>, cycles: u64) -> &'static str {
        match py.detach(|| self.machine().run(cycles)) {
            Outcome::Time => "time",
            Outcome::Idle => "idle",
            Outcome::Ended(End::PoweredOff) => "off",
            Outcome::Ended(End::Failed) => "failed",
        }
    }

    /// Takes what was printed on the console.
    fn take_output<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let output = std::mem::take(&mut self.machine().board.console.output);
        PyBytes::new(py, &output)
    }

    /// Types characters on the console.
    fn type_in(&self, characters: Vec<u8>) {
        self.machine().board.console.input.extend(characters);
    }

    /// How many typed characters were not read yet.
    fn unread(&self) -> usize {
        self.machine().board.console.input.len()
    }

    /// Instructions that all harts have executed.
    fn instructions(&self) -> u64 {
        self.machine().instructions()
    }

    /// Cycles since the start, and how many of these are a second.
    fn time(&self) -> (u64, u64) {
        let machine = self.machine();
        let configuration = machine.configuration();
        (machine.time(), configuration.ticks_per_s * configuration.cycles_per_tick)
    }
}
