//! Channels at run time: slots of data, presence and acknowledgement, read and written through typed handles.

mod unchanged;

use std::alloc::{Layout, alloc_zeroed, handle_alloc_error};
use std::ops::Range;

pub use self::unchanged::{AlreadySet, LastLanes};
use super::handle::{Input, MAXIMUM_SLOTS, Output, SLOT_BYTES, Slot, WATCHED, offset_of, offset_of_word};
use super::value::{MAXIMUM_WORDS, Part, Value};

// True if an event is to be recorded. A sum, not a conjunction, which the compiler would turn into two
// branches: the one on the event could not be predicted.
#[inline(always)]
const fn is_disturbed(watch: u8, happened: bool) -> bool {
    watch + happened as u8 > WATCHED
}

/// All channels of a running simulation.
///
/// Always of the largest size, so that an access looks up neither the base nor the length. Pages of the reserved memory
/// that are never touched take no physical memory.
#[repr(C, align(16))]
pub struct Signals {
    // Events at watched slots, each with the number of its slot.
    disturbances: Vec<(u32, Part)>,
    // Counts how often the engine, and not the driving process, changed slots.
    epoch: u64,
    // The allocator places so large a block 16 bytes behind the start of a page: with this padding the first slot begins a cache
    // line. With a larger alignment the allocator would write zeros to all of it.
    _padding: [u64; 2],
    slots: [Slot; (MAXIMUM_SLOTS + MAXIMUM_WORDS) as usize],
    // The contents of a watched channel before it was written: presence and words.
    before: (bool, [u64; MAXIMUM_WORDS as usize]),
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(std::mem::offset_of!(Signals, slots) == 48);

impl Signals {
    /// Nothing present, nothing acknowledged.
    pub(crate) fn new() -> Box<Self> {
        let layout = Layout::new::<Self>();
        // SAFETY: the layout is not empty.
        let signals = unsafe { alloc_zeroed(layout) }.cast::<Self>();
        if signals.is_null() {
            handle_alloc_error(layout);
        }
        // SAFETY: it was allocated with this layout. All bits clear is a slot in which nothing is present, nothing acknowledged
        // and nothing watched, and an empty record of earlier contents; the other fields are written here.
        unsafe {
            (&raw mut (*signals).disturbances).write(Vec::new());
            (&raw mut (*signals).epoch).write(1);
            Box::from_raw(signals)
        }
    }

    #[inline(always)]
    fn slot(&self, offset: u32) -> &Slot {
        // SAFETY: all offsets come from `offset_of`, also those in handles, or from `offset_of_word`. So they are those of slots
        // or of one of the `MAXIMUM_WORDS` behind them, and these are as many in every simulation.
        unsafe { &*self.slots.as_ptr().byte_add(offset as usize) }
    }

    #[inline(always)]
    fn slot_mut(&mut self, offset: u32) -> &mut Slot {
        // SAFETY: as in `slot`; the slots are borrowed mutably as long as the result.
        unsafe { &mut *self.slots.as_mut_ptr().byte_add(offset as usize) }
    }

    // All slots of a channel, so that its place is computed once.
    #[inline(always)]
    fn channel<T: Value>(&self, offset: u32) -> &[Slot] {
        const { assert!(T::TYPE.words <= MAXIMUM_WORDS, "a value takes too many words") };
        // SAFETY: as in `slot`; behind the slot of a handle there are at least `MAXIMUM_WORDS` more.
        unsafe {
            let first = self.slots.as_ptr().byte_add(offset as usize);
            std::slice::from_raw_parts(first, T::TYPE.words as usize)
        }
    }

    #[inline(always)]
    fn channel_mut<T: Value>(&mut self, offset: u32) -> &mut [Slot] {
        const { assert!(T::TYPE.words <= MAXIMUM_WORDS, "a value takes too many words") };
        // SAFETY: as in `channel`; the slots are borrowed mutably as long as the result.
        unsafe {
            let first = self.slots.as_mut_ptr().byte_add(offset as usize);
            std::slice::from_raw_parts_mut(first, T::TYPE.words as usize)
        }
    }

    /// Value presented at `input`, or `None`.
    #[inline]
    pub fn read<T: Value>(&self, input: Input<T>) -> Option<T> {
        let slots = self.channel::<T>(input.offset);
        let value = || T::load(|word| slots[word as usize].word);
        // A short value is loaded whether it is present or not, which costs less than a branch that is often mispredicted.
        if T::TYPE.words <= 2 {
            let value = value();
            self.slot(input.offset).present.then_some(value)
        } else {
            self.slot(input.offset).present.then(value)
        }
    }

    /// Word `word` of the value at `input`, whatever its type; meaningless if nothing is presented.
    #[inline]
    pub fn word<T>(&self, input: Input<T>, word: u32) -> u64 {
        self.slot(offset_of_word(input.offset, word)).word
    }

    /// The words of the value at `input`; meaningless if nothing is presented. Cheaper than two or more single words.
    #[inline(always)]
    pub fn words<T: Value>(&self, input: Input<T>) -> impl Fn(u32) -> u64 {
        let slots = self.channel::<T>(input.offset);
        |word| slots[word as usize].word
    }

    /// True if a value is presented at `input`.
    #[inline]
    pub fn is_present<T>(&self, input: Input<T>) -> bool {
        self.slot(input.offset).present
    }

    /// True if a value is presented at any of `inputs`.
    #[inline(always)]
    pub fn is_any_present<T>(&self, inputs: &[Input<T>]) -> bool {
        // Without branches, which cost more than the few loads that they could save.
        inputs.iter().fold(false, |any, input| any | self.slot(input.offset).present)
    }

    /// Value presented at `input`, if `input` also acknowledges it: the value that moves in this cycle.
    #[inline]
    pub fn received<T: Value>(&self, input: Input<T>) -> Option<T> {
        if self.slot(input.offset).ack { self.read(input) } else { None }
    }

    /// True if a value moves through `input` in this cycle.
    #[inline]
    pub fn is_received<T>(&self, input: Input<T>) -> bool {
        let slot = self.slot(input.offset);
        slot.present & slot.ack
    }

    /// Accepts (`true`) or refuses the value at `input`.
    #[inline]
    pub fn acknowledge<T>(&mut self, input: Input<T>, accepted: bool) {
        let slot = self.slot_mut(input.offset);
        let is_disturbed = is_disturbed(slot.ack_watch, slot.ack != accepted);
        slot.ack = accepted;
        if is_disturbed {
            self.disturb(input.offset, Part::Ack);
        }
    }

    // Presents a value, or nothing; every such path passes through here. `store` stores the words, `is_same` is true if the words
    // did not change: a value presented again after a refusal is no event.
    #[inline(always)]
    fn present(
        &mut self,
        offset: u32,
        present: bool,
        is_same: impl FnOnce(&Self) -> bool,
        store: impl FnOnce(&mut Self),
    ) {
        let slot = self.slot_mut(offset);
        if is_disturbed(slot.data_watch, present | slot.present) {
            self.present_watched(offset, present, is_same, store);
        } else {
            slot.present = present;
            store(self);
        }
    }

    #[cold]
    #[inline(never)]
    fn present_watched(
        &mut self,
        offset: u32,
        present: bool,
        is_same: impl FnOnce(&Self) -> bool,
        store: impl FnOnce(&mut Self),
    ) {
        let before = std::mem::replace(&mut self.slot_mut(offset).present, present);
        if before != present || present && !is_same(self) {
            self.disturb(offset, Part::Data);
        }
        store(self);
    }

    fn hold_the_same(&self, one: u32, other: u32, mut words: Range<u32>) -> bool {
        let word = |offset: u32, word: u32| self.slot(offset_of_word(offset, word)).word;
        words.all(|index| word(one, index) == word(other, index))
    }

    #[cold]
    #[inline(never)]
    fn disturb(&mut self, offset: u32, part: Part) {
        self.disturbances.push((offset / SLOT_BYTES, part));
    }

    /// Events at watched slots since the list was last emptied.
    #[inline]
    pub(crate) fn next_disturbance(&mut self) -> Option<(u32, Part)> {
        self.disturbances.pop()
    }

    /// True if a watched slot has an unhandled event.
    #[inline(always)]
    pub(crate) fn is_disturbed(&self) -> bool {
        !self.disturbances.is_empty()
    }

    /// Switches on or off: an event when a new value is presented at `slot`, or one is withdrawn.
    #[inline]
    pub(crate) fn watch_data(&mut self, slot: u32, watched: bool) {
        self.slot_mut(offset_of(slot)).data_watch = WATCHED * u8::from(watched);
    }

    /// Switches on or off: an event when the acknowledgement at `slot` changes.
    #[inline]
    pub(crate) fn watch_ack(&mut self, slot: u32, watched: bool) {
        self.slot_mut(offset_of(slot)).ack_watch = WATCHED * u8::from(watched);
    }

    #[inline(always)]
    fn store<T: Value>(&mut self, offset: u32, value: T) {
        let slots = self.channel_mut::<T>(offset);
        value.store(|word, bits| slots[word as usize].word = bits);
    }

    /// Presents a value at `output`, or nothing.
    #[inline]
    pub fn write<T: Value>(&mut self, output: Output<T>, value: Option<T>) {
        match value {
            Some(value) => self.write_if(output, true, value),
            None => self.clear(output),
        }
    }

    /// Presents `value` at `output` if `is_present`, else nothing. The same as [`Signals::write`] without a branch.
    #[inline]
    pub fn write_if<T: Value>(&mut self, output: Output<T>, is_present: bool, value: T) {
        let offset = output.offset;
        let slot = self.slot_mut(offset);
        // As in `present`, whose closures would put the value into memory even at an unwatched slot.
        let is_watched = is_disturbed(slot.data_watch, is_present | slot.present);
        if is_watched {
            self.remember(offset, T::TYPE.words);
        }
        self.slot_mut(offset).present = is_present;
        self.store(offset, value);
        if is_watched {
            self.compare_with_remembered(offset, T::TYPE.words);
        }
    }

    /// The same for a value whose first words are those of `first`; the others are at `output` already.
    #[inline]
    pub fn write_first_if<T: Value, First: Value>(
        &mut self,
        output: Output<T>,
        is_present: bool,
        first: First,
    ) {
        const { assert!(First::TYPE.words <= T::TYPE.words, "there are more words than the value takes") };
        self.write_if(output.retyped::<First>(), is_present, first);
    }

    #[cold]
    #[inline(never)]
    fn remember(&mut self, offset: u32, words: u32) {
        self.before.0 = self.slot(offset).present;
        for word in 0..words {
            self.before.1[word as usize] = self.slot(offset_of_word(offset, word)).word;
        }
    }

    #[cold]
    #[inline(never)]
    fn compare_with_remembered(&mut self, offset: u32, words: u32) {
        let (was_present, before) = self.before;
        let is_present = self.slot(offset).present;
        let is_same = |word: u32| self.slot(offset_of_word(offset, word)).word == before[word as usize];
        if was_present != is_present || is_present && !(0..words).all(is_same) {
            self.disturb(offset, Part::Data);
        }
    }

    /// True if the receiver at `output` acknowledges.
    #[inline]
    pub fn is_acknowledged<T>(&self, output: Output<T>) -> bool {
        self.slot(output.offset).ack
    }

    /// True if a value moves through `output` in this cycle.
    #[inline]
    pub fn is_sent<T>(&self, output: Output<T>) -> bool {
        let slot = self.slot(output.offset);
        slot.present & slot.ack
    }

    /// True if a value is presented at `output`.
    #[inline]
    pub fn is_offered<T>(&self, output: Output<T>) -> bool {
        self.slot(output.offset).present
    }

    /// Presents the value at `input` at `output`, whatever its type.
    #[inline]
    pub fn forward<T>(&mut self, input: Input<T>, output: Output<T>) {
        let (from, to) = (input.offset, output.offset);
        // An output that is not connected has one word whatever its type.
        let words = input.words.min(output.words);
        self.present(
            to,
            self.slot(from).present,
            move |it| it.hold_the_same(from, to, 0..words),
            move |it| {
                let slots = it.slots.as_mut_ptr();
                // SAFETY: as in `channel`, for both of them; handles have at most `MAXIMUM_WORDS` words.
                unsafe {
                    let from = slots.byte_add(from as usize);
                    let to = slots.byte_add(to as usize);
                    (*to).word = (*from).word;
                    for word in 1..words as usize {
                        (*to.add(word)).word = (*from.add(word)).word;
                    }
                }
            },
        );
    }

    /// Presents the value at `input` at `output`. Like [`Signals::forward`] for a known type.
    #[inline]
    pub fn copy<T: Value>(&mut self, input: Input<T>, output: Output<T>) {
        self.copy_but_first(input, output, self.slot(input.offset).word);
    }

    /// The same with `first` in place of the first word.
    #[inline]
    pub fn copy_but_first<T: Value>(&mut self, input: Input<T>, output: Output<T>, first: u64) {
        let (from, to) = (input.offset, output.offset);
        self.present(
            to,
            self.slot(from).present,
            move |it| it.slot(to).word == first && it.hold_the_same(from, to, 1..T::TYPE.words),
            move |it| {
                it.slot_mut(to).word = first;
                it.copy_words(input, output);
            },
        );
    }

    // Copies all words but the first.
    #[inline(always)]
    fn copy_words<T: Value>(&mut self, input: Input<T>, output: Output<T>) {
        const { assert!(T::TYPE.words <= MAXIMUM_WORDS, "a value takes too many words") };
        let slots = self.slots.as_mut_ptr();
        // SAFETY: as in `channel`, for both of them.
        unsafe {
            let from = slots.byte_add(input.offset as usize);
            let to = slots.byte_add(output.offset as usize);
            for word in 1..T::TYPE.words as usize {
                (*to.add(word)).word = (*from.add(word)).word;
            }
        }
    }

    /// Presents nothing at `output`.
    #[inline]
    pub fn clear<T>(&mut self, output: Output<T>) {
        self.present(output.offset, false, |_| true, |_| ());
    }

    /// The words presented at `input`, appended to `words`, whatever their type; nothing if none are presented.
    pub fn read_words<T>(&self, input: Input<T>, words: &mut Vec<u64>) {
        if self.slot(input.offset).present {
            words.extend((0..input.words).map(|word| self.slot(offset_of_word(input.offset, word)).word));
        }
    }

    /// Presents `words` at `output`; they must be as many as its type takes.
    pub fn write_words<T>(&mut self, output: Output<T>, words: Option<&[u64]>) {
        let Some(words) = words else { return self.clear(output) };
        let slots = |offset: u32| (0..output.words).map(move |word| offset_of_word(offset, word));
        let offset = output.offset;
        self.present(
            offset,
            true,
            move |it| slots(offset).zip(words).all(|(slot, word)| it.slot(slot).word == *word),
            move |it| slots(offset).zip(words).for_each(|(slot, word)| it.slot_mut(slot).word = *word),
        );
    }

    /// Value presented at `output`, or `None`.
    pub fn offered<T: Value>(&self, output: Output<T>) -> Option<T> {
        let slots = self.channel::<T>(output.offset);
        self.slot(output.offset).present.then(|| T::load(|word| slots[word as usize].word))
    }

    /// Like [`Signals::show`], for the sender.
    pub fn show_sent<T: Value>(&mut self, output: Output<T>, value: Option<T>, is_accepted: bool) {
        self.show_at(output.offset, value, is_accepted);
    }

    /// Writes a value, or nothing, and an acknowledgement into a channel between members of a [`Fusion`](crate::Fusion), for
    /// observers. Wakes no module: no process of theirs runs.
    pub fn show<T: Value>(&mut self, input: Input<T>, value: Option<T>, is_accepted: bool) {
        self.show_at(input.offset, value, is_accepted);
    }

    fn show_at<T: Value>(&mut self, offset: u32, value: Option<T>, is_accepted: bool) {
        let slot = self.slot_mut(offset);
        (slot.present, slot.ack) = (value.is_some(), is_accepted);
        if let Some(value) = value {
            self.store(offset, value);
        }
    }

    /// Lets every process set its outputs afresh.
    pub(crate) fn forget_what_was_set(&mut self) {
        self.epoch += 1;
    }

    #[inline]
    pub(crate) fn raw_present(&self, slot: u32) -> bool {
        self.slot(offset_of(slot)).present
    }

    #[inline]
    pub(crate) fn raw_ack(&self, slot: u32) -> bool {
        self.slot(offset_of(slot)).ack
    }

    pub(crate) fn raw_word(&self, slot: u32) -> u64 {
        self.slot(offset_of(slot)).word
    }

    pub(crate) fn set_raw_present(&mut self, slot: u32, present: bool) {
        self.epoch += 1;
        self.slot_mut(offset_of(slot)).present = present;
    }

    pub(crate) fn set_raw_ack(&mut self, slot: u32, ack: bool) {
        self.epoch += 1;
        self.slot_mut(offset_of(slot)).ack = ack;
    }

    pub(crate) fn set_raw_word(&mut self, slot: u32, word: u64) {
        self.slot_mut(offset_of(slot)).word = word;
    }
}
