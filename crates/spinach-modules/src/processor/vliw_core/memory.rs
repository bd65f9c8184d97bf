//! The memory stage, the store buffer and the completion of instructions.

use std::collections::VecDeque;

use spinach_engine::Edge;
use spinach_isa::architecture::{Architecture, ArchitectureTrap, RegisterFile};

use super::super::accounts::Cause;
use super::super::data_port::response_value;
use super::super::form::Bundled;
use super::super::stop::{Stop, StopCause};
use super::VliwCore;
use super::state::{Instruction, Interest, LANES, OUTSTANDING, Outstanding, Phase, Place};
use crate::values::{Reference, Response};
use spinach_isa::architecture::Answer;

impl<A: Architecture<Word = u32>> VliwCore<A> {
    /// The references that are presented, by data port: the oldest in the store buffer, else those of the memory stage that need
    /// not wait for others of their bundle.
    pub(super) fn presented_data(&self) -> [Option<Reference>; LANES] {
        let state = &self.state;
        let mut presented = [None; LANES];
        let has_room = |lane: usize| state.outstanding[lane].len() < OUTSTANDING;
        if let Some((_, reference)) = state.store_buffer.front() {
            presented[0] = has_room(0).then_some(*reference);
            return presented;
        }
        let Some(place) = state.memory else { return presented };
        let bundle = state.bundle(place);
        let mut only_loads = true;
        for (lane, index) in bundle.references().enumerate() {
            let instruction = &bundle.instructions[index];
            if instruction.phase != Phase::Unsent {
                continue;
            }
            let is_first = presented.iter().all(Option::is_none) && only_loads;
            if is_first || only_loads && instruction.is_plain_load() {
                presented[lane] = has_room(lane).then_some(instruction.reference);
            }
            only_loads &= instruction.is_plain_load() && presented[lane].is_some();
        }
        presented
    }

    /// Records transfers, and lets a refused store into the store buffer.
    pub(super) fn exchange_data(&mut self, edge: &mut Edge<'_>) {
        let from_buffer = !self.state.store_buffer.is_empty();
        for lane in 0..self.machine.load_store_units {
            if edge.signals.is_sent(self.ports.data_request[lane]) {
                self.note_taken(lane, from_buffer);
            }
        }
        for lane in 0..self.machine.load_store_units {
            if let Some(response) = edge.signals.received(self.ports.data_response[lane]) {
                self.note_answered(lane, response, edge);
            }
        }
        let Some(place) = self.state.memory else { return };
        let is_idle =
            self.state.store_buffer.is_empty() && self.state.outstanding.iter().all(VecDeque::is_empty);
        let has_room = self.state.store_buffer.len() < self.machine.store_buffer;
        let bundle = self.state.bundle_mut(place);
        let pc = bundle.pc;
        let count = bundle.count;
        let mut unsent = bundle.instructions[..count].iter_mut().filter(|it| it.phase == Phase::Unsent);
        if let (Some(first), None) = (unsent.next(), unsent.next()) {
            if first.slot.decoded.is_posted() && has_room {
                first.phase = Phase::Complete;
                let reference = first.reference;
                self.state.store_buffer.push_back((pc, reference));
            }
            return;
        }
        if is_idle {
            let barriers = bundle.instructions[..count].iter_mut().filter(|it| it.phase == Phase::Barrier);
            barriers.for_each(|it| it.phase = Phase::Complete);
        }
    }

    fn note_taken(&mut self, lane: usize, from_buffer: bool) {
        let state = &mut self.state;
        let (pc, reference, interest) = if from_buffer {
            let Some((pc, reference)) = state.store_buffer.pop_front() else { return };
            (pc, reference, Interest::Posted)
        } else {
            let Some(place) = state.memory else { return };
            let bundle = state.bundle_mut(place);
            let instruction = &mut bundle.instructions[usize::from(bundle.references[lane])];
            let is_posted = instruction.slot.decoded.is_posted();
            instruction.phase = if is_posted { Phase::Complete } else { Phase::Unanswered };
            let interest = if is_posted { Interest::Posted } else { Interest::Awaited };
            (bundle.pc, instruction.reference, interest)
        };
        let address = reference.address as u32;
        state.outstanding[lane].push_back(Outstanding { pc, address, interest });
    }

    fn note_answered(&mut self, lane: usize, response: Response, edge: &mut Edge<'_>) {
        let Some(answered) = self.state.outstanding[lane].pop_front() else { return };
        let bus_error = StopCause::Exception(A::Trap::data_bus_error(
            answered.address,
            answered.interest == Interest::Posted,
        ));
        match answered.interest {
            Interest::Awaited => {}
            Interest::Posted if response.is_fault => {
                let stop = Stop::new(bus_error, answered.pc, None, false, edge.cycle());
                self.state.program.end(stop, &self.settings, edge);
                self.abandon(answered.pc);
                return;
            }
            Interest::Posted | Interest::Abandoned => return,
        }
        let Some(place) = self.state.memory else { return };
        let bundle = self.state.bundle_mut(place);
        let instruction = &mut bundle.instructions[usize::from(bundle.references[lane])];
        instruction.phase = Phase::Complete;
        if response.is_fault {
            instruction.stop = Some(bus_error);
        } else {
            let Instruction { slot, address, previous, .. } = &*instruction;
            instruction.value = response_value(
                &slot.decoded,
                &Answer { address: *address, part: 0, previous: *previous, data: response.data as u32 },
            );
        }
    }

    /// Completes the bundle in the memory stage. If it cannot, returns the use of the cycle.
    pub(super) fn advance_memory(&mut self, edge: &mut Edge<'_>) -> Option<(Cause, u32)> {
        let place = self.state.memory?;
        if !self.is_complete(place) {
            let bundle = self.state.bundle(place);
            let is_refused = bundle.references().enumerate().any(|(lane, index)| {
                let is_unsent = bundle.instructions[index].phase != Phase::Unanswered;
                is_unsent && edge.signals.is_offered(self.ports.data_request[lane])
            });
            return Some((if is_refused { Cause::Conflict } else { Cause::Load }, bundle.pc));
        }
        self.state.memory = None;
        self.complete(place, edge);
        None
    }

    fn is_complete(&self, place: Place) -> bool {
        let has_to_wait = |it: &Instruction<A>| it.phase != Phase::Complete && it.stop.is_none();
        !self.state.bundle(place).instructions().iter().any(has_to_wait)
    }

    /// If the memory stage waits for responses and nothing is presented: the account of that.
    pub(super) fn waits_for_response(&self) -> Option<(Cause, u32)> {
        let place = self.state.memory?;
        let presents = self.presented_data().iter().any(Option::is_some);
        let awaits = self.state.outstanding.iter().any(|outstanding| !outstanding.is_empty());
        let waits = !presents && awaits && !self.is_complete(place);
        waits.then(|| (Cause::Load, self.state.bundle(place).pc))
    }

    fn complete(&mut self, place: Place, edge: &mut Edge<'_>) {
        let pc = self.state.bundle(place).pc;
        if let Some(calls) = &mut self.state.program.calls {
            calls.reach(pc.into());
        }
        for index in 0..self.state.bundle(place).count {
            let instruction = self.state.bundle(place).instructions[index];
            let Instruction { slot, stop, destination, value, address, branch_taken, .. } = instruction;
            if let Some(cause) = stop {
                self.state.program.raise(cause, &slot, false, &self.settings, edge);
                self.abandon(slot.pc);
                return;
            }
            if destination != 0 {
                self.state.program.registers.set_general(destination, value);
                self.state.awaited &= !(1 << destination);
                self.state.ready_at[usize::from(destination)] = edge.cycle() + 1;
            }
            self.state.program.complete::<Bundled>(&slot, address, branch_taken, edge);
        }
    }

    /// Throws away everything in the pipeline and continues at `pc`. Stores in the store buffer are still performed.
    fn abandon(&mut self, pc: u32) {
        let state = &mut self.state;
        state.memory = None;
        for outstanding in state.outstanding.iter_mut().flatten() {
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
