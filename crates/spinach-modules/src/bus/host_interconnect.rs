//! `host_interconnect`: the bus or link between the NIC and the host.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    AlreadySet, Declaration, Edge, FEMTOSECONDS_PER_SECOND, Idle, Input, Many, Module, OrUnconnected, Output,
    Process, Rate, Signals, Time, ack, data, parameters, ports,
};

use self::credits::{CREDIT_BYTES, Credits, Grants};
use crate::bits::ones;
use crate::parts::alarm::Alarm;
use crate::parts::queue::pop_front_if;
use crate::values::{Block, BlockResponse};

mod credits;

parameters! {
    /// The parameters of a host interconnect.
    pub struct HostInterconnectParameters {
        /// A known interconnect, `unlimited`, or `custom` for what the other parameters say.
        pub preset: String = "unlimited".to_owned()
            => of ["unlimited", "custom", "pci_32_33", "pci_64_66", "pcix_133", "pcie_x4", "pcie_x8"],
        /// Bits per second, in each direction if `is_duplex`; 0 for no limit. For `custom`.
        pub bandwidth: Rate = Rate(0),
        /// True if both directions move data at the same time. For `custom`.
        pub is_duplex: bool = true,
        /// Time from the arrival of a read at host memory until its data can begin to move. For `custom`.
        pub read_latency: Time = Time::ZERO,
        /// Maximum number of data bytes in one packet or burst. For `custom`.
        pub packet: u32 = 128 => in 1..=65536,
        /// Overhead of a packet or burst, in bytes. For `custom`.
        pub packet_overhead: u32 = 0 => in 0..=65536,
        /// Overhead of a packet that brings data of a read, in bytes; 0 for `packet_overhead`. For `custom`.
        pub completion_overhead: u32 = 0 => in 0..=65536,
        /// Maximum number of bytes that a packet asks for, so that longer reads take several; 0 for no limit. For `custom`.
        pub read_request: u32 = 0 => in 0..=65536,
        /// Number of requests of a lane that may be unanswered.
        pub outstanding: u32 = 4 => in 1..=256,
        /// Number of packets to write that the host has room for; 0 for no limit. For `custom`.
        pub posted_headers: u32 = 0 => in 0..=65536,
        /// Room of the host for data to write, in units of 16 bytes; 0 for no limit. For `custom`.
        pub posted_data: u32 = 0 => in 0..=65536,
        /// Number of read requests that the host has room for; 0 for no limit. For `custom`.
        pub read_headers: u32 = 0 => in 0..=65536,
        /// Time from the arrival of a packet at the host until the NIC can use its credits again. For `custom`.
        pub credit_latency: Time = Time::ZERO,
        /// Number of read requests, of all lanes together, whose data has not come; 0 for no limit. A read that needs more has a tag for one
        /// request after the other, each until the data could be there. For `custom`.
        pub tags: u32 = 0 => in 0..=65536,
    }
}

ports! {
    /// Ports of a host interconnect.
    pub struct HostInterconnectPorts {
        /// Initiators of the NIC, one lane each.
        pub device: { request: Many<Input<Block>>, response: Many<Output<BlockResponse>> },
        /// Host memory.
        pub memory: { request: Output<Block>, response: Input<BlockResponse> },
        /// Bytes that another unit moves to or from the NIC at once: they occupy the bus, but do not wait.
        pub others: OrUnconnected<Input<u64>>,
        /// Settings of the host that replace `packet` and `read_request`, as `pci_device` sends them.
        pub sizes: OrUnconnected<Input<u64>>,
    }
}

/// The cost of transfers.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    bits_per_second: u64,
    is_duplex: bool,
    read_latency: Time,
    packet_overhead: u64,
    completion_overhead: u64,
}

/// Maximum bytes of data in a packet, and of a read request.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Sizes {
    packet: u64,
    read_request: u64,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Lane {
    requests: VecDeque<Block>,
    responses: VecDeque<(Time, BlockResponse)>,
    unanswered: u32,
    // Its answers in `returning`.
    returning: u32,
    is_presenting: bool,
    // Bytes of the oldest request whose packets have left, if there are credits, and the tags that it holds until its data is there.
    sent: u32,
    tags: u32,
}

/// Request to host memory, or its answer.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Transfer {
    lane: u32,
    // Bytes of data to the NIC.
    length: u32,
    is_read: bool,
    // Tags of a read, if they are limited.
    tags: u32,
}

// A part of a request to the host: the bytes that it writes, or asks for, and the tags that its read needs before it begins. A part of a
// read that needs more tags than there are has a tag alone, until its data could be there.
#[derive(Clone, Copy, Debug)]
struct Part {
    is_read: bool,
    bytes: u64,
    packets: u64,
    tags: u64,
    is_alone: bool,
}

// Requests and responses that wait in the lanes.
struct Waiting {
    has_requests: bool,
    // Time of the next response that is not there yet.
    next_response: Option<Time>,
}

/// State of a host interconnect.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HostInterconnectState {
    lanes: Vec<Lane>,
    // The lane served last.
    last: usize,
    // The lane whose write is next, and the one whose read is, while credits or tags are lacking.
    next: [Option<usize>; 2],
    // On their way to host memory, with the instant at which they are there.
    arriving: VecDeque<(Time, Transfer, Block)>,
    asked: VecDeque<Transfer>,
    request: Option<Block>,
    // Answers that wait for their way back, with the instant from which on they may go.
    returning: VecDeque<(Time, Transfer, BlockResponse)>,
    // End of the transfer in each direction: to the host, to the NIC. Without duplex, both are the first.
    busy: [Time; 2],
    sizes: Sizes,
    credits: Credits,
    alarm: Option<Alarm>,
    has_acted: bool,
}

/// The way between NIC and host. See its declaration.
pub struct HostInterconnect {
    cost: Cost,
    grants: Grants,
    outstanding: u32,
    ports: HostInterconnectPorts,
    state: HostInterconnectState,
    // All of them: they follow from the state.
    outputs: AlreadySet,
    // Likewise, for each lane.
    lane_outputs: Box<[AlreadySet]>,
    // Lanes that present a response, 64 in a word.
    presenting: Box<[u64]>,
}

const TO_HOST: usize = 0;
const TO_NIC: usize = 1;

const READS: usize = 0;
const WRITES: usize = 1;
const READ_BYTES: usize = 2;
const WRITTEN_BYTES: usize = 3;

const FRONT: u16 = 0;

impl Module for HostInterconnect {
    type Parameters = HostInterconnectParameters;
    type Ports = HostInterconnectPorts;
    type State = HostInterconnectState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "host_interconnect",
            family: "bus",
            documentation: "The bus or link between the NIC and host memory.\n\nIt serves its lanes in turn. Data moves in \
                            packets, or bursts, each with an overhead; a read request costs one packet without data. Without \
                            duplex one transfer occupies the bus at a time, and responses have priority. Several requests may be \
                            in flight; those of one lane are answered in order. With duplex, writes are posted: they do not wait for data that \
                            reads of other lanes bring.\n\nThe presets follow from the standards as far as these decide, and are \
                            assumptions beyond: PCI 2.2 at 33.3 MHz and 32 bits or 66.7 MHz and 64 bits, bursts of 64 clocks, 4 clocks of \
                            overhead (turn-around, address, medium decode), reads after 16 clocks (the rule for the first data); PCI-X at 133.3 \
                            MHz and 64 bits, bursts of 512 bytes, 5 clocks of overhead, reads split, after 16 clocks; PCI Express 1.0 with 4 or 8 lanes of \
                            2 Gb/s after coding, packets of 128 bytes with 24 of framing, sequence number, header and check, those with data of a \
                            read with 20, reads after 300 ns.",
            timing: "All outputs are registered. Unlimited, a request leaves in the cycle after its arrival, and so does its answer.",
            source: "Spinach thesis, sections 3.2.3 (overhead of the bus) and 4.4 (none in the study); PCI Local Bus 2.2; PCI-X 1.0; PCI \
                     Express 1.0a",
            parameters: HostInterconnectParameters::declare(),
            ports: HostInterconnectPorts::declare(),
            counters: &[
                ("reads", "reads answered"),
                ("writes", "writes answered"),
                ("read_bytes", "bytes of data moved to the NIC"),
                ("written_bytes", "bytes of data moved to the host"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: HostInterconnectParameters, ports: HostInterconnectPorts) -> Result<Self, String> {
        if ports.device_request.len() != ports.device_response.len() {
            return Err("device_request and device_response need as many lanes each".to_owned());
        }
        check_preset(&parameters)?;
        check_posted_data(&parameters)?;
        let lanes = vec![Lane::default(); ports.device_request.len()];
        let lane_outputs = lanes.iter().map(|_| AlreadySet::default()).collect();
        let presenting = vec![0; lanes.len().div_ceil(64)].into();
        let state = HostInterconnectState {
            lanes,
            last: 0,
            next: [None; 2],
            arriving: VecDeque::new(),
            asked: VecDeque::new(),
            request: None,
            returning: VecDeque::new(),
            busy: [Time::ZERO; 2],
            sizes: Sizes::new(&parameters),
            credits: Credits::default(),
            alarm: None,
            has_acted: false,
        };
        Ok(Self {
            cost: Cost::new(&parameters),
            grants: grants_of(&parameters),
            outstanding: parameters.outstanding,
            ports,
            state,
            outputs: AlreadySet::default(),
            lane_outputs,
            presenting,
        })
    }

    fn processes(&self) -> Vec<Process> {
        type P = HostInterconnectPorts;
        let front = [ack(P::DEVICE_REQUEST), data(P::DEVICE_RESPONSE), data(P::MEMORY_REQUEST)];
        vec![Process::new(FRONT).drives(front).accepts([P::MEMORY_RESPONSE, P::OTHERS, P::SIZES])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        if signals.are_set_already(&self.outputs) {
            return;
        }
        let state = &self.state;
        for (number, (lane, outputs)) in state.lanes.iter().zip(&self.lane_outputs).enumerate() {
            if !signals.are_set_already(outputs) {
                signals.acknowledge(self.ports.device_request[number], lane.unanswered < self.outstanding);
                let oldest = lane.responses.front().filter(|_| lane.is_presenting);
                signals.write(self.ports.device_response[number], oldest.map(|(_, response)| *response));
            }
        }
        signals.write(self.ports.memory_request, state.request);
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let has_moved = self.see_transfers(edge);
        let state = &self.state;
        let is_early = state.alarm.is_none_or(|alarm| edge.cycle() < alarm.look_at());
        if !has_moved && !state.has_acted && is_early {
            return;
        }
        self.outputs.forget();
        let is_back = self.send_back(edge.time());
        let is_there = self.send_there(edge.time());
        let has_asked = self.ask(edge.time());
        self.state.has_acted = has_moved || is_back || is_there || has_asked;
        let waiting = self.present(edge.time());
        self.set_alarm(&waiting, edge);
    }

    fn idle(&self) -> Idle {
        match self.state.alarm {
            _ if self.state.has_acted => Idle::No,
            Some(alarm) => Idle::UntilTransferOrCycle(alarm.look_at()),
            None => Idle::UntilTransfer,
        }
    }

    fn state(&self) -> &HostInterconnectState {
        &self.state
    }

    fn restore(&mut self, state: HostInterconnectState) -> Result<(), String> {
        if state.lanes.len() != self.state.lanes.len() {
            return Err("the saved host interconnect has another number of lanes".to_owned());
        }
        self.presenting.fill(0);
        for (number, lane) in state.lanes.iter().enumerate() {
            self.presenting[number / 64] |= u64::from(lane.is_presenting) << (number % 64);
        }
        self.state = state;
        self.outputs.forget();
        self.lane_outputs.iter().for_each(AlreadySet::forget);
        Ok(())
    }
}

impl HostInterconnect {
    fn see_transfers(&mut self, edge: &mut Edge<'_>) -> bool {
        let mut has_moved = false;
        if let Some(word) = edge.signals.received(self.ports.sizes.port) {
            self.state.sizes = Sizes::of_word(word);
            has_moved = true;
        }
        if let Some(bytes) = edge.signals.received(self.ports.others.port) {
            let begin = self.state.busy[self.cost.direction(TO_NIC)].max(edge.time());
            let packets = self.state.sizes.packets(bytes);
            self.occupy(TO_NIC, begin, bytes + packets * self.cost.packet_overhead);
            has_moved = true;
        }
        let state = &mut self.state;
        for (word, requests) in self.ports.device_request.chunks(64).enumerate() {
            for bit in ones(edge.signals.lanes_present(requests) | self.presenting[word]) {
                let number = 64 * word + bit;
                let lane = &mut state.lanes[number];
                let is_taken = lane.is_presenting && edge.signals.is_sent(self.ports.device_response[number]);
                let asked = edge.signals.received(requests[bit]);
                if !is_taken && asked.is_none() {
                    continue;
                }
                if is_taken {
                    lane.responses.pop_front();
                    lane.unanswered -= 1;
                }
                if let Some(block) = asked {
                    lane.requests.push_back(block);
                    lane.unanswered += 1;
                }
                self.lane_outputs[number].forget();
                has_moved = true;
            }
        }
        if edge.signals.is_sent(self.ports.memory_request) {
            state.request = None;
            has_moved = true;
        }
        if let Some(response) = edge.signals.received(self.ports.memory_response)
            && let Some(transfer) = state.asked.pop_front()
        {
            let available = if transfer.is_read {
                edge.time().saturating_add(self.cost.read_latency)
            } else {
                edge.time()
            };
            edge.count(if transfer.is_read { READS } else { WRITES }, 1);
            edge.count(if transfer.is_read { READ_BYTES } else { WRITTEN_BYTES }, u64::from(transfer.length));
            let lane = &mut state.lanes[transfer.lane as usize];
            if self.cost.is_duplex && !transfer.is_read && lane.returning == 0 {
                // Writes are posted: they never wait for the data of reads of other lanes.
                lane.responses.push_back((edge.time(), response));
            } else {
                lane.returning += 1;
                state.returning.push_back((available, transfer, response));
            }
            has_moved = true;
        }
        has_moved
    }

    // Occupies a direction from `now` on for `bytes`, overheads among them, and returns until when.
    fn occupy(&mut self, direction: usize, now: Time, bytes: u64) -> Time {
        let end = now.saturating_add(self.cost.of(bytes));
        self.state.busy[self.cost.direction(direction)] = end;
        end
    }

    fn is_busy(&self, direction: usize, now: Time) -> bool {
        self.state.busy[self.cost.direction(direction)] > now
    }

    // Lets answers go back: data occupies the way, the completion of a write does not.
    fn send_back(&mut self, now: Time) -> bool {
        let mut has_sent = false;
        while let Some((available, transfer, response)) = self.state.returning.front().copied() {
            if available > now || transfer.is_read && self.is_busy(TO_NIC, now) {
                break;
            }
            let ready = if transfer.is_read {
                self.occupy(TO_NIC, now, self.cost.completion(self.state.sizes, transfer.length.into()))
            } else {
                now
            };
            self.state.returning.pop_front();
            self.state.credits.answer(&self.grants, transfer.tags.into(), ready);
            let lane = &mut self.state.lanes[transfer.lane as usize];
            lane.returning -= 1;
            lane.responses.push_back((ready, response));
            has_sent = true;
        }
        has_sent
    }

    // Lets requests go to the host, lane by lane in turn; packet by packet, if there are credits or tags.
    fn send_there(&mut self, now: Time) -> bool {
        self.state.credits.take_back(now);
        let mut has_sent = false;
        while !self.is_busy(TO_HOST, now) {
            let Some((lane, part)) = self.next_part() else { break };
            let data = if part.is_read { 0 } else { part.bytes };
            let there = self.occupy(TO_HOST, now, data + part.packets * self.cost.packet_overhead);
            let Self { grants, state, cost, .. } = self;
            let sender = &mut state.lanes[lane];
            match (part.is_read, part.is_alone) {
                (true, true) => {
                    let back = cost.of(cost.completion(state.sizes, part.bytes));
                    let answered = there.saturating_add(cost.read_latency).saturating_add(back);
                    state.credits.ask_alone(grants, there, answered);
                }
                (true, false) => {
                    state.credits.ask(grants, part.tags, there);
                    sender.tags += part.tags as u32;
                }
                (false, _) => state.credits.write(grants, data, there),
            }
            sender.sent += part.bytes as u32;
            let is_last = |block: &Block| block.length <= sender.sent;
            if let Some(block) = pop_front_if(&mut sender.requests, is_last) {
                sender.sent = 0;
                let tags = std::mem::take(&mut sender.tags);
                let transfer =
                    Transfer { lane: lane as u32, length: block.length, is_read: part.is_read, tags };
                state.arriving.push_back((there, transfer, block));
            }
            state.last = lane;
            has_sent = true;
        }
        has_sent
    }

    // The next part of a request that may leave, and its lane. Writes do not pass a write that lacks credits, nor reads another read,
    // also where requests of the other kind move the turn meanwhile. A request that has begun passes those that wait, or tags of a
    // read would wait for those of another.
    fn next_part(&mut self) -> Option<(usize, Part)> {
        self.in_turn().find_map(|number| {
            let state = &mut self.state;
            let lane = &state.lanes[number];
            let part = Part::of(lane.requests.front()?, lane, state.sizes, &self.grants);
            let next = &mut state.next[usize::from(part.is_read)];
            let is_next = *next.get_or_insert(number) == number;
            let may_leave = match part.is_read {
                true => state.credits.may_ask(&self.grants, part.tags),
                false => state.credits.may_write(&self.grants, part.bytes),
            };
            let leaves = may_leave && (is_next || lane.sent > 0);
            if leaves && is_next {
                *next = None;
            }
            leaves.then_some((number, part))
        })
    }

    // The lanes, from the one after that served last.
    fn in_turn(&self) -> impl Iterator<Item = usize> + use<> {
        let (last, lanes) = (self.state.last, self.state.lanes.len());
        (last + 1..lanes).chain(0..=last)
    }

    fn ask(&mut self, now: Time) -> bool {
        let state = &mut self.state;
        let is_there = state.arriving.front().is_some_and(|(there, ..)| *there <= now);
        if state.request.is_some() || !is_there {
            return false;
        }
        let Some((_, transfer, block)) = state.arriving.pop_front() else { return false };
        state.asked.push_back(transfer);
        state.request = Some(block);
        true
    }

    // Presents the oldest response of each lane that is there.
    fn present(&mut self, now: Time) -> Waiting {
        let mut waiting = Waiting { has_requests: false, next_response: None };
        self.presenting.fill(0);
        for (number, (lane, outputs)) in self.state.lanes.iter_mut().zip(&self.lane_outputs).enumerate() {
            waiting.has_requests |= !lane.requests.is_empty();
            let Some((ready, _)) = lane.responses.front() else {
                lane.is_presenting = false;
                continue;
            };
            if *ready > now {
                lane.is_presenting = false;
                let next = waiting.next_response.map_or(*ready, |next| next.min(*ready));
                waiting.next_response = Some(next);
            } else {
                self.presenting[number / 64] |= 1 << (number % 64);
                if !lane.is_presenting {
                    lane.is_presenting = true;
                    outputs.forget();
                }
            }
        }
        waiting
    }

    // Wakes at the next instant at which anything can continue without new input.
    fn set_alarm(&mut self, waiting: &Waiting, edge: &Edge<'_>) {
        let state = &self.state;
        let sending = waiting.has_requests.then(|| state.busy[self.cost.direction(TO_HOST)]);
        let returning = state.returning.front().map(|(available, transfer, _)| {
            let busy = if transfer.is_read { state.busy[self.cost.direction(TO_NIC)] } else { Time::ZERO };
            busy.max(*available)
        });
        let arriving = state.arriving.front().map(|(there, ..)| *there);
        let credits = if waiting.has_requests { state.credits.next_return() } else { None };
        let instants = [sending, returning, arriving, waiting.next_response, credits];
        let next = instants.into_iter().flatten().filter(|instant| *instant > edge.time()).min();
        let state = &mut self.state;
        let is_set =
            state.alarm.as_mut().is_some_and(|alarm| !alarm.rings(edge) && Some(alarm.due()) == next);
        if !is_set {
            state.alarm = next.map(|due| Alarm::set(due, edge));
        }
    }
}

// Rejects parameters of a custom link that are set with another preset.
fn check_preset(parameters: &HostInterconnectParameters) -> Result<(), String> {
    let p = parameters;
    let set = [
        ("bandwidth", p.bandwidth.0 != 0),
        ("is_duplex", !p.is_duplex),
        ("read_latency", p.read_latency != Time::ZERO),
        ("packet", p.packet != 128),
        ("packet_overhead", p.packet_overhead != 0),
        ("completion_overhead", p.completion_overhead != 0),
        ("read_request", p.read_request != 0),
        ("posted_headers", p.posted_headers != 0),
        ("posted_data", p.posted_data != 0),
        ("read_headers", p.read_headers != 0),
        ("credit_latency", p.credit_latency != Time::ZERO),
        ("tags", p.tags != 0),
    ];
    match set.iter().find(|(_, is_set)| *is_set && p.preset != "custom") {
        Some((name, _)) => Err(format!("{name} has no effect with preset = {}, only with custom", p.preset)),
        None => Ok(()),
    }
}

// The host must have room for the largest packet (PCI Express Base Specification, section 2.6.1).
fn check_posted_data(parameters: &HostInterconnectParameters) -> Result<(), String> {
    let (room, packet) = (parameters.posted_data, parameters.packet);
    let needed = packet.div_ceil(CREDIT_BYTES as u32);
    if room == 0 || room >= needed {
        return Ok(());
    }
    Err(format!(
        "posted_data = {room} has no room for a packet of {packet} bytes; give at least {needed}, or 0 for no limit"
    ))
}

// The limits of a custom link; the presets have none.
fn grants_of(parameters: &HostInterconnectParameters) -> Grants {
    if parameters.preset != "custom" {
        return Grants::default();
    }
    Grants {
        posted_headers: parameters.posted_headers.into(),
        posted_data: parameters.posted_data.into(),
        read_headers: parameters.read_headers.into(),
        tags: parameters.tags.into(),
        latency: parameters.credit_latency,
    }
}

impl Part {
    // The next part of the oldest request of a lane: its rest if nothing is limited, else a packet.
    fn of(block: &Block, lane: &Lane, sizes: Sizes, grants: &Grants) -> Self {
        let is_read = block.write.is_none();
        let size = if is_read { sizes.read_request } else { sizes.packet };
        let rest = u64::from(block.length - lane.sent);
        let bytes = rest.min(if grants.are_limited() { size } else { u64::MAX });
        let requests = if is_read { sizes.requests(block.length.into()) } else { 0 };
        let is_first = lane.sent == 0;
        let is_alone = grants.tags != 0 && if is_first { requests > grants.tags } else { lane.tags == 0 };
        let tags = match (is_alone, is_first) {
            (true, _) => 1,
            (false, true) => requests,
            (false, false) => 0,
        };
        Self { is_read, bytes, packets: bytes.div_ceil(size).max(1), tags, is_alone }
    }
}

impl Sizes {
    fn new(parameters: &HostInterconnectParameters) -> Self {
        let is_custom = parameters.preset == "custom";
        let packet = match parameters.preset.as_str() {
            "pci_32_33" => 64 * 4,
            "pci_64_66" | "pcix_133" => 512,
            "pcie_x4" | "pcie_x8" => 128,
            "custom" => u64::from(parameters.packet),
            _ => u64::MAX,
        };
        let has_limit = is_custom && parameters.read_request != 0;
        let read_request = if has_limit { u64::from(parameters.read_request) } else { u64::MAX };
        Self { packet, read_request }
    }

    // Packets that ask for this many bytes.
    fn requests(self, bytes: u64) -> u64 {
        bytes.div_ceil(self.read_request).max(1)
    }

    // Packets that move this many bytes.
    fn packets(self, bytes: u64) -> u64 {
        bytes.div_ceil(self.packet).max(1)
    }

    // Both halves of the word are sizes of a function that has them, at least 128.
    fn of_word(word: u64) -> Self {
        Self { packet: (word & 0xffff_ffff).max(1), read_request: (word >> 32).max(1) }
    }
}

impl Cost {
    fn new(parameters: &HostInterconnectParameters) -> Self {
        let clocks =
            |count: u64, hertz: u64| Time::from_femtoseconds(count * FEMTOSECONDS_PER_SECOND / hertz);
        let bus = |hertz: u64, width: u64, overhead_clocks: u64| Self {
            bits_per_second: hertz * 8 * width,
            is_duplex: false,
            read_latency: clocks(16, hertz),
            packet_overhead: overhead_clocks * width,
            completion_overhead: overhead_clocks * width,
        };
        let express = |lanes: u64| Self {
            bits_per_second: lanes * 2_000_000_000,
            is_duplex: true,
            read_latency: Time::from_femtoseconds(300_000_000),
            // Framing and sequence number, check, header; that of a request has an address of 64 bits.
            packet_overhead: 4 + 4 + 16,
            completion_overhead: 4 + 4 + 12,
        };
        match parameters.preset.as_str() {
            "pci_32_33" => bus(33_333_333, 4, 4),
            "pci_64_66" => bus(66_666_667, 8, 4),
            "pcix_133" => bus(133_333_333, 8, 5),
            "pcie_x4" => express(4),
            "pcie_x8" => express(8),
            "custom" => Self {
                bits_per_second: parameters.bandwidth.0,
                is_duplex: parameters.is_duplex,
                read_latency: parameters.read_latency,
                packet_overhead: u64::from(parameters.packet_overhead),
                completion_overhead: u64::from(match parameters.completion_overhead {
                    0 => parameters.packet_overhead,
                    overhead => overhead,
                }),
            },
            _ => Self { is_duplex: true, ..Self::default() },
        }
    }

    fn direction(&self, direction: usize) -> usize {
        if self.is_duplex { direction } else { TO_HOST }
    }

    // Bytes of the packets that bring this much data of a read.
    fn completion(&self, sizes: Sizes, data: u64) -> u64 {
        data + sizes.packets(data) * self.completion_overhead
    }

    // Time that `bytes` occupy their way.
    fn of(&self, bytes: u64) -> Time {
        if self.bits_per_second == 0 {
            return Time::ZERO;
        }
        let bits = u128::from(8 * bytes);
        let femtoseconds = bits * u128::from(FEMTOSECONDS_PER_SECOND) / u128::from(self.bits_per_second);
        Time::from_femtoseconds(u64::try_from(femtoseconds).unwrap_or(u64::MAX))
    }
}
