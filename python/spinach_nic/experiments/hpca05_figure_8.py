"""HPCA 2005, figure 8: throughput by frame size and frame-ordering method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spinach_nic.experiments._papers import hpca
from spinach_nic.experiments._rates import most
from spinach_nic.experiments._sizes import MEASURED, by_size, draw_below_limit, measured_by_payload
from spinach_nic.experiments._tengig import FULL_PAYLOAD, LINE_RATE, PAYLOADS, rmw_enhanced, software_only
from spinach_nic.experiments.runner import (
    Claim,
    Column,
    Experiment,
    Extent,
    Point,
    Rows,
    at_least,
    at_most,
    near,
)
from spinach_nic.runs.result import Result
from spinach_nic.support.measured import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ORDERINGS = {"software_only": software_only, "rmw": rmw_enhanced}
SATURATED_MILLION_PER_S = 2.2
SATURATED_BELOW_BYTES = 800
NAMES = {"software_only": "software only, 200 MHz", "rmw": "set and update, 166 MHz"}


class FrameSizes(Experiment):
    """Six cores."""

    name = "hpca05-figure-8"
    summary = "UDP throughput by frame size and frame-ordering method, six cores"
    source = hpca("figure 8, section 6.3")
    key = (Column("ordering", "ordering"), Column("udp_payload_bytes", "UDP payload"))
    measured = MEASURED
    published = tuple(
        {
            "ordering": ordering,
            "udp_payload_bytes": payload,
            "udp_payload_gbps": 8 * payload * SATURATED_MILLION_PER_S / 1e3,
            "frames_million_per_s": SATURATED_MILLION_PER_S,
        }
        for ordering in ORDERINGS
        for payload in PAYLOADS
        if payload < SATURATED_BELOW_BYTES
    )
    notes = (
        "Published: about 2.2 million frames a second wherever the cores are saturated, with datagrams of "
        "less than 800 bytes. The data rates are computed from that.",
        "As in the paper, the configurations are those of table 6, with two clocks: 200 MHz without `set` "
        "and `update`, 166 MHz with them.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """Return a run for each ordering and size."""
        payloads = extent.some(PAYLOADS, needed=(*PAYLOADS[:2], 800, FULL_PAYLOAD))
        return [self._point(extent, ordering, payload) for ordering in ORDERINGS for payload in payloads]

    def _point(self, extent: Extent, ordering: str, payload: int) -> Point[Result]:
        def measure(result: Result) -> Rows:
            return [{"ordering": ordering, "udp_payload_bytes": payload, **by_size(result, payload)}]

        return Point(ORDERINGS[ordering](extent, payload), measure)

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Section 6.3."""

        def by_payload(ordering: str, column: str) -> dict[int, Measured]:
            return measured_by_payload([row for row in rows if row["ordering"] == ordering], column)

        rate = {ordering: by_payload(ordering, "frames_million_per_s") for ordering in ORDERINGS}
        peak = {ordering: most(rates.values()) for ordering, rates in rate.items()}
        full = {
            ordering: by_payload(ordering, "udp_payload_gbps")[FULL_PAYLOAD]
            / by_payload(ordering, "limit_udp_payload_gbps")[FULL_PAYLOAD]
            for ordering in ORDERINGS
        }
        smallest, small = sorted(PAYLOADS)[:2]
        data = {ordering: by_payload(ordering, "udp_payload_gbps") for ordering in ORDERINGS}

        def gap(payload: int) -> Measured:
            return data["software_only"][payload] - data["rmw"][payload]

        return [
            at_least(
                "software ordering at 200 MHz reaches line rate with the longest frames",
                full["software_only"],
                LINE_RATE,
            ),
            at_least("`set` and `update` at 166 MHz do too", full["rmw"], LINE_RATE),
            *(
                near(
                    f"frames per second saturate for small frames: they do not change ({NAMES[ordering]})",
                    rates[smallest] / rates[small],
                    1.0,
                    within=0.15,
                    ours="saturated is within 15 %",
                )
                for ordering, rates in rate.items()
            ),
            *(
                near(
                    f"frames saturate at about 2.2 million a second ({NAMES[ordering]})",
                    peak[ordering],
                    SATURATED_MILLION_PER_S,
                )
                for ordering in ORDERINGS
            ),
            near(
                "`set` and `update` at 166 MHz saturate at about the rate of software ordering at 200 MHz",
                peak["rmw"] / peak["software_only"],
                1.0,
                ours="about is a tenth",
            ),
            at_most("their peak at 166 MHz is lower than that", peak["rmw"] / peak["software_only"], 1),
            at_least(
                "the lower peak leads to a gap with datagrams of 800 bytes: of 1 % or more",
                gap(800) / data["software_only"][800],
                0.01,
                ours="a gap to be seen",
            ),
            at_least(
                "from 800 bytes on down the gap closes: it is smaller for the smallest",
                gap(800) - gap(smallest),
                0,
            ),
        ]

    def plot(self, figure: Figure, rows: Rows) -> None:
        """Both below the limit of the link."""
        draw_below_limit(
            figure,
            {name: [row for row in rows if row["ordering"] == ordering] for ordering, name in NAMES.items()},
        )
