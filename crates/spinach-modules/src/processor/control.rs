//! Commands to a core from outside, as a host or a debugger gives them.

/// A command, as it travels through the port `control` of a core: the kind in the upper half of the word, an address in the lower.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Command {
    /// Issue no further instruction. What was issued completes.
    Halt,
    /// Go on where the core halted. Instructions are fetched afresh. A core whose program ended stays as it is.
    Resume,
    /// The next instruction to issue is the one at this address. What ended the program is forgotten; such a core is halted
    /// from then on.
    Jump(u32),
}

impl Command {
    /// The command as a word.
    pub const fn to_word(self) -> u64 {
        match self {
            Self::Halt => 1 << 32,
            Self::Resume => 2 << 32,
            Self::Jump(address) => 3 << 32 | address as u64,
        }
    }

    /// The command that a word stands for; words that stand for none are ignored.
    pub const fn from_word(word: u64) -> Option<Self> {
        match word >> 32 {
            1 => Some(Self::Halt),
            2 => Some(Self::Resume),
            3 => Some(Self::Jump(word as u32)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_come_back_as_they_went() {
        for command in [Command::Halt, Command::Resume, Command::Jump(0), Command::Jump(u32::MAX)] {
            assert_eq!(Command::from_word(command.to_word()), Some(command));
        }
        assert_eq!(Command::from_word(0), None);
        assert_eq!(Command::from_word(u64::MAX), None);
    }
}
