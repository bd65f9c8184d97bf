//! Notes of the library's modules for a [`spinach_engine::Listener`], and their encoding in three words.

/// Note of a module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Noted {
    /// A core completed an instruction.
    Retired {
        /// Its address.
        pc: u64,
        /// The instruction.
        word: u32,
        /// The byte address of its memory access.
        address: Option<u64>,
        /// True if control moved to the target of this branch or jump.
        taken: bool,
    },
    /// A memory took a reference of a block of hardware other than a core.
    Accessed {
        /// The first byte.
        address: u64,
        /// Number of bytes.
        bytes: u32,
        /// True if they may change.
        write: bool,
    },
}

// Above the instruction, or the number of bytes, in the first word.
const HAS_ADDRESS: u64 = 1 << 32;
const TAKEN: u64 = 1 << 33;
const IS_ACCESS: u64 = 1 << 34;
const WRITES: u64 = 1 << 35;

impl Noted {
    /// Encodes the note as words.
    #[inline]
    pub fn to_words(self) -> [u64; 3] {
        match self {
            Self::Retired { pc, word, address, taken } => {
                let has_address = if address.is_some() { HAS_ADDRESS } else { 0 };
                let taken = if taken { TAKEN } else { 0 };
                [u64::from(word) | has_address | taken, pc, address.unwrap_or(0)]
            }
            Self::Accessed { address, bytes, write } => {
                let writes = if write { WRITES } else { 0 };
                [u64::from(bytes) | IS_ACCESS | writes, 0, address]
            }
        }
    }

    /// Decodes the contents of a note.
    #[inline]
    pub fn from_words([first, pc, address]: [u64; 3]) -> Self {
        if first & IS_ACCESS != 0 {
            return Self::Accessed { address, bytes: first as u32, write: first & WRITES != 0 };
        }
        Self::Retired {
            pc,
            word: first as u32,
            address: (first & HAS_ADDRESS != 0).then_some(address),
            taken: first & TAKEN != 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_say_what_they_were_made_of() {
        for address in [None, Some(0), Some(u64::MAX)] {
            for taken in [false, true] {
                let noted = Noted::Retired { pc: 0xffff_ffe0_8000_0004, word: 0xffff_fffe, address, taken };
                assert_eq!(Noted::from_words(noted.to_words()), noted);
            }
        }
        for write in [false, true] {
            let noted = Noted::Accessed { address: u64::MAX, bytes: u32::MAX, write };
            assert_eq!(Noted::from_words(noted.to_words()), noted);
        }
    }
}
