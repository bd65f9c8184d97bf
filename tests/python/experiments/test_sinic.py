"""Claims on SINIC: what they compare, and windows of reduced runs."""

import pytest

from spinach_nic.experiments._sinic import (
    BACKLOG,
    CARD_QUEUE_KIB,
    DRAINED,
    SECOND_LEVEL_KIB,
    SINIC,
    USUAL_QUEUE_KIB,
    V_SINIC,
    ZERO_COPY,
    Receiver,
    windows,
    zero_copy_points,
)
from spinach_nic.experiments.runner import FULL, QUICK, Claim, Extent, Row, find_experiment

REDUCED = Extent("reduced", share_of_frames=0.0, largest_selection=1)


def test_quick_runs_are_warmed_up_and_only_single_points_are_not() -> None:
    assert windows(FULL) == (20_000_000, 10_000_000)
    assert windows(QUICK) == (10_000_000, 5_000_000)
    assert windows(REDUCED) == (4_000_000, 2_000_000)


def test_a_reduced_run_has_the_points_that_claims_need_alone() -> None:
    runs = [point.request for point in zero_copy_points(REDUCED, lambda _: {})]
    receivers = [
        Receiver(card=card, second_level_kib=size) for card in (SINIC, V_SINIC) for size in (512, 1024, 8192)
    ]
    receivers += [
        Receiver(card=ZERO_COPY, second_level_kib=size, queue_kib=CARD_QUEUE_KIB)
        for size in (512, 1024, 8192)
    ]
    receivers += [Receiver(card=SINIC, second_level_kib=512, queue_kib=CARD_QUEUE_KIB)]
    expected = [it.point(REDUCED, lambda _: {}).request for it in receivers]
    assert set(runs) == set(expected)


def row(card: str, size: int, gbps: float, *, queue: int = USUAL_QUEUE_KIB, **other: str | int) -> Row:
    place: dict[str, str | int] = {"clock_ghz": 4, "link_gbps": 10, "start": BACKLOG, **other}
    figures = {"received_gbps": gbps, "misses_per_kb": gbps, "copy": gbps, "stack": gbps}
    return {"card": card, "second_level_kib": size, "queue_kib": queue, **place, **figures}


def rows(*, slower: float = 0.97) -> list[Row]:
    """Rows as the paper states them, between rows with other clocks, links, starts and queues."""
    found = []
    for size in SECOND_LEVEL_KIB:
        carried = 6.0 if size <= 1024 else 9.8
        found += [row(SINIC, size, carried), row(V_SINIC, size, (slower if size == 512 else 0.97) * carried)]
        found += [row(ZERO_COPY, size, 9.8, queue=CARD_QUEUE_KIB), row(ZERO_COPY, size, 1.0)]
        found += [row(SINIC, size, 1.0, clock_ghz=2), row(SINIC, size, 1.0, link_gbps=40)]
        found += [row(SINIC, size, 1.0, start=DRAINED)]
    return [*found, row(SINIC, 512, 6.2, queue=CARD_QUEUE_KIB)]


def claims(name: str, of: list[Row]) -> dict[str, Claim]:
    return {claim.text: claim for claim in find_experiment(name).claims(of)}


def test_figure_4_judges_the_clock_and_the_link_of_the_paper() -> None:
    found = claims("sinic-figure-4", rows())
    assert all(claim.holds for claim in found.values()), found
    assert not any("GHz" in text for text in found)
    gain = found["zero copy carries 50 % more than SINIC with 512 KiB, both with queues of 32 KiB"]
    assert gain.figure == pytest.approx(9.8 / 6.2)


def test_v_sinic_is_judged_with_every_cache() -> None:
    found = claims("sinic-figure-4", rows(slower=0.93))
    slightly = found["V-SINIC without zero copy is only slightly slower with every cache"]
    assert slightly.verdict == "does not hold"
    assert slightly.figure == pytest.approx(0.93)
    assert "our bound" in slightly.criterion


def test_figure_6_compares_equal_queues() -> None:
    found = claims("sinic-figure-6", rows())
    assert [claim.figure for claim in found.values()] == [pytest.approx(9.8 / 6.2)] * 2
