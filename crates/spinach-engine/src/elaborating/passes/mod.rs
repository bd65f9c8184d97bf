//! Elaboration: from the description to batches, in named passes.
//!
//! | pass | does |
//! |---|---|
//! | `parameters` | orders modules by name, finds their kinds, resolves and checks every parameter |
//! | `connections` | gives every channel one output and one input, every lane one channel |
//! | `types` | decides what every channel carries |
//! | `clocks` | gives every clock of every module a domain and refuses channels between domains |
//! | `instances` | makes the modules and collects their processes |
//! | `liveness` | finds dead processes, whose outputs are unused |
//! | `loops` | orders the processes and refuses combinational loops |
//! | `schedule` | lays the processes out in batches of one kind |
//!
//! Each pass can print what it did: see [`Elaborated::dump`](crate::Elaborated::dump).

mod clocks;
mod connections;
mod instances;
mod liveness;
mod loops;
mod parameters;
mod schedule;
mod types;
mod unconnected;

use std::ops::Deref;

use super::kind::{Actors, Library};
use super::netlist::Netlist;
use crate::describing::{Design, ElaborationError, Problem};

use instances::Instances;
pub(crate) use schedule::{Batch, Schedule};

/// The passes in the order in which they run.
pub const PASSES: [&str; 8] =
    ["parameters", "connections", "types", "clocks", "instances", "liveness", "loops", "schedule"];

/// Results that the passes derived from a netlist.
pub(crate) struct Layout {
    levels: loops::Levels,
    pub(crate) schedule: Schedule,
}

/// Elaborates a design with the modules of a library: the netlist, the modules, and when each of them acts.
///
/// # Errors
/// Every mistake that the first failing pass finds, each with its place and an instruction.
pub(crate) fn elaborate<L: Library>(
    design: &Design,
    library: &L,
) -> Result<(Netlist, Instances<L::Kind>, Layout), ElaborationError> {
    let mut netlist = parameters::run(design, library)?;
    let order = parameters::canonical_order(design);
    connections::run(design, &order, &mut netlist)?;
    types::run(&mut netlist)?;
    clocks::run(design, &order, &mut netlist)?;
    let instances = instances::run(library, &mut netlist)?;
    liveness::run(&instances.kinds, &mut netlist);
    let layout = lay_out(&netlist, &instances.kinds)?;
    Ok((netlist, instances, layout))
}

/// Lays out when each module acts that has its processes.
///
/// # Errors
/// If there is a combinational loop.
pub(crate) fn lay_out<K: Deref<Target: Actors>>(
    netlist: &Netlist,
    kinds: &[K],
) -> Result<Layout, ElaborationError> {
    let levels = loops::run(netlist)?;
    let schedule = schedule::run(netlist, kinds, &levels);
    Ok(Layout { levels, schedule })
}

/// Report of the pass named `pass`, as text.
///
/// # Errors
/// If the pass does not exist.
pub(crate) fn dump(pass: &str, netlist: &Netlist, layout: &Layout) -> Result<String, Problem> {
    match pass {
        "parameters" => Ok(parameters::dump(netlist)),
        "connections" => Ok(connections::dump(netlist)),
        "types" => Ok(types::dump(netlist)),
        "clocks" => Ok(clocks::dump(netlist)),
        "instances" => Ok(instances::dump(netlist)),
        "liveness" => Ok(liveness::dump(netlist)),
        "loops" => Ok(loops::dump(netlist, &layout.levels)),
        "schedule" => Ok(schedule::dump(netlist, &layout.schedule)),
        _ => Err(Problem {
            pass: "dump",
            message: format!("there is no elaboration pass {pass:?}"),
            help: format!("the passes are {}", PASSES.join(", ")),
            location: None,
        }),
    }
}
