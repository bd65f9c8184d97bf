//! The memory stages, the store buffer and the completion of instructions.

use spinach_engine::Edge;
use spinach_isa::mips::Trap;

use super::super::accounts::Cause;
use super::super::data_port::response_value;
use super::super::decoded::Kind;
use super::super::stop::{Stop, StopCause};
use super::PipelinedMips;
use super::state::{AWAITED, Interest, OUTSTANDING, Outstanding, Phase, PipelinedState, Place};
use crate::values::{Reference, Response};

impl PipelinedMips {
    /// The reference that is presented: the oldest in the store buffer, else that of the first memory stage.
    #[inline]
    pub(super) fn presented_data(&self) -> Option<&Reference> {
        let state = &self.state;
        if state.outstanding.len() >= OUTSTANDING {
            return None;
        }
        if let Some((_, reference)) = state.store_buffer.front() {
            return Some(reference);
        }
        let flight = state.flight(state.memory[0]?);
        (flight.phase == Phase::Unsent).then_some(&flight.reference)
    }

    /// Notes that a reference was taken or answered. Says whether nothing answered a store for which nobody waits.
    #[inline(always)]
    pub(super) fn exchange_data(&mut self, edge: &mut Edge<'_>) -> bool {
        if edge.signals.is_sent(self.ports.data_request) {
            self.note_taken();
        }
        // Whatever is presented is also acknowledged.
        match edge.signals.read(self.ports.data_response) {
            Some(response) => self.note_answered(response, edge),
            None => false,
        }
    }

    #[inline]
    fn note_taken(&mut self) {
        let PipelinedState { memory, flights, store_buffer, outstanding, .. } = &mut self.state;
        let (pc, reference, interest) = match (store_buffer.pop_front(), memory[0]) {
            (Some((pc, reference)), _) => (pc, reference, Interest::Posted),
            (None, Some(place)) => {
                let flight = &mut flights[place as usize];
                let is_posted = flight.slot.decoded.kind == Kind::Posted;
                flight.phase = if is_posted { Phase::Complete } else { Phase::Unanswered };
                let interest = if is_posted { Interest::Posted } else { Interest::Awaited };
                (flight.slot.pc, flight.reference, interest)
            }
            (None, None) => return,
        };
        outstanding.push_back(Outstanding { pc, address: reference.address as u32, interest });
    }

    #[inline]
    fn note_answered(&mut self, response: Response, edge: &mut Edge<'_>) -> bool {
        let Some(answered) = self.state.outstanding.pop_front() else { return false };
        let bus_error = StopCause::Exception(Trap::DataBusError { address: answered.address });
        match answered.interest {
            Interest::Awaited => {}
            Interest::Posted if response.is_fault => {
                self.end_late(bus_error, answered.pc, edge);
                return true;
            }
            Interest::Posted | Interest::Abandoned => return false,
        }
        let [first, second] = self.state.memory;
        let waits = |place: &Place| self.state.flight(*place).phase == Phase::Unanswered;
        if let Some(place) = second.filter(waits).or(first.filter(waits)) {
            let flight = self.state.flight_mut(place);
            flight.phase = Phase::Complete;
            if response.is_fault {
                flight.stop = Some(bus_error);
            } else {
                flight.value =
                    response_value(&flight.slot.decoded, flight.address, flight.previous, response);
            }
        }
        false
    }

    /// Ends the program because nothing answered a store that has completed.
    #[cold]
    fn end_late(&mut self, cause: StopCause, pc: u32, edge: &mut Edge<'_>) {
        let stop = Stop::new(cause, pc, None, false, edge.cycle);
        self.state.program.end(stop, &self.settings, edge);
        self.abandon(pc);
    }

    /// Moves instructions on through the memory stages. If they cannot move, says what the cycle went to.
    #[inline(always)]
    pub(super) fn advance_memory(&mut self, edge: &mut Edge<'_>) -> Option<(Cause, u32)> {
        if self.timing.has_second_memory_stage {
            return self.advance_two_stages(edge);
        }
        let place = self.state.memory[0]?;
        if !self.is_done(place) {
            return Some(self.waiting_account(place, edge));
        }
        self.state.memory[0] = None;
        self.complete(place, edge);
        None
    }

    #[inline(never)]
    fn advance_two_stages(&mut self, edge: &mut Edge<'_>) -> Option<(Cause, u32)> {
        let has_left_first = |core: &mut Self, place| {
            core.is_done(place) || core.state.flight(place).phase == Phase::Unanswered
        };
        let [first, second] = self.state.memory;
        let moves_on = first.is_none_or(|place| has_left_first(self, place));
        if let Some(place) = second {
            if self.state.flight(place).phase != Phase::Complete {
                return Some(self.waiting_account(place, edge));
            }
            self.state.memory[1] = None;
            self.complete(place, edge);
        }
        // That may have thrown the younger one away.
        let place = self.state.memory[0]?;
        if !moves_on {
            return Some(self.waiting_account(place, edge));
        }
        self.state.memory[1] = self.state.memory[0].take();
        None
    }

    /// Whether an instruction in the first memory stage has nothing more to wait for. A store that was refused has not if it finds
    /// room in the store buffer.
    #[inline]
    fn is_done(&mut self, place: Place) -> bool {
        self.state.flight(place).phase == Phase::Complete || self.becomes_done(place)
    }

    fn becomes_done(&mut self, place: Place) -> bool {
        let PipelinedState { flights, store_buffer, outstanding, .. } = &mut self.state;
        let flight = &mut flights[place as usize];
        let is_done = match flight.phase {
            Phase::Unsent => {
                let is_posted = flight.slot.decoded.kind == Kind::Posted;
                let enters_buffer = is_posted && store_buffer.len() < self.timing.store_buffer;
                if enters_buffer {
                    store_buffer.push_back((flight.slot.pc, flight.reference));
                }
                enters_buffer
            }
            Phase::Barrier => store_buffer.is_empty() && outstanding.is_empty(),
            Phase::Unanswered => false,
            Phase::Complete => true,
        };
        if is_done {
            flight.phase = Phase::Complete;
        }
        is_done
    }

    fn waiting_account(&self, place: Place, edge: &Edge<'_>) -> (Cause, u32) {
        let flight = self.state.flight(place);
        let is_refused =
            flight.phase != Phase::Unanswered && edge.signals.is_offered(self.ports.data_request);
        (if is_refused { Cause::Conflict } else { Cause::Load }, flight.slot.pc)
    }

    /// If the last memory stage waits for a response and nothing is presented: the account of that.
    pub(super) fn waits_for_response(&self) -> Option<(Cause, u32)> {
        if self.presented_data().is_some() {
            return None;
        }
        let last = usize::from(self.timing.has_second_memory_stage);
        let flight = self.state.flight(self.state.memory[last]?);
        let waits = flight.phase != Phase::Complete && !self.state.outstanding.is_empty();
        waits.then_some((Cause::Load, flight.slot.pc))
    }

    #[inline(always)]
    fn complete(&mut self, place: Place, edge: &mut Edge<'_>) {
        let state = &mut self.state;
        let flight = &state.flights[place as usize];
        if let Some(cause) = flight.stop {
            self.raise(cause, place, edge);
            return;
        }
        if flight.destination != 0 {
            state.program.registers.set_general(flight.destination, flight.value);
            state.ready_at[usize::from(flight.destination % 32)] = edge.cycle + self.timing.load_use_delay;
        }
        state.program.complete(&flight.slot, flight.address, flight.branch_taken, edge);
    }

    /// Enters the handler of an exception, or stops the core.
    #[cold]
    fn raise(&mut self, cause: StopCause, place: Place, edge: &mut Edge<'_>) {
        // A bus error comes back from the second memory stage when a younger instruction may have gone too far.
        let is_precise = !self.timing.has_second_memory_stage
            || !matches!(cause, StopCause::Exception(Trap::DataBusError { .. }));
        let slot = self.state.flight(place).slot;
        let handler = self.state.program.raise(cause, &slot, is_precise, &self.settings, edge);
        self.abandon(handler.unwrap_or(slot.pc));
    }

    /// Throws away everything in the pipeline and continues at `pc`. Stores in the store buffer are still performed.
    fn abandon(&mut self, pc: u32) {
        let state = &mut self.state;
        state.memory = [None; 2];
        for outstanding in &mut state.outstanding {
            if outstanding.interest == Interest::Awaited {
                outstanding.interest = Interest::Abandoned;
            }
        }
        for ready_at in state.ready_at.iter_mut().filter(|ready_at| **ready_at == AWAITED) {
            *ready_at = 0;
        }
        state.execute = None;
        state.exception_pending = false;
        state.follows_branch = false;
        self.fetch_from(pc);
    }
}
