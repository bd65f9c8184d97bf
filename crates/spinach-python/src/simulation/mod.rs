//! A running simulation.

mod behaviour;
mod coherence;
mod description;
mod frame_counts;
mod lines;
mod profile;
mod run;
mod servers;
mod timeline;
mod waves;

use std::collections::BTreeMap;
use std::iter;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use spinach_analysis::image::Image;
use spinach_analysis::trace::TaskTracker;
use spinach_engine::{ChannelId, DomainId, Elaborated, Id, ModuleId, Observer, Payload, Time};
use spinach_modules::processor::profile::AccountSums;
use spinach_observe::trace_writer::{self, Traced};
use spinach_python_macros::guarded;

use crate::analysis::refused;
use crate::capture::CaptureWriter;
use crate::declarations::plain;
use crate::errors::{checkpoint_error, spinach_error};
use crate::recorder::{Recorder, Transfers, Writer};
use crate::trace_files::{Code, TraceFiles, mapped};

/// Properties of a model, as names and values.
type Properties = Vec<(String, String)>;

/// Differences of a model from an earlier one, each as a text with both values.
#[guarded]
#[pyfunction]
pub(crate) fn model_differences(then: Properties, now: Properties) -> Vec<String> {
    spinach_engine::model_differences(&then, &now)
}

/// A simulation. Modules, channels and domains go by their numbers in [`Simulation::modules`] and so on.
#[pyclass(frozen, module = "spinach_nic._native")]
pub(crate) struct Simulation {
    engine: Mutex<spinach_engine::Simulation>,
    watchers: Mutex<Vec<Watcher>>,
    /// True if its state came from a checkpoint.
    restored: AtomicBool,
}

/// Observer of the simulation. The engine holds a handle to each.
enum Watcher {
    Waves(spinach_observe::waves::Waves),
    Timeline(spinach_observe::timeline::Timeline),
    Transfers(Arc<Transfers>),
    Capture(spinach_observe::capture_writer::CaptureWriter),
    FrameCounts(spinach_observe::frame_counts::FrameCounts),
    Coherence(spinach_observe::coherence::CoherenceCheck),
    Lines(spinach_observe::lines::LineTrace),
}

impl Watcher {
    fn has_stopped(&self) -> bool {
        match self {
            Self::Waves(waves) => waves.is_finished(),
            Self::Timeline(timeline) => timeline.is_finished(),
            Self::Transfers(recording) => recording.has_stopped(),
            Self::Capture(capture) => capture.is_finished(),
            Self::FrameCounts(_) | Self::Coherence(_) => false,
            Self::Lines(lines) => lines.is_finished(),
        }
    }

    fn observer(&self) -> Box<dyn Observer> {
        match self {
            Self::Waves(waves) => Box::new(waves.clone()),
            Self::Timeline(timeline) => Box::new(timeline.clone()),
            Self::Transfers(recording) => Box::new(Writer(Arc::clone(recording))),
            Self::Capture(capture) => Box::new(capture.clone()),
            Self::FrameCounts(counts) => Box::new(counts.clone()),
            Self::Coherence(check) => Box::new(check.clone()),
            Self::Lines(lines) => Box::new(lines.clone()),
        }
    }
}

pub(crate) use coherence::CoherenceCheck;
pub(crate) use frame_counts::FrameCounts;
pub(crate) use lines::LineTraceFile;
pub(crate) use run::limit_of;
pub(crate) use timeline::{TimelineFile, read_journeys};
pub(crate) use waves::WaveFile;

pub(crate) type Engine<'a> = MutexGuard<'a, spinach_engine::Simulation>;

impl Simulation {
    pub(crate) fn new(elaborated: Elaborated) -> Self {
        let engine = Mutex::new(spinach_engine::Simulation::new(elaborated));
        Self { engine, watchers: Mutex::default(), restored: AtomicBool::new(false) }
    }

    // Never waits: a caller during the run is a callback of that run, or would stall another thread.
    pub(crate) fn engine(&self) -> PyResult<Engine<'_>> {
        self.engine.try_lock().map_err(|error| {
            Python::attach(|py| match error {
                TryLockError::WouldBlock => spinach_error(
                    py,
                    "the simulation is running",
                    "ask it between two runs, not from a callback or another thread",
                ),
                TryLockError::Poisoned(_) => spinach_error(
                    py,
                    "the simulation ended in a defect of the engine and cannot continue",
                    "please report it; a new simulation of the same design works",
                ),
            })
        })
    }

    fn watchers(&self) -> MutexGuard<'_, Vec<Watcher>> {
        self.watchers.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn watch(&self, engine: &mut Engine<'_>, watcher: Watcher) {
        engine.add_observer(watcher.observer());
        self.watchers().push(watcher);
    }

    // Stopped observers cost nothing from the next run on.
    fn drop_stopped(&self, engine: &mut Engine<'_>) {
        let mut watchers = self.watchers();
        if watchers.iter().any(Watcher::has_stopped) {
            engine.take_observers();
            watchers.retain(|watcher| !watcher.has_stopped());
            for watcher in watchers.iter() {
                engine.add_observer(watcher.observer());
            }
        }
    }
}

fn missing(py: Python<'_>, what: &str, index: usize) -> PyErr {
    spinach_error(py, format!("there is no {what} number {index}"), "take the number from the lists")
}

// The state of a module as plain data.
fn state_of(py: Python<'_>, engine: &mut Engine<'_>, module: usize) -> PyResult<serde_json::Value> {
    let id = module_id(py, engine, module)?;
    let state = engine.state(id);
    let path = &engine.netlist().modules[id].path;
    state.map_err(|reason| {
        spinach_error(py, format!("the state of {path} cannot be shown: {reason}"), "please report this")
    })
}

pub(crate) fn module_id(py: Python<'_>, engine: &Engine<'_>, index: usize) -> PyResult<ModuleId> {
    let exists = index < engine.netlist().modules.len();
    exists.then(|| ModuleId::from_index(index)).ok_or_else(|| missing(py, "module", index))
}

fn channel_id(py: Python<'_>, engine: &Engine<'_>, index: usize) -> PyResult<ChannelId> {
    let exists = index < engine.netlist().channels.len();
    exists.then(|| ChannelId::from_index(index)).ok_or_else(|| missing(py, "channel", index))
}

fn domain_id(py: Python<'_>, engine: &Engine<'_>, index: usize) -> PyResult<DomainId> {
    let exists = index < engine.netlist().domains.len();
    exists.then(|| DomainId::from_index(index)).ok_or_else(|| missing(py, "clock domain", index))
}

fn not_inside(py: Python<'_>, address: u64, length: usize, size: u64) -> PyErr {
    let message = format!("{length} bytes from address {address:#x} on are not all inside its {size} bytes");
    spinach_error(py, message, "give an address and a length inside the memory")
}

fn no_contents(py: Python<'_>, path: &str) -> PyErr {
    spinach_error(py, format!("{path} has no addressable contents"), "name a memory")
}

fn no_outside(py: Python<'_>, path: &str) -> PyErr {
    spinach_error(
        py,
        format!("{path} has no way to the outside"),
        "ask a module that has one, such as a uart",
    )
}

#[guarded]
#[pymethods]
impl Simulation {
    /// Femtoseconds since the start: every edge before this instant has happened, none at or after it.
    fn now(&self) -> PyResult<u64> {
        Ok(self.engine()?.now().femtoseconds())
    }

    /// Number of past cycles of a domain.
    fn cycles(&self, py: Python<'_>, domain: usize) -> PyResult<u64> {
        let engine = self.engine()?;
        Ok(engine.cycles(domain_id(py, &engine, domain)?))
    }

    /// Returns the time of edge number `edge` of a domain, in femtoseconds; `None` beyond the end of simulated time.
    fn edge_time(&self, py: Python<'_>, domain: usize, edge: u64) -> PyResult<Option<u64>> {
        let engine = self.engine()?;
        let domain = &engine.netlist().domains[domain_id(py, &engine, domain)?];
        Ok(domain.frequency.edge_time(edge).map(Time::femtoseconds))
    }

    /// All counters, in the order of `counter_names`.
    fn counters(&self) -> PyResult<Vec<u64>> {
        Ok(self.engine()?.statistics().snapshot().values)
    }

    /// A counter of a module; `None` if it has no counter of this name.
    fn counter(&self, py: Python<'_>, module: usize, name: &str) -> PyResult<Option<u64>> {
        let mut engine = self.engine()?;
        let id = module_id(py, &engine, module)?;
        Ok(engine.counter(id, name))
    }

    /// Content of a channel in its domain's last cycle: the words, if any were presented, and the acknowledgement.
    fn channel(&self, py: Python<'_>, channel: usize) -> PyResult<(Option<Vec<u64>>, bool)> {
        let mut engine = self.engine()?;
        let id = channel_id(py, &engine, channel)?;
        Ok(engine.channel(id))
    }

    /// The state of a module as plain data, or the part of it that a JSON pointer names.
    #[pyo3(signature = (module, part = ""))]
    fn state<'py>(&self, py: Python<'py>, module: usize, part: &str) -> PyResult<Bound<'py, PyAny>> {
        let mut engine = self.engine()?;
        plain(py, state_of(py, &mut engine, module)?.pointer(part).unwrap_or(&serde_json::Value::Null))
    }

    /// Total cost of each instruction address on some cores, packed: the address, completions, cycles by stall reason, accesses to
    /// memory, as 64-bit little-endian integers. Cores without profiles add nothing.
    fn profile<'py>(&self, py: Python<'py>, modules: Vec<usize>) -> PyResult<Bound<'py, PyBytes>> {
        let mut engine = self.engine()?;
        let mut sums = AccountSums::default();
        for module in modules {
            let id = module_id(py, &engine, module)?;
            if profile::add_answered(&mut engine, id, &mut sums) {
                continue;
            }
            profile::add(&state_of(py, &mut engine, module)?, &mut sums).map_err(|error| {
                spinach_error(py, format!("a profile cannot be read: {error}"), "please report this")
            })?;
        }
        Ok(PyBytes::new(py, &profile::packed(&sums)))
    }

    /// Number of cycles by which the accounts of each core are ahead of its counters.
    fn cycles_ahead(&self, py: Python<'_>, modules: Vec<usize>) -> PyResult<Vec<u64>> {
        let mut engine = self.engine()?;
        let ahead = modules.into_iter().map(|module| {
            let id = module_id(py, &engine, module)?;
            let passed =
                engine.netlist().modules[id].domains.first().map_or(0, |domain| engine.cycles(*domain));
            Ok(profile::accounted_until(&mut engine, id).saturating_sub(passed))
        });
        ahead.collect()
    }

    /// The accounts of each core by the calls that led to the instructions.
    fn calls(&self, py: Python<'_>, modules: Vec<usize>) -> PyResult<Vec<profile::CallAccounts>> {
        let mut engine = self.engine()?;
        let calls = modules.into_iter().map(|module| {
            let id = module_id(py, &engine, module)?;
            if profile::has_no_calls(&mut engine, id) {
                return Ok(Default::default());
            }
            profile::calls(&state_of(py, &mut engine, module)?).map_err(|error| {
                spinach_error(py, format!("accounts of calls cannot be read: {error}"), "please report this")
            })
        });
        calls.collect()
    }

    /// Size of a memory in bytes; `None` for a module that is not a memory.
    fn contents_size(&self, py: Python<'_>, module: usize) -> PyResult<Option<u64>> {
        let mut engine = self.engine()?;
        let id = module_id(py, &engine, module)?;
        Ok(engine.read_contents(id).map(spinach_engine::Contents::size))
    }

    /// Bytes of a memory.
    fn read_contents<'py>(
        &self,
        py: Python<'py>,
        module: usize,
        address: u64,
        length: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mut engine = self.engine()?;
        let id = module_id(py, &engine, module)?;
        let Some(contents) = engine.read_contents(id) else {
            return Err(no_contents(py, &engine.netlist().modules[id].path));
        };
        let size = contents.size();
        // Checked first: a length that no memory has must not be allocated.
        if length as u64 > size {
            return Err(not_inside(py, address, length, size));
        }
        let mut bytes = vec![0; length];
        if contents.read(address, &mut bytes) {
            return Ok(PyBytes::new(py, &bytes));
        }
        Err(not_inside(py, address, length, size))
    }

    /// Overwrites bytes of a memory.
    fn write_contents(&self, py: Python<'_>, module: usize, address: u64, bytes: &[u8]) -> PyResult<()> {
        let mut engine = self.engine()?;
        let id = module_id(py, &engine, module)?;
        let Some(contents) = engine.contents(id) else {
            return Err(no_contents(py, &engine.netlist().modules[id].path));
        };
        if contents.write(address, bytes) {
            return Ok(());
        }
        Err(not_inside(py, address, bytes.len(), contents.size()))
    }

    /// Injects a message into a module, on a lane.
    fn inject(&self, py: Python<'_>, module: usize, lane: u32, message: &[u8]) -> PyResult<()> {
        let mut engine = self.engine()?;
        let id = module_id(py, &engine, module)?;
        let path = engine.netlist().modules[id].path.clone();
        let outside = engine.outside(id).ok_or_else(|| no_outside(py, &path))?;
        let injected = outside.inject(lane, message);
        injected.map_err(|error| spinach_error(py, error, "inject messages that the module takes"))
    }

    /// Messages of a module to the outside on a lane since the last call, concatenated.
    #[pyo3(signature = (module, lane=0))]
    fn export<'py>(&self, py: Python<'py>, module: usize, lane: u32) -> PyResult<Bound<'py, PyBytes>> {
        let mut engine = self.engine()?;
        let id = module_id(py, &engine, module)?;
        let path = engine.netlist().modules[id].path.clone();
        let outside = engine.outside(id).ok_or_else(|| no_outside(py, &path))?;
        let messages: Vec<u8> = iter::from_fn(|| outside.export(lane)).flat_map(|out| out.message).collect();
        Ok(PyBytes::new(py, &messages))
    }

    /// The bytes of a stored payload, such as a frame, by the handle that travels through channels; empty if it was taken out. In a
    /// system with joints the handle means nothing without a channel that it travels through.
    #[pyo3(signature = (handle, channel=None))]
    fn payload<'py>(
        &self,
        py: Python<'py>,
        handle: u32,
        channel: Option<usize>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let engine = self.engine()?;
        if channel.is_none() && engine.islands() > 1 {
            return Err(spinach_error(
                py,
                "a handle belongs to one end of a cable",
                "give a port that it moves through",
            ));
        }
        let channel = channel_id(py, &engine, channel.unwrap_or_default())?;
        Ok(PyBytes::new(py, engine.payload(channel, Payload::from_bits(handle))))
    }

    /// Sets the maximum number of threads; never changes a result.
    fn set_threads(&self, maximum: usize) -> PyResult<()> {
        self.engine()?.set_threads(maximum);
        Ok(())
    }

    /// Time at which all parts that are joined by latency meet next, in femtoseconds; the present one if there is one part.
    fn window_end(&self) -> PyResult<u64> {
        Ok(self.engine()?.window_end().femtoseconds())
    }

    /// Number of parts that are joined by latency only, and of the windows that they ran on several threads.
    fn islands(&self) -> PyResult<(usize, u64)> {
        let engine = self.engine()?;
        Ok((engine.islands(), engine.windows_on_threads()))
    }

    /// Everything needed to continue this simulation in another process.
    fn checkpoint<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let saved = self.engine()?.checkpoint();
        Ok(PyBytes::new(py, &saved.map_err(|error| checkpoint_error(py, &error))?))
    }

    /// Properties that a checkpoint's model must share with this one, as names and values.
    fn model(&self) -> PyResult<Properties> {
        Ok(self.engine()?.model())
    }

    /// Puts this simulation into the state that was saved from one of the same design.
    fn restore(&self, py: Python<'_>, checkpoint: &[u8]) -> PyResult<()> {
        self.engine()?.restore(checkpoint).map_err(|error| checkpoint_error(py, &error))?;
        self.restored.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Wait-for relation of modules, if any value is offered and refused.
    fn find_deadlock(&self) -> PyResult<Option<String>> {
        Ok(self.engine()?.find_deadlock().map(|deadlock| deadlock.to_string()))
    }

    /// Enables or disables skipping of idle modules and domains; never changes a result.
    fn set_sleeping(&self, sleeping: bool) -> PyResult<()> {
        self.engine()?.set_sleeping(sleeping);
        Ok(())
    }

    /// Enables or disables skipping of time in which everything awake repeats itself; never changes a result.
    fn set_idle_skip(&self, skips: bool) -> PyResult<()> {
        self.engine()?.set_idle_skip(skips);
        Ok(())
    }

    /// Enables or disables fusing; never changes a result.
    fn set_fusing(&self, fuses: bool) -> PyResult<()> {
        self.engine()?.set_fusing(fuses);
        Ok(())
    }

    /// Present fusions by the paths of their members, the leader first.
    fn fusions(&self) -> PyResult<Vec<Vec<String>>> {
        Ok(self.engine()?.fusions())
    }

    /// Number of cycles skipped because they repeated earlier ones.
    fn repeated_cycles(&self) -> PyResult<u64> {
        Ok(self.engine()?.repeated_cycles())
    }

    /// Enables or disables checks of every process against the dependencies that its module declares; slow.
    fn set_check_dependencies(&self, check: bool) -> PyResult<()> {
        self.engine()?.set_check_dependencies(check);
        Ok(())
    }

    /// Records the values in `channels` from now on.
    fn record(&self, py: Python<'_>, channels: Vec<usize>) -> PyResult<Recorder> {
        let mut engine = self.engine()?;
        let ids = channels.iter().map(|index| channel_id(py, &engine, *index));
        let recording = Arc::new(Transfers::new(ids.collect::<PyResult<_>>()?));
        self.watch(&mut engine, Watcher::Transfers(Arc::clone(&recording)));
        Ok(Recorder(recording))
    }

    /// Writes the frames that move through channels to a pcapng file from now on; each channel is an interface with a name.
    fn capture(
        &self,
        py: Python<'_>,
        path: PathBuf,
        interfaces: Vec<(String, usize)>,
    ) -> PyResult<CaptureWriter> {
        let mut engine = self.engine()?;
        let ids = interfaces.iter().map(|(name, index)| Ok((name.clone(), channel_id(py, &engine, *index)?)));
        let capture = CaptureWriter::create(py, path, &ids.collect::<PyResult<Vec<_>>>()?)?;
        self.watch(&mut engine, Watcher::Capture(capture.native.clone()));
        Ok(capture)
    }

    /// Counts the frames that move through channels from now on. Counts are known of instants up to `kept` femtoseconds before the
    /// last frame.
    #[pyo3(signature = (channels, kept=0))]
    fn count_frames(&self, py: Python<'_>, channels: Vec<usize>, kept: u64) -> PyResult<FrameCounts> {
        let kept = Time::from_femtoseconds(kept);
        let mut engine = self.engine()?;
        let channels = channels.into_iter().map(|index| channel_id(py, &engine, index));
        // One for each channel: islands are on threads only if nothing looks at several.
        let counts = channels.map(|channel| Ok(frame_counts::NativeCounts::new(vec![channel?], kept)));
        let counts = counts.collect::<PyResult<Vec<_>>>()?;
        for counts in &counts {
            self.watch(&mut engine, Watcher::FrameCounts(counts.clone()));
        }
        Ok(FrameCounts(counts))
    }

    /// Writes from now on every instruction that the modules `cores` complete, and every reference of the modules `agents` to
    /// memory, as two traces; `tasks` gives by function of `image` the task it begins, `code` does so for code without functions, and
    /// `overhead_tasks` are the tasks that do not process frames. Replaces an earlier trace.
    #[expect(clippy::too_many_arguments, reason = "Python gives them by name")]
    fn trace(
        &self,
        py: Python<'_>,
        instructions: PathBuf,
        accesses: PathBuf,
        cores: Vec<usize>,
        agents: Vec<(String, usize)>,
        extensions: Vec<String>,
        image: PathBuf,
        tasks: BTreeMap<String, String>,
        code: Vec<Code>,
        overhead_tasks: Vec<String>,
    ) -> PyResult<TraceFiles> {
        let mut engine = self.engine()?;
        let image = Image::load(&image).map_err(|error| refused(py, error))?;
        let id = |index| module_id(py, &engine, index);
        let cores = cores.into_iter().map(id).collect::<PyResult<Vec<_>>>()?;
        let Some(core) = cores.first() else {
            return Err(spinach_error(py, "no core is to be traced", "name at least one"));
        };
        let netlist = engine.netlist();
        let traced = Traced {
            clock: netlist.domains[netlist.modules[*core].domains[0]].frequency,
            cores,
            agents: agents
                .into_iter()
                .map(|(name, index)| Ok((name, id(index)?)))
                .collect::<PyResult<_>>()?,
            instruction_set: image.instruction_set().to_owned(),
            extensions,
            tasks: TaskTracker::new(&image, &tasks)
                .map_err(|error| refused(py, error))?
                .with_code(&mapped(code))
                .with_overhead(overhead_tasks),
        };
        let files = trace_writer::TraceFiles::create(&instructions, &accesses, traced);
        let files = files.map_err(|error| refused(py, error))?;
        engine.listen(Some(Box::new(files.clone())));
        Ok(TraceFiles(files))
    }
}
