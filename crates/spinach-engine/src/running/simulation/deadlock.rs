//! Reports which modules wait for each other in a deadlock.

use std::fmt;

use super::Island;
use crate::contract::declaration::Direction;
use crate::ids::{ChannelId, Id, ModuleId};

/// The cause of a deadlock: for each chain of waiting modules, one line per step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Deadlock {
    /// The chains; each ends with a module that waits for no other, or returns to an earlier one.
    pub chains: Vec<Vec<String>>,
}

impl Deadlock {
    // All chains of those that were found on islands, if any were.
    pub(super) fn of_islands(found: impl Iterator<Item = Self>) -> Option<Self> {
        let chains: Vec<_> = found.flat_map(|found| found.chains).collect();
        (!chains.is_empty()).then_some(Self { chains })
    }
}

impl fmt::Display for Deadlock {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "nothing moves, although values are offered")?;
        for chain in &self.chains {
            for (index, step) in chain.iter().enumerate() {
                write!(formatter, "\n  {}{step}", if index == 0 { "- " } else { "  " })?;
            }
        }
        Ok(())
    }
}

enum Wait {
    ToSend(ChannelId),
    ToReceive(ChannelId),
}

impl Island {
    /// The chains of waiting modules, if any value is offered and refused.
    pub(super) fn find_deadlock(&mut self) -> Option<Deadlock> {
        self.settle();
        self.deadlock()
    }

    // The same in the course of a run.
    pub(super) fn deadlock(&self) -> Option<Deadlock> {
        let mut explained = vec![false; self.netlist.modules.len()];
        let mut chains = Vec::new();
        for (_, channel) in self.netlist.channels.iter().filter(|(id, _)| self.is_refused(*id)) {
            if !explained[channel.from.module.index()] {
                chains.push(self.chain_from(channel.from.module, &mut explained));
            }
        }
        (!chains.is_empty()).then_some(Deadlock { chains })
    }

    fn is_refused(&self, channel: ChannelId) -> bool {
        let slot = self.netlist.channels[channel].slot;
        self.world.signals.raw_present(slot) && !self.world.signals.raw_ack(slot)
    }

    fn chain_from(&self, start: ModuleId, explained: &mut [bool]) -> Vec<String> {
        let mut chain = Vec::new();
        let mut at = start;
        let mut visited = vec![false; explained.len()];
        loop {
            let path = &self.netlist.modules[at].path;
            if std::mem::replace(&mut visited[at.index()], true) {
                chain.push(format!("{path} comes up again: a circle"));
                return chain;
            }
            if std::mem::replace(&mut explained[at.index()], true) {
                chain.push(format!("{path} is waiting too, see above"));
                return chain;
            }
            at = match self.waits_for(at) {
                Some(Wait::ToSend(channel)) => {
                    let channel = &self.netlist.channels[channel];
                    let (from, to) =
                        (self.netlist.terminal_name(channel.from), self.netlist.terminal_name(channel.to));
                    chain.push(format!("{from} offers a {}, which {to} refuses", channel.value_type));
                    channel.to.module
                }
                Some(Wait::ToReceive(channel)) => {
                    let channel = &self.netlist.channels[channel];
                    let (from, to) =
                        (self.netlist.terminal_name(channel.from), self.netlist.terminal_name(channel.to));
                    chain.push(format!("{to} is offered nothing by {from}"));
                    channel.from.module
                }
                None => {
                    chain.push(format!("{path} waits for no other module"));
                    return chain;
                }
            };
        }
    }

    // A module that cannot send waits for the receiver; one that has nothing to send waits for its inputs.
    fn waits_for(&self, module: ModuleId) -> Option<Wait> {
        let node = &self.netlist.modules[module];
        let lanes = |direction| {
            let ports = node.declaration.ports.iter().zip(node.ports.values());
            ports
                .filter(move |(port, _)| port.direction == direction)
                .flat_map(|(_, lanes)| lanes.iter().copied())
        };
        let refused = lanes(Direction::Output).find(|channel| self.is_refused(*channel)).map(Wait::ToSend);
        let is_silent =
            |channel: &ChannelId| !self.world.signals.raw_present(self.netlist.channels[*channel].slot);
        refused.or_else(|| lanes(Direction::Input).find(is_silent).map(Wait::ToReceive))
    }
}
