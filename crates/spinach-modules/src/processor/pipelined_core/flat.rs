//! A pipelined core on one memory that answers in the cycle in which it is asked, as one.

use std::cell::Cell;

use spinach_engine::{
    Followers, FollowersMut, FusedEdge, FusedProcess, Fusion, Idle, Member, MemberProcess, Module, Signals,
};
use spinach_isa::architecture::Architecture;
use spinach_isa::word::Word;

use super::PipelinedCore;
use super::exchanged::{Exchanged, Fetched};
use super::interface::PipelinedCorePorts;
use super::state::WordReference;
use crate::memory::{MultiportedMemory, MultiportedMemoryPorts};
use crate::values::{Reference, Response};

/// A pipelined core and a memory without latency, both of whose lanes are the core's.
///
/// Where the memory needs another cycle for an answer, both act one by one, through the channels between them.
pub(in crate::processor) struct FlatCore<A: Architecture> {
    /// The lanes of the memory that instructions and data come through.
    fetch_lane: u32,
    data_lane: u32,
    /// True if nothing passes through the channels in this cycle.
    is_direct: Cell<bool>,
    /// Values that would have passed through them in the last cycle.
    shown: Shown<A>,
}

struct Shown<A: Architecture> {
    address: Option<u64>,
    instruction: Response,
    reference: Option<WordReference<A::Word>>,
    data: Response,
}

impl<A: Architecture> Fusion for FlatCore<A> {
    type Leader = PipelinedCore<A>;
    type Follower = MultiportedMemory;
    type Companion = MultiportedMemory;

    const LEADER_PORTS: (usize, usize) =
        (PipelinedCorePorts::FETCH_REQUEST, PipelinedCorePorts::FETCH_RESPONSE);
    const FOLLOWER_PORTS: (usize, usize) =
        (MultiportedMemoryPorts::PORT_REQUEST, MultiportedMemoryPorts::PORT_RESPONSE);
    const SHARES_LANES: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = true;

    fn admits(core: &PipelinedCore<A>, _: usize, memory: &MultiportedMemory) -> bool {
        let lane = |request, response| memory.lane_between(request, response).is_some();
        memory.is_flat()
            && lane(core.ports.fetch_request, core.ports.fetch_response)
            && lane(core.ports.data_request, core.ports.data_response)
    }

    fn new(core: &PipelinedCore<A>, _: &[usize], memories: Followers<'_, MultiportedMemory>) -> Self {
        let lane = |request, response| memories.at(0).lane_between(request, response).unwrap_or_default();
        Self {
            fetch_lane: lane(core.ports.fetch_request, core.ports.fetch_response),
            data_lane: lane(core.ports.data_request, core.ports.data_response),
            is_direct: Cell::new(false),
            shown: Shown {
                address: None,
                instruction: Response::default(),
                reference: None,
                data: Response::default(),
            },
        }
    }

    fn processes(
        &self,
        _: &PipelinedCore<A>,
        _: Followers<'_, MultiportedMemory>,
        _: bool,
    ) -> Vec<FusedProcess> {
        let of_core = MemberProcess { follower: None, code: 0, lane: 0 };
        let of_memory = [self.fetch_lane, self.data_lane].into_iter().flat_map(|lane| {
            MultiportedMemory::AT_ONCE.map(|code| MemberProcess { follower: Some(0), code, lane })
        });
        vec![FusedProcess { code: 0, parts: [of_core].into_iter().chain(of_memory).collect() }]
    }

    #[inline(always)]
    fn evaluate(
        &self,
        _: u16,
        core: &PipelinedCore<A>,
        memories: Followers<'_, MultiportedMemory>,
        signals: &mut Signals,
    ) {
        let is_at_once = !core.state.presents_data || core.state.presented.is_read_or_write();
        let is_direct = is_at_once && !memories.at(0).is_waited_for();
        self.is_direct.set(is_direct);
        if !is_direct {
            self.evaluate_singly(core, memories.at(0), signals);
        } else if !signals.are_set_already(&core.others) {
            core.evaluate_others(signals);
        }
    }

    #[inline(always)]
    fn commit(
        &mut self,
        mut core: Member<'_, PipelinedCore<A>>,
        mut memories: FollowersMut<'_, MultiportedMemory>,
        mut edge: FusedEdge<'_>,
    ) {
        if !self.is_direct.get() {
            return self.commit_singly(core, memories, edge);
        }
        let state = &core.module.state;
        let (presents, address) = (state.fetch.presents, state.fetch_address().to_u64());
        let (presents_data, presented) = (state.presents_data, state.presented);
        let mut memory = memories.at(0);
        let (memory, at_memory) = edge.of(&mut memory);
        let mut fetched = Fetched::Nothing { is_taken: true };
        self.shown.address = None;
        // Reads come before writes.
        if presents {
            let instruction = memory.read_word_at_once(address, at_memory.counters);
            fetched = Fetched::Answer { data: instruction.data as u64, is_fault: instruction.is_fault };
            (self.shown.address, self.shown.instruction) = (Some(address), instruction);
        }
        let mut side = Exchanged { is_offered: presents_data, is_taken: true, ..Exchanged::default() };
        self.shown.reference = None;
        if presents_data {
            let data = match presented.word_access() {
                Some(word) => memory.perform_word_at_once(word, at_memory.counters),
                None => memory.perform_at_once(presented.reference(), at_memory.counters),
            };
            (side.is_answered, side.is_fault, side.data) = (true, data.is_fault, data.data as u64);
            (self.shown.reference, self.shown.data) = (Some(presented), data);
        }
        let (core, mut at_core) = edge.of(&mut core);
        core.commit_exchanged(fetched, side, &mut at_core);
    }

    fn idle(&self, core: &PipelinedCore<A>, memories: Followers<'_, MultiportedMemory>) -> Idle {
        if memories.at(0).is_waited_for() { Idle::No } else { core.idle() }
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
        if !self.is_direct.get() {
            return;
        }
        let Shown { address, instruction, reference, data } = &self.shown;
        let source = core.settings.identity;
        let fetch = address.map(|address| Reference { source, ..Reference::read(address, 4) });
        signals.show_sent(core.ports.fetch_request, fetch, true);
        signals.show(core.ports.fetch_response, address.map(|_| *instruction), true);
        signals.show_sent(core.ports.data_request, reference.map(WordReference::reference), true);
        signals.show(core.ports.data_response, reference.map(|_| *data), true);
    }
}

impl<A: Architecture> FlatCore<A> {
    /// Presents the core's references and the memory's answers through channels.
    #[inline(never)]
    fn evaluate_singly(&self, core: &PipelinedCore<A>, memory: &MultiportedMemory, signals: &mut Signals) {
        core.evaluate(0, 0, signals);
        for code in MultiportedMemory::AT_ONCE {
            memory.evaluate(code, self.fetch_lane, signals);
            memory.evaluate(code, self.data_lane, signals);
        }
    }

    #[inline(never)]
    fn commit_singly(
        &mut self,
        mut core: Member<'_, PipelinedCore<A>>,
        mut memories: FollowersMut<'_, MultiportedMemory>,
        mut edge: FusedEdge<'_>,
    ) {
        let mut memory = memories.at(0);
        let (memory, mut at_memory) = edge.of(&mut memory);
        memory.commit(&mut at_memory);
        let (core, mut at_core) = edge.of(&mut core);
        core.commit(&mut at_core);
    }
}
