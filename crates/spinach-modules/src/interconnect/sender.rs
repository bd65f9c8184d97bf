//! `sender`: source of generated words.

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Any, Declaration, Edge, Idle, Module, Output, Policy, Process, Signals, data, parameters, ports,
};

use super::gate::{Gate, GateState};

parameters! {
    /// The parameters of a sender.
    pub struct SenderParameters {
        /// Source of the values: the list `values`, the `index` of the value (0, 1, 2, ...), or a function of two inputs: the
        /// index, and the number of the first cycle in which the value can be presented. State of a function advances from value
        /// to value.
        pub policy: Policy = Policy::named("values") => of ["values", "index"],
        /// The values to send, for the policy `values`.
        pub values: Vec<u64> = Vec::new(),
        /// If true, `values` starts again with the first after the last.
        pub repeat: bool = false,
        /// Maximum number of values to send; 0 for no limit.
        pub count: u64 = 0,
        /// Present only in cycles whose number is a multiple of this.
        pub every: u32 = 1 => in 1..=1_000_000_000,
        /// Present in cycle `c` only where entry `c` modulo its length is not 0; empty to present in any.
        pub pattern: Vec<u64> = Vec::new(),
        /// Probability of presenting in a cycle, in percent.
        pub percent: u32 = 100 => in 0..=100,
        /// Seed of the pseudo-random sequence for `percent`; should differ between modules.
        pub seed: u64 = 1,
        /// If true, a refused value stays presented until it is taken, in any cycle.
        pub hold: bool = true,
    }
}

ports! {
    /// Ports of a sender.
    pub struct SenderPorts {
        /// The values; of any type that takes one word.
        pub output: Output<Any>,
    }
}

/// Next value to send.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SenderState {
    /// Number of taken values.
    pub sent: u64,
    // The value to present, or none if there are no more.
    next: Option<u64>,
    is_refused: bool,
    gate: GateState,
    policy: Vec<u64>,
}

/// Generates words. See its declaration.
pub struct Sender {
    parameters: SenderParameters,
    gate: Gate,
    ports: SenderPorts,
    state: SenderState,
}

impl Sender {
    // The value with number `state.sent`, for a first presentation in cycle `cycle`.
    fn value(&self, cycle: u64) -> Option<u64> {
        let SenderParameters { policy, values, repeat, count, .. } = &self.parameters;
        let index = self.state.sent;
        if *count != 0 && index >= *count {
            return None;
        }
        match policy {
            Policy::Named(name) if name == "values" => {
                let length = values.len() as u64;
                let place = if *repeat && length > 0 { index % length } else { index };
                values.get(usize::try_from(place).ok()?).copied()
            }
            Policy::Named(_) => Some(index),
            _ => Some(policy.evaluate(&[index, cycle], &self.state.policy)),
        }
    }
}

impl Module for Sender {
    type Parameters = SenderParameters;
    type Ports = SenderPorts;
    type State = SenderState;

    fn declaration() -> Declaration {
        Declaration {
            kind: "sender",
            family: "interconnect",
            documentation: "Generates words.\n\nIt sends a list, a count or a computed sequence, one value after another. A \
                            period, a pattern and a probability can slow it down; it sends in the cycles that all of them allow.",
            timing: "The output is registered.",
            source: "Spinach thesis, section 3.2.1, table 3.1 (Sender)",
            parameters: SenderParameters::declare(),
            ports: SenderPorts::declare(),
            counters: &[
                ("transfers", "values that were taken"),
                ("refused_cycles", "cycles in which a value was presented but not taken"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: SenderParameters, ports: SenderPorts) -> Result<Self, String> {
        let words = ports.output.words();
        if words != 1 {
            return Err(format!("a sender sends values of one word, but the receiver takes {words} words"));
        }
        let (gate, gate_state) =
            Gate::new(parameters.every, parameters.pattern.clone(), parameters.percent, parameters.seed);
        let policy = parameters.policy.initial_state();
        let state = SenderState { sent: 0, next: None, is_refused: false, gate: gate_state, policy };
        let mut sender = Self { parameters, gate, ports, state };
        sender.state.next = sender.value(0);
        Ok(sender)
    }

    fn processes(&self) -> Vec<Process> {
        vec![Process::new(0).drives([data(SenderPorts::OUTPUT)])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        let is_presented = self.state.gate.is_open || self.state.is_refused;
        let words = self.state.next.as_ref().filter(|_| is_presented).map(std::slice::from_ref);
        signals.write_words(self.ports.output, words);
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let is_sent = edge.signals.is_sent(self.ports.output);
        let is_refused = edge.signals.is_offered(self.ports.output) && !is_sent;
        edge.count(0, u64::from(is_sent));
        edge.count(1, u64::from(is_refused));
        if is_sent {
            let inputs = [self.state.sent, edge.cycle()];
            self.parameters.policy.advance(&inputs, &mut self.state.policy);
            self.state.sent += 1;
            self.state.next = self.value(edge.cycle() + 1);
        }
        self.state.is_refused = is_refused && self.parameters.hold;
        if self.state.next.is_some() {
            self.gate.step(&mut self.state.gate, edge.cycle() + 1);
        }
    }

    fn idle(&self) -> Idle {
        if self.state.next.is_none() { Idle::UntilInput } else { Idle::No }
    }

    fn state(&self) -> &SenderState {
        &self.state
    }

    fn restore(&mut self, state: SenderState) -> Result<(), String> {
        if state.policy.len() != self.state.policy.len() {
            return Err("the saved state belongs to another policy".to_owned());
        }
        self.state = state;
        Ok(())
    }
}
