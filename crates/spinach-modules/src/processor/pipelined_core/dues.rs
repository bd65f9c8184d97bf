//! Cycles that instructions wait for, and how a repeated period moves them.

use spinach_isa::architecture::Architecture;

use super::state::PipelinedState;

/// Cycles that instructions of a core wait for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dues {
    pub(super) ready_at: [[u64; 32]; 2],
    pub(super) multiplier_ready_at: u64,
    pub(super) issue_from: u64,
}

/// Dues that a period sets: numbers of registers, and whether it sets the others.
#[derive(Default)]
pub(super) struct ChangedDues {
    registers: Vec<u8>,
    has_multiplier: bool,
    has_issue: bool,
}

impl Dues {
    pub(super) fn of<A: Architecture>(state: &PipelinedState<A>) -> Self {
        Self {
            ready_at: state.ready_at,
            multiplier_ready_at: state.multiplier_ready_at,
            issue_from: state.issue_from,
        }
    }

    /// Finds those that are set since.
    pub(super) fn find_changed<A: Architecture>(&self, state: &PipelinedState<A>, changed: &mut ChangedDues) {
        changed.registers.clear();
        if state.ready_at != self.ready_at {
            let registers = state.ready_at.iter().flatten().zip(self.ready_at.iter().flatten());
            let is_set = (0..).zip(registers).filter(|(_, (now, before))| now != before);
            changed.registers.extend(is_set.map(|(register, _)| register));
        }
        changed.has_multiplier = state.multiplier_ready_at != self.multiplier_ready_at;
        changed.has_issue = state.issue_from != self.issue_from;
    }
}

impl<A: Architecture> PipelinedState<A> {
    /// Moves the cycles that a period sets by `cycles`: each repetition sets them again.
    pub(super) fn advance_dues(&mut self, changed: &ChangedDues, cycles: u64) {
        for register in &changed.registers {
            *self.ready_at(*register) += cycles;
        }
        self.multiplier_ready_at += if changed.has_multiplier { cycles } else { 0 };
        self.issue_from += if changed.has_issue { cycles } else { 0 };
    }
}
