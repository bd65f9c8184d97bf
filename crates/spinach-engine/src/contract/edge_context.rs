//! The edge that modules commit at, and what they leave there.

use super::direct::Sight;
use super::note::Notes;
use super::payload::Payloads;
use crate::time::Time;

/// An edge, and the results that modules leave there for others and for the run loop.
#[derive(Default)]
pub(crate) struct EdgeContext {
    /// The number of the edge, counted by the clock whose edge it is.
    pub(crate) cycle: u64,
    /// When that edge falls.
    pub(crate) time: Time,
    pub(crate) payloads: Payloads,
    /// What a module ends the run with.
    pub(crate) end: Option<End>,
    pub(crate) notes: Notes,
    /// What modules reach directly, by their numbers; none at all if no module reaches anything.
    pub(crate) sights: Vec<Option<Box<Sight>>>,
}

/// What a module ends a run with after the present cycle.
pub(crate) enum End {
    /// Whoever looks at it from outside wants to be told; it can go on.
    Pause,
    /// It cannot go on, and why.
    Stop(String),
}
