"""The commands on the pages of the Tigon-2 work as printed."""

import shlex
from pathlib import Path

import pytest

from spinach_nic.cli import carry_out

DOCS = Path(__file__).parents[4] / "docs"
BLOCKS = [
    block.strip().splitlines()
    for page in ("tigon2.md", "released-firmware.md")
    for block in (DOCS / page).read_text(encoding="utf-8").split("\n\n")
    if block.startswith("    spinach ")
]


@pytest.mark.slow
@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block[0].split()[1])
def test_the_commands_of_the_page(block: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for line in block:
        command, *words = shlex.split(line)
        assert command == "spinach"
        # Experiments take minutes and have separate tests.
        if words[0] != "reproduce":
            assert carry_out(words) == 0
