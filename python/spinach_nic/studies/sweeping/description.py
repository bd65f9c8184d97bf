"""Description of a sweep or a search: a file in TOML, as typed data."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from spinach_nic.benches import make_bench
from spinach_nic.studies.describing import find_part
from spinach_nic.studies.sweeping.point import SWEPT_OPTIONS, SweepPoint, option_texts, text
from spinach_nic.studies.sweeping.space import MOST_POINTS, Axis, Given, Method, Range, Value, draw
from spinach_nic.studies.sweeping.table import may_be_figure
from spinach_nic.support.arguments import Within
from spinach_nic.support.documents import MALFORMED
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import read_file

Axes = Mapping[str, Given]
POINTS = Within(1, MOST_POINTS)
SEEDS = Within(0, 2**62 - 1)
Positive = Annotated[int, Meta(ge=POINTS.smallest, le=POINTS.largest)]
Seed = Annotated[int, Meta(ge=SEEDS.smallest, le=SEEDS.largest)]


class Plot(Struct, forbid_unknown_fields=True, frozen=True):
    """A plot of the table of a sweep."""

    file: str
    """File of the plot, as SVG or PNG by its ending; next to the table."""
    x: str
    """A column."""
    y: str
    kind: Literal["lines", "multiples", "heat_map", "pareto"] = "lines"
    """Lines; the same in a small plot for each value of `panels`; a colour for each `x` and `y`; or points
    with their Pareto front."""
    by: str = ""
    """Column with a colour per value, for lines and fronts."""
    panels: str = ""
    """Column with a plot per value, for multiples."""
    colour: str = "tx.line_rate_fraction"
    """Column that gives the colour of a heat map."""


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
    """Number of points drawn, for methods that draw."""
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
            SpinachError: It cannot be read, or is invalid.
        """
        content = read_file(path, "name a file in TOML", what="the description")
        try:
            description = msgspec.toml.decode(content, type=cls)
        except MALFORMED as error:
            help = "the page Sweeps of the book has an example"
            raise SpinachError(f"{path} is not a valid sweep: {error}", help) from error
        beside = path.parent / description.nic
        if beside.suffix == ".py" and os.path.exists(beside):
            description = msgspec.structs.replace(description, nic=str(beside))
        description.axes()
        return description

    @classmethod
    def of(
        cls,
        nic: str | Path | Description,
        vary: Mapping[str, Sequence[Any] | Range] | None,
        options: Mapping[str, Any],
        **fields: Any,
    ) -> Description:
        """Describe runs in the style of `run`.

        Args:
            nic: A shipped name, a Python file, a description in TOML, or a description with everything.
            vary: Values or ranges of options and of parameters, by name or path.
            options: Options of all runs.
            fields: Further fields of the description; `None` for the default.

        Raises:
            SpinachError: An option is not one of a sweep, or a description is given together with more.
        """
        vary = vary or {}
        fields = {name: value for name, value in fields.items() if value is not None}
        if isinstance(nic, Description) or Path(nic).suffix == ".toml":
            if vary or options or fields:
                given = ", ".join([*(["vary"] if vary else []), *options, *fields])
                message = f"the description and the arguments both define the runs: {given}"
                raise SpinachError(message, "write them into the description, or pass the name of a NIC")
            return nic if isinstance(nic, Description) else cls.read(Path(nic))
        constant = SweepPoint.of(nic, options)
        given_twice = {*vary} & {*dict(constant.options), *dict(constant.settings)}
        if given_twice:
            name = min(given_twice)
            raise SpinachError(f"{name!r} has several values and a value for all runs", "omit one of them")
        axes = {name: _axis(str(nic), name, values) for name, values in vary.items()}
        return cls(
            str(nic),
            options={
                **{name: [_one(texts)] for name, texts in constant.options},
                **{name: axis for name, axis in axes.items() if name in SWEPT_OPTIONS},
            },
            parameters={
                **dict(constant.settings),
                **{name: axis for name, axis in axes.items() if name not in SWEPT_OPTIONS},
            },
            **fields,
        )

    def axes(self) -> list[Axis]:
        """Return the varying and the constant axes.

        Raises:
            SpinachError: A field is invalid, an option is not one that a sweep has, an axis has no values, or
                a parameter has the name of a column of results.
        """
        try:
            msgspec.convert(msgspec.to_builtins(self, enc_hook=str), Description)
        except MALFORMED as error:
            raise SpinachError(f"the description is invalid: {error}", "correct that field") from error
        for name in self.options:
            if name not in SWEPT_OPTIONS:
                known = ", ".join(SWEPT_OPTIONS)
                message = f"{name!r} is not an option of the runs of a sweep"
                raise SpinachError(message, f"give one of {known}; parameters go under [parameters]")
            if name in self.parameters:
                raise SpinachError(f"{name!r} is both an option and a parameter", "omit one of them")
        for path in self.parameters:
            if may_be_figure(path):
                message = f"the parameter {path} has the name of another column of the table"
                raise SpinachError(message, "rename the parameter in the file of the NIC")
        options = [Axis(name, given) for name, given in self.options.items()]
        return [*options, *(Axis(path, it, self._allows(path, it)) for path, it in self.parameters.items())]

    def _allows(self, path: str, given: Given) -> Callable[[int], bool] | None:
        """Return the test of the integers that a parameter with a range allows; `None` if it allows all."""
        if not isinstance(given, Range):
            return None
        # A path that other settings create, and a wrong one, are known at the runs only.
        with suppress(SpinachError):
            part, name = find_part(make_bench(self.nic), path)
            declared = part.declarations.get(name)
            return declared.allows if declared is not None and declared.has_gaps else None
        return None

    def points(self) -> Iterator[SweepPoint]:
        """Yield the runs of the sweep, in order.

        Raises:
            SpinachError: A value is invalid for its option, or the axes do not suit the method.
        """
        for values in draw(self.method, self.axes(), self.samples, self.seed):
            yield self.point(values)

    def point(self, values: Mapping[str, Any]) -> SweepPoint:
        """Return the run with these values, by the names of the axes.

        Raises:
            SpinachError: A value is invalid for its option.
        """
        settings = tuple((path, text(values[path])) for path in self.parameters)
        options = tuple((name, option_texts(name, values[name])) for name in self.options)
        point = SweepPoint(self.nic, options, settings)
        point.run_options()
        return point


def _axis(nic: str, name: str, values: Sequence[Any] | Range) -> Given:
    """Return the content of an axis, as texts of the command line."""
    if isinstance(values, Range):
        return values
    if isinstance(values, str):
        raise SpinachError(f"the values of {name} are the text {values!r}", f"write vary={{{name!r}: [...]}}")
    if name in SWEPT_OPTIONS:
        points = [SweepPoint.of(nic, {name: value}) for value in values]
        if not all(point.options for point in points):
            raise SpinachError(f"{name} has None as a value", "give a value for each point")
        return [_one(point.options[0][1]) for point in points]
    return [SweepPoint.of(nic, {"set": {name: value}}).settings[0][1] for value in values]


def _one(texts: Sequence[str]) -> Value:
    """Return the texts of one value of an option; only `traffic` has several."""
    return texts[0] if len(texts) == 1 else [*texts]
