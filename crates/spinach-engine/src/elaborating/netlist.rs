//! The frozen netlist, for the elaboration passes and the simulation.

use std::sync::Arc;

use crate::contract::Part;
use crate::contract::ValueType;
use crate::contract::declaration::Declaration;
use crate::contract::parameter::ResolvedParameters;
use crate::describing::Location;
use crate::ids::{Arena, ChannelId, DomainId, Id, ModuleId, PortId, ProcessId};
use crate::time::Frequency;

/// A clock domain.
#[derive(Clone, Debug)]
pub struct Domain {
    /// The name.
    pub name: String,
    /// The exact frequency.
    pub frequency: Frequency,
}

/// A module.
#[derive(Clone, Debug)]
pub struct Node {
    /// The hierarchical name.
    pub path: String,
    /// Declaration of the kind.
    pub declaration: Arc<Declaration>,
    /// Every parameter with its value.
    pub parameters: ResolvedParameters,
    /// The domain of each of its clocks.
    pub domains: Vec<DomainId>,
    /// Channel of each lane, by port.
    pub ports: Arena<PortId, Vec<ChannelId>>,
    /// Source location of the description.
    pub location: Option<Location>,
    // Its arena, and its place there.
    pub(crate) kind: u32,
    pub(crate) instance: u32,
}

/// One end of a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Terminal {
    /// The module.
    pub module: ModuleId,
    /// The port.
    pub port: PortId,
    /// The lane.
    pub lane: usize,
}

/// A connection between an output and an input.
#[derive(Clone, Debug)]
pub struct Channel {
    /// The output.
    pub from: Terminal,
    /// The input.
    pub to: Terminal,
    /// Type of the values.
    pub value_type: ValueType,
    /// The domain both ends belong to.
    pub domain: DomainId,
    /// True if the input accepts in every cycle. No process drives the acknowledgement.
    pub is_always_accepted: bool,
    /// Source location of the description.
    pub location: Option<Location>,
    pub(crate) slot: u32,
}

/// One half of one channel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Signal {
    /// The channel.
    pub channel: ChannelId,
    /// Half of the channel: data or acknowledgement.
    pub part: Part,
}

impl Signal {
    /// A dense number, for side tables.
    pub(crate) fn index(self) -> usize {
        self.channel.index() * 2 + usize::from(self.part == Part::Ack)
    }
}

/// A group of signals that one module evaluates together.
#[derive(Clone, Debug)]
pub struct ProcessNode {
    /// The module.
    pub module: ModuleId,
    /// Index among the module's processes.
    pub code: u16,
    /// The lane, as the module declared it.
    pub lane: u32,
    /// Its place among the module's processes.
    pub ordinal: u32,
    /// Clock of the module that the process belongs to.
    pub clock: usize,
    /// Signals that the process drives.
    pub drives: Vec<Signal>,
    /// Signals that the process reads within the cycle.
    pub reads: Vec<Signal>,
    /// True if any of its outputs is read.
    pub is_live: bool,
}

/// The whole system, checked and numbered.
#[derive(Clone, Debug, Default)]
pub struct Netlist {
    /// The clock domains.
    pub domains: Arena<DomainId, Domain>,
    /// The modules, in canonical order of their names.
    pub modules: Arena<ModuleId, Node>,
    /// The channels.
    pub channels: Arena<ChannelId, Channel>,
    /// The processes.
    pub processes: Arena<ProcessId, ProcessNode>,
}

impl Netlist {
    /// The name of one end of a channel: `path.port`, with the lane if the port can have several.
    pub fn terminal_name(&self, terminal: Terminal) -> String {
        let node = &self.modules[terminal.module];
        let port = &node.declaration.ports[terminal.port.index()];
        match port.lanes {
            crate::contract::declaration::Lanes::One | crate::contract::declaration::Lanes::Optional => {
                format!("{}.{}", node.path, port.name)
            }
            _ => format!("{}.{}[{}]", node.path, port.name, terminal.lane),
        }
    }

    /// The name of a channel: its output and its input.
    pub fn channel_name(&self, channel: ChannelId) -> String {
        let channel = &self.channels[channel];
        format!("{} -> {}", self.terminal_name(channel.from), self.terminal_name(channel.to))
    }

    /// The channel at lane `lane` of port `port` of the module with hierarchical name `path`.
    pub fn find_channel(&self, path: &str, port: &str, lane: usize) -> Option<ChannelId> {
        let node = self.modules.values().find(|node| node.path == path)?;
        let index = node.declaration.ports.iter().position(|declared| declared.name == port)?;
        node.ports[PortId::from_index(index)].get(lane).copied()
    }

    /// The module with hierarchical name `path`.
    pub fn find_module(&self, path: &str) -> Option<ModuleId> {
        self.modules.iter().find(|(_, node)| node.path == path).map(|(id, _)| id)
    }

    /// The clock domain named `name`.
    pub fn find_domain(&self, name: &str) -> Option<DomainId> {
        self.domains.iter().find(|(_, domain)| domain.name == name).map(|(id, _)| id)
    }
}
