//! Makes the modules, gives channels their slots, and collects the processes.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::contract::declaration::{Direction, PortBinder, PortSignal, Process};
use crate::contract::{MAXIMUM_SLOTS, Part, SLOTS_OF_CACHE_LINE, Signals};
use crate::describing::{ElaborationError, Problems};
use crate::elaborating::kind::{Kind, Library, Placement};
use crate::elaborating::netlist::{Netlist, Node, ProcessNode, Signal};
use crate::ids::{Id, ModuleId, PortId};

/// The modules, and the channels that they are connected by.
pub(crate) struct Instances<K: ?Sized> {
    /// Module kinds, by their number.
    pub(crate) kinds: Vec<Box<K>>,
    pub(crate) signals: Box<Signals>,
}

struct Binder<'a> {
    netlist: &'a Netlist,
    node: &'a Node,
    next_slot: &'a mut u32,
    // Slots without a driver; outputs among them count as acknowledged.
    unconnected: &'a mut Vec<u32>,
}

impl PortBinder for Binder<'_> {
    fn lanes(&self, name: &str) -> Vec<(u32, u32)> {
        let port = self.node.declaration.ports.iter().position(|port| port.name == name);
        let lanes = port.map(|index| &self.node.ports[PortId::from_index(index)]);
        let place = |id| (self.netlist.channels[id].slot, self.netlist.channels[id].value_type.words);
        lanes.into_iter().flatten().copied().map(place).collect()
    }

    fn unconnected(&mut self, words: u32) -> (u32, u32) {
        let slot = *self.next_slot;
        *self.next_slot = self.next_slot.saturating_add(words);
        self.unconnected.push(slot);
        (slot, words)
    }
}

pub(super) fn run<L: Library>(
    library: &L,
    netlist: &mut Netlist,
) -> Result<Instances<L::Kind>, ElaborationError> {
    let mut problems = Problems::new("instances");
    let mut next_slot = 0u32;
    for channel in netlist.channels.values_mut() {
        let words = channel.value_type.words;
        // Short values do not straddle lines of the host's cache.
        if words <= SLOTS_OF_CACHE_LINE && next_slot % SLOTS_OF_CACHE_LINE + words > SLOTS_OF_CACHE_LINE {
            next_slot = next_slot.next_multiple_of(SLOTS_OF_CACHE_LINE);
        }
        channel.slot = next_slot;
        next_slot = next_slot.saturating_add(words);
    }
    let mut kinds: Vec<Box<L::Kind>> = Vec::new();
    let mut kind_index: BTreeMap<(&'static str, &'static str), u32> = BTreeMap::new();
    let mut unconnected = Vec::new();
    for id in netlist.modules.ids() {
        let node = &netlist.modules[id];
        let name = node.declaration.kind;
        let Some(implementation) = library.implementation(name, &node.parameters) else {
            let message = format!("{}: {name} has no such implementation", node.path);
            problems.report(node.location.as_ref(), message, format!("see the reference page of {name}"));
            continue;
        };
        let kind = *kind_index.entry((name, implementation)).or_insert_with(|| {
            kinds.extend(library.make(name, implementation));
            u32::try_from(kinds.len() - 1).unwrap_or(u32::MAX)
        });
        let arena = &mut kinds[kind as usize];
        let first_unconnected = unconnected.len();
        let mut binder = Binder { netlist, node, next_slot: &mut next_slot, unconnected: &mut unconnected };
        let instance = match arena.instantiate(&node.parameters, &mut binder) {
            Ok(instance) => instance,
            Err(reason) => {
                let message = format!("{}: {reason}", node.path);
                let help = format!("see the reference page of {}", node.declaration.kind);
                problems.report(node.location.as_ref(), message, help);
                continue;
            }
        };
        let node = &mut netlist.modules[id];
        (node.kind, node.instance) = (kind, instance);
        let processes = arena.processes(instance);
        place(netlist, id, &unconnected[first_unconnected..], arena.as_mut());
        collect(netlist, id, processes, &mut problems);
    }
    if next_slot > MAXIMUM_SLOTS {
        let message =
            format!("the design needs {next_slot} channel words, more than the {MAXIMUM_SLOTS} there can be");
        problems.report(None, message, "check the sizes of arrays of components and of lanes");
    }
    problems.finish()?;
    let mut signals = Signals::new();
    let always_accepted = netlist.channels.values().filter(|channel| channel.is_always_accepted);
    for slot in unconnected.into_iter().chain(always_accepted.map(|channel| channel.slot)) {
        signals.set_raw_ack(slot, true);
    }
    Ok(Instances { kinds, signals })
}

// A value at an unconnected output is transferred at once, so the engine must see those slots too.
fn place(netlist: &Netlist, id: ModuleId, unconnected: &[u32], arena: &mut (impl Kind + ?Sized)) {
    let node = &netlist.modules[id];
    let slots = |direction| {
        let ports = node.declaration.ports.iter().zip(node.ports.values());
        let lanes = ports.filter(move |(port, _)| port.direction == direction).flat_map(|(_, lanes)| lanes);
        lanes.map(|channel| netlist.channels[*channel].slot).collect::<Vec<u32>>()
    };
    let placement = Placement {
        module: u32::try_from(id.index()).unwrap_or(u32::MAX),
        counters: node.declaration.counters.len(),
        domains: node
            .domains
            .iter()
            .map(|domain| u32::try_from(domain.index()).unwrap_or(u32::MAX))
            .collect(),
        inputs: slots(Direction::Input),
        outputs: [&slots(Direction::Output), unconnected].concat(),
    };
    arena.place(node.instance, placement);
}

// The channels' halves that a module means by one of its port signals; none where nothing is connected.
fn resolve(node: &Node, signal: PortSignal) -> Vec<Signal> {
    let lanes = node.ports.get(PortId::from_index(signal.port)).map(Vec::as_slice).unwrap_or_default();
    let chosen = match signal.lane {
        None => lanes,
        Some(lane) => lanes.get(lane..=lane).unwrap_or_default(),
    };
    chosen.iter().map(|channel| Signal { channel: *channel, part: signal.part }).collect()
}

fn collect(netlist: &mut Netlist, id: ModuleId, processes: Vec<Process>, problems: &mut Problems) {
    let node = &netlist.modules[id];
    let mut nodes = Vec::with_capacity(processes.len());
    let mut accepted = Vec::new();
    for (ordinal, process) in processes.into_iter().enumerate() {
        let all =
            |signals: Vec<PortSignal>| signals.into_iter().flat_map(|signal| resolve(node, signal)).collect();
        accepted.extend(all(process.accepts));
        let clock = process.drives.first().map_or(0, |signal| node.declaration.ports[signal.port].clock);
        nodes.push(ProcessNode {
            module: id,
            code: process.code,
            lane: process.lane,
            ordinal: u32::try_from(ordinal).unwrap_or(u32::MAX),
            clock,
            drives: all(process.drives),
            reads: all(process.reads),
            is_live: true,
        });
    }
    check_drives(netlist, id, &nodes, &accepted, problems);
    for signal in accepted {
        netlist.channels[signal.channel].is_always_accepted = true;
    }
    // Inputs that always accept need no evaluation.
    for node in nodes.into_iter().filter(|node| !node.drives.is_empty()) {
        netlist.processes.push(node);
    }
}

// A mistake in a module of the library, not of its user; but a message serves its author better than a panic.
fn check_drives(
    netlist: &Netlist,
    id: ModuleId,
    processes: &[ProcessNode],
    accepted: &[Signal],
    problems: &mut Problems,
) {
    let node = &netlist.modules[id];
    let mut driven: Vec<Signal> =
        processes.iter().flat_map(|process| &process.drives).chain(accepted).copied().collect();
    driven.sort_unstable();
    let mut owed = Vec::new();
    for (port, lanes) in node.declaration.ports.iter().zip(node.ports.values()) {
        let part = if port.direction == Direction::Output { Part::Data } else { Part::Ack };
        owed.extend(lanes.iter().map(|channel| Signal { channel: *channel, part }));
    }
    owed.sort_unstable();
    if driven != owed {
        let name = |signal: &Signal| signal_name(netlist, *signal);
        let missing = owed.iter().find(|signal| !driven.contains(signal));
        let foreign = driven.iter().find(|signal| !owed.contains(signal));
        let twice = driven.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| &pair[0]);
        let detail = missing
            .map(|signal| format!("it should drive the {}", name(signal)))
            .or(foreign.map(|signal| format!("it should not drive the {}", name(signal))))
            .or(twice.map(|signal| format!("it drives the {} twice", name(signal))));
        let message = format!(
            "{}: {} does not drive each of its outputs exactly once: {}",
            node.path,
            node.declaration.kind,
            detail.unwrap_or_default()
        );
        let help =
            "this is a mistake in the module library: correct the processes this kind of module declares";
        problems.report(node.location.as_ref(), message, help);
    }
    let crosses = |process: &ProcessNode| {
        let signals = process.drives.iter().chain(&process.reads);
        let mut domains = signals.map(|signal| netlist.channels[signal.channel].domain);
        domains.next().is_some_and(|first| domains.any(|domain| domain != first))
    };
    if processes.iter().any(crosses) {
        let message =
            format!("{}: {} has a process with signals of two clocks", node.path, node.declaration.kind);
        problems.report(
            node.location.as_ref(),
            message,
            "this is a mistake in the module library: split the process, each side of a crossing evaluates on its own clock",
        );
    }
}

// The name of a signal at the port that drives it.
fn signal_name(netlist: &Netlist, signal: Signal) -> String {
    let channel = &netlist.channels[signal.channel];
    match signal.part {
        Part::Data => format!("data of {}", netlist.terminal_name(channel.from)),
        Part::Ack => format!("ack of {}", netlist.terminal_name(channel.to)),
    }
}

pub(super) fn dump(netlist: &Netlist) -> String {
    let mut text = String::new();
    let signal = |signal: &Signal| {
        let part = if signal.part == Part::Data { "data" } else { "ack" };
        format!("{part} of {}", netlist.channel_name(signal.channel))
    };
    for process in netlist.processes.values() {
        let node = &netlist.modules[process.module];
        let _ = writeln!(text, "{} process {} lane {}", node.path, process.code, process.lane);
        for drives in &process.drives {
            let _ = writeln!(text, "  drives {}", signal(drives));
        }
        for reads in &process.reads {
            let _ = writeln!(text, "  reads {}", signal(reads));
        }
    }
    text
}
