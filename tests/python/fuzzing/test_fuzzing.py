"""No file can break a reader, hang it, or make it take all memory. `make fuzz` continues for longer."""

import sys

import pytest
from tests.python.fuzzing.harness import fuzz
from tests.python.fuzzing.readers import READERS

SECONDS = 2.0


@pytest.mark.skipif(sys.platform != "linux", reason="memory is bounded as on Linux")
@pytest.mark.parametrize("reader", READERS)
def test_damaged_files_are_refused_or_read(reader: str) -> None:
    outcome = fuzz(reader, first=1, count=3000, seconds=SECONDS)
    assert not outcome.findings, "\n".join(map(str, outcome.findings))
    assert outcome.read + outcome.refused > 0
