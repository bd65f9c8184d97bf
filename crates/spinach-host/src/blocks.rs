//! Decoded blocks of instructions, for any instruction set: found by where they are in memory, dropped when that is written.
//!
//! A block is a run of instructions on one page, of which only the last may transfer control. Blocks lie one after the other in
//! one arena, so that whoever executes one needs neither a count of references nor a copy; a dropped block stays there, not to be
//! found, until the arena is emptied.

use crate::memory::PAGE_BYTES;

/// How many instructions the arena holds before it is emptied.
const ARENA: usize = 1 << 22;
/// Addresses of instructions are a multiple of this many bytes.
const PARCEL_BYTES: usize = 2;
const PARCELS: usize = PAGE_BYTES / PARCEL_BYTES;

/// A block in the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Where in memory it begins.
    pub place: usize,
    start: u32,
    count: u16,
    /// Its length in memory.
    pub bytes: u16,
}

/// The blocks of a memory. `Op` is a decoded instruction.
#[derive(Debug)]
pub struct Blocks<Op> {
    ops: Vec<Op>,
    blocks: Vec<Block>,
    /// Of each page, for each parcel, one more than the number of the block that begins there.
    pages: Vec<Option<Box<[u32; PARCELS]>>>,
    generation: u64,
    emptied: u64,
}

impl<Op> Blocks<Op> {
    /// For a memory of so many pages.
    pub fn new(pages: usize) -> Self {
        Self {
            ops: Vec::new(),
            blocks: Vec::new(),
            pages: (0..pages).map(|_| None).collect(),
            generation: 0,
            emptied: 0,
        }
    }

    /// Changes whenever blocks are dropped: an address may have another block then, or none.
    #[inline(always)]
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// How often the arena was emptied: numbers of blocks mean others since.
    pub fn emptied(&self) -> u64 {
        self.emptied
    }

    /// The block that begins at a place in memory.
    pub fn find(&self, place: usize) -> Option<u32> {
        let page = self.pages[place / PAGE_BYTES].as_ref()?;
        page[place % PAGE_BYTES / PARCEL_BYTES].checked_sub(1)
    }

    /// Keeps a block that begins at a place in memory.
    pub fn keep(&mut self, place: usize, ops: impl IntoIterator<Item = Op>, bytes: u16) -> u32 {
        if self.ops.len() >= ARENA {
            self.clear();
        }
        let start = self.ops.len();
        self.ops.extend(ops);
        let number = self.blocks.len() as u32;
        let count = (self.ops.len() - start) as u16;
        self.blocks.push(Block { place, start: start as u32, count, bytes });
        let page = self.pages[place / PAGE_BYTES].get_or_insert_with(|| Box::new([0; PARCELS]));
        page[place % PAGE_BYTES / PARCEL_BYTES] = number + 1;
        number
    }

    /// A block, and its instructions.
    #[inline(always)]
    pub fn get(&self, number: u32) -> (Block, &[Op]) {
        let block = self.blocks[number as usize];
        (block, &self.ops[block.start as usize..][..usize::from(block.count)])
    }

    /// Forgets the blocks of a page.
    pub fn drop_page(&mut self, page: usize) {
        self.pages[page] = None;
        self.generation += 1;
    }

    /// Forgets everything.
    fn clear(&mut self) {
        self.ops.clear();
        self.blocks.clear();
        self.pages.iter_mut().for_each(|page| *page = None);
        self.generation += 1;
        self.emptied += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_found_until_its_page_is_written() {
        let mut blocks = Blocks::new(2);
        let number = blocks.keep(PAGE_BYTES + 6, [1, 2, 3], 8);
        assert_eq!(blocks.find(PAGE_BYTES + 6), Some(number));
        assert_eq!(blocks.find(PAGE_BYTES + 8), None);
        assert_eq!(blocks.get(number).1, [1, 2, 3]);
        let before = blocks.generation();
        blocks.drop_page(0);
        assert_eq!(blocks.find(PAGE_BYTES + 6), Some(number));
        blocks.drop_page(1);
        assert_eq!(blocks.find(PAGE_BYTES + 6), None);
        assert_ne!(blocks.generation(), before);
    }

    #[test]
    fn a_full_arena_is_emptied() {
        let mut blocks = Blocks::new(1);
        blocks.keep(0, vec![0_u8; ARENA], 2);
        let number = blocks.keep(4, [7], 2);
        assert_eq!(blocks.find(0), None);
        assert_eq!(blocks.get(number).1, [7]);
    }
}
