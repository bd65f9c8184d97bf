//! Skipping stretches of time in which all that is awake repeats itself.
//!
//! Cores that poll never sleep, or only until a cycle that they know. But while nothing else is awake, a clock domain of such cores,
//! their caches, and the memories that they poll is a closed system: as soon as it returns to an earlier [`Outlook`], it cycles until
//! an event from outside, at a known instant, because every other domain sleeps until then. So the engine runs one more period to
//! measure its effect on counters, multiplies that by the number of whole periods that fit, and lets every module leap by these.
//!
//! Outlooks cost much. So a search looks at [hashes](super::hashes) first, and takes outlooks only where these have begun to come again.

use super::closed::{Closed, Repetition};
use super::hashes::{EVIDENCE_OF_CYCLES, EVIDENCE_OF_SLEEP, Hashes};
use super::search::Found;
use super::{Island, RunningDomain, number};
use crate::contract::{Leap, Outlook};
use crate::ids::{Id, ModuleId};
use crate::running::domain_set::DomainSet;
use crate::time::Time;

/// Maximum number of instants in which a repetition is searched: one for each cycle of a domain that is awake.
pub(super) const LONGEST_SEARCH: u32 = 4096;
/// Minimum number of cycles to the next event from outside for a search to begin; it is abandoned below half of that.
pub(super) const SHORTEST_REST: u64 = 1024;
/// Number of periods in which advancing values may still advance differently: values read before the first period are older.
const TRIALS: u32 = 4;
/// Callback that runs an instant, and returns true if the run continues.
pub(super) type Step<'a> = &'a mut dyn FnMut(&mut Island) -> bool;

impl Island {
    /// Skips repeating time before `limit` unless conditions watch these domains; `step` runs an instant and returns true if the
    /// run continues.
    pub(super) fn leap(&mut self, limit: Time, watched: DomainSet, step: Step<'_>) {
        let may_skip =
            self.search.enabled && self.world.sleeping && !self.check_dependencies && !self.is_observed();
        let found = if may_skip { self.search_and_leap(limit, watched, step) } else { Some(Found::Nothing) };
        self.search.rest(found.unwrap_or(Found::Change));
    }

    /// True if something looks at every cycle, or receives notes.
    pub(super) fn is_observed(&self) -> bool {
        !self.observers.is_empty() || self.is_observed_outside || self.world.context.notes.is_heard()
    }

    /// `None` if anything else was awake or soon will be, or the run ends.
    fn search_and_leap(&mut self, limit: Time, watched: DomainSet, step: Step<'_>) -> Option<Found> {
        let is_unwatched = |domain: &usize| !watched.may_meet(DomainSet::one(*domain));
        let alone = self.only_domain_active().filter(|domain| self.rest_of(*domain, limit) >= SHORTEST_REST);
        let Some(domain) = alone else { return self.search_and_suspend(is_unwatched, step) };
        if !is_unwatched(&domain) {
            return None;
        }
        // Outlooks are of states between edges.
        let may_run_ahead = self.end_running_ahead();
        let is_alone = self.only_domain_active() == Some(domain);
        let found = if is_alone { self.search_in(domain, limit, step) } else { None };
        self.world.context.may_run_ahead = may_run_ahead;
        found
    }

    /// The same for the one domain in which anything happens.
    fn search_in(&mut self, domain: usize, limit: Time, step: Step<'_>) -> Option<Found> {
        let mut closed = self.closed_system(domain, true)?;
        let outside = self.cycle_of(domain) + self.rest_of(domain, limit);
        let is_asleep = self.domains[domain].asleep;
        let mut hashes = Hashes::new(if is_asleep { EVIDENCE_OF_SLEEP } else { EVIDENCE_OF_CYCLES });
        for _ in 0..LONGEST_SEARCH {
            let cycle = self.cycle_of(domain);
            let period = hashes.add(self.outlook_hash(&closed), cycle);
            if outside.saturating_sub(cycle) < SHORTEST_REST / 2 + period.unwrap_or(0) {
                return None;
            }
            if let Some(period) = period {
                if self.repeat(&mut closed, period, limit, step)? {
                    return Some(Found::Repetition);
                }
                hashes.forget();
            }
            (step(self) && self.is_closed(&mut closed)).then_some(())?;
        }
        Some(Found::Nothing)
    }

    /// Tests if everything repeats itself after `period` cycles, and skips cycles if so. Returns `None` as of
    /// [`Self::search_and_leap`].
    fn repeat(&mut self, closed: &mut Closed, period: u64, limit: Time, step: Step<'_>) -> Option<bool> {
        let Some(repetition) = self.try_period(closed, period, limit, step)? else { return Some(false) };
        let Repetition { period, counters, times, until } = repetition;
        let rest = self.rest_of(closed.domain, limit).min(until.saturating_sub(self.cycle_of(closed.domain)));
        let leap = Leap { period, periods: (rest / period).min(times) };
        self.end_period(closed, leap, &counters);
        if leap.periods > 0 {
            let domain = &self.domains[closed.domain];
            self.now = domain.last.next();
            // Modules that wait for a cycle wake too early, and sleep again.
            self.agenda.set(closed.domain, domain.clock.next_time());
            self.agenda.turn();
        }
        Some(true)
    }

    /// Runs periods until two in a row do the same, the last of which has not ended yet then. Returns `None` as of
    /// [`Self::search_and_leap`].
    pub(super) fn try_period(
        &mut self,
        closed: &mut Closed,
        mut period: u64,
        limit: Time,
        step: Step<'_>,
    ) -> Option<Option<Repetition>> {
        let mut last = self.outlook(closed)?.0;
        let mut advances = last.advances_since(&last);
        for _ in 0..TRIALS {
            let counters = self.begin_period(closed, period, &advances);
            let end = self.cycle_of(closed.domain) + period;
            let mut is_undisturbed = true;
            while is_undisturbed && self.cycle_of(closed.domain) < end {
                is_undisturbed = step(self) && self.is_closed(closed);
            }
            let is_whole = is_undisturbed && self.cycle_of(closed.domain) == end;
            let outlook = if is_whole { self.outlook(closed) } else { None };
            let outlook = outlook.filter(|(outlook, _)| outlook.repeats(&last));
            let Some((outlook, until)) = outlook else {
                self.end_period(closed, Leap::NONE, &counters);
                return is_undisturbed.then_some(None);
            };
            let now = outlook.advances_since(&last);
            let times = if now == advances { self.repeatable(closed) } else { 0 };
            let ends_soon = closed.is_alone && {
                let rest = until.saturating_sub(outlook.cycle());
                self.rest_of(closed.domain, limit).min(rest) < SHORTEST_REST / 2
            };
            if times > 0 || ends_soon {
                return Some(Some(Repetition { period, counters, times, until }));
            }
            self.end_period(closed, Leap::NONE, &counters);
            period = outlook.period_in_step(period);
            (last, advances) = (outlook, now);
        }
        Some(None)
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

    /// True if only the repeating modules are awake. While other domains act, this one may not sleep: nothing could be saved.
    #[inline]
    pub(super) fn is_closed(&self, closed: &mut Closed) -> bool {
        (closed.is_alone || !self.domains[closed.domain].asleep)
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
    fn rest_of(&self, domain: usize, limit: Time) -> u64 {
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
    fn outlook(&self, closed: &Closed) -> Option<(Outlook, u64)> {
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
    fn begin_period(&mut self, closed: &Closed, period: u64, advances: &[Vec<u64>]) -> Vec<Vec<u64>> {
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
    fn repeatable(&self, closed: &Closed) -> u64 {
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
