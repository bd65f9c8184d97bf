//! Suspending a domain in which everything repeats itself while others act.
//!
//! As in a [leap](super::leap), the modules of such a domain are a closed system as long as those sleep that it shares with others. When
//! the next event from outside comes is not known here: the domain is suspended until one of these modules wakes or something looks.
//! Then it leaps by the periods that have passed, and runs the rest of the cycles up to the present.

use super::closed::{Closed, Repetition, Suspended};
use super::leap::SHORTEST_REST;
use super::{Island, RunningDomain, execute_edge, number};
use crate::contract::Leap;
use crate::ids::Id;
use crate::running::domain_set::DomainSet;
use crate::time::Time;

/// Minimum number of cycles that a search has to save, per cycle that it took.
const WORTH_SEARCHING: u64 = 8;

impl Island {
    /// True if a domain may be suspended once it repeats itself. A module of another domain that reaches memory directly needs no channel
    /// to change it.
    pub(super) fn may_suspend(&self, domain: usize) -> bool {
        let shares_memory = self.shares_memory.may_meet(DomainSet::one(domain));
        !shares_memory && self.acts_soon(domain) && !self.is_suspended(domain)
    }

    /// True if a domain is awake, or sleeps so briefly that it costs as much, as one of functional cores does between their quanta.
    #[inline]
    pub(super) fn acts_soon(&self, domain: usize) -> bool {
        let RunningDomain { asleep, clock, .. } = &self.domains[domain];
        !asleep || self.world.activity.timer(domain).saturating_sub(clock.next_edge()) < SHORTEST_REST
    }

    /// The closed system of a domain that may be suspended while others act.
    pub(super) fn closed_beside_others(&mut self, is_unwatched: impl Fn(&usize) -> bool) -> Option<Closed> {
        if self.patience.left > 0 {
            self.patience.left -= 1;
            return None;
        }
        let domains = (0..self.domains.len()).filter(|domain| self.may_suspend(*domain));
        let mut found = domains.filter(is_unwatched).filter_map(|domain| self.closed_system(domain, false));
        found.find(|closed| !closed.hashed.is_empty())
    }

    /// Suspends a domain until modules cannot predict their behaviour, or a timer is due. The attempt began at cycle `began`.
    pub(super) fn suspend(&mut self, closed: Closed, repetition: Repetition, began: u64) {
        let index = closed.domain;
        let now = self.cycle_of(index);
        self.skip_to(index, self.now);
        let timers = self.world.activity.timers(index).filter(|(actor, _)| !self.has_outlook(*actor));
        let until = timers.fold(repetition.until, |until, (_, cycle)| until.min(cycle));
        let longest = repetition.times.saturating_mul(repetition.period);
        let domain = &mut self.domains[index];
        let end = domain.clock.time_after(until.saturating_sub(now).min(longest));
        domain.asleep = true;
        self.note_attended();
        self.world.activity.set_suspended(index, true);
        self.agenda.set(index, end);
        self.agenda.turn();
        self.suspended.push(Suspended { closed, repetition, searched: now - began });
    }

    /// Resumes the suspended domains in which a module has woken.
    pub(super) fn resume_woken(&mut self) {
        while let Some(woken) = self.suspended.iter().find(|it| !self.others_sleep(&it.closed)) {
            self.resume(woken.closed.domain, self.now);
        }
    }

    /// True if a domain is suspended.
    pub(super) fn is_suspended(&self, index: usize) -> bool {
        self.suspended.iter().any(|it| it.closed.domain == index)
    }

    /// Resumes suspended domains if a run that begins looks at what happens in them.
    pub(super) fn resume_observed(&mut self, watched: DomainSet) {
        let is_watched = |it: &Suspended| watched.may_meet(DomainSet::one(it.closed.domain));
        if self.is_observed() || self.suspended.iter().any(is_watched) {
            self.resume_all();
        }
    }

    /// Resumes all suspended domains.
    pub(super) fn resume_all(&mut self) {
        while let Some(index) = self.suspended.first().map(|it| it.closed.domain) {
            self.resume(index, self.now);
        }
    }

    /// Runs a domain up to its first edge at or after `time`, if it is suspended.
    pub(super) fn resume(&mut self, index: usize, time: Time) {
        let Some(place) = self.suspended.iter().position(|it| it.closed.domain == index) else { return };
        let Suspended { closed, repetition, searched } = self.suspended.swap_remove(place);
        self.domains[index].asleep = false;
        self.note_attended();
        self.world.activity.set_suspended(index, false);
        let frequency = self.domains[index].clock.frequency();
        let end = frequency.first_edge_from(time);
        let passed = end - self.domains[index].clock.next_edge();
        let periods = passed / repetition.period;
        self.patience.note(passed >= WORTH_SEARCHING * searched);
        let may_run_ahead = std::mem::take(&mut self.world.context.may_run_ahead);
        self.end_period(&closed, Leap { period: repetition.period, periods }, &repetition.counters);
        // Modules that have woken have done so now: in the cycles that follow they slept.
        let woken = closed.sleeping.iter().map(|module| number(self.acting.actors[module.index()]));
        let woken: Vec<u32> = woken.filter(|actor| !self.world.activity.is_fast_asleep(*actor)).collect();
        woken.iter().for_each(|actor| self.world.activity.switch(*actor, false, &self.batches));
        while self.domains[index].clock.next_edge() < end {
            self.run_alone(index);
            self.sleep_until(index, time);
        }
        woken.iter().for_each(|actor| self.world.activity.switch(*actor, true, &self.batches));
        self.world.context.may_run_ahead = may_run_ahead;
        self.agenda.set(index, self.domains[index].clock.next_time());
        self.agenda.turn();
    }

    /// Passes the edges of a domain before `time` in which it sleeps.
    fn sleep_until(&mut self, index: usize, time: Time) {
        if self.world.activity.sleeps(index) {
            self.consider_sleep(index);
            if self.domains[index].asleep {
                self.skip_to(index, self.agenda.next_of(index).min(time));
                self.domains[index].asleep = false;
                self.note_attended();
            }
        }
    }

    /// Runs the next edge of one domain, which has passed.
    fn run_alone(&mut self, index: usize) {
        let Self { kinds, batches, world, domains, .. } = self;
        let domain = &mut domains[index];
        let time = domain.clock.next_time();
        world.context.time = time;
        domain.begin_edge(index, time, batches, world);
        execute_edge(index, kinds, batches, world);
    }
}
