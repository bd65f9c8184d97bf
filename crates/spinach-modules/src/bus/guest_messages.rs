//! Messages between a `guest_host` and the guest outside.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// The lane on which a guest's accesses come in.
pub const ACCESS: u32 = 0;
/// The lane on which answers of the guest's memory come in.
pub const MEMORY: u32 = 1;

/// Addresses of a PC at which a write of a device is a message-signaled interrupt.
pub const INTERRUPT_ADDRESSES: Range<u64> = 0xfee0_0000..0xfef0_0000;

/// Access of a guest to a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Access {
    /// Reads 1, 2 or 4 bytes of configuration space.
    ReadConfiguration {
        /// Address.
        address: u64,
        /// Bytes.
        size: u8,
    },
    /// Writes to configuration space.
    WriteConfiguration {
        /// Address.
        address: u64,
        /// Bytes.
        size: u8,
        /// Value, little-endian.
        value: u32,
    },
    /// Reads memory space, by bus address.
    Read {
        /// Address.
        address: u64,
        /// Bytes.
        size: u8,
    },
    /// Writes to memory space.
    Write {
        /// Address.
        address: u64,
        /// Bytes.
        size: u8,
        /// Value, little-endian.
        value: u32,
    },
    /// Resets the bus.
    Reset,
}

const ACCESS_BYTES: usize = 14;

impl Access {
    /// Encodes the access as bytes.
    pub fn to_bytes(self) -> Vec<u8> {
        let (kind, size, address, value) = match self {
            Self::ReadConfiguration { address, size } => (0u8, size, address, 0),
            Self::WriteConfiguration { address, size, value } => (1, size, address, value),
            Self::Read { address, size } => (2, size, address, 0),
            Self::Write { address, size, value } => (3, size, address, value),
            Self::Reset => (4, 0, 0, 0),
        };
        [&[kind, size][..], &address.to_le_bytes(), &value.to_le_bytes()].concat()
    }

    /// Decodes an access; `None` if the bytes are invalid.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; ACCESS_BYTES] = bytes.try_into().ok()?;
        let (kind, size) = (bytes[0], bytes[1]);
        let address = u64::from_le_bytes(*bytes[2..].first_chunk()?);
        let value = u32::from_le_bytes(*bytes.last_chunk()?);
        let is_possible = kind == 4 || (matches!(size, 1 | 2 | 4) && address.is_multiple_of(u64::from(size)));
        match kind {
            _ if !is_possible => None,
            0 => Some(Self::ReadConfiguration { address, size }),
            1 => Some(Self::WriteConfiguration { address, size, value }),
            2 => Some(Self::Read { address, size }),
            3 => Some(Self::Write { address, size, value }),
            4 => Some(Self::Reset),
            _ => None,
        }
    }
}

/// Message of a device to a guest.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Said {
    /// The oldest access is done, with the data read: all ones if nothing answered.
    Done(u32),
    /// It reads memory of the guest, and waits for the answer.
    Read {
        /// Address.
        address: u64,
        /// Bytes.
        length: u32,
    },
    /// It writes memory of the guest, and waits for the answer.
    Write {
        /// Address.
        address: u64,
        /// Bytes to write.
        bytes: Vec<u8>,
    },
    /// The interrupt line is asserted or released.
    Interrupt(bool),
}

impl Said {
    /// Encodes the message as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Done(value) => [&[0][..], &value.to_le_bytes()].concat(),
            Self::Read { address, length } => {
                [&[1][..], &address.to_le_bytes(), &length.to_le_bytes()].concat()
            }
            Self::Write { address, bytes } => [&[2][..], &address.to_le_bytes(), bytes].concat(),
            Self::Interrupt(is_asserted) => vec![3, u8::from(*is_asserted)],
        }
    }

    /// Parses bytes; nothing if they are invalid.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (tag, rest) = bytes.split_first()?;
        match tag {
            0 => Some(Self::Done(u32::from_le_bytes(rest.try_into().ok()?))),
            1 => {
                let (address, length) = rest.split_first_chunk()?;
                let length = u32::from_le_bytes(length.try_into().ok()?);
                Some(Self::Read { address: u64::from_le_bytes(*address), length })
            }
            2 => {
                let (address, bytes) = rest.split_first_chunk()?;
                Some(Self::Write { address: u64::from_le_bytes(*address), bytes: bytes.to_vec() })
            }
            3 => matches!(rest, [0 | 1]).then(|| Self::Interrupt(rest == [1])),
            _ => None,
        }
    }
}
