//! Processing of taken references in a memory.

use spinach_engine::{AlreadySet, Edge, Input, Payloads, Signals};

use super::lane::LanePorts;
use super::{
    ATOMICS, FAULTS, MultiportedMemory, MultiportedMemoryState, READ_BYTES, READS, STALLS, WATCH_HITS,
    WRITES, WRITTEN_BYTES, is_answered_at_once,
};
use crate::memory::cells::Cells;
use crate::memory::watch::{WatchHit, remember};
use crate::values::{Access, Block, BlockResponse, Reference, Response, WordAccess, all_enabled};

impl MultiportedMemory {
    // Commits the only lane, whose ports these are.
    #[inline(always)]
    pub(super) fn commit_only(&mut self, ports: LanePorts, edge: &mut Edge<'_>) {
        self.state.only.end(ports, edge.signals);
        if edge.signals.is_present(ports.request)
            && self.commit_only_request(ports.request, edge.signals, edge.counters, edge.cycle())
        {
            let reference = edge.signals.received(ports.request).unwrap_or_default();
            self.retire_any(0, reference, &mut edge.reborrow());
        }
        self.state.only.look_ahead(edge.cycle());
    }

    // Performs the request on the only lane, if it is taken and a read or write of a word: this is the usual case. Returns true if
    // anything else was taken.
    #[inline(never)]
    fn commit_only_request(
        &mut self,
        request: Input<Reference>,
        signals: &Signals,
        counters: &mut [u64],
        cycle: u64,
    ) -> bool {
        if !signals.is_received(request) {
            counters[STALLS] += 1;
            return false;
        }
        let word = Reference::of_word(signals, request);
        let Some(response) = word.and_then(|word| self.retire_word(word, true, counters)) else {
            return true;
        };
        let due = self.due(cycle);
        self.state.only.push(response, due);
        false
    }

    #[inline(never)]
    pub(super) fn commit_lanes(&mut self, edge: &mut Edge<'_>) {
        let mut some_other = false;
        for index in 0..self.lanes.len() {
            let ports = self.lanes[index];
            self.state.lanes[index].end(ports, edge.signals);
            if edge.signals.is_present(ports.request) {
                some_other |= self.commit_request(index, edge.signals, edge.counters, edge.cycle());
            }
        }
        if some_other {
            self.commit_others(edge);
        }
        self.state.lanes.iter_mut().for_each(|lane| lane.look_ahead(edge.cycle()));
    }

    // Performs the request on `lane`, if it is taken and a read of a word, or a write and no other lane has to read first: this is
    // the usual case. Returns true if anything else was taken.
    #[inline(always)]
    fn commit_request(&mut self, lane: usize, signals: &Signals, counters: &mut [u64], cycle: u64) -> bool {
        if !signals.is_received(self.lanes[lane].request) {
            counters[STALLS] += 1;
            return false;
        }
        let word = Reference::of_word(signals, self.lanes[lane].request);
        let Some(response) = word.and_then(|word| self.retire_word(word, false, counters)) else {
            return true;
        };
        self.queue(lane, response, cycle);
        false
    }

    // Performs the other requests: first all reads, then writes, lane by lane.
    #[inline(never)]
    pub(super) fn commit_others(&mut self, edge: &mut Edge<'_>) {
        for writes in [false, true] {
            for lane in 0..self.lanes.len() {
                let port = self.lanes[lane].request;
                let is_other = edge.signals.is_received(port) && !self.reads_word(lane, edge.signals);
                if is_other && Reference::access_at(edge.signals, port).writes() == writes {
                    self.retire(lane, edge);
                }
            }
        }
    }

    // True if `commit_request` has performed the reference on `lane` although it is not the only one.
    fn reads_word(&self, lane: usize, signals: &Signals) -> bool {
        let word = Reference::of_word(signals, self.lanes[lane].request).filter(|word| !word.writes);
        let is_inside = |address| self.state.storage.word(self.offsets.of_first(address)).is_some();
        self.is_simple && word.is_some_and(|word| is_inside(word.address))
    }

    // Performs the request of `lane` and queues the response.
    #[inline]
    fn retire(&mut self, lane: usize, edge: &mut Edge<'_>) {
        let request = self.lanes[lane].request;
        let word = Reference::of_word(edge.signals, request);
        match word.and_then(|word| self.retire_word(word, true, edge.counters)) {
            Some(response) => self.queue(lane, response, edge.cycle()),
            None => {
                let reference = edge.signals.received(request).unwrap_or_default();
                self.retire_any(lane, reference, edge);
            }
        }
    }

    // Performs a read or, if it `may_write`, a write of a word that was taken, if nothing else has to be looked at.
    #[inline(always)]
    pub(super) fn retire_word(
        &mut self,
        WordAccess { address, writes, word }: WordAccess,
        may_write: bool,
        counters: &mut [u64],
    ) -> Option<Response> {
        if !self.is_simple || writes && !may_write {
            return None;
        }
        self.count_word(WordAccess { address, writes, word }, counters)
    }

    // Performs a read or a write of a word, if nothing else has to be looked at.
    #[inline(always)]
    pub(super) fn count_word(
        &mut self,
        WordAccess { address, writes, word }: WordAccess,
        counters: &mut [u64],
    ) -> Option<Response> {
        const { assert!(WRITES == READS + 1 && WRITTEN_BYTES == READ_BYTES + 1) };
        let offset = self.offsets.of_first(address);
        let counters = counters.first_chunk_mut::<{ WRITTEN_BYTES + 1 }>()?;
        let found = self.cells().perform_word(offset, writes, word)?;
        counters[READS + usize::from(writes)] += 1;
        counters[READ_BYTES + usize::from(writes)] += 4;
        Some(Response { data: u128::from(found), is_fault: false })
    }

    // Performs any request of `lane`, and queues the response.
    #[inline(never)]
    pub(super) fn retire_any(&mut self, lane: usize, reference: Reference, edge: &mut Edge<'_>) {
        let response = if self.watch.is_empty() {
            self.perform(reference, edge.counters)
        } else {
            self.perform_watched(reference, edge)
        };
        if response.is_none() {
            edge.count(FAULTS, 1);
        }
        if self.latency > 0 || !is_answered_at_once(reference.access) {
            self.queue(lane, response.unwrap_or(Response::FAULT), edge.cycle());
        }
    }

    #[inline(never)]
    fn perform_watched(&mut self, reference: Reference, edge: &mut Edge<'_>) -> Option<Response> {
        let Reference { address, access, size, source, .. } = reference;
        let before = self.glimpse(address);
        let response = self.perform(reference, edge.counters);
        self.note(address, u64::from(size), source, access, before, edge);
        response
    }

    // First cycle in which a reference that was taken in `cycle` may be answered.
    #[inline(always)]
    fn due(&self, cycle: u64) -> u64 {
        cycle + u64::from(self.latency.max(1))
    }

    // Queues the response to the request of `lane` in cycle `cycle`.
    #[inline(always)]
    pub(super) fn queue(&mut self, lane: usize, response: Response, cycle: u64) {
        let due = self.due(cycle);
        self.lane_mut(lane).push(response, due);
    }

    // `None` if nothing answers there or a memory cannot serve the reference; nothing is changed then.
    #[inline]
    pub(super) fn perform(&mut self, reference: Reference, counters: &mut [u64]) -> Option<Response> {
        let Reference { address, access, size, enables, .. } = reference;
        let offset = self.offsets.of(address);
        if self.offsets.is_beyond(address) {
            self.note_beyond(true);
        }
        let response = self.cells().perform(offset, &reference)?;
        match access {
            Access::Read => {
                counters[READS] += 1;
                counters[READ_BYTES] += enabled_bytes(enables, size);
            }
            Access::Write => {
                counters[WRITES] += 1;
                counters[WRITTEN_BYTES] += enabled_bytes(enables, size);
            }
            _ => counters[ATOMICS] += 1,
        }
        Some(response)
    }

    #[inline]
    pub(super) fn cells(&mut self) -> Cells<'_> {
        let MultiportedMemoryState { storage, reservations, .. } = &mut self.state;
        Cells { storage, reservations, is_big_endian: self.is_big_endian }
    }

    #[inline(never)]
    pub(super) fn commit_blocks(&mut self, edge: &mut Edge<'_>) {
        for lane in 0..self.state.block_lanes.len() {
            if edge.signals.is_sent(self.block_response[lane]) {
                self.state.block_lanes[lane] = None;
            }
        }
        for writes in [false, true] {
            for lane in 0..self.state.block_lanes.len() {
                let port = self.block_request[lane];
                match edge.signals.received(port) {
                    Some(block) if block.write.is_some() == writes => {
                        self.state.block_lanes[lane] = Some(self.retire_block(block, edge));
                    }
                    None if !writes => edge.count(STALLS, u64::from(edge.signals.is_present(port))),
                    _ => {}
                }
            }
        }
        self.note_blocks_answered();
    }

    // Other answers are presented than in the last cycle, or may be.
    pub(super) fn note_blocks_answered(&mut self) {
        self.answered_blocks.forget();
        self.accepts_block.iter().for_each(AlreadySet::forget);
        self.accepts_blocks.forget();
        self.blocks_answered = self.state.block_lanes.iter().flatten().count();
    }

    fn retire_block(&mut self, block: Block, edge: &mut Edge<'_>) -> BlockResponse {
        let watched = self.watch.first_watched(block.address, u64::from(block.length));
        let before = watched.map_or(0, |address| self.glimpse(address));
        let response = self.perform_block(block, edge.payloads());
        let length = u64::from(block.length);
        let (access, kind, bytes) = match block.write {
            Some(_) => (Access::Write, WRITES, WRITTEN_BYTES),
            None => (Access::Read, READS, READ_BYTES),
        };
        if response.is_fault {
            edge.count(FAULTS, 1);
        } else {
            edge.count(kind, 1);
            edge.count(bytes, length);
        }
        if let Some(address) = watched {
            let rest = block.address.wrapping_add(length).wrapping_sub(address);
            self.note(address, rest, block.source, access, before, edge);
        }
        response
    }

    fn perform_block(&mut self, block: Block, payloads: &mut Payloads) -> BlockResponse {
        let (offset, length) = (self.offsets.of(block.address), u64::from(block.length));
        let Some(run) = self.state.storage.run_mut(offset, length) else {
            block.write.and_then(|payload| payloads.remove(payload));
            return BlockResponse::FAULT;
        };
        let Some(payload) = block.write else {
            return BlockResponse { read: Some(payloads.insert(&*run)), is_fault: false };
        };
        match payloads.remove(payload) {
            Some(bytes) if bytes.len() == run.len() => run.copy_from_slice(&bytes),
            _ => return BlockResponse::FAULT,
        }
        self.state.reservations.clear(offset, length);
        BlockResponse::default()
    }

    // Up to eight bytes from `address` on, as they are.
    fn glimpse(&self, address: u64) -> u64 {
        let offset = self.offsets.of(address);
        let bytes = (0..8).map_while(|byte| self.state.storage.load(offset.checked_add(byte)?, 1));
        bytes.enumerate().fold(0, |word, (index, byte)| word | (byte as u64) << (8 * index))
    }

    fn note(
        &mut self,
        address: u64,
        length: u64,
        source: u16,
        access: Access,
        old: u64,
        edge: &mut Edge<'_>,
    ) {
        if self.watch.first_watched(address, length).is_some() {
            edge.count(WATCH_HITS, 1);
            let new = self.glimpse(address);
            let hit = WatchHit { cycle: edge.cycle(), source, access, address, old, new };
            remember(&mut self.state.last_watch_hits, hit);
        }
    }
}

fn enabled_bytes(enables: u16, size: u8) -> u64 {
    u64::from((enables & all_enabled(size)).count_ones())
}
