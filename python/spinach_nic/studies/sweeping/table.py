"""The table of a sweep: a row for each point, every parameter and every figure of the results a column.

Columns, in this order: `point`, the number of the point; the options and the parameters that the file gives,
by their names there; `status`, `complete` or `failed`; `failure`, why; `request`, the command of the run;
then the numbers and truths of the result document by their path in it, as `tx.wire_gbps`; `core_mhz`,
millions of core cycles per second of all cores together; and the counters of dropped frames that are 0, which
the document leaves out. A figure that a result does not have is null.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from spinach_nic.runs.result import NO_FIGURES, Result
from spinach_nic.studies.sweeping.point import SweepPoint
from spinach_nic.support.extras import require_arrow
from spinach_nic.support.files import write_output
from spinach_nic.support.limits import parse_whole
from spinach_nic.support.parallel import Carried

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA = "spinach-sweep/1"

Row = Mapping[str, Any]
_ABOUT_A_POINT = ("point", "status", "failure", "request")


def may_be_figure(column: str) -> bool:
    """Return true if a result can have a column, by the types of the document, before any run."""
    path = column.split(".")
    is_figure = path[0] not in NO_FIGURES and _has_number(msgspec.inspect.type_info(Result), path)
    return column in _ABOUT_A_POINT or is_figure


def _has_number(kind: msgspec.inspect.Type, path: Sequence[str]) -> bool:
    match kind:
        case msgspec.inspect.UnionType(types=kinds):
            return any(_has_number(it, path) for it in kinds)
        case msgspec.inspect.StructType(fields=fields) | msgspec.inspect.DataclassType(fields=fields):
            return any(path[:1] == [it.name] and _has_number(it.type, path[1:]) for it in fields)
        case msgspec.inspect.DictType(value_type=value):  # names of parts may contain dots
            return any(_has_number(value, path[count:]) for count in range(1, len(path) + 1))
        case msgspec.inspect.IntType() | msgspec.inspect.FloatType() | msgspec.inspect.BoolType():
            return not path
        case _:
            return False


def row_of(number: int, point: SweepPoint, carried: Carried) -> Row:
    """Return the row of a point."""
    options = {name: _plain(" ".join(texts)) for name, texts in point.options}
    settings = {name: _plain(text) for name, text in point.settings}
    row = {
        "point": number,
        **options,
        **settings,
        "status": "complete" if carried.failure is None else "failed",
        "failure": carried.failure,
        "request": str(point),
    }
    return row if carried.outcome is None else row | point.figures(carried.outcome)


def _plain(text: str) -> int | float | str:
    """Return the value of a text: numbers among the settings are numbers in the table."""
    if (whole := parse_whole(text)) is not None and text.lstrip("+-").isdecimal():
        return whole
    try:
        number = float(text)
    except ValueError:
        return text
    return number if math.isfinite(number) else text


def columns_of(rows: Sequence[Row]) -> dict[str, list[Any]]:
    """Return the rows as columns. A column of several kinds, or of integers beyond 64 bits, has texts."""
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {name: [row.get(name) for row in rows] for name in names}
    for values in columns.values():
        kinds = {_kind(value) for value in values if value is not None}
        if kinds == {int, float}:
            values[:] = [None if value is None else float(value) for value in values]
        elif len(kinds) > 1 or Decimal in kinds:
            values[:] = [None if value is None else str(value) for value in values]
    return columns


def _kind(value: Any) -> type:
    """Return the kind of a column that can hold a value."""
    is_large = isinstance(value, int) and not -(2**63) <= value < 2**63
    return Decimal if is_large else type(value)


def arrow_table(rows: Sequence[Row]) -> pa.Table:
    """Return the rows as a table of Arrow, with its schema in the metadata."""
    require_arrow("the table")
    import pyarrow as pa

    return pa.table(columns_of(rows)).replace_schema_metadata({"schema": SCHEMA})


def write_table(path: Path, rows: Sequence[Row]) -> None:
    """Write the rows as a Parquet file, whole or not at all.

    Raises:
        SpinachError: It cannot be written.
    """
    require_arrow(f"the table {path}")
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(arrow_table(rows), sink)
    write_output(path, sink.getvalue().to_pybytes())
