//! Running ahead: at one edge, a core executes many cycles.
//!
//! It executes blocks of decoded instructions on borrowed memory, one instruction for each cycle to come, and rests until these
//! cycles have passed. So the order in which the cores of a system refer to memory is a possible one, and each of them sees its
//! own references in order; references of different cores may be up to a quantum away from their clocked order. The actions of a
//! core at one edge are indivisible, so locks hold, too; only a store that depends on a link must not be left for another edge.
//! Events that others must be in step with happen in their own cycle: references that leave the reach of the core, interrupts,
//! exceptions and commands.

use spinach_engine::Reach;
use spinach_isa::architecture::{Architecture, RegisterFile};

use super::block::{self, Ran};
use super::code::{Code, EVENTS, Place};
use super::direct_memories::DirectMemories;
use super::step::{Conditions, Step};
use crate::processor::accounts::Event;
use crate::processor::history::Completed;
use crate::processor::profile::Run;
use crate::processor::program::Program;

/// Cores that remember more instructions than this take note of each as they execute it.
pub(super) const REMEMBERED: usize = 64;

/// State of a core for running ahead. None of it is checkpointed: it follows from the content of memories.
pub(super) struct Ahead<A: Architecture> {
    pub(super) memories: DirectMemories,
    pub(super) code: Code<A>,
    /// The blocks executed last at this edge, as a ring: which, how many of its instructions, and how many came before at this edge.
    recent: Box<[(Place, u32, u64); REMEMBERED]>,
    executed: usize,
    branches_taken: u64,
    annulled: u64,
}

impl<A: Architecture> Ahead<A> {
    /// `None` if no instruction is within reach.
    pub(super) fn new(architecture: A, reach: &Reach<'_>) -> Option<Self> {
        let memories = DirectMemories::new(reach)?;
        let code = Code::new(architecture, memories.loans.len());
        let recent = Box::new([(Place::default(), 0, 0); REMEMBERED]);
        Some(Self { memories, code, recent, executed: 0, branches_taken: 0, annulled: 0 })
    }

    /// Drops decoded instructions.
    pub(super) fn clear(&mut self) {
        self.code.clear();
    }

    /// Executes one block after the other as far as they go and there is room for them; `before` instructions were executed at this
    /// edge. Says how many were executed; `None` if no instruction is within reach.
    #[inline(always)]
    pub(super) fn run_blocks(
        &mut self,
        registers: &mut A::Registers,
        before: u64,
        mut conditions: Conditions<'_, A::Word>,
    ) -> Option<u64> {
        let mut total = 0;
        loop {
            match self.run_block(registers, before + total, &mut conditions) {
                None if total == 0 => return None,
                None | Some(0) => return Some(total),
                Some(executed) => total += executed,
            }
            if conditions.room == 0 || registers.in_delay_slot() {
                return Some(total);
            }
        }
    }

    /// The same with one block, as often as it goes back to its beginning.
    #[inline(always)]
    fn run_block(
        &mut self,
        registers: &mut A::Registers,
        before: u64,
        conditions: &mut Conditions<'_, A::Word>,
    ) -> Option<u64> {
        let pc = registers.pc();
        let place = self.code.find(pc, &mut self.memories)?;
        let steps = self.code.block(place);
        let (mut total, mut rounds) = (0, 0);
        let left = loop {
            let part = part_of(steps, conditions.room);
            if part.is_empty() {
                break 0;
            }
            let ran @ Ran { count, took_branch, annulled } =
                block::run::<A>(registers, &mut self.memories, part, pc, conditions);
            self.branches_taken += u64::from(took_branch);
            self.annulled += u64::from(annulled);
            self.recent[self.executed % REMEMBERED] = (place, ran.count as u32, before + total);
            self.executed += 1;
            total += count as u64;
            conditions.cycle += count as u64;
            conditions.room -= count as u64;
            if count != steps.len() {
                break count;
            }
            rounds += 1;
            if registers.pc() != pc || self.memories.has_rewritten {
                break 0;
            }
        };
        self.code.note_uses(place, rounds);
        if left > 0 {
            self.code.note_part(place, left);
        }
        if self.memories.has_rewritten {
            self.code.follow_writes(&mut self.memories);
        }
        Some(total)
    }

    /// Adds to the history the blocks executed since the last call; `cycle` is that of this edge.
    pub(super) fn remember(&mut self, program: &mut Program<A>, cycle: u64) {
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
            let start = self.code.pc(place);
            for (step, since) in self.code.block(place)[..count as usize].iter().zip(before..) {
                let pc = step.pc(start);
                program.history.record(Completed { cycle: cycle + since, pc, word: step.op.word });
            }
        }
        self.executed = 0;
    }

    /// Counts the instructions of blocks since the last count.
    pub(super) fn book(&mut self, program: &mut Program<A>, counters: &mut [u64]) {
        counters[Event::BranchTaken as usize] += std::mem::take(&mut self.branches_taken);
        counters[Event::Annulled as usize] += std::mem::take(&mut self.annulled);
        self.code.take_parts(|start, steps| {
            counters[Event::Instruction as usize] += steps.len() as u64;
            for step in steps {
                counters[step.op.event as usize] += u64::from(step.op.event != Event::Instruction);
                if let Some(profile) = &mut program.profile {
                    profile.execute_many(step.pc(start), step.op.accesses_memory(), 1);
                }
            }
        });
        self.code.take_uses(|start, steps, booking, times| {
            counters[Event::Instruction as usize] += steps.len() as u64 * times;
            for (event, count) in EVENTS.iter().zip(booking.events) {
                counters[*event as usize] += u64::from(count) * times;
            }
            if let Some(profile) = &mut program.profile {
                let run = *booking.run.get_or_insert_with(|| profile.add_run(run_of(start, steps)));
                profile.execute_run(run, times);
            }
        });
    }
}

/// A block as a run of the profile.
fn run_of<A: Architecture>(start: A::Word, steps: &[Step<A>]) -> Run<A::Word> {
    steps.iter().map(|step| (step.pc(start), step.op.accesses_memory())).collect()
}

/// At most `most` steps of a block, but never a branch without its delay slot.
#[inline(always)]
fn part_of<A: Architecture>(steps: &[Step<A>], most: u64) -> &[Step<A>] {
    let Some(part) = usize::try_from(most).ok().and_then(|most| steps.get(..most)) else { return steps };
    let ends_in_branch = A::HAS_DELAY_SLOTS
        && part.len() < steps.len()
        && part.last().is_some_and(|step| step.op.transfers_control());
    if ends_in_branch { &part[..part.len() - 1] } else { part }
}

#[cfg(test)]
mod tests {
    use spinach_isa::mips::{Extensions, Mips};

    use super::*;
    use crate::processor::decoded::{Decoded, Work};

    #[test]
    fn a_branch_is_never_parted_from_its_delay_slot() {
        let extensions = Extensions { tigon2: None, atomic_bit_array: true };
        let decoded = |word| Decoded::new(word, Mips { extensions });
        let steps = [0x2482_0001, 0x1000_0004, 0x2482_0001].map(|word| Step::new(decoded(word), 0));
        assert!(matches!(steps[1].op.work, Work::Branch(_)));
        let lengths = [0, 1, 2, 3, 4].map(|most| part_of(&steps, most).len());
        assert_eq!(lengths, [0, 1, 1, 3, 3]);
    }
}
