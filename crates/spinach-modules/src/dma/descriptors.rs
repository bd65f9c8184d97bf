//! Layouts of everything that firmware, assists and the host exchange through memory: one place for all of them.
//!
//! All words are 32-bit big-endian. All indices that count work (producers, consumers, completions) run freely modulo 2^32;
//! the slot of a ring is the index modulo the number of entries, which is a power of two.

use serde::{Deserialize, Serialize};

use crate::parts::bytes::word_at;
use crate::parts::layout::{Layout, SHARED_WORD, WORD, layout};
use crate::parts::numbers::numbers;

layout! {
    /// A place in host memory.
    pub HOST_ADDRESS, host_address: "host_address" {
        /// The upper half.
        HIGH: WORD;
        /// The lower half.
        LOW: WORD;
    }
}

layout! {
    /// Bytes between host memory and memory of the NIC.
    pub DMA_DESCRIPTOR, dma_descriptor: "dma_descriptor" {
        /// Address in host memory.
        HOST: HOST_ADDRESS;
        /// Address on the NIC: frame memory from `frame_memory_base` on, control memory below.
        LOCAL: WORD;
        /// 16 bits for the firmware, which are ignored; length in bytes (16 bits).
        FLAGS_LENGTH: WORD;
    }
}

layout! {
    /// A frame in frame memory, to be sent or received.
    pub MAC_DESCRIPTOR, mac_descriptor: "mac_descriptor" {
        /// Address of its first byte.
        ADDRESS: WORD;
        /// Status of a received frame, 0 of one to send (16 bits); length in bytes without frame check sequence (16 bits).
        STATUS_LENGTH: WORD;
    }
}

layout! {
    /// A buffer in host memory. The rings of the driver, and what the NIC returns, consist of these.
    pub BUFFER_DESCRIPTOR, buffer_descriptor: "buffer_descriptor" {
        /// Address of the buffer.
        ADDRESS: HOST_ADDRESS;
        /// Flags (16 bits); length in bytes (16 bits): of a returned descriptor that of the frame.
        FLAGS_LENGTH: WORD;
        /// A word of the driver that the NIC hands back unchanged.
        OPAQUE: WORD;
    }
}

layout! {
    /// Status read by the host at an interrupt; the NIC writes it.
    pub STATUS_WORDS, status_words: "status_words" {
        /// Number of completed send descriptors.
        SEND_BD_CONSUMED: SHARED_WORD;
        /// Number of written return descriptors.
        RECEIVE_RETURNED: SHARED_WORD;
    }
}

layout! {
    /// A ring of buffer descriptors in host memory.
    pub HOST_RING, host_ring: "host_ring" {
        /// First address.
        ADDRESS: HOST_ADDRESS;
        /// A power of two.
        ENTRIES: WORD;
    }
}

layout! {
    /// Configuration written by the host into the NIC's memory once, before anything else.
    pub HOST_RINGS, host_rings: "host_rings" {
        /// Buffers of frames to send.
        SEND: HOST_RING;
        /// Buffers for frames received.
        RECEIVE: HOST_RING;
        /// Ring of descriptors of received frames.
        RETURNED: HOST_RING;
        /// Address of the status words.
        STATUS: HOST_ADDRESS;
        /// HOST_RINGS_READY; written last.
        READY: SHARED_WORD;
        /// Initial value of all indices: the host's and, by agreement, those of the assists.
        FIRST_INDEX: WORD;
    }
}

/// Layouts that firmware uses; components precede the layouts made of them.
pub(crate) const LAYOUTS: [&Layout; 7] = [
    &HOST_ADDRESS,
    &DMA_DESCRIPTOR,
    &MAC_DESCRIPTOR,
    &BUFFER_DESCRIPTOR,
    &STATUS_WORDS,
    &HOST_RING,
    &HOST_RINGS,
];

/// Size of the status words, in bytes.
pub const STATUS_BLOCK_BYTES: usize = STATUS_WORDS.bytes() as usize;

numbers! {
    /// Words that say that others are valid.
    READY_WORDS: u32 {
        /// Magic number of the host's rings.
        pub HOST_RINGS_READY = 0x5350_4e31;
    }
}

/// Bits of the status of a received frame.
pub mod status {
    /// The frame check sequence was wrong; only seen if bad frames are kept.
    pub const BAD_CHECK_SEQUENCE: u16 = 1;
}

/// Bits of the flags of a buffer descriptor.
pub mod buffer_flags {
    crate::parts::numbers::numbers! {
        /// All of them.
        BUFFER_FLAGS: u16 {
            /// The last buffer of a frame.
            pub END = 4;
            /// The frame was longer than the buffer.
            pub TRUNCATED = 8;
            /// Flag of a frame to send: the NIC inserts a checksum. The driver's word gives the places: in bits 15 to 8 the first
            /// byte that is summed up, in bits 7 to 0 that of the checksum, which holds the sum of the pseudo header; both count
            /// from the start of the frame.
            pub INSERT_CHECKSUM = 16;
            /// Flag of a received frame: its checksum of TCP or UDP is correct.
            pub CHECKSUM_RIGHT = 32;
            /// Flag of a received frame: its checksum of TCP or UDP is wrong.
            pub CHECKSUM_WRONG = 64;
        }
    }
    crate::parts::numbers::numbers! {
        /// Flags of buffers to send for NICs that keep content (ExpCS 2007, section 3.2.1). The driver's word gives the offset in the
        /// memory for content.
        CONTENT_FLAGS: u16 {
            /// The NIC keeps these bytes, and sends them from there.
            pub KEEP_CONTENT = 128;
            /// The NIC sends bytes that it keeps; the buffer has no host address.
            pub SEND_CONTENT = 256;
        }
    }
}

/// A transfer between host memory and the NIC's memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DmaDescriptor {
    /// Address in host memory.
    pub host: u64,
    /// Address in the NIC's memory.
    pub local: u32,
    /// Length in bytes.
    pub length: u16,
}

impl DmaDescriptor {
    /// Bytes in a ring.
    pub const BYTES: usize = DMA_DESCRIPTOR.bytes() as usize;

    /// The layout in memory.
    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        words([(self.host >> 32) as u32, self.host as u32, self.local, u32::from(self.length)])
    }

    /// Reads the layout in memory.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self {
            host: host_at(bytes, dma_descriptor::HOST),
            local: word_at(bytes, dma_descriptor::LOCAL as usize),
            length: word_at(bytes, dma_descriptor::FLAGS_LENGTH as usize) as u16,
        }
    }
}

/// A frame in frame memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MacDescriptor {
    /// Address of its first byte.
    pub address: u32,
    /// See [`status`].
    pub status: u16,
    /// Length in bytes, without frame check sequence.
    pub length: u16,
}

impl MacDescriptor {
    /// Bytes in a ring.
    pub const BYTES: usize = MAC_DESCRIPTOR.bytes() as usize;

    /// The layout in memory.
    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        let [first, second] = [self.address, u32::from(self.status) << 16 | u32::from(self.length)];
        (u64::from(first) << 32 | u64::from(second)).to_be_bytes()
    }

    /// Reads the layout in memory.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let second = word_at(bytes, mac_descriptor::STATUS_LENGTH as usize);
        Self {
            address: word_at(bytes, mac_descriptor::ADDRESS as usize),
            status: (second >> 16) as u16,
            length: second as u16,
        }
    }
}

/// A buffer in host memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BufferDescriptor {
    /// Address of its first byte.
    pub address: u64,
    /// See [`buffer_flags`].
    pub flags: u16,
    /// Length in bytes.
    pub length: u16,
    /// A word of the driver.
    pub opaque: u32,
}

impl BufferDescriptor {
    /// Bytes in a ring.
    pub const BYTES: usize = BUFFER_DESCRIPTOR.bytes() as usize;

    /// The layout in memory.
    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        let [high, low] = [(self.address >> 32) as u32, self.address as u32];
        words([high, low, u32::from(self.flags) << 16 | u32::from(self.length), self.opaque])
    }

    /// Reads the layout in memory.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let flags_length = word_at(bytes, buffer_descriptor::FLAGS_LENGTH as usize);
        Self {
            address: host_at(bytes, buffer_descriptor::ADDRESS),
            flags: (flags_length >> 16) as u16,
            length: flags_length as u16,
            opaque: word_at(bytes, buffer_descriptor::OPAQUE as usize),
        }
    }
}

fn host_at(bytes: &[u8], offset: u32) -> u64 {
    let half = |half: u32| u64::from(word_at(bytes, (offset + half) as usize));
    half(host_address::HIGH) << 32 | half(host_address::LOW)
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
