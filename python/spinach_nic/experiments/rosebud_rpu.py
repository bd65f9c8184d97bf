"""Rosebud: cycles of one core with its packet mover for each packet, by size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from spinach_nic.experiments._papers import rosebud
from spinach_nic.experiments._rates import carried
from spinach_nic.experiments.runner import (
    Claim,
    Column,
    Experiment,
    Extent,
    NicRun,
    Point,
    Row,
    Rows,
    as_settings,
    near,
    number,
    one_row,
    with_errors,
)
from spinach_nic.runs.result import Result
from spinach_nic.support.measured import Measured
from spinach_nic.traffic import DIRECTIONS

UDP_HEADERS = 42
"""Bytes of a frame besides the UDP payload, without check sequence."""
CORE_CLOCK_HZ = 250e6
FORWARDED = {
    64: 16.0,
    65: 17.0,
    80: 17.0,
    96: 18.0,
    112: 19.0,
    128: 20.0,
    256: 28.0,
    512: 44.0,
    1024: 76.0,
    1500: 106.0,
}
"""Cycles by packet size, without check sequence: measured on the published RTL of one core."""
BALANCED = {
    65: 16.67,
    80: 16.67,
    96: 17.67,
    112: 18.66,
    128: 19.66,
    129: 20.34,
    192: 23.35,
    256: 27.5,
    300: 30.53,
    512: 43.5,
    1024: 76.92,
    1500: 107.1,
}
"""Cycles by packet size of the only core that receives packets, those of both ports: measured on the
published RTL of the whole card but for PCI Express, in windows of 12,000 cycles."""
AT_ONCE: Mapping[str, int] = {
    "rpus": 1,
    "switch_bytes": 4096,
    "switch_latency": 0,
    "message_latency": 0,
    "port_cycles": 1,
}
"""Settings with which a free slot gets a packet at once, as in the testbench of the RTL of one core."""
ONE_RECEIVES: Mapping[str, int] = {"rpus": 8, "receivers": 1}
"""Settings with which the load balancer of a whole card gives packets to one core."""
FEEDS = {"at once": (AT_ONCE, FORWARDED), "by the balancer": (ONE_RECEIVES, BALANCED)}
"""Settings and cycles by the way in which a free slot gets a packet."""
WITHIN = {"at once": 0.002, "by the balancer": 0.01}
"""Largest relative difference from the RTL. In its testbench of one core a period is an integer number of
cycles; that of the whole card is the mean of a window."""
_PACKETS = 1500


class CyclesPerPacket(Experiment):
    """One core with packets always at hand and an output that never waits.

    The time until a free slot gets a packet decides whether an arriving and a departing packet meet at a
    bank of the packet memory: in the testbench of the RTL of one core they always do, in the whole RTL not.
    There a slot is freed each 16 cycles with packets of 64 bytes, always when the balancer looks at the same
    port, and the other one starves; so this size is left out.
    """

    name = "rosebud-rpu"
    summary = "Cycles for each packet that one core of Rosebud forwards, by size"
    source = rosebud("published RTL, commit c593d596")
    key = (Column("slot_filled", "free slot filled"), Column("packet_bytes", "packet, bytes"))
    measured = (Column("cycles", "cycles for each packet", digits=2),)
    published = tuple(
        {"slot_filled": feed, "packet_bytes": size, "cycles": cycles}
        for feed, (_, published) in FEEDS.items()
        for size, cycles in published.items()
    )

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """Packets as fast as the port carries them, by size."""
        return [
            _forwarding(extent, feed, size)
            for feed, (_, published) in FEEDS.items()
            for size in extent.some(published, needed=(min(published), 1500))
        ]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Rows of the table."""
        return [
            near(
                f"packets of {size} bytes take {cycles} cycles, slots filled {feed}",
                number(row, "cycles"),
                cycles,
                within=WITHIN[feed],
            )
            for feed, (_, published) in FEEDS.items()
            for size, cycles in published.items()
            for row in rows
            if row["slot_filled"] == feed and row["packet_bytes"] == size
        ]


def _forwarding(extent: Extent, feed: str, size: int) -> Point[Result]:
    settings, _ = FEEDS[feed]
    ports = ":tx" if settings is AT_ONCE else ""
    run = NicRun(
        nic="rosebud",
        traffic=f"udp:{size - UDP_HEADERS}{ports}",
        frames=extent.frames(_PACKETS),
        firmware="forward",
        settings=as_settings(settings),
    )

    def measure(result: Result) -> Row:
        ways = ("tx",) if ports else DIRECTIONS
        rate = sum((carried(result, way, "frames_per_s") for way in ways), Measured(0.0))
        return with_errors(cycles=Measured(CORE_CLOCK_HZ) / rate)

    return one_row(run, measure, slot_filled=feed, packet_bytes=size)
