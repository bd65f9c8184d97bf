//! Traces of a simulation that are being written.

use pyo3::prelude::*;
use spinach_observe::trace_writer;
use spinach_python_macros::guarded;

use crate::analysis::refused;

/// An instruction trace and an access trace that are being written.
#[pyclass(frozen, module = "spinach_nic._native")]
pub(crate) struct TraceFiles(pub(crate) trace_writer::TraceFiles);

#[guarded]
#[pymethods]
impl TraceFiles {
    /// Completes both files; returns how many instructions and accesses they hold, or `None` if called again.
    fn finish(&self, py: Python<'_>) -> PyResult<Option<(u64, u64)>> {
        let rows = py.detach(|| self.0.finish()).map_err(|error| refused(py, error))?;
        Ok(rows.map(|rows| (rows.instructions, rows.accesses)))
    }
}
