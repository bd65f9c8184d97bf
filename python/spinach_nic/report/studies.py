"""Reports of comparisons and of bottlenecks: one self-contained HTML file each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from markupsafe import Markup

from spinach_nic.report.latencies import latency_picture
from spinach_nic.report.pages import Part, page
from spinach_nic.report.plots import picture
from spinach_nic.runs.result import Result, ResultDocument
from spinach_nic.studies.comparing import Comparison, Difference
from spinach_nic.studies.explaining import Explanation, Variation, figure_text
from spinach_nic.support.measured import with_error
from spinach_nic.support.representations import amount

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = 20
"""Maximum number of bars in a plot."""


def comparison_report(
    found: Comparison, results: tuple[ResultDocument, ResultDocument], names: tuple[str, str]
) -> str:
    """Return the differences between two results, as a page.

    Args:
        found: Differences to show.
        results: The first and the second.
        names: Names of the two results.
    """
    changes = {it.name: 100 * it.change for it in found.measurable if it.change is not None}
    parts = [
        Part("What was asked differently", ("", *names), list(_asked(found.configuration))),
        Part("What changed the most", picture=_bars(_largest(changes), "change, %")),
        *_pictures(results, names),
        Part("All results that differ", ("", *names, "change"), list(_results(found.results))),
        Part("No measurable difference", ("", *names, "change"), list(_results(found.within_error))),
    ]
    kept = [part for part in parts if part.headings or part.picture is not None]
    return page(f"{names[0]} and {names[1]}", [_summary(found, names)], kept)


def _pictures(results: tuple[ResultDocument, ResultDocument], names: tuple[str, str]) -> list[Part]:
    """Return the parts of documents of cores and generated frames besides tables."""
    first, second = results
    if not isinstance(first, Result) or not isinstance(second, Result):
        return []
    runs = first, second
    return [
        Part("Where the cycles went", picture=_cycles(runs, names)),
        Part("Latency", picture=_latencies(runs, names)),
    ]


def explanation_report(found: Explanation, title: str) -> str:
    """Return the bottleneck analysis of a configuration, as a page."""
    first = next(iter(found.figures))
    headings = ("parameter", "value", f"less: {first}", f"more: {first}")
    slopes = tuple(f"1 % more: {name}" for name in found.figures)
    strengths = {
        one.parameter: slope.value
        for one in found.sensitivities
        if one.is_measurable(first) and (slope := one.slopes[first]) is not None
    }
    parts = [
        Part("Figures of the configuration", ("", "value", "95 % error"), list(_figures(found))),
        Part(
            "Effect of a percent more of each parameter",
            (*headings, *slopes),
            list(_sensitivities(found, first)),
            _bars(_largest(strengths), f"% of {first} for 1 % more"),
        ),
    ]
    return page(title, [found.summary[:1].upper() + found.summary[1:] + "."], parts)


def _summary(found: Comparison, names: tuple[str, str]) -> str:
    if not found.differs:
        return f"{names[0]} and {names[1]} are the same."
    counts = (len(found.configuration), len(found.measurable), len(found.without_error))
    settings = amount(counts[0], "setting differs", "settings differ")
    measurable, unknown = (amount(it, "result differs", "results differ") for it in counts[1:])
    return f"{settings}; {measurable} measurably. {unknown}, with errors that are not known."


def _asked(differences: Sequence[Difference]) -> Iterator[tuple[str, str, str]]:
    for it in differences:
        yield it.name, *it.shown


def _results(differences: Sequence[Difference]) -> Iterator[tuple[str, ...]]:
    for it in differences:
        change = "" if it.change is None else f"{100 * it.change:+.2f} %"
        change += "" if it.has_error else ", error not known"
        yield it.name, *_exact_at_pointer(it), change


def _exact_at_pointer(difference: Difference) -> Iterator[str]:
    """Return both values as text, with all digits for the pointer."""
    for value, text in zip((difference.first, difference.second), difference.shown, strict=True):
        yield Markup('<span title="{}">{}</span>').format(value, text) if isinstance(value, float) else text


def _figures(found: Explanation) -> Iterator[tuple[str, str, str]]:
    for name, measured in found.figures.items():
        if measured is None or name in found.without_error:
            yield name, figure_text(measured), "not known"
        else:
            value, _, error = with_error(measured.value, measured.error).partition(" ± ")
            yield name, value, error


def _sensitivities(found: Explanation, first: str) -> Iterator[tuple[str, ...]]:
    for one in found.sensitivities:
        if one.failure is not None:
            yield one.parameter, one.value, "cannot be varied alone", "", *("" for _ in found.figures)
            continue
        slopes = (found.slope_text(one, name) for name in found.figures)
        yield one.parameter, one.value, _tried(one.less, first), _tried(one.more, first), *slopes


def _tried(variation: Variation | None, figure: str) -> str:
    return "-" if variation is None else f"{variation.value}: {figure_text(variation.figures[figure])}"


def _largest(numbers: Mapping[str, float]) -> dict[str, float]:
    order = sorted(numbers, key=lambda name: -abs(numbers[name]))
    return {name: numbers[name] for name in order[:SHOWN]}


def _bars(numbers: Mapping[str, float], what: str) -> Markup | None:
    def draw(figure: Figure) -> None:
        if not numbers:
            return
        axes = figure.subplots()
        names = list(numbers)[::-1]
        colours = ["#2f7d4f" if numbers[name] > 0 else "#c2452d" for name in names]
        axes.barh(names, [numbers[name] for name in names], color=colours)
        axes.axvline(0, color="#444", linewidth=0.8)
        axes.set(xlabel=what)

    return picture(draw, (8, 1 + 0.28 * len(numbers)))


def _cycles(results: tuple[Result, Result], names: tuple[str, str]) -> Markup | None:
    means = [
        (name, result.cores_mean) for name, result in zip(names, results, strict=True) if result.cores_mean
    ]
    causes = list(dict.fromkeys(cause for _, mean in means for cause in mean.cycles))

    def draw(figure: Figure) -> None:
        if not means:
            return
        axes = figure.subplots()
        left = [0.0] * len(means)
        for cause in causes:
            widths = [100 * mean.cycles.get(cause, 0.0) for _, mean in means]
            axes.barh([name for name, _ in means], widths, left=left, label=cause.replace("_", " "))
            left = [start + width for start, width in zip(left, widths, strict=True)]
        axes.invert_yaxis()
        axes.set(xlabel="% of the cycles of the mean core", xlim=(0, 100))
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.35), ncols=3)

    return picture(draw, (8, 2.8))


def _latencies(results: tuple[Result, Result], names: tuple[str, str]) -> Markup | None:
    distributions = {
        f"{way}, {name}": found.distribution
        for way in ("tx", "rx")
        for name, result in zip(names, results, strict=True)
        if (found := (result.tx if way == "tx" else result.rx).latency_ns) is not None
    }
    return latency_picture(distributions)
