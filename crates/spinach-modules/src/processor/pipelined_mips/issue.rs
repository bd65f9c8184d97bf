//! The decode stage: hazards and issue.

use std::hint::select_unpredictable;

use super::super::accounts::Cause;
use super::super::decoded::{Decoded, Work};
use super::PipelinedMips;
use super::state::{PipelinedState, Place, bit};

impl PipelinedMips {
    /// Issues the instruction in decode if it may. Says what the cycle goes to.
    #[inline(always)]
    pub(super) fn issue<const IS_ATTENDED: bool>(&mut self, cycle: u64) -> Cause {
        let state = &self.state;
        if IS_ATTENDED && !state.program.control.may_issue() {
            return Cause::Halted;
        }
        let Some(place) = state.decode else { return state.empty_cause };
        if state.exception_pending || self.has_hazard(&state.flight(place).slot.decoded, cycle) {
            return Cause::Pipeline;
        }
        let state = &mut self.state;
        state.decode = None;
        state.execute = Some(place);
        if IS_ATTENDED {
            state.program.control.note_issue();
        }
        let in_delay_slot = state.follows_branch;
        let slot = &mut state.flights[place as usize].slot;
        slot.in_delay_slot = in_delay_slot;
        let has_delay_slot = slot.decoded.has_delay_slot();
        state.follows_branch = has_delay_slot;
        if has_delay_slot && !in_delay_slot {
            self.resolve_in_decode(place);
        }
        Cause::Execution
    }

    /// Follows the branch or jump that is being issued, if it resolves now.
    fn resolve_in_decode(&mut self, place: Place) {
        let PipelinedState { program, flights, .. } = &mut self.state;
        let flight = &mut flights[place as usize];
        let resolves = self.timing.branches_resolve_in_decode || flight.slot.decoded.work == Work::DirectJump;
        if resolves && let Some(outcome) = program.resolve(&flight.slot) {
            (flight.branch_taken, flight.annuls) = (outcome.taken, outcome.annuls_delay_slot);
            self.follow(outcome, false);
        }
    }

    #[inline]
    fn has_hazard(&self, decoded: &Decoded, cycle: u64) -> bool {
        let state = &self.state;
        let uses_in_decode = decoded.is_register_transfer() & self.timing.branches_resolve_in_decode;
        let late = state.awaited | select_unpredictable(uses_in_decode, state.fresh, 0);
        let [first, second] = decoded.sources;
        let is_late = (late >> (first & 31) | late >> (second & 31)) & 1 != 0;
        is_late && (self.timing.load_use_delay > 0 || !self.comes_in_time(decoded, uses_in_decode))
            || decoded.work == Work::Multiplier && state.multiplier_ready_at > cycle + 1
            || state.cooling != 0 && self.is_cooling(decoded, cycle + u64::from(!uses_in_decode))
    }

    /// Whether what an instruction lacks is in the last memory stage and will be there for execute, given that loaded values need
    /// no time of their own.
    #[inline(never)]
    fn comes_in_time(&self, decoded: &Decoded, uses_in_decode: bool) -> bool {
        let last = self.state.memory[usize::from(self.timing.has_second_memory_stage)];
        let Some(last) = last.filter(|_| !uses_in_decode) else {
            return false;
        };
        let loaded = self.state.flight(last).destination;
        let is_there = |register: u8| self.state.awaited & bit(register) == 0 || register == loaded;
        decoded.sources.into_iter().all(is_there)
    }

    /// Whether a value that an instruction uses in cycle `used_in` was loaded too short a time before.
    #[inline(never)]
    fn is_cooling(&self, decoded: &Decoded, used_in: u64) -> bool {
        let is_late = |register: u8| {
            self.state.cooling & bit(register) != 0
                && self.state.ready_at[usize::from(register & 31)] > used_in
        };
        decoded.sources.into_iter().any(is_late)
    }
}
