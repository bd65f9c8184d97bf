//! The program that a core runs: state and actions common to all cores, independent of timing.

mod repetition;

use serde::{Deserialize, Serialize};
use spinach_engine::{Edge, Input, Signals};
use spinach_isa::architecture::{Architecture, ArchitectureTrap, RegisterFile, Transfer};
use spinach_isa::word::Word;
use spinach_isa::work::FurtherRegisters;

use super::accounts::{COUNTERS, Cause, Event};
use super::calls::{Calls, Flow};
use super::control::{Command, Control};
use super::data_port::reference;
use super::decoded::{Decoded, Work};
use super::form::Form;
use super::history::{Completed, History};
use super::interrupts::Interrupts;
use super::profile::Profile;
use super::settings::Settings;
use super::stop::{Stop, StopCause};
use crate::notes::Noted;
use crate::values::{Access, Reference};
pub(super) use repetition::Period;

/// The program that a core runs.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[repr(C)] // The fields of every cycle come first.
#[serde(bound = "")]
pub struct Program<A: Architecture> {
    /// End of the program, if it has ended.
    pub stop: Option<Box<Stop<A>>>,
    /// Condition under which the next instruction is interrupted.
    pub(super) interrupts: Interrupts,
    /// The instructions completed last.
    pub history: History<A::Word>,
    /// Accounts by instruction address, if asked for.
    pub profile: Option<Profile<A>>,
    /// Accounts by the calls that led to the instructions, if asked for.
    pub(super) calls: Option<Box<Calls>>,
    /// The registers, with the results of all instructions that have executed. In a pipelined core the program counter is up to
    /// date only once the program has ended.
    pub registers: A::Registers,
    /// Run control by commands.
    pub control: Control,
    /// Cycle up to which clocks and timers have advanced.
    pub(super) counted_until: u64,
    /// True if an interrupt was entered in this cycle; meaningless for a core without lines.
    has_entered_interrupt: bool,
}

/// An instruction on its way through a core.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub(super) struct Slot<A: Architecture> {
    pub pc: A::Word,
    pub decoded: Decoded<A>,
    /// True if there was an instruction to fetch.
    pub was_fetched: bool,
    /// Known from issue on.
    pub in_delay_slot: bool,
}

/// Memory request of a load, store or atomic operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Referred<A: Architecture> {
    pub reference: Reference,
    /// The address as the instruction computes it.
    pub address: A::Word,
    /// Previous value of the destination register, as far as it is needed.
    pub previous: A::Word,
    /// True for a store-conditional without a link: it fails without a request.
    pub has_failed: bool,
}

impl<A: Architecture> Program<A> {
    pub(super) fn new(settings: &Settings<A>) -> Self {
        Self {
            registers: A::Registers::reset(settings.entry, u32::from(settings.identity)),
            control: Control::new(settings.starts_halted, !settings.delays.is_empty()),
            stop: None,
            history: History::new(settings.history),
            profile: Profile::new(&settings.profile),
            calls: settings.calls.then(|| Box::new(Calls::new())),
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
        let has_same_accounts = has_same_ranges && other.calls.is_some() == self.calls.is_some();
        if other.history.fits(&self.history) && has_same_accounts {
            Ok(())
        } else {
            Err("the core keeps another history or profile".to_owned())
        }
    }

    /// Counts a cycle for the instruction at `pc`, which has not completed. A core that runs freely has no call graph.
    #[inline]
    pub(super) fn book<F: Form>(&mut self, counters: &mut [u64], account: (Cause, A::Word)) {
        self.book_in::<F>(counters, account, None);
    }

    /// The same for an instruction that has completed in the context `completed_in` of the call graph, if there is one.
    #[inline]
    pub(super) fn book_in<F: Form>(
        &mut self,
        counters: &mut [u64],
        (cause, pc): (Cause, A::Word),
        completed_in: Option<u32>,
    ) {
        counters[..COUNTERS.len()][cause as usize] += 1;
        if let Some(profile) = &mut self.profile {
            profile.spend(pc, cause);
        }
        debug_assert!(!F::IS_FREE || self.calls.is_none());
        if !F::IS_FREE
            && let Some(calls) = &mut self.calls
        {
            calls.spend(pc.to_u64(), cause, 1, completed_in);
        }
    }

    /// Counts `cycles` cycles on the instruction at `pc`, which has not completed.
    pub(super) fn book_many(&mut self, counters: &mut [u64], account: (Cause, A::Word), cycles: u64) {
        self.book_many_in(counters, account, cycles, None);
    }

    /// The same for an instruction that has completed in the context `completed_in` of the call graph, if there is one.
    pub(super) fn book_many_in(
        &mut self,
        counters: &mut [u64],
        (cause, pc): (Cause, A::Word),
        cycles: u64,
        completed_in: Option<u32>,
    ) {
        counters[cause as usize] += cycles;
        if let Some(profile) = &mut self.profile {
            profile.spend_many(pc, cause, cycles);
        }
        if let Some(calls) = &mut self.calls {
            calls.spend(pc.to_u64(), cause, cycles, completed_in);
        }
    }

    /// Executes an instruction that only writes the result of `function` of the ALU to a register. The program counter is left
    /// alone.
    #[inline(always)]
    pub(super) fn calculate(
        &mut self,
        decoded: &Decoded<A>,
        function: A::AluFunction,
    ) -> Result<(), StopCause<A>> {
        let (a, b) = decoded.operands(&self.registers);
        let result = A::alu(function, a, b).map_err(StopCause::of)?;
        self.registers.set_general(decoded.destination, result);
        Ok(())
    }

    /// Executes an instruction that neither transfers control to a delay slot's successor nor refers to memory. After an
    /// exception return, the program counter is the return address.
    pub(super) fn compute(&mut self, slot: &Slot<A>, cycle: u64) -> Result<(), StopCause<A>> {
        let instruction = &slot.decoded.instruction();
        if A::reads_time(instruction) {
            self.count_cycles(cycle);
        }
        self.registers.place_at(slot.pc, slot.in_delay_slot);
        let outcome = A::compute(&mut self.registers, instruction);
        if A::changes_interrupts(instruction) {
            self.watch_interrupts();
        }
        outcome.map_err(StopCause::of)
    }

    fn watch_interrupts(&mut self) {
        self.interrupts.watch::<A>(&self.registers, self.counted_until);
    }

    /// True if [`Self::look_at_lines`] would change anything.
    #[inline(always)]
    pub(super) fn may_see_lines(&self, lines: &[Input<u64>], signals: &Signals) -> bool {
        !lines.is_empty() && (self.has_entered_interrupt || self.interrupts.may_see(lines, signals))
    }

    /// Looks at the external interrupt lines at the end of a cycle.
    #[inline]
    pub(super) fn look_at_lines(&mut self, lines: &[Input<u64>], signals: &Signals) {
        if lines.is_empty() {
            return;
        }
        let has_entered = std::mem::take(&mut self.has_entered_interrupt);
        if let Some(lines) = self.interrupts.look(lines, signals, has_entered) {
            self.registers.set_interrupt_lines(lines);
            self.watch_interrupts();
        }
    }

    /// Executes a branch or jump: writes the return address, and returns the target.
    #[inline]
    pub(super) fn transfer(
        &mut self,
        slot: &Slot<A>,
        edge: &mut Edge<'_>,
    ) -> Result<Option<Transfer<A::Word>>, StopCause<A>> {
        let outcome = self.resolve(slot);
        let annuls = outcome.is_some_and(|outcome| outcome.annuls_delay_slot);
        self.link(slot, annuls, edge)?;
        Ok(outcome)
    }

    /// Executes a branch or jump of which it is known where control goes, and whether its delay slot is annulled.
    #[inline]
    pub(super) fn link(
        &mut self,
        slot: &Slot<A>,
        annuls: bool,
        edge: &mut Edge<'_>,
    ) -> Result<(), StopCause<A>> {
        let Decoded { word, destination, .. } = slot.decoded;
        if slot.in_delay_slot {
            return Err(StopCause::of(A::Trap::reserved(word)));
        }
        if destination != 0 {
            self.registers.set_general(destination, A::return_address(slot.pc, slot.decoded.bytes()));
        }
        let counted = slot.decoded.further.second_destination();
        if counted != 0 {
            let count = self.registers.general(counted);
            self.registers.set_general(counted, count.wrapping_sub(A::Word::ONE));
        }
        edge.count(Event::Annulled as usize, u64::from(annuls));
        Ok(())
    }

    /// Gives the base register of a load or store its address, if the instruction updates it.
    #[inline(always)]
    pub(super) fn update_base(&mut self, decoded: &Decoded<A>, address: A::Word) {
        let base = decoded.further.second_destination();
        if base != 0 && decoded.accesses_memory() {
            self.registers.set_general(base, address);
        }
    }

    /// Continuation after a branch or jump.
    #[inline(always)]
    pub(super) fn resolve(&self, slot: &Slot<A>) -> Option<Transfer<A::Word>> {
        let taken = self.is_taken(slot)?;
        let annuls_delay_slot = !taken & slot.decoded.is_likely_branch();
        Some(Transfer { taken, target: self.target(slot), annuls_delay_slot })
    }

    /// True if control moves to the target of a branch or jump; `None` for other instructions.
    #[inline(always)]
    pub(super) fn is_taken(&self, slot: &Slot<A>) -> Option<bool> {
        match slot.decoded.work {
            Work::Branch(condition) | Work::LikelyBranch(condition) => {
                let [rs, rt] = slot.decoded.values(&self.registers);
                Some(A::holds(condition, rs, rt))
            }
            Work::IndirectBranch(condition) => {
                let [_, second] = slot.decoded.values(&self.registers);
                let third = self.registers.general(slot.decoded.further.third_source());
                Some(A::holds(condition, second, third))
            }
            Work::DirectJump | Work::IndirectJump => Some(true),
            _ => None,
        }
    }

    /// The target of a branch or jump.
    #[inline(always)]
    pub(super) fn target(&self, slot: &Slot<A>) -> A::Word {
        let Slot { pc, decoded, .. } = slot;
        match decoded.work {
            Work::DirectJump => A::jump_target(*pc, decoded.immediate),
            Work::IndirectJump | Work::IndirectBranch(_) => {
                A::indirect_target(decoded.values(&self.registers), decoded.immediate)
            }
            _ => A::branch_target(*pc, decoded.immediate),
        }
    }

    /// Computes the reference of a load, store or atomic operation.
    #[inline]
    pub(super) fn refer(
        &mut self,
        slot: &Slot<A>,
        settings: &Settings<A>,
    ) -> Result<Referred<A>, StopCause<A>> {
        let (reference, address) =
            reference(&slot.decoded, &self.registers, settings.identity).map_err(StopCause::of)?;
        if settings.is_guarded(address) {
            return Err(StopCause::GuardedAddress { address });
        }
        let has_failed = match reference.access {
            Access::LoadLinked => {
                *self.registers.link() = Some(address);
                false
            }
            Access::StoreConditional => self.registers.link().take() != Some(address),
            _ => false,
        };
        let previous = A::previous(&self.registers, slot.decoded.destination);
        A::note_request(&mut self.registers, &slot.decoded.instruction());
        Ok(Referred { reference, address, previous, has_failed })
    }

    /// Counts and remembers that an instruction completed; `address` is that of its memory access, as it computes it, and
    /// `branch_taken` tells whether it is a conditional branch that was taken.
    #[inline(always)]
    pub(super) fn complete<F: Form>(
        &mut self,
        slot: &Slot<A>,
        address: A::Word,
        branch_taken: bool,
        edge: &mut Edge<'_>,
    ) {
        self.count_completed(slot, branch_taken, edge.cycle(), edge.counters);
        if let Some(profile) = &mut self.profile {
            profile.complete(slot.pc, slot.decoded.accesses_memory());
        }
        if !F::IS_FREE && self.calls.is_some() {
            self.follow::<F>(slot);
        }
        if edge.is_heard() {
            note_retired(slot, address, branch_taken, edge.reborrow());
        }
    }

    /// Counts the completion of an instruction in `cycle` together with the cycle in which it was issued. There is neither a call graph nor
    /// a listener.
    #[inline(always)]
    pub(super) fn count_executed(
        &mut self,
        slot: &Slot<A>,
        branch_taken: bool,
        cycle: u64,
        counters: &mut [u64],
    ) {
        self.count_completed(slot, branch_taken, cycle, counters);
        if let Some(profile) = &mut self.profile {
            profile.execute(slot.pc, slot.decoded.accesses_memory());
        }
    }

    /// Counts and remembers that an instruction completed, but for its account.
    #[inline(always)]
    pub(super) fn count_completed(
        &mut self,
        slot: &Slot<A>,
        branch_taken: bool,
        cycle: u64,
        counters: &mut [u64],
    ) {
        let Slot { pc, decoded, .. } = slot;
        let event = decoded.event;
        debug_assert!(!branch_taken || event == Event::Branch);
        let counters = &mut counters[..COUNTERS.len()];
        // Adding nothing costs less than a branch that depends on the instruction.
        counters[Event::BranchTaken as usize] += u64::from(branch_taken);
        counters[event as usize] += u64::from(event != Event::Instruction);
        counters[Event::Instruction as usize] += 1;
        self.history.record(Completed { cycle, pc: *pc, word: decoded.word });
    }

    // Follows the completion of an instruction to and from calls.
    #[cold]
    #[inline(never)]
    fn follow<F: Form>(&mut self, slot: &Slot<A>) {
        let Slot { pc, decoded, .. } = slot;
        let is_link = decoded.transfers_control() && decoded.destination != 0;
        let flow = match decoded.work {
            _ if is_link => Flow::Call { return_address: A::return_address(*pc, decoded.bytes()).to_u64() },
            Work::IndirectJump | Work::IndirectBranch(_) | Work::ExceptionReturn => Flow::Back,
            _ => Flow::Within,
        };
        let has_slot = A::HAS_DELAY_SLOTS && decoded.transfers_control();
        if let Some(calls) = &mut self.calls {
            if !F::HAS_BUNDLES {
                calls.reach(pc.to_u64());
            }
            calls.complete(pc.to_u64(), decoded.accesses_memory(), flow, u32::from(has_slot));
        }
    }

    /// Records an exception. Returns the address of its handler; the program has ended if there is none, or if the exception is one
    /// that cannot be handled.
    pub(super) fn raise(
        &mut self,
        cause: StopCause<A>,
        slot: &Slot<A>,
        can_be_handled: bool,
        settings: &Settings<A>,
        edge: &mut Edge<'_>,
    ) -> Option<A::Word> {
        // The cause of an interrupt may depend on timers.
        let is_interrupt = matches!(cause, StopCause::Exception(trap) if trap == A::Trap::INTERRUPT);
        if is_interrupt {
            self.count_cycles(edge.cycle());
        }
        let handler = match cause {
            StopCause::Exception(trap) => self.registers.handler(trap, settings.exception_vector),
            _ => None,
        };
        if is_interrupt && handler.is_none() && self.registers.next_interrupt(edge.cycle()) > edge.cycle() {
            // Its line fell before the interrupt was taken: the instruction executes after all.
            self.watch_interrupts();
            return Some(slot.pc);
        }
        match (cause, handler) {
            (StopCause::Exception(trap), Some(vector)) if can_be_handled => {
                if trap == A::Trap::INTERRUPT {
                    self.interrupts.enter(self.registers.interrupting_lines());
                    self.has_entered_interrupt = true;
                }
                self.registers.enter_exception(trap, slot.pc, slot.in_delay_slot);
                edge.count(Event::Exception as usize, 1);
                if let Some(calls) = &mut self.calls {
                    calls.interrupt(slot.pc.to_u64());
                }
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
    pub(super) fn end(&mut self, stop: Stop<A>, settings: &Settings<A>, edge: &mut Edge<'_>) {
        self.control.note_end();
        if stop.is_fault && settings.fault_stops_simulation {
            edge.stop(stop.describe(u32::from(settings.identity)));
        }
        self.registers.jump_to(stop.pc);
        self.registers.place_at(stop.pc, stop.in_delay_slot);
        if stop.is_fault || self.stop.is_none() {
            self.stop = Some(Box::new(stop));
        }
    }

    /// True if instructions are needed.
    #[inline]
    pub(super) fn is_running(&self) -> bool {
        self.stop.is_none() && !self.control.halted
    }

    /// Obeys a pending command at the end of `cycle`. The core handles the instructions under way.
    pub(super) fn obey(&mut self, cycle: u64) -> Option<Command> {
        let command = self.control.obey(cycle, self.stop.is_some())?;
        if matches!(command, Command::Jump(_)) {
            self.stop = None;
        }
        Some(command)
    }

    /// Values of the registers in a cycle.
    pub(super) fn registers_in(&self, cycle: u64) -> A::Registers {
        let mut registers = self.registers.clone();
        registers.pass_time(self.counted_until, cycle);
        registers
    }

    /// Lets clocks and timers catch up.
    fn count_cycles(&mut self, cycle: u64) {
        self.registers.pass_time(self.counted_until, cycle);
        self.counted_until = cycle;
    }
}

/// Notifies listeners that an instruction has completed; as of [`Program::complete`].
#[cold]
#[inline(never)]
fn note_retired<A: Architecture>(slot: &Slot<A>, address: A::Word, branch_taken: bool, mut edge: Edge<'_>) {
    let Slot { pc, decoded, .. } = slot;
    let address = decoded.accesses_memory().then_some(address.to_u64());
    let taken = branch_taken || decoded.event == Event::Jump;
    edge.note(|| Noted::Retired { pc: pc.to_u64(), word: decoded.word, address, taken }.to_words());
}

#[cfg(test)]
mod tests {
    use spinach_isa::mips::semantics::redirection;
    use spinach_isa::mips::tigon2::PriorityOrder;
    use spinach_isa::mips::{Extensions, Mips};

    use super::super::delays::Delays;
    use super::*;

    #[test]
    fn branches_and_jumps_go_where_any_instruction_does() {
        let extensions = Extensions { tigon2: Some(PriorityOrder::HighestFirst), atomic_bit_array: true };
        let mut program = Program::new(&Settings {
            identity: 0,
            entry: 0,
            architecture: Mips { extensions },
            exception_vector: None,
            starts_halted: false,
            fault_stops_simulation: false,
            history: 1,
            profile: Vec::new(),
            calls: false,
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
                    decoded: Decoded::new(word, Mips { extensions }),
                    was_fetched: true,
                    in_delay_slot: false,
                };
                let [rs, rt] = slot.decoded.values(&program.registers);
                let outcome = program.resolve(&slot);
                let expected = redirection(&slot.decoded.instruction(), pc, rs, rt);
                assert_eq!(outcome, expected, "{word:#010x}");
                taken += u32::from(outcome.is_some_and(|outcome| outcome.taken));
            }
        }
        assert!(taken > 10_000);
    }
}
