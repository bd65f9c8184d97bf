//! `event_unit`: remembers which words of which context were written, so that firmware need not look at all of them.

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Idle, Input, Module, OrUnconnected, Output, Process, Signals, Size, ack, data,
    parameters, ports,
};

use crate::parts::registers::RegisterPort;
use crate::values::{Reference, Response};

parameters! {
    /// The parameters of an event unit.
    pub struct EventUnitParameters {
        /// Number of contexts.
        pub contexts: u32 = 32 => in 1..=128,
        /// Distance of contexts, in bytes.
        pub page: Size = Size(4096) => in 4..=1_048_576,
        /// Number of words, from the first of a context on, that are mailboxes.
        pub mailboxes: u32 = 24 => in 1..=32,
    }
}

ports! {
    /// Ports of an event unit.
    pub struct EventUnitPorts {
        /// Registers.
        pub registers: { request: Input<Reference>, response: Output<Response> },
        /// Written bytes, counted from the first context on; always taken.
        pub written: Input<u64>,
        /// A word as long as there are events.
        pub pending: OrUnconnected<Output<u64>>,
    }
}

/// State of an event unit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EventUnitState {
    port: RegisterPort,
    // Of each context, the mailboxes written since firmware looked.
    events: Vec<u32>,
    selected: u32,
    pending: bool,
}

/// Remembers which mailboxes were written. See its declaration.
pub struct EventUnit {
    page: u64,
    mailboxes: u64,
    ports: EventUnitPorts,
    state: EventUnitState,
}

mod offset {
    pub(super) const CONTEXTS: u32 = 0x00;
    pub(super) const CONTEXTS_END: u32 = 0x10;
    pub(super) const CONTEXT: u32 = 0x10;
    pub(super) const MAILBOXES: u32 = 0x14;
}

const EVENTS: usize = 0;
const MERGED: usize = 1;

const DOCUMENTATION: &str = "Reports written mailboxes of contexts to firmware.

A context is a page of memory whose first words are mailboxes. Two levels of bit vectors show all events: one bit for each \
context with events, and for each context one bit for each mailbox. Writes to a mailbox whose bit is set merge with it. So firmware finds the next \
event in two reads, however many contexts there are.

Registers (aligned 32-bit words; the low 8 bits of the address count):

| offset | name | access | content |
|---|---|---|---|
| 0x00 to 0x0c | `CONTEXTS` | read | bit `n` of word `m`: context `32 m + n` has events |
| 0x10 | `CONTEXT` | read, write | the context that `MAILBOXES` is about; 0 after reset |
| 0x14 | `MAILBOXES` | read | bit `n`: mailbox `n` of the context was written; reading clears all |";

impl Module for EventUnit {
    type Parameters = EventUnitParameters;
    type Ports = EventUnitPorts;
    type State = EventUnitState;

    const SLEEPS: bool = true;

    fn declaration() -> Declaration {
        Declaration {
            kind: "event_unit",
            family: "processor",
            documentation: DOCUMENTATION,
            timing: "All outputs are registered. A write is seen by a register read that is taken in the next cycle.",
            source: "RiceNIC (ExpCS 2007), section 3.1 (two levels of bit vectors); layouts of Spinach",
            parameters: EventUnitParameters::declare(),
            ports: EventUnitPorts::declare(),
            counters: &[("events", "bits set"), ("merged", "writes to a mailbox whose bit was set already")],
            clocks: &["clock"],
        }
    }

    fn new(parameters: EventUnitParameters, ports: EventUnitPorts) -> Result<Self, String> {
        let (page, mailboxes) = (parameters.page.0, u64::from(parameters.mailboxes));
        if mailboxes * 4 > page {
            return Err(format!("{mailboxes} mailboxes do not fit into a page of {page} bytes"));
        }
        let events = vec![0; parameters.contexts as usize];
        let state = EventUnitState { port: RegisterPort::default(), events, selected: 0, pending: false };
        Ok(Self { page, mailboxes, ports, state })
    }

    fn processes(&self) -> Vec<Process> {
        type P = EventUnitPorts;
        let mut drives = vec![data(P::REGISTERS_RESPONSE), ack(P::REGISTERS_REQUEST)];
        drives.extend(self.ports.pending.is_connected.then_some(data(P::PENDING)));
        vec![Process::new(0).drives(drives).accepts([P::WRITTEN])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        self.state.port.evaluate(self.ports.registers_request, self.ports.registers_response, signals);
        signals.write(self.ports.pending.port, self.state.pending.then_some(1));
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let state = &mut self.state;
        let (request, response) = (self.ports.registers_request, self.ports.registers_response);
        state.port.commit(request, response, edge, |at, written| match (at, written) {
            (offset::CONTEXTS..offset::CONTEXTS_END, None) if at.is_multiple_of(4) => {
                let first = (at - offset::CONTEXTS) as usize / 4 * 32;
                let group = state.events.iter().skip(first).take(32);
                Some(group.enumerate().fold(0, |word, (bit, events)| word | u32::from(*events != 0) << bit))
            }
            (offset::CONTEXT, None) => Some(state.selected),
            (offset::CONTEXT, Some(word)) if (word as usize) < state.events.len() => {
                state.selected = word;
                Some(0)
            }
            (offset::MAILBOXES, None) => Some(std::mem::take(&mut state.events[state.selected as usize])),
            _ => None,
        });
        if let Some(written) = edge.signals.received(self.ports.written) {
            let (context, mailbox) = ((written / self.page) as usize, written % self.page / 4);
            if mailbox < self.mailboxes
                && let Some(events) = state.events.get_mut(context)
            {
                edge.count(if *events >> mailbox & 1 == 0 { EVENTS } else { MERGED }, 1);
                *events |= 1 << mailbox;
            }
        }
        state.pending = state.events.iter().any(|events| *events != 0);
    }

    // It reports events while there are any.
    fn idle(&self) -> Idle {
        Idle::UntilTransfer
    }

    fn state(&self) -> &EventUnitState {
        &self.state
    }

    fn restore(&mut self, state: EventUnitState) -> Result<(), String> {
        if state.events.len() != self.state.events.len() {
            return Err("the saved event unit has another number of contexts".to_owned());
        }
        self.state = state;
        Ok(())
    }
}
