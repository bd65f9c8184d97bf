"""What a publication says in words, and whether it holds for what was measured."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real

from spinach_nic.errors import SpinachError
from spinach_nic.limits import shortened


@dataclass(frozen=True)
class Claim:
    """A sentence, the measured figure that decides it, and the decision. Made by the functions below."""

    text: str
    """What is claimed, as a sentence with the figure that was published."""
    figure: float
    """What was measured."""
    criterion: str
    """What the figure must be for the claim to hold."""
    holds: bool


def shown(figure: float) -> str:
    """A figure for a person: four digits that count, no exponent unless it is very large or small.

    Raises:
        SpinachError: It is no number.
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


def at_least(text: str, figure: float, bound: float) -> Claim:
    """Holds if the figure is `bound` or more."""
    return Claim(text, figure, f"at least {shown(bound)}", figure >= bound)


def at_most(text: str, figure: float, bound: float) -> Claim:
    """Holds if the figure is `bound` or less."""
    return Claim(text, figure, f"at most {shown(bound)}", figure <= bound)


def near(text: str, figure: float, published: float, *, within: float = 0.1) -> Claim:
    """Holds if the figure differs from the published one by at most a share of that, a tenth by default."""
    holds = abs(figure - published) <= within * abs(published)
    return Claim(text, figure, _range(published, within), holds)


def _range(published: float, within: float) -> str:
    margin = within * abs(published)
    bounds = f"{shown(published - margin)} to {shown(published + margin)}"
    return f"{bounds} ({shown(published)} within {within:.0%})"
