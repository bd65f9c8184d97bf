//! Paths: basic blocks that execute one after the other, scheduled together.
//!
//! A bound of what scheduling across blocks could bring (trace scheduling: J. A. Fisher, "Trace Scheduling: A Technique for
//! Global Microcode Compaction", 1981). Along a path:
//!
//! - An instruction may move up past a branch, unless it has side effects ([`Source::has_side_effects`]); what it
//!   overwrites is taken to be of no use where control leaves. It may move down past one: the copy that is then needed
//!   where control leaves is never executed.
//! - Branches and jumps that may leave stay in order, each with its delay slot. A direct jump leaves nowhere; it stays an
//!   operation.
//! - Paths follow each other as the trace has them, each as long as it may be, and none is left early: as if all were
//!   foreseen. Real schedules have fewer paths and lose cycles where control leaves them.
//!
//! A path ends after a branch that annuls its slot, an exception, and where the filter leaves something out.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroU32;

use spinach_isa::instruction_set::ControlFlow;
use spinach_isa::registered::Classic;

use super::evaluate::Evaluation;
use super::{Block, Machine, MachineError, Source, schedule};
use crate::operation::OperationCache;
use crate::trace::{Filter, TraceError, TraceReader};

/// Execution counts of sequences of blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Paths {
    /// Counts by the indexes of the blocks.
    counts: BTreeMap<Vec<usize>, u64>,
    operations: u64,
    source_nops: u64,
    unscheduled_instructions: u64,
}

/// Position of a core.
#[derive(Default)]
struct Position {
    path: Vec<usize>,
    /// Address of the instruction before.
    last: Option<u64>,
    slots_left: u8,
    was_filtered: bool,
}

impl Paths {
    /// Reads the rest of a trace. `blocks` are those of [`super::blocks()`] with the entries of the trace's profile;
    /// a path has at most `blocks_maximum` of them.
    ///
    /// # Errors
    /// As [`TraceReader::next_group`], and [`TraceError::UnknownName`] of the filter.
    pub fn read(
        reader: &mut TraceReader,
        filter: &Filter,
        instruction_set: &Classic,
        blocks: &[Block],
        blocks_maximum: NonZeroU32,
    ) -> Result<Self, TraceError> {
        let filter = filter.bind(reader)?;
        let mut operations = OperationCache::new(instruction_set);
        let begins: HashMap<u64, usize> =
            blocks.iter().enumerate().map(|(index, block)| (block.address().into(), index)).collect();
        let mut positions: BTreeMap<u16, Position> = BTreeMap::new();
        let mut found = Self::default();
        loop {
            let group = reader.next_group()?;
            if group.is_empty() {
                positions.into_values().for_each(|position| found.count(position.path));
                return Ok(found);
            }
            for instruction in group {
                let position = positions.entry(instruction.core).or_default();
                if !filter.takes(instruction) {
                    position.was_filtered = true;
                    continue;
                }
                let operation = operations.get(instruction.word);
                let arrives_in_order =
                    position.last.is_some_and(|last| instruction.pc == last.wrapping_add(4));
                let in_delay_slot = arrives_in_order && position.slots_left > 0;
                if !in_delay_slot && let Some(block) = begins.get(&instruction.pc) {
                    if !position.goes_on(blocks, blocks_maximum) {
                        found.count(std::mem::take(&mut position.path));
                    }
                    position.path.push(*block);
                    position.was_filtered = false;
                }
                let holds = |block: &usize| holds(&blocks[*block], instruction.pc);
                match (position.path.last().is_some_and(holds), operation.is_nop()) {
                    (false, _) => found.unscheduled_instructions += 1,
                    (true, true) => found.source_nops += 1,
                    (true, false) => found.operations += 1,
                }
                position.slots_left =
                    if in_delay_slot { position.slots_left - 1 } else { operation.delay_slots };
                position.last = Some(instruction.pc);
            }
        }
    }

    /// The paths as blocks, and how often each executes.
    pub fn merged(&self, blocks: &[Block]) -> impl Iterator<Item = (Block, u64)> {
        self.counts.iter().map(|(path, count)| (merge(path.iter().map(|index| &blocks[*index])), *count))
    }

    /// Schedules every path, and adds up. `blocks` in the result counts different paths. A path counts as its blocks one by
    /// one where that is shorter.
    ///
    /// # Errors
    /// [`MachineError`] for the first path that cannot be scheduled.
    pub fn evaluate(&self, blocks: &[Block], machine: &Machine) -> Result<Evaluation, MachineError> {
        let mut alone: HashMap<usize, u64> = HashMap::new();
        let mut cycles = 0;
        for (path, count) in &self.counts {
            let mut apart = 0;
            for index in path {
                let known = alone.get(index).copied();
                let its = known.map_or_else(|| Ok(schedule(&blocks[*index], machine)?.cycles()), Ok)?;
                alone.insert(*index, its);
                apart += its;
            }
            let together = match path.len() {
                1 => apart,
                _ => schedule(&merge(path.iter().map(|index| &blocks[*index])), machine)?.cycles(),
            };
            cycles += count * together.min(apart);
        }
        Ok(Evaluation {
            cycles,
            operations: self.operations,
            slots: cycles * u64::from(machine.width()),
            source_instructions: self.operations + self.source_nops + self.unscheduled_instructions,
            source_nops: self.source_nops,
            unscheduled_instructions: self.unscheduled_instructions,
            blocks: self.counts.len() as u64,
        })
    }

    fn count(&mut self, path: Vec<usize>) {
        if !path.is_empty() {
            *self.counts.entry(path).or_default() += 1;
        }
    }
}

impl Position {
    /// True if the next block belongs to the path.
    fn goes_on(&self, blocks: &[Block], blocks_maximum: NonZeroU32) -> bool {
        let Some(block) = self.path.last().map(|index| &blocks[*index]) else { return true };
        let end = block.instructions.last().map(|source| source.address.into());
        let may_go_on = block.exit.is_none_or(|exit| {
            let flow = block.instructions[exit].operation.control_flow;
            let has_slots = exit + 1 + block.delay_slots() as usize == block.instructions.len();
            has_slots && !matches!(flow, ControlFlow::Exception | ControlFlow::ExceptionReturn)
        });
        may_go_on
            && !block.annuls()
            && !self.was_filtered
            && self.last == end
            && self.path.len() < blocks_maximum.get() as usize
    }
}

fn holds(block: &Block, address: u64) -> bool {
    address
        .checked_sub(block.address().into())
        .is_some_and(|offset| offset as usize / 4 < block.instructions.len())
}

/// One block of several that execute one after the other.
fn merge<'block>(path: impl Iterator<Item = &'block Block>) -> Block {
    let mut merged = Block { instructions: Vec::new(), exit: None, side_exits: Vec::new() };
    for block in path {
        // The exit of the shorter path becomes a side exit.
        merged.side_exits.extend(merged.exit.take().filter(|exit| may_leave(&merged.instructions[*exit])));
        merged.exit = block.exit.map(|exit| merged.instructions.len() + exit);
        merged.instructions.extend(&block.instructions);
    }
    merged
}

fn may_leave(exit: &Source) -> bool {
    !matches!(exit.operation.control_flow, ControlFlow::Jump { .. })
}
