//! From loads and stores to references, and from responses to register values.

use serde::{Deserialize, Serialize};
use spinach_isa::instruction_set::{DecodedInstruction, Direction, MemoryBehaviour, Part};
use spinach_isa::mips::access::{loaded_value, memory_reference};
use spinach_isa::mips::atomic::AtomicOperation;
use spinach_isa::mips::semantics::effective_address;
use spinach_isa::mips::{Instruction, Trap};

use super::decoded::Decoded;
use crate::values::{Access, Reference, Response, all_enabled};

/// What most loads and stores move: the whole of an aligned byte, half word or word.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Unit {
    access: Access,
    size_bytes: u8,
    sign_extends: bool,
}

impl Unit {
    /// `None` for parts of unaligned words and for the atomic bit array, and for what does not refer to memory.
    pub fn of(instruction: &Instruction) -> Option<Self> {
        let behaviour = instruction.memory()?;
        let access = access(instruction, behaviour);
        let is_whole = behaviour.part == Part::Whole && !matches!(access, Access::Set | Access::Update);
        let MemoryBehaviour { size_bytes, sign_extends, .. } = behaviour;
        is_whole.then_some(Self { access, size_bytes, sign_extends })
    }

    // What is left of a word beside the unit.
    #[inline]
    fn unused_bits(self) -> u32 {
        32 - 8 * u32::from(self.size_bytes)
    }

    #[inline]
    fn is_aligned(self, address: u32) -> bool {
        address & (u32::from(self.size_bytes) - 1) == 0
    }

    /// Whether [`Unit::reference`] is all that a load or store from or to `address` does: it raises no exception and has to do with
    /// no link.
    #[inline]
    pub fn is_ordinary(self, address: u32) -> bool {
        self.is_aligned(address) & matches!(self.access, Access::Read | Access::Write)
    }

    /// The reference of a load or store of `rt`.
    #[inline]
    pub fn reference(self, address: u32, rt: u32, source: u16) -> Reference {
        let stored = rt.swap_bytes() >> self.unused_bits();
        let data = if self.access.writes() { stored } else { 0 };
        Reference {
            address: u64::from(address),
            access: self.access,
            size: self.size_bytes,
            enables: all_enabled(self.size_bytes),
            source,
            data: u128::from(data),
        }
    }

    #[inline]
    fn value(self, data: u32) -> u32 {
        let value = data.swap_bytes();
        match (self.access.writes(), self.sign_extends) {
            (true, _) => data,
            (false, true) => ((value as i32) >> self.unused_bits()) as u32,
            (false, false) => value >> self.unused_bits(),
        }
    }
}

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
/// The exception that a misaligned address raises, or an instruction that makes no reference.
#[inline]
pub(super) fn reference(decoded: &Decoded, rs: u32, rt: u32, source: u16) -> Result<(Reference, u32), Trap> {
    let address = rs.wrapping_add(decoded.instruction.immediate);
    match decoded.unit {
        Some(unit) if unit.is_aligned(address) => Ok((unit.reference(address, rt, source), address)),
        _ => any_reference(&decoded.instruction, rs, rt, source),
    }
}

#[inline(never)]
fn any_reference(instruction: &Instruction, rs: u32, rt: u32, source: u16) -> Result<(Reference, u32), Trap> {
    let Some(behaviour) = instruction.memory() else {
        return Err(Trap::ReservedInstruction { word: instruction.word });
    };
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
pub(super) fn response_value(decoded: &Decoded, address: u32, previous: u32, response: Response) -> u32 {
    let data = response.data as u32;
    match decoded.unit {
        Some(unit) => unit.value(data),
        None => any_value(&decoded.instruction, address, previous, data),
    }
}

#[inline(never)]
fn any_value(instruction: &Instruction, address: u32, previous: u32, data: u32) -> u32 {
    match instruction.memory() {
        Some(behaviour) if behaviour.direction == Direction::Load => {
            let lowest = if behaviour.part == Part::Whole { address % 4 } else { 0 };
            loaded_value(behaviour, address, data.swap_bytes() >> (8 * lowest), previous)
        }
        _ => data,
    }
}

#[cfg(test)]
mod tests {
    use spinach_isa::mips::Extensions;

    use super::*;

    #[test]
    fn units_are_what_any_reference_is() {
        let extensions = Extensions { tigon2: None, atomic_bit_array: true };
        let mut word = 1u32;
        let mut next = || {
            word ^= word << 13;
            word ^= word >> 17;
            word ^= word << 5;
            word
        };
        let mut units = 0;
        for _ in 0..100_000 {
            let decoded = Decoded::new(next() | 0x8000_0000, extensions);
            let (rs, rt, data) = (next(), next(), next());
            let instruction = &decoded.instruction;
            let plain = reference(&decoded, rs, rt, 3);
            assert_eq!(plain, any_reference(instruction, rs, rt, 3), "{instruction:?}");
            if let (Some(_), Ok((_, address))) = (decoded.unit, plain) {
                let response = Response { data: data.into(), is_fault: false };
                let value = response_value(&decoded, address, rt, response);
                assert_eq!(value, any_value(instruction, address, rt, data), "{instruction:?}");
                units += 1;
            }
        }
        assert!(units > 10_000);
    }
}
