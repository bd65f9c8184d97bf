//! Runs of several islands, window by window.
//!
//! Within a window no island depends on another. At its end they exchange what left through their joints.

use super::control::Watching;
use super::jobs::{Job, Jobs, alone, ended, exchange, soonest};
use super::observe::Observed;
use super::threads;
use super::whole::Joined;
use super::{Control, Deadlock, Island, Limit, Outcome, Progress};
use crate::ids::Id;
use crate::time::Time;

/// Number of windows between two measurements of the time without a transfer.
const WINDOWS_PER_LOOK: u64 = 256;

/// Search for a deadlock.
struct Search {
    span: Time,
    /// Time since which nothing has moved, while it is measured.
    since: Option<Time>,
    windows: u64,
}

impl Search {
    /// End of the span; begins to measure it once in a few hundred windows.
    fn end(&mut self, jobs: &Jobs<'_>) -> Option<Time> {
        if self.windows.is_multiple_of(WINDOWS_PER_LOOK) {
            let now = jobs.iter().flatten().map(|job| job.island.now).max().unwrap_or(Time::ZERO);
            self.since.get_or_insert(now);
        }
        self.windows += 1;
        Some(self.since?.saturating_add(self.span))
    }
}

impl Joined {
    /// Runs until the limit, a condition, a module, an interruption or a deadlock.
    pub(super) fn run(
        &mut self,
        islands: &mut [Island],
        watchings: &mut [Watching],
        limit: &Limit,
        progress: &mut dyn FnMut(Progress) -> Control,
    ) -> Outcome {
        let watches = watchings.iter_mut().map(|watching| watching.watches.as_mut_slice());
        let make = |((place, island), watches)| Some(Job { place, island, watches, ended: None });
        let mut jobs: Vec<Option<Job<'_>>> = islands.iter_mut().enumerate().zip(watches).map(make).collect();
        let mut search = limit.deadlock_after.map(|span| Search { span, since: None, windows: 0 });
        for job in jobs.iter_mut().flatten().filter(|job| job.island.is_observed_outside) {
            job.island.end_running_ahead();
        }
        loop {
            let soonest = soonest(&jobs);
            let silent_until = search.as_mut().and_then(|search| search.end(&jobs));
            if silent_until.is_some_and(|end| soonest >= end && end <= limit.time) {
                if let Some(found) = deadlock(&jobs) {
                    return Outcome::Deadlocked(found);
                }
                search.iter_mut().for_each(|search| search.since = None);
            }
            if soonest >= limit.time {
                jobs.iter_mut().flatten().for_each(|job| job.arrive_at(limit.time));
                return Outcome::Reached;
            }
            let mut end = self.whole.places.window_end(soonest).min(limit.time);
            if self.is_observed() || silent_until.is_some() {
                self.run_observed(&mut jobs, end, search.as_mut());
            } else if let Some((place, others)) = alone(&self.whole.places, &jobs)
                && let Some(job) = &mut jobs[place]
            {
                let mut progress = |at: Progress| progress(Progress { limit: limit.time, ..at });
                end = job.run_alone(others.min(limit.time), &self.whole.places, &mut progress);
                jobs.iter_mut().flatten().for_each(|job| job.arrive_at(end));
            } else if let Some(outcome) =
                threads::run(&mut self.trials, &mut jobs, &self.whole.places, limit.time, progress)
            {
                return outcome;
            }
            exchange(&self.whole.places, &mut jobs);
            if let Some(outcome) = ended(&mut jobs) {
                return outcome;
            }
            if progress(Progress { now: end, limit: limit.time }) == Control::Stop {
                return Outcome::Interrupted;
            }
        }
    }

    // Runs a window, all islands instant by instant, or to the instant at which one ends the run.
    fn run_observed(&mut self, jobs: &mut Jobs<'_>, mut end: Time, mut search: Option<&mut Search>) {
        loop {
            let time = soonest(jobs);
            if time >= end {
                break;
            }
            let (mut edges, mut ran, mut has_moved) = (Vec::new(), Vec::new(), false);
            for job in jobs.iter_mut().flatten() {
                if job.island.agenda.soonest() != time {
                    continue;
                }
                edges.extend(job.island.edges_due(time));
                job.ended = job.island.run_observed(end, job.watches, !self.observers.is_empty());
                has_moved |= search.is_some() && job.island.any_moved();
                if self.is_heard() {
                    job.island.world.context.notes.deliver();
                }
                ran.push(job.place);
            }
            if let Some(search) = &mut search
                && has_moved
            {
                search.since = None;
            }
            edges.sort_unstable_by_key(|(domain, _)| domain.index());
            edges.dedup();
            let islands = jobs.iter().flatten().map(|job| (&*job.island, ran.contains(&job.place)));
            let islands: Vec<(&Island, bool)> = islands.collect();
            let observed = Observed::of(time, &edges, &islands, Some(&self.whole));
            self.observers.iter_mut().for_each(|observer| observer.observe(&observed));
            for tap in &mut self.taps {
                if tap.channels().unwrap_or_default().iter().any(|channel| observed.moves(*channel)) {
                    tap.observe(&observed);
                }
            }
            if jobs.iter().flatten().any(|job| job.ended.is_some()) {
                // Observers see instants in order, also in the next run.
                end = time.next();
            }
        }
        jobs.iter_mut().flatten().for_each(|job| job.arrive_at(end));
        self.deliver_notes();
    }
}

fn deadlock(jobs: &Jobs<'_>) -> Option<Deadlock> {
    Deadlock::of_islands(jobs.iter().flatten().filter_map(|job| job.island.deadlock()))
}
