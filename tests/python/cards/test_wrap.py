"""Indices of 32 bits wrap around in the host, the firmware and the assists, and nothing is lost by it."""

import pytest
from tests.python.cards.test_tengig import assert_accounted
from tests.python.cards.trouble import IMAGES, settings_for

from spinach_nic.runs import execute, run


@pytest.mark.parametrize("firmware", IMAGES)
@pytest.mark.parametrize("before", [1, 2, 300, 301])
def test_every_index_wraps_around(firmware: str, before: int) -> None:
    # 400 frames take 400 indices of frames, 800 of descriptors to send, and more of DMA transfers.
    settings = settings_for(firmware, {"first_index": 2**32 - before})
    result = run("tengig", firmware=firmware, traffic="udp:200", frames=400, set=settings)
    assert_accounted(result)
    assert result.frames.delivered["tx"] >= 400


@pytest.mark.parametrize("firmware", IMAGES)
def test_where_indices_begin_does_not_matter(firmware: str) -> None:
    # From a multiple of all ring sizes on, the same places in the rings are used.
    ends = [
        run(
            "tengig", firmware=firmware, traffic="imix", frames=99, set=settings_for(firmware, settings)
        ).frames
        for settings in ({"first_index": 0}, {"first_index": 2**32 - 1024})
    ]
    assert ends[0] == ends[1]


def test_the_host_hears_as_often_as_coalescing_says() -> None:
    def frames_per_interrupt(coalescing: int) -> float:
        settings = {"send_coalescing": coalescing, "coalescing_time": "1ms"}
        finished = execute("tengig", traffic="udp:1472:tx", frames=600, set=settings)
        interrupts = finished.session.simulation.statistics()["host.interrupts"]
        return finished.result.frames.delivered["tx"] / interrupts

    assert 60 <= frames_per_interrupt(60) <= 75
    assert 10 <= frames_per_interrupt(10) <= 15
