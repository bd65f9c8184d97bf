//! Hosts that boot an operating system, and cards that they also have without modules.

mod fixed_function_card;
mod kept_function;
mod server;

pub use fixed_function_card::FixedFunctionCard;
pub use server::Server;

use spinach_engine::Registry;

const FEMTOSECONDS_OF_PICOSECOND: u64 = 1000;

pub(crate) fn register(registry: &mut Registry) {
    registry.register::<FixedFunctionCard>();
    registry.register::<Server>();
}
