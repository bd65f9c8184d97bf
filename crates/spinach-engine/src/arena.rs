//! Instances of one kind side by side, run in batches without dynamic dispatch inside a batch.

use std::any::TypeId;

use crate::activity::{ASLEEP, consider};
use crate::declaration::{PortBinder, Ports, Process};
use crate::ids::{Id, ModuleId};
use crate::module::{Contents, Edge, Module, Rest};
use crate::parameter::{Parameters, ResolvedParameters};
use crate::runs::{ActiveRun, Runs};
use crate::signal::Signals;
use crate::world::World;

/// One step of a schedule: an instance, the lane of its process, and which of its processes that is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Step {
    pub(crate) instance: u32,
    pub(crate) lane: u32,
    pub(crate) process: u32,
}

/// A step as it is executed: where the instance is, in bytes from the first of its kind, and the lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    offset: u32,
    lane: u32,
}

/// What a run does with each of its steps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Action {
    Settle,
    SettleAndCommit,
    Commit,
}

/// Runs those steps of a run that run. One function for each kind and each action.
pub(crate) type Execute = fn(kind: &mut dyn AnyKind, run: &ActiveRun, runs: &Runs, world: &mut World);

/// Where an instance stands in the simulation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Placement {
    /// The number of the module.
    pub(crate) module: u32,
    /// How many counters it has.
    pub(crate) counters: usize,
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
    counters: Box<[u64]>,
    number: u32,
    // For how many commits it need not be asked whether it rests, or one of the negative numbers `ASLEEP` and `OWING`. Whoever is
    // roused by others than its own commit finds that out there.
    pause: i8,
}

pub(crate) struct KindArena<M> {
    hot: Vec<Hot<M>>,
    placements: Vec<Placement>,
}

impl<M: Module> KindArena<M> {
    pub(crate) fn new() -> Self {
        Self { hot: Vec::new(), placements: Vec::new() }
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
    fn accounts_for_sleep(&self) -> bool;
    /// What executes runs of this kind.
    fn execute(&self, action: Action) -> Execute;
    fn target(&self, step: Step) -> Target;
    /// Whether the instances are of this type.
    fn is_of(&self, module: TypeId) -> bool;
    fn settle(&self, instance: u32, code: u16, lane: u32, signals: &mut Signals);
    /// Commits one instance without any regard to whether it sleeps.
    fn commit(&mut self, instance: u32, clock: u32, world: &mut World);
    fn rest(&self, instance: u32) -> Rest;
    /// Accounts for cycles in which the instance was skipped.
    fn slept(&mut self, instance: u32, since: u64, count: u64);
    /// The counters of an instance, in the order of its declaration.
    fn counters(&self, instance: u32) -> &[u64];
    fn counters_mut(&mut self, instance: u32) -> &mut [u64];
    fn save(&self, instance: u32) -> Result<Vec<u8>, String>;
    fn load(&mut self, instance: u32, bytes: &[u8]) -> Result<(), String>;
    fn state(&self, instance: u32) -> Result<serde_json::Value, String>;
    fn contents(&mut self, instance: u32) -> Option<&mut dyn Contents>;
}

impl<M: Module> KindArena<M> {
    // The arena of which `execute` gave the function that was called.
    #[inline(always)]
    fn of(kind: &mut dyn AnyKind) -> &mut Self {
        debug_assert!(kind.is_of(TypeId::of::<M>()));
        // SAFETY: a run takes its function from the kind whose number it keeps, and calls it with that kind only; kinds are
        // neither replaced nor moved to other numbers.
        unsafe { &mut *std::ptr::from_mut(kind).cast::<Self>() }
    }

    // The instance that a target of this kind tells.
    #[inline(always)]
    fn at(&mut self, target: Target) -> &mut Hot<M> {
        let offset = target.offset as usize;
        debug_assert!(
            offset.is_multiple_of(size_of::<Hot<M>>()) && offset < size_of_val(self.hot.as_slice())
        );
        // SAFETY: targets are made by `target` of the kind that runs with them, after the last instance was made.
        unsafe { &mut *self.hot.as_mut_ptr().byte_add(offset) }
    }

    fn settle_run(kind: &mut dyn AnyKind, run: &ActiveRun, _: &Runs, world: &mut World) {
        let (kind, code) = (Self::of(kind), run.code);
        for target in run.chosen() {
            kind.at(target).module.settle(code, target.lane, &mut world.signals);
        }
    }

    fn settle_and_commit_run(kind: &mut dyn AnyKind, run: &ActiveRun, runs: &Runs, world: &mut World) {
        let (kind, code, clock) = (Self::of(kind), run.code, run.clock);
        for target in run.chosen() {
            let hot = kind.at(target);
            hot.module.settle(code, target.lane, &mut world.signals);
            hot.commit_awake(clock, runs, world);
        }
    }

    fn commit_run(kind: &mut dyn AnyKind, run: &ActiveRun, runs: &Runs, world: &mut World) {
        let (kind, clock) = (Self::of(kind), run.clock);
        for target in run.chosen() {
            kind.at(target).commit_awake(clock, runs, world);
        }
    }
}

impl<M: Module> Hot<M> {
    // Commits unless it sleeps, and looks whether it may fall asleep.
    #[inline(always)]
    fn commit_awake(&mut self, clock: u32, runs: &Runs, world: &mut World) {
        if M::SLEEPS && self.pause < 0 && !self.wakes(clock, world) {
            return;
        }
        self.commit(clock, world);
        if !M::SLEEPS {
        } else if self.pause > 0 {
            self.pause -= 1;
        } else if self.pause == 0 && world.sleeping {
            self.pause = consider(world, runs, self.number, clock, self.module.rest());
        }
    }

    // Ends the sleep if something has roused the module.
    #[cold]
    #[inline(never)]
    fn wakes(&mut self, clock: u32, world: &mut World) -> bool {
        if self.pause == ASLEEP && world.activity.is_fast_asleep(self.number) {
            return false;
        }
        let (pause, skipped) = world.activity.end_sleep(self.number, clock, world.cycle);
        self.pause = pause;
        if M::ACCOUNTS_FOR_SLEEP
            && let Some((since, count)) = skipped
        {
            self.module.slept(since, count, &mut self.counters);
        }
        true
    }

    #[inline(always)]
    fn commit(&mut self, clock: u32, world: &mut World) {
        let mut edge = Edge {
            signals: &world.signals,
            payloads: &mut world.payloads,
            counters: &mut self.counters,
            cycle: world.cycle,
            time: world.time,
            clock: clock as usize,
            messages: &mut world.messages,
            module: ModuleId::from_index(self.number as usize),
        };
        self.module.commit(&mut edge);
    }
}

impl<M: Module> AnyKind for KindArena<M> {
    fn instantiate(
        &mut self,
        values: &ResolvedParameters,
        binder: &mut dyn PortBinder,
    ) -> Result<u32, String> {
        let module = M::new(M::Parameters::resolve(values)?, M::Ports::bind(binder))?;
        let instance = u32::try_from(self.hot.len()).unwrap_or(u32::MAX);
        if instance as usize >= u32::MAX as usize / size_of::<Hot<M>>() {
            return Err("there are too many modules".to_owned());
        }
        self.hot.push(Hot { module, counters: Box::default(), number: 0, pause: 0 });
        self.placements.push(Placement::default());
        Ok(instance)
    }

    fn place(&mut self, instance: u32, placement: Placement) {
        let hot = &mut self.hot[instance as usize];
        hot.number = placement.module;
        hot.counters = vec![0; placement.counters].into();
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

    fn is_of(&self, module: TypeId) -> bool {
        module == TypeId::of::<M>()
    }

    fn execute(&self, action: Action) -> Execute {
        match action {
            Action::Settle => Self::settle_run,
            Action::SettleAndCommit => Self::settle_and_commit_run,
            Action::Commit => Self::commit_run,
        }
    }

    fn target(&self, step: Step) -> Target {
        assert!((step.instance as usize) < self.hot.len(), "a step belongs to an instance");
        // `instantiate` makes no more instances than offsets of 32 bits reach.
        Target { offset: step.instance * size_of::<Hot<M>>() as u32, lane: step.lane }
    }

    fn commit(&mut self, instance: u32, clock: u32, world: &mut World) {
        self.hot[instance as usize].commit(clock, world);
    }

    fn settle(&self, instance: u32, code: u16, lane: u32, signals: &mut Signals) {
        self.hot[instance as usize].module.settle(code, lane, signals);
    }

    fn rest(&self, instance: u32) -> Rest {
        self.hot[instance as usize].module.rest()
    }

    fn slept(&mut self, instance: u32, since: u64, count: u64) {
        let hot = &mut self.hot[instance as usize];
        hot.module.slept(since, count, &mut hot.counters);
    }

    fn counters(&self, instance: u32) -> &[u64] {
        &self.hot[instance as usize].counters
    }

    fn counters_mut(&mut self, instance: u32) -> &mut [u64] {
        &mut self.hot[instance as usize].counters
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
