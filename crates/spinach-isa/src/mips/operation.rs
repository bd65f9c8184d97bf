//! The table of operations: one row each, from which decoding, encoding and disassembly follow.

use serde::{Deserialize, Serialize};

use crate::atomic::AtomicOperation;
use crate::instruction_set::{Class, ControlFlow, Direction, MemoryBehaviour, Part, RegisterSet};

/// The function an ALU computes from two operands `a` and `b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum AluFunction {
    /// `a + b` modulo 2^32.
    Add,
    /// `a + b`; traps on signed overflow.
    AddTrapping,
    /// `a - b` modulo 2^32.
    Subtract,
    /// `a - b`; traps on signed overflow.
    SubtractTrapping,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Complement of the bitwise or.
    Nor,
    /// 1 if `a < b` as signed numbers, else 0.
    SetLessThanSigned,
    /// 1 if `a < b` as unsigned numbers, else 0.
    SetLessThanUnsigned,
    /// `b` shifted left by the low five bits of `a`.
    ShiftLeft,
    /// `b` shifted right by the low five bits of `a`, zeros from above.
    ShiftRightLogical,
    /// `b` shifted right by the low five bits of `a`, sign bits from above.
    ShiftRightArithmetic,
    /// Tigon-2 priority decode of `a & b`, highest bit first.
    PriorityHighest,
    /// Tigon-2 priority decode of `a & b`, lowest bit first.
    PriorityLowest,
}

impl AluFunction {
    /// All of them.
    pub const ALL: &[Self] = &[
        Self::Add,
        Self::AddTrapping,
        Self::Subtract,
        Self::SubtractTrapping,
        Self::And,
        Self::Or,
        Self::Xor,
        Self::Nor,
        Self::SetLessThanSigned,
        Self::SetLessThanUnsigned,
        Self::ShiftLeft,
        Self::ShiftRightLogical,
        Self::ShiftRightArithmetic,
        Self::PriorityHighest,
        Self::PriorityLowest,
    ];
}

/// Source of the ALU's first operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum OperandA {
    /// Register `rs`.
    Rs,
    /// The shift amount in the instruction.
    ShiftAmount,
}

/// Source of the ALU's second operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum OperandB {
    /// Register `rt`.
    Rt,
    /// The immediate, extended or shifted as the operation needs it.
    Immediate,
}

/// A comparison that decides a branch or a conditional trap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Condition {
    /// `a == b`.
    Equal,
    /// `a != b`.
    NotEqual,
    /// `a < b`, signed.
    LessSigned,
    /// `a <= b`, signed.
    LessOrEqualSigned,
    /// `a > b`, signed.
    GreaterSigned,
    /// `a >= b`, signed.
    GreaterOrEqualSigned,
    /// `a < b`, unsigned.
    LessUnsigned,
    /// `a >= b`, unsigned.
    GreaterOrEqualUnsigned,
}

/// The field that names the general register an instruction writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Destination {
    /// No general register.
    None,
    /// Field `rd`.
    Rd,
    /// Field `rt`.
    Rt,
    /// Register 31, the return address.
    ReturnAddress,
}

/// The fields of an instruction that vary and the order in which assembly text gives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Format {
    /// `op rd,rs,rt`
    RdRsRt,
    /// `op rd,rt,rs`
    RdRtRs,
    /// `op rd,rt,shift`
    RdRtShift,
    /// `op rt,rs,immediate`, sign-extended
    RtRsSigned,
    /// `op rt,rs,immediate`, zero-extended
    RtRsUnsigned,
    /// `op rt,immediate`, the upper half of a word
    RtUpper,
    /// `op rs,rt`
    RsRt,
    /// `op zero,rs,rt`: assemblers take the form without `zero` for a macro that checks the divisor
    ZeroRsRt,
    /// `op rd`
    Rd,
    /// `op rs`
    Rs,
    /// `op rd,rs`, or `op rs` when `rd` is the return address
    RdRs,
    /// `op rs,rt,target`, relative to the delay slot
    RsRtBranch,
    /// `op rs,target`, relative to the delay slot
    RsBranch,
    /// `op target`, within the delay slot's 256 MiB
    Jump,
    /// `op rt,offset(rs)`
    RtOffsetBase,
    /// `op rs,rt,code`, 10-bit code, omitted when zero
    RsRtCode,
    /// `op rs,immediate`, sign-extended
    RsSigned,
    /// `op code,code`, two 10-bit codes, omitted when zero
    TwoCodes,
    /// `op code`, 20-bit code, omitted when zero
    Code,
    /// `op`
    Plain,
    /// `op rt,register`, with a coprocessor-0 register
    RtCoprocessor0,
    /// `op function,offset(rs)`, 5-bit function
    CacheOffsetBase,
}

const RS: u32 = 0x1f << 21;
const RT: u32 = 0x1f << 16;
const RD: u32 = 0x1f << 11;
const SHIFT: u32 = 0x1f << 6;
const LOW_HALF: u32 = 0xffff;

impl Format {
    /// Mask of the bits that vary within the format. All others are fixed by the operation.
    pub const fn variable_bits(self) -> u32 {
        match self {
            Self::RdRsRt | Self::RdRtRs => RS | RT | RD,
            Self::RdRtShift => RT | RD | SHIFT,
            Self::RtRsSigned | Self::RtRsUnsigned | Self::RsRtBranch => RS | RT | LOW_HALF,
            Self::RtOffsetBase | Self::CacheOffsetBase => RS | RT | LOW_HALF,
            Self::RtUpper => RT | LOW_HALF,
            Self::RsRt | Self::ZeroRsRt => RS | RT,
            Self::Rd => RD,
            Self::Rs => RS,
            Self::RdRs => RS | RD,
            Self::RsBranch | Self::RsSigned => RS | LOW_HALF,
            Self::Jump => 0x03ff_ffff,
            Self::RsRtCode => RS | RT | 0xffc0,
            Self::TwoCodes | Self::Code => 0x03ff_ffc0,
            Self::Plain => 0,
            Self::RtCoprocessor0 => RT | RD,
        }
    }

    /// Mask of the variable bits that are five-bit fields `rs`, `rt`, `rd` and shift amount.
    pub const fn field_bits(self) -> u32 {
        match self {
            Self::Jump | Self::TwoCodes | Self::Code => 0,
            Self::RdRsRt | Self::RdRtRs | Self::RdRtShift => self.variable_bits(),
            _ => {
                self.variable_bits() & (RS | RT | if self.variable_bits() & LOW_HALF == RD { RD } else { 0 })
            }
        }
    }
}

/// The extension that must be switched on for an operation to exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Extension {
    /// Part of every core: MIPS I and II integer instructions as in the R4000.
    Base,
    /// Priority decode and jump offset of the Tigon-2.
    Tigon2,
    /// The atomic bit array.
    AtomicBitArray,
}

/// Register numbers in a [`RegisterSet`] of this instruction set: 0 to 31 are the general registers.
pub mod register {
    /// Upper half of a product, or remainder.
    pub const HI: u8 = 32;
    /// Lower half of a product, or quotient.
    pub const LO: u8 = 33;
    /// The flag that `ll` sets and `sc` tests.
    pub const LINK: u8 = 34;
    /// All coprocessor-0 registers together.
    pub const COPROCESSOR0: u8 = 35;
    /// The general register that calls write their return address to.
    pub const RETURN_ADDRESS: u8 = 31;
}

/// Properties of an operation, before its register fields are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Description {
    /// The assembler's name.
    pub mnemonic: &'static str,
    /// The hardware it occupies.
    pub class: Class,
    /// Fields and syntax.
    pub format: Format,
    /// The word with all variable bits zero.
    pub fixed_bits: u32,
    /// Condition under which it exists.
    pub extension: Extension,
    /// True if it reads the register in field `rs`.
    pub reads_rs: bool,
    /// True if it reads the register in field `rt`.
    pub reads_rt: bool,
    /// Registers read beyond the fields.
    pub implicit_reads: RegisterSet,
    /// The general register written.
    pub destination: Destination,
    /// Registers written beyond the general ones.
    pub implicit_writes: RegisterSet,
    /// Result for the classes [`Class::Alu`] and [`Class::Shift`], address for loads and stores.
    pub alu: AluFunction,
    /// First operand of the ALU.
    pub operand_a: OperandA,
    /// Second operand of the ALU, and of a condition.
    pub operand_b: OperandB,
    /// Condition of a branch or a conditional trap.
    pub condition: Option<Condition>,
    /// Use of memory.
    pub memory: Option<MemoryBehaviour>,
    /// The read-modify-write that the memory performs, for class [`Class::Atomic`].
    pub atomic: Option<AtomicOperation>,
    /// Effect on the flow of control.
    pub control_flow: ControlFlow,
}

impl Description {
    /// Number of delay slots: one after every branch and jump.
    pub const fn delay_slots(&self) -> u8 {
        match self.control_flow {
            ControlFlow::Branch { .. } | ControlFlow::Jump { .. } | ControlFlow::IndirectJump { .. } => 1,
            ControlFlow::Sequential | ControlFlow::ExceptionReturn | ControlFlow::Exception => 0,
        }
    }
}

macro_rules! operations {
    ($($(#[$documentation:meta])* $name:ident = $description:expr;)*) => {
        /// Every operation of the instruction set and its extensions.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[repr(u8)]
        pub enum Operation {
            $($(#[$documentation])* $name,)*
        }

        impl Operation {
            /// All operations, in the order of their discriminants.
            pub const ALL: &[Self] = &[$(Self::$name,)*];
        }

        static DESCRIPTIONS: [Description; Operation::ALL.len()] = const {
            use rows::*;
            [$($description,)*]
        };
    };
}

impl Operation {
    /// Properties of the operation.
    #[inline]
    pub const fn description(self) -> &'static Description {
        &DESCRIPTIONS[self as usize]
    }
}

operations! {
    /// No operation of this instruction set: raises the reserved-instruction exception.
    Reserved = plain("reserved", u32::MAX, Class::Reserved, ControlFlow::Exception);
    /// An operation of coprocessor 1, 2 or 3, none of which is fitted: raises coprocessor unusable.
    CoprocessorUnusable = plain("coprocessor", u32::MAX, Class::Coprocessor, ControlFlow::Exception);

    /// Add; traps on overflow.
    Add = alu("add", 0x20, AluFunction::AddTrapping);
    /// Add.
    Addu = alu("addu", 0x21, AluFunction::Add);
    /// Subtract; traps on overflow.
    Sub = alu("sub", 0x22, AluFunction::SubtractTrapping);
    /// Subtract.
    Subu = alu("subu", 0x23, AluFunction::Subtract);
    /// And.
    And = alu("and", 0x24, AluFunction::And);
    /// Or.
    Or = alu("or", 0x25, AluFunction::Or);
    /// Exclusive or.
    Xor = alu("xor", 0x26, AluFunction::Xor);
    /// Not or.
    Nor = alu("nor", 0x27, AluFunction::Nor);
    /// Set on less than, signed.
    Slt = alu("slt", 0x2a, AluFunction::SetLessThanSigned);
    /// Set on less than, unsigned.
    Sltu = alu("sltu", 0x2b, AluFunction::SetLessThanUnsigned);
    /// Add immediate; traps on overflow.
    Addi = alu_immediate("addi", 0x08, Format::RtRsSigned, AluFunction::AddTrapping);
    /// Add immediate.
    Addiu = alu_immediate("addiu", 0x09, Format::RtRsSigned, AluFunction::Add);
    /// Set on less than immediate, signed.
    Slti = alu_immediate("slti", 0x0a, Format::RtRsSigned, AluFunction::SetLessThanSigned);
    /// Set on less than immediate, unsigned; the immediate is sign-extended first.
    Sltiu = alu_immediate("sltiu", 0x0b, Format::RtRsSigned, AluFunction::SetLessThanUnsigned);
    /// And immediate.
    Andi = alu_immediate("andi", 0x0c, Format::RtRsUnsigned, AluFunction::And);
    /// Or immediate.
    Ori = alu_immediate("ori", 0x0d, Format::RtRsUnsigned, AluFunction::Or);
    /// Exclusive or immediate.
    Xori = alu_immediate("xori", 0x0e, Format::RtRsUnsigned, AluFunction::Xor);
    /// Load upper immediate.
    Lui = load_upper("lui", 0x0f);

    /// Shift left by a constant.
    Sll = shift("sll", 0x00, AluFunction::ShiftLeft);
    /// Shift right logical by a constant.
    Srl = shift("srl", 0x02, AluFunction::ShiftRightLogical);
    /// Shift right arithmetic by a constant.
    Sra = shift("sra", 0x03, AluFunction::ShiftRightArithmetic);
    /// Shift left by a register.
    Sllv = shift_variable("sllv", 0x04, AluFunction::ShiftLeft);
    /// Shift right logical by a register.
    Srlv = shift_variable("srlv", 0x06, AluFunction::ShiftRightLogical);
    /// Shift right arithmetic by a register.
    Srav = shift_variable("srav", 0x07, AluFunction::ShiftRightArithmetic);

    /// Multiply, signed.
    Mult = multiply_divide("mult", 0x18, Class::Multiply, Format::RsRt);
    /// Multiply, unsigned.
    Multu = multiply_divide("multu", 0x19, Class::Multiply, Format::RsRt);
    /// Divide, signed.
    Div = multiply_divide("div", 0x1a, Class::Divide, Format::ZeroRsRt);
    /// Divide, unsigned.
    Divu = multiply_divide("divu", 0x1b, Class::Divide, Format::ZeroRsRt);
    /// Move from HI.
    Mfhi = from_multiplier("mfhi", 0x10, register::HI);
    /// Move to HI.
    Mthi = to_multiplier("mthi", 0x11, register::HI);
    /// Move from LO.
    Mflo = from_multiplier("mflo", 0x12, register::LO);
    /// Move to LO.
    Mtlo = to_multiplier("mtlo", 0x13, register::LO);

    /// Load byte, signed.
    Lb = load("lb", 0x20, 1, true);
    /// Load halfword, signed.
    Lh = load("lh", 0x21, 2, true);
    /// Load word.
    Lw = load("lw", 0x23, 4, false);
    /// Load byte, unsigned.
    Lbu = load("lbu", 0x24, 1, false);
    /// Load halfword, unsigned.
    Lhu = load("lhu", 0x25, 2, false);
    /// Load word left: the upper part of an unaligned word.
    Lwl = load_part("lwl", 0x22, Part::Left);
    /// Load word right: the lower part of an unaligned word.
    Lwr = load_part("lwr", 0x26, Part::Right);
    /// Load linked.
    Ll = load_linked("ll", 0x30);
    /// Store byte.
    Sb = store("sb", 0x28, 1, Part::Whole);
    /// Store halfword.
    Sh = store("sh", 0x29, 2, Part::Whole);
    /// Store word.
    Sw = store("sw", 0x2b, 4, Part::Whole);
    /// Store word left: the upper part of an unaligned word.
    Swl = store("swl", 0x2a, 4, Part::Left);
    /// Store word right: the lower part of an unaligned word.
    Swr = store("swr", 0x2e, 4, Part::Right);
    /// Store conditional.
    Sc = store_conditional("sc", 0x38);

    /// Branch on equal.
    Beq = branch("beq", 0x04, Condition::Equal, false);
    /// Branch on not equal.
    Bne = branch("bne", 0x05, Condition::NotEqual, false);
    /// Branch on equal, likely.
    Beql = branch("beql", 0x14, Condition::Equal, true);
    /// Branch on not equal, likely.
    Bnel = branch("bnel", 0x15, Condition::NotEqual, true);
    /// Branch on less than or equal to zero.
    Blez = branch_zero("blez", primary(0x06), Condition::LessOrEqualSigned, false, false);
    /// Branch on greater than zero.
    Bgtz = branch_zero("bgtz", primary(0x07), Condition::GreaterSigned, false, false);
    /// Branch on less than or equal to zero, likely.
    Blezl = branch_zero("blezl", primary(0x16), Condition::LessOrEqualSigned, true, false);
    /// Branch on greater than zero, likely.
    Bgtzl = branch_zero("bgtzl", primary(0x17), Condition::GreaterSigned, true, false);
    /// Branch on less than zero.
    Bltz = branch_zero("bltz", register_immediate(0x00), Condition::LessSigned, false, false);
    /// Branch on greater than or equal to zero.
    Bgez = branch_zero("bgez", register_immediate(0x01), Condition::GreaterOrEqualSigned, false, false);
    /// Branch on less than zero, likely.
    Bltzl = branch_zero("bltzl", register_immediate(0x02), Condition::LessSigned, true, false);
    /// Branch on greater than or equal to zero, likely.
    Bgezl = branch_zero("bgezl", register_immediate(0x03), Condition::GreaterOrEqualSigned, true, false);
    /// Branch on less than zero and link.
    Bltzal = branch_zero("bltzal", register_immediate(0x10), Condition::LessSigned, false, true);
    /// Branch on greater than or equal to zero and link.
    Bgezal = branch_zero("bgezal", register_immediate(0x11), Condition::GreaterOrEqualSigned, false, true);
    /// Branch on less than zero and link, likely.
    Bltzall = branch_zero("bltzall", register_immediate(0x12), Condition::LessSigned, true, true);
    /// Branch on greater than or equal to zero and link, likely.
    Bgezall = branch_zero("bgezall", register_immediate(0x13), Condition::GreaterOrEqualSigned, true, true);
    /// Jump.
    J = jump("j", 0x02, false);
    /// Jump and link.
    Jal = jump("jal", 0x03, true);
    /// Jump to register.
    Jr = jump_register("jr", 0x08, Format::Rs, false);
    /// Jump to register and link.
    Jalr = jump_register("jalr", 0x09, Format::RdRs, true);

    /// System call.
    Syscall = plain_with("syscall", special(0x0c), Format::Code, ControlFlow::Exception);
    /// Breakpoint.
    Break = plain_with("break", special(0x0d), Format::TwoCodes, ControlFlow::Exception);
    /// Memory barrier.
    Sync = plain("sync", special(0x0f), Class::System, ControlFlow::Sequential);
    /// Trap if greater or equal, signed.
    Tge = trap("tge", 0x30, Condition::GreaterOrEqualSigned);
    /// Trap if greater or equal, unsigned.
    Tgeu = trap("tgeu", 0x31, Condition::GreaterOrEqualUnsigned);
    /// Trap if less, signed.
    Tlt = trap("tlt", 0x32, Condition::LessSigned);
    /// Trap if less, unsigned.
    Tltu = trap("tltu", 0x33, Condition::LessUnsigned);
    /// Trap if equal.
    Teq = trap("teq", 0x34, Condition::Equal);
    /// Trap if not equal.
    Tne = trap("tne", 0x36, Condition::NotEqual);
    /// Trap if greater than or equal to immediate, signed.
    Tgei = trap_immediate("tgei", 0x08, Condition::GreaterOrEqualSigned);
    /// Trap if greater than or equal to immediate, unsigned; the immediate is sign-extended first.
    Tgeiu = trap_immediate("tgeiu", 0x09, Condition::GreaterOrEqualUnsigned);
    /// Trap if less than immediate, signed.
    Tlti = trap_immediate("tlti", 0x0a, Condition::LessSigned);
    /// Trap if less than immediate, unsigned; the immediate is sign-extended first.
    Tltiu = trap_immediate("tltiu", 0x0b, Condition::LessUnsigned);
    /// Trap if equal to immediate.
    Teqi = trap_immediate("teqi", 0x0c, Condition::Equal);
    /// Trap if not equal to immediate.
    Tnei = trap_immediate("tnei", 0x0e, Condition::NotEqual);

    /// Move from coprocessor 0.
    Mfc0 = from_coprocessor0("mfc0", 0x4000_0000);
    /// Move to coprocessor 0.
    Mtc0 = to_coprocessor0("mtc0", 0x4080_0000);
    /// Exception return.
    Eret = exception_return("eret", 0x4200_0018);
    /// Cache maintenance; privileged, without effect on architectural state.
    Cache = cache("cache", primary(0x2f));

    /// Tigon-2 priority decode, highest bit first.
    PriorityHighest = tigon_priority("pri", AluFunction::PriorityHighest);
    /// Tigon-2 priority decode, lowest bit first.
    PriorityLowest = tigon_priority("pri", AluFunction::PriorityLowest);
    /// Tigon-2 jump offset: jumps to `rs + 8 rt`.
    JumpOffset = tigon_jump_offset("joff");

    /// Atomic bit array: sets bit `rs` of the array at `rt`.
    SetBit = atomic("set", 0x10, AtomicOperation::Set, Format::RsRt, Destination::None);
    /// Atomic bit array: clears the run beginning at bit `rs` of the array at `rt`; `rd` is its last bit.
    UpdateBits = atomic("update", 0x11, AtomicOperation::Update, Format::RdRsRt, Destination::Rd);
}

/// Constructors for the rows of the table, one per family of operations.
mod rows;
