//! Recognising that something has begun to come again, from one number for each cycle.

/// Number of consecutive hashes that must match those of a period before.
const EVIDENCE: u32 = 64;
const PLACES: usize = 4096;

/// Outlook hashes of the cycles of a search.
pub(super) struct Hashes {
    seen: Vec<u64>,
    /// Per place in this table, the number of the last cycle whose hash has it, plus 1.
    latest: Box<[u16; PLACES]>,
    /// A period that the last `evidence` hashes speak for.
    period: usize,
    evidence: u32,
    /// Required amount of evidence.
    needed: u32,
}

impl Hashes {
    pub(super) fn new() -> Self {
        Self { seen: Vec::new(), latest: Box::new([0; PLACES]), period: 0, evidence: 0, needed: EVIDENCE }
    }

    /// Adds the hash of the next cycle; returns the period of the system if there is enough evidence.
    pub(super) fn add(&mut self, hash: u64) -> Option<u64> {
        let now = self.seen.len();
        let place = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - PLACES.ilog2());
        let latest = std::mem::replace(&mut self.latest[place as usize], now as u16 + 1);
        self.seen.push(hash);
        if self.period == 0 || self.seen[now - self.period] != hash {
            let before = usize::from(latest).checked_sub(1).filter(|before| self.seen[*before] == hash);
            (self.period, self.evidence) = (before.map_or(0, |before| now - before), 0);
        }
        self.evidence += u32::from(self.period > 0);
        (self.evidence >= self.needed).then_some(self.period as u64)
    }

    /// Records that the evidence was misleading, and that cycles have passed unseen: more is needed from now on.
    pub(super) fn forget(&mut self) {
        let needed = 2 * self.needed;
        *self = Self { needed, ..Self::new() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(hashes: impl Iterator<Item = u64>) -> Option<(usize, u64)> {
        let mut seen = Hashes::new();
        hashes.enumerate().find_map(|(cycle, hash)| Some((cycle, seen.add(hash)?)))
    }

    #[test]
    fn periods_are_seen_after_what_comes_before_them() {
        assert_eq!(first(0..4000), None);
        let around = |period: u64| (0..300).chain((0..).map(move |cycle| 1000 + cycle % period)).take(4000);
        for period in [1, 2, 63, 64, 179, 1422] {
            let expected = 300 + period as usize + EVIDENCE as usize - 1;
            assert_eq!(first(around(period)), Some((expected, period)));
        }
    }

    #[test]
    fn glances_that_come_twice_in_a_period_do_not_mislead() {
        let waits = |cycle: u64| if cycle % 100 < 40 { 7 } else { cycle % 100 };
        let (_, period) = first((0..).map(waits)).unwrap();
        assert_eq!(period, 100);
    }

    #[test]
    fn more_evidence_is_needed_after_evidence_that_misled() {
        let mut seen = Hashes::new();
        let until_seen = |seen: &mut Hashes| (0..).find(|cycle| seen.add(cycle % 10).is_some()).unwrap();
        let first = until_seen(&mut seen);
        seen.forget();
        assert_eq!(until_seen(&mut seen), first + u64::from(EVIDENCE));
    }
}
