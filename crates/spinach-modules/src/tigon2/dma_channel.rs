//! `dma_channel`: moves runs of bytes between host and memory, controlled by registers or by a ring of descriptors.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    AlreadySet, Declaration, Edge, Idle, Input, Module, OrUnconnected, Output, Process, Rate, Signals, Size,
    data, parameters, ports,
};

use self::control::{CHECKSUM, CHECKSUM_STORE, CROSSING, ERRORS, MASTER_ABORT, RESET, START, SWAP};
use self::job::{Job, Order, swap_words};
use super::circular::{CircularBuffers, next_entry};
use super::poll::{POINTER_BYTES, Poll};
use crate::parts::bytes::word_at;
use crate::parts::mover::{Finished, Mover, moves};
use crate::parts::register_message::RegisterMessage;
use crate::parts::steady::{Steady, burst_piece};
use crate::values::{Block, BlockResponse, Reference, Response};

mod control;
mod job;

parameters! {
    /// The parameters of a DMA channel. Registers are named by their offsets.
    pub struct DmaChannelParameters {
        /// `read` moves data from host memory into the device, `write` from the device into host memory.
        pub direction: String => of ["read", "write"],
        /// The high half of the host address.
        pub host_high: u32 => in 0..=65532,
        /// The low half of the host address.
        pub host_low: u32 => in 0..=65532,
        /// The address in the device's memory; afterwards where the transfer ended.
        pub local: u32 => in 0..=65532,
        /// Number of bytes; afterwards 0.
        pub length: u32 => in 0..=65532,
        /// The control word.
        pub control: u32 => in 0..=65532,
        /// The checksum.
        pub checksum: u32 => in 0..=65532,
        /// Address of the next descriptor from firmware.
        pub producer: u32 => in 0..=65532,
        /// The next descriptor to perform.
        pub reference: u32 => in 0..=65532,
        /// Address of the second ring's producer, 0 for none: that ring is served only while the first is empty.
        pub low_producer: u32 = 0 => in 0..=65532,
        /// Reference pointer of that ring, as `reference`.
        pub low_reference: u32 = 0 => in 0..=65532,
        /// Bit 0: descriptors are performed. Bit 1: not now.
        pub assist: u32 => in 0..=65532,
        /// Register that receives the end of each transfer whose control word has a bit of `end_copy_bit`; 0 for none.
        pub end_copy: u32 = 0 => in 0..=65532,
        /// Bits of the control word that ask for that copy.
        pub end_copy_bit: u32 = 0x2_0000,
        /// The bits of a pointer that tell the descriptor within its ring.
        pub ring_mask: u32 = 0x7e0,
        /// Cycles from the answer to a read of the producer in memory, at the beginning of the ring, to the next read; the assist reads
        /// while it has no descriptor (thesis 3.2.3, "constantly read pointers"). 0: registers tell it.
        pub poll_interval: u32 = 0 => in 0..=1_000_000,
        /// The registers with the beginnings of two circular buffers: each ends where the other begins or at `buffer_top`.
        pub buffer_bases: Vec<u64> = vec![0, 0],
        /// See `buffer_bases`.
        pub buffer_top: u64 = 0x20_0000 => in 1..=0xffff_ffff,
        /// The bits of a local address that count.
        pub local_mask: u32 = 0x1f_ffff,
        /// Number of bytes requested from the host at once.
        pub chunk: Size = Size(512) => in 8..=65536,
        /// Number of such chunks that may be between the two memories.
        pub chunks: u32 = 2 => in 1..=64,
        /// Rate at which the bus fills or empties the FIFO, so that data passes memory as it passes the bus (thesis 3.2.3, "cycle by
        /// cycle"); 0 for chunks that pass memory at once.
        pub rate: Rate = Rate(0),
        /// Size of the FIFO between bus and memory. Default: 32 words, the largest threshold of the control word.
        pub fifo: Size = Size(128) => in 32..=65536,
        /// Bytes of a burst of memory; with a rate, data passes in pieces that end where bursts end.
        pub burst: u32 = 32 => in 4..=32,
        /// Number of bytes of one reference to memory: 1, 2, 4, 8 or 16.
        pub width: u32 = 16 => in 1..=16,
        /// Number of references to memory that may be unanswered.
        pub outstanding: u32 = 4 => in 1..=64,
        /// Source number of its references and blocks.
        pub source: u32 = 0 => in 0..=65535,
    }
}

ports! {
    /// Ports of a DMA channel.
    pub struct DmaChannelPorts {
        /// Content of the registers.
        pub written: Input<u64>,
        /// Changes of registers.
        pub update: Output<u64>,
        /// Memory.
        pub memory: { request: Output<Reference>, response: Input<Response> },
        /// Memory of descriptors, if it is another one.
        pub descriptors: { request: OrUnconnected<Output<Reference>>, response: OrUnconnected<Input<Response>> },
        /// Host memory.
        pub host: { request: Output<Block>, response: Input<BlockResponse> },
    }
}

/// Activity of a channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
enum Stage {
    #[default]
    Idle,
    /// The descriptor is on its way.
    Fetching,
    /// Data is being moved.
    Moving,
    /// The checksum is being stored.
    Storing,
}

/// The pointers of a ring of descriptors.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Ring {
    producer: u32,
    reference: u32,
    // The producer as the assist knows it.
    known: u32,
}

impl Ring {
    fn set_producer(&mut self, word: u32, polls: bool) {
        self.producer = word;
        if !polls {
            self.known = word;
        }
    }

    // A ring that firmware moves is empty to an assist that has not read the producer since.
    fn set_reference(&mut self, word: u32, polls: bool) {
        self.reference = word;
        if polls {
            self.known = word;
        }
    }
}

/// State of a DMA channel.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DmaChannelState {
    // As the registers have it.
    order: Order,
    rings: [Ring; 2],
    assist: u32,
    buffers: CircularBuffers,
    // Firmware has started a transfer through the registers.
    is_started: bool,
    // A transfer failed, and the control word was not written since.
    is_stuck: bool,
    stage: Stage,
    // The ring that the descriptor under way is of.
    ring: usize,
    job: Job,
    mover: Mover,
    descriptor_mover: Mover,
    fifo: Steady,
    host_requests: VecDeque<Block>,
    // Blocks and runs under way; those of a transfer that was given up are thrown away when they come.
    unanswered_blocks: u32,
    unfinished_runs: u32,
    is_draining: bool,
    poll: Poll,
    outbox: VecDeque<u64>,
    // True if the last commit changed anything; if not, the next will not either unless something comes in.
    has_acted: bool,
}

/// Moves runs of bytes between host and memory. See its declaration.
pub struct DmaChannel {
    parameters: DmaChannelParameters,
    from_host: bool,
    ports: DmaChannelPorts,
    state: DmaChannelState,
    settled: AlreadySet,
    // True if anything came in or left in the last cycle.
    has_moved: bool,
}

const DESCRIPTOR_BYTES: usize = 32;
const ASSIST_ENABLE: u32 = 1;
const ASSIST_PAUSE: u32 = 2;

// Tags of runs.
const DATA: u64 = 0;
const DESCRIPTOR: u64 = 1;
const SUM: u64 = 2;
const PRODUCER: u64 = 3;

const TRANSFERS: usize = 0;
const DESCRIPTORS: usize = 1;
const BYTES: usize = 2;
const ERRONEOUS: usize = 3;
const BUSY: usize = 4;

const DOCUMENTATION: &str = "Moves runs of bytes between host and memory, controlled by registers or by a ring of descriptors.

Firmware writes host address, local address, length and then the control word, and waits until the length is 0 and the channel is not \
busy. Or, while the assist is enabled, it puts descriptors into a ring; the channel performs one after the other, and moves `reference` on when \
one is complete and its data visible. Descriptors of a second ring are performed while the first has none. The data passes in chunks, so that bus and memory work at the same time; \
with a `rate`, memory moves the bytes of a chunk no faster than that, but for what the FIFO holds.

Control word: 0x1 give up what is under way; 0x2 swap the bytes within 32-bit words; 0x4 start, and busy; 0x200 add the data to the ones' complement \
checksum, 0x400 after clearing it, 0x800 store it through the descriptor's pointer; `end_copy_bit` copy the end of the transfer to another register; \
0x2000000 no answer on the bus; 0x8000000 the data would cross a multiple of 4 GiB, so nothing was moved. A byte is the high half of \
a 16-bit word of the checksum at an even place: of its address in memory for `read`, of its position in the transfer for `write`. After an \
error nothing is done until the control word is written; then the same descriptor is tried again.

Descriptor (32 bytes, big-endian words): host address high, host address low, local address, length (low 16 bits), control word, address where the \
checksum goes (16 bits are stored); the last two words are the firmware's.";

impl Module for DmaChannel {
    type Parameters = DmaChannelParameters;
    type Ports = DmaChannelPorts;
    type State = DmaChannelState;

    const SLEEPS: bool = true;

    fn declaration() -> Declaration {
        Declaration {
            kind: "dma_channel",
            family: "tigon2",
            documentation: DOCUMENTATION,
            timing: "All outputs are registered. What arrives is acted upon in the next cycle; memory is asked for one reference a cycle.",
            source: "Spinach thesis, sections 2.1.2 and 3.2.3, table 3.3 (DMA Assist); Tigon-2 reference, sections 2.2, 2.3 and 4.1",
            parameters: DmaChannelParameters::declare(),
            ports: DmaChannelPorts::declare(),
            counters: &[
                ("transfers", "transfers completed"),
                ("descriptors", "those of them that descriptors asked for"),
                ("bytes", "bytes of the transfers completed"),
                ("errors", "transfers that failed"),
                ("busy_cycles", "cycles from the beginning of a transfer to its end"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: DmaChannelParameters, ports: DmaChannelPorts) -> Result<Self, String> {
        let [first, second] = parameters.buffer_bases[..] else {
            return Err("buffer_bases must name two registers".to_owned());
        };
        if !parameters.chunk.0.is_multiple_of(4) {
            return Err(format!("chunk = {} B is not a multiple of 4", parameters.chunk.0));
        }
        let mover = Mover::new(parameters.width, parameters.outstanding, parameters.source as u16)?;
        let state = DmaChannelState {
            order: Order::default(),
            rings: [Ring::default(); 2],
            assist: 0,
            buffers: CircularBuffers::new([first as u32, second as u32], parameters.buffer_top),
            is_started: false,
            is_stuck: false,
            stage: Stage::Idle,
            ring: 0,
            job: Job::default(),
            descriptor_mover: mover.clone(),
            mover,
            fifo: Steady::new(parameters.rate, parameters.fifo.0),
            host_requests: VecDeque::new(),
            unanswered_blocks: 0,
            unfinished_runs: 0,
            is_draining: false,
            poll: Poll::default(),
            outbox: VecDeque::new(),
            has_acted: false,
        };
        let (from_host, settled) = (parameters.direction == "read", AlreadySet::default());
        Ok(Self { parameters, from_host, ports, state, settled, has_moved: false })
    }

    fn processes(&self) -> Vec<Process> {
        type P = DmaChannelPorts;
        let mut drives = vec![data(P::UPDATE), data(P::MEMORY_REQUEST), data(P::HOST_REQUEST)];
        if self.ports.descriptors_request.is_connected {
            drives.extend([data(P::DESCRIPTORS_REQUEST)]);
        }
        vec![Process::new(0).drives(drives).accepts([
            P::WRITTEN,
            P::MEMORY_RESPONSE,
            P::DESCRIPTORS_RESPONSE,
            P::HOST_RESPONSE,
        ])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        if signals.are_set_already(&self.settled) {
            return;
        }
        let (ports, state) = (&self.ports, &self.state);
        signals.write(ports.update, state.outbox.front().copied());
        state.mover.evaluate(ports.memory_request, signals);
        if ports.descriptors_request.is_connected {
            state.descriptor_mover.evaluate(ports.descriptors_request.port, signals);
        }
        signals.write(ports.host_request, state.host_requests.front().copied());
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        self.has_moved = self.moves(edge.signals);
        if !self.has_moved
            && !self.state.has_acted
            && !self.state.fifo.is_due(edge)
            && !self.state.poll.is_due(edge)
        {
            edge.count(BUSY, u64::from(self.state.stage != Stage::Idle));
            return;
        }
        self.settled.forget();
        self.state.poll.advance(edge);
        let mut has_acted = false;
        if edge.signals.is_sent(self.ports.update) {
            self.state.outbox.pop_front();
        }
        if edge.signals.is_sent(self.ports.host_request) {
            self.state.host_requests.pop_front();
        }
        let (request, response) = (self.ports.memory_request, self.ports.memory_response);
        if let Some(finished) = self.state.mover.commit(request, response, edge) {
            has_acted = true;
            self.finish_run(finished, edge);
        }
        if self.ports.descriptors_request.is_connected {
            let (request, response) =
                (self.ports.descriptors_request.port, self.ports.descriptors_response.port);
            if let Some(finished) = self.state.descriptor_mover.commit(request, response, edge) {
                has_acted = true;
                self.finish_run(finished, edge);
            }
        }
        if let Some(response) = edge.signals.received(self.ports.host_response) {
            has_acted = true;
            self.finish_block(response, edge);
        }
        if let Some(word) = edge.signals.received(self.ports.written) {
            has_acted = true;
            self.see_register(RegisterMessage::from_word(word), edge);
        }
        edge.count(BUSY, u64::from(self.state.stage != Stage::Idle));
        self.state.has_acted = self.advance(edge) || has_acted;
    }

    fn idle(&self) -> Idle {
        let looks = [self.state.fifo.look_at(), self.state.poll.look_at()];
        match looks.into_iter().flatten().min() {
            _ if self.has_moved | self.state.has_acted => Idle::No,
            Some(cycle) => Idle::UntilTransferOrCycle(cycle),
            None => Idle::UntilTransfer,
        }
    }

    fn slept(&mut self, _: u64, count: u64, counters: &mut [u64]) {
        counters[BUSY] += if self.state.stage == Stage::Idle { 0 } else { count };
    }

    fn state(&self) -> &DmaChannelState {
        &self.state
    }

    fn restore(&mut self, state: DmaChannelState) -> Result<(), String> {
        self.settled.forget();
        self.state = state;
        Ok(())
    }
}

impl DmaChannel {
    // True if anything comes in or leaves.
    #[inline]
    fn moves(&self, signals: &Signals) -> bool {
        let ports = &self.ports;
        moves(ports.memory_request, ports.memory_response, signals)
            | moves(ports.descriptors_request.port, ports.descriptors_response.port, signals)
            | signals.is_sent(ports.host_request)
            | signals.is_received(ports.host_response)
            | signals.is_sent(ports.update)
            | signals.is_received(ports.written)
    }

    fn see_register(&mut self, message: RegisterMessage, edge: &mut Edge<'_>) {
        let (parameters, state) = (&self.parameters, &mut self.state);
        let (offset, word) = (u32::from(message.offset), message.word);
        let polls = parameters.poll_interval > 0;
        state.buffers.see(message.offset, word);
        let order = &mut state.order;
        match offset {
            _ if offset == parameters.host_high => {
                order.host = order.host & 0xffff_ffff | u64::from(word) << 32;
            }
            _ if offset == parameters.host_low => order.host = order.host & !0xffff_ffff | u64::from(word),
            _ if offset == parameters.local => order.local = word,
            _ if offset == parameters.length => order.length = word & 0xffff,
            _ if offset == parameters.checksum => state.job.sum = word & 0xffff,
            _ if offset == parameters.producer => state.rings[0].set_producer(word, polls),
            _ if offset == parameters.reference => state.rings[0].set_reference(word, polls),
            _ if offset == parameters.low_producer && offset != 0 => {
                state.rings[1].set_producer(word, polls);
            }
            _ if offset == parameters.low_reference && offset != 0 => {
                state.rings[1].set_reference(word, polls);
            }
            _ if offset == parameters.assist => state.assist = word,
            _ if offset == parameters.control => {
                order.control = word;
                state.is_stuck = word & ERRORS != 0;
                if word & RESET != 0 {
                    self.give_up(edge);
                } else {
                    state.is_started = word & START != 0;
                }
            }
            _ => {}
        }
    }

    // Aborts the transfer under way; its requests are still answered.
    fn give_up(&mut self, edge: &mut Edge<'_>) {
        let state = &mut self.state;
        for block in state.host_requests.drain(..) {
            block.write.and_then(|payload| edge.payloads().remove(payload));
            state.unanswered_blocks -= 1;
        }
        state.is_started = false;
        state.poll = Poll::default();
        state.stage = Stage::Idle;
        state.job.held.clear();
        state.is_draining = state.unanswered_blocks + state.unfinished_runs > 0;
    }

    fn finish_run(&mut self, finished: Finished, edge: &mut Edge<'_>) {
        self.state.unfinished_runs -= 1;
        if self.is_thrown_away() {
            return;
        }
        // An assist may be on before its ring is where it belongs.
        if finished.is_fault && finished.tag != PRODUCER {
            edge.stop(format!("memory does not answer at {:#x}", finished.address));
        }
        match finished.tag {
            DESCRIPTOR => {
                edge.count(DESCRIPTORS, 1);
                let bytes = &finished.bytes;
                let order = Order {
                    host: u64::from(word_at(bytes, 0)) << 32 | u64::from(word_at(bytes, 4)),
                    local: word_at(bytes, 8),
                    length: word_at(bytes, 12) & 0xffff,
                    control: word_at(bytes, 16) | START,
                };
                self.begin(order, Some(word_at(bytes, 20)), edge);
            }
            SUM => self.complete(edge),
            PRODUCER => {
                self.state.poll.answer(edge, self.parameters.poll_interval);
                self.state.rings.iter_mut().for_each(|ring| ring.known = ring.producer);
            }
            _ if self.from_host => self.state.job.moved += finished.bytes.len() as u32,
            _ => {
                self.state.job.held.extend(finished.bytes);
                self.send_chunks(edge);
            }
        }
    }

    // Gives the host the chunks that were read from memory as a whole.
    fn send_chunks(&mut self, edge: &mut Edge<'_>) {
        let state = &mut self.state;
        let job = &mut state.job;
        while let Some(&length) = job.lengths.get(state.unanswered_blocks as usize) {
            if job.held.len() < length as usize {
                return;
            }
            let mut bytes: Vec<u8> = job.held.drain(..length as usize).collect();
            let place = job.asked_of_host;
            job.add_to_sum(&bytes, place);
            if job.order.control & SWAP != 0 {
                swap_words(&mut bytes);
            }
            job.asked_of_host += length;
            let address = job.order.host.wrapping_add(u64::from(place));
            let write = Some(edge.payloads().insert(bytes));
            let source = self.parameters.source as u16;
            state.host_requests.push_back(Block { address, length, source, write });
            state.unanswered_blocks += 1;
        }
    }

    fn finish_block(&mut self, response: BlockResponse, edge: &mut Edge<'_>) {
        self.state.unanswered_blocks -= 1;
        let bytes = response.read.and_then(|payload| edge.payloads().remove(payload));
        if self.is_thrown_away() {
            return;
        }
        if response.is_fault {
            edge.count(ERRONEOUS, 1);
            self.fail(MASTER_ABORT, edge);
            return;
        }
        let state = &mut self.state;
        let job = &mut state.job;
        let Some(bytes) = bytes else {
            job.moved += job.lengths.pop_front().unwrap_or(0);
            return;
        };
        let mut bytes = bytes.into_vec();
        if job.order.control & SWAP != 0 {
            swap_words(&mut bytes);
        }
        job.add_to_sum(&bytes, job.next_local);
        job.next_local = state.buffers.advance(job.next_local, bytes.len() as u32);
        if job.held.is_empty() {
            state.fifo.begin(edge.time());
        }
        job.held.extend(bytes);
    }

    // True if the latest data belongs to an aborted transfer.
    fn is_thrown_away(&mut self) -> bool {
        let state = &mut self.state;
        let was_draining = state.is_draining;
        state.is_draining &= state.unanswered_blocks + state.unfinished_runs > 0;
        was_draining
    }

    fn fail(&mut self, error: u32, edge: &mut Edge<'_>) {
        let word = self.state.job.order.control & !START | error;
        self.tell(self.parameters.control, word);
        self.state.is_stuck = true;
        self.give_up(edge);
    }

    fn tell(&mut self, offset: u32, word: u32) {
        self.state.outbox.push_back(RegisterMessage::store(offset as u16, word).to_word());
    }

    fn begin(&mut self, order: Order, checksum_at: Option<u32>, edge: &mut Edge<'_>) {
        if (order.host & 0xffff_ffff) + u64::from(order.length) > 1 << 32 {
            edge.count(ERRONEOUS, 1);
            self.state.job.order = order;
            self.tell(self.parameters.length, 0);
            self.fail(CROSSING, edge);
            return;
        }
        if checksum_at.is_some() {
            self.tell(self.parameters.control, order.control);
        }
        self.state.job.begin(order, checksum_at, self.from_host);
        self.state.stage = Stage::Moving;
    }

    // Performs the next possible action; returns true if there was one.
    fn advance(&mut self, edge: &mut Edge<'_>) -> bool {
        let state = &self.state;
        match state.stage {
            Stage::Idle if state.is_draining || state.is_stuck => false,
            Stage::Idle if state.is_started => {
                self.state.is_started = false;
                self.begin(self.state.order, None, edge);
                true
            }
            Stage::Idle => self.fetch_descriptor(),
            Stage::Moving if state.job.moved == state.job.order.length => {
                self.store_sum(edge);
                true
            }
            Stage::Moving => self.ask() | self.pass(edge),
            Stage::Fetching | Stage::Storing => false,
        }
    }

    fn fetch_descriptor(&mut self) -> bool {
        let (parameters, state) = (&self.parameters, &mut self.state);
        if state.assist & (ASSIST_ENABLE | ASSIST_PAUSE) != ASSIST_ENABLE {
            return false;
        }
        let mask = parameters.ring_mask;
        let has_own = self.ports.descriptors_request.is_connected;
        let mover = if has_own { &mut state.descriptor_mover } else { &mut state.mover };
        let Some(number) = state.rings.iter().position(|ring| (ring.reference ^ ring.known) & mask != 0)
        else {
            let is_due = parameters.poll_interval > 0 && state.poll.begins();
            if is_due {
                let beginning = state.rings[0].producer & !mask & parameters.local_mask;
                mover.read(PRODUCER, u64::from(beginning), POINTER_BYTES);
                state.unfinished_runs += 1;
            }
            return is_due;
        };
        state.ring = number;
        let Ring { producer, reference, .. } = state.rings[number];
        // The base may have become known only with the producer.
        let address = (producer & !mask | reference & mask) & parameters.local_mask;
        mover.read(DESCRIPTOR, u64::from(address), DESCRIPTOR_BYTES);
        state.unfinished_runs += 1;
        state.stage = Stage::Fetching;
        true
    }

    // Asks the source for the next chunk, if there is room for it.
    fn ask(&mut self) -> bool {
        let (parameters, state) = (&self.parameters, &mut self.state);
        let job = &mut state.job;
        let left = job.order.length - job.asked;
        let chunk = parameters.chunk.0 as u32;
        let wanted = left.min(chunk);
        let is_full = job.asked - job.moved + wanted > chunk * parameters.chunks;
        if left == 0 || is_full {
            return false;
        }
        let (length, next) = state.buffers.piece(job.local, wanted);
        if self.from_host {
            let address = job.order.host.wrapping_add(u64::from(job.asked));
            let source = parameters.source as u16;
            state.host_requests.push_back(Block { address, length, source, write: None });
            state.unanswered_blocks += 1;
        } else {
            job.to_read += length;
            job.lengths.push_back(length);
        }
        job.asked += length;
        job.local = next;
        true
    }

    // Moves the next bytes between the FIFO and memory, if they may pass.
    fn pass(&mut self, edge: &mut Edge<'_>) -> bool {
        let (parameters, state) = (&self.parameters, &mut self.state);
        let job = &mut state.job;
        let waiting = if self.from_host { job.held.len() as u32 } else { job.to_read };
        let wanted = burst_piece(&state.fifo, parameters.burst, job.passing, waiting);
        let (length, next) = state.buffers.piece(job.passing, wanted);
        if length == 0 || !state.fifo.passes(length, edge) {
            return false;
        }
        let address = u64::from(job.passing & parameters.local_mask);
        job.passing = next;
        if self.from_host {
            let bytes = job.held.drain(..length as usize).collect();
            state.mover.write(DATA, address, bytes);
        } else {
            job.to_read -= length;
            state.mover.read(DATA, address, length as usize);
        }
        state.unfinished_runs += 1;
        true
    }

    // All data is where it should be.
    fn store_sum(&mut self, edge: &mut Edge<'_>) {
        let state = &mut self.state;
        let stores = state.job.order.control & (CHECKSUM | CHECKSUM_STORE) == CHECKSUM | CHECKSUM_STORE;
        match state.job.checksum_at.filter(|_| stores) {
            Some(address) => {
                let bytes = (state.job.sum as u16).to_be_bytes().to_vec();
                let address = u64::from(address & self.parameters.local_mask);
                let has_own = self.ports.descriptors_request.is_connected;
                let mover = if has_own { &mut state.descriptor_mover } else { &mut state.mover };
                mover.write(SUM, address, bytes);
                state.unfinished_runs += 1;
                state.stage = Stage::Storing;
            }
            None => self.complete(edge),
        }
    }

    fn complete(&mut self, edge: &mut Edge<'_>) {
        let Order { length, control, .. } = self.state.job.order;
        edge.count(TRANSFERS, 1);
        edge.count(BYTES, u64::from(length));
        self.state.stage = Stage::Idle;
        let end = self.state.job.local;
        self.tell(self.parameters.local, end);
        self.tell(self.parameters.length, 0);
        if control & CHECKSUM != 0 {
            self.tell(self.parameters.checksum, self.state.job.sum);
        }
        if control & self.parameters.end_copy_bit != 0 && self.parameters.end_copy != 0 {
            self.tell(self.parameters.end_copy, end);
        }
        self.tell(self.parameters.control, control & !START);
        if self.state.job.checksum_at.is_some() {
            let parameters = &self.parameters;
            let offset = [parameters.reference, parameters.low_reference][self.state.ring];
            let ring = &mut self.state.rings[self.state.ring];
            ring.reference = next_entry(ring.reference, DESCRIPTOR_BYTES as u32, parameters.ring_mask);
            let next = ring.reference;
            self.tell(offset, next);
        }
    }
}
