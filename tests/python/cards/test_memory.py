"""Memory of a run does not grow with the number of frames. `make soak-memory` shows it for a million."""

import sys

import pytest
from tests.python.cards.memory import LIMIT_KIB, NOISE_KIB, peak_kib


@pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read from /proc")
def test_memory_stays_flat() -> None:
    # 4,000 frames more of 1472 bytes are 12 MB both ways: none of them stays.
    few, many = peak_kib("udp:1472", 500), peak_kib("udp:1472", 4500)
    assert many < LIMIT_KIB
    assert many - few < NOISE_KIB
