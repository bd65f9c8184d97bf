//! The caches of all harts and the way to memory.

use super::parameters::{LINE_BYTES, Shape, TimedParameters};
use super::tags::{Misses, Tags};

/// Entries of a set of a buffer of translations. Assumed.
const PAGE_WAYS: usize = 4;

/// References to a cache, and those of them that it did not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// References.
    pub references: u64,
    /// Those of lines that were not there, nor on their way.
    pub misses: u64,
}

/// What all caches were used for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryUses {
    /// Those of instructions.
    pub code: Uses,
    /// Those of data.
    pub data: Uses,
    /// The second level.
    pub second_level: Uses,
    /// Lines that went over the bus to memory, either way.
    pub memory_lines: u64,
}

/// A cache of the first level.
#[derive(Debug)]
struct First {
    tags: Tags,
    misses: Misses,
    uses: Uses,
}

impl First {
    fn new(parameters: &TimedParameters) -> Self {
        Self {
            tags: Tags::new(parameters.first_level),
            misses: Misses::new(parameters.first_level_misses),
            uses: Uses::default(),
        }
    }
}

/// The caches of all harts, and the bus to memory. Lines go by the number of their place in memory; times are cycles of the harts' clock.
#[derive(Debug)]
pub struct Memories {
    data_hit_cycles: u64,
    second_level_cycles: u64,
    memory_cycles: u64,
    transfer_cycles: u64,
    code: Vec<First>,
    data: Vec<First>,
    second: Tags,
    second_misses: Misses,
    second_uses: Uses,
    bus_free_at: u64,
    bus_lines: u64,
}

/// The lines of so many bytes from a place on.
fn lines(place: usize, bytes: usize) -> impl Iterator<Item = u64> {
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
            transfer_cycles: (LINE_BYTES as u64).div_ceil(parameters.memory_bytes_per_cycle),
            code: each(),
            data: each(),
            second: Tags::new(parameters.second_level),
            second_misses: Misses::new(parameters.second_level_misses),
            second_uses: Uses::default(),
            bus_free_at: 0,
            bus_lines: 0,
        }
    }

    /// When a load that asks at a cycle has what the first level holds.
    #[inline]
    pub(super) fn hit(&self, at: u64) -> u64 {
        at + self.data_hit_cycles
    }

    /// When a line of code is there for a hart that asks at a cycle.
    #[inline]
    pub(super) fn fetch(&mut self, hart: usize, line: u64, at: u64) -> u64 {
        let code = &mut self.code[hart];
        code.uses.references += 1;
        if let Some(held) = code.tags.find(line) {
            return held.ready.max(at);
        }
        code.uses.misses += 1;
        let (place, begins) = code.misses.begin(at);
        let ready = self.below(line, begins);
        let code = &mut self.code[hart];
        code.misses.end(place, ready);
        code.tags.insert(line, ready);
        ready
    }

    /// When a hart that asks at a cycle has loaded from a line, or may store to it.
    #[inline]
    pub(super) fn refer(&mut self, hart: usize, line: u64, at: u64, writes: bool) -> u64 {
        let is_alone = self.data.len() == 1;
        let hit_cycles = self.data_hit_cycles;
        let data = &mut self.data[hart];
        data.uses.references += 1;
        if let Some(held) = data.tags.find(line) {
            let ready = held.ready.max(at + hit_cycles);
            if !writes {
                return ready;
            }
            held.is_dirty = true;
            if is_alone || std::mem::replace(&mut held.is_exclusive, true) {
                return ready;
            }
            self.take_from_others(hart, line);
            return ready + self.second_level_cycles;
        }
        data.uses.misses += 1;
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
        let ready = self.below(line, begins);
        let data = &mut self.data[hart];
        data.misses.end(place, ready);
        let (held, replaced) = data.tags.insert(line, ready);
        (held.is_dirty, held.is_exclusive) = (writes, !is_shared);
        if let Some(replaced) = replaced
            && replaced.is_dirty
        {
            self.write_back(replaced.line, ready);
        }
        ready
    }

    /// When the second level has a line for the first.
    fn below(&mut self, line: u64, at: u64) -> u64 {
        let at = at + self.second_level_cycles;
        self.second_uses.references += 1;
        if let Some(held) = self.second.find(line) {
            return held.ready.max(at);
        }
        self.second_uses.misses += 1;
        let (place, begins) = self.second_misses.begin(at);
        let first_byte = (begins + self.memory_cycles).max(self.bus_free_at);
        let ready = first_byte + self.transfer_cycles;
        self.occupy_bus(ready);
        self.second_misses.end(place, ready);
        if let (_, Some(replaced)) = self.second.insert(line, ready)
            && replaced.is_dirty
        {
            self.occupy_bus(self.bus_free_at + self.transfer_cycles);
        }
        ready
    }

    fn occupy_bus(&mut self, until: u64) {
        self.bus_free_at = until;
        self.bus_lines += 1;
    }

    /// A dirty line goes from the first level to the second, which may have replaced it meanwhile.
    fn write_back(&mut self, line: u64, at: u64) {
        match self.second.peek(line) {
            Some(held) => held.is_dirty = true,
            None => self.occupy_bus(self.bus_free_at.max(at) + self.transfer_cycles),
        }
    }

    /// No other hart has the line any more.
    fn take_from_others(&mut self, hart: usize, line: u64) {
        for other in (0..self.data.len()).filter(|other| *other != hart) {
            if self.data[other].tags.remove(line) == Some(true)
                && let Some(held) = self.second.peek(line)
            {
                held.is_dirty = true;
            }
        }
    }

    /// Others that have the line have to ask before they write; whether there are any.
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

    /// A device wrote bytes of memory at a cycle: past the caches, or into the second level.
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
                    self.occupy_bus(self.bus_free_at.max(at) + self.transfer_cycles);
                }
            }
        }
    }

    /// What they were used for.
    pub fn uses(&self) -> MemoryUses {
        let sum = |firsts: &[First]| {
            firsts.iter().fold(Uses::default(), |sum, first| Uses {
                references: sum.references + first.uses.references,
                misses: sum.misses + first.uses.misses,
            })
        };
        MemoryUses {
            code: sum(&self.code),
            data: sum(&self.data),
            second_level: self.second_uses,
            memory_lines: self.bus_lines,
        }
    }
}

/// Pages that a core remembers: a buffer of translations.
#[derive(Debug)]
pub(super) struct Pages {
    tags: Tags,
    last: u64,
    misses: u64,
}

impl Pages {
    /// In sets of [`PAGE_WAYS`].
    pub(super) fn new(count: usize) -> Self {
        let shape = Shape { bytes: count * LINE_BYTES, ways: PAGE_WAYS };
        Self { tags: Tags::new(shape), last: u64::MAX, misses: 0 }
    }

    /// Whether the page of an address is remembered; it is from here on.
    #[inline]
    pub(super) fn knows(&mut self, page: u64) -> bool {
        if self.last == page {
            return true;
        }
        self.last = page;
        if self.tags.find(page).is_some() {
            return true;
        }
        self.misses += 1;
        self.tags.insert(page, 0);
        false
    }

    pub(super) fn misses(&self) -> u64 {
        self.misses
    }

    pub(super) fn forget(&mut self) {
        let count = self.tags.count();
        *self = Self { misses: self.misses, ..Self::new(count) };
    }
}
