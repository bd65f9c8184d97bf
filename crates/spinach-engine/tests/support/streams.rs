//! Sources and sinks of values.

use serde::{Deserialize, Serialize};
use spinach_engine::{
    Any, Declaration, Edge, Idle, Input, Module, Output, Process, Signals, Value, ValueType, ack, data,
    parameters, ports,
};

use super::declare;
use super::random::Random;
use crate::plain_state;

parameters! {
    /// Parameters of a source or a sink.
    pub struct StreamParameters {
        /// Seed of the pseudo-random sequence.
        pub seed: u64 = 0,
        /// Percentage of cycles in which a source has a new value, or a sink accepts.
        pub percent: u64 = 75 => in 0..=100,
        /// True if a source replaces a refused value by another.
        pub fickle: bool = false,
        /// Number of values after which a source stops.
        pub limit: u64 = u64::MAX,
        /// For sinks: whether they make up their mind anew only when something is offered, rather than in every cycle.
        pub patient: bool = false,
    }
}

ports! {
    /// The port of a source.
    pub struct SourcePorts {
        /// Pseudo-random words.
        pub output: Output<u64>,
    }
}

/// Present and future offers of a source.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SourceState {
    random: Random,
    offered: Option<u64>,
    made: u64,
}

impl SourceState {
    fn new(parameters: &StreamParameters) -> Self {
        let mut state = Self { random: Random::new(parameters.seed), offered: None, made: 0 };
        state.renew(parameters);
        state
    }

    #[inline]
    fn renew(&mut self, parameters: &StreamParameters) {
        if self.made == parameters.limit {
            self.offered = None;
            return;
        }
        let number = self.random.draw();
        let is_due = number % 100 < parameters.percent;
        self.made += u64::from(is_due);
        self.offered = is_due.then_some(number >> 8);
    }

    #[inline]
    fn commit(&mut self, parameters: &StreamParameters, is_sent: bool) {
        if self.offered.is_none() | is_sent | parameters.fickle {
            self.renew(parameters);
        }
    }
}

/// Offers pseudo-random words.
pub struct Source {
    parameters: StreamParameters,
    ports: SourcePorts,
    state: SourceState,
}

impl Module for Source {
    type Parameters = StreamParameters;
    type Ports = SourcePorts;
    type State = SourceState;

    fn declaration() -> Declaration {
        declare::<StreamParameters, SourcePorts>("source", &[("sent", "values that were accepted")])
    }

    fn new(parameters: StreamParameters, ports: SourcePorts) -> Result<Self, String> {
        let state = SourceState::new(&parameters);
        Ok(Self { parameters, ports, state })
    }

    fn processes(&self) -> Vec<Process> {
        vec![Process::new(0).drives([data(SourcePorts::OUTPUT)])]
    }

    #[inline]
    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        signals.write(self.ports.output, self.state.offered);
    }

    #[inline]
    fn commit(&mut self, edge: &mut Edge<'_>) {
        let is_sent = edge.signals.is_sent(self.ports.output);
        edge.count(0, u64::from(is_sent));
        self.state.commit(&self.parameters, is_sent);
    }

    fn idle(&self) -> Idle {
        let is_done = self.state.made == self.parameters.limit && self.state.offered.is_none();
        if is_done { Idle::UntilInput } else { Idle::No }
    }

    plain_state!(SourceState);
}

/// Three words that belong together.
#[derive(Clone, Copy, Debug)]
pub struct Triple(pub [u64; 3]);

impl Value for Triple {
    const TYPE: ValueType = ValueType { name: "triple", words: 3 };
    fn load(word: impl Fn(u32) -> u64) -> Self {
        Self([word(0), word(1), word(2)])
    }
    fn store(self, mut word: impl FnMut(u32, u64)) {
        (0..).zip(self.0).for_each(|(index, bits)| word(index, bits));
    }
}

ports! {
    /// The port of a wide source.
    pub struct WideSourcePorts {
        /// Pseudo-random triples.
        pub output: Output<Triple>,
    }
}

/// Offers pseudo-random triples.
pub struct WideSource {
    parameters: StreamParameters,
    ports: WideSourcePorts,
    state: SourceState,
}

impl Module for WideSource {
    type Parameters = StreamParameters;
    type Ports = WideSourcePorts;
    type State = SourceState;

    fn declaration() -> Declaration {
        declare::<StreamParameters, WideSourcePorts>("wide_source", &[])
    }

    fn new(parameters: StreamParameters, ports: WideSourcePorts) -> Result<Self, String> {
        let state = SourceState::new(&parameters);
        Ok(Self { parameters, ports, state })
    }

    fn processes(&self) -> Vec<Process> {
        vec![Process::new(0).drives([data(WideSourcePorts::OUTPUT)])]
    }

    #[inline]
    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        let triple = self.state.offered.map(|word| Triple([word, !word, word.rotate_left(7)]));
        signals.write(self.ports.output, triple);
    }

    #[inline]
    fn commit(&mut self, edge: &mut Edge<'_>) {
        self.state.commit(&self.parameters, edge.signals.is_sent(self.ports.output));
    }

    fn idle(&self) -> Idle {
        let is_done = self.state.made == self.parameters.limit && self.state.offered.is_none();
        if is_done { Idle::UntilInput } else { Idle::No }
    }

    plain_state!(SourceState);
}

ports! {
    /// The port of a sink.
    pub struct SinkPorts {
        /// Values of any type.
        pub input: Input<Any>,
    }
}

/// Input of a sink, and its acceptance.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SinkState {
    random: Random,
    accepts: bool,
    /// Depends on every accepted value and on the order in which they came.
    pub checksum: u64,
}

/// Accepts in some cycles, pseudo-randomly.
pub struct Sink {
    parameters: StreamParameters,
    ports: SinkPorts,
    state: SinkState,
}

impl Module for Sink {
    type Parameters = StreamParameters;
    type Ports = SinkPorts;
    type State = SinkState;

    fn declaration() -> Declaration {
        declare::<StreamParameters, SinkPorts>("sink", &[("received", "values that were accepted")])
    }

    fn new(parameters: StreamParameters, ports: SinkPorts) -> Result<Self, String> {
        let mut random = Random::new(parameters.seed);
        let accepts = random.chance(parameters.percent);
        Ok(Self { parameters, ports, state: SinkState { random, accepts, checksum: 0 } })
    }

    fn processes(&self) -> Vec<Process> {
        vec![Process::new(0).drives([ack(SinkPorts::INPUT)])]
    }

    #[inline]
    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        signals.acknowledge(self.ports.input, self.state.accepts);
    }

    #[inline]
    fn commit(&mut self, edge: &mut Edge<'_>) {
        if edge.signals.is_received(self.ports.input) {
            for index in 0..self.ports.input.words() {
                let word = edge.signals.word(self.ports.input, index);
                self.state.checksum = (self.state.checksum ^ word).wrapping_mul(0x100_0000_01b3);
            }
            edge.count(0, 1);
        }
        if !self.parameters.patient || edge.signals.is_present(self.ports.input) {
            self.state.accepts = self.state.random.chance(self.parameters.percent);
        }
    }

    fn idle(&self) -> Idle {
        if self.parameters.patient { Idle::UntilInput } else { Idle::No }
    }

    plain_state!(SinkState);
}

/// Accepts everything and forgets it; without state, so that nothing looks at what its source does.
pub struct Plug {
    state: (),
}

impl Module for Plug {
    type Parameters = ();
    type Ports = SinkPorts;
    type State = ();
    const COMMITS: bool = false;

    fn declaration() -> Declaration {
        declare::<(), SinkPorts>("plug", &[])
    }
    fn new((): (), _: SinkPorts) -> Result<Self, String> {
        Ok(Self { state: () })
    }
    fn processes(&self) -> Vec<Process> {
        vec![Process::new(0).accepts([SinkPorts::INPUT])]
    }
    plain_state!(());
}
