//! The edge at which modules commit, and the results of their commits.

use super::direct::Window;
use super::joint::JointValue;
use super::note::Notes;
use super::payload::Payloads;
use crate::time::Time;

/// An edge, and the results that modules leave there for others and for the run loop.
#[derive(Default)]
pub(crate) struct EdgeContext {
    /// The number of the edge, counted by the clock whose edge it is.
    pub(crate) cycle: u64,
    /// Time of that edge.
    pub(crate) time: Time,
    pub(crate) payloads: Payloads,
    /// Values that left through joints and have not arrived, with the number of the sender.
    pub(crate) departures: Vec<(u32, JointValue)>,
    /// True if the run ends when a value leaves through a joint.
    pub(crate) is_alone: bool,
    /// Request of a module to end the run.
    pub(crate) end: Option<End>,
    pub(crate) notes: Notes,
    /// True if nothing looks at modules before the run ends, so that fusions may simulate later cycles of their members now.
    pub(crate) may_run_ahead: bool,
    /// Directly reachable memory by module number; empty if no module reaches any.
    pub(crate) windows: Vec<Option<Box<Window>>>,
}

/// Request of a module to end the run after the present cycle.
pub(crate) enum End {
    /// A value left through a joint.
    Sent,
    /// Pause for an observer outside; the run can continue.
    Pause,
    /// Stop for good: the number of the module, and the reason.
    Stop(u32, String),
}
