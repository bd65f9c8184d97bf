//! `ring_host`: the host, as its network card sees it: a driver and the memory it shares with the card.

mod content_cache;
mod driver;
mod memory;

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Exported, Idle, Input, Module, OrUnconnected, Output, Outside, Payload, Process,
    Signals, Size, Time, ack, data, parameters, ports,
};

use self::content_cache::ContentCache;
use self::memory::{Layout, LayoutSizes, MOST_HEADER_BYTES};
use crate::bus::host_memory::HostMemory;
use crate::bus::host_traffic::HostTraffic;
use crate::parts::alarm::Alarm;
use crate::parts::mover::Mover;
use crate::traffic::checker::{Checker, Departure};
use crate::traffic::live_frames::{END, EXPECT, Outbox, SEND};
use crate::traffic::pace::{Pace, Paced};
use crate::traffic::plan::TrafficPlan;
use crate::values::{Block, BlockResponse, Frame, Reference, Response};

/// Bytes that all rings and buffers of the driver may take together.
const MEMORY_MAXIMUM: u64 = 1 << 30;

parameters! {
    /// The parameters of a host.
    pub struct RingHostParameters {
        /// First address of the driver's memory.
        pub memory_base: u64 = 0x1_2000_0000 => in 0..=1 << 48,
        /// Entries of the send ring, a power of two.
        pub send_entries: u32 = 512 => power_of_two 2..=65536,
        /// Entries of the receive ring and of the return ring, a power of two. There are as many receive buffers.
        pub receive_entries: u32 = 512 => power_of_two 1..=65536,
        /// Bytes of a receive buffer.
        pub receive_buffer: Size = Size(1536) => in 60..=65535,
        /// Number of bytes of each frame to send, its headers, that lie in a separate buffer with a separate descriptor. 0 for
        /// whole frames in one buffer.
        pub header_bytes: u32 = 42 => in 0..=59,
        /// Misalignment of header buffers, in bytes.
        pub header_offset: u32 = 2 => in 0..=63,
        /// Misalignment of payload buffers, in bytes.
        pub payload_offset: u32 = 6 => in 0..=63,
        /// Misalignment of receive buffers, in bytes.
        pub receive_offset: u32 = 2 => in 0..=63,
        /// Address in the NIC of the configuration block.
        pub configuration_address: u64 => in 0..=0xffff_ffff,
        /// Address in the NIC of the send producer: the number of send descriptors ever filled, modulo 2^32.
        pub send_mailbox: u64 => in 0..=0xffff_ffff,
        /// Address in the NIC of the receive producer: the number of receive descriptors ever filled, modulo 2^32.
        pub receive_mailbox: u64 => in 0..=0xffff_ffff,
        /// Initial value of all indices of the driver, such as shortly before 2^32 to see firmware wrap around. The configuration
        /// block contains it.
        pub first_index: u32 = 0,
        /// Maximum number of frames that one write of the send producer announces.
        pub send_coalescing: u32 = 16 => in 1..=65536; variable,
        /// Maximum number of buffers that one write of the receive producer announces.
        pub receive_coalescing: u32 = 16 => in 1..=65536; variable,
        /// If not 0, the driver is a nuisance: it announces every descriptor separately, and repeats each write this number of
        /// times.
        pub mailbox_storm: u32 = 0 => in 0..=1000; variable,
        /// Event that makes the driver read the status block: an `interrupt`, or any write to it, as if it watched that `memory`
        /// all the time.
        pub notification: String = "interrupt".to_owned() => of ["interrupt", "memory"],
        /// Latency from the notification until the driver has acted.
        pub service_latency: Time = Time::ZERO; variable,
        /// Pauses of the driver: start and length of each, in microseconds.
        pub pauses_us: Vec<u64> = Vec::new(); variable,
        /// If true, the driver leaves checksums of TCP and UDP over IPv4 to the NIC, in both directions.
        pub checksums: bool = false,
        /// Memory of the NIC for payloads that the driver sends again; 0 for a NIC that keeps none. Needs `header_bytes`.
        pub content_cache: Size = Size(0) => in 0..=1 << 30,
        /// Frames that it sends and expects.
        pub traffic: HostTraffic,
    }
}

ports! {
    /// Ports of a host.
    pub struct RingHostPorts {
        /// Host memory, for the NIC.
        pub memory: { request: Input<Block>, response: Output<BlockResponse> },
        /// Registers of the NIC, for the driver.
        pub doorbell: { request: Output<Reference>, response: Input<Response> },
        /// Interrupts; always taken.
        pub interrupt: OrUnconnected<Input<u64>>,
        /// Departure times of posted frames, for the measurement of latency.
        pub departures: OrUnconnected<Output<Departure>>,
        /// Departure times of the network's frames.
        pub arriving: OrUnconnected<Input<Departure>>,
        /// Copies of the frames received, for recorders.
        pub received: OrUnconnected<Output<Frame>>,
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
enum Phase {
    /// Nothing has happened.
    Off,
    /// The first index is being written into the configuration block.
    Indexing,
    /// The first index is being written into the mailboxes.
    SettingSendMailbox,
    SettingReceiveMailbox,
    /// The configuration block is being written up to the word that makes it valid.
    Configuring,
    /// The word that makes the configuration block valid is being written.
    Announcing,
    Running,
}

/// State of a host. Indices count buffer descriptors, modulo 2^32.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RingHostState {
    phase: Phase,
    memory: HostMemory,
    responses: VecDeque<BlockResponse>,
    doorbell: Mover,
    is_ringing: bool,
    // Repeated write of the mailbox storm: address, value and number of repetitions left.
    again: (u64, u32, u32),
    frames_posted: u64,
    frames_completed: u64,
    send: Mailbox,
    receive: Mailbox,
    returned: u32,
    // True for receive buffers that the NIC holds.
    is_held: Vec<bool>,
    paced: Paced,
    alarm: Option<Alarm>,
    departures: VecDeque<(u64, Time)>,
    copies: VecDeque<Payload>,
    checker: Checker,
    content: ContentCache,
}

/// An index that the driver advances, and its value in the NIC.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Mailbox {
    producer: u32,
    announced: u32,
}

impl Mailbox {
    fn new(first_index: u32) -> Self {
        Self { producer: first_index, announced: first_index }
    }

    fn is_behind(&self) -> bool {
        self.announced != self.producer
    }

    // Next producer to write: at most `step` more than before.
    fn announce(&mut self, step: u32) -> u32 {
        self.announced = self.announced.wrapping_add(self.producer.wrapping_sub(self.announced).min(step));
        self.announced
    }
}

/// The host. See its declaration.
pub struct RingHost {
    layout: Layout,
    descriptors_per_frame: u32,
    send_slots: u32,
    header_bytes: usize,
    header_offset: u64,
    payload_offset: u64,
    receive_buffer: u64,
    receive_offset: u64,
    configuration_address: u64,
    send_mailbox: u64,
    receive_mailbox: u64,
    first_index: u32,
    send_step: u32,
    receive_step: u32,
    mailbox_storm: u32,
    watches_memory: bool,
    checksums: bool,
    keeps_content: bool,
    service_latency: Time,
    pauses: Vec<(Time, Time)>,
    send_plan: TrafficPlan,
    pace: Pace,
    receive_plan: TrafficPlan,
    // True if frames to send have come from outside that the driver has not looked at.
    has_news: bool,
    outbox: Outbox,
    scratch: Vec<u8>,
    ports: RingHostPorts,
    state: RingHostState,
}

const OFFERED: usize = 0;
const COMPLETED: usize = 1;
const DELIVERED: usize = 2;
const BYTES: usize = 3;
const PAYLOAD_BYTES: usize = 4;
const CORRUPTED: usize = 5;
const REORDERED: usize = 6;
const DUPLICATED: usize = 7;
const DOORBELLS: usize = 8;
const INTERRUPTS: usize = 9;
const SERVICES: usize = 10;
const READ_BYTES: usize = 11;
const WRITTEN_BYTES: usize = 12;
const SKIPPED: usize = 13;
const CHECKSUMS_LEFT: usize = 14;
const CHECKSUMS_VOUCHED: usize = 15;
const LAST_DELIVERY_FS: usize = 16;
const KEPT: usize = 17;
const SENT_FROM_CONTENT: usize = 18;
const PAUSES: usize = 19;

/// Maximum number of waiting answers of host memory.
const RESPONSES: usize = 2;
/// The number of notes on departures that wait at most; beyond it latencies go unmeasured.
const DEPARTURES: usize = 65_536;

const DOCUMENTATION: &str = "Host of a NIC: a driver, and the memory that it shares with the NIC.

At the start the driver writes the configuration block into the NIC, the word 0x53504e31 last of all; the mailboxes before that, if \
indices do not begin at 0. It posts receive buffers, \
keeps the send ring as full as its traffic and the ring allow, and announces both by writing 32-bit producers to the mailboxes. After \
a notification it reads the status block, reclaims the buffers of sent frames, checks every received frame byte for byte, and \
posts its buffer again.

Layouts (big-endian words; indices count descriptors modulo 2^32; rings are powers of two):

| configuration block | content |
|---|---|
| 0, 4, 8 | send ring: host address high, low; entries |
| 12, 16, 20 | receive ring: host address high, low; entries |
| 24, 28, 32 | return ring: host address high, low; entries |
| 36, 40 | status block: host address high, low |
| 44 | 0x53504e31 once the others are valid |
| 48 | first value of all indices, in the rings, the mailboxes and the status block; 0 except in tests |

| buffer descriptor | content |
|---|---|
| 0, 4 | host address of the buffer, high, low |
| 8 | flags (16 bits; bit 2: last buffer of a frame; bit 4: put a checksum into the frame, in its first descriptor; bit 5: received with \
a right checksum; bit 6: with a wrong one), length in bytes (16 bits) |
| 12 | word of the driver, which the NIC returns; with bit 4 of the flags, the first byte that is summed up (bits 15 to 8) and that of the \
checksum (bits 7 to 0), which holds the sum of the pseudo header |

With `content_cache` the driver keeps payloads in the NIC (RiceNIC, ExpCS 2007, section 3.2.1). A buffer with bit 7 of the flags is kept at the offset that the word of the driver gives, and sent from there; one with bit 8 has no address in the host, and is sent from that offset. Equal payloads are kept once; the least recently used one is replaced when its frames have left.

| status block | content |
|---|---|
| 0 | send consumer: number of completed send descriptors |
| 4 | return producer: number of written return descriptors |

For each frame received the NIC writes it into the buffer of the next receive descriptor, writes a return descriptor (address, \
flags, length of the frame, word of the driver), then the status block, then notifies. There are as many return descriptors as \
receive buffers, so that they always suffice. The NIC may read all of the driver's memory, and write receive buffers, return ring and \
status block; a write to what it may only read is answered by a fault, as is anything outside. The simulation stops, with the \
reason, if the NIC writes across the end of a receive buffer or into one that it does not hold, reports impossible progress, or \
a wrong result of a checksum.";

impl Module for RingHost {
    type Parameters = RingHostParameters;
    type Ports = RingHostPorts;
    type State = RingHostState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "ring_host",
            family: "bus",
            documentation: DOCUMENTATION,
            timing: "All outputs are registered. Host memory takes one block a cycle and answers in the next. The driver acts \
                     `service_latency` after it is notified, all at once; its doorbell writes follow one after the other.",
            source: "Spinach thesis, sections 2.1.1 and 3.2.3, table 3.3 (NIC Feeder), and 4.4; HPCA 2005, sections 2.1 and 5",
            parameters: RingHostParameters::declare(),
            ports: RingHostPorts::declare(),
            counters: &[
                ("offered", "frames posted to be sent"),
                ("completed", "frames that the NIC says it has sent"),
                ("delivered", "frames received that were right, for the first time"),
                ("bytes", "bytes of the frames delivered, without frame check sequence"),
                ("payload_bytes", "bytes of UDP payload of the frames delivered"),
                ("corrupted", "frames received that are not in the plan"),
                ("reordered", "frames delivered after one that was sent later"),
                ("duplicated", "right frames received again"),
                ("doorbells", "writes to mailboxes"),
                ("interrupts", "interrupts taken"),
                ("services", "times that the driver acted"),
                ("read_bytes", "bytes of host memory that the NIC read"),
                ("written_bytes", "bytes of host memory that the NIC wrote"),
                ("skipped", "frames that had not been received when one that was sent later was"),
                ("checksums_left", "frames posted to be sent whose checksum is the NIC's to put in"),
                (
                    "checksums_vouched",
                    "frames received of which the NIC says whether their checksum is right",
                ),
                ("last_delivery_fs", "time of the last delivery, in femtoseconds"),
                ("kept", "frames posted whose payload the NIC is to keep"),
                ("sent_from_content", "frames posted whose payload the NIC has kept"),
                ("pauses", "pause frames received that no source of traffic sent, and ignored"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: RingHostParameters, ports: RingHostPorts) -> Result<Self, String> {
        let p = &parameters;
        if !p.pauses_us.len().is_multiple_of(2) {
            let count = p.pauses_us.len();
            return Err(format!("pauses_us has {count} numbers: give a start and a length for each pause"));
        }
        let keeps_content = p.content_cache.0 > 0;
        if keeps_content && p.header_bytes == 0 {
            return Err(
                "content_cache needs header_bytes: only the bytes behind the headers are kept".to_owned()
            );
        }
        let microseconds =
            |us: u64| us.checked_mul(1000).and_then(Time::from_nanoseconds).unwrap_or(Time::MAX);
        let pause = |pair: &[u64]| (microseconds(pair[0]), microseconds(pair[0].saturating_add(pair[1])));
        let send_plan = p.traffic.send_plan()?;
        let receive_plan = p.traffic.receive_plan()?;
        let descriptors_per_frame = if p.header_bytes == 0 { 1 } else { 2 };
        let send_slots = p.send_entries / descriptors_per_frame;
        let header_bytes = if keeps_content { MOST_HEADER_BYTES } else { p.header_bytes as usize };
        let is_storm = p.mailbox_storm != 0;
        let layout = Layout::new(&LayoutSizes {
            base: p.memory_base,
            send_entries: p.send_entries,
            send_frames: send_slots,
            header_space: header_bytes as u64 + u64::from(p.header_offset),
            payload_space: send_plan.longest_frame() as u64 + u64::from(p.payload_offset),
            receive_entries: p.receive_entries,
            receive_space: p.receive_buffer.0 + u64::from(p.receive_offset),
        });
        let memory_bytes = layout.end - p.memory_base;
        if memory_bytes > MEMORY_MAXIMUM {
            return Err(format!(
                "rings and buffers take {} MiB of host memory, more than {} MiB: lower receive_entries, send_entries or receive_buffer",
                memory_bytes >> 20,
                MEMORY_MAXIMUM >> 20
            ));
        }
        let pace = p.traffic.pace();
        let state = RingHostState {
            phase: Phase::Off,
            memory: HostMemory::new(p.memory_base, layout.end),
            responses: VecDeque::new(),
            doorbell: Mover::new(4, 1, 0)?,
            is_ringing: false,
            again: (0, 0, 0),
            frames_posted: 0,
            frames_completed: 0,
            send: Mailbox::new(p.first_index),
            receive: Mailbox::new(p.first_index),
            returned: p.first_index,
            is_held: vec![false; p.receive_entries as usize],
            paced: pace.start(send_plan.count()),
            alarm: None,
            departures: VecDeque::new(),
            copies: VecDeque::new(),
            checker: Checker::new(p.traffic.overtaking()),
            content: ContentCache::new(p.content_cache.0, send_plan.longest_frame() as u64),
        };
        Ok(Self {
            layout,
            descriptors_per_frame,
            send_slots,
            header_bytes: p.header_bytes as usize,
            header_offset: u64::from(p.header_offset),
            payload_offset: u64::from(p.payload_offset),
            receive_buffer: p.receive_buffer.0,
            receive_offset: u64::from(p.receive_offset),
            configuration_address: p.configuration_address,
            send_mailbox: p.send_mailbox,
            receive_mailbox: p.receive_mailbox,
            first_index: p.first_index,
            send_step: if is_storm { 1 } else { p.send_coalescing.saturating_mul(descriptors_per_frame) },
            receive_step: if is_storm { 1 } else { p.receive_coalescing },
            mailbox_storm: p.mailbox_storm,
            watches_memory: p.notification == "memory",
            checksums: p.checksums,
            keeps_content,
            service_latency: p.service_latency,
            pauses: p.pauses_us.chunks_exact(2).map(pause).collect(),
            send_plan,
            pace,
            receive_plan,
            has_news: false,
            outbox: p.traffic.outbox(),
            scratch: Vec::new(),
            ports,
            state,
        })
    }

    fn processes(&self) -> Vec<Process> {
        type P = RingHostPorts;
        let mut drives = vec![data(P::MEMORY_RESPONSE), ack(P::MEMORY_REQUEST), data(P::DOORBELL_REQUEST)];
        drives.extend(self.ports.departures.is_connected.then_some(data(P::DEPARTURES)));
        drives.extend(self.ports.received.is_connected.then_some(data(P::RECEIVED)));
        vec![Process::new(0).drives(drives).accepts([P::DOORBELL_RESPONSE, P::INTERRUPT, P::ARRIVING])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        let (ports, state) = (&self.ports, &self.state);
        signals.write(ports.memory_response, state.responses.front().copied());
        signals.acknowledge(ports.memory_request, state.responses.len() < RESPONSES);
        state.doorbell.evaluate(ports.doorbell_request, signals);
        let departure =
            state.departures.front().map(|(index, time)| Departure { index: *index, time: *time });
        signals.write(ports.departures.port, departure);
        let copy = state.copies.front().map(|bytes| Frame::intact(*bytes));
        signals.write(ports.received.port, copy);
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        if edge.signals.is_sent(self.ports.departures.port) {
            self.state.departures.pop_front();
        }
        if edge.signals.is_sent(self.ports.received.port) {
            self.state.copies.pop_front();
        }
        if let Some(departure) = edge.signals.received(self.ports.arriving.port) {
            self.state.checker.depart(departure);
        }
        let mut is_notified = self.serve_memory(edge);
        if edge.signals.is_received(self.ports.interrupt.port) {
            edge.count(INTERRUPTS, 1);
            is_notified |= !self.watches_memory;
        }
        if is_notified {
            self.schedule(edge.time().saturating_add(self.service_latency), edge);
        }
        if self.has_news && self.state.phase == Phase::Running {
            self.has_news = false;
            self.schedule(edge.time(), edge);
        }
        self.see_doorbell(edge);
        if self.state.phase == Phase::Running && self.is_service_due(edge) {
            self.service(edge);
        }
        self.ring(edge);
    }

    fn idle(&self) -> Idle {
        match (self.state.phase, self.state.alarm) {
            (Phase::Off, _) => Idle::No,
            (Phase::Running, Some(alarm)) => Idle::UntilCycle(alarm.look_at()),
            _ => Idle::UntilInput,
        }
    }

    fn outside(&mut self) -> Option<&mut dyn Outside> {
        Some(self)
    }

    fn state(&self) -> &RingHostState {
        &self.state
    }

    fn restore(&mut self, state: RingHostState) -> Result<(), String> {
        if state.memory.size() != self.state.memory.size() {
            return Err("the host has buffers for longer or shorter frames there".to_owned());
        }
        // Nothing else may wake the driver to send frames that were not planned before.
        self.has_news |= self.pace.differs(&state.paced, self.send_plan.count());
        self.state = RingHostState { content: state.content.clone().indexed(), ..state };
        Ok(())
    }
}

impl Outside for RingHost {
    fn inject(&mut self, lane: u32, message: &[u8]) -> Result<(), String> {
        match lane {
            SEND => {
                self.has_news = true;
                self.send_plan.add(message)
            }
            EXPECT => self.receive_plan.add(message),
            END => {
                self.has_news |= self.state.paced.end_after(message)?;
                Ok(())
            }
            _ => Err(format!("ring_host: there is no lane {lane}")),
        }
    }

    fn waiting(&self, lane: u32) -> usize {
        if lane == SEND { (self.send_plan.count() - self.state.frames_posted) as usize } else { 0 }
    }

    fn export(&mut self, _: u32) -> Option<Exported> {
        self.outbox.take()
    }
}
