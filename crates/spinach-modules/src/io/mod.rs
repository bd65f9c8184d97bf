//! Assists that move frames between host, memory and link; the host and the network around them; timers and interrupts.

mod alarm;
mod bytes;
pub mod checker;
pub mod descriptors;
pub mod faults;
pub mod histogram;
pub mod link;
mod mover;
pub mod registers;
pub mod traffic;

mod dma_assist;
mod host_interconnect;
mod interrupt;
mod mac_receive_assist;
mod mac_transmit_assist;
mod nic_feeder;
mod packet_feeder;
mod packet_sink;
mod timer;

pub use dma_assist::{DmaAssist, DmaAssistParameters, DmaAssistPorts, DmaAssistState};
pub use host_interconnect::{
    HostInterconnect, HostInterconnectParameters, HostInterconnectPorts, HostInterconnectState,
};
pub use interrupt::{Interrupt, InterruptPorts, InterruptState, interrupt_offset};
pub use link::{Link, LinkParameters, LinkPorts, LinkState};
pub use mac_receive_assist::{
    MacReceiveAssist, MacReceiveAssistParameters, MacReceiveAssistPorts, MacReceiveAssistState,
    offset as mac_receive_offset,
};
pub use mac_transmit_assist::{
    MacTransmitAssist, MacTransmitAssistParameters, MacTransmitAssistPorts, MacTransmitAssistState,
};
pub use nic_feeder::{NicFeeder, NicFeederParameters, NicFeederPorts, NicFeederState};
pub use packet_feeder::{PacketFeeder, PacketFeederParameters, PacketFeederPorts, PacketFeederState};
pub use packet_sink::{PacketSink, PacketSinkParameters, PacketSinkPorts, PacketSinkState};
pub use timer::{Timer, TimerPorts, TimerState, timer_offset};

use spinach_engine::Registry;

pub(crate) fn register(registry: &mut Registry) {
    registry.register::<DmaAssist>();
    registry.register::<HostInterconnect>();
    registry.register::<Interrupt>();
    registry.register::<Link>();
    registry.register::<MacReceiveAssist>();
    registry.register::<MacTransmitAssist>();
    registry.register::<NicFeeder>();
    registry.register::<PacketFeeder>();
    registry.register::<PacketSink>();
    registry.register::<Timer>();
}
