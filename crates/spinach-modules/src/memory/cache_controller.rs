//! `cache_controller`: a cache with its tags and bytes.

mod fetching;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    AlreadySet, AnyNumber, Declaration, Edge, Idle, Input, Module, Outlook, Output, Passage, Policy, Process,
    Signals, Size, ack, data, parameters, ports,
};

use super::lines::{Lines, Replacement, Shape, is_proper, region_of};
use super::storage::mask_of;
use crate::values::{Access, Maintenance, Reference, Response};

parameters! {
    /// The parameters of a cache.
    pub struct CacheControllerParameters {
        /// Size in bytes. Default: HPCA 2005, section 6.
        pub size: Size = Size(8192) => in 16..=1 << 30,
        /// Number of lines that one address can be in; equal to the number of lines for a fully associative cache. Default: HPCA
        /// 2005, section 6.
        pub associativity: u64 = 2 => in 1..=65536,
        /// Size of a line in bytes, a power of two. Default: HPCA 2005, section 6.
        pub line_size: Size = Size(32) => power_of_two 16..=4096,
        /// Number of bytes requested from the memory at once when a line is filled: 1, 2, 4, 8 or 16.
        pub fill_bytes: u64 = 16 => power_of_two 1..=16,
        /// Replacement policy of a full set: `lru` (least recently used), `fifo` (in the cache for longest), `random`, or a
        /// function. A function is given: 0 the number of the set; 1 the address of the line to come; 2 the way used least
        /// recently; 3 the way filled longest ago. Its result, modulo the associativity, is the way to replace; its state
        /// advances with each such choice.
        pub replacement: Policy = Policy::named("lru") => of ["lru", "fifo", "random"],
        /// Seed of the random replacement.
        pub seed: u64 = 1,
        /// If true, a read that misses brings its line into the cache.
        pub read_allocate: bool = true,
        /// If true, a write that misses brings its line into the cache.
        pub write_allocate: bool = false,
        /// Number of cycles from the request to the answer of a hit.
        pub hit_latency: u32 = 0 => in 0..=1,
        /// Initially cacheable regions: a bit for each 128 MB of 4 GB, the highest bit for the lowest addresses.
        pub cacheable: u64 = 0xffff_ffff => in 0..=0xffff_ffff,
        /// Action on a line that another initiator writes to: it is dropped (`invalidate`) or updated (`update`).
        pub snoop_policy: String = "invalidate".to_owned() => of ["invalidate", "update"],
    }
}

ports! {
    /// Ports of a cache.
    pub struct CacheControllerPorts {
        /// References of the initiator.
        pub port: { request: Input<Reference>, response: Output<Response> },
        /// Memory behind it.
        pub memory: { request: Output<Reference>, response: Input<Response> },
        /// References of others that may change what is cached here.
        pub snoop: AnyNumber<Input<Reference>>,
    }
}

/// Content of a cache and its outstanding requests.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[repr(C)]
pub struct CacheControllerState {
    lines: Lines,
    activity: Activity,
    cacheable: u32,
    // The cycle in which the reference at work was taken.
    began: u64,
}

/// Activity of a cache.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
enum Activity {
    #[default]
    Idle,
    // The response is presented until it is taken.
    Answer(Response),
    // The line of a reference is on its way.
    Fill(Fill),
    // A reference has been or is being passed on.
    Through {
        reference: Reference,
        is_asked: bool,
    },
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Fill {
    reference: Reference,
    slot: usize,
    // Numbers of parts of the line that were asked for, and that came.
    asked: u64,
    came: u64,
    // Faults: at the reference's own bytes, and anywhere in the line.
    is_fault: bool,
    has_fault: bool,
    // True if another initiator wrote to the line meanwhile, so that it must not stay.
    is_stale: bool,
}

/// A cache with its tags and bytes. See its declaration.
// In this order the fields of every cycle lie together.
#[repr(C)]
pub struct CacheController {
    ports: CacheControllerPorts,
    // Acknowledgements, and requests to the memory, while nothing is under way; forgotten as soon as anything
    // is. Never set by a cache that does not answer hits at once.
    idle_outputs: AlreadySet,
    state: CacheControllerState,
    shape: Shape,
    // True if the replacement policy depends on uses of lines.
    notes_uses: bool,
    updates_on_snoop: bool,
    replacement: Replacement,
    parameters: CacheControllerParameters,
}

const RESPOND: u16 = 0;
const ACCEPT: u16 = 1;
const MEMORY: u16 = 2;
const EVERYTHING: u16 = 3;

const READ_HITS: usize = 0;
const READ_MISSES: usize = 1;
const WRITE_HITS: usize = 2;
const WRITE_MISSES: usize = 3;
const ATOMICS: usize = 4;
const FILLS: usize = 5;
const INVALIDATIONS: usize = 6;
const UPDATES: usize = 7;
const STALLS: usize = 8;

impl Module for CacheController {
    type Parameters = CacheControllerParameters;
    type Ports = CacheControllerPorts;
    type State = CacheControllerState;

    const SLEEPS: bool = true;
    const REPEATS: bool = true;

    fn declaration() -> Declaration {
        Declaration {
            kind: "cache_controller",
            family: "memory",
            documentation: "A cache with its tags and bytes.\n\nWrites go through to the memory, and update the line if it is \
                            cached. The cache handles one reference at a time; a miss fills the whole line before it is \
                            answered. The memory performs atomic operations: they pass through, and their line is invalidated. `Maintain` references that are snooped drop lines of \
                            instructions, or say which regions of 128 MB are cacheable; lines of others are dropped. A line is \
                            used but not kept if part of it has no memory. The thesis calls its policy \"write-through, \
                            no-read-allocate\", and in the same paragraph lets a miss load the line from memory. A cache that \
                            allocates on neither reads nor writes holds nothing, so by default this one allocates on reads and \
                            not on writes.",
            timing: "A hit is answered `hit_latency` cycles after the request: with 0 in its cycle, so that the response depends \
                     on the request. A miss is requested from the memory from the next cycle on, one part of the line per cycle, \
                     and answered in the cycle after the last part arrives. A refused response is held, and no reference is \
                     accepted until it leaves. Snooped references take effect at the end of their cycle and are never refused.",
            source: "Spinach thesis, section 3.2.2, table 3.2 (Cache Controller)",
            parameters: CacheControllerParameters::declare(),
            ports: CacheControllerPorts::declare(),
            counters: &[
                ("read_hits", "reads answered from the cache"),
                ("read_misses", "reads answered from the memory"),
                ("write_hits", "writes that changed a line here"),
                ("write_misses", "writes whose line was not here"),
                ("atomics", "atomic operations passed on"),
                ("fills", "lines asked of the memory"),
                ("invalidations", "lines forgotten because of snooped writes or atomic operations"),
                ("updates", "snooped writes that changed a line here"),
                (
                    "stall_cycles",
                    "cycles from taking a reference that did not hit until its response is presented",
                ),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: CacheControllerParameters, ports: CacheControllerPorts) -> Result<Self, String> {
        let shape = Shape::new(parameters.size.0, parameters.line_size.0, parameters.associativity)?;
        let replacement = Replacement::new(&parameters.replacement);
        let lines = Lines::new(shape, &replacement, parameters.seed);
        Ok(Self {
            notes_uses: parameters.associativity > 1 && replacement.minds_uses(),
            updates_on_snoop: parameters.snoop_policy == "update",
            shape,
            replacement,
            ports,
            state: CacheControllerState {
                lines,
                cacheable: parameters.cacheable as u32,
                ..CacheControllerState::default()
            },
            idle_outputs: AlreadySet::default(),
            parameters,
        })
    }

    fn processes(&self) -> Vec<Process> {
        type Own = CacheControllerPorts;
        let respond = Process::new(RESPOND).drives([data(Own::PORT_RESPONSE)]);
        let memory = [data(Own::MEMORY_REQUEST)];
        let accepted = [Own::MEMORY_RESPONSE, Own::SNOOP];
        if self.answers_at_once() && self.ports.snoop.is_empty() {
            // No initiator that takes the answer in the same cycle waits for the acknowledgement first.
            let everything = Process::new(EVERYTHING).drives([data(Own::PORT_RESPONSE)]);
            let everything = everything.drives([ack(Own::PORT_REQUEST)]).drives(memory).accepts(accepted);
            vec![everything.reads([data(Own::PORT_REQUEST)])]
        } else if self.answers_at_once() {
            let rest = Process::new(MEMORY).drives(memory).drives([ack(Own::PORT_REQUEST)]);
            vec![respond.reads([data(Own::PORT_REQUEST)]), rest.accepts(accepted)]
        } else {
            let accept = Process::new(ACCEPT).drives([ack(Own::PORT_REQUEST)]);
            let asking = Process::new(MEMORY).drives(memory).accepts(accepted);
            vec![respond, accept.reads([ack(Own::PORT_RESPONSE)]), asking]
        }
    }

    #[inline(always)]
    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        if !signals.are_set(&self.idle_outputs) {
            self.evaluate_part(code, signals);
        } else if code != MEMORY {
            self.respond_if_idle(signals);
        }
    }

    #[inline(always)]
    fn commit(&mut self, edge: &mut Edge<'_>) {
        if !edge.signals.are_set(&self.idle_outputs) {
            return self.commit_any(&mut edge.reborrow());
        }
        if edge.signals.is_sent(self.ports.port_response) {
            // A response while nothing is under way is a hit, and its request is taken.
            self.note_hit(edge);
        } else if edge.signals.is_received(self.ports.port_request) {
            self.commit_others(&mut edge.reborrow());
        }
        self.notice_others(&mut edge.reborrow());
    }

    fn idle(&self) -> Idle {
        // Also while the memory is at work: its response will wake the cache.
        Idle::UntilInput
    }

    // As long as nothing misses and nothing changes a line, which lines were used when does not matter.
    fn outlook(&self, counters: &[u64], outlook: &mut Outlook) -> Option<u64> {
        outlook.add(&counters[READ_MISSES..=UPDATES]);
        self.is_idle().then_some(u64::MAX)
    }

    // References that bypass the cache find the content of the memory, which is newer than any line: writes go through.
    fn passages(&self, port: usize, _: usize) -> Vec<Passage> {
        let comes_in = port == CacheControllerPorts::PORT_REQUEST;
        comes_in.then(|| Passage::through(CacheControllerPorts::MEMORY_REQUEST)).into_iter().collect()
    }

    fn state(&self) -> &CacheControllerState {
        &self.state
    }

    fn restore(&mut self, state: CacheControllerState) -> Result<(), String> {
        if !state.lines.fits(&self.state.lines) {
            return Err("the saved cache has another shape".to_owned());
        }
        self.idle_outputs.forget();
        self.state = state;
        Ok(())
    }
}

impl CacheController {
    /// True if hits are answered in their cycle.
    #[inline]
    pub(crate) const fn answers_at_once(&self) -> bool {
        self.parameters.hit_latency == 0
    }

    #[inline]
    const fn is_idle(&self) -> bool {
        matches!(self.state.activity, Activity::Idle)
    }

    #[inline(never)]
    fn evaluate_part(&self, code: u16, signals: &mut Signals) {
        match code {
            RESPOND => self.respond(signals),
            ACCEPT => {
                let is_heard = signals.is_acknowledged(self.ports.port_response);
                let is_free = match self.state.activity {
                    Activity::Idle => true,
                    Activity::Answer(_) => is_heard,
                    Activity::Fill(_) | Activity::Through { .. } => false,
                };
                signals.acknowledge(self.ports.port_request, is_free);
            }
            MEMORY => self.accept_and_ask(signals),
            _ => {
                self.respond(signals);
                self.accept_and_ask(signals);
            }
        }
    }

    fn respond(&self, signals: &mut Signals) {
        match self.state.activity {
            Activity::Idle if self.answers_at_once() => self.respond_if_idle(signals),
            Activity::Answer(response) => signals.write(self.ports.port_response, Some(response)),
            _ => signals.clear(self.ports.port_response),
        }
    }

    // Answers a request at once, if it is a read that hits.
    #[inline(always)]
    fn respond_if_idle(&self, signals: &mut Signals) {
        let (request, response) = (self.ports.port_request, self.ports.port_response);
        let address = Reference::read_of_four_bytes(signals, request);
        if let Some(word) = address.and_then(|address| self.state.lines.word_of_latest(address)) {
            signals.write(response, Some(Response { data: u128::from(word), is_fault: false }));
        } else if let Some(address) = address {
            self.search_and_respond(address, signals);
        } else if signals.is_present(request) {
            self.respond_to_any(signals);
        } else {
            signals.clear(response);
        }
    }

    #[inline(never)]
    fn search_and_respond(&self, address: u64, signals: &mut Signals) {
        let word = self.state.lines.word(&self.shape, address);
        let data = u128::from(word.unwrap_or_default());
        signals.write_if(self.ports.port_response, word.is_some(), Response { data, is_fault: false });
    }

    #[inline(never)]
    fn respond_to_any(&self, signals: &mut Signals) {
        let read = signals.read(self.ports.port_request).filter(|it| it.access == Access::Read);
        let hit =
            read.and_then(|read| self.state.lines.find_for(&self.shape, &read).map(|slot| (slot, read)));
        signals.write(self.ports.port_response, hit.map(|(slot, read)| self.found(slot, &read)));
    }

    #[inline(never)]
    fn accept_and_ask(&self, signals: &mut Signals) {
        if self.answers_at_once() {
            signals.acknowledge(self.ports.port_request, self.is_idle());
            if self.is_idle() {
                signals.note_set(&self.idle_outputs);
            }
        }
        signals.write(self.ports.memory_request, self.wanted());
    }

    fn found(&self, slot: usize, reference: &Reference) -> Response {
        let data = self.state.lines.load(self.shape, slot, reference);
        Response { data: data & mask_of(reference.enables, reference.size), is_fault: false }
    }

    // Request to the memory in the coming cycle.
    fn wanted(&self) -> Option<Reference> {
        match &self.state.activity {
            Activity::Idle | Activity::Answer(_) => None,
            Activity::Fill(fill) => {
                let offset = fill.asked * self.parameters.fill_bytes;
                let address = self.shape.line_address(fill.reference.address) + offset;
                let part = Reference::read(address, self.parameters.fill_bytes as u8);
                (offset < self.shape.line_size())
                    .then_some(Reference { source: fill.reference.source, ..part })
            }
            Activity::Through { reference, is_asked } => Some(*reference).filter(|_| !is_asked),
        }
    }

    // The same with or without references in flight, and with or without snoops.
    #[inline(never)]
    fn commit_any(&mut self, edge: &mut Edge<'_>) {
        if self.is_idle() && edge.signals.is_sent(self.ports.port_response) {
            self.note_hit(edge);
        } else if !self.is_idle() || edge.signals.is_received(self.ports.port_request) {
            self.commit_others(edge);
        }
        self.commit_snoops(edge);
    }

    #[inline(never)]
    fn commit_snoops(&mut self, edge: &mut Edge<'_>) {
        for lane in 0..self.ports.snoop.len() {
            if let Some(snooped) = edge.signals.received(self.ports.snoop[lane]) {
                self.snoop(snooped, edge);
            }
        }
    }

    #[inline(always)]
    fn note_hit(&mut self, edge: &mut Edge<'_>) {
        edge.count(READ_HITS, 1);
        self.note_use();
    }

    // Notes that the line found last is used.
    #[inline(always)]
    fn note_use(&mut self) {
        if !self.state.lines.is_latest_noted() {
            self.state.lines.note_latest(&self.shape, self.notes_uses);
        }
    }

    #[inline(never)]
    fn commit_others(&mut self, edge: &mut Edge<'_>) {
        self.idle_outputs.forget();
        match self.state.activity {
            Activity::Idle => self.begin(edge),
            Activity::Answer(_) => {
                if edge.signals.is_sent(self.ports.port_response) {
                    self.state.activity = Activity::Idle;
                    self.begin(edge);
                }
            }
            Activity::Fill(fill) => self.commit_fill(fill, edge),
            Activity::Through { reference, is_asked } => self.commit_through(reference, is_asked, edge),
        }
    }

    #[inline(never)]
    fn begin(&mut self, edge: &mut Edge<'_>) {
        let Some(reference) = edge.signals.received(self.ports.port_request) else { return };
        let slot = self.state.lines.find_for(&self.shape, &reference);
        match (reference.access, slot) {
            (Access::Read, Some(slot)) => {
                self.note_hit(edge);
                self.state.activity = Activity::Answer(self.found(slot, &reference));
            }
            (_, slot) => self.begin_slowly(reference, slot, edge),
        }
    }

    // Begins a request that the cache alone cannot answer.
    fn begin_slowly(&mut self, reference: Reference, slot: Option<usize>, edge: &mut Edge<'_>) {
        self.state.began = edge.cycle();
        let (counter, allocates) = match (reference.access, slot) {
            (Access::Read, _) => (READ_MISSES, self.parameters.read_allocate),
            (Access::Write, None) => (WRITE_MISSES, self.parameters.write_allocate),
            (Access::Write, Some(_)) => (WRITE_HITS, false),
            _ => (ATOMICS, false),
        };
        edge.count(counter, 1);
        // An improper reference is left for the memory to refuse.
        if allocates && is_proper(&reference) && region_of(reference.address) & self.state.cacheable != 0 {
            edge.count(FILLS, 1);
            let slot = self.state.lines.make_room(self.shape, &self.replacement, reference.address);
            self.state.activity = Activity::Fill(Fill {
                reference,
                slot,
                asked: 0,
                came: 0,
                is_fault: false,
                has_fault: false,
                is_stale: false,
            });
            return;
        }
        if let Some(slot) = slot {
            if reference.access == Access::Write {
                self.state.lines.store(self.shape, slot, &reference);
            } else {
                edge.count(INVALIDATIONS, 1);
                self.state.lines.forget(slot);
            }
        }
        self.state.activity = Activity::Through { reference, is_asked: false };
    }

    fn commit_fill(&mut self, mut fill: Fill, edge: &mut Edge<'_>) {
        let part_size = self.parameters.fill_bytes;
        if edge.signals.is_sent(self.ports.memory_request) {
            fill.asked += 1;
        }
        if let Some(response) = edge.signals.received(self.ports.memory_response) {
            let part = fill.came * part_size;
            let first = self.shape.offset_in_line(fill.reference.address);
            let is_own = part < first + u64::from(fill.reference.size) && first < part + part_size;
            fill.has_fault |= response.is_fault;
            fill.is_fault |= response.is_fault && is_own;
            self.state.lines.fill(self.shape, fill.slot, part, part_size as u8, response.data);
            fill.came += 1;
        }
        self.state.activity = Activity::Fill(fill);
        if fill.came * part_size == self.shape.line_size() {
            self.end_fill(&fill, edge);
        }
    }

    fn end_fill(&mut self, fill: &Fill, edge: &mut Edge<'_>) {
        let stays = !fill.has_fault && !fill.is_stale;
        if stays {
            self.state.lines.remember(self.shape, fill.slot, fill.reference.address);
        }
        if fill.reference.access == Access::Write {
            if stays {
                self.state.lines.store(self.shape, fill.slot, &fill.reference);
            }
            self.state.activity = Activity::Through { reference: fill.reference, is_asked: false };
            return;
        }
        let response = if fill.is_fault { Response::FAULT } else { self.found(fill.slot, &fill.reference) };
        self.answer(response, edge);
    }

    fn commit_through(&mut self, reference: Reference, is_asked: bool, edge: &mut Edge<'_>) {
        let is_asked = is_asked || edge.signals.is_sent(self.ports.memory_request);
        self.state.activity = Activity::Through { reference, is_asked };
        if let Some(response) = edge.signals.received(self.ports.memory_response) {
            if response.is_fault
                && let Some(slot) = self.state.lines.find(&self.shape, reference.address)
            {
                self.state.lines.forget(slot);
            }
            self.answer(response, edge);
        }
    }

    fn answer(&mut self, response: Response, edge: &mut Edge<'_>) {
        edge.count(STALLS, edge.cycle() + 1 - self.state.began);
        self.state.activity = Activity::Answer(response);
    }

    // Executes an operation of firmware on a cache of instructions.
    fn maintain(&mut self, asked: &Reference, edge: &mut Edge<'_>) {
        let is_concerned: Box<dyn Fn(u64) -> bool> = match asked.maintenance() {
            Some(Maintenance::InvalidateInstructionLine) => {
                let line = self.shape.line_address(asked.address);
                Box::new(move |held| held == line)
            }
            Some(Maintenance::InvalidateInstructions) => Box::new(|_| true),
            Some(Maintenance::SetInstructionsCacheable) => {
                let cacheable = asked.data as u32;
                self.state.cacheable = cacheable;
                Box::new(move |held| region_of(held) & cacheable == 0)
            }
            _ => return,
        };
        if let Activity::Fill(fill) = &mut self.state.activity {
            fill.is_stale |= is_concerned(self.shape.line_address(fill.reference.address));
        }
        for slot in 0..self.shape.slots() {
            if self.state.lines.address_of(self.shape, slot).is_some_and(&is_concerned) {
                edge.count(INVALIDATIONS, 1);
                self.state.lines.forget(slot);
            }
        }
    }

    fn snoop(&mut self, snooped: Reference, edge: &mut Edge<'_>) {
        if snooped.access == Access::Maintain {
            return self.maintain(&snooped, edge);
        }
        if !snooped.access.writes() {
            return;
        }
        let line = |address| self.shape.line_address(address);
        let is_at_work = match &mut self.state.activity {
            Activity::Idle | Activity::Answer(_) => false,
            Activity::Fill(fill) => {
                let is_same = line(fill.reference.address) == line(snooped.address);
                fill.is_stale |= is_same;
                is_same
            }
            Activity::Through { reference, .. } => line(reference.address) == line(snooped.address),
        };
        if let Some(slot) = self.state.lines.find(&self.shape, snooped.address) {
            // The order in which the memory performs two writes on their way is not known here.
            let follows = self.updates_on_snoop && snooped.access == Access::Write && !is_at_work;
            if follows && is_proper(&snooped) {
                edge.count(UPDATES, 1);
                self.state.lines.store(self.shape, slot, &snooped);
            } else {
                edge.count(INVALIDATIONS, 1);
                self.state.lines.forget(slot);
            }
        }
    }
}
