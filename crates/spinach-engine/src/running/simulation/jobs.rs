//! Islands in a run, and the exchange between them.

use super::control::Watch;
use super::{Control, Island, Outcome, Progress};
use crate::ids::{Id, ModuleId};
use crate::running::islands::Places;
use crate::time::Time;

/// Islands of a run; a thread may have some of them.
pub(super) type Jobs<'a> = [Option<Job<'a>>];

/// An island in a run.
pub(super) struct Job<'a> {
    /// Its number.
    pub(super) place: usize,
    pub(super) island: &'a mut Island,
    pub(super) watches: &'a mut [Watch],
    /// Why its run ended early.
    pub(super) ended: Option<Outcome>,
}

impl Job<'_> {
    pub(super) fn run(&mut self, end: Time) {
        self.ended = self.island.run_to(end, self.watches, &mut |_| Control::Continue);
    }

    /// Runs while no other island has anything to do, to the end of the window of the first departure at most; returns the end.
    pub(super) fn run_alone(
        &mut self,
        end: Time,
        places: &Places,
        progress: &mut dyn FnMut(Progress) -> Control,
    ) -> Time {
        self.island.world.context.is_alone = true;
        self.ended = self.island.run_to(end, self.watches, progress);
        self.island.world.context.is_alone = false;
        if self.island.now >= end {
            return end;
        }
        // The last edge was just before the present.
        let last = Time::from_femtoseconds(self.island.now.femtoseconds() - 1);
        let end = places.window_end(last).min(end);
        if self.ended.is_none() {
            self.run(end);
        }
        end
    }

    /// An island without anything to do before `end` is there at once.
    pub(super) fn arrive_at(&mut self, end: Time) {
        if self.ended.is_none() {
            self.island.now = self.island.now.max(end);
        }
    }
}

/// The soonest instant of all islands.
pub(super) fn soonest(jobs: &Jobs<'_>) -> Time {
    jobs.iter().flatten().map(|job| job.island.agenda.soonest()).min().unwrap_or(Time::MAX)
}

/// Islands that have something to do before `end`.
pub(super) fn busy(jobs: &Jobs<'_>, end: Time) -> impl Iterator<Item = usize> {
    jobs.iter().flatten().filter(move |job| job.island.agenda.soonest() < end).map(|job| job.place)
}

/// The only island with anything to do in the window that begins next, and the beginning of that in which another has.
pub(super) fn alone(places: &Places, jobs: &Jobs<'_>) -> Option<(usize, Time)> {
    let soonest = |job: &Job<'_>| job.island.agenda.soonest();
    let first = jobs.iter().flatten().min_by_key(|job| soonest(job))?;
    let others = jobs.iter().flatten().filter(|job| job.place != first.place).map(soonest).min();
    let others = places.window_begin(others.unwrap_or(Time::MAX));
    (others > soonest(first)).then_some((first.place, others))
}

/// Passes on what left through joints, in the order of the islands and of the departures of each.
pub(super) fn exchange(places: &Places, jobs: &mut Jobs<'_>) {
    for place in 0..jobs.len() {
        let Some(job) = &mut jobs[place] else { continue };
        if job.island.world.context.departures.is_empty() {
            continue;
        }
        for (module, departure) in std::mem::take(&mut job.island.world.context.departures) {
            let sender = (place, ModuleId::from_index(module as usize));
            if let Some((island, receiver)) = places.joints.get(&sender)
                && let Some(job) = &mut jobs[*island]
            {
                job.island.arrive(*receiver, departure);
            }
        }
    }
}

/// Why the run ends if it has ended on an island: a stop before a condition before a pause, the first of several.
pub(super) fn ended(jobs: &mut Jobs<'_>) -> Option<Outcome> {
    let importance = |outcome: &Outcome| match outcome {
        Outcome::Stopped(_) => 0,
        Outcome::ConditionHolds => 1,
        _ => 2,
    };
    let ended = jobs.iter_mut().flatten().filter_map(|job| Some((job.ended.take()?, job.island.now)));
    ended.min_by_key(|(outcome, time)| (importance(outcome), *time)).map(|(outcome, _)| outcome)
}
