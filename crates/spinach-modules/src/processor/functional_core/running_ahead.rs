//! Action of a core at an edge from which it runs ahead.

use spinach_engine::Edge;
use spinach_isa::architecture::{Architecture, ArchitectureTrap, RegisterFile};
use spinach_isa::word::Word;

use super::FunctionalCore;
use super::ahead::{Ahead, REMEMBERED};
use super::code::{Moment, word_at};
use super::direct_memories::WORD_BYTES;
use super::step::{Conditions, LINKED_INSTRUCTIONS};
use crate::processor::accounts::{Cause, Event};

/// Outcome of an instruction that is executed alone.
enum Alone {
    /// It has happened, or an exception in its place.
    Completed,
    /// It waits for its cycle, or for an answer.
    Begun,
    /// It is for another time, or nothing is within reach.
    NotNow,
}

impl<A: Architecture> FunctionalCore<A> {
    /// True if it runs ahead: nothing is under way, and the next instruction is within reach.
    #[inline]
    pub(super) fn may_run_ahead(&self) -> bool {
        let state = &self.state;
        let pc = state.program.registers.pc();
        let is_free = !state.is_fetching && state.parcel.is_none() && state.step.is_none();
        let reaches = |ahead: &Ahead<A>| ahead.memories.code_at(pc).is_some();
        is_free && pc.is_aligned(A::PARCEL_BYTES) && self.ahead.as_deref().is_some_and(reaches)
    }

    /// Runs ahead from this edge on. Returns the use of this cycle; `None` if that is counted.
    pub(super) fn run_ahead(&mut self, edge: &mut Edge<'_>) -> Option<(Cause, A::Word)> {
        let pc = self.state.program.registers.pc();
        if !self.is_running() {
            return Some((Cause::Halted, pc));
        }
        let Some(mut ahead) = self.ahead.take() else { return Some((Cause::Halted, pc)) };
        ahead.memories.exchange(edge);
        if ahead.code.make_room()
            && let Some(profile) = &mut self.state.program.profile
        {
            profile.forget_runs();
        }
        ahead.code.follow_writes(&mut ahead.memories);
        let ran = self.run(&mut ahead, edge);
        ahead.remember(&mut self.state.program, edge.cycle());
        ahead.book(&mut self.state.program, edge.counters);
        ahead.memories.exchange(edge);
        self.ahead = Some(ahead);
        match ran {
            0 if self.state.step.is_none() => Some((Cause::Halted, pc)),
            0 => Some((Cause::Pipeline, pc)),
            1 => None,
            _ => {
                self.state.rests_until = edge.cycle() + ran;
                // Exceptions are not ahead: each later cycle has an instruction, and counts it.
                edge.counters[Event::Instruction as usize] -= ran - 1;
                None
            }
        }
    }

    /// Executes instructions, one for each cycle from this edge on; how many.
    fn run(&mut self, ahead: &mut Ahead<A>, edge: &mut Edge<'_>) -> u64 {
        let guard = self.settings.guard;
        let history = self.state.program.history.length();
        let notes_each = self.state.program.calls.is_some()
            || history > REMEMBERED
            || edge.is_heard()
            || self.watch.is_some()
            || self.state.program.control.watches();
        let mut count = 0;
        loop {
            let program = &mut self.state.program;
            let due = program.interrupts.due_after(edge.cycle());
            let most = u64::from(self.quantum).min(due).saturating_sub(count);
            let waits = A::CAN_WAIT && program.interrupts.awaited().is_some();
            if count > 0 && (most == 0 || waits || !program.is_running()) {
                return count;
            }
            if most > 0 && !notes_each && !program.registers.in_delay_slot() {
                let conditions = Conditions {
                    guard,
                    source: self.settings.identity,
                    cycle: edge.cycle() + count,
                    room: most,
                    counted_until: &mut program.counted_until,
                };
                match ahead.run_blocks(&mut program.registers, count, conditions) {
                    Some(0) => {}
                    Some(executed) => {
                        count += executed;
                        continue;
                    }
                    None => return count,
                }
            }
            ahead.remember(&mut self.state.program, edge.cycle());
            match self.execute_alone(ahead, (count, most), due == 0, edge) {
                Alone::Completed => count += 1,
                Alone::Begun | Alone::NotNow => return count,
            }
            if self.state.program.control.watches() {
                return count;
            }
        }
    }

    /// Executes the next instruction in the cycle that is `count` cycles ahead, with `room` for that many at this edge.
    fn execute_alone(
        &mut self,
        ahead: &mut Ahead<A>,
        (count, room): (u64, u64),
        is_interrupted: bool,
        edge: &mut Edge<'_>,
    ) -> Alone {
        let pc = self.state.program.registers.pc();
        let code = pc.is_aligned(A::PARCEL_BYTES).then(|| ahead.memories.code_at(pc)).flatten();
        let word = code
            .and_then(|(lender, place, _)| word_at::<A>(&ahead.memories.loans[lender], place, WORD_BYTES));
        let Some(word) = word else { return Alone::NotNow };
        let decoded = *self.decoder.decode(pc, word);
        if count > 0 {
            let is_met = || {
                let watch = self.watch.as_ref()?;
                watch.meets(pc, &decoded, &self.state.program.registers)
            };
            let waits = match Moment::of(&decoded) {
                Moment::Ahead => false,
                Moment::AheadWithRoom => room < LINKED_INSTRUCTIONS,
                Moment::InItsCycle => true,
            };
            if is_interrupted || waits || is_met().is_some() {
                return Alone::NotNow;
            }
        } else if !self.state.program.control.issues(pc.to_u64(), edge.cycle(), &self.settings.delays) {
            return Alone::NotNow;
        }
        let trap = is_interrupted.then_some(A::Trap::INTERRUPT);
        self.begin(pc, word, trap);
        if self.hit.is_some() {
            return Alone::Begun;
        }
        let is_exact = count == 0;
        let completed = edge.ahead(count, |edge| self.finish_within_reach(ahead, is_exact, edge));
        if ahead.memories.has_rewritten {
            ahead.code.follow_writes(&mut ahead.memories);
        }
        if completed { Alone::Completed } else { Alone::Begun }
    }

    /// Completes the instruction that has begun, as far as its references are within reach, if it is in its own cycle or raises no
    /// exception.
    fn finish_within_reach(&mut self, ahead: &mut Ahead<A>, is_exact: bool, edge: &mut Edge<'_>) -> bool {
        loop {
            let Some(step) = &mut self.state.step else { return true };
            let pc = step.slot.pc;
            if step.stop.is_some() && !is_exact {
                return false;
            }
            let mut response = None;
            if let Some(reference) = &step.reference {
                response = ahead.memories.perform(reference);
                if response.is_none() {
                    return false;
                }
            }
            if A::HAS_RUNS && super::go_on(&mut self.state.program, step, response, self.settings.identity) {
                continue;
            }
            let outcome = match step.stop {
                Some(cause) => Err(cause),
                None => super::perform(&mut self.state.program, step, response, edge),
            };
            if let (Err(cause), false) = (&outcome, is_exact) {
                (step.stop, step.reference) = (Some(*cause), None);
                return false;
            }
            let program = &mut self.state.program;
            if let Some(profile) = &mut program.profile {
                profile.spend(pc, Cause::Execution);
            }
            if let Some(calls) = &mut program.calls {
                calls.spend(pc.to_u64(), Cause::Execution, 1, None);
            }
            self.conclude(outcome, edge);
            return true;
        }
    }
}
