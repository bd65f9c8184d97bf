//! Execution of an elaborated design.

mod acting;
mod activity;
mod arena;
pub mod bare;
mod batches;
mod domain_set;
mod elaborated;
mod fused;
mod fusing;
mod islands;
mod registry;
mod simulation;
mod steps;
mod windows;
mod world;

pub use elaborated::{Elaborated, elaborate};
pub use registry::Registry;
pub use simulation::{
    CHECKPOINT_VERSION, CheckpointError, Condition, Control, Deadlock, Limit, Observed, Observer, Outcome,
    Progress, Simulation, Snapshot, Statistics, model_differences,
};
