"""hundredgig: the rate of received frames by number of flows."""

from __future__ import annotations

from collections.abc import Sequence

from spinach_nic.experiments._hundredgig import LEAST_FRAMES, MILLION, SMALLEST, hundredgig
from spinach_nic.experiments._papers import virtio
from spinach_nic.experiments._rates import carried
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
    one_row,
    only,
    with_errors,
)
from spinach_nic.runs.result import Result
from spinach_nic.support.measured import Measured

FLOWS = (1, 2, 4, 8, 16, 64, 512)
CORES = 8
_FRAMES = 8000


class Steering(Experiment):
    """Small frames from the wire in overload, spread over cores by the Toeplitz hash of their flow."""

    name = "hundredgig-steering"
    summary = "hundredgig: small frames received by 8 cores, by number of flows"
    source = virtio("VIRTIO_NET_F_MQ; not a table of a publication")
    is_own = True
    key = (Column("flows", "flows"),)
    measured = (
        Column("rx_mpps", "received, million frames/s", digits=2),
        Column("cores_worth", "in rates of one flow", digits=2),
    )
    notes = ("Flows have as many frames each, and differ in addresses and ports. A flow goes to one core.",)

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """Each number of flows."""
        return [self._point(extent, flows) for flows in extent.some(FLOWS, needed=(1, 8, 512))]

    def _point(self, extent: Extent, flows: int) -> Point[Result]:
        def measure(result: Result) -> Row:
            return with_errors(rx_mpps=carried(result, "rx", "frames_per_s") / MILLION)

        spread = f"flows={flows},source_address_step=3,source_port_step=7"
        frames = extent.frames(_FRAMES, least=LEAST_FRAMES)
        run = hundredgig(f"udp:{SMALLEST},{spread}:rx", frames, {"cores": CORES})
        return one_row(run, measure, flows=flows)

    def finish(self, rows: Rows) -> Rows:
        """Add the ratio of each rate to that of one flow."""
        one = figure_of(only(rows, flows=1), "rx_mpps")
        return [{**row, **with_errors(cores_worth=figure_of(row, "rx_mpps") / one)} for row in rows]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Return what steering by a hash promises: balls thrown at random into eight bins."""

        def worth(flows: int) -> Measured:
            return figure_of(only(rows, flows=flows), "cores_worth")

        return [
            at_most("eight flows occupy fewer than eight cores", worth(CORES), 7.5),
            at_least("512 flows occupy all cores to 90 %", worth(512), 0.9 * CORES),
        ]
