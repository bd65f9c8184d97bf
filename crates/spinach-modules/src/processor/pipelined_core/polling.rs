//! Polling loops: a core only reads, and reads the same values in each iteration.
//!
//! A core that waits for a packet repeats a few instructions. Once its state recurs after references that are all reads, it recurs until a
//! read returns another value or another input arrives. Until then the core is suspended, and only its references are made. Then it catches
//! up: whole periods are counted, and the cycles of the last one are simulated with the recorded answers.
//!
//! While the packet mover does nothing that these reads could see, both sleep.

use spinach_engine::{Edge, FollowersMut, FusedEdge, Idle, Leap, Member};
use spinach_isa::architecture::Architecture;
use spinach_isa::word::Word;

use super::super::form::Free;
use super::PipelinedCore;
use super::dues::ChangedDues;
use super::exchanged::{Exchanged, Fetched, LastCycle};
use super::fetching::FetchingCore;
use super::loop_state::LoopState;
use crate::dma::packet_mover::{CoreExchange, PacketMover};
use crate::memory::MultiportedMemory;
use crate::values::{Reference, Response};

/// Maximum length of a period, in cycles.
const LONGEST: u64 = 64;
/// Number of cycles until the next trial after a loop that did not recur: at first, and at most.
const SHORTEST_PAUSE: u64 = 64;
const LONGEST_PAUSE: u64 = 4096;

// Place of the instruction memory among the followers.
pub(super) const INSTRUCTIONS: usize = 0;

/// A loop of a core that polls.
pub(super) struct Polling<A: Architecture> {
    stage: Stage,
    /// Reference that recurs: a hash of it and of the core, the cycle in which it was taken last, and the distance from the one
    /// before.
    mark: u64,
    marked_at: u64,
    distance: u64,
    /// Number of cycles until the next trial if the loop does not recur, and their end.
    pause: u64,
    pauses_until: u64,
    /// First cycle of the period that is recorded, and its length.
    start: u64,
    length: u64,
    /// State of the core when it began, and the answers that were on their way.
    state: Option<LoopState<A>>,
    answers_before: Vec<Response>,
    /// Counters of core and instruction memory when it began, then their increase in each period; likewise the number of instructions.
    counters: [Vec<u64>; 2],
    instructions: u64,
    dues: ChangedDues,
    /// Cycle in which time alone changes the behaviour of the core.
    until: u64,
    /// References in the period, in order, each with its cycle in it and its answer.
    reads: Vec<(u64, Reference, Response)>,
    /// True if only events at the packet mover change what they return.
    is_steady: bool,
    /// Answers in the period, each with its cycle in it.
    answers: Vec<(u64, Response)>,
    /// While the core is suspended or resumes: the first cycle of the first period that it has not executed, the next cycle, its place in
    /// the period, and the next reference.
    began: u64,
    cycle: u64,
    place: u64,
    read: usize,
    /// Number of cycles since the packet mover did something that a read could see.
    quiet: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// References are compared with earlier ones.
    Watches,
    /// A period is recorded.
    Records,
    /// The core has caught up within a period because the run ended, and continues to the end of this period.
    Resumes,
    /// The core is suspended.
    Skips,
}

type Core<'a, A> = Member<'a, PipelinedCore<A>>;
type Others<'a> = FollowersMut<'a, MultiportedMemory, PacketMover>;

impl<A: Architecture> Polling<A> {
    pub(super) fn new() -> Self {
        Self {
            stage: Stage::Watches,
            mark: 0,
            marked_at: 0,
            distance: 0,
            pause: SHORTEST_PAUSE,
            pauses_until: 0,
            start: 0,
            length: 0,
            state: None,
            answers_before: Vec::new(),
            counters: Default::default(),
            instructions: 0,
            dues: ChangedDues::default(),
            until: 0,
            reads: Vec::new(),
            is_steady: false,
            answers: Vec::new(),
            began: 0,
            cycle: 0,
            place: 0,
            read: 0,
            quiet: 0,
        }
    }

    /// True while every cycle of the core matters.
    #[inline(always)]
    pub(super) fn follows(&self) -> bool {
        matches!(self.stage, Stage::Records | Stage::Resumes)
    }

    /// Forgets the loop; the core must have caught up.
    pub(super) fn forget(&mut self) {
        self.stage = Stage::Watches;
    }

    /// True while the core is suspended.
    #[inline(always)]
    pub(super) fn skips(&self) -> bool {
        self.stage == Stage::Skips
    }

    /// True if a reference that is taken in `cycle` recurs: it was taken as long ago as the time before, or a known period ago.
    #[inline(always)]
    fn recurs(&mut self, mark: u64, cycle: u64) -> bool {
        if mark == self.mark {
            // A restored simulation may be earlier.
            let distance = cycle.wrapping_sub(self.marked_at);
            let is_regular = distance == self.distance || distance == self.length;
            (self.distance, self.marked_at) = (distance, cycle);
            return is_regular && distance <= LONGEST && cycle >= self.pauses_until;
        }
        if cycle.wrapping_sub(self.marked_at) > LONGEST {
            (self.mark, self.marked_at) = (mark, cycle);
        }
        false
    }

    /// The core is suspended from `cycle` on, at the beginning of a period.
    fn begin_to_skip(&mut self, cycle: u64, mover: &mut PacketMover) {
        self.stage = Stage::Skips;
        (self.began, self.cycle, self.place, self.read) = (cycle, cycle, 0, 0);
        self.note_act(mover);
    }

    /// Records that the packet mover may have done something that a read could see.
    fn note_act(&mut self, mover: &mut PacketMover) {
        self.quiet = if self.is_steady && self.expects(mover) { self.length } else { 0 };
    }

    /// True if all reads have just been found to return what is expected from now on.
    #[inline(always)]
    pub(super) fn begins_to_rest(&self) -> bool {
        self.skips() && self.is_steady && self.quiet == self.length
    }

    /// Answer that comes in a cycle of the period.
    fn answer_at(&self, place: u64) -> Option<Response> {
        self.answers.iter().find(|(at, _)| *at == place).map(|(_, response)| *response)
    }

    /// Ends a trial of a loop that does not recur.
    fn give_up(&mut self, cycle: u64) {
        self.forget();
        self.pauses_until = cycle + self.pause;
        self.pause = (2 * self.pause).min(LONGEST_PAUSE);
    }
}

impl<A: Architecture> PipelinedCore<A> {
    /// Commits a cycle in which nothing arrives but the answer to a reference.
    pub(super) fn commit_alone(&mut self, fetched: Fetched, side: Exchanged, edge: &mut Edge<'_>) {
        if self.is_usual {
            self.cycle_usual(fetched, side, edge);
        } else {
            self.cycle_unattended::<Free>(fetched, side, edge);
        }
    }
}

impl<A: Architecture> Polling<A> {
    /// Detects polling loops, after a cycle.
    #[inline(always)]
    pub(super) fn watch(
        &mut self,
        last: &LastCycle<A::Word>,
        core: &mut Core<'_, A>,
        followers: &mut Others<'_>,
        edge: &mut FusedEdge<'_>,
    ) {
        match self.stage {
            Stage::Watches | Stage::Skips => {}
            Stage::Records => return self.record(last, core, followers, edge),
            Stage::Resumes => return self.resume(last.exchanged, core, followers, edge),
        }
        let is_read = last.exchanged.is_taken && last.presented.is_read();
        let mark = last.presented.address.to_u64() ^ core.module.state.outlook_hash().rotate_left(20);
        if is_read && self.recurs(mark, edge.cycle()) && edge.may_run_ahead() {
            self.begin_record(core, followers, edge.cycle() + 1);
        }
    }

    #[inline(never)]
    fn begin_record(&mut self, core: &mut Core<'_, A>, followers: &mut Others<'_>, start: u64) {
        self.state = core.module.loop_state(start);
        if self.state.is_none() {
            return self.give_up(start);
        }
        (self.stage, self.start, self.length) = (Stage::Records, start, self.distance);
        self.until = core.module.state.program.interrupts.due();
        self.reads.clear();
        self.answers.clear();
        self.answers_before.clear();
        self.answers_before.extend(followers.companion().module.answers());
        let memory = followers.at(INSTRUCTIONS);
        for (before, counters) in self.counters.iter_mut().zip([&*core.counters, &*memory.counters]) {
            before.clear();
            before.extend_from_slice(counters);
        }
        let state = &mut core.module.state;
        self.instructions = state.program.history.recorded();
        if let Some(profile) = &mut state.program.profile {
            profile.begin_trail();
        }
    }

    /// Records a cycle of a period.
    #[inline(never)]
    fn record(
        &mut self,
        last: &LastCycle<A::Word>,
        core: &mut Core<'_, A>,
        followers: &mut Others<'_>,
        edge: &mut FusedEdge<'_>,
    ) {
        let (cycle, side) = (edge.cycle(), last.exchanged);
        let place = cycle - self.start;
        let mover = followers.companion();
        if side.is_answered {
            let response = Response { data: side.data.into(), is_fault: side.is_fault };
            self.answers.push((place, response));
        }
        let mut is_steady = cycle < self.until && edge.may_run_ahead();
        if side.is_offered {
            is_steady &= side.is_taken && last.presented.is_read();
            if let Some(answer) = mover.module.last_answer() {
                self.reads.push((place, last.presented.reference(), answer));
            }
        }
        if is_steady && place + 1 < self.length {
            return;
        }
        if let Some(profile) = &mut core.module.state.program.profile {
            profile.end_trail();
        }
        let has_recurred = is_steady
            && self.state.as_ref().is_some_and(|state| state.recurs(core.module, cycle + 1))
            && mover.module.answers().eq(self.answers_before.iter().copied());
        if !has_recurred {
            return self.give_up(cycle);
        }
        let memory = followers.at(INSTRUCTIONS);
        for (increase, counters) in self.counters.iter_mut().zip([&*core.counters, &*memory.counters]) {
            for (increase, counter) in increase.iter_mut().zip(counters) {
                *increase = counter - *increase;
            }
        }
        self.instructions = core.module.state.program.history.recorded() - self.instructions;
        if let Some(state) = &self.state {
            state.dues.find_changed(&core.module.state, &mut self.dues);
        }
        self.is_steady = self.reads.iter().all(|(_, reference, _)| PacketMover::is_steady(reference));
        self.pause = SHORTEST_PAUSE;
        self.begin_to_skip(cycle + 1, followers.companion().module);
    }

    /// Compares a cycle with that of the period.
    #[inline(never)]
    fn resume(
        &mut self,
        side: Exchanged,
        core: &Core<'_, A>,
        followers: &mut Others<'_>,
        edge: &FusedEdge<'_>,
    ) {
        let response = side.is_answered.then(|| Response { data: side.data.into(), is_fault: side.is_fault });
        let is_same = edge.may_run_ahead()
            && core.module.may_repeat()
            && edge.cycle() == self.cycle
            && self.cycle < self.until
            && response == self.answer_at(self.place);
        // The packet mover refuses a reference only while an earlier answer is due later, and these come as in the period.
        debug_assert!(!is_same || side.is_taken);
        self.cycle += 1;
        self.place += 1;
        if !is_same {
            self.forget();
        } else if self.place == self.length {
            let mover = followers.companion().module;
            if mover.answers().eq(self.answers_before.iter().copied()) {
                self.begin_to_skip(self.cycle, mover);
            } else {
                self.forget();
            }
        }
    }

    /// Makes the reference of a cycle in which the core is suspended; false, and nothing, if the core has to catch up before this cycle.
    #[inline(always)]
    pub(super) fn poll(
        &mut self,
        core: &Core<'_, A>,
        followers: &mut Others<'_>,
        edge: &mut FusedEdge<'_>,
    ) -> bool {
        if core.module.is_attended && core.module.is_spoken_to(edge.signals)
            || edge.cycle() != self.cycle
            || self.cycle >= self.until
        {
            return false;
        }
        let mut mover = followers.companion();
        let (mover, mut at_mover) = edge.of(&mut mover);
        let read = self.next_read();
        if read.is_some_and(|(_, reference, _)| !mover.takes(reference.address, false)) {
            return false;
        }
        let is_answered = mover.answer().is_some();
        let reference = read.map(|(_, reference, _)| *reference);
        mover.commit_exchanged(&CoreExchange { reference, is_answered }, &mut at_mover);
        let is_other = read.is_some_and(|(_, _, expected)| mover.last_answer() != Some(*expected));
        self.read += usize::from(read.is_some());
        match mover.has_acted() {
            true => self.note_act(mover),
            false => self.quiet += 1,
        }
        if is_other {
            // From the next cycle on the core does something else.
            self.until = self.cycle + 1;
        }
        self.end_place();
        true
    }

    /// The cycle that a suspended core and its packet mover can sleep until, unless an input arrives: if all reads have returned what is
    /// expected since anything changed.
    pub(super) fn idle(&self, core: &PipelinedCore<A>, mover: &PacketMover) -> Idle {
        if !self.is_steady || self.quiet < self.length || core.has_news {
            return Idle::No;
        }
        Idle::UntilTransferOrCycle(self.until.min(mover.rests_until()))
    }

    /// Makes the references of cycles in which a suspended core and its packet mover have slept.
    pub(super) fn slept(&mut self, followers: &mut Others<'_>, first: u64, count: u64) {
        debug_assert_eq!(first, self.cycle);
        let Member { module: mover, counters, .. } = followers.companion();
        let repeated = count / self.length * self.length;
        mover.delay_answers(repeated);
        for cycle in first + repeated..first + count {
            let reference = self.next_read().map(|(_, reference, _)| *reference);
            self.read += usize::from(reference.is_some());
            mover.exchange_at_rest(reference, cycle);
            self.end_place();
        }
        self.cycle += repeated;
        mover.rest(first, count, counters);
    }

    /// True if all reads would return what is expected. The packet mover then knows what it does next.
    #[inline(never)]
    fn expects(&self, mover: &mut PacketMover) -> bool {
        mover.look_ahead();
        self.reads.iter().all(|(_, reference, expected)| mover.steady_answer(reference) == Some(*expected))
    }

    /// The reference of the next cycle, if there is one.
    fn next_read(&self) -> Option<&(u64, Reference, Response)> {
        self.reads.get(self.read).filter(|(place, ..)| *place == self.place)
    }

    /// Proceeds to the next cycle of the period.
    fn end_place(&mut self) {
        self.cycle += 1;
        self.place += 1;
        if self.place == self.length {
            (self.place, self.read) = (0, 0);
        }
    }

    /// Brings a suspended core up to date because the run ends. The next period suspends it again.
    pub(super) fn pause(
        &mut self,
        last: &mut LastCycle<A::Word>,
        core: &mut Core<'_, A>,
        followers: &mut Others<'_>,
        edge: &mut FusedEdge<'_>,
    ) {
        match self.stage {
            Stage::Watches | Stage::Resumes => {}
            Stage::Records => {
                if let Some(profile) = &mut core.module.state.program.profile {
                    profile.end_trail();
                }
                self.forget();
            }
            Stage::Skips => {
                self.catch_up(last, core, followers, edge);
                if self.place == 0 {
                    self.begin_to_skip(self.cycle, followers.companion().module);
                } else {
                    self.stage = Stage::Resumes;
                }
            }
        }
    }

    /// Brings the core up to date.
    #[inline(never)]
    pub(super) fn catch_up(
        &mut self,
        last: &mut LastCycle<A::Word>,
        core: &mut Core<'_, A>,
        followers: &mut Others<'_>,
        edge: &mut FusedEdge<'_>,
    ) {
        let periods = (self.cycle - self.began) / self.length;
        let leap = Leap { period: self.length, periods };
        if periods > 0 {
            let state = &mut core.module.state;
            let recorded = state.program.history.recorded();
            state.program.history.leap(leap, recorded - self.instructions);
            if let Some(profile) = &mut state.program.profile {
                profile.repeat_trail(periods);
            }
            state.advance_dues(&self.dues, leap.cycles());
            let memory = followers.at(INSTRUCTIONS);
            let [of_core, of_memory] = &self.counters;
            for (counters, increases) in [(&mut *core.counters, of_core), (memory.counters, of_memory)] {
                for (counter, increase) in counters.iter_mut().zip(increases) {
                    *counter += increase * periods;
                }
            }
        }
        // The read that recurs has recurred meanwhile: none that follows takes its place.
        self.marked_at = self.cycle;
        let first = self.began + leap.cycles();
        for place in 0..self.cycle - first {
            edge.at(first + place, |edge| self.follow(place, last, core, followers, edge));
        }
    }

    /// Simulates a cycle of the period again.
    fn follow(
        &self,
        place: u64,
        last: &mut LastCycle<A::Word>,
        core: &mut Core<'_, A>,
        followers: &mut Others<'_>,
        edge: &mut FusedEdge<'_>,
    ) {
        let state = &core.module.state;
        let (is_offered, presented) = (state.presents_data, state.presented);
        let mut side = Exchanged { is_offered, is_taken: true, ..Exchanged::default() };
        if let Some(answer) = self.answer_at(place) {
            (side.is_answered, side.is_fault, side.data) = (true, answer.is_fault, answer.data as u64);
        }
        let fetched;
        (fetched, last.fetched) = FetchingCore::fetch(core.module, &mut followers.at(INSTRUCTIONS));
        (last.presented, last.exchanged) = (presented, side);
        let (core, mut at_core) = edge.of(core);
        core.commit_alone(fetched, side, &mut at_core);
    }
}
