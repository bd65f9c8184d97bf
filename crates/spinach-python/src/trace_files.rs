//! Traces of a simulation that are being written.

use pyo3::prelude::*;
use spinach_analysis::trace::MappedCode;
use spinach_engine::Time;
use spinach_observe::trace_writer;
use spinach_python_macros::guarded;

use crate::analysis::refused;

/// First address of code without functions, one past its last, its name and the task that it begins.
pub(crate) type Code = (u64, u64, String, String);

pub(crate) fn mapped(code: Vec<Code>) -> Vec<MappedCode> {
    code.into_iter()
        .map(|(start, end, name, task)| MappedCode { addresses: start..end, name, task })
        .collect()
}

/// An instruction trace and an access trace that are being written.
#[pyclass(frozen, module = "spinach_nic._native")]
pub(crate) struct TraceFiles(pub(crate) trace_writer::TraceFiles);

#[guarded]
#[pymethods]
impl TraceFiles {
    /// Completes both files at the time `end`, in femtoseconds; returns how many instructions and accesses they hold, or `None` if
    /// called again.
    fn finish(&self, py: Python<'_>, end: u64) -> PyResult<Option<(u64, u64)>> {
        let end = Time::from_femtoseconds(end);
        let rows = py.detach(|| self.0.finish(end)).map_err(|error| refused(py, error))?;
        Ok(rows.map(|rows| (rows.instructions, rows.accesses)))
    }
}
