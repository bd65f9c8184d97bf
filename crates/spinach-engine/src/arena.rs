//! Instances of one kind side by side, run in batches without dynamic dispatch inside a batch.

use crate::activity::{ASLEEP, ActiveRuns, Activity, Commit};
use crate::declaration::{PortBinder, Ports, Process};
use crate::ids::{Id, ModuleId};
use crate::module::{Contents, Edge, Module, Rest};
use crate::note::Notes;
use crate::parameter::{Parameters, ResolvedParameters};
use crate::payload::Payloads;
use crate::signal::Signals;
use crate::time::Time;

/// One step of a schedule: an instance, the lane of its process, and which of its processes that is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Step {
    pub(crate) instance: u32,
    pub(crate) lane: u32,
    pub(crate) process: u32,
}

/// What a run does with each of its steps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Action {
    Settle,
    SettleAndCommit,
    Commit,
}

/// What the modules of one batch need while they run.
pub(crate) struct Context<'a> {
    pub(crate) signals: &'a mut Signals,
    pub(crate) payloads: &'a mut Payloads,
    pub(crate) counters: &'a mut [u64],
    pub(crate) activity: &'a mut Activity,
    /// The runs of each domain.
    pub(crate) active: &'a [ActiveRuns],
    pub(crate) cycle: u64,
    pub(crate) time: Time,
    pub(crate) sleeping: bool,
    pub(crate) stop: &'a mut Option<String>,
    pub(crate) notes: &'a mut Notes,
}

/// Where an instance stands in the simulation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Placement {
    /// The number of the module.
    pub(crate) module: u32,
    /// Its counters: first and number; all instances of a kind have the same number.
    pub(crate) counters: (u32, u32),
    /// The domain of each of its clocks.
    pub(crate) domains: Vec<u32>,
    /// The slots whose presence wakes it: the data of all its inputs.
    pub(crate) inputs: Vec<u32>,
    /// The slots of all its outputs.
    pub(crate) outputs: Vec<u32>,
}

// What every cycle touches.
struct Hot<M> {
    module: M,
    number: u32,
    first_counter: u32,
    // For how many commits it need not be asked whether it rests, or `ASLEEP`. Whoever is roused by others than its own commit
    // finds that out there.
    pause: u8,
}

pub(crate) struct KindArena<M> {
    hot: Vec<Hot<M>>,
    placements: Vec<Placement>,
    // How many counters each instance has.
    counters: u32,
}

impl<M: Module> KindArena<M> {
    pub(crate) fn new() -> Self {
        Self { hot: Vec::new(), placements: Vec::new(), counters: 0 }
    }
}

// The counters of one instance. Most kinds of glue have none, and need not look for them.
#[inline(always)]
fn counters_of(counters: &mut [u64], first: u32, count: u32) -> &mut [u64] {
    if count == 0 { &mut [] } else { &mut counters[first as usize..(first + count) as usize] }
}

/// A [`KindArena`] of some kind of module.
pub(crate) trait AnyKind: Send {
    fn instantiate(
        &mut self,
        values: &ResolvedParameters,
        binder: &mut dyn PortBinder,
    ) -> Result<u32, String>;
    fn place(&mut self, instance: u32, placement: Placement);
    fn placement(&self, instance: u32) -> &Placement;
    fn processes(&self, instance: u32) -> Vec<Process>;
    fn commits(&self) -> bool;
    fn sleeps(&self) -> bool;
    fn accounts_for_sleep(&self) -> bool;
    // One function for each action, because each saves and restores only the registers that it needs, and most batches are
    // short. The bits of `chosen` say which of the steps run; there may be steps of other runs behind them.
    fn run_settle(&self, code: u16, steps: &[Step], chosen: u64, signals: &mut Signals);
    fn run_settle_and_commit(
        &mut self,
        code: u16,
        clock: u32,
        steps: &[Step],
        chosen: u64,
        context: &mut Context<'_>,
    );
    fn run_commit(&mut self, clock: u32, steps: &[Step], chosen: u64, context: &mut Context<'_>);
    // The same of one step, which is most of them.
    fn settle_one(&self, code: u16, step: Step, signals: &mut Signals);
    fn settle_and_commit_one(&mut self, code: u16, clock: u32, step: Step, context: &mut Context<'_>);
    fn commit_one(&mut self, clock: u32, step: Step, context: &mut Context<'_>);
    fn settle(&self, instance: u32, code: u16, lane: u32, signals: &mut Signals);
    fn rest(&self, instance: u32) -> Rest;
    /// Accounts for cycles in which the instance was skipped.
    fn slept(&mut self, instance: u32, since: u64, count: u64, counters: &mut [u64]);
    fn save(&self, instance: u32) -> Result<Vec<u8>, String>;
    fn load(&mut self, instance: u32, bytes: &[u8]) -> Result<(), String>;
    fn state(&self, instance: u32) -> Result<serde_json::Value, String>;
    fn contents(&mut self, instance: u32) -> Option<&mut dyn Contents>;
}

impl<M: Module> KindArena<M> {
    #[inline(always)]
    fn settle_step(&self, code: u16, step: Step, signals: &mut Signals) {
        self.hot[step.instance as usize].module.settle(code, step.lane, signals);
    }

    #[inline(always)]
    fn commit_step(&mut self, instance: u32, clock: u32, context: &mut Context<'_>) {
        let Hot { module, number, first_counter, pause } = &mut self.hot[instance as usize];
        if M::SLEEPS && *pause == ASLEEP {
            if context.activity.is_fast_asleep(*number) {
                return;
            }
            *pause = 0;
            let skipped = context.activity.end_sleep(*number, context.cycle);
            if M::ACCOUNTS_FOR_SLEEP
                && let Some((since, count)) = skipped
            {
                module.slept(since, count, counters_of(context.counters, *first_counter, self.counters));
            }
        }
        let mut edge = Edge {
            signals: context.signals,
            payloads: context.payloads,
            counters: counters_of(context.counters, *first_counter, self.counters),
            cycle: context.cycle,
            time: context.time,
            clock: clock as usize,
            stop: context.stop,
            notes: context.notes,
            module: ModuleId::from_index(*number as usize),
        };
        module.commit(&mut edge);
        if !M::SLEEPS {
        } else if *pause > 0 {
            *pause -= 1;
        } else if context.sleeping {
            let at = Commit { clock, cycle: context.cycle, time: context.time };
            *pause = context.activity.consider(*number, module.rest(), at, context.active, context.signals);
        }
    }
}

// The steps whose bits are set.
#[inline(always)]
fn chosen_steps(steps: &[Step], mut chosen: u64) -> impl Iterator<Item = Step> {
    std::iter::from_fn(move || {
        if chosen == 0 {
            return None;
        }
        let step = steps[chosen.trailing_zeros() as usize];
        chosen &= chosen - 1;
        Some(step)
    })
}

impl<M: Module> AnyKind for KindArena<M> {
    fn instantiate(
        &mut self,
        values: &ResolvedParameters,
        binder: &mut dyn PortBinder,
    ) -> Result<u32, String> {
        let module = M::new(M::Parameters::resolve(values)?, M::Ports::bind(binder))?;
        let instance = u32::try_from(self.hot.len()).map_err(|_| "there are too many modules".to_owned())?;
        self.hot.push(Hot { module, number: 0, first_counter: 0, pause: 0 });
        self.placements.push(Placement::default());
        Ok(instance)
    }

    fn place(&mut self, instance: u32, placement: Placement) {
        let hot = &mut self.hot[instance as usize];
        hot.number = placement.module;
        (hot.first_counter, self.counters) = placement.counters;
        self.placements[instance as usize] = placement;
    }

    fn placement(&self, instance: u32) -> &Placement {
        &self.placements[instance as usize]
    }

    fn processes(&self, instance: u32) -> Vec<Process> {
        self.hot[instance as usize].module.processes()
    }

    fn commits(&self) -> bool {
        M::COMMITS
    }

    fn sleeps(&self) -> bool {
        M::SLEEPS
    }

    fn accounts_for_sleep(&self) -> bool {
        M::ACCOUNTS_FOR_SLEEP
    }

    fn run_settle(&self, code: u16, steps: &[Step], chosen: u64, signals: &mut Signals) {
        for step in chosen_steps(steps, chosen) {
            self.settle_step(code, step, signals);
        }
    }

    fn run_settle_and_commit(
        &mut self,
        code: u16,
        clock: u32,
        steps: &[Step],
        chosen: u64,
        context: &mut Context<'_>,
    ) {
        for step in chosen_steps(steps, chosen) {
            self.settle_step(code, step, context.signals);
            self.commit_step(step.instance, clock, context);
        }
    }

    fn run_commit(&mut self, clock: u32, steps: &[Step], chosen: u64, context: &mut Context<'_>) {
        for step in chosen_steps(steps, chosen) {
            self.commit_step(step.instance, clock, context);
        }
    }

    fn settle_one(&self, code: u16, step: Step, signals: &mut Signals) {
        self.settle_step(code, step, signals);
    }

    fn settle_and_commit_one(&mut self, code: u16, clock: u32, step: Step, context: &mut Context<'_>) {
        self.settle_step(code, step, context.signals);
        self.commit_step(step.instance, clock, context);
    }

    fn commit_one(&mut self, clock: u32, step: Step, context: &mut Context<'_>) {
        self.commit_step(step.instance, clock, context);
    }

    fn settle(&self, instance: u32, code: u16, lane: u32, signals: &mut Signals) {
        self.hot[instance as usize].module.settle(code, lane, signals);
    }

    fn rest(&self, instance: u32) -> Rest {
        self.hot[instance as usize].module.rest()
    }

    fn slept(&mut self, instance: u32, since: u64, count: u64, counters: &mut [u64]) {
        let hot = &mut self.hot[instance as usize];
        hot.module.slept(since, count, counters_of(counters, hot.first_counter, self.counters));
    }

    fn save(&self, instance: u32) -> Result<Vec<u8>, String> {
        postcard::to_stdvec(self.hot[instance as usize].module.state()).map_err(|error| error.to_string())
    }

    fn load(&mut self, instance: u32, bytes: &[u8]) -> Result<(), String> {
        let (state, rest) = postcard::take_from_bytes(bytes).map_err(|error| error.to_string())?;
        if !rest.is_empty() {
            return Err(format!("{} bytes too many", rest.len()));
        }
        self.hot[instance as usize].module.restore(state)
    }

    fn state(&self, instance: u32) -> Result<serde_json::Value, String> {
        serde_json::to_value(self.hot[instance as usize].module.state()).map_err(|error| error.to_string())
    }

    fn contents(&mut self, instance: u32) -> Option<&mut dyn Contents> {
        self.hot[instance as usize].module.contents()
    }
}
