//! `broadcaster`: passes the words of several senders to all of them.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Idle, Input, Many, Module, Output, Process, Signals, ack, data, parameters, ports,
};

parameters! {
    /// The parameters of a broadcaster.
    pub struct BroadcasterParameters {
        /// Number of clusters that the senders form, each with as many.
        pub clusters: u32 = 4 => in 1..=64,
        /// Words that the queue of a cluster holds.
        pub depth: u32 = 16 => in 1..=4096,
        /// Cycles from the choice of a word until all receive it.
        pub latency: u32 = 3 => in 1..=64,
    }
}

ports! {
    /// Ports of a broadcaster.
    pub struct BroadcasterPorts {
        /// Words, one lane for each sender.
        pub input: Many<Input<u64>>,
        /// The same word at every lane; receivers take it at once.
        pub output: Many<Output<u64>>,
    }
}

/// State of a broadcaster.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BroadcasterState {
    queues: Vec<VecDeque<u64>>,
    // The sender of each cluster that is asked first.
    next_sender: Vec<usize>,
    next_cluster: usize,
    // Words under way, with the cycle in which each is presented.
    passing: VecDeque<(u64, u64)>,
    next_cycle: u64,
}

/// Passes words of several senders to all of them. See its declaration.
pub struct Broadcaster {
    parameters: BroadcasterParameters,
    ports: BroadcasterPorts,
    state: BroadcasterState,
}

const WORDS: usize = 0;
const WAITING: usize = 1;

const PRESENT: u16 = 0;
const ACCEPT: u16 = 1;

impl Module for Broadcaster {
    type Parameters = BroadcasterParameters;
    type Ports = BroadcasterPorts;
    type State = BroadcasterState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "broadcaster",
            family: "interconnect",
            documentation: "Passes the words of several senders to all of them, the sender included.\n\nSenders of a cluster take turns at its queue, \
                            and clusters take turns: one word in a cycle passes.",
            timing: "The acknowledgements depend on the words presented; all other outputs are registered. A word that nothing delays is presented \
                     `latency` + 1 cycles after it was taken.",
            source: "Rosebud (ASPLOS 2023, arXiv 2201.08978) and its published RTL, commit c593d596",
            parameters: BroadcasterParameters::declare(),
            ports: BroadcasterPorts::declare(),
            counters: &[
                ("words", "words that have passed"),
                ("waiting", "cycles of words that were not taken"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: BroadcasterParameters, ports: BroadcasterPorts) -> Result<Self, String> {
        let (senders, clusters) = (ports.input.len(), parameters.clusters as usize);
        if !senders.is_multiple_of(clusters) {
            return Err(format!("clusters: {senders} senders do not form {clusters} equal clusters"));
        }
        let state = BroadcasterState {
            queues: vec![VecDeque::new(); clusters],
            next_sender: vec![0; clusters],
            next_cluster: 0,
            passing: VecDeque::new(),
            next_cycle: 0,
        };
        Ok(Self { parameters, ports, state })
    }

    fn processes(&self) -> Vec<Process> {
        type P = BroadcasterPorts;
        vec![
            Process::new(PRESENT).drives([data(P::OUTPUT)]),
            Process::new(ACCEPT).drives([ack(P::INPUT)]).reads([data(P::INPUT)]),
        ]
    }

    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        if code == PRESENT {
            let first = self.state.passing.front().filter(|(cycle, _)| *cycle <= self.state.next_cycle);
            for output in self.ports.output.iter() {
                signals.write(*output, first.map(|(_, word)| *word));
            }
            return;
        }
        for cluster in 0..self.state.queues.len() {
            let chosen = self.choose_sender(cluster, signals);
            for sender in self.senders_of(cluster) {
                signals.acknowledge(self.ports.input[sender], chosen == Some(sender));
            }
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let cycle = edge.cycle();
        let state = &mut self.state;
        if state.passing.front().is_some_and(|(due, _)| *due <= cycle) {
            state.passing.pop_front();
        }
        let count = state.queues.len();
        let turns = (0..count).map(|turn| (state.next_cluster + turn) % count);
        if let Some((cluster, word)) =
            turns.into_iter().find_map(|at| Some((at, state.queues[at].pop_front()?)))
        {
            state.next_cluster = (cluster + 1) % count;
            state.passing.push_back((cycle + u64::from(self.parameters.latency), word));
            edge.count(WORDS, 1);
        }
        let senders = self.ports.input.len() / count;
        for sender in 0..self.ports.input.len() {
            let input = self.ports.input[sender];
            if let Some(word) = edge.signals.received(input) {
                let cluster = sender / senders;
                self.state.queues[cluster].push_back(word);
                self.state.next_sender[cluster] = (sender + 1) % senders;
            } else {
                edge.count(WAITING, u64::from(edge.signals.is_present(input)));
            }
        }
        self.state.next_cycle = cycle + 1;
    }

    fn idle(&self) -> Idle {
        let is_empty = self.state.queues.iter().all(VecDeque::is_empty) && self.state.passing.is_empty();
        if is_empty { Idle::UntilInput } else { Idle::No }
    }

    fn state(&self) -> &BroadcasterState {
        &self.state
    }

    fn restore(&mut self, state: BroadcasterState) -> Result<(), String> {
        if self.state.queues.len() != state.queues.len() {
            return Err("the saved broadcaster has other clusters".to_owned());
        }
        self.state = state;
        Ok(())
    }
}

impl Broadcaster {
    fn senders_of(&self, cluster: usize) -> std::ops::Range<usize> {
        let senders = self.ports.input.len() / self.state.queues.len();
        cluster * senders..(cluster + 1) * senders
    }

    /// The sender whose word a cluster takes in this cycle, by turns.
    fn choose_sender(&self, cluster: usize, signals: &Signals) -> Option<usize> {
        if self.state.queues[cluster].len() >= self.parameters.depth as usize {
            return None;
        }
        let senders = self.senders_of(cluster);
        let (first, count) = (senders.start, senders.len());
        (0..count)
            .map(|turn| first + (self.state.next_sender[cluster] + turn) % count)
            .find(|sender| signals.is_present(self.ports.input[*sender]))
    }
}
