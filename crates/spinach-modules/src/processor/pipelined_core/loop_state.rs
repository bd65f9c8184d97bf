//! State of a core in a loop: everything that determines its next cycles.
//!
//! It holds what [`PipelinedState::outlook`] adds, in a form that is cheap to compare; keep the two in step.

use spinach_isa::architecture::Architecture;

use super::super::accounts::Cause;
use super::super::program::Slot;
use super::PipelinedCore;
use super::dues::Dues;
use super::state::{Fetch, Flight, OutstandingReferences, Phase, PipelinedState, Place, WordReference};

/// State of a core at the beginning of a cycle.
///
/// The core runs freely, without late loads, and nothing waits in its store buffer.
pub(super) struct LoopState<A: Architecture> {
    cycle: u64,
    fetch: Fetch<A::Word>,
    missing: A::Word,
    registers_under_way: [u64; 4],
    held: u32,
    empty_cause: Cause,
    flags: [bool; 3],
    parcel: Option<u16>,
    presented: Option<WordReference<A::Word>>,
    reference: Option<WordReference<A::Word>>,
    /// Instructions in the fetch stage's buffer and in decode.
    unissued: [Option<Slot<A>>; 2],
    /// Instructions in execute and in the memory stages.
    issued: [Option<Flight<A>>; 3],
    outstanding: OutstandingReferences<A::Word>,
    registers: A::Registers,
    counted_until: u64,
    pub(super) dues: Dues,
}

impl<A: Architecture> PipelinedCore<A> {
    /// State of the core at the beginning of `cycle`, if it runs freely and all that it does can be repeated.
    pub(super) fn loop_state(&self, cycle: u64) -> Option<LoopState<A>> {
        self.may_repeat().then(|| LoopState::of(&self.state, cycle))
    }

    /// True if the core runs freely and all that it does can be repeated.
    pub(super) fn may_repeat(&self) -> bool {
        let state = &self.state;
        self.is_free
            && !self.has_news
            && self.period.is_none()
            && self.settings.delays.is_empty()
            && state.program.interrupts.awaited().is_none()
            && !state.exception_pending
            && state.store_buffer.is_empty()
            && state.late.is_empty()
    }
}

impl<A: Architecture> LoopState<A> {
    fn of(state: &PipelinedState<A>, cycle: u64) -> Self {
        Self {
            cycle,
            fetch: state.fetch,
            missing: state.missing,
            registers_under_way: under_way(state),
            held: state.held,
            empty_cause: state.empty_cause,
            flags: flags(state),
            parcel: state.parcel,
            presented: state.presents_data.then_some(state.presented),
            reference: unsent(state),
            unissued: unissued(state).map(Option::<&Slot<A>>::copied),
            issued: issued(state).map(Option::<&Flight<A>>::cloned),
            outstanding: state.outstanding,
            registers: state.program.registers.clone(),
            counted_until: state.program.counted_until,
            dues: Dues::of(state),
        }
    }

    /// True if a core in this state at the beginning of `cycle` will do the same.
    pub(super) fn recurs(&self, core: &PipelinedCore<A>, cycle: u64) -> bool {
        let state = &core.state;
        let fetch =
            |fetch: &Fetch<A::Word>| (fetch.pc, fetch.next, fetch.presents, fetch.outstanding, fetch.discard);
        let is_as_late =
            |now: u64, before: u64| now.saturating_sub(cycle) == before.saturating_sub(self.cycle);
        let cools_as_long = |register: usize| {
            let of = |ready_at: &[[u64; 32]; 2]| ready_at[register >> 5][register & 31];
            state.cooling >> register & 1 == 0 || is_as_late(of(&state.ready_at), of(&self.dues.ready_at))
        };
        core.may_repeat()
            && fetch(&state.fetch) == fetch(&self.fetch)
            && (state.missing, state.held, state.empty_cause, state.parcel)
                == (self.missing, self.held, self.empty_cause, self.parcel)
            && (under_way(state), flags(state)) == (self.registers_under_way, self.flags)
            && (state.presents_data.then_some(state.presented), unsent(state))
                == (self.presented, self.reference)
            && state.program.registers == self.registers
            && state.program.counted_until == self.counted_until
            && unissued(state).iter().zip(&self.unissued).all(|(now, before)| match (now, before) {
                (Some(now), Some(before)) => has_same_instruction(now, before),
                (now, before) => now.is_none() && before.is_none(),
            })
            && issued(state).iter().zip(&self.issued).zip([false, true, true]).all(|(pair, has_executed)| {
                match pair {
                    (Some(now), Some(before)) => continues_equally(now, before, has_executed),
                    (now, before) => now.is_none() && before.is_none(),
                }
            })
            && state.outstanding.iter().eq(self.outstanding.iter())
            && is_as_late(state.multiplier_ready_at, self.dues.multiplier_ready_at)
            && is_as_late(state.issue_from, self.dues.issue_from)
            && (state.cooling == 0 || (0..64).all(cools_as_long))
    }
}

fn under_way<A: Architecture>(state: &PipelinedState<A>) -> [u64; 4] {
    [state.awaited, state.fresh, state.recent, state.cooling]
}

fn flags<A: Architecture>(state: &PipelinedState<A>) -> [bool; 3] {
    [state.wrong_path, state.follows_branch, state.presents_data]
}

fn unsent<A: Architecture>(state: &PipelinedState<A>) -> Option<WordReference<A::Word>> {
    let is_unsent = |place: &Place| state.flight(*place).phase == Phase::Unsent;
    state.memory[0].filter(is_unsent).map(|_| state.reference)
}

// The places of instructions in the table do not matter.
fn unissued<A: Architecture>(state: &PipelinedState<A>) -> [Option<&Slot<A>>; 2] {
    [state.fetch.buffer, state.decode].map(|place| place.map(|place| &state.flight(place).slot))
}

fn issued<A: Architecture>(state: &PipelinedState<A>) -> [Option<&Flight<A>>; 3] {
    let [first, second] = state.memory;
    [state.execute, first, second].map(|place| place.map(|place| state.flight(place)))
}

fn has_same_instruction<A: Architecture>(now: &Slot<A>, before: &Slot<A>) -> bool {
    (now.pc, now.decoded.word, now.was_fetched) == (before.pc, before.decoded.word, before.was_fetched)
}

// The address and the value are meaningless unless it has executed and accesses memory.
fn continues_equally<A: Architecture>(now: &Flight<A>, before: &Flight<A>, has_executed: bool) -> bool {
    let reference = |flight: &Flight<A>| (flight.address, flight.value, flight.destination, flight.part);
    has_same_instruction(&now.slot, &before.slot)
        && (now.slot.in_delay_slot, now.phase, now.branch_taken, now.annuls)
            == (before.slot.in_delay_slot, before.phase, before.branch_taken, before.annuls)
        && (!has_executed || !now.slot.decoded.accesses_memory() || reference(now) == reference(before))
}
