//! Layouts of everything that firmware, assists and the host exchange through memory: one place for all of them.
//!
//! All words are 32-bit big-endian. All indices that count work (producers, consumers, completions) run freely modulo 2^32;
//! the slot of a ring is the index modulo the number of entries, which is a power of two.
//!
//! # DMA descriptor, 16 bytes ([`DmaDescriptor`])
//! | byte | content |
//! |---|---|
//! | 0 | host address, high word |
//! | 4 | host address, low word |
//! | 8 | local address; frame memory from `frame_memory_base` on, control memory below |
//! | 12 | flags (16 bits, none defined, ignored); length in bytes (16 bits) |
//!
//! # MAC descriptor, 8 bytes ([`MacDescriptor`])
//! | byte | content |
//! |---|---|
//! | 0 | address of the frame in frame memory |
//! | 4 | status of a received frame, see [`status`], 0 to send (16 bits); length in bytes without frame check sequence (16 bits) |
//!
//! # Buffer descriptor, 16 bytes ([`BufferDescriptor`]), in host memory
//! | byte | content |
//! |---|---|
//! | 0 | host address of the buffer, high word |
//! | 4 | host address of the buffer, low word |
//! | 8 | flags, see [`buffer_flags`] (16 bits); length in bytes (16 bits) |
//! | 12 | a word of the driver that the NIC hands back unchanged |
//!
//! The driver fills the send ring and the receive ring. For each received frame the NIC writes one buffer descriptor into the
//! return ring: that of the buffer it used, with the length of the frame in place of the length of the buffer.
//!
//! # Status block, 8 bytes in host memory, written by the NIC
//! | byte | content |
//! |---|---|
//! | 0 | send consumer: how many send buffer descriptors are done with |
//! | 4 | return producer: how many return descriptors are written |
//!
//! # Configuration block, written by the host into the NIC's memory before anything else
//! | byte | content |
//! |---|---|
//! | 0 | host address of the send ring, high word |
//! | 4 | host address of the send ring, low word |
//! | 8 | entries of the send ring |
//! | 12 | host address of the receive ring, high word |
//! | 16 | host address of the receive ring, low word |
//! | 20 | entries of the receive ring |
//! | 24 | host address of the return ring, high word |
//! | 28 | host address of the return ring, low word |
//! | 32 | entries of the return ring |
//! | 36 | host address of the status block, high word |
//! | 40 | host address of the status block, low word |
//! | 44 | [`CONFIGURATION_READY`]; written last |
//! | 48 | where all indices begin: of the rings, the mailboxes and the status block |

use serde::{Deserialize, Serialize};

use crate::parts::bytes::word_at;

/// The word of the configuration block that says that the others are valid.
pub const CONFIGURATION_READY: u32 = 0x5350_4e31;

/// How many bytes the configuration block has.
pub const CONFIGURATION_BYTES: usize = 52;

/// Where in the configuration block the first index is.
pub const FIRST_INDEX_OFFSET: u64 = 48;

/// How many bytes the status block has.
pub const STATUS_BLOCK_BYTES: usize = 8;

/// Bits of the status of a received frame.
pub mod status {
    /// The frame check sequence was wrong; only seen if bad frames are kept.
    pub const BAD_CHECK_SEQUENCE: u16 = 1;
}

/// Bits of the flags of a buffer descriptor.
pub mod buffer_flags {
    /// The last buffer of a frame.
    pub const END: u16 = 4;
    /// Of a frame to send: the NIC puts a checksum in. The word of the driver says where: in bits 15 to 8 the first byte that is summed
    /// up, in bits 7 to 0 that of the checksum, which holds the sum of the pseudo header; both count from the start of the frame.
    pub const INSERT_CHECKSUM: u16 = 16;
    /// Of a received frame: its checksum of TCP or UDP is right.
    pub const CHECKSUM_RIGHT: u16 = 32;
    /// Of a received frame: its checksum of TCP or UDP is wrong.
    pub const CHECKSUM_WRONG: u16 = 64;
}

/// A transfer between host memory and the NIC's memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DmaDescriptor {
    /// Where in host memory.
    pub host: u64,
    /// Where in the NIC's memory.
    pub local: u32,
    /// How many bytes.
    pub length: u16,
}

impl DmaDescriptor {
    /// Bytes in a ring.
    pub const BYTES: usize = 16;

    /// The layout in memory.
    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        words([(self.host >> 32) as u32, self.host as u32, self.local, u32::from(self.length)])
    }

    /// Reads the layout in memory.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self {
            host: u64::from(word_at(bytes, 0)) << 32 | u64::from(word_at(bytes, 4)),
            local: word_at(bytes, 8),
            length: word_at(bytes, 12) as u16,
        }
    }
}

/// A frame in frame memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MacDescriptor {
    /// Where its first byte is.
    pub address: u32,
    /// See [`status`].
    pub status: u16,
    /// How many bytes, without frame check sequence.
    pub length: u16,
}

impl MacDescriptor {
    /// Bytes in a ring.
    pub const BYTES: usize = 8;

    /// The layout in memory.
    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        let [first, second] = [self.address, u32::from(self.status) << 16 | u32::from(self.length)];
        (u64::from(first) << 32 | u64::from(second)).to_be_bytes()
    }

    /// Reads the layout in memory.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let second = word_at(bytes, 4);
        Self { address: word_at(bytes, 0), status: (second >> 16) as u16, length: second as u16 }
    }
}

/// A buffer in host memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BufferDescriptor {
    /// Where its first byte is.
    pub address: u64,
    /// See [`buffer_flags`].
    pub flags: u16,
    /// How many bytes.
    pub length: u16,
    /// A word of the driver.
    pub opaque: u32,
}

impl BufferDescriptor {
    /// Bytes in a ring.
    pub const BYTES: usize = 16;

    /// The layout in memory.
    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        let [high, low] = [(self.address >> 32) as u32, self.address as u32];
        words([high, low, u32::from(self.flags) << 16 | u32::from(self.length), self.opaque])
    }

    /// Reads the layout in memory.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let third = word_at(bytes, 8);
        Self {
            address: u64::from(word_at(bytes, 0)) << 32 | u64::from(word_at(bytes, 4)),
            flags: (third >> 16) as u16,
            length: third as u16,
            opaque: word_at(bytes, 12),
        }
    }
}

fn words(words: [u32; 4]) -> [u8; 16] {
    words.into_iter().fold(0u128, |sum, word| sum << 32 | u128::from(word)).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_come_back_as_they_went_and_lie_as_documented() {
        let dma = DmaDescriptor { host: 0x1122_3344_5566_7788, local: 0x99aa_bbcc, length: 0xddee };
        assert_eq!(
            dma.to_bytes()[..14],
            [0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0, 0]
        );
        assert_eq!(DmaDescriptor::from_bytes(&dma.to_bytes()), dma);
        let mac = MacDescriptor { address: 0x0102_0304, status: 0x0506, length: 0x0708 };
        assert_eq!(mac.to_bytes(), [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(MacDescriptor::from_bytes(&mac.to_bytes()), mac);
        let buffer = BufferDescriptor {
            address: 0x0102_0304_0506_0708,
            flags: 0x090a,
            length: 0x0b0c,
            opaque: 0x0d0e_0f10,
        };
        assert_eq!(buffer.to_bytes(), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
        assert_eq!(BufferDescriptor::from_bytes(&buffer.to_bytes()), buffer);
    }
}
