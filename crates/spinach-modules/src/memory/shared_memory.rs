//! `shared_memory`: a memory behind a bus that many initiators share.

use std::any::Any;
use std::cell::Cell;
use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    AlreadySet, Contents, Declaration, Destination, Edge, Idle, Input, LastLanes, Many, Module, Output,
    Passage, Process, Signals, Size, ack, data, parameters, ports,
};

use super::arbitration::{RULES, Rule, Turns};
use super::cells::Cells;
use super::loan::Loan;
use super::reservations::Reservations;
use super::storage::Storage;
use crate::parts::divisor::Divisor;
use crate::values::{Access, Reference, Response, all_enabled};

/// Requests are numbered by bits of a word.
const MAXIMUM_REQUESTERS: usize = 64;

parameters! {
    /// The parameters of a shared memory.
    pub struct SharedMemoryParameters {
        /// Size in bytes.
        pub size: Size => in 1..=1 << 32,
        /// The address of the first byte.
        pub base: u64 = 0,
        /// If true, the bytes repeat over all addresses from `base` on, as where only the low bits of an address are decoded; the
        /// size must be a power of two then.
        pub repeats: bool = false,
        /// Order of service: `round_robin`, `fixed_priority` (lane 0 first) or `prioritized` (a lane that has waited for
        /// `starvation_timeout`, else a lane that continues where its last grant ended, else lane 0 first).
        pub policy: String = RULES[0].to_owned() => of RULES,
        /// Cycles after which a waiting requester has priority over all others; for `prioritized`.
        pub starvation_timeout: u64 = 64 => in 1..=1 << 32,
        /// Number of accesses that may wait for their responses.
        pub outstanding: u32 = 16 => in 1..=4096,
        /// Number of bytes that are read or written at once, needed or not.
        pub word_bytes: u64 = 8 => in 1..=1024,
        /// Number of words that move in a cycle.
        pub words_per_cycle: u64 = 1 => in 1..=64,
        /// Size of a burst in bytes.
        pub burst_size: Size = Size(32) => in 1..=1 << 30,
        /// Number of cycles that pass between bursts.
        pub burst_latency: u64 = 1 => in 0..=65536,
        /// Number of cycles from the access of a burst to its first data.
        pub column_latency: u64 = 1 => in 0..=65536,
        /// True if responses pass a register behind the memory; false presents a response in the cycle in which its last data move, but
        /// never in that of the request.
        pub registered: bool = true,
    }
}

ports! {
    /// Ports of a shared memory.
    pub struct SharedMemoryPorts {
        /// Initiators, one lane per initiator; at most 64.
        pub initiator: { request: Many<Input<Reference>>, response: Many<Output<Response>> },
    }
}

/// Everything in a shared memory that changes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SharedMemoryState {
    storage: Storage,
    // By offset from the base.
    reservations: Reservations,
    // The burst that was begun last, by its number from address 0 on.
    open_burst: Option<u64>,
    turns: Turns,
    // The first cycle in which the bus is free again, and whether the coming one is.
    free_at: u64,
    is_free: bool,
    // References that were taken and not answered, oldest first, and a flag that the coming cycle presents an
    // answer.
    taken: VecDeque<Taken>,
    presents: bool,
}

// An access that was taken.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Taken {
    lane: u32,
    // The cycle from which on the response may be presented.
    due: u64,
    response: Response,
}

// Durations of accesses, in cycles.
#[derive(Clone, Copy, Debug)]
struct Timing {
    word_bytes: Divisor,
    words_per_cycle: Divisor,
    burst_bytes: Divisor,
    burst_latency: u64,
    column_latency: u64,
    registered: bool,
}

// Lanes that request, as bits, and the lane that passes.
#[derive(Clone, Copy, Default)]
struct Choice {
    requests: u64,
    lane: Option<u32>,
}

/// A memory behind a bus that many initiators share. See its declaration.
pub struct SharedMemory {
    ports: SharedMemoryPorts,
    rule: Rule,
    outstanding: usize,
    timing: Timing,
    base: u64,
    // The bits of an offset that count.
    offset_mask: u64,
    state: SharedMemoryState,
    // Choice of `ACCEPT`, for the commit.
    choice: Cell<Choice>,
    // The lanes that were refused in the last cycle, and whether anything moved then.
    refused: u64,
    has_moved: bool,
    last_accepted: LastLanes,
    // True if the responses are as they should be, and the lane of the last response.
    settled: AlreadySet,
    last_answered: LastLanes,
}

const ACCEPT: u16 = 0;
const RESPOND: u16 = 1;

const ACCESSES: usize = 0;
const USEFUL_BYTES: usize = 1;
const CONSUMED_BYTES: usize = 2;
const BUSY: usize = 3;
const MOVING: usize = 4;
const BURSTS: usize = 5;
const CONFLICTS: usize = 6;
const WAITED: usize = 7;
const CONTINUED: usize = 8;
const STARVED: usize = 9;
const READS: usize = 10;
const WRITES: usize = 11;
const ATOMICS: usize = 12;
const FAULTS: usize = 13;

const COUNTERS: usize = 14;

impl Module for SharedMemory {
    type Parameters = SharedMemoryParameters;
    type Ports = SharedMemoryPorts;
    type State = SharedMemoryState;

    const SLEEPS: bool = true;

    fn declaration() -> Declaration {
        Declaration {
            kind: "shared_memory",
            family: "memory",
            documentation: "A memory behind a bus that many initiators share.\n\nBehaves, cycle by cycle, as an `arbiter` before a \
                            `memory_controller` of one bank that serves in order, before a `multiported_memory`: in each \
                            cycle at most one request passes, if the bus is free; the others get a Nack. Accesses block the \
                            whole bus, first for the latency of the bursts they begin, then while their data move. \
                            Responses come in the order of the requests, over all lanes. Bit arrays are of words whose most significant \
                            byte comes first. From outside, the contents are addressed from 0 on, whatever the base.",
            timing: "A request is taken in its cycle. Its response is presented latency between bursts + column latency + cycles of \
                     data later, one cycle earlier if not `registered`, and the bus is free again after latency between bursts + \
                     cycles of data; the response comes later if an older one is refused. \
                     Requests and responses do not depend on each other within a cycle.",
            source: "Spinach thesis, section 3.2.2, table 3.2 (Arbiter, Memory Controller, Multiported Memory); atomic operations: HPCA \
                     2005, section 4",
            parameters: SharedMemoryParameters::declare(),
            ports: SharedMemoryPorts::declare(),
            counters: &[
                ("accesses", "requests that passed"),
                ("useful_bytes", "bytes that were asked for"),
                ("consumed_bytes", "bytes of the words that moved, masked ones included"),
                ("busy_cycles", "cycles in which the bus was blocked, counted when an access is taken"),
                ("data_cycles", "cycles in which data moved, counted when an access is taken"),
                ("bursts", "bursts that were begun"),
                ("conflicts", "cycles in which more than one lane requested"),
                ("waited", "cycles times lanes in which a request did not pass"),
                ("continued", "requests that went on where the request before had ended"),
                ("starved", "requests that passed because they had waited for the timeout"),
                ("reads", "references that read"),
                ("writes", "references that wrote"),
                ("atomics", "load-linked, store-conditional, set and update"),
                ("faults", "references that were answered with a fault"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: SharedMemoryParameters, ports: SharedMemoryPorts) -> Result<Self, String> {
        let lanes = ports.initiator_request.len();
        if lanes != ports.initiator_response.len() {
            return Err("each lane needs both a request and a response".to_owned());
        }
        if lanes > MAXIMUM_REQUESTERS {
            return Err(format!("{lanes} requesters are more than {MAXIMUM_REQUESTERS}"));
        }
        let SharedMemoryParameters { size: Size(size), base, word_bytes, .. } = parameters;
        if base.checked_add(size).is_none() {
            return Err(format!("{size} bytes from {base:#x} on go beyond the last address"));
        }
        if parameters.repeats && !size.is_power_of_two() {
            return Err(format!("{size} bytes cannot repeat: size is not a power of two"));
        }
        if !parameters.burst_size.0.is_multiple_of(word_bytes) {
            let burst = parameters.burst_size.0;
            return Err(format!("burst_size = {burst} B is not a multiple of word_bytes = {word_bytes}"));
        }
        let bytes = usize::try_from(size);
        let bytes = bytes.map_err(|_| format!("{size} bytes are more than this machine can hold"))?;
        let state = SharedMemoryState {
            storage: Storage::new(bytes),
            turns: Turns::new(lanes),
            is_free: true,
            taken: VecDeque::with_capacity(parameters.outstanding as usize),
            ..SharedMemoryState::default()
        };
        Ok(Self {
            ports,
            rule: Rule::named(&parameters.policy, parameters.starvation_timeout),
            outstanding: parameters.outstanding as usize,
            timing: Timing::new(&parameters),
            base,
            offset_mask: if parameters.repeats { size - 1 } else { u64::MAX },
            state,
            choice: Cell::default(),
            refused: 0,
            has_moved: false,
            last_accepted: LastLanes::default(),
            settled: AlreadySet::default(),
            last_answered: LastLanes::default(),
        })
    }

    fn processes(&self) -> Vec<Process> {
        type P = SharedMemoryPorts;
        vec![
            Process::new(RESPOND).drives([data(P::INITIATOR_RESPONSE)]),
            Process::new(ACCEPT).drives([ack(P::INITIATOR_REQUEST)]).reads([data(P::INITIATOR_REQUEST)]),
        ]
    }

    #[inline(always)]
    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        if code == ACCEPT {
            self.accept(signals);
        } else if !signals.are_set_already(&self.settled) {
            self.respond(signals);
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let state = &mut self.state;
        self.has_moved = false;
        if state.presents
            && let Some(oldest) = state.taken.front()
            && edge.signals.is_acknowledged(self.ports.initiator_response[oldest.lane as usize])
        {
            state.taken.pop_front();
            state.presents = false;
            self.settled.forget();
            self.has_moved = true;
        }
        let Choice { requests, lane } = self.choice.get();
        self.refused = requests;
        if let Some(lane) = lane {
            self.take(lane, edge);
            self.refused &= !(1 << lane);
            self.has_moved = true;
        }
        let state = &mut self.state;
        if self.refused | state.turns.waiters() != 0 {
            state.turns.wait(self.refused, edge.cycle());
            count_refused(self.refused, requests, 1, edge.counters);
        }
        state.is_free = state.free_at <= edge.cycle() + 1;
        if !state.presents && state.taken.front().is_some_and(|oldest| oldest.due <= edge.cycle() + 1) {
            state.presents = true;
            self.settled.forget();
        }
    }

    fn idle(&self) -> Idle {
        if self.has_moved {
            return Idle::No;
        }
        let state = &self.state;
        // The next event is that the bus becomes free or that a response becomes due, in the cycle after that
        // commit.
        let free = if state.is_free { u64::MAX } else { state.free_at };
        let due = if state.presents { None } else { state.taken.front().map(|oldest| oldest.due) };
        match free.min(due.unwrap_or(u64::MAX)) {
            u64::MAX => Idle::UntilTransfer,
            cycle => Idle::UntilTransferOrCycle(cycle - 1),
        }
    }

    // While requests are refused the same ones are refused, cycle by cycle, until the bus is free or a response has left.
    fn slept(&mut self, first: u64, count: u64, counters: &mut [u64]) {
        count_refused(self.refused, self.refused, count, counters);
        if self.refused != 0 {
            self.state.turns.wait(self.refused, first + count - 1);
        }
    }

    fn passages(&self, _: usize, _: usize) -> Vec<Passage> {
        let bytes = self.state.storage.len() as u64;
        let to = Destination::Here { place: 0 };
        vec![Passage { first: self.base, bytes, to, reverses_words: false }]
    }

    fn lend(&mut self, loan: &mut dyn Any, counters: &mut [u64]) {
        let Some(loan) = loan.downcast_mut::<Loan>() else { return };
        let SharedMemoryState { storage, reservations, .. } = &mut self.state;
        let done = loan.exchange(storage, reservations, true);
        counters[READS] += done.reads;
        counters[WRITES] += done.writes;
        counters[ATOMICS] += done.atomics;
    }

    fn contents(&mut self) -> Option<&mut dyn Contents> {
        Some(self)
    }

    fn state(&self) -> &SharedMemoryState {
        &self.state
    }

    fn restore(&mut self, state: SharedMemoryState) -> Result<(), String> {
        let lanes = self.ports.initiator_request.len();
        let fits = state.storage.len() == self.state.storage.len()
            && state.turns.fits(lanes)
            && state.taken.iter().all(|taken| (taken.lane as usize) < lanes)
            && !(state.presents && state.taken.is_empty());
        if !fits {
            return Err("the saved memory has another size or other lanes".to_owned());
        }
        self.settled.forget();
        self.state = state;
        Ok(())
    }
}

impl Timing {
    fn new(parameters: &SharedMemoryParameters) -> Self {
        Self {
            word_bytes: Divisor::new(parameters.word_bytes),
            words_per_cycle: Divisor::new(parameters.words_per_cycle),
            burst_bytes: Divisor::new(parameters.burst_size.0),
            burst_latency: parameters.burst_latency,
            column_latency: parameters.column_latency,
            registered: parameters.registered,
        }
    }
}

// Accounts for `cycles` cycles in which all of `requests` were presented and those that are `refused` did not pass.
#[inline]
fn count_refused(refused: u64, requests: u64, cycles: u64, counters: &mut [u64]) {
    counters[CONFLICTS] += cycles * u64::from(requests & requests.wrapping_sub(1) != 0);
    counters[WAITED] += cycles * u64::from(refused.count_ones());
}

impl SharedMemory {
    #[inline(never)]
    fn accept(&self, signals: &mut Signals) {
        let (inputs, state) = (&self.ports.initiator_request, &self.state);
        let requests = signals.lanes_present(inputs);
        let passes = requests != 0 && state.is_free && state.taken.len() < self.outstanding;
        let address = |lane: u32| Some(signals.word(inputs[lane as usize], 0));
        let lane = passes.then(|| state.turns.choose(self.rule, requests, address));
        self.choice.set(Choice { requests, lane });
        let accepted = lane.map_or(0, |lane| 1 << lane);
        signals.acknowledge_lanes(inputs, accepted, &self.last_accepted);
    }

    #[inline(never)]
    fn respond(&self, signals: &mut Signals) {
        let (outputs, state) = (&self.ports.initiator_response, &self.state);
        let oldest = state.taken.front().filter(|_| state.presents);
        let answered = oldest.map_or(0, |oldest| 1 << oldest.lane);
        signals.clear_other_lanes(outputs, answered, &self.last_answered);
        if let Some(oldest) = oldest {
            signals.write(outputs[oldest.lane as usize], Some(oldest.response));
        }
    }

    // Takes the request of `lane`, and performs it at once: the effect is not visible before its response.
    #[inline]
    fn take(&mut self, lane: u32, edge: &mut Edge<'_>) {
        let cycle = edge.cycle();
        let reference = edge.signals.read(self.ports.initiator_request[lane as usize]).unwrap_or_default();
        let Reference { address, size, enables, .. } = reference;
        let length = u64::from(size);
        let (state, timing) = (&mut self.state, &self.timing);
        let Some(counters) = edge.counters.first_chunk_mut::<COUNTERS>() else { return };
        if let Rule::Prioritized { starvation_timeout } = self.rule {
            counters[STARVED] += u64::from(state.turns.waited(lane) >= starvation_timeout);
        }
        counters[CONTINUED] += u64::from(state.turns.grant(lane, Some((address, length))));
        counters[ACCESSES] += 1;
        counters[USEFUL_BYTES] += u64::from((enables & all_enabled(size.min(16))).count_ones());
        let last = address.saturating_add(length.max(1) - 1);
        let words = timing.word_bytes.quotient(last) - timing.word_bytes.quotient(address);
        let words = words + u64::from(length > 0);
        counters[CONSUMED_BYTES] += words * timing.word_bytes.number();
        // An access of no bytes takes a cycle, too.
        let moving = timing.words_per_cycle.quotient_up(words).max(1);
        // Of the bursts that it touches, one may be under way.
        let (first, last) = (timing.burst_bytes.quotient(address), timing.burst_bytes.quotient(last));
        let begun = last - first + u64::from(state.open_burst != Some(first));
        state.open_burst = Some(last);
        let busy = begun * timing.burst_latency + moving;
        counters[BUSY] += busy;
        counters[MOVING] += moving;
        counters[BURSTS] += begun;
        state.free_at = cycle + busy;
        let due = state.free_at + timing.column_latency - u64::from(!timing.registered);
        let due = due.max(cycle + 1);
        let response = self.perform(&reference, edge.counters);
        self.state.taken.push_back(Taken { lane, due, response });
    }

    #[inline]
    fn cells(&mut self) -> Cells<'_> {
        let SharedMemoryState { storage, reservations, .. } = &mut self.state;
        Cells { storage, reservations, is_big_endian: true }
    }

    #[inline]
    fn perform(&mut self, reference: &Reference, counters: &mut [u64]) -> Response {
        let offset = reference.address.wrapping_sub(self.base) & self.offset_mask;
        let response = self.cells().perform(offset, reference);
        let counter = match (reference.access, response) {
            (_, None) => FAULTS,
            (Access::Read, _) => READS,
            (Access::Write, _) => WRITES,
            _ => ATOMICS,
        };
        counters[counter] += 1;
        response.unwrap_or(Response::FAULT)
    }
}

impl Contents for SharedMemory {
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
