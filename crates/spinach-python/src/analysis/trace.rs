//! TraceRequest traces.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pyo3::prelude::*;
use serde::Serialize;
use spinach_analysis::image::Image;
use spinach_analysis::trace::{
    AccessReader, InstructionHeader, TaskTracker, TraceReader, TraceRequest, record,
};
use spinach_python_macros::guarded;

use super::{refused, to_json};

#[derive(Serialize)]
struct Description<'reader> {
    instructions: u64,
    is_timed: bool,
    is_complete: bool,
    #[serde(flatten)]
    header: &'reader InstructionHeader,
}

/// Header of an instruction trace, as JSON.
#[guarded]
#[pyfunction]
pub(crate) fn describe_trace(py: Python<'_>, trace: PathBuf) -> PyResult<String> {
    let reader = TraceReader::open(&trace).map_err(|error| refused(py, error))?;
    let (instructions, is_timed) = (reader.instruction_count(), reader.is_timed());
    let is_complete = reader.is_complete();
    to_json(py, &Description { instructions, is_timed, is_complete, header: reader.header() })
}

#[derive(Serialize)]
struct AccessDescription<'reader> {
    accesses: u64,
    is_timed: bool,
    is_complete: bool,
    agents: &'reader [String],
}

/// Header of an access trace, as JSON.
#[guarded]
#[pyfunction]
pub(crate) fn describe_access_trace(py: Python<'_>, trace: PathBuf) -> PyResult<String> {
    let reader = AccessReader::open(&trace).map_err(|error| refused(py, error))?;
    let (accesses, is_timed) = (reader.access_count(), reader.is_timed());
    let is_complete = reader.is_complete();
    to_json(py, &AccessDescription { accesses, is_timed, is_complete, agents: reader.agents() })
}

/// Runs an image on the reference interpreter and writes its trace; gives the number of instructions.
#[guarded]
#[pyfunction]
pub(crate) fn record_trace(
    py: Python<'_>,
    image: PathBuf,
    trace: PathBuf,
    memory: (u64, u32),
    extensions: Vec<String>,
    tasks: BTreeMap<String, String>,
    instructions_maximum: u64,
) -> PyResult<u64> {
    let image = Image::load(&image).map_err(|error| refused(py, error))?;
    let tasks = TaskTracker::new(&image, &tasks).map_err(|error| refused(py, error))?;
    let (memory_base, memory_bytes) = memory;
    let recording = TraceRequest { extensions, memory_base, memory_bytes, instructions_maximum };
    py.detach(|| record(&image, &recording, tasks, &trace)).map_err(|error| refused(py, error))
}
