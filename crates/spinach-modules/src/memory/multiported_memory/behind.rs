//! A memory behind an address map, with bursts of others, and a core that acts for all of them.

use spinach_engine::{Edge, Module, Signals};

use super::{
    ACCEPT, ACCEPT_BLOCK, MultiportedMemory, READ_BYTES, READS, RESPOND, RESPOND_TO_BLOCKS, WRITES,
    WRITTEN_BYTES,
};
use crate::values::{Block, Response};

/// A reference that was made before its cycle had come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MadeAhead {
    /// Offset of its first byte, and number of bytes: 1, 2, 4 or 8.
    place: u64,
    size: u64,
    writes: bool,
    /// The bytes before it, the first lowest.
    before: u64,
}

impl MadeAhead {
    /// Data of the answer.
    #[inline(always)]
    pub(crate) fn answer(&self) -> u64 {
        if self.writes { 0 } else { self.before }
    }
}

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

    /// True if references to it can be made ahead: each is answered in the next cycle, and nothing is watched or reserved.
    #[inline(always)]
    pub(crate) fn may_be_ahead(&self) -> bool {
        self.latency == 1 && self.is_simple && self.state.reservations.is_empty()
    }

    /// Reads or writes `size` aligned bytes before the cycle of the reference has come; `None`, and nothing is changed, if they are not
    /// all inside.
    #[inline(always)]
    pub(crate) fn perform_ahead(
        &mut self,
        address: u64,
        size: u64,
        written: Option<u64>,
        counters: &mut [u64],
    ) -> Option<MadeAhead> {
        let place = self.offsets.of_first(address);
        let before = self.load_ahead(place, size)?;
        if let Some(data) = written {
            self.store_ahead(place, size, data);
        }
        let writes = written.is_some();
        counters[READS + usize::from(writes)] += 1;
        counters[READ_BYTES + usize::from(writes)] += size;
        Some(MadeAhead { place, size, writes, before })
    }

    // `Storage::load` does the same for up to 16 bytes, at a cost that shows: hundredgig would take 3 % more host instructions.
    #[inline(always)]
    fn load_ahead(&self, place: u64, size: u64) -> Option<u64> {
        let (storage, place) = (&self.state.storage, usize::try_from(place).ok()?);
        match size {
            1 => storage.load_fixed::<1>(place),
            2 => storage.load_fixed::<2>(place),
            4 => storage.load_fixed::<4>(place),
            8 => storage.load_fixed::<8>(place),
            _ => None,
        }
    }

    // Bytes that have been loaded.
    #[inline(always)]
    fn store_ahead(&mut self, place: u64, size: u64, data: u64) {
        let (storage, place) = (&mut self.state.storage, place as usize);
        match size {
            1 => storage.store_fixed::<1>(place, data),
            2 => storage.store_fixed::<2>(place, data),
            4 => storage.store_fixed::<4>(place, data),
            _ => storage.store_fixed::<8>(place, data),
        };
    }

    /// Reverts references that were made ahead.
    pub(crate) fn revert_ahead(&mut self, made: &[MadeAhead], counters: &mut [u64]) {
        for MadeAhead { place, size, writes, before } in made.iter().rev() {
            if *writes {
                self.store_ahead(*place, *size, *before);
            }
            counters[if *writes { WRITES } else { READS }] -= 1;
            counters[if *writes { WRITTEN_BYTES } else { READ_BYTES }] -= size;
        }
    }

    /// True if a block is taken in this cycle that has bytes in common with references made ahead, and either writes.
    #[inline(always)]
    pub(crate) fn has_block_on(&self, made: &[MadeAhead], signals: &Signals) -> bool {
        signals.is_any_present(&self.block_request) && self.find_block_on(made, signals)
    }

    #[inline(never)]
    fn find_block_on(&self, made: &[MadeAhead], signals: &Signals) -> bool {
        let overlaps = |block: Block| {
            let (first, length) = (self.offsets.of(block.address), u64::from(block.length));
            let is_common = |it: &MadeAhead| {
                it.place.wrapping_sub(first) < length || first.wrapping_sub(it.place) < it.size
            };
            made.iter().any(|it| (it.writes || block.write.is_some()) && is_common(it))
        };
        self.block_request.iter().filter_map(|port| signals.received(*port)).any(overlaps)
    }

    /// Brings its lane to the state after references that were made ahead, given the data of the last answer and its cycle; the answer
    /// may be due in the coming cycle.
    pub(crate) fn end_ahead(&mut self, answered: Option<(u64, u64)>, is_due: bool) {
        let lane = &mut self.state.only;
        if let Some((data, due)) = answered {
            (lane.oldest, lane.due) = (Response { data: data.into(), is_fault: false }, due);
        }
        (lane.waiting, lane.is_due) = (u32::from(is_due), is_due);
    }

    /// Lets its outputs be written afresh.
    pub(crate) fn forget_outputs(&self) {
        self.at_rest.forget();
    }
}
