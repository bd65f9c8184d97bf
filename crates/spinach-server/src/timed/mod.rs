//! Timed harts: four-wide out-of-order cores with caches, as in table 1 of the SINIC paper (section 5.1).
//!
//! Instructions are executed as they are functionally, block by block, in program order. Of each the model then finds out when it
//! would have been dispatched, issued, completed and committed ([`core`]), given the caches ([`memories`]), the ways to memory and
//! cards ([`ways`]) and what was predicted of branches ([`predictor`]). The hart's time becomes that of the last commit. So timing never changes what
//! instructions do, only when; and a machine can go from functional to timed execution and back at any moment.

mod calendar;
mod core;
mod memories;
mod pace;
mod pages;
pub mod parameters;
mod ports;
mod predictor;
mod recipe;
mod shared;
mod tags;
#[cfg(test)]
mod tests;
mod warming;
mod ways;

pub use core::CoreCounts;
pub use memories::{Memories, MemoryUses, Uses};
pub use pace::Pace;
pub use parameters::{Attachment, TimedParameters};
pub use shared::Shared;

use self::core::{Core, Executed, Reference};
use self::pages::Tables;
use self::recipe::Recipe;
use crate::board::Board;
use crate::counting::{EVENTS, EventCounts};
use crate::hart::{Hart, Op};

/// Observer of execution that determines its time.
pub(crate) trait Timing {
    /// True if anything is recorded.
    const IS_ON: bool;
    /// True if the methods do nothing, so that one block may follow another at once.
    const CHAINS: bool = false;

    /// Number of these instructions, which come next, that a hart may execute before the next call; 0 to stop.
    #[inline(always)]
    fn allowed(&mut self, _: &Hart, _: &[Op]) -> usize {
        usize::MAX
    }

    /// A hart is about to execute a block.
    fn begin(&mut self, hart: &Hart, board: &Board);

    /// An instruction that refers to memory or a device was executed: each calls this once.
    fn refer(&mut self, address: u64, place: Option<usize>);

    /// A device delays the answer to a load of a block; instructions before the load were executed if they take a cycle each.
    #[inline(always)]
    fn hold(&mut self, _: &Hart, _: &Ran<'_>) {}

    /// Instructions of a block were executed; sets the time of the hart.
    fn end(&mut self, hart: &mut Hart, board: &mut Board, ran: &Ran<'_>);
}

/// A run of instructions that a hart was given.
pub(crate) struct Ran<'a> {
    /// Number of the block that they begin, and the number of times the arena of blocks was emptied; `None` if they are not a
    /// block.
    pub(crate) block: Option<(u32, u64)>,
    /// The whole block; what was not executed of it lies at its end.
    pub(crate) ops: &'a [Op],
    /// The address and the place in memory of the first.
    pub(crate) pc: u64,
    pub(crate) place: usize,
    /// Instructions and time of the hart before.
    pub(crate) instructions: u64,
    pub(crate) time: u64,
    /// The time from which on it has waited for a device before that, or the same.
    pub(crate) since: u64,
}

/// Each instruction takes a cycle.
pub(crate) struct Functional;

impl Timing for Functional {
    const IS_ON: bool = false;
    const CHAINS: bool = true;

    #[inline(always)]
    fn begin(&mut self, _: &Hart, _: &Board) {}

    #[inline(always)]
    fn refer(&mut self, _: u64, _: Option<usize>) {}

    #[inline(always)]
    fn end(&mut self, _: &mut Hart, _: &mut Board, _: &Ran<'_>) {}
}

/// Recipes of blocks, by number of the block.
#[derive(Debug, Default)]
struct Recipes {
    emptied: u64,
    recipes: Vec<Recipe>,
    /// One more than the beginning of a block's recipes; 0 for a new block.
    starts: Vec<u32>,
}

impl Recipes {
    #[inline]
    fn of(&mut self, block: u32, emptied: u64, ops: &[Op]) -> &[Recipe] {
        if self.emptied != emptied {
            self.emptied = emptied;
            self.recipes.clear();
            self.starts.clear();
        }
        let block = block as usize;
        if self.starts.len() <= block {
            self.starts.resize(block + 1, 0);
        }
        if self.starts[block] == 0 {
            self.starts[block] = self.recipes.len() as u32 + 1;
            self.recipes.extend(ops.iter().map(Recipe::of));
        }
        &self.recipes[self.starts[block] as usize - 1..][..ops.len()]
    }
}

/// Timing model of a machine.
#[derive(Debug)]
pub struct Timed {
    parameters: TimedParameters,
    cores: Vec<Core>,
    recipes: Recipes,
    references: Vec<Reference>,
    /// Page tables of each hart at the last check.
    contexts: Vec<u64>,
    /// Address of the page tables of the hart in turn, if it has any.
    tables: Option<u64>,
    /// Pace of instructions while cores only follow.
    pace: Option<Pace>,
}

impl Timed {
    /// Cores that have executed nothing.
    pub fn new(parameters: &TimedParameters, harts: usize) -> Self {
        Self {
            parameters: parameters.clone(),
            cores: (0..harts).map(|_| Core::new(parameters)).collect(),
            recipes: Recipes::default(),
            references: Vec::new(),
            contexts: vec![0; harts],
            tables: None,
            pace: None,
        }
    }

    /// Resets the state of all cores; counts and pace remain.
    pub(crate) fn reset(&mut self) {
        let mut fresh = Self { pace: self.pace, ..Self::new(&self.parameters, self.cores.len()) };
        for (core, fresh) in self.cores.iter_mut().zip(&mut fresh.cores) {
            fresh.keep_counts_of(core);
        }
        *self = fresh;
    }

    /// Counts of all cores.
    pub fn counts(&self) -> CoreCounts {
        self.cores.iter().map(Core::counts).fold(CoreCounts::default(), |sum, core| CoreCounts {
            cycles: sum.cycles + core.cycles,
            instructions: sum.instructions + core.instructions,
            branches: sum.branches + core.branches,
            mispredictions: sum.mispredictions + core.mispredictions,
            walks: sum.walks + core.walks,
            device_cycles: sum.device_cycles + core.device_cycles,
            miss_cycles: sum.miss_cycles + core.miss_cycles,
        })
    }

    /// The timing of a hart.
    pub(crate) fn hart(&mut self, number: usize) -> TimedHart<'_> {
        TimedHart { number, timed: self }
    }
}

/// The timing of a hart.
pub(crate) struct TimedHart<'a> {
    number: usize,
    timed: &'a mut Timed,
}

impl Timing for TimedHart<'_> {
    const IS_ON: bool = true;

    fn begin(&mut self, hart: &Hart, board: &Board) {
        let core = &mut self.timed.cores[self.number];
        // A load that waits for a device is on its way in the core.
        if board.asked_since().is_none() {
            core.wait_until(hart.time());
        }
        self.follow_tables(hart);
    }

    #[inline(always)]
    fn refer(&mut self, address: u64, place: Option<usize>) {
        self.timed.references.push(Reference { address, place });
    }

    fn end(&mut self, hart: &mut Hart, board: &mut Board, ran: &Ran<'_>) {
        let number = self.number;
        self.end_with(hart, board, ran, |core, memories, tables, it, _| {
            core.execute(number, memories, tables, it)
        });
    }
}

impl TimedHart<'_> {
    /// A block begins, under the page tables of a hart.
    fn follow_tables(&mut self, hart: &Hart) {
        let context = &mut self.timed.contexts[self.number];
        if *context != hart.context {
            *context = hart.context;
            self.timed.cores[self.number].forget_pages();
        }
        self.timed.tables = hart.control.page_tables();
        self.timed.references.clear();
    }

    /// Takes note of a block; `step` returns the time at which an instruction is over, given that of the one before.
    #[inline(always)]
    fn end_with(
        &mut self,
        hart: &mut Hart,
        board: &mut Board,
        ran: &Ran<'_>,
        mut step: impl FnMut(&mut Core, &mut Memories, &Tables<'_>, &Executed<'_>, u64) -> u64,
    ) {
        let Board { bus, memory, .. } = board;
        let Some(memories) = bus.shared_mut().map(Shared::memories_mut) else { return };
        let Timed { cores, recipes, references, tables, .. } = &mut *self.timed;
        let tables = Tables { root: *tables, memory };
        let core = &mut cores[self.number];
        let before = hart.counts_events().then(|| tally(core, memories, self.number));
        let count = (hart.instructions - ran.instructions) as usize;
        let entered = hart.time() - ran.time > count as u64;
        let single;
        let recipes = match ran.block {
            Some((block, emptied)) => recipes.of(block, emptied, ran.ops),
            None => {
                single = ran.ops.first().map(Recipe::of);
                single.as_slice()
            }
        };
        let mut references = references.iter();
        let mut time = ran.time;
        for (index, (op, recipe)) in ran.ops.iter().zip(recipes).take(count).enumerate() {
            let pc = ran.pc.wrapping_add(op.offset.into());
            let end = pc.wrapping_add(op.bytes.into());
            // Only the last can go elsewhere.
            let next = if index + 1 == count && !entered { hart.pc } else { end };
            let it = Executed {
                recipe,
                pc,
                place: ran.place + usize::from(op.offset),
                end,
                next,
                reference: if recipe.refers() { references.next().copied() } else { None },
            };
            time = step(core, memories, &tables, &it, time);
        }
        debug_assert!(
            references.next().is_none(),
            "an instruction has more than one reference, or one without a recipe"
        );
        // The handler of an exception begins a cycle later, and finds the core empty.
        let time = time.max(ran.time) + u64::from(entered);
        core.spend(time - ran.since, count as u64, ran.time - ran.since);
        hart.set_time(time);
        if let Some(before) = before {
            hart.add_events(&before, &tally(core, memories, self.number));
        }
    }
}

/// Event counts of a hart, besides cycles and instructions.
fn tally(core: &Core, memories: &Memories, hart: usize) -> EventCounts {
    let mut events = [0; EVENTS];
    core.tally(&mut events);
    memories.tally(hart, &mut events);
    events
}
