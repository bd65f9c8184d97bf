"""The account of frames, to the frame."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from msgspec import structs
from tests.python.runs.systems import Wires

from spinach_nic import simulate, us
from spinach_nic.benches import BenchProbes
from spinach_nic.runs.accounting import Accounts, DirectionCounts
from spinach_nic.traffic import plan_traffic

NONE = DirectionCounts(
    offered=20,
    delivered=0,
    bytes=0,
    payload_bytes=0,
    corrupted=0,
    reordered=0,
    duplicated=0,
    skipped=0,
    doubled_on_wire=0,
    reordered_on_wire=0,
    last_delivery_fs=0,
    dropped={},
)
DROPPED = {"mac": {"runt": 2, "checksum": 1}, "ring": {"full": 1}}


@pytest.mark.parametrize(
    ("counts", "in_flight"),
    [
        ({}, 20),
        ({"delivered": 7}, 13),
        ({"delivered": 7, "reordered": 3}, 13),
        ({"delivered": 7, "reordered": 3, "corrupted": 2}, 11),
        ({"delivered": 7, "reordered": 3, "corrupted": 2, "dropped": DROPPED}, 7),
        ({"delivered": 7, "doubled_on_wire": 3}, 16),
        ({"delivered": 7, "doubled_on_wire": 3, "duplicated": 2}, 14),
        ({"delivered": 7, "doubled_on_wire": 3, "duplicated": 5}, 13),
    ],
)
def test_in_flight_is_what_neither_arrived_nor_was_dropped(counts: dict[str, Any], in_flight: int) -> None:
    assert structs.replace(NONE, **counts).in_flight == in_flight


@pytest.mark.parametrize(
    ("counts", "progress"),
    [
        ({}, 0),
        ({"delivered": 7, "reordered": 3}, 7),
        ({"delivered": 7, "corrupted": 3}, 10),
        ({"delivered": 7, "dropped": DROPPED}, 10),
        ({"dropped": {"mac": {"ring_full": 4, "no_buffer": 3}, "firmware": {"no_connection": 2}}}, 2),
        ({"delivered": 7, "doubled_on_wire": 3}, 7),
    ],
)
def test_progress_is_what_arrived_or_was_dropped_with_room_for_it(
    counts: dict[str, Any], progress: int
) -> None:
    assert structs.replace(NONE, **counts).progress == progress


def test_refused_frames_are_those_dropped_for_lack_of_room() -> None:
    assert structs.replace(NONE, dropped=DROPPED).refused == 1
    dropped = {"mac": {"ring_full": 4, "no_buffer": 3, "no_connection": 2}, "port": {"no_slot": 1}}
    assert structs.replace(NONE, dropped=dropped).refused == 8


@pytest.mark.parametrize(
    ("counts", "wrong"),
    [
        ({}, (0, 0, 0, 0)),
        ({"corrupted": 2}, (2, 0, 0, 0)),
        ({"reordered": 5}, (0, 5, 0, 0)),
        ({"reordered": 5, "reordered_on_wire": 2}, (0, 3, 0, 0)),
        ({"reordered": 2, "reordered_on_wire": 5}, (0, 0, 0, 0)),
        ({"duplicated": 5, "doubled_on_wire": 3}, (0, 0, 2, 0)),
        ({"duplicated": 3, "doubled_on_wire": 5}, (0, 0, 0, 0)),
        ({"skipped": 9}, (0, 0, 0, 9)),
        ({"skipped": 9, "reordered": 2}, (0, 2, 0, 7)),
        ({"skipped": 9, "reordered": 2, "reordered_on_wire": 4}, (0, 0, 0, 5)),
        ({"skipped": 9, "corrupted": 3}, (3, 0, 0, 6)),
        ({"skipped": 9, "corrupted": 3, "dropped": DROPPED}, (3, 0, 0, 2)),
        ({"skipped": 3, "dropped": DROPPED}, (0, 0, 0, 0)),
    ],
)
def test_frames_that_the_card_mishandled_are_not_those_of_the_wire(
    counts: dict[str, Any], wrong: tuple[int, int, int, int]
) -> None:
    assert tuple(structs.replace(NONE, **counts).wrong.values()) == wrong


def test_counts_do_not_change() -> None:
    with pytest.raises(AttributeError):
        NONE.offered = 3  # type: ignore[misc]


class Discards(Wires):
    """A counter that is named as the frames that a part discards."""

    summary = "Two links with discards"

    def probes(self) -> BenchProbes:
        """Count what the sink has delivered as discarded, too."""
        probes = super().probes()
        return replace(probes, tx=replace(probes.tx, discards={"filtered": (self.sink, "delivered")}))


def test_drops_are_counted_by_place_and_reason() -> None:
    plans = plan_traffic(["imix"], frames=30, seed=1, largest_frame=1514)
    system = Discards(tx=plans.tx, rx=plans.rx)
    simulation = simulate(system)
    simulation.run(us(200))
    counters = simulation.statistics()
    counts = Accounts(system.probes()).counts(counters)
    delivered = counters.of(system.sink, "delivered")
    assert delivered > 0
    assert counts["tx"].dropped == {"sink": {"filtered": delivered}}
    assert counts["rx"].dropped == {}
    assert counts["rx"].delivered == counters.of(system.end, "delivered")
