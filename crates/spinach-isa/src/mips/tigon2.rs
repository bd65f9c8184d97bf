//! The two instructions that the Tigon-2's cores add for their event dispatch loop.
//!
//! Source: register-level notes on the Tigon-2, instruction-set section; Spinach thesis, chapter 2. Both use
//! function codes of SPECIAL that later architectures gave to `movz` and `movn`.
//!
//! - `pri rd,rs,rt` (function 0x0b): `rd` is one more than the index of a set bit of `rs & rt`, 0 if none.
//! - `joff rs,rt` (function 0x0a): jumps to `rs + 8 rt`, with one delay slot. A table of 8-byte entries at `rs`
//!   thus has its entry for "no event" at index 0.

use serde::{Deserialize, Serialize};

/// Set bit that the priority decode reports. The sources do not evaluate it; the thesis (chapter 2) mentions the highest-order
/// event, and the released firmware works with either.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PriorityOrder {
    /// The most significant set bit.
    #[default]
    HighestFirst,
    /// The least significant set bit.
    LowestFirst,
}

/// The priority decode of `events`: one more than the index of the chosen bit, 0 if there is none.
#[inline]
pub const fn priority_decode(events: u32, order: PriorityOrder) -> u32 {
    match order {
        PriorityOrder::HighestFirst => 32 - events.leading_zeros(),
        PriorityOrder::LowestFirst if events == 0 => 0,
        PriorityOrder::LowestFirst => events.trailing_zeros() + 1,
    }
}

/// The target of the jump through a table of 8-byte entries.
#[inline]
pub const fn jump_offset_target(table: u32, index: u32) -> u32 {
    table.wrapping_add(index.wrapping_mul(8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priority_decode_picks_the_end_it_is_told() {
        assert_eq!(priority_decode(0x0040_0010, PriorityOrder::HighestFirst), 23);
        assert_eq!(priority_decode(0x0040_0010, PriorityOrder::LowestFirst), 5);
        for order in [PriorityOrder::HighestFirst, PriorityOrder::LowestFirst] {
            assert_eq!(priority_decode(0, order), 0);
            assert_eq!(priority_decode(1, order), 1);
            assert_eq!(priority_decode(1 << 31, order), 32);
        }
    }
}
