//! The program that a core runs: what all cores keep and do alike, whatever their timing.

use serde::{Deserialize, Serialize};
use spinach_engine::{Edge, Input, Signals};
use spinach_isa::mips::access::ByteEnables;
use spinach_isa::mips::interpreter::{self, Registers};
use spinach_isa::mips::memory::{BusError, Memory};
use spinach_isa::mips::operation::AluFunction;
use spinach_isa::mips::semantics::{Redirection, alu, condition_holds, return_address};
use spinach_isa::mips::tigon2::jump_offset_target;
use spinach_isa::mips::{Operation, Trap};

use super::accounts::{COUNTERS, Cause, Event};
use super::control::{Command, Control};
use super::data_port::reference;
use super::decoded::{Decoded, Work};
use super::history::{Completed, History};
use super::interrupts::Interrupts;
use super::profile::Profile;
use super::settings::Settings;
use super::stop::{Stop, StopCause};
use crate::notes::Noted;
use crate::values::{Access, Reference};

/// The program that a core runs.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[repr(C)] // What every cycle needs comes first.
pub struct Program {
    /// How the program ended, if it has.
    pub stop: Option<Box<Stop>>,
    /// When the next instruction is interrupted.
    pub(super) interrupts: Interrupts,
    /// The instructions completed last.
    pub history: History,
    /// Accounts by instruction address, if asked for.
    pub profile: Option<Profile>,
    /// The registers, with the results of all instructions that have executed. In a pipelined core the program counter is up to
    /// date only once the program has ended.
    pub registers: Registers,
    /// Whether the core was told to halt or to step.
    pub control: Control,
    /// The cycle up to which Count has advanced.
    counted_until: u64,
    /// Whether an interrupt was entered in this cycle; of no meaning to a core without lines.
    has_entered_interrupt: bool,
}

/// An instruction on its way through a core.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Slot {
    pub pc: u32,
    pub decoded: Decoded,
    /// Whether there was an instruction to fetch.
    pub was_fetched: bool,
    /// Known from issue on.
    pub in_delay_slot: bool,
}

/// What a load, store or atomic operation asks of the memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Referred {
    pub reference: Reference,
    /// The address as the instruction computes it.
    pub address: u32,
    /// What the destination register held before.
    pub previous: u32,
    /// Whether it is an `sc` without a link: it gives 0 and asks for nothing.
    pub has_failed: bool,
}

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

impl Program {
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            registers: Registers::reset(settings.entry, u32::from(settings.identity)),
            control: Control::new(settings.starts_halted, !settings.delays.is_empty()),
            stop: None,
            history: History::new(settings.history),
            profile: Profile::new(&settings.profile),
            counted_until: 0,
            interrupts: Interrupts::new(),
            has_entered_interrupt: false,
        }
    }

    /// Checks that `other` can take the place of this state.
    ///
    /// # Errors
    ///
    /// It keeps another history or profile.
    pub(super) fn check_replacement(&self, other: &Self) -> Result<(), String> {
        let has_same_ranges = match (&other.profile, &self.profile) {
            (Some(other), Some(own)) => other.fits(own),
            (other, own) => other.is_none() && own.is_none(),
        };
        if other.history.fits(&self.history) && has_same_ranges {
            Ok(())
        } else {
            Err("the core keeps another history or profile".to_owned())
        }
    }

    /// Books a cycle on the instruction at `pc`.
    #[inline]
    pub(super) fn book(&mut self, counters: &mut [u64], (cause, pc): (Cause, u32)) {
        counters[..COUNTERS.len()][cause as usize] += 1;
        if let Some(profile) = &mut self.profile {
            profile.spend(pc, cause);
        }
    }

    /// Books `cycles` cycles on the instruction at `pc`.
    pub(super) fn book_many(&mut self, counters: &mut [u64], (cause, pc): (Cause, u32), cycles: u64) {
        counters[cause as usize] += cycles;
        if let Some(profile) = &mut self.profile {
            profile.spend_many(pc, cause, cycles);
        }
    }

    /// Executes an instruction that does nothing but put what the ALU computes, `function`, into a register. The program counter
    /// is left alone.
    #[inline(always)]
    pub(super) fn calculate(&mut self, decoded: &Decoded, function: AluFunction) -> Result<(), StopCause> {
        let (a, b) = decoded.operands(&self.registers);
        let result = alu(function, a, b).map_err(StopCause::of)?;
        self.registers.set_general(decoded.destination, result);
        Ok(())
    }

    /// Executes an instruction that neither transfers control to a delay slot's successor nor refers to memory. After an
    /// exception return, the program counter is where to go on.
    pub(super) fn compute(&mut self, slot: &Slot, cycle: u64) -> Result<(), StopCause> {
        let instruction = &slot.decoded.instruction();
        if matches!(instruction.operation, Operation::Mfc0 | Operation::Mtc0) {
            self.count_cycles(cycle);
        }
        self.registers.pc = slot.pc;
        self.registers.in_delay_slot = slot.in_delay_slot;
        let outcome = interpreter::execute(&mut self.registers, &mut NoMemory, instruction);
        if matches!(instruction.operation, Operation::Mtc0 | Operation::Eret) {
            self.watch_interrupts();
        }
        outcome.map_err(StopCause::of)
    }

    fn watch_interrupts(&mut self) {
        self.interrupts.watch(&self.registers.coprocessor0, self.counted_until);
    }

    /// Looks at the external interrupt lines at the end of a cycle.
    #[inline]
    pub(super) fn look_at_lines(&mut self, lines: &[Input<u64>], signals: &Signals) {
        if lines.is_empty() {
            return;
        }
        let has_entered = std::mem::take(&mut self.has_entered_interrupt);
        if let Some(lines) = self.interrupts.look(lines, signals, has_entered) {
            self.registers.coprocessor0.set_interrupt_lines(lines);
            self.watch_interrupts();
        }
    }

    /// Executes a branch or jump: writes the return address, and says where control goes.
    #[inline]
    pub(super) fn transfer(
        &mut self,
        slot: &Slot,
        edge: &mut Edge<'_>,
    ) -> Result<Option<Redirection>, StopCause> {
        let outcome = self.resolve(slot);
        let annuls = outcome.is_some_and(|outcome| outcome.annuls_delay_slot);
        self.link(slot, annuls, edge)?;
        Ok(outcome)
    }

    /// Executes a branch or jump of which it is known where control goes, and whether its delay slot is annulled.
    #[inline]
    pub(super) fn link(&mut self, slot: &Slot, annuls: bool, edge: &mut Edge<'_>) -> Result<(), StopCause> {
        let Decoded { word, destination, .. } = slot.decoded;
        if slot.in_delay_slot {
            return Err(StopCause::of(Trap::ReservedInstruction { word }));
        }
        if destination != 0 {
            self.registers.set_general(destination, return_address(slot.pc));
        }
        edge.count(Event::Annulled as usize, u64::from(annuls));
        Ok(())
    }

    /// Where control goes after a branch or jump.
    #[inline(always)]
    pub(super) fn resolve(&self, slot: &Slot) -> Option<Redirection> {
        let taken = self.is_taken(slot)?;
        let annuls_delay_slot = !taken & slot.decoded.is_likely_branch();
        Some(Redirection { taken, target: self.target(slot), annuls_delay_slot })
    }

    /// Whether control goes to the target of a branch or jump; `None` for other instructions.
    #[inline(always)]
    pub(super) fn is_taken(&self, slot: &Slot) -> Option<bool> {
        match slot.decoded.work {
            Work::Branch(condition) | Work::LikelyBranch(condition) => {
                let [rs, rt] = slot.decoded.values(&self.registers);
                Some(condition_holds(condition, rs, rt))
            }
            Work::DirectJump | Work::IndirectJump => Some(true),
            _ => None,
        }
    }

    /// The target of a branch or jump.
    #[inline(always)]
    pub(super) fn target(&self, slot: &Slot) -> u32 {
        let Slot { pc, decoded, .. } = slot;
        let delay_slot = pc.wrapping_add(4);
        match decoded.work {
            Work::DirectJump => delay_slot & 0xf000_0000 | decoded.immediate,
            Work::IndirectJump => {
                // Jumps that take no offset read no second register.
                let [rs, rt] = decoded.values(&self.registers);
                jump_offset_target(rs, rt)
            }
            _ => delay_slot.wrapping_add(decoded.immediate),
        }
    }

    /// Computes the reference of a load, store or atomic operation.
    #[inline]
    pub(super) fn refer(&mut self, slot: &Slot, settings: &Settings) -> Result<Referred, StopCause> {
        let [rs, rt] = slot.decoded.values(&self.registers);
        let (reference, address) =
            reference(&slot.decoded, rs, rt, settings.identity).map_err(StopCause::of)?;
        if settings.is_guarded(address) {
            return Err(StopCause::GuardedAddress { address });
        }
        let has_failed = match reference.access {
            Access::LoadLinked => {
                self.registers.link = Some(address);
                false
            }
            Access::StoreConditional => self.registers.link.take() != Some(address),
            _ => false,
        };
        Ok(Referred { reference, address, previous: rt, has_failed })
    }

    /// Counts and remembers that an instruction completed; `address` is that of its memory access, as it computes it, and
    /// `branch_taken` tells whether it is a conditional branch that was taken.
    #[inline(always)]
    pub(super) fn complete(&mut self, slot: &Slot, address: u32, branch_taken: bool, edge: &mut Edge<'_>) {
        let Slot { pc, decoded, .. } = slot;
        let event = decoded.event;
        debug_assert!(!branch_taken || event == Event::Branch);
        let counters = &mut edge.counters[..COUNTERS.len()];
        // Adding nothing costs less than a branch that depends on the instruction.
        counters[Event::BranchTaken as usize] += u64::from(branch_taken);
        counters[event as usize] += u64::from(event != Event::Instruction);
        counters[Event::Instruction as usize] += 1;
        let word = decoded.word;
        self.history.record(Completed { cycle: edge.cycle(), pc: *pc, word });
        if let Some(profile) = &mut self.profile {
            profile.complete(*pc, decoded.accesses_memory());
        }
        edge.note(move || {
            let address = decoded.accesses_memory().then_some(address);
            let taken = branch_taken || decoded.event == Event::Jump;
            Noted::Retired { pc: *pc, word, address, taken }.to_words()
        });
    }

    /// Takes note of an exception. Says where its handler is; the program has ended if there is none, or if the exception
    /// is one that cannot be handled.
    pub(super) fn raise(
        &mut self,
        cause: StopCause,
        slot: &Slot,
        can_be_handled: bool,
        settings: &Settings,
        edge: &mut Edge<'_>,
    ) -> Option<u32> {
        match (cause, settings.exception_vector) {
            (StopCause::Exception(trap), Some(vector)) if can_be_handled => {
                if trap == Trap::Interrupt {
                    self.count_cycles(edge.cycle());
                    let coprocessor0 = &self.registers.coprocessor0;
                    self.interrupts.enter(coprocessor0.enabled_interrupts() & coprocessor0.cause);
                    self.has_entered_interrupt = true;
                }
                self.registers.coprocessor0.enter_exception(trap, slot.pc, slot.in_delay_slot);
                edge.count(Event::Exception as usize, 1);
                self.watch_interrupts();
                Some(vector)
            }
            _ => {
                let decoded = slot.was_fetched.then_some(&slot.decoded);
                let stop = Stop::new(cause, slot.pc, decoded, slot.in_delay_slot, edge.cycle());
                self.end(stop, settings, edge);
                None
            }
        }
    }

    /// Ends the program. A fault that is found out later takes the place of an orderly end.
    pub(super) fn end(&mut self, stop: Stop, settings: &Settings, edge: &mut Edge<'_>) {
        self.control.note_end();
        if stop.is_fault && settings.fault_stops_simulation {
            edge.stop(stop.describe(u32::from(settings.identity)));
        }
        self.registers.pc = stop.pc;
        self.registers.next_pc = stop.pc.wrapping_add(4);
        self.registers.in_delay_slot = stop.in_delay_slot;
        if stop.is_fault || self.stop.is_none() {
            self.stop = Some(Box::new(stop));
        }
    }

    /// Whether instructions are wanted.
    #[inline]
    pub(super) const fn is_running(&self) -> bool {
        self.stop.is_none() && !self.control.halted
    }

    /// Obeys what is pending at the end of `cycle`. What a command means for the instructions under way is the core's business.
    pub(super) fn obey(&mut self, cycle: u64) -> Option<Command> {
        let command = self.control.obey(cycle, self.stop.is_some())?;
        if matches!(command, Command::Jump(_)) {
            self.stop = None;
        }
        Some(command)
    }

    /// What coprocessor 0 holds in a cycle.
    pub(super) fn read_coprocessor0(&self, register: u8, cycle: u64) -> u32 {
        let mut coprocessor0 = self.registers.coprocessor0.clone();
        coprocessor0.advance_count(self.increments(cycle));
        coprocessor0.read(register)
    }

    fn increments(&self, cycle: u64) -> u32 {
        u32::try_from(cycle / 2 - self.counted_until / 2).unwrap_or(u32::MAX)
    }

    /// Lets Count catch up: it advances at half the clock, as in the R4000.
    fn count_cycles(&mut self, cycle: u64) {
        let increments = self.increments(cycle);
        self.registers.coprocessor0.advance_count(increments);
        self.counted_until = cycle;
    }
}

#[cfg(test)]
mod tests {
    use spinach_isa::mips::Extensions;
    use spinach_isa::mips::semantics::redirection;
    use spinach_isa::mips::tigon2::PriorityOrder;

    use super::super::delays::Delays;
    use super::*;

    #[test]
    fn branches_and_jumps_go_where_any_instruction_does() {
        let extensions = Extensions { tigon2: Some(PriorityOrder::HighestFirst), atomic_bit_array: true };
        let mut program = Program::new(&Settings {
            identity: 0,
            entry: 0,
            extensions,
            exception_vector: None,
            starts_halted: false,
            fault_stops_simulation: false,
            history: 1,
            profile: Vec::new(),
            guard: (0, 0),
            delays: Delays::default(),
        });
        (1..32).for_each(|number| program.registers.set_general(number, 0x8765_4321 >> (number % 3)));
        let (mut word, mut taken) = (1u32, 0);
        for pc in (0..400_000).step_by(4) {
            word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            for word in [word, word & 0x07ff_ffff, word & 0x03e0_003f] {
                let slot = Slot {
                    pc,
                    decoded: Decoded::new(word, extensions),
                    was_fetched: true,
                    in_delay_slot: false,
                };
                let [rs, rt] = slot.decoded.values(&program.registers);
                let outcome = program.resolve(&slot);
                assert_eq!(outcome, redirection(&slot.decoded.instruction(), pc, rs, rt), "{word:#010x}");
                taken += u32::from(outcome.is_some_and(|outcome| outcome.taken));
            }
        }
        assert!(taken > 10_000);
    }
}
