//! A memory behind an address map, with bursts of others, and a core that acts for all of them.

use spinach_engine::{Edge, Module, Signals};

use super::{ACCEPT, ACCEPT_BLOCK, MultiportedMemory, RESPOND, RESPOND_TO_BLOCKS};

impl MultiportedMemory {
    /// Processes that [`MultiportedMemory::present`] replaces.
    pub(crate) const PRESENTING: [u16; 2] = [RESPOND, RESPOND_TO_BLOCKS];

    /// True if it has a single lane besides those of blocks, whose responses come later than their references.
    pub(crate) fn is_behind_one(&self) -> bool {
        self.only.is_some() && self.latency > 0
    }

    /// Processes that [`MultiportedMemory::accept`] replaces, with their lanes.
    pub(crate) fn accepting(&self) -> impl Iterator<Item = (u16, u32)> {
        let blocks = (0..self.block_request.len() as u32).map(|lane| (ACCEPT_BLOCK, lane));
        [(ACCEPT, 0)].into_iter().chain(blocks)
    }

    /// True if nothing is answered, so that any request is accepted.
    #[inline(always)]
    pub(crate) fn rests(&self) -> bool {
        self.state.only.waiting == 0 && self.blocks_answered == 0
    }

    /// Presents the answer.
    #[inline(always)]
    pub(crate) fn present(&self, signals: &mut Signals) {
        if !(self.rests() && signals.are_set(&self.at_rest)) {
            self.evaluate(RESPOND, 0, signals);
            self.evaluate(RESPOND_TO_BLOCKS, 0, signals);
        }
    }

    /// Accepts or refuses the presented request.
    #[inline(always)]
    pub(crate) fn accept(&self, signals: &mut Signals) {
        if !self.rests() {
            self.at_rest.forget();
        } else if signals.are_set_already(&self.at_rest) {
            return;
        }
        self.evaluate(ACCEPT, 0, signals);
        if self.blocks_answered > 0 {
            self.accepts_blocks.forget();
        } else if signals.are_set_already(&self.accepts_blocks) {
            return;
        }
        for lane in 0..self.block_request.len() {
            self.accept_block(lane, signals);
        }
    }

    /// Commits a cycle.
    #[inline(always)]
    pub(crate) fn commit_behind(&mut self, edge: &mut Edge<'_>) {
        let is_requested = self.only.is_some_and(|ports| edge.signals.is_present(ports.request));
        if is_requested || !self.rests() || self.has_block_at(edge.signals) {
            self.commit(edge);
        }
    }

    /// Commits a cycle in which it rests and has no reference; others may ask for blocks.
    #[inline(always)]
    pub(crate) fn commit_without_references(&mut self, edge: &mut Edge<'_>) {
        if self.has_blocks && self.has_block_at(edge.signals) {
            self.commit(edge);
        }
    }
}
