//! The execute stage.

use spinach_engine::Edge;

use super::super::decoded::Kind;
use super::super::program::Slot;
use super::super::stop::StopCause;
use super::PipelinedMips;
use super::state::{MemorySlot, Phase};
use crate::values::Reference;

impl PipelinedMips {
    /// Executes an instruction and moves it on to the first memory stage, which is empty then.
    #[inline]
    pub(super) fn execute(&mut self, slot: Slot, edge: &mut Edge<'_>) {
        let mut moved = MemorySlot {
            slot,
            phase: Phase::Complete,
            reference: Reference::default(),
            address: 0,
            previous: 0,
            destination: 0,
            value: 0,
            stop: None,
            branch_taken: false,
        };
        let outcome = match (slot.trap, slot.decoded.kind) {
            (Some(trap), _) => Err(StopCause::of(trap)),
            (None, Kind::Plain | Kind::ExceptionReturn) => self.compute(&slot, edge.cycle),
            (None, Kind::RegisterTransfer | Kind::DirectJump) => self.transfer(&mut moved, edge),
            (None, Kind::Awaited | Kind::Posted) => self.refer(&mut moved),
            (None, Kind::Barrier) => {
                moved.phase = Phase::Barrier;
                Ok(())
            }
        };
        if let Err(cause) = outcome {
            moved.stop = Some(cause);
            self.state.exception_pending = true;
        }
        self.state.memory[0] = Some(moved);
    }

    #[inline]
    fn compute(&mut self, slot: &Slot, cycle: u64) -> Result<(), StopCause> {
        let decoded = &slot.decoded;
        self.state.program.compute(slot, cycle)?;
        if decoded.uses_multiplier {
            let latency = match (decoded.multiplies, decoded.divides) {
                (true, _) => self.timing.multiply_latency,
                (_, true) => self.timing.divide_latency,
                _ => 1,
            };
            self.state.multiplier_ready_at = cycle + latency;
        }
        self.produce(decoded.instruction.destination, cycle);
        if decoded.kind == Kind::ExceptionReturn {
            self.state.follows_branch = false;
            self.fetch_from(self.state.program.registers.pc);
        }
        Ok(())
    }

    /// Notes that a result can be used from the next cycle on. An older load of the same register must not overwrite it.
    #[inline]
    fn produce(&mut self, destination: u8, cycle: u64) {
        let state = &mut self.state;
        state.ready_at[usize::from(destination)] = if destination == 0 { 0 } else { cycle + 1 };
        state.awaited &= !(1 << destination);
        if let Some(older) = &mut state.memory[1]
            && older.destination == destination
        {
            older.destination = 0;
        }
    }

    #[inline]
    fn transfer(&mut self, moved: &mut MemorySlot, edge: &mut Edge<'_>) -> Result<(), StopCause> {
        let Slot { decoded, .. } = moved.slot;
        let outcome = self.state.program.transfer(&moved.slot, edge)?;
        self.produce(decoded.instruction.destination, edge.cycle);
        let Some(outcome) = outcome else { return Ok(()) };
        moved.branch_taken = outcome.taken;
        if !self.resolves_in_decode(&decoded) {
            let delay_slot_is_decoded = self.state.decode.is_some();
            self.follow(outcome, delay_slot_is_decoded);
        }
        Ok(())
    }

    #[inline]
    fn refer(&mut self, moved: &mut MemorySlot) -> Result<(), StopCause> {
        let referred = self.state.program.refer(&moved.slot, &self.settings)?;
        moved.phase = if referred.has_failed { Phase::Complete } else { Phase::Unsent };
        moved.reference = referred.reference;
        moved.address = referred.address;
        moved.previous = referred.previous;
        let destination = moved.slot.decoded.instruction.destination;
        if destination != 0 {
            self.produce(destination, 0);
            moved.destination = destination;
            self.state.awaited |= 1 << destination;
        }
        Ok(())
    }
}
