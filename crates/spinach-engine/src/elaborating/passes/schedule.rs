//! Lays processes and commits out as batches: as many steps as possible of one kind and one process after another.
//!
//! A commit changes only the state of its module, which is private, so it may run as soon as all signals it reads are settled;
//! where one process of the module is the last of them, the two run as one step. Modules with several clocks are the exception:
//! one side's evaluate sees the state that the other side's commit changes, so their commits wait until every domain with an edge
//! at the same instant has settled. So are modules that reach into others directly: they commit after all others of their domain,
//! one after the other in the order of their names, so that the state they reach does not depend on the layout of the steps.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Deref;

use super::loops::{Levels, drivers};
use crate::elaborating::kind::{Action, Actors, Step};
use crate::elaborating::netlist::{Netlist, Signal};
use crate::ids::{Arena, DomainId, ModuleId, ProcessId};

/// The most steps of one batch: one bit each of a word.
const LONGEST_RUN: usize = 64;

/// A batch of steps of one kind that do the same thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Batch {
    pub(crate) kind: u32,
    /// The first of the domain's steps that belong to this batch, and how many do.
    first: u32,
    count: u32,
    pub(crate) clock: u32,
    pub(crate) code: u16,
    pub(crate) action: Action,
}

impl Batch {
    /// The steps of this batch, given all of its domain.
    pub(crate) fn steps<'a>(&self, all: &'a [Step]) -> &'a [Step] {
        &all[self.first as usize..][..self.count as usize]
    }
}

/// Steps at each edge of one domain.
#[derive(Clone, Debug, Default)]
pub(crate) struct DomainSchedule {
    pub(crate) batches: Vec<Batch>,
    /// The commits of modules with several clocks, by clock.
    pub(crate) crossings: Vec<Batch>,
    pub(crate) steps: Vec<Step>,
    /// The modules that commit in this domain.
    pub(crate) committing: Vec<ModuleId>,
}

/// Steps at each edge of each domain.
pub(crate) type Schedule = Arena<DomainId, DomainSchedule>;

// Unit of scheduling: a process, a commit, or both together.
struct Task {
    kind: u32,
    action: Action,
    code: u16,
    clock: u32,
    step: Step,
    after: Vec<usize>,
}

type Key = (u32, Action, u16, u32);

impl Task {
    fn key(&self) -> Key {
        (self.kind, self.action, self.code, self.clock)
    }
}

impl DomainSchedule {
    // Takes the steps in, as few batches.
    fn batches_of(&mut self, (kind, action, code, clock): Key, steps: &[Step]) -> Vec<Batch> {
        let number = |length| u32::try_from(length).unwrap_or(u32::MAX);
        let mut batches = Vec::new();
        for steps in steps.chunks(LONGEST_RUN) {
            let (first, count) = (number(self.steps.len()), number(steps.len()));
            batches.push(Batch { kind, first, count, clock, code, action });
            self.steps.extend(steps);
        }
        batches
    }
}

pub(super) fn run<K: Deref<Target: Actors>>(netlist: &Netlist, kinds: &[K], levels: &Levels) -> Schedule {
    let drivers = drivers(netlist);
    netlist.domains.ids().map(|domain| schedule_domain(netlist, kinds, levels, &drivers, domain)).collect()
}

fn schedule_domain<K: Deref<Target: Actors>>(
    netlist: &Netlist,
    kinds: &[K],
    levels: &Levels,
    drivers: &[Option<ProcessId>],
    domain: DomainId,
) -> DomainSchedule {
    let mut schedule = DomainSchedule::default();
    let (mut tasks, task_of) = process_tasks(netlist, drivers, domain);
    let mut crossings: BTreeMap<(u32, u32), Vec<Step>> = BTreeMap::new();
    let mut reaching: Vec<(&str, u32, Step)> = Vec::new();
    for (id, node) in netlist.modules.iter() {
        if !kinds[node.kind as usize].commits() {
            continue;
        }
        for clock in (0..node.domains.len()).filter(|clock| node.domains[*clock] == domain) {
            let step = Step { instance: node.instance, lane: 0, process: 0 };
            let clock = u32::try_from(clock).unwrap_or(u32::MAX);
            schedule.committing.push(id);
            if node.domains.len() > 1 {
                crossings.entry((clock, node.kind)).or_default().push(step);
                continue;
            }
            if kinds[node.kind as usize].reaches_others(node.instance) {
                reaching.push((&node.path, node.kind, step));
                continue;
            }
            let after = commit_follows(netlist, drivers, id);
            match last_process(netlist, levels, &after, id) {
                Some(last) => {
                    let task = &mut tasks[task_of[&last]];
                    task.action = Action::EvaluateAndCommit;
                    task.after.extend(
                        after.iter().filter(|process| **process != last).map(|process| task_of[process]),
                    );
                }
                None => {
                    let after = after.iter().map(|process| task_of[process]).collect();
                    tasks.push(Task { kind: node.kind, action: Action::Commit, code: 0, clock, step, after });
                }
            }
        }
    }
    lay_out(&tasks, &mut schedule);
    reaching.sort_unstable_by_key(|(path, ..)| *path);
    for run in reaching.chunk_by(|one, other| one.1 == other.1) {
        let steps: Vec<Step> = run.iter().map(|(.., step)| *step).collect();
        let batches = schedule.batches_of((run[0].1, Action::Commit, 0, 0), &steps);
        schedule.batches.extend(batches);
    }
    for ((clock, kind), steps) in crossings {
        let batches = schedule.batches_of((kind, Action::Commit, 0, clock), &steps);
        schedule.crossings.extend(batches);
    }
    schedule
}

fn process_tasks(
    netlist: &Netlist,
    drivers: &[Option<ProcessId>],
    domain: DomainId,
) -> (Vec<Task>, BTreeMap<ProcessId, usize>) {
    let in_domain = |process: &ProcessId| {
        let process = &netlist.processes[*process];
        process.is_live && netlist.modules[process.module].domains[process.clock] == domain
    };
    let ids: Vec<ProcessId> = netlist.processes.ids().filter(in_domain).collect();
    let task_of: BTreeMap<ProcessId, usize> =
        ids.iter().enumerate().map(|(task, process)| (*process, task)).collect();
    let task = |id: &ProcessId| {
        let process = &netlist.processes[*id];
        let node = &netlist.modules[process.module];
        let after = process.reads.iter().filter_map(|signal| task_of.get(&drivers[signal.index()]?).copied());
        Task {
            kind: node.kind,
            action: Action::Evaluate,
            code: process.code,
            clock: u32::try_from(process.clock).unwrap_or(u32::MAX),
            step: Step { instance: node.instance, lane: process.lane, process: process.ordinal },
            after: after.collect(),
        }
    };
    (ids.iter().map(task).collect(), task_of)
}

// Every process that drives a signal the module can see at its ports, its own outputs included.
fn commit_follows(netlist: &Netlist, drivers: &[Option<ProcessId>], id: ModuleId) -> Vec<ProcessId> {
    use crate::contract::Part::{Ack, Data};
    let channels = netlist.modules[id].ports.values().flatten();
    let signals = channels.flat_map(|channel| [Data, Ack].map(|part| Signal { channel: *channel, part }));
    let mut processes: Vec<ProcessId> = signals.filter_map(|signal| drivers[signal.index()]).collect();
    processes.sort_unstable();
    processes.dedup();
    processes
}

// The process of the module itself that comes after all others that its commit follows, if there is one. Merging commit and
// process then cannot close a circle, because no other of them can depend on it.
fn last_process(netlist: &Netlist, levels: &Levels, after: &[ProcessId], id: ModuleId) -> Option<ProcessId> {
    let last = after
        .iter()
        .copied()
        .max_by_key(|process| (levels[*process], netlist.processes[*process].module == id))?;
    let is_alone = after.iter().all(|process| *process == last || levels[*process] < levels[last]);
    (netlist.processes[last].module == id && is_alone).then_some(last)
}

// Puts the tasks into batches of one sort, few and long: the next batch is of the sort with the largest share of its tasks ready,
// because waiting would lengthen it least. On random networks this makes a third fewer batches than taking the longest.
fn lay_out(tasks: &[Task], schedule: &mut DomainSchedule) {
    let mut followers: Vec<Vec<usize>> = vec![Vec::new(); tasks.len()];
    let mut missing = vec![0usize; tasks.len()];
    let mut ready: BTreeMap<Key, Vec<usize>> = BTreeMap::new();
    let mut left: BTreeMap<Key, usize> = BTreeMap::new();
    for (index, task) in tasks.iter().enumerate() {
        *left.entry(task.key()).or_default() += 1;
        for before in &task.after {
            followers[*before].push(index);
            missing[index] += 1;
        }
        if task.after.is_empty() {
            ready.entry(task.key()).or_default().push(index);
        }
    }
    while let Some(key) = next_sort(&ready, &left) {
        let mut batch = ready.remove(&key).unwrap_or_default();
        batch.sort_by_key(|task| (tasks[*task].step.instance, tasks[*task].step.lane));
        *left.entry(key).or_default() -= batch.len();
        let steps: Vec<Step> = batch.iter().map(|task| tasks[*task].step).collect();
        let batches = schedule.batches_of(key, &steps);
        schedule.batches.extend(batches);
        for follower in batch.iter().flat_map(|task| &followers[*task]) {
            missing[*follower] -= 1;
            if missing[*follower] == 0 {
                ready.entry(tasks[*follower].key()).or_default().push(*follower);
            }
        }
    }
}

// Compares ready/left as fractions, then the number ready; the last tie goes to the lowest key.
fn next_sort(ready: &BTreeMap<Key, Vec<usize>>, left: &BTreeMap<Key, usize>) -> Option<Key> {
    let rank = |(key, batch): (&Key, &Vec<usize>)| (batch.len(), left[key], *key);
    let best = ready
        .iter()
        .map(rank)
        .max_by(|a, b| (a.0 * b.1).cmp(&(b.0 * a.1)).then(a.0.cmp(&b.0)).then(b.2.cmp(&a.2)));
    best.map(|(_, _, key)| key)
}

pub(super) fn dump(netlist: &Netlist, schedule: &Schedule) -> String {
    let names: BTreeMap<(u32, u32), &str> =
        netlist.modules.values().map(|node| ((node.kind, node.instance), node.path.as_str())).collect();
    let kinds: BTreeMap<u32, &str> =
        netlist.modules.values().map(|node| (node.kind, node.declaration.kind)).collect();
    let mut text = String::new();
    for (id, domain) in schedule.iter() {
        let _ = writeln!(text, "domain {}", netlist.domains[id].name);
        for batch in &domain.batches {
            let action = match batch.action {
                Action::Evaluate => format!("evaluate process {} of", batch.code),
                Action::EvaluateAndCommit => format!("evaluate process {} and commit", batch.code),
                Action::Commit => "commit".to_owned(),
            };
            let _ = writeln!(text, "  {action} {}", kinds[&batch.kind]);
            for step in batch.steps(&domain.steps) {
                let _ = match batch.action {
                    Action::Commit => writeln!(text, "    {}", names[&(batch.kind, step.instance)]),
                    _ => writeln!(text, "    {} lane {}", names[&(batch.kind, step.instance)], step.lane),
                };
            }
        }
        for batch in &domain.crossings {
            for step in batch.steps(&domain.steps) {
                let _ = writeln!(text, "  then commit {}", names[&(batch.kind, step.instance)]);
            }
        }
    }
    text
}
