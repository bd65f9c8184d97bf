//! Interrupts after a fixed delay, as in the SINIC paper (section 4.2).

use serde::{Deserialize, Serialize};

/// Causes of interrupts, of which some wait a fixed time, so that several make one interrupt.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Interrupts {
    /// The causes that came and were not taken.
    pub(crate) causes: u32,
    /// Causes that interrupt.
    pub(crate) mask: u32,
    pub(crate) is_enabled: bool,
    /// Causes that wait.
    delayed: u32,
    /// Delay in picoseconds.
    delay: u64,
    at: Option<u64>,
    is_asserted: bool,
    /// Number of assertions.
    pub(crate) count: u64,
}

impl Interrupts {
    /// Interrupts without a cause, masked, and switched off.
    pub(crate) fn new(delayed: u32, delay: u64) -> Self {
        Self { causes: 0, mask: 0, is_enabled: false, delayed, delay, at: None, is_asserted: false, count: 0 }
    }

    /// Forgets everything but how often there was an interrupt.
    pub(crate) fn reset(&mut self) {
        *self = Self { count: self.count, ..Self::new(self.delayed, self.delay) };
    }

    fn asking(&self) -> u32 {
        if self.is_enabled { self.causes & self.mask } else { 0 }
    }

    /// Some causes have come.
    pub(crate) fn post(&mut self, causes: u32, time: u64) {
        self.causes |= causes;
        self.plan(causes, time);
    }

    /// The mask or its enable bit has changed.
    pub(crate) fn follow(&mut self, time: u64) {
        if self.asking() == 0 {
            (self.at, self.is_asserted) = (None, false);
        } else {
            self.plan(self.causes, time);
        }
    }

    fn plan(&mut self, causes: u32, time: u64) {
        let asking = self.asking() & causes;
        if asking != 0 && !self.is_asserted {
            let at = if asking & !self.delayed == 0 { time + self.delay } else { time };
            self.at = Some(self.at.map_or(at, |planned| planned.min(at)));
        }
        self.advance(time);
    }

    /// Takes all causes.
    pub(crate) fn take(&mut self) -> u32 {
        (self.at, self.is_asserted) = (None, false);
        std::mem::take(&mut self.causes)
    }

    /// Takes some causes.
    pub(crate) fn clear(&mut self, causes: u32) {
        self.causes &= !causes;
        if self.asking() == 0 {
            (self.at, self.is_asserted) = (None, false);
        }
    }

    pub(crate) fn advance(&mut self, time: u64) {
        if self.at.is_some_and(|at| at <= time) {
            (self.at, self.is_asserted) = (None, true);
            self.count += 1;
        }
    }

    pub(crate) fn wakes_at(&self) -> Option<u64> {
        self.at
    }

    pub(crate) fn is_asserted(&self) -> bool {
        self.is_asserted && self.asking() != 0
    }
}
