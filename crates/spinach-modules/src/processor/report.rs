//! Report of a halted core's state, as a host or a debugger reads it.

use serde::{Deserialize, Serialize};
use spinach_isa::architecture::{Architecture, RegisterFile};
use spinach_isa::word::Word;

/// The number under which the program counter is reported; general registers have their own.
pub const PROGRAM_COUNTER: u64 = 32;
/// The number under which the cause of the halt is reported: 0 by command, 1 because its program ended.
pub const REASON: u64 = 33;

/// Number of these numbers.
const NUMBERS: u64 = 34;
/// Offset from the number of a 64-bit word's lower half to that of its upper half.
const UPPER_HALF: u64 = 64;

/// Number of reported 32-bit words: two for each number if the core has 64-bit words.
const fn words<A: Architecture>() -> u64 {
    NUMBERS * (A::Word::BITS / 32) as u64
}

/// Progress of a core's report: first the program counter and the reason, then the general registers, the lower half of each
/// before its upper one. It restarts when the core halts again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Report {
    told: u64,
    /// The next report: the number of the word in the upper half, the word in the lower.
    pub word: Option<u64>,
}

impl Report {
    /// Report of a core that has not run: it is empty.
    pub(super) const fn new<A: Architecture>() -> Self {
        Self { told: words::<A>(), word: None }
    }

    /// Advances by a cycle. `standing` is the program counter of a halted core, and true if its program has ended.
    #[inline]
    pub(super) fn advance<A: Architecture>(
        &mut self,
        is_heard: bool,
        standing: Option<(A::Word, bool)>,
        registers: &A::Registers,
    ) {
        let Some((pc, has_ended)) = standing else {
            *self = Self { told: 0, word: None };
            return;
        };
        self.told += u64::from(is_heard);
        self.word = (self.told < words::<A>()).then(|| {
            let halves = words::<A>() / NUMBERS;
            let (number, half) = ((self.told / halves + PROGRAM_COUNTER) % NUMBERS, self.told % halves);
            let word = match number {
                PROGRAM_COUNTER => pc.to_u64(),
                REASON => u64::from(has_ended),
                general => registers.general(A::general_register(general as u8)).to_u64(),
            };
            (number + half * UPPER_HALF) << 32 | word >> (32 * half) & 0xffff_ffff
        });
    }
}
