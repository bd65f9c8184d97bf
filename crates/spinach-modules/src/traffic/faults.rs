//! Faulty frames on a wire, and the effects of the faults.

use spinach_net::ethernet::FRAME_MINIMUM_BYTES;

use crate::parts::random::scramble;

const MILLION: u64 = 1_000_000;
// Makes the choice of frames independent of everything else that follows from the same seed.
const PURPOSE: u64 = 0x0066_6175_6c74_7321;

/// Fault of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fault {
    /// One bit is wrong, and so is the frame check sequence.
    Damaged,
    /// Only the first bytes are sent: fewer than the shortest frame has.
    Shortened,
    /// More bytes are sent than belong to it.
    Lengthened,
    /// It never arrives.
    Lost,
    /// It arrives twice.
    Duplicated,
    /// Frames that follow it arrive before it.
    Reordered,
    /// It arrives later, and so do later frames.
    Delayed,
}

/// The frames that have one kind of fault: those with given numbers, and a share of all.
#[derive(Clone, Debug)]
pub(super) struct Chosen {
    numbers: Vec<u64>,
    per_million: u64,
}

impl Chosen {
    /// Selects frames with these numbers, and others at random, `per_million` of a million.
    pub(super) fn new(mut numbers: Vec<u64>, per_million: u32) -> Self {
        numbers.sort_unstable();
        Self { numbers, per_million: u64::from(per_million) }
    }
}

/// Faults of frames. A frame has at most one.
#[derive(Clone, Debug)]
pub(super) struct Faults {
    kinds: Vec<(Fault, Chosen)>,
    lengthened_to: usize,
    seed: u64,
}

impl Faults {
    /// Chosen with `seed`; lengthened frames have `lengthened_to` bytes.
    ///
    /// # Errors
    /// If there are more faults than frames.
    pub(super) fn new(kinds: Vec<(Fault, Chosen)>, lengthened_to: usize, seed: u64) -> Result<Self, String> {
        let total: u64 = kinds.iter().map(|(_, chosen)| chosen.per_million).sum();
        if total > MILLION {
            return Err(format!("{total} of a million frames are to have faults"));
        }
        Ok(Self { kinds, lengthened_to, seed })
    }

    /// Fault of frame `index`.
    pub(super) fn of(&self, index: u64) -> Option<Fault> {
        let given = self.kinds.iter().find(|(_, chosen)| chosen.numbers.binary_search(&index).is_ok());
        if let Some((fault, _)) = given {
            return Some(*fault);
        }
        let mut chance = self.random(index) % MILLION;
        for (fault, chosen) in &self.kinds {
            if chance < chosen.per_million {
                return Some(*fault);
            }
            chance -= chosen.per_million;
        }
        None
    }

    /// Puts a fault into the bytes of frame `index`; faults of another sort leave them.
    pub(super) fn put(&self, fault: Fault, index: u64, frame: &mut Vec<u8>) {
        let random = self.random(index) / MILLION;
        match fault {
            Fault::Damaged => {
                let bit = (random % (8 * frame.len() as u64)) as usize;
                frame[bit / 8] ^= 1 << (bit % 8);
            }
            Fault::Shortened => frame.truncate(1 + (random % (FRAME_MINIMUM_BYTES as u64 - 1)) as usize),
            Fault::Lengthened => frame.resize(self.lengthened_to.max(frame.len()), 0),
            Fault::Lost | Fault::Duplicated | Fault::Reordered | Fault::Delayed => {}
        }
    }

    fn random(&self, index: u64) -> u64 {
        scramble(self.seed ^ PURPOSE ^ scramble(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(fault: Fault, per_million: u32) -> (Fault, Chosen) {
        (fault, Chosen::new(Vec::new(), per_million))
    }

    #[test]
    fn as_many_frames_have_a_fault_as_asked_for_and_no_two_kinds_meet() {
        let asked = [(Fault::Damaged, 10_000), (Fault::Shortened, 20_000), (Fault::Lost, 5_000)];
        let kinds = asked.map(|(fault, per_million)| share(fault, per_million)).into();
        let faults = Faults::new(kinds, 1515, 3).expect("few");
        for (fault, expected) in asked {
            let found = (0..1_000_000).filter(|index| faults.of(*index) == Some(fault)).count() as u32;
            assert!((expected * 9 / 10..expected * 11 / 10).contains(&found), "{fault:?}: {found}");
        }
        let too_many = vec![share(Fault::Damaged, 600_000), share(Fault::Lost, 500_000)];
        assert!(Faults::new(too_many, 1515, 3).is_err());
        let all = Faults::new(vec![share(Fault::Shortened, 1_000_000)], 1515, 3).expect("all of them");
        assert!((0..10_000).all(|index| all.of(index) == Some(Fault::Shortened)));
    }

    #[test]
    fn a_fault_is_one_that_a_receiver_can_see() {
        let faults = Faults::new(vec![(Fault::Damaged, Chosen::new(vec![7], 0))], 1515, 3).expect("one");
        assert_eq!((faults.of(7), faults.of(8)), (Some(Fault::Damaged), None));
        for index in 0..1000 {
            let whole = vec![0x55; 60 + index as usize];
            let mut frame = whole.clone();
            faults.put(Fault::Damaged, index, &mut frame);
            let wrong: u32 = frame.iter().zip(&whole).map(|(one, other)| (one ^ other).count_ones()).sum();
            assert_eq!((wrong, frame.len()), (1, whole.len()));
            faults.put(Fault::Lengthened, index, &mut frame);
            assert_eq!(frame.len(), 1515);
            faults.put(Fault::Shortened, index, &mut frame);
            assert!((1..60).contains(&frame.len()));
        }
    }
}
