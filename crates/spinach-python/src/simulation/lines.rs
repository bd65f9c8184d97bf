//! Line traces of a simulation.

use std::io::{BufWriter, stdout};

use pyo3::prelude::*;
use spinach_engine::Time;
use spinach_observe::lines::LineTrace;
use spinach_python_macros::guarded;

use super::{Simulation, Watcher, module_id};
use crate::errors::spinach_error;

#[guarded]
#[pymethods]
impl Simulation {
    /// Writes from now on, and from `start` femtoseconds on, a line to standard output for each cycle of each module.
    fn trace_lines(&self, py: Python<'_>, modules: Vec<usize>, start: u64) -> PyResult<LineTraceFile> {
        let mut engine = self.engine()?;
        let ids = modules.iter().map(|index| module_id(py, &engine, *index));
        let ids = ids.collect::<PyResult<Vec<_>>>()?;
        let output = Box::new(BufWriter::new(stdout()));
        let lines = LineTrace::new(output, ids, Time::from_femtoseconds(start), engine.netlist());
        self.watch(&mut engine, Watcher::Lines(lines.clone()));
        Ok(LineTraceFile(lines))
    }
}

/// A line trace that is being written.
#[pyclass(frozen, module = "spinach_nic._native")]
pub(crate) struct LineTraceFile(LineTrace);

#[guarded]
#[pymethods]
impl LineTraceFile {
    /// Writes the rest; a second call does nothing.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        let finished = py.detach(|| self.0.finish());
        finished.map_err(|error| {
            spinach_error(
                py,
                format!("cannot write the line trace: {error}"),
                "send standard output elsewhere",
            )
        })
    }
}
