//! Finds dead processes: no live process reads their outputs and no module commits on them.

use std::fmt::Write;

use crate::elaborating::kind::Kind;
use crate::elaborating::netlist::{Netlist, ProcessNode};
use crate::ids::Id;

pub(super) fn run<K: Kind + ?Sized>(kinds: &[Box<K>], netlist: &mut Netlist) {
    let commits = |module| kinds[netlist.modules[module].kind as usize].commits();
    let mut needed = vec![false; netlist.channels.len() * 2];
    for (id, channel) in netlist.channels.iter() {
        if commits(channel.from.module) || commits(channel.to.module) {
            needed[id.index() * 2] = true;
            needed[id.index() * 2 + 1] = true;
        }
    }
    let mut live = vec![false; netlist.processes.len()];
    loop {
        let mut changed = false;
        for (id, process) in netlist.processes.iter() {
            if !live[id.index()] && process.drives.iter().any(|signal| needed[signal.index()]) {
                live[id.index()] = true;
                changed = true;
                for signal in &process.reads {
                    needed[signal.index()] = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    for (process, live) in netlist.processes.values_mut().zip(live) {
        process.is_live = live;
    }
}

pub(super) fn dump(netlist: &Netlist) -> String {
    let mut text = String::new();
    let name = |process: &ProcessNode| {
        format!("{} process {} lane {}", netlist.modules[process.module].path, process.code, process.lane)
    };
    for process in netlist.processes.values().filter(|process| !process.is_live) {
        let _ = writeln!(text, "unused: {}", name(process));
    }
    let live = netlist.processes.values().filter(|process| process.is_live).count();
    let _ = writeln!(text, "{live} of {} processes are live", netlist.processes.len());
    text
}
