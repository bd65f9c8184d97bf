//! Issue limits of traces.

use std::num::NonZeroU32;
use std::path::PathBuf;

use pyo3::prelude::*;
use spinach_analysis::issue_limits::{Configuration, issue_limits as find_limits};
use spinach_analysis::trace::{Filter, TraceReader};
use spinach_python_macros::guarded;

use super::{from_json, refused, to_json};

/// The configurations of `hpca05-nic`, table 2, for some widths, as JSON.
#[guarded]
#[pyfunction]
pub(crate) fn issue_limit_table(py: Python<'_>, widths: Vec<NonZeroU32>) -> PyResult<String> {
    to_json(py, &Configuration::table_2(&widths))
}

/// The limits of a trace, as JSON, in the order of the configurations.
#[guarded]
#[pyfunction]
pub(crate) fn issue_limits(
    py: Python<'_>,
    trace: PathBuf,
    filter: &str,
    configurations: &str,
) -> PyResult<String> {
    let filter: Filter = from_json(py, "filter", filter)?;
    let configurations: Vec<Configuration> = from_json(py, "configurations", configurations)?;
    let limits = py.detach(|| {
        let mut reader = TraceReader::open(&trace)?;
        let mips = reader.mips()?;
        find_limits(&mut reader, &filter, &mips, &configurations)
    });
    to_json(py, &limits.map_err(|error| refused(py, error))?)
}
