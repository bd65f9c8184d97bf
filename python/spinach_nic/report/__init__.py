"""The report of experiments: one HTML file with tables, plots and claims that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jinja2 import Environment, PackageLoader, select_autoescape
from markupsafe import Markup

from spinach_nic._native import version
from spinach_nic.report.plots import drawn
from spinach_nic.report.tables import Cells, comparison
from spinach_nic.reproduction import Reproduction

__all__ = ["report"]


@dataclass(frozen=True)
class _Section:
    reproduction: Reproduction
    cells: Cells
    plot: Markup | None


def report(reproductions: Sequence[Reproduction], *, asked: int) -> str:
    """The report as text.

    Args:
        reproductions: What to show, in order.
        asked: How many experiments were asked for: the report says if some are missing.
    """
    sections = [
        _Section(it, comparison(it), None if it.failure is not None else drawn(it)) for it in reproductions
    ]
    environment = Environment(
        loader=PackageLoader("spinach_nic.report", "."),
        autoescape=select_autoescape(default=True),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    template = environment.get_template("report.html.j2")
    return template.render(sections=sections, missing=asked - len(sections), version=version())
