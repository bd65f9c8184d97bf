"""Fixtures of the tests of commands."""

from pathlib import Path

import pytest
from tests.python.runs.systems import MINE


@pytest.fixture
def wires(tmp_path: Path) -> str:
    """Write a file with a NIC, and return its path."""
    file = tmp_path / "wires.py"
    file.write_text(MINE)
    return str(file)
