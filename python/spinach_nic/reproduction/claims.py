"""What a publication says in words, and whether it holds for what was measured."""

from __future__ import annotations

from dataclasses import dataclass


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


def at_least(text: str, figure: float, bound: float) -> Claim:
    """Holds if the figure is `bound` or more."""
    return Claim(text, figure, f"at least {bound:g}", figure >= bound)


def at_most(text: str, figure: float, bound: float) -> Claim:
    """Holds if the figure is `bound` or less."""
    return Claim(text, figure, f"at most {bound:g}", figure <= bound)


def near(text: str, figure: float, published: float, *, within: float = 0.1) -> Claim:
    """Holds if the figure differs from the published one by at most a share of that, a tenth by default."""
    holds = abs(figure - published) <= within * abs(published)
    return Claim(text, figure, f"{published:g} within {within:.0%}", holds)
