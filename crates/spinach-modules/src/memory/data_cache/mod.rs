//! `data_cache`: a non-blocking write-back cache of data.

mod debugging;
mod fills;
mod line_fill;
mod maintenance;

use std::any::Any;
use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    AlreadySet, Declaration, Edge, Idle, Input, Module, OrUnconnected, Output, Policy, Process, Signals,
    Size, ack, data, parameters, ports,
};

pub use self::debugging::{CacheAnswer, CacheQuestion, CacheRequest};
use self::line_fill::{Fill, MAXIMUM_LINE};
use super::lines::{Lines, Replacement, Shape, is_proper, region_of};
use super::storage::mask_of;
use crate::values::{Access, Maintenance, Reference, Response};

/// Maximum number of references that wait for their answers.
const ANSWERS: usize = 16;

parameters! {
    /// The parameters of a data cache. The defaults are those of the PowerPC 405 in a Virtex-II Pro (UG018).
    pub struct DataCacheParameters {
        /// Size in bytes.
        pub size: Size = Size(16 << 10) => in 16..=1 << 30,
        /// Number of lines that one address can be in.
        pub associativity: u64 = 2 => in 1..=65536,
        /// Size of a line in bytes, a power of two.
        pub line_size: Size = Size(32) => power_of_two 16..=MAXIMUM_LINE,
        /// Number of bytes read or written at once when a line is filled or written back: 1, 2, 4, 8 or 16.
        pub transfer_bytes: u64 = 8 => power_of_two 1..=16,
        /// Replacement policy of a full set, as of a `cache_controller`.
        pub replacement: Policy = Policy::named("lru") => of ["lru", "fifo", "random"],
        /// Seed of the random replacement.
        pub seed: u64 = 1,
        /// Number of lines that may be on their way from the memory.
        pub fills: u32 = 2 => in 1..=8,
        /// Number of lines that may be on their way to the memory.
        pub flushes: u32 = 2 => in 1..=8,
        /// Number of stores that may wait for the memory.
        pub stores: u32 = 3 => in 1..=64,
        /// Delay, in cycles, of the memory request of a missing line, beyond the next cycle.
        pub miss_latency: u32 = 0 => in 0..=64,
        /// Number of cycles in which a line moves into the cache after its last bytes came; no reference is taken meanwhile.
        pub fill_cycles: u32 = 3 => in 0..=64,
        /// The same if the line that goes has to be written back.
        pub dirty_fill_cycles: u32 = 4 => in 0..=64,
        /// Initially cacheable regions: a bit for each 128 MB of 4 GB, the highest bit for the lowest addresses.
        pub cacheable: u64 = 0xffff_ffff => in 0..=0xffff_ffff,
        /// Regions that are initially written through to the memory.
        pub write_through: u64 = 0 => in 0..=0xffff_ffff,
        /// If true, stores that miss initially bring the line, where they are not written through.
        pub write_allocate: bool = true,
        /// First address of those that are never cacheable, such as device control registers.
        pub bypass_start: u64 = 0,
        /// Number of bytes that are never cacheable.
        pub bypass_bytes: Size = Size(0) => in 0..=1 << 40,
    }
}

ports! {
    /// Ports of a data cache.
    pub struct DataCachePorts {
        /// References of the initiator.
        pub port: { request: Input<Reference>, response: Output<Response> },
        /// Memory behind it.
        pub memory: { request: Output<Reference>, response: Input<Response> },
        /// Requests to the instruction cache, for its `snoop`.
        pub instructions: OrUnconnected<Output<Reference>>,
    }
}

/// Everything in a data cache that changes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[repr(C)]
pub struct DataCacheState {
    lines: Lines,
    // Of each slot: whether its line has bytes that the memory has not.
    dirty: Vec<bool>,
    // Lines on their way here, oldest first.
    fills: Vec<Fill>,
    // Answers in the order of their references; `None` for those that are not known yet. The first has number `first_answer`.
    answers: VecDeque<Option<Response>>,
    first_answer: u64,
    // Requests to the memory that are to be made, and those that were made and not answered; oldest first.
    queue: VecDeque<Query>,
    asked: VecDeque<Purpose>,
    // Lines on their way to the memory, and stores that wait for the memory.
    flushes: u32,
    stores: u32,
    // Response that waits until no transfer is in flight.
    drain: Option<u64>,
    // The first cycle in which references are taken again, whether they are taken in the coming one, and whether the first of the
    // queue is presented then.
    open_from: u64,
    is_closed: bool,
    presents: bool,
    // Reference that is presented to the cache of instructions.
    for_instructions: Option<Reference>,
    cacheable: u32,
    write_through: u32,
    write_allocate: bool,
}

/// A request to the memory.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Query {
    reference: Reference,
    // The first cycle in which it may be presented.
    from: u64,
    purpose: Purpose,
}

/// Purpose of an answer of the memory.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum Purpose {
    // The part of a line at this address.
    Part(u64),
    // A reference that the initiator waits for, by the number of its answer.
    Answer(u64),
    // A store that was answered when it was taken.
    Store(u64),
    // A part of a line that is written back, at this address; whether it is the last.
    Flush(u64, bool),
}

/// Outcome of a reference.
#[derive(Clone, Copy, Debug)]
enum Plan {
    // It finds its line in this slot.
    Hit(usize),
    // Its line is on its way: the fill with this number.
    Merge(usize),
    // Its line is brought.
    Fill,
    // It goes to the memory; so does the line in the slot, for good, if it is there.
    Past(Option<usize>),
    // A store that goes to the memory and changes the line that is here or on its way.
    Through { slot: Option<usize>, fill: Option<usize> },
    Maintain(Maintenance),
}

/// A non-blocking cache of data. See its declaration.
#[repr(C)]
pub struct DataCache {
    ports: DataCachePorts,
    // Acknowledgements and requests while nothing is under way; forgotten as soon as anything is.
    calm_outputs: AlreadySet,
    // All outputs, set while nothing was requested; forgotten as soon as the state changes.
    quiet_outputs: AlreadySet,
    // True if nothing changes before something moves.
    is_quiet: bool,
    state: DataCacheState,
    shape: Shape,
    notes_uses: bool,
    replacement: Replacement,
    parameters: DataCacheParameters,
}

const READ_HITS: usize = 0;
const READ_MISSES: usize = 1;
const WRITE_HITS: usize = 2;
const WRITE_MISSES: usize = 3;
const MERGES: usize = 4;
const FILLS: usize = 5;
const FLUSHES: usize = 6;
const UNCACHED: usize = 7;
const THROUGH: usize = 8;
const ATOMICS: usize = 9;
const MAINTENANCE: usize = 10;
const REFUSED: usize = 11;

impl Module for DataCache {
    type Parameters = DataCacheParameters;
    type Ports = DataCachePorts;
    type State = DataCacheState;

    const SLEEPS: bool = true;

    fn declaration() -> Declaration {
        Declaration {
            kind: "data_cache",
            family: "memory",
            documentation: "A non-blocking cache of data that keeps what is stored in it.\n\nIt accepts references while lines \
                            move from and to the memory. A missing line is requested beginning with the part that is needed \
                            first, and a reference to a line in flight is answered as soon as its bytes arrive. Stores are \
                            answered when they are accepted; stores to a line in flight are merged into it. By region of 128 MB, data \
                            are cacheable or not, and stores stay in the cache or go through to the memory; a store that goes \
                            through never brings a line. `Maintain` references write lines back, drop them, clear them, set the \
                            attributes of regions, or are answered once all is performed. The memory performs atomic operations: \
                            they pass through after their line is written back and dropped. The cache is not coherent: it does \
                            not snoop writes of others, and others do not snoop it. A store that the memory refuses with a fault, or a \
                            fault on the way back, stops the simulation, because the initiator has its answer already.",
            timing: "A hit is answered in its cycle, and so is a store. A miss is asked of the memory from the next cycle on, \
                     `miss_latency` later, one part of the line per cycle; a reference is answered in the cycle after its bytes came. \
                     In the `fill_cycles` after the last part came no reference is taken. Answers keep the order of the \
                     references, so a hit behind a miss waits for it. The memory is asked for one thing after the other.",
            source: "PowerPC 405 Processor Block Reference Guide (UG018); PowerPC 405 core manual (SA14-2339), chapter 4",
            parameters: DataCacheParameters::declare(),
            ports: DataCachePorts::declare(),
            counters: &[
                ("read_hits", "reads that found their line"),
                ("read_misses", "reads that did not"),
                ("write_hits", "writes that found their line"),
                ("write_misses", "writes that did not"),
                ("merges", "misses of a line that was on its way already"),
                ("fills", "lines asked of the memory"),
                ("flushes", "lines written back"),
                ("uncached", "reads and writes of what is not cacheable"),
                ("through", "writes that went through to the memory"),
                ("atomics", "atomic operations passed on"),
                ("maintenance", "operations on caches"),
                ("refused_cycles", "cycles in which a reference was not taken"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: DataCacheParameters, ports: DataCachePorts) -> Result<Self, String> {
        let shape = Shape::new(parameters.size.0, parameters.line_size.0, parameters.associativity)?;
        if parameters.bypass_start.checked_add(parameters.bypass_bytes.0).is_none() {
            return Err("bypass_bytes: the addresses go beyond the last".to_owned());
        }
        let replacement = Replacement::new(&parameters.replacement);
        let state = DataCacheState {
            lines: Lines::new(shape, &replacement, parameters.seed),
            dirty: vec![false; shape.slots()],
            cacheable: parameters.cacheable as u32,
            write_through: parameters.write_through as u32,
            write_allocate: parameters.write_allocate,
            ..DataCacheState::default()
        };
        let notes_uses = parameters.associativity > 1 && replacement.minds_uses();
        Ok(Self {
            calm_outputs: AlreadySet::default(),
            quiet_outputs: AlreadySet::default(),
            is_quiet: false,
            ports,
            state,
            shape,
            notes_uses,
            replacement,
            parameters,
        })
    }

    fn processes(&self) -> Vec<Process> {
        type Own = DataCachePorts;
        let instructions = self.ports.instructions.is_connected.then_some(data(Own::INSTRUCTIONS));
        let drives = [data(Own::PORT_RESPONSE), ack(Own::PORT_REQUEST), data(Own::MEMORY_REQUEST)];
        let everything = Process::new(0).drives(drives).drives(instructions);
        vec![everything.reads([data(Own::PORT_REQUEST)]).accepts([Own::MEMORY_RESPONSE])]
    }

    #[inline]
    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        if signals.are_set(&self.calm_outputs) {
            self.respond_in_calm(signals);
        } else if !signals.are_set(&self.quiet_outputs) || signals.is_present(self.ports.port_request) {
            self.evaluate_all(signals);
        }
    }

    #[inline]
    fn commit(&mut self, edge: &mut Edge<'_>) {
        let is_read = || Reference::access_at(edge.signals, self.ports.port_request) == Access::Read;
        if edge.signals.are_set(&self.calm_outputs) && !edge.signals.is_received(self.ports.port_request) {
        } else if edge.signals.are_set(&self.calm_outputs)
            && edge.signals.is_sent(self.ports.port_response)
            && is_read()
        {
            edge.count(READ_HITS, 1);
            self.note_use();
        } else if !self.is_quiet || self.anything_moves(edge.signals) {
            self.commit_any(edge);
        }
    }

    fn idle(&self) -> Idle {
        let state = &self.state;
        let waits_for_time = state.is_closed || !state.queue.is_empty() && !state.presents;
        if waits_for_time { Idle::No } else { Idle::UntilInput }
    }

    fn ask(&mut self, request: &mut dyn Any) {
        if let Some(request) = request.downcast_mut::<CacheRequest>() {
            request.answer = Some(self.answer_debugger(request.question));
        }
    }

    fn state(&self) -> &DataCacheState {
        &self.state
    }

    fn restore(&mut self, state: DataCacheState) -> Result<(), String> {
        if !state.lines.fits(&self.state.lines) || state.dirty.len() != self.state.dirty.len() {
            return Err("the saved cache has another shape".to_owned());
        }
        self.calm_outputs.forget();
        self.quiet_outputs.forget();
        self.is_quiet = false;
        self.state = state;
        Ok(())
    }
}

impl DataCache {
    /// True if nothing is under way: every reference is taken.
    fn is_calm(&self) -> bool {
        let state = &self.state;
        state.fills.is_empty()
            && state.queue.is_empty()
            && state.asked.is_empty()
            && !state.is_closed
            && state.for_instructions.is_none()
    }

    // Answers a reference while nothing is under way.
    #[inline]
    fn respond_in_calm(&self, signals: &mut Signals) {
        let address = Reference::read_of_four_bytes(signals, self.ports.port_request);
        let word = address.filter(|address| self.is_cacheable(*address));
        if let Some(word) = word.and_then(|address| self.state.lines.word_of_latest(address)) {
            signals.write(self.ports.port_response, Some(Response { data: word.into(), is_fault: false }));
        } else if signals.is_present(self.ports.port_request) {
            self.respond(signals);
        } else {
            signals.clear(self.ports.port_response);
        }
    }

    #[inline(never)]
    fn respond(&self, signals: &mut Signals) -> bool {
        let request = signals.read(self.ports.port_request);
        let plan = request.and_then(|reference| Some((self.plan(&reference)?, reference)));
        let response = match self.state.answers.front() {
            Some(oldest) => *oldest,
            None => plan.and_then(|(plan, reference)| self.answer_at_once(plan, &reference)),
        };
        signals.write(self.ports.port_response, response);
        plan.is_some()
    }

    #[inline(never)]
    fn evaluate_all(&self, signals: &mut Signals) {
        let is_taken = self.respond(signals);
        let state = &self.state;
        let is_calm = self.is_calm() && state.answers.is_empty() && state.drain.is_none();
        signals.acknowledge(self.ports.port_request, is_taken || is_calm);
        let asked = state.queue.front().filter(|_| state.presents);
        signals.write(self.ports.memory_request, asked.map(|query| query.reference));
        if self.ports.instructions.is_connected {
            signals.write(self.ports.instructions.port, state.for_instructions);
        }
        if is_calm {
            signals.note_set(&self.calm_outputs);
        }
        if signals.is_present(self.ports.port_request) {
            self.quiet_outputs.forget();
        } else {
            signals.note_set(&self.quiet_outputs);
        }
    }

    // True if anything is requested, or moves to the memory or from it.
    #[inline]
    fn anything_moves(&self, signals: &Signals) -> bool {
        let ports = &self.ports;
        signals.is_present(ports.port_request)
            | signals.is_present(ports.memory_response)
            | signals.is_sent(ports.memory_request)
            | signals.is_sent(ports.port_response)
    }

    fn is_cacheable(&self, address: u64) -> bool {
        let is_bypassed = address.wrapping_sub(self.parameters.bypass_start) < self.parameters.bypass_bytes.0;
        region_of(address) & self.state.cacheable != 0 && !is_bypassed
    }

    // Plan for a presented reference; `None` if it is refused.
    fn plan(&self, reference: &Reference) -> Option<Plan> {
        let state = &self.state;
        if state.is_closed || state.drain.is_some() || state.answers.len() >= ANSWERS {
            return None;
        }
        if reference.access == Access::Maintain {
            // An unknown operation is left to the memory to refuse.
            let maintenance = reference.maintenance();
            return maintenance.map_or(Some(Plan::Past(None)), |it| self.plan_maintenance(it, reference));
        }
        let is_cacheable = self.is_cacheable(reference.address) && is_proper(reference);
        let has_store_room = state.stores < self.parameters.stores;
        if !is_cacheable {
            return (reference.access != Access::Write || has_store_room).then_some(Plan::Past(None));
        }
        let slot = state.lines.find(&self.shape, reference.address);
        let line = self.shape.line_address(reference.address);
        let fill = state.fills.iter().position(|fill| fill.line == line);
        let may_fill = state.fills.len() < self.parameters.fills as usize;
        let goes_through = region_of(reference.address) & state.write_through != 0
            || slot.is_none() && fill.is_none() && !state.write_allocate;
        // A store must not overtake a read.
        let is_awaited = |fill: usize| state.fills[fill].is_awaited(self.shape, reference);
        if reference.access == Access::Write && fill.is_some_and(is_awaited) {
            return None;
        }
        match (reference.access, slot, fill) {
            (Access::Write, ..) if goes_through => has_store_room.then_some(Plan::Through { slot, fill }),
            (Access::Read | Access::Write, Some(slot), _) => Some(Plan::Hit(slot)),
            (Access::Write, ..) if !has_store_room => None,
            (Access::Read | Access::Write, None, Some(fill)) => Some(Plan::Merge(fill)),
            (Access::Read | Access::Write, None, None) => may_fill.then_some(Plan::Fill),
            (_, _, Some(_)) => None,
            (_, slot, None) => self.may_empty(slot).then_some(Plan::Past(slot)),
        }
    }

    // True if there is room for the line in a slot to be written back, if it has to be.
    fn may_empty(&self, slot: Option<usize>) -> bool {
        let is_dirty = slot.is_some_and(|slot| self.state.dirty[slot]);
        !is_dirty || self.state.flushes < self.parameters.flushes
    }

    // Response in the cycle in which a reference is taken, if there is one.
    fn answer_at_once(&self, plan: Plan, reference: &Reference) -> Option<Response> {
        match plan {
            Plan::Hit(slot) if reference.access == Access::Read => {
                let data = self.state.lines.load(self.shape, slot, reference);
                Some(Response { data: data & mask_of(reference.enables, reference.size), is_fault: false })
            }
            Plan::Maintain(Maintenance::Drain) => None,
            Plan::Maintain(_) => Some(Response::default()),
            _ => (reference.access == Access::Write).then_some(Response::default()),
        }
    }

    // Notes that the line found last is used.
    #[inline]
    fn note_use(&mut self) {
        if !self.state.lines.is_latest_noted() {
            self.state.lines.note_latest(&self.shape, self.notes_uses);
        }
    }

    #[inline(never)]
    fn commit_any(&mut self, edge: &mut Edge<'_>) {
        self.calm_outputs.forget();
        self.quiet_outputs.forget();
        let signals = edge.signals;
        let request = signals.received(self.ports.port_request);
        let planned = request.and_then(|reference| Some((self.plan(&reference)?, reference)));
        edge.count(REFUSED, u64::from(request.is_none() && signals.is_present(self.ports.port_request)));
        let is_heard = signals.is_sent(self.ports.port_response);
        let answers_older = !self.state.answers.is_empty();
        if is_heard && answers_older {
            self.state.answers.pop_front();
            self.state.first_answer += 1;
        }
        if signals.is_sent(self.ports.memory_request)
            && let Some(query) = self.state.queue.pop_front()
        {
            self.state.asked.push_back(query.purpose);
        }
        self.state.for_instructions = None;
        if let Some((plan, reference)) = planned {
            let at_once = self.answer_at_once(plan, &reference);
            let answer = self.state.first_answer + self.state.answers.len() as u64;
            if at_once.is_none() || answers_older || !is_heard {
                self.state.answers.push_back(at_once);
            }
            self.take(plan, reference, answer, edge);
        }
        if let Some(response) = signals.received(self.ports.memory_response) {
            self.receive(response, edge);
        }
        self.end_fill(edge);
        self.prepare(edge.cycle() + 1);
        let state = &self.state;
        self.is_quiet = state.for_instructions.is_none()
            && state.drain.is_none()
            && !state.is_closed
            && (state.presents || state.queue.is_empty())
            && state.fills.iter().all(|fill| fill.left > 0);
    }

    // Decides the outputs of the coming cycle.
    fn prepare(&mut self, cycle: u64) {
        let state = &mut self.state;
        state.is_closed = state.open_from > cycle;
        state.presents = state.queue.front().is_some_and(|query| query.from <= cycle);
        if let Some(number) = state.drain
            && state.fills.is_empty()
            && state.queue.is_empty()
            && state.asked.is_empty()
        {
            state.drain = None;
            self.set_answer(number, Response::default());
        }
    }

    fn take(&mut self, plan: Plan, reference: Reference, answer: u64, edge: &mut Edge<'_>) {
        let is_read = reference.access == Access::Read;
        let hit = matches!(plan, Plan::Hit(_) | Plan::Through { slot: Some(_), .. });
        let counter = match (plan, is_read, hit) {
            (Plan::Maintain(_), ..) => MAINTENANCE,
            (Plan::Past(_), ..) if !matches!(reference.access, Access::Read | Access::Write) => ATOMICS,
            (Plan::Past(_), ..) => UNCACHED,
            (_, true, true) => READ_HITS,
            (_, true, false) => READ_MISSES,
            (_, false, true) => WRITE_HITS,
            (_, false, false) => WRITE_MISSES,
        };
        edge.count(counter, 1);
        match plan {
            Plan::Hit(slot) => {
                if !is_read {
                    self.state.lines.store(self.shape, slot, &reference);
                    self.state.dirty[slot] = true;
                }
                self.note_use();
            }
            Plan::Merge(fill) => {
                edge.count(MERGES, 1);
                self.join_fill(fill, reference, answer);
            }
            Plan::Fill => {
                self.begin_fill(&reference, edge);
                self.join_fill(self.state.fills.len() - 1, reference, answer);
            }
            Plan::Past(slot) => {
                if let Some(slot) = slot {
                    self.empty(slot, edge);
                }
                self.pass_on(reference, answer, edge.cycle());
            }
            Plan::Through { slot, fill } => {
                edge.count(THROUGH, 1);
                if let Some(slot) = slot {
                    self.state.lines.store(self.shape, slot, &reference);
                    self.note_use();
                }
                if let Some(fill) = fill {
                    self.state.fills[fill].put(self.shape, &reference);
                }
                self.pass_on(reference, answer, edge.cycle());
            }
            Plan::Maintain(maintenance) => self.maintain(maintenance, reference, answer, edge),
        }
    }

    // Lets the memory perform a reference.
    fn pass_on(&mut self, reference: Reference, answer: u64, cycle: u64) {
        let purpose = if reference.access == Access::Write {
            self.state.stores += 1;
            Purpose::Store(reference.address)
        } else {
            Purpose::Answer(answer)
        };
        self.state.queue.push_back(Query { reference, from: cycle + 1, purpose });
    }

    fn set_answer(&mut self, number: u64, response: Response) {
        let place = (number - self.state.first_answer) as usize;
        if let Some(answer) = self.state.answers.get_mut(place) {
            *answer = Some(response);
        }
    }

    fn receive(&mut self, response: Response, edge: &mut Edge<'_>) {
        let Some(purpose) = self.state.asked.pop_front() else { return };
        match purpose {
            Purpose::Part(address) => self.receive_part(address, response),
            Purpose::Answer(number) => self.set_answer(number, response),
            Purpose::Store(address) => {
                self.state.stores -= 1;
                stop_if_lost(response, address, edge);
            }
            Purpose::Flush(address, is_last) => {
                self.state.flushes -= u32::from(is_last);
                stop_if_lost(response, address, edge);
            }
        }
    }
}

fn stop_if_lost(response: Response, address: u64, edge: &mut Edge<'_>) {
    if response.is_fault {
        edge.stop(format!("nothing answers its write to {address:#x}"));
    }
}
