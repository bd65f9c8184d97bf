//! The host's side of a NIC: the bus between them, interrupts, and hosts with their memory.

mod command_port;
mod emulated_function;
mod guest_host;
pub mod guest_messages;
mod host_interconnect;
mod host_memory;
mod host_traffic;
mod interrupt;
mod interrupt_latch;
mod message_interrupts;
mod pci_device;
mod ring_host;
mod scripted_host;

pub use command_port::CommandPort;
pub use emulated_function::EmulatedFunction;
pub use guest_host::GuestHost;
pub use host_interconnect::HostInterconnect;
pub(crate) use interrupt::INTERRUPT_REGISTERS;
pub use interrupt::Interrupt;
pub use interrupt_latch::InterruptLatch;
pub use message_interrupts::MessageInterrupts;
pub use pci_device::PciDevice;
pub use ring_host::RingHost;
pub use scripted_host::ScriptedHost;

use spinach_engine::Registry;

use crate::parts::numbers::Numbers;

/// The numbers that drivers of hosts share with the library.
pub(crate) const NUMBERS: [(&str, Numbers); 3] = [
    ("script_operation", scripted_host::OPERATION_CODES),
    ("script_wake", scripted_host::WAKE_REASONS),
    ("script_drop", scripted_host::DROP_REASONS),
];

pub(crate) fn register(registry: &mut Registry) {
    registry.register::<CommandPort>();
    registry.register::<EmulatedFunction>();
    registry.register::<GuestHost>();
    registry.register::<HostInterconnect>();
    registry.register::<Interrupt>();
    registry.register::<InterruptLatch>();
    registry.register::<MessageInterrupts>();
    registry.register::<RingHost>();
    registry.register::<PciDevice>();
    registry.register::<ScriptedHost>();
}
