//! The lines of a cache: tags, bytes, and which line has to go.

use std::cell::Cell;

use serde::{Deserialize, Serialize};
use spinach_engine::Policy;

use crate::memory::storage::Storage;
use crate::values::Reference;

/// The shape of a cache.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    line_bits: u32,
    set_mask: u64,
    ways: usize,
}

/// Choice of the line that makes room.
#[derive(Clone, Debug)]
pub(super) enum Replacement {
    LeastRecentlyUsed,
    FirstIn,
    Random,
    Function(Policy),
}

/// All lines, set by set.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[repr(C)]
pub(super) struct Lines {
    // The line found last, where to look first: lines are used many times in a row.
    #[serde(skip)]
    latest: Cell<Found>,
    // True if it may differ from the line of which a use was noted last.
    #[serde(skip)]
    is_latest_new: Cell<bool>,
    bytes: Storage,
    // The number of the line of memory that is here, plus one; 0 for none.
    tags: Vec<u64>,
    // Last use and fill of each line, by a counter of such events.
    used: Vec<u64>,
    filled: Vec<u64>,
    events: u64,
    random: u64,
    policy: Vec<u64>,
}

/// A line: the first of the addresses that it holds, the bits that no offset of an aligned word in it has, and where its bytes
/// begin.
#[derive(Clone, Copy, Debug)]
struct Found {
    first: u64,
    no_offset: u64,
    start: u64,
}

impl Found {
    // There are no bytes where these would begin.
    const NONE: Self = Self { first: 0, no_offset: u64::MAX, start: u64::MAX };
}

impl Default for Found {
    fn default() -> Self {
        Self::NONE
    }
}

impl Shape {
    /// # Errors
    /// If the numbers do not give an integer number of sets, a power of two.
    pub(super) fn new(size: u64, line_size: u64, ways: u64) -> Result<Self, String> {
        let sets = size / line_size / ways;
        if !sets.is_power_of_two() || sets * ways * line_size != size {
            return Err(format!(
                "{size} B are not a power of two of sets of {ways} lines of {line_size} B; change size or associativity"
            ));
        }
        Ok(Self { line_bits: line_size.trailing_zeros(), set_mask: sets - 1, ways: ways as usize })
    }

    #[inline]
    pub(super) const fn line_size(self) -> u64 {
        1 << self.line_bits
    }

    /// Offset of `address` in its line.
    pub(super) const fn offset_in_line(self, address: u64) -> u64 {
        address & (self.line_size() - 1)
    }

    /// The address of the line that holds `address`.
    #[inline]
    pub(super) const fn line_address(self, address: u64) -> u64 {
        address >> self.line_bits << self.line_bits
    }

    #[inline]
    const fn tag(self, address: u64) -> u64 {
        (address >> self.line_bits) + 1
    }

    // The first slot of the set of `address`.
    #[inline]
    const fn set(self, address: u64) -> usize {
        ((address >> self.line_bits) & self.set_mask) as usize * self.ways
    }

    /// The slots in which the line of `address` may be.
    pub(super) const fn slots_of(self, address: u64) -> std::ops::Range<usize> {
        let set = self.set(address);
        set..set + self.ways
    }

    /// Number of slots.
    pub(super) const fn slots(self) -> usize {
        (self.set_mask as usize + 1) * self.ways
    }
}

impl Replacement {
    pub(super) fn new(policy: &Policy) -> Self {
        match policy {
            Policy::Named(name) if name == "lru" => Self::LeastRecentlyUsed,
            Policy::Named(name) if name == "fifo" => Self::FirstIn,
            Policy::Named(_) => Self::Random,
            Policy::Lifted(_) | Policy::Called(_) => Self::Function(policy.clone()),
        }
    }

    /// True if the policy depends on the use of lines.
    pub(super) const fn minds_uses(&self) -> bool {
        matches!(self, Self::LeastRecentlyUsed | Self::Function(_))
    }
}

impl Lines {
    pub(super) fn new(shape: Shape, replacement: &Replacement, seed: u64) -> Self {
        let slots = shape.slots();
        let policy = match replacement {
            Replacement::Function(policy) => policy.initial_state(),
            _ => Vec::new(),
        };
        Self {
            tags: vec![0; slots],
            bytes: Storage::new(slots << shape.line_bits),
            used: vec![0; slots],
            filled: vec![0; slots],
            events: 0,
            // Xorshift never leaves zero.
            random: seed | 1,
            policy,
            ..Self::default()
        }
    }

    /// True if these are lines of the same shape.
    pub(super) fn fits(&self, other: &Self) -> bool {
        let lengths = |lines: &Self| {
            [lines.tags.len(), lines.bytes.len(), lines.used.len(), lines.filled.len(), lines.policy.len()]
        };
        lengths(self) == lengths(other)
    }

    /// The slot of the line that holds the bytes of `reference`; `None` also if that is no proper reference.
    #[inline]
    pub(super) fn find_for(&self, shape: &Shape, reference: &Reference) -> Option<usize> {
        if is_proper(reference) { self.find(shape, reference.address) } else { None }
    }

    /// The slot of the line that holds `address`.
    pub(super) fn find(&self, shape: &Shape, address: u64) -> Option<usize> {
        self.search(shape, address)
    }

    #[inline(always)]
    fn search(&self, shape: &Shape, address: u64) -> Option<usize> {
        let (set, tag) = (shape.set(address), shape.tag(address));
        let ways = self.tags.get(set..set + shape.ways)?;
        let slot = set + ways.iter().position(|held| *held == tag)?;
        self.latest.set(Found {
            first: shape.line_address(address),
            no_offset: !(shape.line_size() - 4),
            start: (slot as u64) << shape.line_bits,
        });
        self.is_latest_new.set(true);
        Some(slot)
    }

    /// The four bytes at `address`, if they are aligned and in any line.
    #[inline(always)]
    pub(super) fn word(&self, shape: &Shape, address: u64) -> Option<u32> {
        self.search(shape, address)?;
        self.word_of_latest(address)
    }

    /// The four bytes at `address`, if they are aligned and in the line found last.
    #[inline(always)]
    pub(super) fn word_of_latest(&self, address: u64) -> Option<u32> {
        let latest = self.latest.get();
        let offset = address.wrapping_sub(latest.first);
        if offset & latest.no_offset == 0 { self.bytes.word(latest.start.wrapping_add(offset)) } else { None }
    }

    /// Result of a read in `slot`.
    pub(super) fn load(&self, shape: Shape, slot: usize, reference: &Reference) -> u128 {
        self.bytes.load(offset(shape, slot, reference.address), reference.size).unwrap_or_default()
    }

    /// The `size` bytes in `slot` from a place in the line on.
    pub(super) fn part(&self, shape: Shape, slot: usize, offset_in_line: u64, size: u8) -> u128 {
        self.bytes.load(offset(shape, slot, offset_in_line), size).unwrap_or_default()
    }

    /// Replaces the enabled bytes in `slot`.
    pub(super) fn store(&mut self, shape: Shape, slot: usize, reference: &Reference) {
        let Reference { address, size, enables, data, .. } = *reference;
        self.bytes.store(offset(shape, slot, address), size, enables, data);
    }

    /// Puts bytes that came from memory in their place in `slot`.
    pub(super) fn fill(&mut self, shape: Shape, slot: usize, offset_in_line: u64, size: u8, data: u128) {
        self.bytes.store(offset(shape, slot, offset_in_line), size, u16::MAX, data);
    }

    /// True if a use of the line found last was noted, and of no other since.
    #[inline(always)]
    pub(super) fn is_latest_noted(&self) -> bool {
        !self.is_latest_new.get()
    }

    /// Notes that the line found last is used, if `minds_uses`.
    #[inline(never)]
    pub(super) fn note_latest(&mut self, shape: &Shape, minds_uses: bool) {
        self.is_latest_new.set(false);
        let slot = (self.latest.get().start >> shape.line_bits) as usize;
        if minds_uses && self.used[slot] != self.events {
            self.touch(slot);
        }
    }

    fn touch(&mut self, slot: usize) {
        self.events += 1;
        self.used[slot] = self.events;
    }

    pub(super) fn forget(&mut self, slot: usize) {
        self.tags[slot] = 0;
        self.latest.take();
    }

    /// Makes `slot`, which is empty, hold the line of `address`.
    pub(super) fn remember(&mut self, shape: Shape, slot: usize, address: u64) {
        self.tags[slot] = shape.tag(address);
        self.touch(slot);
        self.filled[slot] = self.events;
    }

    /// Chooses a slot for the line of `address` and empties it.
    pub(super) fn make_room(&mut self, shape: Shape, replacement: &Replacement, address: u64) -> usize {
        let slot = self.choose(shape, replacement, address);
        self.forget(slot);
        slot
    }

    /// Chooses a slot for the line of `address`, empty or not.
    pub(super) fn choose(&mut self, shape: Shape, replacement: &Replacement, address: u64) -> usize {
        let slots = shape.slots_of(address);
        match slots.clone().find(|slot| self.tags[*slot] == 0) {
            Some(empty) => empty,
            None => slots.start + self.victim(shape, replacement, address, slots),
        }
    }

    /// The address of the line in `slot`, if one is there.
    pub(super) fn address_of(&self, shape: Shape, slot: usize) -> Option<u64> {
        self.tags[slot].checked_sub(1).map(|line| line << shape.line_bits)
    }

    fn victim(
        &mut self,
        shape: Shape,
        replacement: &Replacement,
        address: u64,
        slots: std::ops::Range<usize>,
    ) -> usize {
        let earliest = |stamps: &[u64]| (0..stamps.len()).min_by_key(|way| stamps[*way]).unwrap_or(0);
        let least_recent = earliest(&self.used[slots.clone()]);
        let first_in = earliest(&self.filled[slots]);
        match replacement {
            Replacement::LeastRecentlyUsed => least_recent,
            Replacement::FirstIn => first_in,
            Replacement::Random => {
                self.random ^= self.random << 13;
                self.random ^= self.random >> 7;
                self.random ^= self.random << 17;
                (self.random >> 32) as usize % shape.ways
            }
            Replacement::Function(policy) => {
                let set = (shape.set(address) / shape.ways) as u64;
                let inputs = [set, shape.line_address(address), least_recent as u64, first_in as u64];
                let way = policy.evaluate(&inputs, &self.policy);
                policy.advance(&inputs, &mut self.policy);
                (way % shape.ways as u64) as usize
            }
        }
    }
}

/// Bit of the region of 128 MB of an address; the highest bit represents the lowest addresses.
#[inline]
pub(super) const fn region_of(address: u64) -> u32 {
    1 << 31 >> (address >> 27 & 31)
}

/// True if the reference lies within a line and a memory would serve it.
#[inline]
pub(super) const fn is_proper(reference: &Reference) -> bool {
    let size = reference.size;
    size.is_power_of_two() && size <= 16 && reference.address & (size as u64 - 1) == 0
}

#[inline]
fn offset(shape: Shape, slot: usize, address: u64) -> u64 {
    (slot as u64) << shape.line_bits | shape.offset_in_line(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Two ways of lines of 16 bytes, two sets.
    fn evicted(replacement: &Replacement, then: impl Fn(&mut Lines, Shape)) -> Vec<bool> {
        let shape = Shape::new(64, 16, 2).expect("two sets");
        let mut lines = Lines::new(shape, replacement, 1);
        let bring = |lines: &mut Lines, address| {
            let slot = lines.make_room(shape, replacement, address);
            lines.remember(shape, slot, address);
        };
        bring(&mut lines, 0);
        bring(&mut lines, 32);
        then(&mut lines, shape);
        bring(&mut lines, 64);
        [0, 32, 64].iter().map(|address| lines.find(&shape, *address).is_none()).collect()
    }

    #[test]
    fn the_least_recently_used_line_goes() {
        let touch_first = |lines: &mut Lines, shape: Shape| {
            assert!(lines.find(&shape, 4).is_some());
            lines.note_latest(&shape, true);
        };
        assert_eq!(evicted(&Replacement::LeastRecentlyUsed, |_, _| {}), [true, false, false]);
        assert_eq!(evicted(&Replacement::LeastRecentlyUsed, touch_first), [false, true, false]);
        assert_eq!(evicted(&Replacement::FirstIn, touch_first), [true, false, false]);
    }

    #[test]
    fn an_empty_way_is_taken_first() {
        let forget_second = |lines: &mut Lines, shape| {
            let slot = lines.find(&shape, 40).expect("the line is here");
            lines.forget(slot);
        };
        assert_eq!(evicted(&Replacement::LeastRecentlyUsed, forget_second), [false, true, false]);
    }

    #[test]
    fn shapes_that_leave_parts_of_sets_are_refused() {
        assert!(Shape::new(8192, 32, 2).is_ok());
        assert!(Shape::new(96, 16, 2).is_err());
        assert!(Shape::new(16, 32, 1).is_err());
        assert!(Shape::new(16 * 3, 16, 3).is_ok());
    }
}
