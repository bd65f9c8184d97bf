//! Cycles in which senders send and receivers accept: a pattern, a period, a probability, or all of them.

use serde::{Deserialize, Serialize};

/// Cycles in which a gate is open. All conditions must hold.
#[derive(Clone, Debug)]
pub(crate) struct Gate {
    // Open only in cycles that are a multiple of this.
    every: u64,
    // Open in cycle `c` only where entry `c` modulo its length is not 0; empty for no such condition.
    pattern: Vec<u64>,
    // Open with this probability.
    percent: u32,
}

/// State of a gate in the cycle to come, and its random sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GateState {
    pub(crate) is_open: bool,
    random: u64,
}

impl Gate {
    /// A gate and its state before cycle 0.
    pub(crate) fn new(every: u32, pattern: Vec<u64>, percent: u32, seed: u64) -> (Self, GateState) {
        let gate = Self { every: u64::from(every), pattern, percent };
        let mut state = GateState { is_open: false, random: seed };
        gate.step(&mut state, 0);
        (gate, state)
    }

    /// True if it is open in every cycle.
    pub(crate) fn is_always_open(&self) -> bool {
        self.every == 1 && self.percent == 100 && self.pattern.iter().all(|entry| *entry != 0)
    }

    /// Decides about cycle `cycle`, the next one.
    #[inline]
    pub(crate) fn step(&self, state: &mut GateState, cycle: u64) {
        let entry = if self.pattern.is_empty() {
            1
        } else {
            self.pattern[(cycle % self.pattern.len() as u64) as usize]
        };
        let is_due = entry != 0 && (self.every == 1 || cycle.is_multiple_of(self.every));
        state.is_open = is_due && (self.percent == 100 || self.draw(&mut state.random));
    }

    // One step of the generator SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
    fn draw(&self, random: &mut u64) -> bool {
        *random = random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = *random;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        ((mixed >> 32) * 100) >> 32 < u64::from(self.percent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open_cycles(every: u32, pattern: &[u64], percent: u32, seed: u64, cycles: u64) -> Vec<u64> {
        let (gate, mut state) = Gate::new(every, pattern.to_vec(), percent, seed);
        let mut open = Vec::new();
        for cycle in 0..cycles {
            if state.is_open {
                open.push(cycle);
            }
            gate.step(&mut state, cycle + 1);
        }
        open
    }

    #[test]
    fn conditions_are_combined() {
        assert_eq!(open_cycles(1, &[], 100, 0, 4), [0, 1, 2, 3]);
        assert_eq!(open_cycles(3, &[], 100, 0, 8), [0, 3, 6]);
        assert_eq!(open_cycles(1, &[0, 1, 1], 100, 0, 7), [1, 2, 4, 5]);
        assert_eq!(open_cycles(2, &[0, 1, 1], 100, 0, 12), [2, 4, 8, 10]);
        assert!(open_cycles(1, &[], 0, 0, 1000).is_empty());
    }

    #[test]
    fn a_probability_is_kept_and_a_seed_repeats_its_sequence() {
        for percent in [1, 25, 50, 99] {
            let open = open_cycles(1, &[], percent, 7, 100_000);
            let expected = f64::from(percent) * 1000.0;
            assert!(
                (open.len() as f64 - expected).abs() < 5.0 * expected.sqrt(),
                "{percent}: {}",
                open.len()
            );
            assert_eq!(open, open_cycles(1, &[], percent, 7, 100_000));
            assert_ne!(open, open_cycles(1, &[], percent, 8, 100_000));
        }
    }
}
