//! Events of a hart, and the counters of its software: `hpmcounter3` and those behind it, with overflow interrupts (Sscofpmf).
//!
//! Functional cores count cycles and instructions; all other events are those of timed cores. Cycles in which a hart waits for an
//! interrupt are not counted.

use serde::{Deserialize, Serialize};
use spinach_isa::riscv::supervisor::Privilege;

/// Number of counters.
pub const COUNTERS: usize = 16;
/// Number of the first counter, as registers count them: those before it are `cycle`, `time` and `instret`.
pub const FIRST_COUNTER: usize = 3;
pub(crate) const MODES: usize = 2;

/// Event of a hart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Event {
    Cycles,
    Instructions,
    /// Conditional branches and indirect jumps.
    Branches,
    Mispredictions,
    /// References to lines of code.
    Fetches,
    FetchMisses,
    /// References of the data cache by loads.
    Loads,
    LoadMisses,
    Stores,
    StoreMisses,
    /// References of the second level for loads and fetches.
    SecondLevelLoads,
    SecondLevelLoadMisses,
    SecondLevelStores,
    SecondLevelStoreMisses,
    /// Walks through page tables for fetches.
    CodeWalks,
    LoadWalks,
    /// Walks for stores and atomic operations.
    StoreWalks,
}

/// Number of events.
pub(crate) const EVENTS: usize = Event::StoreWalks as usize + 1;

/// A number for each event.
pub(crate) type EventCounts = [u64; EVENTS];

/// A counter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counter {
    /// Counted events, whose numbers are added; none if it is free.
    pub(crate) events: Vec<Event>,
    /// True for modes whose events are not counted: user and supervisor mode.
    pub(crate) excluded: [bool; MODES],
    pub(crate) is_running: bool,
    pub(crate) has_overflowed: bool,
    /// Value; while it runs, less the events up to its start, modulo 2^64.
    pub(crate) value: u64,
    /// Number of events at which it overflows, if it is to interrupt.
    pub(crate) overflows_at: Option<u64>,
}

/// Events and counters of a hart.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Counting {
    /// Events counted in user and in supervisor mode.
    pub(crate) counted: [EventCounts; MODES],
    pub(crate) counters: [Counter; COUNTERS],
}

impl Default for Counting {
    fn default() -> Self {
        Self { counted: [[0; EVENTS]; MODES], counters: Default::default() }
    }
}

impl Counting {
    /// True if any counter runs.
    pub(crate) fn is_running(&self) -> bool {
        self.counters.iter().any(|counter| counter.is_running)
    }
}

/// Time of a hart up to which cycles and instructions are counted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted {
    pub(crate) instructions: u64,
    pub(crate) cycles: u64,
    pub(crate) mode: Privilege,
    /// True if a counter runs.
    pub(crate) is_running: bool,
}

impl Counted {
    pub(crate) fn new(instructions: u64, cycles: u64, mode: Privilege, is_running: bool) -> Self {
        Self { instructions, cycles, mode, is_running }
    }
}

impl Counter {
    /// Number of its events, given those of each mode.
    pub(crate) fn total(&self, counted: &[EventCounts; MODES]) -> u64 {
        let modes = counted.iter().zip(self.excluded).filter(|(_, is_excluded)| !is_excluded);
        modes.map(|(counts, _)| self.events.iter().map(|event| counts[*event as usize]).sum::<u64>()).sum()
    }
}
