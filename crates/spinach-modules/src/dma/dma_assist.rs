//! `dma_assist`: moves data between host memory and the NIC's memory.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    AlreadySet, Declaration, Edge, Idle, Input, Module, Output, Payload, Process, Signals, Size, Time, ack,
    data, parameters, ports,
};

use crate::dma::descriptors::DmaDescriptor;
use crate::parts::histogram::Histogram;
use crate::parts::mover::{Finished, Mover, ProgressWord};
use crate::parts::registers::{Firmware, RegisterPort, Ring};
use crate::parts::ring_master::{ControlMemory, fetch_descriptor};
use crate::values::{Block, BlockResponse, Reference, Response};

parameters! {
    /// The parameters of a DMA assist.
    pub struct DmaAssistParameters {
        /// `read` moves data from host memory into the NIC, `write` from the NIC into host memory.
        pub direction: String => of ["read", "write"],
        /// Local addresses from here on are in frame memory, reached by whole blocks; those below are in control memory.
        pub frame_memory_base: u64 = 0x8000_0000,
        /// Number of descriptors held at once, from fetch to completion.
        pub descriptors: u32 = 8 => in 1..=64,
        /// Number of bytes that may be between the two memories at once: two frames of the largest size. A single transfer may
        /// exceed it.
        pub fifo: Size = Size(3036) => in 1..=1_048_576,
        /// Control memory.
        pub control: ControlMemory,
    }
}

ports! {
    /// Ports of a DMA assist.
    pub struct DmaAssistPorts {
        /// Registers.
        pub registers: { request: Input<Reference>, response: Output<Response> },
        /// Control memory.
        pub control: { request: Output<Reference>, response: Input<Response> },
        /// Frame memory.
        pub frame: { request: Output<Block>, response: Input<BlockResponse> },
        /// Host memory.
        pub host: { request: Output<Block>, response: Input<BlockResponse> },
    }
}

/// Progress of a transfer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
enum Stage {
    /// The descriptor is known.
    Known,
    /// The source was asked for the data.
    Fetching,
    /// The data is in the FIFO.
    Loaded,
    /// The data is being stored.
    Storing,
    /// The data is stored.
    Done,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Transfer {
    host: u64,
    local: u64,
    length: u32,
    stage: Stage,
    data: Option<Payload>,
    began: Time,
}

/// State of a DMA assist.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DmaAssistState {
    port: RegisterPort,
    ring: Ring,
    progress: ProgressWord,
    mover: Mover,
    // Number of descriptors that were asked for; those of them not received yet are the difference to
    // `consumer` and `transfers`.
    asked: u32,
    transfers: VecDeque<Transfer>,
    host_request: Option<Block>,
    frame_request: Option<Block>,
    /// Latency from the arrival of a descriptor to the completion of its transfer.
    latency: Histogram,
    last_completion: Time,
    // True if the last commit changed anything but references under way in control memory; if not, the next
    // will not either unless something comes in.
    has_acted: bool,
}

/// A DMA engine. See its declaration.
pub struct DmaAssist {
    from_host: bool,
    frame_memory_base: u64,
    descriptors: usize,
    fifo: u64,
    source: u16,
    ports: DmaAssistPorts,
    state: DmaAssistState,
    // All outputs but requests to control memory: they depend on state that changes only if the assist acts.
    outputs: AlreadySet,
}

const TRANSFERS: usize = 0;
const BYTES: usize = 1;
const FRAME_MEMORY_BYTES: usize = 2;
const CONTROL_MEMORY_BYTES: usize = 3;

const DOCUMENTATION: &str = "A DMA engine that performs the transfers of a descriptor ring.

The firmware writes descriptors into a ring in control memory and advances `PRODUCER`. The assist prefetches them, reads the \
data of one transfer while it stores that of the previous one, and completes them strictly in order. When a transfer is complete \
and its data visible, it advances `CONSUMER` and then writes it to the progress word.

Registers (aligned 32-bit words; the low 8 bits of the address count):

| offset | name | access | content |
|---|---|---|---|
| 0x00 | `BASE` | read, write | address of the ring in control memory |
| 0x04 | `ENTRIES` | read, write | entries of the ring, a power of two; 1 after reset |
| 0x08 | `PRODUCER` | read, write | number of descriptors written by the firmware, modulo 2^32 |
| 0x0c | `CONSUMER` | read | number of completed transfers, modulo 2^32 |
| 0x10 | `PROGRESS` | read, write | address of the word in control memory that follows `CONSUMER`; 0 for none |
| 0x14 | `CONTROL` | read, write | bit 0: enabled; 0 after reset |
| 0x18 | `STATUS` | read | bit 0: transfers are in flight |

Descriptor (16 bytes, big-endian words): host address high; host address low; local address; flags (16 bits, ignored) and length in \
bytes (16 bits). Addresses and lengths need no alignment. A transfer of 0 bytes completes in order.

The simulation stops, with the reason, if an address of a descriptor does not respond or if the firmware overfills the ring.";

impl Module for DmaAssist {
    type Parameters = DmaAssistParameters;
    type Ports = DmaAssistPorts;
    type State = DmaAssistState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "dma_assist",
            family: "dma",
            documentation: DOCUMENTATION,
            timing: "All outputs are registered. A register write takes effect in the next cycle. Control memory is asked for one \
                     reference a cycle. Data that has arrived is offered to its destination in the next cycle.",
            source: "Spinach thesis, sections 2.1.2 and 3.2.3, table 3.3 (DMA Assist); HPCA 2005, section 4",
            parameters: DmaAssistParameters::declare(),
            ports: DmaAssistPorts::declare(),
            counters: &[
                ("transfers", "transfers completed"),
                ("bytes", "bytes of the transfers completed"),
                ("frame_memory_bytes", "those of them in frame memory"),
                ("control_memory_bytes", "those of them in control memory"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: DmaAssistParameters, ports: DmaAssistPorts) -> Result<Self, String> {
        let source = parameters.control.source as u16;
        Ok(Self {
            from_host: parameters.direction == "read",
            frame_memory_base: parameters.frame_memory_base,
            descriptors: parameters.descriptors as usize,
            fifo: parameters.fifo.0,
            source,
            ports,
            state: DmaAssistState {
                port: RegisterPort::default(),
                ring: Ring::new(parameters.control.first_index),
                progress: ProgressWord::new(parameters.control.first_index),
                mover: parameters.control.mover()?,
                asked: parameters.control.first_index,
                transfers: VecDeque::new(),
                host_request: None,
                frame_request: None,
                latency: Histogram::default(),
                last_completion: Time::ZERO,
                has_acted: false,
            },
            outputs: AlreadySet::default(),
        })
    }

    fn processes(&self) -> Vec<Process> {
        type P = DmaAssistPorts;
        let drives = [
            data(P::REGISTERS_RESPONSE),
            ack(P::REGISTERS_REQUEST),
            data(P::CONTROL_REQUEST),
            data(P::FRAME_REQUEST),
            data(P::HOST_REQUEST),
        ];
        vec![Process::new(0).drives(drives).accepts([
            P::CONTROL_RESPONSE,
            P::FRAME_RESPONSE,
            P::HOST_RESPONSE,
        ])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        let (ports, state) = (&self.ports, &self.state);
        state.mover.evaluate(ports.control_request, signals);
        if signals.are_set_already(&self.outputs) {
            return;
        }
        state.port.evaluate(ports.registers_request, ports.registers_response, signals);
        signals.write(ports.frame_request, state.frame_request);
        signals.write(ports.host_request, state.host_request);
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let has_moved = self.see_responses(edge);
        if has_moved || self.state.has_acted {
            self.state.has_acted = self.act(edge);
            self.outputs.forget();
        }
        let state = &mut self.state;
        let (request, response) = (self.ports.registers_request, self.ports.registers_response);
        let is_reached = state.port.commit(request, response, edge, |offset, written| {
            let is_busy = state.ring.filled() > 0;
            state.ring.access(offset, written, Firmware::Produces, is_busy)
        });
        if is_reached {
            state.has_acted = true;
            self.outputs.forget();
        }
    }

    fn idle(&self) -> Idle {
        if self.state.has_acted { Idle::No } else { Idle::UntilTransfer }
    }

    fn state(&self) -> &DmaAssistState {
        &self.state
    }

    fn restore(&mut self, state: DmaAssistState) -> Result<(), String> {
        self.state = state;
        self.outputs.forget();
        Ok(())
    }
}

impl DmaAssist {
    fn is_in_frame_memory(&self, local: u64) -> bool {
        local >= self.frame_memory_base
    }

    // The position of the first transfer at `stage`; each source and each destination serves transfers in order.
    fn first_at(&self, stage: Stage, is_wanted: impl Fn(&Transfer) -> bool) -> Option<usize> {
        self.state.transfers.iter().position(|transfer| transfer.stage == stage && is_wanted(transfer))
    }

    // Continues everything that can; returns true if anything does.
    #[inline(never)]
    fn act(&mut self, edge: &mut Edge<'_>) -> bool {
        let has_stored = self.store(edge);
        let has_fetched = self.fetch();
        let has_completed = self.complete(edge);
        let has_asked = self.fetch_descriptor(edge);
        has_stored || has_fetched || has_completed || has_asked
    }

    // Returns true if anything came, or left for a memory that takes whole blocks.
    fn see_responses(&mut self, edge: &mut Edge<'_>) -> bool {
        let ports = &self.ports;
        let has_asked_host = edge.signals.is_sent(ports.host_request);
        if has_asked_host {
            self.state.host_request = None;
        }
        let has_asked_frame = edge.signals.is_sent(ports.frame_request);
        if has_asked_frame {
            self.state.frame_request = None;
        }
        let finished = self.state.mover.commit(ports.control_request, ports.control_response, edge);
        let has_finished = finished.is_some();
        if let Some(finished) = finished {
            self.see_control(finished, edge);
        }
        let is_answered = edge.signals.is_received(self.ports.host_response)
            | edge.signals.is_received(self.ports.frame_response);
        if is_answered {
            self.see_blocks(edge);
        }
        has_asked_host | has_asked_frame | has_finished | is_answered
    }

    #[inline(never)]
    fn see_blocks(&mut self, edge: &mut Edge<'_>) {
        if let Some(response) = edge.signals.received(self.ports.host_response) {
            let stage = if self.from_host { Stage::Fetching } else { Stage::Storing };
            let at = self.first_at(stage, |_| true);
            self.see_block(at, response, "host", edge);
        }
        if let Some(response) = edge.signals.received(self.ports.frame_response) {
            let stage = if self.from_host { Stage::Storing } else { Stage::Fetching };
            let base = self.frame_memory_base;
            let at = self.first_at(stage, |transfer| transfer.local >= base);
            self.see_block(at, response, "frame", edge);
        }
    }

    fn see_block(&mut self, at: Option<usize>, response: BlockResponse, memory: &str, edge: &mut Edge<'_>) {
        let Some(transfer) = at.and_then(|at| self.state.transfers.get_mut(at)) else {
            edge.stop(format!("{memory} memory answered without being asked"));
            return;
        };
        if response.is_fault {
            let Transfer { host, local, length, .. } = transfer;
            edge.stop(format!(
                "{memory} memory does not answer a transfer of {length} bytes between host address {host:#x} and local \
                 address {local:#x}"
            ));
            return;
        }
        if transfer.stage == Stage::Fetching {
            transfer.data = response.read;
            transfer.stage = Stage::Loaded;
        } else {
            transfer.stage = Stage::Done;
        }
    }

    fn see_control(&mut self, finished: Finished, edge: &mut Edge<'_>) {
        if finished.is_fault {
            edge.stop(format!("control memory does not answer at {:#x}", finished.address));
        }
        match finished.tag {
            ProgressWord::TAG => self.state.progress.finish(),
            DESCRIPTOR => {
                let descriptor = DmaDescriptor::from_bytes(&finished.bytes);
                let is_empty = descriptor.length == 0;
                self.state.transfers.push_back(Transfer {
                    host: descriptor.host,
                    local: u64::from(descriptor.local),
                    length: u32::from(descriptor.length),
                    stage: if is_empty { Stage::Done } else { Stage::Known },
                    data: None,
                    began: edge.time(),
                });
            }
            _ => {
                let base = self.frame_memory_base;
                let stage = if self.from_host { Stage::Storing } else { Stage::Fetching };
                let Some(at) = self.first_at(stage, |transfer| transfer.local < base) else { return };
                let transfer = &mut self.state.transfers[at];
                if self.from_host {
                    transfer.stage = Stage::Done;
                } else {
                    transfer.data = Some(edge.payloads().insert(finished.bytes));
                    transfer.stage = Stage::Loaded;
                }
            }
        }
    }

    // Begins to store the data of the next transfer, if it is there and its destination takes requests.
    fn store(&mut self, edge: &mut Edge<'_>) -> bool {
        let not_stored = self.state.transfers.iter().position(|transfer| transfer.stage < Stage::Storing);
        let Some(at) = not_stored else { return false };
        let Transfer { host, local, length, data: Some(data), .. } = self.state.transfers[at] else {
            return false;
        };
        let address = if self.from_host { local } else { host };
        let block = Block { address, length, source: self.source, write: Some(data) };
        let in_frame_memory = self.is_in_frame_memory(local);
        let state = &mut self.state;
        if self.from_host && !in_frame_memory {
            let bytes = edge.payloads().remove(data).unwrap_or_default().into_vec();
            state.mover.write(DATA, local, bytes);
        } else {
            let slot = if self.from_host { &mut state.frame_request } else { &mut state.host_request };
            if slot.is_some() {
                return false;
            }
            *slot = Some(block);
        }
        state.transfers[at].stage = Stage::Storing;
        state.transfers[at].data = None;
        true
    }

    // Asks for the data of the next transfer, if there is room for it and its source takes requests.
    fn fetch(&mut self) -> bool {
        let Some(at) = self.first_at(Stage::Known, |_| true) else { return false };
        let in_fifo = |transfer: &&Transfer| (Stage::Fetching..=Stage::Storing).contains(&transfer.stage);
        let used: u64 =
            self.state.transfers.iter().filter(in_fifo).map(|transfer| u64::from(transfer.length)).sum();
        let Transfer { host, local, length, .. } = self.state.transfers[at];
        if used > 0 && used + u64::from(length) > self.fifo {
            return false;
        }
        let address = if self.from_host { host } else { local };
        let block = Block { address, length, source: self.source, write: None };
        let in_frame_memory = self.is_in_frame_memory(local);
        let state = &mut self.state;
        if !self.from_host && !in_frame_memory {
            state.mover.read(DATA, local, length as usize);
        } else {
            let slot = if self.from_host { &mut state.host_request } else { &mut state.frame_request };
            if slot.is_some() {
                return false;
            }
            *slot = Some(block);
        }
        state.transfers[at].stage = Stage::Fetching;
        true
    }

    // Completes the transfers that are done, in order, and lets the progress word follow.
    fn complete(&mut self, edge: &mut Edge<'_>) -> bool {
        let before = self.state.transfers.len();
        while let Some(transfer) =
            self.state.transfers.front().copied().filter(|oldest| oldest.stage == Stage::Done)
        {
            self.state.transfers.pop_front();
            let memory = if self.is_in_frame_memory(transfer.local) {
                FRAME_MEMORY_BYTES
            } else {
                CONTROL_MEMORY_BYTES
            };
            edge.count(TRANSFERS, 1);
            edge.count(BYTES, u64::from(transfer.length));
            edge.count(memory, u64::from(transfer.length));
            self.state.latency.record(edge.time().saturating_sub(transfer.began));
            self.state.last_completion = edge.time();
            self.state.ring.consumer = self.state.ring.consumer.wrapping_add(1);
        }
        let state = &mut self.state;
        let follows =
            state.progress.follow(state.ring.consumer, state.ring.progress_address, &mut state.mover);
        follows || state.transfers.len() < before
    }

    fn fetch_descriptor(&mut self, edge: &mut Edge<'_>) -> bool {
        let DmaAssistState { ring, asked, mover, .. } = &mut self.state;
        let what = (DESCRIPTOR, DmaDescriptor::BYTES);
        fetch_descriptor(ring, asked, self.descriptors, what, mover).unwrap_or_else(|overrun| {
            edge.stop(overrun.to_string());
            false
        })
    }
}

// Tags of operations on control memory.
const DESCRIPTOR: u64 = 0;
const DATA: u64 = 1;
