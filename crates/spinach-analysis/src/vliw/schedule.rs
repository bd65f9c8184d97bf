//! List scheduling of a block.

use serde::{Deserialize, Serialize};
use spinach_isa::registered::classic::disassemble::disassemble;

use super::{Block, DependenceGraph, Machine, MachineError, Source};

/// The bundles of a block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    /// Per bundle, the instructions in it as rising indexes into the block. NOPs of the source are in none.
    pub bundles: Vec<Vec<usize>>,
    /// Cycles after the last bundle until all results have arrived. Only a slow operation that cannot leave its delay slot
    /// makes some.
    pub wait_cycles: u32,
}

impl Schedule {
    /// Cycles from entering the block to leaving it.
    pub fn cycles(&self) -> u64 {
        self.bundles.len() as u64 + u64::from(self.wait_cycles)
    }

    /// Number of operations in all bundles.
    pub fn operations(&self) -> u64 {
        self.bundles.iter().map(|bundle| bundle.len() as u64).sum()
    }
}

/// An instruction on its way into a bundle. Times count bundles from the end of the block: the last is 0.
#[derive(Clone, Copy, Debug, Default)]
struct Candidate {
    unit: usize,
    /// The longest way from the start of the block: those far from it must be placed near the end, first.
    depth: u32,
    /// Instructions that depend on it and are not placed yet.
    waiting: u32,
    /// The time nearest to the end that dependences allow.
    earliest: u32,
    placed: Option<u32>,
}

/// Packs a block into bundles.
///
/// The schedule grows from the end of the block backwards, because that is where the branch has its fixed place: right
/// before its delay slots. Among the instructions that nothing unplaced depends on, the one with the longest way from the start
/// of the block goes first.
///
/// # Errors
/// [`MachineError`] if the machine lacks a unit for one of the instructions, or makes no sense.
pub fn schedule(block: &Block, machine: &Machine) -> Result<Schedule, MachineError> {
    machine.check()?;
    let mut scheduler = Scheduler::new(block, machine)?;
    scheduler.place_exit();
    scheduler.place_all();
    Ok(scheduler.finish())
}

struct Scheduler<'block> {
    block: &'block Block,
    machine: &'block Machine,
    graph: DependenceGraph,
    candidates: Vec<Candidate>,
    /// Occupied units of each kind, by time.
    taken: Vec<Vec<u32>>,
    /// The first time that instructions from before the exit may have.
    first_open: u32,
}

impl<'block> Scheduler<'block> {
    fn new(block: &'block Block, machine: &'block Machine) -> Result<Self, MachineError> {
        let graph = DependenceGraph::new(block, machine);
        let mut candidates = vec![Candidate::default(); block.instructions.len()];
        for (candidate, source) in candidates.iter_mut().zip(&block.instructions) {
            if !source.operation.is_nop() {
                let class = source.operation.class;
                candidate.unit = machine.unit(class).ok_or_else(|| MachineError::NoUnit {
                    instruction: disassemble(source.instruction, source.address).to_string(),
                    address: source.address,
                    class,
                })?;
            }
        }
        // A result must be there when the block is left, for the next reader.
        for (candidate, source) in candidates.iter_mut().zip(&block.instructions) {
            candidate.earliest = machine.latency(&source.operation) - 1;
        }
        for dependence in &graph.dependences {
            candidates[dependence.from].waiting += 1;
        }
        // Dependences come by rising origin, so that every depth is final before it is passed on.
        for dependence in &graph.dependences {
            let depth = candidates[dependence.from].depth + dependence.latency;
            let to = &mut candidates[dependence.to];
            to.depth = to.depth.max(depth);
        }
        let slots = block.delay_slots();
        let first_open = if machine.original_delay_slot || block.annuls() { slots } else { 0 };
        Ok(Self { block, machine, graph, candidates, taken: Vec::new(), first_open })
    }

    /// The delay slots have the last bundles, the exit the one before.
    fn place_exit(&mut self) {
        let Some(exit) = self.block.exit else { return };
        let slots = self.block.delay_slots();
        let pinned = self.first_open > 0;
        for (index, slot) in (exit + 1..self.candidates.len()).zip((0..slots).rev()) {
            let depends_on_exit = self
                .graph
                .dependences
                .iter()
                .any(|dependence| (dependence.from, dependence.to) == (exit, index));
            if pinned || depends_on_exit {
                self.place(index, slot);
            }
        }
        self.place(exit, slots);
    }

    fn place_all(&mut self) {
        let mut remaining: Vec<usize> =
            (0..self.candidates.len()).filter(|index| self.is_unplaced(*index)).collect();
        let mut time = self.first_open;
        while !remaining.is_empty() {
            // Two instructions of a block may share a bundle although one waits for the other, so look again after each.
            while let Some(index) = self.choose(&remaining, time) {
                self.place(index, time);
                remaining.retain(|other| *other != index);
            }
            time += 1;
        }
    }

    fn is_unplaced(&self, index: usize) -> bool {
        self.candidates[index].placed.is_none() && !self.block.instructions[index].operation.is_nop()
    }

    fn choose(&self, remaining: &[usize], time: u32) -> Option<usize> {
        let fits = |index: &&usize| {
            let candidate = &self.candidates[**index];
            candidate.waiting == 0 && candidate.earliest <= time && self.has_room(candidate.unit, time)
        };
        // Of equals, the later in the source goes nearer to the end.
        remaining.iter().filter(fits).max_by_key(|index| (self.candidates[**index].depth, **index)).copied()
    }

    fn has_room(&self, unit: usize, time: u32) -> bool {
        self.taken.get(time as usize).is_none_or(|taken| {
            taken[unit] < self.machine.units[unit].count && taken.iter().sum::<u32>() < self.machine.width()
        })
    }

    fn place(&mut self, index: usize, time: u32) {
        let operation = &self.block.instructions[index].operation;
        self.candidates[index].placed = Some(time);
        if !operation.is_nop() {
            let length = self.taken.len().max(time as usize + 1);
            self.taken.resize(length, vec![0; self.machine.units.len()]);
            self.taken[time as usize][self.candidates[index].unit] += 1;
        }
        for dependence in self.graph.dependences.iter().filter(|dependence| dependence.to == index) {
            let from = &mut self.candidates[dependence.from];
            from.waiting -= 1;
            from.earliest = from.earliest.max(time + dependence.latency);
        }
    }

    fn finish(self) -> Schedule {
        let exit_bundles = self.block.exit.map_or(0, |_| self.block.delay_slots() + 1);
        let placed = |candidate: &Candidate| candidate.placed.map_or(0, |time| time + 1);
        let length = self.candidates.iter().map(placed).max().unwrap_or(0).max(exit_bundles);
        let mut bundles = vec![Vec::new(); length as usize];
        for (index, candidate) in self.candidates.iter().enumerate() {
            let Some(time) = candidate.placed else { continue };
            if !self.block.instructions[index].operation.is_nop() {
                bundles[(length - 1 - time) as usize].push(index);
            }
        }
        let wait = |(candidate, source): (&Candidate, &Source)| {
            let latency = self.machine.latency(&source.operation);
            latency.saturating_sub(1 + candidate.placed.unwrap_or(latency))
        };
        let wait_cycles = self.candidates.iter().zip(&self.block.instructions).map(wait).max().unwrap_or(0);
        Schedule { bundles, wait_cycles }
    }
}
