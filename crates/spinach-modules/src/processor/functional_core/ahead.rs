//! Running ahead: at one edge, a core does what it would do in many cycles.
//!
//! It executes blocks of decoded instructions on memory that it has on loan, one instruction for each cycle to come, and rests until
//! these cycles have passed. So the order in which the cores of a system refer to memory is one that could be, and each of them sees
//! its own references in order; that of different cores may be up to a quantum away from where the clock would put it. What others
//! have to be in step with happens in its own cycle: references that leave the reach of the core, locks and other atomic operations,
//! clocks, interrupts, exceptions and commands.

use spinach_engine::{Edge, Reach};
use spinach_isa::architecture::{Architecture, ArchitectureTrap, RegisterFile};
use spinach_isa::word::Word;

use super::FunctionalCore;
use super::block::{self, Ran};
use super::code::{Code, Place, is_synchronous, word_at};
use super::sight::{Sight, WORD_BYTES};
use crate::processor::accounts::{Cause, Event};
use crate::processor::decoded::Decoded;
use crate::processor::history::Completed;
use crate::processor::program::Program;

/// Cores that remember more instructions than this take note of each as they execute it.
const REMEMBERED: usize = 64;

/// What a core needs to run ahead. None of it is state: it follows from what memories hold.
pub(super) struct Ahead<A: Architecture> {
    pub(super) sight: Sight,
    code: Code<A>,
    /// The blocks executed last at this edge, as a ring: which, how many of its instructions, and how many came before at this edge.
    recent: Box<[(Place, u32, u64); REMEMBERED]>,
    executed: usize,
    branches_taken: u64,
    annulled: u64,
}

/// What became of an instruction that is executed alone.
enum Alone {
    /// It has happened, or an exception in its place.
    Completed,
    /// It waits for its cycle, or for an answer.
    Begun,
    /// It is for another time, or nothing is within reach.
    NotNow,
}

impl<A: Architecture> Ahead<A> {
    /// `None` if no instruction is within reach.
    pub(super) fn new(architecture: A, reach: &Reach<'_>) -> Option<Self> {
        let sight = Sight::new(reach)?;
        let code = Code::new(architecture, sight.loans.len());
        let recent = Box::new([(Place::default(), 0, 0); REMEMBERED]);
        Some(Self { sight, code, recent, executed: 0, branches_taken: 0, annulled: 0 })
    }

    /// Forgets what was decoded.
    pub(super) fn clear(&mut self) {
        self.code.clear();
    }

    /// Executes the block at the program counter as far as it goes and at most `most` instructions; `before` were executed at this edge.
    /// Says how many were executed; `None` if no instruction is within reach.
    #[inline(always)]
    fn run_block(
        &mut self,
        registers: &mut A::Registers,
        most: u64,
        before: u64,
        guard: (A::Word, A::Word),
    ) -> Option<u64> {
        let pc = registers.pc();
        let place = self.code.find(pc, &mut self.sight)?;
        let (_, ops) = self.code.block(place);
        let part = part_of(ops, most);
        if part.is_empty() {
            return Some(0);
        }
        let ran @ Ran { count, took_branch, annulled } =
            block::run::<A>(registers, &mut self.sight, part, pc, guard);
        self.branches_taken += u64::from(took_branch);
        self.annulled += u64::from(annulled);
        let is_whole = count == ops.len();
        self.recent[self.executed % REMEMBERED] = (place, ran.count as u32, before);
        self.executed += 1;
        if is_whole {
            self.code.note_use(place);
        } else {
            self.code.note_part(place, count);
        }
        if self.sight.has_rewritten {
            self.code.follow_writes(&mut self.sight);
        }
        Some(count as u64)
    }

    /// Tells the history of what blocks have executed since it was told last; `cycle` is that of this edge.
    fn remember(&mut self, program: &mut Program<A>, cycle: u64) {
        let length = program.history.length();
        let kept = self.executed.min(REMEMBERED);
        // As many of the last blocks as the history holds instructions.
        let (mut blocks, mut instructions) = (0, 0);
        while blocks < kept && instructions < length {
            blocks += 1;
            instructions += self.recent[(self.executed - blocks) % REMEMBERED].1 as usize;
        }
        for age in (1..=blocks).rev() {
            let (place, count, before) = self.recent[(self.executed - age) % REMEMBERED];
            let mut pc = self.code.pc(place);
            for (op, since) in self.code.block(place).1[..count as usize].iter().zip(before..) {
                program.history.record(Completed { cycle: cycle + since, pc, word: op.word });
                pc = pc.plus(op.bytes());
            }
        }
        self.executed = 0;
    }

    /// Books what blocks have executed since that was booked last.
    fn book(&mut self, program: &mut Program<A>, counters: &mut [u64]) {
        counters[Event::BranchTaken as usize] += std::mem::take(&mut self.branches_taken);
        counters[Event::Annulled as usize] += std::mem::take(&mut self.annulled);
        self.code.take_uses(|start, ops, times| {
            let mut pc = start;
            counters[Event::Instruction as usize] += ops.len() as u64 * times;
            for op in ops {
                if op.event != Event::Instruction {
                    counters[op.event as usize] += times;
                }
                if let Some(profile) = &mut program.profile {
                    profile.execute_many(pc, op.accesses_memory(), times);
                    pc = pc.plus(op.bytes());
                }
            }
        });
    }
}

/// At most so many of the instructions of a block, but never a branch without its delay slot.
#[inline(always)]
fn part_of<A: Architecture>(ops: &[Decoded<A>], most: u64) -> &[Decoded<A>] {
    let Some(part) = usize::try_from(most).ok().and_then(|most| ops.get(..most)) else { return ops };
    let ends_in_branch =
        A::HAS_DELAY_SLOTS && part.len() < ops.len() && part.last().is_some_and(Decoded::transfers_control);
    if ends_in_branch { &part[..part.len() - 1] } else { part }
}

impl<A: Architecture> FunctionalCore<A> {
    /// Whether it runs ahead: nothing is under way, and the next instruction is within reach.
    #[inline]
    pub(super) fn may_run_ahead(&self) -> bool {
        let state = &self.state;
        let pc = state.program.registers.pc();
        let is_free = !state.is_fetching && state.parcel.is_none() && state.step.is_none();
        let reaches = |ahead: &Ahead<A>| ahead.sight.code_at(pc).is_some();
        is_free && pc.is_aligned(A::PARCEL_BYTES) && self.ahead.as_deref().is_some_and(reaches)
    }

    /// Runs ahead from this edge on. Says what this cycle went to; `None` if that is booked.
    pub(super) fn run_ahead(&mut self, edge: &mut Edge<'_>) -> Option<(Cause, A::Word)> {
        let pc = self.state.program.registers.pc();
        if !self.is_running() {
            return Some((Cause::Halted, pc));
        }
        let Some(mut ahead) = self.ahead.take() else { return Some((Cause::Halted, pc)) };
        ahead.sight.exchange(edge);
        ahead.code.make_room();
        ahead.code.follow_writes(&mut ahead.sight);
        let ran = self.run(&mut ahead, edge);
        ahead.remember(&mut self.state.program, edge.cycle());
        ahead.book(&mut self.state.program, edge.counters);
        ahead.sight.exchange(edge);
        self.ahead = Some(ahead);
        match ran {
            0 if self.state.step.is_none() => Some((Cause::Halted, pc)),
            0 => Some((Cause::Pipeline, pc)),
            1 => None,
            _ => {
                self.state.rests_until = edge.cycle() + ran;
                None
            }
        }
    }

    /// Executes instructions, one for each cycle from this edge on; how many.
    fn run(&mut self, ahead: &mut Ahead<A>, edge: &mut Edge<'_>) -> u64 {
        let guard = self.settings.guard;
        let history = self.state.program.history.length();
        let notes_each = self.state.program.calls.is_some()
            || history > REMEMBERED
            || edge.is_heard()
            || self.watch.is_some()
            || self.state.program.control.watches();
        let mut count = 0;
        loop {
            let program = &mut self.state.program;
            let due = program.interrupts.due_after(edge.cycle());
            let most = u64::from(self.quantum).min(due).saturating_sub(count);
            if count > 0 && (most == 0 || !program.is_running()) {
                return count;
            }
            if most > 0 && !notes_each && !program.registers.in_delay_slot() {
                let executed = ahead.run_block(&mut program.registers, most, count, guard);
                match executed {
                    Some(0) => {}
                    Some(executed) => {
                        count += executed;
                        continue;
                    }
                    None => return count,
                }
            }
            ahead.remember(&mut self.state.program, edge.cycle());
            match self.execute_alone(ahead, count, due == 0, edge) {
                Alone::Completed => count += 1,
                Alone::Begun | Alone::NotNow => return count,
            }
            if self.state.program.control.watches() {
                return count;
            }
        }
    }

    /// Executes the next instruction as one of the cycle that is `count` cycles ahead.
    fn execute_alone(
        &mut self,
        ahead: &mut Ahead<A>,
        count: u64,
        is_interrupted: bool,
        edge: &mut Edge<'_>,
    ) -> Alone {
        let pc = self.state.program.registers.pc();
        let code = pc.is_aligned(A::PARCEL_BYTES).then(|| ahead.sight.code_at(pc)).flatten();
        let word =
            code.and_then(|(lender, place, _)| word_at::<A>(&ahead.sight.loans[lender], place, WORD_BYTES));
        let Some(word) = word else { return Alone::NotNow };
        let decoded = *self.decoder.decode(pc, word);
        if count > 0 {
            let is_met = || {
                let watch = self.watch.as_ref()?;
                watch.meets(pc, &decoded, &self.state.program.registers)
            };
            if is_interrupted || is_synchronous(&decoded) || is_met().is_some() {
                return Alone::NotNow;
            }
        } else if !self.state.program.control.issues(pc.to_u64(), edge.cycle(), &self.settings.delays) {
            return Alone::NotNow;
        }
        let trap = is_interrupted.then_some(A::Trap::INTERRUPT);
        self.begin(pc, word, trap);
        if self.met.is_some() {
            return Alone::Begun;
        }
        let is_exact = count == 0;
        let completed = edge.ahead(count, |edge| self.finish_within_reach(ahead, is_exact, edge));
        if ahead.sight.has_rewritten {
            ahead.code.follow_writes(&mut ahead.sight);
        }
        if completed { Alone::Completed } else { Alone::Begun }
    }

    /// Completes the instruction that has begun, as far as its references are within reach, if it is in its own cycle or raises no
    /// exception.
    fn finish_within_reach(&mut self, ahead: &mut Ahead<A>, is_exact: bool, edge: &mut Edge<'_>) -> bool {
        loop {
            let Some(step) = &mut self.state.step else { return true };
            let pc = step.slot.pc;
            if step.stop.is_some() && !is_exact {
                return false;
            }
            let mut response = None;
            if let Some(reference) = &step.reference {
                response = ahead.sight.perform(reference);
                if response.is_none() {
                    return false;
                }
            }
            if A::HAS_RUNS && super::go_on(&mut self.state.program, step, response, self.settings.identity) {
                continue;
            }
            let outcome = match step.stop {
                Some(cause) => Err(cause),
                None => super::perform(&mut self.state.program, step, response, edge),
            };
            if let (Err(cause), false) = (&outcome, is_exact) {
                (step.stop, step.reference) = (Some(*cause), None);
                return false;
            }
            let program = &mut self.state.program;
            if let Some(profile) = &mut program.profile {
                profile.spend(pc, Cause::Execution);
            }
            if let Some(calls) = &mut program.calls {
                calls.spend(pc.to_u64(), Cause::Execution, 1);
            }
            self.conclude(outcome, edge);
            return true;
        }
    }
}

#[cfg(test)]
mod tests {
    use spinach_isa::mips::{Extensions, Mips};

    use super::*;
    use crate::processor::decoded::Work;

    #[test]
    fn a_branch_is_never_parted_from_its_delay_slot() {
        let extensions = Extensions { tigon2: None, atomic_bit_array: true };
        let decoded = |word| Decoded::new(word, Mips { extensions });
        let ops = [0x2482_0001, 0x1000_0004, 0x2482_0001].map(decoded);
        assert!(matches!(ops[1].work, Work::Branch(_)));
        let lengths = [0, 1, 2, 3, 4].map(|most| part_of(&ops, most).len());
        assert_eq!(lengths, [0, 1, 1, 3, 3]);
    }
}
