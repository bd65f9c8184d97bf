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

    /// Issues the instruction in decode if it may. Says what the cycle goes to, and for which instruction.
    #[inline]
    pub(super) fn issue(&mut self, cycle: u64) -> (Cause, u32) {
        let fetch_pc = self.state.fetch.pc;
        let pc = self.state.decode.as_ref().map_or(fetch_pc, |slot| slot.pc);
        if self.state.program.halted {
            return (Cause::Halted, pc);
        }
        let Some(slot) = &self.state.decode else { return (self.state.empty_cause, pc) };
        if self.state.exception_pending || self.has_hazard(slot, cycle) {
            return (Cause::Pipeline, pc);
        }
        let slot = Slot { in_delay_slot: self.state.follows_branch, ..*slot };
        self.state.decode = None;
        self.state.follows_branch = slot.decoded.has_delay_slot();
        if self.resolves_in_decode(&slot.decoded)
            && !slot.in_delay_slot
            && let Some(outcome) = self.state.program.resolve(&slot)
        {
            self.follow(outcome, false);
        }
        self.state.execute = Some(slot);
        (Cause::Execution, pc)
    }

    #[inline]
    fn has_hazard(&self, slot: &Slot, cycle: u64) -> bool {
        let state = &self.state;
        let decoded = &slot.decoded;
        let uses_in_decode = decoded.kind == Kind::RegisterTransfer && self.timing.branches_resolve_in_decode;
        let used_in = if uses_in_decode { cycle } else { cycle + 1 };
        // What the last memory stage holds can be there in time for execute, if loaded values need no time of their own.
        let in_time = match &state.memory[self.timing.last_memory_stage] {
            Some(last) if self.timing.load_use_delay == 0 && !uses_in_decode => 1u32 << last.destination,
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
