//! What modules of the library note for a [`spinach_engine::Listener`], and how notes say it in two words.

/// What a module noted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Noted {
    /// A core completed an instruction.
    Retired {
        /// Its address.
        pc: u32,
        /// The instruction.
        word: u32,
        /// The byte address of its memory access.
        address: Option<u32>,
        /// Whether control went to the target of this branch or jump.
        taken: bool,
    },
    /// A memory took a reference of a block of hardware that is no core.
    Accessed {
        /// The first byte.
        address: u32,
        /// How many there are.
        bytes: u32,
        /// Whether they may change.
        write: bool,
    },
}

const HAS_ADDRESS: u64 = 1 << 32;
const TAKEN: u64 = 1 << 33;
const IS_ACCESS: u64 = 1 << 34;
const WRITES: u64 = 1 << 35;

impl Noted {
    /// As a note carries it.
    #[inline]
    pub fn to_words(self) -> [u64; 2] {
        match self {
            Self::Retired { pc, word, address, taken } => {
                let has_address = if address.is_some() { HAS_ADDRESS } else { 0 };
                let taken = if taken { TAKEN } else { 0 };
                [u64::from(pc) << 32 | u64::from(word), u64::from(address.unwrap_or(0)) | has_address | taken]
            }
            Self::Accessed { address, bytes, write } => {
                [u64::from(bytes), u64::from(address) | IS_ACCESS | if write { WRITES } else { 0 }]
            }
        }
    }

    /// From what a note carries.
    #[inline]
    pub fn from_words([first, second]: [u64; 2]) -> Self {
        if second & IS_ACCESS != 0 {
            let write = second & WRITES != 0;
            return Self::Accessed { address: second as u32, bytes: first as u32, write };
        }
        Self::Retired {
            pc: (first >> 32) as u32,
            word: first as u32,
            address: (second & HAS_ADDRESS != 0).then_some(second as u32),
            taken: second & TAKEN != 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_say_what_they_were_made_of() {
        for address in [None, Some(0), Some(u32::MAX)] {
            for taken in [false, true] {
                let noted = Noted::Retired { pc: 0x8000_0004, word: 0xffff_fffe, address, taken };
                assert_eq!(Noted::from_words(noted.to_words()), noted);
            }
        }
        for write in [false, true] {
            let noted = Noted::Accessed { address: u32::MAX, bytes: u32::MAX, write };
            assert_eq!(Noted::from_words(noted.to_words()), noted);
        }
    }
}
