"""Rates of results with their errors, and the extremes of several."""

from __future__ import annotations

import math
from collections.abc import Iterable

from spinach_nic.runs.result import RateName, Result
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.measured import Measured
from spinach_nic.traffic import Direction

ONE = Measured(1.0)


def carried(result: Result, direction: Direction, rate: RateName) -> Measured:
    """Return a rate of a direction.

    Raises:
        SpinachError: It was not measured.
    """
    way = result.tx if direction == "tx" else result.rx
    measured = way.measured(rate)
    if measured is None:
        raise SpinachError(f"{direction}.{rate} was not measured", result.measured_window.reason)
    return measured


def least(figures: Iterable[Measured]) -> Measured:
    """Return the figure with the lowest value; one that is not known if there is any."""
    return min(figures, key=lambda figure: (not math.isnan(figure.value), figure.value))


def most(figures: Iterable[Measured]) -> Measured:
    """Return the figure with the highest value; one that is not known if there is any."""
    return max(figures, key=lambda figure: (math.isnan(figure.value), figure.value))
