"""Time in which cores only poll is skipped, and no result shows it."""

from typing import Any

import pytest
from tests.python.nics.trouble import timeless

from spinach_nic.profiling import profile_of
from spinach_nic.running import execute


@pytest.mark.parametrize(
    ("traffic", "settings"),
    [
        ("udp:1472@2kpps", {"cores": 6}),
        ("udp:18:rx@2kpps", {"cores": 2}),
        ("udp:18:tx@2kpps", {"cores": 1, "instruction_set": "ppc405"}),
    ],
)
def test_no_result_and_no_profile_changes(traffic: str, settings: dict[str, Any]) -> None:
    def outcome(*, idle_skip: bool) -> tuple[int, Any, Any]:
        finished = execute("tengig", traffic=traffic, frames=4, set=settings, idle_skip=idle_skip)
        functions = profile_of(finished).functions
        return finished.session.simulation.repeated_cycles(), timeless(finished.check()), functions

    skipped, *with_skips = outcome(idle_skip=True)
    none, *without = outcome(idle_skip=False)
    assert with_skips == without
    assert skipped > 0
    assert none == 0
