"""Measuring workloads of timed servers: from checkpoints, equally each time."""

from dataclasses import replace
from pathlib import Path

import pytest

from spinach_nic import servers
from spinach_nic.runs.measuring import ServerRun, mean_of, timing_of
from spinach_nic.runs.server_result import BootResult
from spinach_nic.servers import linux
from spinach_nic.servers.workloads import UNDER_TEST
from spinach_nic.support.measured import Measured

CYCLES = 1_000_000


def run_of(card: str, attachment: str, workload: str = "maerts", *, zero_copy: bool = False) -> ServerRun:
    return ServerRun(
        workload=workload,
        card=card,
        attachment=attachment,
        zero_copy=zero_copy,
        cycles=(CYCLES, CYCLES),
        timing=timing_of(second_level={"bytes": 1 << 20, "ways": 8}),
    )


@pytest.mark.parametrize(
    "run",
    [
        run_of("dp83820", "io", "stream"),
        run_of("sinic", "cache"),
        run_of("v-sinic", "cache", zero_copy=True),
    ],
    ids=lambda run: f"{run.card}-{run.workload}",
)
def test_a_timed_workload_goes_on_from_a_checkpoint_as_it_would_have(
    kernel: linux.Linux, run: ServerRun
) -> None:
    pair = run.begun(kernel)
    parameters = servers.timed_parameters(run.attachment)
    pair.set_timed(True, UNDER_TEST, parameters)
    pair.run(CYCLES)
    checkpoint = pair.save()
    other = servers.restore(run.configuration, "checkpoint", checkpoint)
    other.set_timed(True, UNDER_TEST, parameters)
    before = pair.carried(0), pair.carried(1)
    for running in (pair, other):
        running.run(CYCLES)
    # Something happened, and the same.
    carried = [
        tuple(now - then for now, then in zip(pair.carried(node), before[node], strict=True))
        for node in range(2)
    ]
    assert carried == [other.carried(node) for node in range(2)]
    assert all(frames > 0 for frames, _ in carried)
    assert sum(frames for frames, _ in carried) > 50
    assert [pair.card_counters(node) for node in range(2)] == [other.card_counters(node) for node in range(2)]
    assert pair.save() == other.save()


def test_a_measurement_is_equal_from_the_workload_and_from_its_checkpoint(kernel: linux.Linux) -> None:
    run = run_of("sinic", "cache")
    run.begun(kernel)
    assert run.carry_out() == run.carry_out()


def test_what_is_measured_adds_up(kernel: linux.Linux) -> None:
    measured = run_of("v-sinic", "cache", zero_copy=True).carry_out()
    both = measured.sent_gbps + measured.received_gbps
    assert measured.gbps.value == pytest.approx(both.value)
    # A link of 10 Gb/s cannot carry more.
    assert 1 < measured.received_gbps.value < 10
    assert 0 < measured.received_gbps.error < 1
    # Batches are the window: their sums are those of the profile.
    for name, share in measured.shares.items():
        assert share.value == pytest.approx(measured.profile.share(name))
    assert measured.profile.clock_hz == 4 * 10**9
    assert measured.profile.cycles == pytest.approx(CYCLES, rel=0.01)
    assert measured.profile.share("copy") > 0


def test_a_measurement_has_a_result_document(kernel: linux.Linux) -> None:
    result = run_of("sinic", "cache").result()
    assert BootResult.parse(result.to_json().encode(), Path("measured.json")) == result
    assert (result.ending, result.complete, result.config["core.attachment"]) == ("measured", True, "cache")
    # Warm-up and window at 4 GHz.
    assert result.simulated_ns - result.begins_ns == pytest.approx(2 * CYCLES / 4, rel=0.01)
    measured, (tested, stresser) = result.measured, result.servers
    assert measured is not None
    assert tested.timing is not None
    assert stresser.timing is None
    window_bytes = measured.received_gbps.value * 1e9 / 8 * CYCLES / 4e9
    assert stresser.sent_bytes is not None
    assert window_bytes < stresser.sent_bytes < 3 * window_bytes
    assert "measured.gbps.value" in result.figures()


def test_the_error_of_boots_is_that_of_their_differences_or_of_their_batches(kernel: linux.Linux) -> None:
    measured = run_of("sinic", "cache").carry_out()
    alike = replace(measured, gbps=Measured(9.0, 0.3), dropped=1, stall="")
    near, far = replace(alike, gbps=Measured(9.01, 0.3)), replace(alike, gbps=Measured(6.0, 0.3))
    # Two boots: batches by the root of two, or Student's quantile 12.71 for one degree of freedom.
    assert mean_of([alike, near]).gbps.error == pytest.approx(0.3 / 2**0.5)
    assert mean_of([alike, far]).gbps.error == pytest.approx(12.706 * 3 / 2**0.5 / 2**0.5, rel=1e-3)
    both = mean_of([alike, replace(alike, dropped=2, stall="TCP waits")])
    assert (both.dropped, both.stall) == (3, "1 of 2 boots: TCP waits")


def test_several_streams_behind_the_bridge_go_on(kernel: linux.Linux) -> None:
    # More packets wait in the network layer than the card has descriptors: its driver has to wake the queue.
    run = ServerRun(workload="stream-multi", card="dp83820", attachment="io", cycles=(6 * CYCLES, 2 * CYCLES))
    assert run.carry_out().sent_gbps.value > 1
