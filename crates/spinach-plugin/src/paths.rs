//! Combinational paths through a block, found by changing its inputs.

use crate::{Block, Description};

/// Cycles in which inputs are changed.
const CYCLES: u32 = 64;
const RESET_CYCLES: u32 = 8;

/// Reproducible random numbers (xorshift64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// Finds the outputs that an input changes within a cycle, as pairs of input and output, sorted.
///
/// The block runs with random inputs, and each input is changed in each cycle while the clock rests. So each path that is found
/// exists; a path that no tried value shows is not found. The search ends early if the RTL stops.
pub fn combinational_paths(block: &mut Block) -> Vec<(usize, usize)> {
    let description = block.description().clone();
    let clocking = description.clocking;
    let signals = description.signals.iter().enumerate();
    let inputs: Vec<usize> = signals
        .filter(|(index, signal)| {
            signal.is_input && *index != clocking.clock && Some(*index) != clocking.reset
        })
        .map(|(index, _)| index)
        .collect();
    let mut search =
        Search { block, description, inputs, random: Random(0x9e37_79b9_7f4a_7c15), found: Vec::new() };
    for cycle in 0..RESET_CYCLES + CYCLES {
        if search.cycle(cycle < RESET_CYCLES).is_err() {
            break;
        }
    }
    search.found.sort_unstable();
    search.found
}

struct Search<'a> {
    block: &'a mut Block,
    description: Description,
    inputs: Vec<usize>,
    random: Random,
    found: Vec<(usize, usize)>,
}

impl Search<'_> {
    fn cycle(&mut self, is_resetting: bool) -> Result<(), String> {
        let clocking = self.description.clocking;
        if let Some(reset) = clocking.reset {
            self.block.set(reset, u64::from(is_resetting == clocking.is_active_high));
        }
        for input in self.inputs.clone() {
            let values = self.values(input);
            self.block.input(input).copy_from_slice(&values);
        }
        self.block.set(clocking.clock, 0);
        self.block.evaluate()?;
        if !is_resetting {
            for input in self.inputs.clone() {
                self.change(input)?;
            }
        }
        self.block.set(clocking.clock, 1);
        self.block.evaluate()
    }

    // Tries the inverted and another random value, and restores the first.
    fn change(&mut self, input: usize) -> Result<(), String> {
        let before = self.outputs();
        let kept = self.block.input(input).to_vec();
        let masks = self.masks(input);
        let inverted = kept.iter().zip(&masks).map(|(word, mask)| word ^ mask).collect();
        for values in [inverted, self.values(input)] {
            self.block.input(input).copy_from_slice(&values);
            self.block.evaluate()?;
            for (output, words) in &before {
                let path = (input, *output);
                if self.block.output(*output) != words && !self.found.contains(&path) {
                    self.found.push(path);
                }
            }
        }
        self.block.input(input).copy_from_slice(&kept);
        self.block.evaluate()
    }

    fn outputs(&self) -> Vec<(usize, Vec<u64>)> {
        let signals = self.description.signals.iter().enumerate();
        let outputs = signals.filter(|(_, signal)| !signal.is_input);
        outputs.map(|(index, _)| (index, self.block.output(index).to_vec())).collect()
    }

    // The bits that each word of an input has.
    fn masks(&self, input: usize) -> Vec<u64> {
        let signal = &self.description.signals[input];
        let bits = |word: usize| (signal.width - 64 * word).min(64) as u32;
        (0..signal.words()).map(|word| u64::MAX >> (64 - bits(word))).collect()
    }

    fn values(&mut self, input: usize) -> Vec<u64> {
        let masks = self.masks(input);
        masks.into_iter().map(|mask| self.random.next() & mask).collect()
    }
}
