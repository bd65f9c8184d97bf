//! A run beside a guest that has the simulated card.

use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use spinach_engine::{Limit, Time};
use spinach_live::guest::{Guest, InterruptPin};
use spinach_live::{Entrance, Input, Live, face};
use spinach_python_macros::guarded;

use crate::errors::spinach_error;
use crate::simulation::{Simulation, module_id};

/// Bytes of the longest frame that comes in at the wire.
const LONGEST_FRAME: usize = 65535;

/// A run that a guest's accesses reach while it goes on.
#[pyclass(frozen, module = "spinach_nic._native")]
pub(crate) struct Attached {
    run: Mutex<spinach_live::Attached>,
    guest_end: Mutex<Option<UnixStream>>,
}

#[guarded]
#[pymethods]
impl Attached {
    /// For the modules `wire` and `host` of a simulation, with a device at the wire if `device` names one. The guest is interrupted at
    /// a pin of a controller by the test socket `socket`.
    #[new]
    #[expect(clippy::too_many_arguments, reason = "what Python passes, one by one")]
    fn new(
        py: Python<'_>,
        simulation: &Simulation,
        device: Option<String>,
        wire: usize,
        host: usize,
        socket: PathBuf,
        controller: String,
        pin: u32,
    ) -> PyResult<Self> {
        let engine = simulation.engine()?;
        let (wire, host) = (module_id(py, &engine, wire)?, module_id(py, &engine, host)?);
        let mut entrances = Vec::new();
        if let Some(device) = device {
            let face = face::open(&device).map_err(|error| spinach_error(py, error.message, error.help))?;
            let name = "wire".to_owned();
            let face = Some(face);
            let longest = LONGEST_FRAME;
            entrances.push(Entrance { name, device, face, source: wire, sink: wire, exit: wire, longest });
        }
        let (own_end, guest_end) = UnixStream::pair()?;
        let guest = Guest::new(own_end, InterruptPin { socket, controller, pin });
        let live = Live::new(entrances, Input::Faces(None));
        let run = Mutex::new(spinach_live::Attached::new(live, guest, host));
        Ok(Self { run, guest_end: Mutex::new(Some(guest_end)) })
    }

    /// The descriptor that the guest is given; -1 after it was closed.
    fn fileno(&self) -> RawFd {
        let end = self.guest_end.lock().unwrap_or_else(PoisonError::into_inner);
        end.as_ref().map_or(-1, AsRawFd::as_raw_fd)
    }

    /// Closes this process's copy of it.
    fn close_guest_end(&self) {
        *self.guest_end.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Runs as `Simulation.run` does; when the guest ends, it is stopped.
    fn run(&self, py: Python<'_>, simulation: &Simulation, until: u64) -> PyResult<(&'static str, String)> {
        let limit = Limit::time(Time::from_femtoseconds(until));
        simulation
            .run_by(py, &limit, None, |engine, limit, progress| self.attached().run(engine, limit, progress))
    }

    /// Lets out what has left the simulation; returns as JSON what passed the wire.
    fn finish(&self, py: Python<'_>, simulation: &Simulation) -> PyResult<String> {
        let summary = self.attached().live().finish(&mut *simulation.engine()?);
        let summary = summary.map_err(|reason| spinach_error(py, reason, "give it a device that stays"))?;
        serde_json::to_string(&summary)
            .map_err(|error| spinach_error(py, error.to_string(), "please report this"))
    }
}

impl Attached {
    fn attached(&self) -> MutexGuard<'_, spinach_live::Attached> {
        self.run.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
