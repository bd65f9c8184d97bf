//! Coherent caches driven by traces.

use std::path::PathBuf;

use pyo3::prelude::*;
use spinach_analysis::coherence::{AccessSource, CoherenceError, Configuration, Report, Study, study};
use spinach_analysis::trace::{Filter, TraceError, TraceReader};
use spinach_isa::architecture::Architecture;
use spinach_isa::registered::{NAMES, Visitor, visit};
use spinach_python_macros::guarded;

use super::interruption::{open_accesses, open_instructions};
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
        |path: &PathBuf| Ok(AccessSource::Instructions(open_instructions(path)?, filter.clone()));
    let accesses = |path: &PathBuf| Ok(AccessSource::Accesses(open_accesses(path)?));
    let sources = instruction_traces.iter().map(instructions).chain(access_traces.iter().map(accesses));
    let sources = sources.collect::<Result<Vec<_>, CoherenceError>>()?;
    let name = match instruction_traces.first() {
        Some(path) => TraceReader::open(path)?.header().instruction_set.clone(),
        None => NAMES[0].to_owned(),
    };
    let path = instruction_traces.first().cloned().unwrap_or_default();
    let problem = format!("no instruction set is called {name}");
    let simulation = Simulation { sources, instruction_traces, caches, configurations };
    visit(&name, simulation).unwrap_or_else(|| Err(TraceError::Foreign { path, problem }.into()))
}

struct Simulation<'a> {
    sources: Vec<AccessSource>,
    instruction_traces: &'a [PathBuf],
    caches: &'a Study,
    configurations: &'a [Configuration],
}

impl Visitor for Simulation<'_> {
    type Output = Result<Vec<Report>, CoherenceError>;

    fn visit<A: Architecture>(self) -> Self::Output {
        let Self { sources, instruction_traces, caches, configurations } = self;
        let architecture: A = match instruction_traces.first() {
            Some(path) => TraceReader::open(path)?.architecture()?,
            None => A::default(),
        };
        study(sources, caches, configurations, &architecture)
    }
}
