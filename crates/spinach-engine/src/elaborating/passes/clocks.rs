//! Gives every clock of every module a domain, and refuses channels that cross domains.

use std::fmt::Write;

use crate::describing::{Design, ElaborationError, ModuleDescription, Problems, suggest};
use crate::elaborating::netlist::{Netlist, Terminal};
use crate::ids::{DomainId, Id, ModuleId};

pub(super) fn run(
    design: &Design,
    order: &[ModuleId],
    netlist: &mut Netlist,
) -> Result<(), ElaborationError> {
    let mut problems = Problems::new("clocks");
    let mut clocks: Vec<Vec<Option<DomainId>>> = Vec::with_capacity(order.len());
    for (node, described) in netlist.modules.values().zip(order) {
        let module = &design.modules[*described];
        let known = node.declaration.clocks;
        if let Some(unknown) = module.clocks.keys().find(|name| !known.contains(&name.as_str())) {
            let message = format!("{}: {} has no clock {unknown:?}", node.path, module.kind);
            problems.report(module.location.as_ref(), message, suggest(unknown, known.iter().copied()));
        }
        clocks.push(known.iter().map(|clock| stated_domain(module, clock, known.len())).collect());
    }
    infer_crossings(netlist, &mut clocks);
    for (node, (domains, described)) in netlist.modules.values_mut().zip(clocks.iter().zip(order)) {
        let location = design.modules[*described].location.as_ref();
        for (clock, domain) in node.declaration.clocks.iter().zip(domains) {
            match domain {
                Some(domain) => node.domains.push(*domain),
                None => {
                    let which =
                        if *clock == "clock" { String::new() } else { format!(" for its {clock} clock") };
                    let message = format!("{} has no clock domain{which}", node.path);
                    problems.report(
                        location,
                        message,
                        "assign a clock domain to it or to a component around it",
                    );
                }
            }
        }
    }
    problems.finish()?;
    check_crossings(netlist)
}

// A module with one clock takes the domain around it. A module with several is a crossing: missing domains are inferred from its
// neighbours, because the domain around it could only be right for one side.
fn stated_domain(module: &ModuleDescription, clock: &str, clocks: usize) -> Option<DomainId> {
    module.clocks.get(clock).copied().or(if clocks == 1 { module.domain } else { None })
}

fn infer_crossings(netlist: &Netlist, clocks: &mut [Vec<Option<DomainId>>]) {
    // Each round evaluates at least one clock, or nothing is left to infer.
    loop {
        let mut changed = false;
        for channel in netlist.channels.values() {
            for (end, other) in [(channel.from, channel.to), (channel.to, channel.from)] {
                let known = clocks[other.module.index()][clock_of(netlist, other)];
                let mine = &mut clocks[end.module.index()][clock_of(netlist, end)];
                let is_crossing = netlist.modules[end.module].declaration.clocks.len() > 1;
                if mine.is_none() && known.is_some() && is_crossing {
                    *mine = known;
                    changed = true;
                }
            }
        }
        if !changed {
            return;
        }
    }
}

fn clock_of(netlist: &Netlist, end: Terminal) -> usize {
    netlist.modules[end.module].declaration.ports[end.port.index()].clock
}

fn check_crossings(netlist: &mut Netlist) -> Result<(), ElaborationError> {
    let mut problems = Problems::new("clocks");
    let mut domains = Vec::with_capacity(netlist.channels.len());
    for (id, channel) in netlist.channels.iter() {
        let domain = |end: Terminal| netlist.modules[end.module].domains[clock_of(netlist, end)];
        let (from, to) = (domain(channel.from), domain(channel.to));
        domains.push(from);
        if from != to {
            let message = format!(
                "{} crosses from clock domain {} to {}",
                netlist.channel_name(id),
                netlist.domains[from].name,
                netlist.domains[to].name
            );
            let help = "put a crossing module, such as an asynchronous FIFO or a synchronizer, in between";
            problems.report(channel.location.as_ref(), message, help);
        }
    }
    for (channel, domain) in netlist.channels.values_mut().zip(domains) {
        channel.domain = domain;
    }
    problems.finish()
}

pub(super) fn dump(netlist: &Netlist) -> String {
    let mut text = String::new();
    for (id, domain) in netlist.domains.iter() {
        let _ = writeln!(text, "{} at {}", domain.name, domain.frequency);
        for node in netlist.modules.values() {
            for (clock, at) in node.declaration.clocks.iter().zip(&node.domains) {
                if *at == id {
                    let _ = writeln!(text, "  {}.{clock}", node.path);
                }
            }
        }
    }
    text
}
