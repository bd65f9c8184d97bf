//! Commands to cores.

use serde::{Deserialize, Serialize};

/// A command, as it travels through the port `control` of a core: the kind in the upper half of the word, an address in the lower.
/// An address that needs more than 32 bits takes the lower 60 and is extended by its sign, with the kind in the upper 4.
///
/// [`Command::Halt`] is obeyed at once: nothing is issued any more. What was issued completes, and only then are the others obeyed;
/// until then nothing more is issued and no further command is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Command {
    /// Issue no further instruction. Issued instructions complete.
    Halt,
    /// Continue where the core halted. Instructions are fetched afresh. A core whose program ended stays as it is; a running one
    /// is unaffected.
    Resume,
    /// The next instruction to issue is the one at this address. The end of the program is cancelled; such a core is halted from
    /// then on.
    Jump(u64),
    /// Issue one instruction and halt. The delay slot of a branch counts as an instruction; an annulled one does not.
    Step,
}

/// Number of address bits in a command, for addresses of more than 32 bits.
const LONG_BITS: u32 = 60;
const LONG_ADDRESS: u64 = (1 << LONG_BITS) - 1;

impl Command {
    /// The command as a word.
    pub const fn to_word(self) -> u64 {
        match self {
            Self::Halt => 1 << 32,
            Self::Resume => 2 << 32,
            Self::Jump(address) if address >> 32 == 0 => 3 << 32 | address,
            Self::Jump(address) => 3 << LONG_BITS | address & LONG_ADDRESS,
            Self::Step => 4 << 32,
        }
    }

    /// Command encoded by a word; other words are ignored.
    pub const fn from_word(word: u64) -> Option<Self> {
        const UPPER_BITS: u32 = u64::BITS - LONG_BITS;
        if word >> LONG_BITS == 3 {
            return Some(Self::Jump(((word << UPPER_BITS) as i64 >> UPPER_BITS) as u64));
        }
        match word >> 32 {
            1 => Some(Self::Halt),
            2 => Some(Self::Resume),
            3 => Some(Self::Jump(word & 0xffff_ffff)),
            4 => Some(Self::Step),
            _ => None,
        }
    }
}
