//! The edge that modules commit at, and what they leave there.

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
    /// Why the simulation cannot go on.
    pub(crate) stop: Option<String>,
    pub(crate) notes: Notes,
}
