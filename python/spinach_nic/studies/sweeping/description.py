"""Description of a sweep or a search: a file in TOML, as typed data."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from spinach_nic.studies.sweeping.point import SWEPT_OPTIONS, SweepPoint, option_texts, text
from spinach_nic.studies.sweeping.space import MOST_POINTS, Axis, Given, Method, draw
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import read_file

Axes = Mapping[str, Given]
Positive = Annotated[int, Meta(ge=1, le=MOST_POINTS)]
Seed = Annotated[int, Meta(ge=0, le=2**62 - 1)]


class Plot(Struct, forbid_unknown_fields=True, frozen=True):
    """A plot of the table of a sweep."""

    file: str
    """File of the plot, as SVG or PNG by its ending; next to the table."""
    x: str
    """A column."""
    y: str
    kind: Literal["lines", "multiples", "heat_map", "pareto"] = "lines"
    """Lines; the same in a small plot for each value of `panels`; a colour for each `x` and `y`; or points
    with the front of those that no other beats."""
    by: str = ""
    """For lines and fronts: the column whose values have a colour each."""
    panels: str = ""
    """For multiples: the column whose values have a plot each."""
    colour: str = "tx.line_rate_fraction"
    """For a heat map: the column that gives the colour."""


class Goal(Struct, forbid_unknown_fields=True, frozen=True):
    """Goal of a search."""

    minimise: str = "core_mhz"
    """A column, or arithmetic on columns."""
    where: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Conditions by column, or arithmetic on columns, such as `>= 0.99`."""
    evaluations: Positive = 100
    """Maximum number of configurations tried."""
    seed: Seed = 1


class Description(Struct, forbid_unknown_fields=True, frozen=True):
    """A sweep, or a search."""

    nic: str
    """A shipped name, or a file next to this one that defines a NIC."""
    method: Method = "grid"
    samples: Positive = 100
    """Number of points drawn, where the method draws them."""
    seed: Seed = 1
    """Seed of the draw."""
    options: Axes = msgspec.field(default_factory=dict)
    """Options of the runs by their names in Python: a value for all of them, or a list or a range."""
    parameters: Axes = msgspec.field(default_factory=dict)
    """Parameters by the path that `--set` takes, in the same way."""
    plots: Sequence[Plot] = ()
    search: Goal = msgspec.field(default_factory=Goal)

    @classmethod
    def read(cls, path: Path) -> Description:
        """Read a file.

        Raises:
            SpinachError: It cannot be read, or says what cannot be done.
        """
        content = read_file(path, "name a file in TOML", what="the description")
        try:
            description = msgspec.toml.decode(content, type=cls)
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            help = "the page Sweeps of the book has an example"
            raise SpinachError(f"{path} describes no sweep: {error}", help) from error
        beside = path.parent / description.nic
        if beside.suffix == ".py" and os.path.exists(beside):
            description = msgspec.structs.replace(description, nic=str(beside))
        description.axes()
        return description

    def axes(self) -> list[Axis]:
        """Return the varying and the constant axes.

        Raises:
            SpinachError: An option is not one that a sweep has, or an axis has no values.
        """
        for name in self.options:
            if name not in SWEPT_OPTIONS:
                known = ", ".join(SWEPT_OPTIONS)
                message = f"{name!r} is no option of the runs of a sweep"
                raise SpinachError(message, f"give one of {known}; parameters go under [parameters]")
            if name in self.parameters:
                raise SpinachError(f"{name!r} is both an option and a parameter", "leave one of them out")
        return [Axis(name, given) for name, given in {**self.options, **self.parameters}.items()]

    def points(self) -> Iterator[SweepPoint]:
        """The runs of the sweep, in order.

        Raises:
            SpinachError: A value is not what an option takes, or the axes do not suit the method.
        """
        for values in draw(self.method, self.axes(), self.samples, self.seed):
            yield self.point(values)

    def point(self, values: Mapping[str, Any]) -> SweepPoint:
        """The run with these values, by the names of the axes.

        Raises:
            SpinachError: A value is not what an option takes.
        """
        settings = tuple((path, text(values[path])) for path in self.parameters)
        options = tuple((name, option_texts(name, values[name])) for name in self.options)
        point = SweepPoint(self.nic, options, settings)
        point.run_options()
        return point
