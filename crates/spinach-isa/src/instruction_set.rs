//! Instruction properties common to all instruction sets, for pipelines and analyses.
//!
//! Nothing here names a machine.

use serde::{Deserialize, Serialize};

/// Kind of hardware that an operation occupies; latencies and issue rules depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Class {
    /// Integer arithmetic, logic and comparison.
    Alu,
    /// Shifts.
    Shift,
    /// Integer multiplication.
    Multiply,
    /// Integer division.
    Divide,
    /// Moves between general registers and the registers of the multiplier.
    MultiplierMove,
    /// Reads memory into a register.
    Load,
    /// Writes memory from a register.
    Store,
    /// Reads and writes one memory word as a single step, performed where the word lives.
    Atomic,
    /// Direct control transfer that depends on registers.
    Branch,
    /// Unconditional control transfer, direct or through registers.
    Jump,
    /// Moves to and from the system-control registers.
    Coprocessor,
    /// System calls, breakpoints, traps, barriers, cache maintenance and exception return.
    System,
    /// No valid operation of this instruction set with the chosen extensions.
    Reserved,
}

/// Use of memory by an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MemoryBehaviour {
    /// Direction of the data.
    pub direction: Direction,
    /// Size in bytes of the aligned unit that the instruction addresses: 1, 2, 4 or 8.
    pub size_bytes: u8,
    /// True if a narrow load extends its sign bit.
    pub sign_extends: bool,
    /// Part of the unit that moves.
    pub part: Part,
    /// True if the access sets (load) or depends on (store) the link flag.
    pub linked: bool,
}

/// Direction of a memory access, seen from the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Direction {
    /// Memory to register.
    Load,
    /// Register to memory.
    Store,
    /// One indivisible read and write of the same word.
    ReadModifyWrite,
}

/// The part of an aligned unit that an access moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Part {
    /// The whole unit; the address must be aligned to its size.
    Whole,
    /// From the addressed byte to the end of the word: the upper part of an unaligned word.
    Left,
    /// From the start of the word to the addressed byte: the lower part of an unaligned word.
    Right,
}

/// Effect of an instruction on the flow of control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ControlFlow {
    /// Continues with the next instruction, unless it traps.
    Sequential,
    /// Conditional, to a target encoded in the instruction.
    Branch {
        /// The delay slot is annulled when the branch is not taken.
        likely: bool,
        /// The return address is written, taken or not.
        links: bool,
    },
    /// Unconditional, to a target encoded in the instruction.
    Jump {
        /// The return address is written.
        links: bool,
    },
    /// Unconditional, to a target computed from registers.
    IndirectJump {
        /// The return address is written.
        links: bool,
    },
    /// Returns from an exception, without a delay slot.
    ExceptionReturn,
    /// Always enters an exception.
    Exception,
}

impl ControlFlow {
    /// True if control may move elsewhere than to the next instruction without an exception.
    pub const fn redirects(self) -> bool {
        !matches!(self, Self::Sequential | Self::Exception)
    }
}

/// A set of architectural registers, for dependences and hazards. Each instruction set numbers its own
/// registers from 0 to 63; a register that always reads as zero is never a member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RegisterSet(pub u64);

impl RegisterSet {
    /// The set without members.
    pub const EMPTY: Self = Self(0);

    /// The set of one register. `number` must be below 64.
    pub const fn single(number: u8) -> Self {
        Self(1 << number)
    }

    /// Members of either set.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// True if the sets share a register.
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// True if the register is a member. `number` must be below 64.
    pub const fn contains(self, number: u8) -> bool {
        self.0 >> number & 1 != 0
    }

    /// Number of members.
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// True if the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The members in rising order.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        (0..64).filter(move |&number| self.contains(number))
    }
}

/// Static properties of an instruction, known before it executes.
pub trait DecodedInstruction: Copy {
    /// The assembler's name of the operation.
    fn mnemonic(&self) -> &'static str;
    /// The hardware the operation occupies.
    fn class(&self) -> Class;
    /// Registers whose value the instruction needs.
    fn reads(&self) -> RegisterSet;
    /// Registers the instruction may change.
    fn writes(&self) -> RegisterSet;
    /// Use of memory, if any.
    fn memory(&self) -> Option<MemoryBehaviour>;
    /// Effect on the flow of control.
    fn control_flow(&self) -> ControlFlow;
    /// Number of instructions after it that execute before its control transfer takes effect.
    fn delay_slots(&self) -> u8;
    /// The target encoded in the instruction at `address`, for direct branches and jumps.
    fn direct_target(&self, address: u32) -> Option<u32>;
}
