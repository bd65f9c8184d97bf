//! A NIC as small as can be, and the firmware that runs it.

use std::collections::VecDeque;

use spinach_engine::{ModuleId, ParameterValue, Simulation, Size};

use super::firmware::{Bus, Running, registers};
use super::support::Bench;

pub(crate) const DMA_READ: u32 = registers(0);
pub(crate) const DMA_WRITE: u32 = registers(1);
pub(crate) const TRANSMIT: u32 = registers(2);
pub(crate) const RECEIVE: u32 = registers(3);
pub(crate) const INTERRUPT: u32 = registers(4);

const CONFIGURATION: u32 = 0x100;
const SEND_MAILBOX: u32 = 0x140;
const RECEIVE_MAILBOX: u32 = 0x144;
const PROGRESS: [u32; 4] = [0x150, 0x154, 0x158, 0x15c];
const STATUS: u32 = 0x180;
const RINGS: [u32; 4] = [0x1000, 0x2000, 0x3000, 0x4000];
const SEND_DESCRIPTORS: u32 = 0x5000;
const RECEIVE_DESCRIPTORS: u32 = 0x6000;
const RETURN_DESCRIPTORS: u32 = 0x7000;
const ENTRIES: u32 = 64;
/// Descriptors held of each host ring; fetched in runs of up to `BATCH`.
const CACHED: u32 = 32;
const BATCH: u32 = 8;
const SLOTS: u32 = 32;
const SLOT_BYTES: u32 = 0x4000;
const FRAME_MEMORY: u32 = 0x8000_0000;
const RECEIVE_REGION: u32 = FRAME_MEMORY + SLOTS * SLOT_BYTES;

/// Register offsets.
const BASE: u32 = 0x00;
const RING_ENTRIES: u32 = 0x04;
const PRODUCER: u32 = 0x08;
const CONSUMER: u32 = 0x0c;
const PROGRESS_ADDRESS: u32 = 0x10;
const CONTROL: u32 = 0x14;

/// Purpose of a finished read.
enum Read {
    SendDescriptors(u32),
    ReceiveDescriptors(u32),
    Part,
    LastPart { address: u32, length: u32 },
}

enum Write {
    Frame,
    ReturnDescriptor { free_to: u32, received: u32 },
    Status,
}

struct Nic {
    bus: Bus,
    configuration: Vec<u32>,
    /// Number of descriptors put into the rings of the assists.
    produced: [u32; 4],
    reads: VecDeque<Read>,
    reads_done: u32,
    writes: VecDeque<Write>,
    writes_done: u32,
    send_fetched: u32,
    send_known: u32,
    send_used: u32,
    receive_fetched: u32,
    receive_known: u32,
    receive_used: u32,
    frames_begun: u32,
    frames_sent: u32,
    received: u32,
    returned: u32,
    status: [u32; 2],
    status_written: [u32; 2],
    is_status_under_way: bool,
}

/// Firmware that moves frames both ways until the simulation ends. The option is the size of the region for received frames.
pub(crate) fn forward(bus: Bus) -> Running {
    Box::pin(run(bus))
}

async fn run(bus: Bus) {
    let region = bus.option as u32;
    while bus.read(CONFIGURATION + 44).await != 0x5350_4e31 {}
    let first = bus.read(CONFIGURATION + 48).await;
    let mut configuration = Vec::new();
    for word in 0..11 {
        configuration.push(bus.read(CONFIGURATION + 4 * word).await);
    }
    let mut produced = [0; 4];
    for (number, block) in [DMA_READ, DMA_WRITE, TRANSMIT, RECEIVE].into_iter().enumerate() {
        produced[number] = bus.read(block + PRODUCER).await;
        bus.write(PROGRESS[number], produced[number]).await;
        bus.write(block + BASE, RINGS[number]).await;
        bus.write(block + RING_ENTRIES, ENTRIES).await;
        bus.write(block + PROGRESS_ADDRESS, PROGRESS[number]).await;
    }
    bus.write(RECEIVE + 0x20, RECEIVE_REGION).await;
    bus.write(RECEIVE + 0x24, region).await;
    for block in [DMA_READ, DMA_WRITE, TRANSMIT, RECEIVE] {
        bus.write(block + CONTROL, 1).await;
    }
    let mut nic = Nic {
        bus,
        configuration,
        produced,
        reads: VecDeque::new(),
        reads_done: produced[0],
        writes: VecDeque::new(),
        writes_done: produced[1],
        send_fetched: first,
        send_known: first,
        send_used: first,
        receive_fetched: first,
        receive_known: first,
        receive_used: first,
        frames_begun: produced[2],
        frames_sent: produced[2],
        received: produced[3],
        returned: first,
        status: [first; 2],
        status_written: [first; 2],
        is_status_under_way: false,
    };
    loop {
        nic.fetch_descriptors().await;
        nic.finish_reads().await;
        nic.send().await;
        nic.finish_sends().await;
        nic.receive().await;
        nic.finish_writes().await;
        nic.report().await;
    }
}

impl Nic {
    async fn dma(&mut self, assist: usize, host: (u32, u32), local: u32, length: u32) {
        let slot = RINGS[assist] + 16 * (self.produced[assist] % ENTRIES);
        for (word, value) in [host.0, host.1, local, length].into_iter().enumerate() {
            self.bus.write(slot + 4 * word as u32, value).await;
        }
        self.produced[assist] = self.produced[assist].wrapping_add(1);
        self.bus.write([DMA_READ, DMA_WRITE][assist] + PRODUCER, self.produced[assist]).await;
    }

    fn has_room(&self, assist: usize, wanted: u32) -> bool {
        let held = [self.reads.len(), self.writes.len()][assist] as u32;
        held + wanted <= ENTRIES
    }

    // The host address `offset` bytes after the one in words `word` and `word + 1` of the configuration.
    fn host(&self, word: usize, offset: u32) -> (u32, u32) {
        let base = u64::from(self.configuration[word]) << 32 | u64::from(self.configuration[word + 1]);
        let address = base + u64::from(offset);
        ((address >> 32) as u32, address as u32)
    }

    async fn fetch_descriptors(&mut self) {
        let producer = self.bus.read(SEND_MAILBOX).await;
        let room = CACHED - self.send_fetched.wrapping_sub(self.send_used);
        let count = self.run(producer, self.send_fetched, room, self.configuration[2]);
        if count > 0 && self.has_room(0, 1) {
            let (from, to) = (self.send_fetched % self.configuration[2], self.send_fetched % CACHED);
            let host = self.host(0, 16 * from);
            self.dma(0, host, SEND_DESCRIPTORS + 16 * to, 16 * count).await;
            self.send_fetched = self.send_fetched.wrapping_add(count);
            self.reads.push_back(Read::SendDescriptors(count));
        }
        let producer = self.bus.read(RECEIVE_MAILBOX).await;
        let room = CACHED - self.receive_fetched.wrapping_sub(self.receive_used);
        let count = self.run(producer, self.receive_fetched, room, self.configuration[5]);
        if count > 0 && self.has_room(0, 1) {
            let (from, to) = (self.receive_fetched % self.configuration[5], self.receive_fetched % CACHED);
            let host = self.host(3, 16 * from);
            self.dma(0, host, RECEIVE_DESCRIPTORS + 16 * to, 16 * count).await;
            self.receive_fetched = self.receive_fetched.wrapping_add(count);
            self.reads.push_back(Read::ReceiveDescriptors(count));
        }
    }

    // Number of descriptors that one transfer may fetch.
    fn run(&self, producer: u32, fetched: u32, room: u32, entries: u32) -> u32 {
        let available = producer.wrapping_sub(fetched).min(room).min(BATCH);
        available.min(entries - fetched % entries).min(CACHED - fetched % CACHED)
    }

    async fn finish_reads(&mut self) {
        let done = self.bus.read(PROGRESS[0]).await;
        while self.reads_done != done {
            self.reads_done = self.reads_done.wrapping_add(1);
            match self.reads.pop_front().expect("no more are done than were asked for") {
                Read::SendDescriptors(count) => self.send_known = self.send_known.wrapping_add(count),
                Read::ReceiveDescriptors(count) => {
                    self.receive_known = self.receive_known.wrapping_add(count);
                }
                Read::Part => {}
                Read::LastPart { address, length } => {
                    let slot = RINGS[2] + 8 * (self.produced[2] % ENTRIES);
                    self.bus.write(slot, address).await;
                    self.bus.write(slot + 4, length).await;
                    self.produced[2] = self.produced[2].wrapping_add(1);
                    self.bus.write(TRANSMIT + PRODUCER, self.produced[2]).await;
                }
            }
        }
    }

    async fn send(&mut self) {
        while self.send_known.wrapping_sub(self.send_used) >= 2
            && self.frames_begun.wrapping_sub(self.frames_sent) < SLOTS
            && self.has_room(0, 2)
        {
            let address = FRAME_MEMORY + SLOT_BYTES * (self.frames_begun % SLOTS);
            let mut length = 0;
            for part in 0..2 {
                let descriptor = SEND_DESCRIPTORS + 16 * (self.send_used % CACHED);
                let host = (self.bus.read(descriptor).await, self.bus.read(descriptor + 4).await);
                let word = self.bus.read(descriptor + 8).await;
                assert_eq!(word >> 16, [0, 4][part], "the last buffer of a frame is marked");
                self.dma(0, host, address + length, word & 0xffff).await;
                length += word & 0xffff;
                self.reads.push_back(if part == 0 { Read::Part } else { Read::LastPart { address, length } });
                self.send_used = self.send_used.wrapping_add(1);
            }
            self.frames_begun = self.frames_begun.wrapping_add(1);
        }
    }

    async fn finish_sends(&mut self) {
        let sent = self.bus.read(PROGRESS[2]).await;
        self.status[0] = self.status[0].wrapping_add(2 * sent.wrapping_sub(self.frames_sent));
        self.frames_sent = sent;
    }

    async fn receive(&mut self) {
        let producer = self.bus.read(PROGRESS[3]).await;
        while self.received != producer && self.receive_known != self.receive_used && self.has_room(1, 2) {
            let slot = RINGS[3] + 8 * (self.received % ENTRIES);
            let (address, word) = (self.bus.read(slot).await, self.bus.read(slot + 4).await);
            let length = word & 0xffff;
            let descriptor = RECEIVE_DESCRIPTORS + 16 * (self.receive_used % CACHED);
            let host = (self.bus.read(descriptor).await, self.bus.read(descriptor + 4).await);
            let opaque = self.bus.read(descriptor + 12).await;
            self.dma(1, host, address, length).await;
            self.writes.push_back(Write::Frame);
            let local = RETURN_DESCRIPTORS + 16 * (self.received % ENTRIES);
            for (word, value) in [host.0, host.1, length, opaque].into_iter().enumerate() {
                self.bus.write(local + 4 * word as u32, value).await;
            }
            let host = self.host(6, 16 * (self.returned % self.configuration[8]));
            self.dma(1, host, local, 16).await;
            self.receive_used = self.receive_used.wrapping_add(1);
            self.received = self.received.wrapping_add(1);
            self.returned = self.returned.wrapping_add(1);
            let free_to = (address + length).next_multiple_of(16);
            self.writes.push_back(Write::ReturnDescriptor { free_to, received: self.received });
        }
    }

    async fn finish_writes(&mut self) {
        let done = self.bus.read(PROGRESS[1]).await;
        while self.writes_done != done {
            self.writes_done = self.writes_done.wrapping_add(1);
            match self.writes.pop_front().expect("no more are done than were asked for") {
                Write::Frame => {}
                Write::ReturnDescriptor { free_to, received } => {
                    self.status[1] = self.status[1].wrapping_add(1);
                    self.bus.write(RECEIVE + 0x2c, free_to).await;
                    self.bus.write(RECEIVE + CONSUMER, received).await;
                }
                Write::Status => {
                    self.is_status_under_way = false;
                    self.bus.write(INTERRUPT, 1).await;
                }
            }
        }
    }

    async fn report(&mut self) {
        if self.status != self.status_written && !self.is_status_under_way && self.has_room(1, 1) {
            self.bus.write(STATUS, self.status[0]).await;
            self.bus.write(STATUS + 4, self.status[1]).await;
            let host = self.host(9, 0);
            self.dma(1, host, STATUS, 8).await;
            self.writes.push_back(Write::Status);
            self.status_written = self.status;
            self.is_status_under_way = true;
        }
    }
}

/// Parameters of modules in a rig, by path; `jam` is the path of all that jams,
/// `frame_jam` of what jams on the way to frame memory.
pub(crate) type Settings = Vec<(&'static str, &'static str, ParameterValue)>;

/// The NIC, its host and its network, in one clock domain of 1 GHz with a link of 8 Gb/s.
pub(crate) fn rig(settings: &Settings) -> Bench {
    let mut bench = Bench::new();
    let of = |path: &str, mut own: Vec<(&str, ParameterValue)>| -> Vec<(String, ParameterValue)> {
        own.retain(|(name, _)| !settings.iter().any(|(known, other, _)| *known == path && other == name));
        let theirs = settings.iter().filter(|(known, ..)| *known == path);
        own.extend(theirs.map(|(_, name, value)| (*name, value.clone())));
        own.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    };
    let domain = bench.domain;
    let mut add = |path: &str, kind: &str, own: Vec<(&str, ParameterValue)>| -> ModuleId {
        bench.design.module(path, kind, domain, of(path, own))
    };
    let firmware = add(
        "firmware",
        "test_firmware",
        vec![("program", "forward".into()), ("option", 0x10_0000u64.into())],
    );
    let scratch = add("scratch", "multiported_memory", vec![("size", Size(0x1_0000).into())]);
    let frames = add(
        "frames",
        "multiported_memory",
        vec![("size", Size(0x20_0000).into()), ("base", u64::from(FRAME_MEMORY).into())],
    );
    let dma_read = add("dma_read", "dma_assist", vec![("direction", "read".into())]);
    let dma_write = add("dma_write", "dma_assist", vec![("direction", "write".into())]);
    let transmit = add("transmit", "mac_transmit_assist", vec![]);
    let receive = add("receive", "mac_receive_assist", vec![]);
    let interrupt = add("interrupt", "interrupt", vec![]);
    let host = add(
        "host",
        "ring_host",
        vec![
            ("configuration_address", u64::from(CONFIGURATION).into()),
            ("send_mailbox", u64::from(SEND_MAILBOX).into()),
            ("receive_mailbox", u64::from(RECEIVE_MAILBOX).into()),
            ("send_entries", 64u64.into()),
            ("receive_entries", 64u64.into()),
        ],
    );
    let bus = add("bus", "host_interconnect", vec![]);
    let byte_per_cycle = || vec![("bytes_per_cycle", 1u64.into())];
    let out_link = add("out_link", "link", byte_per_cycle());
    let in_link = add("in_link", "link", byte_per_cycle());
    let sink = add("sink", "packet_sink", vec![]);
    let feeder = add("feeder", "traffic_source", vec![]);
    let faults = add("faults", "wire_faults", vec![]);
    let percent_of =
        |path: &str| settings.iter().find(|(known, ..)| *known == path).map(|(.., percent)| percent);
    let design = &mut bench.design;
    let mut jams = 0u64;
    let mut connect = |from: (ModuleId, &str, usize), to: (ModuleId, &str, usize)| {
        let is_of_frames = from.1.starts_with("frame_") || to.1.starts_with("frame_");
        let Some(percent) = percent_of("jam").or(percent_of("frame_jam").filter(|_| is_of_frames)) else {
            design.connect_lanes(from, to);
            return;
        };
        let parameters = [("percent", percent.clone()), ("seed", jams.into())];
        let jam = design.module(format!("jam{jams}"), "test_jam", domain, parameters);
        jams += 1;
        design.connect_lanes(from, (jam, "input", 0));
        design.connect_lanes((jam, "output", 0), to);
    };
    let mut bundle = |from: (ModuleId, &str, usize), to: (ModuleId, &str, usize)| {
        let name = |bundle: &str, role: &str| format!("{bundle}_{role}");
        connect((from.0, &name(from.1, "request"), from.2), (to.0, &name(to.1, "request"), to.2));
        connect((to.0, &name(to.1, "response"), to.2), (from.0, &name(from.1, "response"), from.2));
    };
    bundle((firmware, "bus", 0), (scratch, "port", 0));
    for (number, assist) in [dma_read, dma_write, transmit, receive].into_iter().enumerate() {
        bundle((firmware, "bus", 1 + number), (assist, "registers", 0));
        bundle((assist, "control", 0), (scratch, "port", 1 + number));
        bundle((assist, "frame", 0), (frames, "block", number));
    }
    bundle((firmware, "bus", 5), (interrupt, "registers", 0));
    bundle((host, "doorbell", 0), (scratch, "port", 5));
    bundle((dma_read, "host", 0), (bus, "device", 0));
    bundle((dma_write, "host", 0), (bus, "device", 1));
    bundle((bus, "memory", 0), (host, "memory", 0));
    for (from, to) in [
        ((transmit, "wire"), (out_link, "input")),
        ((out_link, "output"), (sink, "wire")),
        ((feeder, "wire"), (faults, "input")),
        ((faults, "output"), (in_link, "input")),
        ((in_link, "output"), (receive, "wire")),
        ((receive, "link_up"), (feeder, "link_up")),
        ((interrupt, "raised"), (host, "interrupt")),
        ((host, "departures"), (sink, "departures")),
        ((feeder, "departures"), (host, "arriving")),
    ] {
        design.connect(from, to);
    }
    bench
}

/// UDP datagrams of several sizes, as modules take them; nothing if there are none.
pub(crate) fn udp(sizes: &[u64], weights: &[u64]) -> String {
    if sizes.is_empty() && weights.is_empty() {
        return String::new();
    }
    format!(r#"{{"kind": "udp", "sizes": {sizes:?}, "weights": {weights:?}}}"#)
}

/// Settings for traffic in both directions.
pub(crate) fn traffic(sizes: &[u64], send_count: u64, receive_count: u64) -> Settings {
    let sizes = || ParameterValue::from(udp(sizes, &[]));
    vec![
        ("host", "send_traffic", sizes()),
        ("sink", "traffic", sizes()),
        ("host", "send_count", send_count.into()),
        ("sink", "count", send_count.into()),
        ("host", "receive_traffic", sizes()),
        ("feeder", "traffic", sizes()),
        ("host", "receive_count", receive_count.into()),
        ("feeder", "count", receive_count.into()),
        ("feeder", "seed", 2u64.into()),
    ]
}

/// A counter of the rig.
pub(crate) fn count(simulation: &mut Simulation, path: &str, counter: &str) -> u64 {
    super::support::counter(simulation, path, counter)
}
