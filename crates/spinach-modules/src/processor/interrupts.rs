//! Rules for taking interrupts.
//!
//! An interrupt comes before an instruction, as an exception of that instruction when it is about to execute. External lines are
//! levels: a line is up in the cycles in which its lane presents a word, and seen from the next cycle on. The word is taken when
//! an interrupt is entered that the line is a cause of, so that a source of single words is served once.

use serde::{Deserialize, Serialize};
use spinach_engine::{Input, Outlook, Signals};
use spinach_isa::architecture::{Architecture, RegisterFile};

/// Maximum number of external lines.
const MAXIMUM_LINES: usize = 5;

/// Refuses more lanes than there are lines.
pub(super) fn check_lines(lanes: &[Input<u64>]) -> Result<(), String> {
    match lanes.len() {
        ..=MAXIMUM_LINES => Ok(()),
        lanes => Err(format!("{lanes} lanes of interrupt are more than the {MAXIMUM_LINES} lines of a core")),
    }
}

/// Interrupt state of a core.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Interrupts {
    /// First cycle in which the next instruction would be interrupted, in the present state.
    due: u64,
    /// The external lines that are up, one bit each.
    lines: u8,
    /// Lines whose words are accepted in the next cycle.
    taken: u8,
    /// True if nothing is executed until an interrupt is due.
    waits: bool,
}

impl Interrupts {
    pub(super) const fn new() -> Self {
        Self { due: u64::MAX, lines: 0, taken: 0, waits: false }
    }

    /// True if an instruction that is about to execute in `cycle` is interrupted.
    #[inline]
    pub(super) const fn is_due(&self, cycle: u64) -> bool {
        cycle >= self.due
    }

    /// True if the core waits for an interrupt that is not due in `cycle`: no instruction may execute then.
    #[inline]
    pub(super) const fn are_awaited(&self, cycle: u64) -> bool {
        self.waits && cycle < self.due
    }

    /// If the core waits for an interrupt, due or not: the first cycle in which one is due, in the present state.
    pub(super) fn awaited(&self) -> Option<u64> {
        self.waits.then_some(self.due)
    }

    /// First cycle in which an instruction would be interrupted, in the present state.
    pub(super) const fn due(&self) -> u64 {
        self.due
    }

    /// Number of instructions that execute from `cycle` on before one is interrupted, if each takes a cycle.
    #[inline]
    pub(super) const fn due_after(&self, cycle: u64) -> u64 {
        self.due.saturating_sub(cycle)
    }

    /// Adds their state, and returns the time at which one becomes due without input.
    pub(super) fn outlook(&self, outlook: &mut Outlook) -> u64 {
        outlook.add(&(self.lines, self.taken));
        self.due
    }

    /// True if a word is taken in the coming cycle.
    #[inline]
    pub(super) const fn takes_words(&self) -> bool {
        self.taken != 0
    }

    /// Records a change of the registers, whose clocks and timers are those of cycle `counted_until`.
    pub(super) fn watch<A: Architecture>(&mut self, registers: &A::Registers, counted_until: u64) {
        self.due = registers.next_interrupt(counted_until);
        self.waits = A::CAN_WAIT && registers.waits();
    }

    /// Records the entry of an interrupt caused by `lines`.
    pub(super) fn enter(&mut self, lines: u8) {
        self.taken = lines & self.lines;
    }

    /// Accepts or refuses the words that lines present.
    #[inline]
    pub(super) fn acknowledge(&self, lines: &[Input<u64>], signals: &mut Signals) {
        for (line, input) in lines.iter().enumerate() {
            signals.acknowledge(*input, self.taken >> line & 1 != 0);
        }
    }

    /// True if [`Self::look`] would change anything.
    #[inline(always)]
    pub(super) fn may_see(&self, lines: &[Input<u64>], signals: &Signals) -> bool {
        self.taken != 0 || signals.lanes_present(lines) as u8 != self.lines
    }

    /// Processes the lines at the end of a cycle. `has_entered` is true if an interrupt was entered in it. Returns true if a line
    /// has changed, and the lines.
    #[inline]
    pub(super) fn look(&mut self, lines: &[Input<u64>], signals: &Signals, has_entered: bool) -> Option<u8> {
        if !has_entered {
            self.taken = 0;
        }
        let now = signals.lanes_present(lines) as u8;
        (std::mem::replace(&mut self.lines, now) != now).then_some(now)
    }
}
