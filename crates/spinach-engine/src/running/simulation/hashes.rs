//! Recognising that something has begun to come again, from one number for each instant.

/// Number of consecutive hashes that must match those of a period before: of cycles, and of instants between which a domain sleeps.
pub(super) const EVIDENCE_OF_CYCLES: u32 = 64;
pub(super) const EVIDENCE_OF_SLEEP: u32 = 8;
const PLACES: usize = 4096;
/// Maximum number of equal hashes in a row that are distinguished.
const LONGEST_RUN: u64 = 15;

/// Outlook hashes of the instants of a search, each with the cycle that begins then.
pub(super) struct Hashes {
    seen: Vec<(u64, u64)>,
    /// The last hash as it was given, and how often it came before in a row.
    run: (u64, u64),
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
        Self { seen: Vec::new(), run: (0, 0), latest: Box::new([0; PLACES]), period: 0, evidence: 0, needed }
    }

    /// Adds the hash of the next instant; returns the period of the system, in cycles, if there is enough evidence.
    pub(super) fn add(&mut self, hash: u64, cycle: u64) -> Option<u64> {
        let now = self.seen.len();
        // A core that sleeps has one hash at several instants.
        self.run = (hash, if self.run.0 == hash { (self.run.1 + 1).min(LONGEST_RUN) } else { 0 });
        let hash = hash ^ self.run.1.rotate_right(8);
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
            let of_run = if period == 1 { LONGEST_RUN as usize } else { 0 };
            let expected = 300 + of_run + period as usize + EVIDENCE_OF_CYCLES as usize - 1;
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
    fn equal_hashes_in_a_row_are_distinguished() {
        let (found, period) = first((0..).map(|cycle| 1 + cycle / 4 % 25)).unwrap();
        assert_eq!((found, period), (100 + EVIDENCE_OF_CYCLES as usize - 1, 100));
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
