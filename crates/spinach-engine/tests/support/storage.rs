//! Modules that hold values from one cycle to the next.

use serde::{Deserialize, Serialize};
use spinach_engine::{
    Any, Declaration, Edge, Idle, Input, Many, Module, OrUnconnected, Output, Process, Signals, ack, data,
    ports,
};

use super::declare;
use super::glue::lane_of;
use crate::plain_state;

const FORWARD: u16 = 0;
const BACKWARD: u16 = 1;

ports! {
    /// One input, many outputs.
    pub struct BufferPorts {
        /// The values.
        pub input: Input<u64>,
        /// The same values, later; each goes to one lane.
        pub outputs: Many<Output<u64>>,
    }
}

impl BufferPorts {
    #[inline]
    fn offer(&self, is_present: bool, value: u64, signals: &mut Signals) {
        let chosen = lane_of(value, self.outputs.len());
        for (lane, output) in self.outputs.iter().enumerate() {
            signals.write_if(*output, is_present & (chosen == lane), value);
        }
    }

    #[inline]
    fn is_accepted(&self, value: u64, signals: &Signals) -> bool {
        signals.is_acknowledged(self.outputs[lane_of(value, self.outputs.len())])
    }
}

/// The value inside, if it is full.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct PipeState {
    is_full: bool,
    value: u64,
}

/// A register that can stall: full, it accepts in the cycle in which its value leaves.
pub struct Pipe {
    ports: BufferPorts,
    state: PipeState,
}

impl Module for Pipe {
    type Parameters = ();
    type Ports = BufferPorts;
    type State = PipeState;

    fn declaration() -> Declaration {
        declare::<(), BufferPorts>("pipe", &[])
    }
    fn new((): (), ports: BufferPorts) -> Result<Self, String> {
        Ok(Self { ports, state: PipeState::default() })
    }
    fn processes(&self) -> Vec<Process> {
        vec![
            Process::new(FORWARD).drives([data(BufferPorts::OUTPUTS)]),
            Process::new(BACKWARD).drives([ack(BufferPorts::INPUT)]).reads([ack(BufferPorts::OUTPUTS)]),
        ]
    }
    #[inline]
    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        if code == FORWARD {
            self.ports.offer(self.state.is_full, self.state.value, signals);
        } else {
            let accepts = !self.state.is_full | self.ports.is_accepted(self.state.value, signals);
            signals.acknowledge(self.ports.input, accepts);
        }
    }
    #[inline]
    fn commit(&mut self, edge: &mut Edge<'_>) {
        let is_received = edge.signals.is_received(self.ports.input);
        let is_sent = self.state.is_full & self.ports.is_accepted(self.state.value, edge.signals);
        let value = edge.signals.word(self.ports.input, 0);
        self.state.value = if is_received { value } else { self.state.value };
        self.state.is_full = is_received | (self.state.is_full & !is_sent);
    }
    fn idle(&self) -> Idle {
        if !self.state.is_full { Idle::UntilInput } else { Idle::No }
    }
    fn line(&self) -> Option<String> {
        self.state.is_full.then(|| self.state.value.to_string())
    }
    plain_state!(PipeState);
}

/// Up to four values; which they are is in the lowest places, oldest first.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct FifoState {
    first: u32,
    count: u32,
    entries: [u64; 4],
}

/// Four entries, all outputs registered.
pub struct Fifo {
    ports: BufferPorts,
    state: FifoState,
}

impl FifoState {
    #[inline]
    fn oldest(&self) -> u64 {
        self.entries[self.first as usize % 4]
    }
}

impl Module for Fifo {
    type Parameters = ();
    type Ports = BufferPorts;
    type State = FifoState;

    fn declaration() -> Declaration {
        declare::<(), BufferPorts>("fifo", &[("full", "cycles in which it was full")])
    }
    fn new((): (), ports: BufferPorts) -> Result<Self, String> {
        Ok(Self { ports, state: FifoState::default() })
    }
    fn processes(&self) -> Vec<Process> {
        vec![
            Process::new(FORWARD).drives([data(BufferPorts::OUTPUTS)]),
            Process::new(BACKWARD).drives([ack(BufferPorts::INPUT)]),
        ]
    }
    #[inline]
    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        if code == FORWARD {
            self.ports.offer(self.state.count > 0, self.state.oldest(), signals);
        } else {
            signals.acknowledge(self.ports.input, self.state.count < 4);
        }
    }
    #[inline]
    fn commit(&mut self, edge: &mut Edge<'_>) {
        let state = &mut self.state;
        edge.counters[0] += u64::from(state.count == 4);
        let is_sent = (state.count > 0) & self.ports.is_accepted(state.oldest(), edge.signals);
        let is_received = edge.signals.is_received(self.ports.input);
        let free = &mut state.entries[(state.first + state.count) as usize % 4];
        *free = if is_received { edge.signals.word(self.ports.input, 0) } else { *free };
        state.first = (state.first + u32::from(is_sent)) % 4;
        state.count = state.count + u32::from(is_received) - u32::from(is_sent);
    }
    fn idle(&self) -> Idle {
        if self.state.count == 0 { Idle::UntilInput } else { Idle::No }
    }
    plain_state!(FifoState);
}

ports! {
    /// One input, one output, and one more that may stay unconnected, all of one type.
    pub struct PassPorts {
        /// The values.
        pub input: Input<Any>,
        /// The same values.
        pub output: Output<Any>,
        /// The same values once more, for an observer.
        pub copy: OrUnconnected<Output<Any>>,
    }
}

/// A register for values of any width. Its copy is offered whether or not it is accepted.
pub struct Register {
    ports: PassPorts,
    state: Option<Vec<u64>>,
}

impl Module for Register {
    type Parameters = ();
    type Ports = PassPorts;
    type State = Option<Vec<u64>>;

    fn declaration() -> Declaration {
        declare::<(), PassPorts>("register", &[])
    }
    fn new((): (), ports: PassPorts) -> Result<Self, String> {
        Ok(Self { ports, state: None })
    }
    fn processes(&self) -> Vec<Process> {
        vec![
            Process::new(FORWARD).drives([data(PassPorts::OUTPUT), data(PassPorts::COPY)]),
            Process::new(BACKWARD).drives([ack(PassPorts::INPUT)]).reads([ack(PassPorts::OUTPUT)]),
        ]
    }
    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        if code == FORWARD {
            signals.write_words(self.ports.output, self.state.as_deref());
            signals.write_words(self.ports.copy.port, self.state.as_deref());
        } else {
            let accepts = self.state.is_none() | signals.is_acknowledged(self.ports.output);
            signals.acknowledge(self.ports.input, accepts);
        }
    }
    fn commit(&mut self, edge: &mut Edge<'_>) {
        if edge.signals.is_received(self.ports.input) {
            let mut words = Vec::new();
            edge.signals.read_words(self.ports.input, &mut words);
            self.state = Some(words);
        } else if edge.signals.is_sent(self.ports.output) {
            self.state = None;
        }
    }
    fn idle(&self) -> Idle {
        if self.state.is_none() { Idle::UntilInput } else { Idle::No }
    }
    plain_state!(Option<Vec<u64>>);
}

/// Passes values on within the cycle and counts; a module that may sleep although its acknowledgement follows another. The
/// stalling form keeps no account of idle cycles, and sleeps also while a value is refused.
pub struct Wire<const SLEEPS: bool, const STALLS: bool> {
    ports: PassPorts,
    state: u64,
}

impl<const SLEEPS: bool, const STALLS: bool> Module for Wire<SLEEPS, STALLS> {
    type Parameters = ();
    type Ports = PassPorts;
    type State = u64;
    const SLEEPS: bool = SLEEPS;
    const ACCOUNTS_FOR_SLEEP: bool = !STALLS;

    fn declaration() -> Declaration {
        let kind = match (SLEEPS, STALLS) {
            (_, true) => "stalling_wire",
            (true, false) => "sleeping_wire",
            (false, false) => "wire",
        };
        declare::<(), PassPorts>(kind, &[("moved", "values passed on"), ("idle", "cycles without a value")])
    }
    fn new((): (), ports: PassPorts) -> Result<Self, String> {
        Ok(Self { ports, state: 0 })
    }
    fn processes(&self) -> Vec<Process> {
        vec![
            Process::new(FORWARD)
                .drives([data(PassPorts::OUTPUT), data(PassPorts::COPY)])
                .reads([data(PassPorts::INPUT)]),
            Process::new(BACKWARD).drives([ack(PassPorts::INPUT)]).reads([ack(PassPorts::OUTPUT)]),
        ]
    }
    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        if code == FORWARD {
            signals.forward(self.ports.input, self.ports.output);
            signals.forward(self.ports.input, self.ports.copy.port);
        } else {
            signals.acknowledge(self.ports.input, signals.is_acknowledged(self.ports.output));
        }
    }
    fn commit(&mut self, edge: &mut Edge<'_>) {
        let moved = edge.signals.is_received(self.ports.input);
        self.state += u64::from(moved);
        edge.count(0, u64::from(moved));
        edge.count(1, u64::from(!STALLS && !edge.signals.is_present(self.ports.input)));
    }
    fn idle(&self) -> Idle {
        if STALLS { Idle::UntilTransfer } else { Idle::UntilInput }
    }
    fn slept(&mut self, _: u64, count: u64, counters: &mut [u64]) {
        counters[1] += count;
    }
    plain_state!(u64);
}
