//! When something happens next, and where.

use crate::time::Time;

/// The next edge of every domain, in moments, and the soonest of them.
pub(super) struct Agenda {
    // Of each domain: the moment of the next edge that anything can happen at.
    next: Box<[Time]>,
    soonest: Time,
    // The domains that have their next edge at the soonest moment: the first `count` of these.
    due: Box<[usize]>,
    count: usize,
}

impl Agenda {
    /// One moment for each domain.
    pub(super) fn new(next: impl IntoIterator<Item = Time>) -> Self {
        let next: Box<[Time]> = next.into_iter().collect();
        let mut agenda = Self { due: vec![0; next.len()].into(), next, soonest: Time::MAX, count: 0 };
        agenda.turn();
        agenda
    }

    /// The soonest moment, as of the last turn.
    #[inline(always)]
    pub(super) fn soonest(&self) -> Time {
        self.soonest
    }

    /// The domains that have an edge at the soonest moment, as of the last turn, in order.
    #[inline(always)]
    pub(super) fn due(&self) -> &[usize] {
        &self.due[..self.count]
    }

    /// Notes when `domain` has its next edge, for the next turn.
    #[inline]
    pub(super) fn set(&mut self, domain: usize, next: Time) {
        self.next[domain] = next;
    }

    /// Finds the soonest moment of those that were set.
    #[inline]
    pub(super) fn turn(&mut self) {
        (self.soonest, self.count) = (Time::MAX, 0);
        for (domain, next) in self.next.iter().enumerate() {
            if *next < self.soonest {
                (self.soonest, self.count) = (*next, 0);
            }
            if *next == self.soonest {
                self.due[self.count] = domain;
                self.count += 1;
            }
        }
    }
}
