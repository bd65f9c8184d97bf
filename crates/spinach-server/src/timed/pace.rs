//! Pace of instructions whose cores are not timed.

/// Parts of a cycle, as a power of two.
pub(super) const PART_BITS: u32 = 16;
/// Largest number of cycles, or of parts of a cycle.
const MAXIMUM: f64 = (1 << 20) as f64;

/// Time that instructions take while cores are not timed, besides what loads wait for devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    parts: u64,
    miss_parts: u64,
}

impl Pace {
    /// A pace at which each instruction takes `cycles` cycles, and each miss of the second level `miss_cycles` more: less than it
    /// waits where misses overlap with each other and with instructions.
    pub fn new(cycles: f64, miss_cycles: f64) -> Self {
        // Not a number becomes 0.
        let parts = |cycles: f64| (cycles.clamp(0.0, MAXIMUM) * f64::from(1 << PART_BITS)) as u64;
        Self { parts: parts(cycles), miss_parts: parts(miss_cycles) }
    }

    /// Parts of a cycle that an instruction takes.
    #[inline]
    pub(super) fn parts(self, misses: u64) -> u64 {
        self.parts + self.miss_parts * misses
    }
}
