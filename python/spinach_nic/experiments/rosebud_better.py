"""Beyond Rosebud: each limit of the card lifted in turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from spinach_nic.cards.rosebud import Rosebud
from spinach_nic.cards.rosebud.area import Area, area
from spinach_nic.cards.rosebud.card import CLUSTER_CORES, PORTS
from spinach_nic.experiments._papers import rosebud
from spinach_nic.experiments._rosebud import both_ports, throughput
from spinach_nic.experiments.runner import (
    Claim,
    Column,
    Experiment,
    Extent,
    Point,
    Row,
    Rows,
    at_least,
    at_most,
    figure_of,
    near,
    number,
    one_row,
    only,
)
from spinach_nic.runs.result import Result
from spinach_nic.support.measured import Measured

PUBLISHED, OVERLAPPED, BALANCED = "as published", "sender overlaps", "and balancer chooses two slots"
VARIANTS: Mapping[str, Mapping[str, object]] = {
    PUBLISHED: {},
    OVERLAPPED: {"sender_cycles": 0},
    BALANCED: {"sender_cycles": 0, "port_choices": 2, "port_cycles": 1},
}
FULL = 0.99
"""Fraction of line rate that counts as all of it."""
PUBLISHED_RPUS = 16
SIZES = (64, 128, 256)
_PACKETS = 24_000
"""With 3,000 small ones the rates of the ports differ by a fifth if two slots are chosen in a cycle."""


class Better(Experiment):
    """Eight and sixteen cores with a sender that begins a packet once the one before has been read.

    At small packets the published sender's fixed cycles limit the card, then the firmware, then
    the balancer, which chooses one slot in a cycle and receives one message on a free slot. The cost of
    a card is that of its memories and cores, as fractions of the published one with 16 cores.
    """

    name = "rosebud-better"
    summary = "Rosebud with a sender that overlaps packets, and a faster load balancer"
    source = rosebud("beyond the paper: limits measured on the RTL, lifted in turn")
    key = (
        Column("variant", "card"),
        Column("rpus", "cores"),
        Column("packet_bytes", "packet, bytes"),
    )
    measured = (
        Column("mpps", "million packets/s", digits=1),
        Column("line_rate_fraction", "of line rate", digits=3),
        Column("memory_fraction", "memory bits, of the published card", digits=2),
        Column("core_fraction", "LUTs of cores, of the published card", digits=2),
    )
    notes = (
        "Areas: memories by the parameters of the published RTL, cores by the published synthesis of "
        "VexRiscv. Switches, packet movers and MACs have no published area here: the cost of an overlapping "
        "sender or of a second choice of a slot is not known.",
    )
    is_own = True

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """Each card with 8 and 16 cores, at each size."""
        sizes = extent.some(SIZES, needed=SIZES)
        return [
            self._point(extent, name, rpus, size) for name in VARIANTS for rpus in (8, 16) for size in sizes
        ]

    def _point(self, extent: Extent, variant: str, rpus: int, size: int) -> Point[Result]:
        run = both_ports(extent, size, _PACKETS, settings={"rpus": rpus, **VARIANTS[variant]})

        def measure(result: Result) -> Row:
            return {**throughput(size, result), **_cost(rpus)}

        return one_row(run, measure, variant=variant, rpus=rpus, packet_bytes=size)

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Arithmetic on the cycles of the RTL: firmware takes 14 for each packet."""

        def figure(variant: str, rpus: int, size: int, name: str) -> Measured:
            return figure_of(only(rows, variant=variant, rpus=rpus, packet_bytes=size), name)

        return [
            near(
                "with the overlap the firmware limits 8 cores: 143 million packets of 64 bytes",
                figure(OVERLAPPED, 8, 64, "mpps"),
                8 * 250 / 14,
                within=0.03,
            ),
            near(
                "8 cores carry 87 % of line rate of packets of 128 bytes",
                figure(OVERLAPPED, 8, 128, "line_rate_fraction"),
                0.87,
                within=0.03,
            ),
            at_least(
                "8 cores fill both ports from 256 bytes on",
                figure(OVERLAPPED, 8, 256, "line_rate_fraction"),
                0.99,
            ),
            near(
                "then the balancer limits 16 cores: 250 million packets of 64 bytes",
                figure(OVERLAPPED, 16, 64, "mpps"),
                250.0,
                within=0.02,
            ),
            near(
                "with two slots chosen in a cycle, the messages on free slots limit: one in a cycle",
                figure(BALANCED, 16, 64, "mpps"),
                250.0,
                within=0.03,
            ),
            at_most(
                "8 cores fill both ports from 256 bytes on with little more than half of the memory",
                _least_memory(rows, 256),
                0.55,
            ),
        ]


def _cost(rpus: int) -> dict[str, float]:
    """Return the cost of a card, as fractions of that of the published one."""
    here, published = (_area(cores) for cores in (rpus, PUBLISHED_RPUS))
    return {
        "memory_fraction": here.memory_bits / published.memory_bits,
        "core_fraction": here.luts / published.luts,
    }


def _area(rpus: int) -> Area:
    card = Rosebud(rpus=rpus)
    return area(rpus, clusters=rpus // CLUSTER_CORES, ports=PORTS, port_fifo=card.port_fifo)


def _least_memory(rows: Rows, size: int) -> float:
    """Return the memory of the smallest card that fills both ports with packets of a size."""
    full = [row for row in rows if row["packet_bytes"] == size and number(row, "line_rate_fraction") >= FULL]
    return min((number(row, "memory_fraction") for row in full), default=float("inf"))
