//! Blocks that behave as those of one chip, the Tigon-2: its register file, rings, DMA channels and what its host sees.
//!
//! They are the exception to the rule that the library knows no NIC. Addresses, sizes and times are parameters as everywhere; what
//! the blocks do when firmware or a host touches a register is this chip's, and no other NIC need have it.

mod circular;
mod dma_channel;
mod memory_window;
mod poll;
mod register_file;
mod ring_receive;
mod ring_transmit;
mod serial_eeprom;

pub use dma_channel::DmaChannel;
pub use memory_window::MemoryWindow;
pub use register_file::RegisterFile;
pub use ring_receive::RingReceive;
pub use ring_transmit::RingTransmit;
pub use serial_eeprom::SerialEeprom;

use spinach_engine::Registry;

pub(crate) fn register(registry: &mut Registry) {
    registry.register::<DmaChannel>();
    registry.register::<MemoryWindow>();
    registry.register::<RegisterFile>();
    registry.register::<RingReceive>();
    registry.register::<RingTransmit>();
    registry.register::<SerialEeprom>();
}
