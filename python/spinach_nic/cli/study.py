"""`spinach study`: the studies of parallelism in firmware, on traces of any run."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from spinach_nic.cli import streams
from spinach_nic.cli.declared import argument, option, takes_request
from spinach_nic.cli.files import INPUT, PathName, json_option, write_text
from spinach_nic.cli.parsing import Whole
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.limits import beyond, parse_whole, shortened
from spinach_nic.support.representations import amount

if TYPE_CHECKING:
    from spinach_nic.studies.analysis import TracedRun, TraceFilter, VliwMachine

Rows = Sequence[Mapping[str, Any]]


class Selection(Struct, frozen=True, kw_only=True):
    """Trace to study, and selection of its instructions."""

    source: Path = argument("source", metavar="TRACES", type=PathName(path_type=Path))
    all_tasks: bool = option(
        "--all", "all_tasks", is_flag=True, help="Include waiting, dispatch and locking."
    )
    tasks: tuple[str, ...] = option(
        "--task", "tasks", metavar="NAME", multiple=True, help="Study only this task."
    )
    without: tuple[str, ...] = option("--without", metavar="NAME", multiple=True, help="Exclude this task.")
    cores: tuple[int, ...] = option(
        "--core", "cores", type=Whole(0, 65535), metavar="N", multiple=True, help="Study only this core."
    )

    @property
    def run(self) -> TracedRun | None:
        """The folder of the run, if one was given."""
        from spinach_nic.studies.analysis import TracedRun

        return TracedRun(self.source) if os.path.isdir(self.source) else None

    @property
    def trace(self) -> Path:
        """The instruction trace."""
        return self.run.instructions if self.run else self.source

    def note_inputs(self) -> None:
        """Compare the files to study with the output."""
        from spinach_nic.support.files import note_inputs

        read = self.run.files if self.run else (self.source,)
        note_inputs({f"the file {path.name} to study": path for path in read})

    def note_if_incomplete(self) -> None:
        """Warn if the trace lacks its end, as after a kill."""
        from spinach_nic.studies.analysis import describe_trace

        described = describe_trace(self.trace)
        if not described.is_complete:
            kept = f"these are its first {amount(described.instructions, 'instruction')}"
            streams.tell(f"note: {self.trace} is of a run that did not end, or was cut; {kept}")

    def filter(self) -> TraceFilter:
        """Return the requested filter; without waiting and synchronisation unless tasks were named.

        Raises:
            SpinachError: A core is asked for that the run does not have.
        """
        from dataclasses import replace

        from spinach_nic.studies.analysis import TraceFilter, idealized

        self.note_inputs()
        self.note_if_incomplete()
        run = self.run
        if run is not None:
            for core in self.cores:
                if wrong := beyond(core, 0, run.cores - 1):
                    raise SpinachError(f"--core: {wrong}", f"{self.source} has cores 0 to {run.cores - 1}")
        named = self.tasks or self.without or self.all_tasks
        chosen = TraceFilter() if named else idealized(self.trace)
        return replace(
            chosen,
            cores=self.cores or None,
            tasks=self.tasks or None,
            tasks_excluded=(*chosen.tasks_excluded, *self.without),
        )


_json = json_option("Write the rows as JSON; - is standard output.")


@click.group
def command() -> None:
    """Study the parallelism of firmware from traces.

    TRACES is the folder that `spinach trace` wrote, or an instruction trace. Unless tasks are named, the
    tasks of waiting, dispatch and locking are left out, as the papers do.

    Example: spinach study issue-limits traces
    """


@command.command("issue-limits")
@takes_request(Selection)
@click.option(
    "--width",
    "widths",
    type=Whole(1, 1024),
    multiple=True,
    default=(1, 2, 4),
    show_default=True,
    help="Most instructions per cycle.",
)
@_json
def issue_limits(selection: Selection, widths: tuple[int, ...], json_out: str | None) -> None:
    """Find the instructions per cycle of ideal cores.

    For table 2 of HPCA 2005, trace one core.

    Example: spinach study issue-limits traces --width 2
    """
    from spinach_nic.studies import analysis

    table = analysis.issue_limit_table(widths)
    limits = analysis.issue_limits(selection.trace, table, selection.filter())
    _check_any(limits[0].instructions, selection)
    rows: list[dict[str, Any]] = [
        {
            "order": limit.configuration.order,
            "issue_width": limit.configuration.width,
            "pipeline": limit.configuration.pipeline,
            "branch_prediction": limit.configuration.prediction,
            "ipc": limit.instructions_per_cycle,
        }
        for limit in limits
    ]
    if not _wrote(rows, json_out):
        shown: dict[tuple[str, str], list[str]] = {}
        for row in rows:
            key = (row["order"].replace("_", " "), str(row["issue_width"]))
            shown.setdefault(key, []).append(f"{row['ipc']:.2f}")
        columns = list(dict.fromkeys((row["pipeline"], row["branch_prediction"]) for row in rows))
        headings = [f"{pipeline},\n{branches.replace('_', ' ')}" for pipeline, branches in columns]
        _print(["order", "width", *headings], [(*key, *cells) for key, cells in shown.items()])
        click.echo(f"by pipeline and branch prediction, {limits[0].instructions:,} instructions")


@command.command()
@takes_request(Selection)
@click.option(
    "--units",
    metavar="I,L,B",
    multiple=True,
    help="Integer, load/store and branch units, such as 3,3,1.  [default: the machines of the paper]",
)
@click.option("--image", type=INPUT, metavar="FILE", help="ELF file that was traced.")
@click.option("--frames", type=Whole(1, 10**12), metavar="N", help="Number of frames in the trace.")
@click.option(
    "--blocks",
    type=Whole(0, 10**6),
    default=0,
    show_default=True,
    metavar="N",
    help="Number of blocks to show with their bundles.",
)
@click.option("--disjoint-offsets", is_flag=True, help="Reorder accesses that cannot overlap.")
@click.option("--original-delay-slot", is_flag=True, help="Leave delay slots as compiled.")
@click.option(
    "--rename-registers", is_flag=True, help="Rename registers: each result gets a separate register."
)
@click.option(
    "--path-blocks",
    type=Whole(1, 1 << 16),
    metavar="N",
    help="Schedule up to this number of blocks together, as if all branches were predicted.",
)
@_json
def vliw(
    selection: Selection,
    units: tuple[str, ...],
    image: Path | None,
    frames: int | None,
    blocks: int,
    disjoint_offsets: bool,
    original_delay_slot: bool,
    rename_registers: bool,
    path_blocks: int | None,
    json_out: str | None,
) -> None:
    """Schedule the basic blocks for VLIW machines.

    Table 1 of the paper on VLIW firmware is of one core, with --all.

    Example: spinach study vliw traces --units 3,3,1
    """
    from spinach_nic.studies import analysis

    machines = [_machine(each) for each in units or analysis.TABLE_1_UNITS]
    analysis.check_schedulable(selection.trace)
    run = selection.run
    if image is None:
        if run is None:
            raise SpinachError(
                f"{selection.source} is a trace without firmware", "give the ELF file with --image"
            )
        image = run.image
    machines = [
        machine.with_options(
            memory_order="disjoint_offsets" if disjoint_offsets else "stores",
            original_delay_slot=original_delay_slot,
            register_renaming=rename_registers,
        )
        for machine in machines
    ]
    filter = selection.filter()
    if frames is None and run is not None:
        frames = _frames_of(run)
    rows = []
    for machine in machines:
        if path_blocks is None:
            found, _ = analysis.schedule_blocks(image, selection.trace, machine, filter)
        else:
            found = analysis.schedule_paths(
                image, selection.trace, machine, filter, blocks_maximum=path_blocks
            )
        _check_any(found.source_instructions, selection)
        rows.append(vliw_row(machine, found.instructions_per_cycle, found.utilisation))
        if frames is not None:
            rows[-1]["frames_per_kilocycle"] = found.frames_per_kilocycle(frames)
        outside, studied = found.unscheduled_instructions, found.source_instructions
    if outside:
        share = f"{outside:,} of {amount(studied, 'instruction')}"
        streams.tell(f"note: {share} are not in {image}, and take no cycles in the schedules")
    if not _wrote(rows, json_out):
        headings = [name.replace("_", "\n") for name in rows[0]]
        _print(headings, [[_shown(value) for value in row.values()] for row in rows])
        if blocks:
            listing = analysis.vliw_listing(
                image, selection.trace, machines[-1], filter, blocks_maximum=blocks
            )
            click.echo(f"\n{listing}")


def _frames_of(run: TracedRun) -> int | None:
    """Return the frames of a traced run; None, with a note, if its trace is incomplete."""
    if run.has_all_instructions:
        return run.frames
    streams.tell("note: the number of its frames is unknown; --frames gives it")
    return None


def vliw_row(machine: VliwMachine, ipc: float, utilisation: float) -> dict[str, Any]:
    """Return the results of a machine."""
    integer, load_store, branch = (unit.count for unit in machine.units)
    return {
        "issue_width": machine.width,
        "integer_units": integer,
        "load_store_units": load_store,
        "branch_units": branch,
        "ipc": ipc,
        "slots_used": utilisation,
    }


def _machine(units: str | tuple[int, int, int]) -> VliwMachine:
    from spinach_nic.studies.analysis import VliwMachine

    try:
        integer, load_store, branch = _numbers(units) if isinstance(units, str) else units
    except ValueError as error:
        message = f"{shortened(units)} is not a number of integer, load/store and branch units"
        raise SpinachError(message, "give three numbers, as --units 3,3,1") from error
    return VliwMachine.of(integer, load_store, branch)


def _numbers(units: str) -> list[int]:
    numbers = [parse_whole(word) for word in units.split(",")]
    if None in numbers:
        raise ValueError(units)
    return [number for number in numbers if number is not None]


@command.command()
@takes_request(Selection)
@click.option(
    "--size",
    "sizes",
    type=Whole(1, 2**30),
    multiple=True,
    metavar="BYTES",
    help="Size of each cache.  [default: 16 B to 32 KiB in powers of two]",
)
@click.option(
    "--line",
    "line_bytes",
    type=Whole(1, 2**20),
    default=16,
    show_default=True,
    metavar="BYTES",
    help="Size of a line.",
)
@click.option(
    "--ways", type=Whole(1, 2**20), metavar="N", help="Lines per set.  [default: fully associative]"
)
@click.option(
    "--replacement",
    type=click.Choice(["lru", "fifo"]),
    default="lru",
    show_default=True,
    help="Line to replace in a full set: least recently used, or longest in the cache.",
)
@click.option(
    "--protocol",
    type=click.Choice(["msi", "mesi", "moesi"]),
    default="mesi",
    show_default=True,
    help="Coherence protocol.",
)
@click.option(
    "--cache",
    "caches",
    metavar="AGENT[,AGENT]",
    multiple=True,
    help="A cache and its clients.  [default: one for each core, one for DMA, one for the MAC, "
    "without agents that make no access]",
)
@click.option(
    "--all-addresses", is_flag=True, help="Include all data, not only the frame metadata that all share."
)
@_json
def coherence(
    selection: Selection,
    sizes: tuple[int, ...],
    line_bytes: int,
    ways: int | None,
    replacement: Any,
    protocol: Any,
    caches: tuple[str, ...],
    all_addresses: bool,
    json_out: str | None,
) -> None:
    """Simulate coherent caches of cores and assists.

    Figure 3 of the HPCA 2005 paper is of six cores, with --without idle.

    Example: spinach study coherence traces
    """
    from spinach_nic.studies import analysis

    run = selection.run
    if run is None:
        raise SpinachError(
            f"{selection.source} is not a folder of traces", "give a folder that `spinach trace` wrote"
        )
    systems = [
        analysis.CacheSystem(size, line_bytes, ways, replacement, protocol)
        for size in sizes or analysis.FIGURE_3_SIZES
    ]
    served = [cache.split(",") for cache in caches] or run.default_caches()
    filter = selection.filter()
    if run.incomplete:
        names = " and ".join(path.name for path in run.incomplete)
        streams.tell(f"note: {names} lacks its end; all traces are studied up to its last access")
    reports = analysis.simulate_caches(
        systems,
        served,
        instruction_traces=[run.instructions],
        access_traces=[run.accesses],
        filter=filter,
        ranges=[] if all_addresses else run.metadata.shared,
        allow_absent=not caches,
    )
    absent = reports[0].absent
    present = [kept for agents in served if (kept := [agent for agent in agents if agent not in absent])]
    if not present:
        message = f"{run.folder} has no access by a core or an assist of the selected cores and tasks"
        raise SpinachError(message, "choose other cores or tasks; --all takes every task")
    rows = [
        {
            "cache_bytes": report.system.capacity_bytes,
            "hit_ratio": report.total.hit_ratio,
            "invalidating_write_ratio": report.total.invalidating_write_ratio,
            "accesses": report.total.reads + report.total.writes,
        }
        for report in reports
    ]
    if not _wrote(rows, json_out):
        _print(
            ["bytes each", "hits", "writes that invalidate", "accesses"],
            [
                (
                    f"{row['cache_bytes']:,}",
                    f"{row['hit_ratio']:.1%}",
                    f"{row['invalidating_write_ratio']:.2%}",
                    f"{row['accesses']:,}",
                )
                for row in rows
            ],
        )
        click.echo(f"caches: {'; '.join(', '.join(agents) for agents in present)}")
        if absent:
            click.echo(f"without references to words, and left out: {', '.join(absent)}")


def _check_any(instructions: int, selection: Selection) -> None:
    if not instructions:
        message = f"{selection.trace} has no instructions of the selected cores and tasks"
        raise SpinachError(message, "choose other cores or tasks; --all takes every task")


def _shown(value: Any) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _wrote(rows: Rows, json_out: str | None) -> bool:
    """Write the rows if requested; return true if nothing is left to print."""
    text = json.dumps(list(rows), indent=2) + "\n"
    if json_out is not None:
        write_text(json_out, text)
    return json_out == "-"


def _print(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="right" if number else "left", no_wrap=not number)
    for row in rows:
        table.add_row(*row)
    streams.rich_console(highlight=False).print(table)
