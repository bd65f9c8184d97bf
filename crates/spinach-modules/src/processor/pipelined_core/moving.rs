//! A pipelined core, its instruction memory and a packet mover, as one.

use spinach_engine::{
    CompanionPorts, Followers, FollowersMut, FusedEdge, FusedProcess, Fusion, Idle, Member, MemberProcess,
    Module, Signals,
};
use spinach_isa::architecture::Architecture;
use spinach_isa::word::Word;

use super::PipelinedCore;
use super::exchanged::{Exchanged, LastCycle};
use super::fetching::FetchingCore;
use super::interface::PipelinedCorePorts;
use super::polling::{INSTRUCTIONS, Polling};
use crate::dma::packet_mover::{CoreExchange, PacketMover, PacketMoverPorts};
use crate::memory::MultiportedMemory;

/// A pipelined core, the memory of its instructions, and the packet mover that all its data references go to.
///
/// While the core [polls](super::polling), it is suspended: only its references reach the packet mover.
pub(in crate::processor) struct MovingCore<A: Architecture> {
    last: LastCycle<A::Word>,
    polling: Polling<A>,
    /// True if the core has caught up in the last cycle: that it was suspended and idle before says nothing of its outputs now.
    has_caught_up: bool,
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
        beyond: None,
    });
    const ACCOUNTS_FOR_SLEEP: bool = true;

    fn admits(_: &PipelinedCore<A>, _: usize, memory: &MultiportedMemory) -> bool {
        memory.is_flat_for_one()
    }

    fn admits_companion(_: &PipelinedCore<A>, mover: &PacketMover) -> bool {
        !mover.has_accelerator()
    }

    fn new(_: &PipelinedCore<A>, _: &[usize], _: Followers<'_, MultiportedMemory, PacketMover>) -> Self {
        let exchanged = Exchanged { is_taken: true, ..Exchanged::default() };
        Self {
            last: LastCycle { exchanged, ..LastCycle::default() },
            polling: Polling::new(),
            has_caught_up: false,
        }
    }

    fn processes(
        &self,
        _: &PipelinedCore<A>,
        followers: Followers<'_, MultiportedMemory, PacketMover>,
        _: bool,
    ) -> Vec<FusedProcess> {
        let of = |follower, code| MemberProcess { follower, code, lane: 0 };
        let reports = followers.at(INSTRUCTIONS).reports().then_some(MultiportedMemory::REPORT);
        let of_memory = MultiportedMemory::AT_ONCE.into_iter().chain(reports).map(|code| of(Some(0), code));
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
        let memory = followers.at(INSTRUCTIONS);
        if memory.reports() {
            memory.report(signals);
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
        self.has_caught_up = self.polling.skips();
        if self.has_caught_up {
            if edge.may_run_ahead() && self.polling.poll(&core, &mut followers, &mut edge) {
                self.has_caught_up = false;
                return;
            }
            self.polling.catch_up(&mut self.last, &mut core, &mut followers, &mut edge);
            self.polling.forget();
        }
        followers.at(INSTRUCTIONS).module.begin();
        let fetched;
        (fetched, self.last.fetched) = FetchingCore::fetch(core.module, &mut followers.at(INSTRUCTIONS));
        let state = &core.module.state;
        let mut mover = followers.companion();
        let (mover, mut at_mover) = edge.of(&mut mover);
        let (is_offered, presented) = (state.presents_data, state.presented);
        let is_taken = !is_offered || mover.takes(presented.address.to_u64(), presented.is_write());
        let reference = (is_offered & is_taken).then(|| presented.reference());
        let mut side = Exchanged { is_offered, is_taken, ..Exchanged::default() };
        if let Some(answer) = mover.answer() {
            (side.is_answered, side.is_fault, side.data) = (true, answer.is_fault, answer.data as u64);
        }
        (self.last.presented, self.last.exchanged) = (presented, side);
        let exchange = CoreExchange { reference, is_answered: side.is_answered };
        mover.commit_exchanged(&exchange, &mut at_mover);
        let (member, mut at_core) = edge.of(&mut core);
        member.commit_exchanged(fetched, side, &mut at_core);
        if followers.at(INSTRUCTIONS).module.is_beyond() {
            // Each of these cycles is reported.
            self.polling.forget();
        } else if is_offered || self.polling.follows() {
            self.polling.watch(&self.last, &mut core, &mut followers, &mut edge);
        }
    }

    fn settle(
        &mut self,
        mut core: Member<'_, PipelinedCore<A>>,
        mut followers: FollowersMut<'_, MultiportedMemory, PacketMover>,
        mut edge: FusedEdge<'_>,
    ) {
        self.polling.pause(&mut self.last, &mut core, &mut followers, &mut edge);
    }

    fn is_ahead(&self) -> bool {
        self.polling.skips()
    }

    fn note_change(&mut self) {
        self.polling.forget();
    }

    fn idle(
        &self,
        core: &PipelinedCore<A>,
        followers: Followers<'_, MultiportedMemory, PacketMover>,
    ) -> Idle {
        if self.polling.skips() {
            return self.polling.idle(core, followers.companion());
        }
        match self.has_caught_up || followers.at(INSTRUCTIONS).is_beyond() {
            true => Idle::No,
            false => core.idle().and(followers.companion().idle()),
        }
    }

    fn begins_to_rest(&self) -> bool {
        self.polling.begins_to_rest()
    }

    fn slept(
        &mut self,
        core: Member<'_, PipelinedCore<A>>,
        mut followers: FollowersMut<'_, MultiportedMemory, PacketMover>,
        first: u64,
        count: u64,
    ) {
        if self.polling.skips() {
            return self.polling.slept(&mut followers, first, count);
        }
        core.module.slept(first, count, core.counters);
        let Member { module: mover, counters, .. } = followers.companion();
        mover.slept(first, count, counters);
    }

    fn reveal(
        &self,
        core: &PipelinedCore<A>,
        _: Followers<'_, MultiportedMemory, PacketMover>,
        signals: &mut Signals,
    ) {
        self.last.show(core, signals);
    }
}
