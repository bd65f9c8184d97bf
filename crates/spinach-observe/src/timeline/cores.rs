//! Execution of cores as slices: tasks, and in them functions.

use spinach_analysis::trace::TaskTracker;
use spinach_engine::Time;

use super::writer::{Track, Writer};

/// The rows of the cores.
pub(super) struct Cores {
    tasks: TaskTracker,
    rows: Vec<Row>,
}

struct Row {
    track: Track,
    /// The task and the function whose slices are open.
    open: Option<(u16, u32)>,
}

impl Cores {
    pub(super) fn new(tasks: TaskTracker, names: &[String], writer: &mut Writer) -> Self {
        let group = writer.group("cores");
        let rows = names.iter().map(|name| Row { track: writer.track(name, group), open: None });
        Self { tasks, rows: rows.collect() }
    }

    /// A core completed the instruction at `pc`.
    pub(super) fn retired(&mut self, core: u16, pc: u64, time: Time, writer: &mut Writer) {
        let (task, function) = self.tasks.locate(core, pc);
        let row = &mut self.rows[usize::from(core)];
        let track = row.track;
        match row.open {
            Some(open) if open == (task, function) => return,
            Some((same, _)) if same == task => writer.end(track, time),
            Some(_) => {
                writer.end(track, time);
                writer.end(track, time);
                writer.begin(track, time, &self.tasks.task_names()[usize::from(task)], &[]);
            }
            None => writer.begin(track, time, &self.tasks.task_names()[usize::from(task)], &[]),
        }
        writer.begin(track, time, &self.tasks.function_names()[function as usize], &[]);
        row.open = Some((task, function));
    }

    /// Closes the open slices.
    pub(super) fn finish(&mut self, time: Time, writer: &mut Writer) {
        for row in &mut self.rows {
            if row.open.take().is_some() {
                writer.end(row.track, time);
                writer.end(row.track, time);
            }
        }
    }
}
