//! Modules that hold bytes, and modules that decide who reaches them and when.

mod arbiter;
mod cache_controller;
mod initiator;
mod memory_controller;
mod multiported_memory;
mod reservations;
mod storage;
mod watch;

pub use arbiter::Arbiter;
pub use cache_controller::CacheController;
pub use initiator::Initiator;
pub use memory_controller::MemoryController;
pub use multiported_memory::MultiportedMemory;

use spinach_engine::Registry;

pub(crate) fn register(registry: &mut Registry) {
    registry.register::<Arbiter>();
    registry.register::<CacheController>();
    registry.register::<MemoryController>();
    registry.register::<Initiator>();
    registry.register::<MultiportedMemory>();
}
