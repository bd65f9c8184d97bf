//! Issue in program order.

use super::configuration::{Configuration, Pipeline, Prediction};
use super::stream::{ReadyTimes, Step};

/// An in-order core and the cycle it is in.
#[derive(Debug)]
pub(super) struct InOrder {
    width: u32,
    one_memory_operation: bool,
    one_redirection: bool,
    predicts: bool,
    ready: ReadyTimes,
    /// The cycle in which the last step issued.
    cycle: u64,
    issued: u32,
    memory_used: bool,
    redirection_used: bool,
    /// Earliest issue of all steps after the last redirection and its delay slots.
    barrier: u64,
}

impl InOrder {
    pub(super) fn new(configuration: &Configuration) -> Self {
        let stalls = configuration.pipeline == Pipeline::Stalls;
        Self {
            width: configuration.width.get(),
            one_memory_operation: stalls,
            one_redirection: configuration.prediction == Prediction::OnePerCycle,
            predicts: configuration.prediction != Prediction::None,
            ready: ReadyTimes::new(if stalls { 2 } else { 1 }),
            cycle: 0,
            issued: 0,
            memory_used: false,
            redirection_used: false,
            barrier: 0,
        }
    }

    pub(super) fn issue(&mut self, steps: &[Step]) {
        for step in steps {
            let ready = self.ready.operands(step);
            let earliest = if step.in_delay_slot() { ready } else { ready.max(self.barrier) };
            let full = self.issued == self.width
                || self.memory_used && step.uses_memory()
                || self.redirection_used && step.redirects();
            let cycle = earliest.max(self.cycle + u64::from(full));
            if cycle > self.cycle {
                (self.cycle, self.issued) = (cycle, 0);
                (self.memory_used, self.redirection_used) = (false, false);
            }
            self.issued += 1;
            self.memory_used |= self.one_memory_operation && step.uses_memory();
            self.redirection_used |= self.one_redirection && step.redirects();
            if step.redirects() && !self.predicts {
                self.barrier = cycle + 1;
            }
            self.ready.issue(step, cycle);
        }
    }

    /// Cycles until the last step issued.
    pub(super) fn cycles(&self) -> u64 {
        self.cycle + u64::from(self.issued > 0)
    }
}
