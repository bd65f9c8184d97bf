//! `bridge`: takes requests and answers between two clock domains.

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    AlreadySet, Any, AnyNumber, Declaration, Edge, Idle, Input, LastLanes, Module, Output, Process, Signals,
    ack, data, parameters, ports,
};

use super::crossing::Passage;
use crate::bits::{lowest, ones, set_bit};

/// Lanes are numbered by bits of a word.
const MAXIMUM_LANES: usize = 64;

parameters! {
    /// The parameters of a bridge.
    pub struct BridgeParameters {
        /// Number of values that fit into each lane of each direction. A value can move in every cycle of the slower clock if
        /// this covers the way there and back: `2 * stages + 2` is enough at any ratio of the clocks.
        pub depth: u32 = 8 => in 1..=65536,
        /// Number of flip-flops that synchronize each pointer with the other clock. 0 for clocks that one source makes: a value is seen at
        /// the first edge of the other clock after it was written.
        pub stages: u32 = 2 => in 0..=8,
    }
}

ports! {
    /// Ports of a bridge.
    pub struct BridgePorts {
        /// Initiators, at most 64 lanes.
        pub initiator: { request: AnyNumber<Input<Any<'Q'>>>, response: AnyNumber<Output<Any<'R'>>> } => clock 0,
        /// Targets, on the lanes of the initiators.
        pub target: { request: AnyNumber<Output<Any<'Q'>>>, response: AnyNumber<Input<Any<'R'>>> } => clock 1,
    }
}

/// The values inside, and the view of each side of the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BridgeState {
    there: Vec<Passage>,
    back: Vec<Passage>,
    // Number of requests that were refused at the last edge of `from`.
    refused: u64,
}

// Actions of the passages of one direction at the coming edges, one bit each; follows from the passages.
#[derive(Debug, Default)]
struct Lanes {
    // The receiving side accepts, and the sending side presents.
    open: u64,
    full: u64,
    // A pointer is on its way to the receiving side, or to the sending side.
    receiver_learns: u64,
    sender_learns: u64,
    last_open: LastLanes,
    last_full: LastLanes,
}

/// Carries requests and responses between two clock domains. See its declaration.
pub struct Bridge {
    ports: BridgePorts,
    state: BridgeState,
    there: Lanes,
    back: Lanes,
    // True if the outputs of each side are as they should be.
    near_settled: AlreadySet,
    far_settled: AlreadySet,
}

const NEAR: u16 = 0;
const FAR: u16 = 1;

const FROM: u32 = 0;

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
            documentation: "Carries requests and responses between two clock domains.\n\nEach connected lane has an asynchronous \
                            FIFO in each direction. Requests of all lanes have one type, responses another. Lanes are \
                            independent, and need not have both directions.",
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
        if there.max(back) > MAXIMUM_LANES {
            return Err(format!("{} lanes are more than {MAXIMUM_LANES}", there.max(back)));
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
        let (there, back) = (Lanes::of(&state.there), Lanes::of(&state.back));
        let (near_settled, far_settled) = (AlreadySet::default(), AlreadySet::default());
        Ok(Self { ports, state, there, back, near_settled, far_settled })
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

    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        let (ports, state) = (&self.ports, &self.state);
        let settled = if code == NEAR { &self.near_settled } else { &self.far_settled };
        if signals.are_set_already(settled) {
            return;
        }
        if code == NEAR {
            self.there.accept(&ports.initiator_request, signals);
            self.back.present(&state.back, &ports.initiator_response, signals);
        } else {
            self.there.present(&state.there, &ports.target_request, signals);
            self.back.accept(&ports.target_response, signals);
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        if edge.clock == FROM { self.commit_near(edge) } else { self.commit_far(edge) }
    }

    // Requests that are refused are counted in `slept`, in cycles of `from`; answers that are refused, in each cycle of `to`.
    fn idle(&self) -> Idle {
        let all = lowest(self.state.back.len());
        let rests = self.there.are_settled() && self.back.are_settled() && self.back.open == all;
        if rests { Idle::UntilTransfer } else { Idle::No }
    }

    #[inline]
    fn outputs_are_set(&self, signals: &Signals) -> bool {
        signals.are_set(&self.near_settled) && signals.are_set(&self.far_settled)
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
        (self.there, self.back) = (Lanes::of(&state.there), Lanes::of(&state.back));
        self.near_settled.forget();
        self.far_settled.forget();
        self.state = state;
        Ok(())
    }
}

impl Bridge {
    #[inline(always)]
    fn commit_near(&mut self, edge: &mut Edge<'_>) {
        let Self { ports, state, there, back, near_settled, far_settled } = self;
        let present = edge.signals.lanes_present(&ports.initiator_request);
        let before = (there.open, back.full);
        let far_before = (there.full, back.open);
        let refused = u64::from((present & !there.open).count_ones());
        state.refused = refused;
        if refused != 0 {
            edge.count(FULL, refused);
        }
        if there.rests_at_receiver(present) && back.rests_at_sender() {
            return;
        }
        there.receive(present, &mut state.there, &ports.initiator_request, edge);
        let left = back.send(&mut state.back, &ports.initiator_response, edge);
        edge.count(RESPONSES, left);
        if left > 0 || before != (there.open, back.full) {
            near_settled.forget();
        }
        // Without flip-flops the other side sees changes at once.
        if far_before != (there.full, back.open) {
            far_settled.forget();
        }
    }

    #[inline(always)]
    fn commit_far(&mut self, edge: &mut Edge<'_>) {
        let Self { ports, state, there, back, near_settled, far_settled } = self;
        let present = edge.signals.lanes_present(&ports.target_response);
        let before = (back.open, there.full);
        let near_before = (back.full, there.open);
        let refused = u64::from((present & !back.open).count_ones());
        if refused != 0 {
            edge.count(FULL, refused);
        }
        if back.rests_at_receiver(present) && there.rests_at_sender() {
            return;
        }
        let left = there.send(&mut state.there, &ports.target_request, edge);
        back.receive(present, &mut state.back, &ports.target_response, edge);
        edge.count(REQUESTS, left);
        if left > 0 || before != (back.open, there.full) {
            far_settled.forget();
        }
        if near_before != (back.full, there.open) {
            near_settled.forget();
        }
    }
}

impl Lanes {
    fn of(passages: &[Passage]) -> Self {
        let mut lanes = Self::default();
        for (lane, passage) in passages.iter().enumerate() {
            set_bit(&mut lanes.open, lane, passage.has_room());
            set_bit(&mut lanes.full, lane, passage.shows_value());
            set_bit(&mut lanes.receiver_learns, lane, passage.receiver_learns());
            set_bit(&mut lanes.sender_learns, lane, passage.sender_learns());
        }
        lanes
    }

    // True if both sides of all lanes know each other's pointers.
    fn are_settled(&self) -> bool {
        self.receiver_learns | self.sender_learns == 0
    }

    // True if nothing changes at an edge of the side that receives, given the lanes at which anything is
    // presented.
    #[inline(always)]
    fn rests_at_receiver(&self, present: u64) -> bool {
        present & self.open | self.receiver_learns == 0
    }

    // The same of the side that sends.
    #[inline(always)]
    fn rests_at_sender(&self) -> bool {
        self.full | self.sender_learns == 0
    }

    // Evaluates the side that receives.
    #[inline]
    fn accept<T>(&self, inputs: &[Input<T>], signals: &mut Signals) {
        signals.acknowledge_lanes(inputs, self.open, &self.last_open);
    }

    // Evaluates the side that sends.
    #[inline]
    fn present<T>(&self, passages: &[Passage], outputs: &[Output<T>], signals: &mut Signals) {
        signals.clear_other_lanes(outputs, self.full, &self.last_full);
        for lane in ones(self.full) {
            passages[lane].evaluate_output(outputs[lane], signals);
        }
    }

    // An edge of the side that receives, at which something is presented on these lanes.
    #[inline]
    fn receive<T>(&mut self, present: u64, passages: &mut [Passage], inputs: &[Input<T>], edge: &Edge<'_>) {
        let taken = present & self.open;
        for lane in ones(taken | self.receiver_learns) {
            let passage = &mut passages[lane];
            passage.commit_input(inputs[lane], edge);
            set_bit(&mut self.open, lane, passage.has_room());
            set_bit(&mut self.full, lane, passage.shows_value());
            set_bit(&mut self.receiver_learns, lane, passage.receiver_learns());
        }
        self.sender_learns |= taken;
    }

    // An edge of the side that sends; returns how many values left.
    #[inline]
    fn send<T>(&mut self, passages: &mut [Passage], outputs: &[Output<T>], edge: &Edge<'_>) -> u64 {
        let mut left = 0;
        for lane in ones(self.full | self.sender_learns) {
            let passage = &mut passages[lane];
            left |= u64::from(passage.commit_output(outputs[lane], edge)) << lane;
            set_bit(&mut self.full, lane, passage.shows_value());
            set_bit(&mut self.open, lane, passage.has_room());
            set_bit(&mut self.sender_learns, lane, passage.sender_learns());
        }
        self.receiver_learns |= left;
        left.count_ones().into()
    }
}
