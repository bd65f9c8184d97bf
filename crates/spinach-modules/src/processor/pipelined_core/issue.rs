//! The decode stage: hazards and issue.

use std::hint::select_unpredictable;

use spinach_isa::architecture::Architecture;
use spinach_isa::word::Word;
use spinach_isa::work::FurtherRegisters;

use super::super::accounts::Cause;
use super::super::decoded::{Decoded, Work};
use super::super::form::Form;
use super::super::program::Slot;
use super::PipelinedCore;
use super::register_set::bit;
use super::state::{PipelinedState, Place};

impl<A: Architecture> PipelinedCore<A> {
    /// Issues the instruction in decode if it may, and fills decode if it is empty then. Says what the cycle goes to, and the
    /// address of the instruction that it is counted on. Usually it is not called while an exception is in the memory stages.
    #[inline(always)]
    pub(super) fn issue<F: Form>(&mut self, cycle: u64) -> (Cause, A::Word) {
        let state = &self.state;
        debug_assert!(!F::IS_USUAL || !state.exception_pending);
        let is_awake = !A::CAN_WAIT || !state.program.interrupts.are_awaited(cycle);
        let may_issue = (F::IS_FREE || state.program.control.may_issue()) && is_awake;
        let account = match state.decode {
            None => (if may_issue { state.empty_cause } else { Cause::Halted }, state.missing),
            Some(place) => {
                let Slot { pc, decoded, .. } = &state.flight(place).slot;
                let pc = *pc;
                if !may_issue {
                    return (Cause::Halted, pc);
                }
                let is_held = !F::IS_USUAL && state.exception_pending;
                if is_held || self.has_hazard::<F>(decoded, cycle) {
                    let load = if F::IS_USUAL { None } else { self.state.late.awaited_by(decoded) };
                    return load.map_or((Cause::Pipeline, pc), |load| (Cause::Load, load));
                }
                let PipelinedState { program, .. } = &mut self.state;
                if !F::IS_FREE && !program.control.issues(pc.to_u64(), cycle, &self.settings.delays) {
                    return (Cause::Halted, pc);
                }
                if !F::IS_FREE && self.watch.is_some() {
                    self.look_at_issue(place);
                }
                self.move_to_execute::<F>(place);
                (Cause::Execution, pc)
            }
        };
        self.fill_decode();
        account
    }

    /// The same if nothing may be issued because an exception is in the memory stages.
    #[cold]
    #[inline(never)]
    pub(super) fn issue_nothing(&mut self) -> (Cause, A::Word) {
        if let Some(place) = self.state.decode {
            return (Cause::Pipeline, self.state.flight(place).slot.pc);
        }
        let account = (self.state.empty_cause, self.state.missing);
        self.fill_decode();
        account
    }

    #[inline(always)]
    fn move_to_execute<F: Form>(&mut self, place: Place) {
        let state = &mut self.state;
        state.decode = None;
        state.execute = Some(place);
        let in_delay_slot = state.follows_branch;
        let slot = &mut state.flights[place as usize].slot;
        slot.in_delay_slot = in_delay_slot;
        let transfers_control = slot.decoded.transfers_control();
        state.follows_branch = A::HAS_DELAY_SLOTS && transfers_control;
        if transfers_control && !in_delay_slot {
            self.resolve_in_decode::<F>(place);
        }
    }

    /// Follows the branch or jump that is being issued, if it resolves now.
    #[inline(always)]
    fn resolve_in_decode<F: Form>(&mut self, place: Place) {
        let PipelinedState { program, flights, .. } = &mut self.state;
        let flight = &mut flights[place as usize];
        let is_direct_jump = matches!(flight.slot.decoded.work, Work::DirectJump);
        let resolves = F::IS_USUAL || self.timing.resolves_in_decode(is_direct_jump);
        if !F::IS_USUAL && self.timing.predicts_branches && flight.slot.decoded.is_branch() {
            self.resolve_predicted(place);
        } else if !resolves {
        } else if program.is_taken(&flight.slot) == Some(true) {
            let target = program.target(&flight.slot);
            flight.branch_taken = flight.slot.decoded.is_branch();
            if A::HAS_DELAY_SLOTS {
                self.follow_after_delay_slot(target);
            } else {
                self.fetch_from(target);
            }
        } else if flight.slot.decoded.is_likely_branch() {
            flight.annuls = true;
            self.annul(false);
        }
    }

    /// Follows the branch that is being issued as a core does that predicts it if its conditions are in doubt. The wrong path is not
    /// fetched; its slots stay empty.
    #[inline(never)]
    fn resolve_predicted(&mut self, place: Place) {
        let PipelinedState { program, flights, fresh, recent, .. } = &mut self.state;
        let flight = &mut flights[place as usize];
        let decoded = &flight.slot.decoded;
        let taken = program.is_taken(&flight.slot) == Some(true);
        let next = if taken { program.target(&flight.slot) } else { flight.slot.pc.plus(decoded.bytes()) };
        flight.branch_taken = taken;
        let conditions = if decoded.sources.contains(&A::CONDITIONS) { bit(A::CONDITIONS) } else { 0 };
        let is_wrong = match decoded.work {
            Work::Branch(condition) | Work::IndirectBranch(condition) => {
                A::is_predicted(condition, decoded.immediate) != taken && (*fresh | *recent) & conditions != 0
            }
            _ => false,
        };
        let is_very_late = *fresh & conditions != 0;
        if taken || is_wrong {
            self.fetch_from(next);
        }
        if is_wrong && is_very_late {
            // The first is empty in any case.
            self.state.held = 2;
            self.note_fetch_change();
        }
    }

    #[inline(always)]
    fn has_hazard<F: Form>(&self, decoded: &Decoded<A>, cycle: u64) -> bool {
        let (state, timing) = (&self.state, &self.timing);
        let resolves_in_decode = F::IS_USUAL || timing.branches_resolve_in_decode;
        // Direct jumps use nothing anywhere.
        let uses_in_decode = decoded.transfers_control() & resolves_in_decode;
        let late = state.awaited | select_unpredictable(uses_in_decode, state.fresh, 0);
        let is_predicted = !F::IS_USUAL && timing.predicts_branches && decoded.is_branch();
        let late = if is_predicted { late & !bit(A::CONDITIONS) | state.awaited } else { late };
        let [first, second] = decoded.sources;
        let mut is_late = (late >> (first & 63) | late >> (second & 63)) & 1 != 0;
        if size_of::<A::Further>() != 0 {
            is_late |= late >> (decoded.further.third_source() & 63) & 1 != 0;
        }
        if F::IS_USUAL {
            return is_late;
        }
        is_late && (timing.load_use_delay > 0 || !self.comes_in_time(decoded, uses_in_decode))
            || state.issue_from > cycle
            || A::HAS_RUNS && state.awaited != 0 && self.stores_awaited(decoded)
            || matches!(decoded.work, Work::Multiplier) && state.multiplier_ready_at > cycle + 1
            || state.cooling != 0 && self.is_cooling(decoded, cycle + u64::from(!uses_in_decode))
    }

    /// True if a missing operand is in the last memory stage and will be there for execute, given that loaded values need no
    /// extra time. The load then stays there until its answer.
    #[inline]
    fn comes_in_time(&self, decoded: &Decoded<A>, uses_in_decode: bool) -> bool {
        let last = self.state.memory[usize::from(self.timing.has_second_memory_stage)];
        let Some(last) = last.filter(|_| !uses_in_decode) else {
            return false;
        };
        let loaded = bit(self.state.flight(last).destination);
        self.state.awaited & !loaded & sources(decoded) == 0
    }

    /// True if a value that an instruction uses in cycle `used_in` was loaded too short a time before.
    #[inline]
    fn is_cooling(&self, decoded: &Decoded<A>, used_in: u64) -> bool {
        self.state.cooling & sources(decoded) != 0 && self.is_used_too_early(decoded, used_in)
    }

    #[inline(never)]
    fn is_used_too_early(&self, decoded: &Decoded<A>, used_in: u64) -> bool {
        let is_late = |register: u8| {
            self.state.cooling & bit(register) != 0
                && self.state.ready_at[usize::from(register >> 5 & 1)][usize::from(register & 31)] > used_in
        };
        decoded.sources.into_iter().chain([decoded.further.third_source()]).any(is_late)
    }
}

/// The registers that an instruction with at most three sources reads.
#[inline(always)]
pub(super) fn sources<A: Architecture>(decoded: &Decoded<A>) -> u64 {
    let [first, second] = decoded.sources;
    bit(first) | bit(second) | bit(decoded.further.third_source())
}
