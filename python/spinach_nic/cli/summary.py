"""The summary of a result, for users."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from operator import add

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.text import Text

from spinach_nic.cli import streams
from spinach_nic.runs.result import DirectionResult, LiveResult, MemoryResult, Passage, Result
from spinach_nic.runs.simbricks import PREFIX
from spinach_nic.support.limits import printable
from spinach_nic.support.representations import latency_us
from spinach_nic.traffic import DIRECTIONS, Direction

_INDEX = re.compile(r"\[\d+\]")
"""Index of a part among others of the same kind, which share a row."""
_GAP = "  "
_FATES = ("offered", "copied", "added", "delivered", "in_flight", "corrupted", "reordered", "duplicated")
"""Space between two columns."""


def print_summary(result: Result) -> None:
    """Print tables on standard output."""
    console = streams.rich_console(highlight=False)
    for part in summary(result):
        console.print(part)
    if result.live is not None:
        console.print()
        console.print(_passages(result.live))
        console.print(_lag(result.live), markup=False)
    console.print()
    console.print(_speed(result), markup=False)


def summary(result: Result) -> Iterator[RenderableType]:
    """Return the reproducible part: headline, notes and tables, with empty lines between them."""
    yield _headline(result)
    for note in result.notes:
        yield Text(f"note: {note}")
    tables = (_traffic(result), _cores(result), _tasks(result), _memories(result), _counters(result))
    for table in tables:
        if table is not None:
            yield ""
            yield table


def print_headline(result: Result) -> None:
    """Print the subject and the duration of the run."""
    streams.rich_console(highlight=False).print(_headline(result))


def subject(result: Result) -> Text:
    """Return the subject of a run as text: names of files are not markup."""
    firmware = "" if result.firmware is None else f", firmware {result.firmware.name}"
    partial = "" if result.complete else " (incomplete)"
    traffic = f", {', '.join(result.traffic)}" if result.traffic else ""
    return Text.assemble((result.nic, "bold"), f"{firmware}{traffic}{partial}")


def _headline(result: Result) -> Text:
    simulated = f"{result.simulated_ns / 1e6:.3f} ms"
    measured = (
        f"no rates, {simulated} simulated"
        if result.measured_window_ns is None
        else f"steady window: {result.measured_window_ns / 1e6:.3f} ms of {simulated}; rates with 95 % errors"
    )
    return Text.assemble(subject(result), f"\n{measured}")


class Table:
    """Table with names in the first column, and numbers in the others, at the right.

    Where it fits it lays itself out, as rich would: the tables of rich take 8 % of the time of a short run.
    """

    def __init__(self, *headings: str) -> None:
        """Create a table without rows."""
        self._rows = [headings]

    def add_row(self, *cells: str) -> None:
        """Add a row of as many cells as there are headings."""
        self._rows.append(tuple(map(printable, cells)))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Return the lines, or a table of rich that folds cells."""
        widths = [max(map(cell_len, column)) for column in zip(*self._rows, strict=True)]
        if sum(widths) + len(_GAP) * (len(widths) - 1) > options.max_width:
            yield self.folding()
            return
        for place, row in enumerate(self._rows):
            spaces = [" " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)]
            cells = [row[0] + spaces[0], *map(add, spaces[1:], row[1:])]
            yield Text(_GAP.join(cells), "" if place else "table.header", no_wrap=True)

    def folding(self) -> RenderableType:
        """Return a table of rich with the same content."""
        from rich.markup import escape
        from rich.table import Table as FoldingTable

        table = FoldingTable(box=None, pad_edge=False)
        names, *numbers = self._rows[0]
        table.add_column(names, no_wrap=True)
        for heading in numbers:
            table.add_column(heading, justify="right")
        for row in self._rows[1:]:
            table.add_row(*map(escape, row))
        return table


def _traffic(result: Result) -> Table:
    table = Table("", "tx", "rx")
    ways: dict[Direction, DirectionResult] = {"tx": result.tx, "rx": result.rx}
    shown: dict[str, Callable[[DirectionResult], str]] = {
        "latency p50, us": lambda it: latency_us(it.latency_ns.p50) if it.latency_ns else "-",
        "latency p99, us": lambda it: latency_us(it.latency_ns.p99) if it.latency_ns else "-",
    }
    for row in result.rate_rows():
        table.add_row(*row)
    if result.measured_window_ns is not None:
        table.add_row("of the whole run:", "", "")
    for name, show in shown.items():
        table.add_row(name, *(show(ways[way]) for way in DIRECTIONS))
    frames = result.frames
    for name in _FATES:
        numbers = [getattr(frames, name)[way] for way in DIRECTIONS]
        if any(numbers) or name in ("offered", "delivered"):
            table.add_row(f"frames {name.replace('_', ' ')}", *(f"{number:,}" for number in numbers))
    for way in DIRECTIONS:
        for place, reasons in frames.dropped[way].items():
            for reason, number in reasons.items():
                numbers = [f"{number:,}" if way == column else "" for column in DIRECTIONS]
                table.add_row(f"dropped by {place}: {reason.replace('_', ' ')}", *numbers)
    return table


def live_lines(live: LiveResult) -> Iterator[str]:
    """Yield the traffic of each device, and how simulated time followed wall time, for people."""
    for passage in (live.wire, live.host):
        if passage is not None:
            counts = f"{passage.received:,} frames in, {passage.sent:,} out"
            yield f"{passage.device}: {counts}; dropped: {_dropped(passage)}"
    yield _lag(live)


def _passages(live: LiveResult) -> Table:
    table = Table("outside", "frames in", "frames out", "dropped")
    for passage in (live.wire, live.host):
        if passage is not None:
            numbers = (f"{passage.received:,}", f"{passage.sent:,}")
            table.add_row(passage.device, *numbers, _dropped(passage))
    return table


def _dropped(passage: Passage) -> str:
    dropped = [f"{number:,} {reason}" for reason, number in passage.dropped_inward.items()]
    dropped += [f"{number:,} {reason}" for reason, number in passage.dropped_outward.items()]
    if passage.missed:
        dropped.append(f"{passage.missed:,} by this machine, before they were read")
    if passage.missed is None:
        dropped.append("by this machine before they were read: not known")
    return ", ".join(dropped).replace("_", " ") or "none"


def _lag(live: LiveResult) -> str:
    behind, most = live.behind_ns / 1e9, live.most_behind_ns / 1e9
    passages = (live.wire, live.host)
    if not most and any(passage and passage.device.startswith(PREFIX) for passage in passages):
        return "simulated time followed the SimBricks peer"
    if most < 0.001:
        return "simulated time kept up with wall time"
    # Not as a part of the wall time of this run: in a replay the lag is that of the recorded run.
    return f"simulated time was behind wall time: by {behind:.3f} s at the end, {most:.3f} s at most"


def _cores(result: Result) -> Table | None:
    if result.cores_mean is None:
        return None
    causes = list(result.cores_mean.cycles)
    table = Table("cores", "IPC", *(cause.replace("_", " ") for cause in causes))
    named = [(str(number), core) for number, core in enumerate(result.cores)]
    for name, core in [*named, ("mean", result.cores_mean)]:
        shares = [f"{core.cycles.get(cause, 0.0):.1%}" for cause in causes]
        table.add_row(name, f"{core.ipc:.3f}", *shares)
    return table


def _tasks(result: Result) -> Table | None:
    executed = {name: task for name, task in result.tasks.items() if task.instructions}
    if not executed:
        return None
    table = Table("tasks, per frame", "instructions", "cycles", "memory accesses")
    for name, task in executed.items():
        numbers = (task.instructions, task.cycles, task.memory_accesses)
        table.add_row(name.replace("_", " "), *(f"{number:.1f}" for number in numbers))
    return table


def _counters(result: Result) -> Table | None:
    if not result.counters:
        return None
    table = Table("counters", "whole run", "window", "unit")
    for name, counter in result.counters.items():
        table.add_row(name.replace("_", " "), f"{counter.value:,}", f"{counter.measured:,}", counter.unit)
    return table


def _memories(result: Result) -> Table | None:
    if not result.memories:
        return None
    table = Table("memories", "Gb/s", "of peak", "useful Gb/s")
    alike: dict[str, list[MemoryResult]] = {}
    for name, memory in result.memories.items():
        alike.setdefault(_INDEX.sub("[*]", name).replace("_", " "), []).append(memory)
    for name, group in alike.items():
        shares = [it.gbps / it.peak_gbps for it in group if it.peak_gbps]
        useful = [it.useful_gbps for it in group]
        table.add_row(
            name, _range([it.gbps for it in group], ".2f"), _range(shares, ".1%"), _range(useful, ".2f")
        )
    return table


def _range(values: Sequence[float], form: str) -> str:
    """Return the common value, or the smallest and the largest."""
    if not values:
        return "-"
    least, most = format(min(values), form), format(max(values), form)
    return least if least == most else f"{least} to {most}"


def _speed(result: Result) -> str:
    millions = result.core_cycles_per_wall_s / 1e6
    speed = f"{millions:.2f} million {result.core_domain} cycles a second" if millions else ""
    return f"simulated in {result.wall_s:.2f} s: {speed}"
