//! `message_interrupts`: message-signaled interrupts of a PCI function, with their table and pending bits.

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Idle, Input, Module, Output, Process, Signals, Time, ack, data, parameters, ports,
};

use super::pci_device::message_control::{ENABLE, MASK_ALL, RESET};
use crate::parts::alarm::Alarm;
use crate::values::{Access, Block, BlockResponse, Reference, Response};

parameters! {
    /// The parameters of message-signaled interrupts.
    pub struct MessageInterruptsParameters {
        /// Number of vectors, as the `pci_device` has it.
        pub vectors: u32 = 1 => in 1..=2048,
        /// Address of the table, which has 16 bytes for each vector.
        pub table: u64 = 0 => in 0..=0xffff_ffff,
        /// Address of the pending bits.
        pub pending: u64 = 0x8000 => in 0..=0xffff_ffff,
        /// Shortest time between two messages of one vector; interrupts in between are one message at its end.
        pub interval: Time = Time::ZERO,
        /// Source of the messages, for statistics of memories.
        pub source: u32 = 0 => in 0..=65535,
    }
}

ports! {
    /// Ports of message-signaled interrupts.
    pub struct MessageInterruptsPorts {
        /// Accesses of the host to table and pending bits, little-endian.
        pub access: { request: Input<Reference>, response: Output<Response> },
        /// Control of the messages, from a `pci_device`.
        pub control: Input<u64>,
        /// Numbers of the vectors that the device raises; always taken.
        pub raised: Input<u64>,
        /// Messages, as writes to host memory.
        pub message: { request: Output<Block>, response: Input<BlockResponse> },
    }
}

/// A vector: its entry of the table, and its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Vector {
    // Address (low, high), data and control.
    entry: [u32; 4],
    is_pending: bool,
    // The next message may leave at this time.
    ready: Time,
}

/// State of message-signaled interrupts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MessageInterruptsState {
    vectors: Vec<Vector>,
    control: u64,
    answer: Option<Response>,
    message: Option<Block>,
    alarm: Option<Alarm>,
}

/// Table, pending bits and messages of the interrupts of a function. See its declaration.
pub struct MessageInterrupts {
    parameters: MessageInterruptsParameters,
    ports: MessageInterruptsPorts,
    state: MessageInterruptsState,
}

const MASKED: u32 = 1;
const AFTER_RESET: Vector = Vector { entry: [0, 0, 0, MASKED], is_pending: false, ready: Time::ZERO };
const ENTRY_BYTES: u64 = 16;

const RAISED: usize = 0;
const MERGED: usize = 1;
const MESSAGES: usize = 2;
const LOST: usize = 3;

const DOCUMENTATION: &str = "Message-signaled interrupts (MSI-X) of a PCI function: the table that the host fills, the pending bits, and the \
messages, which are writes of 4 bytes to host memory.

A vector that the device raises becomes pending. A pending vector sends its message when the host has enabled messages and masks neither \
the function nor the vector, and when `interval` has passed since its last message; the vector with the lowest number first. A vector that \
is raised while pending is one message. A vector raised while messages are disabled is lost: the device uses its interrupt line then. \
Disabling messages clears the pending bits, a reset of the function also the table.

Connect `control` to `message_control` of the `pci_device`, and `message` to its `dma`, behind the bus on which it takes time. Accesses \
are aligned words; the pending bits cannot be written.";

impl Module for MessageInterrupts {
    type Parameters = MessageInterruptsParameters;
    type Ports = MessageInterruptsPorts;
    type State = MessageInterruptsState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "message_interrupts",
            family: "bus",
            documentation: DOCUMENTATION,
            timing: "All outputs are registered. A message is presented in the cycle after its vector was raised or unmasked.",
            source: "PCI Local Bus 3.0, section 6.8.2; `interval` is of no one card: most have such a register",
            parameters: MessageInterruptsParameters::declare(),
            ports: MessageInterruptsPorts::declare(),
            counters: &[
                ("raised", "vectors that the device raised"),
                ("merged", "vectors among them that were pending already"),
                ("messages", "messages sent"),
                ("lost", "vectors raised while messages were disabled, or that do not exist"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: MessageInterruptsParameters, ports: MessageInterruptsPorts) -> Result<Self, String> {
        let p = &parameters;
        let table = p.table..p.table + ENTRY_BYTES * u64::from(p.vectors);
        let pending = p.pending..p.pending + 4 * u64::from(p.vectors.div_ceil(32));
        if table.start < pending.end && pending.start < table.end {
            return Err(format!("pending = {:#x} is inside the table", p.pending));
        }
        let state = MessageInterruptsState {
            vectors: vec![AFTER_RESET; p.vectors as usize],
            control: 0,
            answer: None,
            message: None,
            alarm: None,
        };
        Ok(Self { parameters, ports, state })
    }

    fn processes(&self) -> Vec<Process> {
        type P = MessageInterruptsPorts;
        let drives = [data(P::ACCESS_RESPONSE), ack(P::ACCESS_REQUEST), data(P::MESSAGE_REQUEST)];
        vec![Process::new(0).drives(drives).accepts([P::CONTROL, P::RAISED, P::MESSAGE_RESPONSE])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        let (ports, state) = (&self.ports, &self.state);
        signals.write(ports.access_response, state.answer);
        signals.acknowledge(ports.access_request, state.answer.is_none());
        signals.write(ports.message_request, state.message);
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        if edge.signals.is_sent(self.ports.access_response) {
            self.state.answer = None;
        }
        if edge.signals.is_sent(self.ports.message_request) {
            self.state.message = None;
        }
        if let Some(vector) = edge.signals.received(self.ports.raised) {
            self.raise(vector, edge);
        }
        if let Some(control) = edge.signals.received(self.ports.control) {
            self.control(control);
        }
        if let Some(reference) = edge.signals.received(self.ports.access_request) {
            let word = self.perform(&reference);
            let response = word.map(|word| Response { data: u128::from(word), is_fault: false });
            self.state.answer = Some(response.unwrap_or(Response::FAULT));
        }
        self.send(edge);
    }

    fn idle(&self) -> Idle {
        self.state.alarm.map_or(Idle::UntilTransfer, |alarm| Idle::UntilTransferOrCycle(alarm.look_at()))
    }

    fn state(&self) -> &MessageInterruptsState {
        &self.state
    }

    fn restore(&mut self, state: MessageInterruptsState) -> Result<(), String> {
        if state.vectors.len() != self.state.vectors.len() {
            return Err("the saved table of interrupts has another number of vectors".to_owned());
        }
        self.state = state;
        Ok(())
    }
}

impl MessageInterrupts {
    fn raise(&mut self, vector: u64, edge: &mut Edge<'_>) {
        edge.count(RAISED, 1);
        let is_enabled = self.state.control & ENABLE != 0;
        match self.state.vectors.get_mut(vector as usize).filter(|_| is_enabled) {
            Some(vector) => {
                edge.count(MERGED, u64::from(vector.is_pending));
                vector.is_pending = true;
            }
            None => edge.count(LOST, 1),
        }
    }

    fn control(&mut self, control: u64) {
        self.state.control = control;
        for vector in &mut self.state.vectors {
            if control & RESET != 0 {
                *vector = AFTER_RESET;
            } else if control & ENABLE == 0 {
                vector.is_pending = false;
            }
        }
    }

    // Reads or writes a word; `None` outside of table and pending bits.
    fn perform(&mut self, reference: &Reference) -> Option<u32> {
        let Reference { address, access, size: 4, data, .. } = *reference else { return None };
        let written = match access {
            Access::Read => None,
            Access::Write => Some(data as u32),
            _ => return None,
        };
        if !address.is_multiple_of(4) {
            return None;
        }
        let vectors = &mut self.state.vectors;
        if let Some(at) = address.checked_sub(self.parameters.pending)
            && at < 4 * vectors.len().div_ceil(32) as u64
        {
            let group = vectors.iter().skip(8 * at as usize).take(32).enumerate();
            return Some(group.fold(0, |word, (bit, vector)| word | u32::from(vector.is_pending) << bit));
        }
        let at = address.checked_sub(self.parameters.table)?;
        let word = &mut vectors.get_mut((at / ENTRY_BYTES) as usize)?.entry[(at % ENTRY_BYTES / 4) as usize];
        match written {
            // Of the control of a vector only the mask is kept, of an address only the aligned part.
            Some(value) => {
                *word = match at % ENTRY_BYTES {
                    0 => value & !3,
                    12 => value & MASKED,
                    _ => value,
                };
                Some(0)
            }
            None => Some(*word),
        }
    }

    // Presents the message of the first vector that may send one, or wakes when one may.
    fn send(&mut self, edge: &mut Edge<'_>) {
        if self.state.alarm.as_mut().is_some_and(|alarm| alarm.rings(edge)) {
            self.state.alarm = None;
        }
        if self.state.message.is_some() || self.state.control & (ENABLE | MASK_ALL) != ENABLE {
            return;
        }
        let now = edge.time();
        let is_open = |vector: &&mut Vector| vector.is_pending && vector.entry[3] & MASKED == 0;
        let mut open = self.state.vectors.iter_mut().filter(is_open);
        if let Some(vector) = open.find(|vector| vector.ready <= now) {
            vector.is_pending = false;
            vector.ready = now.saturating_add(self.parameters.interval);
            let [low, high, value, _] = vector.entry;
            edge.count(MESSAGES, 1);
            self.state.message = Some(Block {
                address: u64::from(high) << 32 | u64::from(low),
                length: 4,
                source: self.parameters.source as u16,
                write: Some(edge.payloads().insert(value.to_le_bytes())),
            });
            return;
        }
        let vectors = self.state.vectors.iter();
        let waiting = vectors.filter(|vector| vector.is_pending && vector.entry[3] & MASKED == 0);
        let due = waiting.map(|vector| vector.ready).min();
        if self.state.alarm.map(|alarm| alarm.due()) != due {
            self.state.alarm = due.map(|due| Alarm::set(due, edge));
        }
    }
}
