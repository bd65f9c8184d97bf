//! Choice among several simultaneous requests.

use serde::{Deserialize, Serialize};

use crate::bits::{lowest, ones};

/// Rule of choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rule {
    /// The first after the one granted last.
    RoundRobin,
    /// The lowest.
    FixedPriority,
    /// The lane that has waited longest, from `starvation_timeout` cycles on; else a lane that continues where its last grant
    /// ended; else the lowest.
    Prioritized { starvation_timeout: u64 },
}

/// The names of the rules, the default first.
pub(super) const RULES: [&str; 3] = ["round_robin", "fixed_priority", "prioritized"];

impl Rule {
    /// The rule of one of the [`RULES`].
    pub(super) fn named(name: &str, starvation_timeout: u64) -> Self {
        match name {
            "round_robin" => Self::RoundRobin,
            "fixed_priority" => Self::FixedPriority,
            _ => Self::Prioritized { starvation_timeout },
        }
    }
}

/// Lane served last, and the cycle since which each lane waits. Lanes are bits of words, at most 64.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Turns {
    last: u32,
    // End of the bytes that were granted last, if they are known.
    next_address: Option<u64>,
    // The lanes that requested without a grant in the last cycle, since when each of them does, and the first of these cycles.
    waiters: u64,
    since: Vec<u64>,
    oldest: u64,
    // The cycle after the last call of `wait`.
    next_cycle: u64,
}

impl Turns {
    /// State for `lanes` lanes, at least 1. In rotation, lane 0 comes first.
    pub(super) fn new(lanes: usize) -> Self {
        Self { last: lanes as u32 - 1, since: vec![0; lanes], oldest: u64::MAX, ..Self::default() }
    }

    /// True if this can be the state for `lanes` lanes.
    pub(super) fn fits(&self, lanes: usize) -> bool {
        self.since.len() == lanes
            && (self.last as usize) < lanes
            && self.waiters & !lowest(lanes) == 0
            && ones(self.waiters).all(|lane| self.since[lane] < self.next_cycle)
    }

    /// The lane granted last.
    #[inline]
    pub(super) fn last(&self) -> u32 {
        self.last
    }

    /// The lanes that requested without a grant in the last cycle.
    #[inline]
    pub(super) fn waiters(&self) -> u64 {
        self.waiters
    }

    /// Number of cycles until now in which `lane` has requested without a grant.
    #[inline]
    pub(super) fn waited(&self, lane: u32) -> u64 {
        let cycles = self.next_cycle.wrapping_sub(self.since[lane as usize]);
        if self.waiters >> lane & 1 != 0 { cycles } else { 0 }
    }

    /// Lane of `requests`, at least one, that is granted; `address` is the first address that a lane requests.
    #[inline]
    pub(super) fn choose(&self, rule: Rule, requests: u64, address: impl Fn(u32) -> Option<u64>) -> u32 {
        let first = requests.trailing_zeros();
        match rule {
            Rule::RoundRobin => {
                let beyond_last = requests & (u64::MAX << self.last << 1);
                if beyond_last != 0 { beyond_last.trailing_zeros() } else { first }
            }
            Rule::FixedPriority => first,
            Rule::Prioritized { starvation_timeout } => {
                if self.next_cycle.saturating_sub(self.oldest) >= starvation_timeout
                    && let Some(lane) = self.starved(requests, starvation_timeout)
                {
                    return lane;
                }
                if self.continues(requests, address) { self.last } else { first }
            }
        }
    }

    // Lane that has waited longest, from the time-out on.
    #[cold]
    #[inline(never)]
    fn starved(&self, requests: u64, timeout: u64) -> Option<u32> {
        let lanes = ones(requests & self.waiters).filter(|lane| self.waited(*lane as u32) >= timeout);
        lanes.min_by_key(|lane| self.since[*lane]).map(|lane| lane as u32)
    }

    /// True if the lane granted last requests the bytes that follow.
    #[inline]
    pub(super) fn continues(&self, requests: u64, address: impl Fn(u32) -> Option<u64>) -> bool {
        requests >> self.last & 1 != 0
            && self.next_address.is_some_and(|next| address(self.last) == Some(next))
    }

    /// Grants `lane` these bytes, if they are known: the first address and the length; returns true if they continue where its
    /// last grant ended.
    #[inline]
    pub(super) fn grant(&mut self, lane: u32, span: Option<(u64, u64)>) -> bool {
        let continues =
            span.is_some_and(|(address, _)| self.last == lane && self.next_address == Some(address));
        self.next_address = span.map(|(address, length)| address.wrapping_add(length));
        self.last = lane;
        continues
    }

    /// These `lanes` have requested without a grant in cycle `cycle`, the others not.
    #[inline]
    pub(super) fn wait(&mut self, lanes: u64, cycle: u64) {
        self.next_cycle = cycle + 1;
        if lanes != self.waiters {
            ones(lanes & !self.waiters).for_each(|lane| self.since[lane] = cycle);
            self.oldest = ones(lanes).fold(u64::MAX, |oldest, lane| oldest.min(self.since[lane]));
            self.waiters = lanes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lane_has_waited_since_a_cycle_before_the_next() {
        let mut turns = Turns::new(3);
        turns.wait(0b101, 7);
        assert!(turns.fits(3) && !turns.fits(2) && !turns.fits(4));
        turns.since[2] = 8;
        assert!(!turns.fits(3), "cycle 8 is the next one");
        turns.since[2] = 7;
        turns.since[1] = 8;
        assert!(turns.fits(3), "lane 1 does not wait");
        turns.last = 3;
        assert!(!turns.fits(3));
    }
}
