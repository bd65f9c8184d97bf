//! Blocks that follow each other without any test in between.

use spinach_isa::blocks::{Block, Blocks, PAGE_BYTES, Way};

use crate::hart::{Hart, Jump, Op};

/// Blocks that a hart may execute one after the other.
pub(crate) struct Chain<'a> {
    pub(crate) blocks: &'a Blocks<Op>,
    /// See [`Jump::context`]: instructions that change it leave the chain.
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
        way: Way,
    ) -> Option<&'a Block<Op>> {
        match self.blocks.get(from.linked(way)) {
            None => self.link(hart, (from, start), pc, way),
            linked => linked,
        }
    }

    /// The same by the address. Blocks of a page are linked: one does not lead to the other by way of the page tables.
    #[inline(never)]
    fn link(
        &self,
        hart: &Hart,
        (from, start): (&Block<Op>, u64),
        pc: u64,
        way: Way,
    ) -> Option<&'a Block<Op>> {
        let (number, next) = self.look_up(hart, pc)?;
        if (start ^ pc) / PAGE_BYTES as u64 == 0 {
            from.link(way, number, next);
        }
        Some(next)
    }

    /// The block at `pc` and its number, if it is known.
    #[inline(always)]
    pub(crate) fn look_up(&self, hart: &Hart, pc: u64) -> Option<(u32, &'a Block<Op>)> {
        let Jump { pc: start, context, block } = *hart.jump(pc);
        let next = self.blocks.get(block).filter(|_| start == pc && context == self.context)?;
        Some((block, next))
    }
}
