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
//! # Rooms
//! `contract` says what a module is, `describing` what a user describes, `elaborating` checks that and lays out a schedule,
//! `running` runs it. Each knows only those before it.
//!
//! The engine knows nothing of processors, memories, networks or frames: those are modules.

// The macros name this crate by its full name, also when they are used inside it.
extern crate self as spinach_engine;

pub mod bits;
mod contract;
mod describing;
mod elaborating;
mod ids;
mod running;
mod time;

pub use contract::declaration::{
    AnyNumber, Declaration, Direction, Lanes, Many, OrUnconnected, PortDeclaration, PortSignal, PortType,
    Process, ack, data,
};
pub use contract::expression::{Callable, Expression, ExpressionError, Operation, Policy};
pub use contract::parameter::{
    ParameterDeclaration, ParameterType, ParameterValue, Rate, ResolvedParameters, Size,
};
pub use contract::{
    AlreadySet, Any, CompanionPorts, Contents, Destination, Edge, Exported, Followers, FollowersMut,
    FusedEdge, FusedProcess, Fusion, Idle, Input, Joint, JointValue, LastLanes, Leaf, LeafVisitor, Leap,
    Listener, Member, MemberProcess, Module, Note, Outlook, Output, Outside, Part, Passage, Payload,
    Payloads, Reach, Signals, Step, Stretch, Value, ValueType,
};
pub use contract::{declaration, documentation, expression, parameter};
pub use describing::{
    ConnectionDescription, Design, DomainDescription, ElaborationError, End, Location, ModuleDescription,
    Problem, similar, suggest,
};
pub use elaborating::{Channel, Domain, Netlist, Node, PASSES, ProcessNode, Signal, Terminal};
pub use ids::{Arena, ChannelId, DomainId, Id, ModuleId, PortId, ProcessId};
#[doc(hidden)]
pub use pastey;
pub use running::{
    CHECKPOINT_VERSION, CheckpointError, Condition, Control, Deadlock, Elaborated, Limit, Observed, Observer,
    Outcome, Progress, Registry, Simulation, Snapshot, Statistics, bare, elaborate, model_differences,
};
pub use time::{Clock, FEMTOSECONDS_PER_SECOND, Frequency, FrequencyError, Time};
