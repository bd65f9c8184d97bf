//! Execution counts per instruction, and the targets of control transfers.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use spinach_isa::architecture::Architecture;

use super::{Filter, Instruction, TraceError, TraceReader};
use crate::numbering::Numbering;
use crate::operation::OperationCache;

/// Execution count of an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Executions {
    /// All executions.
    pub total: u64,
    /// Executions in the delay slot of the instruction before.
    pub in_delay_slot: u64,
}

/// The profile of a trace by address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    executions: BTreeMap<u64, Executions>,
    words: BTreeMap<u64, u32>,
    entries: BTreeSet<u64>,
    instructions: u64,
}

/// A profile in the making: arrays by the number of the instruction's address.
#[derive(Default)]
struct Counter {
    numbering: Numbering,
    counts: Vec<Count>,
}

#[derive(Clone, Copy, Default)]
struct Count {
    address: u64,
    word: u32,
    executions: Executions,
    is_entry: bool,
}

/// Position of a core in the code.
#[derive(Clone, Copy, Debug, Default)]
struct Position {
    next_pc: Option<u64>,
    slots_left: u8,
}

impl Profile {
    /// Reads the rest of a trace.
    ///
    /// # Errors
    /// As [`TraceReader::next_group`], and [`TraceError::UnknownName`] of the filter.
    pub fn read(
        reader: &mut TraceReader,
        filter: &Filter,
        instruction_set: &impl Architecture,
    ) -> Result<Self, TraceError> {
        let filter = filter.bind(reader)?;
        let mut operations = OperationCache::new(instruction_set);
        let mut positions: HashMap<u16, Position> = HashMap::new();
        let mut counter = Counter::default();
        loop {
            let group = reader.next_group()?;
            if group.is_empty() {
                return Ok(counter.finish());
            }
            for instruction in group.iter().filter(|instruction| filter.takes(instruction)) {
                let position = positions.entry(instruction.core).or_default();
                let slots = operations.get(instruction.word).delay_slots;
                counter.count(instruction, slots, position);
            }
        }
    }

    /// Execution counts of the instruction at `address`.
    pub fn executions(&self, address: u64) -> Executions {
        self.executions.get(&address).copied().unwrap_or_default()
    }

    /// Addresses that were reached otherwise than from the instruction before them in memory.
    pub fn entries(&self) -> &BTreeSet<u64> {
        &self.entries
    }

    /// Every executed address with its executions, by rising address.
    pub fn iter(&self) -> impl Iterator<Item = (u64, Executions)> {
        self.executions.iter().map(|(address, executions)| (*address, *executions))
    }

    /// Every executed address with the encoded instruction, by rising address; the last one where a program replaced its code.
    pub fn words(&self) -> impl Iterator<Item = (u64, u32)> {
        self.words.iter().map(|(address, word)| (*address, *word))
    }

    /// Number of instructions in the profile.
    pub fn instructions(&self) -> u64 {
        self.instructions
    }
}

impl Counter {
    fn count(&mut self, instruction: &Instruction, delay_slots: u8, position: &mut Position) {
        let pc = instruction.pc;
        let arrives_in_order = position.next_pc == Some(pc);
        let in_delay_slot = arrives_in_order && position.slots_left > 0;
        let number = self.numbering.number(pc / 4) as usize;
        if number == self.counts.len() {
            self.counts.push(Count { address: pc, ..Count::default() });
        }
        let count = &mut self.counts[number];
        count.word = instruction.word;
        count.is_entry |= !arrives_in_order;
        count.executions.total += 1;
        count.executions.in_delay_slot += u64::from(in_delay_slot);
        position.slots_left = if in_delay_slot { position.slots_left - 1 } else { delay_slots };
        position.next_pc = Some(pc.wrapping_add(4));
    }

    fn finish(self) -> Profile {
        let entries = self.counts.iter().filter(|count| count.is_entry).map(|count| count.address);
        Profile {
            entries: entries.collect(),
            instructions: self.counts.iter().map(|count| count.executions.total).sum(),
            executions: self.counts.iter().map(|count| (count.address, count.executions)).collect(),
            words: self.counts.iter().map(|count| (count.address, count.word)).collect(),
        }
    }
}
