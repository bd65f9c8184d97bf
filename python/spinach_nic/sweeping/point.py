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
from spinach_nic.options import command_words, options_of, plain_text, read_texts
from spinach_nic.result import Result
from spinach_nic.running import RunOptions, run
from spinach_nic.running.options import traffic_of

SWEPT_OPTIONS = ("traffic", "frames", "time", "seed", "firmware", "stall_after", "restore")
"""The options of a run that a sweep can give."""


@dataclass(frozen=True)
class SweepPoint:
    """A run with the values of one point; it can travel to another process."""

    nic: str
    options: tuple[tuple[str, tuple[str, ...]], ...]
    """Options of the run by name, as the texts that the command line has; only `traffic` has several."""
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
        read = {name: _read(name, texts) for name, texts in self.options}
        return cast(RunOptions, {"set": dict(self.settings), **read})

    def __str__(self) -> str:
        """The command that does the same."""
        return shlex.join(["spinach", "run", self.nic, *command_words(RunOptions, self.run_options())])

    @cached_property
    def key(self) -> str:
        """The same for what gives the same result: the version, the request, and the files that it names."""
        parts = [version(), str(self)]
        options = dict(self.options)
        named = (*options.get("firmware", ()), *options.get("restore", ()))
        files = [Path(self.nic), *map(Path, named)]
        for item in traffic_of(options.get("traffic", ())):
            files += item.captures
        parts += [hashlib.sha256(path.read_bytes()).hexdigest() for path in files if path.is_file()]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def text(value: Any) -> str:
    """A value as the command line has it."""
    if isinstance(value, list):
        return ",".join(map(text, value))
    return plain_text(value)


def option_texts(name: str, value: Any) -> tuple[str, ...]:
    """The value of an option as the command line has it; `traffic` may have several texts."""
    return tuple(map(text, value)) if name == "traffic" and isinstance(value, list) else (text(value),)


def _read(name: str, texts: tuple[str, ...]) -> Any:
    flag = options_of(RunOptions)[name].flag
    assert flag is not None
    try:
        return read_texts(flag, texts)
    except ValueError as error:
        raise SpinachError(f"the option {name}: {error}", "write it as on the command line") from error
