"""A window in which TCP waits gives no rates, and says so."""

from __future__ import annotations

import math
import os
import struct
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from spinach_nic.experiments._servers import quotable
from spinach_nic.experiments._sinic import at_least_in_all, at_most_in_all, bandwidth_of
from spinach_nic.experiments.runner import figure_of
from spinach_nic.runs.measuring import ServerRun
from spinach_nic.servers import linux
from spinach_nic.servers.stalls import (
    CONNECTION_SILENT_NS,
    LINK_SILENT_NS,
    Connection,
    Packet,
    Stalls,
    WatchedLink,
    packets_of,
    stall_of,
)
from spinach_nic.support.measured import Measured

if TYPE_CHECKING:
    from spinach_nic import _native

FIN, SYN, ACK = 1, 2, 16
ONE: Connection = ((b"\x0a\0\0\1", 1000), (b"\x0a\0\0\2", 5000))
OTHER: Connection = ((b"\x0a\0\0\1", 1001), (b"\x0a\0\0\2", 5000))
BEGIN = 10_000_000
END = BEGIN + 2_000_000
LONG = END - CONNECTION_SILENT_NS
"""Last frame of a connection that does not stall yet."""


def packets(*times: int, connection: Connection = ONE, last: int = ACK) -> list[Packet]:
    """Return segments of a connection at these times."""
    return [Packet(time, connection, last if time == times[-1] else ACK) for time in times]


DENSE = packets(*range(0, END, LINK_SILENT_NS // 3))


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (DENSE, ""),
        (
            [it for it in DENSE if not BEGIN < it.time_ns < BEGIN + LINK_SILENT_NS + 100_000],
            "no frame passed",
        ),
        ([it for it in DENSE if it.time_ns < END - LINK_SILENT_NS - 1], "no frame passed"),
        (packets(*range(BEGIN, END, LINK_SILENT_NS)), ""),
        (packets(*range(BEGIN + LINK_SILENT_NS, END, LINK_SILENT_NS)), ""),
        (packets(*range(BEGIN + LINK_SILENT_NS + 1, END, LINK_SILENT_NS)), "no frame passed"),
        ([*DENSE, *packets(LONG, connection=OTHER)], ""),
        ([*DENSE, *packets(LONG - 1, connection=OTHER)], "a TCP connection was silent"),
        ([*DENSE, *packets(LONG - 2, LONG - 1, connection=OTHER, last=FIN)], ""),  # closed
        ([*DENSE, *packets(LONG - 3, connection=OTHER, last=FIN), *packets(LONG - 2, connection=OTHER)], ""),
        (
            [
                *DENSE,
                *packets(LONG - 3, connection=OTHER, last=FIN),
                *packets(LONG - 2, connection=OTHER, last=SYN),
            ],
            "a TCP connection was silent",
        ),
        ([it for it in DENSE if it.time_ns < BEGIN], "nothing was delivered"),
        ([], "nothing was delivered"),
    ],
)
def test_a_silent_link_or_connection_is_a_stall(found: list[Packet], reason: str) -> None:
    in_order = iter(sorted(found, key=lambda packet: packet.time_ns))
    said = stall_of(in_order, BEGIN, END, has_lost=True)
    assert said.startswith(reason)
    assert bool(said) == bool(reason)


def test_a_silence_without_loss_is_a_busy_server() -> None:
    pause = [it for it in DENSE if it.time_ns < END - 2 * LINK_SILENT_NS]
    waits = packets(LONG - 1, connection=OTHER)
    assert not stall_of(iter(pause), BEGIN, END, has_lost=False)
    assert not stall_of(iter(sorted([*DENSE, *waits], key=lambda it: it.time_ns)), BEGIN, END, has_lost=False)
    # A request for a connection without an answer was lost in a kernel.
    asks = packets(LONG - 1, connection=OTHER, last=SYN)
    found = iter(sorted([*DENSE, *asks], key=lambda it: it.time_ns))
    assert stall_of(found, BEGIN, END, has_lost=False).startswith("a TCP connection was silent")


def test_a_link_without_connections_does_not_wait() -> None:
    """Servers of a sampled run may begin late, and end early."""

    def wait(found: list[Packet]) -> str:
        stalls = Stalls(BEGIN)
        for packet in found:
            stalls.add(packet)
        return stalls.wait(END + 10 * LINK_SILENT_NS, has_lost=True, has_pauses=True)

    late = packets(*range(BEGIN + 5 * LINK_SILENT_NS, END, LINK_SILENT_NS // 3), last=FIN)
    assert wait(late) == ""
    assert wait([]) == ""
    assert wait([late[0], late[-1]]).startswith("no frame passed")
    assert wait(late[:-1]).startswith("no frame passed")


class Link:
    """Servers whose captures hold given segments."""

    def __init__(self, pieces: list[bytes], lost: int) -> None:
        """Hold pieces; the second card has lost frames."""
        self._pieces, self._lost = pieces, lost

    def capture(self, path: Path) -> Link:
        path.write_bytes(self._pieces.pop(0))
        return self

    def finish(self) -> None:
        """Do nothing: the piece is complete."""

    def time(self) -> tuple[int, int]:
        return 60 * 10**6, 10**9

    def nodes(self) -> int:
        return 2

    def card_counters(self, node: int) -> list[tuple[str, int]]:
        return [("dropped_frames", self._lost * node)]


def piece(*times: int) -> bytes:
    """Return a capture with segments of a connection."""
    frame = bytearray(54)
    frame[12:14], frame[14], frame[23] = b"\x08\0", 0x45, 6
    frame[46:48] = bytes([0x50, ACK])
    blocks = b""
    for time in times:
        inner = struct.pack("<IIIII", 0, time >> 32, time & 0xFFFFFFFF, len(frame), len(frame)) + frame
        length = 12 + len(inner) + 2
        blocks += struct.pack("<II", 6, length) + inner + bytes(2) + struct.pack("<I", length)
    return blocks


@pytest.mark.parametrize("lost", [0, 1])
def test_a_link_is_watched_in_pieces(tmp_path: Path, lost: int) -> None:
    def watched(pieces: list[bytes], capture: Path | None = None) -> str:
        pair = cast("_native.Server", Link([*pieces, b""], lost))
        link = WatchedLink(pair, capture, tmp_path)
        for _ in pieces:
            link.follow()
        return link.wait()

    silent = [piece(61_000_000, 61_100_000), piece(61_200_000), piece(), piece(61_501_000)]
    dense = [piece(*range(59_000_000, 60_000_000, 100_000))]
    assert watched(dense) == ""
    assert watched(silent) == ("no frame passed for 301 us: TCP waited for a timeout" if lost else "")
    (tmp_path / "given").write_bytes(b"".join(silent))
    assert watched([], tmp_path / "given") == watched(silent)
    os.mkfifo(tmp_path / "pipe")
    assert watched([], tmp_path / "pipe").startswith("the link was not observed")


def test_a_stalled_measurement_is_never_quoted(kernel: linux.Linux, tmp_path: Path) -> None:
    run = ServerRun(workload="maerts", card="sinic", attachment="cache", cycles=(1_000_000, 1_000_000))
    measured = run.carry_out()
    row = dict(quotable(measured, bandwidth_of(measured)))
    assert row["stall"] is None
    assert figure_of(row, "gbps") == measured.gbps
    assert measured.gbps.value > 1
    stalled = replace(measured, stall="nothing was delivered")
    row = dict(quotable(stalled, bandwidth_of(stalled)))
    assert row.pop("stall") == "nothing was delivered"
    assert not any(value is not None for value in row.values())
    unknown = figure_of(row, "gbps")
    assert math.isnan(unknown.value)
    # A stall leaves a claim on all undecided, unless another figure refutes it.
    others = [Measured(1.0), Measured(0.5)]
    assert at_least_in_all("", [*others, unknown], 0.4).undecided
    refuted = at_least_in_all("", [*others, unknown, Measured(0.6)], 0.7)
    assert (refuted.figure, refuted.holds, refuted.undecided) == (0.5, False, False)
    assert at_most_in_all("", others, 1.0).figure == 1.0
    assert at_most_in_all("", others, 1.0).holds


def test_the_segments_of_a_link_are_read_from_its_capture(kernel: linux.Linux, tmp_path: Path) -> None:
    pair = ServerRun(workload="maerts", card="sinic", attachment="cache", cycles=(1, 1)).begun(kernel)
    before = [pair.carried(node)[0] for node in range(2)]
    capture = pair.capture(tmp_path / "link.pcapng")
    pair.run(200_000)
    capture.finish()
    carried = sum(pair.carried(node)[0] - then for node, then in enumerate(before))
    found = list(packets_of(tmp_path / "link.pcapng"))
    assert carried - 2 <= len(found) <= carried > 10  # at most a frame of another protocol each way
    assert len({packet.connection for packet in found}) == 1
    times = [packet.time_ns for packet in found]
    assert times == sorted(times)
    clock_hz = pair.time()[1]
    assert abs(pair.time()[0] * 1e9 / clock_hz - times[-1]) < 10_000  # the same clock as that of the window
