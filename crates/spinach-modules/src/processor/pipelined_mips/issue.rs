//! The decode stage: hazards and issue.

use super::super::accounts::Cause;
use super::super::decoded::{Decoded, Kind};
use super::super::program::Slot;
use super::PipelinedMips;

impl PipelinedMips {
    /// Whether an instruction that redirects control does so in decode.
    #[inline]
    pub(super) fn resolves_in_decode(&self, decoded: &Decoded) -> bool {
        match decoded.kind {
            Kind::DirectJump => true,
            Kind::RegisterTransfer => self.timing.branches_resolve_in_decode,
            _ => false,
        }
    }

    /// Issues the instruction in decode if it may. Says what the cycle goes to.
    #[inline]
    pub(super) fn issue(&mut self, cycle: u64) -> Cause {
        let state = &self.state;
        if !state.program.control.may_issue() {
            return Cause::Halted;
        }
        let Some(place) = state.decode else { return state.empty_cause };
        let slot = &state.flight(place).slot;
        if state.exception_pending || self.has_hazard(slot, cycle) {
            return Cause::Pipeline;
        }
        let (in_delay_slot, decoded) = (state.follows_branch, &slot.decoded);
        let (has_delay_slot, resolves) = (decoded.has_delay_slot(), self.resolves_in_decode(decoded));
        let state = &mut self.state;
        state.flight_mut(place).slot.in_delay_slot = in_delay_slot;
        state.follows_branch = has_delay_slot;
        state.decode = None;
        state.execute = Some(place);
        state.program.control.note_issue();
        if resolves
            && !in_delay_slot
            && let Some(outcome) = state.program.resolve(&state.flight(place).slot)
        {
            self.follow(outcome, false);
        }
        Cause::Execution
    }

    #[inline]
    fn has_hazard(&self, slot: &Slot, cycle: u64) -> bool {
        let state = &self.state;
        let decoded = &slot.decoded;
        let uses_in_decode = decoded.kind == Kind::RegisterTransfer && self.timing.branches_resolve_in_decode;
        let used_in = if uses_in_decode { cycle } else { cycle + 1 };
        // What the last memory stage holds can be there in time for execute, if loaded values need no time of their own.
        let in_time = match &state.memory[self.timing.last_memory_stage] {
            Some(last) if self.timing.load_use_delay == 0 && !uses_in_decode => {
                1u32 << state.flight(*last).destination
            }
            _ => 0,
        };
        let awaited = state.awaited & !in_time;
        // Register 0 is never late.
        let is_late =
            |register: u8| awaited >> register & 1 != 0 || state.ready_at[usize::from(register)] > used_in;
        let uses_busy_multiplier = decoded.uses_multiplier && state.multiplier_ready_at > cycle + 1;
        decoded.sources.into_iter().any(is_late) || uses_busy_multiplier
    }
}
