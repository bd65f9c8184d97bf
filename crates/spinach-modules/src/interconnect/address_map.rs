//! `address_map`: leads the references of one initiator to one of several targets.

mod fused;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    AlreadySet, Declaration, Edge, Idle, Input, Many, Module, Output, Passage, Process, Signals, ack, data,
    parameters, ports,
};

use super::routing::{Addressing, NOWHERE, Order, Route, RouteLists, Routes};
use crate::values::{Reference, Response};

parameters! {
    /// The parameters of an address map.
    pub struct AddressMapParameters {
        /// Base address of each range.
        pub bases: Vec<u64>,
        /// Size of each range, in bytes.
        pub sizes: Vec<u64>,
        /// Target lane of each range; empty to assign the targets in order.
        pub targets: Vec<u64> = Vec::new(),
        /// If true, targets receive addresses counted from the base of the range, instead of full ones.
        pub subtract_base: bool = true,
    }
}

ports! {
    /// Ports of an address map.
    pub struct AddressMapPorts {
        /// References of the initiator.
        pub initiator: { request: Input<Reference>, response: Output<Response> },
        /// Targets, one lane each.
        pub target: { request: Many<Output<Reference>>, response: Many<Input<Response>> },
    }
}

/// Targets with outstanding answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AddressMapState {
    order: Order,
}

/// Routes the references of one initiator to several targets by address. See its declaration.
pub struct AddressMap {
    routes: Routes,
    ports: AddressMapPorts,
    state: AddressMapState,
    // No request is presented; no response is accepted.
    presents_none: AlreadySet,
    refuses: AlreadySet,
}

const REQUEST: u16 = 0;
const ACCEPT: u16 = 1;
const RESPOND: u16 = 2;
const ACCEPT_RESPONSE: u16 = 3;

const REFERENCES: usize = 0;
const FAULTS: usize = 1;
const REFUSED: usize = 2;

impl AddressMap {
    // Route of the presented reference, if it may pass.
    #[inline]
    fn passing(&self, signals: &Signals) -> Option<Route> {
        let request = self.ports.initiator_request;
        if !signals.is_present(request) {
            return None;
        }
        let words = signals.words(request);
        self.allowed(words(0), Reference::size_of(words(1)), signals)
    }

    // Route of a reference to these bytes, if it may pass.
    #[inline(always)]
    fn allowed(&self, address: u64, size: u64, signals: &Signals) -> Option<Route> {
        let route = self.routes.find(address, size);
        let order = &self.state.order;
        let response = self.ports.target_response.get(usize::from(order.oldest()));
        let is_answered = response.is_none_or(|response| signals.is_present(*response));
        order.allows(route.target, is_answered).then_some(route)
    }

    // True if the target accepts the reference; a fault is accepted at once.
    #[inline(always)]
    fn is_accepted(&self, route: Route, signals: &Signals) -> bool {
        let output = self.ports.target_request.get(usize::from(route.target));
        output.is_none_or(|output| signals.is_acknowledged(*output))
    }

    // Takes the response that is due, if the initiator does.
    #[inline(always)]
    fn take_responses(&self, is_taken: bool, signals: &mut Signals) {
        let answering = self.answering().map(usize::from);
        if answering.is_none() && signals.are_set_already(&self.refuses) {
            return;
        }
        if answering.is_some() {
            self.refuses.forget();
        }
        for (target, response) in self.ports.target_response.iter().enumerate() {
            let accepted = is_taken && answering == Some(target) && signals.is_present(*response);
            signals.acknowledge(*response, accepted);
        }
    }

    // Presents the request that passes to its target, and nothing to the others.
    fn pass_on(&self, signals: &mut Signals) {
        let passing = self.passing(signals);
        if passing.is_some() {
            self.presents_none.forget();
        } else if signals.are_set_already(&self.presents_none) {
            return;
        }
        for (target, output) in (0..).zip(&*self.ports.target_request) {
            match passing {
                Some(route) if route.target == target => {
                    signals.copy_but_first(self.ports.initiator_request, *output, route.address);
                }
                _ => signals.clear(*output),
            }
        }
    }

    // The target that answers next; `NOWHERE` if a fault does.
    #[inline]
    fn answering(&self) -> Option<u8> {
        (self.state.order.outstanding > 0).then(|| self.state.order.oldest())
    }
}

impl Module for AddressMap {
    type Parameters = AddressMapParameters;
    type Ports = AddressMapPorts;
    type State = AddressMapState;

    const SLEEPS: bool = true;

    fn declaration() -> Declaration {
        Declaration {
            kind: "address_map",
            family: "interconnect",
            documentation: "Routes the references of one initiator to several targets by address.\n\nResponses return in the \
                            order of the references. Therefore, while responses of one target are outstanding, a reference to \
                            another target is refused; it may pass in the cycle in which the last response is presented. A \
                            reference outside every range, or beyond the end of a range, returns a fault; no target sees it.",
            timing: "Combinational both ways: it adds no cycle. A fault is answered in the cycle after the reference.",
            source: "Not in the Spinach thesis; the decoder of a bus of registers",
            parameters: AddressMapParameters::declare(),
            ports: AddressMapPorts::declare(),
            counters: &[
                ("references", "references that were taken"),
                ("faults", "references among them that nothing answers to"),
                ("refused_cycles", "cycles in which a reference was refused"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: AddressMapParameters, ports: AddressMapPorts) -> Result<Self, String> {
        let targets = ports.target_request.len();
        if targets != ports.target_response.len() {
            return Err("requests and responses are not connected on the same lanes".to_owned());
        }
        let lists = RouteLists {
            bases: &parameters.bases,
            sizes: &parameters.sizes,
            interleave: &[],
            targets: &parameters.targets,
            interleave_bytes: 1,
            addressing: if parameters.subtract_base { Addressing::Compact } else { Addressing::Full },
        };
        let routes = Routes::new(&lists, targets)?;
        let (presents_none, refuses) = (AlreadySet::default(), AlreadySet::default());
        Ok(Self { routes, ports, state: AddressMapState::default(), presents_none, refuses })
    }

    fn processes(&self) -> Vec<Process> {
        type Own = AddressMapPorts;
        let presented = [data(Own::INITIATOR_REQUEST), data(Own::TARGET_RESPONSE)];
        vec![
            Process::new(REQUEST).drives([data(Own::TARGET_REQUEST)]).reads(presented),
            Process::new(ACCEPT)
                .drives([ack(Own::INITIATOR_REQUEST)])
                .reads(presented)
                .reads([ack(Own::TARGET_REQUEST)]),
            Process::new(RESPOND).drives([data(Own::INITIATOR_RESPONSE)]).reads([data(Own::TARGET_RESPONSE)]),
            Process::new(ACCEPT_RESPONSE)
                .drives([ack(Own::TARGET_RESPONSE)])
                .reads([data(Own::TARGET_RESPONSE), ack(Own::INITIATOR_RESPONSE)]),
        ]
    }

    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        let ports = &self.ports;
        match code {
            REQUEST => self.pass_on(signals),
            ACCEPT => {
                let accepted = self.passing(signals).is_some_and(|route| self.is_accepted(route, signals));
                signals.acknowledge(ports.initiator_request, accepted);
            }
            RESPOND => match self.answering() {
                None => signals.clear(ports.initiator_response),
                Some(NOWHERE) => signals.write(ports.initiator_response, Some(Response::FAULT)),
                Some(target) => {
                    signals.forward(ports.target_response[usize::from(target)], ports.initiator_response);
                }
            },
            _ => {
                let is_taken = signals.is_acknowledged(ports.initiator_response);
                self.take_responses(is_taken, signals);
            }
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        if edge.signals.is_sent(self.ports.initiator_response) {
            self.state.order.pop();
        }
        let request = self.ports.initiator_request;
        if edge.signals.is_received(request) {
            let target = self.routes.route(edge.signals, request).target;
            self.state.order.push(target);
            edge.count(REFERENCES, 1);
            edge.count(FAULTS, u64::from(target == NOWHERE));
        } else {
            edge.count(REFUSED, u64::from(edge.signals.is_present(request)));
        }
    }

    // Everything that can happen begins with a reference or a response that is presented.
    fn idle(&self) -> Idle {
        Idle::UntilInput
    }

    fn passages(&self, port: usize, _: usize) -> Vec<Passage> {
        if port == AddressMapPorts::INITIATOR_REQUEST {
            self.routes.passages(AddressMapPorts::TARGET_REQUEST)
        } else {
            Vec::new()
        }
    }

    fn state(&self) -> &AddressMapState {
        &self.state
    }

    fn restore(&mut self, state: AddressMapState) -> Result<(), String> {
        if !state.order.fits(self.ports.target_request.len()) {
            return Err("the saved address map has other targets".to_owned());
        }
        self.state = state;
        Ok(())
    }
}
