//! Checkpoints of a continuing run, to go back to.

use std::time::{Duration, Instant};

use spinach_engine::{CheckpointError, Simulation, Time};

/// Number of checkpoints kept. When there are more, every second one is dropped, so that they reach back to the start.
const KEPT: usize = 32;
/// Maximum fraction of run time spent on checkpoints: one part in this number.
const SHARE: u32 = 8;

/// A moment to go back to.
#[derive(Clone)]
pub(super) struct Moment {
    pub time: Time,
    pub state: Vec<u8>,
}

impl Moment {
    pub(super) fn of(simulation: &mut Simulation) -> Result<Self, CheckpointError> {
        Ok(Self { time: simulation.now(), state: simulation.checkpoint()? })
    }

    pub(super) fn restore(&self, simulation: &mut Simulation) -> Result<(), CheckpointError> {
        simulation.restore(&self.state)
    }
}

/// The moments that are kept, in the order of time.
#[derive(Default)]
pub(super) struct Past {
    moments: Vec<Moment>,
    cost: Duration,
    last: Option<Instant>,
}

impl Past {
    /// Keeps the present moment, if it is later than those kept and enough time went by since.
    pub(super) fn keep(&mut self, simulation: &mut Simulation) -> Result<(), CheckpointError> {
        let is_later = self.moments.last().is_none_or(|last| last.time < simulation.now());
        let is_due = self.last.is_none_or(|last| last.elapsed() > self.cost * SHARE);
        if !is_later || !is_due {
            return Ok(());
        }
        let began = Instant::now();
        self.moments.push(Moment::of(simulation)?);
        self.cost = began.elapsed();
        self.last = Some(Instant::now());
        if self.moments.len() > KEPT {
            let mut place = 0;
            self.moments.retain(|_| {
                place += 1;
                place % 2 == 1
            });
        }
        Ok(())
    }

    /// Drops all checkpoints: the events since cannot be repeated.
    pub(super) fn forget(&mut self) {
        self.moments.clear();
        self.last = None;
    }

    /// The moments before a time, the latest first.
    pub(super) fn before(&self, time: Time) -> impl Iterator<Item = &Moment> {
        self.moments.iter().rev().filter(move |moment| moment.time < time)
    }
}
