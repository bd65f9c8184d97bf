//! `multiported_memory`: bytes that several initiators reach in the same cycle.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    AnyNumber, Contents, Declaration, Edge, Input, Module, Output, Payloads, Process, Rest, Signals, Size,
    ack, data, parameters, ports,
};
use spinach_isa::mips::atomic::AtomicOperation;

use super::reservations::Reservations;
use super::storage::{Storage, mask_of};
use super::watch::{Watch, WatchHit, remember};
use crate::values::{Access, Block, BlockResponse, Reference, Response};

parameters! {
    /// What a memory can be told.
    pub struct MultiportedMemoryParameters {
        /// How many bytes there are.
        pub size: Size => in 1..=1 << 40,
        /// The address of the first byte.
        pub base: u64 = 0,
        /// Whether the bytes repeat over all addresses from `base` on, as where only the low bits of an address are decoded; the size
        /// must be a power of two then.
        pub repeats: bool = false,
        /// How many cycles after a reference was taken its response is presented. At 0 reads and writes are answered in their
        /// own cycle, as in a register file, and atomic operations in the next.
        pub latency: u32 = 1 => in 0..=1024,
        /// Whether the most or the least significant byte of a word comes first; matters to `set` and `update` only, which
        /// count the bits of a word.
        pub byte_order: String = "big".to_owned() => of ["big", "little"],
        /// What is in the memory at the start; zeros beyond.
        pub contents: Vec<u8> = Vec::new(),
        /// How many bytes after the base `contents` begins.
        pub contents_offset: u64 = 0,
        /// Ranges whose uses are counted and remembered: address and length in bytes of each, by turns.
        pub watch: Vec<u64> = Vec::new(),
    }
}

ports! {
    /// Where a memory is connected.
    pub struct MultiportedMemoryPorts {
        /// What initiators ask for, one lane each.
        pub port_request: AnyNumber<Input<Reference>> => bundle "port.request",
        /// The answers, on the lanes of the requests.
        pub port_response: AnyNumber<Output<Response>> => bundle "port.response",
        /// Whole runs of bytes that initiators ask for, one lane each.
        pub block_request: AnyNumber<Input<Block>> => bundle "block.request",
        /// The answers, on the lanes of the requests.
        pub block_response: AnyNumber<Output<BlockResponse>> => bundle "block.response",
    }
}

/// Everything in a memory that changes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct MultiportedMemoryState {
    storage: Storage,
    // By offset from the base.
    reservations: Reservations,
    lanes: Vec<Lane>,
    block_lanes: Vec<Option<BlockResponse>>,
    last_watch_hits: VecDeque<WatchHit>,
}

// The responses on their way out of one lane.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Lane {
    // Oldest first, each with the cycle from which on it may be presented.
    responses: VecDeque<(u64, Response)>,
    // Whether the oldest is presented in the coming cycle.
    is_due: bool,
}

/// Bytes that several initiators reach in the same cycle. See its declaration.
pub struct MultiportedMemory {
    base: u64,
    // The bits of an offset that count.
    offset_mask: u64,
    latency: u32,
    is_big_endian: bool,
    watch: Watch,
    ports: MultiportedMemoryPorts,
    state: MultiportedMemoryState,
}

const RESPONSES: u16 = 0;
const ACCEPT: u16 = 1;
const ACCEPT_BLOCK: u16 = 2;
const ANSWER: u16 = 3;
const BLOCK_RESPONSES: u16 = 4;

const READS: usize = 0;
const WRITES: usize = 1;
const ATOMICS: usize = 2;
const READ_BYTES: usize = 3;
const WRITTEN_BYTES: usize = 4;
const FAULTS: usize = 5;
const STALLS: usize = 6;
const WATCH_HITS: usize = 7;

const FAULT: Response = Response { data: 0, is_fault: true };

impl Module for MultiportedMemory {
    type Parameters = MultiportedMemoryParameters;
    type Ports = MultiportedMemoryPorts;
    type State = MultiportedMemoryState;

    const SLEEPS: bool = true;

    fn declaration() -> Declaration {
        Declaration {
            kind: "multiported_memory",
            family: "memory",
            documentation: "Bytes that several initiators reach in the same cycle.\n\nEvery lane retires one reference per \
                            cycle. Within a cycle all reads come first, then writes and atomic operations lane by lane, \
                            then blocks lane by lane (again reads first); so a read sees what was there before the cycle. \
                            A write by anybody, an atomic operation included, ends every reservation on the bytes it \
                            touches. References outside the memory, not a multiple of their size, or of a size other than \
                            1, 2, 4, 8 or 16 bytes are answered with a fault. From outside, the contents are addressed \
                            from 0 on, whatever the base.",
            timing: "The responses are registered: presented `latency` cycles after acceptance, fully pipelined; a block is \
                     answered the cycle after it was taken, as its time is the business of a controller. A lane whose \
                     response is refused keeps it and, once `latency` responses wait, refuses requests; it accepts one in \
                     the cycle in which a response leaves, so the acknowledgement of a lane's request depends on that of its \
                     response. With latency 0 a lane's response and acknowledgement depend on its request too, and a lane \
                     refuses requests while an atomic operation awaits its response.",
            source: "Spinach thesis, section 3.2.2, table 3.2 (Multiported Memory); `set` and `update`: HPCA 2005, section 4",
            parameters: MultiportedMemoryParameters::declare(),
            ports: MultiportedMemoryPorts::declare(),
            counters: &[
                ("reads", "references and blocks that read"),
                ("writes", "references and blocks that wrote"),
                ("atomics", "load-linked, store-conditional, set and update"),
                ("read_bytes", "enabled bytes of reads"),
                ("written_bytes", "enabled bytes of writes"),
                ("faults", "references and blocks that were answered with a fault"),
                ("stalls", "cycles times lanes in which a request was refused"),
                ("watch_hits", "references and blocks that touched a watched range"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: MultiportedMemoryParameters, ports: MultiportedMemoryPorts) -> Result<Self, String> {
        let (lanes, block_lanes) = (ports.port_request.len(), ports.block_request.len());
        if lanes != ports.port_response.len() || block_lanes != ports.block_response.len() {
            return Err("each lane needs both a request and a response".to_owned());
        }
        if lanes + block_lanes == 0 {
            return Err("nothing is connected: connect `port` or `block`".to_owned());
        }
        let size = parameters.size.0;
        if parameters.base.checked_add(size).is_none() {
            return Err(format!("{size} bytes from {:#x} on go beyond the last address", parameters.base));
        }
        if parameters.repeats && !size.is_power_of_two() {
            return Err(format!("{size} bytes cannot repeat: size is not a power of two"));
        }
        let mut storage = Storage::new(
            usize::try_from(size).map_err(|_| format!("{size} bytes are more than this machine can hold"))?,
        );
        let initial = &parameters.contents;
        storage
            .run_mut(parameters.contents_offset, initial.len() as u64)
            .ok_or_else(|| {
                format!(
                    "contents has {} bytes from {} on, but the memory only {size}",
                    initial.len(),
                    parameters.contents_offset
                )
            })?
            .copy_from_slice(initial);
        let state = MultiportedMemoryState {
            storage,
            lanes: vec![Lane::default(); lanes],
            block_lanes: vec![None; block_lanes],
            ..MultiportedMemoryState::default()
        };
        Ok(Self {
            base: parameters.base,
            offset_mask: if parameters.repeats { size - 1 } else { u64::MAX },
            latency: parameters.latency,
            is_big_endian: parameters.byte_order == "big",
            watch: Watch::new(&parameters.watch)?,
            ports,
            state,
        })
    }

    fn processes(&self) -> Vec<Process> {
        type Own = MultiportedMemoryPorts;
        if self.latency == 0 {
            return self.immediate_processes();
        }
        let responses = Process::new(RESPONSES).drives([data(Own::PORT_RESPONSE), data(Own::BLOCK_RESPONSE)]);
        let accept = |code, request, response| {
            move |lane| {
                Process::new(code)
                    .lane(lane)
                    .drives([ack(request).lane(lane)])
                    .reads([ack(response).lane(lane)])
            }
        };
        let lanes =
            (0..self.ports.port_request.len()).map(accept(ACCEPT, Own::PORT_REQUEST, Own::PORT_RESPONSE));
        let block_lanes = (0..self.ports.block_request.len()).map(accept(
            ACCEPT_BLOCK,
            Own::BLOCK_REQUEST,
            Own::BLOCK_RESPONSE,
        ));
        std::iter::once(responses).chain(lanes).chain(block_lanes).collect()
    }

    fn settle(&self, code: u16, lane: u32, signals: &mut Signals) {
        let index = lane as usize;
        match code {
            RESPONSES => {
                for (lane, port) in self.state.lanes.iter().zip(&*self.ports.port_response) {
                    let due = lane.responses.front().filter(|_| lane.is_due);
                    signals.write(*port, due.map(|(_, response)| *response));
                }
                for (response, port) in self.state.block_lanes.iter().zip(&*self.ports.block_response) {
                    signals.write(*port, *response);
                }
            }
            BLOCK_RESPONSES => {
                for (response, port) in self.state.block_lanes.iter().zip(&*self.ports.block_response) {
                    signals.write(*port, *response);
                }
            }
            ANSWER => {
                let waiting = self.state.lanes[index].responses.front().map(|(_, response)| *response);
                let answer = || {
                    let reference =
                        signals.read(self.ports.port_request[index]).filter(is_answered_at_once)?;
                    Some(self.look(reference).unwrap_or(FAULT))
                };
                let response = waiting.or_else(answer);
                signals.write(self.ports.port_response[index], response);
            }
            ACCEPT if self.latency == 0 => {
                let reference = signals.read(self.ports.port_request[index]);
                let is_heard = signals.is_acknowledged(self.ports.port_response[index])
                    || !reference.as_ref().is_some_and(is_answered_at_once);
                let is_free = self.state.lanes[index].responses.is_empty();
                signals.acknowledge(self.ports.port_request[index], is_free && is_heard);
            }
            ACCEPT => {
                let lane = &self.state.lanes[index];
                let has_room = lane.responses.len() < self.latency as usize
                    || lane.is_due && signals.is_acknowledged(self.ports.port_response[index]);
                signals.acknowledge(self.ports.port_request[index], has_room);
            }
            _ => {
                let has_room = self.state.block_lanes[index].is_none()
                    || signals.is_acknowledged(self.ports.block_response[index]);
                signals.acknowledge(self.ports.block_request[index], has_room);
            }
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let mut some_write = false;
        for lane in 0..self.state.lanes.len() {
            if edge.signals.is_sent(self.ports.port_response[lane]) {
                self.state.lanes[lane].responses.pop_front();
            }
            let port = self.ports.port_request[lane];
            match edge.signals.received(port) {
                Some(reference) if reference.access.writes() => some_write = true,
                Some(reference) => self.retire(lane, reference, edge),
                None => edge.count(STALLS, u64::from(edge.signals.is_present(port))),
            }
        }
        if some_write {
            for lane in 0..self.state.lanes.len() {
                let received = edge.signals.received(self.ports.port_request[lane]);
                if let Some(reference) = received.filter(|reference| reference.access.writes()) {
                    self.retire(lane, reference, edge);
                }
            }
        }
        if !self.state.block_lanes.is_empty() {
            self.commit_blocks(edge);
        }
        for lane in &mut self.state.lanes {
            lane.is_due = lane.responses.front().is_some_and(|(from, _)| *from <= edge.cycle + 1);
        }
    }

    fn rest(&self) -> Rest {
        let is_idle = self.state.lanes.iter().all(|lane| lane.responses.is_empty())
            && self.state.block_lanes.iter().all(Option::is_none);
        if is_idle { Rest::UntilInput } else { Rest::Busy }
    }

    fn contents(&mut self) -> Option<&mut dyn Contents> {
        Some(self)
    }

    fn state(&self) -> &MultiportedMemoryState {
        &self.state
    }

    fn restore(&mut self, state: MultiportedMemoryState) -> Result<(), String> {
        let fits = state.storage.len() == self.state.storage.len()
            && state.lanes.len() == self.state.lanes.len()
            && state.block_lanes.len() == self.state.block_lanes.len();
        if !fits {
            return Err("the saved memory has another size or other lanes".to_owned());
        }
        self.state = state;
        Ok(())
    }
}

// With latency 0: whether the response is presented in the cycle of the reference.
fn is_answered_at_once(reference: &Reference) -> bool {
    matches!(reference.access, Access::Read | Access::Write)
}

impl MultiportedMemory {
    // With latency 0 each lane's response follows from its own request.
    fn immediate_processes(&self) -> Vec<Process> {
        type Own = MultiportedMemoryPorts;
        let mut processes = Vec::new();
        for lane in 0..self.ports.port_request.len() {
            let (request, response) = (Own::PORT_REQUEST, Own::PORT_RESPONSE);
            let answer = Process::new(ANSWER).lane(lane).drives([data(response).lane(lane)]);
            processes.push(answer.reads([data(request).lane(lane)]));
            let accept = Process::new(ACCEPT).lane(lane).drives([ack(request).lane(lane)]);
            processes.push(accept.reads([data(request).lane(lane), ack(response).lane(lane)]));
        }
        if !self.ports.block_request.is_empty() {
            processes.push(Process::new(BLOCK_RESPONSES).drives([data(Own::BLOCK_RESPONSE)]));
        }
        for lane in 0..self.ports.block_request.len() {
            let accept = Process::new(ACCEPT_BLOCK).lane(lane).drives([ack(Own::BLOCK_REQUEST).lane(lane)]);
            processes.push(accept.reads([ack(Own::BLOCK_RESPONSE).lane(lane)]));
        }
        processes
    }

    // What a read or write is answered, before the writes of this cycle; `None` for a fault.
    #[inline]
    fn look(&self, reference: Reference) -> Option<Response> {
        let Reference { address, access, size, enables, .. } = reference;
        if !size.is_power_of_two() || size > 16 || address & u64::from(size - 1) != 0 {
            return None;
        }
        let old = self.state.storage.load(self.offset(address), size)?;
        let data = if access == Access::Read { old & mask_of(enables, size) } else { 0 };
        Some(Response { data, is_fault: false })
    }

    #[inline]
    fn offset(&self, address: u64) -> u64 {
        address.wrapping_sub(self.base) & self.offset_mask
    }

    // Performs what was taken on `lane` and queues the response.
    #[inline]
    fn retire(&mut self, lane: usize, reference: Reference, edge: &mut Edge<'_>) {
        let is_watched = !self.watch.is_empty();
        let before = if is_watched { self.glimpse(reference.address) } else { 0 };
        let response = self.perform(reference, edge.counters).unwrap_or_else(|| {
            edge.counters[FAULTS] += 1;
            FAULT
        });
        if is_watched {
            let length = u64::from(reference.size);
            self.note(reference.address, length, reference.source, reference.access, before, edge);
        }
        if self.latency == 0 && is_answered_at_once(&reference) {
            return;
        }
        let due = edge.cycle + u64::from(self.latency.max(1));
        self.state.lanes[lane].responses.push_back((due, response));
    }

    // `None` if nothing answers there or the reference is none that a memory can serve; nothing is changed then.
    #[inline]
    fn perform(&mut self, reference: Reference, counters: &mut [u64]) -> Option<Response> {
        let Reference { address, access, size, enables, source, data } = reference;
        if !size.is_power_of_two() || size > 16 || address & u64::from(size - 1) != 0 {
            return None;
        }
        let offset = self.offset(address);
        let old = self.state.storage.load(offset, size)?;
        let mut done = |access: usize, bytes: Option<usize>| {
            counters[access] += 1;
            if let Some(bytes) = bytes {
                counters[bytes] += u64::from((enables & crate::values::all_enabled(size)).count_ones());
            }
        };
        let result = match access {
            Access::Read => {
                done(READS, Some(READ_BYTES));
                old & mask_of(enables, size)
            }
            Access::Write => {
                done(WRITES, Some(WRITTEN_BYTES));
                self.write(offset, size, enables, data);
                0
            }
            Access::LoadLinked => {
                done(ATOMICS, None);
                self.state.reservations.reserve(source, offset, size);
                old
            }
            Access::StoreConditional => {
                done(ATOMICS, None);
                let stands = self.state.reservations.redeem(source, offset, size);
                if stands {
                    self.write(offset, size, enables, data);
                }
                u128::from(stands)
            }
            Access::Set | Access::Update => {
                if size != 4 {
                    return None;
                }
                done(ATOMICS, None);
                u128::from(self.bit_array(access, offset, old as u32, data as u32))
            }
        };
        Some(Response { data: result, is_fault: false })
    }

    #[inline]
    fn write(&mut self, offset: u64, size: u8, enables: u16, data: u128) {
        if self.state.storage.store(offset, size, enables, data).is_some() {
            self.state.reservations.clear(offset, u64::from(size));
        }
    }

    fn bit_array(&mut self, access: Access, offset: u64, stored: u32, index: u32) -> u32 {
        let swap = |word: u32| if self.is_big_endian { word.swap_bytes() } else { word };
        let word = swap(stored);
        let operation = if access == Access::Set { AtomicOperation::Set } else { AtomicOperation::Update };
        let outcome = operation.apply(word, index);
        let new = u128::from(swap(outcome.word));
        self.write(offset, 4, 0b1111, new);
        if access == Access::Set { word } else { outcome.result }
    }

    fn commit_blocks(&mut self, edge: &mut Edge<'_>) {
        for lane in 0..self.state.block_lanes.len() {
            if edge.signals.is_sent(self.ports.block_response[lane]) {
                self.state.block_lanes[lane] = None;
            }
        }
        for writes in [false, true] {
            for lane in 0..self.state.block_lanes.len() {
                let port = self.ports.block_request[lane];
                match edge.signals.received(port) {
                    Some(block) if block.write.is_some() == writes => {
                        self.state.block_lanes[lane] = Some(self.retire_block(block, edge));
                    }
                    None if !writes => edge.count(STALLS, u64::from(edge.signals.is_present(port))),
                    _ => {}
                }
            }
        }
    }

    fn retire_block(&mut self, block: Block, edge: &mut Edge<'_>) -> BlockResponse {
        let watched = self.watch.first_watched(block.address, u64::from(block.length));
        let before = watched.map_or(0, |address| self.glimpse(address));
        let response = self.perform_block(block, edge.payloads);
        let length = u64::from(block.length);
        let (access, kind, bytes) = match block.write {
            Some(_) => (Access::Write, WRITES, WRITTEN_BYTES),
            None => (Access::Read, READS, READ_BYTES),
        };
        if response.is_fault {
            edge.count(FAULTS, 1);
        } else {
            edge.count(kind, 1);
            edge.count(bytes, length);
        }
        if let Some(address) = watched {
            let rest = block.address.wrapping_add(length).wrapping_sub(address);
            self.note(address, rest, block.source, access, before, edge);
        }
        response
    }

    fn perform_block(&mut self, block: Block, payloads: &mut Payloads) -> BlockResponse {
        let (offset, length) = (self.offset(block.address), u64::from(block.length));
        let fault = BlockResponse { read: None, is_fault: true };
        let Some(run) = self.state.storage.run_mut(offset, length) else {
            block.write.and_then(|payload| payloads.remove(payload));
            return fault;
        };
        let Some(payload) = block.write else {
            return BlockResponse { read: Some(payloads.insert(&*run)), is_fault: false };
        };
        match payloads.remove(payload) {
            Some(bytes) if bytes.len() == run.len() => run.copy_from_slice(&bytes),
            _ => return fault,
        }
        self.state.reservations.clear(offset, length);
        BlockResponse::default()
    }

    // Up to eight bytes from `address` on, as they are.
    fn glimpse(&self, address: u64) -> u64 {
        let offset = self.offset(address);
        let bytes = (0..8).map_while(|byte| self.state.storage.load(offset.checked_add(byte)?, 1));
        bytes.enumerate().fold(0, |word, (index, byte)| word | (byte as u64) << (8 * index))
    }

    fn note(
        &mut self,
        address: u64,
        length: u64,
        source: u16,
        access: Access,
        old: u64,
        edge: &mut Edge<'_>,
    ) {
        if self.watch.first_watched(address, length).is_some() {
            edge.count(WATCH_HITS, 1);
            let new = self.glimpse(address);
            let hit = WatchHit { cycle: edge.cycle, source, access, address, old, new };
            remember(&mut self.state.last_watch_hits, hit);
        }
    }
}

impl Contents for MultiportedMemory {
    fn size(&self) -> u64 {
        self.state.storage.len() as u64
    }

    fn read(&self, address: u64, bytes: &mut [u8]) -> bool {
        let run = self.state.storage.run(address, bytes.len() as u64);
        run.map(|run| bytes.copy_from_slice(run)).is_some()
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        let run = self.state.storage.run_mut(address, bytes.len() as u64);
        let is_inside = run.map(|run| run.copy_from_slice(bytes)).is_some();
        if is_inside {
            self.state.reservations.clear(address, bytes.len() as u64);
        }
        is_inside
    }
}
