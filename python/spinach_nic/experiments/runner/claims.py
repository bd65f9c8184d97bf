"""Statements of a publication, and our expectations, decided by measured figures."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from numbers import Real
from typing import Literal

from spinach_nic.support.errors import SpinachError
from spinach_nic.support.limits import shortened
from spinach_nic.support.measured import Measured, aligned_with_error

Verdict = Literal["holds", "does not hold", "undecided"]


@dataclass(frozen=True)
class Claim:
    """A sentence, the measured figure that decides it, and the decision. Made by the functions below."""

    text: str
    """Sentence with the published figure."""
    figure: float | None
    """Measured figure; `None` if it could not be measured."""
    criterion: str
    """Condition on the figure for the claim to hold."""
    holds: bool
    """True if the figure meets the criterion beyond its error."""
    error: float | None = None
    """Half width of the 95 % confidence interval of the figure; `None` if it is not known."""
    undecided: bool = False
    """True if the interval of the figure lies partly in the criterion, or there is no figure."""
    own: bool = False
    """True if it is our expectation, which no publication states."""

    @property
    def verdict(self) -> Verdict:
        """Decision in words."""
        if self.undecided:
            return "undecided"
        return "holds" if self.holds else "does not hold"

    @property
    def measured(self) -> str:
        """Figure with its error, as text."""
        if self.figure is None:
            return "not measured"
        return shown(self.figure) if self.error is None else aligned_with_error(self.figure, self.error, 4)


def shown(figure: float) -> str:
    """Return a figure as text: four significant digits, an exponent only if it is very large or small.

    Raises:
        SpinachError: It is not a number.
    """
    if not isinstance(figure, Real):
        raise SpinachError(f"{shortened(figure)} is not a figure", "give a number")
    if not math.isfinite(figure):
        return "no number" if math.isnan(figure) else f"{figure}"
    if figure == 0:
        return "0"
    digits = 3 - math.floor(math.log10(abs(figure)))
    if not -9 <= digits <= 9:
        return f"{figure:.4g}"
    rounded = f"{round(figure, digits):,.{max(digits, 0)}f}"
    return rounded.rstrip("0").rstrip(".") if "." in rounded else rounded


def at_least(text: str, figure: float | Measured, bound: float, *, ours: str = "") -> Claim:
    """Make a claim that holds if the figure is `bound` or more.

    Args:
        text: Sentence with the published figure.
        figure: Measured figure.
        bound: Least figure.
        ours: Reason for the bound, if the publication gives none.
    """
    return _decided(text, figure, f"at least {shown(bound)}{_reason(ours)}", bound, math.inf)


def at_most(text: str, figure: float | Measured, bound: float, *, ours: str = "") -> Claim:
    """Make a claim that holds if the figure is `bound` or less; the arguments are those of `at_least`."""
    return _decided(text, figure, f"at most {shown(bound)}{_reason(ours)}", -math.inf, bound)


def near(
    text: str, figure: float | Measured, published: float, *, within: float = 0.1, ours: str = ""
) -> Claim:
    """Make a claim that holds if the figure differs by at most a fraction from the published one.

    Args:
        text: Sentence with the published figure.
        figure: Measured figure.
        published: Published figure.
        within: Fraction of the published figure.
        ours: Reason for figure and fraction, if the publication gives no figure.
    """
    margin = within * abs(published)
    low, high = published - margin, published + margin
    criterion = f"{shown(published)} ± {100 * within:g} %{_reason(ours)}"
    return _decided(text, figure, criterion, low, high)


def expectation(claim: Claim) -> Claim:
    """Return a claim as our expectation, which does not count among claims of the publication."""
    return replace(claim, own=True)


def _reason(ours: str) -> str:
    return f" (our bound: {ours})" if ours else ""


def _decided(text: str, figure: float | Measured, criterion: str, low: float, high: float) -> Claim:
    measured = figure if isinstance(figure, Measured) else Measured(figure)
    if math.isnan(measured.value):
        return Claim(text, None, criterion, holds=False, undecided=True)
    holds = low <= measured.low and measured.high <= high
    overlaps = measured.high >= low and measured.low <= high
    error = measured.error if measured.error else None
    return Claim(text, measured.value, criterion, holds, error, undecided=overlaps and not holds)
