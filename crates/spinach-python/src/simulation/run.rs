//! Runs with the interpreter released, which end at the request of Python.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use spinach_engine::{Condition, Control, Limit, Outcome, Progress, Time};
use spinach_python_macros::guarded;

use spinach_engine::Simulation as Engine;

use super::{Simulation, channel_id};
use crate::errors::engine_error;
use crate::policy::take_raised;

/// Interval at which a run checks for signals, such as an interrupt from the keyboard, and reports progress.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// A module trusts its state, and that of a checkpoint may be one that no simulation reaches.
const BROKE_OFF: &str = "the simulation broke off: the checkpoint that it was restored from is damaged\n  \
    help: run it from the start; if that breaks off too, please report it";

struct Watcher<'a> {
    progress: Option<&'a Py<PyAny>>,
    last_look: Instant,
    raised: Option<PyErr>,
}

impl Watcher<'_> {
    fn look(&mut self, progress: Progress) -> Control {
        self.raised = take_raised();
        if self.raised.is_none() && self.last_look.elapsed() >= BETWEEN_LOOKS {
            self.last_look = Instant::now();
            self.raised = Python::attach(|py| self.ask(py, progress)).err();
        }
        if self.raised.is_some() { Control::Stop } else { Control::Continue }
    }

    fn ask(&self, py: Python<'_>, progress: Progress) -> PyResult<()> {
        py.check_signals()?;
        if let Some(callback) = self.progress {
            callback.call1(py, (progress.now.femtoseconds(), progress.limit.femtoseconds()))?;
        }
        Ok(())
    }
}

#[guarded]
#[pymethods]
impl Simulation {
    /// Runs all edges before `until` femtoseconds, or less: until one of some counters (module path, counter, value) or numbers of
    /// transfers through channels is reached, or nothing moves for `deadlock_after` femtoseconds.
    ///
    /// Returns why it ended (`reached`, `condition`, `stopped`, `deadlocked`) and the details. An exception of `progress`,
    /// which is called with the present time and the end in femtoseconds, or of a signal handler ends the run after a whole cycle; another run
    /// continues it.
    #[pyo3(signature = (until, counters=Vec::new(), transfers=Vec::new(), deadlock_after=None, progress=None))]
    fn run(
        &self,
        py: Python<'_>,
        until: u64,
        counters: Vec<(String, String, u64)>,
        transfers: Vec<(usize, u64)>,
        deadlock_after: Option<u64>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(&'static str, String)> {
        let mut limit = limit_of(until, counters);
        limit.deadlock_after = deadlock_after.map(Time::from_femtoseconds);
        for (channel, count) in transfers {
            let channel = channel_id(py, &self.engine()?, channel)?;
            limit = limit.or(Condition::Transfers { channel, count });
        }
        self.run_by(py, &limit, progress.as_ref(), |engine, limit, progress| engine.run(limit, progress))
    }
}

/// End of a run: an instant in femtoseconds, or a counter (module path, counter, value) before it.
pub(crate) fn limit_of(until: u64, counters: Vec<(String, String, u64)>) -> Limit {
    let conditions = counters.into_iter();
    let conditions =
        conditions.map(|(path, counter, at_least)| Condition::Counter { path, counter, at_least });
    conditions.fold(Limit::time(Time::from_femtoseconds(until)), Limit::or)
}

type Ended = (Result<Outcome, String>, Option<PyErr>);

impl Simulation {
    /// Runs by means of `run` with the interpreter released; returns why it ended and the details, as [`Simulation::run`].
    pub(crate) fn run_by(
        &self,
        py: Python<'_>,
        limit: &Limit,
        progress: Option<&Py<PyAny>>,
        run: impl FnOnce(&mut Engine, &Limit, &mut dyn FnMut(Progress) -> Control) -> Result<Outcome, String>
        + Send,
    ) -> PyResult<(&'static str, String)> {
        let (outcome, raised) = py.detach(|| self.run_detached(limit, progress, run))?;
        if let Some(raised) = raised {
            return Err(raised);
        }
        match outcome {
            Ok(Outcome::Reached) => Ok(("reached", String::new())),
            Ok(Outcome::ConditionHolds) => Ok(("condition", String::new())),
            Ok(Outcome::Stopped(reason)) => Ok(("stopped", reason)),
            Ok(Outcome::Deadlocked(deadlock)) => Ok(("deadlocked", deadlock.to_string())),
            Ok(Outcome::Paused) => Ok(("paused", String::new())),
            Ok(Outcome::Interrupted) => Ok(("interrupted", String::new())),
            Err(reason) => Err(engine_error(py, &reason)),
        }
    }

    fn run_detached(
        &self,
        limit: &Limit,
        progress: Option<&Py<PyAny>>,
        run: impl FnOnce(&mut Engine, &Limit, &mut dyn FnMut(Progress) -> Control) -> Result<Outcome, String>,
    ) -> PyResult<Ended> {
        let mut engine = self.engine()?;
        self.drop_stopped(&mut engine);
        let mut watcher = Watcher { progress, last_look: Instant::now(), raised: None };
        let restored = self.restored.load(Ordering::Relaxed);
        let outcome = match catch_unwind(AssertUnwindSafe(|| {
            run(&mut engine, limit, &mut |progress| watcher.look(progress))
        })) {
            Ok(outcome) => outcome,
            Err(_) if restored => Err(BROKE_OFF.to_owned()),
            Err(panic) => resume_unwind(panic),
        };
        // An exception after the last look, or a signal that came in a run too short for one.
        let raised = watcher.raised.or_else(take_raised);
        Ok((outcome, raised))
    }
}
