//! The window of an out-of-order core: when each instruction is dispatched, issues, completes and commits.
//!
//! Instructions come in program order, once they were executed. Their times follow from those before them: an instruction is
//! dispatched when there is room, issues when its operands and a slot are there, and commits after the one before it. What a wrong
//! path would have done to caches is left out.

use super::memories::Memories;
use super::pace::{PART_BITS, Pace};
use super::pages::{Pages, Tables};
use super::parameters::{LINE_BYTES, TimedParameters};
use super::ports::{PORTS, Ports};
use super::predictor::Predictor;
use super::recipe::{Recipe, Work};
use crate::counting::{Event, EventCounts};

/// Places of recently stored words.
const FORWARDED: usize = 64;
const REGISTERS: usize = 64;

/// Memory reference of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reference {
    /// The address by which it did.
    pub(crate) address: u64,
    /// Memory index of it; `None` for a device.
    pub(crate) place: Option<usize>,
}

/// An instruction that was executed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Executed<'a> {
    pub(super) recipe: &'a Recipe,
    /// Its address, and the place in memory.
    pub(super) pc: u64,
    pub(super) place: usize,
    /// The address behind it, and that of the instruction executed next.
    pub(super) end: u64,
    pub(super) next: u64,
    pub(super) reference: Option<Reference>,
}

/// Counts of a core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoreCounts {
    /// Cycles in which it executed: all but those in which it waited for an interrupt.
    pub cycles: u64,
    /// Instructions executed in them.
    pub instructions: u64,
    /// Conditional branches and indirect jumps.
    pub branches: u64,
    /// Mispredicted branches.
    pub mispredictions: u64,
    /// Walks through page tables.
    pub walks: u64,
    /// Cycles in which loads waited for devices.
    pub device_cycles: u64,
    /// Sum of the cycles that references waited for longer than for the second level. Those of several at once overlap.
    pub miss_cycles: u64,
}

/// Stage with a limited number of events in each cycle, in order.
#[derive(Clone, Copy, Debug, Default)]
struct Stage {
    cycle: u64,
    count: u32,
}

impl Stage {
    /// The cycle of the next event, at the earliest `at`.
    #[inline]
    fn next(&mut self, at: u64, width: u32) -> u64 {
        if at > self.cycle {
            *self = Self { cycle: at, count: 1 };
        } else if self.count == width {
            *self = Self { cycle: self.cycle + 1, count: 1 };
        } else {
            self.count += 1;
        }
        self.cycle
    }
}

/// Timing state of a hart, besides memories.
#[derive(Debug)]
pub(super) struct Core {
    width: u32,
    redirect_cycles: u64,
    walk_cycles: u64,
    /// Earliest dispatch of the next instruction.
    front: u64,
    fetched_line: usize,
    dispatched: Stage,
    committed: Stage,
    /// Commit times of the instructions in the reorder buffer, and the index of the oldest.
    reorder: Vec<u64>,
    oldest: usize,
    /// Issue times of instructions in the queue.
    queue: Vec<u64>,
    queue_length: usize,
    ports: Ports,
    ready: [u64; REGISTERS],
    /// Time at which the divider of each kind of unit is free.
    occupied_until: [u64; PORTS],
    /// Times at which committed stores are in the cache.
    stores: Vec<u64>,
    next_store: usize,
    /// Recently stored words, by place: the times when the data were available, and in the cache.
    forwarded: Box<[(usize, u64, u64); FORWARDED]>,
    stored_at: u64,
    predictor: Predictor,
    code_pages: Pages,
    data_pages: Pages,
    /// Walks for stores and atomic operations.
    store_walks: u64,
    /// Parts of a cycle that instructions at a pace have taken.
    owed: u64,
    counts: CoreCounts,
}

impl Core {
    pub(super) fn new(parameters: &TimedParameters) -> Self {
        Self {
            width: parameters.width,
            redirect_cycles: parameters.redirect_cycles,
            walk_cycles: parameters.walk_cycles,
            front: 0,
            fetched_line: usize::MAX,
            dispatched: Stage::default(),
            committed: Stage::default(),
            reorder: vec![0; parameters.reorder_buffer.max(1)],
            oldest: 0,
            queue: Vec::with_capacity(parameters.queue),
            queue_length: parameters.queue.max(1),
            ports: Ports::new(parameters),
            ready: [0; REGISTERS],
            occupied_until: [0; PORTS],
            stores: vec![0; parameters.store_buffer.max(1)],
            next_store: 0,
            forwarded: Box::new([(usize::MAX, 0, 0); FORWARDED]),
            stored_at: 0,
            predictor: Predictor::new(),
            code_pages: Pages::new(parameters.remembered_pages),
            data_pages: Pages::new(parameters.remembered_pages),
            store_walks: 0,
            owed: 0,
            counts: CoreCounts::default(),
        }
    }

    /// Continues the counts of a core that it replaces.
    pub(super) fn keep_counts_of(&mut self, replaced: &Self) {
        self.counts = replaced.counts;
        self.store_walks = replaced.store_walks;
        self.code_pages.keep_count_of(&replaced.code_pages);
        self.data_pages.keep_count_of(&replaced.data_pages);
    }

    /// Writes its event counts.
    pub(super) fn tally(&self, events: &mut EventCounts) {
        events[Event::Branches as usize] = self.counts.branches;
        events[Event::Mispredictions as usize] = self.counts.mispredictions;
        events[Event::CodeWalks as usize] = self.code_pages.misses();
        events[Event::LoadWalks as usize] = self.data_pages.misses() - self.store_walks;
        events[Event::StoreWalks as usize] = self.store_walks;
    }

    /// Accounts for cycles spent on instructions, and for those of them in which a load had not come to its device.
    pub(super) fn spend(&mut self, cycles: u64, instructions: u64, device_cycles: u64) {
        self.counts.device_cycles += device_cycles;
        self.counts.cycles += cycles;
        self.counts.instructions += instructions;
    }

    pub(super) fn counts(&self) -> CoreCounts {
        CoreCounts { walks: self.code_pages.misses() + self.data_pages.misses(), ..self.counts }
    }

    /// Time has passed without instructions: what follows is fetched from then on.
    pub(super) fn wait_until(&mut self, time: u64) {
        if time > self.committed.cycle {
            self.front = self.front.max(time) + self.redirect_cycles;
            self.committed = Stage { cycle: time, count: 0 };
        }
    }

    /// Page tables have changed.
    pub(super) fn forget_pages(&mut self) {
        self.code_pages.forget();
        self.data_pages.forget();
    }

    /// Times an instruction; returns the time of its commit.
    #[inline]
    pub(super) fn execute(
        &mut self,
        hart: usize,
        memories: &mut Memories,
        tables: &Tables<'_>,
        it: &Executed<'_>,
    ) -> u64 {
        self.fetch(hart, memories, tables, it);
        let is_alone = it.recipe.work == Work::Serialises;
        let room = self.front.max(self.reorder[self.oldest]);
        let room = if is_alone { room.max(self.committed.cycle) } else { room };
        let room = self.room_in_queue(room);
        let dispatched = self.dispatched.next(room, self.width);
        let mut issues = dispatched + 1;
        for source in it.recipe.sources {
            issues = issues.max(self.ready[usize::from(source)]);
        }
        let (issued, completes) = self.complete(hart, memories, tables, it, issues);
        self.queue.push(issued);
        if it.recipe.destination != 0 {
            self.ready[usize::from(it.recipe.destination)] = completes;
        }
        let mut commits = self.committed.next(completes, self.width);
        if it.recipe.work == Work::Stores
            && let Some(reference) = it.reference
        {
            commits = self.store(hart, memories, reference.place, completes, commits);
        }
        self.reorder[self.oldest] = commits;
        self.oldest = if self.oldest + 1 == self.reorder.len() { 0 } else { self.oldest + 1 };
        self.follow(it, dispatched, completes, commits);
        commits
    }

    /// Updates caches, translations and predictor for an instruction that is executed at a time, and nothing else. Returns its
    /// misses of the second level.
    #[inline]
    pub(super) fn warm(
        &mut self,
        hart: usize,
        memories: &mut Memories,
        tables: &Tables<'_>,
        it: &Executed<'_>,
        time: u64,
    ) -> u64 {
        let before = memories.second_level_misses();
        let line = it.place / LINE_BYTES;
        if line != self.fetched_line {
            self.fetched_line = line;
            self.code_pages.knows(it.pc, tables);
            let ready = memories.fetch(hart, line as u64, time);
            self.counts.miss_cycles += memories.beyond_second_level(time, ready);
        }
        if let Some(reference) = it.reference {
            let writes = it.recipe.work != Work::Loads;
            if writes {
                self.translate_store(tables, it.reference, time);
            } else {
                self.translate(tables, it.reference, time);
            }
            if let Some(place) = reference.place {
                let ready = memories.refer(hart, (place / LINE_BYTES) as u64, time, writes);
                self.counts.miss_cycles += memories.beyond_second_level(time, ready);
            }
        }
        self.follow(it, 0, 0, 0);
        memories.second_level_misses() - before
    }

    /// Cycles that the next instruction takes at a pace, with its misses of the second level.
    #[inline]
    pub(super) fn paced(&mut self, pace: Pace, misses: u64) -> u64 {
        self.owed += pace.parts(misses);
        let cycles = self.owed >> PART_BITS;
        self.owed &= (1 << PART_BITS) - 1;
        cycles
    }

    /// The front end waits for the line of an instruction.
    #[inline]
    fn fetch(&mut self, hart: usize, memories: &mut Memories, tables: &Tables<'_>, it: &Executed<'_>) {
        let line = it.place / LINE_BYTES;
        if line == self.fetched_line {
            return;
        }
        self.fetched_line = line;
        if !self.code_pages.knows(it.pc, tables) {
            self.front += self.walk_cycles;
        }
        let ready = memories.fetch(hart, line as u64, self.front);
        self.counts.miss_cycles += memories.beyond_second_level(self.front, ready);
        self.front = ready;
    }

    /// The cycle from `at` on in which the queue has room.
    #[inline]
    fn room_in_queue(&mut self, at: u64) -> u64 {
        if self.queue.len() < self.queue_length {
            return at;
        }
        self.queue.retain(|issues| *issues > at);
        if self.queue.len() < self.queue_length {
            return at;
        }
        let (first, until) =
            self.queue.iter().copied().enumerate().min_by_key(|(_, issues)| *issues).unwrap_or((0, at));
        self.queue.swap_remove(first);
        until
    }

    /// Issue and completion times of an instruction whose operands are ready at `at`.
    #[inline]
    fn complete(
        &mut self,
        hart: usize,
        memories: &mut Memories,
        tables: &Tables<'_>,
        it: &Executed<'_>,
        at: u64,
    ) -> (u64, u64) {
        let port = it.recipe.port;
        match it.recipe.work {
            Work::Calculates(cycles) => {
                let issued = self.ports.take(port, at);
                (issued, issued + u64::from(cycles))
            }
            Work::Occupies(cycles) => {
                let until = &mut self.occupied_until[port as usize];
                let issued = self.ports.take(port, at.max(*until));
                *until = issued + u64::from(cycles);
                (issued, *until)
            }
            Work::Loads => {
                let issued = self.ports.take(port, at);
                (issued, self.load(hart, memories, tables, it.reference, issued))
            }
            Work::Stores => {
                let translated = self.translate_store(tables, it.reference, at);
                let issued = self.ports.take(port, translated);
                (issued, issued + 1)
            }
            Work::Atomic => {
                let translated = self.translate_store(tables, it.reference, at).max(self.committed.cycle);
                let issued = self.ports.take(port, translated.max(self.stored_at));
                let place = it.reference.and_then(|reference| reference.place);
                let line = place.map(|place| (place / LINE_BYTES) as u64);
                let ready = line.map_or(issued + 1, |line| memories.refer(hart, line, issued, true));
                self.counts.miss_cycles += memories.beyond_second_level(issued, ready);
                (issued, ready)
            }
            Work::Fences => {
                let issued = self.ports.take(port, at.max(self.stored_at).max(self.committed.cycle));
                (issued, issued + 1)
            }
            Work::Branches | Work::Jumps | Work::JumpsIndirectly | Work::Serialises => {
                let issued = self.ports.take(port, at);
                (issued, issued + 1)
            }
        }
    }

    #[inline]
    fn translate(&mut self, tables: &Tables<'_>, reference: Option<Reference>, at: u64) -> u64 {
        match reference {
            Some(reference) if !self.data_pages.knows(reference.address, tables) => at + self.walk_cycles,
            _ => at,
        }
    }

    #[inline]
    fn translate_store(&mut self, tables: &Tables<'_>, reference: Option<Reference>, at: u64) -> u64 {
        let before = self.data_pages.misses();
        let translated = self.translate(tables, reference, at);
        self.store_walks += self.data_pages.misses() - before;
        translated
    }

    /// Time at which the data of a load arrives. A load from a device waits until everything before it has completed.
    #[inline]
    fn load(
        &mut self,
        hart: usize,
        memories: &mut Memories,
        tables: &Tables<'_>,
        reference: Option<Reference>,
        at: u64,
    ) -> u64 {
        let at = self.translate(tables, reference, at);
        let Some(place) = reference.and_then(|reference| reference.place) else {
            let least = at.max(self.committed.cycle) + 1;
            let answered = least.max(memories.device_done());
            self.counts.device_cycles += answered - least;
            return answered;
        };
        let (word, data_at, stored_at) = self.forwarded[(place >> 3) % FORWARDED];
        let line = (place / LINE_BYTES) as u64;
        if word == place >> 3 && stored_at > at && memories.may_forward(hart, line) {
            return memories.hit(at.max(data_at));
        }
        let ready = memories.refer(hart, line, at, false);
        self.counts.miss_cycles += memories.beyond_second_level(at, ready);
        ready
    }

    /// A store commits at `commits` at the earliest, when there is room for it, and goes to the cache or the device then.
    #[inline]
    fn store(
        &mut self,
        hart: usize,
        memories: &mut Memories,
        place: Option<usize>,
        data_at: u64,
        commits: u64,
    ) -> u64 {
        let room = self.stores[self.next_store];
        let commits = if room > commits { self.committed.next(room, self.width) } else { commits };
        let stored_at = match place {
            Some(place) => memories.refer(hart, (place / LINE_BYTES) as u64, commits, true),
            None => memories.device_done().max(commits),
        };
        if place.is_some() {
            self.counts.miss_cycles += memories.beyond_second_level(commits, stored_at);
        }
        self.stores[self.next_store] = stored_at;
        self.next_store = if self.next_store + 1 == self.stores.len() { 0 } else { self.next_store + 1 };
        self.stored_at = self.stored_at.max(stored_at);
        if let Some(place) = place {
            self.forwarded[(place >> 3) % FORWARDED] = (place >> 3, data_at, stored_at);
        }
        commits
    }

    /// Updates the state for the instructions behind this one.
    #[inline]
    fn follow(&mut self, it: &Executed<'_>, dispatched: u64, completes: u64, commits: u64) {
        let is_taken = it.next != it.end;
        let is_right = match it.recipe.work {
            Work::Branches => {
                self.counts.branches += 1;
                self.predictor.predicts_branch(it.pc, is_taken)
            }
            Work::Jumps => {
                if it.recipe.calls() {
                    self.predictor.call(it.end);
                }
                true
            }
            Work::JumpsIndirectly => {
                self.counts.branches += 1;
                let is_right = if it.recipe.returns() {
                    self.predictor.predicts_return(it.next)
                } else {
                    self.predictor.predicts_target(it.pc, it.next)
                };
                if it.recipe.calls() {
                    self.predictor.call(it.end);
                }
                is_right
            }
            Work::Serialises => {
                self.front = self.front.max(commits);
                return;
            }
            _ => return,
        };
        if !is_right {
            self.counts.mispredictions += 1;
            self.front = self.front.max(completes + self.redirect_cycles);
        } else if is_taken {
            // Instructions behind a taken branch in its group are not fetched.
            self.front = self.front.max(dispatched + 1);
        }
    }
}
