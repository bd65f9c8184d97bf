"""Time in which cores only poll is skipped, modules sleep and are fused, and no result shows it."""

from collections.abc import Mapping
from types import ModuleType
from typing import Any

import pytest
from tests.python.cards import soak as tengig
from tests.python.cards.hundredgig import soak as hundredgig
from tests.python.cards.rosebud import soak as rosebud
from tests.python.cards.tigon2 import soak as tigon2
from tests.python.cards.trouble import timeless
from tests.python.runs.quiet import compare, request

from spinach_nic.runs import execute, session

MOST_FRAMES = 40
"""Frames each way of random configurations."""
FIRST_SEED = 1000
"""First seed, that of `test_soak`, so that images are compiled once for both."""


@pytest.mark.parametrize(
    ("traffic", "frames", "settings"),
    [
        ("udp:1472@2kpps", 4, {"cores": 6}),
        # The firmware holds back what it tells the host until a clock says so.
        ("udp:1472@100Mbps", 40, {"cores": 6}),
        ("udp:1472@100Mbps", 40, {"cores": 2, "instruction_set": "rv32"}),
        ("udp:18:rx@2kpps", 4, {"cores": 2}),
        ("udp:18:tx@2kpps", 4, {"cores": 1, "instruction_set": "ppc405"}),
    ],
)
def test_no_result_and_no_profile_changes(traffic: str, frames: int, settings: dict[str, Any]) -> None:
    assert compare({"nic": "tengig", "traffic": traffic, "frames": frames, "set": settings}) > 0


def test_random_nics_with_little_to_do_do_the_same() -> None:
    assert sum(compare(request(seed)) for seed in range(1, 13)) > 100_000


@pytest.mark.parametrize(("nic", "gap"), [("ricenic", 100), ("tengig", 400)])
def test_looks_at_a_silent_run_are_left_out_if_they_would_see_nothing(
    nic: str, gap: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    traffic = [f"udp:18,1472:tx@{gap}pps", f"udp:18,1472:rx@{gap + 37}pps,bad_crc=40%"]
    seen = []
    for looks in (100, 0):
        monkeypatch.setattr(session, "MOST_SKIPPED_POLLS", looks)
        finished = execute(nic, traffic=traffic, frames=7)
        seen.append((timeless(finished.check()), finished.session.samples.taken))
    assert seen[0] == seen[1]


Outcome = tuple[list[list[str]], Any, Any]


def outcome(arguments: Mapping[str, Any], *, as_one: bool) -> Outcome:
    """Groups of fused modules, document and counters; modules sleep and are fused if they act `as_one`."""
    finished = execute(**arguments, fusing=as_one, sleeping=as_one)
    simulation = finished.session.simulation
    return simulation.fusions(), timeless(finished.check()), dict(simulation.statistics())


@pytest.mark.parametrize(
    ("nic", "firmware", "traffic", "frames", "settings"),
    [
        ("tengig", "rmw", "udp:1472", 60, {"cores": 6}),
        ("tengig", "base", "imix", 40, {"cores": 3, "banks": 2, "core": "functional"}),
        ("tengig", "rmw", "udp:18@2Gbps", 40, {"cores": 2, "instruction_set": "rv32"}),
        ("tigon2", "uni", "udp:700", 6, {}),
        ("ricenic", "base", "udp:700", 20, {"core": "functional"}),
    ],
)
def test_a_run_is_the_same_whatever_sleeps_and_acts_as_one(
    nic: str, firmware: str, traffic: str, frames: int, settings: dict[str, Any]
) -> None:
    arguments = {"nic": nic, "firmware": firmware, "traffic": traffic, "frames": frames, "set": settings}
    groups, *fused = outcome(arguments, as_one=True)
    none, *single = outcome(arguments, as_one=False)
    assert fused == single
    assert none == []
    if nic == "tengig":
        banks = [f"scratch_pad.bank[{bank}]" for bank in range(settings.get("banks", 4))]
        assert ["scratch_pad.crossbar", *banks] in groups


@pytest.mark.parametrize("soak", [hundredgig, rosebud, tengig, tigon2])
def test_random_configurations_are_the_same_whatever_sleeps_and_acts_as_one(soak: ModuleType) -> None:
    for seed in range(FIRST_SEED, FIRST_SEED + 4):
        arguments = soak.request(seed)
        arguments["frames"] = min(arguments["frames"], MOST_FRAMES)
        _, *fused = outcome(arguments, as_one=True)
        _, *single = outcome(arguments, as_one=False)
        assert fused == single, f"seed {seed} differs"
