//! Windows of several islands: one island after the other, or all at the same time, on several threads.
//!
//! What follows from a window does not depend on the threads, so their number affects nothing but speed.

use std::hint::spin_loop;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::jobs::{Job, Jobs, busy, ended, exchange, soonest};
use super::{Control, Outcome, Progress};
use crate::running::islands::Places;
use crate::time::Time;

/// Polls for a message before the thread yields its processor, and before it sleeps.
const SPINS: u32 = 2_000;
const YIELDS: u32 = 1_000;
/// Windows of the first trial, which measures the gain of threads. A trial after one with gain is twice as long, up to the maximum.
const TRIAL_WINDOWS: u64 = 64;
const TRIAL_WINDOWS_MAXIMUM: u64 = 4096;
/// Number of trials whose windows islands run in turn after the first trial without gain; twice as many after each further one, up to
/// the maximum.
const RESTS: u64 = 16;
const RESTS_MAXIMUM: u64 = 1024;
/// Minimum speedup: time of the islands over wall time.
const GAIN_MINIMUM: f64 = 1.1;

/// Threads of islands, and their gain.
pub(super) struct Threads {
    maximum: usize,
    /// Windows that were run on several threads.
    windows: u64,
    /// Windows of the next trial.
    trial: u64,
    /// Windows that islands run in turn before it.
    resting: u64,
    rests: u64,
}

impl Threads {
    pub(super) fn new(maximum: usize) -> Self {
        Self { maximum, windows: 0, trial: TRIAL_WINDOWS, resting: 0, rests: RESTS }
    }

    pub(super) fn windows(&self) -> u64 {
        self.windows
    }

    /// Runs a window of each island in turn, or several windows on threads if that is faster. What follows from the last window is left
    /// to the caller, unless the run ends.
    pub(super) fn run(
        &mut self,
        jobs: &mut Jobs<'_>,
        places: &Places,
        limit: Time,
        progress: &mut dyn FnMut(Progress) -> Control,
    ) -> Option<Outcome> {
        let end = places.window_end(soonest(jobs)).min(limit);
        if self.maximum < 2 || self.resting > 0 || busy(jobs, end).count() < 2 {
            self.resting = self.resting.saturating_sub(1);
            jobs.iter_mut().flatten().for_each(|job| job.run(end));
            return None;
        }
        let began = Instant::now();
        let trial = Trial { windows: self.trial, threads: self.maximum.min(jobs.len()), places, limit };
        let (windows, spent, outcome) = trial.run(jobs, progress);
        self.windows += windows;
        if spent.as_secs_f64() >= GAIN_MINIMUM * began.elapsed().as_secs_f64() {
            (self.trial, self.rests) = ((2 * self.trial).min(TRIAL_WINDOWS_MAXIMUM), RESTS);
        } else {
            self.resting = self.rests * windows;
            self.rests = (2 * self.rests).min(RESTS_MAXIMUM);
            self.trial = TRIAL_WINDOWS;
        }
        outcome
    }
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

/// Receives a message; `None` if the other thread has ended.
fn receive<T>(messages: &Receiver<T>) -> Option<T> {
    for look in 0..SPINS + YIELDS {
        match messages.try_recv() {
            Ok(message) => return Some(message),
            Err(TryRecvError::Disconnected) => return None,
            Err(TryRecvError::Empty) if look < SPINS => spin_loop(),
            Err(TryRecvError::Empty) => thread::yield_now(),
        }
    }
    messages.recv().ok()
}
