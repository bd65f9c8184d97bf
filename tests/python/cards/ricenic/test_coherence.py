"""Check of coherence: firmware that forgets to write back or to invalidate is reported with its place."""

from pathlib import Path
from typing import Any

import pytest
from tests.python.cards.places import changed
from tests.python.cards.trouble import timeless

from spinach_nic import SpinachError, run
from spinach_nic.cards.ricenic.nic import Ricenic
from spinach_nic.firmware import Executable, build
from spinach_nic.model.simulation.recorder import CoherenceHazard
from spinach_nic.runs import CoherenceError, Finished, execute
from spinach_nic.runs.images import choose_image
from spinach_nic.runs.observers.coherence import CoherenceCheck

REQUEST: dict[str, Any] = {"traffic": "udp:18,400,1472@40kpps", "frames": 60}


def checked(firmware: str | Path) -> Finished:
    return execute("ricenic", firmware=firmware, check_coherence=True, **REQUEST)


@pytest.mark.parametrize("firmware", ["base", "split", "nat-split", "cache"])
def test_the_firmware_keeps_its_caches_coherent(firmware: str) -> None:
    assert checked(firmware).hazards == ()


def test_a_range_that_is_not_written_back_is_found(tmp_path: Path) -> None:
    firmware = changed(
        tmp_path, "ricenic/base", "ricenic/receive.c", "        store_range(entry, sizeof *entry);\n"
    )
    found = checked(firmware).hazards
    assert found
    assert {(one.kind, one.function, one.other) for one in found} == {
        ("device_reads_changed", "return_frames", "dma_write")
    }
    ring = Executable.load(firmware).symbol("returns")
    assert all(one.line in range(ring.address, ring.address + ring.bytes) for one in found)
    assert all(one.source_line is not None and "receive.c" in one.source_line for one in found)
    assert "store_range" in found[0].help


def test_a_range_that_is_not_invalidated_is_found(tmp_path: Path) -> None:
    firmware = changed(
        tmp_path, "ricenic/base", "ricenic/send.c", "    forget_entries(descriptors, described, count);\n"
    )
    found = checked(firmware).hazards
    assert found
    assert {(one.kind, one.function, one.other) for one in found} == {
        ("reads_stale", "send_descriptors_came", "dma_read")
    }
    assert "invalidate_range" in found[0].help


def test_a_device_that_writes_beside_private_data_is_found(tmp_path: Path) -> None:
    before = (
        "static struct buffer_descriptor descriptors[SLOTS] ON_OWN_LINES; /* written by the DMA unit */\n"
    )
    beside = "static struct {\n    uint32_t batches;\n    struct buffer_descriptor entries[SLOTS];\n} all;\n"
    firmware = changed(
        tmp_path,
        "ricenic/base",
        "ricenic/send.c",
        before,
        beside + "#define descriptors all.entries\n#define described_batches all.batches\n",
    )
    text = (tmp_path / "firmware/ricenic/send.c").read_text(encoding="utf-8")
    counting = text.replace(
        "    for (; count > 0; count--", "    described_batches++;\n    for (; count > 0; count--", 1
    )
    (tmp_path / "firmware/ricenic/send.c").write_text(counting, encoding="utf-8")
    firmware = build("ricenic/base", root=tmp_path / "firmware").path
    found = {(one.kind, one.function, one.other) for one in checked(firmware).hazards}
    assert ("written_below_changes", "send_descriptors_came", "dma_read") in found


def test_a_run_with_hazards_has_failed_and_is_the_same(tmp_path: Path) -> None:
    firmware = changed(
        tmp_path, "ricenic/base", "ricenic/receive.c", "        store_range(entry, sizeof *entry);\n"
    )
    plain = execute("ricenic", firmware=firmware, **REQUEST)
    finished = checked(firmware)
    assert timeless(finished.result) == timeless(plain.result)
    if finished.ending.kind == "complete":
        with pytest.raises(CoherenceError, match="return_frames"):
            finished.check()


def test_checking_changes_no_result() -> None:
    documents = [timeless(run("ricenic", check_coherence=check, **REQUEST)) for check in (False, True)]
    assert documents[0] == documents[1]


def test_a_card_without_such_caches_is_refused() -> None:
    with pytest.raises(SpinachError, match="has no data caches"):
        run("tengig", frames=1, check_coherence=True)


def test_one_at_a_time(tmp_path: Path) -> None:
    with pytest.raises(SpinachError, match="writes a timeline and checks coherence"):
        run("ricenic", frames=1, check_coherence=True, timeline=tmp_path / "timeline")


@pytest.mark.parametrize("core", ["pipelined", "functional"])
def test_every_hazard_has_a_source_line(tmp_path: Path, core: str) -> None:
    firmware = changed(
        tmp_path,
        "ricenic/base",
        "ricenic/receive.c",
        "    forget_entries(descriptors, readable, here - readable);\n",
    )
    setting = {"core": core}
    finished = execute("ricenic", firmware=firmware, check_coherence=True, frames=400, set=setting)
    assert sum(hazard.lines for hazard in finished.hazards) == 32
    for hazard in finished.hazards:
        assert hazard.function == "return_frames"
        assert hazard.source_line is not None
        name, number = hazard.source_line.rsplit(":", 1)
        assert name == "ricenic/receive.c"
        line = (tmp_path / "firmware" / name).read_text(encoding="utf-8").splitlines()[int(number) - 1]
        assert "descriptor" in line
    with pytest.raises(CoherenceError, match=r"return_frames on core 0 .*: at [\d,]+\.\d us, "):
        finished.check()


def test_hazards_with_a_known_line_come_first() -> None:
    """The instruction of an access is unknown until it completes."""
    hazards = [
        CoherenceHazard("reads_stale", 0, 32 * number, pc, True, 0, 1000 * number, 1)
        for number, pc in enumerate([None, 0x101028, None])
    ]
    check = CoherenceCheck()
    check._image = choose_image(Ricenic(), "base")
    check._devices, check._line_bytes = ["dma_read"], 32
    check._found = lambda: hazards
    check.finish(None)
    assert [hazard.source_line is None for hazard in check.hazards] == [False, True]
    assert check.hazards[1].lines == 2
