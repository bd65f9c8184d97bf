//! `pipe`: a delay line that can stall.

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Any, Declaration, Edge, Idle, Input, Module, Output, Process, Signals, ack, data, parameters, ports,
};

use super::word_ring::{WordRing, copy_words};

parameters! {
    /// The parameters of a pipe.
    pub struct PipeParameters {
        /// Latency in cycles, and number of values that fit in.
        pub depth: u32 = 1 => in 1..=65536,
    }
}

ports! {
    /// Ports of a pipe.
    pub struct PipePorts {
        /// Values to delay.
        pub input: Input<Any>,
        /// The same values, later.
        pub output: Output<Any>,
    }
}

/// The values inside and, if there are any, the cycle that comes next.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PipeState {
    // Each value is followed by the number of the first cycle in which it may leave.
    entries: WordRing,
    cycle: u64,
}

/// A delay line that can stall. See its declaration.
pub struct Pipe {
    depth: u32,
    words: usize,
    ports: PipePorts,
    state: PipeState,
}

const FORWARD: u16 = 0;
const BACKWARD: u16 = 1;

impl Pipe {
    #[inline]
    fn leaving(&self) -> Option<&[u64]> {
        let (words, first_cycle) = self.state.entries.front()?.split_at(self.words);
        (first_cycle[0] <= self.state.cycle).then_some(words)
    }
}

impl Module for Pipe {
    type Parameters = PipeParameters;
    type Ports = PipePorts;
    type State = PipeState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "pipe",
            family: "interconnect",
            documentation: "A delay line that can stall.\n\nValues leave in the order of their arrival, each `depth` cycles \
                            after its arrival, or later if the receiver refuses. While the oldest value is refused, the \
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
        let words = ports.input.words();
        let entries = WordRing::new(words + 1, parameters.depth);
        let state = PipeState { entries, cycle: 0 };
        Ok(Self { depth: parameters.depth, words: words as usize, ports, state })
    }

    fn processes(&self) -> Vec<Process> {
        vec![
            Process::new(FORWARD).drives([data(PipePorts::OUTPUT)]),
            Process::new(BACKWARD).drives([ack(PipePorts::INPUT)]).reads([ack(PipePorts::OUTPUT)]),
        ]
    }

    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        let leaving = self.leaving();
        if code == FORWARD {
            signals.write_words(self.ports.output, leaving);
        } else {
            let leaves = leaving.is_some() && signals.is_acknowledged(self.ports.output);
            signals.acknowledge(self.ports.input, leaves || !self.state.entries.is_full());
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        if edge.signals.is_sent(self.ports.output) {
            self.state.entries.pop();
            edge.count(0, 1);
        }
        if edge.signals.is_received(self.ports.input) {
            let (words, first_cycle) = self.state.entries.push().split_at_mut(self.words);
            copy_words(edge.signals, self.ports.input, words);
            first_cycle[0] = edge.cycle() + u64::from(self.depth);
        }
        // An empty pipe may sleep: its state stays as it is.
        if !self.state.entries.is_empty() {
            self.state.cycle = edge.cycle() + 1;
        }
    }

    fn idle(&self) -> Idle {
        if self.state.entries.is_empty() { Idle::UntilInput } else { Idle::No }
    }

    fn state(&self) -> &PipeState {
        &self.state
    }

    fn restore(&mut self, state: PipeState) -> Result<(), String> {
        self.state.entries.check(&state.entries)?;
        self.state = state;
        Ok(())
    }
}
