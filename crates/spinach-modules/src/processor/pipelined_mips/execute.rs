//! The execute stage.

use spinach_engine::Edge;
use spinach_isa::mips::operation::AluFunction;
use spinach_isa::mips::{Instruction, Trap};

use super::super::decoded::Kind;
use super::super::stop::StopCause;
use super::PipelinedMips;
use super::state::{AWAITED, Phase, PipelinedState, Place};

impl PipelinedMips {
    /// Executes an instruction and moves it on to the first memory stage, which is empty then.
    #[inline(always)]
    pub(super) fn execute(&mut self, place: Place, edge: &mut Edge<'_>) {
        self.state.memory[0] = Some(place);
        let slot = &self.state.flight(place).slot;
        let outcome = if self.state.program.interrupts.is_due(edge.cycle) {
            Err(StopCause::Exception(Trap::Interrupt))
        } else if let Some(trap) = slot.trap {
            Err(StopCause::of(trap))
        } else if let Some(function) = slot.decoded.alu {
            self.calculate(place, function, edge.cycle)
        } else {
            match slot.decoded.kind {
                Kind::Awaited | Kind::Posted => self.refer(place),
                Kind::RegisterTransfer | Kind::DirectJump => self.transfer(place, edge),
                Kind::Plain | Kind::ExceptionReturn => self.compute(place, edge.cycle),
                Kind::Barrier => {
                    self.state.flight_mut(place).phase = Phase::Barrier;
                    Ok(())
                }
            }
        };
        if let Err(cause) = outcome {
            self.fail(place, cause);
        }
    }

    /// Takes note that an instruction cannot complete.
    #[cold]
    #[inline(never)]
    fn fail(&mut self, place: Place, cause: StopCause) {
        self.state.flight_mut(place).stop = Some(cause);
        self.state.exception_pending = true;
    }

    #[inline]
    fn calculate(&mut self, place: Place, function: AluFunction, cycle: u64) -> Result<(), StopCause> {
        let PipelinedState { program, flights, .. } = &mut self.state;
        let decoded = &flights[place as usize].slot.decoded;
        program.calculate(decoded, function)?;
        let destination = decoded.instruction.destination;
        self.produce(destination, cycle + 1);
        Ok(())
    }

    /// Executes what does more than the ALU can do.
    #[inline(never)]
    fn compute(&mut self, place: Place, cycle: u64) -> Result<(), StopCause> {
        let PipelinedState { program, flights, .. } = &mut self.state;
        let slot = &flights[place as usize].slot;
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
        self.produce(destination, cycle + 1);
        if kind == Kind::ExceptionReturn {
            self.state.follows_branch = false;
            self.fetch_from(self.state.program.registers.pc);
        }
        Ok(())
    }

    /// Notes when a result can be used.
    #[inline]
    fn produce(&mut self, destination: u8, ready_at: u64) {
        let state = &mut self.state;
        let before = std::mem::replace(&mut state.ready_at[usize::from(destination % 32)], ready_at);
        // Register 0 is never late.
        state.ready_at[0] = 0;
        if before == AWAITED {
            self.supersede(destination);
        }
    }

    /// Keeps an older load of the same register, which is in the second memory stage, from overwriting a result.
    #[inline(never)]
    fn supersede(&mut self, destination: u8) {
        if let Some(older) = self.state.memory[1] {
            let older = self.state.flight_mut(older);
            if older.destination == destination {
                older.destination = 0;
            }
        }
    }

    fn transfer(&mut self, place: Place, edge: &mut Edge<'_>) -> Result<(), StopCause> {
        let PipelinedState { program, flights, .. } = &mut self.state;
        let flight = &mut flights[place as usize];
        let decoded = &flight.slot.decoded;
        let destination = decoded.instruction.destination;
        if self.timing.branches_resolve_in_decode || decoded.kind == Kind::DirectJump {
            program.link(&flight.slot, flight.annuls, edge)?;
        } else if let Some(outcome) = program.transfer(&flight.slot, edge)? {
            flight.branch_taken = outcome.taken;
            let delay_slot_is_decoded = self.state.decode.is_some();
            self.follow(outcome, delay_slot_is_decoded);
        }
        self.produce(destination, edge.cycle + 1);
        Ok(())
    }

    fn refer(&mut self, place: Place) -> Result<(), StopCause> {
        let state = &mut self.state;
        let flight = &mut state.flights[place as usize];
        let decoded = &flight.slot.decoded;
        let Instruction { rs, rt, immediate, destination, .. } = decoded.instruction;
        let registers = &state.program.registers;
        let (rs, rt) = (registers.general(rs), registers.general(rt));
        let address = rs.wrapping_add(immediate);
        (flight.address, flight.previous, flight.value) = (address, rt, 0);
        flight.phase = Phase::Unsent;
        match decoded.unit {
            Some(unit) if unit.is_ordinary(address) & !self.settings.is_guarded(address) => {
                state.reference = unit.reference(address, rt, self.settings.identity);
            }
            _ => self.refer_to_any(place)?,
        }
        self.state.flight_mut(place).destination = destination;
        self.state.presents_data = self.may_present_data();
        self.produce(destination, AWAITED);
        Ok(())
    }

    /// The same for what is not the load or store of an aligned unit.
    #[inline(never)]
    fn refer_to_any(&mut self, place: Place) -> Result<(), StopCause> {
        let state = &mut self.state;
        let flight = &mut state.flights[place as usize];
        flight.phase = Phase::Complete;
        let referred = state.program.refer(&flight.slot, &self.settings)?;
        (flight.address, state.reference) = (referred.address, referred.reference);
        if !referred.has_failed {
            flight.phase = Phase::Unsent;
        }
        Ok(())
    }
}
