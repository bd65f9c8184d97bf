//! The parts of the five-stage core as a textbook draws it, which `spinach_nic.processors` wires together. They are of one
//! instruction set by nature: a control word, a multiplier with two registers, delay slots, coprocessor 0.

mod alu;
mod control_word;
mod fetch_unit;
mod instruction_decoder;
mod load_store_unit;
mod system_control;

pub(crate) use control_word::{CONTROL_FIELDS, CONTROL_KINDS, system::SYSTEM_OPERATIONS};

pub use alu::Alu;
pub use fetch_unit::FetchUnit;
pub use instruction_decoder::InstructionDecoder;
pub use load_store_unit::LoadStoreUnit;
pub use system_control::SystemControl;
