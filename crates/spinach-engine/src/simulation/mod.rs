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

use crate::activity::{ActiveRuns, Activity};
use crate::arena::{AnyKind, Context};
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
    // The commits of modules with several clocks, all first clocks before all second ones and so on: domain and number of the run.
    crossings: Vec<(usize, usize)>,
    activity: Activity,
    // The runs of each domain.
    active: Vec<ActiveRuns>,
    // Every edge before this moment has happened, none at or after it.
    now: Time,
    sleeping: bool,
    check_dependencies: bool,
    observers: Vec<Box<dyn Observer>>,
    stop: Option<String>,
    notes: Notes,
}

struct RunningDomain {
    // At the next edge that is neither run nor accounted for.
    clock: Clock,
    // The moment of the next edge that anything can happen at.
    next: Time,
    // The moment of the last edge that ran.
    last: Option<Time>,
    // Whether edges are skipped until `next`.
    asleep: bool,
    // Whoever cannot sleep alone but has state: the domain rests only if they all do.
    glue: Vec<(u32, u32)>,
    sleepers: Vec<ModuleId>,
    // The edge after which everything rested, if the last look found that.
    rested_after: Option<u64>,
    look_in: u32,
    pause: u32,
}

impl RunningDomain {
    fn new(clock: Clock, glue: Vec<(u32, u32)>, sleepers: Vec<ModuleId>) -> Self {
        Self {
            next: clock.next_time(),
            clock,
            last: None,
            asleep: false,
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
        let (activity, active) = Activity::new(&netlist, &kinds, &schedule);
        let mut domains = Vec::with_capacity(netlist.domains.len());
        for (id, domain) in netlist.domains.iter() {
            let can_sleep = |module: &ModuleId| kinds[netlist.modules[*module].kind as usize].sleeps();
            let (sleepers, glue): (Vec<_>, Vec<_>) =
                schedule[id].committing.iter().copied().partition(can_sleep);
            let place = |module| (netlist.modules[module].kind, netlist.modules[module].instance);
            let glue = glue.into_iter().map(place).collect();
            domains.push(RunningDomain::new(Clock::new(domain.frequency), glue, sleepers));
        }
        let clocks = schedule.values().flat_map(|domain| &domain.crossings).map(|run| run.clock + 1).max();
        let of_clock = |clock| {
            let domains = active.iter().enumerate();
            domains.flat_map(move |(domain, active)| active.crossings(clock).map(move |run| (domain, run)))
        };
        let crossings = (0..clocks.unwrap_or(0)).flat_map(of_clock).collect();
        Self {
            crossings,
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
            activity,
            active,
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
        self.account();
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

    // Wakes everything. The outputs of modules are valid either way, so no result changes.
    fn wake_all(&mut self) {
        self.account();
        for index in 0..self.domains.len() {
            self.wake_domain(index, self.now);
            let edge = self.domains[index].clock.next_edge();
            for module in &self.domains[index].sleepers {
                self.activity.wake(number(*module), edge, &self.active, &mut self.signals);
            }
        }
    }

    // Brings every account up to date; who sleeps goes on sleeping.
    fn account(&mut self) {
        for index in 0..self.domains.len() {
            if self.domains[index].asleep {
                self.skip_to(index, self.now);
            }
            let edge = self.domains[index].clock.next_edge();
            for module in &self.domains[index].sleepers {
                let node = &self.netlist.modules[*module];
                let kind = &mut self.kinds[node.kind as usize];
                if kind.accounts_for_sleep()
                    && let Some((since, count)) = self.activity.skipped(number(*module), edge)
                {
                    kind.slept(node.instance, since, count, &mut self.counters);
                }
            }
        }
    }

    // Moves the clock of a sleeping domain to its first edge at or after `time`, and accounts for the edges skipped.
    fn skip_to(&mut self, index: usize, time: Time) {
        let domain = &mut self.domains[index];
        let since = domain.clock.next_edge();
        domain.clock.advance_to(time);
        let skipped = domain.clock.next_edge() - since;
        if skipped > 0 {
            for (kind, instance) in &domain.glue {
                self.kinds[*kind as usize].slept(*instance, since, skipped, &mut self.counters);
            }
        }
    }

    // If the domain sleeps, its next edge is the first at or after `time`.
    fn wake_domain(&mut self, index: usize, time: Time) {
        self.domains[index].rested_after = None;
        if self.domains[index].asleep {
            self.skip_to(index, time);
            let domain = &mut self.domains[index];
            (domain.asleep, domain.next) = (false, domain.clock.next_time());
        }
    }

    /// The moment of the next edge that anything can happen at.
    #[inline]
    fn next_time(&self) -> Time {
        self.domains.iter().map(|domain| domain.next).min().unwrap_or(Time::MAX)
    }

    /// Runs all edges that fall at `time`: every domain settles before a crossing commits.
    fn run_edges<const OBSERVED: bool>(&mut self, time: Time) {
        for index in 0..self.domains.len() {
            if self.domains[index].next == time {
                self.run_domain(index, time);
            }
        }
        self.commit_crossings(time);
        if OBSERVED {
            self.observe(time);
        }
        self.now = Time::from_femtoseconds(time.femtoseconds() + 1);
        for index in 0..self.domains.len() {
            let domain = &mut self.domains[index];
            if domain.next == time {
                domain.clock.advance();
                domain.next = domain.clock.next_time();
                if self.sleeping && !OBSERVED && self.activity.sleeps(index) {
                    self.consider_sleep(index);
                }
            } else if domain.asleep && !self.activity.sleeps(index) {
                // A crossing was roused from its other side.
                self.wake_domain(index, self.now);
            }
        }
    }

    #[inline]
    fn run_domain(&mut self, index: usize, time: Time) {
        if self.domains[index].asleep {
            self.wake_domain(index, time);
        }
        let domain = &mut self.domains[index];
        domain.last = Some(time);
        let cycle = domain.clock.next_edge();
        self.activity.ring(index, cycle, &self.active, &mut self.signals);
        if self.check_dependencies {
            let id = DomainId::from_index(index);
            crate::bare::check_dependencies(&self.netlist, &self.kinds, &mut self.signals, id);
            self.activity.attend(&self.active, &mut self.signals);
        }
        let steps = self.schedule[DomainId::from_index(index)].steps.as_slice();
        let (kinds, active) = (self.kinds.as_mut_slice(), &self.active[index]);
        let mut context = Context {
            signals: &mut self.signals,
            payloads: &mut self.payloads,
            counters: &mut self.counters,
            activity: &mut self.activity,
            active: &self.active,
            cycle,
            time,
            sleeping: self.sleeping,
            stop: &mut self.stop,
            notes: &mut self.notes,
        };
        for (place, word) in active.words().iter().enumerate() {
            let mut runs = word.get();
            while runs != 0 {
                let bit = runs.trailing_zeros();
                let run = active.run(place * 64 + bit as usize);
                run.execute(kinds[run.run.kind as usize].as_mut(), steps, &mut context);
                if context.signals.is_disturbed() {
                    context.activity.attend(context.active, context.signals);
                }
                // Whoever was roused may have a run further on.
                runs = word.get() & (u64::MAX << bit << 1);
            }
        }
        self.activity.end_edge(&self.active);
    }

    // Commits the modules with several clocks for all domains with an edge at `time`, for one clock after another, so that the
    // result does not depend on the order of the domains.
    fn commit_crossings(&mut self, time: Time) {
        for (index, number) in &self.crossings {
            let (domain, run) = (&self.domains[*index], self.active[*index].run(*number));
            if run.chosen.get() == 0 || domain.next != time {
                continue;
            }
            let mut context = Context {
                signals: &mut self.signals,
                payloads: &mut self.payloads,
                counters: &mut self.counters,
                activity: &mut self.activity,
                active: &self.active,
                cycle: domain.clock.next_edge(),
                time,
                sleeping: self.sleeping,
                stop: &mut self.stop,
                notes: &mut self.notes,
            };
            let steps = &self.schedule[DomainId::from_index(*index)].steps;
            run.execute(self.kinds[run.run.kind as usize].as_mut(), steps, &mut context);
        }
    }

    // A domain in which everything sleeps stays as it is until its earliest timer, or until a crossing is roused from its other
    // side.
    fn consider_sleep(&mut self, index: usize) {
        let domain = &self.domains[index];
        let next_edge = domain.clock.next_edge();
        let mut wake_edge = self.activity.timer(index);
        if !domain.glue.is_empty() {
            wake_edge = wake_edge.min(self.look_for_rest(index));
        }
        if wake_edge > next_edge {
            let domain = &mut self.domains[index];
            (domain.asleep, domain.next) = (true, domain.clock.time_after(wake_edge - next_edge));
        }
    }

    // The first edge at which something may happen to modules that cannot sleep alone; 0 unless all of them rest and nothing is
    // presented to or by any of them. It must be found so after two edges in a row: the first may still have changed a state,
    // and what follows from that settles at the second.
    fn look_for_rest(&mut self, index: usize) -> u64 {
        let domain = &mut self.domains[index];
        domain.look_in -= 1;
        if domain.look_in > 0 {
            return 0;
        }
        let next_edge = domain.clock.next_edge();
        let wake_edge = self.glue_rests_until(index);
        let domain = &mut self.domains[index];
        if wake_edge <= next_edge {
            domain.rested_after = None;
            domain.pause = (domain.pause * 2).min(LONGEST_PAUSE_BETWEEN_LOOKS);
            domain.look_in = domain.pause;
            return 0;
        }
        (domain.pause, domain.look_in) = (1, 1);
        let rested_before = domain.rested_after.replace(next_edge) == Some(next_edge - 1);
        if rested_before { wake_edge } else { 0 }
    }

    fn glue_rests_until(&self, index: usize) -> u64 {
        let mut wake_edge = u64::MAX;
        for (kind, instance) in &self.domains[index].glue {
            let kind = &self.kinds[*kind as usize];
            let placement = kind.placement(*instance);
            let rests_until = match kind.rest(*instance) {
                Rest::UntilInput | Rest::UntilTransfer if placement.domains.len() == 1 => u64::MAX,
                Rest::UntilCycle(cycle) | Rest::UntilTransferOrCycle(cycle)
                    if placement.domains.len() == 1 =>
                {
                    cycle
                }
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
}

fn number(module: ModuleId) -> u32 {
    u32::try_from(module.index()).unwrap_or(u32::MAX)
}
