//! Decides what every channel carries: fixed types spread over connections and over ports of one letter.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::declaration::PortType;
use crate::error::{ElaborationError, Problems};
use crate::ids::{ChannelId, Id, ModuleId};
use crate::netlist::{Netlist, Terminal};
use crate::signal::{Value, ValueType};

pub(super) fn run(netlist: &mut Netlist) -> Result<(), ElaborationError> {
    let mut problems = Problems::new("types");
    let mut decided: Vec<Option<(ValueType, Terminal)>> = vec![None; netlist.channels.len()];
    let mut pending: Vec<ChannelId> = Vec::new();
    let mut letters: BTreeMap<(ModuleId, char), Vec<ChannelId>> = BTreeMap::new();
    for (id, channel) in netlist.channels.iter() {
        for end in [channel.from, channel.to] {
            match port_type(netlist, end) {
                PortType::Variable(letter) => letters.entry((end.module, letter)).or_default().push(id),
                PortType::Fixed(fixed) => {
                    decide(netlist, &mut decided, &mut pending, id, fixed, end, &mut problems);
                }
            }
        }
    }
    while let Some(id) = pending.pop() {
        let Some((value_type, _)) = decided[id.index()] else { continue };
        let channel = &netlist.channels[id];
        for end in [channel.from, channel.to] {
            let PortType::Variable(letter) = port_type(netlist, end) else { continue };
            for same in letters.get(&(end.module, letter)).into_iter().flatten() {
                decide(netlist, &mut decided, &mut pending, *same, value_type, end, &mut problems);
            }
        }
    }
    problems.finish()?;
    for (channel, decided) in netlist.channels.values_mut().zip(decided) {
        // Where nothing fixes the type, any does: a ring of modules that only pass values on carries nothing.
        channel.value_type = decided.map_or(u64::TYPE, |(value_type, _)| value_type);
    }
    Ok(())
}

fn port_type(netlist: &Netlist, end: Terminal) -> PortType {
    netlist.modules[end.module].declaration.ports[end.port.index()].port_type
}

fn decide(
    netlist: &Netlist,
    decided: &mut [Option<(ValueType, Terminal)>],
    pending: &mut Vec<ChannelId>,
    id: ChannelId,
    value_type: ValueType,
    because: Terminal,
    problems: &mut Problems,
) {
    match &decided[id.index()] {
        None => {
            decided[id.index()] = Some((value_type, because));
            pending.push(id);
        }
        Some((known, _)) if *known == value_type => {}
        Some((known, first)) => {
            let message = format!(
                "{} carries {known} because of {} but {value_type} because of {}",
                netlist.channel_name(id),
                netlist.terminal_name(*first),
                netlist.terminal_name(because),
            );
            let help = format!(
                "connect ports of one type, or convert {known} to {value_type} with a function in between"
            );
            problems.report(netlist.channels[id].location.as_ref(), message, help);
        }
    }
}

pub(super) fn dump(netlist: &Netlist) -> String {
    let mut text = String::new();
    for (id, channel) in netlist.channels.iter() {
        let ValueType { name, words } = channel.value_type;
        let _ = writeln!(text, "{}: {name} ({words} words)", netlist.channel_name(id));
    }
    text
}
