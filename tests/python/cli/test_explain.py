"""`spinach explain`: the bottleneck of a configuration."""

import json

import pytest
from tests.python.conftest import Started

from spinach_nic import SpinachError
from spinach_nic.explaining import explain
from spinach_nic.sweeping import SweepPoint

ONE_CORE = SweepPoint(
    "tengig",
    (("frames", ("600",)), ("traffic", ("udp:1472",))),
    (("cores", "1"), ("core", "functional")),
)


def test_the_clock_of_one_functional_core_binds_and_units_of_another_core_do_not() -> None:
    found = explain(ONE_CORE, vary=["integer_units", "core_clock", "frame_memory_size"])
    slopes = {one.parameter: one.slopes["wire_gbps"] for one in found.sensitivities}
    # Twice the clock is twice the throughput, but for what waits for the host.
    assert 0.7 < slopes["core_clock"] < 1.3
    assert slopes["integer_units"] == slopes["frame_memory_size"] == 0
    assert found.sensitivities[0].parameter == "core_clock"
    assert found.summary.startswith("core_clock binds: 1 % more of it gives")


def test_what_is_only_a_power_of_two_is_doubled_and_halved() -> None:
    (found,) = explain(ONE_CORE, vary=["cache_size"], figures=["tx.frames_per_s"]).sensitivities
    assert found.less is not None
    assert found.more is not None
    assert (found.less.value, found.less.factor) == ("4KiB", 0.5)
    assert (found.more.value, found.more.factor) == ("16KiB", 2.0)


@pytest.mark.parametrize(
    ("vary", "figures", "said"),
    [
        (["core"], ["wire_gbps"], "core is no number"),
        (["colour"], ["wire_gbps"], "no part or parameter 'colour'"),
        (["cores"], ["wire_gbs"], "no figure 'wire_gbs'"),
    ],
)
def test_what_cannot_be_varied_or_seen_is_refused(vary: list[str], figures: list[str], said: str) -> None:
    with pytest.raises(SpinachError, match=said):
        explain(ONE_CORE, vary=vary, figures=figures)


def test_the_command_prints_a_table_and_writes_it(started: Started) -> None:
    words = [
        "tengig",
        "--set",
        "cores=1",
        "--set",
        "core=functional",
        "--frames",
        "60",
        "--vary",
        "core_clock",
    ]
    said, complaints = started.spinach("explain", *words, "--jobs", "1").communicate(timeout=50)
    assert not complaints
    assert "core_clock binds" in said.splitlines()[-1]
    document, _ = started.spinach("explain", *words, "--jobs", "1", "--json", "-").communicate(timeout=50)
    found = json.loads(document)
    assert found["sensitivities"][0]["parameter"] == "core_clock"
    assert found["summary"] == said.splitlines()[-1]
