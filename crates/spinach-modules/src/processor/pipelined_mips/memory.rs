//! The memory stages, the store buffer and the completion of instructions.

use spinach_engine::Edge;
use spinach_isa::mips::Trap;

use super::super::accounts::Cause;
use super::super::data_port::response_value;
use super::super::decoded::Kind;
use super::super::stop::{Stop, StopCause};
use super::PipelinedMips;
use super::state::{MemorySlot, OUTSTANDING, Outstanding, Phase};
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
        state.memory[0].as_ref().filter(|slot| slot.phase == Phase::Unsent).map(|slot| slot.reference)
    }

    /// Notes that a reference was taken or answered, and lets a refused store into the store buffer.
    #[inline]
    pub(super) fn exchange_data(&mut self, edge: &mut Edge<'_>) {
        if edge.signals.is_sent(self.ports.data_request) {
            self.note_taken();
        }
        if let Some(response) = edge.signals.received(self.ports.data_response) {
            self.note_answered(response, edge);
        }
        let state = &mut self.state;
        if let Some(slot) = &mut state.memory[0] {
            let is_posted = slot.slot.decoded.kind == Kind::Posted;
            if slot.phase == Phase::Unsent && is_posted && state.store_buffer.len() < self.timing.store_buffer
            {
                state.store_buffer.push_back((slot.slot.pc, slot.reference));
                slot.phase = Phase::Complete;
            }
            let is_drained = state.store_buffer.is_empty() && state.outstanding.is_empty();
            if slot.phase == Phase::Barrier && is_drained {
                slot.phase = Phase::Complete;
            }
        }
    }

    fn note_taken(&mut self) {
        let state = &mut self.state;
        let outstanding =
            |pc, reference: &Reference, posted| Outstanding { pc, address: reference.address as u32, posted };
        if let Some((pc, reference)) = state.store_buffer.pop_front() {
            state.outstanding.push_back(outstanding(pc, &reference, true));
        } else if let Some(slot) = &mut state.memory[0] {
            let posted = slot.slot.decoded.kind == Kind::Posted;
            slot.phase = if posted { Phase::Complete } else { Phase::Unanswered };
            state.outstanding.push_back(outstanding(slot.slot.pc, &slot.reference, posted));
        }
    }

    fn note_answered(&mut self, response: Response, edge: &mut Edge<'_>) {
        let Some(answered) = self.state.outstanding.pop_front() else { return };
        let bus_error = StopCause::Exception(Trap::DataBusError { address: answered.address });
        if answered.posted {
            if response.is_fault {
                let stop = Stop::new(bus_error, answered.pc, None, false, edge.cycle);
                self.state.program.end(stop, &self.settings, edge);
                self.abandon(answered.pc);
            }
            return;
        }
        let mut waiting = self.state.memory.iter_mut().rev().flatten();
        if let Some(slot) = waiting.find(|slot| slot.phase == Phase::Unanswered) {
            slot.phase = Phase::Complete;
            if response.is_fault {
                slot.stop = Some(bus_error);
            } else if let Some(behaviour) = slot.slot.decoded.instruction.operation.description().memory {
                slot.value = response_value(behaviour, slot.address, slot.previous, response);
            }
        }
    }

    /// Moves instructions on through the memory stages. If they cannot move, says what the cycle went to.
    #[inline]
    pub(super) fn advance_memory(&mut self, edge: &mut Edge<'_>) -> Option<(Cause, u32)> {
        let last = self.timing.last_memory_stage;
        if let Some(slot) = &self.state.memory[last] {
            if slot.phase != Phase::Complete {
                return Some((self.waiting_cause(slot, edge), slot.slot.pc));
            }
            let slot = *slot;
            self.state.memory[last] = None;
            self.complete(&slot, edge);
        }
        if last == 1
            && let Some(slot) = &self.state.memory[0]
        {
            if matches!(slot.phase, Phase::Unsent | Phase::Barrier) {
                return Some((self.waiting_cause(slot, edge), slot.slot.pc));
            }
            self.state.memory[1] = self.state.memory[0].take();
        }
        None
    }

    fn waiting_cause(&self, slot: &MemorySlot, edge: &Edge<'_>) -> Cause {
        let is_refused = slot.phase != Phase::Unanswered && edge.signals.is_offered(self.ports.data_request);
        if is_refused { Cause::Conflict } else { Cause::Load }
    }

    /// If the last memory stage waits for a response and nothing is presented: the account of that.
    pub(super) fn waits_for_response(&self) -> Option<(Cause, u32)> {
        if self.presented_data().is_some() {
            return None;
        }
        let slot = self.state.memory[self.timing.last_memory_stage].as_ref()?;
        (slot.phase != Phase::Complete && !self.state.outstanding.is_empty())
            .then_some((Cause::Load, slot.slot.pc))
    }

    #[inline]
    fn complete(&mut self, slot: &MemorySlot, edge: &mut Edge<'_>) {
        if let Some(cause) = slot.stop {
            self.raise(cause, slot, edge);
            return;
        }
        let state = &mut self.state;
        if slot.destination != 0 {
            state.program.registers.set_general(slot.destination, slot.value);
            state.awaited &= !(1 << slot.destination);
            state.ready_at[usize::from(slot.destination)] = edge.cycle + self.timing.load_use_delay;
        }
        state.program.complete(&slot.slot, slot.branch_taken, edge);
    }

    /// Enters the handler of an exception, or stops the core.
    fn raise(&mut self, cause: StopCause, slot: &MemorySlot, edge: &mut Edge<'_>) {
        // A bus error comes back from the second memory stage when a younger instruction may have gone too far.
        let is_precise = self.timing.last_memory_stage == 0
            || !matches!(cause, StopCause::Exception(Trap::DataBusError { .. }));
        let handler = self.state.program.raise(cause, &slot.slot, is_precise, &self.settings, edge);
        self.abandon(handler.unwrap_or(slot.slot.pc));
    }

    /// Throws away everything in the pipeline and continues at `pc`. Stores in the store buffer are still performed.
    fn abandon(&mut self, pc: u32) {
        let state = &mut self.state;
        state.memory = [None; 2];
        state.awaited = 0;
        state.execute = None;
        state.exception_pending = false;
        state.follows_branch = false;
        self.fetch_from(pc);
    }
}
