//! A pipelined core, its instruction memory and a packet mover, as one.

use std::marker::PhantomData;

use spinach_engine::{
    CompanionPorts, Followers, FollowersMut, FusedEdge, FusedProcess, Fusion, Idle, Member, MemberProcess,
    Module, Signals,
};
use spinach_isa::architecture::Architecture;

use super::PipelinedCore;
use super::exchanged::DataSide;
use super::fetching::FetchingCore;
use super::interface::PipelinedCorePorts;
use crate::dma::packet_mover::{CoreExchange, PacketMover, PacketMoverPorts};
use crate::memory::MultiportedMemory;
use crate::values::{Reference, Response};

/// A pipelined core, the memory of its instructions, and the packet mover that all its data references go to.
pub(in crate::processor) struct MovingCore<A: Architecture> {
    /// Values that would have passed through the channels between them in the last cycle.
    fetched: Option<(u64, Response)>,
    exchanged: Exchanged,
    reference: Option<Reference>,
    architecture: PhantomData<fn() -> A>,
}

/// Outcome of the core's data references.
#[derive(Clone, Copy, Default)]
struct Exchanged {
    is_offered: bool,
    is_taken: bool,
    answer: Option<Response>,
}

impl DataSide for Exchanged {
    #[inline(always)]
    fn is_offered(self, _: &PipelinedCorePorts) -> bool {
        self.is_offered
    }

    #[inline(always)]
    fn is_taken(self, _: &PipelinedCorePorts) -> bool {
        self.is_taken
    }

    #[inline(always)]
    fn is_answered(self, _: &PipelinedCorePorts) -> bool {
        self.answer.is_some()
    }

    #[inline(always)]
    fn data(self, _: &PipelinedCorePorts) -> u64 {
        self.answer.map_or(0, |answer| answer.data as u64)
    }

    #[inline(always)]
    fn is_fault(self, _: &PipelinedCorePorts) -> bool {
        self.answer.is_some_and(|answer| answer.is_fault)
    }
}

impl<A: Architecture> Fusion for MovingCore<A> {
    type Leader = PipelinedCore<A>;
    type Follower = MultiportedMemory;
    type Companion = PacketMover;

    const LEADER_PORTS: (usize, usize) = FetchingCore::<A>::LEADER_PORTS;
    const FOLLOWER_PORTS: (usize, usize) = FetchingCore::<A>::FOLLOWER_PORTS;
    const COMPANION_PORTS: Option<CompanionPorts> = Some(CompanionPorts {
        leader: (PipelinedCorePorts::DATA_REQUEST, PipelinedCorePorts::DATA_RESPONSE),
        companion: (PacketMoverPorts::CORE_REQUEST, PacketMoverPorts::CORE_RESPONSE),
    });
    const ACCOUNTS_FOR_SLEEP: bool = true;

    fn admits(core: &PipelinedCore<A>, lane: usize, memory: &MultiportedMemory) -> bool {
        FetchingCore::admits(core, lane, memory)
    }

    fn admits_companion(_: &PipelinedCore<A>, mover: &PacketMover) -> bool {
        !mover.has_accelerator()
    }

    fn new(_: &PipelinedCore<A>, _: &[usize], _: Followers<'_, MultiportedMemory, PacketMover>) -> Self {
        let exchanged = Exchanged { is_taken: true, ..Exchanged::default() };
        Self { fetched: None, exchanged, reference: None, architecture: PhantomData }
    }

    fn processes(
        &self,
        _: &PipelinedCore<A>,
        _: Followers<'_, MultiportedMemory, PacketMover>,
        _: bool,
    ) -> Vec<FusedProcess> {
        let of = |follower, code| MemberProcess { follower, code, lane: 0 };
        let of_memory = MultiportedMemory::AT_ONCE.map(|code| of(Some(0), code));
        let of_mover = PacketMover::WITHOUT_ACCELERATOR.map(|code| of(Some(1), code));
        let parts = [of(None, 0)].into_iter().chain(of_memory).chain(of_mover).collect();
        vec![FusedProcess { code: 0, parts }]
    }

    #[inline(always)]
    fn evaluate(
        &self,
        _: u16,
        core: &PipelinedCore<A>,
        followers: Followers<'_, MultiportedMemory, PacketMover>,
        signals: &mut Signals,
    ) {
        if !signals.are_set_already(&core.others) {
            core.evaluate_others(signals);
        }
        followers.companion().present(signals);
    }

    #[inline(always)]
    fn commit(
        &mut self,
        mut core: Member<'_, PipelinedCore<A>>,
        mut followers: FollowersMut<'_, MultiportedMemory, PacketMover>,
        mut edge: FusedEdge<'_>,
    ) {
        let fetched;
        (fetched, self.fetched) = FetchingCore::fetch(core.module, followers.at(0));
        let state = &core.module.state;
        let mut mover = followers.companion();
        let (mover, mut at_mover) = edge.of(&mut mover);
        let reference = state.presents_data.then(|| state.presented.reference());
        let is_taken = reference.is_none_or(|reference| mover.takes(&reference));
        let side = Exchanged { is_offered: state.presents_data, is_taken, answer: mover.answer() };
        (self.reference, self.exchanged) = (reference, side);
        let exchange =
            CoreExchange { reference: reference.filter(|_| is_taken), is_answered: side.answer.is_some() };
        mover.commit_exchanged(&exchange, &mut at_mover);
        let (core, mut at_core) = edge.of(&mut core);
        core.commit_exchanged(fetched, side, &mut at_core);
    }

    fn idle(
        &self,
        core: &PipelinedCore<A>,
        followers: Followers<'_, MultiportedMemory, PacketMover>,
    ) -> Idle {
        core.idle().and(followers.companion().idle())
    }

    fn slept(
        &mut self,
        core: Member<'_, PipelinedCore<A>>,
        _: FollowersMut<'_, MultiportedMemory, PacketMover>,
        first: u64,
        count: u64,
    ) {
        core.module.slept(first, count, core.counters);
    }

    fn reveal(
        &self,
        core: &PipelinedCore<A>,
        _: Followers<'_, MultiportedMemory, PacketMover>,
        signals: &mut Signals,
    ) {
        FetchingCore::show(core, self.fetched, signals);
        signals.show_sent(core.ports.data_request, self.reference, self.exchanged.is_taken);
        signals.show(core.ports.data_response, self.exchanged.answer, true);
    }
}
