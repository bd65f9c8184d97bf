//! Issue out of order: each step in turn, oldest first, takes the earliest cycle that has room for it.

use super::configuration::{Configuration, Pipeline, Prediction};
use super::stream::{ReadyTimes, Step};

/// Resource that a step needs in its cycle besides one of the `width` places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Need {
    Nothing = 0,
    MemoryPort = 1,
    Redirection = 2,
}

/// Free resources of a cycle.
#[derive(Clone, Copy, Debug, Default)]
struct Cycle {
    issued: u32,
    /// Per need: 0 if the cycle has room for it, otherwise the number of cycles to skip in the search. No skipped cycle has room.
    skip: [u32; 3],
}

/// An out-of-order core and the cycles that steps in its window can still take.
#[derive(Debug)]
pub(super) struct OutOfOrder {
    width: u32,
    one_memory_operation: bool,
    one_redirection: bool,
    predicts: bool,
    ready: ReadyTimes,
    /// Earliest issue of all steps after the last redirection and its delay slots.
    barrier: u64,
    /// The barrier before that redirection, which holds for its delay slots.
    slot_barrier: u64,
    /// No step still to come issues before this cycle.
    floor: u64,
    /// The cycle after the last in which a step issued.
    end: u64,
    /// A ring of cycles, by cycle modulo its length, which is a power of two. From `floor` to at most its length further
    /// they are current; from `end` on they are untouched.
    cycles: Vec<Cycle>,
    /// A ring of the last `window` steps: the value of `end` once each had issued.
    ends: Vec<u64>,
    oldest: usize,
}

impl OutOfOrder {
    pub(super) fn new(configuration: &Configuration) -> Self {
        let stalls = configuration.pipeline == Pipeline::Stalls;
        let window = configuration.window.get() as usize;
        // From the floor on, a window of steps in a chain of loads takes two cycles each, and no step begins later
        // than that.
        let span = (2 * window + 2).next_power_of_two();
        Self {
            width: configuration.width.get(),
            one_memory_operation: stalls,
            one_redirection: configuration.prediction == Prediction::OnePerCycle,
            predicts: configuration.prediction != Prediction::None,
            ready: ReadyTimes::new(if stalls { 2 } else { 1 }),
            barrier: 0,
            slot_barrier: 0,
            floor: 0,
            end: 0,
            cycles: vec![Cycle::default(); span],
            ends: vec![0; window],
            oldest: 0,
        }
    }

    pub(super) fn issue(&mut self, steps: &[Step]) {
        for step in steps {
            self.raise_floor();
            let barrier = if step.in_delay_slot() { self.slot_barrier } else { self.barrier };
            let earliest = self.ready.operands(step).max(self.floor).max(barrier);
            let need = match (step.uses_memory(), step.redirects()) {
                (true, _) if self.one_memory_operation => Need::MemoryPort,
                (_, true) if self.one_redirection => Need::Redirection,
                _ => Need::Nothing,
            };
            let cycle = self.find(earliest, need);
            self.take(cycle, need);
            if step.redirects() && !self.predicts {
                self.slot_barrier = self.barrier;
                self.barrier = self.barrier.max(cycle + 1);
            }
            self.ready.issue(step, cycle);
            self.end = self.end.max(cycle + 1);
            self.ends[self.oldest] = self.end;
            self.oldest = if self.oldest + 1 == self.ends.len() { 0 } else { self.oldest + 1 };
        }
    }

    /// The oldest step of the window has issued, and all before it, by the cycle before the floor.
    #[inline]
    fn raise_floor(&mut self) {
        let floor = self.ends[self.oldest];
        let mask = self.cycles.len() - 1;
        for cycle in self.floor..floor {
            self.cycles[cycle as usize & mask] = Cycle::default();
        }
        self.floor = floor;
    }

    /// The first cycle from `earliest` on that has room. Shortens later searches from there.
    #[inline]
    fn find(&mut self, earliest: u64, need: Need) -> u64 {
        let mask = self.cycles.len() - 1;
        let kind = need as usize;
        let mut cycle = earliest;
        loop {
            let skip = self.cycles[cycle as usize & mask].skip[kind];
            if skip == 0 {
                break;
            }
            cycle += u64::from(skip);
        }
        let found = cycle;
        cycle = earliest;
        while cycle < found {
            let skip = &mut self.cycles[cycle as usize & mask].skip[kind];
            let next = cycle + u64::from(*skip);
            *skip = (found - cycle) as u32;
            cycle = next;
        }
        found
    }

    #[inline]
    fn take(&mut self, cycle: u64, need: Need) {
        let mask = self.cycles.len() - 1;
        let room = &mut self.cycles[cycle as usize & mask];
        room.issued += 1;
        if need != Need::Nothing {
            room.skip[need as usize] = 1;
        }
        if room.issued == self.width {
            room.skip = room.skip.map(|skip| skip.max(1));
        }
    }

    /// Cycles until the last step issued.
    pub(super) fn cycles(&self) -> u64 {
        self.end
    }
}
