//! The table of operations: one row each, from which decoding and disassembly follow.

use serde::{Deserialize, Serialize};

use super::semantics::{AluFunction, ConditionLogic};
use crate::atomic::AtomicOperation;
use crate::work::Maintenance;

/// The fields of an instruction and the order in which assembly text gives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// `op rD,rA,signed`
    Signed,
    /// Like the previous form, where register 0 in the place of rA means the number 0.
    SignedOrZero,
    /// `op rA,rS,unsigned`
    Unsigned,
    /// `op rD,rA,rB`
    Arithmetic,
    /// `op rD,rA`
    ArithmeticUnary,
    /// `op rA,rS,rB`
    Logic,
    /// `op rA,rS`
    LogicUnary,
    /// `op rA,rS,amount`
    ShiftAmount,
    /// `op rA,rS,amount,first,last`
    Rotate,
    /// `op rA,rS,rB,first,last`
    RotateByRegister,
    /// `op crD,rA,rB`
    Compare,
    /// `op crD,rA,signed`
    CompareSigned,
    /// `op crD,rA,unsigned`
    CompareUnsigned,
    /// `op rD,offset(rA)`
    Offset,
    /// The same, and rA becomes the address.
    OffsetUpdate,
    /// `op rD,rA,rB`
    Indexed,
    /// The same, and rA becomes the address.
    IndexedUpdate,
    /// `op rA,rB`
    Address,
    /// `op target`
    Jump,
    /// `op options,bit,target`
    Branch,
    /// `op options,bit`
    BranchToRegister,
    /// `op bitD,bitA,bitB`
    ConditionBits,
    /// `op crD,crA`
    ConditionFields,
    /// `op crD`
    ConditionField,
    /// `op mask,rS`
    ToConditions,
    /// `op rD`
    Destination,
    /// `op rS`
    Source,
    /// `op rD,number`
    FromSpecial,
    /// `op number,rS`
    ToSpecial,
    /// `op conditions,rA,rB`
    Trap,
    /// `op conditions,rA,signed`
    TrapSigned,
    /// `op number`, of one bit
    Bit,
    /// `op`
    Plain,
}

/// Second operand of an addition with a carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Second {
    Register,
    Immediate,
    Zero,
    MinusOne,
}

/// Carry-in of an addition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CarryIn {
    Zero,
    One,
    Carry,
}

/// Effect of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// The ALU's result goes to a register.
    Calculate(AluFunction),
    /// The same, and condition field 0 has the comparison with 0, even without a request by the word.
    CalculateAndRecord(AluFunction),
    /// The same, but the multiplier works on it.
    Multiply(AluFunction),
    /// The same with the divider.
    Divide(AluFunction),
    /// rA or its complement, the second operand and a carry; the carry out is kept.
    AddCarrying {
        complements: bool,
        second: Second,
        carry_in: CarryIn,
    },
    /// rA keeps the bits outside the mask.
    RotateInsert,
    RotateByRegister,
    /// Right, with the sign from above; the carry is set if a negative number lost ones.
    ShiftAlgebraic,
    Compare {
        is_signed: bool,
    },
    Logic(ConditionLogic),
    MoveConditionField,
    MoveOverflowToField,
    ToConditions,
    FromConditions,
    /// Load of the given number of bytes, extended by their sign or by zeros.
    Load(u8, bool),
    /// Store of the given number of bytes.
    Store(u8),
    /// The same with the bytes in reverse order.
    LoadReversed(u8),
    StoreReversed(u8),
    LoadReserved,
    StoreConditional,
    /// The registers from rD on, a word each.
    LoadMultiple,
    StoreMultiple,
    /// Stores zeros to a whole line of the cache.
    ZeroLine,
    Atomic(AtomicOperation),
    Jump,
    Branch,
    BranchToLink,
    BranchToCount,
    Call,
    TrapIf,
    Return,
    ReturnCritical,
    FromMachineState,
    ToMachineState,
    ToExternalEnable,
    FromSpecial,
    ToSpecial,
    /// The same as `FromSpecial` with other numbers for the time base.
    FromTimeBase,
    FromDevice,
    ToDevice,
    Barrier,
    /// Waits until earlier instructions have completed, and fetches again.
    Synchronize,
    /// Hints and maintenance of caches, which leave registers and memory as they are, but for one that clears a line.
    Maintain(Maintenance),
    Reserved,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Description {
    /// Plain, recording, noting overflow, both.
    pub mnemonics: [&'static str; 4],
    /// The bits that make a word this operation.
    pub mask: u32,
    /// Value of these bits.
    pub bits: u32,
    pub format: Format,
    pub effect: Effect,
    /// True if bit 31 makes it record, and if bit 21 makes it note overflow.
    pub may_record: bool,
    pub may_overflow: bool,
}

/// Opcode bits of a word: the primary opcode, then an extended one.
const OPCODE: u32 = 0xfc00_0000;
const EXTENDED: u32 = OPCODE | 0x7fe;
const RECORDS: u32 = EXTENDED;
const EXACT: u32 = EXTENDED | 1;
const OVERFLOWS: u32 = OPCODE | 0x3fe;
/// Matches no word: the bits cannot be what they should.
const NOTHING: u32 = 0;

const fn code(primary: u32, extended: u32) -> u32 {
    primary << 26 | extended << 1
}

macro_rules! operations {
    ($($name:ident = $mnemonic:literal $mask:ident ($primary:literal, $extended:literal) $format:ident $effect:expr;)*) => {
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
            use Maintenance as C;
            use ConditionLogic as L;
            use Effect::*;
            &[$(Description {
                mnemonics: [
                    $mnemonic,
                    concat!($mnemonic, "."),
                    concat!($mnemonic, "o"),
                    concat!($mnemonic, "o."),
                ],
                mask: operations!(@mask $mask),
                bits: operations!(@bits $mask $primary $extended),
                format: Format::$format,
                effect: $effect,
                may_record: operations!(@records $mask),
                may_overflow: operations!(@overflows $mask),
            },)*]
        };

        const ALL: &[Operation] = &[$(Operation::$name,)*];
    };
    (@mask EXACT_RECORDED) => { EXACT };
    (@mask $mask:ident) => { $mask };
    (@bits NOTHING $primary:literal $extended:literal) => { u32::MAX };
    (@bits EXACT_RECORDED $primary:literal $extended:literal) => { code($primary, $extended) | 1 };
    (@bits $mask:ident $primary:literal $extended:literal) => { code($primary, $extended) };
    (@records RECORDS) => { true };
    (@records OVERFLOWS) => { true };
    (@records ROTATES) => { true };
    (@records $mask:ident) => { false };
    (@overflows OVERFLOWS) => { true };
    (@overflows $mask:ident) => { false };
}

/// Rotations have the primary opcode only, and may record.
const ROTATES: u32 = OPCODE;
/// `sc` has a bit that must be 1.
const CALL: u32 = OPCODE | 2;

operations! {
    Reserved = ".long" NOTHING (0, 0) Plain Reserved;
    Addi = "addi" OPCODE (14, 0) SignedOrZero Calculate(A::Add);
    Addis = "addis" OPCODE (15, 0) SignedOrZero Calculate(A::Add);
    Addic = "addic" OPCODE (12, 0) Signed AddCarrying { complements: false, second: Second::Immediate, carry_in: CarryIn::Zero };
    AddicRecording = "addic." OPCODE (13, 0) Signed AddCarrying { complements: false, second: Second::Immediate, carry_in: CarryIn::Zero };
    Subfic = "subfic" OPCODE (8, 0) Signed AddCarrying { complements: true, second: Second::Immediate, carry_in: CarryIn::One };
    Mulli = "mulli" OPCODE (7, 0) Signed Multiply(A::Multiply);
    Ori = "ori" OPCODE (24, 0) Unsigned Calculate(A::Or);
    Oris = "oris" OPCODE (25, 0) Unsigned Calculate(A::Or);
    Xori = "xori" OPCODE (26, 0) Unsigned Calculate(A::ExclusiveOr);
    Xoris = "xoris" OPCODE (27, 0) Unsigned Calculate(A::ExclusiveOr);
    Andi = "andi." OPCODE (28, 0) Unsigned CalculateAndRecord(A::And);
    Andis = "andis." OPCODE (29, 0) Unsigned CalculateAndRecord(A::And);
    Cmpi = "cmpwi" OPCODE (11, 0) CompareSigned Compare { is_signed: true };
    Cmpli = "cmplwi" OPCODE (10, 0) CompareUnsigned Compare { is_signed: false };
    Twi = "twi" OPCODE (3, 0) TrapSigned TrapIf;
    Lwz = "lwz" OPCODE (32, 0) Offset Load(4, false);
    Lwzu = "lwzu" OPCODE (33, 0) OffsetUpdate Load(4, false);
    Lbz = "lbz" OPCODE (34, 0) Offset Load(1, false);
    Lbzu = "lbzu" OPCODE (35, 0) OffsetUpdate Load(1, false);
    Stw = "stw" OPCODE (36, 0) Offset Store(4);
    Stwu = "stwu" OPCODE (37, 0) OffsetUpdate Store(4);
    Stb = "stb" OPCODE (38, 0) Offset Store(1);
    Stbu = "stbu" OPCODE (39, 0) OffsetUpdate Store(1);
    Lhz = "lhz" OPCODE (40, 0) Offset Load(2, false);
    Lhzu = "lhzu" OPCODE (41, 0) OffsetUpdate Load(2, false);
    Lha = "lha" OPCODE (42, 0) Offset Load(2, true);
    Lhau = "lhau" OPCODE (43, 0) OffsetUpdate Load(2, true);
    Sth = "sth" OPCODE (44, 0) Offset Store(2);
    Sthu = "sthu" OPCODE (45, 0) OffsetUpdate Store(2);
    Lmw = "lmw" OPCODE (46, 0) Offset LoadMultiple;
    Stmw = "stmw" OPCODE (47, 0) Offset StoreMultiple;
    B = "b" OPCODE (18, 0) Jump Jump;
    Bc = "bc" OPCODE (16, 0) Branch Branch;
    Sc = "sc" CALL (17, 1) Plain Call;
    Rlwimi = "rlwimi" ROTATES (20, 0) Rotate RotateInsert;
    Rlwinm = "rlwinm" ROTATES (21, 0) Rotate Calculate(A::RotateAndMask);
    Rlwnm = "rlwnm" ROTATES (23, 0) RotateByRegister RotateByRegister;
    Mcrf = "mcrf" EXACT (19, 0) ConditionFields MoveConditionField;
    Bclr = "bclr" EXTENDED (19, 16) BranchToRegister BranchToLink;
    Rfi = "rfi" EXACT (19, 50) Plain Return;
    Rfci = "rfci" EXACT (19, 51) Plain ReturnCritical;
    Isync = "isync" EXACT (19, 150) Plain Synchronize;
    Bcctr = "bcctr" EXTENDED (19, 528) BranchToRegister BranchToCount;
    Crnor = "crnor" EXACT (19, 33) ConditionBits Logic(L::Nor);
    Crandc = "crandc" EXACT (19, 129) ConditionBits Logic(L::AndComplement);
    Crxor = "crxor" EXACT (19, 193) ConditionBits Logic(L::ExclusiveOr);
    Crnand = "crnand" EXACT (19, 225) ConditionBits Logic(L::Nand);
    Crand = "crand" EXACT (19, 257) ConditionBits Logic(L::And);
    Creqv = "creqv" EXACT (19, 289) ConditionBits Logic(L::Equivalent);
    Crorc = "crorc" EXACT (19, 417) ConditionBits Logic(L::OrComplement);
    Cror = "cror" EXACT (19, 449) ConditionBits Logic(L::Or);
    Cmp = "cmpw" EXACT (31, 0) Compare Compare { is_signed: true };
    Cmpl = "cmplw" EXACT (31, 32) Compare Compare { is_signed: false };
    Tw = "tw" EXACT (31, 4) Trap TrapIf;
    Subfc = "subfc" OVERFLOWS (31, 8) Arithmetic AddCarrying { complements: true, second: Second::Register, carry_in: CarryIn::One };
    Addc = "addc" OVERFLOWS (31, 10) Arithmetic AddCarrying { complements: false, second: Second::Register, carry_in: CarryIn::Zero };
    Subfe = "subfe" OVERFLOWS (31, 136) Arithmetic AddCarrying { complements: true, second: Second::Register, carry_in: CarryIn::Carry };
    Adde = "adde" OVERFLOWS (31, 138) Arithmetic AddCarrying { complements: false, second: Second::Register, carry_in: CarryIn::Carry };
    Subfze = "subfze" OVERFLOWS (31, 200) ArithmeticUnary AddCarrying { complements: true, second: Second::Zero, carry_in: CarryIn::Carry };
    Addze = "addze" OVERFLOWS (31, 202) ArithmeticUnary AddCarrying { complements: false, second: Second::Zero, carry_in: CarryIn::Carry };
    Subfme = "subfme" OVERFLOWS (31, 232) ArithmeticUnary AddCarrying { complements: true, second: Second::MinusOne, carry_in: CarryIn::Carry };
    Addme = "addme" OVERFLOWS (31, 234) ArithmeticUnary AddCarrying { complements: false, second: Second::MinusOne, carry_in: CarryIn::Carry };
    Subf = "subf" OVERFLOWS (31, 40) Arithmetic Calculate(A::SubtractFrom);
    Neg = "neg" OVERFLOWS (31, 104) ArithmeticUnary Calculate(A::SubtractFrom);
    Add = "add" OVERFLOWS (31, 266) Arithmetic Calculate(A::Add);
    Mullw = "mullw" OVERFLOWS (31, 235) Arithmetic Multiply(A::Multiply);
    Divwu = "divwu" OVERFLOWS (31, 459) Arithmetic Divide(A::DivideUnsigned);
    Divw = "divw" OVERFLOWS (31, 491) Arithmetic Divide(A::Divide);
    Mulhwu = "mulhwu" RECORDS (31, 11) Arithmetic Multiply(A::MultiplyHighUnsigned);
    Mulhw = "mulhw" RECORDS (31, 75) Arithmetic Multiply(A::MultiplyHigh);
    Slw = "slw" RECORDS (31, 24) Logic Calculate(A::ShiftLeft);
    Srw = "srw" RECORDS (31, 536) Logic Calculate(A::ShiftRight);
    Sraw = "sraw" RECORDS (31, 792) Logic ShiftAlgebraic;
    Srawi = "srawi" RECORDS (31, 824) ShiftAmount ShiftAlgebraic;
    Cntlzw = "cntlzw" RECORDS (31, 26) LogicUnary Calculate(A::CountLeadingZeros);
    Extsh = "extsh" RECORDS (31, 922) LogicUnary Calculate(A::ExtendHalf);
    Extsb = "extsb" RECORDS (31, 954) LogicUnary Calculate(A::ExtendByte);
    And = "and" RECORDS (31, 28) Logic Calculate(A::And);
    Andc = "andc" RECORDS (31, 60) Logic Calculate(A::AndComplement);
    Nor = "nor" RECORDS (31, 124) Logic Calculate(A::Nor);
    Eqv = "eqv" RECORDS (31, 284) Logic Calculate(A::Equivalent);
    Xor = "xor" RECORDS (31, 316) Logic Calculate(A::ExclusiveOr);
    Orc = "orc" RECORDS (31, 412) Logic Calculate(A::OrComplement);
    Or = "or" RECORDS (31, 444) Logic Calculate(A::Or);
    Nand = "nand" RECORDS (31, 476) Logic Calculate(A::Nand);
    Mfcr = "mfcr" EXACT (31, 19) Destination FromConditions;
    Mtcrf = "mtcrf" EXACT (31, 144) ToConditions ToConditions;
    Mcrxr = "mcrxr" EXACT (31, 512) ConditionField MoveOverflowToField;
    Lwarx = "lwarx" EXACT (31, 20) Indexed LoadReserved;
    Stwcx = "stwcx." EXACT_RECORDED (31, 150) Indexed StoreConditional;
    Lwzx = "lwzx" EXACT (31, 23) Indexed Load(4, false);
    Lwzux = "lwzux" EXACT (31, 55) IndexedUpdate Load(4, false);
    Lbzx = "lbzx" EXACT (31, 87) Indexed Load(1, false);
    Lbzux = "lbzux" EXACT (31, 119) IndexedUpdate Load(1, false);
    Lhzx = "lhzx" EXACT (31, 279) Indexed Load(2, false);
    Lhzux = "lhzux" EXACT (31, 311) IndexedUpdate Load(2, false);
    Lhax = "lhax" EXACT (31, 343) Indexed Load(2, true);
    Lhaux = "lhaux" EXACT (31, 375) IndexedUpdate Load(2, true);
    Stwx = "stwx" EXACT (31, 151) Indexed Store(4);
    Stwux = "stwux" EXACT (31, 183) IndexedUpdate Store(4);
    Stbx = "stbx" EXACT (31, 215) Indexed Store(1);
    Stbux = "stbux" EXACT (31, 247) IndexedUpdate Store(1);
    Sthx = "sthx" EXACT (31, 407) Indexed Store(2);
    Sthux = "sthux" EXACT (31, 439) IndexedUpdate Store(2);
    Lwbrx = "lwbrx" EXACT (31, 534) Indexed LoadReversed(4);
    Lhbrx = "lhbrx" EXACT (31, 790) Indexed LoadReversed(2);
    Stwbrx = "stwbrx" EXACT (31, 662) Indexed StoreReversed(4);
    Sthbrx = "sthbrx" EXACT (31, 918) Indexed StoreReversed(2);
    Mfmsr = "mfmsr" EXACT (31, 83) Destination FromMachineState;
    Mtmsr = "mtmsr" EXACT (31, 146) Source ToMachineState;
    Wrtee = "wrtee" EXACT (31, 131) Source ToExternalEnable;
    Wrteei = "wrteei" EXACT (31, 163) Bit ToExternalEnable;
    Mfspr = "mfspr" EXACT (31, 339) FromSpecial FromSpecial;
    Mtspr = "mtspr" EXACT (31, 467) ToSpecial ToSpecial;
    Mftb = "mftb" EXACT (31, 371) FromSpecial FromTimeBase;
    Mfdcr = "mfdcr" EXACT (31, 323) FromSpecial FromDevice;
    Mtdcr = "mtdcr" EXACT (31, 451) ToSpecial ToDevice;
    Sync = "sync" EXACT (31, 598) Plain Barrier;
    Eieio = "eieio" EXACT (31, 854) Plain Barrier;
    Dcbst = "dcbst" EXACT (31, 54) Address Maintain(C::StoreLine);
    Dcbf = "dcbf" EXACT (31, 86) Address Maintain(C::FlushLine);
    Dcbtst = "dcbtst" EXACT (31, 246) Address Maintain(C::TouchLine);
    Dcbt = "dcbt" EXACT (31, 278) Address Maintain(C::TouchLine);
    Icbt = "icbt" EXACT (31, 262) Address Maintain(C::TouchInstructionLine);
    Icbi = "icbi" EXACT (31, 982) Address Maintain(C::InvalidateInstructionLine);
    Dccci = "dccci" EXACT (31, 454) Address Maintain(C::InvalidateSet);
    Iccci = "iccci" EXACT (31, 966) Address Maintain(C::InvalidateInstructions);
    Dcbi = "dcbi" EXACT (31, 470) Address Maintain(C::InvalidateLine);
    Dcbz = "dcbz" EXACT (31, 1014) Address ZeroLine;
    DcbzInCache = "dcbz" NOTHING (31, 1014) Address Maintain(C::ZeroLine);
    SetBit = "setbit" EXACT (4, 1022) Address Atomic(M::Set);
    UpdateBits = "updatebits" EXACT (4, 1023) Indexed Atomic(M::Update);
}

impl Operation {
    pub(super) fn description(self) -> &'static Description {
        &DESCRIPTIONS[self as usize]
    }

    /// The operation of a word.
    pub(super) fn of(word: u32) -> Self {
        let is_it = |description: &&Description| word & description.mask == description.bits;
        let row = DESCRIPTIONS.iter().position(|description| is_it(&description));
        row.map_or(Self::Reserved, |row| ALL[row])
    }

    /// True for operations of the atomic bit array.
    pub(super) const fn is_of_bit_array(self) -> bool {
        matches!(self, Self::SetBit | Self::UpdateBits)
    }
}
