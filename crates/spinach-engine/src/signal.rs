//! Channels at run time: slots of data, presence and acknowledgement, and the typed handles modules reach them by.

use std::fmt;
use std::marker::PhantomData;

use serde::Serialize;

/// One 64-bit word of a channel. The presence and the acknowledgement of a channel live in its first slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
struct Slot {
    word: u64,
    present: bool,
    ack: bool,
}

/// What a channel carries: a name that both ends must agree on, and how many 64-bit words it takes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct ValueType {
    /// The name that a person reads in an error message.
    pub name: &'static str,
    /// How many 64-bit words a value takes.
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

/// Stands for a type that the connections decide; ports with the same letter have the same type.
#[derive(Clone, Copy, Debug)]
pub struct Any<const LETTER: char = 'T'>;

/// The place where a module receives from one channel.
pub struct Input<T> {
    slot: u32,
    words: u32,
    value: PhantomData<fn() -> T>,
}

/// The place where a module sends into one channel.
pub struct Output<T> {
    slot: u32,
    words: u32,
    value: PhantomData<fn() -> T>,
}

macro_rules! handle {
    ($($name:ident),+) => {$(
        impl<T> $name<T> {
            pub(crate) const fn new(slot: u32, words: u32) -> Self {
                Self { slot, words, value: PhantomData }
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
                write!(formatter, concat!(stringify!($name), "({})"), self.slot)
            }
        }
    )+};
}
handle!(Input, Output);

/// All channels of a running simulation.
pub struct Signals {
    // A power of two of slots; `mask` is their number less one.
    slots: Box<[Slot]>,
    mask: u32,
}

impl Signals {
    /// Room for `slots` slots, nothing present, nothing acknowledged.
    pub(crate) fn new(slots: u32) -> Self {
        let count = slots.max(1).next_power_of_two();
        Self { slots: vec![Slot::default(); count as usize].into_boxed_slice(), mask: count - 1 }
    }

    #[inline(always)]
    fn slot(&self, index: u32) -> &Slot {
        // SAFETY: `mask` is the number of slots less one and that number is a power of two, so the masked index is
        // below it, whatever `index` is.
        unsafe { self.slots.get_unchecked((index & self.mask) as usize) }
    }

    #[inline(always)]
    fn slot_mut(&mut self, index: u32) -> &mut Slot {
        // SAFETY: as in `slot`.
        unsafe { self.slots.get_unchecked_mut((index & self.mask) as usize) }
    }

    /// What is presented at `input`, or `None`.
    #[inline]
    pub fn read<T: Value>(&self, input: Input<T>) -> Option<T> {
        self.slot(input.slot).present.then(|| T::load(|word| self.slot(input.slot + word).word))
    }

    /// Word `word` of what is presented at `input`, whatever its type; meaningless if nothing is presented.
    #[inline]
    pub fn word<T>(&self, input: Input<T>, word: u32) -> u64 {
        self.slot(input.slot + word).word
    }

    /// Whether anything is presented at `input`.
    #[inline]
    pub fn is_present<T>(&self, input: Input<T>) -> bool {
        self.slot(input.slot).present
    }

    /// What is presented at `input`, if `input` also acknowledges it: the value that moves in this cycle.
    #[inline]
    pub fn received<T: Value>(&self, input: Input<T>) -> Option<T> {
        if self.slot(input.slot).ack { self.read(input) } else { None }
    }

    /// Whether a value moves through `input` in this cycle.
    #[inline]
    pub fn is_received<T>(&self, input: Input<T>) -> bool {
        let slot = self.slot(input.slot);
        slot.present & slot.ack
    }

    /// Accepts (`true`) or refuses what is presented at `input`.
    #[inline]
    pub fn acknowledge<T>(&mut self, input: Input<T>, accepted: bool) {
        self.slot_mut(input.slot).ack = accepted;
    }

    /// Presents a value at `output`, or nothing.
    #[inline]
    pub fn write<T: Value>(&mut self, output: Output<T>, value: Option<T>) {
        self.slot_mut(output.slot).present = value.is_some();
        if let Some(value) = value {
            value.store(|word, bits| self.slot_mut(output.slot + word).word = bits);
        }
    }

    /// Whether the receiver at `output` acknowledges.
    #[inline]
    pub fn is_acknowledged<T>(&self, output: Output<T>) -> bool {
        self.slot(output.slot).ack
    }

    /// Whether a value moves through `output` in this cycle.
    #[inline]
    pub fn is_sent<T>(&self, output: Output<T>) -> bool {
        let slot = self.slot(output.slot);
        slot.present & slot.ack
    }

    /// Whether anything is presented at `output`.
    #[inline]
    pub fn is_offered<T>(&self, output: Output<T>) -> bool {
        self.slot(output.slot).present
    }

    /// Presents at `output` what is presented at `input`, whatever its type.
    #[inline]
    pub fn forward<T>(&mut self, input: Input<T>, output: Output<T>) {
        let first = *self.slot(input.slot);
        let to = self.slot_mut(output.slot);
        to.present = first.present;
        to.word = first.word;
        // An output that is not connected has one word whatever its type.
        for word in 1..input.words.min(output.words) {
            self.slot_mut(output.slot + word).word = self.slot(input.slot + word).word;
        }
    }

    /// Presents nothing at `output`.
    #[inline]
    pub fn clear<T>(&mut self, output: Output<T>) {
        self.slot_mut(output.slot).present = false;
    }

    /// Word number `word` of what is presented at `input`, which must be below [`Input::words`]; means nothing if nothing is
    /// presented.
    #[inline]
    pub fn read_word<T>(&self, input: Input<T>, word: u32) -> u64 {
        self.slot(input.slot + word).word
    }

    /// The words presented at `input`, appended to `words`, whatever their type; nothing if none are presented.
    pub fn read_words<T>(&self, input: Input<T>, words: &mut Vec<u64>) {
        if self.slot(input.slot).present {
            words.extend((0..input.words).map(|word| self.slot(input.slot + word).word));
        }
    }

    /// Presents `words` at `output`; they must be as many as its type takes.
    pub fn write_words<T>(&mut self, output: Output<T>, words: Option<&[u64]>) {
        self.slot_mut(output.slot).present = words.is_some();
        for (word, bits) in (0..output.words).zip(words.unwrap_or_default()) {
            self.slot_mut(output.slot + word).word = *bits;
        }
    }

    pub(crate) fn raw_present(&self, slot: u32) -> bool {
        self.slot(slot).present
    }

    pub(crate) fn raw_ack(&self, slot: u32) -> bool {
        self.slot(slot).ack
    }

    pub(crate) fn raw_word(&self, slot: u32) -> u64 {
        self.slot(slot).word
    }

    pub(crate) fn set_raw_present(&mut self, slot: u32, present: bool) {
        self.slot_mut(slot).present = present;
    }

    pub(crate) fn set_raw_ack(&mut self, slot: u32, ack: bool) {
        self.slot_mut(slot).ack = ack;
    }

    pub(crate) fn set_raw_word(&mut self, slot: u32, word: u64) {
        self.slot_mut(slot).word = word;
    }
}

impl<T> Input<T> {
    /// How many 64-bit words the connected type takes.
    pub const fn words(self) -> u32 {
        self.words
    }
}

impl<T> Output<T> {
    /// How many 64-bit words the connected type takes.
    pub const fn words(self) -> u32 {
        self.words
    }
}
