//! Fused modules, side by side, run in batches as single modules are.

use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::ptr::NonNull;

use super::acting::Acting;
use super::arena::{AnyKind, KindArena, Runner, at};
use super::batches::{ActiveBatch, Batches, Executable, Execute, Instances, Target};
use super::world::World;
use crate::contract::{
    CompanionPorts, Followers, FollowersMut, FusedEdge, FusedProcess, Fusion, Idle, Instance, Member, Module,
    Signals,
};
use crate::elaborating::{Action, Actors, Placement, Step};

/// All fusions of one sort.
pub(crate) trait AnyFusion: Runner {
    /// The ports of a leader, an output and an input, whose lanes lead to followers.
    fn leader_ports(&self) -> (usize, usize);
    /// The ports of a follower that these lanes lead to.
    fn follower_ports(&self) -> (usize, usize);
    /// True if a follower has several lanes, all of which lead to the leader.
    fn shares_lanes(&self) -> bool;
    /// The ports that join leader and companion, if there is a companion.
    fn companion_ports(&self) -> Option<CompanionPorts>;
    /// True if an instance can be the companion of a leader.
    fn admits_companion(&self, leader: Place<'_>, companion: Place<'_>) -> bool;
    /// True if an instance can follow a companion at one of its lanes.
    fn admits_beyond(&self, companion: Place<'_>, lane: usize, follower: Place<'_>) -> bool;
    /// True if an instance of a kind can lead.
    fn leads(&self, kind: &dyn AnyKind) -> bool;
    /// True if an instance can follow a leader at one of its lanes.
    fn admits(&self, leader: Place<'_>, lane: usize, follower: Place<'_>) -> bool;
    /// Makes one of a leader and the followers at some lanes, which it admits; its number, and its processes, `finely` or not.
    fn join(
        &mut self,
        leader: Place<'_>,
        followers: &[(usize, Place<'_>)],
        companion: Option<Place<'_>>,
        finely: bool,
    ) -> Option<(u32, Vec<FusedProcess>)>;
    /// Sets the placement of a fusion.
    fn place(&mut self, instance: u32, placement: Placement);
    /// Sets the channels inside of each fusion to their values without fusion.
    fn reveal(&self, signals: &mut Signals);
    /// Adds the actors whose members are not as they are after the last edge.
    fn add_ahead(&self, actors: &mut Vec<u32>);
    /// Ends running ahead; see [`Fusion::settle`].
    fn settle(&mut self, world: &mut World);
    /// Records that members of all may have been changed from outside.
    fn note_changes(&mut self);
}

/// An instance of a kind of module.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) kind: &'a dyn AnyKind,
    pub(crate) instance: u32,
}

impl<'a> Place<'a> {
    fn arena<M: Module>(self) -> Option<&'a KindArena<M>> {
        self.kind.as_any().downcast_ref()
    }

    fn module<M: Module>(self) -> Option<&'a M> {
        Some(self.arena()?.module(self.instance))
    }

    fn pointer<M: Module>(self) -> Option<NonNull<Instance<M>>> {
        Some(self.arena()?.pointer(self.instance))
    }
}

/// A fusion and its members.
///
/// Members belong to the arenas of their kinds, which the simulation keeps for as long as this. Only the fusion runs them, and a
/// kind is borrowed for inspection or change of a member only between edges, while no fusion runs.
struct Fused<F: Fusion> {
    fusion: F,
    leader: NonNull<Instance<F::Leader>>,
    followers: Box<[NonNull<Instance<F::Follower>>]>,
    companion: Option<NonNull<Instance<F::Companion>>>,
    number: u32,
    // As of an `Instance`.
    pause: i8,
}

/// A fusion, its leader, and the others.
type Members<'a, F> = (
    &'a mut F,
    Member<'a, <F as Fusion>::Leader>,
    FollowersMut<'a, <F as Fusion>::Follower, <F as Fusion>::Companion>,
);

// SAFETY: modules may go to another thread, and a simulation goes there as a whole, with the kinds that the pointers lead to.
unsafe impl<F: Fusion> Send for Fused<F> {}

/// All fusions of one sort.
pub(crate) struct FusionArena<F: Fusion> {
    // Cells, for batches reach them past this arena.
    fused: Vec<UnsafeCell<Fused<F>>>,
    placements: Vec<Placement>,
    sort: PhantomData<F>,
}

impl<F: Fusion> FusionArena<F> {
    pub(crate) fn new() -> Self {
        Self { fused: Vec::new(), placements: Vec::new(), sort: PhantomData }
    }

    fn fused(&self, instance: u32) -> &Fused<F> {
        // SAFETY: this is borrowed for as long as what is returned, and batches execute only while no fusion is borrowed.
        unsafe { &*self.fused[instance as usize].get() }
    }

    fn fused_mut(&mut self, instance: u32) -> &mut Fused<F> {
        // SAFETY: as above.
        unsafe { &mut *self.fused[instance as usize].get() }
    }

    // SAFETY: see `Execute`.
    unsafe fn evaluate_batch(batch: &ActiveBatch, _: &Batches, world: &mut World) {
        let (code, instances) = (batch.code, batch.instances);
        for target in batch.chosen() {
            // SAFETY: the caller's.
            let fused = unsafe { &mut *at::<Fused<F>>(instances, target) };
            fused.evaluate(code, &mut world.signals);
        }
    }

    // SAFETY: see `Execute`.
    unsafe fn evaluate_and_commit_batch(batch: &ActiveBatch, batches: &Batches, world: &mut World) {
        let (code, clock, instances) = (batch.code, batch.clock, batch.instances);
        for target in batch.chosen() {
            // SAFETY: the caller's.
            let fused = unsafe { &mut *at::<Fused<F>>(instances, target) };
            fused.evaluate(code, &mut world.signals);
            fused.commit_awake(clock, batches, world);
        }
    }

    // SAFETY: see `Execute`.
    unsafe fn commit_batch(batch: &ActiveBatch, batches: &Batches, world: &mut World) {
        let (clock, instances) = (batch.clock, batch.instances);
        for target in batch.chosen() {
            // SAFETY: the caller's.
            let fused = unsafe { &mut *at::<Fused<F>>(instances, target) };
            fused.commit_awake(clock, batches, world);
        }
    }
}

impl<F: Fusion> Fused<F> {
    #[inline(always)]
    fn leader(&self) -> &F::Leader {
        // SAFETY: nothing mutates it during this borrow; see `Fused`.
        unsafe { &self.leader.as_ref().module }
    }

    #[inline(always)]
    fn followers(&self) -> Followers<'_, F::Follower, F::Companion> {
        // SAFETY: as above.
        unsafe { Followers::new(&self.followers, self.companion) }
    }

    // The fusion and its members, to be changed.
    #[inline(always)]
    fn members(&mut self) -> Members<'_, F> {
        let Self { fusion, leader, followers, companion, .. } = self;
        // SAFETY: access is exclusive during this borrow, and they are distinct instances; see `Fused`.
        unsafe { (fusion, Member::of(leader.as_mut()), FollowersMut::new(followers, *companion)) }
    }

    #[inline(always)]
    fn evaluate(&self, code: u16, signals: &mut Signals) {
        self.fusion.evaluate(code, self.leader(), self.followers(), signals);
    }
}

impl<F: Fusion> Acting for Fused<F> {
    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = F::ACCOUNTS_FOR_SLEEP;

    #[inline(always)]
    fn number(&self) -> u32 {
        self.number
    }

    #[inline(always)]
    fn pause(&mut self) -> &mut i8 {
        &mut self.pause
    }

    #[inline(always)]
    fn commit(&mut self, _: u32, world: &mut World) {
        let (fusion, leader, followers) = self.members();
        let edge = FusedEdge { signals: &world.signals, context: &mut world.context };
        fusion.commit(leader, followers, edge);
    }

    #[inline(always)]
    fn idle(&self) -> Idle {
        self.fusion.idle(self.leader(), self.followers())
    }

    #[inline(always)]
    fn begins_to_rest(&self) -> bool {
        self.fusion.begins_to_rest()
    }

    fn slept(&mut self, since: u64, count: u64) {
        let (fusion, leader, followers) = self.members();
        fusion.slept(leader, followers, since, count);
    }
}

impl<F: Fusion> Actors for FusionArena<F> {
    fn placement(&self, instance: u32) -> &Placement {
        &self.placements[instance as usize]
    }

    fn commits(&self) -> bool {
        true
    }

    fn sleeps(&self) -> bool {
        true
    }

    // Modules with direct memory access are never fused.
    fn reaches_others(&self, _: u32) -> bool {
        false
    }
}

impl<F: Fusion> Executable for FusionArena<F> {
    fn execute(&self, action: Action) -> Execute {
        match action {
            Action::Evaluate => Self::evaluate_batch,
            Action::EvaluateAndCommit => Self::evaluate_and_commit_batch,
            Action::Commit => Self::commit_batch,
        }
    }

    fn instances(&self) -> Instances {
        Instances(NonNull::from(self.fused.as_slice()).cast())
    }

    fn target(&self, step: Step) -> Target {
        assert!((step.instance as usize) < self.fused.len(), "a step belongs to an instance");
        // There are no more than leaders, which offsets of 32 bits reach although they are not smaller.
        Target { offset: step.instance * size_of::<Fused<F>>() as u32, lane: step.lane }
    }
}

impl<F: Fusion> Runner for FusionArena<F> {
    fn accounts_for_sleep(&self) -> bool {
        F::ACCOUNTS_FOR_SLEEP
    }

    fn evaluate(&self, instance: u32, code: u16, _: u32, signals: &mut Signals) {
        self.fused(instance).evaluate(code, signals);
    }

    fn rest(&self, instance: u32) -> Idle {
        self.fused(instance).idle()
    }

    fn slept(&mut self, instance: u32, since: u64, count: u64) {
        self.fused_mut(instance).slept(since, count);
    }

    fn note_change(&mut self, instance: u32) {
        self.fused_mut(instance).fusion.note_change();
    }
}

impl<F: Fusion> AnyFusion for FusionArena<F> {
    fn leader_ports(&self) -> (usize, usize) {
        F::LEADER_PORTS
    }

    fn follower_ports(&self) -> (usize, usize) {
        F::FOLLOWER_PORTS
    }

    fn shares_lanes(&self) -> bool {
        F::SHARES_LANES
    }

    fn companion_ports(&self) -> Option<CompanionPorts> {
        F::COMPANION_PORTS
    }

    fn admits_companion(&self, leader: Place<'_>, companion: Place<'_>) -> bool {
        let both = leader.module().zip(companion.module());
        both.is_some_and(|(leader, companion)| F::admits_companion(leader, companion))
    }

    fn admits_beyond(&self, companion: Place<'_>, lane: usize, follower: Place<'_>) -> bool {
        let both = companion.module().zip(follower.module());
        both.is_some_and(|(companion, follower)| F::admits_beyond(companion, lane, follower))
    }

    fn leads(&self, kind: &dyn AnyKind) -> bool {
        kind.as_any().is::<KindArena<F::Leader>>()
    }

    fn admits(&self, leader: Place<'_>, lane: usize, follower: Place<'_>) -> bool {
        let both = leader.module().zip(follower.module());
        both.is_some_and(|(leader, follower)| F::admits(leader, lane, follower))
    }

    fn join(
        &mut self,
        leader: Place<'_>,
        followers: &[(usize, Place<'_>)],
        companion: Option<Place<'_>>,
        finely: bool,
    ) -> Option<(u32, Vec<FusedProcess>)> {
        let instance = u32::try_from(self.fused.len()).ok()?;
        (self.fused.len() < u32::MAX as usize / size_of::<Fused<F>>()).then_some(())?;
        let lanes: Vec<usize> = followers.iter().map(|(lane, _)| *lane).collect();
        let followers = followers.iter().map(|(_, follower)| follower.pointer());
        let followers = followers.collect::<Option<Box<[_]>>>()?;
        let companion = match companion {
            Some(companion) => Some(companion.pointer()?),
            None => None,
        };
        // SAFETY: the arenas of their kinds keep them, and nothing mutates them here.
        let members = unsafe { Followers::new(&followers, companion) };
        let fused = Fused {
            fusion: F::new(leader.module()?, &lanes, members),
            leader: leader.pointer()?,
            followers,
            companion,
            number: 0,
            pause: 0,
        };
        let processes = fused.fusion.processes(fused.leader(), fused.followers(), finely);
        self.fused.push(UnsafeCell::new(fused));
        self.placements.push(Placement::default());
        Some((instance, processes))
    }

    fn place(&mut self, instance: u32, placement: Placement) {
        self.fused_mut(instance).number = placement.module;
        self.placements[instance as usize] = placement;
    }

    fn add_ahead(&self, actors: &mut Vec<u32>) {
        let fused = (0..self.fused.len()).map(|instance| self.fused(instance as u32));
        actors.extend(fused.filter(|fused| fused.fusion.is_ahead()).map(|fused| fused.number));
    }

    fn settle(&mut self, world: &mut World) {
        for fused in &mut self.fused {
            let (fusion, leader, followers) = fused.get_mut().members();
            fusion.settle(
                leader,
                followers,
                FusedEdge { signals: &world.signals, context: &mut world.context },
            );
        }
    }

    fn note_changes(&mut self) {
        self.fused.iter_mut().for_each(|fused| fused.get_mut().fusion.note_change());
    }

    fn reveal(&self, signals: &mut Signals) {
        for instance in 0..self.fused.len() {
            let fused = self.fused(instance as u32);
            fused.fusion.reveal(fused.leader(), fused.followers(), signals);
        }
    }
}

/// Empty schedule entry of a fusion's members.
pub(crate) struct Absorbed(Placement);

impl Absorbed {
    pub(crate) fn new() -> Self {
        Self(Placement::default())
    }
}

impl Actors for Absorbed {
    fn placement(&self, _: u32) -> &Placement {
        &self.0
    }

    fn commits(&self) -> bool {
        false
    }

    fn sleeps(&self) -> bool {
        false
    }

    fn reaches_others(&self, _: u32) -> bool {
        false
    }
}

impl Executable for Absorbed {
    fn execute(&self, _: Action) -> Execute {
        |_, _, _| ()
    }

    fn instances(&self) -> Instances {
        Instances(NonNull::dangling())
    }

    fn target(&self, step: Step) -> Target {
        Target { offset: 0, lane: step.lane }
    }
}

impl Runner for Absorbed {
    fn accounts_for_sleep(&self) -> bool {
        false
    }

    fn evaluate(&self, _: u32, _: u16, _: u32, _: &mut Signals) {}

    fn rest(&self, _: u32) -> Idle {
        Idle::UntilInput
    }

    fn slept(&mut self, _: u32, _: u64, _: u64) {}
}
