//! Configuration space of a function (PCI Local Bus Specification 3.0, chapter 6), type 0, without capabilities.

use serde::{Deserialize, Serialize};

const WORDS: usize = 64;
const COMMAND: usize = 1;
const BASE_ADDRESSES: usize = 4;
const BASE_ADDRESS_COUNT: usize = 6;
const INTERRUPT: usize = 15;

const PORT_SPACE: u32 = 1 << 0;
const MEMORY_SPACE: u32 = 1 << 1;
const BUS_MASTER: u32 = 1 << 2;
const INTERRUPT_DISABLE: u32 = 1 << 10;
/// Port and memory space, bus master, parity response, system error, interrupt disable.
const COMMAND_WRITABLE: u32 = 0x0547;
const INTERRUPT_STATUS: u32 = 1 << 19;
const STATUS_CLEARED_BY_ONE: u32 = 0xf900_0000;
const CACHE_LINE_AND_LATENCY: u32 = 0xffff;
const INTERRUPT_LINE: u32 = 0xff;

/// Address space of a window of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Space {
    /// Among the ports.
    Ports,
    /// Memory space, below 4 GiB.
    Memory,
}

/// A window of a function, which software places by the base address register of the same number.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Window {
    /// Address space.
    pub space: Space,
    /// Its length, a power of two from 16 on.
    pub bytes: u32,
}

/// Identity of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Identity {
    /// Vendor.
    pub vendor: u16,
    /// Device.
    pub device: u16,
    /// Class, subclass and interface, 8 bits each.
    pub class: u32,
    /// Its revision.
    pub revision: u8,
    /// Vendor of the card.
    pub subsystem_vendor: u16,
    /// Identity of the card.
    pub subsystem: u16,
    /// The status register at the start.
    pub status: u16,
    /// Length of burst that it needs, in units of 250 ns.
    pub minimum_grant: u8,
    /// Interval at which it needs the bus, in the same units.
    pub maximum_latency: u8,
}

/// The space, 256 bytes. The interrupt is on pin A.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ConfigurationSpace {
    words: Vec<u32>,
    windows: Vec<Window>,
}

impl ConfigurationSpace {
    /// Configuration space of a function with up to six windows, not placed yet.
    pub fn new(identity: &Identity, windows: &[Window]) -> Self {
        let mut words = vec![0; WORDS];
        let pair = |high: u16, low: u16| u32::from(high) << 16 | u32::from(low);
        words[0] = pair(identity.device, identity.vendor);
        words[COMMAND] = pair(identity.status, 0);
        words[2] = identity.class << 8 | u32::from(identity.revision);
        words[11] = pair(identity.subsystem, identity.subsystem_vendor);
        let times = u16::from_be_bytes([identity.maximum_latency, identity.minimum_grant]);
        words[INTERRUPT] = pair(times, 0x0100);
        for (window, word) in windows.iter().zip(&mut words[BASE_ADDRESSES..]) {
            *word = u32::from(window.space == Space::Ports);
        }
        let windows = windows[..windows.len().min(BASE_ADDRESS_COUNT)].to_vec();
        Self { words, windows }
    }

    /// True if its windows are those of another, so that a state of one is a state of the other.
    pub fn is_like(&self, other: &Self) -> bool {
        let fixed = [0, 2, 11];
        self.words.len() == WORDS
            && self.windows == other.windows
            && fixed.iter().all(|word| self.words[*word] == other.words[*word])
    }

    /// The word of 32 bits at a multiple of 4, as it is read.
    pub fn word(&self, offset: u64) -> u32 {
        self.words[offset as usize / 4 % WORDS]
    }

    /// A load of 1, 2 or 4 bytes that does not cross a word.
    pub fn read(&self, offset: u64, size: usize) -> u32 {
        let word = self.word(offset) >> (8 * (offset % 4));
        if size >= 4 { word } else { word & ((1 << (8 * size)) - 1) }
    }

    /// A store of 1, 2 or 4 bytes that does not cross a word.
    pub fn write(&mut self, offset: u64, size: usize, value: u32) {
        let shift = 8 * (offset % 4);
        let bytes = (u64::from(u32::MAX) >> (32 - 8 * size.min(4))) << shift;
        let (mask, value) = (bytes as u32, (u64::from(value) << shift) as u32);
        let number = offset as usize / 4 % WORDS;
        let writable = match number {
            COMMAND => COMMAND_WRITABLE,
            3 => CACHE_LINE_AND_LATENCY,
            INTERRUPT => INTERRUPT_LINE,
            _ => match self.windows.get(number.wrapping_sub(BASE_ADDRESSES)) {
                Some(window) => !(window.bytes - 1),
                None => 0,
            },
        };
        let word = &mut self.words[number];
        *word = *word & !(mask & writable) | value & mask & writable;
        if number == COMMAND {
            *word &= !(value & mask & STATUS_CLEARED_BY_ONE);
        }
    }

    /// The window that an address is in, by number, and the offset there.
    pub fn decode(&self, space: Space, address: u64) -> Option<(usize, u64)> {
        let enabled = match space {
            Space::Ports => PORT_SPACE,
            Space::Memory => MEMORY_SPACE,
        };
        if self.words[COMMAND] & enabled == 0 {
            return None;
        }
        let hit = |(number, window): (usize, &Window)| {
            let base = u64::from(self.words[BASE_ADDRESSES + number] & !(window.bytes - 1));
            let offset = address.checked_sub(base)?;
            (window.space == space && offset < u64::from(window.bytes)).then_some((number, offset))
        };
        self.windows.iter().enumerate().find_map(hit)
    }

    /// True if the function may act as bus master.
    pub fn is_bus_master(&self) -> bool {
        self.words[COMMAND] & BUS_MASTER != 0
    }

    /// Sets the state of the function's interrupt; returns true if the line is asserted.
    pub fn set_interrupt(&mut self, is_asserted: bool) -> bool {
        let word = &mut self.words[COMMAND];
        *word = *word & !INTERRUPT_STATUS | if is_asserted { INTERRUPT_STATUS } else { 0 };
        is_asserted && *word & INTERRUPT_DISABLE == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space() -> ConfigurationSpace {
        let identity = Identity {
            vendor: 0x100b,
            device: 0x22,
            class: 0x02_0000,
            revision: 3,
            subsystem_vendor: 0x1234,
            subsystem: 0x5678,
            status: 0x0290,
            minimum_grant: 0xb,
            maximum_latency: 0x34,
        };
        let ports = Window { space: Space::Ports, bytes: 256 };
        ConfigurationSpace::new(&identity, &[ports, Window { space: Space::Memory, bytes: 4096 }])
    }

    #[test]
    fn the_header_says_what_the_function_is() {
        let space = space();
        assert_eq!(space.word(0), 0x0022_100b);
        assert_eq!(space.word(8), 0x0200_0003);
        assert_eq!(space.read(0x2e, 2), 0x5678);
        assert_eq!([space.read(0x3d, 1), space.read(0x3e, 1), space.read(0x3f, 1)], [1, 0xb, 0x34]);
    }

    #[test]
    fn software_finds_the_size_of_a_window_by_writing_ones_and_places_it() {
        let mut space = space();
        for offset in [0x10, 0x14, 0x18] {
            space.write(offset, 4, u32::MAX);
        }
        assert_eq!([0x10, 0x14, 0x18].map(|offset| space.word(offset)), [0xffff_ff01, 0xffff_f000, 0]);
        space.write(0x10, 4, 0x1000);
        space.write(0x14, 4, 0x4000_0000);
        assert_eq!(space.decode(Space::Memory, 0x4000_0ffc), None, "not enabled");
        space.write(4, 2, 7);
        assert_eq!(space.decode(Space::Memory, 0x4000_0ffc), Some((1, 0xffc)));
        assert_eq!(space.decode(Space::Ports, 0x1004), Some((0, 4)));
        assert_eq!(space.decode(Space::Memory, 0x4000_1000), None);
        assert!(space.is_bus_master());
    }

    #[test]
    fn status_bits_are_cleared_by_one_and_the_line_can_be_disabled() {
        let mut space = space();
        assert!(space.set_interrupt(true));
        assert_eq!(space.read(6, 2), 0x0298);
        space.write(4, 2, 0x400);
        assert!(!space.set_interrupt(true));
        space.write(6, 2, 0xffff);
        assert_eq!(space.read(6, 2), 0x0298, "only errors are cleared, and none was there");
    }
}
