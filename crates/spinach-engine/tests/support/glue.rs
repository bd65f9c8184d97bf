//! Modules that route and combine values within a cycle.

use serde::{Deserialize, Serialize};
use spinach_engine::{
    Any, Declaration, Edge, Idle, Input, Many, Module, Output, Process, Signals, ack, data, ports,
};

use super::declare;
use crate::plain_state;

const FORWARD: u16 = 0;
const BACKWARD: u16 = 1;

ports! {
    /// Two operands, one result.
    pub struct JoinPorts {
        /// The first operand.
        pub a: Input<u64>,
        /// The second operand.
        pub b: Input<u64>,
        /// The result.
        pub output: Output<u64>,
    }
}

impl JoinPorts {
    fn processes() -> Vec<Process> {
        vec![
            Process::new(FORWARD).drives([data(Self::OUTPUT)]).reads([data(Self::A), data(Self::B)]),
            Process::new(BACKWARD).drives([ack(Self::A), ack(Self::B)]).reads([
                data(Self::A),
                data(Self::B),
                ack(Self::OUTPUT),
            ]),
        ]
    }

    #[inline]
    fn evaluate(&self, code: u16, signals: &mut Signals, combine: impl Fn(u64, u64) -> u64) {
        if code == FORWARD {
            let operands = signals.read(self.a).zip(signals.read(self.b));
            signals.write(self.output, operands.map(|(a, b)| combine(a, b)));
        } else {
            let both = signals.is_present(self.a) & signals.is_present(self.b);
            let accepts = both & signals.is_acknowledged(self.output);
            signals.acknowledge(self.a, accepts);
            signals.acknowledge(self.b, accepts);
        }
    }
}

/// Adds two values that come together.
pub struct Function {
    ports: JoinPorts,
    state: (),
}

impl Module for Function {
    type Parameters = ();
    type Ports = JoinPorts;
    type State = ();
    const COMMITS: bool = false;

    fn declaration() -> Declaration {
        declare::<(), JoinPorts>("function", &[])
    }
    fn new((): (), ports: JoinPorts) -> Result<Self, String> {
        Ok(Self { ports, state: () })
    }
    fn processes(&self) -> Vec<Process> {
        JoinPorts::processes()
    }
    #[inline]
    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        self.ports.evaluate(code, signals, |a, b| a.wrapping_mul(3).wrapping_add(b));
    }
    plain_state!(());
}

/// Adds two values that come together to a running sum.
pub struct Accumulator {
    ports: JoinPorts,
    state: u64,
}

impl Module for Accumulator {
    type Parameters = ();
    type Ports = JoinPorts;
    type State = u64;

    fn declaration() -> Declaration {
        declare::<(), JoinPorts>("accumulator", &[])
    }
    fn new((): (), ports: JoinPorts) -> Result<Self, String> {
        Ok(Self { ports, state: 0 })
    }
    fn processes(&self) -> Vec<Process> {
        JoinPorts::processes()
    }
    #[inline]
    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        self.ports.evaluate(code, signals, |a, b| self.state.wrapping_add(a).wrapping_add(b));
    }
    #[inline]
    fn commit(&mut self, edge: &mut Edge<'_>) {
        if let (Some(a), Some(b)) = (edge.signals.received(self.ports.a), edge.signals.received(self.ports.b))
        {
            self.state = self.state.wrapping_add(a).wrapping_add(b);
        }
    }
    fn idle(&self) -> Idle {
        Idle::UntilInput
    }
    plain_state!(u64);
}

ports! {
    /// Many inputs, one output.
    pub struct MuxPorts {
        /// The candidates.
        pub inputs: Many<Input<Any>>,
        /// The one that is chosen.
        pub output: Output<Any>,
    }
}

impl MuxPorts {
    fn processes() -> Vec<Process> {
        vec![
            Process::new(FORWARD).drives([data(Self::OUTPUT)]).reads([data(Self::INPUTS)]),
            Process::new(BACKWARD).drives([ack(Self::INPUTS)]).reads([data(Self::INPUTS), ack(Self::OUTPUT)]),
        ]
    }

    // The first lane with a value, from lane `first` on and around; the number of lanes if there is none. Without branches that
    // depend on the values, because those are often mispredicted.
    #[inline]
    fn chosen(&self, first: usize, signals: &Signals) -> usize {
        let count = self.inputs.len();
        let (mut lowest, mut next) = (count, count);
        for lane in (0..count).rev() {
            let is_present = signals.is_present(self.inputs[lane]);
            lowest = if is_present { lane } else { lowest };
            next = if is_present & (lane >= first) { lane } else { next };
        }
        if next < count { next } else { lowest }
    }

    #[inline]
    fn evaluate(&self, code: u16, first: usize, signals: &mut Signals) {
        let chosen = self.chosen(first, signals);
        if code == FORWARD {
            match self.inputs.get(chosen) {
                Some(input) => signals.forward(*input, self.output),
                None => signals.clear(self.output),
            }
        } else {
            let accepts = signals.is_acknowledged(self.output);
            for (lane, input) in self.inputs.iter().enumerate() {
                signals.acknowledge(*input, accepts & (chosen == lane));
            }
        }
    }
}

/// Passes on the value of the lowest lane that has one.
pub struct PriorityMux {
    ports: MuxPorts,
    state: (),
}

impl Module for PriorityMux {
    type Parameters = ();
    type Ports = MuxPorts;
    type State = ();
    const COMMITS: bool = false;

    fn declaration() -> Declaration {
        declare::<(), MuxPorts>("priority_mux", &[])
    }
    fn new((): (), ports: MuxPorts) -> Result<Self, String> {
        Ok(Self { ports, state: () })
    }
    fn processes(&self) -> Vec<Process> {
        MuxPorts::processes()
    }
    #[inline]
    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        self.ports.evaluate(code, 0, signals);
    }
    plain_state!(());
}

/// Passes on the value of the first lane that has one, counted from the one after the last that was passed on.
pub struct RoundRobin {
    ports: MuxPorts,
    state: u32,
}

impl Module for RoundRobin {
    type Parameters = ();
    type Ports = MuxPorts;
    type State = u32;

    fn declaration() -> Declaration {
        declare::<(), MuxPorts>("round_robin", &[("granted", "values passed on")])
    }
    fn new((): (), ports: MuxPorts) -> Result<Self, String> {
        Ok(Self { ports, state: 0 })
    }
    fn processes(&self) -> Vec<Process> {
        MuxPorts::processes()
    }
    #[inline]
    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        self.ports.evaluate(code, self.state as usize, signals);
    }
    #[inline]
    fn commit(&mut self, edge: &mut Edge<'_>) {
        let inputs = &self.ports.inputs;
        if edge.signals.is_sent(self.ports.output) {
            let granted = inputs.iter().position(|input| edge.signals.is_received(*input));
            let next = granted.map_or(0, |lane| if lane + 1 == inputs.len() { 0 } else { lane + 1 });
            self.state = u32::try_from(next).unwrap_or(0);
            edge.count(0, 1);
        }
    }
    fn idle(&self) -> Idle {
        Idle::UntilInput
    }
    plain_state!(u32);
}

ports! {
    /// One input, many outputs.
    pub struct TeePorts {
        /// The values.
        pub input: Input<Any>,
        /// Outputs.
        pub outputs: Many<Output<Any>>,
    }
}

/// Outputs that have taken the present value already; lanes beyond 64 are not supported.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct TeeState {
    taken: u64,
}

/// Gives each value to every output once, to each as soon as it accepts.
pub struct Tee {
    ports: TeePorts,
    state: TeeState,
}

impl Module for Tee {
    type Parameters = ();
    type Ports = TeePorts;
    type State = TeeState;

    fn declaration() -> Declaration {
        declare::<(), TeePorts>("tee", &[])
    }
    fn new((): (), ports: TeePorts) -> Result<Self, String> {
        if ports.outputs.len() > 64 {
            return Err(format!("{} outputs are more than 64", ports.outputs.len()));
        }
        Ok(Self { ports, state: TeeState::default() })
    }
    fn processes(&self) -> Vec<Process> {
        vec![
            Process::new(FORWARD).drives([data(TeePorts::OUTPUTS)]).reads([data(TeePorts::INPUT)]),
            Process::new(BACKWARD).drives([ack(TeePorts::INPUT)]).reads([ack(TeePorts::OUTPUTS)]),
        ]
    }
    #[inline]
    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        if code == FORWARD {
            for (lane, output) in self.ports.outputs.iter().enumerate() {
                if self.state.taken >> lane & 1 == 0 {
                    signals.forward(self.ports.input, *output);
                } else {
                    signals.clear(*output);
                }
            }
        } else {
            let mut accepts = true;
            for (lane, output) in self.ports.outputs.iter().enumerate() {
                accepts &= (self.state.taken >> lane & 1 == 1) | signals.is_acknowledged(*output);
            }
            signals.acknowledge(self.ports.input, accepts);
        }
    }
    #[inline]
    fn commit(&mut self, edge: &mut Edge<'_>) {
        if !edge.signals.is_present(self.ports.input) {
            return;
        }
        let mut taken = self.state.taken;
        for (lane, output) in self.ports.outputs.iter().enumerate() {
            taken |= u64::from(edge.signals.is_sent(*output)) << lane;
        }
        self.state.taken = if edge.signals.is_received(self.ports.input) { 0 } else { taken };
    }
    fn idle(&self) -> Idle {
        Idle::UntilInput
    }
    plain_state!(TeeState);
}

ports! {
    /// One input, many outputs.
    pub struct DemuxPorts {
        /// The values.
        pub input: Input<u64>,
        /// Each value goes to the lane that its remainder by their number names.
        pub outputs: Many<Output<u64>>,
    }
}

/// Passes each value on to one of its outputs.
pub struct Demux {
    ports: DemuxPorts,
    state: (),
}

impl Module for Demux {
    type Parameters = ();
    type Ports = DemuxPorts;
    type State = ();
    const COMMITS: bool = false;

    fn declaration() -> Declaration {
        declare::<(), DemuxPorts>("demux", &[])
    }
    fn new((): (), ports: DemuxPorts) -> Result<Self, String> {
        Ok(Self { ports, state: () })
    }
    fn processes(&self) -> Vec<Process> {
        vec![
            Process::new(FORWARD).drives([data(DemuxPorts::OUTPUTS)]).reads([data(DemuxPorts::INPUT)]),
            Process::new(BACKWARD)
                .drives([ack(DemuxPorts::INPUT)])
                .reads([data(DemuxPorts::INPUT), ack(DemuxPorts::OUTPUTS)]),
        ]
    }
    #[inline]
    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        let is_present = signals.is_present(self.ports.input);
        let value = signals.word(self.ports.input, 0);
        let chosen = lane_of(value, self.ports.outputs.len());
        if code == FORWARD {
            for (lane, output) in self.ports.outputs.iter().enumerate() {
                signals.write_if(*output, is_present & (chosen == lane), value);
            }
        } else {
            let accepts = is_present & signals.is_acknowledged(self.ports.outputs[chosen]);
            signals.acknowledge(self.ports.input, accepts);
        }
    }
    plain_state!(());
}

/// The lane among `lanes` that `value` belongs to.
#[inline]
pub fn lane_of(value: u64, lanes: usize) -> usize {
    let hash = u64::from((value ^ (value >> 7)) as u32);
    ((hash * lanes as u64) >> 32) as usize
}
