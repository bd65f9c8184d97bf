//! `bridge`: takes requests and answers between two clock domains.

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Any, AnyNumber, Declaration, Edge, Input, Module, Output, Process, Rest, Signals, ack, data, parameters,
    ports,
};

use super::crossing::Passage;

parameters! {
    /// What a bridge can be told.
    pub struct BridgeParameters {
        /// How many values fit into each lane of each direction. A value can move in every cycle of the slower clock if this covers
        /// the way there and back: `2 * stages + 2` is enough at any ratio of the clocks.
        pub depth: u32 = 8 => in 1..=65536,
        /// How many flip-flops synchronize each pointer with the other clock.
        pub stages: u32 = 2 => in 1..=8,
    }
}

ports! {
    /// Where a bridge is connected.
    pub struct BridgePorts {
        /// What initiators ask for.
        pub initiator_request: AnyNumber<Input<Any<'Q'>>> => bundle "initiator.request" => clock 0,
        /// The answers.
        pub initiator_response: AnyNumber<Output<Any<'R'>>> => bundle "initiator.response" => clock 0,
        /// What targets are asked, on the lanes of the requests.
        pub target_request: AnyNumber<Output<Any<'Q'>>> => bundle "target.request" => clock 1,
        /// Their answers.
        pub target_response: AnyNumber<Input<Any<'R'>>> => bundle "target.response" => clock 1,
    }
}

/// The values inside, and what each side knows of the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BridgeState {
    there: Vec<Passage>,
    back: Vec<Passage>,
    // How many requests were refused at the last edge of `from`.
    refused: u64,
}

/// Takes requests and answers between two clock domains. See its declaration.
pub struct Bridge {
    ports: BridgePorts,
    state: BridgeState,
}

const NEAR: u16 = 0;
const FAR: u16 = 1;

const FROM: usize = 0;

const REQUESTS: usize = 0;
const RESPONSES: usize = 1;
const FULL: usize = 2;

impl Module for Bridge {
    type Parameters = BridgeParameters;
    type Ports = BridgePorts;
    type State = BridgeState;

    const SLEEPS: bool = true;

    fn declaration() -> Declaration {
        Declaration {
            kind: "bridge",
            family: "interconnect",
            documentation: "Takes requests and answers between two clock domains.\n\nAs many lanes as are connected, each an asynchronous \
                            FIFO there and one back; requests of all lanes carry one type, answers another. The lanes know \
                            nothing of each other, and need not have both directions.",
            timing: "Each lane is registered on both sides, as `asynchronous_fifo` is.",
            source: "Cummings: Simulation and synthesis techniques for asynchronous FIFO design, SNUG 2002",
            parameters: BridgeParameters::declare(),
            ports: BridgePorts::declare(),
            counters: &[
                ("requests", "requests that left"),
                ("responses", "answers that left"),
                ("full_cycles", "cycles times lanes in which a value was refused"),
            ],
            clocks: &["from", "to"],
        }
    }

    fn new(parameters: BridgeParameters, ports: BridgePorts) -> Result<Self, String> {
        let (there, back) = (ports.initiator_request.len(), ports.target_response.len());
        if there != ports.target_request.len() || back != ports.initiator_response.len() {
            return Err("each lane must be connected on both sides".to_owned());
        }
        if there + back == 0 {
            return Err("nothing is connected: connect `initiator` and `target`".to_owned());
        }
        let passage = |words| Passage::new(words, parameters.depth, parameters.stages);
        let state = BridgeState {
            there: ports.initiator_request.iter().map(|port| passage(port.words())).collect(),
            back: ports.target_response.iter().map(|port| passage(port.words())).collect(),
            refused: 0,
        };
        Ok(Self { ports, state })
    }

    fn processes(&self) -> Vec<Process> {
        type P = BridgePorts;
        let connected = |is_connected: bool, signal| is_connected.then_some(signal);
        let (there, back) = (!self.state.there.is_empty(), !self.state.back.is_empty());
        let near =
            [connected(there, ack(P::INITIATOR_REQUEST)), connected(back, data(P::INITIATOR_RESPONSE))];
        let far = [connected(there, data(P::TARGET_REQUEST)), connected(back, ack(P::TARGET_RESPONSE))];
        vec![
            Process::new(NEAR).drives(near.into_iter().flatten()),
            Process::new(FAR).drives(far.into_iter().flatten()),
        ]
    }

    fn settle(&self, code: u16, _: u32, signals: &mut Signals) {
        let (ports, state) = (&self.ports, &self.state);
        if code == NEAR {
            for (passage, input) in state.there.iter().zip(&*ports.initiator_request) {
                passage.settle_input(*input, signals);
            }
            for (passage, output) in state.back.iter().zip(&*ports.initiator_response) {
                passage.settle_output(*output, signals);
            }
        } else {
            for (passage, output) in state.there.iter().zip(&*ports.target_request) {
                passage.settle_output(*output, signals);
            }
            for (passage, input) in state.back.iter().zip(&*ports.target_response) {
                passage.settle_input(*input, signals);
            }
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let (ports, state) = (&self.ports, &mut self.state);
        let (mut left, mut refused) = (0, 0);
        if edge.clock == FROM {
            for (passage, input) in state.there.iter_mut().zip(&*ports.initiator_request) {
                refused += u64::from(passage.commit_input(*input, edge));
            }
            for (passage, output) in state.back.iter_mut().zip(&*ports.initiator_response) {
                left += u64::from(passage.commit_output(*output, edge));
            }
            state.refused = refused;
            edge.count(RESPONSES, left);
        } else {
            for (passage, output) in state.there.iter_mut().zip(&*ports.target_request) {
                left += u64::from(passage.commit_output(*output, edge));
            }
            for (passage, input) in state.back.iter_mut().zip(&*ports.target_response) {
                refused += u64::from(passage.commit_input(*input, edge));
            }
            edge.count(REQUESTS, left);
        }
        edge.count(FULL, refused);
    }

    // Requests that are refused are counted in `slept`, in cycles of `from`; answers that are refused, in each cycle of `to`.
    fn rest(&self) -> Rest {
        let BridgeState { there, back, .. } = &self.state;
        let rests = there.iter().all(Passage::is_settled)
            && back.iter().all(|passage| passage.is_settled() && passage.has_room());
        if rests { Rest::UntilTransfer } else { Rest::Busy }
    }

    fn slept(&mut self, _: u64, count: u64, counters: &mut [u64]) {
        counters[FULL] += self.state.refused * count;
    }

    fn state(&self) -> &BridgeState {
        &self.state
    }

    fn restore(&mut self, state: BridgeState) -> Result<(), String> {
        let lanes = |state: &BridgeState| (state.there.len(), state.back.len());
        if lanes(&state) != lanes(&self.state) {
            return Err("the saved bridge has other lanes".to_owned());
        }
        let mine = self.state.there.iter().chain(&self.state.back);
        mine.zip(state.there.iter().chain(&state.back)).try_for_each(|(own, saved)| own.check(saved))?;
        self.state = state;
        Ok(())
    }
}
