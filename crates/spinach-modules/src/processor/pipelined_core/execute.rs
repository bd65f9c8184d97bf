//! The execute stage.

use spinach_engine::Edge;
use spinach_isa::architecture::{Architecture, ArchitectureTrap, RegisterFile};
use spinach_isa::instruction_set::Class;
use spinach_isa::word::Word;
use spinach_isa::work::FurtherRegisters;

use super::super::decoded::{Unit, Work};
use super::super::form::{Form, General};
use super::super::stop::StopCause;
use super::PipelinedCore;
use super::register_set::bit;
use super::state::{Phase, PipelinedState, Place, WordReference};

impl<A: Architecture> PipelinedCore<A> {
    /// Executes an instruction and moves it on to the first memory stage, which is empty then. Says whether that went well.
    #[inline(always)]
    pub(super) fn execute<F: Form>(&mut self, place: Place, edge: &mut Edge<'_>) -> bool {
        self.state.memory[0] = Some(place);
        if self.state.program.interrupts.is_due(edge.cycle()) {
            self.fail(place, StopCause::Exception(A::Trap::INTERRUPT));
            return false;
        }
        if !F::IS_FREE
            && let Some(period) = &mut self.period
        {
            period.follow(&self.state.flights[place as usize].slot.decoded, &self.state.program.registers);
        }
        let outcome = match self.state.flight(place).slot.decoded.work {
            Work::Calculate(function) => match self.calculate::<F>(place, function, edge.cycle()) {
                // The most frequent by far: nothing is left to be done.
                Ok(()) => return true,
                Err(cause) => Err(cause),
            },
            Work::Load(unit) => self.load::<F>(place, unit),
            Work::Store(unit) => self.store(place, unit),
            Work::Awaited | Work::Posted => self.refer(place),
            Work::Branch(_)
            | Work::LikelyBranch(_)
            | Work::IndirectJump
            | Work::IndirectBranch(_)
            | Work::DirectJump => self.transfer::<F>(place, edge),
            Work::Multiplier | Work::Plain | Work::ExceptionReturn => self.compute(place, edge.cycle()),
            Work::Barrier | Work::InstructionBarrier => {
                let flight = self.state.flight_mut(place);
                flight.phase = Phase::Barrier;
                // The next instruction is fetched again: it must not have executed by then, from one memory
                // stage further back.
                if self.timing.has_second_memory_stage && flight.slot.decoded.work == Work::InstructionBarrier
                {
                    self.state.exception_pending = true;
                    return false;
                }
                Ok(())
            }
            Work::Unfetched => Err(self.state.failures[place as usize]),
        };
        if !F::IS_USUAL && self.timing.system_latency > 1 {
            self.hold_issue(place, edge.cycle());
        }
        let Err(cause) = outcome else { return true };
        self.fail(place, cause);
        false
    }

    /// Issues nothing for as long as an instruction takes that takes longer than others.
    #[inline]
    fn hold_issue(&mut self, place: Place, cycle: u64) {
        let decoded = &self.state.flight(place).slot.decoded;
        if decoded.may_be_slow() && A::is_slow(&decoded.instruction()) {
            self.state.issue_from = cycle + u64::from(self.timing.system_latency) - 1;
        }
    }

    /// Takes note that an instruction cannot complete.
    #[cold]
    #[inline(never)]
    fn fail(&mut self, place: Place, cause: StopCause<A>) {
        if let Some(following) = self.period.as_mut().and_then(|period| period.following.as_mut()) {
            following.fail();
        }
        self.state.note_failure(place, cause);
        self.state.exception_pending = true;
    }

    #[inline(always)]
    fn calculate<F: Form>(
        &mut self,
        place: Place,
        function: A::AluFunction,
        cycle: u64,
    ) -> Result<(), StopCause<A>> {
        let PipelinedState { program, flights, .. } = &mut self.state;
        let decoded = &flights[place as usize].slot.decoded;
        program.calculate(decoded, function)?;
        let destination = decoded.destination;
        self.produce::<F>(destination);
        if !F::IS_USUAL && self.timing.shift_latency > 1 {
            self.cool_after_shift(place, cycle);
        }
        Ok(())
    }

    /// Keeps the result of a shift from being used for as long as a shift takes.
    #[inline(never)]
    fn cool_after_shift(&mut self, place: Place, cycle: u64) {
        let decoded = &self.state.flight(place).slot.decoded;
        if decoded.class() == Class::Shift && decoded.destination != 0 {
            let destination = decoded.destination;
            self.state.cooling |= bit(destination);
            *self.state.ready_at(destination) = cycle + u64::from(self.timing.shift_latency);
        }
    }

    /// Executes instructions that the ALU alone cannot.
    #[inline(never)]
    fn compute(&mut self, place: Place, cycle: u64) -> Result<(), StopCause<A>> {
        let PipelinedState { program, flights, .. } = &mut self.state;
        let slot = &flights[place as usize].slot;
        let (_, operand) = slot.decoded.operands(&program.registers);
        program.compute(slot, cycle)?;
        let decoded = slot.decoded;
        self.produce::<General>(decoded.destination);
        self.produce::<General>(decoded.further.second_destination());
        if decoded.work == Work::Multiplier {
            let latency = match decoded.class() {
                Class::Multiply => self.timing.multiply_latency_by(operand.to_signed()),
                Class::Divide => self.timing.divide_latency,
                _ => 1,
            };
            self.state.multiplier_ready_at = cycle + u64::from(latency);
            if latency > 1 && decoded.destination != 0 {
                // The last cycle only forwards.
                self.state.multiplier_ready_at -= 1;
                self.state.cooling |= bit(decoded.destination);
                *self.state.ready_at(decoded.destination) = cycle + u64::from(latency);
            }
        }
        if decoded.work == Work::ExceptionReturn {
            self.state.follows_branch = false;
            self.fetch_from(self.state.program.registers.pc());
        }
        Ok(())
    }

    /// Notes that a result can be used from now on, but for decode.
    #[inline]
    fn produce<F: Form>(&mut self, destination: u8) {
        self.state.fresh |= bit(destination);
        self.supersede::<F>(destination);
    }

    /// Drops the write of an older load to the register that this instruction writes. Usually the older ones have completed.
    #[inline]
    fn supersede<F: Form>(&mut self, destination: u8) {
        debug_assert!(!F::IS_USUAL || self.state.awaited | self.state.cooling == 0);
        if !F::IS_USUAL && (self.state.awaited | self.state.cooling) & bit(destination) != 0 {
            self.supersede_load(destination);
        }
    }

    /// The same, given that there is such a load. If it is in the second memory stage, keeps it from overwriting the result.
    #[inline(never)]
    fn supersede_load(&mut self, destination: u8) {
        self.state.awaited &= !bit(destination);
        self.state.cooling &= !bit(destination);
        self.state.late.supersede(destination);
        if let Some(older) = self.state.memory[1] {
            let older = self.state.flight_mut(older);
            if older.destination == destination {
                older.destination = 0;
            }
        }
    }

    #[inline(always)]
    fn transfer<F: Form>(&mut self, place: Place, edge: &mut Edge<'_>) -> Result<(), StopCause<A>> {
        let PipelinedState { program, flights, .. } = &mut self.state;
        let flight = &mut flights[place as usize];
        let decoded = &flight.slot.decoded;
        let destination = decoded.destination;
        if F::IS_USUAL || self.timing.resolves_in_decode(matches!(decoded.work, Work::DirectJump)) {
            program.link(&flight.slot, flight.annuls, edge)?;
        } else if let Some(outcome) = program.transfer(&flight.slot, edge)? {
            flight.branch_taken = outcome.taken & decoded.is_branch();
            self.follow(outcome);
        }
        self.produce::<F>(destination);
        Ok(())
    }

    /// Makes the reference of a load of a unit.
    #[inline(always)]
    fn load<F: Form>(&mut self, place: Place, unit: Unit) -> Result<(), StopCause<A>> {
        let Some(address) = self.address_of_unit(place, unit) else { return self.refer(place) };
        self.make_reference(place, WordReference::load(unit, address, self.settings.identity));
        let flight = self.state.flight_mut(place);
        // A unit replaces all of the register: its previous value does not count.
        (flight.destination, flight.value) = (flight.slot.decoded.destination, A::Word::default());
        let destination = flight.destination;
        self.supersede::<F>(destination);
        self.state.awaited |= bit(destination);
        Ok(())
    }

    /// Makes the reference of a store of a unit.
    #[inline(always)]
    fn store(&mut self, place: Place, unit: Unit) -> Result<(), StopCause<A>> {
        let Some(address) = self.address_of_unit(place, unit) else { return self.refer(place) };
        let [_, rt] = self.state.flight(place).slot.decoded.values(&self.state.program.registers);
        self.make_reference(place, WordReference::store::<A>(unit, address, rt, self.settings.identity));
        Ok(())
    }

    /// The address that a load or store refers to if it may be presented as it is.
    #[inline(always)]
    fn address_of_unit(&self, place: Place, unit: Unit) -> Option<A::Word> {
        let decoded = &self.state.flight(place).slot.decoded;
        let [rs, _] = decoded.values(&self.state.program.registers);
        let address = rs.wrapping_add(A::Word::from_signed(decoded.immediate));
        (unit.is_aligned(address) & !self.settings.is_guarded(address)).then_some(address)
    }

    /// Lets the reference of an instruction be presented, as [`Self::note_data_change`] does.
    #[inline(always)]
    fn make_reference(&mut self, place: Place, reference: WordReference<A::Word>) {
        let state = &mut self.state;
        let flight = &mut state.flights[place as usize];
        (flight.phase, flight.address) = (Phase::Unsent, reference.address);
        state.reference = reference;
        if state.store_buffer.is_empty() {
            state.presented = reference;
        }
        state.presents_data = !state.outstanding.is_full();
    }

    /// Makes the reference of any load, store or atomic operation.
    #[inline(never)]
    fn refer(&mut self, place: Place) -> Result<(), StopCause<A>> {
        let state = &mut self.state;
        let flight = &mut state.flights[place as usize];
        let referred = state.program.refer(&flight.slot, &self.settings)?;
        (flight.address, state.reference) = (referred.address, WordReference::of(&referred.reference));
        if referred.has_failed {
            flight.value = A::store_failed(referred.previous);
        } else {
            (flight.phase, flight.value) = (Phase::Unsent, referred.previous);
        }
        let destination = flight.slot.decoded.destination;
        flight.destination = destination;
        self.note_data_change();
        self.supersede::<General>(destination);
        self.state.awaited |= bit(destination);
        Ok(())
    }
}
