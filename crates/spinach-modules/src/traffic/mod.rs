//! Where frames come from and where they go: plans of traffic, sources, sinks, and what is checked on the way.

pub(crate) mod checker;
mod faults;
mod packet_feeder;
mod packet_sink;
pub mod plan;

pub use packet_feeder::PacketFeeder;
pub use packet_sink::PacketSink;

use spinach_engine::Registry;

pub(crate) fn register(registry: &mut Registry) {
    registry.register::<PacketFeeder>();
    registry.register::<PacketSink>();
}
