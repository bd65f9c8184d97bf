//! Servers as a timeline: the execution of their harts, by function and by category, their interrupts, and the frames on the link
//! between them.

use std::io;
use std::path::Path;

use spinach_engine::Time;
use spinach_server::clock::Clock;
use spinach_server::history::{Doing, History, Served};

use super::writer::{Track, Writer};

const FEMTOSECONDS_OF_PICOSECOND: u64 = 1000;
const WAITING: &str = "waits for an interrupt";
const UNKNOWN: &str = "?";
/// Interrupts of supervisor mode, by their numbers in `scause`.
const INTERRUPTS: [(u64, &str); 3] =
    [(1, "software interrupt"), (5, "timer interrupt"), (9, "external interrupt")];

/// Name and category of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionNames {
    /// Its name.
    pub name: String,
    /// Its category.
    pub category: String,
}

/// Names of categories that no function has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Categories {
    /// Category of a waiting hart.
    pub waiting: String,
    /// Category of user mode.
    pub user: String,
    /// Category of kernel code outside every function.
    pub unknown: String,
}

/// A server that was recorded.
#[derive(Debug)]
pub struct RecordedServer<'a> {
    /// Clock of its harts.
    pub clock: Clock,
    /// History of each hart.
    pub histories: &'a [History],
    /// The cycle up to which it has run.
    pub until: u64,
}

/// A frame on the link.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinkFrame {
    /// The server that sent it, from 0 on.
    pub from: usize,
    /// Departure of its first bit, in picoseconds.
    pub begins: u64,
    /// Departure of its last bit, in picoseconds.
    pub ends: u64,
    /// Label of the track.
    pub name: String,
}

/// Writes the recorded activity of servers to the file `path`; `functions` are by number. Returns how many slices it has.
///
/// # Errors
/// If the file cannot be written.
pub fn write_servers(
    path: &Path,
    servers: &[RecordedServer<'_>],
    functions: &[FunctionNames],
    categories: &Categories,
    frames: &[LinkFrame],
) -> io::Result<u64> {
    let mut writer = Writer::create(path)?;
    let mut rows = Rows { writer: &mut writer, functions, categories, slices: 0 };
    for (server, number) in servers.iter().zip(1..) {
        rows.server(server, number);
    }
    if servers.len() > 1 {
        rows.link(frames, servers.len());
    }
    let slices = rows.slices;
    writer.complete()?;
    Ok(slices)
}

/// Adds rows for a recorded server to a trace.
pub(super) fn add_server(
    writer: &mut Writer,
    server: &RecordedServer<'_>,
    number: usize,
    functions: &[FunctionNames],
    categories: &Categories,
) {
    Rows { writer, functions, categories, slices: 0 }.server(server, number);
}

struct Rows<'a> {
    writer: &'a mut Writer,
    functions: &'a [FunctionNames],
    categories: &'a Categories,
    slices: u64,
}

impl Rows<'_> {
    fn server(&mut self, server: &RecordedServer<'_>, number: usize) {
        let group = self.writer.group(&format!("server {number}"));
        for (history, hart) in server.histories.iter().zip(1..) {
            let by_function = self.writer.track(&format!("hart {hart}: functions"), group);
            let by_category = self.writer.track(&format!("hart {hart}: categories"), group);
            let interrupts = self.writer.track(&format!("hart {hart}: interrupts"), group);
            self.spans(by_function, server, history, Self::function);
            self.spans(by_category, server, history, Self::category);
            for served in history.served() {
                let time = |cycle| time_of(server.clock.picoseconds(cycle));
                self.slice(interrupts, time(served.begins), time(served.ends), &interrupt_name(served));
            }
        }
    }

    // One slice for each span of time with the same result of `name`.
    fn spans(
        &mut self,
        track: Track,
        server: &RecordedServer<'_>,
        history: &History,
        name: impl Fn(&Self, Doing) -> String,
    ) {
        let time = |cycle| time_of(server.clock.picoseconds(cycle));
        let end = history.window().end.min(server.until);
        let mut open: Option<(u64, String)> = None;
        for change in history.changes().iter().take_while(|change| change.time < end) {
            let next = name(self, change.doing);
            match open.take() {
                Some((begin, name)) if name == next => open = Some((begin, name)),
                Some((begin, name)) => {
                    self.slice(track, time(begin), time(change.time), &name);
                    open = Some((change.time, next));
                }
                None => open = Some((change.time, next)),
            }
        }
        if let Some((begin, name)) = open {
            self.slice(track, time(begin), time(end), &name);
        }
    }

    fn link(&mut self, frames: &[LinkFrame], servers: usize) {
        let group = self.writer.group("link");
        for from in 0..servers {
            let track = self.writer.track(&format!("from server {}", from + 1), group);
            for frame in frames.iter().filter(|frame| frame.from == from) {
                self.slice(track, time_of(frame.begins), time_of(frame.ends), &frame.name);
            }
        }
    }

    fn slice(&mut self, track: Track, begin: Time, end: Time, name: &str) {
        self.writer.begin(track, begin, name, &[]);
        self.writer.end(track, end);
        self.slices += 1;
    }

    fn function(&self, doing: Doing) -> String {
        match doing {
            Doing::Waits => WAITING.to_owned(),
            Doing::Executes { function, .. } => {
                self.names(function).map_or(UNKNOWN, |names| &names.name).to_owned()
            }
        }
    }

    fn category(&self, doing: Doing) -> String {
        match doing {
            Doing::Waits => self.categories.waiting.clone(),
            Doing::Executes { is_user: true, .. } => self.categories.user.clone(),
            Doing::Executes { function, .. } => {
                self.names(function).map_or(&self.categories.unknown, |names| &names.category).clone()
            }
        }
    }

    fn names(&self, function: Option<u32>) -> Option<&FunctionNames> {
        self.functions.get(function? as usize)
    }
}

fn interrupt_name(served: &Served) -> String {
    let known = INTERRUPTS.iter().find(|(number, _)| *number == served.number);
    known.map_or_else(|| format!("interrupt {}", served.number), |(_, name)| (*name).to_owned())
}

fn time_of(picoseconds: u64) -> Time {
    Time::from_femtoseconds(picoseconds.saturating_mul(FEMTOSECONDS_OF_PICOSECOND))
}
