//! Commands to a core from outside, as a host or a debugger gives them.

use serde::{Deserialize, Serialize};
use spinach_engine::{Input, OrUnconnected, Outlook, Signals};

use super::delays::{Delays, Visits};
pub use crate::parts::core_command::Command;

/// Order that keeps a core from issuing until it is executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum Order {
    /// A command that waits until issued instructions have completed.
    Command(Command),
    /// Issue nothing until this cycle begins.
    StandUntil(u64),
}

/// Run control of a core.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Control {
    /// True if a command halts the core.
    pub halted: bool,
    /// True if it halts again after issuing one instruction; no further command is taken until then.
    steps: bool,
    pending: Option<Order>,
    /// True if delays are configured: instructions before which the core pauses.
    has_delays: bool,
    /// True if issued instructions need attention: the core steps, or delays are configured.
    watches: bool,
    /// Next instruction to issue, if the core has paused before it.
    stood_before: Option<u64>,
    visits: Visits,
}

impl Control {
    /// A core that runs, or that waits for a command.
    pub(super) fn new(starts_halted: bool, has_delays: bool) -> Self {
        Self {
            halted: starts_halted,
            steps: false,
            pending: None,
            has_delays,
            watches: has_delays,
            stood_before: None,
            visits: Visits::default(),
        }
    }

    /// Adds the state that determines the core's behaviour; `None` while a command waits, or if the core is delayed at some places.
    pub(super) fn outlook(&self, outlook: &mut Outlook) -> Option<()> {
        outlook.add(&(self.halted, self.steps, self.watches));
        (self.pending.is_none() && !self.has_delays).then_some(())
    }

    /// True if the core may issue an instruction.
    #[inline]
    pub(super) const fn may_issue(&self) -> bool {
        !self.halted && self.pending.is_none()
    }

    /// True if issued instructions need attention.
    #[inline]
    pub(super) const fn watches(&self) -> bool {
        self.watches
    }

    /// True if a command can be taken.
    #[inline]
    pub(super) const fn has_room(&self) -> bool {
        self.pending.is_none() && !self.steps
    }

    /// Takes the arriving command, if any. Invalid words are ignored.
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
            _ => self.pending = Some(Order::Command(command)),
        }
    }

    /// Order that keeps the core from issuing, besides having been halted.
    #[inline]
    pub(super) const fn pending(&self) -> Option<Order> {
        self.pending
    }

    /// Obeys a pending command at the end of `cycle`, as far as halting is concerned. `has_ended` is true if the program has ended.
    /// Returns the command that was obeyed.
    pub(super) fn obey(&mut self, cycle: u64, has_ended: bool) -> Option<Command> {
        let command = match self.pending? {
            Order::Command(command) => command,
            Order::StandUntil(end) => {
                self.pending = self.pending.filter(|_| cycle + 1 < end);
                return None;
            }
        };
        self.pending = None;
        if matches!(command, Command::Jump(_)) {
            self.halted |= has_ended;
        } else {
            self.halted = false;
            self.steps = command == Command::Step && !has_ended;
            self.watches = self.steps || self.has_delays;
        }
        Some(command)
    }

    /// Stops issue, and discards pending work.
    pub(super) fn settle(&mut self) {
        (self.halted, self.steps, self.pending) = (true, false, None);
    }

    /// Records that the program has ended: there is nothing left to step to.
    pub(super) fn note_end(&mut self) {
        self.steps = false;
    }

    /// True if the otherwise ready instruction at `pc` is issued in this cycle. If not, the core pauses from now on.
    #[inline]
    pub(super) fn issues(&mut self, pc: u64, cycle: u64, delays: &Delays) -> bool {
        !self.watches || self.issues_watched(pc, cycle, delays)
    }

    #[cold]
    #[inline(never)]
    fn issues_watched(&mut self, pc: u64, cycle: u64, delays: &Delays) -> bool {
        if self.stood_before != Some(pc) {
            let stands_for = delays.reach(pc, &mut self.visits);
            if stands_for != 0 {
                self.stood_before = Some(pc);
                // This cycle is the first; a pending command is obeyed from the next on.
                let end = cycle.saturating_add(stands_for);
                self.pending = (stands_for > 1).then_some(Order::StandUntil(end));
                return false;
            }
        }
        self.note_issue();
        true
    }

    /// Records that an instruction was issued.
    pub(super) fn note_issue(&mut self) {
        self.stood_before = None;
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
        let addresses =
            [0, u64::from(u32::MAX), 1 << 32, 0x00ff_ffff_ffff_fffe, 0xffff_ffe0_0000_0000, u64::MAX - 1];
        let jumps = addresses.map(Command::Jump);
        for command in [Command::Halt, Command::Resume, Command::Step].into_iter().chain(jumps) {
            assert_eq!(Command::from_word(command.to_word()), Some(command));
        }
        assert_eq!(Command::from_word(0), None);
        assert_eq!(Command::from_word(u64::MAX), None);
    }
}
