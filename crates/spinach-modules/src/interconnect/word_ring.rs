//! A first-in first-out store of values of any type, in one flat allocation.

use serde::{Deserialize, Serialize};
use spinach_engine::{Input, Signals};

/// Copies the words of the value at `input`, whatever its type.
#[inline]
pub(crate) fn copy_words<T>(signals: &Signals, input: Input<T>, words: &mut [u64]) {
    for (word, bits) in (0..input.words()).zip(words) {
        *bits = signals.word(input, word);
    }
}

/// Bounded queue of values, oldest first, each of `words` 64-bit words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WordRing {
    words: u32,
    capacity: u32,
    // The position of the oldest value, in values.
    head: u32,
    length: u32,
    storage: Vec<u64>,
}

impl WordRing {
    /// Room for `capacity` values of `words` words each, both at least 1.
    pub(crate) fn new(words: u32, capacity: u32) -> Self {
        let storage = vec![0; words as usize * capacity as usize];
        Self { words, capacity, head: 0, length: 0, storage }
    }

    /// True if it is empty.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Maximum number of values.
    #[inline]
    pub(crate) fn capacity(&self) -> u32 {
        self.capacity
    }

    /// True if no more values fit in.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.length == self.capacity
    }

    #[inline]
    fn at(&self, position: u32) -> std::ops::Range<usize> {
        let wrapped = if position >= self.capacity { position - self.capacity } else { position };
        let start = (wrapped * self.words) as usize;
        start..start + self.words as usize
    }

    /// The words of the oldest value.
    #[inline]
    pub(crate) fn front(&self) -> Option<&[u64]> {
        (self.length > 0).then(|| &self.storage[self.at(self.head)])
    }

    /// Takes the oldest value away, if there is one.
    #[inline]
    pub(crate) fn pop(&mut self) {
        if self.length > 0 {
            self.length -= 1;
            self.head = if self.head + 1 == self.capacity { 0 } else { self.head + 1 };
        }
    }

    /// Room for one more value behind the youngest; the ring must not be full.
    #[inline]
    pub(crate) fn push(&mut self) -> &mut [u64] {
        debug_assert!(!self.is_full(), "a value is pushed into a full ring");
        let range = self.at(self.head + self.length);
        self.length += 1;
        &mut self.storage[range]
    }

    /// Checks that a saved ring can replace this one.
    ///
    /// # Errors
    /// If it was made for other values or for another number of them.
    pub(crate) fn check(&self, saved: &Self) -> Result<(), String> {
        let shape = |ring: &Self| (ring.words, ring.capacity, ring.storage.len());
        if shape(saved) != shape(self) || saved.length > self.capacity || saved.head >= self.capacity {
            return Err("the saved values do not fit into this buffer".to_owned());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_leave_in_the_order_in_which_they_came_however_often_the_ring_wraps() {
        let mut ring = WordRing::new(2, 3);
        let (mut next_in, mut next_out) = (0, 0);
        for step in 0..100u64 {
            if !ring.is_full() && step % 3 != 2 {
                ring.push().copy_from_slice(&[next_in, !next_in]);
                next_in += 1;
            }
            if step % 2 == 1 {
                assert_eq!(ring.front(), Some([next_out, !next_out].as_slice()));
                ring.pop();
                next_out += 1;
            }
            assert_eq!(u64::from(ring.length), next_in - next_out);
        }
        assert!(next_out >= 50);
    }

    #[test]
    fn a_ring_of_another_shape_is_refused() {
        let ring = WordRing::new(2, 3);
        assert!(ring.check(&WordRing::new(3, 2)).is_err());
        assert!(ring.check(&WordRing { length: 4, ..WordRing::new(2, 3) }).is_err());
        assert!(ring.check(&WordRing { head: 3, ..WordRing::new(2, 3) }).is_err());
        assert!(ring.check(&WordRing::new(2, 3)).is_ok());
    }
}
