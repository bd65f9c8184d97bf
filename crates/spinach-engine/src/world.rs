//! What modules change besides their own state.

use crate::activity::Activity;
use crate::note::Notes;
use crate::payload::Payloads;
use crate::signal::Signals;
use crate::time::Time;

/// What all modules of a simulation share, and the edge that they are at.
pub(crate) struct World {
    pub(crate) signals: Box<Signals>,
    pub(crate) moment: Moment,
    pub(crate) activity: Activity,
    /// Whether modules that rest may fall asleep.
    pub(crate) sleeping: bool,
}

/// An edge, and what modules leave there for others and for whoever runs the simulation.
#[derive(Default)]
pub(crate) struct Moment {
    /// The number of the edge, counted by the clock whose edge it is.
    pub(crate) cycle: u64,
    /// When that edge falls.
    pub(crate) time: Time,
    pub(crate) payloads: Payloads,
    /// Why the simulation cannot go on.
    pub(crate) stop: Option<String>,
    pub(crate) notes: Notes,
}

impl World {
    /// At time zero.
    pub(crate) fn new(signals: Box<Signals>, activity: Activity) -> Self {
        Self { signals, moment: Moment::default(), activity, sleeping: true }
    }
}
