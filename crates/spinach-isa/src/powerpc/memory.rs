//! Memory requests of loads and stores: a run of bytes, word by word.

use super::instruction::Instruction;
use super::operation::Effect;
use super::registers::register;
use super::{PowerPc405, Registers, Trap};
use crate::architecture::{Answer, RegisterFile, Requested};
use crate::atomic::{AtomicOperation, word_address};
use crate::work::{Maintenance, MemoryOperation, MemoryRequest, Unit};

/// Address of device control register 0; the other 1023 follow, a word each. Memory for start-up code ends at the last address,
/// and on-chip memory of RiceNIC begins at 0xf000_0000: this page is before both.
pub const DEVICE_CONTROL_BASE: u32 = 0xefff_f000;

/// Bytes of a line of the caches, which `dcbz` clears.
const LINE_BYTES: u32 = 32;

/// The bit SWOA of CCR0.
const STORES_WITHOUT_ALLOCATION: u32 = 0x0080_0000;

/// Address and length of the reference of an instruction.
#[derive(Clone, Copy, Debug)]
struct Run {
    address: u32,
    bytes: u32,
}

impl Run {
    fn of(instruction: &Instruction, address: u32) -> Option<Self> {
        let registers = 32 - u32::from(instruction.first());
        Some(match instruction.effect() {
            Effect::Load(size, _)
            | Effect::LoadReversed(size)
            | Effect::Store(size)
            | Effect::StoreReversed(size) => Self { address, bytes: size.into() },
            Effect::LoadMultiple | Effect::StoreMultiple => Self { address, bytes: 4 * registers },
            Effect::ZeroLine => Self { address: address & !(LINE_BYTES - 1), bytes: LINE_BYTES },
            Effect::FromDevice | Effect::ToDevice => {
                Self { address: DEVICE_CONTROL_BASE + 4 * instruction.special(), bytes: 4 }
            }
            _ => return None,
        })
    }

    /// Number of words that it covers.
    const fn words(self) -> u32 {
        (self.address % 4 + self.bytes).div_ceil(4)
    }

    /// The place in the run of the byte with which word `part` begins.
    const fn place(self, part: u32) -> i64 {
        4 * part as i64 - (self.address % 4) as i64
    }
}

fn loads(instruction: &Instruction) -> bool {
    use Effect::*;
    matches!(instruction.effect(), Load(..) | LoadReversed(_) | LoadMultiple | FromDevice)
}

/// The byte at `place` of the data of a store.
fn stored_byte(instruction: &Instruction, registers: &Registers, place: u32) -> u8 {
    let of_word = |number: u8, place: u32| registers.general(number).to_be_bytes()[place as usize % 4];
    let source = register::general(instruction.first());
    match instruction.effect() {
        Effect::ZeroLine => 0,
        Effect::StoreMultiple => of_word(register::general(instruction.first() + (place / 4) as u8), place),
        Effect::StoreReversed(_) => of_word(source, 3 - place),
        Effect::Store(size) => of_word(source, 4 - u32::from(size) + place),
        _ => of_word(source, place),
    }
}

/// The request for word `part` of the run of an instruction; `None` if it has no more.
fn part_of_run(
    instruction: &Instruction,
    run: Run,
    part: u32,
    registers: &Registers,
) -> Option<MemoryRequest<u32>> {
    if part >= run.words() {
        return None;
    }
    let address = (run.address & !3).wrapping_add(4 * part);
    let (mut enables, mut data) = (0, 0);
    for lane in 0..4 {
        let place = run.place(part) + lane;
        if (0..i64::from(run.bytes)).contains(&place) {
            enables |= 1 << lane;
            if !loads(instruction) {
                data |= u32::from(stored_byte(instruction, registers, place as u32)) << (8 * lane);
            }
        }
    }
    let operation = if loads(instruction) { MemoryOperation::Load } else { MemoryOperation::Store };
    Some(MemoryRequest { address, operation, size_bytes: 4, enables, data })
}

/// The first request of an instruction, and the address as it computes it.
///
/// # Errors
/// A misaligned reservation, a privileged instruction of a user's program, or one that makes no request.
pub(super) fn request(instruction: &Instruction, registers: &Registers) -> Result<Requested<u32>, Trap> {
    let [base, index, stored] = instruction.sources().map(|number| registers.general(number));
    let address = base.wrapping_add(index).wrapping_add(instruction.offset());
    if instruction.is_of_supervisor() && registers.control.is_user() {
        return Err(Trap::PrivilegedInstruction { word: instruction.word });
    }
    let word = |operation, address: u32, data: u32| {
        let request = MemoryRequest { address, operation, size_bytes: 4, enables: 0b1111, data };
        if address.is_multiple_of(4) { Ok((request, address)) } else { Err(Trap::Misaligned { address }) }
    };
    if let Some(maintenance) = instruction.maintenance() {
        return maintain(instruction, maintenance, address, registers).map(|request| (request, address));
    }
    match instruction.effect() {
        Effect::LoadReserved => word(MemoryOperation::LoadLinked, address, 0),
        Effect::StoreConditional => word(MemoryOperation::StoreConditional, address, stored.swap_bytes()),
        Effect::Atomic(operation @ (AtomicOperation::Set | AtomicOperation::Update)) => {
            word(MemoryOperation::Atomic(operation), word_address(base, index), index)
        }
        _ => {
            let illegal = Trap::IllegalInstruction { word: instruction.word };
            let run = Run::of(instruction, address).ok_or(illegal)?;
            let request = part_of_run(instruction, run, 0, registers).ok_or(illegal)?;
            let is_of_devices = matches!(instruction.effect(), Effect::FromDevice | Effect::ToDevice);
            Ok((request, if is_of_devices { run.address } else { address }))
        }
    }
}

/// Cache maintenance request of an instruction.
///
/// # Errors
/// A user's program may not do it, or a line to be cleared would not be held.
fn maintain(
    instruction: &Instruction,
    maintenance: Maintenance,
    address: u32,
    registers: &Registers,
) -> Result<MemoryRequest<u32>, Trap> {
    let operation = MemoryOperation::Maintain(maintenance);
    let of_line =
        MemoryRequest { address: address & !(LINE_BYTES - 1), operation, size_bytes: 4, enables: 0, data: 0 };
    let value = registers.general(register::general(instruction.first()));
    let of_core = |data| Ok(MemoryRequest { address: 0, data, ..of_line });
    let control = &registers.control;
    if instruction.effect() == Effect::ToSpecial && control.is_user() {
        return Err(Trap::PrivilegedInstruction { word: instruction.word });
    }
    match maintenance {
        Maintenance::ZeroLine if !control.writes_back(address) => Err(Trap::Misaligned { address }),
        Maintenance::ZeroLine => Ok(MemoryRequest { data: LINE_BYTES, ..of_line }),
        Maintenance::SetAllocation => of_core(u32::from(value & STORES_WITHOUT_ALLOCATION != 0)),
        Maintenance::SetCacheable | Maintenance::SetWriteThrough | Maintenance::SetInstructionsCacheable => {
            of_core(value)
        }
        Maintenance::Drain => of_core(0),
        _ => Ok(of_line),
    }
}

/// Writes the special register that a request informs the caches about.
pub(super) fn note_request(registers: &mut Registers, instruction: &Instruction) {
    if instruction.effect() == Effect::ToSpecial {
        let value = registers.general(register::general(instruction.first()));
        // There is a register of that number, or there would be no request.
        let _ = registers.control.write(instruction.special(), value);
    }
}

/// The request that follows `part` others.
pub(super) fn next_request(
    instruction: &Instruction,
    address: u32,
    part: u32,
    registers: &Registers,
) -> Option<MemoryRequest<u32>> {
    part_of_run(instruction, Run::of(instruction, address)?, part, registers)
}

/// The register that the answer completes, and its value.
pub(super) fn answered(instruction: &Instruction, answer: &Answer<u32>) -> (u8, u32) {
    let Answer { address, part, previous, data } = *answer;
    let destination = register::general(instruction.first());
    let shift = 8 * (address % 4);
    // Data across two words begins in the one before.
    let bytes = if part == 0 || shift == 0 {
        data >> shift
    } else {
        ((u64::from(data) << 32 | u64::from(previous)) >> shift) as u32
    };
    let is_first_of_two = |bytes: u32| part == 0 && address % 4 + bytes > 4;
    match instruction.effect() {
        Effect::Load(size, _) | Effect::LoadReversed(size) if is_first_of_two(size.into()) => (0, 0),
        Effect::Load(size, is_signed) => {
            let value = Unit::of(size, is_signed).map_or(0, |unit| unit.loaded::<PowerPc405>(bytes));
            (destination, value)
        }
        Effect::LoadReversed(size) => (destination, bytes & u32::MAX >> (32 - 8 * u32::from(size))),
        Effect::LoadMultiple if is_first_of_two(4) => (0, 0),
        Effect::LoadMultiple => {
            let done = part - u32::from(!address.is_multiple_of(4));
            (register::general(instruction.first() + done as u8), bytes.swap_bytes())
        }
        Effect::LoadReserved | Effect::FromDevice => (destination, data.swap_bytes()),
        // The conditions without the comparison; memory returns 1 if it stored.
        Effect::StoreConditional => (register::CONDITIONS, previous | u32::from(data != 0) << 29),
        Effect::Atomic(AtomicOperation::Update) => (destination, data),
        _ => (0, 0),
    }
}
