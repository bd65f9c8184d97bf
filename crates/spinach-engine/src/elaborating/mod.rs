//! Elaboration of a description: the netlist, and the passes that check it and lay out its schedule.
//!
//! Elaboration does not depend on the storage and execution of modules: a [`Library`] creates them, and a [`Kind`] answers the
//! passes.

mod kind;
mod netlist;
mod passes;

pub(crate) use kind::{Action, Actors, Kind, Library, Placement, Step};
pub use netlist::{Channel, Domain, Netlist, Node, ProcessNode, Signal, Terminal};
pub use passes::PASSES;
pub(crate) use passes::{Batch, Layout, Schedule, dump, elaborate, lay_out};
