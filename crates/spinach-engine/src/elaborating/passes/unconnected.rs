//! Reports ports and lanes that are not connected. The ports of a bundle are reported as one thing, by the name of the bundle.

use std::collections::{BTreeMap, BTreeSet};

use crate::contract::declaration::{Direction, Lanes, PortDeclaration};
use crate::describing::Problems;
use crate::elaborating::netlist::{Netlist, Node};
use crate::ids::{ChannelId, Id, ModuleId, PortId};

type Taken = BTreeMap<(ModuleId, PortId, usize), ChannelId>;

/// Ports that are connected together: those of a bundle, or one port.
struct Group<'a> {
    name: &'a str,
    ports: Vec<(PortId, &'a PortDeclaration)>,
}

pub(super) fn report(netlist: &Netlist, taken: &Taken, problems: &mut Problems) {
    for id in netlist.modules.ids() {
        let node = &netlist.modules[id];
        for group in groups(node) {
            report_group(node, &group, &lanes_of(&group, id, taken), problems);
        }
    }
}

fn groups(node: &Node) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for (index, port) in node.declaration.ports.iter().enumerate() {
        let name = port.bundle.and_then(|bundle| bundle.split_once('.')).map_or(port.name, |(name, _)| name);
        let place = groups.iter().position(|group| port.bundle.is_some() && group.name == name);
        let place = place.unwrap_or_else(|| {
            groups.push(Group { name, ports: Vec::new() });
            groups.len() - 1
        });
        groups[place].ports.push((PortId::from_index(index), port));
    }
    groups
}

/// Connected lanes of each port of a group.
fn lanes_of(group: &Group<'_>, module: ModuleId, taken: &Taken) -> Vec<BTreeSet<usize>> {
    let lanes = |port: PortId| taken.range((module, port, 0)..=(module, port, usize::MAX));
    group.ports.iter().map(|(port, _)| lanes(*port).map(|((_, _, lane), _)| *lane).collect()).collect()
}

fn report_group(node: &Node, group: &Group<'_>, lanes: &[BTreeSet<usize>], problems: &mut Problems) {
    let location = node.location.as_ref();
    let (path, name) = (&node.path, group.name);
    let (_, first) = group.ports[0];
    let all: BTreeSet<usize> = lanes.iter().flatten().copied().collect();
    let Some(last) = all.last().copied() else {
        if group.ports.iter().any(|(_, port)| matches!(port.lanes, Lanes::One | Lanes::Many)) {
            let end = match first.direction {
                _ if group.ports.len() > 1 => "to the bundle at its other side",
                Direction::Input => "to where it comes from",
                Direction::Output => "to where it goes to",
            };
            let help = format!("connect it {end}: {}", first.documentation);
            problems.report(location, format!("{path}.{name} is not connected"), help);
        }
        return;
    };
    let missing: Vec<usize> = (0..last).filter(|lane| !all.contains(lane)).collect();
    if !missing.is_empty() {
        let (lanes, are) = (ranges(&missing), if missing.len() == 1 { "is" } else { "are" });
        let next = all.range(missing[0]..).next().unwrap_or(&last);
        let message = format!("{path}.{name}[{lanes}] {are} not connected, but {name}[{next}] is");
        problems.report(location, message, "connect the lanes of a port without gaps, from 0");
    }
    for ((_, port), connected) in group.ports.iter().zip(lanes) {
        let missing: Vec<usize> = all.difference(connected).copied().collect();
        let may_be_absent = matches!(port.lanes, Lanes::Optional | Lanes::Any) && connected.is_empty();
        if !missing.is_empty() && !may_be_absent {
            let lane = if matches!(port.lanes, Lanes::Many | Lanes::Any) {
                format!("[{}]", ranges(&missing))
            } else {
                String::new()
            };
            let message = format!("{path}.{name}{lane} is connected in part: {} is missing", port.name);
            problems.report(location, message, format!("connect the bundle {name} as a whole"));
        }
    }
}

/// Numbers in ascending order, as in `0 to 3, 7`.
fn ranges(numbers: &[usize]) -> String {
    let runs = numbers.chunk_by(|one, next| one + 1 == *next);
    let texts = runs.map(|run| match run {
        [one] => one.to_string(),
        _ => format!("{} to {}", run[0], run[run.len() - 1]),
    });
    texts.collect::<Vec<_>>().join(", ")
}
