//! Sources and sinks of frames, checks between them, and faults of the wire.

pub(crate) mod checker;
mod content;
mod datagrams;
mod description;
mod faults;
pub mod live_frames;
mod live_wire;
pub(crate) mod pace;
mod packet_sink;
pub mod plan;
mod raw_frames;
mod traffic_source;
mod wire_faults;

pub use live_wire::LiveWire;
pub use packet_sink::PacketSink;
pub use traffic_source::TrafficSource;
pub use wire_faults::WireFaults;

use spinach_engine::Registry;

pub(crate) fn register(registry: &mut Registry) {
    registry.register::<LiveWire>();
    registry.register::<TrafficSource>();
    registry.register::<PacketSink>();
    registry.register::<WireFaults>();
}
