//! Occupancy of a bus.

/// Maximum number of spans; times before the oldest count as taken.
const SPANS: usize = 256;

/// Occupancy of a bus, in units that its user has chosen.
///
/// Requests need not come in order of time: a transfer takes the bus for a while ahead, and what is asked for later may fit in
/// between. Spans are in order and do not touch.
#[derive(Debug, Default)]
pub(super) struct Calendar {
    spans: Vec<(u64, u64)>,
    /// Time before which nothing begins.
    floor: u64,
    taken: u64,
}

impl Calendar {
    /// Takes the bus for `length`, from the first moment at `at` or later in which it is free for that; returns the end.
    #[inline]
    pub(super) fn take(&mut self, at: u64, length: u64) -> u64 {
        let mut begin = at.max(self.floor);
        if length == 0 {
            return begin;
        }
        self.taken += length;
        let mut place = self.spans.len();
        while place > 0 && self.spans[place - 1].1 > begin {
            place -= 1;
        }
        while let Some((taken, free)) = self.spans.get(place)
            && *taken < begin + length
        {
            begin = *free;
            place += 1;
        }
        let end = begin + length;
        let touches_last = place > 0 && self.spans[place - 1].1 == begin;
        let touches_next = self.spans.get(place).is_some_and(|(taken, _)| *taken == end);
        match (touches_last, touches_next) {
            (true, true) => {
                self.spans[place - 1].1 = self.spans[place].1;
                self.spans.remove(place);
            }
            (true, false) => self.spans[place - 1].1 = end,
            (false, true) => self.spans[place].0 = begin,
            (false, false) => self.spans.insert(place, (begin, end)),
        }
        if self.spans.len() > SPANS {
            self.floor = self.spans.remove(0).1;
        }
        end
    }

    /// Continues the total of a bus that it replaces.
    pub(super) fn keep_count_of(&mut self, replaced: &Self) {
        self.taken = replaced.taken;
    }

    /// Total time that it was taken.
    pub(super) fn taken(&self) -> u64 {
        self.taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_later_fits_in_between() {
        let mut calendar = Calendar::default();
        assert_eq!(calendar.take(100, 10), 110);
        assert_eq!(calendar.take(100, 10), 120);
        assert_eq!(calendar.take(200, 10), 210);
        // 80 are free in between, and less before.
        assert_eq!(calendar.take(95, 80), 200);
        assert_eq!(calendar.take(95, 5), 100);
        assert_eq!(calendar.take(0, 10), 10);
        assert_eq!(calendar.spans, [(0, 10), (95, 210)]);
        assert_eq!(calendar.take(50, 0), 50);
        assert_eq!(calendar.taken(), 125);
    }

    #[test]
    fn spans_never_overlap_and_begin_no_earlier_than_asked() {
        // Against a bus of which every moment is written down.
        let (mut calendar, mut moments, mut state) = (Calendar::default(), vec![false; 40_000], 7_u64);
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for turn in 0..2000_u64 {
            let (at, length) = (10 * turn + random(300), 1 + random(18));
            let mut begin = at as usize;
            while moments[begin..begin + length as usize].contains(&true) {
                begin += 1;
            }
            moments[begin..begin + length as usize].fill(true);
            assert_eq!(calendar.take(at, length), begin as u64 + length, "{turn}: {at} {length}");
        }
    }
}
