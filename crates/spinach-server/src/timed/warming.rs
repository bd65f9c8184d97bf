//! Timed harts between two measurements: caches, translations and predictors follow what is executed, and instructions take a pace.
//!
//! This is the functional warming of sampled simulation (Wunderlich et al., SMARTS, ISCA 2003, section 3). What goes between cards, caches and
//! memory takes its time as always; only the cores do not find out when each instruction is executed.

use super::pace::Pace;
use super::recipe::Work;
use super::{Ran, Timed, TimedHart, Timing};
use crate::board::Board;
use crate::hart::Hart;

/// A hart whose core only follows.
pub(crate) struct WarmHart<'a> {
    inner: TimedHart<'a>,
    pace: Pace,
}

impl Timed {
    /// From here on instructions take a pace, and cores only follow; with `None` cores say when instructions are executed.
    pub fn set_pace(&mut self, pace: Option<Pace>) {
        self.pace = pace;
    }

    /// The pace, if there is one.
    pub(crate) fn pace(&self) -> Option<Pace> {
        self.pace
    }

    /// A hart whose core follows at a pace.
    pub(crate) fn warm_hart(&mut self, number: usize, pace: Pace) -> WarmHart<'_> {
        WarmHart { inner: self.hart(number), pace }
    }
}

impl Timing for WarmHart<'_> {
    const IS_ON: bool = true;

    fn begin(&mut self, hart: &Hart, _: &Board) {
        self.inner.follow_tables(hart);
    }

    #[inline(always)]
    fn refer(&mut self, address: u64, place: Option<usize>) {
        self.inner.refer(address, place);
    }

    fn end(&mut self, hart: &mut Hart, board: &mut Board, ran: &Ran<'_>) {
        let (number, pace) = (self.inner.number, self.pace);
        self.inner.end_with(hart, board, ran, |core, memories, tables, it, time| {
            let misses = core.warm(number, memories, tables, it, time);
            let is_from_device = it.reference.is_some_and(|reference| reference.place.is_none());
            let answered =
                if is_from_device && it.recipe.work == Work::Loads { memories.device_done() } else { 0 };
            answered.max(time) + core.paced(pace, misses)
        });
    }
}
