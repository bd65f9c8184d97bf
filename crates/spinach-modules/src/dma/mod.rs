//! Data moves between host memory and the NIC's memory.

pub mod descriptors;
mod dma_assist;
pub mod packet_mover;
mod queue_dma;

pub use dma_assist::DmaAssist;
pub use packet_mover::PacketMover;
pub use queue_dma::QueueDma;

use spinach_engine::Registry;

pub(crate) fn register(registry: &mut Registry) {
    registry.register::<DmaAssist>();
    registry.register::<PacketMover>();
    registry.register::<QueueDma>();
}
