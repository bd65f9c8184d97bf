//! Values of channels, of a fixed number of 64-bit words.

use std::fmt;

use serde::Serialize;

/// The most words that a [`Value`] takes.
pub(crate) const MAXIMUM_WORDS: u32 = 16;

/// The forward or the backward half of a channel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Part {
    /// The value and its presence; driven by the output.
    Data,
    /// The acknowledgement; driven by the input.
    Ack,
}

/// Type of a channel: a name that both ends must agree on, and its number of 64-bit words.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct ValueType {
    /// Name in error messages.
    pub name: &'static str,
    /// Number of 64-bit words that a value takes.
    pub words: u32,
}

impl fmt::Display for ValueType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name)
    }
}

/// A type that channels can carry, as a fixed number of 64-bit words.
pub trait Value: Copy + 'static {
    /// The name and size of this type.
    const TYPE: ValueType;
    /// Gathers the value; `word(i)` is word `i` of the channel.
    fn load(word: impl Fn(u32) -> u64) -> Self;
    /// Spreads the value; `word(i, w)` sets word `i` of the channel.
    fn store(self, word: impl FnMut(u32, u64));
}

impl Value for u64 {
    const TYPE: ValueType = ValueType { name: "word", words: 1 };
    #[inline]
    fn load(word: impl Fn(u32) -> u64) -> Self {
        word(0)
    }
    #[inline]
    fn store(self, mut word: impl FnMut(u32, u64)) {
        word(0, self);
    }
}

/// Placeholder for a type that the connections decide; ports with the same letter have the same type.
#[derive(Clone, Copy, Debug)]
pub struct Any<const LETTER: char = 'T'>;
