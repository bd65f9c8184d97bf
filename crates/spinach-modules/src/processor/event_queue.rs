//! `event_queue`: gives pieces of work to the cores that wait for them.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Idle, Input, Many, Module, Output, Process, Signals, ack, data, parameters, ports,
};

use crate::parts::bytes::word_response;
use crate::parts::registers::{RegisterPort, register_access};
use crate::values::{Reference, Response};

const MOST_SOURCES: usize = 32;

parameters! {
    /// The parameters of an event queue.
    pub struct EventQueueParameters {
        /// Maximum number of elements in one event, for each counter; the list is as long as there are counters.
        pub elements: Vec<u64> = Vec::new(),
        /// Number of signals.
        pub signals: u32 = 8 => in 1..=32,
        /// Number of added events that may wait.
        pub capacity: u32 = 64 => in 1..=65_536,
        /// First value of all counters, and of the words of signals.
        pub first_index: u64 = 0 => in 0..=0xffff_ffff,
    }
}

ports! {
    /// Ports of an event queue.
    pub struct EventQueuePorts {
        /// Registers of the sources, one lane for each initiator.
        pub registers: { request: Many<Input<Reference>>, response: Many<Output<Response>> },
        /// Registers of each core, one lane for each.
        pub core: { request: Many<Input<Reference>>, response: Many<Output<Response>> },
    }
}

/// First bit of the number of the source in the word that `WAIT` returns; the number of elements is below.
const SOURCE_SHIFT: u32 = 24;

// A free-running index that another block advances, and the index up to which cores were given its elements.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Counter {
    produced: u32,
    taken: u32,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Event {
    // The source, and the number of elements.
    word: u32,
    start: u32,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Lane {
    // `None` is a fault.
    answers: VecDeque<Option<u32>>,
    is_waiting: bool,
    start: u32,
    // The signal that was given to this core, until it is done with it.
    held: Option<u32>,
    added_start: u32,
}

/// State of an event queue.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EventQueueState {
    // The lanes of `registers`.
    initiators: Vec<RegisterPort>,
    counters: Vec<Counter>,
    // Last word that was written to each signal.
    words: Vec<u32>,
    raised: u32,
    added: VecDeque<Event>,
    lanes: Vec<Lane>,
    // Source and lane that are examined first.
    next_source: usize,
    next_lane: usize,
    // The cycle in which the last signal is raised.
    timer: Option<u64>,
}

/// Gives events to cores. See its declaration.
pub struct EventQueue {
    // Maximum number of elements in an event of each counter.
    most: Vec<u32>,
    capacity: usize,
    ports: EventQueuePorts,
    state: EventQueueState,
}

mod offset {
    pub(super) const WAIT: u32 = 0x00;
    pub(super) const START: u32 = 0x04;
    pub(super) const DONE: u32 = 0x08;
    pub(super) const RAISE: u32 = 0x0c;
    pub(super) const ADD_START: u32 = 0x10;
    pub(super) const ADD: u32 = 0x14;
    pub(super) const TIMER: u32 = 0x18;
}

/// Maximum number of waiting answers of a lane.
const ANSWERS: usize = 2;

const EVENTS: usize = 0;
const ADDED: usize = 1;
const MERGED: usize = 2;
const LOST: usize = 3;

const DOCUMENTATION: &str = "Gives work to cores: one event at a time to each core that waits.

An event consists of the number of a source, a first element and a number of elements. There are three kinds of sources, numbered in this order:

- Counters: free-running indices that a host or a device advances by writing them. Cores receive what is between the index and what \
  was given before, in pieces of at most `elements`.
- Signals: bits that a write raises. A raised signal is given to one core, and to no other until that core is done with it, so its handler \
  needs no lock. What is raised meanwhile is given afterwards. The number of elements is 0.
- Added events: work that firmware could not finish. They have the number that firmware gave them, and leave in the order in which they came.

Sources take turns, and so do waiting cores; a core receives an event in each cycle. A core with nothing to do stalls in its load: it needs neither \
an interrupt nor a polling loop.

Registers of a core, at its lane of `core` (aligned 32-bit words; the low 8 bits of the address count):

| offset | name | access | content |
|---|---|---|---|
| 0x00 | `WAIT` | read | the next event, as soon as there is one: bits 31 to 24 source, 23 to 0 number of elements; ends the hold of a signal |
| 0x04 | `START` | read | first element of the event that this core received last; of a signal, the word that was last written to it |
| 0x08 | `DONE` | write | ends the hold of a signal |
| 0x0c | `RAISE` | write | raises signals: bit `n` raises signal `n` |
| 0x10 | `ADD_START` | write | first element of the next event to add |
| 0x14 | `ADD` | write | adds an event: bits 31 to 24 its number, 23 to 0 its number of elements; a fault, and lost, if `capacity` events wait |
| 0x18 | `TIMER` | write | raises the last signal after this number of cycles; 0 stops the timer |

Registers of the sources, at `registers`: word `n` belongs to source `n`. A write sets the index of a counter, or raises a signal and keeps the \
word; a read returns the index or the word.";

impl Module for EventQueue {
    type Parameters = EventQueueParameters;
    type Ports = EventQueuePorts;
    type State = EventQueueState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "event_queue",
            family: "processor",
            documentation: DOCUMENTATION,
            timing: "All outputs are registered. An event that comes while a load of `WAIT` waits is answered in the next cycle.",
            source: "Spinach thesis, sections 4.3.1 (the event queue in software) and 6 (one in hardware, as future work); registers of Spinach",
            parameters: EventQueueParameters::declare(),
            ports: EventQueuePorts::declare(),
            counters: &[
                ("events", "events given to cores"),
                ("added", "events that firmware added"),
                ("merged", "writes to signals that were raised already"),
                ("lost", "events that firmware added without room"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: EventQueueParameters, ports: EventQueuePorts) -> Result<Self, String> {
        let (initiators, lanes) = (ports.registers_request.len(), ports.core_request.len());
        if initiators != ports.registers_response.len() || lanes != ports.core_response.len() {
            return Err("requests and responses are not connected on the same lanes".to_owned());
        }
        let sources = parameters.elements.len() + parameters.signals as usize;
        if sources > MOST_SOURCES {
            return Err(format!("{sources} counters and signals are more than {MOST_SOURCES}"));
        }
        let piece =
            |most: &u64| u32::try_from(*most).ok().filter(|most| (1..1 << SOURCE_SHIFT).contains(most));
        let most: Option<Vec<u32>> = parameters.elements.iter().map(piece).collect();
        let most = most.ok_or_else(|| format!("an event has 1 to {} elements", (1 << SOURCE_SHIFT) - 1))?;
        let first = parameters.first_index as u32;
        let state = EventQueueState {
            initiators: vec![RegisterPort::default(); initiators],
            counters: vec![Counter { produced: first, taken: first }; most.len()],
            words: vec![first; parameters.signals as usize],
            raised: 0,
            added: VecDeque::new(),
            lanes: vec![Lane::default(); lanes],
            next_source: 0,
            next_lane: 0,
            timer: None,
        };
        Ok(Self { most, capacity: parameters.capacity as usize, ports, state })
    }

    fn processes(&self) -> Vec<Process> {
        type P = EventQueuePorts;
        let drives = [
            data(P::REGISTERS_RESPONSE),
            ack(P::REGISTERS_REQUEST),
            data(P::CORE_RESPONSE),
            ack(P::CORE_REQUEST),
        ];
        vec![Process::new(0).drives(drives)]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        let (ports, state) = (&self.ports, &self.state);
        let initiators = ports.registers_request.iter().zip(ports.registers_response.iter());
        for (initiator, (request, response)) in state.initiators.iter().zip(initiators) {
            initiator.evaluate(*request, *response, signals);
        }
        let lanes = ports.core_request.iter().zip(ports.core_response.iter());
        for (lane, (request, response)) in state.lanes.iter().zip(lanes) {
            signals.write(*response, lane.answers.front().copied().map(word_response));
            signals.acknowledge(*request, !lane.is_waiting && lane.answers.len() < ANSWERS);
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        if self.state.timer.is_some_and(|cycle| edge.cycle() >= cycle) {
            self.state.timer = None;
            self.raise(1 << (self.state.words.len() - 1), edge);
        }
        self.access_sources(edge);
        for lane in 0..self.state.lanes.len() {
            if edge.signals.is_sent(self.ports.core_response[lane]) {
                self.state.lanes[lane].answers.pop_front();
            }
            if let Some(reference) = edge.signals.received(self.ports.core_request[lane]) {
                self.access(lane, &reference, edge);
            }
        }
        if let Some(lane) = self.first_waiting()
            && let Some(event) = self.take(lane)
        {
            edge.count(EVENTS, 1);
            let receiver = &mut self.state.lanes[lane];
            receiver.is_waiting = false;
            receiver.start = event.start;
            receiver.answers.push_back(Some(event.word));
            self.state.next_lane = (lane + 1) % self.state.lanes.len();
        }
    }

    fn idle(&self) -> Idle {
        if self.first_waiting().is_some() && (0..self.sources()).any(|source| self.is_available(source)) {
            return Idle::No;
        }
        self.state.timer.map_or(Idle::UntilTransfer, Idle::UntilTransferOrCycle)
    }

    fn state(&self) -> &EventQueueState {
        &self.state
    }

    fn restore(&mut self, state: EventQueueState) -> Result<(), String> {
        let shape =
            |of: &EventQueueState| (of.initiators.len(), of.counters.len(), of.words.len(), of.lanes.len());
        if shape(&state) != shape(&self.state) || state.added.len() > self.capacity {
            return Err("the saved event queue has another number of sources, cores or events".to_owned());
        }
        if state.next_source >= self.sources() || state.next_lane >= state.lanes.len().max(1) {
            return Err("the saved event queue has a turn of a source or core that is not there".to_owned());
        }
        self.state = state;
        Ok(())
    }
}

impl EventQueue {
    // Counters, signals, and all added events as one.
    fn sources(&self) -> usize {
        self.most.len() + self.state.words.len() + 1
    }

    fn raise(&mut self, signals: u32, edge: &mut Edge<'_>) {
        edge.count(MERGED, u64::from((self.state.raised & signals).count_ones()));
        self.state.raised |= signals;
    }

    fn access_sources(&mut self, edge: &mut Edge<'_>) {
        for lane in 0..self.state.initiators.len() {
            let (request, response) =
                (self.ports.registers_request[lane], self.ports.registers_response[lane]);
            let EventQueueState { initiators, counters, words, .. } = &mut self.state;
            let mut raised = 0;
            initiators[lane].commit(request, response, edge, |offset, written| {
                let source = offset as usize / 4;
                if let Some(counter) = counters.get_mut(source) {
                    counter.produced = written.unwrap_or(counter.produced);
                    return Some(counter.produced);
                }
                let signal = source - counters.len();
                let word = words.get_mut(signal)?;
                if let Some(written) = written {
                    *word = written;
                    raised = 1 << signal;
                }
                Some(*word)
            });
            self.raise(raised, edge);
        }
    }

    fn access(&mut self, lane: usize, reference: &Reference, edge: &mut Edge<'_>) {
        let signals = self.state.words.len();
        let own = &mut self.state.lanes[lane];
        let answer = match register_access(reference) {
            Some((offset::WAIT, None)) => {
                own.held = None;
                own.is_waiting = true;
                return;
            }
            Some((offset::START, None)) => Some(own.start),
            Some((offset::DONE, Some(_))) => {
                own.held = None;
                Some(0)
            }
            Some((offset::RAISE, Some(word))) if u64::from(word) >> signals == 0 => {
                self.raise(word, edge);
                Some(0)
            }
            Some((offset::ADD_START, Some(word))) => {
                own.added_start = word;
                Some(0)
            }
            Some((offset::ADD, Some(word))) => {
                let event = Event { word, start: own.added_start };
                let has_room = self.state.added.len() < self.capacity;
                edge.count(if has_room { ADDED } else { LOST }, 1);
                has_room.then(|| {
                    self.state.added.push_back(event);
                    0
                })
            }
            Some((offset::TIMER, Some(word))) => {
                self.state.timer = (word != 0).then(|| edge.cycle() + u64::from(word));
                Some(0)
            }
            _ => None,
        };
        self.state.lanes[lane].answers.push_back(answer);
    }

    fn first_waiting(&self) -> Option<usize> {
        let lanes = &self.state.lanes;
        (0..lanes.len())
            .map(|turn| (self.state.next_lane + turn) % lanes.len())
            .find(|lane| lanes[*lane].is_waiting)
    }

    fn is_available(&self, source: usize) -> bool {
        let state = &self.state;
        if let Some(counter) = state.counters.get(source) {
            return counter.produced != counter.taken;
        }
        let signal = source - state.counters.len();
        if signal == state.words.len() {
            return !state.added.is_empty();
        }
        let is_held = state.lanes.iter().any(|lane| lane.held == Some(signal as u32));
        state.raised >> signal & 1 == 1 && !is_held
    }

    // The next event, for the core at `lane`.
    fn take(&mut self, lane: usize) -> Option<Event> {
        let sources = self.sources();
        let source = (0..sources)
            .map(|turn| (self.state.next_source + turn) % sources)
            .find(|source| self.is_available(*source))?;
        let state = &mut self.state;
        state.next_source = (source + 1) % sources;
        let number = (source as u32) << SOURCE_SHIFT;
        if let Some(counter) = state.counters.get_mut(source) {
            let start = counter.taken;
            let count = counter.produced.wrapping_sub(start).min(self.most[source]);
            counter.taken = start.wrapping_add(count);
            return Some(Event { word: number | count, start });
        }
        let signal = source - state.counters.len();
        if signal == state.words.len() {
            return state.added.pop_front();
        }
        state.raised &= !(1 << signal);
        state.lanes[lane].held = Some(signal as u32);
        Some(Event { word: number, start: state.words[signal] })
    }
}
