//! State of loads that left the memory stage before their answers.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_isa::architecture::{Answer, Architecture};
use spinach_isa::instruction_set::DecodedInstruction;
use spinach_isa::work::FurtherRegisters;

use super::super::accounts::Cause;
use super::super::decoded::{Decoded, Work};
use super::register_set::bit;

/// Loads that have left the memory stage before their answers came.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub(super) struct LateLoads<A: Architecture> {
    /// Oldest first; answers come in this order.
    pub loads: VecDeque<LateLoad<A>>,
    /// The register and the value that came in this cycle.
    pub arrived: Option<(u8, A::Word)>,
}

/// One of them.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub(super) struct LateLoad<A: Architecture> {
    pub pc: A::Word,
    pub decoded: Decoded<A>,
    /// Known part of the answer.
    pub answer: Answer<A::Word>,
    /// The register to write; 0 if a younger instruction has written it.
    pub destination: u8,
    /// Context of the call graph in which it has completed, if there is one.
    pub completed_in: Option<u32>,
}

impl<A: Architecture> LateLoads<A> {
    pub(super) fn new() -> Self {
        Self { loads: VecDeque::new(), arrived: None }
    }

    /// True if there is none, and none came in this cycle.
    pub(super) fn is_empty(&self) -> bool {
        self.loads.is_empty() && self.arrived.is_none()
    }

    /// The registers that wait for an answer.
    pub(super) fn destinations(&self) -> u64 {
        self.loads.iter().fold(0, |all, load| all | bit(load.destination))
    }

    /// A younger instruction writes a register: the data of these loads is dropped.
    pub(super) fn supersede(&mut self, destination: u8) {
        self.loads
            .iter_mut()
            .filter(|load| load.destination == destination)
            .for_each(|load| load.destination = 0);
    }

    /// Context in which the load has completed that a cycle is counted on; `None` if that is another instruction. A younger load at
    /// the same address of code has taken over the register.
    pub(super) fn context_of(&self, (cause, pc): (Cause, A::Word)) -> Option<u32> {
        let mut awaited = self.loads.iter().filter(|load| load.destination != 0 && load.pc == pc);
        awaited.next().filter(|_| cause == Cause::Load)?.completed_in
    }

    /// The oldest of them that an instruction waits for.
    #[inline]
    pub(super) fn awaited_by(&self, decoded: &Decoded<A>) -> Option<A::Word> {
        if self.loads.is_empty() { None } else { self.search_awaited_by(decoded) }
    }

    #[inline(never)]
    fn search_awaited_by(&self, decoded: &Decoded<A>) -> Option<A::Word> {
        let [first, second] = decoded.sources;
        let sources = match decoded.work {
            // An instruction with several references may read more registers.
            Work::Posted | Work::Awaited => decoded.instruction().reads().0 & !1,
            _ => bit(first) | bit(second) | bit(decoded.further.third_source()),
        };
        self.loads.iter().find(|load| bit(load.destination) & sources != 0).map(|load| load.pc)
    }
}
