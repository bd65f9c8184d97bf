//! Waveforms of a simulation.

use std::path::PathBuf;

use pyo3::prelude::*;
use spinach_engine::Time;
use spinach_observe::waves::Waves;
use spinach_python_macros::guarded;

use super::{Simulation, Watcher, channel_id};
use crate::errors::spinach_error;

#[guarded]
#[pymethods]
impl Simulation {
    /// Writes from now on, and from `start` femtoseconds on, what channels hold in every cycle, in the format FST.
    fn waves(&self, py: Python<'_>, path: PathBuf, channels: Vec<usize>, start: u64) -> PyResult<WaveFile> {
        let mut engine = self.engine()?;
        let ids = channels.iter().map(|index| channel_id(py, &engine, *index));
        let ids = ids.collect::<PyResult<Vec<_>>>()?;
        let waves = Waves::create(&path, &ids, Time::from_femtoseconds(start), engine.netlist());
        let waves = waves.map_err(|error| unwritten(py, &error))?;
        self.watch(&mut engine, Watcher::Waves(waves.clone()));
        Ok(WaveFile(waves))
    }

    /// The names of the channels' outputs, as waveforms call them.
    fn output_names(&self) -> PyResult<Vec<String>> {
        let engine = self.engine()?;
        let netlist = engine.netlist();
        Ok(netlist.channels.values().map(|channel| netlist.terminal_name(channel.from)).collect())
    }
}

fn unwritten(py: Python<'_>, error: &std::io::Error) -> PyErr {
    spinach_error(py, format!("the waveforms cannot be written: {error}"), "name another file")
}

/// Waveforms that are being written.
#[pyclass(frozen, module = "spinach_nic._native")]
pub(crate) struct WaveFile(Waves);

#[guarded]
#[pymethods]
impl WaveFile {
    /// Completes the file; a second call does nothing.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.0.finish()).map_err(|error| unwritten(py, &error))
    }
}
