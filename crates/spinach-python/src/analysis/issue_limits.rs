//! Issue limits of traces.

use std::num::NonZeroU32;
use std::path::PathBuf;

use pyo3::prelude::*;
use spinach_analysis::issue_limits::{Configuration, IssueLimit, issue_limits as find_limits};
use spinach_analysis::trace::{Filter, TraceError, TraceReader};
use spinach_isa::architecture::Architecture;
use spinach_isa::registered::{Visitor, visit};
use spinach_python_macros::guarded;

use super::interruption::open_instructions;
use super::{from_json, refused, to_json};

/// The configurations of HPCA 2005, table 2, for some widths, as JSON.
#[guarded]
#[pyfunction]
pub(crate) fn issue_limit_table(py: Python<'_>, widths: Vec<NonZeroU32>) -> PyResult<String> {
    to_json(py, &Configuration::table_2(&widths))
}

struct Study<'a> {
    reader: &'a mut TraceReader,
    filter: &'a Filter,
    configurations: &'a [Configuration],
}

impl Visitor for Study<'_> {
    type Output = Result<Vec<IssueLimit>, TraceError>;

    fn visit<A: Architecture>(self) -> Self::Output {
        let architecture: A = self.reader.architecture()?;
        find_limits(self.reader, self.filter, &architecture, self.configurations)
    }
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
        let mut reader = open_instructions(&trace)?;
        let name = reader.header().instruction_set.clone();
        let study = Study { reader: &mut reader, filter: &filter, configurations: &configurations };
        let problem = format!("no instruction set is called {name}");
        visit(&name, study).unwrap_or_else(|| Err(TraceError::Foreign { path: trace.clone(), problem }))
    });
    to_json(py, &limits.map_err(|error| refused(py, error))?)
}
