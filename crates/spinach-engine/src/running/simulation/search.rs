//! Attempts to find stretches of time that repeat, and when they begin.

use super::closed::Closed;
use super::hashes::Hashes;
use crate::contract::Outlook;

/// Instants until the next attempt begins: normally, and at least and at most after a whole attempt without result.
const USUAL_PAUSE: u32 = 256;
const PAUSE_IN_VAIN: u32 = 1024;
const LONGEST_PAUSE: u32 = 32768;
const MORE_FOR_SLEEP: u32 = 15;

/// Schedule of attempts to find a repetition.
pub(super) struct Search {
    /// True if attempts are made.
    pub enabled: bool,
    look_in: u32,
    pause: u32,
    /// Number of skipped cycles.
    pub skipped: u64,
    /// The attempt that continues at the next instant.
    pub attempt: Option<Box<Attempt>>,
}

impl Search {
    pub(super) fn new() -> Self {
        Self { enabled: true, look_in: USUAL_PAUSE, pause: PAUSE_IN_VAIN, skipped: 0, attempt: None }
    }

    /// Counts an instant; true if an attempt begins or continues there.
    #[inline(always)]
    pub(super) fn is_due(&mut self) -> bool {
        self.look_in -= 1;
        self.look_in == 0
    }

    /// Counts the end of a domain's sleep as `MORE_FOR_SLEEP` further instants: a domain that sleeps most of the time has few.
    pub(super) fn count_sleep(&mut self) {
        self.look_in = self.look_in.saturating_sub(MORE_FOR_SLEEP).max(1);
    }

    /// Continues with an attempt, or chooses when the next one begins.
    pub(super) fn schedule(&mut self, attempt: Result<Box<Attempt>, Found>) {
        (self.pause, self.look_in) = match attempt {
            Ok(_) => (self.pause, 1),
            Err(Found::Repetition) => (PAUSE_IN_VAIN, USUAL_PAUSE),
            Err(Found::Change) => (self.pause, USUAL_PAUSE),
            Err(Found::Nothing) => ((self.pause * 4).min(LONGEST_PAUSE), self.pause),
        };
        self.attempt = attempt.ok();
    }
}

/// Outcome of an attempt.
#[derive(Clone, Copy)]
pub(super) enum Found {
    /// The awake modules returned to an earlier state.
    Repetition,
    /// Something else was awake, or woke.
    Change,
    /// No repetition within the longest attempt.
    Nothing,
}

/// An attempt to find a repetition in a closed system.
pub(super) struct Attempt {
    pub(super) closed: Closed,
    /// The cycle in which it began.
    pub(super) began: u64,
    /// The cycle of the domain after the last instant.
    pub(super) cycle: u64,
    /// The cycle of the next event from outside, if the domain is alone.
    pub(super) outside: u64,
    pub(super) hashes: Hashes,
    /// Maximum number of further hashes.
    pub(super) left: u32,
    pub(super) trial: Option<Trial>,
    /// True if fusions may run ahead without the attempt. Outlooks are of states between edges.
    pub(super) may_run_ahead: bool,
}

/// A period that runs to show if it does what the one before did.
pub(super) struct Trial {
    pub(super) period: u64,
    pub(super) end: u64,
    /// The outlook at its beginning, and the advances of values in the period before.
    pub(super) last: Outlook,
    pub(super) advances: Vec<Vec<u64>>,
    /// Counters of the repeating modules at its beginning.
    pub(super) counters: Vec<Vec<u64>>,
    /// Maximum number of further periods.
    pub(super) left: u32,
}
