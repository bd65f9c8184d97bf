//! `cable_input` and `cable_output`: the ends of a cable.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::{OrUnconnected, Ports};
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Idle, Input, Joint, JointValue, Module, Output, Payload, Process, Signals, data,
    parameters, ports,
};

use crate::values::Frame;

parameters! {
    /// The parameters of the end of a cable that takes frames.
    pub struct CableInputParameters {}
}

ports! {
    /// Ports of the end of a cable that takes frames.
    pub struct CableInputPorts {
        /// Frames to send.
        pub input: Input<Frame>,
        /// The `cable_output` at the other end. Frames are lost if nothing is connected.
        pub far: OrUnconnected<Output<Joint>>,
    }
}

/// The frame that entered in the last cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CableInputState {
    // Stays in the store for a cycle, for observers.
    entered: Option<Payload>,
}

/// Takes frames into a cable. See its declaration.
pub struct CableInput {
    ports: CableInputPorts,
    state: CableInputState,
}

impl Module for CableInput {
    type Parameters = CableInputParameters;
    type Ports = CableInputPorts;
    type State = CableInputState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "cable_input",
            family: "interconnect",
            documentation: "Takes frames into a cable.\n\nThe `cable_output` at the other end may have another clock. The parts of a \
                            system that only cables join can run on several threads.",
            timing: "It accepts in every cycle.",
            source: "not a model of hardware",
            parameters: CableInputParameters::declare(),
            ports: CableInputPorts::declare(),
            counters: &[("transfers", "frames that entered")],
            clocks: &["clock"],
        }
    }

    fn new(_: CableInputParameters, ports: CableInputPorts) -> Result<Self, String> {
        Ok(Self { ports, state: CableInputState::default() })
    }

    fn processes(&self) -> Vec<Process> {
        vec![Process::new(0).accepts([CableInputPorts::INPUT])]
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        if let Some(entered) = self.state.entered.take() {
            edge.payloads().remove(entered);
        }
        if let Some(frame) = edge.signals.received(self.ports.input) {
            let bytes = edge.payloads().get(frame.bytes).into();
            edge.send_through_joint(vec![frame.is_intact.into(), frame.is_control.into()], Some(bytes));
            self.state.entered = Some(frame.bytes);
            edge.count(0, 1);
        }
    }

    fn idle(&self) -> Idle {
        if self.state.entered.is_some() { Idle::No } else { Idle::UntilInput }
    }

    fn state(&self) -> &CableInputState {
        &self.state
    }

    fn restore(&mut self, state: CableInputState) -> Result<(), String> {
        self.state = state;
        Ok(())
    }
}

parameters! {
    /// The parameters of the end of a cable that presents frames.
    pub struct CableOutputParameters {
        /// Number of cycles that a frame is in the cable, counted from the first edge later than the one at which it entered.
        pub delay: u32 = 2 => in 2..=65538,
    }
}

ports! {
    /// Ports of the end of a cable that presents frames.
    pub struct CableOutputPorts {
        /// The `cable_input` at the other end.
        pub near: OrUnconnected<Input<Joint>>,
        /// Frames that arrive.
        pub output: Output<Frame>,
    }
}

/// A frame in the cable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Travelling {
    bytes: Vec<u8>,
    is_intact: bool,
    is_control: bool,
    // The first cycle in which it may leave.
    cycle: u64,
}

/// The frames in the cable.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CableOutputState {
    travelling: VecDeque<Travelling>,
    presented: Option<Frame>,
}

/// Presents the frames at the end of a cable. See its declaration.
pub struct CableOutput {
    delay: u64,
    ports: CableOutputPorts,
    state: CableOutputState,
}

impl Module for CableOutput {
    type Parameters = CableOutputParameters;
    type Ports = CableOutputPorts;
    type State = CableOutputState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "cable_output",
            family: "interconnect",
            documentation: "Presents the frames at the end of a cable.\n\nFrames leave in the order in which they entered the \
                            `cable_input` at the other end. A cable holds any number of frames.",
            timing: "The output is registered. A frame leaves `delay` cycles after the first edge that is later than the one at \
                     which it entered, or later if the receiver refuses.",
            source: "not a model of hardware",
            parameters: CableOutputParameters::declare(),
            ports: CableOutputPorts::declare(),
            counters: &[("transfers", "frames that left")],
            clocks: &["clock"],
        }
    }

    fn new(parameters: CableOutputParameters, ports: CableOutputPorts) -> Result<Self, String> {
        Ok(Self { delay: parameters.delay.into(), ports, state: CableOutputState::default() })
    }

    fn processes(&self) -> Vec<Process> {
        vec![Process::new(0).drives([data(CableOutputPorts::OUTPUT)])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        signals.write(self.ports.output, self.state.presented);
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let CableOutputState { travelling, presented } = &mut self.state;
        if edge.signals.is_sent(self.ports.output) {
            *presented = None;
            edge.count(0, 1);
        }
        let next = edge.cycle() + 1;
        if presented.is_none()
            && travelling.front().is_some_and(|first| first.cycle <= next)
            && let Some(Travelling { bytes, is_intact, is_control, .. }) = travelling.pop_front()
        {
            *presented = Some(Frame { bytes: edge.payloads().insert(bytes), is_intact, is_control });
        }
    }

    fn idle(&self) -> Idle {
        match (&self.state.presented, self.state.travelling.front()) {
            (Some(_), _) => Idle::No,
            (None, Some(first)) => Idle::UntilCycle(first.cycle - 1),
            (None, None) => Idle::UntilInput,
        }
    }

    fn arrive(&mut self, cycle: u64, value: JointValue) {
        let bytes = value.payload.unwrap_or_default().into();
        let [is_intact, is_control] = [0, 1].map(|place| value.words.get(place) == Some(&1));
        let cycle = cycle + self.delay;
        self.state.travelling.push_back(Travelling { bytes, is_intact, is_control, cycle });
    }

    // The commit before it leaves takes it out of the cable.
    fn lookahead(&self) -> u64 {
        self.delay - 1
    }

    fn state(&self) -> &CableOutputState {
        &self.state
    }

    fn restore(&mut self, state: CableOutputState) -> Result<(), String> {
        if state.travelling.iter().any(|frame| frame.cycle == 0) {
            return Err("a frame in the cable leaves before it enters".to_owned());
        }
        self.state = state;
        Ok(())
    }
}
