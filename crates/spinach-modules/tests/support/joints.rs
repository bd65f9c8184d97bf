//! Ends of a joint through which responses pass as writes of their data.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::{OrUnconnected, Ports};
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Idle, Input, Joint, JointValue, Module, Output, Process, Signals, data, parameters,
    ports,
};
use spinach_modules::values::{Reference, Response};

ports! {
    pub struct DeparturesPorts {
        /// Responses.
        pub input: Input<Response>,
        /// The other end.
        pub far: OrUnconnected<Output<Joint>>,
    }
}

/// Takes responses into a joint.
pub(crate) struct Departures(DeparturesPorts);

impl Module for Departures {
    type Parameters = ();
    type Ports = DeparturesPorts;
    type State = ();

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "test_departures",
            family: "test",
            documentation: "Takes responses into a joint.",
            timing: "It accepts in every cycle.",
            source: "None.",
            parameters: Vec::new(),
            ports: DeparturesPorts::declare(),
            counters: &[],
            clocks: &["clock"],
        }
    }

    fn new((): (), ports: DeparturesPorts) -> Result<Self, String> {
        Ok(Self(ports))
    }

    fn processes(&self) -> Vec<Process> {
        vec![Process::new(0).accepts([DeparturesPorts::INPUT])]
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        if let Some(response) = edge.signals.received(self.0.input) {
            edge.send_through_joint(vec![response.data as u64], None);
        }
    }

    fn idle(&self) -> Idle {
        Idle::UntilInput
    }

    fn state(&self) -> &() {
        &()
    }

    fn restore(&mut self, (): ()) -> Result<(), String> {
        Ok(())
    }
}

parameters! {
    pub struct ArrivalsParameters {
        /// Number of cycles that a value takes.
        pub delay: u64 = 2,
    }
}

ports! {
    pub struct ArrivalsPorts {
        /// The other end.
        pub near: OrUnconnected<Input<Joint>>,
        /// Writes.
        pub output: Output<Reference>,
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ArrivalsState {
    /// The cycles in which values may leave, and the values.
    travelling: VecDeque<(u64, u64)>,
    presented: Option<u64>,
}

/// Presents what arrives through a joint.
pub(crate) struct Arrivals {
    delay: u64,
    ports: ArrivalsPorts,
    state: ArrivalsState,
}

impl Module for Arrivals {
    type Parameters = ArrivalsParameters;
    type Ports = ArrivalsPorts;
    type State = ArrivalsState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "test_arrivals",
            family: "test",
            documentation: "Presents what arrives through a joint.",
            timing: "Registered.",
            source: "None.",
            parameters: ArrivalsParameters::declare(),
            ports: ArrivalsPorts::declare(),
            counters: &[],
            clocks: &["clock"],
        }
    }

    fn new(ArrivalsParameters { delay }: ArrivalsParameters, ports: ArrivalsPorts) -> Result<Self, String> {
        Ok(Self { delay, ports, state: ArrivalsState::default() })
    }

    fn processes(&self) -> Vec<Process> {
        vec![Process::new(0).drives([data(ArrivalsPorts::OUTPUT)])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        let write = self.state.presented.map(|it| Reference::write(0x404 + 4 * (it % 2), 4, (it / 2).into()));
        signals.write(self.ports.output, write);
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let ArrivalsState { travelling, presented } = &mut self.state;
        if edge.signals.is_sent(self.ports.output) {
            *presented = None;
        }
        if presented.is_none() && travelling.front().is_some_and(|(cycle, _)| *cycle <= edge.cycle() + 1) {
            *presented = travelling.pop_front().map(|(_, value)| value);
        }
    }

    fn idle(&self) -> Idle {
        match (self.state.presented, self.state.travelling.front()) {
            (Some(_), _) => Idle::No,
            (None, Some((cycle, _))) => Idle::UntilCycle(cycle - 1),
            (None, None) => Idle::UntilInput,
        }
    }

    fn arrive(&mut self, cycle: u64, value: JointValue) {
        self.state.travelling.push_back((cycle + self.delay, value.words[0]));
    }

    fn lookahead(&self) -> u64 {
        self.delay - 1
    }

    fn state(&self) -> &ArrivalsState {
        &self.state
    }

    fn restore(&mut self, state: ArrivalsState) -> Result<(), String> {
        self.state = state;
        Ok(())
    }
}
