"""Processors without work rest, whatever the image, and wake for each device that has some."""

import pytest
from tests.python.cards.ricenic.soak import assert_accounted
from tests.python.cards.trouble import timeless

from spinach_nic import ms, run

IMAGES = ("base", "split", "nat", "nat-split", "cdna")


@pytest.mark.parametrize("firmware", IMAGES)
def test_silence_is_rested_away_and_frames_that_break_it_pass(firmware: str) -> None:
    # The frames of both directions come at different times.
    traffic = ["udp:18,1472:tx@300pps", "udp:18,1472:rx@170pps"]
    result = run("ricenic", firmware=firmware, traffic=traffic, time=ms(100))
    assert not any(result.frames.in_flight.values())
    assert (result.frames.delivered["tx"], result.frames.delivered["rx"]) == (30, 17)
    for core in result.cores[: 2 if firmware.endswith("split") else 1]:
        assert core.cycles["halted"] > 0.95


@pytest.mark.parametrize("core", ["functional", "pipelined"])
@pytest.mark.parametrize("firmware", IMAGES)
def test_resting_and_sleeping_change_nothing(firmware: str, core: str) -> None:
    traffic = ["udp:18,700:tx@9kpps", "udp:18,700:rx@7kpps"]
    documents = []
    for sleeping in (True, False):
        result = run(
            "ricenic",
            firmware=firmware,
            traffic=traffic,
            frames=8,
            set={"core": core},
            sleeping=sleeping,
        )
        assert_accounted(result)
        documents.append(timeless(result))
    assert documents[0] == documents[1]


@pytest.mark.parametrize("firmware", IMAGES)
def test_a_second_of_silence_is_skipped(firmware: str) -> None:
    # A run that does not skip takes minutes.
    result = run("ricenic", firmware=firmware, traffic="udp:1472@2pps", time=ms(1000))
    assert result.frames.delivered == {"tx": 2, "rx": 2}
    assert result.cores[0].cycles["halted"] > 0.999


@pytest.mark.parametrize("firmware", IMAGES)
def test_polling_counts_as_idle_and_falls_as_the_processor_binds(firmware: str) -> None:
    # The link binds with the longest frames, processors with the shortest.
    idle, busy = (
        run("ricenic", firmware=firmware, traffic=traffic, frames=60).tasks["idle"].share_of_cycles
        for traffic in ("udp:1472", "udp:18")
    )
    assert idle > 1.5 * busy > 0
