//! `crossbar`: connects many initiators with many memories.

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Input, Many, Module, Output, Process, Rest, Signals, Size, ack, data, parameters,
    ports,
};

use super::routing::{Addressing, FAULT, MAXIMUM_TARGETS, NOWHERE, Order, RouteLists, Routes};
use crate::values::{Access, Reference, Response};

parameters! {
    /// What a crossbar can be told.
    pub struct CrossbarParameters {
        /// The first address of each range of addresses.
        pub bases: Vec<u64>,
        /// How many bytes each range has.
        pub sizes: Vec<u64>,
        /// Over how many consecutive targets each range is spread; empty for one each.
        pub interleave: Vec<u64> = Vec::new(),
        /// The first of these targets, as a lane, for each range; empty to take the targets one after another.
        pub targets: Vec<u64> = Vec::new(),
        /// How many consecutive bytes of a range that is spread belong to one target.
        pub interleave_bytes: Size = Size(4) => in 1..=4096,
        /// Which address a target gets: the `full` one; a `compact` one that counts the bytes of the range that the
        /// target has, from 0; or, `banked`, the compact one where a range is spread and the full one elsewhere.
        pub addressing: String = "full".to_owned() => of ["full", "compact", "banked"],
        /// How many references a target can have taken and not answered.
        pub outstanding: u32 = 8 => in 1..=1024,
    }
}

ports! {
    /// Where a crossbar is connected.
    pub struct CrossbarPorts {
        /// What initiators ask for, one lane each.
        pub initiator_request: Many<Input<Reference>> => bundle "initiator.request",
        /// The answers, on the lanes of the requests.
        pub initiator_response: Many<Output<Response>> => bundle "initiator.response",
        /// What targets are asked, one lane each.
        pub target_request: Many<Output<Reference>> => bundle "target.request",
        /// Their answers, on the lanes of the requests.
        pub target_response: Many<Input<Response>> => bundle "target.response",
    }
}

// The references that a target has taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Target {
    // The initiator that goes first in the next arbitration.
    turn: u8,
    // Position in its queue and number of initiators it has yet to answer.
    head: u16,
    length: u16,
}

/// Who waits for whom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrossbarState {
    initiators: Vec<Order>,
    targets: Vec<Target>,
    // For each target a ring of initiators in the order of their references.
    queues: Vec<u8>,
}

/// Connects many initiators with many memories. See its declaration.
pub struct Crossbar {
    routes: Routes,
    queue_length: usize,
    ports: CrossbarPorts,
    state: CrossbarState,
}

const REQUEST: u16 = 0;
const ACCEPT: u16 = 1;
const RESPOND: u16 = 2;
const ACCEPT_RESPONSE: u16 = 3;

const REFERENCES: usize = 0;
const READS: usize = 1;
const WRITES: usize = 2;
const ATOMICS: usize = 3;
const FAULTS: usize = 4;
const CONFLICTS: usize = 5;

const MAXIMUM_INITIATORS: usize = 64;

// For each target the initiators that want it and may have it, one bit each; and those that want what does not exist.
struct Wanted {
    by_target: [u64; MAXIMUM_TARGETS],
    nowhere: u64,
}

impl Crossbar {
    #[inline]
    fn wanted(&self, signals: &Signals) -> Wanted {
        let mut wanted = Wanted { by_target: [0; MAXIMUM_TARGETS], nowhere: 0 };
        for (initiator, request) in self.ports.initiator_request.iter().enumerate() {
            if !signals.is_present(*request) {
                continue;
            }
            let target = self.routes.target(signals, *request);
            let order = &self.state.initiators[initiator];
            if order.allows(target, || self.is_answered(initiator, signals)) {
                match wanted.by_target.get_mut(usize::from(target)) {
                    Some(by_target) => *by_target |= 1 << initiator,
                    None => wanted.nowhere |= 1 << initiator,
                }
            }
        }
        wanted
    }

    // Whether the response to the oldest reference of `initiator` is presented in this cycle.
    #[inline]
    fn is_answered(&self, initiator: usize, signals: &Signals) -> bool {
        let oldest = self.state.initiators[initiator].oldest();
        oldest == NOWHERE
            || self.next_of(usize::from(oldest)) == Some(initiator)
                && signals.is_present(self.ports.target_response[usize::from(oldest)])
    }

    // The initiator that `target` answers next.
    #[inline]
    fn next_of(&self, target: usize) -> Option<usize> {
        let Target { head, length, .. } = self.state.targets[target];
        (length > 0).then(|| usize::from(self.state.queues[target * self.queue_length + usize::from(head)]))
    }

    // The initiator whose reference is presented to `target`.
    #[inline]
    fn winner(&self, target: usize, wanting: u64) -> Option<usize> {
        let Target { turn, length, .. } = self.state.targets[target];
        if wanting == 0 || usize::from(length) == self.queue_length {
            return None;
        }
        let from_turn = wanting >> turn << turn;
        let first = if from_turn != 0 { from_turn } else { wanting };
        Some(first.trailing_zeros() as usize)
    }

    fn take(&mut self, initiator: usize, edge: &mut Edge<'_>) {
        let request = self.ports.initiator_request[initiator];
        let target = self.routes.target(edge.signals, request);
        self.state.initiators[initiator].push(target);
        if target == NOWHERE {
            edge.count(FAULTS, 1);
            return;
        }
        let target = usize::from(target);
        let state = &mut self.state.targets[target];
        let position = usize::from(state.head) + usize::from(state.length);
        let wrapped = if position >= self.queue_length { position - self.queue_length } else { position };
        self.state.queues[target * self.queue_length + wrapped] = initiator as u8;
        state.length += 1;
        state.turn =
            if initiator + 1 == self.ports.initiator_request.len() { 0 } else { initiator as u8 + 1 };
        let counter = match edge.signals.read(request).map(|reference| reference.access) {
            Some(Access::Read) => READS,
            Some(Access::Write) => WRITES,
            _ => ATOMICS,
        };
        edge.count(counter, 1);
    }

    fn answer(&mut self, initiator: usize) {
        let order = &mut self.state.initiators[initiator];
        if let Some(target) = self.state.targets.get_mut(usize::from(order.oldest())) {
            target.length -= 1;
            target.head = if usize::from(target.head) + 1 == self.queue_length { 0 } else { target.head + 1 };
        }
        order.pop();
    }
}

impl Module for Crossbar {
    type Parameters = CrossbarParameters;
    type Ports = CrossbarPorts;
    type State = CrossbarState;

    const SLEEPS: bool = true;

    fn declaration() -> Declaration {
        Declaration {
            kind: "crossbar",
            family: "interconnect",
            documentation: "Connects many initiators with many memories.\n\nIn every cycle each target takes one reference; \
                            where several initiators want the same target, they take turns (round robin). Responses reach \
                            each initiator in the order of its references. Therefore an initiator that waits for one target \
                            is refused by the others until its last response is presented; in that very cycle it may go on \
                            to another. A reference to no range, beyond the end of a range, or across two targets is \
                            answered with a fault and reaches nobody.",
            timing: "Combinational both ways: a reference reaches its target in the cycle in which it is presented, a \
                     response its initiator likewise; so a memory with a latency of one cycle answers in the cycle after \
                     the reference. A fault is answered in the cycle after the reference.",
            source: "Willmann, Kim, Rixner, Pai: An efficient programmable 10 gigabit Ethernet network interface card, HPCA \
                     2005, section 4",
            parameters: CrossbarParameters::declare(),
            ports: CrossbarPorts::declare(),
            counters: &[
                ("references", "references that were taken"),
                ("reads", "reads among them"),
                ("writes", "writes among them"),
                ("atomics", "load-linked, store-conditional, set and update among them"),
                ("faults", "references among them that nothing answers to"),
                ("conflict_cycles", "cycles times initiators in which a reference was refused"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: CrossbarParameters, ports: CrossbarPorts) -> Result<Self, String> {
        let (initiators, targets) = (ports.initiator_request.len(), ports.target_request.len());
        if initiators != ports.initiator_response.len() || targets != ports.target_response.len() {
            return Err("requests and responses are not connected on the same lanes".to_owned());
        }
        if initiators > MAXIMUM_INITIATORS {
            return Err(format!(
                "{initiators} initiators are more than the {MAXIMUM_INITIATORS} there can be"
            ));
        }
        let lists = RouteLists {
            bases: &parameters.bases,
            sizes: &parameters.sizes,
            interleave: &parameters.interleave,
            targets: &parameters.targets,
            interleave_bytes: parameters.interleave_bytes.0,
            addressing: match parameters.addressing.as_str() {
                "compact" => Addressing::Compact,
                "banked" => Addressing::Banked,
                _ => Addressing::Full,
            },
        };
        let routes = Routes::new(&lists, targets)?;
        let queue_length = parameters.outstanding as usize;
        let state = CrossbarState {
            initiators: vec![Order::default(); initiators],
            targets: vec![Target::default(); targets],
            queues: vec![0; targets * queue_length],
        };
        Ok(Self { routes, queue_length, ports, state })
    }

    fn processes(&self) -> Vec<Process> {
        type Own = CrossbarPorts;
        // A refused or absent response decides whether an initiator may go on to another target, so requests depend on the
        // data of responses, but on no acknowledgement of one.
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

    fn settle(&self, code: u16, _: u32, signals: &mut Signals) {
        let ports = &self.ports;
        match code {
            REQUEST => {
                let wanted = self.wanted(signals);
                for (target, output) in ports.target_request.iter().enumerate() {
                    match self.winner(target, wanted.by_target[target]) {
                        Some(winner) => self.routes.pass(signals, ports.initiator_request[winner], *output),
                        None => signals.clear(*output),
                    }
                }
            }
            ACCEPT => {
                let wanted = self.wanted(signals);
                let mut accepted = wanted.nowhere;
                for (target, output) in ports.target_request.iter().enumerate() {
                    if let Some(winner) = self.winner(target, wanted.by_target[target]) {
                        accepted |= u64::from(signals.is_acknowledged(*output)) << winner;
                    }
                }
                for (initiator, request) in ports.initiator_request.iter().enumerate() {
                    signals.acknowledge(*request, accepted >> initiator & 1 != 0);
                }
            }
            RESPOND => {
                for (initiator, output) in ports.initiator_response.iter().enumerate() {
                    let order = &self.state.initiators[initiator];
                    let oldest = usize::from(order.oldest());
                    if order.outstanding == 0 {
                        signals.clear(*output);
                    } else if oldest == usize::from(NOWHERE) {
                        signals.write(*output, Some(FAULT));
                    } else if self.next_of(oldest) == Some(initiator) {
                        signals.forward(ports.target_response[oldest], *output);
                    } else {
                        signals.clear(*output);
                    }
                }
            }
            _ => {
                for (target, response) in ports.target_response.iter().enumerate() {
                    let accepts = |initiator: usize| {
                        usize::from(self.state.initiators[initiator].oldest()) == target
                            && signals.is_acknowledged(ports.initiator_response[initiator])
                    };
                    let accepted = signals.is_present(*response) && self.next_of(target).is_some_and(accepts);
                    signals.acknowledge(*response, accepted);
                }
            }
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        for initiator in 0..self.ports.initiator_request.len() {
            if edge.signals.is_sent(self.ports.initiator_response[initiator]) {
                self.answer(initiator);
            }
            let request = self.ports.initiator_request[initiator];
            if edge.signals.is_received(request) {
                self.take(initiator, edge);
                edge.count(REFERENCES, 1);
            } else {
                edge.count(CONFLICTS, u64::from(edge.signals.is_present(request)));
            }
        }
    }

    // Everything that can happen begins with a reference or a response that is presented.
    fn rest(&self) -> Rest {
        Rest::UntilInput
    }

    fn state(&self) -> &CrossbarState {
        &self.state
    }

    fn restore(&mut self, state: CrossbarState) -> Result<(), String> {
        let (initiators, targets) = (self.state.initiators.len(), self.state.targets.len());
        let length = self.queue_length;
        let fits = state.initiators.len() == initiators
            && state.targets.len() == targets
            && state.queues.len() == self.state.queues.len()
            && state.initiators.iter().all(|order| order.fits(targets))
            && state.queues.iter().all(|initiator| usize::from(*initiator) < initiators)
            && state.targets.iter().all(|target| {
                usize::from(target.turn) < initiators
                    && usize::from(target.head) < length
                    && usize::from(target.length) <= length
            });
        if !fits {
            return Err("the saved crossbar has other initiators or targets".to_owned());
        }
        self.state = state;
        Ok(())
    }
}
