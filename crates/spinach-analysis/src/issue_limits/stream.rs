//! Translation of instructions into their scheduling constraints.

use spinach_isa::instruction_set::{MemoryBehaviour, Part};

use crate::numbering::Numbering;
use crate::operation::Operation;
use crate::trace::Instruction;

/// Scheduling properties of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// Registers read, one bit each.
    pub(super) reads: u64,
    /// Registers written, one bit each.
    pub(super) writes: u64,
    /// Number of the memory word accessed; meaningful if a memory flag is set.
    pub(super) word: u32,
    flags: u8,
}

const READS_MEMORY: u8 = 1;
const WRITES_MEMORY: u8 = 2;
const REDIRECTS: u8 = 4;
const IN_DELAY_SLOT: u8 = 8;
const WRITES_PART: u8 = 16;

impl Step {
    pub(super) fn reads_memory(&self) -> bool {
        self.flags & READS_MEMORY != 0
    }

    pub(super) fn writes_memory(&self) -> bool {
        self.flags & WRITES_MEMORY != 0
    }

    /// True if it leaves some bytes of the word as an earlier store wrote them.
    fn writes_part(&self) -> bool {
        self.flags & WRITES_PART != 0
    }

    pub(super) fn uses_memory(&self) -> bool {
        self.flags & (READS_MEMORY | WRITES_MEMORY) != 0
    }

    /// True if control may move elsewhere than to the next instruction.
    pub(super) fn redirects(&self) -> bool {
        self.flags & REDIRECTS != 0
    }

    /// True if it lies in the delay slot of the redirecting step before it.
    pub(super) fn in_delay_slot(&self) -> bool {
        self.flags & IN_DELAY_SLOT != 0
    }
}

/// Makes the steps of one core, whose instructions come in program order.
#[derive(Debug, Default)]
pub(super) struct StepMaker {
    words: Numbering,
    slots_left: u8,
    slot_pc: u64,
}

impl StepMaker {
    #[inline]
    pub(super) fn step(&mut self, instruction: &Instruction, operation: &Operation) -> Step {
        let in_delay_slot = self.slots_left > 0 && instruction.pc == self.slot_pc;
        self.slots_left = if in_delay_slot { self.slots_left - 1 } else { operation.delay_slots };
        self.slot_pc = instruction.pc.wrapping_add(4);
        // A barrier or a cache operation has no address and does not access memory.
        let address = instruction.address.filter(|_| operation.memory.is_some());
        let whole = |memory: MemoryBehaviour| memory.size_bytes == 4 && memory.part == Part::Whole;
        let flag = |flag: u8, set: bool| if set { flag } else { 0 };
        Step {
            reads: operation.reads.0,
            writes: operation.writes.0,
            word: address.map_or(0, |address| self.words.number(address / 4)),
            flags: flag(READS_MEMORY, address.is_some() && operation.reads_memory())
                | flag(WRITES_MEMORY, address.is_some() && operation.writes_memory())
                | flag(WRITES_PART, operation.memory.is_some_and(|memory| !whole(memory)))
                | flag(REDIRECTS, operation.control_flow.redirects())
                | flag(IN_DELAY_SLOT, in_delay_slot),
        }
    }
}

/// The cycles from which on registers and stored words can be read.
#[derive(Debug)]
pub(super) struct ReadyTimes {
    registers: [u64; 64],
    words: Vec<u64>,
    load_latency: u64,
}

/// The members of a set of registers.
#[inline]
fn members(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let register = set.trailing_zeros() as usize;
        set &= set.wrapping_sub(1);
        (register < 64).then_some(register)
    })
}

impl ReadyTimes {
    pub(super) fn new(load_latency: u64) -> Self {
        Self { registers: [0; 64], words: Vec::new(), load_latency }
    }

    /// The first cycle in which the step's operands are ready.
    #[inline]
    pub(super) fn operands(&self, step: &Step) -> u64 {
        let ready = members(step.reads).fold(0, |ready, register| ready.max(self.registers[register]));
        match self.words.get(step.word as usize) {
            Some(stored) if step.reads_memory() => ready.max(*stored),
            _ => ready,
        }
    }

    /// Notes that the step issues in `cycle`.
    #[inline]
    pub(super) fn issue(&mut self, step: &Step, cycle: u64) {
        let latency = if step.reads_memory() { self.load_latency } else { 1 };
        members(step.writes).for_each(|register| self.registers[register] = cycle + latency);
        if step.writes_memory() {
            let word = step.word as usize;
            if word >= self.words.len() {
                self.words.resize(word + 1, 0);
            }
            let before = if step.writes_part() { self.words[word] } else { 0 };
            self.words[word] = before.max(cycle + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spinach_isa::mips::Mips;
    use spinach_isa::mips::assemble::assemble;

    #[test]
    fn delay_slots_are_told_by_their_address() {
        let words = assemble("beql a0,a1,0x10\naddu v0,v0,v0\nlw v1,4(a0)", 0).unwrap_or_default();
        let mut maker = StepMaker::default();
        let mut slot = |pc: u64, index: usize| {
            let operation = Operation::decode(&Mips::default(), words[index]);
            let instruction = Instruction { pc, word: words[index], ..Instruction::default() };
            maker.step(&instruction, &operation).in_delay_slot()
        };
        // Taken, with its slot; then not taken, the slot annulled.
        assert_eq!([slot(0, 0), slot(4, 1), slot(8, 2)], [false, true, false]);
        assert_eq!([slot(0, 0), slot(8, 2), slot(12, 1)], [false, false, false]);
    }
}
