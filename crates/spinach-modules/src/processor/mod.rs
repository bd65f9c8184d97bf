//! Processor cores and the parts they are made of.
//!
//! All cores have the same ports: an initiator of the memory protocol for instructions (`fetch`), one for data (`data`) and
//! an input for commands from outside (`control`). They execute the same programs with the same architectural results;
//! what differs is how they spend their cycles.

pub mod accounts;
pub mod control;
mod data_port;
mod decoded;
mod functional_mips;
pub mod history;
mod pipelined_mips;
pub mod program;
mod settings;
pub mod stop;

pub use functional_mips::FunctionalMips;
pub use pipelined_mips::PipelinedMips;

use spinach_engine::Registry;

pub(crate) fn register(registry: &mut Registry) {
    registry.register::<FunctionalMips>();
    registry.register::<PipelinedMips>();
}
