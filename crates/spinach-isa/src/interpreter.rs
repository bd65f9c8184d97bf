//! A reference interpreter for any instruction set: one instruction per step on a plain memory, without timing.
//!
//! It does with [`Architecture`] what a core does, without time: it records traces, and is the oracle of cores and itself held to
//! QEMU.

use crate::architecture::{Answer, Architecture, ArchitectureTrap, ByteOrder, RegisterFile, Transfer};
use crate::word::Word;
use crate::work::{FurtherRegisters, Maintenance, MemoryOperation, MemoryRequest, MicroOp, Unit, Work};

/// A plain memory of bytes from an address on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bytes {
    base: u64,
    bytes: Vec<u8>,
}

impl Bytes {
    /// A memory of zeros.
    pub fn new(base: u64, length: usize) -> Self {
        Self { base, bytes: vec![0; length] }
    }

    /// The bytes from the base on.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes from the base on, to fill.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    fn place(&self, address: u64, length: u32) -> Option<std::ops::Range<usize>> {
        let start = usize::try_from(address.checked_sub(self.base)?).ok()?;
        let end = start.checked_add(length as usize)?;
        (end <= self.bytes.len()).then_some(start..end)
    }

    // In memory order, the first byte lowest.
    pub(crate) fn read(&self, address: u64, length: u32) -> Option<u64> {
        let bytes = &self.bytes[self.place(address, length)?];
        Some(bytes.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte)))
    }

    pub(crate) fn write(&mut self, address: u64, length: u32, enables: u8, data: u64) -> Option<()> {
        let place = self.place(address, length)?;
        for (index, byte) in self.bytes[place].iter_mut().enumerate() {
            if enables >> index & 1 != 0 {
                *byte = (data >> (8 * index)) as u8;
            }
        }
        Some(())
    }
}

/// An instruction that was executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Executed<W> {
    /// Its address.
    pub pc: W,
    /// The instruction.
    pub word: u32,
    /// The address of its memory access, as it computes it.
    pub address: Option<W>,
    /// True if control moved to the target of this branch or jump.
    pub taken: bool,
}

/// Executes the next instruction.
///
/// # Errors
/// The exception that it raised; registers and memory are as before.
pub fn step<A: Architecture>(
    architecture: A,
    registers: &mut A::Registers,
    memory: &mut Bytes,
) -> Result<Executed<A::Word>, A::Trap> {
    let pc = registers.pc();
    let word = fetch::<A>(pc, memory)?;
    let op = architecture.micro_op(word);
    let bytes = A::instruction_bytes(word);
    let values = op.sources.map(|number| registers.general(number));
    let immediate = A::Word::from_signed(op.immediate);
    let mut executed = Executed { pc, word, address: None, taken: false };
    match op.work {
        Work::Calculate(function) => {
            let shift_amount = A::Word::from_u64(op.shift_amount.into());
            let result = A::alu(function, values[0] | shift_amount, values[1] | immediate)?;
            registers.set_general(op.destination, result);
            registers.advance(bytes);
        }
        Work::Load(_) | Work::Awaited | Work::Store(_) | Work::Posted => {
            let address = access(&op, word, values, registers, memory)?;
            executed.address = Some(address);
            if op.further.second_destination() != 0 {
                registers.set_general(op.further.second_destination(), address);
            }
            registers.advance(bytes);
        }
        Work::Branch(_)
        | Work::LikelyBranch(_)
        | Work::IndirectJump
        | Work::IndirectBranch(_)
        | Work::DirectJump => {
            executed.taken = transfer(&op, word, values, registers)?;
        }
        Work::Barrier | Work::InstructionBarrier => registers.advance(bytes),
        Work::Multiplier | Work::Plain | Work::ExceptionReturn | Work::Unfetched => {
            A::compute(registers, &A::instruction_of(op.operation, word))?;
        }
    }
    Ok(executed)
}

fn fetch<A: Architecture>(pc: A::Word, memory: &Bytes) -> Result<u32, A::Trap> {
    if !pc.is_aligned(A::PARCEL_BYTES) {
        return Err(A::Trap::misaligned_fetch(pc));
    }
    let fault = A::Trap::fetch_bus_error(pc);
    if A::PARCEL_BYTES == 2 {
        let first = memory.read(pc.to_u64(), 2).ok_or(fault)? as u32;
        if A::instruction_bytes(first) == 2 {
            return Ok(first);
        }
    }
    let word = memory.read(pc.to_u64(), 4).ok_or(fault)? as u32;
    Ok(if A::BYTE_ORDER == ByteOrder::Big { word.swap_bytes() } else { word })
}

fn access<A: Architecture>(
    op: &MicroOp<A>,
    word: u32,
    values: [A::Word; 2],
    registers: &mut A::Registers,
    memory: &mut Bytes,
) -> Result<A::Word, A::Trap> {
    let unit_address = values[0].wrapping_add(A::Word::from_signed(op.immediate));
    match op.work {
        Work::Load(unit) | Work::Store(unit) => {
            let stores = matches!(op.work, Work::Store(_));
            if A::HAS_RUNS && !unit.is_aligned(unit_address) {
                return access_otherwise(op, word, registers, memory);
            }
            if !unit.is_aligned(unit_address) {
                return Err(A::misaligned(unit_address, stores));
            }
            let fault = A::Trap::data_bus_error(unit_address, stores);
            let size = u32::from(unit.size_bytes());
            if stores {
                let data = Unit::stored::<A>(unit, values[1]).to_u64();
                memory.write(unit_address.to_u64(), size, u8::MAX, data).ok_or(fault)?;
            } else {
                let data = memory.read(unit_address.to_u64(), size).ok_or(fault)?;
                registers.set_general(op.destination, unit.loaded::<A>(A::Word::from_u64(data)));
            }
            Ok(unit_address)
        }
        _ => access_otherwise(op, word, registers, memory),
    }
}

fn access_otherwise<A: Architecture>(
    op: &MicroOp<A>,
    word: u32,
    registers: &mut A::Registers,
    memory: &mut Bytes,
) -> Result<A::Word, A::Trap> {
    let instruction = A::instruction_of(op.operation, word);
    let (mut request, address) = A::request(&instruction, registers)?;
    let mut previous = A::previous(registers, op.destination);
    A::note_request(registers, &instruction);
    for part in 0.. {
        let Some(data) = serve::<A>(&request, address, registers, memory)? else {
            registers.set_general(op.destination, A::store_failed(previous));
            break;
        };
        let (register, value) = A::answered(&instruction, &Answer { address, part, previous, data });
        registers.set_general(register, value);
        previous = data;
        match A::next_request(&instruction, address, part + 1, registers) {
            Some(next) => request = next,
            None => break,
        }
    }
    Ok(address)
}

/// Answer of the memory; `None` for a store-conditional without a link.
fn serve<A: Architecture>(
    request: &MemoryRequest<A::Word>,
    address: A::Word,
    registers: &mut A::Registers,
    memory: &mut Bytes,
) -> Result<Option<A::Word>, A::Trap> {
    let MemoryRequest { address: first, operation, size_bytes, enables, data } = *request;
    let stores = !matches!(operation, MemoryOperation::Load | MemoryOperation::LoadLinked);
    let fault = A::Trap::data_bus_error(first, stores);
    let (first, size) = (first.to_u64(), u32::from(size_bytes));
    if let MemoryOperation::Maintain(maintenance) = operation {
        return maintain(maintenance, first, data.to_u64(), memory).ok_or(fault).map(Some);
    }
    let old = memory.read(first, size).ok_or(fault)?;
    let answer = match operation {
        MemoryOperation::Load => old,
        MemoryOperation::LoadLinked => {
            *registers.link() = Some(address);
            old
        }
        MemoryOperation::Store => {
            memory.write(first, size, enables, data.to_u64()).ok_or(fault)?;
            0
        }
        MemoryOperation::StoreConditional => {
            if registers.link().take() != Some(address) {
                return Ok(None);
            }
            memory.write(first, size, enables, data.to_u64()).ok_or(fault)?;
            1
        }
        MemoryOperation::Atomic(operation) if size == 8 => {
            memory.write(first, size, enables, operation.combined(old, data.to_u64())).ok_or(fault)?;
            old
        }
        MemoryOperation::Atomic(operation) => {
            let swap = |word: u32| if A::BYTE_ORDER == ByteOrder::Big { word.swap_bytes() } else { word };
            let outcome = operation.apply(swap(old as u32), data.to_u64() as u32);
            memory.write(first, size, enables, swap(outcome.word).into()).ok_or(fault)?;
            outcome.result.into()
        }
        MemoryOperation::Maintain(_) => 0,
    };
    Ok(Some(A::Word::from_u64(answer)))
}

/// Effect of cache maintenance on a system without caches.
fn maintain<W: Word>(maintenance: Maintenance, address: u64, data: u64, memory: &mut Bytes) -> Option<W> {
    if maintenance == Maintenance::ZeroLine {
        for word in 0..data / 4 {
            memory.write(address + 4 * word, 4, 0b1111, 0)?;
        }
    }
    Some(W::default())
}

fn transfer<A: Architecture>(
    op: &MicroOp<A>,
    word: u32,
    values: [A::Word; 2],
    registers: &mut A::Registers,
) -> Result<bool, A::Trap> {
    if registers.in_delay_slot() {
        return Err(A::Trap::reserved(word));
    }
    let (pc, bytes) = (registers.pc(), A::instruction_bytes(word));
    let (taken, target) = match op.work {
        Work::Branch(condition) | Work::LikelyBranch(condition) => {
            (A::holds(condition, values[0], values[1]), A::branch_target(pc, op.immediate))
        }
        Work::IndirectBranch(condition) => {
            let third = registers.general(op.further.third_source());
            (A::holds(condition, values[1], third), A::indirect_target(values, op.immediate))
        }
        Work::IndirectJump => (true, A::indirect_target(values, op.immediate)),
        _ => (true, A::jump_target(pc, op.immediate)),
    };
    let annuls_delay_slot = !taken && matches!(op.work, Work::LikelyBranch(_));
    if op.destination != 0 {
        registers.set_general(op.destination, A::return_address(pc, bytes));
    }
    if op.further.second_destination() != 0 {
        let count = registers.general(op.further.second_destination());
        registers.set_general(op.further.second_destination(), count.wrapping_sub(A::Word::ONE));
    }
    registers.advance_after(&Transfer { taken, target, annuls_delay_slot }, bytes);
    Ok(taken)
}
