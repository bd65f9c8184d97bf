"""Released firmware: `SPINACH_TIGON2_IMAGE` is the path of the file that drivers load, if there is one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from tests.python.cards.trouble import assert_nothing_wrong

from spinach_nic import Result, run

VARIABLE = "SPINACH_TIGON2_IMAGE"


@pytest.fixture(scope="module")
def image() -> Path:
    """The file."""
    named = os.environ.get(VARIABLE)
    if not named:
        pytest.skip(f"{VARIABLE} does not name released firmware for the Tigon-2, which is not ours to ship")
    assert Path(named).is_file(), f"{VARIABLE} names {named}, which is not a file"
    return Path(named)


def carried(image: Path, traffic: str, frames: int, **settings: Any) -> Result:
    result = run("tigon2", firmware=image, traffic=traffic, frames=frames, set=settings)
    assert result.complete
    assert_nothing_wrong(result.frames)
    return result


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("settings", [{}, {"send_ring_in_host": False, "send_entries": 128}], ids=str)
def test_it_comes_up_and_carries_frames_both_ways(image: Path, settings: dict[str, Any]) -> None:
    result = carried(image, "udp:400@20kpps", 60, **settings)
    assert result.frames.delivered == {"tx": 60, "rx": 60}


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_unlimited_frames_both_ways_are_carried(image: Path) -> None:
    result = carried(image, "udp:1472", 600)
    # Until both directions are measured the faster one goes on.
    assert min(result.frames.delivered.values()) >= 600
    assert result.frames.dropped == {"tx": {}, "rx": {}}
