//! Division in hot paths.

/// A number to divide by, which is almost always a power of two.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Divisor {
    number: u64,
    // Number of bits to shift; `NO_SHIFT` unless the number is a power of two.
    shift: u8,
}

const NO_SHIFT: u8 = u8::MAX;

impl Divisor {
    /// The divisor `number`, which is not 0.
    pub(crate) const fn new(number: u64) -> Self {
        Self {
            number,
            shift: if number.is_power_of_two() { number.trailing_zeros() as u8 } else { NO_SHIFT },
        }
    }

    #[inline]
    pub(crate) const fn number(self) -> u64 {
        self.number
    }

    #[inline]
    pub(crate) const fn quotient(self, dividend: u64) -> u64 {
        match self.shift {
            NO_SHIFT => self.divide(dividend),
            shift => dividend >> shift,
        }
    }

    #[cold]
    #[inline(never)]
    const fn divide(self, dividend: u64) -> u64 {
        dividend / self.number
    }

    #[inline]
    pub(crate) const fn remainder(self, dividend: u64) -> u64 {
        dividend - self.quotient(dividend) * self.number
    }

    /// The quotient, or the next integer above it.
    #[inline]
    pub(crate) const fn quotient_up(self, dividend: u64) -> u64 {
        let quotient = self.quotient(dividend);
        if quotient * self.number == dividend { quotient } else { quotient + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_divides() {
        for number in [1, 2, 3, 8, 12, u64::MAX] {
            let divisor = Divisor::new(number);
            for dividend in [0, 1, 2, 7, 8, 9, 24, u64::MAX - 1, u64::MAX] {
                assert_eq!(divisor.quotient(dividend), dividend / number);
                assert_eq!(divisor.remainder(dividend), dividend % number);
                assert_eq!(divisor.quotient_up(dividend), dividend.div_ceil(number));
            }
        }
    }
}
