//! Orders the live processes by level, and refuses combinational loops with the shortest way around each.

use std::collections::VecDeque;
use std::fmt::Write;

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::contract::Part;
use crate::describing::{ElaborationError, Problems};
use crate::elaborating::netlist::{Netlist, Signal};
use crate::ids::{Arena, Id, ProcessId};

/// Number of processes on the longest path to each process; undefined for dead processes.
pub(super) type Levels = Arena<ProcessId, u32>;

/// Live process that drives each signal.
pub(super) fn drivers(netlist: &Netlist) -> Vec<Option<ProcessId>> {
    let mut drivers = vec![None; netlist.channels.len() * 2];
    for (id, process) in netlist.processes.iter().filter(|(_, process)| process.is_live) {
        for signal in &process.drives {
            drivers[signal.index()] = Some(id);
        }
    }
    drivers
}

pub(super) fn run(netlist: &Netlist) -> Result<Levels, ElaborationError> {
    let drivers = drivers(netlist);
    let mut readers: Vec<Vec<ProcessId>> = vec![Vec::new(); netlist.processes.len()];
    let mut missing = vec![0usize; netlist.processes.len()];
    for (id, process) in netlist.processes.iter().filter(|(_, process)| process.is_live) {
        for driver in process.reads.iter().filter_map(|signal| drivers[signal.index()]) {
            readers[driver.index()].push(id);
            missing[id.index()] += 1;
        }
    }
    let mut levels: Levels = netlist.processes.values().map(|_| 0).collect();
    let is_ready = |id: &ProcessId| netlist.processes[*id].is_live && missing[id.index()] == 0;
    let mut ready: VecDeque<ProcessId> = netlist.processes.ids().filter(is_ready).collect();
    while let Some(id) = ready.pop_front() {
        for reader in &readers[id.index()] {
            levels[*reader] = levels[*reader].max(levels[id] + 1);
            missing[reader.index()] -= 1;
            if missing[reader.index()] == 0 {
                ready.push_back(*reader);
            }
        }
    }
    if missing.iter().any(|missing| *missing > 0) {
        return Err(report(netlist, &drivers));
    }
    Ok(levels)
}

fn report(netlist: &Netlist, drivers: &[Option<ProcessId>]) -> ElaborationError {
    let mut graph: DiGraph<ProcessId, Signal> = DiGraph::new();
    let nodes: Vec<NodeIndex> = netlist.processes.ids().map(|id| graph.add_node(id)).collect();
    for (id, process) in netlist.processes.iter().filter(|(_, process)| process.is_live) {
        for signal in &process.reads {
            if let Some(driver) = drivers[signal.index()] {
                graph.add_edge(nodes[driver.index()], nodes[id.index()], *signal);
            }
        }
    }
    let mut problems = Problems::new("loops");
    for component in tarjan_scc(&graph) {
        if let Some(way) = shortest_way_around(&graph, &component) {
            describe(netlist, &way, &mut problems);
        }
    }
    problems.finish().err().unwrap_or(ElaborationError { problems: Vec::new() })
}

// The signals of the shortest closed way within one strongly connected component, starting at its first process in order.
fn shortest_way_around(graph: &DiGraph<ProcessId, Signal>, component: &[NodeIndex]) -> Option<Vec<Signal>> {
    let mut members = component.to_vec();
    members.sort_unstable();
    members.iter().filter_map(|start| way_back_to(graph, *start)).min_by_key(Vec::len)
}

fn way_back_to(graph: &DiGraph<ProcessId, Signal>, start: NodeIndex) -> Option<Vec<Signal>> {
    use petgraph::visit::EdgeRef;
    let mut came_by = vec![None; graph.node_count()];
    let mut queue = VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        let mut edges: Vec<_> = graph.edges(node).collect();
        edges.sort_unstable_by_key(|edge| (edge.target(), *edge.weight()));
        for edge in edges {
            if edge.target() == start {
                let mut way = vec![*edge.weight()];
                let mut at = node;
                while at != start {
                    let (from, signal) = came_by[at.index()]?;
                    way.push(signal);
                    at = from;
                }
                way.reverse();
                return Some(way);
            }
            if came_by[edge.target().index()].is_none() {
                came_by[edge.target().index()] = Some((node, *edge.weight()));
                queue.push_back(edge.target());
            }
        }
    }
    None
}

fn describe(netlist: &Netlist, way: &[Signal], problems: &mut Problems) {
    let mut message =
        "combinational loop: in one cycle each of these signals depends on the one before it".to_owned();
    for signal in way {
        let channel = &netlist.channels[signal.channel];
        let (from, to) = (netlist.terminal_name(channel.from), netlist.terminal_name(channel.to));
        let _ = match signal.part {
            Part::Data => write!(message, "\n    data from {from} to {to}"),
            Part::Ack => write!(message, "\n    ack  from {to} to {from}"),
        };
    }
    message.push_str("\n    and back to the first");
    let cut = way.iter().find(|signal| signal.part == Part::Data).or(way.first());
    let Some(cut) = cut else { return };
    let channel = &netlist.channels[cut.channel];
    let help = match cut.part {
        Part::Data => {
            format!("register it: put a pipe or a FIFO into {}", netlist.channel_name(cut.channel))
        }
        Part::Ack => format!(
            "register it: put a FIFO, whose ack does not depend on the ack of its output, into {}",
            netlist.channel_name(cut.channel)
        ),
    };
    problems.report(channel.location.as_ref(), message, help);
}

pub(super) fn dump(netlist: &Netlist, levels: &Levels) -> String {
    let mut text = String::new();
    let deepest = levels.values().copied().max().unwrap_or(0);
    for level in 0..=deepest {
        let _ = writeln!(text, "level {level}");
        for (id, process) in netlist.processes.iter() {
            if process.is_live && levels[id] == level {
                let path = &netlist.modules[process.module].path;
                let _ = writeln!(text, "  {path} process {} lane {}", process.code, process.lane);
            }
        }
    }
    text
}
