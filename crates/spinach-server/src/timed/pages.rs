//! Translation buffers of a core.

use spinach_isa::riscv::translation::page_bits;

use super::parameters::{LINE_BYTES, PAGE_WAYS, Shape};
use super::tags::Tags;
use crate::memory::Memory;

/// Logs of the bytes of pages, the most frequent first.
const PAGE_BITS: [u32; 3] = [12, 21, 30];
/// Position of the page size in an entry.
const SIZE_SHIFT: u32 = 56;

/// The page tables of instructions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tables<'a> {
    /// Their address; `None` if addresses are not translated.
    pub(super) root: Option<u64>,
    pub(super) memory: &'a Memory,
}

/// A buffer of translations. A page takes one entry, however large it is.
#[derive(Debug)]
pub(super) struct Pages {
    tags: Tags,
    /// Pages used last, by address and log of bytes.
    last: (u64, u32),
    /// Sizes of pages that are remembered, as bits of [`PAGE_BITS`].
    sizes: u32,
    misses: u64,
}

impl Pages {
    /// Entries in sets of [`PAGE_WAYS`].
    pub(super) fn new(count: usize) -> Self {
        let shape = Shape { bytes: count * LINE_BYTES, ways: PAGE_WAYS };
        Self { tags: Tags::new(shape), last: (u64::MAX, 0), sizes: 0, misses: 0 }
    }

    /// True if there is no need to walk through tables for an address: its page is remembered from here on.
    #[inline]
    pub(super) fn knows(&mut self, address: u64, tables: &Tables<'_>) -> bool {
        address >> self.last.1 == self.last.0 || self.finds(address, tables)
    }

    fn finds(&mut self, address: u64, tables: &Tables<'_>) -> bool {
        let Some(root) = tables.root else { return true };
        for (size, bits) in PAGE_BITS.into_iter().enumerate() {
            if self.sizes >> size & 1 != 0 && self.tags.find(key(address, bits)).is_some() {
                self.last = (address >> bits, bits);
                return true;
            }
        }
        self.misses += 1;
        let bits = page_bits(root, address, tables.memory);
        self.sizes |= PAGE_BITS.iter().position(|known| *known == bits).map_or(0, |size| 1 << size);
        self.tags.insert(key(address, bits), 0);
        self.last = (address >> bits, bits);
        false
    }

    /// Walks made.
    pub(super) fn misses(&self) -> u64 {
        self.misses
    }

    /// Continues the count of a buffer that it replaces.
    pub(super) fn keep_count_of(&mut self, replaced: &Self) {
        self.misses = replaced.misses;
    }

    /// Page tables have changed.
    pub(super) fn forget(&mut self) {
        *self = Self { misses: self.misses, ..Self::new(self.tags.count()) };
    }
}

fn key(address: u64, bits: u32) -> u64 {
    address >> bits | u64::from(bits) << SIZE_SHIFT
}
