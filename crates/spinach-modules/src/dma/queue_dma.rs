//! `queue_dma`: moves data between host memory and the NIC's memory, by a queue of descriptors.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Idle, Input, Module, OrUnconnected, Output, Payload, Process, Signals, Size, Time,
    ack, data, parameters, ports,
};

use crate::parts::histogram::Histogram;
use crate::parts::queue_control as control;
use crate::parts::registers::RegisterPort;
use crate::values::{Block, BlockResponse, Reference, Response};

parameters! {
    /// The parameters of a DMA unit with a descriptor queue.
    pub struct QueueDmaParameters {
        /// `read` moves data from host memory into the NIC, `write` from the NIC into host memory.
        pub direction: String => of ["read", "write"],
        /// Number of descriptors that the queue holds.
        pub descriptors: u32 = 64 => in 1..=4096,
        /// Number of bytes that may be between the two memories at once. A single transfer may exceed it.
        pub fifo: Size = Size(4096) => in 1..=1_048_576,
        /// If true, a transfer that a memory does not answer stops the simulation. If false, it is done without effect, and `FAILED`
        /// counts it, and `FAULT` numbers it.
        pub stops_on_fault: bool = true,
        /// Source number of its blocks.
        pub source: u32 = 0 => in 0..=65535,
    }
}

ports! {
    /// Ports of a DMA unit with a descriptor queue.
    pub struct QueueDmaPorts {
        /// Registers.
        pub registers: { request: Input<Reference>, response: Output<Response> },
        /// Memory of the NIC.
        pub local: { request: Output<Block>, response: Input<BlockResponse> },
        /// Host memory.
        pub host: { request: Output<Block>, response: Input<BlockResponse> },
        /// A word as long as transfers are done that no read of `DONE` has reported.
        pub pending: OrUnconnected<Output<u64>>,
    }
}

/// Progress of a transfer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
enum Stage {
    /// Its source was not asked yet.
    Known,
    Fetching,
    /// Its bytes are here.
    Loaded,
    Storing,
    /// Its source did not answer.
    Failed,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Transfer {
    host: u64,
    local: u32,
    length: u32,
    stage: Stage,
    bytes: Option<Payload>,
    began: Time,
}

/// State of a DMA unit with a descriptor queue.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct QueueDmaState {
    port: RegisterPort,
    host_high: u32,
    host_low: u32,
    local: u32,
    is_enabled: bool,
    // Until the transfers under way are done.
    is_resetting: bool,
    // In order: at the end those whose source was not asked yet, before them those that are fetched.
    transfers: VecDeque<Transfer>,
    fetch_request: Option<Block>,
    store_request: Option<Block>,
    done: u32,
    // The value of `done` that firmware read last.
    reported: u32,
    failed: u32,
    // Numbers of the failed transfers that no read of `FAULT` has reported: the value of `done` before each.
    faults: VecDeque<u32>,
    /// Latency from a descriptor to the end of its transfer.
    latency: Histogram,
    has_acted: bool,
}

/// A DMA unit with a descriptor queue. See its declaration.
pub struct QueueDma {
    from_host: bool,
    descriptors: usize,
    fifo: u64,
    stops_on_fault: bool,
    source: u16,
    ports: QueueDmaPorts,
    state: QueueDmaState,
}

/// Offsets of its registers.
mod offset {
    pub(super) const HOST_HIGH: u32 = 0x00;
    pub(super) const HOST_LOW: u32 = 0x04;
    pub(super) const LOCAL: u32 = 0x08;
    pub(super) const LENGTH: u32 = 0x0c;
    pub(super) const FREE: u32 = 0x10;
    pub(super) const DONE: u32 = 0x14;
    pub(super) const CONTROL: u32 = 0x18;
    pub(super) const FAILED: u32 = 0x1c;
    pub(super) const FAULT: u32 = 0x20;
}

const LENGTH_MASK: u32 = 0xffff;

const TRANSFERS: usize = 0;
const BYTES: usize = 1;

const DOCUMENTATION: &str = "Moves data between host memory and the NIC's memory, by descriptors of the firmware.

A descriptor has two words of 64 bits: the address in host memory; the address in the NIC and the length. Descriptors wait in a queue and \
are consumed in order, each a transfer between one place and another; what is scattered or gathered takes one for each piece. The bytes \
of one transfer may be fetched while those of the one before are stored. A transfer is done when its destination has taken it.

Registers (aligned 32-bit words; the low 8 bits of the address count):

| offset | name | access | content |
|---|---|---|---|
| 0x00 | `HOST_HIGH` | read, write | upper half of the host address; kept for the next descriptor |
| 0x04 | `HOST_LOW` | read, write | lower half of the host address |
| 0x08 | `LOCAL` | read, write | address in the NIC |
| 0x0c | `LENGTH` | write | bytes, at most 65,535; puts the descriptor into the queue |
| 0x10 | `FREE` | read | room in the queue, in descriptors |
| 0x14 | `DONE` | read | number of completed transfers, modulo 2^32 |
| 0x18 | `CONTROL` | read, write | bit 0: enabled; 0 after reset. Bit 1: reset, see below |
| 0x1c | `FAILED` | read | how many of the transfers that are done had no effect, modulo 2^32 |
| 0x20 | `FAULT` | read | number of the oldest of these that was not read here: the transfers done before it, modulo 2^32; 0 if there is none. As \
many are kept as the queue holds descriptors, the latest ones |

A reset discards the descriptors that wait, and disables the queue. Bit 1 is set until the transfers under way are done; then `DONE` and \
`FAILED` are 0.

The simulation stops, with the reason, if a descriptor does not fit into the queue, if it has 0 bytes, or, while `stops_on_fault`, if \
nothing answers at one of its addresses.";

impl Module for QueueDma {
    type Parameters = QueueDmaParameters;
    type Ports = QueueDmaPorts;
    type State = QueueDmaState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "queue_dma",
            family: "dma",
            documentation: DOCUMENTATION,
            timing: "All outputs are registered. A register write takes effect in the next cycle.",
            source: "RiceNIC (ExpCS 2007), section 2.1 (Direct Memory Access); layouts of Spinach",
            parameters: QueueDmaParameters::declare(),
            ports: QueueDmaPorts::declare(),
            counters: &[("transfers", "transfers completed"), ("bytes", "bytes of the transfers completed")],
            clocks: &["clock"],
        }
    }

    fn new(parameters: QueueDmaParameters, ports: QueueDmaPorts) -> Result<Self, String> {
        Ok(Self {
            from_host: parameters.direction == "read",
            descriptors: parameters.descriptors as usize,
            fifo: parameters.fifo.0,
            stops_on_fault: parameters.stops_on_fault,
            source: parameters.source as u16,
            ports,
            state: QueueDmaState::default(),
        })
    }

    fn processes(&self) -> Vec<Process> {
        type P = QueueDmaPorts;
        let drives = [
            data(P::REGISTERS_RESPONSE),
            ack(P::REGISTERS_REQUEST),
            data(P::LOCAL_REQUEST),
            data(P::HOST_REQUEST),
        ];
        let pending = self.ports.pending.is_connected.then_some(data(P::PENDING));
        vec![Process::new(0).drives(drives).drives(pending).accepts([P::LOCAL_RESPONSE, P::HOST_RESPONSE])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        let state = &self.state;
        state.port.evaluate(self.ports.registers_request, self.ports.registers_response, signals);
        signals.write(self.source_ports().0, state.fetch_request);
        signals.write(self.destination_ports().0, state.store_request);
        signals.write(self.ports.pending.port, (state.done != state.reported).then_some(1));
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let has_come = self.see_source(edge);
        let is_done = self.see_destination(edge);
        let has_stored = self.store();
        let has_fetched = self.fetch();
        let has_written = self.see_registers(edge);
        self.end_reset();
        self.state.has_acted = has_come || is_done || has_stored || has_fetched || has_written;
    }

    fn idle(&self) -> Idle {
        if self.state.has_acted { Idle::No } else { Idle::UntilTransfer }
    }

    fn state(&self) -> &QueueDmaState {
        &self.state
    }

    fn restore(&mut self, state: QueueDmaState) -> Result<(), String> {
        self.state = state;
        Ok(())
    }
}

impl QueueDma {
    fn source_ports(&self) -> (Output<Block>, Input<BlockResponse>) {
        let ports = &self.ports;
        if self.from_host {
            (ports.host_request, ports.host_response)
        } else {
            (ports.local_request, ports.local_response)
        }
    }

    fn destination_ports(&self) -> (Output<Block>, Input<BlockResponse>) {
        let ports = &self.ports;
        if self.from_host {
            (ports.local_request, ports.local_response)
        } else {
            (ports.host_request, ports.host_response)
        }
    }

    fn see_source(&mut self, edge: &mut Edge<'_>) -> bool {
        let (request, response) = self.source_ports();
        let is_asked = edge.signals.is_sent(request);
        if is_asked {
            self.state.fetch_request = None;
        }
        let Some(response) = edge.signals.received(response) else { return is_asked };
        let fetching = self.state.transfers.iter_mut().find(|transfer| transfer.stage == Stage::Fetching);
        match (fetching, response.read) {
            (Some(transfer), Some(bytes)) => {
                (transfer.stage, transfer.bytes) = (Stage::Loaded, Some(bytes));
            }
            (Some(transfer), None) if !self.stops_on_fault => {
                transfer.stage = Stage::Failed;
                self.end_failed();
            }
            (transfer, _) => {
                let transfer = transfer.copied();
                self.stop("does not answer", transfer, self.from_host, edge);
            }
        }
        true
    }

    fn see_destination(&mut self, edge: &mut Edge<'_>) -> bool {
        let (request, response) = self.destination_ports();
        let is_asked = edge.signals.is_sent(request);
        if is_asked {
            self.state.store_request = None;
        }
        let Some(response) = edge.signals.received(response) else { return is_asked };
        let transfer = self.state.transfers.pop_front();
        if response.is_fault && self.stops_on_fault {
            self.stop("does not take", transfer, !self.from_host, edge);
        }
        if let Some(transfer) = transfer {
            if response.is_fault {
                self.record_fault();
            } else {
                edge.count(TRANSFERS, 1);
                edge.count(BYTES, u64::from(transfer.length));
                self.state.latency.record(edge.time().saturating_sub(transfer.began));
            }
            self.state.done = self.state.done.wrapping_add(1);
        }
        self.end_failed();
        true
    }

    // Completes failed transfers that no earlier transfer holds up.
    fn end_failed(&mut self) {
        while self.state.transfers.front().is_some_and(|transfer| transfer.stage == Stage::Failed) {
            self.state.transfers.pop_front();
            self.record_fault();
            self.state.done = self.state.done.wrapping_add(1);
        }
    }

    fn end_reset(&mut self) {
        let state = &mut self.state;
        if state.is_resetting && state.transfers.is_empty() {
            state.is_resetting = false;
            (state.done, state.reported, state.failed) = (0, 0, 0);
            state.faults.clear();
        }
    }

    // Records that the transfer after those done has failed.
    fn record_fault(&mut self) {
        let state = &mut self.state;
        state.failed = state.failed.wrapping_add(1);
        if state.faults.len() == self.descriptors {
            state.faults.pop_front();
        }
        state.faults.push_back(state.done);
    }

    fn stop(&self, what: &str, transfer: Option<Transfer>, is_host: bool, edge: &mut Edge<'_>) {
        let memory = if is_host { "host" } else { "the NIC's" };
        let (host, local, length) = transfer.map_or((0, 0, 0), |it| (it.host, it.local, it.length));
        edge.stop(format!(
            "{memory} memory {what} a transfer of {length} bytes between host address {host:#x} and local address {local:#x}"
        ));
    }

    // Asks the destination to take the next transfer whose bytes are here.
    fn store(&mut self) -> bool {
        let (from_host, source) = (self.from_host, self.source);
        if self.state.store_request.is_some() {
            return false;
        }
        let has_come = |transfer: &&mut Transfer| transfer.stage > Stage::Fetching;
        let mut here = self.state.transfers.iter_mut().take_while(has_come);
        let Some(transfer) = here.find(|transfer| transfer.stage == Stage::Loaded) else { return false };
        let address = if from_host { u64::from(transfer.local) } else { transfer.host };
        let (length, write) = (transfer.length, transfer.bytes.take());
        transfer.stage = Stage::Storing;
        self.state.store_request = Some(Block { address, length, source, write });
        true
    }

    // Asks the source for the next transfer, if there is room for it.
    fn fetch(&mut self) -> bool {
        let (from_host, source) = (self.from_host, self.source);
        if self.state.fetch_request.is_some() || !self.state.is_enabled {
            return false;
        }
        if self.state.transfers.back().is_none_or(|last| last.stage > Stage::Known) {
            return false;
        }
        let fifo = self.fifo;
        let mut used = 0;
        let mut transfers = self.state.transfers.iter_mut();
        let next = transfers.find(|transfer| {
            let is_known = transfer.stage == Stage::Known;
            used += if is_known { 0 } else { u64::from(transfer.length) };
            is_known
        });
        let Some(transfer) = next else { return false };
        if used > 0 && used + u64::from(transfer.length) > fifo {
            return false;
        }
        let address = if from_host { transfer.host } else { u64::from(transfer.local) };
        let length = transfer.length;
        transfer.stage = Stage::Fetching;
        self.state.fetch_request = Some(Block { address, length, source, write: None });
        true
    }

    fn see_registers(&mut self, edge: &mut Edge<'_>) -> bool {
        let state = &mut self.state;
        let free = self.descriptors - state.transfers.len();
        let began = edge.time();
        let mut pushed = None;
        let (request, response) = (self.ports.registers_request, self.ports.registers_response);
        let has_moved = state.port.commit(request, response, edge, |at, written| {
            match (at, written) {
                (offset::HOST_HIGH, None) => return Some(state.host_high),
                (offset::HOST_LOW, None) => return Some(state.host_low),
                (offset::LOCAL, None) => return Some(state.local),
                (offset::FREE, None) => return Some(free as u32),
                (offset::DONE, None) => {
                    state.reported = state.done;
                    return Some(state.done);
                }
                (offset::FAILED, None) => return Some(state.failed),
                (offset::CONTROL, None) => return Some(control::word(state.is_enabled, state.is_resetting)),
                (offset::FAULT, None) => return Some(state.faults.pop_front().unwrap_or(0)),
                (offset::HOST_HIGH, Some(word)) => state.host_high = word,
                (offset::HOST_LOW, Some(word)) => state.host_low = word,
                (offset::LOCAL, Some(word)) => state.local = word,
                (offset::CONTROL, Some(control::RESET)) => {
                    (state.is_enabled, state.is_resetting) = (false, true);
                    state.transfers.retain(|transfer| transfer.stage > Stage::Known);
                }
                (offset::CONTROL, Some(word)) => state.is_enabled = word & control::ENABLED != 0,
                (offset::LENGTH, Some(word)) => {
                    let host = u64::from(state.host_high) << 32 | u64::from(state.host_low);
                    let (local, length) = (state.local, word & LENGTH_MASK);
                    pushed = Some(Transfer { host, local, length, stage: Stage::Known, bytes: None, began });
                }
                _ => return None,
            }
            Some(0)
        });
        match pushed {
            Some(transfer) if free == 0 || transfer.length == 0 => {
                let reason = if free == 0 { "does not fit into the queue" } else { "has 0 bytes" };
                edge.stop(format!("a descriptor of local address {:#x} {reason}", transfer.local));
            }
            Some(transfer) => state.transfers.push_back(transfer),
            None => {}
        }
        has_moved
    }
}
