//! `receiver`: takes values and records them.

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{Any, Declaration, Edge, Idle, Input, Module, Process, Signals, ack, parameters, ports};

use super::gate::{Gate, GateState};

parameters! {
    /// The parameters of a receiver.
    pub struct ReceiverParameters {
        /// Accept only in cycles whose number is a multiple of this.
        pub every: u32 = 1 => in 1..=1_000_000_000,
        /// Accept in cycle `c` only where entry `c` modulo its length is not 0; empty to accept in any.
        pub pattern: Vec<u64> = Vec::new(),
        /// Probability of accepting in a cycle, in percent.
        pub percent: u32 = 100 => in 0..=100,
        /// Seed of the pseudo-random sequence for `percent`; should differ between modules.
        pub seed: u64 = 2,
        /// Number of first values to keep in the state, for inspection.
        pub keep: u32 = 64 => in 0..=1_048_576,
    }
}

ports! {
    /// Ports of a receiver.
    pub struct ReceiverPorts {
        /// Values to take. A handle to a payload is dropped without taking the payload out of its store.
        pub input: Input<Any>,
    }
}

/// Received values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceiverState {
    /// Number of values.
    pub received: u64,
    /// Checksum of all words in order: each is added to 31 times the previous checksum, modulo 2^64.
    pub checksum: u64,
    /// The cycle of each of the first values.
    pub cycles: Vec<u64>,
    /// The words of each of the first values, one value after another.
    pub words: Vec<u64>,
    /// The words of the last value; empty before the first.
    pub last: Vec<u64>,
    gate: GateState,
}

/// Accepts values and keeps the first ones. See its declaration.
pub struct Receiver {
    keep: usize,
    gate: Gate,
    ports: ReceiverPorts,
    state: ReceiverState,
}

impl Module for Receiver {
    type Parameters = ReceiverParameters;
    type Ports = ReceiverPorts;
    type State = ReceiverState;

    fn declaration() -> Declaration {
        Declaration {
            kind: "receiver",
            family: "interconnect",
            documentation: "Accepts values and keeps the first ones.\n\nIt accepts values of any type. A period, a pattern and a \
                            probability can slow it down; it accepts in the cycles that all of them allow. Its state has the \
                            number of values, a checksum, the last value, and the first values with the cycles of their arrival.",
            timing: "The acknowledgement is registered.",
            source: "Spinach thesis, section 3.2.1, table 3.1 (Receiver)",
            parameters: ReceiverParameters::declare(),
            ports: ReceiverPorts::declare(),
            counters: &[
                ("transfers", "values that were taken"),
                ("refused_cycles", "cycles in which a value was presented but not taken"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: ReceiverParameters, ports: ReceiverPorts) -> Result<Self, String> {
        let ReceiverParameters { every, pattern, percent, seed, keep } = parameters;
        let (gate, gate_state) = Gate::new(every, pattern, percent, seed);
        let words = ports.input.words() as usize;
        let state = ReceiverState {
            received: 0,
            checksum: 0,
            cycles: Vec::new(),
            words: Vec::new(),
            last: Vec::with_capacity(words),
            gate: gate_state,
        };
        Ok(Self { keep: keep as usize, gate, ports, state })
    }

    fn processes(&self) -> Vec<Process> {
        vec![Process::new(0).drives([ack(ReceiverPorts::INPUT)])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        signals.acknowledge(self.ports.input, self.state.gate.is_open);
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        if edge.signals.is_received(self.ports.input) {
            let state = &mut self.state;
            state.last.clear();
            edge.signals.read_words(self.ports.input, &mut state.last);
            for word in &state.last {
                state.checksum = state.checksum.wrapping_mul(31).wrapping_add(*word);
            }
            if state.cycles.len() < self.keep {
                state.cycles.push(edge.cycle());
                state.words.extend_from_slice(&state.last);
            }
            state.received += 1;
            edge.count(0, 1);
        } else if edge.signals.is_present(self.ports.input) {
            edge.count(1, 1);
        }
        self.gate.step(&mut self.state.gate, edge.cycle() + 1);
    }

    fn idle(&self) -> Idle {
        if self.gate.is_always_open() { Idle::UntilInput } else { Idle::No }
    }

    fn state(&self) -> &ReceiverState {
        &self.state
    }

    fn restore(&mut self, state: ReceiverState) -> Result<(), String> {
        let words = self.ports.input.words() as usize;
        if state.cycles.len() > self.keep || state.words.len() != state.cycles.len() * words {
            return Err("the saved state keeps values of another receiver".to_owned());
        }
        self.state = state;
        Ok(())
    }
}
