//! Instances of one kind side by side, run in batches without dynamic dispatch inside a batch.

use crate::declaration::{PortBinder, Ports, Process};
use crate::module::{Contents, Edge, Module, Rest};
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
}

/// Where an instance stands in the simulation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Placement {
    /// Its counters: first and number.
    pub(crate) counters: (u32, u32),
    /// The domain of each of its clocks.
    pub(crate) domains: Vec<u32>,
    /// The slots whose presence wakes it: the data of all its inputs.
    pub(crate) inputs: Vec<u32>,
    /// The slots of all its outputs.
    pub(crate) outputs: Vec<u32>,
    /// For each of its processes, the slots of the data it reads.
    pub(crate) watched: Vec<Vec<u32>>,
}

#[derive(Clone, Default)]
struct Sleeper {
    asleep: bool,
    // It has answered that it rests, and nothing was presented since.
    resting: bool,
    // The clocks (one bit each) that have settled and committed since it began to rest.
    settled: u8,
    since: u64,
    wake_cycle: u64,
}

struct Entry<M> {
    module: M,
    placement: Placement,
    sleeper: Sleeper,
}

pub(crate) struct KindArena<M> {
    entries: Vec<Entry<M>>,
}

impl<M: Module> KindArena<M> {
    pub(crate) fn new() -> Self {
        Self { entries: Vec::new() }
    }
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
    fn run(&mut self, action: Action, code: u16, clock: usize, steps: &[Step], context: &mut Context<'_>);
    fn settle(&self, instance: u32, code: u16, lane: u32, signals: &mut Signals);
    fn rest(&self, instance: u32) -> Rest;
    /// The cycle until which the instance sleeps; `None` if it is awake.
    fn sleeps_until(&self, instance: u32) -> Option<u64>;
    /// Ends sleep, accounting for all cycles before `cycle`.
    fn wake(&mut self, instance: u32, cycle: u64, counters: &mut [u64], awake: &mut [u32]);
    fn save(&self, instance: u32) -> Result<Vec<u8>, String>;
    fn load(&mut self, instance: u32, bytes: &[u8]) -> Result<(), String>;
    fn state(&self, instance: u32) -> Result<serde_json::Value, String>;
    fn contents(&mut self, instance: u32) -> Option<&mut dyn Contents>;
}

impl<M: Module> Entry<M> {
    #[inline]
    fn is_presented_to(&self, signals: &Signals) -> bool {
        self.placement.inputs.iter().any(|slot| signals.raw_present(*slot))
    }

    #[inline]
    fn settle(&self, code: u16, step: Step, signals: &mut Signals) {
        let skip = M::SLEEPS
            && self.sleeper.asleep
            && !self.placement.watched[step.process as usize].iter().any(|slot| signals.raw_present(*slot));
        if !skip {
            self.module.settle(code, step.lane, signals);
        }
    }

    #[inline]
    fn commit(&mut self, clock: usize, context: &mut Context<'_>) {
        if M::SLEEPS && self.sleeper.asleep {
            if context.cycle < self.sleeper.wake_cycle && !self.is_presented_to(context.signals) {
                return;
            }
            self.wake(context.cycle, context.counters, context.awake);
        }
        let (first, count) = self.placement.counters;
        let mut edge = Edge {
            signals: context.signals,
            payloads: context.payloads,
            counters: &mut context.counters[first as usize..(first + count) as usize],
            cycle: context.cycle,
            time: context.time,
            clock,
            stop: context.stop,
        };
        self.module.commit(&mut edge);
        if M::SLEEPS && context.sleeping {
            self.consider_sleep(clock, context);
        }
    }

    // Outputs computed in an earlier cycle stay valid only if neither state nor inputs changed since they were computed. So an
    // instance falls asleep only after each of its clocks has settled and committed once while it was resting undisturbed.
    #[inline]
    fn consider_sleep(&mut self, clock: usize, context: &mut Context<'_>) {
        let wake_cycle = match self.module.rest() {
            Rest::Busy => {
                self.sleeper.resting = false;
                return;
            }
            Rest::UntilInput => u64::MAX,
            Rest::UntilCycle(cycle) => cycle,
        };
        let was_resting = std::mem::replace(&mut self.sleeper.resting, true);
        if !was_resting || self.is_presented_to(context.signals) {
            self.sleeper.settled = 0;
            return;
        }
        self.sleeper.settled |= 1 << clock;
        let all_clocks = (1u16 << self.placement.domains.len()) - 1;
        let presents = || self.placement.outputs.iter().any(|slot| context.signals.raw_present(*slot));
        if u16::from(self.sleeper.settled) != all_clocks || wake_cycle <= context.cycle + 1 || presents() {
            return;
        }
        self.sleeper =
            Sleeper { asleep: true, resting: true, settled: 0, since: context.cycle + 1, wake_cycle };
        for domain in &self.placement.domains {
            context.awake[*domain as usize] -= 1;
        }
    }

    fn wake(&mut self, cycle: u64, counters: &mut [u64], awake: &mut [u32]) {
        if !std::mem::take(&mut self.sleeper.asleep) {
            return;
        }
        for domain in &self.placement.domains {
            awake[*domain as usize] += 1;
        }
        self.sleeper.resting = false;
        let skipped = cycle.saturating_sub(self.sleeper.since);
        // Modules with several clocks keep no account of idle cycles, because no one clock could count them.
        if skipped > 0 && self.placement.domains.len() == 1 {
            let (first, count) = self.placement.counters;
            let counters = &mut counters[first as usize..(first + count) as usize];
            self.module.slept(self.sleeper.since, skipped, counters);
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
        let instance =
            u32::try_from(self.entries.len()).map_err(|_| "there are too many modules".to_owned())?;
        self.entries.push(Entry { module, placement: Placement::default(), sleeper: Sleeper::default() });
        Ok(instance)
    }

    fn place(&mut self, instance: u32, placement: Placement) {
        self.entries[instance as usize].placement = placement;
    }

    fn placement(&self, instance: u32) -> &Placement {
        &self.entries[instance as usize].placement
    }

    fn processes(&self, instance: u32) -> Vec<Process> {
        self.entries[instance as usize].module.processes()
    }

    fn commits(&self) -> bool {
        M::COMMITS
    }

    fn sleeps(&self) -> bool {
        M::SLEEPS
    }

    fn run(&mut self, action: Action, code: u16, clock: usize, steps: &[Step], context: &mut Context<'_>) {
        match action {
            Action::Settle => {
                for step in steps {
                    self.entries[step.instance as usize].settle(code, *step, context.signals);
                }
            }
            Action::SettleAndCommit => {
                for step in steps {
                    let entry = &mut self.entries[step.instance as usize];
                    entry.settle(code, *step, context.signals);
                    entry.commit(clock, context);
                }
            }
            Action::Commit => {
                for step in steps {
                    self.entries[step.instance as usize].commit(clock, context);
                }
            }
        }
    }

    fn settle(&self, instance: u32, code: u16, lane: u32, signals: &mut Signals) {
        self.entries[instance as usize].module.settle(code, lane, signals);
    }

    fn rest(&self, instance: u32) -> Rest {
        self.entries[instance as usize].module.rest()
    }

    fn sleeps_until(&self, instance: u32) -> Option<u64> {
        let sleeper = &self.entries[instance as usize].sleeper;
        sleeper.asleep.then_some(sleeper.wake_cycle)
    }

    fn wake(&mut self, instance: u32, cycle: u64, counters: &mut [u64], awake: &mut [u32]) {
        self.entries[instance as usize].wake(cycle, counters, awake);
    }

    fn save(&self, instance: u32) -> Result<Vec<u8>, String> {
        postcard::to_stdvec(self.entries[instance as usize].module.state()).map_err(|error| error.to_string())
    }

    fn load(&mut self, instance: u32, bytes: &[u8]) -> Result<(), String> {
        let state = postcard::from_bytes(bytes).map_err(|error| error.to_string())?;
        self.entries[instance as usize].module.restore(state)
    }

    fn state(&self, instance: u32) -> Result<serde_json::Value, String> {
        serde_json::to_value(self.entries[instance as usize].module.state())
            .map_err(|error| error.to_string())
    }

    fn contents(&mut self, instance: u32) -> Option<&mut dyn Contents> {
        self.entries[instance as usize].module.contents()
    }
}
