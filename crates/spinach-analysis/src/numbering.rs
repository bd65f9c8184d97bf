//! Small consecutive numbers for sparse keys, so that per-key state is an array.

use std::collections::HashMap;

const PAGE_LOG2: u32 = 10;
const PAGE: usize = 1 << PAGE_LOG2;
const UNNUMBERED: u32 = u32::MAX;
/// Keys below this are looked up in pages: those of all words in 4 GiB.
const PAGED_KEYS: u64 = 1 << 30;

/// Numbers keys from 0 in the order of their first appearance.
#[derive(Debug, Default)]
pub(crate) struct Numbering {
    /// Per upper bits of a key: first index of its page in `numbers`, or empty.
    pages: Vec<u32>,
    numbers: Vec<u32>,
    /// The numbers of keys that have no page.
    far: HashMap<u64, u32>,
    count: u32,
}

impl Numbering {
    /// The number of `key`.
    #[inline]
    pub(crate) fn number(&mut self, key: u64) -> u32 {
        if key >= PAGED_KEYS {
            return self.far_number(key);
        }
        let (page, offset) = ((key >> PAGE_LOG2) as usize, key as usize % PAGE);
        if page >= self.pages.len() {
            self.pages.resize(page + 1, UNNUMBERED);
        }
        if self.pages[page] == UNNUMBERED {
            self.pages[page] = self.numbers.len() as u32;
            self.numbers.resize(self.numbers.len() + PAGE, UNNUMBERED);
        }
        let entry = &mut self.numbers[self.pages[page] as usize + offset];
        if *entry == UNNUMBERED {
            *entry = self.count;
            self.count += 1;
        }
        *entry
    }

    #[cold]
    fn far_number(&mut self, key: u64) -> u32 {
        let next = self.count;
        let number = *self.far.entry(key).or_insert(next);
        self.count += u32::from(number == next);
        number
    }

    /// Number of keys with a number.
    pub(crate) fn count(&self) -> usize {
        self.count as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_numbered_in_order_of_appearance() {
        let mut numbering = Numbering::default();
        let keys = [0x3fff_ffff, 0, 1024, u64::MAX, 1, 0, 0x3fff_ffff, 1 << 30, 1024, u64::MAX];
        assert_eq!(keys.map(|key| numbering.number(key)), [0, 1, 2, 3, 4, 1, 0, 5, 2, 3]);
        assert_eq!(numbering.count(), 6);
    }
}
