//! Data moves between host memory and the NIC's memory.

pub mod descriptors;
mod dma_assist;

pub use dma_assist::DmaAssist;

use spinach_engine::Registry;

pub(crate) fn register(registry: &mut Registry) {
    registry.register::<DmaAssist>();
}
