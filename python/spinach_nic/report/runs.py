"""The report of a run: one self-contained HTML file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from markupsafe import Markup

from spinach_nic.benches import make_bench
from spinach_nic.report.diagram import draw_nic
from spinach_nic.report.latencies import latency_picture
from spinach_nic.report.pages import Part, page
from spinach_nic.report.plots import picture
from spinach_nic.runs import Sample
from spinach_nic.runs.result import Result
from spinach_nic.studies.describing import describe_all
from spinach_nic.support.representations import latency_us
from spinach_nic.traffic import DIRECTIONS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FULL = 0.985
"""Fraction of its rate from which a link or a memory counts as full: windows end between two frames."""
_DIAGRAM = (
    "A bar in a block says for what share of the measured window it was busy, and then for what share it "
    "waited or made others wait."
)
BUSY = 0.95
"""Fraction of non-idle cycles from which cores count as busy."""


def run_report(result: Result, samples: Sequence[Sample], *, nic: str, diagram: str | None = None) -> str:
    """Return the report as text.

    Args:
        result: Result of the run.
        samples: Delivered frames and bytes over time.
        nic: NIC of the request: a shipped name or a Python file.
        diagram: The block diagram as SVG, as `draw_run` draws it; without activity if it is not given.

    Raises:
        SpinachError: The NIC cannot be made again.
    """
    settings = changed_settings(result, nic)
    parts = [
        Part("What was run", ("", ""), list(_question(result))),
        Part("What differs from the default", ("parameter", "default", "this run"), settings),
        Part("Traffic", ("", *DIRECTIONS), list(_traffic(result)), _over_time(samples)),
        *_cores(result),
        *_latency(result),
        *_memories(result),
        *_counters(result),
        Part("Where frames were dropped", ("place and reason", *DIRECTIONS), list(_drops(result))),
        Part(
            "Diagram", picture=_diagram(nic, result) if diagram is None else _inline(diagram), text=_DIAGRAM
        ),
    ]
    return page(f"{result.nic}: {', '.join(result.traffic)}", [verdict(result), *result.notes], parts)


def verdict(result: Result) -> str:
    """Return the bottleneck of the run, in a sentence, as far as its counts show it."""
    if not result.complete:
        reason = result.failure.message if result.failure else "it was interrupted"
        return f"The run is not complete: {reason}."
    if not result.measured_window.is_steady:
        return f"No rates were measured: {result.measured_window.reason}."
    fractions = {
        name: way.rate("line_rate_fraction")
        for name, way in (("tx", result.tx), ("rx", result.rx))
        if way.measured_frames
    }
    rates = " and ".join(f"{name} at {share:.1%} of line rate" for name, share in fractions.items())
    if min(fractions.values()) >= FULL:
        return f"The bottleneck is the link: {rates}."
    if result.tasks:
        idle = sum(task.share_of_cycles for name, task in result.tasks.items() if name == "idle")
        if 1 - idle >= BUSY and result.cores_mean is not None:
            causes = result.cores_mean.cycles
            lost = max((cause for cause in causes if cause != "execution"), key=causes.__getitem__)
            most = f"Most of their lost cycles go to {lost.replace('_', ' ')} ({causes[lost]:.1%})."
            return f"The bottleneck is the cores: they idle {idle:.1%} of their cycles, with {rates}. {most}"
    for name, memory in result.memories.items():
        if memory.peak_gbps and memory.gbps / memory.peak_gbps >= FULL:
            return f"The bottleneck is the {name.replace('_', ' ')}: it moves all that it can, with {rates}."
    return f"Link, cores and memories have capacity left, with {rates}: traffic or latencies are the limit."


def changed_settings(result: Result, nic: str) -> list[tuple[str, str, str]]:
    """Return the NIC's own parameters that differ from the default, and others that were set.

    Path, default and value of each.
    """
    asked = result.request.get("set", ())
    named = {text.partition("=")[0] for text in ([asked] if isinstance(asked, str) else asked)}
    rows = []
    for found in describe_all(make_bench(nic), ""):
        is_shown = "." not in found.path or found.path in named
        default, value = _shown(found.value), _shown(result.config.get(found.path, found.value))
        if is_shown and default != value:
            rows.append((found.path, default, value))
    return rows


def _shown(value: object) -> str:
    """Return a value in one form, independent of the description of the parameter."""
    return "-" if value is None else str(value).replace(" ", "").strip('"')


def _question(result: Result) -> Iterator[tuple[str, str]]:
    yield "NIC", result.nic
    if result.firmware is not None:
        yield "firmware", f"{result.firmware.name} ({result.firmware.compiler})"
    for name, value in result.request.items():
        if value:
            yield name.replace("_", " "), value if isinstance(value, str) else ", ".join(value)
    length = result.measured_window_ns
    measured = "nothing" if length is None else f"{length / 1e6:.3f} ms"
    yield "measured", f"{measured} of {result.simulated_ns / 1e6:.3f} ms"
    yield "simulated in", f"{result.wall_s:.2f} s"


def _traffic(result: Result) -> Iterator[tuple[str, ...]]:
    ways = (result.tx, result.rx)
    yield "frames delivered", *(f"{way.frames:,}" for way in ways)
    yield from result.rate_rows()


def _counters(result: Result) -> Iterator[Part]:
    if result.counters:
        rows = [
            (name.replace("_", " "), f"{it.value:,}", f"{it.measured:,}", it.unit)
            for name, it in result.counters.items()
        ]
        yield Part("Counters of the card", ("", "whole run", "window", "unit"), rows)


def _drops(result: Result) -> Iterator[tuple[str, ...]]:
    for way in DIRECTIONS:
        for place, reasons in result.frames.dropped[way].items():
            for reason, number in reasons.items():
                cells = (f"{number:,}" if way == column else "" for column in DIRECTIONS)
                yield f"{place}: {reason.replace('_', ' ')}", *cells


def _over_time(samples: Sequence[Sample]) -> Markup | None:
    """Frames delivered each microsecond, between one sample and the next."""
    spans = [(one, next) for one, next in pairwise(samples) if next.time_ns > one.time_ns]

    def draw(figure: Figure) -> None:
        if len(spans) < 3:
            return
        axes = figure.subplots()
        for way in DIRECTIONS:
            times = [second.time_ns / 1e3 for _, second in spans]
            rates = [
                (second.delivered[way] - first.delivered[way]) / (second.time_ns - first.time_ns) * 1e3
                for first, second in spans
            ]
            axes.plot(times, rates, label=way, linewidth=1)
        axes.set(xlabel="simulated time, us", ylabel="frames delivered per us", ylim=(0, None))
        axes.legend()

    return picture(draw, (8, 3))


def _cores(result: Result) -> Iterator[Part]:
    mean = result.cores_mean
    if mean is None:
        return
    causes = list(mean.cycles)
    named = [(str(number), core) for number, core in enumerate(result.cores)] + [("mean", mean)]
    rows = [
        (name, f"{core.ipc:.3f}", *(f"{core.cycles.get(cause, 0.0):.1%}" for cause in causes))
        for name, core in named
    ]
    shares = {name: core.cycles for name, core in named}
    headings = ("core", "IPC", *(cause.replace("_", " ") for cause in causes))
    yield Part("Where the cycles went", headings, rows, _stacked(shares, causes, "core"))
    if result.tasks:
        tasks = [
            (
                name.replace("_", " "),
                f"{task.instructions:.1f}",
                f"{task.cycles:.1f}",
                f"{task.memory_accesses:.1f}",
                f"{task.share_of_cycles:.1%}",
            )
            for name, task in result.tasks.items()
        ]
        headings = ("task, per frame", "instructions", "cycles", "memory accesses", "of all cycles")
        yield Part("Tasks", headings, tasks)


def _stacked(shares: Mapping[str, Mapping[str, float]], causes: Sequence[str], what: str) -> Markup | None:
    def draw(figure: Figure) -> None:
        axes: Axes = figure.subplots()
        below = [0.0] * len(shares)
        for cause in causes:
            heights = [100 * by_cause.get(cause, 0.0) for by_cause in shares.values()]
            axes.bar(list(shares), heights, bottom=below, label=cause.replace("_", " "))
            below = [low + height for low, height in zip(below, heights, strict=True)]
        axes.set(xlabel=what, ylabel="% of cycles", ylim=(0, 100))
        axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))

    return picture(draw, (8, 3))


def _latency(result: Result) -> Iterator[Part]:
    found = {name: way.latency_ns for name, way in (("tx", result.tx), ("rx", result.rx)) if way.latency_ns}
    if not found:
        return
    rows = [(name, *(latency_us(value) for value in (it.p50, it.p99, it.max))) for name, it in found.items()]
    text = "Time from the departure of a frame at its source to its arrival, in the whole run, to 3 %."
    drawn = latency_picture({name: it.distribution for name, it in found.items()})
    yield Part("Latency", ("", "median, us", "99 % below, us", "longest, us"), rows, drawn, text)


def _memories(result: Result) -> Iterator[Part]:
    rows = [
        (
            name.replace("_", " "),
            f"{memory.gbps:.2f}",
            f"{memory.gbps / memory.peak_gbps:.1%}" if memory.peak_gbps else "-",
            f"{memory.useful_gbps:.2f}",
        )
        for name, memory in result.memories.items()
    ]
    if rows:
        yield Part("Memories", ("memory", "Gb/s", "of peak", "useful Gb/s"), rows)


def _diagram(nic: str, result: Result) -> Markup:
    system = make_bench(nic)
    for path, value in result.config.items():
        if "." not in path:
            system.set(path, value)
    return _inline(draw_nic(system))


def _inline(svg: str) -> Markup:
    return Markup(svg[svg.index("<svg") :])
