//! A list of operations, as the driver writes it, and its results.

use serde::{Deserialize, Serialize};
use spinach_engine::Time;

use crate::parts::numbers::numbers;

/// 64-bit words of one operation in the script.
const WORDS: usize = 4;
/// Operations of one script at most.
pub(super) const OPERATIONS: usize = 4096;
/// Bytes of the script in the contents of the module.
pub(super) const SCRIPT_BYTES: usize = 8 * (1 + WORDS * OPERATIONS);

numbers! {
    /// The operations of a script, by the number in its first word.
    OPERATION_CODES: u64 {
        READ_CONFIGURATION = 0;
        WRITE_CONFIGURATION = 1;
        READ = 2;
        WRITE = 3;
        WAIT = 4;
        SEND = 5;
        TAKE = 6;
        DROP = 7;
    }
}

numbers! {
    /// Why a host drops a frame that it has received.
    DROP_REASONS: u64 {
        /// The NIC says that it is damaged.
        pub(super) DAMAGED = 0;
        /// It is too short.
        pub(super) RUNT = 1;
        /// It is too long.
        pub(super) OVERSIZE = 2;
    }
}

numbers! {
    /// Wake-up conditions of a host, and those that hold, as bits.
    WAKE_REASONS: u64 {
        pub(super) INTERRUPT = 1;
        pub(super) FRAME_DUE = 2;
    }
}

/// A space of the NIC that the host reads and writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum Space {
    Configuration,
    Memory,
}

/// Next action of the host.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum Operation {
    Read { space: Space, address: u64, size: u64 },
    Write { space: Space, address: u64, value: u64, size: u64 },
    Wait { until: Time, for_interrupt: bool, for_frame: bool },
    Send { header: u64, payload: u64, header_bytes: u64 },
    Take { address: u64, length: u64 },
    Drop { reason: u64 },
}

/// The script and how far the host is with it. As bytes: the number of operations, then of each the operation and three words;
/// the last of these becomes its result.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Script {
    words: Vec<u64>,
    next: usize,
}

impl Script {
    /// True if the script has ended.
    pub(super) fn is_over(&self) -> bool {
        self.next >= self.count()
    }

    fn count(&self) -> usize {
        self.words.first().map_or(0, |count| usize::try_from(*count).unwrap_or(usize::MAX)).min(OPERATIONS)
    }

    /// Next operation; `None` if the script is over, an error if it is malformed.
    pub(super) fn current(&self) -> Result<Option<Operation>, String> {
        if self.is_over() {
            return Ok(None);
        }
        let word = |index: usize| self.words.get(1 + WORDS * self.next + index).copied().unwrap_or(0);
        let [code, first, second, third] = std::array::from_fn(word);
        let is_configuration = matches!(code, READ_CONFIGURATION | WRITE_CONFIGURATION);
        let space = if is_configuration { Space::Configuration } else { Space::Memory };
        Ok(Some(match code {
            READ_CONFIGURATION | READ => Operation::Read { space, address: first, size: second },
            WRITE_CONFIGURATION | WRITE => {
                Operation::Write { space, address: first, value: second, size: third }
            }
            WAIT => Operation::Wait {
                until: Time::from_femtoseconds(first),
                for_interrupt: second & INTERRUPT != 0,
                for_frame: second & FRAME_DUE != 0,
            },
            SEND => Operation::Send { header: first, payload: second, header_bytes: third },
            TAKE => Operation::Take { address: first, length: second },
            DROP => Operation::Drop { reason: first },
            _ => return Err(format!("operation {} of the script has the code {code}", self.next)),
        }))
    }

    /// The current operation is over, with this result. Returns whether it was the last.
    pub(super) fn finish(&mut self, result: u64) -> bool {
        let at = WORDS * (self.next + 1);
        if let Some(word) = self.words.get_mut(at) {
            *word = result;
        }
        self.next += 1;
        self.is_over()
    }

    /// Copies bytes out; those never written are 0.
    pub(super) fn read(&self, offset: usize, bytes: &mut [u8]) {
        for (at, byte) in (offset..).zip(bytes) {
            *byte = self.words.get(at / 8).map_or(0, |word| word.to_le_bytes()[at % 8]);
        }
    }

    /// Copies bytes in, and begins from the first operation.
    pub(super) fn write(&mut self, offset: usize, bytes: &[u8]) {
        let needed = (offset + bytes.len()).div_ceil(8).max(self.words.len());
        self.words.resize(needed, 0);
        for (at, byte) in (offset..).zip(bytes) {
            let mut word = self.words[at / 8].to_le_bytes();
            word[at % 8] = *byte;
            self.words[at / 8] = u64::from_le_bytes(word);
        }
        self.next = 0;
    }
}
