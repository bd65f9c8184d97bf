//! Lines on their way between a data cache and the memory.

use spinach_engine::Edge;

use super::line_fill::Fill;
use super::{DataCache, FILLS, FLUSHES, Purpose, Query};
use crate::memory::storage::Storage;
use crate::values::{Access, Reference, Response};

impl DataCache {
    /// Asks the memory for the line of a reference, from the part on that holds its bytes.
    pub(super) fn begin_fill(&mut self, reference: &Reference, edge: &mut Edge<'_>) {
        edge.count(FILLS, 1);
        let (line, size) = (self.shape.line_address(reference.address), self.parameters.transfer_bytes);
        let parts = self.shape.line_size() / size.min(self.shape.line_size());
        let first = self.shape.offset_in_line(reference.address) / size;
        let from = edge.cycle() + 1 + u64::from(self.parameters.miss_latency);
        for part in 0..parts {
            let address = line + (first + part) % parts * size;
            let read = Reference { source: reference.source, ..Reference::read(address, size as u8) };
            self.state.queue.push_back(Query { reference: read, from, purpose: Purpose::Part(address) });
        }
        self.state.fills.push(Fill {
            line,
            bytes: Storage::new(self.shape.line_size() as usize),
            known: 0,
            missing: 0,
            left: parts,
            waiting: Vec::new(),
            stores: 0,
        });
    }

    /// Lets a reference wait for a fill, or merges its store.
    pub(super) fn join_fill(&mut self, fill: usize, reference: Reference, answer: u64) {
        let fill = &mut self.state.fills[fill];
        if reference.access == Access::Write {
            fill.put(self.shape, &reference);
            fill.stores += 1;
            self.state.stores += 1;
        } else {
            fill.waiting.push((reference, answer));
            self.answer_waiting();
        }
    }

    /// Takes a part of a line from the memory.
    pub(super) fn receive_part(&mut self, address: u64, response: Response) {
        let line = self.shape.line_address(address);
        let offset = self.shape.offset_in_line(address);
        if let Some(fill) = self.state.fills.iter_mut().find(|fill| fill.line == line) {
            fill.receive(offset, self.parameters.transfer_bytes, response);
        }
        self.answer_waiting();
    }

    // Answers reads whose bytes are here.
    fn answer_waiting(&mut self) {
        for fill in 0..self.state.fills.len() {
            let waiting = std::mem::take(&mut self.state.fills[fill].waiting);
            for (reference, number) in waiting {
                match self.state.fills[fill].answer(self.shape, &reference) {
                    Some(response) => self.set_answer(number, response),
                    None => self.state.fills[fill].waiting.push((reference, number)),
                }
            }
        }
    }

    /// Moves a line that has come into the cache, if the cache is free and there is room for the replaced line.
    pub(super) fn end_fill(&mut self, edge: &mut Edge<'_>) {
        let cycle = edge.cycle();
        if self.state.open_from > cycle + 1 || self.state.flushes >= self.parameters.flushes {
            return;
        }
        let Some(place) = self.state.fills.iter().position(|fill| fill.left == 0) else { return };
        let fill = self.state.fills.remove(place);
        self.state.stores -= fill.stores;
        if fill.missing != 0 {
            // A line of which a part lies where nothing answers is used but not kept.
            if fill.stores > 0 {
                super::stop_if_lost(Response::FAULT, fill.line, edge);
            }
            return;
        }
        let slot = self.state.lines.choose(self.shape, &self.replacement, fill.line);
        let was_dirty = self.state.dirty[slot];
        self.empty(slot, edge);
        for offset in (0..self.shape.line_size()).step_by(16) {
            let data = fill.bytes.load(offset, 16).unwrap_or_default();
            self.state.lines.fill(self.shape, slot, offset, 16, data);
        }
        self.state.lines.remember(self.shape, slot, fill.line);
        self.state.dirty[slot] = fill.stores > 0;
        let cycles = if was_dirty { self.parameters.dirty_fill_cycles } else { self.parameters.fill_cycles };
        self.state.open_from = cycle + 1 + u64::from(cycles);
    }

    /// Writes the line in a slot back if it has to be, for which there must be room.
    pub(super) fn write_back(&mut self, slot: usize, edge: &mut Edge<'_>) {
        let Some(line) = self.state.lines.address_of(self.shape, slot) else { return };
        if !std::mem::take(&mut self.state.dirty[slot]) {
            return;
        }
        edge.count(FLUSHES, 1);
        self.state.flushes += 1;
        let size = self.parameters.transfer_bytes.min(self.shape.line_size());
        for offset in (0..self.shape.line_size()).step_by(size as usize) {
            let data = self.state.lines.part(self.shape, slot, offset, size as u8);
            let reference = Reference::write(line + offset, size as u8, data);
            let is_last = offset + size == self.shape.line_size();
            let purpose = Purpose::Flush(line + offset, is_last);
            self.state.queue.push_back(Query { reference, from: edge.cycle() + 1, purpose });
        }
    }

    /// Writes the line in a slot back if it has to be, and drops it.
    pub(super) fn empty(&mut self, slot: usize, edge: &mut Edge<'_>) {
        self.write_back(slot, edge);
        self.state.dirty[slot] = false;
        self.state.lines.forget(slot);
    }
}
