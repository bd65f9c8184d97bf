//! Trials of threads: parts of a simulation run their steps at the same time, or in turn if that is faster.
//!
//! Within a step no part depends on another, so threads affect nothing but speed. The gain of each trial is measured.

#![forbid(unsafe_code)]

use std::hint::spin_loop;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::thread;
use std::time::{Duration, Instant};

/// Polls for a message before the thread yields its processor to others that need it.
const SPINS: u32 = 2_000;
/// Time for which it yields before it sleeps. A step of a busy machine takes some microseconds, waking a thread up to 130 (in a
/// virtual machine), so a thread that sleeps too soon costs more than it frees.
const PATIENCE: Duration = Duration::from_millis(1);
/// Steps of the first trial, which measure its gain. A trial after one with gain is twice as long, up to the maximum.
const STEPS: u64 = 64;
const STEPS_MAXIMUM: u64 = 4096;
/// Steps in turn after the first trial without gain; twice as many after each further one, up to the maximum.
const REST: u64 = 64;
const REST_MAXIMUM: u64 = 65_536;
/// Minimum number of steps in turn for each step whose time a trial has lost.
const REST_FOR_LOSS: f64 = 16.0;
/// Minimum speedup: time of the parts over wall time.
const GAIN_MINIMUM: f64 = 1.1;

/// Trials of threads, and their gain.
#[derive(Clone, Copy, Debug)]
pub struct Trials {
    threads: usize,
    /// Steps that have run at the same time.
    steps: u64,
    /// Steps of the next trial.
    next: u64,
    /// Steps that run in turn before it.
    resting: u64,
    /// Steps in turn after it if it has no gain.
    rest: u64,
}

impl Trials {
    /// Trials of at most `threads` threads.
    pub const fn new(threads: usize) -> Self {
        Self { threads, steps: 0, next: STEPS, resting: 0, rest: REST }
    }

    /// Maximum number of threads.
    pub const fn threads(&self) -> usize {
        self.threads
    }

    /// Number of steps that have run at the same time.
    pub const fn steps(&self) -> u64 {
        self.steps
    }

    /// Number of steps of the trial that begins now; `None` if the next step runs in turn.
    pub fn begin(&mut self, is_busy: impl FnOnce() -> bool) -> Option<u64> {
        let begins = self.threads > 1 && self.resting == 0 && is_busy();
        self.resting = self.resting.saturating_sub(1);
        begins.then_some(self.next)
    }

    /// Takes note of a trial of some steps: the time that the parts ran, in all, and the time that passed.
    pub fn end(&mut self, steps: u64, spent: Duration, passed: Duration) {
        self.steps += steps;
        let gain = spent.as_secs_f64() / passed.as_secs_f64();
        if gain >= GAIN_MINIMUM {
            (self.next, self.rest) = ((2 * self.next).min(STEPS_MAXIMUM), REST);
        } else {
            let lost = steps as f64 * (1.0 / gain - 1.0);
            self.resting = self.rest.max((REST_FOR_LOSS * lost) as u64).min(REST_MAXIMUM);
            (self.next, self.rest) = (STEPS, (2 * self.rest).min(REST_MAXIMUM));
        }
    }
}

/// Receives a message; `None` if the other thread has ended.
pub fn receive<T>(messages: &Receiver<T>) -> Option<T> {
    let mut looks = 0;
    let mut yields_since = None;
    while yields_since.is_none_or(|since: Instant| since.elapsed() < PATIENCE) {
        match messages.try_recv() {
            Ok(message) => return Some(message),
            Err(TryRecvError::Disconnected) => return None,
            Err(TryRecvError::Empty) if looks < SPINS => {
                looks += 1;
                spin_loop();
            }
            Err(TryRecvError::Empty) => {
                yields_since.get_or_insert_with(Instant::now);
                thread::yield_now();
            }
        }
    }
    messages.recv().ok()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// Runs a trial whose parts ran for `spent`, and the steps in turn behind it; returns the numbers of steps of both.
    fn trial_in_vain(trials: &mut Trials, spent: Duration) -> (u64, u64) {
        let steps = trials.begin(|| true).expect("a trial begins");
        trials.end(steps, spent, SECOND);
        let mut in_turn = 0;
        while trials.resting > 0 {
            assert_eq!(trials.begin(|| true), None);
            in_turn += 1;
        }
        (steps, in_turn)
    }

    #[test]
    fn trials_with_gain_get_longer_and_those_in_vain_rarer() {
        let mut trials = Trials::new(2);
        for steps in [64, 128, 256, 512, 1024, 2048, 4096, 4096] {
            assert_eq!(trials.begin(|| true), Some(steps));
            trials.end(steps, 11 * SECOND, 10 * SECOND);
        }
        // A long trial without gain or loss is followed by a short one soon.
        assert_eq!(trial_in_vain(&mut trials, SECOND), (4096, 64));
        for rest in [128, 256, 512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536, 65_536] {
            assert_eq!(trial_in_vain(&mut trials, SECOND), (64, rest));
        }
        assert_eq!(trials.begin(|| true), Some(64));
        trials.end(64, 2 * SECOND, SECOND);
        assert_eq!(trial_in_vain(&mut trials, SECOND), (128, 64));
        assert_eq!(trials.steps(), 3 * 4096 + (128 + 256 + 512 + 1024 + 2048) + 13 * 64 + 128);
    }

    #[test]
    fn the_time_that_a_trial_loses_is_a_sixteenth_of_that_in_turn() {
        // With half the speed of steps in turn, as many steps are lost as were run.
        assert_eq!(trial_in_vain(&mut Trials::new(2), SECOND / 2), (64, 16 * 64));
        assert_eq!(trial_in_vain(&mut Trials::new(2), SECOND / 5), (64, 16 * 4 * 64));
        assert_eq!(trial_in_vain(&mut Trials::new(2), Duration::ZERO), (64, 65_536));
    }

    #[test]
    fn no_trial_begins_with_one_thread_or_while_one_part_at_most_is_busy() {
        assert_eq!(Trials::new(1).begin(|| true), None);
        let mut trials = Trials::new(2);
        assert_eq!(trials.begin(|| false), None);
        trials.end(2, SECOND, SECOND);
        for _ in 0..64 {
            assert_eq!(trials.begin(|| false), None);
        }
        assert_eq!(trials.begin(|| true), Some(64));
    }

    #[test]
    fn a_message_arrives_however_late_and_none_from_a_thread_that_has_ended() {
        let (sender, messages) = sync_channel(1);
        thread::scope(|scope| {
            scope.spawn(move || {
                for number in 0..3 {
                    thread::sleep(Duration::from_millis(10 * number));
                    sender.send(number).expect("the receiver waits");
                }
            });
            assert_eq!([(); 4].map(|()| receive(&messages)), [Some(0), Some(1), Some(2), None]);
        });
    }
}
