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

use crate::arena::{AnyKind, Context};
use crate::ids::{ChannelId, DomainId, Id, ModuleId};
use crate::module::{Contents, Rest};
use crate::netlist::Netlist;
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
    // For each domain, how many modules that can sleep are awake.
    awake: Vec<u32>,
    // Every edge before this moment has happened, none at or after it.
    now: Time,
    sleeping: bool,
    check_dependencies: bool,
    observers: Vec<Box<dyn Observer>>,
    stop: Option<String>,
}

struct RunningDomain {
    clock: Clock,
    asleep: bool,
    // Whoever cannot sleep alone but has state: the domain rests only if they all do.
    glue: Vec<(u32, u32)>,
    sleepers: Vec<(u32, u32)>,
    look_in: u32,
    pause: u32,
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
            domains.push(RunningDomain { clock, asleep: false, glue, sleepers, look_in: 1, pause: 1 });
        }
        Self {
            counters: vec![0; counter_count],
            payloads: Payloads::default(),
            now: Time::ZERO,
            sleeping: true,
            check_dependencies: cfg!(debug_assertions),
            observers: Vec::new(),
            stop: None,
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
        for (id, domain) in self.netlist.domains.iter() {
            let running = &mut self.domains[id.index()];
            let edge = domain.frequency.first_edge_from(self.now);
            if std::mem::take(&mut running.asleep) {
                running.clock.jump_to_edge(edge);
            }
            for (kind, instance) in &running.sleepers {
                self.kinds[*kind as usize].wake(*instance, edge, &mut self.counters, &mut self.awake);
            }
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
        for index in 0..self.domains.len() {
            if self.domains[index].clock.next_time() == time {
                self.commit_crossings(index, time);
            }
        }
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
        self.wake_domains(time);
    }

    #[inline]
    fn run_domain(&mut self, index: usize, time: Time) {
        let domain = &mut self.domains[index];
        domain.asleep = false;
        let schedule = &self.schedule[DomainId::from_index(index)];
        if self.check_dependencies {
            crate::bare::check_dependencies(
                &self.netlist,
                &self.kinds,
                &mut self.signals,
                DomainId::from_index(index),
            );
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
        };
        for run in &schedule.runs {
            let steps = &schedule.steps[run.steps.clone()];
            self.kinds[run.kind as usize].run(run.action, run.code, run.clock, steps, &mut context);
        }
    }

    fn commit_crossings(&mut self, index: usize, time: Time) {
        let schedule = &self.schedule[DomainId::from_index(index)];
        let mut context = Context {
            signals: &mut self.signals,
            payloads: &mut self.payloads,
            counters: &mut self.counters,
            awake: &mut self.awake,
            cycle: self.domains[index].clock.next_edge(),
            time,
            sleeping: self.sleeping,
            stop: &mut self.stop,
        };
        for commit in &schedule.crossings {
            let steps = std::slice::from_ref(&commit.step);
            let kind = &mut self.kinds[commit.kind as usize];
            kind.run(crate::arena::Action::Commit, 0, commit.clock, steps, &mut context);
        }
    }

    // A domain in which every module rests and nothing is presented to any module with state stays as it is until its
    // earliest timer, or until a crossing is woken from its other side.
    fn look_for_rest(&mut self, index: usize) {
        let domain = &mut self.domains[index];
        domain.look_in -= 1;
        if domain.look_in > 0 {
            return;
        }
        let mut wake_edge = u64::MAX;
        for (kind, instance) in &domain.sleepers {
            wake_edge = wake_edge.min(self.kinds[*kind as usize].sleeps_until(*instance).unwrap_or(0));
        }
        for (kind, instance) in &domain.glue {
            let kind = &self.kinds[*kind as usize];
            let placement = kind.placement(*instance);
            let slots = placement.inputs.iter().chain(&placement.outputs);
            let rests_until = match kind.rest(*instance) {
                Rest::UntilInput if placement.domains.len() == 1 => u64::MAX,
                Rest::UntilCycle(cycle) if placement.domains.len() == 1 => cycle,
                _ => 0,
            };
            let is_quiet = slots.into_iter().all(|slot| !self.signals.raw_present(*slot));
            wake_edge = wake_edge.min(if is_quiet { rests_until } else { 0 });
        }
        if wake_edge <= domain.clock.next_edge() {
            domain.pause = (domain.pause * 2).min(LONGEST_PAUSE_BETWEEN_LOOKS);
            domain.look_in = domain.pause;
            return;
        }
        (domain.pause, domain.look_in) = (1, 1);
        domain.asleep = true;
        domain.clock.jump_to_edge(wake_edge);
    }

    // A crossing that was woken from its other side wakes this side's domain, from the first edge after `time` on.
    #[inline]
    fn wake_domains(&mut self, time: Time) {
        for (domain, awake) in self.domains.iter_mut().zip(&self.awake) {
            if domain.asleep && *awake > 0 {
                domain.asleep = false;
                let after = Time::from_femtoseconds(time.femtoseconds() + 1);
                domain.clock.jump_to_edge(domain.clock.frequency().first_edge_from(after));
            }
        }
    }
}
