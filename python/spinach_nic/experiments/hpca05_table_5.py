"""HPCA 2005, table 5: instructions and memory accesses by function and frame-ordering method."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

from spinach_nic.experiments._ordering import (
    CLOCKS_MHZ,
    FIRMWARE,
    KEY,
    NOTES,
    SHARE,
    TASKS,
    WORKING_IN_VAIN,
    averaged,
    figures_of,
    growth,
    repeated,
    saved,
    share_of_line,
    tasks_of,
)
from spinach_nic.experiments._papers import hpca
from spinach_nic.experiments._requirements import SINGLE_CORE_CLOCK_MHZ
from spinach_nic.experiments._requirements import TASKS as IDEAL_TASKS
from spinach_nic.experiments._tengig import LINE_RATE, hpca_nic
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
    near,
)
from spinach_nic.runs.result import Result
from spinach_nic.support.measured import Measured


def profile(ordering: str, core_clock_mhz: int, tasks: Sequence[str]) -> Callable[[Result], Rows]:
    """Return a row for each task."""

    def measure(result: Result) -> Rows:
        costs = tasks_of(result)
        figures: dict[str, Row] = {
            task: {
                "instructions": costs[task].instructions,
                "memory_accesses": costs[task].memory_accesses,
            }
            for task in tasks
        }
        return figures_of(result, ordering, core_clock_mhz, figures)

    return measure


SOFTWARE_ONLY = (
    ("fetch_send_bd", 39.1, 14.4),
    ("send_frame", 317.3, 102.5),
    ("send_dispatch_ordering", 292.1, 94.0),
    ("send_locking", 2.6, 0.9),
    ("fetch_receive_bd", 12.4, 5.3),
    ("receive_frame", 292.1, 135.4),
    ("receive_dispatch_ordering", 202.5, 66.2),
    ("receive_locking", 20.5, 5.1),
)
RMW_ENHANCED = (
    ("fetch_send_bd", 38.5, 14.4),
    ("send_frame", 311.5, 92.4),
    ("send_dispatch_ordering", 141.7, 32.9),
    ("send_locking", 10.6, 2.7),
    ("fetch_receive_bd", 12.2, 4.2),
    ("receive_frame", 335.5, 126.2),
    ("receive_dispatch_ordering", 140.7, 42.9),
    ("receive_locking", 34.4, 8.6),
)
IDEAL = (
    ("fetch_send_bd", 24.5, 10.6),
    ("send_frame", 256.9, 90.0),
    ("fetch_receive_bd", 12.1, 4.1),
    ("receive_frame", 241.0, 80.8),
)


def published(ordering: str, core_clock_mhz: int, figures: Sequence[tuple[str, float, float]]) -> list[Row]:
    """Rows of the publication."""
    key: Row = {"ordering": ordering, "core_clock_mhz": core_clock_mhz}
    return [
        {**key, "task": task, "instructions": instructions, "memory_accesses": accesses}
        for task, instructions, accesses in figures
    ]


SAVINGS = {
    ("send", "instructions"): ("instructions", 0.515),
    ("receive", "instructions"): ("instructions", 0.308),
    ("send", "memory_accesses"): ("memory accesses", 0.65),
    ("receive", "memory_accesses"): ("memory accesses", 0.352),
}
"""Savings of `set` and `update` in ordering and dispatch, by direction and column."""
BUSY_CLOCK_MHZ = 100
"""Six cores are too slow for the line, so none polls without success."""
_CLOCKS_MHZ = (*CLOCKS_MHZ.values(), BUSY_CLOCK_MHZ)


class OrderingProfiles(Experiment):
    """Six cores, both ways at line rate, at both published clocks; and at a clock at which none is idle."""

    name = "hpca05-table-5"
    summary = "Instructions and memory accesses per packet by function and frame-ordering method"
    source = hpca("table 5, section 6.3")
    key = KEY
    measured = (
        Column("instructions", "instructions", digits=1),
        Column("memory_accesses", "memory accesses", digits=1),
        SHARE,
    )
    published = (
        *published("ideal", SINGLE_CORE_CLOCK_MHZ, IDEAL),
        *published("software_only", CLOCKS_MHZ["software_only"], SOFTWARE_ONLY),
        *published("rmw", CLOCKS_MHZ["rmw"], RMW_ENHANCED),
    )
    notes = (
        "Ideal is table 1: one core, one run.",
        *NOTES,
        f"At {BUSY_CLOCK_MHZ} MHz no core is idle.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """Return runs for each ordering and clock."""
        ideal_clock = SINGLE_CORE_CLOCK_MHZ
        ideal = hpca_nic(extent, cores=1, core_clock_mhz=ideal_clock, firmware="optimized")
        every = (*TASKS, WORKING_IN_VAIN)
        return [
            Point(ideal, profile("ideal", ideal_clock, IDEAL_TASKS)),
            *(
                Point(run, profile(ordering, clock, every))
                for ordering, clock in product(FIRMWARE, _CLOCKS_MHZ)
                for run in repeated(extent, ordering, clock)
            ),
        ]

    def finish(self, rows: Rows) -> Rows:
        """Average the repeated runs."""
        return averaged(rows)

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Section 6.3."""
        software, rmw = (share_of_line(rows, *configuration) for configuration in CLOCKS_MHZ.items())

        def grown(task: str, clock: int) -> Measured:
            return growth(rows, task, "instructions", clock)

        def savings(clock: int) -> list[Claim]:
            return [
                near(
                    f"at {clock} MHz they save {100 * saving:.1f} % of the {what} of {way} ordering",
                    saved(rows, f"{way}_dispatch_ordering", column, clock),
                    saving,
                )
                for (way, column), (what, saving) in SAVINGS.items()
            ]

        return [
            at_least("software ordering at 200 MHz reaches line rate", software, LINE_RATE),
            at_least("`set` and `update` at 166 MHz reach 99 % of line rate", rmw, LINE_RATE),
            *(claim for clock in CLOCKS_MHZ.values() for claim in savings(clock)),
            *(expectation(claim) for claim in savings(BUSY_CLOCK_MHZ)),
            *(
                at_least(
                    f"at {clock} MHz contention among the remaining locks grows: {way}",
                    grown(f"{way}_locking", clock),
                    1,
                )
                for clock, way in product(CLOCKS_MHZ.values(), ("send", "receive"))
            ),
            *(
                claim
                for clock in CLOCKS_MHZ.values()
                for claim in (
                    at_least(
                        f"at {clock} MHz receiving a frame takes more instructions",
                        grown("receive_frame", clock),
                        1,
                    ),
                    at_most(
                        f"at {clock} MHz receiving a frame takes only slightly more",
                        grown("receive_frame", clock),
                        1.2,
                        ours="slightly is a fifth",
                    ),
                )
            ),
        ]
