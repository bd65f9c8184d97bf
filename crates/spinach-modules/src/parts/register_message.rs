//! `RegisterMessage`: messages of register files and the engines around them, with the content of a register.

/// Change of the register that a message names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Change {
    /// It holds the word from now on.
    Store = 0,
    /// The bits of the word are set in it.
    Set = 1,
    /// The bits of the word are cleared in it.
    Clear = 2,
}

/// A change of one register, as it travels through a channel of words: the word in bits 31 to 0, the offset of the register in bits
/// 47 to 32, the [`Change`] above.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RegisterMessage {
    /// Register, as an offset in bytes from the first.
    pub offset: u16,
    /// Change of the register.
    pub change: Change,
    /// The word.
    pub word: u32,
}

impl RegisterMessage {
    /// The register at `offset` holds `word` from now on.
    pub(crate) const fn store(offset: u16, word: u32) -> Self {
        Self { offset, change: Change::Store, word }
    }

    /// The bits of `word` are set in the register at `offset`.
    pub(crate) const fn set(offset: u16, word: u32) -> Self {
        Self { offset, change: Change::Set, word }
    }

    /// The bits of `word` are cleared in the register at `offset`.
    pub(crate) const fn clear(offset: u16, word: u32) -> Self {
        Self { offset, change: Change::Clear, word }
    }

    /// The message as a word.
    pub(crate) const fn to_word(self) -> u64 {
        self.word as u64 | (self.offset as u64) << 32 | (self.change as u64) << 48
    }

    /// Message encoded by a word.
    pub(crate) const fn from_word(word: u64) -> Self {
        let change = match word >> 48 {
            1 => Change::Set,
            2 => Change::Clear,
            _ => Change::Store,
        };
        Self { offset: (word >> 32) as u16, change, word: word as u32 }
    }

    /// Value of a register after the change of `before`.
    pub(crate) const fn apply(self, before: u32) -> u32 {
        match self.change {
            Change::Store => self.word,
            Change::Set => before | self.word,
            Change::Clear => before & !self.word,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_set_and_cleared_whatever_they_were() {
        assert_eq!(RegisterMessage { offset: 0, change: Change::Set, word: 0b0110 }.apply(0b1100), 0b1110);
        assert_eq!(RegisterMessage { offset: 0, change: Change::Clear, word: 0b0110 }.apply(0b1100), 0b1000);
        assert_eq!(RegisterMessage::store(0, 0b0110).apply(0b1100), 0b0110);
    }

    #[test]
    fn messages_come_back_as_they_went() {
        for message in [
            RegisterMessage::store(0x3fc, u32::MAX),
            RegisterMessage::set(0, 1),
            RegisterMessage::clear(u16::MAX, 0x8000_0000),
        ] {
            assert_eq!(RegisterMessage::from_word(message.to_word()), message);
        }
        assert_eq!(RegisterMessage::set(0, 6).apply(1), 7);
        assert_eq!(RegisterMessage::clear(0, 6).apply(5), 1);
        assert_eq!(RegisterMessage::store(0, 6).apply(5), 6);
    }
}
