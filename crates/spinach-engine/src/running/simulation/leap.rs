//! Skipping stretches of time in which all that is awake repeats itself.
//!
//! Cores that poll never sleep. But while nothing else is awake, a clock domain of such cores, their caches, and the memories that
//! they poll is a closed system: as soon as it comes back to an [`Outlook`] that it had, it goes round until something from outside
//! comes, at an instant that is known, because every other domain sleeps until then. So the engine runs one more period to see
//! what it does to counters, adds that as often as whole periods fit, and lets every module go on by these.

use super::search::Found;
use super::{Simulation, number};
use crate::contract::{Leap, Outlook};
use crate::ids::{Id, ModuleId};
use crate::running::domain_set::DomainSet;
use crate::time::Time;

/// A repetition is looked for at most for so many cycles.
const LONGEST_SEARCH: u64 = 4096;
/// No search begins if something from outside comes within so many cycles: while it lasts, cycles cost half as much again.
const SHORTEST_REST: u64 = 8192;
/// Runs an instant, and says whether the run goes on.
type Step<'a> = &'a mut dyn FnMut(&mut Simulation) -> bool;

/// The modules of the one domain that is awake.
struct Closed {
    domain: usize,
    /// Those that can say what they will do, awake or not.
    repeating: Vec<ModuleId>,
    /// The others, which sleep all the time.
    sleeping: Vec<ModuleId>,
}

/// What repeating modules were at some instant.
struct Moment {
    counters: Vec<Vec<u64>>,
    states: Vec<Option<Vec<u8>>>,
}

impl Simulation {
    /// Skips what can be skipped before `limit` unless conditions look at these domains; `step` runs an instant and says whether the run
    /// goes on.
    pub(super) fn leap(&mut self, limit: Time, watched: DomainSet, step: Step<'_>) {
        let is_unobserved = self.observers.is_empty() && !self.world.context.notes.is_heard();
        let may_skip =
            self.search.enabled && self.world.sleeping && !self.check_dependencies && is_unobserved;
        let found = if may_skip { self.search_and_leap(limit, watched, step) } else { Some(Found::Nothing) };
        self.search.rest(found.unwrap_or(Found::Change));
    }

    /// `None` if anything else was awake, or the run ends.
    fn search_and_leap(&mut self, limit: Time, watched: DomainSet, step: Step<'_>) -> Option<Found> {
        let closed = self.closed_system()?;
        if watched.may_meet(DomainSet::one(closed.domain)) {
            return None;
        }
        let rest = self.rest_of(&closed, self.domains[closed.domain].clock.next_edge(), limit);
        if rest < SHORTEST_REST {
            return None;
        }
        let (first, _) = self.outlook(&closed)?;
        let mut period = None;
        let glance = self.glance(&closed);
        for passed in 1..=LONGEST_SEARCH {
            (step(self) && self.is_closed(&closed)).then_some(())?;
            if self.glance(&closed) == glance && self.outlook(&closed)?.0.repeats(&first) {
                period = Some(passed);
                break;
            }
        }
        let Some(period) = period else { return Some(Found::Nothing) };
        let before = self.moment(&closed)?;
        for _ in 0..period {
            (step(self) && self.is_closed(&closed)).then_some(())?;
        }
        let (last, until) = self.outlook(&closed)?;
        let rest = self.rest_of(&closed, last.cycle(), limit).min(until.saturating_sub(last.cycle()));
        // The last of the cycles at rest may be the one in which what comes from outside is decided.
        let leap = Leap { period, periods: rest.saturating_sub(1) / period };
        if leap.periods > 0 && last.repeats(&first) {
            self.go_on_by(&closed, leap, &before);
        }
        Some(Found::Repetition)
    }

    /// The one domain that is awake, if there is but one, and all its modules can say what they will do or sleep.
    fn closed_system(&self) -> Option<Closed> {
        let mut awake = (0..self.domains.len()).filter(|index| !self.domains[*index].asleep);
        let (domain, None) = (awake.next()?, awake.next()) else { return None };
        let mut closed = Closed { domain, repeating: Vec::new(), sleeping: Vec::new() };
        for (module, node) in self.netlist.modules.iter() {
            let kind = &self.kinds[node.kind as usize];
            if !kind.commits() || !node.domains.iter().any(|own| own.index() == domain) {
            } else if !kind.sleeps() {
                return None;
            } else if kind.repeats() && node.domains.len() == 1 {
                closed.repeating.push(module);
            } else {
                closed.sleeping.push(module);
            }
        }
        self.is_closed(&closed).then_some(closed)
    }

    /// Whether nothing but the repeating modules is awake.
    fn is_closed(&self, closed: &Closed) -> bool {
        let others = |index: usize| index == closed.domain || self.domains[index].asleep;
        let is_asleep = |module: &ModuleId| {
            self.world.activity.is_fast_asleep(number(self.acting.actors[module.index()]))
        };
        closed.sleeping.iter().all(is_asleep) && (0..self.domains.len()).all(others)
    }

    /// How many cycles pass until something comes from outside.
    fn rest_of(&self, closed: &Closed, cycle: u64, limit: Time) -> u64 {
        let others = (0..self.domains.len()).filter(|index| *index != closed.domain);
        let outside = others.fold(limit, |soonest, index| soonest.min(self.agenda.next_of(index)));
        let frequency = self.domains[closed.domain].clock.frequency();
        let rest = frequency.first_edge_from(outside).min(self.world.activity.timer(closed.domain));
        rest.saturating_sub(cycle)
    }

    /// What will follow, and until which cycle at most; `None` if a module cannot tell.
    fn outlook(&self, closed: &Closed) -> Option<(Outlook, u64)> {
        let mut outlook = Outlook::at(self.domains[closed.domain].clock.next_edge());
        let mut until = u64::MAX;
        for module in &closed.repeating {
            let node = &self.netlist.modules[*module];
            let own = self.kinds[node.kind as usize].outlook(node.instance, &mut outlook)?;
            until = until.min(own);
        }
        Some((outlook, until))
    }

    /// A part of the outlook that costs little.
    fn glance(&self, closed: &Closed) -> u64 {
        closed.repeating.iter().fold(0, |all, module| {
            let node = &self.netlist.modules[*module];
            all.rotate_left(7) ^ self.kinds[node.kind as usize].glance(node.instance)
        })
    }

    fn moment(&mut self, closed: &Closed) -> Option<Moment> {
        self.account();
        let mut moment = Moment { counters: Vec::new(), states: Vec::new() };
        for module in &closed.repeating {
            let node = &self.netlist.modules[*module];
            let kind = &self.kinds[node.kind as usize];
            moment.counters.push(kind.counters(node.instance).to_vec());
            let state = kind.leaps_from_earlier().then(|| kind.save(node.instance)).transpose();
            moment.states.push(state.ok()?);
        }
        Some(moment)
    }

    fn go_on_by(&mut self, closed: &Closed, leap: Leap, before: &Moment) {
        self.account();
        let clock = &self.domains[closed.domain].clock;
        let resumes_at = clock.next_edge() + leap.cycles();
        let last = clock.time_after(leap.cycles() - 1);
        for (place, module) in closed.repeating.iter().enumerate() {
            let node = &self.netlist.modules[*module];
            let kind = &mut self.kinds[node.kind as usize];
            for (counter, before) in kind.counters_mut(node.instance).iter_mut().zip(&before.counters[place])
            {
                *counter += (*counter - before) * leap.periods;
            }
            // It was saved from this very module a period ago.
            let has_leapt = kind.leap(node.instance, before.states[place].as_deref(), leap);
            debug_assert!(has_leapt.is_ok());
            // What it slept is counted.
            let _ = self.world.activity.skipped(number(*module), resumes_at);
        }
        let domain = &mut self.domains[closed.domain];
        domain.clock.jump_to_edge(resumes_at);
        domain.last = last;
        self.now = Time::from_femtoseconds(last.femtoseconds() + 1);
        let next = domain.clock.next_time();
        self.agenda.set(closed.domain, next);
        self.agenda.turn();
        self.search.skipped += leap.cycles();
    }
}
