//! The decode stage: hazards and issue.

use super::super::accounts::Cause;
use super::super::decoded::{Decoded, Kind};
use super::PipelinedMips;
use super::state::{FLIGHTS, PipelinedState, Place};

impl PipelinedMips {
    /// Issues the instruction in decode if it may. Says what the cycle goes to.
    #[inline]
    pub(super) fn issue(&mut self, cycle: u64) -> Cause {
        let state = &self.state;
        if !state.program.control.may_issue() {
            return Cause::Halted;
        }
        let Some(place) = state.decode else { return state.empty_cause };
        if state.exception_pending || self.has_hazard(&state.flight(place).slot.decoded, cycle) {
            return Cause::Pipeline;
        }
        let state = &mut self.state;
        state.decode = None;
        state.execute = Some(place);
        state.program.control.note_issue();
        let in_delay_slot = state.follows_branch;
        let slot = &mut state.flights[usize::from(place) % FLIGHTS].slot;
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
        let flight = &mut flights[usize::from(place) % FLIGHTS];
        let resolves = self.timing.branches_resolve_in_decode || flight.slot.decoded.kind == Kind::DirectJump;
        if resolves && let Some(outcome) = program.resolve(&flight.slot) {
            (flight.branch_taken, flight.annuls) = (outcome.taken, outcome.annuls_delay_slot);
            self.follow(outcome, false);
        }
    }

    #[inline]
    fn has_hazard(&self, decoded: &Decoded, cycle: u64) -> bool {
        let state = &self.state;
        let uses_in_decode =
            (decoded.kind == Kind::RegisterTransfer) & self.timing.branches_resolve_in_decode;
        let used_in = cycle + u64::from(!uses_in_decode);
        let mut awaited = state.awaited;
        // What the last memory stage holds can be there in time for execute, if loaded values need no time of their own.
        if self.timing.load_use_delay == 0
            && !uses_in_decode
            && let Some(last) = state.memory[usize::from(self.timing.has_second_memory_stage)]
        {
            awaited &= !(1 << state.flight(last).destination);
        }
        // Register 0 is never late.
        let is_late = |register: u8| {
            (awaited >> register & 1 != 0) | (state.ready_at[usize::from(register % 32)] > used_in)
        };
        let [first, second] = decoded.sources;
        is_late(first) | is_late(second) | (decoded.uses_multiplier & (state.multiplier_ready_at > cycle + 1))
    }
}
