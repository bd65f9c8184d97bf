//! `pipe`: a delay line that can stall.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Any, Declaration, Edge, Input, Module, Output, Process, Rest, Signals, ack, data, parameters, ports,
};

parameters! {
    /// What a pipe can be told.
    pub struct PipeParameters {
        /// After how many cycles a value that came in goes out, and how many values fit in.
        pub depth: u32 = 1 => in 1..=65536,
    }
}

ports! {
    /// Where a pipe is connected.
    pub struct PipePorts {
        /// Values to delay.
        pub input: Input<Any>,
        /// The same values, later.
        pub output: Output<Any>,
    }
}

/// The values inside, oldest first, with the cycles each must still wait.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PipeState {
    entries: VecDeque<(u32, Vec<u64>)>,
}

/// A delay line that can stall. See its declaration.
pub struct Pipe {
    depth: u32,
    ports: PipePorts,
    state: PipeState,
}

const FORWARD: u16 = 0;
const BACKWARD: u16 = 1;

impl Module for Pipe {
    type Parameters = PipeParameters;
    type Ports = PipePorts;
    type State = PipeState;

    fn declaration() -> Declaration {
        Declaration {
            kind: "pipe",
            family: "interconnect",
            documentation: "A delay line that can stall.\n\nValues leave in the order in which they came, each `depth` \
                            cycles after it came or later if the receiver refuses. While the oldest value is refused, the \
                            others move up until the pipe is full.",
            timing: "The output is registered. A full pipe accepts a value in the cycle in which the oldest leaves, so the \
                     acknowledgement of the input depends on that of the output.",
            source: "Spinach thesis, section 3.2.1, table 3.1 (Pipe)",
            parameters: PipeParameters::declare(),
            ports: PipePorts::declare(),
            counters: &[("transfers", "values that left")],
            clocks: &["clock"],
        }
    }

    fn new(parameters: PipeParameters, ports: PipePorts) -> Result<Self, String> {
        Ok(Self { depth: parameters.depth, ports, state: PipeState::default() })
    }

    fn processes(&self) -> Vec<Process> {
        vec![
            Process::new(FORWARD).drives([data(PipePorts::OUTPUT)]),
            Process::new(BACKWARD).drives([ack(PipePorts::INPUT)]).reads([ack(PipePorts::OUTPUT)]),
        ]
    }

    fn settle(&self, code: u16, _: u32, signals: &mut Signals) {
        let oldest = self.state.entries.front().filter(|(wait, _)| *wait == 0);
        if code == FORWARD {
            signals.write_words(self.ports.output, oldest.map(|(_, words)| words.as_slice()));
        } else {
            let has_room = self.state.entries.len() < self.depth as usize;
            let leaves = oldest.is_some() && signals.is_acknowledged(self.ports.output);
            signals.acknowledge(self.ports.input, has_room || leaves);
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        if edge.signals.is_sent(self.ports.output) {
            self.state.entries.pop_front();
            edge.count(0, 1);
        }
        for (wait, _) in &mut self.state.entries {
            *wait = wait.saturating_sub(1);
        }
        if edge.signals.is_received(self.ports.input) {
            let mut words = Vec::with_capacity(self.ports.input.words() as usize);
            edge.signals.read_words(self.ports.input, &mut words);
            self.state.entries.push_back((self.depth - 1, words));
        }
    }

    fn rest(&self) -> Rest {
        if self.state.entries.is_empty() { Rest::UntilInput } else { Rest::Busy }
    }

    fn state(&self) -> &PipeState {
        &self.state
    }

    fn restore(&mut self, state: PipeState) -> Result<(), String> {
        self.state = state;
        Ok(())
    }
}
