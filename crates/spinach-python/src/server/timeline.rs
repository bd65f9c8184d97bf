//! Timelines of servers.

use std::path::PathBuf;

use pyo3::prelude::*;
use spinach_observe::timeline::{Categories, FunctionNames, RecordedServer, write_servers};
use spinach_python_macros::guarded;
use spinach_server::history::{Functions, History};

use super::Server;
use super::recorded::Recorded;
use crate::errors::spinach_error;

/// Address, name and category of a function.
pub(crate) type NamedFunction = (u64, String, String);
/// Categories of waiting, of user mode, and of other code of the kernel.
pub(crate) type CategoryNames = (String, String, String);

pub(crate) fn begins_of(functions: &[NamedFunction]) -> Functions {
    Functions::new(functions.iter().map(|(address, ..)| *address).collect())
}

/// Names of functions in the order of addresses, in which histories number them.
pub(crate) fn names_of(mut functions: Vec<NamedFunction>) -> Vec<FunctionNames> {
    functions.sort_by_key(|(address, ..)| *address);
    functions.into_iter().map(|(_, name, category)| FunctionNames { name, category }).collect()
}

pub(crate) fn categories_of((waiting, user, unknown): CategoryNames) -> Categories {
    Categories { waiting, user, unknown }
}

#[guarded]
#[pymethods]
impl Server {
    /// Records for a timeline the activities of harts and the link in a window of time: its begin, from now, and its length, in
    /// picoseconds. Functions have an address, a name and a category; the categories of waiting, of user mode and of other code
    /// of the kernel come with them. The link carries `bits_per_s`.
    fn record(
        &self,
        window_ps: (u64, u64),
        functions: Vec<NamedFunction>,
        categories: CategoryNames,
        bits_per_s: u64,
    ) {
        let mut running = self.running();
        let network = &mut running.network;
        let first = network.machines().first();
        let now = first.map_or(0, |machine| machine.configuration().clock().picoseconds(machine.time()));
        let start = now.saturating_add(window_ps.0);
        let window_ps = start..start.saturating_add(window_ps.1);
        let begins = begins_of(&functions);
        for node in 0..network.machines().len() {
            if let Some(machine) = network.machine_mut(node) {
                let clock = machine.configuration().clock();
                let window = clock.cycle_from(window_ps.start)..clock.cycle_from(window_ps.end);
                machine.keep_history(&window, &begins);
            }
        }
        network.watch();
        running.recorded = Some(Recorded {
            window_ps,
            functions: names_of(functions),
            categories: categories_of(categories),
            bits_per_s,
            frames: Vec::new(),
        });
    }

    /// Writes the recorded activity as a timeline in Perfetto's format. Returns how many slices it has, and how much of the window
    /// it covers, in picoseconds: less than all if the servers ended before or too much happened in it. `None` if nothing was
    /// recorded.
    fn write_timeline(&self, py: Python<'_>, path: PathBuf) -> PyResult<Option<(u64, u64)>> {
        let running = self.running();
        let Some(recorded) = &running.recorded else { return Ok(None) };
        let machines = running.network.machines();
        let servers: Vec<_> = machines
            .iter()
            .map(|machine| RecordedServer {
                clock: machine.configuration().clock(),
                histories: machine.histories(),
                until: machine.cycles(),
            })
            .collect();
        let covered = |server: &RecordedServer<'_>| {
            let end =
                server.histories.iter().map(|history: &History| history.window().end).min().unwrap_or(0);
            let end = server.clock.picoseconds(end.min(server.until));
            end.saturating_sub(recorded.window_ps.start)
        };
        let covered_ps = servers.iter().map(covered).min().unwrap_or(0);
        let Recorded { functions, categories, frames, .. } = recorded;
        let written = py.detach(|| write_servers(&path, &servers, functions, categories, frames));
        match written {
            Ok(slices) => Ok(Some((slices, covered_ps))),
            Err(error) => Err(spinach_error(
                py,
                format!("the timeline cannot be written: {error}"),
                "name another file",
            )),
        }
    }
}
