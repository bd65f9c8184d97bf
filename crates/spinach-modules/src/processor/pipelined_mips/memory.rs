//! The memory stages, the store buffer and the completion of instructions.

use spinach_engine::Edge;
use spinach_isa::mips::Trap;

use super::super::accounts::Cause;
use super::super::data_port::response_value;
use super::super::decoded::Kind;
use super::super::stop::{Stop, StopCause};
use super::PipelinedMips;
use super::state::{FLIGHTS, Interest, OUTSTANDING, Outstanding, Phase, PipelinedState, Place};
use crate::values::{Reference, Response};

impl PipelinedMips {
    /// The reference that is presented: the oldest in the store buffer, else that of the first memory stage.
    #[inline]
    pub(super) fn presented_data(&self) -> Option<Reference> {
        let state = &self.state;
        if state.outstanding.len() >= OUTSTANDING {
            return None;
        }
        if let Some((_, reference)) = state.store_buffer.front() {
            return Some(*reference);
        }
        let flight = state.flight(state.memory[0]?);
        (flight.phase == Phase::Unsent).then_some(flight.reference)
    }

    /// Notes that a reference was taken or answered, and lets a refused store into the store buffer. Says whether nothing
    /// answered a store for which nobody waits.
    #[inline]
    pub(super) fn exchange_data(&mut self, edge: &mut Edge<'_>) -> bool {
        if edge.signals.is_sent(self.ports.data_request) {
            self.note_taken();
        }
        if let Some(response) = edge.signals.received(self.ports.data_response)
            && self.note_answered(response, edge)
        {
            return true;
        }
        let PipelinedState { memory: [Some(place), _], flights, store_buffer, outstanding, .. } =
            &mut self.state
        else {
            return false;
        };
        let flight = &mut flights[usize::from(*place) % FLIGHTS];
        match flight.phase {
            Phase::Unsent => {
                let is_posted = flight.slot.decoded.kind == Kind::Posted;
                if is_posted && store_buffer.len() < self.timing.store_buffer {
                    store_buffer.push_back((flight.slot.pc, flight.reference));
                    flight.phase = Phase::Complete;
                }
            }
            Phase::Barrier if store_buffer.is_empty() && outstanding.is_empty() => {
                flight.phase = Phase::Complete;
            }
            _ => {}
        }
        false
    }

    fn note_taken(&mut self) {
        let PipelinedState { memory, flights, store_buffer, outstanding, .. } = &mut self.state;
        let (pc, reference, interest) = match (store_buffer.pop_front(), memory[0]) {
            (Some((pc, reference)), _) => (pc, reference, Interest::Posted),
            (None, Some(place)) => {
                let flight = &mut flights[usize::from(place) % FLIGHTS];
                let is_posted = flight.slot.decoded.kind == Kind::Posted;
                flight.phase = if is_posted { Phase::Complete } else { Phase::Unanswered };
                let interest = if is_posted { Interest::Posted } else { Interest::Awaited };
                (flight.slot.pc, flight.reference, interest)
            }
            (None, None) => return,
        };
        outstanding.push_back(Outstanding { pc, address: reference.address as u32, interest });
    }

    fn note_answered(&mut self, response: Response, edge: &mut Edge<'_>) -> bool {
        let Some(answered) = self.state.outstanding.pop_front() else { return false };
        let bus_error = StopCause::Exception(Trap::DataBusError { address: answered.address });
        match answered.interest {
            Interest::Awaited => {}
            Interest::Posted if response.is_fault => {
                let stop = Stop::new(bus_error, answered.pc, None, false, edge.cycle);
                self.state.program.end(stop, &self.settings, edge);
                self.abandon(answered.pc);
                return true;
            }
            Interest::Posted | Interest::Abandoned => return false,
        }
        let [first, second] = self.state.memory;
        for place in [second, first].into_iter().flatten() {
            let flight = self.state.flight_mut(place);
            if flight.phase != Phase::Unanswered {
                continue;
            }
            flight.phase = Phase::Complete;
            if response.is_fault {
                flight.stop = Some(bus_error);
            } else if let Some(behaviour) = flight.slot.decoded.instruction.operation.description().memory {
                flight.value = response_value(behaviour, flight.address, flight.previous, response);
            }
            break;
        }
        false
    }

    /// Moves instructions on through the memory stages. If they cannot move, says what the cycle went to.
    #[inline]
    pub(super) fn advance_memory(&mut self, edge: &mut Edge<'_>) -> Option<(Cause, u32)> {
        let last = self.timing.last_memory_stage;
        if let Some(place) = self.state.memory[last] {
            if self.state.flight(place).phase != Phase::Complete {
                return Some(self.waiting_account(place, edge));
            }
            self.state.memory[last] = None;
            self.complete(place, edge);
        }
        if last == 1
            && let Some(place) = self.state.memory[0]
        {
            if matches!(self.state.flight(place).phase, Phase::Unsent | Phase::Barrier) {
                return Some(self.waiting_account(place, edge));
            }
            self.state.memory[1] = self.state.memory[0].take();
        }
        None
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
        let flight = self.state.flight(self.state.memory[self.timing.last_memory_stage]?);
        let waits = flight.phase != Phase::Complete && !self.state.outstanding.is_empty();
        waits.then_some((Cause::Load, flight.slot.pc))
    }

    #[inline]
    fn complete(&mut self, place: Place, edge: &mut Edge<'_>) {
        let state = &mut self.state;
        let flight = &state.flights[usize::from(place) % FLIGHTS];
        if let Some(cause) = flight.stop {
            self.raise(cause, place, edge);
            return;
        }
        if flight.destination != 0 {
            state.program.registers.set_general(flight.destination, flight.value);
            state.awaited &= !(1 << flight.destination);
            state.ready_at[usize::from(flight.destination)] = edge.cycle + self.timing.load_use_delay;
        }
        state.program.complete(&flight.slot, flight.address, flight.branch_taken, edge);
    }

    /// Enters the handler of an exception, or stops the core.
    fn raise(&mut self, cause: StopCause, place: Place, edge: &mut Edge<'_>) {
        // A bus error comes back from the second memory stage when a younger instruction may have gone too far.
        let is_precise = self.timing.last_memory_stage == 0
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
        state.awaited = 0;
        state.execute = None;
        state.exception_pending = false;
        state.follows_branch = false;
        self.fetch_from(pc);
    }
}
