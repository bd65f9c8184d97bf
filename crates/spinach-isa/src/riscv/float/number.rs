//! Exact arithmetic on binary floating-point numbers of 32 and 64 bits (IEEE 754-2008), with every rounding direction and all flags.
//!
//! Finite numbers become an integer times a power of two; an operation computes its result exactly, or with one sticky bit for
//! all below it, and rounds once. NaN results are the canonical NaN. Tininess is detected after rounding, as volume I, section
//! "F" extension, requires. Host arithmetic has neither these flags nor all these directions.

/// The direction in which a result is rounded, by its number in an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// Round to nearest, ties to even.
    NearestEven,
    /// Toward zero.
    TowardZero,
    /// Toward minus infinity.
    Down,
    /// Toward plus infinity.
    Up,
    /// Round to nearest, ties to greater magnitude.
    NearestAway,
}

/// The result differs from the exact one.
pub(super) const INEXACT: u8 = 1;
/// It is too small to be exact.
pub(super) const UNDERFLOW: u8 = 2;
/// It is too large.
pub(super) const OVERFLOW: u8 = 4;
/// A finite number was divided by zero.
pub(super) const DIVISION_BY_ZERO: u8 = 8;
/// The operation has no result.
pub(super) const INVALID: u8 = 16;

/// Rounding mode, and the exceptions raised until now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Environment {
    /// Rounding mode.
    pub(super) rounding: Rounding,
    /// Exceptions raised until now, as bits of `fflags`.
    pub(super) flags: u8,
}

/// A binary interchange format.
#[derive(Clone, Copy, Debug)]
pub(super) struct Format {
    fraction_bits: u32,
    exponent_bits: u32,
}

/// 32 bits.
pub(super) const SINGLE: Format = Format { fraction_bits: 23, exponent_bits: 8 };
/// 64 bits.
pub(super) const DOUBLE: Format = Format { fraction_bits: 52, exponent_bits: 11 };

/// (-1)^sign * significand * 2^exponent.
#[derive(Clone, Copy)]
struct Finite {
    sign: bool,
    exponent: i32,
    significand: u128,
}

#[derive(Clone, Copy)]
enum Number {
    Finite(Finite),
    Infinite(bool),
    /// Not a number.
    Nan {
        signaling: bool,
    },
}

use Number::{Infinite, Nan};

impl Format {
    pub(super) const fn sign_bit(self) -> u64 {
        1 << (self.fraction_bits + self.exponent_bits)
    }

    const fn exponent_mask(self) -> u64 {
        (1 << self.exponent_bits) - 1
    }

    const fn infinity(self, sign: bool) -> u64 {
        self.signed(sign, self.exponent_mask() << self.fraction_bits)
    }

    /// Canonical NaN.
    pub(super) const fn canonical(self) -> u64 {
        self.infinity(false) | 1 << (self.fraction_bits - 1)
    }

    const fn signed(self, sign: bool, magnitude: u64) -> u64 {
        if sign { self.sign_bit() | magnitude } else { magnitude }
    }

    /// The exponent of the last bit of the smallest numbers.
    const fn least_exponent(self) -> i32 {
        let bias = (1 << (self.exponent_bits - 1)) - 1;
        1 - bias - self.fraction_bits as i32
    }

    fn unpack(self, bits: u64) -> Number {
        let sign = bits & self.sign_bit() != 0;
        let fraction = bits & ((1 << self.fraction_bits) - 1);
        let field = bits >> self.fraction_bits & self.exponent_mask();
        if field == self.exponent_mask() {
            let signaling = fraction >> (self.fraction_bits - 1) == 0;
            return if fraction == 0 { Infinite(sign) } else { Nan { signaling } };
        }
        let hidden = u64::from(field != 0) << self.fraction_bits;
        let exponent = self.least_exponent() + field.max(1) as i32 - 1;
        Number::Finite(Finite { sign, exponent, significand: (hidden | fraction).into() })
    }

    fn invalid(self, environment: &mut Environment) -> u64 {
        environment.flags |= INVALID;
        self.canonical()
    }

    /// Result of an operation with a NaN operand.
    fn not_a_number(self, operands: &[Number], environment: &mut Environment) -> u64 {
        if operands.iter().any(|operand| matches!(operand, Nan { signaling: true })) {
            environment.flags |= INVALID;
        }
        self.canonical()
    }

    /// Rounds to the format. The lowest bit of the significand may be sticky if there are at least two bits more than the format
    /// has.
    fn round(self, number: Finite, environment: &mut Environment) -> u64 {
        let Finite { sign, exponent, significand } = number;
        if significand == 0 {
            return self.signed(sign, 0);
        }
        let length = 128 - significand.leading_zeros() as i32;
        let precision = self.fraction_bits as i32 + 1;
        let natural = exponent + length - precision;
        let last = natural.max(self.least_exponent());
        let (kept, is_exact) = rounded(sign, significand, last - exponent, environment.rounding);
        let magnitude = (((last - self.least_exponent()) as u64) << self.fraction_bits) + kept as u64;
        if magnitude >= self.infinity(false) {
            environment.flags |= OVERFLOW | INEXACT;
            let reaches_infinity = match environment.rounding {
                Rounding::NearestEven | Rounding::NearestAway => true,
                Rounding::TowardZero => false,
                Rounding::Down => sign,
                Rounding::Up => !sign,
            };
            return self.signed(sign, self.infinity(false) - u64::from(!reaches_infinity));
        }
        if !is_exact {
            environment.flags |= INEXACT;
            // With an exponent without bound, the last bit would be the natural one.
            let unbounded = || rounded(sign, significand, natural - exponent, environment.rounding).0;
            let is_tiny = natural < self.least_exponent()
                && !(natural == self.least_exponent() - 1 && unbounded() >> precision != 0);
            if is_tiny {
                environment.flags |= UNDERFLOW;
            }
        }
        self.signed(sign, magnitude)
    }

    /// The sum.
    pub(super) fn add(self, a: u64, b: u64, environment: &mut Environment) -> u64 {
        match (self.unpack(a), self.unpack(b)) {
            (Number::Finite(a), Number::Finite(b)) => {
                self.round(sum(a, b, environment.rounding), environment)
            }
            (Infinite(a), Infinite(b)) if a != b => self.invalid(environment),
            (Nan { .. }, _) | (_, Nan { .. }) => {
                self.not_a_number(&[self.unpack(a), self.unpack(b)], environment)
            }
            (Infinite(sign), _) | (_, Infinite(sign)) => self.infinity(sign),
        }
    }

    /// The product.
    pub(super) fn multiply(self, a: u64, b: u64, environment: &mut Environment) -> u64 {
        let (a, b) = (self.unpack(a), self.unpack(b));
        match self.product(a, b, environment) {
            Ok(product) => self.round(product, environment),
            Err(special) => special,
        }
    }

    /// The exact product, or its special value.
    fn product(self, a: Number, b: Number, environment: &mut Environment) -> Result<Finite, u64> {
        Err(match (a, b) {
            (Nan { .. }, _) | (_, Nan { .. }) => self.not_a_number(&[a, b], environment),
            (Infinite(_), Number::Finite(Finite { significand: 0, .. }))
            | (Number::Finite(Finite { significand: 0, .. }), Infinite(_)) => self.invalid(environment),
            (Infinite(a), Infinite(b)) => self.infinity(a != b),
            (Infinite(a), Number::Finite(b)) => self.infinity(a != b.sign),
            (Number::Finite(a), Infinite(b)) => self.infinity(a.sign != b),
            (Number::Finite(a), Number::Finite(b)) => {
                return Ok(Finite {
                    sign: a.sign != b.sign,
                    exponent: a.exponent + b.exponent,
                    significand: a.significand * b.significand,
                });
            }
        })
    }

    /// `a * b + c`, rounded once.
    pub(super) fn multiply_add(self, a: u64, b: u64, c: u64, environment: &mut Environment) -> u64 {
        let [a, b, c] = [a, b, c].map(|bits| self.unpack(bits));
        let before = environment.flags;
        let product = self.product(a, b, environment);
        match (product, c) {
            // Infinity times zero is invalid for any addend.
            (_, Nan { .. }) => {
                self.not_a_number(&[c], environment);
                self.canonical()
            }
            (Err(special), _) if special == self.canonical() => special,
            (Err(infinity), Infinite(sign)) if infinity != self.infinity(sign) => {
                environment.flags = before;
                self.invalid(environment)
            }
            (Err(infinity), _) => infinity,
            (Ok(_), Infinite(sign)) => self.infinity(sign),
            (Ok(product), Number::Finite(c)) => {
                self.round(sum(product, c, environment.rounding), environment)
            }
        }
    }

    /// The quotient.
    pub(super) fn divide(self, a: u64, b: u64, environment: &mut Environment) -> u64 {
        let (a, b) = (self.unpack(a), self.unpack(b));
        match (a, b) {
            (Nan { .. }, _) | (_, Nan { .. }) => self.not_a_number(&[a, b], environment),
            (Infinite(_), Infinite(_)) => self.invalid(environment),
            (Infinite(a), Number::Finite(b)) => self.infinity(a != b.sign),
            (Number::Finite(a), Infinite(b)) => self.signed(a.sign != b, 0),
            (Number::Finite(a), Number::Finite(b)) => {
                let sign = a.sign != b.sign;
                match (a.significand, b.significand) {
                    (0, 0) => self.invalid(environment),
                    (0, _) => self.signed(sign, 0),
                    (_, 0) => {
                        environment.flags |= DIVISION_BY_ZERO;
                        self.infinity(sign)
                    }
                    _ => {
                        let shift = a.significand.leading_zeros() as i32 - 1;
                        let dividend = a.significand << shift;
                        let rest = u128::from(!dividend.is_multiple_of(b.significand));
                        let significand = (dividend / b.significand) << 1 | rest;
                        let exponent = a.exponent - shift - b.exponent - 1;
                        self.round(Finite { sign, exponent, significand }, environment)
                    }
                }
            }
        }
    }

    /// The square root.
    pub(super) fn square_root(self, a: u64, environment: &mut Environment) -> u64 {
        match self.unpack(a) {
            number @ Nan { .. } => self.not_a_number(&[number], environment),
            Infinite(false) => self.infinity(false),
            Number::Finite(Finite { significand: 0, .. }) => a,
            Infinite(true) | Number::Finite(Finite { sign: true, .. }) => self.invalid(environment),
            Number::Finite(Finite { exponent, significand, .. }) => {
                let zeros = significand.leading_zeros() as i32;
                let shift = zeros - ((zeros ^ exponent) & 1);
                let radicand = significand << shift;
                let root = radicand.isqrt();
                let rest = u128::from(root * root != radicand);
                let exponent = (exponent - shift) / 2 - 1;
                self.round(Finite { sign: false, exponent, significand: root << 1 | rest }, environment)
            }
        }
    }

    /// The same number in another format.
    pub(super) fn convert(self, bits: u64, to: Self, environment: &mut Environment) -> u64 {
        match self.unpack(bits) {
            number @ Nan { .. } => to.not_a_number(&[number], environment),
            Infinite(sign) => to.infinity(sign),
            Number::Finite(number) => to.round(number, environment),
        }
    }

    /// An integer as a number.
    pub(super) fn of_integer(self, integer: i128, environment: &mut Environment) -> u64 {
        let number = Finite { sign: integer < 0, exponent: 0, significand: integer.unsigned_abs() };
        self.round(number, environment)
    }

    /// A number as an integer between two bounds; the nearer bound, and the upper one for what is not a number, where it is invalid.
    pub(super) fn to_integer(
        self,
        bits: u64,
        (least, most): (i128, i128),
        environment: &mut Environment,
    ) -> i128 {
        let Finite { sign, exponent, significand } = match self.unpack(bits) {
            Number::Finite(number) => number,
            Infinite(true) => {
                environment.flags |= INVALID;
                return least;
            }
            _ => {
                environment.flags |= INVALID;
                return most;
            }
        };
        // A significand has at most 53 bits, so that a larger shift is beyond any bound.
        let is_beyond = exponent > 64 && significand != 0;
        let (magnitude, is_exact) = rounded(sign, significand, -exponent.min(64), environment.rounding);
        let integer = if sign { -(magnitude as i128) } else { magnitude as i128 };
        if is_beyond || integer < least || integer > most {
            environment.flags |= INVALID;
            return if sign { least } else { most };
        }
        environment.flags |= if is_exact { 0 } else { INEXACT };
        integer
    }

    /// Ordering and equality of two operands; `None` if one is NaN. Signalling NaNs are invalid, quiet ones only where the
    /// comparison `signals`.
    pub(super) fn compare(
        self,
        a: u64,
        b: u64,
        signals: bool,
        environment: &mut Environment,
    ) -> Option<(bool, bool)> {
        let operands = [self.unpack(a), self.unpack(b)];
        if operands.iter().any(|operand| matches!(operand, Nan { .. })) {
            self.not_a_number(&operands, environment);
            environment.flags |= if signals { INVALID } else { 0 };
            return None;
        }
        let key = |bits: u64| {
            let magnitude = (bits & (self.sign_bit() - 1)) as i64;
            if bits & self.sign_bit() != 0 { -magnitude } else { magnitude }
        };
        Some((key(a) < key(b), key(a) == key(b)))
    }

    /// Minimum or maximum of two operands; the number if one is NaN. Minus zero is less than zero.
    pub(super) fn extreme(self, a: u64, b: u64, greater: bool, environment: &mut Environment) -> u64 {
        let is_number = |bits| !matches!(self.unpack(bits), Nan { .. });
        match self.compare(a, b, false, environment) {
            Some((_, true)) => {
                if greater {
                    a & b
                } else {
                    a | b
                }
            }
            Some((is_less, _)) => {
                if is_less == greater {
                    b
                } else {
                    a
                }
            }
            None if is_number(a) => a,
            None if is_number(b) => b,
            None => self.canonical(),
        }
    }

    /// The bit of the number's class, as `fclass` gives it.
    pub(super) fn class(self, bits: u64) -> u64 {
        let is_subnormal = bits >> self.fraction_bits & self.exponent_mask() == 0;
        let place = match self.unpack(bits) {
            Nan { signaling } => return if signaling { 1 << 8 } else { 1 << 9 },
            Infinite(sign) => (0, sign),
            Number::Finite(Finite { sign, significand: 0, .. }) => (3, sign),
            Number::Finite(Finite { sign, .. }) => (if is_subnormal { 2 } else { 1 }, sign),
        };
        match place {
            (place, true) => 1 << place,
            (place, false) => 1 << (7 - place),
        }
    }
}

/// The significand without its last `dropped` bits, rounded, and whether it is exact. A negative number of bits is added.
fn rounded(sign: bool, significand: u128, dropped: i32, rounding: Rounding) -> (u128, bool) {
    if dropped <= 0 {
        return (significand << -dropped, true);
    }
    let (kept, rest, half) = match dropped {
        1..=127 => (significand >> dropped, significand & ((1 << dropped) - 1), 1 << (dropped - 1)),
        128 => (0, significand, 1 << 127),
        _ => (0, u128::from(significand != 0), 2),
    };
    let increments = match rounding {
        Rounding::NearestEven => rest > half || rest == half && kept & 1 != 0,
        Rounding::NearestAway => rest >= half,
        Rounding::TowardZero => false,
        Rounding::Down => sign && rest != 0,
        Rounding::Up => !sign && rest != 0,
    };
    (kept + u128::from(increments), rest == 0)
}

/// The sum, exact except for its lowest bit, which is sticky where the operands lie far apart. One significand has at most 106
/// bits, the other at most 53.
fn sum(a: Finite, b: Finite, rounding: Rounding) -> Finite {
    if a.significand == 0 || b.significand == 0 {
        let is_zero = a.significand == 0 && b.significand == 0;
        let sign = if a.sign == b.sign { a.sign } else { rounding == Rounding::Down };
        return match (is_zero, b.significand) {
            (true, _) => Finite { sign, ..a },
            (false, 0) => a,
            _ => b,
        };
    }
    let leading = |number: &Finite| number.exponent - number.significand.leading_zeros() as i32;
    let (a, b) = if leading(&a) >= leading(&b) { (a, b) } else { (b, a) };
    // Two bits above are free: one for a carry, one for the sign.
    let shift = a.significand.leading_zeros() as i32 - 2;
    let (exponent, first) = (a.exponent - shift, a.significand << shift);
    let right = exponent - b.exponent;
    let second = match right {
        ..=0 => b.significand << -right,
        1..=127 => b.significand >> right | u128::from(b.significand << (128 - right) != 0),
        _ => 1,
    };
    if a.sign == b.sign {
        return Finite { sign: a.sign, exponent, significand: first + second };
    }
    let difference = first as i128 - second as i128;
    let sign = match difference {
        0 => rounding == Rounding::Down,
        difference => a.sign != (difference < 0),
    };
    Finite { sign, exponent, significand: difference.unsigned_abs() }
}
