"""Table of an experiment as text in cells: measured next to published."""

from __future__ import annotations

from dataclasses import dataclass

from spinach_nic.experiments.runner import ERROR, Column, Reproduction, Row
from spinach_nic.support.measured import aligned_with_error


@dataclass(frozen=True)
class Cells:
    """A table of text."""

    headings: tuple[str, ...]
    keys: int
    """Number of key columns, from the left."""
    rows: tuple[tuple[str, ...], ...]


def comparison(reproduction: Reproduction) -> Cells:
    """Return every measured column, and next to published ones the publication and the ratio."""
    experiment = reproduction.experiment
    published_names = {
        column.name
        for column in experiment.measured
        if any(row.get(column.name) is not None for row in experiment.published)
    }
    headings = [column.heading for column in experiment.key]
    for column in experiment.measured:
        headings.append(column.heading)
        if column.name in published_names:
            headings += ["published", "ratio"]
    rows = [_cells(reproduction, row, published_names) for row in reproduction.rows]
    return Cells(tuple(headings), len(experiment.key), tuple(rows))


def _cells(reproduction: Reproduction, row: Row, published_names: set[str]) -> tuple[str, ...]:
    experiment = reproduction.experiment
    published = experiment.published_for(row)
    cells = [column.show(row.get(column.name)) for column in experiment.key]
    for column in experiment.measured:
        cells.append(_measured(column, row))
        if column.name in published_names:
            cells.append(column.show(published.get(column.name)))
            cells.append(_ratio(column, row, published))
    return tuple(cells)


def _measured(column: Column, row: Row) -> str:
    value, error = row.get(column.name), row.get(column.name + ERROR)
    if isinstance(error, float) and isinstance(value, int | float):
        return aligned_with_error(value, error, column.digits)
    return column.show(value)


def _ratio(column: Column, row: Row, published: Row) -> str:
    ours, theirs = row.get(column.name), published.get(column.name)
    if isinstance(ours, int | float) and isinstance(theirs, int | float) and theirs:
        return f"{ours / theirs:.2f}"
    return "-"
