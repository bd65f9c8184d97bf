//! Data moves between host memory and the NIC's memory.

pub mod descriptors;
mod dma_assist;
mod queue_dma;

pub use dma_assist::DmaAssist;
pub use queue_dma::QueueDma;

use spinach_engine::Registry;

pub(crate) fn register(registry: &mut Registry) {
    registry.register::<DmaAssist>();
    registry.register::<QueueDma>();
}
