//! Cycle accounting of a core by stall reason, and its event counters.

use serde::{Deserialize, Serialize};

/// Use of a core's cycle: execution, or a stall reason. Every cycle has exactly one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[repr(u8)]
pub enum Cause {
    /// An instruction was issued.
    Execution = 0,
    /// No instruction had arrived.
    InstructionMiss = 1,
    /// A reference that the memory had taken was not answered yet.
    Load = 2,
    /// The memory refused a reference.
    Conflict = 3,
    /// A hazard, an annulled delay slot or a wrong path.
    Pipeline = 4,
    /// The core was halted by command, or because its program ended.
    Halted = 5,
}

/// Number of uses that the cycles of a running core have: all but [`Cause::Halted`].
pub const RUNNING_CAUSES: usize = 5;

/// The counters of every core: first one for each [`Cause`], then one for each [`Event`].
pub const COUNTERS: &[(&str, &str)] = &[
    ("execution", "cycles in which an instruction was issued"),
    ("instruction_miss", "cycles lost waiting for an instruction"),
    ("load", "cycles lost waiting for the answer to a reference that the memory had taken"),
    ("conflict", "cycles lost because the memory refused a reference"),
    ("pipeline", "cycles lost to hazards, annulled delay slots and wrong paths"),
    ("halted", "cycles in which the core was stopped by command or because its program had ended"),
    ("instructions", "instructions completed"),
    ("loads", "loads completed, `ll` among them"),
    ("stores", "stores completed, `sc` among them"),
    ("atomics", "`set` and `update` instructions completed"),
    ("branches", "conditional branches completed"),
    ("branches_taken", "conditional branches that were taken"),
    ("jumps", "unconditional jumps completed"),
    ("annulled", "delay slots annulled by likely branches"),
    ("exceptions", "exceptions entered, those that stopped the core not counted"),
];

/// Event that a core counts besides cycles.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[repr(u8)]
pub enum Event {
    /// An instruction completed.
    Instruction = 6,
    /// A load completed.
    Load = 7,
    /// A store completed.
    Store = 8,
    /// A `set` or `update` completed.
    Atomic = 9,
    /// A conditional branch completed.
    Branch = 10,
    /// A conditional branch was taken.
    BranchTaken = 11,
    /// An unconditional jump completed.
    Jump = 12,
    /// A delay slot was annulled.
    Annulled = 13,
    /// An exception was entered.
    Exception = 14,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_in_the_order_of_causes_and_events() {
        let name = |index: usize| COUNTERS[index].0;
        assert_eq!(name(Cause::Execution as usize), "execution");
        assert_eq!(name(Cause::Pipeline as usize), "pipeline");
        assert_eq!(name(Cause::Halted as usize), "halted");
        assert_eq!(name(Event::Instruction as usize), "instructions");
        assert_eq!(name(Event::Atomic as usize), "atomics");
        assert_eq!(name(Event::BranchTaken as usize), "branches_taken");
        assert_eq!(name(Event::Annulled as usize), "annulled");
        assert_eq!(name(Event::Exception as usize), "exceptions");
        assert_eq!(COUNTERS.len(), Event::Exception as usize + 1);
    }
}
