"""Timelines: Perfetto's own definition of the format reads them, and they say what the result says."""

from collections import Counter, defaultdict
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.python.cards.trouble import timeless

import spinach_nic
from spinach_nic import SpinachError
from spinach_nic.cli import spinach
from spinach_nic.runs.timelines import journeys

FRAMES = 80
SETTINGS = {"cores": "3"}


@pytest.fixture(scope="module")
def timeline(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("timeline") / "run.pftrace"
    watched = spinach_nic.run("tengig", set=SETTINGS, frames=FRAMES, timeline=path)
    assert timeless(watched) == timeless(spinach_nic.run("tengig", set=SETTINGS, frames=FRAMES))
    return path


def test_perfetto_reads_it(timeline: Path) -> None:
    definition = pytest.importorskip(
        "perfetto.protos.perfetto.trace.perfetto_trace_pb2", reason="perfetto is not installed"
    )
    trace = definition.Trace()
    trace.ParseFromString(timeline.read_bytes())
    tracks, names = {}, {}
    open_slices: Counter[int] = Counter()
    last: Counter[int] = Counter()
    begun: dict[int, list[str]] = defaultdict(list)
    flows: dict[int, set[int]] = defaultdict(set)
    counters: Counter[str] = Counter()
    for packet in trace.packet:
        assert packet.trusted_packet_sequence_id == 1
        names.update({found.iid: found.name for found in packet.interned_data.event_names})
        if packet.HasField("track_descriptor"):
            tracks[packet.track_descriptor.uuid] = packet.track_descriptor
        if not packet.HasField("track_event"):
            continue
        event = packet.track_event
        assert packet.timestamp >= last[event.track_uuid], tracks[event.track_uuid].name
        last[event.track_uuid] = packet.timestamp
        if event.type == definition.TrackEvent.TYPE_SLICE_BEGIN:
            open_slices[event.track_uuid] += 1
            begun[event.track_uuid].append(names[event.name_iid])
            for flow in event.flow_ids:
                flows[flow].add(event.track_uuid)
        elif event.type == definition.TrackEvent.TYPE_SLICE_END:
            open_slices[event.track_uuid] -= 1
            assert open_slices[event.track_uuid] >= 0
        else:
            assert event.type == definition.TrackEvent.TYPE_COUNTER
            assert tracks[event.track_uuid].HasField("counter")
            assert max(event.counter_value, event.double_counter_value) >= 0
            counters[tracks[event.track_uuid].name] += 1
    assert not any(open_slices.values())
    by_name: dict[str, list[str]] = defaultdict(list)
    for uuid, slices in begun.items():
        by_name[tracks[uuid].name] += slices
    for core in range(3):
        assert {"idle", "send_frame", "receive_frame", "handle_dma_reads"} <= set(by_name[f"core {core}"])
    for name in ("dma_read", "mac_receive", "scratch_pad.crossbar", "transmit_link", "scratch_pad"):
        assert counters[name] > 10
    assert len(flows) == 2 * FRAMES


def test_every_frame_makes_its_journey(timeline: Path) -> None:
    found = journeys(timeline)
    assert len(found) == 2 * FRAMES
    sent = [it for it in found if it.name.endswith(" to sink.wire")]
    assert len(sent) == FRAMES
    result = spinach_nic.run("tengig", set=SETTINGS, frames=FRAMES)
    assert result.rx.latency_ns is not None
    received = [it for it in found if it not in sent]
    # Until the data is at the host; what the result calls latency lasts until the driver looks.
    assert max(it.duration_ns for it in received) <= result.rx.latency_ns.max
    for journey in found:
        assert sum(stage.duration_ns for stage in journey.stages) == pytest.approx(
            journey.duration_ns, abs=20
        )


def test_no_journey_takes_longer_than_its_frame(tmp_path: Path) -> None:
    """Bursts of its memory begin at every 128th byte, and payloads repeat inside each other."""
    path = tmp_path / "run.pftrace"
    result = spinach_nic.run("ricenic", frames=150, timeline=path)
    assert result.tx.latency_ns is not None
    assert result.rx.latency_ns is not None
    longest: Counter[str] = Counter()
    for journey in journeys(path):
        end = journey.name.split(" to ")[1]
        longest[end] = max(longest[end], journey.duration_ns)
    assert set(longest) == {"sink.wire", "host.memory_request"}
    assert longest["sink.wire"] <= result.tx.latency_ns.max
    assert longest["host.memory_request"] <= result.rx.latency_ns.max


def test_the_slowest_frames_are_printed(timeline: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(spinach, ["timeline", "frames", str(timeline), "--count", "2"])
    assert done.exit_code == 0
    slowest = max(journey.duration_ns for journey in journeys(timeline))
    assert f"{slowest / 1e3:.2f}" in done.output.splitlines()[2]
    wrong = tmp_path / "wrong"
    wrong.write_text("no trace")
    with pytest.raises(SpinachError, match="not a trace of Perfetto"):
        journeys(wrong)
    with pytest.raises(SpinachError, match="no run writes a timeline and writes traces"):
        spinach_nic.run("tengig", frames=1, timeline=tmp_path / "a", traces=tmp_path / "b")
