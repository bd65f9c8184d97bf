//! Closed systems: the modules of a domain that nothing from outside reaches, and their repetitions.

use crate::ids::ModuleId;

/// The modules of a domain that nothing reaches at present.
pub(super) struct Closed {
    pub(super) domain: usize,
    /// Modules that can predict their actions, awake or not.
    pub(super) repeating: Vec<ModuleId>,
    /// Members with a hash, which is cheap, by kind and instance.
    pub(super) hashed: Vec<(u32, u32)>,
    /// The others, which sleep all the time.
    pub(super) sleeping: Vec<ModuleId>,
    /// True if all other domains sleep, too.
    pub(super) is_alone: bool,
    /// Number of wakes when only repeating modules were last seen awake.
    pub(super) wakes: u64,
}

/// A period that repeats itself, and has not ended yet.
pub(super) struct Repetition {
    pub(super) period: u64,
    /// Counters of the repeating modules at its beginning.
    pub(super) counters: Vec<Vec<u64>>,
    /// Maximum number of repetitions.
    pub(super) times: u64,
    /// First cycle for which modules cannot predict their behaviour.
    pub(super) until: u64,
}

/// Maximum number of occasions at which no search begins after searches that were not worth it.
const LONGEST_PATIENCE: u32 = 127;

/// A domain that is not run for a while.
pub(super) struct Suspended {
    pub(super) closed: Closed,
    pub(super) repetition: Repetition,
    /// Number of cycles that the search took.
    pub(super) searched: u64,
}

/// Occasions at which no search begins, because the last ones were not worth it.
#[derive(Default)]
pub(super) struct Patience {
    pub(super) left: u32,
    last: u32,
}

impl Patience {
    /// Takes note of a search.
    pub(super) fn note(&mut self, was_worth_it: bool) {
        self.last = if was_worth_it { 0 } else { (2 * self.last + 1).min(LONGEST_PATIENCE) };
        self.left = self.last;
    }
}
