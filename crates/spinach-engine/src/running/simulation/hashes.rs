//! Recognising that something has begun to come again, from one number for each instant.

/// Number of consecutive hashes that must match those of a period before: of cycles, and of instants between which a domain sleeps.
pub(super) const EVIDENCE_OF_CYCLES: u32 = 64;
pub(super) const EVIDENCE_OF_SLEEP: u32 = 8;
const PLACES: usize = 4096;

/// Outlook hashes of the instants of a search, each with the cycle that begins then.
pub(super) struct Hashes {
    seen: Vec<(u64, u64)>,
    /// Per place in this table, the number of the last instant whose hash has it, plus 1.
    latest: Box<[u16; PLACES]>,
    /// A period, in instants, that the last `evidence` hashes speak for.
    period: usize,
    evidence: u32,
    /// Required amount of evidence.
    needed: u32,
}

impl Hashes {
    pub(super) fn new(needed: u32) -> Self {
        Self { seen: Vec::new(), latest: Box::new([0; PLACES]), period: 0, evidence: 0, needed }
    }

    /// Adds the hash of the next instant; returns the period of the system, in cycles, if there is enough evidence.
    pub(super) fn add(&mut self, hash: u64, cycle: u64) -> Option<u64> {
        let now = self.seen.len();
        // A core that sleeps has one hash at several instants, with different times between them.
        let before = self.seen.last().map_or(cycle, |(_, before)| *before);
        let hash = hash ^ (cycle - before).rotate_right(8);
        let place = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - PLACES.ilog2());
        let latest = std::mem::replace(&mut self.latest[place as usize], now as u16 + 1);
        self.seen.push((hash, cycle));
        if self.period == 0 || self.seen[now - self.period].0 != hash {
            let before = usize::from(latest).checked_sub(1).filter(|before| self.seen[*before].0 == hash);
            (self.period, self.evidence) = (before.map_or(0, |before| now - before), 0);
        }
        self.evidence += u32::from(self.period > 0);
        (self.evidence >= self.needed).then(|| cycle - self.seen[now - self.period].1)
    }

    /// Records that the evidence was misleading, and that cycles have passed unseen: more is needed from now on.
    pub(super) fn forget(&mut self) {
        *self = Self::new(2 * self.needed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(hashes: impl Iterator<Item = u64>) -> Option<(usize, u64)> {
        let mut seen = Hashes::new(EVIDENCE_OF_CYCLES);
        hashes.enumerate().find_map(|(cycle, hash)| Some((cycle, seen.add(hash, cycle as u64)?)))
    }

    #[test]
    fn periods_are_seen_after_what_comes_before_them() {
        assert_eq!(first(0..4000), None);
        let around = |period: u64| (0..300).chain((0..).map(move |cycle| 1000 + cycle % period)).take(4000);
        for period in [1, 2, 63, 64, 179, 1422] {
            let expected = 300 + period as usize + EVIDENCE_OF_CYCLES as usize - 1;
            assert_eq!(first(around(period)), Some((expected, period)));
        }
    }

    #[test]
    fn glances_that_come_twice_in_a_period_do_not_mislead() {
        let waits = |cycle: u64| if cycle % 100 < 40 { 7 } else { cycle % 100 };
        let (_, period) = first((0..).map(waits)).unwrap();
        assert_eq!(period, 100);
    }

    /// Three instants a cycle apart, then a long sleep.
    #[test]
    fn a_core_that_always_sleeps_at_one_place_repeats_itself() {
        let mut seen = Hashes::new(EVIDENCE_OF_SLEEP);
        let cycles = (0..).map(|instant| 100 * (instant / 3) + instant % 3);
        assert_eq!(cycles.into_iter().find_map(|cycle| seen.add(7, cycle)), Some(100));
    }

    #[test]
    fn more_evidence_is_needed_after_evidence_that_misled() {
        let mut seen = Hashes::new(EVIDENCE_OF_CYCLES);
        let until_seen =
            |seen: &mut Hashes| (0..).find(|cycle| seen.add(cycle % 10, *cycle).is_some()).unwrap();
        let first = until_seen(&mut seen);
        seen.forget();
        assert_eq!(until_seen(&mut seen), first + u64::from(EVIDENCE_OF_CYCLES));
    }
}
