//! Encoding of operations and operands into words: the inverse of [`super::decode()`].

use thiserror::Error;

use super::decode::Instruction;
use super::operation::{Format, Operation};

/// The operands of an instruction, as [`Instruction`] holds them. Those that the format lacks must be zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operands {
    /// Register field `rs`.
    pub rs: u8,
    /// Register field `rt`, or the function of a cache operation.
    pub rt: u8,
    /// Register field `rd`, general or of coprocessor 0.
    pub rd: u8,
    /// Constant shift amount.
    pub shift_amount: u8,
    /// The immediate in the form of [`Instruction::immediate`].
    pub immediate: u32,
}

/// An instruction that has no encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum EncodeError {
    /// A register number or shift amount above 31, or one given to an operation without such a field.
    #[error("{mnemonic} has no field for register or shift amount {value}\nuse a field that its format has")]
    Field {
        /// The operation's mnemonic.
        mnemonic: &'static str,
        /// The value given.
        value: u8,
    },
    /// An immediate that the format cannot hold.
    #[error(
        "immediate {value:#x} does not fit {mnemonic}\nload the value into a register, or place the target nearer"
    )]
    Immediate {
        /// The operation's mnemonic.
        mnemonic: &'static str,
        /// The value given.
        value: u32,
    },
    /// [`Operation::Reserved`] and [`Operation::CoprocessorUnusable`] represent words without one encoding.
    #[error("{mnemonic} is not an operation that can be encoded\nchoose another operation")]
    NotAnOperation {
        /// The operation's mnemonic.
        mnemonic: &'static str,
    },
}

/// Encodes an operation with its operands.
///
/// # Errors
/// [`EncodeError`] if an operand does not fit the operation's format.
pub fn encode(operation: Operation, operands: Operands) -> Result<u32, EncodeError> {
    let description = operation.description();
    let (mnemonic, format) = (description.mnemonic, description.format);
    if matches!(operation, Operation::Reserved | Operation::CoprocessorUnusable) {
        return Err(EncodeError::NotAnOperation { mnemonic });
    }
    let Operands { rs, rt, rd, shift_amount, immediate } = operands;
    let mut word = description.fixed_bits;
    for (value, position) in [(rs, 21), (rt, 16), (rd, 11), (shift_amount, 6)] {
        let field = u32::from(value) << position;
        if value > 31 || field & !format.field_bits() != 0 {
            return Err(EncodeError::Field { mnemonic, value });
        }
        word |= field;
    }
    immediate_bits(format, immediate)
        .map(|bits| word | bits)
        .ok_or(EncodeError::Immediate { mnemonic, value: immediate })
}

/// The bits of an immediate in their place, `None` if they do not fit.
fn immediate_bits(format: Format, immediate: u32) -> Option<u32> {
    let signed_half = |value: i32| i16::try_from(value).ok().map(|half| u32::from(half as u16));
    let below = |value: u32, limit: u32| (value < limit).then_some(value);
    match format {
        Format::RtRsSigned | Format::RsSigned | Format::RtOffsetBase | Format::CacheOffsetBase => {
            signed_half(immediate as i32)
        }
        Format::RtRsUnsigned => below(immediate, 1 << 16),
        Format::RtUpper => (immediate & 0xffff == 0).then_some(immediate >> 16),
        Format::RsRtBranch | Format::RsBranch if immediate & 3 == 0 => signed_half(immediate as i32 >> 2),
        Format::Jump if immediate & 3 == 0 => below(immediate >> 2, 1 << 26),
        Format::RsRtBranch | Format::RsBranch | Format::Jump => None,
        Format::RsRtCode => below(immediate, 1 << 10).map(|code| code << 6),
        Format::Code | Format::TwoCodes => below(immediate, 1 << 20).map(|code| code << 6),
        Format::RdRsRt | Format::RdRtRs | Format::RdRtShift | Format::RsRt | Format::ZeroRsRt => {
            below(immediate, 1)
        }
        Format::Rd | Format::Rs | Format::RdRs | Format::Plain | Format::RtCoprocessor0 => {
            below(immediate, 1)
        }
    }
}

impl Instruction {
    /// The operands, ready to encode.
    pub const fn operands(&self) -> Operands {
        let Self { rs, rt, rd, shift_amount, immediate, .. } = *self;
        Operands { rs, rt, rd, shift_amount, immediate }
    }
}
