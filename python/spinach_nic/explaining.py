"""What binds a configuration: what a little more and a little less of each parameter does to it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from spinach_nic import _native
from spinach_nic.composition import Part
from spinach_nic.composition.parameters import Parameter
from spinach_nic.describing import find_part
from spinach_nic.errors import SpinachError
from spinach_nic.nics import make_nic
from spinach_nic.parallel import Carried, carry_out_all
from spinach_nic.representations import html_table
from spinach_nic.result import Result
from spinach_nic.sweeping import SweepPoint, SweepProgress
from spinach_nic.units import Quantity

STEP = Fraction(1, 10)
"""By which share a parameter is changed; a whole number by 1 at least."""
DEFAULT_FIGURES = ("wire_gbps", "latency_ns")
_SMALLEST = 1e-3
"""A sensitivity below it counts as none: simulations are exact, but the measured window ends with a frame."""

Number = int | Quantity


@dataclass(frozen=True)
class Variation:
    """A parameter with another value, and what came of it."""

    value: str
    factor: float
    """The value as a multiple of the one before."""
    figures: Mapping[str, float]
    """What the run gave."""


@dataclass(frozen=True)
class Sensitivity:
    """How the system depends on one parameter."""

    parameter: str
    """The path, as `--set` takes it."""
    value: str
    """What it is."""
    less: Variation | None
    more: Variation | None
    """`None` where no smaller or larger value works."""
    slopes: Mapping[str, float]
    """By figure: by how many percent it grows when the parameter grows by one percent. Of the two
    directions, the one that changes it more."""
    failure: str | None = None
    """Why it could not be varied, if neither direction worked."""


@dataclass(frozen=True)
class Explanation:
    """What a configuration depends on."""

    figures: Mapping[str, float]
    """What the configuration gives."""
    sensitivities: Sequence[Sensitivity]
    """The strongest for the first figure first."""
    link_share: float
    """The largest share of the link's rate in a direction."""

    def _repr_html_(self) -> str:
        """What a percent more of each parameter gives, for notebooks."""
        rows = [
            (one.parameter, one.value, *(f"{one.slopes.get(name, 0.0):+.3f} %" for name in self.figures))
            for one in self.sensitivities
            if one.failure is None
        ]
        headings = ("parameter", "value", *(f"1 % more: {name}" for name in self.figures))
        return html_table(headings, rows, title=self.summary)

    @property
    def summary(self) -> str:
        """What binds, in a sentence."""
        figure = next(iter(self.figures))
        slopes = ((one, one.slopes.get(figure, 0.0)) for one in self.sensitivities)
        strong = [(one, slope) for one, slope in slopes if abs(slope) >= _SMALLEST]
        if strong:
            one, slope = strong[0]
            change = "more" if slope > 0 else "less"
            return f"{one.parameter} binds: 1 % more of it gives {abs(slope):.2g} % {change} {figure}"
        if self.link_share > 0.99:
            return f"the link binds: no parameter that was varied changes {figure}"
        return f"no parameter that was varied changes {figure}"


def explain(
    point: SweepPoint,
    *,
    vary: Sequence[str] = (),
    figures: Sequence[str] = DEFAULT_FIGURES,
    jobs: int = 1,
    progress: Callable[[SweepProgress], None] | None = None,
) -> Explanation:
    """Run a configuration, and again with each parameter a little larger and a little smaller.

    A value that cannot be is replaced by the double or the half, as for sizes that are powers of two.

    Args:
        point: The configuration.
        vary: Paths of parameters; all numbers among the parameters of the NIC itself by default.
        figures: Columns of the table of a sweep, or `wire_gbps` and `latency_ns`: both directions together,
            and the mean of their medians.
        jobs: How many processes run at once.
        progress: Called at the start and after each run.

    Raises:
        SpinachError: The configuration itself fails, a path leads to no number, or there is no such figure.
    """
    values = dict(_varied(point, vary))
    runs = _Runs(point, jobs, progress, most=4 * len(values))
    base = runs.base()
    here = _chosen(base, figures)
    little = {(path, more): _changed(value, more) for path, value in values.items() for more in (False, True)}
    runs.run(little)
    much = {
        (path, more): _doubled(values[path], more)
        for (path, more), value in little.items()
        if value is None or runs.failure(path, value) is not None
    }
    runs.run(much)

    def sensitivity(path: str, value: Number) -> Sensitivity:
        tried: dict[bool, Variation] = {}
        failure = None
        for more in (False, True):
            for candidate in (little[path, more], much.get((path, more))):
                if candidate is None:
                    continue
                failure = runs.failure(path, candidate)
                if failure is None:
                    factor = float(_size(candidate) / _size(value))
                    found = _chosen(runs.result(path, candidate), figures)
                    tried[more] = Variation(_text(candidate), factor, found)
        slopes = {name: _steepest(name, here, tried.values()) for name in figures}
        why = None if tried else failure
        return Sensitivity(path, _text(value), tried.get(False), tried.get(True), slopes, why)

    found = [sensitivity(path, value) for path, value in values.items()]
    found.sort(key=lambda one: -abs(one.slopes[figures[0]]))
    share = max(base.tx.line_rate_fraction, base.rx.line_rate_fraction)
    return Explanation(here, found, share)


class _Runs:
    """Variations of a configuration that have been run."""

    def __init__(
        self, point: SweepPoint, jobs: int, progress: Callable[[SweepProgress], None] | None, most: int
    ) -> None:
        self._point = point
        self._jobs = jobs
        self._progress = progress
        self._most = most
        self._carried: dict[SweepPoint, Carried] = {}

    def base(self) -> Result:
        """What the configuration itself gives.

        Raises:
            SpinachError: It fails.
        """
        return self._point.carry_out()

    def run(self, values: Mapping[tuple[str, bool], Number | None]) -> None:
        """Run the configuration with each of the values that there are."""
        points = dict.fromkeys(
            self._with(path, value) for (path, _), value in values.items() if value is not None
        )
        for point, carried in carry_out_all(list(points), self._jobs):
            self._carried[point] = carried
            if self._progress is not None:
                self._progress(SweepProgress(len(self._carried), self._most, 0))

    def failure(self, path: str, value: Number) -> str | None:
        """Why a value does not work."""
        return self._carried[self._with(path, value)].failure

    def result(self, path: str, value: Number) -> Result:
        """What a value that works gives."""
        result = self._carried[self._with(path, value)].outcome
        assert isinstance(result, Result)
        return result

    def _with(self, path: str, value: Number) -> SweepPoint:
        settings = dict(self._point.settings) | {path: _text(value)}
        return SweepPoint(self._point.nic, self._point.options, tuple(settings.items()))


def _varied(point: SweepPoint, paths: Sequence[str]) -> Iterator[tuple[str, Number]]:
    """The parameters to vary, with their values."""
    system = make_nic(point.nic)
    for path, text in point.settings:
        system.set(path, text)
    if not paths:
        for name, declared in system._declared.items():
            value = system.parameters[name]
            if _is_number(declared, value) and _size(value):
                yield name, value
        return
    for path in paths:
        value = _value(system, path)
        if not _size(value):
            raise SpinachError(f"{path} is 0, which has no percentage", "set it to something else first")
        yield path, value


def _value(system: Part, path: str) -> Number:
    part, name = find_part(system, path)
    if not name or not _is_number(part._declared[name], part.parameters[name]):
        raise SpinachError(f"{path} is no number", "`spinach describe` shows which parameters are")
    value: Number = part.parameters[name]
    return value


def _is_number(declared: Parameter, value: object) -> bool:
    return isinstance(value, int | Quantity) and not isinstance(value, bool) and not declared.choices


def _size(value: Number) -> Fraction:
    return Fraction(value) if isinstance(value, int) else value.base


def _changed(value: Number, more: bool) -> Number | None:
    """A tenth more or less; `None` if that is nothing."""
    sign = 1 if more else -1
    if isinstance(value, int):
        changed = value + sign * max(1, round(value * STEP))
        return changed if changed > 0 else None
    return _times(value, 1 + sign * STEP)


def _doubled(value: Number, more: bool) -> Number | None:
    if isinstance(value, int):
        changed = value * 2 if more else value // 2
        return changed if changed > 0 else None
    return _times(value, Fraction(2) if more else Fraction(1, 2))


def _times(value: Quantity, factor: Fraction) -> Quantity:
    base = value.base * factor
    return type(value)(Fraction(round(base)) if value.is_whole else base)


def _text(value: Number) -> str:
    return str(value).replace(" ", "")


def _chosen(result: Result, names: Sequence[str]) -> dict[str, float]:
    known: dict[str, float | None] = {**result.figures()}
    known["wire_gbps"] = result.tx.wire_gbps + result.rx.wire_gbps
    medians = [way.latency_ns.p50 for way in (result.tx, result.rx) if way.latency_ns and way.frames]
    known["latency_ns"] = sum(medians) / len(medians) if medians else None
    chosen = {}
    for name in names:
        if name not in known:
            raise SpinachError(f"the results have no figure {name!r}", _native.suggest(name, [*known]))
        chosen[name] = float(known[name] or 0.0)
    return chosen


def _steepest(name: str, here: Mapping[str, float], variations: Iterable[Variation]) -> float:
    return max((_slope(here[name], one, name) for one in variations), key=abs, default=0.0)


def _slope(here: float, variation: Variation, name: str) -> float:
    there = variation.figures[name]
    if here <= 0 or there <= 0:
        return 0.0
    return math.log(there / here) / math.log(variation.factor)
