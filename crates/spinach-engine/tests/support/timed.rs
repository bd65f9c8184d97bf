//! Modules that wait for cycles of their clock, each in a form that the engine may skip and one that it may not.

use serde::{Deserialize, Serialize};
use spinach_engine::{
    Declaration, Edge, Idle, Input, Module, OrUnconnected, Output, Process, Signals, ack, data, parameters,
    ports,
};

use super::declare;
use crate::plain_state;

parameters! {
    /// Durations of a block.
    pub struct BlockParameters {
        /// The longest time from a request to its response, in cycles.
        pub latency: u64 = 10 => in 1..=1_000_000,
        /// Cycles between two ticks; 0 for none.
        pub period: u64 = 0,
    }
}

ports! {
    /// Ports of a block.
    pub struct BlockPorts {
        /// Work.
        pub request: Input<u64>,
        /// The work, done.
        pub response: Output<u64>,
        /// The cycle number, once every period.
        pub tick: OrUnconnected<Output<u64>>,
    }
}

/// State of a block.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct BlockState {
    // The request and the cycle whose commit finishes it.
    job: Option<(u64, u64)>,
    response: Option<u64>,
    tick: Option<u64>,
    next_tick: u64,
}

/// Works on one request at a time, and ticks. The stalling form sleeps also while its values are refused.
pub struct Block<const SLEEPS: bool, const STALLS: bool> {
    parameters: BlockParameters,
    ports: BlockPorts,
    state: BlockState,
}

const BUSY: usize = 0;
const IDLE: usize = 1;

impl<const SLEEPS: bool, const STALLS: bool> Module for Block<SLEEPS, STALLS> {
    type Parameters = BlockParameters;
    type Ports = BlockPorts;
    type State = BlockState;
    const SLEEPS: bool = SLEEPS;

    fn declaration() -> Declaration {
        let kind = match (SLEEPS, STALLS) {
            (_, true) => "stalling_block",
            (true, false) => "sleeping_block",
            (false, false) => "block",
        };
        let counters = &[("busy", "cycles with a job"), ("idle", "cycles without"), ("ticks", "ticks sent")];
        declare::<BlockParameters, BlockPorts>(kind, counters)
    }

    fn new(parameters: BlockParameters, ports: BlockPorts) -> Result<Self, String> {
        let state = BlockState { next_tick: parameters.period, ..BlockState::default() };
        Ok(Self { parameters, ports, state })
    }

    fn processes(&self) -> Vec<Process> {
        vec![
            Process::new(0).drives([data(BlockPorts::RESPONSE), data(BlockPorts::TICK)]),
            Process::new(1).drives([ack(BlockPorts::REQUEST)]),
        ]
    }

    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        if code == 0 {
            signals.write(self.ports.response, self.state.response);
            signals.write(self.ports.tick.port, self.state.tick);
        } else {
            let accepts = self.state.job.is_none() && self.state.response.is_none();
            signals.acknowledge(self.ports.request, accepts);
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        edge.count(if self.state.job.is_some() { BUSY } else { IDLE }, 1);
        if edge.signals.is_sent(self.ports.response) {
            self.state.response = None;
        }
        if edge.signals.is_sent(self.ports.tick.port) {
            self.state.tick = None;
            edge.count(2, 1);
        }
        if let Some((request, ready)) = self.state.job
            && edge.cycle() >= ready
        {
            self.state.job = None;
            self.state.response = Some(request.rotate_left(9) ^ edge.cycle());
        }
        if let Some(request) = edge.signals.received(self.ports.request) {
            self.state.job = Some((request, edge.cycle() + 1 + request % self.parameters.latency));
        }
        let is_due = self.parameters.period > 0 && edge.cycle() >= self.state.next_tick;
        if is_due && self.state.tick.is_none() {
            self.state.tick = Some(edge.cycle());
            self.state.next_tick += self.parameters.period;
        }
    }

    fn idle(&self) -> Idle {
        let is_presenting = self.state.response.is_some() || self.state.tick.is_some();
        if is_presenting && !STALLS {
            return Idle::No;
        }
        let ticks = self.parameters.period > 0 && self.state.tick.is_none();
        let job = self.state.job.map(|(_, ready)| ready);
        match ticks.then_some(self.state.next_tick).into_iter().chain(job).min() {
            Some(cycle) if STALLS => Idle::UntilTransferOrCycle(cycle),
            None if STALLS => Idle::UntilTransfer,
            Some(cycle) => Idle::UntilCycle(cycle),
            None => Idle::UntilInput,
        }
    }

    fn slept(&mut self, _: u64, count: u64, counters: &mut [u64]) {
        counters[if self.state.job.is_some() { BUSY } else { IDLE }] += count;
    }

    plain_state!(BlockState);
}

parameters! {
    /// Duration of a cool-down.
    pub struct CooldownParameters {
        /// Cycles for which it refuses.
        pub cycles: u32 = 3 => in 1..=1000,
    }
}

ports! {
    /// Ports of a cool-down.
    pub struct CooldownPorts {
        /// The values.
        pub input: Input<u64>,
        /// The same values, a cycle later.
        pub output: Output<u64>,
    }
}

/// The value to be sent and the cycles to wait.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct CooldownState {
    value: Option<u64>,
    left: u32,
}

/// Refuses for some cycles after each value. Its acknowledgement changes in a cycle in which nothing else does.
pub struct Cooldown<const SLEEPS: bool> {
    parameters: CooldownParameters,
    ports: CooldownPorts,
    state: CooldownState,
}

impl<const SLEEPS: bool> Module for Cooldown<SLEEPS> {
    type Parameters = CooldownParameters;
    type Ports = CooldownPorts;
    type State = CooldownState;
    const SLEEPS: bool = SLEEPS;

    fn declaration() -> Declaration {
        let kind = if SLEEPS { "sleeping_cooldown" } else { "cooldown" };
        declare::<CooldownParameters, CooldownPorts>(kind, &[("waited", "cycles in which it refused")])
    }

    fn new(parameters: CooldownParameters, ports: CooldownPorts) -> Result<Self, String> {
        Ok(Self { parameters, ports, state: CooldownState::default() })
    }

    fn processes(&self) -> Vec<Process> {
        vec![
            Process::new(0).drives([data(CooldownPorts::OUTPUT)]),
            Process::new(1).drives([ack(CooldownPorts::INPUT)]),
        ]
    }

    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        if code == 0 {
            signals.write(self.ports.output, self.state.value);
        } else {
            signals.acknowledge(self.ports.input, self.state.left == 0 && self.state.value.is_none());
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        edge.count(0, u64::from(self.state.left > 0));
        self.state.left = self.state.left.saturating_sub(1);
        if edge.signals.is_sent(self.ports.output) {
            self.state.value = None;
        }
        if let Some(value) = edge.signals.received(self.ports.input) {
            self.state = CooldownState { value: Some(value), left: self.parameters.cycles };
        }
    }

    fn idle(&self) -> Idle {
        if self.state.left == 0 && self.state.value.is_none() { Idle::UntilInput } else { Idle::No }
    }

    plain_state!(CooldownState);
}

/// The value to be sent, whether others are accepted, and until when.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct WindowState {
    value: Option<u64>,
    is_open: bool,
    next_change: u64,
}

/// Accepts and refuses by turns. Its acknowledgement changes with a timer and nothing else does.
pub struct Window<const SLEEPS: bool> {
    parameters: CooldownParameters,
    ports: CooldownPorts,
    state: WindowState,
}

impl<const SLEEPS: bool> Module for Window<SLEEPS> {
    type Parameters = CooldownParameters;
    type Ports = CooldownPorts;
    type State = WindowState;
    const SLEEPS: bool = SLEEPS;

    fn declaration() -> Declaration {
        declare::<CooldownParameters, CooldownPorts>(if SLEEPS { "sleeping_window" } else { "window" }, &[])
    }

    fn new(parameters: CooldownParameters, ports: CooldownPorts) -> Result<Self, String> {
        let state = WindowState { next_change: u64::from(parameters.cycles), ..WindowState::default() };
        Ok(Self { parameters, ports, state })
    }

    fn processes(&self) -> Vec<Process> {
        vec![
            Process::new(0).drives([data(CooldownPorts::OUTPUT)]),
            Process::new(1).drives([ack(CooldownPorts::INPUT)]),
        ]
    }

    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        if code == 0 {
            signals.write(self.ports.output, self.state.value);
        } else {
            signals.acknowledge(self.ports.input, self.state.is_open && self.state.value.is_none());
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        if edge.signals.is_sent(self.ports.output) {
            self.state.value = None;
        }
        self.state.value = edge.signals.received(self.ports.input).or(self.state.value);
        if edge.cycle() >= self.state.next_change {
            self.state.is_open = !self.state.is_open;
            self.state.next_change += u64::from(self.parameters.cycles);
        }
    }

    fn idle(&self) -> Idle {
        if self.state.value.is_some() { Idle::No } else { Idle::UntilCycle(self.state.next_change) }
    }

    plain_state!(WindowState);
}
