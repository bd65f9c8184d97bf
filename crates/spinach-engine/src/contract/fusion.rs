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
/// For all other modules they must behave as without fusion: the same at every port in every cycle, with the same states and
/// counters at every instant. Tests check this.
pub trait Fusion: Sized + Send + 'static {
    /// The module whose lanes lead to the others.
    type Leader: Module;
    /// The modules that it is connected to, one lane each.
    type Follower: Module;
    /// A module of another kind that joins. Fusions without one name the kind of their followers.
    type Companion: Module;

    /// The ports of the leader, an output and an input, whose lanes lead to followers.
    const LEADER_PORTS: (usize, usize);
    /// The ports of a follower, an input and an output, that these lanes lead to.
    const FOLLOWER_PORTS: (usize, usize);
    /// True if a follower has several lanes, all of which lead to the leader, wherever they begin. Otherwise it has one.
    const SHARES_LANES: bool = false;
    /// The ports that join leader and companion, whose lanes lead nowhere else; `None` without a companion.
    const COMPANION_PORTS: Option<CompanionPorts> = None;
    /// True if [`Fusion::slept`] does anything.
    const ACCOUNTS_FOR_SLEEP: bool;

    /// True if this follower, at this lane of the leader, can join a fusion.
    fn admits(leader: &Self::Leader, lane: usize, follower: &Self::Follower) -> bool;

    /// True if this companion can join.
    fn admits_companion(leader: &Self::Leader, companion: &Self::Companion) -> bool {
        let _ = (leader, companion);
        false
    }

    /// True if this follower, at this lane of the companion, can join too.
    fn admits_beyond(companion: &Self::Companion, lane: usize, follower: &Self::Follower) -> bool {
        let _ = (companion, lane, follower);
        false
    }

    /// Makes one of a leader and followers, of which the lanes are given in order, at least one. The follower of a companion
    /// comes last, with its lane there.
    fn new(
        leader: &Self::Leader,
        lanes: &[usize],
        followers: Followers<'_, Self::Follower, Self::Companion>,
    ) -> Self;

    /// The processes, and the members' processes that each of them replaces: together all of every member. Fewer processes run
    /// faster, but each waits for everything that any of its parts reads. Where that closes a loop in a design, the engine asks
    /// for processes made `finely`. If these still close a loop, the members stay unfused.
    fn processes(
        &self,
        leader: &Self::Leader,
        followers: Followers<'_, Self::Follower, Self::Companion>,
        finely: bool,
    ) -> Vec<FusedProcess>;

    /// Fused form of [`Module::evaluate`]. Leaves channels between members alone.
    fn evaluate(
        &self,
        code: u16,
        leader: &Self::Leader,
        followers: Followers<'_, Self::Follower, Self::Companion>,
        signals: &mut Signals,
    );

    /// Fused form of [`Module::commit`], for all members.
    fn commit(
        &mut self,
        leader: Member<'_, Self::Leader>,
        followers: FollowersMut<'_, Self::Follower, Self::Companion>,
        edge: FusedEdge<'_>,
    );

    /// Fused form of [`Module::idle`], with the ports that lead out.
    fn idle(&self, leader: &Self::Leader, followers: Followers<'_, Self::Follower, Self::Companion>) -> Idle;

    /// True if it has become idle with the last commit, and not for a few cycles only: it is tested at once, and not in the course of
    /// time.
    fn begins_to_rest(&self) -> bool {
        false
    }

    /// Fused form of [`Module::slept`], for all members.
    fn slept(
        &mut self,
        leader: Member<'_, Self::Leader>,
        followers: FollowersMut<'_, Self::Follower, Self::Companion>,
        first: u64,
        count: u64,
    ) {
        let _ = (leader, followers, first, count);
    }

    /// True if members are not as they are after the last edge. Such a fusion may sleep, and is woken before [`Self::settle`].
    fn is_ahead(&self) -> bool {
        false
    }

    /// Reverts actions of members in cycles that have not passed, if the fusion has run ahead; see [`FusedEdge::may_run_ahead`].
    fn settle(
        &mut self,
        leader: Member<'_, Self::Leader>,
        followers: FollowersMut<'_, Self::Follower, Self::Companion>,
        edge: FusedEdge<'_>,
    ) {
        let _ = (leader, followers, edge);
    }

    /// Records that members may have been changed from outside, between two edges.
    fn note_change(&mut self) {}

    /// Writes the values of the last cycle into the channels between members, for observers; with [`Signals::show`].
    fn reveal(
        &self,
        leader: &Self::Leader,
        followers: Followers<'_, Self::Follower, Self::Companion>,
        signals: &mut Signals,
    );
}

/// Ports that join a leader and its companion, by their numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CompanionPorts {
    /// Ports of the leader: an output and an input.
    pub leader: (usize, usize),
    /// Ports of the companion: an input and an output.
    pub companion: (usize, usize),
    /// Ports of the companion, an output and an input: the first of their lanes that leads to a follower which
    /// [`Fusion::admits_beyond`] lets this one join, too.
    pub beyond: Option<(usize, usize)>,
}

/// A process of a fusion.
#[derive(Clone, Debug)]
pub struct FusedProcess {
    /// Handed back to [`Fusion::evaluate`].
    pub code: u16,
    /// Processes that this one replaces: it drives and reads the same signals.
    pub parts: Vec<MemberProcess>,
}

/// A process of a member of a fusion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemberProcess {
    /// The follower, by its place; `None` for the leader. The place of a companion is behind those of the followers.
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

/// The followers, in the order of their lanes, and the companion.
pub struct Followers<'a, M, C = M> {
    instances: &'a [NonNull<Instance<M>>],
    companion: Option<NonNull<Instance<C>>>,
    borrowed: PhantomData<(&'a M, &'a C)>,
}

impl<M, C> Clone for Followers<'_, M, C> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<M, C> Copy for Followers<'_, M, C> {}

impl<'a, M, C> Followers<'a, M, C> {
    /// # Safety
    /// For the lifetime of the result the instances exist, are distinct, and are not mutated.
    #[inline(always)]
    pub(crate) unsafe fn new(
        instances: &'a [NonNull<Instance<M>>],
        companion: Option<NonNull<Instance<C>>>,
    ) -> Self {
        Self { instances, companion, borrowed: PhantomData }
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

    /// The companion.
    ///
    /// # Panics
    /// If the fusion has none.
    #[inline(always)]
    pub fn companion(self) -> &'a C {
        let companion = self.companion.expect(NO_COMPANION);
        // SAFETY: as above.
        unsafe { &companion.as_ref().module }
    }
}

const NO_COMPANION: &str = "a fusion asks for a companion that it does not declare";

/// The followers and the companion, to be changed.
pub struct FollowersMut<'a, M, C = M> {
    instances: &'a [NonNull<Instance<M>>],
    companion: Option<NonNull<Instance<C>>>,
    borrowed: PhantomData<(&'a mut M, &'a mut C)>,
}

impl<'a, M, C> FollowersMut<'a, M, C> {
    /// # Safety
    /// For the lifetime of the result the instances exist, are distinct, and are not accessed otherwise.
    #[inline(always)]
    pub(crate) unsafe fn new(
        instances: &'a [NonNull<Instance<M>>],
        companion: Option<NonNull<Instance<C>>>,
    ) -> Self {
        Self { instances, companion, borrowed: PhantomData }
    }

    /// A copy of this for rare, out-of-line code.
    #[inline(always)]
    pub fn reborrow(&mut self) -> FollowersMut<'_, M, C> {
        FollowersMut { instances: self.instances, companion: self.companion, borrowed: PhantomData }
    }

    /// The companion.
    ///
    /// # Panics
    /// If the fusion has none.
    #[inline(always)]
    pub fn companion(&mut self) -> Member<'_, C> {
        let companion = self.companion.expect(NO_COMPANION);
        // SAFETY: the constructor's caller guarantees exclusive access for the lifetime of the result.
        Member::of(unsafe { &mut *companion.as_ptr() })
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

    /// True if members may now act for later cycles, because nothing inspects them in between: inputs that arrive before are the
    /// business of the fusion, and the engine asks for [`Fusion::settle`] before anything else looks.
    #[inline(always)]
    pub fn may_run_ahead(&self) -> bool {
        self.context.may_run_ahead
    }

    /// The edge of cycle `cycle` of the same clock, for a member that does now what it does then; as of [`Edge::ahead`].
    #[inline(always)]
    pub fn at<R>(&mut self, cycle: u64, act: impl FnOnce(&mut FusedEdge<'_>) -> R) -> R {
        let present = std::mem::replace(&mut self.context.cycle, cycle);
        let result = act(&mut FusedEdge { signals: self.signals, context: self.context });
        self.context.cycle = present;
        result
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
