"""Tables of summaries."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from spinach_nic.cli.summary import Table


def printed(shown: object, width: int) -> str:
    console = Console(
        file=io.StringIO(), width=width, highlight=False, force_terminal=True, color_system=None
    )
    with console.capture() as capture:
        console.print(shown)
    return capture.get()


@pytest.mark.parametrize("width", [12, 29, 30, 80])
def test_a_table_looks_as_one_of_rich(width: int) -> None:
    table = Table("memories", "Gb/s", "of peak")
    table.add_row("scratch pad", "6.50", "30.6%")
    table.add_row("表[bold]", "-", "")
    table.add_row("x\x1b", "1,000.25", "in one line")
    assert printed(table, width) == printed(table.folding(), width)


def test_control_characters_are_escaped() -> None:
    table = Table("", "tx")
    table.add_row("a\x1b[1m", "1")
    assert printed(table, 80).splitlines()[1].startswith("a\\x1b[1m  ")
