//! `memory_window`: the part of a device's address space that a host can see.

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Idle, Input, Module, OrUnconnected, Output, Process, Signals, Size, ack, data,
    parameters, ports,
};
use std::collections::VecDeque;

use crate::parts::register_message::{Change, RegisterMessage};
use crate::values::{Access, Reference, Response};

parameters! {
    /// The parameters of a memory window. Offsets count from the first byte that the host sees.
    pub struct MemoryWindowParameters {
        /// Number of bytes of registers that the host sees, from offset 0 on.
        pub registers_size: Size = Size(0x400),
        /// Parts of memory that the host always sees. Rows of 3: offset, bytes, address in memory.
        pub fixed: Vec<u64> = Vec::new(),
        /// Offset at which the host sees a movable part of memory.
        pub view_offset: u64 = 0x800,
        /// Number of bytes of it that the host sees, a power of two. The part begins at a multiple of that.
        pub view_size: Size = Size(0x800) => power_of_two 4..=1 << 30,
        /// The register that holds an address in the part of memory that the host sees.
        pub view_register: u32 = 0 => in 0..=65532,
        /// The offset at which the host sees the word whose address `view_register` holds; 0 for nowhere.
        pub view_port: u32 = 0 => in 0..=65532,
        /// The register that says in which order bytes come.
        pub order_register: u32 = 0 => in 0..=65532,
        /// The bits of it that matter.
        pub order_mask: u32 = 0,
        /// Value of these bits if numbers keep their value: the host's are little-endian, the device's big-endian. Otherwise
        /// bytes keep their address.
        pub order_value: u32 = 0,
        /// Effects of words that the host writes. Rows of 4: offset of the word; 0 to store, 1 to set, 2 to clear; offset of the
        /// register; word.
        pub messages: Vec<u64> = Vec::new(),
    }
}

ports! {
    /// Ports of a memory window.
    pub struct MemoryWindowPorts {
        /// Accesses of the host, by offset.
        pub host: { request: Input<Reference>, response: Output<Response> },
        /// Registers, by offset.
        pub registers: { request: Output<Reference>, response: Input<Response> },
        /// Memory, by address.
        pub memory: { request: Output<Reference>, response: Input<Response> },
        /// Content of `view_register` and `order_register`.
        pub written: OrUnconnected<Input<u64>>,
        /// Effects of the host's writes.
        pub update: OrUnconnected<Output<u64>>,
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
enum Side {
    Registers,
    Memory,
}

/// Progress of the reference at work.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
enum Work {
    #[default]
    None,
    /// It is being presented.
    Asking(Side, Reference),
    /// It was taken.
    Asked(Side),
    /// The host is being answered.
    Answering(Response),
}

/// State of a memory window.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct MemoryWindowState {
    work: Work,
    // Reference of the host.
    reference: Reference,
    view: u32,
    order: u32,
    outbox: VecDeque<u64>,
}

/// Window of a host onto a device's address space. See its declaration.
pub struct MemoryWindow {
    parameters: MemoryWindowParameters,
    ports: MemoryWindowPorts,
    state: MemoryWindowState,
}

const REGISTERS: usize = 0;
const MEMORY: usize = 1;
const MESSAGES: usize = 2;
const FAULTS: usize = 3;

impl Module for MemoryWindow {
    type Parameters = MemoryWindowParameters;
    type Ports = MemoryWindowPorts;
    type State = MemoryWindowState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "memory_window",
            family: "tigon2",
            documentation: "The window through which a host reaches a device's address space.\n\nThe window contains registers, \
                            parts of memory, and one part that a register moves over the memory. One reference is in flight at a \
                            time. Writes to some words, such as mailboxes, change registers; these changes come after the word \
                            is in memory and before the host receives its response.",
            timing: "All outputs are registered: a reference leaves in the cycle after its arrival, and its answer in the cycle after its arrival.",
            source: "Tigon-2 reference, sections 1 (host address space, window, mailboxes) and 2.1 (WINBASE, WINDATA)",
            parameters: MemoryWindowParameters::declare(),
            ports: MemoryWindowPorts::declare(),
            counters: &[
                ("register_references", "references to registers"),
                ("memory_references", "references to memory"),
                ("messages", "consequences of writes"),
                ("faults", "references that nothing answers"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: MemoryWindowParameters, ports: MemoryWindowPorts) -> Result<Self, String> {
        if !parameters.fixed.len().is_multiple_of(3) || !parameters.messages.len().is_multiple_of(4) {
            return Err("an entry of fixed has 3 numbers, one of messages 4".to_owned());
        }
        Ok(Self { parameters, ports, state: MemoryWindowState::default() })
    }

    fn processes(&self) -> Vec<Process> {
        type P = MemoryWindowPorts;
        let mut drives = vec![
            data(P::HOST_RESPONSE),
            ack(P::HOST_REQUEST),
            data(P::REGISTERS_REQUEST),
            data(P::MEMORY_REQUEST),
        ];
        drives.extend(self.ports.update.is_connected.then_some(data(P::UPDATE)));
        vec![Process::new(0).drives(drives).accepts([P::REGISTERS_RESPONSE, P::MEMORY_RESPONSE, P::WRITTEN])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        let (ports, state) = (&self.ports, &self.state);
        let asked = |side| match state.work {
            Work::Asking(at, reference) if at == side => Some(reference),
            _ => None,
        };
        signals.write(ports.registers_request, asked(Side::Registers));
        signals.write(ports.memory_request, asked(Side::Memory));
        // The host is answered once everything that follows has gone out, so that it never gets ahead of that.
        let answer = match state.work {
            Work::Answering(response) if state.outbox.is_empty() => Some(response),
            _ => None,
        };
        signals.write(ports.host_response, answer);
        signals.acknowledge(ports.host_request, matches!(state.work, Work::None));
        signals.write(ports.update.port, state.outbox.front().copied());
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        if let Some(word) = edge.signals.received(self.ports.written.port) {
            let message = RegisterMessage::from_word(word);
            if u32::from(message.offset) == self.parameters.view_register {
                self.state.view = message.word;
            }
            if u32::from(message.offset) == self.parameters.order_register {
                self.state.order = message.word;
            }
        }
        if edge.signals.is_sent(self.ports.update.port) {
            self.state.outbox.pop_front();
        }
        match self.state.work {
            Work::None => {
                if let Some(reference) = edge.signals.received(self.ports.host_request) {
                    self.begin(reference, edge);
                }
            }
            Work::Asking(side, _) => {
                let (request, response) = self.side(side);
                if edge.signals.is_sent(request) {
                    self.state.work = Work::Asked(side);
                    if let Some(response) = edge.signals.received(response) {
                        self.finish(response, edge);
                    }
                }
            }
            Work::Asked(side) => {
                if let Some(response) = edge.signals.received(self.side(side).1) {
                    self.finish(response, edge);
                }
            }
            Work::Answering(_) => {
                if edge.signals.is_sent(self.ports.host_response) {
                    self.state.work = Work::None;
                }
            }
        }
    }

    fn idle(&self) -> Idle {
        let is_idle = matches!(self.state.work, Work::None | Work::Asked(_)) && self.state.outbox.is_empty();
        if is_idle { Idle::UntilInput } else { Idle::No }
    }

    fn state(&self) -> &MemoryWindowState {
        &self.state
    }

    fn restore(&mut self, state: MemoryWindowState) -> Result<(), String> {
        self.state = state;
        Ok(())
    }
}

impl MemoryWindow {
    fn side(&self, side: Side) -> (Output<Reference>, Input<Response>) {
        match side {
            Side::Registers => (self.ports.registers_request, self.ports.registers_response),
            Side::Memory => (self.ports.memory_request, self.ports.memory_response),
        }
    }

    // Side and address of an offset.
    fn place(&self, offset: u64) -> Option<(Side, u64)> {
        let parameters = &self.parameters;
        let view = u64::from(self.state.view);
        let port = u64::from(parameters.view_port);
        if port != 0 && offset & !3 == port {
            return Some((Side::Memory, view & !3 | offset & 3));
        }
        if offset < parameters.registers_size.0 {
            return Some((Side::Registers, offset));
        }
        let within_view = offset.wrapping_sub(parameters.view_offset);
        if within_view < parameters.view_size.0 {
            return Some((Side::Memory, view & !(parameters.view_size.0 - 1) | within_view));
        }
        let mut fixed = parameters.fixed.chunks_exact(3);
        let row = fixed.find(|row| offset.wrapping_sub(row[0]) < row[1])?;
        Some((Side::Memory, row[2] + (offset - row[0])))
    }

    fn keeps_values(&self) -> bool {
        self.state.order & self.parameters.order_mask == self.parameters.order_value
    }

    fn begin(&mut self, reference: Reference, edge: &mut Edge<'_>) {
        let place = self.place(reference.address).filter(|_| matches!(reference.size, 1 | 2 | 4));
        self.state.reference = reference;
        let Some((side, address)) = place else {
            edge.count(FAULTS, 1);
            self.state.work = Work::Answering(Response::FAULT);
            return;
        };
        edge.count(if side == Side::Registers { REGISTERS } else { MEMORY }, 1);
        let size = reference.size;
        let moved = if self.keeps_values() {
            let address = address ^ u64::from(4 - size);
            let enables = reversed_enables(reference.enables, size);
            Reference { address, data: reversed(reference.data, size), enables, ..reference }
        } else {
            Reference { address, ..reference }
        };
        self.state.work = Work::Asking(side, moved);
    }

    fn finish(&mut self, response: Response, edge: &mut Edge<'_>) {
        let Reference { access, address, size, .. } = self.state.reference;
        let data = if self.keeps_values() { reversed(response.data, size) } else { response.data };
        self.state.work = Work::Answering(Response { data, ..response });
        if access != Access::Write || response.is_fault || !self.ports.update.is_connected {
            return;
        }
        for row in self.parameters.messages.chunks_exact(4).filter(|row| row[0] == address & !3) {
            let change = match row[1] {
                0 => Change::Store,
                1 => Change::Set,
                _ => Change::Clear,
            };
            let message = RegisterMessage { offset: row[2] as u16, change, word: row[3] as u32 };
            self.state.outbox.push_back(message.to_word());
            edge.count(MESSAGES, 1);
        }
    }
}

// The `size` bytes of `data` from the last to the first.
fn reversed(data: u128, size: u8) -> u128 {
    u128::from((data as u32).swap_bytes() >> (8 * u32::from(4 - size)))
}

fn reversed_enables(enables: u16, size: u8) -> u16 {
    (0..size).filter(|byte| enables >> byte & 1 != 0).fold(0, |all, byte| all | 1 << (size - 1 - byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_reversed_within_what_was_asked_for() {
        assert_eq!(reversed(0x1122_3344, 4), 0x4433_2211);
        assert_eq!(reversed(0x1122, 2), 0x2211);
        assert_eq!(reversed(0x11, 1), 0x11);
        assert_eq!(reversed_enables(0b0001, 4), 0b1000);
        assert_eq!(reversed_enables(0b11, 2), 0b11);
    }
}
