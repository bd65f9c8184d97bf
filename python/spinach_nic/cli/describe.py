"""`spinach describe`: parameters of NICs and modules."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import asdict
from textwrap import fill
from typing import TYPE_CHECKING

import click

from spinach_nic.cli import streams
from spinach_nic.cli.completion import complete_nic, complete_path
from spinach_nic.cli.files import NIC, json_option, write_text
from spinach_nic.cli.requests import run_option
from spinach_nic.support.errors import SpinachError

if TYPE_CHECKING:
    from spinach_nic.studies.describing import ModuleDescription, ParameterDescription, PartDescription


HEADINGS = ("parameter", "type", "unit", "default", "here", "allowed")


@click.command
@click.argument("nic", type=NIC, shell_complete=complete_nic)
@click.argument("path", default="", shell_complete=complete_path)
@run_option("set")
@click.option("--search", metavar="WORD", help="Show only parameters that mention WORD, at any depth.")
@json_option("Write it as JSON; - is standard output.")
def command(
    nic: str, path: str, set: tuple[tuple[str, str], ...], search: str | None, json_out: str | None
) -> None:
    """Show the parameters and parts of a NIC or module.

    With PATH it shows the part of NIC at that path.

    PATH names a part or a parameter, as in --set. Every path shown can be given to --set. For a module, such
    as Crossbar, the command shows parameters, ports and counters.

    Example: spinach describe tengig processor[0] --search cache
    """
    from spinach_nic import _native, library
    from spinach_nic.benches import shown_bench
    from spinach_nic.cards import SHIPPED
    from spinach_nic.studies.describing import (
        describe_all,
        describe_module,
        describe_parameters,
        describe_parts,
        find_part,
    )

    module = None if nic in SHIPPED or nic.endswith(".py") else describe_module(nic)
    if module is not None:
        if path or set or search is not None:
            raise SpinachError(f"{nic} is a module: it takes no PATH, --set or --search", "omit them")
        if json_out is not None:
            write_text(json_out, json.dumps({"module": asdict(module)}, indent=2) + "\n")
        if json_out != "-":
            _print_module(module)
        return

    if not (nic in SHIPPED or nic.endswith(".py") or os.path.exists(nic)):
        known = _native.suggest(nic, [*SHIPPED, *library.__all__])
        raise SpinachError(f"there is no NIC or module {nic!r}", f"{known}; or give a Python file")
    system = shown_bench(nic)
    for name, value in set:
        system.set(name, value)
    part, parameter = find_part(system, path)
    place = path.rpartition(".")[0] if parameter else path
    if search is None:
        parameters = describe_parameters(part, place)
        parts = [] if parameter else describe_parts(part, place)
    else:
        parameters, parts = list(describe_all(part, place)), []
    if parameter:
        parameters = [one for one in parameters if one.path == path]
    if search is not None:
        parameters = [one for one in parameters if one.mentions(search)]
        if not parameters:
            raise SpinachError(f"no parameter of {path or nic} mentions {search!r}", "leave out --search")
    if json_out is not None:
        document = {
            "nic": nic,
            "path": path,
            "parameters": [asdict(one) for one in parameters],
            "parts": [asdict(one) for one in parts],
        }
        write_text(json_out, json.dumps(document, indent=2) + "\n")
    if json_out != "-":
        _print(parameters, parts)


def _print_module(module: ModuleDescription) -> None:
    click.echo(f"{click.style(module.name, bold=True)}\n")
    click.echo(f"{module.documentation}\n")
    _print(module.parameters, ())
    if module.ports:
        click.echo("\nports:")
        _echo_columns([(port.name, f"{port.direction}, {port.lanes}", port.meaning) for port in module.ports])
    if module.counters:
        click.echo("\ncounters:")
        _echo_columns([*module.counters.items()])


def _echo_columns(rows: Sequence[tuple[str, ...]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        click.echo(f"  {'  '.join(cells)}".rstrip())


def _print(parameters: Sequence[ParameterDescription], parts: Sequence[PartDescription]) -> None:
    from rich.text import Text

    width = min(shutil.get_terminal_size().columns, 110)
    if parameters:
        rows = [_cells(one) for one in parameters]
        columns = range(len(HEADINGS))
        # A column that says nothing is left out.
        kept = [column for column in columns if any(row[column] for row in rows)]
        widths = [max(len(row[column]) for row in [HEADINGS, *rows]) for column in columns]
        click.echo("  ".join(HEADINGS[column].ljust(widths[column]) for column in kept).rstrip())
        for one, row in zip(parameters, rows, strict=True):
            line = "  ".join(row[column].ljust(widths[column]) for column in kept).rstrip()
            streams.rich_console(soft_wrap=True).print(Text(line, "bold"))
            click.echo(fill(one.meaning, width, initial_indent="    ", subsequent_indent="    "))
    if parts:
        click.echo("\nparts inside:" if parameters else "parts inside:")
        shown = [f"{one.path} x {one.count}" if one.count > 1 else one.path for one in parts]
        longest, kinds = max(map(len, shown)), max(len(one.kind) for one in parts)
        for path, part in zip(shown, parts, strict=True):
            click.echo(f"  {path:<{longest}}  {part.kind:<{kinds}}  {part.summary}")
    if not parameters and not parts:
        click.echo("nothing can be set here")


def _cells(one: ParameterDescription) -> tuple[str, ...]:
    from spinach_nic.studies.describing import shown

    default = "must be set" if one.default is None else shown(one.default)
    value = "" if one.value == one.default else shown(one.value)
    return one.path, one.type, one.unit, default, value, one.allowed
