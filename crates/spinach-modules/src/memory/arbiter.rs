//! `arbiter`: many requesters, one target.

use std::cell::Cell;
use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Any, AnyNumber, Declaration, Edge, Idle, Input, LastLanes, Many, Module, OrUnconnected, Output, Passage,
    Policy, Process, Signals, Value, ack, data, parameters, ports,
};

use super::arbitration::{RULES, Rule, Turns};
use crate::values::{Block, Reference};

/// Requests are numbered by bits of a word.
const MAXIMUM_REQUESTERS: usize = 64;

parameters! {
    /// The parameters of an arbiter.
    pub struct ArbiterParameters {
        /// Order of service: `round_robin`, `fixed_priority` (lane 0 first), `prioritized` (a lane that has waited for
        /// `starvation_timeout`, else a lane that continues where its last grant ended, else lane 0 first), or a function. A
        /// function is given: 0 the requesting lanes as bits; 1 the lane granted last; 2 continuation: 1 if that lane requests
        /// the bytes that follow its last grant, else 0 (always 0 unless references or blocks are arbitrated); from 3 on, lane by
        /// lane, the number of cycles it has waited. Its result is the lane to grant; none is granted if that lane requests
        /// nothing.
        pub policy: Policy = Policy::named("round_robin") => of RULES,
        /// Cycles after which a waiting requester has priority over all others; for `prioritized`.
        pub starvation_timeout: u64 = 64 => in 1..=1 << 32,
        /// If true, a chosen requester stays chosen while the target refuses it.
        pub hold: bool = false,
        /// Number of requests that may wait for their responses; 1 keeps the target until it has answered.
        pub outstanding: u32 = 16 => in 1..=4096,
    }
}

ports! {
    /// Ports of an arbiter.
    pub struct ArbiterPorts {
        /// Requesters, one lane per requester; the lanes of answers stay unconnected if the target gives none.
        pub initiator: { request: Many<Input<Any<'Q'>>>, response: AnyNumber<Output<Any<'R'>>> },
        /// The chosen request.
        pub target: { request: Output<Any<'Q'>>, response: OrUnconnected<Input<Any<'R'>>> },
    }
}

/// State of an arbiter.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ArbiterState {
    turns: Turns,
    // The requester that was chosen, refused, and stays chosen.
    held: Option<u32>,
    // The lanes that wait for responses, oldest first.
    granted: VecDeque<u32>,
    policy: Vec<u64>,
}

// Types of values whose addresses an arbiter knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Protocol {
    Memory,
    Block,
    Other,
}

// Lanes that request, as bits, and the lane that may pass.
#[derive(Clone, Copy, Default)]
struct Choice {
    requests: u64,
    lane: Option<u32>,
}

/// Grants one target to many requesters. See its declaration.
pub struct Arbiter {
    parameters: ArbiterParameters,
    // `None` if a function decides.
    rule: Option<Rule>,
    protocol: Protocol,
    answers: bool,
    ports: ArbiterPorts,
    state: ArbiterState,
    // Choice of `GRANT`, for all that comes after it.
    choice: Cell<Choice>,
    // True if anything moved in the last cycle.
    has_moved: bool,
    last_accepted: LastLanes,
    last_answered: LastLanes,
}

const GRANT: u16 = 0;
const ACKNOWLEDGE: u16 = 1;
const RESPOND: u16 = 2;
const ACKNOWLEDGE_RESPONSE: u16 = 3;

const GRANTS: usize = 0;
const CONFLICTS: usize = 1;
const WAITED: usize = 2;
const REFUSED: usize = 3;
const BURSTS: usize = 4;
const STARVED: usize = 5;

impl Module for Arbiter {
    type Parameters = ArbiterParameters;
    type Ports = ArbiterPorts;
    type State = ArbiterState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "arbiter",
            family: "memory",
            documentation: "Grants one target to many requesters.\n\nIn each cycle at most one request passes, unchanged; the \
                            others get a Nack. Responses return to the requesters in the order of the grants. Any type passes; \
                            bursts are recognized in references and blocks. Without the response ports it merges channels.",
            timing: "Combinational in both directions: the request passes in its cycle, and so does the response. If the target \
                     responds in the cycle of the request, the response passes one cycle later. A target that takes a request only \
                     together with its response, such as a memory with latency 0, takes none.",
            source: "Spinach thesis, section 3.2.2, table 3.2 (Arbiter); bursts: HPCA 2005, section 2",
            parameters: ArbiterParameters::declare(),
            ports: ArbiterPorts::declare(),
            counters: &[
                ("grants", "requests that passed"),
                ("conflicts", "cycles in which more than one lane requested"),
                ("waited", "cycles times lanes in which a request did not pass"),
                ("refused", "cycles in which the target refused the chosen request"),
                ("bursts", "grants that went on where the grant before had ended"),
                ("starved", "grants given because a requester had waited for the timeout"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: ArbiterParameters, ports: ArbiterPorts) -> Result<Self, String> {
        let lanes = ports.initiator_request.len();
        let answers = ports.target_response.is_connected;
        if lanes > MAXIMUM_REQUESTERS {
            return Err(format!("{lanes} requesters are more than {MAXIMUM_REQUESTERS}"));
        }
        if ports.initiator_response.len() != if answers { lanes } else { 0 } {
            return Err("each requester needs a response exactly if the target answers".to_owned());
        }
        let rule = match &parameters.policy {
            Policy::Named(name) => Some(Rule::named(name, parameters.starvation_timeout)),
            Policy::Lifted(_) | Policy::Called(_) => None,
        };
        let protocol = match ports.target_request.words() {
            words if words == Reference::TYPE.words => Protocol::Memory,
            words if words == Block::TYPE.words => Protocol::Block,
            _ => Protocol::Other,
        };
        let state = ArbiterState {
            turns: Turns::new(lanes),
            granted: VecDeque::with_capacity(parameters.outstanding as usize),
            policy: parameters.policy.initial_state(),
            ..ArbiterState::default()
        };
        Ok(Self {
            parameters,
            rule,
            protocol,
            answers,
            ports,
            state,
            choice: Cell::default(),
            has_moved: false,
            last_accepted: LastLanes::default(),
            last_answered: LastLanes::default(),
        })
    }

    fn processes(&self) -> Vec<Process> {
        type Own = ArbiterPorts;
        let mut processes = vec![
            Process::new(GRANT).drives([data(Own::TARGET_REQUEST)]).reads([data(Own::INITIATOR_REQUEST)]),
            Process::new(ACKNOWLEDGE)
                .drives([ack(Own::INITIATOR_REQUEST)])
                .reads([data(Own::INITIATOR_REQUEST), ack(Own::TARGET_REQUEST)])
                // It comes after `GRANT`, for the choice.
                .reads([data(Own::TARGET_REQUEST)]),
        ];
        if self.answers {
            processes.extend([
                Process::new(RESPOND)
                    .drives([data(Own::INITIATOR_RESPONSE)])
                    .reads([data(Own::TARGET_RESPONSE)]),
                Process::new(ACKNOWLEDGE_RESPONSE)
                    .drives([ack(Own::TARGET_RESPONSE)])
                    .reads([ack(Own::INITIATOR_RESPONSE)]),
            ]);
        }
        processes
    }

    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        let ports = &self.ports;
        match code {
            GRANT => self.grant(signals),
            ACKNOWLEDGE => self.acknowledge(signals),
            RESPOND => self.respond(signals),
            _ => {
                let receiver = self.state.granted.front();
                let accepted = receiver
                    .is_some_and(|lane| signals.is_acknowledged(ports.initiator_response[*lane as usize]));
                signals.acknowledge(ports.target_response.port, accepted);
            }
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        self.has_moved = self.answers && edge.signals.is_received(self.ports.target_response.port);
        if self.has_moved {
            self.state.granted.pop_front();
        }
        let Choice { requests, lane: chosen } = self.choice.get();
        if !self.state.policy.is_empty() {
            self.advance_policy(requests, edge.signals);
        }
        self.state.held = None;
        if requests | self.state.turns.waiters() == 0 {
            return;
        }
        let passed = edge.signals.is_acknowledged(self.ports.target_request);
        let mut waiting = requests;
        match chosen {
            Some(lane) if passed => {
                self.has_moved = true;
                self.commit_grant(lane, edge);
                waiting &= !(1 << lane);
            }
            Some(lane) => {
                edge.count(REFUSED, 1);
                self.state.held = Some(lane).filter(|_| self.parameters.hold);
            }
            None => {}
        }
        edge.count(CONFLICTS, u64::from(requests & requests.wrapping_sub(1) != 0));
        edge.count(WAITED, waiting.count_ones().into());
        self.state.turns.wait(waiting, edge.cycle());
    }

    fn idle(&self) -> Idle {
        // A granted reference without an answer changes nothing until the answer is presented.
        let state = &self.state;
        let waits = self.has_moved || state.held.is_some() || state.turns.waiters() != 0;
        let is_idle = !waits && state.policy.is_empty();
        if is_idle { Idle::UntilInput } else { Idle::No }
    }

    fn passages(&self, port: usize, _: usize) -> Vec<Passage> {
        let passes =
            port == ArbiterPorts::INITIATOR_REQUEST && self.protocol == Protocol::Memory && self.answers;
        passes.then(|| Passage::through(ArbiterPorts::TARGET_REQUEST)).into_iter().collect()
    }

    fn state(&self) -> &ArbiterState {
        &self.state
    }

    fn restore(&mut self, state: ArbiterState) -> Result<(), String> {
        let lanes = self.ports.initiator_request.len();
        let lane_exists = |lane: &u32| (*lane as usize) < lanes;
        let fits = state.turns.fits(lanes)
            && state.policy.len() == self.state.policy.len()
            && state.granted.iter().all(lane_exists);
        if !fits {
            return Err("the saved arbiter has other lanes or another policy".to_owned());
        }
        self.state = state;
        Ok(())
    }
}

impl Arbiter {
    #[inline(never)]
    fn grant(&self, signals: &mut Signals) {
        let requests = signals.lanes_present(&self.ports.initiator_request);
        let is_full = self.answers && self.state.granted.len() >= self.parameters.outstanding as usize;
        let lane = if requests == 0 || is_full { None } else { self.choose(requests, signals) };
        self.choice.set(Choice { requests, lane });
        match lane {
            Some(lane) => {
                signals.forward(self.ports.initiator_request[lane as usize], self.ports.target_request);
            }
            None => signals.clear(self.ports.target_request),
        }
    }

    #[inline(never)]
    fn acknowledge(&self, signals: &mut Signals) {
        let is_taken = signals.is_acknowledged(self.ports.target_request);
        let accepted = self.choice.get().lane.map_or(0, |lane| u64::from(is_taken) << lane);
        signals.acknowledge_lanes(&self.ports.initiator_request, accepted, &self.last_accepted);
    }

    #[inline(never)]
    fn respond(&self, signals: &mut Signals) {
        let (response, lanes) = (self.ports.target_response.port, &*self.ports.initiator_response);
        let receiver = self.state.granted.front();
        signals.clear_other_lanes(lanes, receiver.map_or(0, |lane| 1 << lane), &self.last_answered);
        if let Some(receiver) = receiver {
            signals.forward(response, lanes[*receiver as usize]);
        }
    }

    #[inline]
    fn choose(&self, requests: u64, signals: &Signals) -> Option<u32> {
        if let Some(held) = self.state.held.filter(|held| requests >> held & 1 != 0) {
            return Some(held);
        }
        match self.rule {
            Some(rule) => Some(self.state.turns.choose(rule, requests, |lane| self.address(lane, signals))),
            None => self.choose_by_function(requests, signals),
        }
    }

    #[inline(never)]
    fn choose_by_function(&self, requests: u64, signals: &Signals) -> Option<u32> {
        let (inputs, count) = self.policy_inputs(requests, signals);
        let lane = self.parameters.policy.evaluate(&inputs[..count], &self.state.policy);
        (lane < 64 && requests >> lane & 1 != 0).then_some(lane as u32)
    }

    // The address of the first byte that lane `lane` asks for.
    #[inline]
    fn address(&self, lane: u32, signals: &Signals) -> Option<u64> {
        let address = signals.word(self.ports.initiator_request[lane as usize], 0);
        (self.protocol != Protocol::Other).then_some(address)
    }

    // The address and the number of the bytes that lane `lane` asks for.
    #[inline]
    fn span(&self, lane: usize, signals: &Signals) -> Option<(u64, u64)> {
        let word = |word| signals.word(self.ports.initiator_request[lane], word);
        match self.protocol {
            Protocol::Memory => Some(Reference::load(word)).map(|it| (it.address, u64::from(it.size))),
            Protocol::Block => Some(Block::load(word)).map(|it| (it.address, u64::from(it.length))),
            Protocol::Other => None,
        }
    }

    fn policy_inputs(&self, requests: u64, signals: &Signals) -> ([u64; 3 + MAXIMUM_REQUESTERS], usize) {
        let mut inputs = [0; 3 + MAXIMUM_REQUESTERS];
        let turns = &self.state.turns;
        let continues = turns.continues(requests, |lane| self.address(lane, signals));
        inputs[..3].copy_from_slice(&[requests, u64::from(turns.last()), u64::from(continues)]);
        let lanes = self.ports.initiator_request.len();
        (0..lanes).for_each(|lane| inputs[3 + lane] = turns.waited(lane as u32));
        (inputs, 3 + lanes)
    }

    #[inline(never)]
    fn advance_policy(&mut self, requests: u64, signals: &Signals) {
        let (inputs, count) = self.policy_inputs(requests, signals);
        self.parameters.policy.advance(&inputs[..count], &mut self.state.policy);
    }

    #[inline]
    fn commit_grant(&mut self, lane: u32, edge: &mut Edge<'_>) {
        edge.count(GRANTS, 1);
        let span = self.span(lane as usize, edge.signals);
        let turns = &mut self.state.turns;
        if let Some(Rule::Prioritized { starvation_timeout }) = self.rule {
            edge.count(STARVED, u64::from(turns.waited(lane) >= starvation_timeout));
        }
        let continues = turns.grant(lane, span);
        edge.count(BURSTS, u64::from(continues));
        if self.answers {
            self.state.granted.push_back(lane);
        }
    }
}
