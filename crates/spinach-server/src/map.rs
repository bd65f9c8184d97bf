//! Memory map. The interrupt controller, memory and the windows of the bus lie where QEMU's machine `virt` has them.

use std::ops::Range;

/// The ports of the bus.
pub const PORTS: Range<u64> = 0x0300_0000..0x0301_0000;
/// The interrupt controller.
pub const INTERRUPTS: Range<u64> = 0x0c00_0000..0x0c60_0000;
/// The registers of the disk.
pub const DISK: Range<u64> = 0x1000_1000..0x1000_2000;
/// The registers of the shared folder.
pub const SHARE: Range<u64> = 0x1000_2000..0x1000_3000;
/// Source of interrupts of the disk.
pub const DISK_SOURCE: usize = 8;
/// Source of interrupts of the shared folder.
pub const SHARE_SOURCE: usize = 9;
/// Registers of the controller of message interrupts, to which cards write.
pub const MESSAGES: Range<u64> = 0x2800_0000..0x2890_0000;
/// Configuration spaces of the functions on the bus: bus 0 only.
pub const CONFIGURATION: Range<u64> = 0x3000_0000..0x3010_0000;
/// Memory on the bus.
pub const WINDOW: Range<u64> = 0x4000_0000..0x8000_0000;
/// Memory.
pub const MEMORY: u64 = 0x8000_0000;
/// The first of the sources of interrupts that the functions on the bus share.
pub const FIRST_SOURCE_OF_BUS: usize = 1;
/// The first of the sources of interrupts of groups of messages.
pub const FIRST_SOURCE_OF_MESSAGES: usize = 16;

/// True if a card's write of these bytes at an address is a message.
pub fn is_message(address: u64, bytes: usize) -> bool {
    MESSAGES.contains(&address) && bytes == 4
}
