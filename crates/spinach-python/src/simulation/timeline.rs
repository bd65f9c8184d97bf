//! Timelines of a simulation.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pyo3::prelude::*;
use spinach_analysis::image::Image;
use spinach_analysis::trace::TaskTracker;
use spinach_observe::timeline::{Rate, Timeline, Watched, journeys_of};
use spinach_python_macros::guarded;

use super::{Simulation, Watcher, module_id};
use crate::analysis::refused;
use crate::errors::spinach_error;
use crate::trace_files::{Code, mapped};

/// The cores by name and number, the image that they execute, by function the task that it begins, and code without functions.
type Cores = (Vec<(String, usize)>, PathBuf, BTreeMap<String, String>, Vec<Code>);
/// Name, unit, largest value, and counters: each by its module and name, and the seconds times unit that a count is worth.
type GivenRate = (String, String, Option<f64>, Vec<(usize, String, f64)>);
/// Name, begin and duration in nanoseconds, stages with their durations.
type Journey = (String, u64, u64, Vec<(String, u64)>);

#[guarded]
#[pymethods]
impl Simulation {
    /// Writes from now on a timeline in Perfetto's format: the execution of `cores`, the activity of `blocks` and the traffic of
    /// `memories` as counters show them, and the journeys of frames. Takes the place of an earlier trace.
    #[pyo3(signature = (path, cores, blocks, memories))]
    fn timeline(
        &self,
        py: Python<'_>,
        path: PathBuf,
        cores: Option<Cores>,
        blocks: Vec<GivenRate>,
        memories: Vec<GivenRate>,
    ) -> PyResult<TimelineFile> {
        let mut engine = self.engine()?;
        let id = |index| module_id(py, &engine, index);
        let named = |modules: Vec<(String, usize)>| {
            modules.into_iter().map(|(name, index)| Ok((name, id(index)?))).collect::<PyResult<Vec<_>>>()
        };
        let cores = match cores {
            None => None,
            Some((cores, image, tasks, code)) => {
                let image = Image::load(&image).map_err(|error| refused(py, error))?;
                let tasks = TaskTracker::new(&image, &tasks).map_err(|error| refused(py, error))?;
                Some((named(cores)?, tasks.with_code(&mapped(code))))
            }
        };
        let rate = |(name, unit, most, counters): GivenRate| {
            let counters =
                counters.into_iter().map(|(module, counter, worth)| Ok((id(module)?, counter, worth)));
            Ok(Rate { name, unit, most, counters: counters.collect::<PyResult<_>>()? })
        };
        let rates = |given: Vec<GivenRate>| given.into_iter().map(&rate).collect::<PyResult<Vec<_>>>();
        let has_cores = cores.is_some();
        let watched = Watched { cores, blocks: rates(blocks)?, memories: rates(memories)? };
        let timeline = Timeline::create(&path, watched, engine.netlist());
        let timeline = timeline.map_err(|error| unwritten(py, &error))?;
        if has_cores {
            engine.listen(Some(Box::new(timeline.clone())));
        }
        self.watch(&mut engine, Watcher::Timeline(timeline.clone()));
        Ok(TimelineFile(timeline))
    }
}

fn unwritten(py: Python<'_>, error: &std::io::Error) -> PyErr {
    spinach_error(py, format!("the timeline cannot be written: {error}"), "name another file")
}

/// A timeline that is being written.
#[pyclass(frozen, module = "spinach_nic._native")]
pub(crate) struct TimelineFile(pub(super) Timeline);

#[guarded]
#[pymethods]
impl TimelineFile {
    /// Completes the file; returns how many frames it follows, or `None` if called again.
    fn finish(&self, py: Python<'_>) -> PyResult<Option<usize>> {
        py.detach(|| self.0.finish()).map_err(|error| unwritten(py, &error))
    }
}

/// The journeys of frames in a timeline: name, begin and duration in nanoseconds, and the stages with how long each took.
#[guarded]
#[pyfunction]
pub(crate) fn read_journeys(py: Python<'_>, path: PathBuf) -> PyResult<Vec<Journey>> {
    let journeys = py.detach(|| journeys_of(&path)).map_err(|error| {
        let help = "give a file that a run wrote with --timeline";
        spinach_error(py, format!("cannot read {}: {error}", path.display()), help)
    })?;
    let plain = journeys.into_iter();
    Ok(plain.map(|found| (found.name, found.begin_ns, found.duration_ns, found.stages)).collect())
}
