//! Weighting the blocks of an image by how often they execute.

use serde::{Deserialize, Serialize};

use super::{Block, Machine, MachineError, Schedule, schedule};
use crate::trace::Profile;

/// A block that executes, scheduled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeightedBlock {
    /// The block.
    pub block: Block,
    /// Its bundles.
    pub schedule: Schedule,
    /// Number of entries of control.
    pub entries: u64,
}

/// Performance of a machine on a profile.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evaluation {
    /// Cycles: one for each executed bundle, and the waits for slow results at the end of blocks.
    pub cycles: u64,
    /// Operations executed, without NOPs: neither those of the source nor those that fill bundles.
    pub operations: u64,
    /// Places for operations in all cycles.
    pub slots: u64,
    /// Instructions that the profile executed, with NOPs.
    pub source_instructions: u64,
    /// NOPs of the source that the profile executed.
    pub source_nops: u64,
    /// Instructions of the profile that are in no block of the image, as code that the program made itself. They take no cycles
    /// and do not count as operations here.
    pub unscheduled_instructions: u64,
    /// Blocks that execute.
    pub blocks: u64,
}

impl Evaluation {
    /// Operations per cycle.
    pub fn instructions_per_cycle(&self) -> f64 {
        ratio(self.operations, self.cycles)
    }
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Schedules the blocks that the profile enters, and adds up. The blocks come back with their schedules, those that take most
/// cycles first.
///
/// `blocks` are those of [`super::blocks()`] with the entries of the profile.
///
/// # Errors
/// [`MachineError`] for the first block that cannot be scheduled. Blocks that never execute are not looked at.
pub fn evaluate(
    blocks: &[Block],
    profile: &Profile,
    machine: &Machine,
) -> Result<(Evaluation, Vec<WeightedBlock>), MachineError> {
    let mut evaluation = Evaluation { source_instructions: profile.instructions(), ..Evaluation::default() };
    let mut weighted = Vec::new();
    let mut covered = 0;
    for block in blocks {
        let first = profile.executions(block.address().into());
        let entries = first.total - first.in_delay_slot;
        if entries == 0 {
            continue;
        }
        let schedule = schedule(block, machine)?;
        evaluation.blocks += 1;
        evaluation.cycles += entries * schedule.cycles();
        for (index, source) in block.instructions.iter().enumerate() {
            let annulled = block.annuls() && block.exit.is_some_and(|exit| index > exit);
            let count =
                if annulled { profile.executions(source.address.into()).in_delay_slot } else { entries };
            covered += count;
            match source.operation.is_nop() {
                true => evaluation.source_nops += count,
                false => evaluation.operations += count,
            }
        }
        weighted.push(WeightedBlock { block: block.clone(), schedule, entries });
    }
    evaluation.slots = evaluation.cycles * u64::from(machine.width());
    evaluation.unscheduled_instructions = profile.instructions().saturating_sub(covered);
    weighted.sort_by_key(|weighted| {
        (std::cmp::Reverse(weighted.entries * weighted.schedule.cycles()), weighted.block.address())
    });
    Ok((evaluation, weighted))
}
