//! When something happens next, and where.

use crate::time::Time;

/// Some domains, one bit each. From the 65th on they share bits, so a set may seem to have a domain that it has not.
#[derive(Clone, Copy, Default)]
pub(super) struct DomainSet(u64);

impl DomainSet {
    /// A set of one.
    #[inline(always)]
    pub(super) const fn one(domain: usize) -> Self {
        Self(1 << (domain % 64))
    }

    #[inline(always)]
    pub(super) const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether both may have a domain in common; certainly not if this says so.
    #[inline(always)]
    pub(super) const fn may_meet(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// The next edge of every domain, in moments, and the soonest of them.
pub(super) struct Agenda {
    // Of each domain: the moment of the next edge that anything can happen at.
    next: Box<[Time]>,
    soonest: Time,
    // The domains that have their next edge at the soonest moment: the first `count` of these.
    due: Box<[usize]>,
    count: usize,
    // The same as a set.
    due_set: DomainSet,
}

impl Agenda {
    /// One moment for each domain.
    pub(super) fn new(next: impl IntoIterator<Item = Time>) -> Self {
        let next: Box<[Time]> = next.into_iter().collect();
        let due = vec![0; next.len()].into();
        let mut agenda = Self { next, soonest: Time::MAX, due, count: 0, due_set: DomainSet::default() };
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

    /// The same domains as a set.
    #[inline(always)]
    pub(super) fn due_set(&self) -> DomainSet {
        self.due_set
    }

    /// Notes when `domain` has its next edge, for the next turn.
    #[inline]
    pub(super) fn set(&mut self, domain: usize, next: Time) {
        self.next[domain] = next;
    }

    /// Finds the soonest moment of those that were set. Without branches: which domain is next cannot be predicted.
    #[inline]
    pub(super) fn turn(&mut self) {
        let (mut soonest, mut count, mut set) = (Time::MAX, 0, 0);
        for (domain, next) in self.next.iter().enumerate() {
            // Whoever is sooner puts aside those that were due so far.
            (count, set) = if *next < soonest { (0, 0) } else { (count, set) };
            soonest = soonest.min(*next);
            // Written again by the next domain unless this one is due.
            self.due[count] = domain;
            let is_due = *next == soonest;
            count += usize::from(is_due);
            set |= u64::from(is_due) << (domain % 64);
        }
        (self.soonest, self.count, self.due_set) = (soonest, count, DomainSet(set));
    }
}
