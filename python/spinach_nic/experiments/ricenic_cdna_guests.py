"""RiceNIC, section 3.1: throughput by the number of guests, and how evenly they share it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spinach_nic.experiments._guests import GuestRun, Shared
from spinach_nic.experiments._link import most_frames_per_s
from spinach_nic.experiments._papers import ricenic
from spinach_nic.experiments._rates import least
from spinach_nic.experiments._ricenic import FULL, FULL_REASON, LINK_BITS_PER_S
from spinach_nic.experiments.runner import (
    Claim,
    Column,
    Experiment,
    Extent,
    Point,
    Rows,
    at_least,
    expectation,
    figure_of,
    number,
    with_errors,
)
from spinach_nic.support.measured import Measured
from spinach_nic.support.units import ms
from spinach_nic.traffic import DIRECTIONS

GUESTS = (1, 2, 4, 8, 16, 24)
PAYLOAD = 1472
SETTINGS = (("guest_entries", "64"), ("guest_buffer", "16KiB"), ("coalescing_time", "200us"))
LEAST_MS, MORE_MS = 28, 8


class Guests(Experiment):
    """Guests that send and receive the largest packets, all of them all the time."""

    name = "ricenic-cdna-guests"
    summary = "RiceNIC: throughput by the number of guests, each with a separate context"
    source = ricenic("section 3.1")
    key = (Column("guests", "guests"), Column("direction", "direction"))
    measured = (
        Column("line_rate_fraction", "of the limit", digits=3),
        Column("fairness", "fairness", digits=3),
    )
    notes = (
        "The paper says that throughput scaled with the number of guests, without a figure. Hosts and "
        "hypervisor cost no time here, so that the card alone is measured. Guests receive news every 200 us.",
        "Fairness is the index of Jain, Chiu and Hawe over the frames of the guests: 1 if all are alike. "
        "What comes from the wire is spread over guests by chance.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Shared]]:
        """Return a run for each number of guests."""
        time = ms(LEAST_MS) + ms(max(1, extent.frames(MORE_MS)))
        return [
            Point(
                GuestRun((f"udp:{PAYLOAD}",), guests, time, SETTINGS),
                _measure(guests),
            )
            for guests in extent.some(GUESTS, needed=(GUESTS[0], GUESTS[-1]))
        ]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Return that the card runs at full network speed (section 1), and that guests share it evenly."""
        most = max(number(row, "guests") for row in rows)

        def lowest(column: str, direction: str) -> Measured:
            return least(figure_of(row, column) for row in rows if row["direction"] == direction)

        return [
            at_least(
                f"1 to {most:.0f} guests fill the link, sending",
                lowest("line_rate_fraction", "tx"),
                FULL,
                ours=FULL_REASON,
            ),
            at_least("and receiving", lowest("line_rate_fraction", "rx"), FULL, ours=FULL_REASON),
            expectation(
                at_least(
                    "guests that all send get equal parts", lowest("fairness", "tx"), 0.98, ours="near 1"
                )
            ),
        ]


def _measure(guests: int) -> Callable[[Shared], Rows]:
    limit = most_frames_per_s(PAYLOAD, LINK_BITS_PER_S)

    def measure(shared: Shared) -> Rows:
        return [
            {
                "guests": guests,
                "direction": direction,
                **with_errors(line_rate_fraction=shared.frames_per_s[direction] / limit),
                "fairness": shared.fairness(direction),
            }
            for direction in DIRECTIONS
        ]

    return measure
