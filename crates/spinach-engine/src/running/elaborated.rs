//! A design that is ready to run.

use std::collections::BTreeMap;

use super::arena::AnyKind;
use super::fusing::{Fusing, fuse};
use super::islands::{self, Places};
use super::registry::Registry;
use crate::contract::Signals;
use crate::describing::{Design, ElaborationError, Problem};
use crate::elaborating::{self, Layout, Netlist};
use crate::ids::{Id, ModuleId};
use crate::time::Time;

/// A design that passed every check, with its modules made and its schedule laid out.
pub struct Elaborated {
    /// The checked and numbered system.
    pub netlist: Netlist,
    pub(crate) kinds: Vec<Box<dyn AnyKind>>,
    pub(crate) signals: Box<Signals>,
    pub(crate) layout: Layout,
    /// Fused schedule that runs in place of the separate modules, if any.
    pub(crate) fusing: Option<Fusing>,
    /// The parts of a design with joints. They have the modules, and `kinds` none.
    pub(crate) islands: Option<(Vec<Elaborated>, Places)>,
}

/// Elaborates a design with the modules of a library.
///
/// # Errors
/// Every mistake that the first failing pass finds, each with its place and an instruction.
pub fn elaborate(design: &Design, registry: &Registry) -> Result<Elaborated, ElaborationError> {
    let Some((design, joints)) = islands::take_joints(design, registry)? else {
        return elaborate_whole(design, registry);
    };
    let (netlist, instances, layout) = elaborating::elaborate(&design, registry)?;
    let signals = instances.signals;
    // Two sets of memories would take twice the room.
    drop(instances.kinds);
    let islands = elaborate_islands(design, &joints, &netlist, registry)?;
    Ok(Elaborated { netlist, kinds: Vec::new(), signals, layout, fusing: None, islands: Some(islands) })
}

/// Elaborates a design without joints.
pub(super) fn elaborate_whole(design: &Design, registry: &Registry) -> Result<Elaborated, ElaborationError> {
    let (netlist, instances, layout) = elaborating::elaborate(design, registry)?;
    let fusing = fuse(&netlist, &instances.kinds, registry);
    let (kinds, signals) = (instances.kinds, instances.signals);
    Ok(Elaborated { netlist, kinds, signals, layout, fusing, islands: None })
}

/// Elaborates the islands of a design that is known to be right but for its joints.
///
/// # Errors
/// If a joint has no latency.
fn elaborate_islands(
    design: Design,
    joints: &[[ModuleId; 2]],
    netlist: &Netlist,
    registry: &Registry,
) -> Result<(Vec<Elaborated>, Places), ElaborationError> {
    let island_of = islands::islands(&design, joints);
    let paths: Vec<String> = design.modules.values().map(|module| module.path.clone()).collect();
    let location = |module: ModuleId| design.modules[module].location.clone();
    let locations: Vec<_> = joints.iter().map(|[_, to]| location(*to)).collect();
    let parts = islands::split(design, &island_of);
    let parts = parts.iter().map(|part| elaborate_whole(part, registry)).collect::<Result<Vec<_>, _>>()?;
    let mut places = places(netlist, &parts);
    for ([from, to], location) in joints.iter().zip(locations) {
        let place = |module: &ModuleId| {
            let island = island_of[module.index()];
            let own = parts[island].netlist.find_module(&paths[module.index()]);
            (island, own.expect("a module is on its island"))
        };
        let (island, receiver) = place(to);
        let Elaborated { netlist, kinds, .. } = &parts[island];
        let node = &netlist.modules[receiver];
        let cycles = kinds[node.kind as usize].lookahead(node.instance);
        let latency = netlist.domains[node.domains[0]].frequency.edge_time(cycles).unwrap_or(Time::MAX);
        if latency == Time::ZERO {
            let message = format!("the joint to {} has no latency", node.path);
            let help = "give it a latency of at least two cycles of its receiver".to_owned();
            let problem = Problem { pass: "connections", message, help, location };
            return Err(ElaborationError { problems: vec![problem] });
        }
        places.latency = places.latency.min(latency);
        places.joints.insert(place(from), (island, receiver));
    }
    Ok((parts, places))
}

fn places(netlist: &Netlist, parts: &[Elaborated]) -> Places {
    let modules_by_path: BTreeMap<&str, ModuleId> =
        netlist.modules.iter().map(|(id, node)| (node.path.as_str(), id)).collect();
    let mut modules = vec![(0, ModuleId::from_index(0)); netlist.modules.len()];
    let (mut modules_of, mut domains_of) = (Vec::new(), Vec::new());
    for (island, part) in parts.iter().enumerate() {
        let own: Vec<ModuleId> =
            part.netlist.modules.values().map(|node| modules_by_path[node.path.as_str()]).collect();
        for (index, module) in own.iter().enumerate() {
            modules[module.index()] = (island, ModuleId::from_index(index));
        }
        modules_of.push(own);
        let domain = |name: &str| netlist.find_domain(name).expect("a domain is one of the design");
        domains_of.push(part.netlist.domains.values().map(|own| domain(&own.name)).collect());
    }
    let channel = |channel: &elaborating::Channel| {
        let (island, module) = modules[channel.from.module.index()];
        let own = parts[island].netlist.modules[module].ports[channel.from.port][channel.from.lane];
        (island, own)
    };
    let channels = netlist.channels.values().map(channel).collect();
    Places { modules, channels, modules_of, domains_of, joints: BTreeMap::new(), latency: Time::MAX }
}

impl Elaborated {
    /// Report of the pass named `pass`, as text.
    ///
    /// # Errors
    /// If the pass does not exist.
    pub fn dump(&self, pass: &str) -> Result<String, Problem> {
        elaborating::dump(pass, &self.netlist, &self.layout)
    }
}
