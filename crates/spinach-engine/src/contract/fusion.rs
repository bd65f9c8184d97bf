//! Fusion: several connected modules simulated as one.
//!
//! What a person described, named, counts and looks at stays the modules. A fusion only takes over their processes and commits, works on
//! their states, and saves them the channels between them.

use std::marker::PhantomData;
use std::ptr::NonNull;

use super::edge_context::EdgeContext;
use super::module::{Edge, Idle, Module};
use super::signals::Signals;

/// An instance of a kind of module: the fields that every cycle touches.
pub(crate) struct Instance<M> {
    pub(crate) module: M,
    pub(crate) counters: Box<[u64]>,
    pub(crate) number: u32,
    /// Number of commits until the next idleness test, or one of the negative numbers `ASLEEP` and `OWING`. A module woken by
    /// another finds out at its next commit.
    pub(crate) pause: i8,
}

/// Fusion of a leader with the followers connected to some of its lanes.
///
/// To everybody else they must be what they are without: the same at every port in every cycle, with the same states and counters at
/// every instant. Tests hold them to that.
pub trait Fusion: Sized + Send + 'static {
    /// The module whose lanes lead to the others.
    type Leader: Module;
    /// The modules that it is connected to, one lane each.
    type Follower: Module;

    /// The ports of the leader, an output and an input, whose lanes lead to followers.
    const LEADER_PORTS: (usize, usize);
    /// The ports of a follower, an input and an output, that these lanes lead to.
    const FOLLOWER_PORTS: (usize, usize);
    /// True if a follower has several lanes, all of which lead to the leader, wherever they begin. Otherwise it has one.
    const SHARES_LANES: bool = false;
    /// True if [`Fusion::slept`] does anything.
    const ACCOUNTS_FOR_SLEEP: bool;

    /// True if this follower, at this lane of the leader, can join a fusion.
    fn admits(leader: &Self::Leader, lane: usize, follower: &Self::Follower) -> bool;

    /// Makes one of a leader and followers, of which the lanes are given in order, at least one.
    fn new(leader: &Self::Leader, lanes: &[usize], followers: Followers<'_, Self::Follower>) -> Self;

    /// The processes, and the members' processes that each of them replaces: together all of every member. Fewer processes run
    /// faster, but each waits for everything that any of its parts reads. Where that closes a loop in a design, the engine asks
    /// for processes made `finely`. If these still close a loop, the members stay unfused.
    fn processes(
        &self,
        leader: &Self::Leader,
        followers: Followers<'_, Self::Follower>,
        finely: bool,
    ) -> Vec<FusedProcess>;

    /// Fused form of [`Module::evaluate`]. Leaves channels between members alone.
    fn evaluate(
        &self,
        code: u16,
        leader: &Self::Leader,
        followers: Followers<'_, Self::Follower>,
        signals: &mut Signals,
    );

    /// Fused form of [`Module::commit`], for all members.
    fn commit(
        &mut self,
        leader: Member<'_, Self::Leader>,
        followers: FollowersMut<'_, Self::Follower>,
        edge: FusedEdge<'_>,
    );

    /// Fused form of [`Module::idle`], with the ports that lead out.
    fn idle(&self, leader: &Self::Leader, followers: Followers<'_, Self::Follower>) -> Idle;

    /// Fused form of [`Module::slept`], for all members.
    fn slept(
        &mut self,
        leader: Member<'_, Self::Leader>,
        followers: FollowersMut<'_, Self::Follower>,
        first: u64,
        count: u64,
    ) {
        let _ = (leader, followers, first, count);
    }

    /// Writes the values of the last cycle into the channels between members, for observers; with [`Signals::show`].
    fn reveal(&self, leader: &Self::Leader, followers: Followers<'_, Self::Follower>, signals: &mut Signals);
}

/// A process of a fusion.
#[derive(Clone, Debug)]
pub struct FusedProcess {
    /// Handed back to [`Fusion::evaluate`].
    pub code: u16,
    /// Processes that this one replaces: it drives and reads what they do.
    pub parts: Vec<MemberProcess>,
}

/// A process of a member of a fusion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemberProcess {
    /// The follower, by its place; `None` for the leader.
    pub follower: Option<usize>,
    /// The code of the process.
    pub code: u16,
    /// Its lane.
    pub lane: u32,
}

/// A member of a fusion, with its counters.
pub struct Member<'a, M> {
    /// The module.
    pub module: &'a mut M,
    /// Its counters, in the order of its declaration.
    pub counters: &'a mut [u64],
    pub(crate) number: u32,
}

impl<'a, M> Member<'a, M> {
    #[inline(always)]
    pub(crate) fn of(instance: &'a mut Instance<M>) -> Self {
        Self { module: &mut instance.module, counters: &mut instance.counters, number: instance.number }
    }
}

/// The followers, in the order of their lanes.
pub struct Followers<'a, M> {
    instances: &'a [NonNull<Instance<M>>],
    borrowed: PhantomData<&'a M>,
}

impl<M> Clone for Followers<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<M> Copy for Followers<'_, M> {}

impl<'a, M> Followers<'a, M> {
    /// # Safety
    /// For the lifetime of the result the instances exist, are distinct, and are not mutated.
    #[inline(always)]
    pub(crate) unsafe fn new(instances: &'a [NonNull<Instance<M>>]) -> Self {
        Self { instances, borrowed: PhantomData }
    }

    /// Number of members.
    pub fn len(self) -> usize {
        self.instances.len()
    }

    /// True if there are no members, which never happens.
    pub fn is_empty(self) -> bool {
        self.instances.is_empty()
    }

    /// The one at `place`.
    ///
    /// # Panics
    /// If the index is out of range.
    #[inline(always)]
    pub fn at(self, place: usize) -> &'a M {
        // SAFETY: the constructor's caller guarantees that nothing mutates it.
        unsafe { &self.instances[place].as_ref().module }
    }
}

/// The followers, to be changed.
pub struct FollowersMut<'a, M> {
    instances: &'a [NonNull<Instance<M>>],
    borrowed: PhantomData<&'a mut M>,
}

impl<'a, M> FollowersMut<'a, M> {
    /// # Safety
    /// For the lifetime of the result the instances exist, are distinct, and are not accessed otherwise.
    #[inline(always)]
    pub(crate) unsafe fn new(instances: &'a [NonNull<Instance<M>>]) -> Self {
        Self { instances, borrowed: PhantomData }
    }

    /// A copy of this for rare, out-of-line code.
    #[inline(always)]
    pub fn reborrow(&mut self) -> FollowersMut<'_, M> {
        FollowersMut { instances: self.instances, borrowed: PhantomData }
    }

    /// The one at `place`.
    ///
    /// # Panics
    /// If the index is out of range.
    #[inline(always)]
    pub fn at(&mut self, place: usize) -> Member<'_, M> {
        // SAFETY: the constructor's caller guarantees exclusive access for the lifetime of the result.
        Member::of(unsafe { &mut *self.instances[place].as_ptr() })
    }
}

/// View of a fusion's members at a clock edge.
pub struct FusedEdge<'a> {
    /// The settled channels.
    pub signals: &'a Signals,
    pub(crate) context: &'a mut EdgeContext,
}

impl FusedEdge<'_> {
    /// The number of this cycle, counted from 0.
    #[inline(always)]
    pub fn cycle(&self) -> u64 {
        self.context.cycle
    }

    /// A copy of this edge for rare, out-of-line code; as of [`Edge::reborrow`].
    #[inline(always)]
    pub fn reborrow(&mut self) -> FusedEdge<'_> {
        FusedEdge { signals: self.signals, context: self.context }
    }

    /// The edge as a member sees it.
    #[inline(always)]
    pub fn of<'a, M>(&'a mut self, member: &'a mut Member<'_, M>) -> (&'a mut M, Edge<'a>) {
        let Member { module, counters, number } = member;
        let edge = Edge { signals: self.signals, counters, clock: 0, module: *number, context: self.context };
        (module, edge)
    }
}
