//! The execute stage.

use spinach_engine::Edge;
use spinach_isa::mips::Trap;

use super::super::decoded::Kind;
use super::super::stop::StopCause;
use super::PipelinedMips;
use super::state::{FLIGHTS, Phase, PipelinedState, Place};

impl PipelinedMips {
    /// Executes an instruction and moves it on to the first memory stage, which is empty then.
    #[inline]
    pub(super) fn execute(&mut self, place: Place, edge: &mut Edge<'_>) {
        let slot = &self.state.flight(place).slot;
        let outcome = match (slot.trap, slot.decoded.kind) {
            _ if self.state.program.interrupts.is_due(edge.cycle) => {
                Err(StopCause::Exception(Trap::Interrupt))
            }
            (Some(trap), _) => Err(StopCause::of(trap)),
            (None, Kind::Plain | Kind::ExceptionReturn) => self.compute(place, edge.cycle),
            (None, Kind::RegisterTransfer | Kind::DirectJump) => self.transfer(place, edge),
            (None, Kind::Awaited | Kind::Posted) => self.refer(place),
            (None, Kind::Barrier) => {
                self.state.flight_mut(place).phase = Phase::Barrier;
                Ok(())
            }
        };
        if let Err(cause) = outcome {
            self.state.flight_mut(place).stop = Some(cause);
            self.state.exception_pending = true;
        }
        self.state.memory[0] = Some(place);
    }

    #[inline]
    fn compute(&mut self, place: Place, cycle: u64) -> Result<(), StopCause> {
        let PipelinedState { program, flights, .. } = &mut self.state;
        let slot = &flights[usize::from(place) % FLIGHTS].slot;
        program.compute(slot, cycle)?;
        let (destination, kind) = (slot.decoded.instruction.destination, slot.decoded.kind);
        if slot.decoded.uses_multiplier {
            let latency = match (slot.decoded.multiplies, slot.decoded.divides) {
                (true, _) => self.timing.multiply_latency,
                (_, true) => self.timing.divide_latency,
                _ => 1,
            };
            self.state.multiplier_ready_at = cycle + latency;
        }
        self.produce(destination, cycle);
        if kind == Kind::ExceptionReturn {
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
        if let Some(older) = state.memory[1] {
            let older = state.flight_mut(older);
            if older.destination == destination {
                older.destination = 0;
            }
        }
    }

    #[inline]
    fn transfer(&mut self, place: Place, edge: &mut Edge<'_>) -> Result<(), StopCause> {
        let PipelinedState { program, flights, .. } = &mut self.state;
        let flight = &mut flights[usize::from(place) % FLIGHTS];
        let outcome = program.transfer(&flight.slot, edge)?;
        flight.branch_taken = outcome.is_some_and(|outcome| outcome.taken);
        let decoded = flight.slot.decoded;
        self.produce(decoded.instruction.destination, edge.cycle);
        if let Some(outcome) = outcome
            && !self.resolves_in_decode(&decoded)
        {
            let delay_slot_is_decoded = self.state.decode.is_some();
            self.follow(outcome, delay_slot_is_decoded);
        }
        Ok(())
    }

    #[inline]
    fn refer(&mut self, place: Place) -> Result<(), StopCause> {
        let PipelinedState { program, flights, .. } = &mut self.state;
        let flight = &mut flights[usize::from(place) % FLIGHTS];
        let referred = program.refer(&flight.slot, &self.settings)?;
        flight.phase = if referred.has_failed { Phase::Complete } else { Phase::Unsent };
        flight.reference = referred.reference;
        flight.address = referred.address;
        flight.previous = referred.previous;
        flight.value = 0;
        let destination = flight.slot.decoded.instruction.destination;
        flight.destination = destination;
        if destination != 0 {
            self.produce(destination, 0);
            self.state.awaited |= 1 << destination;
        }
        Ok(())
    }
}
