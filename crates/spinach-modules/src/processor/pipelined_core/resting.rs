//! Cycles in which a pipelined core only waits.

use spinach_engine::Edge;
use spinach_isa::architecture::Architecture;
use spinach_isa::word::Word;

use super::super::accounts::Cause;
use super::super::form::Usual;
use super::PipelinedCore;
use super::exchanged::{DataSide, Fetched};
use super::state::Phase;

impl<A: Architecture> PipelinedCore<A> {
    /// The load whose answer a usual core waits for, if it does nothing else in this cycle: nothing arrives, nothing is presented, and
    /// the fetch stage is full or waits too.
    #[inline(always)]
    pub(super) fn only_waits_for(&self, fetched: Fetched, side: impl DataSide) -> Option<A::Word> {
        if !matches!(fetched, Fetched::Nothing { .. }) {
            return None;
        }
        let state = &self.state;
        let fetch = &state.fetch;
        let is_fetching = fetch.buffer.is_some() | fetch.outstanding;
        if !is_fetching | fetch.presents | state.presents_data {
            return None;
        }
        let flight = state.flight(state.memory[0]?);
        let waits = flight.phase == Phase::Unanswered && !side.is_answered(&self.ports);
        waits.then_some(flight.slot.pc)
    }

    /// Simulates such a cycle.
    #[inline(always)]
    pub(super) fn wait_for_load(&mut self, pc: A::Word, edge: &mut Edge<'_>) {
        (self.state.wrong_path, self.state.fresh) = (false, 0);
        self.state.program.book::<Usual>(edge.counters, (Cause::Load, pc));
    }

    /// If nothing can change before something arrives: what the cycles until then go to.
    pub(super) fn resting_account(&self) -> Option<(Cause, A::Word)> {
        let state = &self.state;
        let has_order = state.program.control.pending().is_some() || state.program.interrupts.takes_words();
        let has_word = state.report.word.is_some();
        if has_order || has_word || !state.store_buffer.is_empty() || state.fetch.presents {
            return None;
        }
        let is_fetching = state.fetch.outstanding || state.fetch.buffer.is_some();
        let has_more = !state.fetch.pc.is_aligned(A::PARCEL_BYTES) || state.has_short_instruction();
        if !is_fetching && has_more {
            return None;
        }
        if state.program.stop.is_some() {
            return Some((Cause::Halted, A::Word::default()));
        }
        if let Some(account) = self.waits_for_response() {
            return Some(account);
        }
        if let Some(load) = self.awaits_late_load() {
            return Some((Cause::Load, load));
        }
        if !self.is_drained() || state.exception_pending {
            return None;
        }
        if state.program.control.halted {
            return Some((Cause::Halted, A::Word::default()));
        }
        if A::CAN_WAIT && state.program.interrupts.awaited().is_some_and(|due| due > 0) {
            return state.decode.map(|place| (Cause::Halted, state.flight(place).slot.pc));
        }
        let waits_for_instruction = state.decode.is_none()
            && state.fetch.buffer.is_none()
            && state.fetch.outstanding
            && state.held == 0
            && state.empty_cause == Cause::InstructionMiss;
        waits_for_instruction.then_some((Cause::InstructionMiss, state.missing))
    }
}
