//! Tags of a cache: the lines it holds, without their bytes.

use super::parameters::{LINE_BYTES, Shape};

/// A line that a cache holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Line {
    /// One more than its number; 0 in an empty place.
    key: u64,
    /// The cycle in which its bytes are there.
    pub(super) ready: u64,
    /// Number of its last use: the larger, the later.
    used: u64,
    /// True if the level below has older bytes.
    pub(super) is_dirty: bool,
    /// True if no other data cache of this level has it.
    pub(super) is_exclusive: bool,
    /// True if code caches may have it.
    pub(super) may_be_code: bool,
}

/// The lines of a cache, with replacement of the least recently used.
#[derive(Debug)]
pub(super) struct Tags {
    sets: usize,
    ways: usize,
    lines: Vec<Line>,
    uses: u64,
}

/// Line that a new one has replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Replaced {
    pub(super) line: u64,
    pub(super) is_dirty: bool,
}

impl Tags {
    /// An empty cache.
    pub(super) fn new(shape: Shape) -> Self {
        let sets = (shape.bytes / LINE_BYTES / shape.ways).next_power_of_two();
        Self { sets, ways: shape.ways, lines: vec![Line::default(); sets * shape.ways], uses: 0 }
    }

    /// Number of lines that it can hold.
    pub(super) fn count(&self) -> usize {
        self.lines.len()
    }

    fn set(&mut self, line: u64) -> &mut [Line] {
        let first = (line as usize & (self.sets - 1)) * self.ways;
        &mut self.lines[first..first + self.ways]
    }

    /// A line, and takes note of its use.
    #[inline]
    pub(super) fn find(&mut self, line: u64) -> Option<&mut Line> {
        self.uses += 1;
        let uses = self.uses;
        let found = self.set(line).iter_mut().find(|held| held.key == line + 1)?;
        found.used = uses;
        Some(found)
    }

    /// Inserts a line that is not there; returns it, and the line that it replaced.
    pub(super) fn insert(&mut self, line: u64, ready: u64) -> (&mut Line, Option<Replaced>) {
        self.uses += 1;
        let uses = self.uses;
        let set = self.set(line);
        let oldest = (0..set.len()).min_by_key(|way| set[*way].used).unwrap_or(0);
        let held = &mut set[oldest];
        let replaced = (held.key != 0).then(|| Replaced { line: held.key - 1, is_dirty: held.is_dirty });
        *held =
            Line { key: line + 1, ready, used: uses, is_dirty: false, is_exclusive: true, may_be_code: true };
        (held, replaced)
    }

    /// Removes a line; returns true if it was dirty, `None` if it was not there.
    pub(super) fn remove(&mut self, line: u64) -> Option<bool> {
        let held = self.set(line).iter_mut().find(|held| held.key == line + 1)?;
        let is_dirty = held.is_dirty;
        *held = Line::default();
        Some(is_dirty)
    }

    /// Line, without recording a use.
    pub(super) fn peek(&mut self, line: u64) -> Option<&mut Line> {
        self.set(line).iter_mut().find(|held| held.key == line + 1)
    }
}

/// Misses under way, with their end times, up to a maximum number.
#[derive(Debug)]
pub(super) struct Misses {
    until: Vec<u64>,
}

impl Misses {
    pub(super) fn new(count: usize) -> Self {
        Self { until: vec![0; count.max(1)] }
    }

    /// The place of a miss that would begin at a cycle, and the cycle at which it does.
    pub(super) fn begin(&self, at: u64) -> (usize, u64) {
        let (place, until) = self
            .until
            .iter()
            .enumerate()
            .min_by_key(|(_, until)| **until)
            .map_or((0, 0), |(place, until)| (place, *until));
        (place, at.max(until))
    }

    /// Records the end of a miss.
    pub(super) fn end(&mut self, place: usize, at: u64) {
        self.until[place] = at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_was_not_used_for_longest_goes() {
        let mut tags = Tags::new(Shape { bytes: 4 * LINE_BYTES, ways: 2 });
        assert_eq!(tags.insert(0, 5).1, None);
        assert!(tags.find(2).is_none());
        tags.insert(2, 6);
        tags.find(0).expect("it is there").is_dirty = true;
        assert!(tags.find(4).is_none());
        assert_eq!(tags.insert(4, 7).1, Some(Replaced { line: 2, is_dirty: false }));
        assert_eq!(tags.find(0).map(|line| line.ready), Some(5));
        tags.find(4);
        tags.find(6);
        assert_eq!(tags.insert(6, 8).1, Some(Replaced { line: 0, is_dirty: true }));
        // The other set is its own.
        assert_eq!(tags.insert(1, 9).1, None);
        assert_eq!((tags.remove(1), tags.remove(1)), (Some(false), None));
    }

    #[test]
    fn a_miss_waits_for_a_free_place() {
        let mut misses = Misses::new(2);
        for (at, begins, ends) in [(10, 10, 100), (11, 11, 50), (12, 50, 70), (60, 70, 90), (95, 95, 96)] {
            let (place, begun) = misses.begin(at);
            assert_eq!(begun, begins);
            misses.end(place, ends);
        }
    }
}
