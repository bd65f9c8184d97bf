//! Running until an instant, a cycle, a condition, an interruption or a deadlock.

use super::{Deadlock, Island};
use crate::contract::End;
use crate::describing::suggest;
use crate::elaborating::Netlist;
use crate::ids::{ChannelId, DomainId, Id, ModuleId};
use crate::running::domain_set::DomainSet;
use crate::time::Time;

/// Number of edges between two tests of conditions outside the simulation.
const EDGES_PER_LOOK: u32 = 4096;

/// End of a run.
#[derive(Clone, Debug)]
pub struct Limit {
    /// Run all edges before this instant.
    pub time: Time,
    /// Stop earlier when any of these holds.
    pub conditions: Vec<Condition>,
    /// Stop earlier when, for this span of simulated time, some module offers a value but there is no transfer anywhere. The test
    /// costs time, so the engine begins to measure the span only once in a few thousand edges.
    pub deadlock_after: Option<Time>,
}

/// A condition that ends a run early; tested after every edge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Condition {
    /// A counter, named by module path and counter name, has reached a value.
    Counter {
        /// The module.
        path: String,
        /// The counter.
        counter: String,
        /// The value.
        at_least: u64,
    },
    /// Number of values that have moved through a channel since the run began.
    Transfers {
        /// The channel.
        channel: ChannelId,
        /// Number of transfers.
        count: u64,
    },
}

/// Why a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The instant was reached.
    Reached,
    /// The condition holds.
    ConditionHolds,
    /// A module stopped the simulation: its path, and the reason.
    Stopped(String),
    /// A module paused the simulation for an observer; see [`crate::Edge::pause`].
    Paused,
    /// The progress callback asked to stop.
    Interrupted,
    /// No transfer happens, and a module waits.
    Deadlocked(Deadlock),
}

/// The argument of a progress callback.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Progress of the simulation.
    pub now: Time,
    /// End of the run.
    pub limit: Time,
}

/// The answer of a progress callback.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Control {
    /// Continue.
    Continue,
    /// End the run after the present cycle; it can be continued later.
    Stop,
}

// Reason for the end of a run, which can be copied at every instant: an [`Outcome`] may own its text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ending {
    Reached,
    ConditionHolds,
    // The context of the edge has the reasons that modules gave.
    ByModule,
}

/// Conditions of a run, and the modules whose counters are read in every cycle.
pub(super) struct Watching {
    pub(super) watches: Vec<Watch>,
    pinned: Vec<ModuleId>,
}

// The subject of a condition, and the domains at whose edges alone it changes.
pub(super) struct Watch {
    domains: DomainSet,
    on: Watched,
}

enum Watched {
    Counter { module: ModuleId, index: usize, at_least: u64 },
    Transfers { channel: ChannelId, left: u64 },
}

impl Watch {
    fn module(&self) -> Option<ModuleId> {
        match self.on {
            Watched::Counter { module, .. } => Some(module),
            Watched::Transfers { .. } => None,
        }
    }
}

impl Limit {
    /// Run all edges before `time`.
    pub fn time(time: Time) -> Self {
        Self { time, conditions: Vec::new(), deadlock_after: None }
    }

    /// The same limit, ending earlier when `condition` holds.
    #[must_use]
    pub fn or(mut self, condition: Condition) -> Self {
        self.conditions.push(condition);
        self
    }
}

impl Island {
    // See `Simulation::run`.
    pub(super) fn run(
        &mut self,
        limit: &Limit,
        progress: &mut dyn FnMut(Progress) -> Control,
    ) -> Result<Outcome, String> {
        let mut watching = self.watching(&limit.conditions)?;
        if self.any_holds(&watching) {
            return Ok(Outcome::ConditionHolds);
        }
        self.begin(&watching);
        let outcome = self.run_watching(limit, &mut watching.watches, progress);
        self.end(&watching);
        Ok(outcome)
    }

    // Conditions as a run tests them; called at the end of the last run.
    pub(super) fn watching(&mut self, conditions: &[Condition]) -> Result<Watching, String> {
        let watches = conditions.iter().map(|condition| self.watch(condition));
        let watches = watches.collect::<Result<Vec<_>, _>>()?;
        self.resume_observed(watches.iter().fold(self.tapped, |all, watch| all.union(watch.domains)));
        if self.is_unsettled && !self.may_run_ahead(&watches) {
            self.settle();
        }
        let mut pinned: Vec<ModuleId> = watches.iter().filter_map(Watch::module).collect();
        pinned.sort_unstable();
        pinned.dedup();
        Ok(Watching { watches, pinned })
    }

    pub(super) fn any_holds(&self, watching: &Watching) -> bool {
        watching.watches.iter().any(|watch| self.holds(watch))
    }

    pub(super) fn begin(&mut self, watching: &Watching) {
        self.pin(&watching.pinned, true);
        self.is_unsettled = false;
    }

    pub(super) fn end(&mut self, watching: &Watching) {
        self.abandon_attempt(|_| true);
        self.is_unsettled = true;
        self.pin(&watching.pinned, false);
        self.world.context.notes.deliver();
    }

    // Runs all edges before `end`, or until the run ends or, if the island is alone, a value leaves it.
    pub(super) fn run_to(
        &mut self,
        end: Time,
        watches: &mut [Watch],
        progress: &mut dyn FnMut(Progress) -> Control,
    ) -> Option<Outcome> {
        if self.agenda.soonest() >= end {
            self.now = self.now.max(end);
            return None;
        }
        self.world.context.may_run_ahead = self.may_run_ahead(watches);
        loop {
            match self.run_some::<false>(end, watches) {
                None if progress(Progress { now: self.now, limit: end }) == Control::Stop => {
                    return Some(Outcome::Interrupted);
                }
                None => {}
                Some(Outcome::Reached) => return None,
                ended => return ended,
            }
        }
    }

    // One instant of a run that something outside looks at: at everything, or at values that move.
    pub(super) fn run_observed(
        &mut self,
        end: Time,
        watches: &mut [Watch],
        is_whole: bool,
    ) -> Option<Outcome> {
        self.world.context.may_run_ahead = false;
        let ending = if is_whole {
            self.run_instant::<true>(end, watches)
        } else {
            self.run_instant::<false>(end, watches)
        };
        self.reveal();
        ending.map(|ending| self.outcome(ending))
    }

    // True if nothing looks at members of fusions before the run ends, nor does an attempt to find a repetition.
    fn may_run_ahead(&self, watches: &[Watch]) -> bool {
        let looks_inside = |watch: &Watch| match watch.on {
            Watched::Counter { module, .. } => self.is_fused(module),
            Watched::Transfers { channel, .. } => self.is_inside(channel),
        };
        self.search.attempt.is_none()
            && self.world.sleeping
            && self.observers.is_empty()
            && !self.is_observed_outside
            && !self.world.context.notes.is_heard()
            && !watches.iter().any(looks_inside)
            && !self.taps_look_inside()
    }

    fn run_watching(
        &mut self,
        limit: &Limit,
        watches: &mut [Watch],
        progress: &mut dyn FnMut(Progress) -> Control,
    ) -> Outcome {
        loop {
            if let Some(span) = limit.deadlock_after
                && self.search.attempt.is_none()
            {
                // It looks at every channel in every cycle.
                self.resume_all();
                self.end_running_ahead();
                if let Some(outcome) = self.run_until_movement(span, limit.time, watches, progress) {
                    return outcome;
                }
            }
            self.world.context.may_run_ahead = self.may_run_ahead(watches);
            let has_ended = if self.observers.is_empty() {
                self.run_some::<false>(limit.time, watches)
            } else {
                self.run_some::<true>(limit.time, watches)
            };
            if let Some(outcome) = has_ended {
                return outcome;
            }
            if progress(Progress { now: self.now, limit: limit.time }) == Control::Stop {
                return Outcome::Interrupted;
            }
        }
    }

    // The counters of a module that accounts for its sleep are brought up to date only when it wakes. So while one of them
    // decides when the run ends, the module stays awake, and its domain with it.
    fn pin(&mut self, modules: &[ModuleId], pinned: bool) {
        let actors = modules.iter().map(|module| self.acting.actors[module.index()]);
        let mut modules: Vec<ModuleId> = actors.filter(|actor| self.accounts_for_sleep(*actor)).collect();
        modules.sort_unstable();
        modules.dedup();
        if modules.is_empty() {
            return;
        }
        self.wake_all();
        for module in modules {
            self.world.activity.pin(module, pinned);
        }
    }

    // True if counters of this module of the plan may be behind while it sleeps.
    pub(super) fn accounts_for_sleep(&self, actor: ModuleId) -> bool {
        self.runner(self.acting.plan.modules[actor].kind).accounts_for_sleep()
    }

    fn run_some<const OBSERVED: bool>(&mut self, limit: Time, watches: &mut [Watch]) -> Option<Outcome> {
        for _ in 0..EDGES_PER_LOOK {
            if self.search.is_due() {
                self.skip_repetition(limit, watches);
            }
            if let Some(ending) = self.run_instant::<OBSERVED>(limit, watches) {
                return Some(self.outcome(ending));
            }
        }
        None
    }

    // Skips time in which everything repeats itself and no condition can come to hold.
    #[cold]
    #[inline(never)]
    fn skip_repetition(&mut self, limit: Time, watches: &[Watch]) {
        let watched = watches.iter().fold(self.tapped, |all, watch| all.union(watch.domains));
        self.seek_repetition(limit, watched);
    }

    #[cold]
    #[inline(never)]
    fn outcome(&mut self, ending: Ending) -> Outcome {
        match ending {
            Ending::Reached => Outcome::Reached,
            Ending::ConditionHolds => Outcome::ConditionHolds,
            Ending::ByModule => match self.world.context.end.take() {
                Some(End::Stop(module, reason)) => Outcome::Stopped(format!(
                    "{}: {reason}",
                    self.netlist.modules[ModuleId::from_index(module as usize)].path
                )),
                Some(End::Sent) => Outcome::Reached,
                Some(End::Pause) | None => Outcome::Paused,
            },
        }
    }

    // One instant at which domains have edges.
    #[inline(always)]
    fn run_instant<const OBSERVED: bool>(&mut self, limit: Time, watches: &mut [Watch]) -> Option<Ending> {
        let time = self.agenda.soonest();
        if time >= limit {
            self.now = self.now.max(limit);
            return Some(Ending::Reached);
        }
        let due = self.agenda.due_set();
        self.run_edges::<OBSERVED>(time);
        if self.world.context.end.is_some() {
            return Some(Ending::ByModule);
        }
        let mut ends = false;
        for watch in watches {
            if watch.domains.may_meet(due) {
                ends |= self.look(watch);
            }
        }
        ends.then_some(Ending::ConditionHolds)
    }

    // Returns true if the condition holds, after edges at which it may have changed.
    #[inline(never)]
    fn look(&mut self, watch: &mut Watch) -> bool {
        if let Watched::Transfers { channel, left } = &mut watch.on {
            if self.is_inside(*channel) {
                self.reveal();
            }
            *left -= u64::from(self.moved(*channel));
        }
        self.holds(watch)
    }

    // Runs until any transfer; reports a deadlock if none happens for `span` although a value is offered.
    fn run_until_movement(
        &mut self,
        span: Time,
        limit: Time,
        watches: &mut [Watch],
        progress: &mut dyn FnMut(Progress) -> Control,
    ) -> Option<Outcome> {
        let until = self.now.saturating_add(span);
        let mut look_in = EDGES_PER_LOOK;
        loop {
            self.reveal();
            if self.agenda.soonest() >= until && until <= limit {
                return self.deadlock().map(Outcome::Deadlocked);
            }
            let ending = if self.observers.is_empty() {
                self.run_instant::<false>(limit, watches)
            } else {
                self.run_instant::<true>(limit, watches)
            };
            if let Some(ending) = ending {
                return Some(self.outcome(ending));
            }
            self.reveal();
            if self.any_moved() {
                return None;
            }
            look_in -= 1;
            if look_in == 0 {
                look_in = EDGES_PER_LOOK;
                if progress(Progress { now: self.now, limit }) == Control::Stop {
                    return Some(Outcome::Interrupted);
                }
            }
        }
    }

    // Returns true if a value moved at the last instant at which anything happened.
    pub(super) fn any_moved(&self) -> bool {
        self.netlist.channels.ids().any(|channel| self.moved(channel))
    }

    // Returns true if a value moved through `channel` at the last instant at which anything happened.
    pub(super) fn moved(&self, channel: ChannelId) -> bool {
        let channel = &self.netlist.channels[channel];
        self.ticked(channel.domain)
            && self.world.signals.raw_present(channel.slot)
            && self.world.signals.raw_ack(channel.slot)
    }

    // Returns true if `domain` had an edge that ran at the last instant at which anything happened.
    fn ticked(&self, domain: DomainId) -> bool {
        self.domains[domain.index()].last.next() == self.now
    }

    fn watch(&self, condition: &Condition) -> Result<Watch, String> {
        match condition {
            Condition::Counter { path, counter, at_least } => {
                let module = find_module(&self.netlist, path)?;
                let index = self.counter_index(module, counter).ok_or_else(|| {
                    let known = self.netlist.modules[module].declaration.counters.iter();
                    let known = suggest(counter, known.map(|(name, _)| *name));
                    format!("{path} has no counter {counter:?}\n  help: {known}")
                })?;
                let domains = self.netlist.modules[module].domains.iter();
                let domains = domains.map(|domain| DomainSet::one(domain.index()));
                let domains = domains.fold(DomainSet::default(), DomainSet::union);
                Ok(Watch { domains, on: Watched::Counter { module, index, at_least: *at_least } })
            }
            Condition::Transfers { channel, count } => {
                let domains = DomainSet::one(self.netlist.channels[*channel].domain.index());
                Ok(Watch { domains, on: Watched::Transfers { channel: *channel, left: *count } })
            }
        }
    }

    fn holds(&self, watch: &Watch) -> bool {
        match watch.on {
            Watched::Counter { module, index, at_least } => self.counters_of(module)[index] >= at_least,
            Watched::Transfers { left, .. } => left == 0,
        }
    }
}

/// The module with hierarchical name `path`.
///
/// # Errors
/// If there is none; with a similar name.
pub(super) fn find_module(netlist: &Netlist, path: &str) -> Result<ModuleId, String> {
    netlist.find_module(path).ok_or_else(|| {
        let paths = netlist.modules.values().map(|node| node.path.as_str());
        format!("there is no module {path:?}\n  help: {}", suggest(path, paths))
    })
}
