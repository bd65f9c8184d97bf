//! Run with a guest that has the simulated card.

use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use spinach_engine::{Limit, ModuleId, Time};
use spinach_live::guest::{InterruptPin, ProxyGuest, UserGuest};
use spinach_live::recording::Sort;
use spinach_live::{Entrance, Input, LANES, Live, face};
use spinach_python_macros::guarded;

use crate::errors::spinach_error;
use crate::live::{Recording, begin_recording, unwritten};
use crate::simulation::{Simulation, module_id};

/// Bytes of the longest frame that comes in at the wire.
const LONGEST_FRAME: usize = 65535;

/// Run that a guest's accesses reach while it continues.
#[pyclass(frozen, module = "spinach_nic._native")]
pub(crate) struct Attached {
    run: Mutex<spinach_live::Attached>,
    guest_end: Mutex<Option<UnixStream>>,
}

#[guarded]
#[pymethods]
impl Attached {
    /// Connects the modules `wire` and `host` of a simulation, with a device at the wire if `device` names one. The guest is interrupted at
    /// a pin of a controller by the test socket `socket`. `record` is a file for what comes in, made with `made_with`, which is JSON.
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
        record: Option<PathBuf>,
        made_with: &str,
    ) -> PyResult<Self> {
        let (live, host) = begin(py, simulation, device, wire, host, record, made_with)?;
        let (own_end, guest_end) = UnixStream::pair()?;
        let guest = ProxyGuest::new(own_end, InterruptPin { socket, controller, pin });
        let run = Mutex::new(spinach_live::Attached::new(live, Some(Box::new(guest)), host));
        Ok(Self { run, guest_end: Mutex::new(Some(guest_end)) })
    }

    /// Connects the modules as `Attached` does, with the client of vfio-user that comes to `socket`, which is made.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "what Python passes, one by one")]
    fn of_client(
        py: Python<'_>,
        simulation: &Simulation,
        device: Option<String>,
        wire: usize,
        host: usize,
        socket: PathBuf,
        record: Option<PathBuf>,
        made_with: &str,
    ) -> PyResult<Self> {
        let (live, host) = begin(py, simulation, device, wire, host, record, made_with)?;
        let guest = UserGuest::listen(&socket).map_err(|error| {
            let message = format!("no socket can be made at {}: {error}", socket.display());
            spinach_error(py, message, "give a name that does not exist yet, in a folder that does")
        })?;
        let run = Mutex::new(spinach_live::Attached::new(live, Some(Box::new(guest)), host));
        Ok(Self { run, guest_end: Mutex::new(None) })
    }

    /// Injects the input of a recording, at the same instants, without a guest. `device` is that of the recorded run.
    #[staticmethod]
    fn replay(
        py: Python<'_>,
        simulation: &Simulation,
        device: Option<String>,
        wire: usize,
        host: usize,
        recording: &Recording,
    ) -> PyResult<Self> {
        let (entrances, host) = outside(py, simulation, device, wire, host)?;
        let live = Live::new(entrances, Input::Recording(recording.0.arrivals.clone()));
        let run = Mutex::new(spinach_live::Attached::new(live, None, host));
        Ok(Self { run, guest_end: Mutex::new(None) })
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

    /// Lag of simulated time behind wall time, in nanoseconds.
    fn behind_ns(&self, simulation: &Simulation) -> PyResult<u128> {
        Ok(self.attached().live().behind(simulation.engine()?.now()).as_nanos())
    }

    /// Sends the remaining messages of the simulation; returns the traffic of the wire as JSON.
    fn finish(&self, py: Python<'_>, simulation: &Simulation) -> PyResult<String> {
        let summary = self.attached().live().finish(&mut *simulation.engine()?);
        let summary = summary.map_err(|reason| spinach_error(py, reason, "give it a device that stays"))?;
        serde_json::to_string(&summary)
            .map_err(|error| spinach_error(py, error.to_string(), "please report this"))
    }

    /// Completes the recording, if there is one; `ending` is JSON.
    fn end_recording(&self, py: Python<'_>, simulation: &Simulation, ending: &str) -> PyResult<()> {
        let time = simulation.engine()?.now();
        let ended = self.attached().live().end_recording(time, ending);
        ended.map_err(|error| unwritten(py, &error))
    }
}

// Devices outside besides the guest, recorded if there is a file for it, and the host.
fn begin(
    py: Python<'_>,
    simulation: &Simulation,
    device: Option<String>,
    wire: usize,
    host: usize,
    record: Option<PathBuf>,
    made_with: &str,
) -> PyResult<(Live, ModuleId)> {
    let (mut entrances, host) = outside(py, simulation, device, wire, host)?;
    for entrance in &mut entrances {
        let face = face::open(&entrance.device);
        entrance.face = Some(face.map_err(|error| spinach_error(py, error.message, error.help))?);
    }
    let frames = entrances.iter().map(|entrance| (entrance.name.as_str(), Sort::Frames));
    let names: Vec<_> = frames.chain(LANES.map(|(name, _)| (name, Sort::Messages))).collect();
    let recorder = record.map(|path| begin_recording(py, &path, &names, made_with)).transpose()?;
    Ok((Live::new(entrances, Input::Faces(recorder)), host))
}

// The wire, without its device, if there is one, and the host.
fn outside(
    py: Python<'_>,
    simulation: &Simulation,
    device: Option<String>,
    wire: usize,
    host: usize,
) -> PyResult<(Vec<Entrance>, ModuleId)> {
    let engine = simulation.engine()?;
    let (wire, host) = (module_id(py, &engine, wire)?, module_id(py, &engine, host)?);
    let entrance = |device| Entrance {
        name: "wire".to_owned(),
        device,
        face: None,
        source: wire,
        sink: wire,
        exit: wire,
        longest: LONGEST_FRAME,
    };
    Ok((device.map(entrance).into_iter().collect(), host))
}

impl Attached {
    fn attached(&self) -> MutexGuard<'_, spinach_live::Attached> {
        self.run.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
