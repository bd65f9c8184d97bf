//! `local_bus`: a bus with separate paths for reads and writes, as cores and devices of one chip share it.

mod bursts;

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    AlreadySet, AnyNumber, Declaration, Edge, Idle, Input, LastLanes, Many, Module, Output, Process, Signals,
    Size, ack, data, parameters, ports,
};

use self::bursts::{BlockLane, BlockTarget};
use crate::bits::{ones, set_bit};
use crate::values::{Block, BlockResponse, Reference, Response};

parameters! {
    /// The parameters of a local bus.
    pub struct LocalBusParameters {
        /// Base address of each range.
        pub bases: Vec<u64>,
        /// Size of each range, in bytes.
        pub sizes: Vec<u64>,
        /// Target lane of each range; empty to assign the targets in order.
        pub targets: Vec<u64> = Vec::new(),
        /// Number of bytes that move in a cycle on each of the two paths.
        pub width: Size = Size(8) => in 1..=1024,
        /// Maximum number of bytes of a block that move before another initiator has its turn.
        pub burst: Size = Size(128) => power_of_two 16..=65536,
        /// Number of requests of an initiator that may be unanswered.
        pub outstanding: u32 = 8 => in 1..=64,
    }
}

ports! {
    /// Ports of a local bus.
    pub struct LocalBusPorts {
        /// Initiators, one lane per initiator.
        pub initiator: { request: Many<Input<Reference>>, response: Many<Output<Response>> },
        /// Initiators of bursts, one lane each.
        pub block: { request: AnyNumber<Input<Block>>, response: AnyNumber<Output<BlockResponse>> },
        /// Targets, one lane each.
        pub target: { request: Many<Output<Reference>>, response: Many<Input<Response>> },
        /// Targets of bursts: as many of the first targets as are connected here take part.
        pub target_block: { request: AnyNumber<Output<Block>>, response: AnyNumber<Input<BlockResponse>> },
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Lane {
    request: Option<Reference>,
    // The target that has not answered yet, and how many answers are due.
    target: usize,
    unanswered: u32,
    responses: VecDeque<Response>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Target {
    request: Option<Reference>,
    // The lanes that wait for answers, oldest first.
    asked: VecDeque<usize>,
}

/// One of the two paths of data.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Path {
    // The first cycle in which it is free.
    free_at: u64,
    // The initiator that had it last: lanes of references, then those of blocks.
    last: usize,
}

/// State of a local bus.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LocalBusState {
    lanes: Vec<Lane>,
    targets: Vec<Target>,
    blocks: Vec<BlockLane>,
    block_targets: Vec<BlockTarget>,
    paths: [Path; 2],
    has_acted: bool,
    // Next cycle in which a path with waiting initiators is free.
    awaited: Option<u64>,
}

/// A range of addresses.
#[derive(Clone, Copy, Debug)]
struct Range {
    base: u64,
    size: u64,
    target: usize,
}

/// A bus with separate paths for reads and writes. See its declaration.
pub struct LocalBus {
    ranges: Vec<Range>,
    width: u64,
    burst: u64,
    outstanding: u32,
    ports: LocalBusPorts,
    state: LocalBusState,
    // All of them: they follow from the state.
    outputs: AlreadySet,
    shown: Shown,
    // The targets that are asked something or owe an answer, a bit each; it follows from the state.
    busy_targets: u64,
}

/// Values presented last, lane by lane.
#[derive(Debug, Default)]
struct Shown {
    open: LastLanes,
    responses: LastLanes,
    requests: LastLanes,
    blocks_open: LastLanes,
    block_responses: LastLanes,
    block_requests: LastLanes,
}

/// Lanes are numbered by bits of a word.
const MOST_LANES: usize = 64;

const READ: usize = 0;
const WRITE: usize = 1;

const READS: usize = 0;
const WRITES: usize = 1;
const READ_BYTES: usize = 2;
const WRITTEN_BYTES: usize = 3;
const READ_CYCLES: usize = 4;
const WRITE_CYCLES: usize = 5;
const FAULTS: usize = 6;

impl Module for LocalBus {
    type Parameters = LocalBusParameters;
    type Ports = LocalBusPorts;
    type State = LocalBusState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "local_bus",
            family: "interconnect",
            documentation: "The bus inside of a chip: cores, devices and memories, with a path of data for reads and one for writes.\n\n\
                            Each path serves its initiators in turn (round robin) and is occupied while the bytes move. Blocks \
                            move in bursts that end at multiples of `burst`, and other initiators may use the path between two \
                            bursts; a block is answered when all its bursts are answered and its data have moved. Responses reach each initiator in the order of its \
                            references; an initiator that waits for one target cannot use another. A reference outside every \
                            range or beyond the end of one returns a fault.",
            timing: "All outputs are registered. A request is granted in the cycle in which it comes, if its path is free and its target has \
                     taken the request before, reaches its target in the next cycle, and its answer is presented in the cycle \
                     after the target's. So a memory with a latency of one cycle answers three cycles after a request came.",
            source: "IBM 64-Bit Processor Local Bus (SA-14-2534): separate read and write data buses, address pipelining, bursts; \
                     RiceNIC (ExpCS 2007), section 2",
            parameters: LocalBusParameters::declare(),
            ports: LocalBusPorts::declare(),
            counters: &[
                ("reads", "references and bursts that read"),
                ("writes", "references and bursts that wrote or were atomic"),
                ("read_bytes", "bytes they read"),
                ("written_bytes", "bytes they wrote"),
                ("read_cycles", "cycles in which the path of reads was occupied, counted at the grant"),
                ("write_cycles", "cycles in which the path of writes was occupied, counted at the grant"),
                ("faults", "references and blocks that nothing answers to"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: LocalBusParameters, ports: LocalBusPorts) -> Result<Self, String> {
        let ranges = ranges(&parameters, ports.target_request.len())?;
        let pairs = [
            ("initiator", ports.initiator_request.len(), ports.initiator_response.len()),
            ("block", ports.block_request.len(), ports.block_response.len()),
            ("target", ports.target_request.len(), ports.target_response.len()),
            ("target_block", ports.target_block_request.len(), ports.target_block_response.len()),
        ];
        if let Some((name, ..)) = pairs.iter().find(|(_, requests, responses)| requests != responses) {
            return Err(format!("{name}_request and {name}_response need as many lanes each"));
        }
        if let Some((name, count, _)) = pairs.iter().find(|(_, requests, _)| *requests > MOST_LANES) {
            return Err(format!("{count} lanes of {name}_request are more than {MOST_LANES}"));
        }
        if ports.target_block_request.len() > ports.target_request.len() {
            return Err("there are more lanes of target_block_request than of target_request".to_owned());
        }
        let state = LocalBusState {
            lanes: vec![Lane::default(); ports.initiator_request.len()],
            targets: vec![Target::default(); ports.target_request.len()],
            blocks: vec![BlockLane::default(); ports.block_request.len()],
            block_targets: vec![BlockTarget::default(); ports.target_block_request.len()],
            paths: [Path::default(); 2],
            has_acted: false,
            awaited: None,
        };
        Ok(Self {
            ranges,
            width: parameters.width.0,
            burst: parameters.burst.0,
            outstanding: parameters.outstanding,
            ports,
            state,
            outputs: AlreadySet::default(),
            shown: Shown::default(),
            busy_targets: 0,
        })
    }

    fn processes(&self) -> Vec<Process> {
        type P = LocalBusPorts;
        let mut drives =
            vec![ack(P::INITIATOR_REQUEST), data(P::INITIATOR_RESPONSE), data(P::TARGET_REQUEST)];
        if !self.ports.block_request.is_empty() {
            drives.extend([ack(P::BLOCK_REQUEST), data(P::BLOCK_RESPONSE)]);
        }
        let mut accepts = vec![P::TARGET_RESPONSE];
        if !self.ports.target_block_request.is_empty() {
            drives.push(data(P::TARGET_BLOCK_REQUEST));
            accepts.push(P::TARGET_BLOCK_RESPONSE);
        }
        vec![Process::new(0).drives(drives).accepts(accepts)]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        if signals.are_set_already(&self.outputs) {
            return;
        }
        self.evaluate_lanes(signals);
        self.evaluate_targets(signals);
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let has_moved = self.see_answers(edge) | self.see_requests(edge);
        let is_early = self.state.awaited.is_none_or(|awaited| edge.cycle() < awaited);
        if !has_moved && !self.state.has_acted && is_early {
            return;
        }
        let has_granted = self.has_wanting() && (self.grant(READ, edge) | self.grant(WRITE, edge));
        let now = edge.cycle();
        let presents = self.state.blocks.iter_mut().fold(false, |any, lane| any | lane.present(now));
        let free_at = self.state.paths.iter().map(|path| path.free_at);
        let awaited = free_at.filter(|cycle| *cycle > now).min();
        self.state.awaited = awaited.filter(|_| self.has_waiters());
        // This cycle has examined all requests: without a grant, the next grant needs another movement or a
        // free path.
        self.state.has_acted = has_granted || presents;
        self.outputs.forget();
    }

    fn idle(&self) -> Idle {
        match self.state.awaited {
            _ if self.state.has_acted => Idle::No,
            Some(cycle) => Idle::UntilTransferOrCycle(cycle),
            None => Idle::UntilTransfer,
        }
    }

    fn state(&self) -> &LocalBusState {
        &self.state
    }

    fn restore(&mut self, state: LocalBusState) -> Result<(), String> {
        let lanes = |state: &LocalBusState| {
            [state.lanes.len(), state.targets.len(), state.blocks.len(), state.block_targets.len()]
        };
        if lanes(&state) != lanes(&self.state) {
            return Err("the saved local bus has other lanes".to_owned());
        }
        let busy = |target: &Target| target.request.is_some() || !target.asked.is_empty();
        self.busy_targets = 0;
        for (number, target) in state.targets.iter().enumerate() {
            set_bit(&mut self.busy_targets, number, busy(target));
        }
        self.state = state;
        self.outputs.forget();
        Ok(())
    }
}

fn ranges(parameters: &LocalBusParameters, targets: usize) -> Result<Vec<Range>, String> {
    let LocalBusParameters { bases, sizes, targets: chosen, .. } = parameters;
    if bases.len() != sizes.len() || !chosen.is_empty() && chosen.len() != bases.len() {
        return Err("bases, sizes and targets need as many numbers each".to_owned());
    }
    let ranges: Vec<Range> = bases
        .iter()
        .zip(sizes)
        .enumerate()
        .map(|(number, (base, size))| {
            let target = chosen.get(number).map_or(number, |target| *target as usize);
            Range { base: *base, size: *size, target }
        })
        .collect();
    if let Some(range) = ranges.iter().find(|range| range.target >= targets) {
        return Err(format!("the range at {:#x} is of target {}, of {targets}", range.base, range.target));
    }
    for (number, one) in ranges.iter().enumerate() {
        let overlaps = |other: &Range| one.base < other.base + other.size && other.base < one.base + one.size;
        if let Some(other) = ranges[..number].iter().find(|other| overlaps(other)) {
            return Err(format!("the ranges at {:#x} and {:#x} overlap", other.base, one.base));
        }
    }
    Ok(ranges)
}

impl LocalBus {
    // Sets the outputs to initiators.
    #[inline]
    fn evaluate_lanes(&self, signals: &mut Signals) {
        let (ports, state, shown) = (&self.ports, &self.state, &self.shown);
        let (mut open, mut responses) = (0, 0);
        for (number, lane) in state.lanes.iter().enumerate() {
            let has_room = lane.request.is_none()
                && (lane.unanswered as usize) + lane.responses.len() < self.outstanding as usize;
            open |= u64::from(has_room) << number;
            if let Some(response) = lane.responses.front() {
                responses |= 1 << number;
                signals.write(ports.initiator_response[number], Some(*response));
            }
        }
        signals.acknowledge_lanes(&ports.initiator_request, open, &shown.open);
        signals.clear_other_lanes(&ports.initiator_response, responses, &shown.responses);
        let (mut open, mut responses) = (0, 0);
        for (number, lane) in state.blocks.iter().enumerate() {
            open |= u64::from(lane.has_room()) << number;
            if let Some(response) = lane.response() {
                responses |= 1 << number;
                signals.write(ports.block_response[number], Some(response));
            }
        }
        signals.acknowledge_lanes(&ports.block_request, open, &shown.blocks_open);
        signals.clear_other_lanes(&ports.block_response, responses, &shown.block_responses);
    }

    // Sets the outputs to targets.
    #[inline]
    fn evaluate_targets(&self, signals: &mut Signals) {
        let (ports, state, shown) = (&self.ports, &self.state, &self.shown);
        let mut requests = 0;
        for number in ones(self.busy_targets) {
            if let Some(request) = state.targets[number].request {
                requests |= 1 << number;
                signals.write(ports.target_request[number], Some(request));
            }
        }
        signals.clear_other_lanes(&ports.target_request, requests, &shown.requests);
        let mut requests = 0;
        for (number, target) in state.block_targets.iter().enumerate() {
            if let Some(request) = target.request() {
                requests |= 1 << number;
                signals.write(ports.target_block_request[number], Some(request));
            }
        }
        signals.clear_other_lanes(&ports.target_block_request, requests, &shown.block_requests);
    }

    // The target of all bytes from `address` on.
    fn target(&self, address: u64, length: u64) -> Option<usize> {
        let holds = |range: &&Range| {
            address >= range.base
                && address - range.base < range.size
                && length <= range.size - (address - range.base)
        };
        self.ranges.iter().find(holds).map(|range| range.target)
    }

    fn see_answers(&mut self, edge: &mut Edge<'_>) -> bool {
        let (ports, state) = (&self.ports, &mut self.state);
        let mut has_moved = false;
        for number in ones(self.busy_targets) {
            let target = &mut state.targets[number];
            if target.request.is_some() && edge.signals.is_sent(ports.target_request[number]) {
                target.request = None;
                has_moved = true;
            }
            if !target.asked.is_empty()
                && let Some(response) = edge.signals.received(ports.target_response[number])
                && let Some(lane) = target.asked.pop_front()
            {
                let lane = &mut state.lanes[lane];
                lane.unanswered -= 1;
                lane.responses.push_back(response);
                has_moved = true;
            }
            let is_busy = target.request.is_some() || !target.asked.is_empty();
            set_bit(&mut self.busy_targets, number, is_busy);
        }
        for (number, target) in state.block_targets.iter_mut().enumerate() {
            if !target.is_free() && edge.signals.is_sent(ports.target_block_request[number]) {
                target.see_sent();
                has_moved = true;
            }
            if target.is_awaited()
                && let Some(response) = edge.signals.received(ports.target_block_response[number])
                && let Some((lane, bytes)) = target.see_answered()
            {
                let is_fault = state.blocks[lane].see_answer(bytes, response, edge);
                edge.count(FAULTS, u64::from(is_fault));
                has_moved = true;
            }
        }
        has_moved
    }

    fn see_requests(&mut self, edge: &mut Edge<'_>) -> bool {
        let mut has_moved = false;
        for number in 0..self.state.lanes.len() {
            let lane = &mut self.state.lanes[number];
            if !lane.responses.is_empty() && edge.signals.is_sent(self.ports.initiator_response[number]) {
                lane.responses.pop_front();
                has_moved = true;
            }
            if lane.request.is_none()
                && let Some(reference) = edge.signals.received(self.ports.initiator_request[number])
            {
                lane.request = Some(reference);
                has_moved = true;
            }
        }
        for number in 0..self.state.blocks.len() {
            if edge.signals.is_sent(self.ports.block_response[number]) {
                self.state.blocks[number].see_taken();
                has_moved = true;
            }
            if let Some(block) = edge.signals.received(self.ports.block_request[number]) {
                let target = self.target(block.address, u64::from(block.length));
                let target = target.filter(|target| *target < self.state.block_targets.len());
                edge.count(FAULTS, u64::from(target.is_none()));
                self.state.blocks[number].take(block, target, edge);
                has_moved = true;
            }
        }
        has_moved
    }

    fn has_waiters(&self) -> bool {
        let state = &self.state;
        state.lanes.iter().any(|lane| lane.request.is_some())
            || state.blocks.iter().any(|lane| lane.is_finished() || lane.next_burst(self.burst).is_some())
    }

    // True if an initiator may need a path.
    #[inline]
    fn has_wanting(&self) -> bool {
        let state = &self.state;
        state.lanes.iter().any(|lane| lane.request.is_some()) || state.blocks.iter().any(BlockLane::has_work)
    }

    // Grants a path to the next initiator that requests it and whose target is free.
    fn grant(&mut self, path: usize, edge: &mut Edge<'_>) -> bool {
        let now = edge.cycle();
        if self.state.paths[path].free_at > now {
            return false;
        }
        let (lanes, all) = (self.state.lanes.len(), self.state.lanes.len() + self.state.blocks.len());
        let mut number = self.state.paths[path].last;
        for _ in 0..all {
            number = if number + 1 == all { 0 } else { number + 1 };
            let bytes = if number < lanes {
                self.grant_reference(number, path, edge)
            } else {
                self.grant_burst(number - lanes, path, edge)
            };
            let Some(bytes) = bytes else { continue };
            if bytes > 0 {
                let cycles = bytes.div_ceil(self.width);
                self.state.paths[path] = Path { free_at: now + cycles, last: number };
                let counters = if path == READ {
                    [READS, READ_BYTES, READ_CYCLES]
                } else {
                    [WRITES, WRITTEN_BYTES, WRITE_CYCLES]
                };
                for (counter, count) in counters.into_iter().zip([1, bytes, cycles]) {
                    edge.count(counter, count);
                }
            }
            return true;
        }
        false
    }

    // Passes the reference of a lane to its target; returns how many bytes occupy the path.
    fn grant_reference(&mut self, number: usize, path: usize, edge: &mut Edge<'_>) -> Option<u64> {
        let reference = self.state.lanes[number].request.as_ref()?;
        if usize::from(reference.access.writes()) != path {
            return None;
        }
        let (reference, bytes) = (*reference, u64::from(reference.size));
        let target = self.target(reference.address, bytes);
        let lane = &mut self.state.lanes[number];
        let Some(target) = target else {
            // Behind all answers that are due.
            if lane.unanswered > 0 {
                return None;
            }
            edge.count(FAULTS, 1);
            lane.request = None;
            lane.responses.push_back(Response::FAULT);
            return Some(0);
        };
        let is_free = self.state.targets[target].request.is_none();
        if !is_free || lane.unanswered > 0 && lane.target != target {
            return None;
        }
        lane.request = None;
        lane.target = target;
        lane.unanswered += 1;
        self.busy_targets |= 1 << target;
        self.state.targets[target].request = Some(reference);
        self.state.targets[target].asked.push_back(number);
        Some(bytes)
    }

    // Passes the next burst of a block to its target; returns how many bytes occupy the path.
    fn grant_burst(&mut self, number: usize, path: usize, edge: &mut Edge<'_>) -> Option<u64> {
        let burst = self.state.blocks[number].next_burst(self.burst)?;
        if usize::from(burst.is_write) != path || !self.state.block_targets[burst.target].is_free() {
            return None;
        }
        let moves_until = edge.cycle() + u64::from(burst.bytes).div_ceil(self.width);
        let block = self.state.blocks[number].ask(&burst, moves_until, edge);
        self.state.block_targets[burst.target].ask(block, number);
        Some(u64::from(burst.bytes))
    }
}
