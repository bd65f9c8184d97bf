//! Who is awake: which steps of each schedule run at the next edge, and what wakes those that do not.
//!
//! Each run of a schedule has a word with one bit for each of its steps, and each domain a word with one bit for each of its
//! runs, so that steps which are skipped cost nothing, however many there are. A module falls asleep as a whole: the bits of
//! its steps are cleared, and the slots around it are watched. It is roused as a whole when a value is presented to it or its
//! cycle comes. When an acknowledgement changes that one of its processes reads, that process alone runs, once.

use std::cell::Cell;
use std::collections::BTreeMap;

use crate::arena::{Action, AnyKind, Context, Step};
use crate::declaration::Part;
use crate::ids::{DomainId, Id, ModuleId};
use crate::module::Rest;
use crate::netlist::{Netlist, ProcessNode};
use crate::passes::{DomainSchedule, Run, Schedule};
use crate::signal::Signals;
use crate::time::Time;

/// What sleeps and what does not.
#[derive(Default)]
pub(crate) struct Activity {
    domains: Vec<ActiveDomain>,
    // Of every module by its number, also of those that never sleep.
    sleepers: Vec<Sleeper>,
    surroundings: Vec<Surroundings>,
    // By slot: the module that receives there, the one that sends there, and the steps of the latter that read the
    // acknowledgement.
    receivers: Vec<u32>,
    senders: Vec<u32>,
    ack_readers: BTreeMap<u32, Vec<Place>>,
    // Steps of sleeping modules that run at this edge only.
    once: Vec<(u32, Place)>,
}

/// Who is awake in one domain.
#[derive(Clone, Debug)]
struct ActiveDomain {
    // How many modules that can sleep do not, and how many have to stay awake.
    awake: u32,
    // No sleeper waits for an earlier cycle; those who wait for one are listed, and others may be too.
    timer: u64,
    timed: Vec<u32>,
}

/// The runs of one domain, and which of them have anything to do.
///
/// Shared: whoever goes through it sees at once what is roused further on.
#[derive(Debug, Default)]
pub(crate) struct ActiveRuns {
    // One bit for each run, 64 runs to a word.
    words: Vec<Cell<u64>>,
    runs: Vec<ActiveRun>,
    // The runs from this one on commit modules with several clocks; they are never found through `words`.
    crossings: usize,
}

/// A run, and which of its steps run, one bit each.
#[derive(Debug)]
pub(crate) struct ActiveRun {
    pub(crate) run: Run,
    pub(crate) chosen: Cell<u64>,
    /// Its only step, if it has no other.
    pub(crate) only: Option<Step>,
}

/// Steps of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    domain: u32,
    run: u32,
    steps: u64,
}

/// What changes when a module sleeps and wakes.
#[derive(Clone, Debug, Default)]
struct Sleeper {
    asleep: bool,
    // Asleep, but its steps run again; its next commit ends the sleep.
    roused: bool,
    // It has answered that it rests, and nothing happened to it since `rest_time`.
    resting: bool,
    // Someone looks at its counters in every cycle.
    pinned: bool,
    is_timed: bool,
    // Fell asleep while something was presented to it or by it.
    stalled: bool,
    clocks: u8,
    // The clocks (one bit each) that have settled and committed since `rest_time`.
    settled: u8,
    rest_time: Time,
    // The first cycle that its accounts lack.
    since: u64,
    // What it answered last: the cycle whose commit it waits for.
    wake_cycle: u64,
    // The slot at which something happened most recently: the first to look at.
    busy_slot: u32,
    // For how many commits it was left alone the last time that it was busy.
    pause: u8,
}

/// In place of a number of commits: until it is roused.
pub(crate) const ASLEEP: u8 = u8::MAX;

// Whoever is busy is asked less and less often whether it rests, but at least once in so many commits.
const LONGEST_PAUSE: u8 = 7;

/// What lies around a module.
#[derive(Clone, Debug, Default)]
struct Surroundings {
    domains: Vec<u32>,
    steps: Vec<Place>,
    inputs: Vec<u32>,
    outputs: Vec<u32>,
    // The outputs whose acknowledgement any process reads.
    acks: Vec<u32>,
}

impl Sleeper {
    // After how many commits to ask again.
    fn is_busy(&mut self) -> u8 {
        self.resting = false;
        self.pause = (2 * self.pause + 1).min(if self.clocks > 1 { 1 } else { LONGEST_PAUSE });
        self.pause
    }
}

impl ActiveRun {
    fn new(run: &Run, steps: &[Step]) -> Self {
        let only = match run.steps(steps) {
            [only] => Some(*only),
            _ => None,
        };
        Self { run: run.clone(), chosen: Cell::new(0), only }
    }

    /// Runs those of its steps that run; `steps` are all of the domain.
    #[inline]
    pub(crate) fn execute(&self, kind: &mut dyn AnyKind, steps: &[Step], context: &mut Context<'_>) {
        let Run { code, clock, action, .. } = self.run;
        if let Some(step) = self.only {
            return match action {
                Action::Settle => kind.settle_one(code, step, context.signals),
                Action::SettleAndCommit => kind.settle_and_commit_one(code, clock, step, context),
                Action::Commit => kind.commit_one(clock, step, context),
            };
        }
        let (steps, chosen) = (self.run.steps_on(steps), self.chosen.get());
        match action {
            Action::Settle => kind.run_settle(code, steps, chosen, context.signals),
            Action::SettleAndCommit => kind.run_settle_and_commit(code, clock, steps, chosen, context),
            Action::Commit => kind.run_commit(clock, steps, chosen, context),
        }
    }
}

impl ActiveRuns {
    fn new(schedule: &DomainSchedule) -> Self {
        let all = schedule.runs.iter().chain(&schedule.crossings);
        let crossings = schedule.runs.len();
        Self {
            words: vec![Cell::new(0); crossings.div_ceil(64)],
            runs: all.map(|run| ActiveRun::new(run, &schedule.steps)).collect(),
            crossings,
        }
    }

    /// The words with a bit for each run that has anything to do, in order.
    #[inline]
    pub(crate) fn words(&self) -> &[Cell<u64>] {
        &self.words
    }

    /// Run number `run`: the bit of that number.
    #[inline]
    pub(crate) fn run(&self, run: usize) -> &ActiveRun {
        &self.runs[run]
    }

    /// The commits of modules with several clocks, for one of these: the numbers of their runs.
    pub(crate) fn crossings(&self, clock: u32) -> impl Iterator<Item = usize> {
        (self.crossings..self.runs.len()).filter(move |run| self.runs[*run].run.clock == clock)
    }

    #[inline]
    fn set(&self, place: Place) {
        let chosen = &self.runs[place.run as usize].chosen;
        chosen.set(chosen.get() | place.steps);
        if let Some(word) = self.words.get(place.run as usize / 64) {
            word.set(word.get() | u64::from((place.run as usize) < self.crossings) << (place.run % 64));
        }
    }

    #[inline]
    fn clear(&self, place: Place) {
        let chosen = &self.runs[place.run as usize].chosen;
        chosen.set(chosen.get() & !place.steps);
        if let Some(word) = self.words.get(place.run as usize / 64) {
            word.set(word.get() & !(u64::from(chosen.get() == 0) << (place.run % 64)));
        }
    }
}

impl Activity {
    /// Everything awake, and the runs of each domain.
    pub(crate) fn new(
        netlist: &Netlist,
        kinds: &[Box<dyn AnyKind>],
        schedule: &Schedule,
    ) -> (Self, Vec<ActiveRuns>) {
        let domains = netlist.domains.len();
        let domain = ActiveDomain { awake: 0, timer: u64::MAX, timed: Vec::new() };
        let mut activity = Self {
            domains: vec![domain; domains],
            sleepers: vec![Sleeper::default(); netlist.modules.len()],
            surroundings: vec![Surroundings::default(); netlist.modules.len()],
            ..Self::default()
        };
        for (id, node) in netlist.modules.iter() {
            let placement = kinds[node.kind as usize].placement(node.instance);
            let sleeper = &mut activity.sleepers[id.index()];
            sleeper.clocks = u8::try_from(placement.domains.len()).unwrap_or(u8::MAX);
            sleeper.busy_slot =
                placement.inputs.iter().chain(&placement.outputs).next().copied().unwrap_or(0);
            let surroundings = &mut activity.surroundings[id.index()];
            surroundings.inputs.clone_from(&placement.inputs);
            surroundings.outputs.clone_from(&placement.outputs);
            surroundings.domains.clone_from(&placement.domains);
            name_ends(&mut activity.receivers, &placement.inputs, id);
            name_ends(&mut activity.senders, &placement.outputs, id);
        }
        let active: Vec<ActiveRuns> = schedule.values().map(ActiveRuns::new).collect();
        for (domain, schedule) in schedule.iter() {
            let can_sleep = |module: &&ModuleId| kinds[netlist.modules[**module].kind as usize].sleeps();
            let sleepers = schedule.committing.iter().filter(can_sleep).count();
            activity.domains[domain.index()].awake = number(sleepers);
            activity.add_steps(netlist, domain, schedule, &active[domain.index()]);
        }
        (activity, active)
    }

    fn add_steps(
        &mut self,
        netlist: &Netlist,
        domain: DomainId,
        schedule: &DomainSchedule,
        active: &ActiveRuns,
    ) {
        let modules: BTreeMap<(u32, u32), ModuleId> =
            netlist.modules.iter().map(|(id, node)| ((node.kind, node.instance), id)).collect();
        let processes: BTreeMap<(ModuleId, u32), &ProcessNode> =
            netlist.processes.values().map(|process| ((process.module, process.ordinal), process)).collect();
        for (index, ActiveRun { run, .. }) in active.runs.iter().enumerate() {
            for (bit, step) in run.steps(&schedule.steps).iter().enumerate() {
                let place = Place { domain: number(domain.index()), run: number(index), steps: 1 << bit };
                active.set(place);
                let module = modules[&(run.kind, step.instance)];
                let surroundings = &mut self.surroundings[module.index()];
                surroundings.steps.push(place);
                if run.action == Action::Commit {
                    continue;
                }
                let reads = processes[&(module, step.process)].reads.iter();
                for signal in reads.filter(|signal| signal.part == Part::Ack) {
                    let slot = netlist.channels[signal.channel].slot;
                    surroundings.acks.push(slot);
                    self.ack_readers.entry(slot).or_default().push(place);
                }
            }
        }
    }

    /// Whether every module that can sleep does.
    #[inline]
    pub(crate) fn sleeps(&self, domain: usize) -> bool {
        self.domains[domain].awake == 0
    }

    /// Rouses those whose cycle has come. Call at the beginning of every edge.
    #[inline]
    pub(crate) fn ring(&mut self, domain: usize, cycle: u64, active: &[ActiveRuns], signals: &mut Signals) {
        if cycle >= self.domains[domain].timer {
            self.rouse_timed(domain, cycle, active, signals);
        }
    }

    fn rouse_timed(&mut self, domain: usize, cycle: u64, active: &[ActiveRuns], signals: &mut Signals) {
        let mut timed = std::mem::take(&mut self.domains[domain].timed);
        timed.retain(|module| {
            let sleeper = &mut self.sleepers[*module as usize];
            let is_waiting = sleeper.asleep && !sleeper.roused && sleeper.wake_cycle != u64::MAX;
            let is_due = sleeper.wake_cycle <= cycle;
            sleeper.is_timed = is_waiting && !is_due;
            if is_waiting && is_due {
                self.rouse(*module, active, signals);
            }
            is_waiting && !is_due
        });
        let waiting = timed.iter().map(|module| self.sleepers[*module as usize].wake_cycle);
        self.domains[domain].timer = waiting.min().unwrap_or(u64::MAX);
        self.domains[domain].timed = timed;
    }

    /// The first cycle that a sleeper of `domain` waits for.
    pub(crate) fn timer(&self, domain: usize) -> u64 {
        let sleepers = self.domains[domain].timed.iter().map(|module| &self.sleepers[*module as usize]);
        let waiting = sleepers.filter(|sleeper| sleeper.asleep && !sleeper.roused);
        waiting.map(|sleeper| sleeper.wake_cycle).min().unwrap_or(u64::MAX)
    }

    /// Looks after all that happened at watched slots: lets whoever waits for it run at this edge.
    pub(crate) fn attend(&mut self, active: &[ActiveRuns], signals: &mut Signals) {
        while let Some((slot, part)) = signals.next_disturbance() {
            match part {
                Part::Data => self.rouse(self.receivers[slot as usize], active, signals),
                Part::Ack => self.attend_ack(slot, active, signals),
            }
        }
    }

    // A module that merely rests lets the acknowledgement through to whoever asks it. One that stalls may have begun to move.
    fn attend_ack(&mut self, slot: u32, active: &[ActiveRuns], signals: &mut Signals) {
        let module = self.senders[slot as usize];
        if self.sleepers[module as usize].stalled {
            self.rouse(module, active, signals);
            return;
        }
        for place in self.ack_readers.get(&slot).into_iter().flatten() {
            active[place.domain as usize].set(*place);
            self.once.push((module, *place));
        }
    }

    /// Ends what was to run at this edge only. Call after the last run of a domain.
    #[inline]
    pub(crate) fn end_edge(&mut self, active: &[ActiveRuns]) {
        while let Some((module, place)) = self.once.pop() {
            let sleeper = &self.sleepers[module as usize];
            if sleeper.asleep && !sleeper.roused {
                active[place.domain as usize].clear(place);
            }
        }
    }

    fn rouse(&mut self, module: u32, active: &[ActiveRuns], signals: &mut Signals) {
        let sleeper = &mut self.sleepers[module as usize];
        if !sleeper.asleep || sleeper.roused {
            return;
        }
        sleeper.roused = true;
        let Surroundings { domains, steps, inputs, outputs, acks } = &self.surroundings[module as usize];
        domains.iter().for_each(|domain| self.domains[*domain as usize].awake += 1);
        steps.iter().for_each(|place| active[place.domain as usize].set(*place));
        inputs.iter().for_each(|slot| signals.watch_data(*slot, false));
        let outputs = if std::mem::take(&mut sleeper.stalled) { outputs.as_slice() } else { &[] };
        acks.iter().chain(outputs).for_each(|slot| signals.watch_ack(*slot, false));
    }

    /// Whether the commit of `module` is to be skipped.
    #[inline]
    pub(crate) fn is_fast_asleep(&self, module: u32) -> bool {
        let sleeper = &self.sleepers[module as usize];
        sleeper.asleep && !sleeper.roused
    }

    /// Ends the sleep of a module that was roused, with cycle `cycle`: the cycles to account for, first and number.
    #[inline]
    pub(crate) fn end_sleep(&mut self, module: u32, cycle: u64) -> Option<(u64, u64)> {
        if !self.sleepers[module as usize].asleep {
            return None;
        }
        let skipped = self.skipped(module, cycle);
        let sleeper = &mut self.sleepers[module as usize];
        (sleeper.asleep, sleeper.roused, sleeper.resting) = (false, false, false);
        skipped
    }

    /// Wakes `module` with cycle `cycle`, whatever it waits for: the cycles to account for, first and number.
    pub(crate) fn wake(
        &mut self,
        module: u32,
        cycle: u64,
        active: &[ActiveRuns],
        signals: &mut Signals,
    ) -> Option<(u64, u64)> {
        self.rouse(module, active, signals);
        self.sleepers[module as usize].resting = false;
        self.end_sleep(module, cycle)
    }

    /// The cycles before `cycle` that the accounts of a sleeping module lack, first and number; they count as accounted for.
    pub(crate) fn skipped(&mut self, module: u32, cycle: u64) -> Option<(u64, u64)> {
        let sleeper = &mut self.sleepers[module as usize];
        // Modules with several clocks keep no account of idle cycles, because no one clock could count them.
        if !sleeper.asleep || sleeper.clocks != 1 || cycle <= sleeper.since {
            return None;
        }
        let since = std::mem::replace(&mut sleeper.since, cycle);
        Some((since, cycle - since))
    }

    /// While pinned, a module that is awake does not fall asleep, and its domains do not rest.
    pub(crate) fn pin(&mut self, module: ModuleId, pinned: bool) {
        self.sleepers[module.index()].pinned = pinned;
        for domain in &self.surroundings[module.index()].domains {
            let awake = &mut self.domains[*domain as usize].awake;
            *awake = if pinned { *awake + 1 } else { *awake - 1 };
        }
    }

    /// Decides whether `module`, which has just committed and is awake, falls asleep. Returns after how many commits to ask
    /// again, or [`ASLEEP`].
    pub(crate) fn consider(
        &mut self,
        module: u32,
        rest: Rest,
        at: Commit,
        active: &[ActiveRuns],
        signals: &mut Signals,
    ) -> u8 {
        let sleeper = &mut self.sleepers[module as usize];
        let (wake_cycle, stalls) = match rest {
            Rest::UntilInput => (u64::MAX, false),
            Rest::UntilTransfer => (u64::MAX, true),
            // With several clocks it would not be clear whose cycle is meant.
            Rest::UntilCycle(cycle) if sleeper.clocks == 1 => (cycle, false),
            Rest::UntilTransferOrCycle(cycle) if sleeper.clocks == 1 => (cycle, true),
            Rest::Busy | Rest::UntilCycle(_) | Rest::UntilTransferOrCycle(_) => return sleeper.is_busy(),
        };
        let Surroundings { inputs, outputs, .. } = &self.surroundings[module as usize];
        let mut slots = [sleeper.busy_slot].into_iter().chain(inputs.iter().chain(outputs).copied());
        if let Some(slot) = slots.find(|slot| is_busy(signals, *slot, stalls)) {
            sleeper.busy_slot = slot;
            return sleeper.is_busy();
        }
        sleeper.pause = 0;
        // Outputs computed in an earlier cycle stay valid only if neither state nor inputs changed since they were computed. So
        // a module falls asleep only after each of its clocks has settled and committed once, later than the last moment at
        // which its state can have changed.
        let was_due = at.cycle >= std::mem::replace(&mut sleeper.wake_cycle, wake_cycle);
        let was_resting = std::mem::replace(&mut sleeper.resting, true);
        if !was_resting || was_due {
            (sleeper.settled, sleeper.rest_time) = (0, at.time);
            return 0;
        }
        if at.time > sleeper.rest_time {
            sleeper.settled |= 1 << at.clock;
        }
        let all_clocks = (1u16 << sleeper.clocks) - 1;
        if u16::from(sleeper.settled) == all_clocks && wake_cycle > at.cycle + 1 && !sleeper.pinned {
            self.fall_asleep(module, at.cycle + 1, active, signals);
            return ASLEEP;
        }
        0
    }

    fn fall_asleep(&mut self, module: u32, since: u64, active: &[ActiveRuns], signals: &mut Signals) {
        let sleeper = &mut self.sleepers[module as usize];
        (sleeper.asleep, sleeper.roused, sleeper.since) = (true, false, since);
        let Surroundings { domains, steps, inputs, outputs, acks } = &self.surroundings[module as usize];
        let mut slots = inputs.iter().chain(outputs);
        sleeper.stalled = slots.any(|slot| signals.raw_present(*slot));
        domains.iter().for_each(|domain| self.domains[*domain as usize].awake -= 1);
        steps.iter().for_each(|place| active[place.domain as usize].clear(*place));
        inputs.iter().for_each(|slot| signals.watch_data(*slot, true));
        let outputs = if sleeper.stalled { outputs.as_slice() } else { &[] };
        acks.iter().chain(outputs).for_each(|slot| signals.watch_ack(*slot, true));
        if sleeper.wake_cycle != u64::MAX {
            let domain = &mut self.domains[domains[0] as usize];
            domain.timer = domain.timer.min(sleeper.wake_cycle);
            if !std::mem::replace(&mut sleeper.is_timed, true) {
                domain.timed.push(module);
            }
        }
    }
}

/// Which commit it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Commit {
    pub(crate) clock: u32,
    pub(crate) cycle: u64,
    pub(crate) time: Time,
}

// Whether something happens at `slot` that ends a rest: a transfer or, unless what is refused does not matter, anything that is
// presented.
#[inline]
fn is_busy(signals: &Signals, slot: u32, stalls: bool) -> bool {
    signals.raw_present(slot) && (!stalls || signals.raw_ack(slot))
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
