//! Simulated time and clocks of exact frequency.
//!
//! Time is an integer count of femtoseconds. A clock never accumulates a rounded period: its k-th edge is
//! `floor(k * 10^15 / frequency)` femtoseconds, with the frequency kept as an exact fraction, so clocks never drift
//! against each other. Two edges that fall into the same femtosecond are simultaneous.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Femtoseconds in one second.
pub const FEMTOSECONDS_PER_SECOND: u64 = 1_000_000_000_000_000;

/// An instant, or a span, of simulated time in femtoseconds; reaches to about five hours.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Time(u64);

impl Time {
    /// The instant at which every simulation starts.
    pub const ZERO: Time = Time(0);
    /// The last instant that can be represented.
    pub const MAX: Time = Time(u64::MAX);

    /// Span of `femtoseconds`.
    #[inline]
    pub const fn from_femtoseconds(femtoseconds: u64) -> Self {
        Time(femtoseconds)
    }

    /// Span of `nanoseconds`; `None` beyond [`Time::MAX`].
    pub const fn from_nanoseconds(nanoseconds: u64) -> Option<Self> {
        match nanoseconds.checked_mul(1_000_000) {
            Some(femtoseconds) => Some(Time(femtoseconds)),
            None => None,
        }
    }

    /// Femtoseconds since the start.
    #[inline]
    pub const fn femtoseconds(self) -> u64 {
        self.0
    }

    /// This instant later by `span`, or [`Time::MAX`].
    pub const fn saturating_add(self, span: Time) -> Time {
        Time(self.0.saturating_add(span.0))
    }

    /// The femtosecond after this one, or [`Time::MAX`].
    #[inline]
    pub(crate) const fn next(self) -> Time {
        Time(self.0.saturating_add(1))
    }

    /// Returns the time from `earlier` to this instant; zero if `earlier` is later.
    pub const fn saturating_sub(self, earlier: Time) -> Time {
        Time(self.0.saturating_sub(earlier.0))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(1_000_000_000_000_000, "s"), (1_000_000_000_000, "ms"), (1_000_000_000, "us")];
        for (scale, unit) in units.into_iter().chain([(1_000_000, "ns"), (1_000, "ps"), (1, "fs")]) {
            if self.0 >= scale {
                return write!(formatter, "{} {unit}", self.0 as f64 / scale as f64);
            }
        }
        write!(formatter, "0 s")
    }
}

/// An exact frequency: a reduced fraction of hertz.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Frequency {
    numerator: u64,
    denominator: u64,
}

/// Why a number is not a frequency.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FrequencyError {
    /// Zero hertz, or a fraction over zero.
    #[error("a frequency must be greater than zero")]
    Zero,
    /// More than one edge in a femtosecond.
    #[error("a frequency must be at most 10^15 Hz, the resolution of simulated time")]
    TooHigh,
    /// Less than one edge in the longest simulation.
    #[error("a frequency must be at least 1/18000 Hz: slower clocks tick beyond the end of simulated time")]
    TooLow,
}

impl Frequency {
    /// The frequency of `numerator / denominator` hertz.
    ///
    /// # Errors
    /// Zero, faster than one edge a femtosecond, or so slow that no edge would ever fall.
    pub fn from_fraction(numerator: u64, denominator: u64) -> Result<Self, FrequencyError> {
        if numerator == 0 || denominator == 0 {
            return Err(FrequencyError::Zero);
        }
        if u128::from(numerator) > u128::from(denominator) * u128::from(FEMTOSECONDS_PER_SECOND) {
            return Err(FrequencyError::TooHigh);
        }
        if u128::from(numerator) * 18_000 < u128::from(denominator) {
            return Err(FrequencyError::TooLow);
        }
        let divisor = greatest_common_divisor(numerator, denominator);
        Ok(Self { numerator: numerator / divisor, denominator: denominator / divisor })
    }

    /// An integer number of hertz.
    ///
    /// # Errors
    /// As [`Frequency::from_fraction`].
    pub fn from_hertz(hertz: u64) -> Result<Self, FrequencyError> {
        Self::from_fraction(hertz, 1)
    }

    /// The fraction of hertz, reduced: numerator and denominator.
    pub const fn fraction(self) -> (u64, u64) {
        (self.numerator, self.denominator)
    }

    /// Returns the time of edge number `edge`; edge 0 is at time zero. `None` beyond [`Time::MAX`].
    pub fn edge_time(self, edge: u64) -> Option<Time> {
        let per_edge = u128::from(FEMTOSECONDS_PER_SECOND) * u128::from(self.denominator);
        let (edge, numerator) = (u128::from(edge), u128::from(self.numerator));
        // floor(edge * per_edge / numerator) in two parts, neither of which can overflow: a frequency is at least 1/18000 Hz, so
        // the first factor is below 2^64, and the remainder is below the numerator.
        let femtoseconds =
            (edge * (per_edge / numerator)).checked_add(edge * (per_edge % numerator) / numerator)?;
        u64::try_from(femtoseconds).ok().map(Time)
    }

    /// The number of the first edge at or after `time`.
    pub fn first_edge_from(self, time: Time) -> u64 {
        let per_edge = u128::from(FEMTOSECONDS_PER_SECOND) * u128::from(self.denominator);
        // The smallest k with floor(k * per_edge / numerator) >= time is the smallest k with k * per_edge >= time * numerator.
        let edge = (u128::from(time.0) * u128::from(self.numerator)).div_ceil(per_edge);
        u64::try_from(edge).unwrap_or(u64::MAX)
    }
}

impl fmt::Display for Frequency {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (scale, unit) in [(1_000_000_000, "GHz"), (1_000_000, "MHz"), (1_000, "kHz")] {
            if self.denominator == 1 && self.numerator >= scale {
                return write!(formatter, "{} {unit}", self.numerator as f64 / scale as f64);
            }
        }
        match self.denominator {
            1 => write!(formatter, "{} Hz", self.numerator),
            _ => write!(formatter, "{}/{} Hz", self.numerator, self.denominator),
        }
    }
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// A running clock: knows its next edge and steps to the one after with two additions and a comparison.
#[derive(Clone, Debug)]
pub struct Clock {
    frequency: Frequency,
    next_edge: u64,
    next_time: Time,
    // next_time + remainder / numerator is the exact instant of the next edge in femtoseconds.
    remainder: u64,
    period_whole: u64,
    period_remainder: u64,
}

impl Clock {
    /// A clock whose first edge, number 0, falls at time zero.
    pub fn new(frequency: Frequency) -> Self {
        let per_edge = u128::from(FEMTOSECONDS_PER_SECOND) * u128::from(frequency.denominator);
        let numerator = u128::from(frequency.numerator);
        Self {
            frequency,
            next_edge: 0,
            next_time: Time::ZERO,
            remainder: 0,
            period_whole: u64::try_from(per_edge / numerator).unwrap_or(u64::MAX),
            period_remainder: (per_edge % numerator) as u64,
        }
    }

    /// The exact frequency.
    pub const fn frequency(&self) -> Frequency {
        self.frequency
    }

    /// The number of the next edge.
    #[inline]
    pub const fn next_edge(&self) -> u64 {
        self.next_edge
    }

    /// Time of the next edge; [`Time::MAX`] if it lies beyond the end of time.
    #[inline]
    pub const fn next_time(&self) -> Time {
        self.next_time
    }

    /// Steps over one edge.
    #[inline]
    pub fn advance(&mut self) {
        self.next_edge += 1;
        let mut period = self.period_whole;
        // Most periods are whole.
        if self.period_remainder != 0 {
            // Both remainders are below the numerator, so nothing overflows.
            let left = self.frequency.numerator - self.period_remainder;
            let carries = self.remainder >= left;
            self.remainder =
                if carries { self.remainder - left } else { self.remainder + self.period_remainder };
            period = period.saturating_add(u64::from(carries));
        }
        self.next_time = Time(self.next_time.0.saturating_add(period));
    }

    /// Steps over `count` edges.
    #[inline]
    pub fn advance_by(&mut self, count: u64) {
        self.next_edge += count;
        let numerator = u128::from(self.frequency.numerator);
        let fraction = u128::from(self.remainder) + u128::from(count) * u128::from(self.period_remainder);
        let mut carry = 0;
        if fraction >= numerator {
            // Both factors of the product are below 2^64, so the carry is too.
            carry = (fraction / numerator) as u64;
        }
        self.remainder = (fraction - u128::from(carry) * numerator) as u64;
        let whole = self.period_whole.saturating_mul(count).saturating_add(carry);
        self.next_time = Time(self.next_time.0.saturating_add(whole));
    }

    /// Time of the edge `count` edges after the next; [`Time::MAX`] beyond the end of time.
    #[inline]
    pub fn time_after(&self, count: u64) -> Time {
        if count >= u64::MAX - self.next_edge {
            return Time::MAX;
        }
        let mut there = self.clone();
        there.advance_by(count);
        there.next_time
    }

    /// Steps to the first edge at or after `time`; stays where it is if that is an earlier one.
    #[inline]
    pub fn advance_to(&mut self, time: Time) {
        // No period is longer than this, so no step goes too far.
        let longest = self.period_whole.saturating_add(1);
        while self.next_time < time {
            self.advance_by(((time.0 - self.next_time.0) / longest).max(1));
        }
    }

    /// Makes `edge` the next edge.
    pub fn jump_to_edge(&mut self, edge: u64) {
        let per_edge = u128::from(FEMTOSECONDS_PER_SECOND) * u128::from(self.frequency.denominator);
        self.next_edge = edge;
        self.next_time = self.frequency.edge_time(edge).unwrap_or(Time::MAX);
        let numerator = u128::from(self.frequency.numerator);
        // (edge * per_edge) mod numerator, with both factors reduced first so that the product cannot overflow.
        self.remainder = ((u128::from(edge) % numerator) * (per_edge % numerator) % numerator) as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hertz(value: u64) -> Frequency {
        Frequency::from_hertz(value).unwrap()
    }

    #[test]
    fn an_hour_of_166_mhz_and_10_3125_ghz_has_exact_edges_and_no_drift() {
        let hour = Time(3600 * FEMTOSECONDS_PER_SECOND);
        for (frequency, edges) in
            [(hertz(166_000_000), 597_600_000_000), (hertz(10_312_500_000), 37_125_000_000_000)]
        {
            assert_eq!(frequency.edge_time(edges), Some(hour));
            assert_eq!(frequency.first_edge_from(hour), edges);
            assert!(frequency.edge_time(edges - 1).unwrap() < hour);
        }
    }

    #[test]
    fn stepping_and_computing_agree() {
        for frequency in
            [hertz(166_000_000), hertz(10_312_500_000), Frequency::from_fraction(1_000_000_007, 3).unwrap()]
        {
            let mut clock = Clock::new(frequency);
            for edge in 0..100_000 {
                assert_eq!((clock.next_edge(), Some(clock.next_time())), (edge, frequency.edge_time(edge)));
                clock.advance();
            }
            let mut jumped = Clock::new(frequency);
            jumped.jump_to_edge(123_456_789);
            for edge in 123_456_789..123_466_789 {
                assert_eq!((jumped.next_edge(), Some(jumped.next_time())), (edge, frequency.edge_time(edge)));
                jumped.advance();
            }
        }
    }

    #[test]
    fn stepping_over_many_edges_is_the_same_as_stepping_over_each() {
        for frequency in
            [hertz(500_000_000), hertz(10_312_500_000), Frequency::from_fraction(1_000_000_007, 3).unwrap()]
        {
            let mut clock = Clock::new(frequency);
            for count in [0, 1, 7, 100, 12_345_678, 3_600_000_000_000] {
                clock.advance_by(count);
                let edge = clock.next_edge();
                assert_eq!(Some(clock.next_time()), frequency.edge_time(edge));
                let mut exact = clock.clone();
                exact.jump_to_edge(edge);
                assert_eq!(clock.remainder, exact.remainder);
            }
            assert_eq!(clock.time_after(1000), frequency.edge_time(clock.next_edge() + 1000).unwrap());
            assert_eq!(clock.time_after(u64::MAX - clock.next_edge()), Time::MAX);
            for gap in [0, 1, 2_000_000, 123_456_789_012_345, 5 * FEMTOSECONDS_PER_SECOND] {
                let time = Time(clock.next_time().0 + gap);
                let mut there = clock.clone();
                there.advance_to(time);
                assert_eq!(there.next_edge(), frequency.first_edge_from(time));
                there.advance_to(clock.next_time());
                assert_eq!(there.next_edge(), frequency.first_edge_from(time));
            }
        }
    }

    #[test]
    fn first_edge_from_is_the_inverse_of_edge_time() {
        let frequency = Frequency::from_fraction(500_000_000, 3).unwrap();
        for edge in (0..10_000).chain(1_000_000_000..1_000_001_000) {
            let time = frequency.edge_time(edge).unwrap();
            assert_eq!(frequency.first_edge_from(time), edge);
            assert_eq!(frequency.first_edge_from(Time(time.0 + 1)), edge + 1);
        }
    }

    #[test]
    fn impossible_frequencies_are_refused() {
        assert_eq!(Frequency::from_hertz(0), Err(FrequencyError::Zero));
        assert_eq!(Frequency::from_fraction(1, 0), Err(FrequencyError::Zero));
        assert_eq!(Frequency::from_hertz(FEMTOSECONDS_PER_SECOND + 1), Err(FrequencyError::TooHigh));
        assert_eq!(Frequency::from_fraction(1, 18_001), Err(FrequencyError::TooLow));
    }
}
