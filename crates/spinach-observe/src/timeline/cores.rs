//! Execution of cores as slices: tasks, and in them functions.

use std::collections::VecDeque;

use spinach_analysis::trace::TaskTracker;
use spinach_engine::{Frequency, ModuleId, Netlist, Observed, Time};

use super::by_domain::ByDomain;
use super::writer::{Track, Writer};

/// Counter of the cycles of a core that does not run. Those before it count the cycles of one that does.
const HALTED: &str = "halted";

/// The rows of the cores.
pub(super) struct Cores {
    tasks: TaskTracker,
    rows: Vec<Row>,
    rows_by_domain: ByDomain,
}

struct Row {
    track: Track,
    module: ModuleId,
    clock: Frequency,
    /// The task and the function whose slices are open.
    open: Option<(u16, u32)>,
    /// Times at which it completed instructions, and their addresses: those that are not over yet, or that have just been heard of.
    retired: VecDeque<(Time, u64)>,
    /// Times from which on it did not run, of which later instructions have not been heard yet.
    halts: VecDeque<Time>,
    is_halted: bool,
    /// Place of the counter of halted cycles, this count, and that of the others.
    halted: Option<usize>,
    counts: (u64, u64),
}

impl Cores {
    pub(super) fn new(
        tasks: TaskTracker,
        cores: Vec<(String, ModuleId)>,
        netlist: &Netlist,
        writer: &mut Writer,
    ) -> Self {
        let group = writer.group("cores");
        let rows = cores.into_iter().map(|(name, module)| {
            let node = &netlist.modules[module];
            Row {
                track: writer.track(&name, group),
                module,
                clock: netlist.domains[node.domains[0]].frequency,
                open: None,
                retired: VecDeque::new(),
                halts: VecDeque::new(),
                is_halted: false,
                halted: node.declaration.counters.iter().position(|(name, _)| *name == HALTED),
                counts: (0, 0),
            }
        });
        let rows: Vec<Row> = rows.collect();
        let domains = rows.iter().map(|row| &netlist.modules[row.module].domains[..]);
        Self { rows_by_domain: ByDomain::new(netlist, domains), rows, tasks }
    }

    /// A core completed the instruction at `pc` in `cycle`, or will.
    pub(super) fn retired(&mut self, core: u16, pc: u64, cycle: u64) {
        let row = &mut self.rows[usize::from(core)];
        row.retired.push_back((row.clock.edge_time(cycle).unwrap_or(Time::MAX), pc));
    }

    /// Looks whether cores run.
    pub(super) fn observe(&mut self, observed: &Observed<'_>) {
        self.rows_by_domain.each_due(observed, |place| {
            let row = &mut self.rows[place];
            let counters = observed.counters(row.module);
            let Some(halted) = row.halted.filter(|halted| *halted < counters.len()) else { return };
            let (was_halted, ran) = row.counts;
            row.counts = (counters[halted], counters[..halted].iter().sum());
            if row.counts.1 != ran {
                row.is_halted = false;
            } else if row.counts.0 != was_halted && !std::mem::replace(&mut row.is_halted, true) {
                row.halts.push_back(observed.time);
            }
        });
    }

    /// Writes what happened until `now`, as far as it has been heard of.
    pub(super) fn advance(&mut self, now: Time, writer: &mut Writer) {
        let Self { tasks, rows, .. } = self;
        for (row, core) in rows.iter_mut().zip(0..) {
            while let Some((time, pc)) = row.retired.front().copied().filter(|(time, _)| *time <= now) {
                row.retired.pop_front();
                while let Some(halt) = row.halts.front().copied().filter(|halt| *halt < time) {
                    row.halts.pop_front();
                    row.close(halt, writer);
                }
                row.write(tasks.locate(core, pc), tasks, time, writer);
            }
        }
    }

    /// Writes the rest until `now`, and closes the open slices.
    pub(super) fn finish(&mut self, now: Time, writer: &mut Writer) {
        self.advance(now, writer);
        for row in &mut self.rows {
            let end = row.halts.front().copied().unwrap_or(now);
            row.close(end, writer);
        }
    }
}

impl Row {
    fn write(&mut self, next: (u16, u32), tasks: &TaskTracker, time: Time, writer: &mut Writer) {
        let (task, function) = next;
        let track = self.track;
        match self.open {
            Some(open) if open == next => return,
            Some((same, _)) if same == task => writer.end(track, time),
            _ => {
                self.close(time, writer);
                writer.begin(track, time, &tasks.task_names()[usize::from(task)], &[]);
            }
        }
        writer.begin(track, time, &tasks.function_names()[function as usize], &[]);
        self.open = Some(next);
    }

    fn close(&mut self, time: Time, writer: &mut Writer) {
        if self.open.take().is_some() {
            writer.end(self.track, time);
            writer.end(self.track, time);
        }
    }
}
