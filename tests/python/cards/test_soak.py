"""Random configurations in random trouble, the same ones in every gate: it judges the change and not the day.

`make soak` runs others, and each until all of its frames have passed. A failure names its seed:
`make soak NIC=tigon2 FIRST=seed COUNT=1` runs it again.
"""

from collections.abc import Callable

import pytest
from tests.python.cards import soak as tengig
from tests.python.cards.hundredgig import soak as hundredgig
from tests.python.cards.ricenic import soak as ricenic
from tests.python.cards.rosebud import soak as rosebud
from tests.python.cards.tigon2 import soak as tigon2

from spinach_nic import SpinachError
from spinach_nic.runs.result import Result

FIRST_SEED = 1000
MOST_FRAMES = 60
"""Frames each way: without a limit, three of twelve runs take nine tenths of the time."""


@pytest.mark.slow
@pytest.mark.timeout(240)
@pytest.mark.parametrize(
    ("nic", "soak", "count"),
    [
        ("hundredgig", hundredgig.soak, 12),
        ("ricenic", ricenic.soak, 12),
        ("rosebud", rosebud.soak, 20),
        ("tengig", tengig.soak, 20),
        ("tigon2", tigon2.soak, 20),
    ],
)
def test_random_trouble(nic: str, soak: Callable[[int, int], Result], count: int) -> None:
    for seed in range(FIRST_SEED, FIRST_SEED + count):
        try:
            soak(seed, MOST_FRAMES)
        except (SpinachError, AssertionError) as error:
            pytest.fail(f"make soak NIC={nic} FIRST={seed} COUNT=1 fails: {error}")
