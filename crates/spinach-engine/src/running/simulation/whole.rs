//! A simulation: one island, or several that joints connect.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

use spinach_trials::Trials;

use super::control::find_module;
use super::{Condition, Control, Deadlock, Island, Limit, Observer, Outcome, Progress, Whole};
use crate::contract::expression::Policy;
use crate::contract::parameter::ParameterValue;
use crate::contract::{Contents, LeafVisitor, Listener, Note, Outside, Payload};
use crate::elaborating::Netlist;
use crate::ids::{ChannelId, DomainId, Id, ModuleId};
use crate::running::domain_set::DomainSet;
use crate::running::elaborated::Elaborated;
use crate::time::Time;

/// A running simulation.
///
/// A design with joints consists of islands, which do not depend on each other within the latency of the joints. If a condition or a
/// module of one island ends the run, the others may be ahead of it, as far as the end of the present [window](Self::window_end).
pub struct Simulation {
    islands: Vec<Island>,
    joined: Option<Joined>,
}

/// Parts of a simulation that several islands have in common.
pub(super) struct Joined {
    pub(super) whole: Arc<Whole>,
    pub(super) trials: Trials,
    /// Observers of every cycle, and those of channels on several islands.
    pub(super) observers: Vec<Box<dyn Observer>>,
    pub(super) taps: Vec<Box<dyn Observer>>,
    listener: Option<Box<dyn Listener>>,
    notes: Arc<Mutex<Vec<Note>>>,
}

/// Takes the notes of an island, with the numbers that modules have in the whole design.
struct NotesOfIsland {
    whole: Arc<Whole>,
    island: usize,
    notes: Arc<Mutex<Vec<Note>>>,
}

impl Listener for NotesOfIsland {
    fn hear(&mut self, notes: &[Note]) {
        let modules = &self.whole.places.modules_of[self.island];
        let translated = notes.iter().map(|note| Note { module: modules[note.module.index()], ..*note });
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).extend(translated);
    }
}

impl Joined {
    /// True if something looks at several islands at the same time.
    pub(super) fn is_observed(&self) -> bool {
        !self.observers.is_empty() || !self.taps.is_empty() || self.is_heard()
    }

    /// True if a listener receives notes.
    pub(super) fn is_heard(&self) -> bool {
        self.listener.is_some()
    }

    /// Delivers the notes of all islands.
    pub(super) fn deliver_notes(&mut self) {
        if let Some(listener) = &mut self.listener {
            let notes = std::mem::take(&mut *self.notes.lock().unwrap_or_else(PoisonError::into_inner));
            if !notes.is_empty() {
                listener.hear(&notes);
            }
        }
    }
}

impl Simulation {
    /// A simulation at time zero.
    pub fn new(mut elaborated: Elaborated) -> Self {
        let Some((islands, places)) = elaborated.islands.take() else {
            return Self { islands: vec![Island::new(elaborated, None)], joined: None };
        };
        let whole = Arc::new(Whole { netlist: elaborated.netlist, places });
        let make = |(number, island)| Island::new(island, Some((Arc::clone(&whole), number)));
        let islands: Vec<Island> = islands.into_iter().enumerate().map(make).collect();
        let (observers, taps, notes) = (Vec::new(), Vec::new(), Arc::default());
        let joined = Joined { whole, trials: Trials::new(1), observers, taps, listener: None, notes };
        Self { islands, joined: Some(joined) }
    }

    pub(super) fn islands_mut(&mut self) -> impl Iterator<Item = &mut Island> {
        self.islands.iter_mut()
    }

    // Island of a module, and its number there.
    pub(super) fn island_of(&mut self, module: ModuleId) -> (&mut Island, ModuleId) {
        let (island, module) = self.place(module);
        (&mut self.islands[island], module)
    }

    pub(super) fn present_island_of(&self, module: ModuleId) -> (&Island, ModuleId) {
        let (island, module) = self.place(module);
        (&self.islands[island], module)
    }

    fn place(&self, module: ModuleId) -> (usize, ModuleId) {
        self.joined.as_ref().map_or((0, module), |joined| joined.whole.places.modules[module.index()])
    }

    fn channel_place(&self, channel: ChannelId) -> (usize, ChannelId) {
        self.joined.as_ref().map_or((0, channel), |joined| joined.whole.places.channels[channel.index()])
    }

    // Both ends of each joint.
    pub(super) fn joint_names(&self) -> impl Iterator<Item = String> {
        self.joined.iter().flat_map(|Joined { whole, .. }| {
            let path = |(island, module): &(usize, ModuleId)| {
                let module = whole.places.modules_of[*island][module.index()];
                whole.netlist.modules[module].path.as_str()
            };
            let name = move |(from, to)| format!("joint {} -> {}", path(from), path(to));
            whole.places.joints.iter().map(name)
        })
    }

    /// The elaborated design.
    pub fn netlist(&self) -> &Netlist {
        self.joined.as_ref().map_or_else(|| self.islands[0].netlist(), |joined| &joined.whole.netlist)
    }

    /// Number of islands: parts of the design that are joined by latency only.
    pub fn islands(&self) -> usize {
        self.islands.len()
    }

    /// Sets the maximum number of threads; 1 at first. Never changes a result. Islands run on several threads if this saves time,
    /// nothing looks at more than one of them, and no parameter is a policy that is called.
    pub fn set_threads(&mut self, maximum: usize) {
        let Some(joined) = &mut self.joined else { return };
        let nodes = joined.whole.netlist.modules.values();
        let mut values = nodes.flat_map(|node| node.parameters.values.iter().map(|(_, value)| value));
        // Exceptions of calls are kept per thread.
        let is_called = values.any(|value| matches!(value, ParameterValue::Policy(Policy::Called(_))));
        joined.trials = Trials::new(if is_called { 1 } else { maximum });
    }

    /// Number of windows that islands have run on several threads.
    pub fn windows_on_threads(&self) -> u64 {
        self.joined.as_ref().map_or(0, |joined| joined.trials.steps())
    }

    /// Every edge before this instant has happened; none at or after it has, unless the last run ended early on an island.
    pub fn now(&self) -> Time {
        self.islands.iter().map(Island::now).min().unwrap_or(Time::MAX)
    }

    /// End of the window in which the simulation is: a multiple of the smallest latency of the joints, at which all islands meet. The
    /// present instant in a design without joints.
    pub fn window_end(&self) -> Time {
        let last = self.now().femtoseconds().saturating_sub(1);
        let end =
            self.joined.as_ref().map(|joined| joined.whole.places.window_end(Time::from_femtoseconds(last)));
        end.filter(|_| self.now() > Time::ZERO).unwrap_or(self.now())
    }

    /// Number of past cycles of a domain.
    pub fn cycles(&self, domain: DomainId) -> u64 {
        self.netlist().domains[domain].frequency.first_edge_from(self.now())
    }

    /// Enables or disables fusing; on by default. Never changes a result.
    pub fn set_fusing(&mut self, fuses: bool) {
        self.islands_mut().for_each(|island| island.set_fusing(fuses));
    }

    /// Present fusions by the names of their members, the leader first.
    pub fn fusions(&self) -> Vec<Vec<String>> {
        self.islands.iter().flat_map(Island::fusions).collect()
    }

    /// Enables or disables skipping of idle modules and domains; on by default. Never changes a result.
    pub fn set_sleeping(&mut self, sleeping: bool) {
        self.islands_mut().for_each(|island| island.set_sleeping(sleeping));
    }

    /// Enables or disables skipping of time in which everything awake repeats itself, in effect only while idle modules are
    /// skipped; on by default. Never changes a result.
    pub fn set_idle_skip(&mut self, skips: bool) {
        self.islands_mut().for_each(|island| island.set_idle_skip(skips));
    }

    /// Number of cycles skipped because they repeated earlier ones.
    pub fn repeated_cycles(&self) -> u64 {
        self.islands.iter().map(Island::repeated_cycles).sum()
    }

    /// Enables or disables a second run of every process with its undeclared inputs flipped, to verify that they do not matter;
    /// slow. On by default in debug builds.
    pub fn set_check_dependencies(&mut self, check: bool) {
        self.islands_mut().for_each(|island| island.set_check_dependencies(check));
    }

    /// The payload that a value in `channel` names; empty if it was taken out already.
    pub fn payload(&self, channel: ChannelId, payload: Payload) -> &[u8] {
        self.islands[self.channel_place(channel).0].payloads().get(payload)
    }

    /// Number of stored payloads.
    pub fn stored_payloads(&self) -> usize {
        self.islands.iter().map(|island| island.payloads().len()).sum()
    }

    /// The present state of a module, as structured data.
    ///
    /// # Errors
    /// If the state cannot be expressed as structured data; the message has the reason.
    pub fn state(&mut self, module: ModuleId) -> Result<serde_json::Value, String> {
        let (island, module) = self.island_of(module);
        island.state(module)
    }

    /// Walks over the single values in the present state of a module.
    ///
    /// # Errors
    /// If the state refuses; the message has the reason.
    pub fn walk_state(&mut self, module: ModuleId, visitor: &mut dyn LeafVisitor) -> Result<(), String> {
        let (island, module) = self.island_of(module);
        island.walk_state(module, visitor)
    }

    /// The addressable contents of a module that is a memory, to be changed.
    pub fn contents(&mut self, module: ModuleId) -> Option<&mut dyn Contents> {
        let (island, module) = self.island_of(module);
        island.contents(module)
    }

    /// The same, to be read; nothing wakes.
    pub fn read_contents(&mut self, module: ModuleId) -> Option<&dyn Contents> {
        let (island, module) = self.island_of(module);
        island.read_contents(module)
    }

    /// The way of a module to the world outside of the simulation, if it has one.
    pub fn outside(&mut self, module: ModuleId) -> Option<&mut dyn Outside> {
        let (island, module) = self.island_of(module);
        island.outside(module)
    }

    /// Passes a request to a module; see [`crate::Module::ask`].
    pub fn ask(&mut self, module: ModuleId, request: &mut dyn Any) {
        let (island, module) = self.island_of(module);
        island.ask(module, request);
    }

    /// Content of a channel in its domain's last cycle: the words, if any were presented, and the acknowledgement.
    pub fn channel(&mut self, channel: ChannelId) -> (Option<Vec<u64>>, bool) {
        let (island, channel) = self.channel_place(channel);
        self.islands[island].channel(channel)
    }

    /// The chains of waiting modules, if any value is offered and refused.
    pub fn find_deadlock(&mut self) -> Option<Deadlock> {
        let found = self.islands_mut().filter_map(Island::find_deadlock);
        Deadlock::of_islands(found)
    }

    /// Adds an observer; it sees every cycle from now on, or all that moves through its channels.
    pub fn add_observer(&mut self, observer: Box<dyn Observer>) {
        let islands = observer.channels().map(|channels| {
            let islands = channels.iter().map(|channel| self.channel_place(*channel).0);
            let mut islands: Vec<usize> = islands.collect();
            islands.sort_unstable();
            islands.dedup();
            islands
        });
        match (&mut self.joined, islands.as_deref()) {
            (None, _) | (_, Some([])) => self.islands[0].add_observer(observer),
            (Some(_), Some([island])) => self.islands[*island].add_observer(observer),
            (Some(joined), Some(_)) => {
                joined.taps.push(observer);
                self.islands_mut().for_each(|island| island.be_observed(DomainSet::ALL));
            }
            (Some(joined), None) => {
                joined.observers.push(observer);
                self.islands_mut().for_each(Island::wake_all);
                self.islands_mut().for_each(|island| island.be_observed(DomainSet::ALL));
            }
        }
    }

    /// Takes all observers away.
    pub fn take_observers(&mut self) -> Vec<Box<dyn Observer>> {
        let mut observers: Vec<_> = self.islands_mut().flat_map(Island::take_observers).collect();
        if let Some(Joined { observers: own, taps, .. }) = &mut self.joined {
            observers.append(own);
            observers.append(taps);
        }
        observers
    }

    /// Sets the listener of the modules' notes from now on, in place of an earlier one; `None` removes it.
    pub fn listen(&mut self, listener: Option<Box<dyn Listener>>) -> Option<Box<dyn Listener>> {
        let Some(joined) = &mut self.joined else { return self.islands[0].listen(listener) };
        for (number, island) in self.islands.iter_mut().enumerate() {
            let (whole, notes) = (Arc::clone(&joined.whole), Arc::clone(&joined.notes));
            let own = || -> Box<dyn Listener> { Box::new(NotesOfIsland { whole, island: number, notes }) };
            island.listen(listener.is_some().then(own));
        }
        joined.deliver_notes();
        std::mem::replace(&mut joined.listener, listener)
    }

    /// Runs all edges before `time`.
    pub fn run_until(&mut self, time: Time) -> Outcome {
        self.run(&Limit::time(time), &mut |_| Control::Continue).unwrap_or_else(Outcome::Stopped)
    }

    /// Runs until the limit, a condition, a stop, an interruption or a deadlock. `progress` is called every few thousand
    /// edges, or at the end of each window. A run that ended can be continued by another.
    ///
    /// # Errors
    /// If the condition names something that does not exist.
    pub fn run(
        &mut self,
        limit: &Limit,
        progress: &mut dyn FnMut(Progress) -> Control,
    ) -> Result<Outcome, String> {
        let Some(joined) = &mut self.joined else { return self.islands[0].run(limit, progress) };
        let conditions = conditions_of_islands(&joined.whole, limit, self.islands.len())?;
        let is_observed = joined.is_observed() || limit.deadlock_after.is_some();
        let mut watchings = Vec::new();
        for (island, conditions) in self.islands.iter_mut().zip(conditions) {
            island.is_observed_outside = is_observed;
            watchings.push(island.watching(&conditions)?);
        }
        if self.islands.iter().zip(&watchings).any(|(island, watching)| island.any_holds(watching)) {
            return Ok(Outcome::ConditionHolds);
        }
        self.islands.iter_mut().zip(&watchings).for_each(|(island, watching)| island.begin(watching));
        let outcome = joined.run(&mut self.islands, &mut watchings, limit, progress);
        self.islands.iter_mut().zip(&watchings).for_each(|(island, watching)| island.end(watching));
        joined.deliver_notes();
        Ok(outcome)
    }
}

impl Limit {
    /// Run until domain `domain` of `simulation` has done `cycles` cycles in all.
    ///
    /// # Errors
    /// If that lies beyond the end of simulated time.
    pub fn cycles(simulation: &Simulation, domain: DomainId, cycles: u64) -> Result<Self, String> {
        let domain = &simulation.netlist().domains[domain];
        let time = domain.frequency.edge_time(cycles);
        time.map(Self::time).ok_or_else(|| {
            format!("cycle {cycles} of {} lies beyond {}, the end of simulated time", domain.name, Time::MAX)
        })
    }
}

/// Conditions of each island.
fn conditions_of_islands(
    whole: &Whole,
    limit: &Limit,
    islands: usize,
) -> Result<Vec<Vec<Condition>>, String> {
    let mut conditions = vec![Vec::new(); islands];
    for condition in &limit.conditions {
        match condition {
            Condition::Counter { path, .. } => {
                let module = find_module(&whole.netlist, path)?;
                conditions[whole.places.modules[module.index()].0].push(condition.clone());
            }
            Condition::Transfers { channel, count } => {
                let (island, channel) = whole.places.channels[channel.index()];
                conditions[island].push(Condition::Transfers { channel, count: *count });
            }
        }
    }
    Ok(conditions)
}
