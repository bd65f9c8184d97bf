"""hundredgig: the rate of frames by link of PCI Express."""

from __future__ import annotations

from collections.abc import Sequence

from spinach_nic.experiments._hundredgig import LARGEST, RATES, hundredgig, rates
from spinach_nic.experiments._papers import pcie_bench
from spinach_nic.experiments.runner import (
    Claim,
    Column,
    Experiment,
    Extent,
    Point,
    Rows,
    figure_of,
    near,
    one_row,
    only,
    with_errors,
)
from spinach_nic.runs.result import Result

EXPECTED_GBPS = {"gen3x8": 50, "gen3x16": 98, "gen4x8": 100, "gen4x16": 100}
"""Rate of the longest frames of ordinary Ethernet both ways at once, by the model of the publication, for
batches of 32 descriptors and payloads of 256 bytes."""
CORES = 16
LINK_GBPS = 100
_FRAMES = 8000
_LEAST_FRAMES = 6000
"""A link that carries half of what is asked passes bursts: a direction may rest for 0.1 ms, too long for
shorter windows."""


class Links(Experiment):
    """The longest frames both ways over links of PCI Express, with more cores than they need."""

    name = "hundredgig-pcie"
    summary = "hundredgig: throughput both ways by link of PCI Express"
    source = pcie_bench("computed from its public model")
    key = (Column("pcie_link", "link"),)
    measured = RATES

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """Each link."""
        return [self._point(extent, link) for link in extent.some(EXPECTED_GBPS, needed=("gen3x8",))]

    def _point(self, extent: Extent, link: str) -> Point[Result]:
        frames = extent.frames(_FRAMES, least=_LEAST_FRAMES)
        run = hundredgig(f"udp:{LARGEST}", frames, {"cores": CORES, "pcie_link": link})
        return one_row(run, lambda result: with_errors(**rates(result)), pcie_link=link)

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Return what the model of the publication gives for each link."""
        links = {str(row["pcie_link"]) for row in rows}
        return [
            near(
                f"{link} carries {expected} Gb/s of Ethernet {word} while it does so the other way",
                figure_of(only(rows, pcie_link=link), f"{way}_line_rate") * LINK_GBPS,
                expected,
                within=0.1,
            )
            for link, expected in EXPECTED_GBPS.items()
            if link in links
            for way, word in (("tx", "to the wire"), ("rx", "from the wire"))
        ]
