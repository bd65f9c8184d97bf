//! Memories, and modules that arbitrate access to them.

mod arbiter;
mod arbitration;
mod block_memory_transfer;
mod cache_controller;
mod cells;
pub(crate) mod code_lines;
mod data_cache;
mod initiator;
mod lines;
pub(crate) mod loan;
mod memory_controller;
mod multiported_memory;
mod private_memory;
mod reservations;
mod scratch_pad_filter;
mod shared_memory;
pub(crate) mod storage;
mod watch;
mod write_watch;

pub use arbiter::Arbiter;
pub use block_memory_transfer::BlockMemoryTransfer;
pub use cache_controller::CacheController;
pub(crate) use cache_controller::CacheControllerPorts;
pub use data_cache::{CacheAnswer, CacheQuestion, CacheRequest, DataCache};
pub use initiator::Initiator;
pub use memory_controller::MemoryController;
pub use multiported_memory::MultiportedMemory;
pub(crate) use multiported_memory::{MadeAhead, MultiportedMemoryPorts};
pub use private_memory::PrivateMemory;
pub(crate) use private_memory::{Moved, PrivateMemoryPorts, SideOutcome};
pub use scratch_pad_filter::ScratchPadFilter;
pub use shared_memory::SharedMemory;
pub use write_watch::WriteWatch;

use spinach_engine::Registry;

pub(crate) fn register(registry: &mut Registry) {
    registry.register::<Arbiter>();
    registry.register::<BlockMemoryTransfer>();
    registry.register::<CacheController>();
    registry.register::<DataCache>();
    registry.register::<MemoryController>();
    registry.register::<Initiator>();
    registry.register::<MultiportedMemory>();
    registry.register::<PrivateMemory>();
    registry.register::<ScratchPadFilter>();
    registry.register::<SharedMemory>();
    registry.register::<WriteWatch>();
}
