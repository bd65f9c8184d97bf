//! Decides the type of every channel: fixed types spread over connections and over ports of one letter.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::contract::declaration::PortType;
use crate::contract::{Value, ValueType};
use crate::describing::{ElaborationError, Problems};
use crate::elaborating::netlist::{Netlist, Terminal};
use crate::ids::{ChannelId, Id, ModuleId};

// State of the propagation of types.
struct Inference<'a> {
    netlist: &'a Netlist,
    // For each channel the type and the port that decided it.
    decided: Vec<Option<(ValueType, Terminal)>>,
    // Channels whose neighbours have not been visited yet.
    pending: Vec<ChannelId>,
    // Pairs of types that were found to conflict. One mistake shows at many channels, but is reported once.
    conflicts: Vec<[ValueType; 2]>,
    problems: Problems,
}

pub(super) fn run(netlist: &mut Netlist) -> Result<(), ElaborationError> {
    let mut letters: BTreeMap<(ModuleId, char), Vec<ChannelId>> = BTreeMap::new();
    let mut inference = Inference {
        netlist,
        decided: vec![None; netlist.channels.len()],
        pending: Vec::new(),
        conflicts: Vec::new(),
        problems: Problems::new("types"),
    };
    for (id, channel) in netlist.channels.iter() {
        for end in [channel.from, channel.to] {
            match port_type(netlist, end) {
                PortType::Variable(letter) => letters.entry((end.module, letter)).or_default().push(id),
                PortType::Fixed(fixed) => inference.decide(id, fixed, end),
            }
        }
    }
    while let Some(id) = inference.pending.pop() {
        let Some((value_type, _)) = inference.decided[id.index()] else { continue };
        let channel = &netlist.channels[id];
        for end in [channel.from, channel.to] {
            let PortType::Variable(letter) = port_type(netlist, end) else { continue };
            for same in letters.get(&(end.module, letter)).into_iter().flatten() {
                inference.decide(*same, value_type, end);
            }
        }
    }
    let Inference { decided, problems, .. } = inference;
    problems.finish()?;
    for (channel, decided) in netlist.channels.values_mut().zip(decided) {
        // A ring of modules that only pass values on carries nothing, so any type will do.
        channel.value_type = decided.map_or(u64::TYPE, |(value_type, _)| value_type);
    }
    Ok(())
}

fn port_type(netlist: &Netlist, end: Terminal) -> PortType {
    netlist.modules[end.module].declaration.ports[end.port.index()].port_type
}

impl Inference<'_> {
    fn decide(&mut self, id: ChannelId, value_type: ValueType, because: Terminal) {
        let Some((known, first)) = self.decided[id.index()] else {
            self.decided[id.index()] = Some((value_type, because));
            self.pending.push(id);
            return;
        };
        if known == value_type
            || self.conflicts.contains(&[known, value_type])
            || self.conflicts.contains(&[value_type, known])
        {
            return;
        }
        self.conflicts.push([known, value_type]);
        let name = |terminal| self.netlist.terminal_name(terminal);
        let message = format!(
            "{} carries {known} because of {} but {value_type} because of {}",
            self.netlist.channel_name(id),
            name(first),
            name(because),
        );
        let help = format!(
            "connect ports of one type, or convert {known} to {value_type} with a function in between"
        );
        self.problems.report(self.netlist.channels[id].location.as_ref(), message, help);
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
