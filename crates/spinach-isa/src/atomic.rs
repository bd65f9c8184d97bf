//! Operations that a memory performs on a word as one step: those of the atomic bit array, `set` and `update`, after HPCA 2005,
//! section 4, and those common to several instruction sets.
//!
//! # The atomic bit array
//! Frames are processed out of order by many cores but must leave in order. Each step of the work owns an
//! array of "done" bits, one per frame. The core that finishes frame `n` sets bit `n`; the core that commits needs the run
//! of done bits that begins at the oldest frame not yet committed. The two instructions do each half without
//! a lock or a loop.
//!
//! ## Layout
//! Bit `n` of the array at `base` is bit `n mod 32`, counted from the least significant, of the 32-bit word at
//! `base + 4 (n div 32)`. `base` must be word-aligned; indices are unsigned.
//!
//! ## Instructions
//! - `set index,base` sets bit `index`.
//! - `update last,first,base` examines only the word that holds bit `first`, from that bit upward. It clears
//!   the run of consecutive ones beginning at `first`, and `last` becomes the index of the last bit cleared.
//!   If bit `first` is zero nothing is cleared and `last` is `first - 1` modulo 2^32: the bit that an earlier
//!   update cleared last. In both cases `last + 1 - first` bits were cleared (0 to 32) and `last + 1` is where
//!   the next update starts.
//!
//! A base that is not word-aligned raises the address error of a store. Neither instruction touches the link flag of the
//! executing core; to other cores each counts as a write of its word.
//!
//! The paper leaves open where "the last update" is remembered. Here it is an operand, so that one core can
//! serve any number of arrays and the memory needs no hidden state.
//!
//! ## In-order commit over a circular array of `SIZE` bits (a power of two, at least 32)
//! ```c
//! uint32_t last = update(done, first);     /* first is below SIZE */
//! uint32_t count = last + 1 - first;       /* frames first .. last are complete and now ours to commit */
//! first = (last + 1) & (SIZE - 1);
//! ```
//! A run never crosses a word, hence never the end of the array: a run that reaches bit 31 of its word continues
//! in the next word (or the first), and the next update finds it. No more than `SIZE` frames may be in flight,
//! so that a bit is clear before it is set for the next lap. Only one core at a time may own `first`; any
//! number may set.
//!
//! ## Atomicity
//! The memory bank that holds the word performs [`AtomicOperation::apply`] with no other access to that word
//! between its read and its write. The request carries the word address, the operation and the bit index as
//! 32-bit operand; the response is the 32-bit result.

use serde::{Deserialize, Serialize};

use crate::word::Word;

/// A read-modify-write operation that a memory bank performs on one aligned word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum AtomicOperation {
    /// Sets one bit of the bit array.
    Set,
    /// Clears the run of ones beginning at a bit of the bit array.
    Update,
    /// Replaces the word.
    Swap,
    /// Adds to the word, modulo 2^32.
    Add,
    /// Bitwise exclusive or.
    ExclusiveOr,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// The lesser as signed numbers.
    Minimum,
    /// The greater as signed numbers.
    Maximum,
    /// The lesser as unsigned numbers.
    MinimumUnsigned,
    /// The greater as unsigned numbers.
    MaximumUnsigned,
}

/// Result of an atomic operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AtomicOutcome {
    /// The new value of the word.
    pub word: u32,
    /// The value returned to the processor: the word as it was, but for the bit array; 0 for [`AtomicOperation::Set`], which has no
    /// destination.
    pub result: u32,
}

impl AtomicOperation {
    /// Applies the operation to `word`. For the bit array the operand is the bit's index in the whole array.
    pub fn apply(self, word: u32, operand: u32) -> AtomicOutcome {
        let (index, position) = (operand, operand % 32);
        let new = match self {
            Self::Set => return AtomicOutcome { word: word | 1 << position, result: 0 },
            Self::Update => {
                // The logical shift brings zeros in at the top, so the run ends with the word.
                let run_length = (word >> position).trailing_ones();
                let cleared = ((1_u64 << run_length) - 1) << position;
                let last = index.wrapping_add(run_length).wrapping_sub(1);
                return AtomicOutcome { word: word & !(cleared as u32), result: last };
            }
            _ => self.combined(word, operand),
        };
        AtomicOutcome { word: new, result: word }
    }

    /// New value of a word of 32 or 64 bits; `None` for operations of the bit array, which consists of words of 32 bits with an
    /// index.
    #[inline]
    #[must_use]
    pub fn combined<W: Word>(self, word: W, operand: W) -> W {
        let (signed, signed_operand) = (word.to_signed(), operand.to_signed());
        match self {
            Self::Swap => operand,
            Self::Add => word.wrapping_add(operand),
            Self::ExclusiveOr => word ^ operand,
            Self::And => word & operand,
            Self::Or => word | operand,
            Self::Minimum if signed < signed_operand => word,
            Self::Maximum if signed > signed_operand => word,
            Self::MinimumUnsigned if word < operand => word,
            Self::MaximumUnsigned if word > operand => word,
            Self::Minimum | Self::Maximum | Self::MinimumUnsigned | Self::MaximumUnsigned => operand,
            Self::Set | Self::Update => word,
        }
    }
}

/// Address of the aligned word that holds bit `index` of the array at `base`.
pub const fn word_address(base: u32, index: u32) -> u32 {
    base.wrapping_add(index / 32 * 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_touches_one_bit() {
        assert_eq!(AtomicOperation::Set.apply(0, 0).word, 1);
        assert_eq!(AtomicOperation::Set.apply(1, 63).word, 0x8000_0001);
        assert_eq!(AtomicOperation::Set.apply(0xffff_ffff, 5).word, 0xffff_ffff);
    }

    #[test]
    fn update_clears_only_the_run_at_first() {
        let outcome = AtomicOperation::Update.apply(0b1011_1100, 34);
        assert_eq!(outcome, AtomicOutcome { word: 0b1000_0000, result: 37 });
        let nothing = AtomicOperation::Update.apply(0b1011_1100, 32);
        assert_eq!(nothing, AtomicOutcome { word: 0b1011_1100, result: 31 });
        assert_eq!(AtomicOperation::Update.apply(0, 0).result, u32::MAX);
    }

    #[test]
    fn update_stops_at_the_end_of_the_word() {
        assert_eq!(AtomicOperation::Update.apply(u32::MAX, 0), AtomicOutcome { word: 0, result: 31 });
        assert_eq!(
            AtomicOperation::Update.apply(u32::MAX, 31),
            AtomicOutcome { word: u32::MAX >> 1, result: 31 }
        );
    }

    #[test]
    fn in_order_commit_over_a_circular_array() {
        const SIZE: u32 = 64;
        let mut array = [0_u32; 2];
        let apply = |array: &mut [u32; 2], operation: AtomicOperation, index: u32| {
            let word = &mut array[word_address(0, index) as usize / 4];
            let outcome = operation.apply(*word, index);
            *word = outcome.word;
            outcome.result
        };
        let (mut first, mut committed) = (0, 0);
        // Frames finish in swapped pairs, so every second `set` opens a gap that the next one closes.
        for frame in 0..1000_u32 {
            apply(&mut array, AtomicOperation::Set, (frame ^ 1) % SIZE);
            let last = apply(&mut array, AtomicOperation::Update, first);
            committed += last.wrapping_add(1).wrapping_sub(first);
            first = last.wrapping_add(1) & (SIZE - 1);
            assert_eq!(committed, if frame % 2 == 0 { frame } else { frame + 1 });
        }
        assert_eq!(array, [0, 0]);
    }
}
