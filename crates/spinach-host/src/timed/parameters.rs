//! What a timed core and its memories consist of.

use serde::{Deserialize, Serialize};

/// Bytes of a line of every cache.
pub const LINE_BYTES: usize = 64;

/// The shape of a cache whose lines have [`LINE_BYTES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Shape {
    /// Its size in bytes: [`LINE_BYTES`] times `ways` times a power of two.
    pub bytes: usize,
    /// Lines of a set.
    pub ways: usize,
}

/// A four-wide out-of-order core with two levels of caches. The defaults are table 1 of the SINIC paper. What the paper does not
/// say is marked as assumed; nothing is fitted.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TimedParameters {
    /// Instructions fetched, issued and committed in a cycle, each.
    pub width: u32,
    /// Instructions between dispatch and commit.
    pub reorder_buffer: usize,
    /// Instructions that wait for operands.
    pub queue: usize,
    /// Stores that are committed and not yet in the cache. Assumed: 32, as in the Alpha 21264.
    pub store_buffer: usize,
    /// Cycles from a mispredicted branch to the dispatch of what follows it. Assumed: 7, as in the Alpha 21264.
    pub redirect_cycles: u64,
    /// Each of the two caches of the first level.
    pub first_level: Shape,
    /// Misses of one of them that are under way at a time.
    pub first_level_misses: usize,
    /// Cycles of a load that hits.
    pub data_hit_cycles: u64,
    /// The cache of the second level, which all harts share.
    pub second_level: Shape,
    /// Misses of it that are under way at a time.
    pub second_level_misses: usize,
    /// Cycles from a miss of the first level to the line of the second.
    pub second_level_cycles: u64,
    /// Bytes that move between the second level and memory in a cycle.
    pub memory_bytes_per_cycle: u64,
    /// From a request to memory to its first byte, in nanoseconds.
    pub memory_ns: u64,
    /// Pages that a core remembers, of code and of data each. Assumed: 128, as in the Alpha 21264.
    pub remembered_pages: usize,
    /// Cycles of a walk through page tables. Assumed: two references that hit in the second level.
    pub walk_cycles: u64,
    /// Cycles of a load from a device that is close to the core. What buses and bridges add is theirs to say. Assumed: as far as the
    /// second level.
    pub device_cycles: u64,
}

impl Default for TimedParameters {
    fn default() -> Self {
        Self {
            width: 4,
            reorder_buffer: 128,
            queue: 64,
            store_buffer: 32,
            redirect_cycles: 7,
            first_level: Shape { bytes: 128 << 10, ways: 2 },
            first_level_misses: 16,
            data_hit_cycles: 3,
            second_level: Shape { bytes: 8 << 20, ways: 8 },
            second_level_misses: 40,
            second_level_cycles: 25,
            memory_bytes_per_cycle: 4,
            memory_ns: 50,
            remembered_pages: 128,
            walk_cycles: 50,
            device_cycles: 25,
        }
    }
}
