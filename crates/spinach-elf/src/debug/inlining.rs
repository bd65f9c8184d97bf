//! Translation of addresses into the functions that the compiler inlined there.

use std::collections::BTreeMap;
use std::sync::Arc;

/// A call that was inlined, inside others.
#[derive(Clone, Debug)]
struct Call {
    name: Arc<str>,
    around: Option<u32>,
    depth: usize,
}

/// The innermost inlined call of addresses, as ranges that do not overlap.
#[derive(Clone, Debug, Default)]
pub(super) struct Inlining {
    calls: Vec<Call>,
    /// Ranges by first address: the first address after the range, and the call.
    ranges: BTreeMap<u64, (u64, u32)>,
}

impl Inlining {
    pub(super) fn at(&self, address: u64) -> Vec<Arc<str>> {
        let range = self.ranges.range(..=address).next_back();
        let mut next = range.and_then(|(_, (end, call))| (address < *end).then_some(*call));
        let mut names = Vec::new();
        while let Some(index) = next {
            let call = &self.calls[index as usize];
            names.push(Arc::clone(&call.name));
            next = call.around;
        }
        names.reverse();
        names
    }

    /// A call inside another, or directly in its function.
    pub(super) fn add_call(&mut self, name: Arc<str>, around: Option<u32>) -> u32 {
        let depth = around.map_or(0, |around| self.depth(around) + 1);
        self.calls.push(Call { name, around, depth });
        (self.calls.len() - 1) as u32
    }

    /// Number of calls around this one.
    pub(super) fn depth(&self, call: u32) -> usize {
        self.calls[call as usize].depth
    }

    /// The code from `start` to before `end` comes from this call, in place of earlier calls: inner ranges are read after outer
    /// ones.
    pub(super) fn paint(&mut self, start: u64, end: u64, call: u32) {
        if start >= end {
            return;
        }
        // A range that begins before and overlaps keeps its two ends.
        if let Some((before, (before_end, before_call))) =
            self.ranges.range(..start).next_back().map(|(before, range)| (*before, *range))
            && before_end > start
        {
            self.ranges.insert(before, (start, before_call));
            if before_end > end {
                self.ranges.insert(end, (before_end, before_call));
            }
        }
        while let Some((inside, (inside_end, inside_call))) =
            self.ranges.range(start..end).next().map(|(inside, range)| (*inside, *range))
        {
            self.ranges.remove(&inside);
            if inside_end > end {
                self.ranges.insert(end, (inside_end, inside_call));
            }
        }
        self.ranges.insert(start, (end, call));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_paint_of_an_address_counts() {
        let mut random = 12345_u64;
        let mut below = |limit: u64| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) % limit
        };
        for _ in 0..200 {
            let mut inlining = Inlining::default();
            let mut plain = [None; 64];
            for number in 0..12 {
                let call = inlining.add_call(number.to_string().into(), None);
                let (start, end) = (below(64), below(65));
                inlining.paint(start, end, call);
                (start..end).for_each(|address| plain[address as usize] = Some(number));
            }
            for (address, expected) in plain.iter().enumerate() {
                let found = inlining.at(address as u64).first().map(|name| name.parse::<i32>().unwrap());
                assert_eq!(found, *expected);
            }
        }
    }
}
