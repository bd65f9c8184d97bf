//! Instructions as text.

use pyo3::prelude::*;
use spinach_isa::mips::disassemble::disassemble as instruction_text;
use spinach_isa::mips::tigon2::PriorityOrder;
use spinach_isa::mips::{Extensions, decode};
use spinach_python_macros::guarded;

/// The MIPS instruction `word` at `address` as assembly text; the extensions of all shipped cores are known.
#[guarded]
#[pyfunction]
pub(crate) fn disassemble(word: u32, address: u32) -> String {
    let extensions = Extensions { tigon2: Some(PriorityOrder::HighestFirst), atomic_bit_array: true };
    instruction_text(decode(word, extensions), address).to_string()
}
