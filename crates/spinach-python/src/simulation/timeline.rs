//! Timelines of a simulation.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pyo3::prelude::*;
use spinach_analysis::image::Image;
use spinach_analysis::trace::TaskTracker;
use spinach_observe::timeline::{Timeline, Watched, journeys_of};
use spinach_python_macros::guarded;

use super::{Simulation, Watcher, module_id};
use crate::analysis::refused;
use crate::errors::spinach_error;

/// The cores by name and number, the image that they execute, and by function the task that it begins.
type Cores = (Vec<(String, usize)>, PathBuf, BTreeMap<String, String>);
/// Name, begin and duration in nanoseconds, stages with their durations.
type Journey = (String, u64, u64, Vec<(String, u64)>);

#[guarded]
#[pymethods]
impl Simulation {
    /// Writes from now on a timeline in Perfetto's format: the execution of `cores`, the activity of `blocks`, the traffic of
    /// `memories` by their counting modules, and the journeys of frames. Takes the place of an earlier trace.
    #[pyo3(signature = (path, cores, blocks, memories))]
    fn timeline(
        &self,
        py: Python<'_>,
        path: PathBuf,
        cores: Option<Cores>,
        blocks: Vec<(String, usize)>,
        memories: Vec<(String, Vec<usize>)>,
    ) -> PyResult<TimelineFile> {
        let mut engine = self.engine()?;
        let id = |index| module_id(py, &engine, index);
        let named = |modules: Vec<(String, usize)>| {
            modules.into_iter().map(|(name, index)| Ok((name, id(index)?))).collect::<PyResult<Vec<_>>>()
        };
        let cores = match cores {
            None => None,
            Some((cores, image, tasks)) => {
                let image = Image::load(&image).map_err(|error| refused(py, error))?;
                let tasks = TaskTracker::new(&image, &tasks).map_err(|error| refused(py, error))?;
                Some((named(cores)?, tasks))
            }
        };
        let memories = memories.into_iter().map(|(name, modules)| {
            let modules = modules.into_iter().map(id).collect::<PyResult<Vec<_>>>()?;
            Ok((name, modules))
        });
        let has_cores = cores.is_some();
        let watched = Watched { cores, blocks: named(blocks)?, memories: memories.collect::<PyResult<_>>()? };
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
