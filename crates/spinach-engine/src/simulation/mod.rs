//! Running an elaborated design.

mod checkpoint;
mod control;
mod deadlock;
mod observe;
mod statistics;

pub use checkpoint::{CHECKPOINT_VERSION, CheckpointError};
pub use control::{Condition, Control, Limit, Outcome, Progress};
pub use deadlock::Deadlock;
pub use observe::{Observed, Observer};
pub use statistics::{Snapshot, Statistics};

use crate::arena::{Action, AnyKind, Context};
use crate::ids::{ChannelId, DomainId, Id, ModuleId};
use crate::module::{Contents, Rest};
use crate::netlist::Netlist;
use crate::note::Notes;
use crate::passes::{Elaborated, Schedule};
use crate::payload::Payloads;
use crate::signal::Signals;
use crate::time::{Clock, Time};

/// How many edges a domain lets pass at most between two looks at whether all of it rests.
const LONGEST_PAUSE_BETWEEN_LOOKS: u32 = 256;

/// A running simulation.
pub struct Simulation {
    netlist: Netlist,
    kinds: Vec<Box<dyn AnyKind>>,
    signals: Signals,
    payloads: Payloads,
    counters: Vec<u64>,
    schedule: Schedule,
    domains: Vec<RunningDomain>,
    // The most clocks that any crossing has; 0 without crossings.
    crossing_clocks: usize,
    // For each domain, how many modules that can sleep are awake.
    awake: Vec<u32>,
    // Every edge before this moment has happened, none at or after it.
    now: Time,
    sleeping: bool,
    check_dependencies: bool,
    observers: Vec<Box<dyn Observer>>,
    stop: Option<String>,
    notes: Notes,
}

struct RunningDomain {
    clock: Clock,
    // The moment of the last edge that ran.
    last: Option<Time>,
    // The first edge that is skipped, while the whole domain is.
    asleep_since: Option<u64>,
    // Whoever cannot sleep alone but has state: the domain rests only if they all do.
    glue: Vec<(u32, u32)>,
    sleepers: Vec<(u32, u32)>,
    // The edge after which everything rested, if the last look found that.
    rested_after: Option<u64>,
    look_in: u32,
    pause: u32,
}

impl RunningDomain {
    fn new(clock: Clock, glue: Vec<(u32, u32)>, sleepers: Vec<(u32, u32)>) -> Self {
        Self {
            clock,
            last: None,
            asleep_since: None,
            glue,
            sleepers,
            rested_after: None,
            look_in: 1,
            pause: 1,
        }
    }
}

impl Simulation {
    /// A simulation at time zero.
    pub fn new(elaborated: Elaborated) -> Self {
        let Elaborated { netlist, kinds, signals, counter_count, levels: _, schedule } = elaborated;
        let mut awake = vec![0; netlist.domains.len()];
        let mut domains = Vec::with_capacity(netlist.domains.len());
        for (id, domain) in netlist.domains.iter() {
            let place =
                |module: &ModuleId| (netlist.modules[*module].kind, netlist.modules[*module].instance);
            let (sleepers, glue): (Vec<_>, Vec<_>) = schedule[id]
                .committing
                .iter()
                .map(place)
                .partition(|(kind, _)| kinds[*kind as usize].sleeps());
            awake[id.index()] = u32::try_from(sleepers.len()).unwrap_or(u32::MAX);
            let clock = Clock::new(domain.frequency);
            domains.push(RunningDomain::new(clock, glue, sleepers));
        }
        let crossings = schedule.values().flat_map(|domain| &domain.crossings);
        Self {
            crossing_clocks: crossings.map(|commit| commit.clock as usize + 1).max().unwrap_or(0),
            counters: vec![0; counter_count],
            payloads: Payloads::default(),
            now: Time::ZERO,
            sleeping: true,
            check_dependencies: cfg!(debug_assertions),
            observers: Vec::new(),
            stop: None,
            notes: Notes::default(),
            netlist,
            kinds,
            signals,
            schedule,
            domains,
            awake,
        }
    }

    /// The elaborated design.
    pub fn netlist(&self) -> &Netlist {
        &self.netlist
    }

    /// Every edge before this moment has happened, none at or after it.
    pub fn now(&self) -> Time {
        self.now
    }

    /// How many cycles of a domain have happened.
    pub fn cycles(&self, domain: DomainId) -> u64 {
        self.netlist.domains[domain].frequency.first_edge_from(self.now)
    }

    /// Whether modules and domains that rest are skipped; they are unless switched off. Never changes a result.
    pub fn set_sleeping(&mut self, sleeping: bool) {
        self.wake_all();
        self.sleeping = sleeping;
    }

    /// Whether every process is run a second time with its undeclared inputs flipped, to verify that they do not matter;
    /// slow. On by default in debug builds.
    pub fn set_check_dependencies(&mut self, check: bool) {
        self.check_dependencies = check;
    }

    /// The stored payloads.
    pub fn payloads(&self) -> &Payloads {
        &self.payloads
    }

    /// The present state of a module, as structured data.
    ///
    /// # Errors
    /// If the state cannot be expressed as structured data; says why.
    pub fn state(&mut self, module: ModuleId) -> Result<serde_json::Value, String> {
        self.wake_all();
        let node = &self.netlist.modules[module];
        self.kinds[node.kind as usize].state(node.instance)
    }

    /// The addressable contents of a module that is a memory.
    pub fn contents(&mut self, module: ModuleId) -> Option<&mut dyn Contents> {
        self.wake_all();
        let node = &self.netlist.modules[module];
        self.kinds[node.kind as usize].contents(node.instance)
    }

    /// What a channel held in its domain's last cycle: the words, if any were presented, and whether they were acknowledged.
    pub fn channel(&self, channel: ChannelId) -> (Option<Vec<u64>>, bool) {
        observe::read_channel(&self.netlist, &self.signals, channel)
    }

    // Brings every account up to date. The outputs of modules are valid either way, so nothing else changes.
    fn wake_all(&mut self) {
        for index in 0..self.domains.len() {
            let edge = self.domains[index].clock.frequency().first_edge_from(self.now);
            self.wake_domain(index, edge);
            for (kind, instance) in &self.domains[index].sleepers {
                self.kinds[*kind as usize].wake(*instance, edge, &mut self.counters, &mut self.awake);
            }
        }
    }

    // If the domain sleeps, makes `edge` its next edge and accounts for those it skipped.
    fn wake_domain(&mut self, index: usize, edge: u64) {
        let domain = &mut self.domains[index];
        domain.rested_after = None;
        let Some(since) = domain.asleep_since.take() else { return };
        domain.clock.jump_to_edge(edge);
        let skipped = edge.saturating_sub(since);
        if skipped == 0 {
            return;
        }
        for (kind, instance) in &domain.glue {
            self.kinds[*kind as usize].slept(*instance, since, skipped, &mut self.counters);
        }
    }

    /// The moment of the next edge that anything can happen at.
    #[inline]
    fn next_time(&self) -> Time {
        self.domains.iter().map(|domain| domain.clock.next_time()).min().unwrap_or(Time::MAX)
    }

    /// Runs all edges that fall at `time`: every domain settles before a crossing commits.
    fn run_edges<const OBSERVED: bool>(&mut self, time: Time) {
        for index in 0..self.domains.len() {
            if self.domains[index].clock.next_time() == time {
                self.run_domain(index, time);
            }
        }
        self.commit_crossings(time);
        if OBSERVED {
            self.observe(time);
        }
        for index in 0..self.domains.len() {
            if self.domains[index].clock.next_time() == time {
                self.domains[index].clock.advance();
                if self.sleeping && !OBSERVED && self.awake[index] == 0 {
                    self.look_for_rest(index);
                }
            }
        }
        self.now = Time::from_femtoseconds(time.femtoseconds() + 1);
        self.wake_disturbed_domains();
    }

    #[inline]
    fn run_domain(&mut self, index: usize, time: Time) {
        if self.domains[index].asleep_since.is_some() {
            self.wake_domain(index, self.domains[index].clock.next_edge());
        }
        let domain = &mut self.domains[index];
        domain.last = Some(time);
        let schedule = &self.schedule[DomainId::from_index(index)];
        if self.check_dependencies {
            let id = DomainId::from_index(index);
            crate::bare::check_dependencies(&self.netlist, &self.kinds, &mut self.signals, id);
        }
        let mut context = Context {
            signals: &mut self.signals,
            payloads: &mut self.payloads,
            counters: &mut self.counters,
            awake: &mut self.awake,
            cycle: domain.clock.next_edge(),
            time,
            sleeping: self.sleeping,
            stop: &mut self.stop,
            notes: &mut self.notes,
        };
        let (kinds, mut rest) = (self.kinds.as_mut_slice(), schedule.steps.as_slice());
        for run in &schedule.runs {
            let (steps, after) = rest.split_at(run.count as usize);
            rest = after;
            let kind = &mut kinds[run.kind as usize];
            match run.action {
                Action::Settle => kind.run_settle(run.code, steps, context.signals),
                Action::SettleAndCommit => {
                    kind.run_settle_and_commit(run.code, run.clock, steps, &mut context);
                }
                Action::Commit => kind.run_commit(run.clock, steps, &mut context),
            }
        }
    }

    // Commits the modules with several clocks for all domains with an edge at `time`: for all first clocks, then for all second
    // ones, and so on, so that the result does not depend on the order of the domains.
    fn commit_crossings(&mut self, time: Time) {
        for clock in 0..self.crossing_clocks {
            for (index, schedule) in self.schedule.values().enumerate() {
                let domain = &self.domains[index];
                if domain.clock.next_time() != time {
                    continue;
                }
                let mut context = Context {
                    signals: &mut self.signals,
                    payloads: &mut self.payloads,
                    counters: &mut self.counters,
                    awake: &mut self.awake,
                    cycle: domain.clock.next_edge(),
                    time,
                    sleeping: self.sleeping,
                    stop: &mut self.stop,
                    notes: &mut self.notes,
                };
                for commit in schedule.crossings.iter().filter(|commit| commit.clock as usize == clock) {
                    let steps = std::slice::from_ref(&commit.step);
                    let kind = &mut self.kinds[commit.kind as usize];
                    kind.run_commit(commit.clock, steps, &mut context);
                }
            }
        }
    }

    // A domain in which every module rests and nothing is presented to or by any module with state stays as it is until its
    // earliest timer, or until a crossing is woken from its other side. It must be found so after two edges in a row: the first
    // may still have changed a state, and what follows from that settles at the second.
    fn look_for_rest(&mut self, index: usize) {
        let domain = &mut self.domains[index];
        domain.look_in -= 1;
        if domain.look_in > 0 {
            return;
        }
        let next_edge = domain.clock.next_edge();
        let wake_edge = self.rests_until(index);
        let domain = &mut self.domains[index];
        if wake_edge <= next_edge {
            domain.rested_after = None;
            domain.pause = (domain.pause * 2).min(LONGEST_PAUSE_BETWEEN_LOOKS);
            domain.look_in = domain.pause;
            return;
        }
        (domain.pause, domain.look_in) = (1, 1);
        if domain.rested_after.replace(next_edge) == Some(next_edge - 1) {
            domain.asleep_since = Some(next_edge);
            domain.clock.jump_to_edge(wake_edge);
        }
    }

    // The first edge at which something may happen in a domain all of whose sleepers are asleep; 0 if it does not rest.
    fn rests_until(&self, index: usize) -> u64 {
        let domain = &self.domains[index];
        let mut wake_edge = u64::MAX;
        for (kind, instance) in &domain.sleepers {
            wake_edge = wake_edge.min(self.kinds[*kind as usize].sleeps_until(*instance).unwrap_or(0));
        }
        for (kind, instance) in &domain.glue {
            let kind = &self.kinds[*kind as usize];
            let placement = kind.placement(*instance);
            let rests_until = match kind.rest(*instance) {
                Rest::UntilInput if placement.domains.len() == 1 => u64::MAX,
                Rest::UntilCycle(cycle) if placement.domains.len() == 1 => cycle,
                _ => return 0,
            };
            let mut slots = placement.inputs.iter().chain(&placement.outputs);
            if slots.any(|slot| self.signals.raw_present(*slot)) {
                return 0;
            }
            wake_edge = wake_edge.min(rests_until);
        }
        wake_edge
    }

    // A crossing that was woken from its other side wakes this side's domain, from its first edge after the present moment on.
    #[inline]
    fn wake_disturbed_domains(&mut self) {
        for index in 0..self.domains.len() {
            if self.domains[index].asleep_since.is_some() && self.awake[index] > 0 {
                let edge = self.domains[index].clock.frequency().first_edge_from(self.now);
                self.wake_domain(index, edge);
            }
        }
    }
}
