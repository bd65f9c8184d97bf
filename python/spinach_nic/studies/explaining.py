"""Bottleneck analysis: effect of a small change of each parameter on the results."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from spinach_nic import _native
from spinach_nic.benches import make_bench
from spinach_nic.model import Part
from spinach_nic.model.parameters import Parameter
from spinach_nic.runs.result import RATES, Figure, Result
from spinach_nic.studies.describing import find_part
from spinach_nic.studies.sweeping import SweepPoint, SweepProgress
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.measured import Measured, aligned_with_error, with_error
from spinach_nic.support.parallel import Carried, carry_out_all
from spinach_nic.support.representations import html_table
from spinach_nic.support.units import Quantity
from spinach_nic.traffic import DIRECTIONS

STEP = Fraction(1, 10)
"""Fraction by which a parameter is changed; an integer by 1 at least."""
DEFAULT_FIGURES = ("wire_gbps", "latency_ns")
_OF_THE_LINK = ("wire_gbps", "frames_per_s", "udp_payload_gbps", "line_rate_fraction")
"""Figures that the link can limit, or their last part."""
_WORTH_NAMING = 0.1
"""Minimum effect of a cost named with the strongest one, as a fraction of that."""
_LARGEST_PLAIN = 1e15
"""Figure from which on an exponent is shorter to read."""

Number = int | Quantity
Figures = Mapping[str, Measured | None]
"""Figures by name; `None` where the run gives none, such as a rate without a steady window."""


@dataclass(frozen=True)
class Variation:
    """A run with another value of a parameter."""

    value: str
    factor: float
    """The value as a multiple of the original one."""
    figures: Figures
    without_error: frozenset[str] = frozenset()
    """Figures whose error is not known."""
    slopes: Figures = field(default_factory=dict)
    """Slopes by figure, as those of `Sensitivity`."""


@dataclass(frozen=True)
class Sensitivity:
    """Effect of one parameter."""

    parameter: str
    """Path, as `--set` takes it."""
    value: str
    less: Variation | None
    more: Variation | None
    """`None` where no smaller or larger value works."""
    slopes: Figures
    """Slopes by figure: growth in percent when the parameter grows by one percent, in the direction in
    which the figure changes more; `None` if no run gave the figure. Errors hold for all slopes of a figure
    at once, and are infinite if they are not known."""
    failure: str | None = None
    """Reason why no other value works; `None` if one does."""

    def side(self, name: str, figure: str) -> Measured | None:
        """Return the slope of the variation `less` or `more`; `None` if there is none."""
        variation = self.less if name == "less" else self.more
        return None if variation is None else variation.slopes.get(figure)

    def limit(self, figure: str) -> tuple[str, Measured] | None:
        """Return the variation that raises the figure, with its slope; `None` if none does measurably.

        If the value cannot change so, the opposite variation counts if it lowers the figure.
        """
        return self._gain("more", figure) or self._gain("less", figure)

    def cost(self, figure: str) -> tuple[str, Measured] | None:
        """Return the variation that shows that less raises the figure, with its slope; `None` if none does.

        If the value cannot be less, the variation `more` counts if it lowers the figure.
        """
        return self._gain("less", figure)

    def _gain(self, side: str, figure: str) -> tuple[str, Measured] | None:
        opposite, sign = ("less", 1) if side == "more" else ("more", -1)
        slope, other = self.side(side, figure), self.side(opposite, figure)
        shown, counted = (opposite, other) if slope is None else (side, slope)
        return (shown, counted) if counted is not None and sign * counted.value > counted.error else None

    def is_measurable(self, figure: str) -> bool:
        """Return true if the parameter changes the figure by more than the error."""
        slope = self.slopes.get(figure)
        return slope is not None and abs(slope.value) > slope.error


@dataclass(frozen=True)
class Explanation:
    """Dependence of a configuration on its parameters."""

    figures: Figures
    """Figures of the configuration itself."""
    sensitivities: Sequence[Sensitivity]
    """Measurable effects on the first figure come first, the strongest at the top."""
    link_share: float | None
    """Largest fraction of the link's rate that a direction carries."""
    reason: str = ""
    """Reason why the configuration has no rates; empty if it has."""
    without_error: frozenset[str] = frozenset()
    """Figures whose error is not known."""

    def _repr_html_(self) -> str:
        """Show the slopes in a notebook."""
        rows = [
            (one.parameter, one.value, *(self.slope_text(one, name) for name in self.figures))
            for one in self.sensitivities
            if one.failure is None
        ]
        headings = ("parameter", "value", *(f"1 % more: {name}" for name in self.figures))
        return html_table(headings, rows, title=self.summary)

    @property
    def summary(self) -> str:
        """Conclusion, in a sentence."""
        figure, measurement = next(iter(self.figures.items()))
        if measurement is None:
            return f"no conclusion: {figure} was not measured" + (f": {self.reason}" if self.reason else "")
        if not measurement.value:
            return f"no conclusion: {figure} is 0, which has no percentage"
        if not self.sensitivities:
            return "no conclusion: no parameter was varied"
        measured = [one for one in self.sensitivities if one.slopes[figure] is not None]
        if not measured:
            failed = all(one.failure is not None for one in self.sensitivities)
            why = "every varied run failed" if failed else f"no varied run gives {figure}"
            return f"no conclusion: {why}"
        return self._conclusion(figure, measured) + self._left_out(figure)

    def _conclusion(self, figure: str, measured: Sequence[Sensitivity]) -> str:
        strongest = measured[0]
        slope = strongest.slopes[figure]
        assert slope is not None
        if slope.value and math.isinf(slope.error):
            largest = f"the largest change is that of {strongest.parameter}; {self._effect(slope, figure)}"
            return f"no conclusion: the error of {figure} is not known; {largest}"
        limits = [(one.parameter, *limit) for one in measured if (limit := one.limit(figure)) is not None]
        if limits:
            parameter, side, slope = max(limits, key=lambda it: abs(it[2].value))
            said = f"bottleneck: {parameter}; {self._effect(slope, figure, side)}"
            # More of everything helps; what it is spent on is the reason.
            cost = self._strongest_cost(figure, measured, slope.value * _WORTH_NAMING)
            return said if cost is None else f"{said}; largest cost: {cost}"
        is_full = self.link_share is not None and self.link_share > 0.99 and figure.endswith(_OF_THE_LINK)
        if strongest.is_measurable(figure):
            side = next(name for name in ("less", "more") if strongest.side(name, figure) == slope)
            lowers = f"{strongest.parameter} lowers it most, {self._effect(slope, figure, side)}"
            cause = "bottleneck: the link" if is_full else "balanced, or limited by the offered traffic"
            return f"{cause}; no varied parameter raises {figure} measurably; {lowers}"
        nothing = f"no varied parameter changes {figure} measurably"
        return f"bottleneck: the link; {nothing}" if is_full else f"no measurable difference: {nothing}"

    def _effect(self, slope: Measured, figure: str, side: str = "more") -> str:
        change = "more" if (slope.value > 0) == (side == "more") else "less"
        size = abs(slope.value)
        shown = f"{size:.2g}" if math.isinf(slope.error) else with_error(size, slope.error)
        return f"1 % {side} gives {shown} % {change} {figure}"

    def _strongest_cost(self, figure: str, measured: Sequence[Sensitivity], least: float) -> str | None:
        """Return the parameter whose reduction helps most, with its effect, if that is at least `least`.

        None is named if `least` is negative: the strongest effect is that of a cost itself.
        """
        costs = [(one.parameter, *cost) for one in measured if (cost := one.cost(figure)) is not None]
        if not costs:
            return None
        parameter, side, slope = max(costs, key=lambda it: abs(it[2].value))
        is_named = 0 < least <= abs(slope.value)
        return f"{parameter}; {self._effect(slope, figure, side)}" if is_named else None

    def _left_out(self, figure: str) -> str:
        lost = sum(one.slopes[figure] is None for one in self.sensitivities)
        return f" ({lost} of {len(self.sensitivities)} parameters could not be varied)" if lost else ""

    def slope_text(self, one: Sensitivity, figure: str) -> str:
        """Show a slope in percent, with its error or a mark without one; a dash if it was not measured."""
        slope = one.slopes[figure]
        if slope is None:
            return "-"
        if not slope.value and not slope.error:
            return "0"
        if math.isinf(slope.error):
            return f"{slope.value:+.3f} ± ? %"
        return f"{aligned_with_error(slope.value, slope.error, 3, sign='+')} %"

    def document(self) -> dict[str, Any]:
        """Return JSON data: each figure and slope as a number, its error, if known, in a separate field."""

        def variation(it: Variation | None) -> dict[str, Any] | None:
            return (
                None
                if it is None
                else {
                    "value": it.value,
                    "factor": it.factor,
                    **_numbers("figures", it.figures, it.without_error),
                }
            )

        return {
            "summary": self.summary,
            **_numbers("figures", self.figures, self.without_error),
            "without_error": sorted(self.without_error),
            "link_share": self.link_share,
            "sensitivities": [
                {
                    "parameter": one.parameter,
                    "value": one.value,
                    "less": variation(one.less),
                    "more": variation(one.more),
                    **_numbers("slopes", one.slopes),
                    "failure": one.failure,
                }
                for one in self.sensitivities
            ],
        }


def figure_text(measured: Measured | None) -> str:
    """Show five digits of a figure, large ones without exponent; a dash if it was not measured."""
    if measured is None:
        return "-"
    shown = f"{measured.value:.5g}"
    is_large = 1e5 <= abs(float(shown)) < _LARGEST_PLAIN
    return f"{float(shown):,.0f}" if is_large else shown


def _numbers(name: str, figures: Figures, without_error: frozenset[str] = frozenset()) -> dict[str, Any]:
    singular = name.removesuffix("s")

    def error(figure: str, found: Measured | None) -> float | None:
        is_known = found is not None and math.isfinite(found.error) and figure not in without_error
        return found.error if found is not None and is_known else None

    return {
        name: {it: None if found is None else found.value for it, found in figures.items()},
        f"{singular}_errors": {it: error(it, found) for it, found in figures.items()},
    }


def explain(
    nic: str | Path | SweepPoint,
    *,
    vary: Sequence[str] = (),
    figures: Sequence[str] = DEFAULT_FIGURES,
    jobs: int = 1,
    progress: Callable[[SweepProgress], None] | None = None,
    **options: Any,
) -> Explanation:
    """Run a configuration, and again with each parameter a little larger and a little smaller.

    A value that does not work is replaced by its double or its half, as for sizes that are powers of two.

    Args:
        nic: A shipped name, a Python file, or a point of a sweep with its options.
        vary: Paths of parameters; all numbers among the parameters of the NIC itself by default.
        figures: Columns of the table of a sweep, or `wire_gbps` and `latency_ns`: both directions together,
            and the mean of their medians.
        jobs: Number of processes that run at once.
        progress: Called at the start and after each run.
        options: Options of `run` that a sweep has, such as `traffic`, `frames` and `set`.

    Raises:
        SpinachError: The configuration itself fails, a path leads to no number, or a figure is unknown.
    """
    point = nic if isinstance(nic, SweepPoint) else SweepPoint.of(nic, options)
    values = dict(_varied(point, vary))
    runs = _Runs(point, jobs, progress, most=4 * len(values))
    base = runs.base()
    here = _chosen(base, point.figures(base), figures)
    little = {(path, more): _changed(value, more) for path, value in values.items() for more in (False, True)}
    runs.run(little)
    much = {
        (path, more): _doubled(values[path], more)
        for (path, more), value in little.items()
        if value is None or runs.failure(path, value) is not None
    }
    runs.run(much)

    def tried(path: str, value: Number) -> Sensitivity:
        found: dict[bool, Variation] = {}
        failure = "no other value is possible"
        for more in (False, True):
            for candidate in (little[path, more], much.get((path, more))):
                if candidate is None:
                    continue
                why = runs.failure(path, candidate)
                if why is not None:
                    failure = why
                else:
                    factor = float(_size(candidate) / _size(value))
                    chosen = runs.chosen(path, candidate, figures)
                    found[more] = Variation(_text(candidate), factor, chosen.figures, chosen.without_error)
        return Sensitivity(
            path, _text(value), found.get(False), found.get(True), {}, None if found else failure
        )

    every = [tried(path, value) for path, value in values.items()]
    comparisons = sum(1 for one in every for it in (one.less, one.more) if it is not None)
    sloped = [_with_slopes(one, here, comparisons) for one in every]
    first = figures[0]
    sloped.sort(key=lambda one: (not one.is_measurable(first), -abs(_value_of(one.slopes[first]))))
    known = base.figures()
    shares = [share for way in DIRECTIONS if (share := known.get(f"{way}.line_rate_fraction")) is not None]
    return Explanation(
        here.figures, sloped, max(shares, default=None), base.measured_window.reason, here.without_error
    )


class _Runs:
    """Runs of a configuration and its variations."""

    def __init__(
        self, point: SweepPoint, jobs: int, progress: Callable[[SweepProgress], None] | None, most: int
    ) -> None:
        self._point = point
        self._jobs = jobs
        self._progress = progress
        self._most = most
        self._carried: dict[SweepPoint, Carried] = {}

    def base(self) -> Result:
        """Run the configuration itself.

        Raises:
            SpinachError: It fails.
        """
        return self._point.carry_out()

    def run(self, values: Mapping[tuple[str, bool], Number | None]) -> None:
        """Run the configuration with each value that is not `None`."""
        points = dict.fromkeys(
            self._with(path, value) for (path, _), value in values.items() if value is not None
        )
        for point, carried in carry_out_all(list(points), self._jobs):
            self._carried[point] = carried
            if self._progress is not None:
                self._progress(SweepProgress(len(self._carried), self._most, 0))

    def failure(self, path: str, value: Number) -> str | None:
        """Return the reason why a value does not work; `None` if it does."""
        return self._carried[self._with(path, value)].failure

    def chosen(self, path: str, value: Number, figures: Sequence[str]) -> _Chosen:
        """Return figures of the result of a value that works."""
        point = self._with(path, value)
        result = self._carried[point].outcome
        assert isinstance(result, Result)
        return _chosen(result, point.figures(result), figures)

    def _with(self, path: str, value: Number) -> SweepPoint:
        settings = dict(self._point.settings) | {path: _text(value)}
        return SweepPoint(self._point.nic, self._point.options, tuple(settings.items()))


def _varied(point: SweepPoint, paths: Sequence[str]) -> Iterator[tuple[str, Number]]:
    """Yield the parameters to vary, with their values."""
    system = make_bench(point.nic)
    for path, text in point.settings:
        system.set(path, text)
    if not paths:
        for name, declared in system.declarations.items():
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
    if not name or not _is_number(part.declarations[name], part.parameters[name]):
        raise SpinachError(f"{path} is not a number", "`spinach describe` shows which parameters are")
    value: Number = part.parameters[name]
    return value


def _is_number(declared: Parameter, value: object) -> bool:
    return isinstance(value, int | Quantity) and not isinstance(value, bool) and not declared.choices


def _size(value: Number) -> Fraction:
    return Fraction(value) if isinstance(value, int) else value.base


def _changed(value: Number, more: bool) -> Number | None:
    """Return a value larger or smaller by a tenth; `None` if that is impossible."""
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


@dataclass(frozen=True)
class _Chosen:
    figures: Figures
    without_error: frozenset[str]


def _chosen(result: Result, known: Mapping[str, Figure], names: Sequence[str]) -> _Chosen:
    """Return figures of a result.

    Raises:
        SpinachError: A result of this kind has no such figure.
    """
    figures: dict[str, Measured | None] = {}
    without_error = set()
    for name in names:
        if name == "wire_gbps":
            values = [_figure(known, f"{way}.{name}") for way in DIRECTIONS if getattr(result, way).frames]
        elif name == "latency_ns":
            # Means over different directions could not be compared, so each that has traffic must deliver.
            loaded = [getattr(result, way).latency_ns for way in DIRECTIONS if result.frames.offered[way]]
            medians = [latency.p50 for latency in loaded if latency]
            is_whole = medians and len(medians) == len(loaded)
            values = [_Figure(sum(medians) / len(medians))] if is_whole else []
        else:
            if name not in known and name not in RATES:
                raise SpinachError(
                    f"the results have no figure {name!r}",
                    _native.suggest(name, list(dict.fromkeys([*known, *RATES, *DEFAULT_FIGURES]))),
                )
            values = [_figure(known, name)]
        found = [value for value in values if value is not None]
        if len(found) < len(values) or not found:
            figures[name] = None
            continue
        errors = [value.error for value in found if value.error is not None]
        if len(errors) < len(found):
            without_error.add(name)
        figures[name] = Measured(sum(value.value for value in found), math.hypot(*errors))
    return _Chosen(figures, frozenset(without_error))


@dataclass(frozen=True)
class _Figure:
    value: float
    error: float | None = None
    """`None` if it is not known."""


def _figure(known: Mapping[str, float], name: str) -> _Figure | None:
    value = known.get(name)
    return None if value is None else _Figure(float(value), known.get(f"{name}_error"))


def _with_slopes(one: Sensitivity, here: _Chosen, comparisons: int) -> Sensitivity:
    """Fill in the slopes, with errors that hold for all comparisons."""

    def sloped(it: Variation | None) -> Variation | None:
        if it is None:
            return None
        slopes: dict[str, Measured | None] = {}
        for name, original in here.figures.items():
            slope = _slope(original, it.figures[name], it.factor)
            if slope is not None:
                is_known = not slope.value or name not in here.without_error | it.without_error
                slope = slope.among(comparisons) if is_known else Measured(slope.value, math.inf)
            slopes[name] = slope
        return replace(it, slopes=slopes)

    def steeper(name: str) -> Measured | None:
        found = [slope for side in ("less", "more") if (slope := both.side(side, name)) is not None]
        # Beyond its error, the steeper one counts.
        return max(found, key=lambda it: (abs(it.value) > it.error, abs(it.value)), default=None)

    both = replace(one, less=sloped(one.less), more=sloped(one.more))
    return replace(both, slopes={name: steeper(name) for name in here.figures})


def _slope(here: Measured | None, there: Measured | None, factor: float) -> Measured | None:
    """Return the exponent by which a figure follows a parameter that is `factor` times as large."""
    if here is None or there is None or here.value <= 0 or there.value <= 0:
        return None
    if there.value == here.value:
        return Measured(0.0)  # the simulation is deterministic: nothing changed
    width = math.hypot(here.error / here.value, there.error / there.value)
    return Measured(math.log(there.value / here.value), width) * (1 / math.log(factor))


def _value_of(measured: Measured | None) -> float:
    return 0.0 if measured is None else measured.value
