//! The eight kinds of modules of the network, all with three ports. Each is written as a person would who cares for speed: no
//! branch depends on a value, because such branches are often mispredicted.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use spinach_engine::declaration::Ports;
use spinach_engine::{Declaration, Edge, Input, Module, Output, Process, Signals, ack, data, ports};

use crate::support::declare;
use crate::support::glue::lane_of;

ports! {
    /// Two inputs, one output.
    pub struct JoinPorts {
        /// The first input.
        pub a: Input<u64>,
        /// The second input.
        pub b: Input<u64>,
        /// The output.
        pub output: Output<u64>,
    }
}

ports! {
    /// One input, two outputs.
    pub struct SplitPorts {
        /// The input.
        pub input: Input<u64>,
        /// The first output.
        pub x: Output<u64>,
        /// The second output.
        pub y: Output<u64>,
    }
}

const FORWARD: u16 = 0;
const BACKWARD: u16 = 1;

/// Distinguishing properties of a kind.
pub trait Glue: Send + 'static {
    /// The name of the kind.
    const KIND: &'static str;
    /// True if there is a state to change.
    const COMMITS: bool;
    /// Two inputs and one output, or one and two.
    type Ports: Ports + Send;
    /// State kept from one cycle to the next.
    type State: Default + Serialize + DeserializeOwned + Send;
    /// Dependences of the outputs.
    fn processes() -> Vec<Process>;
    /// Drives the data of the outputs.
    fn forward(ports: &Self::Ports, state: &Self::State, signals: &mut Signals);
    /// Drives the acknowledgements of the inputs.
    fn backward(ports: &Self::Ports, state: &Self::State, signals: &mut Signals);
    /// Changes the state.
    fn commit(ports: &Self::Ports, state: &mut Self::State, signals: &Signals) {
        let _ = (ports, state, signals);
    }
}

/// A module of one of the kinds.
pub struct Part<G: Glue> {
    ports: G::Ports,
    state: G::State,
}

impl<G: Glue> Module for Part<G> {
    type Parameters = ();
    type Ports = G::Ports;
    type State = G::State;
    const COMMITS: bool = G::COMMITS;

    fn declaration() -> Declaration {
        declare::<(), G::Ports>(G::KIND, &[])
    }
    fn new((): (), ports: G::Ports) -> Result<Self, String> {
        Ok(Self { ports, state: G::State::default() })
    }
    fn processes(&self) -> Vec<Process> {
        G::processes()
    }
    #[inline(always)]
    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        if code == FORWARD {
            G::forward(&self.ports, &self.state, signals);
        } else {
            G::backward(&self.ports, &self.state, signals);
        }
    }
    #[inline]
    fn commit(&mut self, edge: &mut Edge<'_>) {
        G::commit(&self.ports, &mut self.state, edge.signals);
    }
    fn state(&self) -> &G::State {
        &self.state
    }
    fn restore(&mut self, state: G::State) -> Result<(), String> {
        self.state = state;
        Ok(())
    }
}

impl JoinPorts {
    fn forward() -> Process {
        Process::new(FORWARD).drives([data(Self::OUTPUT)]).reads([data(Self::A), data(Self::B)])
    }

    fn backward() -> Process {
        Process::new(BACKWARD).drives([ack(Self::A), ack(Self::B)]).reads([ack(Self::OUTPUT)])
    }

    #[inline]
    fn is_any(&self, signals: &Signals) -> bool {
        signals.is_present(self.a) | signals.is_present(self.b)
    }

    // Whatever is there counts, so that a random network keeps moving; an adder that waited for both could wait for ever.
    #[inline]
    fn sum(&self, signals: &Signals) -> u64 {
        let (a, b) = (signals.read(self.a), signals.read(self.b));
        a.unwrap_or(0).wrapping_mul(3).wrapping_add(b.unwrap_or(0))
    }

    #[inline]
    fn accept_both(&self, signals: &mut Signals) {
        let accepted = signals.is_acknowledged(self.output);
        signals.acknowledge(self.a, accepted);
        signals.acknowledge(self.b, accepted);
    }

    // True if the first input is chosen; `b_first` decides if both are there.
    #[inline]
    fn is_a_chosen(&self, b_first: bool, signals: &Signals) -> bool {
        (b_first & !signals.is_present(self.b)) | (!b_first & signals.is_present(self.a))
    }

    #[inline]
    fn pass_one(&self, b_first: bool, signals: &mut Signals) {
        let (a, b) = (signals.word(self.a, 0), signals.word(self.b, 0));
        let value = if self.is_a_chosen(b_first, signals) { a } else { b };
        signals.write_if(self.output, self.is_any(signals), value);
    }

    #[inline]
    fn accept_one(&self, b_first: bool, signals: &mut Signals) {
        let accepted = signals.is_acknowledged(self.output);
        let a_chosen = self.is_a_chosen(b_first, signals);
        let (a, b) = (signals.is_present(self.a), signals.is_present(self.b));
        signals.acknowledge(self.a, accepted & a & a_chosen);
        signals.acknowledge(self.b, accepted & b & !a_chosen);
    }

    fn choosing() -> Vec<Process> {
        vec![Self::forward(), Self::backward().reads([data(Self::A), data(Self::B)])]
    }
}

/// Sums whatever is there.
pub struct Function;

impl Glue for Function {
    const KIND: &'static str = "sum";
    const COMMITS: bool = false;
    type Ports = JoinPorts;
    type State = ();
    fn processes() -> Vec<Process> {
        vec![JoinPorts::forward(), JoinPorts::backward()]
    }
    #[inline]
    fn forward(ports: &JoinPorts, (): &(), signals: &mut Signals) {
        signals.write_if(ports.output, ports.is_any(signals), ports.sum(signals));
    }
    #[inline]
    fn backward(ports: &JoinPorts, (): &(), signals: &mut Signals) {
        ports.accept_both(signals);
    }
}

/// Sums whatever is there, and all before.
pub struct Accumulator;

impl Glue for Accumulator {
    const KIND: &'static str = "running_sum";
    const COMMITS: bool = true;
    type Ports = JoinPorts;
    type State = u64;
    fn processes() -> Vec<Process> {
        vec![JoinPorts::forward(), JoinPorts::backward()]
    }
    #[inline]
    fn forward(ports: &JoinPorts, state: &u64, signals: &mut Signals) {
        signals.write_if(ports.output, ports.is_any(signals), state.wrapping_add(ports.sum(signals)));
    }
    #[inline]
    fn backward(ports: &JoinPorts, _: &u64, signals: &mut Signals) {
        ports.accept_both(signals);
    }
    #[inline]
    fn commit(ports: &JoinPorts, state: &mut u64, signals: &Signals) {
        let sum = state.wrapping_add(ports.sum(signals));
        *state = if signals.is_sent(ports.output) { sum } else { *state };
    }
}

/// The first input goes first.
pub struct PriorityMux;

impl Glue for PriorityMux {
    const KIND: &'static str = "mux_by_priority";
    const COMMITS: bool = false;
    type Ports = JoinPorts;
    type State = ();
    fn processes() -> Vec<Process> {
        JoinPorts::choosing()
    }
    #[inline]
    fn forward(ports: &JoinPorts, (): &(), signals: &mut Signals) {
        ports.pass_one(false, signals);
    }
    #[inline]
    fn backward(ports: &JoinPorts, (): &(), signals: &mut Signals) {
        ports.accept_one(false, signals);
    }
}

/// Whichever input did not go last goes first.
pub struct RoundRobin;

impl Glue for RoundRobin {
    const KIND: &'static str = "mux_by_turns";
    const COMMITS: bool = true;
    type Ports = JoinPorts;
    type State = bool;
    fn processes() -> Vec<Process> {
        JoinPorts::choosing()
    }
    #[inline]
    fn forward(ports: &JoinPorts, b_first: &bool, signals: &mut Signals) {
        ports.pass_one(*b_first, signals);
    }
    #[inline]
    fn backward(ports: &JoinPorts, b_first: &bool, signals: &mut Signals) {
        ports.accept_one(*b_first, signals);
    }
    #[inline]
    fn commit(ports: &JoinPorts, b_first: &mut bool, signals: &Signals) {
        let was_a = signals.is_received(ports.a);
        *b_first = if signals.is_sent(ports.output) { was_a } else { *b_first };
    }
}

impl SplitPorts {
    // One value to one of the outputs.
    #[inline]
    fn offer(&self, is_present: bool, value: u64, signals: &mut Signals) {
        let is_x = lane_of(value, 2) == 0;
        signals.write_if(self.x, is_present & is_x, value);
        signals.write_if(self.y, is_present & !is_x, value);
    }

    #[inline]
    fn is_accepted(&self, value: u64, signals: &Signals) -> bool {
        let (x, y) = (signals.is_acknowledged(self.x), signals.is_acknowledged(self.y));
        if lane_of(value, 2) == 0 { x } else { y }
    }

    fn outputs() -> Process {
        Process::new(FORWARD).drives([data(Self::X), data(Self::Y)])
    }

    fn backward() -> Process {
        Process::new(BACKWARD).drives([ack(Self::INPUT)]).reads([ack(Self::X), ack(Self::Y)])
    }
}

/// Each value to both outputs, to each as soon as it accepts.
pub struct Tee;

impl Glue for Tee {
    const KIND: &'static str = "split_in_two";
    const COMMITS: bool = true;
    type Ports = SplitPorts;
    /// Outputs that have taken the present value already.
    type State = (bool, bool);
    fn processes() -> Vec<Process> {
        vec![SplitPorts::outputs().reads([data(SplitPorts::INPUT)]), SplitPorts::backward()]
    }
    #[inline]
    fn forward(ports: &SplitPorts, (x, y): &(bool, bool), signals: &mut Signals) {
        let (is_present, value) = (signals.is_present(ports.input), signals.word(ports.input, 0));
        signals.write_if(ports.x, is_present & !x, value);
        signals.write_if(ports.y, is_present & !y, value);
    }
    #[inline]
    fn backward(ports: &SplitPorts, (x, y): &(bool, bool), signals: &mut Signals) {
        let accepted = (x | signals.is_acknowledged(ports.x)) & (y | signals.is_acknowledged(ports.y));
        signals.acknowledge(ports.input, accepted);
    }
    #[inline]
    fn commit(ports: &SplitPorts, (x, y): &mut (bool, bool), signals: &Signals) {
        let is_done = signals.is_received(ports.input);
        *x = (*x | signals.is_sent(ports.x)) & !is_done;
        *y = (*y | signals.is_sent(ports.y)) & !is_done;
    }
}

/// Each value to one of the outputs.
pub struct Demux;

impl Glue for Demux {
    const KIND: &'static str = "split_by_value";
    const COMMITS: bool = false;
    type Ports = SplitPorts;
    type State = ();
    fn processes() -> Vec<Process> {
        let reads = || [data(SplitPorts::INPUT)];
        vec![SplitPorts::outputs().reads(reads()), SplitPorts::backward().reads(reads())]
    }
    #[inline]
    fn forward(ports: &SplitPorts, (): &(), signals: &mut Signals) {
        ports.offer(signals.is_present(ports.input), signals.word(ports.input, 0), signals);
    }
    #[inline]
    fn backward(ports: &SplitPorts, (): &(), signals: &mut Signals) {
        let is_accepted = ports.is_accepted(signals.word(ports.input, 0), signals);
        signals.acknowledge(ports.input, signals.is_present(ports.input) & is_accepted);
    }
}

/// One register, then one of the outputs. Full, it accepts in the cycle in which its value leaves.
pub struct Pipe;

impl Glue for Pipe {
    const KIND: &'static str = "stallable_pipe";
    const COMMITS: bool = true;
    type Ports = SplitPorts;
    /// Full flag, and the value.
    type State = (bool, u64);
    fn processes() -> Vec<Process> {
        vec![SplitPorts::outputs(), SplitPorts::backward()]
    }
    #[inline]
    fn forward(ports: &SplitPorts, (is_full, value): &(bool, u64), signals: &mut Signals) {
        ports.offer(*is_full, *value, signals);
    }
    #[inline]
    fn backward(ports: &SplitPorts, (is_full, value): &(bool, u64), signals: &mut Signals) {
        signals.acknowledge(ports.input, !is_full | ports.is_accepted(*value, signals));
    }
    #[inline]
    fn commit(ports: &SplitPorts, (is_full, value): &mut (bool, u64), signals: &Signals) {
        let is_received = signals.is_received(ports.input);
        let stays = *is_full & !ports.is_accepted(*value, signals);
        *value = if is_received { signals.word(ports.input, 0) } else { *value };
        *is_full = is_received | stays;
    }
}

/// Up to four values, in a ring.
#[derive(Default, Serialize, Deserialize)]
pub struct Ring {
    first: u32,
    count: u32,
    entries: [u64; 4],
}

/// Four entries, then one of the outputs. Everything is registered, so one process drives it all.
pub struct Fifo;

impl Glue for Fifo {
    const KIND: &'static str = "four_entries";
    const COMMITS: bool = true;
    type Ports = SplitPorts;
    type State = Ring;
    fn processes() -> Vec<Process> {
        vec![SplitPorts::outputs().drives([ack(SplitPorts::INPUT)])]
    }
    #[inline]
    fn forward(ports: &SplitPorts, ring: &Ring, signals: &mut Signals) {
        ports.offer(ring.count > 0, ring.entries[ring.first as usize % 4], signals);
        signals.acknowledge(ports.input, ring.count < 4);
    }
    #[inline]
    fn backward(_: &SplitPorts, _: &Ring, _: &mut Signals) {}
    #[inline]
    fn commit(ports: &SplitPorts, ring: &mut Ring, signals: &Signals) {
        let oldest = ring.entries[ring.first as usize % 4];
        let is_sent = (ring.count > 0) & ports.is_accepted(oldest, signals);
        let is_received = signals.is_received(ports.input);
        let free = &mut ring.entries[(ring.first + ring.count) as usize % 4];
        *free = if is_received { signals.word(ports.input, 0) } else { *free };
        ring.first = (ring.first + u32::from(is_sent)) % 4;
        ring.count = ring.count + u32::from(is_received) - u32::from(is_sent);
    }
}
