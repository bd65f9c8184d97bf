//! Blocks that follow each other without any test in between.

use spinach_isa::blocks::{Blocks, NO_BLOCK, PAGE_BYTES, Way};

use crate::hart::{Hart, Op};

/// Blocks that a hart may execute one after the other.
pub(crate) struct Chain<'a> {
    pub(crate) blocks: &'a Blocks<Op>,
    /// See [`Jump::context`](crate::hart::Jump): instructions that change it leave the chain.
    pub(crate) context: u64,
    /// Number of executed instructions of the hart at which it has to stop.
    pub(crate) last: u64,
}

/// Instructions that lie one after the other.
#[derive(Clone, Copy)]
pub(crate) struct Part<'a> {
    /// Number of the block; [`NO_BLOCK`] for a part of one.
    pub(crate) block: u32,
    pub(crate) ops: &'a [Op],
    /// Their length in memory.
    pub(crate) bytes: u64,
}

impl<'a> Chain<'a> {
    /// The block at the program counter, to which a block at `start` has led in a way, if it is known and may be executed as a whole.
    #[inline(always)]
    pub(crate) fn next(&self, hart: &Hart, (from, start): (u32, u64), way: Option<Way>) -> Option<Part<'a>> {
        let linked = way.map_or(NO_BLOCK, |way| self.blocks.linked(from, way));
        let number = if linked == NO_BLOCK { self.look_up(hart, (from, start), way)? } else { linked };
        let (block, ops) = self.blocks.get(number);
        let is_whole = hart.instructions + ops.len() as u64 <= self.last;
        is_whole.then_some(Part { block: number, ops, bytes: block.bytes.into() })
    }

    /// The same by the address. Blocks of a page are linked: one does not lead to the other by way of the page tables.
    #[inline(always)]
    fn look_up(&self, hart: &Hart, (from, start): (u32, u64), way: Option<Way>) -> Option<u32> {
        let jump = hart.jump();
        if jump.pc != hart.pc || jump.context != self.context {
            return None;
        }
        if let Some(way) = way
            && (start ^ hart.pc) / PAGE_BYTES as u64 == 0
        {
            self.blocks.link(from, way, jump.block);
        }
        Some(jump.block)
    }
}
