//! Stretches of cycles that a core simulates at once, because it refers to nothing but its instructions and a memory of data that
//! answers it in the next cycle.
//!
//! Core and memories are then ahead of the clock. Others may refer to other bytes of the memory meanwhile. If they refer to the same
//! bytes, or if anything looks at the core after a run, the stretch is reverted to its beginning, and simulated again up to the present
//! cycle.

use spinach_engine::{Followers, FollowersMut, FusedEdge, Member, Signals};
use spinach_isa::architecture::Architecture;
use spinach_isa::word::Word;

use super::super::accounts::Cause;
use super::super::history::Completed;
use super::super::interrupts::Interrupts;
use super::super::stop::StopCause;
use super::PipelinedCore;
use super::exchanged::{Exchanged, LastCycle};
use super::fetching::FetchingCore;
use super::known_code::Code;
use super::state::{FLIGHTS, Fetch, Flight, OutstandingReferences, PipelinedState, Place, WordReference};
use crate::interconnect::AddressMap;
use crate::interconnect::routing::Order;
use crate::memory::{MadeAhead, MultiportedMemory};
use crate::values::Response;

/// Maximum length, in cycles: as many are simulated again at most where a stretch is reverted.
const LONGEST: u64 = 256;
/// Minimum number of cycles for which it pays to sleep.
const WORTH_SLEEPING: u64 = 8;

// Places of the followers.
pub(super) const INSTRUCTIONS: usize = 0;
const DATA: usize = 1;

pub(super) type Core<'a, A> = Member<'a, PipelinedCore<A>>;
pub(super) type Others<'a> = FollowersMut<'a, MultiportedMemory, AddressMap>;

/// A stretch of cycles of a core.
pub(super) struct Stretch<A: Architecture> {
    /// Number of the memory among the targets of the map.
    target: u8,
    /// First cycle, the present one, and the first that is not simulated yet. There is no stretch if the last two are equal.
    began: u64,
    now: u64,
    until: u64,
    before: Box<Before<A>>,
    /// Counters of core, instruction memory and map at the beginning.
    counters: [Vec<u64>; 3],
    /// References of the stretch.
    made: Vec<MadeAhead>,
    /// Outstanding answers of the map at the end.
    order: Order,
    /// Data of the memory's last answer, and its cycle.
    pub(super) answered: Option<(u64, u64)>,
    /// Data of the answer that comes in the next cycle.
    pub(super) answer: Option<u64>,
    /// Data of the answer to a reference that was made before its cycle has come.
    pub(super) made_answer: Option<u64>,
    /// Values of the last cycle.
    last: LastCycle<A::Word>,
    /// The decoded instruction memory.
    pub(super) code: Code<A>,
}

/// State of a core with the default timing at the beginning of a stretch: all that can change in it.
struct Before<A: Architecture> {
    fetch: Fetch<A::Word>,
    missing: A::Word,
    registers_under_way: [u64; 2],
    held: u32,
    next: Place,
    stages: [Option<Place>; 3],
    empty_cause: Cause,
    flags: [bool; 4],
    presented: WordReference<A::Word>,
    reference: WordReference<A::Word>,
    multiplier_ready_at: u64,
    outstanding: OutstandingReferences<A::Word>,
    flights: [Flight<A>; FLIGHTS],
    failures: [StopCause<A>; FLIGHTS],
    parcel: Option<u16>,
    registers: A::Registers,
    interrupts: Interrupts,
    counted_until: u64,
    /// Number of entries of the history, and those that a stretch may replace.
    recorded: u64,
    history: Vec<Completed<A::Word>>,
}

impl<A: Architecture> Before<A> {
    /// The present state, with the entries of the history in an existing list.
    fn of(state: &PipelinedState<A>, mut history: Vec<Completed<A::Word>>) -> Self {
        let program = &state.program;
        Self {
            fetch: state.fetch,
            missing: state.missing,
            registers_under_way: [state.awaited, state.fresh],
            held: state.held,
            next: state.next,
            stages: [state.decode, state.execute, state.memory[0]],
            empty_cause: state.empty_cause,
            flags: [state.wrong_path, state.follows_branch, state.exception_pending, state.presents_data],
            presented: state.presented,
            reference: state.reference,
            multiplier_ready_at: state.multiplier_ready_at,
            outstanding: state.outstanding,
            flights: state.flights,
            failures: state.failures,
            parcel: state.parcel,
            registers: program.registers.clone(),
            interrupts: program.interrupts,
            counted_until: program.counted_until,
            recorded: program.history.save_next(LONGEST as usize, &mut history),
            history,
        }
    }

    fn restore(&self, state: &mut PipelinedState<A>) {
        let program = &mut state.program;
        program.registers.clone_from(&self.registers);
        program.interrupts = self.interrupts;
        program.counted_until = self.counted_until;
        program.history.restore_next(self.recorded, &self.history);
        if let Some(profile) = &mut program.profile {
            profile.revert_trail();
        }
        state.fetch = self.fetch;
        state.missing = self.missing;
        [state.awaited, state.fresh] = self.registers_under_way;
        state.held = self.held;
        state.next = self.next;
        [state.decode, state.execute, state.memory[0]] = self.stages;
        state.empty_cause = self.empty_cause;
        [state.wrong_path, state.follows_branch, state.exception_pending, state.presents_data] = self.flags;
        state.presented = self.presented;
        state.reference = self.reference;
        state.multiplier_ready_at = self.multiplier_ready_at;
        state.outstanding = self.outstanding;
        state.flights = self.flights;
        state.failures = self.failures;
        state.parcel = self.parcel;
    }
}

impl<A: Architecture> Stretch<A> {
    /// No stretch, of a core whose memory of data is this target of the map.
    pub(super) fn new(core: &PipelinedCore<A>, target: usize) -> Self {
        Self {
            target: target as u8,
            began: 0,
            now: 0,
            until: 0,
            before: Box::new(Before::of(&core.state, Vec::new())),
            counters: Default::default(),
            made: Vec::new(),
            order: Order::default(),
            answered: None,
            answer: None,
            made_answer: None,
            last: LastCycle::default(),
            code: Code::new(core.settings.architecture),
        }
    }

    /// True while core and memories are ahead.
    #[inline(always)]
    pub(super) fn is_ahead(&self) -> bool {
        self.now != self.until
    }

    /// First cycle that is not simulated yet; meaningless without a stretch.
    pub(super) fn until(&self) -> u64 {
        self.until
    }

    /// True if it pays to sleep until the last cycle.
    #[inline(always)]
    pub(super) fn is_long(&self) -> bool {
        self.is_ahead() && self.until - self.now > WORTH_SLEEPING
    }

    /// Simulates cycles from the next on, behind one in which no data reference was made or answered, if they may be a stretch.
    #[inline(always)]
    pub(super) fn begin(
        &mut self,
        core: &mut Core<'_, A>,
        others: &mut Others<'_>,
        edge: &mut FusedEdge<'_>,
    ) {
        let state = &core.module.state;
        let is_quiet = !state.presents_data && state.outstanding.is_empty();
        if is_quiet && edge.may_run_ahead() && core.module.may_stretch() {
            self.advance(core, others, edge);
        }
    }

    #[inline(never)]
    fn advance(&mut self, core: &mut Core<'_, A>, others: &mut Others<'_>, edge: &mut FusedEdge<'_>) {
        let memory = others.at(DATA);
        if !memory.module.may_be_ahead() {
            return;
        }
        let history = std::mem::take(&mut self.before.history);
        *self.before = Before::of(&core.module.state, history);
        let [of_core, of_instructions, of_map] = &mut self.counters;
        copy(core.counters, of_core);
        copy(others.at(INSTRUCTIONS).counters, of_instructions);
        copy(others.companion().counters, of_map);
        if let Some(profile) = &mut core.module.state.program.profile {
            profile.begin_trail();
        }
        self.began = edge.cycle() + 1;
        self.now = self.began;
        self.made.clear();
        self.until = self.simulate(self.began + LONGEST, core, others, edge);
        if let Some(profile) = &mut core.module.state.program.profile {
            profile.end_trail();
        }
    }

    /// Simulates cycles from the first on up to `end`, or up to one whose reference goes elsewhere. Returns the first that was not
    /// simulated.
    fn simulate(
        &mut self,
        end: u64,
        core: &mut Core<'_, A>,
        others: &mut Others<'_>,
        edge: &mut FusedEdge<'_>,
    ) -> u64 {
        self.order = others.companion().module.order();
        (self.answered, self.answer, self.made_answer) = (None, None, None);
        let mut cycle = self.began;
        loop {
            // The general form leaves the values of the last cycle.
            cycle = self.run_plain(cycle, end.saturating_sub(1), core, others);
            let state = &core.module.state;
            let may_end = self.made_answer.is_none();
            let is_ordinary = core.module.is_usual
                && !state.exception_pending
                && state.program.interrupts.awaited().is_none();
            if cycle == end || may_end && !is_ordinary {
                return cycle;
            }
            let (is_offered, presented) = (state.presents_data, state.presented);
            let mut side = Exchanged { is_offered, is_taken: is_offered, ..Exchanged::default() };
            let mut next = None;
            if is_offered {
                let made = self.made_answer.take();
                let Some(data) = made.or_else(|| self.refer(presented, others)) else { return cycle };
                (next, self.answered) = (Some(data), Some((data, cycle + 1)));
            }
            if let Some(data) = std::mem::replace(&mut self.answer, next) {
                (side.is_answered, side.data) = (true, data);
            }
            let fetched;
            (fetched, self.last.fetched) = FetchingCore::fetch(core.module, &mut others.at(INSTRUCTIONS));
            (self.last.presented, self.last.exchanged) = (presented, side);
            edge.at(cycle, |edge| {
                let (core, mut at_core) = edge.of(core);
                core.commit_alone(fetched, side, &mut at_core);
            });
            cycle += 1;
        }
    }

    /// Makes a reference, if it is a plain one to the memory. Returns the data of the answer.
    #[inline(always)]
    pub(super) fn refer(
        &mut self,
        presented: WordReference<A::Word>,
        others: &mut Others<'_>,
    ) -> Option<u64> {
        let (size, written) = presented.plain()?;
        let map = others.companion().module;
        let address = map.address_at(self.target, presented.address.to_u64(), size)?;
        let memory = others.at(DATA);
        let made = memory.module.perform_ahead(address, size, written, memory.counters)?;
        AddressMap::count_ahead(others.companion().counters);
        self.made.push(made);
        // Each is answered before the next is taken.
        if self.order.outstanding > 0 {
            self.order.pop();
        }
        self.order.push(self.target);
        Some(made.answer())
    }

    /// Ends a cycle of the stretch, in which others have asked the memory for nothing but blocks; before it performs these.
    pub(super) fn pass(&mut self, core: &mut Core<'_, A>, others: &mut Others<'_>, edge: &mut FusedEdge<'_>) {
        let cycle = edge.cycle();
        debug_assert!(cycle == self.now && self.is_ahead());
        let is_disturbed =
            !edge.may_run_ahead() || others.at(DATA).module.has_block_on(&self.made, edge.signals);
        if is_disturbed {
            self.simulate_again(cycle + 1, core, others, edge);
        }
        self.now = cycle + 1;
    }

    /// Takes note of cycles in which all slept.
    pub(super) fn slept(&mut self, first: u64, count: u64) {
        debug_assert_eq!(first, self.now);
        self.now = first + count;
        debug_assert!(self.is_ahead());
    }

    /// Brings map and memory to the state of the end, which has come.
    pub(super) fn end(&mut self, last: &mut LastCycle<A::Word>, others: &mut Others<'_>) {
        *last = self.last;
        let is_due = self.answer.is_some();
        if !is_due && self.order.outstanding > 0 {
            self.order.pop();
        }
        others.companion().module.set_order(self.order);
        others.at(DATA).module.end_ahead(self.answered, is_due);
    }

    /// Ends the stretch at the present cycle. Returns true if it has lasted a cycle at least.
    pub(super) fn settle(
        &mut self,
        last: &mut LastCycle<A::Word>,
        core: &mut Core<'_, A>,
        others: &mut Others<'_>,
        edge: &mut FusedEdge<'_>,
    ) -> bool {
        if !self.is_ahead() {
            return false;
        }
        self.simulate_again(self.now, core, others, edge);
        let has_lasted = self.began < self.until;
        if has_lasted {
            self.end(last, others);
        }
        has_lasted
    }

    /// Shows what passed between map and memory in the last cycle.
    pub(super) fn show(&self, others: Followers<'_, MultiportedMemory, AddressMap>, signals: &mut Signals) {
        let LastCycle { presented, exchanged: side, .. } = self.last;
        let map = others.companion();
        let request = side.is_offered.then(|| {
            let address = map.address_at(self.target, presented.address.to_u64(), presented.size());
            presented.at(address.unwrap_or_default()).reference()
        });
        let response = side.is_answered.then(|| Response { data: side.data.into(), is_fault: false });
        map.show(self.target, request, response, signals);
        others.at(DATA).forget_outputs();
    }

    /// Reverts the stretch to its beginning, and simulates it up to `end`, where it ends now.
    #[inline(never)]
    fn simulate_again(
        &mut self,
        end: u64,
        core: &mut Core<'_, A>,
        others: &mut Others<'_>,
        edge: &mut FusedEdge<'_>,
    ) {
        self.before.restore(&mut core.module.state);
        let [of_core, of_instructions, of_map] = &self.counters;
        core.counters.copy_from_slice(of_core);
        others.at(INSTRUCTIONS).counters.copy_from_slice(of_instructions);
        let map = others.companion();
        map.counters.copy_from_slice(of_map);
        let memory = others.at(DATA);
        memory.module.revert_ahead(&self.made, memory.counters);
        self.made.clear();
        self.until = self.simulate(end, core, others, edge);
        debug_assert_eq!(self.until, end, "the same cycles are simulated");
    }
}

fn copy(counters: &[u64], saved: &mut Vec<u64>) {
    saved.clear();
    saved.extend_from_slice(counters);
}

impl<A: Architecture> PipelinedCore<A> {
    /// True if the core runs freely with the default timing, and nothing but the answers to its references reaches it.
    #[inline(always)]
    fn may_stretch(&self) -> bool {
        let state = &self.state;
        self.is_usual
            && !self.is_attended
            && !state.exception_pending
            && state.store_buffer.is_empty()
            && self.period.is_none()
    }
}
