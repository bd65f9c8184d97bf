//! Caches and the protocol that keeps them coherent.

use super::cache::{Cache, NONE};
use super::{Configuration, Counts, GeometryError, Protocol, Replacement, Report};
use crate::numbering::Numbering;

/// An access by one of the caches' agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Number of the cache.
    pub cache: u8,
    /// True for a write.
    pub write: bool,
    /// First byte.
    pub address: u64,
    /// Length in bytes; 0 counts as 1.
    pub bytes: u32,
}

/// Combined state of a line in all caches. Without holders it is in no cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Line {
    /// The caches that have it, one bit each.
    holders: u64,
    /// The caches that a write of another took it from, and that have not had it since.
    lost: u64,
    state: State,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// Memory is current; there may be several holders.
    #[default]
    Shared,
    /// Memory is current; there is one holder.
    Exclusive,
    /// Memory is stale; there is one holder.
    Modified,
    /// Memory is stale; one of the holders answers for it.
    Owned(u8),
}

/// Coherent caches in operation.
#[derive(Debug)]
pub struct System {
    configuration: Configuration,
    caches: Vec<Cache>,
    counts: Vec<Counts>,
    line_shift: u32,
    numbering: Numbering,
    lines: Vec<Line>,
    /// Place of each line in each cache: by line, then by cache.
    places: Vec<u32>,
}

impl System {
    /// Builds empty caches.
    ///
    /// # Errors
    /// [`GeometryError`].
    pub fn new(configuration: Configuration, caches: usize) -> Result<Self, GeometryError> {
        if !(1..=64).contains(&caches) {
            return Err(GeometryError::Caches(caches));
        }
        let (sets, ways) = configuration.geometry.sets_and_ways()?;
        Ok(Self {
            configuration,
            caches: (0..caches).map(|_| Cache::new(sets, ways)).collect(),
            counts: vec![Counts::default(); caches],
            line_shift: configuration.geometry.line_bytes.trailing_zeros(),
            numbering: Numbering::default(),
            lines: Vec::new(),
            places: Vec::new(),
        })
    }

    /// Performs an access. `reference.cache` must be one of the caches.
    #[inline]
    pub fn access(&mut self, reference: &Reference) {
        let first = reference.address >> self.line_shift;
        let end = reference.address.saturating_add(reference.bytes.saturating_sub(1).into());
        for key in first..=end >> self.line_shift {
            self.access_line(usize::from(reference.cache), key, reference.write);
        }
    }

    /// Number of distinct lines of memory that were touched.
    pub(super) fn lines(&self) -> usize {
        self.lines.len()
    }

    /// Report of all events until now.
    pub fn report(&self) -> Report {
        Report { configuration: self.configuration, caches: self.counts.clone(), absent: Vec::new() }
    }

    #[inline]
    fn access_line(&mut self, cache: usize, key: u64, write: bool) {
        let line = self.numbering.number(key) as usize;
        if line == self.lines.len() {
            self.lines.push(Line::default());
            self.places.resize(self.numbering.count() * self.caches.len(), NONE);
        }
        let place = self.places[line * self.caches.len() + cache];
        let hit = place != NONE;
        let counts = &mut self.counts[cache];
        if write {
            counts.writes += 1;
            counts.write_hits += u64::from(hit);
        } else {
            counts.reads += 1;
            counts.read_hits += u64::from(hit);
        }
        if !hit {
            self.miss(cache, key, line, write);
        } else if self.configuration.geometry.replacement == Replacement::Lru {
            self.caches[cache].touch(place);
        }
        if write {
            self.make_modified(cache, line, hit);
        }
    }

    /// Fetches a line, for reading. A write miss requests exclusiveness at once, so that a dirty copy elsewhere need not be written
    /// back.
    fn miss(&mut self, cache: usize, key: u64, line: usize, write: bool) {
        let entry = &mut self.lines[line];
        let bit = 1_u64 << cache;
        let counts = &mut self.counts[cache];
        counts.coherence_misses += u64::from(entry.lost & bit != 0);
        counts.supplied_by_caches += u64::from(entry.holders != 0);
        if !write {
            entry.state = match entry.state {
                _ if entry.holders == 0 && self.configuration.protocol != Protocol::Msi => State::Exclusive,
                State::Modified if self.configuration.protocol == Protocol::Moesi => {
                    State::Owned(entry.holders.trailing_zeros() as u8)
                }
                State::Modified => {
                    self.counts[entry.holders.trailing_zeros() as usize].write_backs += 1;
                    State::Shared
                }
                State::Owned(owner) => State::Owned(owner),
                State::Shared | State::Exclusive => State::Shared,
            };
        }
        entry.holders |= bit;
        entry.lost &= !bit;
        let set = (key % u64::from(self.caches[cache].sets())) as u32;
        let (place, evicted) = self.caches[cache].fill(set, line as u32);
        self.places[line * self.caches.len() + cache] = place;
        if evicted != NONE {
            self.evict(cache, evicted as usize);
        }
    }

    fn evict(&mut self, cache: usize, line: usize) {
        self.places[line * self.caches.len() + cache] = NONE;
        let entry = &mut self.lines[line];
        entry.holders &= !(1 << cache);
        let dirty = match entry.state {
            State::Modified => true,
            State::Owned(owner) => usize::from(owner) == cache,
            State::Shared | State::Exclusive => false,
        };
        if dirty {
            self.counts[cache].write_backs += 1;
        }
        if dirty || entry.holders == 0 {
            entry.state = State::Shared;
        }
    }

    /// Takes the line from all other caches. `hit` is whether the writer had it before.
    #[inline]
    fn make_modified(&mut self, cache: usize, line: usize, hit: bool) {
        let entry = &mut self.lines[line];
        let bit = 1_u64 << cache;
        let alone = entry.holders == bit;
        let exclusive = alone && matches!(entry.state, State::Exclusive | State::Modified);
        self.counts[cache].upgrades += u64::from(hit && !exclusive);
        entry.state = State::Modified;
        if alone {
            return;
        }
        let mut others = entry.holders & !bit;
        entry.holders = bit;
        entry.lost |= others;
        self.counts[cache].invalidating_writes += 1;
        self.counts[cache].invalidations += u64::from(others.count_ones());
        while others != 0 {
            let other = others.trailing_zeros() as usize;
            others &= others - 1;
            let place = &mut self.places[line * self.caches.len() + other];
            self.caches[other].clear(std::mem::replace(place, NONE));
        }
    }
}
