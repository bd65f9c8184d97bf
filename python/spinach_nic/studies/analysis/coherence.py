"""Coherent private caches driven by traces (HPCA 2005, section 2.3)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from spinach_nic import _native
from spinach_nic.studies.analysis.traces import TraceFilter
from spinach_nic.support.arguments import Within, check_fields, checked

ADDRESSES = Within(0, 2**64 - 1)

FIGURE_3_SIZES = tuple(16 << power for power in range(12))
"""Cache sizes of HPCA 2005, figure 3: 16 bytes to 32 KiB."""


@dataclass(frozen=True)
class CacheSystem:
    """Caches of one shape and the protocol that keeps them coherent. The default is that of figure 3."""

    capacity_bytes: Annotated[int, Within(1, 1 << 30)]
    line_bytes: Annotated[int, Within(1, 1 << 20)] = 16
    ways: Annotated[int, Within(1, 1 << 20)] | None = None
    """Lines in a set; fully associative without."""
    replacement: Literal["lru", "fifo"] = "lru"
    protocol: Literal["msi", "mesi", "moesi"] = "mesi"

    def __post_init__(self) -> None:
        """Reject invalid caches."""
        check_fields(self)

    def description(self) -> dict[str, Any]:
        """Return the description for the native simulator."""
        geometry = {
            "line_bytes": self.line_bytes,
            "capacity_bytes": self.capacity_bytes,
            "ways": self.ways,
            "replacement": self.replacement,
        }
        return {"protocol": self.protocol, "geometry": geometry}


@dataclass(frozen=True)
class CacheCounts:
    """Event counts of one cache, or of all. An access that crosses lines counts once for each."""

    reads: int = 0
    read_hits: int = 0
    writes: int = 0
    write_hits: int = 0
    upgrades: int = 0
    """Write hits on shared lines."""
    invalidating_writes: int = 0
    """Writes that invalidated the line in at least one other cache."""
    invalidations: int = 0
    """Copies in other caches that the writes invalidated."""
    coherence_misses: int = 0
    """Misses for lines that a write of another cache had invalidated."""
    supplied_by_caches: int = 0
    """Misses that another cache answered."""
    write_backs: int = 0

    @property
    def hit_ratio(self) -> float:
        """Hits per access; 0 without accesses."""
        accesses = self.reads + self.writes
        return (self.read_hits + self.write_hits) / accesses if accesses else 0.0

    @property
    def invalidating_write_ratio(self) -> float:
        """Fraction of writes that invalidated the line in another cache; 0 without writes."""
        return self.invalidating_writes / self.writes if self.writes else 0.0


@dataclass(frozen=True)
class CacheReport:
    """Event counts of the caches of one system."""

    system: CacheSystem
    caches: Sequence[CacheCounts]
    absent: Sequence[str] = ()
    """Agents of the caches that make no access."""

    @property
    def total(self) -> CacheCounts:
        """All caches together."""
        names = CacheCounts.__dataclass_fields__
        return CacheCounts(**{name: sum(getattr(counts, name) for counts in self.caches) for name in names})


@checked
def simulate_caches(
    systems: Sequence[CacheSystem],
    caches: Sequence[Sequence[str]],
    *,
    instruction_traces: Sequence[Path] = (),
    access_traces: Sequence[Path] = (),
    filter: TraceFilter | None = None,
    ranges: Sequence[tuple[Annotated[int, ADDRESSES], Annotated[int, ADDRESSES]]] = (),
    allow_absent: bool = False,
) -> list[CacheReport]:
    """Simulate systems of caches on the same accesses in one pass.

    Several traces are interleaved by their cycles. The simulation ends after the last access of an incomplete
    trace, so that all agents are simulated up to the same cycle.

    Args:
        systems: Cache systems to simulate.
        caches: Agents that each cache serves: `core0`, `core1`, ... of instruction traces, and those that
            access traces name. Agents that no cache serves are left out.
        instruction_traces: Traces whose loads and stores are accesses.
        access_traces: Access traces, such as assists write.
        filter: Filter of the instruction traces.
        ranges: Address ranges, first and last, in which accesses begin; all accesses by default.
        allow_absent: Accept agents that make no access; an error otherwise.

    Raises:
        SpinachError: No trace, several traces without cycles, an unknown name, an impossible cache.
    """
    study = {
        "caches": [list(agents) for agents in caches],
        "ranges": [list(bounds) for bounds in ranges],
        "allow_absent": allow_absent,
    }
    found = json.loads(
        _native.simulate_caches(
            list(instruction_traces),
            list(access_traces),
            (filter or TraceFilter()).to_json(),
            json.dumps(study),
            json.dumps([system.description() for system in systems]),
        )
    )
    return [
        CacheReport(system, [CacheCounts(**counts) for counts in report["caches"]], report["absent"])
        for system, report in zip(systems, found, strict=True)
    ]
