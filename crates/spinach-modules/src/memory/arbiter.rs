//! `arbiter`: many requesters, one target.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Any, AnyNumber, Declaration, Edge, Input, Many, Module, OrUnconnected, Output, Policy, Process, Rest,
    Signals, Value, ack, data, parameters, ports,
};

use crate::values::{Block, Reference};

/// Requests are told from one another by bits of a word.
const MAXIMUM_REQUESTERS: usize = 64;

parameters! {
    /// What an arbiter can be told.
    pub struct ArbiterParameters {
        /// Who goes first: `round_robin`, `fixed_priority` (lane 0 first), `prioritized` (whoever has waited for
        /// `starvation_timeout`, else whoever goes on where its last grant ended, else lane 0 first), or a function. A function
        /// is given: 0 the requesting lanes as bits; 1 the lane granted last; 2 whether that lane requests the bytes that
        /// follow its last grant (1 or 0; always 0 unless references or blocks are arbitrated); from 3 on, lane by lane, how
        /// many cycles it has waited. Its result is the lane to grant; none is granted if that lane requests nothing.
        pub policy: Policy = Policy::named("round_robin") => of ["round_robin", "fixed_priority", "prioritized"],
        /// After how many cycles of waiting a requester goes before all others; for `prioritized`.
        pub starvation_timeout: u64 = 64 => in 1..=1 << 32,
        /// Whether a requester that was chosen stays chosen while the target refuses it.
        pub hold: bool = false,
        /// How many requests may wait for their responses; 1 keeps the target until it has answered.
        pub outstanding: u32 = 16 => in 1..=4096,
    }
}

ports! {
    /// Where an arbiter is connected.
    pub struct ArbiterPorts {
        /// What requesters ask for, one lane each.
        pub initiator_request: Many<Input<Any<'Q'>>> => bundle "initiator.request",
        /// The answers, on the lanes of the requests; none if the target does not answer.
        pub initiator_response: AnyNumber<Output<Any<'R'>>> => bundle "initiator.response",
        /// The request that was chosen.
        pub target_request: Output<Any<'Q'>> => bundle "target.request",
        /// The target's answers, in the order of the requests.
        pub target_response: OrUnconnected<Input<Any<'R'>>> => bundle "target.response",
    }
}

/// What an arbiter remembers.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ArbiterState {
    last_grant: u32,
    // Where the last grant ended, if bursts are detected.
    next_address: Option<u64>,
    // The requester that was chosen, refused, and stays chosen.
    held: Option<u32>,
    // The lanes that wait for responses, oldest first.
    granted: VecDeque<u32>,
    // How many cycles each lane has requested in vain.
    waiting: Vec<u64>,
    policy: Vec<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Rule {
    RoundRobin,
    FixedPriority,
    Prioritized,
    Function,
}

// The values of which an arbiter knows what bytes they ask for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Protocol {
    Memory,
    Block,
    Other,
}

/// Many requesters, one target. See its declaration.
pub struct Arbiter {
    parameters: ArbiterParameters,
    rule: Rule,
    protocol: Protocol,
    answers: bool,
    ports: ArbiterPorts,
    state: ArbiterState,
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
            documentation: "Many requesters, one target.\n\nIn each cycle at most one request passes, unchanged; the others get \
                            a Nack. Responses go back to the requesters in the order of the grants. It carries any type; \
                            bursts are recognized in references and blocks. Without the response ports it is a plain merge \
                            of channels.",
            timing: "Combinational in both directions: the request passes in its cycle, and so does the response. A target that \
                     answers in the cycle of the request itself is heard one cycle later.",
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
            Policy::Named(name) if name == "round_robin" => Rule::RoundRobin,
            Policy::Named(name) if name == "fixed_priority" => Rule::FixedPriority,
            Policy::Named(_) => Rule::Prioritized,
            Policy::Traced(_) | Policy::Called(_) => Rule::Function,
        };
        let protocol = match ports.target_request.words() {
            words if words == Reference::TYPE.words => Protocol::Memory,
            words if words == Block::TYPE.words => Protocol::Block,
            _ => Protocol::Other,
        };
        let state = ArbiterState {
            last_grant: u32::try_from(lanes - 1).unwrap_or_default(),
            granted: VecDeque::with_capacity(parameters.outstanding as usize),
            waiting: vec![0; lanes],
            policy: parameters.policy.initial_state(),
            ..ArbiterState::default()
        };
        Ok(Self { parameters, rule, protocol, answers, ports, state })
    }

    fn processes(&self) -> Vec<Process> {
        type Own = ArbiterPorts;
        let mut processes = vec![
            Process::new(GRANT).drives([data(Own::TARGET_REQUEST)]).reads([data(Own::INITIATOR_REQUEST)]),
            Process::new(ACKNOWLEDGE)
                .drives([ack(Own::INITIATOR_REQUEST)])
                .reads([data(Own::INITIATOR_REQUEST), ack(Own::TARGET_REQUEST)]),
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

    fn settle(&self, code: u16, _: u32, signals: &mut Signals) {
        let ports = &self.ports;
        match code {
            GRANT => match self.choose(signals) {
                Some(lane) => signals.forward(ports.initiator_request[lane], ports.target_request),
                None => signals.clear(ports.target_request),
            },
            ACKNOWLEDGE => {
                let chosen = self.choose(signals);
                let accepted = signals.is_acknowledged(ports.target_request);
                for (lane, port) in ports.initiator_request.iter().enumerate() {
                    signals.acknowledge(*port, accepted && chosen == Some(lane));
                }
            }
            RESPOND => {
                let receiver = self.state.granted.front().map(|lane| *lane as usize);
                for (lane, port) in ports.initiator_response.iter().enumerate() {
                    if receiver == Some(lane) {
                        signals.forward(ports.target_response.port, *port);
                    } else {
                        signals.clear(*port);
                    }
                }
            }
            _ => {
                let receiver = self.state.granted.front();
                let accepted = receiver
                    .is_some_and(|lane| signals.is_acknowledged(ports.initiator_response[*lane as usize]));
                signals.acknowledge(ports.target_response.port, accepted);
            }
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        if self.answers && edge.signals.is_received(self.ports.target_response.port) {
            self.state.granted.pop_front();
        }
        let requests = self.requests(edge.signals);
        if requests != 0 {
            let passed = edge.signals.is_sent(self.ports.target_request);
            let chosen = self.choose_when_free(requests, edge.signals);
            edge.count(CONFLICTS, u64::from(requests.count_ones() > 1));
            edge.count(WAITED, u64::from(requests.count_ones() - u32::from(passed)));
            let was_offered = edge.signals.is_offered(self.ports.target_request);
            edge.count(REFUSED, u64::from(was_offered && !passed));
            self.advance_policy(requests, edge.signals);
            let stays = self.parameters.hold && was_offered && !passed;
            self.state.held = chosen.filter(|_| stays).map(|lane| lane as u32);
            let granted = chosen.filter(|_| passed);
            if let Some(lane) = granted {
                self.grant(lane, edge);
            }
            for (lane, waiting) in self.state.waiting.iter_mut().enumerate() {
                let waits = requests >> lane & 1 != 0 && granted != Some(lane);
                *waiting = if waits { *waiting + 1 } else { 0 };
            }
        } else {
            self.state.held = None;
            self.state.waiting.fill(0);
            self.advance_policy(0, edge.signals);
        }
    }

    fn rest(&self) -> Rest {
        // What was granted and not answered changes nothing until the answer is presented.
        let is_idle = self.state.policy.is_empty()
            && self.state.held.is_none()
            && self.state.waiting.iter().all(|waiting| *waiting == 0);
        if is_idle { Rest::UntilInput } else { Rest::Busy }
    }

    fn state(&self) -> &ArbiterState {
        &self.state
    }

    fn restore(&mut self, state: ArbiterState) -> Result<(), String> {
        let lanes = self.state.waiting.len();
        let lane_exists = |lane: &u32| (*lane as usize) < lanes;
        let fits = state.waiting.len() == lanes
            && state.policy.len() == self.state.policy.len()
            && state.granted.iter().chain([&state.last_grant]).all(lane_exists);
        if !fits {
            return Err("the saved arbiter has other lanes or another policy".to_owned());
        }
        self.state = state;
        Ok(())
    }
}

impl Arbiter {
    // The requesting lanes, as bits.
    #[inline]
    fn requests(&self, signals: &Signals) -> u64 {
        let lanes = self.ports.initiator_request.iter().enumerate();
        lanes.fold(0, |requests, (lane, port)| requests | u64::from(signals.is_present(*port)) << lane)
    }

    #[inline]
    fn choose(&self, signals: &Signals) -> Option<usize> {
        if self.answers && self.state.granted.len() >= self.parameters.outstanding as usize {
            return None;
        }
        match self.requests(signals) {
            0 => None,
            requests => self.choose_when_free(requests, signals),
        }
    }

    #[inline]
    fn choose_when_free(&self, requests: u64, signals: &Signals) -> Option<usize> {
        if let Some(held) = self.state.held.filter(|held| requests >> held & 1 != 0) {
            return Some(held as usize);
        }
        let last = self.state.last_grant;
        let first = requests.trailing_zeros() as usize;
        match self.rule {
            Rule::RoundRobin => {
                let beyond_last = requests & (u64::MAX << last << 1);
                Some(if beyond_last != 0 { beyond_last.trailing_zeros() as usize } else { first })
            }
            Rule::FixedPriority => Some(first),
            Rule::Prioritized => Some(match self.starved(requests) {
                Some(lane) => lane,
                None if self.continues(requests, signals) => last as usize,
                None => first,
            }),
            Rule::Function => {
                let (inputs, count) = self.policy_inputs(requests, signals);
                let lane = self.parameters.policy.evaluate(&inputs[..count], &self.state.policy);
                (lane < 64 && requests >> lane & 1 != 0).then_some(lane as usize)
            }
        }
    }

    // The requester that has waited longest, if for the timeout.
    fn starved(&self, requests: u64) -> Option<usize> {
        let waiting = self.state.waiting.iter().enumerate();
        waiting
            .filter(|(lane, cycles)| {
                **cycles >= self.parameters.starvation_timeout && requests >> lane & 1 != 0
            })
            .max_by_key(|(lane, cycles)| (**cycles, std::cmp::Reverse(*lane)))
            .map(|(lane, _)| lane)
    }

    // Whether the lane granted last asks for the bytes that follow.
    fn continues(&self, requests: u64, signals: &Signals) -> bool {
        let last = self.state.last_grant;
        requests >> last & 1 != 0
            && self.state.next_address.is_some_and(|next| {
                self.span(last as usize, signals).is_some_and(|(address, _)| address == next)
            })
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
        let continues = u64::from(self.continues(requests, signals));
        inputs[..3].copy_from_slice(&[requests, u64::from(self.state.last_grant), continues]);
        let lanes = self.state.waiting.len();
        inputs[3..3 + lanes].copy_from_slice(&self.state.waiting);
        (inputs, 3 + lanes)
    }

    fn advance_policy(&mut self, requests: u64, signals: &Signals) {
        if !self.state.policy.is_empty() {
            let (inputs, count) = self.policy_inputs(requests, signals);
            self.parameters.policy.advance(&inputs[..count], &mut self.state.policy);
        }
    }

    fn grant(&mut self, lane: usize, edge: &mut Edge<'_>) {
        edge.count(GRANTS, 1);
        if self.rule == Rule::Prioritized {
            let timeout = self.parameters.starvation_timeout;
            edge.count(STARVED, u64::from(self.state.waiting[lane] >= timeout));
        }
        let span = self.span(lane, edge.signals);
        if let Some((address, _)) = span {
            let continues =
                self.state.last_grant as usize == lane && self.state.next_address == Some(address);
            edge.count(BURSTS, u64::from(continues));
        }
        self.state.next_address = span.map(|(address, length)| address.wrapping_add(length));
        self.state.last_grant = lane as u32;
        if self.answers {
            self.state.granted.push_back(lane as u32);
        }
    }
}
