//! Routing of references by their address, and the order of their responses.

use serde::{Deserialize, Serialize};
use spinach_engine::{Destination, Input, Passage, Signals};

use crate::parts::divisor::Divisor;
use crate::values::Reference;

/// Target number of an address that nothing answers; not the number of any target.
pub(crate) const NOWHERE: u8 = u8::MAX;

/// Maximum number of targets.
pub(crate) const MAXIMUM_TARGETS: usize = 32;

// A range of addresses and the targets over which it is spread.
#[derive(Clone, Copy, Debug)]
struct Range {
    base: u64,
    size: u64,
    first: u8,
    count: Divisor,
    granule_bits: u8,
    is_spread: bool,
    // True if targets get addresses that count their own bytes.
    is_compact: bool,
}

/// Map from addresses to targets.
#[derive(Clone, Debug)]
pub(crate) struct Routes {
    words: RangeOfWords,
    ranges: Box<[Range]>,
}

// The first range as bytes of an aligned word of four bytes find it: a word is at one target, if its first byte is in the range.
#[derive(Clone, Copy, Debug)]
struct RangeOfWords {
    base: u64,
    // 0 if they have to be looked up as all other references.
    size: u64,
    first: u8,
    granule_bits: u8,
    count_bits: u8,
    is_compact: bool,
}

/// Destination of a reference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Route {
    /// The target; [`NOWHERE`] if nothing answers to all bytes of the reference.
    pub(crate) target: u8,
    /// The address that the target gets.
    pub(crate) address: u64,
}

/// Address that a target receives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Addressing {
    /// The one that was asked for.
    Full,
    /// One that counts the bytes of the range that the target has, from 0.
    Compact,
    /// `Compact` for ranges that are spread over several targets, `Full` for the others.
    Banked,
}

/// The description of [`Routes`], as parameters give it: one entry for each range in every list.
pub(crate) struct RouteLists<'a> {
    /// The first address.
    pub(crate) bases: &'a [u64],
    /// Size of each range, in bytes.
    pub(crate) sizes: &'a [u64],
    /// Over how many consecutive targets the range is spread; empty for one each.
    pub(crate) interleave: &'a [u64],
    /// The first of these targets; empty to take the targets one after another.
    pub(crate) targets: &'a [u64],
    /// Number of consecutive bytes of an interleaved range that belong to one target.
    pub(crate) interleave_bytes: u64,
    /// Addresses that targets receive.
    pub(crate) addressing: Addressing,
}

impl Routes {
    /// Checks the description and makes routes to `targets` targets of it.
    ///
    /// # Errors
    /// If the lists do not fit each other or the targets, or ranges overlap; with the reason.
    pub(crate) fn new(lists: &RouteLists<'_>, targets: usize) -> Result<Self, String> {
        let count = lists.bases.len();
        for (name, list, may_be_empty) in [
            ("sizes", lists.sizes, false),
            ("interleave", lists.interleave, true),
            ("targets", lists.targets, true),
        ] {
            if list.len() != count && !(may_be_empty && list.is_empty()) {
                return Err(format!("bases has {count} entries, but {name} has {}", list.len()));
            }
        }
        if targets > MAXIMUM_TARGETS {
            return Err(format!("{targets} targets are more than the {MAXIMUM_TARGETS} there can be"));
        }
        let mut ranges = Vec::with_capacity(count);
        let mut next = 0;
        for index in 0..count {
            let spread = lists.interleave.get(index).copied().unwrap_or(1);
            let first = lists.targets.get(index).copied().unwrap_or(next);
            next = first.saturating_add(spread);
            if spread == 0 {
                return Err(format!("range {index} leads to no target: interleave[{index}] is 0"));
            }
            if next > targets as u64 {
                let missing = first.max(targets as u64);
                return Err(format!(
                    "target {missing} is not connected, but range {index} at 0x{:x} leads to it",
                    lists.bases[index]
                ));
            }
            ranges.push(Range {
                base: lists.bases[index],
                size: lists.sizes[index],
                first: first as u8,
                count: Divisor::new(spread),
                granule_bits: lists.interleave_bytes.trailing_zeros() as u8,
                is_spread: spread > 1,
                is_compact: match lists.addressing {
                    Addressing::Full => false,
                    Addressing::Compact => true,
                    Addressing::Banked => spread > 1,
                },
            });
        }
        check_ranges(&ranges)?;
        let leads_to = |target: usize| {
            let mut ranges = ranges.iter();
            ranges.any(|range| {
                (range.first..range.first + range.count.number() as u8).contains(&(target as u8))
            })
        };
        if let Some(unreachable) = (0..targets).find(|target| !leads_to(*target)) {
            return Err(format!("no range of addresses leads to target {unreachable}"));
        }
        let words = RangeOfWords::of(ranges.first());
        Ok(Self { words, ranges: ranges.into() })
    }

    /// Passages of references through the lanes of the output `port`. Interleaved ranges with full addresses are left out.
    pub(crate) fn passages(&self, port: usize) -> Vec<Passage> {
        let simple = self.ranges.iter().filter(|range| range.is_compact || !range.is_spread);
        let passage = |range: &Range| {
            let first = usize::from(range.first);
            let lanes = (first..first + range.count.number() as usize).collect();
            let address = if range.is_compact { 0 } else { range.base };
            let to = Destination::On { port, lanes, granule: 1 << range.granule_bits, address };
            Passage { first: range.base, bytes: range.size, to, reverses_words: false }
        };
        simple.map(passage).collect()
    }

    /// Destination of the reference presented at `request`.
    #[inline(always)]
    pub(crate) fn route(&self, signals: &Signals, request: Input<Reference>) -> Route {
        let words = signals.words(request);
        self.find(words(0), Reference::size_of(words(1)))
    }

    /// Destination of a reference to `size` bytes.
    #[inline(always)]
    pub(crate) fn find(&self, address: u64, size: u64) -> Route {
        let offset = address.wrapping_sub(self.words.base);
        // Bytes of one aligned word, for one branch.
        if offset < self.words.size && size.wrapping_add(address & 3).wrapping_sub(1) < 4 {
            return self.words.route(address, offset);
        }
        self.look_up(address, size)
    }

    #[inline(never)]
    fn look_up(&self, address: u64, size: u64) -> Route {
        let mut ranges = self.ranges.iter();
        let range = ranges.find(|range| address.wrapping_sub(range.base) < range.size);
        range.and_then(|range| range.route(address, size)).unwrap_or(Route { target: NOWHERE, address })
    }
}

impl RangeOfWords {
    fn of(range: Option<&Range>) -> Self {
        let fits = |range: &&Range| {
            (range.granule_bits >= 2 || !range.is_spread)
                && range.count.number().is_power_of_two()
                && range.base.is_multiple_of(4)
                && range.size.is_multiple_of(4)
        };
        match range.filter(fits) {
            Some(Range { base, size, first, count, granule_bits, is_compact, is_spread }) => Self {
                base: *base,
                size: *size,
                first: *first,
                // A range that is not spread is one granule.
                granule_bits: if *is_spread { *granule_bits } else { 63 },
                count_bits: count.number().trailing_zeros() as u8,
                is_compact: *is_compact,
            },
            None => Self { base: 0, size: 0, first: 0, granule_bits: 0, count_bits: 0, is_compact: false },
        }
    }

    // Route of the word at `address`, `offset` bytes from the base.
    #[inline(always)]
    fn route(&self, address: u64, offset: u64) -> Route {
        let granule = offset >> self.granule_bits;
        let (own_granule, granule_start) = (granule >> self.count_bits, granule << self.granule_bits);
        let place = granule - (own_granule << self.count_bits);
        let compact = (own_granule << self.granule_bits) + (offset - granule_start);
        Route { target: self.first + place as u8, address: if self.is_compact { compact } else { address } }
    }
}

impl Range {
    // Route of `size` bytes of which the first is in this range; `None` if they are not all at one target.
    #[inline]
    fn route(&self, address: u64, size: u64) -> Option<Route> {
        let first = address - self.base;
        let last = first + size.saturating_sub(1);
        if last >= self.size {
            return None;
        }
        if !self.is_spread {
            return Some(Route {
                target: self.first,
                address: if self.is_compact { first } else { address },
            });
        }
        let granule = first >> self.granule_bits;
        if last >> self.granule_bits != granule {
            return None;
        }
        let own_granule = self.count.quotient(granule);
        let place = granule - own_granule * self.count.number();
        let compact = own_granule << self.granule_bits | first & ((1 << self.granule_bits) - 1);
        Some(Route {
            target: self.first + place as u8,
            address: if self.is_compact { compact } else { address },
        })
    }
}

fn check_ranges(ranges: &[Range]) -> Result<(), String> {
    for (index, range) in ranges.iter().enumerate() {
        let (base, size) = (range.base, range.size);
        if size == 0 {
            return Err(format!("range {index} at {base:#x} has no bytes"));
        }
        let last = base.checked_add(size - 1);
        let Some(last) = last else {
            return Err(format!("range {index} at {base:#x} with {size:#x} bytes does not end before 2^64"));
        };
        for (other_index, other) in ranges[..index].iter().enumerate() {
            if base <= other.base + (other.size - 1) && other.base <= last {
                return Err(format!(
                    "ranges {other_index} and {index} overlap at {:#x}",
                    base.max(other.base)
                ));
            }
        }
    }
    Ok(())
}

/// Outstanding references of one initiator, in order.
///
/// All its outstanding references are at one target, with one exception: the oldest may still be at another. That is so
/// because a reference to another target is accepted only when nothing is outstanding or while the one outstanding reference
/// is being answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Order {
    pub(crate) outstanding: u16,
    // Number of the youngest of these that are at `last`; the oldest is at `previous` if that is one less.
    run: u16,
    last: u8,
    previous: u8,
}

impl Order {
    /// Destination of the oldest reference; meaningless if none is outstanding.
    #[inline]
    pub(crate) fn oldest(&self) -> u8 {
        if self.outstanding > self.run { self.previous } else { self.last }
    }

    /// True if a reference to `target` may follow, given that the oldest one `is_answered` in this cycle or not.
    #[inline]
    pub(crate) fn allows(&self, target: u8, is_answered: bool) -> bool {
        let follows = (target == self.last) & (self.outstanding < u16::MAX);
        follows | (self.outstanding == 0) | (self.outstanding == 1) & is_answered
    }

    /// A reference to `target` was taken.
    #[inline]
    pub(crate) fn push(&mut self, target: u8) {
        if self.outstanding == 0 || target != self.last {
            (self.previous, self.last, self.run) = (self.last, target, 0);
        }
        self.run += 1;
        self.outstanding += 1;
    }

    /// The oldest reference was answered.
    #[inline]
    pub(crate) fn pop(&mut self) {
        self.outstanding -= 1;
        self.run = self.run.min(self.outstanding);
    }

    /// Number of the outstanding references at `target`.
    pub(crate) fn count_at(&self, target: u8) -> u32 {
        let youngest = if self.last == target { self.run } else { 0 };
        let oldest = u16::from(self.outstanding > self.run && self.previous == target);
        u32::from(youngest) + u32::from(oldest)
    }

    /// True if every target it names is below `targets` or nowhere.
    pub(crate) fn fits(&self, targets: usize) -> bool {
        let exists = |target: u8| target == NOWHERE || usize::from(target) < targets.max(1);
        let is_ordered = self.run <= self.outstanding && self.outstanding <= self.run.saturating_add(1);
        exists(self.last) && exists(self.previous) && is_ordered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_to_the_first_range_are_found_as_by_a_search() {
        let bases = [0x100, 0x40];
        for (interleave, interleave_bytes) in [(1, 1), (4, 1), (4, 4), (2, 16), (3, 8)] {
            for addressing in [Addressing::Full, Addressing::Compact, Addressing::Banked] {
                let lists = RouteLists {
                    bases: &bases,
                    sizes: &[96, 32],
                    interleave: &[interleave, 1],
                    targets: &[],
                    interleave_bytes,
                    addressing,
                };
                let routes = Routes::new(&lists, interleave as usize + 1).expect("the lists fit");
                for (address, size) in
                    (0..0x180).flat_map(|address| (1..=16).map(move |size| (address, size)))
                {
                    assert_eq!(
                        routes.find(address, size),
                        routes.look_up(address, size),
                        "{address:#x}, {size}"
                    );
                }
            }
        }
    }
}
