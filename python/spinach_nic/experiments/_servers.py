"""Experiments on servers that run Linux."""

from __future__ import annotations

from typing import Protocol

from spinach_nic.experiments.runner import Column, Experiment, Extent, Row
from spinach_nic.runs.measuring import Boots, Outcome, SeededRun
from spinach_nic.servers import linux

STALL = Column("stall", "no rates because")
_BOOTS = 5
"""Boots of a full run."""


class Stallable(Protocol):
    """Outcome of a measurement of TCP."""

    @property
    def stall(self) -> str:
        """Reason why the window gives no rates; empty if it gives them."""


class ServerExperiment(Experiment):
    """An experiment that is skipped without the kernel of the servers."""

    def missing(self) -> str | None:
        """Return the missing kernel, which is built separately."""
        return None if linux.kept() else f"the kernel of the server is not built: `{linux.COMMAND}` makes one"


def boots_of(run: SeededRun[Outcome], extent: Extent) -> Boots[Outcome]:
    """Return a measurement after as many boots as the extent asks for."""
    return Boots(run, tuple(range(_BOOTS if extent.largest_selection is None else 1)))


def quotable(outcome: Stallable, figures: Row) -> Row:
    """Return the figures of a measurement with the reason why they are left out, if there is one."""
    if outcome.stall:
        figures = dict.fromkeys(figures)
    return {**figures, STALL.name: outcome.stall or None}
