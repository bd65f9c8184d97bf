"""The 10 Gb/s NIC with VLIW cores: scheduled firmware delivers every frame, byte by byte."""

import pytest
from tests.python.cards.trouble import IMAGES

from spinach_nic import SpinachError, run


@pytest.mark.parametrize("units", [(1, 1), (3, 3)])
@pytest.mark.parametrize("cores", [1, 4])
@pytest.mark.parametrize("firmware", [image for image in IMAGES if image != "event-queue"])
def test_scheduled_firmware_delivers_every_frame(firmware: str, cores: int, units: tuple[int, int]) -> None:
    settings = {"core": "vliw", "cores": cores, "integer_units": units[0], "load_store_units": units[1]}
    result = run("tengig", traffic="imix@1Gbps", frames=99, firmware=firmware, set=settings)
    assert result.complete
    assert result.frames.delivered == {"tx": 99, "rx": 99}
    assert sum(result.frames.corrupted.values()) + sum(result.frames.reordered.values()) == 0
    for core in result.cores:
        assert sum(core.cycles.values()) == pytest.approx(1)


def test_sleeping_changes_nothing() -> None:
    settings = {"core": "vliw", "cores": 2}
    results = [run("tengig", frames=99, set=settings, sleeping=sleeping) for sleeping in (True, False)]
    assert results[0].cores == results[1].cores
    assert results[0].simulated_cycles == results[1].simulated_cycles


def test_tasks_are_told_apart_in_scheduled_code() -> None:
    result = run("tengig", frames=300, set={"core": "vliw", "cores": 1})
    assert result.tasks["send_frame"].instructions > 20


def test_too_many_units_are_refused() -> None:
    with pytest.raises(SpinachError, match="load_store_units"):
        run("tengig", frames=1, set={"core": "vliw", "load_store_units": 9})
