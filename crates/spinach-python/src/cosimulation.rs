//! Run with other simulators, by SimBricks.

use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;
use spinach_live::simbricks::{self, Role, Synchronisation, Terms};
use spinach_python_macros::guarded;

use crate::errors::spinach_error;
use crate::live::{Described, entrance};
use crate::simulation::{Simulation, limit_of, module_id};

/// Terms of a connection: true for the side that listens, the socket, latency and interval in picoseconds, `off`, `auto` or `on`
/// for synchronisation, and wall time for the handshake in seconds.
type Agreed = (bool, PathBuf, u64, u64, String, f64);

/// Run that exchanges messages with other simulators.
#[pyclass(frozen, module = "spinach_nic._native")]
pub(crate) struct Cosimulation(Mutex<simbricks::Cosimulation>);

#[guarded]
#[pymethods]
impl Cosimulation {
    /// Makes the sockets for peers: of a host that reaches its device as a module, and of networks at entrances.
    #[staticmethod]
    fn open(
        py: Python<'_>,
        simulation: &Simulation,
        host: Option<(usize, Agreed)>,
        wires: Vec<(Described, Agreed)>,
    ) -> PyResult<Self> {
        let host = match host {
            Some((host, agreed)) => Some((module_id(py, &simulation.engine()?, host)?, terms(agreed))),
            None => None,
        };
        let wires = wires
            .into_iter()
            .map(|(described, agreed)| Ok((entrance(py, simulation, &described)?, terms(agreed))))
            .collect::<PyResult<Vec<_>>>()?;
        let run = simbricks::Cosimulation::new(host, wires).map_err(|error: io::Error| {
            let message = format!("no socket can be made for a SimBricks peer: {error}");
            spinach_error(py, message, "give a name that does not exist yet, in a folder that does")
        })?;
        Ok(Self(Mutex::new(run)))
    }

    /// Runs as `Simulation.run` does. The reason is `ended` if peers have ended, and `lost` if one has left or broken the protocol.
    fn run(
        &self,
        py: Python<'_>,
        simulation: &Simulation,
        until: u64,
        counters: Vec<(String, String, u64)>,
    ) -> PyResult<(&'static str, String)> {
        let limit = limit_of(until, counters);
        let (reason, details) = simulation.run_by(py, &limit, None, |engine, limit, progress| {
            self.cosimulation().run(engine, limit, progress)
        })?;
        let ending = self.cosimulation().ending();
        Ok((ending.unwrap_or(reason), details))
    }

    /// Exchanges messages for a run by a debugger. Returns the reason and details as of `run`, and the time up to which it may run.
    fn exchange(&self, simulation: &Simulation) -> PyResult<(&'static str, String, u64)> {
        let mut engine = simulation.engine()?;
        let mut run = self.cosimulation();
        Ok(match run.exchange(&mut engine) {
            Ok(until) => ("reached", String::new(), until.femtoseconds()),
            Err(details) => (run.ending().unwrap_or("stopped"), details, engine.now().femtoseconds()),
        })
    }

    /// Lag of simulated time behind wall time, in nanoseconds; none with synchronised peers.
    fn behind_ns(&self, simulation: &Simulation) -> PyResult<u128> {
        Ok(self.cosimulation().behind(simulation.engine()?.now()).as_nanos())
    }

    /// Announces the end of the run to the peers; returns the traffic of the wires as JSON.
    fn finish(&self, py: Python<'_>, simulation: &Simulation) -> PyResult<String> {
        let summary = self.cosimulation().finish(&mut *simulation.engine()?);
        let summary = summary.map_err(|reason| spinach_error(py, reason, "please report this"))?;
        serde_json::to_string(&summary)
            .map_err(|error| spinach_error(py, error.to_string(), "please report this"))
    }
}

impl Cosimulation {
    fn cosimulation(&self) -> MutexGuard<'_, simbricks::Cosimulation> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn terms((listens, path, latency, interval, synchronisation, patience_s): Agreed) -> Terms {
    Terms {
        role: if listens { Role::Listen } else { Role::Connect },
        path,
        latency,
        interval,
        synchronisation: match synchronisation.as_str() {
            "off" => Synchronisation::Off,
            "on" => Synchronisation::Required,
            _ => Synchronisation::IfBoth,
        },
        patience: Duration::try_from_secs_f64(patience_s).unwrap_or(Duration::MAX / 2),
    }
}
