//! Gives every channel one output and one input, and every lane of every port one channel.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::parameters::netlist_ids;
use super::unconnected;
use crate::contract::ValueType;
use crate::contract::declaration::{Direction, Lanes};
use crate::describing::{ConnectionDescription, Design, ElaborationError, End, Problems, suggest};
use crate::elaborating::netlist::{Channel, Netlist, Terminal};
use crate::ids::{ChannelId, DomainId, Id, ModuleId, PortId};

/// More lanes than any port can have.
const MAXIMUM_LANES: usize = 4096;

pub(super) fn run(
    design: &Design,
    order: &[ModuleId],
    netlist: &mut Netlist,
) -> Result<(), ElaborationError> {
    let mut problems = Problems::new("connections");
    let ids = netlist_ids(order);
    let mut channels = Vec::with_capacity(design.connections.len());
    for connection in &design.connections {
        let from = terminal(netlist, &ids, &connection.from, Direction::Output, connection, &mut problems);
        let to = terminal(netlist, &ids, &connection.to, Direction::Input, connection, &mut problems);
        if let (Some(from), Some(to)) = (from, to) {
            channels.push((from, to, connection.location.clone()));
        }
    }
    channels.sort_by_key(|(from, to, _)| (from.module, from.port, from.lane, to.module, to.port, to.lane));
    let mut taken: BTreeMap<(ModuleId, PortId, usize), ChannelId> = BTreeMap::new();
    let mut last = None;
    for (from, to, location) in channels {
        if last.replace((from, to)) == Some((from, to)) {
            let names = [from, to].map(|terminal| netlist.terminal_name(terminal));
            let message = format!("{} -> {} is connected twice", names[0], names[1]);
            problems.report(location.as_ref(), message, "remove one of the two connections");
            continue;
        }
        let id = ChannelId::from_index(netlist.channels.len());
        for terminal in [from, to] {
            if let Some(earlier) = taken.insert((terminal.module, terminal.port, terminal.lane), id) {
                let name = netlist.terminal_name(terminal);
                let earlier = netlist.channels.get(earlier).map_or_else(
                    || "itself".to_owned(),
                    |channel| {
                        let other = if terminal == from { channel.to } else { channel.from };
                        netlist.terminal_name(other)
                    },
                );
                let other = netlist.terminal_name(if terminal == from { to } else { from });
                report_taken(&mut problems, location.as_ref(), terminal == from, &name, &earlier, &other);
            }
        }
        // The type and the domain are decided by later passes.
        let value_type = ValueType { name: "undecided", words: 0 };
        netlist.channels.push(Channel {
            from,
            to,
            value_type,
            domain: DomainId::from_index(0),
            location,
            is_always_accepted: false,
            slot: 0,
        });
    }
    problems.finish()?;
    place_lanes(netlist, &taken)
}

fn report_taken(
    problems: &mut Problems,
    location: Option<&crate::describing::Location>,
    is_output: bool,
    name: &str,
    earlier: &str,
    other: &str,
) {
    if is_output {
        let message = format!("{name} is connected twice: to {earlier} and to {other}");
        problems.report(location, message, "one channel has one reader; put a tee in between to fan out");
    } else {
        let message = format!("{name} has two drivers: {earlier} and {other}");
        problems.report(location, message, "one channel has one driver; put an arbiter or a mux in between");
    }
}

fn terminal(
    netlist: &Netlist,
    ids: &[ModuleId],
    end: &End,
    direction: Direction,
    connection: &ConnectionDescription,
    problems: &mut Problems,
) -> Option<Terminal> {
    let location = connection.location.as_ref();
    let module = *ids.get(end.module.index())?;
    let node = &netlist.modules[module];
    let ports = &node.declaration.ports;
    let Some(index) = ports.iter().position(|port| port.name == end.port) else {
        let message = format!("{}: {} has no port {:?}", node.path, node.declaration.kind, end.port);
        let names = ports.iter().filter(|port| port.direction == direction).map(|port| port.name);
        problems.report(location, message, suggest(&end.port, names));
        return None;
    };
    let port = &ports[index];
    if port.direction != direction {
        let (is, wanted) = match direction {
            Direction::Output => ("an input", "the source"),
            Direction::Input => ("an output", "the destination"),
        };
        let message = format!("{}.{} is {is} and cannot be {wanted} of a connection", node.path, port.name);
        problems.report(location, message, "connect an output to an input");
        return None;
    }
    let highest = if matches!(port.lanes, Lanes::One | Lanes::Optional) { 1 } else { MAXIMUM_LANES };
    if end.lane >= highest {
        let message = format!("{}.{} has no lane {}", node.path, port.name, end.lane);
        problems.report(location, message, format!("its highest lane is {}", highest - 1));
        return None;
    }
    Some(Terminal { module, port: PortId::from_index(index), lane: end.lane })
}

fn place_lanes(
    netlist: &mut Netlist,
    taken: &BTreeMap<(ModuleId, PortId, usize), ChannelId>,
) -> Result<(), ElaborationError> {
    let mut problems = Problems::new("connections");
    for ((module, port, _), channel) in taken {
        netlist.modules[*module].ports[*port].push(*channel);
    }
    unconnected::report(netlist, taken, &mut problems);
    problems.finish()
}

pub(super) fn dump(netlist: &Netlist) -> String {
    let mut text = String::new();
    for id in netlist.channels.ids() {
        let _ = writeln!(text, "{}", netlist.channel_name(id));
    }
    text
}
