//! The reference: every signal is unknown, absent or a value, and processes run until all are known.
//!
//! It knows nothing of schedules, sleeping or clocks that step. Time is computed from edge numbers in exact integers.

use std::collections::BTreeMap;

use spinach_engine::bare::Bare;
use spinach_engine::{ChannelId, DomainId, ModuleId, Netlist, Part, ProcessId, Signal, Time};

/// State of knowledge of one signal within a cycle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Known {
    /// Data: none is presented. Acknowledgement: refused.
    Absent,
    /// Data: these words are presented. Acknowledgement: given (no words).
    Value(Vec<u64>),
}

/// View of all channels at one instant: every known signal of every domain that has an edge.
pub type Settled = BTreeMap<Signal, Known>;

/// Modules driven one by one.
pub struct Interpreter {
    /// The modules.
    pub bare: Bare,
    // For each domain the number of its next edge.
    next_edges: Vec<u64>,
}

impl Interpreter {
    /// An interpreter at time zero.
    pub fn new(bare: Bare) -> Self {
        let next_edges = vec![0; bare.netlist().domains.len()];
        Self { bare, next_edges }
    }

    /// Time of edge `edge` of `domain`, in femtoseconds: the integer part of `edge / frequency`.
    fn edge_time(&self, domain: DomainId, edge: u64) -> u64 {
        let (numerator, denominator) = self.bare.netlist().domains[domain].frequency.fraction();
        let femtoseconds = u128::from(edge) * u128::from(denominator) * 1_000_000_000_000_000;
        u64::try_from(femtoseconds / u128::from(numerator)).expect("tests are short")
    }

    /// The domains that have an edge at the next instant at which any has, that instant, and the numbers of the edges.
    fn next_instant(&self) -> (u64, Vec<(DomainId, u64)>) {
        let next: Vec<(DomainId, u64, u64)> = self
            .bare
            .netlist()
            .domains
            .ids()
            .zip(&self.next_edges)
            .map(|(domain, edge)| (domain, *edge, self.edge_time(domain, *edge)))
            .collect();
        let time = next.iter().map(|(_, _, time)| *time).min().expect("there is a domain");
        let ticking =
            next.into_iter().filter(|(_, _, at)| *at == time).map(|(domain, edge, _)| (domain, edge));
        (time, ticking.collect())
    }

    /// Runs everything that happens at the next instant.
    pub fn step(&mut self) -> (Time, Settled) {
        let (time, ticking) = self.next_instant();
        let time = Time::from_femtoseconds(time);
        let settled = self.evaluate(&ticking);
        let netlist = self.bare.netlist();
        let clocks = |id: ModuleId| netlist.modules[id].domains.clone();
        let modules: Vec<(ModuleId, Vec<DomainId>)> =
            netlist.modules.ids().map(|id| (id, clocks(id))).collect();
        for (module, domains) in modules {
            for (clock, domain) in domains.iter().enumerate() {
                if let Some((_, edge)) = ticking.iter().find(|(ticks, _)| ticks == domain) {
                    self.bare.commit(module, clock, *edge, time);
                }
            }
        }
        for (domain, edge) in ticking {
            let index = self.bare.netlist().domains.ids().position(|id| id == domain).expect("it is one");
            self.next_edges[index] = edge + 1;
        }
        (time, settled)
    }

    fn evaluate(&mut self, ticking: &[(DomainId, u64)]) -> Settled {
        let netlist = self.bare.netlist();
        let ticks = |domain: DomainId| ticking.iter().any(|(ticking, _)| *ticking == domain);
        let mut waiting: Vec<ProcessId> = Vec::new();
        let mut driven: Vec<Signal> = Vec::new();
        for (id, process) in netlist.processes.iter().filter(|(_, process)| process.is_live) {
            if ticks(netlist.modules[process.module].domains[process.clock]) {
                waiting.push(id);
                driven.extend(&process.drives);
            }
        }
        for signal in driven {
            self.bare.spoil(signal);
        }
        let mut known = Settled::new();
        while !waiting.is_empty() {
            let Netlist { processes, channels, .. } = self.bare.netlist();
            let is_constant =
                |signal: &Signal| signal.part == Part::Ack && channels[signal.channel].is_always_accepted;
            let (ready, rest): (Vec<ProcessId>, Vec<ProcessId>) = waiting.iter().partition(|id| {
                processes[**id].reads.iter().all(|signal| known.contains_key(signal) || is_constant(signal))
            });
            assert!(!ready.is_empty(), "a combinational loop got through elaboration");
            for id in ready {
                self.bare.evaluate(id);
                for signal in self.bare.netlist().processes[id].drives.clone() {
                    known.insert(signal, self.look(signal));
                }
            }
            waiting = rest;
        }
        known
    }

    fn look(&self, signal: Signal) -> Known {
        known(self.bare.channel(signal.channel), signal.part)
    }
}

/// One half of what a channel holds.
pub fn known((words, ack): (Option<Vec<u64>>, bool), part: Part) -> Known {
    match part {
        Part::Data => words.map_or(Known::Absent, Known::Value),
        Part::Ack if ack => Known::Value(Vec::new()),
        Part::Ack => Known::Absent,
    }
}

/// The channel with this name.
pub fn channel_named(netlist: &Netlist, name: &str) -> ChannelId {
    netlist.channels.ids().find(|id| netlist.channel_name(*id) == name).expect("the channel exists")
}
