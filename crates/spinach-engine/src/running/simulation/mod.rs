//! Running an elaborated design.

mod agenda;
mod attempt;
mod checkpoint;
mod closed;
mod control;
mod deadlock;
mod hashes;
mod jobs;
mod joined;
mod leap;
mod model;
mod observe;
mod search;
mod statistics;
mod suspension;
mod threads;
mod whole;

pub use checkpoint::{CHECKPOINT_VERSION, CheckpointError};
pub use control::{Condition, Control, Limit, Outcome, Progress};
pub use deadlock::Deadlock;
pub use model::model_differences;
pub use observe::{Observed, Observer};
pub use statistics::{Snapshot, Statistics};
pub use whole::Simulation;

use std::any::Any;
use std::sync::Arc;

use self::agenda::Agenda;
use self::closed::{Patience, Suspended};
use self::search::Search;
use crate::contract::{Contents, Idle, JointValue, LeafVisitor, Outside, Payloads};
use crate::elaborating::Netlist;
use crate::ids::{ChannelId, Id, ModuleId};
use crate::running::activity::Activity;
use crate::running::arena::{AnyKind, Runner};
use crate::running::bare::{self, read_channel};
use crate::running::batches::Batches;
use crate::running::domain_set::DomainSet;
use crate::running::elaborated::Elaborated;
use crate::running::fusing::{Fusing, Runners};
use crate::running::islands::Places;
use crate::running::windows::windows;
use crate::running::world::World;
use crate::time::{Clock, Time};

/// Maximum number of edges between two idleness tests of a whole domain.
const LONGEST_PAUSE_BETWEEN_LOOKS: u32 = 256;

/// A running island, or a running design without joints.
pub(crate) struct Island {
    netlist: Netlist,
    kinds: Vec<Box<dyn AnyKind>>,
    // The schedule in use.
    acting: Fusing,
    // Alternative schedule: fused if the present one is unfused, and vice versa; `None` if they are equal.
    other: Option<Fusing>,
    // Up to which instant something else did.
    acting_since: Time,
    batches: Batches,
    world: World,
    domains: Vec<RunningDomain>,
    // Domains that need attention before an edge: those that sleep or are observed.
    attended: DomainSet,
    // Of each word of the crossings, for each domain: the bits of those that commit there.
    crossings: Box<[Box<[u64]>]>,
    agenda: Agenda,
    // Every edge before this instant has happened, none at or after it.
    now: Time,
    check_dependencies: bool,
    observers: Vec<Box<dyn Observer>>,
    observers_look_inside: bool,
    // Observers of values that move through some channels, and the domains of these.
    taps: Vec<Box<dyn Observer>>,
    tapped: DomainSet,
    // Domains at whose edges something may look at payloads afterwards.
    observed: DomainSet,
    search: Search,
    // Domains that are not run because they repeat themselves.
    suspended: Vec<Suspended>,
    patience: Patience,
    // Domains with modules that change memory of another one without a channel, and those with such memory.
    shares_memory: DomainSet,
    // True if fusions may be ahead of the end of the last run, or show other values than those of its last cycle.
    is_unsettled: bool,
    // The design that it is an island of, and its number there.
    whole: Option<(Arc<Whole>, usize)>,
    // True if an observer looks at several islands.
    is_observed_outside: bool,
}

// A design with joints.
struct Whole {
    netlist: Netlist,
    places: Places,
}

struct RunningDomain {
    // At the next edge that is neither run nor accounted for.
    clock: Clock,
    // True while edges without effect are skipped.
    asleep: bool,
    // Of the first word of the crossings: the bits of those that commit here.
    crossings: u64,
    // The instant of the last edge that ran; the end of time if none has.
    last: Time,
    // Modules with state that cannot sleep alone: the domain is idle only if they all are.
    glue: Vec<(u32, u32)>,
    sleepers: Vec<ModuleId>,
    // The edge after which all modules were idle, if the last test found that.
    rested_after: Option<u64>,
    look_in: u32,
    pause: u32,
}

impl Island {
    /// A simulation at time zero.
    fn new(elaborated: Elaborated, whole: Option<(Arc<Whole>, usize)>) -> Self {
        let Elaborated { netlist, mut kinds, signals, layout, fusing, .. } = elaborated;
        let single = Fusing::nothing(&netlist, layout);
        let (acting, other) = match fusing {
            Some(fusing) => (fusing, Some(single)),
            None => (single, None),
        };
        let (batches, activity, members) = arrange(&kinds, &acting);
        let domains: Vec<RunningDomain> = netlist
            .domains
            .values()
            .zip(members)
            .map(|(domain, Members { glue, sleepers })| RunningDomain {
                clock: Clock::new(domain.frequency),
                asleep: false,
                last: Time::MAX,
                crossings: 0,
                glue,
                sleepers,
                rested_after: None,
                look_in: 1,
                pause: 1,
            })
            .collect();
        let mut world = World::new(signals, activity);
        let (windows, shares_memory) = windows(&netlist, &mut kinds);
        world.context.windows = windows;
        let mut simulation = Self {
            world,
            agenda: Agenda::new(domains.iter().map(|domain| domain.clock.next_time())),
            now: Time::ZERO,
            crossings: Box::default(),
            check_dependencies: cfg!(debug_assertions),
            observers: Vec::new(),
            observers_look_inside: false,
            taps: Vec::new(),
            tapped: DomainSet::default(),
            observed: DomainSet::default(),
            search: Search::new(),
            suspended: Vec::new(),
            patience: Patience::default(),
            shares_memory,
            is_unsettled: false,
            whole,
            is_observed_outside: false,
            netlist,
            kinds,
            acting,
            other,
            acting_since: Time::ZERO,
            batches,
            domains,
            attended: DomainSet::default(),
        };
        simulation.note_crossings();
        simulation
    }

    /// Enables or disables fusing; on by default. Never changes a result.
    fn set_fusing(&mut self, fuses: bool) {
        if fuses == self.acting.is_fused() {
            return;
        }
        let Some(other) = self.other.take() else { return };
        self.wake_all();
        self.reveal();
        self.acting_since = self.now;
        self.world.signals.forget_what_was_set();
        self.acting.fusions.iter_mut().for_each(|fusion| fusion.note_changes());
        self.other = Some(std::mem::replace(&mut self.acting, other));
        let (batches, activity, members) = arrange(&self.kinds, &self.acting);
        for (domain, Members { glue, sleepers }) in self.domains.iter_mut().zip(members) {
            (domain.glue, domain.sleepers) = (glue, sleepers);
        }
        (self.batches, self.world.activity) = (batches, activity);
        self.note_crossings();
        self.note_looks_inside();
    }

    /// Present fusions by the names of their members, the leader first.
    fn fusions(&self) -> Vec<Vec<String>> {
        self.acting.names(&self.netlist)
    }

    // Runner of the modules of a kind of the plan.
    fn runner(&self, kind: u32) -> &dyn Runner {
        match self.kinds.get(kind as usize) {
            Some(kind) => kind.as_ref(),
            None => self.acting.fusions[kind as usize - self.kinds.len()].as_ref(),
        }
    }

    fn runner_mut(&mut self, kind: u32) -> &mut dyn Runner {
        let kind = kind as usize;
        if kind < self.kinds.len() {
            self.kinds[kind].as_mut()
        } else {
            self.acting.fusions[kind - self.kinds.len()].as_mut()
        }
    }

    // Writes the values of the last cycle into the channels between fused modules.
    fn reveal(&mut self) {
        if self.now > self.acting_since {
            self.reveal_present();
        }
    }

    // The same at an instant whose edges have just been run.
    fn reveal_present(&mut self) {
        for fusion in &self.acting.fusions {
            fusion.reveal(&mut self.world.signals);
        }
    }

    // Brings all members of fusions to the end of the last run, before anything looks at them or changes them.
    #[inline]
    fn settle(&mut self) {
        self.resume_all();
        if std::mem::take(&mut self.is_unsettled) {
            self.end_running_ahead();
            self.reveal();
        }
    }

    // The same before something looks at a module or changes it.
    fn settle_module(&mut self, module: ModuleId) {
        if self.is_fused(module) {
            self.settle();
        } else if !self.suspended.is_empty() {
            let domains = self.netlist.modules[module].domains.clone();
            domains.iter().for_each(|domain| self.resume(domain.index(), self.now));
        }
    }

    // True if a fusion acts for this module.
    fn is_fused(&self, module: ModuleId) -> bool {
        let actor = self.acting.actors[module.index()];
        self.acting.plan.modules[actor].kind as usize >= self.kinds.len()
    }

    // Ends running ahead: all members of fusions are as they are at the present instant. Returns true if running ahead was allowed.
    fn end_running_ahead(&mut self) -> bool {
        let mut ahead = Vec::new();
        self.acting.fusions.iter().for_each(|fusion| fusion.add_ahead(&mut ahead));
        // Also those awake: that they were idle says nothing of what their members do next.
        for actor in ahead {
            self.rouse_actor(ModuleId::from_index(actor as usize));
        }
        for fusion in &mut self.acting.fusions {
            fusion.settle(&mut self.world);
        }
        std::mem::take(&mut self.world.context.may_run_ahead)
    }

    // True if both ends of a channel belong to one fusion.
    fn is_inside(&self, channel: ChannelId) -> bool {
        let channel = &self.netlist.channels[channel];
        let actor = |module: ModuleId| self.acting.actors[module.index()];
        channel.from.module != channel.to.module && actor(channel.from.module) == actor(channel.to.module)
    }

    /// The elaborated design.
    fn netlist(&self) -> &Netlist {
        &self.netlist
    }

    /// Every edge before this instant has happened, none at or after it.
    fn now(&self) -> Time {
        self.now
    }

    /// Enables or disables skipping of idle modules and domains; on by default. Never changes a result.
    fn set_sleeping(&mut self, sleeping: bool) {
        self.wake_all();
        self.world.sleeping = sleeping;
    }

    /// Enables or disables skipping of time in which everything awake repeats itself, in effect only while idle modules are
    /// skipped; on by default. Never changes a result.
    fn set_idle_skip(&mut self, skips: bool) {
        self.search.enabled = skips;
    }

    /// Number of cycles skipped because they repeated earlier ones.
    fn repeated_cycles(&self) -> u64 {
        self.search.skipped
    }

    /// Enables or disables a second run of every process with its undeclared inputs flipped, to verify that they do not matter;
    /// slow. On by default in debug builds.
    fn set_check_dependencies(&mut self, check: bool) {
        self.check_dependencies = check;
    }

    /// The stored payloads.
    fn payloads(&self) -> &Payloads {
        &self.world.context.payloads
    }

    /// The present state of a module, as structured data.
    ///
    /// # Errors
    /// If the state cannot be expressed as structured data; the message has the reason.
    fn state(&mut self, module: ModuleId) -> Result<serde_json::Value, String> {
        self.account();
        let node = &self.netlist.modules[module];
        self.kinds[node.kind as usize].state(node.instance)
    }

    /// Walks over the single values in the present state of a module.
    ///
    /// # Errors
    /// If the state refuses; the message has the reason.
    fn walk_state(&mut self, module: ModuleId, visitor: &mut dyn LeafVisitor) -> Result<(), String> {
        self.account();
        let node = &self.netlist.modules[module];
        self.kinds[node.kind as usize].walk_state(node.instance, visitor)
    }

    /// The addressable contents of a module that is a memory, to be changed.
    fn contents(&mut self, module: ModuleId) -> Option<&mut dyn Contents> {
        self.rouse(module);
        let node = &self.netlist.modules[module];
        self.kinds[node.kind as usize].contents(node.instance)
    }

    /// The same, to be read; nothing wakes.
    fn read_contents(&mut self, module: ModuleId) -> Option<&dyn Contents> {
        self.settle_module(module);
        let node = &self.netlist.modules[module];
        self.kinds[node.kind as usize].contents(node.instance).map(|contents| &*contents)
    }

    /// The way of a module to the world outside of the simulation, if it has one.
    fn outside(&mut self, module: ModuleId) -> Option<&mut dyn Outside> {
        self.rouse(module);
        let node = &self.netlist.modules[module];
        self.kinds[node.kind as usize].outside(node.instance)
    }

    /// Passes a request to a module; see [`crate::Module::ask`].
    fn ask(&mut self, module: ModuleId, request: &mut dyn Any) {
        self.rouse(module);
        let node = &self.netlist.modules[module];
        self.kinds[node.kind as usize].ask(node.instance, request);
    }

    // Passes a value to the module at the end of a joint.
    fn arrive(&mut self, module: ModuleId, departure: JointValue) {
        self.rouse(module);
        let domain = self.netlist.modules[module].domains[0];
        // An attempt would not see that a module with an outlook changes.
        self.abandon_attempt(|attempt| attempt.closed.domain == domain.index());
        let cycle = self.netlist.domains[domain].frequency.first_edge_from(departure.time.next());
        let node = &self.netlist.modules[module];
        self.kinds[node.kind as usize].arrive(node.instance, cycle, departure);
    }

    /// Content of a channel in its domain's last cycle: the words, if any were presented, and the acknowledgement.
    fn channel(&mut self, channel: ChannelId) -> (Option<Vec<u64>>, bool) {
        self.settle();
        read_channel(&self.netlist, &self.world.signals, channel)
    }

    // Records the domains of the commits of crossings.
    fn note_crossings(&mut self) {
        self.crossings = self.batches.crossings().words_by_domain(self.domains.len());
        for (index, domain) in self.domains.iter_mut().enumerate() {
            domain.crossings = self.crossings.first().map_or(0, |word| word[index]);
        }
    }

    // Wakes everything. The outputs of modules are valid either way, so no result changes.
    fn wake_all(&mut self) {
        self.account();
        for index in 0..self.domains.len() {
            self.wake_domain(index, self.now);
            for module in &self.domains[index].sleepers {
                self.world.activity.wake(number(*module), &self.batches, &mut self.world.signals);
            }
        }
        self.agenda.turn();
    }

    // Wakes a module that is about to change from outside. It evaluates its outputs again, which wakes those that they reach.
    fn rouse(&mut self, module: ModuleId) {
        self.settle_module(module);
        let actor = self.acting.actors[module.index()];
        let node = &self.acting.plan.modules[actor];
        let (kind, instance) = (node.kind, node.instance);
        self.runner_mut(kind).note_change(instance);
        self.rouse_actor(actor);
    }

    // Wakes an actor, whose outputs stay valid.
    fn rouse_actor(&mut self, actor: ModuleId) {
        for domain in self.acting.plan.modules[actor].domains.clone() {
            self.wake_domain(domain.index(), self.now);
        }
        if let Some(domain) = self.world.activity.accounting_domain(number(actor)) {
            self.account_for(actor, domain);
        }
        self.world.activity.wake(number(actor), &self.batches, &mut self.world.signals);
        self.agenda.turn();
    }

    // Brings every counter up to date; sleeping modules stay asleep.
    fn account(&mut self) {
        self.settle();
        (0..self.domains.len()).for_each(|index| self.account_domain(index));
    }

    // The same in a domain that is not suspended.
    fn account_domain(&mut self, index: usize) {
        if self.domains[index].asleep {
            self.skip_to(index, self.now);
        }
        for place in 0..self.domains[index].sleepers.len() {
            let module = self.domains[index].sleepers[place];
            if self.world.activity.accounting_domain(number(module)) == Some(index) {
                self.account_for(module, index);
            }
        }
    }

    // Brings the counters of a module of the plan up to date, which accounts for cycles of a domain.
    fn account_for(&mut self, module: ModuleId, domain: usize) {
        let node = &self.acting.plan.modules[module];
        let (kind, instance) = (node.kind, node.instance);
        let edge = self.domains[domain].clock.next_edge();
        if self.runner(kind).accounts_for_sleep()
            && let Some((since, count)) = self.world.activity.skipped(number(module), edge)
        {
            self.runner_mut(kind).slept(instance, since, count);
        }
    }

    // Moves the clock of a sleeping domain to its first edge at or after `time`, and accounts for the edges skipped.
    fn skip_to(&mut self, index: usize, time: Time) {
        let domain = &mut self.domains[index];
        let since = domain.clock.next_edge();
        domain.clock.advance_to(time);
        let skipped = domain.clock.next_edge() - since;
        if skipped > 0 {
            // Fused modules are not among them, because each sleeps separately.
            for (kind, instance) in &domain.glue {
                self.kinds[*kind as usize].slept(*instance, since, skipped);
            }
        }
    }

    // Records the domains that need attention.
    fn note_attended(&mut self) {
        let domains = self.domains.iter().enumerate();
        let asleep = domains.filter(|(_, domain)| domain.asleep).map(|(index, _)| DomainSet::one(index));
        self.attended = asleep.fold(self.observed, DomainSet::union);
    }

    // If the domain sleeps, its next edge is the first at or after `time`.
    #[cold]
    #[inline(never)]
    fn wake_domain(&mut self, index: usize, time: Time) {
        self.domains[index].rested_after = None;
        self.resume(index, time);
        if self.domains[index].asleep {
            self.skip_to(index, time);
            self.domains[index].asleep = false;
            self.note_attended();
            self.agenda.set(index, self.domains[index].clock.next_time());
        }
    }

    /// Runs all edges that fall at `time`, which is the soonest: every domain evaluates before a crossing commits.
    fn run_edges<const OBSERVED: bool>(&mut self, time: Time) {
        if self.agenda.due_set().may_meet(self.attended) {
            self.attend_to_due(time);
        }
        let Self { kinds, batches, world, domains, agenda, acting, .. } = self;
        let kinds = kinds.as_mut_slice();
        world.context.time = time;
        let mut crossings = 0;
        let (due, next) = agenda.due_and_next();
        for index in due {
            let index = *index;
            let domain = &mut domains[index];
            crossings |= domain.crossings;
            domain.begin_edge(index, time, batches, world);
            next[index] = domain.clock.next_time();
            if self.check_dependencies {
                check_dependencies(kinds, acting, batches, world, index);
            }
            execute_edge(index, kinds, batches, world);
        }
        if self.batches.may_cross(crossings) {
            self.commit_crossings(crossings);
        }
        if OBSERVED {
            self.observe(time);
        }
        self.now = time.next();
        if self.agenda.due_set().may_meet(self.tapped) {
            self.look_at_taps(time);
        }
        if !OBSERVED && self.world.sleeping && self.agenda.due_set().may_meet(self.world.activity.resting()) {
            self.consider_sleep_of_due();
        }
        if self.world.activity.take_woken_domain() {
            self.wake_roused_domains();
        }
        self.agenda.turn();
    }

    // Wakes the sleeping domains with a crossing that was woken from its other side.
    #[cold]
    #[inline(never)]
    fn wake_roused_domains(&mut self) {
        self.resume_woken();
        for index in 0..self.domains.len() {
            if self.domains[index].asleep && !self.is_suspended(index) && !self.world.activity.sleeps(index) {
                self.wake_domain(index, self.now);
            }
        }
    }

    // Begins an instant at which sleeping domains are due, which wake, or observed ones.
    #[cold]
    #[inline(never)]
    fn attend_to_due(&mut self, time: Time) {
        self.world.context.payloads.begin_instant(self.agenda.due_set().may_meet(self.observed));
        for place in 0..self.agenda.due_count() {
            let index = self.agenda.due(place);
            if self.domains[index].asleep {
                self.wake_domain(index, time);
                self.search.count_sleep();
            }
        }
    }

    // Commits the modules with several clocks for all domains that are due, for one clock after another, so that the result does
    // not depend on the order of the domains. The clocks have stepped over the present edge. `first` is the first word of the due
    // crossings.
    #[inline(never)]
    fn commit_crossings(&mut self, first: u64) {
        let Self { kinds, batches, world, domains, agenda, crossings, .. } = self;
        let due = |word: usize| {
            let places = 0..agenda.due_count();
            let of_domain = |place| crossings[word][agenda.due(place)];
            if word == 0 { first } else { places.fold(0, |due, place| due | of_domain(place)) }
        };
        batches.crossings().for_each_awake(due, |batch| {
            world.context.cycle = domains[batch.domain.index()].clock.next_edge() - 1;
            batch.execute(kinds, batches, world);
        });
    }

    // Lets the domains that had an edge just now sleep if they may.
    #[cold]
    #[inline(never)]
    fn consider_sleep_of_due(&mut self) {
        for place in 0..self.agenda.due_count() {
            let index = self.agenda.due(place);
            if self.world.activity.sleeps(index) {
                self.consider_sleep(index);
            }
        }
    }

    // A domain in which everything sleeps stays as it is until its earliest timer, or until a crossing is woken from its other
    // side.
    fn consider_sleep(&mut self, index: usize) {
        let rests_until =
            if self.domains[index].glue.is_empty() { u64::MAX } else { self.test_for_idleness(index) };
        let domain = &mut self.domains[index];
        let next_edge = domain.clock.next_edge();
        if rests_until <= next_edge {
            return;
        }
        let wake_edge = rests_until.min(self.world.activity.timer(index));
        if wake_edge > next_edge {
            domain.asleep = true;
            self.agenda.set(index, domain.clock.time_after(wake_edge - next_edge));
            self.note_attended();
        }
    }

    // The first edge at which the state of modules that cannot sleep alone may change; 0 unless all of them are idle and nothing is
    // presented to or by any of them. It must be found so after two edges in a row: the first may still have changed a state,
    // and what follows from that evaluates at the second.
    fn test_for_idleness(&mut self, index: usize) -> u64 {
        let domain = &mut self.domains[index];
        domain.look_in -= 1;
        if domain.look_in > 0 {
            return 0;
        }
        let next_edge = domain.clock.next_edge();
        let wake_edge = self.glue_is_idle_until(index);
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

    fn glue_is_idle_until(&self, index: usize) -> u64 {
        let mut wake_edge = u64::MAX;
        for (kind, instance) in &self.domains[index].glue {
            let kind = &self.kinds[*kind as usize];
            let placement = kind.placement(*instance);
            let rests_until = match kind.rest(*instance) {
                Idle::UntilInput | Idle::UntilTransfer if placement.domains.len() == 1 => u64::MAX,
                Idle::UntilCycle(cycle) | Idle::UntilTransferOrCycle(cycle)
                    if placement.domains.len() == 1 =>
                {
                    cycle
                }
                _ => return 0,
            };
            let mut slots = placement.inputs.iter().chain(&placement.outputs);
            if slots.any(|slot| self.world.signals.raw_present(*slot)) {
                return 0;
            }
            wake_edge = wake_edge.min(rests_until);
        }
        wake_edge
    }
}

impl RunningDomain {
    // Begins the next edge, at `time`, whose batches are executed next.
    #[inline(always)]
    fn begin_edge(&mut self, index: usize, time: Time, batches: &Batches, world: &mut World) {
        self.last = time;
        world.context.cycle = self.clock.next_edge();
        // The clock is not read before the edge has happened.
        self.clock.advance();
        world.activity.ring(index, world.context.cycle, batches, &mut world.signals);
    }
}

// Executes the batches of an edge that has begun, but for the crossings.
#[inline(always)]
fn execute_edge(index: usize, kinds: &mut [Box<dyn AnyKind>], batches: &Batches, world: &mut World) {
    batches.of_domain(index).for_each_awake(
        |_| u64::MAX,
        |batch| {
            batch.execute(kinds, batches, world);
            if world.signals.is_disturbed() {
                world.attend(batches);
            }
        },
    );
    world.activity.end_edge(batches);
}

#[cold]
#[inline(never)]
fn check_dependencies(
    kinds: &[Box<dyn AnyKind>],
    acting: &Fusing,
    batches: &Batches,
    world: &mut World,
    domain: usize,
) {
    let runners = Runners::new(kinds, &acting.fusions);
    bare::check_dependencies(&acting.plan, &runners.list(), &mut world.signals, domain);
    world.attend(batches);
}

// Members of a domain that commit at its edges: kinds and instances of those that cannot sleep alone, and the
// modules that can.
struct Members {
    glue: Vec<(u32, u32)>,
    sleepers: Vec<ModuleId>,
}

// Everything awake.
fn arrange(kinds: &[Box<dyn AnyKind>], acting: &Fusing) -> (Batches, Activity, Vec<Members>) {
    let Fusing { plan, fusions, layout, .. } = acting;
    let schedule = &layout.schedule;
    let runners = Runners::new(kinds, fusions);
    let runners = runners.list();
    let batches = Batches::new(schedule, &runners);
    let activity = Activity::new(plan, &runners, schedule, batches.steps());
    let place = |module: ModuleId| (plan.modules[module].kind, plan.modules[module].instance);
    let can_sleep = |module: &ModuleId| runners[place(*module).0 as usize].sleeps();
    let members = schedule.values().map(|domain| {
        let (sleepers, glue): (Vec<_>, Vec<_>) = domain.committing.iter().copied().partition(can_sleep);
        Members { glue: glue.into_iter().map(place).collect(), sleepers }
    });
    let members = members.collect();
    (batches, activity, members)
}

fn number(module: ModuleId) -> u32 {
    u32::try_from(module.index()).unwrap_or(u32::MAX)
}
