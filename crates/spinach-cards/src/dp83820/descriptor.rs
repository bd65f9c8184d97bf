//! Descriptors in the memory of the host.

use serde::{Deserialize, Serialize};

/// A descriptor, as it was read.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Descriptor {
    pub(crate) address: u64,
    pub(crate) link: u64,
    pub(crate) buffer: u64,
    pub(crate) status: u32,
    pub(crate) extended: u32,
    status_offset: u64,
}

impl Descriptor {
    /// Bytes of a descriptor with addresses of 32 or 64 bits.
    pub(crate) fn bytes(is_long: bool) -> usize {
        if is_long { 24 } else { 16 }
    }

    /// Decodes a descriptor from its bytes.
    pub(crate) fn decode(address: u64, bytes: &[u8]) -> Self {
        let is_long = bytes.len() == Self::bytes(true);
        let word = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| bytes[at + byte]));
        let wide = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        if is_long {
            let (link, buffer) = (wide(0), wide(8));
            Self { address, link, buffer, status: word(16), extended: word(20), status_offset: 16 }
        } else {
            let (link, buffer) = (word(0).into(), word(4).into());
            Self { address, link, buffer, status: word(8), extended: word(12), status_offset: 8 }
        }
    }

    /// Address of the status word.
    pub(crate) fn status_address(&self) -> u64 {
        self.address + self.status_offset
    }
}
