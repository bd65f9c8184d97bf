"""Outputs of servers with cards made of modules: profiles of firmware and harts, and timelines."""

import json
from pathlib import Path

import jsonschema
import pytest
from scapy.all import rdpcap
from tests.python.conftest import Started
from tests.python.runs.perfetto_tables import Tables
from tests.python.servers.test_modules import ANSWERED, PING, booted

from spinach_nic.runs.observers.timeline import Timeline
from spinach_nic.runs.profiling.cards import SCHEMA_FILE, CardsProfile
from spinach_nic.runs.server_modules import module_servers
from spinach_nic.runs.server_outputs import ServersProfile, ServersTimeline
from spinach_nic.runs.timelines import journeys
from spinach_nic.servers import configuration_of, linux
from spinach_nic.support.units import us


@pytest.mark.timeout(300)
@pytest.mark.usefixtures("kernel")
def test_profile_and_timeline_show_cards_and_harts(started: Started, tmp_path: Path) -> None:
    perfetto = pytest.importorskip("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
    files = {name: tmp_path / name for name in ("profile", "timeline", "link.pcapng")}
    options = (f"--profile={files['profile']}", f"--pcap-out={files['link.pcapng']}")
    window = (f"--timeline={files['timeline']}", "--timeline-from=28ms", "--timeline-for=2ms")
    card = "--card=ricenic,dp83820"
    observed = booted(started, tmp_path, card, *options, *window, typed=PING)
    waves = ("--wave=cable*", f"--wave-out={tmp_path / 'waves.fst'}", "--wave-from=98ms")
    alone = booted(started, tmp_path, card, *waves, typed=PING)
    assert (tmp_path / "waves.fst").stat().st_size > 0
    assert {name for name in alone[1] if alone[1][name] != observed[1][name]} == {"wall_s"}

    written = CardsProfile.read(files["profile"])
    schema = json.loads(SCHEMA_FILE.read_text())
    jsonschema.Draft202012Validator(schema).validate(json.loads(files["profile"].read_text()))
    assert (written.window_ns.start, written.window_ns.end) == tuple(
        alone[1][name] for name in ("begins_ns", "simulated_ns")
    )
    (ricenic,) = written.cards
    assert (ricenic.server, ricenic.card, ricenic.firmware.name) == (1, "ricenic", "base")
    assert [ricenic.sent_frames, ricenic.received_frames] == [
        server["sent_frames"] for server in alone[1]["servers"]
    ]
    assert ricenic.total.instructions == sum(it.instructions for it in ricenic.functions)
    assert {"send_frame", "receive_frame"} <= {it.task for it in ricenic.functions}

    assert sum(server.instructions for server in written.servers) == alone[1]["instructions"]
    simulated_ns = alone[1]["simulated_ns"] - alone[1]["begins_ns"]
    for server in written.servers:
        assert {"icmp_rcv", "dev_hard_start_xmit"} <= {it.function for it in server.functions}
        assert server.cycles > server.waiting_cycles > 0
    # The run ends when the second server has switched itself off; a hart may be ahead of its card by 200 ns.
    assert abs(max(server.cycles for server in written.servers) - simulated_ns) <= 200

    rows = Tables(perfetto, files["timeline"]).query("SELECT DISTINCT name FROM track")
    names = {"server 1: core 0", "server 1: mac_transmit", "server 1: sram", "hart 1: functions"}
    assert names <= {name for (name,) in rows}
    received = """
        SELECT MIN(slice.ts) FROM slice JOIN track ON slice.track_id = track.id
        WHERE slice.name = 'icmp_rcv' AND track.name = 'hart 1: functions' GROUP BY track.id
    """
    (answer_ns,), (request_ns,) = Tables(perfetto, files["timeline"]).query(received)
    begins = sorted(journey.begin_ns for journey in journeys(files["timeline"]))
    from_ns = alone[1]["begins_ns"] + 28 * 10**6
    # The window has all frames: two for the address, and two for each request.
    assert len(begins) == len(rdpcap(str(files["link.pcapng"]))) == 2 + 2 * ANSWERED
    # Harts and frames have one time: two frames for the address, then the request and its answer.
    assert begins[2] < request_ns < begins[3] < answer_ns < begins[4]
    assert from_ns <= min(begins) < max(begins) < from_ns + 2 * 10**6


def test_firmware_that_drivers_load_is_profiled(kernel: linux.Linux, tmp_path: Path) -> None:
    profile, timeline = tmp_path / "profile.json", tmp_path / "timeline"
    servers = module_servers(("tigon2", "ricenic"), kernel, configuration_of("rv64"))
    outputs = (ServersProfile(profile, "rv64"), ServersTimeline(Timeline(timeline), us(2), us(20)))
    for output in outputs:
        output.begin(servers)
    assert servers.run(15_000) == "time"
    lines = [line for output in outputs for line in output.finish(servers)]
    assert "timeline: 0 frames in 0.013 ms, and not of all 20 us: the run ended" in lines
    names = [(card.card, card.firmware.name, card.cores) for card in CardsProfile.read(profile).cards]
    assert names == [("tigon2", "acenic/tg2.bin", 2), ("ricenic", "base", 2)]
    assert servers.inserted[0].image is not None
    assert servers.inserted[0].image.firmware.name == "parallel"


def test_a_profile_of_cards_without_firmware_has_the_harts(kernel: linux.Linux, tmp_path: Path) -> None:
    servers = module_servers(("sinic", "dp83820"), kernel, configuration_of("rv64"))
    output = ServersProfile(tmp_path / "profile.json", "rv64")
    output.begin(servers)
    assert servers.run(15_000) == "time"
    output.finish(servers)
    written = CardsProfile.read(tmp_path / "profile.json")
    assert written.cards == ()
    assert [server.instructions for server in written.servers] == [
        servers.instructions(node) for node in (0, 1)
    ]
    assert [server.clock_hz for server in written.servers] == [10**9, 10**9]
