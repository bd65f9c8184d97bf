//! The memory stages, the store buffer and the completion of instructions.

use spinach_engine::Edge;
use spinach_isa::mips::Trap;

use super::super::accounts::{Cause, Event};
use super::super::data_port::response_value;
use super::super::decoded::{Decoded, Kind};
use super::super::history::Completed;
use super::super::stop::{Stop, StopCause};
use super::PipelinedMips;
use super::state::{MemorySlot, OUTSTANDING, Outstanding, Phase, Slot};
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
                self.stop(bus_error, answered.pc, None, false, edge);
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
            state.registers.set_general(slot.destination, slot.value);
            state.awaited &= !(1 << slot.destination);
            state.ready_at[usize::from(slot.destination)] = edge.cycle + self.timing.load_use_delay;
        }
        let decoded = &slot.slot.decoded;
        edge.count(Event::Instruction as usize, 1);
        if let Some(event) = decoded.event() {
            edge.count(event as usize, 1);
            edge.count(Event::BranchTaken as usize, u64::from(slot.branch_taken));
        }
        let (pc, word) = (slot.slot.pc, decoded.instruction.word);
        state.history.record(Completed { cycle: edge.cycle, pc, word });
        if let Some(profile) = &mut state.profile {
            profile.complete(pc, decoded.accesses_memory());
        }
    }

    /// Enters the handler of an exception, or stops the core.
    fn raise(&mut self, cause: StopCause, slot: &MemorySlot, edge: &mut Edge<'_>) {
        let Slot { pc, in_delay_slot, .. } = slot.slot;
        // A bus error comes back from the second memory stage when a younger instruction may have gone too far.
        let is_precise = self.timing.last_memory_stage == 0
            || !matches!(cause, StopCause::Exception(Trap::DataBusError { .. }));
        match (cause, self.settings.exception_vector) {
            (StopCause::Exception(trap), Some(vector)) if is_precise => {
                let state = &mut self.state;
                state.registers.coprocessor0.enter_exception(trap, pc, in_delay_slot);
                state.awaited = 0;
                state.execute = None;
                state.exception_pending = false;
                state.follows_branch = false;
                edge.count(Event::Exception as usize, 1);
                self.fetch_from(vector);
            }
            _ => {
                let decoded = slot.slot.trap.is_none().then_some(&slot.slot.decoded);
                self.stop(cause, pc, decoded, in_delay_slot, edge);
            }
        }
    }

    /// Ends the program. Stores in the store buffer are still performed.
    fn stop(
        &mut self,
        cause: StopCause,
        pc: u32,
        decoded: Option<&Decoded>,
        in_delay_slot: bool,
        edge: &mut Edge<'_>,
    ) {
        let stop = Stop::new(cause, pc, decoded, in_delay_slot, edge.cycle);
        if stop.is_fault && self.settings.fault_stops_simulation {
            edge.stop(stop.describe(u32::from(self.settings.identity)));
        }
        let state = &mut self.state;
        state.registers.pc = pc;
        state.registers.next_pc = pc.wrapping_add(4);
        state.registers.in_delay_slot = in_delay_slot;
        if stop.is_fault || state.stop.is_none() {
            state.stop = Some(stop);
        }
        state.memory = [None; 2];
        state.awaited = 0;
        state.execute = None;
        state.exception_pending = false;
        state.follows_branch = false;
        self.fetch_from(pc);
    }
}
