"""One run of a sweep."""

from __future__ import annotations

import hashlib
import shlex
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from spinach_nic._native import version
from spinach_nic.errors import SpinachError
from spinach_nic.options import command_words, options_of
from spinach_nic.result import Result
from spinach_nic.running import RunOptions, run

SWEPT_OPTIONS = ("traffic", "frames", "time", "seed", "firmware", "stall_after")
"""The options of a run that a sweep can give."""


@dataclass(frozen=True)
class SweepPoint:
    """A run with the values of one point; it can travel to another process."""

    nic: str
    options: tuple[tuple[str, str | tuple[str, ...]], ...]
    """Options of the run by name, as the command line has them; `traffic` has several texts."""
    settings: tuple[tuple[str, str], ...]
    """Parameters by path, as texts, in order."""

    def carry_out(self) -> Result:
        """Run it.

        Raises:
            SpinachError: The request is wrong, or the system failed.
        """
        return run(self.nic, **self.run_options())

    def run_options(self) -> RunOptions:
        """The options, read.

        Raises:
            SpinachError: A text is not what its option takes.
        """
        read = {name: _read(name, given) for name, given in self.options}
        return cast(RunOptions, {"set": dict(self.settings), **read})

    def __str__(self) -> str:
        """The command that does the same."""
        return shlex.join(["spinach", "run", self.nic, *command_words(RunOptions, self.run_options())])

    @cached_property
    def key(self) -> str:
        """The same for what gives the same result: the version, the request, and the files that it names."""
        parts = [version(), str(self)]
        for name in (self.nic, str(dict(self.options).get("firmware", ""))):
            path = Path(name)
            if path.is_file():
                parts.append(hashlib.sha256(path.read_bytes()).hexdigest())
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def text(value: Any) -> str:
    """A value as the command line has it."""
    if isinstance(value, list):
        return ",".join(map(text, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def option_text(name: str, value: Any) -> str | tuple[str, ...]:
    """The value of an option as the command line has it."""
    if name == "traffic":
        return tuple(map(text, value)) if isinstance(value, list) else (text(value),)
    return text(value)


def _read(name: str, given: str | tuple[str, ...]) -> Any:
    flag = options_of(RunOptions)[name].flag
    assert flag is not None
    if not isinstance(given, str):
        return given
    try:
        return flag.parse(given)
    except ValueError as error:
        raise SpinachError(f"the option {name}: {error}", "write it as on the command line") from error
