"""RiceNIC, section 3.1: how much memory of the card a guest needs that seldom runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spinach_nic.experiments._guests import GuestRun, Shared
from spinach_nic.experiments._link import most_frames_per_s
from spinach_nic.experiments._papers import ricenic
from spinach_nic.experiments._ricenic import FULL, FULL_REASON, LINK_BITS_PER_S
from spinach_nic.experiments.runner import (
    Claim,
    Column,
    Experiment,
    Extent,
    Point,
    Rows,
    at_least,
    at_most,
    expectation,
    figure_of,
    only,
    with_errors,
)
from spinach_nic.support.measured import Measured
from spinach_nic.support.units import ms
from spinach_nic.traffic import DIRECTIONS

PAYLOAD = 1472
GUESTS, ENTRIES = 16, 64
PERIOD_MS = 20
BUFFERS_KIB = (4, 16, 32, 64, 96, 128)
SELDOM_GUESTS, SELDOM_PERIOD_MS = 24, 60
SELDOM_BUFFERS_KIB = (128, 192, 256, 320, 384, 512)
"""A second series, of as many guests as the paper's largest number, whose runs take minutes."""


class Buffers(Experiment):
    """Guests that run one after the other, each once in 20 or 60 ms, and the largest packets both ways."""

    name = "ricenic-cdna-buffers"
    summary = "RiceNIC: throughput by the card's memory for each guest, when guests run seldom"
    source = ricenic("section 3.1")
    key = (
        Column("guests", "guests"),
        Column("period_ms", "period, ms"),
        Column("buffer_kib", "buffer, KiB"),
        Column("direction", "direction"),
    )
    measured = (Column("line_rate_fraction", "of the limit", digits=3),)
    notes = (
        "The paper's smallest buffer is withheld, and nothing was fitted to it. It depends on how often "
        f"guests run and on their rings, of which the paper says nothing: here {GUESTS} guests run in turn, "
        f"each once in {PERIOD_MS} ms, and in full runs {SELDOM_GUESTS} in {SELDOM_PERIOD_MS} ms, with rings "
        f"of {ENTRIES} entries.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Shared]]:
        """Return a run for each size."""
        sizes = extent.some(BUFFERS_KIB, needed=(BUFFERS_KIB[0], BUFFERS_KIB[-1]))
        points = [self._point(extent, GUESTS, PERIOD_MS, size) for size in sizes]
        if extent.largest_selection is None:
            seldom = (SELDOM_GUESTS, SELDOM_PERIOD_MS)
            points += [self._point(extent, *seldom, size) for size in SELDOM_BUFFERS_KIB]
        return points

    def _point(self, extent: Extent, guests: int, period_ms: int, size: int) -> Point[Shared]:
        settings = (
            ("guest_period", f"{period_ms}ms"),
            ("guest_entries", str(ENTRIES)),
            ("guest_buffer", f"{size}KiB"),
        )
        time = ms(2 * period_ms) + ms(extent.frames(2 * period_ms, least=period_ms))
        measure = _measure(guests, period_ms, size)
        return Point(GuestRun((f"udp:{PAYLOAD}",), guests, time, settings), measure)

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Return the claims that memory of the card compensates for guests that do not run.

        The paper does not give periods and rings, and states nothing on sending.
        """

        def share(size: int, direction: str) -> Measured:
            return figure_of(
                only(rows, guests=GUESTS, buffer_kib=size, direction=direction), "line_rate_fraction"
            )

        smallest, largest = BUFFERS_KIB[0], BUFFERS_KIB[-1]
        return [
            at_most(
                "with the smallest buffers the link is not full, receiving",
                share(smallest, "rx"),
                FULL,
                ours=FULL_REASON,
            ),
            at_least(
                "with the largest the link is full, receiving", share(largest, "rx"), FULL, ours=FULL_REASON
            ),
            expectation(
                at_least(
                    "sending needs none: the guest that runs fills the link",
                    share(smallest, "tx"),
                    FULL,
                    ours=FULL_REASON,
                )
            ),
        ]


def _measure(guests: int, period_ms: int, size: int) -> Callable[[Shared], Rows]:
    limit = most_frames_per_s(PAYLOAD, LINK_BITS_PER_S)

    def measure(shared: Shared) -> Rows:
        return [
            {
                "guests": guests,
                "period_ms": period_ms,
                "buffer_kib": size,
                "direction": direction,
                **with_errors(line_rate_fraction=shared.frames_per_s[direction] / limit),
            }
            for direction in DIRECTIONS
        ]

    return measure
