"""The run layer on a NIC with firmware: tasks, drops, latencies and captures of both sides."""

from pathlib import Path

import pytest

from spinach_nic import Result, _native, run

TASKS = {
    *("fetch_send_bd", "send_frame", "send_dispatch_ordering", "send_locking"),
    *("fetch_receive_bd", "receive_frame", "receive_dispatch_ordering", "receive_locking", "idle"),
}


@pytest.fixture(scope="module")
def both_ways() -> Result:
    return run("tengig", traffic="udp:1472", frames=700)


def test_cycles_and_tasks_add_up(both_ways: Result) -> None:
    window = both_ways.measured_window
    assert window.is_steady
    assert set(both_ways.tasks) == {*TASKS, "elsewhere"}
    for core in both_ways.cores:
        assert sum(core.cycles.values()) == pytest.approx(1)
    sent, received = both_ways.tx.measured_frames, both_ways.rx.measured_frames
    spent = sum(
        task.cycles * ((0 if "receive" in name else sent) + (0 if "send" in name else received))
        for name, task in both_ways.tasks.items()
    )
    total = (window.ends_ns - window.begins_ns) * 1e-9 * 166e6 * len(both_ways.cores)
    assert spent == pytest.approx(total, rel=1e-3)


def test_every_memory_moves_less_than_its_peak(both_ways: Result) -> None:
    for memory in both_ways.memories.values():
        assert 0 <= memory.useful_gbps <= memory.gbps <= memory.peak_gbps
    frames = both_ways.both("wire_gbps").value
    assert both_ways.memories["frame_memory"].useful_gbps > 1.9 * frames * 1514 / 1538


def test_latencies_are_longer_than_a_frame_takes_on_the_wire(both_ways: Result) -> None:
    for direction in (both_ways.tx, both_ways.rx):
        assert direction.latency_ns is not None
        assert 1200 < direction.latency_ns.p50 <= direction.latency_ns.p99 <= direction.latency_ns.max


def test_overload_drops_frames_at_a_place_for_a_reason_and_loses_none() -> None:
    result = run("tengig", traffic="udp:18:rx", frames=400, set={"cores": "1", "core_clock": "60MHz"})
    assert result.complete
    dropped = result.frames.dropped["rx"]["mac_receive"]
    assert sum(dropped.values()) > 0
    assert result.frames.delivered["rx"] + sum(dropped.values()) == result.frames.offered["rx"]
    assert result.frames.in_flight["rx"] == 0


def test_a_capture_holds_both_sides(tmp_path: Path) -> None:
    out = tmp_path / "both.pcapng"
    result = run("tengig", traffic="imix", frames=99, pcap_out=out)
    plain = run("tengig", traffic="imix", frames=99)
    frames, cut_off, not_ethernet, is_cut_short = _native.read_capture(out)
    assert (len(frames), cut_off, not_ethernet, is_cut_short) == (198, 0, 0, False)
    assert (result.frames, result.simulated_ns, result.tasks) == (
        plain.frames,
        plain.simulated_ns,
        plain.tasks,
    )
