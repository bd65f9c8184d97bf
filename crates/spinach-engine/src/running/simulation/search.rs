//! Schedule of searches for stretches of time that repeat.

/// Edges until the next search begins: normally, and at least and at most after a full search without result.
const USUAL_PAUSE: u32 = 256;
const PAUSE_IN_VAIN: u32 = 1024;
const LONGEST_PAUSE: u32 = 32768;
const MORE_FOR_SLEEP: u32 = 15;

/// Schedule of searches for a repetition.
#[derive(Clone, Copy)]
pub(super) struct Search {
    /// True if searching is enabled.
    pub enabled: bool,
    look_in: u32,
    pause: u32,
    /// Number of skipped cycles.
    pub skipped: u64,
}

impl Search {
    pub(super) fn new() -> Self {
        Self { enabled: true, look_in: USUAL_PAUSE, pause: PAUSE_IN_VAIN, skipped: 0 }
    }

    /// Counts an edge; whether it is time to look.
    #[inline(always)]
    pub(super) fn is_due(&mut self) -> bool {
        self.look_in -= 1;
        self.look_in == 0
    }

    /// Counts the end of a domain's sleep as `MORE_FOR_SLEEP` further edges: a domain that sleeps most of the time has few.
    pub(super) fn count_sleep(&mut self) {
        self.look_in = self.look_in.saturating_sub(MORE_FOR_SLEEP).max(1);
    }

    /// Chooses when the next search begins.
    pub(super) fn rest(&mut self, found: Found) {
        (self.pause, self.look_in) = match found {
            Found::Repetition => (PAUSE_IN_VAIN, USUAL_PAUSE),
            Found::Change => (self.pause, USUAL_PAUSE),
            Found::Nothing => ((self.pause * 4).min(LONGEST_PAUSE), self.pause),
        };
    }
}

/// Outcome of a search.
#[derive(Clone, Copy)]
pub(super) enum Found {
    /// The awake modules returned to an earlier state.
    Repetition,
    /// Something else was awake, or woke.
    Change,
    /// No repetition within the longest search.
    Nothing,
}
