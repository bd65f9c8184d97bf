//! `crossbar`: connects many initiators with many memories.

mod banked;
mod choice;
mod found;
mod state;

use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Idle, Input, LastLanes, Many, Module, Outlook, Output, Passage, Process, Signals,
    Size, ack, data, parameters, ports,
};

pub(super) use self::banked::BankedCrossbar;
use self::found::{Found, MAXIMUM_INITIATORS};
use self::state::CrossbarState;
use self::state::Target;
use super::routing::{Addressing, MAXIMUM_TARGETS, Order, RouteLists, Routes};
use crate::bits::ones;
use crate::values::{Reference, Response};

parameters! {
    /// The parameters of a crossbar.
    pub struct CrossbarParameters {
        /// Base address of each range.
        pub bases: Vec<u64>,
        /// Size of each range, in bytes.
        pub sizes: Vec<u64>,
        /// Number of consecutive targets that each range is interleaved over; empty for one each.
        pub interleave: Vec<u64> = Vec::new(),
        /// First of these target lanes for each range; empty to assign the targets in order.
        pub targets: Vec<u64> = Vec::new(),
        /// Number of consecutive bytes of an interleaved range that belong to one target.
        pub interleave_bytes: Size = Size(4) => power_of_two 1..=4096,
        /// Address that a target receives: the `full` one; a `compact` one that counts the target's bytes of the range, from 0;
        /// or, `banked`, the compact one where a range is interleaved and the full one elsewhere.
        pub addressing: String = "full".to_owned() => of ["full", "compact", "banked"],
        /// Number of references that a target can have taken and not answered.
        pub outstanding: u32 = 8 => in 1..=1024,
    }
}

ports! {
    /// Ports of a crossbar.
    pub struct CrossbarPorts {
        /// Initiators, one lane per initiator.
        pub initiator: { request: Many<Input<Reference>>, response: Many<Output<Response>> },
        /// Targets, one lane each.
        pub target: { request: Many<Output<Reference>>, response: Many<Input<Response>> },
    }
}

/// Connects many initiators with many memories. See its declaration.
pub struct Crossbar {
    routes: Routes,
    // Limit of the references that a target has taken and not answered, and number of places, a power of two,
    // in its queue.
    queue_length: usize,
    queue_places: usize,
    ports: CrossbarPorts,
    state: CrossbarState,
    // The targets with outstanding responses, one bit each, and for each of these the initiator that it answers next; both follow
    // from the state.
    answering: u32,
    next: [u8; MAXIMUM_TARGETS],
    found: Found,
    // Outputs that each process set when it last ran.
    last_offered: LastLanes,
    last_accepted: LastLanes,
    last_delivered: LastLanes,
    last_answered: LastLanes,
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

const COUNTERS: usize = 6;

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
            documentation: "Connects many initiators with many memories.\n\nIn every cycle each target accepts one reference; \
                            initiators that request the same target take turns (round robin). Responses reach each initiator in \
                            the order of its references. Therefore an initiator that waits for one target is refused by the \
                            others until its last response is presented; in that cycle it may pass to another target. A \
                            reference outside every range, beyond the end of a range, or across two targets returns a fault; no \
                            memory sees it.",
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
            next: [0; MAXIMUM_TARGETS],
            found: Found::default(),
            last_offered: LastLanes::default(),
            last_accepted: LastLanes::default(),
            last_delivered: LastLanes::default(),
            last_answered: LastLanes::default(),
        })
    }

    fn processes(&self) -> Vec<Process> {
        type Own = CrossbarPorts;
        // A delivered response lets its initiator proceed to another target, accepted or not; so requests depend on the data of
        // responses, but on no acknowledgement of one.
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
        let CrossbarPorts { target_request, target_response, .. } = &self.ports;
        let those = |targets: u32, is: &dyn Fn(usize) -> bool| {
            ones(targets.into()).filter(|target| is(*target)).fold(0, |those, target| those | 1 << target)
        };
        match code {
            REQUEST => self.request(signals, u32::MAX),
            ACCEPT => {
                let taken = those(self.found.offered.get(), &|target| {
                    signals.is_acknowledged(target_request[target])
                });
                self.accept_from(taken, signals);
            }
            RESPOND => {
                let presenting = those(self.answering, &|target| signals.is_present(target_response[target]));
                self.respond_from(presenting, &**target_response, signals);
            }
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
            // The place in its ring at which a queue begins does not matter.
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
        self.answering = 0;
        for (target, waiting) in state.targets.iter().enumerate().filter(|(_, target)| target.length > 0) {
            self.answering |= 1 << target;
            self.next[target] = state.queues[target * self.queue_places + usize::from(waiting.head)];
        }
        self.state = state;
        Ok(())
    }
}
