//! Module contract: parameters, ports, processes, visible channels, and the action at a clock edge.

pub mod declaration;
mod direct;
pub mod documentation;
mod edge_context;
pub mod expression;
mod fusion;
mod handle;
mod joint;
mod leaves;
mod module;
mod note;
mod outside;
pub mod parameter;
mod payload;
mod repetition;
mod signals;
mod value;

pub use direct::{Destination, Passage, Reach, Stretch};
pub(crate) use direct::{Lender, Window};
pub(crate) use edge_context::{EdgeContext, End};
pub(crate) use fusion::Instance;
pub use fusion::{
    CompanionPorts, Followers, FollowersMut, FusedEdge, FusedProcess, Fusion, Member, MemberProcess,
};
pub use handle::{Input, Output};
pub(crate) use handle::{MAXIMUM_SLOTS, SLOTS_OF_CACHE_LINE};
pub use joint::{Joint, JointValue};
pub(crate) use leaves::walk;
pub use leaves::{Leaf, LeafVisitor, Step};
pub use module::{Contents, Edge, Idle, Module};
pub use note::{Listener, Note};
pub use outside::{Exported, Outside};
pub use payload::{Payload, Payloads};
pub use repetition::{Leap, Outlook};
pub use signals::{AlreadySet, LastLanes, Signals};
pub use value::{Any, Part, Value, ValueType};
