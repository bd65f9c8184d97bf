//! Elaboration: from what a user described to what runs, in named passes.
//!
//! | pass | does |
//! |---|---|
//! | `parameters` | orders modules by name, finds their kinds, resolves and checks every parameter |
//! | `connections` | gives every channel one output and one input, every lane one channel |
//! | `types` | decides what every channel carries |
//! | `clocks` | gives every clock of every module a domain and refuses channels between domains |
//! | `instances` | makes the modules and collects their processes |
//! | `liveness` | finds processes whose outputs nobody looks at |
//! | `loops` | orders the processes and refuses combinational loops |
//! | `schedule` | lays the processes out in runs of one kind |
//!
//! Each pass can print what it did: see [`Elaborated::dump`].

mod clocks;
mod connections;
mod instances;
mod liveness;
mod loops;
mod parameters;
mod schedule;
mod types;

use crate::arena::AnyKind;
use crate::design::Design;
use crate::error::{ElaborationError, Problem};
use crate::netlist::Netlist;
use crate::registry::Registry;
use crate::signal::Signals;

pub(crate) use schedule::{Run, Schedule};

/// The passes in the order in which they run.
pub const PASSES: [&str; 8] =
    ["parameters", "connections", "types", "clocks", "instances", "liveness", "loops", "schedule"];

/// A design that passed every check, with its modules made and its schedule laid out.
pub struct Elaborated {
    /// The checked and numbered system.
    pub netlist: Netlist,
    pub(crate) kinds: Vec<Box<dyn AnyKind>>,
    pub(crate) signals: Box<Signals>,
    pub(crate) levels: loops::Levels,
    pub(crate) schedule: Schedule,
}

/// Elaborates a design with the modules of a library.
///
/// # Errors
/// Every mistake that the first failing pass finds, each with where it is and what to do.
pub fn elaborate(design: &Design, registry: &Registry) -> Result<Elaborated, ElaborationError> {
    let mut netlist = parameters::run(design, registry)?;
    let order = parameters::canonical_order(design);
    connections::run(design, &order, &mut netlist)?;
    types::run(&mut netlist)?;
    clocks::run(design, &order, &mut netlist)?;
    let instances = instances::run(registry, &mut netlist)?;
    liveness::run(&instances.kinds, &mut netlist);
    let levels = loops::run(&netlist)?;
    let schedule = schedule::run(&netlist, &instances.kinds, &levels);
    let instances::Instances { kinds, signals } = instances;
    Ok(Elaborated { netlist, kinds, signals, levels, schedule })
}

impl Elaborated {
    /// What the pass named `pass` did, as text.
    ///
    /// # Errors
    /// If there is no such pass.
    pub fn dump(&self, pass: &str) -> Result<String, Problem> {
        match pass {
            "parameters" => Ok(parameters::dump(&self.netlist)),
            "connections" => Ok(connections::dump(&self.netlist)),
            "types" => Ok(types::dump(&self.netlist)),
            "clocks" => Ok(clocks::dump(&self.netlist)),
            "instances" => Ok(instances::dump(&self.netlist)),
            "liveness" => Ok(liveness::dump(&self.netlist)),
            "loops" => Ok(loops::dump(&self.netlist, &self.levels)),
            "schedule" => Ok(schedule::dump(&self.netlist, &self.schedule)),
            _ => Err(Problem {
                pass: "dump",
                message: format!("there is no elaboration pass {pass:?}"),
                help: format!("the passes are {}", PASSES.join(", ")),
                location: None,
            }),
        }
    }
}
