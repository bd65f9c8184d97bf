//! The memory stages, the store buffer and the completion of instructions.

use spinach_engine::Edge;
use spinach_isa::architecture::{Answer, Architecture, ArchitectureTrap, RegisterFile};
use spinach_isa::word::Word;

use super::super::accounts::Cause;
use super::super::data_port::{next_reference, response_register, response_value};
use super::super::debugging::Load;
use super::super::decoded::Work;
use super::super::form::Form;
use super::super::stop::{Stop, StopCause};
use super::PipelinedCore;
use super::exchanged::DataSide;
use super::state::{Interest, Outstanding, Phase, PipelinedState, Place, WordReference};

impl<A: Architecture> PipelinedCore<A> {
    /// The reference that is to be presented before any other: the oldest in the store buffer, else that of the first memory
    /// stage.
    #[inline]
    pub(super) fn oldest_reference(&self) -> WordReference<A::Word> {
        self.state.store_buffer.front().map_or(self.state.reference, |(_, reference)| *reference)
    }

    /// Records a change of the store buffer, of the first memory stage, or of outstanding references.
    #[inline(never)]
    pub(super) fn note_data_change(&mut self) {
        self.state.presents_data = self.may_present_data();
        self.state.presented = self.oldest_reference();
    }

    /// True if a reference is presented.
    pub(super) fn may_present_data(&self) -> bool {
        let state = &self.state;
        let is_unsent = |place| state.flight(place).phase == Phase::Unsent;
        let has_reference = !state.store_buffer.is_empty() || state.memory[0].is_some_and(is_unsent);
        has_reference && !state.outstanding.is_full()
    }

    /// Notes that a reference was taken or answered. Says whether a store that no instruction waits for had no answer.
    #[inline(always)]
    pub(super) fn exchange_data<F: Form>(&mut self, side: impl DataSide, edge: &mut Edge<'_>) -> bool {
        if self.state.presents_data && side.is_taken(&self.ports) {
            self.note_taken();
        }
        if self.state.outstanding.is_empty() || !side.is_answered(&self.ports) {
            return false;
        }
        let was_full = self.state.outstanding.is_full();
        let answered = self.state.outstanding.pop();
        if side.is_fault(&self.ports) {
            let answered = *answered;
            return self.note_unanswered(answered, edge.reborrow());
        }
        if answered.interest == Interest::Awaited {
            self.note_answered::<F>(A::Word::from_u64(side.data(&self.ports)));
        } else if !F::IS_USUAL && answered.interest == Interest::Late {
            self.note_late(A::Word::from_u64(side.data(&self.ports)));
        } else if !F::IS_FREE && answered.interest == Interest::Debugger {
            self.loaded = Load::of(side.data(&self.ports), false);
        }
        if was_full {
            self.note_data_change();
        }
        false
    }

    #[inline]
    fn note_taken(&mut self) {
        let state = &mut self.state;
        if !state.store_buffer.is_empty() {
            return self.note_store_taken();
        }
        let Some(place) = state.memory[0] else { return };
        let flight = &mut state.flights[place as usize];
        let (phase, interest) = if flight.slot.decoded.is_posted() {
            (Phase::Complete, Interest::Posted)
        } else {
            (Phase::Unanswered, Interest::Awaited)
        };
        flight.phase = phase;
        let (pc, address) = (flight.slot.pc, state.reference.address);
        state.outstanding.push(Outstanding { pc, address, interest });
        state.presents_data = false;
        if A::HAS_RUNS && interest == Interest::Posted {
            self.goes_on(place, A::Word::default());
        }
    }

    /// The same if there is something in the store buffer.
    #[inline(never)]
    fn note_store_taken(&mut self) {
        let Some((pc, reference)) = self.state.store_buffer.pop_front() else { return };
        let interest = if reference.is_read() { Interest::Debugger } else { Interest::Posted };
        self.state.outstanding.push(Outstanding { pc, address: reference.address, interest });
        self.note_data_change();
    }

    /// Gives the instruction that waits for an answer the data of that.
    #[inline(always)]
    fn note_answered<F: Form>(&mut self, data: A::Word) {
        let place = if F::IS_USUAL { self.state.memory[0] } else { self.waiting_place() };
        if let Some(place) = place {
            if A::HAS_RUNS && self.goes_on(place, data) {
                return;
            }
            let flight = self.state.flight_mut(place);
            flight.phase = Phase::Complete;
            let (address, part, previous) = (flight.address, flight.part.into(), flight.value);
            let answer = Answer { address, part, previous, data };
            flight.value = response_value(&flight.slot.decoded, &answer);
        }
    }

    /// Makes the next reference of an instruction in the first memory stage that makes several, given the answer to the one before.
    /// Returns true if there is one.
    fn goes_on(&mut self, place: Place, data: A::Word) -> bool {
        let PipelinedState { flights, program, reference, .. } = &mut self.state;
        let flight = &mut flights[place as usize];
        let (decoded, address) = (&flight.slot.decoded, flight.address);
        let source = self.settings.identity;
        let next = next_reference(decoded, address, flight.part + 1, &program.registers, source);
        let Some(next) = next else { return false };
        if !decoded.is_posted() {
            let answer = Answer { address, part: flight.part.into(), previous: flight.value, data };
            let (register, value) = response_register::<A>(&decoded.instruction(), &answer);
            program.registers.set_general(register, value);
        }
        *reference = WordReference::of(&next);
        (flight.part, flight.value, flight.phase) = (flight.part + 1, data, Phase::Unsent);
        self.note_data_change();
        true
    }

    /// Place of the oldest instruction that waits for an answer.
    #[inline]
    fn waiting_place(&self) -> Option<Place> {
        let [first, second] = self.state.memory;
        let waits = |place: &Place| self.state.flight(*place).phase == Phase::Unanswered;
        second.filter(waits).or(first.filter(waits))
    }

    /// Takes note that nothing answered a reference. Says whether no instruction waits for it: it was a store, and ends the program.
    #[cold]
    #[inline(never)]
    fn note_unanswered(&mut self, answered: Outstanding<A::Word>, mut edge: Edge<'_>) -> bool {
        let Outstanding { pc, address, interest } = answered;
        let is_load = |place| matches!(self.state.flight(place).slot.decoded.work, Work::Load(_));
        let stores = match interest {
            Interest::Late => false,
            Interest::Posted => true,
            _ => !self.waiting_place().is_some_and(is_load),
        };
        if interest == Interest::Late {
            self.state.late.loads.pop_front();
        }
        let bus_error = StopCause::Exception(A::Trap::data_bus_error(address, stores));
        match (interest, self.waiting_place()) {
            (Interest::Awaited, Some(place)) => {
                self.state.note_failure(place, bus_error);
            }
            (Interest::Debugger, _) => self.loaded = Load::Fault,
            (Interest::Posted | Interest::Late, _) => {
                let stop = Stop::new(bus_error, pc, None, false, edge.cycle());
                self.state.program.end(stop, &self.settings, &mut edge);
                self.abandon(pc);
            }
            _ => {}
        }
        self.note_data_change();
        self.note_whether_usual();
        matches!(interest, Interest::Posted | Interest::Late)
    }

    /// Moves instructions on through the memory stages. If they cannot move, or if that ends the program, returns the use of the
    /// cycle.
    #[inline(always)]
    pub(super) fn advance_memory<F: Form>(
        &mut self,
        side: impl DataSide,
        edge: &mut Edge<'_>,
    ) -> Option<(Cause, A::Word)> {
        if !F::IS_USUAL && self.timing.has_second_memory_stage {
            return self.advance_two_stages::<F>(side, edge.reborrow());
        }
        let place = self.state.memory[0]?;
        if !self.is_done(place) {
            return Some(self.waiting_account(place, side));
        }
        self.state.memory[0] = None;
        self.complete::<F>(place, edge)
    }

    #[inline(always)]
    fn advance_two_stages<F: Form>(
        &mut self,
        side: impl DataSide,
        mut edge: Edge<'_>,
    ) -> Option<(Cause, A::Word)> {
        let edge = &mut edge;
        let has_left_first = |core: &mut Self, place| {
            core.is_done(place) || core.state.flight(place).phase == Phase::Unanswered
        };
        let [first, second] = self.state.memory;
        let moves_on = first.is_none_or(|place| has_left_first(self, place));
        if let Some(place) = second {
            if self.state.flight(place).phase.waits() {
                return Some(self.waiting_account(place, side));
            }
            self.state.memory[1] = None;
            let account = self.complete::<F>(place, edge);
            if account.is_some() {
                return account;
            }
        }
        // The older instruction may have discarded the younger one.
        let place = self.state.memory[0]?;
        if !moves_on {
            return Some(self.waiting_account(place, side));
        }
        self.state.memory[1] = self.state.memory[0].take();
        None
    }

    /// True if an instruction in the first memory stage needs not wait any longer. A refused store needs not if it finds room in
    /// the store buffer.
    #[inline]
    fn is_done(&mut self, place: Place) -> bool {
        self.state.flight(place).phase == Phase::Complete || self.becomes_done(place)
    }

    fn becomes_done(&mut self, place: Place) -> bool {
        let PipelinedState { flights, store_buffer, outstanding, reference, .. } = &mut self.state;
        let flight = &mut flights[place as usize];
        let is_done = match flight.phase {
            Phase::Unsent => {
                let is_posted = flight.slot.decoded.is_posted();
                let enters_buffer = is_posted && store_buffer.len() < self.timing.store_buffer as usize;
                if enters_buffer {
                    // It remains presented, from there.
                    store_buffer.push_back((flight.slot.pc, *reference));
                }
                enters_buffer && !(A::HAS_RUNS && self.goes_on(place, A::Word::default()))
            }
            Phase::Barrier => store_buffer.is_empty() && outstanding.is_empty(),
            Phase::Unanswered => self.timing.loads_under_way > 0 && self.leaves_unanswered(place),
            Phase::Complete | Phase::Failed => return true,
        };
        if is_done {
            self.state.flight_mut(place).phase = Phase::Complete;
        }
        is_done
    }

    #[inline(always)]
    fn waiting_account(&self, place: Place, side: impl DataSide) -> (Cause, A::Word) {
        let flight = self.state.flight(place);
        let is_refused = flight.phase != Phase::Unanswered && side.is_offered(&self.ports);
        (if is_refused { Cause::Conflict } else { Cause::Load }, flight.slot.pc)
    }

    /// If the last memory stage waits for a response and nothing is presented: the account of that.
    pub(super) fn waits_for_response(&self) -> Option<(Cause, A::Word)> {
        if self.state.presents_data {
            return None;
        }
        let last = usize::from(self.timing.has_second_memory_stage);
        let flight = self.state.flight(self.state.memory[last]?);
        let waits = flight.phase.waits() && !self.state.outstanding.is_empty();
        waits.then_some((Cause::Load, flight.slot.pc))
    }

    /// Completes an instruction. If that ends the program, returns the use of the cycle.
    #[inline(always)]
    fn complete<F: Form>(&mut self, place: Place, edge: &mut Edge<'_>) -> Option<(Cause, A::Word)> {
        let state = &mut self.state;
        let flight = &state.flights[place as usize];
        if flight.phase == Phase::Failed {
            return self.raise(place, edge.reborrow());
        }
        let (destination, value) = (flight.destination, flight.value);
        self.deliver::<F>(destination, value, edge.cycle());
        let state = &mut self.state;
        let flight = &state.flights[place as usize];
        state.program.update_base(&flight.slot.decoded, flight.address);
        state.program.complete::<F>(&flight.slot, flight.address, flight.branch_taken, edge);
        if !F::IS_FREE
            && let Some(calls) = &state.program.calls
            && let Some(load) = state.late.loads.back_mut()
        {
            load.completed_in.get_or_insert(calls.current());
        }
        if !A::HAS_DELAY_SLOTS && matches!(flight.slot.decoded.work, Work::InstructionBarrier) {
            let next = flight.slot.pc.plus(flight.slot.decoded.bytes());
            self.abandon(next);
        }
        None
    }

    /// Enters the handler of an exception, or stops the core and returns the use of the cycle.
    #[cold]
    #[inline(never)]
    fn raise(&mut self, place: Place, mut edge: Edge<'_>) -> Option<(Cause, A::Word)> {
        let cause = self.state.failures[place as usize];
        // A bus error comes back from the second memory stage when a younger instruction may have gone too far.
        let is_precise = !self.timing.has_second_memory_stage
            || !matches!(cause, StopCause::Exception(trap) if trap.is_data_bus_error());
        let slot = self.state.flight(place).slot;
        let handler = self.state.program.raise(cause, &slot, is_precise, &self.settings, &mut edge);
        self.note_whether_usual();
        self.abandon(handler.unwrap_or(slot.pc));
        self.state.program.stop.is_some().then_some((Cause::Halted, A::Word::default()))
    }

    /// Throws away everything in the pipeline and continues at `pc`. Stores in the store buffer are still performed.
    fn abandon(&mut self, pc: A::Word) {
        let state = &mut self.state;
        state.memory = [None; 2];
        state.outstanding.abandon();
        state.awaited = state.late.destinations();
        state.execute = None;
        state.exception_pending = false;
        state.follows_branch = false;
        self.note_data_change();
        self.fetch_from(pc);
    }
}
