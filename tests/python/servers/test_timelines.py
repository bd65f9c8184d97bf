"""Timelines of a server, as Perfetto's own tools read them."""

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.python.runs.perfetto_tables import Tables
from tests.python.runs.trace_processor import LIBRARY, TraceProcessor

from spinach_nic import SpinachError, _native, cli, servers
from spinach_nic.servers import linux, timeline
from spinach_nic.servers.categories import CATEGORIES
from spinach_nic.servers.profile import profile_of
from spinach_nic.support.units import MiB, ms, us

WIRE = servers.wire_of()
NODES = (0, 1)
WINDOW = ms(16)
Query = Callable[[str], Sequence[tuple[Any, ...]]]


def ready(kernel: linux.Linux) -> _native.Server:
    """Two servers that are about to send pings."""
    pair = servers.booted(servers.configuration_of("rv64", wire=WIRE), kernel, lambda _: None)
    pair.type_in(b"ping 10.0.0.2 500\n")
    servers.run_until(pair, b"ping 10.0.0.2", lambda _: None)
    return pair


@pytest.fixture(scope="module")
def run(kernel: linux.Linux, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, _native.Server]:
    """A timeline of a window, and the servers at its end with a profile of the same time."""
    path = tmp_path_factory.mktemp("timeline") / "servers.pftrace"
    pair = ready(kernel)
    for node in NODES:
        pair.set_profiled(True, node)
    timeline.record(pair, kernel.symbols, ms(0), WINDOW, WIRE.rate)
    pair.run(int(WINDOW.seconds * pair.time()[1]))
    assert "slices of 16.000 ms" in timeline.write(pair, path, WINDOW)
    return path, pair


@pytest.fixture(scope="module", params=["definition", "trace processor"])
def query(request: pytest.FixtureRequest, run: tuple[Path, _native.Server]) -> Iterator[Query]:
    """Asks the timeline a question."""
    if request.param == "definition":
        name = "perfetto.protos.perfetto.trace.perfetto_trace_pb2"
        yield Tables(pytest.importorskip(name, reason="perfetto is not installed"), run[0]).query
        return
    if not LIBRARY.exists():
        pytest.skip(f"{LIBRARY} is missing: the package chromium-shell is not installed")
    processor = TraceProcessor(run[0])
    yield processor.query
    processor.close()


JOINED = "FROM slice JOIN track ON slice.track_id = track.id"


def test_a_timeline_says_of_categories_what_a_profile_says(
    query: Query, run: tuple[Path, _native.Server], kernel: linux.Linux
) -> None:
    profiles = [profile_of(run[1], kernel.symbols, node) for node in NODES]
    times: dict[str, int] = dict(
        query(f"SELECT slice.name, SUM(dur) {JOINED} WHERE track.name LIKE '%categories' GROUP BY slice.name")
    )
    assert set(times) <= set(CATEGORIES)
    # A cycle is a nanosecond.
    assert sum(times.values()) == len(NODES) * WINDOW.femtoseconds // 10**6
    for category, time in times.items():
        expected = sum(profile.categories[category] for profile in profiles)
        assert time == pytest.approx(expected, abs=2000), category


def test_frames_and_interrupts_are_there_with_their_length(query: Query) -> None:
    frames = query(f"SELECT slice.name, dur {JOINED} WHERE track.name LIKE 'from server %'")
    pings = [(name, length) for name, length in frames if name.startswith("ICMP")]
    assert len(pings) >= 20
    for name, length in frames:
        # Preamble and check sequence are on the wire, too: 0.8 ns for each byte.
        assert length == pytest.approx(0.8 * (int(name.split()[-2]) + 12), abs=1)
    interrupts: dict[str, int] = dict(
        query(f"SELECT slice.name, COUNT(*) {JOINED} WHERE track.name LIKE '%interrupts' GROUP BY slice.name")
    )
    assert interrupts["external interrupt"] >= 2
    assert interrupts["timer interrupt"] >= 1
    functions = {
        name for (name,) in query(f"SELECT DISTINCT slice.name {JOINED} WHERE track.name LIKE '%functions'")
    }
    assert {"ns83820_hard_start_xmit", "waits for an interrupt", "icmp_rcv"} <= functions


def test_a_timeline_changes_nothing(run: tuple[Path, _native.Server], kernel: linux.Linux) -> None:
    alone = ready(kernel)
    alone.run(int(WINDOW.seconds * alone.time()[1]))
    assert alone.save() == run[1].save()


def test_a_program_that_waits_has_two_slices_in_each_row(tmp_path: Path) -> None:
    # An Image: an instruction that waits, and one that goes back to it.
    image = (0xBFF5_1050_0073).to_bytes(8, "little") + bytes(8) + (64).to_bytes(8, "little")
    image = image.ljust(0x38, b"\0") + b"RSC\x05" + bytes(4)
    server = _native.Server.boot("image", image, b"", [""], (1, MiB(1).bytes))
    file = tmp_path / "waits.pftrace"
    assert server.write_timeline(file) is None
    timeline.record(server, b"", us(0), us(2))
    server.run(1000)
    # A cycle in unknown code, then it waits: a row of functions, one of categories.
    assert timeline.write(server, file, us(2)).startswith(
        "timeline: 4 slices of 0.001 ms, and not of all 2 us"
    )
    assert b"waits for an interrupt" in file.read_bytes()
    with pytest.raises(SpinachError, match="cannot be written"):
        server.write_timeline(tmp_path / "nowhere" / "x")


def test_boot_writes_a_timeline(
    kernel: linux.Linux, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file, typed = tmp_path / "servers.pftrace", tmp_path / "typed"
    typed.write_bytes(b"poweroff\n")
    with typed.open() as commands:
        monkeypatch.setattr(sys, "stdin", commands)
        words = [
            "--core",
            "timed",
            "--timeline",
            str(file),
            "--timeline-from",
            "100us",
            "--timeline-for",
            "2s",
        ]
        assert cli.carry_out(["boot", "rv64", *words]) == 0
    said = capfd.readouterr().err
    assert "and not of all 2 s: the servers ended" in said
    assert file.stat().st_size > 10_000
