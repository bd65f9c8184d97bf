"""Random configurations in random trouble, other ones every day, for about a minute for each NIC.

A failure names its seed: `make soak NIC=tigon2 FIRST=seed COUNT=1` runs it again, on any day.
"""

import os
import time
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from tests.python.cards import soak as tengig
from tests.python.cards.ricenic import soak as ricenic
from tests.python.cards.rosebud import soak as rosebud
from tests.python.cards.tigon2 import soak as tigon2

from spinach_nic import SpinachError
from spinach_nic.runs.result import Result

SECONDS = float(os.environ.get("SPINACH_SOAK_SECONDS", "12"))
SEEDS_A_DAY = 10_000


@pytest.mark.slow
@pytest.mark.timeout(240)
@pytest.mark.parametrize(
    ("nic", "soak"),
    [
        ("ricenic", ricenic.soak),
        ("rosebud", rosebud.soak),
        ("tengig", tengig.soak),
        ("tigon2", tigon2.soak),
    ],
)
def test_seeds_of_the_day(nic: str, soak: Callable[[int], Result]) -> None:
    seed = int(datetime.now(UTC).strftime("%Y%m%d")) * SEEDS_A_DAY
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        try:
            soak(seed)
        except (SpinachError, AssertionError) as error:
            pytest.fail(f"make soak NIC={nic} FIRST={seed} COUNT=1 fails: {error}")
        seed += 1
