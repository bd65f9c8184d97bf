//! Instances of one kind side by side, run in batches without dynamic dispatch inside a batch.

use std::any::Any;
use std::cell::UnsafeCell;
use std::ptr::NonNull;

use super::acting::Acting;
use super::batches::{ActiveBatch, Batches, Executable, Execute, Instances, Target};
use super::world::World;
use crate::contract::declaration::{PortBinder, Ports, Process};
use crate::contract::parameter::{Parameters, ResolvedParameters};
use crate::contract::{
    Contents, Edge, Idle, Instance, JointValue, LeafVisitor, Leap, Lender, Module, Outlook, Outside, Passage,
    Reach, Signals, walk,
};
use crate::elaborating::{Action, Actors, Kind, Placement, Step};

pub(crate) struct KindArena<M> {
    // Cells, for batches reach them past this arena.
    hot: Vec<UnsafeCell<Instance<M>>>,
    placements: Vec<Placement>,
}

impl<M: Module> KindArena<M> {
    pub(crate) fn new() -> Self {
        Self { hot: Vec::new(), placements: Vec::new() }
    }
}

/// All instances of one kind of module or fusion.
pub(crate) trait Runner: Actors + Executable + Send {
    fn accounts_for_sleep(&self) -> bool;
    fn evaluate(&self, instance: u32, code: u16, lane: u32, signals: &mut Signals);
    fn rest(&self, instance: u32) -> Idle;
    /// Accounts for cycles in which the instance was skipped.
    fn slept(&mut self, instance: u32, since: u64, count: u64);
    /// Records that the instance may have been changed from outside.
    fn note_change(&mut self, instance: u32) {
        let _ = instance;
    }
}

/// A [`KindArena`] of some kind of module.
pub(crate) trait AnyKind: Kind + Runner {
    /// Commits one instance, asleep or not.
    fn commit(&mut self, instance: u32, clock: u32, world: &mut World);
    /// Itself, for users of its type.
    fn as_any(&self) -> &dyn Any;
    /// The counters of an instance, in the order of its declaration.
    fn counters(&self, instance: u32) -> &[u64];
    fn counters_mut(&mut self, instance: u32) -> &mut [u64];
    /// True if instances can predict their behaviour.
    fn repeats(&self) -> bool;
    fn outlook(&self, instance: u32, outlook: &mut Outlook) -> Option<u64>;
    fn outlook_hash(&self, instance: u32) -> u64;
    fn begin_period(&mut self, instance: u32, cycles: u64, advances: &[u64]);
    fn repeatable(&self, instance: u32) -> u64;
    fn leap(&mut self, instance: u32, leap: Leap);
    fn save(&self, instance: u32) -> Result<Vec<u8>, String>;
    fn load(&mut self, instance: u32, bytes: &[u8]) -> Result<(), String>;
    fn state(&self, instance: u32) -> Result<serde_json::Value, String>;
    fn walk_state(&self, instance: u32, visitor: &mut dyn LeafVisitor) -> Result<(), String>;
    fn line(&self, instance: u32) -> Option<String>;
    fn contents(&mut self, instance: u32) -> Option<&mut dyn Contents>;
    fn outside(&mut self, instance: u32) -> Option<&mut dyn Outside>;
    fn ask(&mut self, instance: u32, request: &mut dyn Any);
    fn arrive(&mut self, instance: u32, cycle: u64, departure: JointValue);
    fn lookahead(&self, instance: u32) -> u64;
    fn passages(&self, instance: u32, port: usize, lane: usize) -> Vec<Passage>;
    fn reaches(&self, instance: u32) -> Vec<usize>;
    fn attach(&mut self, instance: u32, reach: &Reach<'_>);
    /// Instance as a lender of its memory; valid as long as no more instances are made.
    fn lender(&self, instance: u32) -> Lender;
}

impl<M: Module> KindArena<M> {
    /// Pointer to an instance; valid as long as no more instances are made.
    pub(super) fn pointer(&self, instance: u32) -> NonNull<Instance<M>> {
        let cell = &self.hot[instance as usize];
        // SAFETY: a cell is somewhere.
        unsafe { NonNull::new_unchecked(cell.get()) }
    }

    pub(super) fn module(&self, instance: u32) -> &M {
        &self.hot(instance).module
    }

    fn hot(&self, instance: u32) -> &Instance<M> {
        // SAFETY: this is borrowed for as long as what is returned, and batches execute only while no kind is borrowed.
        unsafe { &*self.hot[instance as usize].get() }
    }

    fn hot_mut(&mut self, instance: u32) -> &mut Instance<M> {
        // SAFETY: as above.
        unsafe { &mut *self.hot[instance as usize].get() }
    }

    // SAFETY: see `Execute`.
    unsafe fn evaluate_batch(batch: &ActiveBatch, _: &Batches, world: &mut World) {
        let (code, instances) = (batch.code, batch.instances);
        for target in batch.chosen() {
            // SAFETY: the caller's.
            let hot = unsafe { &mut *at::<Instance<M>>(instances, target) };
            hot.module.evaluate(code, target.lane, &mut world.signals);
        }
    }

    // SAFETY: see `Execute`.
    unsafe fn evaluate_and_commit_batch(batch: &ActiveBatch, batches: &Batches, world: &mut World) {
        let (code, clock, instances) = (batch.code, batch.clock, batch.instances);
        for target in batch.chosen() {
            // SAFETY: the caller's.
            let hot = unsafe { &mut *at::<Instance<M>>(instances, target) };
            hot.module.evaluate(code, target.lane, &mut world.signals);
            hot.commit_awake(clock, batches, world);
        }
    }

    // SAFETY: see `Execute`.
    unsafe fn commit_batch(batch: &ActiveBatch, batches: &Batches, world: &mut World) {
        let (clock, instances) = (batch.clock, batch.instances);
        for target in batch.chosen() {
            // SAFETY: the caller's.
            let hot = unsafe { &mut *at::<Instance<M>>(instances, target) };
            hot.commit_awake(clock, batches, world);
        }
    }
}

impl<M: Module> Instance<M> {
    // SAFETY: `instance` is one of these, and not borrowed meanwhile.
    unsafe fn lend(instance: NonNull<()>, loan: &mut dyn Any) {
        // SAFETY: the caller's.
        let hot = unsafe { &mut *instance.as_ptr().cast::<Self>() };
        hot.module.lend(loan, &mut hot.counters);
    }
}

// The instance that a target of a batch tells. Targets are made by `target` of the kind whose `instances` the batch has, both after
// the last instance was made; so it is inside.
#[inline(always)]
pub(super) fn at<I>(instances: Instances, target: Target) -> *mut I {
    instances.0.as_ptr().wrapping_byte_add(target.offset as usize).cast()
}

impl<M: Module> Acting for Instance<M> {
    const SLEEPS: bool = M::SLEEPS;
    const ACCOUNTS_FOR_SLEEP: bool = M::ACCOUNTS_FOR_SLEEP;

    #[inline(always)]
    fn number(&self) -> u32 {
        self.number
    }

    #[inline(always)]
    fn pause(&mut self) -> &mut i8 {
        &mut self.pause
    }

    #[inline(always)]
    fn commit(&mut self, clock: u32, world: &mut World) {
        let mut edge = Edge {
            signals: &world.signals,
            counters: &mut self.counters,
            clock,
            module: self.number,
            context: &mut world.context,
        };
        self.module.commit(&mut edge);
    }

    #[inline(always)]
    fn idle(&self) -> Idle {
        self.module.idle()
    }

    #[inline(always)]
    fn outputs_are_set(&self, signals: &Signals) -> bool {
        self.module.outputs_are_set(signals)
    }

    fn slept(&mut self, since: u64, count: u64) {
        self.module.slept(since, count, &mut self.counters);
    }
}

impl<M: Module> Actors for KindArena<M> {
    fn placement(&self, instance: u32) -> &Placement {
        &self.placements[instance as usize]
    }

    fn commits(&self) -> bool {
        M::COMMITS
    }

    fn sleeps(&self) -> bool {
        M::SLEEPS
    }

    fn reaches_others(&self, instance: u32) -> bool {
        !self.hot(instance).module.reaches().is_empty()
    }
}

impl<M: Module> Kind for KindArena<M> {
    fn instantiate(
        &mut self,
        values: &ResolvedParameters,
        binder: &mut dyn PortBinder,
    ) -> Result<u32, String> {
        let module = M::new(M::Parameters::resolve(values)?, M::Ports::bind(binder))?;
        let instance = u32::try_from(self.hot.len()).unwrap_or(u32::MAX);
        if instance as usize >= u32::MAX as usize / size_of::<Instance<M>>() {
            return Err("there are too many modules".to_owned());
        }
        self.hot.push(UnsafeCell::new(Instance { module, counters: Box::default(), number: 0, pause: 0 }));
        self.placements.push(Placement::default());
        Ok(instance)
    }

    fn place(&mut self, instance: u32, placement: Placement) {
        let hot = self.hot_mut(instance);
        hot.number = placement.module;
        hot.counters = vec![0; placement.counters].into();
        self.placements[instance as usize] = placement;
    }

    fn processes(&self, instance: u32) -> Vec<Process> {
        self.hot(instance).module.processes()
    }
}

impl<M: Module> Executable for KindArena<M> {
    fn execute(&self, action: Action) -> Execute {
        match action {
            Action::Evaluate => Self::evaluate_batch,
            Action::EvaluateAndCommit => Self::evaluate_and_commit_batch,
            Action::Commit => Self::commit_batch,
        }
    }

    fn instances(&self) -> Instances {
        Instances(NonNull::from(self.hot.as_slice()).cast())
    }

    fn target(&self, step: Step) -> Target {
        assert!((step.instance as usize) < self.hot.len(), "a step belongs to an instance");
        // `instantiate` makes no more instances than offsets of 32 bits reach.
        Target { offset: step.instance * size_of::<Instance<M>>() as u32, lane: step.lane }
    }
}

impl<M: Module> Runner for KindArena<M> {
    fn accounts_for_sleep(&self) -> bool {
        M::ACCOUNTS_FOR_SLEEP
    }

    fn evaluate(&self, instance: u32, code: u16, lane: u32, signals: &mut Signals) {
        self.hot(instance).module.evaluate(code, lane, signals);
    }

    fn rest(&self, instance: u32) -> Idle {
        self.hot(instance).module.idle()
    }

    fn slept(&mut self, instance: u32, since: u64, count: u64) {
        let hot = self.hot_mut(instance);
        hot.module.slept(since, count, &mut hot.counters);
    }
}

impl<M: Module> AnyKind for KindArena<M> {
    fn commit(&mut self, instance: u32, clock: u32, world: &mut World) {
        self.hot_mut(instance).commit(clock, world);
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn counters(&self, instance: u32) -> &[u64] {
        &self.hot(instance).counters
    }

    fn counters_mut(&mut self, instance: u32) -> &mut [u64] {
        &mut self.hot_mut(instance).counters
    }

    fn repeats(&self) -> bool {
        M::SLEEPS && M::REPEATS
    }

    fn outlook(&self, instance: u32, outlook: &mut Outlook) -> Option<u64> {
        let hot = self.hot(instance);
        hot.module.outlook(&hot.counters, outlook)
    }

    fn outlook_hash(&self, instance: u32) -> u64 {
        self.hot(instance).module.outlook_hash()
    }

    fn begin_period(&mut self, instance: u32, cycles: u64, advances: &[u64]) {
        self.hot_mut(instance).module.begin_period(cycles, advances);
    }

    fn repeatable(&self, instance: u32) -> u64 {
        self.hot(instance).module.repeatable()
    }

    fn leap(&mut self, instance: u32, leap: Leap) {
        self.hot_mut(instance).module.leap(leap);
    }

    fn save(&self, instance: u32) -> Result<Vec<u8>, String> {
        let module = &self.hot(instance).module;
        module.obstacle_to_saving().map_or(Ok(()), Err)?;
        postcard::to_stdvec(module.state()).map_err(|error| error.to_string())
    }

    fn load(&mut self, instance: u32, bytes: &[u8]) -> Result<(), String> {
        let (state, rest) = postcard::take_from_bytes(bytes).map_err(|error| error.to_string())?;
        if !rest.is_empty() {
            return Err(format!("{} bytes too many", rest.len()));
        }
        self.hot_mut(instance).module.restore(state)
    }

    fn walk_state(&self, instance: u32, visitor: &mut dyn LeafVisitor) -> Result<(), String> {
        walk(self.hot(instance).module.state(), visitor)
    }

    fn line(&self, instance: u32) -> Option<String> {
        self.hot(instance).module.line()
    }

    fn state(&self, instance: u32) -> Result<serde_json::Value, String> {
        serde_json::to_value(self.hot(instance).module.state()).map_err(|error| error.to_string())
    }

    fn contents(&mut self, instance: u32) -> Option<&mut dyn Contents> {
        self.hot_mut(instance).module.contents()
    }

    fn outside(&mut self, instance: u32) -> Option<&mut dyn Outside> {
        self.hot_mut(instance).module.outside()
    }

    fn ask(&mut self, instance: u32, request: &mut dyn Any) {
        self.hot_mut(instance).module.ask(request);
    }

    fn arrive(&mut self, instance: u32, cycle: u64, departure: JointValue) {
        self.hot_mut(instance).module.arrive(cycle, departure);
    }

    fn lookahead(&self, instance: u32) -> u64 {
        self.hot(instance).module.lookahead()
    }

    fn passages(&self, instance: u32, port: usize, lane: usize) -> Vec<Passage> {
        self.hot(instance).module.passages(port, lane)
    }

    fn reaches(&self, instance: u32) -> Vec<usize> {
        self.hot(instance).module.reaches()
    }

    fn attach(&mut self, instance: u32, reach: &Reach<'_>) {
        self.hot_mut(instance).module.attach(reach);
    }

    fn lender(&self, instance: u32) -> Lender {
        assert!((instance as usize) < self.hot.len(), "a lender is an instance");
        let Instances(first) = self.instances();
        // SAFETY: the instance is inside.
        let instance = unsafe { first.cast::<Instance<M>>().add(instance as usize) };
        Lender { instance: instance.cast(), lend: Instance::<M>::lend }
    }
}
