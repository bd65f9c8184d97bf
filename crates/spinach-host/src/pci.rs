//! The host bridge of the bus (PCI Express, with configuration space by ECAM). No function is on the bus yet.

use crate::map;
use crate::memory::Memory;

/// The bridge: configuration space, and the windows through which harts refer to functions.
#[derive(Clone, Copy, Debug)]
pub struct HostBridge;

impl HostBridge {
    /// A load of up to 8 bytes: all ones where no function answers; `None` outside of the bus.
    pub fn read(&mut self, address: u64, size: usize, _time: u64) -> Option<u64> {
        is_of_bus(address).then_some(u64::MAX >> (64 - 8 * size))
    }

    /// A store of up to 8 bytes: lost where no function answers; `None` outside of the bus.
    pub fn write(&mut self, address: u64, _bytes: &[u8], _memory: &mut Memory, _time: u64) -> Option<()> {
        is_of_bus(address).then_some(())
    }
}

fn is_of_bus(address: u64) -> bool {
    [map::CONFIGURATION, map::PORTS, map::WINDOW].iter().any(|window| window.contains(&address))
}
