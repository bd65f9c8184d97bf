"""`spinach profile`: the cost of each function of the firmware."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from spinach_nic.cli import streams
from spinach_nic.cli.files import INPUT, OUTPUT, json_option, write_text
from spinach_nic.cli.parsing import Whole
from spinach_nic.cli.requests import RunRequest, takes_run_request, tell_failure
from spinach_nic.cli.sections import SectionedCommand
from spinach_nic.support import signals
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import write_output

if TYPE_CHECKING:
    from rich.table import Table

    from spinach_nic.runs.profiling import FirmwareProfile, ProfileComparison
    from spinach_nic.runs.tasks import Cost


def _or_compares(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command the option `--compare`, with which it runs nothing."""

    @wraps(function)
    def command(compared: tuple[Path, Path] | None, **given: Any) -> None:
        if compared is None:
            function(**given)
            return
        context = click.get_current_context()
        for parameter in context.command.params:
            name = parameter.name or ""
            is_given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
            if is_given and name not in ("compared", "json_out", "quiet"):
                message = f"with --compare there is no run, so {parameter.opts[0]} has no effect"
                raise SpinachError(message, f"leave out {parameter.opts[0]}, or --compare")
        _compare(*compared, given["json_out"], quiet=given["quiet"])

    return click.option(
        "--compare",
        "compared",
        nargs=2,
        type=INPUT,
        metavar="A.json B.json",
        help="Print the differences between two profiles that --json wrote, without a run.",
    )(command)


def _compare(first: Path, second: Path, json_out: str | None, *, quiet: bool) -> None:
    from spinach_nic.runs.profiling import compare_profiles

    compared = compare_profiles(first, second)
    if json_out is not None:
        write_text(json_out, json.dumps(asdict(compared), indent=2) + "\n")
    if json_out != "-" and not quiet:
        table = _difference_table(compared)
        streams.wide_console(table).print(table)


@click.command(cls=SectionedCommand)
@_or_compares
@takes_run_request
@click.option(
    "-o",
    "outputs",
    type=OUTPUT,
    multiple=True,
    metavar="FILE.svg|.png|.pdf|.folded|.callgrind",
    help="Write a flame graph, as a picture or as folded stacks for flamegraph.pl and speedscope, or the "
    "profile for KCachegrind.",
)
@json_option("Write the profile, or what --compare found; - is standard output.")
@click.option(
    "--lines",
    type=Whole(0, 10**6),
    default=10,
    show_default=True,
    metavar="N",
    help="Number of source lines to print, the most expensive first.",
)
@click.option("--by-core", is_flag=True, help="Also print the cycles of each function on each core.")
def command(
    request: RunRequest, outputs: tuple[Path, ...], json_out: str | None, lines: int, by_core: bool
) -> None:
    """Simulate NIC and print the cost of firmware functions.

    Costs are those of all cores in the steady window. Column `a frame` is cycles per frame of either
    direction. The cost of a function includes inlined functions; `with calls` includes called functions, too.

    With `--compare before.json after.json` nothing is simulated, and two profiles are shown side by side.

    Example: spinach profile tengig --frames 1000 -o flame.svg
    """
    from spinach_nic.runs.profiling import callgrind, flame_svg, folded, profile_of
    from spinach_nic.support.pictures import check_picture, write_picture

    texts = {".folded": folded, ".callgrind": callgrind}
    written_later: dict[str, Path | str | None] = {f"-o {output}": output for output in outputs}
    for output in outputs:
        if output.suffix not in texts:
            check_picture(output, others=tuple(texts))
    with signals.kept_off():  # but for the work before the end of the run
        finished = request.carry_out(call_stacks=True, written_later={**written_later, "--json": json_out})
        profile = profile_of(finished)
        for output in outputs:
            if output.suffix in texts:
                write_output(output, texts[output.suffix](profile))
            else:
                write_picture(output, flame_svg(profile))
        if json_out is not None:
            write_text(json_out, profile.to_json())
        if not request.quiet and json_out != "-":
            _print(profile, lines, by_core=by_core)
    tell_failure(finished)


def _print(profile: FirmwareProfile, lines: int, *, by_core: bool) -> None:
    from spinach_nic.cli.summary import subject

    result, window = profile.result, profile.window
    tables = [_functions(profile), *([_cores(profile)] if by_core else []), _lines(profile, lines)]
    console = streams.wide_console(*tables)
    console.print(subject(result))
    steady = "steady window" if window.is_steady else "no steady window; all of the run"
    span = f"{(window.ends_ns - window.begins_ns) / 1e6:.3f} ms of {result.simulated_ns / 1e6:.3f} ms"
    number = len(result.cores)
    console.print(f"{steady}: {span}; {'one core' if number == 1 else f'all {number} cores together'}")
    for table in tables:
        if table.row_count:
            console.print()
            console.print(table)


def _functions(profile: FirmwareProfile) -> Table:
    table = _table("function", "task", with_calls=bool(profile.stacks))
    everything = profile.total.cycles
    for function in profile.functions:
        share, *others = _cells(function.cost, profile)
        if profile.stacks:
            calls = "-" if function.inclusive is None else f"{function.inclusive.cycles / everything:.1%}"
            others.insert(0, calls)
        table.add_row(function.function, function.task.replace("_", " "), share, *others)
    share, *others = _cells(profile.total, profile)
    table.add_row("all", "", share, *([""] if profile.stacks else []), *others)
    return table


def _cores(profile: FirmwareProfile) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("function", no_wrap=True)
    for core in range(len(profile.result.cores)):
        table.add_column(f"core {core}", justify="right")
    for function in profile.functions:
        table.add_row(function.function, *(f"{cost.cycles:,}" for cost in function.by_core))
    return table


def _difference_table(compared: ProfileComparison) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in ("function", "task"):
        table.add_column(name, no_wrap=True)
    headings = ("cycles a frame: A", "B", "difference", "instructions: A", "B", "most of it")
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    for it in (compared.total, *compared.functions):
        numbers = (*it.cycles, it.growth, *it.instructions)
        texts = [f"{number:{'+' if place == 2 else ''}.1f}" for place, number in enumerate(numbers)]
        cause = it.most_changed.replace("_", " ") if abs(it.growth) >= 0.05 else ""
        table.add_row(it.function, it.task.replace("_", " "), *texts, cause)
    return table


def _lines(profile: FirmwareProfile, count: int) -> Table:
    table = _table("source line")
    for line in profile.lines[:count]:
        table.add_row(line.line or "(no source line)", *_cells(line.cost, profile))
    return table


def _table(*names: str, with_calls: bool = False) -> Table:
    from rich.table import Table

    from spinach_nic.runs.tasks import CAUSES

    table = Table(box=None, pad_edge=False)
    for name in names:
        table.add_column(name, no_wrap=True)
    causes = (cause.replace("_", " ") for cause in CAUSES)
    shares = ("share", "with calls") if with_calls else ("share",)
    for heading in (*shares, "cycles", "a frame", *causes, "instructions", "memory accesses"):
        table.add_column(heading, justify="right")
    return table


def _cells(cost: Cost, profile: FirmwareProfile) -> list[str]:
    """Return the fraction of all cycles, the cycles by stall reason, and the other counts."""
    everything = profile.total.cycles
    share = f"{cost.cycles / everything:.1%}" if everything else "-"
    causes = [f"{cycles / cost.cycles:.1%}" if cost.cycles else "-" for cycles in cost.causes]
    a_frame = f"{cost.cycles / profile.frames:.1f}" if profile.frames else "-"
    return [
        share,
        f"{cost.cycles:,}",
        a_frame,
        *causes,
        f"{cost.instructions:,}",
        f"{cost.memory_accesses:,}",
    ]
