//! The caches of all harts and the way to memory.

use super::calendar::Calendar;
use super::parameters::{LINE_BYTES, TimedParameters};
use super::tags::{Misses, Tags};
use crate::counting::{Event, EventCounts};

/// References to a cache, and those of them that it did not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// References.
    pub references: u64,
    /// References to lines that were neither present nor on their way.
    pub misses: u64,
}

impl Uses {
    fn sum(all: impl IntoIterator<Item = Self>) -> Self {
        all.into_iter().fold(Self::default(), |sum, one| Self {
            references: sum.references + one.references,
            misses: sum.misses + one.misses,
        })
    }
}

/// Use counts of all caches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryUses {
    /// Uses for instructions.
    pub code: Uses,
    /// Uses for data.
    pub data: Uses,
    /// The second level.
    pub second_level: Uses,
    /// Lines that devices transferred, and those of them that the second level did not have, where it was asked.
    pub devices: Uses,
    /// Lines that went over the bus to memory, either way.
    pub memory_lines: u64,
    /// Cycles for which that bus was taken.
    pub memory_bus_cycles: u64,
}

/// A cache of the first level.
#[derive(Debug)]
struct First {
    tags: Tags,
    misses: Misses,
    reads: Uses,
    writes: Uses,
}

impl First {
    fn new(parameters: &TimedParameters) -> Self {
        Self {
            tags: Tags::new(parameters.first_level),
            misses: Misses::new(parameters.first_level_misses),
            reads: Uses::default(),
            writes: Uses::default(),
        }
    }

    #[inline]
    fn uses(&mut self, writes: bool) -> &mut Uses {
        if writes { &mut self.writes } else { &mut self.reads }
    }
}

/// The caches of all harts, the bus between their levels, and the bus to memory. Lines go by the number of their place in memory; times are cycles of the harts' clock.
#[derive(Debug)]
pub struct Memories {
    data_hit_cycles: u64,
    second_level_cycles: u64,
    memory_cycles: u64,
    transfer_cycles: u64,
    near_cycles: u64,
    memory_bytes_per_cycle: u64,
    /// Completion of the core's last access to a device.
    device_done: u64,
    code: Vec<First>,
    data: Vec<First>,
    second: Tags,
    second_misses: Misses,
    /// Uses for loads and fetches, and for stores.
    second_uses: [Uses; 2],
    device_uses: Uses,
    /// Bus between the first level and the second.
    near_bus: Calendar,
    /// Bus between the second level and memory.
    bus: Calendar,
    bus_lines: u64,
}

/// Lines of `bytes` bytes from a place on.
pub(super) fn lines(place: usize, bytes: usize) -> impl Iterator<Item = u64> {
    let first = place / LINE_BYTES;
    (first..=(place + bytes.max(1) - 1) / LINE_BYTES).map(|line| line as u64)
}

impl Memories {
    /// Empty caches of `harts` harts with a clock of `clock_hz`.
    pub(super) fn new(parameters: &TimedParameters, harts: usize, clock_hz: u64) -> Self {
        let each = || (0..harts).map(|_| First::new(parameters)).collect();
        let memory_cycles = u128::from(parameters.memory_ns) * u128::from(clock_hz) / 1_000_000_000;
        Self {
            data_hit_cycles: parameters.data_hit_cycles,
            second_level_cycles: parameters.second_level_cycles,
            memory_cycles: memory_cycles as u64,
            transfer_cycles: (LINE_BYTES as u64).div_ceil(parameters.memory_bytes_per_cycle.max(1)),
            near_cycles: (LINE_BYTES as u64).div_ceil(parameters.near_bytes_per_cycle.max(1)),
            memory_bytes_per_cycle: parameters.memory_bytes_per_cycle.max(1),
            device_done: 0,
            code: each(),
            data: each(),
            second: Tags::new(parameters.second_level),
            second_misses: Misses::new(parameters.second_level_misses),
            second_uses: Default::default(),
            device_uses: Uses::default(),
            near_bus: Calendar::default(),
            bus: Calendar::default(),
            bus_lines: 0,
        }
    }

    /// Continues the use counts of caches that these replace.
    pub(super) fn keep_counts_of(&mut self, replaced: &Self) {
        let firsts = self.code.iter_mut().chain(&mut self.data);
        for (first, replaced) in firsts.zip(replaced.code.iter().chain(&replaced.data)) {
            (first.reads, first.writes) = (replaced.reads, replaced.writes);
        }
        (self.second_uses, self.device_uses) = (replaced.second_uses, replaced.device_uses);
        self.bus_lines = replaced.bus_lines;
        self.bus.keep_count_of(&replaced.bus);
    }

    /// Completion of a load at a cycle that hits the first level.
    #[inline]
    pub(super) fn hit(&self, at: u64) -> u64 {
        at + self.data_hit_cycles
    }

    /// Cycles that a reference which asks at `at` and is served at `ready` waits for longer than for the second level and
    /// one other line on the bus to it.
    #[inline]
    pub(super) fn beyond_second_level(&self, at: u64, ready: u64) -> u64 {
        let unhindered = self.data_hit_cycles + self.second_level_cycles + self.near_cycles - 1;
        ready.saturating_sub(at + unhindered + self.near_cycles)
    }

    /// Misses of the second level.
    #[inline]
    pub(super) fn second_level_misses(&self) -> u64 {
        self.second_uses[0].misses + self.second_uses[1].misses
    }

    /// Records that the core is done with its device: it has the answer, or the store has left.
    pub(super) fn device_is_done(&mut self, at: u64) {
        self.device_done = at;
    }

    /// Time of that event.
    #[inline]
    pub(super) fn device_done(&self) -> u64 {
        self.device_done
    }

    /// Arrival of a line of code for a hart that requests it at a cycle.
    #[inline]
    pub(super) fn fetch(&mut self, hart: usize, line: u64, at: u64) -> u64 {
        let code = &mut self.code[hart];
        code.reads.references += 1;
        if let Some(held) = code.tags.find(line) {
            return held.ready.max(at);
        }
        code.reads.misses += 1;
        let (place, begins) = code.misses.begin(at);
        let ready = self.below(line, begins, false);
        let code = &mut self.code[hart];
        code.misses.end(place, ready);
        code.tags.insert(line, ready);
        for held in self.data.iter_mut().filter_map(|data| data.tags.peek(line)) {
            held.may_be_code = true;
        }
        ready
    }

    /// Completion of a hart's load from a line, or time at which it may store to it, for a request at a cycle.
    #[inline]
    pub(super) fn refer(&mut self, hart: usize, line: u64, at: u64, writes: bool) -> u64 {
        let is_alone = self.data.len() == 1;
        let hit_cycles = self.data_hit_cycles;
        let data = &mut self.data[hart];
        data.uses(writes).references += 1;
        if let Some(held) = data.tags.find(line) {
            let ready = held.ready.max(at + hit_cycles);
            if !writes {
                return ready;
            }
            held.is_dirty = true;
            let is_exclusive = is_alone || std::mem::replace(&mut held.is_exclusive, true);
            if held.may_be_code {
                held.may_be_code = false;
                self.take_from_code(line);
            }
            if is_exclusive {
                return ready;
            }
            self.take_from_others(hart, line);
            return ready + self.second_level_cycles;
        }
        data.uses(writes).misses += 1;
        self.miss(hart, line, at + hit_cycles, writes)
    }

    /// The same for a line that the first level does not have.
    #[inline(never)]
    fn miss(&mut self, hart: usize, line: u64, at: u64, writes: bool) -> u64 {
        let (place, begins) = self.data[hart].misses.begin(at);
        let mut is_shared = false;
        if self.data.len() > 1 {
            if writes {
                self.take_from_others(hart, line);
            } else {
                is_shared = self.share_with_others(hart, line);
            }
        }
        if writes {
            self.take_from_code(line);
        }
        let ready = self.below(line, begins, writes);
        let data = &mut self.data[hart];
        data.misses.end(place, ready);
        let (held, replaced) = data.tags.insert(line, ready);
        (held.is_dirty, held.is_exclusive, held.may_be_code) = (writes, !is_shared, !writes);
        if let Some(replaced) = replaced
            && replaced.is_dirty
        {
            self.write_back(replaced.line, ready);
        }
        ready
    }

    /// Arrival in the first level of a line requested from the second.
    fn below(&mut self, line: u64, at: u64, writes: bool) -> u64 {
        let ready = self.second_has(line, at + self.second_level_cycles, writes);
        self.take_near_bus(ready)
    }

    /// Takes the bus between the levels for a line whose first bytes have passed it at `ready`, or as soon as possible.
    fn take_near_bus(&mut self, ready: u64) -> u64 {
        self.near_bus.take(ready.saturating_sub(1), self.near_cycles)
    }

    /// Arrival of a line in the second level, after its look-up at a cycle.
    fn second_has(&mut self, line: u64, at: u64, writes: bool) -> u64 {
        self.second_uses[usize::from(writes)].references += 1;
        if let Some(held) = self.second.find(line) {
            return held.ready.max(at);
        }
        self.second_uses[usize::from(writes)].misses += 1;
        let (place, begins) = self.second_misses.begin(at);
        let ready = self.take_bus(begins + self.memory_cycles);
        self.second_misses.end(place, ready);
        if let (_, Some(replaced)) = self.second.insert(line, ready)
            && replaced.is_dirty
        {
            self.take_bus(ready);
        }
        ready
    }

    /// Moves a line between the second level and memory; returns the time of its arrival.
    fn take_bus(&mut self, at: u64) -> u64 {
        self.bus_lines += 1;
        self.bus.take(at, self.transfer_cycles)
    }

    /// A dirty line goes from the first level to the second, which may have replaced it meanwhile.
    fn write_back(&mut self, line: u64, at: u64) {
        match self.second.peek(line) {
            Some(held) => held.is_dirty = true,
            None => {
                self.take_bus(at);
            }
        }
    }

    /// Invalidates the line in the caches of other harts.
    fn take_from_others(&mut self, hart: usize, line: u64) {
        for other in (0..self.data.len()).filter(|other| *other != hart) {
            if self.data[other].tags.remove(line) == Some(true)
                && let Some(held) = self.second.peek(line)
            {
                held.is_dirty = true;
            }
        }
    }

    /// Invalidates the line in the code caches of all harts, which fetch it again.
    #[inline(never)]
    fn take_from_code(&mut self, line: u64) {
        for code in &mut self.code {
            code.tags.remove(line);
        }
    }

    /// True if a hart may load what it has stored to a line and is not in the cache yet: no other hart has stored there since.
    #[inline]
    pub(super) fn may_forward(&mut self, hart: usize, line: u64) -> bool {
        self.data.len() == 1 || self.data[hart].tags.peek(line).is_some()
    }

    /// Marks the line as shared in the caches of other harts; returns true if any has it.
    fn share_with_others(&mut self, hart: usize, line: u64) -> bool {
        let mut is_shared = false;
        for other in (0..self.data.len()).filter(|other| *other != hart) {
            if let Some(held) = self.data[other].tags.peek(line) {
                is_shared = true;
                let was_dirty = std::mem::take(&mut held.is_dirty);
                held.is_exclusive = false;
                if was_dirty && let Some(held) = self.second.peek(line) {
                    held.is_dirty = true;
                }
            }
        }
        is_shared
    }

    /// Passes a word over the bus between the levels; returns the time when it has passed.
    pub(super) fn pass_near_bus(&mut self, at: u64) -> u64 {
        self.near_bus.take(at, 1)
    }

    /// Moves `bytes` bytes over the bus to memory; returns the time when they have passed.
    pub(super) fn pass_bus(&mut self, at: u64, bytes: usize) -> u64 {
        self.bus.take(at, (bytes as u64).div_ceil(self.memory_bytes_per_cycle))
    }

    /// A device asks for a line at a cycle, of memory or of the second level: when it has passed the bus there. Lines that memory
    /// does not have as they are come from a cache; nothing is put into one.
    pub(super) fn device_reads(&mut self, line: u64, at: u64, of_cache: bool) -> u64 {
        self.device_uses.references += 1;
        let is_dirty = |tags: &mut Tags| tags.peek(line).is_some_and(|held| held.is_dirty);
        let is_dirty_above = self.data.iter_mut().any(|first| is_dirty(&mut first.tags));
        let held = self.second.peek(line).map(|held| (held.ready, held.is_dirty));
        let asked = at + self.second_level_cycles;
        let is_cached = is_dirty_above || held.is_some_and(|(_, is_dirty)| of_cache || is_dirty);
        if is_cached {
            let ready = held.map_or(asked, |(ready, _)| ready.max(asked));
            return if of_cache { self.take_near_bus(ready) } else { self.take_bus(ready) };
        }
        if !of_cache {
            return self.take_bus(at + self.memory_cycles);
        }
        self.device_uses.misses += 1;
        let ready = self.take_bus(asked + self.memory_cycles);
        self.take_near_bus(ready)
    }

    /// A device sends a line at a cycle, to memory or into the second level: when it is there. [`Self::device_wrote`] says what that
    /// does to caches.
    pub(super) fn device_writes(&mut self, line: u64, at: u64, into_cache: bool) -> u64 {
        self.device_uses.references += 1;
        if into_cache {
            self.device_uses.misses += u64::from(self.second.peek(line).is_none());
            return self.near_bus.take(at, self.near_cycles) + self.second_level_cycles;
        }
        self.take_bus(at)
    }

    /// Bytes that a device has written are in memory from a cycle on: past the caches, or in the second level.
    pub fn device_wrote(&mut self, place: usize, bytes: usize, at: u64, into_cache: bool) {
        for line in lines(place, bytes) {
            for first in self.code.iter_mut().chain(&mut self.data) {
                first.tags.remove(line);
            }
            if !into_cache {
                self.second.remove(line);
            } else if let Some(held) = self.second.peek(line) {
                held.is_dirty = true;
            } else {
                let (held, replaced) = self.second.insert(line, at);
                held.is_dirty = true;
                if replaced.is_some_and(|replaced| replaced.is_dirty) {
                    self.take_bus(at);
                }
            }
        }
    }

    /// Writes the event counts of a hart; those of the second level are of all harts.
    pub(super) fn tally(&self, hart: usize, events: &mut EventCounts) {
        let (code, data) = (&self.code[hart], &self.data[hart]);
        for (references, uses) in [
            (Event::Fetches, code.reads),
            (Event::Loads, data.reads),
            (Event::Stores, data.writes),
            (Event::SecondLevelLoads, self.second_uses[0]),
            (Event::SecondLevelStores, self.second_uses[1]),
        ] {
            events[references as usize] = uses.references;
            // Misses follow their references.
            events[references as usize + 1] = uses.misses;
        }
    }

    /// Use counts.
    pub fn uses(&self) -> MemoryUses {
        let sum = |firsts: &[First]| Uses::sum(firsts.iter().flat_map(|first| [first.reads, first.writes]));
        MemoryUses {
            code: sum(&self.code),
            data: sum(&self.data),
            second_level: Uses::sum(self.second_uses),
            devices: self.device_uses,
            memory_lines: self.bus_lines,
            memory_bus_cycles: self.bus.taken(),
        }
    }
}
