//! The next edge of every domain.

use crate::running::domain_set::DomainSet;
use crate::time::Time;

/// Number of instants that a search compares at once: this size needs no loop.
const GROUP: usize = 4;

/// The next edge of every domain, in instants, and the soonest of them.
pub(super) struct Agenda {
    // Of each domain: the instant of the next edge that anything can happen at. Behind the last, up to an integer number of groups, the
    // end of time.
    next: Box<[Time]>,
    domains: usize,
    soonest: Time,
    // No later than the soonest instant of those that are not due.
    others: Time,
    // The domains that have their next edge at the soonest context: the first `count` of these.
    due: Box<[usize]>,
    count: usize,
    // The same as a set.
    due_set: DomainSet,
}

impl Agenda {
    /// One instant for each domain.
    pub(super) fn new(next: impl IntoIterator<Item = Time>) -> Self {
        let mut next: Vec<Time> = next.into_iter().collect();
        let domains = next.len();
        next.resize(domains.next_multiple_of(GROUP), Time::MAX);
        let (soonest, others) = (Time::MAX, Time::MAX);
        let mut agenda = Self {
            due: vec![0; next.len()].into(),
            next: next.into(),
            domains,
            soonest,
            others,
            count: 0,
            due_set: DomainSet::default(),
        };
        agenda.turn();
        agenda
    }

    /// The soonest instant, as of the last turn.
    #[inline(always)]
    pub(super) fn soonest(&self) -> Time {
        self.soonest
    }

    /// The instant of the next edge of a domain that anything can happen at.
    pub(super) fn next_of(&self, domain: usize) -> Time {
        self.next[domain]
    }

    /// Number of domains with an edge at the soonest instant, as of the last turn.
    #[inline(always)]
    pub(super) fn due_count(&self) -> usize {
        self.count
    }

    /// Number `place` of these domains, in order; `place` is less than their count.
    #[inline(always)]
    pub(super) fn due(&self, place: usize) -> usize {
        self.due[place]
    }

    /// These domains in order, and the instants of all domains' next edges: of those due, these are to be set.
    #[inline(always)]
    pub(super) fn due_and_next(&mut self) -> (&[usize], &mut [Time]) {
        (&self.due[..self.count], &mut self.next)
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
        self.others = self.others.min(next);
    }

    /// Finds the soonest instant of those that were set.
    #[inline]
    pub(super) fn turn(&mut self) {
        // Often only one clock is active for a while.
        if self.count == 1 {
            let next = self.next[self.due[0]];
            if next < self.others {
                self.soonest = next;
                return;
            }
        }
        self.search();
    }

    #[inline(never)]
    fn search(&mut self) {
        let (groups, _) = self.next.as_chunks();
        let mut found = Found { soonest: Time::MAX, others: Time::MAX, count: 0, set: DomainSet::default() };
        // As a rule there is but one group.
        if let [group] = groups {
            found.soonest = soonest_of(group);
            found.add(group, 0, &mut self.due);
        } else {
            found.soonest = groups.iter().fold(Time::MAX, |soonest, group| soonest.min(soonest_of(group)));
            for (number, group) in groups.iter().enumerate() {
                found.add(group, number * GROUP, &mut self.due);
            }
        }
        // If no further event is due, the places behind the last domain are due, too.
        self.count = found.count.min(self.domains);
        (self.soonest, self.others, self.due_set) = (found.soonest, found.others, found.set);
    }
}

/// Intermediate result of a search.
struct Found {
    soonest: Time,
    others: Time,
    count: usize,
    set: DomainSet,
}

impl Found {
    /// Adds a group whose first domain is number `first`. Without branches: which domain is next cannot be predicted.
    #[inline(always)]
    fn add(&mut self, group: &[Time; GROUP], first: usize, due: &mut [usize]) {
        // No more are due than there are, so that there is room.
        let Some(due) = due[self.count..].first_chunk_mut::<GROUP>() else { return };
        let (mut count, mut bits) = (0, 0);
        for (place, next) in group.iter().enumerate() {
            let is_due = *next == self.soonest;
            self.others = self.others.min(if is_due { Time::MAX } else { *next });
            // Written again by the next domain unless this one is due.
            due[count % GROUP] = first + place;
            count += usize::from(is_due);
            bits |= u64::from(is_due) << place;
        }
        self.count += count;
        self.set.add_group(bits, first);
    }
}

fn soonest_of(group: &[Time; GROUP]) -> Time {
    let [one, two, three, four] = *group;
    one.min(two).min(three.min(four))
}

#[cfg(test)]
mod tests {
    use super::*;

    // Each domain ticks with its period; some of them stop for a while and continue.
    #[test]
    fn every_turn_finds_exactly_the_domains_that_are_due() {
        let periods = [5, 2, 7, 5, 64];
        let mut next: Vec<Time> = periods.map(Time::from_femtoseconds).to_vec();
        let mut agenda = Agenda::new(next.clone());
        for turn in 0..10_000_usize {
            let soonest = *next.iter().min().expect("there are domains");
            let due: Vec<usize> = (0..next.len()).filter(|domain| next[*domain] == soonest).collect();
            assert_eq!(agenda.soonest(), soonest);
            assert_eq!((0..agenda.due_count()).map(|place| agenda.due(place)).collect::<Vec<_>>(), due);
            for domain in due {
                let span = periods[domain] * if turn % 11 == domain { 30 } else { 1 };
                next[domain] = Time::from_femtoseconds(soonest.femtoseconds() + span);
                agenda.due_and_next().1[domain] = next[domain];
            }
            if turn % 13 == 0 {
                let woken = turn % next.len();
                next[woken] = next[woken].min(Time::from_femtoseconds(soonest.femtoseconds() + 3));
                agenda.set(woken, next[woken]);
            }
            agenda.turn();
        }
    }
}
