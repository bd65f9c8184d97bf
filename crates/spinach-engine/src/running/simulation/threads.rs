//! Windows of several islands: one island after the other, or all at the same time, on several threads.
//!
//! What follows from a window does not depend on the threads, so their number affects nothing but speed.

use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use spinach_trials::{Trials, receive};

use super::jobs::{Job, Jobs, busy, ended, exchange, soonest};
use super::{Control, Outcome, Progress};
use crate::running::islands::Places;
use crate::time::Time;

/// Runs a window of each island in turn, or several windows on threads if that is faster. What follows from the last window is left to
/// the caller, unless the run ends.
pub(super) fn run(
    trials: &mut Trials,
    jobs: &mut Jobs<'_>,
    places: &Places,
    limit: Time,
    progress: &mut dyn FnMut(Progress) -> Control,
) -> Option<Outcome> {
    let end = places.window_end(soonest(jobs)).min(limit);
    let Some(windows) = trials.begin(|| busy(jobs, end).count() > 1) else {
        jobs.iter_mut().flatten().for_each(|job| job.run(end));
        return None;
    };
    let began = Instant::now();
    let trial = Trial { windows, threads: trials.threads().min(jobs.len()), places, limit };
    let (windows, spent, outcome) = trial.run(jobs, progress);
    trials.end(windows, spent, began.elapsed());
    outcome
}

/// Thread that runs islands.
struct Worker<'a, 'scope> {
    orders: SyncSender<(Job<'a>, Time)>,
    reports: Receiver<(Job<'a>, Duration)>,
    thread: thread::ScopedJoinHandle<'scope, ()>,
}

/// Windows on several threads.
struct Trial<'p> {
    windows: u64,
    threads: usize,
    places: &'p Places,
    limit: Time,
}

impl Trial<'_> {
    /// Returns the number of windows, the time in which islands ran, and why the run ends if it does.
    fn run(
        &self,
        jobs: &mut Jobs<'_>,
        progress: &mut dyn FnMut(Progress) -> Control,
    ) -> (u64, Duration, Option<Outcome>) {
        let room = jobs.len();
        thread::scope(|scope| {
            let start = |_| {
                let (orders, to_do) = sync_channel::<(Job<'_>, Time)>(room);
                let (done, reports) = sync_channel(room);
                let work = move || {
                    while let Some((mut job, end)) = receive(&to_do) {
                        let began = Instant::now();
                        job.run(end);
                        // Fails only if the other thread has panicked.
                        let _ = done.send((job, began.elapsed()));
                    }
                };
                Worker { orders, reports, thread: scope.spawn(work) }
            };
            let mut workers: Vec<Worker<'_, '_>> = (1..self.threads).map(start).collect();
            let (mut windows, mut spent) = (0, Duration::ZERO);
            loop {
                let end = self.places.window_end(soonest(jobs)).min(self.limit);
                spent += self.run_window(jobs, end, &mut workers);
                windows += 1;
                if windows == self.windows {
                    return (windows, spent, None);
                }
                exchange(self.places, jobs);
                if let Some(outcome) = ended(jobs) {
                    return (windows, spent, Some(outcome));
                }
                if progress(Progress { now: end, limit: self.limit }) == Control::Stop {
                    return (windows, spent, Some(Outcome::Interrupted));
                }
                if soonest(jobs) >= self.limit {
                    return (windows, spent, None);
                }
            }
        })
    }

    /// Runs the islands that have something to do, the first on this thread; returns the time that they took.
    fn run_window<'a>(&self, jobs: &mut Jobs<'a>, end: Time, workers: &mut Vec<Worker<'a, '_>>) -> Duration {
        let mut spent = Duration::ZERO;
        let (mut own, mut sent) = (Vec::new(), Vec::new());
        for (turn, place) in busy(jobs, end).collect::<Vec<_>>().into_iter().enumerate() {
            match (turn % self.threads).checked_sub(1) {
                Some(worker) if let Some(job) = jobs[place].take() => {
                    // Fails only if the thread has panicked; then no report comes.
                    let _ = workers[worker].orders.send((job, end));
                    sent.push(worker);
                }
                _ => own.push(place),
            }
        }
        let began = Instant::now();
        own.into_iter().for_each(|place| jobs[place].iter_mut().for_each(|job| job.run(end)));
        spent += began.elapsed();
        for worker in sent {
            let Some((job, took)) = receive(&workers[worker].reports) else {
                let Worker { orders, thread, .. } = workers.swap_remove(worker);
                drop(orders);
                thread.join().unwrap_or_else(|panic| resume_unwind(panic));
                unreachable!("a thread without a panic reports");
            };
            spent += took;
            let place = job.place;
            jobs[place] = Some(job);
        }
        jobs.iter_mut().flatten().for_each(|job| job.arrive_at(end));
        spent
    }
}
