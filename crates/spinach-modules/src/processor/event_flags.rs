//! `event_flags`: events of one core, which waits for them with a load.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    AnyNumber, Declaration, Edge, Idle, Input, Module, Output, Process, Signals, ack, data, parameters, ports,
};

use crate::parts::bytes::word_response;
use crate::parts::registers::register_access;
use crate::values::{Reference, Response};

/// First bit of the latched flags; the levels are below.
const LATCHED_SHIFT: u32 = 16;
const MOST_LEVELS: usize = LATCHED_SHIFT as usize;

parameters! {
    /// The parameters of event flags.
    pub struct EventFlagsParameters {
        /// Flags that `WAIT` and `TAKE` report after reset.
        pub enabled: u64 = 0xffff_ffff => in 0..=0xffff_ffff,
    }
}

ports! {
    /// Ports of event flags.
    pub struct EventFlagsPorts {
        /// Registers.
        pub registers: { request: Input<Reference>, response: Output<Response> },
        /// Levels, one lane each: flag `n` is set as long as lane `n` presents a word, which is never taken.
        pub level: AnyNumber<Input<u64>>,
        /// Latched events: the low 16 bits of each word set flags 16 to 31. Always taken.
        pub raised: AnyNumber<Input<u64>>,
    }
}

/// State of event flags.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct EventFlagsState {
    // `None` is a fault.
    answers: VecDeque<Option<u32>>,
    is_waiting: bool,
    levels: u32,
    latched: u32,
    enabled: u32,
}

/// Events of one core. See its declaration.
pub struct EventFlags {
    ports: EventFlagsPorts,
    state: EventFlagsState,
}

mod offset {
    pub(super) const WAIT: u32 = 0x00;
    pub(super) const TAKE: u32 = 0x04;
    pub(super) const ENABLED: u32 = 0x08;
    pub(super) const RAISE: u32 = 0x0c;
}

/// Maximum number of waiting answers.
const ANSWERS: usize = 2;

const WAITS: usize = 0;

const DOCUMENTATION: &str = "Event flags of one core, which waits for them with a load.

A load of `WAIT` is answered as soon as an enabled flag is set: a core with nothing to do stalls in that load, and needs neither an \
interrupt nor a polling loop. Flags 0 to 15 are levels of devices, such as \"a frame waits\"; flags 16 to 31 are latched when an event \
is raised, such as the doorbell of a queue, and are cleared when they are reported.

Registers (aligned 32-bit words; the low 8 bits of the address count):

| offset | name | access | content |
|---|---|---|---|
| 0x00 | `WAIT` | read | enabled flags that are set, as soon as there is one; clears the latched ones among them |
| 0x04 | `TAKE` | read | the same at once; 0 if none is set |
| 0x08 | `ENABLED` | read, write | flags that `WAIT` and `TAKE` report |
| 0x0c | `RAISE` | write | sets latched flags: bits 16 to 31; so one core signals to another |";

impl Module for EventFlags {
    type Parameters = EventFlagsParameters;
    type Ports = EventFlagsPorts;
    type State = EventFlagsState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "event_flags",
            family: "processor",
            documentation: DOCUMENTATION,
            timing: "All outputs are registered. An event that comes while a load of `WAIT` waits is answered in the next cycle.",
            source: "PsPIN (ISCA 2021): a core loads its next task and stalls until there is one; registers of Spinach",
            parameters: EventFlagsParameters::declare(),
            ports: EventFlagsPorts::declare(),
            counters: &[("waits", "loads of `WAIT` answered")],
            clocks: &["clock"],
        }
    }

    fn new(parameters: EventFlagsParameters, ports: EventFlagsPorts) -> Result<Self, String> {
        let levels = ports.level.len();
        if levels > MOST_LEVELS {
            return Err(format!("{levels} lanes of level are connected; at most {MOST_LEVELS} have flags"));
        }
        let state = EventFlagsState { enabled: parameters.enabled as u32, ..EventFlagsState::default() };
        Ok(Self { ports, state })
    }

    fn processes(&self) -> Vec<Process> {
        type P = EventFlagsPorts;
        let mut drives = vec![data(P::REGISTERS_RESPONSE), ack(P::REGISTERS_REQUEST)];
        drives.extend((!self.ports.level.is_empty()).then_some(ack(P::LEVEL)));
        vec![Process::new(0).drives(drives).accepts([P::RAISED])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        let (ports, state) = (&self.ports, &self.state);
        signals.write(ports.registers_response, state.answers.front().copied().map(word_response));
        signals.acknowledge(ports.registers_request, !state.is_waiting && state.answers.len() < ANSWERS);
        for level in ports.level.iter() {
            signals.acknowledge(*level, false);
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let Self { ports, state } = self;
        if edge.signals.is_sent(ports.registers_response) {
            state.answers.pop_front();
        }
        let is_set = |lane: &Input<u64>| edge.signals.is_present(*lane);
        state.levels =
            ports.level.iter().enumerate().fold(0, |all, (n, lane)| all | u32::from(is_set(lane)) << n);
        for lane in ports.raised.iter() {
            if let Some(word) = edge.signals.received(*lane) {
                state.latched |= (word as u32) << LATCHED_SHIFT;
            }
        }
        if let Some(reference) = edge.signals.received(ports.registers_request) {
            state.access(reference);
        }
        if state.is_waiting {
            let flags = state.take();
            if flags != 0 {
                edge.count(WAITS, 1);
                state.is_waiting = false;
                state.answers.push_back(Some(flags));
            }
        }
    }

    fn idle(&self) -> Idle {
        // Levels are presented as long as they last: nothing changes before one begins or ends.
        Idle::UntilTransfer
    }

    fn state(&self) -> &EventFlagsState {
        &self.state
    }

    fn restore(&mut self, state: EventFlagsState) -> Result<(), String> {
        self.state = state;
        Ok(())
    }
}

impl EventFlagsState {
    // The enabled flags that are set; latched ones among them are cleared.
    fn take(&mut self) -> u32 {
        let flags = (self.levels | self.latched) & self.enabled;
        self.latched &= !flags;
        flags
    }

    fn access(&mut self, reference: Reference) {
        let answer = match register_access(&reference) {
            Some((offset::WAIT, None)) => {
                self.is_waiting = true;
                return;
            }
            Some((offset::TAKE, None)) => Some(self.take()),
            Some((offset::ENABLED, None)) => Some(self.enabled),
            Some((offset::ENABLED, Some(word))) => {
                self.enabled = word;
                Some(0)
            }
            Some((offset::RAISE, Some(word))) => {
                self.latched |= word >> LATCHED_SHIFT << LATCHED_SHIFT;
                Some(0)
            }
            _ => None,
        };
        self.answers.push_back(answer);
    }
}
