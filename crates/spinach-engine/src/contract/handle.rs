//! Typed handles of channels: where a module reads and writes them.

use std::fmt;
use std::marker::PhantomData;

use super::value::MAXIMUM_WORDS;

/// One 64-bit word of a channel. The presence and the acknowledgement of a channel live in its first slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub(super) struct Slot {
    pub(super) word: u64,
    pub(super) present: bool,
    pub(super) ack: bool,
    /// [`WATCHED`] if a sleeping module waits for a value to be presented or withdrawn here.
    pub(super) data_watch: u8,
    /// [`WATCHED`] if a sleeping module waits for the acknowledgement to change.
    pub(super) ack_watch: u8,
}

/// A watch that is set, as against 0.
pub(super) const WATCHED: u8 = 0x80;

/// The most channel words of a design: 4 MiB of slots. A power of two; offsets of slots in bytes fit into 32 bits.
pub(crate) const MAXIMUM_SLOTS: u32 = 1 << 18;

pub(super) const SLOT_BYTES: u32 = size_of::<Slot>() as u32;

/// Number of slots per cache line of the host; the first slot of a channel mostly begins one.
pub(crate) const SLOTS_OF_CACHE_LINE: u32 = 64 / SLOT_BYTES;

/// Byte offset of a slot from the first slot. Always the offset of one of the [`MAXIMUM_SLOTS`] slots.
#[inline(always)]
pub(super) const fn offset_of(slot: u32) -> u32 {
    slot % MAXIMUM_SLOTS * SLOT_BYTES
}

/// The same of word `word` of the channel that begins at `offset`; at most [`MAXIMUM_WORDS`] slots further.
#[inline(always)]
pub(super) const fn offset_of_word(offset: u32, word: u32) -> u32 {
    offset + word % MAXIMUM_WORDS * SLOT_BYTES
}

/// The place where a module receives from one channel.
pub struct Input<T> {
    // From `offset_of`: every access relies on it.
    pub(super) offset: u32,
    // At most `MAXIMUM_WORDS`: copies of whole channels rely on it.
    pub(super) words: u32,
    value: PhantomData<fn() -> T>,
}

/// The place where a module sends into one channel.
pub struct Output<T> {
    // As in `Input`.
    pub(super) offset: u32,
    pub(super) words: u32,
    value: PhantomData<fn() -> T>,
}

macro_rules! handle {
    ($($name:ident),+) => {$(
        impl<T> $name<T> {
            /// # Panics
            /// If there are more words than a value takes at most: a mistake in the library.
            pub(crate) const fn new(slot: u32, words: u32) -> Self {
                assert!(words <= MAXIMUM_WORDS, "a channel has too many words");
                Self { offset: offset_of(slot), words, value: PhantomData }
            }

            /// Number of 64-bit words that the connected type takes.
            pub const fn words(self) -> u32 {
                self.words
            }
        }
        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<T> Copy for $name<T> {}
        impl<T> fmt::Debug for $name<T> {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(formatter, concat!(stringify!($name), "({})"), self.offset / SLOT_BYTES)
            }
        }
    )+};
}
handle!(Input, Output);

impl<T> Output<T> {
    /// True if this output is connected to `input`.
    pub fn leads_to(self, input: Input<T>) -> bool {
        self.offset == input.offset
    }

    /// The same output for another type, whose words are the first ones of `T`.
    #[inline(always)]
    pub(super) fn retyped<First>(self) -> Output<First> {
        Output { offset: self.offset, words: self.words, value: PhantomData }
    }
}
