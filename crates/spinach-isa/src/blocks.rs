//! Decoded blocks of instructions, for any instruction set: found by where they are in memory, dropped when that is written.
//!
//! A block is a run of instructions on one page, of which only the last may transfer control. Blocks lie in one arena, so that an
//! executor needs neither a reference count nor a copy; a dropped block stays there, unreachable, until the arena is emptied.

use std::cell::Cell;

/// Bytes of a page.
pub const PAGE_BYTES: usize = 4096;

/// Addresses of instructions are a multiple of this many bytes.
const PARCEL_BYTES: usize = 2;
const PARCELS: usize = PAGE_BYTES / PARCEL_BYTES;

/// A block in the arena.
#[derive(Clone, Debug)]
pub struct Block<Op> {
    ops: Box<[Op]>,
    /// Per [`Way`]: number of the block that follows on the same page, if it is known.
    links: [Cell<u32>; 2],
    page: u32,
    /// Its first byte on its page.
    offset: u16,
    bytes: u16,
}

impl<Op> Block<Op> {
    fn new(place: usize, ops: Box<[Op]>, bytes: u16) -> Self {
        let links = [NO_BLOCK, NO_BLOCK].map(Cell::new);
        Self { ops, links, page: (place / PAGE_BYTES) as u32, offset: (place % PAGE_BYTES) as u16, bytes }
    }

    /// Replacement for instructions that are not a block, of a length in memory: it is never linked.
    pub fn unlinked(bytes: u16) -> Self {
        Self { page: u32::MAX, ..Self::new(0, Box::default(), bytes) }
    }

    /// Its instructions.
    #[inline(always)]
    pub fn ops(&self) -> &[Op] {
        &self.ops
    }

    /// Its first byte in memory.
    #[inline(always)]
    pub fn place(&self) -> usize {
        self.page as usize * PAGE_BYTES + usize::from(self.offset)
    }

    /// Its length in memory.
    #[inline(always)]
    pub fn bytes(&self) -> u16 {
        self.bytes
    }

    /// Number of the block that follows in a way, if that is known; [`NO_BLOCK`] if not.
    #[inline(always)]
    pub fn linked(&self, way: Way) -> u32 {
        self.links[way as usize].get()
    }

    /// Records its successor, if both are on the same page, so that both are dropped at the same time.
    pub fn link(&self, way: Way, number: u32, next: &Self) {
        if self.page == next.page {
            self.links[way as usize].set(number);
        }
    }
}

/// Ways from a block to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Its last instruction jumps to a fixed distance.
    Jump,
    /// The next instruction in memory follows.
    On,
}

/// Number of no block.
pub const NO_BLOCK: u32 = u32::MAX;

/// The blocks of a memory. `Op` is a decoded instruction.
#[derive(Debug)]
pub struct Blocks<Op> {
    blocks: Vec<Block<Op>>,
    /// Number of their instructions.
    kept: usize,
    /// Per page and parcel: number of the block that begins there, plus 1.
    pages: Vec<Option<Box<[u32; PARCELS]>>>,
    generation: u64,
    emptied: u64,
    /// Number of instructions in the arena at which it is emptied.
    capacity: usize,
    /// No block is longer, in bytes.
    longest: usize,
}

impl<Op> Blocks<Op> {
    /// Creates the arena for a memory of `pages` pages. Once it holds `capacity` instructions, dropped ones included, it starts
    /// afresh.
    pub fn new(pages: usize, capacity: usize) -> Self {
        Self {
            capacity,
            longest: 0,
            blocks: Vec::new(),
            kept: 0,
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

    /// Number of times that the arena was emptied: block numbers from before are invalid.
    pub fn emptied(&self) -> u64 {
        self.emptied
    }

    /// The block that begins at a place in memory.
    pub fn find(&self, place: usize) -> Option<u32> {
        let page = self.pages[place / PAGE_BYTES].as_ref()?;
        page[place % PAGE_BYTES / PARCEL_BYTES].checked_sub(1)
    }

    /// True if the arena will be emptied before the next block is kept.
    pub fn is_full(&self) -> bool {
        self.kept >= self.capacity
    }

    /// Keeps a block that begins at a place in memory.
    pub fn keep(&mut self, place: usize, ops: impl IntoIterator<Item = Op>, bytes: u16) -> u32 {
        if self.is_full() {
            self.clear();
        }
        self.longest = self.longest.max(bytes.into());
        let ops: Box<[Op]> = ops.into_iter().collect();
        self.kept += ops.len();
        let number = self.blocks.len() as u32;
        self.blocks.push(Block::new(place, ops, bytes));
        let page = self.pages[place / PAGE_BYTES].get_or_insert_with(|| Box::new([0; PARCELS]));
        page[place % PAGE_BYTES / PARCEL_BYTES] = number + 1;
        number
    }

    /// A block.
    #[inline(always)]
    pub fn get(&self, number: u32) -> Option<&Block<Op>> {
        self.blocks.get(number as usize)
    }

    /// Forgets the blocks of a page.
    pub fn drop_page(&mut self, page: usize) {
        self.pages[page] = None;
        self.generation += 1;
    }

    /// Forgets the blocks that have any of the bytes at `place..place + bytes`, which are on one page. No block may be linked.
    pub fn drop_range(&mut self, place: usize, bytes: usize) {
        let Some(page) = &mut self.pages[place / PAGE_BYTES] else { return };
        let offset = place % PAGE_BYTES;
        let earliest = (offset + 1).saturating_sub(self.longest) / PARCEL_BYTES;
        let parcels = &mut page[earliest..(offset + bytes).div_ceil(PARCEL_BYTES)];
        for (start, number) in (earliest * PARCEL_BYTES..).step_by(PARCEL_BYTES).zip(parcels) {
            let block = number.checked_sub(1).map(|number| &self.blocks[number as usize]);
            if block.is_some_and(|block| start + usize::from(block.bytes) > offset) {
                *number = 0;
            }
        }
        self.generation += 1;
    }

    /// Forgets all blocks; their numbers stay as they are.
    pub fn drop_all(&mut self) {
        self.pages.iter_mut().for_each(|page| *page = None);
        self.generation += 1;
    }

    /// Forgets everything.
    fn clear(&mut self) {
        self.blocks.clear();
        self.kept = 0;
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
        let mut blocks = Blocks::new(2, 64);
        let number = blocks.keep(PAGE_BYTES + 6, [1, 2, 3], 8);
        assert_eq!(blocks.find(PAGE_BYTES + 6), Some(number));
        assert_eq!(blocks.find(PAGE_BYTES + 8), None);
        assert_eq!(blocks.get(number).map(Block::ops), Some(&[1, 2, 3][..]));
        let before = blocks.generation();
        blocks.drop_page(0);
        assert_eq!(blocks.find(PAGE_BYTES + 6), Some(number));
        blocks.drop_page(1);
        assert_eq!(blocks.find(PAGE_BYTES + 6), None);
        assert_ne!(blocks.generation(), before);
    }

    #[test]
    fn a_block_is_dropped_if_any_of_its_bytes_is() {
        let dropped = |place, bytes| {
            let mut blocks = Blocks::new(2, 64);
            let all = [(PAGE_BYTES, 16), (PAGE_BYTES + 16, 4), (PAGE_BYTES + 20, 8), (4, 8)];
            all.iter().for_each(|(place, bytes)| {
                let _ = blocks.keep(*place, [1], *bytes);
            });
            blocks.drop_range(place, bytes);
            all.map(|(place, _)| blocks.find(place).is_none())
        };
        assert_eq!(dropped(PAGE_BYTES + 15, 1), [true, false, false, false]);
        assert_eq!(dropped(PAGE_BYTES + 16, 4), [false, true, false, false]);
        assert_eq!(dropped(PAGE_BYTES + 15, 6), [true, true, true, false]);
        assert_eq!(dropped(PAGE_BYTES + 28, 64), [false; 4]);
        assert_eq!(dropped(PAGE_BYTES, PAGE_BYTES), [true, true, true, false]);
    }

    #[test]
    fn blocks_of_a_page_are_linked() {
        let mut blocks = Blocks::new(2, 64);
        let [first, second, other] = [0, 8, PAGE_BYTES].map(|place| blocks.keep(place, [1], 8));
        let block = |number| blocks.get(number).unwrap();
        block(first).link(Way::Jump, second, block(second));
        block(second).link(Way::On, other, block(other));
        let ways = |number| [Way::Jump, Way::On].map(|way| block(number).linked(way));
        assert_eq!([ways(first), ways(second)], [[second, NO_BLOCK], [NO_BLOCK; 2]]);
    }

    #[test]
    fn a_full_arena_is_emptied() {
        let mut blocks = Blocks::new(1, 64);
        blocks.keep(0, vec![0_u8; 64], 2);
        let number = blocks.keep(4, [7], 2);
        assert_eq!(blocks.find(0), None);
        assert_eq!(blocks.get(number).map(Block::ops), Some(&[7][..]));
    }
}
