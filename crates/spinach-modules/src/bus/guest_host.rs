//! `guest_host`: a host whose processor and memory are outside of the simulation.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Exported, Idle, Input, Module, OrUnconnected, Output, Outside, Process, Signals, Time,
    ack, data, parameters, ports,
};

use super::guest_messages::{ACCESS, Access, INTERRUPT_ADDRESSES, MEMORY, Said};
use crate::values::{Block, BlockResponse, Reference, Response};

parameters! {
    /// The parameters of a guest's host.
    pub struct GuestHostParameters {
        /// Number of blocks of memory that the device may request before the first is answered.
        pub outstanding: u32 = 4 => in 1..=64,
    }
}

ports! {
    /// Ports of a guest's host.
    pub struct GuestHostPorts {
        /// Memory of the host, for the device.
        pub memory: { request: Input<Block>, response: Output<BlockResponse> },
        /// Configuration space of the device.
        pub configuration: { request: Output<Reference>, response: Input<Response> },
        /// Memory space of the device.
        pub access: { request: Output<Reference>, response: Input<Response> },
        /// The interrupt line: a word for each change, 1 for asserted and 0 for released; always taken.
        pub interrupt: OrUnconnected<Input<u64>>,
        /// A word for each reset of the bus.
        pub reset: OrUnconnected<Output<u64>>,
    }
}

/// State of a guest's host.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct GuestHostState {
    // The oldest is under way; whether its request was taken.
    accesses: VecDeque<Access>,
    is_taken: bool,
    // Counter and number of the bytes of each block that was passed on to the guest; the answers belong to the first of them.
    requests: VecDeque<(usize, u64)>,
    answers: VecDeque<Option<Vec<u8>>>,
    responses: VecDeque<BlockResponse>,
    outbox: VecDeque<(Time, Said)>,
}

/// A host whose processor and memory are outside. See its declaration.
pub struct GuestHost {
    outstanding: usize,
    ports: GuestHostPorts,
    state: GuestHostState,
}

const MESSAGES: usize = 0;
const ACCESSES: usize = 1;
const FAULTS: usize = 2;
const INTERRUPTS: usize = 3;
const READ_BYTES: usize = 4;
const WRITTEN_BYTES: usize = 5;
const MEMORY_FAULTS: usize = 6;
const RESETS: usize = 7;

impl Module for GuestHost {
    type Parameters = GuestHostParameters;
    type Ports = GuestHostPorts;
    type State = GuestHostState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "guest_host",
            family: "bus",
            documentation: "A host whose processor and memory are outside of the simulation, such as a guest of an emulator.\n\nLane \
                            0 of the outside imports accesses of the guest, which are performed one at a time; lane 1 imports \
                            responses of its memory, in the order of the requests. The module exports completed accesses, memory \
                            requests and changes of the interrupt line; the counter `messages` counts them. Simulated time may \
                            pass until a response arrives.",
            timing: "All outputs are registered. An access is presented in the cycle after it came in or the one before it ended; a block of \
                     memory is answered in the cycle after its answer came in.",
            source: "the PCI proxy of QEMU (include/hw/remote/mpqemu-link.h) asks for no more than this",
            parameters: GuestHostParameters::declare(),
            ports: GuestHostPorts::declare(),
            counters: &[
                ("messages", "messages to the outside"),
                ("accesses", "accesses that are done"),
                ("faults", "accesses among them that nothing answered"),
                (
                    "interrupts",
                    "times that the interrupt line was asserted, and messages to the interrupt controller of a PC",
                ),
                ("read_bytes", "bytes of memory that the device read"),
                ("written_bytes", "bytes of memory that the device wrote"),
                ("memory_faults", "blocks that are not in memory"),
                ("resets", "resets of the bus"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: GuestHostParameters, ports: GuestHostPorts) -> Result<Self, String> {
        Ok(Self { outstanding: parameters.outstanding as usize, ports, state: GuestHostState::default() })
    }

    fn processes(&self) -> Vec<Process> {
        type P = GuestHostPorts;
        let mut drives = vec![
            data(P::MEMORY_RESPONSE),
            ack(P::MEMORY_REQUEST),
            data(P::CONFIGURATION_REQUEST),
            data(P::ACCESS_REQUEST),
        ];
        drives.extend(self.ports.reset.is_connected.then_some(data(P::RESET)));
        vec![Process::new(0).drives(drives).accepts([
            P::ACCESS_RESPONSE,
            P::CONFIGURATION_RESPONSE,
            P::INTERRUPT,
        ])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        let (ports, state) = (&self.ports, &self.state);
        signals.write(ports.memory_response, state.responses.front().copied());
        let waiting = state.requests.len() + state.responses.len();
        signals.acknowledge(ports.memory_request, waiting < self.outstanding);
        let access = state.accesses.front().filter(|_| !state.is_taken);
        let (configuration, memory) = access.map_or((None, None), |access| references(*access));
        signals.write(ports.configuration_request, configuration);
        signals.write(ports.access_request, memory);
        signals.write(ports.reset.port, access.filter(|access| **access == Access::Reset).map(|_| 1));
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        if let Some(level) = edge.signals.received(self.ports.interrupt.port) {
            edge.count(INTERRUPTS, u64::from(level != 0));
            self.say(Said::Interrupt(level != 0), edge);
        }
        self.see_access(edge);
        self.serve_memory(edge);
    }

    fn idle(&self) -> Idle {
        if self.state.answers.is_empty() { Idle::UntilTransfer } else { Idle::No }
    }

    fn outside(&mut self) -> Option<&mut dyn Outside> {
        Some(self)
    }

    fn state(&self) -> &GuestHostState {
        &self.state
    }

    fn restore(&mut self, state: GuestHostState) -> Result<(), String> {
        self.state = state;
        Ok(())
    }
}

// References of an access to configuration space and to memory space.
fn references(access: Access) -> (Option<Reference>, Option<Reference>) {
    match access {
        Access::ReadConfiguration { address, size } => (Some(Reference::read(address, size)), None),
        Access::WriteConfiguration { address, size, value } => {
            (Some(Reference::write(address, size, u128::from(value))), None)
        }
        Access::Read { address, size } => (None, Some(Reference::read(address, size))),
        Access::Write { address, size, value } => {
            (None, Some(Reference::write(address, size, u128::from(value))))
        }
        Access::Reset => (None, None),
    }
}

impl GuestHost {
    fn say(&mut self, said: Said, edge: &mut Edge<'_>) {
        edge.count(MESSAGES, 1);
        self.state.outbox.push_back((edge.time(), said));
    }

    fn see_access(&mut self, edge: &mut Edge<'_>) {
        let Some(access) = self.state.accesses.front() else { return };
        let (request, response, size) = match *access {
            Access::ReadConfiguration { size, .. } | Access::WriteConfiguration { size, .. } => {
                (self.ports.configuration_request, self.ports.configuration_response, size)
            }
            Access::Read { size, .. } | Access::Write { size, .. } => {
                (self.ports.access_request, self.ports.access_response, size)
            }
            Access::Reset => {
                if !self.ports.reset.is_connected || edge.signals.is_sent(self.ports.reset.port) {
                    edge.count(RESETS, 1);
                    self.end_access(0, edge);
                }
                return;
            }
        };
        if edge.signals.is_sent(request) {
            self.state.is_taken = true;
        }
        let Some(response) = edge.signals.received(response) else { return };
        edge.count(FAULTS, u64::from(response.is_fault));
        let mask = u32::MAX >> (32 - 8 * u32::from(size));
        self.end_access(if response.is_fault { mask } else { response.data as u32 & mask }, edge);
    }

    fn end_access(&mut self, value: u32, edge: &mut Edge<'_>) {
        edge.count(ACCESSES, 1);
        self.state.accesses.pop_front();
        self.state.is_taken = false;
        self.say(Said::Done(value), edge);
    }

    fn serve_memory(&mut self, edge: &mut Edge<'_>) {
        if edge.signals.is_sent(self.ports.memory_response) {
            self.state.responses.pop_front();
        }
        while let Some(answer) = self.state.answers.pop_front() {
            let is_fault = answer.is_none();
            edge.count(MEMORY_FAULTS, u64::from(is_fault));
            let (counter, bytes) = self.state.requests.pop_front().unwrap_or_default();
            edge.count(counter, if is_fault { 0 } else { bytes });
            let read = answer.filter(|bytes| !bytes.is_empty()).map(|bytes| edge.payloads().insert(bytes));
            self.state.responses.push_back(BlockResponse { read, is_fault });
        }
        let Some(block) = edge.signals.received(self.ports.memory_request) else { return };
        let (said, moved) = if let Some(payload) = block.write {
            let is_message = INTERRUPT_ADDRESSES.contains(&block.address);
            let moved = if is_message { (INTERRUPTS, 1) } else { (WRITTEN_BYTES, u64::from(block.length)) };
            let bytes = edge.payloads().remove(payload).unwrap_or_default().to_vec();
            (Said::Write { address: block.address, bytes }, moved)
        } else {
            let said = Said::Read { address: block.address, length: block.length };
            (said, (READ_BYTES, u64::from(block.length)))
        };
        self.state.requests.push_back(moved);
        self.say(said, edge);
    }
}

impl Outside for GuestHost {
    fn inject(&mut self, lane: u32, message: &[u8]) -> Result<(), String> {
        match lane {
            ACCESS => {
                let access = Access::from_bytes(message);
                let access = access.ok_or_else(|| format!("guest_host: {message:?} is not an access"))?;
                self.state.accesses.push_back(access);
            }
            MEMORY => {
                let (is_there, bytes) =
                    message.split_first().ok_or("guest_host: an answer without content")?;
                if self.state.answers.len() == self.state.requests.len() {
                    return Err("guest_host: an answer that nothing asked for".to_owned());
                }
                self.state.answers.push_back((*is_there != 0).then(|| bytes.to_vec()));
            }
            _ => return Err(format!("guest_host: there is no lane {lane}")),
        }
        Ok(())
    }

    fn waiting(&self, lane: u32) -> usize {
        if lane == ACCESS { self.state.accesses.len() } else { self.state.answers.len() }
    }

    fn export(&mut self, _: u32) -> Option<Exported> {
        let (time, said) = self.state.outbox.pop_front()?;
        Some(Exported { time, message: said.to_bytes() })
    }
}
