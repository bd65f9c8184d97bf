//! Waveforms of a simulation.

use std::path::PathBuf;

use pyo3::prelude::*;
use spinach_engine::Time;
use spinach_observe::waves::{StateName, Waves, state_names};
use spinach_python_macros::guarded;

use super::{Simulation, Watcher, channel_id};
use crate::errors::spinach_error;

#[guarded]
#[pymethods]
impl Simulation {
    /// Writes from now on, and from `start` femtoseconds on, the values of channels and states in every cycle, in the format FST.
    /// `states` are places in `state_names`, in rising order.
    fn waves(
        &self,
        py: Python<'_>,
        path: PathBuf,
        channels: Vec<usize>,
        states: Vec<usize>,
        start: u64,
    ) -> PyResult<WaveFile> {
        let mut engine = self.engine()?;
        let ids = channels.iter().map(|index| channel_id(py, &engine, *index));
        let ids = ids.collect::<PyResult<Vec<_>>>()?;
        let names = if states.is_empty() { Vec::new() } else { named(py, &mut engine)? };
        let states: Vec<StateName> = states.iter().filter_map(|place| names.get(*place).cloned()).collect();
        let waves = Waves::create(&path, &ids, &states, Time::from_femtoseconds(start), engine.netlist());
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

    /// The names of the values in the states of modules, as waveforms call them.
    fn state_names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(named(py, &mut *self.engine()?)?.into_iter().map(|state| state.name).collect())
    }
}

fn named(py: Python<'_>, engine: &mut spinach_engine::Simulation) -> PyResult<Vec<StateName>> {
    state_names(engine).map_err(|reason| {
        spinach_error(py, format!("the states have no names: {reason}"), "choose channels alone")
    })
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
