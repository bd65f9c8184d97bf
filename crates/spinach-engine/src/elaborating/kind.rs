//! Module interface used by elaboration, and the steps that it schedules.

use std::sync::Arc;

use crate::contract::declaration::{Declaration, PortBinder, Process};
use crate::contract::parameter::ResolvedParameters;

/// A library of module kinds.
pub(crate) trait Library {
    /// All instances of one kind.
    type Kind: Kind + ?Sized;
    /// Declaration of the kind `name`, if it exists.
    fn declaration(&self, name: &str) -> Option<&Arc<Declaration>>;
    /// The names of all kinds.
    fn names(&self) -> impl Iterator<Item = &'static str>;
    /// Implementation of the kind `name` that these parameters choose, if any.
    fn implementation(&self, name: &str, parameters: &ResolvedParameters) -> Option<&'static str>;
    /// Room for instances of an implementation of the kind `name`, if there is one.
    fn make(&self, name: &str, implementation: &str) -> Option<Box<Self::Kind>>;
}

/// All instances of one kind of module, or of one kind of fusion.
pub(crate) trait Actors {
    /// Placement of an instance.
    fn placement(&self, instance: u32) -> &Placement;
    /// True if instances commit.
    fn commits(&self) -> bool;
    /// True if each instance may sleep separately.
    fn sleeps(&self) -> bool;
    /// True if an instance, when it commits, may reach into others directly.
    fn reaches_others(&self, instance: u32) -> bool;
}

/// All instances of one kind of module, as elaboration sees them.
pub(crate) trait Kind: Actors {
    /// Creates an instance; returns its number.
    ///
    /// # Errors
    /// If the parameters do not fit; one sentence that says how.
    fn instantiate(
        &mut self,
        values: &ResolvedParameters,
        binder: &mut dyn PortBinder,
    ) -> Result<u32, String>;
    /// Sets the placement of an instance.
    fn place(&mut self, instance: u32, placement: Placement);
    /// The processes of an instance.
    fn processes(&self, instance: u32) -> Vec<Process>;
}

/// Placement of an instance in the simulation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Placement {
    /// The number of the module.
    pub(crate) module: u32,
    /// Number of counters.
    pub(crate) counters: usize,
    /// The domain of each of its clocks.
    pub(crate) domains: Vec<u32>,
    /// The slots whose presence wakes it: the data of all its inputs.
    pub(crate) inputs: Vec<u32>,
    /// The slots of all its outputs.
    pub(crate) outputs: Vec<u32>,
}

/// One step of a schedule: an instance, the lane of its process, and which of its processes that is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Step {
    pub(crate) instance: u32,
    pub(crate) lane: u32,
    pub(crate) process: u32,
}

/// Action of a run on each of its steps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Action {
    Evaluate,
    EvaluateAndCommit,
    Commit,
}
