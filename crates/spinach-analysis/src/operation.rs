//! Properties of an instruction that the studies need, decoded once.

use spinach_isa::architecture::Architecture;
use spinach_isa::instruction_set::{
    Class, ControlFlow, DecodedInstruction, Direction, MemoryBehaviour, RegisterSet,
};

/// An instruction reduced to its resources, operands and control transfers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The encoded instruction.
    pub word: u32,
    /// The hardware it occupies.
    pub class: Class,
    /// Registers it needs.
    pub reads: RegisterSet,
    /// Registers it may change.
    pub writes: RegisterSet,
    /// Use of memory, if any.
    pub memory: Option<MemoryBehaviour>,
    /// Effect on the flow of control.
    pub control_flow: ControlFlow,
    /// Number of delay slots after it.
    pub delay_slots: u8,
}

impl Operation {
    /// Decodes a word.
    pub fn decode(instruction_set: &impl Architecture, word: u32) -> Self {
        let decoded = instruction_set.decode(word);
        Self {
            word,
            class: decoded.class(),
            reads: decoded.reads(),
            writes: decoded.writes(),
            memory: decoded.memory(),
            control_flow: decoded.control_flow(),
            delay_slots: decoded.delay_slots(),
        }
    }

    /// True for a no-operation, such as compilers insert to fill slots: it computes without operands and without a result.
    pub fn is_nop(&self) -> bool {
        matches!(self.class, Class::Alu | Class::Shift) && self.reads.is_empty() && self.writes.is_empty()
    }

    /// True if it reads memory.
    pub fn reads_memory(&self) -> bool {
        self.memory.is_some_and(|memory| memory.direction != Direction::Store)
    }

    /// True if it writes memory.
    pub fn writes_memory(&self) -> bool {
        self.memory.is_some_and(|memory| memory.direction != Direction::Load)
    }
}

/// Operations of words seen before. Traces repeat a few thousand words millions of times.
#[derive(Debug)]
pub(crate) struct OperationCache<'set, Set> {
    instruction_set: &'set Set,
    entries: Vec<Operation>,
}

const ENTRIES_LOG2: u32 = 13;

impl<'set, Set: Architecture> OperationCache<'set, Set> {
    pub(crate) fn new(instruction_set: &'set Set) -> Self {
        // An entry is valid if its word is the requested one, so every entry must hold a correct pair.
        let entries = vec![Operation::decode(instruction_set, 0); 1 << ENTRIES_LOG2];
        Self { instruction_set, entries }
    }

    #[inline]
    pub(crate) fn get(&mut self, word: u32) -> &Operation {
        let index = (word.wrapping_mul(0x9e37_79b1) >> (32 - ENTRIES_LOG2)) as usize;
        let entry = &mut self.entries[index];
        if entry.word != word {
            *entry = Operation::decode(self.instruction_set, word);
        }
        entry
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spinach_isa::mips::Mips;

    #[test]
    fn nops_are_recognised_by_what_they_lack() {
        let mips = Mips::default();
        let nop = |word| Operation::decode(&mips, word).is_nop();
        assert!(nop(0)); // sll zero,zero,0
        assert!(nop(0x2400_0005)); // addiu zero,zero,5
        assert!(!nop(0x2002_0005)); // addi v0,zero,5
        assert!(!nop(0x0000_000f)); // sync
        assert!(!nop(0x8c80_0000)); // lw zero,0(a0) still goes to memory
    }

    #[test]
    fn the_cache_answers_as_the_decoder() {
        let mips = Mips::default();
        let mut cache = OperationCache::new(&mips);
        for round in 0..2 {
            for word in (0..40_000_u32).map(|index| index.wrapping_mul(0x0101_6b55)) {
                assert_eq!(*cache.get(word), Operation::decode(&mips, word), "round {round}");
            }
        }
    }
}
