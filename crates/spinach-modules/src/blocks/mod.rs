//! Blocks of the user, compiled from RTL.

mod adapters;
mod inside;
mod verilated_block;

pub use verilated_block::VerilatedBlock;

use spinach_engine::Registry;

pub(crate) fn register(registry: &mut Registry) {
    registry.register::<VerilatedBlock>();
}
