"""Options of all commands that run a NIC, and the execution of the run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click
from msgspec import Struct

from spinach_nic.cli import streams
from spinach_nic.cli.completion import complete_nic
from spinach_nic.cli.files import NIC, FileName, FileOption
from spinach_nic.cli.parsing import OptionValue
from spinach_nic.cli.sections import OTHER, SectionedOption
from spinach_nic.runs import RunOptions
from spinach_nic.runs.observers import ObserverOptions, requested
from spinach_nic.support.options import Flag, Option, help_of, options_of, shown_default
from spinach_nic.support.representations import amount

if TYPE_CHECKING:
    from spinach_nic.runs import ConsoleRequest, DebugRequest, Finished, Progress
    from spinach_nic.runs.observers import Observer

Function = TypeVar("Function", bound=Callable[..., Any])


class RunRequest(Struct, frozen=True):
    """Run requested by the command line."""

    nic: str
    options: RunOptions
    """Options that were given."""
    quiet: bool

    @property
    def prints(self) -> bool:
        """True if an output of the run goes to standard output."""
        from spinach_nic.runs.observers import OBSERVERS

        names = [name for one in OBSERVERS if one.uses_standard_output for name in options_of(one.Options)]
        return any(self.options.get(name) for name in names)

    def carry_out(
        self,
        *,
        traces: Path | None = None,
        debugger: DebugRequest | None = None,
        console: ConsoleRequest | None = None,
        call_stacks: bool = False,
        written_later: Mapping[str, str | Path | None] = MappingProxyType({}),
    ) -> Finished:
        """Run it with a progress bar, up to its end, whatever that is.

        Args:
            traces: Folder for traces.
            debugger: Debug request with the address to listen on; `None` runs without a debugger.
            console: Console request for the serial line of the card.
            call_stacks: True to keep profiles by call path.
            written_later: Files that the command writes after the run, by option.
        """
        from spinach_nic.runs import execute

        files = {name: path for name, path in written_later.items() if path is not None}
        is_quiet = self.quiet or debugger is not None or console is not None or self.prints
        with _progress_bar(is_quiet) as progress:
            given = RunOptions(traces=traces, debugger=debugger, console=console, progress=progress)
            options = self.options | given
            if call_stacks and options.get("restore") is None:
                options |= RunOptions(call_stacks=True)
            return execute(self.nic, written_later=files, **options)


def run_option(name: str, *, is_hidden: bool = False) -> Callable[[Function], Function]:
    """Return the option of a run, by its name in Python, as an option of a command."""
    option = options_of(RunOptions)[name]
    default = shown_default(option)
    placed: dict[str, Any] = {
        "cls": SectionedOption,
        "section": option.section or OTHER,
        "hidden": is_hidden,
    }
    assert option.flag is not None, f"{name} is not on the command line"
    if not option.flag.metavar:
        flag_value = not option.default
        return click.option(
            option.flag.name,
            name,
            is_flag=True,
            flag_value=flag_value,
            default=None,
            help=help_of(option),
            **placed,
        )
    many: dict[str, Any] = (
        {} if option.flag.words == 1 else {"nargs": option.flag.words, "callback": _joined(option)}
    )
    given_once: dict[str, Any] = {"callback": _single(option.flag)} if option.flag.once else {}
    return click.option(
        option.flag.name,
        name,
        cls=FileOption,
        files=option.files,
        gather=option.flag.gather,
        metavar=option.flag.metavar,
        type=str if many else OptionValue(option, option.flag),
        multiple=option.flag.gather is not None or bool(option.flag.once),
        **many,
        **given_once,
        section=placed["section"],
        hidden=is_hidden,
        help=f"{help_of(option)}  [default: {default}]" if default else help_of(option),
    )


def _joined(option: Option) -> Callable[..., Any]:
    """Reads a value of several words."""

    def read(context: click.Context, parameter: click.Parameter, words: tuple[str, ...] | None) -> Any:
        assert option.flag is not None
        if words is None:
            return None
        return OptionValue(option, option.flag).convert(" ".join(words), parameter, context)

    return read


def _single(flag: Flag) -> Callable[..., Any]:
    """Returns the only value of an option that must not be repeated."""

    def read(context: click.Context, parameter: click.Parameter, values: tuple[Any, ...]) -> Any:
        if len(values) > 1:
            raise click.BadParameter(f"given {len(values)} times, but {flag.once}", context, parameter)
        return values[0] if values else None

    return read


def takes_run_request(function: Callable[..., None], refused: Collection[str] = ()) -> Callable[..., None]:
    """Give a command the argument NIC and the options of a run; it takes them as its first argument.

    `-c FILE` gives options in a file; options on the command line take precedence. The help leaves out the
    options that the command has `refused`; their errors say why.
    """
    flags = {name: option.flag for name, option in options_of(RunOptions).items() if option.flag}

    @wraps(function)
    def command(nic: str | None, request_file: Path | None, quiet: bool, **given: Any) -> None:
        asked: dict[str, Any] = {}
        for name, flag in flags.items():
            value = given.pop(name)
            if value not in (None, ()):
                asked[name] = value if flag.gather is None else flag.gather(value)
        if request_file is not None:
            from spinach_nic.cli.request_files import read_request

            known_nic, known = read_request(request_file)
            nic = nic or known_nic
            settings = {**(known.get("set") or {}), **asked.get("set", {})}
            asked = {**known, **asked} | ({"set": settings} if settings else {})
        if nic is None:
            raise click.UsageError("Missing argument 'NIC'.", click.get_current_context())
        function(RunRequest(nic, cast(RunOptions, asked), quiet), **given)

    command = click.option(
        "--quiet",
        cls=SectionedOption,
        section="Outputs",
        is_flag=True,
        help="Print no table and no progress.",
    )(command)
    for name in reversed(flags):
        command = run_option(name, is_hidden=name in refused)(command)
    command = click.option(
        "-c",
        "--config",
        "request_file",
        cls=SectionedOption,
        section="Configuration",
        type=FileName(is_output=False, what="the request"),
        metavar="FILE",
        help="Read options from a file: TOML, or a result document, whose run is repeated.",
    )(command)
    return click.argument("nic", type=NIC, required=False, shell_complete=complete_nic)(command)


def takes_observers(*kinds: type[Observer]) -> Callable[[Function], Function]:
    """Give a command the options of observers; it takes those that are requested as `observers`."""
    names = [name for kind in kinds for name, option in options_of(kind.Options).items() if option.flag]

    def decorate(function: Function) -> Function:
        @wraps(function)
        def command(*words: Any, **given: Any) -> Any:
            declared = options_of(ObserverOptions)
            asked = {name: option.default for name, option in declared.items()}
            for name in names:
                flag, value = declared[name].flag, given.pop(name)
                if value not in (None, ()):
                    asked[name] = value if flag is None or flag.gather is None else flag.gather(value)
            return function(*words, observers=requested(asked), **given)

        decorated: Any = command
        for name in reversed(names):
            decorated = run_option(name)(decorated)
        return cast(Function, decorated)

    return decorate


def check_prints(prints: bool, *documents: str | None) -> None:
    """Check that an observer which prints is alone on standard output.

    Raises:
        UsageError: A document goes there, too.
    """
    if prints and "-" in documents:
        raise click.UsageError("--trace-lines needs standard output for itself: name a file for the document")


def tell_failure(finished: Finished) -> None:
    """If the run failed, print the details and end the command with its error."""
    from spinach_nic.runs import RunError

    if finished.ending.kind != "complete":
        if finished.unwritten is not None:
            streams.tell(f"error: {finished.unwritten}")
        for finding in (finding for one in finished.observers for finding in one.findings):
            streams.tell(f"also: {finding}")
    try:
        finished.check()
    except RunError as error:
        if error.details:
            streams.tell(error.details)
        raise


@contextmanager
def _progress_bar(quiet: bool) -> Iterator[Callable[[Progress], None] | None]:
    """Show a bar on standard error, if that is a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (BarColumn(), TaskProgressColumn(), TextColumn("{task.description}"), TimeRemainingColumn())
    with Bar(*columns, console=streams.rich_console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=1.0)

        def show(progress: Progress) -> None:
            text = f"{amount(progress.frames, 'frame')}, {progress.simulated.seconds * 1e3:.2f} ms simulated"
            if progress.behind is not None:
                text += f", {progress.behind.seconds:.2f} s behind wall time"
            bar.update(task, completed=progress.fraction, description=text)

        yield show
