"""Measured values: a mean and its 95 % error, and the one rule by which two of them differ."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct

BATCHES = 10
"""Batches of consecutive values that errors follow from: neighbours resemble each other."""


class Measured(Struct, frozen=True):
    """A measured value with the half width of its 95 % confidence interval."""

    value: float
    error: float = 0.0
    """Half width; 0 for a value that is known exactly."""

    def __str__(self) -> str:
        """Value and error."""
        return "not known" if math.isnan(self.value) else with_error(self.value, self.error)

    @property
    def low(self) -> float:
        """Lower end of the interval."""
        return self.value - self.error

    @property
    def high(self) -> float:
        """Upper end of the interval."""
        return self.value + self.error

    def __add__(self, other: Measured) -> Measured:
        """Sum of two independent measurements."""
        return Measured(self.value + other.value, math.hypot(self.error, other.error))

    def __sub__(self, other: Measured) -> Measured:
        """Difference of two independent measurements."""
        return Measured(self.value - other.value, math.hypot(self.error, other.error))

    def __mul__(self, factor: float) -> Measured:
        """Return this value in another unit."""
        return Measured(self.value * factor, self.error * abs(factor))

    def __truediv__(self, other: Measured | float) -> Measured:
        """Quotient of two independent measurements; the errors are taken to be small.

        The quotient by a divisor of 0, such as the rate of a direction that delivered nothing, is not known.
        """
        if not isinstance(other, Measured):
            return Measured(self.value / other, self.error / abs(other)) if other else UNKNOWN
        if not other.value:
            return UNKNOWN
        quotient = self.value / other.value
        return Measured(quotient, math.hypot(self.error, quotient * other.error) / abs(other.value))

    def among(self, comparisons: int) -> Measured:
        """Return this value with the error that holds for all of several comparisons at once.

        One comparison in twenty differs by more than its 95 % error at random. The error grows so that all
        of `comparisons` stay within theirs in 95 % of the cases (Bonferroni's correction, normal errors).
        """
        return Measured(self.value, self.error * _quantile(max(comparisons, 1)) / _quantile(1))

    def differs_from(self, other: Measured) -> bool:
        """Return whether the values differ by more than the 95 % error of their difference."""
        difference = self - other
        return abs(difference.value) > difference.error


UNKNOWN = Measured(math.nan)
"""A figure that is not known: it is no number, equals no other, and decides no claim."""


def with_error(value: float, error: float) -> str:
    """Return a value and its error as text, both to the second digit of the error."""
    if not 0 < error < math.inf:
        return f"{value:.6g} ± {error:.2g}"
    digits = _decimals(error)
    return f"{round(value, digits):.10g} ± {round(error, digits):.10g}"


def aligned_with_error(
    value: float, error: float, decimals: int, *, most: int = 9, unit: str = "", sign: str = ""
) -> str:
    """Return the same for columns: with separators of thousands, and with zeros at the end.

    Args:
        value: Value.
        error: Its error.
        decimals: Number of decimals if the error is 0 or infinite.
        most: Maximum number of decimals, unless the error needs more for a digit.
        unit: Text after each number.
        sign: Sign option of the value, such as "+".
    """
    if 0 < error < math.inf:
        decimals = min(_decimals(error), max(most, _decimals(error) - 1))
        value, error = round(value, decimals), round(error, decimals)
    decimals = max(decimals, 0)
    return f"{value:{sign},.{decimals}f}{unit} ± {error:,.{decimals}f}{unit}"


def _decimals(error: float) -> int:
    """Return the decimals to the second digit of an error; negative left of the point."""
    # Rounding may carry into another digit: 0.0996 is 0.10.
    return 1 - math.floor(math.log10(float(f"{error:.1e}")))


def ratio_of(numerators: Sequence[float], denominators: Sequence[float]) -> Measured | None:
    """Return the quotient of two sums over independent samples, with its 95 % error.

    The error follows by Student's distribution from what is left of each numerator without the quotient
    times its denominator: the ratio estimator of survey sampling. It is infinite for one sample. Samples
    without counts above and below say nothing of the quotient, and are left out.

    Returns:
        `None` if the denominators add up to 0.
    """
    samples = [pair for pair in zip(numerators, denominators, strict=True) if any(pair)]
    number, sum_below = len(samples), math.fsum(denominators)
    if not sum_below:
        return None
    ratio = math.fsum(numerators) / sum_below
    if number < 2:
        return Measured(ratio, math.inf)
    left = (above - ratio * below for above, below in samples)
    deviation = math.sqrt(math.fsum(value * value for value in left) * number / (number - 1))
    return Measured(ratio, student_quantile(0.975, number - 1) * deviation / abs(sum_below))


def bounded(measured: Measured | None) -> Measured | None:
    """Return a value whose error is finite; `None` for others."""
    return measured if measured and math.isfinite(measured.error) else None


@lru_cache
def student_quantile(probability: float, freedom: int) -> float:
    """Return a quantile of Student's distribution, above its median.

    It is found by bisection over the angle whose tangent is the quantile over the root of `freedom`: the
    distribution is a finite sum of powers of its cosine (Abramowitz and Stegun, 26.7.3 and 26.7.4).
    """
    low, high = 0.0, math.pi / 2
    while low < (middle := (low + high) / 2) < high:
        if _student_within(middle, freedom) < 2 * probability - 1:
            low = middle
        else:
            high = middle
    return math.sqrt(freedom) * math.tan(low)


def _student_within(angle: float, freedom: int) -> float:
    """Probability of a value between minus and plus the root of `freedom` times the tangent of an angle."""
    sine, cosine = math.sin(angle), math.cos(angle)
    is_odd = freedom % 2
    term = cosine if is_odd else 1.0
    terms = []
    for power in range(2 + is_odd, freedom + 1, 2):
        terms.append(term)
        term *= cosine * cosine * (power - 1) / power
    series = sine * math.fsum(terms)
    return 2 / math.pi * (angle + series) if is_odd else series


def _quantile(comparisons: int) -> float:
    """Half width, in standard deviations, of intervals that hold for all comparisons in 95 % of the cases."""
    from statistics import NormalDist

    return NormalDist().inv_cdf(1 - 0.05 / (2 * comparisons))
