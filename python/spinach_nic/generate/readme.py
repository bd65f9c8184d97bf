"""The run in the README, with the figures of this version."""

from __future__ import annotations

import re
from pathlib import Path

from rich.console import Console

from spinach_nic.cli.summary import summary
from spinach_nic.runs import run

_COMMAND = "    $ spinach run tengig\n"
_BLOCK = re.compile(re.escape(_COMMAND) + r"(?:    .*\n|\n+(?=    ))*")
_SHOWN = ("tengig,", "steady", "   ", "frames", "UDP payload", "share", "latency", "cores", "mean")
"""Prefixes of the lines that are shown."""


def readme_files(repository: Path) -> dict[Path, str]:
    """Return the README with the figures of that run."""
    name = Path("README.md")
    text = (repository / name).read_text()
    shown = "".join(f"    {line}\n" if line else "\n" for line in _excerpt())
    return {name: _BLOCK.sub(lambda _: _COMMAND + shown + "    ...\n", text, count=1)}


def _excerpt() -> list[str]:
    console = Console(width=100, highlight=False, force_terminal=False)
    with console.capture() as captured:
        for part in summary(run("tengig")):
            console.print(part)
    lines = [line.rstrip() for line in captured.get().splitlines()]
    shown = [line for line in lines if not line or line.startswith(_SHOWN)]
    return "\n".join(shown).rstrip("\n").split("\n")
