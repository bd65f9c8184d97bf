//! The floating-point unit of a server: F and D over registers of 64 bits (volume I, "F" and "D" extensions).
//!
//! A number of 32 bits fills the upper half of its register with ones; a value without these ones counts as the canonical NaN.

mod number;

pub use number::Rounding;
use number::{DOUBLE, Environment, Format, SINGLE};

use super::Operation;

const BOX: u64 = 0xffff_ffff_0000_0000;

/// Result of an operation, and the kind of its register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Result in a floating-point register.
    Float(u64),
    /// Result in a general register.
    General(u64),
}

/// Operands of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Operands {
    /// The floating-point registers that the instruction names as sources.
    pub floats: [u64; 3],
    /// The general register that it names as the first source.
    pub general: u64,
    /// The rounding mode in `fcsr`.
    pub rounding: u8,
}

impl Rounding {
    /// A rounding mode by its number; `None` if there is none.
    pub const fn from_number(number: u8) -> Option<Self> {
        Some(match number {
            0 => Self::NearestEven,
            1 => Self::TowardZero,
            2 => Self::Down,
            3 => Self::Up,
            4 => Self::NearestAway,
            _ => return None,
        })
    }
}

/// The number of the third source of an instruction of the floating-point unit.
pub const fn third_source(immediate: u32) -> usize {
    (immediate >> 3) as usize & 31
}

/// A number of 32 bits as a register holds it.
pub const fn boxed(bits: u32) -> u64 {
    BOX | bits as u64
}

const fn unboxed(register: u64) -> u64 {
    if register & BOX == BOX { register & !BOX } else { SINGLE.canonical() }
}

/// Result of an operation other than a load or store, and the exceptions as bits of `fflags`; `None` if its rounding mode is
/// reserved. `immediate` is that of the decoded instruction.
pub fn compute(operation: Operation, immediate: u32, operands: &Operands) -> Option<(Outcome, u8)> {
    let field = (immediate & 7) as u8;
    let number = if field == 7 { operands.rounding } else { field };
    let rounds = operation.description().mask >> 12 & 7 == 0;
    let rounding = match Rounding::from_number(number) {
        None if rounds => return None,
        rounding => rounding.unwrap_or(Rounding::NearestEven),
    };
    let mut environment = Environment { rounding, flags: 0 };
    let outcome = outcome(operation, operands, &mut environment);
    Some((outcome, environment.flags))
}

fn outcome(operation: Operation, operands: &Operands, environment: &mut Environment) -> Outcome {
    use Operation as O;
    let [raw, ..] = operands.floats;
    let singles = operands.floats.map(unboxed);
    let single = |bits: u64| Outcome::Float(boxed(bits as u32));
    let general = operands.general;
    match operation {
        O::FmvXSingle => Outcome::General(raw as u32 as i32 as u64),
        O::FmvXDouble => Outcome::General(raw),
        O::FmvSingleX => single(general),
        O::FmvDoubleX => Outcome::Float(general),
        O::FcvtSingleDouble => single(DOUBLE.convert(raw, SINGLE, environment)),
        O::FcvtDoubleSingle => Outcome::Float(SINGLE.convert(singles[0], DOUBLE, environment)),
        _ => match (arithmetic(operation, singles, operands.floats, environment), operation) {
            (Some((value, true)), _) => single(value),
            (Some((value, false)), _) => Outcome::Float(value),
            (None, _) => conversion(operation, singles, operands, environment),
        },
    }
}

/// The result of an operation on numbers of one format, and whether that is the one of 32 bits.
fn arithmetic(
    operation: Operation,
    singles: [u64; 3],
    doubles: [u64; 3],
    environment: &mut Environment,
) -> Option<(u64, bool)> {
    use Operation as O;
    macro_rules! of_both {
        ($($single:ident $double:ident => $function:expr;)*) => {
            match operation {
                $(O::$single => ($function(SINGLE, singles, environment), true),
                O::$double => ($function(DOUBLE, doubles, environment), false),)*
                _ => return None,
            }
        };
    }
    type E<'a> = &'a mut Environment;
    let negated = |format: Format, bits: u64| bits ^ format.sign_bit();
    let with_sign =
        |format: Format, bits: u64, sign: u64| bits & !format.sign_bit() | sign & format.sign_bit();
    Some(of_both! {
        FaddSingle FaddDouble => |f: Format, [a, b, _]: [u64; 3], e: E| f.add(a, b, e);
        FsubSingle FsubDouble => |f: Format, [a, b, _]: [u64; 3], e: E| f.add(a, negated(f, b), e);
        FmulSingle FmulDouble => |f: Format, [a, b, _]: [u64; 3], e: E| f.multiply(a, b, e);
        FdivSingle FdivDouble => |f: Format, [a, b, _]: [u64; 3], e: E| f.divide(a, b, e);
        FsqrtSingle FsqrtDouble => |f: Format, [a, _, _]: [u64; 3], e: E| f.square_root(a, e);
        FmaddSingle FmaddDouble => |f: Format, [a, b, c]: [u64; 3], e: E| f.multiply_add(a, b, c, e);
        FmsubSingle FmsubDouble => |f: Format, [a, b, c]: [u64; 3], e: E| f.multiply_add(a, b, negated(f, c), e);
        FnmsubSingle FnmsubDouble => |f: Format, [a, b, c]: [u64; 3], e: E| f.multiply_add(negated(f, a), b, c, e);
        FnmaddSingle FnmaddDouble =>
            |f: Format, [a, b, c]: [u64; 3], e: E| f.multiply_add(negated(f, a), b, negated(f, c), e);
        FsgnjSingle FsgnjDouble => |f: Format, [a, b, _]: [u64; 3], _: E| with_sign(f, a, b);
        FsgnjnSingle FsgnjnDouble => |f: Format, [a, b, _]: [u64; 3], _: E| with_sign(f, a, !b);
        FsgnjxSingle FsgnjxDouble => |f: Format, [a, b, _]: [u64; 3], _: E| with_sign(f, a, a ^ b);
        FminSingle FminDouble => |f: Format, [a, b, _]: [u64; 3], e: E| f.extreme(a, b, false, e);
        FmaxSingle FmaxDouble => |f: Format, [a, b, _]: [u64; 3], e: E| f.extreme(a, b, true, e);
    })
}

const INT: (i128, i128) = (i32::MIN as i128, i32::MAX as i128);
const UNSIGNED: (i128, i128) = (0, u32::MAX as i128);
const LONG: (i128, i128) = (i64::MIN as i128, i64::MAX as i128);
const UNSIGNED_LONG: (i128, i128) = (0, u64::MAX as i128);

/// Comparisons, classes, and conversions from and to integers.
fn conversion(
    operation: Operation,
    singles: [u64; 3],
    operands: &Operands,
    environment: &mut Environment,
) -> Outcome {
    use Operation as O;
    let doubles = operands.floats;
    let general = operands.general;
    let signed = i128::from(general as i64);
    let mut compared =
        |format: Format, [a, b, _]: [u64; 3], signals| format.compare(a, b, signals, environment);
    let truth = |holds: bool| Outcome::General(u64::from(holds));
    let less = |compared: Option<(bool, bool)>| truth(compared.is_some_and(|(less, _)| less));
    let not_greater =
        |compared: Option<(bool, bool)>| truth(compared.is_some_and(|(less, equal)| less || equal));
    let equal = |compared: Option<(bool, bool)>| truth(compared.is_some_and(|(_, equal)| equal));
    match operation {
        O::FltSingle => return less(compared(SINGLE, singles, true)),
        O::FltDouble => return less(compared(DOUBLE, doubles, true)),
        O::FleSingle => return not_greater(compared(SINGLE, singles, true)),
        O::FleDouble => return not_greater(compared(DOUBLE, doubles, true)),
        O::FeqSingle => return equal(compared(SINGLE, singles, false)),
        O::FeqDouble => return equal(compared(DOUBLE, doubles, false)),
        O::FclassSingle => return Outcome::General(SINGLE.class(singles[0])),
        O::FclassDouble => return Outcome::General(DOUBLE.class(doubles[0])),
        _ => {}
    }
    let mut integer =
        |format: Format, [a, ..]: [u64; 3], bounds| format.to_integer(a, bounds, environment) as u64;
    // A word without sign is extended by its sign as well.
    let word = |value: u64| Outcome::General(value as i32 as u64);
    match operation {
        O::FcvtWordSingle => return word(integer(SINGLE, singles, INT)),
        O::FcvtWordDouble => return word(integer(DOUBLE, doubles, INT)),
        O::FcvtWordUnsignedSingle => return word(integer(SINGLE, singles, UNSIGNED)),
        O::FcvtWordUnsignedDouble => return word(integer(DOUBLE, doubles, UNSIGNED)),
        O::FcvtLongSingle => return Outcome::General(integer(SINGLE, singles, LONG)),
        O::FcvtLongDouble => return Outcome::General(integer(DOUBLE, doubles, LONG)),
        O::FcvtLongUnsignedSingle => return Outcome::General(integer(SINGLE, singles, UNSIGNED_LONG)),
        O::FcvtLongUnsignedDouble => return Outcome::General(integer(DOUBLE, doubles, UNSIGNED_LONG)),
        _ => {}
    }
    let mut single = |number: i128| Outcome::Float(boxed(SINGLE.of_integer(number, environment) as u32));
    match operation {
        O::FcvtSingleWord => return single(i128::from(general as i32)),
        O::FcvtSingleWordUnsigned => return single(i128::from(general as u32)),
        O::FcvtSingleLong => return single(signed),
        O::FcvtSingleLongUnsigned => return single(i128::from(general)),
        _ => {}
    }
    Outcome::Float(DOUBLE.of_integer(
        match operation {
            O::FcvtDoubleWord => i128::from(general as i32),
            O::FcvtDoubleWordUnsigned => i128::from(general as u32),
            O::FcvtDoubleLong => signed,
            _ => i128::from(general),
        },
        environment,
    ))
}
