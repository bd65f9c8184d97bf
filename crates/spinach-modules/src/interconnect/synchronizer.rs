//! `synchronizer`: takes a level from one clock domain to another.

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{Declaration, Edge, Input, Module, Output, Process, Signals, data, parameters, ports};

use super::crossing::{Chain, Register};

parameters! {
    /// The parameters of a synchronizer.
    pub struct SynchronizerParameters {
        /// Number of flip-flops of the receiving clock that the level passes.
        pub stages: u32 = 2 => in 1..=8,
        /// The level before anything is presented.
        pub initial: u64 = 0,
    }
}

ports! {
    /// Ports of a synchronizer.
    pub struct SynchronizerPorts {
        /// The level: what was presented last counts. Always acknowledged.
        pub input: Input<u64> => clock 0,
        /// The level, later; presented in every cycle, whether acknowledged or not.
        pub output: Output<u64> => clock 1,
    }
}

/// The level on both sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SynchronizerState {
    level: Register,
    seen: Chain,
}

/// Carries a level from one clock domain to another. See its declaration.
pub struct Synchronizer {
    ports: SynchronizerPorts,
    state: SynchronizerState,
}

const FROM: u32 = 0;

impl Module for Synchronizer {
    type Parameters = SynchronizerParameters;
    type Ports = SynchronizerPorts;
    type State = SynchronizerState;

    fn declaration() -> Declaration {
        Declaration {
            kind: "synchronizer",
            family: "interconnect",
            documentation: "Carries a level from one clock domain to another.\n\nA register of the sending clock and a chain of \
                            flip-flops of the receiving one. A level that does not last until an edge of the receiving clock \
                            is not seen. All bits of a word arrive together; in hardware that holds for one bit, or for a \
                            code in which one bit changes at a time.",
            timing: "Registered on both sides. A level that is presented at an edge of `from` is presented in the cycle of the \
                     (`stages` + 1)-th edge of `to` that falls later, and not before. An edge that falls in the same instant \
                     is not later.",
            source: "Not in the Spinach thesis; the usual synchronizer of flip-flops in series",
            parameters: SynchronizerParameters::declare(),
            ports: SynchronizerPorts::declare(),
            counters: &[],
            clocks: &["from", "to"],
        }
    }

    fn new(parameters: SynchronizerParameters, ports: SynchronizerPorts) -> Result<Self, String> {
        let SynchronizerParameters { stages, initial } = parameters;
        let state = SynchronizerState { level: Register::new(initial), seen: Chain::new(stages, initial) };
        Ok(Self { ports, state })
    }

    fn processes(&self) -> Vec<Process> {
        type P = SynchronizerPorts;
        vec![Process::new(0).drives([data(P::OUTPUT)]).accepts([P::INPUT])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        signals.write(self.ports.output, Some(self.state.seen.output()));
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let SynchronizerState { level, seen } = &mut self.state;
        if edge.clock == FROM {
            if let Some(value) = edge.signals.received(self.ports.input) {
                level.set(value, edge.time());
            }
        } else {
            seen.shift(level.before(edge.time()));
        }
    }

    fn state(&self) -> &SynchronizerState {
        &self.state
    }

    fn restore(&mut self, state: SynchronizerState) -> Result<(), String> {
        if !state.seen.has_length_of(&self.state.seen) {
            return Err("the saved chain has another number of flip-flops".to_owned());
        }
        self.state = state;
        Ok(())
    }
}
