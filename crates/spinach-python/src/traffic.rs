//! The frames of a plan of traffic, as sources send them.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use spinach_modules::traffic::plan::TrafficPlan;
use spinach_python_macros::guarded;

use crate::errors::spinach_error;

/// The frames `first` to `first + count` of a plan, without frame check sequence; `frames` are those of its captures.
#[guarded]
#[pyfunction]
pub(crate) fn traffic_frames<'py>(
    py: Python<'py>,
    description: &str,
    frames: &[u8],
    seed: u64,
    first: u64,
    count: u64,
) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    let plan = TrafficPlan::new(description, frames, seed, u64::MAX)
        .map_err(|error| spinach_error(py, error, "see spinach_nic.traffic for what a plan may hold"))?;
    let end = first.saturating_add(count).min(plan.count());
    let mut frame = Vec::new();
    let build = |index| {
        plan.build(index, &mut frame);
        PyBytes::new(py, &frame)
    };
    Ok((first..end).map(build).collect())
}
