//! Skipping writes that change nothing: lanes one by one, and outputs as a whole.

use std::cell::Cell;

use super::Signals;
use crate::bits::{lowest, ones};
use crate::contract::handle::{Input, Output};

/// Lanes, at most 64, that a process set when it last ran: one bit each, the lowest for the first.
///
/// A process that keeps one of these for each of its sets of lanes writes only those that change. It is not part of the state, and
/// it becomes invalid when the engine itself writes to the lanes, as it does for its checks.
#[derive(Debug, Default)]
pub struct LastLanes {
    set: Cell<u64>,
    // 0 before anything is set.
    epoch: Cell<u64>,
}

impl LastLanes {
    // Replaces the set of lanes, of `lanes` in all; returns the lanes that may change by that.
    #[inline(always)]
    fn replace(&self, set: u64, lanes: usize, epoch: u64) -> u64 {
        let last = self.set.replace(set);
        let changed = if self.epoch.get() == epoch { last ^ set } else { self.begin(epoch) };
        changed & lowest(lanes)
    }

    #[cold]
    #[inline(never)]
    fn begin(&self, epoch: u64) -> u64 {
        self.epoch.set(epoch);
        u64::MAX
    }
}

/// True if a process has set some outputs correctly, and they are unchanged since.
///
/// It is not part of the state. The process clears it when it sets the outputs in another way, the module when the state
/// behind them changes; like [`LastLanes`] it becomes invalid when the engine writes to channels.
#[derive(Debug, Default)]
pub struct AlreadySet {
    // 0 if they are not.
    epoch: Cell<u64>,
}

// Excluded from copies of a state: the owner of the copy does not know which outputs were set.
impl Clone for AlreadySet {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl AlreadySet {
    /// The outputs are about to be set in another way, or should be.
    #[inline]
    pub fn forget(&self) {
        self.epoch.set(0);
    }
}

impl Signals {
    /// Bit mask of the `inputs`, at most 64, at which a value is presented; the lowest bit is the first input.
    #[inline]
    pub fn lanes_present<T>(&self, inputs: &[Input<T>]) -> u64 {
        // Many at a time: in a loop over single lanes, most instructions would count.
        let (mut lanes, mut rest) = (0, inputs);
        while let Some((others, eight)) = rest.split_last_chunk::<8>() {
            (lanes, rest) = (self.join_lanes(lanes, eight), others);
        }
        if let Some((others, four)) = rest.split_last_chunk::<4>() {
            (lanes, rest) = (self.join_lanes(lanes, four), others);
        }
        if let Some((others, two)) = rest.split_last_chunk::<2>() {
            (lanes, rest) = (self.join_lanes(lanes, two), others);
        }
        if let [one] = rest { 2 * lanes + u64::from(self.slot(one.offset).present) } else { lanes }
    }

    // The lanes further up come first.
    #[inline(always)]
    fn join_lanes<T, const LANES: usize>(&self, lanes: u64, inputs: &[Input<T>; LANES]) -> u64 {
        inputs.iter().rfold(lanes, |lanes, input| 2 * lanes + u64::from(self.slot(input.offset).present))
    }

    /// Accepts the values at those of `inputs`, at most 64, whose bits are set in `accepted`, and refuses the others. `last`
    /// belongs to the process that calls this, and to these lanes.
    #[inline]
    pub fn acknowledge_lanes<T>(&mut self, inputs: &[Input<T>], accepted: u64, last: &LastLanes) {
        for lane in ones(last.replace(accepted, inputs.len(), self.epoch)) {
            self.acknowledge(inputs[lane], accepted >> lane & 1 != 0);
        }
    }

    /// Presents nothing at those of `outputs`, at most 64, whose bits are not set in `presented`; the caller presents
    /// values at the others. `last` belongs to the process that calls this, and to these lanes.
    #[inline]
    pub fn clear_other_lanes<T>(&mut self, outputs: &[Output<T>], presented: u64, last: &LastLanes) {
        for lane in ones(last.replace(presented, outputs.len(), self.epoch) & !presented) {
            self.clear(outputs[lane]);
        }
    }

    /// Notes that the outputs covered by `outputs` are set now.
    #[inline(always)]
    pub fn note_set(&self, outputs: &AlreadySet) {
        outputs.epoch.set(self.epoch);
    }

    /// True if the outputs covered by `outputs` are set.
    #[inline(always)]
    pub fn are_set(&self, outputs: &AlreadySet) -> bool {
        outputs.epoch.get() == self.epoch
    }

    /// True if the outputs covered by `outputs` are set already; marks them as set, so the caller sets them if not.
    #[inline(always)]
    pub fn are_set_already(&self, outputs: &AlreadySet) -> bool {
        let are_set = self.are_set(outputs);
        if !are_set {
            self.note_set(outputs);
        }
        are_set
    }
}
