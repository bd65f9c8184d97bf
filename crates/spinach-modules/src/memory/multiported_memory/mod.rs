//! `multiported_memory`: bytes that several initiators reach in the same cycle.

mod bank;
mod behind;
mod flat;
mod lane;
mod operations;

use std::any::Any;
use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    AlreadySet, AnyNumber, Contents, Declaration, Destination, Edge, Idle, Input, Leap, Module,
    OrUnconnected, Outlook, Output, Passage, Process, Signals, Size, ack, data, parameters, ports,
};

pub(crate) use self::behind::MadeAhead;
use self::lane::{Lane, LanePorts};
use super::loan::Loan;
use super::reservations::Reservations;
use super::storage::{Storage, mask_of};
use super::watch::{Watch, WatchHit};
use crate::values::{Access, Block, BlockResponse, Reference, Response};

parameters! {
    /// The parameters of a memory.
    pub struct MultiportedMemoryParameters {
        /// Size in bytes.
        pub size: Size => in 1..=1 << 32,
        /// The address of the first byte.
        pub base: u64 = 0,
        /// If true, the bytes repeat over all addresses from `base` on, as where only the low bits of an address are decoded; the
        /// size must be a power of two then.
        pub repeats: bool = false,
        /// Size of the region whose references beyond the first copy are reported by `beyond`, a power of two: higher bits of an address
        /// do not count.
        pub reported: Size = Size(1 << 32) => power_of_two 1..=1 << 32,
        /// Number of cycles from a taken reference to its response. At 0 reads and writes are answered in their own cycle, as in
        /// a register file, and atomic operations in the next; such a memory takes a reference only if its response is taken, so
        /// it does not work behind an `arbiter`.
        pub latency: u32 = 1 => in 0..=1024,
        /// Byte order: the most or the least significant byte of a word comes first; matters to `set` and `update` only, which
        /// count the bits of a word.
        pub byte_order: String = "big".to_owned() => of ["big", "little"],
        /// Initial content of the memory; zeros beyond.
        pub contents: Vec<u8> = Vec::new(),
        /// Offset of `contents` from the base, in bytes.
        pub contents_offset: u64 = 0,
        /// Ranges whose uses are counted and remembered: address and length in bytes of each, by turns.
        pub watch: Vec<u64> = Vec::new(),
    }
}

ports! {
    /// Ports of a memory.
    pub struct MultiportedMemoryPorts {
        /// Initiators, one lane per initiator.
        pub port: { request: AnyNumber<Input<Reference>>, response: AnyNumber<Output<Response>> },
        /// Initiators of bursts, one lane each.
        pub block: { request: AnyNumber<Input<Block>>, response: AnyNumber<Output<BlockResponse>> },
        /// If the bytes repeat: a word in the cycle after a reference of `port` to another copy than the first.
        pub beyond: OrUnconnected<Output<u64>>,
    }
}

/// Everything in a memory that changes.
// In this order the fields of every cycle lie together.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[repr(C)]
pub struct MultiportedMemoryState {
    // The lane, if there is but one; else `lanes`.
    only: Lane,
    storage: Storage,
    // By offset from the base.
    reservations: Reservations,
    lanes: Vec<Lane>,
    block_lanes: Vec<Option<BlockResponse>>,
    // A reference in the last cycle was beyond the first copy.
    is_beyond: bool,
    last_watch_hits: VecDeque<WatchHit>,
}

// Address of the first byte, and the bits of an offset from it that count.
#[derive(Clone, Copy)]
struct Offsets {
    base: u64,
    mask: u64,
    // Bits that count for the first copy: if others are reported, they are not found at once.
    first: u64,
    // Bits that distinguish other addresses, if these are reported.
    beyond: u64,
}

/// Memory that several initiators access in the same cycle. See its declaration.
// In this order the fields of every cycle lie together.
#[repr(C)]
pub struct MultiportedMemory {
    // The lane, if there is but one: nearly nothing else has to be looked at then.
    only: Option<LanePorts>,
    latency: u32,
    has_blocks: bool,
    // Nothing is watched, and no response is presented in the cycle of its reference.
    is_simple: bool,
    is_big_endian: bool,
    state: MultiportedMemoryState,
    offsets: Offsets,
    lanes: Box<[LanePorts]>,
    watch: Watch,
    block_request: Box<[Input<Block>]>,
    block_response: Box<[Output<BlockResponse>]>,
    answered_blocks: AlreadySet,
    // By lane: blocks are accepted independently of responses, because none is presented.
    accepts_block: Box<[AlreadySet]>,
    // The same for all lanes together, in a fusion.
    accepts_blocks: AlreadySet,
    // Nothing is answered, and everything accepted.
    at_rest: AlreadySet,
    // Number of lanes of blocks that are answered.
    blocks_answered: usize,
    beyond: OrUnconnected<Output<u64>>,
    reported: AlreadySet,
}

const RESPOND: u16 = 0;
const ACCEPT: u16 = 1;
const RESPOND_AT_ONCE: u16 = 2;
const ACCEPT_AT_ONCE: u16 = 3;
const RESPOND_TO_BLOCKS: u16 = 4;
const ACCEPT_BLOCK: u16 = 5;
const REPORT: u16 = 6;

const READS: usize = 0;
const WRITES: usize = 1;
const ATOMICS: usize = 2;
const READ_BYTES: usize = 3;
const WRITTEN_BYTES: usize = 4;
const FAULTS: usize = 5;
const STALLS: usize = 6;
const WATCH_HITS: usize = 7;

impl Module for MultiportedMemory {
    type Parameters = MultiportedMemoryParameters;
    type Ports = MultiportedMemoryPorts;
    type State = MultiportedMemoryState;

    const SLEEPS: bool = true;
    const REPEATS: bool = true;

    fn declaration() -> Declaration {
        Declaration {
            kind: "multiported_memory",
            family: "memory",
            documentation: "Bytes that several initiators reach in the same cycle.\n\nEvery lane completes one reference per \
                            cycle. Within a cycle all reads come first, then writes and atomic operations lane by lane, then \
                            blocks lane by lane (again reads first); so a read returns the value from before the cycle. \
                            A write by any initiator, an atomic operation included, ends every reservation on the bytes it \
                            touches. References outside the memory, not a multiple of their size, or of a size other than \
                            1, 2, 4, 8 or 16 bytes are answered with a fault. With `repeats` no address is outside. From outside, the contents are addressed \
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
        let block_lanes = ports.block_request.len();
        if ports.port_request.len() != ports.port_response.len() || block_lanes != ports.block_response.len()
        {
            return Err("each lane needs both a request and a response".to_owned());
        }
        if ports.port_request.len() + block_lanes == 0 {
            return Err("nothing is connected: connect `port` or `block`".to_owned());
        }
        let size = parameters.size.0;
        if parameters.base.checked_add(size).is_none() {
            return Err(format!("{size} bytes from {:#x} on go beyond the last address", parameters.base));
        }
        if parameters.repeats && !size.is_power_of_two() {
            return Err(format!("{size} bytes cannot repeat: size is not a power of two"));
        }
        let reports = ports.beyond.is_connected;
        if reports && !parameters.repeats {
            return Err(
                "nothing is beyond the first copy: connect `beyond` only if the bytes repeat".to_owned()
            );
        }
        let reported = parameters.reported.0;
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
        let lanes: Box<[LanePorts]> = ports
            .port_request
            .iter()
            .zip(&*ports.port_response)
            .map(|(request, response)| LanePorts { request: *request, response: *response })
            .collect();
        let only = if let [only] = *lanes { Some(only) } else { None };
        let state = MultiportedMemoryState {
            storage,
            lanes: if only.is_some() { Vec::new() } else { vec![Lane::default(); lanes.len()] },
            block_lanes: vec![None; block_lanes],
            ..MultiportedMemoryState::default()
        };
        let watch = Watch::new(&parameters.watch)?;
        let accepts_block = (0..block_lanes).map(|_| AlreadySet::default()).collect();
        Ok(Self {
            offsets: Offsets {
                base: parameters.base,
                mask: if parameters.repeats { size - 1 } else { u64::MAX },
                first: if parameters.repeats && !reports { size - 1 } else { u64::MAX },
                beyond: if reports { (reported - 1) & !(size - 1) } else { 0 },
            },
            beyond: ports.beyond,
            reported: AlreadySet::default(),
            latency: parameters.latency,
            is_big_endian: parameters.byte_order == "big",
            is_simple: watch.is_empty() && parameters.latency > 0,
            watch,
            only,
            lanes,
            has_blocks: block_lanes > 0,
            block_request: ports.block_request.0,
            block_response: ports.block_response.0,
            answered_blocks: AlreadySet::default(),
            accepts_block,
            accepts_blocks: AlreadySet::default(),
            at_rest: AlreadySet::default(),
            blocks_answered: 0,
            state,
        })
    }

    fn processes(&self) -> Vec<Process> {
        type Own = MultiportedMemoryPorts;
        let mut processes = Vec::new();
        for lane in 0..self.lanes.len() {
            let request = (data(Own::PORT_REQUEST).lane(lane), ack(Own::PORT_REQUEST).lane(lane));
            let response = (data(Own::PORT_RESPONSE).lane(lane), ack(Own::PORT_RESPONSE).lane(lane));
            if self.latency > 0 {
                processes.push(Process::new(RESPOND).lane(lane).drives([response.0]));
                processes.push(Process::new(ACCEPT).lane(lane).drives([request.1]).reads([response.1]));
            } else {
                let respond = Process::new(RESPOND_AT_ONCE).lane(lane).drives([response.0]);
                processes.push(respond.reads([request.0]));
                let accept = Process::new(ACCEPT_AT_ONCE).lane(lane).drives([request.1]);
                processes.push(accept.reads([request.0, response.1]));
            }
        }
        if self.beyond.is_connected {
            processes.push(Process::new(REPORT).drives([data(Own::BEYOND)]));
        }
        if self.has_blocks {
            processes.push(Process::new(RESPOND_TO_BLOCKS).drives([data(Own::BLOCK_RESPONSE)]));
        }
        for lane in 0..self.block_request.len() {
            let accept = Process::new(ACCEPT_BLOCK).lane(lane).drives([ack(Own::BLOCK_REQUEST).lane(lane)]);
            processes.push(accept.reads([ack(Own::BLOCK_RESPONSE).lane(lane)]));
        }
        processes
    }

    #[inline(always)]
    fn evaluate(&self, code: u16, lane: u32, signals: &mut Signals) {
        match (code, self.only) {
            (RESPOND, Some(ports)) => self.state.only.respond(ports, signals),
            (ACCEPT, Some(ports)) => self.state.only.accept(ports, self.latency, signals),
            (ACCEPT_BLOCK, _) => self.accept_block(lane as usize, signals),
            (RESPOND_TO_BLOCKS, _) if signals.are_set_already(&self.answered_blocks) => {}
            _ => self.evaluate_others(code, lane as usize, signals),
        }
    }

    #[inline(always)]
    fn commit(&mut self, edge: &mut Edge<'_>) {
        self.begin();
        if let Some(ports) = self.only {
            self.commit_only(ports, edge);
        } else {
            self.commit_lanes(&mut edge.reborrow());
        }
        if self.has_blocks && self.has_block_at(edge.signals) {
            self.commit_blocks(&mut edge.reborrow());
        }
    }

    fn idle(&self) -> Idle {
        let is_idle = !self.state.is_beyond
            && self.state.only.waiting == 0
            && self.state.lanes.iter().all(|lane| lane.waiting == 0)
            && self.state.block_lanes.iter().all(Option::is_none);
        if is_idle { Idle::UntilInput } else { Idle::No }
    }

    fn contents(&mut self) -> Option<&mut dyn Contents> {
        Some(self)
    }

    // Direct references are invisible to the watch, so watched ranges are only reached through the ports.
    fn passages(&self, port: usize, _: usize) -> Vec<Passage> {
        if port != MultiportedMemoryPorts::PORT_REQUEST {
            return Vec::new();
        }
        let (base, size) = (self.offsets.base, self.state.storage.len() as u64);
        let unwatched = self.watch.gaps(base, base + size).into_iter();
        let here = unwatched.map(|(first, beyond)| Passage {
            first,
            bytes: beyond - first,
            to: Destination::Here { place: first - base },
            reverses_words: false,
        });
        here.collect()
    }

    fn lend(&mut self, loan: &mut dyn Any, counters: &mut [u64]) {
        let Some(loan) = loan.downcast_mut::<Loan>() else { return };
        let MultiportedMemoryState { storage, reservations, .. } = &mut self.state;
        let done = loan.exchange(storage, reservations, self.is_big_endian);
        counters[READS] += done.reads;
        counters[WRITES] += done.writes;
        counters[ATOMICS] += done.atomics;
        counters[READ_BYTES] += done.read_bytes;
        counters[WRITTEN_BYTES] += done.written_bytes;
    }

    // The bytes are the same as long as nothing writes.
    fn outlook(&self, counters: &[u64], outlook: &mut Outlook) -> Option<u64> {
        outlook.add(&[counters[WRITES], counters[ATOMICS], counters[WRITTEN_BYTES], counters[WATCH_HITS]]);
        outlook.add(&self.state.is_beyond);
        for lane in std::iter::once(&self.state.only).chain(&self.state.lanes) {
            lane.outlook(outlook);
        }
        self.state.block_lanes.iter().all(Option::is_none).then_some(u64::MAX)
    }

    fn leap(&mut self, leap: Leap) {
        for lane in std::iter::once(&mut self.state.only).chain(&mut self.state.lanes) {
            lane.leap(leap);
        }
    }

    fn state(&self) -> &MultiportedMemoryState {
        &self.state
    }

    fn restore(&mut self, state: MultiportedMemoryState) -> Result<(), String> {
        let fits = state.storage.len() == self.state.storage.len()
            && state.lanes.len() == self.state.lanes.len()
            && state.block_lanes.len() == self.state.block_lanes.len()
            && state.lanes.iter().chain([&state.only]).all(Lane::is_consistent)
            && (self.only.is_some() || state.only.waiting == 0);
        if !fits {
            return Err("the saved memory has another size or other lanes".to_owned());
        }
        self.state = state;
        self.note_blocks_answered();
        self.at_rest.forget();
        self.reported.forget();
        Ok(())
    }
}

// With latency 0: whether the response is presented in the cycle of the reference.
const fn is_answered_at_once(access: Access) -> bool {
    matches!(access, Access::Read | Access::Write)
}

impl MultiportedMemory {
    #[inline(never)]
    fn evaluate_others(&self, code: u16, lane: usize, signals: &mut Signals) {
        match code {
            RESPOND => self.lane(lane).respond(self.lanes[lane], signals),
            ACCEPT => self.lane(lane).accept(self.lanes[lane], self.latency, signals),
            RESPOND_AT_ONCE => self.respond_at_once(lane, signals),
            ACCEPT_AT_ONCE => self.accept_at_once(lane, signals),
            REPORT => self.report(signals),
            _ => {
                for (output, response) in self.block_response.iter().zip(&self.state.block_lanes) {
                    signals.write(*output, *response);
                }
            }
        }
    }

    #[inline(always)]
    fn accept_block(&self, lane: usize, signals: &mut Signals) {
        if signals.are_set(&self.accepts_block[lane]) {
            return;
        }
        let is_free = self.state.block_lanes[lane].is_none();
        if is_free {
            signals.note_set(&self.accepts_block[lane]);
        }
        let has_room = is_free || signals.is_acknowledged(self.block_response[lane]);
        signals.acknowledge(self.block_request[lane], has_room);
    }

    // True if a block is presented or answered.
    #[inline(always)]
    fn has_block_at(&self, signals: &Signals) -> bool {
        self.blocks_answered > 0 || signals.is_any_present(&self.block_request)
    }

    fn lane(&self, lane: usize) -> &Lane {
        if self.only.is_some() { &self.state.only } else { &self.state.lanes[lane] }
    }

    #[inline]
    fn lane_mut(&mut self, lane: usize) -> &mut Lane {
        if self.only.is_some() { &mut self.state.only } else { &mut self.state.lanes[lane] }
    }

    fn respond_at_once(&self, lane: usize, signals: &mut Signals) {
        let Lane { is_due, oldest, .. } = self.lane(lane);
        let answer = || {
            let reference = signals.read(self.lanes[lane].request)?;
            let is_answered = is_answered_at_once(reference.access);
            is_answered.then(|| self.look(reference).unwrap_or(Response::FAULT))
        };
        signals.write(self.lanes[lane].response, is_due.then_some(*oldest).or_else(answer));
    }

    fn accept_at_once(&self, lane: usize, signals: &mut Signals) {
        let request = self.lanes[lane].request;
        let is_heard = signals.is_acknowledged(self.lanes[lane].response)
            || !signals.is_present(request)
            || !is_answered_at_once(Reference::access_at(signals, request));
        let is_free = self.lane(lane).waiting == 0;
        signals.acknowledge(request, is_free && is_heard);
    }

    // Response to a read or write, before the writes of this cycle; `None` for a fault.
    fn look(&self, reference: Reference) -> Option<Response> {
        let Reference { address, access, size, enables, .. } = reference;
        if !size.is_power_of_two() || size > 16 || address & u64::from(size - 1) != 0 {
            return None;
        }
        let old = self.state.storage.load(self.offsets.of(address), size)?;
        let data = if access == Access::Read { old & mask_of(enables, size) } else { 0 };
        Some(Response { data, is_fault: false })
    }
}

impl Offsets {
    #[inline(always)]
    const fn of(self, address: u64) -> u64 {
        address.wrapping_sub(self.base) & self.mask
    }

    // The same, or an offset that is outside if the reference has to be reported.
    #[inline(always)]
    const fn of_first(self, address: u64) -> u64 {
        address.wrapping_sub(self.base) & self.first
    }

    // True if a reference has to be reported.
    const fn is_beyond(self, address: u64) -> bool {
        address.wrapping_sub(self.base) & self.beyond != 0
    }
}

impl Contents for MultiportedMemory {
    fn size(&self) -> u64 {
        self.state.storage.len() as u64
    }

    fn read(&self, address: u64, bytes: &mut [u8]) -> bool {
        self.state.storage.copy_out(address, bytes)
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        self.cells().copy_in(address, bytes)
    }
}
