//! Blocks of the user: compiled from RTL, or called outside of the library.

mod adapters;
mod called_block;
mod inside;
mod lanes;
mod verilated_block;

pub use called_block::{Behaviour, CalledBlock, CalledOutputs, CalledValue, GiveBehaviour};
pub use verilated_block::VerilatedBlock;

use spinach_engine::Registry;

pub(crate) fn register(registry: &mut Registry) {
    registry.register::<CalledBlock>();
    registry.register::<VerilatedBlock>();
}
