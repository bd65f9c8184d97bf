//! The parts of the five-stage core as a textbook draws it, which `spinach_nic.processors` wires together. They are MIPS by
//! nature: a control word, a multiplier with two registers, delay slots, coprocessor 0.

mod alu;
mod control_word;
mod fetch_unit;
mod load_store_unit;
mod mips_decoder;
mod system_control;

pub use alu::Alu;
pub use fetch_unit::FetchUnit;
pub use load_store_unit::LoadStoreUnit;
pub use mips_decoder::MipsDecoder;
pub use system_control::SystemControl;
