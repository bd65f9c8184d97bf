//! `memory_controller`: when the bytes of a memory can be had.

mod accesses;
mod bus;
mod first_ready;

use std::cell::Cell;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    AlreadySet, AnyNumber, Declaration, Edge, Idle, Input, LastLanes, Module, OrUnconnected, Output, Process,
    Signals, Size, ack, data, parameters, ports,
};

use self::accesses::{Accesses, Answer};
use self::bus::{Rows, Timing};
use self::first_ready::{Queued, Request, Scheduler};
use crate::bits::ones;
use crate::parts::divisor::Divisor;
use crate::values::{Block, BlockResponse, Reference, Response};

/// Lanes are numbered by bits of a word.
const MAXIMUM_LANES: usize = 64;

parameters! {
    /// The parameters of a memory controller.
    pub struct MemoryControllerParameters {
        /// Number of bytes that are read or written at once, needed or not. Default: a 64-bit memory (HPCA 2005, section 4).
        pub word_bytes: u64 = 8 => in 1..=1024,
        /// Number of words that move in a cycle. Default: double data rate (HPCA 2005, section 4).
        pub words_per_cycle: u64 = 2 => in 1..=64,
        /// Size of a row in bytes; for SRAM, of a burst. Default: assumed.
        pub row_size: Size = Size(4096) => in 1..=1 << 30,
        /// Number of banks that can each have a row open; 1 for SRAM. Default: assumed.
        pub banks: u32 = 4 => in 1..=1024,
        /// Number of cycles to open a row; for SRAM, the fixed latency between bursts. Default: assumed so that precharge,
        /// activation and column latency add up to the 27 cycles of a bank conflict at 500 MHz (HPCA 2005, section 6).
        pub activation_latency: u64 = 9 => in 0..=65536,
        /// Additional number of cycles if another row of the bank is open; 0 for SRAM. Default: see `activation_latency`.
        pub precharge_latency: u64 = 9 => in 0..=65536,
        /// Number of cycles from the access of an open row to its first data. Default: see `activation_latency`.
        pub column_latency: u64 = 9 => in 1..=65536,
        /// Number of cycles that the bus is blocked between a read and a write that follows; 0 for SRAM. No source states it.
        pub read_to_write_latency: u64 = 0 => in 0..=65536,
        /// Number of cycles that the bus is blocked between a write and a read that follows; 0 for SRAM. No source states it.
        pub write_to_read_latency: u64 = 0 => in 0..=65536,
        /// Number of accesses that may wait for their responses.
        pub outstanding: u32 = 32 => in 1..=4096,
        /// Scheduling policy: the oldest access, with the whole bus blocked meanwhile (`in_order`), or the oldest whose row is
        /// open, while the rows of others are opened (`first_ready`).
        pub policy: String = "in_order".to_owned() => of ["in_order", "first_ready"],
        /// Number of requests that `first_ready` chooses from.
        pub queue_depth: u32 = 16 => in 1..=1024,
        /// Cycles after which the oldest request in the queue of `first_ready` is served before all others.
        pub starvation_timeout: u64 = 500 => in 1..=1 << 32,
    }
}

ports! {
    /// Ports of a memory controller.
    pub struct MemoryControllerPorts {
        /// Initiators, one lane each; at most 64 together with those of bursts.
        pub port: { request: AnyNumber<Input<Reference>>, response: AnyNumber<Output<Response>> },
        /// Initiators of bursts, one lane each.
        pub block: { request: AnyNumber<Input<Block>>, response: AnyNumber<Output<BlockResponse>> },
        /// Memory that holds the contents.
        pub memory: { request: OrUnconnected<Output<Reference>>, response: OrUnconnected<Input<Response>> },
        /// The same memory, for bursts.
        pub memory_block: { request: OrUnconnected<Output<Block>>, response: OrUnconnected<Input<BlockResponse>> },
    }
}

/// State of a memory controller.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct MemoryControllerState {
    rows: Rows,
    // The first cycle in which the bus is free again, and whether the coming one is.
    free_at: u64,
    is_free: bool,
    // The lane served last, of references and blocks counted together.
    last_lane: usize,
    // Number of lanes that were refused in the last cycle.
    refused: u64,
    accesses: Accesses,
    scheduler: Scheduler,
}

// Lanes that request, as bits of lanes of references and blocks counted together, and the one that is served
// if the memory takes it.
#[derive(Clone, Copy, Default)]
struct Choice {
    requests: u64,
    lane: Option<usize>,
}

// A lane, counted among those of its kind.
#[derive(Clone, Copy)]
enum Kind {
    Reference(usize),
    Block(usize),
}

/// The timing of a memory: queues, banks, rows and latencies. See its declaration.
pub struct MemoryController {
    timing: Timing,
    outstanding: usize,
    // Number of requests that wait to be reordered, and their longest wait; `None` to serve in order.
    reorder: Option<(usize, u64)>,
    ports: MemoryControllerPorts,
    state: MemoryControllerState,
    // Choice of the first process that sees the requests, for all that comes after it.
    choice: Cell<Choice>,
    // Values that were set last at the lanes of references and at those of blocks.
    last_accepted: [LastLanes; 2],
    last_presented: [LastLanes; 2],
    // Outputs while nothing is accepted, and while nothing is answered.
    nothing_accepted: AlreadySet,
    nothing_answered: AlreadySet,
}

const FORWARD: u16 = 0;
const ACCEPT: u16 = 1;
const ANSWER: u16 = 2;

const ACCESSES: usize = 0;
const USEFUL_BYTES: usize = 1;
const CONSUMED_BYTES: usize = 2;
const BUSY: usize = 3;
const MOVING: usize = 4;
const ACTIVATIONS: usize = 5;
const CONFLICTS: usize = 6;
const TURNAROUNDS: usize = 7;
const REFUSED: usize = 8;

impl Module for MemoryController {
    type Parameters = MemoryControllerParameters;
    type Ports = MemoryControllerPorts;
    type State = MemoryControllerState;

    const SLEEPS: bool = true;

    fn declaration() -> Declaration {
        Declaration {
            kind: "memory_controller",
            family: "memory",
            documentation: "The timing of a memory: queues, banks, rows and latencies.\n\nIt is placed before a memory and adds \
                            the time of a DRAM or an SRAM; the memory has the contents. Lanes are served in turn. With in-order \
                            service an access blocks the whole bus: first the bus turns around if the direction changes, then \
                            rows are closed and opened, then the data move. Requests during that time get a Nack. Accesses to \
                            open rows follow each other without a gap. With first-ready service accesses wait in a queue: rows \
                            are opened while data of other accesses move, and accesses to open rows have priority, except that \
                            accesses to the same bytes and atomic operations stay in order. Each lane is answered in the order of its requests. An \
                            unaligned block costs all words that it touches. An SRAM is a memory of one bank without turnaround, whose rows are its bursts. \
                            Refresh is not modelled.",
            timing: "A request passes to the memory in the cycle in which it is taken. Its response is presented \
                     turnaround + precharge + activation + column latency + cycles of data later, and the bus is free again \
                     column latency earlier; later, if the memory takes longer or an older response of the lane is refused. \
                     First-ready, the same counts from the cycle after the request was taken, at the earliest.",
            source: "Spinach thesis, sections 3.2.2, table 3.2 (Memory Controller) and 4.5.3; HPCA 2005, sections 4 and 6",
            parameters: MemoryControllerParameters::declare(),
            ports: MemoryControllerPorts::declare(),
            counters: &[
                ("accesses", "references and blocks that were taken"),
                ("useful_bytes", "bytes that were asked for"),
                ("consumed_bytes", "bytes of the words that moved, masked ones included"),
                ("busy_cycles", "cycles in which the bus was blocked, counted when an access is taken"),
                ("data_cycles", "cycles in which data moved, counted when an access is taken"),
                ("row_activations", "rows that were opened"),
                ("bank_conflicts", "rows that had to be closed to open another"),
                ("turnarounds", "changes between reading and writing"),
                ("refused", "cycles times lanes in which a request got a Nack"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: MemoryControllerParameters, ports: MemoryControllerPorts) -> Result<Self, String> {
        check_connections(&ports)?;
        let (word_bytes, row_bytes) = (parameters.word_bytes, parameters.row_size.0);
        let timing = Timing {
            word_bytes: Divisor::new(word_bytes),
            bytes_per_cycle: Divisor::new(word_bytes * parameters.words_per_cycle),
            row_bytes: Divisor::new(row_bytes),
            banks: Divisor::new(u64::from(parameters.banks)),
            activation_latency: parameters.activation_latency,
            precharge_latency: parameters.precharge_latency,
            column_latency: parameters.column_latency,
            read_to_write: parameters.read_to_write_latency,
            write_to_read: parameters.write_to_read_latency,
        };
        if !row_bytes.is_multiple_of(word_bytes) {
            return Err(format!("row_size = {row_bytes} B is not a multiple of word_bytes = {word_bytes}"));
        }
        let outstanding = parameters.outstanding as usize;
        let lanes = ports.port_request.len() + ports.block_request.len();
        let reorder = (parameters.policy == "first_ready")
            .then_some((parameters.queue_depth as usize, parameters.starvation_timeout));
        let state = MemoryControllerState {
            rows: Rows::new(&timing),
            is_free: true,
            accesses: Accesses::new(lanes),
            scheduler: Scheduler::new(&timing, parameters.queue_depth as usize),
            // So that lane 0 comes first.
            last_lane: lanes - 1,
            refused: 0,
            free_at: 0,
        };
        let (choice, last) = (Cell::default(), || <[LastLanes; 2]>::default());
        let (last_accepted, last_presented) = (last(), last());
        let (nothing_accepted, nothing_answered) = (AlreadySet::default(), AlreadySet::default());
        Ok(Self {
            timing,
            outstanding,
            reorder,
            ports,
            state,
            choice,
            last_accepted,
            last_presented,
            nothing_accepted,
            nothing_answered,
        })
    }

    fn processes(&self) -> Vec<Process> {
        type Own = MemoryControllerPorts;
        let requests = [data(Own::PORT_REQUEST), data(Own::BLOCK_REQUEST)];
        let mut forward =
            Process::new(FORWARD).drives([data(Own::MEMORY_REQUEST), data(Own::MEMORY_BLOCK_REQUEST)]);
        let mut accept =
            Process::new(ACCEPT).drives([ack(Own::PORT_REQUEST), ack(Own::BLOCK_REQUEST)]).reads(requests);
        if self.reorder.is_none() {
            forward = forward.reads(requests);
            accept = accept
                .reads([ack(Own::MEMORY_REQUEST), ack(Own::MEMORY_BLOCK_REQUEST)])
                // It comes after `FORWARD`, for the choice.
                .reads([data(Own::MEMORY_REQUEST), data(Own::MEMORY_BLOCK_REQUEST)]);
        }
        let answer = Process::new(ANSWER)
            .drives([data(Own::PORT_RESPONSE), data(Own::BLOCK_RESPONSE)])
            .drives([ack(Own::MEMORY_RESPONSE), ack(Own::MEMORY_BLOCK_RESPONSE)]);
        vec![forward, accept, answer]
    }

    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        match code {
            FORWARD => self.forward(signals),
            ACCEPT => self.accept(signals),
            _ => self.answer(signals),
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        self.commit_responses(edge);
        self.commit_requests(edge);
        if let Some((_, timeout)) = self.reorder {
            self.schedule(timeout, edge);
        }
        self.state.is_free = self.state.free_at <= edge.cycle() + 1;
        self.state.accesses.present(edge.cycle() + 1);
    }

    // While requests are refused the same ones are refused, cycle by cycle, until the bus is free.
    fn slept(&mut self, _: u64, count: u64, counters: &mut [u64]) {
        counters[REFUSED] += count * self.state.refused;
    }

    fn idle(&self) -> Idle {
        if !self.state.scheduler.is_idle() {
            return Idle::No;
        }
        // The next event is that the bus becomes free or that a response becomes due, in the cycle after that
        // commit.
        let free = if self.state.is_free { u64::MAX } else { self.state.free_at };
        match free.min(self.state.accesses.next_due().unwrap_or(u64::MAX)) {
            u64::MAX => Idle::UntilTransfer,
            cycle => Idle::UntilTransferOrCycle(cycle - 1),
        }
    }

    fn state(&self) -> &MemoryControllerState {
        &self.state
    }

    fn restore(&mut self, state: MemoryControllerState) -> Result<(), String> {
        let lanes = self.lanes();
        let banks = self.state.rows.banks();
        let fits = state.accesses.fits(lanes)
            && state.last_lane < lanes
            && state.rows.banks() == banks
            && state.scheduler.fits(banks);
        if !fits {
            return Err("the saved memory controller has other banks or other lanes".to_owned());
        }
        self.state = state;
        Ok(())
    }
}

fn check_connections(ports: &MemoryControllerPorts) -> Result<(), String> {
    let (references, blocks) = (ports.port_request.len(), ports.block_request.len());
    if references != ports.port_response.len() || blocks != ports.block_response.len() {
        return Err("each lane needs both a request and a response".to_owned());
    }
    if references + blocks > MAXIMUM_LANES {
        return Err(format!("{} lanes are more than {MAXIMUM_LANES}", references + blocks));
    }
    if references + blocks == 0 {
        return Err("nothing is connected: connect `port` or `block`".to_owned());
    }
    let has_memory = ports.memory_request.is_connected && ports.memory_response.is_connected;
    if references > 0 && !has_memory {
        return Err("`port` is connected, so `memory` must be, too".to_owned());
    }
    let has_memory = ports.memory_block_request.is_connected && ports.memory_block_response.is_connected;
    if blocks > 0 && !has_memory {
        return Err("`block` is connected, so `memory_block` must be, too".to_owned());
    }
    Ok(())
}

impl MemoryController {
    fn lanes(&self) -> usize {
        self.ports.port_request.len() + self.ports.block_request.len()
    }

    // Lanes that request, and the one to be served in this cycle: the first that requests, counted from the
    // one after the last served.
    #[inline]
    fn choose(&self, signals: &Signals) -> Choice {
        let references = self.ports.port_request.len();
        let mut requests = signals.lanes_present(&self.ports.port_request);
        if !self.ports.block_request.is_empty() {
            requests |= signals.lanes_present(&self.ports.block_request) << references;
        }
        let is_free = match self.reorder {
            None => self.state.is_free,
            Some((depth, _)) => self.state.scheduler.waiting() < depth,
        };
        let serves = requests != 0 && is_free && self.state.accesses.len() < self.outstanding;
        let beyond_last = requests & (u64::MAX << self.state.last_lane << 1);
        let chosen = if beyond_last != 0 { beyond_last } else { requests };
        let choice = Choice { requests, lane: serves.then_some(chosen.trailing_zeros() as usize) };
        self.choice.set(choice);
        choice
    }

    // The lane of references or of blocks that `lane` is.
    #[inline]
    fn kind(&self, lane: usize) -> Kind {
        match lane.checked_sub(self.ports.port_request.len()) {
            None => Kind::Reference(lane),
            Some(lane) => Kind::Block(lane),
        }
    }

    #[inline(never)]
    fn forward(&self, signals: &mut Signals) {
        let ports = &self.ports;
        let (reference, block) = (ports.memory_request.port, ports.memory_block_request.port);
        if self.reorder.is_some() {
            let issued = self.state.scheduler.issued();
            signals.write(reference, issued.and_then(Request::reference));
            signals.write(block, issued.and_then(Request::block));
            return;
        }
        let chosen = self.choose(signals).lane.map(|lane| self.kind(lane));
        match chosen {
            Some(Kind::Reference(lane)) => signals.copy(ports.port_request[lane], reference),
            _ => signals.clear(reference),
        }
        match chosen {
            Some(Kind::Block(lane)) => signals.copy(ports.block_request[lane], block),
            _ => signals.clear(block),
        }
    }

    #[inline(never)]
    fn accept(&self, signals: &mut Signals) {
        let ports = &self.ports;
        let is_queued = self.reorder.is_some();
        let choice = if is_queued { self.choose(signals) } else { self.choice.get() };
        if choice.lane.is_some() {
            self.nothing_accepted.forget();
        } else if signals.are_set_already(&self.nothing_accepted) {
            return;
        }
        let mut accepted = [0, 0];
        match choice.lane.map(|lane| self.kind(lane)) {
            Some(Kind::Reference(lane)) => {
                let is_taken = is_queued || signals.is_acknowledged(ports.memory_request.port);
                accepted[0] = u64::from(is_taken) << lane;
            }
            Some(Kind::Block(lane)) => {
                let is_taken = is_queued || signals.is_acknowledged(ports.memory_block_request.port);
                accepted[1] = u64::from(is_taken) << lane;
            }
            None => {}
        }
        signals.acknowledge_lanes(&ports.port_request, accepted[0], &self.last_accepted[0]);
        if !ports.block_request.is_empty() {
            signals.acknowledge_lanes(&ports.block_request, accepted[1], &self.last_accepted[1]);
        }
    }

    #[inline(never)]
    fn answer(&self, signals: &mut Signals) {
        let (ports, accesses) = (&self.ports, &self.state.accesses);
        if accesses.presented() != 0 {
            self.nothing_answered.forget();
        } else if signals.are_set_already(&self.nothing_answered) {
            return;
        }
        // Every access that was passed on has a place for its answer.
        signals.acknowledge(ports.memory_response.port, true);
        let presented = accesses.presented();
        signals.clear_other_lanes(&ports.port_response, presented, &self.last_presented[0]);
        if !ports.block_response.is_empty() {
            signals.acknowledge(ports.memory_block_response.port, true);
            let presented = presented >> ports.port_response.len();
            signals.clear_other_lanes(&ports.block_response, presented, &self.last_presented[1]);
        }
        for lane in ones(presented) {
            match (accesses.oldest(lane), self.kind(lane)) {
                (Some(Answer::Reference(response)), Kind::Reference(lane)) => {
                    signals.write(ports.port_response[lane], Some(*response));
                }
                (Some(Answer::Block(response)), Kind::Block(lane)) => {
                    signals.write(ports.block_response[lane], Some(*response));
                }
                _ => {}
            }
        }
    }

    fn commit_responses(&mut self, edge: &mut Edge<'_>) {
        for lane in ones(self.state.accesses.presented()) {
            let is_sent = match self.kind(lane) {
                Kind::Reference(lane) => edge.signals.is_sent(self.ports.port_response[lane]),
                Kind::Block(lane) => edge.signals.is_sent(self.ports.block_response[lane]),
            };
            if is_sent {
                self.state.accesses.end(lane);
            }
        }
        if let Some(response) = edge.signals.received(self.ports.memory_response.port) {
            self.state.accesses.answer(Answer::Reference(response));
        }
        if let Some(response) = edge.signals.received(self.ports.memory_block_response.port) {
            self.state.accesses.answer(Answer::Block(response));
        }
    }

    // At most one request is taken in a cycle; the others are refused.
    fn commit_requests(&mut self, edge: &mut Edge<'_>) {
        let Choice { requests, lane } = self.choice.get();
        let is_taken = lane.is_some_and(|lane| match self.kind(lane) {
            Kind::Reference(lane) => edge.signals.is_received(self.ports.port_request[lane]),
            Kind::Block(lane) => edge.signals.is_received(self.ports.block_request[lane]),
        });
        if let Some(lane) = lane.filter(|_| is_taken) {
            self.take(lane, edge);
        }
        self.state.refused = u64::from(requests.count_ones()) - u64::from(is_taken);
        edge.count(REFUSED, self.state.refused);
    }

    // Takes the request of `lane`.
    #[inline(never)]
    fn take(&mut self, lane: usize, edge: &mut Edge<'_>) {
        self.state.last_lane = lane;
        match self.kind(lane) {
            Kind::Reference(at) => {
                if let Some(reference) = edge.signals.read(self.ports.port_request[at]) {
                    self.serve(lane, Request::Reference(reference), edge);
                }
            }
            Kind::Block(at) => {
                if let Some(block) = edge.signals.read(self.ports.block_request[at]) {
                    self.serve(lane, Request::Block(block), edge);
                }
            }
        }
    }

    #[inline(always)]
    fn serve(&mut self, lane: usize, request: Request, edge: &mut Edge<'_>) {
        let (span, useful) = request.span();
        edge.count(ACCESSES, 1);
        edge.count(USEFUL_BYTES, useful);
        edge.count(CONSUMED_BYTES, self.timing.consumed_bytes(span));
        let state = &mut self.state;
        let number = state.accesses.begin(lane);
        if self.reorder.is_some() {
            state.scheduler.push(Queued { number, request, span, since: edge.cycle() });
            return;
        }
        let cost = state.rows.serve(&self.timing, span);
        let busy = cost.waiting + cost.moving;
        state.free_at = edge.cycle() + busy;
        state.accesses.ask(number, request.is_block(), state.free_at + self.timing.column_latency);
        edge.count(BUSY, busy);
        edge.count(MOVING, cost.moving);
        edge.count(ACTIVATIONS, cost.activations);
        edge.count(CONFLICTS, cost.conflicts);
        edge.count(TURNAROUNDS, u64::from(cost.turns));
    }

    fn schedule(&mut self, timeout: u64, edge: &mut Edge<'_>) {
        let (ports, state) = (&self.ports, &mut self.state);
        let is_sent = edge.signals.is_sent(ports.memory_request.port)
            || edge.signals.is_sent(ports.memory_block_request.port);
        if is_sent {
            state.scheduler.sent();
        }
        let step = state.scheduler.step(&self.timing, &mut state.rows, timeout, edge.cycle());
        if let Some((queued, due)) = step.issued {
            state.accesses.ask(queued.number, queued.request.is_block(), due);
        }
        edge.count(BUSY, step.busy);
        edge.count(MOVING, step.moving);
        edge.count(ACTIVATIONS, step.activations);
        edge.count(CONFLICTS, step.conflicts);
        edge.count(TURNAROUNDS, u64::from(step.turns));
    }
}
