//! Assists that move frames between host, memory and link; the host and the network around them; timers and interrupts.

mod alarm;
mod bytes;
pub mod checker;
mod circular;
pub mod descriptors;
pub mod faults;
pub mod histogram;
mod host_memory;
pub mod link;
mod mover;
pub mod register_message;
pub mod registers;
pub mod traffic;

mod dma_assist;
mod dma_channel;
mod host_interconnect;
mod interrupt;
mod mac_receive_assist;
mod mac_transmit_assist;
mod memory_window;
mod nic_feeder;
mod packet_feeder;
mod packet_sink;
mod pci_device;
mod register_file;
mod ring_receive;
mod ring_transmit;
mod scripted_host;
mod serial_eeprom;
mod timer;

pub use dma_assist::{DmaAssist, DmaAssistParameters, DmaAssistPorts, DmaAssistState};
pub use dma_channel::{DmaChannel, DmaChannelParameters, DmaChannelPorts, DmaChannelState, dma_control};
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
pub use memory_window::{MemoryWindow, MemoryWindowParameters, MemoryWindowPorts, MemoryWindowState};
pub use nic_feeder::{NicFeeder, NicFeederParameters, NicFeederPorts, NicFeederState};
pub use packet_feeder::{PacketFeeder, PacketFeederParameters, PacketFeederPorts, PacketFeederState};
pub use packet_sink::{PacketSink, PacketSinkParameters, PacketSinkPorts, PacketSinkState};
pub use pci_device::{PciDevice, PciDeviceParameters, PciDevicePorts, PciDeviceState};
pub use register_file::{RegisterFile, RegisterFileParameters, RegisterFilePorts, RegisterFileState};
pub use ring_receive::{RingReceive, RingReceiveParameters, RingReceivePorts, RingReceiveState};
pub use ring_transmit::{RingTransmit, RingTransmitParameters, RingTransmitPorts, RingTransmitState};
pub use scripted_host::{ScriptedHost, ScriptedHostParameters, ScriptedHostPorts, ScriptedHostState};
pub use serial_eeprom::{SerialEeprom, SerialEepromParameters, SerialEepromPorts, SerialEepromState};
pub use timer::{Timer, TimerPorts, TimerState, timer_offset};

use spinach_engine::Registry;

pub(crate) fn register(registry: &mut Registry) {
    registry.register::<DmaAssist>();
    registry.register::<DmaChannel>();
    registry.register::<HostInterconnect>();
    registry.register::<Interrupt>();
    registry.register::<Link>();
    registry.register::<MacReceiveAssist>();
    registry.register::<MacTransmitAssist>();
    registry.register::<MemoryWindow>();
    registry.register::<NicFeeder>();
    registry.register::<PacketFeeder>();
    registry.register::<PacketSink>();
    registry.register::<PciDevice>();
    registry.register::<RegisterFile>();
    registry.register::<RingReceive>();
    registry.register::<RingTransmit>();
    registry.register::<ScriptedHost>();
    registry.register::<SerialEeprom>();
    registry.register::<Timer>();
}
