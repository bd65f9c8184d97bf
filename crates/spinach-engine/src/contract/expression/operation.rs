//! The operations that expressions are made of.

use serde::{Deserialize, Serialize};

/// Names a value inside an [`Expression`](super::Expression): the result of the operation with this index.
pub type Operand = u32;

/// One operation of an expression. Operands must name earlier operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// A constant.
    Constant(u64),
    /// Input number so-and-so of the policy; its meaning is documented by the module.
    Input(u32),
    /// State word number so-and-so, as it was at the start of the cycle.
    State(u32),
    /// Sum, wrapping.
    Add(Operand, Operand),
    /// Difference, wrapping.
    Subtract(Operand, Operand),
    /// Product, wrapping.
    Multiply(Operand, Operand),
    /// Quotient of unsigned division; all ones when dividing by zero.
    Divide(Operand, Operand),
    /// Remainder of unsigned division; the dividend when dividing by zero.
    Remainder(Operand, Operand),
    /// Bitwise and.
    And(Operand, Operand),
    /// Bitwise or.
    Or(Operand, Operand),
    /// Bitwise exclusive or.
    ExclusiveOr(Operand, Operand),
    /// Shift left; zero from 64 on.
    ShiftLeft(Operand, Operand),
    /// Logical shift right; zero from 64 on.
    ShiftRight(Operand, Operand),
    /// 1 if equal, else 0.
    Equal(Operand, Operand),
    /// 1 if less, unsigned, else 0.
    Less(Operand, Operand),
    /// 1 if less, two's complement, else 0.
    LessSigned(Operand, Operand),
    /// The second operand if the first is not zero, else the third.
    Select(Operand, Operand, Operand),
    /// The number of trailing zero bits; 64 for zero.
    TrailingZeros(Operand),
    /// The number of one bits.
    CountOnes(Operand),
}

impl Operation {
    pub(super) fn operands(self) -> impl Iterator<Item = Operand> {
        let (a, b, c) = match self {
            Self::Constant(_) | Self::Input(_) | Self::State(_) => (None, None, None),
            Self::TrailingZeros(a) | Self::CountOnes(a) => (Some(a), None, None),
            Self::Select(a, b, c) => (Some(a), Some(b), Some(c)),
            Self::Add(a, b)
            | Self::Subtract(a, b)
            | Self::Multiply(a, b)
            | Self::Divide(a, b)
            | Self::Remainder(a, b)
            | Self::And(a, b)
            | Self::Or(a, b)
            | Self::ExclusiveOr(a, b)
            | Self::ShiftLeft(a, b)
            | Self::ShiftRight(a, b)
            | Self::Equal(a, b)
            | Self::Less(a, b)
            | Self::LessSigned(a, b) => (Some(a), Some(b), None),
        };
        [a, b, c].into_iter().flatten()
    }
}
