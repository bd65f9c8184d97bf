//! `asynchronous_fifo`: takes values from one clock domain to another.

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    AlreadySet, Any, Declaration, Edge, Idle, Input, Module, Output, Process, Signals, ack, data, parameters,
    ports,
};

use super::crossing::Passage;

parameters! {
    /// The parameters of an asynchronous FIFO.
    pub struct AsynchronousFifoParameters {
        /// Number of values that fit in. A value can move in every cycle of the slower clock if this covers the way there and
        /// back: `2 * stages + 2` is enough at any ratio of the clocks.
        pub depth: u32 = 8 => in 1..=65536,
        /// Number of flip-flops that synchronize each pointer with the other clock.
        pub stages: u32 = 2 => in 1..=8,
    }
}

ports! {
    /// Ports of an asynchronous FIFO.
    pub struct AsynchronousFifoPorts {
        /// Values to take across.
        pub input: Input<Any> => clock 0,
        /// The same values in the same order.
        pub output: Output<Any> => clock 1,
    }
}

/// The values inside, and the view of each side of the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AsynchronousFifoState {
    passage: Passage,
    // True if a value was refused at the last edge of `from`.
    is_refusing: bool,
}

/// Carries values from one clock domain to another. See its declaration.
pub struct AsynchronousFifo {
    ports: AsynchronousFifoPorts,
    state: AsynchronousFifoState,
    // True if the output of each side is as it should be.
    input_settled: AlreadySet,
    output_settled: AlreadySet,
}

const FORWARD: u16 = 0;
const BACKWARD: u16 = 1;

const FROM: u32 = 0;

const TRANSFERS: usize = 0;
const FULL: usize = 1;

impl Module for AsynchronousFifo {
    type Parameters = AsynchronousFifoParameters;
    type Ports = AsynchronousFifoPorts;
    type State = AsynchronousFifoState;

    const SLEEPS: bool = true;

    fn declaration() -> Declaration {
        Declaration {
            kind: "asynchronous_fifo",
            family: "interconnect",
            documentation: "Carries values from one clock domain to another.\n\nA first-in first-out buffer whose write and read \
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
        let passage = Passage::new(ports.input.words(), parameters.depth, parameters.stages);
        let state = AsynchronousFifoState { passage, is_refusing: false };
        let (input_settled, output_settled) = (AlreadySet::default(), AlreadySet::default());
        Ok(Self { ports, state, input_settled, output_settled })
    }

    fn processes(&self) -> Vec<Process> {
        vec![
            Process::new(FORWARD).drives([data(AsynchronousFifoPorts::OUTPUT)]),
            Process::new(BACKWARD).drives([ack(AsynchronousFifoPorts::INPUT)]),
        ]
    }

    #[inline]
    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        let settled = if code == FORWARD { &self.output_settled } else { &self.input_settled };
        if !signals.are_set_already(settled) {
            self.evaluate_anew(code, signals);
        }
    }

    // Most edges of a FIFO that is awake find nothing to do.
    #[inline]
    fn commit(&mut self, edge: &mut Edge<'_>) {
        let AsynchronousFifoState { passage, is_refusing } = &mut self.state;
        if edge.clock != FROM {
            if !passage.output_rests(self.ports.output, edge) {
                self.commit_output(edge);
            }
        } else if passage.input_rests(self.ports.input, edge) {
            *is_refusing = false;
        } else {
            self.commit_input(edge);
        }
    }

    fn idle(&self) -> Idle {
        if self.state.passage.is_settled() { Idle::UntilTransfer } else { Idle::No }
    }

    #[inline]
    fn outputs_are_set(&self, signals: &Signals) -> bool {
        signals.are_set(&self.input_settled) && signals.are_set(&self.output_settled)
    }

    fn slept(&mut self, _: u64, count: u64, counters: &mut [u64]) {
        counters[FULL] += if self.state.is_refusing { count } else { 0 };
    }

    fn state(&self) -> &AsynchronousFifoState {
        &self.state
    }

    fn restore(&mut self, state: AsynchronousFifoState) -> Result<(), String> {
        self.state.passage.check(&state.passage)?;
        self.input_settled.forget();
        self.output_settled.forget();
        self.state = state;
        Ok(())
    }
}

impl AsynchronousFifo {
    #[inline(never)]
    fn evaluate_anew(&self, code: u16, signals: &mut Signals) {
        let passage = &self.state.passage;
        if code == FORWARD {
            passage.evaluate_output(self.ports.output, signals);
        } else {
            passage.evaluate_input(self.ports.input, signals);
        }
    }

    #[inline(never)]
    fn commit_input(&mut self, edge: &mut Edge<'_>) {
        let AsynchronousFifoState { passage, is_refusing } = &mut self.state;
        let had_room = passage.has_room();
        *is_refusing = passage.commit_input(self.ports.input, edge);
        edge.count(FULL, u64::from(*is_refusing));
        if passage.has_room() != had_room {
            self.input_settled.forget();
        }
    }

    #[inline(never)]
    fn commit_output(&mut self, edge: &mut Edge<'_>) {
        let passage = &mut self.state.passage;
        let showed_value = passage.shows_value();
        let leaves = passage.commit_output(self.ports.output, edge);
        edge.count(TRANSFERS, u64::from(leaves));
        if leaves || passage.shows_value() != showed_value {
            self.output_settled.forget();
        }
    }
}
