//! Processor cores and the parts they are made of.
//!
//! All cores have the same ports: an initiator of the memory protocol for instructions (`fetch`), one for data (`data`) and
//! an input for commands from outside (`control`). They execute the same programs with the same architectural results;
//! what differs is how they spend their cycles. The pipelined core can also tell what it holds while it stands (`report`). The VLIW core has several lanes of both, and executes programs that were
//! scheduled for it.

pub mod accounts;
mod alu;
pub mod control;
mod control_word;
mod data_port;
mod decoded;
mod delays;
mod fetch_unit;
mod functional_mips;
pub mod history;
pub mod interrupts;
mod load_store_unit;
mod mips_decoder;
mod pipelined_mips;
pub mod profile;
pub mod program;
pub mod report;
mod settings;
pub mod stop;
mod system_control;
mod vliw_mips;

pub use alu::Alu;
pub use fetch_unit::FetchUnit;
pub use functional_mips::FunctionalMips;
pub use load_store_unit::LoadStoreUnit;
pub use mips_decoder::MipsDecoder;
pub use pipelined_mips::PipelinedMips;
pub use system_control::SystemControl;
pub use vliw_mips::VliwMips;

use spinach_engine::Registry;

pub(crate) fn register(registry: &mut Registry) {
    registry.register::<Alu>();
    registry.register::<FetchUnit>();
    registry.register::<FunctionalMips>();
    registry.register::<LoadStoreUnit>();
    registry.register::<MipsDecoder>();
    registry.register::<PipelinedMips>();
    registry.register::<SystemControl>();
    registry.register::<VliwMips>();
}
