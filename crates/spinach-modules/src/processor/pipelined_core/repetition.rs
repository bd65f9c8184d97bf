//! Prediction of a pipelined core's behaviour, for the engine to find repetitions.

use spinach_engine::{Leap, Outlook};
use spinach_isa::architecture::Architecture;
use spinach_isa::word::Word;

use super::super::decoded::Decoded;
use super::super::program;
use super::dues::{ChangedDues, Dues};
use super::following::Following;
use super::state::{Phase, PipelinedState, Place};

/// State at the beginning of a period, as needed to repeat it. All except the accounts is as in [`PipelinedState`].
#[derive(Debug)]
pub(super) struct Period<A: Architecture> {
    program: program::Period,
    /// Advance of registers, if any advances.
    pub(super) following: Option<Following<A>>,
    dues: Dues,
}

impl<A: Architecture> Period<A> {
    /// Takes note that an instruction executes.
    pub(super) fn follow(&mut self, decoded: &Decoded<A>, registers: &A::Registers) {
        if let Some(following) = &mut self.following {
            following.execute(decoded, registers);
        }
    }
}

impl<A: Architecture> PipelinedState<A> {
    /// Adds all state that determines the behaviour of the core; returns the cycle in which time alone changes it.
    pub(super) fn outlook(&self, outlook: &mut Outlook) -> Option<u64> {
        let until = self.program.outlook(outlook)?;
        let fetch = &self.fetch;
        outlook.add(&(fetch.pc, fetch.next, fetch.presents, fetch.outstanding, fetch.discard, self.missing));
        outlook.add(&(self.awaited, self.fresh, self.recent, self.cooling, self.held, self.empty_cause));
        outlook.add(&(self.wrong_path, self.follows_branch, self.exception_pending, self.parcel));
        outlook.add(&self.presents_data.then_some(self.presented));
        // The places of instructions in the table do not matter.
        for place in [fetch.buffer, self.decode] {
            let slot = place.map(|place| &self.flight(place).slot);
            outlook.add(&slot.map(|slot| (slot.pc, slot.decoded, slot.was_fetched)));
            self.add_failure(place, outlook);
        }
        for place in [self.execute, self.memory[0], self.memory[1]] {
            outlook.add(&place.map(|place| self.flight(place).issued()));
            self.add_failure(place, outlook);
        }
        let is_unsent = |place: Place| self.flight(place).phase == Phase::Unsent;
        outlook.add(&self.memory[0].is_some_and(is_unsent).then_some(self.reference));
        for outstanding in self.outstanding.iter() {
            outlook.add(outstanding);
        }
        outlook.add(&(&self.store_buffer, &self.late, &self.report));
        outlook.add_cycle(self.multiplier_ready_at);
        outlook.add_cycle(self.issue_from);
        for (half, ready_at) in self.ready_at.iter().enumerate() {
            for (register, cycle) in ready_at.iter().enumerate() {
                if self.cooling >> (32 * half + register) & 1 != 0 {
                    outlook.add_cycle(*cycle);
                }
            }
        }
        Some(until)
    }

    /// Part of the state that distinguishes most outlooks.
    pub(super) fn outlook_hash(&self) -> u64 {
        self.fetch.pc.to_u64() ^ self.awaited.rotate_left(32)
    }

    fn add_failure(&self, place: Option<Place>, outlook: &mut Outlook) {
        let failed = place.filter(|place| self.flight(*place).phase == Phase::Failed);
        outlook.add(&failed.map(|place| &self.failures[place as usize]));
    }

    /// Begins a period that may be repeated.
    pub(super) fn begin_period(&mut self, cycles: u64, advances: &[u64]) -> Period<A> {
        let program = self.program.begin_period(advances);
        let read_every = program.time_advances_by(cycles).then_some(cycles);
        let following = program.advances().map(|around| Following::new(read_every, around, self.awaited));
        Period { program, following, dues: Dues::of(self) }
    }

    /// Repeats the effects of the period that ends now, as often as `leap` says.
    pub(super) fn leap(&mut self, leap: Leap, period: &Period<A>) {
        self.program.leap(leap, &period.program);
        let mut changed = ChangedDues::default();
        period.dues.find_changed(self, &mut changed);
        self.advance_dues(&changed, leap.cycles());
    }
}
