"""hundredgig: the rate of small frames by tags and credits of PCI Express."""

from __future__ import annotations

from collections.abc import Sequence

from spinach_nic.experiments._hundredgig import MILLION, RATES, SMALLEST, hundredgig, rates
from spinach_nic.experiments._papers import virtio
from spinach_nic.experiments.runner import (
    Claim,
    Column,
    Experiment,
    Extent,
    Point,
    Rows,
    at_most,
    figure_of,
    one_row,
    only,
    with_errors,
)
from spinach_nic.runs.result import Result

CORES = 16
READ_LATENCY_S = 550e-9
"""Latency of a read by the card, without the time on the link."""
LIMITS = {
    "pcie_tags": (4, 8, 16, 32, 64, 0),
    "pcie_read_headers": (2, 4, 8, 16),
    "pcie_posted_headers": (2, 4, 8, 16),
    "pcie_posted_data": (16, 32, 64),
}
"""Counts of each limit; 0 for none."""
_FRAMES = 4000
_LEAST_FRAMES = 3000
"""With four tags frames reach the host in bursts, 0.1 ms apart: windows of fewer frames are not steady."""


class Credits(Experiment):
    """The shortest frames both ways, with one limit of the link at a time."""

    name = "hundredgig-credits"
    summary = "hundredgig: small frames by tags and credits of PCI Express"
    source = virtio("network device in firmware; not a table of a publication")
    is_own = True
    key = (Column("limit", "limit"), Column("count", "count"))
    measured = RATES
    notes = (
        "A count of 0 means unlimited. Credits return 250 ns after the arrival of a packet, which is an "
        "assumption; the specification leaves it to the host.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """Each count of each limit."""
        return [
            self._point(extent, limit, count)
            for limit, counts in LIMITS.items()
            for count in extent.some(counts, needed=(4,) if limit == "pcie_tags" else ())
        ]

    def _point(self, extent: Extent, limit: str, count: int) -> Point[Result]:
        frames = extent.frames(_FRAMES, least=_LEAST_FRAMES)
        run = hundredgig(f"udp:{SMALLEST}", frames, {"cores": CORES, limit: count})
        return one_row(run, lambda result: with_errors(**rates(result)), limit=limit, count=count)

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Return the bound of the tags: a sent frame takes at least one read."""
        few = 4
        return [
            at_most(
                f"with {few} tags no more frames are sent than {few} reads at a time allow",
                figure_of(only(rows, limit="pcie_tags", count=few), "tx_mpps"),
                few / READ_LATENCY_S / MILLION,
            )
        ]
