//! Description of a design, by the user: modules, clock domains and connections, and the mistakes in one.

mod design;
mod error;

pub use design::{ConnectionDescription, Design, DomainDescription, End, Location, ModuleDescription};
pub(crate) use error::Problems;
pub use error::{ElaborationError, Problem, similar, suggest};
