//! `register_file`: the registers through which processors, a host and engines see each other.

mod parameters;
mod rules;

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    AlreadySet, AnyNumber, Declaration, Edge, Idle, Input, LastLanes, Many, Module, Output, Process, Signals,
    ack, data, ports,
};

use self::parameters::RegisterFileParameters;
use self::rules::{Affected, Rules, Words};
use crate::bits::ones;
use crate::parts::bytes::{word_from_data, word_response};
use crate::parts::register_message::RegisterMessage;
use crate::values::{Access, Reference, Response};

ports! {
    /// Ports of a register file.
    pub struct RegisterFilePorts {
        /// Initiators, one lane per initiator.
        pub port: { request: Many<Input<Reference>>, response: Many<Output<Response>> },
        /// Changes that engines make; always taken. At most 64 lanes.
        pub update: AnyNumber<Input<u64>>,
        /// Written words, for the engines; at most 64 lanes.
        pub written: AnyNumber<Output<u64>>,
    }
}

/// State of a register file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RegisterFileState {
    words: Words,
    // For each lane the messages that were not taken yet.
    outboxes: Vec<VecDeque<u64>>,
}

// Listeners of a register; true if they receive updates too.
#[derive(Clone, Copy, Debug)]
struct Listener {
    lane: usize,
    hears_all: bool,
}

/// Lanes are numbered by bits of a word.
const MAXIMUM_LANES: usize = 64;

/// The registers through which processors, a host and engines communicate. See its declaration.
pub struct RegisterFile {
    rules: Rules,
    mask: u64,
    // Of each register.
    listeners: Vec<Vec<Listener>>,
    ports: RegisterFilePorts,
    state: RegisterFileState,
    // The first cycle in which a timer may tick, and the lanes of `written` with a message, as bits; both follow from the state.
    next_tick: u64,
    announcing: u64,
    // True if anything moved in the last cycle.
    has_moved: bool,
    settled: AlreadySet,
    last_announcing: LastLanes,
}

const ANSWER: u16 = 0;
const ACCEPT: u16 = 1;
const ANNOUNCE: u16 = 2;

const READS: usize = 0;
const WRITES: usize = 1;
const IGNORED: usize = 2;
const FAULTS: usize = 3;

const DOCUMENTATION: &str = "The registers through which processors, a host and engines communicate.

A map of 32-bit registers that tables describe: plain bits, bits that only engines change, bits that are cleared by writing ones, bits that \
follow from other registers, ring pointers, semaphores, timers, and writes with consequences. All initiators are served in the same cycle; \
reads see what was there before it, writes take effect lane by lane. Engines follow the registers they care for through messages: a word in \
bits 31 to 0, an offset in bits 47 to 32, and above whether it is stored (0), set (1) or cleared (2).

Only aligned words can be read and written; anything else is answered with a fault.";

impl Module for RegisterFile {
    type Parameters = RegisterFileParameters;
    type Ports = RegisterFilePorts;
    type State = RegisterFileState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "register_file",
            family: "tigon2",
            documentation: DOCUMENTATION,
            timing: "A reference is answered in its own cycle. A write or an update can be seen in the next cycle; `written` presents it from \
                     the next cycle on, one message a cycle.",
            source: "Spinach thesis, section 2.1.2 (single-cycle access to memory-mapped registers); Tigon-2 reference, section 2",
            parameters: RegisterFileParameters::declare(),
            ports: RegisterFilePorts::declare(),
            counters: &[
                ("reads", "words that were read"),
                ("writes", "words that were written"),
                ("ignored", "writes that a guard kept from having an effect"),
                ("faults", "references to anything but an aligned word"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: RegisterFileParameters, ports: RegisterFilePorts) -> Result<Self, String> {
        if ports.port_request.len() != ports.port_response.len() {
            return Err("each lane needs both a request and a response".to_owned());
        }
        let (lanes, updates) = (ports.written.len(), ports.update.len());
        if lanes.max(updates) > MAXIMUM_LANES {
            return Err(format!("{} lanes are more than {MAXIMUM_LANES}", lanes.max(updates)));
        }
        let rules = Rules::new(&parameters)?;
        let mut listeners = vec![Vec::new(); rules.count()];
        if !parameters.notify.len().is_multiple_of(4) {
            return Err("notify: an entry has 4 numbers".to_owned());
        }
        for row in parameters.notify.chunks_exact(4) {
            if row[2] >= lanes as u64 {
                return Err(format!("notify: there is no lane {} of `written`, only {lanes} lanes", row[2]));
            }
            let listener = Listener { lane: row[2] as usize, hears_all: row[3] != 0 };
            let is_meant = |index: usize| (row[0]..=row[1]).contains(&(4 * index as u64));
            for index in (0..rules.count()).filter(|index| is_meant(*index)) {
                listeners[index].push(listener);
            }
        }
        let state = RegisterFileState { words: rules.reset(0), outboxes: vec![VecDeque::new(); lanes] };
        Ok(Self {
            rules,
            mask: parameters.size.0 - 1,
            listeners,
            ports,
            state,
            next_tick: 0,
            announcing: 0,
            has_moved: false,
            settled: AlreadySet::default(),
            last_announcing: LastLanes::default(),
        })
    }

    fn processes(&self) -> Vec<Process> {
        type P = RegisterFilePorts;
        let lanes = 0..self.ports.port_request.len();
        let mut processes: Vec<Process> = lanes
            .flat_map(|lane| {
                let request = data(P::PORT_REQUEST).lane(lane);
                let answer = Process::new(ANSWER).lane(lane).drives([data(P::PORT_RESPONSE).lane(lane)]);
                let accept = Process::new(ACCEPT).lane(lane).drives([ack(P::PORT_REQUEST).lane(lane)]);
                [answer.reads([request]), accept.reads([ack(P::PORT_RESPONSE).lane(lane)])]
            })
            .collect();
        let announces = (!self.ports.written.is_empty()).then_some(data(P::WRITTEN));
        let hears = (!self.ports.update.is_empty()).then_some(P::UPDATE);
        processes.push(Process::new(ANNOUNCE).drives(announces).accepts(hears));
        processes
    }

    #[inline(always)]
    fn evaluate(&self, code: u16, lane: u32, signals: &mut Signals) {
        let (ports, lane) = (&self.ports, lane as usize);
        match code {
            // Most lanes are idle in most cycles, and cost only what is here.
            ANSWER if !signals.is_present(ports.port_request[lane]) => {
                signals.clear(ports.port_response[lane]);
            }
            ANSWER => self.answer_lane(lane, signals),
            ACCEPT => {
                let is_heard = signals.is_acknowledged(ports.port_response[lane]);
                signals.acknowledge(ports.port_request[lane], is_heard);
            }
            _ if signals.are_set_already(&self.settled) => {}
            _ => self.present_announced(signals),
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        self.has_moved = false;
        for lane in ones(self.announcing) {
            if edge.signals.is_sent(self.ports.written[lane]) {
                self.has_moved = true;
                let outbox = &mut self.state.outboxes[lane];
                outbox.pop_front();
                self.announcing &= !(u64::from(outbox.is_empty()) << lane);
            }
        }
        let ticks = edge.cycle() >= self.next_tick;
        if ticks {
            self.rules.tick(&mut self.state.words, edge.cycle());
        }
        let mut is_told = false;
        // Every update is taken.
        for lane in ones(edge.signals.lanes_present(&self.ports.update)) {
            self.update(RegisterMessage::from_word(edge.signals.word(self.ports.update[lane], 0)));
            is_told = true;
        }
        for lane in 0..self.ports.port_request.len() {
            if edge.signals.is_received(self.ports.port_request[lane]) {
                self.perform(lane, edge);
                is_told = true;
            }
        }
        if ticks | is_told {
            self.next_tick = self.rules.next_tick(&self.state.words);
        }
        self.has_moved |= is_told;
        if self.has_moved {
            self.settled.forget();
        }
    }

    fn idle(&self) -> Idle {
        if self.has_moved { Idle::No } else { Idle::UntilTransferOrCycle(self.next_tick) }
    }

    fn state(&self) -> &RegisterFileState {
        &self.state
    }

    fn restore(&mut self, state: RegisterFileState) -> Result<(), String> {
        if !state.words.fits(&self.state.words) || state.outboxes.len() != self.state.outboxes.len() {
            return Err("the saved register file has other registers or lanes".to_owned());
        }
        self.settled.forget();
        self.next_tick = self.rules.next_tick(&state.words);
        let outboxes = state.outboxes.iter().enumerate();
        self.announcing =
            outboxes.fold(0, |lanes, (lane, outbox)| lanes | u64::from(!outbox.is_empty()) << lane);
        self.state = state;
        Ok(())
    }
}

impl RegisterFile {
    #[inline(never)]
    fn answer_lane(&self, lane: usize, signals: &mut Signals) {
        let answer = signals.read(self.ports.port_request[lane]).map(|reference| self.answer(&reference));
        signals.write(self.ports.port_response[lane], answer);
    }

    #[inline(never)]
    fn present_announced(&self, signals: &mut Signals) {
        let ports = &self.ports;
        signals.clear_other_lanes(&ports.written, self.announcing, &self.last_announcing);
        for lane in ones(self.announcing) {
            signals.write(ports.written[lane], self.state.outboxes[lane].front().copied());
        }
    }

    // The register that a proper reference means.
    #[inline]
    fn index(&self, reference: &Reference) -> Option<usize> {
        let is_word =
            reference.size == 4 && reference.enables & 0xf == 0xf && reference.address.is_multiple_of(4);
        let is_plain = matches!(reference.access, Access::Read | Access::Write);
        (is_word && is_plain).then_some(((reference.address & self.mask) / 4) as usize)
    }

    #[inline]
    fn answer(&self, reference: &Reference) -> Response {
        match self.index(reference) {
            Some(index) if reference.access == Access::Read => {
                word_response(Some(self.rules.read(&self.state.words, index)))
            }
            found => Response { data: 0, is_fault: found.is_none() },
        }
    }

    // Performs the request of `lane`.
    #[inline(never)]
    fn perform(&mut self, lane: usize, edge: &mut Edge<'_>) {
        let reference = edge.signals.read(self.ports.port_request[lane]).unwrap_or_default();
        let Some(index) = self.index(&reference) else {
            edge.count(FAULTS, 1);
            return;
        };
        if reference.access == Access::Read {
            edge.count(READS, 1);
            return;
        }
        edge.count(WRITES, 1);
        let word = word_from_data(reference.data);
        match self.rules.write(&mut self.state.words, index, word, edge.cycle() + 1) {
            None => edge.count(IGNORED, 1),
            Some(Affected::All) => {
                for index in 0..self.rules.count() {
                    self.announce(index, false);
                }
            }
            Some(Affected::Some(others)) => {
                self.announce(index, false);
                // The effect of a write on its own register is reported once.
                for other in others.into_iter().flatten().map(usize::from).filter(|other| *other != index) {
                    self.announce(other, false);
                }
            }
        }
    }

    fn update(&mut self, message: RegisterMessage) {
        let index = usize::from(message.offset) / 4;
        if self.state.words.change(index, |before| message.apply(before)) {
            self.announce(index, true);
        }
    }

    // Reports the content of register number `index` to its listeners.
    fn announce(&mut self, index: usize, is_update: bool) {
        for listener in &self.listeners[index] {
            if listener.hears_all || !is_update {
                let word = self.rules.read(&self.state.words, index);
                let message = RegisterMessage::store((4 * index) as u16, word).to_word();
                self.state.outboxes[listener.lane].push_back(message);
                self.announcing |= 1 << listener.lane;
            }
        }
    }
}
