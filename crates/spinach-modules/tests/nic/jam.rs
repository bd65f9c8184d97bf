//! A channel that jams at random.

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Any, Declaration, Edge, Input, Module, Output, Process, Signals, ack, data, parameters, ports,
};

use super::support::Random;

parameters! {
    pub struct JamParameters {
        /// Percentage of cycles in which nothing passes.
        pub percent: u64 => in 0..=99,
        /// Decides in which.
        pub seed: u64,
    }
}

ports! {
    pub struct JamPorts {
        /// Input.
        pub input: Input<Any>,
        /// The same, unless it jams.
        pub output: Output<Any>,
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct JamState {
    random: Random,
    is_open: bool,
}

/// Passes a channel on in some cycles.
pub(crate) struct Jam {
    percent: u64,
    ports: JamPorts,
    state: JamState,
}

impl Module for Jam {
    type Parameters = JamParameters;
    type Ports = JamPorts;
    type State = JamState;

    fn declaration() -> Declaration {
        Declaration {
            kind: "test_jam",
            family: "test",
            documentation: "Jams.",
            timing: "Combinational.",
            source: "None.",
            parameters: JamParameters::declare(),
            ports: JamPorts::declare(),
            counters: &[],
            clocks: &["clock"],
        }
    }

    fn new(parameters: JamParameters, ports: JamPorts) -> Result<Self, String> {
        let state = JamState { random: Random::new(parameters.seed), is_open: false };
        Ok(Self { percent: parameters.percent, ports, state })
    }

    fn processes(&self) -> Vec<Process> {
        vec![
            Process::new(0).drives([data(JamPorts::OUTPUT)]).reads([data(JamPorts::INPUT)]),
            Process::new(1).drives([ack(JamPorts::INPUT)]).reads([ack(JamPorts::OUTPUT)]),
        ]
    }

    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        if code == 1 {
            let is_taken = signals.is_acknowledged(self.ports.output);
            signals.acknowledge(self.ports.input, self.state.is_open && is_taken);
        } else if self.state.is_open {
            signals.forward(self.ports.input, self.ports.output);
        } else {
            signals.clear(self.ports.output);
        }
    }

    fn commit(&mut self, _: &mut Edge<'_>) {
        self.state.is_open = self.state.random.below(100) >= self.percent;
    }

    fn state(&self) -> &JamState {
        &self.state
    }

    fn restore(&mut self, state: JamState) -> Result<(), String> {
        self.state = state;
        Ok(())
    }
}
