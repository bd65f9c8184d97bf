//! The basic blocks of an image.

use std::collections::BTreeSet;

use spinach_isa::architecture::Architecture;
use spinach_isa::instruction_set::{
    Class, ControlFlow, DecodedInstruction, Direction, MemoryBehaviour, Part,
};
use spinach_isa::registered::Classic;
use spinach_isa::registered::classic::Instruction;

use crate::image::{Code, Image};
use crate::operation::Operation;

/// An instruction where it lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its address.
    pub address: u32,
    /// Executed form.
    pub instruction: Instruction,
    /// Scheduled form.
    pub operation: Operation,
}

/// The bytes that a load or store touches, relative to a register's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footprint {
    /// The register.
    pub base: u8,
    /// First byte, relative to the register.
    pub first: i64,
    /// Number of bytes.
    pub bytes: i64,
}

impl Source {
    fn new(instruction_set: &Classic, address: u32, word: u32) -> Self {
        Self {
            address,
            instruction: instruction_set.decode(word),
            operation: Operation::decode(instruction_set, word),
        }
    }

    /// Bytes that a plain load or store touches; `None` for atomic and ordering operations.
    pub fn footprint(&self) -> Option<Footprint> {
        let memory = self.instruction.memory()?;
        let plain = matches!(self.operation.class, Class::Load | Class::Store) && !memory.linked;
        let offset = i64::from(self.instruction.immediate as i32);
        let (first, bytes) = match memory {
            MemoryBehaviour { direction: Direction::ReadModifyWrite, .. } => return None,
            MemoryBehaviour { part: Part::Whole, size_bytes, .. } => (offset, size_bytes.into()),
            // Somewhere in the word around the address.
            _ => (offset - 3, 7),
        };
        plain.then_some(Footprint { base: self.instruction.rs, first, bytes })
    }

    /// True if it keeps its place among all others: mode switches, traps, and memory barriers.
    pub fn is_barrier(&self) -> bool {
        matches!(self.operation.class, Class::System | Class::Coprocessor | Class::Reserved)
    }

    /// True if its effect would remain visible although control has left before it: in memory or in the mode of the core. A plain
    /// load is assumed to have no effect.
    pub fn has_side_effects(&self) -> bool {
        self.is_barrier() || self.accesses_memory() && (self.writes_memory() || self.footprint().is_none())
    }
}

/// Instructions that execute one after the other: control enters at the first and leaves after the last. In a path of
/// several basic blocks it may also leave at the ends of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The instructions in the order of their addresses. There is at least one.
    pub instructions: Vec<Source>,
    /// The instruction that control leaves by, as an index: a branch, a jump, an exception or its return. Only its delay
    /// slots follow.
    pub exit: Option<usize>,
    /// Branches and jumps of a path before the last exit by which control may leave, as rising indexes; none in a basic block.
    pub side_exits: Vec<usize>,
}

impl Block {
    /// Address of the first instruction.
    pub fn address(&self) -> u32 {
        self.instructions[0].address
    }

    /// Address at which control continues if it leaves by no branch.
    pub fn end(&self) -> u32 {
        let last = self.instructions[self.instructions.len() - 1];
        // The slot of a branch counts even where no instruction can be in it.
        let missing = self.delay_slots() - self.instructions_after_exit();
        last.address.wrapping_add(4 + 4 * missing)
    }

    /// Number of delay slots after the exit.
    pub fn delay_slots(&self) -> u32 {
        self.exit.map_or(0, |exit| self.instructions[exit].operation.delay_slots.into())
    }

    /// True if the delay slot executes only if the branch is taken.
    pub fn annuls(&self) -> bool {
        self.exit.is_some_and(|exit| {
            let flow = self.instructions[exit].operation.control_flow;
            matches!(flow, ControlFlow::Branch { likely: true, .. })
        })
    }

    fn instructions_after_exit(&self) -> u32 {
        self.exit.map_or(0, |exit| (self.instructions.len() - exit - 1) as u32)
    }
}

/// Finds the blocks of an image, by rising address.
///
/// Blocks begin at labels, at targets of direct branches and jumps, after delay slots, and at `entries`: addresses that
/// control is known to reach otherwise, as by jump tables. [`crate::trace::Profile::entries`] has those of a trace.
/// A block that begins in a delay slot shares that instruction with the block of the branch.
///
/// Words in the code that are not instructions become blocks as well; they never execute.
pub fn blocks(image: &Image, instruction_set: &Classic, entries: &BTreeSet<u64>) -> Vec<Block> {
    let mut leaders: BTreeSet<u32> =
        image.labels().iter().chain(entries).map(|address| low(*address)).collect();
    leaders.insert(low(image.entry()));
    for code in image.code() {
        let start = low(code.address);
        leaders.insert(start);
        for (index, word) in code.words.iter().enumerate() {
            let source = Source::new(instruction_set, start + 4 * index as u32, *word);
            leaders.extend(source.instruction.direct_target(source.address));
            if leaves(&source.operation) {
                leaders.insert(source.address + 4 + 4 * u32::from(source.operation.delay_slots));
            }
        }
    }
    let starts = |code: &Code| {
        let aligned =
            leaders.range(low(code.address)..low(code.end())).filter(|leader| leader.is_multiple_of(4));
        aligned.copied().collect::<Vec<_>>()
    };
    let blocks = image.code().iter().flat_map(|code| {
        starts(code)
            .into_iter()
            .map(|start| block(code, instruction_set, start, &leaders))
            .collect::<Vec<_>>()
    });
    blocks.collect()
}

/// An address in an image of this set, whose addresses have 32 bits.
pub(super) const fn low(address: u64) -> u32 {
    address as u32
}

fn leaves(operation: &Operation) -> bool {
    operation.control_flow != ControlFlow::Sequential
}

fn block(code: &Code, instruction_set: &Classic, start: u32, leaders: &BTreeSet<u32>) -> Block {
    let mut block = Block { instructions: Vec::new(), exit: None, side_exits: Vec::new() };
    let words = &code.words[(start - low(code.address)) as usize / 4..];
    for (address, word) in (start..).step_by(4).zip(words) {
        if address != start && leaders.contains(&address) {
            break;
        }
        let source = Source::new(instruction_set, address, *word);
        block.instructions.push(source);
        if leaves(&source.operation) {
            block.exit = Some(block.instructions.len() - 1);
            let slots = words[block.instructions.len()..].iter().take(source.operation.delay_slots.into());
            for (address, word) in (address + 4..).step_by(4).zip(slots) {
                let slot = Source::new(instruction_set, address, *word);
                // A control transfer in a delay slot raises an exception: no compiler makes one.
                if leaves(&slot.operation) {
                    break;
                }
                block.instructions.push(slot);
            }
            break;
        }
    }
    block
}
