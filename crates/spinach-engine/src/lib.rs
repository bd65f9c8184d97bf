//! Time, clock domains, channels, the module contract, netlists, schedules, statistics and checkpoints.
//!
//! # A module in one page
//! A [`Module`] is four small parts and its behaviour: parameters ([`parameters!`]), ports ([`ports!`]), a plain
//! serialisable state, and [`Process`]es that say which outputs depend on which inputs within a cycle.
//!
//! # A system in one page
//! A [`Design`] says which modules there are, in which clock domains, and how they are connected. [`elaborate`] checks it,
//! pass by pass, and lays out one static schedule per clock domain. A [`Simulation`] runs that.
//!
//! The engine knows nothing of processors, memories, networks or frames: those are modules.

// The macros name this crate by its full name, also when they are used inside it.
extern crate self as spinach_engine;

mod activity;
mod arena;
pub mod bare;
pub mod bits;
pub mod declaration;
mod design;
mod error;
pub mod expression;
mod ids;
mod module;
mod netlist;
mod note;
pub mod parameter;
mod passes;
mod payload;
mod registry;
mod runs;
mod signal;
mod simulation;
mod time;
mod world;

pub use declaration::{
    AnyNumber, Declaration, Direction, Lanes, Many, OrUnconnected, Part, PortDeclaration, PortSignal,
    PortType, Process, ack, data,
};
pub use design::{ConnectionDescription, Design, DomainDescription, End, Location, ModuleDescription};
pub use error::{ElaborationError, Problem, suggest};
pub use expression::{Callable, Expression, ExpressionError, Operation, Policy};
pub use ids::{Arena, ChannelId, DomainId, Id, ModuleId, PortId, ProcessId};
pub use module::{Contents, Edge, Module, Rest};
pub use netlist::{Channel, Domain, Netlist, Node, ProcessNode, Signal, Terminal};
pub use note::{Listener, Note};
pub use parameter::{ParameterDeclaration, ParameterType, ParameterValue, Rate, ResolvedParameters, Size};
pub use passes::{Elaborated, PASSES, elaborate};
#[doc(hidden)]
pub use pastey;
pub use payload::{Payload, Payloads};
pub use registry::Registry;
pub use signal::{AlreadySet, Any, Input, LastLanes, Output, Signals, Value, ValueType};
pub use simulation::{
    CHECKPOINT_VERSION, CheckpointError, Condition, Control, Deadlock, Limit, Observed, Observer, Outcome,
    Progress, Simulation, Snapshot, Statistics,
};
pub use time::{Clock, FEMTOSECONDS_PER_SECOND, Frequency, FrequencyError, Time};
