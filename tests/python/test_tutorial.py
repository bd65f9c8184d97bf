"""The tutorial does what it says: its commands run, its changes apply, its output is what comes out."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "tutorial.md"
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block of the page."""

    language: str
    file: str
    text: str


def blocks() -> list[Block]:
    return [Block(*found) for found in BLOCK.findall(PAGE.read_text())]


def commands(text: str) -> list[tuple[str, list[str]]]:
    """Each command with the lines that it prints, among others."""
    pieces = re.split(r"^\$ ", text, flags=re.MULTILINE)
    assert pieces[0] == ""
    return [(lines[0], lines[1:]) for lines in (piece.splitlines() for piece in pieces[1:])]


def apply(change: str, file: Path) -> None:
    """Apply a change at the only place of a file that has its unchanged lines."""
    lines = change.splitlines()
    before = "".join(f"{line[1:]}\n" for line in lines if not line.startswith("+"))
    after = "".join(f"{line[1:]}\n" for line in lines if not line.startswith("-"))
    text = file.read_text()
    assert text.count(before) == 1, f"{file.name} does not have this once:\n{before}"
    file.write_text(text.replace(before, after))


def assert_prints(command: str, expected: list[str], folder: Path) -> None:
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, f"{command}: {done.stderr}"
    assert done.stderr == ""
    printed = iter(done.stdout.splitlines())
    for line in expected:
        # In this order, perhaps with others between; a line may be cut short.
        assert any(other.startswith(line) for other in printed), (
            f"{command} does not print\n{line}\n{done.stdout}"
        )


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_every_step_of_the_tutorial_works(tmp_path: Path) -> None:
    steps = blocks()
    assert {step.language for step in steps} == {"console", "diff", "python"}
    for step in steps:
        if step.language == "console":
            for command, expected in commands(step.text):
                assert_prints(command, expected, tmp_path)
        elif step.language == "diff":
            apply(step.text, tmp_path / step.file)
        else:
            (tmp_path / step.file).write_text(step.text)
