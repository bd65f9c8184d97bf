//! Instances of one kind side by side, run in batches without dynamic dispatch inside a batch.

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
    /// For each domain, how many modules that can sleep do not.
    pub(crate) awake: &'a mut [u32],
    pub(crate) cycle: u64,
    pub(crate) time: Time,
    pub(crate) sleeping: bool,
    pub(crate) stop: &'a mut Option<String>,
    pub(crate) notes: &'a mut Notes,
}

/// Where an instance stands in the simulation; looked at only when modules sleep.
#[derive(Clone, Debug, Default)]
pub(crate) struct Placement {
    /// Which module of the design it is.
    pub(crate) module: u32,
    /// Its counters: first and number; all instances of a kind have the same number.
    pub(crate) counters: (u32, u32),
    /// The domain of each of its clocks.
    pub(crate) domains: Vec<u32>,
    /// The slots whose presence wakes it: the data of all its inputs.
    pub(crate) inputs: Vec<u32>,
    /// The slots of all its outputs.
    pub(crate) outputs: Vec<u32>,
    /// For each of its processes, the slots of the data it reads. `None` if it also reads an acknowledgement, which may
    /// change while the module sleeps.
    pub(crate) watched: Vec<Option<Vec<u32>>>,
}

impl Placement {
    fn is_presented_to(&self, signals: &Signals) -> bool {
        self.inputs.iter().any(|slot| signals.raw_present(*slot))
    }

    fn presents(&self, signals: &Signals) -> bool {
        self.outputs.iter().any(|slot| signals.raw_present(*slot))
    }

    // Whether what `process` drives is the same as when the module fell asleep.
    fn is_undisturbed(&self, process: u32, signals: &Signals) -> bool {
        let watched = self.watched[process as usize].as_ref();
        watched.is_some_and(|slots| !slots.iter().any(|slot| signals.raw_present(*slot)))
    }
}

#[derive(Clone, Default)]
struct Sleeper {
    asleep: bool,
    // It has answered that it rests, and nothing happened to it since `rest_time`.
    resting: bool,
    rest_time: Time,
    // The clocks (one bit each) that have settled and committed since.
    settled: u8,
    since: u64,
    // What it answered last: the cycle whose commit it waits for.
    wake_cycle: u64,
    // Someone looks at its counters in every cycle.
    pinned: bool,
}

// What every cycle touches.
struct Hot<M> {
    module: M,
    first_counter: u32,
    id: ModuleId,
}

pub(crate) struct KindArena<M> {
    hot: Vec<Hot<M>>,
    placements: Vec<Placement>,
    sleepers: Vec<Sleeper>,
    // How many counters each instance has.
    counters: u32,
}

impl<M: Module> KindArena<M> {
    pub(crate) fn new() -> Self {
        Self { hot: Vec::new(), placements: Vec::new(), sleepers: Vec::new(), counters: 0 }
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
    // One function for each action, because each saves and restores only the registers that it needs, and most batches are short.
    fn run_settle(&self, code: u16, steps: &[Step], signals: &mut Signals);
    fn run_settle_and_commit(&mut self, code: u16, clock: u32, steps: &[Step], context: &mut Context<'_>);
    fn run_commit(&mut self, clock: u32, steps: &[Step], context: &mut Context<'_>);
    fn settle(&self, instance: u32, code: u16, lane: u32, signals: &mut Signals);
    fn rest(&self, instance: u32) -> Rest;
    /// The cycle until which the instance sleeps; `None` if it is awake.
    fn sleeps_until(&self, instance: u32) -> Option<u64>;
    /// Ends sleep, accounting for all cycles before `cycle`.
    fn wake(&mut self, instance: u32, cycle: u64, counters: &mut [u64], awake: &mut [u32]);
    /// Accounts for cycles in which the instance was skipped.
    fn slept(&mut self, instance: u32, since: u64, count: u64, counters: &mut [u64]);
    /// While pinned, an instance that is awake does not fall asleep.
    fn pin(&mut self, instance: u32, pinned: bool);
    fn save(&self, instance: u32) -> Result<Vec<u8>, String>;
    fn load(&mut self, instance: u32, bytes: &[u8]) -> Result<(), String>;
    fn state(&self, instance: u32) -> Result<serde_json::Value, String>;
    fn contents(&mut self, instance: u32) -> Option<&mut dyn Contents>;
}

impl<M: Module> KindArena<M> {
    #[inline(always)]
    fn settle_step(&self, code: u16, step: Step, signals: &mut Signals) {
        let instance = step.instance as usize;
        let skip = M::SLEEPS
            && self.sleepers[instance].asleep
            && self.placements[instance].is_undisturbed(step.process, signals);
        if !skip {
            self.hot[instance].module.settle(code, step.lane, signals);
        }
    }

    #[inline(always)]
    fn commit_step(&mut self, instance: u32, clock: u32, context: &mut Context<'_>) {
        if M::SLEEPS && self.sleepers[instance as usize].asleep {
            let is_presented_to = self.placements[instance as usize].is_presented_to(context.signals);
            if context.cycle < self.sleepers[instance as usize].wake_cycle && !is_presented_to {
                return;
            }
            self.wake(instance, context.cycle, context.counters, context.awake);
        }
        let Hot { module, first_counter, id } = &mut self.hot[instance as usize];
        let mut edge = Edge {
            signals: context.signals,
            payloads: context.payloads,
            counters: counters_of(context.counters, *first_counter, self.counters),
            cycle: context.cycle,
            time: context.time,
            clock: clock as usize,
            stop: context.stop,
            notes: context.notes,
            module: *id,
        };
        module.commit(&mut edge);
        if M::SLEEPS && context.sleeping {
            self.consider_sleep(instance as usize, clock, context);
        }
    }

    // Outputs computed in an earlier cycle stay valid only if neither state nor inputs changed since they were computed. So an
    // instance falls asleep only after each of its clocks has settled and committed once, later than the last moment at which
    // its state can have changed.
    fn consider_sleep(&mut self, instance: usize, clock: u32, context: &mut Context<'_>) {
        let (placement, sleeper) = (&self.placements[instance], &mut self.sleepers[instance]);
        let clocks = placement.domains.len();
        let wake_cycle = match self.hot[instance].module.rest() {
            Rest::UntilInput => u64::MAX,
            // With several clocks it would not be clear whose cycle is meant.
            Rest::UntilCycle(cycle) if clocks == 1 => cycle,
            Rest::Busy | Rest::UntilCycle(_) => {
                sleeper.resting = false;
                return;
            }
        };
        let was_due = context.cycle >= std::mem::replace(&mut sleeper.wake_cycle, wake_cycle);
        let was_resting = std::mem::replace(&mut sleeper.resting, true);
        let signals = &*context.signals;
        if !was_resting || was_due || placement.is_presented_to(signals) || placement.presents(signals) {
            (sleeper.settled, sleeper.rest_time) = (0, context.time);
            return;
        }
        if context.time > sleeper.rest_time {
            sleeper.settled |= 1 << clock;
        }
        let all_clocks = (1u16 << clocks) - 1;
        if u16::from(sleeper.settled) != all_clocks || wake_cycle <= context.cycle + 1 || sleeper.pinned {
            return;
        }
        (sleeper.asleep, sleeper.since) = (true, context.cycle + 1);
        for domain in &placement.domains {
            context.awake[*domain as usize] -= 1;
        }
    }
}

impl<M: Module> AnyKind for KindArena<M> {
    fn instantiate(
        &mut self,
        values: &ResolvedParameters,
        binder: &mut dyn PortBinder,
    ) -> Result<u32, String> {
        let module = M::new(M::Parameters::resolve(values)?, M::Ports::bind(binder))?;
        let instance = u32::try_from(self.hot.len()).map_err(|_| "there are too many modules".to_owned())?;
        self.hot.push(Hot { module, first_counter: 0, id: ModuleId::from_index(0) });
        self.placements.push(Placement::default());
        self.sleepers.push(Sleeper::default());
        Ok(instance)
    }

    fn place(&mut self, instance: u32, placement: Placement) {
        (self.hot[instance as usize].first_counter, self.counters) = placement.counters;
        self.hot[instance as usize].id = ModuleId::from_index(placement.module as usize);
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

    fn run_settle(&self, code: u16, steps: &[Step], signals: &mut Signals) {
        for step in steps {
            self.settle_step(code, *step, signals);
        }
    }

    fn run_settle_and_commit(&mut self, code: u16, clock: u32, steps: &[Step], context: &mut Context<'_>) {
        for step in steps {
            self.settle_step(code, *step, context.signals);
            self.commit_step(step.instance, clock, context);
        }
    }

    fn run_commit(&mut self, clock: u32, steps: &[Step], context: &mut Context<'_>) {
        for step in steps {
            self.commit_step(step.instance, clock, context);
        }
    }

    fn settle(&self, instance: u32, code: u16, lane: u32, signals: &mut Signals) {
        self.hot[instance as usize].module.settle(code, lane, signals);
    }

    fn rest(&self, instance: u32) -> Rest {
        self.hot[instance as usize].module.rest()
    }

    fn sleeps_until(&self, instance: u32) -> Option<u64> {
        let sleeper = &self.sleepers[instance as usize];
        sleeper.asleep.then_some(sleeper.wake_cycle)
    }

    fn wake(&mut self, instance: u32, cycle: u64, counters: &mut [u64], awake: &mut [u32]) {
        let (placement, sleeper) =
            (&self.placements[instance as usize], &mut self.sleepers[instance as usize]);
        sleeper.resting = false;
        if !std::mem::take(&mut sleeper.asleep) {
            return;
        }
        for domain in &placement.domains {
            awake[*domain as usize] += 1;
        }
        let (since, skipped) = (sleeper.since, cycle.saturating_sub(sleeper.since));
        // Modules with several clocks keep no account of idle cycles, because no one clock could count them.
        if skipped > 0 && placement.domains.len() == 1 {
            self.slept(instance, since, skipped, counters);
        }
    }

    fn slept(&mut self, instance: u32, since: u64, count: u64, counters: &mut [u64]) {
        let hot = &mut self.hot[instance as usize];
        hot.module.slept(since, count, counters_of(counters, hot.first_counter, self.counters));
    }

    fn pin(&mut self, instance: u32, pinned: bool) {
        self.sleepers[instance as usize].pinned = pinned;
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
