//! Assembly syntax: the order of operands and the names of registers, for disassembler and assembler alike.

use super::coprocessor0::number;
use super::operation::{Format, register};

/// One operand in assembly text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operand {
    Rd,
    Rs,
    Rt,
    /// `rd`, left out when it is the return address.
    LinkRd,
    /// The name of register 0.
    Zero,
    ShiftAmount,
    /// The immediate in decimal.
    Signed,
    /// The immediate in hexadecimal.
    Unsigned,
    /// The upper half of the immediate in hexadecimal.
    Upper,
    /// An address, which the immediate gives relative to the delay slot.
    BranchTarget,
    /// An address, of which the immediate gives the low 28 bits.
    JumpTarget,
    /// `offset(rs)`.
    OffsetBase,
    /// The immediate in hexadecimal, left out when zero.
    Code,
    /// The upper 10 of 20 immediate bits, left out when all 20 are zero.
    FirstCode,
    /// The lower 10 of 20 immediate bits, left out when zero.
    SecondCode,
    /// A register of coprocessor 0 in `rd`.
    Coprocessor0,
    /// The function of a cache operation, in `rt`.
    CacheFunction,
}

impl Format {
    /// The operands in the order of assembly text.
    pub(super) const fn syntax(self) -> &'static [Operand] {
        use Operand::{
            BranchTarget, CacheFunction, Code, Coprocessor0, FirstCode, JumpTarget, LinkRd, OffsetBase, Rd,
            Rs, Rt, SecondCode, ShiftAmount, Signed, Unsigned, Upper, Zero,
        };
        match self {
            Self::RdRsRt => &[Rd, Rs, Rt],
            Self::RdRtRs => &[Rd, Rt, Rs],
            Self::RdRtShift => &[Rd, Rt, ShiftAmount],
            Self::RtRsSigned => &[Rt, Rs, Signed],
            Self::RtRsUnsigned => &[Rt, Rs, Unsigned],
            Self::RtUpper => &[Rt, Upper],
            Self::RsRt => &[Rs, Rt],
            Self::ZeroRsRt => &[Zero, Rs, Rt],
            Self::Rd => &[Rd],
            Self::Rs => &[Rs],
            Self::RdRs => &[LinkRd, Rs],
            Self::RsRtBranch => &[Rs, Rt, BranchTarget],
            Self::RsBranch => &[Rs, BranchTarget],
            Self::Jump => &[JumpTarget],
            Self::RtOffsetBase => &[Rt, OffsetBase],
            Self::RsRtCode => &[Rs, Rt, Code],
            Self::RsSigned => &[Rs, Signed],
            Self::TwoCodes => &[FirstCode, SecondCode],
            Self::Code => &[Code],
            Self::Plain => &[],
            Self::RtCoprocessor0 => &[Rt, Coprocessor0],
            Self::CacheOffsetBase => &[CacheFunction, OffsetBase],
        }
    }
}

/// Names of the general registers in the o32 convention, by number.
pub const GENERAL_NAMES: [&str; 32] = [
    "zero", "at", "v0", "v1", "a0", "a1", "a2", "a3", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "s0",
    "s1", "s2", "s3", "s4", "s5", "s6", "s7", "t8", "t9", "k0", "k1", "gp", "sp", "s8", "ra",
];

/// Names of the coprocessor-0 registers that are present; the others are written by number, as `$22`.
pub(super) const COPROCESSOR0_NAMES: [(u8, &str); 8] = [
    (number::BAD_ADDRESS, "c0_badvaddr"),
    (number::COUNT, "c0_count"),
    (number::COMPARE, "c0_compare"),
    (number::STATUS, "c0_status"),
    (number::CAUSE, "c0_cause"),
    (number::EXCEPTION_PC, "c0_epc"),
    (number::PROCESSOR_ID, "c0_prid"),
    (number::ERROR_PC, "c0_errorepc"),
];

/// The name of a member of a register set.
pub(super) const fn register_name(number: u8) -> &'static str {
    match number {
        0..32 => GENERAL_NAMES[number as usize],
        register::HI => "hi",
        register::LO => "lo",
        register::LINK => "link",
        register::COPROCESSOR0 => "c0",
        _ => "?",
    }
}
