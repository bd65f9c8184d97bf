//! Checks of firmware for caches that are not coherent.

use pyo3::prelude::*;
use spinach_observe::coherence::{
    Agent, CacheShape, CoherenceCheck as Check, Hazard, HazardKind, Watched, WatchedCore,
};
use spinach_python_macros::guarded;

use super::{Simulation, Watcher, channel_id, module_id};

/// The core, the channel of its requests, bytes of a line, sets, cacheable regions, those of which stores go through, and whether
/// stores that miss bring the line.
type Core = (usize, usize, u64, u64, u32, u32, bool);
/// Hazard: kind, core, address, instruction, true if a device was on the other side, its number or that of the core,
/// femtoseconds, count.
type Found = (&'static str, usize, u64, Option<u64>, bool, usize, u64, u64);

#[guarded]
#[pymethods]
impl Simulation {
    /// Checks from now on that firmware on `cores` handles its data caches. `devices` are the channels of their requests, `aliases`
    /// ranges past the caches: first address, bytes, and the first address by which caches know the same memory. Takes the place of
    /// an earlier trace.
    fn check_coherence(
        &self,
        py: Python<'_>,
        cores: Vec<Core>,
        devices: Vec<usize>,
        aliases: Vec<(u64, u64, u64)>,
    ) -> PyResult<CoherenceCheck> {
        let mut engine = self.engine()?;
        let cores = cores.into_iter().map(|core| {
            let (module, requests, line_bytes, sets, cacheable, write_through, allocates) = core;
            let shape = CacheShape { line_bytes, sets, cacheable, write_through, allocates };
            let module = module_id(py, &engine, module)?;
            Ok(WatchedCore { module, requests: channel_id(py, &engine, requests)?, shape })
        });
        let cores = cores.collect::<PyResult<Vec<_>>>()?;
        let devices = devices.into_iter().map(|index| channel_id(py, &engine, index));
        let devices = devices.collect::<PyResult<Vec<_>>>()?;
        let check = Check::new(Watched { cores, devices, aliases });
        engine.listen(Some(Box::new(check.clone())));
        self.watch(&mut engine, Watcher::Coherence(check.clone()));
        Ok(CoherenceCheck(check))
    }
}

/// Running check.
#[pyclass(frozen, module = "spinach_nic._native")]
pub(crate) struct CoherenceCheck(Check);

#[guarded]
#[pymethods]
impl CoherenceCheck {
    /// Hazards found until the simulation last stopped, by time.
    fn hazards(&self, simulation: &Simulation) -> PyResult<Vec<Found>> {
        // The latest notes of cores are still on their way.
        let mut engine = simulation.engine()?;
        let listener = engine.listen(None);
        engine.listen(listener);
        Ok(self.0.hazards().into_iter().map(found).collect())
    }
}

fn found(hazard: Hazard) -> Found {
    let kind = match hazard.kind {
        HazardKind::DeviceReadsChanged => "device_reads_changed",
        HazardKind::CoreReadsChanged => "core_reads_changed",
        HazardKind::ReadsStale => "reads_stale",
        HazardKind::WrittenBelowChanges => "written_below_changes",
    };
    let (is_device, other) = match hazard.other {
        Agent::Core(number) => (false, number),
        Agent::Device(number) => (true, number),
    };
    let time = hazard.time.femtoseconds();
    (kind, hazard.core, hazard.address, hazard.pc, is_device, other, time, hazard.count)
}
