"""The 10 Gb/s NIC does the same work whatever its cores execute."""

from pathlib import Path

import pytest
from tests.python.cards.trouble import IMAGES, settings_for

import spinach_nic
from spinach_nic import SpinachError
from spinach_nic.studies.analysis import issue_limit_table, issue_limits


@pytest.mark.parametrize(("core", "frames"), [("functional", 60), ("pipelined", 400)])
@pytest.mark.parametrize("firmware", IMAGES)
@pytest.mark.parametrize("instruction_set", ["rv32", "ppc405"])
def test_cores_of_other_sets_pass_all_frames(
    core: str, frames: int, firmware: str, instruction_set: str
) -> None:
    settings = settings_for(firmware, {"instruction_set": instruction_set, "core": core})
    # At line rate the published organisation drops frames on RV32 cores.
    traffic = "udp:1472@5Gbps" if firmware.startswith("published") else "udp:1472"
    result = spinach_nic.run("tengig", set=settings, firmware=firmware, traffic=traffic, frames=frames)
    assert result.complete
    counts = result.frames
    assert counts.delivered == counts.offered
    assert min(counts.delivered.values()) >= frames
    for wrong in (counts.corrupted, counts.reordered, counts.duplicated):
        assert wrong == {"tx": 0, "rx": 0}
    assert result.tasks["send_frame"].instructions > 100


@pytest.mark.parametrize("instruction_set", ["rv32", "ppc405"])
def test_traces_of_cores_of_other_sets_can_be_studied(tmp_path: Path, instruction_set: str) -> None:
    spinach_nic.run("tengig", set={"instruction_set": instruction_set}, frames=30, traces=tmp_path)
    limits = issue_limits(tmp_path / "instructions.parquet", issue_limit_table())
    assert limits[0].instructions_per_cycle == 1.0
    assert max(limit.instructions_per_cycle for limit in limits) > 2


def test_cores_that_execute_one_set_say_so() -> None:
    with pytest.raises(SpinachError, match="a composed core executes mips, not rv32"):
        spinach_nic.run("tengig", set={"instruction_set": "rv32", "core": "composed"}, frames=1)
