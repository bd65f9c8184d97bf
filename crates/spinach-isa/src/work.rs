//! Work of a core for an instruction, in terms that fit every instruction set.

use std::fmt::Debug;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::atomic::AtomicOperation;
use crate::instruction_set::Class;
use crate::word::{ByteOrder, Word};

/// Vocabulary of an instruction set for the effects of its instructions.
pub trait Operations: Copy + 'static {
    /// Type of a general register and of an address.
    type Word: Word;
    /// Byte order of words in memory.
    const BYTE_ORDER: ByteOrder;
    /// Operation of an instruction: a byte.
    type Operation: Copy + Eq + Debug + Serialize + DeserializeOwned + Send + Sync + 'static;
    /// Function of the ALU.
    type AluFunction: Copy + Eq + Debug + Serialize + DeserializeOwned + Send + Sync + 'static;
    /// Condition of a branch.
    type Condition: Copy + Eq + Debug + Serialize + DeserializeOwned + Send + Sync + 'static;
    /// Registers of its instructions beyond two sources and a destination; `()` if there are none.
    type Further: FurtherRegisters;
}

/// Kind of work of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Kind {
    /// Nothing beyond registers.
    Plain,
    /// A reference whose answer the instruction waits for: loads, store-conditionals, atomic operations with a result.
    Awaited,
    /// A reference whose answer nothing waits for: stores, atomic operations without a result.
    Posted,
    /// A branch, or a jump through a register: where it goes depends on registers.
    RegisterTransfer,
    /// A jump to a place that the instruction names.
    DirectJump,
    /// Waits until all references of the core were answered.
    Barrier,
    /// Returns from an exception.
    ExceptionReturn,
}

/// Work of a core for an instruction: its [`Kind`], and the operands of the usual kinds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub enum Work<A: Operations> {
    /// Writes the result of the ALU to a register, and has no other effect.
    Calculate(A::AluFunction),
    /// A load of an aligned unit.
    Load(Unit),
    /// Any other reference whose answer the instruction waits for.
    Awaited,
    /// A store of an aligned unit.
    Store(Unit),
    /// Any other reference whose answer nothing waits for.
    Posted,
    /// A branch.
    Branch(A::Condition),
    /// A branch that annuls its delay slot if it is not taken.
    LikelyBranch(A::Condition),
    /// A jump through a register.
    IndirectJump,
    /// A branch through the first source, decided by the second and the third.
    IndirectBranch(A::Condition),
    /// A jump to a place that the instruction names.
    DirectJump,
    /// Anything that occupies the multiplier.
    Multiplier,
    /// Anything else that concerns nothing beyond registers.
    Plain,
    /// Waits until all references of the core were answered.
    Barrier,
    /// The same, and the next instruction is fetched only then.
    InstructionBarrier,
    /// Returns from an exception.
    ExceptionReturn,
    /// Nothing: there was no instruction to fetch.
    Unfetched,
}

impl<A: Operations> Work<A> {
    /// Kind of the work.
    #[inline]
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Calculate(_) | Self::Multiplier | Self::Plain | Self::Unfetched => Kind::Plain,
            Self::Load(_) | Self::Awaited => Kind::Awaited,
            Self::Store(_) | Self::Posted => Kind::Posted,
            Self::Branch(_) | Self::LikelyBranch(_) | Self::IndirectJump | Self::IndirectBranch(_) => {
                Kind::RegisterTransfer
            }
            Self::DirectJump => Kind::DirectJump,
            Self::Barrier | Self::InstructionBarrier => Kind::Barrier,
            Self::ExceptionReturn => Kind::ExceptionReturn,
        }
    }
}

/// Micro-operation: all that a core needs to execute an instruction.
#[derive(Clone, Copy, Debug)]
pub struct MicroOp<A: Operations> {
    /// Operation.
    pub operation: A::Operation,
    /// The hardware that it occupies.
    pub class: Class,
    /// Work to do.
    pub work: Work<A>,
    /// The general registers that it reads; 0 where there is none. The first is the base of an address or of an indirect target,
    /// the second is the data of a store; a condition compares the first with the second.
    pub sources: [u8; 2],
    /// The general register that it writes, that of the return address included; 0 for none.
    pub destination: u8,
    /// A constant that the ALU takes as its first operand in place of a register; 0 if there is none.
    pub shift_amount: u8,
    /// A constant that the ALU takes as its second operand in place of a register, the distance of a transfer of control in bytes,
    /// or what is added to an address; 0 if there is none. Taken with its sign.
    pub immediate: u32,
    /// Further registers that it reads and writes.
    pub further: A::Further,
}

/// Registers of instructions of some sets beyond two sources and a destination.
pub trait FurtherRegisters:
    Copy + Eq + Default + Debug + Serialize + DeserializeOwned + Send + Sync + 'static
{
    /// A third source; 0 for none.
    #[inline(always)]
    fn third_source(self) -> u8 {
        0
    }

    /// A second destination; 0 for none. It receives the address of a load or store, or the counter of a branch.
    #[inline(always)]
    fn second_destination(self) -> u8 {
        0
    }
}

impl FurtherRegisters for () {}

/// A request to a memory of something other than an aligned [`Unit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryRequest<W> {
    /// The address of the first byte, a multiple of the size.
    pub address: W,
    /// Operation of the memory.
    pub operation: MemoryOperation,
    /// Number of bytes that it spans.
    pub size_bytes: u8,
    /// Enabled bytes: bit `i` represents the byte at `address + i`.
    pub enables: u8,
    /// The bytes to store in memory order, the first one lowest; for atomic operations a number.
    pub data: W,
}

/// Operation of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryOperation {
    /// Returns bytes.
    Load,
    /// Stores bytes.
    Store,
    /// Returns the word and remembers a reservation.
    LoadLinked,
    /// Stores the word if the reservation holds.
    StoreConditional,
    /// Atomic read and write of the word.
    Atomic(AtomicOperation),
    /// Nothing: the caches in front of it do something. The data is what the operation names.
    Maintain(Maintenance),
}

/// Cache requests besides loads and stores. Lines are those that hold the address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Maintenance {
    /// Write the line of data back if it was changed, and keep it.
    StoreLine = 0,
    /// Write the line of data back if it was changed, and drop it.
    FlushLine = 1,
    /// Drop the line of data, whether it was changed or not.
    InvalidateLine = 2,
    /// Drop all lines of data that may lie where this one may, whether they were changed or not.
    InvalidateSet = 3,
    /// Bring the line of data, as a hint.
    TouchLine = 4,
    /// Hold the line of data with zeros in every byte, without asking the memory.
    ZeroLine = 5,
    /// Drop the line of instructions.
    InvalidateInstructionLine = 6,
    /// Drop all lines of instructions.
    InvalidateInstructions = 7,
    /// Bring the line of instructions, as a hint.
    TouchInstructionLine = 8,
    /// Answer once everything asked before was performed by the memory.
    Drain = 9,
    /// Cacheable regions of data: a bit for each 128 MB of 4 GB, the highest bit for the lowest addresses.
    SetCacheable = 10,
    /// Regions where stores are written through to the memory.
    SetWriteThrough = 11,
    /// Cacheable regions of instructions.
    SetInstructionsCacheable = 12,
    /// Bit 0: whether stores that miss bring no line.
    SetAllocation = 13,
}

impl Maintenance {
    const ALL: [Self; 14] = [
        Self::StoreLine,
        Self::FlushLine,
        Self::InvalidateLine,
        Self::InvalidateSet,
        Self::TouchLine,
        Self::ZeroLine,
        Self::InvalidateInstructionLine,
        Self::InvalidateInstructions,
        Self::TouchInstructionLine,
        Self::Drain,
        Self::SetCacheable,
        Self::SetWriteThrough,
        Self::SetInstructionsCacheable,
        Self::SetAllocation,
    ];

    /// The operation of a number.
    pub const fn of(number: u64) -> Option<Self> {
        if number < Self::ALL.len() as u64 { Some(Self::ALL[number as usize]) } else { None }
    }
}

/// Unit of most loads and stores: the whole of an aligned byte, half word, word or double word.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Unit {
    /// 8 bits, extended by zeros.
    Byte = 1,
    /// 16 bits, extended by zeros.
    Half = 2,
    /// 32 bits, extended by zeros.
    Word = 4,
    /// 64 bits.
    Double = 8,
    /// 8 bits, extended by their sign.
    SignedByte = 17,
    /// 16 bits, extended by their sign.
    SignedHalf = 18,
    /// 32 bits, extended by their sign.
    SignedWord = 20,
}

impl Unit {
    /// The unit of some size; `None` if there is none.
    pub const fn of(size_bytes: u8, sign_extends: bool) -> Option<Self> {
        match (size_bytes, sign_extends) {
            (1, false) => Some(Self::Byte),
            (2, false) => Some(Self::Half),
            (4, false) => Some(Self::Word),
            (8, _) => Some(Self::Double),
            (1, true) => Some(Self::SignedByte),
            (2, true) => Some(Self::SignedHalf),
            (4, true) => Some(Self::SignedWord),
            _ => None,
        }
    }

    /// Number of bytes.
    #[inline]
    pub const fn size_bytes(self) -> u8 {
        self as u8 & 15
    }

    #[inline]
    const fn sign_extends(self) -> bool {
        self as u8 & 16 != 0
    }

    // Number of bits of a register outside of the unit.
    #[inline]
    const fn unused_bits<A: Operations>(self) -> u32 {
        <A::Word as Word>::BITS - 8 * self.size_bytes() as u32
    }

    /// True if the unit can be at an address.
    #[inline]
    pub fn is_aligned(self, address: impl Word) -> bool {
        address.is_aligned(u32::from(self.size_bytes()))
    }

    /// The bytes that a store of a register stores, in memory order.
    #[inline]
    pub fn stored<A: Operations>(self, value: A::Word) -> A::Word {
        let unused = self.unused_bits::<A>();
        match A::BYTE_ORDER {
            ByteOrder::Big => value.swap_bytes().shift_right(unused),
            ByteOrder::Little => value.shift_left(unused).shift_right(unused),
        }
    }

    /// Register value of a load of bytes in memory order.
    #[inline]
    pub fn loaded<A: Operations>(self, data: A::Word) -> A::Word {
        let unused = self.unused_bits::<A>();
        let highest = match A::BYTE_ORDER {
            ByteOrder::Big => data.swap_bytes(),
            ByteOrder::Little => data.shift_left(unused),
        };
        if self.sign_extends() { highest.shift_right_signed(unused) } else { highest.shift_right(unused) }
    }
}
