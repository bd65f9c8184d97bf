//! The last instructions that a core completed.

use serde::{Deserialize, Serialize};
use spinach_engine::Leap;
use spinach_isa::word::Word;

/// A completed instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Completed<W> {
    /// The cycle of the core's clock in which it completed.
    pub cycle: u64,
    /// Its address.
    pub pc: W,
    /// The instruction.
    pub word: u32,
}

/// A ring of the instructions completed last.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct History<W: Word> {
    /// A power of two of them.
    entries: Box<[Completed<W>]>,
    /// Number of entries ever recorded. Modulo the length, that is the index of the next one.
    recorded: u64,
}

impl<W: Word> History<W> {
    /// Keeps the last `length` instructions, rounded up to a power of two.
    pub fn new(length: u32) -> Self {
        let length = (length as usize).next_power_of_two();
        Self { entries: vec![Completed::default(); length].into(), recorded: 0 }
    }

    /// Records an instruction.
    #[inline]
    pub fn record(&mut self, completed: Completed<W>) {
        let next = self.next();
        if let Some(entry) = self.entries.get_mut(next) {
            *entry = completed;
        }
        self.recorded += 1;
    }

    /// Number of instructions kept.
    pub(super) fn length(&self) -> usize {
        self.entries.len()
    }

    #[inline]
    fn next(&self) -> usize {
        self.recorded as usize & (self.entries.len() - 1)
    }

    /// Number of instructions ever recorded.
    pub(super) fn recorded(&self) -> u64 {
        self.recorded
    }

    /// Saves the entries that the next `count` will replace. Returns the number of entries ever recorded.
    pub(super) fn save_next(&self, count: usize, saved: &mut Vec<Completed<W>>) -> u64 {
        let (newer, older) = self.entries.split_at(self.next());
        saved.clear();
        saved.extend(older.iter().chain(newer).take(count));
        self.recorded
    }

    /// Restores these entries.
    pub(super) fn restore_next(&mut self, recorded: u64, saved: &[Completed<W>]) {
        self.recorded = recorded;
        let mask = self.entries.len() - 1;
        for (place, entry) in (self.next()..).zip(saved) {
            self.entries[place & mask] = *entry;
        }
    }

    /// Repeats the entries recorded in a period, before which it was `earlier`, as often as `leap` says.
    pub(super) fn leap(&mut self, leap: Leap, earlier: u64) {
        let each = self.recorded - earlier;
        let last = self.recorded;
        self.recorded += each * leap.periods;
        if each * leap.periods == 0 {
            return;
        }
        let mask = self.entries.len() as u64 - 1;
        let before = self.entries.clone();
        // Each entry is one of the last period, or of an earlier one that is still there; how long ago, in entries.
        for age in 1..=self.recorded.min(mask + 1) {
            let periods = ((age - 1) / each).min(leap.periods);
            let source = before[((last - (age - periods * each)) & mask) as usize];
            let cycle = source.cycle + (leap.periods - periods) * leap.period;
            self.entries[((self.recorded - age) & mask) as usize] = Completed { cycle, ..source };
        }
    }

    /// The instructions kept, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Completed<W>> {
        let kept = usize::try_from(self.recorded).unwrap_or(usize::MAX).min(self.entries.len());
        let (newer, older) = self.entries.split_at(self.next());
        older.iter().chain(newer).skip(self.entries.len() - kept)
    }

    /// True if `other` was made with the same length.
    pub fn fits(&self, other: &Self) -> bool {
        self.entries.len() == other.entries.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_are_kept_oldest_first() {
        let mut history = History::new(3);
        let pcs = |history: &History<u32>| history.iter().map(|completed| completed.pc).collect::<Vec<_>>();
        assert!(pcs(&history).is_empty());
        for pc in 1..=3 {
            history.record(Completed { pc, ..Completed::default() });
        }
        assert_eq!(pcs(&history), [1, 2, 3]);
        for pc in 4..=9 {
            history.record(Completed { pc, ..Completed::default() });
        }
        assert_eq!(pcs(&history), [6, 7, 8, 9]);
    }
}
