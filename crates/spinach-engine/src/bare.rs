//! Driving the modules of an elaborated design without its schedule.
//!
//! This is what an independent interpreter needs: to settle one process, to commit one module, to see which signals there are.
//! It is also how declared dependencies are verified.

use crate::arena::{Action, AnyKind, Context, Step};
use crate::declaration::Part;
use crate::ids::{ChannelId, DomainId, ModuleId, ProcessId};
use crate::netlist::{Netlist, Signal};
use crate::passes::Elaborated;
use crate::payload::Payloads;
use crate::signal::Signals;
use crate::time::Time;

/// The modules of a design, to be driven one by one.
pub struct Bare {
    netlist: Netlist,
    kinds: Vec<Box<dyn AnyKind>>,
    signals: Signals,
    payloads: Payloads,
    counters: Vec<u64>,
    awake: Vec<u32>,
    stop: Option<String>,
}

impl Bare {
    /// Takes the modules, leaves the schedule.
    pub fn new(elaborated: Elaborated) -> Self {
        Self {
            awake: vec![0; elaborated.netlist.domains.len()],
            counters: vec![0; elaborated.counter_count],
            netlist: elaborated.netlist,
            kinds: elaborated.kinds,
            signals: elaborated.signals,
            payloads: Payloads::default(),
            stop: None,
        }
    }

    /// The elaborated design.
    pub fn netlist(&self) -> &Netlist {
        &self.netlist
    }

    /// All counters, module by module.
    pub fn counters(&self) -> &[u64] {
        &self.counters
    }

    /// Makes a signal worthless, so that whoever looks at it before it is driven again stands out.
    pub fn spoil(&mut self, signal: Signal) {
        flip(&self.netlist, &mut self.signals, signal);
    }

    /// Runs one process.
    pub fn settle(&mut self, process: ProcessId) {
        let process = &self.netlist.processes[process];
        let node = &self.netlist.modules[process.module];
        self.kinds[node.kind as usize].settle(node.instance, process.code, process.lane, &mut self.signals);
    }

    /// Commits one module for one of its clocks.
    pub fn commit(&mut self, module: ModuleId, clock: usize, cycle: u64, time: Time) {
        let node = &self.netlist.modules[module];
        let kind = &mut self.kinds[node.kind as usize];
        if !kind.commits() {
            return;
        }
        let mut context = Context {
            signals: &mut self.signals,
            payloads: &mut self.payloads,
            counters: &mut self.counters,
            awake: &mut self.awake,
            cycle,
            time,
            sleeping: false,
            stop: &mut self.stop,
        };
        kind.run(
            Action::Commit,
            0,
            clock,
            &[Step { instance: node.instance, lane: 0, process: 0 }],
            &mut context,
        );
    }

    /// What a channel holds: the words, if any are presented, and whether they are acknowledged.
    pub fn channel(&self, channel: ChannelId) -> (Option<Vec<u64>>, bool) {
        let channel = &self.netlist.channels[channel];
        let words =
            || (0..channel.value_type.words).map(|word| self.signals.raw_word(channel.slot + word)).collect();
        (self.signals.raw_present(channel.slot).then(words), self.signals.raw_ack(channel.slot))
    }

    /// The state of a module, saved.
    ///
    /// # Errors
    /// If the state cannot be saved; says why.
    pub fn state(&self, module: ModuleId) -> Result<Vec<u8>, String> {
        let node = &self.netlist.modules[module];
        self.kinds[node.kind as usize].save(node.instance)
    }
}

fn flip(netlist: &Netlist, signals: &mut Signals, signal: Signal) {
    let channel = &netlist.channels[signal.channel];
    match signal.part {
        Part::Ack => signals.set_raw_ack(channel.slot, !signals.raw_ack(channel.slot)),
        Part::Data => {
            signals.set_raw_present(channel.slot, !signals.raw_present(channel.slot));
            for slot in channel.slot..channel.slot + channel.value_type.words {
                signals.set_raw_word(slot, !signals.raw_word(slot));
            }
        }
    }
}

/// Runs every live process of `domain` twice on the present signals, the second time with every signal at the module's ports
/// flipped that the process neither drives nor declares to read.
///
/// # Panics
/// If the outputs differ: the module declares too few dependencies, which is a mistake in the library.
pub(crate) fn check_dependencies(
    netlist: &Netlist,
    kinds: &[Box<dyn AnyKind>],
    signals: &mut Signals,
    domain: DomainId,
) {
    for process in netlist.processes.values().filter(|process| process.is_live) {
        let node = &netlist.modules[process.module];
        if node.domains[process.clock] != domain {
            continue;
        }
        let kind = &kinds[node.kind as usize];
        let mut undeclared = Vec::new();
        for channel in node.ports.values().flatten() {
            for part in [Part::Data, Part::Ack] {
                let signal = Signal { channel: *channel, part };
                if !process.reads.contains(&signal) && !process.drives.contains(&signal) {
                    undeclared.push(signal);
                }
            }
        }
        let outcome = |signals: &mut Signals| {
            kind.settle(node.instance, process.code, process.lane, signals);
            let values = process.drives.iter().map(|signal| driven_value(netlist, signals, *signal));
            values.collect::<Vec<_>>()
        };
        let declared_only = outcome(signals);
        undeclared.iter().for_each(|signal| flip(netlist, signals, *signal));
        let flipped = outcome(signals);
        undeclared.iter().for_each(|signal| flip(netlist, signals, *signal));
        assert!(
            declared_only == flipped,
            "{}: process {} lane {} of {} depends on signals it does not declare",
            node.path,
            process.code,
            process.lane,
            node.declaration.kind
        );
    }
}

fn driven_value(netlist: &Netlist, signals: &Signals, signal: Signal) -> Option<Vec<u64>> {
    let channel = &netlist.channels[signal.channel];
    match signal.part {
        Part::Ack => signals.raw_ack(channel.slot).then(Vec::new),
        Part::Data => signals.raw_present(channel.slot).then(|| {
            (channel.slot..channel.slot + channel.value_type.words)
                .map(|slot| signals.raw_word(slot))
                .collect()
        }),
    }
}
