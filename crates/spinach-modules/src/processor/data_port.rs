//! From loads and stores to references, and from responses to register values.

use spinach_isa::instruction_set::{Direction, MemoryBehaviour, Part};
use spinach_isa::mips::access::{loaded_value, memory_reference};
use spinach_isa::mips::atomic::AtomicOperation;
use spinach_isa::mips::semantics::effective_address;
use spinach_isa::mips::{Instruction, Trap};

use crate::values::{Access, Reference, Response, all_enabled};

fn access(instruction: &Instruction, behaviour: MemoryBehaviour) -> Access {
    match (behaviour.direction, behaviour.linked, instruction.operation.description().atomic) {
        (.., Some(AtomicOperation::Set)) => Access::Set,
        (.., Some(AtomicOperation::Update)) => Access::Update,
        (Direction::Load, true, _) => Access::LoadLinked,
        (Direction::Load, false, _) => Access::Read,
        (_, true, _) => Access::StoreConditional,
        (_, false, _) => Access::Write,
    }
}

/// The reference that an instruction makes, and the address as the instruction computes it, from the values of its registers.
///
/// Parts of unaligned words are references to the whole word of which only those bytes are enabled; all others have the size
/// that the instruction names.
///
/// # Errors
/// The exception that a misaligned address raises.
pub(super) fn reference(
    instruction: &Instruction,
    behaviour: MemoryBehaviour,
    rs: u32,
    rt: u32,
    source: u16,
) -> Result<(Reference, u32), Trap> {
    let word = memory_reference(instruction, behaviour, rs, rt)?;
    let access = access(instruction, behaviour);
    let address = effective_address(instruction, rs, rt);
    let reference = |address: u32, size: u8, enables: u16, data: u32| Reference {
        address: u64::from(address),
        access,
        size,
        enables,
        source,
        data: u128::from(data),
    };
    // The big-endian word in memory order, its first byte lowest.
    let bytes = word.data.swap_bytes();
    let made = match access {
        Access::Set | Access::Update => reference(word.word_address, 4, all_enabled(4), word.data),
        _ if behaviour.part != Part::Whole => {
            reference(word.word_address, 4, u16::from(word.enables.0), bytes)
        }
        _ => {
            let data = bytes >> (8 * (address % 4));
            reference(address, behaviour.size_bytes, all_enabled(behaviour.size_bytes), data)
        }
    };
    Ok((made, address))
}

/// The value that a response gives the destination register: `address` is the address as the instruction computed it, and
/// `previous` the register's value before.
#[inline]
pub(super) fn response_value(
    behaviour: MemoryBehaviour,
    address: u32,
    previous: u32,
    response: Response,
) -> u32 {
    if behaviour.direction != Direction::Load {
        return response.data as u32;
    }
    let lowest = if behaviour.part == Part::Whole { address % 4 } else { 0 };
    let word = (response.data as u32).swap_bytes() >> (8 * lowest);
    loaded_value(behaviour, address, word, previous)
}
