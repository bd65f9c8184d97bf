//! From loads and stores to references, and from responses to register values.

use serde::{Deserialize, Serialize};
use spinach_isa::instruction_set::{DecodedInstruction, Direction, MemoryBehaviour, Part};
use spinach_isa::mips::access::{loaded_value, memory_reference};
use spinach_isa::mips::atomic::AtomicOperation;
use spinach_isa::mips::semantics::effective_address;
use spinach_isa::mips::{Instruction, Trap};

use super::decoded::{Decoded, Work};
use crate::values::{Access, Reference, all_enabled};

/// What most loads and stores move: the whole of an aligned byte, half word or word.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum Unit {
    Byte = 1,
    Half = 2,
    Word = 4,
    SignedByte = 9,
    SignedHalf = 10,
}

impl Unit {
    /// `None` for parts of unaligned words, for what has to do with a link, for the atomic bit array, and for what does not refer
    /// to memory.
    pub fn of(instruction: &Instruction) -> Option<Self> {
        let behaviour = instruction.memory()?;
        let is_ordinary = matches!(access(instruction, behaviour), Access::Read | Access::Write);
        if !is_ordinary || behaviour.part != Part::Whole {
            return None;
        }
        match (behaviour.size_bytes, behaviour.sign_extends) {
            (1, false) => Some(Self::Byte),
            (2, false) => Some(Self::Half),
            (4, _) => Some(Self::Word),
            (1, true) => Some(Self::SignedByte),
            (2, true) => Some(Self::SignedHalf),
            _ => None,
        }
    }

    #[inline]
    const fn size_bytes(self) -> u8 {
        self as u8 & 7
    }

    #[inline]
    const fn sign_extends(self) -> bool {
        self as u8 & 8 != 0
    }

    // What is left of a word beside the unit.
    #[inline]
    const fn unused_bits(self) -> u32 {
        32 - 8 * self.size_bytes() as u32
    }

    #[inline]
    pub const fn is_aligned(self, address: u32) -> bool {
        address & (self.size_bytes() as u32 - 1) == 0
    }

    /// The reference of a load, or of a store of `rt`.
    #[inline]
    pub fn reference(self, stores: bool, address: u32, rt: u32, source: u16) -> Reference {
        let size = self.size_bytes();
        Reference {
            address: u64::from(address),
            access: if stores { Access::Write } else { Access::Read },
            size,
            enables: all_enabled(size),
            source,
            data: u128::from(if stores { self.stored(rt) } else { 0 }),
        }
    }

    /// The bytes that a store of `rt` stores.
    #[inline]
    pub const fn stored(self, rt: u32) -> u32 {
        rt.swap_bytes() >> self.unused_bits()
    }

    /// What it takes for a reference besides the address, the bytes and the source, as it is on a channel.
    #[inline]
    pub const fn control(self, stores: bool) -> u32 {
        const fn read(size: u8) -> u32 {
            Reference::control(Access::Read, size, all_enabled(size))
        }
        let read = match self {
            Self::Byte | Self::SignedByte => const { read(1) },
            Self::Half | Self::SignedHalf => const { read(2) },
            Self::Word => const { read(4) },
        };
        // As a number, a write is one more than a read.
        read + if stores { Access::Write as u32 } else { 0 }
    }

    #[inline]
    fn loaded(self, data: u32) -> u32 {
        let value = data.swap_bytes();
        if self.sign_extends() {
            ((value as i32) >> self.unused_bits()) as u32
        } else {
            value >> self.unused_bits()
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
    let address = rs.wrapping_add(decoded.immediate);
    match decoded.unit() {
        Some(unit) if unit.is_aligned(address) => {
            Ok((unit.reference(decoded.is_posted(), address, rt, source), address))
        }
        _ => any_reference(&decoded.instruction(), rs, rt, source),
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

/// The value that the data of a response give the destination register: `address` is the address as the instruction computed it, and
/// `previous` the register's value before.
#[inline]
pub(super) fn response_value(decoded: &Decoded, address: u32, previous: u32, data: u32) -> u32 {
    match decoded.work {
        Work::Load(unit) => unit.loaded(data),
        _ => any_value(&decoded.instruction(), address, previous, data),
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
            let instruction = &decoded.instruction();
            let plain = reference(&decoded, rs, rt, 3);
            assert_eq!(plain, any_reference(instruction, rs, rt, 3), "{instruction:?}");
            if let (Some(_), Ok((_, address))) = (decoded.unit(), plain) {
                let value = response_value(&decoded, address, rt, data);
                assert_eq!(value, any_value(instruction, address, rt, data), "{instruction:?}");
                units += 1;
            }
        }
        assert!(units > 10_000);
    }
}
