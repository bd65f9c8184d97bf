"""Rosebud: load balancers by free slots and by the hash of the flow, by number of flows."""

from __future__ import annotations

from collections.abc import Sequence

from spinach_nic.experiments._papers import rosebud
from spinach_nic.experiments._rosebud import CORE_CLOCK_HZ, MILLION, both_ports, carried_mpps
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
    expectation,
    figure_of,
    near,
    number,
    only,
    with_errors,
)
from spinach_nic.runs.result import Result
from spinach_nic.support.measured import Measured

BALANCERS = ("round_robin", "hash", "hash_dropping")
FLOWS = (1, 4096)
RPUS = 8
PACKET_BYTES = 300
RTL_MANY_FLOWS_MPPS = 56.6
"""Million packets a second with `hash` and 4096 flows: measured on the published RTL, ± 1.0."""
_PACKETS = 6000
"""Each port brings every flow twice meanwhile, so that the window holds the same mix as that of the RTL."""


class Balancing(Experiment):
    """Eight cores forward packets of few and of many flows at both ports."""

    name = "rosebud-balancing"
    summary = "Load balancers of Rosebud: throughput and spread over cores, by number of flows"
    source = rosebud("published RTL, commit c593d596: three load balancers")
    key = (Column("balancer", "balancer"), Column("flows", "flows of each port"))
    measured = (
        Column("mpps", "million packets/s", digits=1),
        Column("largest_share", "share of the busiest core", digits=3),
        Column("late", "packets behind a later one of their flow", digits=0),
    )
    notes = (
        "`round_robin` does not promise the order of a flow, which is not examined there. Flows of both "
        "ports have the same addresses and ports.",
        "The rate of `hash` with many flows is compared with the published RTL of the whole card but for PCI "
        "Express, simulated with the same packets: 56.6 ± 1.0 million packets a second in 53,084 cycles, in "
        "which each port brings every flow twice.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """Each balancer with each number of flows."""
        flows = extent.some(FLOWS, needed=FLOWS)
        return [self._point(extent, balancer, count) for balancer in BALANCERS for count in flows]

    def _point(self, extent: Extent, balancer: str, flows: int) -> Point[Result]:
        run = both_ports(
            extent, PACKET_BYTES, _PACKETS, flows=flows, settings={"rpus": RPUS, "balancer": balancer}
        )

        def measure(result: Result) -> Sequence[Row]:
            packets = [result.counters[f"packets_of_core_{core}"].value for core in range(RPUS)]
            figures = with_errors(mpps=carried_mpps(result))
            share = max(packets) / max(1, sum(packets))
            late = sum(result.frames.reordered.values())
            return [{"balancer": balancer, "flows": flows, **figures, "largest_share": share, "late": late}]

        return Point(run, measure)

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Cost and benefit of the choice of the core."""

        def mpps(balancer: str, flows: int) -> Measured:
            return figure_of(only(rows, balancer=balancer, flows=flows), "mpps")

        few, many = FLOWS[0], FLOWS[-1]
        hashed = [row for row in rows if row["balancer"] != "round_robin"]
        of_one_core = CORE_CLOCK_HZ / 31 / MILLION
        of_rtl = near(
            "with many flows `hash` carries as many packets as on the RTL",
            mpps("hash", many),
            RTL_MANY_FLOWS_MPPS,
            within=0.05,
        )
        ours = [
            near(
                "taking turns does not depend on flows",
                mpps("round_robin", few),
                mpps("round_robin", many).value,
            ),
            at_most("one flow of each port gets two cores at most", mpps("hash", few), 2.1 * of_one_core),
            near(
                "one flow fills one core, whether its packets wait or are dropped",
                mpps("hash_dropping", few),
                mpps("hash", few).value,
            ),
            at_least(
                "dropping carries no less than waiting",
                mpps("hash_dropping", many),
                0.98 * mpps("hash", many).value,
            ),
            at_most("no packet of a flow overtakes another", max(number(row, "late") for row in hashed), 0),
        ]
        return [of_rtl, *map(expectation, ours)]
