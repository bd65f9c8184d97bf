//! `crossbar`: connects many initiators with many memories.

mod banked;

use std::cell::Cell;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Idle, Input, LastLanes, Many, Module, Outlook, Output, Passage, Process, Signals,
    Size, ack, data, parameters, ports,
};

pub(super) use self::banked::BankedCrossbar;
use super::routing::{Addressing, MAXIMUM_TARGETS, NOWHERE, Order, RouteLists, Routes};
use crate::bits::ones;
use crate::values::{Access, Reference, Response};

parameters! {
    /// The parameters of a crossbar.
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
    // How many references to nowhere have yet to be answered.
    faults: u32,
}

/// Connects many initiators with many memories. See its declaration.
pub struct Crossbar {
    routes: Routes,
    // How many references a target can have taken and not answered, and how many places, a power of two, its queue has.
    queue_length: usize,
    queue_places: usize,
    ports: CrossbarPorts,
    state: CrossbarState,
    // The targets with outstanding responses, one bit each; follows from the state.
    answering: u32,
    found: Found,
    // What each process set when it last ran.
    last_offered: LastLanes,
    last_accepted: LastLanes,
    last_delivered: LastLanes,
    last_answered: LastLanes,
}

// What the processes found out in this cycle, kept for those that follow and for the commit; sets have one bit for each member.
//
// It follows from the state and from what the process reads that stores it, so it is neither state nor a hidden input: every
// process declares that it reads what the processes drive whose findings it uses, and so never sees those of another cycle.
struct Found {
    // By `RESPOND`: the targets whose responses are delivered, for each of these to whom, and who gets any response.
    delivering: Cell<u32>,
    receivers: [Cell<u8>; MAXIMUM_TARGETS],
    receiving: Cell<u64>,
    // By `ACCEPT_RESPONSE`: the targets whose responses move.
    answered: Cell<u32>,
    // By `REQUEST`: the initiators that present anything, and those of them that want what does not exist and may have it; the
    // targets that are offered a reference, and for each of these whose it is.
    presented: Cell<u64>,
    nowhere: Cell<u64>,
    offered: Cell<u32>,
    winners: [Cell<u8>; MAXIMUM_TARGETS],
    // By `ACCEPT`: the targets that take what they are offered, and the initiators that are refused.
    taken: Cell<u32>,
    refused: Cell<u64>,
    // While `REQUEST` runs: who wants each target that is wanted, and at which address.
    wanting: [Cell<u64>; MAXIMUM_TARGETS],
    addresses: [Cell<u64>; MAXIMUM_INITIATORS],
}

impl Default for Found {
    fn default() -> Self {
        Self {
            delivering: Cell::new(0),
            receivers: [const { Cell::new(0) }; _],
            receiving: Cell::new(0),
            answered: Cell::new(0),
            presented: Cell::new(0),
            nowhere: Cell::new(0),
            offered: Cell::new(0),
            winners: [const { Cell::new(0) }; _],
            taken: Cell::new(0),
            refused: Cell::new(0),
            wanting: [const { Cell::new(0) }; _],
            addresses: [const { Cell::new(0) }; _],
        }
    }
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

impl Crossbar {
    #[inline(never)]
    fn respond(&self, signals: &mut Signals) {
        let responses = &self.ports.target_response;
        self.respond_from(
            signals,
            |target, signals| signals.is_present(responses[target]),
            |target, output, signals| signals.copy(responses[target], output),
        );
    }

    // Delivers responses, given which targets present one and how it is passed on.
    #[inline(always)]
    fn respond_from(
        &self,
        signals: &mut Signals,
        mut is_presented: impl FnMut(usize, &Signals) -> bool,
        pass_on: impl Fn(usize, Output<Response>, &mut Signals),
    ) {
        let (ports, found) = (&self.ports, &self.found);
        let (mut delivering, mut receiving) = (0_u32, 0_u64);
        for target in ones(self.answering.into()) {
            if !is_presented(target, signals) {
                continue;
            }
            let initiator = self.next_of(target);
            // A response waits while its receiver waits for an older one.
            if usize::from(self.state.initiators[initiator].oldest()) != target {
                continue;
            }
            pass_on(target, ports.initiator_response[initiator], signals);
            found.receivers[target].set(initiator as u8);
            delivering |= 1 << target;
            receiving |= 1 << initiator;
        }
        if self.state.faults > 0 {
            for initiator in self.faulted() {
                signals.write(ports.initiator_response[initiator], Some(Response::FAULT));
                receiving |= 1 << initiator;
            }
        }
        signals.clear_other_lanes(&ports.initiator_response, receiving, &self.last_delivered);
        found.delivering.set(delivering);
        found.receiving.set(receiving);
    }

    // Accepts responses, and tells so those targets whose bits are set in `told`.
    #[inline(never)]
    fn accept_response(&self, signals: &mut Signals, told: u32) {
        let mut answered = 0;
        for target in ones(self.found.delivering.get().into()) {
            let receiver = usize::from(self.found.receivers[target].get());
            let is_taken = signals.is_acknowledged(self.ports.initiator_response[receiver]);
            answered |= u32::from(is_taken) << target;
        }
        self.found.answered.set(answered);
        signals.acknowledge_lanes(&self.ports.target_response, (answered & told).into(), &self.last_answered);
    }

    // Offers references to targets, and presents them to those whose bits are set in `told`.
    #[inline(never)]
    fn request(&self, signals: &mut Signals, told: u32) {
        let (ports, found) = (&self.ports, &self.found);
        let receiving = found.receiving.get();
        let presented = signals.lanes_present(&ports.initiator_request);
        let (mut wanted, mut nowhere) = (0_u32, 0_u64);
        for initiator in ones(presented) {
            let route = self.routes.route(signals, ports.initiator_request[initiator]);
            // An initiator that waits for one response only receives that one.
            let is_answered = receiving >> initiator & 1 != 0;
            if !self.state.initiators[initiator].allows(route.target, is_answered) {
                continue;
            }
            found.addresses[initiator].set(route.address);
            match found.wanting.get(usize::from(route.target)) {
                Some(wanting) => {
                    let others = if wanted >> route.target & 1 != 0 { wanting.get() } else { 0 };
                    wanting.set(others | 1 << initiator);
                    wanted |= 1 << route.target;
                }
                None => nowhere |= 1 << initiator,
            }
        }
        let mut offered = 0_u32;
        for target in ones(wanted.into()) {
            if self.is_full(target) {
                continue;
            }
            let winner = self.winner(target, found.wanting[target].get());
            if told >> target & 1 != 0 {
                let (request, address) = (ports.initiator_request[winner], found.addresses[winner].get());
                signals.copy_but_first(request, ports.target_request[target], address);
            }
            found.winners[target].set(winner as u8);
            offered |= 1 << target;
        }
        signals.clear_other_lanes(&ports.target_request, (offered & told).into(), &self.last_offered);
        found.offered.set(offered);
        found.nowhere.set(nowhere);
        found.presented.set(presented);
    }

    #[inline(never)]
    fn accept(&self, signals: &mut Signals) {
        let requests = &self.ports.target_request;
        self.accept_from(signals, |target, signals| signals.is_acknowledged(requests[target]));
    }

    // Accepts references, given which targets take what they are offered.
    #[inline(always)]
    fn accept_from(&self, signals: &mut Signals, takes: impl Fn(usize, &Signals) -> bool) {
        let (mut accepted, mut taken) = (self.found.nowhere.get(), 0);
        for target in ones(self.found.offered.get().into()) {
            let is_taken = takes(target, signals);
            taken |= u32::from(is_taken) << target;
            accepted |= u64::from(is_taken) << self.found.winners[target].get();
        }
        self.found.taken.set(taken);
        // Lanes without a request are not refused, so that few acknowledgements change.
        let refused = self.found.presented.get() & !accepted;
        self.found.refused.set(refused);
        signals.acknowledge_lanes(&self.ports.initiator_request, !refused, &self.last_accepted);
    }

    // The initiators whose oldest reference led nowhere.
    fn faulted(&self) -> impl Iterator<Item = usize> {
        let is_faulted = |order: &Order| order.outstanding > 0 && order.oldest() == NOWHERE;
        let orders = self.state.initiators.iter().enumerate();
        orders.filter(move |(_, order)| is_faulted(order)).map(|(initiator, _)| initiator)
    }

    // The initiator that `target`, one of those that have yet to answer, answers next.
    #[inline]
    fn next_of(&self, target: usize) -> usize {
        let head = usize::from(self.state.targets[target].head);
        usize::from(self.state.queues[target * self.queue_places + head])
    }

    // Whether `target` must answer before it can take any more.
    #[inline]
    fn is_full(&self, target: usize) -> bool {
        usize::from(self.state.targets[target].length) >= self.queue_length
    }

    // Which of the initiators in `wanting`, not none, is offered to `target`.
    #[inline]
    fn winner(&self, target: usize, wanting: u64) -> usize {
        let turn = self.state.targets[target].turn;
        let from_turn = wanting >> turn << turn;
        (if from_turn != 0 { from_turn } else { wanting }).trailing_zeros() as usize
    }

    // `target` took the reference of `initiator`.
    #[inline]
    fn take(&mut self, initiator: u8, target: usize) {
        self.state.initiators[usize::from(initiator)].push(target as u8);
        let state = &mut self.state.targets[target];
        let position = usize::from(state.head + state.length) & (self.queue_places - 1);
        self.state.queues[target * self.queue_places + position] = initiator;
        state.length += 1;
        self.answering |= 1 << target;
        let next = initiator + 1;
        state.turn = if usize::from(next) == self.state.initiators.len() { 0 } else { next };
    }

    // The references of the `initiators`, one bit each, were taken, and nothing answers to them; returns how many they are.
    #[cold]
    fn take_nowhere(&mut self, initiators: u64, edge: &mut Edge<'_>) -> u64 {
        for initiator in ones(initiators) {
            self.state.initiators[initiator].push(NOWHERE);
        }
        self.state.faults += initiators.count_ones();
        edge.count(FAULTS, initiators.count_ones().into());
        initiators.count_ones().into()
    }

    // The initiators that take a fault in this cycle, one bit each.
    #[cold]
    fn delivered_faults(&self, edge: &Edge<'_>) -> u64 {
        let is_delivered =
            |initiator: &usize| edge.signals.is_sent(self.ports.initiator_response[*initiator]);
        self.faulted().filter(is_delivered).fold(0, |faults, initiator| faults | 1 << initiator)
    }

    // What a crossbar does at an edge.
    #[inline(always)]
    fn commit_cycle(&mut self, edge: &mut Edge<'_>) {
        // Before anything else changes: which faults are delivered.
        let delivered = if self.state.faults > 0 { self.delivered_faults(edge) } else { 0 };
        for target in ones(self.found.answered.get().into()) {
            self.answer(usize::from(self.found.receivers[target].get()), target);
        }
        for initiator in ones(delivered) {
            self.state.initiators[initiator].pop();
            self.state.faults -= 1;
        }
        let presented = self.found.presented.get();
        if presented == 0 {
            return;
        }
        let mut taken = 0;
        for target in ones(self.found.taken.get().into()) {
            let winner = self.found.winners[target].get();
            self.take(winner, target);
            let request = self.ports.initiator_request[usize::from(winner)];
            let counter = match Reference::access_at(edge.signals, request) {
                Access::Read => READS,
                Access::Write => WRITES,
                _ => ATOMICS,
            };
            edge.count(counter, 1);
            taken += 1;
        }
        let nowhere = self.found.nowhere.get();
        if nowhere != 0 {
            taken += self.take_nowhere(nowhere, edge);
        }
        edge.count(REFERENCES, taken);
        let refused = self.found.refused.get();
        if refused != 0 {
            edge.count(CONFLICTS, refused.count_ones().into());
        }
    }

    // `target` answered `initiator`.
    #[inline]
    fn answer(&mut self, initiator: usize, target: usize) {
        self.state.initiators[initiator].pop();
        let state = &mut self.state.targets[target];
        state.length -= 1;
        self.answering &= !(u32::from(state.length == 0) << target);
        state.head = (state.head + 1) & (self.queue_places - 1) as u16;
    }
}

impl Module for Crossbar {
    type Parameters = CrossbarParameters;
    type Ports = CrossbarPorts;
    type State = CrossbarState;

    const SLEEPS: bool = true;
    const REPEATS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "crossbar",
            family: "interconnect",
            documentation: "Connects many initiators with many memories.\n\nIn every cycle each target takes one reference; \
                            where several initiators want the same target, they take turns (round robin). Responses reach \
                            each initiator in the order of its references. Therefore an initiator that waits for one target \
                            is refused by the others until its last response is presented; in that very cycle it may go on \
                            to another. A reference to no range, beyond the end of a range, or across two targets is \
                            answered with a fault and reaches no memory.",
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
        let queue_places = queue_length.next_power_of_two();
        let state = CrossbarState {
            initiators: vec![Order::default(); initiators],
            targets: vec![Target::default(); targets],
            queues: vec![0; targets * queue_places],
            faults: 0,
        };
        Ok(Self {
            routes,
            queue_length,
            queue_places,
            ports,
            state,
            answering: 0,
            found: Found::default(),
            last_offered: LastLanes::default(),
            last_accepted: LastLanes::default(),
            last_delivered: LastLanes::default(),
            last_answered: LastLanes::default(),
        })
    }

    fn processes(&self) -> Vec<Process> {
        type Own = CrossbarPorts;
        // A response that is delivered lets its initiator go on to another target, whether it is accepted or not; so requests
        // depend on the data of responses, but on no acknowledgement of one.
        let presented =
            [data(Own::INITIATOR_REQUEST), data(Own::TARGET_RESPONSE), data(Own::INITIATOR_RESPONSE)];
        vec![
            Process::new(REQUEST).drives([data(Own::TARGET_REQUEST)]).reads(presented),
            Process::new(ACCEPT)
                .drives([ack(Own::INITIATOR_REQUEST)])
                .reads(presented)
                .reads([data(Own::TARGET_REQUEST), ack(Own::TARGET_REQUEST)]),
            Process::new(RESPOND).drives([data(Own::INITIATOR_RESPONSE)]).reads([data(Own::TARGET_RESPONSE)]),
            Process::new(ACCEPT_RESPONSE)
                .drives([ack(Own::TARGET_RESPONSE)])
                .reads([data(Own::TARGET_RESPONSE), data(Own::INITIATOR_RESPONSE)])
                .reads([ack(Own::INITIATOR_RESPONSE)]),
        ]
    }

    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        match code {
            REQUEST => self.request(signals, u32::MAX),
            ACCEPT => self.accept(signals),
            RESPOND => self.respond(signals),
            _ => self.accept_response(signals, u32::MAX),
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        self.commit_cycle(edge);
    }

    // Everything that can happen begins with a reference or a response that is presented.
    fn idle(&self) -> Idle {
        Idle::UntilInput
    }

    fn outlook(&self, _: &[u64], outlook: &mut Outlook) -> Option<u64> {
        outlook.add(&(&self.state.initiators, self.state.faults));
        for (target, queue) in
            self.state.targets.iter().zip(self.state.queues.chunks_exact(self.queue_places))
        {
            outlook.add(&(target.turn, target.length));
            // Where in its ring a queue begins does not matter.
            let places = (0..target.length).map(|place| usize::from(target.head + place) % self.queue_places);
            places.for_each(|place| outlook.add(&queue[place]));
        }
        Some(u64::MAX)
    }

    fn passages(&self, port: usize, _: usize) -> Vec<Passage> {
        if port == CrossbarPorts::INITIATOR_REQUEST {
            self.routes.passages(CrossbarPorts::TARGET_REQUEST)
        } else {
            Vec::new()
        }
    }

    fn state(&self) -> &CrossbarState {
        &self.state
    }

    fn restore(&mut self, state: CrossbarState) -> Result<(), String> {
        let fits = state.initiators.len() == self.state.initiators.len()
            && state.targets.len() == self.state.targets.len()
            && state.queues.len() == self.state.queues.len()
            && state.initiators.iter().all(|order| order.fits(state.targets.len()))
            && state.is_consistent(self.queue_length, self.queue_places);
        if !fits {
            return Err("the saved crossbar has other initiators or targets".to_owned());
        }
        let waiting = state.targets.iter().enumerate().filter(|(_, target)| target.length > 0);
        self.answering = waiting.fold(0, |answering, (target, _)| answering | 1 << target);
        self.state = state;
        Ok(())
    }
}

impl CrossbarState {
    // Whether initiators and targets agree on what is outstanding; the lists must have the right lengths.
    fn is_consistent(&self, queue_length: usize, queue_places: usize) -> bool {
        let count_at = |target| -> u32 { self.initiators.iter().map(|order| order.count_at(target)).sum() };
        let agrees = |(target, queue): (&Target, &[u8]), number: u8| {
            let (head, length) = (usize::from(target.head), usize::from(target.length));
            let waits = |initiator: usize| {
                let places = (head..head + length).map(|position| queue[position % queue_places]);
                places.filter(|waiting| usize::from(*waiting) == initiator).count() as u32
            };
            let mut orders = self.initiators.iter().enumerate();
            usize::from(target.turn) < self.initiators.len()
                && head < queue_places
                && length <= queue_length
                && length as u32 == count_at(number)
                && orders.all(|(initiator, order)| waits(initiator) == order.count_at(number))
        };
        let mut targets = self.targets.iter().zip(self.queues.chunks_exact(queue_places)).zip(0..);
        self.faults == count_at(NOWHERE) && targets.all(|(target, number)| agrees(target, number))
    }
}
