//! Runs connected to the world outside.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use pyo3::prelude::*;
use spinach_live::face;
use spinach_live::recording::{self, RecordingWriter, Sort};
use spinach_live::{Entrance, Input};
use spinach_python_macros::guarded;

use crate::errors::spinach_error;
use crate::simulation::{Simulation, limit_of, module_id};

/// Entrance, by its name: the name of the device, the modules that send arriving frames, that expect them, and that give
/// departing frames, and the bytes of the longest arriving frame.
pub(crate) type Described = (String, String, usize, usize, usize, usize);

/// Run that lets frames in and out while it continues.
#[pyclass(frozen, module = "spinach_nic._native")]
pub(crate) struct Live(Mutex<spinach_live::Live>);

/// Input from outside during a run.
#[pyclass(frozen, module = "spinach_nic._native")]
pub(crate) struct Recording(pub(crate) recording::Recording);

#[guarded]
#[pymethods]
impl Recording {
    /// Reads a recording.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let found = recording::Recording::read(&path).map_err(|error| {
            let message = format!("cannot replay {}: {error}", path.display());
            spinach_error(py, message, "give a file that a run wrote with --record")
        })?;
        Ok(Self(found))
    }

    /// The names of its entrances.
    #[getter]
    fn entrances(&self) -> Vec<String> {
        self.0.entrances.clone()
    }

    /// Configuration of the run, as JSON.
    #[getter]
    fn made_with(&self) -> &str {
        &self.0.made_with
    }

    /// End of the run in femtoseconds, and its outcome as JSON; absent if the recording is cut off.
    #[getter]
    fn ending(&self) -> Option<(u64, &str)> {
        self.0.ending.as_ref().map(|(time, ending)| (time.femtoseconds(), ending.as_str()))
    }

    /// Arrival of the last frame, in femtoseconds; absent without frames.
    #[getter]
    fn last(&self) -> Option<u64> {
        self.0.arrivals.back().map(|arrival| arrival.time.femtoseconds())
    }

    /// Arrivals of all frames in order, in femtoseconds.
    fn arrivals(&self) -> Vec<u64> {
        self.0.arrivals.iter().map(|arrival| arrival.time.femtoseconds()).collect()
    }
}

#[guarded]
#[pymethods]
impl Live {
    /// Opens the devices of entrances; `record` is a file for what comes in, made with `made_with`, which is JSON.
    #[staticmethod]
    #[pyo3(signature = (simulation, entrances, record=None, made_with=""))]
    fn open(
        py: Python<'_>,
        simulation: &Simulation,
        entrances: Vec<Described>,
        record: Option<PathBuf>,
        made_with: &str,
    ) -> PyResult<Self> {
        let names: Vec<_> = entrances.iter().map(|(name, ..)| (name.clone(), Sort::Frames)).collect();
        let names: Vec<_> = names.iter().map(|(name, sort)| (name.as_str(), *sort)).collect();
        let mut opened = Vec::new();
        for described in &entrances {
            let mut entrance = entrance(py, simulation, described)?;
            let face = face::open(&entrance.device);
            entrance.face = Some(face.map_err(|error| spinach_error(py, error.message, error.help))?);
            opened.push(entrance);
        }
        let recorder = record.map(|path| begin_recording(py, &path, &names, made_with)).transpose()?;
        Ok(Self(Mutex::new(spinach_live::Live::new(opened, Input::Faces(recorder)))))
    }

    /// Injects the input of a recording, at the same instants.
    #[staticmethod]
    fn replay(
        py: Python<'_>,
        simulation: &Simulation,
        entrances: Vec<Described>,
        recording: &Recording,
    ) -> PyResult<Self> {
        let entrances = entrances.iter().map(|described| entrance(py, simulation, described));
        let entrances = entrances.collect::<PyResult<Vec<_>>>()?;
        let input = Input::Recording(recording.0.arrivals.clone());
        Ok(Self(Mutex::new(spinach_live::Live::new(entrances, input))))
    }

    /// Runs as `Simulation.run` does.
    fn run(
        &self,
        py: Python<'_>,
        simulation: &Simulation,
        until: u64,
        counters: Vec<(String, String, u64)>,
    ) -> PyResult<(&'static str, String)> {
        let limit = limit_of(until, counters);
        simulation
            .run_by(py, &limit, None, |engine, limit, progress| self.live().run(engine, limit, progress))
    }

    /// Lag of simulated time behind wall time, in nanoseconds.
    fn behind_ns(&self, simulation: &Simulation) -> PyResult<u128> {
        Ok(self.live().behind(simulation.engine()?.now()).as_nanos())
    }

    /// Sends the remaining messages of the simulation; returns the traffic of the entrances as JSON.
    fn finish(&self, py: Python<'_>, simulation: &Simulation) -> PyResult<String> {
        let summary = self.live().finish(&mut *simulation.engine()?);
        let summary = summary.map_err(|reason| spinach_error(py, reason, "give it a device that stays"))?;
        serde_json::to_string(&summary)
            .map_err(|error| spinach_error(py, error.to_string(), "please report this"))
    }

    /// Completes the recording, if there is one; `ending` is JSON.
    fn end_recording(&self, py: Python<'_>, simulation: &Simulation, ending: &str) -> PyResult<()> {
        let time = simulation.engine()?.now();
        let ended = self.live().end_recording(time, ending);
        ended.map_err(|error| unwritten(py, &error))
    }
}

impl Live {
    fn live(&self) -> std::sync::MutexGuard<'_, spinach_live::Live> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

pub(crate) fn entrance(py: Python<'_>, simulation: &Simulation, described: &Described) -> PyResult<Entrance> {
    let (name, device, source, sink, exit, longest) = described;
    let engine = simulation.engine()?;
    Ok(Entrance {
        name: name.clone(),
        device: device.clone(),
        face: None,
        source: module_id(py, &engine, *source)?,
        sink: module_id(py, &engine, *sink)?,
        exit: module_id(py, &engine, *exit)?,
        longest: *longest,
    })
}

pub(crate) fn begin_recording(
    py: Python<'_>,
    path: &Path,
    entrances: &[(&str, Sort)],
    made_with: &str,
) -> PyResult<RecordingWriter> {
    RecordingWriter::create(path, entrances, made_with).map_err(|error| {
        let message = format!("cannot write the recording {}: {error}", path.display());
        spinach_error(py, message, "name another file")
    })
}

pub(crate) fn unwritten(py: Python<'_>, error: &io::Error) -> PyErr {
    spinach_error(py, format!("the recording could not be written: {error}"), "name another file")
}
