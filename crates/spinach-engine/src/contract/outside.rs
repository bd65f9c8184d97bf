//! Interface between a simulation and the world outside.

use crate::time::Time;

/// Message exchange of a module with the world outside of the simulation, between two edges.
///
/// What goes in takes effect at edges from then on, and nothing else from outside may change what a module does. So a run in which
/// the same messages go in at the same instants is the same run: a recording of messages and instants repeats it. Messages are
/// bytes; what they say, and what a lane is, the module's declaration tells.
pub trait Outside {
    /// Injects a message on a lane.
    ///
    /// # Errors
    /// If the module has no such lane or cannot read the message; the message has the reason, and nothing has changed.
    fn inject(&mut self, lane: u32, message: &[u8]) -> Result<(), String>;

    /// Number of injected messages on a lane that have had no effect yet. The sender bounds it.
    fn waiting(&self, lane: u32) -> usize;

    /// Exports the oldest message on a lane that was not exported yet; none if the module has no such lane.
    fn export(&mut self, lane: u32) -> Option<Exported>;
}

/// A message for the world outside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exported {
    /// Time at which it left the simulation.
    pub time: Time,
    /// Content of the message.
    pub message: Vec<u8>,
}
