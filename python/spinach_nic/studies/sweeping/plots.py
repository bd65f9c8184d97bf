"""Plots of the table of a sweep."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import structs

from spinach_nic import _native
from spinach_nic.runs.result import RATES
from spinach_nic.studies.sweeping.description import Description, Plot
from spinach_nic.studies.sweeping.table import Row, may_be_figure
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.extras import require
from spinach_nic.support.files import write_output
from spinach_nic.support.measured import Measured
from spinach_nic.support.pictures import PLOT_STYLE
from spinach_nic.support.representations import amount
from spinach_nic.support.units import parse_quantity

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".svg", ".png")
_SIZE_INCHES = (8, 5)


def draw_plots(plots: Sequence[Plot], rows: Sequence[Row], folder: Path) -> list[Path]:
    """Draw plots of the points that are complete.

    Args:
        plots: Plots to draw.
        rows: Rows of the table.
        folder: Folder for the files.

    Returns:
        The files.

    Raises:
        SpinachError: A column is not there, or a file cannot be written.
    """
    complete = [row for row in rows if row["status"] == "complete"]
    return [_draw(plot, complete, folder / plot.file) for plot in plots] if complete else []


def check_plots(description: Description) -> None:
    """Check before a sweep that its plots can be drawn.

    Raises:
        SpinachError: A file has an unknown suffix, a column cannot be in a result, or a library is missing.
    """
    if description.plots:
        require("plots", purpose="the plot of a sweep")
    asked = [*description.options, *description.parameters]
    for plot in description.plots:
        file = Path(plot.file)
        if file.is_absolute() or ".." in file.parts or "\0" in plot.file:
            message = f"the plot {plot.file} would be outside the folder of the table"
            raise SpinachError(message, "name a file in that folder")
        if plot.file.endswith("/") or file.suffix not in FORMATS:
            raise SpinachError(f"{plot.file} is not a picture file", f"use the ending {' or '.join(FORMATS)}")
        for column in _columns(plot):
            if column not in asked and not may_be_figure(column):
                raise _no_column(plot, column, [*asked, *RATES, "core_mhz"])


def plot_svg(plot: Plot, rows: Sequence[Row]) -> str:
    """Return a plot of the points that are complete, as the text of an SVG file.

    Raises:
        SpinachError: A column is not there, or no point is complete.
    """
    complete = [row for row in rows if row["status"] == "complete"]
    if not complete:
        raise SpinachError("no point is complete, so there is nothing to draw", "see the column failure")
    return _picture(plot, complete, ".svg").decode()


def _draw(plot: Plot, rows: Sequence[Row], path: Path) -> Path:
    write_output(path, _picture(plot, rows, path.suffix))
    return path


def _picture(plot: Plot, rows: Sequence[Row], suffix: str) -> bytes:
    require("plots", purpose="the plot of a sweep")
    import matplotlib as mpl
    from matplotlib.figure import Figure

    known = [name for name, value in rows[0].items() if value is not None]
    for column in _columns(plot):
        if not any(row.get(column) is not None for row in rows):
            raise _no_column(plot, column, known)
    drawn = [row for row in rows if row.get(plot.x) is not None and row.get(plot.y) is not None]
    if not drawn:
        message = f"the plot {plot.file} has no point with both {plot.x} and {plot.y}"
        raise SpinachError(message, "points without rates have empty columns: send more frames")
    without = f"without {plot.x} or {plot.y}"
    for field in ("x", "y", *(("colour",) if plot.kind == "heat_map" else ())):
        plot, drawn = _in_numbers(plot, field, drawn)
    with mpl.rc_context(PLOT_STYLE):
        figure = Figure(figsize=_SIZE_INCHES)
        {"lines": _lines, "multiples": _multiples, "heat_map": _heat_map, "pareto": _pareto}[plot.kind](
            plot, drawn, figure
        )
        if left_out := len(rows) - len(drawn):
            note = f"not drawn: {amount(left_out, 'point')} {without}"
            figure.supxlabel(note, fontsize=8)
        picture = BytesIO()
        metadata = {"Date": None, "Creator": None} if suffix == ".svg" else {"Software": None}
        figure.savefig(picture, format=suffix[1:], metadata=metadata)
    return picture.getvalue()


def _columns(plot: Plot) -> list[str]:
    columns = (plot.x, plot.y, plot.by, plot.panels, plot.colour if plot.kind == "heat_map" else "")
    return [column for column in columns if column]


_NUMBERS = {"lines": ("y",), "multiples": ("y",), "heat_map": ("colour",), "pareto": ("x", "y")}
"""Fields of a plot whose columns need numbers, by its kind."""


def _in_numbers(plot: Plot, field: str, rows: list[Row]) -> tuple[Plot, list[Row]]:
    """Let a field of a plot name a column of numbers in one unit, if its column has quantities.

    Raises:
        SpinachError: The plot needs numbers there, and the column has others.
    """
    column = getattr(plot, field)
    values = {value for row in rows if (value := row.get(column)) is not None}
    try:
        quantities = {value: parse_quantity(value) for value in values}
    except SpinachError:
        quantities = {}
    if len({type(quantity) for quantity in quantities.values()}) == 1:
        smallest = min(quantities.values(), key=lambda it: (not it, it.base))
        unit = str(smallest).split()[1]
        label, one = f"{column} ({unit})", parse_quantity(f"1{unit}")
        numbers = {value: float(quantity / one) for value, quantity in quantities.items()}
        rows = [{**row, label: numbers.get(row.get(column))} for row in rows]
        return structs.replace(plot, **{field: label}), rows
    others = sorted(str(value) for value in values if not isinstance(value, int | float))
    if others and field in _NUMBERS[plot.kind]:
        message = f"the plot {plot.file} needs numbers in {column}, which has {others[0]!r}"
        raise SpinachError(message, "name a column with numbers, or with quantities of one kind")
    return plot, rows


def _no_column(plot: Plot, column: str, known: Sequence[str]) -> SpinachError:
    message = f"the plot {plot.file} uses {column!r}, which is not a column of the table"
    return SpinachError(message, _native.suggest(column, known))


def _lines(plot: Plot, rows: Sequence[Row], figure: Figure) -> None:
    axes = figure.add_subplot()
    _draw_lines(plot, rows, axes)
    axes.set_ylabel(plot.y)


def _draw_lines(plot: Plot, rows: Sequence[Row], axes: Axes) -> None:
    for value, group in _groups(rows, plot.by):
        points = [(x, _mean(same, plot.y)) for x, same in _groups(group, plot.x)]
        axes.errorbar(
            [x for x, _ in points],
            [mean.value for _, mean in points],
            [mean.error for _, mean in points] if any(mean.error for _, mean in points) else None,
            marker="o",
            markersize=3,
            label=None if value is None else f"{plot.by} {value}",
        )
    axes.set_xlabel(plot.x)
    axes.set_ylim(bottom=0)
    if plot.by:
        axes.legend(frameon=False)


def _mean(rows: Sequence[Row], column: str) -> Measured:
    """Return the mean of rows at one place, such as those of several seeds, with the error of the mean."""
    found = [Measured(row[column], row.get(f"{column}_error") or 0.0) for row in rows]
    return sum(found, Measured(0.0)) / len(found)


def _multiples(plot: Plot, rows: Sequence[Row], figure: Figure) -> None:
    groups = _groups(rows, plot.panels)
    across = min(len(groups), 4)
    down = -(-len(groups) // across)
    panels = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False).flat
    for axes, (value, group) in zip(panels, groups, strict=False):
        _draw_lines(plot, group, axes)
        axes.set_title(f"{plot.panels} {value}", fontsize=9)
    for axes in list(panels)[len(groups) :]:
        axes.set_visible(False)
    figure.supylabel(plot.y, fontsize=10)


def _heat_map(plot: Plot, rows: Sequence[Row], figure: Figure) -> None:
    xs, ys = (sorted({row[name] for row in rows}, key=_order) for name in (plot.x, plot.y))
    cells: list[list[float]] = [[float("nan")] * len(xs) for _ in ys]
    measured = [row for row in rows if row.get(plot.colour) is not None]
    for y, line in _groups(measured, plot.y):
        for x, same in _groups(line, plot.x):
            cells[ys.index(y)][xs.index(x)] = _mean(same, plot.colour).value
    axes = figure.add_subplot()
    axes.grid(visible=False)
    image = axes.imshow(cells, origin="lower", aspect="auto")
    axes.set_xticks(range(len(xs)), [f"{x:.6g}" if isinstance(x, float) else str(x) for x in xs])
    axes.set_yticks(range(len(ys)), [f"{y:.6g}" if isinstance(y, float) else str(y) for y in ys])
    axes.set_xlabel(plot.x)
    axes.set_ylabel(plot.y)
    figure.colorbar(image, label=plot.colour)


def _pareto(plot: Plot, rows: Sequence[Row], figure: Figure) -> None:
    axes = figure.add_subplot()
    for value, group in _groups(rows, plot.by):
        points = [(row[plot.x], row[plot.y]) for row in group]
        label = None if value is None else f"{plot.by} {value}"
        x, y = zip(*points, strict=True)
        axes.scatter(x, y, s=16, alpha=0.6, label=label)
    front = pareto_front([(row[plot.x], row[plot.y]) for row in rows])
    x, y = zip(*front, strict=True)
    axes.step(x, y, where="post", color="black", linewidth=1, label="front")
    axes.set_xlabel(plot.x)
    axes.set_ylabel(plot.y)
    axes.legend(frameon=False)


def pareto_front(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the Pareto front: less of the first and more of the second is better."""
    front: list[tuple[float, float]] = []
    for point in sorted(set(points), key=lambda one: (one[0], -one[1])):
        if not front or point[1] > front[-1][1]:
            front.append(point)
    return front


def _groups(rows: Sequence[Row], column: str) -> list[tuple[Any, list[Row]]]:
    groups: dict[Any, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.get(column) if column else None, []).append(row)
    return sorted(groups.items(), key=lambda group: _order(group[0]))


def _order(value: Any) -> tuple[bool, float, str]:
    """Order numbers and quantities by size, then texts with a leading number by that, then others."""
    if isinstance(value, int | float):
        return False, value, ""
    text = str(value)
    with suppress(SpinachError):
        return False, float(parse_quantity(text).base), text
    number = text.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ/% ")
    try:
        return False, float(number), text
    except ValueError:
        return True, 0.0, text
