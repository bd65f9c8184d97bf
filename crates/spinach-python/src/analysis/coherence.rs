//! Coherent caches driven by traces.

use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use spinach_analysis::coherence::{AccessSource, CoherenceError, Configuration, Report, Study, study};
use spinach_analysis::trace::{AccessReader, Filter, TraceReader};
use spinach_isa::mips::Mips;
use spinach_python_macros::guarded;

use super::{from_json, refused, to_json};

/// Simulates systems of caches; gives a report for each as JSON.
#[guarded]
#[pyfunction]
pub(crate) fn simulate_caches(
    py: Python<'_>,
    instruction_traces: Vec<PathBuf>,
    access_traces: Vec<PathBuf>,
    filter: &str,
    caches: &str,
    configurations: &str,
) -> PyResult<String> {
    let filter: Filter = from_json(py, "filter", filter)?;
    let caches: Study = from_json(py, "caches", caches)?;
    let configurations: Vec<Configuration> = from_json(py, "configurations", configurations)?;
    let reports =
        py.detach(|| simulate(&instruction_traces, &access_traces, &filter, &caches, &configurations));
    to_json(py, &reports.map_err(|error| refused(py, error))?)
}

fn simulate(
    instruction_traces: &[PathBuf],
    access_traces: &[PathBuf],
    filter: &Filter,
    caches: &Study,
    configurations: &[Configuration],
) -> Result<Vec<Report>, CoherenceError> {
    let instructions =
        |path: &PathBuf| Ok(AccessSource::Instructions(TraceReader::open(path)?, filter.clone()));
    let accesses = |path: &PathBuf| Ok(AccessSource::Accesses(AccessReader::open(path)?));
    let sources = instruction_traces.iter().map(instructions).chain(access_traces.iter().map(accesses));
    let sources = sources.collect::<Result<Vec<_>, CoherenceError>>()?;
    let mips = instruction_traces.first().map_or(Ok(Mips::default()), |path| mips_of(path))?;
    study(sources, caches, configurations, &mips)
}

fn mips_of(path: &Path) -> Result<Mips, CoherenceError> {
    Ok(TraceReader::open(path)?.mips()?)
}
