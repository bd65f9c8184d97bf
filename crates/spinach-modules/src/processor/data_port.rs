//! Translation of loads and stores into references, and of responses into register values.

use spinach_isa::architecture::{Answer, Architecture};
use spinach_isa::atomic::AtomicOperation;
use spinach_isa::word::Word;
use spinach_isa::work::{MemoryOperation, MemoryRequest};

use super::decoded::{Decoded, Unit, Work};
use crate::values::{Access, Reference, all_enabled};

/// The reference of a load of a unit, or of a store of `value`.
#[inline]
fn unit_reference<A: Architecture>(
    unit: Unit,
    stores: bool,
    address: A::Word,
    value: A::Word,
    source: u16,
) -> Reference {
    let size = unit.size_bytes();
    Reference {
        address: address.to_u64(),
        access: if stores { Access::Write } else { Access::Read },
        size,
        enables: all_enabled(size),
        source,
        data: if stores { u128::from(unit.stored::<A>(value).to_u64()) } else { 0 },
    }
}

/// Attributes of a unit's reference besides address, bytes and source, in the form of the channel.
#[inline]
pub(super) const fn unit_control(unit: Unit, stores: bool) -> u32 {
    const fn read(size: u8) -> u32 {
        Reference::control(Access::Read, size, all_enabled(size))
    }
    let read = match unit {
        Unit::Byte | Unit::SignedByte => const { read(1) },
        Unit::Half | Unit::SignedHalf => const { read(2) },
        Unit::Word | Unit::SignedWord => const { read(4) },
        Unit::Double => const { read(8) },
    };
    // As a number, a write is one more than a read.
    read + if stores { Access::Write as u32 } else { 0 }
}

const fn access(operation: MemoryOperation) -> Access {
    match operation {
        MemoryOperation::Load => Access::Read,
        MemoryOperation::Maintain(_) => Access::Maintain,
        MemoryOperation::Store => Access::Write,
        MemoryOperation::LoadLinked => Access::LoadLinked,
        MemoryOperation::StoreConditional => Access::StoreConditional,
        MemoryOperation::Atomic(operation) => match operation {
            AtomicOperation::Set => Access::Set,
            AtomicOperation::Update => Access::Update,
            AtomicOperation::Swap => Access::Swap,
            AtomicOperation::Add => Access::Add,
            AtomicOperation::ExclusiveOr => Access::ExclusiveOr,
            AtomicOperation::And => Access::And,
            AtomicOperation::Or => Access::Or,
            AtomicOperation::Minimum => Access::Minimum,
            AtomicOperation::Maximum => Access::Maximum,
            AtomicOperation::MinimumUnsigned => Access::MinimumUnsigned,
            AtomicOperation::MaximumUnsigned => Access::MaximumUnsigned,
        },
    }
}

/// The first reference that an instruction makes, and the address as the instruction computes it.
///
/// # Errors
/// The exception that a misaligned address raises, or an instruction that makes no reference.
#[inline]
pub(super) fn reference<A: Architecture>(
    decoded: &Decoded<A>,
    registers: &A::Registers,
    source: u16,
) -> Result<(Reference, A::Word), A::Trap> {
    let values = decoded.values(registers);
    let address = values[0].wrapping_add(A::Word::from_signed(decoded.immediate));
    match decoded.unit() {
        Some(unit) if unit.is_aligned(address) => {
            Ok((unit_reference::<A>(unit, decoded.is_posted(), address, values[1], source), address))
        }
        Some(_) if !A::HAS_RUNS => Err(A::misaligned(address, decoded.is_posted())),
        _ => any_reference::<A>(&decoded.instruction(), registers, source),
    }
}

#[inline(never)]
fn any_reference<A: Architecture>(
    instruction: &A::Instruction,
    registers: &A::Registers,
    source: u16,
) -> Result<(Reference, A::Word), A::Trap> {
    let (request, address) = A::request(instruction, registers)?;
    Ok((reference_of(request, source), address))
}

fn reference_of<W: Word>(request: MemoryRequest<W>, source: u16) -> Reference {
    let MemoryRequest { address, operation, size_bytes, enables, data } = request;
    if let MemoryOperation::Maintain(maintenance) = operation {
        return Reference::maintain(maintenance, address.to_u64(), data.to_u64() as u32, source);
    }
    Reference {
        address: address.to_u64(),
        access: access(operation),
        size: size_bytes,
        enables: u16::from(enables),
        source,
        data: u128::from(data.to_u64()),
    }
}

/// The reference that an instruction at `address` makes after `part` others; `None` if it makes no more.
#[inline]
pub(super) fn next_reference<A: Architecture>(
    decoded: &Decoded<A>,
    address: A::Word,
    part: u8,
    registers: &A::Registers,
    source: u16,
) -> Option<Reference> {
    if !A::HAS_RUNS || decoded.unit().is_some_and(|unit| unit.is_aligned(address)) {
        return None;
    }
    let request = A::next_request(&decoded.instruction(), address, part.into(), registers)?;
    Some(reference_of(request, source))
}

/// Value of the destination register after the last response to an instruction.
#[inline]
pub(super) fn response_value<A: Architecture>(decoded: &Decoded<A>, answer: &Answer<A::Word>) -> A::Word {
    match decoded.work {
        Work::Load(unit) if !A::HAS_RUNS || unit.is_aligned(answer.address) => unit.loaded::<A>(answer.data),
        _ => response_register::<A>(&decoded.instruction(), answer).1,
    }
}

/// The register that a response completes, 0 for none, and its value.
#[inline(never)]
pub(super) fn response_register<A: Architecture>(
    instruction: &A::Instruction,
    answer: &Answer<A::Word>,
) -> (u8, A::Word) {
    A::answered(instruction, answer)
}

#[cfg(test)]
mod tests {
    use spinach_isa::mips::interpreter::Registers;
    use spinach_isa::mips::{Extensions, Mips};

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
        let mut registers = Registers::reset(0, 0);
        let mut units = 0;
        for _ in 0..100_000 {
            let decoded = Decoded::new(next() | 0x8000_0000, Mips { extensions });
            (1..32).for_each(|number| registers.set_general(number, next()));
            let instruction = &decoded.instruction();
            let plain = reference(&decoded, &registers, 3);
            assert_eq!(plain, any_reference::<Mips>(instruction, &registers, 3), "{instruction:?}");
            if let (Some(_), Ok((_, address))) = (decoded.unit(), plain) {
                let answer = Answer { address, part: 0, previous: next(), data: next() };
                let value = response_value(&decoded, &answer);
                let any = response_register::<Mips>(instruction, &answer);
                assert_eq!((decoded.destination, value), any, "{instruction:?}");
                units += 1;
            }
        }
        assert!(units > 10_000);
    }
}
