//! Sleep and wake: the set of awake modules, and the events that wake the others.
//!
//! A module falls asleep as a whole: the bits of its steps are cleared, and the slots around it are watched. It wakes as a
//! whole when a value is presented to it or its cycle comes. When an acknowledgement changes that one of its processes reads,
//! only that process batches, once.

use std::collections::BTreeMap;
use std::ops::Deref;

use super::domain_set::DomainSet;
use super::steps::{Place, PlacedStep, Switches};
use crate::contract::{Idle, Part, Signals};
use crate::elaborating::{Action, Actors, Netlist, ProcessNode, Schedule};
use crate::ids::{Id, ModuleId};
use crate::time::Time;

/// The state of sleep of all modules and domains.
#[derive(Default)]
pub(crate) struct Activity {
    domains: ActiveDomains,
    // For every module by its number, also those that never sleep.
    sleepers: Vec<Sleeper>,
    surroundings: Vec<Surroundings>,
    // By slot: the module that receives there, the one that sends there, and the steps of the latter that read the
    // acknowledgement.
    receivers: Vec<u32>,
    senders: Vec<u32>,
    ack_readers: Vec<Vec<Place>>,
    // Steps of sleeping modules that batch at this edge only.
    once: Vec<(u32, Place)>,
    // Number of edges of domains that were run.
    edges: u64,
    // Number of sleeping modules that have woken.
    wakes: u64,
}

/// The awake modules of all domains.
#[derive(Default)]
struct ActiveDomains {
    list: Vec<ActiveDomain>,
    // Domains in which every module that can sleep does.
    resting: DomainSet,
    // One of these, or a suspended one, has another awake module since this was last read.
    has_woken: bool,
}

impl ActiveDomains {
    fn push(&mut self, awake: u32) {
        if awake == 0 {
            self.resting = self.resting.union(DomainSet::one(self.list.len()));
        }
        self.list.push(ActiveDomain { awake, is_suspended: false, timer: u64::MAX, timed: Vec::new() });
    }

    #[inline]
    fn add_awake(&mut self, domain: u32) {
        let ActiveDomain { awake, is_suspended, .. } = &mut self.list[domain as usize];
        self.has_woken |= *awake == 0 || *is_suspended;
        *awake += 1;
        self.resting.remove(domain as usize);
    }

    #[inline]
    fn remove_awake(&mut self, domain: u32) {
        let awake = &mut self.list[domain as usize].awake;
        *awake -= 1;
        if *awake == 0 {
            self.resting = self.resting.union(DomainSet::one(domain as usize));
        }
    }
}

/// The awake modules of one domain.
#[derive(Clone, Debug)]
struct ActiveDomain {
    // Number of awake modules that can sleep, and of modules that must stay awake.
    awake: u32,
    // It is not run although modules are awake.
    is_suspended: bool,
    // No sleeping module waits for an earlier cycle; all that wait for a cycle are listed, and others may be too.
    timer: u64,
    timed: Vec<u32>,
}

/// State of a module that changes when it sleeps and wakes.
#[derive(Clone, Debug, Default)]
struct Sleeper {
    asleep: bool,
    // Asleep, but its steps run again; its next commit ends the sleep.
    woken: bool,
    // It has reported itself idle, and no event reached it since `idle_time`.
    idle: bool,
    // Its counters are read in every cycle.
    pinned: bool,
    is_timed: bool,
    // Fell asleep while a value was presented to it or by it.
    stalled: bool,
    clocks: u8,
    // The clocks (one bit each) that have settled and committed since `idle_time`.
    settled: u8,
    idle_time: Time,
    // The slots around it where a value was presented when it was last tested, mixed into one number.
    presence: u64,
    // The first cycle of its first clock that its counters lack; `PAID` if they lack none.
    since: u64,
    // The first cycle of its first clock whose commit had not happened when it was last tested.
    next_cycle: u64,
    // Its last answer: the cycle whose commit it waits for.
    wake_cycle: u64,
    // The slot of the most recent event: the first to test.
    busy_slot: u32,
    // For how many commits it was not tested the last time that it was busy; 0 if it slept since.
    pause: i8,
    // For how many commits it is not tested after it wakes.
    patience: i8,
    // Number of edges that had been run when it fell asleep.
    asleep_since: u64,
}

/// Marker in place of a number of commits: until it wakes.
pub(crate) const ASLEEP: i8 = -1;
/// Marker in place of a number of commits: until its first clock commits, and with it accounts for the sleep that another clock ended.
pub(crate) const OWING: i8 = -2;

const PAID: u64 = u64::MAX;

// Maximum number of commits between two idleness tests of a busy module, which becomes tested ever less often.
const LONGEST_PAUSE: i8 = 63;

// Sleep length, in edges of domains run or skipped, below which a sleep costs more than it saves. After such sleeps a module is
// tested at ever longer intervals.
const SHORT_SLEEP: u64 = 16;

/// The slots around a module.
#[derive(Clone, Debug, Default)]
struct Surroundings {
    domains: Vec<u32>,
    steps: Vec<Place>,
    // Of all inputs, then of all outputs.
    slots: Vec<u32>,
    inputs: usize,
    // The outputs whose acknowledgement any process reads.
    acks: Vec<u32>,
}

impl Surroundings {
    fn inputs(&self) -> &[u32] {
        &self.slots[..self.inputs]
    }

    fn outputs(&self) -> &[u32] {
        &self.slots[self.inputs..]
    }
}

impl Sleeper {
    // Number of commits until the next test.
    fn is_busy(&mut self) -> i8 {
        self.idle = false;
        // About a quarter of the time that it has been busy.
        self.pause = (self.pause + self.pause / 4 + 1).min(LONGEST_PAUSE);
        self.pause
    }

    // The same if there is an event at one of these slots, which is remembered: it is tested first next time.
    #[inline(always)]
    fn find_busy(&mut self, slots: &[u32], stalls: bool, signals: &Signals) -> Option<i8> {
        self.busy_slot = *slots.iter().find(|slot| is_busy(signals, **slot, stalls))?;
        Some(self.is_busy())
    }
}

impl Activity {
    /// Everything awake.
    pub(crate) fn new<K: Deref<Target: Actors>>(
        netlist: &Netlist,
        kinds: &[K],
        schedule: &Schedule,
        steps: impl Iterator<Item = PlacedStep>,
    ) -> Self {
        let mut activity = Self::default();
        for (id, node) in netlist.modules.iter() {
            let placement = kinds[node.kind as usize].placement(node.instance);
            let slots = [placement.inputs.as_slice(), &placement.outputs].concat();
            activity.sleepers.push(Sleeper {
                clocks: u8::try_from(placement.domains.len()).unwrap_or(u8::MAX),
                busy_slot: slots.first().copied().unwrap_or(0),
                since: PAID,
                ..Sleeper::default()
            });
            activity.surroundings.push(Surroundings {
                domains: placement.domains.clone(),
                slots,
                inputs: placement.inputs.len(),
                ..Surroundings::default()
            });
            name_ends(&mut activity.receivers, &placement.inputs, id);
            name_ends(&mut activity.senders, &placement.outputs, id);
        }
        for domain in schedule.values() {
            let can_sleep = |module: &&ModuleId| kinds[netlist.modules[**module].kind as usize].sleeps();
            let awake = number(domain.committing.iter().filter(can_sleep).count());
            activity.domains.push(awake);
        }
        activity.add_steps(netlist, steps);
        activity
    }

    fn add_steps(&mut self, netlist: &Netlist, steps: impl Iterator<Item = PlacedStep>) {
        let modules: BTreeMap<(u32, u32), ModuleId> =
            netlist.modules.iter().map(|(id, node)| ((node.kind, node.instance), id)).collect();
        let processes: BTreeMap<(ModuleId, u32), &ProcessNode> =
            netlist.processes.values().map(|process| ((process.module, process.ordinal), process)).collect();
        self.ack_readers.resize(self.senders.len().max(self.receivers.len()), Vec::new());
        for PlacedStep { place, kind, action, step } in steps {
            let module = modules[&(kind, step.instance)];
            let surroundings = &mut self.surroundings[module.index()];
            place.join(&mut surroundings.steps);
            if action == Action::Commit {
                continue;
            }
            let reads = processes[&(module, step.process)].reads.iter();
            for signal in reads.filter(|signal| signal.part == Part::Ack) {
                let slot = netlist.channels[signal.channel].slot;
                surroundings.acks.push(slot);
                self.ack_readers[slot as usize].push(place);
            }
        }
    }

    /// True if every module that can sleep does.
    #[inline]
    pub(crate) fn sleeps(&self, domain: usize) -> bool {
        self.domains.list[domain].awake == 0
    }

    /// The domains in which every module that can sleep does.
    #[inline]
    pub(crate) const fn resting(&self) -> DomainSet {
        self.domains.resting
    }

    /// True if, since the last call, a module woke in a domain in which all slept.
    #[inline]
    pub(crate) fn take_woken_domain(&mut self) -> bool {
        std::mem::take(&mut self.domains.has_woken)
    }

    /// Notes that a domain is not run although modules are awake, or that it is again.
    pub(crate) fn set_suspended(&mut self, domain: usize, is_suspended: bool) {
        self.domains.list[domain].is_suspended = is_suspended;
    }

    /// Switches the steps of a module on or off.
    pub(crate) fn switch(&self, module: u32, runs: bool, switches: &impl Switches) {
        let steps = self.surroundings[module as usize].steps.iter();
        steps.for_each(|place| if runs { switches.set(*place) } else { switches.clear(*place) });
    }

    /// Number of wakes since the start.
    pub(crate) const fn wakes(&self) -> u64 {
        self.wakes
    }

    /// Wakes the modules whose cycle has come. Call at the beginning of every edge.
    #[inline]
    pub(crate) fn ring(
        &mut self,
        domain: usize,
        cycle: u64,
        switches: &impl Switches,
        signals: &mut Signals,
    ) {
        self.edges += 1;
        if cycle >= self.domains.list[domain].timer {
            self.wake_timed(domain, cycle, switches, signals);
        }
    }

    #[cold]
    #[inline(never)]
    fn wake_timed(&mut self, domain: usize, cycle: u64, switches: &impl Switches, signals: &mut Signals) {
        let mut timed = std::mem::take(&mut self.domains.list[domain].timed);
        timed.retain(|module| {
            let sleeper = &mut self.sleepers[*module as usize];
            let is_waiting = sleeper.asleep && !sleeper.woken && sleeper.wake_cycle != u64::MAX;
            let is_due = sleeper.wake_cycle <= cycle;
            sleeper.is_timed = is_waiting && !is_due;
            if is_waiting && is_due {
                self.begin_to_wake(*module, switches, signals);
            }
            is_waiting && !is_due
        });
        let waiting = timed.iter().map(|module| self.sleepers[*module as usize].wake_cycle);
        self.domains.list[domain].timer = waiting.min().unwrap_or(u64::MAX);
        self.domains.list[domain].timed = timed;
    }

    /// The first cycle that a sleeping module of `domain` waits for.
    pub(crate) fn timer(&self, domain: usize) -> u64 {
        self.timers(domain).map(|(_, cycle)| cycle).min().unwrap_or(u64::MAX)
    }

    /// The sleeping modules of `domain` that wait for a cycle, and this cycle.
    pub(crate) fn timers(&self, domain: usize) -> impl Iterator<Item = (u32, u64)> {
        let timed =
            self.domains.list[domain].timed.iter().map(|module| (*module, &self.sleepers[*module as usize]));
        let waiting = timed.filter(|(_, sleeper)| sleeper.asleep && !sleeper.woken);
        waiting.map(|(module, sleeper)| (module, sleeper.wake_cycle))
    }

    /// A value was presented at watched slot `slot`, or withdrawn.
    pub(crate) fn attend_data(&mut self, slot: u32, switches: &impl Switches, signals: &mut Signals) {
        self.begin_to_wake(self.receivers[slot as usize], switches, signals);
    }

    /// The acknowledgement at watched slot `slot` changed.
    // An idle module passes the acknowledgement on to its reader. A stalled one may have begun to transfer.
    pub(crate) fn attend_ack(&mut self, slot: u32, switches: &impl Switches, signals: &mut Signals) {
        let module = self.senders[slot as usize];
        if self.sleepers[module as usize].stalled {
            self.begin_to_wake(module, switches, signals);
            return;
        }
        for place in &self.ack_readers[slot as usize] {
            switches.set(*place);
            self.once.push((module, *place));
        }
    }

    /// Switches off the steps that were to run at this edge only. Call after the last batch of a domain.
    #[inline]
    pub(crate) fn end_edge(&mut self, switches: &impl Switches) {
        if !self.once.is_empty() {
            self.forget_once(switches);
        }
    }

    #[cold]
    #[inline(never)]
    fn forget_once(&mut self, switches: &impl Switches) {
        while let Some((module, place)) = self.once.pop() {
            let sleeper = &self.sleepers[module as usize];
            if sleeper.asleep && !sleeper.woken {
                switches.clear(place);
            }
        }
    }

    fn begin_to_wake(&mut self, module: u32, switches: &impl Switches, signals: &mut Signals) {
        let sleeper = &mut self.sleepers[module as usize];
        if !sleeper.asleep || sleeper.woken {
            return;
        }
        sleeper.woken = true;
        self.wakes += 1;
        let around = &self.surroundings[module as usize];
        for domain in &around.domains {
            self.domains.add_awake(*domain);
        }
        around.steps.iter().for_each(|place| switches.set(*place));
        around.inputs().iter().for_each(|slot| signals.watch_data(*slot, false));
        let outputs = if std::mem::take(&mut sleeper.stalled) { around.outputs() } else { &[] };
        around.acks.iter().chain(outputs).for_each(|slot| signals.watch_ack(*slot, false));
    }

    /// True if the commit of `module` is to be skipped.
    #[inline]
    pub(crate) fn is_fast_asleep(&self, module: u32) -> bool {
        let sleeper = &self.sleepers[module as usize];
        sleeper.asleep && !sleeper.woken
    }

    /// Ends the sleep of a module that was woken, with the commit of cycle `cycle` of clock `clock`, or accounts for it later. Returns
    /// after how many commits to test it for idleness, and the cycles to account for, first and number.
    pub(crate) fn end_sleep(&mut self, module: u32, clock: u32, cycle: u64) -> (i8, Option<(u64, u64)>) {
        let sleeper = &mut self.sleepers[module as usize];
        if sleeper.asleep {
            (sleeper.asleep, sleeper.woken, sleeper.idle) = (false, false, false);
            // If a whole domain sleeps, few edges are run; the skipped ones are the savings.
            let skipped = if clock == 0 { cycle.saturating_sub(sleeper.next_cycle) } else { 0 };
            let is_short = self.edges - sleeper.asleep_since < SHORT_SLEEP && skipped < SHORT_SLEEP;
            sleeper.patience =
                if is_short { sleeper.patience.saturating_mul(2).saturating_add(1) } else { 0 };
        }
        match sleeper.since {
            PAID => (0, None),
            _ if clock != 0 => (OWING, None),
            _ => {
                let patience = sleeper.patience;
                let skipped = self.skipped(module, cycle);
                self.sleepers[module as usize].since = PAID;
                (patience, skipped)
            }
        }
    }

    /// Wakes `module` unconditionally; its counters must be up to date.
    pub(crate) fn wake(&mut self, module: u32, switches: &impl Switches, signals: &mut Signals) {
        self.begin_to_wake(module, switches, signals);
        let sleeper = &mut self.sleepers[module as usize];
        (sleeper.asleep, sleeper.woken, sleeper.idle) = (false, false, false);
        sleeper.since = PAID;
    }

    /// The domain of the clock whose cycles `module` accounts for.
    pub(crate) fn accounting_domain(&self, module: u32) -> Option<usize> {
        self.surroundings[module as usize].domains.first().map(|domain| *domain as usize)
    }

    /// The cycles before `cycle` of its first clock that the counters of a module lack, first and number; from now on they count as
    /// accounted for.
    pub(crate) fn skipped(&mut self, module: u32, cycle: u64) -> Option<(u64, u64)> {
        let sleeper = &mut self.sleepers[module as usize];
        if cycle <= sleeper.since {
            return None;
        }
        let since = std::mem::replace(&mut sleeper.since, cycle);
        Some((since, cycle - since))
    }

    /// While pinned, an awake module does not fall asleep, and its domains are not skipped.
    pub(crate) fn pin(&mut self, module: ModuleId, pinned: bool) {
        self.sleepers[module.index()].pinned = pinned;
        for domain in &self.surroundings[module.index()].domains {
            if pinned {
                self.domains.add_awake(*domain);
            } else {
                self.domains.remove_awake(*domain);
            }
        }
    }

    /// See [`World::consider`](super::world::World::consider); `at` is the clock, the cycle and the time of the commit.
    #[inline(always)]
    pub(crate) fn consider(
        &mut self,
        module: u32,
        (rest, are_set): (Idle, bool),
        (clock, cycle, time): (u32, u64, Time),
        switches: &impl Switches,
        signals: &mut Signals,
    ) -> i8 {
        let sleeper = &mut self.sleepers[module as usize];
        let (wake_cycle, stalls) = match rest {
            Idle::UntilInput => (u64::MAX, false),
            Idle::UntilTransfer => (u64::MAX, true),
            // With several clocks it would be ambiguous whose cycle is meant.
            Idle::UntilCycle(cycle) if sleeper.clocks == 1 => (cycle, false),
            Idle::UntilTransferOrCycle(cycle) if sleeper.clocks == 1 => (cycle, true),
            Idle::No | Idle::UntilCycle(_) | Idle::UntilTransferOrCycle(_) => return sleeper.is_busy(),
        };
        if is_busy(signals, sleeper.busy_slot, stalls) {
            return sleeper.is_busy();
        }
        let at = Commit { clock, cycle, time };
        if are_set {
            // The first clock is the one whose cycles a sleep is counted in.
            let answer = Answer { wake_cycle, stalls };
            return if clock == 0 { self.rest_at_once(module, answer, at, switches, signals) } else { 0 };
        }
        self.evaluate_down(module, Answer { wake_cycle, stalls }, at, switches, signals)
    }

    // Tests whether `module`, which reported itself idle, sees no event. Returns after how many commits to test again.
    #[inline(never)]
    fn evaluate_down(
        &mut self,
        module: u32,
        answer: Answer,
        at: Commit,
        switches: &impl Switches,
        signals: &mut Signals,
    ) -> i8 {
        let sleeper = &mut self.sleepers[module as usize];
        if at.clock == 0 {
            sleeper.next_cycle = at.cycle + 1;
        }
        // Outputs computed in an earlier cycle stay valid only if neither state nor inputs changed since they were computed. So
        // a module falls asleep only after each of its clocks has settled and committed once, later than the last instant at
        // which its state can have changed: the first commit after which it reported itself idle, or later a commit that saw a
        // refused value begin or end. Values presented then do not matter, later ones do.
        let slots = &self.surroundings[module as usize].slots;
        let was_due = at.cycle >= std::mem::replace(&mut sleeper.wake_cycle, answer.wake_cycle);
        let was_resting = std::mem::replace(&mut sleeper.idle, true);
        let presence = if answer.stalls { presence_at(signals, slots) } else { 0 };
        let is_changed = std::mem::replace(&mut sleeper.presence, presence) != presence;
        if !was_resting || was_due || is_changed {
            (sleeper.settled, sleeper.idle_time) = (0, at.time);
            return 0;
        }
        if let Some(pause) = sleeper.find_busy(slots, answer.stalls, signals) {
            return pause;
        }
        if at.time > sleeper.idle_time {
            sleeper.settled |= 1 << at.clock;
        }
        let all_clocks = (1u16 << sleeper.clocks) - 1;
        let may_sleep = answer.wake_cycle > at.cycle + 1 && !sleeper.pinned;
        if u16::from(sleeper.settled) == all_clocks && may_sleep {
            self.fall_asleep(module, answer.stalls, switches, signals);
            return ASLEEP;
        }
        0
    }

    // The same of a module whose outputs are set: nothing has to settle.
    #[inline(never)]
    fn rest_at_once(
        &mut self,
        module: u32,
        answer: Answer,
        at: Commit,
        switches: &impl Switches,
        signals: &mut Signals,
    ) -> i8 {
        let sleeper = &mut self.sleepers[module as usize];
        let slots = &self.surroundings[module as usize].slots;
        if let Some(pause) = sleeper.find_busy(slots, answer.stalls, signals) {
            return pause;
        }
        (sleeper.idle, sleeper.wake_cycle, sleeper.next_cycle) = (false, answer.wake_cycle, at.cycle + 1);
        if answer.wake_cycle <= sleeper.next_cycle || sleeper.pinned {
            return 0;
        }
        self.fall_asleep(module, answer.stalls, switches, signals);
        ASLEEP
    }

    fn fall_asleep(&mut self, module: u32, stalls: bool, switches: &impl Switches, signals: &mut Signals) {
        let sleeper = &mut self.sleepers[module as usize];
        (sleeper.asleep, sleeper.woken, sleeper.pause) = (true, false, 0);
        (sleeper.since, sleeper.asleep_since) = (sleeper.next_cycle, self.edges);
        let around = &self.surroundings[module as usize];
        sleeper.stalled = stalls && around.slots.iter().any(|slot| signals.raw_present(*slot));
        around.domains.iter().for_each(|domain| self.domains.remove_awake(*domain));
        around.steps.iter().for_each(|place| switches.clear(*place));
        around.inputs().iter().for_each(|slot| signals.watch_data(*slot, true));
        let outputs = if sleeper.stalled { around.outputs() } else { &[] };
        around.acks.iter().chain(outputs).for_each(|slot| signals.watch_ack(*slot, true));
        if sleeper.wake_cycle != u64::MAX {
            let domain = &mut self.domains.list[around.domains[0] as usize];
            domain.timer = domain.timer.min(sleeper.wake_cycle);
            if !std::mem::replace(&mut sleeper.is_timed, true) {
                domain.timed.push(module);
            }
        }
    }
}

// The wake condition of an idle module: the commit of a cycle, and whether refused values do not matter.
#[derive(Clone, Copy, Debug)]
struct Answer {
    wake_cycle: u64,
    stalls: bool,
}

// Clock and cycle of a commit.
#[derive(Clone, Copy, Debug)]
struct Commit {
    clock: u32,
    cycle: u64,
    time: Time,
}

// True for an event at `slot` that ends idleness: a transfer or, unless refused values do not matter, any
// presented value.
#[inline]
fn is_busy(signals: &Signals, slot: u32, stalls: bool) -> bool {
    signals.raw_present(slot) && (!stalls || signals.raw_ack(slot))
}

// Hash of the slots at which a value is presented.
fn presence_at(signals: &Signals, slots: &[u32]) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15; // of the golden ratio, as hashes by multiplication have it
    slots
        .iter()
        .fold(1, |all, slot| all.wrapping_mul(ODD).rotate_left(29) ^ u64::from(signals.raw_present(*slot)))
}

fn name_ends(ends: &mut Vec<u32>, slots: &[u32], module: ModuleId) {
    for slot in slots {
        ends.resize(ends.len().max(*slot as usize + 1), u32::MAX);
        ends[*slot as usize] = number(module.index());
    }
}

// There are fewer than 2^32 modules and domains: the engine refuses more channel words than that.
fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
