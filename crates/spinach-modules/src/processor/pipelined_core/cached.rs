//! A pipelined core and its instruction cache, as one.
//!
//! An instruction that is in the cache is looked up once, at the edge at which it arrives, and goes through no channel.

use std::marker::PhantomData;

use spinach_engine::{
    Followers, FollowersMut, FusedEdge, FusedProcess, Fusion, Idle, Member, MemberProcess, Module, Signals,
};
use spinach_isa::architecture::Architecture;
use spinach_isa::word::Word;

use super::PipelinedCore;
use super::exchanged::{DataChannels, Fetched};
use super::interface::PipelinedCorePorts;
use crate::memory::{CacheController, CacheControllerPorts};
use crate::values::{Reference, Response};

/// A pipelined core and a cache that answers hits at once.
pub(in crate::processor) struct CachedCore<A: Architecture> {
    /// Content of the channels between them in the last cycle: the presented address, if any; readiness of the cache to take it;
    /// its answer.
    presented: bool,
    address: u64,
    was_free: bool,
    answered: Answered,
    architecture: PhantomData<fn() -> A>,
}

/// Answer of a cache.
#[derive(Clone, Copy)]
enum Answered {
    Nothing,
    Word(u32),
    Late(Response),
}

impl<A: Architecture> Fusion for CachedCore<A> {
    type Leader = PipelinedCore<A>;
    type Follower = CacheController;
    type Companion = CacheController;

    const LEADER_PORTS: (usize, usize) =
        (PipelinedCorePorts::FETCH_REQUEST, PipelinedCorePorts::FETCH_RESPONSE);
    const FOLLOWER_PORTS: (usize, usize) =
        (CacheControllerPorts::PORT_REQUEST, CacheControllerPorts::PORT_RESPONSE);
    const ACCOUNTS_FOR_SLEEP: bool = true;

    fn admits(_: &PipelinedCore<A>, _: usize, cache: &CacheController) -> bool {
        cache.answers_at_once()
    }

    fn new(_: &PipelinedCore<A>, _: &[usize], _: Followers<'_, CacheController>) -> Self {
        let answered = Answered::Nothing;
        Self { presented: false, address: 0, was_free: true, answered, architecture: PhantomData }
    }

    fn processes(
        &self,
        _: &PipelinedCore<A>,
        _: Followers<'_, CacheController>,
        _: bool,
    ) -> Vec<FusedProcess> {
        let of_core = MemberProcess { follower: None, code: 0, lane: 0 };
        let of_cache =
            CacheController::AT_ONCE.map(|code| MemberProcess { follower: Some(0), code, lane: 0 });
        vec![FusedProcess { code: 0, parts: [of_core].into_iter().chain(of_cache).collect() }]
    }

    #[inline(always)]
    fn evaluate(
        &self,
        _: u16,
        core: &PipelinedCore<A>,
        caches: Followers<'_, CacheController>,
        signals: &mut Signals,
    ) {
        core.evaluate_data(signals);
        caches.at(0).ask_memory(signals);
    }

    #[inline(always)]
    fn commit(
        &mut self,
        mut core: Member<'_, PipelinedCore<A>>,
        mut caches: FollowersMut<'_, CacheController>,
        mut edge: FusedEdge<'_>,
    ) {
        self.presented = core.module.state.fetch.presents;
        self.address = core.module.state.fetch_address().to_u64();
        let cache = caches.at(0);
        let (is_free, snoops) = (cache.module.is_free(), cache.module.snoops());
        let hit = if self.presented & is_free { cache.module.fetch(self.address) } else { None };
        let fetched = if let Some(word) = hit {
            cache.module.note_fetch(cache.counters);
            (self.was_free, self.answered) = (true, Answered::Word(word));
            Fetched::Answer { data: word.into(), is_fault: false }
        } else if self.presented | !is_free {
            self.commit_miss(core.module.fetch_reference(), caches.reborrow(), edge.reborrow())
        } else {
            (self.was_free, self.answered) = (true, Answered::Nothing);
            Fetched::Nothing { is_taken: true }
        };
        if snoops {
            notice_others(caches, edge.reborrow());
        }
        let (core, mut at_core) = edge.of(&mut core);
        core.commit_exchanged(fetched, DataChannels { signals: at_core.signals }, &mut at_core);
    }

    fn idle(&self, core: &PipelinedCore<A>, caches: Followers<'_, CacheController>) -> Idle {
        // The answer is presented in the next cycle.
        if caches.at(0).has_answer() { Idle::No } else { core.idle() }
    }

    fn slept(
        &mut self,
        core: Member<'_, PipelinedCore<A>>,
        _: FollowersMut<'_, CacheController>,
        first: u64,
        count: u64,
    ) {
        core.module.slept(first, count, core.counters);
    }

    fn reveal(&self, core: &PipelinedCore<A>, _: Followers<'_, CacheController>, signals: &mut Signals) {
        let Self { presented, address, was_free, answered, .. } = *self;
        let source = core.settings.identity;
        let reference = presented.then(|| Reference { source, ..Reference::read(address, 4) });
        let response = match answered {
            Answered::Nothing => None,
            Answered::Word(word) => Some(Response { data: word.into(), is_fault: false }),
            Answered::Late(response) => Some(response),
        };
        signals.show_sent(core.ports.fetch_request, reference, was_free);
        signals.show(core.ports.fetch_response, response, true);
    }
}

impl<A: Architecture> CachedCore<A> {
    /// Begins to fetch a missing line, or continues the activity of the cache.
    #[inline(never)]
    fn commit_miss(
        &mut self,
        reference: Reference,
        mut caches: FollowersMut<'_, CacheController>,
        mut edge: FusedEdge<'_>,
    ) -> Fetched {
        let mut cache = caches.at(0);
        let (cache, mut at_cache) = edge.of(&mut cache);
        self.was_free = cache.is_free();
        self.answered = Answered::Nothing;
        if self.was_free {
            cache.miss(reference, &mut at_cache);
        } else if let Some(response) = cache.go_on(&mut at_cache) {
            self.answered = Answered::Late(response);
            return Fetched::Answer { data: response.data as u64, is_fault: response.is_fault };
        }
        Fetched::Nothing { is_taken: self.was_free }
    }
}

/// Passes writes of others to a cache.
#[inline(always)]
fn notice_others(mut caches: FollowersMut<'_, CacheController>, mut edge: FusedEdge<'_>) {
    let mut cache = caches.at(0);
    let (cache, mut at_cache) = edge.of(&mut cache);
    cache.notice_others(&mut at_cache);
}
