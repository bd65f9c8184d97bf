//! Commands to a core from outside, as a host or a debugger gives them.

use serde::{Deserialize, Serialize};
use spinach_engine::{Input, OrUnconnected, Signals};

/// A command, as it travels through the port `control` of a core: the kind in the upper half of the word, an address in the lower.
///
/// [`Command::Halt`] is obeyed at once: nothing is issued any more. What was issued completes, and only then are the others obeyed;
/// until then nothing more is issued and no further command is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Command {
    /// Issue no further instruction. What was issued completes.
    Halt,
    /// Go on where the core halted. Instructions are fetched afresh. A core whose program ended stays as it is, and one that
    /// was not halted just goes on.
    Resume,
    /// The next instruction to issue is the one at this address. What ended the program is forgotten; such a core is halted
    /// from then on.
    Jump(u32),
    /// Issue one instruction and halt. The delay slot of a branch is an instruction of its own; an annulled one is not.
    Step,
}

impl Command {
    /// The command as a word.
    pub const fn to_word(self) -> u64 {
        match self {
            Self::Halt => 1 << 32,
            Self::Resume => 2 << 32,
            Self::Jump(address) => 3 << 32 | address as u64,
            Self::Step => 4 << 32,
        }
    }

    /// The command that a word stands for; words that stand for none are ignored.
    pub const fn from_word(word: u64) -> Option<Self> {
        match word >> 32 {
            1 => Some(Self::Halt),
            2 => Some(Self::Resume),
            3 => Some(Self::Jump(word as u32)),
            4 => Some(Self::Step),
            _ => None,
        }
    }
}

/// How far a core is told to go.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Control {
    /// Whether the core was told to halt.
    pub halted: bool,
    /// Whether it halts again when it has issued an instruction; no further command is taken until then.
    steps: bool,
    /// A command that waits until what was issued has completed.
    pending: Option<Command>,
}

impl Control {
    /// A core that runs, or that waits for a command.
    pub(super) const fn new(starts_halted: bool) -> Self {
        Self { halted: starts_halted, steps: false, pending: None }
    }

    /// Whether the core may issue an instruction.
    #[inline]
    pub(super) const fn may_issue(&self) -> bool {
        !self.halted && self.pending.is_none()
    }

    /// Whether a command can be taken.
    #[inline]
    pub(super) const fn has_room(&self) -> bool {
        self.pending.is_none() && !self.steps
    }

    /// Takes the command that arrives, if one does. Words that stand for none are ignored.
    #[inline]
    pub(super) fn listen(&mut self, port: &OrUnconnected<Input<u64>>, signals: &Signals) {
        if port.is_connected
            && let Some(word) = signals.received(port.port)
            && let Some(command) = Command::from_word(word)
        {
            self.receive(command);
        }
    }

    fn receive(&mut self, command: Command) {
        match command {
            Command::Halt => self.halted = true,
            Command::Resume if !self.halted => {}
            _ => self.pending = Some(command),
        }
    }

    /// The command that waits, if one does.
    #[inline]
    pub(super) const fn pending(&self) -> Option<Command> {
        self.pending
    }

    /// Obeys the command that waits, as far as halting is concerned. `has_ended` tells whether the program has ended.
    pub(super) fn obey(&mut self, has_ended: bool) {
        match self.pending.take() {
            Some(Command::Jump(_)) => self.halted |= has_ended,
            Some(command) => {
                self.halted = false;
                self.steps = command == Command::Step && !has_ended;
            }
            None => {}
        }
    }

    /// Takes note that the program has ended: there is nothing left to step to.
    pub(super) fn note_end(&mut self) {
        self.steps = false;
    }

    /// Takes note that an instruction was issued.
    #[inline]
    pub(super) fn note_issue(&mut self) {
        if self.steps {
            (self.steps, self.halted) = (false, true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_come_back_as_they_went() {
        let commands =
            [Command::Halt, Command::Resume, Command::Jump(0), Command::Jump(u32::MAX), Command::Step];
        for command in commands {
            assert_eq!(Command::from_word(command.to_word()), Some(command));
        }
        assert_eq!(Command::from_word(0), None);
        assert_eq!(Command::from_word(u64::MAX), None);
    }
}
