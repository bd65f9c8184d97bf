//! Memory accesses as a 32-bit big-endian memory sees them: an aligned word, byte enables and data lanes.

use serde::{Deserialize, Serialize};

use super::decode::Instruction;
use super::semantics::effective_address;
use super::trap::Trap;
use crate::instruction_set::{Direction, MemoryBehaviour, Part};

/// Bytes of an aligned 32-bit word that take part in an access: bit `n` represents the byte at the word's address plus `n`. On a
/// big-endian memory bit 0 thus is the most significant byte lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ByteEnables(pub u8);

impl ByteEnables {
    /// The whole word.
    pub const ALL: Self = Self(0b1111);

    /// `size_bytes` bytes from `offset`; together at most 4.
    const fn span(offset: u32, size_bytes: u32) -> Self {
        Self((((1 << size_bytes) - 1) << offset) as u8)
    }

    /// The data lanes of the enabled bytes, as a mask over the 32-bit word.
    #[inline]
    pub const fn lanes(self) -> u32 {
        const BYTE: [u32; 2] = [0, 0xff];
        let bits = self.0 as usize;
        BYTE[bits & 1] << 24 | BYTE[bits >> 1 & 1] << 16 | BYTE[bits >> 2 & 1] << 8 | BYTE[bits >> 3 & 1]
    }

    /// `old` with the enabled bytes replaced by those of `new`.
    #[inline]
    pub const fn merge(self, old: u32, new: u32) -> u32 {
        old & !self.lanes() | new & self.lanes()
    }
}

/// An access to an aligned word of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MemoryReference {
    /// Address of the aligned word.
    pub word_address: u32,
    /// The bytes that are read or written.
    pub enables: ByteEnables,
    /// Data of a store in its lanes, zero elsewhere; bit index for the atomic bit array; otherwise zero.
    pub data: u32,
}

/// The access that a load, store or atomic instruction makes, from the values of its registers.
///
/// # Errors
/// [`Trap::MisalignedLoad`] or [`Trap::MisalignedStore`] with the address as computed.
#[inline]
pub fn memory_reference(
    instruction: &Instruction,
    behaviour: MemoryBehaviour,
    rs: u32,
    rt: u32,
) -> Result<MemoryReference, Trap> {
    let address = effective_address(instruction, rs, rt);
    let offset = address % 4;
    let size = u32::from(behaviour.size_bytes);
    // The shifts put the register's bytes into their lanes: the low ones for whole units and right parts, the
    // high ones for left parts.
    let (enables, data) = match behaviour.part {
        Part::Whole if address & (size - 1) != 0 => {
            return Err(match behaviour.direction {
                Direction::Load => Trap::MisalignedLoad { address },
                Direction::Store | Direction::ReadModifyWrite => Trap::MisalignedStore { address },
            });
        }
        Part::Whole => (ByteEnables::span(offset, size), rt << (8 * (4 - size - offset))),
        Part::Left => (ByteEnables::span(offset, 4 - offset), rt >> (8 * offset)),
        Part::Right => (ByteEnables::span(0, offset + 1), rt << (8 * (3 - offset))),
    };
    let data = match behaviour.direction {
        Direction::Load => 0,
        Direction::Store => data & enables.lanes(),
        Direction::ReadModifyWrite => rs,
    };
    Ok(MemoryReference { word_address: address & !3, enables, data })
}

/// The value that a load gives its register: `word` is the aligned word that holds `address`, and `previous`
/// the register's value, of which [`Part::Left`] and [`Part::Right`] keep some bytes.
#[inline]
pub fn loaded_value(behaviour: MemoryBehaviour, address: u32, word: u32, previous: u32) -> u32 {
    let offset = address % 4;
    match (behaviour.part, behaviour.size_bytes) {
        (Part::Left, _) => {
            let shift = 8 * offset;
            word << shift | previous & ((1 << shift) - 1)
        }
        (Part::Right, _) => {
            let shift = 8 * (3 - offset);
            word >> shift | previous & !(u32::MAX >> shift)
        }
        (Part::Whole, 1) => {
            let byte = (word >> (8 * (3 - offset))) as u8;
            if behaviour.sign_extends { byte as i8 as u32 } else { u32::from(byte) }
        }
        (Part::Whole, 2) => {
            let half = (word >> (8 * (2 - (offset & 2)))) as u16;
            if behaviour.sign_extends { half as i16 as u32 } else { u32::from(half) }
        }
        (Part::Whole, _) => word,
    }
}
