//! Scheduled code as a VLIW core fetches it.
//!
//! # Bundles in memory
//! A bundle is addressed as an instruction is: program counters, return addresses, function pointers and jump tables of the
//! source keep their values, and the bundles of a block begin at the address of the block. A bundle consists of slices of 16 bytes,
//! which come from parallel memories. In each of these, the content of code address `a` is at
//! `base + 4 * (a - base)`, where `base` is the first address of the code. All words are big-endian:
//!
//! - The first word of the first slice is the header. Its upper half says how many bundles follow that are not executed: a block has fewer bundles
//!   than instructions, and the rest of its addresses stay empty. Its lower half says how many instructions further on the
//!   branch or jump of this bundle lay in the source; its target and its return address count from there.
//! - The others are instructions in their source form and order, and NOPs for the rest. Executing them one after another
//!   is executing them at once: no instruction of a bundle reads what an earlier one of the same bundle writes.
//!
//! A block of nothing but NOPs is a single bundle without instructions, which control from the block before leaves out. Empty
//! places hold `break 1023`.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use spinach_isa::registered::Classic;
use spinach_isa::registered::classic::disassemble::disassemble;
use thiserror::Error;

use super::blocks::low;
use super::{Block, Machine, MachineError, Schedule, Violation, blocks, schedule, verify};
use crate::image::Image;

/// `break 1023`: content of unused memory.
const EMPTY: u32 = 0x03ff_000d;

/// Bytes between sections of code, all gaps together, that are laid out too.
const LARGEST_GAPS: u64 = 1 << 20;

/// Words of a slice.
const SLICE_WORDS: usize = 4;

/// Scheduled code in memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    /// The first address of the code, of the source and in memory.
    pub base: u32,
    /// Slices of 16 bytes of one bundle.
    pub slices: u32,
    /// The words of all bundles, a bundle after the other.
    pub words: Vec<u32>,
    /// Bundles that hold instructions or delay slots.
    pub bundles: u64,
    /// Instructions in them.
    pub operations: u64,
}

/// Error of the layout of code. The second line of each message is an instruction.
#[derive(Debug, Error)]
pub enum LayoutError {
    /// The machine cannot execute the code.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// A schedule that is wrong: a defect of the scheduler.
    #[error("the schedule of the block at {address:#010x} is wrong: {violation}\nplease report this")]
    Wrong {
        /// First address of the block.
        address: u32,
        /// Violation.
        violation: Violation,
    },
    /// A block has more bundles than instructions, so that the next has no place.
    #[error(
        "the block at {address:#010x} needs more bundles than it has instructions\n\
         schedule for a machine whose results are ready in the next cycle"
    )]
    TooLong {
        /// First address of the block.
        address: u32,
    },
    /// Every result has a separate register.
    #[error(
        "a core has the registers of its instruction set and no others\nschedule without register renaming"
    )]
    Renamed,
    /// Code with gaps between its sections that take more room than code does.
    #[error(
        "the code lies between {first:#010x} and {end:#010x}, but fills only {bytes} bytes of it\n\
         link all code into adjacent sections, and mark data as not executable"
    )]
    Scattered {
        /// First address of the code.
        first: u64,
        /// Address after the code.
        end: u64,
        /// Bytes of code between them.
        bytes: u64,
    },
    /// Control enters between a branch and its delay slot.
    #[error(
        "control may enter the delay slot `{instruction}` at {address:#010x}, which has another place in the schedule\n\
         compile without filling delay slots, as with -fno-delayed-branch"
    )]
    EnteredDelaySlot {
        /// The instruction in the slot.
        instruction: String,
        /// Its address.
        address: u32,
    },
}

/// Slices of 16 bytes of a bundle of a machine that issues `width` operations: header and operations, rounded up to a power of two.
pub fn slices(width: u32) -> u32 {
    (width + 1).next_power_of_two().div_ceil(SLICE_WORDS as u32)
}

/// Schedules all code of an image for a machine, verifies every schedule, and lays it out.
///
/// Blocks also begin wherever a word of the image's data may be the address of an instruction, as in jump tables.
///
/// # Errors
/// [`LayoutError`].
pub fn layout(image: &Image, instruction_set: &Classic, machine: &Machine) -> Result<Layout, LayoutError> {
    if machine.register_renaming {
        return Err(LayoutError::Renamed);
    }
    let first = image.code().first().map_or(0, |code| low(code.address));
    let end = image.code().last().map_or(0, |code| low(code.end()));
    check_gaps(image)?;
    let slices = slices(machine.width());
    let words_of_bundle = slices as usize * SLICE_WORDS;
    let places = ((end - first) / 4) as usize;
    let mut layout =
        Layout { base: first, slices, words: vec![0; places * words_of_bundle], bundles: 0, operations: 0 };
    for bundle in layout.words.chunks_mut(words_of_bundle) {
        bundle[1] = EMPTY;
    }
    let blocks = blocks(image, instruction_set, &addresses_in_data(image));
    let works = |block: &&Block| block.instructions.iter().any(|source| !source.operation.is_nop());
    let idle = blocks.iter().filter(|block| !works(block)).map(|block| (block.address(), block.end()));
    let mut placing = Placing { idle: idle.collect(), taken: BTreeSet::new() };
    for block in &blocks {
        let mut schedule = schedule(block, machine)?;
        let address = block.address();
        verify(block, &schedule, machine).map_err(|violation| LayoutError::Wrong { address, violation })?;
        if schedule.bundles.is_empty() {
            schedule.bundles.push(Vec::new());
        }
        layout.place(block, &schedule, &mut placing)?;
    }
    Ok(layout)
}

/// Rejects code whose layout would be much larger than the code itself.
fn check_gaps(image: &Image) -> Result<(), LayoutError> {
    let (Some(first), Some(last)) = (image.code().first(), image.code().last()) else { return Ok(()) };
    let (first, end) = (first.address, last.end());
    let bytes = image.code().iter().map(|code| 4 * code.words.len() as u64).sum::<u64>();
    let is_narrow = end.checked_sub(first).is_some_and(|span| span <= bytes + LARGEST_GAPS);
    if is_narrow { Ok(()) } else { Err(LayoutError::Scattered { first, end, bytes }) }
}

/// State of the placement of blocks.
struct Placing {
    /// First and last addresses of the blocks of NOPs only.
    idle: BTreeMap<u32, u32>,
    /// Addresses that hold bundles.
    taken: BTreeSet<u32>,
}

impl Placing {
    /// Successor of `address`, skipping empty blocks.
    fn next_work(&self, address: u32) -> u32 {
        let mut next = address;
        while let Some(end) = self.idle.get(&next) {
            next = *end;
        }
        next
    }
}

/// Words of the data that may be addresses of instructions. Taking too many only makes blocks shorter.
fn addresses_in_data(image: &Image) -> BTreeSet<u64> {
    let is_code = |address: u64| image.word_at(address).is_some();
    let data = image.segments().filter(|(segment, _)| !is_code(segment.address));
    let words = data.flat_map(|(_, content)| content.as_chunks::<4>().0);
    words.map(|bytes| u32::from_be_bytes(*bytes).into()).filter(|word| is_code(*word)).collect()
}

impl Layout {
    /// Content of each of the parallel memories, from `base` on.
    pub fn memories(&self) -> Vec<Vec<u8>> {
        let slices = self.slices as usize;
        let memory = |slice| {
            let words = self.words.chunks(SLICE_WORDS).skip(slice).step_by(slices).flatten();
            words.flat_map(|word| word.to_be_bytes()).collect()
        };
        (0..slices).map(memory).collect()
    }

    fn place(
        &mut self,
        block: &Block,
        schedule: &Schedule,
        placing: &mut Placing,
    ) -> Result<(), LayoutError> {
        let address = block.address();
        let count = schedule.bundles.len() as u32;
        let room = (block.end() - address) / 4;
        if count > room || schedule.wait_cycles > 0 {
            return Err(LayoutError::TooLong { address });
        }
        for (index, instructions) in (0u32..).zip(&schedule.bundles) {
            let at = address + 4 * index;
            if !placing.taken.insert(at) {
                return Err(Self::entered(block, at));
            }
            let is_last = index + 1 == count;
            let next = placing.next_work(block.end());
            let skipped = if is_last { (next - address) / 4 - count } else { 0 };
            let exit = block.exit.filter(|exit| instructions.contains(exit));
            let shift = exit.map_or(0, |exit| (block.instructions[exit].address - at) / 4);
            let words_of_bundle = self.slices as usize * SLICE_WORDS;
            let first = ((at - self.base) / 4) as usize * words_of_bundle;
            let Some(bundle) = self.words.get_mut(first..first + words_of_bundle) else {
                return Err(LayoutError::TooLong { address });
            };
            bundle.fill(0);
            bundle[0] = skipped << 16 | shift;
            for (place, instruction) in bundle[1..].iter_mut().zip(instructions) {
                *place = block.instructions[*instruction].operation.word;
            }
            self.bundles += 1;
            self.operations += instructions.len() as u64;
        }
        Ok(())
    }

    fn entered(block: &Block, at: u32) -> LayoutError {
        let source = block.instructions.iter().find(|source| source.address >= at);
        let text = source.map(|source| disassemble(source.instruction, source.address).to_string());
        LayoutError::EnteredDelaySlot {
            instruction: text.unwrap_or_default(),
            address: source.map_or(at, |source| source.address),
        }
    }
}
