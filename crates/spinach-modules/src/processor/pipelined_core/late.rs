//! Loads that leave the memory stage before their answers.

use spinach_isa::architecture::{Answer, Architecture, RegisterFile};
use spinach_isa::instruction_set::{DecodedInstruction, Direction};

use super::super::data_port::{next_reference, response_value};
use super::super::decoded::{Decoded, Work};
use super::super::form::{Form, General};
use super::super::program::Slot;
use super::PipelinedCore;
use super::issue::sources;
use super::late_loads::LateLoad;
use super::register_set::bit;
use super::state::{PipelinedState, Place};

impl<A: Architecture> PipelinedCore<A> {
    /// True if an instruction stores a register that a load will write, among more registers than the scoreboard knows.
    #[inline]
    pub(super) fn stores_awaited(&self, decoded: &Decoded<A>) -> bool {
        let may_store = self.timing.loads_under_way > 0 && decoded.work == Work::Posted;
        may_store && self.state.awaited & decoded.instruction().reads().0 != 0
    }

    /// The load that is the only thing which the instruction in decode, the oldest that is not issued, waits for.
    pub(super) fn awaits_late_load(&self) -> Option<A::Word> {
        let state = &self.state;
        let is_alone = state.execute.is_none() && state.memory == [None; 2] && !state.exception_pending;
        let is_settled = state.late.arrived.is_none() && state.fresh == 0;
        if state.late.loads.is_empty() || !is_alone || !is_settled || !state.program.control.may_issue() {
            return None;
        }
        let decoded = &state.flight(state.decode?).slot.decoded;
        if state.awaited & sources(decoded) == 0 { None } else { state.late.awaited_by(decoded) }
    }

    /// Lets a load leave the memory stage whose reference was taken and not answered, if it may.
    #[inline(never)]
    pub(super) fn leaves_unanswered(&mut self, place: Place) -> bool {
        // Without extra time for loaded values, the consumer may be in execute: it continues in the cycle of the answer.
        let consumer = self.state.execute.filter(|_| self.timing.load_use_delay == 0);
        let awaited = consumer.map_or(0, |consumer| sources(&self.state.flight(consumer).slot.decoded));
        let PipelinedState { flights, late, outstanding, program, .. } = &mut self.state;
        let flight = &mut flights[place as usize];
        let Slot { pc, decoded, .. } = flight.slot;
        let loads = match decoded.work {
            Work::Load(_) => true,
            Work::Store(_) => false,
            _ => {
                let behaviour = decoded.instruction().memory();
                behaviour.is_some_and(|it| it.direction == Direction::Load && !it.linked)
            }
        };
        let is_used = awaited & bit(flight.destination) != 0;
        if !loads || is_used || late.loads.len() >= self.timing.loads_under_way as usize {
            return false;
        }
        let (address, part) = (flight.address, flight.part);
        if next_reference(&decoded, address, part + 1, &program.registers, self.settings.identity).is_some() {
            return false;
        }
        let answer = Answer { address, part: part.into(), previous: flight.value, data: A::Word::default() };
        let destination = std::mem::take(&mut flight.destination);
        late.loads.push_back(LateLoad { pc, decoded, answer, destination, completed_in: None });
        outstanding.leave_youngest();
        true
    }

    /// Takes the answer to the oldest load that has left.
    #[cold]
    pub(super) fn note_late(&mut self, data: A::Word) {
        let late = &mut self.state.late;
        let load = late.loads.pop_front();
        late.arrived = load.map(|load| {
            let answer = Answer { data, ..load.answer };
            (load.destination, response_value(&load.decoded, &answer))
        });
    }

    /// Gives a register the value that came for it in this cycle.
    #[inline]
    pub(super) fn deliver_late(&mut self, cycle: u64) {
        if let Some((destination, value)) = self.state.late.arrived.take() {
            self.deliver::<General>(destination, value, cycle);
        }
    }

    /// Gives a register the value that was loaded for it.
    #[inline(always)]
    pub(super) fn deliver<F: Form>(&mut self, destination: u8, value: A::Word, cycle: u64) {
        if destination == 0 {
            return;
        }
        let state = &mut self.state;
        let load_use_delay = if F::IS_USUAL { 1 } else { self.timing.load_use_delay };
        let register = bit(destination);
        state.program.registers.set_general(destination, value);
        state.awaited &= !register;
        if load_use_delay > 0 {
            state.fresh |= register;
        }
        if load_use_delay > 1 {
            state.cooling |= register;
            *state.ready_at(destination) = cycle + u64::from(load_use_delay);
        }
    }
}
