"""Files on the command line: options with inputs and outputs, and the check before a command runs.

Every option or argument that names a file is of one of the types here, or declares its files, so that
`guarded` knows all inputs and outputs of every command.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from spinach_nic.cli.sections import SectionedOption
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.extras import require
from spinach_nic.support.files import (
    STANDARD_OUTPUT,
    command_outputs,
    note_inputs,
    output_path,
    write_output,
)
from spinach_nic.support.options import Files

Function = TypeVar("Function", bound=Callable[..., Any])


class FileName(click.ParamType[Any]):
    """Name of a file that a command reads or writes."""

    name = "FILE"

    def __init__(
        self,
        *,
        is_output: bool,
        what: str = "",
        kind: type = Path,
        may_be_printed: bool = False,
        ending: str = "",
    ) -> None:
        """Declare the direction, the noun for errors, the Python type, and if `-` is standard output.

        A name with another ending than `ending` is refused.
        """
        self._ending = ending
        self.is_output = is_output
        self.what = what
        self.may_be_printed = may_be_printed
        self._kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Convert the text; an output must have the name of a file, or be `-` if it may be printed."""
        check_name(str(value))
        if self.is_output and not (self.may_be_printed and str(value) == STANDARD_OUTPUT):
            try:
                output_path(str(value))
            except ValueError as error:
                self.fail(str(error), param, ctx)
            if self._ending and Path(value).suffix not in ("", self._ending):
                self.fail(f"{value}: use the ending {self._ending}", param, ctx)
        return self._kind(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[Any]]:
        """Complete names of files."""
        return [CompletionItem(incomplete, type="file")]


class PathName(click.Path):
    """Path of a file or folder that `guarded` does not know; empty names are refused."""

    def convert(
        self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        """Convert the text."""
        check_name(str(value))
        return super().convert(value, param, ctx)


INPUT = FileName(is_output=False)
OUTPUT = FileName(is_output=True)
OUTPUT_TEXT = FileName(is_output=True, kind=str, may_be_printed=True)
"""An output that may be `-`, standard output."""
NIC = FileName(is_output=False, what="the file of the NIC", kind=str)
"""A NIC: a shipped name or a Python file."""


def json_option(help: str) -> Callable[[Function], Function]:
    """Return the option `--json` of a command."""
    return click.option(
        "--json",
        "json_out",
        cls=SectionedOption,
        section="Outputs",
        type=OUTPUT_TEXT,
        metavar="FILE",
        help=help,
    )


def output_option(
    help: str, *, may_be_printed: bool = False, ending: str = "", **more: Any
) -> Callable[[Function], Function]:
    """Return the option `-o` of a command that writes one file, or prints it for `-` if it may be printed."""
    kind = FileName(is_output=True, may_be_printed=may_be_printed, ending=ending)
    return click.option("-o", "--output", type=kind, metavar="FILE", help=help, **more)


def report_option(*extras: str) -> Callable[[Function], Function]:
    """Return the option `--report` of a command whose report needs the libraries of `extras`."""

    def checked(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
        if value is not None:
            require(*extras, purpose="the report")
        return value

    return click.option(
        "--report",
        "report_out",
        cls=SectionedOption,
        section="Outputs",
        type=FileName(is_output=True, kind=str, may_be_printed=True, ending=".html"),
        callback=checked,
        metavar="FILE.html",
        help="Write a self-contained page.",
    )


class FileOption(SectionedOption):
    """An option whose values name files, such as traffic with captures."""

    def __init__(self, *words: Any, files: Files | None = None, gather: Any = None, **others: Any) -> None:
        """Declare the files that a value names; `gather` joins the values of a repeated option."""
        super().__init__(*words, **others)
        self.files = files
        self.gather = gather


def check_name(name: str) -> None:
    """Reject an empty name, which would be that of the current folder.

    Raises:
        click.BadParameter: The name is empty.
    """
    if not name:
        raise click.BadParameter("an empty text is not the name of a file")


def guarded(command: click.Command) -> click.Command:
    """Check inputs and outputs of a command, and of its subcommands, before it runs."""
    if isinstance(command, click.Group):
        for part in command.commands.values():
            guarded(part)
    callback = command.callback
    if callback is None or hasattr(callback, "is_guarded"):
        return command

    @wraps(callback)
    def checked(*words: Any, **options: Any) -> Any:
        named = list(named_files(click.get_current_context()))
        with command_outputs([(name, path) for name, path, is_output in named if is_output]):
            note_inputs({name: path for name, path, is_output in named if not is_output})
            return callback(*words, **options)

    checked.is_guarded = True  # type: ignore[attr-defined]
    command.callback = checked
    return command


def named_files(context: click.Context) -> Iterator[tuple[str, str | Path, bool]]:
    """List the files that the command line names: noun, path, and True for an output."""
    for parameter in context.command.params:
        value = context.params.get(parameter.name or "")
        if value in (None, ()) or (parameter.type is NIC and not value.endswith(".py")):
            continue
        if isinstance(parameter.type, FileName):
            is_output, option = parameter.type.is_output, parameter.opts[0]
            noun = option if is_output else parameter.type.what or f"the file of {option}"
            for path in value if isinstance(value, tuple) else (value,):
                # Inputs may be names of other things, such as shipped NICs and images.
                if not is_output and not os.path.isfile(path):
                    continue
                yield f"{noun} {path}" if isinstance(value, tuple) else noun, path, is_output
        elif isinstance(parameter, FileOption) and parameter.files is not None:
            files = parameter.files
            for path in files.paths(value if parameter.gather is None else parameter.gather(value)):
                yield parameter.opts[0] if files.is_output else files.what, path, files.is_output


@contextmanager
def failures_documented(json_out: str | None) -> Iterator[None]:
    """Write the result document of a run whose error keeps the result, if the document is requested."""
    try:
        yield
    except SpinachError as error:
        result = getattr(error, "result", None)
        if json_out is not None and result is not None:
            write_text(json_out, result.to_json())
        raise


def write_text(path: Path | str, text: str) -> None:
    """Write an output; `-` is standard output.

    Raises:
        SpinachError: It cannot be written.
    """
    if str(path) == STANDARD_OUTPUT:
        sys.stdout.write(text)
    else:
        write_output(path, text)
