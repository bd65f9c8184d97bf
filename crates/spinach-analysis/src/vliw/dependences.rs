//! Dependences between the instructions of a block.

use serde::{Deserialize, Serialize};

use super::blocks::{Block, Source};
use super::machine::{Machine, MemoryOrder};

/// A pair of instructions of a block of which the second waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Dependence {
    /// Index of the earlier instruction.
    pub from: usize,
    /// Index of the later instruction.
    pub to: usize,
    /// Minimum distance in bundles; 0 allows the same bundle.
    pub latency: u32,
}

/// All dependences of a block, except that the exit comes right before its delay slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DependenceGraph {
    /// Dependences by rising `from`, then `to`; one per pair.
    pub dependences: Vec<Dependence>,
}

impl DependenceGraph {
    /// Finds the dependences. Those of NOPs, of which there are none, are left out.
    pub fn new(block: &Block, machine: &Machine) -> Self {
        let sources = &block.instructions;
        let mut dependences = Vec::new();
        let works = |(_, source): &(usize, &Source)| !source.operation.is_nop();
        for (to, second) in sources.iter().enumerate().filter(works) {
            for (from, first) in sources[..to].iter().enumerate().filter(works) {
                let between = &sources[from + 1..to];
                let registers = register_latency(first, second, between, machine);
                let memory = memory_latency(first, second, &sources[from..to], machine);
                let barrier = barrier_latency(first, second);
                let exits = exit_latency(block, from, to);
                if let Some(latency) = registers.max(memory).max(barrier).max(exits) {
                    dependences.push(Dependence { from, to, latency });
                }
            }
        }
        dependences.sort_unstable();
        Self { dependences }
    }
}

/// True, output and anti dependences between two instructions. A dependence that passes through an instruction between
/// them is that instruction's.
fn register_latency(first: &Source, second: &Source, between: &[Source], machine: &Machine) -> Option<u32> {
    let (first_operation, second_operation) = (&first.operation, &second.operation);
    let fresh = |set: u64| {
        let overwritten = between.iter().fold(0, |writes, source| writes | source.operation.writes.0);
        set & !overwritten
    };
    let (reads, writes) = (fresh(first_operation.reads.0), fresh(first_operation.writes.0));
    if writes & second_operation.reads.0 != 0 {
        return Some(machine.latency(first_operation));
    }
    if machine.register_renaming {
        return None;
    }
    // Of two writes the second must arrive last.
    if writes & second_operation.writes.0 != 0 {
        let (first, second) = (machine.latency(first_operation), machine.latency(second_operation));
        return Some((first + 1).saturating_sub(second).max(1));
    }
    (reads & second_operation.writes.0 != 0).then_some(0)
}

fn memory_latency(
    first: &Source,
    second: &Source,
    first_and_between: &[Source],
    machine: &Machine,
) -> Option<u32> {
    let (reads, writes) = (Source::reads_memory, Source::writes_memory);
    let ordered = |source: &Source| source.accesses_memory() && source.footprint().is_none();
    if !first.accesses_memory() || !second.accesses_memory() {
        return None;
    }
    if ordered(first) || ordered(second) {
        return Some(1);
    }
    if !writes(first) && !writes(second) {
        return None;
    }
    if machine.memory_order == MemoryOrder::DisjointOffsets && disjoint(first, second, first_and_between) {
        return None;
    }
    // A load may share the bundle of a store after it: it reads first.
    Some(u32::from(writes(first) || !reads(first)))
}

/// True if both are relative to the same value and do not overlap.
fn disjoint(first: &Source, second: &Source, first_and_between: &[Source]) -> bool {
    let (Some(a), Some(b)) = (first.footprint(), second.footprint()) else { return false };
    let changed = first_and_between.iter().any(|source| source.operation.writes.contains(a.base));
    a.base == b.base && !changed && (a.first + a.bytes <= b.first || b.first + b.bytes <= a.first)
}

/// Side exits of a path come one after the other, and no branch comes in a delay slot. Side effects wait until control has not
/// left.
fn exit_latency(block: &Block, from: usize, to: usize) -> Option<u32> {
    let slots = u32::from(block.instructions[from].operation.delay_slots);
    let is_exit = block.side_exits.contains(&to) || block.exit == Some(to);
    let is_behind = to > from + slots as usize && block.instructions[to].has_side_effects();
    (block.side_exits.contains(&from) && (is_exit || is_behind)).then_some(1 + slots)
}

fn barrier_latency(first: &Source, second: &Source) -> Option<u32> {
    (first.is_barrier() || second.is_barrier()).then_some(1)
}

impl Source {
    /// True if it reads memory.
    pub fn reads_memory(&self) -> bool {
        self.operation.reads_memory()
    }

    /// True if it writes memory.
    pub fn writes_memory(&self) -> bool {
        self.operation.writes_memory()
    }

    /// True if it reads or writes memory.
    pub fn accesses_memory(&self) -> bool {
        self.operation.memory.is_some()
    }
}
