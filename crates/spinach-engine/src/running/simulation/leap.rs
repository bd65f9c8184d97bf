//! Skipping stretches of time in which all that is awake repeats itself.
//!
//! Cores that poll never sleep, or only until a cycle that they know. But while nothing else is awake, a clock domain of such cores,
//! their caches, and the memories that they poll is a closed system: as soon as it returns to an earlier [`Outlook`], it cycles until
//! an event from outside, at a known instant, because every other domain sleeps until then. So the engine runs one more period to
//! measure its effect on counters, multiplies that by the number of whole periods that fit, and lets every module leap by these.
//!
//! [Attempts](super::attempt) find out when that is so.

use super::closed::{Closed, Repetition};
use super::search::{Attempt, Found};
use super::{Island, RunningDomain, number};
use crate::contract::{Leap, Outlook};
use crate::ids::{Id, ModuleId};
use crate::running::domain_set::DomainSet;
use crate::time::Time;

/// Minimum number of cycles to the next event from outside for an attempt to begin; it is abandoned below half of that.
pub(super) const SHORTEST_REST: u64 = 1024;

impl Island {
    /// Looks for repeating time between two instants, and skips it before `limit`, unless conditions watch these domains.
    pub(super) fn seek_repetition(&mut self, limit: Time, watched: DomainSet) {
        let attempt = match self.search.attempt.take() {
            Some(attempt) => self.continue_attempt(attempt, limit),
            None => self.choose_attempt(limit, watched),
        };
        self.search.schedule(attempt);
    }

    fn choose_attempt(&mut self, limit: Time, watched: DomainSet) -> Result<Box<Attempt>, Found> {
        if !self.search.enabled || !self.world.sleeping || self.check_dependencies || self.is_observed() {
            return Err(Found::Nothing);
        }
        let is_unwatched = |domain: &usize| !watched.may_meet(DomainSet::one(*domain));
        // Something may come from outside when a window ends, but as a rule nothing does.
        let is_in_window = self.whole.is_some() && !self.world.context.is_alone;
        let may_leap = |domain: &usize| {
            self.rest_of(*domain, limit) >= SHORTEST_REST && !(is_in_window && self.may_suspend(*domain))
        };
        let closed = match self.only_domain_active().filter(may_leap) {
            Some(domain) => is_unwatched(&domain).then(|| self.closed_system(domain, true)).flatten(),
            None => self.closed_beside_others(is_unwatched),
        };
        let attempt = closed.and_then(|closed| self.begin_attempt(closed, limit));
        attempt.map(Box::new).ok_or(Found::Change)
    }

    fn continue_attempt(&mut self, mut attempt: Box<Attempt>, limit: Time) -> Result<Box<Attempt>, Found> {
        let Some(outcome) = self.advance(&mut attempt, limit).transpose() else { return Ok(attempt) };
        let began = attempt.began;
        match outcome {
            Ok(repetition) => {
                let closed = self.end_attempt(*attempt);
                if closed.is_alone {
                    self.repeat(&closed, &repetition, limit);
                } else {
                    self.suspend(closed, repetition, began);
                }
                Err(Found::Repetition)
            }
            Err(found) => {
                self.give_up(*attempt);
                Err(found)
            }
        }
    }

    fn give_up(&mut self, attempt: Attempt) {
        if !self.end_attempt(attempt).is_alone {
            self.patience.note(false);
        }
    }

    /// Gives up the attempt that continues, if it is one of these.
    pub(super) fn abandon_attempt(&mut self, is_concerned: impl Fn(&Attempt) -> bool) {
        if let Some(attempt) = self.search.attempt.take_if(|attempt| is_concerned(attempt)) {
            self.give_up(*attempt);
            self.search.schedule(Err(Found::Change));
        }
    }

    /// True if something looks at every cycle, or receives notes.
    pub(super) fn is_observed(&self) -> bool {
        !self.observers.is_empty() || self.is_observed_outside || self.world.context.notes.is_heard()
    }

    /// Skips whole periods before `limit`.
    fn repeat(&mut self, closed: &Closed, repetition: &Repetition, limit: Time) {
        let Repetition { period, counters, times, until } = repetition;
        let rest = self.rest_of(closed.domain, limit).min(until.saturating_sub(self.cycle_of(closed.domain)));
        let leap = Leap { period: *period, periods: (rest / period).min(*times) };
        self.end_period(closed, leap, counters);
        if leap.periods > 0 {
            let domain = &self.domains[closed.domain];
            self.now = domain.last.next();
            // Modules that wait for a cycle wake too early, and sleep again.
            self.agenda.set(closed.domain, domain.clock.next_time());
            self.agenda.turn();
        }
    }

    /// The one domain that is awake, if there is but one; if all sleep, the one in which something wakes first.
    fn only_domain_active(&self) -> Option<usize> {
        let mut awake = (0..self.domains.len()).filter(|index| !self.domains[*index].asleep);
        match awake.next() {
            None => {
                let due = (self.agenda.due_count() == 1).then(|| self.agenda.due(0));
                due.filter(|index| !self.is_suspended(*index))
            }
            one => one.filter(|_| awake.next().is_none()),
        }
    }

    /// The modules of a domain, if all of them can predict their behaviour or sleep.
    pub(super) fn closed_system(&self, domain: usize, is_alone: bool) -> Option<Closed> {
        let (repeating, hashed, sleeping) = (Vec::new(), Vec::new(), Vec::new());
        let mut closed = Closed { domain, repeating, hashed, sleeping, is_alone, wakes: u64::MAX };
        for (module, node) in self.netlist.modules.iter() {
            let kind = &self.kinds[node.kind as usize];
            if !kind.commits() || !node.domains.iter().any(|own| own.index() == domain) {
            } else if !kind.sleeps() {
                return None;
            } else if kind.repeats() && node.domains.len() == 1 {
                closed.repeating.push(module);
                if kind.outlook_hash(node.instance) != 0 {
                    closed.hashed.push((node.kind, node.instance));
                }
            } else {
                closed.sleeping.push(module);
            }
        }
        self.is_closed(&mut closed).then_some(closed)
    }

    /// True if only the repeating modules are awake. While other domains act, this one may not sleep for long: nothing could be saved.
    #[inline]
    pub(super) fn is_closed(&self, closed: &mut Closed) -> bool {
        (closed.is_alone || self.acts_soon(closed.domain))
            && (closed.wakes == self.world.activity.wakes() || self.has_stayed_closed(closed))
    }

    fn has_stayed_closed(&self, closed: &mut Closed) -> bool {
        closed.wakes = self.world.activity.wakes();
        let others = |index: usize| index == closed.domain || self.domains[index].asleep;
        self.others_sleep(closed) && (!closed.is_alone || (0..self.domains.len()).all(others))
    }

    /// True if all modules of the domain sleep that cannot predict their behaviour.
    pub(super) fn others_sleep(&self, closed: &Closed) -> bool {
        let is_asleep = |module: &ModuleId| {
            self.world.activity.is_fast_asleep(number(self.acting.actors[module.index()]))
        };
        closed.sleeping.iter().all(is_asleep)
    }

    /// The first cycle of a domain that has not passed.
    pub(super) fn cycle_of(&self, domain: usize) -> u64 {
        let RunningDomain { asleep, clock, .. } = &self.domains[domain];
        if *asleep { clock.frequency().first_edge_from(self.now) } else { clock.next_edge() }
    }

    /// Number of cycles until the next event from outside.
    pub(super) fn rest_of(&self, domain: usize, limit: Time) -> u64 {
        let others = (0..self.domains.len()).filter(|index| *index != domain);
        let outside = others.fold(limit, |soonest, index| soonest.min(self.agenda.next_of(index)));
        let frequency = self.domains[domain].clock.frequency();
        // An outlook holds what the module waits for.
        let timers = self.world.activity.timers(domain).filter(|(actor, _)| !self.has_outlook(*actor));
        let rest = timers.fold(frequency.first_edge_from(outside), |soonest, (_, cycle)| soonest.min(cycle));
        rest.saturating_sub(self.cycle_of(domain))
    }

    /// True if a module of the plan acts alone and can predict its behaviour.
    pub(super) fn has_outlook(&self, actor: u32) -> bool {
        let node = &self.acting.plan.modules[ModuleId::from_index(actor as usize)];
        self.kinds.get(node.kind as usize).is_some_and(|kind| kind.repeats() && node.domains.len() == 1)
    }

    /// Outlook, and the last cycle for which it holds; `None` if a module cannot tell.
    pub(super) fn outlook(&self, closed: &Closed) -> Option<(Outlook, u64)> {
        let mut outlook = Outlook::at(self.cycle_of(closed.domain));
        let mut until = u64::MAX;
        for module in &closed.repeating {
            let node = &self.netlist.modules[*module];
            let own = self.kinds[node.kind as usize].outlook(node.instance, &mut outlook)?;
            outlook.end_module();
            until = until.min(own);
        }
        Some((outlook, until))
    }

    /// Combined outlook hash of the members.
    pub(super) fn outlook_hash(&self, closed: &Closed) -> u64 {
        closed.hashed.iter().fold(0, |all, (kind, instance)| {
            all.rotate_left(7) ^ self.kinds[*kind as usize].outlook_hash(*instance)
        })
    }

    /// Begins a period that may be repeated, in which values advance by `advances`; returns the counters of the modules.
    pub(super) fn begin_period(
        &mut self,
        closed: &Closed,
        period: u64,
        advances: &[Vec<u64>],
    ) -> Vec<Vec<u64>> {
        self.account_domain(closed.domain);
        let begin = |(module, advances): (&ModuleId, &Vec<u64>)| {
            let node = &self.netlist.modules[*module];
            let kind = &mut self.kinds[node.kind as usize];
            kind.begin_period(node.instance, period, advances);
            kind.counters(node.instance).to_vec()
        };
        closed.repeating.iter().zip(advances).map(begin).collect()
    }

    /// Maximum number of repetitions of the period that ends now.
    pub(super) fn repeatable(&self, closed: &Closed) -> u64 {
        let of = |module: &ModuleId| {
            let node = &self.netlist.modules[*module];
            self.kinds[node.kind as usize].repeatable(node.instance)
        };
        closed.repeating.iter().map(of).min().unwrap_or(0)
    }

    /// Ends the period that began with these counters, and repeats it as often as `leap` says: the clock of the domain is behind
    /// that then.
    pub(super) fn end_period(&mut self, closed: &Closed, leap: Leap, before: &[Vec<u64>]) {
        self.account_domain(closed.domain);
        let clock = &self.domains[closed.domain].clock;
        let resumes_at = clock.next_edge() + leap.cycles();
        for (module, before) in closed.repeating.iter().zip(before) {
            let node = &self.netlist.modules[*module];
            let kind = &mut self.kinds[node.kind as usize];
            for (counter, before) in kind.counters_mut(node.instance).iter_mut().zip(before) {
                *counter += (*counter - before) * leap.periods;
            }
            kind.leap(node.instance, leap);
            // Accounts for the cycles that it slept.
            let _ = self.world.activity.skipped(number(*module), resumes_at);
        }
        if leap.periods == 0 {
            return;
        }
        let last = clock.time_after(leap.cycles() - 1);
        let domain = &mut self.domains[closed.domain];
        domain.clock.jump_to_edge(resumes_at);
        domain.last = last;
        self.search.skipped += leap.cycles();
    }
}
