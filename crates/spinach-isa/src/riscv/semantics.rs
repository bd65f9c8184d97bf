//! Results of instructions, as pure functions over the width of a register.

use serde::{Deserialize, Serialize};

use crate::word::Word;

/// Function of the ALU, the multiplier or the divider on two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say it")]
pub enum AluFunction {
    Add,
    Subtract,
    ShiftLeft,
    ShiftRight,
    ShiftRightSigned,
    Less,
    LessUnsigned,
    ExclusiveOr,
    Or,
    And,
    Multiply,
    MultiplyHigh,
    MultiplyHighSignedUnsigned,
    MultiplyHighUnsigned,
    Divide,
    DivideUnsigned,
    Remainder,
    RemainderUnsigned,
    AddWord,
    SubtractWord,
    ShiftLeftWord,
    ShiftRightWord,
    ShiftRightSignedWord,
    MultiplyWord,
    DivideWord,
    DivideUnsignedWord,
    RemainderWord,
    RemainderUnsignedWord,
}

impl AluFunction {
    /// All of them.
    pub const ALL: &[Self] = &[
        Self::Add,
        Self::Subtract,
        Self::ShiftLeft,
        Self::ShiftRight,
        Self::ShiftRightSigned,
        Self::Less,
        Self::LessUnsigned,
        Self::ExclusiveOr,
        Self::Or,
        Self::And,
        Self::Multiply,
        Self::MultiplyHigh,
        Self::MultiplyHighSignedUnsigned,
        Self::MultiplyHighUnsigned,
        Self::Divide,
        Self::DivideUnsigned,
        Self::Remainder,
        Self::RemainderUnsigned,
        Self::AddWord,
        Self::SubtractWord,
        Self::ShiftLeftWord,
        Self::ShiftRightWord,
        Self::ShiftRightSignedWord,
        Self::MultiplyWord,
        Self::DivideWord,
        Self::DivideUnsignedWord,
        Self::RemainderWord,
        Self::RemainderUnsignedWord,
    ];
}

/// Condition of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Condition {
    Equal,
    NotEqual,
    Less,
    GreaterOrEqual,
    LessUnsigned,
    GreaterOrEqualUnsigned,
}

/// The result of a function. Division by zero gives all ones and the dividend as remainder; the smallest number divided by -1
/// overflows to itself, with remainder 0 (volume I, "M" extension).
#[inline]
pub fn calculate<W: Word>(function: AluFunction, a: W, b: W) -> W {
    let count = b.low_bits() & (W::BITS - 1);
    let (signed_a, signed_b) = (a.to_signed(), b.to_signed());
    let (unsigned_a, unsigned_b) = (a.to_u64(), b.to_u64());
    let is_zero = b == W::default();
    let number = |number: i64| W::from_u64(number as u64);
    // Of the sets of 64 bits: the low words, and the result extended by its sign.
    let of_words = |function| W::from_signed(calculate_word(function, a.low_bits(), b.low_bits()));
    let high = |product: i128| W::from_u64((product >> W::BITS) as u64);
    match function {
        AluFunction::Add => a.wrapping_add(b),
        AluFunction::Subtract => a.wrapping_sub(b),
        AluFunction::ShiftLeft => a.shift_left(count),
        AluFunction::ShiftRight => a.shift_right(count),
        AluFunction::ShiftRightSigned => a.shift_right_signed(count),
        AluFunction::Less => W::from_u64(u64::from(signed_a < signed_b)),
        AluFunction::LessUnsigned => W::from_u64(u64::from(a < b)),
        AluFunction::ExclusiveOr => a ^ b,
        AluFunction::Or => a | b,
        AluFunction::And => a & b,
        AluFunction::Multiply => W::from_u64(unsigned_a.wrapping_mul(unsigned_b)),
        AluFunction::MultiplyHigh => high(i128::from(signed_a) * i128::from(signed_b)),
        AluFunction::MultiplyHighSignedUnsigned => high(i128::from(signed_a) * i128::from(unsigned_b)),
        AluFunction::MultiplyHighUnsigned => {
            W::from_u64(((u128::from(unsigned_a) * u128::from(unsigned_b)) >> W::BITS) as u64)
        }
        AluFunction::Divide | AluFunction::DivideUnsigned if is_zero => !W::default(),
        AluFunction::Remainder | AluFunction::RemainderUnsigned if is_zero => a,
        AluFunction::Divide => number(signed_a.wrapping_div(signed_b)),
        AluFunction::DivideUnsigned => W::from_u64(unsigned_a / unsigned_b),
        AluFunction::Remainder => number(signed_a.wrapping_rem(signed_b)),
        AluFunction::RemainderUnsigned => W::from_u64(unsigned_a % unsigned_b),
        AluFunction::AddWord => of_words(AluFunction::Add),
        AluFunction::SubtractWord => of_words(AluFunction::Subtract),
        AluFunction::ShiftLeftWord => of_words(AluFunction::ShiftLeft),
        AluFunction::ShiftRightWord => of_words(AluFunction::ShiftRight),
        AluFunction::ShiftRightSignedWord => of_words(AluFunction::ShiftRightSigned),
        AluFunction::MultiplyWord => of_words(AluFunction::Multiply),
        AluFunction::DivideWord => of_words(AluFunction::Divide),
        AluFunction::DivideUnsignedWord => of_words(AluFunction::DivideUnsigned),
        AluFunction::RemainderWord => of_words(AluFunction::Remainder),
        AluFunction::RemainderUnsignedWord => of_words(AluFunction::RemainderUnsigned),
    }
}

#[inline]
fn calculate_word(function: AluFunction, a: u32, b: u32) -> u32 {
    calculate(function, a, b)
}

/// True if a condition holds.
#[inline]
pub fn holds<W: Word>(condition: Condition, a: W, b: W) -> bool {
    match condition {
        Condition::Equal => a == b,
        Condition::NotEqual => a != b,
        Condition::Less => a.to_signed() < b.to_signed(),
        Condition::GreaterOrEqual => a.to_signed() >= b.to_signed(),
        Condition::LessUnsigned => a < b,
        Condition::GreaterOrEqualUnsigned => a >= b,
    }
}
