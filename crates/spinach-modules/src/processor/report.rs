//! What a core says of itself when it stands, as a host or a debugger reads it.

use serde::{Deserialize, Serialize};
use spinach_isa::architecture::{Architecture, RegisterFile};
use spinach_isa::word::Word;

/// The number under which the program counter is reported; general registers have their own.
pub const PROGRAM_COUNTER: u64 = 32;
/// The number under which the cause of the halt is reported: 0 by command, 1 because its program ended.
pub const REASON: u64 = 33;

const WORDS: u64 = 34;

/// How far a core is with telling what it holds: first the program counter and the reason, then the general registers. It begins
/// anew when it stands again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Report {
    told: u64,
    /// The next report: the number of the word in the upper half, the word in the lower.
    pub word: Option<u64>,
}

impl Report {
    /// Of a core that has not run: there is nothing to tell.
    pub const fn new() -> Self {
        Self { told: WORDS, word: None }
    }

    /// Goes on by a cycle. `standing` is the program counter of a core that stands and whether its program has ended.
    #[inline]
    pub fn advance<A: Architecture>(
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
        self.word = (self.told < WORDS).then(|| {
            let number = (self.told + PROGRAM_COUNTER) % WORDS;
            let word = match number {
                PROGRAM_COUNTER => pc.to_u64() as u32,
                REASON => u32::from(has_ended),
                general => registers.general(A::general_register(general as u8)).to_u64() as u32,
            };
            number << 32 | u64::from(word)
        });
    }
}
