//! Following registers that advance with time through a period of a core that goes round.
//!
//! A core that waits for a clock holds values in registers that are greater by a constant every time round its loop. It repeats
//! as long as no comparison turns out otherwise: so the advance of each register is carried through every executed instruction.

use spinach_isa::architecture::{Architecture, Arithmetic};
use spinach_isa::word::Word;
use spinach_isa::work::FurtherRegisters;

use super::super::decoded::{Decoded, Work};
use super::register_set::bit;

const REGISTERS: usize = 32;

/// The registers of a core during a period.
#[derive(Debug)]
pub(super) struct Following<A: Architecture> {
    /// Length of a period, if clocks are read in every one.
    cycles: Option<u64>,
    /// Advance of every register in a period, at the point that the program has reached.
    advances: [A::Word; REGISTERS],
    /// The same where the period begins and ends.
    around: [A::Word; REGISTERS],
    /// Number of further periods with the same behaviour.
    lasts: u64,
}

impl<A: Architecture> Following<A> {
    /// Period of `cycles` cycles, if clocks are read in it, before which registers have advanced by `around`, but those of
    /// `awaited` will be loaded.
    pub(super) fn new(cycles: Option<u64>, around: [A::Word; REGISTERS], awaited: u64) -> Self {
        let mut advances = around;
        for (number, advance) in (0..).zip(&mut advances) {
            if awaited & bit(number) != 0 {
                *advance = A::Word::default();
            }
        }
        Self { cycles, advances, around, lasts: u64::MAX }
    }

    /// Takes note that an instruction executes.
    pub(super) fn execute(&mut self, decoded: &Decoded<A>, registers: &A::Registers) {
        let advance = self.result(decoded, registers);
        match self.advances.get_mut(usize::from(decoded.destination)) {
            Some(result) if decoded.further.second_destination() == 0 => {
                if decoded.destination != 0 {
                    *result = advance.unwrap_or_default();
                }
                if advance.is_none() {
                    self.lasts = 0;
                }
            }
            _ => self.lasts = 0,
        }
    }

    /// Records an event that is not followed.
    pub(super) fn fail(&mut self) {
        self.lasts = 0;
    }

    /// Maximum number of repetitions of the period that ends now, while registers of `awaited` will be loaded. A branch may have
    /// been resolved in it that executes in the next: then the noted comparison is that of the period before, which lasts once
    /// more.
    pub(super) fn repeatable(&self, awaited: u64) -> u64 {
        let comes_round =
            |number: usize| awaited & bit(number as u8) != 0 || self.advances[number] == self.around[number];
        if (0..REGISTERS).all(comes_round) { self.lasts.saturating_sub(1) } else { 0 }
    }

    /// Advance of an instruction's result; `None` if it is unpredictable.
    fn result(&mut self, decoded: &Decoded<A>, registers: &A::Registers) -> Option<A::Word> {
        let none = A::Word::default();
        let of = |number: u8| self.advances.get(usize::from(number)).copied();
        let (first, second) = (of(decoded.sources[0])?, of(decoded.sources[1])?);
        let is_steady = first == none && second == none;
        match decoded.work {
            Work::Calculate(_) if is_steady => Some(none),
            Work::Calculate(function) => {
                let (a, b) = decoded.operands(registers);
                self.calculated(function, (a, first), (b, second))
            }
            Work::Branch(_) | Work::LikelyBranch(_) => {
                let [a, b] = decoded.values(registers);
                self.compare((a, first), (b, second));
                Some(none)
            }
            _ if !is_steady => None,
            Work::Plain if A::reads_time(&decoded.instruction()) => {
                A::advance_of(&decoded.instruction(), self.cycles?)
            }
            // It may leave a part of the register as it is.
            Work::Awaited => (of(decoded.destination)? == none).then_some(none),
            _ => Some(none),
        }
    }

    fn calculated(
        &mut self,
        function: A::AluFunction,
        (a, first): (A::Word, A::Word),
        (b, second): (A::Word, A::Word),
    ) -> Option<A::Word> {
        let none = A::Word::default();
        match A::arithmetic(function) {
            Arithmetic::Sum => Some(first.wrapping_add(second)),
            Arithmetic::Difference => Some(first.wrapping_sub(second)),
            Arithmetic::Union if (a, first) == (none, none) => Some(second),
            Arithmetic::Union if (b, second) == (none, none) => Some(first),
            Arithmetic::Relation => {
                self.compare((a, first), (b, second));
                Some(none)
            }
            Arithmetic::Union | Arithmetic::Other => None,
        }
    }

    /// Records a comparison of two values.
    fn compare(&mut self, a: (A::Word, A::Word), b: (A::Word, A::Word)) {
        self.lasts = self.lasts.min(relation_lasts(a, b));
    }
}

/// A value and its advance, both without limits.
type Line = (i128, i128);

/// Number of times that two values can advance before they become equal or cease to be, another is less with or without sign, or
/// one passes the end of its range.
fn relation_lasts<W: Word>(a: (W, W), b: (W, W)) -> u64 {
    let signed = |(value, advance): (W, W)| (value.to_signed().into(), advance.to_signed().into());
    let unsigned = |(value, advance): (W, W)| (value.to_u64().into(), advance.to_signed().into());
    let range = 1i128 << W::BITS;
    let with_sign = order_lasts(signed(a), signed(b), -range / 2, range / 2 - 1);
    with_sign.min(order_lasts(unsigned(a), unsigned(b), 0, range - 1))
}

fn order_lasts(a: Line, b: Line, least: i128, greatest: i128) -> u64 {
    let within = |(value, advance): Line| {
        let room = if advance > 0 { greatest - value } else { value - least };
        if advance == 0 { i128::MAX } else { room / advance.abs() }
    };
    let (difference, advance) = (a.0 - b.0, a.1 - b.1);
    let in_order = match (difference.signum(), advance.signum()) {
        (_, 0) => i128::MAX,
        (0, _) => 0,
        (sign, direction) if sign == direction => i128::MAX,
        _ => (difference.abs() - 1) / advance.abs(),
    };
    u64::try_from(within(a).min(within(b)).min(in_order)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_last_until_they_change() {
        let relation = |a: u32, b: u32| (a == b, (a as i32) < b as i32, a < b);
        let values = [0, 1, 7, 100, 0x7fff_fff0, 0x8000_0000, 0x8000_0010, 0xffff_fff0, u32::MAX];
        let advances = [0, 1, 3, 50, 0u32.wrapping_sub(1), 0u32.wrapping_sub(7)];
        let mut changes = 0;
        for (a, b) in values.iter().flat_map(|a| values.map(|b| (*a, b))) {
            for (of_a, of_b) in advances.iter().flat_map(|a| advances.map(|b| (*a, b))) {
                let lasts = relation_lasts((a, of_a), (b, of_b));
                let at = |times: u32| {
                    let a = a.wrapping_add(of_a.wrapping_mul(times));
                    relation(a, b.wrapping_add(of_b.wrapping_mul(times)))
                };
                let seen = u32::try_from(lasts).map_or(300, |lasts| lasts.min(300));
                assert!((0..=seen).all(|times| at(times) == at(0)), "{a} by {of_a}, {b} by {of_b}: {lasts}");
                changes += u32::from(lasts < 300 && at(seen + 1) != at(0));
            }
        }
        assert!(changes > 300, "it is exact as a rule: {changes}");
        assert_eq!(relation_lasts((5u32, 0), (9, 0)), u64::MAX);
    }
}
