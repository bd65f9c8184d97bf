//! Cache operations of firmware, besides loads and stores.

use spinach_engine::Edge;

use super::{DataCache, Plan};
use crate::values::{Maintenance, Reference};

impl DataCache {
    /// Outcome of an operation; `None` if it has to wait.
    pub(super) fn plan_maintenance(&self, maintenance: Maintenance, reference: &Reference) -> Option<Plan> {
        let slots = self.shape.slots_of(reference.address);
        let is_in_set = |line: u64| self.shape.slots_of(line) == slots;
        // Lines on their way come first.
        let is_under_way = self.state.fills.iter().any(|fill| is_in_set(fill.line));
        let slot = self.state.lines.find(&self.shape, reference.address);
        let may_be = match maintenance {
            Maintenance::StoreLine | Maintenance::FlushLine => !is_under_way && self.may_empty(slot),
            Maintenance::InvalidateLine | Maintenance::InvalidateSet => !is_under_way,
            // The line to replace is not known yet.
            Maintenance::ZeroLine => !is_under_way && self.state.flushes < self.parameters.flushes,
            _ => true,
        };
        may_be.then_some(Plan::Maintain(maintenance))
    }

    /// Executes the operation of `reference`.
    pub(super) fn maintain(
        &mut self,
        maintenance: Maintenance,
        reference: Reference,
        answer: u64,
        edge: &mut Edge<'_>,
    ) {
        let slot = self.state.lines.find(&self.shape, reference.address);
        let value = reference.data as u32;
        match (maintenance, slot) {
            (Maintenance::StoreLine, Some(slot)) => self.write_back(slot, edge),
            (Maintenance::FlushLine, Some(slot)) => self.empty(slot, edge),
            (Maintenance::InvalidateLine, Some(slot)) => self.drop_line(slot),
            (Maintenance::InvalidateSet, _) => {
                self.shape.slots_of(reference.address).for_each(|slot| self.drop_line(slot));
            }
            (Maintenance::TouchLine, None) => self.touch(reference, edge),
            (Maintenance::ZeroLine, _) => self.zero(slot, reference.address, edge),
            (Maintenance::Drain, _) => self.state.drain = Some(answer),
            (Maintenance::SetCacheable, _) => self.state.cacheable = value,
            (Maintenance::SetWriteThrough, _) => self.state.write_through = value,
            (Maintenance::SetAllocation, _) => self.state.write_allocate = value & 1 == 0,
            (
                Maintenance::InvalidateInstructionLine
                | Maintenance::InvalidateInstructions
                | Maintenance::SetInstructionsCacheable,
                _,
            ) => self.state.for_instructions = Some(reference),
            _ => {}
        }
    }

    // Drops a line, whether it was changed or not.
    fn drop_line(&mut self, slot: usize) {
        self.state.dirty[slot] = false;
        self.state.lines.forget(slot);
    }

    // Brings a line, if that is possible now.
    fn touch(&mut self, reference: Reference, edge: &mut Edge<'_>) {
        let line = self.shape.line_address(reference.address);
        let is_under_way = self.state.fills.iter().any(|fill| fill.line == line);
        let may_fill = self.state.fills.len() < self.parameters.fills as usize;
        if !is_under_way && may_fill && self.is_cacheable(reference.address) {
            self.begin_fill(&reference, edge);
        }
    }

    // Holds a line of zeros.
    fn zero(&mut self, slot: Option<usize>, address: u64, edge: &mut Edge<'_>) {
        let slot = slot.unwrap_or_else(|| {
            let slot = self.state.lines.choose(self.shape, &self.replacement, address);
            self.empty(slot, edge);
            self.state.lines.remember(self.shape, slot, address);
            slot
        });
        for offset in (0..self.shape.line_size()).step_by(16) {
            self.state.lines.fill(self.shape, slot, offset, 16, 0);
        }
        self.state.dirty[slot] = true;
    }
}
