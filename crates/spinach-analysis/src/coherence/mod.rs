//! Coherent private caches driven by access traces.
//!
//! The question is that of HPCA 2005, section 2.3 and figure 3: what caches would do for frame metadata that cores and
//! assists share. Each cache serves one agent or several, whose accesses are interleaved as they happened; caches write
//! back and allocate on writes, and keep each other coherent by an invalidating protocol. A bus that broadcasts orders
//! all accesses, so there are no races and no latencies: only hits, misses and what they send.
//!
//! A write to a line that is present but not exclusive is a hit, and an upgrade. An access that crosses lines counts once
//! for each.

mod cache;
mod source;
mod system;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::trace::TraceError;

pub use source::{AccessSource, Study, study};
pub use system::{Reference, System};

/// States that lines have, which decide the bus traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// Modified, shared, invalid: the first write to a line always goes over the bus.
    Msi,
    /// MESI: adds the exclusive state; a line that no other cache has is written without a word.
    Mesi,
    /// MOESI: adds the exclusive and owned states; a modified line that others read stays dirty in the cache that wrote it.
    Moesi,
}

/// Replacement policy: the line of a full set that is replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Replacement {
    /// The one used longest ago.
    #[default]
    Lru,
    /// The one brought in longest ago.
    Fifo,
}

/// The shape of a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Geometry {
    /// Bytes in a line, a power of two from 4 on.
    pub line_bytes: u32,
    /// Bytes in the cache, a multiple of the bytes in a set.
    pub capacity_bytes: u32,
    /// Lines in a set; fully associative without.
    pub ways: Option<u32>,
    /// Replacement policy.
    pub replacement: Replacement,
}

/// Invalid geometry of a cache. The second line of each message is an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum GeometryError {
    /// The line is no power of two, or too short.
    #[error("a line of {0} bytes is impossible\nchoose a power of two, at least 4")]
    LineBytes(u32),
    /// The capacity is not an integer number of sets.
    #[error(
        "a cache of {capacity_bytes} bytes does not divide into sets of {set_bytes} bytes\n\
         choose a multiple of line_bytes x ways"
    )]
    Capacity {
        /// Bytes in the cache.
        capacity_bytes: u32,
        /// Bytes in a set.
        set_bytes: u64,
    },
    /// No cache, or more than a set of 64 can name.
    #[error("{0} caches are impossible\nchoose 1 to 64")]
    Caches(usize),
}

impl Geometry {
    /// The caches of HPCA 2005, figure 3: fully associative, LRU, lines of 16 bytes.
    pub const fn fully_associative(capacity_bytes: u32) -> Self {
        Self { line_bytes: 16, capacity_bytes, ways: None, replacement: Replacement::Lru }
    }

    /// Sets, and lines in each.
    ///
    /// # Errors
    /// [`GeometryError`].
    pub fn sets_and_ways(&self) -> Result<(u32, u32), GeometryError> {
        if !self.line_bytes.is_power_of_two() || self.line_bytes < 4 {
            return Err(GeometryError::LineBytes(self.line_bytes));
        }
        let lines = self.capacity_bytes / self.line_bytes;
        let ways = self.ways.unwrap_or(lines.max(1));
        let set_bytes = u64::from(ways) * u64::from(self.line_bytes);
        let whole = set_bytes > 0 && u64::from(self.capacity_bytes) % set_bytes == 0;
        if !whole || self.capacity_bytes == 0 {
            return Err(GeometryError::Capacity { capacity_bytes: self.capacity_bytes, set_bytes });
        }
        Ok((lines / ways, ways))
    }
}

/// A system to simulate: as many caches of one shape as the study names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Configuration {
    /// Coherence protocol of the caches.
    pub protocol: Protocol,
    /// Their shape.
    pub geometry: Geometry,
}

/// Event counts of one cache, or of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Reads by the cache's agents.
    pub reads: u64,
    /// Reads that hit.
    pub read_hits: u64,
    /// Writes by the cache's agents.
    pub writes: u64,
    /// Writes that hit.
    pub write_hits: u64,
    /// Write hits that had to ask for exclusiveness.
    pub upgrades: u64,
    /// Writes that took the line from at least one other cache.
    pub invalidating_writes: u64,
    /// Copies in other caches that the writes took.
    pub invalidations: u64,
    /// Misses for lines that a write of another cache had taken.
    pub coherence_misses: u64,
    /// Misses that another cache answered.
    pub supplied_by_caches: u64,
    /// Dirty lines written to memory, on eviction or because another cache reads.
    pub write_backs: u64,
}

impl Counts {
    /// All accesses.
    pub fn accesses(&self) -> u64 {
        self.reads + self.writes
    }

    /// Accesses that found their line.
    pub fn hits(&self) -> u64 {
        self.read_hits + self.write_hits
    }

    fn add(&mut self, other: &Self) {
        self.reads += other.reads;
        self.read_hits += other.read_hits;
        self.writes += other.writes;
        self.write_hits += other.write_hits;
        self.upgrades += other.upgrades;
        self.invalidating_writes += other.invalidating_writes;
        self.invalidations += other.invalidations;
        self.coherence_misses += other.coherence_misses;
        self.supplied_by_caches += other.supplied_by_caches;
        self.write_backs += other.write_backs;
    }
}

/// Event counts of the caches of one system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The system.
    pub configuration: Configuration,
    /// Counts per cache.
    pub caches: Vec<Counts>,
    /// Agents of the study without an access, in the order of the caches.
    pub absent: Vec<String>,
}

impl Report {
    /// All caches together.
    pub fn total(&self) -> Counts {
        let mut total = Counts::default();
        self.caches.iter().for_each(|counts| total.add(counts));
        total
    }
}

/// Error of a study. The second line of each message is an instruction.
#[derive(Debug, Error)]
pub enum CoherenceError {
    /// A trace cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The caches cannot be built.
    #[error(transparent)]
    Geometry(#[from] GeometryError),
    /// A cache is to serve an agent that made no access.
    #[error("no access is by an agent called `{name}`\nchoose from: {}", known.join(", "))]
    UnknownAgent {
        /// The name.
        name: String,
        /// The agents of the traces.
        known: Vec<String>,
    },
    /// Two caches are to serve one agent.
    #[error("agent `{0}` is given to two caches\ngive every agent to one cache, or to none")]
    SharedAgent(String),
    /// The accesses are to more memory than any NIC has.
    #[error(
        "the traces touch more than {0} different cache lines\nrecord the trace again: its addresses are damaged"
    )]
    TooManyLines(usize),
}
