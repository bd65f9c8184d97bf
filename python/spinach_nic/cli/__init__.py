"""The command `spinach`.

A command is a file of this package that defines `command`, a click command, and a name in `SECTIONS`. It is
imported when it is used, so that what one command needs does not slow the others down.
"""

import errno
import gc
import os
import shlex
import sys
import threading
import warnings
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import cast

import click

from spinach_nic import __version__, _native
from spinach_nic.cli import streams
from spinach_nic.cli.sections import write_commands
from spinach_nic.support import signals, startup
from spinach_nic.support.errors import DefectError, SpinachError

SECTIONS: Mapping[str, Mapping[str, str]] = {
    "Simulate": {
        "run": "Simulate NIC and print its results.",
        "watch": "Simulate NIC and show it live, full screen.",
        "console": "Simulate NIC with a terminal at its serial line.",
        "debug": "Simulate NIC under gdb, each core as a thread.",
    },
    "Observe": {
        "profile": "Simulate NIC and print the cost of firmware functions.",
        "trace": "Simulate NIC and write traces for `spinach study`.",
        "timeline": "Query timelines of runs.",
        "graph": "Draw the block diagram of NIC.",
    },
    "Study": {
        "reproduce": "Run published tables and figures again.",
        "sweep": "Run many configurations in parallel, into one table.",
        "search": "Find the cheapest configuration that meets conditions.",
        "explain": "Find the bottleneck of NIC by a sensitivity analysis.",
        "compare": "Compare two runs: configuration and results.",
        "study": "Study the parallelism of firmware from traces.",
    },
    "Build": {
        "list": "List shipped NICs, firmware images and experiments.",
        "describe": "Show the parameters and parts of a NIC or module.",
        "new": "Write a NIC or a block in Rust into a new folder.",
        "firmware": "Compile firmware images, or list them.",
        "verilate": "Compile RTL into a block that a card can use.",
        "check": "Check a module of your own with random traffic.",
    },
    "Servers and guests": {
        "boot": "Boot a server and connect this terminal to its console.",
        "attach": "Attach the card NIC to a QEMU guest.",
    },
    "Set up": {
        "docs": "Open the book in a browser.",
        "cache": "Show or clear the cache: firmware, kernels, checkpoints.",
        "completion": "Print the completion script of a shell.",
    },
}
"""Commands by kind of work, in the order of the help, each with its summary: the first line of its docstring.

Each is a module of this package. The help imports none of them.
"""
COMMANDS = tuple(name for names in SECTIONS.values() for name in names)

EXIT_REQUEST_WRONG = 2
_EXHAUSTED = {
    errno.EMFILE: "allow more open files, as with ulimit -n 1024",
    errno.ENFILE: "close some programs: the system has too many open files",
    errno.ENOMEM: "free some memory",
    errno.EAGAIN: "end some processes, or allow more with ulimit -u",
    errno.ENOSPC: "free some space",
    errno.EDQUOT: "free some space: the quota is exhausted",
    errno.EROFS: "name a place that can be written",
}
"""Instructions for errors that may arise anywhere, by number."""


class _CommandFiles(click.Group):
    """Group of the commands in `SECTIONS`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*COMMANDS]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        write_commands(formatter, SECTIONS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = import_module(f"{__name__}.{cmd_name}").command
        assert isinstance(command, click.Command)
        from spinach_nic.cli.files import guarded

        guarded(command)
        if command.help:
            # The mark of lines that stay as they are is a control character, which a docstring does not hold.
            command.help = command.help.replace("\\b\n", "\b\n")
        return command


FIRST_STEPS = """\
Spinach designs, programs and measures network interface cards in simulation, cycle by cycle. To begin:

  spinach list                         what is shipped
  spinach run tengig                   a 10 Gb/s NIC, its firmware, traffic both ways
  spinach describe tengig              what can be set in it, for --set
  spinach new mynic                    a NIC of your own, with firmware, in a new folder
  spinach reproduce thesis-table-4.4   a published table, measured again

Usage: spinach COMMAND ...
`spinach --help` lists all commands; `spinach COMMAND --help` explains one, with an example.
"""
"""Print the output of `spinach` alone."""


@click.group(
    cls=_CommandFiles,
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
)
@click.version_option(__version__, message="%(prog)s %(version)s")
@click.pass_context
def spinach(context: click.Context) -> int:
    """Design, program and measure network interface cards in simulation, cycle by cycle.

    Example: spinach run tengig
    """
    if context.invoked_subcommand is None:
        click.echo(FIRST_STEPS, nl=False, err=True)
        return EXIT_REQUEST_WRONG
    return 0


def carry_out(arguments: Sequence[str] | None = None) -> int:
    """Carry out one command line and return its exit code.

    A mistake in the request becomes two lines on standard error, the problem and an instruction. Any other
    exception is a defect of Spinach and propagates.

    Args:
        arguments: The words after `spinach`; those of the process by default.
    """
    # `list` would be the module of that command, once it is imported.
    words = tuple(sys.argv[1:] if arguments is None else arguments)
    for word in words:
        if not _is_text(word):
            help = "use UTF-8 without null characters"
            return _report(f"the argument {word!r} is not text", help, EXIT_REQUEST_WRONG)
    if "_SPINACH_COMPLETE" in os.environ:  # a shell asks for completions: see that module
        import_module(f"{__name__}.completion")
    try:
        outcome = spinach.main(args=words, prog_name="spinach", standalone_mode=False)
    except SpinachError as error:
        if isinstance(error, DefectError):
            if startup.lacks_memory():  # native code relies on objects that Python could not make
                return _report(startup.NO_MEMORY, startup.MORE_MEMORY, startup.EXIT_NO_MEMORY)
            streams.tell(f"request: {shlex.join(('spinach', *words))}")
        streams.tell(f"error: {error}")
        return error.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return EXIT_REQUEST_WRONG
    except click.ClickException as error:
        context = error.ctx if isinstance(error, click.UsageError) else None
        command = context.command_path if context else _command_path(words)
        return _report(error.format_message(), f"`{command} --help` shows how to call it", EXIT_REQUEST_WRONG)
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return signals.exit_code()
    except startup.MEMORY_ERRORS as error:
        if not startup.is_lack_of_memory(error):
            raise
        return _report(startup.NO_MEMORY, startup.MORE_MEMORY, startup.EXIT_NO_MEMORY)
    except OSError as error:
        if error.errno not in _EXHAUSTED:
            raise
        where = f" ({error.filename})" if error.filename else ""
        return _report(
            f"the system refuses{where}: {error.strerror}", _EXHAUSTED[error.errno], EXIT_REQUEST_WRONG
        )
    # Without standalone mode click returns the code given to `Context.exit`, or what the command returned.
    return outcome if isinstance(outcome, int) else 0


def main() -> None:
    """The entry point of the installed command."""
    streams.guard()
    warnings.showwarning = _show_warning
    signals.end_in_order()
    _native.explain_shortage(startup.MEMORY_REPORT.decode(), startup.EXIT_NO_MEMORY)
    threading.excepthook = _end_without_memory
    # Nearly all objects live as long as the command: frequent searches for garbage among them find none.
    gc.set_threshold(100_000)
    try:
        code = carry_out()
    except KeyboardInterrupt:  # between two lines of `carry_out`
        code = signals.exit_code()
    signals.end_at_once()
    # The process returns all memory at once: a last search for garbage takes a fifth of a short command.
    gc.freeze()
    reason = streams.failure()
    if reason is not None and code == 0:
        code = _report(f"cannot write to standard output: {reason}", "send it elsewhere", EXIT_REQUEST_WRONG)
    sys.exit(code)


def _end_without_memory(failed: threading.ExceptHookArgs) -> None:
    """Show the error of a thread. A lack of memory ends the command: others may wait for the thread."""
    if failed.exc_value is not None and startup.is_lack_of_memory(failed.exc_value):
        signals.end_from_thread(startup.MEMORY_REPORT, startup.EXIT_NO_MEMORY)
    threading.__excepthook__(failed)


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    streams.tell(f"note: {message}")


def _command_path(words: Sequence[str]) -> str:
    """Return the command that `words` begin with: click's parser names none in its errors."""
    path, command = ["spinach"], cast(click.Command, spinach)
    for word in words:
        context = click.Context(command)
        found = command.get_command(context, word) if isinstance(command, click.Group) else None
        if found is None:
            break
        path.append(word)
        command = found
    return " ".join(path)


def _is_text(word: str) -> bool:
    """Return true for valid UTF-8: other bytes become lone surrogates."""
    return "\0" not in word and not any("\ud800" <= character <= "\udfff" for character in word)


def _report(message: str, help: str, exit_code: int) -> int:
    streams.tell(f"error: {message}\nhelp: {help}")
    return exit_code
