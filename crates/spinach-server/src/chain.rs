//! Blocks that follow each other without any test in between.

use spinach_isa::blocks::{Block, Blocks, PAGE_BYTES, Way};

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
    /// The block with these instructions, or an unlinked one of their length.
    pub(crate) block: &'a Block<Op>,
    pub(crate) ops: &'a [Op],
}

impl<'a> Chain<'a> {
    /// The block at `pc`, to which a block at `start` has led in a way, if it is known.
    #[inline(always)]
    pub(crate) fn next(
        &self,
        hart: &Hart,
        (from, start): (&Block<Op>, u64),
        pc: u64,
        way: Option<Way>,
    ) -> Option<&'a Block<Op>> {
        match way.and_then(|way| self.blocks.get(from.linked(way))) {
            None => self.look_up(hart, (from, start), pc, way),
            linked => linked,
        }
    }

    /// The same by the address. Blocks of a page are linked: one does not lead to the other by way of the page tables.
    #[inline(never)]
    fn look_up(
        &self,
        hart: &Hart,
        (from, start): (&Block<Op>, u64),
        pc: u64,
        way: Option<Way>,
    ) -> Option<&'a Block<Op>> {
        let jump = hart.jump(pc);
        if jump.pc != pc || jump.context != self.context {
            return None;
        }
        let next = self.blocks.get(jump.block)?;
        if let Some(way) = way
            && (start ^ pc) / PAGE_BYTES as u64 == 0
        {
            from.link(way, jump.block, next);
        }
        Some(next)
    }
}
