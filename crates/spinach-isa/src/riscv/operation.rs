//! The table of operations: one row each, from which decoding and disassembly follow.

use serde::{Deserialize, Serialize};

use super::semantics::{AluFunction, Condition};
use crate::atomic::AtomicOperation;
use crate::instruction_set::{Direction, MemoryBehaviour, Part};

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
    /// `op fd,offset(rs1)`
    FloatLoad,
    /// `op fs2,offset(rs1)`
    FloatStore,
    /// Fields of an operation of the floating-point unit, among which the rounding mode and a third source.
    Float,
    /// `op`, whatever the other bits are
    Plain,
}

/// Effect of an operation.
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
    /// Load of the given number of bytes, extended by their sign or by zeros.
    Load(u8, bool),
    /// Store of the given number of bytes.
    Store(u8),
    /// Load-reserved of the given number of bytes, like the following.
    LoadReserved(u8),
    StoreConditional(u8),
    Atomic(AtomicOperation, u8),
    /// An operation of the floating-point unit, a load and a store of its registers included.
    Float,
    Branch(Condition),
    Jump,
    IndirectJump,
    Fence,
    FenceInstructions,
    Call,
    Break,
    Return,
    /// Returns from an exception that supervisor mode served.
    SupervisorReturn,
    /// Applies changes of page tables from here on.
    FenceTranslations,
    Wait,
    /// Reads a control register and writes it, sets bits of it or clears them.
    Control(ControlAction),
    Reserved,
}

/// Extension required for an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Needs {
    /// Nothing but the base.
    Base,
    /// Machine mode.
    Machine,
    /// Supervisor mode, which such a set has in place of machine mode.
    Supervisor,
    /// The atomic bit array.
    BitArray,
    /// Registers of 64 bits.
    Wide,
    /// Floating-point numbers of 32 and 64 bits.
    Float,
    /// These and registers of 64 bits.
    WideFloat,
}

/// Action of an instruction on a control register.
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
    /// Value of these bits.
    pub bits: u32,
    pub format: Format,
    pub effect: Effect,
    pub needs: Needs,
}

const OPCODE: u32 = 0x7f;
const FUNCTION: u32 = 0x707f;
const FULL: u32 = 0xfe00_707f;
const ATOMIC: u32 = 0xf800_707f;
const LOAD_RESERVED: u32 = 0xf9f0_707f;
/// The sets of 64 bits have a sixth bit of the amount.
const SHIFT: u32 = 0xfc00_707f;
const FENCE_TRANSLATIONS: u32 = 0xfe00_7fff;
/// An operation of the floating-point unit: with rounding mode, of one source, of one source without rounding mode, of three.
const FLOAT: u32 = 0xfe00_007f;
const FLOAT_UNARY: u32 = 0xfff0_007f;
const FLOAT_EXACT: u32 = 0xfff0_707f;
const FLOAT_THREE: u32 = 0x0600_007f;

macro_rules! operations {
    ($($needs:ident { $($name:ident = $mnemonic:literal $mask:ident $bits:literal $format:ident $effect:expr;)* })*) => {
        /// Every operation of the instruction set.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[repr(u8)]
        #[expect(missing_docs, reason = "the manual's names")]
        pub enum Operation {
            $($($name,)*)*
        }

        static DESCRIPTIONS: &[Description] = {
            use AluFunction as A;
            use AtomicOperation as M;
            use Condition as C;
            use ControlAction::{Clear, Set, Write};
            use Effect::*;
            &[$($(Description {
                mnemonic: $mnemonic,
                mask: $mask,
                bits: $bits,
                format: Format::$format,
                effect: $effect,
                needs: Needs::$needs,
            },)*)*]
        };

        const ALL: &[Operation] = &[$($(Operation::$name,)*)*];
    };
}

operations! {
    Base {
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
        Slli = "slli" SHIFT 0x1013 Shift Calculate(A::ShiftLeft);
        Srli = "srli" SHIFT 0x5013 Shift Calculate(A::ShiftRight);
        Srai = "srai" SHIFT 0x4000_5013 Shift Calculate(A::ShiftRightSigned);
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
        Wfi = "wfi" ALL_BITS 0x1050_0073 Plain Wait;
        Csrrw = "csrrw" FUNCTION 0x1073 Control Control(Write);
        Csrrs = "csrrs" FUNCTION 0x2073 Control Control(Set);
        Csrrc = "csrrc" FUNCTION 0x3073 Control Control(Clear);
        Csrrwi = "csrrwi" FUNCTION 0x5073 ControlImmediate Control(Write);
        Csrrsi = "csrrsi" FUNCTION 0x6073 ControlImmediate Control(Set);
        Csrrci = "csrrci" FUNCTION 0x7073 ControlImmediate Control(Clear);
        LrW = "lr.w" LOAD_RESERVED 0x1000_202f LoadReserved LoadReserved(4);
        ScW = "sc.w" ATOMIC 0x1800_202f Atomic StoreConditional(4);
        AmoswapW = "amoswap.w" ATOMIC 0x0800_202f Atomic Atomic(M::Swap, 4);
        AmoaddW = "amoadd.w" ATOMIC 0x0000_202f Atomic Atomic(M::Add, 4);
        AmoxorW = "amoxor.w" ATOMIC 0x2000_202f Atomic Atomic(M::ExclusiveOr, 4);
        AmoandW = "amoand.w" ATOMIC 0x6000_202f Atomic Atomic(M::And, 4);
        AmoorW = "amoor.w" ATOMIC 0x4000_202f Atomic Atomic(M::Or, 4);
        AmominW = "amomin.w" ATOMIC 0x8000_202f Atomic Atomic(M::Minimum, 4);
        AmomaxW = "amomax.w" ATOMIC 0xa000_202f Atomic Atomic(M::Maximum, 4);
        AmominuW = "amominu.w" ATOMIC 0xc000_202f Atomic Atomic(M::MinimumUnsigned, 4);
        AmomaxuW = "amomaxu.w" ATOMIC 0xe000_202f Atomic Atomic(M::MaximumUnsigned, 4);
    }
    Machine {
        Mret = "mret" ALL_BITS 0x3020_0073 Plain Return;
    }
    Supervisor {
        Sret = "sret" ALL_BITS 0x1020_0073 Plain SupervisorReturn;
        SfenceVma = "sfence.vma" FENCE_TRANSLATIONS 0x1200_0073 SetBit FenceTranslations;
    }
    BitArray {
        SetBit = "set" SET_BIT 0x000b SetBit Atomic(M::Set, 4);
        UpdateBits = "update" FULL 0x100b Register Atomic(M::Update, 4);
    }
    Wide {
        Lwu = "lwu" FUNCTION 0x6003 Load Load(4, false);
        Ld = "ld" FUNCTION 0x3003 Load Load(8, false);
        Sd = "sd" FUNCTION 0x3023 Store Store(8);
        Addiw = "addiw" FUNCTION 0x001b Immediate Calculate(A::AddWord);
        Slliw = "slliw" FULL 0x101b Shift Calculate(A::ShiftLeftWord);
        Srliw = "srliw" FULL 0x501b Shift Calculate(A::ShiftRightWord);
        Sraiw = "sraiw" FULL 0x4000_501b Shift Calculate(A::ShiftRightSignedWord);
        Addw = "addw" FULL 0x3b Register Calculate(A::AddWord);
        Subw = "subw" FULL 0x4000_003b Register Calculate(A::SubtractWord);
        Sllw = "sllw" FULL 0x103b Register Calculate(A::ShiftLeftWord);
        Srlw = "srlw" FULL 0x503b Register Calculate(A::ShiftRightWord);
        Sraw = "sraw" FULL 0x4000_503b Register Calculate(A::ShiftRightSignedWord);
        Mulw = "mulw" FULL 0x0200_003b Register Multiply(A::MultiplyWord);
        Divw = "divw" FULL 0x0200_403b Register Divide(A::DivideWord);
        Divuw = "divuw" FULL 0x0200_503b Register Divide(A::DivideUnsignedWord);
        Remw = "remw" FULL 0x0200_603b Register Divide(A::RemainderWord);
        Remuw = "remuw" FULL 0x0200_703b Register Divide(A::RemainderUnsignedWord);
        LrD = "lr.d" LOAD_RESERVED 0x1000_302f LoadReserved LoadReserved(8);
        ScD = "sc.d" ATOMIC 0x1800_302f Atomic StoreConditional(8);
        AmoswapD = "amoswap.d" ATOMIC 0x0800_302f Atomic Atomic(M::Swap, 8);
        AmoaddD = "amoadd.d" ATOMIC 0x0000_302f Atomic Atomic(M::Add, 8);
        AmoxorD = "amoxor.d" ATOMIC 0x2000_302f Atomic Atomic(M::ExclusiveOr, 8);
        AmoandD = "amoand.d" ATOMIC 0x6000_302f Atomic Atomic(M::And, 8);
        AmoorD = "amoor.d" ATOMIC 0x4000_302f Atomic Atomic(M::Or, 8);
        AmominD = "amomin.d" ATOMIC 0x8000_302f Atomic Atomic(M::Minimum, 8);
        AmomaxD = "amomax.d" ATOMIC 0xa000_302f Atomic Atomic(M::Maximum, 8);
        AmominuD = "amominu.d" ATOMIC 0xc000_302f Atomic Atomic(M::MinimumUnsigned, 8);
        AmomaxuD = "amomaxu.d" ATOMIC 0xe000_302f Atomic Atomic(M::MaximumUnsigned, 8);
    }
    Float {
        Flw = "flw" FUNCTION 0x2007 FloatLoad Float;
        Fld = "fld" FUNCTION 0x3007 FloatLoad Float;
        Fsw = "fsw" FUNCTION 0x2027 FloatStore Float;
        Fsd = "fsd" FUNCTION 0x3027 FloatStore Float;
        FmaddSingle = "fmadd.s" FLOAT_THREE 0x43 Float Float;
        FmsubSingle = "fmsub.s" FLOAT_THREE 0x47 Float Float;
        FnmsubSingle = "fnmsub.s" FLOAT_THREE 0x4b Float Float;
        FnmaddSingle = "fnmadd.s" FLOAT_THREE 0x4f Float Float;
        FaddSingle = "fadd.s" FLOAT 0x53 Float Float;
        FsubSingle = "fsub.s" FLOAT 0x800_0053 Float Float;
        FmulSingle = "fmul.s" FLOAT 0x1000_0053 Float Float;
        FdivSingle = "fdiv.s" FLOAT 0x1800_0053 Float Float;
        FsqrtSingle = "fsqrt.s" FLOAT_UNARY 0x5800_0053 Float Float;
        FsgnjSingle = "fsgnj.s" FULL 0x2000_0053 Float Float;
        FsgnjnSingle = "fsgnjn.s" FULL 0x2000_1053 Float Float;
        FsgnjxSingle = "fsgnjx.s" FULL 0x2000_2053 Float Float;
        FminSingle = "fmin.s" FULL 0x2800_0053 Float Float;
        FmaxSingle = "fmax.s" FULL 0x2800_1053 Float Float;
        FleSingle = "fle.s" FULL 0xa000_0053 Float Float;
        FltSingle = "flt.s" FULL 0xa000_1053 Float Float;
        FeqSingle = "feq.s" FULL 0xa000_2053 Float Float;
        FcvtWordSingle = "fcvt.w.s" FLOAT_UNARY 0xc000_0053 Float Float;
        FcvtSingleWord = "fcvt.s.w" FLOAT_UNARY 0xd000_0053 Float Float;
        FcvtWordUnsignedSingle = "fcvt.wu.s" FLOAT_UNARY 0xc010_0053 Float Float;
        FcvtSingleWordUnsigned = "fcvt.s.wu" FLOAT_UNARY 0xd010_0053 Float Float;
        FclassSingle = "fclass.s" FLOAT_EXACT 0xe000_1053 Float Float;
        FmvXSingle = "fmv.x.w" FLOAT_EXACT 0xe000_0053 Float Float;
        FmvSingleX = "fmv.w.x" FLOAT_EXACT 0xf000_0053 Float Float;
        FmaddDouble = "fmadd.d" FLOAT_THREE 0x200_0043 Float Float;
        FmsubDouble = "fmsub.d" FLOAT_THREE 0x200_0047 Float Float;
        FnmsubDouble = "fnmsub.d" FLOAT_THREE 0x200_004b Float Float;
        FnmaddDouble = "fnmadd.d" FLOAT_THREE 0x200_004f Float Float;
        FaddDouble = "fadd.d" FLOAT 0x200_0053 Float Float;
        FsubDouble = "fsub.d" FLOAT 0xa00_0053 Float Float;
        FmulDouble = "fmul.d" FLOAT 0x1200_0053 Float Float;
        FdivDouble = "fdiv.d" FLOAT 0x1a00_0053 Float Float;
        FsqrtDouble = "fsqrt.d" FLOAT_UNARY 0x5a00_0053 Float Float;
        FsgnjDouble = "fsgnj.d" FULL 0x2200_0053 Float Float;
        FsgnjnDouble = "fsgnjn.d" FULL 0x2200_1053 Float Float;
        FsgnjxDouble = "fsgnjx.d" FULL 0x2200_2053 Float Float;
        FminDouble = "fmin.d" FULL 0x2a00_0053 Float Float;
        FmaxDouble = "fmax.d" FULL 0x2a00_1053 Float Float;
        FleDouble = "fle.d" FULL 0xa200_0053 Float Float;
        FltDouble = "flt.d" FULL 0xa200_1053 Float Float;
        FeqDouble = "feq.d" FULL 0xa200_2053 Float Float;
        FcvtWordDouble = "fcvt.w.d" FLOAT_UNARY 0xc200_0053 Float Float;
        FcvtDoubleWord = "fcvt.d.w" FLOAT_UNARY 0xd200_0053 Float Float;
        FcvtWordUnsignedDouble = "fcvt.wu.d" FLOAT_UNARY 0xc210_0053 Float Float;
        FcvtDoubleWordUnsigned = "fcvt.d.wu" FLOAT_UNARY 0xd210_0053 Float Float;
        FclassDouble = "fclass.d" FLOAT_EXACT 0xe200_1053 Float Float;
        FcvtSingleDouble = "fcvt.s.d" FLOAT_UNARY 0x4010_0053 Float Float;
        FcvtDoubleSingle = "fcvt.d.s" FLOAT_UNARY 0x4200_0053 Float Float;
    }
    WideFloat {
        FcvtLongSingle = "fcvt.l.s" FLOAT_UNARY 0xc020_0053 Float Float;
        FcvtSingleLong = "fcvt.s.l" FLOAT_UNARY 0xd020_0053 Float Float;
        FcvtLongUnsignedSingle = "fcvt.lu.s" FLOAT_UNARY 0xc030_0053 Float Float;
        FcvtSingleLongUnsigned = "fcvt.s.lu" FLOAT_UNARY 0xd030_0053 Float Float;
        FcvtLongDouble = "fcvt.l.d" FLOAT_UNARY 0xc220_0053 Float Float;
        FcvtDoubleLong = "fcvt.d.l" FLOAT_UNARY 0xd220_0053 Float Float;
        FcvtLongUnsignedDouble = "fcvt.lu.d" FLOAT_UNARY 0xc230_0053 Float Float;
        FcvtDoubleLongUnsigned = "fcvt.d.lu" FLOAT_UNARY 0xd230_0053 Float Float;
        FmvXDouble = "fmv.x.d" FLOAT_EXACT 0xe200_0053 Float Float;
        FmvDoubleX = "fmv.d.x" FLOAT_EXACT 0xf200_0053 Float Float;
    }
}

/// Matches no word: the bits cannot be what they should.
const NOTHING: u32 = 0;
const ALL_BITS: u32 = u32::MAX;
const SET_BIT: u32 = 0xfe00_7fff;

impl Operation {
    pub(super) fn description(self) -> &'static Description {
        &DESCRIPTIONS[self as usize]
    }

    /// Use of memory, if any.
    pub fn memory(self) -> Option<MemoryBehaviour> {
        let (direction, size_bytes, sign_extends, linked) = match (self, self.description().effect) {
            (_, Effect::Load(size, is_signed)) => (Direction::Load, size, is_signed, false),
            (_, Effect::Store(size)) => (Direction::Store, size, false, false),
            (_, Effect::LoadReserved(size)) => (Direction::Load, size, true, true),
            (_, Effect::StoreConditional(size)) => (Direction::Store, size, false, true),
            (_, Effect::Atomic(_, size)) => (Direction::ReadModifyWrite, size, true, false),
            (Self::Flw, _) => (Direction::Load, 4, false, false),
            (Self::Fld, _) => (Direction::Load, 8, false, false),
            (Self::Fsw, _) => (Direction::Store, 4, false, false),
            (Self::Fsd, _) => (Direction::Store, 8, false, false),
            _ => return None,
        };
        Some(MemoryBehaviour { direction, size_bytes, sign_extends, part: Part::Whole, linked })
    }

    /// The operation of a word of 32 bits.
    pub(super) fn of(word: u32) -> Self {
        let is_it = |description: &&Description| word & description.mask == description.bits;
        let row = DESCRIPTIONS.iter().position(|description| is_it(&description));
        row.map_or(Self::Reserved, |row| ALL[row])
    }

    /// True if the floating-point unit executes it, including loads and stores of its registers.
    pub fn is_of_float_unit(self) -> bool {
        self.description().effect == Effect::Float
    }

    /// True for operations of the atomic bit array.
    pub(super) const fn is_of_bit_array(self) -> bool {
        matches!(self, Self::SetBit | Self::UpdateBits)
    }
}
