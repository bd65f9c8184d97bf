//! The decode stage with hazards and issue, and the execute stage.

use spinach_engine::Edge;
use spinach_isa::architecture::{Architecture, RegisterFile};

use super::super::accounts::Cause;
use super::super::decoded::{Kind, Work};
use super::super::program::Slot;
use super::super::stop::StopCause;
use super::VliwCore;
use super::fetch::redirects;
use super::state::{Instruction, Phase, Place, VliwState};

impl<A: Architecture<Word = u32>> VliwCore<A> {
    /// Issues the bundle in decode if it may. Returns the use of the cycle.
    pub(super) fn issue(&mut self, cycle: u64) -> Cause {
        let state = &self.state;
        if !state.program.control.may_issue() {
            return Cause::Halted;
        }
        let Some(place) = state.decode else { return state.empty_cause };
        let bundle = state.bundle(place);
        let is_late = |slot: &Slot<A>| Self::has_hazard(state, slot, cycle);
        if state.exception_pending || bundle.instructions().iter().any(|it| is_late(&it.slot)) {
            return Cause::Pipeline;
        }
        let pc = bundle.pc;
        if !self.state.program.control.issues(pc.into(), cycle, &self.settings.delays) {
            return Cause::Halted;
        }
        let state = &mut self.state;
        let in_delay_slot = state.follows_branch;
        let bundle = state.bundle_mut(place);
        let count = bundle.count;
        bundle.instructions[..count].iter_mut().for_each(|it| it.slot.in_delay_slot = in_delay_slot);
        let exit = bundle.exit.map(|exit| bundle.instructions[exit].slot);
        state.follows_branch = exit.is_some();
        state.decode = None;
        state.execute = Some(place);
        if let Some(exit) = exit.filter(|_| !in_delay_slot)
            && let Some(outcome) = state.program.resolve(&exit)
        {
            self.follow(outcome);
        }
        Cause::Execution
    }

    fn has_hazard(state: &VliwState<A>, slot: &Slot<A>, cycle: u64) -> bool {
        let decoded = &slot.decoded;
        let used_in = if decoded.is_register_transfer() { cycle } else { cycle + 1 };
        // Register 0 is never late.
        let is_late = |register: u8| {
            state.awaited >> register & 1 != 0 || state.ready_at[usize::from(register)] > used_in
        };
        decoded.sources.into_iter().any(is_late)
    }

    /// Executes a bundle and moves it on to the memory stage, which is empty then.
    pub(super) fn execute(&mut self, place: Place, edge: &mut Edge<'_>) {
        for index in 0..self.state.bundle(place).count {
            if let Err(cause) = self.execute_one(place, index, edge) {
                self.state.bundle_mut(place).instructions[index].stop = Some(cause);
                self.state.exception_pending = true;
                break;
            }
        }
        self.state.memory = Some(place);
    }

    fn execute_one(&mut self, place: Place, index: usize, edge: &mut Edge<'_>) -> Result<(), StopCause<A>> {
        let Instruction { slot, stop, .. } = self.state.bundle(place).instructions[index];
        if let Some(cause) = stop {
            return Err(cause);
        }
        let destination = slot.decoded.destination;
        match slot.decoded.kind() {
            kind if redirects(kind) => {
                let outcome = self.state.program.transfer(&slot, edge)?;
                let taken = outcome.is_some_and(|outcome| outcome.taken);
                let branch_taken = taken & slot.decoded.is_branch();
                self.state.bundle_mut(place).instructions[index].branch_taken = branch_taken;
                self.produce(destination, edge.cycle());
            }
            Kind::Awaited | Kind::Posted => self.refer(place, index)?,
            Kind::Barrier => self.state.bundle_mut(place).instructions[index].phase = Phase::Barrier,
            kind => {
                match slot.decoded.work {
                    Work::Calculate(function) => self.state.program.calculate(&slot.decoded, function)?,
                    _ => self.state.program.compute(&slot, edge.cycle())?,
                }
                self.produce(destination, edge.cycle());
                if kind == Kind::ExceptionReturn {
                    self.state.follows_branch = false;
                    self.fetch_from(self.state.program.registers.pc());
                }
            }
        }
        Ok(())
    }

    /// Notes that a result can be used from the next cycle on.
    fn produce(&mut self, destination: u8, cycle: u64) {
        self.state.ready_at[usize::from(destination)] = if destination == 0 { 0 } else { cycle + 1 };
    }

    fn refer(&mut self, place: Place, index: usize) -> Result<(), StopCause<A>> {
        let slot = self.state.bundle(place).instructions[index].slot;
        let referred = self.state.program.refer(&slot, &self.settings)?;
        let destination = slot.decoded.destination;
        let instruction = &mut self.state.bundle_mut(place).instructions[index];
        instruction.phase = if referred.has_failed { Phase::Complete } else { Phase::Unsent };
        instruction.reference = referred.reference;
        instruction.address = referred.address;
        instruction.previous = referred.previous;
        instruction.value = 0;
        instruction.destination = destination;
        if destination != 0 {
            self.state.awaited |= 1 << destination;
        }
        Ok(())
    }
}
