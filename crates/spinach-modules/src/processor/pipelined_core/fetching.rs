//! A pipelined core and its instruction memory, which answers in the cycle in which it is asked, as one.
//!
//! Its data references go elsewhere, through channels.

use std::marker::PhantomData;

use spinach_engine::{
    Followers, FollowersMut, FusedEdge, FusedProcess, Fusion, Idle, Member, MemberProcess, Module, Signals,
};
use spinach_isa::architecture::Architecture;
use spinach_isa::word::Word;

use super::PipelinedCore;
use super::exchanged::{DataChannels, Fetched, LastCycle};
use super::interface::PipelinedCorePorts;
use crate::memory::{MultiportedMemory, MultiportedMemoryPorts};
use crate::values::{Reference, Response};

/// A pipelined core and a memory without latency, whose only lane is that of the core's instructions.
pub(in crate::processor) struct FetchingCore<A: Architecture> {
    /// Address and answer that would have passed through the channels between them in the last cycle.
    fetched: Option<(u64, Response)>,
    architecture: PhantomData<fn() -> A>,
}

impl<A: Architecture> Fusion for FetchingCore<A> {
    type Leader = PipelinedCore<A>;
    type Follower = MultiportedMemory;
    type Companion = MultiportedMemory;

    const LEADER_PORTS: (usize, usize) =
        (PipelinedCorePorts::FETCH_REQUEST, PipelinedCorePorts::FETCH_RESPONSE);
    const FOLLOWER_PORTS: (usize, usize) =
        (MultiportedMemoryPorts::PORT_REQUEST, MultiportedMemoryPorts::PORT_RESPONSE);
    const ACCOUNTS_FOR_SLEEP: bool = true;

    fn admits(_: &PipelinedCore<A>, _: usize, memory: &MultiportedMemory) -> bool {
        memory.is_flat_for_one() && !memory.reports()
    }

    fn new(_: &PipelinedCore<A>, _: &[usize], _: Followers<'_, MultiportedMemory>) -> Self {
        Self { fetched: None, architecture: PhantomData }
    }

    fn processes(
        &self,
        _: &PipelinedCore<A>,
        _: Followers<'_, MultiportedMemory>,
        _: bool,
    ) -> Vec<FusedProcess> {
        let of_core = MemberProcess { follower: None, code: 0, lane: 0 };
        let of_memory =
            MultiportedMemory::AT_ONCE.map(|code| MemberProcess { follower: Some(0), code, lane: 0 });
        vec![FusedProcess { code: 0, parts: [of_core].into_iter().chain(of_memory).collect() }]
    }

    #[inline(always)]
    fn evaluate(
        &self,
        _: u16,
        core: &PipelinedCore<A>,
        _: Followers<'_, MultiportedMemory>,
        signals: &mut Signals,
    ) {
        core.evaluate_data(signals);
    }

    #[inline(always)]
    fn commit(
        &mut self,
        mut core: Member<'_, PipelinedCore<A>>,
        mut memories: FollowersMut<'_, MultiportedMemory>,
        mut edge: FusedEdge<'_>,
    ) {
        let fetched;
        (fetched, self.fetched) = Self::fetch(core.module, &mut memories.at(0));
        let (core, mut at_core) = edge.of(&mut core);
        core.commit_exchanged(fetched, DataChannels { signals: at_core.signals }, &mut at_core);
    }

    fn idle(&self, core: &PipelinedCore<A>, _: Followers<'_, MultiportedMemory>) -> Idle {
        core.idle()
    }

    fn slept(
        &mut self,
        core: Member<'_, PipelinedCore<A>>,
        _: FollowersMut<'_, MultiportedMemory>,
        first: u64,
        count: u64,
    ) {
        core.module.slept(first, count, core.counters);
    }

    fn reveal(&self, core: &PipelinedCore<A>, _: Followers<'_, MultiportedMemory>, signals: &mut Signals) {
        Self::show(core, self.fetched, signals);
    }
}

impl<A: Architecture> FetchingCore<A> {
    /// Outcome of the fetch of a cycle; besides, its address and answer.
    #[inline(always)]
    pub(super) fn fetch(
        core: &PipelinedCore<A>,
        memory: &mut Member<'_, MultiportedMemory>,
    ) -> (Fetched, Option<(u64, Response)>) {
        let address = core.state.fetch_address().to_u64();
        if !core.state.fetch.presents {
            return (Fetched::Nothing { is_taken: true }, None);
        }
        let instruction = memory.module.read_word_at_once(address, memory.counters);
        let fetched = Fetched::Answer { data: instruction.data as u64, is_fault: instruction.is_fault };
        (fetched, Some((address, instruction)))
    }

    /// Writes the address and the answer of a fetch into the channels.
    pub(super) fn show(core: &PipelinedCore<A>, fetched: Option<(u64, Response)>, signals: &mut Signals) {
        let source = core.settings.identity;
        let reference = fetched.map(|(address, _)| Reference { source, ..Reference::read(address, 4) });
        signals.show_sent(core.ports.fetch_request, reference, true);
        signals.show(core.ports.fetch_response, fetched.map(|(_, instruction)| instruction), true);
    }
}

impl<W: Word> LastCycle<W> {
    /// Writes these values into the channels of `core`.
    pub(super) fn show<A: Architecture<Word = W>>(&self, core: &PipelinedCore<A>, signals: &mut Signals) {
        FetchingCore::show(core, self.fetched, signals);
        self.exchanged.show(&core.ports, self.presented, signals);
    }
}
