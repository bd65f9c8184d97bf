//! `fifo`: a first-in first-out buffer, registered both ways.

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Any, Declaration, Edge, Idle, Input, Module, Output, Process, Signals, ack, data, parameters, ports,
};

use super::word_ring::{WordRing, copy_words};

parameters! {
    /// The parameters of a FIFO.
    pub struct FifoParameters {
        /// Number of values that fit in. From 2 on, a value can move in every cycle.
        pub depth: u32 = 2 => in 1..=65536,
    }
}

ports! {
    /// Ports of a FIFO.
    pub struct FifoPorts {
        /// Values to keep.
        pub input: Input<Any>,
        /// The same values in the same order.
        pub output: Output<Any>,
    }
}

/// The values inside.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FifoState {
    entries: WordRing,
}

/// A first-in first-out buffer. See its declaration.
pub struct Fifo {
    ports: FifoPorts,
    state: FifoState,
}

const FORWARD: u16 = 0;
const BACKWARD: u16 = 1;

impl Module for Fifo {
    type Parameters = FifoParameters;
    type Ports = FifoPorts;
    type State = FifoState;

    fn declaration() -> Declaration {
        Declaration {
            kind: "fifo",
            family: "interconnect",
            documentation: "A first-in first-out buffer, registered both ways.\n\nIt accepts a value whenever it has room at \
                            the start of the cycle and presents the oldest value it has. Neither side depends on the other \
                            within a cycle, so it cuts every combinational path through it. A full `pipe` accepts a value \
                            in the cycle in which one leaves; a full FIFO does not, which is why a depth of 1 moves a value \
                            in every second cycle only.",
            timing: "Both the output and the acknowledgement of the input are registered: a value leaves one cycle after it \
                     came at the earliest, and the room of a value that left can be used from the next cycle on.",
            source: "Not in the Spinach thesis, whose Pipe (table 3.1) is the nearest relative",
            parameters: FifoParameters::declare(),
            ports: FifoPorts::declare(),
            counters: &[
                ("transfers", "values that left"),
                ("full_cycles", "cycles in which a value was refused because the buffer was full"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: FifoParameters, ports: FifoPorts) -> Result<Self, String> {
        let entries = WordRing::new(ports.input.words(), parameters.depth);
        Ok(Self { ports, state: FifoState { entries } })
    }

    fn processes(&self) -> Vec<Process> {
        vec![
            Process::new(FORWARD).drives([data(FifoPorts::OUTPUT)]),
            Process::new(BACKWARD).drives([ack(FifoPorts::INPUT)]),
        ]
    }

    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        if code == FORWARD {
            signals.write_words(self.ports.output, self.state.entries.front());
        } else {
            signals.acknowledge(self.ports.input, !self.state.entries.is_full());
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let is_refused = self.state.entries.is_full() && edge.signals.is_present(self.ports.input);
        edge.count(1, u64::from(is_refused));
        if edge.signals.is_sent(self.ports.output) {
            self.state.entries.pop();
            edge.count(0, 1);
        }
        if edge.signals.is_received(self.ports.input) {
            copy_words(edge.signals, self.ports.input, self.state.entries.push());
        }
    }

    fn idle(&self) -> Idle {
        if self.state.entries.is_empty() { Idle::UntilInput } else { Idle::No }
    }

    fn state(&self) -> &FifoState {
        &self.state
    }

    fn restore(&mut self, state: FifoState) -> Result<(), String> {
        self.state.entries.check(&state.entries)?;
        self.state = state;
        Ok(())
    }
}
