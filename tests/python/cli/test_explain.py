"""`spinach explain`: the bottleneck of a configuration."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest
from msgspec import structs
from tests.python.conftest import Started

from spinach_nic import MHz, SpinachError
from spinach_nic.studies.explaining import Explanation, Sensitivity, Variation, explain, figure_text
from spinach_nic.studies.sweeping import SweepPoint
from spinach_nic.support.measured import Measured
from spinach_nic.support.parallel import Carried

ONE_CORE = SweepPoint(
    "tengig",
    (("frames", ("600",)), ("traffic", ("udp:1472",))),
    (("cores", "1"), ("core", "functional")),
)


def test_the_clock_of_one_functional_core_is_the_bottleneck_and_units_of_another_core_are_not() -> None:
    found = explain(ONE_CORE, vary=["integer_units", "core_clock", "frame_memory_size"])
    slopes = {one.parameter: slope.value for one in found.sensitivities if (slope := one.slopes["wire_gbps"])}
    # Twice the clock is twice the throughput, but for what waits for the host.
    assert 0.7 < slopes["core_clock"] < 1.3
    assert slopes["integer_units"] == slopes["frame_memory_size"] == 0
    assert found.sensitivities[0].parameter == "core_clock"
    assert found.summary.startswith("bottleneck: core_clock; 1 % more gives")


def test_what_is_only_a_power_of_two_is_doubled_and_halved() -> None:
    (found,) = explain(ONE_CORE, vary=["cache_size"], figures=["tx.frames_per_s"]).sensitivities
    assert found.less is not None
    assert found.more is not None
    assert (found.less.value, found.less.factor) == ("4KiB", 0.5)
    assert (found.more.value, found.more.factor) == ("16KiB", 2.0)


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> Callable[[Mapping[str, tuple[float, float] | None]], None]:
    """Make runs give these rates and errors of sending, by number of cores; `None` fails."""
    real = ONE_CORE.carry_out()

    def carried(point: SweepPoint, rates: Mapping[str, tuple[float, float] | None]) -> Carried:
        rate = rates[dict(point.settings)["cores"]]
        if rate is None:
            return Carried(None, "the firmware faults", 3)
        tx = replace(real.tx, wire_gbps=rate[0], wire_gbps_error=rate[1], line_rate_fraction=rate[0] / 10)
        rx = replace(real.rx, frames=0, line_rate_fraction=0.0)
        return Carried(structs.replace(real, tx=tx, rx=rx), None, 0)

    def fake(rates: Mapping[str, tuple[float, float] | None]) -> None:
        monkeypatch.setattr(
            "spinach_nic.studies.explaining.carry_out_all",
            lambda points, jobs: [(point, carried(point, rates)) for point in points],
        )
        monkeypatch.setattr(SweepPoint, "carry_out", lambda point: carried(point, rates).outcome)

    return fake


@pytest.mark.parametrize(
    ("rates", "said"),
    [
        # Two comparisons: errors that hold for both are 1.1436 times those of one.
        (
            {"5": (7.0, 0.1), "4": (6.8, 0.1), "6": (7.17, 0.1)},
            "bottleneck: cores; 1 % more gives 0.13 ± 0.1",
        ),
        (
            {"5": (7.0, 0.1), "4": (6.9, 0.1), "6": (7.1, 0.1)},
            "no measurable difference: no varied parameter",
        ),
        ({"5": (9.95, 0.1), "4": (9.93, 0.1), "6": (9.9, 0.1)}, "bottleneck: the link; no varied parameter"),
        # Only less changes the rate.
        (
            {"5": (9.95, 0.1), "4": (8.0, 0.1), "6": (9.95, 0.1)},
            "bottleneck: the link; no varied parameter raises wire_gbps measurably; "
            "cores lowers it most, 1 % less gives 0.978 ± 0.082 % less wire_gbps",
        ),
        (
            {"5": (7.0, 0.1), "4": (6.0, 0.1), "6": (7.0, 0.1)},
            "balanced, or limited by the offered traffic",
        ),
        (
            {"5": (7.0, 0.1), "4": (6.0, 0.1), "6": None, "10": None},
            "bottleneck: cores; 1 % less gives 0.691 ± 0.098 % less wire_gbps",
        ),
        (
            {"5": (9.95, 0.1), "4": None, "3": None, "2": None, "6": None, "10": None},
            "no conclusion: every",
        ),
    ],
)
def test_noise_and_failure_are_no_cause(
    measured: Callable[[Mapping[str, tuple[float, float] | None]], None],
    rates: Mapping[str, tuple[float, float] | None],
    said: str,
) -> None:
    measured(rates)
    point = SweepPoint(ONE_CORE.nic, ONE_CORE.options, (("cores", "5"),))
    found = explain(point, vary=["cores"])
    assert found.summary.startswith(said)
    document = found.document()
    assert document["summary"] == found.summary
    assert document["figure_errors"]["wire_gbps"] == rates["5"][1]  # type: ignore[index]


def sensitivity(parameter: str, less: float | None, more: float | None) -> Sensitivity:
    """Slopes of the variations of a parameter, each with an error of 0.1."""

    def variation(slope: float | None, factor: float) -> Variation | None:
        slopes = {"rate": None if slope is None else Measured(slope, 0.1)}
        return None if slope is None else Variation("", factor, {}, slopes=slopes)

    steeper = max((slope for slope in (less, more) if slope is not None), key=abs)
    return Sensitivity(
        parameter, "", variation(less, 0.9), variation(more, 1.1), {"rate": Measured(steeper, 0.1)}
    )


@pytest.mark.parametrize(
    ("less", "more", "said"),
    [
        (-0.5, -0.5, "; largest cost: delay; 1 % less gives 0.5 ± 0.1 % more rate"),
        # The side that gains counts, rather than the steeper one.
        (-0.3, -0.9, "; largest cost: delay; 1 % less gives 0.3 ± 0.1 % more rate"),
        (0.0, -0.9, ""),
        (-0.05, -0.9, ""),
        # It cannot be less.
        (None, -0.9, "; largest cost: delay; 1 % more gives 0.9 ± 0.1 % less rate"),
    ],
)
def test_a_cost_is_what_less_of_would_help(less: float | None, more: float, said: str) -> None:
    others = [sensitivity("clock", 1.0, 1.0), sensitivity("other", 0.0, -0.8)]
    every = [*others, sensitivity("delay", less, more)]
    found = Explanation({"rate": Measured(5.0, 0.01)}, every, None)
    assert found.summary == f"bottleneck: clock; 1 % more gives 1 ± 0.1 % more rate{said}"


def test_the_largest_of_costs_is_that_of_the_largest_gain() -> None:
    every = [
        sensitivity("clock", 1.0, 1.0),
        sensitivity("steep", -0.2, -0.9),
        sensitivity("delay", -0.4, 0.0),
    ]
    found = Explanation({"rate": Measured(5.0, 0.01)}, every, None)
    assert "largest cost: delay; 1 % less gives 0.4 ± 0.1 % more rate" in found.summary


def test_a_figure_without_an_error_has_no_bottleneck() -> None:
    found = explain(ONE_CORE, vary=["core_clock", "frame_memory_size"], figures=["latency_ns", "wire_gbps"])
    assert found.summary.startswith(
        "no conclusion: the error of latency_ns is not known; the largest change is that of core_clock;"
    )
    clock, memory = found.sensitivities
    assert not clock.is_measurable("latency_ns")
    assert clock.is_measurable("wire_gbps")
    assert found.slope_text(clock, "latency_ns").endswith(" ± ? %")
    assert found.slope_text(memory, "latency_ns") == "0"
    document = json.loads(json.dumps(found.document(), allow_nan=False))
    assert document["figure_errors"]["latency_ns"] is None
    assert document["sensitivities"][0]["slope_errors"]["latency_ns"] is None
    assert document["sensitivities"][0]["slope_errors"]["wire_gbps"] > 0


def test_a_mean_latency_needs_that_of_each_direction_with_traffic() -> None:
    # The card drops all frames from the wire.
    traffic = ("traffic", ("udp:1472:tx", "udp:1472:rx,bad_crc=100%"))
    point = SweepPoint("tengig", (("frames", ("100",)), traffic), (("cores", "1"), ("core", "functional")))
    found = explain(point, vary=["core_clock"], figures=["latency_ns"])
    assert found.figures == {"latency_ns": None}
    assert found.summary.startswith("no conclusion: latency_ns was not measured")


def test_a_counter_of_drops_without_any_is_0() -> None:
    name = "frames.dropped.rx.mac_receive.ring_full"
    sending = replace(ONE_CORE, options=(("frames", ("100",)), ("traffic", ("udp:1472:tx",))))
    found = explain(sending, vary=["core_clock"], figures=[name])
    assert found.figures == {name: Measured(0.0)}
    assert found.summary == f"no conclusion: {name} is 0, which has no percentage"


def test_the_names_of_figures_are_listed_once() -> None:
    with pytest.raises(SpinachError) as raised:
        explain(ONE_CORE, vary=["cores"], figures=["xyzzy"])
    names = raised.value.help.removeprefix("valid names: ").partition(" and ")[0].split(", ")
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (17.7432, "17.743"),
        (99999.7, "100,000"),
        (281093.7, "281,090"),
        (-1234567.0, "-1,234,600"),
        (1e20, "1e+20"),
    ],
)
def test_large_figures_have_no_exponent(value: float, shown: str) -> None:
    assert figure_text(Measured(value)) == shown


def test_nothing_varied_is_no_conclusion() -> None:
    nothing = Explanation({"wire_gbps": Measured(9.99, 0.01)}, [], 0.999)
    assert nothing.summary == "no conclusion: no parameter was varied"
    unmeasured = Explanation({"wire_gbps": None}, [], None, "too few deliveries")
    assert unmeasured.summary == "no conclusion: wire_gbps was not measured: too few deliveries"


@pytest.mark.parametrize(
    ("vary", "figures", "said"),
    [
        (["core"], ["wire_gbps"], "core is not a number"),
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
        "1000",
        "--vary",
        "core_clock",
    ]
    said, complaints = started.spinach("explain", *words, "--jobs", "1").communicate(timeout=50)
    assert not complaints
    assert "bottleneck: core_clock" in said.splitlines()[-1]
    document, _ = started.spinach("explain", *words, "--jobs", "1", "--json", "-").communicate(timeout=50)
    found = json.loads(document)
    assert found["sensitivities"][0]["parameter"] == "core_clock"
    assert found["summary"] == said.splitlines()[-1]


def test_a_nic_is_explained_like_it_is_run() -> None:
    settings = {"cores": 2, "core_clock": MHz(100)}
    point = SweepPoint.of("tengig", {"frames": 40, "traffic": "udp:18", "set": settings})
    options = (("frames", ("40",)), ("traffic", ("udp:18",)))
    assert point == SweepPoint("tengig", options, (("cores", "2"), ("core_clock", "100 MHz")))
    with pytest.raises(SpinachError, match="has no option 'wire'"):
        explain("tengig", wire="tap:x")
    found = explain("tengig", vary=["cores"], frames=40, set={"core": "functional", "cores": 1})
    assert [one.parameter for one in found.sensitivities] == ["cores"]
