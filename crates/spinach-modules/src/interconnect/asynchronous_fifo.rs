//! `asynchronous_fifo`: takes values from one clock domain to another.

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Any, Declaration, Edge, Input, Module, Output, Process, Rest, Signals, ack, data, parameters, ports,
};

use super::crossing::{Chain, Register};
use super::word_ring::{WordRing, copy_words};

parameters! {
    /// What an asynchronous FIFO can be told.
    pub struct AsynchronousFifoParameters {
        /// How many values fit in. A value can move in every cycle of the slower clock if this covers the way there and back:
        /// `2 * stages + 2` is enough at any ratio of the clocks.
        pub depth: u32 = 8 => in 1..=65536,
        /// How many flip-flops synchronize each pointer with the other clock.
        pub stages: u32 = 2 => in 1..=8,
    }
}

ports! {
    /// Where an asynchronous FIFO is connected.
    pub struct AsynchronousFifoPorts {
        /// Values to take across.
        pub input: Input<Any> => clock 0,
        /// The same values in the same order.
        pub output: Output<Any> => clock 1,
    }
}

/// The values inside, and what each side knows of the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AsynchronousFifoState {
    entries: WordRing,
    // How many values were written and read since the start.
    written: Register,
    read: Register,
    // `written` on its way to the reading side, `read` on its way to the writing side.
    written_seen: Chain,
    read_seen: Chain,
}

/// Takes values from one clock domain to another. See its declaration.
pub struct AsynchronousFifo {
    depth: u64,
    ports: AsynchronousFifoPorts,
    state: AsynchronousFifoState,
}

const FORWARD: u16 = 0;
const BACKWARD: u16 = 1;

const FROM: usize = 0;

impl Module for AsynchronousFifo {
    type Parameters = AsynchronousFifoParameters;
    type Ports = AsynchronousFifoPorts;
    type State = AsynchronousFifoState;

    const SLEEPS: bool = true;

    fn declaration() -> Declaration {
        Declaration {
            kind: "asynchronous_fifo",
            family: "interconnect",
            documentation: "Takes values from one clock domain to another.\n\nA first-in first-out buffer whose write and read \
                            pointers each pass through a chain of flip-flops of the other clock. Nothing is assumed about \
                            the two clocks; they may be the same.",
            timing: "Registered on both sides. A value that moves in at an edge of `from` can move out at the \
                     (`stages` + 1)-th edge of `to` that falls later, and not before. The room of a value that moves out at an \
                     edge of `to` can be used at the (`stages` + 1)-th edge of `from` that falls later. An edge that falls \
                     in the same instant is not later.",
            source: "Cummings: Simulation and synthesis techniques for asynchronous FIFO design, SNUG 2002",
            parameters: AsynchronousFifoParameters::declare(),
            ports: AsynchronousFifoPorts::declare(),
            counters: &[
                ("transfers", "values that left"),
                ("full_cycles", "cycles of `from` in which a value was refused"),
            ],
            clocks: &["from", "to"],
        }
    }

    fn new(parameters: AsynchronousFifoParameters, ports: AsynchronousFifoPorts) -> Result<Self, String> {
        let AsynchronousFifoParameters { depth, stages } = parameters;
        let state = AsynchronousFifoState {
            entries: WordRing::new(ports.input.words(), depth),
            written: Register::new(0),
            read: Register::new(0),
            written_seen: Chain::new(stages, 0),
            read_seen: Chain::new(stages, 0),
        };
        Ok(Self { depth: u64::from(depth), ports, state })
    }

    fn processes(&self) -> Vec<Process> {
        vec![
            Process::new(FORWARD).drives([data(AsynchronousFifoPorts::OUTPUT)]),
            Process::new(BACKWARD).drives([ack(AsynchronousFifoPorts::INPUT)]),
        ]
    }

    fn settle(&self, code: u16, _: u32, signals: &mut Signals) {
        let AsynchronousFifoState { entries, read, written_seen, .. } = &self.state;
        if code == FORWARD {
            let is_seen = written_seen.output() > read.value;
            signals.write_words(self.ports.output, entries.front().filter(|_| is_seen));
        } else {
            signals.acknowledge(self.ports.input, self.has_room());
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let state = &mut self.state;
        if edge.clock == FROM {
            state.read_seen.shift(state.read.before(edge.time));
            if edge.signals.is_received(self.ports.input) {
                copy_words(edge.signals, self.ports.input, state.entries.push());
                state.written.set(state.written.value + 1, edge.time);
            } else {
                edge.count(1, u64::from(edge.signals.is_present(self.ports.input)));
            }
        } else {
            state.written_seen.shift(state.written.before(edge.time));
            if edge.signals.is_sent(self.ports.output) {
                state.entries.pop();
                state.read.set(state.read.value + 1, edge.time);
                edge.count(0, 1);
            }
        }
    }

    fn rest(&self) -> Rest {
        let AsynchronousFifoState { written, read, written_seen, read_seen, .. } = &self.state;
        let is_settled = written_seen.is_settled_at(written.value) && read_seen.is_settled_at(read.value);
        // While there is no room, every cycle in which a value is refused counts.
        if is_settled && self.has_room() { Rest::UntilTransfer } else { Rest::Busy }
    }

    fn state(&self) -> &AsynchronousFifoState {
        &self.state
    }

    fn restore(&mut self, state: AsynchronousFifoState) -> Result<(), String> {
        let fits = state.written_seen.has_length_of(&self.state.written_seen)
            && state.read_seen.has_length_of(&self.state.read_seen)
            && state.read_seen.output() <= state.written.value
            && state.written_seen.output() <= state.written.value;
        if !fits {
            return Err("the saved pointers do not belong to this buffer".to_owned());
        }
        self.state.entries.check(&state.entries)?;
        self.state = state;
        Ok(())
    }
}

impl AsynchronousFifo {
    // Whether the writing side knows of room for one more value.
    #[inline]
    fn has_room(&self) -> bool {
        self.state.written.value - self.state.read_seen.output() < self.depth
    }
}
