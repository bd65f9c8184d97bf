//! Parts of crossings between two clock domains.

use serde::{Deserialize, Serialize};
use spinach_engine::{Edge, Input, Output, Signals, Time};

use super::word_ring::{WordRing, copy_words};

/// Maximum number of flip-flops of a [`Chain`].
pub(crate) const MAXIMUM_STAGES: usize = 8;

/// A register of one clock domain that another domain looks at.
///
/// If edges of both clocks fall together, the other domain must see the earlier value, whichever commits first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Register {
    /// Present value.
    pub(crate) value: u64,
    previous: u64,
    changed_at: Option<Time>,
}

impl Register {
    /// A register that has always held `value`.
    pub(crate) fn new(value: u64) -> Self {
        Self { value, previous: value, changed_at: None }
    }

    /// Stores `value` at the edge at `time`; once per edge.
    #[inline]
    pub(crate) fn set(&mut self, value: u64, time: Time) {
        if value != self.value {
            *self = Self { value, previous: self.value, changed_at: Some(time) };
        }
    }

    /// Value before the edge at `time`, the present one.
    #[inline]
    pub(crate) fn before(&self, time: Time) -> u64 {
        if self.changed_at == Some(time) { self.previous } else { self.value }
    }
}

/// A chain of flip-flops in the domain that looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Chain {
    // Value of the first flip-flop.
    newest: u64,
    stages: u8,
    // Number of further edges like the last one until all of them hold `newest`.
    moving: u8,
    // The last ones first; those beyond `stages` stay as they were made.
    flip_flops: [u64; MAXIMUM_STAGES],
}

impl Chain {
    /// Number of flip-flops, 0 to [`MAXIMUM_STAGES`], that all hold `value`. Without any, [`Self::pass`] shows values at once.
    pub(crate) fn new(stages: u32, value: u64) -> Self {
        Self { newest: value, stages: stages as u8, moving: 0, flip_flops: [value; MAXIMUM_STAGES] }
    }

    /// Shows `value`, which has just been written, if there are no flip-flops on its way.
    #[inline]
    pub(crate) fn pass(&mut self, value: u64) {
        if self.stages == 0 {
            (self.newest, self.flip_flops[0]) = (value, value);
        }
    }

    /// One edge: everything moves on by one flip-flop.
    #[inline]
    pub(crate) fn shift(&mut self, value: u64) {
        if self.stages == 0 {
            return;
        }
        if value != self.newest {
            (self.newest, self.moving) = (value, self.stages);
        }
        if self.moving > 0 {
            self.moving -= 1;
            // Moving all of them at once costs less than finding out how many there are.
            let [_, moved @ ..] = self.flip_flops;
            self.flip_flops[..MAXIMUM_STAGES - 1].copy_from_slice(&moved);
            self.flip_flops[usize::from(self.stages) - 1] = value;
        }
    }

    /// Output value.
    #[inline]
    pub(crate) fn output(&self) -> u64 {
        self.flip_flops[0]
    }

    /// True if every flip-flop holds `value`.
    #[inline]
    pub(crate) fn is_settled_at(&self, value: u64) -> bool {
        (self.moving == 0) & (self.newest == value)
    }

    /// True if both chains have equally many flip-flops.
    pub(crate) fn has_length_of(&self, other: &Self) -> bool {
        self.stages == other.stages
    }
}

/// A first-in first-out buffer whose write and read pointers each pass through a chain of flip-flops of the other clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Passage {
    entries: WordRing,
    // Numbers of values that were written and read since the start.
    written: Register,
    read: Register,
    // `written` on its way to the reading side, `read` on its way to the writing side.
    written_seen: Chain,
    read_seen: Chain,
}

impl Passage {
    /// Room for `depth` values of `words` words, and `stages` flip-flops for each pointer.
    pub(crate) fn new(words: u32, depth: u32, stages: u32) -> Self {
        Self {
            entries: WordRing::new(words, depth),
            written: Register::new(0),
            read: Register::new(0),
            written_seen: Chain::new(stages, 0),
            read_seen: Chain::new(stages, 0),
        }
    }

    /// Evaluates the side that receives.
    #[inline]
    pub(crate) fn evaluate_input<T>(&self, input: Input<T>, signals: &mut Signals) {
        signals.acknowledge(input, self.has_room());
    }

    /// True if the receiving side knows of room for one more value.
    #[inline]
    pub(crate) fn has_room(&self) -> bool {
        self.written.value - self.read_seen.output() < u64::from(self.entries.capacity())
    }

    /// Evaluates the side that sends.
    #[inline]
    pub(crate) fn evaluate_output<T>(&self, output: Output<T>, signals: &mut Signals) {
        signals.write_words(output, self.entries.front().filter(|_| self.shows_value()));
    }

    /// True if the sending side knows of a value.
    #[inline]
    pub(crate) fn shows_value(&self) -> bool {
        self.written_seen.output() > self.read.value
    }

    /// True if nothing changes on the receiving side at this edge of its clock, and nothing is presented to it.
    #[inline]
    pub(crate) fn input_rests<T>(&self, input: Input<T>, edge: &Edge<'_>) -> bool {
        let is_settled = self.read_seen.is_settled_at(self.read.before(edge.time()));
        is_settled & !edge.signals.is_present(input)
    }

    /// True if nothing changes on the sending side at this edge of its clock.
    #[inline]
    pub(crate) fn output_rests<T>(&self, output: Output<T>, edge: &Edge<'_>) -> bool {
        self.written_seen.is_settled_at(self.written.before(edge.time())) & !edge.signals.is_sent(output)
    }

    /// An edge of the clock of the side that receives; whether a value was refused.
    #[inline]
    pub(crate) fn commit_input<T>(&mut self, input: Input<T>, edge: &Edge<'_>) -> bool {
        self.read_seen.shift(self.read.before(edge.time()));
        if edge.signals.is_received(input) {
            copy_words(edge.signals, input, self.entries.push());
            self.written.set(self.written.value + 1, edge.time());
            self.written_seen.pass(self.written.value);
            return false;
        }
        edge.signals.is_present(input)
    }

    /// An edge of the clock of the side that sends; whether a value left.
    #[inline]
    pub(crate) fn commit_output<T>(&mut self, output: Output<T>, edge: &Edge<'_>) -> bool {
        self.written_seen.shift(self.written.before(edge.time()));
        let leaves = edge.signals.is_sent(output);
        if leaves {
            self.entries.pop();
            self.read.set(self.read.value + 1, edge.time());
            self.read_seen.pass(self.read.value);
        }
        leaves
    }

    /// True if both sides know each other's pointers.
    #[inline]
    pub(crate) fn is_settled(&self) -> bool {
        !self.receiver_learns() && !self.sender_learns()
    }

    /// True if coming edges of the receiving side move a pointer on its way there.
    #[inline]
    pub(crate) fn receiver_learns(&self) -> bool {
        !self.read_seen.is_settled_at(self.read.value)
    }

    /// True if coming edges of the sending side move a pointer on its way there.
    #[inline]
    pub(crate) fn sender_learns(&self) -> bool {
        !self.written_seen.is_settled_at(self.written.value)
    }

    /// Checks that `saved` can replace this one.
    ///
    /// # Errors
    /// If it cannot; says why.
    pub(crate) fn check(&self, saved: &Self) -> Result<(), String> {
        let fits = saved.written_seen.has_length_of(&self.written_seen)
            && saved.read_seen.has_length_of(&self.read_seen)
            && saved.read_seen.output() <= saved.written.value
            && saved.written_seen.output() <= saved.written.value;
        if !fits {
            return Err("the saved pointers do not belong to this buffer".to_owned());
        }
        self.entries.check(&saved.entries)
    }
}
