//! Glue between modules that compute and modules that keep state.

mod address_map;
mod asynchronous_fifo;
mod bridge;
mod broadcaster;
mod cable;
mod crossbar;
mod crossing;
mod detector;
mod fifo;
mod function;
mod gate;
mod local_bus;
mod packet_collector;
mod pipe;
mod receiver;
pub(crate) mod routing;
mod sender;
mod slot_balancer;
mod steering;
mod synchronizer;
mod tee;
pub(crate) mod word_bridge;
mod word_ring;

pub use address_map::AddressMap;
pub(crate) use address_map::AddressMapPorts;
pub use asynchronous_fifo::AsynchronousFifo;
pub use bridge::Bridge;
pub use broadcaster::Broadcaster;
pub use cable::{CableInput, CableOutput};
use crossbar::BankedCrossbar;
pub use crossbar::Crossbar;
pub use detector::{AckDetector, DataDetector};
pub use fifo::Fifo;
pub use function::Function;
pub use local_bus::LocalBus;
pub use packet_collector::PacketCollector;
pub use pipe::Pipe;
pub use receiver::Receiver;
pub use sender::Sender;
pub use slot_balancer::SlotBalancer;
pub use steering::{Demux, Mux};
pub use synchronizer::Synchronizer;
pub use tee::Tee;
pub use word_bridge::WordBridge;

use spinach_engine::Registry;

pub(crate) fn register(registry: &mut Registry) {
    registry.register::<AckDetector>();
    registry.register::<AddressMap>();
    registry.register::<AsynchronousFifo>();
    registry.register::<Bridge>();
    registry.register::<Broadcaster>();
    registry.register::<CableInput>();
    registry.register::<CableOutput>();
    registry.register::<Crossbar>();
    registry.register_fusion::<BankedCrossbar>();
    registry.register::<DataDetector>();
    registry.register::<Demux>();
    registry.register::<Fifo>();
    registry.register::<Function>();
    registry.register::<LocalBus>();
    registry.register::<Mux>();
    registry.register::<PacketCollector>();
    registry.register::<Pipe>();
    registry.register::<Receiver>();
    registry.register::<Sender>();
    registry.register::<SlotBalancer>();
    registry.register::<Synchronizer>();
    registry.register::<Tee>();
    registry.register::<WordBridge>();
}
