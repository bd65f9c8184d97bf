//! Blocks of the user: compiled from RTL, or called outside of the library.

/// Number of counters that a block declares itself at most.
const OWN_COUNTERS: usize = 8;

// The counters of a kind of block, and those that each block declares itself behind them.
macro_rules! with_own_counters {
    ($($counter:expr),* $(,)?) => {
        [
            $($counter,)*
            ("count_0", "counter of the block itself"),
            ("count_1", "counter of the block itself"),
            ("count_2", "counter of the block itself"),
            ("count_3", "counter of the block itself"),
            ("count_4", "counter of the block itself"),
            ("count_5", "counter of the block itself"),
            ("count_6", "counter of the block itself"),
            ("count_7", "counter of the block itself"),
        ]
    };
}

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
