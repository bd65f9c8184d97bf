//! A work-list interpreter: every signal is unknown at first, and whatever becomes known may make a process ready.

use std::collections::VecDeque;

use spinach_engine::bare::Bare;
use spinach_engine::{Id, ModuleId, Part, ProcessId, Signal, Time};

use crate::network::ENDS;

/// The network driven by a work list.
pub struct WorkList {
    bare: Bare,
    // For each process: the signals it drives, and how many it waits for at the start of a cycle.
    drives: Vec<Vec<usize>>,
    waits_for: Vec<u32>,
    // For each signal: whether it is known, and who waits for it.
    known: Vec<bool>,
    readers: Vec<Vec<ProcessId>>,
    missing: Vec<u32>,
    ready: VecDeque<ProcessId>,
    modules: Vec<ModuleId>,
    cycle: u64,
}

fn number(signal: Signal) -> usize {
    signal.channel.index() * 2 + usize::from(signal.part == Part::Ack)
}

impl WorkList {
    /// A work list for a design with one clock.
    pub fn new(bare: Bare) -> Self {
        let netlist = bare.netlist();
        let signals = netlist.channels.len() * 2;
        let mut readers = vec![Vec::new(); signals];
        let (mut drives, mut waits_for) = (Vec::new(), Vec::new());
        for (id, process) in netlist.processes.iter() {
            process.reads.iter().for_each(|signal| readers[number(*signal)].push(id));
            drives.push(process.drives.iter().map(|signal| number(*signal)).collect());
            waits_for.push(u32::try_from(process.reads.len()).expect("it is a small number"));
        }
        let modules = netlist.modules.ids().collect();
        let missing = waits_for.clone();
        let ready = VecDeque::new();
        Self {
            bare,
            drives,
            waits_for,
            known: vec![false; signals],
            readers,
            missing,
            ready,
            modules,
            cycle: 0,
        }
    }

    /// Evaluates and commits once.
    pub fn cycle(&mut self) {
        self.known.fill(false);
        self.missing.copy_from_slice(&self.waits_for);
        let idle = self.waits_for.iter().enumerate().filter(|(_, count)| **count == 0);
        self.ready.extend(idle.map(|(index, _)| ProcessId::from_index(index)));
        while let Some(process) = self.ready.pop_front() {
            self.bare.evaluate(process);
            for signal in &self.drives[process.index()] {
                if std::mem::replace(&mut self.known[*signal], true) {
                    continue;
                }
                for reader in &self.readers[*signal] {
                    self.missing[reader.index()] -= 1;
                    if self.missing[reader.index()] == 0 {
                        self.ready.push_back(*reader);
                    }
                }
            }
        }
        for module in &self.modules {
            self.bare.commit(*module, 0, self.cycle, Time::from_femtoseconds(self.cycle * 1_000_000));
        }
        self.cycle += 1;
    }

    /// Checksum over the input of all sinks.
    pub fn checksum(&self) -> u64 {
        let sinks = (0..ENDS).map(|index| {
            let sink = self.bare.netlist().find_module(&format!("sink[{index}]")).expect("it exists");
            let state = self.bare.state(sink).expect("states can be read");
            state["checksum"].as_u64().expect("it is a number")
        });
        sinks.fold(0, |sum, checksum| sum.rotate_left(1) ^ checksum)
    }
}
