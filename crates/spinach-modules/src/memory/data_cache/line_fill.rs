//! A line on its way from the memory to a data cache.

use serde::{Deserialize, Serialize};

use crate::memory::lines::Shape;
use crate::memory::storage::{Storage, mask_of};
use crate::values::{Reference, Response};

/// Maximum number of bytes that a fill can track.
pub(super) const MAXIMUM_LINE: u64 = 128;

/// A line on its way here.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Fill {
    pub line: u64,
    pub bytes: Storage,
    /// A bit for each byte that came or was stored.
    pub known: u128,
    /// A bit for each byte without an answer of the memory.
    pub missing: u128,
    /// Number of parts that have not come yet.
    pub left: u64,
    /// Reads that wait for their bytes, with the numbers of their answers.
    pub waiting: Vec<(Reference, u64)>,
    /// Number of merged stores.
    pub stores: u32,
}

impl Fill {
    // The bytes of a reference, as bits of the line.
    fn mask(shape: Shape, reference: &Reference) -> u128 {
        ((1 << reference.size) - 1) << shape.offset_in_line(reference.address)
    }

    /// Stores the data of a reference.
    pub(super) fn put(&mut self, shape: Shape, reference: &Reference) {
        let offset = shape.offset_in_line(reference.address);
        self.bytes.store(offset, reference.size, reference.enables, reference.data);
        self.known |= u128::from(reference.enables) << offset;
    }

    /// True if a read waits for bytes that a reference writes.
    pub(super) fn is_awaited(&self, shape: Shape, reference: &Reference) -> bool {
        let written = Self::mask(shape, reference);
        self.waiting.iter().any(|(read, _)| Self::mask(shape, read) & written != 0)
    }

    /// Takes bytes from the memory. Bytes that were stored meanwhile stay.
    pub(super) fn receive(&mut self, offset: u64, size: u64, response: Response) {
        let enables = !(self.known >> offset) as u16;
        self.bytes.store(offset, size as u8, enables, response.data);
        let mask = ((1 << size) - 1) << offset;
        self.known |= mask;
        self.missing |= if response.is_fault { mask } else { 0 };
        self.left -= 1;
    }

    /// Result of a read, if all its bytes are here.
    pub(super) fn answer(&self, shape: Shape, reference: &Reference) -> Option<Response> {
        let mask = Self::mask(shape, reference);
        if self.known & mask != mask {
            return None;
        }
        if self.missing & mask != 0 {
            return Some(Response::FAULT);
        }
        let data = self.bytes.load(shape.offset_in_line(reference.address), reference.size)?;
        Some(Response { data: data & mask_of(reference.enables, reference.size), is_fault: false })
    }
}
