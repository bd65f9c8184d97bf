//! Elaboration of a description: the netlist, and the passes that check it and lay out its schedule.
//!
//! How modules are kept and executed is not known here: a [`Library`] makes them, and a [`Kind`] says what the passes ask.

mod kind;
mod netlist;
mod passes;

pub(crate) use kind::{Action, Actors, Kind, Library, Placement, Step};
pub use netlist::{Channel, Domain, Netlist, Node, ProcessNode, Signal, Terminal};
pub use passes::PASSES;
pub(crate) use passes::{Batch, Layout, Schedule, dump, elaborate, lay_out};
