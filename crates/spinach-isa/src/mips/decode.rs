//! Decoding of words into instructions.

use serde::{Deserialize, Serialize};

use super::Extensions;
use super::operation::{Destination, Extension, Format, Operation, register};
use super::tigon2::PriorityOrder;
use crate::instruction_set::{Class, ControlFlow, DecodedInstruction, MemoryBehaviour, RegisterSet};

/// A decoded instruction: 16 bytes, made once, executed many times.
///
/// Fields that the operation's format does not have are zero, so that reading register `rs` or `rt` of any
/// instruction is harmless.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Instruction {
    /// Operation to perform.
    pub operation: Operation,
    /// Register field `rs`.
    pub rs: u8,
    /// Register field `rt`, or the function of a cache operation.
    pub rt: u8,
    /// Register field `rd`, general or of coprocessor 0.
    pub rd: u8,
    /// Constant shift amount.
    pub shift_amount: u8,
    /// The general register written, 0 if none: writes to register 0 have no effect.
    pub destination: u8,
    /// The immediate as the operation uses it: extended to 32 bits; shifted for `lui`; the byte offset from the
    /// delay slot for branches; the offset within 256 MiB for jumps; the code of traps, breaks and system calls;
    /// the coprocessor's number when it is unusable.
    pub immediate: u32,
    /// The encoded instruction.
    pub word: u32,
}

type Lookup<const SIZE: usize> = [Operation; SIZE];

/// Operations by their distinguishing field, filled from the table of operations.
struct Tables {
    primary: Lookup<64>,
    special: Lookup<64>,
    register_immediate: Lookup<32>,
    special2: Lookup<64>,
    coprocessor0: Lookup<32>,
}

const fn primary_field(word: u32) -> usize {
    (word >> 26) as usize
}

const fn function_field(word: u32) -> usize {
    (word & 0x3f) as usize
}

const fn rs_field(word: u32) -> usize {
    (word >> 21 & 0x1f) as usize
}

const fn rt_field(word: u32) -> usize {
    (word >> 16 & 0x1f) as usize
}

static TABLES: Tables = const {
    let mut tables = Tables {
        primary: [Operation::Reserved; 64],
        special: [Operation::Reserved; 64],
        register_immediate: [Operation::Reserved; 32],
        special2: [Operation::Reserved; 64],
        coprocessor0: [Operation::Reserved; 32],
    };
    let mut index = 0;
    while index < Operation::ALL.len() {
        let operation = Operation::ALL[index];
        let word = operation.description().fixed_bits;
        // The lowest-first priority decode shares its slot with the highest-first one, which holds it.
        let shares_slot = matches!(operation, Operation::PriorityLowest);
        if word != u32::MAX && !shares_slot {
            match primary_field(word) {
                0x00 => tables.special[function_field(word)] = operation,
                0x01 => tables.register_immediate[rt_field(word)] = operation,
                0x10 => tables.coprocessor0[rs_field(word)] = operation,
                0x1c => tables.special2[function_field(word)] = operation,
                opcode => tables.primary[opcode] = operation,
            }
        }
        index += 1;
    }
    tables
};

/// Decodes a word. Bits that must be zero are checked: a word with any of them set is reserved.
pub fn decode(word: u32, extensions: Extensions) -> Instruction {
    let candidate = match primary_field(word) {
        0x00 => TABLES.special[function_field(word)],
        0x01 => TABLES.register_immediate[rt_field(word)],
        0x10 => TABLES.coprocessor0[rs_field(word)],
        0x1c => TABLES.special2[function_field(word)],
        // Coprocessors 1 to 3 and their loads and stores, single and double.
        0x11..=0x13 | 0x31..=0x33 | 0x35 | 0x36 | 0x39..=0x3b | 0x3d | 0x3e => {
            return Instruction::of(Operation::CoprocessorUnusable, word);
        }
        opcode => TABLES.primary[opcode],
    };
    let operation = match (candidate, extensions.tigon2) {
        (Operation::PriorityHighest, Some(PriorityOrder::LowestFirst)) => Operation::PriorityLowest,
        _ => candidate,
    };
    let description = operation.description();
    let enabled = match description.extension {
        Extension::Base => true,
        Extension::Tigon2 => extensions.tigon2.is_some(),
        Extension::AtomicBitArray => extensions.atomic_bit_array,
    };
    let is_reserved = !enabled || word & !description.format.variable_bits() != description.fixed_bits;
    Instruction::of(if is_reserved { Operation::Reserved } else { operation }, word)
}

impl Instruction {
    /// The instruction that `word` is if its operation is known already, as [`decode`] finds it.
    pub fn of(operation: Operation, word: u32) -> Self {
        let description = operation.description();
        let fields = word & description.format.field_bits();
        let (rt, rd) = (rt_field(fields) as u8, (fields >> 11 & 0x1f) as u8);
        Self {
            operation,
            rs: rs_field(fields) as u8,
            rt,
            rd,
            shift_amount: (fields >> 6 & 0x1f) as u8,
            destination: match description.destination {
                Destination::None => 0,
                Destination::Rd => rd,
                Destination::Rt => rt,
                Destination::ReturnAddress => register::RETURN_ADDRESS,
            },
            immediate: match operation {
                Operation::CoprocessorUnusable => word >> 26 & 3,
                _ => immediate(description.format, word),
            },
            word,
        }
    }
}

fn immediate(format: Format, word: u32) -> u32 {
    let sign_extended = word as u16 as i16 as u32;
    match format {
        Format::RtRsSigned | Format::RsSigned | Format::RtOffsetBase | Format::CacheOffsetBase => {
            sign_extended
        }
        Format::RtRsUnsigned => word & 0xffff,
        Format::RtUpper => word << 16,
        Format::RsRtBranch | Format::RsBranch => sign_extended << 2,
        Format::Jump => (word & 0x03ff_ffff) << 2,
        Format::RsRtCode => word >> 6 & 0x3ff,
        Format::Code | Format::TwoCodes => word >> 6 & 0xf_ffff,
        Format::RdRsRt | Format::RdRtRs | Format::RdRtShift | Format::RsRt | Format::ZeroRsRt => 0,
        Format::Rd | Format::Rs | Format::RdRs | Format::Plain | Format::RtCoprocessor0 => 0,
    }
}

fn general(number: u8) -> RegisterSet {
    if number == 0 { RegisterSet::EMPTY } else { RegisterSet::single(number) }
}

impl DecodedInstruction for Instruction {
    fn mnemonic(&self) -> &'static str {
        self.operation.description().mnemonic
    }

    fn class(&self) -> Class {
        self.operation.description().class
    }

    fn reads(&self) -> RegisterSet {
        let description = self.operation.description();
        let rs = if description.reads_rs { general(self.rs) } else { RegisterSet::EMPTY };
        let rt = if description.reads_rt { general(self.rt) } else { RegisterSet::EMPTY };
        description.implicit_reads.union(rs).union(rt)
    }

    fn writes(&self) -> RegisterSet {
        self.operation.description().implicit_writes.union(general(self.destination))
    }

    fn memory(&self) -> Option<MemoryBehaviour> {
        self.operation.description().memory
    }

    fn control_flow(&self) -> ControlFlow {
        self.operation.description().control_flow
    }

    fn delay_slots(&self) -> u8 {
        self.operation.description().delay_slots()
    }

    fn direct_target(&self, address: u32) -> Option<u32> {
        let delay_slot = address.wrapping_add(4);
        match self.control_flow() {
            ControlFlow::Branch { .. } => Some(delay_slot.wrapping_add(self.immediate)),
            ControlFlow::Jump { .. } => Some(delay_slot & 0xf000_0000 | self.immediate),
            _ => None,
        }
    }
}
