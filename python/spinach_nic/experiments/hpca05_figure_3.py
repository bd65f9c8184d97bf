"""HPCA 2005, figure 3: hit ratio of coherent private caches for frame metadata."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spinach_nic.experiments._papers import hpca
from spinach_nic.experiments._parallelism import six_cores
from spinach_nic.experiments.runner import (
    Claim,
    Column,
    Experiment,
    Extent,
    Point,
    Rows,
    TraceStudy,
    at_most,
    number,
    only,
)
from spinach_nic.studies.analysis import (
    FIGURE_3_SIZES,
    CacheReport,
    CacheSystem,
    TracedRun,
    TraceFilter,
    simulate_caches,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def caches(traced: TracedRun) -> list[CacheReport]:
    """Return a cache for each core, one for both DMA assists, one for both of the MAC; idling left out."""
    return simulate_caches(
        [CacheSystem(size) for size in FIGURE_3_SIZES],
        traced.default_caches(),
        instruction_traces=[traced.instructions],
        access_traces=[traced.accesses],
        filter=TraceFilter(tasks_excluded=["idle"]),
        ranges=traced.metadata.shared,
    )


def rows_of(reports: list[CacheReport]) -> Rows:
    """Return a row for each size of cache."""
    rows = []
    for report in reports:
        total = report.total
        misses = total.reads + total.writes - total.read_hits - total.write_hits
        rows.append(
            {
                "cache_bytes": report.system.capacity_bytes,
                "hit_ratio": total.hit_ratio,
                "invalidating_write_ratio": total.invalidating_write_ratio,
                "coherence_miss_ratio": total.coherence_misses / misses if misses else 0.0,
            }
        )
    return rows


class CoherentCaches(Experiment):
    """MESI over fully associative LRU caches with lines of 16 bytes, six cores at line rate."""

    name = "hpca05-figure-3"
    summary = "Hit ratio of coherent private caches for frame metadata by their size, six cores"
    source = hpca("figure 3, section 2.3")
    key = (Column("cache_bytes", "bytes of each cache"),)
    measured = (
        Column("hit_ratio", "hit ratio", digits=3),
        Column("invalidating_write_ratio", "writes that invalidate", digits=3),
        Column("coherence_miss_ratio", "misses after an invalidation", digits=3),
    )
    notes = (
        "Metadata is everything in the scratch pad that cores and assists share: rings, counters, flags and "
        "locks. Stacks, constants and the polling of idle cores are left out.",
        "The text gives what the curve never exceeds, not its points.",
    )

    def points(self, extent: Extent) -> Sequence[Point[list[CacheReport]]]:
        """One trace, all sizes in one pass."""
        return [Point(TraceStudy(six_cores(extent), caches, "coherence --without idle"), rows_of)]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Section 2.3."""
        largest = only(rows, cache_bytes=FIGURE_3_SIZES[-1])
        return [
            at_most(
                "the hit ratio never goes above 55 %, up to caches of 32 KiB",
                max(number(row, "hit_ratio") for row in rows),
                0.55,
            ),
            at_most(
                "for each size, fewer than 1 % of write accesses invalidate a line of another cache",
                max(number(row, "invalidating_write_ratio") for row in rows),
                0.01,
            ),
            at_most(
                "what misses in caches of 32 KiB does so for lack of locality, not after an invalidation: "
                "less than half of the misses are",
                number(largest, "coherence_miss_ratio"),
                0.5,
                ours="most have another cause",
            ),
        ]

    def plot(self, figure: Figure, rows: Rows) -> None:
        """The hit ratio over the size."""
        axes = figure.subplots()
        sizes = [number(row, "cache_bytes") for row in rows]
        axes.plot(sizes, [100 * number(row, "hit_ratio") for row in rows], marker="o")
        axes.set_xscale("log", base=2)
        axes.set_ylim(0, 100)
        axes.set_xlabel("bytes of each cache")
        axes.set_ylabel("collective hit ratio, %")
