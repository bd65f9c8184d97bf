//! The execute stage.

use spinach_engine::Edge;
use spinach_isa::mips::access::ByteEnables;
use spinach_isa::mips::interpreter;
use spinach_isa::mips::memory::{BusError, Memory};
use spinach_isa::mips::semantics::{redirection, return_address};
use spinach_isa::mips::{Operation, Trap};

use super::super::accounts::Event;
use super::super::data_port::reference;
use super::super::decoded::Kind;
use super::super::stop::StopCause;
use super::PipelinedMips;
use super::state::{MemorySlot, Phase, Slot};
use crate::values::{Access, Reference};

/// Stands in for the memory where an instruction has none.
struct NoMemory;

impl Memory for NoMemory {
    fn fetch(&mut self, _: u32) -> Result<u32, BusError> {
        Err(BusError)
    }
    fn read(&mut self, _: u32, _: ByteEnables) -> Result<u32, BusError> {
        Err(BusError)
    }
    fn write(&mut self, _: u32, _: u32, _: ByteEnables) -> Result<(), BusError> {
        Err(BusError)
    }
}

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
        let instruction = &slot.decoded.instruction;
        if matches!(instruction.operation, Operation::Mfc0 | Operation::Mtc0) {
            self.count_cycles(cycle);
        }
        let registers = &mut self.state.registers;
        registers.pc = slot.pc;
        registers.in_delay_slot = slot.in_delay_slot;
        interpreter::execute(registers, &mut NoMemory, instruction).map_err(StopCause::of)?;
        if slot.decoded.uses_multiplier {
            let timing = &self.timing;
            let latency = match (slot.decoded.multiplies, slot.decoded.divides) {
                (true, _) => timing.multiply_latency,
                (_, true) => timing.divide_latency,
                _ => 1,
            };
            self.state.multiplier_ready_at = cycle + latency;
        }
        self.produce(instruction.destination, cycle);
        if slot.decoded.kind == Kind::ExceptionReturn {
            let resume = self.state.registers.pc;
            self.state.follows_branch = false;
            self.fetch_from(resume);
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

    fn transfer(&mut self, moved: &mut MemorySlot, edge: &mut Edge<'_>) -> Result<(), StopCause> {
        let Slot { pc, decoded, in_delay_slot, .. } = moved.slot;
        let instruction = &decoded.instruction;
        if in_delay_slot {
            return Err(StopCause::of(Trap::ReservedInstruction { word: instruction.word }));
        }
        let registers = &mut self.state.registers;
        let (rs, rt) = (registers.general(instruction.rs), registers.general(instruction.rt));
        if instruction.destination != 0 {
            registers.set_general(instruction.destination, return_address(pc));
            self.produce(instruction.destination, edge.cycle);
        }
        let Some(outcome) = redirection(instruction, pc, rs, rt) else { return Ok(()) };
        moved.branch_taken = outcome.taken && decoded.event() == Some(Event::Branch);
        edge.count(Event::Annulled as usize, u64::from(outcome.annuls_delay_slot));
        if !self.resolves_in_decode(&decoded) {
            let delay_slot_is_decoded = self.state.decode.is_some();
            self.follow(outcome, delay_slot_is_decoded);
        }
        Ok(())
    }

    #[inline]
    fn refer(&mut self, moved: &mut MemorySlot) -> Result<(), StopCause> {
        let instruction = &moved.slot.decoded.instruction;
        let Some(behaviour) = instruction.operation.description().memory else { return Ok(()) };
        let registers = &mut self.state.registers;
        let (rs, rt) = (registers.general(instruction.rs), registers.general(instruction.rt));
        let (made, address) =
            reference(instruction, behaviour, rs, rt, self.settings.identity).map_err(StopCause::of)?;
        if self.settings.is_guarded(address) {
            return Err(StopCause::GuardedAddress { address });
        }
        let is_linked = registers.link == Some(address);
        match made.access {
            Access::LoadLinked => registers.link = Some(address),
            Access::StoreConditional => registers.link = None,
            _ => {}
        }
        let has_failed = made.access == Access::StoreConditional && !is_linked;
        moved.phase = if has_failed { Phase::Complete } else { Phase::Unsent };
        moved.reference = made;
        moved.address = address;
        moved.previous = rt;
        if instruction.destination != 0 {
            self.produce(instruction.destination, 0);
            moved.destination = instruction.destination;
            self.state.awaited |= 1 << instruction.destination;
        }
        Ok(())
    }

    /// Lets Count catch up: it advances at half the clock, as in the R4000.
    fn count_cycles(&mut self, cycle: u64) {
        let increments = cycle / 2 - self.state.counted_until / 2;
        self.state.registers.coprocessor0.advance_count(u32::try_from(increments).unwrap_or(u32::MAX));
        self.state.counted_until = cycle;
    }
}
