"""Plots of experiments, as SVG within a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from spinach_nic.experiments.runner.experiment import Experiment, Row
from spinach_nic.experiments.runner.results import Reproduction
from spinach_nic.report.plots import SIZE_INCHES, picture
from spinach_nic.support.extras import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Point = tuple[float, float]


def drawn(reproduction: Reproduction) -> Markup | None:
    """Return the experiment's plot as an `svg` element; `None` if it draws nothing.

    Published figures are hollow marks over the measured ones.
    """
    experiment = reproduction.experiment

    def draw(figure: Figure) -> None:
        experiment.plot(figure, reproduction.rows)
        if figure.axes:
            _add_published(experiment, figure.axes)

    return picture(draw)


class _Published(dict[str, Any]):
    """A published row in which figures that were not published are drawn as nothing."""

    def __init__(self, row: Row) -> None:
        super().__init__((name, value) for name, value in row.items() if value is not None)

    def __missing__(self, name: str) -> float:
        return float("nan")


def _add_published(experiment: Experiment, axes: list[Axes]) -> None:
    """Let the experiment draw the published rows too, and take over the points of its lines as marks."""
    if not experiment.published:
        return
    require("plots", purpose="the report")
    from matplotlib.figure import Figure

    figure = Figure(figsize=SIZE_INCHES)
    try:
        experiment.plot(figure, [_Published(row) for row in experiment.published])
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return  # what was published is not enough for a drawing
    for measured, published in zip(axes, figure.axes, strict=False):
        lines = _lines(measured)
        label: str | None = "published"
        for name, (_, points) in _lines(published).items():
            color, known = lines.get(name, (None, []))
            marks = [point for point in points if point not in known]
            if color is None or not marks:
                continue
            x, y = zip(*marks, strict=True)
            measured.scatter(x, y, facecolors="none", edgecolors=color, zorder=5, label=label)
            label = None
        if label is None:
            measured.legend()


def _lines(axes: Axes) -> dict[str, tuple[Any, list[Point]]]:
    """Colour and points of each line, by its label, which identifies the line."""
    from math import isfinite

    found: dict[str, tuple[Any, list[Point]]] = {}
    for line in axes.get_lines():
        points = [(float(x), float(y)) for x, y in line.get_xydata().tolist()]  # type: ignore[union-attr]
        name = str(line.get_label())
        found[name] = line.get_color(), [point for point in points if all(map(isfinite, point))]
    return found
