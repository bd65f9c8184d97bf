//! A pipelined core, its instruction memory and the address map of its data references, as one.

use std::cell::Cell;

use spinach_engine::{
    AlreadySet, CompanionPorts, Followers, FollowersMut, FusedEdge, FusedProcess, Fusion, Idle, Member,
    MemberProcess, Module, Signals,
};
use spinach_isa::architecture::Architecture;
use spinach_isa::word::Word;

use super::PipelinedCore;
use super::exchanged::{Exchanged, LastCycle};
use super::fetching::FetchingCore;
use super::interface::PipelinedCorePorts;
use super::stretch::Stretch;
use crate::interconnect::routing::Route;
use crate::interconnect::{AddressMap, AddressMapPorts};
use crate::memory::MultiportedMemory;

/// A pipelined core, the memory of its instructions, and the map that leads its data references to their targets; besides, a memory
/// among these.
pub(in crate::processor) struct MappedCore<A: Architecture> {
    /// True if a memory behind the map is in it. The channels to it are in use, as without the fusion.
    has_data: bool,
    /// Route of the data reference of this cycle, if it may pass.
    passing: Cell<Option<Route>>,
    /// True if in this cycle no data reference is presented and none is answered, nor a block by the memory.
    is_quiet: Cell<bool>,
    /// Set if the channels of map and memory show that.
    quiet: AlreadySet,
    last: LastCycle<A::Word>,
    stretch: Stretch<A>,
    /// True if the last cycle was simulated in a stretch: its channels do not show it.
    was_ahead: bool,
    /// True if nothing happens in the next cycles of a stretch unless others refer to the memory.
    begins_to_rest: bool,
}

// Places of the followers.
const INSTRUCTIONS: usize = 0;
const DATA: usize = 1;

// Processes: outputs of all, together or in two parts, and acknowledgements.
const PRESENT: u16 = 0;
const PRESENT_OTHERS: u16 = 1;
const PRESENT_DATA: u16 = 2;
const TAKE: u16 = 3;

impl<A: Architecture> MappedCore<A> {
    // Presents the data reference and the answers of map and memory.
    #[inline(always)]
    fn present(
        &self,
        core: &PipelinedCore<A>,
        followers: Followers<'_, MultiportedMemory, AddressMap>,
        signals: &mut Signals,
    ) {
        let map = followers.companion();
        let is_quiet =
            !self.presents_data(core) && !map.is_awaited() && (!self.has_data || followers.at(DATA).rests());
        self.is_quiet.set(is_quiet);
        if is_quiet && signals.are_set(&self.quiet) {
            return;
        }
        if self.has_data {
            followers.at(DATA).present(signals);
        }
        let presented = core.state.presented;
        let passing = map.lead(self.reference(core), signals, |signals, output, address| {
            signals.write_if(output, true, presented.at(address).reference());
        });
        self.passing.set(passing);
    }

    // Commits map and memory.
    #[inline(always)]
    fn exchange(
        &mut self,
        core: &PipelinedCore<A>,
        mut followers: FollowersMut<'_, MultiportedMemory, AddressMap>,
        mut edge: FusedEdge<'_>,
    ) {
        let is_offered = core.state.presents_data;
        let mut map = followers.companion();
        let (map, mut at_map) = edge.of(&mut map);
        let led = map.led(is_offered, self.passing.get(), at_map.signals);
        map.commit_led(&led, &mut at_map);
        if self.has_data {
            let mut memory = followers.at(DATA);
            let (memory, mut at_memory) = edge.of(&mut memory);
            memory.commit_behind(&mut at_memory);
        }
        self.last.presented = core.state.presented;
        self.last.exchanged = Exchanged {
            is_offered,
            is_taken: led.is_taken,
            is_answered: led.is_answered,
            is_fault: led.is_fault,
            data: led.data,
        };
    }

    // Accepts or refuses references to the memory.
    #[inline(always)]
    fn take(&self, followers: Followers<'_, MultiportedMemory, AddressMap>, signals: &mut Signals) {
        if !self.is_quiet.get() {
            self.quiet.forget();
        } else if signals.are_set_already(&self.quiet) {
            return;
        }
        if self.has_data {
            followers.at(DATA).accept(signals);
        }
    }

    // Address and bytes of the data reference that the core presents.
    #[inline(always)]
    fn reference(&self, core: &PipelinedCore<A>) -> Option<(u64, u64)> {
        let presented = &core.state.presented;
        self.presents_data(core).then(|| (presented.address.to_u64(), presented.size()))
    }

    // True if the core presents a data reference: one in a stretch makes none.
    #[inline(always)]
    fn presents_data(&self, core: &PipelinedCore<A>) -> bool {
        core.state.presents_data & !self.stretch.is_ahead()
    }

    // Commits a cycle that the core has simulated before.
    #[inline(never)]
    fn pass(
        &mut self,
        mut core: Member<'_, PipelinedCore<A>>,
        mut followers: FollowersMut<'_, MultiportedMemory, AddressMap>,
        mut edge: FusedEdge<'_>,
    ) {
        self.stretch.pass(&mut core, &mut followers, &mut edge);
        let mut memory = followers.at(DATA);
        let (memory, mut at_memory) = edge.of(&mut memory);
        memory.commit_without_references(&mut at_memory);
        self.begins_to_rest = self.stretch.is_long() && memory.rests();
        if !self.stretch.is_ahead() {
            self.stretch.end(&mut self.last, &mut followers);
            self.was_ahead = true;
        }
    }
}

impl<A: Architecture> Fusion for MappedCore<A> {
    type Leader = PipelinedCore<A>;
    type Follower = MultiportedMemory;
    type Companion = AddressMap;

    const LEADER_PORTS: (usize, usize) = FetchingCore::<A>::LEADER_PORTS;
    const FOLLOWER_PORTS: (usize, usize) = FetchingCore::<A>::FOLLOWER_PORTS;
    const COMPANION_PORTS: Option<CompanionPorts> = Some(CompanionPorts {
        leader: (PipelinedCorePorts::DATA_REQUEST, PipelinedCorePorts::DATA_RESPONSE),
        companion: (AddressMapPorts::INITIATOR_REQUEST, AddressMapPorts::INITIATOR_RESPONSE),
        beyond: Some((AddressMapPorts::TARGET_REQUEST, AddressMapPorts::TARGET_RESPONSE)),
    });
    const ACCOUNTS_FOR_SLEEP: bool = true;

    fn admits(core: &PipelinedCore<A>, lane: usize, memory: &MultiportedMemory) -> bool {
        FetchingCore::admits(core, lane, memory)
    }

    fn admits_companion(_: &PipelinedCore<A>, _: &AddressMap) -> bool {
        true
    }

    fn admits_beyond(_: &AddressMap, _: usize, memory: &MultiportedMemory) -> bool {
        memory.is_behind_one()
    }

    fn new(
        core: &PipelinedCore<A>,
        lanes: &[usize],
        members: Followers<'_, MultiportedMemory, AddressMap>,
    ) -> Self {
        Self {
            has_data: members.len() > DATA,
            passing: Cell::new(None),
            is_quiet: Cell::new(false),
            quiet: AlreadySet::default(),
            last: LastCycle::default(),
            stretch: Stretch::new(core, lanes.get(DATA).copied().unwrap_or_default()),
            was_ahead: false,
            begins_to_rest: false,
        }
    }

    fn processes(
        &self,
        _: &PipelinedCore<A>,
        followers: Followers<'_, MultiportedMemory, AddressMap>,
        finely: bool,
    ) -> Vec<FusedProcess> {
        let of = |follower, (code, lane)| MemberProcess { follower, code, lane };
        let map = Some(followers.len());
        let mut others = vec![of(None, (0, 0))];
        others.extend(MultiportedMemory::AT_ONCE.map(|code| of(Some(INSTRUCTIONS), (code, 0))));
        let mut data: Vec<_> = AddressMap::LEADING.map(|code| of(map, (code, 0))).into();
        let mut take = vec![of(map, (AddressMap::TAKING, 0))];
        if self.has_data {
            let memory = followers.at(DATA);
            data.extend(MultiportedMemory::PRESENTING.map(|code| of(Some(DATA), (code, 0))));
            take.extend(memory.accepting().map(|process| of(Some(DATA), process)));
        }
        let process = |code, parts| FusedProcess { code, parts };
        if finely {
            return vec![process(PRESENT_OTHERS, others), process(PRESENT_DATA, data), process(TAKE, take)];
        }
        others.extend(data);
        vec![process(PRESENT, others), process(TAKE, take)]
    }

    #[inline(always)]
    fn evaluate(
        &self,
        code: u16,
        core: &PipelinedCore<A>,
        followers: Followers<'_, MultiportedMemory, AddressMap>,
        signals: &mut Signals,
    ) {
        if code <= PRESENT_OTHERS && !signals.are_set_already(&core.others) {
            core.evaluate_others(signals);
        }
        if code == TAKE {
            self.take(followers, signals);
        } else if code != PRESENT_OTHERS {
            self.present(core, followers, signals);
        }
    }

    #[inline(always)]
    fn commit(
        &mut self,
        mut core: Member<'_, PipelinedCore<A>>,
        mut followers: FollowersMut<'_, MultiportedMemory, AddressMap>,
        mut edge: FusedEdge<'_>,
    ) {
        if self.stretch.is_ahead() {
            return self.pass(core, followers, edge);
        }
        self.was_ahead = false;
        let fetched;
        (fetched, self.last.fetched) = FetchingCore::fetch(core.module, &mut followers.at(INSTRUCTIONS));
        if self.is_quiet.get() {
            if self.has_data {
                let mut memory = followers.at(DATA);
                let (memory, mut at_memory) = edge.of(&mut memory);
                memory.commit_without_references(&mut at_memory);
            }
            self.last.exchanged = Exchanged::default();
        } else {
            self.exchange(core.module, followers.reborrow(), edge.reborrow());
        }
        let (member, mut at_core) = edge.of(&mut core);
        member.commit_exchanged(fetched, self.last.exchanged, &mut at_core);
        if self.has_data && !self.last.exchanged.is_offered {
            self.stretch.begin(&mut core, &mut followers, &mut edge);
            self.begins_to_rest = self.stretch.is_long() && followers.at(DATA).module.rests();
        }
    }

    fn idle(&self, core: &PipelinedCore<A>, followers: Followers<'_, MultiportedMemory, AddressMap>) -> Idle {
        if self.stretch.is_ahead() {
            return match self.stretch.is_long() {
                true => followers.at(DATA).idle().and(Idle::UntilCycle(self.stretch.until() - 1)),
                false => Idle::No,
            };
        }
        // No other module sees the values between core and map, so nothing else keeps them awake. A core that the host
        // has halted rests while an answer comes.
        if self.last.exchanged.is_offered || self.last.exchanged.is_answered {
            return Idle::No;
        }
        let both = core.idle().and(followers.companion().idle());
        if self.has_data { both.and(followers.at(DATA).idle()) } else { both }
    }

    fn slept(
        &mut self,
        core: Member<'_, PipelinedCore<A>>,
        _: FollowersMut<'_, MultiportedMemory, AddressMap>,
        first: u64,
        count: u64,
    ) {
        if self.stretch.is_ahead() {
            return self.stretch.slept(first, count);
        }
        core.module.slept(first, count, core.counters);
    }

    fn begins_to_rest(&self) -> bool {
        self.begins_to_rest
    }

    fn is_ahead(&self) -> bool {
        self.stretch.is_ahead()
    }

    fn settle(
        &mut self,
        mut core: Member<'_, PipelinedCore<A>>,
        mut followers: FollowersMut<'_, MultiportedMemory, AddressMap>,
        mut edge: FusedEdge<'_>,
    ) {
        self.was_ahead |= self.stretch.settle(&mut self.last, &mut core, &mut followers, &mut edge);
        self.begins_to_rest = false;
    }

    fn note_change(&mut self) {
        self.quiet.forget();
        self.stretch.code.note_change();
    }

    fn reveal(
        &self,
        core: &PipelinedCore<A>,
        followers: Followers<'_, MultiportedMemory, AddressMap>,
        signals: &mut Signals,
    ) {
        self.last.show(core, signals);
        if self.was_ahead {
            self.stretch.show(followers, signals);
            self.quiet.forget();
        }
    }
}
