//! Issue limits: the instructions per cycle that a trace allows, for cores of any width.
//!
//! This is the offline analysis of HPCA 2005, section 2.2: a trace is scheduled onto an idealized core, cycle by cycle,
//! under nothing but the limits under study. [`Configuration::table_2`] gives the rows and columns of its table 2.
//!
//! # The model
//! - An instruction issues at the earliest when all registers it reads are ready, and a load when the store that wrote
//!   its word, or the stores that wrote the word's parts, have issued a cycle before. Only these true dependences count: in the same cycle an instruction may overwrite
//!   what another reads or writes, because registers are read at issue and out-of-order cores rename them.
//! - At most [`Configuration::width`] instructions issue per cycle.
//! - In order: no instruction issues before its predecessor. Out of order: older instructions choose their cycles first,
//!   and an instruction may overtake any within [`Configuration::window`].
//! - [`Pipeline::Perfect`]: results are ready in the next cycle. [`Pipeline::Stalls`]: a typical five-stage pipeline with
//!   all forwarding paths, where what is loaded is ready a cycle later than other results, and one memory operation issues
//!   per cycle.
//! - [`Prediction`]: what branches, jumps and exception returns cost. The delay slot is kept: it belongs to its branch and
//!   is never held up by it.
//!
//! # What follows from it
//! Widening, predicting better or removing stalls never slows an in-order core down, and no in-order core is faster than
//! the out-of-order core of the same configuration, instruction by instruction. Out of order, choosing oldest first is
//! not optimal, and as in all list scheduling (R. L. Graham, "Bounds on Multiprocessing Timing Anomalies", 1969) a
//! stronger core can end later than a weaker one. A schedule of the weaker core is one of the stronger, so within a study
//! the shorter counts for both: limits are monotone in width, order, pipeline, prediction and window.

mod configuration;
mod in_order;
mod out_of_order;
mod stream;

use serde::{Deserialize, Serialize};
use spinach_isa::architecture::Architecture;

pub use self::configuration::{Configuration, Order, Pipeline, Prediction};
use crate::operation::OperationCache;
use crate::trace::{Filter, Instruction, TraceError, TraceReader};
use in_order::InOrder;
use out_of_order::OutOfOrder;
use stream::{Step, StepMaker};

/// Limit that a core of some configuration can reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IssueLimit {
    /// The core.
    pub configuration: Configuration,
    /// Instructions issued, of all cores of the trace together.
    pub instructions: u64,
    /// Cycles until the last issued, the sum over the cores of the trace.
    pub cycles: u64,
}

impl IssueLimit {
    /// Instructions per cycle of one core; 0 for an empty trace.
    pub fn instructions_per_cycle(&self) -> f64 {
        if self.cycles == 0 { 0.0 } else { self.instructions as f64 / self.cycles as f64 }
    }
}

/// Schedules the steps of one core.
enum Scheduler {
    InOrder(InOrder),
    OutOfOrder(OutOfOrder),
}

impl Scheduler {
    fn new(configuration: &Configuration) -> Self {
        match configuration.order {
            Order::InOrder => Self::InOrder(InOrder::new(configuration)),
            Order::OutOfOrder => Self::OutOfOrder(OutOfOrder::new(configuration)),
        }
    }

    fn issue(&mut self, steps: &[Step]) {
        match self {
            Self::InOrder(scheduler) => scheduler.issue(steps),
            Self::OutOfOrder(scheduler) => scheduler.issue(steps),
        }
    }

    fn cycles(&self) -> u64 {
        match self {
            Self::InOrder(scheduler) => scheduler.cycles(),
            Self::OutOfOrder(scheduler) => scheduler.cycles(),
        }
    }
}

/// The cores of one number in the trace: its steps waiting to be scheduled and a scheduler per configuration.
struct Core {
    maker: StepMaker,
    steps: Vec<Step>,
    schedulers: Vec<Scheduler>,
    instructions: u64,
}

/// Finds limits of several configurations from instructions as they come.
pub struct Analysis<'set, Set> {
    configurations: Vec<Configuration>,
    operations: OperationCache<'set, Set>,
    cores: Vec<Option<Core>>,
}

/// Steps are scheduled in runs of this many, so that they stay in the cache from one configuration to the next.
const RUN_STEPS: usize = 1 << 12;

impl<'set, Set: Architecture> Analysis<'set, Set> {
    /// Prepares to analyse a trace of `instruction_set`.
    pub fn new(configurations: &[Configuration], instruction_set: &'set Set) -> Self {
        Self {
            configurations: configurations.to_vec(),
            operations: OperationCache::new(instruction_set),
            cores: Vec::new(),
        }
    }

    /// Takes the next instruction. Those of one core must come in program order.
    #[inline]
    pub fn push(&mut self, instruction: &Instruction) {
        let index = usize::from(instruction.core);
        if index >= self.cores.len() {
            self.cores.resize_with(index + 1, || None);
        }
        let core = self.cores[index].get_or_insert_with(|| Core {
            maker: StepMaker::default(),
            steps: Vec::with_capacity(RUN_STEPS),
            schedulers: self.configurations.iter().map(Scheduler::new).collect(),
            instructions: 0,
        });
        core.steps.push(core.maker.step(instruction, self.operations.get(instruction.word)));
        if core.steps.len() == RUN_STEPS {
            core.flush();
        }
    }

    /// The limits, in the order of the configurations. Where a weaker core ended sooner, its schedule counts.
    pub fn finish(mut self) -> Vec<IssueLimit> {
        self.cores.iter_mut().flatten().for_each(Core::flush);
        let cores = || self.cores.iter().flatten();
        let cycles = (0..self.configurations.len()).map(|index| {
            let schedulers = cores().map(|core| &core.schedulers[index]);
            schedulers.map(Scheduler::cycles).sum::<u64>()
        });
        let found: Vec<_> = self.configurations.iter().zip(cycles).collect();
        let instructions = cores().map(|core| core.instructions).sum();
        let limits = self.configurations.iter().map(|configuration| IssueLimit {
            configuration: *configuration,
            instructions,
            cycles: found
                .iter()
                .filter(|(weaker, _)| weaker.restricts(configuration))
                .fold(u64::MAX, |cycles, (_, found)| cycles.min(*found)),
        });
        limits.collect()
    }
}

impl Core {
    fn flush(&mut self) {
        self.instructions += self.steps.len() as u64;
        self.schedulers.iter_mut().for_each(|scheduler| scheduler.issue(&self.steps));
        self.steps.clear();
    }
}

/// Finds the limits of the rest of a trace, in one pass. Each core of the trace is a separate stream.
///
/// # Errors
/// As [`TraceReader::next_group`], and [`TraceError::UnknownName`] of the filter.
pub fn issue_limits(
    reader: &mut TraceReader,
    filter: &Filter,
    instruction_set: &impl Architecture,
    configurations: &[Configuration],
) -> Result<Vec<IssueLimit>, TraceError> {
    let filter = filter.bind(reader)?;
    let mut analysis = Analysis::new(configurations, instruction_set);
    loop {
        let group = reader.next_group()?;
        if group.is_empty() {
            return Ok(analysis.finish());
        }
        group.iter().filter(|instruction| filter.takes(instruction)).for_each(|step| analysis.push(step));
    }
}
