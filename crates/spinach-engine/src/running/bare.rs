//! Direct operation of the modules of an elaborated design, without its schedule.
//!
//! It is for an independent interpreter, which evaluates one process, commits one module and lists signals. It is also how declared
//! dependencies are verified.

use super::activity::Activity;
use super::arena::{AnyKind, Runner};
use super::elaborated::Elaborated;
use super::world::World;
use crate::contract::{Part, Signals};
use crate::elaborating::{Netlist, ProcessNode, Signal};
use crate::ids::{ChannelId, Id, ModuleId, ProcessId};
use crate::time::Time;

/// The modules of a design, to be driven one by one.
pub struct Bare {
    netlist: Netlist,
    kinds: Vec<Box<dyn AnyKind>>,
    world: World,
}

impl Bare {
    /// Takes the modules, leaves the schedule.
    pub fn new(elaborated: Elaborated) -> Self {
        Self {
            netlist: elaborated.netlist,
            kinds: elaborated.kinds,
            world: World::new(elaborated.signals, Activity::default()),
        }
    }

    /// The elaborated design.
    pub fn netlist(&self) -> &Netlist {
        &self.netlist
    }

    /// All counters, module by module.
    pub fn counters(&self) -> Vec<u64> {
        let modules = self.netlist.modules.values();
        modules.flat_map(|node| self.kinds[node.kind as usize].counters(node.instance)).copied().collect()
    }

    /// Poisons a signal, so that a read before it is driven again shows.
    pub fn spoil(&mut self, signal: Signal) {
        flip(&self.netlist, &mut self.world.signals, signal);
    }

    /// Runs one process.
    pub fn evaluate(&mut self, process: ProcessId) {
        let process = &self.netlist.processes[process];
        let node = &self.netlist.modules[process.module];
        self.kinds[node.kind as usize].evaluate(
            node.instance,
            process.code,
            process.lane,
            &mut self.world.signals,
        );
    }

    /// Commits one module for one of its clocks.
    pub fn commit(&mut self, module: ModuleId, clock: usize, cycle: u64, time: Time) {
        let node = &self.netlist.modules[module];
        let kind = &mut self.kinds[node.kind as usize];
        if !kind.commits() {
            return;
        }
        (self.world.context.cycle, self.world.context.time) = (cycle, time);
        kind.commit(node.instance, u32::try_from(clock).unwrap_or(u32::MAX), &mut self.world);
    }

    /// Content of a channel: the words, if any are presented, and the acknowledgement.
    pub fn channel(&self, channel: ChannelId) -> (Option<Vec<u64>>, bool) {
        read_channel(&self.netlist, &self.world.signals, channel)
    }

    /// The state of a module, as structured data.
    ///
    /// # Errors
    /// If the state cannot be expressed as structured data; the message has the reason.
    pub fn state(&self, module: ModuleId) -> Result<serde_json::Value, String> {
        let node = &self.netlist.modules[module];
        self.kinds[node.kind as usize].state(node.instance)
    }
}

/// Content of a channel: the words, if any are presented, and the acknowledgement.
pub(super) fn read_channel(
    netlist: &Netlist,
    signals: &Signals,
    channel: ChannelId,
) -> (Option<Vec<u64>>, bool) {
    let channel = &netlist.channels[channel];
    let words = || (0..channel.value_type.words).map(|word| signals.raw_word(channel.slot + word)).collect();
    (signals.raw_present(channel.slot).then(words), signals.raw_ack(channel.slot))
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

/// Runs every live process of a domain, given by its number, twice on the present signals, the second time with every signal at
/// the module's ports flipped that the process neither drives nor declares to read. Leaves the signals as they were.
///
/// # Panics
/// If the outputs differ, or if a process drives what it does not declare: a mistake in the library.
#[cold]
#[inline(never)]
pub(crate) fn check_dependencies(
    netlist: &Netlist,
    kinds: &[&dyn Runner],
    signals: &mut Signals,
    domain: usize,
) {
    for process in netlist.processes.values().filter(|process| process.is_live) {
        let node = &netlist.modules[process.module];
        if node.domains[process.clock].index() == domain {
            check_process(netlist, kinds[node.kind as usize], process, signals);
        }
    }
}

fn check_process(netlist: &Netlist, kind: &dyn Runner, process: &ProcessNode, signals: &mut Signals) {
    let node = &netlist.modules[process.module];
    let at_ports = node
        .ports
        .values()
        .flatten()
        .flat_map(|channel| [Part::Data, Part::Ack].map(|part| Signal { channel: *channel, part }));
    let (others, undeclared): (Vec<Signal>, Vec<Signal>) =
        at_ports.partition(|signal| process.reads.contains(signal) || process.drives.contains(signal));
    let is_constant =
        |signal: &Signal| signal.part == Part::Ack && netlist.channels[signal.channel].is_always_accepted;
    let undeclared: Vec<Signal> = undeclared.into_iter().filter(|signal| !is_constant(signal)).collect();
    let others: Vec<Signal> = others.into_iter().filter(|signal| !process.drives.contains(signal)).collect();
    let before: Vec<RawSignal> = process.drives.iter().map(|signal| raw(netlist, signals, *signal)).collect();
    let outcome = |signals: &mut Signals| {
        let watched = |signals: &Signals| -> Vec<RawSignal> {
            undeclared.iter().chain(&others).map(|signal| raw(netlist, signals, *signal)).collect()
        };
        let untouched = watched(signals);
        kind.evaluate(node.instance, process.code, process.lane, signals);
        assert!(
            untouched == watched(signals),
            "{}: process {} lane {} of {} drives signals it does not declare",
            node.path,
            process.code,
            process.lane,
            node.declaration.kind
        );
        let values = process.drives.iter().map(|signal| driven_value(netlist, signals, *signal));
        values.collect::<Vec<_>>()
    };
    let declared_only = outcome(signals);
    undeclared.iter().for_each(|signal| flip(netlist, signals, *signal));
    let flipped = outcome(signals);
    undeclared.iter().for_each(|signal| flip(netlist, signals, *signal));
    process
        .drives
        .iter()
        .zip(before)
        .for_each(|(signal, before)| set_raw(netlist, signals, *signal, &before));
    assert!(
        declared_only == flipped,
        "{}: process {} lane {} of {} depends on signals it does not declare",
        node.path,
        process.code,
        process.lane,
        node.declaration.kind
    );
}

// One half of a channel, valid or not: presence or acknowledgement, and the words of data.
type RawSignal = (bool, Vec<u64>);

fn raw(netlist: &Netlist, signals: &Signals, signal: Signal) -> RawSignal {
    let channel = &netlist.channels[signal.channel];
    match signal.part {
        Part::Ack => (signals.raw_ack(channel.slot), Vec::new()),
        Part::Data => {
            let slots = channel.slot..channel.slot + channel.value_type.words;
            (signals.raw_present(channel.slot), slots.map(|slot| signals.raw_word(slot)).collect())
        }
    }
}

fn set_raw(netlist: &Netlist, signals: &mut Signals, signal: Signal, (bit, words): &RawSignal) {
    let slot = netlist.channels[signal.channel].slot;
    match signal.part {
        Part::Ack => signals.set_raw_ack(slot, *bit),
        Part::Data => signals.set_raw_present(slot, *bit),
    }
    for (slot, word) in (slot..).zip(words) {
        signals.set_raw_word(slot, *word);
    }
}

// Value as a reader sees it: the words mean something only if they are presented.
fn driven_value(netlist: &Netlist, signals: &Signals, signal: Signal) -> Option<Vec<u64>> {
    let (bit, words) = raw(netlist, signals, signal);
    bit.then_some(words)
}
