//! A pipelined core and the private memory next to it, as one.

use spinach_engine::{
    Followers, FollowersMut, FusedEdge, FusedProcess, Fusion, Idle, Member, MemberProcess, Module, Signals,
};
use spinach_isa::architecture::Architecture;
use spinach_isa::word::Word;

use super::PipelinedCore;
use super::exchanged::{Exchanged, Fetched};
use super::interface::PipelinedCorePorts;
use super::state::WordReference;
use crate::memory::{Moved, PrivateMemory, PrivateMemoryPorts, SideOutcome};
use crate::values::Reference;

/// A pipelined core and a private memory of which it has both sides.
///
/// References beyond it use channels; answers of the scratch pad do not.
pub(in crate::processor) struct PrivateCore<A: Architecture> {
    /// Values that would have passed through the channels between them in the last cycle.
    shown: Shown<A>,
}

#[derive(Clone, Copy)]
enum Shown<A: Architecture> {
    Nothing,
    /// An instruction out of the scratch pad, and nothing else.
    Word {
        address: u64,
        word: u32,
    },
    Any {
        address: Option<u64>,
        fetched: SideOutcome,
        reference: Option<WordReference<A::Word>>,
        data: SideOutcome,
    },
}

/// The process of the core and of the forwarding of the memory.
const REFER: u16 = 0;
/// Answer of the memory: internal to the two, so that it is computed at the edge.
const ANSWER: u16 = 1;

impl<A: Architecture> Fusion for PrivateCore<A> {
    type Leader = PipelinedCore<A>;
    type Follower = PrivateMemory;
    type Companion = PrivateMemory;

    const LEADER_PORTS: (usize, usize) =
        (PipelinedCorePorts::FETCH_REQUEST, PipelinedCorePorts::FETCH_RESPONSE);
    const FOLLOWER_PORTS: (usize, usize) =
        (PrivateMemoryPorts::INSTRUCTIONS_REQUEST, PrivateMemoryPorts::INSTRUCTIONS_RESPONSE);
    const ACCOUNTS_FOR_SLEEP: bool = true;

    fn admits(core: &PipelinedCore<A>, _: usize, memory: &PrivateMemory) -> bool {
        let ports = &core.ports;
        memory
            .serves([(ports.fetch_request, ports.fetch_response), (ports.data_request, ports.data_response)])
    }

    fn new(_: &PipelinedCore<A>, _: &[usize], _: Followers<'_, PrivateMemory>) -> Self {
        Self { shown: Shown::Nothing }
    }

    fn processes(&self, _: &PipelinedCore<A>, _: Followers<'_, PrivateMemory>, _: bool) -> Vec<FusedProcess> {
        let [passes, answers] =
            PrivateMemory::PROCESSES.map(|code| MemberProcess { follower: Some(0), code, lane: 0 });
        let of_core = MemberProcess { follower: None, code: 0, lane: 0 };
        vec![
            FusedProcess { code: REFER, parts: vec![of_core, passes] },
            FusedProcess { code: ANSWER, parts: vec![answers] },
        ]
    }

    #[inline(always)]
    fn evaluate(
        &self,
        code: u16,
        core: &PipelinedCore<A>,
        memories: Followers<'_, PrivateMemory>,
        signals: &mut Signals,
    ) {
        if code != REFER {
            return;
        }
        let state = &core.state;
        let address = state.fetch.presents.then(|| state.fetch_address().to_u64());
        let data = state.presents_data.then(|| state.presented.address.to_u64());
        let taken = memories.at(0).choose_ways(address, data, signals);
        if taken != 0 {
            let references = (core.fetch_reference(), state.presented.reference());
            memories.at(0).pass_along(taken, references.0, references.1, signals);
        }
        if !signals.are_set_already(&core.others) {
            core.evaluate_others(signals);
        }
    }

    #[inline(always)]
    fn commit(
        &mut self,
        mut core: Member<'_, PipelinedCore<A>>,
        mut memories: FollowersMut<'_, PrivateMemory>,
        mut edge: FusedEdge<'_>,
    ) {
        let state = &core.module.state;
        let (address, presents) = (state.fetch_address().to_u64(), state.fetch.presents);
        let is_offered = state.presents_data;
        let memory = memories.at(0);
        let word = if is_offered { None } else { memory.module.only_word(address) };
        let (fetched, outcome) = if let Some(word) = word {
            self.shown = Shown::Word { address, word };
            let mut memory = memory;
            let (memory, mut at_memory) = edge.of(&mut memory);
            memory.give_word(&mut at_memory);
            (Fetched::Answer { data: word.into(), is_fault: false }, SideOutcome::default())
        } else if !is_offered & !presents && memory.module.is_quiet(edge.signals) {
            self.shown = Shown::Nothing;
            let mut memory = memory;
            let (memory, mut at_memory) = edge.of(&mut memory);
            memory.stay_quiet(&mut at_memory);
            (Fetched::Nothing { is_taken: false }, SideOutcome::default())
        } else {
            self.exchange(core.module, memories.reborrow(), edge.reborrow())
        };
        let (core, mut at_core) = edge.of(&mut core);
        let SideOutcome { is_taken, is_answered, is_fault, data } = outcome;
        let side = Exchanged { is_offered, is_taken, is_answered, is_fault, data };
        core.commit_exchanged(fetched, side, &mut at_core);
    }

    // A core that presents nothing is woken by a response.
    fn idle(&self, core: &PipelinedCore<A>, _: Followers<'_, PrivateMemory>) -> Idle {
        core.idle()
    }

    fn slept(
        &mut self,
        core: Member<'_, PipelinedCore<A>>,
        _: FollowersMut<'_, PrivateMemory>,
        first: u64,
        count: u64,
    ) {
        core.module.slept(first, count, core.counters);
    }

    fn reveal(&self, core: &PipelinedCore<A>, _: Followers<'_, PrivateMemory>, signals: &mut Signals) {
        let nothing = SideOutcome::default();
        let (address, fetched, reference, data) = match self.shown {
            Shown::Nothing => (None, nothing, None, nothing),
            Shown::Word { address, word } => (Some(address), SideOutcome::word(word), None, nothing),
            Shown::Any { address, fetched, reference, data } => (address, fetched, reference, data),
        };
        let source = core.settings.identity;
        let fetch = address.map(|address| Reference { source, ..Reference::read(address, 4) });
        signals.show_sent(core.ports.fetch_request, fetch, fetched.is_taken);
        signals.show(core.ports.fetch_response, fetched.answer(), true);
        let reference = reference.map(WordReference::reference);
        signals.show_sent(core.ports.data_request, reference, data.is_taken);
        signals.show(core.ports.data_response, data.answer(), true);
    }
}

impl<A: Architecture> PrivateCore<A> {
    /// Outcome of a core's presented references, and the actions in its memory.
    #[inline(never)]
    fn exchange(
        &mut self,
        core: &PipelinedCore<A>,
        mut memories: FollowersMut<'_, PrivateMemory>,
        mut edge: FusedEdge<'_>,
    ) -> (Fetched, SideOutcome) {
        let state = &core.state;
        let (address, presented) = (state.fetch_address().to_u64(), state.presented);
        let asked = state.fetch.presents.then_some(address);
        let mut memory = memories.at(0);
        let (memory, mut at_memory) = edge.of(&mut memory);
        let instruction = memory.instruction_outcome(address, at_memory.signals);
        let data = memory.data_outcome(presented.word_access(), || presented.reference(), at_memory.signals);
        let moved = Moved {
            takes_instruction: instruction.is_taken,
            gives_instruction: instruction.is_answered,
            takes_data: data.is_taken,
            gives_data: data.is_answered,
        };
        memory.commit_for_core(moved, asked, || presented.reference(), &mut at_memory);
        let reference = state.presents_data.then_some(presented);
        self.shown = Shown::Any { address: asked, fetched: instruction, reference, data };
        let fetched = if instruction.is_answered {
            Fetched::Answer { data: instruction.data, is_fault: instruction.is_fault }
        } else {
            Fetched::Nothing { is_taken: instruction.is_taken }
        };
        (fetched, data)
    }
}
