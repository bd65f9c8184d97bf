//! Results of instructions, as pure functions.

use serde::{Deserialize, Serialize};

/// Function of the ALU, the multiplier or the divider on two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say it")]
pub enum AluFunction {
    Add,
    SubtractFrom,
    And,
    AndComplement,
    Or,
    OrComplement,
    ExclusiveOr,
    Nand,
    Nor,
    Equivalent,
    ShiftLeft,
    ShiftRight,
    CountLeadingZeros,
    ExtendByte,
    ExtendHalf,
    /// The second operand is a [`Rotation`].
    RotateAndMask,
    Multiply,
    MultiplyHigh,
    MultiplyHighUnsigned,
    Divide,
    DivideUnsigned,
}

impl AluFunction {
    /// All of them.
    pub const ALL: &[Self] = &[
        Self::Add,
        Self::SubtractFrom,
        Self::And,
        Self::AndComplement,
        Self::Or,
        Self::OrComplement,
        Self::ExclusiveOr,
        Self::Nand,
        Self::Nor,
        Self::Equivalent,
        Self::ShiftLeft,
        Self::ShiftRight,
        Self::CountLeadingZeros,
        Self::ExtendByte,
        Self::ExtendHalf,
        Self::RotateAndMask,
        Self::Multiply,
        Self::MultiplyHigh,
        Self::MultiplyHighUnsigned,
        Self::Divide,
        Self::DivideUnsigned,
    ];
}

/// Logical function of two bits of the condition register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) enum ConditionLogic {
    And,
    AndComplement,
    Or,
    OrComplement,
    ExclusiveOr,
    Nand,
    Nor,
    Equivalent,
}

impl ConditionLogic {
    /// The new bit.
    pub(super) const fn of(self, a: bool, b: bool) -> bool {
        match self {
            Self::And => a & b,
            Self::AndComplement => a & !b,
            Self::Or => a | b,
            Self::OrComplement => a | !b,
            Self::ExclusiveOr => a ^ b,
            Self::Nand => !(a & b),
            Self::Nor => !(a | b),
            Self::Equivalent => a == b,
        }
    }
}

/// A rotation to the left and a mask, as the words of instructions have them: bits 15 to 11, 10 to 6 and 5 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rotation(pub u32);

impl Rotation {
    /// Rotation to the left, in bits.
    pub(super) const fn amount(self) -> u32 {
        self.0 >> 11 & 31
    }

    /// Mask from the first bit to the last, around the end of the word if the last comes before the first; bit 0 is the highest.
    pub(super) const fn mask(self) -> u32 {
        let (first, last) = (self.0 >> 6 & 31, self.0 >> 1 & 31);
        let from_first = u32::MAX >> first;
        let to_last = u32::MAX << (31 - last);
        if first <= last { from_first & to_last } else { from_first | to_last }
    }
}

/// The result of a function. Where the architecture leaves a quotient undefined it is the dividend.
#[inline]
pub(super) const fn calculate(function: AluFunction, a: u32, b: u32) -> u32 {
    let (signed_a, signed_b) = (a as i32, b as i32);
    match function {
        AluFunction::Add => a.wrapping_add(b),
        AluFunction::SubtractFrom => b.wrapping_sub(a),
        AluFunction::And => a & b,
        AluFunction::AndComplement => a & !b,
        AluFunction::Or => a | b,
        AluFunction::OrComplement => a | !b,
        AluFunction::ExclusiveOr => a ^ b,
        AluFunction::Nand => !(a & b),
        AluFunction::Nor => !(a | b),
        AluFunction::Equivalent => !(a ^ b),
        // Six bits of the amount count.
        AluFunction::ShiftLeft => ((a as u64) << (b & 63)) as u32,
        AluFunction::ShiftRight => (a as u64 >> (b & 63)) as u32,
        AluFunction::CountLeadingZeros => a.leading_zeros(),
        AluFunction::ExtendByte => a as i8 as u32,
        AluFunction::ExtendHalf => a as i16 as u32,
        AluFunction::RotateAndMask => a.rotate_left(Rotation(b).amount()) & Rotation(b).mask(),
        AluFunction::Multiply => a.wrapping_mul(b),
        AluFunction::MultiplyHigh => ((signed_a as i64 * signed_b as i64) >> 32) as u32,
        AluFunction::MultiplyHighUnsigned => ((a as u64 * b as u64) >> 32) as u32,
        AluFunction::Divide => match signed_a.checked_div(signed_b) {
            Some(quotient) => quotient as u32,
            None => a,
        },
        AluFunction::DivideUnsigned => match a.checked_div(b) {
            Some(quotient) => quotient,
            None => a,
        },
    }
}

/// True if a function overflows as one of signed numbers.
pub(super) const fn overflows(function: AluFunction, a: u32, b: u32) -> bool {
    let (signed_a, signed_b) = (a as i32, b as i32);
    match function {
        AluFunction::Add => signed_a.checked_add(signed_b).is_none(),
        AluFunction::SubtractFrom => signed_b.checked_sub(signed_a).is_none(),
        AluFunction::Multiply => signed_a.checked_mul(signed_b).is_none(),
        AluFunction::Divide => signed_a.checked_div(signed_b).is_none(),
        AluFunction::DivideUnsigned => b == 0,
        _ => false,
    }
}

/// Condition of a branch: the options of the instruction and the number of a bit of the condition register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Condition(u16);

impl Condition {
    /// The fields BO and BI of a word.
    pub(super) const fn of(word: u32) -> Self {
        Self((word >> 16 & 0x3ff) as u16)
    }

    const fn option(self, bit: u16) -> bool {
        self.0 >> 5 & bit != 0
    }

    /// True if it reads the condition register.
    pub(super) const fn looks_at_conditions(self) -> bool {
        !self.option(16)
    }

    /// True if it counts down, and tests the count.
    pub(super) const fn counts(self) -> bool {
        !self.option(4)
    }

    /// True if it always holds.
    pub(super) const fn always(self) -> bool {
        !self.looks_at_conditions() && !self.counts()
    }

    /// True if it holds, given the condition register, and the count before it is counted down.
    #[inline]
    pub(super) const fn holds(self, conditions: u32, count: u32) -> bool {
        let bit = conditions >> (31 - (self.0 & 31)) & 1 != 0;
        let is_last = count == 1;
        (!self.looks_at_conditions() | (bit == self.option(8)))
            & (!self.counts() | (is_last == self.option(2)))
    }
}

impl Condition {
    /// True if the branch is predicted to be taken, given its displacement: backward ones are, unless an option inverts that.
    pub(super) const fn is_predicted(self, displacement: i32) -> bool {
        if self.always() { true } else { (displacement < 0) ^ self.option(1) }
    }
}

/// The comparison bits of a condition field, without the summary of overflow.
pub(super) fn comparison<T: Ord + Copy>(a: T, b: T) -> u32 {
    match a.cmp(&b) {
        std::cmp::Ordering::Less => 8,
        std::cmp::Ordering::Greater => 4,
        std::cmp::Ordering::Equal => 2,
    }
}
