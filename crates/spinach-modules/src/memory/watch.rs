//! Watchpoints of a memory.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::values::Access;

/// Number of hits that are remembered.
const REMEMBERED_HITS: usize = 64;

/// One reference or block that touched a watched range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct WatchHit {
    /// Cycle of the memory's clock.
    pub cycle: u64,
    /// Source of the reference.
    pub source: u16,
    /// Kind of access.
    pub access: Access,
    /// The address of the first byte of the reference or, of a block, of the first watched byte.
    pub address: u64,
    /// Up to eight bytes from `address` on, in memory order from the least significant bits, before.
    pub old: u64,
    /// The same bytes after.
    pub new: u64,
}

/// The watched ranges of a memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watch {
    // First byte and first byte beyond.
    ranges: Vec<(u64, u64)>,
}

impl Watch {
    /// Takes first addresses and lengths by turns.
    pub(crate) fn new(addresses_and_lengths: &[u64]) -> Result<Self, String> {
        if !addresses_and_lengths.len().is_multiple_of(2) {
            return Err(format!(
                "watch lists {} numbers, but takes an address and a length for each range",
                addresses_and_lengths.len()
            ));
        }
        let pairs = addresses_and_lengths.chunks_exact(2);
        Ok(Self { ranges: pairs.map(|pair| (pair[0], pair[0].saturating_add(pair[1]))).collect() })
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Unwatched addresses from `first` to `beyond`: the first of each range, and the first beyond it.
    pub(crate) fn gaps(&self, first: u64, beyond: u64) -> Vec<(u64, u64)> {
        let mut ranges = self.ranges.clone();
        ranges.sort_unstable();
        let mut gaps = Vec::new();
        let mut from = first;
        for (start, end) in ranges.into_iter().chain([(beyond, beyond)]) {
            if from < start.min(beyond) {
                gaps.push((from, start.min(beyond)));
            }
            from = from.max(end);
        }
        gaps
    }

    /// The first watched address among the `length` bytes from `address` on.
    pub(crate) fn first_watched(&self, address: u64, length: u64) -> Option<u64> {
        let beyond = address.saturating_add(length);
        let touched = self.ranges.iter().filter(|(first, last)| *first < beyond && address < *last);
        touched.map(|(first, _)| (*first).max(address)).min()
    }
}

/// Remembers `hit` and forgets the oldest if there are too many.
pub(crate) fn remember(hits: &mut VecDeque<WatchHit>, hit: WatchHit) {
    if hits.len() == REMEMBERED_HITS {
        hits.pop_front();
    }
    hits.push_back(hit);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_what_no_range_has() {
        let gaps = |ranges: &[u64], first, beyond| Watch::new(ranges).unwrap().gaps(first, beyond);
        assert_eq!(gaps(&[], 4, 20), [(4, 20)]);
        assert_eq!(gaps(&[8, 4, 10, 4], 4, 20), [(4, 8), (14, 20)]);
        assert_eq!(gaps(&[16, 100, 0, 5], 4, 20), [(5, 16)]);
        assert_eq!(gaps(&[0, u64::MAX], 4, 20), []);
        assert_eq!(gaps(&[40, 4], 4, 20), [(4, 20)]);
    }
}
