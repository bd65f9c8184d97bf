//! The table of operations: one row each, from which decoding and disassembly follow.

use serde::{Deserialize, Serialize};

use super::semantics::{AluFunction, Condition};
use crate::atomic::AtomicOperation;

/// The fields of an instruction and the order in which assembly text gives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// `op rd,rs1,rs2`
    Register,
    /// `op rd,rs1,immediate`
    Immediate,
    /// `op rd,rs1,shift`
    Shift,
    /// `op rd,offset(rs1)`
    Load,
    /// `op rs2,offset(rs1)`
    Store,
    /// `op rs1,rs2,target`
    Branch,
    /// `op rd,upper`
    Upper,
    /// `op rd,target`
    Jump,
    /// `op rd,register,rs1`
    Control,
    /// `op rd,register,number`
    ControlImmediate,
    /// `op rd,rs2,(rs1)`
    Atomic,
    /// `op rd,(rs1)`
    LoadReserved,
    /// `op rs1,rs2`
    SetBit,
    /// `op`, whatever the other bits are
    Plain,
}

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// The ALU's result goes to `rd`.
    Calculate(AluFunction),
    /// The same, but the multiplier works on it.
    Multiply(AluFunction),
    /// The same with the divider.
    Divide(AluFunction),
    /// The upper immediate goes to `rd`.
    LoadUpper,
    /// The same added to the program counter.
    AddUpper,
    /// A load of so many bytes, extended by their sign or by zeros.
    Load(u8, bool),
    /// A store of so many bytes.
    Store(u8),
    LoadReserved,
    StoreConditional,
    Atomic(AtomicOperation),
    Branch(Condition),
    Jump,
    IndirectJump,
    Fence,
    FenceInstructions,
    Call,
    Break,
    Return,
    Wait,
    /// Reads a control register and writes it, sets bits of it or clears them.
    Control(ControlAction),
    Reserved,
}

/// What an instruction does to a control register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ControlAction {
    Write,
    Set,
    Clear,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Description {
    pub mnemonic: &'static str,
    /// The bits that make a word this operation.
    pub mask: u32,
    /// What these bits are.
    pub bits: u32,
    pub format: Format,
    pub effect: Effect,
}

const OPCODE: u32 = 0x7f;
const FUNCTION: u32 = 0x707f;
const FULL: u32 = 0xfe00_707f;
const ATOMIC: u32 = 0xf800_707f;
const LOAD_RESERVED: u32 = 0xf9f0_707f;

macro_rules! operations {
    ($($name:ident = $mnemonic:literal $mask:ident $bits:literal $format:ident $effect:expr;)*) => {
        /// Every operation of the instruction set.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[repr(u8)]
        #[expect(missing_docs, reason = "the manual's names")]
        pub enum Operation {
            $($name,)*
        }

        static DESCRIPTIONS: &[Description] = {
            use AluFunction as A;
            use AtomicOperation as M;
            use Condition as C;
            use ControlAction::{Clear, Set, Write};
            use Effect::*;
            &[$(Description {
                mnemonic: $mnemonic,
                mask: $mask,
                bits: $bits,
                format: Format::$format,
                effect: $effect,
            },)*]
        };

        const ALL: &[Operation] = &[$(Operation::$name,)*];
    };
}

operations! {
    Reserved = "reserved" NOTHING 0xffff_ffff Plain Reserved;
    Lui = "lui" OPCODE 0x37 Upper LoadUpper;
    Auipc = "auipc" OPCODE 0x17 Upper AddUpper;
    Jal = "jal" OPCODE 0x6f Jump Jump;
    Jalr = "jalr" FUNCTION 0x67 Load IndirectJump;
    Beq = "beq" FUNCTION 0x0063 Branch Branch(C::Equal);
    Bne = "bne" FUNCTION 0x1063 Branch Branch(C::NotEqual);
    Blt = "blt" FUNCTION 0x4063 Branch Branch(C::Less);
    Bge = "bge" FUNCTION 0x5063 Branch Branch(C::GreaterOrEqual);
    Bltu = "bltu" FUNCTION 0x6063 Branch Branch(C::LessUnsigned);
    Bgeu = "bgeu" FUNCTION 0x7063 Branch Branch(C::GreaterOrEqualUnsigned);
    Lb = "lb" FUNCTION 0x0003 Load Load(1, true);
    Lh = "lh" FUNCTION 0x1003 Load Load(2, true);
    Lw = "lw" FUNCTION 0x2003 Load Load(4, true);
    Lbu = "lbu" FUNCTION 0x4003 Load Load(1, false);
    Lhu = "lhu" FUNCTION 0x5003 Load Load(2, false);
    Sb = "sb" FUNCTION 0x0023 Store Store(1);
    Sh = "sh" FUNCTION 0x1023 Store Store(2);
    Sw = "sw" FUNCTION 0x2023 Store Store(4);
    Addi = "addi" FUNCTION 0x0013 Immediate Calculate(A::Add);
    Slti = "slti" FUNCTION 0x2013 Immediate Calculate(A::Less);
    Sltiu = "sltiu" FUNCTION 0x3013 Immediate Calculate(A::LessUnsigned);
    Xori = "xori" FUNCTION 0x4013 Immediate Calculate(A::ExclusiveOr);
    Ori = "ori" FUNCTION 0x6013 Immediate Calculate(A::Or);
    Andi = "andi" FUNCTION 0x7013 Immediate Calculate(A::And);
    Slli = "slli" FULL 0x1013 Shift Calculate(A::ShiftLeft);
    Srli = "srli" FULL 0x5013 Shift Calculate(A::ShiftRight);
    Srai = "srai" FULL 0x4000_5013 Shift Calculate(A::ShiftRightSigned);
    Add = "add" FULL 0x33 Register Calculate(A::Add);
    Sub = "sub" FULL 0x4000_0033 Register Calculate(A::Subtract);
    Sll = "sll" FULL 0x1033 Register Calculate(A::ShiftLeft);
    Slt = "slt" FULL 0x2033 Register Calculate(A::Less);
    Sltu = "sltu" FULL 0x3033 Register Calculate(A::LessUnsigned);
    Xor = "xor" FULL 0x4033 Register Calculate(A::ExclusiveOr);
    Srl = "srl" FULL 0x5033 Register Calculate(A::ShiftRight);
    Sra = "sra" FULL 0x4000_5033 Register Calculate(A::ShiftRightSigned);
    Or = "or" FULL 0x6033 Register Calculate(A::Or);
    And = "and" FULL 0x7033 Register Calculate(A::And);
    Mul = "mul" FULL 0x0200_0033 Register Multiply(A::Multiply);
    Mulh = "mulh" FULL 0x0200_1033 Register Multiply(A::MultiplyHigh);
    Mulhsu = "mulhsu" FULL 0x0200_2033 Register Multiply(A::MultiplyHighSignedUnsigned);
    Mulhu = "mulhu" FULL 0x0200_3033 Register Multiply(A::MultiplyHighUnsigned);
    Div = "div" FULL 0x0200_4033 Register Divide(A::Divide);
    Divu = "divu" FULL 0x0200_5033 Register Divide(A::DivideUnsigned);
    Rem = "rem" FULL 0x0200_6033 Register Divide(A::Remainder);
    Remu = "remu" FULL 0x0200_7033 Register Divide(A::RemainderUnsigned);
    Fence = "fence" FUNCTION 0x000f Plain Fence;
    FenceI = "fence.i" FUNCTION 0x100f Plain FenceInstructions;
    Ecall = "ecall" ALL_BITS 0x0000_0073 Plain Call;
    Ebreak = "ebreak" ALL_BITS 0x0010_0073 Plain Break;
    Mret = "mret" ALL_BITS 0x3020_0073 Plain Return;
    Wfi = "wfi" ALL_BITS 0x1050_0073 Plain Wait;
    Csrrw = "csrrw" FUNCTION 0x1073 Control Control(Write);
    Csrrs = "csrrs" FUNCTION 0x2073 Control Control(Set);
    Csrrc = "csrrc" FUNCTION 0x3073 Control Control(Clear);
    Csrrwi = "csrrwi" FUNCTION 0x5073 ControlImmediate Control(Write);
    Csrrsi = "csrrsi" FUNCTION 0x6073 ControlImmediate Control(Set);
    Csrrci = "csrrci" FUNCTION 0x7073 ControlImmediate Control(Clear);
    LrW = "lr.w" LOAD_RESERVED 0x1000_202f LoadReserved LoadReserved;
    ScW = "sc.w" ATOMIC 0x1800_202f Atomic StoreConditional;
    AmoswapW = "amoswap.w" ATOMIC 0x0800_202f Atomic Atomic(M::Swap);
    AmoaddW = "amoadd.w" ATOMIC 0x0000_202f Atomic Atomic(M::Add);
    AmoxorW = "amoxor.w" ATOMIC 0x2000_202f Atomic Atomic(M::ExclusiveOr);
    AmoandW = "amoand.w" ATOMIC 0x6000_202f Atomic Atomic(M::And);
    AmoorW = "amoor.w" ATOMIC 0x4000_202f Atomic Atomic(M::Or);
    AmominW = "amomin.w" ATOMIC 0x8000_202f Atomic Atomic(M::Minimum);
    AmomaxW = "amomax.w" ATOMIC 0xa000_202f Atomic Atomic(M::Maximum);
    AmominuW = "amominu.w" ATOMIC 0xc000_202f Atomic Atomic(M::MinimumUnsigned);
    AmomaxuW = "amomaxu.w" ATOMIC 0xe000_202f Atomic Atomic(M::MaximumUnsigned);
    SetBit = "set" SET_BIT 0x000b SetBit Atomic(M::Set);
    UpdateBits = "update" FULL 0x100b Register Atomic(M::Update);
}

/// Matches no word: the bits cannot be what they should.
const NOTHING: u32 = 0;
const ALL_BITS: u32 = u32::MAX;
const SET_BIT: u32 = 0xfe00_7fff;

impl Operation {
    pub(super) fn description(self) -> &'static Description {
        &DESCRIPTIONS[self as usize]
    }

    /// The operation of a word of 32 bits.
    pub(super) fn of(word: u32) -> Self {
        let is_it = |description: &&Description| word & description.mask == description.bits;
        let row = DESCRIPTIONS.iter().position(|description| is_it(&description));
        row.map_or(Self::Reserved, |row| ALL[row])
    }

    /// Whether it is one of the atomic bit array.
    pub(super) const fn is_of_bit_array(self) -> bool {
        matches!(self, Self::SetBit | Self::UpdateBits)
    }
}
