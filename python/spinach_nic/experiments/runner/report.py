"""The report of experiments: one self-contained HTML file with tables, plots and claims."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from spinach_nic._native import version
from spinach_nic.experiments.runner import Reproduction
from spinach_nic.experiments.runner.plots import drawn
from spinach_nic.experiments.runner.tables import Cells, comparison
from spinach_nic.report.pages import environment

__all__ = ["is_to_be_kept", "report"]

_INTERRUPTED = re.compile(rb'<meta name="spinach-report" content="interrupted">')
_HEAD_BYTES = 2048


@dataclass(frozen=True)
class _Section:
    reproduction: Reproduction
    cells: Cells
    plot: Markup | None

    @property
    def holding(self) -> int:
        """Return the number of its published claims that hold."""
        return sum(claim.holds for claim in self.reproduction.published_claims)


def report(reproductions: Sequence[Reproduction], *, asked: int) -> str:
    """Return the report as text.

    Args:
        reproductions: Reproductions to show, in order.
        asked: Number of requested experiments: the report says if some are missing.
    """
    sections = [
        _Section(it, comparison(it), None if it.failure is not None else drawn(it)) for it in reproductions
    ]
    template = environment().get_template("report.html.j2")
    return template.render(
        sections=sections,
        asked=asked,
        claims=sum(len(it.published_claims) for it in reproductions),
        holding=sum(section.holding for section in sections),
        failing=sum(
            claim.verdict == "does not hold" for it in reproductions for claim in it.published_claims
        ),
        expectations=sum(len(it.expectations) for it in reproductions),
        met=sum(claim.holds for it in reproductions for claim in it.expectations),
        failed=[it for it in reproductions if it.failure is not None],
        extents=sorted({it.extent.name for it in reproductions}),
        version=version(),
    )


def is_to_be_kept(path: Path) -> bool:
    """Return true if a file exists that the report of an interrupted command must not replace."""
    try:
        with path.open("rb") as file:
            return _INTERRUPTED.search(file.read(_HEAD_BYTES)) is None
    except OSError:
        return False
